//! In-memory file system that tracks what a power failure may lose: unflushed content, and
//! unflushed changes of folders. Each such change may be lost alone, in any order. A file that is
//! moved to another folder may then be in both folders, or in neither.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use super::calls::Call;

/// Files and folders by path below the root; folders do not have content.
pub type View = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// Maximum number of changes of which all combinations are tried; of more changes, only some.
const MAX_COMBINED_CHANGES: u32 = 9;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Node {
    File(usize),
    Folder,
}

#[derive(Clone, Debug)]
enum Change {
    Put(OsString, Node),
    Take(OsString),
    Move(OsString, OsString, Node),
}

#[derive(Clone, Default)]
struct Folder {
    now: BTreeMap<OsString, Node>,
    flushed: BTreeMap<OsString, Node>,
    /// Unflushed changes, in order.
    pending: Vec<Change>,
}

#[derive(Clone, Default)]
struct Content {
    now: Vec<u8>,
    flushed: Vec<u8>,
}

/// Result for bytes that were not flushed.
#[derive(Clone, Copy)]
enum UnflushedBytes {
    Lost,
    There,
    Half,
    Zeros,
}

enum Descriptor {
    File { number: usize, position: usize },
    Folder(PathBuf),
}

/// File system in memory; see the module documentation.
#[derive(Default)]
pub struct Disk {
    root: PathBuf,
    files: Vec<Content>,
    folders: BTreeMap<PathBuf, Folder>,
    open: HashMap<u64, Descriptor>,
}

impl Disk {
    /// Reads a folder. All of it counts as flushed.
    pub fn from_folder(root: &Path) -> Self {
        let mut disk = Self { root: root.to_owned(), ..Self::default() };
        disk.load_folder(root);
        disk
    }

    fn load_folder(&mut self, path: &Path) {
        let mut folder = Folder::default();
        for entry in fs::read_dir(path).unwrap().map(Result::unwrap) {
            let node = if entry.path().is_dir() {
                self.load_folder(&entry.path());
                Node::Folder
            } else {
                let bytes = fs::read(entry.path()).unwrap();
                self.files.push(Content { now: bytes.clone(), flushed: bytes });
                Node::File(self.files.len() - 1)
            };
            folder.now.insert(entry.file_name(), node);
        }
        folder.flushed.clone_from(&folder.now);
        self.folders.insert(path.to_owned(), folder);
    }

    fn find_node(&self, path: &Path) -> Option<Node> {
        if self.folders.contains_key(path) && self.is_there(path) {
            return Some(Node::Folder);
        }
        self.folders.get(path.parent()?)?.now.get(path.file_name()?).copied()
    }

    fn is_there(&self, folder: &Path) -> bool {
        let named = |path: &Path| {
            self.folders.get(path.parent()?)?.now.get(path.file_name()?).map(|node| *node == Node::Folder)
        };
        folder == self.root || named(folder) == Some(true)
    }

    fn apply_change(&mut self, folder: &Path, change: Change) {
        let folder = self.folders.get_mut(folder).unwrap_or_else(|| panic!("no folder {}", folder.display()));
        apply_to_names(&mut folder.now, &change);
        folder.pending.push(change);
    }

