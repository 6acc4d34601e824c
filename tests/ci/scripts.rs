//! Every script is one that shellcheck has nothing to say of.

use std::{fs, process::Command};

use serde_yaml::Value;

use super::sample::root;

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
