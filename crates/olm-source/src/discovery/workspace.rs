//! A repository on disk, seen from a directory or a file in it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Read as _,
    path::{Component, Path, PathBuf},
    time::Instant,
};

use super::{
    BundleEvidence, CatalogEvidence, Discovery, OpenKind, STATED_FILE, StatedError, catalogs,
    index::{FileIndex, file_name, is_data, is_hidden_or_third_party, normalize_path, parent_folder},
    openshift_of, relative_path,
    statements::{FILE_NAME, RepositoryStatements},
};
use crate::is_bundle_directory;
use olm_catalog::{
    load::{git, regular_file},
    openshift::OpenShift,
};

/// Maximum number of parent directories that are searched.
const MAX_ABOVE: usize = 32;

/// Maximum number of subdirectories that are searched for parts of a catalog.
const MAX_INSPECTED: usize = 16;

/// File that only the root of a catalog contains.
const INDEX_IGNORE: &str = ".indexignore";

/// A repository on disk with the catalogs, templates and bundles in it.
pub struct Workspace {
    root: PathBuf,
    index: FileIndex,
    discovery: Discovery,
}

/// Paths that a command without PATH works on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selection {
    /// Paths, relative to the directory of the command.
    pub paths: Vec<PathBuf>,
    /// Kind of content at the paths.
    pub kind: OpenKind,
    reason: Reason,
}

/// Reason why paths are selected.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Reason {
    /// Evidence for the only path.
    Evidence(String),
    /// Discovery found several paths.
    Repository,
    /// The directory belongs to the operator with this name.
    Operator(String),
    /// The directory contains parts of a catalog: files with catalog data, but not a complete
    /// catalog.
    Parts,
}

/// A path of a repository and the evidence for it.
type Row = (String, String);

/// Returns the root of the repository around a directory. This is the nearest directory with `.git`, with
/// `.olmap.toml`, or with `catalogs/` next to `operators/`.
pub fn root_of(directory: &Path) -> Option<&Path> {
    let is_root = |path: &&Path| {
        path.join(".git").exists()
            || path.join(STATED_FILE).is_file()
            || path.join("catalogs").is_dir() && path.join("operators").is_dir()
    };
    directory.ancestors().take(MAX_ABOVE).find(is_root)
}

/// Returns the OpenShift versions of a catalog on disk. The first source that has any wins:
/// `.olmap.toml`, the path in the repository, the names of Dockerfiles and pipelines, the whole
/// path.
pub fn versions_on_disk(path: &Path) -> Vec<OpenShift> {
    let Ok(full) = std::path::absolute(path) else { return Vec::new() };
    let repository_versions = root_of(&full).and_then(|root| {
        let inside = inside_of(&full, root)?;
        // A version in the path saves listing all files, unless the repository states another version.
        let by_path = OpenShift::from_path(&inside).filter(|_| !root.join(STATED_FILE).is_file());
        Some(by_path.map_or_else(|| openshift_of(&index_folder(root), &inside), |version| vec![version]))
    });
    let by_whole_path = || full.to_str().and_then(OpenShift::from_path).into_iter().collect();
    repository_versions.filter(|versions| !versions.is_empty()).unwrap_or_else(by_whole_path)
}

impl Workspace {
    /// Discovers the contents of the repository around a directory. A directory outside of
    /// repositories is its own root. In that case, only the direct files of `/` and of the home
    /// directory are read.
    ///
    /// # Errors
    ///
    /// If the repository has a `.olmap.toml` with a mistake.
    pub fn discover(directory: &Path, home: Option<&Path>) -> Result<Self, StatedError> {
        let started = Instant::now();
        let marked = root_of(directory);
        let root = marked.unwrap_or(directory);
        let is_anything = marked.is_none() && (root.parent().is_none() || Some(root) == home);
        let mut index = if is_anything { index_direct_files(root) } else { index_folder(root) };
        let found = super::discover_in(&mut index)?.without_mistakes()?;
        let (catalogs, templates, bundles) =
            (found.catalogs.len(), found.templates.len(), found.bundles.len());
        let time = started.elapsed();
        log::info!(
            "looked for catalogs in {}: catalogs: {catalogs}, templates: {templates}, bundles: {bundles}, in {time:.1?}",
            root.display()
        );
        Ok(Self { root: root.to_owned(), index, discovery: found })
    }

