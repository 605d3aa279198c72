//! Contact problems as FCLib keeps them in HDF5 files: local problems, and global ones, which are only read.
//!
//! FCLib (the frictional contact library, <https://frictionalcontactlibrary.github.io>) is a collection of contact problems
//! for comparing solvers. A local problem is û = W r + V λ + q with friction, Vᵀ r + R λ + s = 0; a global one is
//! M v = H r + G λ + f, u = Hᵀ v + w, Gᵀ v + b = 0 (see `global`).
//!
//! | place | content |
//! |---|---|
//! | `/fclib_local/spacedim` | 2 or 3: contacts with N, T or with N, T, O |
//! | `/fclib_local/W` | W as `m`, `n`, `nzmax`, `nz`, `p`, `i`, `x` |
//! | `/fclib_local/vectors/q`, `mu` | b; one coefficient of friction per contact |
//! | `/fclib_local/V`, `R`, `vectors/s` | if there are bilateral constraints |
//! | `/fclib_global/spacedim` | the same |
//! | `/fclib_global/M`, `H` | M and H as W |
//! | `/fclib_global/vectors/f`, `w`, `mu` | f; w; one coefficient of friction per contact |
//! | `/fclib_global/G`, `vectors/b` | if there are bilateral constraints |
//!
//! `nz` says how a matrix is stored: −2 by rows (`p` their starts, `i` the columns), −1 by columns, else as that many triplets
//! (`p` rows, `i` columns). Bilateral rows become connections of up to six components after the contacts.

mod global;

use hdf5_pure::{File, FileBuilder, GroupBuilder};
use std::fs;
use std::path::{Path, PathBuf};
use stickslip::contact::ContactProblem;
use stickslip::contact::block::BlockMatrix;
use stickslip::contact::{Delassus, Kind, Law};

/// Problems with at most this many rows get a dense W, which the planar formulations take.
const DENSE: usize = 200;
/// The most components of one bilateral connection.
const MOST: usize = 6;
/// The first bytes of every HDF5 file.
const SIGNATURE: &[u8; 8] = b"\x89HDF\r\n\x1a\n";

/// Why a file is not a problem of FCLib, or a problem cannot be one.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FclibError {
    /// The file cannot be read or written.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// HDF5 that cannot be read, or a part that is missing.
    #[error(
        "{place}: {reason}; a problem of FCLib is needed, with W, vectors/q and vectors/mu in /fclib_local or M, H, vectors/f, vectors/w and vectors/mu in /fclib_global"
    )]
    Part {
        /// The place in the file.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A law that FCLib does not have.
    #[error("contact {contact} has {what}, which FCLib does not know; save the problem as JSON")]
    Law {
        /// The contact.
        contact: usize,
        /// What it has.
        what: &'static str,
    },
    /// FCLib has one matrix V for both triangles.
    #[error(
        "row {row} of W is not symmetric to column {row} between contacts and connections, which FCLib cannot hold; save the problem as JSON"
    )]
    Coupling {
        /// The row.
        row: usize,
    },
    /// The numbers do not make a contact problem.
    #[error(transparent)]
    Problem(#[from] stickslip::contact::Error),
}

/// Whether these bytes begin as an HDF5 file does.
#[must_use]
pub fn is_hdf5(bytes: &[u8]) -> bool {
    bytes.starts_with(SIGNATURE)
}

/// Reads a local or a global problem from a file; of a file with both, the local one. W is kept as it is, symmetric or not.
///
/// # Errors
/// If the file cannot be read or is not a problem of FCLib, or if M of a global one is not positive definite.
pub fn read_fclib(path: &Path) -> Result<ContactProblem, FclibError> {
    let bytes = fs::read(path)
        .map_err(|e| FclibError::File { path: path.to_owned(), reason: e.to_string() })?;
    from_fclib(bytes)
}

