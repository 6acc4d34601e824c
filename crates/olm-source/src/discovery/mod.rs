//! Contents of a repository: its catalogs, templates and bundles, and the OpenShift version of each catalog.
//!
//! Decisions are pure and read a [`FileIndex`]; [`discover`] makes one from a folder on disk. A
//! Dockerfile that copies a path to `/configs` is the best evidence of a catalog. The content of
//! files is the next best. Names alone prove nothing.

mod catalogs;
mod content;
mod dockerfile;
mod index;
mod statements;
mod templates;
#[cfg(test)]
mod tests;
mod workspace;

use std::{
    collections::BTreeMap,
    fmt,
    path::{Component, Path, PathBuf},
};

use index::{file_name, is_data, is_test_or_foreign, is_within, join_path, parent_folder};
use olm_catalog::openshift::OpenShift;

pub use catalogs::discover_revision;
pub use content::{DocumentKind, TemplateFormat, document_kind};

pub use index::{FileIndex, ReadFile};
pub use statements::{FILE_NAME as STATED_FILE, RepositoryStatements, StatedError, StatedPath};
pub use workspace::{Selection, Workspace, has_catalog_data, root_of, templates_of, versions_on_disk};

/// Contents of a repository. Paths are relative to its root, with `/` as the separator; `.` is the root.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Discovery {
    /// Catalogs, sorted by path with numbers compared by value.
    pub catalogs: Vec<FoundCatalog>,
    /// Templates, sorted by path.
    pub templates: Vec<FoundTemplate>,
    /// Bundle directories, folders of them, and package manifests, sorted by path.
    pub bundles: Vec<FoundBundle>,
    /// Statements in `.olmap.toml` that do not match the files, in the order of their lines.
    pub mistakes: Vec<StatedError>,
}

/// Kind of content that is opened from a repository.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpenKind {
    /// All catalogs.
    Catalogs,
    /// The first bundle.
    Bundle,
    /// The first template.
    Template,
    /// No content.
    Nothing,
}

impl OpenKind {
    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Catalogs => "catalogs",
            Self::Bundle => "bundle",
            Self::Template => "template",
            Self::Nothing => "nothing",
        }
    }

    /// Returns the plural name.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Catalogs | Self::Nothing => "catalogs",
            Self::Bundle => "bundles",
            Self::Template => "templates",
        }
    }
}

impl Discovery {
    /// Returns the kind of content to open.
    pub fn open_kind(&self) -> OpenKind {
        match self {
            Self { catalogs, .. } if !catalogs.is_empty() => OpenKind::Catalogs,
            Self { bundles, .. } if !bundles.is_empty() => OpenKind::Bundle,
            Self { templates, .. } if !templates.is_empty() => OpenKind::Template,
            _ => OpenKind::Nothing,
        }
    }
}

/// Discovers the contents of a folder on disk.
///
/// # Errors
///
/// If the folder has a `.olmap.toml` with a mistake, or one that states a path that does not exist.
pub fn discover(root: &Path) -> Result<Discovery, StatedError> {
    discover_in(&mut workspace::index_folder(root))?.without_mistakes()
}

