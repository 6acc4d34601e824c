//! Errors and kills at the system calls of a save of two files: each file is old or new, and the
//! message matches the result.

use std::process::ExitStatus;

use nix::errno::Errno;

use super::{
    large::is_large,
    ship::CatalogPair,
    trace::{Attack, TracedRun, run_traced},
};

/// Errors of a full, failing, foreign or write-protected disk.
const ERRORS: [Errno; 8] = [
    Errno::ENOSPC,
    Errno::EIO,
    Errno::EDQUOT,
    Errno::EINTR,
    Errno::EROFS,
    Errno::EACCES,
    Errno::ENOSYS,
    Errno::EXDEV,
];

/// Number of `write` on x86-64.
const WRITE: u64 = 1;

/// Arguments of an edit of both catalogs, which replaces two files.
pub const EDIT: [&str; 6] = ["describe", "--package", "ship", "a ship", "v4.18", "v4.20"];

fn run_attacked_edit(harbour: &CatalogPair, attack: Option<(usize, Attack)>) -> Option<TracedRun> {
    run_traced(&harbour.edit_command(&EDIT), attack)
}

/// Returns true if a file has its new content; asserts that it has its old content otherwise.
pub fn is_new(text: &str, old: &str) -> bool {
    let is_new = text.contains("description: a ship\n");
    assert!(is_new || text == old, "neither old nor new:\n{text}");
    assert!(!is_new || text.len() == old.len() + "description: a ship\n".len(), "not whole:\n{text}");
    is_new
}

#[test]
fn errors_and_kills_at_every_system_call_leave_each_file_whole() {
    for has_state in [true, false] {
        let harbour = CatalogPair::new(has_state);
        let old = harbour.catalog_texts()[0].clone();
        let Some(untouched) = run_attacked_edit(&harbour, None) else {
            println!("skipped: nobody may trace here");
            return;
        };
        assert!(untouched.status.success(), "{}", untouched.err);
        assert!(harbour.catalog_texts().iter().all(|text| is_new(text, &old)));
        assert_eq!(harbour.leftover_files().len(), 0);
        let calls = untouched.calls.len();
        assert!(calls > 60, "{calls} system calls");
        // In small runs every other call gets one error; in large runs each call gets all of them.
        let (errors, step) = if is_large() { (ERRORS.len(), 1) } else { (1, 2) };
        for at in (usize::from(has_state) % step..calls).step_by(step) {
            for nth in 0..errors {
                let errno = ERRORS[(at + nth) % ERRORS.len()];
                // An interrupted call is repeated, so a permanent interruption never ends.
                let is_for_ever = (at + nth) % 3 == 0 && errno != Errno::EINTR;
                let attack = if is_for_ever { Attack::ForEver(errno) } else { Attack::Once(errno) };
                check_attack(has_state, at, attack, untouched.calls[at]);
            }
            if is_large() || at % 8 < 2 {
                check_attack(has_state, at, Attack::Kill, untouched.calls[at]);
            }
        }
    }
}

fn check_attack(has_state: bool, at: usize, attack: Attack, call: u64) {
    let what = format!("call {at} ({call}), {attack:?}, state directory: {has_state}");
    let harbour = CatalogPair::new(has_state);
    let old = harbour.catalog_texts()[0].clone();
    let run = run_attacked_edit(&harbour, Some((at, attack))).unwrap();
    let new = harbour.catalog_texts().map(|text| is_new(&text, &old));
    if matches!(attack, Attack::Kill) {
        // opm never reads anything twice, and the next save succeeds.
        assert!(!run.status.success(), "{what}");
        assert_eq!(harbour.files_read_by_opm(), harbour.catalog_files(), "{what}");
        let mut again = harbour.edit_command(&EDIT);
        assert!(again.output().unwrap().status.success(), "{what}");
        assert!(harbour.catalog_texts().iter().all(|text| is_new(text, &old)), "{what}");
        return;
    }
    // A program that cannot write anymore cannot report that either.
    let is_mute = call == WRITE && matches!(attack, Attack::ForEver(_));
    check_message(run.status, &run.err, new, is_mute, &what);
    // A file that could not be removed remains, under a recognizable name.
    let left = harbour.leftover_files();
    let removes = [83, 84, 87, 263, 217, 257, 4, 5, 6, 262, 332, 72, 16];
    assert!(left.is_empty() || removes.contains(&call), "{what}: {left:?}");
}

/// Asserts that the message of a failed save matches the files that are new.
pub fn check_message(status: ExitStatus, err: &str, new: [bool; 2], is_mute: bool, what: &str) {
    let code = status.code().unwrap_or_else(|| panic!("{what}: {err}"));
    assert!(!err.contains("panicked"), "{what}: {err}");
    match code {
        0 => assert_eq!(new, [true, true], "{what}: it says that it is saved"),
        2 => {
            let says_saved = err.contains("is saved") || err.contains("saved, but");
            let says_which = err.contains("only v4.18/ship/catalog.yaml was saved");
            let expected = if says_saved { [true, true] } else { [says_which, false] };
            assert!(new == expected || is_mute && new[0] == new[1], "{what}: {new:?}: {err}");
        }
        other => panic!("{what}: exit code {other}: {err}"),
    }
}
