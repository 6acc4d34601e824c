//! Recognizes bundles without problems in one pass over their JSON, without building a tree.
//!
//! The check is strict: everything that is unusual counts as not clean, and is left to the full decoder. So a
//! clean bundle certainly has no problem that [`decode_document`](super::decode_document) reports as an error.

use super::bundle::{CSV_METADATA, GoType};
use crate::{
    node::MAX_DEPTH,
    span::Span,
    text::{
        json::{self, Quoted, Scalar, Visitor},
        yaml::ReadError,
    },
};

use GoType::{Any, List, Struct, Text};

/// JSON value of a file, by a quick check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CheckedValue<'a> {
    /// Offset after the value.
    pub end: usize,
    /// Package of the bundle if the value is a clean bundle.
    pub clean_bundle_of: Option<&'a str>,
}

/// Checks the JSON value at `at`. `None` if it is not an object that is surely a document.
pub(crate) fn check_value(text: &[u8], at: usize) -> Option<CheckedValue<'_>> {
    if text.get(at) != Some(&b'{') {
        return None;
    }
    let mut check = BundleCheck::default();
    let end = json::visit_value_at(text, at, &mut check)?;
    check.is_within_limits.then(|| CheckedValue { end, clean_bundle_of: check.clean_package(text) })
}

/// Fields of a bundle, in the order of the bits of [`BundleCheck::seen`].
const FIELDS: [(&[u8], Expected); 6] = [
    (b"schema", Expected::Schema),
    (b"package", Expected::Package),
    (b"name", Expected::Name),
    (b"image", Expected::Go(&Text)),
    (b"properties", Expected::Properties),
    (b"relatedImages", Expected::Go(&RELATED_IMAGES)),
];

/// Bits of the fields that a clean bundle has: schema, package and name.
const REQUIRED: u8 = 0b111;

const RELATED_IMAGES: GoType = List(&Struct(&[("name", Text), ("image", Text)]));

const PACKAGE_VALUE: GoType = Struct(&[("packageName", Text), ("version", Text), ("release", Text)]);

const REQUIREMENT_VALUE: GoType = Struct(&[("packageName", Text), ("versionRange", Text)]);

const GVK_VALUE: GoType = Struct(&[("group", Text), ("version", Text), ("kind", Text)]);

/// Expected kind of the next value.
#[derive(Clone, Copy)]
enum Expected {
    /// The document.
    Document,
    /// The schema, which must be that of bundles.
    Schema,
    /// The name of the package.
    Package,
    /// The name of the bundle.
    Name,
    /// The list of properties.
    Properties,
    /// An item of the list of properties.
    Property,
    /// The type of a property.
    PropertyType,
    /// A value with a Go type.
    Go(&'static GoType),
}

/// Visitor that compares a document with the shape of a bundle.
#[expect(clippy::struct_excessive_bools, reason = "they are independent of each other")]
pub(super) struct BundleCheck {
    /// Enclosing lists and maps.
    open: Vec<Expected>,
    /// Expected value of the last key.
    next: Expected,
    /// Fields of the bundle seen so far, as bits.
    seen: u8,
    /// Range of the package's name.
    package: (usize, usize),
    /// Type of the value of the current property, once its type is known.
    value_type: Option<&'static GoType>,
    /// True if the type of the current property is that of metadata.
    has_metadata_type: bool,
    /// True if the current property has a value.
    has_value: bool,
    is_clean: bool,
    /// True if the document is within all limits.
    is_within_limits: bool,
}

impl Default for BundleCheck {
    fn default() -> Self {
        Self {
            open: Vec::with_capacity(16),
            next: Expected::Document,
            seen: 0,
            package: (0, 0),
            value_type: None,
            has_metadata_type: false,
            has_value: false,
            is_clean: true,
            is_within_limits: true,
        }
    }
}

impl BundleCheck {
    /// Returns true if nothing was unusual so far.
    pub(super) fn is_clean(&self) -> bool {
        self.is_clean && self.is_within_limits
    }

    /// Returns true if the whole document is a clean bundle.
    pub(super) fn is_clean_bundle(&self) -> bool {
        self.is_clean() && self.seen & REQUIRED == REQUIRED
    }

    /// Returns true if the next value is that of an `olm.csv.metadata`.
    pub(super) fn is_before_metadata(&self) -> bool {
        let is_in_property = matches!(self.open.last(), Some(Expected::Property));
        is_in_property && self.has_metadata_type && self.has_value
    }

