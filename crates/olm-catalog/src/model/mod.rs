//! A catalog as a value: files, packages, problems. Cloning is cheap and an edit creates a new catalog, so undo
//! keeps the old one.

mod change;
mod decoded_files;
mod document_collection;
mod incremental;
mod package_selection;
mod recut;

use std::{
    collections::{BTreeMap, HashSet},
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    blob::{BundleBlob, OtherBlob},
    bundle_sources::{BundleDirectory, BundleSource, BundleSources, ImageBundle},
    file::{DocId, FileId, Location, Segment, SourceFile},
    names::{BundleName, PackageName},
    node::Node,
    openshift::OpenShift,
    package::Package,
    paths::indexignore::IgnoreSet,
    problem::{ProblemKind, Problems},
    span::Span,
    template::{KnownBundles, Template, TemplateSource},
    text::{
        Text,
        split::{self, Chunk, Format},
        yaml::ReadError,
    },
};
use document_collection::ModifiedPackages;
use recut::{Recut, cut_near_change};

pub use change::{ChangedFile, ChangedPackage, DocChange};
pub(super) use decoded_files::{DecodedFile, decode_likely_json};
pub(super) use incremental::IncrementalCatalog;
pub use incremental::MissingPart;
pub(super) use package_selection::PackageSelection;
pub use recut::EditedText;

/// Origin of a catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A directory tree, by its root.
    Directory(PathBuf),
    /// A single file.
    File(PathBuf),
    /// Bundle directories, by the opened path: the rendered bundles with the channels they propose.
    Bundles(PathBuf),
    /// A path in an older format that opm can convert: an SQLite index or package manifests.
    Converted(PathBuf),
    /// Standard input.
    Stdin,
    /// The demo catalog embedded in the program.
    Demo,
    /// A revision of a git repository.
    Revision(RevisionOrigin),
    /// A container image.
    Image(ImageOrigin),
}

/// A container image at the time of opening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageOrigin {
    /// Reference as typed, without secrets.
    pub label: String,
    /// Digest, if the image has one.
    pub digest: Option<String>,
    /// Content of the image.
    pub content: ImageContent,
    /// Notes for the user.
    pub notes: Vec<ImageNote>,
}

/// Content of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageContent {
    /// A file-based catalog.
    Catalog,
    /// A bundle.
    Bundle,
    /// An SQLite index.
    Index,
}

/// Note for the user who opens an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageNote {
    /// The image comes from the cache and may be outdated.
    FromCache {
        /// Reason why the registry was not queried.
        why: String,
        /// Age of the cached image in seconds.
        age: u64,
    },
    /// The tag has moved since the last time.
    Moved {
        /// Digest of the last image.
        before: String,
        /// Reference to the current image.
        now: String,
    },
}

impl ImageNote {
    /// Returns the message of the note.
    pub fn message(&self) -> String {
        match self {
            Self::FromCache { why, age } => {
                format!("{why}: this is the catalog in the cache, as it was {}", format_age(*age))
            }
            Self::Moved { before, .. } => format!("the tag has moved since last time: it was {before}"),
        }
    }

    /// Returns a hint for the user, if any.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::FromCache { .. } => None,
            Self::Moved { before, now } => Some(format!("compare: olmap diff {before} {now}")),
        }
    }
}

/// Formats an age approximately.
fn format_age(seconds: u64) -> String {
    let of = |count: u64, unit: &str| format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" });
    match seconds {
        0..60 => "less than a minute ago".to_owned(),
        60..3600 => of(seconds / 60, "minute"),
        3600..86400 => of(seconds / 3600, "hour"),
        _ => of(seconds / 86400, "day"),
    }
}

/// A directory tree or a file in a commit of a git repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevisionOrigin {
    /// Display name: `git:REV[:PATH]`.
    pub label: String,
    /// Path relative to the root of the repository.
    pub path: PathBuf,
    /// True for a single file.
    pub is_file: bool,
    /// Full name of the commit; `None` if the state is not that of a commit.
    pub commit: Option<String>,
}

/// Returns the first characters of the name of a commit, as many as git needs in most repositories.
pub fn abbreviate_commit(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}

