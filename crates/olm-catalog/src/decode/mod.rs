//! Decodes the tree of a document into a typed blob. Unreadable parts become problems.
//!
//! The rules follow operator-registry, which decodes into Go structs with `encoding/json` (`alpha/declcfg`).
//! Field names match regardless of case, `null` means absent, and a value of the wrong type is a problem.

mod bundle;
mod bytes;
mod duplicates;
mod fields;
mod path;
mod shape;

#[cfg(test)]
mod tests;

pub use bytes::decode_base64;
pub use fields::key_matches_field;

use super::{
    blob::{
        Blob, ChannelBlob, Deprecation, DeprecationTarget, DeprecationsBlob, Entry, Icon, OtherBlob,
        PackageBlob, SkipRange,
    },
    file::DocId,
    meta,
    names::{BundleName, ChannelName, PackageName},
    node::Node,
    problem::{Problem, ProblemKind, ProblemLocation, Problems},
    similar_names,
    span::{Span, Spanned},
};
use fields::Fields;
use olm_version::blang;
use path::Path;

/// A decoded document with its problems.
#[derive(Debug)]
pub struct DecodedDocument {
    /// Decoded blob; `None` if schema, package and name are unreadable.
    pub blob: Option<Blob>,
    /// Problems of the document.
    pub problems: Problems,
}

/// Decodes one document.
pub fn decode_document(doc: DocId, node: &Node) -> DecodedDocument {
    let mut decoder = Decoder { doc, problems: Problems::default() };
    let blob = decoder.decode_blob(node);
    decoder.report_duplicate_keys(node);
    DecodedDocument { blob, problems: decoder.problems }
}

const PACKAGE_KEYS: &[&str] =
    &["schema", "name", "package", "defaultChannel", "icon", "description", "properties"];
const CHANNEL_KEYS: &[&str] = &["schema", "name", "package", "entries", "properties"];
const BUNDLE_KEYS: &[&str] = &["schema", "name", "package", "image", "properties", "relatedImages"];
const DEPRECATIONS_KEYS: &[&str] = &["schema", "name", "package", "entries"];

/// Decoder of one document; collects problems.
struct Decoder {
    doc: DocId,
    problems: Problems,
}

impl Decoder {
    fn report_problem(&mut self, span: Span, kind: ProblemKind) {
        self.problems.push(Problem { at: ProblemLocation::Document(self.doc, span), kind });
    }

    fn decode_blob(&mut self, node: &Node) -> Option<Blob> {
        let head = match meta::read_common_fields(node) {
            Ok(head) => head,
            Err(error) => {
                self.report_problem(error.span, ProblemKind::Meta(error));
                return None;
            }
        };
        Some(match head.schema.value.as_str() {
            "olm.package" => Blob::Package(self.decode_package(node)),
            "olm.channel" => Blob::Channel(self.decode_channel(node)),
            "olm.bundle" => Blob::Bundle(Box::new(self.decode_bundle(node))),
            "olm.deprecations" => Blob::Deprecations(self.decode_deprecations(node)),
            _ => Blob::Other(OtherBlob {
                doc: self.doc,
                schema: head.schema.value.into(),
                package: head.package.filter(|p| !p.value.is_empty()).map(|p| p.value.into()),
                name: head.name.filter(|n| !n.value.is_empty()).map(|n| n.value.into()),
            }),
        })
    }

    fn decode_package(&mut self, node: &Node) -> PackageBlob {
        let fields = Fields::new(node, Path::Blob);
        let icon = fields.map_field(self, "icon").map(|icon| {
            let inner = Fields::new(icon, Path::Key(&Path::Blob, "icon"));
            Icon {
                span: icon.span,
                media_type: inner.string_field(self, "mediatype").map(|s| s.value).unwrap_or_default(),
                data: self.bytes_field(&inner, "base64data").map(|s| s.span).unwrap_or_default(),
            }
        });
        self.check_properties(&fields);
        self.report_unknown_keys(node, PACKAGE_KEYS);
        PackageBlob {
            doc: self.doc,
            name: self.required_name(&fields, "name").map(PackageName::from),
            default_channel: fields
                .non_empty_string(self, "defaultChannel")
                .map(|s| s.map(ChannelName::from)),
            description: fields.non_empty_string(self, "description"),
            icon,
        }
    }

