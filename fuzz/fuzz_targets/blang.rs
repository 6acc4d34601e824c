//! skipRanges: no text panics, errors point into it, and the meaning that is printed means the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use olmap::version::{Version, blang::Range};

fuzz_target!(|input: (&str, &str)| {
    let (text, version) = input;
    let version = Version::parse(version);
    match Range::parse(text) {
        Err(error) => {
            assert!(error.column >= 1 && error.column <= text.chars().count() + 1, "{text:?}: {}", error.column);
            if let Some(suggestion) = error.suggestion {
                assert!(Range::parse(&suggestion).is_ok(), "{text:?} => {suggestion:?}");
            }
        }
        Ok(range) => {
            let lowest: Vec<Version> = range.alternatives().iter().filter_map(|a| a.lowest()).collect();
            for version in lowest.iter().chain(&version.ok()) {
                let matches = range.matches(version);
                if range.crashes() {
                    continue;
                }
                let again = Range::parse(&range.to_string());
                if let Ok(again) = again {
                    assert_eq!(again.matches(version), matches, "{text:?} as {range} on {version}");
                }
            }
        }
    }
});