impl Origin {
    /// Returns true if opm converts it from an older format, which requires that it is valid as a whole.
    pub fn is_converted_index(&self) -> bool {
        matches!(self, Self::Converted(_) | Self::Image(ImageOrigin { content: ImageContent::Index, .. }))
    }

    /// Returns true if the catalog does not have files: it comes from an image or an older format.
    pub fn has_no_files(&self) -> bool {
        matches!(self, Self::Image(_) | Self::Converted(_))
    }

    /// Returns the OpenShift version in the path, the reference or the revision.
    pub fn openshift(&self) -> Option<OpenShift> {
        match self {
            Self::Directory(path) | Self::File(path) | Self::Converted(path) => {
                OpenShift::from_catalog_path(path)
            }
            Self::Revision(at) => OpenShift::from_catalog_path(&at.path),
            Self::Image(at) => OpenShift::find_in_text(&at.label),
            Self::Stdin | Self::Demo | Self::Bundles(_) => None,
        }
    }

    /// Returns the display name.
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
    /// Origin of the catalog.
    pub origin: Origin,
    /// Number of edits (and undos) since loading; cache key for derived data.
    pub revision: u64,
    files: Vec<Arc<SourceFile>>,
    packages: BTreeMap<PackageName, Arc<Package>>,
    /// Blobs that do not name a package.
    others: Vec<OtherBlob>,
    /// Problems outside of packages.
    problems: Problems,
    template: Option<Arc<Template>>,
    /// Bundles whose images occur in a template, as far as they are known.
    known_bundles: Arc<KnownBundles>,
    /// Patterns of its `.indexignore` files.
    ignore_patterns: Arc<IgnoreSet>,
    template_sources: Arc<BTreeMap<PackageName, TemplateSource>>,
    /// OpenShift versions of the catalog.
    openshift: Arc<[OpenShift]>,
    bundle_sources: Arc<BundleSources>,
    /// Missing part, while the catalog is being read.
    missing_part: Option<Arc<MissingPart>>,
}

impl Catalog {
    /// Returns the missing part of a catalog whose reading has not ended or was cancelled; `None` for a
    /// complete catalog.
    pub fn missing_part(&self) -> Option<&MissingPart> {
        self.missing_part.as_deref()
    }

    /// Returns the template that generates these objects, if the file is a template and not a catalog.
    pub fn template(&self) -> Option<&Template> {
        self.template.as_deref()
    }

    /// Returns the template of a package, if the repository around the catalog names it.
    pub fn template_source(&self, package: &PackageName) -> Option<&TemplateSource> {
        self.template_sources.get(package)
    }

    pub(super) fn set_template_sources(&mut self, made_from: BTreeMap<PackageName, TemplateSource>) {
        self.template_sources = Arc::new(made_from);
    }

    /// Returns the OpenShift versions of the catalog, the lowest first. Empty if neither its path, image nor
    /// repository names one.
    pub fn openshift(&self) -> &[OpenShift] {
        &self.openshift
    }

    /// Returns the catalog with other OpenShift versions; unchanged if `versions` is empty.
    #[must_use]
    pub fn with_openshift(self, versions: Vec<OpenShift>) -> Self {
        if versions.is_empty() { self } else { Self { openshift: versions.into(), ..self } }
    }

    /// Returns the source of a bundle, if known.
    pub fn bundle_source(&self, package: &PackageName, bundle: &BundleName) -> Option<BundleSource> {
        self.bundle_sources.get(package, bundle)
    }

    /// Returns true if manifests of a package may be available: in directories, or in the catalog.
    pub fn has_manifests_of(&self, package: &Package) -> bool {
        let is_there = |bundle: &BundleBlob| {
            bundle.has_objects || self.bundle_source(&package.name, &bundle.name.value).is_some()
        };
        package.bundles.iter().any(|bundle| is_there(bundle))
    }

    /// Returns the source directories of bundles. Empty for a file-based catalog.
    pub fn bundle_directories(&self) -> &[BundleDirectory] {
        self.bundle_sources.directories()
    }

    /// Returns the bundle of the source image, if the catalog is rendered from a bundle image.
    pub fn image_bundle(&self) -> Option<&ImageBundle> {
        self.bundle_sources.image_bundle()
    }

