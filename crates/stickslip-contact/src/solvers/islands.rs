//! Contacts that impulses do not connect are problems of their own: each is solved by what suits its size, and takes as long as it needs,
//! not as long as the slowest of them.

use super::cascade::{self, Cascade, SMALL};
use super::team::Team;
use super::{BlockForm, Method};
use crate::body_rows::NONE;
use crate::solve::Effort;
use crate::{BodyRows, ContactProblem, Error};
use complementarity::{Failure, Status};
use std::cmp::Reverse;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Islands are taken together up to so many contacts: each problem has a cost of its own.
const TOGETHER: usize = 32;

/// What takes a problem apart, and solves its islands, on storage that is kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Islands {
    /// The island of each contact.
    numbers: Vec<usize>,
    /// The contacts island by island, in their order.
    contacts: Vec<usize>,
    /// Which of them are solved together, the most contacts first.
    batches: Vec<Range<usize>>,
    workers: Vec<Worker>,
}

/// What each of the threads has of its own: a solver, and what it has found. There are no more of them than batches, since solvers keep storage.
#[derive(Clone, Debug)]
struct Worker {
    part: Part,
    solver: Cascade,
    /// The batches that were solved, and their impulses one after the other.
    solved: Vec<usize>,
    impulse: Vec<f64>,
    went: Went,
}

/// What all threads share.
struct Work<'a> {
    problem: &'a BlockForm<'a>,
    contacts: &'a [usize],
    batches: &'a [Range<usize>],
    /// The batch that is solved next.
    next: AtomicUsize,
    /// The impulses from which islands are solved.
    impulse: &'a [f64],
    effort: Effort,
}

/// The problem of some of the contacts.
#[derive(Clone, Debug, Default)]
struct Part {
    problem: ContactProblem,
    bias: Vec<f64>,
    laws: Vec<crate::Law>,
    guess: Vec<f64>,
    /// The number in the part of each body, or [`NONE`].
    bodies: Vec<u32>,
}

/// How the islands of a problem went.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Went {
    /// The first batch that has no answer, and why.
    failed: Option<(usize, Failure)>,
    pub(super) iterations: usize,
    pub(super) factorisations: usize,
}

impl Went {
    /// Why one of the islands has no answer.
    pub(super) fn failure(&self) -> Option<Failure> {
        self.failed.map(|(_, failure)| failure)
    }

    fn add(&mut self, other: &Self) {
        self.iterations += other.iterations;
        self.factorisations += other.factorisations;
        let both = self.failed.into_iter().chain(other.failed);
        self.failed = both.min_by_key(|(batch, _)| *batch);
    }
}

impl Islands {
    /// Whether a problem of many contacts between bodies has several islands.
    pub(super) fn find(&mut self, problem: &BlockForm) -> bool {
        let many = problem.contacts() > SMALL;
        if !many || problem.bodies().is_none() || problem.is_associated() {
            return false;
        }
        problem.problem().islands(&mut self.numbers);
        self.numbers.iter().any(|island| *island != self.numbers[0])
    }

    /// Solves all islands, each from its part of the impulses, and puts its answer there, or the best that was found. Searches in islands
    /// of few contacts are full ones. Threads of the team each take the largest island that is left; none of them changes an answer.
    pub(super) fn solve(
        &mut self,
        problem: &BlockForm,
        (settings, effort, team): (cascade::Settings, Effort, &Team),
        impulse: &mut [f64],
    ) -> Result<Went, Error> {
        self.sort(problem.contacts());
        let Self { contacts, batches, workers, .. } = self;
        while workers.len() < settings.threads.min(batches.len()) {
            workers.push(Worker::new(settings, team)?);
        }
        let next = AtomicUsize::new(0);
        let work = Work { problem, contacts, batches, next, impulse, effort };
        team.work(|| share(workers, &work, team))?;
        let mut went = Went::default();
        for worker in workers {
            worker.put((problem, contacts, batches), impulse);
            went.add(&worker.went);
        }
        Ok(went)
    }

    /// Sorts the contacts by islands, and these into batches.
    fn sort(&mut self, count: usize) {
        let Self { numbers, contacts, batches, .. } = self;
        contacts.clear();
        contacts.extend(0..count);
        contacts.sort_unstable_by_key(|i| (numbers[*i], *i));
        batches.clear();
        let mut begin = 0;
        while begin < count {
            let end = begin + batch(&contacts[begin..], numbers);
            batches.push(begin..end);
            begin = end;
        }
        batches.sort_unstable_by_key(|b| (Reverse(b.len()), b.start));
    }
}

