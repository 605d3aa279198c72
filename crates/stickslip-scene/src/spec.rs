//! What a scene says about running it.

/// How to run. What a file leaves open is none, and is chosen by the one who runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunSpec {
    /// End time, above 0.
    pub t_end: Option<f64>,
    /// Length of a step, above 0; of the stepping integrators.
    pub dt: Option<f64>,
    /// One of [`INTEGRATORS`].
    pub integrator: Option<&'static str>,
    /// One of [`FORMULATIONS`].
    pub formulation: Option<&'static str>,
    /// One of [`SOLVERS`].
    pub solver: Option<&'static str>,
    /// θ of `moreau_jean`, from 0.5 to 1.
    pub theta: Option<f64>,
    /// One of [`IMPACTS`].
    pub impact: Option<&'static str>,
    /// Whether positions inside contacts are corrected.
    pub correction: Option<bool>,
    /// How many samples of the motion are kept, from 2 to 10 million.
    pub samples: Option<usize>,
}

/// The integrators a scene can name.
pub const INTEGRATORS: &[&str] = &["moreau_midpoint", "moreau_jean", "event_driven"];
/// The formulations a scene can name.
pub const FORMULATIONS: &[&str] = &["glocker_studer", "stewart_trinkle"];
/// The solvers a scene can name.
pub const SOLVERS: &[&str] =
    &["auto", "lemke", "principal_pivoting", "pgs", "newton", "interior_point"];
/// The impact laws a scene can name.
pub const IMPACTS: &[&str] = &["newton", "poisson"];

/// The most steps a scene may ask for.
pub const MOST_STEPS: f64 = 1e9;

/// In which direction a motion crosses a section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Crossing {
    /// The section's expression grows through zero.
    #[default]
    Rising,
    /// It falls through zero.
    Falling,
}

/// Where and how to look for a limit cycle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CycleSpec {
    /// An expression in coordinates, velocities and `t` that is zero on the Poincaré section.
    pub section: String,
    /// How the section is crossed.
    pub direction: Crossing,
    /// The coordinates that need not come back: their change over a period is reported.
    pub cyclic: Vec<usize>,
}

/// A phase portrait beside those that every run draws.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotSpec {
    /// The title, if it has one.
    pub title: Option<String>,
    /// What is drawn to the right, an expression of the state.
    pub x: String,
    /// What is drawn upwards.
    pub y: String,
}
