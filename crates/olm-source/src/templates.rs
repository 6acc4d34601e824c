//! Templates of an operator repository: `operators/<name>/catalog-templates/`, the `ci.yaml` next to it that
//! maps templates to catalogs, and a comparison of the last changes of a template and its catalog.

use std::{
    ffi::{OsStr, OsString},
    fmt, fs, io,
    path::{Component, Path, PathBuf},
};

use olm_catalog::{
    load::{TemplateLocation, git::Repository, quotable, regular_file},
    template::{Mapping, parse_mappings},
    text::yaml,
};

/// Folder of an operator's templates.
const TEMPLATES: &str = "catalog-templates";

/// An operator with its templates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OperatorTemplates {
    /// Name of its folder.
    pub operator: String,
    /// Mappings in `ci.yaml`.
    pub mappings: Vec<Mapping>,
    /// Names of its templates, sorted.
    pub templates: Vec<String>,
    /// Reason why an existing `ci.yaml` cannot be read.
    pub unread: Option<String>,
}

impl OperatorTemplates {
    /// Returns true if the operator has templates or mappings, or a `ci.yaml` that cannot be read.
    pub fn has_templates(&self) -> bool {
        !self.mappings.is_empty() || !self.templates.is_empty() || self.unread.is_some()
    }

    /// Returns the path of a template relative to the repository. `None` if the name leads elsewhere.
    pub fn template_path(&self, template: &str) -> Option<PathBuf> {
        let mut parts = Path::new(template).components();
        let (Some(Component::Normal(name)), None) = (parts.next(), parts.next()) else { return None };
        Some(Path::new("operators").join(&self.operator).join(TEMPLATES).join(name))
    }

    /// Returns the path of the operator's catalog relative to the repository. `None` if the name leads
    /// elsewhere.
    pub fn catalog_path(&self, catalog: &str) -> Option<PathBuf> {
        let mut parts = Path::new(catalog).components();
        let (Some(Component::Normal(name)), None) = (parts.next(), parts.next()) else { return None };
        Some(Path::new("catalogs").join(name).join(&self.operator))
    }

    /// Returns the templates without a mapping.
    pub fn unmapped(&self) -> impl Iterator<Item = &str> {
        let is_mapped = |name: &&String| !self.mappings.iter().any(|mapping| &mapping.template == *name);
        self.templates.iter().filter(is_mapped).map(String::as_str)
    }
}

/// Returns the operators of a repository that have templates or mappings, sorted by name.
///
/// # Errors
///
/// If there is no folder `operators`.
pub fn operator_templates(repository: &Path) -> io::Result<Vec<OperatorTemplates>> {
    let mut operators = list_operators(repository)?;
    operators.retain(OperatorTemplates::has_templates);
    Ok(operators)
}

/// Returns all operators of a repository, sorted by name.
///
/// # Errors
///
/// If there is no folder `operators`.
pub(crate) fn list_operators(repository: &Path) -> io::Result<Vec<OperatorTemplates>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(repository.join("operators"))? {
        let entry = entry?;
        if !entry.path().is_dir() {
            continue;
        }
        let Ok(operator) = entry.file_name().into_string() else { continue };
        let (mappings, unread) = read_mappings(&entry.path().join("ci.yaml"));
        let templates = template_names(&entry.path().join(TEMPLATES));
        found.push(OperatorTemplates { operator, mappings, templates, unread });
    }
    found.sort_by(|a, b| a.operator.cmp(&b.operator));
    Ok(found)
}

/// Returns the catalogs that a repository makes from a template or from other templates of its operator. The
/// template's own catalogs come first. They contain the bundles of the template's images.
pub(super) fn published_catalogs(template: &Path) -> Vec<PathBuf> {
    let Some(place) = TemplateLocation::from_path(template) else { return Vec::new() };
    let Some(name) = place.template.to_str() else { return Vec::new() };
    let (mappings, _) = read_mappings(&place.operator_folder().join("ci.yaml"));
    let own = mappings.iter().filter(|mapping| mapping.template == name);
    let own: Vec<&str> = own.flat_map(|mapping| &mapping.catalogs).map(String::as_str).collect();
    let is_own = |path: &PathBuf| {
        let version = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
        version.is_some_and(|version| own.contains(&version))
    };
    let versions = fs::read_dir(place.root.join("catalogs")).into_iter().flatten().flatten();
    let mut published: Vec<PathBuf> =
        versions.map(|version| version.path().join(&place.operator)).filter(|path| path.is_dir()).collect();
    published.sort_by_cached_key(|path| (!is_own(path), path.clone()));
    published
}

fn read_mappings(ci: &Path) -> (Vec<Mapping>, Option<String>) {
    if !ci.exists() {
        return (Vec::new(), None);
    }
    if let Err(why) = quotable::check_quotable(ci) {
        return (Vec::new(), Some(why.to_string()));
    }
    let text = match regular_file::read_regular(ci, regular_file::MAX_HANDWRITTEN_SIZE) {
        Ok(text) => text,
        Err(error) => return (Vec::new(), Some(error.to_string())),
    };
    match yaml::parse_yaml(&text) {
        Ok(tree) => (parse_mappings(&tree), None),
        Err(error) => (Vec::new(), Some(error.to_string())),
    }
}

