//! State of a catalog with everything derived from it.

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

/// Results of deferred checks of a package, which take time or need files outside of the catalog.
#[derive(Clone, Debug, Default)]
pub struct Learned {
    /// Verdicts on its upgrade steps, if manifests are available.
    pub safety: Option<Arc<PackageSafety>>,
    /// True if OLM v1 refuses every head of the package anyway, so that its verdicts on steps are
    /// only notes.
    pub is_refused_by_v1: bool,
    /// Finding if the package differs from its template.
    pub template: Option<Diagnostic>,
}

/// Package with its graphs and findings.
#[derive(Debug)]
pub struct Judged {
    /// Graphs of the package.
    pub graph: Arc<PackageGraph>,
    /// Findings; those of deferred checks come last.
    pub findings: Vec<Diagnostic>,
    /// Results of deferred checks, and the number of findings without them.
    learned: Option<(Learned, usize)>,
    /// Unmet requirements. The findings depend on other packages because of these.
    wants: Vec<Want>,
    /// Results of a Subscription to each of its channels. The findings depend on other packages
    /// because of these, too.
    standings: Standings,
}

impl Judged {
    /// Judges a package again after an edit that does not affect its dependencies.
    pub(in crate::review) fn again(
        around: &Surroundings<'_>,
        package: &Arc<Package>,
        before: &Self,
    ) -> Arc<Self> {
        Self::with(around, package, before.standings.clone(), &[])
    }

    /// Judges a package. `more` has the findings from the directories of its bundles.
    fn with(
        around: &Surroundings<'_>,
        package: &Arc<Package>,
        standings: Standings,
        more: &[Diagnostic],
    ) -> Arc<Self> {
        let graph = around.index.graph(package);
        let mut findings = validate::package(around, &graph, &standings);
        findings.extend_from_slice(more);
        // Compute it here, since screens that show the number must not wait.
        graph.stuck();
        let wants = around.wants(&package.name).to_vec();
        Arc::new(Self { graph, findings, learned: None, wants, standings })
    }

    /// Returns the results of a Subscription to each of its channels, if a bundle has requirements.
    pub fn standings(&self) -> &Standings {
        &self.standings
    }

    /// Returns the package with results of deferred checks and the findings from them.
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

    /// Returns the results of deferred checks; `None` until they are done.
    pub fn learned(&self) -> Option<&Learned> {
        self.learned.as_ref().map(|(learned, _)| learned)
    }

    /// Returns the verdicts on its upgrade steps; `None` until the steps are judged.
    pub fn safety(&self) -> Option<&Arc<PackageSafety>> {
        self.learned()?.safety.as_ref()
    }

    /// Returns the number of upgrade steps that were not judged because olmap does not have their
    /// manifests, and the number of all steps.
    pub fn unjudged_steps(&self) -> (usize, usize) {
        let Some(safety) = self.safety() else {
            let all = safety::steps(&self.graph).len();
            return (all, all);
        };
        let missing = safety.not_checked().into_iter().filter(|(reason, _)| !reason.is_failure);
        (missing.map(|(_, steps)| steps).sum(), safety.steps.len())
    }

    /// Returns the findings without those of deferred checks.
    fn own_findings(&self) -> &[Diagnostic] {
        let own = self.learned.as_ref().map_or(self.findings.len(), |(_, own)| *own);
        self.findings.get(..own).unwrap_or_default()
    }

    /// Returns the package.
    pub fn package(&self) -> &Arc<Package> {
        &self.graph.package
    }

    /// Returns the stuck versions; `None` while the catalog is still being loaded.
    pub fn stuck(&self) -> Option<&PackageStuck> {
        self.graph.known_stuck()
    }

    /// Returns the severity of the most severe finding.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(Diagnostic::severity).min()
    }
}

/// Catalog with its findings. States share everything that an edit does not touch, so undo keeps
/// complete snapshots.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The catalog.
    pub catalog: Arc<Catalog>,
    packages: BTreeMap<PackageName, Arc<Judged>>,
    /// Findings without a package.
    outside: Vec<Diagnostic>,
    /// Findings from the directories of bundles, by package. Edits of the catalog do not change
    /// these.
    in_bundles: Arc<BTreeMap<PackageName, Vec<Diagnostic>>>,
    /// Number of findings per severity.
    counts: BTreeMap<Severity, usize>,
    /// Index of the catalog, for lookups.
    index: Arc<CatalogIndex>,
    /// Other open catalogs at the time of the judgment.
    beside: Arc<[Source]>,
}

