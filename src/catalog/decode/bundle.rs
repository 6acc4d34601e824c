//! Decodes bundles: the fields in use, and the types of properties as opm checks them (operator-registry
//! `alpha/property`).

use serde::de::IgnoredAny;

use super::{BUNDLE_KEYS, Decoder, fields::Fields, path::Path, shape};
use crate::{
    catalog::{
        blob::{BundleBlob, CsvSummary, Dependency, Gvk, PackageProperty, Property, RelatedImage},
        names::{BundleName, PackageName},
        node::{Node, Value},
        problem::ProblemKind,
        span::{Span, Spanned},
        text::yaml,
    },
    version::{Version, VersionRelease, VersionReleaseError},
};

impl Decoder {
    pub(super) fn bundle(&mut self, node: &Node) -> BundleBlob {
        let fields = Fields::new(node, Path::Blob);
        let mut bundle = BundleBlob {
            doc: self.doc,
            package: self.name(&fields, "package").map(PackageName::from),
            name: self.name(&fields, "name").map(BundleName::from),
            image: fields.text(self, "image"),
            related_images: self.related_images(&fields),
            properties: Vec::new(),
            package_properties: Vec::new(),
            version: None,
            requires: Vec::new(),
            provides: Vec::new(),
            max_openshift: None,
            csv: None,
            has_objects: false,
        };
        let properties = Path::Key(&Path::Blob, "properties");
        for (index, item) in fields.list(self, "properties").iter().enumerate() {
            let path = Path::Item(&properties, index);
            if !item.is_null() && !self.expect_map(item, path) {
                continue;
            }
            self.property(&mut bundle, item, path);
        }
        self.unknown_keys(node, BUNDLE_KEYS);
        bundle.version = bundle.package_properties.iter().find_map(|p| p.parsed.as_ref().ok().cloned());
        bundle
    }

    fn related_images(&mut self, fields: &Fields<'_>) -> Vec<RelatedImage> {
        let mut images = Vec::new();
        let related = Path::Key(&Path::Blob, "relatedImages");
        for (index, item) in fields.list(self, "relatedImages").iter().enumerate() {
            let path = Path::Item(&related, index);
            if !item.is_null() && !self.expect_map(item, path) {
                continue;
            }
            let inner = Fields::new(item, path);
            let name = inner.string(self, "name").map(|s| s.value).unwrap_or_default();
            images.push(RelatedImage { name, image: self.name(&inner, "image") });
        }
        images
    }

    fn property(&mut self, bundle: &mut BundleBlob, item: &Node, path: Path<'_>) {
        let fields = Fields::new(item, path);
        let kind = self.name(&fields, "type");
        // A null value counts as present (`json.RawMessage("null")`); only an absent key is an error.
        let Some(value) = fields.member("value").map(|m| &m.value) else {
            bundle.properties.push(Property { kind, value: Span::default() });
            self.problem(item.span, ProblemKind::Missing { field: fields.path("value") });
            return;
        };
        let path = Path::Key(&path, "value");
        match kind.value.as_str() {
            "olm.package" => {
                let property = self.package_property(item, value, path);
                bundle.package_properties.extend(property);
            }
            "olm.package.required" => bundle.requires.extend(self.package_required(value, path)),
            "olm.gvk" => bundle.provides.extend(self.gvk(value, path)),
            "olm.gvk.required" => bundle
                .requires
                .extend(self.gvk(value, path).map(|gvk| Dependency::Gvk { span: value.span, gvk })),
            "olm.constraint" => bundle.requires.push(constraint(value)),
            "olm.channel" => {
                if let Some(fields) = self.object(value, path) {
                    fields.string(self, "channelName");
                    self.integer(&fields, "priority");
                }
            }
            "olm.maxOpenShiftVersion" => bundle.max_openshift = scalar_text(value),
            "olm.csv.metadata" => bundle.csv = self.csv(value, path),
            "olm.bundle.object" => {
                bundle.has_objects = true;
                self.bundle_object(value, path);
            }
            _ => {}
        }
        bundle.properties.push(Property { kind, value: value.span });
    }

    /// Returns the members of a value that must be an object; null is an empty one.
    fn object<'a>(&mut self, value: &'a Node, path: Path<'a>) -> Option<Fields<'a>> {
        (value.is_null() || self.expect_map(value, path)).then(|| Fields::new(value, path))
    }

    fn integer(&mut self, fields: &Fields<'_>, key: &str) {
        if let Some(node) = fields.value(key)
            && !matches!(&node.value, Value::Number(n) if n.0.parse::<i64>().is_ok())
        {
            self.wrong_type(node.span, fields.path(key), "a whole number");
        }
    }

    fn package_property(&mut self, item: &Node, value: &Node, path: Path<'_>) -> Option<PackageProperty> {
        let fields = self.object(value, path)?;
        let package_name = self.name(&fields, "packageName");
        let version = self.name(&fields, "version");
        let release = fields.text(self, "release");
        let parsed = parse_version(&version.value, release.as_ref().map(|r| r.value.as_str()));
        Some(PackageProperty { span: item.span, package_name, version, release, parsed })
    }

    fn package_required(&mut self, value: &Node, path: Path<'_>) -> Option<Dependency> {
        let fields = self.object(value, path)?;
        let package = self.name(&fields, "packageName").value;
        let range = self.name(&fields, "versionRange").value;
        Some(Dependency::Package { span: value.span, package, range })
    }

    fn gvk(&mut self, value: &Node, path: Path<'_>) -> Option<Gvk> {
        let fields = self.object(value, path)?;
        Some(Gvk {
            group: self.name(&fields, "group").value,
            version: self.name(&fields, "version").value,
            kind: self.name(&fields, "kind").value,
        })
    }

    fn csv(&mut self, value: &Node, path: Path<'_>) -> Option<CsvSummary> {
        self.check_shape(value, &shape::CSV_METADATA, path);
        if !matches!(value.value, Value::Map(_) | Value::Null) {
            return None;
        }
        let fields = Fields::new(value, path);
        let modes = fields.value("installModes").map(Node::items).unwrap_or_default();
        let install_modes = modes
            .iter()
            .map(|mode| Fields::new(mode, path))
            .filter(|mode| mode.value("supported").is_some_and(|v| matches!(v.value, Value::Bool(true))))
            .map(|mode| mode.value("type").and_then(Node::as_str).unwrap_or_default().to_owned())
            .collect();
        let min_kube_version = fields.value("minKubeVersion").and_then(Node::as_str);
        let min_kube_version = min_kube_version.filter(|v| !v.is_empty()).map(str::to_owned);
        Some(CsvSummary { span: value.span, install_modes, min_kube_version })
    }

    fn bundle_object(&mut self, value: &Node, path: Path<'_>) {
        let Some(fields) = self.object(value, path) else { return };
        let Some(data) = self.bytes(&fields, "data") else { return };
        if !is_object(&data.value) {
            self.bad_encoding::<()>(data.span, fields.path("data"), "an object in base64");
        }
    }
}

/// Returns true if opm can convert bytes to JSON. It uses text that begins like a JSON object as it is, and
/// parses other text as YAML.
fn is_object(bytes: &[u8]) -> bool {
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

fn constraint(value: &Node) -> Dependency {
    let message = value.get("failureMessage").and_then(Node::as_str).unwrap_or_default().to_owned();
    let mut asks = Vec::new();
    collect_required(value, value.span, MAX_DEPTH, &mut asks);
    Dependency::Constraint { span: value.span, message, asks }
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
