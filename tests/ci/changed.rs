//! Restriction of checks to changes: `--changed-since` and `--files`.

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use super::{
    git,
    sample::{self, ANVIL, LATHE, add_good_version, add_second_head, replace_in_file, run_olmap},
};

fn validate_changed(at: &Path, more: &[&str]) -> (i32, String) {
    run_olmap(at, &[&["validate", "--changed-since", "HEAD"], more].concat())
}

#[test]
fn only_differing_packages_are_checked() {
    let repository = sample::new_repository();
    let at = repository.path();
    let (code, log) = validate_changed(at, &[]);
    assert_eq!(
        (code, log.as_str()),
        (0, "nothing was checked: catalogs/v4.20, catalogs/v4.22 are what they are in git:HEAD\n")
    );
    add_good_version(at);
    let (code, log) = validate_changed(at, &["--deny", "notes"]);
    assert_eq!(code, 0, "{log}");
    assert!(
        log.ends_with(
            "catalogs/v4.20: checked package anvil-operator, which differs from git:HEAD; 1 finding of other packages that it had \
             before: see olmap validate catalogs/v4.20\nnot checked: catalogs/v4.22 is what it is in git:HEAD\n\
             note: CRD safety of the upgrades: not checked (--bundles DIR or --fetch-bundles)\n"
        ),
        "{log}"
    );
    add_second_head(at);
    assert_eq!(validate_changed(at, &[]).0, 1);
    assert_eq!(validate_changed(at, &["catalogs/v4.22"]).0, 0);
    assert_eq!(validate_changed(at, &["catalogs/v4.2?"]).0, 1, "a pattern is one");
}

#[test]
fn moving_documents_touches_no_package() {
    let repository = sample::new_repository();
    let at = repository.path();
    let folder = at.join("catalogs/v4.20/moved");
    fs::create_dir(&folder).unwrap();
    fs::rename(at.join(LATHE), folder.join("index.yaml")).unwrap();
    let (code, log) = validate_changed(at, &["--deny", "notes"]);
    assert_eq!(code, 0, "{log}");
    assert!(log.contains("catalogs/v4.20: files differ from git:HEAD, no package does"), "{log}");
}

#[test]
fn packages_in_one_file_are_compared_separately() {
    let repository = sample::new_repository();
    let at = repository.path();
    let read = |file| fs::read_to_string(at.join(file)).unwrap();
    let all = read(ANVIL) + &read(LATHE);
    fs::create_dir(at.join("one")).unwrap();
    fs::write(at.join("one/index.yaml"), &all).unwrap();
    git::commit_on("2025-02-01", at);
    replace_in_file(at, "one/index.yaml", "Keeps anvils", "Loses anvils");
    let (code, log) = validate_changed(at, &["one", "--deny", "notes"]);
    assert_eq!(code, 0, "{log}");
    assert!(log.contains("one: checked package anvil-operator, which differs"), "{log}");
}

/// Package that depends on another one.
const NEEDY: &str = "schema: olm.package\nname: needy\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: needy\nname: stable\n\
    entries:\n- name: needy.v1.0.0\n---\nschema: olm.bundle\npackage: needy\nname: needy.v1.0.0\nimage: example.com/needy@sha256:1111111111111111111111111111111111111111111111111111111111111111\n\
    properties:\n- type: olm.package\n  value: {packageName: needy, version: 1.0.0}\n- type: olm.package.required\n  value: {packageName: anvil-operator, versionRange: '>=1.1.0'}\n";

#[test]
fn finding_caused_in_an_unchanged_package_is_reported() {
    let repository = sample::new_repository();
    let at = repository.path();
    fs::create_dir(at.join("catalogs/v4.20/needy")).unwrap();
    fs::write(at.join("catalogs/v4.20/needy/catalog.yaml"), NEEDY).unwrap();
    git::commit_on("2025-02-01", at);
    // The required package is removed; the package that needs it is unchanged.
    fs::remove_file(at.join(ANVIL)).unwrap();
    let (code, log) = validate_changed(at, &["--deny", "notes", "--format", "json"]);
    assert_eq!(code, 1, "{log}");
    assert!(log.contains("\"package\": \"needy\""), "{log}");
    let told = log.matches("\"rule\"").count();
    git::commit_on("2025-02-02", at);
    // Once committed, the finding does not fail a change of another package.
    replace_in_file(at, LATHE, "Turns wood", "Turns any wood");
    let (code, log) = validate_changed(at, &["--format", "json"]);
    assert_eq!(code, 0, "{told} {log}");
    assert!(!log.contains("\"package\": \"needy\""), "{log}");
}

