//! Deprecations that do not count in a release check: those that existed before a change, and
//! accepted ones.

use std::collections::BTreeSet;

use super::{DeprecationReport, ExitPath, effects::DeprecationEffects};
use crate::{Finding, review::Snapshot, rules};
use olm_catalog::PackageName;

/// Relation of a deprecation to a change of its catalog.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DeprecationChange {
    /// True if the change adds the deprecation.
    pub is_new: bool,
    /// True if the change adds the deprecation, or removes an upgrade path from its users.
    pub is_concerned: bool,
    /// True if the change leaves users of the deprecation without an upgrade path, or stops OLM v1.
    pub blocks: bool,
}

/// Compares a deprecation with the state of the catalog before a change.
pub fn compare_deprecation(one: &DeprecationReport, old: &Snapshot, new: &Snapshot) -> DeprecationChange {
    let states = [old, new].map(|state| state.package(one.package.as_str()).map(AsRef::as_ref));
    match DeprecationEffects::compare_states(&one.package, states[0], states[1]) {
        Some(effects) => relate_to_effects(one, &effects),
        None => DeprecationChange::default(),
    }
}

/// Returns the relation of a deprecation to a change that has these effects on its package.
pub fn relate_to_effects(one: &DeprecationReport, effects: &DeprecationEffects) -> DeprecationChange {
    let is_new = effects.added.iter().any(|(target, _)| Some(target) == one.target.as_ref());
    let is_lost = effects.lost.iter().any(|lost| {
        let mut users = one.affected.iter().filter(|user| user.installed == lost.installed);
        users.any(|user| {
            user.closed_paths()
                .any(|(engine, channel)| engine == lost.engine && channel == lost.channel.as_ref())
        })
    });
    let is_stopped = one.stopped.iter().any(|bundle| effects.stopped.contains(bundle));
    let blocks = is_lost || is_stopped;
    DeprecationChange { is_new, is_concerned: is_new || blocks, blocks }
}

/// Returns true if findings that a baseline accepts account for all users whom a deprecation leaves without an upgrade path, and
/// for all on whom OLM v1 stops.
pub fn is_accepted(one: &DeprecationReport, accepted: &[&Finding]) -> bool {
    let named = |rules: &[&'static crate::Rule]| -> BTreeSet<String> {
        let of = |package: &Option<PackageName>| package.as_ref() == Some(&one.package);
        let findings = accepted.iter().filter(|finding| of(&finding.package)).flat_map(|f| f.all_parts());
        let findings = findings.filter(|part| rules.contains(&part.rule));
        let names = findings.flat_map(|finding| {
            finding.names.iter().cloned().chain(finding.bundle.as_ref().map(ToString::to_string))
        });
        names.collect()
    };
    let stuck = named(&[&rules::NO_UNDEPRECATED_WAY_OUT, &rules::DEPRECATED_HEAD]);
    let stopped = named(&[&rules::DEPRECATION_STOPS_V1]);
    let is_known = |way: &ExitPath, installed: &str| match way {
        ExitPath::Closed { at } => stuck.contains(installed) || stuck.contains(at.as_str()),
        _ => true,
    };
    let users = one.affected.iter().all(|user| {
        let installed = user.installed.as_str();
        user.classic.iter().all(|(_, way)| is_known(way, installed)) && is_known(&user.v1, installed)
    });
    users && one.stopped.iter().all(|bundle| stopped.contains(bundle.as_str()))
}
