//! Manifests of bundles: the files of a bundle directory in memory, their sources, and unreadable parts.
//! Results that depend on an unreadable part must not be reported as checked.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
    sync::{
        Arc, Mutex, OnceLock, PoisonError, Weak,
        atomic::{AtomicUsize, Ordering},
    },
};

use crate::{
    crd::{CrdSet, ManifestsUnavailable},
    document::{DocumentError, SharedDocuments},
    registry::DirectoryContents,
};
use olm_catalog::{ImageBundle, PackageName, blob::BundleBlob};

/// Manifests of a bundle.
#[derive(Clone, Debug)]
pub struct BundleManifests {
    /// Files of the bundle.
    pub tree: Tree,
    /// Display name of the directory or image; `None` if the files represent objects of a catalog.
    pub shown: Option<String>,
}

/// Source of bundle manifests: directories on disk, a catalog with whole objects, images.
pub trait Manifests: Sync {
    /// Returns the bundle directory of a bundle, or an equivalent.
    ///
    /// # Errors
    ///
    /// If the manifests are unavailable. This says nothing about their content.
    fn manifests_of(
        &self,
        package: &PackageName,
        bundle: &BundleBlob,
    ) -> Result<BundleManifests, ManifestsUnavailable>;
}

/// Returns a description of the first unreadable part of a bundle: a manifest, its metadata, or a missing CRD
/// that its CSV owns. `None` if all of it can be read. `shown` is the directory or image of the bundle.
pub fn describe_unread_part(
    tree: &Tree,
    crds: &CrdSet<'_>,
    contents: &DirectoryContents<'_>,
    shown: Option<&str>,
) -> Option<String> {
    if let Some(unread) = crds.unread.first() {
        return Some(format!("{} cannot be read: {}", unread.file, unread.reason));
    }
    let path_of = |path: &str| match shown {
        Some(place) => format!("{place}/{path}"),
        None => path.to_owned(),
    };
    for file in tree.files_in("metadata").filter(|file| is_yaml(&file.path)) {
        let reason = match (&file.content, file.first_document()) {
            (Err(reason), _) => reason.clone(),
            (Ok(_), Err(DocumentError::Unreadable(error))) => error.to_string(),
            (Ok(_), _) => continue,
        };
        return Some(format!("{} cannot be read: {reason}", path_of(&file.path)));
    }
    let [owned, _] = contents.csv()?.definitions("customresourcedefinitions").ok()?;
    let has = |name: &str| crds.crds.iter().any(|crd| crd.name() == name);
    let missing = owned.iter().find(|owned| !owned.name.is_empty() && !has(&owned.name))?;
    let place = shown.unwrap_or("the catalog");
    Some(format!("the CSV owns the CRD {}, which is not in {place}", missing.name))
}

fn is_yaml(path: &str) -> bool {
    [".yaml", ".yml", ".json"].iter().any(|ending| path.ends_with(ending))
}

/// A bundle directory: its files with content, and its folders. Paths are relative to it, with `/` as
/// separator.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Tree {
    /// Files sorted by path.
    pub files: Vec<TreeFile>,
    /// Folders sorted by path.
    pub folders: Vec<String>,
}

/// Bytes of a file. Clones share them, and a [`FilePool`] lets equal files share them.
#[derive(Clone, Default)]
pub struct FileBytes(Arc<FileData>);

/// Bytes of a file, and its documents if other bundles have the same file.
#[derive(Default)]
struct FileData {
    bytes: Vec<u8>,
    /// Total size of the files of the pool whose documents are shared, if this is one of them.
    shared_bytes: OnceLock<Arc<AtomicUsize>>,
    documents: OnceLock<SharedDocuments>,
}

impl Drop for FileData {
    fn drop(&mut self) {
        if let Some(total) = self.shared_bytes.get() {
            total.fetch_sub(self.bytes.len(), Ordering::Relaxed);
        }
    }
}

impl FileBytes {
    /// Returns the documents of the file if other bundles have the same file. Parses them once.
    pub(crate) fn shared_documents(&self) -> Option<&SharedDocuments> {
        let is_shared = self.0.shared_bytes.get().is_some();
        is_shared.then(|| self.0.documents.get_or_init(|| SharedDocuments::from_bytes(&self.0.bytes)))
    }
}

impl PartialEq for FileBytes {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.bytes == other.0.bytes
    }
}

impl Eq for FileBytes {}

impl Hash for FileBytes {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.bytes.hash(state);
    }
}

impl std::ops::Deref for FileBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0.bytes
    }
}

impl From<Vec<u8>> for FileBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Arc::new(FileData { bytes, shared_bytes: OnceLock::new(), documents: OnceLock::new() }))
    }
}

impl From<&[u8]> for FileBytes {
    fn from(bytes: &[u8]) -> Self {
        bytes.to_vec().into()
    }
}