    /// Returns the root directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the contents of the repository.
    pub fn discovery(&self) -> &Discovery {
        &self.discovery
    }

    /// Reports whether a file is in the repository and existed at the time of discovery.
    pub fn knows_file(&self, file: &Path) -> bool {
        inside_of(file, &self.root).is_some_and(|inside| self.index.is_file(&inside))
    }

    /// Reports whether a file is a template of the repository.
    pub fn has_template(&self, file: &Path) -> bool {
        let inside = inside_of(file, &self.root);
        inside.is_some_and(|inside| self.discovery.templates.iter().any(|template| template.path == inside))
    }

    /// Returns the catalog around a file or directory. `None` if there is none. The file need not exist.
    pub fn catalog_of(&self, path: &Path) -> Option<PathBuf> {
        let inside = inside_of(path, &self.root)?;
        let containing = self.discovery.catalogs.iter().rfind(|catalog| is_within(&inside, &catalog.path));
        let found = containing.map(|catalog| self.root.join(without_dot(&catalog.path)));
        let found = found.or_else(|| self.parts_above(path.parent()?)).or_else(|| {
            let is_part = own_parts(&index_direct_files(path.parent()?)).any(|name| path.ends_with(name));
            is_part.then(|| path.to_owned())
        })?;
        // Outside of repositories, the only sign of a catalog's root is that its subdirectories are packages.
        let is_repository = root_of(&found).is_some();
        let higher =
            found.ancestors().skip(1).take(MAX_ABOVE).take_while(|above| !is_repository && has_parts(above));
        Some(higher.last().unwrap_or(&found).to_owned())
    }

    /// Returns the paths for a command without PATH in a directory of the repository. `None` if
    /// there is nothing to open.
    pub fn select_paths(&self, directory: &Path) -> Option<Selection> {
        let inside = inside_of(directory, &self.root)?;
        self.select_inside(directory, &inside)
            .or_else(|| (directory != self.root).then(|| Self::select_alone(directory)).flatten())
            .or_else(|| self.select_parts(directory, &inside))
            .or_else(|| self.select_elsewhere(&inside))
            .or_else(|| self.select_files_of_root(&inside))
    }

    /// Selects the catalog or bundle that contains the directory, or the contents of the directory.
    /// `inside` is the directory relative to the root.
    fn select_inside(&self, directory: &Path, inside: &str) -> Option<Selection> {
        let catalogs = self.catalog_rows();
        if let Some(catalog) = catalogs.iter().rfind(|(path, _)| is_strictly_within(inside, path)) {
            // A package of the catalog may itself be a complete catalog.
            let is_complete = catalogs::is_complete(&self.index, inside);
            let path = if is_complete { inside } else { &catalog.0 };
            return Some(Selection::from_rows(
                OpenKind::Catalogs,
                &[(path.to_owned(), catalog.1.clone())],
                inside,
            ));
        }
        let below = rows_within(catalogs, inside);
        if !below.is_empty() {
            return Some(Selection::from_rows(OpenKind::Catalogs, &below, inside));
        }
        if is_bundle_directory(directory) {
            let row = (inside.to_owned(), BundleEvidence::Bundle.to_string());
            return Some(Selection::from_rows(OpenKind::Bundle, &[row], inside));
        }
        if let Some(selection) = self.packages_of_operator(inside) {
            return Some(selection);
        }
        let bundles = self.bundle_rows();
        if let Some(bundle) = bundles.iter().rfind(|(path, _)| is_strictly_within(inside, path)) {
            return Some(Selection::from_rows(OpenKind::Bundle, std::slice::from_ref(bundle), inside));
        }
        if let Some(first) = rows_within(bundles, inside).first() {
            return Some(Selection::from_rows(OpenKind::Bundle, std::slice::from_ref(first), inside));
        }
        let templates = rows_within(self.templates(), inside);
        (!templates.is_empty()).then(|| Selection::from_rows(OpenKind::Template, &templates, inside))
    }

