//! Catalogs of a repository, found in Dockerfiles, in composite templates, next to operators, or
//! by their content.

mod image_copies;
use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Read as _,
    path::{Path, PathBuf},
    rc::Rc,
};

use super::{
    CatalogEvidence, Discovery, FoundCatalog, RepositoryStatements, STATED_FILE, VersionEvidence,
    content::FileFacts,
    discover_in,
    index::{
        FileIndex, file_name, folders_above, is_data, is_hidden_or_third_party, is_test_or_foreign,
        is_within, join_path, normalize_path, parent_folder,
    },
};
use image_copies::CatalogCopy;
use olm_catalog::{
    load::{
        LoadError,
        git::{Commit, ContentReader, MissingReason, Repository},
        lfs, regular_file,
    },
    openshift::OpenShift,
    paths::indexignore::{FILE_NAME, IgnoreSet},
};

/// Finds catalogs.
pub fn find_catalogs(index: &FileIndex) -> Vec<FoundCatalog> {
    let copies = image_copies::find_copies(index);
    let mut found: BTreeMap<String, CatalogEvidence> = BTreeMap::new();
    for (path, copies) in &copies {
        let first = copies
            .first()
            .map(|copy| CatalogEvidence::Copied { dockerfile: copy.dockerfile.clone(), line: copy.line });
        found.extend(first.map(|evidence| (path.clone(), evidence)));
    }
    let composite = read_composites(index);
    for (path, file) in &composite.folders {
        if is_complete(index, path) {
            found.entry(path.clone()).or_insert_with(|| CatalogEvidence::Composite(file.clone()));
        }
    }
    // The source of an image or of a composite template is not a second catalog.
    let known: BTreeSet<String> = found.keys().flat_map(|path| defined_packages(index, path)).collect();
    for path in catalogs_next_to_operators(index) {
        let is_new = !found.keys().any(|other| is_within(other, &path) || is_within(&path, other));
        if is_new && is_complete(index, &path) {
            found.insert(path, CatalogEvidence::NextToOperators);
        }
    }
    for path in find_readable_folders(index, &found, &composite.inputs) {
        let packages = defined_packages(index, &path);
        // A catalog that cannot be parsed has no packages.
        if packages.is_empty() || packages.iter().any(|package| !known.contains(package)) {
            found.insert(path, CatalogEvidence::Readable);
        }
    }
    found.into_iter().map(|(path, evidence)| with_version(path, evidence, &copies)).collect()
}

/// Finds single files that are catalogs, for a repository without other contents.
pub fn single_files(index: &FileIndex) -> Vec<FoundCatalog> {
    let is_candidate = |path: &&str| is_data(path) && !is_test_or_foreign(path);
    let whole = index.file_paths().filter(is_candidate).filter(|path| is_complete(index, path));
    whole.map(|path| with_version(path.to_owned(), CatalogEvidence::File, &BTreeMap::new())).collect()
}

/// Returns a stated catalog.
pub fn stated_catalog(path: String, versions: Vec<OpenShift>) -> FoundCatalog {
    if versions.is_empty() {
        return with_version(path, CatalogEvidence::Stated, &BTreeMap::new());
    }
    let version_evidence = Some(VersionEvidence::Stated);
    FoundCatalog { path, openshift: versions, version_evidence, evidence: CatalogEvidence::Stated }
}

/// Returns the OpenShift versions of the catalog at or around a path, from the path or from the
/// files that copy it.
pub fn versions_of(index: &FileIndex, path: &str) -> Vec<OpenShift> {
    if let Some(version) = OpenShift::from_path(path) {
        return vec![version];
    }
    let copies = image_copies::find_copies(index);
    let copied = copies.keys().find(|catalog| is_within(path, catalog)).cloned();
    let found = copied.map(|catalog| with_version(catalog, CatalogEvidence::Readable, &copies));
    found.map(|found| found.openshift).unwrap_or_default()
}

