//! Attacks with `strace`, if it is installed: errors and kills at the calls of all threads,
//! injected by an independent tool. Only calls that change a disk and calls of locks are attacked,
//! because each run takes time.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::process::ExitStatusExt as _,
    process::{Command, Output},
};

use super::{
    large::is_large,
    ship::CatalogPair,
    system_calls::{EDIT, check_message, is_new},
};

/// Call, injected error, and true if a file that could not be removed may remain.
const CALLS: [(&str, &str, bool); 11] = [
    ("write", "ENOSPC", false),
    ("fsync", "EIO", false),
    ("rename", "EACCES", false),
    ("renameat2", "EACCES", false),
    ("linkat", "EPERM", false),
    ("mkdir", "ENOSPC", true),
    ("unlink", "EACCES", true),
    ("unlinkat", "EBUSY", true),
    ("rmdir", "EBUSY", true),
    ("fchmod", "EPERM", false),
    ("flock", "ENOLCK", false),
];

/// Returns the output of the edit, run under strace with an injection.
fn run_traced_edit(harbour: &CatalogPair, inject: Option<String>) -> Output {
    let edit = harbour.edit_command(&EDIT);
    let mut strace = Command::new("strace");
    let calls: Vec<String> = CALLS.iter().map(|(call, ..)| format!("?{call}")).collect();
    strace
        .args(["-f", "-qq", "-o"])
        .arg(trace_log(harbour))
        .arg("-e")
        .arg(format!("trace={}", calls.join(",")));
    strace.args(inject.into_iter().flat_map(|inject| ["-e".to_owned(), format!("inject={inject}")]));
    strace.arg(edit.get_program()).args(edit.get_args());
    for (name, value) in edit.get_envs() {
        match value {
            Some(value) => strace.env(name, value),
            None => strace.env_remove(name),
        };
    }
    strace.current_dir(edit.get_current_dir().unwrap()).output().unwrap()
}

fn trace_log(harbour: &CatalogPair) -> std::path::PathBuf {
    harbour.folder().join("strace.log")
}

/// Counts the calls of all threads; `None` if strace cannot be used.
fn count_calls(has_state: bool) -> Option<BTreeMap<&'static str, usize>> {
    if Command::new("strace").arg("--version").output().is_err() {
        return None;
    }
    let harbour = CatalogPair::new(has_state);
    let old = harbour.catalog_texts()[0].clone();
    let run = run_traced_edit(&harbour, None);
    let log = fs::read_to_string(trace_log(&harbour)).unwrap_or_default();
    if log.is_empty() {
        // Tracing is not permitted here.
        return None;
    }
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert!(harbour.catalog_texts().iter().all(|text| is_new(text, &old)));
    let count = |call: &str| log.lines().filter(|line| line.contains(&format!(" {call}("))).count();
    Some(CALLS.iter().map(|(call, ..)| (*call, count(call))).collect())
}

#[test]
fn errors_and_kills_that_strace_injects_leave_each_file_whole() {
    for has_state in [true, false] {
        let Some(counts) = count_calls(has_state) else {
            println!("skipped: strace is not there, or may not trace");
            return;
        };
        assert!(counts["fsync"] >= 4 && counts["flock"] >= 2, "{counts:?}");
        for (call, error, may_leave) in CALLS {
            for nth in 1..=counts[call] {
                // Of frequent calls, small runs attack only the first and the last.
                if !is_large() && nth > 2 && nth + 1 < counts[call] {
                    continue;
                }
                check_injection(
                    has_state,
                    &format!("{call}:error={error}:when={nth}"),
                    call == "write",
                    may_leave,
                );
                if is_large() || nth == counts[call] {
                    check_injection(has_state, &format!("{call}:signal=KILL:when={nth}"), false, true);
                }
            }
        }
    }
}

fn check_injection(has_state: bool, inject: &str, is_mute: bool, may_leave: bool) {
    let harbour = CatalogPair::new(has_state);
    let old = harbour.catalog_texts()[0].clone();
    let run = run_traced_edit(&harbour, Some(inject.to_owned()));
    let what = format!("{inject}, state directory: {has_state}");
    let new = harbour.catalog_texts().map(|text| is_new(&text, &old));
    if inject.contains("KILL") {
        // strace ends with the status of the traced program.
        assert_eq!(run.status.signal(), Some(9), "{what}");
        assert_eq!(harbour.files_read_by_opm(), harbour.catalog_files(), "{what}");
        assert!(harbour.edit_command(&EDIT).output().unwrap().status.success(), "{what}");
        assert!(harbour.catalog_texts().iter().all(|text| is_new(text, &old)), "{what}");
        return;
    }
    check_message(run.status, &String::from_utf8_lossy(&run.stderr), new, is_mute, &what);
    let left = harbour.leftover_files();
    assert!(left.is_empty() || may_leave, "{what}: {left:?}");
}
