//! Links inside an output folder: those that lead out of it are refused.

use std::{fs, os::unix::fs::symlink, path::Path};

use super::run::{Run, olmap_in};

const CATALOG: &str = "schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\nentries:\n- name: p.v1.0.0\n\
    ---\nschema: olm.bundle\npackage: p\nname: p.v1.0.0\nimage: example.com/p:1\nproperties:\n- type: olm.package\n  value: {packageName: p, version: 1.0.0}\n";
const CSV: &str =
    "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: p.v1.0.0\n";

/// Command that writes files into a folder.
struct Writer {
    args: &'static [&'static str],
    folder: &'static str,
    file: &'static str,
}

const WRITERS: [Writer; 5] = [
    Writer {
        args: &["extract", "p", "cat", "--to", "out", "--force"],
        folder: "out",
        file: "p/catalog.yaml",
    },
    Writer { args: &["compose", "c.yaml", "--out", "out"], folder: "out", file: "one/index.yaml" },
    Writer {
        args: &["generate", "bundle", "-d", "src", "-p", "p", "-c", "c", "-u", "out"],
        folder: "out",
        file: "manifests/csv.yaml",
    },
    Writer {
        args: &["generate", "bundle", "-d", "src", "-p", "p", "-c", "c", "-u", "out"],
        folder: "out",
        file: "metadata/annotations.yaml",
    },
    Writer { args: &["man", "--dir", "out"], folder: "out", file: "olmap.1" },
];

fn write_workspace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in [
        ("cat/p.yaml", CATALOG),
        ("c.yaml", "name: n\nreferences: [{name: one, image: cat}]\n"),
        ("src/csv.yaml", CSV),
    ] {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn run_refused(at: &Path, writer: &Writer) -> Run {
    let run = olmap_in(at, writer.args).exits(2);
    assert!(run.err.contains("is a link"), "{:?}: {}", writer.args, run.err);
    run
}

#[test]
fn file_that_is_a_link_out_of_the_folder_is_not_written() {
    for writer in &WRITERS {
        let (here, outside) = (write_workspace(), tempfile::tempdir().unwrap());
        let (link, victim) =
            (here.path().join(writer.folder).join(writer.file), outside.path().join("victim"));
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        fs::write(&victim, "mine").unwrap();
        symlink(&victim, &link).unwrap();
        run_refused(here.path(), writer);
        assert_eq!(fs::read_to_string(&victim).unwrap(), "mine", "{:?}", writer.args);
        // A link to a missing file is refused too.
        fs::remove_file(&victim).unwrap();
        run_refused(here.path(), writer);
        assert!(!victim.exists(), "{:?}", writer.args);
    }
}

#[test]
fn folder_that_is_a_link_out_of_the_folder_is_not_written_to() {
    for writer in WRITERS.iter().filter(|writer| writer.file.contains('/')) {
        let (here, outside) = (write_workspace(), tempfile::tempdir().unwrap());
        let link = here.path().join(writer.folder).join(Path::new(writer.file).parent().unwrap());
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(outside.path(), &link).unwrap();
        let run = olmap_in(here.path(), writer.args).exits(2);
        assert!(!run.err.is_empty());
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0, "{:?}", writer.args);
    }
}

#[test]
fn links_that_stay_inside_of_the_folder_are_followed() {
    for writer in &WRITERS {
        let here = write_workspace();
        let link = here.path().join(writer.folder).join(writer.file);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        let target = here.path().join(writer.folder).join(".indexignore");
        fs::write(&target, "old").unwrap();
        let up = "../".repeat(writer.file.matches('/').count());
        symlink(format!("{up}.indexignore"), &link).unwrap();
        olmap_in(here.path(), writer.args).exits(0);
        assert!(link.is_symlink(), "{:?}", writer.args);
        assert_ne!(fs::read_to_string(&target).unwrap(), "old", "{:?}", writer.args);
    }
}

#[test]
fn folder_that_is_named_may_be_a_link() {
    for writer in &WRITERS {
        let here = write_workspace();
        fs::create_dir(here.path().join("real")).unwrap();
        symlink("real", here.path().join(writer.folder)).unwrap();
        olmap_in(here.path(), writer.args).exits(0);
        assert!(here.path().join("real").join(writer.file).is_file(), "{:?}", writer.args);
    }
}

#[test]
fn dockerfile_of_a_bundle_is_not_written_through_a_link() {
    let (here, outside) = (write_workspace(), tempfile::tempdir().unwrap());
    let victim = outside.path().join("victim");
    fs::write(&victim, "mine").unwrap();
    symlink(&victim, here.path().join("bundle.Dockerfile")).unwrap();
    olmap_in(here.path(), &["generate", "bundle", "-d", "src", "-p", "p", "-c", "c"]).exits(2);
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
}

#[test]
fn file_that_is_named_stays_a_link_and_its_target_is_replaced() {
    let here = write_workspace();
    for args in [
        &["expect", "--record", "--force", "link", "cat"][..],
        &["validate", "--write-baseline", "link", "cat"],
        &["validate", "cat", "--also", "json=link"],
        &["report", "cat", "--to", "link"],
    ] {
        let (link, target) = (here.path().join("link"), here.path().join("target"));
        fs::write(&target, "").unwrap();
        symlink("target", &link).unwrap();
        let run = olmap_in(here.path(), args);
        assert!(run.code <= 1, "{args:?}: {}", run.err);
        assert!(link.is_symlink() && fs::metadata(&target).unwrap().len() > 0, "{args:?}");
        fs::remove_file(&link).unwrap();
    }
}
