use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

fn split(path: &str) -> Vec<&str> {
    path.split('/').filter(|part| !part.is_empty()).collect()
}

/// Returns the remaining files of a small tree, given the folder and content of each `.indexignore`.
fn remaining_files(files: &[(&str, &str)]) -> String {
    let tree = ["a.md", "a.yaml", "d/a.md", "d/a.yaml", "d/e/a.yaml", "d/e/f/b.yaml", "e/b.yaml"];
    let mut set = IgnoreSet::new();
    for (dir, text) in files {
        set.add(&split(dir), text).unwrap();
    }
    tree.into_iter().filter(|path| !set.ignores(&split(path))).collect::<Vec<_>>().join(" ")
}

#[test]
fn pattern_without_slash_matches_any_component() {
    let all = "a.md a.yaml d/a.md d/a.yaml d/e/a.yaml d/e/f/b.yaml e/b.yaml";
    let cases = [
        ("", all),
        ("# *\n\n  \t", all),
        ("a.yaml", "a.md d/a.md d/e/f/b.yaml e/b.yaml"),
        ("  *.md  \r\nf\r\n", "a.yaml d/a.yaml d/e/a.yaml e/b.yaml"),
        ("e", "a.md a.yaml d/a.md d/a.yaml"),
        ("e/", "a.md a.yaml d/a.md d/a.yaml"),
        ("a.md/", all),
        ("*/", "a.md a.yaml"),
        ("**", ""),
        ("A.md", all),
        ("{a,b}.yaml", all),
        ("[!a].yaml", "a.md d/a.md d/e/f/b.yaml e/b.yaml"),
        ("[^a].yaml", "a.md a.yaml d/a.md d/a.yaml d/e/a.yaml"),
        ("[a", all),
        ("/", all),
        ("!", all),
        ("\u{feff}a.yaml", all),
        ("a.yaml # comment", all),
    ];
    for (text, expected) in cases {
        assert_eq!(remaining_files(&[("", text)]), expected, "{text:?}");
    }
}

#[test]
fn pattern_with_slash_matches_from_its_folder() {
    let all = "a.md a.yaml d/a.md d/a.yaml d/e/a.yaml d/e/f/b.yaml e/b.yaml";
    let cases = [
        ("/a.yaml", "a.md d/a.md d/a.yaml d/e/a.yaml d/e/f/b.yaml e/b.yaml"),
        ("/e", "a.md a.yaml d/a.md d/a.yaml d/e/a.yaml d/e/f/b.yaml"),
        ("/e/", "a.md a.yaml d/a.md d/a.yaml d/e/a.yaml d/e/f/b.yaml"),
        ("d/e", "a.md a.yaml d/a.md d/a.yaml e/b.yaml"),
        ("d//e", "a.md a.yaml d/a.md d/a.yaml e/b.yaml"),
        ("./a.yaml", all),
        ("d/*", "a.md a.yaml e/b.yaml"),
        ("d/*/", "a.md a.yaml d/a.md d/a.yaml e/b.yaml"),
        ("d/**", "a.md a.yaml e/b.yaml"),
        ("a.md/**", all),
        ("/**", all),
        ("d/**/", "a.md a.yaml e/b.yaml"),
        ("**/a.yaml", "a.md d/a.md d/e/f/b.yaml e/b.yaml"),
        ("**/e/", "a.md a.yaml d/a.md d/a.yaml"),
        ("d/**/b.yaml", "a.md a.yaml d/a.md d/a.yaml d/e/a.yaml e/b.yaml"),
        // The pattern after `**` matches only at the first position: the first component of the path.
        ("**/*/b.yaml", "a.md a.yaml d/a.md d/a.yaml d/e/a.yaml d/e/f/b.yaml"),
        ("d**/a.md", all),
        ("d/[", all),
    ];
    for (text, expected) in cases {
        assert_eq!(remaining_files(&[("", text)]), expected, "{text:?}");
    }
}

#[test]
fn last_match_wins_even_below_ignored_folder() {
    assert_eq!(remaining_files(&[("", "*\n!a.yaml\n")]), "a.yaml d/a.yaml d/e/a.yaml");
    assert_eq!(remaining_files(&[("", "d/\n!d/e/f\n")]), "a.md a.yaml d/e/f/b.yaml e/b.yaml");
    assert_eq!(remaining_files(&[("", "!d\nd\n")]), "a.md a.yaml e/b.yaml");
}

