//! Keys by which services recognize a finding in reports of different versions of a catalog.

use std::collections::HashMap;

use sha2::{Digest as _, Sha256};

use super::finding::CatalogFindings;
use olm_check::{Finding, FindingKey};

/// Source of the fingerprints of a report. Findings with the same key get different ones, in the order of the report.
#[derive(Debug, Default)]
pub(super) struct Fingerprints {
    times: HashMap<String, usize>,
}

impl Fingerprints {
    /// Returns the fingerprint of the next finding of the report. It depends on the subject of the finding, not on its
    /// location, and never changes between versions of olmap.
    pub(super) fn next_fingerprint(&mut self, judged: &CatalogFindings<'_>, finding: &Finding) -> String {
        let key = published_key(judged, finding);
        let nth = self.times.entry(key.clone()).and_modify(|nth| *nth += 1).or_default();
        let digest = Sha256::digest(format!("{key}\0{nth}"));
        digest.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
    }
}

/// Returns the published key of a finding, unique across catalogs. It never changes, because services compare reports of
/// different versions.
fn published_key(judged: &CatalogFindings<'_>, finding: &Finding) -> String {
    let identity = FindingKey::for_files(judged.catalog, finding);
    let parts = [&identity.package, &identity.channel, &identity.bundle, &identity.file];
    let parts = parts.map(|part| part.as_deref().unwrap_or_default());
    let about = identity.about.join("\0");
    format!("{}\0{}\0{}\0{about}", judged.catalog.origin.label(), identity.rule, parts.join("\0"))
}
