//! Folders of bundle directories: one bundle, the versions of an operator, or a repository of operators. They
//! open as a catalog with proposed channels. It contains the output of `opm render` for each bundle, and the
//! entries that their CSVs ask for.
//! The directory that a bundle of a catalog was made from can be looked up.

#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    fs,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::{Path, PathBuf},
    sync::atomic::Ordering,
};

use rayon::prelude::*;

use crate::{dockerfile_beside, is_bundle_directory, read_bundle_directory};
use olm_bundle::{
    FilePool, Tree,
    placement::{self, Placement, UpdateGraph},
    registry::{Bundle, DirectoryContents},
    render::{self, ImageTemplate, RenderedBundle},
};
use olm_catalog::{
    BundleDirectory, BundleSource, BundleSources, Catalog, Origin, PackageName,
    blob::BundleBlob,
    load::{GrowingTexts, LoadError, Progress, regular_file},
    problem::{Problem, ProblemKind, ProblemLocation},
    text::{canonical::RenderFormat, yaml},
};

/// Returns the directory of a bundle of a catalog, if it is known and exists.
pub fn directory_of(catalog: &Catalog, package: &PackageName, bundle: &BundleBlob) -> Option<PathBuf> {
    directory_by(catalog, package, bundle, csv_name)
}

/// Like [`directory_of`], with a function that returns the name of the CSV in a directory.
pub fn directory_by(
    catalog: &Catalog,
    package: &PackageName,
    bundle: &BundleBlob,
    csv_name: impl Fn(&Path) -> Option<String>,
) -> Option<PathBuf> {
    let home = catalog.bundle_source(package, &bundle.name.value)?;
    let version = bundle.version.as_ref().map(ToString::to_string).unwrap_or_default();
    find_directory_by(&home, bundle.name.value.as_str(), &version, csv_name)
}

/// Returns the directory of a bundle if its CSV has the bundle's name. In an operator's folder, directories
/// named after the version are tried first.
pub fn find_directory(home: &BundleSource, name: &str, version: &str) -> Option<PathBuf> {
    find_directory_by(home, name, version, csv_name)
}

fn find_directory_by(
    home: &BundleSource,
    name: &str,
    version: &str,
    csv_name: impl Fn(&Path) -> Option<String>,
) -> Option<PathBuf> {
    let folder = match home {
        BundleSource::Directory { path, .. } => return Some(path.clone()),
        BundleSource::Operator(folder) => folder,
    };
    let mut directories: Vec<PathBuf> = subfolders(folder).filter(|path| is_bundle_directory(path)).collect();
    directories.sort_by_cached_key(|path| (!is_named_after(path, version), path.clone()));
    directories.into_iter().find(|path| csv_name(path).as_deref() == Some(name))
}

/// Returns true if the name of a directory is a version.
fn is_named_after(directory: &Path, version: &str) -> bool {
    let called = directory.file_name().and_then(|called| called.to_str());
    called.is_some_and(|called| called == version || called.strip_prefix('v') == Some(version))
}

/// Returns the name of the CSV in a bundle directory.
pub fn csv_name(directory: &Path) -> Option<String> {
    let tree = read_bundle_directory(directory).ok()?;
    Some(DirectoryContents::from_tree(&tree).csv()?.name().to_owned())
}

