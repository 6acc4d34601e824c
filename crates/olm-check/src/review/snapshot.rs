//! State of a catalog with everything derived from it.

use std::{
    cmp::Ordering,
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use itertools::Itertools;
use rayon::prelude::*;

use super::findings::FindingList;
use crate::{CatalogContext, Finding, Rule, Severity, bundles, rules, steps};
use olm_catalog::{Catalog, PackageName, package::Package};
use olm_upgrade::{
    Engine, PackageGraph,
    apis::UnmetRequirement,
    cluster::ServingState,
    resolve::{CatalogIndex, ChangedPackages, PackageResolution, Source},
    safety::{self, PackageSafety},
    stuck::StuckReport,
};

/// Results of deferred checks of a package, which take time or need files outside of the catalog.
#[derive(Clone, Debug, Default)]
pub struct DeferredChecks {
    /// Verdicts on its upgrade steps, if manifests are available.
    pub safety: Option<Arc<PackageSafety>>,
    /// True if OLM v1 refuses every head of the package anyway, so that its verdicts on steps are
    /// only notes.
    pub is_refused_by_v1: bool,
    /// Finding if the package differs from its template.
    pub template: Option<Finding>,
}

/// Package with its graphs and findings.
#[derive(Debug)]
pub struct PackageState {
    /// Graphs of the package.
    pub graph: Arc<PackageGraph>,
    /// Findings; those of deferred checks come last.
    pub findings: Vec<Finding>,
    /// Results of deferred checks, and the number of findings without them.
    deferred: Option<(DeferredChecks, usize)>,
    /// Unmet requirements. If they change, the findings change, even without an edit of the
    /// package.
    unmet: Vec<UnmetRequirement>,
    /// Results of a Subscription to each of its channels. These also depend on other packages.
    resolution: PackageResolution,
}

impl PackageState {
    /// Checks a package again after an edit that does not affect its dependencies: keeps the
    /// results of Subscriptions.
    pub(in crate::review) fn judge_again(
        around: &CatalogContext<'_>,
        package: &Arc<Package>,
        before: &Self,
    ) -> Arc<Self> {
        Self::judge_package(around, package, before.resolution.clone(), &[])
    }

    /// Checks a package. Adds `more`, the findings from the directories of its bundles.
    fn judge_package(
        around: &CatalogContext<'_>,
        package: &Arc<Package>,
        standings: PackageResolution,
        more: &[Finding],
    ) -> Arc<Self> {
        let graph = around.index.graph(package);
        let mut findings = crate::check_package(around, &graph, &standings);
        bundles::add_bundle_findings(package, &mut findings, more);
        // Computes and caches the stuck versions, since screens that show their number must not
        // wait.
        graph.stuck();
        let wants = around.requirements_of(&package.name).to_vec();
        Arc::new(Self { graph, findings, deferred: None, unmet: wants, resolution: standings })
    }

    /// Returns the results of a Subscription to each of its channels; empty if no bundle has
    /// requirements.
    pub fn resolution(&self) -> &PackageResolution {
        &self.resolution
    }

    /// Returns the package with results of deferred checks and the findings from them.
    #[must_use]
    pub fn with_deferred_checks(&self, learned: DeferredChecks) -> Arc<Self> {
        let own = self.own_findings();
        let mut findings = own.to_vec();
        let steps = learned
            .safety
            .as_ref()
            .map(|safety| steps::check_steps(self.package(), safety, learned.is_refused_by_v1));
        findings.extend(steps.into_iter().flatten().chain(learned.template.clone()));
        let learned = Some((learned, own.len()));
        let (graph, wants, standings) =
            (Arc::clone(&self.graph), self.unmet.clone(), self.resolution.clone());
        Arc::new(Self { graph, findings, deferred: learned, unmet: wants, resolution: standings })
    }

    /// Returns the results of deferred checks; `None` until they are done.
    pub fn deferred_checks(&self) -> Option<&DeferredChecks> {
        self.deferred.as_ref().map(|(learned, _)| learned)
    }

    /// Returns the verdicts on its upgrade steps; `None` until the deferred checks are done.
    pub fn safety(&self) -> Option<&Arc<PackageSafety>> {
        self.deferred_checks()?.safety.as_ref()
    }

    /// Returns the number of upgrade steps without a verdict, because olmap does not have their
    /// manifests, and the number of all steps.
    pub fn unjudged_steps(&self) -> (usize, usize) {
        let Some(safety) = self.safety() else {
            let all = safety::find_steps(&self.graph).len();
            return (all, all);
        };
        let missing = safety.not_checked().into_iter().filter(|(reason, _)| !reason.is_failure);
        (missing.map(|(_, steps)| steps).sum(), safety.steps.len())
    }

    /// Returns true if at least one upgrade step may have no verdict. Unlike [`Self::unjudged_steps`], does not search
    /// the steps of an unchecked package, and takes each entry with an edge for one.
    pub fn has_unjudged_steps(&self) -> bool {
        if self.safety().is_some() {
            return self.unjudged_steps().0 > 0;
        }
        let mut entries = self.package().channels.iter().flat_map(|channel| &channel.entries);
        entries.any(|entry| entry.replaces.is_some() || !entry.skips.is_empty() || entry.skip_range.is_some())
    }

    /// Returns the findings without those of deferred checks.
    fn own_findings(&self) -> &[Finding] {
        let own = self.deferred.as_ref().map_or(self.findings.len(), |(_, own)| *own);
        self.findings.get(..own).unwrap_or_default()
    }

    /// Returns the package.
    pub fn package(&self) -> &Arc<Package> {
        &self.graph.package
    }

    /// Returns the stuck versions; `None` while the catalog is still being loaded.
    pub fn stuck(&self) -> Option<&StuckReport> {
        self.graph.stuck_if_computed()
    }

    /// Returns the findings of a package; none if there is no package.
    pub(in crate::review) fn finding_list<'a>(
        catalog: &'a Catalog,
        package: Option<&'a Self>,
    ) -> FindingList<'a> {
        FindingList { catalog, findings: package.map(|state| state.findings.as_slice()).unwrap_or_default() }
    }

    /// Returns the severity of the most severe finding.
    pub fn worst_severity(&self) -> Option<Severity> {
        self.findings.iter().map(Finding::severity).min()
    }
}

