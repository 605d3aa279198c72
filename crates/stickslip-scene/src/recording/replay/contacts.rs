//! Contacts of frames, where the model knows where they are.

use super::ReplayError;
use super::packing::{compress, decompress};
use serde::{Deserialize, Serialize};
use stickslip::memory::{Archive, Archived, Unreadable};

/// A contact in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactFrame {
    /// The frame.
    pub frame: u32,
    /// The bodies, by their numbers in the replay.
    pub bodies: [u32; 2],
    /// What it does, by its number among the names of modes.
    pub mode: u8,
    /// Whether it struck since the sample before, so that it has no force.
    pub struck: bool,
    /// Where it is, in world axes.
    pub position: [f32; 3],
    /// The unit normal, from the second body to the first.
    pub normal: [f32; 3],
    /// The mean force on the first body since the sample before; 0 where it struck.
    pub force: [f32; 3],
    /// The coefficient of friction.
    pub mu: f32,
}

/// All of them in few bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactsFile {
    /// Frames whose number this divides have contacts.
    pub every: usize,
    /// How many there are in all.
    pub count: usize,
    /// Columns one after the other, little-endian: frame u32, first and second body u32, mode u8 with 128 where it struck, position,
    /// normal, force, mu f32 in planes of bytes, positions rounded to 17 and normals and forces to 11 binary digits. Deflate, base64.
    pub data: String,
}

/// Bytes of a contact.
const BYTES: usize = 4 + 2 * 4 + 1 + 10 * 4;

/// The bit of a contact that struck.
const STRUCK: u8 = 128;

impl ContactsFile {
    pub(super) fn of(every: usize, contacts: &[ContactFrame]) -> Self {
        let mut bytes = Vec::with_capacity(BYTES * contacts.len());
        let mut last = 0;
        // Differences of frames are small.
        for c in contacts {
            bytes.extend((c.frame - last).to_le_bytes());
            last = c.frame;
        }
        for side in 0..2 {
            contacts.iter().for_each(|c| bytes.extend(c.bodies[side].to_le_bytes()));
        }
        contacts.iter().for_each(|c| bytes.push(c.mode | if c.struck { STRUCK } else { 0 }));
        for k in 0..10 {
            // Planes of bytes, as signs and exponents are alike.
            for byte in 0..4 {
                contacts.iter().for_each(|c| bytes.push(numbers(c)[k].to_le_bytes()[byte]));
            }
        }
        Self { every, count: contacts.len(), data: compress(&bytes) }
    }

    /// All contacts, in order of frames.
    ///
    /// # Errors
    /// If the data are not those of so many.
    pub fn contacts(&self) -> Result<Vec<ContactFrame>, ReplayError> {
        let (bytes, n) = (decompress(&self.data)?, self.count);
        if Some(bytes.len()) != n.checked_mul(BYTES) {
            return Err(ReplayError::Short);
        }
        let word = |column: usize, i: usize| {
            let at = 4 * (column * n + i);
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        let float = |k: usize, i: usize| {
            let byte = |b: usize| bytes[13 * n + (4 * k + b) * n + i];
            f32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)])
        };
        let mut frame = 0_u32;
        let contact = |i: usize| {
            frame = frame.wrapping_add(word(0, i));
            let mode = bytes[12 * n + i];
            ContactFrame {
                frame,
                bodies: [word(1, i), word(2, i)],
                mode: mode & !STRUCK,
                struck: mode & STRUCK != 0,
                position: [0, 1, 2].map(|k| float(k, i)),
                normal: [3, 4, 5].map(|k| float(k, i)),
                force: [6, 7, 8].map(|k| float(k, i)),
                mu: float(9, i),
            }
        };
        Ok((0..n).map(contact).collect())
    }
}

/// Binary digits that are kept of positions, and of normals and forces.
const POSITION_DIGITS: u32 = 17;
const OTHER_DIGITS: u32 = 11;

/// The numbers of a contact, rounded to what can be seen: digits that are zero take no room.
fn numbers(c: &ContactFrame) -> [f32; 10] {
    let [a, b, d] = c.position.map(|x| rounded(x, POSITION_DIGITS));
    let [e, f, g] = c.normal.map(|x| rounded(x, OTHER_DIGITS));
    let [h, i, j] = c.force.map(|x| rounded(x, OTHER_DIGITS));
    [a, b, d, e, f, g, h, i, j, c.mu]
}

/// A number with so many binary digits. What overflows is infinite, which numbers of a contact are not.
fn rounded(x: f32, digits: u32) -> f32 {
    let dropped = f32::MANTISSA_DIGITS - digits;
    let half = 1 << (dropped - 1);
    f32::from_bits((x.to_bits().saturating_add(half) >> dropped) << dropped)
}

impl Archived for ContactFrame {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let Self { frame, bodies, mode, struck, position, normal, force, mu } = self;
        frame.pass(archive)?;
        bodies.pass(archive)?;
        mode.pass(archive)?;
        struck.pass(archive)?;
        [position, normal, force].into_iter().try_for_each(|v| v.pass(archive))?;
        mu.pass(archive)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contacts_come_back_to_their_digits() {
        let contact = |i: u32| ContactFrame {
            frame: i / 3 * 4,
            bodies: [i, 70_000 + i],
            mode: (i % 7) as u8,
            struck: i.is_multiple_of(5),
            position: [0.1 * i as f32, -1.0, f32::MIN_POSITIVE],
            normal: [0.0, 0.0, 1.0],
            force: [1e-30, i as f32, -2.5],
            mu: 0.3,
        };
        let all: Vec<_> = (0..100).map(contact).collect();
        let mut file = ContactsFile::of(4, &all);
        let back = file.contacts().unwrap();
        assert_eq!(back.len(), all.len());
        for (found, given) in back.iter().zip(&all) {
            let [f, g] = [found, given].map(|c| (c.frame, c.bodies, c.mode, c.struck, c.mu));
            assert_eq!(f, g);
            let close =
                |a: f32, b: f32, digits: i32| (a - b).abs() <= b.abs() * 0.5_f32.powi(digits);
            for k in 0..3 {
                assert!(close(found.position[k], given.position[k], 17), "{found:?} {given:?}");
                assert!(close(found.force[k], given.force[k], 11), "{found:?} {given:?}");
                assert!(close(found.normal[k], given.normal[k], 11), "{found:?} {given:?}");
            }
        }
        file.count += 1;
        assert_eq!(file.contacts(), Err(ReplayError::Short));
    }
}
