//! `git:REV[:PATH]` in place of a path.

use std::{fs, path::Path};

use tempfile::TempDir;

use super::{
    git,
    run::{Run, olmap_in},
};

/// Returns a package with a channel in which each version replaces the previous one.
fn catalog_yaml(versions: &[&str]) -> String {
    let mut entries = String::new();
    let mut bundles = String::new();
    for (at, version) in versions.iter().enumerate() {
        entries += &format!("- name: ship.v{version}\n");
        if let Some(before) = at.checked_sub(1).and_then(|at| versions.get(at)) {
            entries += &format!("  replaces: ship.v{before}\n");
        }
        bundles += &format!(
            "---\nschema: olm.bundle\npackage: ship\nname: ship.v{version}\nimage: registry.example.com/ship:v{version}\n\
             properties:\n- type: olm.package\n  value: {{packageName: ship, version: {version}}}\n"
        );
    }
    format!(
        "schema: olm.package\nname: ship\ndefaultChannel: stable-v1\n---\nschema: olm.channel\npackage: ship\nname: stable-v1\n\
         entries:\n{entries}{bundles}"
    )
}

fn crd_yaml(versions: &[&str]) -> String {
    let mut text = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: hulls.example.com}\n\
                    spec:\n  group: example.com\n  names: {kind: Hull, plural: hulls}\n  scope: Namespaced\n  versions:\n"
        .to_owned();
    for (at, version) in versions.iter().enumerate() {
        text += &format!(
            "  - name: {version}\n    served: true\n    storage: {}\n    schema: {{openAPIV3Schema: {{type: object}}}}\n",
            at == 0
        );
    }
    text
}

fn csv_yaml(version: &str) -> String {
    format!(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {{name: ship.v{version}}}\n\
         spec:\n  version: {version}\n  displayName: Ship\n  install: {{strategy: deployment, spec: {{deployments: []}}}}\n"
    )
}

const ANNOTATIONS: &str = "annotations:\n  operators.operatorframework.io.bundle.mediatype.v1: registry+v1\n  \
                           operators.operatorframework.io.bundle.manifests.v1: manifests/\n  \
                           operators.operatorframework.io.bundle.metadata.v1: metadata/\n  \
                           operators.operatorframework.io.bundle.package.v1: ship\n  \
                           operators.operatorframework.io.bundle.channels.v1: stable\n";

const TEMPLATE: &str = "schema: olm.semver\ngenerateMajorChannels: true\ngenerateMinorChannels: false\nstable:\n  bundles:\n  \
                        - image: registry.example.com/ship:v1.0.0\n";

/// Returns a repository with two commits that differ in a catalog, a bundle, a CRD and a template.
fn repository_with_two_commits() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    git::init(folder.path());
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let write_all = |versions: &[&str], version: &str, crds: &[&str]| {
        write("cat/ship/catalog.yaml", &catalog_yaml(versions));
        write("bundle/manifests/ship.clusterserviceversion.yaml", &csv_yaml(version));
        write("bundle/manifests/hulls.yaml", &crd_yaml(crds));
        write("bundle/metadata/annotations.yaml", ANNOTATIONS);
    };
    write_all(&["1.0.0", "1.1.0"], "1.0.0", &["v1alpha1", "v1"]);
    write("semver.yaml", TEMPLATE);
    git::commit_on("2025-01-01", folder.path());
    write_all(&["1.1.0", "1.2.0"], "1.2.0", &["v1"]);
    write("semver.yaml", "schema: olm.semver\n");
    git::commit_on("2025-02-01", folder.path());
    folder
}

fn run_line(folder: &Path, line: &str) -> Run {
    olmap_in(folder, &line.split(' ').collect::<Vec<_>>())
}

