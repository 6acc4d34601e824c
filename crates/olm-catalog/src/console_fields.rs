//! Fields by which consoles show, search and filter operators.
//!
//! A console reads the ClusterServiceVersion of a head. Registries take it from the `olm.bundle.object`s of the
//! bundle, otherwise they make it from `olm.csv.metadata` (operator-registry `pkg/api/model_to_api.go`). OLM's
//! package server adds the default platform (operator-lifecycle-manager `pkg/package-server/provider`).

use super::{
    details::bundle_object,
    node::{Node, Value},
    text::json,
};

/// Prefixes of labels for platforms, without the dot before the name. OLM adds its default if no label of the
/// ClusterServiceVersion has the prefix.
const ARCHITECTURE_LABEL: &str = "operatorframework.io/arch";
const OPERATING_SYSTEM_LABEL: &str = "operatorframework.io/os";
/// Platform of operators without labels.
const DEFAULT_ARCHITECTURE: &str = "amd64";
const DEFAULT_OPERATING_SYSTEM: &str = "linux";
/// Prefix of annotations about single features.
const FEATURE_ANNOTATION: &str = "features.operators.openshift.io/";
/// Older annotation with the features of the infrastructure that the operator supports: a JSON list.
pub const INFRASTRUCTURE_FEATURES: &str = "operators.openshift.io/infrastructure-features";
/// Annotation with the subscriptions that the operator needs: a JSON list.
pub const VALID_SUBSCRIPTION: &str = "operators.openshift.io/valid-subscription";

/// Features that consoles know, each with its names in the older annotation. The name of a feature is that of its
/// own annotation. Case counts in both.
const FEATURES: [(&str, &[&str]); 11] = [
    ("disconnected", &["disconnected", "Disconnected"]),
    ("proxy-aware", &["proxy-aware", "Proxy", "ProxyAware"]),
    ("fips-compliant", &["fips", "FIPS", "FipsMode"]),
    ("tls-profiles", &["tls", "TLS", "tlsProfiles", "TLSProfiles"]),
    ("cnf", &["cnf", "CNF"]),
    ("cni", &["cni", "CNI"]),
    ("csi", &["csi", "CSI"]),
    ("sno", &["sno", "SNO"]),
    ("token-auth-aws", &["tokenAuth", "TokenAuth"]),
    ("token-auth-azure", &["tokenAuth", "TokenAuth"]),
    ("token-auth-gcp", &["tokenAuthGCP", "TokenAuthGCP"]),
];

/// Form of the ClusterServiceVersion of a bundle in a catalog.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CsvForm {
    /// `olm.bundle.object`: the whole object.
    Objects,
    /// `olm.csv.metadata`: the descriptive part. The icon is that of the package.
    Metadata,
}

/// Fields of a ClusterServiceVersion by which consoles show, search and filter an operator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConsoleFields {
    /// Form of the ClusterServiceVersion in the catalog.
    pub form: CsvForm,
    /// Display name of the operator.
    pub display_name: String,
    /// Description, or the short one of an annotation.
    pub description: String,
    /// Name of the provider.
    pub provider: String,
    /// Search keywords.
    pub keywords: Vec<String>,
    /// Categories, such as `Database`.
    pub categories: Vec<String>,
    /// Capability level, such as `Deep Insights`.
    pub capability: String,
    /// Supported architectures; OLM's default if there are no labels.
    pub architectures: Vec<String>,
    /// Supported operating systems; OLM's default if there are no labels.
    pub operating_systems: Vec<String>,
    /// Features that consoles know, such as `disconnected`.
    pub features: Vec<&'static str>,
    /// Subscriptions that the operator needs.
    pub subscriptions: Vec<String>,
    /// True if the ClusterServiceVersion has an icon. Always false for [`CsvForm::Metadata`].
    pub has_icon: bool,
}

