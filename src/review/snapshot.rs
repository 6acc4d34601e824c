//! A state of a catalog with everything derived from it.

use std::{collections::BTreeMap, sync::Arc};

use rayon::prelude::*;

use crate::{
    catalog::{Catalog, PackageName, package::Package},
    resolve::{CatalogIndex, Source, Standings, Touched},
    upgrade::{
        PackageGraph,
        apis::Want,
        safety::{self, PackageSafety},
        stuck::PackageStuck,
    },
    validate::{self, Diagnostic, Severity, Surroundings, steps},
};

/// What is found out of a package later, for it takes time, or files beside the catalog.
#[derive(Clone, Debug, Default)]
pub struct Learned {
    /// What is known of its upgrade steps, where manifests are in sight.
    pub safety: Option<Arc<PackageSafety>>,
    /// True if OLM v1 refuses every head of the package anyway, so that what it says of a step is a note.
    pub is_refused_by_v1: bool,
    /// That it is not what its template makes.
    pub template: Option<Diagnostic>,
}

/// A package with its graphs and findings.
#[derive(Debug)]
pub struct Judged {
    /// The package's graphs.
    pub graph: Arc<PackageGraph>,
    /// Its findings; what is found out later comes last.
    pub findings: Vec<Diagnostic>,
    /// What was found out later, and how many findings do not come from that.
    learned: Option<(Learned, usize)>,
    /// What it requires of others, where they do not provide it: by that its findings depend on other packages.
    wants: Vec<Want>,
    /// What those get who subscribe to one of its channels: by that, too.
    standings: Standings,
}

impl Judged {
    /// A package as it is judged after an edit that nothing of its dependencies follows from.
    pub(in crate::review) fn again(
        around: &Surroundings<'_>,
        package: &Arc<Package>,
        before: &Self,
    ) -> Arc<Self> {
        Self::with(around, package, before.standings.clone(), &[])
    }

    /// The same, with what was found in the directories of its bundles.
    fn with(
        around: &Surroundings<'_>,
        package: &Arc<Package>,
        standings: Standings,
        more: &[Diagnostic],
    ) -> Arc<Self> {
        let graph = around.index.graph(package);
        let mut findings = validate::package(around, &graph, &standings);
        findings.extend_from_slice(more);
        // Screens that show the number must not wait for it.
        graph.stuck();
        let wants = around.wants(&package.name).to_vec();
        Arc::new(Self { graph, findings, learned: None, wants, standings })
    }

    /// What those get who subscribe to one of its channels, where somebody requires something.
    pub fn standings(&self) -> &Standings {
        &self.standings
    }

    /// The same package with what was found out later, and what rules say of that.
    #[must_use]
    pub fn with_learned(&self, learned: Learned) -> Arc<Self> {
        let own = self.own_findings();
        let mut findings = own.to_vec();
        let steps = learned
            .safety
            .as_ref()
            .map(|safety| steps::findings(self.package(), safety, learned.is_refused_by_v1));
        findings.extend(steps.into_iter().flatten().chain(learned.template.clone()));
        let learned = Some((learned, own.len()));
        let (graph, wants, standings) = (Arc::clone(&self.graph), self.wants.clone(), self.standings.clone());
        Arc::new(Self { graph, findings, learned, wants, standings })
    }

    /// What was found out later; `None` until it is.
    pub fn learned(&self) -> Option<&Learned> {
        self.learned.as_ref().map(|(learned, _)| learned)
    }

    /// What is known of its upgrade steps; `None` until they are judged.
    pub fn safety(&self) -> Option<&Arc<PackageSafety>> {
        self.learned()?.safety.as_ref()
    }

    /// Returns the number of upgrade steps that were not judged because their manifests were not given to olmap, and of all
    /// steps.
    pub fn unjudged_steps(&self) -> (usize, usize) {
        let Some(safety) = self.safety() else {
            let all = safety::steps(&self.graph).len();
            return (all, all);
        };
        let missing = safety.not_checked().into_iter().filter(|(reason, _)| !reason.is_failure);
        (missing.map(|(_, steps)| steps).sum(), safety.steps.len())
    }

    /// The findings that were there at once.
    fn own_findings(&self) -> &[Diagnostic] {
        let own = self.learned.as_ref().map_or(self.findings.len(), |(_, own)| *own);
        self.findings.get(..own).unwrap_or_default()
    }

    /// The package.
    pub fn package(&self) -> &Arc<Package> {
        &self.graph.package
    }

    /// Returns the stuck versions. `None` while the catalog is still being read.
    pub fn stuck(&self) -> Option<&PackageStuck> {
        self.graph.known_stuck()
    }

    /// How bad the worst finding is.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(Diagnostic::severity).min()
    }
}