/// Discovers the contents of an index. [`Discovery::mistakes`] lists statements about paths that
/// do not exist.
///
/// # Errors
///
/// If there is a `.olmap.toml` that cannot be parsed.
pub fn discover_in(index: &mut FileIndex) -> Result<Discovery, StatedError> {
    let stated = read_statements(index)?;
    let (present, missing): (Vec<&StatedPath>, Vec<&StatedPath>) =
        stated.paths().partition(|stated| !index.files_at(&stated.path).is_empty());
    let mut mistakes: Vec<StatedError> =
        missing.into_iter().map(|stated| stated.mistake("does not exist")).collect();
    let ignored: Vec<String> = stated.ignore.iter().map(|stated| stated.path.clone()).collect();
    index.remove_paths(&ignored);
    let index = &*index;
    let hidden = present.into_iter().filter(|stated| index.files_at(&stated.path).is_empty());
    mistakes.extend(hidden.map(|stated| stated.mistake("is stated and ignored")));
    let is_there = |stated: &StatedPath| !index.files_at(&stated.path).is_empty();
    let catalogs = match stated.catalogs {
        Some(catalogs) => catalogs
            .into_iter()
            .filter(|(stated, _)| is_there(stated))
            .map(|(stated, versions)| catalogs::stated_catalog(stated.path, versions))
            .collect(),
        None => catalogs::find_catalogs(index),
    };
    let templates = match &stated.templates {
        None => templates::find_templates(index, &catalogs),
        Some(stated) => {
            let paths = stated.iter().map(|(stated, _)| stated.path.as_str());
            let mut templates = templates::find_templates_in(paths, index, &catalogs);
            for (path, makes) in stated {
                let template = templates.iter_mut().find(|template| template.path == path.path);
                match (template, makes) {
                    (Some(template), Some(makes)) => {
                        template.catalogs = makes.iter().map(|stated| stated.path.clone()).collect();
                        template.evidence = TemplateEvidence::Stated;
                    }
                    (None, _) if index.is_file(&path.path) => {
                        mistakes.push(path.mistake("is not a template"));
                    }
                    _ => {}
                }
            }
            templates
        }
    };
    let bundles = match stated.bundles {
        Some(bundles) => bundles
            .into_iter()
            .filter(is_there)
            .map(|stated| FoundBundle { path: stated.path, evidence: BundleEvidence::Stated })
            .collect(),
        None => find_bundles(index),
    };
    mistakes.sort_by_key(|mistake| mistake.line);
    let mut found = Discovery { catalogs, templates, bundles, mistakes };
    if found.open_kind() == OpenKind::Nothing && !index.is_file(STATED_FILE) {
        found.catalogs = catalogs::single_files(index);
    }
    found.sort();
    Ok(found)
}

/// Returns the OpenShift versions of the catalog at or around a path. The repository's statement
/// counts first, then the path, then the names of Dockerfiles and pipelines. Mistakes in
/// `.olmap.toml` are ignored.
pub fn openshift_of(index: &FileIndex, path: &str) -> Vec<OpenShift> {
    let stated = read_statements(index).unwrap_or_default().catalogs.unwrap_or_default();
    let stated = stated.into_iter().find(|(catalog, _)| index::is_within(path, &catalog.path));
    match stated {
        Some((_, versions)) if !versions.is_empty() => versions,
        _ => catalogs::versions_of(index, path),
    }
}

/// Reads the `.olmap.toml` of a repository, if it has one.
fn read_statements(index: &FileIndex) -> Result<RepositoryStatements, StatedError> {
    let bytes = index.read_bytes(STATED_FILE).filter(|_| index.is_file(STATED_FILE));
    Ok(bytes.map(|bytes| RepositoryStatements::parse_bytes(&bytes)).transpose()?.unwrap_or_default())
}

impl Discovery {
    /// Returns the first mistake of `.olmap.toml` as an error.
    fn without_mistakes(mut self) -> Result<Self, StatedError> {
        if self.mistakes.is_empty() { Ok(self) } else { Err(self.mistakes.swap_remove(0)) }
    }

    fn sort(&mut self) {
        for path in self
            .catalogs
            .iter_mut()
            .map(|catalog| &mut catalog.path)
            .chain(self.bundles.iter_mut().map(|bundle| &mut bundle.path))
        {
            if path.is_empty() {
                ".".clone_into(path);
            }
        }
        for template in &mut self.templates {
            template.catalogs.iter_mut().filter(|path| path.is_empty()).for_each(|path| ".".clone_into(path));
            template.catalogs.sort_by(|a, b| natural_sort_key(a).cmp(&natural_sort_key(b)));
        }
        self.catalogs.sort_by(|a, b| natural_sort_key(&a.path).cmp(&natural_sort_key(&b.path)));
        self.templates.sort_by(|a, b| natural_sort_key(&a.path).cmp(&natural_sort_key(&b.path)));
        self.bundles.sort_by(|a, b| natural_sort_key(&a.path).cmp(&natural_sort_key(&b.path)));
    }
}

