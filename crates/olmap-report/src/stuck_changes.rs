//! Changes of stuck versions in words and as JSON, for previews, comparisons and pull requests.

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use serde_json::{Value, json};

use super::{
    stuck::{MAX_NAMED, end_verb},
    style::Ink,
};
use olm_catalog::{BundleName, PackageName};
use olm_check::review::{
    Difference,
    diff::Impact,
    stuck_changes::{
        FreedVersion, NewlyStuck, Publication, StuckChange, StuckCounts, StuckState, StuckTotals,
    },
};
use olm_upgrade::{
    Engine,
    stuck::{StuckEnd, StuckReason},
};

/// Sentence about stuck versions of a package.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StuckSentence {
    /// Impact on users of these versions.
    pub impact: Impact,
    /// Engine; `None` for both.
    pub engine: Option<Engine>,
    /// Newest of the versions. `None` if the sentence is not about versions.
    pub version: Option<BundleName>,
    /// Number, reason and versions.
    pub words: String,
}

/// Formats a number of versions: `30 more stuck`, `4 more stuck on v1`, or
/// `30 more stuck on Classic, 4 on v1`.
fn format_engine_counts(counts: StuckCounts, what: &str) -> String {
    let StuckCounts { classic, v1 } = counts;
    match (classic, v1) {
        _ if classic == v1 => format!("{classic} {what}"),
        (0, _) => format!("{v1} {what} on v1"),
        (_, 0) => format!("{classic} {what} on Classic"),
        _ => format!("{classic} {what} on Classic, {v1} on v1"),
    }
}

fn sum_counts(counts: impl Iterator<Item = StuckCounts>) -> StuckCounts {
    counts.fold(StuckCounts::default(), |mut sum, counts| {
        sum += counts;
        sum
    })
}

/// Summarizes the newly stuck versions of several packages that the catalog has: `30 more stuck`.
/// `None` if there are none.
pub(super) fn summarize_newly_stuck(changes: &[StuckChange]) -> Option<String> {
    let newly = sum_counts(changes.iter().map(StuckChange::count_newly_stuck));
    (!newly.is_zero()).then(|| format_engine_counts(newly, "more stuck"))
}

/// Summarizes the versions of several packages that the catalog no longer has and that have no
/// upgrade: `10 removed without an upgrade`. `None` if there are none.
pub(super) fn summarize_removed(changes: &[StuckChange]) -> Option<String> {
    let removed = sum_counts(changes.iter().map(StuckChange::count_removed));
    (!removed.is_zero()).then(|| format_engine_counts(removed, "removed without an upgrade"))
}

/// Summarizes the changes of several packages, worst first: `30 more stuck`, `141 freed, 6 stay
/// stuck`.
pub fn summarize_stuck_changes(changes: &[StuckChange]) -> Vec<(Impact, String)> {
    let mut words = Vec::new();
    let newly = [summarize_newly_stuck(changes), summarize_removed(changes)];
    words.extend(newly.into_iter().flatten().map(|newly| (Impact::Stuck, newly)));
    let unknown = changes.iter().filter(|change| change.becomes_unknown()).count();
    if unknown > 0 {
        let packages = if unknown == 1 { "package" } else { "packages" };
        words.push((
            Impact::Stuck,
            format!("the stuck versions of {unknown} {packages} are not known any more"),
        ));
    }
    let freed = || changes.iter().filter(|change| !change.freed.is_empty());
    if freed().next().is_some() {
        let (counts, staying) = (
            sum_counts(freed().map(StuckChange::count_freed)),
            sum_counts(freed().map(StuckChange::count_staying)),
        );
        let changing = freed().map(StuckChange::count_freed_by_channel_change).sum();
        words.push((Impact::Freed, describe_freed(counts, staying, changing)));
    }
    let changed: usize = changes.iter().map(|change| change.needs_channel_change.len()).sum();
    if changed > 0 {
        let change = format!("{} on Classic", describe_needed_channel_changes(changed));
        words.push((Impact::Redirected, change));
    }
    let new = sum_counts(
        changes.iter().filter(|change| is_new_package(change)).map(|change| change.totals.after.counts()),
    );
    if !new.is_zero() {
        words.push((Impact::Redirected, format!("{} in new packages", format_engine_counts(new, "stuck"))));
    }
    words
}

