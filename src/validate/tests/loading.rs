//! Rules about files and texts, which no case of `cases.txt` can break, and the table of rules itself.

use std::{collections::HashSet, path::PathBuf};

use super::findings;
use crate::{
    catalog::{
        Catalog, Origin, load,
        problem::{Problem, ProblemKind, ProblemPlace},
    },
    validate::rules,
};

fn rule_ids(catalog: &Catalog) -> Vec<&'static str> {
    findings(catalog).iter().map(|finding| finding.rule.id).collect()
}

#[test]
fn an_unreadable_file() {
    let at = ProblemPlace::File(PathBuf::from("a/catalog.yaml"));
    let problem = Problem { at, kind: ProblemKind::Unreadable("permission denied".to_owned()) };
    let catalog = Catalog::new(Origin::Stdin, Vec::new(), vec![problem]);
    assert_eq!(rule_ids(&catalog), ["unreadable-file"]);
}

#[cfg(unix)]
#[test]
fn bad_links_and_bad_patterns() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("nowhere", folder.path().join("link.yaml")).unwrap();
    assert_eq!(rule_ids(&super::open(folder.path())), ["bad-link"]);
    std::fs::remove_file(folder.path().join("link.yaml")).unwrap();
    std::fs::write(folder.path().join(".indexignore"), "a".repeat(70_000)).unwrap();
    assert_eq!(rule_ids(&super::open(folder.path())), ["bad-indexignore"]);
}

#[test]
fn broken_texts() {
    let deep = format!("schema: custom\na: {}{}", "[".repeat(10_001), "]".repeat(10_001));
    let cases: [(&[u8], &[&str]); 6] = [
        (b"{\"schema\": \"a\"}{\"schema\": \"b\"}{\"schema\": }", &["json-syntax"]),
        (b"schema: custom\na: \xe9\n", &["not-utf8"]),
        (b"\xff\xfes\0c\0h\0e\0m\0a\0", &["not-utf8"]),
        (deep.as_bytes(), &["too-complex"]),
        (b"{\"schema\": \"custom\"}", &[]),
        (b"", &[]),
    ];
    for (text, expected) in cases {
        let shown = String::from_utf8_lossy(&text[..text.len().min(30)]).into_owned();
        assert_eq!(rule_ids(&load::from_bytes(text.to_vec())), expected, "{shown}");
    }
}

#[test]
fn the_table_is_tidy() {
    let mut ids = HashSet::new();
    for rule in rules::ALL {
        assert!(ids.insert(rule.id), "{} twice", rule.id);
        assert!(
            rule.id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'),
            "{}",
            rule.id
        );
        assert!(rule.title.starts_with(char::is_uppercase), "{}", rule.title);
        assert!(
            !rule.title.ends_with('.') && !rule.help.ends_with('.') && !rule.help.is_empty(),
            "{}",
            rule.id
        );
        assert!(std::ptr::eq(rules::by_id(rule.id).unwrap(), *rule));
        // What opm rejects is an error.
        assert!(!rule.parity || rule.severity == crate::validate::Severity::Error, "{}", rule.id);
    }
}
