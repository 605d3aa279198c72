//! Many throws in threads, and what they come to. Which thread made a throw changes nothing.

use super::{Kind, Thrown, throw};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use stickslip::Error;
use stickslip::step::Integrator;

/// A rise of energy by more than this share is not rounding, nor the order of a method in free flight.
const RISE: f64 = 1e-6;

/// The throws of one kind by one method.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// How many.
    pub throws: usize,
    /// The seeds of those that ended before their time.
    pub lost: Vec<u64>,
    /// The seeds of those whose energy rose by more than impacts were said to create.
    pub unsaid: Vec<u64>,
    /// How many of them had impacts that were said to create energy.
    pub said: usize,
    /// Steps that were made in shorter parts.
    pub split: usize,
    /// Steps in which contacts were without restitution.
    pub plastic: usize,
    /// Steps whose certificate misses the tolerance.
    pub missed: usize,
    /// The largest rise of energy that was not said, as a share.
    pub rise: f64,
    /// The deepest penetration over the size of the smallest body.
    pub depth: f64,
    /// The seed of it.
    pub deepest: Option<u64>,
    /// The deepest penetration, in m.
    pub metres: f64,
}

impl Tally {
    fn add(&mut self, seed: u64, thrown: &Thrown) {
        self.throws += 1;
        self.split += thrown.split;
        self.plastic += thrown.plastic;
        self.missed += thrown.missed;
        self.said += usize::from(thrown.created > 0.0);
        self.rise = self.rise.max(thrown.unsaid);
        self.metres = self.metres.max(thrown.metres);
        if thrown.depth > self.depth {
            (self.depth, self.deepest) = (thrown.depth, Some(seed));
        }
        if thrown.lost.is_some() {
            self.lost.push(seed);
        }
        if !(thrown.unsaid <= RISE) {
            self.unsaid.push(seed);
        }
    }
}

/// Throws the seeds of one kind among these, each by itself, in this many threads. `seen` is called after each throw, with what the throws so
/// far come to, its seed, and the seconds that it took by the clock.
///
/// # Errors
/// If a world is refused.
pub fn throw_all(
    kind: Kind,
    seeds: Range<u64>,
    integrator: Integrator,
    dt: f64,
    threads: usize,
    seen: impl Fn(&Tally, u64, f64) + Sync,
) -> Result<Tally, Error> {
    let next = AtomicU64::new(seeds.start);
    let shared = Mutex::new((Tally::default(), None));
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        break;
                    }
                    if Kind::of(seed) != kind {
                        continue;
                    }
                    let clock = Instant::now();
                    let thrown = throw(kind, seed, integrator, dt);
                    let seconds = clock.elapsed().as_secs_f64();
                    let (tally, refused) = &mut *shared.lock().unwrap_or_else(|e| e.into_inner());
                    match thrown {
                        Ok(thrown) => tally.add(seed, &thrown),
                        Err(error) => *refused = Some(error),
                    }
                    seen(tally, seed, seconds);
                }
            });
        }
    });
    let (mut tally, refused) = shared.into_inner().unwrap_or_else(|e| e.into_inner());
    tally.lost.sort_unstable();
    tally.unsaid.sort_unstable();
    refused.map_or(Ok(tally), Err)
}