fn subfolders(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// Number of directories read before the first partial catalog is shown.
const FIRST_PORTION: usize = 32;

/// Number of directories read between two partial catalogs.
const PORTION_SIZE: usize = 512;

/// Result of reading a bundle directory.
struct ReadBundle {
    /// Path relative to the root of the folder.
    shown: PathBuf,
    /// See [`BundleDirectory::content_hash`].
    content_hash: u64,
    /// The `olm.bundle` blob; empty if it cannot be rendered.
    text: String,
    /// Package and channels that the annotations name.
    placement: Option<Placement>,
    /// File with the CSV.
    csv: Option<PathBuf>,
    /// Reason why the bundle is rejected.
    fault: Option<String>,
}

/// A bundle whose annotations name a package.
struct PlacedBundle {
    shown: PathBuf,
    placement: Placement,
}

/// Opens bundle directories as the catalog they propose, and passes partial catalogs to `show`.
///
/// A bundle has its `olm.csv.metadata` instead of its objects, as `opm render --migrate` writes
/// it. Other data is read from the bundle's directory.
///
/// # Errors
///
/// If loading is cancelled. Directories that opm rejects become problems of the catalog.
pub fn open_bundles(
    path: &Path,
    folder: &BundleFolder,
    image: Option<&ImageTemplate>,
    progress: &Progress,
    show: &mut dyn FnMut(Catalog),
) -> Result<Catalog, LoadError> {
    let origin = || Origin::Bundles(path.to_owned());
    let mut growing = GrowingTexts::new(origin());
    let (mut all, mut packages) = (Vec::new(), HashSet::new());
    let mut is_spread = false;
    let (mut problems, mut homes) = (Vec::new(), BundleSources::default());
    progress.files.fetch_add(folder.directories.len(), Ordering::Relaxed);
    // Versions of an operator often have equal CRDs.
    let files = FilePool::default();
    let mut rest = folder.directories.as_slice();
    let mut many = FIRST_PORTION;
    while !rest.is_empty() {
        let portion;
        (portion, rest) = rest.split_at(portion_size(rest, many));
        many = PORTION_SIZE;
        let read = portion.par_iter().map(|shown| {
            progress.check_stopped()?;
            let read = read_bundle(&folder.root, shown, image, &files, progress);
            progress.read.fetch_add(1, Ordering::Relaxed);
            Ok(read)
        });
        let mut read = read.collect::<Result<Vec<ReadBundle>, LoadError>>()?;
        for one in &read {
            homes.record_directory(BundleDirectory {
                path: folder.root.join(&one.shown),
                content_hash: one.content_hash,
            });
            if let Some(fault) = &one.fault {
                problems.push(Problem {
                    at: ProblemLocation::File(one.shown.clone()),
                    kind: ProblemKind::RejectedBundle(fault.clone()),
                });
            }
            if let Some(placement) = &one.placement {
                let path = folder.root.join(&one.shown);
                homes.add_directory(&placement.package, &placement.name, path, one.csv.clone());
            }
        }
        let texts =
            read.iter_mut().map(|one| (one.shown.clone(), std::mem::take(&mut one.text).into_bytes()));
        growing.add_texts(texts.collect::<Vec<_>>());
        let placed: Vec<PlacedBundle> = read
            .into_iter()
            .filter_map(|one| Some(PlacedBundle { shown: one.shown, placement: one.placement? }))
            .filter(|one| !one.placement.package.is_empty())
            .collect();
        growing.add_texts(propose_texts(&folder.root, &placed));
        let here: HashSet<String> = placed.iter().map(|one| one.placement.package.clone()).collect();
        for package in here {
            is_spread |= !packages.insert(package);
        }
        all.extend(placed);
        if !rest.is_empty() {
            show(growing.snapshot());
        }
    }
    if is_spread {
        growing = with_proposals(growing, origin(), propose_texts(&folder.root, &all));
    }
    Ok(growing.into_catalog(problems, homes))
}

/// Replaces the proposed packages and channels. If a package was read in several portions, its
/// channels must be proposed from all its bundles.
fn with_proposals(growing: GrowingTexts, origin: Origin, proposed: Vec<(PathBuf, Vec<u8>)>) -> GrowingTexts {
    let mut whole = GrowingTexts::new(origin);
    let read = growing.into_catalog(Vec::new(), BundleSources::default());
    let bundles = read.files().iter().filter(|file| !is_proposed(file.display_path()));
    whole.add_texts(bundles.map(|file| (file.display_path().to_owned(), file.current_bytes())));
    whole.add_texts(proposed);
    whole
}

/// Returns the number of directories in the next portion: at least the given number, unless fewer
/// are left. Directories of an operator stay together, because its channels are proposed from all
/// of them.
fn portion_size(directories: &[PathBuf], min_size: usize) -> usize {
    let groups = directories.chunk_by(|a, b| a.parent() == b.parent());
    let mut count = 0;
    for group in groups {
        count += group.len();
        if count >= min_size {
            break;
        }
    }
    count
}

fn read_bundle(
    root: &Path,
    shown: &Path,
    image: Option<&ImageTemplate>,
    files: &FilePool,
    progress: &Progress,
) -> ReadBundle {
    let path = root.join(shown);
    let mut read = ReadBundle::for_directory(shown);
    let tree = match read_bundle_directory(&path) {
        Ok(tree) => files.share_files(tree),
        Err(error) => {
            read.fault = Some(error.to_string());
            return read;
        }
    };
    let bytes = tree.files.iter().map(|file| file.content_or_empty().len()).sum();
    progress.bytes.fetch_add(bytes, Ordering::Relaxed);
    read.content_hash = content_hash(&tree, &path);
    read.read_tree(&tree, image, &path);
    read
}

impl ReadBundle {
    /// Creates an empty result for a directory.
    fn for_directory(shown: &Path) -> Self {
        Self {
            shown: shown.to_owned(),
            content_hash: 0,
            text: String::new(),
            placement: None,
            csv: None,
            fault: None,
        }
    }

    /// Reads the contents of the directory.
    fn read_tree(&mut self, tree: &Tree, image: Option<&ImageTemplate>, root: &Path) {
        let read = self;
        let mut look = |contents: &DirectoryContents| {
            read.placement = Placement::from_contents(contents);
            read.csv = contents.csv().map(|csv| root.join(&csv.object.file.path));
        };
        let rendered = match Bundle::from_tree(tree) {
            Ok(bundle) => {
                look(&bundle.contents);
                render::render_with_metadata(&bundle, image.cloned())
            }
            Err(fault) => {
                look(&DirectoryContents::from_tree(tree));
                Err(fault)
            }
        };
        match rendered {
            Ok(rendered) if rendered.package.is_empty() => {
                read.fault = Some("its annotations name no package".to_owned());
            }
            Ok(rendered) => read.text = rendered.to_text(RenderFormat::Yaml),
            Err(fault) => {
                read.text = read.placement.as_ref().map(minimal_blob).unwrap_or_default();
                read.fault = Some(fault.to_string());
            }
        }
    }
}

/// Returns a catalog of a single bundle in memory, with the package and channels that it proposes.
#[cfg(feature = "images")]
pub fn catalog_of_tree(
    origin: Origin,
    tree: &Tree,
    labels: BTreeMap<String, String>,
    image: Option<&ImageTemplate>,
) -> Catalog {
    let shown = PathBuf::from("bundle");
    let mut read = ReadBundle::for_directory(&shown);
    read.read_tree(tree, image, &shown);
    let mut growing = GrowingTexts::new(origin);
    growing.add_texts([(shown.clone(), std::mem::take(&mut read.text).into_bytes())]);
    if let Some(placement) = read.placement.filter(|placement| !placement.package.is_empty()) {
        let placements = [placement];
        let channels = placement::propose_channels(&placements, UpdateGraph::default());
        let mut package = placement::propose_package(&placements, &channels);
        if let Some(csv) = DirectoryContents::from_tree(tree).csv() {
            package = package.with_description_from(csv.node());
        }
        let name = &placements[0].package;
        let texts = channels.iter().map(|channel| channel.to_document(name));
        let text: String = std::iter::once(package.to_document()).chain(texts).collect();
        growing.add_texts([(PathBuf::from(plain_name(name) + PROPOSED), text.into_bytes())]);
    }
    let rejected =
        |fault| Problem { at: ProblemLocation::File(shown), kind: ProblemKind::RejectedBundle(fault) };
    let mut homes = BundleSources::default();
    let content =
        |file: &olm_bundle::TreeFile| file.content.as_ref().map(|bytes| bytes.to_vec()).map_err(Clone::clone);
    let files = tree.files.iter().map(|file| (file.path.clone(), content(file))).collect();
    homes.set_image(olm_catalog::ImageBundle { files, folders: tree.folders.clone(), labels });
    growing.into_catalog(read.fault.map(rejected).into_iter().collect(), homes)
}

/// Returns a hash of the bundle directory and the Dockerfile next to it, which are the input of
/// the checks.
fn content_hash(tree: &Tree, path: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    (tree, dockerfile_beside(path)).hash(&mut hasher);
    hasher.finish()
}

/// Returns a minimal blob of a bundle that opm rejects.
fn minimal_blob(placement: &Placement) -> String {
    if placement.package.is_empty() || placement.name.is_empty() {
        return String::new();
    }
    RenderedBundle::minimal(&placement.name, &placement.package, &placement.version)
        .to_text(RenderFormat::Yaml)
}

/// Returns the packages and channels that bundles propose: one text per package, with a path next
/// to the bundles.
fn propose_texts(root: &Path, placed: &[PlacedBundle]) -> Vec<(PathBuf, Vec<u8>)> {
    let mut packages: BTreeMap<&str, Vec<&PlacedBundle>> = BTreeMap::new();
    for one in placed {
        packages.entry(&one.placement.package).or_default().push(one);
    }
    let text = |(name, bundles): (&str, Vec<&PlacedBundle>)| {
        let folder = bundles.first().and_then(|one| one.shown.parent()).unwrap_or(Path::new(""));
        let placements: Vec<Placement> = bundles.iter().map(|one| one.placement.clone()).collect();
        let channels = placement::propose_channels(&placements, update_graph(&root.join(folder)));
        let mut package = placement::propose_package(&placements, &channels);
        // The CSV is read again, because keeping all icons in memory is expensive.
        let newest = placement::newest_index(&placements).and_then(|at| bundles.get(at));
        if let Some(tree) = newest.and_then(|one| read_bundle_directory(&root.join(&one.shown)).ok())
            && let Some(csv) = DirectoryContents::from_tree(&tree).csv()
        {
            package = package.with_description_from(csv.node());
        }
        let texts = channels.iter().map(|channel| channel.to_document(name));
        let text: String = std::iter::once(package.to_document()).chain(texts).collect();
        (folder.join(plain_name(name) + PROPOSED), text.into_bytes())
    };
    packages.into_iter().map(text).collect()
}

/// Suffix of the file name of a proposed package.
const PROPOSED: &str = " (proposed)";

fn is_proposed(shown: &Path) -> bool {
    shown.to_string_lossy().ends_with(PROPOSED)
}

/// Returns a package name as a file name.
fn plain_name(name: &str) -> String {
    name.chars().map(|c| if matches!(c, '/' | '\\') { '_' } else { c }).collect()
}

/// Returns the source of an operator's upgrade edges from its `ci.yaml`.
fn update_graph(operator: &Path) -> UpdateGraph {
    let read = || {
        let text =
            regular_file::read_regular(&operator.join("ci.yaml"), regular_file::MAX_HANDWRITTEN_SIZE).ok()?;
        let tree = yaml::parse_yaml(&text).ok()?;
        UpdateGraph::from_mode(tree.get("updateGraph")?.as_str()?)
    };
    read().unwrap_or_default()
}

/// Files that mark a folder as a catalog, whatever else it contains.
const CATALOG_FILES: [&str; 4] = ["catalog.yaml", "catalog.json", "index.yaml", ".indexignore"];

/// Maximum depth of bundles: `operators/NAME/VERSION` in a repository.
const MAX_DEPTH: usize = 3;

/// Number of folders searched before the first bundle must appear. A catalog has none, and may be large.
const MAX_FOLDERS_WITHOUT_BUNDLE: usize = 400;

/// A folder with bundle directories.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BundleFolder {
    /// Parent of the directories; for a single bundle, the parent of its directory.
    pub root: PathBuf,
    /// Bundle directories relative to `root`, sorted by name.
    pub directories: Vec<PathBuf>,
}