/// A catalog, judged. Cheap to keep: states share whatever an edit did not touch, so undo keeps whole snapshots.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The catalog.
    pub catalog: Arc<Catalog>,
    packages: BTreeMap<PackageName, Arc<Judged>>,
    /// Findings that belong to no package.
    outside: Vec<Diagnostic>,
    /// What was found in the directories of bundles, by package: no edit of a catalog changes those.
    in_bundles: Arc<BTreeMap<PackageName, Vec<Diagnostic>>>,
    /// How many findings there are, by severity.
    counts: BTreeMap<Severity, usize>,
    /// The catalog as it is looked up in.
    index: Arc<CatalogIndex>,
    /// The other catalogs that are open, as they were when this one was judged.
    beside: Arc<[Source]>,
}

/// A state equals only itself: two that were made from the same bytes are two.
impl PartialEq for Snapshot {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

/// A judged package equals only itself.
impl PartialEq for Judged {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Snapshot {
    fn of(
        catalog: Catalog,
        packages: BTreeMap<PackageName, Arc<Judged>>,
        in_bundles: Arc<BTreeMap<PackageName, Vec<Diagnostic>>>,
        (index, beside): (Arc<CatalogIndex>, Arc<[Source]>),
    ) -> Self {
        let mut outside = validate::outside_packages(&catalog);
        // What is in no package of the catalog has no other place.
        let nowhere = in_bundles.iter().filter(|(name, _)| !packages.contains_key(*name));
        outside.extend(nowhere.flat_map(|(_, found)| found.iter().cloned()));
        let mut counts = BTreeMap::new();
        for finding in outside.iter().chain(packages.values().flat_map(|judged| &judged.findings)) {
            *counts.entry(finding.severity()).or_default() += finding.count();
        }
        Self { catalog: Arc::new(catalog), packages, outside, in_bundles, counts, index, beside }
    }

    /// Judges a whole catalog, on all cores.
    pub fn new(catalog: Catalog) -> Self {
        Self::with_bundles(catalog, Vec::new())
    }

    /// The same, with what was found in the directories of its bundles.
    pub fn with_bundles(catalog: Catalog, found: Vec<Diagnostic>) -> Self {
        let mut in_bundles: BTreeMap<PackageName, Vec<Diagnostic>> = BTreeMap::new();
        for finding in found {
            in_bundles.entry(finding.package.clone().unwrap_or_default()).or_default().push(finding);
        }
        let around = Surroundings::of(&catalog);
        let packages = catalog
            .packages_by_name()
            .par_iter()
            .map(|(name, package)| {
                let more = in_bundles.get(name).map(Vec::as_slice).unwrap_or_default();
                (name.clone(), Judged::with(&around, package, around.standings(name), more))
            })
            .collect();
        let index = Arc::clone(&around.index);
        Self::of(catalog, packages, Arc::new(in_bundles), (index, Arc::default()))
    }

    /// The same beside other catalogs that are open: what a package needs may be in one of those.
    #[must_use]
    pub fn beside(&self, others: Vec<Source>) -> Self {
        let beside: Arc<[Source]> = others.into();
        let around = Surroundings::with(&self.catalog, Arc::clone(&self.index), &beside);
        let judged = |(name, known): (&PackageName, &Arc<Judged>)| {
            if known.standings.is_met() {
                return (name.clone(), Arc::clone(known));
            }
            let more = self.in_bundles.get(name).map(Vec::as_slice).unwrap_or_default();
            let now = Judged::with(&around, known.package(), around.standings(name), more);
            let steps = known.learned().map(|learned| now.with_learned(learned.clone()));
            (name.clone(), steps.unwrap_or(now))
        };
        let packages = self.packages.par_iter().map(judged).collect();
        let state = (Arc::clone(&self.index), Arc::clone(&beside));
        Self::of(Catalog::clone(&self.catalog), packages, Arc::clone(&self.in_bundles), state)
    }

    /// Whether another catalog beside this one may change what is said of it.
    pub fn is_met(&self) -> bool {
        self.packages.values().all(|judged| judged.standings.is_met())
    }

    /// The first finding for which opm rejects the catalog, so that OLM cannot serve it; `None` for a good one.
    pub fn rejected(&self) -> Option<&Diagnostic> {
        self.findings().find(|finding| finding.rule.parity)
    }

    /// The catalog on a cluster, in the global namespace, with why OLM cannot serve it where it cannot.
    pub fn source(&self, name: &str) -> Source {
        let fault = self.rejected().map(|finding| {
            let place = finding.at.as_ref().and_then(|at| at.place(&self.catalog));
            let place = place.map(|at| format!("{at}: "));
            format!("{}{} ({})", place.unwrap_or_default(), finding.message, finding.rule.id)
        });
        Source { fault, ..Source::new(name, &self.index) }
    }

    /// The catalog as it is looked up in.
    pub fn index(&self) -> &Arc<CatalogIndex> {
        &self.index
    }

