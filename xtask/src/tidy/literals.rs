//! Integers that do not fit 32 bits say their type, so that none becomes a `usize` on a machine of 32 bits.
//!
//! The compiler finds the same when it builds for such a machine; this finds it everywhere.

use super::Finding;
use crate::workspace::Tree;

/// What must build for 32 bits.
const LIBRARIES: [&str; 4] = [
    "crates/complementarity/src/",
    "crates/stickslip-contact/src/",
    "crates/stickslip/src/",
    "crates/stickslip-scene/src/",
];

/// Types that hold such a number everywhere.
const WIDE: [&str; 4] = ["u64", "i64", "u128", "i128"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in LIBRARIES.iter().flat_map(|library| tree.under(library, "rs")) {
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or(line);
            for word in numbers(code).filter(|word| does_not_fit(word)) {
                let cut = code.contains(&format!("{word} as usize"));
                if cut || !has_type(word) {
                    let message = format!("`{word}` does not fit 32 bits; say `_u64` and keep it");
                    findings.push(Finding::at(path, number + 1, message));
                }
            }
        }
    }
    findings
}

/// The words that begin with a digit; a decimal point is part of its word.
fn numbers(code: &str) -> impl Iterator<Item = &str> {
    let words = code.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'));
    words.filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))
}

fn has_type(word: &str) -> bool {
    WIDE.iter().any(|kind| word.ends_with(kind))
}

/// Whether the word is a whole number above 2³² − 1.
fn does_not_fit(word: &str) -> bool {
    let kind = WIDE.iter().find(|kind| word.ends_with(**kind)).copied().unwrap_or_default();
    let digits = word.strip_suffix(kind).unwrap_or(word).replace('_', "");
    let value = match digits.strip_prefix("0x") {
        Some(hex) => u128::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    value.is_ok_and(|value| value > u128::from(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> usize {
        check(&Tree::of(&[("crates/stickslip/src/a.rs", line)])).len()
    }

    #[test]
    fn a_number_that_does_not_fit_32_bits_and_has_no_type_is_found() {
        for line in [
            "max_work: 6_000_000_000,",
            "x * 4294967296",
            "x ^ 0xbf58_476d_1ce4_e5b9",
            "6_000_000_000_u64 as usize",
        ] {
            assert_eq!(found(line), 1, "{line}");
        }
        let place = "crates/stickslip-cli/src/a.rs";
        assert_eq!(check(&Tree::of(&[(place, "let x = 6_000_000_000;")])), []);
    }

    #[test]
    fn numbers_that_fit_or_have_a_type_pass() {
        for line in [
            "4294967295 + 0xffff_ffff + 0xffff_ffff_u32",
            "6_000_000_000_u64 + 0xcbf2_9ce4_8422_2325_u64 + 6_000_000_000f64 as usize",
            "6000000000.0 + 1e300 + x.0 + v6000000000",
            "x // 6000000000",
        ] {
            assert_eq!(found(line), 0, "{line}");
        }
    }
}
