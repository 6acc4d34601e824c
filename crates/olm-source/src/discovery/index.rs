//! Files of a repository: their names, and lazily their content.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet, HashMap},
    rc::Rc,
};

use super::content::{FileFacts, first_document_end};

/// Number of bytes of a file that are read first.
const HEAD_BYTES: u64 = 64 << 10;
/// Maximum number of bytes read from a file.
const MAX_FILE_BYTES: u64 = 8 << 20;

/// Folders with third-party code.
const THIRD_PARTY_FOLDERS: [&str; 3] = ["vendor", "node_modules", "target"];
/// Folders whose catalogs and bundles are only tests or examples.
const TEST_FOLDERS: [&str; 10] =
    ["testdata", "test", "tests", "e2e", "fixtures", "examples", "samples", "docs", "specs", "old"];
/// Hidden folders that are searched.
const SEARCHED_HIDDEN_FOLDERS: [&str; 2] = [".konflux", ".tekton"];

/// Function that reads at most the given number of bytes from the beginning of a file. `None` if it cannot.
pub type ReadFile = Box<dyn Fn(&str, u64) -> Option<Vec<u8>>>;

/// Files of a repository. Paths are relative to its root, with `/` as the separator; the root is the empty
/// path.
pub struct FileIndex {
    files: BTreeSet<String>,
    /// Symbolic links with their targets.
    links: BTreeMap<String, String>,
    /// True if the root contains `.git`.
    pub has_git: bool,
    read: ReadFile,
    heads: RefCell<HashMap<String, Rc<FileFacts>>>,
    whole_files: RefCell<HashMap<String, Rc<FileFacts>>>,
}

impl FileIndex {
    /// Creates an index of files, whose content `read` returns.
    pub fn new(
        files: BTreeSet<String>,
        links: BTreeMap<String, String>,
        has_git: bool,
        read: ReadFile,
    ) -> Self {
        Self { files, links, has_git, read, heads: RefCell::default(), whole_files: RefCell::default() }
    }

    /// Removes files and folders.
    pub fn remove_paths(&mut self, paths: &[String]) {
        self.files.retain(|file| !paths.iter().any(|path| is_within(file, path)));
    }

