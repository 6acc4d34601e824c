//! Findings as diagnostics: those of `olmap validate`, at their locations.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use gen_lsp_types::{
    Code, Diagnostic as Shown, DiagnosticRelatedInformation, DiagnosticSeverity, Location as Place, Message,
    Range,
};

use super::{
    Encoding, address,
    spot::{self, Spot},
};
use crate::{
    bundle::Tree,
    catalog::{Catalog, Span, plain},
    export::finding,
    validate::{Diagnostic, Location, Severity},
};

/// Source of the diagnostics, as clients show it.
pub const SOURCE: &str = "olmap";

/// Subject of findings, with its text.
#[derive(Clone, Copy, Debug)]
pub enum About<'a> {
    /// Catalog.
    Catalog(&'a Catalog),
    /// Bundle directory, with its path.
    Bundle(&'a Tree, &'a Path),
}

/// Returns diagnostics by file. Findings without a file are reported at the start of `or_else`.
pub fn by_file<'f>(
    about: About<'_>,
    findings: impl Iterator<Item = &'f Diagnostic>,
    encoding: Encoding,
    or_else: &Path,
) -> BTreeMap<PathBuf, Vec<Shown>> {
    let mut files: BTreeMap<PathBuf, Vec<Shown>> = BTreeMap::new();
    for finding in findings {
        let place = finding.at.as_ref().and_then(|at| place_of(about, at, encoding));
        let (path, range) = place.unwrap_or_else(|| (or_else.to_owned(), Range::default()));
        // A directory cannot be shown.
        let is_of_file = !or_else.starts_with(&path) || path == or_else;
        let path = if is_of_file { path } else { or_else.to_owned() };
        files.entry(path).or_default().push(shown(about, finding, range, encoding));
    }
    files
}

fn shown(about: About<'_>, finding: &Diagnostic, range: Range, encoding: Encoding) -> Shown {
    let related = finding.related.iter().filter_map(|related| {
        let (path, range) = place_of(about, &related.at, encoding)?;
        let location = Place { uri: address::uri(&path), range };
        Some(DiagnosticRelatedInformation { location, message: plain::line(&related.message).into_owned() })
    });
    let related: Vec<_> = related.collect();
    let message = plain::line(&finding.message);
    let message = match finding.advice() {
        "" => message.into_owned(),
        help => format!("{message}\nhelp: {}", plain::line(help)),
    };
    Shown {
        range,
        severity: Some(match finding.severity() {
            Severity::Error => DiagnosticSeverity::Error,
            Severity::Warning => DiagnosticSeverity::Warning,
            Severity::Note => DiagnosticSeverity::Information,
        }),
        code: Some(Code::String(finding.rule.id.to_owned())),
        source: Some(SOURCE.to_owned()),
        message: Message::String(message),
        related_information: (!related.is_empty()).then_some(related),
        ..Shown::default()
    }
}

/// Returns the file and the range of a location.
pub fn place_of(about: About<'_>, at: &Location, encoding: Encoding) -> Option<(PathBuf, Range)> {
    match (about, at) {
        (About::Catalog(catalog), Location::Document(doc, span)) => {
            let path = spot::path_of(catalog, doc.file)?;
            let span = first_line(catalog.text(*doc)?, *span);
            Some((path, spot::range(catalog, encoding, Spot { doc: *doc, span })?))
        }
        (About::Catalog(catalog), at) => {
            let path = address::tidy(&finding::place(catalog, at)?.path);
            path.is_absolute().then(|| (path, Range::default()))
        }
        (About::Bundle(tree, root), Location::InBundle(spot)) => {
            let path = address::tidy(&spot.path);
            let inside = path.strip_prefix(root).ok()?.to_str()?.replace('\\', "/");
            let text = tree.files.get(tree.position(&inside)?)?.bytes();
            let span = first_line(text, spot.span);
            let at = |byte: u32| encoding.position(text, byte as usize);
            Some((path, Range { start: at(span.start), end: at(span.end) }))
        }
        (About::Bundle(..), Location::File(path)) => Some((address::tidy(path), Range::default())),
        (About::Bundle(..), Location::Document(..)) => None,
    }
}

/// Returns the first line of a span. An editor marks the whole range, and an object may have a thousand
/// lines.
fn first_line(text: &[u8], span: Span) -> Span {
    let range = span.range();
    let part = text.get(range.clone()).unwrap_or_default();
    let line = part.split(|byte| *byte == b'\n').next().unwrap_or_default();
    Span::new(range.start, range.start + line.trim_ascii_end().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn object_is_marked_on_its_first_line() {
        let text = b"a: 1\r\nb:\n  c: 2\n";
        assert_eq!(first_line(text, Span::new(0, 16)), Span::new(0, 4));
        assert_eq!(first_line(text, Span::new(6, 7)), Span::new(6, 7));
        assert_eq!(first_line(text, Span::new(90, 99)), Span::new(90, 90), "what is not there");
    }
}
