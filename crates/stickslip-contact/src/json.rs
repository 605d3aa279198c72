//! Contact problems as JSON text:
//!
//! ```json
//! {"kind":"contact","delassus":[[1,0,0],[0,1,0],[0,0,1]],"bias":[-2,1,0],"contacts":[{"mu":0.5,"friction":"disc"}]}
//! ```
//!
//! `delassus` is dense, or sparse as `{"n":…,"rows":[…],"cols":[…],"values":[…]}` with both triangles, or W = AᵀA by bodies as
//! `{"bodies":…,"links":[[0,1],[1,null],…],"rows":[[[…],[…]],…]}`: the two bodies of each contact, `null` for what does not move, and per
//! component six numbers of A for the first and six for the second body. Contacts stand one
//! after the other, the components of each in the order N, T, O, R. The friction of a contact is
//!
//! | `friction` | components |
//! |---|---|
//! | `"none"` | N |
//! | `"planar"` | N, T |
//! | `"disc"` | N, T, O |
//! | `{"ellipsoid":[e_t,…]}` with one to three semi-axes | N and as many |
//! | `{"polygon":[[t,o],…]}`, its corners | N, T, O |
//! | `{"polyhedron":[[a_t,…],…]}`, the rows a of a·c ≤ 1 | N and as many |
//! | `{"mixed":{"ellipse":[e_t,e_o],"spin":e_r}}` | N, T, O, R |
//! | `{"uniform_disc":R}`, the exact limit surface under uniform pressure | N, T, O, R |
//! | `{"bilateral":n}` | n |
//! | `{"dry":F}` with F one of the above but `"none"` and `bilateral`: friction of the size `radius`, no normal | T, and so on |
//!
//! Without it, it is `"planar"` in a problem with `"dimension":2`, which is the default, and `"disc"` with `"dimension":3`.
//! `mu` is a number, or depends on the slip speed: `{"stribeck":{"static":0.4,"kinetic":0.2,"speed":0.01}}` (also `exponent`,
//! default 1, and `viscous`, default 0: μ_k + (μ_s − μ_k) exp(−(s/v)^δ) + c s), or `{"table":[[0,0.4],[0.1,0.2]]}`, straight lines between
//! points (s, μ).
//! A contact may also have a `name`, which is for people and not kept, `mu_static`, the coefficient of friction where it does not slip (default `mu`), `radius`, `eps_n`, `eps_t` (default 0) and, on the level of accelerations, `sliding`: the
//! velocity with which it slides (one number in the plane; only the direction counts).
//!
//! Numbers are written so that reading them gives the same bits.

use super::{ContactProblem, Delassus, Kind, Law};
use crate::Error;
use crate::block::BlockMatrix;
use crate::body_rows::{BodyRows, NONE, Six};
use crate::curve::{FrictionCurve, SlipDependence, Stribeck};
use crate::set::ConvexSet;
use crate::set::{Polyhedron, UniformDisc};
use complementarity::Matrix;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::any::Any;
use std::sync::Arc;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    kind: KindText,
    #[serde(default = "planar")]
    dimension: u32,
    delassus: DelassusText,
    bias: Vec<f64>,
    contacts: Vec<LawText>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum KindText {
    Contact,
}

