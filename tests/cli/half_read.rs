//! Incomplete data: content that is missing in a clone or unreadable ends a gate with 2 and is
//! named.

use std::{fs, path::Path};

use tempfile::TempDir;

use super::{
    git,
    run::{Run, olmap, olmap_in, olmap_with},
};

const HEAD: &str = "schema: olm.package\nname: ship\ndefaultChannel: stable\n";

/// Returns a package with a channel in which each version replaces the previous one.
fn ship_yaml(versions: &[&str]) -> String {
    let mut yaml = format!("{HEAD}---\nschema: olm.channel\npackage: ship\nname: stable\nentries:\n");
    for (at, version) in versions.iter().enumerate() {
        yaml += &format!("- name: ship.v{version}\n");
        if let Some(before) = at.checked_sub(1).and_then(|at| versions.get(at)) {
            yaml += &format!("  replaces: ship.v{before}\n");
        }
    }
    for version in versions {
        yaml += &format!(
            "---\nschema: olm.bundle\npackage: ship\nname: ship.v{version}\nimage: registry.example.com/ship@sha256:{:064}\n\
             properties:\n- type: olm.package\n  value: {{packageName: ship, version: {version}}}\n",
            1
        );
    }
    yaml
}

/// Returns a repository whose last commit strands users of 1.0.0.
fn repository_with_stranded_users() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    git::init(folder.path());
    let write = |text: &str| {
        fs::create_dir_all(folder.path().join("cat/ship")).unwrap();
        fs::write(folder.path().join("cat/ship/catalog.yaml"), text).unwrap();
    };
    write(&ship_yaml(&["1.0.0", "1.1.0"]));
    git::commit_on("2025-01-01", folder.path());
    write(&ship_yaml(&["1.1.0", "1.2.0"]));
    git::commit_on("2025-02-01", folder.path());
    folder
}

const GATES: [&str; 2] = ["--fail-on", "all"];

fn run_diff(folder: &Path, old: &str) -> Run {
    olmap_in(folder, &[&["diff", old, "cat"], &GATES[..]].concat())
}

#[test]
fn gates_fail_in_a_partial_clone() {
    let full = repository_with_stranded_users();
    run_diff(full.path(), "git:HEAD~1").exits(1);
    for filter in ["--filter=blob:none", "--filter=tree:0"] {
        let clone = tempfile::tempdir().unwrap();
        git::clone(full.path(), clone.path(), &[filter]);
        let run = run_diff(clone.path(), "git:HEAD~1").exits(2);
        assert!(run.out.is_empty(), "{}", run.out);
        let named = if filter == "--filter=tree:0" { "cat" } else { "cat/ship/catalog.yaml" };
        let said = format!(
            "olmap: {named} of git:HEAD~1 is missing: the clone is partial, and git has not fetched it\n"
        );
        assert!(run.err.starts_with(&said), "{}", run.err);
        // The command in the hint works.
        let fetch = run
            .err
            .split("hint: fetch this commit with ")
            .nth(1)
            .unwrap()
            .split(" > ")
            .next()
            .unwrap()
            .to_owned();
        let words: Vec<&str> = fetch.split(' ').skip(1).collect();
        git::git(clone.path(), &[&words[..1], &["-o", "/dev/null"], &words[1..]].concat());
        run_diff(clone.path(), "git:HEAD~1").exits(1);
    }
}

#[test]
fn gates_fail_in_a_damaged_repository() {
    let folder = repository_with_stranded_users();
    let blob = std::process::Command::new("git")
        .current_dir(folder.path())
        .args(["rev-parse", "HEAD~1:cat/ship/catalog.yaml"])
        .output()
        .unwrap();
    let name = String::from_utf8(blob.stdout).unwrap().trim().to_owned();
    fs::remove_file(folder.path().join(".git/objects").join(&name[..2]).join(&name[2..])).unwrap();
    let run = run_diff(folder.path(), "git:HEAD~1").exits(2);
    assert!(run.err.contains("the repository is damaged\nhint: see git fsck"), "{}", run.err);
}

