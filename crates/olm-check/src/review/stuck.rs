//! Remedies for stuck versions, tried on a copy of the catalog.

use std::sync::Arc;

use super::{PackageState, Snapshot, findings};
use crate::Severity;
use olm_bundle::placement::declared_skip_range;
use olm_catalog::{BundleName, ChannelName};
use olm_edit::Edit;
use olm_upgrade::{
    Engine, PackageGraph,
    path::PathFix,
    safety::PackageSafety,
    stuck::{Remedy, StuckGroup, StuckVersions},
};

/// Maximum number of groups that are tried one by one if no edit frees all versions.
const MAX_GROUPS: usize = 6;

/// Scope of a search for remedies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Scope {
    /// All stuck versions of the package.
    Package,
    /// Stuck entries of a channel.
    Channel(ChannelName),
    /// Stuck versions that end at the same bundle as this version.
    Version(BundleName),
}

/// Reason why there is no remedy.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum RemedyError {
    /// No edit that was tried frees a version.
    NoneFrees,
    /// Each edit that frees versions adds an error or a warning.
    AddsFinding,
    /// Each edit that frees versions adds an upgrade step that OLM refuses.
    Refused,
    /// Objects of the package could not be read, so its versions may only look stuck.
    IncompletePackage,
}

/// Remedy with the versions that it frees.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundRemedy {
    /// Stuck versions.
    pub group: StuckGroup,
    /// Number of versions of the package that are stuck on the engine of the group.
    pub package_stuck: usize,
    /// Edit that frees them.
    pub remedy: Remedy,
    /// `skipRange` that the CSV of the edited entry declares; `None` if it has none or is unknown.
    pub csv_skip_range: Option<String>,
}

/// Judges the upgrade steps of a package after an edit. `None` if no manifests are known.
pub type JudgeSteps<'a> = &'a dyn Fn(&Snapshot, &Arc<PackageState>) -> Option<Arc<PackageSafety>>;

/// Searches for edits that free stuck versions: one for all of them, or one per group if that
/// leaves some. An edit that frees all stuck versions of the package comes first.
///
/// # Errors
///
/// Fails with the reason if there is no remedy.
pub fn find_remedies(
    snapshot: &Snapshot,
    judged: &PackageState,
    scope: &Scope,
    judge: JudgeSteps<'_>,
) -> Result<Vec<FoundRemedy>, RemedyError> {
    let Some(answer) = &judged.graph.stuck().answer else { return Err(RemedyError::NoneFrees) };
    let mut found: Vec<FoundRemedy> = Vec::new();
    let mut reason = RemedyError::NoneFrees;
    for engine in [Engine::Classic, Engine::V1] {
        let groups = groups_in_scope(answer, &judged.graph, scope, engine);
        let merged = match groups.as_slice() {
            [] | [_] => None,
            _ => {
                answer.merge_groups(judged.package(), engine, |name| is_in_scope(&judged.graph, scope, name))
            }
        };
        let mut is_left = true;
        for (place, group) in merged.iter().chain(groups.iter().copied().take(MAX_GROUPS)).enumerate() {
            if place > 0 && merged.is_some() && !is_left {
                break;
            }
            match find_checked_remedy(snapshot, judged, group, judge) {
                Ok(remedy) => {
                    is_left = remedy.remaining > 0;
                    let is_known = |known: &FoundRemedy| {
                        remedy_edit(judged, &known.remedy) == remedy_edit(judged, &remedy)
                    };
                    if !found.iter().any(is_known) {
                        let bundle = judged.package().bundle(remedy.entry.as_str());
                        let csv_skip_range =
                            bundle.and_then(|bundle| declared_skip_range(&snapshot.catalog, bundle));
                        let (group, package_stuck) = (group.clone(), answer.on_engine(engine).len());
                        found.push(FoundRemedy { group, package_stuck, remedy, csv_skip_range });
                    }
                }
                Err(other) => reason = reason.max(other),
            }
        }
    }
    if *scope != Scope::Package && !found.is_empty() {
        let wider = find_remedies(snapshot, judged, &Scope::Package, judge).unwrap_or_default();
        let is_wider = |wider: &FoundRemedy| {
            let same_engine = found.iter().filter(|known| known.group.engine == wider.group.engine);
            // An edit for the other engine need not free a version of the scope.
            let most = same_engine.map(|known| known.remedy.frees).max();
            wider.remedy.remaining == 0 && most.is_some_and(|most| most < wider.remedy.frees)
        };
        if let Some(wider) = wider.into_iter().find(is_wider) {
            let edit = remedy_edit(judged, &wider.remedy);
            found.retain(|known| remedy_edit(judged, &known.remedy) != edit);
            found.insert(0, wider);
        }
    }
    drop_covered_remedies(&mut found);
    if found.is_empty() { Err(reason) } else { Ok(found) }
}