/// Lets each worker solve one batch after the other, until none is left.
fn share(workers: &mut [Worker], work: &Work<'_>, team: &Team) -> Result<(), Error> {
    if let [worker] = workers {
        return worker.solve(work);
    }
    let (first, second) = workers.split_at_mut(workers.len() / 2);
    let (first, second) = team.join(|| share(first, work, team), || share(second, work, team));
    first.and(second)
}

impl Worker {
    fn new(settings: cascade::Settings, team: &Team) -> Result<Self, Error> {
        Ok(Self {
            solver: Cascade::with_team(settings, team)?,
            part: Part::default(),
            solved: Vec::new(),
            impulse: Vec::new(),
            went: Went::default(),
        })
    }

    fn solve(&mut self, work: &Work<'_>) -> Result<(), Error> {
        let Self { part, solver, solved, impulse, went } = self;
        solved.clear();
        impulse.clear();
        *went = Went::default();
        loop {
            let at = work.next.fetch_add(1, Ordering::Relaxed);
            let Some(batch) = work.batches.get(at) else { return Ok(()) };
            part.fill(work.problem, &work.contacts[batch.clone()], work.impulse)?;
            solver.set_effort(if batch.len() > SMALL { work.effort } else { Effort::Full });
            let answer = solver.solve_from(&part.problem, &part.guess)?;
            solved.push(at);
            impulse.extend_from_slice(&answer.impulse);
            let failed = match answer.status {
                Status::Failed(failure) => Some((batch.start, failure)),
                _ => None,
            };
            let (iterations, factorisations) = (answer.iterations, answer.factorisations);
            went.add(&Went { failed, iterations, factorisations });
        }
    }

    /// Puts the impulses that were found where they belong.
    fn put(
        &self,
        (problem, contacts, batches): (&BlockForm, &[usize], &[Range<usize>]),
        impulse: &mut [f64],
    ) {
        let own = self.solved.iter().flat_map(|at| &contacts[batches[*at].clone()]);
        let rows = own.flat_map(|&i| problem.rows(i));
        rows.zip(&self.impulse).for_each(|(row, x)| impulse[row] = *x);
    }
}

/// How many of these contacts, which lie island by island, are taken together: one large island, or several small ones.
fn batch(contacts: &[usize], numbers: &[usize]) -> usize {
    let mut taken = 0;
    for island in contacts.chunk_by(|a, b| numbers[*a] == numbers[*b]) {
        if taken > 0 && taken + island.len() > TOGETHER {
            break;
        }
        taken += island.len();
    }
    taken
}

impl Part {
    /// The problem of these contacts, and the impulses that they start from.
    fn fill(
        &mut self,
        problem: &BlockForm,
        contacts: &[usize],
        impulse: &[f64],
    ) -> Result<(), Error> {
        let Self { problem: part, bias, laws, guess, bodies } = self;
        bias.clear();
        laws.clear();
        guess.clear();
        for &i in contacts {
            bias.extend_from_slice(&problem.b()[problem.rows(i)]);
            guess.extend_from_slice(&impulse[problem.rows(i)]);
            laws.push(problem.laws()[i].clone());
        }
        let Some(whole) = problem.bodies() else { return Ok(()) };
        part.refill(bias, laws, |w| copy(whole, contacts, bodies, w.bodies_mut()))
    }
}

