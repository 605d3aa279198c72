//! Global problems of FCLib, brought to their local form.
//!
//! With J = [H G], the unknowns Λ = (r, λ) and ξ = (u, 0), M v = J Λ + f and ξ = Jᵀ v + (w, b) give ξ = W Λ + b' with
//! W = Jᵀ M⁻¹ J and b' = Jᵀ M⁻¹ f + (w, b). M falls apart into parts that share no entry, as a rule one per body; each is
//! factorised by itself and meets only the columns of J that touch it.

use super::{Entries, FclibError, Given, floats, part};
use hdf5_pure::File;
use stickslip::contact::block::{BlockLlt, BlockLu, BlockMatrix, FrontTree, SYMMETRIC};

/// Entries (row, column, value).
type List = Vec<(usize, usize, f64)>;

/// Reads the group `fclib_global`.
pub(super) fn read(file: &File) -> Result<Given, FclibError> {
    let m = Entries::read(file, "fclib_global/M")?;
    let mut j = Entries::read(file, "fclib_global/H")?;
    let f = floats(file, "fclib_global/vectors/f")?;
    let mut bias = floats(file, "fclib_global/vectors/w")?;
    let (n, rows) = (f.len(), bias.len());
    if (m.rows, m.cols, j.rows, j.cols) != (n, n, n, rows) {
        let reason = format!(
            "M is {} × {} and H is {} × {}; with {n} entries of f and {rows} of w they must be {n} × {n} and {n} × {rows}",
            m.rows, m.cols, j.rows, j.cols
        );
        return Err(part("fclib_global", reason));
    }
    if file.group("fclib_global/G").is_ok() {
        let g = Entries::read(file, "fclib_global/G")?;
        let b = floats(file, "fclib_global/vectors/b")?;
        if (g.rows, g.cols) != (n, b.len()) {
            let reason = format!(
                "is {} × {}; with {n} entries of f and {} of b it must be {n} × {}",
                g.rows,
                g.cols,
                b.len(),
                b.len()
            );
            return Err(part("fclib_global/G", reason));
        }
        j.list.extend(g.list.into_iter().map(|(r, c, x)| (r, rows + c, x)));
        bias.extend(b);
    }
    let entries = condense(n, m.list, &j.list, &f, &mut bias)?;
    Ok(Given { rows, entries, bias })
}

/// The entries of Jᵀ M⁻¹ J; adds Jᵀ M⁻¹ f to `bias`.
fn condense(
    n: usize,
    m: List,
    j: &[(usize, usize, f64)],
    f: &[f64],
    bias: &mut [f64],
) -> Result<List, FclibError> {
    let (part_of, mut parts) = parts(n, &m);
    // Places of the unknowns within their parts.
    let mut place = vec![0; n];
    for p in &parts {
        p.unknowns.iter().enumerate().for_each(|(k, &i)| place[i] = k);
    }
    for (r, c, x) in m {
        parts[part_of[r]].mass.push((place[r], place[c], x));
    }
    for &(r, c, x) in j {
        parts[part_of[r]].columns.push((c, place[r], x));
    }
    let mut entries = List::new();
    for p in parts {
        p.add_to(f, bias, &mut entries)?;
    }
    Ok(entries)
}

/// Velocities that M couples with each other and with no others.
#[derive(Default)]
struct Part {
    unknowns: Vec<usize>,
    mass: List,
    /// (column of J, place of the unknown, value).
    columns: List,
}

/// The part of each unknown, and the parts, in the order of their first unknowns.
fn parts(n: usize, m: &[(usize, usize, f64)]) -> (Vec<usize>, Vec<Part>) {
    let mut root: Vec<usize> = (0..n).collect();
    fn find(root: &mut [usize], mut i: usize) -> usize {
        while root[i] != i {
            root[i] = root[root[i]];
            i = root[i];
        }
        i
    }
    for &(r, c, _) in m {
        let (a, b) = (find(&mut root, r), find(&mut root, c));
        // The smallest unknown stands for its part.
        root[a.max(b)] = a.min(b);
    }
    let mut parts: Vec<Part> = Vec::new();
    let mut part_of = vec![0; n];
    for i in 0..n {
        let first = find(&mut root, i);
        if first == i {
            part_of[i] = parts.len();
            parts.push(Part::default());
        }
        part_of[i] = part_of[first];
        parts[part_of[i]].unknowns.push(i);
    }
    (part_of, parts)
}

impl Part {
    fn add_to(mut self, f: &[f64], bias: &mut [f64], entries: &mut List) -> Result<(), FclibError> {
        let n = self.unknowns.len();
        let mass = BlockMatrix::from_triplets(&vec![1; n], std::mem::take(&mut self.mass))?;
        let mut factors = Factors::of(&mass)
            .ok_or_else(|| part("fclib_global/M", "is not positive definite".to_owned()))?;
        self.columns.sort_by_key(|e| (e.0, e.1));
        let columns: Vec<&[(usize, usize, f64)]> =
            self.columns.chunk_by(|a, b| a.0 == b.0).collect();
        let dot = |column: &[(usize, usize, f64)], x: &[f64]| -> f64 {
            column.iter().map(|(_, k, value)| value * x[*k]).sum()
        };
        let mut x: Vec<f64> = self.unknowns.iter().map(|&i| f[i]).collect();
        factors.solve(&mut x);
        columns.iter().for_each(|column| bias[column[0].0] += dot(column, &x));
        for (c, column) in columns.iter().enumerate() {
            x.fill(0.0);
            column.iter().for_each(|(_, k, value)| x[*k] += value);
            factors.solve(&mut x);
            // With a symmetric M, W is symmetric to the last bit.
            let last = if factors.is_symmetric() { c + 1 } else { columns.len() };
            for (r, row) in columns[..last].iter().enumerate() {
                let (i, j, value) = (row[0].0, column[0].0, dot(row, &x));
                entries.push((i, j, value));
                if factors.is_symmetric() && r != c {
                    entries.push((j, i, value));
                }
            }
        }
        Ok(())
    }
}

enum Factors {
    Symmetric(BlockLlt),
    General(BlockLu),
}

impl Factors {
    /// None if M is singular, or symmetric and not positive definite.
    fn of(m: &BlockMatrix) -> Option<Self> {
        let tree = FrontTree::of(m);
        if m.asymmetry() <= SYMMETRIC {
            let mut llt = BlockLlt::default();
            return llt.factorise(&tree, m.offsets(), m).then_some(Self::Symmetric(llt));
        }
        let mut lu = BlockLu::default();
        lu.factorise(&tree, m.offsets(), m).then_some(Self::General(lu))
    }

    fn is_symmetric(&self) -> bool {
        matches!(self, Self::Symmetric(_))
    }

    fn solve(&mut self, x: &mut [f64]) {
        match self {
            Self::Symmetric(llt) => llt.solve(x),
            Self::General(lu) => lu.solve(x),
        }
    }
}