impl BundleFolder {
    /// Iterates over the paths of the bundle directories on disk.
    pub fn paths(&self) -> impl Iterator<Item = PathBuf> {
        self.directories.iter().map(|directory| self.root.join(directory))
    }

    /// Returns the directory of a bundle if its CSV has the bundle's name. Directories named after the version are tried
    /// first. In a folder with more than 500 directories no others are tried.
    pub fn find_bundle(&self, name: &str, version: &str) -> Option<PathBuf> {
        const MAX_READ: usize = 500;
        let (likely, others): (Vec<PathBuf>, Vec<PathBuf>) =
            self.paths().partition(|path| is_named_after(path, version));
        let others = others.into_iter().filter(|_| self.directories.len() <= MAX_READ);
        likely.into_iter().chain(others).find(|path| csv_name(path).as_deref() == Some(name))
    }
}

/// Finds the bundle directories at or below a path. `None` if there are none, or if the path is a catalog.
pub fn find_bundle_folder(path: &Path) -> Option<BundleFolder> {
    if is_bundle_directory(path) {
        if path.file_name().is_none() {
            // Paths of files stay relative: `..` for `.`.
            let root = if path == Path::new(".") { PathBuf::from("..") } else { path.join("..") };
            let name = path.canonicalize().ok()?.file_name()?.into();
            return Some(BundleFolder { root, directories: vec![name] });
        }
        let name = path.file_name()?.into();
        let root = path.parent().map(Path::to_owned).unwrap_or_default();
        return Some(BundleFolder { root, directories: vec![name] });
    }
    let mut search = BundleSearch { root: path, directories: Vec::new(), searched_folders: 0 };
    search.search_folder(Path::new(""), 0)?;
    search.directories.sort();
    (!search.directories.is_empty())
        .then(|| BundleFolder { root: path.to_owned(), directories: search.directories })
}

