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

pub use bytes::base64;
pub use fields::same_key;

use super::{
    blob::{
        Blob, ChannelBlob, Deprecation, DeprecationTarget, DeprecationsBlob, Entry, Icon, OtherBlob,
        PackageBlob, SkipRange,
    },
    file::DocId,
    meta,
    names::{BundleName, ChannelName, PackageName},
    near,
    node::Node,
    problem::{Problem, ProblemKind, ProblemPlace, Problems},
    span::{Span, Spanned},
};
use crate::version::blang;
use fields::Fields;
use path::Path;

/// A decoded document with its problems.
#[derive(Debug)]
pub struct Decoded {
    /// Decoded blob; `None` if schema, package and name are unreadable.
    pub blob: Option<Blob>,
    /// Problems of the document.
    pub problems: Problems,
}

/// Decodes one document.
pub fn decode(doc: DocId, node: &Node) -> Decoded {
    let mut decoder = Decoder { doc, problems: Problems::default() };
    let blob = decoder.blob(node);
    decoder.duplicate_keys(node);
    Decoded { blob, problems: decoder.problems }
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
    fn problem(&mut self, span: Span, kind: ProblemKind) {
        self.problems.push(Problem { at: ProblemPlace::Document(self.doc, span), kind });
    }

    fn blob(&mut self, node: &Node) -> Option<Blob> {
        let head = match meta::head(node) {
            Ok(head) => head,
            Err(error) => {
                self.problem(error.span, ProblemKind::Meta(error));
                return None;
            }
        };
        Some(match head.schema.value.as_str() {
            "olm.package" => Blob::Package(self.package(node)),
            "olm.channel" => Blob::Channel(self.channel(node)),
            "olm.bundle" => Blob::Bundle(Box::new(self.bundle(node))),
            "olm.deprecations" => Blob::Deprecations(self.deprecations(node)),
            _ => Blob::Other(OtherBlob {
                doc: self.doc,
                schema: head.schema.value.into(),
                package: head.package.filter(|p| !p.value.is_empty()).map(|p| p.value.into()),
                name: head.name.filter(|n| !n.value.is_empty()).map(|n| n.value.into()),
            }),
        })
    }

    fn package(&mut self, node: &Node) -> PackageBlob {
        let fields = Fields::new(node, Path::Blob);
        let icon = fields.map(self, "icon").map(|icon| {
            let inner = Fields::new(icon, Path::Key(&Path::Blob, "icon"));
            Icon {
                span: icon.span,
                media_type: inner.string(self, "mediatype").map(|s| s.value).unwrap_or_default(),
                data: self.bytes(&inner, "base64data").map(|s| s.span).unwrap_or_default(),
            }
        });
        self.properties(&fields);
        self.unknown_keys(node, PACKAGE_KEYS);
        PackageBlob {
            doc: self.doc,
            name: self.name(&fields, "name").map(PackageName::from),
            default_channel: fields.text(self, "defaultChannel").map(|s| s.map(ChannelName::from)),
            description: fields.text(self, "description"),
            icon,
        }
    }

    fn channel(&mut self, node: &Node) -> ChannelBlob {
        let fields = Fields::new(node, Path::Blob);
        let entries = fields
            .list(self, "entries")
            .iter()
            .enumerate()
            .filter_map(|(index, item)| self.entry(index, item))
            .collect();
        self.properties(&fields);
        self.unknown_keys(node, CHANNEL_KEYS);
        ChannelBlob {
            doc: self.doc,
            package: self.name(&fields, "package").map(PackageName::from),
            name: self.name(&fields, "name").map(ChannelName::from),
            entries,
        }
    }

    fn entry(&mut self, index: usize, node: &Node) -> Option<Entry> {
        let entries = Path::Key(&Path::Blob, "entries");
        let path = Path::Item(&entries, index);
        // Go decodes a null entry as an empty one. A later rule reports the missing name.
        if !node.is_null() && !self.expect_map(node, path) {
            return None;
        }
        let fields = Fields::new(node, path);
        let skip_range = fields.text(self, "skipRange").map(|text| {
            let range = blang::Range::parse(&text.value);
            Box::new(SkipRange { text, range })
        });
        let mut skips = Vec::new();
        for (i, item) in fields.list(self, "skips").iter().enumerate() {
            if let Some(name) = self.item_string(item, Path::Item(&Path::Key(&path, "skips"), i)) {
                skips.push(name.map(BundleName::from));
            }
        }
        let unknown = node
            .members()
            .iter()
            .filter(|m| !Entry::KEYS.iter().any(|known| fields::same_key(known, &m.key)))
            .map(|m| Spanned::new(m.key.clone().into_owned(), m.key_span))
            .collect();
        Some(Entry {
            position: index,
            span: node.span,
            name: self.name(&fields, "name").map(BundleName::from),
            replaces: fields.text(self, "replaces").map(|s| s.map(BundleName::from)),
            skips,
            skip_range,
            unknown,
        })
    }

    fn deprecations(&mut self, node: &Node) -> DeprecationsBlob {
        let fields = Fields::new(node, Path::Blob);
        let entries = fields
            .list(self, "entries")
            .iter()
            .enumerate()
            .filter_map(|(index, item)| self.deprecation(index, item))
            .collect();
        self.unknown_keys(node, DEPRECATIONS_KEYS);
        DeprecationsBlob {
            doc: self.doc,
            package: self.name(&fields, "package").map(PackageName::from),
            entries,
        }
    }

    fn deprecation(&mut self, index: usize, node: &Node) -> Option<Deprecation> {
        let entries = Path::Key(&Path::Blob, "entries");
        let path = Path::Item(&entries, index);
        if !node.is_null() && !self.expect_map(node, path) {
            return None;
        }
        let fields = Fields::new(node, path);
        let (schema, name) = match fields.map(self, "reference") {
            Some(reference) => {
                let inner = Fields::new(reference, Path::Key(&path, "reference"));
                (self.name(&inner, "schema"), inner.text(self, "name"))
            }
            None => (Spanned::new(String::new(), node.span), None),
        };
        let target = match (schema.value.as_str(), &name) {
            ("olm.package", None) => Some(DeprecationTarget::Package),
            ("olm.channel", Some(name)) => Some(DeprecationTarget::Channel(name.value.as_str().into())),
            ("olm.bundle", Some(name)) => Some(DeprecationTarget::Bundle(name.value.as_str().into())),
            _ => None,
        };
        let message = self.name(&fields, "message");
        Some(Deprecation { position: index, span: node.span, schema, name, target, message })
    }

    /// Reports keys that are similar to known ones. Other unknown keys may be custom.
    fn unknown_keys(&mut self, node: &Node, known: &'static [&'static str]) {
        for member in node.members() {
            if known.iter().any(|known| fields::same_key(known, &member.key)) {
                continue;
            }
            if let Some(suggestion) = near::meant(&member.key, known.iter().copied()) {
                let key = member.key.clone().into_owned();
                self.problem(member.key_span, ProblemKind::UnknownKey { key, meant: suggestion });
            }
        }
    }

    /// Checks the types of the properties of a package or channel, as opm does. Their values are not used.
    fn properties(&mut self, fields: &Fields<'_>) {
        if let Some(properties) = fields.value("properties") {
            self.check_shape(properties, &shape::PROPERTIES, Path::Key(&Path::Blob, "properties"));
        }
    }

    /// Returns a required string field. If absent, it is empty with the span of the whole object.
    fn name(&mut self, fields: &Fields<'_>, key: &str) -> Spanned<String> {
        fields.string(self, key).unwrap_or_else(|| Spanned::new(String::new(), fields.span()))
    }
}