/// The rows of these contacts, and the bodies that they touch, numbered as they come.
fn copy(
    whole: &BodyRows,
    contacts: &[usize],
    numbers: &mut Vec<u32>,
    to: &mut BodyRows,
) -> Result<(), Error> {
    numbers.resize(whole.bodies(), NONE);
    let mut count = 0;
    for body in contacts.iter().flat_map(|&i| whole.link(i)).filter(|b| *b != NONE) {
        let number = &mut numbers[body as usize];
        if *number == NONE {
            *number = count;
            count += 1;
        }
    }
    to.start(count as usize);
    for &i in contacts {
        let link = whole.link(i).map(|b| (b != NONE).then(|| numbers[b as usize] as usize));
        to.push(link, whole.contact(i).iter().copied());
    }
    let touched = contacts.iter().flat_map(|&i| whole.link(i)).filter(|b| *b != NONE);
    touched.for_each(|body| numbers[body as usize] = NONE);
    to.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solvers::FormBuffer;
    use crate::solvers::sweeps::tests::wall;

    /// Walls beside each other, with the contacts of all of them in turn.
    fn beside(walls: &[ContactProblem]) -> ContactProblem {
        let rows: Vec<&BodyRows> =
            walls.iter().map(|w| w.delassus().as_bodies().unwrap()).collect();
        let mut all = BodyRows::default();
        all.start(rows.iter().map(|r| r.bodies()).sum());
        let (mut bias, mut laws) = (Vec::new(), Vec::new());
        for i in 0..rows.iter().map(|r| r.len()).max().unwrap() {
            let mut first = 0;
            for (r, wall) in rows.iter().zip(walls) {
                if i < r.len() {
                    let link = r.link(i).map(|b| (b != NONE).then(|| first + b as usize));
                    all.push(link, r.contact(i).iter().copied());
                    bias.extend_from_slice(&wall.bias()[wall.rows(i)]);
                    laws.push(wall.laws()[i].clone());
                }
                first += r.bodies();
            }
        }
        all.finish().unwrap();
        ContactProblem::new(all, bias, laws).unwrap()
    }

    #[test]
    fn each_island_has_the_answer_that_it_has_alone() {
        let walls: Vec<_> = (0..8).map(|i| wall(6, 0.5, 0.05 * f64::from(i))).collect();
        let all = beside(&walls);
        assert!(all.contacts() > SMALL);
        let mut solver = Cascade::default();
        let found = solver.solve(&all);
        assert!(found.is_solved(), "{:?}", found.certificate);
        let mut alone = Cascade::default();
        for (k, wall) in walls.iter().enumerate() {
            let zero = vec![0.0; wall.bias().len()];
            let answer = alone.solve_from(wall, &zero).unwrap();
            let here: Vec<f64> = (0..wall.contacts())
                .flat_map(|i| found.impulse[all.rows(walls.len() * i + k)].to_vec())
                .collect();
            assert_eq!(here, answer.impulse, "wall {k}");
        }
        let methods: Vec<_> = solver.attempts().iter().map(|a| a.method).collect();
        assert_eq!(methods, ["islands"]);
    }

    #[cfg(feature = "parallel")]
    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let mut walls: Vec<_> = (0..12).map(|i| wall(4, 0.5, 0.05 * f64::from(i))).collect();
        walls.push(wall(20, 0.4, 0.3));
        let all = beside(&walls);
        let with = |threads: usize| {
            let settings = cascade::Settings { tolerance: 1e-4, threads, ..Default::default() };
            let mut solver = Cascade::new(settings).unwrap();
            // The second time with storage that other islands have used.
            let found = [solver.solve(&all).clone(), solver.solve(&all).clone()];
            assert_eq!(solver.attempts()[0].method, "islands");
            found.map(|s| {
                assert!(s.is_solved(), "{:?}", s.certificate);
                let bits: Vec<u64> = s.impulse.iter().map(|x| x.to_bits()).collect();
                (bits, s.iterations, s.factorisations)
            })
        };
        let one = with(1);
        assert_eq!(one[0], one[1]);
        for threads in [2, 3] {
            assert_eq!(one, with(threads), "{threads} threads");
        }
    }

    #[test]
    fn there_are_as_many_solvers_as_threads_but_no_more_than_batches() {
        let walls = [wall(4, 0.5, 0.0), wall(20, 0.4, 0.3)];
        let all = beside(&walls);
        for (threads, solvers) in [(1, 1), (2, 2), (3, 2)] {
            let settings = cascade::Settings { tolerance: 1e-4, threads, ..Default::default() };
            let (mut buffer, mut islands) = (FormBuffer::default(), Islands::default());
            let form = buffer.form(&all);
            assert!(islands.find(&form));
            let team = Team::new(threads).unwrap();
            let mut impulse = vec![0.0; all.bias().len()];
            let went = islands.solve(&form, (settings, Effort::Full, &team), &mut impulse).unwrap();
            assert!(went.failure().is_none());
            let made = (islands.batches.len(), islands.workers.len());
            assert_eq!(made, (2, solvers), "{threads} threads");
        }
    }

    #[test]
    fn small_islands_are_taken_together_and_a_large_one_alone() {
        let lengths = [1, 1, 30, 1, 40, 2];
        let numbers: Vec<usize> = (0..6).flat_map(|i| vec![i; lengths[i]]).collect();
        let contacts: Vec<usize> = (0..numbers.len()).collect();
        let (mut rest, mut taken) = (&contacts[..], Vec::new());
        while !rest.is_empty() {
            taken.push(batch(rest, &numbers));
            rest = &rest[taken[taken.len() - 1]..];
        }
        assert_eq!(taken, [32, 1, 40, 2]);
    }

    #[test]
    fn one_island_is_not_taken_apart() {
        let whole = wall(18, 0.5, 0.0);
        let mut solver =
            Cascade::new(cascade::Settings { tolerance: 1e-3, ..Default::default() }).unwrap();
        assert!(solver.solve(&whole).is_solved());
        assert_ne!(solver.attempts()[0].method, "islands");
    }
}
