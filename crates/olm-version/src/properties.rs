//! Property tests of versions and ranges.

use std::cmp::Ordering;

use proptest::prelude::*;

use super::{Release, Version, blang::Range, masterminds, masterminds::Constraint};

/// Generates texts from fragments of ranges, many of which are valid.
fn any_range_text() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "0",
        "1",
        "2",
        "10",
        "1.0",
        "1.2.3",
        "1.x",
        "1.x.x",
        "0.0.0",
        "x",
        "X",
        "*",
        ".",
        "-",
        "-rc.1",
        "-0",
        "+b",
        "v",
        " ",
        " ",
        " ",
        "  ",
        "\t",
        ",",
        ", ",
        "||",
        " || ",
        "|",
        "=",
        "==",
        "!",
        "!=",
        ">",
        ">=",
        "<",
        "<=",
        "~",
        "^",
        " - ",
        "é",
        "٣",
        "next",
        "18446744073709551615",
        "18446744073709551616",
    ]);
    prop::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat())
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), any_range_text(), "[0-9x*.|,<>=!~^v +-]{0,24}"]
}

/// Generates versions close to each other, as (numbers, pre-release).
fn any_small_version() -> impl Strategy<Value = ([u64; 3], &'static str)> {
    (
        [0..3u64, 0..3u64, 0..3u64],
        prop::sample::select(vec!["", "", "", "0", "1", "1.0", "10", "a", "a.0", "b"]),
    )
}

fn format_version(([major, minor, patch], pre): &([u64; 3], &str)) -> String {
    let hyphen = if pre.is_empty() { "" } else { "-" };
    format!("{major}.{minor}.{patch}{hyphen}{pre}")
}

/// Compares versions by the specification, independently of the tested code.
fn naive_order(a: &([u64; 3], &str), b: &([u64; 3], &str)) -> Ordering {
    let key = |pre: &str| -> Vec<(bool, u64, String)> {
        // A release is above every pre-release; words are above numbers.
        pre.split('.')
            .map(|id| id.parse().map_or((true, 0, id.to_owned()), |n| (false, n, String::new())))
            .collect()
    };
    let pre = match (a.1.is_empty(), b.1.is_empty()) {
        (false, false) => key(a.1).cmp(&key(b.1)),
        (a, b) => a.cmp(&b),
    };
    a.0.cmp(&b.0).then(pre)
}

fn naive_compare(operator: &str, order: Ordering) -> bool {
    match operator {
        "" | "=" | "==" => order == Ordering::Equal,
        "!=" => order != Ordering::Equal,
        ">" => order == Ordering::Greater,
        ">=" => order != Ordering::Less,
        "<" => order == Ordering::Less,
        _ => order != Ordering::Greater,
    }
}

fn any_operator() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["", "=", "==", "!=", ">", ">=", "<", "<="])
}