    /// Applies a system call. Calls outside of the root are ignored.
    pub fn apply_call(&mut self, call: &Call) {
        let root = self.root.clone();
        let is_mine = |path: &Path| path.starts_with(&root) && *path != root;
        let named = |path: &Path| (path.parent().unwrap().to_owned(), path.file_name().unwrap().to_owned());
        match call {
            Call::Open { path, fd, makes, empties, is_nameless } => {
                self.open.remove(fd);
                if !path.starts_with(&self.root) {
                    return;
                }
                let number = match self.find_node(path) {
                    _ if *is_nameless => self.new_file(),
                    Some(Node::Folder) => {
                        self.open.insert(*fd, Descriptor::Folder(path.clone()));
                        return;
                    }
                    Some(Node::File(number)) => number,
                    None if *makes => {
                        let number = self.new_file();
                        let (folder, name) = named(path);
                        self.apply_change(&folder, Change::Put(name, Node::File(number)));
                        number
                    }
                    None => panic!("{} is opened, and is not there", path.display()),
                };
                if *empties {
                    self.files[number].now.clear();
                }
                self.open.insert(*fd, Descriptor::File { number, position: 0 });
            }
            Call::Close(fd) => drop(self.open.remove(fd)),
            Call::Duplicate { of, fd } => {
                let same = match self.open.get(of) {
                    Some(Descriptor::File { number, position }) => {
                        Descriptor::File { number: *number, position: *position }
                    }
                    Some(Descriptor::Folder(path)) => Descriptor::Folder(path.clone()),
                    None => return drop(self.open.remove(fd)),
                };
                self.open.insert(*fd, same);
            }
            Call::Write { fd, at, bytes } => {
                let Some(Descriptor::File { number, position }) = self.open.get_mut(fd) else { return };
                let from = at.map_or(*position, |at| at as usize);
                let content = &mut self.files[*number].now;
                content.resize(content.len().max(from + bytes.len()), 0);
                content[from..from + bytes.len()].copy_from_slice(bytes);
                if at.is_none() {
                    *position += bytes.len();
                }
            }
            Call::Cut { fd, length } => {
                let Some(Descriptor::File { number, .. }) = self.open.get(fd) else { return };
                self.files[*number].now.resize(*length as usize, 0);
            }
            Call::Flush(fd) => match self.open.get(fd) {
                Some(Descriptor::File { number, .. }) => {
                    let content = &mut self.files[*number];
                    content.flushed.clone_from(&content.now);
                }
                Some(Descriptor::Folder(path)) => {
                    if let Some(folder) = self.folders.get_mut(path) {
                        folder.flushed.clone_from(&folder.now);
                        folder.pending.clear();
                    }
                }
                None => {}
            },
            Call::Rename { from, to } => {
                assert_eq!(is_mine(from), is_mine(to), "{call:?}");
                let Some(node) = is_mine(from).then(|| self.find_node(from)).flatten() else { return };
                assert!(node != Node::Folder, "no folder is renamed: {call:?}");
                let ((old, name), (new, becomes)) = (named(from), named(to));
                if old == new {
                    self.apply_change(&old, Change::Move(name, becomes, node));
                } else {
                    self.apply_change(&new, Change::Put(becomes, node));
                    self.apply_change(&old, Change::Take(name));
                }
            }
            Call::Link { from, to } if is_mine(to) => {
                let fd = from.file_name().and_then(|name| name.to_str()?.parse().ok());
                let number = match (from.starts_with("/proc"), fd.and_then(|fd: u64| self.open.get(&fd))) {
                    (true, Some(Descriptor::File { number, .. })) => *number,
                    _ => match self.find_node(from) {
                        Some(Node::File(number)) => number,
                        other => panic!("{call:?}: {other:?}"),
                    },
                };
                let (folder, name) = named(to);
                self.apply_change(&folder, Change::Put(name, Node::File(number)));
            }
            Call::MakeFolder(path) if is_mine(path) => {
                let (folder, name) = named(path);
                self.folders.insert(path.clone(), Folder::default());
                self.apply_change(&folder, Change::Put(name, Node::Folder));
            }
            Call::Unlink(path) | Call::RemoveFolder(path) if is_mine(path) => {
                let (folder, name) = named(path);
                self.apply_change(&folder, Change::Take(name));
            }
            Call::Link { .. } | Call::MakeFolder(_) | Call::Unlink(_) | Call::RemoveFolder(_) => {}
        }
    }

    fn new_file(&mut self) -> usize {
        self.files.push(Content::default());
        self.files.len() - 1
    }

    /// Returns the contents as programs see them.
    pub fn current_view(&self) -> View {
        let names = self.folders.iter().map(|(path, folder)| (path.as_path(), folder.now.clone())).collect();
        self.build_view(&names, UnflushedBytes::There)
    }

    /// Returns all contents that are possible after a power failure.
    pub fn after_power_failure(&self) -> BTreeSet<View> {
        let pending: Vec<(&Path, usize)> = self
            .folders
            .iter()
            .flat_map(|(path, folder)| (0..folder.pending.len()).map(move |at| (path.as_path(), at)))
            .collect();
        let is_unflushed = self.files.iter().any(|file| file.now != file.flushed);
        let fates: &[UnflushedBytes] = if is_unflushed {
            &[UnflushedBytes::Lost, UnflushedBytes::There, UnflushedBytes::Half, UnflushedBytes::Zeros]
        } else {
            &[UnflushedBytes::There]
        };
        let mut views = BTreeSet::new();
        for kept in combinations(pending.len() as u32) {
            let mut names: BTreeMap<&Path, BTreeMap<OsString, Node>> =
                self.folders.iter().map(|(path, folder)| (path.as_path(), folder.flushed.clone())).collect();
            for (number, (path, at)) in pending.iter().enumerate() {
                if kept >> number & 1 == 1 {
                    apply_to_names(names.get_mut(path).unwrap(), &self.folders[*path].pending[*at]);
                }
            }
            views.extend(fates.iter().map(|fate| self.build_view(&names, *fate)));
        }
        views
    }