fn template_names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.path().is_file());
    let mut names: Vec<String> = files.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| {
        let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|extension| ["yaml", "yml", "json"].contains(&extension))
    });
    names.sort();
    names
}

/// Relation of the last commit of a template to the last commit of its catalog. Dates do not decide: several commits can
/// have the same time, and a rebase makes old commits new.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CommitOrder {
    /// Both are the same commit.
    Same,
    /// The commit of the template is based on that of the catalog.
    TemplateLater,
    /// The commit of the catalog is based on that of the template.
    CatalogLater,
    /// Neither is based on the other: they come from branches that were merged.
    Separate,
}

/// Last changes of a template and of its catalog, for messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LastChanges {
    /// Days of the last commits.
    Committed {
        /// Day of the template's last commit.
        template: String,
        /// Day of the catalog's last commit.
        catalog: String,
        /// Relation of the two commits.
        order: CommitOrder,
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
            Self::Committed { template, order: CommitOrder::Same, .. } => {
                write!(f, "both were committed together on {template}")
            }
            Self::Committed { template, catalog, order: CommitOrder::Separate } => {
                write!(f, "both changed on separate branches: template of {template}, catalog of {catalog}")
            }
            Self::Committed { template, catalog, order } => {
                let which = which(*order == CommitOrder::TemplateLater);
                if template == catalog {
                    return write!(f, "the {which} is newer: it was committed later, both on {template}");
                }
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
        commit: String,
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
            LastChange::Committed { commit, day },
            LastChange::Committed { commit: of_catalog, day: catalog_day },
        ) => {
            let order = compare_commits(template, &commit, &of_catalog)?;
            Some(LastChanges::Committed { template: day, catalog: catalog_day, order })
        }
        (LastChange::Uncommitted, LastChange::Uncommitted)
        | (LastChange::Unknown, _)
        | (_, LastChange::Unknown) => None,
    }
}

/// Compares two commits of the repository of a file. `None` if git fails.
fn compare_commits(file: &Path, template: &str, catalog: &str) -> Option<CommitOrder> {
    if template == catalog {
        return Some(CommitOrder::Same);
    }
    let repository = Repository::discover(file).ok()?;
    let is_ancestor = |older: &str, newer: &str| {
        let arguments = ["merge-base", "--is-ancestor", older, newer];
        match repository.git().args(arguments).output().ok()?.status.code()? {
            0 => Some(true),
            1 => Some(false),
            _ => None,
        }
    };
    Some(if is_ancestor(catalog, template)? {
        CommitOrder::TemplateLater
    } else if is_ancestor(template, catalog)? {
        CommitOrder::CatalogLater
    } else {
        CommitOrder::Separate
    })
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
    let log = ["log", "--max-count=1", "--no-show-signature", "--no-color", "--format=%H %cs", "--"];
    let arguments: Vec<&OsStr> =
        log.iter().map(OsStr::new).chain(pathspecs.iter().map(OsString::as_os_str)).collect();
    let last = output(&arguments)?;
    let last = String::from_utf8_lossy(&last);
    let (commit, day) = last.trim().split_once(' ')?;
    Some(LastChange::Committed { commit: commit.to_owned(), day: day.to_owned() })
}

/// Size limit of a file, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 30;

#[cfg(test)]
mod tests {
    use std::{fs, process::Command};

    use super::*;

    #[test]
    fn finds_operators_with_templates_and_rejects_names_with_paths() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let ci = "fbc:\n  catalog_mapping:\n  - {template_name: a.yaml, type: olm.semver, catalog_names: [v4.20]}\n";
        write("operators/ship/ci.yaml", ci);
        write("operators/ship/catalog-templates/a.yaml", "");
        write("operators/ship/catalog-templates/b.json", "");
        write("operators/ship/catalog-templates/README.md", "");
        write("operators/broken/ci.yaml", "a: [");
        write("operators/plain/1.0.0/manifests/a.yaml", "");
        let found = operator_templates(root.path()).unwrap();
        let names: Vec<&str> = found.iter().map(|operator| operator.operator.as_str()).collect();
        assert_eq!(names, ["broken", "ship"]);
        assert!(found[0].unread.is_some());
        assert_eq!(found[1].unmapped().collect::<Vec<_>>(), ["b.json"]);
        for (name, is_there) in
            [("a.yaml", true), ("../ci.yaml", false), ("/etc/passwd", false), ("..", false)]
        {
            assert_eq!(found[1].template_path(name).is_some(), is_there, "{name}");
            assert_eq!(found[1].catalog_path(name).is_some(), is_there, "{name}");
        }
        assert!(operator_templates(&root.path().join("operators/ship")).is_err());
    }

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
            describe_newer(&[("template", 86_400), ("catalog", 86_400)], None),
            "the catalog is newer: it was committed later, both on 1970-01-02",
            "two commits in the same second"
        );
        assert_eq!(
            describe_newer(&[("catalog", 172_800), ("template", 86_400)], None),
            "the template is newer: template of 1970-01-02, catalog of 1970-01-03",
            "a rebase keeps no order of times"
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
