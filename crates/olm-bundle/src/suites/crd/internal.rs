//! Internal form of CRDs of both API versions, with defaults, as checked by Kubernetes.

use super::{has_true, list_strings};
use crate::field_access::{items_at, node_at, text_at};
use olm_catalog::{Node, Span};

/// A CRD in the internal form.
pub(super) struct InternalCrd<'n> {
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
    pub versions: Vec<ListedVersion<'n>>,
    /// Common parts of all versions.
    pub common: VersionParts<'n>,
    pub conversion: Option<Conversion<'n>>,
    pub span: Span,
}

/// A version in the list.
pub(super) struct ListedVersion<'n> {
    pub name: String,
    pub is_stored: bool,
    pub is_deprecated: bool,
    pub deprecation_warning: Option<String>,
    pub own: VersionParts<'n>,
    pub span: Span,
}

/// Parts of a version.
#[derive(Clone, Default)]
pub(super) struct VersionParts<'n> {
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

impl<'n> InternalCrd<'n> {
    pub fn from_node(crd: &'n Node<'n>) -> Self {
        let is_old = text_at(crd, &["apiVersion"]).ends_with("/v1beta1");
        let spec = node_at(crd, &["spec"]);
        let field = |path: &[&str]| spec.map(|spec| text_at(spec, path).into_owned()).unwrap_or_default();
        let kind = field(&["names", "kind"]);
        let or = |given: String, default: String| if given.is_empty() { default } else { given };
        let singular = or(field(&["names", "singular"]), kind.to_lowercase());
        let list = if kind.is_empty() { String::new() } else { format!("{kind}List") };
        let list_kind = or(field(&["names", "listKind"]), list);
        let listed = spec.map(|spec| items_at(spec, &["versions"])).unwrap_or_default();
        let mut versions: Vec<ListedVersion> =
            listed.iter().map(|version| ListedVersion::from_node(version, is_old)).collect();
        let stated = field(&["version"]);
        if is_old && versions.is_empty() && !stated.is_empty() {
            versions.push(ListedVersion {
                name: stated.clone(),
                is_stored: true,
                is_deprecated: false,
                deprecation_warning: None,
                own: VersionParts::default(),
                span: crd.span,
            });
        }
        let first = versions.first().map(|version| version.name.clone()).unwrap_or_default();
        let version = if is_old { or(stated, first) } else { first };
        let mut common =
            spec.filter(|_| is_old).map(|spec| VersionParts::from_node(spec, is_old)).unwrap_or_default();
        if !is_old {
            hoist_common_parts(&mut versions, &mut common);
        }
        let default_scope = if is_old { "Namespaced" } else { "" };
        let preserves = spec.and_then(|spec| node_at(spec, &["preserveUnknownFields"]));
        Self {
            group: field(&["group"]),
            version,
            plural: field(&["names", "plural"]),
            singular,
            kind,
            list_kind,
            short_names: spec.map(|spec| list_strings(spec, &["names", "shortNames"])).unwrap_or_default(),
            categories: spec.map(|spec| list_strings(spec, &["names", "categories"])).unwrap_or_default(),
            scope: or(field(&["scope"]), default_scope.to_owned()),
            preserve_unknown_fields: match preserves {
                None => is_old,
                Some(_) => spec.is_some_and(|spec| has_true(spec, "preserveUnknownFields")),
            },
            versions,
            common,
            conversion: spec
                .and_then(|spec| node_at(spec, &["conversion"]))
                .map(|node| Conversion::from_node(node, is_old)),
            span: spec.map_or(crd.span, |spec| spec.span),
        }
    }
}

impl<'n> ListedVersion<'n> {
    fn from_node(version: &'n Node<'n>, is_old: bool) -> Self {
        Self {
            name: text_at(version, &["name"]).into_owned(),
            is_stored: has_true(version, "storage"),
            is_deprecated: has_true(version, "deprecated"),
            deprecation_warning: node_at(version, &["deprecationWarning"])
                .map(|_| text_at(version, &["deprecationWarning"]).into_owned()),
            own: VersionParts::from_node(version, is_old),
            span: version.span,
        }
    }
}

impl<'n> VersionParts<'n> {
    fn from_node(node: &'n Node<'n>, is_old: bool) -> Self {
        let schema = node_at(node, &["schema", "openAPIV3Schema"]);
        Self {
            schema: schema.or_else(|| node_at(node, &["validation", "openAPIV3Schema"]).filter(|_| is_old)),
            scale: node_at(node, &["subresources", "scale"]),
            columns: items_at(node, &["additionalPrinterColumns"]),
            selectable: items_at(node, &["selectableFields"]),
        }
    }
}

impl<'n> Conversion<'n> {
    fn from_node(node: &'n Node<'n>, is_old: bool) -> Self {
        let client: &[&str] = if is_old { &["webhookClientConfig"] } else { &["webhook", "clientConfig"] };
        let review: &[&str] =
            if is_old { &["conversionReviewVersions"] } else { &["webhook", "conversionReviewVersions"] };
        let mut review_versions = list_strings(node, review);
        let strategy = text_at(node, &["strategy"]).into_owned();
        if is_old && strategy == "Webhook" && review_versions.is_empty() {
            review_versions.push("v1beta1".to_owned());
        }
        Self { strategy, client: node_at(node, client), review_versions, span: node.span }
    }
}

/// Moves parts that are equal in all versions to the common parts.
fn hoist_common_parts<'n>(versions: &mut [ListedVersion<'n>], common: &mut VersionParts<'n>) {
    let Some(first) = versions.first().map(|version| version.own.clone()) else { return };
    let same = |a: Option<&Node>, b: Option<&Node>| match (a, b) {
        (Some(a), Some(b)) => a.has_same_value(b),
        (a, b) => a.is_none() && b.is_none(),
    };
    let same_list =
        |a: &[Node], b: &[Node]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.has_same_value(b));
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
