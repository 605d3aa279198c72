//! Numbers over time in few bytes: rounded to a step, second differences, variable length, deflate, base64.
//!
//! Smooth motions have small second differences, most of one byte, which deflate then shortens further. What is lost is the
//! rounding to the step alone, and the step is written beside the numbers.

use super::ReplayError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};

/// The largest rounded number: its second differences fit into 40 bits.
const LARGEST: f64 = (1_u64 << 36) as f64;

/// A row of numbers, one for each frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PackedRow {
    /// The number that is counted as 0.
    pub base: f64,
    /// What a rounded number counts as 1.
    pub step: f64,
    /// Where there is no number: first frame and how many, in turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<[usize; 2]>,
}

/// Rows of numbers in one text.
#[derive(Debug, Default)]
pub(super) struct Packer {
    pub(super) rows: Vec<PackedRow>,
    bytes: Vec<u8>,
}

impl Packer {
    /// Adds a row, rounded to steps of this size from its first number on, larger where numbers would be too large.
    pub(super) fn row(&mut self, values: impl Iterator<Item = f64> + Clone, step: f64) {
        let finite = || values.clone().filter(|v| v.is_finite());
        let base = finite().next().unwrap_or(0.0);
        let reach = finite().map(|v| (v - base).abs()).fold(0.0, f64::max);
        let step = step.max(reach / LARGEST);
        let step = if step > 0.0 && step.is_finite() { step } else { 1.0 };
        let mut missing: Vec<[usize; 2]> = Vec::new();
        let (mut last, mut rate) = (0_i64, 0_i64);
        for (frame, value) in values.enumerate() {
            let rounded = if value.is_finite() {
                ((value - base) / step).round() as i64
            } else {
                match missing.last_mut() {
                    Some([first, count]) if *first + *count == frame => *count += 1,
                    _ => missing.push([frame, 1]),
                }
                // What costs least.
                last + rate
            };
            write(&mut self.bytes, rounded - last - rate);
            (rate, last) = (rounded - last, rounded);
        }
        self.rows.push(PackedRow { base, step, missing });
    }

    /// The rows, and the text of all their numbers.
    pub(super) fn finish(self) -> (Vec<PackedRow>, String) {
        (self.rows, compress(&self.bytes))
    }
}

/// An integer with a sign, seven bits to a byte.
fn write(bytes: &mut Vec<u8>, value: i64) {
    let mut rest = ((value << 1) ^ (value >> 63)) as u64;
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

/// The rows of such a text, each with as many numbers as there are frames.
///
/// # Errors
/// If the text is none of these rows.
pub(super) fn unpack(
    rows: &[PackedRow],
    frames: usize,
    text: &str,
) -> Result<Vec<Vec<f64>>, ReplayError> {
    let bytes = decompress(text)?;
    let mut at = 0;
    let mut next = || {
        let (mut value, mut shift) = (0_u64, 0);
        loop {
            let byte = *bytes.get(at)?;
            at += 1;
            value |= u64::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte < 0x80 {
                return Some((value >> 1) as i64 ^ -((value & 1) as i64));
            }
        }
    };
    let mut all = Vec::with_capacity(rows.len());
    for row in rows {
        let mut values = Vec::with_capacity(frames.min(bytes.len()));
        let (mut last, mut rate) = (0_i64, 0_i64);
        for _ in 0..frames {
            let change = next().ok_or(ReplayError::Short)?;
            rate = rate.wrapping_add(change);
            last = last.wrapping_add(rate);
            values.push(row.base + row.step * last as f64);
        }
        for &[first, count] in &row.missing {
            let end = first.saturating_add(count).min(values.len());
            values.get_mut(first..end).unwrap_or_default().fill(f64::NAN);
        }
        all.push(values);
    }
    Ok(all)
}

/// Bytes as text.
pub(super) fn compress(bytes: &[u8]) -> String {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(6));
    // Writing to memory does not fail.
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    STANDARD.encode(written.unwrap_or_default())
}

/// Bytes of a text. A text that stands for more than this many bytes is refused.
const MOST_BYTES: u64 = 1 << 31;

pub(super) fn decompress(text: &str) -> Result<Vec<u8>, ReplayError> {
    let packed = STANDARD.decode(text).map_err(|e| ReplayError::Text(e.to_string()))?;
    let mut bytes = Vec::new();
    let mut decoder = ZlibDecoder::new(&packed[..]).take(MOST_BYTES);
    decoder.read_to_end(&mut bytes).map_err(|e| ReplayError::Text(e.to_string()))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_to_half_a_step_and_what_is_missing_stays_missing() {
        let waves: Vec<f64> = (0..1000).map(|i| 3.0 + (f64::from(i) * 0.01).sin()).collect();
        let mut holes = waves.clone();
        holes[0] = f64::NAN;
        holes[500..510].fill(f64::INFINITY);
        let wild: Vec<f64> = (0..1000).map(|i| if i % 2 == 0 { 1e300 } else { -1e300 }).collect();
        let mut packer = Packer::default();
        packer.row(waves.iter().copied(), 1e-4);
        packer.row(holes.iter().copied(), 1e-4);
        packer.row(wild.iter().copied(), 1e-4);
        packer.row(std::iter::repeat_n(7.0, 1000), 0.0);
        let (rows, text) = packer.finish();
        let back = unpack(&rows, 1000, &text).unwrap();
        for (a, b) in waves.iter().zip(&back[0]) {
            assert!((a - b).abs() <= 0.5001e-4, "{a} {b}");
        }
        assert!(back[1][0].is_nan() && back[1][505].is_nan() && back[1][510].is_finite());
        assert_eq!(rows[1].missing, [[0, 1], [500, 10]]);
        assert!(wild.iter().zip(&back[2]).all(|(a, b)| (a - b).abs() < 1e-9 * 1e300));
        assert!(back[3].iter().all(|&x| x == 7.0));
        assert!(text.len() < 16_000, "{}", text.len());
    }

    #[test]
    fn texts_that_are_none_are_refused() {
        let row = PackedRow { base: 0.0, step: 1.0, missing: vec![] };
        assert!(unpack(std::slice::from_ref(&row), 3, "no base64!").is_err());
        assert!(unpack(std::slice::from_ref(&row), 3, &compress(&[0, 0])).is_err());
        assert_eq!(unpack(&[row], 2, &compress(&[2, 2])).unwrap(), [[1.0, 3.0]]);
    }
}
