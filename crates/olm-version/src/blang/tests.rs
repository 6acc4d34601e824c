//! Tests of the rules of the dialect.

use super::*;

fn parse_range(text: &str) -> Range {
    Range::parse(text).unwrap()
}

fn parse_version(text: &str) -> Version {
    Version::parse(text).unwrap()
}

/// Compares the expanded form of valid texts.
#[test]
fn ranges_expand_like_library() {
    let cases = [
        ("1.0.0", "=1.0.0"),
        ("==1.0.0", "=1.0.0"),
        ("!1.0.0", "!=1.0.0"),
        (">= 1.0.0   <2.0.0", ">=1.0.0 <2.0.0"),
        ("  <1.0.0 ||  >2.0.0-rc.1+b  ", "<1.0.0 || >2.0.0-rc.1+b"),
        ("= = 1.0.0", "=1.0.0"),
        ("> = 1.0.0", ">=1.0.0"),
        // Wildcards.
        ("1.x", ">=1.0.0 <2.0.0"),
        ("1.2.x", ">=1.2.0 <1.3.0"),
        ("1.x.x", ">=1.0.0 <1.1.0"),
        (">1.x", ">=2.0.0"),
        (">=1.x", ">=1.0.0"),
        ("<1.2.x", "<1.2.0"),
        ("<=1.2.x", "<1.3.0"),
        ("!=1.2.x", "<1.2.0 >=1.3.0"),
        (">=1.x.5", ">=1.0.5"),
        (">=1.2.x-rc", ">=1.2.0-rc"),
        (">=1.0.0-next.1", ">=1.0.0-next.1"),
        ("<=1.007.x", "<1.8.0"),
        ("<=1.+2.x", "<1.3.0"),
        // A single byte is dropped, even an operator.
        ("! 1.2.3", "=1.2.3"),
        (">=1.0.0 5", ">=1.0.0"),
        ("x >=1.0.0", ">=1.0.0"),
        (">=1.0.0 >", ">=1.0.0"),
        // An unknown operator is lost next to an `x`.
        ("~1.x", "=1.0.0"),
        ("v1.2.x", "=1.2.0"),
        ("x1.0.0", "=1.0.0"),
        // White space of any kind around the operator is trimmed.
        ("\t>=\t1.0.0", ">=1.0.0"),
        ("\u{a0}1.0.0", "=1.0.0"),
        // A hyphen is also a single byte.
        ("1.0.0 - 2.0.0", "=1.0.0 =2.0.0"),
        // An empty alternative.
        (">=2.0.0 || * || <1.0.0", ">=2.0.0 ||  || <1.0.0"),
    ];
    for (text, meaning) in cases {
        assert_eq!(parse_range(text).to_string(), meaning, "{text}");
    }
}

#[test]
fn rejects_invalid_ranges_with_column_and_suggestion() {
    let cases = [
        ("", 1, None),
        ("   ", 4, None),
        ("1", 2, Some("write `>=1.0.0 <2.0.0`")),
        ("x", 2, Some("write `>=0.0.0`")),
        ("*", 2, Some("write `>=0.0.0`")),
        ("||", 1, None),
        ("|| 1.0.0", 1, None),
        ("1.0.0 ||", 9, None),
        ("1.0.0 || ||", 12, None),
        (">=1.0", 6, Some("write `>=1.0.0`")),
        (">= 1.0 <2", 7, Some("write `>=1.0.0 <2.0.0`")),
        (">=1.0.0, <2.0.0", 8, Some("write `>=1.0.0 <2.0.0`")),
        (">=1.0.0,<2.0.0", 8, Some("write `>=1.0.0 <2.0.0`")),
        (">=1.0.0||<0.5.0", 8, Some("write `>=1.0.0 || <0.5.0`")),
        (">=1.0<2", 6, None),
        (">=1.0.0<2.0.0", 8, None),
        (">=1.0.0\t<2.0.0", 8, Some("write `>=1.0.0 <2.0.0`")),
        ("^1.2.3", 1, Some("write `>=1.2.3 <2.0.0`")),
        ("^0.2", 1, Some("write `>=0.2.0 <0.3.0`")),
        ("^0.0.3", 1, Some("write `>=0.0.3 <0.0.4`")),
        ("~1.2", 1, Some("write `>=1.2.0 <1.3.0`")),
        ("~> 1.2.3", 1, Some("write `>=1.2.3 <1.3.0`")),
        ("v1.0.0", 1, Some("write `=1.0.0`")),
        ("1.2 - 2.3", 4, Some("write `>=1.2.0 <2.4.0`")),
        ("1.0.*", 5, Some("write `>=1.0.0 <1.1.0`")),
        ("1.0.0 && >2", 7, Some("write `=1.0.0 >=3.0.0`")),
        (">1.0.0-next.1", 2, None),
        (">=v1.2.0 <v2", 1, Some("write `>=1.2.0 <2.0.0`")),
        ("1.0.0 -2.0.0", 7, None),
        ("^1 || !=2.x", 1, None),
        ("01.0.0", 1, Some("write `=1.0.0`")),
        (">=1.2.3.x", 3, None),
        ("5.0.0 <٣.0.0", 8, None),
        ("١.x", 1, None),
    ];
    for (text, column, hint) in cases {
        let error = Range::parse(text).unwrap_err();
        let expected = (column, hint.map(str::to_owned));
        assert_eq!((error.column, error.hint.clone()), expected, "{text:?}: {error}");
    }
}

