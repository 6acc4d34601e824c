//! Repair of a channel's edges after the removal of entries.

use std::collections::{HashMap, HashSet};

use olm_catalog::{
    BundleName,
    blob::{ChannelBlob, Entry, EntrySpec},
};

/// Handling of `replaces` in an entry that replaced a removed bundle and inherits nothing. Skips of removed
/// bundles always stay, so that their users can upgrade.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TailPolicy {
    /// Remove it.
    Drop,
    /// Keep it. The tail of a channel may refer to a missing bundle, and it is the upgrade path for users of
    /// that bundle.
    Keep,
}

/// Returns the changed edges of other entries after the removal of one. Entries that replaced it inherit its
/// `replaces` and `skips`.
pub(super) fn inherited_edges(channel: &ChannelBlob, entry: &BundleName) -> Vec<(BundleName, EntrySpec)> {
    let repairs = repair_edges(channel, &HashSet::from([entry]), TailPolicy::Drop);
    let named = repairs.into_iter().filter_map(|(position, spec)| {
        let other = channel.entries.iter().find(|other| other.position == position)?;
        Some((other.name.value.clone(), spec))
    });
    named.collect()
}

/// Returns the positions and new edges of the remaining entries that change.
pub(super) fn repair_edges(
    channel: &ChannelBlob,
    gone: &HashSet<&BundleName>,
    tail: TailPolicy,
) -> Vec<(usize, EntrySpec)> {
    let leaving: HashMap<&BundleName, &Entry> = channel
        .entries
        .iter()
        .filter(|entry| gone.contains(&entry.name.value))
        .map(|entry| (&entry.name.value, entry))
        .collect();
    let staying = || channel.entries.iter().filter(|entry| !gone.contains(&entry.name.value));
    let lines: Vec<(&Entry, RemovedChain<'_>)> =
        staying().map(|entry| (entry, RemovedChain::from_entry(entry, &leaving))).collect();
    let inherited: HashSet<&BundleName> =
        lines.iter().flat_map(|(_, line)| line.entries.iter().map(|entry| &entry.name.value)).collect();
    let repair = |(entry, line): &(&Entry, RemovedChain<'_>)| {
        let before = entry.to_spec();
        let mut spec = before.clone();
        if !line.entries.is_empty() {
            match (&line.end, tail) {
                (Some(end), TailPolicy::Drop) => spec.replaces = Some((*end).clone()),
                (Some(end), TailPolicy::Keep) if staying().any(|e| &e.name.value == *end) => {
                    spec.replaces = Some((*end).clone());
                }
                (None, TailPolicy::Drop) => spec.replaces = None,
                (_, TailPolicy::Keep) => {}
            }
        }
        // If no entry replaced a bundle, the entries that skip it inherit its skips.
        let skipped = before.skips.iter().filter(|name| !inherited.contains(name));
        let heirlooms =
            line.entries.iter().copied().chain(skipped.filter_map(|name| leaving.get(name).copied()));
        for skip in heirlooms.flat_map(|entry| &entry.skips) {
            let name = &skip.value;
            if *name != entry.name.value && !spec.skips.contains(name) && !gone.contains(name) {
                spec.skips.push(name.clone());
            }
        }
        (spec != before).then_some((entry.position, spec))
    };
    lines.iter().filter_map(repair).collect()
}

/// Chain of removed entries that an entry replaced.
struct RemovedChain<'a> {
    /// Removed entries, from the directly replaced one on.
    entries: Vec<&'a Entry>,
    /// Bundle that the last of them replaces.
    end: Option<&'a BundleName>,
}

impl<'a> RemovedChain<'a> {
    fn from_entry(entry: &'a Entry, leaving: &HashMap<&BundleName, &'a Entry>) -> Self {
        let mut through: Vec<&Entry> = Vec::new();
        let mut end = entry.replaces.as_ref().map(|r| &r.value);
        while let Some(next) = end.and_then(|name| leaving.get(name)) {
            // A cycle does not have an end.
            if through.iter().any(|known| known.position == next.position) {
                end = None;
                break;
            }
            through.push(next);
            end = next.replaces.as_ref().map(|r| &r.value);
        }
        Self { entries: through, end: end.filter(|end| *end != &entry.name.value) }
    }
}