#[test]
fn revision_missing_in_a_shallow_clone_gets_a_hint() {
    let full = repository_with_stranded_users();
    let clone = tempfile::tempdir().unwrap();
    git::clone(full.path(), clone.path(), &["--depth", "1"]);
    let run = run_diff(clone.path(), "git:HEAD~1").exits(2);
    assert!(run.err.contains("git has no revision HEAD~1\nhint: this is a shallow clone"), "{}", run.err);
    git::git(clone.path(), &["fetch", "-q", "--unshallow"]);
    run_diff(clone.path(), "git:HEAD~1").exits(1);
}

const POINTER: &str = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";

#[test]
fn git_lfs_pointer_is_reported_instead_of_read() {
    let folder = repository_with_stranded_users();
    let file = folder.path().join("cat/ship/catalog.yaml");
    let text = fs::read(&file).unwrap();
    fs::write(&file, POINTER).unwrap();
    let run = olmap_in(folder.path(), &["validate", "cat"]).exits(1);
    assert!(run.out.contains("error[lfs-pointer]") && run.out.contains("git lfs pull"), "{}", run.out);
    let run = olmap_in(folder.path(), &["validate", "cat/ship/catalog.yaml"]).exits(2);
    assert!(run.err.contains("is only a Git LFS pointer\nhint: fetch it with git lfs pull"), "{}", run.err);
    git::commit_on("2025-03-01", folder.path());
    fs::write(&file, text).unwrap();
    let run = run_diff(folder.path(), "git:HEAD").exits(2);
    let said = "olmap: cat/ship/catalog.yaml of git:HEAD is missing: git has only its Git LFS \
     pointer\nhint: ";
    assert!(run.err.starts_with(said), "{}", run.err);
    // Files that opm does not read may be missing.
    fs::write(folder.path().join("cat/.indexignore"), "*.png\n").unwrap();
    fs::write(folder.path().join("cat/ship/icon.png"), POINTER).unwrap();
    git::commit_on("2025-03-02", folder.path());
    run_diff(folder.path(), "git:HEAD").exits(0);
}

#[test]
fn submodule_in_a_catalog_fails_the_comparison() {
    let (folder, other) = (repository_with_stranded_users(), repository_with_stranded_users());
    let url = other.path().to_str().unwrap();
    git::git(
        folder.path(),
        &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, "cat/other"],
    );
    git::commit_on("2025-03-01", folder.path());
    let run = run_diff(folder.path(), "git:HEAD").exits(2);
    let said = "olmap: cat/other of git:HEAD is missing: it is in a submodule\nhint: ";
    assert!(run.err.starts_with(said), "{}", run.err);
    fs::write(folder.path().join("cat/.indexignore"), "other\n").unwrap();
    git::commit_on("2025-03-02", folder.path());
    run_diff(folder.path(), "git:HEAD").exits(0);
}

/// Returns a catalog whose last document is unreadable.
fn broken_yaml() -> String {
    format!("{}---\nschema: olm.channel\nname: [\n", ship_yaml(&["1.0.0", "1.1.0"]))
}

#[test]
fn gate_without_findings_fails_if_a_catalog_is_partly_unreadable() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (whole, half) = (at("whole.yaml", &ship_yaml(&["1.0.0", "1.1.0"])), at("half.yaml", &broken_yaml()));
    let expectations =
        at("e.yaml", "- {package: ship, channel: stable, installed: 1.0.0, expect: pick 1.1.0}\n");
    let named = |run: &Run| assert!(run.err.contains("half.yaml:31:"), "{}", run.err);
    for (old, new) in [(&half, &whole), (&half, &half)] {
        for format in ["text", "markdown", "json"] {
            let run = olmap(&["diff", old, new, "--format", format, "--fail-on", "removed-entries"]).exits(2);
            named(&run);
            assert!(run.out.contains("half.yaml:31:"), "{}", run.out);
            let praise = ["**No difference", "**Nobody", ": no difference", ". Nobody"];
            assert!(praise.iter().all(|words| !run.out.contains(words)), "{}", run.out);
        }
        olmap(&["diff", old, new]).exits(0);
    }
    named(&olmap(&["diff", &whole, &half, "--fail-on", "removed-entries"]).exits(2));
    named(&olmap(&["expect", &expectations, &half]).exits(2));
    olmap(&["expect", &expectations, &whole]).exits(0);
    named(&olmap(&["expect", "--record", "-", &half]).exits(2));
    named(&olmap(&["deprecations", &half]).exits(2));
    let run = olmap(&["deprecations", &half, "--format", "markdown"]).exits(2);
    assert!(
        run.out.starts_with("**olmap**: in the part that could be read, nothing is deprecated"),
        "{}",
        run.out
    );
    olmap(&["deprecations", &whole]).exits(0);
    named(&olmap(&["validate", &half, "--package", "ship"]).exits(2));
    named(&olmap(&["validate", &half, "--rule", "dead-end"]).exits(2));
    olmap(&["validate", &half, "--rule", "dead-end", "--allow", "yaml-syntax"]).exits(0);
    for asking in [&["list", "packages", &half][..], &["graph", &half]] {
        named(&olmap(asking).exits(0));
    }
    named(&olmap(&["successors", &half]).exits(1));
    named(&olmap(&["successors", &half, "--engine", "classic"]).exits(0));
}