/// Command lines that read a catalog at `{}`.
const CATALOG_READERS: &[&str] = &[
    "list bundles {}",
    "list images {} -o json",
    "apis {}",
    "validate {} -o json --deny warnings",
    "graph {}",
    "successors {}",
    "path 1.0.0 1.1.0 {}",
    "overview {}",
    "overview 4.18={} -o json",
    "report {}",
    "render {}",
    "resources 1.0.0 {}",
    "readiness {} -o json",
    "range >=0.1.0 --catalog {}",
    "expect --record - {}",
    "plan --all 4.18={} 4.19=git:HEAD:cat -o json",
    "extract ship {} -n",
    "template convert semver {}",
    "bundle show {} --bundle 1.0.0",
    "bundle diff 1.0.0 1.1.0 --catalog {}",
];

#[test]
fn every_command_reads_the_catalog_of_a_revision() {
    let folder = repository_with_two_commits();
    let old = tempfile::tempdir().unwrap();
    git::clone(folder.path(), old.path(), &[]);
    git::git(old.path(), &["checkout", "-q", "HEAD~1"]);
    for line in CATALOG_READERS {
        let on_disk = format!("{}/cat", old.path().display());
        let read = |place: &str| run_line(folder.path(), &line.replace("{}", place));
        let (expected, revision) = (read(&on_disk), read("git:HEAD~1:cat"));
        assert_eq!(revision.code, expected.code, "{line}: {}", revision.err);
        assert!(revision.code < 2, "{line}: {}", revision.err);
        let plain = |run: &Run| run.out.replace(&on_disk, "CATALOG").replace("git:HEAD~1:cat", "CATALOG");
        // Paths are relative to the catalog root, so only lines without paths are compared.
        let lines = |run: &Run| -> Vec<String> {
            plain(run)
                .lines()
                .filter(|line| !line.contains("catalog.yaml") && !line.contains("CATALOG"))
                .map(str::to_owned)
                .collect()
        };
        if !line.starts_with("report") && !line.starts_with("overview {}") {
            assert_eq!(lines(&revision), lines(&expected), "{line}");
        }
        if !line.starts_with("validate") && !line.starts_with("apis") {
            assert_ne!(revision.out, read("git:HEAD:cat").out, "{line}");
        }
    }
}

#[test]
fn findings_are_those_of_the_revision() {
    let folder = repository_with_two_commits();
    let file = folder.path().join("cat/ship/catalog.yaml");
    let good = fs::read_to_string(&file).unwrap();
    fs::write(
        &file,
        good.replace("name: stable-v1\nentries:\n", "name: stable-v1\nentries:\n- name: ship.v0.9.0\n"),
    )
    .unwrap();
    git::commit_on("2025-03-01", folder.path());
    fs::write(&file, good).unwrap();
    run_line(folder.path(), "validate cat").exits(0);
    let run = run_line(folder.path(), "validate git:HEAD:cat").exits(1);
    assert!(run.out.contains("error[entry-without-bundle]"), "{}", run.out);
}

#[test]
fn missing_revision_or_path_ends_every_command_with_2() {
    let folder = repository_with_two_commits();
    for line in CATALOG_READERS {
        let revision = run_line(folder.path(), &line.replace("{}", "git:nope:cat")).exits(2);
        assert!(revision.err.contains("git has no revision nope"), "{line}: {}", revision.err);
        let path = run_line(folder.path(), &line.replace("{}", "git:HEAD:gone")).exits(2);
        assert!(path.err.contains("gone does not exist at git:HEAD:gone"), "{line}: {}", path.err);
    }
    for (line, words) in [
        ("bundle show git:nope:bundle", "git has no revision nope"),
        ("bundle diff git:HEAD:gone bundle", "gone does not exist at git:HEAD:gone"),
        ("crds diff git:nope:bundle bundle", "git has no revision nope"),
        ("crds diff git:HEAD:gone.yaml bundle", "gone.yaml does not exist"),
        ("template render git:HEAD:gone.yaml --bundles cat", "gone.yaml does not exist"),
        ("template render git:HEAD:bundle --bundles cat", "is a directory"),
        ("bundle show git:HEAD:semver.yaml", "is not a directory"),
        ("bundle show git:HEAD", "git:HEAD has no path\nhint: use git:REV:PATH"),
    ] {
        let run = run_line(folder.path(), line).exits(2);
        assert!(run.err.contains(words), "{line}: {}", run.err);
    }
}