#[test]
fn prereleases_are_ordinary_versions_in_order() {
    let range = parse_range(">=1.0.0 <2.0.0");
    assert!(range.matches(&parse_version("2.0.0-rc.1")));
    assert!(!range.matches(&parse_version("1.0.0-rc.1")));
}

#[test]
fn ignores_build_metadata() {
    assert!(parse_range("=1.0.0+a").matches(&parse_version("1.0.0+b")));
    assert!(!parse_range("!=1.0.0").matches(&parse_version("1.0.0+b")));
}

#[test]
fn returns_first_matching_alternative() {
    let range = parse_range("<1.0.0 || >=0.5.0 <3.0.0");
    assert_eq!(range.matched_alternative(&parse_version("0.7.0")), Some(0));
    assert_eq!(range.matched_alternative(&parse_version("2.0.0")), Some(1));
    assert_eq!(range.matched_alternative(&parse_version("3.0.0")), None);
}

#[test]
fn empty_alternative_crashes_only_if_reached() {
    let range = parse_range(">=2.0.0 || * || <1.0.0");
    assert!(range.may_crash());
    assert!(range.matches(&parse_version("2.0.0")) && !range.crashes_on(&parse_version("2.0.0")));
    assert!(!range.matches(&parse_version("0.1.0")) && range.crashes_on(&parse_version("0.1.0")));
    assert!(!super::Range::parse("1.0.0").unwrap().may_crash());
}

#[test]
fn lists_oddities_with_columns() {
    let oddities = |text: &str| {
        let range = parse_range(text);
        range.quirks().iter().map(|o| (o.column, o.kind.clone())).collect::<Vec<_>>()
    };
    assert_eq!(oddities(">=1.0.0 <2.0.0 || 3.x"), []);
    assert_eq!(oddities("! 1.2.3"), [(1, QuirkKind::Ignored('!'))]);
    let dropped = QuirkKind::OperatorDropped { operator: "~".into(), becomes: "=1.0.0".into() };
    assert_eq!(oddities(">0.1.0 ~1.x"), [(8, dropped)]);
    assert_eq!(oddities("<= 1.x.x"), [(4, QuirkKind::MinorIsFixed)]);
    let placeholder = |becomes: &str| QuirkKind::Placeholder { becomes: becomes.to_owned() };
    assert_eq!(oddities(">=0.0.1 <0.1.x-foo"), [(10, placeholder("<0.1.0-foo"))]);
    assert_eq!(oddities(">=1.0.0-alpha.x"), [(3, placeholder(">=1.0.0-alpha.0"))]);
    assert_eq!(oddities(">=1.0.0-next.1 <2.x"), [], "no `.x`");
    assert_eq!(oddities(">=1.x.x"), []);
    assert_eq!(oddities("!=1.x"), [(1, QuirkKind::NeverMatches)]);
    let empty = [(10, QuirkKind::EmptyAlternative)];
    assert_eq!(oddities("1.0.0 || || 2.0.0"), empty);
}

#[test]
fn emptiness_is_exact() {
    for text in [
        ">1.0.0 <1.0.0",
        ">1.0.0 <1.0.1-0",
        ">1.0.0-a <1.0.0-a.0",
        "=1.0.0 !=1.0.0",
        "<0.0.0-0",
        "!=1.2.x",
        ">=1.0.0 <=1.0.0 !=1.0.0",
        ">18446744073709551615.18446744073709551615.18446744073709551615",
    ] {
        assert!(parse_range(text).is_empty(), "{text}");
    }
    for text in [
        "<=0.0.0-0",
        ">1.0.0 <=1.0.1-0",
        "=1.0.0",
        ">=1.0.0 !=1.0.0",
        ">2.0.0 <1.0.0 || 3.0.0",
        "1.0.0 || || 2.0.0",
    ] {
        assert!(!parse_range(text).is_empty(), "{text}");
    }
    let lowest = parse_range(">=1.0.0 !=1.0.0 <1.0.2").alternatives()[0].lowest();
    assert_eq!(lowest, Some(parse_version("1.0.1-0")));
}

#[test]
fn range_without_upper_limit_is_unbounded() {
    for text in [">=1.0.0", ">1.x", "!=1.0.0", "<1.0.0 || >=2.0.0"] {
        assert!(parse_range(text).is_unbounded_above(), "{text}");
    }
    for text in ["=1.0.0", "<1.0.0", ">=1.0.0 <=2.0.0", "1.x", "<1.0.0 || || >=2.0.0"] {
        assert!(!parse_range(text).is_unbounded_above(), "{text}");
    }
}

#[test]
fn parses_long_ranges_quickly() {
    let odd = "x ".repeat(200_000) + ">=1.0.0";
    assert_eq!(parse_range(&odd).quirks().len(), 200_000);
    let full: Vec<String> = (0..20_000).map(|n| format!("!=1.0.{n} !=1.0.{n}-0")).collect();
    assert_eq!(
        parse_range(&(full.join(" ") + " >=1.0.0")).alternatives()[0].lowest(),
        Some(parse_version("1.0.1-0.0"))
    );
    assert!(Range::parse(&"1".repeat(1_000_000)).is_err());
    assert!(Range::parse(&">=1.0.0 ".repeat(100_000)).is_ok());
}
