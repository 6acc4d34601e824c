//! What is kept of one channel.

use std::collections::{HashMap, HashSet};

use super::fault::BadChannel;
use crate::{
    catalog::{
        BundleName,
        blob::{ChannelBlob, Entry},
    },
    version::{Version, masterminds::Constraint},
};

/// The versions of a package's bundles, as oc-mirror reads them.
pub(super) type Versions = HashMap<BundleName, Version>;

/// A channel with one head.
pub(super) struct Line<'c> {
    entries: HashMap<&'c BundleName, &'c Entry>,
    head: &'c BundleName,
}

impl<'c> Line<'c> {
    /// Looks for the head.
    ///
    /// # Errors
    ///
    /// Where there is not one head from which everything goes down.
    pub(super) fn of(channel: &'c ChannelBlob) -> Result<Self, BadChannel> {
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

    /// The head.
    pub(super) fn head(&self) -> &'c BundleName {
        self.head
    }

    /// The head and what it replaces, and so on. A name without an entry counts, and ends it.
    fn chain(&self) -> Vec<&'c BundleName> {
        let mut chain = vec![self.head];
        let mut here = self.head;
        while let Some(next) = self.entries.get(here).and_then(|entry| entry.replaces.as_ref()) {
            here = &next.value;
            chain.push(here);
            // Circles were refused; this is the belt to those braces.
            if chain.len() > self.entries.len() + 1 {
                break;
            }
        }
        chain
    }

    /// What is kept for a range: the nodes of the chain from the lowest one that sees all versions in range down to the last
    /// one that sees any, in range or not, and what they skip that is in range.
    pub(super) fn kept(&self, range: &Constraint, versions: &Versions) -> HashSet<&'c BundleName> {
        let matches = |name: &BundleName| versions.get(name).is_some_and(|version| range.matches(version));
        let skips = |name: &BundleName| {
            let entry = self.entries.get(name).copied();
            entry.into_iter().flat_map(|entry| &entry.skips).map(|skip| &skip.value)
        };
        let chain = self.chain();
        // From the tail up: how many different names in range a node and all below it know.
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

/// Whether following `replaces` from an entry comes back to it.
fn has_cycle(entries: &HashMap<&BundleName, &Entry>) -> bool {
    // Kahn's: what nothing is left above goes; what then stays is in a circle or below one.
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
