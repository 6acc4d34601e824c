//! Findings as a Code Quality report, which GitLab shows in merge requests.

use std::collections::HashMap;

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::finding::CatalogFindings;
use olm_check::{Finding, FindingKey, Severity};

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
    let mut times: HashMap<String, usize> = HashMap::new();
    let findings = all.iter().flat_map(|judged| judged.findings.iter().map(move |finding| (judged, finding)));
    findings
        .map(|(judged, finding)| {
            let known = finding_key(judged, finding);
            // A counter separates findings with the same key.
            let nth = times.entry(known.clone()).and_modify(|nth| *nth += 1).or_default();
            build_issue(judged, finding, &format!("{known}\0{nth}"))
        })
        .collect()
}

/// Returns the published key of a finding, unique across catalogs. It never changes, because GitLab
/// compares reports of different versions.
fn finding_key(judged: &CatalogFindings<'_>, finding: &Finding) -> String {
    let identity = FindingKey::for_files(judged.catalog, finding);
    let parts = [&identity.package, &identity.channel, &identity.bundle, &identity.file];
    let parts = parts.map(|part| part.as_deref().unwrap_or_default());
    let about = identity.about.join("\0");
    format!("{}\0{}\0{}\0{about}", judged.catalog.origin.label(), identity.rule, parts.join("\0"))
}

fn build_issue(judged: &CatalogFindings<'_>, finding: &Finding, known: &str) -> Issue {
    let spot = finding.at.as_ref().and_then(|at| judged.file_location(at));
    let (path, region) = match spot {
        Some(spot) => (spot.path, spot.region),
        None => (judged.catalog.origin.label(), None),
    };
    let begin = region.as_ref().map_or(1, |region| region.start.0);
    let end = region.map(|region| region.end.0).filter(|end| *end > begin);
    let advice = finding.advice();
    let advice = if advice.is_empty() { String::new() } else { format!(" ({advice})") };
    Issue {
        description: format!("{}{advice}", finding.message),
        check_name: finding.rule.id,
        fingerprint: hex(&Sha256::digest(known)),
        severity: match finding.severity() {
            Severity::Error => "critical",
            Severity::Warning => "minor",
            Severity::Note => "info",
        },
        location: Location { path, lines: Lines { begin, end } },
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}
