//! Assumed cluster: subscriptions and installed bundles of one namespace. OLM Classic's resolver
//! runs on it in the background, with the open catalogs.

use std::sync::Arc;

use crate::tui::{
    keys::Screen,
    session::{Session, context::Context, jobs::StoredQuestion, open_catalog::OpenCatalog},
    work::{
        Job, JobEnvironment, Question, Source,
        cluster::{AssumedBundle, AssumedNamespace, AssumedSubscription, ResolverQuery, ResolverResult},
    },
};
use olm_catalog::{BundleName, ChannelName, PackageName};
use olm_upgrade::openshift::OpenShift;

/// Assumed cluster with the resolver's result.
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
}

impl Session {
    /// Returns true if the assumed cluster has a catalog: one that an assumption uses, or one for
    /// the same OpenShift version.
    pub fn is_on_cluster(&self, source: &Source) -> bool {
        let assumed = &self.jobs.assumed_cluster.assumed;
        if let Some((_, chosen)) = assumed.catalog_choices.iter().find(|(known, _)| known == source) {
            return *chosen;
        }
        let is_used = assumed.sources().any(|used| used == source);
        is_used || assumed.sources().all(|used| self.can_share_cluster(used, source))
    }

    /// Adds a subscription to a channel, or removes it if it exists. Returns true if it exists now.
    pub(in crate::tui) fn toggle_subscription(
        &mut self,
        package: &PackageName,
        channel: Option<ChannelName>,
    ) -> bool {
        let Some(source) = self.current_catalog().map(|open| open.source.clone()) else { return false };
        let subscribed = &mut self.jobs.assumed_cluster.assumed.subscriptions;
        // A namespace has at most one bundle of a package.
        let known = subscribed.iter().position(|known| known.package == *package);
        let new = AssumedSubscription { source, package: package.clone(), channel, is_included: true };
        match known.and_then(|at| subscribed.get_mut(at)) {
            Some(known) if *known == new => {
                subscribed.retain(|known| known.package != *package);
                false
            }
            Some(known) => {
                *known = new;
                true
            }
            None => {
                subscribed.push(new);
                true
            }
        }
    }

    /// Adds an installed bundle, or removes it if it exists. Returns true if it exists now.
    pub(in crate::tui) fn toggle_installed_bundle(
        &mut self,
        package: &PackageName,
        bundle: &BundleName,
    ) -> bool {
        let Some(source) = self.current_catalog().map(|open| open.source.clone()) else { return false };
        let installed = &mut self.jobs.assumed_cluster.assumed.installed;
        let new =
            AssumedBundle { source, package: package.clone(), bundle: bundle.clone(), is_included: true };
        let is_known = installed.contains(&new);
        installed.retain(|known| known.package != *package);
        if !is_known {
            installed.push(new);
        }
        !is_known
    }

    fn resolver_query(&self) -> ResolverQuery {
        let (mut catalogs, mut out_of_sight) = (Vec::new(), Vec::new());
        for open in self.open_catalogs.iter().filter(|open| open.visible_state().catalog.template().is_none())
        {
            let (source, now) = (open.source.clone(), Arc::clone(open.visible_state()));
            if self.is_on_cluster(&source) {
                catalogs.push((source, self.short_source_name(&open.source), now));
            } else {
                out_of_sight.push((source, now));
            }
        }
        ResolverQuery {
            assumed: self.jobs.assumed_cluster.assumed.clone(),
            catalogs,
            excluded_catalogs: out_of_sight,
        }
    }
}

impl Session {
    /// Returns true if two catalogs can be on one cluster, that is unless they are for different
    /// OpenShift versions.
    pub(super) fn can_share_cluster(&self, a: &Source, b: &Source) -> bool {
        let (a, b) = (self.openshift_versions_of(a), self.openshift_versions_of(b));
        a.is_empty() || b.is_empty() || a.iter().any(|version| b.contains(version))
    }

    /// Returns the OpenShift versions of a catalog.
    fn openshift_versions_of(&self, source: &Source) -> Vec<OpenShift> {
        let open = self.open_catalogs.iter().find(|open| open.source == *source);
        open.map_or_else(
            || OpenShift::find_in_text(&source.label()).into_iter().collect(),
            OpenCatalog::openshift_versions,
        )
    }
}

/// Requests dependency resolution of the assumed cluster if the Resolve screen is visible and the
/// result is stale.
pub(in crate::tui) fn request_resolution(cx: &mut Context<'_>) {
    if cx.session.screen != Screen::Resolve || cx.session.busy.is_some() {
        return;
    }
    let asked = cx.session.resolver_query();
    let job = &mut cx.session.jobs.assumed_cluster.job;
    if asked.assumed.is_empty() {
        return job.clear_for_question(asked);
    }
    if let Some(asked) = job.request_if_changed(asked) {
        cx.run_job(asked);
    }
}