#[derive(Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "delassus must be a list of rows, {\"n\",\"rows\",\"cols\",\"values\"}, or {\"bodies\",\"links\",\"rows\"}"
)]
enum DelassusText {
    Dense(Vec<Vec<f64>>),
    Sparse(SparseText),
    Bodies(BodiesText),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BodiesText {
    bodies: usize,
    links: Vec<[Option<usize>; 2]>,
    rows: Vec<[Six; 2]>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SparseText {
    n: usize,
    rows: Vec<usize>,
    cols: Vec<usize>,
    values: Vec<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LawText {
    /// For people; read and not kept.
    #[serde(default, skip_serializing)]
    #[allow(dead_code, reason = "a name is allowed, and nothing depends on it")]
    name: Option<String>,
    #[serde(default)]
    mu: MuText,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mu_static: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    friction: Option<FrictionText>,
    #[serde(default, skip_serializing_if = "is_zero")]
    radius: f64,
    #[serde(default, skip_serializing_if = "is_zero")]
    eps_n: f64,
    #[serde(default, skip_serializing_if = "is_zero")]
    eps_t: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sliding: Option<SlidingText>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rho: Option<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "mu must be a number, {\"stribeck\":{\"static\",\"kinetic\",\"speed\"}} or {\"table\":[[0,mu],…]}"
)]
enum MuText {
    Number(f64),
    Curve(CurveText),
}

impl Default for MuText {
    fn default() -> Self {
        Self::Number(0.0)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum CurveText {
    Stribeck(Stribeck),
    Table(Vec<[f64; 2]>),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum FrictionText {
    None,
    Planar,
    Disc,
    Ellipsoid(Vec<f64>),
    Polygon(Vec<[f64; 2]>),
    Polyhedron(Vec<Vec<f64>>),
    Mixed(MixedText),
    UniformDisc(f64),
    Bilateral(usize),
    Dry(Box<FrictionText>),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MixedText {
    ellipse: [f64; 2],
    spin: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "sliding must be a number or a list of numbers")]
enum SlidingText {
    Planar(f64),
    Spatial(Vec<f64>),
}

fn planar() -> u32 {
    2
}

fn is_zero(x: &f64) -> bool {
    *x == 0.0
}

impl ContactProblem {
    /// Reads a problem; a mistake is reported with its line and column, bad numbers by index.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let text: Text = serde_json::from_str(text).map_err(|e| Error::Json(e.to_string()))?;
        Self::from_text(text)
    }

    /// Reads the list `contacts` of a problem by itself, for those who have W and b as numbers already.
    ///
    /// # Errors
    /// If it is not such a list, or the dimension is neither 2 nor 3.
    pub fn laws_from_json(contacts: &str, dimension: u32) -> Result<Vec<Law>, Error> {
        let contacts = serde_json::from_str(contacts).map_err(|e| Error::Json(e.to_string()))?;
        laws(contacts, dimension)
    }

    fn from_text(text: Text) -> Result<Self, Error> {
        let laws = laws(text.contacts, text.dimension)?;
        let delassus = match text.delassus {
            DelassusText::Dense(rows) => dense(&rows, text.bias.len())?.into(),
            DelassusText::Sparse(entries) => Delassus::Sparse(entries.blocks(&laws)?),
            DelassusText::Bodies(rows) => rows.by_bodies(&laws)?.into(),
        };
        Self::new(delassus, text.bias, laws)
    }

    /// Writes the problem as one line of JSON.
    ///
    /// # Errors
    /// If a contact has a friction set of the user's own, which has no text.
    pub fn to_json(&self) -> Result<String, Error> {
        serde_json::to_string(&self.to_text()?).map_err(|e| Error::Json(e.to_string()))
    }

    fn to_text(&self) -> Result<Text, Error> {
        let delassus = match self.delassus() {
            Delassus::Dense(w) => {
                DelassusText::Dense((0..w.rows()).map(|i| w.row(i).to_vec()).collect())
            }
            Delassus::Sparse(w) => DelassusText::Sparse(SparseText::of(w)),
            Delassus::Bodies(w) => DelassusText::Bodies(BodiesText::of(w)),
        };
        let contacts = self.laws().iter().enumerate().map(LawText::of).collect::<Result<_, _>>()?;
        let (kind, dimension, bias) = (KindText::Contact, 2, self.bias().to_vec());
        Ok(Text { kind, dimension, delassus, bias, contacts })
    }
}

/// In the form of the JSON format.
impl Serialize for ContactProblem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_text().map_err(S::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ContactProblem {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_text(Text::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

fn laws(contacts: Vec<LawText>, dimension: u32) -> Result<Vec<Law>, Error> {
    let default = match dimension {
        2 => Kind::Planar,
        3 => Kind::Disc,
        other => {
            let reason = format!("dimension is {other}; it must be 2 (the plane) or 3 (space)");
            return Err(Error::Json(reason));
        }
    };
    contacts.into_iter().enumerate().map(|(i, law)| law.law(i, &default)).collect()
}

fn dense(rows: &[Vec<f64>], n: usize) -> Result<Matrix, Error> {
    for (i, row) in rows.iter().enumerate() {
        if row.len() != n {
            let (found, rows) = (row.len(), rows.len());
            let reason = format!(
                "delassus[{i}] has {found} entries; with {n} entries of bias (and {rows} rows) it needs {n}"
            );
            return Err(Error::Json(reason));
        }
    }
    Ok(Matrix::from_rows(rows)?)
}

impl SparseText {
    fn blocks(&self, laws: &[Law]) -> Result<BlockMatrix, Error> {
        let sizes: Vec<usize> = laws.iter().map(Law::components).collect();
        let expected = sizes.iter().sum();
        if self.n != expected {
            let what = "delassus (n: one row per component of each contact)";
            return Err(Error::Size { what, expected, found: self.n });
        }
        let expected = self.values.len();
        for (what, list) in [("delassus.rows", &self.rows), ("delassus.cols", &self.cols)] {
            if list.len() != expected {
                return Err(Error::Size { what, expected, found: list.len() });
            }
        }
        let places = self.rows.iter().zip(&self.cols);
        let entries = places.zip(&self.values).map(|((&r, &c), &v)| (r, c, v));
        BlockMatrix::from_triplets(&sizes, entries)
    }

    fn of(w: &BlockMatrix) -> Self {
        let (mut rows, mut cols, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..w.len() {
            for (j, block) in w.row(i) {
                let n = w.size(j).max(1);
                for (e, &value) in block.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                    rows.push(w.offset(i) + e / n);
                    cols.push(w.offset(j) + e % n);
                    values.push(value);
                }
            }
        }
        Self { n: w.rows(), rows, cols, values }
    }
}

impl BodiesText {
    fn by_bodies(&self, laws: &[Law]) -> Result<BodyRows, Error> {
        let (expected, found) = (laws.len(), self.links.len());
        if found != expected {
            let what = "delassus.links (one pair of bodies per contact)";
            return Err(Error::Size { what, expected, found });
        }
        let (expected, found) = (laws.iter().map(Law::components).sum(), self.rows.len());
        if found != expected {
            let what = "delassus.rows (one per component of each contact)";
            return Err(Error::Size { what, expected, found });
        }
        let mut made = BodyRows::default();
        made.start(self.bodies);
        let mut rows = self.rows.iter().copied();
        for (law, link) in laws.iter().zip(&self.links) {
            made.push(*link, rows.by_ref().take(law.components()));
        }
        made.finish()?;
        Ok(made)
    }

    fn of(w: &BodyRows) -> Self {
        let own = |b: u32| (b != NONE).then_some(b as usize);
        Self {
            bodies: w.bodies(),
            links: (0..w.len()).map(|i| w.link(i).map(own)).collect(),
            rows: (0..w.len()).flat_map(|i| w.contact(i).iter().copied()).collect(),
        }
    }
}

impl LawText {
    fn law(self, contact: usize, default: &Kind) -> Result<Law, Error> {
        let kind = match self.friction {
            None => default.clone(),
            Some(friction) => friction.kind(contact)?,
        };
        let sliding = match self.sliding {
            None => None,
            Some(SlidingText::Planar(v)) => Some([v, 0.0, 0.0]),
            Some(SlidingText::Spatial(v)) => {
                let tangents = kind.set().map_or(0, ConvexSet::dimension);
                if v.len() != tangents {
                    let found = v.len();
                    let reason = format!(
                        "sliding of contact {contact} has {found} entries; the contact has {tangents} tangential components"
                    );
                    return Err(Error::Json(reason));
                }
                let mut slip = [0.0; 3];
                slip[..tangents].copy_from_slice(&v);
                Some(slip)
            }
        };
        let Self { mu, mu_static, radius, eps_n, eps_t, rho, .. } = self;
        let law = Law { kind, radius, eps_n, eps_t, sliding, rho, ..Law::default() };
        let curve = match (mu, mu_static) {
            (MuText::Number(mu), None) => return Ok(Law { mu, ..law }),
            (MuText::Number(mu), Some(s)) => return Ok(Law { mu, ..law }.with_static(s)),
            (MuText::Curve(_), Some(_)) => {
                let reason = format!(
                    "contact {contact} has mu_static beside a mu of the slip speed, which has its value at rest"
                );
                return Err(Error::Json(reason));
            }
            (MuText::Curve(CurveText::Stribeck(law)), None) => law.curve(),
            (MuText::Curve(CurveText::Table(points)), None) => FrictionCurve::table(&points),
        };
        Ok(law.with_curve(curve))
    }

    fn of((contact, law): (usize, &Law)) -> Result<Self, Error> {
        let sliding = law.sliding.map(|v| match law.tangents() {
            1 => SlidingText::Planar(v[0]),
            d => SlidingText::Spatial(v[..d].to_vec()),
        });
        let friction = FrictionText::of(contact, &law.kind)?;
        let (mu, mu_static) = match &law.slip_dependence {
            SlipDependence::None => (MuText::Number(law.mu), None),
            SlipDependence::Static(s) => (MuText::Number(law.mu), Some(*s)),
            SlipDependence::Speed(curve) => (MuText::Curve(CurveText::of(contact, curve)?), None),
        };
        let Law { radius, eps_n, eps_t, rho, .. } = *law;
        Ok(Self { name: None, mu, mu_static, friction, radius, eps_n, eps_t, sliding, rho })
    }
}

impl CurveText {
    fn of(contact: usize, curve: &FrictionCurve) -> Result<Self, Error> {
        match curve {
            FrictionCurve::Stribeck(law) => Ok(Self::Stribeck(**law)),
            FrictionCurve::Table(points) => Ok(Self::Table(points.to_vec())),
            FrictionCurve::User(_) => {
                let reason = format!(
                    "mu of contact {contact} is a function of the user's own, which has no text; write it as a table"
                );
                Err(Error::Json(reason))
            }
        }
    }
}

impl FrictionText {
    fn kind(self, contact: usize) -> Result<Kind, Error> {
        let at = |e: Error| Error::Json(format!("friction of contact {contact}: {e}"));
        let set = match self {
            Self::None => return Ok(Kind::Frictionless),
            Self::Planar => return Ok(Kind::Planar),
            Self::Disc => return Ok(Kind::Disc),
            Self::Bilateral(rows) => return Ok(Kind::Bilateral(rows)),
            Self::Dry(inner) => return inner.dry(contact),
            Self::Ellipsoid(axes) => ConvexSet::Ellipsoid(axes),
            Self::Polygon(corners) => {
                ConvexSet::Polyhedron(Polyhedron::hull(&corners).map_err(at)?)
            }
            Self::Polyhedron(rows) => ConvexSet::Polyhedron(Polyhedron::new(&rows).map_err(at)?),
            Self::Mixed(MixedText { ellipse, spin }) => ConvexSet::Mixed { ellipse, spin },
            Self::UniformDisc(radius) => {
                ConvexSet::Custom(Arc::new(UniformDisc::new(radius).map_err(at)?))
            }
        };
        set.validate().map_err(at)?;
        Ok(Kind::Set(Arc::new(set)))
    }

    fn dry(self, contact: usize) -> Result<Kind, Error> {
        Ok(Kind::Dry(match self.kind(contact)? {
            Kind::Planar => Arc::new(ConvexSet::Interval),
            Kind::Disc => Arc::new(ConvexSet::Disc),
            Kind::Set(set) => set,
            _ => {
                let reason = format!("dry friction of contact {contact} needs a friction set");
                return Err(Error::Json(reason));
            }
        }))
    }

    fn of(contact: usize, kind: &Kind) -> Result<Option<Self>, Error> {
        let set = match kind {
            Kind::Planar => return Ok(None),
            Kind::Frictionless => return Ok(Some(Self::None)),
            Kind::Disc => return Ok(Some(Self::Disc)),
            Kind::Bilateral(rows) => return Ok(Some(Self::Bilateral(*rows))),
            Kind::Set(set) => set.as_ref(),
            Kind::Dry(set) => {
                return Self::of_set(contact, set).map(|inner| Some(Self::Dry(Box::new(inner))));
            }
        };
        Self::of_set(contact, set).map(Some)
    }

    fn of_set(contact: usize, set: &ConvexSet) -> Result<Self, Error> {
        Ok(match set {
            ConvexSet::Interval => Self::Planar,
            ConvexSet::Disc => Self::Disc,
            ConvexSet::Ellipsoid(axes) => Self::Ellipsoid(axes.clone()),
            ConvexSet::Polyhedron(p) => {
                Self::Polyhedron(p.normals().map(<[f64]>::to_vec).collect())
            }
            ConvexSet::Mixed { ellipse, spin } => {
                Self::Mixed(MixedText { ellipse: *ellipse, spin: *spin })
            }
            ConvexSet::Custom(set) => match (set.as_ref() as &dyn Any).downcast_ref() {
                Some(disc) => Self::UniformDisc(UniformDisc::radius(disc)),
                None => {
                    let reason = format!(
                        "friction of contact {contact} is a set of the user's own, which has no text"
                    );
                    return Err(Error::Json(reason));
                }
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_inside_of_other_data_comes_back_and_a_wrong_one_is_refused() {
        let w = Matrix::from_rows(&[[1.5, 0.1], [0.1, 1.0 / 3.0]]).unwrap();
        let problem = ContactProblem::new(w, vec![-0.5, 0.0], vec![Law::coulomb(2.0)]).unwrap();
        let text = serde_json::to_string(&[&problem]).unwrap();
        assert_eq!(serde_json::from_str::<Vec<ContactProblem>>(&text).unwrap(), [problem]);
        let wrong = text.replace("\"bias\":[-0.5,0.0]", "\"bias\":[-0.5]");
        assert_ne!(wrong, text);
        let error = serde_json::from_str::<Vec<ContactProblem>>(&wrong).unwrap_err();
        assert!(error.to_string().contains("bias"), "{error}");
    }

    #[test]
    fn a_problem_by_bodies_comes_back_with_the_same_bits_and_wrong_links_are_refused() {
        let mut rows = BodyRows::default();
        rows.start(2);
        let row = |x: f64| [[x, 0.0, 0.0, 1.0 / 3.0, 0.0, 0.1], [-x, 0.0, 0.2, 0.0, 0.0, 0.7]];
        rows.push([Some(0), Some(1)], [row(1.0), row(0.1), row(0.3)]);
        rows.push([Some(1), None], [row(2.0), row(1.0 / 7.0), row(0.9)]);
        rows.finish().unwrap();
        let laws = vec![Law::disc(0.5), Law::disc(0.2)];
        let problem = ContactProblem::new(rows, vec![-0.5; 6], laws).unwrap();
        let text = problem.to_json().unwrap();
        let read = ContactProblem::from_json(&text).unwrap();
        assert!(read.delassus().as_bodies().is_some());
        assert_eq!(read, problem);
        for (from, to, word) in [
            ("[1,null]", "[2,null]", "2"),
            ("[[0,1],[1,null]]", "[[0,1]]", "links"),
            ("\"bodies\":2", "\"bodies\":-2", "delassus"),
        ] {
            let wrong = text.replace(from, to);
            assert_ne!(wrong, text);
            let error = ContactProblem::from_json(&wrong).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }
}
