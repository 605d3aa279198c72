//! Everything that was found, as it is printed.

use super::theorem::TheoremFacts;
use crate::commands::proof;
use crate::commands::solve::components;
use crate::scene::Loaded;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use stickslip::analysis::state::{LevelAnalysis, StateAnalysis};
use stickslip::contact::ContactProblem;
use stickslip::contact::analysis::report::Analysis;
use stickslip::contact::analysis::solutions::{Cases, Count, Proof, Source, Term};
use stickslip::level::Level;

/// Vertices, rays and directions of one continuum that are printed.
const MOST_VECTORS: usize = 64;

#[derive(Debug, Serialize)]
pub(super) struct Facts {
    /// `scene` or `contact`.
    kind: &'static str,
    /// The scene or the file.
    pub(super) scene: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) t: Option<f64>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) state: BTreeMap<String, f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) touching: Option<Vec<Touching>>,
    /// The whole in a sentence or two.
    pub(super) verdict: String,
    pub(super) levels: Vec<LevelFacts>,
}

#[derive(Debug, Serialize)]
pub(super) struct Touching {
    pub(super) name: String,
    pub(super) gap: f64,
    /// How fast the gap opens.
    pub(super) opening: f64,
    pub(super) slip: f64,
}

#[derive(Debug, Serialize)]
pub(super) struct LevelFacts {
    /// `acceleration`, `step`, `impact` or `problem`.
    pub(super) level: &'static str,
    pub(super) contacts: Vec<String>,
    pub(super) components: Vec<Vec<String>>,
    /// `0`, `1`, …, `at least 2`, `infinite`.
    pub(super) count: String,
    pub(super) complete: bool,
    pub(super) incomplete: Option<String>,
    pub(super) solutions: Vec<SolutionFacts>,
    pub(super) proof: Option<Value>,
    /// Cases of the proof, each of which contradicts itself.
    pub(super) contradictions: Option<usize>,
    /// The proof as a sentence, where it is one sum of normal rows.
    pub(super) because: Option<String>,
    pub(super) rows: usize,
    /// The largest entry of b, beside which velocities may be rounding.
    #[serde(skip)]
    pub(super) bias: f64,
    pub(super) rank: Option<usize>,
    pub(super) matrix: Option<MatrixFacts>,
    pub(super) theorem: Option<TheoremFacts>,
    pub(super) sensitivity: Vec<super::slopes::SlopeFacts>,
    pub(super) left_out: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct SolutionFacts {
    pub(super) modes: Vec<&'static str>,
    pub(super) impulse: Vec<f64>,
    pub(super) velocity: Vec<f64>,
    /// u̇, or the change of u, of the scene's coordinates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) motion: Option<BTreeMap<String, f64>>,
    /// What an impact adds to the kinetic energy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) energy: Option<f64>,
    pub(super) certificate: f64,
    /// 0 for an isolated solution.
    pub(super) dimension: usize,
    pub(super) velocity_unique: bool,
    pub(super) proved: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) vertices: Vec<Vec<f64>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) rays: Vec<Vec<f64>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) basis: Vec<Vec<f64>>,
    pub(super) redundancy: Option<RedundancyFacts>,
}

#[derive(Debug, Serialize)]
pub(super) struct RedundancyFacts {
    pub(super) dimension: usize,
    pub(super) decided: bool,
    basis: Vec<Vec<f64>>,
}

#[derive(Debug, Serialize)]
pub(super) struct MatrixFacts {
    pub(super) name: &'static str,
    pub(super) classes: BTreeMap<String, String>,
    pub(super) consequences: Vec<String>,
}

impl Facts {
    pub(super) fn of_problem(file: &str, level: LevelFacts) -> Self {
        let verdict = sentence(&level);
        Self {
            kind: "contact",
            scene: file.to_owned(),
            t: None,
            state: BTreeMap::new(),
            touching: None,
            verdict,
            levels: vec![level],
        }
    }

