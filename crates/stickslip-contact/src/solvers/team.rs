//! The threads that share the work of one solve, or none. What is computed does not depend on them.

use crate::Error;
use crate::error::check_setting;

/// Threads of their own, with the feature `parallel`; without it, the caller's.
#[derive(Clone, Debug, Default)]
pub(super) struct Team {
    #[cfg(feature = "parallel")]
    pool: Option<std::sync::Arc<rayon::ThreadPool>>,
}

/// Refuses a number of threads of a method that there cannot be.
pub(crate) fn check_threads(method: &'static str, threads: usize) -> Result<(), Error> {
    let (most, wanted) = if cfg!(feature = "parallel") {
        (1024.0, "from 1 to 1024")
    } else {
        (1.0, "1; more need the feature `parallel` of the crate `stickslip-contact`")
    };
    check_setting(method, "threads", threads as f64, (0.0, most), wanted)
}

impl Team {
    #[cfg(feature = "parallel")]
    pub(super) fn new(threads: usize) -> Result<Self, Error> {
        if threads <= 1 {
            return Ok(Self::default());
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let (value, requirement) = (threads as f64, "a number that the system can start");
        let place = "setting `threads`".to_owned();
        let refused = |_| Error::Range { place, value, requirement };
        Ok(Self { pool: Some(std::sync::Arc::new(pool.map_err(refused)?)) })
    }

    #[cfg(not(feature = "parallel"))]
    pub(super) fn new(_: usize) -> Result<Self, Error> {
        Ok(Self::default())
    }

    /// Whether there is no thread but the caller's.
    pub(super) fn is_one(&self) -> bool {
        #[cfg(feature = "parallel")]
        return self.pool.is_none();
        #[cfg(not(feature = "parallel"))]
        true
    }

    /// Both, perhaps at the same time.
    pub(super) fn join<A: Send, B: Send>(
        &self,
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        #[cfg(feature = "parallel")]
        if self.pool.is_some() {
            return rayon::join(a, b);
        }
        (a(), b())
    }

    /// Lets the threads of the team do what [`join`](Self::join) hands out.
    pub(super) fn work<T: Send>(&self, task: impl FnOnce() -> T + Send) -> T {
        #[cfg(feature = "parallel")]
        if let Some(pool) = &self.pool {
            return pool.install(task);
        }
        task()
    }
}
