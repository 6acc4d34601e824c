//! Accepted findings: a file of those that somebody looked at and lives with, so that only new ones count.
//!
//! A finding is known again by its rule and by what it is about, whatever stands elsewhere in its file and however its
//! message is worded. A file counts for every catalog it is held against, each by itself.

mod identity;
mod read;
mod write;

#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::PathBuf,
};

pub use identity::Identity;
pub use read::Mistake;

use crate::{
    catalog::Catalog,
    validate::{Diagnostic, rules},
};

/// A file of accepted findings.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Accepted {
    /// The file.
    pub path: PathBuf,
    /// Its rows, in their order.
    pub rows: Vec<Row>,
}

/// An accepted finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Which one it is.
    pub identity: Identity,
    /// How many findings are the same by that: one, mostly.
    pub count: usize,
    /// Why it is accepted; empty where nobody said.
    pub reason: String,
}

impl Accepted {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// With the first thing in it that cannot be meant.
    pub fn read(path: PathBuf, bytes: &[u8]) -> Result<Self, Mistake> {
        Ok(Self { path, rows: read::read(bytes)? })
    }

    /// For each of some findings of one catalog the row that accepts it.
    pub fn of<'f>(
        &self,
        catalog: &Catalog,
        findings: impl Iterator<Item = &'f Diagnostic>,
    ) -> Vec<Option<usize>> {
        let mut left: HashMap<&Identity, (usize, usize)> = HashMap::with_capacity(self.rows.len());
        for (at, row) in self.rows.iter().enumerate() {
            left.entry(&row.identity).or_insert((at, row.count));
        }
        let rules: HashSet<&str> = self.rows.iter().map(|row| row.identity.rule.as_str()).collect();
        let mut accept = |finding: &Diagnostic| {
            // Most are of a rule of which nothing is accepted.
            rules.get(finding.rule.id)?;
            let (at, left) = left.get_mut(&Identity::of(catalog, finding))?;
            *left = left.checked_sub(finding.count())?;
            Some(*at)
        };
        let checked = findings.map(|finding| Some(finding).filter(|finding| !finding.is_not_checked()));
        let row = |finding: Option<&Diagnostic>| {
            let finding = finding?;
            accept(finding).or_else(|| {
                // Earlier versions reported the same as a dead end, or by channel.
                let is_stuck = *finding.rule == rules::STUCK;
                let part = || finding.parts().into_iter().find_map(&mut accept);
                let earlier = || self.rows.iter().position(|row| row.identity.is_earlier_form_of(finding));
                is_stuck.then(part).flatten().or_else(|| is_stuck.then(earlier).flatten())
            })
        };
        checked.map(row).collect()
    }

    /// The rows that a file gets in which all of some findings are accepted: sorted, with the reasons that are known of them.
    #[must_use]
    pub fn accepting<'f>(&self, all: impl Iterator<Item = (&'f Catalog, Vec<&'f Diagnostic>)>) -> Vec<Row> {
        let reasons: HashMap<&Identity, &str> =
            self.rows.iter().rev().map(|row| (&row.identity, row.reason.as_str())).collect();
        let mut most: BTreeMap<Identity, usize> = BTreeMap::new();
        for (catalog, findings) in all {
            let mut counts: HashMap<Identity, usize> = HashMap::new();
            // What was not checked is not known, so it cannot be accepted.
            for finding in findings.into_iter().filter(|finding| !finding.is_not_checked()) {
                *counts.entry(Identity::of(catalog, finding)).or_default() += finding.count();
            }
            for (identity, count) in counts {
                let most = most.entry(identity).or_default();
                *most = count.max(*most);
            }
        }
        let row = |(identity, count): (Identity, usize)| {
            let reason = reasons.get(&identity).copied().unwrap_or_default().to_owned();
            Row { identity, count, reason }
        };
        most.into_iter().map(row).collect()
    }

    /// The file as text: one finding a line, sorted, so that a review shows what was accepted.
    pub fn text(rows: &[Row]) -> String {
        write::text(rows)
    }
}
