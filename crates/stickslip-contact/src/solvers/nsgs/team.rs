//! The threads that solve the blocks of a colour, or none.

use super::super::BlockForm;
use super::super::local::Local;
use super::colours::{self, Fresh};
use crate::Error;

/// Threads of their own, with the feature `parallel`; without it, the caller's.
#[derive(Clone, Debug, Default)]
pub(super) struct Team {
    #[cfg(feature = "parallel")]
    pool: Option<std::sync::Arc<rayon::ThreadPool>>,
}

/// Blocks of a colour that one thread takes at least; fewer cost more to hand out than to solve.
#[cfg(feature = "parallel")]
const SHARE: usize = 64;

impl Team {
    #[cfg(feature = "parallel")]
    pub(super) fn new(threads: usize) -> Result<Self, Error> {
        if threads <= 1 {
            return Ok(Self::default());
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let (value, requirement) = (threads as f64, "a number that the system can start");
        let place = "setting `threads` of nsgs".to_owned();
        let refused = |_| Error::Range { place, value, requirement };
        Ok(Self { pool: Some(std::sync::Arc::new(pool.map_err(refused)?)) })
    }

    #[cfg(not(feature = "parallel"))]
    pub(super) fn new(_: usize) -> Result<Self, Error> {
        Ok(Self::default())
    }

    /// The new impulses of blocks of one colour. What a block gets does not depend on who solves it.
    pub(super) fn solve(
        &self,
        problem: &BlockForm,
        (blocks, locals): (&[usize], &mut [Local]),
        impulse: &[f64],
        out: &mut [Fresh],
    ) {
        #[cfg(feature = "parallel")]
        if let Some(pool) = self.pool.as_ref().filter(|_| blocks.len() >= 2 * SHARE) {
            use rayon::prelude::*;
            let all = (locals, out, blocks);
            return pool.install(|| {
                all.into_par_iter().with_min_len(SHARE).for_each(|(local, out, &i)| {
                    *out = colours::fresh(problem, i, local, impulse);
                });
            });
        }
        for ((local, out), &i) in locals.iter_mut().zip(out).zip(blocks) {
            *out = colours::fresh(problem, i, local, impulse);
        }
    }
}
