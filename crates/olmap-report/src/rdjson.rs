//! Findings as reviewdog reads them: the Reviewdog Diagnostic Format, one JSON object.

use serde::Serialize;

use super::finding::CatalogFindings;
use olm_check::{Finding, FindingLocation, Severity};

/// All findings, with the program that reports them.
#[derive(Debug, Serialize)]
pub struct DiagnosticResult {
    source: Source,
    diagnostics: Vec<Diagnostic>,
}

#[derive(Debug, Serialize)]
struct Source {
    name: &'static str,
}

#[derive(Debug, Serialize)]
struct Diagnostic {
    message: String,
    location: Location,
    severity: &'static str,
    code: Code,
}

#[derive(Debug, Serialize)]
struct Location {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<Range>,
}

#[derive(Debug, Serialize)]
struct Range {
    start: Position,
    end: Position,
}

/// Position in a file. The column counts bytes, from 1.
#[derive(Debug, Serialize)]
struct Position {
    line: usize,
    column: usize,
}

#[derive(Debug, Serialize)]
struct Code {
    value: &'static str,
}

impl DiagnosticResult {
    /// Returns the open findings of some catalogs.
    pub fn from_catalog_findings(all: &[CatalogFindings<'_>]) -> Self {
        let findings = all.iter().flat_map(|judged| judged.findings.iter().map(move |f| (judged, *f)));
        let diagnostics = findings.map(|(judged, finding)| Diagnostic::from_finding(judged, finding));
        Self { source: Source { name: "olmap" }, diagnostics: diagnostics.collect() }
    }
}

impl Diagnostic {
    fn from_finding(judged: &CatalogFindings<'_>, finding: &Finding) -> Self {
        let location = finding.at.as_ref().and_then(|at| Location::resolve(judged, at));
        let advice = finding.advice();
        let help = if advice.is_empty() { String::new() } else { format!("\n\nhelp: {advice}") };
        Self {
            message: format!("{}{help}", finding.message),
            location: location
                .unwrap_or_else(|| Location { path: judged.catalog.origin.label(), range: None }),
            severity: match finding.severity() {
                Severity::Error => "ERROR",
                Severity::Warning => "WARNING",
                Severity::Note => "INFO",
            },
            code: Code { value: finding.rule.id },
        }
    }
}

impl Location {
    fn resolve(judged: &CatalogFindings<'_>, at: &FindingLocation) -> Option<Self> {
        let location = judged.file_location(at)?;
        let text = match at {
            FindingLocation::Document(doc, span) => {
                judged.catalog.document_text(*doc).map(|text| (text, span.range()))
            }
            FindingLocation::InBundle(spot) => Some((spot.source.as_slice(), spot.marked_range())),
            FindingLocation::File(_) => None,
        };
        let range = location.region.map(|region| {
            let position = |(line, column): (usize, usize), end: Option<usize>| {
                let before = text.as_ref().and_then(|(text, _)| text.get(..end?)).unwrap_or_default();
                Position { line, column: byte_column(&String::from_utf8_lossy(before), column) }
            };
            let marked = text.as_ref().map(|(_, range)| range);
            Range {
                start: position(region.start, marked.map(|range| range.start)),
                end: position(region.end, marked.map(|range| range.end)),
            }
        });
        Some(Self { path: location.path, range })
    }
}

/// Converts a column in characters to a column in bytes. `before` is the text before it, at least from the start of its
/// line; characters that are missing there count as one byte.
fn byte_column(before: &str, column: usize) -> usize {
    let characters = column.saturating_sub(1);
    let known: Vec<usize> = before.chars().rev().take(characters).map(char::len_utf8).collect();
    known.iter().sum::<usize>() + (characters - known.len()) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_bytes() {
        assert_eq!(byte_column("x: aé", 6), 7);
        assert_eq!(byte_column("line\nab", 3), 3);
        assert_eq!(byte_column("", 3), 3);
        assert_eq!(byte_column("é", 1), 1);
    }
}
