//! Arbitrary files in a folder, opened like a folder given by the user: as bundles, a repository of
//! operators, package manifests, or a catalog with ignored files. Nothing panics, locations are inside their
//! files, and loaded files have the right size.
//!
//! The input is files separated by zero bytes; the first byte of each selects its name.
#![no_main]

use std::{fs, path::Path};

use libfuzzer_sys::fuzz_target;
use olm_catalog::load::Progress;
use olm_check::review::Snapshot;
use olm_source::{OpenOptions, open_path, operator_templates};

/// File names.
const PATHS: &[&str] = &[
    "catalog.yaml",
    "b.json",
    "c/catalog.yaml",
    ".indexignore",
    "c/.indexignore",
    ".olmap-save-aaaaaa/x",
    "p.package.yaml",
    "1.0.0/p.clusterserviceversion.yaml",
    "1.0.0/p.crd.yaml",
    "manifests/a.clusterserviceversion.yaml",
    "metadata/annotations.yaml",
    "bundle.Dockerfile",
    "ci.yaml",
    "operators/p/ci.yaml",
    "operators/p/catalog-templates/t.yaml",
    "operators/p/1.0.0/manifests/a.clusterserviceversion.yaml",
    "operators/p/1.0.0/metadata/annotations.yaml",
    "operators/p/1.0.0/release-config.yaml",
    "catalogs/v4.20/p/catalog.yaml",
    "index.db",
];

fn write(root: &Path, bytes: &[u8]) {
    for part in bytes.split(|byte| *byte == 0).take(PATHS.len()) {
        let Some((name, content)) = part.split_first() else { continue };
        let path = root.join(PATHS[usize::from(name.wrapping_sub(b'A')) % PATHS.len()]);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        fs::write(path, content).expect("it can be written");
    }
}

fuzz_target!(|bytes: &[u8]| {
    // Uses a folder in memory if there is one.
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    let folder = folder.expect("a folder");
    write(folder.path(), bytes);
    let _ = operator_templates(folder.path());
    for below in
        ["", "operators", "operators/p", "catalogs/v4.20", "index.db", "operators/p/catalog-templates/t.yaml"]
    {
        let path = folder.path().join(below);
        if !path.exists() {
            continue;
        }
        let Ok(catalog) = open_path(&path, &OpenOptions::default(), &Progress::default()) else { continue };
        let snapshot = Snapshot::new(catalog);
        for finding in snapshot.findings() {
            let Some(at) = &finding.at else { continue };
            let Some(place) = at.resolve_in_catalog(&snapshot.catalog) else { continue };
            assert!(place.line >= 1 && place.column >= 1, "{place:?}");
        }
    }
});
