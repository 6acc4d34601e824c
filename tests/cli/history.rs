//! `olmap history`: changes of each commit to a package and its users.

use std::{fmt::Write as _, fs, path::Path};

use insta::assert_snapshot;
use serde_json::Value;
use tempfile::TempDir;

use super::{
    git,
    run::{Run, olmap_in},
};

fn package_yaml(name: &str, default: &str, versions: &[&str]) -> String {
    let mut text = format!("---\nschema: olm.package\nname: {name}\ndefaultChannel: {default}\n");
    for channel in ["fast", "stable"] {
        let _ = write!(text, "---\nschema: olm.channel\npackage: {name}\nname: {channel}\nentries:\n");
        let mut before: Option<&str> = None;
        for version in versions {
            let _ = writeln!(text, "- name: {name}.v{version}");
            let _ = before.map_or(Ok(()), |before| writeln!(text, "  replaces: {name}.v{before}"));
            before = Some(version);
        }
    }
    for version in versions {
        let _ = write!(
            text,
            "---\nschema: olm.bundle\npackage: {name}\nname: {name}.v{version}\nimage: example.com/{name}:{version}\nproperties:\n- \
             {{type: olm.package, value: {{packageName: {name}, version: {version}}}}}\n"
        );
    }
    text
}

pub(super) fn commit_as(root: &Path, day: &str, author: &str, message: &str) {
    git::git_on(day, root, &["add", "-A"]);
    let author = format!("{author} <someone@example.com>");
    git::git_on(day, root, &["commit", "-q", "--author", &author, "-m", message]);
}

/// Returns a repository with two packages. The commits release versions, strand users, break and
/// fix the file, change the default channel, and deprecate a bundle.
fn repository_with_history() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    git::init(root);
    let write = |text: &str| {
        fs::create_dir_all(root.join("catalog/tide")).unwrap();
        fs::write(root.join("catalog/tide/catalog.yaml"), text).unwrap();
    };
    fs::create_dir_all(root.join("catalog/boat")).unwrap();
    fs::write(root.join("catalog/boat/catalog.yaml"), package_yaml("boat", "stable", &["1.0.0"])).unwrap();
    write(&package_yaml("tide", "fast", &["1.0.0", "1.1.0"]));
    commit_as(root, "2025-01-01", "Ann Other", "Add tide");
    write(&package_yaml("tide", "fast", &["1.0.0", "1.1.0", "1.2.0"]));
    commit_as(root, "2025-01-05", "Ann Other", "Release 1.2.0 (#7)");
    write(&package_yaml("tide", "fast", &["1.1.0", "1.2.0", "1.3.0"]));
    commit_as(root, "2025-02-01", "Bo Sun", "Release 1.3.0 and prune");
    write("schema: [");
    commit_as(root, "2025-02-02", "Bo Sun", "Slip");
    let now = package_yaml("tide", "stable", &["1.1.0", "1.2.0", "1.3.0"]);
    write(&now);
    commit_as(root, "2025-02-03", "Ann Other", "Mend it, and make stable the default");
    fs::write(root.join("catalog/boat/catalog.yaml"), package_yaml("boat", "stable", &["1.0.0", "1.1.0"]))
        .unwrap();
    commit_as(root, "2025-02-04", "Bo Sun", "Only the boat");
    write(&format!(
        "{now}---\nschema: olm.deprecations\npackage: tide\nentries:\n- reference: {{schema: olm.bundle, name: \
         tide.v1.1.0}}\n  message: Old.\n"
    ));
    commit_as(root, "2025-03-01", "Ann Other", "Deprecate 1.1.0");
    folder
}

fn run_history(folder: &TempDir, arguments: &[&str]) -> Run {
    olmap_in(folder.path(), &[&["history"], arguments].concat())
}

#[test]
fn lists_commits_with_their_changes() {
    let folder = repository_with_history();
    let run = run_history(&folder, &["tide", "catalog"]).exits(0);
    assert_snapshot!(run.out);
    assert!(!run.out.contains("Only the boat"));
}

#[test]
fn of_option_lists_commits_about_one_bundle() {
    let folder = repository_with_history();
    let by_name = run_history(&folder, &["tide", "catalog", "--of", "tide.v1.0.0"]).exits(0);
    assert_snapshot!(by_name.out);
    assert_eq!(run_history(&folder, &["tide", "catalog", "--of", "1.0.0"]).exits(0).out, by_name.out);
    let run = run_history(&folder, &["tide", "catalog", "--of", "9.9.9"]).exits(2);
    assert!(run.err.contains("no commit is about a bundle 9.9.9"), "{}", run.err);
}

#[test]
fn history_as_a_comment() {
    let folder = repository_with_history();
    let run = run_history(&folder, &["tide", "catalog", "--format", "markdown", "--limit", "3"]).exits(0);
    assert_snapshot!(run.out);
}

