//! Taking bundles out of a catalog, so that what is left still hangs together.

use std::collections::{HashMap, HashSet};

use super::{
    EditError, deprecation,
    document::{change, remove_entries, rewritten},
    entry::set_at,
    require_bundle,
};
use crate::{
    catalog::{
        BundleName, Catalog, ChannelName,
        blob::{ChannelBlob, DeprecationTarget, Entry, EntrySpec},
        model::DocChange,
        package::Package,
    },
    version::Version,
};

/// What becomes of names of bundles that are gone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Names {
    /// Skips of them stay, so that who has one installed still gets away. Of an entry that replaces one of them and
    /// inherits nothing to replace, `replaces` goes.
    Skipped,
    /// Only an entry that replaces one of them, and inherits nothing to replace, keeps its name: as the tail of a channel
    /// it may name what is not there, and it is the way up for who has that installed.
    OnlyAtTheTail,
}

pub(super) fn remove(
    catalog: &Catalog,
    package: &Package,
    bundle: &BundleName,
) -> Result<Catalog, EditError> {
    require_bundle(package, bundle)?;
    take_out(catalog, package, &HashSet::from([bundle]), Names::Skipped)
}

pub(super) fn leave_out_below(
    catalog: &Catalog,
    package: &Package,
    version: &Version,
) -> Result<Catalog, EditError> {
    let below = package
        .bundles
        .iter()
        .filter(|bundle| bundle.version.as_ref().is_some_and(|v| v.version.cmp_precedence(version).is_lt()));
    let gone: HashSet<&BundleName> = below.map(|bundle| &bundle.name.value).collect();
    if gone.is_empty() {
        return Err(EditError::NothingBelow(version.clone()));
    }
    take_out(catalog, package, &gone, Names::OnlyAtTheTail)
}

fn take_out(
    catalog: &Catalog,
    package: &Package,
    gone: &HashSet<&BundleName>,
    names: Names,
) -> Result<Catalog, EditError> {
    if package.bundles.iter().all(|bundle| gone.contains(&bundle.name.value)) {
        return Err(EditError::NothingLeft(package.name.clone()));
    }
    let bundles = package.bundles.iter().filter(|bundle| gone.contains(&bundle.name.value));
    let mut changes: Vec<DocChange> = bundles.map(|bundle| DocChange::Remove { doc: bundle.doc }).collect();
    let mut emptied: HashSet<&ChannelName> = HashSet::new();
    for channel in &package.channels {
        let is_gone = |entry: &&Entry| gone.contains(&entry.name.value);
        let leaving: Vec<usize> = channel.entries.iter().filter(is_gone).map(|e| e.position).collect();
        if !leaving.is_empty() && leaving.len() == channel.entries.len() {
            emptied.insert(&channel.name.value);
            changes.push(DocChange::Remove { doc: channel.doc });
            continue;
        }
        let repairs = repairs(channel, gone, names);
        if leaving.is_empty() && repairs.is_empty() {
            continue;
        }
        changes.push(rewritten(catalog, channel.doc, |tree| {
            for (position, spec) in &repairs {
                set_at(tree, *position, spec);
            }
            remove_entries(tree, &leaving);
        })?);
    }
    // Another document of the same channel may have entries left.
    let left: HashSet<&ChannelName> = package
        .channels
        .iter()
        .filter(|channel| !channel.entries.iter().all(|entry| gone.contains(&entry.name.value)))
        .map(|channel| &channel.name.value)
        .collect();
    emptied.retain(|name| !left.contains(name));
    if let Some(default) = package.default_channel().filter(|name| emptied.contains(name)) {
        return Err(EditError::EmptiesDefault(default.clone()));
    }
    changes.extend(deprecation::without(catalog, package, |target| match target {
        DeprecationTarget::Package => false,
        DeprecationTarget::Channel(channel) => emptied.contains(channel),
        DeprecationTarget::Bundle(bundle) => gone.contains(bundle),
    })?);
    change(catalog, changes)
}

/// What the other entries of a channel ask for once one of them is gone, where that is something else than now. Who
/// replaced it replaces what it replaced, and skips what it skipped.
pub(in crate::edit) fn handed_on(channel: &ChannelBlob, entry: &BundleName) -> Vec<(BundleName, EntrySpec)> {
    let repairs = repairs(channel, &HashSet::from([entry]), Names::Skipped);
    let named = repairs.into_iter().filter_map(|(position, spec)| {
        let other = channel.entries.iter().find(|other| other.position == position)?;
        Some((other.name.value.clone(), spec))
    });
    named.collect()
}

/// The entries that stay and must ask for something else, by their positions.
fn repairs(channel: &ChannelBlob, gone: &HashSet<&BundleName>, names: Names) -> Vec<(usize, EntrySpec)> {
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
            match (&line.end, names) {
                (Some(end), Names::Skipped) => spec.replaces = Some((*end).clone()),
                (Some(end), Names::OnlyAtTheTail) if staying().any(|e| &e.name.value == *end) => {
                    spec.replaces = Some((*end).clone());
                }
                (None, Names::Skipped) => spec.replaces = None,
                (_, Names::OnlyAtTheTail) => {}
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
        if names == Names::OnlyAtTheTail {
            spec.skips.retain(|name| !gone.contains(name));
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
