//! Decodes bundles: the fields in use, and the types of properties as opm checks them (operator-registry
//! `alpha/property`).

use GoType::{Any, Bool, Int32, List, Map, Struct, Text};
use serde::de::IgnoredAny;

use super::{BUNDLE_KEYS, Decoder, Fields, Path, key_matches_field};
use crate::{
    blob::{BundleBlob, CsvSummary, Dependency, Gvk, PackageProperty, Property, RelatedImage},
    names::{BundleName, PackageName},
    node::{Node, Value},
    problem::ProblemKind,
    span::{Span, Spanned},
    text::yaml,
};
use olm_version::{Version, VersionRelease, VersionReleaseError};

impl Decoder {
    pub(super) fn decode_bundle(&mut self, node: &Node) -> BundleBlob {
        let fields = Fields::new(node, Path::Blob);
        let package = self.required_name(&fields, "package").map(PackageName::from);
        let name = self.required_name(&fields, "name").map(BundleName::from);
        let mut bundle = BundleBlob::new(self.doc, package, name);
        bundle.image = fields.non_empty_string(self, "image");
        bundle.related_images = self.decode_related_images(&fields);
        let properties = Path::Key(&Path::Blob, "properties");
        for (index, item) in fields.list_field(self, "properties").iter().enumerate() {
            let path = Path::Item(&properties, index);
            if !item.is_null() && !self.expect_map(item, path) {
                continue;
            }
            self.decode_property(&mut bundle, item, path);
        }
        self.report_unknown_keys(node, BUNDLE_KEYS);
        bundle.version = bundle.package_properties.iter().find_map(|p| p.parsed.as_ref().ok().cloned());
        bundle
    }

    fn decode_related_images(&mut self, fields: &Fields<'_>) -> Vec<RelatedImage> {
        let mut images = Vec::new();
        let related = Path::Key(&Path::Blob, "relatedImages");
        for (index, item) in fields.list_field(self, "relatedImages").iter().enumerate() {
            let path = Path::Item(&related, index);
            if !item.is_null() && !self.expect_map(item, path) {
                continue;
            }
            let inner = Fields::new(item, path);
            let name = inner.string_field(self, "name").map(|s| s.value).unwrap_or_default();
            images.push(RelatedImage { name, image: self.required_name(&inner, "image") });
        }
        images
    }

    fn decode_property(&mut self, bundle: &mut BundleBlob, item: &Node, path: Path<'_>) {
        let fields = Fields::new(item, path);
        let kind = self.required_name(&fields, "type");
        // A null value counts as present (`json.RawMessage("null")`); only an absent key is an error.
        let Some(value) = fields.member("value").map(|m| &m.value) else {
            bundle.properties.push(Property { kind, value: Span::default() });
            self.report_problem(item.span, ProblemKind::Missing { field: fields.field_path("value") });
            return;
        };
        let path = Path::Key(&path, "value");
        match kind.value.as_str() {
            "olm.package" => {
                let position = bundle.properties.len();
                let property = self.decode_package_property(item, value, position, path);
                bundle.package_properties.extend(property);
            }
            "olm.package.required" => bundle.requires.extend(self.decode_package_requirement(value, path)),
            "olm.gvk" => bundle.provides.extend(self.decode_gvk(value, path)),
            "olm.gvk.required" => bundle
                .requires
                .extend(self.decode_gvk(value, path).map(|gvk| Dependency::Gvk { span: value.span, gvk })),
            "olm.constraint" => bundle.requires.push(decode_constraint(value)),
            "olm.channel" => {
                if let Some(fields) = self.expect_object(value, path) {
                    fields.string_field(self, "channelName");
                    self.check_integer(&fields, "priority");
                }
            }
            "olm.maxOpenShiftVersion" => bundle.max_openshift = scalar_text(value),
            "olm.csv.metadata" => bundle.csv = self.decode_csv_metadata(value, path),
            "olm.bundle.object" => {
                bundle.has_objects = true;
                self.check_bundle_object(value, path);
            }
            _ => {}
        }
        bundle.properties.push(Property { kind, value: value.span });
    }

    /// Returns the members of a value that must be an object; null is an empty one.
    fn expect_object<'a>(&mut self, value: &'a Node, path: Path<'a>) -> Option<Fields<'a>> {
        (value.is_null() || self.expect_map(value, path)).then(|| Fields::new(value, path))
    }

    fn check_integer(&mut self, fields: &Fields<'_>, key: &str) {
        if let Some(node) = fields.non_null_value(key)
            && !matches!(&node.value, Value::Number(n) if n.0.parse::<i64>().is_ok())
        {
            self.report_wrong_type(node.span, fields.field_path(key), "a whole number");
        }
    }

