//! Common behavior of all commands: closed pipes, colors, invalid arguments.

use std::process::Stdio;

use super::run::{command, fixture, olmap, run_with_input};

#[test]
fn closed_pipe_is_not_an_error() {
    for args in [
        vec!["render", "demo/catalog"],
        vec!["list", "bundles", "demo/catalog"],
        vec!["successors", "tests/fixtures/cli/anvil", "--format", "json"],
        vec!["--help"],
    ] {
        let mut child = command().args(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
        assert_eq!(output.status.code(), Some(0), "{args:?}");
    }
}

#[test]
fn failure_to_write_output_is_an_error() {
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else { return };
    let output = command().args(["render", "demo/catalog"]).stdout(full).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(err.starts_with("olmap: cannot write the output: "), "{err}");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn colors_are_used_on_terminals_or_on_request() {
    let args = ["list", "packages", "demo/catalog"];
    assert!(!olmap(&args).out.contains('\x1b'));
    assert!(olmap(&[&args[..], &["--color", "always"]].concat()).out.contains("\x1b["));
    let never = run_with_input(command().args(args).args(["--color", "never"]), b"");
    assert!(!never.out.contains('\x1b'));
}

#[test]
fn invalid_arguments_exit_with_2() {
    assert!(olmap(&["list", "everything", "demo/catalog"]).exits(2).err.contains("possible values"));
    assert!(olmap(&["list"]).exits(2).err.contains("Usage"));
    assert!(olmap(&["range"]).exits(2).err.contains("Usage"));
    assert!(
        olmap(&["render", "--format", "toml", &fixture("anvil")]).exits(2).err.contains("possible values")
    );
}

#[test]
fn missing_path_exits_with_2() {
    for command in [vec!["validate"], vec!["render"], vec!["list", "packages"], vec!["successors"]] {
        let run = olmap(&[&command[..], &["demo/nowhere"]].concat()).exits(2);
        assert!(run.err.starts_with("olmap: cannot open demo/nowhere: "), "{command:?}: {}", run.err);
        assert!(run.out.is_empty());
    }
}

#[test]
fn texts_that_would_act_on_a_terminal_are_shown_not_sent() {
    for args in [
        vec!["list", "bundles", "demo/catalog", "--package", "tinsel-operator"],
        vec!["successors", "demo/catalog", "--package", "tinsel-operator"],
        vec!["validate", "demo/broken"],
        vec!["list", "packages", "demo/catalog", "--format", "json"],
    ] {
        let run = olmap(&args);
        let harmful = |c: char| c.is_control() && c != '\n';
        assert!(!run.out.contains(harmful) && !run.err.contains(harmful), "{args:?}");
    }
}

#[test]
fn version_is_that_of_the_package() {
    assert_eq!(olmap(&["--version"]).exits(0).out, format!("olmap {}\n", env!("CARGO_PKG_VERSION")));
}
