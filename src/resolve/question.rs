//! What is asked: a namespace with its subscriptions, what is installed in it, and the catalogs in sight.

use std::{fmt, sync::Arc};

use super::{
    entry::Facts,
    index::{BundleAt, CatalogIndex},
};
use crate::{
    catalog::{BundleName, ChannelName, Node, PackageName, text::split},
    version::Version,
};

/// The namespace that is resolved, unless a question says otherwise.
pub const NAMESPACE: &str = "operators";
/// The namespace of the catalogs that every namespace sees.
pub const GLOBAL: &str = "olm";

/// A `CatalogSource` by name and namespace.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SourceKey {
    /// Its name.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
}

impl SourceKey {
    /// A catalog of the global namespace.
    pub fn global(name: &str) -> Self {
        Self { name: name.to_owned(), namespace: GLOBAL.to_owned() }
    }
}

/// Its name.
impl fmt::Display for SourceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// A catalog on the cluster.
#[derive(Clone, Debug)]
pub struct Source {
    /// What it is called.
    pub key: SourceKey,
    /// `spec.priority`; the higher comes first.
    pub priority: i64,
    /// What is in it.
    pub index: Arc<CatalogIndex>,
    /// Why OLM cannot serve it, where it cannot: then every resolution that sees it fails.
    pub fault: Option<String>,
}

impl Source {
    /// A good catalog of the global namespace.
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
    /// The channel; without, all of them count, the default one first.
    pub channel: Option<ChannelName>,
    /// The catalog.
    pub catalog: SourceKey,
    /// The bundle to begin with.
    pub starting_csv: Option<BundleName>,
    /// `status.installedCSV`
    pub installed: Option<BundleName>,
}

/// A `ClusterServiceVersion` in the namespace.
#[derive(Clone, Debug)]
pub struct InstalledCsv {
    /// Its name.
    pub name: BundleName,
    /// What it offers and asks for.
    pub facts: Arc<Facts>,
    /// `status.phase`; empty where nobody knows.
    pub phase: String,
    /// `spec.replaces`
    pub replaces: Option<BundleName>,
}

impl InstalledCsv {
    /// One that was installed from a catalog.
    pub fn of_bundle(index: &CatalogIndex, at: BundleAt) -> Option<Self> {
        let bundle = index.bundle(at)?;
        let tree = index.catalog.tree(bundle.doc)?.ok()?;
        let facts = super::entry::of_tree(&tree, bundle.version.as_ref().map(|v| v.version.clone()));
        Some(Self {
            name: bundle.name.value.clone(),
            facts: Arc::new(facts),
            phase: String::new(),
            replaces: None,
        })
    }

    /// One of which no more is known than the package it is of.
    pub fn of_package(name: BundleName, version: Option<Version>, package: &PackageName) -> Self {
        let own = serde_json::json!({
            "packageName": package.as_str(),
            "version": version.as_ref().map(ToString::to_string).unwrap_or_default(),
        });
        Self::with_properties(name, version, &[("olm.package".to_owned(), own.to_string())])
    }

    /// One with properties of its own: pairs of type and JSON text. What is no JSON is left out.
    pub fn with_properties(
        name: BundleName,
        version: Option<Version>,
        properties: &[(String, String)],
    ) -> Self {
        let read = |(kind, json): &(String, String)| {
            let value = split::parse(crate::catalog::Format::Json, json.as_bytes()).ok()?;
            Some((kind.clone(), value.detached()))
        };
        let nodes: Vec<(String, Node<'static>)> = properties.iter().filter_map(read).collect();
        let facts = Facts::of_properties(nodes.iter().map(|(kind, value)| (kind.as_str(), value)), version);
        Self { name, facts: Arc::new(facts), phase: String::new(), replaces: None }
    }
}

/// A namespace as OLM resolves it.
#[derive(Clone, Debug)]
pub struct Question {
    /// The namespace.
    pub namespace: String,
    /// The catalogs of the cluster.
    pub sources: Vec<Source>,
    /// Its subscriptions.
    pub subscriptions: Vec<Subscription>,
    /// What is installed in it.
    pub installed: Vec<InstalledCsv>,
    /// The `OperatorGroup` excludes the global catalogs
    /// (`olm.operatorframework.io/exclude-global-namespace-resolution`).
    pub excludes_global: bool,
    /// The `OperatorGroup` has the upgrade strategy `TechPreviewUnsafeFailForward`.
    pub fails_forward: bool,
}

impl Question {
    /// Nothing subscribed, nothing installed.
    pub fn new(sources: Vec<Source>) -> Self {
        Self {
            namespace: NAMESPACE.to_owned(),
            sources,
            subscriptions: Vec::new(),
            installed: Vec::new(),
            excludes_global: false,
            fails_forward: false,
        }
    }

    /// Whether the namespace sees a catalog.
    pub fn sees(&self, source: &Source) -> bool {
        let namespace = source.key.namespace.as_str();
        namespace == self.namespace || (namespace == GLOBAL && !self.excludes_global)
    }

    /// The places of the catalogs in sight as OLM prefers them: `own` first, then by priority, those of the namespace, by name.
    pub fn in_order(&self, own: Option<usize>) -> Vec<usize> {
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
