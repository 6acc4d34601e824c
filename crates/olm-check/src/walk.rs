//! Reimplementation of opm's walk through a channel (operator-registry `alpha/model`, `Channel.Head` and
//! `validateReplacesChain`).
//!
//! OLM Classic differs: opm stops at a replaced entry that is skipped, Classic continues.

use std::collections::{HashMap, HashSet};

use olm_catalog::{
    BundleName,
    blob::{ChannelBlob, Entry},
};

/// Channel as opm sees it. Ignores entries without a name and all but the first of entries with
/// the same name; other rules report both.
pub(super) struct ChannelWalk<'a> {
    pub channel: &'a ChannelBlob,
    pub entries: HashMap<&'a BundleName, &'a Entry>,
    /// First entry in the channel that skips the name.
    pub skipped_by: HashMap<&'a BundleName, &'a Entry>,
    pub outcome: WalkOutcome<'a>,
}

/// Result of the walk.
pub(super) enum WalkOutcome<'a> {
    /// Channel without entries.
    Empty,
    /// No head: another entry replaces or skips each entry.
    NoHead,
    /// Entries that no other entry replaces or skips.
    SeveralHeads(Vec<&'a Entry>),
    /// Cycle below the head, with its entries.
    Cycle { head: &'a Entry, circle: Vec<&'a Entry> },
    /// Chain of entries from the head to the end, and entries that are neither in it nor skipped.
    Stopped { chain: Vec<&'a Entry>, stranded: Vec<&'a Entry> },
}

impl<'a> ChannelWalk<'a> {
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
            [] if order.is_empty() => WalkOutcome::Empty,
            [] => WalkOutcome::NoHead,
            [head] => follow_chain(head, &order, &entries, &skipped_by),
            _ => WalkOutcome::SeveralHeads(heads),
        };
        Self { channel, entries, skipped_by, outcome }
    }

    /// Returns the head if there is exactly one.
    pub fn head(&self) -> Option<&'a Entry> {
        match &self.outcome {
            WalkOutcome::Cycle { head, .. } => Some(head),
            WalkOutcome::Stopped { chain, .. } => chain.first().copied(),
            _ => None,
        }
    }
}

fn follow_chain<'a>(
    head: &'a Entry,
    order: &[&'a Entry],
    entries: &HashMap<&'a BundleName, &'a Entry>,
    skipped_by: &HashMap<&'a BundleName, &'a Entry>,
) -> WalkOutcome<'a> {
    let mut chain = vec![head];
    let mut seen: HashMap<&BundleName, usize> = HashMap::from([(&head.name.value, 0)]);
    let mut at = head;
    while let Some(replaces) = at.replaces.as_ref().map(|r| &r.value) {
        if skipped_by.contains_key(replaces) {
            break;
        }
        if let Some(&first) = seen.get(replaces) {
            let circle = chain.get(first..).unwrap_or_default().to_vec();
            return WalkOutcome::Cycle { head, circle };
        }
        let Some(&next) = entries.get(replaces) else { break };
        seen.insert(replaces, chain.len());
        chain.push(next);
        at = next;
    }
    let missed =
        |entry: &&Entry| !seen.contains_key(&entry.name.value) && !skipped_by.contains_key(&entry.name.value);
    let stranded = order.iter().copied().filter(missed).collect();
    WalkOutcome::Stopped { chain, stranded }
}
