//! Resolution of OLM v1 over the catalogs of one cluster: a `ClusterExtension` selects catalogs, and v1 chooses
//! between their bundles (operator-controller `resolve/catalog.go`).
//!
//! Each catalog has a candidate by its own content alone. The choice between them depends on deprecation and on
//! the priority of the catalogs, never on versions.

mod answer;
#[cfg(test)]
mod conformance;
mod notes;
mod path;
mod resolver;
mod selector;
mod serving;
mod table;
#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

pub use answer::{CatalogOutcome, ClusterAnswer, ClusterCandidate, ClusterError, ConsideredCatalog};
pub use notes::ClusterNote;
pub use path::{ClusterHop, ClusterPath, ClusterPathOutcome};
pub use resolver::{ClusterQuery, ClusterResolver, InstalledMetadata};
pub use selector::{CompiledSelector, LabelSelector, SelectorError, SelectorExpression};
pub use serving::{ServingFailure, ServingState};

use super::package::PackageGraph;
use olm_catalog::{Catalog, PackageName};

/// Label that each catalog has on a cluster: its name.
pub const NAME_LABEL: &str = "olm.operatorframework.io/metadata.name";

/// Properties of a `ClusterCatalog` that the resolver uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogProperties {
    /// Name of the object.
    pub name: String,
    /// `spec.priority`; the highest wins.
    pub priority: i32,
    /// Labels, without [`NAME_LABEL`].
    pub labels: BTreeMap<String, String>,
    /// False if `spec.availabilityMode` is `Unavailable`.
    pub is_available: bool,
}

impl CatalogProperties {
    /// Returns the properties of a catalog that sets none: priority 0, no labels, available.
    pub fn from_name(name: &str) -> Self {
        Self { name: name.to_owned(), priority: 0, labels: BTreeMap::new(), is_available: true }
    }

    /// Returns the value of a label. [`NAME_LABEL`] is always the name, because the cluster overwrites it.
    pub fn label_value(&self, key: &str) -> Option<&str> {
        if key == NAME_LABEL { Some(&self.name) } else { self.labels.get(key).map(String::as_str) }
    }
}

/// Catalog of a cluster.
#[derive(Clone, Debug)]
pub struct ClusterMember {
    /// Properties of the `ClusterCatalog`.
    pub properties: Arc<CatalogProperties>,
    /// Content; `None` if it was not given, or does not matter because the catalog is unavailable.
    pub content: Option<MemberContent>,
}

/// Content of a catalog of a cluster.
#[derive(Clone, Debug)]
pub struct MemberContent {
    /// The catalog.
    pub catalog: Catalog,
    /// Parts that the cluster does not serve.
    pub serving: ServingState,
}

impl MemberContent {
    /// Determines which parts of a catalog a cluster serves.
    pub fn from_catalog(catalog: Catalog) -> Self {
        let serving = ServingState::from_catalog(&catalog);
        Self { catalog, serving }
    }
}

/// Catalogs of one cluster, by name.
#[derive(Clone, Debug, Default)]
pub struct ClusterCatalogs {
    members: Vec<ClusterMember>,
}

/// Two catalogs of a cluster have this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("two catalogs are called {0}")]
pub struct DuplicateName(pub String);

impl ClusterCatalogs {
    /// Collects the catalogs of a cluster.
    ///
    /// # Errors
    ///
    /// Fails if two catalogs have the same name.
    pub fn from_members(mut members: Vec<ClusterMember>) -> Result<Self, DuplicateName> {
        members.sort_by(|a, b| a.properties.name.cmp(&b.properties.name));
        let names = members.windows(2).find_map(|pair| match pair {
            [a, b] if a.properties.name == b.properties.name => Some(a.properties.name.clone()),
            _ => None,
        });
        match names {
            Some(name) => Err(DuplicateName(name)),
            None => Ok(Self { members }),
        }
    }

    /// Returns the catalogs by name.
    pub fn members(&self) -> &[ClusterMember] {
        &self.members
    }

    /// Returns a catalog by name.
    pub fn find_member(&self, name: &str) -> Option<&ClusterMember> {
        self.members.iter().find(|member| member.properties.name == name)
    }

    /// Returns the names of the packages of all catalogs.
    pub fn package_names(&self) -> BTreeSet<&PackageName> {
        let contents = self.members.iter().filter_map(|member| member.content.as_ref());
        let names = contents.flat_map(|content| content.catalog.packages().map(|package| &package.name));
        names.filter(|name| !name.as_str().is_empty()).collect()
    }

    /// Returns the content of each catalog for a package.
    pub fn find_package(&self, name: &PackageName) -> ClusterPackage {
        let offers = self.members.iter().map(|member| CatalogOffer {
            catalog: Arc::clone(&member.properties),
            content: match &member.content {
                None => OfferContent::NotGiven,
                Some(content) => OfferContent::from_member(content, name),
            },
        });
        ClusterPackage { package: name.clone(), offers: offers.collect() }
    }
}

/// Package in the catalogs of a cluster. Clones share the data.
#[derive(Clone, Debug)]
pub struct ClusterPackage {
    /// Name of the package.
    pub package: PackageName,
    /// Content of each catalog, by the name of the catalog.
    pub offers: Arc<[CatalogOffer]>,
}

impl ClusterPackage {
    /// Returns the graphs of the package in a catalog that has it.
    pub fn graph(&self, catalog: &str) -> Option<&PackageGraph> {
        let offer = self.offers.iter().find(|offer| offer.catalog.name == catalog)?;
        match &offer.content {
            OfferContent::Package(graph) => Some(graph),
            _ => None,
        }
    }
}

/// Content of one catalog for a package.
#[derive(Clone, Debug)]
pub struct CatalogOffer {
    /// The catalog.
    pub catalog: Arc<CatalogProperties>,
    /// Its content.
    pub content: OfferContent,
}

/// Content of a catalog for one package.
#[derive(Clone, Debug)]
pub enum OfferContent {
    /// The catalog has the package.
    Package(PackageGraph),
    /// The catalog does not have the package.
    Absent,
    /// The cluster does not serve the package, because part of it cannot be read.
    NotServed(Box<ServingFailure>),
    /// The content of the catalog is not known.
    NotGiven,
}

impl OfferContent {
    fn from_member(content: &MemberContent, name: &PackageName) -> Self {
        if let Some(failure) = content.serving.failure(name.as_str()) {
            return Self::NotServed(Box::new(failure.clone()));
        }
        let package = content.catalog.package(name.as_str()).filter(|_| !name.as_str().is_empty());
        package.map_or(Self::Absent, |package| Self::Package(PackageGraph::new(package)))
    }
}