    fn build_view(&self, names: &BTreeMap<&Path, BTreeMap<OsString, Node>>, fate: UnflushedBytes) -> View {
        let mut view = View::new();
        let mut open = vec![self.root.as_path()];
        while let Some(folder) = open.pop() {
            for (name, node) in names.get(folder).into_iter().flatten() {
                let path = folder.join(name);
                let content = match node {
                    Node::File(number) => Some(surviving_bytes(&self.files[*number], fate)),
                    Node::Folder => {
                        open.extend(self.folders.get_key_value(&path).map(|(path, _)| path.as_path()));
                        None
                    }
                };
                view.insert(path.strip_prefix(&self.root).unwrap().to_owned(), content);
            }
        }
        view
    }
}

fn apply_to_names(names: &mut BTreeMap<OsString, Node>, change: &Change) {
    match change {
        Change::Put(name, node) => drop(names.insert(name.clone(), *node)),
        Change::Take(name) => drop(names.remove(name)),
        Change::Move(from, to, node) => {
            names.remove(from);
            names.insert(to.clone(), *node);
        }
    }
}

fn surviving_bytes(content: &Content, fate: UnflushedBytes) -> Vec<u8> {
    match fate {
        _ if content.now == content.flushed => content.now.clone(),
        UnflushedBytes::Lost => content.flushed.clone(),
        UnflushedBytes::There => content.now.clone(),
        UnflushedBytes::Half => content.now[..content.now.len() / 2].to_vec(),
        UnflushedBytes::Zeros => vec![0; content.now.len()],
    }
}

/// Returns bit sets of changes that survive. For few changes, all combinations. For many, each
/// change
/// alone, all but each, every prefix, pairs, and random sets.
fn combinations(count: u32) -> Vec<u64> {
    if count <= MAX_COMBINED_CHANGES {
        return (0..1 << count).collect();
    }
    let all = (1_u64 << count) - 1;
    let mut kept = vec![0, all];
    for one in 0..count {
        kept.extend([1 << one, all & !(1 << one), (1 << one) - 1]);
        kept.extend((0..one).flat_map(|other| [1 << one | 1 << other, all & !(1 << one | 1 << other)]));
    }
    // The random numbers are the same in each run, so that failures can be reproduced.
    let mut number = 0x9e37_79b9_7f4a_7c15_u64;
    kept.extend((0..256).map(|_| {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        number >> 20 & all
    }));
    kept
}

#[test]
fn only_unflushed_changes_may_be_lost() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("a"), "old").unwrap();
    let path = |name: &str| root.path().join(name);
    let mut disk = Disk::from_folder(root.path());
    let open = |name: &str, fd, makes| Call::Open {
        path: path(name),
        fd,
        makes,
        empties: false,
        is_nameless: false,
    };
    disk.apply_call(&open("b", 3, true));
    disk.apply_call(&Call::Write { fd: 3, at: None, bytes: b"new!".to_vec() });
    let replace = Call::Rename { from: path("b"), to: path("a") };
    let contents = |disk: &Disk| -> BTreeSet<Option<Vec<u8>>> {
        disk.after_power_failure().into_iter().filter_map(|view| view.get(Path::new("a")).cloned()).collect()
    };
    let texts = |texts: &[&str]| texts.iter().map(|text| Some(text.as_bytes().to_vec())).collect();
    // The file was renamed before it was flushed: the old file is lost, and the new one is
    // undefined.
    disk.apply_call(&replace);
    assert_eq!(contents(&disk), texts(&["old", "", "ne", "new!", "\0\0\0\0"]));
    disk.apply_call(&Call::Flush(3));
    assert_eq!(contents(&disk), texts(&["old", "new!"]));
    disk.apply_call(&Call::Open {
        path: root.path().to_owned(),
        fd: 4,
        makes: false,
        empties: false,
        is_nameless: false,
    });
    disk.apply_call(&Call::Flush(4));
    assert_eq!(contents(&disk), texts(&["new!"]));
    assert_eq!(disk.after_power_failure(), BTreeSet::from([disk.current_view()]));
}
