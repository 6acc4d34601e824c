//! Tests of the rules of the dialect.

use super::*;

/// Returns the versions of a fixed set that satisfy a constraint.
fn matching_versions(text: &str) -> String {
    let versions = [
        "0.0.0", "0.0.3", "0.0.4", "0.2.3", "0.3.0", "1.0.0", "1.2.3", "1.2.4", "1.3.0", "2.0.0", "11.0.0",
        "11.1.0",
    ];
    let constraint = Constraint::parse(text).unwrap();
    let matches = |v: &&str| constraint.matches(&Version::parse(v).unwrap());
    versions.into_iter().filter(matches).collect::<Vec<_>>().join(" ")
}

#[test]
fn constraints_match_like_library() {
    let all = "0.0.0 0.0.3 0.0.4 0.2.3 0.3.0 1.0.0 1.2.3 1.2.4 1.3.0 2.0.0 11.0.0 11.1.0";
    let cases = [
        ("1.2.3", "1.2.3"),
        ("=v1.2.3+b", "1.2.3"),
        ("01.02.03", "1.2.3"),
        ("1.2", "1.2.3 1.2.4"),
        ("1.2.X", "1.2.3 1.2.4"),
        ("=1", "1.0.0 1.2.3 1.2.4 1.3.0"),
        ("1.x.7", "1.0.0 1.2.3 1.2.4 1.3.0"),
        ("*", all),
        ("*.7.|", all),
        ("!=*", "0.0.3 0.0.4 0.2.3 0.3.0 1.0.0 1.2.3 1.2.4 1.3.0 2.0.0 11.0.0 11.1.0"),
        ("!=1, <3", "0.0.0 0.0.3 0.0.4 0.2.3 0.3.0 2.0.0"),
        ("!=1.2 >=1 <2", "1.0.0 1.3.0"),
        ("!=1.2.3 >=1 <2", "1.0.0 1.2.4 1.3.0"),
        (">1.2 <3", "1.3.0 2.0.0"),
        (">1 <3", "2.0.0"),
        (">11", ""),
        (">11.0.0", "11.1.0"),
        (">* <0.3", "0.0.3 0.0.4 0.2.3"),
        ("=>2", "2.0.0 11.0.0 11.1.0"),
        ("<1", "0.0.0 0.0.3 0.0.4 0.2.3 0.3.0"),
        ("<=1.2 >=1", "1.0.0 1.2.3 1.2.4"),
        ("=<1 >=1", "1.0.0 1.2.3 1.2.4 1.3.0"),
        ("<=*", "0.0.0 0.0.3 0.0.4"),
        ("<=1.2.3 >1.0.0", "1.2.3"),
        ("~1.2.3", "1.2.3 1.2.4"),
        ("~> 1.2", "1.2.3 1.2.4"),
        ("~1", "1.0.0 1.2.3 1.2.4 1.3.0"),
        ("~0.0.3", "0.0.3 0.0.4"),
        ("~0.0.0", all),
        ("~*", all),
        ("^1.2.3", "1.2.3 1.2.4 1.3.0"),
        ("^0.2.3", "0.2.3"),
        ("^0.0.3", "0.0.3"),
        ("^0.0", "0.0.0 0.0.3 0.0.4"),
        ("^0", "0.0.0 0.0.3 0.0.4 0.2.3 0.3.0"),
        ("^*", "0.0.0"),
        ("1.2 - 1.3", "1.2.3 1.2.4 1.3.0"),
        ("1.2.4 - 2 || 0.0.3 - 0.2", "0.0.3 0.0.4 0.2.3 1.2.4 1.3.0 2.0.0"),
        // A blank is inserted after a rewritten hyphen range, so this is two clauses.
        ("1.2 - 1.3!=1.2.4", "1.2.3 1.3.0"),
        (" >=1 ,\t<2\n", "1.0.0 1.2.3 1.2.4 1.3.0"),
        ("<0.0.3||>11.0.0", "0.0.0 11.1.0"),
    ];
    for (text, expected) in cases {
        assert_eq!(matching_versions(text), expected, "{text}");
    }
}