#[test]
fn errors_in_other_packages_do_not_fail_a_selected_package() {
    let text = ship_yaml(&["1.0.0"])
        + "---\nschema: olm.bundle\npackage: raft\nname: raft.v1.0.0\nimage: 5\nproperties: []\n";
    olmap_with(&text, &["validate", "-", "--package", "ship"]).exits(0);
    olmap_with(&text, &["validate", "-", "--package", "raft"]).exits(1);
    olmap_with(&text, &["deprecations", "-", "--package", "ship"]).exits(0);
    olmap_with(&text, &["deprecations", "-"]).exits(2);
}

/// Returns a folder with a catalog whose images are on a port without a server.
fn catalog_with_unreachable_images() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("cat")).unwrap();
    let text = ship_yaml(&["1.0.0", "1.1.0"])
        .replace("registry.example.com/ship@sha256:", "127.0.0.1:1/ship@sha256:");
    fs::write(folder.path().join("cat/catalog.yaml"), text).unwrap();
    folder
}

#[test]
fn checks_fail_if_bundle_images_cannot_be_fetched() {
    let folder = catalog_with_unreachable_images();
    let run = |line: &str| olmap_in(folder.path(), &line.split(' ').collect::<Vec<_>>());
    let fetched = "--fetch-bundles --use-http --timeout 2";
    for line in [
        "validate cat",
        "validate cat --rule crd-upgrade-unsafe-v1",
        "validate cat --format json",
        "validate cat --format sarif",
        "validate cat --format markdown",
        "validate cat --format github",
        "validate cat --format gitlab",
        "diff cat cat --fail-on all",
        "diff cat cat --format json",
        "crds graph cat --refused",
        "readiness cat",
        "readiness cat --format markdown",
        "successors cat --format json",
        "path 1.0.0 head cat",
        "plan --installed ship.v1.0.0 4.18=cat 4.19=cat",
    ] {
        let broken = run(&format!("{line} {fetched}")).exits(2);
        assert!(broken.err.contains("127.0.0.1:1"), "{line}: {}", broken.err);
        // Without `--fetch-bundles`, images are not an input.
        assert!(run(line).code < 2, "{line}");
    }
}

#[test]
fn steps_without_manifests_fail_only_if_not_checked_is_denied() {
    let folder = catalog_with_unreachable_images();
    let run = |line: &str| olmap_in(folder.path(), &line.split(' ').collect::<Vec<_>>());
    let other = folder.path().join("operators/boat/1.0.0");
    for part in ["manifests", "metadata"] {
        fs::create_dir_all(other.join(part)).unwrap();
    }
    let csv = "kind: ClusterServiceVersion\nmetadata: {name: boat.v1.0.0}\nspec: {}\n";
    fs::write(other.join("manifests/csv.yaml"), csv).unwrap();
    let told = "cat: 1 of 1 upgrade steps not checked";
    let run_with = |more: &str| run(&format!("validate cat --bundles operators{more}"));
    assert!(run_with("").exits(0).err.contains(told));
    assert!(run_with(" --deny not-checked").exits(2).err.contains(told));
    assert!(run("validate cat --deny not-checked").exits(2).err.contains(told));
    // Without a source of manifests, only the absence of findings needs a note.
    let note = "note: CRD safety of the upgrades: not checked (--bundles DIR or --fetch-bundles)\n";
    assert_eq!(run("validate cat").exits(0).err, note);
}

