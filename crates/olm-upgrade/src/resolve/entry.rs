//! Entries as the resolver sees them: properties of a bundle in a catalog or of an installed bundle.

use std::sync::OnceLock;

use super::{
    cel,
    constraint::{Predicate, RequirementError},
};
use olm_catalog::{
    Catalog, Node, Span,
    blob::{BundleBlob, Dependency, Gvk},
};
use olm_version::Version;

/// Properties that OLM drops when it creates an entry.
const DROPPED_PROPERTIES: [&str; 2] = ["olm.bundle.object", "olm.csv.metadata"];
/// Properties that the decoded bundle does not contain completely.
const UNDECODED_PROPERTIES: [&str; 3] = ["olm.constraint", "olm.label", "olm.label.required"];
/// Properties that are listed twice for a rule.
const REPEATED_PROPERTIES: [&str; 2] = ["olm.gvk.required", "olm.package.required"];

/// A dependency, in the order of the properties.
#[derive(Clone, Debug)]
pub struct Requirement {
    /// Predicate of the dependency, or the reason why it cannot be read.
    pub predicate: Result<Predicate, RequirementError>,
    /// Location of the property's value in the document of the bundle.
    pub span: Span,
}

/// Offers and requirements of an entry.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Packages and versions of the `olm.package` properties; a valid bundle has exactly one.
    pub packages: Vec<(String, Option<Version>)>,
    /// Version in the spec of a ClusterServiceVersion.
    pub version: Option<Version>,
    /// Provided APIs, including duplicates.
    pub provides: Vec<Gvk>,
    /// Values of `olm.label`.
    pub labels: Vec<String>,
    /// True if there is a property `olm.deprecated`.
    pub is_deprecated: bool,
    /// Requirements in the order of the properties.
    pub requirements: Vec<Requirement>,
    properties: OnceLock<Option<cel::Value>>,
}

impl Facts {
    /// Extracts the facts of a bundle. Parses its document again only if a property is not decoded.
    pub fn from_bundle(catalog: &Catalog, bundle: &BundleBlob) -> Self {
        let has = |kind: &str| bundle.properties.iter().any(|property| property.kind.value == kind);
        let packages = bundle.package_properties.iter().map(|property| {
            let version = property.parsed.as_ref().ok().map(|parsed| parsed.version.clone());
            (property.package_name.value.clone(), version)
        });
        let mut facts = Self {
            packages: packages.collect(),
            provides: bundle.provides.clone(),
            is_deprecated: has("olm.deprecated"),
            ..Self::default()
        };
        if UNDECODED_PROPERTIES.iter().any(|kind| has(kind))
            && let Some(Ok(tree)) = catalog.parse_document(bundle.doc)
        {
            for (kind, value) in bundle_properties(&tree) {
                facts.add_property(kind, value);
            }
            return facts;
        }
        facts.requirements = bundle.requires.iter().filter_map(decoded_requirement).collect();
        facts
    }

    /// Extracts facts from properties, for example of a ClusterServiceVersion's annotation.
    pub fn from_properties<'n, 'a: 'n>(
        properties: impl IntoIterator<Item = (&'n str, &'n Node<'a>)>,
        version: Option<Version>,
    ) -> Self {
        let mut facts = Self { version, ..Self::default() };
        let mut seen = Vec::new();
        for (kind, value) in properties {
            let text = |key: &str| value.get(key).and_then(Node::as_str).unwrap_or_default().to_owned();
            match kind {
                "olm.package" => {
                    facts.packages.push((text("packageName"), Version::parse(&text("version")).ok()));
                }
                "olm.gvk" => facts.provides.push(Gvk {
                    group: text("group"),
                    version: text("version"),
                    kind: text("kind"),
                }),
                "olm.deprecated" => facts.is_deprecated = true,
                _ => {}
            }
            facts.add_property(kind, value);
            seen.push((kind, value));
        }
        facts.properties = OnceLock::from(rule_properties(seen.into_iter()));
        facts
    }

