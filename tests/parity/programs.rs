//! The two compared programs, with their command lines and answers.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::run::{command, root};

/// Answer of a program.
#[derive(Clone, Default)]
pub struct Answer {
    /// Exit code; `None` if a signal ended the program.
    pub code: Option<i32>,
    pub out: Vec<u8>,
    pub err: String,
}

impl Answer {
    pub fn is_accepted(&self) -> bool {
        self.code == Some(0)
    }

    /// Formats the exit code and the end of the error output.
    pub fn summary(&self) -> String {
        let code = self.code.map_or("ended by a signal".to_owned(), |code| format!("exit code {code}"));
        let said = self.err.trim_end();
        let said = said.char_indices().rev().nth(300).map_or(said, |(at, _)| &said[at..]);
        let mut told = format!("{code}, {} bytes", self.out.len());
        if !said.is_empty() {
            let _ = write!(told, ", standard error {said:?}");
        }
        told
    }

    /// Returns the flag or command that this opm does not have.
    pub fn unknown_option(&self) -> Option<&str> {
        let lacks = ["unknown flag", "unknown shorthand flag", "unknown command", "invalid template type"];
        self.err.lines().find(|line| !self.is_accepted() && lacks.iter().any(|words| line.contains(words)))
    }
}

/// An installed opm, or a script that imitates it.
pub struct Opm {
    program: PathBuf,
    /// Version that the program reports.
    pub version: String,
}

impl Opm {
    /// Creates the program and reads its version. Panics if that fails.
    pub fn new(program: &Path) -> Self {
        // A path is relative to the working directory of the tests; a name is searched on `PATH`.
        let is_name = program.components().count() == 1;
        let program = if is_name { program.to_owned() } else { root().join(program) };
        let answer = run_command(Command::new(&program).arg("version").current_dir(root()));
        assert!(answer.is_accepted(), "{} is no opm: {}", program.display(), answer.summary());
        let said = format!("{}{}", String::from_utf8_lossy(&answer.out), answer.err);
        let version = said.split_once("OpmVersion:\"").and_then(|(_, rest)| rest.split_once('"'));
        let version = version.map_or(said.trim(), |(version, _)| version).trim_start_matches('v').to_owned();
        Self { program, version }
    }

    pub fn run_opm(&self, folder: &Path, arguments: &[String], home: Option<&Path>) -> Answer {
        run_command(set_home(&mut Command::new(&self.program), home).args(arguments).current_dir(folder))
    }

    /// Returns the command line for a shell.
    pub fn command_line(&self, arguments: &[String], home: Option<&Path>) -> String {
        shell_command_line(&self.program, arguments, home)
    }
}

/// Runs olmap.
pub fn run_olmap(folder: &Path, arguments: &[String], home: Option<&Path>) -> Answer {
    run_command(set_home(&mut command(), home).args(arguments).current_dir(folder))
}

/// Returns the command line of olmap for a shell.
pub fn olmap_command_line(arguments: &[String], home: Option<&Path>) -> String {
    shell_command_line(Path::new(env!("CARGO_BIN_EXE_olmap")), arguments, home)
}

/// Sets a home directory for the test, so that the registry configuration of the user is ignored.
fn set_home<'c>(command: &'c mut Command, home: Option<&Path>) -> &'c mut Command {
    let Some(home) = home else { return command };
    for name in ["DOCKER_CONFIG", "REGISTRY_AUTH_FILE", "CONTAINERS_REGISTRIES_CONF", "XDG_RUNTIME_DIR"] {
        command.env_remove(name);
    }
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"] {
        command.env_remove(name);
    }
    command
        .env("XDG_CONFIG_HOME", home.join(".config"))
        .env("XDG_CACHE_HOME", home.join(".cache"))
        .env("HOME", home)
}

fn run_command(command: &mut Command) -> Answer {
    let output = command.stdin(Stdio::null()).output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}", command.get_program().display()));
    Answer {
        code: output.status.code(),
        out: output.stdout,
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn shell_command_line(program: &Path, arguments: &[String], home: Option<&Path>) -> String {
    let words = std::iter::once(program.display().to_string()).chain(arguments.iter().cloned());
    let words = words.map(|word| shell_quote(&word)).collect::<Vec<_>>().join(" ");
    home.map_or_else(String::new, |home| format!("HOME={} ", shell_quote(&home.display().to_string())))
        + &words
}

/// Quotes a word for a shell.
pub fn shell_quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
