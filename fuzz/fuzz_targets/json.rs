//! Any text: a mistake with its place, or a problem that survives the way to text and back.
#![no_main]

use complementarity::Problem;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match Problem::from_json(text) {
        Ok(problem) => assert_eq!(Problem::from_json(&problem.to_json()), Ok(problem)),
        Err(e) => assert!(!e.to_string().is_empty()),
    }
});
