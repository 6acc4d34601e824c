//! Reading the files of a bundle directory, and of a new bundle, which may also be the output of `opm render`.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use olm_bundle::{
    AddBundleError, NewBundle, Tree, TreeFile, crd::CrdSet, describe_unread_part, registry::DirectoryContents,
};
use olm_catalog::load::{self, LoadError, quotable, regular_file};

/// Size limit of a file, in bytes; far above the object size limit of etcd.
const MAX_FILE_BYTES: u64 = 64 << 20;
/// Maximum depth of folders.
const MAX_DEPTH: usize = 16;

/// Returns true if opm would take a path for a bundle: a directory with the folders `manifests`
/// and `metadata`.
pub fn is_bundle_directory(path: &Path) -> bool {
    ["manifests", "metadata"].iter().all(|folder| path.join(folder).is_dir())
}

/// Reads a bundle directory. A file that cannot be read is stored with the reason.
///
/// # Errors
///
/// If the directory cannot be listed.
pub fn read_bundle_directory(path: &Path) -> Result<Tree, LoadError> {
    let root = fs::canonicalize(path).unwrap_or_default();
    let mut found = DirectoryWalk { root, files: Vec::new(), folders: Vec::new() };
    found.add_folder(path, "", 0).map_err(|source| LoadError::Open { path: path.to_owned(), source })?;
    Ok(Tree::new(found.files, found.folders))
}

/// Builds a bundle directory from files in memory, given by their paths in it.
pub fn bundle_of_files(files: impl IntoIterator<Item = (PathBuf, Result<Vec<u8>, &'static str>)>) -> Tree {
    let (mut all, mut folders) = (Vec::new(), BTreeSet::new());
    for (path, content) in files {
        let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
        folders.extend((1..parts.len()).filter_map(|end| Some(parts.get(..end)?.join("/"))));
        all.push(TreeFile { path: parts.join("/"), content: content.map(Into::into).map_err(str::to_owned) });
    }
    Tree::new(all, folders.into_iter().collect())
}

/// Returns the first part of a bundle directory that cannot be read, in words. `None` if all of
/// it can be read.
pub fn unread_part_of(path: &Path, tree: &Tree) -> Option<String> {
    let shown = path.display().to_string();
    describe_unread_part(
        tree,
        &CrdSet::from_tree(&shown, tree),
        &DirectoryContents::from_tree(tree),
        Some(&shown),
    )
}

/// Reads the `bundle.Dockerfile` next to a bundle directory, where operator-sdk writes it. Its
/// path begins with `../`.
pub fn dockerfile_beside(directory: &Path) -> Option<TreeFile> {
    const NAME: &str = "bundle.Dockerfile";
    let path = named_path(directory)?.with_file_name(NAME);
    quotable::check_quotable(&path).ok()?;
    let content = regular_file::read_regular(&path, MAX_FILE_BYTES).ok()?;
    Some(TreeFile { path: format!("../{NAME}"), content: Ok(content.into()) })
}

/// Returns the name of a directory, also for `.` and `..`.
pub fn folder_name(directory: &Path) -> Option<String> {
    Some(named_path(directory)?.file_name()?.to_string_lossy().into_owned())
}

/// Returns a path that ends with the name of the directory.
fn named_path(directory: &Path) -> Option<PathBuf> {
    let path =
        if directory.file_name().is_some() { directory.to_owned() } else { directory.canonicalize().ok()? };
    path.file_name().is_some().then_some(path)
}

struct DirectoryWalk {
    /// The directory, with links resolved.
    root: PathBuf,
    files: Vec<TreeFile>,
    folders: Vec<String>,
}

impl DirectoryWalk {
    fn add_folder(&mut self, on_disk: &Path, inside: &str, depth: usize) -> io::Result<()> {
        for entry in fs::read_dir(on_disk)? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let path = if inside.is_empty() { name.into_owned() } else { format!("{inside}/{name}") };
            self.add_entry(&entry.path(), path, depth);
        }
        Ok(())
    }

    fn add_entry(&mut self, on_disk: &Path, path: String, depth: usize) {
        // The image does not contain the target of such a link, and messages would quote the file.
        let leads_out =
            on_disk.is_symlink() && fs::canonicalize(on_disk).is_ok_and(|real| !real.starts_with(&self.root));
        if leads_out {
            let content = Err("a link that leads out of the bundle directory".to_owned());
            return self.files.push(TreeFile { path, content });
        }
        if on_disk.is_dir() {
            // Version control data is not part of a bundle, and links may form a cycle.
            let is_skipped = path == ".git" || depth >= MAX_DEPTH || on_disk.is_symlink() && depth > 0;
            if !is_skipped && let Err(error) = self.add_folder(on_disk, &path, depth + 1) {
                self.files.push(TreeFile { path: path.clone(), content: Err(error.to_string()) });
            }
            self.folders.push(path);
            return;
        }
        let content = regular_file::read_regular(on_disk, MAX_FILE_BYTES);
        let content = content.map(Into::into).map_err(|error| error.to_string());
        self.files.push(TreeFile { path, content });
    }
}

/// Error for a bundle that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NewBundleError {
    /// Its files cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The path is a directory, but not a bundle directory.
    #[error("{} is not a bundle directory", .0.display())]
    NotABundle(PathBuf),
    /// The bundle cannot be added.
    #[error(transparent)]
    NotAdded(#[from] AddBundleError),
    /// The bundle cannot be added, because part of it cannot be read.
    #[error("{part}; {error}")]
    Unread {
        /// The part and the reason, in words.
        part: String,
        /// Consequence for the bundle.
        error: AddBundleError,
    },
}

impl NewBundleError {
    /// Returns a suggestion how to solve the problem, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Load(error) => error.hint(),
            Self::NotABundle(_) => Some("name the directory with manifests/ and metadata/".to_owned()),
            Self::NotAdded(error) | Self::Unread { error, .. } => Some(error.hint().to_owned()),
        }
    }
}

/// Reads a bundle directory or a rendered bundle. `image` is the bundle's image; empty if the rendered bundle
/// names it.
///
/// # Errors
///
/// If the bundle cannot be read, or if the input is not exactly one bundle.
pub fn read_new_bundle(path: &Path, image: &str) -> Result<NewBundle, NewBundleError> {
    if is_bundle_directory(path) {
        let tree = read_bundle_directory(path)?;
        return NewBundle::from_directory(&tree, image).map_err(|error| match unread_part_of(path, &tree) {
            Some(part) => NewBundleError::Unread { part, error },
            None => NewBundleError::NotAdded(error),
        });
    }
    if path.is_dir() {
        return Err(NewBundleError::NotABundle(path.to_owned()));
    }
    let bytes = regular_file::read_regular(path, MAX_RENDERED_BYTES)
        .map_err(|source| LoadError::Open { path: path.to_owned(), source })?;
    new_bundle_of(bytes, image)
}

/// Reads a rendered bundle from bytes, such as standard input.
///
/// # Errors
///
/// If the input is not exactly one bundle.
pub fn new_bundle_of(bytes: Vec<u8>, image: &str) -> Result<NewBundle, NewBundleError> {
    Ok(NewBundle::from_rendered(&load::from_bytes(bytes), image)?)
}

/// Size limit of a rendered bundle, in bytes.
const MAX_RENDERED_BYTES: u64 = 64 << 20;