impl From<String> for FileBytes {
    fn from(text: String) -> Self {
        text.into_bytes().into()
    }
}

impl From<&str> for FileBytes {
    fn from(text: &str) -> Self {
        text.as_bytes().into()
    }
}

impl fmt::Debug for FileBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0.bytes, f)
    }
}

/// Files by length and hash.
#[derive(Default)]
struct KnownFiles {
    by_hash: HashMap<(usize, u64), Weak<FileData>>,
    /// The last files, which stay in memory although no bundle may have them any more.
    recent: VecDeque<FileBytes>,
    recent_bytes: usize,
    /// Total size of the files in memory whose documents are shared.
    shared_bytes: Arc<AtomicUsize>,
}

/// Files that bundles share, with their documents. A file is in memory as long as a bundle has it, and for a while
/// after that.
#[derive(Default)]
pub struct FilePool {
    known: Mutex<KnownFiles>,
}

impl fmt::Debug for FilePool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FilePool").finish_non_exhaustive()
    }
}

impl FilePool {
    /// Minimum length of shared files: the lookup costs as much as a smaller one.
    const MIN_LENGTH: usize = 4096;
    /// Maximum size of the files that stay in memory without a bundle.
    const MAX_RECENT_BYTES: usize = 16 << 20;
    /// Maximum size of the files whose documents are kept, which need several times as much memory.
    const MAX_SHARED_BYTES: usize = 32 << 20;

    /// Replaces the large files of a tree by equal ones of other trees.
    #[must_use]
    pub fn share_files(&self, mut tree: Tree) -> Tree {
        for file in &mut tree.files {
            if let Ok(bytes) = &mut file.content
                && bytes.len() >= Self::MIN_LENGTH
            {
                *bytes = self.share_bytes(bytes);
            }
        }
        tree
    }

    fn share_bytes(&self, bytes: &FileBytes) -> FileBytes {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = known.by_hash.entry((bytes.len(), hasher.finish())).or_default();
        let file = match entry.upgrade().map(FileBytes) {
            Some(same) if same == *bytes => same,
            // Bytes with the same hash that differ replace the others, which are then no longer shared.
            _ => {
                *entry = Arc::downgrade(&bytes.0);
                bytes.clone()
            }
        };
        let is_first = Arc::ptr_eq(&file.0, &bytes.0);
        let total = &known.shared_bytes;
        if !is_first
            && file.0.shared_bytes.get().is_none()
            && total.load(Ordering::Relaxed) + file.len() <= Self::MAX_SHARED_BYTES
            && file.0.shared_bytes.set(Arc::clone(total)).is_ok()
        {
            total.fetch_add(file.len(), Ordering::Relaxed);
        }
        known.keep_recent(file.clone());
        file
    }
}

impl KnownFiles {
    /// Keeps a file in memory, until files of [`FilePool::MAX_RECENT_BYTES`] come after it.
    fn keep_recent(&mut self, file: FileBytes) {
        self.recent_bytes += file.len();
        self.recent.push_back(file);
        while self.recent_bytes > FilePool::MAX_RECENT_BYTES
            && let Some(oldest) = self.recent.pop_front()
        {
            self.recent_bytes -= oldest.len();
        }
    }
}

/// A file of a bundle directory.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TreeFile {
    /// Path, such as `manifests/memo.clusterserviceversion.yaml`.
    pub path: String,
    /// Content, or the error of reading it.
    pub content: Result<FileBytes, String>,
}

impl TreeFile {
    /// Returns its name without the folders.
    pub fn file_name(&self) -> &str {
        self.path.rsplit_once('/').map_or(self.path.as_str(), |(_, name)| name)
    }

    /// Returns its bytes; empty if unreadable.
    pub fn content_or_empty(&self) -> &[u8] {
        self.content.as_deref().unwrap_or_default()
    }

    /// Returns true if its name begins with a dot.
    pub fn is_hidden(&self) -> bool {
        self.file_name().starts_with('.')
    }
}

impl From<&ImageBundle> for Tree {
    fn from(bundle: &ImageBundle) -> Self {
        let file = |(path, content): &(String, Result<Vec<u8>, String>)| TreeFile {
            path: path.clone(),
            content: content.clone().map(FileBytes::from),
        };
        Self::new(bundle.files.iter().map(file).collect(), bundle.folders.clone())
    }
}

impl Tree {
    /// Creates a tree with sorted files and folders.
    pub fn new(mut files: Vec<TreeFile>, mut folders: Vec<String>) -> Self {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        folders.sort();
        Self { files, folders }
    }

    /// Returns true if a folder with this path exists.
    pub fn has_folder(&self, path: &str) -> bool {
        self.folders.binary_search_by(|folder| folder.as_str().cmp(path)).is_ok()
    }

