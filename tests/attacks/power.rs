//! Power failure after each system call of a save.
//!
//! The calls of the real program are replayed on an in-memory file system that may lose unflushed
//! data (`disk`). In each possible state, each file has its complete old or new content, and opm
//! reads nothing twice. Another save completes the edit.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use super::{
    disk::{Disk, View},
    large::is_large,
    ship::CatalogPair,
    trace::run_traced,
};

/// A save to replay.
struct SaveCase {
    arguments: &'static [&'static str],
    /// Old and new content of each file, by path in the catalogs folder.
    expected: fn(&str) -> BTreeMap<PathBuf, [Option<String>; 2]>,
}

const FILES: [&str; 2] = ["v4.18/ship/catalog.yaml", "v4.20/ship/catalog.yaml"];

fn expected_descriptions(old: &str) -> BTreeMap<PathBuf, [Option<String>; 2]> {
    let new = old.replacen("defaultChannel: stable\n", "defaultChannel: stable\ndescription: a ship\n", 1);
    FILES.iter().map(|file| (file.into(), [Some(old.to_owned()), Some(new.clone())])).collect()
}

fn expected_deprecations(old: &str) -> BTreeMap<PathBuf, [Option<String>; 2]> {
    let made = "---\nschema: olm.deprecations\npackage: ship\nentries:\n- reference:\n    schema: olm.bundle\n    name: \
                ship.v1.0.0\n  message: old\n";
    let new = FILES
        .iter()
        .map(|file| (Path::new(file).with_file_name("deprecations.yaml"), [None, Some(made.to_owned())]));
    let kept = FILES.iter().map(|file| (file.into(), [Some(old.to_owned()), Some(old.to_owned())]));
    new.chain(kept).collect()
}

/// One case replaces files, and one creates files.
const CASES: [SaveCase; 2] = [
    SaveCase {
        arguments: &["describe", "--package", "ship", "a ship", "v4.18", "v4.20"],
        expected: expected_descriptions,
    },
    SaveCase {
        arguments: &["deprecate", "--bundle", "ship.v1.0.0", "--message", "old", "v4.18", "v4.20"],
        expected: expected_deprecations,
    },
];

#[test]
fn power_failure_after_any_system_call_leaves_each_file_whole() {
    for has_state in [true, false] {
        for case in CASES {
            let harbour = CatalogPair::new(has_state);
            let expected = (case.expected)(&harbour.catalog_texts()[0]);
            let mut disk = Disk::from_folder(harbour.folder());
            let Some(traced) = run_traced(&harbour.edit_command(case.arguments), None) else {
                println!("skipped: nobody may trace here");
                return;
            };
            assert!(traced.status.success(), "{}", traced.err);
            let mut all = BTreeSet::new();
            for call in &traced.done {
                disk.apply_call(call);
                for view in disk.after_power_failure() {
                    check_view(&view, &expected, &format!("{} after {call:?}", case.arguments[0]));
                    all.insert(view);
                }
            }
            assert_eq!(
                disk.current_view(),
                Disk::from_folder(harbour.folder()).current_view(),
                "the model did what the system did"
            );
            // The program has reported success, so the result must be durable.
            for view in disk.after_power_failure() {
                let saved = saved_files(&view, &expected, "at the end");
                assert_eq!(saved, BTreeSet::from([true]), "{:?}", view.keys());
            }
            let outcomes: BTreeSet<BTreeSet<bool>> =
                all.iter().map(|view| saved_files(view, &expected, "")).collect();
            assert!(outcomes.len() >= 2, "some failures came before the save, some after: {outcomes:?}");
            // States that differ only by leftover names are sampled, because each needs a run of
            // the program.
            let step = if is_large() { 1 } else { all.len().div_ceil(24) };
            for view in all.iter().step_by(step) {
                check_recovery(view, &case, has_state, &expected);
            }
        }
    }
}

/// Returns which of the files to change have new content.
fn saved_files(view: &View, expected: &BTreeMap<PathBuf, [Option<String>; 2]>, what: &str) -> BTreeSet<bool> {
    let mut saved = BTreeSet::new();
    for (file, [old, new]) in expected {
        let now = view.get(&Path::new("catalogs").join(file)).cloned().flatten();
        let now = now.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert!(now == *old || now == *new, "{what}: {} is {now:?}", file.display());
        if old != new {
            saved.insert(now == *new);
        }
    }
    saved
}

fn check_view(view: &View, expected: &BTreeMap<PathBuf, [Option<String>; 2]>, what: &str) {
    saved_files(view, expected, what);
    let hides_all = |folder: &Path| {
        view.get(&folder.join(".indexignore")).is_some_and(|rules| rules.as_deref() == Some(b"*\n"))
    };
    for (path, content) in view {
        let Ok(inside) = path.strip_prefix("catalogs") else { continue };
        let is_read = content.is_some()
            && !path.ancestors().skip(1).any(hides_all)
            && inside.file_name().is_some_and(|name| name != ".indexignore");
        assert!(!is_read || expected.contains_key(inside), "{what}: opm reads {}", path.display());
    }
}

/// Checks that the same edit after the power failure has the same result.
fn check_recovery(
    view: &View,
    case: &SaveCase,
    has_state: bool,
    expected: &BTreeMap<PathBuf, [Option<String>; 2]>,
) {
    let harbour = CatalogPair::new(has_state);
    fs::remove_dir_all(harbour.root()).unwrap();
    for (path, content) in view {
        let path = harbour.folder().join(path);
        match content {
            None => fs::create_dir_all(path).unwrap(),
            Some(content) => fs::write(path, content).unwrap(),
        }
    }
    let output = harbour.edit_command(case.arguments).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{err}: {:?}", view.keys());
    for (file, [_, new]) in expected {
        assert_eq!(fs::read_to_string(harbour.root().join(file)).ok(), *new, "{}", file.display());
    }
    let left = harbour.root().read_dir().into_iter().flatten().count();
    assert_eq!(left, FILES.len(), "{:?}", view.keys());
}