/// Catalog with its findings. Snapshots share everything that an edit does not touch, so that undo
/// can keep complete snapshots. A clone shares everything.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The catalog.
    pub catalog: Arc<Catalog>,
    packages: Arc<BTreeMap<PackageName, Arc<PackageState>>>,
    /// Findings without a package.
    outside: Arc<[Finding]>,
    /// True if it is known that no two names of packages look alike.
    has_distinct_names: bool,
    /// Number of findings per severity.
    counts: BTreeMap<Severity, usize>,
    /// Index of the catalog, for lookups.
    index: Arc<CatalogIndex>,
    /// Parts that a cluster with OLM v1 does not serve, determined on first use.
    serving: Arc<OnceLock<ServingState>>,
    /// Numbers of stuck versions, counted on first use.
    stuck_sum: Arc<OnceLock<StuckSum>>,
    inputs: CheckInputs,
}

/// Numbers of stuck versions of a catalog.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StuckSum {
    /// Versions that are stuck on OLM Classic.
    pub classic: usize,
    /// Versions that are stuck on OLM v1.
    pub v1: usize,
    /// Versions that are stuck on at least one engine.
    pub any: usize,
    /// Packages whose stuck versions are unknown.
    pub unknown_packages: usize,
}

impl StuckSum {
    fn add_report(&mut self, report: &StuckReport) {
        self.classic += report.count_stuck(Engine::Classic);
        self.v1 += report.count_stuck(Engine::V1);
        self.any += report.count_any();
        self.unknown_packages += usize::from(report.answer.is_none());
    }
}

