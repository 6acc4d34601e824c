//! skipRanges: no text panics, errors point into the text, and the printed form is equivalent.
//!
//! Input: the range, and an optional version after the last line break.
#![no_main]

use libfuzzer_sys::fuzz_target;
use olm_version::{
    Version,
    blang::{Alternative, Range},
};

fn has_x(alternative: &Alternative) -> bool {
    alternative.comparators().iter().any(|c| c.version.to_string().contains('x'))
}

fuzz_target!(|input: &str| {
    let (text, version) = input.rsplit_once('\n').unwrap_or((input, "1.2.3"));
    let points_into_text = |column: usize| (1..=text.chars().count() + 1).contains(&column);
    let version = Version::parse(version);
    match Range::parse(text) {
        Err(error) => {
            assert!(points_into_text(error.column), "{text:?}: {}", error.column);
            if let Some(suggestion) = error.suggestion {
                assert!(Range::parse(&suggestion).is_ok(), "{text:?} => {suggestion:?}");
            }
        }
        Ok(range) => {
            for oddity in range.quirks() {
                assert!(points_into_text(oddity.column), "{text:?}: {oddity:?}");
            }
            let bounds = range.alternatives().iter().flat_map(|a| a.comparators()).map(|c| &c.version);
            let lowest: Vec<Version> = range.alternatives().iter().filter_map(|a| a.lowest()).collect();
            if !range.may_crash() {
                assert_eq!(range.is_empty(), lowest.is_empty(), "{text:?}");
            }
            // A range on which OLM panics does not have a printed form with the same meaning.
            let again = (!range.may_crash()).then(|| Range::parse(&range.to_string()));
            for version in bounds.chain(&lowest).chain(&version.ok()) {
                let matches = range.matches(version);
                assert!(!(matches && range.crashes_on(version)), "{text:?} on {version}");
                match &again {
                    None => {}
                    Some(Ok(again)) => {
                        assert_eq!(again.matches(version), matches, "{text:?} as {range} on {version}");
                    }
                    // Some bounds cannot be printed, such as `<1.0.0-x`: the `x` would be parsed as a
                    // wildcard.
                    Some(Err(_)) if range.alternatives().iter().any(has_x) => {}
                    Some(Err(error)) => panic!("{text:?} as {range}: {error}"),
                }
            }
        }
    }
});