/// Returns a path of a repository relative to a folder in it. The root is the empty folder.
pub fn relative_path(path: &str, folder: &str) -> PathBuf {
    let path = if path == "." { "" } else { path };
    let mut to: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let mut from: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let shared = to.iter().zip(&from).take_while(|(a, b)| a == b).count();
    let (to, from) = (to.split_off(shared), from.split_off(shared));
    let up = from.iter().map(|_| Component::ParentDir.as_os_str());
    let relative: PathBuf = up.chain(to.iter().map(AsRef::as_ref)).collect();
    if relative.as_os_str().is_empty() { PathBuf::from(".") } else { relative }
}

/// Returns a sort key for names that compares numbers by value.
fn natural_sort_key(path: &str) -> Vec<(u64, &str)> {
    let mut key = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        let is_number = rest.starts_with(|c: char| c.is_ascii_digit());
        let end = rest.find(|c: char| c.is_ascii_digit() != is_number).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        key.push((part.parse().unwrap_or_default(), if is_number { "" } else { part }));
        rest = after;
    }
    key
}

/// Folder of CSVs that are only parts of a bundle.
const BASES: &str = "bases";

/// Finds bundles.
fn find_bundles(index: &FileIndex) -> Vec<FoundBundle> {
    let mut found: BTreeMap<&str, BundleEvidence> = BTreeMap::new();
    for path in index.file_paths().filter(|path| !is_test_or_foreign(path)) {
        let folder = parent_folder(path);
        if file_name(path) == "annotations.yaml" && file_name(folder) == "metadata" {
            let bundle = parent_folder(folder);
            let is_bundle = !is_test_or_foreign(&join_path(bundle, "x"))
                && has_csv(index, &join_path(bundle, "manifests"), false);
            if !is_bundle {
                continue;
            }
            if !bundle.is_empty() && is_version(file_name(bundle)) {
                let versions = found.entry(parent_folder(bundle)).or_insert(BundleEvidence::Versions(0));
                if let BundleEvidence::Versions(count) = versions {
                    *count += 1;
                }
            } else {
                found.insert(bundle, BundleEvidence::Bundle);
            }
        } else if is_data(path) && is_named_package(path) && index.head_facts(path).is_package_manifest {
            let is_of_bundle = file_name(folder) == "manifests"
                && index.is_file(&join_path(parent_folder(folder), "metadata/annotations.yaml"))
                && has_csv(index, folder, false);
            if has_csv(index, folder, true) && !is_of_bundle {
                found.insert(folder, BundleEvidence::PackageManifests);
            }
        }
    }
    found.into_iter().map(|(path, evidence)| FoundBundle { path: path.to_owned(), evidence }).collect()
}

/// Reports whether a file name is usual for package manifests: `package.yaml`, `ship.package.yaml`.
fn is_named_package(path: &str) -> bool {
    file_name(path).contains("package")
}

/// Reports whether a folder, or with `below` one of its subfolders, contains a readable
/// `ClusterServiceVersion`.
fn has_csv(index: &FileIndex, folder: &str, below: bool) -> bool {
    let is_candidate =
        |path: &&str| is_data(path) && (below || parent_folder(path) == folder) && !is_in_bases(path, folder);
    // Files with a typical name come first, since they usually decide.
    let candidates = || index.files_below(folder).filter(is_candidate);
    let named = candidates().filter(|path| path.contains("clusterserviceversion"));
    let others = candidates().filter(|path| !path.contains("clusterserviceversion"));
    named.chain(others).any(|path| index.head_facts(path).is_csv)
}

fn is_in_bases(path: &str, folder: &str) -> bool {
    is_within(path, folder) && parent_folder(path).split('/').any(|part| part == BASES)
}

/// Reports whether a folder is named after a version: `1.0.0`, `v1.2.3-rc1`.
fn is_version(name: &str) -> bool {
    let rest = name.strip_prefix('v').unwrap_or(name);
    let mut parts = rest.split('.');
    let number = |part: Option<&str>| part.is_some_and(|part| part.starts_with(|c: char| c.is_ascii_digit()));
    number(parts.next()) && number(parts.next())
}

/// A catalog: a folder or a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundCatalog {
    /// Path of the catalog.
    pub path: String,
    /// OpenShift versions of the catalog, lowest first.
    pub openshift: Vec<OpenShift>,
    /// Evidence for the versions; `None` if there are none.
    pub version_evidence: Option<VersionEvidence>,
    /// Evidence that the path is a catalog.
    pub evidence: CatalogEvidence,
}

