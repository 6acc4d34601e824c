//! Every command with hostile catalogs, files, arguments and variables. The output must not contain
//! active or hidden characters, unintended commands for a CI runner, or invalid JSON.
//!
//! By default, a few combined texts are used. With `OLMAP_ATTACK=large`, each text is used
//! separately, together with random ones (docs/trust.md). `OLMAP_HOSTILE_PROGRAM=PATH` tests
//! another build.

pub mod commands;
mod files;
mod readers;
mod strings;

use std::{
    collections::BTreeSet,
    env,
    ffi::OsString,
    fs,
    process::Command,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use super::run::{command, olmap, run_with_input};
use super::{large, page};
use commands::{Kind, all_lines};
use files::Files;

/// Returns the placeholders of command lines with their values.
fn placeholders(files: &Files, text: &str) -> Vec<(&'static str, String)> {
    let path = |name: &str| files.root.join(name).to_string_lossy().into_owned();
    let [a, b, c] = files.names.bundles.clone();
    // Arguments cannot contain a zero byte.
    let argument = text.replace('\0', "");
    vec![
        ("{cat}", path("new")),
        ("{old}", path("old")),
        ("{broken}", path("broken")),
        ("{template}", path("template.json")),
        ("{basic}", path("basic.json")),
        ("{repository}", path("repository")),
        ("{expect}", path("expect.json")),
        ("{mistakes}", path("mistakes.json")),
        ("{questions}", path("questions.jsonl")),
        ("{config}", path("config.toml")),
        ("{bundle}", path("bundle.json")),
        ("{bundle-dir}", path("bundle-dir")),
        ("{old-crds}", path("old-crds.json")),
        ("{new-crds}", path("new-crds.json")),
        ("{pairs}", path("pairs.jsonl")),
        ("{icon}", path("icon.svg")),
        ("{imageset}", path("imageset.json")),
        ("{cluster}", path("cluster.json")),
        ("{asking}", path("asking.json")),
        ("{not-edits}", path("not-edits.json")),
        ("{root}", path("")),
        ("{file}", files::file_name(text)),
        ("{package}", files.names.package.clone()),
        ("{channel}", files.names.channel.clone()),
        ("{fast}", format!("fast{argument}")),
        ("{a}", a),
        ("{b}", b),
        ("{c}", c),
        ("{H}", argument),
    ]
}

fn hostile_program() -> Command {
    let Some(other) = env::var_os("OLMAP_HOSTILE_PROGRAM") else { return command() };
    let mut command = Command::new(other);
    command.env_remove("NO_COLOR").env("OLMAP_CONFIG", "none").env("TERM", "xterm-256color");
    command
}

/// Runs a command line and returns the faults of its output.
fn check_command_line(line: &str, kind: Kind, files: &Files, text: &str) -> Vec<String> {
    let words = placeholders(files, text);
    let arguments = line.split(' ').map(|word| {
        let known = words.iter().fold(word.to_owned(), |word, (name, is)| word.replace(name, is));
        OsString::from(known)
    });
    let variable = text.replace('\0', "");
    let mut command = hostile_program();
    // `cache clear` must not touch the cache of the user.
    command.args(arguments).current_dir(&files.root).env("HOME", &files.root);
    for name in ["LC_ALL", "TERM_PROGRAM", "COLORFGBG", "VISUAL", "XDG_CACHE_HOME", "XDG_STATE_HOME"] {
        command.env(name, &variable);
    }
    let run = run_with_input(&mut command, b"");
    let mut wrong = Vec::new();
    if run.code > 2 || run.err.contains("panicked") {
        wrong.push(format!("ends with {}: {}", run.code, run.err));
    }
    if run.out.is_empty() && run.err.is_empty() {
        wrong.push("says nothing".to_owned());
    }
    // `--color` applies to standard error too.
    let of_errors = if kind == Kind::Painted { kind } else { Kind::Text };
    check_printed(&run.err, of_errors, &mut |what| wrong.push(format!("standard error: {what}")));
    check_printed(&run.out, kind, &mut |what| wrong.push(format!("standard output: {what}")));
    wrong
}

/// Checks printed text, and reports faults.
fn check_printed(printed: &str, kind: Kind, wrong: &mut dyn FnMut(String)) {
    if kind == Kind::Data {
        return;
    }
    for painted in printed.lines() {
        let line = if kind == Kind::Painted { readers::strip_colors(painted) } else { painted.to_owned() };
        let line = line.as_str();
        if let Some(c) = line.chars().find(|c| readers::is_active(*c)) {
            wrong(format!("U+{:04X} acts in {line:?}", u32::from(c)));
        }
        if let Some(c) = line.chars().find(|c| readers::is_invisible(*c)) {
            wrong(format!("U+{:04X} hides in {line:?}", u32::from(c)));
        }
        let is_meant = kind == Kind::Commands
            && ["::error ", "::warning ", "::notice "].iter().any(|name| line.starts_with(name))
            && !line.contains("##[");
        let command = readers::runner_command(painted).or_else(|| readers::runner_command(line));
        if let Some(what) = command.filter(|_| !is_meant) {
            wrong(format!("{what}: {line:?}"));
        }
    }
    let is_json = |text: &str| serde_json::from_str::<serde_json::Value>(text).is_ok();
    let is_right = match kind {
        // A failed command prints nothing.
        Kind::Json => printed.is_empty() || is_json(printed),
        Kind::Lines => printed.lines().all(is_json),
        Kind::Text | Kind::Painted | Kind::Commands | Kind::Data | Kind::Page => true,
    };
    if kind == Kind::Page && !printed.is_empty() {
        page::page_faults(printed).into_iter().for_each(&mut *wrong);
    }
    if !is_right {
        wrong(format!("no JSON: {printed:.200}"));
    }
}

#[test]
fn hostile_input_is_harmless_in_every_output() {
    let texts = if large::is_large() { strings::all_strings(60) } else { strings::few_strings() };
    let folder = tempfile::tempdir().unwrap();
    let sets: Vec<(&str, &str, Files)> = texts
        .iter()
        .enumerate()
        .map(|(nth, (name, text))| {
            (name.as_str(), text.as_str(), Files::write_all(&folder.path().join(nth.to_string()), text))
        })
        .collect();
    let lines = all_lines();
    let work: Vec<_> = sets.iter().flat_map(|set| lines.iter().map(move |line| (set, line))).collect();
    let next = AtomicUsize::new(0);
    let workers = thread::available_parallelism().map_or(2, usize::from);
    let wrong: Vec<String> = thread::scope(|scope| {
        let threads: Vec<_> = (0..workers)
            .map(|_| {
                scope.spawn(|| {
                    let mut wrong = Vec::new();
                    while let Some(((name, text, files), (line, kind))) =
                        work.get(next.fetch_add(1, Ordering::Relaxed))
                    {
                        let found = check_command_line(line, *kind, files, text);
                        wrong.extend(
                            found.into_iter().take(3).map(|what| format!("{line} [{name}]: {what:.400}")),
                        );
                    }
                    wrong
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let shown: Vec<&str> = wrong.iter().take(40).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} complaints of {} runs:\n{}", wrong.len(), work.len(), shown.join("\n"));
}

/// The list must contain every command with a manual page, with every format in its help.
#[test]
fn every_command_and_format_gets_hostile_input() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().to_str().unwrap();
    olmap(&["man", "--dir", pages]).exits(0);
    let names =
        fs::read_dir(folder.path()).unwrap().map(|page| page.unwrap().file_name().into_string().unwrap());
    let names: BTreeSet<String> =
        names.map(|name| name.trim_end_matches(".1").replace("olmap-", "")).collect();
    let lines = all_lines();
    let listed = |name: &str, format: Option<&str>| {
        lines.iter().any(|(line, _)| {
            let line = format!(" {line} ");
            let has_format = |option: &str, format: &str| line.contains(&format!(" {option} {format} "));
            let is_format =
                format.is_none_or(|format| has_format("--format", format) || has_format("-o", format));
            // The page `bundle-show` belongs to the command `bundle show`.
            let typed = match name.split_once('-') {
                Some(("edit", command)) if command.starts_with("template-") => {
                    format!("edit {}", command.replacen('-', " ", 1))
                }
                Some((
                    group @ ("edit" | "bundle" | "cache" | "crds" | "image" | "template" | "generate" | "git"
                    | "mirror"),
                    command,
                )) => {
                    format!("{group} {command}")
                }
                _ => name.to_owned(),
            };
            line.contains(&format!(" {typed} ")) && is_format
        })
    };
    assert!(names.len() > 30, "{names:?}");
    let (mut missing, mut formats) = (Vec::new(), 0);
    for name in names.iter().filter(|name| *name != "olmap") {
        if !listed(name, None) {
            missing.push(name.clone());
        }
        let page = fs::read_to_string(folder.path().join(format!("olmap-{name}.1"))).unwrap();
        for format in output_formats(&page) {
            formats += 1;
            let is_default = page.contains(&format!("Default: \\fB{format}\\fR."));
            // All operations of `edit` share their output formats.
            let name =
                if name.starts_with("edit-") && name != "edit-template" { "edit-set-entry" } else { name };
            if !listed(name, Some(&format)) && !is_default {
                missing.push(format!("{name} -o {format}"));
            }
        }
    }
    assert!(formats > 30, "the pages are not what they were: {formats}");
    assert!(missing.is_empty(), "tests/cli/hostile/commands.rs lacks {missing:?}");
}

/// Returns the values of `--output` on a manual page, without the default `text`.
fn output_formats(page: &str) -> Vec<String> {
    let Some((_, option)) = page.split_once("\\fB\\-\\-output\\fR \\fI") else { return Vec::new() };
    // The values are between `.RS` and `.RE`, below the help of the option.
    let mut lines = option.lines().skip(2);
    if lines.next() != Some(".RS") {
        return Vec::new();
    }
    let lines = lines.take_while(|line| *line != ".RE");
    let names = lines.filter_map(|line| line.strip_prefix("\\fB")?.strip_suffix("\\fR"));
    names.map(|name| name.replace("\\-", "-")).filter(|name| name != "text").collect()
}