/// Inputs of the checks other than the catalog. Edits do not change them.
#[derive(Clone, Debug, Default)]
struct CheckInputs {
    /// Findings from the directories of bundles, by package.
    in_bundles: Arc<BTreeMap<PackageName, Vec<Finding>>>,
    /// Other open catalogs at the time of the checks.
    other_catalogs: Arc<[Source]>,
    /// Rules of the caller.
    own_rules: Arc<[&'static Rule]>,
    /// Catalogs that the rules about consoles compare with this one; `None` unless these rules are requested.
    compared_catalogs: Option<Arc<[Source]>>,
    /// True for only the rules for which opm rejects a catalog.
    only_rejecting: bool,
}

impl CheckInputs {
    /// Returns the findings from the directories of the bundles of a package.
    fn bundle_findings(&self, package: &PackageName) -> &[Finding] {
        self.in_bundles.get(package).map(Vec::as_slice).unwrap_or_default()
    }

    fn context<'a>(&'a self, catalog: &'a Catalog, index: Arc<CatalogIndex>) -> CatalogContext<'a> {
        CatalogContext::with_index(catalog, index, &self.other_catalogs)
            .with_own_rules(&self.own_rules)
            .with_compared_catalogs(self.compared_catalogs.as_deref())
    }
}

/// Compares by identity: two snapshots of the same content are not equal.
impl PartialEq for Snapshot {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

/// Compares by identity.
impl PartialEq for PackageState {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Snapshot {
    fn from_parts(
        catalog: Catalog,
        packages: BTreeMap<PackageName, Arc<PackageState>>,
        index: Arc<CatalogIndex>,
        inputs: CheckInputs,
        has_distinct_names: bool,
    ) -> Self {
        let mut outside = if inputs.only_rejecting || has_distinct_names {
            crate::check_outside_packages_except_names(&catalog)
        } else {
            crate::check_outside_packages(&catalog)
        };
        let is_about_names = |finding: &Finding| *finding.rule == rules::LOOK_ALIKE_NAMES;
        let has_distinct_names =
            has_distinct_names || (!inputs.only_rejecting && !outside.iter().any(is_about_names));
        // Findings for packages that the catalog does not have.
        let nowhere = inputs.in_bundles.iter().filter(|(name, _)| !packages.contains_key(*name));
        outside.extend(nowhere.flat_map(|(_, found)| found.iter().cloned()));
        let mut counts = BTreeMap::new();
        for finding in outside.iter().chain(packages.values().flat_map(|judged| &judged.findings)) {
            *counts.entry(finding.severity()).or_default() += finding.finding_count();
        }
        Self {
            catalog: Arc::new(catalog),
            packages: Arc::new(packages),
            outside: outside.into(),
            has_distinct_names,
            counts,
            index,
            serving: Arc::default(),
            stuck_sum: Arc::default(),
            inputs,
        }
    }

    /// Returns the same catalog with other states of its packages.
    fn with_packages(&self, packages: BTreeMap<PackageName, Arc<PackageState>>, inputs: CheckInputs) -> Self {
        let (catalog, index) = (Catalog::clone(&self.catalog), Arc::clone(&self.index));
        Self::from_parts(catalog, packages, index, inputs, self.has_distinct_names)
    }

    /// Checks a whole catalog on all cores.
    pub fn new(catalog: Catalog) -> Self {
        Self::with_bundle_findings(catalog, Vec::new())
    }

    /// Checks a whole catalog. Adds `found`, the findings from the directories of its bundles.
    pub fn with_bundle_findings(catalog: Catalog, found: Vec<Finding>) -> Self {
        let mut in_bundles: BTreeMap<PackageName, Vec<Finding>> = BTreeMap::new();
        for finding in found {
            in_bundles.entry(finding.package.clone().unwrap_or_default()).or_default().push(finding);
        }
        Self::with_inputs(catalog, CheckInputs { in_bundles: Arc::new(in_bundles), ..CheckInputs::default() })
    }