/// Reads a local or a global problem from the bytes of an HDF5 file.
///
/// # Errors
/// As [`read_fclib`].
pub fn from_fclib(bytes: Vec<u8>) -> Result<ContactProblem, FclibError> {
    let file = File::from_bytes(bytes).map_err(|e| part("/", e.to_string()))?;
    let is_global = file.group("fclib_local").is_err() && file.group("fclib_global").is_ok();
    let (root, given) = if is_global {
        ("fclib_global", global::read(&file)?)
    } else {
        ("fclib_local", read_local(&file)?)
    };
    let mut laws = contact_laws(&file, root)?;
    let needed = laws.iter().map(Law::components).sum::<usize>();
    let Given { rows, entries, bias } = given;
    if rows != needed {
        let count = laws.len();
        let reason = format!(
            "it has {rows} rows of contacts, and mu has {count} entries, for which {needed} rows are needed"
        );
        return Err(part(root, reason));
    }
    let n = bias.len() - rows;
    laws.extend((0..n).step_by(MOST).map(|i| Law::bilateral(MOST.min(n - i))));
    let sizes: Vec<usize> = laws.iter().map(Law::components).collect();
    let blocks = BlockMatrix::from_triplets(&sizes, entries)?;
    let w: Delassus = if blocks.rows() <= DENSE { blocks.to_dense().into() } else { blocks.into() };
    Ok(ContactProblem::new(w, bias, laws)?)
}

/// W and b of contacts, then of bilateral constraints.
struct Given {
    /// Rows of contacts.
    rows: usize,
    entries: Vec<(usize, usize, f64)>,
    bias: Vec<f64>,
}

fn contact_laws(file: &File, root: &str) -> Result<Vec<Law>, FclibError> {
    let place = format!("{root}/spacedim");
    let law = match integer(file, &place)? {
        2 => Law::coulomb,
        3 => Law::disc,
        other => return Err(part(&place, format!("is {other}; it must be 2 or 3"))),
    };
    Ok(floats(file, &format!("{root}/vectors/mu"))?.into_iter().map(law).collect())
}

/// Reads the group `fclib_local`.
fn read_local(file: &File) -> Result<Given, FclibError> {
    let w = Entries::read(file, "fclib_local/W")?;
    let mut bias = floats(file, "fclib_local/vectors/q")?;
    let rows = bias.len();
    if (w.rows, w.cols) != (rows, rows) {
        let reason = format!("W is {} × {}, and q has {rows} entries", w.rows, w.cols);
        return Err(part("fclib_local", reason));
    }
    let mut entries = w.list;
    if file.group("fclib_local/V").is_ok() {
        let (v, r) = (Entries::read(file, "fclib_local/V")?, Entries::read(file, "fclib_local/R")?);
        let s = floats(file, "fclib_local/vectors/s")?;
        let n = s.len();
        if (v.rows, v.cols, r.rows, r.cols) != (rows, n, n, n) {
            let reason = format!(
                "V is {} × {} and R is {} × {}; with {n} entries of s they must be {rows} × {n} and {n} × {n}",
                v.rows, v.cols, r.rows, r.cols
            );
            return Err(part("fclib_local/V", reason));
        }
        for (i, j, x) in v.list {
            entries.extend([(i, rows + j, x), (rows + j, i, x)]);
        }
        entries.extend(r.list.into_iter().map(|(i, j, x)| (rows + i, rows + j, x)));
        bias.extend(s);
    }
    Ok(Given { rows, entries, bias })
}

/// Writes a local problem; an older file of that name is replaced.
///
/// Restitution is not kept as such: b contains its effect.
///
/// # Errors
/// If the file cannot be written, or FCLib does not know a law: contacts must all be planar or all have isotropic
/// friction in space, without a constant part and not given as sliding; connections come last.
pub fn write_fclib(problem: &ContactProblem, path: &Path) -> Result<(), FclibError> {
    let bytes = to_fclib(problem)?;
    fs::write(path, bytes)
        .map_err(|e| FclibError::File { path: path.to_owned(), reason: e.to_string() })
}