    pub(super) fn set_bundle_sources(&mut self, sources: BundleSources) {
        self.bundle_sources = Arc::new(sources);
    }

    /// Returns true if the catalog is rendered from bundles. Its channels are only proposed by the
    /// bundles, not published in a catalog.
    pub fn is_rendered_from_bundles(&self) -> bool {
        matches!(
            self.origin,
            Origin::Bundles(_) | Origin::Image(ImageOrigin { content: ImageContent::Bundle, .. })
        )
    }

    /// Returns the catalog with the bundles that other catalogs know, if it is a template. Bundles of published
    /// catalogs remain known if `known` does not have published ones.
    #[must_use]
    pub fn with_known_bundles(&self, known: Arc<KnownBundles>) -> Self {
        match &self.template {
            Some(_) if self.known_bundles.has_published() && !known.has_published() => {
                self.read_again(self.files.clone(), Arc::new(known.with_published_of(&self.known_bundles)))
            }
            Some(_) => self.read_again(self.files.clone(), known),
            None => self.clone(),
        }
    }

    /// Returns the images of bundles that other catalogs know, if it is a template.
    pub fn known_images(&self) -> impl Iterator<Item = &str> {
        self.known_bundles.bundle_images()
    }

    /// Returns the names of bundles that other catalogs know, if it is a template.
    pub fn known_bundle_names(&self) -> impl Iterator<Item = &str> {
        self.known_bundles.bundle_names()
    }

    /// Returns the version of the bundle with an image, if it is a template and another catalog knows it.
    pub fn known_version(&self, image: &str) -> Option<&olm_version::Version> {
        Some(&self.known_bundles.by_image(image)?.version.as_ref()?.version)
    }

    /// Returns the image of a bundle, if it is a template and another catalog knows it.
    pub fn known_image(&self, bundle: &str) -> Option<&str> {
        self.known_bundles.image_of(bundle)
    }

    /// Returns the name of the bundle with an image, if it is a template and another catalog knows it.
    pub fn known_bundle_name(&self, image: &str) -> Option<&BundleName> {
        Some(&self.known_bundles.by_image(image)?.name)
    }

    /// Returns true if it is a template and another catalog knows the bundle with an image.
    pub fn is_known_image(&self, image: &str) -> bool {
        self.known_bundles.by_image(image).is_some()
    }

    /// Returns the catalog with the bundles that one more catalog knows, if it is a template.
    #[must_use]
    pub fn with_known_bundles_of(&self, other: &Self) -> Self {
        self.with_known_bundles(Arc::new(self.known_bundles.with_catalog(other)))
    }

    /// Reads all documents again, with other known bundles. A template is a single document, so it
    /// cannot be read in parts.
    fn read_again(&self, files: Vec<Arc<SourceFile>>, known: Arc<KnownBundles>) -> Self {
        let about_files = self.problems.file_problems().cloned().collect();
        let Self { packages, others, problems, template, files, known_bundles: known, .. } =
            Self::from_files(self.origin.clone(), files, about_files, known);
        Self { files, packages, others, problems, template, known_bundles: known, ..self.clone() }
    }

    /// Returns the catalog with the patterns of its `.indexignore` files.
    pub(super) fn with_ignore_patterns(self, ignored: IgnoreSet) -> Self {
        Self { ignore_patterns: Arc::new(ignored), ..self }
    }

    /// Returns true if its ignore patterns are the same.
    pub(super) fn has_ignore_patterns(&self, ignored: &IgnoreSet) -> bool {
        *self.ignore_patterns == *ignored
    }

    /// Returns true if opm would ignore a file with this path, relative to the catalog's directory.
    pub fn ignores(&self, path: &Path) -> bool {
        let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
        self.ignore_patterns.ignores(&parts.iter().map(AsRef::as_ref).collect::<Vec<&str>>())
    }

    /// Returns the files in the order in which they were read.
    pub fn files(&self) -> &[Arc<SourceFile>] {
        &self.files
    }

    /// Returns a file by ID.
    pub fn file(&self, file: FileId) -> Option<&Arc<SourceFile>> {
        self.files.get(file.0 as usize)
    }

