//! Differences in words, for the command line and pull requests.

use std::collections::BTreeSet;

use super::{Compared, count};
use crate::{
    catalog::{BundleName, PackageName, blob::EntrySpec},
    export::stuck_changes,
    review::{
        Moved, StuckChange,
        diff::{
            BundleDiff, Change, ChannelDiff, EntryDiff, Fate, Fortune, ImageDiff, Leaf, PropertyDiff, Users,
        },
    },
    upgrade::Engine,
};

/// Maximum number of characters shown of a value.
const MAX_VALUE: usize = 60;

/// Maximum number of parts shown of a value.
const MAX_LEAVES: usize = 6;

/// Returns the display name of a bundle in the new catalog, or else in the old one.
pub(super) fn label(compared: &Compared<'_>, package: &PackageName, bundle: &BundleName) -> String {
    let packages = [compared.new, compared.old].into_iter().filter_map(|s| s.package(package.as_str()));
    let mut having = packages.map(|judged| judged.package()).filter(|p| p.bundle(bundle.as_str()).is_some());
    having.next().map_or_else(|| bundle.to_string(), |package| package.short_name(bundle))
}

/// Lists the display names of bundles.
pub(super) fn labels<'n>(
    compared: &Compared<'_>,
    package: &PackageName,
    names: impl IntoIterator<Item = &'n BundleName>,
) -> String {
    let names: Vec<String> = names.into_iter().map(|name| label(compared, package, name)).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(" ") }
}

/// Describes the edges of an entry.
pub(super) fn spec(compared: &Compared<'_>, package: &PackageName, spec: &EntrySpec) -> String {
    let replaces = spec.replaces.as_ref().map(|name| format!("replaces {}", label(compared, package, name)));
    let skips = (!spec.skips.is_empty()).then(|| format!("skips {}", labels(compared, package, &spec.skips)));
    let range = spec.skip_range.as_ref().map(|range| format!("skipRange {range}"));
    let parts: Vec<String> = [replaces, skips, range].into_iter().flatten().collect();
    if parts.is_empty() { "no edges".to_owned() } else { parts.join(", ") }
}

/// Describes the change of an entry.
pub(super) fn entry(compared: &Compared<'_>, package: &PackageName, entry: &EntryDiff) -> String {
    match (&entry.before, &entry.after) {
        (None, Some(now)) => spec(compared, package, now),
        (Some(was), None) => format!("had {}", spec(compared, package, was)),
        _ => {
            let name = |name: Option<&BundleName>| {
                name.map_or_else(|| "nothing".to_owned(), |name| label(compared, package, name))
            };
            let replaces = entry
                .replaces()
                .map(|change| format!("replaces {} => {}", name(change.before), name(change.after)));
            let skips = |what: &str, names: Vec<&BundleName>| {
                (!names.is_empty()).then(|| format!("{what} {}", labels(compared, package, names)))
            };
            let range = entry.skip_range().map(|Change { before, after }| {
                format!("skipRange {} => {}", before.unwrap_or("none"), after.unwrap_or("none"))
            });
            let parts = [
                replaces,
                skips("also skips", entry.new_skips()),
                skips("no longer skips", entry.gone_skips()),
                range,
            ];
            parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
        }
    }
}

/// Describes the change of a channel, except its entries.
pub(super) fn channel(compared: &Compared<'_>, package: &PackageName, channel: &ChannelDiff) -> String {
    let entries = count(channel.entries.len(), "entry", "entries");
    match (channel.fate, &channel.heads) {
        (Fate::Added, Some(heads)) => {
            format!("{entries}, head {}", labels(compared, package, &heads.after))
        }
        (Fate::Added, None) => format!("{entries}, no head"),
        (Fate::Removed, _) => format!("had {entries}"),
        (Fate::Changed, Some(heads)) => format!(
            "head {} => {}",
            labels(compared, package, &heads.before),
            labels(compared, package, &heads.after)
        ),
        (Fate::Changed, None) if channel.entries.is_empty() => {
            let gone = count(channel.gone_edges.len(), "edge removed", "edges removed");
            let come = count(channel.new_edges.len(), "added", "added");
            let more = if channel.has_more_edges { "more than " } else { "" };
            format!("same entries, but ranges match other versions: {more}{gone}, {come}")
        }
        (Fate::Changed, None) => "same head".to_owned(),
    }
}

