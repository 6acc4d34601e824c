//! Clusters: the installed operators of a real one, and an assumed one. OLM Classic resolves
//! dependencies in the background, of the assumed cluster on the Resolve screen, and of the selected
//! package on the Upgrades screen.

use std::{collections::BTreeMap, sync::Arc};

use crate::tui::{
    keys::Screen,
    session::{Session, catalogs::Catalogs, context::Context, jobs::StoredQuestion},
    work::{
        Job, JobEnvironment, Question, Source,
        cluster::{
            AssumedBundle, AssumedNamespace, AssumedSubscription, DependencyQuery, ResolverQuery,
            ResolverResult,
        },
    },
};
use olm_catalog::{BundleName, ChannelName, PackageName};
use olm_check::review::Snapshot;
use olm_plan::cluster::{Cluster, Operator};
use olm_upgrade::{Engine, resolve::SinglePackageAnswer};

/// Installed operators of a cluster, if the user passed its files.
#[derive(Clone, Debug, Default)]
pub struct InstalledOperators {
    /// The cluster.
    pub cluster: Option<Arc<Cluster>>,
}

impl InstalledOperators {
    /// Returns the installed operators of a package.
    pub fn operators_of<'s>(&'s self, package: &'s PackageName) -> impl Iterator<Item = &'s Operator> {
        self.cluster.iter().flat_map(move |cluster| cluster.operators_of(package))
    }

    /// Describes where a bundle is installed. `None` if it is not installed.
    pub fn describe_installation(&self, package: &PackageName, bundle: &BundleName) -> Option<String> {
        let all = self.cluster.as_ref()?.operators_with_bundle(package, bundle);
        let words: Vec<String> = all.map(describe_operator_location).collect();
        (!words.is_empty()).then(|| format!("INSTALLED {}", words.join(" and ")))
    }

    /// Returns the namespace of a package, otherwise the first namespace with a package of an open
    /// catalog.
    pub(in crate::tui) fn target_namespace(
        &self,
        package: Option<&PackageName>,
        catalogs: &Catalogs,
    ) -> Option<&str> {
        let known = |operator: &&Operator| {
            let name = operator.package.as_ref();
            operator.subscription().is_some()
                && name.is_some_and(|name| catalogs.find_with_package(name).is_some())
        };
        let mut all = self.cluster.as_ref()?.operators.iter().filter(known);
        let own = all.clone().find(|operator| package.is_some() && operator.package.as_ref() == package);
        own.or_else(|| all.next()).map(|operator| operator.namespace.as_str())
    }

    /// Returns the content of a namespace under OLM Classic as assumptions, the number of its
    /// operators, and the packages that no open catalog has.
    pub(in crate::tui) fn assume_namespace(
        &self,
        namespace: &str,
        catalogs: &Catalogs,
    ) -> (AssumedNamespace, usize, Vec<String>) {
        let operators = self.cluster.iter().flat_map(|cluster| &cluster.operators);
        let here = operators
            .filter(|operator| operator.engine() == Engine::Classic && operator.namespace == namespace);
        let (mut assumed, mut left) = (AssumedNamespace::default(), Vec::new());
        let mut taken = 0;
        for operator in here {
            let home = operator.package.as_ref().and_then(|name| {
                let open = catalogs.find_with_package(name)?;
                Some((name.clone(), open.source.clone()))
            });
            let Some((package, source)) = home else {
                left.push(
                    operator.package.as_ref().map_or_else(|| operator.name.clone(), ToString::to_string),
                );
                continue;
            };
            taken += 1;
            if let Some(asks) = operator.subscription() {
                assumed.subscriptions.push(AssumedSubscription {
                    source: source.clone(),
                    package: package.clone(),
                    channel: asks.channel.clone(),
                    is_included: true,
                });
            }
            if let Some(installed) = &operator.installed {
                let bundle = installed.name.clone();
                assumed.installed.push(AssumedBundle { source, package, bundle, is_included: true });
            }
        }
        (assumed, taken, left)
    }
}

