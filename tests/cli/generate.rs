//! `olmap generate`: files that opm generates.

use std::fs;

use super::run::olmap_in;

const CSV: &str = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: tide.v1.0.0\n";

fn manifests() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("tide/manifests/more")).unwrap();
    fs::write(folder.path().join("tide/manifests/csv.yaml"), CSV).unwrap();
    fs::write(folder.path().join("tide/manifests/more/cm.yaml"), "kind: ConfigMap\n").unwrap();
    folder
}

#[test]
fn the_metadata_of_a_bundle_stands_beside_its_manifests() {
    let folder = manifests();
    let read = |path: &str| fs::read_to_string(folder.path().join(path)).unwrap();
    let run = olmap_in(
        folder.path(),
        &["generate", "bundle", "-d", "tide/manifests/", "-p", "tide", "-c", "stable,fast", "-e", "stable"],
    )
    .exits(0);
    assert_eq!(run.out, "wrote tide/metadata/annotations.yaml\nwrote bundle.Dockerfile\n");
    assert_eq!(
        read("tide/metadata/annotations.yaml"),
        "annotations:\n  operators.operatorframework.io.bundle.channel.default.v1: stable\n  \
         operators.operatorframework.io.bundle.channels.v1: stable,fast\n  \
         operators.operatorframework.io.bundle.manifests.v1: manifests/\n  \
         operators.operatorframework.io.bundle.mediatype.v1: registry+v1\n  \
         operators.operatorframework.io.bundle.metadata.v1: metadata/\n  \
         operators.operatorframework.io.bundle.package.v1: tide\n"
    );
    let dockerfile = read("bundle.Dockerfile");
    assert!(dockerfile.starts_with(
        "FROM scratch\n\nLABEL operators.operatorframework.io.bundle.mediatype.v1=registry+v1\n"
    ));
    assert!(
        dockerfile.ends_with("=stable\n\nCOPY tide/manifests /manifests/\nCOPY tide/metadata /metadata/\n")
    );
    let run = olmap_in(folder.path(), &["bundle", "show", "tide"]).exits(0);
    assert!(run.out.contains("tide"), "{}", run.out);
}

#[test]
fn with_an_output_directory_the_manifests_are_copied_as_opm_copies_them() {
    let folder = manifests();
    let words = [
        "generate",
        "bundle",
        "-d",
        "tide/manifests",
        "-p",
        "tide",
        "-c",
        "stable",
        "-u",
        "out",
        "--base-image",
        "base:1",
    ];
    olmap_in(folder.path(), &words).exits(0);
    let read = |path: &str| fs::read_to_string(folder.path().join(path)).unwrap();
    assert_eq!(read("out/manifests/csv.yaml"), CSV);
    assert_eq!(read("out/manifests/manifests/cm.yaml"), "kind: ConfigMap\n");
    assert!(read("bundle.Dockerfile").starts_with("FROM base:1\n"));
    assert!(!folder.path().join("tide/metadata").exists());
    // The output may lie in what is copied.
    olmap_in(folder.path(), &["generate", "bundle", "-d", ".", "-p", "tide", "-c", "stable", "-u", "out"])
        .exits(0);
}

#[test]
fn what_is_missing_is_said() {
    let folder = manifests();
    let run =
        olmap_in(folder.path(), &["generate", "bundle", "-d", "gone", "-p", "tide", "-c", "stable"]).exits(2);
    assert!(run.err.contains("no such directory: gone"), "{}", run.err);
    let run = olmap_in(folder.path(), &["generate", "bundle", "-d", "tide/manifests", "-p", "tide"]).exits(2);
    assert!(run.err.contains("hint: -p PACKAGE -c CHANNEL"), "{}", run.err);
    let broken = ["generate", "bundle", "-d", "tide/manifests", "-p", "tide\nRUN x", "-c", "stable"];
    assert!(olmap_in(folder.path(), &broken).exits(2).err.contains("names must be one line"));
    assert!(!folder.path().join("bundle.Dockerfile").exists());
}