/// Drops the remedies for versions on one engine that an earlier one for the other engine frees, too.
fn drop_covered_remedies(found: &mut Vec<FoundRemedy>) {
    let mut kept: Vec<FoundRemedy> = Vec::new();
    for candidate in found.drain(..) {
        let is_covered = kept.iter().any(|earlier| {
            earlier.group.engine != candidate.group.engine
                && candidate
                    .group
                    .versions
                    .iter()
                    .all(|name| earlier.remedy.freed_on(candidate.group.engine).contains(name))
        });
        if !is_covered {
            kept.push(candidate);
        }
    }
    *found = kept;
}

/// Returns the groups in a scope.
fn groups_in_scope<'s>(
    answer: &'s StuckVersions,
    graph: &PackageGraph,
    scope: &Scope,
    engine: Engine,
) -> Vec<&'s StuckGroup> {
    let own = answer.groups.iter().filter(|group| group.engine == engine);
    own.filter(|group| group.versions.iter().any(|name| is_in_scope(graph, scope, name))).collect()
}

fn is_in_scope(graph: &PackageGraph, scope: &Scope, name: &BundleName) -> bool {
    match scope {
        Scope::Package => true,
        Scope::Channel(channel) => graph
            .channel(channel.as_str())
            .is_some_and(|channel| channel.graph.entry_named(name.as_str()).is_some()),
        Scope::Version(version) => version == name,
    }
}

/// Returns the edit that frees most versions of a group without a new error or warning.
///
/// # Errors
///
/// The reason, if no tried edit does.
pub fn find_remedy(
    snapshot: &Snapshot,
    judged: &PackageState,
    group: &StuckGroup,
) -> Result<Remedy, RemedyError> {
    find_checked_remedy(snapshot, judged, group, &|_, _| None)
}

/// Returns the edit that frees all versions of a package that are stuck on an engine. `None` if they are in
/// only one group, or there is no such edit.
pub fn find_shared_remedy(snapshot: &Snapshot, judged: &PackageState) -> Option<Remedy> {
    let answer = judged.graph.stuck().answer.as_ref()?;
    let merged = |engine: Engine| {
        let has_several = answer.groups.iter().filter(|group| group.engine == engine).nth(1).is_some();
        has_several.then(|| answer.merge_groups(judged.package(), engine, |_| true)).flatten()
    };
    let mut remedies = [Engine::Classic, Engine::V1].into_iter().filter_map(|engine| {
        find_remedy(snapshot, judged, &merged(engine)?).ok().filter(|remedy| remedy.remaining == 0)
    });
    remedies.next()
}

/// Finds an edit like [`find_remedy`], but excludes edits that add a step that OLM refuses.
fn find_checked_remedy(
    snapshot: &Snapshot,
    judged: &PackageState,
    group: &StuckGroup,
    judge: JudgeSteps<'_>,
) -> Result<Remedy, RemedyError> {
    if snapshot.find_file_error(&judged.package().name).is_some() {
        return Err(RemedyError::IncompletePackage);
    }
    let mut reason = RemedyError::NoneFrees;
    for remedy in judged.graph.stuck().remedies(&judged.graph, group) {
        let Some(after) = state_after_remedy(snapshot, judged, &remedy) else {
            reason = reason.max(RemedyError::AddsFinding);
            continue;
        };
        let Some(package) = after.package(judged.package().name.as_str()) else { continue };
        let safety = judge(&after, package);
        if !safety.is_some_and(|safety| has_refused_step(&safety, group, &remedy)) {
            return Ok(remedy);
        }
        reason = reason.max(RemedyError::Refused);
    }
    Err(reason)
}

/// Returns true if OLM refuses one of the steps to the entry of a remedy.
fn has_refused_step(safety: &PackageSafety, group: &StuckGroup, remedy: &Remedy) -> bool {
    let mut steps = group.versions.iter().filter_map(|from| safety.find_step(from, &remedy.entry));
    steps.any(|step| step.overall_verdict().is_refused())
}