    /// Returns the packages by name. Typed blobs without a package name are under the empty name.
    pub fn packages(&self) -> impl ExactSizeIterator<Item = &Arc<Package>> {
        self.packages.values()
    }

    /// Returns the map of packages, for distribution among threads.
    pub fn packages_by_name(&self) -> &BTreeMap<PackageName, Arc<Package>> {
        &self.packages
    }

    /// Returns a package by name.
    pub fn package(&self, name: &str) -> Option<&Arc<Package>> {
        self.packages.get(name)
    }

    /// Returns blobs of other schemas that do not name a package.
    pub fn others(&self) -> &[OtherBlob] {
        &self.others
    }

    /// Returns problems outside of packages.
    pub fn problems(&self) -> &Problems {
        &self.problems
    }

    /// Returns true if any document could not be read completely.
    pub fn has_unread_parts(&self) -> bool {
        self.all_problems().any(|problems| problems.count_kinds(ProblemKind::is_error) > 0)
    }

    /// Returns the problems outside of packages, then those of each package.
    pub fn all_problems(&self) -> impl Iterator<Item = &Problems> {
        std::iter::once(&self.problems).chain(self.packages().map(|package| &package.problems))
    }

    /// Returns the text of a document's chunk, including separator and comments.
    pub fn document_text(&self, doc: DocId) -> Option<&[u8]> {
        Some(self.file(doc.file)?.segment(doc.serial)?.text.as_bytes())
    }

    /// Returns a file whose text was needed, but which had changed on disk by then.
    pub fn lost_file(&self) -> Option<&SourceFile> {
        self.files.iter().map(Arc::as_ref).find(|file| file.is_lost())
    }

    /// Returns true if the text of a document may be quoted in a finding: its file is in the catalog itself.
    pub fn may_quote(&self, doc: DocId) -> bool {
        self.file(doc.file).is_some_and(|file| !file.foreign)
    }

    /// Returns the format of a document.
    pub fn format(&self, doc: DocId) -> Option<Format> {
        self.file(doc.file)?.segment(doc.serial)?.format()
    }

    /// Parses a document again and returns its whole tree.
    pub fn parse_document(&self, doc: DocId) -> Option<Result<Node<'_>, ReadError>> {
        Some(split::parse_chunk(self.format(doc)?, self.document_text(doc)?))
    }

    /// Returns all documents in opm's order.
    pub fn documents(&self) -> impl Iterator<Item = DocId> + '_ {
        (0..).zip(&self.files).flat_map(|(file, source)| {
            let documents = source.segments().iter().filter(|s| s.format().is_some());
            documents.map(move |s| DocId { file: FileId(file), serial: s.serial })
        })
    }

    /// Returns the location of a span of a document.
    pub fn location(&self, doc: DocId, span: Span) -> Option<Location> {
        let file = self.file(doc.file)?;
        let place = file.location(doc.serial, span.range());
        Some(match self.generated_file_directory(file) {
            Some(path) => Location { bytes: place.bytes, ..Location::whole_file(path) },
            None => place,
        })
    }

    /// Returns the bundle directory from which olmap created a file; the root in an image. `None` if the file
    /// exists on disk.
    fn generated_file_directory(&self, file: &SourceFile) -> Option<PathBuf> {
        if !self.is_rendered_from_bundles() || file.disk.is_some() {
            return None;
        }
        let own =
            self.bundle_directories().iter().find(|directory| directory.path.ends_with(file.display_path()));
        Some(match (own, &self.origin) {
            (Some(directory), _) => directory.path.clone(),
            (None, Origin::Bundles(root)) => root.clone(),
            (None, _) => PathBuf::from("."),
        })
    }
}

impl Catalog {
    /// Returns the catalog with another text for one of its files, and the changed documents. Only those are
    /// read again. A document keeps its [`DocId`] if its text is unchanged or if it replaces another. A
    /// template is read again as a whole.
    #[must_use]
    pub fn with_text(&self, file: FileId, bytes: &[u8]) -> (Self, Vec<DocId>) {
        let Some(source) = self.file(file) else { return (self.clone(), Vec::new()) };
        self.with_chunks(file, 0..source.segments().len(), &split::split_chunks(bytes), bytes)
    }