/// Describes the change of a bundle, one part per field.
pub(super) fn bundle(bundle: &BundleDiff) -> Vec<String> {
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
    let change = |what: &str, change: &Option<Change<Option<String>>>| {
        change.as_ref().map(|c| format!("{what} {} => {}", value(&c.before), value(&c.after)))
    };
    if bundle.fate != Fate::Changed {
        return Vec::new();
    }
    let parts = [change("version", &bundle.version), change("image", &bundle.image)];
    let mut parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.extend(bundle.properties.iter().map(property));
    parts.extend(bundle.related_images.iter().map(image));
    parts
}

fn property(property: &PropertyDiff) -> String {
    format!("{}: {}", property.kind, leaves(&property.leaves))
}

fn image(image: &ImageDiff) -> String {
    let name = if image.name.is_empty() { String::new() } else { format!(" {}", image.name) };
    match (&image.before, &image.after) {
        (Some(before), Some(after)) => format!("related image{name}: {before} => {after}"),
        (Some(before), None) => format!("related image{name} removed: {before}"),
        (None, after) => format!("related image{name} added: {}", after.as_deref().unwrap_or_default()),
    }
}

/// Describes the differing parts of a value.
pub(in crate::export) fn leaves(leaves: &[Leaf]) -> String {
    let short = |value: &String| match value.char_indices().nth(MAX_VALUE) {
        Some((at, _)) => format!("{}...", &value[..at]),
        None => value.clone(),
    };
    let words = |leaf: &Leaf| {
        let path = if leaf.path.is_empty() { String::new() } else { format!("{} ", leaf.path) };
        match (&leaf.before, &leaf.after) {
            (Some(before), Some(after)) if before.len().max(after.len()) > MAX_VALUE => {
                let size = |text: &String| count(text.len(), "byte", "bytes");
                format!("{path}differs ({}, now {})", size(before), size(after))
            }
            (Some(before), Some(after)) => format!("{path}{before} => {after}"),
            (Some(before), None) => format!("{path}{} removed", short(before)),
            (None, Some(after)) => format!("{path}{} added", short(after)),
            (None, None) => path,
        }
    };
    let mut parts: Vec<String> = leaves.iter().take(MAX_LEAVES).map(words).collect();
    if leaves.len() > MAX_LEAVES {
        parts.push(format!("and {} more parts", leaves.len() - MAX_LEAVES));
    }
    parts.join("; ")
}

/// Describes upgrade paths that end elsewhere although their next step is unchanged. One sentence
/// per channel and end.
pub(super) fn ends(compared: &Compared<'_>, package: &PackageName) -> Vec<(Engine, String)> {
    let mut groups: Vec<(&Moved, usize)> = Vec::new();
    let alike = |a: &Moved, b: &Moved| {
        (a.engine, &a.channel, &a.before.end, &a.after.end, a.after.circular)
            == (b.engine, &b.channel, &b.before.end, &b.after.end, b.after.circular)
    };
    for moved in compared.difference.consequences.ends.iter().filter(|m| m.package == *package) {
        match groups.iter_mut().find(|(first, _)| alike(first, moved)) {
            Some((_, count)) => *count += 1,
            None => groups.push((moved, 1)),
        }
    }
    let sentence = |(first, n): (&Moved, usize)| {
        let channel = first.channel.as_ref().map(|c| format!("{c}: ")).unwrap_or_default();
        let name = |name: &BundleName| label(compared, package, name);
        let who = count(n, "more version ends", "more versions end");
        let circle = if first.after.circular { ", in a cycle" } else { "" };
        let (before, after) = (name(&first.before.end), name(&first.after.end));
        (first.engine, format!("{channel}{who} at {after} instead of {before}{circle}"))
    };
    groups.into_iter().map(sentence).collect()
}

/// Returns the impact on users for the headline; empty if no user is affected.
pub(super) fn users(compared: &Compared<'_>) -> Vec<(Fortune, String)> {
    users_of(&compared.users(), &compared.difference.consequences.stuck)
}

