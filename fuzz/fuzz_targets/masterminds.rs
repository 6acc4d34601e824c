//! Version constraints of v1: no text panics, errors point into it, a plain version matches itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use olmap::version::{Version, masterminds::Constraint};

fuzz_target!(|input: (&str, &str)| {
    let (text, version) = input;
    match Constraint::parse(text) {
        Err(error) => {
            assert!(error.column >= 1 && error.column <= text.chars().count() + 1, "{text:?}: {}", error.column);
        }
        Ok(constraint) => {
            if let Ok(version) = Version::parse(version) {
                assert_eq!(constraint.matches(&version), constraint.matched_alternative(&version).is_some());
            }
        }
    }
    if let Ok(version) = Version::parse(version)
        && let Ok(own) = Constraint::parse(&format!("={}", version.without_build()))
    {
        assert!(own.matches(&version), "={version} does not match itself");
    }
});
