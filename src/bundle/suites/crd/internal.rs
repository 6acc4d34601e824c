//! Internal form of CRDs of both API versions, with defaults, as checked by Kubernetes.

use super::{is_true, texts_of};
use crate::{
    bundle::read::{at, items, text},
    catalog::{Node, Span},
};

/// A CRD in the internal form.
pub(super) struct Internal<'n> {
    pub group: String,
    /// `spec.version`: the first of the versions, unless an old CRD has another value.
    pub version: String,
    pub plural: String,
    pub singular: String,
    pub kind: String,
    pub list_kind: String,
    pub short_names: Vec<String>,
    pub categories: Vec<String>,
    pub scope: String,
    pub preserve_unknown_fields: bool,
    pub versions: Vec<Listed<'n>>,
    /// Common parts of all versions.
    pub common: Version<'n>,
    pub conversion: Option<Conversion<'n>>,
    pub span: Span,
}

/// A version in the list.
pub(super) struct Listed<'n> {
    pub name: String,
    pub is_stored: bool,
    pub is_deprecated: bool,
    pub deprecation_warning: Option<String>,
    pub own: Version<'n>,
    pub span: Span,
}

/// Parts of a version.
#[derive(Clone, Default)]
pub(super) struct Version<'n> {
    pub schema: Option<&'n Node<'n>>,
    pub scale: Option<&'n Node<'n>>,
    pub columns: &'n [Node<'n>],
    pub selectable: &'n [Node<'n>],
}

/// Conversion between versions.
pub(super) struct Conversion<'n> {
    pub strategy: String,
    pub client: Option<&'n Node<'n>>,
    pub review_versions: Vec<String>,
    pub span: Span,
}

impl<'n> Internal<'n> {
    pub fn from_node(crd: &'n Node<'n>) -> Self {
        let is_old = text(crd, &["apiVersion"]).ends_with("/v1beta1");
        let spec = at(crd, &["spec"]);
        let field = |path: &[&str]| spec.map(|spec| text(spec, path).into_owned()).unwrap_or_default();
        let kind = field(&["names", "kind"]);
        let or = |given: String, default: String| if given.is_empty() { default } else { given };
        let singular = or(field(&["names", "singular"]), kind.to_lowercase());
        let list = if kind.is_empty() { String::new() } else { format!("{kind}List") };
        let list_kind = or(field(&["names", "listKind"]), list);
        let listed = spec.map(|spec| items(spec, &["versions"])).unwrap_or_default();
        let mut versions: Vec<Listed> =
            listed.iter().map(|version| Listed::from_node(version, is_old)).collect();
        let stated = field(&["version"]);
        if is_old && versions.is_empty() && !stated.is_empty() {
            versions.push(Listed {
                name: stated.clone(),
                is_stored: true,
                is_deprecated: false,
                deprecation_warning: None,
                own: Version::default(),
                span: crd.span,
            });
        }
        let first = versions.first().map(|version| version.name.clone()).unwrap_or_default();
        let version = if is_old { or(stated, first) } else { first };
        let mut common =
            spec.filter(|_| is_old).map(|spec| Version::from_node(spec, is_old)).unwrap_or_default();
        if !is_old {
            hoist(&mut versions, &mut common);
        }
        let default_scope = if is_old { "Namespaced" } else { "" };
        let preserves = spec.and_then(|spec| at(spec, &["preserveUnknownFields"]));
        Self {
            group: field(&["group"]),
            version,
            plural: field(&["names", "plural"]),
            singular,
            kind,
            list_kind,
            short_names: spec.map(|spec| texts_of(spec, &["names", "shortNames"])).unwrap_or_default(),
            categories: spec.map(|spec| texts_of(spec, &["names", "categories"])).unwrap_or_default(),
            scope: or(field(&["scope"]), default_scope.to_owned()),
            preserve_unknown_fields: match preserves {
                None => is_old,
                Some(_) => spec.is_some_and(|spec| is_true(spec, "preserveUnknownFields")),
            },
            versions,
            common,
            conversion: spec
                .and_then(|spec| at(spec, &["conversion"]))
                .map(|node| Conversion::from_node(node, is_old)),
            span: spec.map_or(crd.span, |spec| spec.span),
        }
    }
}

impl<'n> Listed<'n> {
    fn from_node(version: &'n Node<'n>, is_old: bool) -> Self {
        Self {
            name: text(version, &["name"]).into_owned(),
            is_stored: is_true(version, "storage"),
            is_deprecated: is_true(version, "deprecated"),
            deprecation_warning: at(version, &["deprecationWarning"])
                .map(|_| text(version, &["deprecationWarning"]).into_owned()),
            own: Version::from_node(version, is_old),
            span: version.span,
        }
    }
}

impl<'n> Version<'n> {
    fn from_node(node: &'n Node<'n>, is_old: bool) -> Self {
        let schema = at(node, &["schema", "openAPIV3Schema"]);
        Self {
            schema: schema.or_else(|| at(node, &["validation", "openAPIV3Schema"]).filter(|_| is_old)),
            scale: at(node, &["subresources", "scale"]),
            columns: items(node, &["additionalPrinterColumns"]),
            selectable: items(node, &["selectableFields"]),
        }
    }
}

impl<'n> Conversion<'n> {
    fn from_node(node: &'n Node<'n>, is_old: bool) -> Self {
        let client: &[&str] = if is_old { &["webhookClientConfig"] } else { &["webhook", "clientConfig"] };
        let review: &[&str] =
            if is_old { &["conversionReviewVersions"] } else { &["webhook", "conversionReviewVersions"] };
        let mut review_versions = texts_of(node, review);
        let strategy = text(node, &["strategy"]).into_owned();
        if is_old && strategy == "Webhook" && review_versions.is_empty() {
            review_versions.push("v1beta1".to_owned());
        }
        Self { strategy, client: at(node, client), review_versions, span: node.span }
    }
}

/// Moves parts that are equal in all versions to the common parts.
fn hoist<'n>(versions: &mut [Listed<'n>], common: &mut Version<'n>) {
    let Some(first) = versions.first().map(|version| version.own.clone()) else { return };
    let same = |a: Option<&Node>, b: Option<&Node>| match (a, b) {
        (Some(a), Some(b)) => a.same_meaning(b),
        (a, b) => a.is_none() && b.is_none(),
    };
    let same_list =
        |a: &[Node], b: &[Node]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same_meaning(b));
    if versions.iter().all(|version| same(version.own.schema, first.schema)) {
        common.schema = first.schema;
    }
    if versions.iter().all(|version| same(version.own.scale, first.scale)) {
        common.scale = first.scale;
        for version in versions.iter_mut() {
            version.own.scale = None;
        }
    }
    if versions.iter().all(|version| same_list(version.own.columns, first.columns)) {
        common.columns = first.columns;
        for version in versions.iter_mut() {
            version.own.columns = &[];
        }
    }
    if versions.iter().all(|version| same_list(version.own.selectable, first.selectable)) {
        common.selectable = first.selectable;
        for version in versions.iter_mut() {
            version.own.selectable = &[];
        }
    }
}