    /// Checks a whole catalog only with the rules for which opm rejects it, and lists what could not be read. This is
    /// faster: it needs neither results of Subscriptions nor stuck versions, so none are in the snapshot.
    pub fn with_rejecting_rules(catalog: Catalog) -> Self {
        let index = Arc::new(CatalogIndex::new(&catalog));
        let inputs = CheckInputs { only_rejecting: true, ..CheckInputs::default() };
        let around = inputs.context(&catalog, Arc::clone(&index));
        let judged = |(name, package): (&PackageName, &Arc<Package>)| {
            let graph = around.index.graph(package);
            let resolution = PackageResolution::default();
            let findings = crate::check_package_for_opm(&around, &graph);
            let state = PackageState { graph, findings, deferred: None, unmet: Vec::new(), resolution };
            (name.clone(), Arc::new(state))
        };
        let packages = catalog.packages_by_name().par_iter().map(judged).collect();
        drop(around);
        Self::from_parts(catalog, packages, index, inputs, false)
    }

    /// Returns the findings of all rules about a package, also if the snapshot has only those of some rules.
    pub(in crate::review) fn all_findings(&self, package: &PackageState) -> Vec<Finding> {
        if !self.inputs.only_rejecting {
            return package.own_findings().to_vec();
        }
        let around = self.inputs.context(&self.catalog, Arc::clone(&self.index));
        crate::check_package(&around, &package.graph, &around.resolve_package(&package.package().name))
    }

