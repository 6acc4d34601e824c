//! Text about the upgrades that a change adds: the longest upgrade, and the safety of all.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::{document::count_noun, safety::list_verdicts, style::Ink};
use olm_catalog::{BundleName, PackageName};
use olm_check::review::{Consequences, Snapshot};
use olm_upgrade::{
    Engine,
    safety::{Safety, Verdict},
    stuck::{count_between, sort_versions},
};
use olm_version::VersionRelease;

/// Maximum number of packages whose upgrades to another major version are named.
const MAX_MAJORS: usize = 3;

/// State of the checks of upgrades.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UpgradeChecks {
    /// Checks in progress.
    Running,
    /// Finished checks, with all known manifests.
    Done,
    /// No checks, or a text for readers who do not run olmap.
    Reported,
}

/// Upgrade between two bundles of a package.
type Step<'a> = (&'a PackageName, &'a BundleName, &'a BundleName);

/// Describes the upgrades that a change adds: the longest one, those to another major version, and their safety. Empty if
/// it adds none.
pub fn describe_new_upgrades(
    consequences: &Consequences,
    after: &Snapshot,
    checks: UpgradeChecks,
) -> Vec<(Ink, String)> {
    let steps = new_steps(consequences);
    if steps.is_empty() {
        return Vec::new();
    }
    let packages: BTreeSet<&PackageName> = steps.iter().map(|step| step.0).collect();
    let upgrade = |(package, from, to): &Step<'_>| {
        let name = if packages.len() > 1 { format!("{package} ") } else { String::new() };
        format!(
            "{name}{} to {}",
            short_bundle_name(after, package, from),
            short_bundle_name(after, package, to)
        )
    };
    let mut lines = describe_jumps(&find_jumps(&steps, after), upgrade);
    lines.extend(describe_new_upgrade_safety(consequences, after, checks));
    lines
}

/// Describes the CRD safety of the upgrades that a change adds. Empty if it adds none.
pub fn describe_new_upgrade_safety(
    consequences: &Consequences,
    after: &Snapshot,
    checks: UpgradeChecks,
) -> Vec<(Ink, String)> {
    let steps = new_steps(consequences);
    if steps.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![describe_safety(&steps, after, checks)];
    lines.extend(describe_doubt(&steps, after));
    lines
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
fn safety_of(step: &Step<'_>, after: &Snapshot) -> Verdict {
    find_safety(step, after).map_or(Verdict::Unknown, Safety::overall_verdict)
}

/// Returns what is known about the safety of an upgrade. `None` if it was not checked.
fn find_safety<'a>((package, from, to): &Step<'_>, after: &'a Snapshot) -> Option<&'a Safety> {
    after.package(package.as_str())?.safety()?.find_step(from, to)
}

/// Returns the short name of a bundle that the new state has, otherwise its name.
fn short_bundle_name(after: &Snapshot, package: &PackageName, name: &BundleName) -> String {
    let known = after.package(package.as_str());
    known.map_or_else(|| name.to_string(), |state| state.package().short_name(name))
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

/// Describes the first upgrade that is neither safe nor refused; refused ones are findings. `None` if there is none, or if
/// no upgrade was checked.
fn describe_doubt(steps: &BTreeSet<Step<'_>>, after: &Snapshot) -> Option<(Ink, String)> {
    let judged = |step| Some((step, find_safety(step, after)?));
    let judged: Vec<(&Step<'_>, &Safety)> = steps.iter().filter_map(judged).collect();
    if judged.iter().all(|(_, safety)| safety.overall_verdict() == Verdict::Unknown) {
        return None;
    }
    let is_doubtful = |verdict| matches!(verdict, Verdict::NeedsALook | Verdict::Unknown);
    let doubtful = judged.iter().filter(|(_, safety)| is_doubtful(safety.overall_verdict()));
    let more = match doubtful.clone().count() {
        0 | 1 => String::new(),
        all => format!(" ({} more)", count_noun(all - 1, "upgrade", "upgrades")),
    };
    let ((package, from, to), safety) = doubtful.max_by_key(|(_, safety)| safety.overall_verdict())?;
    let reason = safety.brief(&[Engine::Classic, Engine::V1]);
    let [from, to] = [from, to].map(|name| short_bundle_name(after, package, name));
    Some((Ink::Text, format!("{from} to {to}: {reason}{more}")))
}

/// Describes the safety of the upgrades.
fn describe_safety(steps: &BTreeSet<Step<'_>>, after: &Snapshot, checks: UpgradeChecks) -> (Ink, String) {
    let mut verdicts: BTreeMap<Verdict, usize> = BTreeMap::new();
    for step in steps {
        *verdicts.entry(safety_of(step, after)).or_default() += 1;
    }
    let counts = Verdict::ALL.map(|verdict| verdicts.get(&verdict).copied().unwrap_or_default());
    let worst = verdicts.keys().max().copied().unwrap_or(Verdict::Unknown);
    let words = match verdicts.len() {
        1 if worst == Verdict::Unknown => match checks {
            UpgradeChecks::Running => "not checked yet".to_owned(),
            UpgradeChecks::Done => "not checked: no manifests (--bundles DIR)".to_owned(),
            UpgradeChecks::Reported => "not checked".to_owned(),
        },
        1 if worst == Verdict::Safe => "safe".to_owned(),
        _ => list_verdicts(&counts),
    };
    let ink = if worst.is_refused() { Ink::Error } else { Ink::Text };
    (ink, format!("Safety of the new upgrades: {words}"))
}
