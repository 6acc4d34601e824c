//! Descriptive details of a bundle, decoded from its document on demand.

use base64::Engine as _;

use super::{
    node::{Node, Value},
    text::split::{self, Format},
};

/// Descriptive part of the ClusterServiceVersion of a bundle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BundleDetails {
    /// Display name of the operator.
    pub display_name: String,
    /// Description in Markdown.
    pub description: String,
    /// Provider of the operator.
    pub provider: String,
    /// Maturity, such as `stable` or `alpha`.
    pub maturity: String,
    /// Capability level, such as `Deep Insights`.
    pub capabilities: String,
    /// Search keywords.
    pub keywords: Vec<String>,
    /// APIs that the operator provides.
    pub owned: Vec<Api>,
    /// APIs that other operators must provide.
    pub required: Vec<Api>,
    /// Supported install modes, such as `AllNamespaces`.
    pub install_modes: Vec<String>,
    /// Minimum Kubernetes version.
    pub min_kube_version: String,
    /// Links as name and URL.
    pub links: Vec<(String, String)>,
}

/// A custom resource definition listed in a CSV.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Api {
    /// Name in the form `name.group`.
    pub name: String,
    /// Kind of the resource.
    pub kind: String,
    /// API version.
    pub version: String,
}

impl BundleDetails {
    /// Decodes the tree of an `olm.bundle`. Absent values stay empty.
    pub fn from_bundle(bundle: &Node) -> Self {
        let properties = bundle.get("properties").map(Node::items).unwrap_or_default();
        let values = |kind: &'static str| {
            let of_kind = properties.iter().filter(move |p| member_text(p, "type") == kind);
            of_kind.filter_map(|p| p.get("value"))
        };
        if let Some(csv) = values("olm.csv.metadata").next() {
            return Self::from_csv(csv, csv, "crdDescriptions");
        }
        values("olm.bundle.object")
            .filter_map(bundle_object)
            .find(|object| member_text(object, "kind") == "ClusterServiceVersion")
            .and_then(|object| {
                let spec = object.get("spec")?;
                let metadata = object.get("metadata").unwrap_or(spec);
                Some(Self::from_csv(spec, metadata, "customresourcedefinitions"))
            })
            .unwrap_or_default()
    }

    /// Decodes the spec of a CSV or an `olm.csv.metadata` value; the key of the CRDs differs between them.
    fn from_csv(csv: &Node, metadata: &Node, crds: &str) -> Self {
        let definitions = csv.get(crds);
        let apis = |key: &str| -> Vec<Api> {
            let items = definitions.and_then(|d| d.get(key)).map(Node::items).unwrap_or_default();
            let api = |item: &Node| Api {
                name: member_text(item, "name"),
                kind: member_text(item, "kind"),
                version: member_text(item, "version"),
            };
            items.iter().map(api).collect()
        };
        let strings = |key: &str| -> Vec<String> {
            let items = csv.get(key).map(Node::items).unwrap_or_default();
            items.iter().filter_map(Node::as_str).map(str::to_owned).collect()
        };
        let modes = csv.get("installModes").map(Node::items).unwrap_or_default();
        let supported =
            |mode: &&Node| matches!(mode.get("supported").map(|s| &s.value), Some(Value::Bool(true)));
        let links = csv.get("links").map(Node::items).unwrap_or_default();
        Self {
            display_name: member_text(csv, "displayName"),
            description: member_text(csv, "description"),
            provider: csv.get("provider").map(|p| member_text(p, "name")).unwrap_or_default(),
            maturity: member_text(csv, "maturity"),
            capabilities: metadata
                .get("annotations")
                .map(|a| member_text(a, "capabilities"))
                .unwrap_or_default(),
            keywords: strings("keywords"),
            owned: apis("owned"),
            required: apis("required"),
            install_modes: modes.iter().filter(supported).map(|mode| member_text(mode, "type")).collect(),
            min_kube_version: member_text(csv, "minKubeVersion"),
            links: links.iter().map(|link| (member_text(link, "name"), member_text(link, "url"))).collect(),
        }
    }
}

fn member_text(node: &Node, key: &str) -> String {
    node.get(key).and_then(Node::as_str).unwrap_or_default().to_owned()
}

/// Returns the Kubernetes object in the value of an `olm.bundle.object`; `None` if it cannot be read.
pub fn bundle_object(value: &Node) -> Option<Node<'static>> {
    let data = value.get("data")?.as_str()?;
    let compact: String = data.chars().filter(|c| !c.is_whitespace()).collect();
    let bytes = base64::engine::general_purpose::STANDARD.decode(compact).ok()?;
    let tree = split::parse_chunk(Format::Json, &bytes).or_else(|_| split::parse_chunk(Format::Yaml, &bytes));
    tree.ok().map(|tree| tree.detached())
}
