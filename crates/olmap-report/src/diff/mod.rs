//! Difference between two catalogs, for people, for programs, and for a comment on a pull request.

#[cfg(test)]
mod folding_tests;
pub mod json;
pub mod lines;
pub mod markdown;
#[cfg(test)]
mod path_end_tests;
pub mod pull_request;
pub mod text;
pub mod verdict;

use std::{
    cmp::Reverse,
    collections::{BTreeSet, HashMap},
};

use crate::{
    document::count_noun,
    omissions::{OmittedPart, READ_PART_PREFIX},
    plan::PlanRange,
    stuck_changes,
};
use olm_catalog::{BundleName, PackageName, blob::EntrySpec};
use olm_check::review::{
    ChangedUpgrade, StuckChange,
    deprecations::DeprecationEffects,
    diff::{
        BundleDiff, ChangeKind, ChannelDiff, Difference, EntryDiff, ImageDiff, Impact, ImpactCounts, Leaf,
        PackageDiff, PropertyDiff, ValueChange, Violation,
    },
};
use olm_plan::planner::AllPlans;
use olm_upgrade::Engine;

/// Difference between two catalogs with its context.
#[derive(Clone, Debug)]
pub struct CatalogComparison<'a> {
    /// Display name of the old catalog.
    pub old_label: &'a str,
    /// Display name of the new catalog.
    pub new_label: &'a str,
    /// Difference, with both catalogs.
    pub difference: &'a Difference,
    /// Violated release rules.
    pub violations: &'a [Violation],
    /// Parts of both catalogs that could not be read and are not compared.
    pub left_out: Vec<OmittedPart>,
    /// True if documents are reported that differ only in formatting.
    pub formatting: bool,
    /// Cluster update from the old to the new catalog, if they are for different OpenShift
    /// versions.
    pub update: Option<Update>,
}

/// Update of a cluster from one catalog to that of a later OpenShift version.
#[derive(Clone, Debug)]
pub struct Update {
    /// Catalogs of the update.
    pub over: PlanRange,
    /// Upgrade plans of all installed versions.
    pub everyone: AllPlans,
}

impl CatalogComparison<'_> {
    /// Returns true if nothing differs, false if something does, and `None` if unread parts may
    /// differ.
    pub(super) fn is_same(&self) -> Option<bool> {
        match (self.difference.is_empty(), self.left_out.is_empty()) {
            (true, false) => None,
            (is_empty, _) => Some(is_empty),
        }
    }

    /// Describes the impact on users, worst first. Empty if no user is affected.
    pub fn describe_impacts(&self) -> Vec<(Impact, String)> {
        let consequences = &self.difference.consequences;
        let users = describe_user_counts(&self.count_users(), &consequences.stuck);
        insert_deprecation_impacts(users, describe_deprecation_impacts(&consequences.deprecations))
    }

    /// Describes the impact on users by package, packages with the most harmed users first. Each
    /// list has the worst impact first. Packages without an impact are absent.
    pub fn describe_impacts_by_package(&self) -> Vec<(&PackageName, Vec<(Impact, String)>)> {
        let consequences = &self.difference.consequences;
        let counts = ImpactCounts::count_users_by_package(self.difference);
        let mut stuck: HashMap<&PackageName, Vec<StuckChange>> = HashMap::new();
        for change in &consequences.stuck {
            stuck.entry(change.package_name()).or_default().push(change.clone());
        }
        let packages = self.packages_by_harm().into_iter().map(|package| {
            let name = &package.name;
            let counts = counts.get(name).copied().unwrap_or_default();
            let users = describe_user_counts(&counts, stuck.get(name).map(Vec::as_slice).unwrap_or_default());
            let deprecations = consequences.deprecations.iter().filter(|of| of.package == *name);
            (name, insert_deprecation_impacts(users, describe_deprecation_impacts(deprecations)))
        });
        packages.filter(|(_, impacts)| !impacts.is_empty()).collect()
    }

    /// Returns the packages that differ, those with the most harmed users first.
    pub fn packages_by_harm(&self) -> Vec<&PackageDiff> {
        let counts = ImpactCounts::count_users_by_package(self.difference);
        let harmed = |package: &&PackageDiff| {
            counts.get(&package.name).map(ImpactCounts::count_harmed).unwrap_or_default()
        };
        let mut packages: Vec<&PackageDiff> = self.difference.packages.iter().collect();
        packages.sort_by_key(|package| Reverse(harmed(package)));
        packages
    }

    /// Returns true if no deprecation is new. `None` if parts of the catalogs could not be read.
    pub fn has_no_new_deprecations(&self) -> Option<bool> {
        let mut all = self.difference.consequences.deprecations.iter();
        let is_none_new = all.all(|effects| effects.added.is_empty());
        (self.left_out.is_empty() || !is_none_new).then_some(is_none_new)
    }

    /// Qualifies a positive sentence if parts of the catalogs could not be read.
    fn qualify_praise(&self, words: &str) -> String {
        if self.left_out.is_empty() { words.to_owned() } else { format!("{READ_PART_PREFIX}{words}") }
    }

    /// Returns the number of packages that differ in meaning.
    pub fn count_differing_packages(&self) -> usize {
        self.difference.packages.iter().filter(|package| !package.has_same_meaning()).count()
    }

    /// Returns the impact of a changed upgrade.
    pub fn impact_of(&self, moved: &ChangedUpgrade) -> Impact {
        self.difference.impact_of_upgrade(moved)
    }

    /// Returns the number of installed versions by impact.
    pub fn count_users(&self) -> ImpactCounts {
        ImpactCounts::count_users(self.difference)
    }
}

