//! A catalog as a value: files, packages, problems. Cloning is cheap and an edit gives a new one, so that undo is
//! keeping the old one.

mod change;
mod gather;
mod growing;
mod heading;
mod typed;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    blob::BundleBlob,
    blob::OtherBlob,
    file::{DocId, FileId, Place, SourceFile},
    home::{BundleDirectory, BundleHome, BundleHomes, ImageBundle},
    names::{BundleName, PackageName},
    node::Node,
    openshift::OpenShift,
    package::Package,
    paths::indexignore::IgnoreSet,
    problem::{Problem, ProblemKind, ProblemPlace, Problems},
    span::Span,
    template::{Known, MadeFrom, Template},
    text::{
        read_error::ReadError,
        split::{self, Format},
    },
};

pub use change::{ChangedFile, DocChange};
pub(super) use growing::Growing;
pub use growing::Unread;

/// Where a catalog came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A directory tree, by its root.
    Directory(PathBuf),
    /// A single file.
    File(PathBuf),
    /// Bundle directories, by the path that was opened: what opm would render of each, with the channels they propose.
    Bundles(PathBuf),
    /// A path in an older format, of which this is what opm makes: an SQLite index, package manifests.
    Converted(PathBuf),
    /// Standard input.
    Stdin,
    /// The demo catalog that is built into the program.
    Demo,
    /// The history of a git repository.
    Revision(AtRevision),
    /// A container image.
    Image(AtImage),
}

/// A container image as it was when it was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtImage {
    /// Reference as typed, without secrets.
    pub label: String,
    /// What it was then, for an image that has a digest.
    pub digest: Option<String>,
    /// What is in it.
    pub holds: Holds,
    /// What whoever opens it should know.
    pub notes: Vec<ImageNote>,
}

/// What is in an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// A file-based catalog.
    Catalog,
    /// A bundle.
    Bundle,
    /// An SQLite index.
    Index,
}

/// What whoever opens an image should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageNote {
    /// It comes from the cache, and may be something else by now where it lives.
    FromCache {
        /// Why it was not asked for.
        why: String,
        /// How many seconds ago it was asked for.
        age: u64,
    },
    /// Its tag stood for another image the last time.
    Moved {
        /// The image of the last time, by its digest.
        before: String,
        /// What it is now, as it can be typed.
        now: String,
    },
}

impl ImageNote {
    /// In words.
    pub fn words(&self) -> String {
        match self {
            Self::FromCache { why, age } => {
                format!("{why}: this is the catalog in the cache, as it was {}", ago(*age))
            }
            Self::Moved { before, .. } => format!("the tag has moved since last time: it was {before}"),
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::FromCache { .. } => None,
            Self::Moved { before, now } => Some(format!("compare: olmap diff {before} {now}")),
        }
    }
}

/// How long something is ago, roughly.
fn ago(seconds: u64) -> String {
    let of = |count: u64, unit: &str| format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" });
    match seconds {
        0..60 => "less than a minute ago".to_owned(),
        60..3600 => of(seconds / 60, "minute"),
        3600..86400 => of(seconds / 3600, "hour"),
        _ => of(seconds / 86400, "day"),
    }
}

/// A directory tree or a file as it was in a commit of a git repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtRevision {
    /// How people name it: `git:REV[:PATH]`.
    pub label: String,
    /// Where it was, from the repository's root on.
    pub path: PathBuf,
    /// Whether it was a single file.
    pub is_file: bool,
}

impl Origin {
    /// Whether it is what opm makes of an older format, which must be valid as a whole for that.
    pub fn is_of_index(&self) -> bool {
        matches!(self, Self::Converted(_) | Self::Image(AtImage { holds: Holds::Index, .. }))
    }

    /// Whether what was read stands in no file of its own: it comes from an image, or is made of an older format.
    pub fn has_no_files(&self) -> bool {
        matches!(self, Self::Image(_) | Self::Converted(_))
    }

    /// Returns the OpenShift version that the path, the reference or the revision names.
    pub fn openshift(&self) -> Option<OpenShift> {
        match self {
            Self::Directory(path) | Self::File(path) | Self::Converted(path) => OpenShift::of_catalog(path),
            Self::Revision(at) => OpenShift::of_catalog(&at.path),
            Self::Image(at) => OpenShift::in_text(&at.label),
            Self::Stdin | Self::Demo | Self::Bundles(_) => None,
        }
    }

    /// How people call it.
    pub fn label(&self) -> String {
        match self {
            Self::Directory(path) | Self::File(path) | Self::Bundles(path) | Self::Converted(path) => {
                path.display().to_string()
            }
            Self::Stdin => "standard input".to_owned(),
            Self::Demo => "demo catalog".to_owned(),
            Self::Revision(at) => at.label.clone(),
            Self::Image(at) => at.label.clone(),
        }
    }
}