/// Adds the OpenShift versions of a catalog.
fn with_version(
    path: String,
    evidence: CatalogEvidence,
    copies: &BTreeMap<String, Vec<CatalogCopy>>,
) -> FoundCatalog {
    let by_path = OpenShift::from_path(&path);
    if let Some(version) = by_path {
        return FoundCatalog {
            path,
            openshift: vec![version],
            version_evidence: Some(VersionEvidence::Path),
            evidence,
        };
    }
    let copies = copies.get(&path).map(Vec::as_slice).unwrap_or_default();
    let named = |file: &str| {
        OpenShift::find_in_file_name(file_name(file)).or_else(|| OpenShift::from_path(parent_folder(file)))
    };
    let collect = |files: &mut dyn Iterator<Item = &String>| {
        let mut all: Vec<(OpenShift, String)> =
            files.filter_map(|file| Some((named(file)?, file.clone()))).collect();
        all.sort();
        all.dedup_by_key(|(version, _)| *version);
        all
    };
    let mut all = collect(&mut copies.iter().map(|copy| &copy.dockerfile));
    let is_by_dockerfile = !all.is_empty();
    if !is_by_dockerfile {
        all = collect(&mut copies.iter().flat_map(|copy| &copy.pipelines));
    }
    let first = all.first().map(|(_, file)| file.clone());
    let version_evidence =
        first.map(if is_by_dockerfile { VersionEvidence::Dockerfile } else { VersionEvidence::Pipeline });
    FoundCatalog {
        path,
        openshift: all.into_iter().map(|(version, _)| version).collect(),
        version_evidence,
        evidence,
    }
}

/// Statements of composite templates about catalogs.
#[derive(Default)]
pub struct CompositeLists {
    /// Folder of each catalog, with the file that lists it.
    pub folders: BTreeMap<String, String>,
    /// Folder of each catalog, by the catalog's name.
    pub names: BTreeMap<String, String>,
    /// Input files and folders of components, with the name of the catalog.
    pub inputs: BTreeMap<String, String>,
}

/// Reads composite templates and the lists of catalogs that belong to them.
pub fn read_composites(index: &FileIndex) -> CompositeLists {
    let mut lists = CompositeLists::default();
    for path in index.file_paths().filter(|path| is_data(path) && !is_test_or_foreign(path)) {
        let facts = index.head_facts(path);
        for (name, folder) in &facts.destinations {
            if let Some(folder) = resolve_from_above(path, folder, |folder| index.is_folder(folder)) {
                lists.names.insert(name.clone(), folder.clone());
                lists.folders.insert(folder, path.to_owned());
            }
        }
        for component in &facts.components {
            let input = component.input.as_deref();
            let input = input
                .and_then(|input| resolve_from_above(path, input, |input| !index.files_at(input).is_empty()));
            lists.inputs.extend(input.map(|input| (input, component.name.clone())));
        }
    }
    lists
}

/// Resolves a path that is relative to the folder of a file, or to a folder above it.
fn resolve_from_above(file: &str, path: &str, is_there: impl Fn(&str) -> bool) -> Option<String> {
    let mut paths = folders_above(file).filter_map(|folder| normalize_path(&join_path(folder, path)));
    paths.find(|path| is_there(path))
}

/// Returns the folders in `catalogs/` if `operators/` is next to it.
fn catalogs_next_to_operators(index: &FileIndex) -> Vec<String> {
    let mut roots = BTreeSet::new();
    for path in index.file_paths().filter(|path| !is_test_or_foreign(path)) {
        for folder in folders_above(path).filter(|folder| file_name(folder) == "catalogs") {
            roots.insert(parent_folder(folder));
        }
    }
    let roots = roots.into_iter().filter(|root| index.is_folder(&join_path(root, "operators")));
    roots.flat_map(|root| index.folders_in(&join_path(root, "catalogs"))).map(str::to_owned).collect()
}

/// Reports whether a path has a package and a bundle that is a channel entry, or catalog data that cannot be
/// parsed.
pub fn is_complete(index: &FileIndex, path: &str) -> bool {
    let files =
        || index.files_at(path).into_iter().filter(|file| is_data(file) && !is_hidden_or_third_party(file));
    let mut seen = CatalogParts::default();
    // The first documents usually decide, and catalogs may be large.
    files().any(|file| seen.add_file(&index.head_facts(file)))
        || files().any(|file| seen.add_file(&index.whole_facts(file)))
}

