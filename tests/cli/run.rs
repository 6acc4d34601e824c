//! Runs of the program.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

#[path = "json_output.rs"]
pub mod json_output;

/// Result of a run.
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Run {
    /// Parses the lines of standard output as JSON.
    pub fn json_lines(&self) -> Vec<serde_json::Value> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Parses standard output as one JSON value.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap()
    }

    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "standard output:\n{}\nstandard error:\n{}", self.out, self.err);
        self
    }
}

/// Returns the program in the root of the project, without environment variables that change its
/// output.
pub fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_olmap"));
    command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("FORCE_COLOR")
        .env_remove("OLMAP_LOG")
        .env("OLMAP_CONFIG", "none")
        .env("SOURCE_DATE_EPOCH", "1795748400")
        .env("TERM", "xterm-256color");
    command
}

/// Returns the path of a fixture, relative to the root of the project.
pub fn fixture(name: &str) -> String {
    format!("tests/fixtures/cli/{name}")
}

pub fn olmap(args: &[&str]) -> Run {
    olmap_with("", args)
}

/// Runs the program with text on standard input.
pub fn olmap_with(input: &str, args: &[&str]) -> Run {
    run_with_input(command().args(args), input.as_bytes())
}

/// Runs the program in another folder.
pub fn olmap_in(folder: &Path, args: &[&str]) -> Run {
    run_with_input(command().current_dir(folder).args(args), b"")
}

pub fn run_with_input(command: &mut Command, input: &[u8]) -> Run {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // The program may exit before it has read all input.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    if command.get_program() == env!("CARGO_BIN_EXE_olmap") {
        let args: Vec<String> = command.get_args().map(|arg| arg.to_string_lossy().into_owned()).collect();
        json_output::check_json_output(&args, &String::from_utf8_lossy(&output.stdout));
    }
    Run { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

/// Returns the root of the project.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}
