//! Repositories with several catalogs: `catalogs/v4.NN/...` next to `operators/...`. Read as one catalog,
//! such a tree would have thousands of findings, so its catalogs are offered instead.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::failure::Failure;

/// Repository with several catalogs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repository {
    /// Catalogs, sorted by name, with numbers by value.
    pub catalogs: Vec<PathBuf>,
}

/// Returns the repository if a path is its root. A root with an `.indexignore` is read as a catalog.
pub fn find_repository(path: &Path) -> Option<Repository> {
    if path.join(".indexignore").exists() || !path.join("catalogs").is_dir() {
        return None;
    }
    let catalogs = release_folders(&path.join("catalogs"));
    (!catalogs.is_empty() || path.join("operators").is_dir()).then_some(Repository { catalogs })
}

/// Returns the subfolders with the name of a release, sorted by number.
pub fn release_folders(path: &Path) -> Vec<PathBuf> {
    let mut releases: Vec<(Vec<u64>, PathBuf)> = subfolders(path)
        .filter_map(|folder| Some((parse_release(folder.file_name()?.to_str()?)?, folder)))
        .collect();
    releases.sort();
    releases.into_iter().map(|(_, folder)| folder).collect()
}

/// Parses the numbers of `v4.18`; `None` for another name.
fn parse_release(name: &str) -> Option<Vec<u64>> {
    name.strip_prefix('v')?.split('.').map(|number| number.parse().ok()).collect()
}

/// Returns the subfolders of a folder.
pub fn subfolders(path: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir())
}

impl Repository {
    /// Returns the error for opening the root as one catalog, with the alternatives.
    pub fn open_failure(&self, root: &Path) -> Failure {
        let reason = format!("{} is a repository of catalogs, not a catalog", root.display());
        match self.catalogs.as_slice() {
            [] => Failure::new(reason).with_hint("it has no catalogs/v*; give the directory of a catalog"),
            catalogs => {
                let failure = Failure::new(reason).with_hint("choose one of its catalogs:");
                catalogs.iter().fold(failure, |failure, path| failure.add_hint(path.display().to_string()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_sort_by_number() {
        assert!(parse_release("v4.9") < parse_release("v4.18"));
        assert_eq!(parse_release("stable"), None);
        assert_eq!(parse_release("v4.x"), None);
    }
}
