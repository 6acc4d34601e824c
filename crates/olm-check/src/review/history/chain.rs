//! Computes the changes between states of a catalog, newest first.

use std::{mem, sync::Arc};

use rayon::prelude::*;

use super::{CommitEffect, PackageChange};
use crate::review::Snapshot;
use olm_catalog::{Catalog, PackageName};

/// Iteration over states. Compares each commit with the closest earlier one whose state can be read.
#[derive(Debug)]
pub struct StateSequence {
    package: PackageName,
    /// Oldest readable state so far, with its number.
    newer: Option<(usize, Arc<Snapshot>)>,
    /// Number of the next state.
    next: usize,
}

/// Two states, with the numbers of their commits.
struct StatePair {
    number: usize,
    older_number: usize,
    newer: Arc<Snapshot>,
    older: Arc<Snapshot>,
}

impl StateSequence {
    /// Creates a chain without states.
    pub fn new(package: PackageName) -> Self {
        Self { package, newer: None, next: 0 }
    }

    /// Adds the next states, newest first, or the reasons why they cannot be read. Returns the changes of commits that are
    /// now known, each with its number, in any order. Skips commits that do not change the package.
    pub fn add_states(&mut self, states: Vec<Result<Catalog, String>>) -> Vec<(usize, CommitEffect)> {
        let judged: Vec<Result<Arc<Snapshot>, String>> =
            states.into_par_iter().map(|state| Ok(Arc::new(Snapshot::new(state?)))).collect();
        let (mut pairs, mut told) = (Vec::new(), Vec::new());
        for state in judged {
            let number = self.next;
            self.next += 1;
            match state {
                Err(why) => told.push((number, CommitEffect::Unread(why))),
                Ok(older) => {
                    if let Some((before, newer)) = self.newer.replace((number, Arc::clone(&older))) {
                        pairs.push(StatePair { number: before, older_number: number, newer, older });
                    }
                }
            }
        }
        let package = &self.package;
        told.par_extend(pairs.into_par_iter().filter_map(|pair| {
            let mut changed = PackageChange::compare_package(&pair.older, &pair.newer, package)?;
            changed.unread_before = pair.older_number.saturating_sub(pair.number + 1);
            Some((pair.number, CommitEffect::Changed(Box::new(changed))))
        }));
        told
    }

    /// Ends the chain: the last state was before the oldest commit.
    pub fn finish_sequence(&mut self) -> Option<(usize, CommitEffect)> {
        let (number, _) = mem::take(&mut self.newer)?;
        let why = || "what was there before cannot be read".to_owned();
        (number + 1 < self.next).then(|| (number, CommitEffect::Unread(why())))
    }
}
