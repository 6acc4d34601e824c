//! Bundles with a newly unmet dependency after packages were removed or changed.
//!
//! The question is that of the resolver: does any open catalog have a candidate, that is an entry of a channel that no other
//! entry skips?

use std::collections::{BTreeMap, HashMap};

use super::Snapshot;
use olm_catalog::{BundleName, PackageName};
use olm_upgrade::{
    apis::DependencyGroup,
    resolve::{
        CatalogIndex, Source,
        channel_resolution::has_own_requirements,
        constraint::Predicate,
        index::{BundlePosition, PackageIndex},
        limit::StepLimitExceeded,
    },
};

/// Step budget.
const MAX_STEPS: u64 = 1_000_000;
/// Maximum number of changed packages that are searched one by one; for more, an index of the catalog is faster.
const MAX_SINGLE_SEARCHES: usize = 16;

/// Bundles of a package with a newly unmet dependency.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnmetDependency {
    /// Name of the other catalog with the bundles; `None` for the changed catalog.
    pub catalog: Option<String>,
    /// Package of the bundles.
    pub package: PackageName,
    /// Bundles, lowest version first.
    pub bundles: Vec<BundleName>,
    /// Description of the bundles: `1.0.0 to 2.3.1 (12 bundles)`.
    pub required_by: String,
    /// Description of the dependency: `package lamp in >=1.0.0`.
    pub what: String,
}

impl UnmetDependency {
    /// Returns a sentence: the bundles, what they need, and that
    /// no open catalog provides it any more.
    pub fn to_sentence(&self) -> String {
        let Self { catalog, package, required_by: by, what, bundles } = self;
        let of = catalog.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
        let need = if bundles.len() == 1 { "needs" } else { "need" };
        format!("{package} {by}{of} {need} {what}, and no open catalog provides it any more")
    }
}

/// All newly unmet dependencies.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct UnmetDependencies {
    /// Bundles by package, those of the changed catalog first.
    pub all: Vec<UnmetDependency>,
    /// Reason why the list may be incomplete: the step budget is used up.
    pub stopped: Option<StepLimitExceeded>,
}

impl UnmetDependencies {
    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty() && self.stopped.is_none()
    }

    /// Finds newly unmet dependencies between two states of a catalog that differ in the touched packages; the
    /// other open catalogs are unchanged.
    pub fn find_newly_unmet(
        before: &Snapshot,
        after: &Snapshot,
        touched: &[&PackageName],
        beside: &[Source],
    ) -> Self {
        let mut left = Self::default();
        if touched.is_empty() || after.catalog.template().is_some() {
            return left;
        }
        let of_touched = |index| TouchedPackages { index, positions: touched_positions(index, touched) };
        let mut asking = RequirementCheck {
            before: of_touched(before.index()),
            after: of_touched(after.index()),
            beside,
            known: HashMap::new(),
            steps: MAX_STEPS,
        };
        left.add_from_catalog(None, after.index(), &mut asking);
        for source in beside {
            left.add_from_catalog(Some(&source.key.name), &source.index, &mut asking);
        }
        if asking.steps == 0 {
            left.stopped = Some(StepLimitExceeded { steps: MAX_STEPS });
        }
        left
    }

    fn add_from_catalog(
        &mut self,
        catalog: Option<&str>,
        index: &CatalogIndex,
        asking: &mut RequirementCheck<'_>,
    ) {
        for (package, known) in index.packages().iter().enumerate() {
            if !known.has_requirements() {
                continue;
            }
            let mut lost: BTreeMap<String, Vec<usize>> = BTreeMap::new();
            for (bundle, blob) in known.package.bundles.iter().enumerate() {
                if !has_own_requirements(blob)
                    || known.package.channel_positions_with(&blob.name.value).is_empty()
                {
                    continue;
                }
                let Some(seen) = index.entry_view(BundlePosition { package, bundle }) else { continue };
                for requirement in &seen.facts.requirements {
                    let Ok(predicate) = &requirement.predicate else { continue };
                    if asking.is_lost(predicate) {
                        let places = lost.entry(predicate.to_string()).or_default();
                        if places.last() != Some(&bundle) {
                            places.push(bundle);
                        }
                    }
                }
            }
            self.all.extend(lost.into_iter().map(|(what, places)| {
                let group = DependencyGroup::new(0, &known.package, "", places);
                UnmetDependency {
                    catalog: catalog.map(str::to_owned),
                    package: known.package.name.clone(),
                    bundles: group.bundles().map(|bundle| bundle.name.value.clone()).collect(),
                    required_by: group.format_versions(),
                    what,
                }
            }));
        }
    }

    /// Returns all of them, one per line.
    pub fn to_lines(&self) -> Vec<String> {
        let stopped = self.stopped.map(|stopped| format!("there may be more: {stopped}"));
        self.all.iter().map(UnmetDependency::to_sentence).chain(stopped).collect()
    }

    /// Removes all packages that do not match.
    pub(super) fn retain_packages(&mut self, is_kept: impl Fn(&PackageName) -> bool) {
        self.all.retain(|left| is_kept(&left.package));
    }
}

