//! opm's walk through a channel (operator-registry `alpha/model`, `Channel.Head` and `validateReplacesChain`).
//!
//! It is not Classic's: opm stops where the replaced entry is skipped, Classic walks through it.

use std::collections::{HashMap, HashSet};

use crate::catalog::{
    BundleName,
    blob::{ChannelBlob, Entry},
};

/// A channel as opm sees it. Entries without a name are left out, and of several with one name the first counts: both
/// are reported on their own.
pub(super) struct Walk<'a> {
    pub channel: &'a ChannelBlob,
    /// The entries by name.
    pub entries: HashMap<&'a BundleName, &'a Entry>,
    /// An entry that skips the name; the first in the channel.
    pub skipped_by: HashMap<&'a BundleName, &'a Entry>,
    pub outcome: Outcome<'a>,
}

/// What the walk found.
pub(super) enum Outcome<'a> {
    /// No entries.
    Empty,
    /// Every entry is replaced or skipped.
    NoHead,
    /// Nothing replaces or skips any of these.
    SeveralHeads(Vec<&'a Entry>),
    /// From the head, the walk came back to where it had been: the entries of the circle.
    Cycle { head: &'a Entry, circle: Vec<&'a Entry> },
    /// From the head, the walk went by these and stopped, and missed some entries that nobody skips.
    Stopped { chain: Vec<&'a Entry>, stranded: Vec<&'a Entry> },
}

impl<'a> Walk<'a> {
    pub fn new(channel: &'a ChannelBlob) -> Self {
        let named = || channel.entries.iter().filter(|e| !e.name.value.as_str().is_empty());
        let mut entries: HashMap<&BundleName, &Entry> = HashMap::with_capacity(channel.entries.len());
        let mut skipped_by: HashMap<&BundleName, &Entry> = HashMap::new();
        let mut replaced: HashSet<&BundleName> = HashSet::new();
        let mut order = Vec::with_capacity(channel.entries.len());
        for entry in named() {
            if entries.contains_key(&entry.name.value) {
                continue;
            }
            entries.insert(&entry.name.value, entry);
            order.push(entry);
            replaced.extend(entry.replaces.iter().map(|r| &r.value));
            for skip in entry.skips.iter().filter(|s| !s.value.as_str().is_empty()) {
                skipped_by.entry(&skip.value).or_insert(entry);
            }
        }
        let is_head = |entry: &&Entry| {
            !replaced.contains(&entry.name.value) && !skipped_by.contains_key(&entry.name.value)
        };
        let heads: Vec<&Entry> = order.iter().copied().filter(is_head).collect();
        let outcome = match heads.as_slice() {
            [] if order.is_empty() => Outcome::Empty,
            [] => Outcome::NoHead,
            [head] => follow(head, &order, &entries, &skipped_by),
            _ => Outcome::SeveralHeads(heads),
        };
        Self { channel, entries, skipped_by, outcome }
    }

    /// The head, where there is one and one only.
    pub fn head(&self) -> Option<&'a Entry> {
        match &self.outcome {
            Outcome::Cycle { head, .. } => Some(head),
            Outcome::Stopped { chain, .. } => chain.first().copied(),
            _ => None,
        }
    }
}

fn follow<'a>(
    head: &'a Entry,
    order: &[&'a Entry],
    entries: &HashMap<&'a BundleName, &'a Entry>,
    skipped_by: &HashMap<&'a BundleName, &'a Entry>,
) -> Outcome<'a> {
    let mut chain = vec![head];
    let mut seen: HashMap<&BundleName, usize> = HashMap::from([(&head.name.value, 0)]);
    let mut at = head;
    while let Some(replaces) = at.replaces.as_ref().map(|r| &r.value) {
        if skipped_by.contains_key(replaces) {
            break;
        }
        if let Some(&first) = seen.get(replaces) {
            let circle = chain.get(first..).unwrap_or_default().to_vec();
            return Outcome::Cycle { head, circle };
        }
        let Some(&next) = entries.get(replaces) else { break };
        seen.insert(replaces, chain.len());
        chain.push(next);
        at = next;
    }
    let missed =
        |entry: &&Entry| !seen.contains_key(&entry.name.value) && !skipped_by.contains_key(&entry.name.value);
    let stranded = order.iter().copied().filter(missed).collect();
    Outcome::Stopped { chain, stranded }
}
