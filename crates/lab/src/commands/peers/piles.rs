//! Piles by other programs beside ours: the same bodies, steps and measures.

use super::Options;
use std::error::Error;
use std::time::Instant;
use stickslip::contact::solve;
use stickslip::step::{self, Integrator, StepStatus, Stepper};
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
    /// Why it has no more steps.
    end: Option<String>,
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
    tables.add("| pile | program | settings | ms per step | slowest step, ms | deepest penetration, m | largest rise of energy in a step, J | end |");
    tables.add("|---|---|---|---:|---:|---:|---:|---|");
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
                        "| {name} | {} | {settings} | – | – | – | – | {why} |",
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
    tables.add(&format!(
        "| {pile} | {program} | {settings} | {mean:.2} | {slowest:.1} | {deepest:.1e} | {rise:.1e} | {end} |"
    ));
}

/// By ours, with `gap_level`.
fn ours(pile: &Pile, tolerance: f64, span: Span, limit: f64) -> Outcome<Went> {
    let (world, mut state) = pile.built()?;
    let solve = Some(solve::Settings { tolerance, ..step::exact(&world) });
    let settings =
        step::Settings { integrator: Integrator::GapLevel, solve, ..step::Settings::default() };
    let mut stepper = Stepper::new(&world, settings)?;
    let (watched, start) = pile.built()?;
    let mut went = Went { times: Vec::new(), watch: Watch::new(watched, &start), end: None };
    let clock = Instant::now();
    for _ in 0..(span.t_end / span.dt).round() as usize {
        if clock.elapsed().as_secs_f64() > limit {
            went.end = Some("out of time".to_owned());
            break;
        }
        let begin = processor_time();
        let status = stepper.step(&world, &mut state, span.dt, &mut ())?;
        went.times.push(processor_time() - begin);
        if status != StepStatus::Done {
            went.end = Some("not solved".to_owned());
            break;
        }
        went.watch.see(&state)?;
    }
    Ok(went)
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
    let mut went = Went { times: Vec::new(), watch: Watch::new(world, &start), end: None };
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
