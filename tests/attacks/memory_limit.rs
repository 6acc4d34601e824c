//! Saving with too little memory. A failed allocation aborts the program at any point.

use std::{fs, process::Command};

use super::{
    large::is_large,
    ship::CatalogPair,
    system_calls::{EDIT, is_new},
};

/// Returns the edit of two catalogs with a limit on its address space, in KB.
fn limited_edit(harbour: &CatalogPair, limit: usize) -> Command {
    let edit = harbour.edit_command(&EDIT);
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -v \"$0\" && exec \"$@\"", &limit.to_string()]).arg(edit.get_program());
    shell.args(edit.get_args()).current_dir(edit.get_current_dir().unwrap());
    for (name, value) in edit.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    // A backtrace needs memory too, and a thread some address space.
    shell.env("RUST_BACKTRACE", "0").env("RAYON_NUM_THREADS", "2");
    shell
}

#[test]
fn save_that_runs_out_of_memory_leaves_each_file_whole() {
    let step = if is_large() { 256 } else { 4096 };
    let (mut failed, mut saved) = (0, 0);
    for limit in (16 << 10..256 << 10).step_by(step) {
        let harbour = CatalogPair::new(limit % (2 * step) == 0);
        let old = harbour.catalog_texts()[0].clone();
        let run = limited_edit(&harbour, limit).output().unwrap();
        let new = harbour.catalog_texts().map(|text| is_new(&text, &old));
        if run.status.success() {
            assert_eq!(new, [true, true], "{limit} KB: it says that it is saved");
            saved += 1;
        } else {
            assert!(
                new != [true, true] || !run.stderr.is_empty(),
                "{limit} KB: saved, and failed in silence"
            );
            failed += 1;
        }
        let catalogs = harbour.files_read_by_opm();
        assert_eq!(catalogs.len(), 2, "{limit} KB: opm would read more: {catalogs:?}");
        for file in catalogs {
            is_new(&fs::read_to_string(file).unwrap(), &old);
        }
    }
    assert!(failed > 0 && saved > 0, "the limits are all too small, or all too large: {failed} {saved}");
}
