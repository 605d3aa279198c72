//! Piles by other programs beside ours: the same bodies, steps and measures.

use super::Options;
use std::error::Error;
use std::time::Instant;
use stickslip::State;
use stickslip::contact::solve;
use stickslip::run::{self, End, Event, Flow, Observer, Sample};
use stickslip::step::{self, Integrator};
use stickslip_lab::Tables;
use stickslip_lab::peers::{Asked, NoEnd, Program, find};
use stickslip_lab::piles::{Pile, Watch, processor_time};
use stickslip_studies::gauntlet::Span;

const PROGRAMS: [&str; 3] = ["MuJoCo", "Rapier", "Siconos"];
const DT: f64 = 5e-3;
/// Tolerances of our contact problems.
const TOLERANCES: [f64; 2] = [1e-3, 1e-6];

type Outcome<T> = Result<T, Box<dyn Error>>;

/// How a pile went.
struct Went {
    /// Times of the processor of each step, in s.
    times: Vec<f64>,
    watch: Watch,
    /// Steps that miss the tolerance, of programs that say so.
    missed: Option<usize>,
    /// Why it has no more steps.
    end: Option<String>,
}

impl Went {
    fn new(watch: Watch) -> Self {
        Self { times: Vec::new(), watch, missed: None, end: None }
    }
}

/// The table of piles of both shapes.
pub(super) fn table(options: &Options, tables: &mut Tables) -> Outcome<()> {
    let programs = find(&PROGRAMS, &options.python, &mut |notice| tables.add(notice));
    let span = Span { t_end: options.t_end, dt: DT };
    let limit = options.limit;
    tables.add(&format!(
        "Steps of {} ms for {} s; a program has {} s for a pile.\n",
        1e3 * DT,
        span.t_end,
        limit.as_secs_f64()
    ));
    tables.add("| pile | program | settings | ms per step | slowest step, ms | deepest penetration, m | largest rise of energy in a step, J | steps that miss the tolerance | end |");
    tables.add("|---|---|---|---:|---:|---:|---:|---:|---|");
    for boxes in [false, true] {
        for &bodies in &options.piles {
            let pile = Pile { boxes, packed: false, bodies };
            let name = format!("{bodies} {}", if boxes { "boxes" } else { "spheres" });
            for tolerance in TOLERANCES {
                let went = ours(&pile, tolerance, span, limit.as_secs_f64())?;
                add(tables, &name, ("ours", &format!("tolerance {tolerance:.0e}")), &went);
            }
            let world = &pile.description()?;
            for (program, tight) in programs.iter().flat_map(|p| [(p, false), (p, true)]) {
                let settings = if tight { "tight" } else { "its own" };
                match theirs(program, &pile, &Asked { world, span, tight, limit })? {
                    Ok(went) => add(tables, &name, (&program.name, settings), &went),
                    Err(why) => tables.add(&format!(
                        "| {name} | {} | {settings} | – | – | – | – | – | {why} |",
                        program.name
                    )),
                }
            }
        }
    }
    Ok(())
}

fn add(tables: &mut Tables, pile: &str, (program, settings): (&str, &str), went: &Went) {
    let steps = went.times.len();
    let mean = 1e3 * went.times.iter().sum::<f64>() / steps.max(1) as f64;
    let slowest = 1e3 * went.times.iter().copied().fold(0.0, f64::max);
    let end = match &went.end {
        None => "reached".to_owned(),
        Some(why) => format!("{why} after {:.2} s", steps as f64 * DT),
    };
    let Watch { deepest, rise, .. } = went.watch;
    let missed = went.missed.map_or_else(|| "not said".to_owned(), |n| n.to_string());
    tables.add(&format!(
        "| {pile} | {program} | {settings} | {mean:.2} | {slowest:.1} | {deepest:.1e} | {rise:.1e} | {missed} | {end} |"
    ));
}

/// By ours, with `gap_level`; taking the sample of each step counts as part of it.
fn ours(pile: &Pile, tolerance: f64, span: Span, limit: f64) -> Outcome<Went> {
    let (world, start) = pile.built()?;
    let solve = Some(solve::Settings { tolerance, ..step::exact(&world) });
    let step =
        step::Settings { integrator: Integrator::GapLevel, solve, ..step::Settings::default() };
    let settings = run::Settings { dt: span.dt, sample_dt: span.dt, t_end: span.t_end, step };
    let (watched, _) = pile.built()?;
    let went = Went::new(Watch::new(watched, &start));
    let mut follower = Follower { went, clock: Instant::now(), limit, begin: None, failed: Ok(()) };
    let report = run::run(&world, &start, &settings, &mut follower, &mut ())?;
    follower.failed?;
    let mut went = follower.went;
    went.missed = Some(report.missed_steps);
    if let End::Failed(reason) = report.end {
        went.end = Some(reason.to_string());
    }
    Ok(went)
}

/// Takes in the state after each step and how long it took, until there is no time left.
struct Follower {
    went: Went,
    clock: Instant,
    limit: f64,
    /// When the step began, on the clock of the processor; none before the first.
    begin: Option<f64>,
    failed: Result<(), stickslip::Error>,
}

impl Observer for Follower {
    fn sample(&mut self, sample: &Sample<'_>) -> Flow {
        if let Some(begin) = self.begin {
            self.went.times.push(processor_time() - begin);
            let state = State { q: sample.q.to_vec(), u: sample.u.to_vec(), t: sample.t };
            self.failed = self.went.watch.see(&state);
        }
        if self.clock.elapsed().as_secs_f64() > self.limit {
            self.went.end = Some("out of time".to_owned());
        }
        self.begin = Some(processor_time());
        if self.failed.is_err() || self.went.end.is_some() { Flow::Stop } else { Flow::Continue }
    }

    fn event(&mut self, _: &Event) {}
}

/// By another program; the reason if it cannot be asked.
fn theirs(program: &Program, pile: &Pile, asked: &Asked<'_>) -> Outcome<Result<Went, String>> {
    let clock = Instant::now();
    let frames = match program.states(asked)? {
        Ok(frames) => frames,
        Err(NoEnd::Refused(why)) => return Ok(Err(why)),
        Err(NoEnd::Late | NoEnd::Lost) => Vec::new(),
    };
    let late = clock.elapsed() >= asked.limit;
    let (world, start) = pile.built()?;
    let mut went = Went::new(Watch::new(world, &start));
    for frame in &frames {
        went.times.push(frame.cpu);
        if went.watch.see(&frame.state).is_err() {
            went.end = Some("lost".to_owned());
            return Ok(Ok(went));
        }
    }
    if frames.len() < asked.steps() {
        went.end = Some(if late { "out of time" } else { "lost" }.to_owned());
    }
    Ok(Ok(went))
}
