//! `ClusterServiceVersion`s and `InstallPlan`s: installed bundles and pending installations.

use super::{InstalledBundle, Location, fields::Fields};
use olm_catalog::{
    BundleName, Format, Node, PackageName,
    text::{emit, split},
};
use olm_version::Version;

/// Mark of a copy in another namespace (`operator-lifecycle-manager`, `pkg/lib/...` and
/// `api/pkg/operators/v1alpha1`: `CopiedLabelKey`).
const COPIED_FROM: &str = "olm.copiedFrom";
/// Annotations in which OLM stores the properties of the bundle: the newer key and the older key.
const PROPERTIES: [&str; 2] = ["operatorframework.io/properties", "olm.properties"];
/// Relevant properties. Others are ignored, because any tool can add properties.
const RELEVANT_PROPERTIES: [&str; 7] = [
    "olm.constraint",
    "olm.gvk",
    "olm.gvk.required",
    "olm.label",
    "olm.maxOpenShiftVersion",
    "olm.package",
    "olm.package.required",
];

/// `ClusterServiceVersion` that is not a copy.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Csv {
    pub namespace: String,
    pub bundle: InstalledBundle,
    /// Package in its properties.
    pub package: Option<PackageName>,
    pub place: Location,
}

impl Csv {
    /// Parses a `ClusterServiceVersion`; `None` for a copy.
    pub fn from_fields(
        fields: &Fields<'_>,
        namespace: String,
        name: &str,
        place: &Location,
        note: impl FnOnce(&'static str),
    ) -> Option<Self> {
        let is_marked = |place: &str| fields.value_at(&["metadata", place, COPIED_FROM]).is_some();
        let phase = fields.text_at(&["status", "phase"]).unwrap_or_default();
        let reason = fields.text_at(&["status", "reason"]).unwrap_or_default();
        if is_marked("labels") || is_marked("annotations") || reason == "Copied" {
            return None;
        }
        let properties = parse_properties(fields);
        let own = properties.iter().find(|(kind, _)| kind == "olm.package");
        let own = own.and_then(|(_, json)| split::parse_chunk(Format::Json, json.as_bytes()).ok());
        let own_text = |key: &str| -> Option<String> {
            let text = own.as_ref()?.get(key)?.as_str()?;
            (!text.is_empty()).then(|| text.to_owned())
        };
        let version = fields.text_at(&["spec", "version"]).or_else(|| own_text("version"));
        let package = own_text("packageName").map(Into::into);
        drop(own);
        let read = version.map(|text| Version::parse_tolerant(&text));
        if let Some(Err(_)) = read {
            note("spec.version");
        }
        let bundle = InstalledBundle {
            name: name.into(),
            version: read.and_then(Result::ok).map(Into::into),
            phase,
            reason,
            replaces: fields.text_at(&["spec", "replaces"]).map(Into::into),
            properties,
        };
        Some(Self { namespace, bundle, package, place: place.clone() })
    }
}

/// Parses the properties in the annotations like OLM: `{"properties": [{"type": .., "value": ..}]}`, or only
/// the list.
fn parse_properties(fields: &Fields<'_>) -> Vec<(String, String)> {
    let text = PROPERTIES.iter().find_map(|key| fields.text_at(&["metadata", "annotations", key]));
    let Some(text) = text else { return Vec::new() };
    let Ok(tree) = split::parse_chunk(Format::Json, text.as_bytes()) else { return Vec::new() };
    let list = tree.get("properties").unwrap_or(&tree);
    let property = |node: &Node<'_>| {
        let kind = node.get("type")?.as_str()?;
        RELEVANT_PROPERTIES
            .contains(&kind)
            .then(|| Some((kind.to_owned(), emit::write_json(node.get("value")?))))?
    };
    list.items().iter().filter_map(property).collect()
}

/// `InstallPlan` that waits for approval.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PendingCsv {
    pub namespace: String,
    pub name: String,
    pub bundles: Vec<BundleName>,
    pub place: Location,
}

impl PendingCsv {
    /// Parses an `InstallPlan`; `None` if it does not wait for approval.
    pub fn from_fields(
        fields: &Fields<'_>,
        namespace: String,
        name: String,
        place: Location,
    ) -> Option<Self> {
        let waits = fields.text_at(&["status", "phase"]).as_deref() == Some("RequiresApproval")
            && fields.bool_at(&["spec", "approved"]) != Some(true);
        let names = fields.texts_at(&["spec", "clusterServiceVersionNames"]);
        let bundles = names.iter().map(|name| name.as_str().into()).collect();
        waits.then_some(Self { namespace, name, bundles, place })
    }
}
