//! Answer of OLM v1 over the catalogs of a cluster, with the outcome of each catalog.

use std::{fmt, sync::Arc};

use super::{CatalogProperties, InstalledMetadata, SelectorError, ServingFailure};
use crate::{
    answer::{Admission, ResolveError},
    install_blockers::InstallBlocker,
};
use olm_catalog::{BundleName, blob::BundleBlob};
use olm_version::{Version, VersionRelease};

/// Answer of OLM v1 over the catalogs of a cluster.
#[derive(Clone, Debug)]
pub struct ClusterAnswer {
    /// Installed bundle; `None` for a new installation.
    pub installed: Option<InstalledMetadata>,
    /// Picked bundle. With an error only if v1 refuses it for its dependencies.
    pub pick: Option<ClusterCandidate>,
    /// Error that the cluster would report; `None` if it succeeds.
    pub error: Option<ClusterError>,
    /// Outcome of each catalog, by name. Empty if v1 fails before it reads catalogs.
    pub considered: Vec<ConsideredCatalog>,
    /// Reasons why a cluster would not install the pick although v1 resolves it.
    pub blocked: Vec<InstallBlocker>,
    /// True if v1 keeps the installed bundle without an error although nothing resolves.
    pub stays: bool,
}

/// Bundle that wins in one catalog.
#[derive(Clone, Debug)]
pub struct ClusterCandidate {
    /// Catalog of the bundle.
    pub catalog: Arc<CatalogProperties>,
    /// The bundle.
    pub bundle: Arc<BundleBlob>,
    /// Rule that admits it; `None` if its version cannot be read.
    pub admission: Option<Admission>,
    /// True if its catalog deprecates it.
    pub is_deprecated: bool,
}

/// Catalog with its outcome.
#[derive(Clone, Debug)]
pub struct ConsideredCatalog {
    /// The catalog.
    pub catalog: Arc<CatalogProperties>,
    /// Its outcome.
    pub outcome: CatalogOutcome,
}

/// Outcome of a catalog in a resolution.
#[derive(Clone, Debug)]
pub enum CatalogOutcome {
    /// The selector does not match it.
    NotSelected,
    /// Its availability mode is `Unavailable`.
    Unavailable,
    /// The cluster does not serve the package, because part of the catalog cannot be read.
    NotServed(Box<ServingFailure>),
    /// Its content is not known.
    NotGiven,
    /// Readable, but v1 fails before it compares catalogs.
    NotCompared,
    /// The catalog does not have the package.
    NoPackage,
    /// None of its bundles matches.
    NoCandidate,
    /// v1 picks its bundle.
    Picked(ClusterCandidate),
    /// Its bundle is deprecated, and that of another catalog is not.
    Deprecated(ClusterCandidate),
    /// Another catalog has a higher priority.
    LowerPriority(ClusterCandidate),
    /// Another catalog has the same, highest priority.
    Ambiguous(ClusterCandidate),
}

impl CatalogOutcome {
    /// Returns the word in JSON.
    pub fn json_word(&self) -> &'static str {
        match self {
            Self::NotSelected => "not-selected",
            Self::Unavailable => "unavailable",
            Self::NotServed(_) => "not-served",
            Self::NotGiven => "not-given",
            Self::NotCompared => "not-compared",
            Self::NoPackage => "no-package",
            Self::NoCandidate => "no-candidate",
            Self::Picked(_) => "picked",
            Self::Deprecated(_) => "deprecated",
            Self::LowerPriority(_) => "lower-priority",
            Self::Ambiguous(_) => "ambiguous",
        }
    }

    /// Returns the bundle that wins in the catalog.
    pub fn candidate(&self) -> Option<&ClusterCandidate> {
        match self {
            Self::Picked(candidate)
            | Self::Deprecated(candidate)
            | Self::LowerPriority(candidate)
            | Self::Ambiguous(candidate) => Some(candidate),
            _ => None,
        }
    }
}

/// Writes the reason for the outcome.
impl fmt::Display for CatalogOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotSelected => f.write_str("the selector does not match it"),
            Self::Unavailable => f.write_str("it is unavailable, so v1 does not read it"),
            Self::NotServed(failure) if failure.is_whole_catalog => {
                write!(f, "the cluster serves nothing of it: {}", failure.problem.kind)
            }
            Self::NotServed(failure) => {
                write!(f, "the cluster does not serve the package: {}", failure.problem.kind)
            }
            Self::NotGiven => f.write_str("its content is not known"),
            Self::NotCompared => f.write_str("v1 fails before it compares catalogs"),
            Self::NoPackage => f.write_str("it does not have the package"),
            Self::NoCandidate => f.write_str("none of its bundles matches"),
            Self::Picked(candidate) => match &candidate.admission {
                Some(admission) => admission.fmt(f),
                None => f.write_str("the version of its bundle cannot be read"),
            },
            Self::Deprecated(_) => {
                f.write_str("its bundle is deprecated, and that of another catalog is not")
            }
            Self::LowerPriority(_) => f.write_str("another catalog has a higher priority"),
            Self::Ambiguous(_) => f.write_str("another catalog has the same priority"),
        }
    }
}

impl ClusterCandidate {
    /// Returns the name of the bundle.
    pub fn bundle_name(&self) -> &BundleName {
        &self.bundle.name.value
    }

    /// Returns the version as written; `None` if the bundle has none.
    pub fn version_text(&self) -> Option<&str> {
        self.bundle.first_package_property().map(|property| property.version.value.as_str())
    }