    /// Treats the directory as its own repository, because `.olmap.toml` may ignore it or it may
    /// be third-party code.
    fn select_alone(directory: &Path) -> Option<Selection> {
        let mut index = index_folder(directory);
        let found = super::discover_in(&mut index).ok()?;
        Self { root: directory.to_owned(), index, discovery: found }.select_inside(directory, "")
    }

    /// Selects the nearest directory with parts of a catalog: this one or one above it.
    fn select_parts(&self, directory: &Path, inside: &str) -> Option<Selection> {
        let path = inside_of(&self.parts_above(directory)?, &self.root)?;
        let paths = vec![relative_path(&path, inside)];
        Some(Selection { paths, kind: OpenKind::Catalogs, reason: Reason::Parts })
    }

    /// Selects the files of a git repository's root that are parts of a catalog. A directory with `.git` is
    /// never a catalog itself.
    fn select_files_of_root(&self, inside: &str) -> Option<Selection> {
        let index = index_direct_files(&self.root);
        let paths: Vec<PathBuf> = own_parts(&index).map(|file| relative_path(&file, inside)).collect();
        (!paths.is_empty()).then_some(Selection { paths, kind: OpenKind::Catalogs, reason: Reason::Parts })
    }

    /// Selects the contents of another directory of the repository.
    fn select_elsewhere(&self, inside: &str) -> Option<Selection> {
        let first_bundle = self.bundle_rows().into_iter().take(1).collect();
        [
            (OpenKind::Catalogs, self.catalog_rows()),
            (OpenKind::Bundle, first_bundle),
            (OpenKind::Template, self.templates()),
        ]
        .into_iter()
        .find(|(_, rows)| !rows.is_empty())
        .map(|(kind, rows)| Selection::from_rows(kind, &rows, inside))
    }

    /// Selects the packages of an operator, for a directory in `operators/NAME`.
    fn packages_of_operator(&self, inside: &str) -> Option<Selection> {
        let catalogs = || {
            self.discovery
                .catalogs
                .iter()
                .filter(|catalog| catalog.evidence == CatalogEvidence::NextToOperators)
        };
        let first = catalogs().next()?;
        let above = Path::new(&first.path).parent()?.parent()?.join("operators");
        let rest = Path::new(inside).strip_prefix(above).ok()?;
        let Some(Component::Normal(name)) = rest.components().next() else {
            let rows: Vec<Row> = catalogs().map(|c| (c.path.clone(), c.evidence.to_string())).collect();
            return Some(Selection::from_rows(OpenKind::Catalogs, &rows, inside));
        };
        let name = name.to_str()?;
        let packages: Vec<PathBuf> = catalogs()
            .map(|catalog| format!("{}/{name}", catalog.path))
            .filter(|package| self.index.is_folder(package))
            .map(|package| relative_path(&package, inside))
            .collect();
        if packages.is_empty() {
            return None;
        }
        Some(Selection {
            paths: packages,
            kind: OpenKind::Catalogs,
            reason: Reason::Operator(name.to_owned()),
        })
    }

    /// Returns the nearest directory with parts of a catalog, from this one up to the root. Such a catalog is
    /// broken or incomplete.
    fn parts_above(&self, directory: &Path) -> Option<PathBuf> {
        let above = directory.ancestors().take(MAX_ABOVE).take_while(|path| path.starts_with(&self.root));
        above.filter(|path| path.is_dir()).find(|path| has_parts(path)).map(Path::to_owned)
    }

    /// Returns the catalogs with their evidence.
    fn catalog_rows(&self) -> Vec<Row> {
        self.discovery.catalogs.iter().map(|found| (found.path.clone(), found.evidence.to_string())).collect()
    }

