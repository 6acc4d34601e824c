//! Findings as a Code Quality report, which GitLab shows in merge requests.

use serde::Serialize;

use super::{
    finding::{CatalogFindings, message_with_advice},
    fingerprint::Fingerprints,
};
use olm_check::{Finding, Severity};

/// Finding as GitLab reads it.
#[derive(Debug, Serialize)]
pub struct Issue {
    description: String,
    check_name: &'static str,
    /// Key by which GitLab matches a finding on both branches. Depends on the subject, not on the
    /// location.
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Debug, Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Debug, Serialize)]
struct Lines {
    begin: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<usize>,
}

/// Returns the findings of some catalogs without accepted ones, which GitLab cannot represent.
pub fn code_quality_issues(all: &[CatalogFindings<'_>]) -> Vec<Issue> {
    let mut fingerprints = Fingerprints::default();
    let findings = all.iter().flat_map(|judged| judged.findings.iter().map(move |finding| (judged, finding)));
    findings
        .map(|(judged, finding)| build_issue(judged, finding, fingerprints.next_fingerprint(judged, finding)))
        .collect()
}

fn build_issue(judged: &CatalogFindings<'_>, finding: &Finding, fingerprint: String) -> Issue {
    let spot = finding.at.as_ref().and_then(|at| judged.file_location(at));
    let (path, region) = match spot {
        Some(spot) => (spot.path, spot.region),
        None => (judged.catalog.origin.label(), None),
    };
    let begin = region.as_ref().map_or(1, |region| region.start.0);
    let end = region.map(|region| region.end.0).filter(|end| *end > begin);
    Issue {
        description: message_with_advice(finding),
        check_name: finding.rule.id,
        fingerprint,
        severity: match finding.severity() {
            Severity::Error => "critical",
            Severity::Warning => "minor",
            Severity::Note => "info",
        },
        location: Location { path, lines: Lines { begin, end } },
    }
}