#[test]
fn json_has_all_commits_and_changes() {
    let folder = repository_with_history();
    let run = run_history(&folder, &["tide", "catalog", "--format", "json"]).exits(0);
    let value: Value = serde_json::from_str(&run.out).unwrap();
    let commits = value["commits"].as_array().unwrap();
    assert_eq!(value["package"], "tide");
    assert_eq!(commits.len(), 6);
    assert_eq!(commits[0]["subject"], "Deprecate 1.1.0");
    assert_eq!(commits[1]["change"]["defaultChannel"]["after"], "stable");
    assert_eq!(commits[1]["unreadBefore"], 1);
    assert!(commits[2]["unread"].as_str().unwrap().contains("tide/catalog.yaml"), "{}", commits[2]["unread"]);
    assert_eq!(commits[3]["author"], "Bo Sun");
    assert_eq!(commits[3]["installed"]["tide.v1.0.0"], "stuck");
    assert_eq!(commits[3]["users"]["stuck"], 1);
}

#[test]
fn limit_and_since_restrict_commits_and_are_reported() {
    let folder = repository_with_history();
    let run = run_history(&folder, &["tide", "catalog", "--limit", "2"]).exits(0);
    assert!(run.out.contains("Older commits are not listed") && run.out.contains("2 commits"), "{}", run.out);
    let run = run_history(&folder, &["tide", "catalog", "--since", "HEAD~1"]).exits(0);
    assert!(run.out.contains("1 commit,") && !run.out.contains("not listed"), "{}", run.out);
    let run = run_history(&folder, &["tide", "catalog", "--since", "HEAD"]).exits(0);
    assert!(run.out.contains("0 commits"), "{}", run.out);
    let run = run_history(&folder, &["tide", "catalog", "--since", "nonsense"]).exits(2);
    assert!(run.err.contains("git has no revision nonsense"), "{}", run.err);
}

#[test]
fn removed_file_still_has_a_history() {
    let folder = repository_with_history();
    let root = folder.path();
    fs::remove_dir_all(root.join("catalog/tide")).unwrap();
    commit_as(root, "2025-04-01", "Bo Sun", "Retire tide");
    let run = run_history(&folder, &["tide", "catalog"]).exits(0);
    assert!(run.out.contains("Retire tide\n  - the package\n"), "{}", run.out);
    assert!(run.out.contains("3 installed versions lose their package"), "{}", run.out);
    let run = run_history(&folder, &["skiff", "catalog"]).exits(2);
    assert!(run.err.contains("no commit has package skiff"), "{}", run.err);
}

#[test]
fn shallow_clone_is_reported() {
    let folder = repository_with_history();
    let other = tempfile::tempdir().unwrap();
    git::clone(folder.path(), &other.path().join("clone"), &["--depth", "2"]);
    let run = olmap_in(&other.path().join("clone"), &["history", "tide", "catalog"]).exits(0);
    assert!(run.out.contains("shallow clone"), "{}", run.out);
}

#[test]
fn fails_outside_of_a_repository() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tide.yaml"), package_yaml("tide", "stable", &["1.0.0"])).unwrap();
    let run = run_history(&folder, &["tide", "tide.yaml"]).exits(2);
    assert!(run.err.contains("is not in a git repository"), "{}", run.err);
    let run = run_history(&folder, &["tide", "-"]).exits(2);
    assert!(run.err.contains("is not in a git repository"), "{}", run.err);
}

/// Removes a package from a file with other packages, in a commit with a date far in the future.
#[test]
fn removed_package_has_a_history_despite_wrong_dates() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    git::init(root);
    fs::create_dir_all(root.join("catalog")).unwrap();
    let write = |text: &str| fs::write(root.join("catalog/catalog.yaml"), text).unwrap();
    let (boat, tide) = (package_yaml("boat", "stable", &["1.0.0"]), package_yaml("tide", "fast", &["1.0.0"]));
    write(&format!("{boat}{tide}"));
    commit_as(root, "2025-01-01", "Ann Other", "Begin");
    write(&boat);
    commit_as(root, "2025-01-02", "Bo Sun", "Take tide out");
    write(&package_yaml("boat", "stable", &["1.0.0", "1.1.0"]));
    git::git_on("2025-01-03", root, &["add", "-A"]);
    git::git_on("@999999999999 +0000", root, &["commit", "-q", "-m", "Only the boat"]);
    let told = run_history(&folder, &["tide", "catalog"]).exits(0).out;
    assert!(told.contains("Bo Sun") && told.contains("Take tide out"), "{told}");
    let boat = run_history(&folder, &["boat", "catalog"]).exits(0).out;
    assert!(boat.contains("9999-12-31") && boat.contains("Begin"), "{boat}");
}