    /// Returns the bundles; the bundle of the operator's own repository comes first.
    fn bundle_rows(&self) -> Vec<Row> {
        let mut all: Vec<_> = self.discovery.bundles.iter().collect();
        all.sort_by_key(|bundle| bundle.evidence != BundleEvidence::Bundle);
        all.into_iter().map(|found| (found.path.clone(), found.evidence.to_string())).collect()
    }

    /// Returns the templates with their formats.
    fn templates(&self) -> Vec<Row> {
        let row = |found: &super::FoundTemplate| {
            (found.path.clone(), format!("a template ({})", found.format.name()))
        };
        self.discovery.templates.iter().map(row).collect()
    }

    /// Returns the directories with catalog data that discovery does not treat as catalogs,
    /// although a catalog named after an OpenShift version is next to them.
    pub fn omitted(&self, selection: &Selection, directory: &Path) -> Vec<PathBuf> {
        let Some(inside) = inside_of(directory, &self.root) else { return Vec::new() };
        let known: Vec<&str> = self.discovery.catalogs.iter().map(|catalog| catalog.path.as_str()).collect();
        let version_catalogs = known.iter().filter(|path| OpenShift::from_name(file_name(path)).is_some());
        let parents: BTreeSet<&str> = version_catalogs.map(|path| parent_folder(path)).collect();
        let has_catalog = |folder: &&str| {
            let files = || {
                self.index.files_below(folder).filter(|file| is_data(file) && !is_hidden_or_third_party(file))
            };
            files().any(|file| self.index.head_facts(file).has_catalog)
        };
        let is_new =
            |folder: &&str| !known.iter().any(|path| is_within(path, folder) || is_within(folder, path));
        let omitted = parents.into_iter().flat_map(|parent| self.index.folders_in(parent));
        let omitted = omitted.filter(is_new).filter(has_catalog).map(|path| relative_path(path, &inside));
        omitted.filter(|path| !selection.paths.contains(path)).collect()
    }
}

/// Reports whether a directory contains parts of a catalog: files with catalog data directly in it,
/// or in most of its subdirectories. A directory with `.git` never does.
fn has_parts(directory: &Path) -> bool {
    if directory.join(".git").exists() {
        return false;
    }
    let own = index_direct_files(directory);
    if has_own_parts(&own) {
        return true;
    }
    let names: Vec<PathBuf> = directories(directory).into_iter().take(MAX_INSPECTED).collect();
    let with_parts = names.iter().filter(|path| has_own_parts(&index_direct_files(path))).count();
    let is_marked = own.is_file(INDEX_IGNORE) && with_parts > 0;
    is_marked || with_parts * 2 > names.len()
}

/// Returns true if a file has catalog data.
fn is_catalog_part(index: &FileIndex, file: &str) -> bool {
    if !is_data(file) {
        return false;
    }
    let facts = index.head_facts(file);
    facts.template.is_none() && facts.has_catalog
}

/// Returns true if a file with catalog data is directly in a directory. Stops at the first such file.
fn has_own_parts(index: &FileIndex) -> bool {
    index.file_paths().any(|file| is_catalog_part(index, file))
}

/// Returns true if a directory or one of its subfolders has a file with catalog data. Stops at the
/// first such file.
pub fn has_catalog_data(directory: &Path) -> bool {
    let has_data = |folder: &Path| has_own_parts(&index_direct_files(folder));
    has_data(directory) || directories(directory).iter().any(|folder| has_data(folder))
}

/// Returns the files with catalog data directly in a directory.
fn own_parts(index: &FileIndex) -> impl Iterator<Item = String> {
    let parts = index.file_paths().filter(|file| is_catalog_part(index, file));
    let parts: Vec<String> = parts.map(str::to_owned).collect();
    parts.into_iter()
}

