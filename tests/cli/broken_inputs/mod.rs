//! Broken inputs of every command. A command must not succeed if it could not read an input.
//!
//! The manual page lists the arguments of every command. Each argument for a file or directory
//! needs a row in [`rows::ROWS`]; [`every_input_has_a_row`] fails for a new one without a row. Each
//! row is run with a valid input, and once for each kind of breakage. Then the run must exit with 2
//! and name the broken file.

mod files;
mod rows;

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use super::run::{Run, olmap, olmap_in};
use rows::{Breakage, ExpectedOutcome, NOT_INPUTS, ROWS, Row};

/// Runs a command line in a directory.
fn run_line(root: &Path, line: &str) -> Run {
    olmap_in(root, &line.split(' ').collect::<Vec<_>>())
}

/// Breaks a file or directory.
fn break_input(path: &Path, way: Breakage) {
    let append = |bytes: &[u8]| fs::write(path, [&fs::read(path).unwrap()[..], bytes].concat()).unwrap();
    match way {
        Breakage::Missing if path.is_dir() => fs::remove_dir_all(path).unwrap(),
        Breakage::Missing => fs::remove_file(path).unwrap(),
        Breakage::Syntax => append(b"\n{[\n"),
        Breakage::Encoding => append(b"\n# \xff\n"),
        Breakage::Directory => {
            fs::remove_file(path).unwrap();
            fs::create_dir(path).unwrap();
        }
    }
}

/// Returns the fault of a run on a broken input, if there is one.
fn find_complaint(row: &Row, way: Breakage, run: &Run) -> Option<String> {
    let name = Path::new(row.file).file_name().unwrap().to_str().unwrap();
    let is_named = run.err.contains(name) || run.out.contains(name);
    let is_refused = match row.demand {
        ExpectedOutcome::Two | ExpectedOutcome::Refused => run.code == 2,
        ExpectedOutcome::Finding => run.code == 1 || run.code == 2,
        ExpectedOutcome::Named => true,
    };
    let last = |text: &str| text.lines().rev().take(3).collect::<Vec<_>>().join(" / ");
    (!is_named || !is_refused).then(|| {
        format!(
            "olmap {}  [{:?} {}]: ends with {}, names it: {is_named}\n    out: {}\n    err: {}",
            row.line,
            way,
            row.file,
            run.code,
            last(&run.out),
            last(&run.err)
        )
    })
}

/// Runs a row with a valid input and with each breakage. Returns the faults.
fn check_row(row: &Row) -> Vec<String> {
    let mut complaints = Vec::new();
    let fresh = || {
        let root = tempfile::tempdir().unwrap();
        files::write_all_files(root.path());
        root
    };
    if row.demand == ExpectedOutcome::Two {
        let sound = run_line(fresh().path(), row.line);
        if sound.code > 1 {
            complaints.push(format!("olmap {} fails as it is: {}", row.line, sound.err));
        }
    }
    for way in row.ways {
        let root = fresh();
        break_input(&root.path().join(row.file), *way);
        complaints.extend(find_complaint(row, *way, &run_line(root.path(), row.line)));
    }
    complaints
}

#[test]
fn every_command_fails_if_an_input_is_unreadable() {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut complaints = Vec::new();
        while let Some(row) = ROWS.get(next.fetch_add(1, Ordering::Relaxed)) {
            complaints.extend(check_row(row));
        }
        complaints
    };
    let workers = thread::available_parallelism().map_or(2, usize::from);
    let complaints: Vec<String> = thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let inputs: BTreeSet<&str> = ROWS.iter().map(|row| row.input).collect();
    let pairs: BTreeSet<(&str, &str)> = ROWS.iter().map(|row| (row.input, row.file)).collect();
    let runs: usize = ROWS.iter().map(|row| row.ways.len()).sum();
    println!("{} arguments, {} pairs of argument and file, {runs} broken runs", inputs.len(), pairs.len());
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}

/// Returns all pairs of command and argument on the manual page.
fn manual_arguments() -> Vec<(String, String)> {
    let page = olmap(&["man", "--format", "markdown"]).exits(0).out;
    let mut command = String::new();
    let mut all = Vec::new();
    for line in page.lines() {
        if line.starts_with("##") {
            line.trim_start_matches('#').trim().clone_into(&mut command);
        }
        let argument = line.strip_prefix("- `").and_then(|rest| rest.split('`').next());
        if let Some(argument) = argument {
            all.push((command.clone(), argument.to_owned()));
        }
    }
    all
}

#[test]
fn every_input_has_a_row() {
    let known: BTreeSet<&str> = ROWS.iter().map(|row| row.input).collect();
    let mut missing = Vec::new();
    let mut inputs = 0;
    for (command, argument) in manual_arguments() {
        let Some(value) = rows::input_value(&argument) else { continue };
        inputs += 1;
        // A row has the long name of `-f, --file FILE`.
        let name = match argument.rsplit_once(' ') {
            Some((flags, _)) if flags.starts_with('-') => {
                flags.rsplit(", ").next().unwrap_or(flags).to_owned()
            }
            _ => value.to_owned(),
        };
        let input = format!("{} {name}", command.trim_start_matches("olmap").trim());
        let input = input.trim();
        if !known.contains(input) && !NOT_INPUTS.contains(&input) {
            missing.push(input.to_owned());
        }
    }
    assert!(inputs > 100, "the manual page is not what it was: {inputs}");
    assert!(missing.is_empty(), "tests/cli/broken_inputs/rows.rs lacks {missing:#?}");
}
