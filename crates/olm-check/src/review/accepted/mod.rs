//! Accepted findings: a file with findings that a user has reviewed and accepted, so that only new
//! ones count.
//!
//! A finding is recognized by its rule and its subject. Other changes of its file or of its message
//! do not matter. A file can be used for several catalogs, each separately.

mod formatter;
mod identity;
mod parser;

#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::PathBuf,
};

pub use identity::FindingKey;
pub use parser::Mistake;

use crate::{Finding, rules};
use olm_catalog::Catalog;

/// File of accepted findings.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AcceptedFindings {
    /// Path of the file.
    pub path: PathBuf,
    /// Rows in file order.
    pub rows: Vec<AcceptedFinding>,
}

/// Accepted finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AcceptedFinding {
    /// Identity of the finding.
    pub identity: FindingKey,
    /// Number of findings with this identity, usually one.
    pub count: usize,
    /// Reason to accept it; may be empty.
    pub reason: String,
}

impl AcceptedFindings {
    /// Parses a file.
    ///
    /// # Errors
    ///
    /// Fails with the first mistake in the file.
    pub fn parse_file(path: PathBuf, bytes: &[u8]) -> Result<Self, Mistake> {
        Ok(Self { path, rows: parser::parse_rows(bytes)? })
    }

    /// Returns, for each finding of a catalog, the index of the row that accepts it.
    pub fn match_findings<'f>(
        &self,
        catalog: &Catalog,
        findings: impl Iterator<Item = &'f Finding>,
    ) -> Vec<Option<usize>> {
        let mut left: HashMap<&FindingKey, (usize, usize)> = HashMap::with_capacity(self.rows.len());
        for (at, row) in self.rows.iter().enumerate() {
            left.entry(&row.identity).or_insert((at, row.count));
        }
        let rules: HashSet<&str> = self.rows.iter().map(|row| row.identity.rule.as_str()).collect();
        let mut accept = |finding: &Finding| {
            // Most findings have a rule without accepted findings.
            rules.get(finding.rule.id)?;
            let (at, left) = left.get_mut(&FindingKey::from_finding(catalog, finding))?;
            *left = left.checked_sub(finding.finding_count())?;
            Some(*at)
        };
        let checked = findings.map(|finding| Some(finding).filter(|finding| !finding.is_not_checked()));
        let row = |finding: Option<&Finding>| {
            let finding = finding?;
            accept(finding).or_else(|| {
                // Earlier versions reported stuck versions as dead ends, or by channel.
                let is_stuck = *finding.rule == rules::STUCK;
                let part = || finding.all_parts().into_iter().find_map(&mut accept);
                let earlier = || self.rows.iter().position(|row| row.identity.is_earlier_form_of(finding));
                is_stuck.then(part).flatten().or_else(|| is_stuck.then(earlier).flatten())
            })
        };
        checked.map(row).collect()
    }

    /// Returns the rows of a file that accepts all given findings: sorted, with the reasons of
    /// existing rows.
    #[must_use]
    pub fn rows_accepting_all<'f>(
        &self,
        all: impl Iterator<Item = (&'f Catalog, Vec<&'f Finding>)>,
    ) -> Vec<AcceptedFinding> {
        let reasons: HashMap<&FindingKey, &str> =
            self.rows.iter().rev().map(|row| (&row.identity, row.reason.as_str())).collect();
        let mut most: BTreeMap<FindingKey, usize> = BTreeMap::new();
        for (catalog, findings) in all {
            let mut counts: HashMap<FindingKey, usize> = HashMap::new();
            // The result of a check that was not done is unknown, so it cannot be accepted.
            for finding in findings.into_iter().filter(|finding| !finding.is_not_checked()) {
                *counts.entry(FindingKey::from_finding(catalog, finding)).or_default() +=
                    finding.finding_count();
            }
            for (identity, count) in counts {
                let most = most.entry(identity).or_default();
                *most = count.max(*most);
            }
        }
        let row = |(identity, count): (FindingKey, usize)| {
            let reason = reasons.get(&identity).copied().unwrap_or_default().to_owned();
            AcceptedFinding { identity, count, reason }
        };
        most.into_iter().map(row).collect()
    }

    /// Formats the rows as a file: sorted, with one finding per line, so that accepted findings
    /// show up in a review.
    pub fn format_file(rows: &[AcceptedFinding]) -> String {
        formatter::format_rows(rows)
    }
}