/// Returns the templates in a directory without catalog data, or in its `catalog-templates/`.
pub fn templates_of(directory: &Path) -> Vec<PathBuf> {
    let own = own_templates(directory);
    if own.is_empty() { own_templates(&directory.join("catalog-templates")) } else { own }
}

fn own_templates(directory: &Path) -> Vec<PathBuf> {
    let index = index_direct_files(directory);
    if has_own_parts(&index) || !directories(directory).is_empty() {
        return Vec::new();
    }
    let is_template = |file: &&str| is_data(file) && index.head_facts(file).template.is_some();
    index.file_paths().filter(is_template).map(|file| directory.join(file)).collect()
}

impl Selection {
    fn from_rows(kind: OpenKind, rows: &[Row], inside: &str) -> Self {
        let reason = match rows {
            [(_, evidence)] => Reason::Evidence(evidence.clone()),
            _ => Reason::Repository,
        };
        Self { paths: rows.iter().map(|(path, _)| relative_path(path, inside)).collect(), kind, reason }
    }

    /// Reports whether the only path is the current directory or a parent of it.
    pub fn contains_current(&self) -> bool {
        let is_outward = |part: Component<'_>| matches!(part, Component::CurDir | Component::ParentDir);
        matches!(self.paths.as_slice(), [only] if only.components().all(is_outward))
    }

    /// Reports whether the only path is the current directory.
    pub fn is_current(&self) -> bool {
        matches!(self.paths.as_slice(), [only] if only == Path::new("."))
    }

    /// Returns a sentence with the opened paths and the reason.
    pub fn to_sentence(&self) -> String {
        let what = match self.paths.as_slice() {
            [only] if only == Path::new(".") => "this directory".to_owned(),
            [only] => only.display().to_string(),
            several => format!("{} {}", several.len(), self.kind.plural()),
        };
        match &self.reason {
            Reason::Evidence(evidence) => format!("opened {what}: {evidence}"),
            Reason::Repository => format!("opened {what}: found in this repository"),
            Reason::Operator(name) => format!("opened {name} in {what}: you are in operators/{name}"),
            Reason::Parts => format!("opened {what}: it has parts of a catalog"),
        }
    }
}

/// Returns a path relative to the root, with `/` as the separator. The root is the empty path.
fn inside_of(path: &Path, root: &Path) -> Option<String> {
    let inside = path.strip_prefix(root).ok()?;
    let parts = inside.components().map(|part| part.as_os_str().to_str()).collect::<Option<Vec<_>>>()?;
    Some(parts.join("/"))
}

/// Returns the empty path for `.`.
fn without_dot(path: &str) -> &str {
    if path == "." { "" } else { path }
}

/// Reports whether a path is a directory or is inside it. `.` is the root.
fn is_within(path: &str, folder: &str) -> bool {
    super::index::is_within(path, without_dot(folder))
}

fn is_strictly_within(path: &str, folder: &str) -> bool {
    is_within(path, folder) && path != without_dot(folder)
}

/// Returns the rows whose paths are the folder or are inside it.
fn rows_within(all: Vec<Row>, folder: &str) -> Vec<Row> {
    all.into_iter().filter(|(path, _)| is_within(without_dot(path), folder)).collect()
}

/// Maximum number of folders listed without git.
const MAX_FOLDERS: usize = 4_000;

/// Maximum number of files in an index.
const MAX_FILES: usize = 400_000;

/// Maximum number of names read from one folder.
const MAX_NAMES: usize = 2_000;

/// Maximum depth of folders.
const MAX_DEPTH: usize = 16;

/// Folders that are never listed.
const UNLISTED: [&str; 2] = [".git", "node_modules"];

/// Lists the files of a folder.
pub fn index_folder(root: &Path) -> FileIndex {
    let mut listing = FolderListing::default();
    let listed = git::list_unignored_files(root).unwrap_or_default();
    for path in listed.into_iter().take(MAX_FILES) {
        listing.add_path(root, &path);
    }
    if listing.files.is_empty() && listing.links.is_empty() {
        let mut left = MAX_FOLDERS;
        listing.add_folder(root, "", 0, &mut left);
    }
    for path in stated_paths(root) {
        listing.add_stated(root, &path);
    }
    listing.into_index(root)
}