    /// A catalog that is still being read, with the graphs of what is there, and those that are known of it from `before`.
    /// There are no findings: what is right of a part may be wrong of the whole.
    #[must_use]
    pub fn growing(before: Option<&Self>, catalog: Catalog) -> Self {
        let known = |name: &PackageName, package: &Arc<Package>| {
            before?.packages.get(name).filter(|judged| Arc::ptr_eq(judged.package(), package)).cloned()
        };
        let judged = |package| {
            Arc::new(Judged {
                graph: Arc::new(PackageGraph::new(package)),
                findings: Vec::new(),
                learned: None,
                wants: Vec::new(),
                standings: Standings::default(),
            })
        };
        let packages = catalog.packages_by_name().par_iter();
        let packages = packages
            .map(|(name, package)| (name.clone(), known(name, package).unwrap_or_else(|| judged(package))))
            .collect();
        let (outside, counts) = (Vec::new(), BTreeMap::new());
        let index = before.map(|before| before.index.after(&catalog));
        let index = Arc::new(index.unwrap_or_else(|| CatalogIndex::new(&catalog)));
        let (in_bundles, beside) = (Arc::default(), Arc::default());
        Self { catalog: Arc::new(catalog), packages, outside, in_bundles, counts, index, beside }
    }

    /// Judges the catalog an edit or another program led to, keeping what is known of packages it did not touch.
    #[must_use]
    pub fn after(&self, catalog: Catalog) -> Self {
        let same_surroundings = validate::same_surroundings(&self.catalog, &catalog);
        let beside = Arc::clone(&self.beside);
        let around = Surroundings::with(&catalog, Arc::new(self.index.after(&catalog)), &beside);
        let touched = Touched::between(&self.catalog, &catalog);
        let packages = catalog
            .packages_by_name()
            .par_iter()
            .map(|(name, package)| {
                let known = self.packages.get(name).filter(|judged| Arc::ptr_eq(judged.package(), package));
                let unmoved = known.filter(|known| !known.standings.may_change(&touched));
                let standings = match unmoved {
                    Some(known) => known.standings.clone(),
                    None => around.standings(name),
                };
                let known = known.filter(|known| {
                    same_surroundings && known.wants == around.wants(name) && known.standings == standings
                });
                let more = self.in_bundles.get(name).map(Vec::as_slice).unwrap_or_default();
                let judged = || Judged::with(&around, package, standings, more);
                (name.clone(), known.cloned().unwrap_or_else(judged))
            })
            .collect();
        let index = Arc::clone(&around.index);
        Self::of(catalog, packages, Arc::clone(&self.in_bundles), (index, Arc::clone(&beside)))
    }

    /// The same catalog with what was found out later of packages that it has; `None` where it has none of them.
    pub fn with_learned(&self, judged: &[(Arc<Judged>, Arc<Judged>)]) -> Option<Self> {
        let mut after: Option<Self> = None;
        for (was, now) in judged {
            let name = &was.package().name;
            if self.packages.get(name).is_some_and(|own| Arc::ptr_eq(own, was)) {
                let after = after.get_or_insert_with(|| self.clone());
                after.count_less(&was.findings);
                after.count_more(&now.findings);
                after.packages.insert(name.clone(), Arc::clone(now));
            }
        }
        after
    }

    fn count_more(&mut self, findings: &[Diagnostic]) {
        for finding in findings {
            *self.counts.entry(finding.severity()).or_default() += finding.count();
        }
    }

    fn count_less(&mut self, findings: &[Diagnostic]) {
        for finding in findings {
            if let Some(count) = self.counts.get_mut(&finding.severity()) {
                *count = count.saturating_sub(finding.count());
            }
        }
    }

    /// The packages by name.
    pub fn packages(&self) -> impl ExactSizeIterator<Item = (&PackageName, &Arc<Judged>)> {
        self.packages.iter()
    }

    /// One package.
    pub fn package(&self, name: &str) -> Option<&Arc<Judged>> {
        self.packages.get(name)
    }

    /// All findings: those outside packages first, then package by package.
    pub fn findings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.outside.iter().chain(self.packages.values().flat_map(|p| &p.findings))
    }

    /// Findings that belong to no package.
    pub fn outside(&self) -> &[Diagnostic] {
        &self.outside
    }

    /// How many findings there are.
    pub fn total(&self) -> usize {
        self.counts.values().sum()
    }

    /// How many findings of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.counts.get(&severity).copied().unwrap_or_default()
    }

    /// The packages that are the same in two states and were judged again, for what is around them is not: their findings may
    /// differ.
    pub(in crate::review) fn judged_again<'a>(
        &'a self,
        before: &'a Self,
    ) -> impl Iterator<Item = (&'a Arc<Judged>, &'a Arc<Judged>)> {
        let both = self.packages.iter().filter_map(|(name, now)| Some((before.packages.get(name)?, now)));
        both.filter(|(was, now)| !Arc::ptr_eq(was, now) && Arc::ptr_eq(was.package(), now.package()))
    }

    /// The packages that differ between two states.
    pub fn touched<'a>(&'a self, before: &'a Self) -> Vec<&'a PackageName> {
        let mut names: Vec<&PackageName> = self
            .packages
            .iter()
            .filter(|(name, judged)| {
                !before.packages.get(*name).is_some_and(|b| Arc::ptr_eq(b.package(), judged.package()))
            })
            .map(|(name, _)| name)
            .chain(before.packages.keys().filter(|name| !self.packages.contains_key(*name)))
            .collect();
        names.sort();
        names
    }
}