#[test]
fn prereleases_need_a_prerelease_in_their_group() {
    let cases = [
        (">=1.0.0", "1.5.0-rc.1", false),
        (">=1.0.0-0", "1.5.0-rc.1", true),
        (">=1.0.0, <2.0.0-0", "1.5.0-rc.1", true),
        (">=1.0.0 || <0.1.0-0", "1.5.0-rc.1", false),
        ("1.0.0-2.0.0", "1.0.0-2.0.0", true),
        ("^1.2-0", "2.0.0-rc", false),
        ("*-0", "0.0.0-1", true),
        ("!=1.2, >0.0.0-0", "1.2.3", false),
        ("!=1.2, >0.0.0-0", "1.2.3-rc", true),
        ("!=1, >0.0.0-0", "1.2.3-rc", false),
        (">=1.0.0-9", "1.0.0-10", true),
        (">=1.0.0-9", "1.0.0-a", true),
        (">=1.0.0-a.0", "1.0.0-a", false),
        // Beyond 64 bits a number is compared as a word.
        (">=1.0.0-99999999999999999999", "1.0.0-18446744073709551615", false),
        (">=1.0.0-99999999999999999999", "1.0.0-a", true),
    ];
    for (text, version, expected) in cases {
        let constraint = Constraint::parse(text).unwrap();
        assert_eq!(constraint.matches(&Version::parse(version).unwrap()), expected, "{text} on {version}");
    }
}

#[test]
fn rejects_invalid_constraints_with_column_and_suggestion() {
    let cases = [
        ("", 1, None),
        ("  ", 3, None),
        ("1.0 ||", 7, None),
        ("|| 1.0", 1, None),
        (",1.0", 1, None),
        ("1.0,", 5, None),
        ("1.0,,2.0", 5, None),
        ("==1.0.0", 1, Some("write `=1.0.0`")),
        ("==1.0", 1, Some("write `=1.0`")),
        ("!1.0.0", 1, Some("write `!=1.0.0`")),
        ("> =1.0.0", 3, Some("write `>=1.0.0`")),
        (">=1.0.0 == 2.0.0", 9, Some("write `>=1.0.0 =2.0.0`")),
        (">=1.0.0<2.0.0", 8, Some("write `>=1.0.0 <2.0.0`")),
        (">=1 && <2", 5, Some("write `>=1, <2`")),
        ("1.0.0 -2.0.0", 7, None),
        ("1.2.3.4", 6, None),
        ("V1.2", 1, Some("write `v1.2`")),
        ("1.0-01", 5, None),
        ("1.0-a..b", 6, None),
        ("1|2", 1, None),
        ("xx", 1, None),
        ("99999999999999999999", 1, None),
        ("1.a", 2, None),
        ("foo", 1, None),
        // The library consumes the blank before a hyphen range.
        ("1.0 2.0 - 3.0", 5, None),
        (">=1.0 - 2.0", 1, None),
        // The bars count as a part of the version.
        ("1.2.4 - 2||0.3 - 0.4", 16, Some("write `1.2.4 - 2 || 0.3 - 0.4`")),
        ("1 - 2 - 3", 7, None),
        ("é1.0", 1, None),
        ("1.0\u{a0}2", 4, None),
    ];
    for (text, column, hint) in cases {
        let error = Constraint::parse(text).unwrap_err();
        let expected = (column, hint.map(str::to_owned));
        assert_eq!((error.column, error.hint.clone()), expected, "{text:?}: {error}");
    }
}

#[test]
fn has_limits_of_library() {
    let ok = |text: &str| Constraint::parse(text).is_ok();
    assert!(ok(&vec!["1"; 32].join("||")) && !ok(&vec!["1"; 33].join("||")));
    assert!(ok(&format!("1{}", " ".repeat(511))) && !ok(&format!("1{}", " ".repeat(512))));
    assert!(ok(&format!("1.0.0-{}", "a".repeat(250))) && !ok(&format!("1.0.0-{}", "a".repeat(251))));
    // Build metadata of a partial version is ignored.
    assert!(ok(&format!("1.0+{}", "a".repeat(300))) && !ok(&format!("1.0.0+{}", "a".repeat(300))));
}