/// Lists the files directly in a folder.
pub fn index_direct_files(folder: &Path) -> FileIndex {
    let mut listing = FolderListing::default();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_NAMES) {
        if let Ok(name) = entry.file_name().into_string() {
            listing.add_path(folder, &name);
        }
    }
    listing.into_index(folder)
}

/// Lists the subfolders of a folder, sorted, without hidden folders and folders of third-party code.
pub fn directories(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_NAMES);
    let is_own = |path: &PathBuf| {
        path.file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| !is_hidden_or_third_party(&format!("{name}/x")))
    };
    let mut folders: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.is_dir() && is_own(path)).collect();
    folders.sort();
    folders
}

/// Returns the paths that the repository states. Discovery reports mistakes in the file.
fn stated_paths(root: &Path) -> Vec<String> {
    let text = regular_file::read_regular(&root.join(FILE_NAME), regular_file::MAX_HANDWRITTEN_SIZE)
        .unwrap_or_default();
    let stated = RepositoryStatements::parse(&String::from_utf8_lossy(&text)).unwrap_or_default();
    stated.paths().map(|stated| stated.path.clone()).collect()
}

#[derive(Default)]
struct FolderListing {
    files: BTreeSet<String>,
    links: BTreeMap<String, String>,
}

impl FolderListing {
    fn into_index(self, root: &Path) -> FileIndex {
        let folder = root.to_owned();
        let read = move |path: &str, limit: u64| {
            let mut bytes = Vec::new();
            regular_file::open_regular(&folder.join(path)).ok()?.take(limit).read_to_end(&mut bytes).ok()?;
            Some(bytes)
        };
        FileIndex::new(self.files, self.links, root.join(".git").exists(), Box::new(read))
    }

    /// Adds a file or a link, but not a folder, because a folder in the listing of git is another repository.
    fn add_path(&mut self, root: &Path, path: &str) {
        let full = root.join(path);
        let Ok(metadata) = full.symlink_metadata() else { return };
        if metadata.is_symlink() {
            let target = fs::read_link(&full).ok();
            let target = target.as_deref().and_then(Path::to_str).filter(|target| !target.starts_with('/'));
            let target =
                target.and_then(|target| normalize_path(&format!("{}/{target}", parent_folder(path))));
            self.links.extend(target.map(|target| (path.to_owned(), target)));
        } else if metadata.is_file() {
            self.files.insert(path.to_owned());
        }
    }

    /// Adds the files at a stated path, which git may ignore.
    fn add_stated(&mut self, root: &Path, path: &str) {
        let prefix = format!("{path}/");
        let is_listed = self.files.contains(path)
            || self.files.range(prefix.clone()..).next().is_some_and(|file| file.starts_with(&prefix));
        if is_listed {
            return;
        }
        if root.join(path).is_dir() {
            let mut left = MAX_FOLDERS;
            self.add_folder(root, path, 0, &mut left);
        } else {
            self.add_path(root, path);
        }
    }

    fn add_folder(&mut self, root: &Path, inside: &str, depth: usize, left: &mut usize) {
        let Some(fewer) = left.checked_sub(1).filter(|_| depth < MAX_DEPTH) else { return };
        *left = fewer;
        let mut folders = Vec::new();
        for entry in fs::read_dir(root.join(inside)).into_iter().flatten().flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = if inside.is_empty() { name.clone() } else { format!("{inside}/{name}") };
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => {
                    let is_other = entry.path().join(".git").exists();
                    if !is_other && !UNLISTED.contains(&name.as_str()) {
                        folders.push(path);
                    }
                }
                Ok(_) if self.files.len() < MAX_FILES => self.add_path(root, &path),
                _ => {}
            }
        }
        folders.sort();
        for folder in folders {
            self.add_folder(root, &folder, depth + 1, left);
        }
    }
}
