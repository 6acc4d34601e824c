//! The sample repository of `demo/ci`, as commits of a git repository.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use tempfile::TempDir;

use super::git;

/// Returns the root of the project.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Creates a repository whose only commit is the sample.
pub fn new_repository() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy_dir(&root().join("demo/ci/repository"), folder.path());
    git::init(folder.path());
    git::commit_on("2025-01-01", folder.path());
    folder
}

fn copy_dir(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_dir(&entry.path(), &target);
        } else {
            _ = fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Creates a merge request: a change merged into a newer main, and a clone of it like that of a
/// runner.
pub fn merge_request(change: impl Fn(&Path), depth: &str) -> (TempDir, TempDir) {
    let origin = new_repository();
    let at = origin.path();
    git::git(at, &["checkout", "-q", "-b", "change"]);
    change(at);
    git::commit_on("2025-01-02", at);
    git::git(at, &["checkout", "-q", "main"]);
    replace_in_file(at, "catalogs/v4.22/anvil-operator/catalog.yaml", "Keeps anvils", "Keeps all anvils");
    git::commit_on("2025-01-03", at);
    git::git(at, &["checkout", "-q", "-b", "merge"]);
    git::git(at, &["merge", "-q", "--no-ff", "-m", "merge", "change"]);
    let clone = tempfile::tempdir().unwrap();
    git::clone(at, clone.path(), &["--depth", depth, "--branch", "merge"]);
    (origin, clone)
}

/// Replaces a text in a file. Panics if the file does not contain it.
#[track_caller]
pub fn replace_in_file(at: &Path, file: &str, from: &str, to: &str) {
    let text = fs::read_to_string(at.join(file)).unwrap();
    assert!(text.contains(from), "{file} has no {from}");
    fs::write(at.join(file), text.replacen(from, to, 1)).unwrap();
}

pub const ANVIL: &str = "catalogs/v4.20/anvil-operator/catalog.yaml";
pub const LATHE: &str = "catalogs/v4.20/lathe-operator/catalog.yaml";

/// Adds a version that replaces the head.
pub fn add_good_version(at: &Path) {
    replace_in_file(
        at,
        ANVIL,
        "  replaces: anvil-operator.v1.0.0\n",
        "  replaces: anvil-operator.v1.0.0\n- name: anvil-operator.v1.2.0\n  replaces: anvil-operator.v1.1.0\n",
    );
    let mut text = fs::read_to_string(at.join(ANVIL)).unwrap();
    text += &format!(
        "---\nimage: registry.example.com/anvil@sha256:{:064}\nname: anvil-operator.v1.2.0\npackage: anvil-operator\n\
         properties:\n- type: olm.package\n  value:\n    packageName: anvil-operator\n    version: 1.2.0\nschema: olm.bundle\n",
        1
    );
    fs::write(at.join(ANVIL), text).unwrap();
}

/// Creates two heads, which opm rejects, so that 1.0.0 does not upgrade to 1.1.0 anymore.
pub fn add_second_head(at: &Path) {
    replace_in_file(at, ANVIL, "  replaces: anvil-operator.v1.0.0\n", "");
}

/// Creates a folder for `PATH` with the program, and scripts that replace network clients.
pub fn install_programs() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    let olmap = quote_words(env!("CARGO_BIN_EXE_olmap"));
    // If the program does not have reports yet, the arguments of the request are kept instead.
    write(
        "olmap",
        &format!(
            "#!/bin/sh\nif [ \"$1\" = report ]; then\n  printf '%s\\n' \"$@\" >>\"$REPORT_LOG\"\n  \
             {olmap} report --help 2>/dev/null | grep -q 'olmap report' || {{\n    while [ \"$1\" != -o ]; do shift; done\n    echo page >\"$2\"\n    \
             exit 0\n  }}\nfi\nexec {olmap} \"$@\"\n"
        ),
    );
    write("gh", include_str!("gh.sh"));
    folder
}

fn quote_words(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Creates a command whose environment has only the given variables and `PATH`.
pub fn clean_command(
    program: &str,
    at: &Path,
    bin: Option<&Path>,
    env: &BTreeMap<String, String>,
) -> Command {
    let mut command = Command::new(program);
    let path = std::env::var("PATH").unwrap();
    let path = bin.map_or_else(|| path.clone(), |bin| format!("{}:{path}", bin.display()));
    command.current_dir(at).env_clear().env("PATH", path).env("HOME", at).env("OLMAP_CONFIG", "none");
    command.env("GIT_CONFIG_NOSYSTEM", "1").envs(env);
    command
}

/// Returns the exit code and all output.
pub fn code_and_output(output: &Output) -> (i32, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout) + &text(&output.stderr))
}

/// Runs the program in a folder.
pub fn run_olmap(at: &Path, arguments: &[&str]) -> (i32, String) {
    code_and_output(
        &clean_command(env!("CARGO_BIN_EXE_olmap"), at, None, &BTreeMap::new())
            .args(arguments)
            .output()
            .unwrap(),
    )
}

/// Returns one word of git output in a folder.
pub fn git_output(at: &Path, arguments: &[&str]) -> String {
    let (code, said) =
        code_and_output(&clean_command("git", at, None, &BTreeMap::new()).args(arguments).output().unwrap());
    assert_eq!(code, 0, "{said}");
    said.trim().to_owned()
}
