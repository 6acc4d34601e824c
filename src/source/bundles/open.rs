//! Opening bundle directories as a catalog.

use std::{
    collections::{BTreeMap, HashSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::{Path, PathBuf},
    sync::atomic::Ordering,
};

use rayon::prelude::*;

use super::find::BundleFolder;
use crate::{
    bundle::{
        Tree,
        propose::{self, Placement, UpdateGraph},
        registry::{Bundle, BundleFault, Contents},
        render::{ImageTemplate, Options, RenderedBundle, render},
    },
    catalog::{
        BundleDirectory, BundleHomes, Catalog, Origin,
        load::{GrowingTexts, LoadError, Progress, regular},
        problem::{Problem, ProblemKind, ProblemPlace},
        text::{canonical::RenderFormat, yaml},
    },
    source::{dockerfile_beside, read_bundle_directory},
};

/// Number of directories read before the first partial catalog is shown.
const FIRST_PORTION: usize = 32;
/// Number of directories read between two partial catalogs.
const PORTION: usize = 512;

/// Result of reading a bundle directory.
struct ReadBundle {
    /// Path relative to the root of the folder.
    shown: PathBuf,
    /// See [`BundleDirectory::content`].
    content: u64,
    /// The `olm.bundle` blob; empty if it cannot be rendered.
    text: String,
    placement: Option<Placement>,
    csv: Option<PathBuf>,
    fault: Option<String>,
}

/// A bundle with a package name.
struct Placed {
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
pub fn open(
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
    let (mut problems, mut homes) = (Vec::new(), BundleHomes::default());
    progress.files.fetch_add(folder.directories.len(), Ordering::Relaxed);
    let mut rest = folder.directories.as_slice();
    let mut many = FIRST_PORTION;
    while !rest.is_empty() {
        let portion;
        (portion, rest) = rest.split_at(portion_size(rest, many));
        many = PORTION;
        let read = portion.par_iter().map(|shown| {
            progress.check()?;
            let read = read_bundle(&folder.root, shown, image, progress);
            progress.read.fetch_add(1, Ordering::Relaxed);
            Ok(read)
        });
        let mut read = read.collect::<Result<Vec<ReadBundle>, LoadError>>()?;
        for one in &read {
            homes.add_any(BundleDirectory { path: folder.root.join(&one.shown), content: one.content });
            if let Some(fault) = &one.fault {
                problems.push(Problem {
                    at: ProblemPlace::File(one.shown.clone()),
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
        growing.add(texts.collect::<Vec<_>>());
        let placed: Vec<Placed> = read
            .into_iter()
            .filter_map(|one| Some(Placed { shown: one.shown, placement: one.placement? }))
            .filter(|one| !one.placement.package.is_empty())
            .collect();
        growing.add(propose_texts(&folder.root, &placed));
        let here: HashSet<String> = placed.iter().map(|one| one.placement.package.clone()).collect();
        for package in here {
            is_spread |= !packages.insert(package);
        }
        all.extend(placed);
        if !rest.is_empty() {
            show(growing.so_far());
        }
    }
    if is_spread {
        growing = with_proposals(growing, origin(), propose_texts(&folder.root, &all));
    }
    Ok(growing.finish(problems, homes))
}

/// Returns the catalog with new proposals. Channels of a package that was read in several portions must be
/// proposed from all its bundles.
fn with_proposals(growing: GrowingTexts, origin: Origin, proposed: Vec<(PathBuf, Vec<u8>)>) -> GrowingTexts {
    let mut whole = GrowingTexts::new(origin);
    let read = growing.finish(Vec::new(), BundleHomes::default());
    let bundles = read.files().iter().filter(|file| !is_proposed(file.shown()));
    whole.add(bundles.map(|file| (file.shown().to_owned(), file.bytes())));
    whole.add(proposed);
    whole
}

/// Returns the size of the next portion: at least `many`. Directories of an operator stay
/// together, because its channels are proposed from all of them.
fn portion_size(directories: &[PathBuf], many: usize) -> usize {
    let groups = directories.chunk_by(|a, b| a.parent() == b.parent());
    let mut count = 0;
    for group in groups {
        count += group.len();
        if count >= many {
            break;
        }
    }
    count
}

fn read_bundle(root: &Path, shown: &Path, image: Option<&ImageTemplate>, progress: &Progress) -> ReadBundle {
    let path = root.join(shown);
    let mut read = ReadBundle::for_directory(shown);
    let tree = match read_bundle_directory(&path) {
        Ok(tree) => tree,
        Err(error) => {
            read.fault = Some(error.to_string());
            return read;
        }
    };
    let bytes = tree.files.iter().map(|file| file.bytes().len()).sum();
    progress.bytes.fetch_add(bytes, Ordering::Relaxed);
    read.content = content_hash(&tree, &path);
    read.read_tree(&tree, image, &path);
    read
}

impl ReadBundle {
    /// Creates an empty result for a directory.
    fn for_directory(shown: &Path) -> Self {
        Self {
            shown: shown.to_owned(),
            content: 0,
            text: String::new(),
            placement: None,
            csv: None,
            fault: None,
        }
    }

    /// Reads the contents of the directory.
    fn read_tree(&mut self, tree: &Tree, image: Option<&ImageTemplate>, root: &Path) {
        let read = self;
        let mut look = |contents: &Contents| {
            read.placement = Placement::of(contents);
            read.csv = contents.csv().map(|csv| root.join(&csv.object.file.path));
        };
        let rendered = match Bundle::read(tree) {
            Ok(bundle) => {
                look(&bundle.contents);
                render_with_metadata(&bundle, image)
            }
            Err(fault) => {
                look(&Contents::read(tree));
                Err(fault)
            }
        };
        match rendered {
            Ok(rendered) if rendered.package.is_empty() => {
                read.fault = Some("its annotations name no package".to_owned());
            }
            Ok(rendered) => read.text = rendered.text(RenderFormat::Yaml),
            Err(fault) => {
                read.text = read.placement.as_ref().map(outline).unwrap_or_default();
                read.fault = Some(fault.to_string());
            }
        }
    }
}

/// Returns the catalog that a bundle in memory proposes.
#[cfg(feature = "images")]
pub fn of_tree(
    origin: Origin,
    tree: &Tree,
    labels: BTreeMap<String, String>,
    image: Option<&ImageTemplate>,
) -> Catalog {
    let shown = PathBuf::from("bundle");
    let mut read = ReadBundle::for_directory(&shown);
    read.read_tree(tree, image, &shown);
    let mut growing = GrowingTexts::new(origin);
    growing.add([(shown.clone(), std::mem::take(&mut read.text).into_bytes())]);
    if let Some(placement) = read.placement.filter(|placement| !placement.package.is_empty()) {
        let placements = [placement];
        let channels = propose::channels(&placements, UpdateGraph::default());
        let mut package = propose::package(&placements, &channels);
        if let Some(csv) = Contents::read(tree).csv() {
            package = package.described_by(csv.node());
        }
        let name = &placements[0].package;
        let texts = channels.iter().map(|channel| channel.text(name));
        let text: String = std::iter::once(package.text()).chain(texts).collect();
        growing.add([(PathBuf::from(plain_name(name) + PROPOSED), text.into_bytes())]);
    }
    let rejected =
        |fault| Problem { at: ProblemPlace::File(shown), kind: ProblemKind::RejectedBundle(fault) };
    let mut homes = BundleHomes::default();
    let files = tree.files.iter().map(|file| (file.path.clone(), file.content.clone())).collect();
    homes.set_image(crate::catalog::ImageBundle { files, folders: tree.folders.clone(), labels });
    growing.finish(read.fault.map(rejected).into_iter().collect(), homes)
}

/// Returns a hash of everything in a directory that is checked.
fn content_hash(tree: &Tree, path: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    (tree, dockerfile_beside(path)).hash(&mut hasher);
    hasher.finish()
}

/// Renders the `olm.bundle` blob with its metadata. A bundle that cannot be migrated keeps its objects.
fn render_with_metadata(
    bundle: &Bundle,
    image: Option<&ImageTemplate>,
) -> Result<RenderedBundle, BundleFault> {
    let mut rendered = render(bundle, &Options { image: image.cloned(), migrate: false })?;
    let _ = rendered.migrate(bundle);
    Ok(rendered)
}

/// Returns a minimal blob of a bundle that opm rejects.
fn outline(placement: &Placement) -> String {
    if placement.package.is_empty() || placement.name.is_empty() {
        return String::new();
    }
    RenderedBundle::outline(&placement.name, &placement.package, &placement.version).text(RenderFormat::Yaml)
}

/// Returns the packages and channels that bundles propose, as one text per package next to its bundles.
fn propose_texts(root: &Path, placed: &[Placed]) -> Vec<(PathBuf, Vec<u8>)> {
    let mut packages: BTreeMap<&str, Vec<&Placed>> = BTreeMap::new();
    for one in placed {
        packages.entry(&one.placement.package).or_default().push(one);
    }
    let text = |(name, bundles): (&str, Vec<&Placed>)| {
        let folder = bundles.first().and_then(|one| one.shown.parent()).unwrap_or(Path::new(""));
        let placements: Vec<Placement> = bundles.iter().map(|one| one.placement.clone()).collect();
        let channels = propose::channels(&placements, update_graph(&root.join(folder)));
        let mut package = propose::package(&placements, &channels);
        // The CSV is read again, because keeping all icons in memory is expensive.
        let newest = propose::newest(&placements).and_then(|at| bundles.get(at));
        if let Some(tree) = newest.and_then(|one| read_bundle_directory(&root.join(&one.shown)).ok())
            && let Some(csv) = Contents::read(&tree).csv()
        {
            package = package.described_by(csv.node());
        }
        let texts = channels.iter().map(|channel| channel.text(name));
        let text: String = std::iter::once(package.text()).chain(texts).collect();
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
        let text = regular::read(&operator.join("ci.yaml"), regular::MOST_BY_HAND).ok()?;
        let tree = yaml::parse(&text).ok()?;
        UpdateGraph::parse(tree.get("updateGraph")?.as_str()?)
    };
    read().unwrap_or_default()
}
