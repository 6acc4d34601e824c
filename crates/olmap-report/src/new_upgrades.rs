//! Text about the upgrades that a change adds: the longest upgrade, and the safety of all.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::{document::count_noun, safety::format_verdict_counts, style::Ink};
use olm_catalog::{BundleName, PackageName};
use olm_check::review::{ChangedUpgrade, Consequences, Snapshot};
use olm_upgrade::{
    safety::{Safety, Verdict},
    stuck::{count_between, sort_versions},
};
use olm_version::VersionRelease;

/// Maximum number of packages whose upgrades to another major version are named.
const MAX_MAJORS: usize = 3;

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
    let packages: BTreeSet<&PackageName> = new.iter().map(|(changed, _)| &changed.package).collect();
    let upgrade = |(package, from, to): (&PackageName, &BundleName, &BundleName)| {
        let name = if packages.len() > 1 { format!("{package} ") } else { String::new() };
        format!("{name}{} to {}", label(package, from), label(package, to))
    };
    let mut versions: HashMap<&PackageName, Vec<&VersionRelease>> = HashMap::new();
    let jumps = new.iter().filter_map(|(changed, to)| {
        // An installed bundle may have been removed. Then the number of skipped versions is not known.
        let package = after.package(changed.package.as_str())?.package();
        let low = package.bundle_version(changed.installed.as_str())?;
        let high = package.bundle_version(to.as_str())?;
        let sorted = versions.entry(&changed.package).or_insert_with(|| sort_versions(package));
        let changes_major = low.version.major() != high.version.major();
        let step = (&changed.package, &changed.installed, *to);
        Some((count_between(sorted, low, high), step, changes_major))
    });
    let jumps: BTreeSet<_> = jumps.collect();
    let mut lines = Vec::new();
    let mut majors: BTreeMap<&PackageName, (&PackageName, &BundleName, &BundleName)> = BTreeMap::new();
    for (_, step, _) in jumps.iter().rev().filter(|(.., changes_major)| *changes_major) {
        majors.entry(step.0).or_insert(*step);
    }
    if !majors.is_empty() {
        let named =
            majors.values().take(MAX_MAJORS).map(|step| upgrade(*step)).collect::<Vec<_>>().join(", ");
        let more = match majors.len().saturating_sub(MAX_MAJORS) {
            0 => String::new(),
            more => format!(" and of {}", count_noun(more, "more package", "more packages")),
        };
        lines.push((Ink::Warning, format!("new upgrades to another major version: {named}{more}")));
    }
    if let Some((skipped, step, _)) = jumps.last().filter(|(skipped, ..)| *skipped > 0) {
        let skipped = count_noun(*skipped, "version", "versions");
        let is_said = majors.len() == 1 && majors.values().any(|major| major == step);
        if let Some((_, words)) = lines.last_mut().filter(|_| is_said) {
            words.push_str(&format!(", skips {skipped}"));
        } else {
            lines.push((Ink::Text, format!("longest new upgrade: {}, skips {skipped}", upgrade(*step))));
        }
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
