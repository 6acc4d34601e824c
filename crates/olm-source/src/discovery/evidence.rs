//! Results of discovery, each with its evidence.

use std::fmt;

use super::content::TemplateFormat;
use olm_catalog::openshift::OpenShift;

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
