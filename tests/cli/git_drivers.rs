//! `olmap git` as real git starts it: merges, rebases and diffs of catalogs.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use tempfile::TempDir;

use crate::{
    git,
    run::{command, olmap, olmap_in},
};

const FILE: &str = "catalogs/v4.20/kiln/catalog.yaml";

/// Returns a catalog with entries of the channel `stable` after the first one.
fn catalog(entries: &str) -> String {
    format!(
        "# Maintained by the potters.\nschema: olm.package\nname: kiln\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: \
         kiln\nname: stable\nentries:\n- name: kiln.v1.0.0\n{entries}"
    )
}

/// Repository whose git uses the drivers.
struct Repository {
    folder: TempDir,
}

impl Repository {
    /// Commits a catalog on `main`.
    fn with_catalog(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        git::init(folder.path());
        let repository = Self { folder };
        let program = env!("CARGO_BIN_EXE_olmap");
        repository.set("merge.olmap.driver", &format!("'{program}' git merge %O %A %B %L %P"));
        repository.set("diff.olmap.textconv", &format!("'{program}' git textconv"));
        fs::write(repository.path(".gitattributes"), "catalogs/**/*.yaml merge=olmap diff=olmap\n").unwrap();
        repository.commit(text);
        repository
    }

    fn set(&self, name: &str, value: &str) {
        git::git(self.folder.path(), &["config", name, value]);
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn commit(&self, text: &str) {
        let file = self.path(FILE);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        git::commit_on("2025-01-01", self.folder.path());
    }

    /// Commits a text on a new branch from `main`.
    fn branch(&self, name: &str, text: &str) {
        git::git(self.folder.path(), &["checkout", "-q", "-b", name, "main"]);
        self.commit(text);
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let identity = ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"].map(|name| (name, "a"));
        let mail = ["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"].map(|name| (name, "a@example.com"));
        Command::new("git")
            .arg("-C")
            .arg(self.folder.path())
            .args(arguments)
            .envs([
                ("GIT_CONFIG_GLOBAL", "/dev/null"),
                ("GIT_CONFIG_NOSYSTEM", "1"),
                ("OLMAP_CONFIG", "none"),
            ])
            .envs(identity.into_iter().chain(mail))
            .output()
            .unwrap()
    }

    fn text(&self) -> String {
        fs::read_to_string(self.path(FILE)).unwrap()
    }
}

fn output_text(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

const HOTFIX: &str = "- name: kiln.v1.0.1 # for one customer\n  skips:\n  - kiln.v1.0.0\n";
const HEAD: &str = "- name: kiln.v1.1.0\n  replaces: kiln.v1.0.1\n";

#[test]
fn branches_that_add_entries_at_the_same_place_merge() {
    let repository = Repository::with_catalog(&catalog(""));
    repository.branch("hotfix", &catalog(HOTFIX));
    repository.branch("release", &catalog(HEAD));
    // git itself cannot.
    let plain = repository.run(&["-c", "merge.olmap.driver=false", "merge", "hotfix"]);
    assert!(!plain.status.success(), "{}", output_text(&plain));
    git::git(repository.folder.path(), &["merge", "--abort"]);
    let merged = repository.run(&["merge", "-q", "--no-edit", "hotfix"]);
    assert!(merged.status.success(), "{}", output_text(&merged));
    assert_eq!(repository.text(), catalog(&format!("{HEAD}{HOTFIX}")));
    assert_eq!(
        olmap(&["validate", repository.path("catalogs/v4.20").to_str().unwrap(), "--rule", "multiple-heads"])
            .code,
        0
    );
}

#[test]
fn rebase_merges_as_well() {
    let repository = Repository::with_catalog(&catalog(""));
    repository.branch("hotfix", &catalog(HOTFIX));
    repository.branch("release", &catalog(HEAD));
    let rebased = repository.run(&["rebase", "-q", "hotfix"]);
    assert!(rebased.status.success(), "{}", output_text(&rebased));
    assert_eq!(repository.text(), catalog(&format!("{HOTFIX}{HEAD}")));
}

#[test]
fn same_value_changed_twice_has_markers_for_that_value_only() {
    let entry =
        |range: &str| format!("- name: kiln.v1.1.0\n  replaces: kiln.v1.0.0\n  skipRange: <{range}\n");
    let repository = Repository::with_catalog(&catalog(&entry("1.1.0")));
    repository.branch(
        "theirs",
        &catalog(&format!("{}{}", entry("1.0.7"), "- name: kiln.v1.2.0\n  replaces: kiln.v1.1.0\n")),
    );
    repository.branch("ours", &catalog(&entry("1.0.5")));
    let merged = repository.run(&["merge", "--no-edit", "theirs"]);
    let said = output_text(&merged);
    assert_eq!(merged.status.code(), Some(1), "{said}");
    assert!(
        said.contains(&format!(
            "{FILE}: both sides change entries[kiln.v1.1.0].skipRange of olm.channel stable of kiln"
        )),
        "{said}"
    );
    let result = repository.text();
    assert!(
        result.contains("<<<<<<< ours\n  skipRange: <1.0.5\n=======\n  skipRange: <1.0.7\n>>>>>>> theirs\n"),
        "{result}"
    );
    assert!(result.ends_with("- name: kiln.v1.2.0\n  replaces: kiln.v1.1.0\n"), "{result}");
    let state = output_text(&repository.run(&["status", "--short"]));
    assert!(state.contains(&format!("UU {FILE}")), "{state}");
}

#[test]
fn two_new_heads_are_a_conflict_that_names_the_command() {
    let head = |version: &str| format!("- name: kiln.v{version}\n  replaces: kiln.v1.0.0\n");
    let repository = Repository::with_catalog(&catalog(""));
    repository.branch("theirs", &catalog(&head("1.2.0")));
    repository.branch("ours", &catalog(&head("1.1.0")));
    let merged = repository.run(&["merge", "--no-edit", "theirs"]);
    let said = output_text(&merged);
    assert_eq!(merged.status.code(), Some(1), "{said}");
    assert!(said.contains("several heads now: kiln.v1.1.0, kiln.v1.2.0"), "{said}");
    assert_eq!(repository.text(), catalog(&format!("{}{}", head("1.1.0"), head("1.2.0"))));
    // The command of the hint resolves it.
    let (_, command) = said.split_once("such as olmap ").unwrap_or_else(|| panic!("{said}"));
    let words: Vec<&str> = command.lines().next().unwrap().split(' ').collect();
    let catalog = repository.path("catalogs/v4.20");
    let run = olmap(&[&words[..], &[catalog.to_str().unwrap()]].concat()).exits(0);
    assert!(run.out.contains("1.2.0"), "{}", run.out);
    let checked = olmap(&["validate", catalog.to_str().unwrap(), "--rule", "multiple-heads"]);
    assert_eq!(checked.code, 0, "{}", checked.out);
}

#[test]
fn file_that_is_no_catalog_is_merged_as_by_git() {
    let repository = Repository::with_catalog("a: 1\nb: 1\n");
    repository.branch("theirs", "a: 1\nb: 2\n");
    repository.branch("ours", "a: 2\nb: 1\n");
    let merged = repository.run(&["merge", "--no-edit", "theirs"]);
    assert_eq!(merged.status.code(), Some(1), "{}", output_text(&merged));
    assert_eq!(repository.text(), "<<<<<<< ours\na: 2\nb: 1\n=======\na: 1\nb: 2\n>>>>>>> theirs\n");
}

#[test]
fn difference_of_layout_is_not_shown() {
    let repository = Repository::with_catalog(&catalog(HEAD));
    let other_layout = catalog("- {replaces: kiln.v1.0.1, name: \"kiln.v1.1.0\"} # the same\n");
    fs::write(repository.path(FILE), other_layout).unwrap();
    let shown = output_text(&repository.run(&["diff"]));
    assert!(!shown.contains('@'), "{shown}");
    fs::write(repository.path(FILE), catalog(&HEAD.replace("1.0.1", "1.0.0"))).unwrap();
    let shown = output_text(&repository.run(&["diff"]));
    assert!(shown.contains("-  replaces: kiln.v1.0.1\n+  replaces: kiln.v1.0.0\n"), "{shown}");
    // What cannot be read is shown as it is.
    fs::write(repository.path(FILE), "schema: [\n").unwrap();
    let shown = output_text(&repository.run(&["diff"]));
    assert!(shown.contains("+schema: [\n"), "{shown}");
}

#[test]
fn missing_version_is_an_error_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("base", &catalog(""));
    write("ours", &catalog(HEAD));
    let run = olmap_in(folder.path(), &["git", "merge", "base", "ours", "nowhere"]).exits(2);
    assert!(run.err.contains("nowhere"), "{}", run.err);
    assert_eq!(fs::read_to_string(Path::new(folder.path()).join("ours")).unwrap(), catalog(HEAD));
}

#[test]
fn text_for_a_diff_keeps_bytes_that_are_not_utf_8() {
    let folder = tempfile::tempdir().unwrap();
    let print = |bytes: &[u8]| {
        let file = folder.path().join("catalog.yaml");
        fs::write(&file, bytes).unwrap();
        let done = command().args(["git", "textconv"]).arg(file).output().unwrap();
        assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
        done.stdout
    };
    let latin_1 = |letter: u8| [b"schema: olm.package\nname: caf".as_slice(), &[letter], b"\n"].concat();
    assert_eq!(print(&latin_1(0xE9)), latin_1(0xE9));
    assert_ne!(print(&latin_1(0xE9)), print(&latin_1(0xE8)), "git would find no difference");
}