/// The bytes of an HDF5 file with a local problem.
///
/// # Errors
/// As [`write_fclib`].
pub fn to_fclib(problem: &ContactProblem) -> Result<Vec<u8>, FclibError> {
    let (contacts, dimension) = spacedim(problem)?;
    let rows = contacts * dimension;
    let n = problem.bias().len();
    let w = problem.delassus();
    let entry_list = match w.as_blocks() {
        Some(blocks) => triplets(blocks),
        None => {
            let m = w.to_dense();
            let all = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
            let all = all.map(|(i, j)| (i, j, m.row(i)[j]));
            all.filter(|e| e.2 != 0.0).collect::<Vec<_>>()
        }
    };
    check_coupling(&entry_list, rows)?;
    let mut file = FileBuilder::new();
    let mut root = file.create_group("fclib_local");
    integers(&mut root, "spacedim", &[dimension as i32]);
    let part_of = |is_row: bool, is_col: bool| {
        let keep = move |e: &&(usize, usize, f64)| (e.0 < rows) == is_row && (e.1 < rows) == is_col;
        let shift = |k: usize, inside: bool| if inside { k } else { k - rows };
        let list = entry_list.iter().filter(keep);
        let list = list.map(|&(i, j, x)| (shift(i, is_row), shift(j, is_col), x)).collect();
        let size = |inside: bool| if inside { rows } else { n - rows };
        Entries { rows: size(is_row), cols: size(is_col), list }
    };
    part_of(true, true).write(&mut root, "W")?;
    let mut vectors = root.create_group("vectors");
    vectors.create_dataset("q").with_f64_data(&problem.bias()[..rows]);
    let mu: Vec<f64> = problem.laws()[..contacts].iter().map(|l| l.mu).collect();
    vectors.create_dataset("mu").with_f64_data(&mu);
    if n > rows {
        part_of(true, false).write(&mut root, "V")?;
        part_of(false, false).write(&mut root, "R")?;
        vectors.create_dataset("s").with_f64_data(&problem.bias()[rows..]);
    }
    root.add_group(vectors.finish());
    file.add_group(root.finish());
    file.finish().map_err(|e| part("/", e.to_string()))
}

/// Refuses a W whose parts between contacts and connections do not mirror each other.
fn check_coupling(entries: &[(usize, usize, f64)], rows: usize) -> Result<(), FclibError> {
    let mut above: Vec<_> = entries.iter().filter(|e| e.0 < rows && e.1 >= rows).copied().collect();
    let below = entries.iter().filter(|e| e.0 >= rows && e.1 < rows);
    let mut below: Vec<_> = below.map(|&(i, j, x)| (j, i, x)).collect();
    above.sort_by_key(|e| (e.0, e.1));
    below.sort_by_key(|e| (e.0, e.1));
    let differs = above.iter().zip(&below).find(|(a, b)| a != b).map(|(a, b)| a.0.min(b.0));
    let longer = if above.len() > below.len() { &above } else { &below };
    let unmatched = longer.get(above.len().min(below.len())).map(|e| e.0);
    differs.or(unmatched).map_or(Ok(()), |row| Err(FclibError::Coupling { row }))
}

/// How many contacts come before the connections, and their components.
fn spacedim(problem: &ContactProblem) -> Result<(usize, usize), FclibError> {
    let is_bilateral = |l: &Law| matches!(l.kind, Kind::Bilateral(_));
    let laws = problem.laws();
    let contacts = laws.iter().position(is_bilateral).unwrap_or(laws.len());
    let first = laws.first().map_or(&Kind::Disc, |l| &l.kind);
    for (contact, law) in laws.iter().enumerate() {
        let refuse = |what| Err(FclibError::Law { contact, what });
        match (&law.kind, contact < contacts) {
            (Kind::Bilateral(_), _) => continue,
            (_, false) => return refuse("a place after a connection"),
            (Kind::Planar | Kind::Disc, _) if law.kind == *first => {}
            (Kind::Planar | Kind::Disc, _) => return refuse("another dimension than the first"),
            _ => return refuse("a friction set of its own, or none"),
        }
        if law.radius != 0.0 {
            return refuse("friction that does not depend on the load");
        }
        if law.distinct_static().is_some() {
            return refuse("a static coefficient of friction");
        }
        if law.curve().is_some() {
            return refuse("a coefficient of friction that depends on the slip speed");
        }
        if law.sliding.is_some() {
            return refuse("a given slip");
        }
    }
    Ok((contacts, if *first == Kind::Planar { 2 } else { 3 }))
}

fn triplets(m: &BlockMatrix) -> Vec<(usize, usize, f64)> {
    let mut list = Vec::new();
    for i in 0..m.len() {
        for (j, block) in m.row(i) {
            let n = m.size(j).max(1);
            for (e, &x) in block.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                list.push((m.offset(i) + e / n, m.offset(j) + e % n, x));
            }
        }
    }
    list
}

/// A sparse matrix as a list of (row, column, value).
struct Entries {
    rows: usize,
    cols: usize,
    list: Vec<(usize, usize, f64)>,
}

