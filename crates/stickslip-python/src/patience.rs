//! Work that may take long: other threads of Python go on, and Ctrl-C is obeyed.

use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long a person waits at most until Ctrl-C is seen.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The stack of a thread that searches.
const STACK: usize = 64 << 20;

/// From this many unknowns on a problem takes longer than a person notices; on a busy machine handing it to a thread may cost milliseconds.
const LARGE: usize = 500;

thread_local! {
    static CANCELLATION: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// Ends the work of other threads, which Python does not tell of Ctrl-C.
#[pyclass(frozen)]
#[derive(Clone, Default)]
pub(crate) struct Cancellation(Arc<AtomicBool>);

#[pymethods]
impl Cancellation {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// From now on work in the calling thread ends when this is cancelled.
    fn adopt(&self) {
        CANCELLATION.set(Some(self.0.clone()));
    }

    /// Ends the work of the threads that have adopted this.
    fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Whether nobody waits for the work of this thread any more.
pub(crate) fn cancelled() -> bool {
    CANCELLATION.with_borrow(|flag| flag.as_ref().is_some_and(|f| f.load(Ordering::Relaxed)))
}

/// The exception of Ctrl-C, if there was one.
fn look() -> PyResult<()> {
    if cancelled() {
        return Err(PyKeyboardInterrupt::new_err("the work of this thread was cancelled"));
    }
    Python::attach(|py| py.check_signals())
}

/// Does work that cannot be interrupted in a thread of its own, and waits for it. On Ctrl-C the thread is left to itself: it ends when its
/// work is done or sees that it is [`cancelled`], and nobody sees the result.
pub(crate) fn patiently<T, F>(py: Python<'_>, work: F) -> PyResult<T>
where
    T: Send + 'static,
    F: FnOnce() -> T + Send + 'static,
{
    let (sender, receiver) = channel();
    let cancellation = Cancellation::default();
    let own = cancellation.clone();
    let worker = thread::Builder::new().stack_size(STACK).spawn(move || {
        own.adopt();
        // Nobody listens after Ctrl-C.
        let _ = sender.send(work());
    });
    worker.map_err(|e| PyRuntimeError::new_err(format!("no thread can be started: {e}")))?;
    py.detach(move || {
        loop {
            match receiver.recv_timeout(LOOK_EVERY) {
                Ok(result) => return Ok(result),
                Err(RecvTimeoutError::Timeout) => look().inspect_err(|_| cancellation.cancel())?,
                Err(RecvTimeoutError::Disconnected) => {
                    let reason =
                        "the work ended without a result; please report what was asked for";
                    return Err(PyRuntimeError::new_err(reason));
                }
            }
        }
    })
}

/// Does the work of a small problem here, and that of a large one patiently.
pub(crate) fn by_size<T, F>(py: Python<'_>, unknowns: usize, work: F) -> PyResult<T>
where
    T: Send + 'static,
    F: FnOnce() -> T + Send + 'static,
{
    if unknowns < LARGE { Ok(py.detach(work)) } else { patiently(py, work) }
}

/// Looks for Ctrl-C now and then.
#[derive(Debug, Default)]
pub(crate) struct Lookout {
    last: Option<Instant>,
    found: Option<PyErr>,
}

impl Lookout {
    /// Whether work is to end, because of Ctrl-C now or before.
    pub(crate) fn interrupted(&mut self) -> bool {
        let due = self.last.is_none_or(|last| last.elapsed() >= LOOK_EVERY);
        if self.found.is_none() && due {
            self.found = look().err();
            self.last = Some(Instant::now());
        }
        self.found.is_some()
    }

    /// The exception, once.
    pub(crate) fn raised(&mut self) -> PyResult<()> {
        self.found.take().map_or(Ok(()), Err)
    }
}
