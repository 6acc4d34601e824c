//! The pre-commit hooks: their commands, followed by file names.

use std::{collections::BTreeMap, fs, path::Path};

use serde_yaml::Value;

use super::sample::{
    self, ANVIL, LATHE, add_good_version, add_second_head, clean_command, code_and_output, replace_in_file,
    root,
};

fn load_hook(id: &str) -> Value {
    let text = fs::read_to_string(root().join(".pre-commit-hooks.yaml")).unwrap();
    let hooks: Value = serde_yaml::from_str(&text).unwrap();
    hooks.as_sequence().unwrap().iter().find(|hook| hook["id"].as_str() == Some(id)).unwrap().clone()
}

fn run_hook(at: &Path, id: &str, files: &[&str]) -> (i32, String) {
    let hook = load_hook(id);
    let entry = hook["entry"].as_str().unwrap().split(' ');
    let args = hook.get("args").and_then(Value::as_sequence).into_iter().flatten();
    let entry: Vec<&str> = entry.chain(args.map(|word| word.as_str().unwrap())).collect();
    let bin = sample::install_programs();
    let mut command = clean_command(entry[0], at, Some(bin.path()), &BTreeMap::new());
    let files = if hook["pass_filenames"].as_bool() == Some(false) { &[] } else { files };
    code_and_output(&command.args(&entry[1..]).args(files).output().unwrap())
}

#[test]
fn only_catalogs_of_the_files_are_checked() {
    let repository = sample::new_repository();
    let at = repository.path();
    add_good_version(at);
    let (code, log) = run_hook(at, "olmap-validate", &[ANVIL, "baseline.yaml"]);
    assert_eq!(code, 0, "{log}");
    assert!(log.contains("catalogs/v4.20: checked package anvil-operator, which differs from git:HEAD or is in the named files"), "{log}");
    assert!(log.contains("baseline.yaml is in no catalog that was checked"), "{log}");
    assert!(!log.contains("catalogs/v4.22"), "{log}");
    add_second_head(at);
    let (code, log) = run_hook(at, "olmap-validate", &[ANVIL]);
    assert_eq!(code, 1, "{log}");
    assert_eq!(log.matches("error[multiple-heads]").count(), 1, "{log}");
}

#[test]
fn files_deleted_in_a_commit_are_checked() {
    let repository = sample::new_repository();
    let at = repository.path();
    // pre-commit does not pass deleted files.
    fs::remove_file(at.join(LATHE)).unwrap();
    add_good_version(at);
    let (code, log) = run_hook(at, "olmap-validate", &[ANVIL]);
    assert_eq!(code, 0, "{log}");
    assert!(log.contains("packages anvil-operator, lathe-operator"), "{log}");
}

#[test]
fn all_files_check_all_packages() {
    let repository = sample::new_repository();
    let at = repository.path();
    let (code, log) = run_hook(at, "olmap-validate", &[ANVIL, LATHE]);
    assert_eq!(code, 0, "{log}");
    assert!(log.contains("stuck"), "nothing differs from HEAD, and all is looked at: {log}");
}

#[test]
fn catalogs_in_args_are_checked_completely() {
    let repository = sample::new_repository();
    replace_in_file(repository.path(), LATHE, "  replaces: lathe-operator.v0.3.0\n", "");
    let hook = load_hook("olmap-validate-catalogs");
    assert_eq!(hook["pass_filenames"].as_bool(), Some(false));
    let (code, log) = sample::run_olmap(repository.path(), &["validate", "catalogs/v4.20"]);
    assert_eq!(code, 1, "{log}");
}
