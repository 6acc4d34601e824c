//! Files of a repository: their names, and lazily what is in them.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet, HashMap},
    rc::Rc,
};

use super::content::{FileFacts, first_document_end};

/// Number of bytes of a file that are read at first.
const HEAD: u64 = 64 << 10;
/// Maximum number of bytes of a file that are read.
const MAX_READ: u64 = 8 << 20;

/// Folders that hold what others wrote.
const FOREIGN: [&str; 3] = ["vendor", "node_modules", "target"];
/// Folders whose catalogs and bundles are there for tests and readers.
const ASIDE: [&str; 10] =
    ["testdata", "test", "tests", "e2e", "fixtures", "examples", "samples", "docs", "specs", "old"];
/// Hidden folders that are looked into.
const HIDDEN: [&str; 2] = [".konflux", ".tekton"];

/// Reads the beginning of a file, at most so many bytes. `None` if it cannot be read.
pub type ReadFile = Box<dyn Fn(&str, u64) -> Option<Vec<u8>>>;

/// The files of a repository. Paths are relative to its root, with `/` between their parts; the root is the empty path.
pub struct FileIndex {
    files: BTreeSet<String>,
    /// Symbolic links, each with the path it leads to.
    links: BTreeMap<String, String>,
    /// Whether the root has a `.git`.
    pub has_git: bool,
    read: ReadFile,
    heads: RefCell<HashMap<String, Rc<FileFacts>>>,
    wholes: RefCell<HashMap<String, Rc<FileFacts>>>,
}

impl FileIndex {
    /// An index of the files that `read` can read.
    pub fn new(
        files: BTreeSet<String>,
        links: BTreeMap<String, String>,
        has_git: bool,
        read: ReadFile,
    ) -> Self {
        Self { files, links, has_git, read, heads: RefCell::default(), wholes: RefCell::default() }
    }

    /// Removes files and folders.
    pub fn ignore(&mut self, paths: &[String]) {
        self.files.retain(|file| !paths.iter().any(|path| is_within(file, path)));
    }

    /// All files, in the order of their paths.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// The files in a folder, and in those in it.
    pub fn below<'i>(&'i self, folder: &str) -> impl Iterator<Item = &'i str> + use<'i> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let from = self.files.range(prefix.clone()..);
        from.map(String::as_str).take_while(move |path| path.starts_with(&prefix))
    }

    /// The files of a path: itself, or all below it.
    pub fn at<'i>(&'i self, path: &str) -> Vec<&'i str> {
        match self.files.get(path) {
            Some(file) => vec![file.as_str()],
            None => self.below(path).collect(),
        }
    }

    /// Reports whether a path is a file.
    pub fn is_file(&self, path: &str) -> bool {
        self.files.contains(path)
    }

    /// Reports whether a path is a folder with files in it.
    pub fn is_folder(&self, path: &str) -> bool {
        self.below(path).next().is_some()
    }

    /// The folders directly in a folder, as paths.
    pub fn folders_in(&self, folder: &str) -> BTreeSet<&str> {
        let start = if folder.is_empty() { 0 } else { folder.len() + 1 };
        let child = |path: &'_ str| path.get(start..).and_then(|rest| rest.find('/')).map(|at| start + at);
        self.below(folder).filter_map(|path| path.get(..child(path)?)).collect()
    }

    /// Follows the symbolic links that a path leads through.
    pub fn resolve_links(&self, path: &str) -> String {
        let mut path = path.to_owned();
        for _ in 0..8 {
            let link = self.links.iter().find(|(link, _)| is_within(&path, link));
            let Some((link, target)) = link else { break };
            path = join(target, path.get(link.len() + 1..).unwrap_or_default());
        }
        path
    }

    /// Reads a text file of moderate size.
    pub fn text(&self, path: &str) -> Option<String> {
        let bytes = (self.read)(path, MAX_READ)?;
        let text = String::from_utf8_lossy(&bytes);
        Some(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
    }

    /// Reads a file of moderate size, byte for byte.
    pub fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        (self.read)(path, MAX_READ)
    }

    /// Content of a file up to the end of its first document at least.
    pub fn head(&self, path: &str) -> Rc<FileFacts> {
        if let Some(facts) = self.heads.borrow().get(path) {
            return Rc::clone(facts);
        }
        let mut limit = HEAD;
        let facts = loop {
            let bytes = (self.read)(path, limit).unwrap_or_default();
            let is_all = (bytes.len() as u64) < limit;
            let known = if is_all { Some(bytes.len()) } else { first_document_end(&bytes) };
            if let Some(end) = known {
                let bytes = if is_all { bytes.as_slice() } else { bytes.get(..end).unwrap_or_default() };
                break FileFacts::read(bytes, is_all);
            }
            if limit >= MAX_READ {
                break FileFacts::default();
            }
            limit *= 2;
        };
        let facts = Rc::new(facts);
        self.heads.borrow_mut().insert(path.to_owned(), Rc::clone(&facts));
        facts
    }

    /// Content of a file, up to the maximum size that is read.
    pub fn whole(&self, path: &str) -> Rc<FileFacts> {
        let head = self.head(path);
        if head.is_complete {
            return head;
        }
        if let Some(facts) = self.wholes.borrow().get(path) {
            return Rc::clone(facts);
        }
        let bytes = (self.read)(path, MAX_READ).unwrap_or_default();
        let is_all = (bytes.len() as u64) < MAX_READ;
        let end = if is_all { bytes.len() } else { first_document_end(&bytes).unwrap_or(bytes.len()) };
        let facts = Rc::new(FileFacts::read(bytes.get(..end).unwrap_or_default(), is_all));
        self.wholes.borrow_mut().insert(path.to_owned(), Rc::clone(&facts));
        facts
    }
}

/// Reports whether the name of a file is one of a catalog, template or manifest.
pub fn is_data(path: &str) -> bool {
    [".yaml", ".yml", ".json"].iter().any(|ending| path.ends_with(ending))
}

/// Reports whether a path leads through folders that hold what others wrote, or that are hidden.
pub fn is_foreign(path: &str) -> bool {
    folders_of(path).any(|name| FOREIGN.contains(&name) || name.starts_with('.') && !HIDDEN.contains(&name))
}

/// Reports whether a path is not looked at unless a Dockerfile copies it.
pub fn is_aside(path: &str) -> bool {
    is_foreign(path) || folders_of(path).any(|name| ASIDE.contains(&name))
}

fn folders_of(path: &str) -> impl Iterator<Item = &str> {
    parent(path).split('/').filter(|part| !part.is_empty())
}

/// The folder of a path; that of the root is the root.
pub fn parent(path: &str) -> &str {
    path.rfind('/').and_then(|at| path.get(..at)).unwrap_or_default()
}

/// The last part of a path.
pub fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The folders of a path, from the nearest to the root.
pub fn folders_above(path: &str) -> impl Iterator<Item = &str> {
    let mut next = (!path.is_empty()).then(|| parent(path));
    std::iter::from_fn(move || {
        let folder = next?;
        next = (!folder.is_empty()).then(|| parent(folder));
        Some(folder)
    })
}

/// A path below a folder.
pub fn join(folder: &str, path: &str) -> String {
    match (folder, path) {
        ("", path) => path.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, path) => format!("{folder}/{path}"),
    }
}

/// A path without `.` and `..`; `None` if it leads out of the repository.
pub fn normalize(path: &str) -> Option<String> {
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

/// Reports whether a path is a folder or something in it.
pub fn is_within(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