#[test]
fn unreadable_file_fails_the_check_of_every_change_of_its_catalog() {
    let repository = sample::new_repository();
    let at = repository.path();
    fs::write(at.join("catalogs/v4.20/broken.yaml"), "schema: [\n").unwrap();
    git::commit_on("2025-02-01", at);
    // The unreadable file may contain any package.
    add_good_version(at);
    let (code, log) = validate_changed(at, &[]);
    assert_eq!(code, 1, "{log}");
    assert!(log.contains("error[yaml-syntax]"), "{log}");
    let (code, log) = validate_changed(at, &["--rule", "dead-end"]);
    assert_eq!(code, 2, "{log}");
    assert!(log.contains("not everything could be checked"), "{log}");
    let (code, log) = run_olmap(at, &["diff", "--changed-since", "HEAD", "--fail-on", "all"]);
    assert_eq!(code, 2, "{log}");
}

#[test]
fn changed_template_changes_its_package() {
    let repository = sample::new_repository();
    let at = repository.path();
    let operator = at.join("operators/lathe-operator");
    fs::create_dir_all(operator.join("catalog-templates")).unwrap();
    fs::write(
        operator.join("ci.yaml"),
        "fbc:\n  enabled: true\n  catalog_mapping:\n  - template_name: v4.22.yaml\n    catalog_names: [v4.22]\n    type: olm.template.basic\n",
    )
    .unwrap();
    let template = |bundles: &str| {
        let text = format!(
            "schema: olm.template.basic\nentries:\n- schema: olm.package\n  name: lathe-operator\n  defaultChannel: stable\n\
             - schema: olm.channel\n  package: lathe-operator\n  name: stable\n  entries:\n{bundles}"
        );
        fs::write(operator.join("catalog-templates/v4.22.yaml"), text).unwrap();
    };
    template("  - name: lathe-operator.v0.4.0\n");
    git::commit_on("2025-02-01", at);
    assert_eq!(
        validate_changed(at, &[]).1,
        "nothing was checked: catalogs/v4.20, catalogs/v4.22 are what they are in git:HEAD\n"
    );
    template("  - name: lathe-operator.v0.5.0\n");
    let (_, log) = validate_changed(at, &[]);
    assert!(log.contains("catalogs/v4.22: checked package lathe-operator, which differs"), "{log}");
}

#[test]
fn added_and_removed_catalogs_are_reported() {
    let repository = sample::new_repository();
    let at = repository.path();
    fs::rename(at.join("catalogs/v4.20"), at.join("catalogs/v4.24")).unwrap();
    let (code, log) = validate_changed(at, &["--deny", "warnings"]);
    assert_eq!(code, 1, "all of a new one is new: {log}");
    let new = "catalogs/v4.24 is new since git:HEAD: all of it was checked, packages anvil-operator, lathe-operator";
    assert!(log.contains(new), "{log}");
    assert!(log.contains("catalogs/v4.20 is removed since git:HEAD"), "{log}");
    let (code, log) = run_olmap(at, &["list", "catalogs", "--changed-since", "HEAD", "-o", "json"]);
    let rows: serde_json::Value = serde_json::from_str(&log).unwrap();
    let fates: Vec<_> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["path"].as_str().unwrap(), row["fate"].as_str().unwrap()))
        .collect();
    assert_eq!((code, fates), (0, vec![("catalogs/v4.24", "added"), ("catalogs/v4.20", "removed")]));
    let (code, log) = run_olmap(at, &["diff", "--changed-since", "HEAD", "--fail-on", "removed-entries"]);
    assert_eq!(code, 1, "{log}");
    let (code, log) =
        run_olmap(at, &["diff", "--changed-since", "HEAD", "catalogs/v4.24", "--fail-on", "all"]);
    assert_eq!(code, 0, "{log}");
    // A name that matches nothing is an error.
    assert_eq!(validate_changed(at, &["catalogs/v4.30"]).0, 2);
    assert_eq!(validate_changed(at, &["catalogs/w*"]).0, 2);
}

#[test]
fn merge_base_is_accepted_as_revision() {
    let repository = sample::new_repository();
    let at = repository.path();
    git::git(at, &["checkout", "-q", "-b", "change"]);
    add_good_version(at);
    git::commit_on("2025-02-01", at);
    git::git(at, &["checkout", "-q", "main"]);
    replace_in_file(at, "catalogs/v4.22/anvil-operator/catalog.yaml", "Keeps", "Loses");
    git::commit_on("2025-02-02", at);
    git::git(at, &["checkout", "-q", "change"]);
    let touched = |base: &str| run_olmap(at, &["list", "catalogs", "--changed-since", base]).1;
    assert_eq!(touched("main..."), "catalogs/v4.20\n");
    assert_eq!(touched("main"), "catalogs/v4.20\ncatalogs/v4.22\n");
    let (code, log) = run_olmap(at, &["diff", "git:main...", "catalogs/v4.22"]);
    assert_eq!(code, 0);
    assert!(log.starts_with("git:main... => catalogs/v4.22: no difference"), "{log}");
    git::git(at, &["checkout", "-q", "--orphan", "other"]);
    git::commit_on("2025-02-03", at);
    let (code, log) = run_olmap(at, &["list", "catalogs", "--changed-since", "main..."]);
    assert_eq!(code, 2);
    assert!(log.contains("no commit that HEAD and main have in common"), "{log}");
}

