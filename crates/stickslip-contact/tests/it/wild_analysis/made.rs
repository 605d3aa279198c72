//! Wild problems, and what must be true of any answer.

use complementarity::Matrix;
use complementarity::linear::{Feasibility, LinearSystem};
use stickslip_contact::analysis::solutions::{Count, Settings, Solution, Solutions, all_solutions};
use stickslip_contact::set::ConvexSet;
use stickslip_contact::set::Polyhedron;
use stickslip_contact::{ContactProblem, Law};

/// Numbers that are the same on every machine.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }

    pub(super) fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }

    /// In (−1, 1).
    pub(super) fn unit(&mut self) -> f64 {
        self.below(1 << 30) as f64 / (1 << 29) as f64 - 1.0
    }

    pub(super) fn whole(&mut self) -> f64 {
        self.below(5) as f64 - 2.0
    }

    pub(super) fn wild(&mut self) -> f64 {
        let size =
            self.pick(&[0.0, 1e-320, 1e-300, 1e-150, 1e-12, 1.0, 1.0, 2.0, 1e12, 1e150, 1e300]);
        let sign = self.pick(&[1.0, -1.0]);
        size * sign * self.pick(&[1.0, 1.0 + f64::EPSILON, 0.3])
    }
}

/// A polygon that is nearly round.
pub(super) fn polygon(corners: usize, size: f64) -> ConvexSet {
    let at = |i: usize| {
        let angle = std::f64::consts::TAU * i as f64 / corners as f64;
        [size * angle.cos(), size * angle.sin()]
    };
    let points: Vec<[f64; 2]> = (0..corners).map(at).collect();
    ConvexSet::Polyhedron(Polyhedron::hull(&points).unwrap())
}

/// The ball in three dimensions by about this many corners.
pub(super) fn gem(rings: usize) -> ConvexSet {
    let mut points = vec![[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]];
    for i in 1..rings {
        let polar = std::f64::consts::PI * i as f64 / rings as f64;
        for j in 0..2 * rings {
            let angle = std::f64::consts::PI * (j as f64 + 0.1 * i as f64) / rings as f64;
            points.push([polar.sin() * angle.cos(), polar.sin() * angle.sin(), polar.cos()]);
        }
    }
    ConvexSet::Polyhedron(Polyhedron::hull(&points).unwrap())
}

/// Laws of every kind; friction is scaled by `mu`.
pub(super) fn laws(mu: f64) -> Vec<Law> {
    vec![
        Law::frictionless(),
        Law::coulomb(mu),
        Law::coulomb(mu).sliding_with([-1.0, 0.0, 0.0]),
        Law { radius: mu, ..Law::coulomb(0.0) },
        Law { radius: 0.3, ..Law::coulomb(mu) },
        Law::disc(mu),
        Law::disc(mu).sliding_with([0.6, -0.8, 0.0]),
        Law { radius: mu, ..Law::disc(0.0) },
        Law::with_set(mu, ConvexSet::Ellipsoid(vec![1.0, 0.4])),
        Law::with_set(mu, ConvexSet::Ellipsoid(vec![1.0, 0.7, 0.3])),
        Law::with_set(mu, ConvexSet::Mixed { ellipse: [1.0, 0.8], spin: 0.2 }),
        Law::with_set(mu, polygon(5, 1.0)),
        Law::bilateral(1),
        Law::bilateral(2),
        Law::dry(mu, ConvexSet::Interval),
        Law::dry(mu, ConvexSet::Disc),
    ]
}

/// Hᵀ D H, where entries of H and of the diagonal D come from functions.
pub(super) fn gram(
    n: usize,
    rows: usize,
    mut entry: impl FnMut() -> f64,
    mut weight: impl FnMut() -> f64,
) -> Matrix {
    let h: Vec<Vec<f64>> = (0..rows).map(|_| (0..n).map(|_| entry()).collect()).collect();
    let d: Vec<f64> = (0..rows).map(|_| weight().abs()).collect();
    Matrix::from_fn(n, n, |i, j| h.iter().zip(&d).map(|(r, d)| r[i] * r[j] * d).sum())
}

