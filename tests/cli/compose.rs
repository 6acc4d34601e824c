//! `olmap compose`: merges several catalogs.

use std::{fs, path::Path};

use super::run::{olmap, olmap_in};

const ONE: &str = "schema: olm.package\nname: one\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: one\nname: \
                   stable\nentries:\n- name: one.v1.0.0\n---\nschema: olm.bundle\npackage: one\nname: one.v1.0.0\nimage: \
                   example.com/one:1\nproperties:\n- type: olm.package\n  value: {packageName: one, version: 1.0.0}\n";

fn write_composition() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("one/a.yaml", ONE);
    write("two/b.yaml", &ONE.replace("one", "two"));
    write(
        "catalog.yaml",
        "name: both\nrepo: quay.io/x/y\ntag: latest\nreferences:\n- {name: first, image: one}\n- {name: second, image: two}\n",
    );
    folder
}

fn read_file(folder: &Path, path: &str) -> String {
    fs::read_to_string(folder.join(path)).unwrap()
}

#[test]
fn writes_composition_and_check_lists_changes() {
    let folder = write_composition();
    let run = |args: &[&str]| olmap_in(folder.path(), args);
    let checked = run(&["compose", "catalog.yaml", "--check"]).exits(1);
    assert!(checked.out.contains("new      both/first/index.yaml"), "{}", checked.out);
    assert!(!folder.path().join("both").exists());
    run(&["compose", "catalog.yaml"]).exits(0);
    assert_eq!(read_file(folder.path(), "both/first/index.yaml"), run(&["render", "one"]).out);
    assert_eq!(run(&["validate", "both"]).code, 0);
    let again = run(&["compose", "catalog.yaml", "--check"]).exits(0);
    assert_eq!(again.out.matches("same").count(), 2, "{}", again.out);
    fs::write(folder.path().join("two/b.yaml"), ONE.replace("one", "two").replace("1.0.0", "1.0.1")).unwrap();
    let changed = run(&["compose", "catalog.yaml", "--out", "both"]).exits(0);
    assert!(changed.out.contains("changed  both/second/index.yaml"), "{}", changed.out);
    assert!(read_file(folder.path(), "both/second/index.yaml").contains("1.0.1"));
    fs::write(folder.path().join("both/extra.yaml"), "").unwrap();
    let run = run(&["compose", "catalog.yaml"]).exits(2);
    assert!(run.err.contains("more than the composition: extra.yaml"), "{}", run.err);
}

#[test]
fn unknown_keys_are_reported_with_the_nearest_known_one() {
    let folder = write_composition();
    // `repo` and `tag` are for the program that publishes the catalog.
    assert_eq!(olmap_in(folder.path(), &["compose", "catalog.yaml", "--check"]).exits(1).err, "");
    let text = "name: both\ntags: latest\nreferences:\n- {name: first, image: one, imag: two}\n- name: second\n  image: two\n  owner: potters\n";
    fs::write(folder.path().join("catalog.yaml"), text).unwrap();
    let run = olmap_in(folder.path(), &["compose", "catalog.yaml", "--check"]).exits(1);
    let warnings: Vec<&str> = run.err.lines().map(str::trim).collect();
    let expected = [
        "warning: catalog.yaml:2: olmap does not read the key tags",
        "hint: did you mean tag?",
        "warning: catalog.yaml:4: olmap does not read the key imag",
        "hint: did you mean image?",
        "warning: catalog.yaml:7: olmap does not read the key owner",
    ];
    assert_eq!(warnings, expected, "{}", run.err);
}

#[test]
fn refuses_conflicting_references_without_writing() {
    for (composition, why) in [
        (
            "name: x\nreferences:\n- {name: a, image: one}\n- {name: b, image: one}\n",
            "package one is in a and b",
        ),
        ("name: x\nreferences:\n- {name: a, image: nowhere}\n", "a: cannot open nowhere"),
        ("name: x\nreferences:\n- {name: a, image: broken}\n", "a: opm cannot read broken"),
        ("name: x\nreferences:\n- {name: a, image: wrong}\n", "opm rejects the whole"),
        ("name: x\nreferences:\n- {name: ../a, image: one}\n", "cannot be the name of a folder"),
        ("name: /x\nreferences:\n- {name: a, image: one}\n", "cannot be the name of a folder"),
        (
            "name: x\nreferences:\n- {name: a, image: one}\n- {name: A, image: two}\n",
            "two references are called A",
        ),
        ("name: x\nreferences: []\n", "no references"),
        ("name: x\n", "references"),
        ("[", "cannot read"),
    ] {
        let folder = write_composition();
        fs::create_dir(folder.path().join("broken")).unwrap();
        fs::write(folder.path().join("broken/a.yaml"), "a: [\n").unwrap();
        fs::create_dir(folder.path().join("wrong")).unwrap();
        fs::write(
            folder.path().join("wrong/a.yaml"),
            ONE.replace("defaultChannel: stable", "defaultChannel: fast"),
        )
        .unwrap();
        fs::write(folder.path().join("c.yaml"), composition).unwrap();
        let before = fs::read_dir(folder.path()).unwrap().count();
        let run = olmap_in(folder.path(), &["compose", "c.yaml"]).exits(2);
        assert!(run.err.contains(why), "{why}: {}", run.err);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), before, "{composition}");
    }
    olmap(&["compose", "nowhere.yaml"]).exits(2);
}

#[test]
fn accepts_images_and_warns_of_tags() {
    let folder = write_composition();
    olmap_in(
        folder.path(),
        &["image", "build", "one", "-t", "example.com/one:v1", "--to", "oci-archive:one.tar"],
    )
    .exits(0);
    let text = "name: x\nreferences:\n- {name: a, image: 'oci-archive:one.tar'}\n";
    fs::write(folder.path().join("c.yaml"), text).unwrap();
    olmap_in(folder.path(), &["compose", "c.yaml"]).exits(0);
    assert!(read_file(folder.path(), "x/a/index.yaml").contains("one.v1.0.0"));
    let text = "name: y\nreferences:\n- {name: a, image: '127.0.0.1:1/x/y:v1'}\n";
    fs::write(folder.path().join("c.yaml"), text).unwrap();
    let run = olmap_in(folder.path(), &["compose", "c.yaml"]).exits(2);
    assert!(run.err.contains("has a tag, which may move") && run.err.contains("a: "), "{}", run.err);
}