    pub(super) fn of_state(loaded: &Loaded, analysis: &StateAnalysis) -> Self {
        let info = loaded.scene.info();
        let name = |c: usize| info.contacts[c].name.clone();
        let touching: Vec<Touching> = analysis
            .touching
            .iter()
            .filter_map(|t| {
                let (gap, name) = (t.gap?, name(t.contact));
                let [opening, slip] = t.velocity[..] else { return None };
                Some(Touching { name, gap, opening, slip })
            })
            .collect();
        let s = &analysis.state;
        let q = info.coordinates.iter().cloned().zip(s.q.iter().copied());
        let u = info.velocities.iter().cloned().zip(s.u.iter().copied());
        let state: BTreeMap<String, f64> = q.chain(u).collect();
        let levels: Vec<LevelFacts> = super::levels(analysis)
            .map(|posed| {
                let names: Vec<String> = posed.contacts.iter().map(|&c| name(c)).collect();
                LevelFacts::of_posed(posed, &names, &info.velocities)
            })
            .collect();
        let verdict = verdict(analysis, &levels);
        let (scene, t) = (loaded.scene.title.clone(), Some(s.t));
        Self { kind: "scene", scene, t, state, touching: Some(touching), verdict, levels }
    }
}

/// What is reported first.
fn verdict(analysis: &StateAnalysis, levels: &[LevelFacts]) -> String {
    if analysis.touching.is_empty() {
        return "No contact touches: the motion is free.".to_owned();
    }
    match analysis.jump {
        Some(jump) if jump > 0.0 => {
            return format!(
                "Accelerations have no solution, which is proved. The motion goes on by an impact without a collision, which \
                 changes velocities by up to {jump:.6} in no time."
            );
        }
        Some(_) => {
            return "Accelerations have no solution, which is proved, and impulses cannot change that: rigid bodies cannot \
                    go on from here."
                .to_owned();
        }
        None => {}
    }
    levels.iter().map(sentence).collect::<Vec<_>>().join(" ")
}

fn sentence(level: &LevelFacts) -> String {
    let what = match level.level {
        "acceleration" => "Accelerations",
        "step" => "The step",
        "impact" => "The impact",
        _ => "The problem",
    };
    let have = if level.level == "acceleration" { "have" } else { "has" };
    match level.count.as_str() {
        "0" => format!("{what} {have} no solution, which is proved."),
        "1" => format!("{what} {have} exactly one solution."),
        "at least 0" => {
            format!("{what} {have} no solution that was found; the search is not complete.")
        }
        "infinite" if !level.complete => format!(
            "{what} {have} infinitely many solutions; {} points and continua of them were found, perhaps not all.",
            level.solutions.len()
        ),
        "infinite" if level.solutions.iter().all(|s| s.velocity_unique) => {
            let n = level.solutions.len();
            let motions = if n == 1 { "one motion".to_owned() } else { format!("{n} motions") };
            format!(
                "{what} {have} infinitely many solutions: {motions}, with forces that are not unique."
            )
        }
        "infinite" => format!("{what} {have} infinitely many solutions, and motions."),
        "at least 1" => {
            format!("{what} {have} at least one solution; the search is not complete.")
        }
        count if !level.complete => {
            format!("{what} {have} {count} solutions; the search is not complete.")
        }
        count => format!("{what} {have} {count} solutions."),
    }
}

pub(super) fn count(count: Count) -> String {
    match count {
        Count::Exactly(n) => n.to_string(),
        Count::AtLeast(n) => format!("at least {n}"),
        Count::Infinite => "infinite".to_owned(),
    }
}

impl LevelFacts {
    fn of_posed(posed: &LevelAnalysis, names: &[String], velocities: &[String]) -> Self {
        let mut facts = Self::of_problem(&posed.problem, &posed.analysis, names);
        facts.level = match posed.level {
            Level::Acceleration(_) => "acceleration",
            Level::Step(_) => "step",
            Level::Impact => "impact",
        };
        for (i, s) in facts.solutions.iter_mut().enumerate() {
            let motion = posed.motions.get(i);
            s.motion = motion.map(|m| velocities.iter().cloned().zip(m.iter().copied()).collect());
            s.energy = posed.energy.get(i).copied();
        }
        facts
    }