/// Returns the initial notice about a cluster.
pub(in crate::tui) fn cluster_notice(cluster: &Cluster, resolve: &str) -> String {
    let count = cluster.operators.len();
    let operators = if count == 1 { "1 operator".to_owned() } else { format!("{count} operators") };
    let version = cluster.openshift().map(|version| format!(" with OpenShift {version}")).unwrap_or_default();
    let notes = match cluster.notes.len() {
        0 => "",
        _ => " (not everything could be read: olmap cluster says what)",
    };
    format!("a cluster{version}, {operators}{notes}: i marks them, {resolve} resolves on it")
}

/// Describes the namespace of an operator and the OLM version that upgrades it.
fn describe_operator_location(operator: &Operator) -> String {
    match (operator.engine(), operator.namespace.as_str()) {
        (Engine::Classic, namespace) => format!("in {namespace}"),
        (Engine::V1, "") => "by v1".to_owned(),
        (Engine::V1, namespace) => format!("in {namespace} by v1"),
    }
}

/// Assumed cluster, subscriptions and installed bundles of one namespace, with the resolver's
/// result.
#[derive(Debug, Default)]
pub struct AssumedCluster {
    /// The assumed namespace.
    pub assumed: AssumedNamespace,
    job: Job<ResolverQuery>,
}

impl Question for ResolverQuery {
    type Answer = Arc<ResolverResult>;

    fn compute(&self, _environment: &JobEnvironment<'_>, send: &(dyn Fn(Self::Answer) + Sync)) {
        send(Arc::new(self.resolve()));
    }
}

impl StoredQuestion for ResolverQuery {
    fn store(question: Arc<Self>, answer: Self::Answer, cx: &mut Context<'_>) {
        cx.session.jobs.assumed_cluster.job.store(question, answer);
    }
}

impl AssumedCluster {
    /// Returns the last result of the resolver.
    pub fn resolved(&self) -> Option<&Arc<ResolverResult>> {
        self.job.last_answer().map(|(_, resolved)| resolved)
    }

    /// Returns true if the result does not belong to the current assumptions.
    pub fn is_waiting(&self) -> bool {
        self.job.is_waiting()
    }

    /// Returns true if the cluster has a catalog: one that an assumption uses, or one for the same
    /// OpenShift version.
    pub fn has_catalog(&self, source: &Source, catalogs: &Catalogs) -> bool {
        if let Some((_, chosen)) = self.assumed.catalog_choices.iter().find(|(known, _)| known == source) {
            return *chosen;
        }
        let is_used = self.assumed.sources().any(|used| used == source);
        is_used || self.assumed.sources().all(|used| catalogs.can_share_cluster(used, source))
    }

    /// Adds a subscription to a channel, or removes it if it exists. Returns true if it exists now.
    pub(in crate::tui) fn toggle_subscription(
        &mut self,
        source: Source,
        package: &PackageName,
        channel: Option<ChannelName>,
    ) -> bool {
        let new = AssumedSubscription { source, package: package.clone(), channel, is_included: true };
        let subscribed = &mut self.assumed.subscriptions;
        // A namespace has at most one bundle of a package.
        let known = subscribed.iter().position(|known| known.package == *package);
        match known.and_then(|at| subscribed.get_mut(at)) {
            Some(known) if *known == new => {
                subscribed.retain(|known| known.package != *package);
                return false;
            }
            Some(known) => *known = new,
            None => subscribed.push(new),
        }
        true
    }

    /// Adds an installed bundle, or removes it if it exists. Returns true if it exists now.
    pub(in crate::tui) fn toggle_installed_bundle(
        &mut self,
        source: Source,
        package: &PackageName,
        bundle: &BundleName,
    ) -> bool {
        let installed = &mut self.assumed.installed;
        let new =
            AssumedBundle { source, package: package.clone(), bundle: bundle.clone(), is_included: true };
        let is_known = installed.contains(&new);
        installed.retain(|known| known.package != *package);
        if !is_known {
            installed.push(new);
        }
        !is_known
    }