    /// Returns true if opm considers the directory a bundle: it has the folders `manifests` and `metadata`.
    pub fn is_bundle(&self) -> bool {
        self.has_folder("manifests") && self.has_folder("metadata")
    }

    /// Returns the files directly in a folder, by name.
    pub fn files_in<'t>(&'t self, folder: &'t str) -> impl Iterator<Item = &'t TreeFile> {
        self.files.iter().filter(move |file| parent_path(&file.path) == folder)
    }

    /// Returns the folders directly in a folder.
    pub fn folders_in<'t>(&'t self, folder: &'t str) -> impl Iterator<Item = &'t str> {
        self.folders.iter().map(String::as_str).filter(move |path| parent_path(path) == folder)
    }

    /// Returns the index of a file in [`Tree::files`].
    pub fn file_index(&self, path: &str) -> Option<usize> {
        self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()
    }
}

fn parent_path(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, parse_all, parse_first};

    #[test]
    fn pool_shares_large_equal_files() {
        let pool = FilePool::default();
        let tree = |text: &str| {
            let file =
                |path: &str, text: String| TreeFile { path: path.to_owned(), content: Ok(text.into()) };
            let files = vec![file("a", text.repeat(FilePool::MIN_LENGTH)), file("b", text.to_owned())];
            pool.share_files(Tree::new(files, Vec::new()))
        };
        let [first, equal, other] = ["x", "x", "y"].map(tree);
        let bytes = |tree: &Tree, at: usize| tree.files[at].content.clone().unwrap().0;
        assert_eq!(first, equal);
        assert!(Arc::ptr_eq(&bytes(&first, 0), &bytes(&equal, 0)));
        assert!(!Arc::ptr_eq(&bytes(&first, 1), &bytes(&equal, 1)), "small files are not shared");
        assert_eq!(&bytes(&other, 0).bytes[..1], b"y");
        let gone = Arc::downgrade(&bytes(&first, 0));
        drop((first, equal));
        assert!(gone.upgrade().is_some(), "the next bundle may have it");
        tree(&"z".repeat(FilePool::MAX_RECENT_BYTES / FilePool::MIN_LENGTH));
        assert!(gone.upgrade().is_none(), "the pool keeps only the last files");
        assert_eq!(tree("x").files[0].content_or_empty()[0], b'x');
    }

    /// Files that no bundle has any more do not use up the limit of later ones.
    #[test]
    fn limit_of_shared_documents_counts_files_in_memory() {
        let pool = FilePool::default();
        let share = |letter: &str| {
            let text = format!("a: {}\n", letter.repeat(FilePool::MAX_SHARED_BYTES / 2));
            let file = TreeFile { path: "a".to_owned(), content: Ok(text.into()) };
            pool.share_files(Tree::new(vec![file], Vec::new())).files.remove(0)
        };
        let is_shared = |file: &TreeFile| file.content.as_ref().unwrap().0.shared_bytes.get().is_some();
        for letter in ["x", "y", "z"] {
            let (_alone, shared) = (share(letter), share(letter));
            assert!(is_shared(&shared), "{letter}");
        }
        let kept: Vec<(TreeFile, TreeFile)> = ["u", "v"].map(|letter| (share(letter), share(letter))).into();
        assert!(is_shared(&kept[0].1) && !is_shared(&kept[1].1), "both are in memory");
    }

    #[test]
    fn documents_of_shared_files_are_those_of_their_text() {
        let long = format!("# {}\n", "-".repeat(FilePool::MIN_LENGTH));
        let texts = [
            "",
            "---\n---\na: 1\n",
            "a: [1\n",
            "a: 1\n---\nb: [{c: d}, *x]\n",
            "{\"a\": {}} {\"b\": 1}",
            "a: 1\n--- b\n",
        ];
        for text in texts {
            let pool = FilePool::default();
            let bytes = format!("{text}{long}").into_bytes();
            let file = || {
                let file = TreeFile { path: "a".to_owned(), content: Ok(bytes.clone().into()) };
                pool.share_files(Tree::new(vec![file], Vec::new())).files.remove(0)
            };
            let (alone, shared) = (file(), file());
            assert!(shared.content.as_ref().unwrap().shared_documents().is_some());
            let describe = |read: Result<Arc<Document<'_>>, DocumentError>| {
                read.map(|document| format!("{} {:?}", document.start, document.node))
            };
            let expected = parse_first(&bytes).map(Arc::new);
            assert_eq!(describe(shared.first_document()), describe(expected), "{text}");
            let expected: Vec<_> =
                parse_all(&bytes).into_iter().map(|read| describe(read.map(Arc::new))).collect();
            let all: Vec<_> = shared.all_documents().into_iter().map(describe).collect();
            assert_eq!(all, expected, "{text}");
            assert_eq!(alone.content_or_empty(), bytes);
        }
    }
}