/// Describes the impact of deprecations for the headline, worst first.
pub(super) fn deprecations(compared: &Compared<'_>) -> Vec<(Fortune, String)> {
    let all = &compared.difference.consequences.deprecations;
    let mut words: Vec<(Fortune, String)> =
        blocking(compared).into_iter().map(|words| (Fortune::Stuck, words)).collect();
    let added: usize = all.iter().map(|of| of.added.len()).sum();
    let removed: usize = all.iter().map(|of| of.removed.len()).sum();
    if added > 0 {
        words.push((Fortune::Moved, count(added, "new deprecation", "new deprecations")));
    }
    if removed > 0 {
        words.push((Fortune::Moved, count(removed, "deprecation is removed", "deprecations are removed")));
    }
    words
}

/// Deprecations that leave users without an upgrade path.
fn blocking(compared: &Compared<'_>) -> Vec<String> {
    let all = &compared.difference.consequences.deprecations;
    let lost: BTreeSet<_> =
        all.iter().flat_map(|of| of.lost.iter().map(|lost| (&of.package, &lost.installed))).collect();
    let stopped: usize = all.iter().map(|of| of.stopped.len()).sum();
    let mut words = Vec::new();
    if !lost.is_empty() {
        let versions = count(lost.len(), "deprecated version", "deprecated versions");
        let verb = if lost.len() == 1 { "loses its" } else { "lose their" };
        words.push(format!("{versions} {verb} upgrade path to a supported bundle"));
    }
    if stopped > 0 {
        let versions = count(stopped, "version", "versions");
        words.push(format!("v1 stops on {versions}, because the next upgrade is deprecated"));
    }
    words
}

/// Describes the impact on users from given counts.
pub(in crate::export) fn users_of(users: &Users, stuck: &[StuckChange]) -> Vec<(Fortune, String)> {
    let versions = |n| count(n, "installed version", "installed versions");
    let fresh = |n: usize, one: &str, many: &str| {
        count(n, &format!("fresh install {one}"), &format!("fresh installs {many}"))
    };
    let is = |n: usize, what: &str| format!("{} {} {what}", versions(n), if n == 1 { "is" } else { "are" });
    let (stuck, other_changes): (Vec<_>, Vec<_>) =
        stuck_changes::summary(stuck).into_iter().partition(|(fortune, _)| fortune.is_harm());
    let (freed, changed): (Vec<_>, Vec<_>) =
        other_changes.into_iter().partition(|(fortune, _)| *fortune == Fortune::Freed);
    let counted = |rows: Vec<(Fortune, usize, String)>| {
        rows.into_iter().filter(|(_, n, _)| *n > 0).map(|(fortune, _, words)| (fortune, words))
    };
    let harm = vec![
        (
            Fortune::Failing,
            users.failing,
            format!(
                "{} {} an error",
                versions(users.failing),
                if users.failing == 1 { "gets" } else { "get" }
            ),
        ),
        (Fortune::Downgraded, users.downgraded, is(users.downgraded, "downgraded")),
        (Fortune::Failing, users.fresh_broken, fresh(users.fresh_broken, "fails", "fail")),
        (
            Fortune::Downgraded,
            users.fresh_older,
            fresh(users.fresh_older, "gets an older version", "get an older version"),
        ),
    ];
    let orphaned = vec![(
        Fortune::Failing,
        users.orphaned,
        format!(
            "{} {}",
            versions(users.orphaned),
            if users.orphaned == 1 { "loses its package" } else { "lose their package" }
        ),
    )];
    let rest = vec![
        (
            Fortune::Recovered,
            users.recovered,
            format!(
                "{} {} no error any more",
                versions(users.recovered),
                if users.recovered == 1 { "gets" } else { "get" }
            ),
        ),
        (
            Fortune::Moved,
            users.moved,
            format!(
                "{} {} upgrade target",
                versions(users.moved),
                if users.moved == 1 { "changes" } else { "change" }
            ),
        ),
        (Fortune::Moved, users.fresh, fresh(users.fresh, "gets another version", "get another version")),
    ];
    counted(orphaned)
        .chain(stuck)
        .chain(counted(harm))
        .chain(freed)
        .chain(counted(rest))
        .chain(changed)
        .collect()
}
