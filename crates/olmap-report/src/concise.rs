//! Findings in one line each: `path:line:column: severity rule: text`, for editors, `grep` and problem matchers.

use std::fmt::Write as _;

use super::{escape, finding::CatalogFindings};
use olm_check::Finding;

/// Renders each finding on its own line.
pub fn render_concise(all: &[CatalogFindings<'_>]) -> String {
    let mut text = String::new();
    for judged in all {
        for finding in &judged.findings {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}", concise_line(judged, finding));
        }
    }
    text
}

/// Returns the line of a finding, without control characters. A finding without a location has the name of the
/// catalog in place of its path.
pub(super) fn concise_line(judged: &CatalogFindings<'_>, finding: &Finding) -> String {
    let (severity, rule) = (finding.severity().as_str(), finding.rule.id);
    let place = format_place(judged, finding);
    escape::escape_line(&format!("{place}: {severity} {rule}: {}", finding.message)).into_owned()
}

/// Returns `path:line:column`, as far as it is known.
pub(super) fn format_place(judged: &CatalogFindings<'_>, finding: &Finding) -> String {
    match finding.at.as_ref().and_then(|at| judged.file_location(at)) {
        Some(location) => match &location.region {
            Some(region) => format!("{}:{}:{}", location.path, region.start.0, region.start.1),
            None => location.path,
        },
        None => judged.catalog.origin.label(),
    }
}