    /// Returns the package if the document is a clean bundle.
    fn clean_package<'a>(&self, text: &'a [u8]) -> Option<&'a str> {
        let package = std::str::from_utf8(text.get(self.package.0..self.package.1)?).ok();
        package.filter(|_| self.is_clean_bundle())
    }

    /// Returns what may come next, or accepts anything if the document is not clean anyway.
    fn expected(&self) -> Expected {
        match self.open.last() {
            None => Expected::Document,
            Some(Expected::Go(List(item))) => Expected::Go(item),
            Some(Expected::Go(Any)) => Expected::Go(&Any),
            Some(Expected::Properties) => Expected::Property,
            Some(_) => self.next,
        }
    }

    fn reject(&mut self) {
        self.is_clean = false;
    }

    /// Handles a key of the document.
    fn visit_field(&mut self, key: &Quoted<'_>) {
        let field = FIELDS.iter().position(|(name, _)| *name == key.inner);
        let Some((index, (_, expected))) = field.and_then(|index| Some((index, FIELDS.get(index)?))) else {
            self.next = Expected::Go(&Any);
            return self.reject();
        };
        let bit = 1 << index;
        if self.seen & bit != 0 {
            self.reject();
        }
        self.seen |= bit;
        self.next = *expected;
    }

    /// Handles a key of a property. Its type comes before its value.
    fn visit_property_key(&mut self, key: &Quoted<'_>) {
        self.next = match key.inner {
            b"type" if self.value_type.is_none() => Expected::PropertyType,
            b"value" if !self.has_value => {
                self.has_value = true;
                match self.value_type {
                    Some(value_type) => Expected::Go(value_type),
                    None => return self.reject_key(),
                }
            }
            _ => return self.reject_key(),
        };
    }

    fn reject_key(&mut self) {
        self.next = Expected::Go(&Any);
        self.reject();
    }

    /// Handles a key of a Go struct.
    fn visit_struct_key(&mut self, fields: &'static [(&'static str, GoType)], key: &Quoted<'_>) {
        let name = key.inner;
        if let Some((_, field)) = fields.iter().find(|(field, _)| field.as_bytes() == name) {
            self.next = Expected::Go(field);
            return;
        }
        // Go ignores the case of keys, and reads escapes.
        let may_match = key.is_escaped
            || !name.is_ascii()
            || fields.iter().any(|(field, _)| field.as_bytes().eq_ignore_ascii_case(name));
        if may_match {
            self.reject();
        }
        self.next = Expected::Go(&Any);
    }
}

impl Visitor for BundleCheck {
    fn open(&mut self, is_map: bool, depth: usize, _: usize) -> Result<usize, ReadError> {
        self.is_within_limits &= depth < MAX_DEPTH;
        let expected = self.expected();
        let fits = match expected {
            Expected::Document => is_map,
            Expected::Property => {
                self.value_type = None;
                self.has_metadata_type = false;
                self.has_value = false;
                is_map
            }
            Expected::Properties | Expected::Go(List(_)) => !is_map,
            Expected::Go(Any) => true,
            Expected::Go(GoType::Map(_) | Struct(_)) => is_map,
            _ => false,
        };
        if fits && self.is_clean {
            self.open.push(expected);
        } else {
            // The rest is scanned only for its end.
            self.open.push(Expected::Go(&Any));
            self.is_clean &= fits;
        }
        Ok(0)
    }

    fn key(&mut self, key: Quoted<'_>) {
        match self.open.last() {
            Some(Expected::Go(Struct(fields))) => self.visit_struct_key(fields, &key),
            Some(Expected::Go(GoType::Map(value))) => self.next = Expected::Go(value),
            Some(Expected::Document) => self.visit_field(&key),
            Some(Expected::Property) => self.visit_property_key(&key),
            _ => {}
        }
    }

