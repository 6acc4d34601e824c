//! Checks of CI workflows: every step is a valid shell command and names existing files.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_yaml::Value;

use super::read_document;

/// Returns every workflow with its path.
fn load_workflows() -> Vec<(PathBuf, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(".github/workflows");
    let mut found: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            let workflow =
                serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            (path, workflow)
        })
        .collect();
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    found
}

fn jobs(workflow: &Value) -> impl Iterator<Item = (&str, &Value)> {
    workflow["jobs"].as_mapping().unwrap().iter().map(|(name, job)| (name.as_str().unwrap(), job))
}

fn steps(workflow: &Value) -> impl Iterator<Item = &Value> {
    jobs(workflow).flat_map(|(_, job)| job["steps"].as_sequence().unwrap())
}

/// Returns the targets of a release.
pub fn release_targets() -> BTreeSet<String> {
    let release: Value = serde_yaml::from_str(&read_document(".github/workflows/release.yml")).unwrap();
    let matrix = &release["jobs"]["build"]["strategy"]["matrix"]["include"];
    matrix.as_sequence().unwrap().iter().map(|row| row["target"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn workflows_exist_and_releases_cover_three_systems() {
    let names: Vec<_> = load_workflows()
        .iter()
        .map(|(path, _)| path.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    assert!(names.contains(&"ci.yml".to_owned()) && names.contains(&"release.yml".to_owned()), "{names:?}");
    for part in ["x86_64-unknown-linux", "aarch64-unknown-linux", "apple-darwin", "windows"] {
        assert!(release_targets().iter().any(|target| target.contains(part)), "{part}");
    }
}

#[test]
fn workflow_commands_are_valid_and_name_existing_scripts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = 0;
    for (path, workflow) in load_workflows() {
        assert_eq!(workflow["defaults"]["run"]["shell"], "bash", "{}", path.display());
        for run in steps(&workflow).filter_map(|step| step["run"].as_str()) {
            found += 1;
            assert!(
                !run.contains("${{"),
                "what a runner puts in would be read by the shell, so it comes as a variable:\n{run}"
            );
            let mut bash =
                Command::new("bash").arg("-n").stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            std::io::Write::write_all(&mut bash.stdin.take().unwrap(), run.as_bytes()).unwrap();
            let said = bash.wait_with_output().unwrap();
            assert!(said.status.success(), "{run}\n{}", String::from_utf8_lossy(&said.stderr));
            let words = run.split([' ', '\n', '"', '(', ')', ';']);
            for script in words.filter(|word| word.starts_with("packaging/") || word.starts_with(".ci/")) {
                assert!(root.join(script).is_file(), "{script} of {} is there", path.display());
            }
        }
    }
    assert!(found > 10, "{found} commands");
}

#[test]
fn script_commands_are_valid() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "sh") {
            let said = Command::new("bash").arg("-n").arg(&path).output().unwrap();
            assert!(said.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&said.stderr));
        }
    }
}

#[test]
fn actions_are_pinned_and_have_minimal_permissions() {
    for (path, workflow) in load_workflows() {
        let shown = path.display();
        let allowed =
            workflow["permissions"].as_mapping().unwrap_or_else(|| panic!("{shown} names its permissions"));
        assert!(
            allowed.iter().all(|(_, what)| what == "read"),
            "{shown}: a job that writes asks for it itself"
        );
        for (name, job) in jobs(&workflow) {
            assert!(job["timeout-minutes"].as_u64().is_some(), "{name} of {shown} ends some time");
        }
        for step in steps(&workflow) {
            let Some(uses) = step["uses"].as_str() else { continue };
            if uses.starts_with("./") {
                continue;
            }
            let (action, _) = uses.split_once('@').unwrap_or_else(|| panic!("{uses} of {shown}"));
            if action == "actions/checkout" {
                assert_eq!(step["with"]["persist-credentials"], false, "{shown} leaves no token behind");
            }
        }
    }
}

/// A tag may be moved to other code, and a hash cannot. The comment says for people which version it is, and updaters read it.
#[test]
fn actions_of_others_are_pinned_by_hash() {
    let mut pins = std::collections::BTreeMap::new();
    let demo = "demo/ci/repository/.github/workflows/catalogs.yaml";
    let files =
        [".github/workflows/ci.yml", ".github/workflows/release.yml", "action.yml", "docs/ci.md", demo];
    assert_eq!(load_workflows().len(), 2, "a new workflow belongs into this list");
    for file in files {
        for line in read_document(file).lines() {
            let Some((_, uses)) = line.split_once("uses: ") else { continue };
            // The owner of a repository fills in our own.
            if uses.starts_with("./") || uses.starts_with("OWNER/olmap@") {
                continue;
            }
            let (action, pin) = uses.split_once('@').unwrap_or_else(|| panic!("{file}: {uses}"));
            let (hash, version) =
                pin.split_once(" # v").unwrap_or_else(|| panic!("{file}: {uses} has no version"));
            assert!(hash.len() == 40 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{file}: {uses}");
            let numbers: Vec<&str> = version.split('.').collect();
            assert!(
                numbers.len() == 3 && numbers.iter().all(|number| number.parse::<u32>().is_ok()),
                "{file}: {uses}"
            );
            let before = pins.insert(action.to_owned(), pin.to_owned());
            assert!(before.is_none_or(|before| before == pin), "{action} has two versions");
        }
    }
    assert!(pins.len() >= 5, "{pins:?}");
}

#[test]
fn tools_have_one_version_in_all_workflows() {
    let mut versions = std::collections::BTreeMap::new();
    for (path, workflow) in load_workflows() {
        for (name, value) in workflow["env"].as_mapping().into_iter().flatten() {
            let value = value.as_str().unwrap_or_else(|| panic!("{name:?} of {} is text", path.display()));
            let before = versions.insert(name.as_str().unwrap().to_owned(), value.to_owned());
            assert!(before.is_none_or(|before| before == value), "{name:?} has two versions");
        }
    }
    assert!(versions.contains_key("RUST"));
}
