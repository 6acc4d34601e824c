//! The filter for one channel.

use std::collections::{HashMap, HashSet};

use super::error::BadChannel;
use olm_catalog::{
    BundleName,
    blob::{ChannelBlob, Entry},
};
use olm_version::{Version, masterminds::Constraint};

/// The versions of a package's bundles, by bundle name. oc-mirror parses them as strict semantic versions.
pub(super) type Versions = HashMap<BundleName, Version>;

/// A channel with exactly one head.
pub(super) struct SingleHeadChannel<'c> {
    entries: HashMap<&'c BundleName, &'c Entry>,
    head: &'c BundleName,
}

impl<'c> SingleHeadChannel<'c> {
    /// Finds the head of a channel.
    ///
    /// # Errors
    ///
    /// Returns an error if the channel does not have exactly one head, or if its upgrade graph is invalid.
    pub(super) fn new(channel: &'c ChannelBlob) -> Result<Self, BadChannel> {
        let mut entries = HashMap::new();
        for entry in &channel.entries {
            let name = &entry.name.value;
            if entries.insert(name, entry).is_some() {
                return Err(BadChannel::Twice(name.clone()));
            }
            if entry.replaces(name) || entry.skips(name) {
                return Err(BadChannel::Itself(name.clone()));
            }
        }
        if has_cycle(&entries) {
            return Err(BadChannel::Cycle);
        }
        match channel.heads().as_slice() {
            [] if channel.entries.is_empty() => Err(BadChannel::Empty),
            [] => Err(BadChannel::NoHead),
            [head] => Ok(Self { entries, head }),
            several => {
                let names: Vec<&str> = several.iter().map(|name| name.as_str()).collect();
                Err(BadChannel::Heads(names.join(", ")))
            }
        }
    }

    pub(super) fn head(&self) -> &'c BundleName {
        self.head
    }

    /// Returns the replaces chain: the head, the bundle it replaces, and so on.
    ///
    /// A name without an entry is the end of the chain and belongs to it.
    fn replaces_chain(&self) -> Vec<&'c BundleName> {
        let mut chain = vec![self.head];
        let mut here = self.head;
        while let Some(next) = self.entries.get(here).and_then(|entry| entry.replaces.as_ref()) {
            here = &next.value;
            chain.push(here);
            // `new` rejects cycles, so this limit is only a safeguard.
            if chain.len() > self.entries.len() + 1 {
                break;
            }
        }
        chain
    }

    /// Returns the entries that oc-mirror keeps for a version range.
    ///
    /// They are a part of the replaces chain, and the skipped bundles that match the range. The part starts at
    /// the lowest entry that reaches all matching versions. It ends at the last entry that reaches a
    /// matching version.
    pub(super) fn kept_entries(&self, range: &Constraint, versions: &Versions) -> HashSet<&'c BundleName> {
        let matches = |name: &BundleName| versions.get(name).is_some_and(|version| range.matches(version));
        let skips = |name: &BundleName| {
            let entry = self.entries.get(name).copied();
            entry.into_iter().flat_map(|entry| &entry.skips).map(|skip| &skip.value)
        };
        let chain = self.replaces_chain();
        // From the tail up: count the matching names in each chain entry and everything below it.
        let mut known: HashSet<&BundleName> = HashSet::new();
        let mut counts: Vec<usize> = Vec::with_capacity(chain.len());
        for name in chain.iter().rev() {
            known.extend(std::iter::once(*name).chain(skips(name)).filter(|name| matches(name)));
            counts.push(known.len());
        }
        counts.reverse();
        let most = counts.first().copied().unwrap_or(0);
        if most == 0 {
            return HashSet::new();
        }
        let nodes = chain.iter().zip(&counts);
        let first = counts.iter().rposition(|count| *count == most).unwrap_or(0);
        let mut kept = HashSet::new();
        for (name, _) in nodes.skip(first).take_while(|(_, count)| **count > 0) {
            kept.insert(*name);
            kept.extend(skips(name).filter(|name| matches(name)));
        }
        kept
    }
}

/// Returns true if the `replaces` edges of the entries contain a cycle.
fn has_cycle(entries: &HashMap<&BundleName, &Entry>) -> bool {
    // Kahn's algorithm: remove entries without incoming edge. The entries that remain are in a cycle or below a
    // cycle.
    let mut above: HashMap<&BundleName, usize> = entries.keys().map(|name| (*name, 0)).collect();
    let targets = |entry: &'_ Entry| -> Vec<BundleName> {
        entry.replaces.iter().map(|name| name.value.clone()).collect()
    };
    for entry in entries.values() {
        for target in targets(entry) {
            if let Some(count) = above.get_mut(&target) {
                *count += 1;
            }
        }
    }
    let mut free: Vec<&BundleName> =
        above.iter().filter(|(_, count)| **count == 0).map(|(name, _)| *name).collect();
    let mut gone = 0;
    while let Some(name) = free.pop() {
        gone += 1;
        let Some(entry) = entries.get(name) else { continue };
        for target in targets(entry) {
            if let Some((known, _)) = entries.get_key_value(&target)
                && let Some(count) = above.get_mut(known)
            {
                *count -= 1;
                if *count == 0 {
                    free.push(known);
                }
            }
        }
    }
    gone < entries.len()
}