/// Uses a false constraint that exceeds the step limit of olmap.
#[test]
fn checks_fail_if_a_limit_of_olmap_is_reached() {
    let mut rule = String::from("v0.type != 'zz'");
    for at in (0..6).rev() {
        rule = format!("properties.all(v{at}, {rule})");
    }
    let mut text = ship_yaml(&["1.0.0"]);
    text += &format!(
        "- type: olm.constraint\n  value: {{failureMessage: none, cel: {{rule: \"{rule} && false\"}}}}\n"
    );
    text += &ship_yaml(&["1.0.0"]).replace("ship", "boat").replacen("schema", "---\nschema", 1);
    for at in 0..100 {
        text += &format!("- {{type: t{at}, value: v}}\n");
    }
    for args in [
        &["validate", "-"][..],
        &["validate", "-", "--rule", "dependency-unsatisfiable"],
        &["validate", "-", "--deny", "warnings", "--format", "json"],
        &["resolve", "-", "--subscribe", "ship"],
    ] {
        let run = olmap_with(&text, args).exits(2);
        assert!(run.err.contains("olmap stopped looking after"), "{args:?}: {}", run.err);
    }
    olmap_with(&text, &["validate", "-", "--allow", "not-checked"]).exits(0);
    olmap_with(&text, &["validate", "-", "--package", "boat"]).exits(0);
}

#[test]
fn baseline_never_accepts_unchecked_parts() {
    let folder = catalog_with_unreachable_images();
    let run = |line: &str| olmap_in(folder.path(), &line.split(' ').collect::<Vec<_>>());
    let fetched = "--fetch-bundles --use-http --timeout 2";
    run(&format!("validate cat --write-baseline accepted.yaml {fetched}")).exits(2);
    assert!(!fs::read_to_string(folder.path().join("accepted.yaml")).unwrap().contains("not-checked"));
    fs::write(
        folder.path().join("accepted.yaml"),
        "- {rule: not-checked, package: ship, bundle: ship.v1.0.0}\n",
    )
    .unwrap();
    run(&format!("validate cat --baseline accepted.yaml {fetched}")).exits(2);
}

#[test]
fn v1_answers_nothing_from_a_catalog_that_no_cluster_serves() {
    let folder = tempfile::tempdir().unwrap();
    let write = |text: &str| fs::write(folder.path().join("catalog.yaml"), text).unwrap();
    let good = ship_yaml(&["1.0.0", "1.1.0"]);
    let broken_package = format!("{good}---\n{{schema: olm.bundle, package: ship, name: x, image: 5}}\n");
    let other_package = format!("{good}---\n{{schema: olm.bundle, package: other, name: x, image: 5}}\n");
    let broken_catalog = format!("{good}---\n- list\n");
    let successors = ["successors", "catalog.yaml", "-p", "ship", "--installed", "1.0.0", "-o", "jsonl"];
    let path = ["path", "1.0.0", "1.1.0", "catalog.yaml", "-p", "ship", "--engine", "v1"];
    let resources = ["resources", "1.1.0", "catalog.yaml", "-p", "ship", "--engine", "v1"];
    write(&other_package);
    let rows = olmap_in(folder.path(), &successors).exits(0).json_lines();
    assert_eq!(rows[1]["pick"], "ship.v1.1.0", "a cluster serves this package");
    for (text, place) in [(broken_package, "image must be a string"), (broken_catalog, "must be a map")] {
        write(&text);
        let rows = olmap_in(folder.path(), &successors).exits(1).json_lines();
        assert_eq!(rows[0]["pick"], "ship.v1.1.0", "Classic answers per channel");
        let error = rows[1]["error"].as_str().unwrap();
        assert!(
            error.contains("does not serve the package: catalog.yaml:") && error.contains(place),
            "{error}"
        );
        let table = olmap_in(folder.path(), &["successors", "catalog.yaml", "-p", "ship"]).exits(1).out;
        assert!(table.contains("v1: not served"), "{table}");
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let path = words(&olmap_in(folder.path(), &path).out);
        assert!(path.contains("does not serve the package"), "{path}");
        let resources = words(&olmap_in(folder.path(), &resources).exits(1).err);
        assert!(resources.contains("OLM v1 installs nothing: a cluster"), "{resources}");
    }
}
