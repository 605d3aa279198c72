//! Structures as bytes and back, bit by bit: what a run has to remember so that it can be resumed.
//!
//! A structure describes its values once, in [`Archived::pass`], and the same description writes and reads them, so that the two
//! directions cannot differ. Numbers keep their bits. The bytes are for the program version that wrote them: who keeps them
//! in a file keeps the version with them.
//!
//! ```
//! use stickslip::memory::{Archive, Archived, Unreadable, from_bytes, to_bytes};
//!
//! #[derive(Default, PartialEq, Debug)]
//! struct Counter { name: String, values: Vec<f64> }
//!
//! impl Archived for Counter {
//!     fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
//!         archive.text(&mut self.name)?;
//!         archive.list(&mut self.values)
//!     }
//! }
//!
//! let mut counter = Counter { name: "steps".into(), values: vec![0.1, -0.0, f64::NAN] };
//! let bytes = to_bytes(&mut counter);
//! let back: Counter = from_bytes(&bytes)?;
//! assert_eq!(back.values[2].to_bits(), f64::NAN.to_bits());
//! assert!(from_bytes::<Counter>(&bytes[..7]).is_err());
//! # Ok::<(), Unreadable>(())
//! ```

use crate::contact::{Certificate, Measure, Mode};
use crate::system::{Energy, State};

/// Bytes that are not those of the structure that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the memory of a run cannot be read: {what} at byte {at}")]
pub struct Unreadable {
    /// What was found.
    pub what: &'static str,
    /// Where.
    pub at: usize,
}

/// Where values go to or come from.
#[derive(Debug)]
pub struct Archive<'a> {
    direction: Direction<'a>,
    at: usize,
}

#[derive(Debug)]
enum Direction<'a> {
    Write(&'a mut Vec<u8>),
    Read(&'a [u8]),
}

/// A structure that can be written and read.
pub trait Archived {
    /// Hands every value to the archive, which writes it, or puts the one that was read into its place.
    ///
    /// # Errors
    /// If the bytes that are read are not those of such a structure.
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable>;
}

/// A structure as bytes. It is the same afterwards.
pub fn to_bytes<T: Archived>(value: &mut T) -> Vec<u8> {
    let mut bytes = Vec::new();
    let written = value.pass(&mut Archive::to(&mut bytes));
    debug_assert!(written.is_ok(), "writing to memory does not fail");
    bytes
}

/// A structure from its bytes.
///
/// # Errors
/// If they are not those of such a structure, all of them.
pub fn from_bytes<T: Archived + Default>(bytes: &[u8]) -> Result<T, Unreadable> {
    let mut archive = Archive::from(bytes);
    let mut value = T::default();
    value.pass(&mut archive)?;
    match archive.at == bytes.len() {
        true => Ok(value),
        false => Err(Unreadable { what: "more than expected", at: archive.at }),
    }
}

impl<'a> Archive<'a> {
    /// One that adds to these bytes.
    #[must_use]
    pub fn to(bytes: &'a mut Vec<u8>) -> Self {
        Self { direction: Direction::Write(bytes), at: 0 }
    }

    /// One that takes from these bytes.
    #[must_use]
    pub fn from(bytes: &'a [u8]) -> Self {
        Self { direction: Direction::Read(bytes), at: 0 }
    }

    /// Whether values come from the bytes, rather than go to them.
    #[must_use]
    pub fn reads(&self) -> bool {
        matches!(self.direction, Direction::Read(_))
    }

    /// Bytes of a known number.
    fn bytes<const N: usize>(&mut self, value: &mut [u8; N]) -> Result<(), Unreadable> {
        let at = self.at;
        match &mut self.direction {
            Direction::Write(to) => to.extend_from_slice(value),
            Direction::Read(from) => {
                let found = from.get(at..).and_then(|rest| rest.first_chunk::<N>());
                *value = *found.ok_or(Unreadable { what: "the end", at })?;
            }
        }
        self.at += N;
        Ok(())
    }

    fn refuse(&self, what: &'static str) -> Unreadable {
        Unreadable { what, at: self.at }
    }

    /// The number of entries of a list, each of which has a byte at least.
    fn length(&mut self, n: usize) -> Result<usize, Unreadable> {
        let mut length = n;
        length.pass(self)?;
        match &self.direction {
            Direction::Read(from) if length > from.len() - self.at => {
                Err(self.refuse("a list longer than the memory"))
            }
            _ => Ok(length),
        }
    }

    /// A list of any length, in place of what is in it.
    ///
    /// # Errors
    /// As [`Archived::pass`].
    pub fn list<T: Archived + Default>(&mut self, values: &mut Vec<T>) -> Result<(), Unreadable> {
        let n = self.length(values.len())?;
        if self.reads() {
            values.clear();
            for _ in 0..n {
                let mut value = T::default();
                value.pass(self)?;
                values.push(value);
            }
            return Ok(());
        }
        values.iter_mut().try_for_each(|value| value.pass(self))
    }

    /// A text.
    ///
    /// # Errors
    /// As [`Archived::pass`].
    pub fn text(&mut self, text: &mut String) -> Result<(), Unreadable> {
        let n = self.length(text.len())?;
        let at = self.at;
        match &mut self.direction {
            Direction::Write(to) => to.extend_from_slice(text.as_bytes()),
            Direction::Read(from) => {
                let found = std::str::from_utf8(&from[at..at + n]);
                *text = found.map_err(|_| Unreadable { what: "no text", at })?.to_owned();
            }
        }
        self.at += n;
        Ok(())
    }
}

/// Numbers of a fixed number of bytes, as they are.
macro_rules! plain {
    ($($number:ty),*) => {$(
        impl Archived for $number {
            fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
                let mut bytes = self.to_le_bytes();
                archive.bytes(&mut bytes)?;
                *self = Self::from_le_bytes(bytes);
                Ok(())
            }
        }
    )*};
}