impl ConsoleFields {
    /// Decodes the tree of an `olm.bundle`; `None` if it has no ClusterServiceVersion, so that consoles cannot show
    /// it. Absent values stay empty.
    pub fn from_bundle(bundle: &Node) -> Option<Self> {
        let properties = bundle.get("properties").map(Node::items).unwrap_or_default();
        let values = |kind: &'static str| {
            let of_kind = properties.iter().filter(move |p| member_str(p, "type") == kind);
            of_kind.filter_map(|p| p.get("value"))
        };
        let mut objects = values("olm.bundle.object").filter_map(bundle_object);
        if let Some(csv) = objects.find(|object| member_str(object, "kind") == "ClusterServiceVersion") {
            let (spec, metadata) = (csv.get("spec"), csv.get("metadata"));
            return Some(Self::from_csv(CsvForm::Objects, spec, metadata));
        }
        let metadata = values("olm.csv.metadata").next()?;
        Some(Self::from_csv(CsvForm::Metadata, Some(metadata), Some(metadata)))
    }

    /// Decodes a ClusterServiceVersion.
    fn from_csv(form: CsvForm, spec: Option<&Node>, metadata: Option<&Node>) -> Self {
        let member = |key: &str| spec.and_then(|spec| spec.get(key));
        let text = |key: &str| member(key).and_then(Node::as_str).unwrap_or_default().to_owned();
        let labels = metadata.and_then(|metadata| metadata.get("labels"));
        let annotations = metadata.and_then(|metadata| metadata.get("annotations"));
        let annotation = |key: &str| annotations.map(|node| member_str(node, key)).unwrap_or_default();
        let description = match text("description") {
            text if text.trim().is_empty() => annotation("description").to_owned(),
            text => text,
        };
        let icons = member("icon").map(Node::items).unwrap_or_default();
        let keywords = member("keywords").map(Node::items).unwrap_or_default();
        let categories = annotation("categories").split(',').map(str::trim);
        Self {
            form,
            display_name: text("displayName"),
            description,
            provider: member("provider").map(|node| member_str(node, "name")).unwrap_or_default().to_owned(),
            keywords: keywords.iter().filter_map(Node::as_str).map(str::to_owned).collect(),
            categories: categories.filter(|name| !name.is_empty()).map(str::to_owned).collect(),
            capability: annotation("capabilities").to_owned(),
            architectures: supported_platforms(labels, ARCHITECTURE_LABEL, DEFAULT_ARCHITECTURE),
            operating_systems: supported_platforms(labels, OPERATING_SYSTEM_LABEL, DEFAULT_OPERATING_SYSTEM),
            features: supported_features(annotations),
            subscriptions: json_strings(annotation(VALID_SUBSCRIPTION)),
            has_icon: icons.iter().any(|icon| !member_str(icon, "base64data").is_empty()),
        }
    }
}

/// Returns the features that have a name, ignoring case: as in their own annotation, or as in the older one.
pub fn features_with_name(name: &str) -> Vec<&'static str> {
    let has_name = |(feature, old): &&(&'static str, &[&str])| {
        feature.eq_ignore_ascii_case(name) || old.iter().any(|old| old.eq_ignore_ascii_case(name))
    };
    FEATURES.iter().filter(has_name).map(|(feature, _)| *feature).collect()
}

fn member_str<'n>(node: &'n Node<'_>, key: &str) -> &'n str {
    node.get(key).and_then(Node::as_str).unwrap_or_default()
}

/// Returns the names of the labels with a prefix and the value `supported`.
fn supported_platforms(labels: Option<&Node>, prefix: &str, default: &str) -> Vec<String> {
    let members = labels.map(Node::members).unwrap_or_default();
    let mut with_prefix = members.iter().filter(|member| member.key.starts_with(prefix)).peekable();
    if with_prefix.peek().is_none() {
        return vec![default.to_owned()];
    }
    let supported = with_prefix.filter(|member| member.value.as_str() == Some("supported"));
    let names = supported.filter_map(|member| member.key.strip_prefix(prefix)?.strip_prefix('.'));
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns the features of both annotations. An annotation about a single feature wins.
fn supported_features(annotations: Option<&Node>) -> Vec<&'static str> {
    let annotation = |key: &str| annotations.and_then(|node| node.get(key)).and_then(Node::as_str);
    let listed = json_strings(annotation(INFRASTRUCTURE_FEATURES).unwrap_or_default());
    let is_supported = |(feature, old): &&(&'static str, &[&str])| {
        let own = annotation(&format!("{FEATURE_ANNOTATION}{feature}"));
        let is_listed = || listed.iter().any(|name| old.contains(&name.as_str()));
        own.map_or_else(is_listed, |value| value != "false")
    };
    FEATURES.iter().filter(is_supported).map(|(feature, _)| *feature).collect()
}

/// Returns all names that a feature has in the older annotation, if `name` is one of them. Case counts.
pub fn names_of_feature(name: &str) -> Option<&'static [&'static str]> {
    FEATURES.iter().find(|(_, names)| names.contains(&name)).map(|(_, names)| *names)
}

