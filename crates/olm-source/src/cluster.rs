//! Files that describe a cluster: named files, and the files of a folder that may hold objects.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use olm_catalog::load::regular_file;

/// Size limit of a file, in bytes. All operators of a large cluster fit in a tenth of it. Copies of
/// `ClusterServiceVersion`s in every namespace may not.
const MAX_FILE_BYTES: u64 = 256 << 20;
/// Maximum number of files read from a folder.
const MAX_FILES: usize = 100_000;
/// Maximum depth of folders; a must-gather has eight levels.
const MAX_DEPTH: usize = 24;
/// API groups of the relevant objects, as a must-gather names their folders.
const GROUPS: [&str; 3] = ["operators.coreos.com", "olm.operatorframework.io", "config.openshift.io"];
/// Folders of a must-gather that are divided by API group.
const GROUPED_FOLDERS: [&str; 2] = ["namespaces", "cluster-scoped-resources"];

/// Content of a file.
#[derive(Debug)]
pub struct ClusterFile {
    /// Path of the file, for messages.
    pub label: String,
    /// Bytes of the file.
    pub bytes: Vec<u8>,
}

/// Error for a file that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {}: {source}", path.display())]
pub struct ClusterFileError {
    /// Path of the file.
    pub path: PathBuf,
    /// Error of the system.
    pub source: io::Error,
}

impl ClusterFileError {
    /// Returns a suggestion how to solve the problem.
    pub fn hint(&self) -> Option<&'static str> {
        (self.source.kind() == io::ErrorKind::FileTooLarge)
            .then_some("leave the copies of ClusterServiceVersions out: kubectl get ... -l '!olm.copiedFrom'")
    }
}

/// Reads a file, or the files of a folder one at a time, and passes each to `take`. A folder contributes its
/// YAML and JSON files, and a must-gather only those of the relevant API groups.
///
/// # Errors
///
/// Returns the error of the first file that cannot be read.
pub fn read_cluster_files(path: &Path, take: impl FnMut(ClusterFile)) -> Result<(), ClusterFileError> {
    read_files_where(path, may_be_relevant, take)
}

/// Reads a file, or all YAML and JSON files of a folder one at a time, and passes each to `take`.
///
/// # Errors
///
/// Returns the error of the first file that cannot be read.
pub fn read_object_files(path: &Path, take: impl FnMut(ClusterFile)) -> Result<(), ClusterFileError> {
    read_files_where(path, is_object_file, take)
}

fn read_files_where(
    path: &Path,
    is_relevant: fn(&Path) -> bool,
    mut take: impl FnMut(ClusterFile),
) -> Result<(), ClusterFileError> {
    let error = |path: &Path| {
        let path = path.to_owned();
        |source| ClusterFileError { path, source }
    };
    let mut read = |path: &Path| {
        let bytes = regular_file::read_regular(path, MAX_FILE_BYTES).map_err(error(path))?;
        take(ClusterFile { label: path.display().to_string(), bytes });
        Ok(())
    };
    if !fs::metadata(path).map_err(error(path))?.is_dir() {
        return read(path);
    }
    for file in relevant_files(path, is_relevant).map_err(error(path))? {
        read(&file)?;
    }
    Ok(())
}

/// Returns the relevant files of a folder, sorted by path.
fn relevant_files(root: &Path, is_relevant: fn(&Path) -> bool) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![(root.to_owned(), 0)];
    while let Some((folder, depth)) = open.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            // Links may form a cycle, and a must-gather contains the targets of its links anyway.
            if kind.is_dir() && depth < MAX_DEPTH && !is_hidden(&path) {
                open.push((path, depth + 1));
            } else if kind.is_file() && is_relevant(path.strip_prefix(root).unwrap_or(&path)) {
                found.push(path);
                if found.len() > MAX_FILES {
                    let words = format!("more than {MAX_FILES} files");
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

/// Returns true if a file may hold objects, judged by its name.
fn is_object_file(path: &Path) -> bool {
    let is_text = path.extension().is_some_and(|kind| kind == "yaml" || kind == "yml" || kind == "json");
    is_text && !is_hidden(path)
}

/// Returns true if a file may hold a relevant object, judged by its path in the folder.
fn may_be_relevant(path: &Path) -> bool {
    let is_named = |names: &[&str]| path.iter().any(|part| names.iter().any(|name| part == *name));
    is_object_file(path) && (is_named(&GROUPS) || !is_named(&GROUPED_FOLDERS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_only_relevant_files_of_must_gather() {
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
    fn read_error_names_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let large = folder.path().join("large.yaml");
        fs::File::create(&large).unwrap().set_len(MAX_FILE_BYTES + 1).unwrap();
        let error = read_cluster_files(&large, |_| ()).unwrap_err();
        assert!(error.to_string().contains("large.yaml") && error.hint().is_some(), "{error}");
        assert!(read_cluster_files(Path::new("/nowhere"), |_| ()).unwrap_err().hint().is_none());
    }
}
