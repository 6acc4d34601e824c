//! Version constraints of v1: no text panics, errors point into the text, and a plain version matches itself.
//!
//! Input: the constraint, and an optional version after the last line break.
#![no_main]

use libfuzzer_sys::fuzz_target;
use olm_version::{Version, masterminds::Constraint};

fuzz_target!(|input: &str| {
    let (text, version) = input.rsplit_once('\n').unwrap_or((input, "1.2.3"));
    let version = Version::parse(version);
    match Constraint::parse(text) {
        Err(error) => {
            assert!((1..=text.chars().count() + 1).contains(&error.column), "{text:?}: {}", error.column);
            if let Some(suggestion) = error.suggestion {
                assert!(Constraint::parse(&suggestion).is_ok(), "{text:?} => {suggestion:?}");
            }
        }
        Ok(constraint) => {
            if let Ok(version) = &version {
                let matches = constraint.matches(version);
                assert_eq!(matches, constraint.matched_alternative(version).is_some());
                assert_eq!(
                    matches,
                    constraint.matches(&version.without_build()),
                    "build metadata plays no part"
                );
                assert!(!(matches && version.is_prerelease()) || constraint.admits_prereleases(), "{text:?}");
                // Constraints do not have a printed form, but repeating one must not change its meaning.
                // Hyphens are excluded: the bars of `||` may be parsed as part of a version next to them, in
                // Go too.
                let twice = Constraint::parse(&format!("{text} || {text}"));
                if !text.contains('-')
                    && let Ok(twice) = twice
                {
                    assert_eq!(twice.matches(version), matches, "{text:?} twice on {version}");
                }
            }
        }
    }
    if let Ok(version) = version
        // Go does not accept longer versions.
        && version.to_string().len() <= 256
    {
        let own = Constraint::parse(&format!("={}", version.without_build()));
        assert!(own.is_ok_and(|own| own.matches(&version)), "={version} does not match itself");
    }
});
