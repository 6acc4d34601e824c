//! Two concurrent edits of one catalog: both succeed, or one reports a failure. No edit is lost
//! silently.

use std::fs;

use super::{large::is_large, run::run_with_input, ship::CatalogPair};

#[test]
fn concurrent_edits_are_both_kept_and_leave_no_files() {
    let rounds = if is_large() { 600 } else { 24 };
    let mut refused = 0;
    for round in 0..rounds {
        let harbour = CatalogPair::new(round % 3 > 0);
        let file = |name: &str| harbour.root().join("v4.18/ship").join(name);
        if round % 2 == 0 {
            fs::write(
                file("deprecations.yaml"),
                "---\nschema: olm.deprecations\npackage: ship\nentries: []\n",
            )
            .unwrap();
        }
        // One edit names the whole catalog, the other the folder of its package; the files are the
        // same.
        let (one, other) = ("ship.v1.0.0", "ship.v1.1.0");
        let edits = [(one, "v4.18"), (other, if round % 2 == 0 { "v4.18" } else { "v4.18/ship" })];
        let runs = edits.map(|(bundle, catalog)| {
            let mut edit =
                harbour.edit_command(&["deprecate", "--bundle", bundle, "--message", "old", catalog]);
            std::thread::spawn(move || run_with_input(&mut edit, b""))
        });
        let runs = runs.map(|run| run.join().unwrap());
        let text = fs::read_to_string(file("deprecations.yaml")).unwrap_or_default();
        for ((bundle, _), run) in edits.iter().zip(&runs) {
            assert!(matches!(run.code, 0 | 2), "{}{}", run.out, run.err);
            let is_there = text.contains(&format!("name: {bundle}"));
            assert_eq!(is_there, run.code == 0, "round {round}, {bundle}: {}{}\n{text}", run.out, run.err);
            refused += usize::from(run.code == 2);
        }
        assert_eq!(harbour.leftover_files(), [""; 0].map(std::path::PathBuf::from), "round {round}");
    }
    assert_eq!(refused, 0, "who comes second makes its edit on what the first wrote");
}

#[test]
fn staged_files_of_a_save_are_never_edited() {
    let harbour = CatalogPair::new(true);
    let catalog = harbour.root().join("v4.18/ship");
    let before = fs::read_to_string(catalog.join("catalog.yaml")).unwrap();
    fs::write(catalog.join(".olmap-save-abcdef.tmp"), &before).unwrap();
    fs::create_dir(catalog.join(".olmap-save-abcdef")).unwrap();
    fs::write(catalog.join(".olmap-save-abcdef/catalog.yaml"), &before).unwrap();
    let run = run_with_input(&mut harbour.edit_command(&["describe", "a ship", "v4.18"]), b"").exits(0);
    assert!(run.out.contains("wrote v4.18/ship/catalog.yaml"), "{}", run.out);
    assert!(fs::read_to_string(catalog.join("catalog.yaml")).unwrap().contains("description: a ship"));
    for staged in [".olmap-save-abcdef.tmp", ".olmap-save-abcdef/catalog.yaml"] {
        assert_eq!(fs::read_to_string(catalog.join(staged)).unwrap(), before, "{staged}");
    }
    assert!(run.err.contains("left over from an interrupted save"), "{}", run.err);
}

#[test]
fn error_states_that_the_edit_is_saved_if_output_fails() {
    let harbour = CatalogPair::new(true);
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let mut edit = harbour.edit_command(&["describe", "a ship", "v4.18"]);
    let output = edit.stdout(full).stderr(std::process::Stdio::piped()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.starts_with("olmap: the edit is saved, but the report failed: cannot write the output"),
        "{said}"
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(harbour.catalog_texts()[0].contains("description: a ship"));
}