/// Compares by identity: two snapshots of the same bytes are not equal.
impl PartialEq for Snapshot {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

/// Compares by identity.
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
        // Findings for packages that the catalog does not have.
        let nowhere = in_bundles.iter().filter(|(name, _)| !packages.contains_key(*name));
        outside.extend(nowhere.flat_map(|(_, found)| found.iter().cloned()));
        let mut counts = BTreeMap::new();
        for finding in outside.iter().chain(packages.values().flat_map(|judged| &judged.findings)) {
            *counts.entry(finding.severity()).or_default() += finding.count();
        }
        Self { catalog: Arc::new(catalog), packages, outside, in_bundles, counts, index, beside }
    }

    /// Judges a whole catalog on all cores.
    pub fn new(catalog: Catalog) -> Self {
        Self::with_bundles(catalog, Vec::new())
    }

    /// Judges a whole catalog. `found` has the findings from the directories of its bundles.
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

    /// Judges the catalog again beside other open catalogs, which may provide its dependencies.
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

    /// Returns true if every head is installed without other catalogs, so that these cannot change
    /// the findings.
    pub fn is_met(&self) -> bool {
        self.packages.values().all(|judged| judged.standings.is_met())
    }

    /// Returns the first finding for which opm rejects the catalog, so that OLM cannot serve it.
    /// `None` for a valid catalog.
    pub fn rejected(&self) -> Option<&Diagnostic> {
        self.findings().find(|finding| finding.rule.parity)
    }

    /// Returns the catalog as a source in the global namespace of a cluster, with the reason if OLM
    /// cannot serve it.
    pub fn source(&self, name: &str) -> Source {
        let fault = self.rejected().map(|finding| {
            let place = finding.at.as_ref().and_then(|at| at.place(&self.catalog));
            let place = place.map(|at| format!("{at}: "));
            format!("{}{} ({})", place.unwrap_or_default(), finding.message, finding.rule.id)
        });
        Source { fault, ..Source::new(name, &self.index) }
    }

    /// Returns the index of the catalog, for lookups.
    pub fn index(&self) -> &Arc<CatalogIndex> {
        &self.index
    }

    /// Creates a snapshot of a catalog that is still being loaded. Takes the graphs of unchanged
    /// packages from `before`. There are no findings, since those of a part may not apply to the
    /// whole.
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

    /// Judges the catalog after an edit or an external change. Takes the results for unchanged
    /// packages from this snapshot.
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

    /// Returns the catalog with results of deferred checks; `None` if it does not have any of the
    /// packages.
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

    /// Returns the packages by name.
    pub fn packages(&self) -> impl ExactSizeIterator<Item = (&PackageName, &Arc<Judged>)> {
        self.packages.iter()
    }

    /// Returns a package.
    pub fn package(&self, name: &str) -> Option<&Arc<Judged>> {
        self.packages.get(name)
    }

    /// Returns all findings: those without a package first, then by package.
    pub fn findings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.outside.iter().chain(self.packages.values().flat_map(|p| &p.findings))
    }

    /// Returns the findings without a package.
    pub fn outside(&self) -> &[Diagnostic] {
        &self.outside
    }

    /// Returns the number of findings.
    pub fn total(&self) -> usize {
        self.counts.values().sum()
    }

    /// Returns the number of findings with a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.counts.get(&severity).copied().unwrap_or_default()
    }

    /// Returns the unchanged packages that were judged again because of changes around them, so
    /// that their findings may differ.
    pub(in crate::review) fn judged_again<'a>(
        &'a self,
        before: &'a Self,
    ) -> impl Iterator<Item = (&'a Arc<Judged>, &'a Arc<Judged>)> {
        let both = self.packages.iter().filter_map(|(name, now)| Some((before.packages.get(name)?, now)));
        both.filter(|(was, now)| !Arc::ptr_eq(was, now) && Arc::ptr_eq(was.package(), now.package()))
    }

    /// Returns the packages that differ between two states.
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