    /// Checks a whole catalog, also with rules of the caller.
    pub(crate) fn with_own_rules(catalog: Catalog, own_rules: Arc<[&'static Rule]>) -> Self {
        Self::with_inputs(catalog, CheckInputs { own_rules, ..CheckInputs::default() })
    }

    fn with_inputs(catalog: Catalog, inputs: CheckInputs) -> Self {
        let index = Arc::new(CatalogIndex::new(&catalog));
        let around = inputs.context(&catalog, Arc::clone(&index));
        let judged = |(name, package): (&PackageName, &Arc<Package>)| {
            let (standings, more) = (around.resolve_package(name), inputs.bundle_findings(name));
            (name.clone(), PackageState::judge_package(&around, package, standings, more))
        };
        let packages = catalog.packages_by_name().par_iter().map(judged).collect();
        drop(around);
        Self::from_parts(catalog, packages, index, inputs, false)
    }

    /// Checks the catalog again together with other open catalogs, which may provide its
    /// dependencies. Skips packages whose heads are installed without them.
    #[must_use]
    pub fn with_other_catalogs(&self, others: Vec<Source>) -> Self {
        let inputs = CheckInputs { other_catalogs: others.into(), ..self.inputs.clone() };
        let around = inputs.context(&self.catalog, Arc::clone(&self.index));
        let judged = |(name, known): (&PackageName, &Arc<PackageState>)| {
            if known.resolution.is_resolved() {
                return (name.clone(), Arc::clone(known));
            }
            let more = inputs.bundle_findings(name);
            let now =
                PackageState::judge_package(&around, known.package(), around.resolve_package(name), more);
            let steps = known.deferred_checks().map(|learned| now.with_deferred_checks(learned.clone()));
            (name.clone(), steps.unwrap_or(now))
        };
        let packages = self.packages.par_iter().map(judged).collect();
        drop(around);
        self.with_packages(packages, inputs)
    }

    /// Checks the catalog again, also with the rules about consoles. Some of them compare the catalog with others,
    /// which have the names that messages use.
    #[must_use]
    pub fn with_console_rules(&self, compared: Vec<Source>) -> Self {
        let inputs = CheckInputs { compared_catalogs: Some(compared.into()), ..self.inputs.clone() };
        let around = inputs.context(&self.catalog, Arc::clone(&self.index));
        let judged = |(name, known): (&PackageName, &Arc<PackageState>)| {
            let more = inputs.bundle_findings(name);
            let now = PackageState::judge_package(&around, known.package(), known.resolution.clone(), more);
            let steps = known.deferred_checks().map(|learned| now.with_deferred_checks(learned.clone()));
            (name.clone(), steps.unwrap_or(now))
        };
        let packages = self.packages.par_iter().map(judged).collect();
        drop(around);
        self.with_packages(packages, inputs)
    }

    /// Returns true if every head is installed without other catalogs, so that these cannot change
    /// the findings.
    pub fn is_independent(&self) -> bool {
        self.packages.values().all(|judged| judged.resolution.is_resolved())
    }

    /// Returns the first finding for which opm rejects the catalog, so that OLM cannot serve it.
    /// `None` for a valid catalog.
    pub fn first_rejection(&self) -> Option<&Finding> {
        self.findings().find(|finding| finding.rule.parity)
    }

    /// Returns the catalog as a source in the global namespace of a cluster, with the reason if OLM
    /// cannot serve it.
    pub fn to_source(&self, name: &str) -> Source {
        let fault = self.first_rejection().map(|finding| {
            let place = finding.at.as_ref().and_then(|at| at.resolve_in_catalog(&self.catalog));
            let place = place.map(|at| format!("{at}: "));
            format!("{}{} ({})", place.unwrap_or_default(), finding.message, finding.rule.id)
        });
        Source { fault, ..Source::new(name, &self.index) }
    }

    /// Returns the index of the catalog, for lookups.
    pub fn index(&self) -> &Arc<CatalogIndex> {
        &self.index
    }

    /// Returns the parts that a cluster with OLM v1 does not serve.
    pub fn serving(&self) -> &ServingState {
        self.serving.get_or_init(|| ServingState::from_catalog(&self.catalog))
    }

    /// Creates a snapshot of a catalog that is still being loaded. Takes the graphs of unchanged
    /// packages from `before`. There are no findings, since those of a part may not apply to the
    /// whole.
    #[must_use]
    pub fn from_partial(before: Option<&Self>, catalog: Catalog) -> Self {
        let known = |name: &PackageName, package: &Arc<Package>| {
            before?.packages.get(name).filter(|judged| Arc::ptr_eq(judged.package(), package)).cloned()
        };
        let judged = |package| {
            Arc::new(PackageState {
                graph: Arc::new(PackageGraph::new(package)),
                findings: Vec::new(),
                deferred: None,
                unmet: Vec::new(),
                resolution: PackageResolution::default(),
            })
        };
        let packages = catalog.packages_by_name().par_iter();
        let packages = packages
            .map(|(name, package)| (name.clone(), known(name, package).unwrap_or_else(|| judged(package))))
            .collect();
        let (outside, counts) = (Arc::default(), BTreeMap::new());
        let index = before.map(|before| before.index.updated_for(&catalog));
        let index = Arc::new(index.unwrap_or_else(|| CatalogIndex::new(&catalog)));
        let inputs = CheckInputs::default();
        let (catalog, packages) = (Arc::new(catalog), Arc::new(packages));
        Self {
            catalog,
            packages,
            outside,
            has_distinct_names: false,
            counts,
            index,
            serving: Arc::default(),
            stuck_sum: Arc::default(),
            inputs,
        }
    }

    /// Checks the catalog after an edit or an external change. Takes the results for unchanged
    /// packages from this snapshot.
    #[must_use]
    pub fn after_change(&self, catalog: Catalog) -> Self {
        let same_surroundings = crate::has_same_context(&self.catalog, &catalog);
        let around = self.inputs.context(&catalog, Arc::new(self.index.updated_for(&catalog)));
        let touched = ChangedPackages::from_catalogs(&self.catalog, &catalog);
        let packages = catalog
            .packages_by_name()
            .par_iter()
            .map(|(name, package)| {
                let known = self.packages.get(name).filter(|judged| Arc::ptr_eq(judged.package(), package));
                let unmoved = known.filter(|known| !known.resolution.may_change(&touched));
                let standings = match unmoved {
                    Some(known) => known.resolution.clone(),
                    None => around.resolve_package(name),
                };
                let known = known.filter(|known| {
                    same_surroundings
                        && known.unmet == around.requirements_of(name)
                        && known.resolution == standings
                });
                let more = self.inputs.bundle_findings(name);
                let judged = || PackageState::judge_package(&around, package, standings, more);
                (name.clone(), known.cloned().unwrap_or_else(judged))
            })
            .collect();
        let index = Arc::clone(&around.index);
        drop(around);
        let has_distinct_names = self.has_distinct_names && !touched.has_other_names;
        drop(touched);
        Self::from_parts(catalog, packages, index, self.inputs.clone(), has_distinct_names)
    }

    /// Replaces packages by their states with results of deferred checks. The argument has pairs of
    /// the state without and the state with these results. `None` if the snapshot does not contain
    /// any of the former.
    pub fn with_deferred_checks(&self, judged: &[(Arc<PackageState>, Arc<PackageState>)]) -> Option<Self> {
        let mut after: Option<Self> = None;
        for (was, now) in judged {
            let name = &was.package().name;
            if self.packages.get(name).is_some_and(|own| Arc::ptr_eq(own, was)) {
                let after = after.get_or_insert_with(|| self.clone());
                after.subtract_counts(&was.findings);
                after.add_counts(&now.findings);
                Arc::make_mut(&mut after.packages).insert(name.clone(), Arc::clone(now));
            }
        }
        after
    }

    fn add_counts(&mut self, findings: &[Finding]) {
        for finding in findings {
            *self.counts.entry(finding.severity()).or_default() += finding.finding_count();
        }
    }

    fn subtract_counts(&mut self, findings: &[Finding]) {
        for finding in findings {
            if let Some(count) = self.counts.get_mut(&finding.severity()) {
                *count = count.saturating_sub(finding.finding_count());
            }
        }
    }

    /// Returns the numbers of stuck versions. `None` while the catalog is still being loaded.
    pub fn stuck_sum(&self) -> Option<StuckSum> {
        if let Some(known) = self.stuck_sum.get() {
            return Some(*known);
        }
        let mut sum = StuckSum::default();
        // Objects without a package are not a package.
        for (_, package_state) in self.packages().filter(|(name, _)| !name.as_str().is_empty()) {
            sum.add_report(package_state.stuck()?);
        }
        Some(*self.stuck_sum.get_or_init(|| sum))
    }

    /// Returns the packages by name.
    pub fn packages(&self) -> impl ExactSizeIterator<Item = (&PackageName, &Arc<PackageState>)> {
        self.packages.iter()
    }

    /// Returns a package.
    pub fn package(&self, name: &str) -> Option<&Arc<PackageState>> {
        self.packages.get(name)
    }

    /// Returns all findings: those without a package first, then by package.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.outside.iter().chain(self.packages.values().flat_map(|p| &p.findings))
    }

