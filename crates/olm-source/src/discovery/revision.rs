//! Discovery in a commit of a git repository.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Read as _,
    path::{Path, PathBuf},
    rc::Rc,
};

use super::{
    Discovery, RepositoryStatements, STATED_FILE, discover_in,
    index::{FileIndex, normalize_path, parent_folder},
};
use olm_catalog::load::{
    LoadError,
    git::{Commit, ContentReader, MissingReason, Repository},
    lfs, regular_file,
};

/// Minimum size of a disk file that replaces the file in the commit. Only the beginning of such a
/// file matters.
const LARGE: u64 = 1 << 20;

/// Files of a commit that could not be read, with the reason if it is known.
type Unread = Rc<RefCell<Vec<(PathBuf, Option<MissingReason>)>>>;

/// Discovers the contents of a repository at a commit. Ignores a `.olmap.toml` with a mistake.
///
/// # Errors
///
/// If git fails, or if the repository lacks the content of a file.
pub fn discover_revision(repository: &Repository, commit: &Commit) -> Result<Discovery, LoadError> {
    let unread = Unread::default();
    let mut index = index(repository, commit, Rc::clone(&unread))?;
    if index.read_bytes(STATED_FILE).is_some_and(|bytes| RepositoryStatements::parse_bytes(&bytes).is_err()) {
        index.remove_paths(&[STATED_FILE.to_owned()]);
    }
    let found = discover_in(&mut index).unwrap_or_default();
    match repository.missing_error(commit, unread.take()) {
        Some(error) => Err(error.into()),
        None => Ok(found),
    }
}

fn index(repository: &Repository, commit: &Commit, unread: Unread) -> Result<FileIndex, LoadError> {
    let listing = repository.list_commit_files(commit)?;
    let text = |path: &PathBuf| path.to_str().map(str::to_owned);
    let files: BTreeSet<String> = listing.files.iter().filter_map(text).collect();
    let mut links = BTreeMap::new();
    for (path, target) in &listing.links {
        let Some((path, target)) = text(path).zip(text(target)) else { continue };
        if !target.starts_with('/') {
            links.extend(
                normalize_path(&format!("{}/{target}", parent_folder(&path))).map(|target| (path, target)),
            );
        }
    }
    let root = repository.root().to_owned();
    let reader = RefCell::new(ContentReader::new(repository, commit)?);
    let is_there = files.clone();
    let read = move |path: &str, limit: u64| {
        if !is_there.contains(path) {
            return None;
        }
        let on_disk = root.join(path);
        if fs::symlink_metadata(&on_disk).is_ok_and(|file| file.is_file() && file.len() >= LARGE) {
            return beginning(&on_disk, limit);
        }
        let stored = reader.borrow_mut().read_file(Path::new(path));
        let is_pointer = stored.as_deref().is_some_and(lfs::is_pointer);
        match stored {
            Some(mut bytes) if !is_pointer => {
                bytes.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
                Some(bytes)
            }
            _ => beginning(&on_disk, limit).or_else(|| {
                let why = is_pointer.then_some(MissingReason::Lfs);
                unread.borrow_mut().push((PathBuf::from(path), why));
                None
            }),
        }
    };
    Ok(FileIndex::new(files, links, true, Box::new(read)))
}

/// Reads the beginning of a file on disk.
fn beginning(path: &Path, limit: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    regular_file::open_regular(path).ok()?.take(limit).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
