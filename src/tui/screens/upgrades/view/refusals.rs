//! Upgrade steps that OLM refuses, for the states of the upgrade table.

use std::collections::{HashMap, HashSet};

use olm_catalog::{BundleName, package::Package};
use olm_upgrade::{Engine, UpgradeRow, UpgradeTable, safety::PackageSafety};

/// Bundles of a step.
type Step<'t> = (&'t BundleName, &'t BundleName);

/// First step of the upgrade path of each version that OLM refuses.
#[derive(Default)]
pub(super) struct RefusedSteps<'t>(Vec<(Engine, HashMap<&'t BundleName, Option<Step<'t>>>)>);

impl<'t> RefusedSteps<'t> {
    /// Finds the refused steps of a table. Empty if no step of the package is refused.
    pub(super) fn find_in_table(safety: &PackageSafety, table: &'t UpgradeTable) -> Self {
        if !safety.steps.iter().any(|(_, step)| step.overall_verdict().is_refused()) {
            return Self::default();
        }
        let by_engine = |engine| (engine, find_first_refusals(safety, table, engine));
        Self([Engine::Classic, Engine::V1].map(by_engine).into())
    }

    /// Counts the versions with a refused step on their path. The OLM is `None` if both refuse steps. `None` if no step is
    /// refused.
    pub(super) fn count_refused(&self) -> Option<(Option<Engine>, usize)> {
        let refused = |(engine, steps): &'_ (Engine, HashMap<&'t BundleName, Option<Step<'t>>>)| {
            let versions = steps.iter().filter(|(_, step)| step.is_some()).map(|(version, _)| *version);
            (*engine, versions.collect::<HashSet<_>>())
        };
        let by_engine = self.0.iter().map(refused).filter(|(_, versions)| !versions.is_empty());
        let by_engine: Vec<(Engine, HashSet<&BundleName>)> = by_engine.collect();
        let versions: HashSet<&BundleName> =
            by_engine.iter().flat_map(|(_, versions)| versions).copied().collect();
        match by_engine.as_slice() {
            [] => None,
            [(engine, _)] => Some((Some(*engine), versions.len())),
            _ => Some((None, versions.len())),
        }
    }

    /// Describes the refused step of a version: `v1 refuses 1.1.0`. `None` if no step is refused.
    pub(super) fn describe_refusal(&self, package: &Package, version: &BundleName) -> Option<String> {
        let step = |(engine, steps): &(Engine, HashMap<&BundleName, Option<Step<'t>>>)| {
            Some((*engine, (*steps.get(version)?)?))
        };
        let describe = |who: &str, verb: &str, (from, to): Step<'_>| {
            let later = if from == version { "" } else { "later " };
            format!("{who} {later}{verb} {}", package.short_name(to))
        };
        let refused: Vec<(Engine, Step<'t>)> = self.0.iter().filter_map(step).collect();
        match refused.as_slice() {
            [] => None,
            [(_, one), (_, other)] if one == other => Some(describe("both", "refuse", *one)),
            all => {
                let words = all.iter().map(|(engine, step)| describe(engine.label(), "refuses", *step));
                Some(words.collect::<Vec<_>>().join("; "))
            }
        }
    }
}

/// Returns the first refused step on the path of each version.
fn find_first_refusals<'t>(
    safety: &PackageSafety,
    table: &'t UpgradeTable,
    engine: Engine,
) -> HashMap<&'t BundleName, Option<Step<'t>>> {
    let next = |row: &'t UpgradeRow| match engine {
        Engine::Classic => row.classic.target(),
        Engine::V1 => row.v1.target(),
    };
    let is_refused = |(from, to): Step<'_>| {
        safety.find_step(from, to).is_some_and(|step| step.verdict_for(engine).is_refused())
    };
    let mut known: HashMap<&'t BundleName, Option<Step<'t>>> = HashMap::new();
    for row in &table.rows {
        let (mut path, mut at) = (Vec::new(), Some(row));
        let mut found = None;
        while let Some(row) = at {
            let from = &row.installed.name;
            if let Some(rest) = known.get(from) {
                found = *rest;
                break;
            }
            // The entry also ends cycles.
            known.insert(from, None);
            path.push(from);
            let Some(to) = next(row) else { break };
            if is_refused((from, to)) {
                found = Some((from, to));
                break;
            }
            at = table.find_row(to);
        }
        known.extend(path.into_iter().map(|name| (name, found)));
    }
    known
}