#[test]
fn revision_without_a_path_is_the_catalog_that_the_command_finds() {
    let folder = repository_with_two_commits();
    let inside = folder.path().join("cat");
    let run = run_line(&inside, "list bundles git:HEAD~1").exits(0);
    assert!(run.out.contains("ship.v1.0.0") && !run.out.contains("ship.v1.2.0"), "{}", run.out);
}

#[test]
fn bundles_crds_and_templates_of_a_revision_are_read() {
    let folder = repository_with_two_commits();
    let show = run_line(folder.path(), "bundle show git:HEAD~1:bundle").exits(0);
    assert!(show.out.contains("ship.v1.0.0"), "{}", show.out);
    let expected = run_line(folder.path(), "bundle diff git:HEAD~1:bundle git:HEAD:bundle -o json");
    for line in ["bundle diff git:HEAD~1:bundle bundle -o json", "bundle diff git:HEAD~1 bundle -o json"] {
        let diff = run_line(folder.path(), line);
        assert_eq!((diff.code, &diff.out), (expected.code, &expected.out), "{line}: {}", diff.err);
    }
    assert!(expected.out.contains("ship.v1.0.0") && expected.out.contains("ship.v1.2.0"), "{}", expected.out);
    for line in [
        "crds diff git:HEAD~1:bundle git:HEAD:bundle",
        "crds diff git:HEAD~1 bundle",
        "crds diff git:HEAD~1:bundle/manifests/hulls.yaml bundle/manifests/hulls.yaml",
        "crds diff git:HEAD~1 bundle/manifests/hulls.yaml",
    ] {
        let diff = run_line(folder.path(), line).exits(1);
        assert!(diff.out.contains("v1alpha1"), "{line}: {}", diff.out);
    }
    run_line(folder.path(), "crds diff git:HEAD bundle").exits(0);
    let render =
        run_line(folder.path(), "template render git:HEAD~1:semver.yaml --bundles git:HEAD~1:cat").exits(0);
    assert!(render.out.contains("name: ship.v1.0.0"), "{}", render.out);
}

#[test]
fn bundles_of_a_revision_are_validated_and_rendered_as_on_disk() {
    let folder = repository_with_two_commits();
    let old = tempfile::tempdir().unwrap();
    git::clone(folder.path(), old.path(), &[]);
    git::git(old.path(), &["checkout", "-q", "HEAD~1"]);
    for line in [
        "bundle validate {}bundle -o json",
        "bundle validate {}bundle --suite community -o json",
        "bundle validate {}. -o json",
        "render {}bundle",
        "render {}bundle {}cat",
    ] {
        let expected = run_line(old.path(), &line.replace("{}", "./"));
        let revision = run_line(folder.path(), &line.replace("{}", "git:HEAD~1:./"));
        assert_eq!(revision.code, expected.code, "{line}: {}", revision.err);
        let plain = |run: &Run| run.out.replace("git:HEAD~1:", "").replace("./", "");
        assert_eq!(plain(&revision), plain(&expected), "{line}");
        assert!(line.contains("--suite") || expected.out.contains("ship"), "{line}: {}", expected.out);
    }
    let gone = run_line(folder.path(), "bundle validate git:HEAD:gone").exits(2);
    assert!(gone.err.contains("gone does not exist"), "{}", gone.err);
}

#[test]
fn template_of_a_revision_is_checked_with_the_catalog_of_a_revision() {
    let folder = repository_with_two_commits();
    let line = "template check --template git:HEAD~1:semver.yaml --catalog git:HEAD~1:cat";
    let run = run_line(folder.path(), line).exits(1);
    assert!(run.out.starts_with("differs git:HEAD~1:semver.yaml -> git:HEAD~1:cat\n"), "{}", run.out);
}

