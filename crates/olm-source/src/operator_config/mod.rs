//! Files of an operator repository that decide into which catalogs a bundle goes, and their mistakes:
//! `operators/NAME/ci.yaml` ([`CiConfig`]) and `operators/NAME/VERSION/release-config.yaml` ([`ReleaseConfig`]).
//! [`check_operator`] compares them with the templates, catalogs and bundle directories of the operator. [`edit`]
//! changes them.
//!
//! Source: operator-pipelines `operatorcert/schemas/ci-schema.json`, `release-config-schema.json`,
//! `operatorcert/static_tests/common/operator.py`, `bundle.py`, `operatorcert/entrypoints/add_bundle_to_fbc.py`.

mod ci;
pub mod edit;
mod finding;
mod operator;
mod release;
mod template_content;
#[cfg(test)]
mod tests;

pub use ci::{CatalogMapping, CiConfig};
pub use finding::{ConfigSeverity, OperatorFinding, OperatorFindingKind};
pub use operator::{OperatorCatalogs, OperatorReport, catalog_folders, check_operator, configured_operators};
pub use release::{ReleaseConfig, ReleaseTemplate};

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use olm_catalog::{
    Location, Node, ReadError, Span, Spanned, Value,
    file::LineIndex,
    load::{quotable, regular_file},
    similar_names,
    text::yaml,
};

/// Name of the file that maps templates to catalogs.
pub const CI_FILE: &str = "ci.yaml";
/// Name of the file that says how a bundle enters the templates.
pub const RELEASE_FILE: &str = "release-config.yaml";

/// Schemas of the templates that the pipelines render.
const TEMPLATE_SCHEMAS: [&str; 2] = ["olm.template.basic", "olm.semver"];

/// Reads a hand-written file that messages may quote.
///
/// # Errors
///
/// The reason in words, if the file cannot be read or must not be quoted.
fn read_config(path: &Path) -> Result<Vec<u8>, String> {
    quotable::check_quotable(path).map_err(|why| why.to_string())?;
    regular_file::read_regular(path, regular_file::MAX_HANDWRITTEN_SIZE).map_err(|error| error.to_string())
}

/// Text of a file, for locations of findings.
struct ConfigText<'t> {
    /// Path relative to the repository.
    path: PathBuf,
    text: &'t [u8],
    lines: LineIndex,
}

impl<'t> ConfigText<'t> {
    fn index_text(path: &Path, text: &'t [u8]) -> Self {
        Self { path: path.to_owned(), text, lines: LineIndex::new(std::iter::once(text)) }
    }

    /// Parses the first document of the file.
    fn parse_document(&self) -> Result<Node<'t>, ReadError> {
        yaml::parse_stream(self.text)
    }

    fn locate_span(&self, span: Span) -> Location {
        let position = self.lines.position(0, span.range().start, |_| self.text);
        Location {
            path: self.path.clone(),
            line: position.lines + 1,
            column: position.column + 1,
            bytes: span.range(),
            is_whole_file: false,
        }
    }
}

/// Reader of a file that collects its mistakes.
struct ConfigReader<'t> {
    file: ConfigText<'t>,
    findings: Vec<OperatorFinding>,
}

impl<'t> ConfigReader<'t> {
    fn with_text(path: &Path, text: &'t [u8]) -> Self {
        Self { file: ConfigText::index_text(path, text), findings: Vec::new() }
    }

    fn report(&mut self, span: Span, severity: ConfigSeverity, kind: OperatorFindingKind) {
        self.findings.push(OperatorFinding { at: self.file.locate_span(span), severity, kind });
    }

    fn report_error(&mut self, span: Span, kind: OperatorFindingKind) {
        self.report(span, ConfigSeverity::Error, kind);
    }

    fn report_type(&mut self, span: Span, field: &str, expected: &'static str) {
        self.report_error(span, OperatorFindingKind::WrongType { field: field.to_owned(), expected });
    }

    /// Checks that a value is a map. Returns false for null, which is an absent value.
    fn check_map(&mut self, node: &Node, field: &str) -> bool {
        match node.value {
            Value::Map(_) => true,
            Value::Null => false,
            _ => {
                self.report_type(node.span, field, "a map");
                false
            }
        }
    }