    fn resolver_query(&self, catalogs: &Catalogs) -> ResolverQuery {
        let (mut included, mut excluded) = (Vec::new(), Vec::new());
        let resolvable = |now: &Arc<Snapshot>| now.catalog.template().is_none();
        for open in catalogs.all().iter().filter(|open| resolvable(open.visible_state())) {
            let (source, now) = (open.source.clone(), Arc::clone(open.visible_state()));
            if self.has_catalog(&source, catalogs) {
                let name = catalogs.short_source_name(&source);
                included.push((source, name, now));
            } else {
                excluded.push((source, now));
            }
        }
        ResolverQuery { assumed: self.assumed.clone(), catalogs: included, excluded_catalogs: excluded }
    }
}

/// Requests dependency resolution of the assumed cluster if the Resolve screen is visible and the
/// result is stale.
pub(in crate::tui) fn request_resolution(cx: &mut Context<'_>) {
    if cx.session.navigation.screen != Screen::Resolve || cx.session.waiting.busy.is_some() {
        return;
    }
    let asked = cx.session.jobs.assumed_cluster.resolver_query(&cx.session.catalogs);
    let job = &mut cx.session.jobs.assumed_cluster.job;
    if asked.assumed.is_empty() {
        return job.clear_for_question(asked);
    }
    if let Some(asked) = job.request_if_changed(asked) {
        cx.run_job(asked);
    }
}

/// Upgrades that change with dependencies, by installed bundle.
pub type ChangedUpgrades = BTreeMap<BundleName, SinglePackageAnswer>;

/// State of dependency resolution.
pub(in crate::tui) type DependencyResolution = Job<DependencyQuery>;

impl Question for DependencyQuery {
    type Answer = Arc<ChangedUpgrades>;

    fn compute(&self, _environment: &JobEnvironment<'_>, send: &(dyn Fn(Self::Answer) + Sync)) {
        send(Arc::new(self.resolve_upgrades()));
    }
}

impl StoredQuestion for DependencyQuery {
    fn store(question: Arc<Self>, answer: Self::Answer, cx: &mut Context<'_>) {
        cx.session.jobs.dependency_resolution.store(question, answer);
    }
}

impl Session {
    /// Returns the upgrades that change with dependencies. `None` while they are not resolved.
    pub fn resolved_upgrades(&self) -> Option<&Arc<ChangedUpgrades>> {
        let (asked, solved) = self.jobs.dependency_resolution.last_answer()?;
        let is_shown = self.derived.upgrade_table().is_some_and(|table| Arc::ptr_eq(table, &asked.table));
        is_shown.then_some(solved)
    }

    fn dependency_query(&self) -> Option<DependencyQuery> {
        let open = self.current_catalog()?;
        let (table, package) = (self.derived.upgrade_table()?, self.selected_package()?);
        // Without dependencies nothing changes.
        if package.resolution().channels.is_empty() || open.visible_state().catalog.template().is_some() {
            return None;
        }
        let catalogs = self.catalogs.cluster_catalogs();
        Some(DependencyQuery { table: Arc::clone(table), package: Arc::clone(package), catalogs })
    }
}

/// Requests dependency resolution if the Upgrades screen is visible and the result is not cached.
pub(in crate::tui) fn request_resolved_upgrades(cx: &mut Context<'_>) {
    if cx.session.navigation.screen != Screen::Upgrades
        || cx.session.waiting.busy.is_some()
        || cx.session.jobs.dependency_resolution.is_waiting()
    {
        return;
    }
    let Some(everyone) = cx.session.dependency_query() else { return };
    if let Some(everyone) = cx.session.jobs.dependency_resolution.request_if_changed(everyone) {
        cx.run_job(everyone);
    }
}