/// Returns a bundle directory and those next to it, which usually have other versions of the same operator. `None` if
/// the path is not a bundle directory.
pub fn find_version_directories(path: &Path) -> Option<BundleFolder> {
    if !is_bundle_directory(path) {
        return None;
    }
    let BundleFolder { root, .. } = find_bundle_folder(path)?;
    let is_bundle = |name: &PathBuf| is_bundle_directory(&root.join(name));
    let names =
        fs::read_dir(&root).into_iter().flatten().flatten().map(|entry| PathBuf::from(entry.file_name()));
    let mut directories: Vec<PathBuf> = names.filter(is_bundle).collect();
    directories.sort();
    Some(BundleFolder { root, directories })
}

/// Like [`find_bundle_folder`], for a folder that is not on disk. Returns the bundle directories among its files, sorted by
/// name. Empty if there are none, or if the folder is a catalog.
pub fn directories_in(files: &[PathBuf]) -> Vec<PathBuf> {
    let folder_with = |name: &str| -> BTreeSet<PathBuf> {
        let above = files.iter().flat_map(|file| file.ancestors().skip(1));
        let named = above.filter(|folder| folder.file_name().is_some_and(|own| own == name));
        named.filter_map(|folder| folder.parent().map(Path::to_owned)).collect()
    };
    let (manifests, metadata) = (folder_with("manifests"), folder_with("metadata"));
    let is_deep = |folder: &Path| folder.components().count() > MAX_DEPTH;
    let mut found: Vec<PathBuf> = Vec::new();
    // Folders are sorted, and a folder inside a bundle is not a bundle.
    for folder in manifests.intersection(&metadata).filter(|folder| !is_deep(folder)) {
        if !found.iter().any(|known| folder.starts_with(known)) {
            found.push(folder.clone());
        }
    }
    let is_in_bundle = |file: &Path| found.iter().any(|folder| file.starts_with(folder));
    let is_catalog_file = |file: &PathBuf| {
        let name = file.file_name().is_some_and(|own| CATALOG_FILES.iter().any(|name| own == *name));
        name && !is_in_bundle(file)
    };
    if files.iter().any(is_catalog_file) { Vec::new() } else { found }
}

struct BundleSearch<'p> {
    root: &'p Path,
    directories: Vec<PathBuf>,
    searched_folders: usize,
}

impl BundleSearch<'_> {
    /// Searches a folder; `None` if the root is a catalog.
    fn search_folder(&mut self, inside: &Path, depth: usize) -> Option<()> {
        let on_disk = self.root.join(inside);
        if CATALOG_FILES.iter().any(|name| on_disk.join(name).exists()) {
            return None;
        }
        self.searched_folders += 1;
        if self.directories.is_empty() && self.searched_folders > MAX_FOLDERS_WITHOUT_BUNDLE {
            return None;
        }
        let mut names: Vec<_> = fs::read_dir(&on_disk)
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .map(|entry| entry.file_name())
            .filter(|name| !name.to_string_lossy().starts_with('.'))
            .collect();
        names.sort_unstable();
        for name in names {
            let path = inside.join(name);
            if is_bundle_directory(&self.root.join(&path)) {
                self.directories.push(path);
            } else if depth + 1 < MAX_DEPTH {
                self.search_folder(&path, depth + 1)?;
            }
        }
        Some(())
    }
}