    /// Iterates over all files in the order of their paths.
    pub fn file_paths(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// Iterates over the files in a folder and its subfolders.
    pub fn files_below<'i>(&'i self, folder: &str) -> impl Iterator<Item = &'i str> + use<'i> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let from = self.files.range(prefix.clone()..);
        from.map(String::as_str).take_while(move |path| path.starts_with(&prefix))
    }

    /// Returns the file at a path, or all files below it.
    pub fn files_at<'i>(&'i self, path: &str) -> Vec<&'i str> {
        match self.files.get(path) {
            Some(file) => vec![file.as_str()],
            None => self.files_below(path).collect(),
        }
    }

    /// Reports whether a path is a file.
    pub fn is_file(&self, path: &str) -> bool {
        self.files.contains(path)
    }

    /// Reports whether a path is a folder with files in it.
    pub fn is_folder(&self, path: &str) -> bool {
        self.files_below(path).next().is_some()
    }

    /// Returns the paths of the direct subfolders of a folder.
    pub fn folders_in(&self, folder: &str) -> BTreeSet<&str> {
        let start = if folder.is_empty() { 0 } else { folder.len() + 1 };
        let child = |path: &'_ str| path.get(start..).and_then(|rest| rest.find('/')).map(|at| start + at);
        self.files_below(folder).filter_map(|path| path.get(..child(path)?)).collect()
    }

    /// Resolves the symbolic links in a path.
    pub fn resolve_links(&self, path: &str) -> String {
        let mut path = path.to_owned();
        for _ in 0..8 {
            let link = self.links.iter().find(|(link, _)| is_within(&path, link));
            let Some((link, target)) = link else { break };
            path = join_path(target, path.get(link.len() + 1..).unwrap_or_default());
        }
        path
    }

    /// Reads a text file of moderate size.
    pub fn read_text(&self, path: &str) -> Option<String> {
        let bytes = (self.read)(path, MAX_FILE_BYTES)?;
        let text = String::from_utf8_lossy(&bytes);
        Some(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
    }

    /// Reads the bytes of a file of moderate size.
    pub fn read_bytes(&self, path: &str) -> Option<Vec<u8>> {
        (self.read)(path, MAX_FILE_BYTES)
    }

    /// Returns the content of a file up to at least the end of its first document.
    pub fn head_facts(&self, path: &str) -> Rc<FileFacts> {
        if let Some(facts) = self.heads.borrow().get(path) {
            return Rc::clone(facts);
        }
        let mut limit = HEAD_BYTES;
        let facts = loop {
            let bytes = (self.read)(path, limit).unwrap_or_default();
            let is_all = (bytes.len() as u64) < limit;
            let known = if is_all { Some(bytes.len()) } else { first_document_end(&bytes) };
            if let Some(end) = known {
                let bytes = if is_all { bytes.as_slice() } else { bytes.get(..end).unwrap_or_default() };
                break FileFacts::from_bytes(bytes, is_all);
            }
            if limit >= MAX_FILE_BYTES {
                break FileFacts::default();
            }
            limit *= 2;
        };
        let facts = Rc::new(facts);
        self.heads.borrow_mut().insert(path.to_owned(), Rc::clone(&facts));
        facts
    }

    /// Returns the content of a file, up to the maximum size.
    pub fn whole_facts(&self, path: &str) -> Rc<FileFacts> {
        let head = self.head_facts(path);
        if head.is_complete {
            return head;
        }
        if let Some(facts) = self.whole_files.borrow().get(path) {
            return Rc::clone(facts);
        }
        let bytes = (self.read)(path, MAX_FILE_BYTES).unwrap_or_default();
        let is_all = (bytes.len() as u64) < MAX_FILE_BYTES;
        let end = if is_all { bytes.len() } else { first_document_end(&bytes).unwrap_or(bytes.len()) };
        let facts = Rc::new(FileFacts::from_bytes(bytes.get(..end).unwrap_or_default(), is_all));
        self.whole_files.borrow_mut().insert(path.to_owned(), Rc::clone(&facts));
        facts
    }
}

/// Reports whether a file name has an extension of catalogs, templates and manifests.
pub fn is_data(path: &str) -> bool {
    [".yaml", ".yml", ".json"].iter().any(|ending| path.ends_with(ending))
}

/// Reports whether a path leads through a hidden folder or one of third-party code.
pub fn is_hidden_or_third_party(path: &str) -> bool {
    folders_of(path).any(|name| {
        THIRD_PARTY_FOLDERS.contains(&name)
            || name.starts_with('.') && !SEARCHED_HIDDEN_FOLDERS.contains(&name)
    })
}

/// Reports whether discovery ignores a path unless a Dockerfile copies it.
pub fn is_test_or_foreign(path: &str) -> bool {
    is_hidden_or_third_party(path) || folders_of(path).any(|name| TEST_FOLDERS.contains(&name))
}

fn folders_of(path: &str) -> impl Iterator<Item = &str> {
    parent_folder(path).split('/').filter(|part| !part.is_empty())
}

/// Returns the folder of a path. The folder of the root is the root.
pub fn parent_folder(path: &str) -> &str {
    path.rfind('/').and_then(|at| path.get(..at)).unwrap_or_default()
}

/// Returns the last part of a path.
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Iterates over the folders above a path, from the nearest to the root.
pub fn folders_above(path: &str) -> impl Iterator<Item = &str> {
    let mut next = (!path.is_empty()).then(|| parent_folder(path));
    std::iter::from_fn(move || {
        let folder = next?;
        next = (!folder.is_empty()).then(|| parent_folder(folder));
        Some(folder)
    })
}

/// Joins a folder and a path below it.
pub fn join_path(folder: &str, path: &str) -> String {
    match (folder, path) {
        ("", path) => path.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, path) => format!("{folder}/{path}"),
    }
}

/// Removes `.` and `..` from a path. `None` if it leads out of the repository.
pub fn normalize_path(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Reports whether a path is a folder or is inside it.
pub fn is_within(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