    fn decode_package_property(
        &mut self,
        item: &Node,
        value: &Node,
        position: usize,
        path: Path<'_>,
    ) -> Option<PackageProperty> {
        let fields = self.expect_object(value, path)?;
        let package_name = self.required_name(&fields, "packageName");
        let version = self.required_name(&fields, "version");
        let release = fields.non_empty_string(self, "release");
        let parsed = parse_version(&version.value, release.as_ref().map(|r| r.value.as_str()));
        Some(PackageProperty { position, span: item.span, package_name, version, release, parsed })
    }

    fn decode_package_requirement(&mut self, value: &Node, path: Path<'_>) -> Option<Dependency> {
        let fields = self.expect_object(value, path)?;
        let package = self.required_name(&fields, "packageName").value;
        let range = self.required_name(&fields, "versionRange").value;
        Some(Dependency::Package { span: value.span, package, range })
    }

    fn decode_gvk(&mut self, value: &Node, path: Path<'_>) -> Option<Gvk> {
        let fields = self.expect_object(value, path)?;
        Some(Gvk {
            group: self.required_name(&fields, "group").value,
            version: self.required_name(&fields, "version").value,
            kind: self.required_name(&fields, "kind").value,
        })
    }

    fn decode_csv_metadata(&mut self, value: &Node, path: Path<'_>) -> Option<CsvSummary> {
        self.check_shape(value, &CSV_METADATA, path);
        if !matches!(value.value, Value::Map(_) | Value::Null) {
            return None;
        }
        let fields = Fields::new(value, path);
        let modes = fields.non_null_value("installModes").map(Node::items).unwrap_or_default();
        let install_modes = modes
            .iter()
            .map(|mode| Fields::new(mode, path))
            .filter(|mode| {
                mode.non_null_value("supported").is_some_and(|v| matches!(v.value, Value::Bool(true)))
            })
            .map(|mode| mode.non_null_value("type").and_then(Node::as_str).unwrap_or_default().to_owned())
            .collect();
        let min_kube_version = fields.non_null_value("minKubeVersion").and_then(Node::as_str);
        let min_kube_version = min_kube_version.filter(|v| !v.is_empty()).map(str::to_owned);
        Some(CsvSummary { span: value.span, install_modes, min_kube_version })
    }

    fn check_bundle_object(&mut self, value: &Node, path: Path<'_>) {
        let Some(fields) = self.expect_object(value, path) else { return };
        let Some(data) = self.bytes_field(&fields, "data") else { return };
        if !converts_to_json_object(&data.value) {
            self.report_bad_encoding::<()>(data.span, fields.field_path("data"), "an object in base64");
        }
    }
}

/// Returns true if opm can convert bytes to JSON. It uses text that begins like a JSON object as it is, and
/// parses other text as YAML.
fn converts_to_json_object(bytes: &[u8]) -> bool {
    let is_json = || serde_json::from_slice::<IgnoredAny>(bytes).is_ok();
    // Almost all objects are JSON, which is much faster to check.
    bytes.is_empty()
        || (bytes.trim_ascii_start().starts_with(b"{") && is_json())
        || yaml::parse_stream(bytes).is_ok()
}

fn parse_version(version: &str, release: Option<&str>) -> Result<VersionRelease, VersionReleaseError> {
    match release {
        Some(release) => VersionRelease::parse(version, release),
        None => Ok(VersionRelease { version: Version::parse(version)?, release: None }),
    }
}

/// Maximum depth of nested constraints; deeper ones are ignored. Real catalogs do not nest them.
const MAX_DEPTH: usize = 16;

fn decode_constraint(value: &Node) -> Dependency {
    let message = value.get("failureMessage").and_then(Node::as_str).unwrap_or_default().to_owned();
    let mut asks = Vec::new();
    collect_required(value, value.span, MAX_DEPTH, &mut asks);
    Dependency::Constraint { span: value.span, message, requirements: asks }
}

/// Collects the packages and APIs that a constraint always requires. OLM evaluates the first of `gvk`,
/// `package` and `all` that is set.
fn collect_required(constraint: &Node, span: Span, depth: usize, asks: &mut Vec<Dependency>) {
    let text = |node: &Node, key| node.get(key).and_then(Node::as_str).unwrap_or_default().to_owned();
    if let Some(gvk) = constraint.get("gvk").filter(|set| !set.is_null()) {
        let [group, version, kind] = ["group", "version", "kind"].map(|key| text(gvk, key));
        asks.push(Dependency::Gvk { span, gvk: Gvk { group, version, kind } });
    } else if let Some(package) = constraint.get("package").filter(|set| !set.is_null()) {
        let [package, range] = ["packageName", "versionRange"].map(|key| text(package, key));
        asks.push(Dependency::Package { span, package, range });
    } else if let Some(all) = constraint.get("all").filter(|_| depth > 0) {
        for inner in all.get("constraints").map(Node::items).unwrap_or_default() {
            collect_required(inner, span, depth - 1, asks);
        }
    }
}

