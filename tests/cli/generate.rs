//! `olmap generate`: files that opm generates.

use std::fs;

use super::run::olmap_in;

const CSV: &str = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: tide.v1.0.0\n";

fn write_manifests() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("tide/manifests/more")).unwrap();
    fs::write(folder.path().join("tide/manifests/csv.yaml"), CSV).unwrap();
    fs::write(folder.path().join("tide/manifests/more/cm.yaml"), "kind: ConfigMap\n").unwrap();
    folder
}

#[test]
fn writes_metadata_next_to_the_manifests() {
    let folder = write_manifests();
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
fn output_directory_gets_manifests_as_opm_copies_them() {
    let folder = write_manifests();
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
    // The output may be inside the copied folder.
    olmap_in(folder.path(), &["generate", "bundle", "-d", ".", "-p", "tide", "-c", "stable", "-u", "out"])
        .exits(0);
}

#[test]
fn refuses_missing_arguments_and_directories() {
    let folder = write_manifests();
    let run =
        olmap_in(folder.path(), &["generate", "bundle", "-d", "gone", "-p", "tide", "-c", "stable"]).exits(2);
    assert!(run.err.contains("no such directory: gone"), "{}", run.err);
    let run = olmap_in(folder.path(), &["generate", "bundle", "-d", "tide/manifests", "-p", "tide"]).exits(2);
    assert!(run.err.contains("hint: -p PACKAGE -c CHANNEL"), "{}", run.err);
    let broken = ["generate", "bundle", "-d", "tide/manifests", "-p", "tide\nRUN x", "-c", "stable"];
    assert!(olmap_in(folder.path(), &broken).exits(2).err.contains("cannot stand in a Dockerfile"));
    assert!(!folder.path().join("bundle.Dockerfile").exists());
}

#[test]
#[cfg(unix)]
fn value_that_could_add_a_dockerfile_line_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for name in ["cat", "e\nRUN id #"] {
        fs::create_dir(at.join(name)).unwrap();
        fs::write(at.join(name).join("csv.yaml"), CSV).unwrap();
    }
    let line = "x\nRUN id #";
    let of_catalog: [&[&str]; 7] = [
        &["e\nRUN id #"],
        &["cat", "-i", line],
        &["cat", "-b", line],
        &["cat", "-i", "x\\"],
        &["cat", "-l", "a=x\nRUN id #"],
        &["cat", "-l", "x\nRUN id #=a"],
        &["cat", "-l", "a=x\rRUN id #"],
    ];
    for args in of_catalog {
        let run = olmap_in(at, &[&["generate", "dockerfile"], args].concat()).exits(2);
        assert!(run.err.contains("cannot stand in a Dockerfile"), "{args:?}: {}", run.err);
    }
    let of_bundle: [[&str; 5]; 6] = [
        ["cat", line, "c", "", "scratch"],
        ["cat", "p", line, "", "scratch"],
        ["cat", "p", "c", line, "scratch"],
        ["cat", "p", "c", "", line],
        ["cat", "p", "c\\", "", "scratch"],
        ["e\nRUN id #", "p", "c", "", "scratch"],
    ];
    for [directory, package, channels, default, base] in of_bundle {
        let args = ["-d", directory, "-p", package, "-c", channels, "-e", default, "--base-image", base];
        let run = olmap_in(at, &[&["generate", "bundle"], &args[..]].concat()).exits(2);
        assert!(run.err.contains("cannot stand in a Dockerfile"), "{args:?}: {}", run.err);
    }
    let made = fs::read_dir(at).unwrap().flatten().filter(|entry| entry.path().is_file()).count();
    assert_eq!(made, 0, "nothing is written");
    olmap_in(at, &["generate", "dockerfile", "cat", "-l", "a=b c"]).exits(0);
}
