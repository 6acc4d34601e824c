//! What the entries that stay must ask for once others of their channel are gone, so that it still hangs together.

use std::collections::{HashMap, HashSet};

use crate::catalog::{
    BundleName,
    blob::{ChannelBlob, Entry, EntrySpec},
};

/// What becomes of `replaces` in an entry that replaces a bundle that is gone, and inherits nothing to replace. Skips of what
/// is gone always stay, so that whoever has it installed still gets away.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tail {
    /// It goes.
    Dropped,
    /// It stays: as the tail of a channel it may name what is not there, and it is the way up for whoever has that
    /// installed.
    Kept,
}

/// What the other entries of a channel ask for once one of them is gone, where that is something else than now. Who
/// replaced it replaces what it replaced, and skips what it skipped.
pub(super) fn handed_on(channel: &ChannelBlob, entry: &BundleName) -> Vec<(BundleName, EntrySpec)> {
    let repairs = repairs(channel, &HashSet::from([entry]), Tail::Dropped);
    let named = repairs.into_iter().filter_map(|(position, spec)| {
        let other = channel.entries.iter().find(|other| other.position == position)?;
        Some((other.name.value.clone(), spec))
    });
    named.collect()
}

/// The entries that stay and must ask for something else, by their positions.
pub(super) fn repairs(
    channel: &ChannelBlob,
    gone: &HashSet<&BundleName>,
    tail: Tail,
) -> Vec<(usize, EntrySpec)> {
    let leaving: HashMap<&BundleName, &Entry> = channel
        .entries
        .iter()
        .filter(|entry| gone.contains(&entry.name.value))
        .map(|entry| (&entry.name.value, entry))
        .collect();
    let staying = || channel.entries.iter().filter(|entry| !gone.contains(&entry.name.value));
    let lines: Vec<(&Entry, Line<'_>)> =
        staying().map(|entry| (entry, Line::below(entry, &leaving))).collect();
    let inherited: HashSet<&BundleName> =
        lines.iter().flat_map(|(_, line)| line.through.iter().map(|entry| &entry.name.value)).collect();
    let repair = |(entry, line): &(&Entry, Line<'_>)| {
        let before = entry.spec();
        let mut spec = before.clone();
        if !line.through.is_empty() {
            match (&line.end, tail) {
                (Some(end), Tail::Dropped) => spec.replaces = Some((*end).clone()),
                (Some(end), Tail::Kept) if staying().any(|e| &e.name.value == *end) => {
                    spec.replaces = Some((*end).clone());
                }
                (None, Tail::Dropped) => spec.replaces = None,
                (_, Tail::Kept) => {}
            }
        }
        // What nobody replaced is inherited by who skips it.
        let skipped = before.skips.iter().filter(|name| !inherited.contains(name));
        let heirlooms =
            line.through.iter().copied().chain(skipped.filter_map(|name| leaving.get(name).copied()));
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

/// What an entry replaces, as far as that is leaving.
struct Line<'a> {
    /// The entries that are leaving, from the one it replaces down.
    through: Vec<&'a Entry>,
    /// What the last of them replaces.
    end: Option<&'a BundleName>,
}

impl<'a> Line<'a> {
    fn below(entry: &'a Entry, leaving: &HashMap<&BundleName, &'a Entry>) -> Self {
        let mut through: Vec<&Entry> = Vec::new();
        let mut end = entry.replaces.as_ref().map(|r| &r.value);
        while let Some(next) = end.and_then(|name| leaving.get(name)) {
            // A circle has no end.
            if through.iter().any(|known| known.position == next.position) {
                end = None;
                break;
            }
            through.push(next);
            end = next.replaces.as_ref().map(|r| &r.value);
        }
        Self { through, end: end.filter(|end| *end != &entry.name.value) }
    }
}