    fn add_property(&mut self, kind: &str, value: &Node<'_>) {
        if kind == "olm.label" {
            self.labels.extend(value.get("label").and_then(Node::as_str).map(str::to_owned));
        }
        if let Some(predicate) = Predicate::from_property(kind, value) {
            self.requirements.push(Requirement { predicate, span: value.span });
        }
    }

    /// Returns the name of the package; empty if a ClusterServiceVersion does not contain it.
    pub fn package(&self) -> &str {
        self.packages.first().map(|(name, _)| name.as_str()).unwrap_or_default()
    }

    /// Returns the version.
    pub fn version(&self) -> Option<&Version> {
        self.version.as_ref().or_else(|| self.packages.iter().find_map(|(_, version)| version.as_ref()))
    }
}

/// An entry with its facts, and with its document for rules.
#[derive(Clone, Copy, Debug)]
pub struct EntryView<'a> {
    /// Facts of the entry.
    pub facts: &'a Facts,
    /// Catalog and bundle; `None` for an installed bundle.
    pub catalog_bundle: Option<(&'a Catalog, &'a BundleBlob)>,
}

impl<'a> EntryView<'a> {
    /// Returns true if the entry belongs to a package.
    pub fn is_in_package(&self, package: &str) -> bool {
        self.facts.packages.iter().any(|(name, _)| name == package)
            || self.catalog_bundle.is_some_and(|(_, bundle)| bundle.package.value == *package)
    }

    /// Iterates over all versions of the entry.
    pub fn versions(&self) -> impl Iterator<Item = &'a Version> {
        let facts = self.facts;
        facts.packages.iter().filter_map(|(_, version)| version.as_ref()).chain(&facts.version)
    }

    /// Returns the properties for a rule; `None` if they cannot be read.
    pub fn properties(&self) -> Option<&'a cel::Value> {
        let read = || {
            let (catalog, bundle) = self.catalog_bundle?;
            let tree = catalog.parse_document(bundle.doc)?.ok()?;
            rule_properties(bundle_properties(&tree))
        };
        self.facts.properties.get_or_init(read).as_ref()
    }
}

/// Extracts the facts from the tree of an `olm.bundle`, as for its installed copy.
pub(super) fn facts_from_tree(tree: &Node<'_>, version: Option<Version>) -> Facts {
    Facts::from_properties(bundle_properties(tree), version)
}

/// Converts a decoded dependency. Constraints are not decoded.
fn decoded_requirement(dependency: &Dependency) -> Option<Requirement> {
    let predicate = match dependency {
        Dependency::Package { package, range, .. } => Predicate::for_package(package, range),
        Dependency::Gvk { gvk, .. } => Ok(Predicate::Gvk(gvk.clone())),
        Dependency::Constraint { .. } => return None,
    };
    Some(Requirement { predicate, span: dependency.span() })
}

/// Iterates over the types and values of a bundle's properties. Keys match in any case.
fn bundle_properties<'n, 'a>(tree: &'n Node<'a>) -> impl Iterator<Item = (&'n str, &'n Node<'a>)> + Clone {
    let items = get_in_any_case(tree, "properties").map(Node::items).unwrap_or_default();
    items.iter().filter_map(|item| {
        let kind = get_in_any_case(item, "type").and_then(Node::as_str).unwrap_or_default();
        Some((kind, get_in_any_case(item, "value")?))
    })
}

fn get_in_any_case<'n, 'a>(node: &'n Node<'a>, key: &str) -> Option<&'n Node<'a>> {
    let mut members = node.members().iter().rev();
    members.find(|member| member.key.eq_ignore_ascii_case(key)).map(|member| &member.value)
}

fn rule_properties<'n, 'a: 'n>(
    properties: impl Iterator<Item = (&'n str, &'n Node<'a>)> + Clone,
) -> Option<cel::Value> {
    let kept = properties.filter(|(kind, _)| !DROPPED_PROPERTIES.contains(kind));
    let again = kept.clone().filter(|(kind, _)| REPEATED_PROPERTIES.contains(kind));
    let values =
        kept.chain(again).map(|(kind, value)| Some((kind.to_owned(), cel::Value::from_node(value)?)));
    Some(cel::properties_value(values.collect::<Option<Vec<_>>>()?))
}