/// Returns the edit of a remedy.
pub fn remedy_edit(judged: &PackageState, remedy: &Remedy) -> Edit {
    Edit::SetEntry {
        package: judged.package().name.clone(),
        channel: remedy.channel.clone(),
        entry: remedy.entry.clone(),
        spec: remedy.spec.clone(),
    }
}

/// Returns the edit of a fix of an upgrade path.
pub fn path_fix_edit(fix: &PathFix) -> Edit {
    let PathFix { package, channel, entry, spec, .. } = fix.clone();
    Edit::SetEntry { package, channel, entry, spec }
}

/// Returns the catalog after an edit. `None` if the edit fails, or adds an error or warning.
fn state_after_remedy(snapshot: &Snapshot, judged: &PackageState, remedy: &Remedy) -> Option<Snapshot> {
    let catalog = olm_edit::apply_edit(&snapshot.catalog, &remedy_edit(judged, remedy)).ok()?;
    let after = snapshot.after_change(catalog);
    let package = after.package(judged.package().name.as_str())?;
    let (new, _) = findings::compare_findings(
        PackageState::finding_list(&snapshot.catalog, Some(judged)),
        PackageState::finding_list(&after.catalog, Some(package)),
    );
    new.iter().all(|finding| finding.severity() == Severity::Note).then_some(after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use olm_catalog::load;
    use olm_upgrade::fixture::{self, any_channel_lines};
    use proptest::prelude::*;

    /// Package with an old channel whose head is stuck.
    const TWO_CHANNELS: &str = "schema: olm.package\nname: ship\ndefaultChannel: new\n---\nschema: olm.channel\npackage: ship\n\
        name: new\nentries:\n- name: ship.v2.0.0\n---\nschema: olm.channel\npackage: ship\nname: old\nentries:\n\
        - name: ship.v1.0.0\n- name: ship.v1.1.0\n  replaces: ship.v1.0.0\n";

    fn with_bundle_objects(text: &str) -> String {
        let bundle = |version: &str| {
            format!(
                "---\nschema: olm.bundle\npackage: ship\nname: ship.v{version}\nimage: example.com/ship@sha256:{version}\n\
                 properties:\n- type: olm.package\n  value: {{packageName: ship, version: {version}}}\n"
            )
        };
        format!("{text}{}{}{}", bundle("1.0.0"), bundle("1.1.0"), bundle("2.0.0"))
    }

    #[test]
    fn finds_edit_for_package_channel_and_version() {
        let snapshot = Snapshot::new(load::from_bytes(with_bundle_objects(TWO_CHANNELS).into_bytes()));
        let judged = snapshot.package("ship").unwrap();
        let none: JudgeSteps<'_> = &|_, _| None;
        for scope in [Scope::Package, Scope::Channel("old".into()), Scope::Version("ship.v1.0.0".into())] {
            let found = find_remedies(&snapshot, judged, &scope, none).unwrap();
            let best = &found[0];
            assert_eq!((best.remedy.frees, best.remedy.remaining), (2, 0), "{scope:?}");
            assert_eq!(found.len(), 1, "both engines take the same edit: {found:?}");
        }
        let nothing = find_remedies(&snapshot, judged, &Scope::Channel("new".into()), none);
        assert_eq!(nothing, Err(RemedyError::NoneFrees));
    }

    /// Returns the engine, the number of freed versions and the edit of each remedy.
    fn list_remedies(channels: &[(&str, &str)], scope: &Scope) -> Vec<(Engine, usize, String)> {
        let snapshot = Snapshot::new(fixture::catalog_from_channels(channels));
        let found = find_remedies(&snapshot, snapshot.package("p").unwrap(), scope, &|_, _| None).unwrap();
        found.into_iter().map(|it| (it.group.engine, it.remedy.frees, it.remedy.to_string())).collect()
    }

    #[test]
    fn edit_for_the_whole_package_comes_first_and_once() {
        let channels = [("new", "2.0.0\n"), ("old", "1.2.0 replaces=1.0.0\n1.0.0\n"), ("older", "1.1.0\n")];
        let range = "set skipRange of p.v2.0.0 in new to '>=1.0.0 <2.0.0'".to_owned();
        // The edit frees the versions on v1, too, so none is offered for v1.
        assert_eq!(list_remedies(&channels, &Scope::Package), [(Engine::Classic, 3, range.clone())]);
        let smaller = (Engine::Classic, 2, "make p.v2.0.0 in new replace p.v1.2.0".to_owned());
        let old = Scope::Channel("old".into());
        assert_eq!(list_remedies(&channels, &old), [(Engine::Classic, 3, range.clone()), smaller]);
        // The same edit frees the versions of the channel.
        let channels = [("new", "2.0.0\n"), ("old", "1.2.0\n1.0.0\n"), ("older", "1.1.0\n")];
        assert_eq!(list_remedies(&channels, &old), [(Engine::Classic, 3, range)]);
    }

    #[test]
    fn edit_for_the_other_engine_is_not_offered_for_a_version() {
        // 0.9.0 is stuck on Classic, because the entry that skips it is skipped. 1.0.0 is stuck on v1.
        let channel = "3.0.0 replaces=2.0.0 skips=2.5.0\n2.5.0 replaces=2.0.0 skips=0.9.0\n2.0.0 replaces=1.1.0\n\
                       1.1.0 replaces=1.0.0 deprecated\n1.0.0\n0.9.0\n";
        let channels = [("c", channel)];
        let engines = |scope: &Scope| -> Vec<Engine> {
            list_remedies(&channels, scope).into_iter().map(|(engine, ..)| engine).collect()
        };
        assert_eq!(engines(&Scope::Package), [Engine::Classic, Engine::V1]);
        assert_eq!(engines(&Scope::Version("p.v1.0.0".into())), [Engine::V1]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

        /// `NoneFrees` means that no edit frees a version, not that all of them would add a finding.
        #[test]
        fn reason_says_if_each_edit_adds_a_finding((c, d) in (any_channel_lines(), any_channel_lines())) {
            let snapshot = Snapshot::new(fixture::catalog_from_channels(&[("c", &c), ("d", &d)]));
            let judged = snapshot.package("p").unwrap();
            let stuck = judged.graph.stuck();
            for group in stuck.answer.iter().flat_map(|answer| &answer.groups) {
                let edits = stuck.remedies(&judged.graph, group);
                match find_remedy(&snapshot, judged, group) {
                    Ok(remedy) => prop_assert!(edits.contains(&remedy)),
                    Err(RemedyError::NoneFrees) => prop_assert_eq!(edits, []),
                    Err(RemedyError::AddsFinding) => {
                        prop_assert!(!edits.is_empty());
                        for edit in &edits {
                            prop_assert!(state_after_remedy(&snapshot, judged, edit).is_none(), "{}", edit);
                        }
                    }
                    Err(reason) => prop_assert!(false, "{:?}", reason),
                }
            }
        }
    }

    #[test]
    fn remedy_applied_to_the_catalog_frees_what_it_says() {
        let two_channels = load::from_bytes(with_bundle_objects(TWO_CHANNELS).into_bytes());
        let mut tried = 0;
        let demo = olmap_testing::repository_path("demo/catalog");
        let demo = load::open_catalog(demo).unwrap();
        for catalog in [demo, two_channels] {
            let snapshot = Snapshot::new(catalog);
            for (name, judged) in snapshot.packages() {
                for group in judged.graph.stuck().answer.iter().flat_map(|answer| &answer.groups) {
                    let Ok(remedy) = find_remedy(&snapshot, judged, group) else { continue };
                    let edited =
                        olm_edit::apply_edit(&snapshot.catalog, &remedy_edit(judged, &remedy)).unwrap();
                    let after = Snapshot::new(edited);
                    let after = after.package(name.as_str()).unwrap().graph.stuck();
                    for engine in [Engine::Classic, Engine::V1] {
                        let stuck = judged.graph.stuck().answer.iter().flat_map(|it| it.on_engine(engine));
                        let freed: Vec<_> =
                            stuck.filter(|version| after.group_of(engine, version).is_none()).collect();
                        assert_eq!(freed, remedy.freed_on(engine).iter().collect::<Vec<_>>(), "{remedy:?}");
                    }
                    let is_stuck = |version: &&_| after.group_of(group.engine, version).is_some();
                    let remaining = group.versions.iter().filter(is_stuck).count();
                    assert_eq!(remaining, remedy.remaining, "{remedy:?}");
                    assert_eq!(group.versions.len() - remaining, remedy.frees, "{remedy:?}");
                    tried += 1;
                }
            }
        }
        assert!(tried >= 2, "{tried} remedies");
    }
}
