//! All solutions of a state or a contact problem, and what else is known of it.

use super::slopes::SlopeFacts;
use super::theorem::TheoremFacts;
use super::{components, largest, proof};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use stickslip::SystemInfo;
use stickslip::analysis::state::{LevelAnalysis, StateAnalysis};
use stickslip::contact::ContactProblem;
use stickslip::contact::analysis::report::Analysis;
use stickslip::contact::analysis::solutions::{Cases, Count, Proof, Source, Term};
use stickslip::level::Level;

/// Vertices, rays and directions of one continuum that are printed.
const MOST_VECTORS: usize = 64;

/// What is known of a state or of a contact problem.
#[derive(Debug, Serialize)]
pub struct Facts {
    /// `scene` or `contact`.
    kind: &'static str,
    /// The scene or the file.
    pub scene: String,
    /// The time of the state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t: Option<f64>,
    /// The state by names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub state: BTreeMap<String, f64>,
    /// The contacts that touch there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub touching: Option<Vec<Touching>>,
    /// The whole in a sentence or two.
    pub verdict: String,
    /// What there is to be solved at the state: forces, impulses of a step, of an impact; or the problem itself.
    pub levels: Vec<LevelFacts>,
}

/// A contact that touches.
#[derive(Debug, Serialize)]
pub struct Touching {
    /// Its name.
    pub name: String,
    /// Its gap.
    pub gap: f64,
    /// How fast the gap opens.
    pub opening: f64,
    /// The velocity of its slip.
    pub slip: f64,
}

/// All that is known of one contact problem.
#[derive(Debug, Serialize)]
pub struct LevelFacts {
    /// `acceleration`, `step`, `impact` or `problem`.
    pub level: &'static str,
    /// The contacts that participate, by name.
    pub contacts: Vec<String>,
    /// The names of the components of each.
    pub components: Vec<Vec<String>>,
    /// `0`, `1`, …, `at least 2`, `infinite`.
    pub count: String,
    /// Whether all solutions were found.
    pub complete: bool,
    /// Why perhaps not.
    pub incomplete: Option<String>,
    /// The solutions, or one of each continuum.
    pub solutions: Vec<SolutionFacts>,
    /// The proof that there is none.
    pub proof: Option<Value>,
    /// Cases of the proof, each of which contradicts itself.
    pub contradictions: Option<usize>,
    /// The proof as a sentence, where it is one sum of normal rows.
    pub because: Option<String>,
    /// The rows of W.
    pub rows: usize,
    /// The largest entry of b, beside which velocities may be rounding.
    #[serde(skip)]
    pub bias: f64,
    /// The rank of W.
    pub rank: Option<usize>,
    /// The classes of the matrix of its linear complementarity problem.
    pub matrix: Option<MatrixFacts>,
    /// What theorem 1 (Pang and Trinkle) says of it.
    pub theorem: Option<TheoremFacts>,
    /// Derivatives that were asked for.
    pub sensitivity: Vec<SlopeFacts>,
    /// What was not looked at, and why.
    pub left_out: Vec<String>,
}

/// A solution, or one of a continuum of them.
#[derive(Debug, Serialize)]
pub struct SolutionFacts {
    /// What each contact does.
    pub modes: Vec<&'static str>,
    /// The impulses or forces, the components of each contact in turn.
    pub impulse: Vec<f64>,
    /// The velocities or accelerations of the contacts.
    pub velocity: Vec<f64>,
    /// u̇, or the change of u, of the scene's coordinates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motion: Option<BTreeMap<String, f64>>,
    /// What an impact adds to the kinetic energy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<f64>,
    /// How far it is from the laws.
    pub certificate: f64,
    /// 0 for an isolated solution.
    pub dimension: usize,
    /// Whether all solutions of its continuum have the same velocity.
    pub velocity_unique: bool,
    /// Whether exact arithmetic confirms it.
    pub proved: bool,
    /// Corners of the impulses of its continuum.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub vertices: Vec<Vec<f64>>,
    /// Directions in which it is unbounded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rays: Vec<Vec<f64>>,
    /// Directions that span it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub basis: Vec<Vec<f64>>,
    /// How far impulses with these velocities are not unique.
    pub redundancy: Option<RedundancyFacts>,
}

/// Impulses with the same velocities.
#[derive(Debug, Serialize)]
pub struct RedundancyFacts {
    /// The dimension of those that obey the laws.
    pub dimension: usize,
    /// Whether the dimension is certain; if not, it is a lower bound.
    pub decided: bool,
    basis: Vec<Vec<f64>>,
}

/// The classes of a matrix.
#[derive(Debug, Serialize)]
pub struct MatrixFacts {
    /// Which matrix.
    pub name: &'static str,
    /// The verdict on each class.
    pub classes: BTreeMap<String, String>,
    /// What follows for every b.
    pub consequences: Vec<String>,
}

impl Facts {
    /// Of a contact problem from a file.
    #[must_use]
    pub fn of_problem(file: &str, level: LevelFacts) -> Self {
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

    /// Of a state of a scene or system with this title and these names.
    #[must_use]
    pub fn of_state(title: &str, info: &SystemInfo, analysis: &StateAnalysis) -> Self {
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
        let levels: Vec<LevelFacts> = levels(analysis)
            .map(|posed| {
                let names: Vec<String> = posed.contacts.iter().map(|&c| name(c)).collect();
                LevelFacts::of_posed(posed, &names, &info.velocities)
            })
            .collect();
        let verdict = verdict(analysis, &levels);
        let (scene, t) = (title.to_owned(), Some(s.t));
        Self { kind: "scene", scene, t, state, touching: Some(touching), verdict, levels }
    }
}

/// The levels of a state, in the order in which they are reported.
pub fn levels(analysis: &StateAnalysis) -> impl Iterator<Item = &LevelAnalysis> {
    analysis.accelerations.iter().chain(&analysis.impact).chain(std::iter::once(&analysis.step))
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

fn count(count: Count) -> String {
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

    /// Of a contact problem whose contacts have these names.
    #[must_use]
    pub fn of_problem(problem: &ContactProblem, analysis: &Analysis, names: &[String]) -> Self {
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
            bias: largest(problem.bias()),
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
