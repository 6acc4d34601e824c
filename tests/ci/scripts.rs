//! Check of all scripts with shellcheck.

use std::{fs, path::Path, process::Command};

use serde_yaml::Value;

use super::{
    git::{git, init},
    sample::root,
};

#[test]
fn shellcheck_finds_nothing() {
    if Command::new("shellcheck").arg("--version").output().is_err() {
        println!("skipped: no shellcheck");
        return;
    }
    let read = |file: &str| fs::read_to_string(root().join(file)).unwrap();
    let yaml = |file: &str| -> Value { serde_yaml::from_str(&read(file)).unwrap() };
    let (gitlab, tekton) = (yaml("ci/gitlab.yml"), yaml("ci/tekton.yaml"));
    let line = |name: &str| gitlab["olmap"][name][0].as_str().unwrap().to_owned();
    let scripts = [
        read("ci/github.sh"),
        read(".ci/run"),
        read(".ci/commit-subjects"),
        read("tests/ci/gh.sh"),
        line("before_script"),
        line("script"),
        tekton["spec"]["steps"][0]["script"].as_str().unwrap().to_owned(),
    ];
    for script in scripts {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("script");
        fs::write(&file, &script).unwrap();
        let done = Command::new("shellcheck").arg(&file).output().unwrap();
        assert!(done.status.success(), "{}\n{script}", String::from_utf8_lossy(&done.stdout));
    }
}

/// Output of `.ci/commit-subjects` in a folder, and whether it passes.
fn check_commit_subjects(folder: &Path) -> (String, bool) {
    let script = root().join(".ci/commit-subjects");
    let done = Command::new("bash").arg(script).current_dir(folder).output().unwrap();
    (String::from_utf8(done.stdout).unwrap(), done.status.success())
}

#[test]
fn commit_subject_over_72_characters_fails_on_a_branch() {
    let folder = tempfile::tempdir().unwrap();
    let commit = |subject: &str| git(folder.path(), &["commit", "-q", "--allow-empty", "-m", subject]);
    init(folder.path());
    commit(&"m".repeat(80));
    git(folder.path(), &["switch", "-q", "-c", "branch"]);
    assert_eq!(check_commit_subjects(folder.path()), (String::new(), true));
    commit(&"a".repeat(72));
    assert_eq!(check_commit_subjects(folder.path()), (String::new(), true));
    let subject = "b".repeat(73);
    commit(&format!("{subject}\n\nA body line may be longer than the subject: {subject}"));
    let (output, passes) = check_commit_subjects(folder.path());
    assert!(!passes && output.ends_with(&format!(": 73 characters, at most 72: {subject}\n")), "{output}");
}

#[test]
fn commit_subjects_without_a_base_are_not_checked() {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "-q", "-b", "other"]);
    git(folder.path(), &["commit", "-q", "--allow-empty", "-m", &"a".repeat(80)]);
    let expected = "not checked: no branch main to compare with\n".to_owned();
    assert_eq!(check_commit_subjects(folder.path()), (expected, true));
}