    /// Reports the keys of a map that are not known. Without `severity`, only misspelled keys are reported.
    fn check_keys(&mut self, node: &Node, known: &[&'static str], severity: Option<ConfigSeverity>) {
        for member in node.members() {
            if known.contains(&member.key.as_ref()) {
                continue;
            }
            let suggestion = suggest(&member.key, known.iter().copied());
            let severity = severity.or(suggestion.is_some().then_some(ConfigSeverity::Warning));
            if let Some(severity) = severity {
                let kind = OperatorFindingKind::UnknownKey { key: member.key.to_string(), suggestion };
                self.report(member.key_span, severity, kind);
            }
        }
    }

    /// Returns a string field; `None` if it is absent, null or not a string.
    fn read_text(&mut self, node: &Node, key: &str) -> Option<Spanned<String>> {
        let value = node.get(key).filter(|value| !value.is_null())?;
        let text = value.as_str().map(|text| Spanned::new(text.to_owned(), value.span));
        if text.is_none() {
            self.report_type(value.span, key, "a string");
        }
        text
    }

    /// Returns a string field that must be there.
    fn read_required_text(&mut self, node: &Node, key: &'static str) -> Option<Spanned<String>> {
        if node.get(key).is_none_or(Node::is_null) {
            self.report_error(first_line(node), OperatorFindingKind::MissingField(key));
        }
        self.read_text(node, key)
    }

    /// Returns a boolean field.
    fn read_flag(&mut self, node: &Node, key: &str) -> Option<Spanned<bool>> {
        let value = node.get(key).filter(|value| !value.is_null())?;
        if let Value::Bool(flag) = value.value {
            return Some(Spanned::new(flag, value.span));
        }
        self.report_type(value.span, key, "true or false");
        None
    }

    /// Returns the items of a list; empty if it is absent or not a list.
    fn read_items<'n>(&mut self, node: &'n Node<'t>, key: &str) -> &'n [Node<'t>] {
        let Some(value) = node.get(key).filter(|value| !value.is_null()) else { return &[] };
        if let Value::List(items) = &value.value {
            return items;
        }
        self.report_type(value.span, key, "a list");
        &[]
    }

    /// Returns the strings of a list, and reports repeated ones and an empty list.
    fn read_texts(&mut self, node: &Node<'t>, key: &'static str) -> Vec<Spanned<String>> {
        let mut texts: Vec<Spanned<String>> = Vec::new();
        let mut seen = HashSet::new();
        let items = self.read_items(node, key);
        if let Some(value) = node.get(key)
            && matches!(&value.value, Value::List(items) if items.is_empty())
        {
            self.report_error(value.span, OperatorFindingKind::EmptyList(key));
        }
        for item in items {
            let Some(text) = item.as_str() else {
                self.report_item_type(item, key);
                continue;
            };
            if seen.insert(text.to_owned()) {
                texts.push(Spanned::new(text.to_owned(), item.span));
            } else {
                let kind = OperatorFindingKind::Repeated { field: key, value: text.to_owned() };
                self.report_error(item.span, kind);
            }
        }
        texts
    }

    /// Reports a list item that is not a string. A number is probably a version without quotes.
    fn report_item_type(&mut self, item: &Node, key: &'static str) {
        let kind = match &item.value {
            Value::Number(_) => {
                let text = self.file.text.get(item.span.range()).unwrap_or_default();
                let text = String::from_utf8_lossy(text).into_owned();
                OperatorFindingKind::UnquotedNumber { field: key, text }
            }
            _ => OperatorFindingKind::WrongType { field: key.to_owned(), expected: "a list of strings" },
        };
        self.report_error(item.span, kind);
    }

    /// Reports a value that is not one of the allowed values.
    fn check_value(
        &mut self,
        value: &Spanned<String>,
        field: &'static str,
        allowed: &'static [&'static str],
    ) {
        if !allowed.contains(&value.value.as_str()) {
            let suggestion = suggest(&value.value, allowed.iter().copied());
            let value_text = value.value.clone();
            let kind = OperatorFindingKind::UnknownValue { field, value: value_text, allowed, suggestion };
            self.report_error(value.span, kind);
        }
    }
}

/// Returns the beginning of a map: a finding about an absent key points to its first key.
fn first_line(node: &Node) -> Span {
    node.members().first().map_or(node.span, |member| member.key_span)
}

/// Maximum number of names that are compared to find a similar name.
const MAX_CANDIDATES: usize = 256;

/// Returns the most similar name. Names that differ only in case are similar.
fn suggest<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Option<String> {
    let known = known.take(MAX_CANDIDATES);
    let same = known.clone().find(|known| *known != name && known.eq_ignore_ascii_case(name));
    same.or_else(|| similar_names::suggest_closest(name, known)).map(str::to_owned)
}