#[test]
fn incomplete_clone_fails_every_command() {
    let full = sample::new_repository();
    // A blob that exists nowhere else in the clone.
    replace_in_file(full.path(), ANVIL, "Keeps anvils", "Kept anvils");
    git::commit_on("2025-01-31", full.path());
    add_good_version(full.path());
    git::commit_on("2025-02-01", full.path());
    for filter in ["--filter=blob:none", "--filter=tree:0"] {
        let clone = tempfile::tempdir().unwrap();
        git::clone(full.path(), clone.path(), &[filter]);
        for command in [&["validate"][..], &["diff"], &["list", "catalogs"]] {
            for paths in [&[][..], &["catalogs/v4.20"], &["catalogs/v4.*"], &["catalogs/v4.99"]] {
                let (code, log) =
                    run_olmap(clone.path(), &[command, &["--changed-since", "HEAD~1"], paths].concat());
                assert_eq!(code, 2, "{command:?} {paths:?}: {log}");
            }
        }
    }
    let clone = tempfile::tempdir().unwrap();
    git::clone(full.path(), clone.path(), &["--depth", "1"]);
    let (code, log) = run_olmap(clone.path(), &["validate", "--changed-since", "HEAD~1"]);
    assert_eq!(code, 2, "{log}");
    assert!(log.contains("this is a shallow clone"), "{log}");
}

#[test]
fn files_can_be_listed_on_standard_input() {
    let repository = sample::new_repository();
    let at = repository.path();
    add_second_head(at);
    for end in ["\n", "\0"] {
        let names = [ANVIL, "README.md", ""].join(end);
        let mut child = Command::new(env!("CARGO_BIN_EXE_olmap"))
            .current_dir(at)
            .args(["validate", "--files", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(names.as_bytes()).unwrap();
        let (code, log) = sample::code_and_output(&child.wait_with_output().unwrap());
        assert_eq!(code, 1, "{log}");
        assert!(log.contains("checked package anvil-operator, which is in the named files"), "{log}");
    }
    let (code, log) = run_olmap(at, &["validate", "--files", "baseline.yaml"]);
    assert_eq!((code, log.as_str()), (0, "nothing was checked: no file is in a catalog\n"));
    let (code, log) = run_olmap(at, &["validate", "--files"]);
    assert_eq!((code, log.as_str()), (0, "nothing was checked: no file is in a catalog\n"));
}

#[test]
fn arguments_without_a_changed_catalog_are_refused() {
    let repository = sample::new_repository();
    let at = repository.path();
    for path in ["-", "docker://registry.example.com/a:v1"] {
        assert_eq!(validate_changed(at, &[path]).0, 2, "{path}");
    }
    for other in [&["--parity"][..], &["--package", "anvil-operator"], &["--write-baseline", "b.yaml"]] {
        assert_eq!(validate_changed(at, other).0, 2, "{other:?}");
    }
    let nowhere = tempfile::tempdir().unwrap();
    fs::create_dir(nowhere.path().join("c")).unwrap();
    fs::copy(at.join(ANVIL), nowhere.path().join("c/catalog.yaml")).unwrap();
    let (code, log) = validate_changed(nowhere.path(), &["c"]);
    assert_eq!(code, 2);
    assert!(log.contains("is not in a git repository"), "{log}");
}

#[test]
fn one_run_writes_several_formats() {
    let repository = sample::new_repository();
    let at = repository.path();
    add_second_head(at);
    let (code, log) = validate_changed(
        at,
        &[
            "--format",
            "github",
            "--also",
            "sarif=a.sarif",
            "--also",
            "markdown=a.md",
            "--also",
            "gitlab=a.json",
        ],
    );
    assert_eq!(code, 1, "{log}");
    let read = |file: &str| fs::read_to_string(at.join(file)).unwrap();
    assert!(serde_json::from_str::<serde_json::Value>(&read("a.sarif")).unwrap()["runs"].is_array());
    assert!(
        read("a.md").starts_with("**olmap** found 1 error")
            && read("a.md").contains("Not checked: catalogs/v4.22"),
        "{}",
        read("a.md")
    );
    assert!(read("a.json").contains("multiple-heads"));
    // opm would read the output file as part of the catalog.
    let (code, log) = validate_changed(at, &["--also", "markdown=catalogs/v4.20/a.md"]);
    assert_eq!(code, 2, "{log}");
    assert!(!at.join("catalogs/v4.20/a.md").exists());
    assert_eq!(validate_changed(at, &["--also", "pdf=a.pdf"]).0, 2);
}