/// Maximum number of characters shown of a value.
const MAX_VALUE: usize = 60;

/// Maximum number of parts shown of a value.
const MAX_LEAVES: usize = 6;

/// Returns the display name of a bundle in the new catalog, or else in the old one.
fn bundle_label(compared: &CatalogComparison<'_>, package: &PackageName, bundle: &BundleName) -> String {
    let packages = [compared.difference.after(), compared.difference.before()]
        .into_iter()
        .filter_map(|s| s.package(package.as_str()));
    let mut having = packages.map(|judged| judged.package()).filter(|p| p.bundle(bundle.as_str()).is_some());
    having.next().map_or_else(|| bundle.to_string(), |package| package.short_name(bundle))
}

/// Lists the display names of bundles.
fn bundle_labels<'n>(
    compared: &CatalogComparison<'_>,
    package: &PackageName,
    names: impl IntoIterator<Item = &'n BundleName>,
) -> String {
    let names: Vec<String> = names.into_iter().map(|name| bundle_label(compared, package, name)).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(" ") }
}

/// Describes the edges of an entry.
fn describe_entry_spec(compared: &CatalogComparison<'_>, package: &PackageName, spec: &EntrySpec) -> String {
    let replaces =
        spec.replaces.as_ref().map(|name| format!("replaces {}", bundle_label(compared, package, name)));
    let skips =
        (!spec.skips.is_empty()).then(|| format!("skips {}", bundle_labels(compared, package, &spec.skips)));
    let range = spec.skip_range.as_ref().map(|range| format!("skipRange {range}"));
    let parts: Vec<String> = [replaces, skips, range].into_iter().flatten().collect();
    if parts.is_empty() { "no edges".to_owned() } else { parts.join(", ") }
}

/// Describes the change of an entry.
fn describe_entry_change(
    compared: &CatalogComparison<'_>,
    package: &PackageName,
    entry: &EntryDiff,
) -> String {
    match (&entry.before, &entry.after) {
        (None, Some(now)) => describe_entry_spec(compared, package, now),
        (Some(was), None) => format!("had {}", describe_entry_spec(compared, package, was)),
        _ => {
            let name = |name: Option<&BundleName>| {
                name.map_or_else(|| "nothing".to_owned(), |name| bundle_label(compared, package, name))
            };
            let replaces = entry
                .replaces_change()
                .map(|change| format!("replaces {} => {}", name(change.before), name(change.after)));
            let skips = |what: &str, names: Vec<&BundleName>| {
                (!names.is_empty()).then(|| format!("{what} {}", bundle_labels(compared, package, names)))
            };
            let range = entry.skip_range_change().map(|ValueChange { before, after }| {
                format!("skipRange {} => {}", before.unwrap_or("none"), after.unwrap_or("none"))
            });
            let parts = [
                replaces,
                skips("also skips", entry.new_skips()),
                skips("no longer skips", entry.removed_skips()),
                range,
            ];
            parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
        }
    }
}

/// Describes the change of a channel, except its entries.
fn describe_channel_diff(
    compared: &CatalogComparison<'_>,
    package: &PackageName,
    channel: &ChannelDiff,
) -> String {
    let entries = count_noun(channel.entries.len(), "entry", "entries");
    match (channel.change_kind, &channel.heads) {
        (ChangeKind::Added, Some(heads)) => {
            format!("{entries}, head {}", bundle_labels(compared, package, &heads.after))
        }
        (ChangeKind::Added, None) => format!("{entries}, no head"),
        (ChangeKind::Removed, _) => format!("had {entries}"),
        (ChangeKind::Changed, Some(heads)) => format!(
            "head {} => {}",
            bundle_labels(compared, package, &heads.before),
            bundle_labels(compared, package, &heads.after)
        ),
        (ChangeKind::Changed, None) if channel.entries.is_empty() => {
            let gone = count_noun(channel.removed_edges.len(), "edge removed", "edges removed");
            let come = count_noun(channel.new_edges.len(), "added", "added");
            let more = if channel.has_more_edges { "more than " } else { "" };
            format!("same entries, but ranges match other versions: {more}{gone}, {come}")
        }
        (ChangeKind::Changed, None) => "same head".to_owned(),
    }
}