    /// Returns the same as [`Self::with_text`], but splits only the documents near the change.
    ///
    /// # Preconditions
    ///
    /// The ends of the text that [`EditedText::unchanged_ends`] names are equal in the current text of the file.
    #[must_use]
    pub fn with_edited_text(&self, file: FileId, text: &dyn EditedText) -> (Self, Vec<DocId>) {
        let near = self.file(file).and_then(|source| cut_near_change(source.segments(), text));
        match near {
            Some(Recut { replaced, chunks, bytes }) => self.with_chunks(file, replaced, &chunks, &bytes),
            None => self.with_text(file, &text.bytes_in(0..text.byte_len())),
        }
    }

    /// Returns the catalog with new chunks in place of some segments of a file, and the changed documents.
    fn with_chunks(
        &self,
        file: FileId,
        replaced: Range<usize>,
        chunks: &[Chunk],
        bytes: &[u8],
    ) -> (Self, Vec<DocId>) {
        let Some(source) = self.file(file) else { return (self.clone(), Vec::new()) };
        let all = source.segments();
        let old = all.get(replaced.clone()).unwrap_or_default();
        let text_of = |chunk: &Chunk| bytes.get(chunk.range.clone()).unwrap_or_default();
        let same = |(segment, chunk): &(&_, &Chunk)| is_same(segment, chunk, text_of(chunk));
        let above = old.iter().zip(chunks).take_while(same).count();
        let rest = old.len().min(chunks.len()) - above;
        let below = old.iter().rev().zip(chunks.iter().rev()).take(rest).take_while(same).count();
        let gone: Vec<u32> = old.iter().skip(above).rev().skip(below).rev().map(|s| s.serial).collect();
        // Copies, because a slice would keep the whole text alive.
        let new: Vec<(Text, _)> = chunks
            .iter()
            .skip(above)
            .rev()
            .skip(below)
            .rev()
            .map(|chunk| (Text::from(text_of(chunk).to_vec()), chunk.kind))
            .collect();
        if gone.is_empty() && new.is_empty() {
            return (self.clone(), Vec::new());
        }
        let mut next = self.clone();
        next.revision += 1;
        let mut touched = ModifiedPackages::default();
        next.remove_documents(
            &gone.iter().map(|serial| DocId { file, serial: *serial }).collect(),
            &mut touched,
        );
        let last_above = (replaced.start + above).checked_sub(1).and_then(|at| all.get(at)).map(|s| s.serial);
        let Some(source) = next.file_mut(file) else { return (self.clone(), Vec::new()) };
        let serials = source.replace_chunks(last_above, &gone, new);
        let changed: Vec<DocId> = serials.into_iter().map(|serial| DocId { file, serial }).collect();
        if self.template.is_some() || next.may_be_template() {
            return (next.read_again(next.files.clone(), Arc::clone(&next.known_bundles)), changed);
        }
        next.decode_and_collect(&changed, &mut touched);
        next.store_packages(touched);
        (next, changed)
    }

    /// Returns true if its only file may be a template, which is never read document by document.
    fn may_be_template(&self) -> bool {
        let (Origin::File(_) | Origin::Stdin, [file]) = (&self.origin, self.files.as_slice()) else {
            return false;
        };
        file.template_document().is_some()
    }

    /// Removes the objects of some documents.
    fn remove_documents(&mut self, gone: &HashSet<DocId>, touched: &mut ModifiedPackages) {
        let is_gone = |doc: DocId| gone.contains(&doc);
        for (name, package) in &self.packages {
            if package.documents().any(is_gone)
                || package.problems.in_documents().any(|(_, doc, _)| is_gone(doc))
            {
                self.package_mut(name, touched).remove_documents(is_gone);
            }
        }
        self.others.retain(|blob| !is_gone(blob.doc));
        self.problems.remove_documents(is_gone);
    }
}

/// Returns true if a chunk equals a segment.
fn is_same(segment: &Segment, chunk: &Chunk, text: &[u8]) -> bool {
    segment.kind == chunk.kind && segment.text.as_bytes() == text
}