/// Returns the text of a scalar, because `4.20` is written with and without quotes.
fn scalar_text(value: &Node) -> Option<Spanned<String>> {
    let text = match &value.value {
        Value::String(text) => text.clone().into_owned(),
        Value::Number(number) => number.0.clone().into_owned(),
        _ => return None,
    };
    Some(Spanned::new(text, value.span))
}

/// Type that Go's `encoding/json` accepts for a field. `null` is always accepted and ignored.
pub(super) enum GoType {
    /// A string.
    Text,
    /// A boolean.
    Bool,
    /// A 32-bit integer.
    Int32,
    /// Any value.
    Any,
    /// A list with items of one type.
    List(&'static Self),
    /// A map with arbitrary keys and values of one type.
    Map(&'static Self),
    /// A struct; unknown keys are ignored.
    Struct(&'static [(&'static str, Self)]),
}

/// Type of the `properties` of a package or channel (operator-registry `alpha/property`, `Property`).
pub(super) const PROPERTIES: GoType = List(&Struct(&[("type", Text), ("value", Any)]));

/// Type of the value of `olm.csv.metadata` (operator-registry `alpha/property`, `CSVMetadata`).
pub(super) const CSV_METADATA: GoType = Struct(&[
    ("annotations", Map(&Text)),
    ("apiServiceDefinitions", Struct(&[("owned", List(&API_SERVICE)), ("required", List(&API_SERVICE))])),
    ("crdDescriptions", Struct(&[("owned", List(&CRD)), ("required", List(&CRD))])),
    ("description", Text),
    ("displayName", Text),
    ("installModes", List(&Struct(&[("type", Text), ("supported", Bool)]))),
    ("keywords", List(&Text)),
    ("labels", Map(&Text)),
    ("links", List(&LINK)),
    ("maintainers", List(&Struct(&[("name", Text), ("email", Text)]))),
    ("maturity", Text),
    ("minKubeVersion", Text),
    ("nativeAPIs", List(&Struct(&[("group", Text), ("version", Text), ("kind", Text)]))),
    ("provider", LINK),
]);

const LINK: GoType = Struct(&[("name", Text), ("url", Text)]);

const CRD: GoType = Struct(&[
    ("name", Text),
    ("version", Text),
    ("kind", Text),
    ("displayName", Text),
    ("description", Text),
    ("resources", List(&RESOURCE)),
    ("statusDescriptors", List(&DESCRIPTOR)),
    ("specDescriptors", List(&DESCRIPTOR)),
    ("actionDescriptors", List(&DESCRIPTOR)),
]);

const API_SERVICE: GoType = Struct(&[
    ("name", Text),
    ("group", Text),
    ("version", Text),
    ("kind", Text),
    ("deploymentName", Text),
    ("containerPort", Int32),
    ("displayName", Text),
    ("description", Text),
    ("resources", List(&RESOURCE)),
    ("statusDescriptors", List(&DESCRIPTOR)),
    ("specDescriptors", List(&DESCRIPTOR)),
    ("actionDescriptors", List(&DESCRIPTOR)),
]);

const RESOURCE: GoType = Struct(&[("name", Text), ("kind", Text), ("version", Text)]);

const DESCRIPTOR: GoType = Struct(&[
    ("path", Text),
    ("displayName", Text),
    ("description", Text),
    ("x-descriptors", List(&Text)),
    ("value", Any),
]);

impl Decoder {
    /// Reports every value with a wrong type. The depth of the shape bounds the recursion.
    pub(super) fn check_shape(&mut self, node: &Node, shape: &'static GoType, path: Path<'_>) {
        match (shape, &node.value) {
            (_, Value::Null) | (Any, _) | (Text, Value::String(_)) | (Bool, Value::Bool(_)) => {}
            (Int32, Value::Number(number)) if number.0.parse::<i32>().is_ok() => {}
            (List(inner), Value::List(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.check_shape(item, inner, Path::Item(&path, index));
                }
            }
            (Map(inner), Value::Map(members)) => {
                for member in members {
                    self.check_shape(&member.value, inner, Path::Key(&path, &member.key));
                }
            }
            (Struct(fields), Value::Map(members)) => {
                for member in members {
                    let field = fields.iter().find(|(name, _)| *name == member.key);
                    let field = field
                        .or_else(|| fields.iter().find(|(name, _)| key_matches_field(name, &member.key)));
                    if let Some((name, inner)) = field {
                        self.check_shape(&member.value, inner, Path::Key(&path, name));
                    }
                }
            }
            (Text, _) => self.report_wrong_type(node.span, path.format_dotted(), "a string"),
            (Bool, _) => self.report_wrong_type(node.span, path.format_dotted(), "a boolean"),
            (Int32, _) => {
                self.report_wrong_type(node.span, path.format_dotted(), "a whole number of 32 bits");
            }
            (List(_), _) => self.report_wrong_type(node.span, path.format_dotted(), "a list"),
            (Map(_) | Struct(_), _) => self.report_wrong_type(node.span, path.format_dotted(), "a map"),
        }
    }
}
