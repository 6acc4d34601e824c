//! Decodes the tree of a document into a typed blob. Unreadable parts become problems.
//!
//! The rules follow operator-registry, which decodes into Go structs with `encoding/json` (`alpha/declcfg`).
//! Field names match regardless of case, `null` means absent, and a value of the wrong type is a problem.

mod bundle;
pub(crate) mod bundle_check;
mod clean_bundle;
#[cfg(test)]
mod tests;

use base64::{
    Engine as _,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

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
    text::{json, yaml::ReadError},
};
use crate::node::{Member, Value};
use olm_version::blang;

/// A decoded document with its problems.
#[derive(Debug)]
pub struct DecodedDocument {
    /// Decoded blob; `None` if schema, package and name are unreadable.
    pub blob: Option<Blob>,
    /// Problems of the document.
    pub problems: Problems,
}

impl DecodedDocument {
    /// Returns the document for a file that must not be quoted.
    pub(crate) fn unquoted(mut self) -> Self {
        self.problems = self.problems.unquoted();
        self
    }
}

/// Parses a JSON document for [`decode_document`]. Parts of usual bundles that the decoder does not use may be missing.
///
/// # Errors
///
/// Those of [`json::parse_json`].
pub(crate) fn parse_json_document(text: &[u8]) -> Result<Node<'_>, ReadError> {
    clean_bundle::parse_clean_bundle(text).map_or_else(|| json::parse_json(text), Ok)
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
            schema => {
                if let Some(package) = head.package.as_ref().filter(|package| package.value.is_empty()) {
                    let schema = schema.to_owned();
                    self.report_problem(package.span, ProblemKind::EmptyPackage { schema });
                }
                Blob::Other(OtherBlob {
                    doc: self.doc,
                    schema: head.schema.value.into(),
                    package: head.package.filter(|p| !p.value.is_empty()).map(|p| p.value.into()),
                    name: head.name.filter(|n| !n.value.is_empty()).map(|n| n.value.into()),
                })
            }
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
            .filter(|m| !Entry::KEYS.iter().any(|known| key_matches_field(known, &m.key)))
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
            name: fields.string_field(self, "name").map(|name| name.value).unwrap_or_default(),
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
            if known.iter().any(|known| key_matches_field(known, &member.key)) {
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
            self.check_shape(properties, &bundle::PROPERTIES, Path::Key(&Path::Blob, "properties"));
        }
    }

    /// Returns a required string field. If absent, it is empty with the span of the whole object.
    fn required_name(&mut self, fields: &Fields<'_>, key: &str) -> Spanned<String> {
        fields.string_field(self, key).unwrap_or_else(|| Spanned::new(String::new(), fields.span()))
    }
}

/// A path, formatted only for messages.
#[derive(Clone, Copy)]
enum Path<'a> {
    /// The root of the blob.
    Blob,
    /// The value of a key.
    Key(&'a Path<'a>, &'a str),
    /// An item of a list.
    Item(&'a Path<'a>, usize),
}

impl Path<'_> {
    /// Formats the path, such as `properties[3].value`.
    fn format_dotted(&self) -> String {
        match self {
            Self::Blob => String::new(),
            Self::Key(Path::Blob, key) => (*key).to_owned(),
            Self::Key(parent, key) => format!("{}.{key}", parent.format_dotted()),
            Self::Item(parent, index) => format!("{}[{index}]", parent.format_dotted()),
        }
    }
}

impl Decoder {
    /// Returns the bytes of a field; `None` if it is absent or invalid. Go also accepts a list of numbers.
    fn bytes_field(&mut self, fields: &Fields<'_>, key: &str) -> Option<Spanned<Vec<u8>>> {
        let node = fields.non_null_value(key)?;
        let read = match &node.value {
            Value::String(text) => match decode_base64(text) {
                Some(bytes) => return Some(Spanned::new(bytes, node.span)),
                None => return self.report_bad_encoding(node.span, fields.field_path(key), "base64"),
            },
            Value::List(items) => items
                .iter()
                .map(|item| match &item.value {
                    Value::Null => Some(0),
                    Value::Number(number) => number.0.parse().ok(),
                    _ => None,
                })
                .collect(),
            _ => None,
        };
        if read.is_none() {
            self.report_wrong_type(node.span, fields.field_path(key), "a string in base64");
        }
        read.map(|bytes| Spanned::new(bytes, node.span))
    }

    /// Reports a string with an invalid encoding.
    fn report_bad_encoding<T>(&mut self, span: Span, field: String, expected: &'static str) -> Option<T> {
        self.report_problem(span, ProblemKind::BadEncoding { field, expected });
        None
    }
}

/// Decodes base64 like Go's standard encoding: padding is required, spare bits are ignored, line breaks are
/// skipped. `None` if the text is invalid.
pub fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let config = GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical);
    let engine = GeneralPurpose::new(&STANDARD, config);
    if memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_some() {
        return engine.decode(text.replace(['\n', '\r'], "")).ok();
    }
    engine.decode(text).ok()
}

impl Decoder {
    /// Reports every duplicate key of the tree.
    fn report_duplicate_keys(&mut self, root: &Node) {
        let mut pending = vec![root];
        while let Some(node) = pending.pop() {
            match &node.value {
                Value::List(items) => pending.extend(items.iter().filter(|item| is_collection(item))),
                Value::Map(members) => {
                    self.report_duplicates_among(members);
                    let values = members.iter().map(|member| &member.value);
                    pending.extend(values.filter(|value| is_collection(value)));
                }
                _ => {}
            }
        }
    }

