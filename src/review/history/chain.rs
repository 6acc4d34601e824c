//! From states of a catalog, newest first, to what was done between them.

use std::{mem, sync::Arc};

use rayon::prelude::*;

use super::{Changed, Did};
use crate::{
    catalog::{Catalog, PackageName},
    review::Snapshot,
};

/// Goes from state to state. A commit is compared with the nearest one before it whose state can be read.
#[derive(Debug)]
pub struct Chain {
    package: PackageName,
    /// The oldest state so far that can be read, with its number.
    newer: Option<(usize, Arc<Snapshot>)>,
    /// The number of the next state.
    next: usize,
}

/// Two states and the number of the newer one's commit.
struct Pair {
    number: usize,
    older_number: usize,
    newer: Arc<Snapshot>,
    older: Arc<Snapshot>,
}

impl Chain {
    /// The beginning of a chain: no state yet.
    pub fn new(package: PackageName) -> Self {
        Self { package, newer: None, next: 0 }
    }

    /// Adds the next states, each older than the one before; or why it cannot be read. What is known now of what commits did:
    /// each with its number, in no order. A commit that did nothing to the package is not told of.
    pub fn add(&mut self, states: Vec<Result<Catalog, String>>) -> Vec<(usize, Did)> {
        let judged: Vec<Result<Arc<Snapshot>, String>> =
            states.into_par_iter().map(|state| Ok(Arc::new(Snapshot::new(state?)))).collect();
        let (mut pairs, mut told) = (Vec::new(), Vec::new());
        for state in judged {
            let number = self.next;
            self.next += 1;
            match state {
                Err(why) => told.push((number, Did::Unread(why))),
                Ok(older) => {
                    if let Some((before, newer)) = self.newer.replace((number, Arc::clone(&older))) {
                        pairs.push(Pair { number: before, older_number: number, newer, older });
                    }
                }
            }
        }
        let package = &self.package;
        told.par_extend(pairs.into_par_iter().filter_map(|pair| {
            let mut changed = Changed::between(&pair.older, &pair.newer, package)?;
            changed.unread_before = pair.older_number.saturating_sub(pair.number + 1);
            Some((pair.number, Did::Changed(Box::new(changed))))
        }));
        told
    }

    /// There are no more states: the last was that before the oldest commit.
    pub fn end(&mut self) -> Option<(usize, Did)> {
        let (number, _) = mem::take(&mut self.newer)?;
        let why = || "what was there before cannot be read".to_owned();
        (number + 1 < self.next).then(|| (number, Did::Unread(why())))
    }
}