/// Returns all versions of a small set, lowest first.
fn small_versions() -> Vec<Version> {
    let mut all = Vec::new();
    for n in 0..27 {
        for pre in ["-0", "-1", "-1.0", "-10", "-a", "-a.0", "-b", ""] {
            all.push(Version::parse(&format!("{}.{}.{}{pre}", n / 9, n / 3 % 3, n % 3)).unwrap());
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn never_panics_and_error_columns_are_inside_text(text in any_text()) {
        let last = text.chars().count() + 1;
        let probe = [Version::new(1, 2, 3), Version::parse("1.0.0-rc.1").unwrap()];
        let _ = Release::parse(&text);
        match Version::parse(&text) {
            Ok(version) => prop_assert_eq!(version.to_string(), text.clone()),
            Err(error) => {
                prop_assert!((1..=last).contains(&error.column));
                prop_assert!(error.suggestion.is_none_or(|s| Version::parse(&s).is_ok()));
            }
        }
        match Range::parse(&text) {
            Ok(range) => {
                prop_assert!(range.quirks().iter().all(|o| (1..=last).contains(&o.column)));
                let _ = (range.is_empty(), range.is_unbounded_above(), range.to_string());
                for version in &probe {
                    prop_assert!(!(range.matches(version) && range.crashes_on(version)));
                }
            }
            Err(error) => {
                prop_assert!((1..=last).contains(&error.column), "{:?}", error);
                prop_assert!(error.suggestion.is_none_or(|s| Range::parse(&s).is_ok()));
            }
        }
        match Constraint::parse(&text) {
            Ok(constraint) => {
                for version in &probe {
                    let _ = constraint.matches(version);
                }
            }
            Err(error) => {
                prop_assert!((1..=last).contains(&error.column), "{:?}", error);
                prop_assert!(error.suggestion.is_none_or(|s| Constraint::parse(&s).is_ok()));
            }
        }
    }

    #[test]
    fn version_order_follows_specification(a in any_small_version(), b in any_small_version()) {
        let (left, right) = (Version::parse(&format_version(&a)).unwrap(), Version::parse(&format_version(&b)).unwrap());
        prop_assert_eq!(left.cmp_precedence(&right), naive_order(&a, &b));
    }

    #[test]
    fn blang_ranges_match_by_their_comparators(
        sides in prop::collection::vec(prop::collection::vec((any_operator(), any_small_version(), 0..3usize), 1..4), 1..4),
        version in any_small_version(),
    ) {
        let text = |(operator, version, blanks): &(&str, ([u64; 3], &str), usize)| {
            // A blank is allowed only after `<`, `>` and `=`.
            let gap = if operator.is_empty() { String::new() } else { " ".repeat(*blanks) };
            format!("{operator}{gap}{}", format_version(version))
        };
        let texts: Vec<String> =
            sides.iter().map(|side| side.iter().map(text).collect::<Vec<_>>().join("  ")).collect();
        let range = Range::parse(&texts.join(" || ")).unwrap();
        let expected = sides.iter().position(|side| {
            side.iter().all(|(operator, bound, _)| naive_compare(operator, naive_order(&version, bound)))
        });
        let version = Version::parse(&format_version(&version)).unwrap();
        prop_assert_eq!(range.matched_alternative(&version), expected);
        let again = Range::parse(&range.to_string()).unwrap();
        prop_assert_eq!(again.alternatives(), range.alternatives());
    }

    #[test]
    fn lowest_match_is_exact(
        side in prop::collection::vec((any_operator(), any_small_version()), 1..5),
    ) {
        let texts: Vec<String> = side.iter().map(|(operator, version)| format!("{operator}{}", format_version(version))).collect();
        let range = Range::parse(&texts.join(" ")).unwrap();
        let lowest = range.alternatives()[0].lowest();
        let first = small_versions().into_iter().find(|v| range.matches(v));
        prop_assert_eq!(lowest.is_none(), range.is_empty());
        match (&lowest, &first) {
            (Some(lowest), first) => {
                prop_assert!(range.matches(lowest));
                prop_assert!(first.as_ref().is_none_or(|first| first.cmp_precedence(lowest).is_ge()));
            }
            (None, first) => prop_assert!(first.is_none(), "{:?} matches", first),
        }
    }

    #[test]
    fn constraint_equals_its_blang_spelling(text in any_range_text(), [a, b, c] in [0..3u64, 0..12u64, 0..4u64]) {
        let version = Version::new(a, b, c);
        if let (Ok(constraint), Some(spelling)) = (Constraint::parse(&text), masterminds::blang_spelling(&text)) {
            let range = Range::parse(&spelling);
            // Pre-releases that only one dialect accepts do not matter here.
            if let Ok(range) = range {
                prop_assert_eq!(constraint.matches(&version), range.matches(&version), "{}: {}", text, spelling);
            }
        }
    }

    #[test]
    fn hyphen_range_equals_two_bounds(from in any_small_version(), to in any_small_version(), version in any_small_version()) {
        let (from, to) = (format_version(&from), format_version(&to));
        let hyphen = Constraint::parse(&format!("{from} - {to}")).unwrap();
        let bounds = Constraint::parse(&format!(">={from} <={to}")).unwrap();
        let version = Version::parse(&format_version(&version)).unwrap();
        prop_assert_eq!(hyphen.matches(&version), bounds.matches(&version));
    }
}