    fn scalar(&mut self, scalar: Scalar<'_>, span: Span, _: bool) -> Result<(), ReadError> {
        if let Scalar::Number(text) = &scalar {
            self.is_within_limits &= json::is_finite(text);
        }
        let fits = match (self.expected(), scalar) {
            (Expected::Go(Any | Text), Scalar::String(_)) | (Expected::Go(Any), _) => true,
            (Expected::Go(_) | Expected::Properties, Scalar::Null) => true,
            (Expected::Go(GoType::Bool), Scalar::Bool(_)) => true,
            (Expected::Go(GoType::Int32), Scalar::Number(text)) => {
                std::str::from_utf8(text).is_ok_and(|text| text.parse::<i32>().is_ok())
            }
            (Expected::Schema, Scalar::String(text)) => text.inner == b"olm.bundle",
            (Expected::Name, Scalar::String(_)) => true,
            (Expected::Package, Scalar::String(text)) => {
                let range = span.range();
                self.package = (range.start + 1, range.end.saturating_sub(1));
                !text.is_escaped
            }
            (Expected::PropertyType, Scalar::String(text)) => {
                self.value_type = value_type(text.inner).filter(|_| !text.is_escaped);
                self.has_metadata_type = text.inner == b"olm.csv.metadata";
                self.value_type.is_some()
            }
            _ => false,
        };
        self.is_clean &= fits;
        Ok(())
    }

    fn close(&mut self, _: bool, _: usize, _: Span, _: bool) {
        if let Some(Expected::Property) = self.open.pop() {
            self.is_clean &= self.has_value;
        }
    }
}