/// Parts of a catalog found so far.
#[derive(Default)]
struct CatalogParts {
    has_package: bool,
    /// True if a file cannot be parsed, so its content is unknown.
    is_broken: bool,
    entries: BTreeSet<(String, String)>,
    bundles: BTreeSet<(String, String)>,
}

impl CatalogParts {
    /// Adds a file; reports whether the catalog is complete.
    fn add_file(&mut self, facts: &FileFacts) -> bool {
        if facts.template.is_none() {
            self.has_package |= !facts.packages.is_empty();
            self.is_broken |= facts.is_broken;
            self.entries.extend(facts.entries.iter().cloned());
            self.bundles.extend(facts.bundles.iter().cloned());
        }
        self.is_broken || self.has_package && self.bundles.iter().any(|bundle| self.entries.contains(bundle))
    }
}

/// Returns the packages defined at a path.
pub fn defined_packages(index: &FileIndex, path: &str) -> BTreeSet<String> {
    let files =
        index.files_at(path).into_iter().filter(|file| is_data(file) && !is_hidden_or_third_party(file));
    let facts = files.map(|file| index.head_facts(file)).filter(|facts| facts.template.is_none());
    facts.flat_map(|facts| facts.packages.clone()).collect()
}

/// Folder names at which the search for a higher catalog folder stops.
const CATALOG_NAMES: [&str; 3] = ["catalog", "configs", "index"];

/// Finds the folders that opm can read, outside of known catalogs.
fn find_readable_folders(
    index: &FileIndex,
    known: &BTreeMap<String, CatalogEvidence>,
    inputs: &BTreeMap<String, String>,
) -> BTreeSet<String> {
    let mut readable: BTreeMap<String, bool> = BTreeMap::new();
    let mut found = BTreeSet::new();
    for file in index.file_paths().filter(|file| is_data(file) && !is_test_or_foreign(file)) {
        let is_known = known.keys().chain(inputs.keys()).any(|path| is_within(file, path));
        if is_known
            || found.iter().any(|folder: &String| is_within(file, folder))
            || !index.head_facts(file).has_catalog
        {
            continue;
        }
        let mut highest = None;
        for folder in folders_above(file) {
            let is_other = known.keys().chain(inputs.keys()).any(|path| is_within(path, folder));
            if is_other || folder.is_empty() && index.has_git {
                break;
            }
            let is_readable =
                *readable.entry(folder.to_owned()).or_insert_with(|| is_readable(index, folder));
            if is_readable {
                highest = Some(folder);
            }
            if CATALOG_NAMES.contains(&file_name(folder)) || is_version_folder(file_name(folder)) {
                break;
            }
        }
        found.extend(highest.map(str::to_owned));
    }
    found
}

/// Reports whether a name is a version such as `v4.18`.
fn is_version_folder(name: &str) -> bool {
    name.strip_prefix('v').and_then(OpenShift::parse_name).is_some()
}

/// Reports whether opm could read a folder as a catalog: complete, without other files, and each package
/// defined once.
fn is_readable(index: &FileIndex, folder: &str) -> bool {
    let start = if folder.is_empty() { 0 } else { folder.len() + 1 };
    let files: Vec<(&str, Vec<&str>)> = index
        .files_below(folder)
        .filter_map(|file| Some((file, file.get(start..)?.split('/').collect())))
        .collect();
    let mut ignored = IgnoreSet::new();
    for (file, parts) in &files {
        if let Some((&FILE_NAME, above)) = parts.split_last()
            && let Some(text) = index.read_text(file)
        {
            // opm stops at a line that it cannot parse.
            if ignored.add(above, &text).is_err() {
                return false;
            }
        }
    }
    let mut packages = BTreeSet::new();
    for (file, parts) in &files {
        if parts.last() == Some(&FILE_NAME) || ignored.ignores(parts) {
            continue;
        }
        if !is_data(file) {
            return false;
        }
        let facts = index.head_facts(file);
        let is_catalog = facts.template.is_none() && facts.has_schemas && facts.destinations.is_empty();
        if !is_catalog || !facts.packages.iter().all(|package| packages.insert(package.clone())) {
            return false;
        }
    }
    is_complete(index, folder) && !is_test_or_foreign(&join_path(folder, "x"))
}

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
