//! Check of `docs/trust.md`: every named test, fuzz target and benchmark exists and is run.

use std::{collections::BTreeSet, path::Path};

use super::read;

/// Evidence for a promise.
#[derive(Debug, PartialEq, Eq)]
enum Shown<'t> {
    Test { file: &'t str, function: &'t str },
    Fuzzed(&'t str),
    Measured(&'t str),
}

impl<'t> Shown<'t> {
    /// Parses the code of a cell.
    fn of(code: &'t str) -> Result<Self, String> {
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
    fn judge(&self) -> Option<String> {
        match self {
            Self::Test { file, .. } | Self::Measured(file) if !Path::new(file).exists() => {
                Some(format!("there is no {file}"))
            }
            Self::Test { file, function } => {
                test_of(&read(file), function).err().map(|why| format!("{file}::{function} {why}"))
            }
            Self::Fuzzed(target) => {
                let is_there = read("fuzz/Cargo.toml").contains(&format!("name = \"{target}\"\npath ="))
                    && Path::new(&format!("fuzz/fuzz_targets/{target}.rs")).is_file();
                (!is_there).then(|| format!("there is no fuzz target {target}"))
            }
            Self::Measured(_) => None,
        }
    }
}

/// Checks that a file has a test of that name which is not ignored.
fn test_of(source: &str, function: &str) -> Result<(), &'static str> {
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
fn rows(text: &str) -> Vec<(&str, &str)> {
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
    let text = read("docs/trust.md");
    let rows = rows(&text);
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
            wrong.extend(match Shown::of(code) {
                Ok(shown) => shown.judge(),
                Err(why) => Some(why),
            });
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(named > 150, "{named}");
}

#[test]
fn every_fuzz_target_is_documented() {
    let (cargo, text) = (read("fuzz/Cargo.toml"), read("docs/fuzzing.md"));
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
    assert_eq!(test_of(source, "a"), Ok(()));
    assert_eq!(test_of(source, "b"), Err("is ignored"));
    assert_eq!(test_of(source, "c"), Err("is no test"));
    assert_eq!(test_of(source, "d"), Ok(()));
    assert_eq!(test_of(source, "e"), Err("is ignored"));
    assert_eq!(test_of(source, "f"), Err("is not there"));
    assert_eq!(Shown::of("tests/a.rs::b"), Ok(Shown::Test { file: "tests/a.rs", function: "b" }));
    assert!(Shown::of("tests/a.rs").is_err() && Shown::of("a::b").is_err());
    assert!(Shown::Fuzzed("no-such").judge().is_some() && Shown::Measured("benches/no.rs").judge().is_some());
}