/// A file-based catalog.
#[derive(Clone, Debug)]
pub struct Catalog {
    /// Where it came from.
    pub origin: Origin,
    /// Counts the edits (and undos) since loading; what is derived from a catalog is cached by it.
    pub revision: u64,
    files: Vec<Arc<SourceFile>>,
    packages: BTreeMap<PackageName, Arc<Package>>,
    /// Blobs that name no package.
    others: Vec<OtherBlob>,
    /// Problems outside any package.
    problems: Problems,
    template: Option<Arc<Template>>,
    /// What is known of bundles of which a template has the images.
    known: Arc<Known>,
    /// What its `.indexignore` files leave out.
    ignored: Arc<IgnoreSet>,
    made_from: Arc<BTreeMap<PackageName, MadeFrom>>,
    /// OpenShift versions that it is for.
    openshift: Arc<[OpenShift]>,
    homes: Arc<BundleHomes>,
    /// While it is being read: what is missing.
    unread: Option<Arc<Unread>>,
}

impl Catalog {
    /// What is missing of a catalog that is being read, or whose reading was stopped; `None` for a whole one.
    pub fn unread(&self) -> Option<&Unread> {
        self.unread.as_deref()
    }

    /// The template whose objects these are, where the catalog is no catalog but that.
    pub fn template(&self) -> Option<&Template> {
        self.template.as_deref()
    }

    /// The template that a package is made from, where the repository around the catalog says so.
    pub fn made_from(&self, package: &PackageName) -> Option<&MadeFrom> {
        self.made_from.get(package)
    }

    pub(super) fn set_made_from(&mut self, made_from: BTreeMap<PackageName, MadeFrom>) {
        self.made_from = Arc::new(made_from);
    }

    /// Returns the OpenShift versions that it is for, the lowest first. Empty if neither its path, nor its image, nor its repository
    /// says one.
    pub fn openshift(&self) -> &[OpenShift] {
        &self.openshift
    }

    /// Returns the same catalog for other OpenShift versions; if there are none, for those that it had.
    #[must_use]
    pub fn with_openshift(self, versions: Vec<OpenShift>) -> Self {
        if versions.is_empty() { self } else { Self { openshift: versions.into(), ..self } }
    }

    /// Where a bundle was made from, where that is known.
    pub fn bundle_home(&self, package: &PackageName, bundle: &BundleName) -> Option<BundleHome> {
        self.homes.of(package, bundle)
    }

    /// Whether manifests of a package may be there: in directories, or carried by the catalog.
    pub fn has_manifests_of(&self, package: &Package) -> bool {
        let is_there = |bundle: &BundleBlob| {
            bundle.has_objects || self.bundle_home(&package.name, &bundle.name.value).is_some()
        };
        package.bundles.iter().any(|bundle| is_there(bundle))
    }

    /// The bundle directories that it was made from, if it is no file-based catalog.
    pub fn bundle_directories(&self) -> &[BundleDirectory] {
        self.homes.directories()
    }

    /// The bundle of an image that it was made from.
    pub fn image_bundle(&self) -> Option<&ImageBundle> {
        self.homes.image()
    }

    pub(super) fn set_bundle_homes(&mut self, homes: BundleHomes) {
        self.homes = Arc::new(homes);
    }

    /// Whether its channels are what bundles propose, and published nowhere.
    pub fn is_proposed(&self) -> bool {
        matches!(self.origin, Origin::Bundles(_) | Origin::Image(AtImage { holds: Holds::Bundle, .. }))
    }

    /// The same catalog, if it is a template, with what other catalogs know of its bundles. What published ones know stays known.
    #[must_use]
    pub fn with_known(&self, known: Arc<Known>) -> Self {
        match &self.template {
            Some(_) if self.known.has_published() && !known.has_published() => {
                self.read_again(self.files.clone(), Arc::new(known.with_published_of(&self.known)))
            }
            Some(_) => self.read_again(self.files.clone(), known),
            None => self.clone(),
        }
    }

    /// The images of which other catalogs know the bundles, if it is a template.
    pub fn known_images(&self) -> impl Iterator<Item = &str> {
        self.known.images()
    }

    /// The names of the bundles that other catalogs know, if it is a template.
    pub fn known_names(&self) -> impl Iterator<Item = &str> {
        self.known.names()
    }

    /// The version of the bundle with an image, if it is a template and another catalog knows it.
    pub fn known_version(&self, image: &str) -> Option<&crate::version::Version> {
        Some(&self.known.by_image(image)?.version.as_ref()?.version)
    }

    /// The image of a bundle, if it is a template and another catalog knows it.
    pub fn known_image_of(&self, bundle: &str) -> Option<&str> {
        self.known.image_of(bundle)
    }

    /// The bundle with an image, if it is a template and another catalog knows it.
    pub fn known_name(&self, image: &str) -> Option<&BundleName> {
        Some(&self.known.by_image(image)?.name)
    }

    /// Whether another catalog knows the bundle with an image, if it is a template.
    pub fn knows_image(&self, image: &str) -> bool {
        self.known.by_image(image).is_some()
    }

    /// The same catalog, if it is a template, with what one more catalog knows of its bundles.
    #[must_use]
    pub fn with_more_known(&self, other: &Self) -> Self {
        self.with_known(Arc::new(self.known.and(other)))
    }