impl Entries {
    fn read(file: &File, place: &str) -> Result<Self, FclibError> {
        let at = |name: &str| format!("{place}/{name}");
        let size = |name: &str| -> Result<usize, FclibError> {
            let n = integer(file, &at(name))?;
            usize::try_from(n).map_err(|_| part(&at(name), format!("is {n}")))
        };
        let (rows, cols, nz) = (size("m")?, size("n")?, integer(file, &at("nz"))?);
        let (p, i, x) =
            (indices(file, &at("p"))?, indices(file, &at("i"))?, floats(file, &at("x"))?);
        let list = match nz {
            -2 => expand(&p, &i, &x, rows).map(|l| l.into_iter().collect()),
            -1 => expand(&p, &i, &x, cols)
                .map(|l| l.into_iter().map(|(c, r, x)| (r, c, x)).collect::<Vec<_>>()),
            n => usize::try_from(n)
                .ok()
                .filter(|&n| p.len() >= n && i.len() >= n && x.len() >= n)
                .map(|n| (0..n).map(|k| (p[k], i[k], x[k])).collect()),
        };
        let fits = |l: &Vec<(usize, usize, f64)>| l.iter().all(|e| e.0 < rows && e.1 < cols);
        let Some(list) = list.filter(fits) else {
            let reason = format!(
                "nz is {nz}, with {} entries of p, {} of i and {} of x that do not fit a matrix {rows} × {cols}",
                p.len(),
                i.len(),
                x.len()
            );
            return Err(part(place, reason));
        };
        Ok(Self { rows, cols, list })
    }

    /// By rows, as FCLib does itself.
    fn write(mut self, parent: &mut GroupBuilder, name: &str) -> Result<(), FclibError> {
        self.list.sort_by_key(|e| (e.0, e.1));
        let too_large =
            |_| part(name, "has more entries than FCLib's 32-bit integers count".to_owned());
        let int = |k: usize| i32::try_from(k).map_err(too_large);
        let mut starts = vec![0; self.rows + 1];
        for e in &self.list {
            starts[e.0 + 1] += 1;
        }
        for r in 0..self.rows {
            starts[r + 1] += starts[r];
        }
        let p = starts.into_iter().map(int).collect::<Result<Vec<_>, _>>()?;
        let i = self.list.iter().map(|e| int(e.1)).collect::<Result<Vec<_>, _>>()?;
        let x: Vec<f64> = self.list.iter().map(|e| e.2).collect();
        let mut group = parent.create_group(name);
        integers(&mut group, "nzmax", &[int(x.len())?]);
        integers(&mut group, "m", &[int(self.rows)?]);
        integers(&mut group, "n", &[int(self.cols)?]);
        integers(&mut group, "nz", &[-2]);
        integers(&mut group, "p", &p);
        integers(&mut group, "i", &i);
        group.create_dataset("x").with_f64_data(&x);
        parent.add_group(group.finish());
        Ok(())
    }
}

/// (line, index, value) of a matrix stored by lines; none if the starts do not rise or the lists are too short.
fn expand(p: &[usize], i: &[usize], x: &[f64], lines: usize) -> Option<Vec<(usize, usize, f64)>> {
    if p.len() < lines + 1 {
        return None;
    }
    let mut list = Vec::new();
    for (line, ends) in p[..=lines].windows(2).enumerate() {
        let (i, x) = (i.get(ends[0]..ends[1])?, x.get(ends[0]..ends[1])?);
        list.extend(i.iter().zip(x).map(|(&i, &x)| (line, i, x)));
    }
    Some(list)
}

fn part(place: &str, reason: String) -> FclibError {
    FclibError::Part { place: place.to_owned(), reason }
}

fn integers(group: &mut GroupBuilder, name: &str, values: &[i32]) {
    group.create_dataset(name).with_i32_data(values);
}

fn integer(file: &File, place: &str) -> Result<i32, FclibError> {
    let values = file.dataset(place).and_then(|d| d.read_i32());
    let values = values.map_err(|e| part(place, e.to_string()))?;
    values.first().copied().ok_or_else(|| part(place, "is empty".to_owned()))
}

fn indices(file: &File, place: &str) -> Result<Vec<usize>, FclibError> {
    let values = file.dataset(place).and_then(|d| d.read_i32());
    let values = values.map_err(|e| part(place, e.to_string()))?;
    let index = |v: i32| usize::try_from(v).map_err(|_| part(place, format!("has the entry {v}")));
    values.into_iter().map(index).collect()
}

fn floats(file: &File, place: &str) -> Result<Vec<f64>, FclibError> {
    let values = file.dataset(place).and_then(|d| d.read_f64());
    values.map_err(|e| part(place, e.to_string()))
}
