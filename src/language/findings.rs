//! Findings as diagnostics: the same that `olmap validate` tells, where they stand.

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

/// Where findings come from, as clients show it.
pub const SOURCE: &str = "olmap";

/// What findings are about, and the text they stand in.
#[derive(Clone, Copy, Debug)]
pub enum About<'a> {
    /// A catalog.
    Catalog(&'a Catalog),
    /// A bundle directory.
    Bundle(&'a Tree, &'a Path),
}

/// Diagnostics by file. What has no file that could be shown is at the beginning of `or_else`.
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
        // A folder cannot be shown.
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

/// The file and the range of a location.
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

/// What stands of something on the line where it begins: an editor marks all of a range, and an object may be a thousand lines.
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
    fn an_object_is_marked_on_its_first_line() {
        let text = b"a: 1\r\nb:\n  c: 2\n";
        assert_eq!(first_line(text, Span::new(0, 16)), Span::new(0, 4));
        assert_eq!(first_line(text, Span::new(6, 7)), Span::new(6, 7));
        assert_eq!(first_line(text, Span::new(90, 99)), Span::new(90, 90), "what is not there");
    }
}
