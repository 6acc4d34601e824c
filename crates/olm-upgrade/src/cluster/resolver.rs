//! The resolution: selection of catalogs, the candidate of each, and the choice between them.

use std::sync::Arc;

use super::{
    CatalogOutcome, CatalogProperties, ClusterAnswer, ClusterCandidate, ClusterError, ClusterPackage,
    ConsideredCatalog, LabelSelector, OfferContent,
};
use crate::{
    answer::ResolveError,
    install_blockers::{InstallBlockerKind, dependency_blockers, v1_blockers},
    installed::Installed,
    v1::{self, Query},
};
use olm_catalog::{BundleName, blob::BundleBlob, package::Package};
use olm_version::{Version, masterminds::Constraint};

/// Query of a `ClusterExtension`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterQuery {
    /// Channels, version and policy.
    pub query: Query,
    /// Selector of catalogs.
    pub selector: LabelSelector,
}

/// Installed bundle with the version as text, as in `status.install.bundle`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledMetadata {
    /// Name of the bundle.
    pub name: BundleName,
    /// Version as text.
    pub version: String,
}

impl InstalledMetadata {
    /// Returns a bundle of a package, with the version of its first `olm.package` property. A bundle that the
    /// package does not have has no version.
    pub fn from_package(package: &Package, name: &BundleName) -> Self {
        let version = package.bundle(name.as_str()).map(|bundle| version_text(bundle)).unwrap_or_default();
        Self { name: name.clone(), version }
    }

    /// Returns the metadata of a bundle once it is installed.
    pub fn from_bundle(bundle: &BundleBlob) -> Self {
        Self { name: bundle.name.value.clone(), version: version_text(bundle) }
    }

    /// Returns the bundle as input of a resolver. The version is `None` if it cannot be read.
    pub fn to_installed(&self) -> Installed {
        let version = Version::parse(&self.version).ok().map(Into::into);
        Installed { name: self.name.clone(), version }
    }
}

fn version_text(bundle: &BundleBlob) -> String {
    bundle.first_package_property().map(|property| property.version.value.clone()).unwrap_or_default()
}

/// Resolver for one query about one package.
#[derive(Debug)]
pub struct ClusterResolver {
    query: ClusterQuery,
    /// Catalogs that take part, or the error that v1 reports whatever is installed.
    selection: Result<Vec<Participant>, ClusterError>,
    /// Outcomes of the other catalogs; empty if v1 fails before it reads catalogs.
    others: Vec<ConsideredCatalog>,
    /// True if the selector matches at least one catalog.
    selects_any: bool,
}

/// Selected catalog that has the package.
#[derive(Debug)]
struct Participant {
    catalog: Arc<CatalogProperties>,
    resolver: Arc<v1::Resolver>,
}

impl ClusterResolver {
    /// Prepares a query for a package.
    pub fn from_query(package: &ClusterPackage, query: &ClusterQuery) -> Self {
        let mut resolver =
            Self { query: query.clone(), selection: Ok(Vec::new()), others: Vec::new(), selects_any: false };
        resolver.selection = resolver.select_catalogs(package);
        resolver
    }

    /// Returns the query.
    pub fn query(&self) -> &ClusterQuery {
        &self.query
    }

    /// Returns the error that v1 reports whatever is installed.
    pub fn query_error(&self) -> Option<&ClusterError> {
        self.selection.as_ref().err()
    }