/// Returns the type of the value of a property; `None` for types that only the full decoder checks.
fn value_type(property: &[u8]) -> Option<&'static GoType> {
    match property {
        b"olm.package" => Some(&PACKAGE_VALUE),
        b"olm.package.required" => Some(&REQUIREMENT_VALUE),
        b"olm.gvk" | b"olm.gvk.required" => Some(&GVK_VALUE),
        b"olm.csv.metadata" => Some(&CSV_METADATA),
        b"olm.constraint" | b"olm.maxOpenShiftVersion" => Some(&Any),
        // A type that is new in `decode_property` may have checks.
        _ if property.starts_with(b"olm.") => None,
        _ => Some(&Any),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::{
        blob::Blob,
        decode::decode_document,
        file::{DocId, FileId},
        problem::ProblemKind,
    };

    pub(in crate::decode) const BUNDLE: &str = r#"{
        "schema": "olm.bundle", "name": "ship.v1", "package": "ship", "image": "example.com/ship:v1",
        "properties": [
            {"type": "olm.package", "value": {"packageName": "ship", "version": "1.0.0"}},
            {"type": "olm.package.required", "value": {"packageName": "dock", "versionRange": ">1"}},
            {"type": "olm.gvk", "value": {"group": "a", "kind": "Ship", "version": "v1"}},
            {"type": "olm.gvk.required", "value": {"group": "a", "kind": "Dock", "version": "v1"}},
            {"type": "olm.constraint", "value": {"failureMessage": "x", "all": [1, null, true]}},
            {"type": "olm.maxOpenShiftVersion", "value": "4.20"},
            {"type": "custom", "value": {"deep": [[{"Type": 1.5e3}]]}},
            {"type": "olm.csv.metadata", "value": {
                "annotations": {"a": "b", "c": null}, "displayName": "Ship \"one\"", "keywords": ["a", null],
                "crdDescriptions": {"owned": [{"name": "n", "resources": [{"kind": "Pod"}],
                    "specDescriptors": [{"path": "p", "x-descriptors": ["x"], "value": {"any": 1}}]}]},
                "apiServiceDefinitions": {"owned": [{"containerPort": 443}]},
                "installModes": [{"type": "OwnNamespace", "supported": true}], "provider": {"name": "x"}
            }}
        ],
        "relatedImages": [{"name": "", "image": "example.com/ship:v1"}, null]
    }"#;

    /// Returns the package if the check accepts the text, which must then have no errors.
    fn checked_package(text: &str) -> Option<String> {
        let value = check_value(text.as_bytes(), 0)?;
        let package = value.clean_bundle_of?.to_owned();
        let node = json::parse_json(&text.as_bytes()[..value.end]).unwrap();
        let decoded = decode_document(DocId { file: FileId(0), serial: 0 }, &node);
        assert_eq!(decoded.problems.count_kinds(ProblemKind::is_error), 0, "{text}\n{:?}", decoded.problems);
        let Some(Blob::Bundle(bundle)) = decoded.blob else { panic!("{text}") };
        assert_eq!(bundle.package.value, package.as_str(), "{text}");
        Some(package)
    }

    #[test]
    fn accepts_usual_bundle_with_all_properties() {
        assert_eq!(checked_package(BUNDLE).as_deref(), Some("ship"));
        let least = r#"{"schema":"olm.bundle","package":"a","name":"b"} {"#;
        assert_eq!(checked_package(least).as_deref(), Some("a"));
    }

    #[test]
    fn rejects_what_needs_full_decoder() {
        for (from, to) in [
            ("\"olm.bundle\"", "\"olm.channel\""),
            ("\"schema\"", "\"Schema\""),
            ("\"name\": \"ship.v1\"", "\"name\": null"),
            ("\"package\": \"ship\"", "\"package\": \"sh\\u0069p\""),
            ("\"image\"", "\"package\": \"dock\", \"image\""),
            ("\"image\"", "\"Image\": 1, \"image\""),
            ("\"image\"", "\"pakage\": \"x\", \"image\""),
            ("\"type\": \"olm.gvk\",", ""),
            ("\"type\": \"custom\", \"value\"", "\"type\": \"custom\", \"valu\""),
            ("\"type\": \"custom\", \"value\": ", "\"type\": \"olm.bundle.object\", \"value\": "),
            ("\"packageName\": \"dock\"", "\"PackageName\": 5"),
            ("\"containerPort\": 443", "\"containerPort\": 4.5"),
            ("\"supported\": true", "\"supported\": \"true\""),
            ("\"x-descriptors\": [\"x\"]", "\"x-descriptors\": \"x\""),
            ("{\"name\": \"\", \"image\"", "{\"name\": [], \"image\""),
            ("\"keywords\": [\"a\", null]", "\"\\u006beywords\": 1"),
            ("1.5e3", "1.5e999"),
            ("1.5e3", "1.5f3"),
        ] {
            assert!(BUNDLE.contains(from), "{from}");
            assert_eq!(checked_package(&BUNDLE.replacen(from, to, 1)), None, "{from} {to}");
        }
        for text in ["", "[]", "null", "{", "{}", "{\"schema\": \"olm.bundle\"}", "schema: olm.bundle"] {
            assert_eq!(checked_package(text), None, "{text}");
        }
    }

    #[test]
    fn accepted_bundle_has_no_errors_whatever_is_changed() {
        let accepted =
            changed_bundles(BUNDLE).into_iter().filter(|text| checked_package(text).is_some()).count();
        assert!((2_000..10_000).contains(&accepted), "{accepted}");
    }

    /// Returns many bundles that differ from a given one in a token or a byte.
    pub(in crate::decode) fn changed_bundles(bundle: &str) -> Vec<String> {
        let mut state = 7_u32;
        let mut next = move |limit: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % limit
        };
        let insertions =
            ["null", "true", "7", "1.5", "\"x\"", "[]", "{}", "[1]", "{\"a\":1}", "\"type\"", "\"value\""];
        let tokens: Vec<(usize, usize)> = token_ranges(bundle);
        let mut changed = Vec::new();
        for _ in 0..12_000 {
            let mut text = bundle.to_owned();
            match next(4) {
                // Another token in place of one.
                0 => {
                    let (start, end) = tokens[next(tokens.len())];
                    text.replace_range(start..end, insertions[next(insertions.len())]);
                }
                // Two tokens exchanged.
                1 => {
                    let ((a, b), (c, d)) = (tokens[next(tokens.len())], tokens[next(tokens.len())]);
                    let (first, second) = (bundle[a..b].to_owned(), bundle[c..d].to_owned());
                    if b <= c {
                        text.replace_range(c..d, &first);
                        text.replace_range(a..b, &second);
                    }
                }
                // Another case of a letter.
                2 => {
                    let at = next(text.len());
                    let letter = text[at..=at].to_owned();
                    text.replace_range(at..=at, &letter.to_ascii_uppercase());
                }
                // Another byte.
                _ => {
                    let at = next(text.len());
                    let byte = [" ", "\"", "{", "}", "[", "]", ",", ":", "\\", "0", "é", "-"][next(12)];
                    text.replace_range(at..=at, byte);
                }
            }
            changed.push(text);
        }
        changed
    }

    /// Returns the ranges of strings, numbers and words.
    fn token_ranges(text: &str) -> Vec<(usize, usize)> {
        let bytes = text.as_bytes();
        let (mut ranges, mut at) = (Vec::new(), 0);
        while at < bytes.len() {
            let start = at;
            at += 1;
            if bytes[start] == b'"' {
                while bytes[at] != b'"' {
                    at += 1 + usize::from(bytes[at] == b'\\');
                }
                at += 1;
            } else if bytes[start].is_ascii_alphanumeric() {
                while bytes[at].is_ascii_alphanumeric() || bytes[at] == b'.' {
                    at += 1;
                }
            } else {
                continue;
            }
            ranges.push((start, at));
        }
        ranges
    }
}