/// Describes the change of a bundle, one part per field.
fn describe_bundle_diff(bundle: &BundleDiff) -> Vec<String> {
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
    let change = |what: &str, change: &Option<ValueChange<Option<String>>>| {
        change.as_ref().map(|c| format!("{what} {} => {}", value(&c.before), value(&c.after)))
    };
    if bundle.change_kind != ChangeKind::Changed {
        return Vec::new();
    }
    let parts = [change("version", &bundle.version), change("image", &bundle.image)];
    let mut parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.extend(bundle.properties.iter().map(describe_property_diff));
    parts.extend(bundle.related_images.iter().map(describe_image_diff));
    parts
}

fn describe_property_diff(property: &PropertyDiff) -> String {
    format!("{}: {}", property.kind, describe_leaves(&property.leaves))
}

fn describe_image_diff(image: &ImageDiff) -> String {
    let name = if image.name.is_empty() { String::new() } else { format!(" {}", image.name) };
    match (&image.before, &image.after) {
        (Some(before), Some(after)) => format!("related image{name}: {before} => {after}"),
        (Some(before), None) => format!("related image{name} removed: {before}"),
        (None, after) => format!("related image{name} added: {}", after.as_deref().unwrap_or_default()),
    }
}

/// Describes the differing parts of a value.
pub(crate) fn describe_leaves(leaves: &[Leaf]) -> String {
    let size = |text: &String| count_noun(text.len(), "byte", "bytes");
    let one_sided = |path: &str, value: &String, what: &str| {
        if value.len() > MAX_VALUE {
            format!("{path}{what} ({})", size(value))
        } else {
            format!("{path}{value} {what}")
        }
    };
    let words = |leaf: &Leaf| {
        let path = if leaf.path.is_empty() { String::new() } else { format!("{} ", leaf.path) };
        match (&leaf.before, &leaf.after) {
            (Some(before), Some(after)) if before.len().max(after.len()) > MAX_VALUE => {
                format!("{path}differs ({}, now {})", size(before), size(after))
            }
            (Some(before), Some(after)) => format!("{path}{before} => {after}"),
            (Some(before), None) => one_sided(&path, before, "removed"),
            (None, Some(after)) => one_sided(&path, after, "added"),
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
fn describe_changed_ends(compared: &CatalogComparison<'_>, package: &PackageName) -> Vec<(Engine, String)> {
    let mut groups: Vec<(&ChangedUpgrade, usize)> = Vec::new();
    let alike = |a: &ChangedUpgrade, b: &ChangedUpgrade| {
        (a.engine, &a.channel, &a.before.end, &a.after.end, a.after.circular)
            == (b.engine, &b.channel, &b.before.end, &b.after.end, b.after.circular)
    };
    for moved in compared.difference.consequences.changed_ends.iter().filter(|m| m.package == *package) {
        match groups.iter_mut().find(|(first, _)| alike(first, moved)) {
            Some((_, count)) => *count += 1,
            None => groups.push((moved, 1)),
        }
    }
    let sentence = |(first, n): (&ChangedUpgrade, usize)| {
        let channel = first.channel.as_ref().map(|c| format!("{c}: ")).unwrap_or_default();
        let name = |name: &BundleName| bundle_label(compared, package, name);
        let who = count_noun(n, "other version ends", "other versions end");
        let (before, after) = (name(&first.before.end), name(&first.after.end));
        let end = match (first.after.circular, before == after) {
            (true, true) => format!("in a cycle with {after}"),
            (true, false) => format!("in a cycle with {after} instead of at {before}"),
            (false, true) => format!("at {after}, no longer in a cycle"),
            (false, false) => format!("at {after} instead of {before}"),
        };
        (first.engine, format!("{channel}{who} {end}"))
    };
    groups.into_iter().map(sentence).collect()
}

/// Inserts the impact of deprecations: blocking ones after the other harm, the rest at the end.
fn insert_deprecation_impacts(
    mut users: Vec<(Impact, String)>,
    deprecations: Vec<(Impact, String)>,
) -> Vec<(Impact, String)> {
    let (blocking, others): (Vec<_>, Vec<_>) =
        deprecations.into_iter().partition(|(fortune, _)| *fortune == Impact::Stuck);
    let place = users.iter().position(|(fortune, _)| !fortune.is_harm()).unwrap_or(users.len());
    users.splice(place..place, blocking);
    users.extend(others);
    users
}

/// Describes the impact of deprecations for the headline, worst first.
fn describe_deprecation_impacts<'a>(
    all: impl IntoIterator<Item = &'a DeprecationEffects>,
) -> Vec<(Impact, String)> {
    let all: Vec<&DeprecationEffects> = all.into_iter().collect();
    let mut words: Vec<(Impact, String)> =
        describe_blocking_deprecations(&all).into_iter().map(|words| (Impact::Stuck, words)).collect();
    let added: usize = all.iter().map(|of| of.added.len()).sum();
    let removed: usize = all.iter().map(|of| of.removed.len()).sum();
    if added > 0 {
        words.push((Impact::Redirected, count_noun(added, "new deprecation", "new deprecations")));
    }
    if removed > 0 {
        words.push((
            Impact::Redirected,
            count_noun(removed, "deprecation is removed", "deprecations are removed"),
        ));
    }
    words
}

/// Deprecations that leave users without an upgrade path.
fn describe_blocking_deprecations(all: &[&DeprecationEffects]) -> Vec<String> {
    let lost: BTreeSet<_> =
        all.iter().flat_map(|of| of.lost.iter().map(|lost| (&of.package, &lost.installed))).collect();
    let stopped: usize = all.iter().map(|of| of.stopped.len()).sum();
    let mut words = Vec::new();
    if !lost.is_empty() {
        let versions = count_noun(lost.len(), "deprecated version", "deprecated versions");
        let verb = if lost.len() == 1 { "loses its" } else { "lose their" };
        words.push(format!("{versions} {verb} upgrade path to a supported bundle"));
    }
    if stopped > 0 {
        let versions = count_noun(stopped, "version", "versions");
        words.push(format!("v1 stops on {versions}, because the next upgrade is deprecated"));
    }
    words
}

/// Returns ` (7 in all)` if more versions get an error than are counted with this impact.
fn describe_all_failing(impact: Impact, users: &ImpactCounts) -> String {
    if impact == Impact::Failing && users.failing_in_all > users.failing {
        format!(" ({} in all)", users.failing_in_all)
    } else {
        String::new()
    }
}

/// Describes the impact on users from given counts.
pub(crate) fn describe_user_counts(users: &ImpactCounts, stuck: &[StuckChange]) -> Vec<(Impact, String)> {
    // Each version is counted once, with its most severe impact.
    let installed = |impact: Impact, count: usize, one: &str, many: &str| {
        let other = if users.has_more_severe_than(impact) { "other " } else { "" };
        let [one, many] = [("version", one), ("versions", many)]
            .map(|(versions, verb)| format!("{other}installed {versions} {verb}"));
        let words = count_noun(count, &one, &many) + &describe_all_failing(impact, users);
        (impact, count, words)
    };
    let fresh = |impact: Impact, count: usize, one: &str, many: &str| {
        let words = count_noun(count, &format!("fresh install {one}"), &format!("fresh installs {many}"));
        (impact, count, words)
    };
    let (stuck, other_changes): (Vec<_>, Vec<_>) =
        stuck_changes::summarize_stuck_changes(stuck).into_iter().partition(|(fortune, _)| fortune.is_harm());
    let (freed, changed): (Vec<_>, Vec<_>) =
        other_changes.into_iter().partition(|(fortune, _)| *fortune == Impact::Freed);
    let counted = |rows: Vec<(Impact, usize, String)>| {
        rows.into_iter().filter(|(_, n, _)| *n > 0).map(|(fortune, _, words)| (fortune, words))
    };
    let orphaned = count_noun(
        users.orphaned,
        "installed version loses its package",
        "installed versions lose their package",
    );
    let orphaned = vec![(Impact::Failing, users.orphaned, orphaned)];
    let harm = vec![
        installed(Impact::Failing, users.failing, "gets an error", "get an error"),
        installed(Impact::Downgraded, users.downgraded, "is downgraded", "are downgraded"),
        fresh(Impact::Failing, users.fresh_broken, "fails", "fail"),
        fresh(Impact::Downgraded, users.fresh_older, "gets an older version", "get an older version"),
    ];
    let rest = vec![
        installed(Impact::Recovered, users.recovered, "gets no error any more", "get no error any more"),
        installed(Impact::Redirected, users.moved, "changes upgrade target", "change upgrade target"),
        fresh(Impact::Redirected, users.fresh, "gets another version", "get another version"),
    ];
    counted(orphaned)
        .chain(stuck)
        .chain(counted(harm))
        .chain(freed)
        .chain(counted(rest))
        .chain(changed)
        .collect()
}