/// Evidence that a path is a catalog.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CatalogEvidence {
    /// `.olmap.toml` says so.
    Stated,
    /// A Dockerfile copies the path to the folder of catalogs.
    Copied {
        /// The Dockerfile.
        dockerfile: String,
        /// The line of the instruction, from 1.
        line: usize,
    },
    /// This composite template lists the path.
    Composite(String),
    /// The catalog is in `catalogs/`, next to `operators/`.
    NextToOperators,
    /// opm can read the whole folder.
    Readable,
    /// The file has a package, its channels and bundles.
    File,
}

/// Evidence that a catalog is for an OpenShift version.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum VersionEvidence {
    /// `.olmap.toml` says so.
    Stated,
    /// The path contains the version.
    Path,
    /// Dockerfiles that copy the catalog have the version in their names; the first of them.
    Dockerfile(String),
    /// Pipelines that build the catalog have the version in their names; the first of them.
    Pipeline(String),
}

/// A template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundTemplate {
    /// Path of the template.
    pub path: String,
    /// Format of the template.
    pub format: TemplateFormat,
    /// Catalogs that are made from it.
    pub catalogs: Vec<String>,
    /// Evidence for these catalogs.
    pub evidence: TemplateEvidence,
}

/// Evidence that a template makes its catalogs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TemplateEvidence {
    /// `.olmap.toml` says so.
    Stated,
    /// This `ci.yaml` maps the template to its catalogs.
    Mapping(String),
    /// This composite template lists the template, or is the template itself.
    Composite(String),
    /// Both are in this folder, which is named after an OpenShift version.
    VersionFolder(String),
    /// Template and catalog are next to each other.
    NextTo,
    /// The template and the catalog have similar names.
    Name,
    /// Both define the same package, or list the same images.
    Content,
    /// No catalog in the repository is known to be made from the template.
    Nothing,
}

/// A bundle directory, a folder of them, or package manifests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundBundle {
    /// Path of the folder.
    pub path: String,
    /// Evidence that the folder holds bundles.
    pub evidence: BundleEvidence,
}

/// Evidence that a folder holds bundles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BundleEvidence {
    /// `.olmap.toml` says so.
    Stated,
    /// The folder has `manifests/` with a `ClusterServiceVersion`, and `metadata/annotations.yaml`.
    Bundle,
    /// The folder has subfolders named after versions that are bundle directories, this many.
    Versions(usize),
    /// The folder has a package with channels and `ClusterServiceVersion`s.
    PackageManifests,
}

impl fmt::Display for CatalogEvidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stated => f.write_str("stated in .olmap.toml"),
            Self::Copied { dockerfile, line } => {
                write!(f, "copied to the catalog image by {dockerfile}:{line}")
            }
            Self::Composite(file) => write!(f, "listed in {file}"),
            Self::NextToOperators => f.write_str("in catalogs/ next to operators/"),
            Self::Readable => f.write_str("opm can read the directory"),
            Self::File => f.write_str("the file has a package, channels and bundles"),
        }
    }
}

impl fmt::Display for VersionEvidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stated => f.write_str("as stated in .olmap.toml"),
            Self::Path => f.write_str("by its path"),
            Self::Dockerfile(file) | Self::Pipeline(file) => write!(f, "by the name of {file}"),
        }
    }
}

impl fmt::Display for TemplateEvidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stated => f.write_str("stated in .olmap.toml"),
            Self::Mapping(file) | Self::Composite(file) => write!(f, "by {file}"),
            Self::VersionFolder(folder) => write!(f, "in {folder}"),
            Self::NextTo => f.write_str("next to it"),
            Self::Name => f.write_str("by its name"),
            Self::Content => f.write_str("by its package or images"),
            Self::Nothing => f.write_str("its catalog is not in the repository"),
        }
    }
}

impl fmt::Display for BundleEvidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stated => f.write_str("stated in .olmap.toml"),
            Self::Bundle => f.write_str("manifests/ and metadata/annotations.yaml"),
            Self::Versions(1) => f.write_str("1 bundle in a directory named after its version"),
            Self::Versions(count) => write!(f, "{count} bundles in directories named after their versions"),
            Self::PackageManifests => f.write_str("package manifests"),
        }
    }
}