/// Describes freed versions: `141 freed (2 need a channel change on Classic), 6 stay stuck`.
fn describe_freed(freed: StuckCounts, staying: StuckCounts, changing: usize) -> String {
    let mut words = format_engine_counts(freed, "freed");
    if changing > 0 {
        let needs = if changing == 1 { "needs" } else { "need" };
        let engine = if freed.v1 == 0 { "" } else { " on Classic" };
        words.push_str(&format!(" ({changing} {needs} a channel change{engine})"));
    }
    if !staying.is_zero() {
        let what = if staying.classic.max(staying.v1) == 1 { "stays stuck" } else { "stay stuck" };
        words.push_str(&format!(", {}", format_engine_counts(staying, what)));
    }
    words
}

fn describe_needed_channel_changes(count: usize) -> String {
    format!("{count} more {} a channel change", if count == 1 { "needs" } else { "need" })
}

fn is_new_package(change: &StuckChange) -> bool {
    change.totals.before == StuckState::Absent && change.totals.after != StuckState::Absent
}

/// Lists the first versions and the number of the others.
fn join_first_versions(names: &[String]) -> String {
    let more = names.len().saturating_sub(MAX_NAMED);
    let shown = names.iter().take(MAX_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

/// Newly stuck versions with the same key share a sentence.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct NewlyStuckKey<'a> {
    /// Engine; `None` for both.
    engine: Option<Engine>,
    /// True for versions that the catalog no longer has, which are counted apart.
    is_removed: bool,
    /// Bundle at which upgrades end. `None` for versions that end at themselves.
    end: Option<&'a BundleName>,
    reason: StuckReason,
}

/// Describes the newly stuck versions of a package, one sentence per end of upgrades, largest group
/// first. Versions without any upgrade share a sentence if the reason is the same.
pub fn describe_newly_stuck(
    newly: &[NewlyStuck],
    label: impl Fn(&BundleName) -> String,
) -> Vec<StuckSentence> {
    // Ends of other versions.
    let shared: HashSet<(Engine, &BundleName)> =
        newly.iter().filter(|row| row.version != row.end.end).map(|row| (row.engine, &row.end.end)).collect();
    let mut groups: Vec<(NewlyStuckKey<'_>, Vec<&NewlyStuck>)> = Vec::new();
    let mut places: HashMap<NewlyStuckKey<'_>, usize> = HashMap::new();
    for row in newly {
        let StuckEnd { end, reason } = &row.end;
        let is_own = row.version == *end && !shared.contains(&(row.engine, end));
        let key = NewlyStuckKey {
            engine: Some(row.engine),
            is_removed: row.publication == Publication::Removed,
            end: (!is_own).then_some(end),
            reason: *reason,
        };
        let at = *places.entry(key).or_insert(groups.len());
        match groups.get_mut(at) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((key, vec![row])),
        }
    }
    // Equal groups of both engines are merged.
    let mut folded: Vec<(NewlyStuckKey<'_>, Vec<&NewlyStuck>)> = Vec::new();
    let mut places: HashMap<(bool, Option<&BundleName>), Vec<usize>> = HashMap::new();
    for (key, rows) in groups {
        let alike = places.entry((key.is_removed, key.end)).or_default();
        let is_equal = |at: &&usize| {
            folded.get(**at).is_some_and(|(other, others)| {
                other.engine != key.engine
                    && others.iter().map(|row| &row.version).eq(rows.iter().map(|row| &row.version))
            })
        };
        if let Some((known, _)) = alike.iter().find(is_equal).copied().and_then(|at| folded.get_mut(at)) {
            known.engine = None;
        } else {
            alike.push(folded.len());
            folded.push((key, rows));
        }
    }
    folded.sort_by_key(|(_, rows)| std::cmp::Reverse(rows.len()));
    let sentence = |(key, rows): (NewlyStuckKey<'_>, Vec<&NewlyStuck>)| {
        let NewlyStuckKey { engine, is_removed, end, reason } = key;
        let named = |row: &&NewlyStuck| {
            let mark = if row.publication == Publication::Added { " (new)" } else { "" };
            format!("{}{mark}", label(&row.version))
        };
        let names: Vec<String> = rows.iter().map(named).collect();
        let count = rows.len();
        let place = match end {
            None if count > 1 => "each ends at itself".to_owned(),
            None => format!("ends at {}", rows.first().map(|row| label(&row.version)).unwrap_or_default()),
            Some(end) => format!("{} at {}", end_verb(count), label(end)),
        };
        let what = if is_removed { "removed without an upgrade" } else { "more stuck" };
        let words = format!("{count} {what}, {place} ({reason}): {}", join_first_versions(&names));
        let version = rows.first().map(|row| row.version.clone());
        StuckSentence { impact: Impact::Stuck, engine, version, words }
    };
    folded.into_iter().map(sentence).collect()
}

/// Describes the changes of stuck versions of some packages, except newly stuck ones.
pub fn describe_other_changes(
    changes: &[StuckChange],
    label: impl Fn(&PackageName, &BundleName) -> String,
) -> Vec<StuckSentence> {
    let of = |change: &StuckChange| {
        describe_unlisted_changes(change, |bundle| label(change.package_name(), bundle))
    };
    changes.iter().flat_map(of).collect()
}

/// Returns the color of an impact.
pub fn impact_ink(fortune: Impact) -> Ink {
    match fortune {
        Impact::Stuck | Impact::Failing | Impact::Downgraded => Ink::Error,
        Impact::Freed | Impact::Recovered => Ink::Good,
        Impact::Redirected => Ink::Text,
    }
}

/// Describes the changes of stuck versions of a package, worst first.
pub fn describe_stuck_change(
    change: &StuckChange,
    label: impl Fn(&BundleName) -> String,
) -> Vec<StuckSentence> {
    let mut all = describe_newly_stuck(&change.newly_stuck, &label);
    all.extend(describe_unlisted_changes(change, label));
    all
}

fn describe_unlisted_changes(
    change: &StuckChange,
    label: impl Fn(&BundleName) -> String,
) -> Vec<StuckSentence> {
    let mut all = Vec::new();
    let about_all =
        |fortune, words: String| StuckSentence { impact: fortune, engine: None, version: None, words };
    if change.becomes_unknown() {
        let words = "which versions are stuck is not known any more: the default channel has no single head with a bundle";
        all.push(about_all(Impact::Stuck, words.to_owned()));
    }
    all.extend(describe_freed_versions(change, &label));
    if let Some(first) = change.needs_channel_change.first() {
        let names: Vec<String> = change.needs_channel_change.iter().map(&label).collect();
        let words =
            format!("{}: {}", describe_needed_channel_changes(names.len()), join_first_versions(&names));
        let (engine, version) = (Some(Engine::Classic), Some(first.clone()));
        all.push(StuckSentence { impact: Impact::Redirected, engine, version, words });
    }
    if let StuckState::Known(counts) = change.totals.after {
        let stuck = format_engine_counts(counts, "stuck");
        match change.totals.before {
            StuckState::Absent if !counts.is_zero() => all.push(about_all(Impact::Redirected, stuck)),
            StuckState::Unknown => {
                all.push(about_all(Impact::Redirected, format!("{stuck}; it was not known before")));
            }
            StuckState::Absent | StuckState::Known(_) => {}
        }
    }
    all
}

/// Describes the freed versions in one sentence if they are equal on both engines.
fn describe_freed_versions(
    change: &StuckChange,
    label: impl Fn(&BundleName) -> String,
) -> Vec<StuckSentence> {
    let freed_on = |engine: Engine| -> Vec<&BundleName> {
        change.freed.iter().filter(|row| row.engine == engine).map(|row| &row.version).collect()
    };
    let staying = change.count_staying();
    let (classic, v1) = (freed_on(Engine::Classic), freed_on(Engine::V1));
    let groups = if classic == v1 && staying.classic == staying.v1 {
        vec![(None, classic, staying.classic)]
    } else {
        vec![(Some(Engine::Classic), classic, staying.classic), (Some(Engine::V1), v1, staying.v1)]
    };
    let sentence = |(engine, versions, staying): (Option<Engine>, Vec<&BundleName>, usize)| {
        let version = (*versions.first()?).clone();
        let names: Vec<String> = versions.iter().map(|version| label(version)).collect();
        let [freed, staying] = [names.len(), staying].map(|count| StuckCounts { classic: count, v1: count });
        let changing = if engine == Some(Engine::V1) { 0 } else { change.count_freed_by_channel_change() };
        let words = format!("{}: {}", describe_freed(freed, staying, changing), join_first_versions(&names));
        Some(StuckSentence { impact: Impact::Freed, engine, version: Some(version), words })
    };
    groups.into_iter().filter_map(sentence).collect()
}

/// Returns the label of an engine before a sentence.
pub fn engine_label(engine: Option<Engine>) -> &'static str {
    engine.map_or("both", Engine::label)
}

/// Returns the name of an engine within a sentence.
pub fn engine_word(engine: Option<Engine>) -> &'static str {
    engine.map_or("Classic and v1", Engine::label)
}