#[test]
fn composition_of_a_revision_has_catalogs_of_the_revision() {
    let folder = repository_with_two_commits();
    let composition = |image: &str| format!("name: all\nreferences:\n- {{name: one, image: '{image}'}}\n");
    fs::write(folder.path().join("composition.yaml"), composition("git:HEAD~1:cat")).unwrap();
    run_line(folder.path(), "compose composition.yaml").exits(0);
    let made = || fs::read_to_string(folder.path().join("all/one/index.yaml")).unwrap();
    assert!(made().contains("ship.v1.0.0"), "{}", made());
    fs::write(folder.path().join("composition.yaml"), composition("cat")).unwrap();
    git::commit_on("2025-03-01", folder.path());
    fs::remove_dir_all(folder.path().join("cat")).unwrap();
    run_line(folder.path(), "compose git:HEAD:composition.yaml").exits(0);
    assert!(made().contains("ship.v1.2.0") && !made().contains("ship.v1.0.0"), "{}", made());
}

#[test]
fn explorer_opens_catalogs_of_revisions_only() {
    let folder = repository_with_two_commits();
    let catalog = run_line(folder.path(), "git:HEAD:cat").exits(2);
    assert!(catalog.err.contains("the explorer needs a terminal"), "{}", catalog.err);
    for (line, words) in [
        ("git:HEAD:gone", "gone does not exist"),
        ("git:nope:cat", "git has no revision nope"),
        ("git:HEAD:bundle", "git:HEAD:bundle has bundles"),
    ] {
        let refused = run_line(folder.path(), line).exits(2);
        assert!(refused.err.contains(words), "{line}: {}", refused.err);
    }
}

#[test]
fn content_that_is_not_in_the_repository_is_an_error() {
    let full = repository_with_two_commits();
    let clone = tempfile::tempdir().unwrap();
    git::clone(full.path(), clone.path(), &["--filter=blob:none"]);
    for line in [
        "list bundles git:HEAD~1:cat",
        "bundle show git:HEAD~1:bundle",
        "bundle diff git:HEAD~1 bundle",
        "crds diff git:HEAD~1 bundle",
        "template render git:HEAD~1:semver.yaml --bundles cat",
    ] {
        let run = run_line(clone.path(), line).exits(2);
        assert!(run.out.is_empty(), "{line}: {}", run.out);
        assert!(run.err.contains("is missing: the clone is partial"), "{line}: {}", run.err);
    }
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";
    for file in ["bundle/manifests/hulls.yaml", "semver.yaml"] {
        fs::write(full.path().join(file), pointer).unwrap();
    }
    git::commit_on("2025-03-01", full.path());
    for line in [
        "bundle show git:HEAD:bundle",
        "crds diff git:HEAD~1:bundle git:HEAD:bundle",
        "template render git:HEAD:semver.yaml --bundles cat",
    ] {
        let run = run_line(full.path(), line).exits(2);
        assert!(run.err.contains("is missing: git has only its Git LFS pointer"), "{line}: {}", run.err);
    }
}

#[test]
fn commands_that_write_a_catalog_refuse_a_revision() {
    let folder = repository_with_two_commits();
    for line in [
        "edit describe x git:HEAD:cat",
        "edit describe x git:HEAD:cat -n",
        "edit describe x git:HEAD --to copy",
        "history ship git:HEAD:cat",
        "bundle validate --fix git:HEAD:bundle",
        "list catalogs git:HEAD:cat",
        "validate --changed-since HEAD git:HEAD:cat",
    ] {
        let run = run_line(folder.path(), line).exits(2);
        assert!(run.err.contains("revision") && run.err.contains("hint: "), "{line}: {}", run.err);
        assert!(!folder.path().join("copy").exists());
    }
}