    /// Returns the bundle as `status.install.bundle` has it once it is installed.
    pub fn to_metadata(&self) -> InstalledMetadata {
        let version = self.version_text().unwrap_or_default().to_owned();
        InstalledMetadata { name: self.bundle_name().clone(), version }
    }

    /// Returns the version without the release; `None` if it cannot be read.
    pub fn version(&self) -> Option<VersionRelease> {
        Version::parse(self.version_text()?).ok().map(VersionRelease::from)
    }
}

impl ClusterAnswer {
    /// Returns true if v1 succeeds and the pick has the version of the installed bundle.
    pub fn keeps_installed(&self) -> bool {
        let installed = self.installed.as_ref().and_then(|installed| installed.to_installed().version);
        let pick = self.pick.as_ref().and_then(ClusterCandidate::version);
        self.error.is_none()
            && installed.zip(pick).is_some_and(|(own, pick)| own.cmp_precedence(&pick).is_eq())
    }

    /// Returns true if the pick has a lower version than the installed bundle.
    pub fn is_downgrade(&self) -> bool {
        let installed = self.installed.as_ref().and_then(|installed| installed.to_installed().version);
        let pick = self.pick.as_ref().and_then(ClusterCandidate::version);
        installed.zip(pick).is_some_and(|(own, pick)| pick.cmp_precedence(&own).is_lt())
    }

    /// Returns the reason for the answer in one line.
    pub fn reason(&self) -> String {
        match (&self.error, &self.pick) {
            (Some(error), _) => error.to_string(),
            (None, Some(ClusterCandidate { admission: Some(admission), .. })) => admission.to_string(),
            (None, _) => String::new(),
        }
    }
}

/// Error of a resolution over the catalogs of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClusterError {
    /// Kubernetes refuses the selector.
    InvalidSelector(SelectorError),
    /// The version constraint cannot be read.
    InvalidVersion(String),
    /// The cluster does not serve these selected catalogs. v1 resolves nothing as long as one fails.
    UnreadableCatalog(Vec<String>),
    /// The installed version cannot be read.
    InvalidInstalled(InstalledMetadata),
    /// No selected catalog has a bundle that matches.
    NotFound,
    /// These catalogs have a bundle that matches, and several share the highest priority.
    Ambiguous(Vec<String>),
    /// The version of the picked bundle cannot be read.
    InvalidBundle(BundleName),
    /// v1 installs no bundle with dependencies.
    Dependencies(Vec<InstallBlocker>),
    /// A range crashes OLM.
    RangeCrashes(ResolveError),
    /// The content of these selected catalogs is not known, so the answer is not known.
    CatalogNotGiven(Vec<String>),
}

impl ClusterError {
    /// Returns the word in JSON. The last two are not errors of the real program.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::InvalidSelector(_) => "invalid-selector",
            Self::InvalidVersion(_) => "invalid-version",
            Self::UnreadableCatalog(_) => "unreadable-catalog",
            Self::InvalidInstalled(_) => "invalid-installed",
            Self::NotFound => "not-found",
            Self::Ambiguous(_) => "ambiguous",
            Self::InvalidBundle(_) => "invalid-bundle",
            Self::Dependencies(_) => "dependencies",
            Self::RangeCrashes(_) => "range-crashes",
            Self::CatalogNotGiven(_) => "catalog-not-given",
        }
    }

    /// Returns the error in one or two words, for tables and headings.
    pub fn brief(&self) -> &'static str {
        match self {
            Self::InvalidSelector(_) => "invalid selector",
            Self::InvalidVersion(_) => "invalid version",
            Self::UnreadableCatalog(_) => "not served",
            Self::InvalidInstalled(_) => "unknown version",
            Self::NotFound => "nothing matches",
            Self::Ambiguous(_) => "ambiguous",
            Self::InvalidBundle(_) => "invalid bundle",
            Self::Dependencies(_) => "dependencies",
            Self::RangeCrashes(_) => "crash",
            Self::CatalogNotGiven(_) => "not known",
        }
    }

    /// Returns the names of the catalogs that cause the error.
    pub fn catalogs(&self) -> Option<&[String]> {
        match self {
            Self::UnreadableCatalog(names) | Self::Ambiguous(names) | Self::CatalogNotGiven(names) => {
                Some(names)
            }
            _ => None,
        }
    }
}

impl From<&ClusterError> for ResolveError {
    fn from(error: &ClusterError) -> Self {
        Self::OnCluster { brief: error.brief(), text: error.to_string() }
    }
}

impl fmt::Display for ClusterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidSelector(error) => write!(f, "selector: {error}"),
            Self::InvalidVersion(error) => write!(f, "version constraint: {error}"),
            Self::UnreadableCatalog(names) => write!(
                f,
                "the cluster does not serve the package from {}: v1 resolves nothing while a selected catalog fails",
                names.join(", ")
            ),
            Self::InvalidInstalled(InstalledMetadata { name, version }) => {
                write!(f, "the version {version:?} of the installed {name} cannot be read")
            }
            Self::NotFound => f.write_str("no selected catalog has a bundle that matches"),
            Self::Ambiguous(names) => write!(
                f,
                "bundles in several catalogs match ({}), and no catalog alone has the highest priority",
                names.join(", ")
            ),
            Self::InvalidBundle(name) => write!(f, "the version of {name}, which v1 picks, cannot be read"),
            Self::Dependencies(blockers) => {
                let texts: Vec<&str> = blockers.iter().map(|blocker| blocker.text.as_str()).collect();
                f.write_str(&texts.join("; "))
            }
            Self::RangeCrashes(error) => error.fmt(f),
            Self::CatalogNotGiven(names) => {
                write!(f, "not known, because the content of {} is not known", names.join(", "))
            }
        }
    }
}
