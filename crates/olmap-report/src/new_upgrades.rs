//! Text about the upgrades that a change adds: the longest one, and the safety of all.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::{document::count_noun, safety::format_verdict_counts, style::Ink};
use olm_catalog::{BundleName, PackageName, package::Package};
use olm_check::review::{ChangedUpgrade, Consequences, Snapshot};
use olm_upgrade::safety::{Safety, Verdict};

/// Describes the upgrades that a change adds. Empty if it adds none. `is_checking` is true while the
/// safety of upgrades is checked.
pub fn describe_new_upgrades(
    consequences: &Consequences,
    after: &Snapshot,
    is_checking: bool,
    label: impl Fn(&PackageName, &BundleName) -> String,
) -> Vec<(Ink, String)> {
    let new: Vec<(&ChangedUpgrade, &BundleName)> = consequences
        .changed_steps
        .iter()
        .filter(|changed| changed.before.next != changed.after.next)
        .filter_map(|changed| Some((changed, changed.after.next.target()?)))
        .collect();
    if new.is_empty() {
        return Vec::new();
    }
    // An installed bundle may have been removed. Then the number of skipped versions is not known.
    let from_stuck = new.iter().filter(|(changed, _)| changed.before.next.target().is_none());
    let jumps = from_stuck.filter_map(|(changed, to)| {
        let package = after.package(changed.package.as_str())?.package();
        Some((
            count_versions_between(package, &changed.installed, to)?,
            (&changed.package, &changed.installed, *to),
        ))
    });
    let mut lines = Vec::new();
    if let Some((skipped, (package, from, to))) = jumps.max().filter(|(skipped, _)| *skipped > 0) {
        let words = format!(
            "longest new upgrade: {} to {}, skips {}",
            label(package, from),
            label(package, to),
            count_noun(skipped, "version", "versions")
        );
        lines.push((Ink::Text, words));
    }
    let steps: BTreeSet<(&PackageName, &BundleName, &BundleName)> =
        new.iter().map(|(changed, to)| (&changed.package, &changed.installed, *to)).collect();
    let mut verdicts: BTreeMap<Verdict, usize> = BTreeMap::new();
    for (package, from, to) in steps {
        let safety = after.package(package.as_str()).and_then(|package| package.safety());
        let step = safety.and_then(|safety| safety.find_step(from, to));
        *verdicts.entry(step.map_or(Verdict::Unknown, Safety::overall_verdict)).or_default() += 1;
    }
    let counts = Verdict::ALL.map(|verdict| verdicts.get(&verdict).copied().unwrap_or_default());
    let worst = verdicts.keys().max().copied().unwrap_or(Verdict::Unknown);
    let words = match verdicts.len() {
        1 if worst == Verdict::Unknown && is_checking => "not checked yet".to_owned(),
        1 if worst == Verdict::Unknown => "not checked, the manifests are not here".to_owned(),
        1 if worst == Verdict::Safe => "safe".to_owned(),
        _ => format_verdict_counts(&counts),
    };
    let ink = if worst.is_refused() { Ink::Error } else { Ink::Text };
    lines.push((ink, format!("CRD safety of the new upgrades: {words}")));
    lines
}

/// Returns the number of versions of a package between two of its bundles. `None` if a version is
/// not known.
fn count_versions_between(package: &Package, from: &BundleName, to: &BundleName) -> Option<usize> {
    let (low, high) = (package.bundle_version(from.as_str())?, package.bundle_version(to.as_str())?);
    let is_between = |name: &&BundleName| {
        package
            .bundle_version(name.as_str())
            .is_some_and(|own| own.cmp_precedence(low).is_gt() && own.cmp_precedence(high).is_lt())
    };
    let names: HashSet<&BundleName> =
        package.bundles.iter().map(|bundle| &bundle.name.value).filter(is_between).collect();
    Some(names.len())
}