    /// A template is one document, whatever of it changes.
    fn read_again(&self, files: Vec<Arc<SourceFile>>, known: Arc<Known>) -> Self {
        let about_files = self.problems.about_files().cloned().collect();
        let Self { packages, others, problems, template, files, known, .. } =
            Self::read(self.origin.clone(), files, about_files, known);
        Self { files, packages, others, problems, template, known, ..self.clone() }
    }

    /// The same, with what its `.indexignore` files leave out.
    pub(super) fn ignoring(self, ignored: IgnoreSet) -> Self {
        Self { ignored: Arc::new(ignored), ..self }
    }

    /// Whether it leaves out files by the same rules.
    pub(super) fn ignores_as(&self, ignored: &IgnoreSet) -> bool {
        *self.ignored == *ignored
    }

    /// Whether opm would leave out a file of this path, relative to the catalog's directory.
    pub fn ignores(&self, path: &Path) -> bool {
        let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
        self.ignored.ignores(&parts.iter().map(AsRef::as_ref).collect::<Vec<&str>>())
    }

    /// The files in the order they were read.
    pub fn files(&self) -> &[Arc<SourceFile>] {
        &self.files
    }

    /// One file.
    pub fn file(&self, file: FileId) -> Option<&Arc<SourceFile>> {
        self.files.get(file.0 as usize)
    }

    /// The packages by name. Blobs that forgot to name their package are under the empty name.
    pub fn packages(&self) -> impl ExactSizeIterator<Item = &Arc<Package>> {
        self.packages.values()
    }

    /// The packages, to be shared out among threads.
    pub fn packages_by_name(&self) -> &BTreeMap<PackageName, Arc<Package>> {
        &self.packages
    }

    /// One package.
    pub fn package(&self, name: &str) -> Option<&Arc<Package>> {
        self.packages.get(name)
    }

    /// Blobs of other schemas that name no package.
    pub fn others(&self) -> &[OtherBlob] {
        &self.others
    }

    /// Problems that belong to no package.
    pub fn problems(&self) -> &Problems {
        &self.problems
    }

    /// Whether any document was left out because it could not be read, or any read in part only.
    pub fn has_problems(&self) -> bool {
        self.all_problems().any(|problems| problems.count(ProblemKind::is_error) > 0)
    }

    /// The problems outside packages, then those of each package.
    pub fn all_problems(&self) -> impl Iterator<Item = &Problems> {
        std::iter::once(&self.problems).chain(self.packages().map(|package| &package.problems))
    }

    /// The text of a document's chunk, separator and comments included.
    pub fn text(&self, doc: DocId) -> Option<&[u8]> {
        Some(self.file(doc.file)?.segment(doc.serial)?.text.bytes())
    }

    /// Whether the text of a document may be shown in a finding about it: it stands in the catalog itself.
    pub fn may_quote(&self, doc: DocId) -> bool {
        self.file(doc.file).is_some_and(|file| !file.foreign)
    }

    /// The format of a document.
    pub fn format(&self, doc: DocId) -> Option<Format> {
        self.file(doc.file)?.segment(doc.serial)?.format()
    }

    /// The whole tree of a document, read again from its text.
    pub fn tree(&self, doc: DocId) -> Option<Result<Node<'_>, ReadError>> {
        Some(split::parse(self.format(doc)?, self.text(doc)?))
    }

    /// Every document in the order in which opm reads them.
    pub fn documents(&self) -> impl Iterator<Item = DocId> + '_ {
        (0..).zip(&self.files).flat_map(|(file, source)| {
            let documents = source.segments().iter().filter(|s| s.format().is_some());
            documents.map(move |s| DocId { file: FileId(file), serial: s.serial })
        })
    }

    /// Line and column of a part of a document.
    pub fn place(&self, doc: DocId, span: Span) -> Option<Place> {
        let file = self.file(doc.file)?;
        let place = file.place(doc.serial, span.range());
        Some(match self.directory_of_made(file) {
            Some(path) => Place { bytes: place.bytes, ..Place::whole(path) },
            None => place,
        })
    }

    /// Returns the directory of the bundle that olmap made a file of; `None` for a file that exists. In an image it is the root.
    fn directory_of_made(&self, file: &SourceFile) -> Option<PathBuf> {
        if !self.is_proposed() || file.disk.is_some() {
            return None;
        }
        let own = self.bundle_directories().iter().find(|directory| directory.path.ends_with(file.shown()));
        Some(match (own, &self.origin) {
            (Some(directory), _) => directory.path.clone(),
            (None, Origin::Bundles(root)) => root.clone(),
            (None, _) => PathBuf::from("."),
        })
    }

    /// Line and column of a problem.
    pub fn problem_place(&self, problem: &Problem) -> Option<Place> {
        match &problem.at {
            ProblemPlace::Document(doc, span) => self.place(*doc, *span),
            ProblemPlace::File(path) => Some(Place::whole(path.clone())),
        }
    }
}