    fn report_duplicates_among(&mut self, members: &[Member]) {
        // Keys from an alias or `<<` may be overridden.
        let written = |member: &&Member| member.key_span != member.value.span;
        if members.len() <= 12 {
            let pairs = members.iter().enumerate().filter(|(_, member)| written(member));
            for (index, member) in pairs {
                let earlier = members.iter().take(index).filter(written);
                if let Some(first) = earlier.clone().find(|other| other.key == member.key) {
                    self.report_duplicate_key(first, member);
                }
            }
            return;
        }
        let mut sorted: Vec<&Member> = members.iter().filter(written).collect();
        sorted.sort_unstable_by_key(|member| (&member.key, member.key_span));
        for same in sorted.chunk_by(|a, b| a.key == b.key) {
            if let [first, more @ ..] = same {
                for again in more {
                    self.report_duplicate_key(first, again);
                }
            }
        }
    }

    fn report_duplicate_key(&mut self, first: &Member, again: &Member) {
        let kind = ProblemKind::DuplicateKey {
            key: again.key.clone().into_owned(),
            first: first.key_span,
            is_same: is_same(&first.value, &again.value),
        };
        self.report_problem(again.key_span, kind);
    }
}

/// Returns true if two scalars have the same value. Collections are not compared, because they are rarely
/// repeated by accident.
fn is_same(first: &Node, again: &Node) -> bool {
    match (&first.value, &again.value) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Number(a), Value::Number(b)) => a == b,
        (Value::String(a), Value::String(b)) => a == b,
        _ => false,
    }
}

fn is_collection(node: &Node) -> bool {
    matches!(node.value, Value::List(_) | Value::Map(_))
}

/// Members of an object, with its path.
struct Fields<'a> {
    node: &'a Node<'a>,
    path: Path<'a>,
}

/// Returns true if a key matches a field: ignores case and folds two non-ASCII letters like Go.
pub fn key_matches_field(field: &str, key: &str) -> bool {
    // Fast path: most keys are ASCII.
    if key.is_ascii() {
        return field.eq_ignore_ascii_case(key);
    }
    let fold = |c: char| match c {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        c => c.to_ascii_lowercase(),
    };
    field.chars().map(fold).eq(key.chars().map(fold))
}

impl Decoder {
    /// Returns true if a node is a map; reports it otherwise.
    fn expect_map(&mut self, node: &Node, path: Path<'_>) -> bool {
        let is_map = matches!(node.value, Value::Map(_));
        if !is_map {
            self.report_wrong_type(node.span, path.format_dotted(), "a map");
        }
        is_map
    }

    fn report_wrong_type(&mut self, span: Span, field: String, expected: &'static str) {
        self.report_problem(span, ProblemKind::WrongType { field, expected });
    }

    /// Returns a string item of a list. Null is the empty string, as in Go.
    fn string_item(&mut self, node: &Node, path: Path<'_>) -> Option<Spanned<String>> {
        match &node.value {
            Value::String(text) => Some(Spanned::new(text.clone().into_owned(), node.span)),
            Value::Null => Some(Spanned::new(String::new(), node.span)),
            _ => {
                self.report_wrong_type(node.span, path.format_dotted(), "a string");
                None
            }
        }
    }
}

impl<'a> Fields<'a> {
    fn new(node: &'a Node, path: Path<'a>) -> Self {
        Self { node, path }
    }

    fn span(&self) -> Span {
        self.node.span
    }

    /// Returns the path of a field for messages.
    fn field_path(&self, key: &str) -> String {
        Path::Key(&self.path, key).format_dotted()
    }

    /// Returns the member that a Go decoder uses: the last one that matches in byte order. opm sorts the keys
    /// of every object by bytes before it fills its structs (operator-registry `alpha/declcfg/declcfg.go`,
    /// `Meta`).
    fn member(&self, key: &str) -> Option<&'a Member<'a>> {
        let matching = self.node.members().iter().filter(|m| m.key == key || key_matches_field(key, &m.key));
        matching.max_by(|a, b| a.key.cmp(&b.key))
    }

    /// Returns the value of a field unless it is null.
    fn non_null_value(&self, key: &str) -> Option<&'a Node<'a>> {
        self.member(key).map(|m| &m.value).filter(|v| !v.is_null())
    }

    /// Returns a string field.
    fn string_field(&self, decoder: &mut Decoder, key: &str) -> Option<Spanned<String>> {
        let node = self.non_null_value(key)?;
        if let Value::String(text) = &node.value {
            return Some(Spanned::new(text.clone().into_owned(), node.span));
        }
        decoder.report_wrong_type(node.span, self.field_path(key), "a string");
        None
    }

    /// Returns a string field; an empty string counts as absent.
    fn non_empty_string(&self, decoder: &mut Decoder, key: &str) -> Option<Spanned<String>> {
        self.string_field(decoder, key).filter(|s| !s.value.is_empty())
    }

    /// Returns the items of a list field; empty if absent.
    fn list_field(&self, decoder: &mut Decoder, key: &str) -> &'a [Node<'a>] {
        let Some(node) = self.non_null_value(key) else { return &[] };
        if let Value::List(items) = &node.value {
            return items;
        }
        decoder.report_wrong_type(node.span, self.field_path(key), "a list");
        &[]
    }

    /// Returns a map field.
    fn map_field(&self, decoder: &mut Decoder, key: &str) -> Option<&'a Node<'a>> {
        let node = self.non_null_value(key)?;
        decoder.expect_map(node, Path::Key(&self.path, key)).then_some(node)
    }
}