/// A problem from a number: most of what data can have wrong, and whether its numbers are of sizes that can be compared.
/// `None` where the constructor refuses it.
pub(super) fn problem(seed: u64) -> Option<(ContactProblem, bool)> {
    let mut random = Random(seed);
    let mu = random.pick(&[0.0, 1e-300, 1e-9, 0.5, 0.5, 1.0, 3.0, 1e6, 1e300]);
    let all = laws(mu);
    let contacts = random.below(4);
    let mut laws: Vec<Law> = (0..contacts).map(|_| random.pick(&all)).collect();
    let twice = random.below(4) == 0;
    if twice {
        laws = laws.iter().flat_map(|l| [l.clone(), l.clone()]).collect();
    }
    let n: usize = laws.iter().map(Law::components).sum();
    let kind = random.below(8);
    let rows = [0, 1, 2, n, n + 2, n, n, n][kind];
    let mut cells: Vec<f64> = (0..rows * n)
        .map(|_| match kind {
            0..=3 => random.whole(),
            7 => random.wild(),
            _ => random.unit(),
        })
        .collect();
    if twice {
        duplicate(&mut cells, &laws);
    }
    let mut entries = cells.into_iter();
    let mut weights = Random(seed ^ 77);
    let weight = || match kind {
        5 => 10.0_f64.powi(weights.below(13) as i32 - 6),
        6 => weights.wild(),
        _ => 1.0,
    };
    let w = gram(n, rows, || entries.next().unwrap_or(0.0), weight);
    let how = random.below(3);
    let mut b: Vec<f64> = (0..n)
        .map(|_| match how {
            0 => random.whole(),
            1 => random.unit(),
            _ => random.wild(),
        })
        .collect();
    if twice && random.below(2) == 0 {
        duplicate(&mut b, &laws);
    }
    let tame = kind <= 4 && how <= 1 && (0.1..=10.0).contains(&mu);
    ContactProblem::new(w, b, laws).ok().map(|problem| (problem, tame))
}

/// Makes every second contact of each row of numbers a copy of the one before.
fn duplicate(numbers: &mut [f64], laws: &[Law]) {
    let n: usize = laws.iter().map(Law::components).sum();
    for row in numbers.chunks_mut(n.max(1)) {
        let mut at = 0;
        for pair in laws.chunks(2) {
            let c = pair[0].components();
            (0..c).for_each(|i| row[at + c + i] = row[at + i]);
            at += 2 * c;
        }
    }
}

/// Whether impulses lie in a solution with vertices: a mean of vertices plus rays, to a share of the largest.
pub(super) fn is_member(s: &Solution, lam: &[f64], share: f64) -> bool {
    let (n, v) = (lam.len(), s.vertices.len());
    let columns = v + s.rays.len();
    let value = |i: usize, j: usize| if j < v { s.vertices[j][i] } else { s.rays[j - v][i] };
    let all = s.vertices.iter().chain(&s.rays).flatten().chain(lam);
    let size = all.fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
    // |Σ − Λ| ≤ share size in each component, weights that add to one.
    let a = Matrix::from_fn(2 * n + 1, columns, |i, j| match i {
        i if i < n => value(i, j) / size,
        i if i < 2 * n => -value(i - n, j) / size,
        _ => f64::from(j < v),
    });
    let mut b: Vec<f64> = (0..n).map(|i| share - lam[i] / size).collect();
    b.extend((0..n).map(|i| share + lam[i] / size));
    b.push(-1.0);
    let mut system = LinearSystem::default();
    system.load(&a, &b, |i| i == 2 * n).is_ok() && system.feasible() == Feasibility::Feasible
}

/// Whether a list holds impulses: as a member of a polyhedron, near a point, or with the velocities of a continuum.
pub(super) fn holds(problem: &ContactProblem, found: &Solutions, lam: &[f64], share: f64) -> bool {
    let mut xi = vec![0.0; lam.len()];
    problem.velocity_into(lam, &mut xi);
    let w = problem.delassus().to_dense();
    let terms = |lam: &[f64]| {
        let products = (0..lam.len()).flat_map(|i| w.row(i).iter().zip(lam).map(|(w, l)| w * l));
        products.fold(0.0_f64, |m, v| m.max(v.abs()))
    };
    let b = problem.bias().iter().fold(terms(lam), |m, b| m.max(b.abs()));
    found.solutions.iter().any(|s| {
        let size = b.max(terms(&s.impulse));
        let mut alike = s.velocity.iter().zip(&xi).map(|(a, b)| (a - b).abs() <= share * size);
        is_member(s, lam, share) || s.vertices.is_empty() && alike.all(|same| same)
    })
}

/// What holds for every answer.
pub(super) fn solutions_of(problem: &ContactProblem, settings: &Settings) -> Option<Solutions> {
    let found = all_solutions(problem, settings).ok()?;
    for s in &found.solutions {
        let all = std::iter::once(&s.impulse).chain(&s.vertices);
        for impulse in all {
            let worst = problem.certificate(impulse).unwrap().worst;
            assert!(worst <= settings.tolerance, "{worst} of {problem:?}");
        }
        assert!(s.basis.len() <= s.dimension, "{s:?} of {problem:?}");
    }
    if let Some(proof) = &found.proof {
        assert_eq!(proof.check(problem), Ok(()));
    }
    let none = found.solutions.is_empty() && found.is_complete();
    assert_eq!(found.proof.is_some(), none && settings.proof, "{problem:?}");
    assert_eq!(found.count() == Count::Exactly(0), none);
    assert!(found.statistics.nodes <= settings.max_nodes);
    Some(found)
}
