//! Links that lead out of a catalog: targets are read as opm does, and never quoted.

use std::{fs, os::unix::fs::symlink};

use super::run::olmap;

const PACKAGE: &str = "schema: olm.package\nname: p\n";

/// Content of private files on the machine: invalid, or similar to a catalog.
const SECRETS: [&str; 9] = [
    "password=hunter2\n",
    "hunter2: [\n",
    "hunter2: 1\nhunter2: 2\nschema: 5\n",
    "schema: olm.package\nname: p\nhunter2: 1\n",
    "schema: olm.channel\npackage: p\nname: c\nentries: hunter2\n",
    "a: *hunter2\n",
    "a: !!int hunter2\n",
    "{\"hunter2\": 1} hunter2",
    "schema: olm.deprecations\npackage: p\nentries:\n- reference: {schema: olm.channel, name: none} # hunter2\n",
];

#[test]
fn target_of_a_link_out_of_the_catalog_is_never_quoted() {
    for secret in SECRETS {
        let (outside, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let file = outside.path().join("secret");
        fs::write(&file, secret).unwrap();
        fs::write(root.path().join("a.yaml"), PACKAGE).unwrap();
        symlink(&file, root.path().join("link.yaml")).unwrap();
        let catalog = root.path().to_str().unwrap();
        for format in ["text", "json", "sarif", "markdown", "github"] {
            let run = olmap(&["validate", catalog, "--format", format]);
            assert!(run.out.contains("link-out-of-catalog"), "{format}: {}", run.out);
            assert!(!(run.out + &run.err).contains("hunter2"), "{format}: {secret:?} is quoted");
        }
        for asking in [&["render", catalog][..], &["list", "packages", catalog], &["deprecations", catalog]] {
            let run = olmap(asking);
            // Valid catalog content is rendered.
            assert!(!run.err.contains("hunter2"), "{asking:?}: {secret:?} is quoted: {}", run.err);
        }
        // The verdict is the same as for a file inside the catalog.
        fs::remove_file(root.path().join("link.yaml")).unwrap();
        fs::write(root.path().join("link.yaml"), secret).unwrap();
        let inside = olmap(&["validate", catalog, "--parity"]).code;
        fs::remove_file(root.path().join("link.yaml")).unwrap();
        symlink(&file, root.path().join("link.yaml")).unwrap();
        olmap(&["validate", catalog, "--parity"]).exits(inside);
    }
}