    /// Selects the catalogs and reads them.
    fn select_catalogs(&mut self, package: &ClusterPackage) -> Result<Vec<Participant>, ClusterError> {
        let selector = self.query.selector.compile().map_err(ClusterError::InvalidSelector)?;
        if !self.query.query.version.is_empty() {
            Constraint::parse(&self.query.query.version)
                .map_err(|error| ClusterError::InvalidVersion(error.to_string()))?;
        }
        let (mut participants, mut failed, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
        for offer in &*package.offers {
            let catalog = &offer.catalog;
            let is_selected = selector.selects(catalog);
            self.selects_any |= is_selected;
            let outcome = match &offer.content {
                _ if !is_selected => CatalogOutcome::NotSelected,
                _ if !catalog.is_available => CatalogOutcome::Unavailable,
                OfferContent::NotServed(failure) => {
                    failed.push(catalog.name.clone());
                    CatalogOutcome::NotServed(failure.clone())
                }
                OfferContent::NotGiven => {
                    unknown.push(catalog.name.clone());
                    CatalogOutcome::NotGiven
                }
                OfferContent::Absent => CatalogOutcome::NoPackage,
                OfferContent::Package(graph) => {
                    let resolver = graph
                        .v1_resolver(&self.query.query)
                        .map_err(|error| ClusterError::InvalidVersion(error.to_string()))?;
                    participants.push(Participant { catalog: Arc::clone(catalog), resolver });
                    continue;
                }
            };
            self.others.push(ConsideredCatalog { catalog: Arc::clone(catalog), outcome });
        }
        if failed.is_empty() && unknown.is_empty() {
            return Ok(participants);
        }
        self.others.extend(participants.iter().map(Participant::not_compared));
        Err(match failed.as_slice() {
            [] => ClusterError::CatalogNotGiven(unknown),
            _ => ClusterError::UnreadableCatalog(failed),
        })
    }

    /// Returns the answer for an installed bundle; without one, for a new installation.
    pub fn resolve(&self, installed: Option<&InstalledMetadata>) -> ClusterAnswer {
        let mut answer = ClusterAnswer {
            installed: installed.cloned(),
            pick: None,
            error: None,
            considered: self.others.clone(),
            blocked: Vec::new(),
            stays: false,
        };
        match &self.selection {
            Err(error) => answer.error = Some(error.clone()),
            Ok(participants) => self.compare_catalogs(participants, &mut answer),
        }
        answer.considered.sort_by(|a, b| a.catalog.name.cmp(&b.catalog.name));
        let pins_other = |own: &InstalledMetadata| {
            let version = &self.query.query.version;
            !version.is_empty() && *version != own.version
        };
        answer.stays = answer.error == Some(ClusterError::NotFound)
            && !self.selects_any
            && installed.is_some_and(|own| !pins_other(own));
        answer
    }

    /// Asks each catalog for its candidate, and chooses between them.
    fn compare_catalogs(&self, participants: &[Participant], answer: &mut ClusterAnswer) {
        let metadata = answer.installed.clone();
        let installed = metadata.as_ref().map(InstalledMetadata::to_installed);
        let mut candidates: Vec<(ClusterCandidate, bool)> = Vec::new();
        let mut outcomes = Vec::new();
        for Participant { catalog, resolver } in participants {
            match resolver.find_candidate(installed.as_ref()) {
                Ok(Some(first)) => {
                    let candidate = ClusterCandidate {
                        catalog: Arc::clone(catalog),
                        bundle: Arc::clone(first.bundle),
                        admission: resolver
                            .pick_with_rule(installed.as_ref())
                            .ok()
                            .map(|(_, admission)| admission),
                        is_deprecated: first.is_deprecated,
                    };
                    candidates.push((candidate, first.has_version));
                }
                Ok(None) => outcomes.push(ConsideredCatalog {
                    catalog: Arc::clone(catalog),
                    outcome: CatalogOutcome::NoCandidate,
                }),
                Err(error) => {
                    answer.error = Some(match (error, metadata) {
                        (ResolveError::NoInstalledVersion(_), Some(own)) => {
                            ClusterError::InvalidInstalled(own)
                        }
                        (error, _) => ClusterError::RangeCrashes(error),
                    });
                    answer.considered.extend(participants.iter().map(Participant::not_compared));
                    return;
                }
            }
        }
        let has_fresh = candidates.iter().any(|(candidate, _)| !candidate.is_deprecated);
        let is_left = |candidate: &ClusterCandidate| !has_fresh || !candidate.is_deprecated;
        let left = || candidates.iter().filter(|(candidate, _)| is_left(candidate));
        let highest = left().map(|(candidate, _)| candidate.catalog.priority).max();
        let is_first =
            |candidate: &ClusterCandidate| is_left(candidate) && Some(candidate.catalog.priority) == highest;
        let winners: Vec<_> = left().filter(|(candidate, _)| is_first(candidate)).collect();
        let is_ambiguous = winners.len() > 1;
        match winners.as_slice() {
            [] => answer.error = Some(ClusterError::NotFound),
            [(candidate, false)] => {
                answer.error = Some(ClusterError::InvalidBundle(candidate.bundle_name().clone()));
            }
            [(candidate, true)] => self.accept_pick(candidate, answer),
            _ => {
                let names = left().map(|(candidate, _)| candidate.catalog.name.clone());
                answer.error = Some(ClusterError::Ambiguous(names.collect()));
            }
        }
        outcomes.extend(candidates.iter().map(|(candidate, _)| {
            let outcome = match candidate.clone() {
                own if !is_left(candidate) => CatalogOutcome::Deprecated(own),
                own if !is_first(candidate) => CatalogOutcome::LowerPriority(own),
                own if is_ambiguous => CatalogOutcome::Ambiguous(own),
                own => CatalogOutcome::Picked(own),
            };
            ConsideredCatalog { catalog: Arc::clone(&candidate.catalog), outcome }
        }));
        answer.considered.extend(outcomes);
    }

    /// Stores the pick. v1 refuses it for its dependencies, also if it is already installed.
    fn accept_pick(&self, candidate: &ClusterCandidate, answer: &mut ClusterAnswer) {
        let dependencies = dependency_blockers(&candidate.bundle);
        let is_installed = answer.installed.as_ref().is_some_and(|own| own.name == *candidate.bundle_name());
        if !dependencies.is_empty() {
            answer.error = Some(ClusterError::Dependencies(dependencies));
        }
        if !is_installed {
            answer.blocked = v1_blockers(&candidate.bundle, &self.query.query.channels);
            answer.blocked.retain(|blocker| blocker.kind != InstallBlockerKind::Dependency);
        }
        answer.pick = Some(candidate.clone());
    }
}

impl Participant {
    fn not_compared(&self) -> ConsideredCatalog {
        ConsideredCatalog { catalog: Arc::clone(&self.catalog), outcome: CatalogOutcome::NotCompared }
    }
}