plain!(f64, f32, u64, u32, u8);

impl Archived for usize {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let mut wide = *self as u64;
        wide.pass(archive)?;
        *self = usize::try_from(wide).map_err(|_| archive.refuse("a number too large"))?;
        Ok(())
    }
}

impl Archived for bool {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let mut byte = u8::from(*self);
        byte.pass(archive)?;
        *self = match byte {
            0 => false,
            1 => true,
            _ => return Err(archive.refuse("neither true nor false")),
        };
        Ok(())
    }
}

impl<T: Archived, const N: usize> Archived for [T; N] {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        self.iter_mut().try_for_each(|value| value.pass(archive))
    }
}

impl<A: Archived, B: Archived> Archived for (A, B) {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        self.0.pass(archive)?;
        self.1.pass(archive)
    }
}

impl<T: Archived + Default> Archived for Vec<T> {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        archive.list(self)
    }
}

impl<T: Archived + Default> Archived for Option<T> {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let mut some = self.is_some();
        some.pass(archive)?;
        if !some {
            *self = None;
            return Ok(());
        }
        self.get_or_insert_default().pass(archive)
    }
}

impl Archived for String {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        archive.text(self)
    }
}

impl Archived for Mode {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let number = |mode: &Mode| Mode::ALL.iter().position(|m| m == mode).unwrap_or_default();
        let mut byte = number(self) as u8;
        byte.pass(archive)?;
        let mode = Mode::ALL.get(usize::from(byte));
        *self = *mode.ok_or_else(|| archive.refuse("no mode of a contact"))?;
        Ok(())
    }
}

impl Archived for State {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let Self { t, q, u } = self;
        t.pass(archive)?;
        q.pass(archive)?;
        u.pass(archive)
    }
}

impl Archived for Energy {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let Self { kinetic, potential } = self;
        kinetic.pass(archive)?;
        potential.pass(archive)
    }
}

impl Archived for Measure {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let Self { value, contact } = self;
        value.pass(archive)?;
        contact.pass(archive)
    }
}

impl Archived for Certificate {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let c = self;
        let measures = [
            &mut c.penetration,
            &mut c.tension,
            &mut c.complementarity,
            &mut c.cone,
            &mut c.dissipation,
            &mut c.bilateral,
        ];
        measures.into_iter().try_for_each(|measure| measure.pass(archive))?;
        c.momentum.pass(archive)?;
        c.worst.pass(archive)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_comes_back_with_its_bits() {
        let numbers = vec![0.1, -0.0, f64::NAN, f64::NEG_INFINITY, 5e-324];
        let modes = Mode::ALL.to_vec();
        let mut value = ((numbers.clone(), modes.clone()), (Some(7_u64), "a µ".to_owned()));
        let bytes = to_bytes(&mut value);
        type Same = ((Vec<f64>, Vec<Mode>), (Option<u64>, String));
        let back: Same = from_bytes(&bytes).unwrap();
        let bits = |list: &[f64]| list.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&back.0.0), bits(&numbers));
        assert_eq!((back.0.1, back.1), (modes, (Some(7), "a µ".to_owned())));
    }

    #[test]
    fn bytes_that_are_cut_or_too_many_are_refused_wherever() {
        let mut value = (vec![1.0, 2.0], (Some(Mode::Stick), vec!["x".to_owned(), "y".to_owned()]));
        type Same = (Vec<f64>, (Option<Mode>, Vec<String>));
        let mut bytes = to_bytes(&mut value);
        for n in 0..bytes.len() {
            assert!(from_bytes::<Same>(&bytes[..n]).is_err(), "{n}");
        }
        bytes.push(0);
        assert_eq!(from_bytes::<Same>(&bytes).unwrap_err().what, "more than expected");
        assert!(from_bytes::<Vec<f64>>(&[0xff; 16]).is_err());
    }
}