#[derive(Serialize)]
struct NewlyRow<'a> {
    package: &'a PackageName,
    engine: &'static str,
    version: &'a BundleName,
    reason: &'static str,
    end: &'a BundleName,
    #[serde(skip_serializing_if = "Option::is_none")]
    publication: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FreedRow<'a> {
    package: &'a PackageName,
    engine: &'static str,
    version: &'a BundleName,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    needs_channel_change: bool,
}

fn newly_rows(changes: &[StuckChange]) -> Vec<NewlyRow<'_>> {
    let mut rows: Vec<(&PackageName, &NewlyStuck)> = changes
        .iter()
        .flat_map(|change| change.newly_stuck.iter().map(move |row| (change.package_name(), row)))
        .collect();
    rows.sort();
    rows.into_iter()
        .map(|(package, row)| NewlyRow {
            package,
            engine: row.engine.as_str(),
            version: &row.version,
            reason: row.end.reason.id(),
            end: &row.end.end,
            publication: match row.publication {
                Publication::Kept => None,
                Publication::Added => Some("added"),
                Publication::Removed => Some("removed"),
            },
        })
        .collect()
}

fn freed_rows(changes: &[StuckChange]) -> Vec<FreedRow<'_>> {
    let mut rows: Vec<(&PackageName, &FreedVersion)> = changes
        .iter()
        .flat_map(|change| change.freed.iter().map(move |row| (change.package_name(), row)))
        .collect();
    rows.sort_by_key(|(package, row)| (*package, row.engine, &row.version));
    rows.into_iter()
        .map(|(package, row)| FreedRow {
            package,
            engine: row.engine.as_str(),
            version: &row.version,
            needs_channel_change: row.needs_channel_change,
        })
        .collect()
}

/// Returns the newly stuck and freed versions of an edit for programs (`docs/cli.md`).
pub fn stuck_changes_json(changes: &[StuckChange]) -> Value {
    json!({"newlyStuck": newly_rows(changes), "freed": freed_rows(changes)})
}

/// Returns the stuck versions of a comparison with the totals of both catalogs (`docs/cli.md`).
pub fn stuck_difference_json(difference: &Difference) -> Value {
    let changes = &difference.consequences.stuck;
    let total = |state: fn(&StuckTotals) -> StuckState| {
        let StuckCounts { classic, v1 } =
            sum_counts(difference.stuck.iter().map(|totals| state(totals).counts()));
        json!({"classic": classic, "v1": v1})
    };
    let unknown = |totals: &&StuckTotals| totals.after == StuckState::Unknown;
    let unknown: Vec<&PackageName> =
        difference.stuck.iter().filter(unknown).map(|totals| &totals.package).collect();
    json!({
        "before": total(|totals| totals.before),
        "after": total(|totals| totals.after),
        "unknown": unknown,
        "newlyStuck": newly_rows(changes),
        "freed": freed_rows(changes),
    })
}