/// Parses an annotation that must be a JSON list of strings; `None` if it is not. Consoles then
/// ignore the whole annotation.
pub fn parse_string_list(text: &str) -> Option<Node<'_>> {
    let list = json::parse_json(text.as_bytes()).ok()?;
    let Value::List(items) = &list.value else { return None };
    let is_string = |item: &Node| matches!(item.value, Value::String(_));
    items.iter().all(is_string).then_some(list)
}

/// Returns the strings of an annotation; empty if it is not a JSON list of strings.
fn json_strings(text: &str) -> Vec<String> {
    let list = parse_string_list(text);
    let items = list.iter().flat_map(Node::items);
    items.filter_map(Node::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;

    use super::*;
    use crate::text::split::{Format, parse_chunk};

    fn decode_fields(yaml: &str) -> Option<ConsoleFields> {
        ConsoleFields::from_bundle(&parse_chunk(Format::Yaml, yaml.as_bytes()).unwrap())
    }

    #[test]
    fn decodes_fields_of_csv_metadata() {
        let fields = decode_fields(
            "\
properties:
- type: olm.csv.metadata
  value:
    displayName: Kiln
    provider: {name: Potters}
    keywords: [clay, 3, fire]
    labels:
      operatorframework.io/arch.s390x: supported
      operatorframework.io/arch.arm64: no
    annotations:
      capabilities: Deep Insights
      categories: 'Database, AI/Machine Learning,'
      description: Fires clay.
      operators.openshift.io/infrastructure-features: '[\"disconnected\", \"Proxy\", \"proxyaware\", \"fips\"]'
      features.operators.openshift.io/fips-compliant: 'false'
      features.operators.openshift.io/csi: 'true'
      operators.openshift.io/valid-subscription: '[\"Pottery Plus\"]'
",
        )
        .unwrap();
        assert_eq!(fields.form, CsvForm::Metadata);
        assert_eq!((&*fields.display_name, &*fields.provider), ("Kiln", "Potters"));
        assert_eq!(fields.description, "Fires clay.");
        assert_eq!(fields.keywords, ["clay", "fire"]);
        assert_eq!(fields.categories, ["Database", "AI/Machine Learning"]);
        assert_eq!(fields.capability, "Deep Insights");
        assert_eq!(fields.architectures, ["s390x"]);
        assert_eq!(fields.operating_systems, ["linux"], "the default");
        assert_eq!(fields.features, ["disconnected", "proxy-aware", "csi"], "case counts");
        assert_eq!(fields.subscriptions, ["Pottery Plus"]);
    }

    #[test]
    fn objects_come_before_metadata() {
        let csv = "{\"kind\": \"ClusterServiceVersion\", \"metadata\": {\"labels\": {\"a\": \"b\"}}, \"spec\": \
                   {\"displayName\": \"Whole\", \"icon\": [{\"base64data\": \"aQ==\"}]}}";
        let data = base64::engine::general_purpose::STANDARD.encode(csv);
        let yaml = format!(
            "properties:\n- type: olm.csv.metadata\n  value: {{displayName: Part}}\n- type: olm.bundle.object\n  value: \
             {{data: e30=}}\n- type: olm.bundle.object\n  value: {{data: {data}}}\n"
        );
        let fields = decode_fields(&yaml).unwrap();
        assert_eq!((fields.form, &*fields.display_name), (CsvForm::Objects, "Whole"));
        assert!(fields.has_icon);
        assert_eq!(fields.architectures, ["amd64"]);
    }

    #[test]
    fn bundle_without_csv_has_no_fields() {
        assert_eq!(decode_fields("properties: [{type: olm.bundle.object, value: {data: e30=}}]"), None);
        assert_eq!(decode_fields("name: a"), None);
    }

    #[test]
    fn ignores_annotations_that_are_not_lists_of_strings() {
        for text in ["disconnected", "[\"disconnected\", 1]", "{\"disconnected\": true}", ""] {
            assert_eq!(json_strings(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn features_have_names_of_both_annotations() {
        assert_eq!(features_with_name("FIPS"), ["fips-compliant"]);
        assert_eq!(features_with_name("fips-compliant"), ["fips-compliant"]);
        assert_eq!(features_with_name("tokenauth"), ["token-auth-aws", "token-auth-azure"]);
        assert_eq!(features_with_name("nothing"), [""; 0]);
    }
}
