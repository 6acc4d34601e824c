//! Manual pages: one per command, without warnings of manual page readers.

use std::{collections::BTreeSet, fs, process::Command};

use super::run::{command, run_with_input};

/// Returns the commands in the help of a command.
fn listed_commands(words: &[&str]) -> Vec<String> {
    let help = run_with_input(command().args(words).arg("-h"), b"").exits(0).out;
    // The help of the program has a list for each subject.
    let list = match words {
        [] => help.split("\nExplore:\n").nth(1).and_then(|help| help.split("\nArguments:\n").next()),
        _ => help.split("Commands:\n").nth(1).and_then(|help| help.split("\n\n").next()),
    };
    let lines = list.unwrap_or_default().lines().filter(|line| line.starts_with("  "));
    let names =
        lines.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

/// Collects the page names of a command and its subcommands.
fn collect_pages(words: &[&str], found: &mut BTreeSet<String>) {
    let name: Vec<&str> = std::iter::once("olmap").chain(words.iter().copied()).collect();
    found.insert(format!("{}.1", name.join("-")));
    for name in listed_commands(words) {
        collect_pages(&[words, &[name.as_str()]].concat(), found);
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    run_with_input(command().arg("man").arg("--dir").arg(folder.path()), b"").exits(0);
    let files = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap());
    let names = files.map(|file| file.file_name().into_string().unwrap());
    let written: BTreeSet<String> = names.collect();
    let mut wanted = BTreeSet::new();
    collect_pages(&[], &mut wanted);
    // The help does not list it.
    collect_pages(&["cel"], &mut wanted);
    assert!(wanted.len() > 60, "{wanted:?}");
    assert_eq!(written, wanted);
    for page in &written {
        let text = fs::read_to_string(folder.path().join(page)).unwrap();
        for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"] {
            assert!(
                text.contains(&format!("\n.SH {section}\n"))
                    || text.contains(&format!("\n.SH \"{section}\"\n")),
                "{page}: {section}"
            );
        }
        // Pages under SEE ALSO exist.
        let named = text.replace("\\-", "-").replace("\\fR", "");
        for (before, _) in named.match_indices("(1)").map(|(at, _)| named.split_at(at)) {
            let name = before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '-').next().unwrap();
            let name = name.trim_start_matches("fB");
            assert!(written.contains(&format!("{name}.1")), "{page} names {name}");
        }
    }
    let Ok(lint) = Command::new("mandoc")
        .args(["-T", "lint", "-W", "warning"])
        .args(written.iter().map(|page| folder.path().join(page)))
        .output()
    else {
        return eprintln!("skipped: no mandoc");
    };
    let said = String::from_utf8_lossy(&lint.stdout);
    // Pages are reproducible, because they have no date.
    let said: Vec<&str> = said.lines().filter(|line| !line.contains("missing date")).collect();
    assert!(said.is_empty(), "{said:#?}");
}
