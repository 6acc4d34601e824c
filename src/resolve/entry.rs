//! What the resolver sees of a bundle in a catalog, or of one that is installed: its properties.

use std::sync::OnceLock;

use super::{
    cel,
    constraint::{Fault, Predicate},
};
use crate::{
    catalog::{
        Catalog, Node, Span,
        blob::{BundleBlob, Dependency, Gvk},
    },
    version::Version,
};

/// Properties that OLM does not keep when it makes an entry of a bundle.
const NOT_KEPT: [&str; 2] = ["olm.bundle.object", "olm.csv.metadata"];
/// Properties of which the decoded bundle does not tell all.
const NOT_DECODED: [&str; 3] = ["olm.constraint", "olm.label", "olm.label.required"];
/// Properties that a rule sees twice.
const SEEN_TWICE: [&str; 2] = ["olm.gvk.required", "olm.package.required"];

/// One dependency, in the order of the properties.
#[derive(Clone, Debug)]
pub struct Requirement {
    /// What is asked for, or why that cannot be read.
    pub predicate: Result<Predicate, Fault>,
    /// The property's value in the document of the bundle.
    pub span: Span,
}

/// What an entry offers and asks for.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The packages and versions of its `olm.package` properties; one in a good bundle.
    pub packages: Vec<(String, Option<Version>)>,
    /// The version in the spec of a ClusterServiceVersion.
    pub version: Option<Version>,
    /// The APIs it provides, as often as it lists them.
    pub provides: Vec<Gvk>,
    /// Its labels.
    pub labels: Vec<String>,
    /// Whether it has the property `olm.deprecated`.
    pub is_deprecated: bool,
    /// What it asks for.
    pub requirements: Vec<Requirement>,
    properties: OnceLock<Option<cel::Value>>,
}

impl Facts {
    /// Of a bundle. Its document is read again only where a property is not decoded.
    pub fn of_bundle(catalog: &Catalog, bundle: &BundleBlob) -> Self {
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
        if NOT_DECODED.iter().any(|kind| has(kind))
            && let Some(Ok(tree)) = catalog.tree(bundle.doc)
        {
            for (kind, value) in properties_of(&tree) {
                facts.look_at(kind, value);
            }
            return facts;
        }
        facts.requirements = bundle.requires.iter().filter_map(requirement).collect();
        facts
    }

    /// Of properties, types and values, as the annotation of a ClusterServiceVersion has them.
    pub fn of_properties<'n, 'a: 'n>(
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
            facts.look_at(kind, value);
            seen.push((kind, value));
        }
        facts.properties = OnceLock::from(for_rules(seen.into_iter()));
        facts
    }

    fn look_at(&mut self, kind: &str, value: &Node<'_>) {
        if kind == "olm.label" {
            self.labels.extend(value.get("label").and_then(Node::as_str).map(str::to_owned));
        }
        if let Some(predicate) = Predicate::of_property(kind, value) {
            self.requirements.push(Requirement { predicate, span: value.span });
        }
    }

    /// The package it is of; none where a ClusterServiceVersion does not say.
    pub fn package(&self) -> &str {
        self.packages.first().map(|(name, _)| name.as_str()).unwrap_or_default()
    }

    /// Its version.
    pub fn version(&self) -> Option<&Version> {
        self.version.as_ref().or_else(|| self.packages.iter().find_map(|(_, version)| version.as_ref()))
    }
}

/// An entry that a question is asked of: its facts, and for rules the catalog that has its document.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// What is known of it.
    pub facts: &'a Facts,
    /// Where it stands; `None` for one that is installed.
    pub home: Option<(&'a Catalog, &'a BundleBlob)>,
}

impl<'a> Seen<'a> {
    /// Whether it is of a package.
    pub fn is_of(&self, package: &str) -> bool {
        self.facts.packages.iter().any(|(name, _)| name == package)
            || self.home.is_some_and(|(_, bundle)| bundle.package.value == *package)
    }

    /// The versions it may be taken for.
    pub fn versions(&self) -> impl Iterator<Item = &'a Version> {
        let facts = self.facts;
        facts.packages.iter().filter_map(|(_, version)| version.as_ref()).chain(&facts.version)
    }

    /// Its properties for a rule; `None` where they cannot be read.
    pub fn properties(&self) -> Option<&'a cel::Value> {
        let read = || {
            let (catalog, bundle) = self.home?;
            let tree = catalog.tree(bundle.doc)?.ok()?;
            for_rules(properties_of(&tree))
        };
        self.facts.properties.get_or_init(read).as_ref()
    }
}

/// Of the tree of an `olm.bundle`, as its installed copy has it.
pub(super) fn of_tree(tree: &Node<'_>, version: Option<Version>) -> Facts {
    Facts::of_properties(properties_of(tree), version)
}

/// A dependency that is decoded already; a constraint is not.
fn requirement(dependency: &Dependency) -> Option<Requirement> {
    let predicate = match dependency {
        Dependency::Package { package, range, .. } => Predicate::package(package, range),
        Dependency::Gvk { gvk, .. } => Ok(Predicate::Gvk(gvk.clone())),
        Dependency::Constraint { .. } => return None,
    };
    Some(Requirement { predicate, span: dependency.span() })
}

/// The types and values of a bundle's properties. Keys match whatever their case.
fn properties_of<'n, 'a>(tree: &'n Node<'a>) -> impl Iterator<Item = (&'n str, &'n Node<'a>)> + Clone {
    let items = any_case(tree, "properties").map(Node::items).unwrap_or_default();
    items.iter().filter_map(|item| {
        let kind = any_case(item, "type").and_then(Node::as_str).unwrap_or_default();
        Some((kind, any_case(item, "value")?))
    })
}

fn any_case<'n, 'a>(node: &'n Node<'a>, key: &str) -> Option<&'n Node<'a>> {
    let mut members = node.members().iter().rev();
    members.find(|member| member.key.eq_ignore_ascii_case(key)).map(|member| &member.value)
}

fn for_rules<'n, 'a: 'n>(
    properties: impl Iterator<Item = (&'n str, &'n Node<'a>)> + Clone,
) -> Option<cel::Value> {
    let kept = properties.filter(|(kind, _)| !NOT_KEPT.contains(kind));
    let again = kept.clone().filter(|(kind, _)| SEEN_TWICE.contains(kind));
    let values = kept.chain(again).map(|(kind, value)| Some((kind.to_owned(), cel::Value::of(value)?)));
    Some(cel::properties(values.collect::<Option<Vec<_>>>()?))
}