#[test]
fn patterns_apply_only_in_their_folder() {
    assert_eq!(remaining_files(&[("d", "a.yaml\n/e\n")]), "a.md a.yaml d/a.md e/b.yaml");
    assert_eq!(remaining_files(&[("d", "d\n")]), remaining_files(&[]));
}

#[test]
fn later_files_of_walk_win() {
    // `d` sorts after `.indexignore`, `-d` before it. The order of calls does not matter.
    assert_eq!(remaining_files(&[("d", "!*\n"), ("", "*\n")]), "d/a.md d/a.yaml d/e/a.yaml d/e/f/b.yaml");
    let mut set = IgnoreSet::new();
    set.add(&["-d"], "!*\n").unwrap();
    set.add(&[], "*\n").unwrap();
    assert!(set.ignores(&["-d", "a.yaml"]));
}

#[test]
fn returns_deciding_pattern() {
    let mut set = IgnoreSet::new();
    set.add(&[], "# all\n*.md\n").unwrap();
    set.add(&["d"], "\n !a.md \n").unwrap();
    let decision = set.decision(&["d", "a.md"]).unwrap();
    assert_eq!((decision.ignored, decision.line, decision.pattern), (false, 2, "!a.md"));
    assert_eq!(decision.dir, ["d"]);
    assert_eq!(set.decision(&["x.md"]).map(|d| (d.ignored, d.line)), Some((true, 2)));
    assert_eq!(set.decision(&["x.yaml"]), None);
}

#[test]
fn line_beyond_limit_is_an_error() {
    let line = |len: usize| format!("a\n{}\nb", "x".repeat(len));
    assert_eq!(IgnoreSet::new().add(&[], &line(65_535)), Ok(()));
    assert_eq!(IgnoreSet::new().add(&[], &line(65_536)), Err(LineTooLong { line: 2 }));
}

#[test]
fn many_stars_match_quickly() {
    let mut set = IgnoreSet::new();
    set.add(&[], &("**/".repeat(500) + &"*a".repeat(500) + "*b")).unwrap();
    let name = "a".repeat(2_000);
    assert!(!set.ignores(&vec![&*name; 50]));
}

proptest! {
    #[test]
    fn never_panics(
        text in "[]ab*?!/\\\\.\\[\n -]{0,30}",
        dir in prop::collection::vec("[ab]", 0..3),
        path in prop::collection::vec("[ab.]{1,3}", 0..4),
    ) {
        let mut set = IgnoreSet::new();
        set.add(&dir.iter().map(String::as_str).collect::<Vec<_>>(), &text).unwrap();
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        prop_assert_eq!(set.ignores(&path), set.decision(&path).is_some_and(|d| d.ignored));
    }
}

#[derive(serde::Deserialize)]
struct Data {
    files: Vec<String>,
    cases: Vec<Case>,
}

#[derive(serde::Deserialize)]
struct Case {
    name: String,
    indexignore: BTreeMap<String, String>,
    kept_by_opm: Vec<String>,
    error: bool,
}

#[test]
fn keeps_same_files_as_opm() {
    let Some(text) = olmap_testing::read_data_file("indexignore.json") else { return };
    let data: Data = serde_json::from_str(&text).unwrap();
    assert!(!data.cases.is_empty());
    let mut wrong = Vec::new();
    for case in &data.cases {
        let mut set = IgnoreSet::new();
        let results: Vec<_> = case.indexignore.iter().map(|(dir, text)| set.add(&split(dir), text)).collect();
        let mut remaining_files: Vec<&String> =
            data.files.iter().filter(|path| !set.ignores(&split(path))).collect();
        remaining_files.sort();
        if remaining_files.into_iter().ne(&case.kept_by_opm)
            || results.iter().any(Result::is_err) != case.error
        {
            wrong.push(&case.name);
        }
    }
    assert!(wrong.is_empty(), "{} of {} wrong: {wrong:?}", wrong.len(), data.cases.len());
}
