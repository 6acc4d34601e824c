//! Text about the upgrades that a change adds: the longest upgrade, and the safety of all.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::{document::count_noun, safety::format_verdict_counts, style::Ink};
use olm_catalog::{BundleName, PackageName};
use olm_check::review::{Consequences, Snapshot};
use olm_upgrade::{
    safety::{Safety, Verdict},
    stuck::{count_between, sort_versions},
};
use olm_version::VersionRelease;

/// Maximum number of packages whose upgrades to another major version are named.
const MAX_MAJORS: usize = 3;

/// Upgrade between two bundles of a package.
type Step<'a> = (&'a PackageName, &'a BundleName, &'a BundleName);

/// Describes the upgrades that a change adds. Empty if it adds none. `is_checking` is true while the
/// safety of upgrades is checked.
pub fn describe_new_upgrades(
    consequences: &Consequences,
    after: &Snapshot,
    is_checking: bool,
    label: impl Fn(&PackageName, &BundleName) -> String,
) -> Vec<(Ink, String)> {
    let steps = new_steps(consequences);
    if steps.is_empty() {
        return Vec::new();
    }
    let packages: BTreeSet<&PackageName> = steps.iter().map(|step| step.0).collect();
    let upgrade = |(package, from, to): &Step<'_>| {
        let name = if packages.len() > 1 { format!("{package} ") } else { String::new() };
        format!("{name}{} to {}", label(package, from), label(package, to))
    };
    let mut lines = describe_jumps(&find_jumps(&steps, after), upgrade);
    lines.push(describe_safety(&steps, after, is_checking));
    lines
}

/// Describes the CRD safety of the upgrades that a change adds. `None` if it adds none. `is_checking` is true while the
/// safety is checked.
pub fn describe_new_upgrade_safety(
    consequences: &Consequences,
    after: &Snapshot,
    is_checking: bool,
) -> Option<(Ink, String)> {
    let steps = new_steps(consequences);
    (!steps.is_empty()).then(|| describe_safety(&steps, after, is_checking))
}

/// Returns the packages that get an upgrade of unknown safety from a change.
pub fn packages_with_unchecked_upgrades<'c>(
    consequences: &'c Consequences,
    after: &Snapshot,
) -> BTreeSet<&'c PackageName> {
    let steps = new_steps(consequences).into_iter();
    let unchecked = steps.filter(|step| safety_of(step, after) == Verdict::Unknown);
    unchecked.map(|(package, ..)| package).collect()
}

/// Returns the upgrades that a change adds.
fn new_steps(consequences: &Consequences) -> BTreeSet<Step<'_>> {
    let changed = consequences.changed_steps.iter();
    let changed = changed.filter(|changed| changed.before.next != changed.after.next);
    changed
        .filter_map(|changed| Some((&changed.package, &changed.installed, changed.after.next.target()?)))
        .collect()
}

/// Returns the safety of an upgrade on both engines.
fn safety_of((package, from, to): &Step<'_>, after: &Snapshot) -> Verdict {
    let safety = after.package(package.as_str()).and_then(|package| package.safety());
    safety.and_then(|safety| safety.find_step(from, to)).map_or(Verdict::Unknown, Safety::overall_verdict)
}

/// New upgrade, with what it passes.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct NewJump<'a> {
    /// Number of versions between the two.
    skipped: usize,
    step: Step<'a>,
    changes_major: bool,
}

/// Returns the upgrades between bundles of the new state, the longest last.
fn find_jumps<'a>(steps: &BTreeSet<Step<'a>>, after: &Snapshot) -> Vec<NewJump<'a>> {
    let mut versions: HashMap<&PackageName, Vec<&VersionRelease>> = HashMap::new();
    let mut jumps: Vec<NewJump<'_>> = steps
        .iter()
        .filter_map(|&step| {
            let (name, from, to) = step;
            // An installed bundle may have been removed. Then the number of skipped versions is not known.
            let package = after.package(name.as_str())?.package();
            let low = package.bundle_version(from.as_str())?;
            let high = package.bundle_version(to.as_str())?;
            let sorted = versions.entry(name).or_insert_with(|| sort_versions(package));
            let changes_major = low.version.major() != high.version.major();
            Some(NewJump { skipped: count_between(sorted, low, high), step, changes_major })
        })
        .collect();
    jumps.sort();
    jumps
}

/// Describes the upgrades to another major version, and the longest upgrade.
fn describe_jumps(jumps: &[NewJump<'_>], upgrade: impl Fn(&Step<'_>) -> String) -> Vec<(Ink, String)> {
    let mut lines = Vec::new();
    let majors: Vec<&NewJump<'_>> = jumps.iter().rev().filter(|jump| jump.changes_major).collect();
    let mut longest: BTreeMap<&PackageName, &Step<'_>> = BTreeMap::new();
    for jump in &majors {
        longest.entry(jump.step.0).or_insert(&jump.step);
    }
    if !majors.is_empty() {
        let count = count_noun(majors.len(), "new upgrade", "new upgrades");
        let which = match (majors.len(), longest.len()) {
            (1, _) => String::new(),
            (_, 1) => ", the longest".to_owned(),
            (_, packages) => format!(", the longest of each of {packages} packages"),
        };
        let mut named: Vec<String> = longest.values().take(MAX_MAJORS).map(|step| upgrade(step)).collect();
        if longest.len() > MAX_MAJORS {
            named.push(format!("and {} more", longest.len() - MAX_MAJORS));
        }
        lines.push((Ink::Warning, format!("{count} to another major version{which}: {}", named.join(", "))));
    }
    if let Some(NewJump { skipped, step, .. }) = jumps.last().filter(|jump| jump.skipped > 0) {
        let skipped = count_noun(*skipped, "version", "versions");
        let is_said = longest.len() == 1 && longest.values().any(|major| *major == step);
        if let Some((_, words)) = lines.last_mut().filter(|_| is_said) {
            words.push_str(&format!(", skips {skipped}"));
        } else {
            lines.push((Ink::Text, format!("longest new upgrade: {}, skips {skipped}", upgrade(step))));
        }
    }
    lines
}

/// Describes the safety of the upgrades.
fn describe_safety(steps: &BTreeSet<Step<'_>>, after: &Snapshot, is_checking: bool) -> (Ink, String) {
    let mut verdicts: BTreeMap<Verdict, usize> = BTreeMap::new();
    for step in steps {
        *verdicts.entry(safety_of(step, after)).or_default() += 1;
    }
    let counts = Verdict::ALL.map(|verdict| verdicts.get(&verdict).copied().unwrap_or_default());
    let worst = verdicts.keys().max().copied().unwrap_or(Verdict::Unknown);
    let words = match verdicts.len() {
        1 if worst == Verdict::Unknown && is_checking => "not checked yet".to_owned(),
        1 if worst == Verdict::Unknown => {
            "not checked, olmap has no manifests of the bundles (--bundles DIR)".to_owned()
        }
        1 if worst == Verdict::Safe => "safe".to_owned(),
        _ => format_verdict_counts(&counts),
    };
    let ink = if worst.is_refused() { Ink::Error } else { Ink::Text };
    (ink, format!("CRD safety of the new upgrades: {words}"))
}
