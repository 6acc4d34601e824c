//! What suites say of a bundle, as text and as JSON.

use std::fmt::Write as _;

use serde::Serialize;

use crate::{
    bundle::{
        Tree,
        registry::BundlePlace,
        suites::{Level, Verdict},
    },
    export::{json, plain},
};

#[derive(Serialize)]
struct Row<'v> {
    validator: &'v str,
    level: &'static str,
    field: &'v str,
    message: &'v str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'v str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

/// A list with a verdict a row.
pub fn json(verdicts: &[Verdict], tree: &Tree) -> String {
    let rows: Vec<Row> = verdicts
        .iter()
        .map(|verdict| Row {
            validator: verdict.validator,
            level: spelled(verdict.level),
            field: &verdict.field,
            message: &verdict.message,
            file: verdict.place.as_ref().map(|place| place.file.as_str()),
            line: verdict.place.as_ref().and_then(|place| line(place, tree)),
        })
        .collect();
    json::pretty(&rows)
}

/// A verdict a line, and a sum.
pub fn text(verdicts: &[Verdict], tree: &Tree) -> String {
    let mut out = String::new();
    for verdict in verdicts {
        let place = match &verdict.place {
            Some(place) => match line(place, tree) {
                Some(line) => format!("{}:{line}: ", place.file),
                None => format!("{}: ", place.file),
            },
            None => String::new(),
        };
        let level = spelled(verdict.level).to_lowercase();
        let message = format!("{place}{level} {}: {}", verdict.validator, verdict.message);
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}", plain::line(&message));
    }
    let count = |level| verdicts.iter().filter(|verdict| verdict.level == level).count();
    let plural = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
    let (errors, warnings) = (count(Level::Error), count(Level::Warning));
    let _ = writeln!(out, "{}, {}", plural(errors, "error"), plural(warnings, "warning"));
    out
}

fn spelled(level: Level) -> &'static str {
    match level {
        Level::Error => "Error",
        Level::Warning => "Warning",
    }
}

/// The line of a place, the first being 1.
fn line(place: &BundlePlace, tree: &Tree) -> Option<usize> {
    let file = tree.files.get(tree.position(&place.file)?)?;
    let before = file.bytes().get(..place.span.start as usize)?;
    Some(memchr::memchr_iter(b'\n', before).count() + 1)
}