    /// Returns the findings without a package.
    pub fn outside_findings(&self) -> &[Finding] {
        &self.outside
    }

    pub(in crate::review) fn outside_list(&self) -> FindingList<'_> {
        FindingList { catalog: &self.catalog, findings: &self.outside }
    }

    /// Returns the number of findings.
    pub fn count_findings(&self) -> usize {
        self.counts.values().sum()
    }

    /// Returns the number of findings with a severity.
    pub fn count_by_severity(&self, severity: Severity) -> usize {
        self.counts.get(&severity).copied().unwrap_or_default()
    }

    /// Returns the old and new state of each unchanged package that was checked again because of
    /// changes in other packages. Its findings may differ.
    pub(in crate::review) fn rejudged_packages<'a>(
        &'a self,
        before: &'a Self,
    ) -> impl Iterator<Item = (&'a Arc<PackageState>, &'a Arc<PackageState>)> {
        let compare = |a: &(&PackageName, &Arc<PackageState>), b: &(&PackageName, &Arc<PackageState>)| {
            if Arc::ptr_eq(a.1, b.1) { Ordering::Equal } else { a.0.cmp(b.0) }
        };
        let pairs = before.packages.iter().merge_join_by(self.packages.iter(), compare);
        let both = pairs.filter_map(|pair| pair.both().map(|((_, was), (_, now))| (was, now)));
        both.filter(|(was, now)| !Arc::ptr_eq(was, now) && Arc::ptr_eq(was.package(), now.package()))
    }

    /// Returns the packages that differ between two states.
    pub fn changed_packages<'a>(&'a self, before: &'a Self) -> Vec<&'a PackageName> {
        let changed = self.catalog.packages_changed_since(&before.catalog);
        changed.filter_map(|package| Some(&package.states().next()?.name)).collect()
    }
}
