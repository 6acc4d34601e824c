//! Which of two files changed last.

use std::{
    ffi::{OsStr, OsString},
    fmt, fs,
    path::Path,
    time::SystemTime,
};

use crate::catalog::load::git::Repository;

/// When a template and the catalog that it makes changed last, as people are told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Newer {
    /// By their last commits: the days.
    Committed {
        /// Of the template.
        template: String,
        /// Of the catalog.
        catalog: String,
        /// Which of the two commits is the later one; `None` for one commit.
        is_template: Option<bool>,
    },
    /// One of them has changes that are in no commit: whether it is the template.
    Uncommitted {
        /// Whether it is the template.
        is_template: bool,
    },
    /// By the time at which the files were written.
    Written {
        /// Whether it is the template.
        is_template: bool,
    },
}

impl fmt::Display for Newer {
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
            Self::Written { is_template } => write!(f, "the {} was written later", which(*is_template)),
        }
    }
}

/// The state of a file in a repository.
enum Change {
    Uncommitted,
    Committed { seconds: u64, day: String },
}

/// Which of a template and the catalog it makes changed last, as git tells, or the system where git knows neither; `None` where
/// that cannot be told.
pub fn newer(template: &Path, catalog: &Path) -> Option<Newer> {
    match (change(template), change(catalog)) {
        (Some(Change::Uncommitted), Some(Change::Committed { .. })) => {
            Some(Newer::Uncommitted { is_template: true })
        }
        (Some(Change::Committed { .. }), Some(Change::Uncommitted)) => {
            Some(Newer::Uncommitted { is_template: false })
        }
        (
            Some(Change::Committed { seconds, day }),
            Some(Change::Committed { seconds: of_catalog, day: catalog }),
        ) => Some(Newer::Committed {
            template: day,
            catalog,
            is_template: (seconds != of_catalog).then_some(seconds > of_catalog),
        }),
        _ => {
            let (template, catalog) = (written(template)?, written(catalog)?);
            (template != catalog).then_some(Newer::Written { is_template: template > catalog })
        }
    }
}

fn written(file: &Path) -> Option<SystemTime> {
    fs::metadata(file).ok()?.modified().ok()
}

fn change(file: &Path) -> Option<Change> {
    let repository = Repository::around(file).ok()?;
    let mut pathspec = OsString::from(":(top,literal)");
    pathspec.push(repository.inside(file).ok()?);
    let output = |arguments: &[&str]| {
        let arguments = arguments.iter().map(OsStr::new).chain([OsStr::new("--"), &pathspec]);
        let output = repository.git().args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    if !output(&["status", "--porcelain", "--no-renames"])?.is_empty() {
        return Some(Change::Uncommitted);
    }
    let last = output(&["log", "--max-count=1", "--no-show-signature", "--no-color", "--format=%ct %cs"])?;
    let (seconds, day) = last.split_once(' ')?;
    Some(Change::Committed { seconds: seconds.parse().ok()?, day: day.to_owned() })
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// A repository with two files, committed as said: seconds since 1970.
    fn told(commits: &[(&str, u64)], edited: Option<&str>) -> String {
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
        if let Some(file) = edited {
            fs::write(root.path().join(file), "edited").unwrap();
        }
        newer(&root.path().join("template"), &root.path().join("catalog")).unwrap().to_string()
    }

    #[test]
    fn git_tells_which_of_two_files_changed_last() {
        let both = ("template,catalog", 86_400);
        assert_eq!(told(&[both], None), "both were committed together on 1970-01-02");
        assert_eq!(
            told(&[both, ("template", 172_800)], None),
            "the template is newer: template of 1970-01-03, catalog of 1970-01-02"
        );
        assert_eq!(
            told(&[both, ("catalog", 172_800)], None),
            "the catalog is newer: template of 1970-01-02, catalog of 1970-01-03"
        );
        assert_eq!(told(&[both], Some("catalog")), "the catalog is newer: it has uncommitted changes");
        assert_eq!(told(&[both], Some("template")), "the template is newer: it has uncommitted changes");
    }

    #[test]
    fn without_git_the_time_of_the_files_tells() {
        let root = tempfile::tempdir().unwrap();
        let (template, catalog) = (root.path().join("template"), root.path().join("catalog"));
        let write = |path: &Path, seconds| {
            let file = fs::File::create(path).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds)).unwrap();
        };
        assert_eq!(newer(&template, &catalog), None);
        write(&template, 10);
        write(&catalog, 20);
        assert_eq!(newer(&template, &catalog).unwrap().to_string(), "the catalog was written later");
        write(&catalog, 10);
        assert_eq!(newer(&template, &catalog), None);
    }
}
