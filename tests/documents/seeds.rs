//! Check of `docs/seeds.md`: every named rule, command, option and test exists.

use std::path::Path;

use super::{read_document, trust::check_test};

/// Number of statements in the review of the seed documents. More were found later.
const REVIEWED: usize = 113;

/// Code in the third column that is neither a rule nor a command.
const OTHER_CODES: [&str; 14] = [
    // Keys of the explorer.
    "V",
    "p",
    // Sections of `bundle show`.
    "dependencies",
    "installModes",
    "objects",
    "requirements",
    "webhooks",
    // Gates, and words of the output.
    "ROLLBACK",
    "changed-bundles",
    "new-deprecation-blocks",
    "removed-object",
    // Paths, and another program.
    ".db",
    "git:REV",
    "opm serve",
];

/// Row of a table of the page.
struct Row<'t> {
    number: usize,
    statement: &'t str,
    /// Commands, rules and screens of olmap, or the reason for none.
    support: &'t str,
    tests: &'t str,
}

fn statement_rows(text: &str) -> Vec<Row<'_>> {
    let lines = text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| # |"));
    lines
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
            let [number, statement, support, tests] = cells[..] else { panic!("{line}") };
            Row { number: number.parse().unwrap(), statement, support, tests }
        })
        .collect()
}

fn codes(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// Returns the help of a command in `docs/commands.md`; `None` if there is no such command.
fn command_help<'t>(commands: &'t str, name: &str) -> Option<&'t str> {
    let heading = format!("# olmap {name}\n");
    let (_, help) = commands.split_once(&heading)?;
    Some(help.split("\n#").next().unwrap_or(help))
}

/// Checks a command with options, such as `list --where`.
fn check_command(commands: &str, code: &str) -> Result<(), String> {
    let words: Vec<&str> = code.split(' ').collect();
    let (options, names): (Vec<&str>, Vec<&str>) = words.into_iter().partition(|word| word.starts_with('-'));
    // Words after an option are its value.
    let count = code.split(' ').take_while(|word| !word.starts_with('-')).count();
    let names = &names[..count];
    let command = |count: usize| command_help(commands, &names[..count].join(" ")).map(|help| (count, help));
    let (count, help) = (1..=count).rev().find_map(command).ok_or_else(|| format!("no command {code}"))?;
    // Other words are values of its arguments, such as `list catalogs`.
    let mut words = names[count..].iter().chain(&options);
    match words.find(|word| !help.contains(**word)) {
        Some(word) => Err(format!("{} has no {word}", names[..count].join(" "))),
        None => Ok(()),
    }
}

fn check_code(commands: &str, code: &str) -> Result<(), String> {
    if olm_check::rules::by_id(code).is_some_and(|rule| rule.id == code) || OTHER_CODES.contains(&code) {
        return Ok(());
    }
    check_command(commands, code)
}

fn check_test_name(name: &str) -> Result<(), String> {
    let (file, function) = name.split_once("::").ok_or_else(|| format!("{name} is not FILE::FUNCTION"))?;
    if !Path::new(env!("CARGO_MANIFEST_DIR")).join(file).is_file() {
        return Err(format!("there is no {file}"));
    }
    check_test(&read_document(file), function).map_err(|why| format!("{name} {why}"))
}

#[test]
fn every_seed_statement_has_a_test_or_a_reason() {
    let (text, commands) = (read_document("docs/seeds.md"), read_document("docs/commands.md"));
    let rows = statement_rows(&text);
    assert!(rows.len() >= REVIEWED, "{}", rows.len());
    let is_used = |code: &str| rows.iter().any(|row| codes(row.support).any(|used| used == code));
    let unused: Vec<&str> = OTHER_CODES.into_iter().filter(|code| !is_used(code)).collect();
    assert!(unused.is_empty(), "{unused:?}");
    let mut wrong = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let mut report = |why: &str| wrong.push(format!("{}: {why}", row.statement));
        if row.number != at + 1 {
            report(&format!("has number {}, not {}", row.number, at + 1));
        }
        if codes(row.tests).next().is_none() && !row.support.starts_with("**No.**") {
            report("has neither a test nor a reason");
        }
        for code in codes(row.support) {
            check_code(&commands, code).unwrap_or_else(|why| report(&why));
        }
        for name in codes(row.tests) {
            check_test_name(name).unwrap_or_else(|why| report(&why));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn unknown_names_in_a_statement_are_errors() {
    let commands =
        "## olmap list\n\n--where <KEY>\nValues: images\n\n### olmap list all\n\n--deep\n\n## olmap stuck\n";
    for (code, is_known) in [
        ("list", true),
        ("list --where", true),
        ("list --where arch", true),
        ("list all --deep", true),
        ("list images --where", true),
        ("list --deep", false),
        ("list none", false),
        ("lists", false),
        ("missing-image", true),
        ("missing-images", false),
    ] {
        assert_eq!(check_code(commands, code).is_ok(), is_known, "{code}");
    }
    let of_this_file = |function: &str| check_test_name(&format!("tests/documents/seeds.rs::{function}"));
    assert!(of_this_file("unknown_names_in_a_statement_are_errors").is_ok());
    assert!(of_this_file("no_such_test").is_err() && of_this_file("codes").is_err());
    assert!(check_test_name("tests/documents/none.rs::a").is_err());
}
