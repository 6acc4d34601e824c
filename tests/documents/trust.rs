//! Check of `docs/trust.md`: every named test, fuzz target and benchmark exists and is run.

use std::{collections::BTreeSet, path::Path};

use super::read_document;

/// Evidence for a promise.
#[derive(Debug, PartialEq, Eq)]
enum Evidence<'t> {
    Test { file: &'t str, function: &'t str },
    Fuzzed(&'t str),
    Measured(&'t str),
}

impl<'t> Evidence<'t> {
    /// Parses the code of a cell.
    fn parse_evidence(code: &'t str) -> Result<Self, String> {
        match code.split_once("::") {
            Some(("fuzz", target)) => Ok(Self::Fuzzed(target)),
            Some((file, function)) if Path::new(file).extension().is_some_and(|of| of == "rs") => {
                Ok(Self::Test { file, function })
            }
            None if code.starts_with("benches/") => Ok(Self::Measured(code)),
            _ => Err(format!("{code} names neither a test nor a fuzz target nor a measurement")),
        }
    }

    /// Returns the error of the evidence, if there is one.
    fn find_error(&self) -> Option<String> {
        match self {
            Self::Test { file, .. } | Self::Measured(file) if !Path::new(file).exists() => {
                Some(format!("there is no {file}"))
            }
            Self::Test { file, function } => check_test(&read_document(file), function)
                .err()
                .map(|why| format!("{file}::{function} {why}")),
            Self::Fuzzed(target) => {
                let is_there = read_document("fuzz/Cargo.toml")
                    .contains(&format!("name = \"{target}\"\npath ="))
                    && Path::new(&format!("fuzz/fuzz_targets/{target}.rs")).is_file();
                (!is_there).then(|| format!("there is no fuzz target {target}"))
            }
            Self::Measured(_) => None,
        }
    }
}

/// Checks that a file has a test of that name which is not ignored.
pub(super) fn check_test(source: &str, function: &str) -> Result<(), &'static str> {
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let head = format!("fn {function}(");
    let at = lines.iter().position(|line| line.starts_with(&head)).ok_or("is not there")?;
    let above = lines[..at].iter().rev().take_while(|line| line.starts_with("#[") || line.starts_with("//"));
    let attributes: Vec<&str> = above.copied().filter(|line| line.starts_with("#[")).collect();
    if !attributes.contains(&"#[test]") {
        return Err("is no test");
    }
    if attributes.iter().any(|attribute| attribute.contains("ignore")) {
        return Err("is ignored");
    }
    Ok(())
}

/// Returns the table rows: promise and evidence.
fn table_rows(text: &str) -> Vec<(&str, &str)> {
    let lines = text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| promised |"));
    lines
        .map(|line| {
            let mut cells = line.trim_matches('|').split(" | ");
            let promise = cells.next().unwrap_or_default();
            (promise.trim(), cells.last().unwrap_or_default().trim())
        })
        .collect()
}

#[test]
fn every_promise_has_tests_that_are_run() {
    let text = read_document("docs/trust.md");
    let rows = table_rows(&text);
    assert!(rows.len() > 40, "{}", rows.len());
    let (mut wrong, mut named) = (Vec::new(), 0);
    for (promise, shown) in rows {
        let codes: Vec<&str> = shown.split('`').skip(1).step_by(2).collect();
        if codes.is_empty() {
            wrong.push(format!("nothing shows: {promise}"));
        }
        let mut seen = BTreeSet::new();
        for code in codes {
            named += 1;
            if !seen.insert(code) {
                wrong.push(format!("{code} is named twice for: {promise}"));
            }
            wrong.extend(match Evidence::parse_evidence(code) {
                Ok(shown) => shown.find_error(),
                Err(why) => Some(why),
            });
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(named > 150, "{named}");
}

#[test]
fn every_fuzz_target_is_documented() {
    let (cargo, text) = (read_document("fuzz/Cargo.toml"), read_document("docs/fuzzing.md"));
    let targets: Vec<&str> =
        cargo.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"')).collect();
    let targets: Vec<&str> = targets.into_iter().filter(|name| *name != "olmap-fuzz").collect();
    assert!(targets.len() > 20, "{targets:?}");
    for target in targets {
        assert!(Path::new(&format!("fuzz/fuzz_targets/{target}.rs")).is_file(), "{target}");
        assert!(text.contains(&format!("\n| `{target}` |")), "docs/fuzzing.md does not tell of {target}");
    }
}

#[test]
fn ignored_and_missing_tests_are_not_evidence() {
    let source = "#[test]\nfn a() {}\n/// b\n#[test]\n#[ignore = \"x\"]\nfn b() {}\nfn c() {}\n    #[test]\n    fn d() {}\n#[cfg_attr(unix, ignore)]\n#[test]\nfn e() {}\n";
    assert_eq!(check_test(source, "a"), Ok(()));
    assert_eq!(check_test(source, "b"), Err("is ignored"));
    assert_eq!(check_test(source, "c"), Err("is no test"));
    assert_eq!(check_test(source, "d"), Ok(()));
    assert_eq!(check_test(source, "e"), Err("is ignored"));
    assert_eq!(check_test(source, "f"), Err("is not there"));
    assert_eq!(
        Evidence::parse_evidence("tests/a.rs::b"),
        Ok(Evidence::Test { file: "tests/a.rs", function: "b" })
    );
    assert!(Evidence::parse_evidence("tests/a.rs").is_err() && Evidence::parse_evidence("a::b").is_err());
    assert!(
        Evidence::Fuzzed("no-such").find_error().is_some()
            && Evidence::Measured("benches/no.rs").find_error().is_some()
    );
}
