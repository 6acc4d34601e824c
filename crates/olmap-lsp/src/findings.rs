//! Findings as diagnostics: those of `olmap validate`, at their locations.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use gen_lsp_types::{
    Code, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location, Message,
    Range,
};

use super::{
    Encoding, address,
    location::{self, DocumentSpan},
    names::{self, NameRole, NamedObject},
};
use olm_bundle::Tree;
use olm_catalog::{Catalog, Span, blob::DeprecationTarget, escape};
use olm_check::{Finding, FindingLocation, Severity};

/// Source of the diagnostics, as clients show it.
pub const SOURCE: &str = "olmap";

/// Subject of findings, with its text.
#[derive(Clone, Copy, Debug)]
pub enum FindingSubject<'a> {
    /// Catalog.
    Catalog(&'a Catalog),
    /// Bundle directory, with its path.
    Bundle(&'a Tree, &'a Path),
}

/// Returns diagnostics by file. Findings without a file are reported at the start of `or_else`.
pub fn diagnostics_by_file<'f>(
    about: FindingSubject<'_>,
    findings: impl Iterator<Item = &'f Finding>,
    encoding: Encoding,
    or_else: &Path,
) -> BTreeMap<PathBuf, Vec<Diagnostic>> {
    let mut files: BTreeMap<PathBuf, Vec<Diagnostic>> = BTreeMap::new();
    for finding in findings {
        let place = finding.at.as_ref().and_then(|at| location_range(about, at, encoding));
        let (path, range) = place.unwrap_or_else(|| (or_else.to_owned(), Range::default()));
        // A directory cannot be shown.
        let is_of_file = !or_else.starts_with(&path) || path == or_else;
        let path = if is_of_file { path } else { or_else.to_owned() };
        files.entry(path).or_default().push(to_lsp_diagnostic(about, finding, range, encoding));
    }
    files
}

fn to_lsp_diagnostic(
    about: FindingSubject<'_>,
    finding: &Finding,
    range: Range,
    encoding: Encoding,
) -> Diagnostic {
    let related = finding.related.iter().filter_map(|related| {
        let (path, range) = location_range(about, &related.at, encoding)?;
        let location = Location { uri: address::path_to_uri(&path), range };
        Some(DiagnosticRelatedInformation {
            location,
            message: escape::escape_line(&related.message).into_owned(),
        })
    });
    let related: Vec<_> = related.collect();
    let message = escape::escape_line(&finding.message);
    let message = match finding.advice() {
        "" => message.into_owned(),
        help => format!("{message}\nhelp: {}", escape::escape_line(help)),
    };
    Diagnostic {
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
        ..Diagnostic::default()
    }
}

/// Returns hints that mark the names of deprecated channels and bundles in some files, with the messages for users.
/// Clients strike them through. They are not findings.
pub fn deprecation_hints(
    catalog: &Catalog,
    open: &[PathBuf],
    encoding: Encoding,
) -> BTreeMap<PathBuf, Vec<Diagnostic>> {
    let mut files: BTreeMap<PathBuf, Vec<Diagnostic>> = BTreeMap::new();
    for path in open {
        let Some(file) = location::find_file(catalog, path) else { continue };
        let with_deprecations = catalog.packages().filter(|package| !package.deprecations.is_empty());
        for package in with_deprecations {
            names::for_each_name(package, None, &mut |occurrence| {
                let is_named = matches!(occurrence.role, NameRole::Definition | NameRole::Entry);
                if occurrence.at.doc.file != file || !is_named {
                    return;
                }
                let deprecation = match &occurrence.named {
                    NamedObject::Package => package.deprecation(&DeprecationTarget::Package),
                    NamedObject::Channel(name) => package.channel_deprecation(name),
                    NamedObject::Bundle(name) => package.bundle_deprecation(name),
                };
                let Some(deprecation) = deprecation else { return };
                if !names::is_name_in_source(catalog, package, &occurrence) {
                    return;
                }
                let Some(range) = location::to_range(catalog, encoding, occurrence.at) else { return };
                let name = occurrence.named.name(&package.name);
                let message = format!("{name} is deprecated: {}", deprecation.message.value);
                let hint = Diagnostic {
                    range,
                    severity: Some(DiagnosticSeverity::Hint),
                    source: Some(SOURCE.to_owned()),
                    message: Message::String(escape::escape_line(&message).into_owned()),
                    tags: Some(vec![DiagnosticTag::Deprecated]),
                    ..Diagnostic::default()
                };
                files.entry(path.clone()).or_default().push(hint);
            });
        }
    }
    files
}

/// Returns the file and the range of a location.
pub fn location_range(
    about: FindingSubject<'_>,
    at: &FindingLocation,
    encoding: Encoding,
) -> Option<(PathBuf, Range)> {
    match (about, at) {
        (FindingSubject::Catalog(catalog), FindingLocation::Document(doc, span)) => {
            let path = location::file_path(catalog, doc.file)?;
            let span = first_line(catalog.document_text(*doc)?, *span);
            Some((path, location::to_range(catalog, encoding, DocumentSpan { doc: *doc, span })?))
        }
        (FindingSubject::Catalog(catalog), at) => {
            let path = address::normalize_dots(&at.resolve(catalog)?.path);
            path.is_absolute().then(|| (path, Range::default()))
        }
        (FindingSubject::Bundle(tree, root), FindingLocation::InBundle(spot)) => {
            let path = address::normalize_dots(&spot.path);
            let inside = path.strip_prefix(root).ok()?.to_str()?.replace('\\', "/");
            let text = tree.files.get(tree.file_index(&inside)?)?.content_or_empty();
            let span = first_line(text, spot.span);
            let at = |byte: u32| encoding.position(text, byte as usize);
            Some((path, Range { start: at(span.start), end: at(span.end) }))
        }
        (FindingSubject::Bundle(..), FindingLocation::File(path)) => {
            Some((address::normalize_dots(path), Range::default()))
        }
        (FindingSubject::Bundle(..), FindingLocation::Document(..)) => None,
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
