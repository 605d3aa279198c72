//! Work that may take long: other threads of Python go on, and Ctrl-C is obeyed.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long a person waits at most until Ctrl-C is seen.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The stack of a thread that searches.
const STACK: usize = 64 << 20;

/// Does work that cannot be interrupted in a thread of its own, and waits for it. On Ctrl-C the thread is left to itself: it ends when its
/// work is done, and nobody sees the result.
pub(crate) fn patiently<T, F>(py: Python<'_>, work: F) -> PyResult<T>
where
    T: Send + 'static,
    F: FnOnce() -> T + Send + 'static,
{
    let (sender, receiver) = channel();
    let worker = thread::Builder::new().stack_size(STACK).spawn(move || {
        // Nobody listens after Ctrl-C.
        let _ = sender.send(work());
    });
    worker.map_err(|e| PyRuntimeError::new_err(format!("no thread can be started: {e}")))?;
    py.detach(move || {
        loop {
            match receiver.recv_timeout(LOOK_EVERY) {
                Ok(result) => return Ok(result),
                Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals())?,
                Err(RecvTimeoutError::Disconnected) => {
                    let reason =
                        "the work ended without a result; please report what was asked for";
                    return Err(PyRuntimeError::new_err(reason));
                }
            }
        }
    })
}

/// Looks for Ctrl-C now and then.
#[derive(Debug)]
pub(crate) struct Lookout {
    last: Instant,
}

impl Lookout {
    pub(crate) fn new() -> Self {
        Self { last: Instant::now() }
    }

    /// The exception, if there is one.
    pub(crate) fn look(&mut self) -> PyResult<()> {
        if self.last.elapsed() < LOOK_EVERY {
            return Ok(());
        }
        self.last = Instant::now();
        Python::attach(|py| py.check_signals())
    }
}
