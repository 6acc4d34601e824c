//! Comparison of the last changes of a template and its catalog.

use std::{
    ffi::{OsStr, OsString},
    fmt,
    path::{Path, PathBuf},
};

use olm_catalog::load::{git::Repository, regular_file};

/// Last changes of a template and of its catalog, for messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LastChanges {
    /// Days of the last commits.
    Committed {
        /// Day of the template's last commit.
        template: String,
        /// Day of the catalog's last commit.
        catalog: String,
        /// True if the template's commit is later; `None` if both are the same commit.
        is_template: Option<bool>,
    },
    /// Either the template or the catalog has uncommitted changes.
    Uncommitted {
        /// True if the template has uncommitted changes.
        is_template: bool,
    },
}

impl fmt::Display for LastChanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let which = |is_template: bool| if is_template { "template" } else { "catalog" };
        match self {
            Self::Committed { template, is_template: None, .. } => {
                write!(f, "both were committed together on {template}")
            }
            Self::Committed { template, catalog, is_template: Some(is_template) } => {
                let which = which(*is_template);
                write!(f, "the {which} is newer: template of {template}, catalog of {catalog}")
            }
            Self::Uncommitted { is_template } => {
                write!(f, "the {} is newer: it has uncommitted changes", which(*is_template))
            }
        }
    }
}

/// Last change of files, according to git.
enum LastChange {
    /// The clone is shallow, so git does not know.
    Unknown,
    Uncommitted,
    Committed {
        seconds: u64,
        day: String,
    },
}

/// Determines from git whether a template or the files of its catalog changed last. `None` if git
/// does not know. File times are not used, because a copy or a checkout sets them.
///
/// Runs git so that it does not start filters, hooks or monitors of the repository's configuration.
pub fn compare_last_changes(template: &Path, catalog: &[PathBuf]) -> Option<LastChanges> {
    match (last_change(&[template.to_owned()])?, last_change(catalog)?) {
        (LastChange::Uncommitted, LastChange::Committed { .. }) => {
            Some(LastChanges::Uncommitted { is_template: true })
        }
        (LastChange::Committed { .. }, LastChange::Uncommitted) => {
            Some(LastChanges::Uncommitted { is_template: false })
        }
        (
            LastChange::Committed { seconds, day },
            LastChange::Committed { seconds: of_catalog, day: catalog },
        ) => {
            let is_template = (seconds != of_catalog).then_some(seconds > of_catalog);
            Some(LastChanges::Committed { template: day, catalog, is_template })
        }
        (LastChange::Uncommitted, LastChange::Uncommitted)
        | (LastChange::Unknown, _)
        | (_, LastChange::Unknown) => None,
    }
}

/// Returns the last change of the files together. `None` if there is no repository, or if a file
/// is not in HEAD.
fn last_change(files: &[PathBuf]) -> Option<LastChange> {
    let repository = Repository::discover(files.first()?).ok()?;
    // In a shallow clone, the oldest commit seems to have made every file.
    if repository.is_shallow().unwrap_or(true) {
        return Some(LastChange::Unknown);
    }
    let output = |arguments: &[&OsStr]| {
        let output = repository.git().args(arguments).output().ok()?;
        output.status.success().then_some(output.stdout)
    };
    let mut pathspecs: Vec<OsString> = Vec::new();
    for file in files {
        let inside = repository.relative_path(file).ok()?;
        let mut object = OsString::from("HEAD:");
        object.push(&inside);
        let committed = output(&[OsStr::new("cat-file"), OsStr::new("blob"), &object])?;
        if committed != regular_file::read_regular(file, MAX_FILE_BYTES).ok()? {
            return Some(LastChange::Uncommitted);
        }
        let mut pathspec = OsString::from(":(top,literal)");
        pathspec.push(inside);
        pathspecs.push(pathspec);
    }
    let log = ["log", "--max-count=1", "--no-show-signature", "--no-color", "--format=%ct %cs", "--"];
    let arguments: Vec<&OsStr> =
        log.iter().map(OsStr::new).chain(pathspecs.iter().map(OsString::as_os_str)).collect();
    let last = output(&arguments)?;
    let last = String::from_utf8_lossy(&last);
    let (seconds, day) = last.trim().split_once(' ')?;
    Some(LastChange::Committed { seconds: seconds.parse().ok()?, day: day.to_owned() })
}

/// Size limit of a file, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 30;

#[cfg(test)]
mod tests {
    use std::{fs, process::Command};

    use super::*;

    /// Makes a repository with two files and commits at the given seconds since 1970. Returns the
    /// comparison as text.
    fn describe_newer(commits: &[(&str, u64)], edited: Option<&str>) -> String {
        let root = tempfile::tempdir().unwrap();
        let git = |at: u64, arguments: &[&str]| {
            let when = format!("@{at} +0000");
            let done = Command::new("git")
                .arg("-C")
                .arg(root.path())
                .args(["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"])
                .args(arguments)
                .env("GIT_COMMITTER_DATE", &when)
                .env("GIT_AUTHOR_DATE", &when)
                .output()
                .unwrap();
            assert!(done.status.success(), "{done:?}");
        };
        git(0, &["init", "-q"]);
        for (file, at) in commits {
            for name in file.split(',') {
                fs::write(root.path().join(name), format!("{at}")).unwrap();
            }
            git(*at, &["add", "."]);
            git(*at, &["commit", "-q", "-m", "x"]);
        }
        // Programs that the repository's configuration names do not run.
        let mark = root.path().join("ran");
        git(0, &["config", "core.fsmonitor", &format!("touch {}; false", mark.display())]);
        if let Some(file) = edited {
            fs::write(root.path().join(file), "edited").unwrap();
        }
        let describe_newer =
            compare_last_changes(&root.path().join("template"), &[root.path().join("catalog")])
                .unwrap()
                .to_string();
        assert!(!mark.exists());
        describe_newer
    }

    #[test]
    fn reports_which_file_changed_last_in_git() {
        let both = ("template,catalog", 86_400);
        assert_eq!(describe_newer(&[both], None), "both were committed together on 1970-01-02");
        assert_eq!(
            describe_newer(&[both, ("template", 172_800)], None),
            "the template is newer: template of 1970-01-03, catalog of 1970-01-02"
        );
        assert_eq!(
            describe_newer(&[both, ("catalog", 172_800)], None),
            "the catalog is newer: template of 1970-01-02, catalog of 1970-01-03"
        );
        assert_eq!(
            describe_newer(&[both], Some("catalog")),
            "the catalog is newer: it has uncommitted changes"
        );
        assert_eq!(
            describe_newer(&[both], Some("template")),
            "the template is newer: it has uncommitted changes"
        );
    }

    #[test]
    fn files_outside_of_git_are_not_compared() {
        let root = tempfile::tempdir().unwrap();
        let (template, catalog) = (root.path().join("template"), root.path().join("catalog"));
        for file in [&template, &catalog] {
            fs::write(file, "").unwrap();
        }
        assert_eq!(compare_last_changes(&template, std::slice::from_ref(&catalog)), None);
    }
}
