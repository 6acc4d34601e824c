//! The files that say what a cluster has: those that somebody names, and in folders those that may hold such objects.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::catalog::load::regular;

/// The largest file that is read, in bytes. All operators of a large cluster fit in a tenth of it; copies of
/// `ClusterServiceVersion`s in every namespace may not.
const MOST: u64 = 256 << 20;
/// How many files of a folder are read.
const MOST_FILES: usize = 100_000;
/// How many folders inside each other are looked into: a must-gather has eight.
const DEEPEST: usize = 24;
/// The API groups whose objects count, as folders of a must-gather are called.
const GROUPS: [&str; 3] = ["operators.coreos.com", "olm.operatorframework.io", "config.openshift.io"];
/// The folders of a must-gather in which objects are ordered by such groups.
const ORDERED: [&str; 2] = ["namespaces", "cluster-scoped-resources"];

/// A file that was read.
#[derive(Debug)]
pub struct ClusterFile {
    /// What people call it: its path.
    pub label: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {}: {source}", path.display())]
pub struct ClusterFileError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub source: io::Error,
}

impl ClusterFileError {
    /// What to do.
    pub fn hint(&self) -> Option<&'static str> {
        (self.source.kind() == io::ErrorKind::FileTooLarge)
            .then_some("leave the copies of ClusterServiceVersions out: kubectl get ... -l '!olm.copiedFrom'")
    }
}

/// Reads a file, or the files of a folder, one after the other: each is handed on and forgotten. In folders, files of YAML and
/// JSON count; of a must-gather only those of the groups that matter.
///
/// # Errors
///
/// The first file that cannot be read.
pub fn read_cluster_files(path: &Path, mut take: impl FnMut(ClusterFile)) -> Result<(), ClusterFileError> {
    let error = |path: &Path| {
        let path = path.to_owned();
        |source| ClusterFileError { path, source }
    };
    let mut read = |path: &Path| {
        let bytes = regular::read(path, MOST).map_err(error(path))?;
        take(ClusterFile { label: path.display().to_string(), bytes });
        Ok(())
    };
    if !fs::metadata(path).map_err(error(path))?.is_dir() {
        return read(path);
    }
    for file in files(path).map_err(error(path))? {
        read(&file)?;
    }
    Ok(())
}

/// The files of a folder that may count, in the order of their paths.
fn files(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![(root.to_owned(), 0)];
    while let Some((folder, depth)) = open.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            // Links may lead round; what a must-gather links to is in it anyway.
            if kind.is_dir() && depth < DEEPEST && !is_hidden(&path) {
                open.push((path, depth + 1));
            } else if kind.is_file() && may_count(path.strip_prefix(root).unwrap_or(&path)) {
                found.push(path);
                if found.len() > MOST_FILES {
                    let words = format!("more than {MOST_FILES} files");
                    return Err(io::Error::new(io::ErrorKind::QuotaExceeded, words));
                }
            }
        }
    }
    found.sort();
    Ok(found)
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

/// Whether a file, by its path in the folder, may hold an object that counts.
fn may_count(path: &Path) -> bool {
    let is_text = path.extension().is_some_and(|kind| kind == "yaml" || kind == "yml" || kind == "json");
    let is_named = |names: &[&str]| path.iter().any(|part| names.iter().any(|name| part == *name));
    is_text && !is_hidden(path) && (is_named(&GROUPS) || !is_named(&ORDERED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_must_gather_only_what_matters_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str| {
            let path = folder.path().join("must-gather.local.1/image-1").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "a").unwrap();
        };
        write("namespaces/tides/operators.coreos.com/subscriptions/tide.yaml");
        write("namespaces/tides/core/secrets.yaml");
        write("namespaces/tides/pods/a/a.yaml");
        write("cluster-scoped-resources/config.openshift.io/clusterversions/version.yaml");
        write("cluster-scoped-resources/core/nodes/a.yaml");
        write("event-filter.html");
        write("more.json");
        write(".git/x.yaml");
        let mut labels = Vec::new();
        read_cluster_files(folder.path(), |file| labels.push(file.label)).unwrap();
        let names: Vec<&str> = labels.iter().map(|label| label.rsplit('/').next().unwrap()).collect();
        assert_eq!(names, ["version.yaml", "more.json", "tide.yaml"]);
    }

    #[test]
    fn what_cannot_be_read_is_said_with_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let large = folder.path().join("large.yaml");
        fs::File::create(&large).unwrap().set_len(MOST + 1).unwrap();
        let error = read_cluster_files(&large, |_| ()).unwrap_err();
        assert!(error.to_string().contains("large.yaml") && error.hint().is_some(), "{error}");
        assert!(read_cluster_files(Path::new("/nowhere"), |_| ()).unwrap_err().hint().is_none());
    }
}
