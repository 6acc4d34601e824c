//! The log of `-v` and `OLMAP_LOG` on standard error.

use std::fs;

use super::run::{Run, command, fixture, olmap, run_with_input};

fn olmap_with_log(level: &str, args: &[&str]) -> Run {
    run_with_input(command().env("OLMAP_LOG", level).args(args), b"")
}

#[test]
fn verbose_run_logs_what_is_read_and_keeps_its_output() {
    let anvil = fixture("anvil");
    let quiet = olmap(&["list", "packages", &anvil]).exits(0);
    assert_eq!(quiet.err, "");
    let info = olmap(&["-v", "list", "packages", &anvil]).exits(0);
    assert_eq!(info.out, quiet.out);
    assert!(info.err.contains(&format!("s: read {anvil}: files: 1, bytes: ")), "{}", info.err);
    assert!(info.err.contains(&format!("s: decoded {anvil}: packages: 1, after ")), "{}", info.err);
    assert!(info.err.lines().all(|line| line.starts_with("info ")), "{}", info.err);
    let debug = olmap(&["list", "packages", &anvil, "-vv"]).exits(0).err;
    assert!(debug.contains(&format!("s: read {anvil}/catalog.yaml, ")), "{debug}");
}

#[test]
fn part_of_a_catalog_and_second_side_of_a_comparison_are_logged() {
    let catalog = "demo/catalog";
    let count = |args: &[&str]| {
        let err = olmap(args).exits(0).err;
        [": read ", ": decoded "]
            .map(|words| err.lines().filter(|line| line.contains(&format!("{words}{catalog}"))).count())
    };
    assert_eq!(count(&["-v", "list", "bundles", "--package", "quill-operator", catalog]), [1, 1]);
    assert_eq!(count(&["-v", "diff", catalog, catalog]), [2, 2]);
}

#[test]
fn variable_sets_the_level() {
    let anvil = fixture("anvil");
    let info = olmap_with_log("info", &["list", "packages", &anvil]).exits(0);
    assert!(info.err.contains("decoded") && !info.err.contains("debug "), "{}", info.err);
    assert_eq!(olmap_with_log("off", &["list", "packages", &anvil]).exits(0).err, "");
    let more = olmap_with_log("error", &["list", "packages", &anvil, "-v"]).exits(0);
    assert!(more.err.contains("decoded"), "{}", more.err);
    let wrong = olmap_with_log("loud\u{1b}[31m", &["list", "packages", &anvil]).exits(2);
    assert!(wrong.err.contains("levels: off, error, warn, info, debug, trace"), "{}", wrong.err);
    assert!(!wrong.err.contains('\u{1b}'), "{}", wrong.err);
}

#[test]
fn names_in_the_log_are_escaped_and_skipped_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = folder.path().join("a\u{1b}[31m\nb");
    fs::create_dir(&catalog).unwrap();
    fs::copy(std::path::Path::new(&fixture("anvil")).join("catalog.yaml"), catalog.join("catalog.yaml"))
        .unwrap();
    fs::write(catalog.join("notes.txt"), "x").unwrap();
    fs::write(catalog.join(".indexignore"), "*.txt\n").unwrap();
    let run = olmap(&["-vv", "list", "packages", catalog.to_str().unwrap()]).exits(0);
    assert!(run.err.contains("notes.txt: .indexignore"), "{}", run.err);
    assert!(!run.err.contains('\u{1b}'), "{}", run.err);
    assert!(
        run.err.lines().all(|line| line.starts_with("info ") || line.starts_with("debug ")),
        "{}",
        run.err
    );
}

#[test]
fn revisions_are_logged_with_their_commit() {
    let run = olmap(&["-v", "diff", "git:HEAD:demo/catalog", "demo/catalog"]);
    assert!(run.code <= 1, "{}", run.err);
    assert!(run.err.contains("s: read git:HEAD:demo/catalog: commit "), "{}", run.err);
}
