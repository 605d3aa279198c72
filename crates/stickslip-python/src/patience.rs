//! Work that may take long: other threads of Python go on, and Ctrl-C is obeyed.

use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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

/// The first exception of a function of Python that a motion calls. The motion sees numbers that are not finite in its place, and work ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failure(Arc<Mutex<Option<PyErr>>>);

impl Failure {
    fn lock(&self) -> MutexGuard<'_, Option<PyErr>> {
        // An exception is whole whoever panicked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps an exception, unless there is one.
    pub(crate) fn keep(&self, error: PyErr) {
        self.lock().get_or_insert(error);
    }

    /// Whether there is one.
    pub(crate) fn is_kept(&self) -> bool {
        self.lock().is_some()
    }

    /// Raises it, once.
    pub(crate) fn raised(&self) -> PyResult<()> {
        self.lock().take().map_or(Ok(()), Err)
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
    patiently_with(py, &Failure::default(), work)
}

/// The same for work that calls functions of Python: the first exception of one of them ends it as Ctrl-C does.
pub(crate) fn patiently_with<T, F>(py: Python<'_>, failure: &Failure, work: F) -> PyResult<T>
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
                Ok(result) => return failure.raised().map(|()| result),
                Err(RecvTimeoutError::Timeout) if failure.is_kept() => {
                    cancellation.cancel();
                    failure.raised()?;
                }
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

/// Looks for Ctrl-C now and then, and at every question for an exception of a function.
#[derive(Debug)]
pub(crate) struct Lookout {
    last: Option<Instant>,
    found: Option<PyErr>,
    failure: Failure,
}

impl Lookout {
    pub(crate) fn new(failure: &Failure) -> Self {
        Self { last: None, found: None, failure: failure.clone() }
    }

    /// Whether work is to end, because of Ctrl-C now or before, or because a function has failed.
    pub(crate) fn interrupted(&mut self) -> bool {
        if self.failure.is_kept() {
            return true;
        }
        let due = self.last.is_none_or(|last| last.elapsed() >= LOOK_EVERY);
        if self.found.is_none() && due {
            self.found = look().err();
            self.last = Some(Instant::now());
        }
        self.found.is_some()
    }

    /// The exception of Ctrl-C, once; that of a function stays where it is kept.
    pub(crate) fn raised(&mut self) -> PyResult<()> {
        self.found.take().map_or(Ok(()), Err)
    }
}
