//! Input of a resolution: a namespace with its subscriptions and installed bundles, and the catalogs of the
//! cluster.

use std::{fmt, sync::Arc};

use super::{
    entry::Facts,
    index::{BundlePosition, CatalogIndex},
};
use olm_catalog::{BundleName, ChannelName, Node, PackageName, text::split};
use olm_version::Version;

/// Default namespace of a question.
pub const DEFAULT_NAMESPACE: &str = "operators";
/// Namespace of the global catalogs.
pub const GLOBAL_NAMESPACE: &str = "olm";

/// Name and namespace of a `CatalogSource`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SourceKey {
    /// Its name.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
}

impl SourceKey {
    /// Returns the key of a catalog in the global namespace.
    pub fn global(name: &str) -> Self {
        Self { name: name.to_owned(), namespace: GLOBAL_NAMESPACE.to_owned() }
    }
}

/// Formats the name without the namespace.
impl fmt::Display for SourceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// A catalog on the cluster.
#[derive(Clone, Debug)]
pub struct Source {
    /// Name and namespace.
    pub key: SourceKey,
    /// `spec.priority`; higher values come first.
    pub priority: i64,
    /// Content of the catalog.
    pub index: Arc<CatalogIndex>,
    /// Reason why OLM cannot serve the catalog, if so. Every resolution that sees the catalog then fails.
    pub fault: Option<String>,
}

impl Source {
    /// Creates a valid catalog in the global namespace.
    pub fn new(name: &str, index: &Arc<CatalogIndex>) -> Self {
        Self { key: SourceKey::global(name), priority: 0, index: Arc::clone(index), fault: None }
    }
}

/// A `Subscription`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subscription {
    /// Its name.
    pub name: String,
    /// The package.
    pub package: PackageName,
    /// Name of the channel. Without it, all channels count, the default channel first.
    pub channel: Option<ChannelName>,
    /// The catalog.
    pub catalog: SourceKey,
    /// Bundle to begin with.
    pub starting_csv: Option<BundleName>,
    /// `status.installedCSV`
    pub installed: Option<BundleName>,
}

/// A `ClusterServiceVersion` in the namespace.
#[derive(Clone, Debug)]
pub struct InstalledCsv {
    /// Its name.
    pub name: BundleName,
    /// Offers and requirements.
    pub facts: Arc<Facts>,
    /// `status.phase`; empty if unknown.
    pub phase: String,
    /// `spec.replaces`
    pub replaces: Option<BundleName>,
}

impl InstalledCsv {
    /// Creates the CSV of a bundle that was installed from a catalog.
    pub fn from_bundle(index: &CatalogIndex, at: BundlePosition) -> Option<Self> {
        let bundle = index.bundle(at)?;
        let tree = index.catalog.parse_document(bundle.doc)?.ok()?;
        let facts = super::entry::facts_from_tree(&tree, bundle.version.as_ref().map(|v| v.version.clone()));
        Some(Self {
            name: bundle.name.value.clone(),
            facts: Arc::new(facts),
            phase: String::new(),
            replaces: None,
        })
    }

    /// Creates a CSV of which only the package is known.
    pub fn from_package(name: BundleName, version: Option<Version>, package: &PackageName) -> Self {
        let own = serde_json::json!({
            "packageName": package.as_str(),
            "version": version.as_ref().map(ToString::to_string).unwrap_or_default(),
        });
        Self::with_properties(name, version, &[("olm.package".to_owned(), own.to_string())])
    }

    /// Creates a CSV with properties: pairs of type and JSON text. Drops values that are not JSON.
    pub fn with_properties(
        name: BundleName,
        version: Option<Version>,
        properties: &[(String, String)],
    ) -> Self {
        let read = |(kind, json): &(String, String)| {
            let value = split::parse_chunk(olm_catalog::Format::Json, json.as_bytes()).ok()?;
            Some((kind.clone(), value.detached()))
        };
        let nodes: Vec<(String, Node<'static>)> = properties.iter().filter_map(read).collect();
        let facts = Facts::from_properties(nodes.iter().map(|(kind, value)| (kind.as_str(), value)), version);
        Self { name, facts: Arc::new(facts), phase: String::new(), replaces: None }
    }
}

/// A namespace as OLM resolves it.
#[derive(Clone, Debug)]
pub struct Question {
    /// The namespace.
    pub namespace: String,
    /// Catalogs of the cluster.
    pub sources: Vec<Source>,
    /// Subscriptions in the namespace.
    pub subscriptions: Vec<Subscription>,
    /// Installed bundles in the namespace.
    pub installed: Vec<InstalledCsv>,
    /// True if the `OperatorGroup` excludes the global catalogs
    /// (`olm.operatorframework.io/exclude-global-namespace-resolution`).
    pub excludes_global: bool,
    /// True if the `OperatorGroup` has the upgrade strategy `TechPreviewUnsafeFailForward`.
    pub fails_forward: bool,
}

impl Question {
    /// Creates a question without subscriptions and installed bundles.
    pub fn new(sources: Vec<Source>) -> Self {
        Self {
            namespace: DEFAULT_NAMESPACE.to_owned(),
            sources,
            subscriptions: Vec::new(),
            installed: Vec::new(),
            excludes_global: false,
            fails_forward: false,
        }
    }

    /// Returns true if the namespace sees a catalog.
    pub fn sees(&self, source: &Source) -> bool {
        let namespace = source.key.namespace.as_str();
        namespace == self.namespace || (namespace == GLOBAL_NAMESPACE && !self.excludes_global)
    }

    /// Returns the indexes of the visible catalogs in OLM's order: `own`, then by priority, local before
    /// global, by name.
    pub fn visible_in_order(&self, own: Option<usize>) -> Vec<usize> {
        let seen = self.sources.iter().enumerate().filter(|(_, source)| self.sees(source));
        let mut places: Vec<usize> = seen.map(|(at, _)| at).collect();
        places.sort_by_key(|&at| {
            let source = self.sources.get(at);
            let key = source.map(|source| &source.key);
            (
                Some(at) != own,
                std::cmp::Reverse(source.map_or(0, |source| source.priority)),
                key.is_some_and(|key| key.namespace != self.namespace),
                key,
            )
        });
        places
    }
}
