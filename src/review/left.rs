//! Who is left without: bundles of which a dependency was satisfied and is not any more, after packages went or were rewired.
//!
//! Asked is what the resolver asks: whether any catalog in sight has a candidate, which is an entry of a channel that nothing
//! skips.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::Snapshot;
use crate::{
    catalog::{BundleName, PackageName},
    resolve::{
        CatalogIndex, Source,
        constraint::Predicate,
        index::{BundleAt, PackageIndex},
        limit::Stopped,
        standing::asks,
    },
    upgrade::apis::Group,
};

/// How much work this may be, in steps.
const STEPS: u64 = 1_000_000;
/// Up to so many packages that are not the same are looked through; where there are more, the index of the catalog is made, which
/// takes longer than that.
const FEW: usize = 16;

/// Bundles of a package that are left without something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftWithout {
    /// The other catalog that they are in; `None` for the one that changes.
    pub catalog: Option<String>,
    /// Their package.
    pub package: PackageName,
    /// The bundles, lowest version first.
    pub bundles: Vec<BundleName>,
    /// The bundles in words: `1.0.0 to 2.3.1 (12 bundles)`.
    pub by: String,
    /// What they need, in words: `package lamp in >=1.0.0`.
    pub what: String,
}

impl LeftWithout {
    /// `beacon 0.3.0 to 0.5.0 (3 bundles) of vendor needs package lamp in >=1.0.0, and nothing in sight provides it any more`
    pub fn words(&self) -> String {
        let Self { catalog, package, by, what, bundles } = self;
        let of = catalog.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
        let need = if bundles.len() == 1 { "needs" } else { "need" };
        format!("{package} {by}{of} {need} {what}, and nothing in sight provides it any more")
    }
}

/// All that are left without.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Left {
    /// Those of the catalog that changes first, by package.
    pub all: Vec<LeftWithout>,
    /// There may be more: the steps were used up.
    pub stopped: Option<Stopped>,
}

impl Left {
    /// Whether nobody is.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty() && self.stopped.is_none()
    }

    /// Who is left without between two states of a catalog, with the other catalogs in sight as they are.
    pub fn between(before: &Snapshot, after: &Snapshot, beside: &[Source]) -> Self {
        let touched: HashSet<&PackageName> = after.touched(before).into_iter().collect();
        let mut left = Self::default();
        if touched.is_empty() || after.catalog.template().is_some() {
            return left;
        }
        let of_touched = |index| Touched { index, places: places(index, &touched) };
        let mut asking = Asking {
            before: of_touched(before.index()),
            after: of_touched(after.index()),
            beside,
            known: HashMap::new(),
            steps: STEPS,
        };
        left.add(None, after.index(), &mut asking);
        for source in beside {
            left.add(Some(&source.key.name), &source.index, &mut asking);
        }
        if asking.steps == 0 {
            left.stopped = Some(Stopped { steps: STEPS });
        }
        left
    }

    fn add(&mut self, catalog: Option<&str>, index: &CatalogIndex, asking: &mut Asking<'_>) {
        for (package, known) in index.packages().iter().enumerate() {
            let mut lost: BTreeMap<String, Vec<usize>> = BTreeMap::new();
            for (bundle, blob) in known.package.bundles.iter().enumerate() {
                if !asks(blob) || known.package.places_with(&blob.name.value).is_empty() {
                    continue;
                }
                let Some(seen) = index.seen(BundleAt { package, bundle }) else { continue };
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
                let group = Group::new(0, &known.package, "", places);
                LeftWithout {
                    catalog: catalog.map(str::to_owned),
                    package: known.package.name.clone(),
                    bundles: group.bundles().map(|bundle| bundle.name.value.clone()).collect(),
                    by: group.words(),
                    what,
                }
            }));
        }
    }

    /// All of it, line by line.
    pub fn words(&self) -> Vec<String> {
        let stopped = self.stopped.map(|stopped| format!("there may be more: {stopped}"));
        self.all.iter().map(LeftWithout::words).chain(stopped).collect()
    }

    /// Leaves everything out that is not about some packages.
    pub(super) fn keep(&mut self, is_kept: impl Fn(&PackageName) -> bool) {
        self.all.retain(|left| is_kept(&left.package));
    }
}

/// A state of the catalog, and which of its packages are not the same in the other.
struct Touched<'a> {
    index: &'a CatalogIndex,
    places: Vec<usize>,
}

fn places(index: &CatalogIndex, touched: &HashSet<&PackageName>) -> Vec<usize> {
    let all = index.packages().iter().enumerate();
    all.filter(|(_, package)| touched.contains(&package.package.name)).map(|(at, _)| at).collect()
}

impl Touched<'_> {
    /// Whether one of those packages satisfies something.
    fn has(&self, predicate: &Predicate, steps: &mut u64) -> bool {
        if self.places.len() > FEW {
            let found = self.index.candidates(predicate, steps);
            let found = found.as_ref().as_ref().map(Vec::as_slice).unwrap_or_default();
            return found.iter().any(|place| self.places.binary_search(&place.at.package).is_ok());
        }
        self.places.iter().any(|&at| {
            self.index.packages().get(at).is_some_and(|package| {
                (0..package.package.channels.len()).any(|c| self.in_channel(at, package, c, predicate, steps))
            })
        })
    }

    fn in_channel(
        &self,
        package: usize,
        index: &PackageIndex,
        channel: usize,
        predicate: &Predicate,
        steps: &mut u64,
    ) -> bool {
        // Where it has no single chain, that is what is told.
        let Ok(chain) = index.chain(channel) else { return false };
        chain.iter().any(|&bundle| {
            *steps > 0
                && self
                    .index
                    .seen(BundleAt { package, bundle })
                    .is_some_and(|seen| predicate.holds(seen, steps))
        })
    }
}

/// What is asked, with what was answered.
struct Asking<'a> {
    before: Touched<'a>,
    after: Touched<'a>,
    beside: &'a [Source],
    /// By [`Predicate::key`].
    known: HashMap<String, bool>,
    steps: u64,
}

impl Asking<'_> {
    /// Whether something was satisfied, and is not any more.
    fn is_lost(&mut self, predicate: &Predicate) -> bool {
        let key = predicate.key();
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let is_lost = self.before.has(predicate, &mut self.steps)
            && !self.after.has(predicate, &mut self.steps)
            && !self.is_elsewhere(predicate)
            && self.steps > 0;
        self.known.insert(key, is_lost);
        is_lost
    }

    /// Whether what did not change satisfies it: other packages, other catalogs.
    fn is_elsewhere(&mut self, predicate: &Predicate) -> bool {
        let of = |index: &CatalogIndex, steps: &mut u64| index.candidates(predicate, steps);
        let own = of(self.after.index, &mut self.steps);
        let is_there = |candidates: &crate::resolve::index::Candidates| {
            candidates.as_ref().as_ref().map_or(true, |found| !found.is_empty())
        };
        is_there(&own) || self.beside.iter().any(|source| is_there(&of(&source.index, &mut self.steps)))
    }
}