    fn decode_channel(&mut self, node: &Node) -> ChannelBlob {
        let fields = Fields::new(node, Path::Blob);
        let entries = fields
            .list_field(self, "entries")
            .iter()
            .enumerate()
            .filter_map(|(index, item)| self.decode_entry(index, item))
            .collect();
        self.check_properties(&fields);
        self.report_unknown_keys(node, CHANNEL_KEYS);
        ChannelBlob {
            doc: self.doc,
            package: self.required_name(&fields, "package").map(PackageName::from),
            name: self.required_name(&fields, "name").map(ChannelName::from),
            entries,
        }
    }

    fn decode_entry(&mut self, index: usize, node: &Node) -> Option<Entry> {
        let entries = Path::Key(&Path::Blob, "entries");
        let path = Path::Item(&entries, index);
        // Go decodes a null entry as an empty one. A later rule reports the missing name.
        if !node.is_null() && !self.expect_map(node, path) {
            return None;
        }
        let fields = Fields::new(node, path);
        let skip_range = fields.non_empty_string(self, "skipRange").map(|text| {
            let range = blang::Range::parse(&text.value);
            Box::new(SkipRange { text, range })
        });
        let mut skips = Vec::new();
        for (i, item) in fields.list_field(self, "skips").iter().enumerate() {
            if let Some(name) = self.string_item(item, Path::Item(&Path::Key(&path, "skips"), i)) {
                skips.push(name.map(BundleName::from));
            }
        }
        let unknown = node
            .members()
            .iter()
            .filter(|m| !Entry::KEYS.iter().any(|known| fields::key_matches_field(known, &m.key)))
            .map(|m| Spanned::new(m.key.clone().into_owned(), m.key_span))
            .collect();
        Some(Entry {
            position: index,
            span: node.span,
            name: self.required_name(&fields, "name").map(BundleName::from),
            replaces: fields.non_empty_string(self, "replaces").map(|s| s.map(BundleName::from)),
            skips,
            skip_range,
            unknown,
        })
    }

    fn decode_deprecations(&mut self, node: &Node) -> DeprecationsBlob {
        let fields = Fields::new(node, Path::Blob);
        let entries = fields
            .list_field(self, "entries")
            .iter()
            .enumerate()
            .filter_map(|(index, item)| self.decode_deprecation(index, item))
            .collect();
        self.report_unknown_keys(node, DEPRECATIONS_KEYS);
        DeprecationsBlob {
            doc: self.doc,
            package: self.required_name(&fields, "package").map(PackageName::from),
            entries,
        }
    }

    fn decode_deprecation(&mut self, index: usize, node: &Node) -> Option<Deprecation> {
        let entries = Path::Key(&Path::Blob, "entries");
        let path = Path::Item(&entries, index);
        if !node.is_null() && !self.expect_map(node, path) {
            return None;
        }
        let fields = Fields::new(node, path);
        let (schema, name) = match fields.map_field(self, "reference") {
            Some(reference) => {
                let inner = Fields::new(reference, Path::Key(&path, "reference"));
                (self.required_name(&inner, "schema"), inner.non_empty_string(self, "name"))
            }
            None => (Spanned::new(String::new(), node.span), None),
        };
        let target = match (schema.value.as_str(), &name) {
            ("olm.package", None) => Some(DeprecationTarget::Package),
            ("olm.channel", Some(name)) => Some(DeprecationTarget::Channel(name.value.as_str().into())),
            ("olm.bundle", Some(name)) => Some(DeprecationTarget::Bundle(name.value.as_str().into())),
            _ => None,
        };
        let message = self.required_name(&fields, "message");
        Some(Deprecation { position: index, span: node.span, schema, name, target, message })
    }

    /// Reports keys that are similar to known ones. Other unknown keys may be custom.
    fn report_unknown_keys(&mut self, node: &Node, known: &'static [&'static str]) {
        for member in node.members() {
            if known.iter().any(|known| fields::key_matches_field(known, &member.key)) {
                continue;
            }
            if let Some(suggestion) = similar_names::suggest_closest(&member.key, known.iter().copied()) {
                let key = member.key.clone().into_owned();
                self.report_problem(member.key_span, ProblemKind::UnknownKey { key, meant: suggestion });
            }
        }
    }

    /// Checks the types of the properties of a package or channel, as opm does. Their values are not used.
    fn check_properties(&mut self, fields: &Fields<'_>) {
        if let Some(properties) = fields.non_null_value("properties") {
            self.check_shape(properties, &shape::PROPERTIES, Path::Key(&Path::Blob, "properties"));
        }
    }

    /// Returns a required string field. If absent, it is empty with the span of the whole object.
    fn required_name(&mut self, fields: &Fields<'_>, key: &str) -> Spanned<String> {
        fields.string_field(self, key).unwrap_or_else(|| Spanned::new(String::new(), fields.span()))
    }
}