/// State of the catalog, with the indices of packages that differ from the other state.
struct TouchedPackages<'a> {
    index: &'a CatalogIndex,
    positions: Vec<usize>,
}

fn touched_positions(index: &CatalogIndex, touched: &[&PackageName]) -> Vec<usize> {
    touched.iter().filter_map(|name| index.package_position(name.as_str())).collect()
}

impl TouchedPackages<'_> {
    /// Returns true if one of these packages satisfies a requirement.
    fn satisfies(&self, predicate: &Predicate, steps: &mut u64) -> bool {
        if self.positions.len() > MAX_SINGLE_SEARCHES {
            let found = self.index.candidates(predicate, steps);
            let found = found.as_ref().as_ref().map(Vec::as_slice).unwrap_or_default();
            return found.iter().any(|place| self.positions.binary_search(&place.at.package).is_ok());
        }
        self.positions.iter().any(|&at| {
            self.index.packages().get(at).is_some_and(|package| {
                (0..package.package.channels.len())
                    .any(|c| self.channel_satisfies(at, package, c, predicate, steps))
            })
        })
    }

    fn channel_satisfies(
        &self,
        package: usize,
        index: &PackageIndex,
        channel: usize,
        predicate: &Predicate,
        steps: &mut u64,
    ) -> bool {
        // Another finding reports a channel without a single chain.
        let Ok(chain) = index.chain(channel) else { return false };
        chain.iter().any(|&bundle| {
            *steps > 0
                && self
                    .index
                    .entry_view(BundlePosition { package, bundle })
                    .is_some_and(|seen| predicate.holds(seen, steps))
        })
    }
}

/// Query with cached answers.
struct RequirementCheck<'a> {
    before: TouchedPackages<'a>,
    after: TouchedPackages<'a>,
    beside: &'a [Source],
    /// Answers by [`Predicate::key`].
    known: HashMap<String, bool>,
    steps: u64,
}

impl RequirementCheck<'_> {
    /// Returns true if a requirement was satisfied before and is not any more.
    fn is_lost(&mut self, predicate: &Predicate) -> bool {
        let key = predicate.cache_key();
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let is_lost = self.before.satisfies(predicate, &mut self.steps)
            && !self.after.satisfies(predicate, &mut self.steps)
            && !self.is_satisfied_elsewhere(predicate)
            && self.steps > 0;
        self.known.insert(key, is_lost);
        is_lost
    }

    /// Returns true if an unchanged package or another catalog satisfies the requirement.
    fn is_satisfied_elsewhere(&mut self, predicate: &Predicate) -> bool {
        let of = |index: &CatalogIndex, steps: &mut u64| index.candidates(predicate, steps);
        let own = of(self.after.index, &mut self.steps);
        let is_there = |candidates: &olm_upgrade::resolve::index::Candidates| {
            candidates.as_ref().as_ref().map_or(true, |found| !found.is_empty())
        };
        is_there(&own) || self.beside.iter().any(|source| is_there(&of(&source.index, &mut self.steps)))
    }
}