    pub(super) fn of_problem(
        problem: &ContactProblem,
        analysis: &Analysis,
        names: &[String],
    ) -> Self {
        let all = &analysis.solutions;
        let few = |v: &[Vec<f64>]| v.iter().take(MOST_VECTORS).cloned().collect::<Vec<_>>();
        let solutions = all.solutions.iter().zip(&analysis.redundancy).map(|(s, r)| {
            let continuum = s.dimension > 0;
            SolutionFacts {
                modes: s.modes.iter().map(|m| m.name()).collect(),
                impulse: s.impulse.clone(),
                velocity: s.velocity.clone(),
                motion: None,
                energy: None,
                certificate: s.worst,
                dimension: s.dimension,
                velocity_unique: s.velocity_unique,
                proved: s.proved,
                vertices: if continuum { few(&s.vertices) } else { Vec::new() },
                rays: few(&s.rays),
                basis: few(&s.basis),
                redundancy: r.as_ref().map(|r| RedundancyFacts {
                    dimension: r.dimension,
                    decided: r.decided,
                    basis: r.basis.clone(),
                }),
            }
        });
        let left_out = analysis.left_out.iter().map(|l| format!("{}: {}", l.what, l.why));
        Self {
            level: "problem",
            contacts: names.to_vec(),
            components: problem.laws().iter().map(components).collect(),
            count: count(all.count()),
            complete: all.is_complete(),
            incomplete: all.incomplete.map(|why| why.to_string()),
            solutions: solutions.collect(),
            proof: all.proof.as_ref().map(proof::of_contact),
            contradictions: all.proof.as_ref().map(Proof::contradictions),
            because: all.proof.as_ref().and_then(|proof| because(proof, problem, names)),
            rows: analysis.rows,
            bias: crate::table::largest(problem.bias()),
            rank: analysis.rank,
            matrix: analysis.matrix.as_ref().map(|m| MatrixFacts {
                name: m.name,
                classes: m.classes.iter().map(|(c, v)| (c.to_string(), v.to_string())).collect(),
                consequences: m
                    .classes
                    .consequences()
                    .iter()
                    .map(|c| format!("{} ({}; {})", c.text, c.class, c.source))
                    .collect(),
            }),
            theorem: analysis.theorem.as_ref().map(TheoremFacts::new),
            sensitivity: Vec::new(),
            left_out: left_out.collect(),
        }
    }
}

/// "ξ_N of left + ξ_N of right is negative, whatever the forces", if the proof is that.
fn because(proof: &Proof, problem: &ContactProblem, names: &[String]) -> Option<String> {
    let Cases::Contradiction { terms } = &proof.cases else { return None };
    // The friction of contacts that slide is known: its rows only say what the velocities are made of.
    let own = || terms.iter().filter(|t| !matches!(t.row, Source::Known { .. }));
    let largest = own().fold(0.0_f64, |m, t| m.max(t.multiplier.to_f64()));
    let part = |t: &Term| match t.row {
        Source::Velocity { row } if t.multiplier.to_f64() > 0.0 => {
            let name = names.get(normal_of(problem, row)?)?;
            Some(match t.multiplier.to_f64() / largest {
                1.0 => format!("ξ_N of {name}"),
                share => format!("{share:.4} ξ_N of {name}"),
            })
        }
        _ => None,
    };
    let parts: Option<Vec<String>> = own().map(part).collect();
    Some(format!("{} is negative, whatever the forces", parts?.join(" + ")))
}

/// The contact that has its normal in this row.
fn normal_of(problem: &ContactProblem, row: usize) -> Option<usize> {
    let is_normal =
        |&c: &usize| problem.rows(c).start == row && problem.laws()[c].kind.normals() == 1;
    (0..problem.contacts()).find(is_normal)
}
