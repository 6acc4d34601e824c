//! What people read about a bundle before they install it: decoded from its document when a screen asks.

use base64::Engine as _;

use super::{
    node::{Node, Value},
    text::split::{self, Format},
};

/// The ClusterServiceVersion of a bundle, in so far as people read it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BundleDetails {
    /// What the operator is called.
    pub display_name: String,
    /// What it is; Markdown.
    pub description: String,
    /// Who makes it.
    pub provider: String,
    /// Such as `stable` or `alpha`.
    pub maturity: String,
    /// How much of an operator's life it automates, such as `Deep Insights`.
    pub capabilities: String,
    /// Words to find it by.
    pub keywords: Vec<String>,
    /// APIs it brings.
    pub owned: Vec<Api>,
    /// APIs that somebody else must bring.
    pub required: Vec<Api>,
    /// Where it can watch, such as `AllNamespaces`.
    pub install_modes: Vec<String>,
    /// The oldest Kubernetes it runs on.
    pub min_kube_version: String,
    /// Name and address.
    pub links: Vec<(String, String)>,
}

/// A custom resource definition as a CSV names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Api {
    /// `name.group`
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// Its version.
    pub version: String,
}

impl BundleDetails {
    /// Reads the tree of an `olm.bundle`. What is not there stays empty.
    pub fn of(bundle: &Node) -> Self {
        let properties = bundle.get("properties").map(Node::items).unwrap_or_default();
        let values = |kind: &'static str| {
            let of_kind = properties.iter().filter(move |p| text(p, "type") == kind);
            of_kind.filter_map(|p| p.get("value"))
        };
        if let Some(csv) = values("olm.csv.metadata").next() {
            return Self::of_csv(csv, csv, "crdDescriptions");
        }
        values("olm.bundle.object")
            .filter_map(bundle_object)
            .find(|object| text(object, "kind") == "ClusterServiceVersion")
            .and_then(|object| {
                let spec = object.get("spec")?;
                let metadata = object.get("metadata").unwrap_or(spec);
                Some(Self::of_csv(spec, metadata, "customresourcedefinitions"))
            })
            .unwrap_or_default()
    }

    /// Of the spec or what a catalog made of it; the two call the CRDs differently.
    fn of_csv(csv: &Node, metadata: &Node, crds: &str) -> Self {
        let definitions = csv.get(crds);
        let apis = |key: &str| -> Vec<Api> {
            let items = definitions.and_then(|d| d.get(key)).map(Node::items).unwrap_or_default();
            let api = |item: &Node| Api {
                name: text(item, "name"),
                kind: text(item, "kind"),
                version: text(item, "version"),
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
            display_name: text(csv, "displayName"),
            description: text(csv, "description"),
            provider: csv.get("provider").map(|p| text(p, "name")).unwrap_or_default(),
            maturity: text(csv, "maturity"),
            capabilities: metadata.get("annotations").map(|a| text(a, "capabilities")).unwrap_or_default(),
            keywords: strings("keywords"),
            owned: apis("owned"),
            required: apis("required"),
            install_modes: modes.iter().filter(supported).map(|mode| text(mode, "type")).collect(),
            min_kube_version: text(csv, "minKubeVersion"),
            links: links.iter().map(|link| (text(link, "name"), text(link, "url"))).collect(),
        }
    }
}

fn text(node: &Node, key: &str) -> String {
    node.get(key).and_then(Node::as_str).unwrap_or_default().to_owned()
}

/// The Kubernetes object in the value of an `olm.bundle.object`; nothing where it cannot be read.
pub fn bundle_object(value: &Node) -> Option<Node<'static>> {
    let data = value.get("data")?.as_str()?;
    let compact: String = data.chars().filter(|c| !c.is_whitespace()).collect();
    let bytes = base64::engine::general_purpose::STANDARD.decode(compact).ok()?;
    let tree = split::parse(Format::Json, &bytes).or_else(|_| split::parse(Format::Yaml, &bytes));
    tree.ok().map(|tree| tree.detached())
}
