//! Checks of terminal output in the book. The commands of each `console` block run again, one after
//! the other in one shell, in a folder that contains only `demo/`.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use super::{book, read_document};

const BEGIN: &str = "```console\n";
const END: &str = "```";
/// Mark before the output of a command.
const MARK: char = '\u{1}';

/// Command with its output.
#[derive(Debug)]
struct Step {
    command: String,
    output: String,
}

/// Part of a page: text, or the steps of a block.
#[derive(Debug)]
enum Piece {
    Text(String),
    Block(Vec<Step>),
}

fn parse_pieces(page: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = page;
    while let Some((before, block)) = rest.split_once(BEGIN) {
        let (block, after) = block.split_once(END).unwrap();
        pieces.extend([Piece::Text(before.to_owned()), Piece::Block(parse_steps(block))]);
        rest = after;
    }
    pieces.push(Piece::Text(rest.to_owned()));
    pieces
}

fn parse_steps(block: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in block.split_inclusive('\n') {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => {
                steps.push(Step { command: command.trim_end().to_owned(), output: String::new() });
            }
            (None, Some(step)) => step.output += line,
            (None, None) => panic!("{line:?} is no command"),
        }
    }
    steps
}

fn steps_mut(pieces: &mut [Piece]) -> impl Iterator<Item = &mut Step> {
    let blocks = pieces.iter_mut().filter_map(|piece| match piece {
        Piece::Block(steps) => Some(steps),
        Piece::Text(_) => None,
    });
    blocks.flatten()
}

fn format_page(pieces: &[Piece]) -> String {
    let block = |steps: &Vec<Step>| {
        let steps = steps.iter().map(|step| format!("$ {}\n{}", step.command, step.output));
        format!("{BEGIN}{}{END}", steps.collect::<String>())
    };
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Block(steps) => block(steps),
    };
    pieces.iter().map(piece).collect()
}

fn copy_dir(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy_dir(&from, &to);
        } else {
            fs::copy(&from, &to).unwrap();
        }
    }
}

/// Returns the output of each command, including errors, in the environment of a reader of the
/// page.
fn run_commands(commands: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    copy_dir(&Path::new(env!("CARGO_MANIFEST_DIR")).join("demo"), &folder.path().join("demo"));
    let home = folder.path().join("home");
    fs::create_dir(&home).unwrap();
    let olmap = PathBuf::from(env!("CARGO_BIN_EXE_olmap"));
    let there = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(olmap.parent().unwrap().to_owned()).chain(std::env::split_paths(&there));
    let mut script = String::from("exec 2>&1\n");
    for command in commands {
        script += &format!("printf '{MARK}'\n{command}\n");
    }
    let mut shell = Command::new("sh")
        .current_dir(folder.path())
        .env_clear()
        .env("PATH", std::env::join_paths(path).unwrap())
        .envs([("HOME", home.as_os_str()), ("XDG_STATE_HOME", home.join("state").as_os_str())])
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "Ann")))
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "ann@example.com")))
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_DATE"), "2026-11-24T12:00:00Z")))
        .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("LC_ALL", "C"), ("TZ", "UTC")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    shell.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    let printed = String::from_utf8(shell.wait_with_output().unwrap().stdout).unwrap();
    printed.split(MARK).skip(1).map(str::to_owned).collect()
}

/// `OLMAP_UPDATE=1 cargo test --test documents` writes the current output.
#[cfg(unix)]
#[test]
fn consoles_in_the_book_match_the_output() {
    let mut commands_in_all = 0;
    for path in book::pages() {
        let written = read_document(&path);
        if !written.contains(BEGIN) {
            continue;
        }
        let mut pieces = parse_pieces(&written);
        let commands: Vec<String> = steps_mut(&mut pieces).map(|step| step.command.clone()).collect();
        commands_in_all += commands.len();
        let printed = run_commands(&commands.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(printed.len(), commands.len(), "{path}: each command is run");
        for (step, printed) in steps_mut(&mut pieces).zip(printed) {
            let is_whole = printed.is_empty() || printed.ends_with('\n');
            assert!(is_whole && !printed.contains(END), "{path}: {}", step.command);
            step.output = printed;
        }
        let now = format_page(&pieces);
        if std::env::var_os("OLMAP_UPDATE").is_some() {
            fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(&path), &now).unwrap();
            continue;
        }
        assert!(
            now == written,
            "{path} shows what is not printed; OLMAP_UPDATE=1 writes it anew:\n{}",
            describe_difference(&written, &now)
        );
    }
    assert!(commands_in_all > 30, "{commands_in_all}");
}

fn describe_difference(written: &str, now: &str) -> String {
    similar::TextDiff::from_lines(written, now).unified_diff().context_radius(1).to_string()
}

#[test]
fn page_equals_its_joined_pieces() {
    let text = "before\n\n```console\n$ one\nsaid\n\nmore\n$ two\n```\n\n```sh\n$ three\n```\n";
    let pieces = parse_pieces(text);
    assert_eq!(format_page(&pieces), text);
    let Piece::Block(steps) = &pieces[1] else { panic!("{pieces:?}") };
    let steps: Vec<(&str, &str)> =
        steps.iter().map(|step| (step.command.as_str(), step.output.as_str())).collect();
    assert_eq!(steps, [("one", "said\n\nmore\n"), ("two", "")]);
}
