//! Git revisions, and paths in them, as candidates.

use std::path::Path;

use super::candidates::Candidate;
use olm_catalog::load::git::{REVISION_PREFIX, Repository};

/// Maximum number of branches and tags, newest first.
const MAX_REFS: &str = "--count=300";

/// Returns `HEAD`, branches and tags, with the subjects of their commits.
pub fn revision_candidates() -> Vec<Candidate> {
    let Ok(repository) = Repository::discover(Path::new(".")) else { return Vec::new() };
    let fixed = [("HEAD", "this commit"), ("HEAD^", "the commit before")];
    let mut all: Vec<Candidate> =
        fixed.iter().map(|(name, words)| ((*name).to_owned(), (*words).to_owned())).collect();
    let listed = repository
        .git()
        .args(["for-each-ref", "--sort=-committerdate", MAX_REFS])
        .args(["--format=%(refname:short)%09%(subject)", "refs/heads", "refs/tags", "refs/remotes"])
        .output();
    let text = listed.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let candidate = |line: &str| {
        let (name, subject) = line.split_once('\t').unwrap_or((line, ""));
        (name.to_owned(), subject.to_owned())
    };
    all.extend(text.lines().map(candidate));
    all
}

/// Completes `git:REV[:PATH]`.
pub fn complete_revision_path(text: &str) -> Vec<Candidate> {
    let rest = text.strip_prefix(REVISION_PREFIX).unwrap_or_default();
    let Some((revision, path)) = rest.split_once(':') else {
        let revisions = revision_candidates().into_iter();
        return revisions.map(|(name, words)| (format!("{REVISION_PREFIX}{name}"), words)).collect();
    };
    let prefix = format!("{REVISION_PREFIX}{revision}:");
    let paths = list_revision_paths(revision, path).unwrap_or_default();
    paths.into_iter().map(|path| (format!("{prefix}{path}"), String::new())).collect()
}

/// Lists the directory of a path in a revision. Directories end with a slash.
fn list_revision_paths(revision: &str, path: &str) -> Option<Vec<String>> {
    let repository = Repository::discover(Path::new(".")).ok()?;
    let commit = repository.resolve_revision(revision).ok()?;
    let folder = path.rfind('/').map_or("", |at| &path[..=at]);
    let mut git = repository.git();
    git.args(["--literal-pathspecs", "ls-tree", "-z", "--full-tree", commit.as_str(), "--"]);
    let listed = git.args((!folder.is_empty()).then_some(folder)).output().ok()?;
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    let entry = |line: &str| {
        let (facts, name) = line.split_once('\t')?;
        let slash = if facts.contains(" tree ") { "/" } else { "" };
        Some(format!("{name}{slash}"))
    };
    Some(text.split('\0').filter_map(entry).collect())
}
