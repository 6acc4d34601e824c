//! Assumed cluster: subscriptions and installed bundles of one namespace. OLM Classic's resolver
//! runs on it in the background, with the open catalogs.

use std::sync::Arc;

use crate::{
    app::{
        keys::Screen,
        parts::awaited::Awaited,
        session::{Session, cx::Cx, open::Open},
        work::{
            Effect, Source,
            cluster::{Asked, Assumed, Installed, Resolved, Subscribed},
        },
    },
    catalog::{BundleName, ChannelName, PackageName},
    upgrade::openshift::OpenShift,
};

/// Assumed cluster with the resolver's result.
#[derive(Debug, Default)]
pub struct Cluster {
    /// The assumed namespace.
    pub assumed: Assumed,
    awaited: Awaited<Asked, Resolved>,
}

impl Cluster {
    /// Returns the last result of the resolver.
    pub fn resolved(&self) -> Option<&Arc<Resolved>> {
        self.awaited.answer().map(|(_, resolved)| resolved)
    }

    /// Returns true if the result does not belong to the current assumptions.
    pub fn is_waiting(&self) -> bool {
        self.awaited.is_waiting()
    }
}

impl Session {
    /// Returns true if the assumed cluster has a catalog: one that an assumption uses, or one for
    /// the same OpenShift version.
    pub fn is_in_sight(&self, source: &Source) -> bool {
        let assumed = &self.cluster.assumed;
        if let Some((_, chosen)) = assumed.in_sight.iter().find(|(known, _)| known == source) {
            return *chosen;
        }
        let is_used = assumed.sources().any(|used| used == source);
        is_used || assumed.sources().all(|used| self.may_be_together(used, source))
    }

    /// Adds a subscription to a channel, or removes it if it exists. Returns true if it exists now.
    pub(in crate::app) fn assume_subscription(
        &mut self,
        package: &PackageName,
        channel: Option<ChannelName>,
    ) -> bool {
        let Some(source) = self.catalog().map(|open| open.source.clone()) else { return false };
        let subscribed = &mut self.cluster.assumed.subscribed;
        // A namespace has at most one bundle of a package.
        let known = subscribed.iter().position(|known| known.package == *package);
        let new = Subscribed { source, package: package.clone(), channel, counts: true };
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
    pub(in crate::app) fn assume_installed(&mut self, package: &PackageName, bundle: &BundleName) -> bool {
        let Some(source) = self.catalog().map(|open| open.source.clone()) else { return false };
        let installed = &mut self.cluster.assumed.installed;
        let new = Installed { source, package: package.clone(), bundle: bundle.clone(), counts: true };
        let is_known = installed.contains(&new);
        installed.retain(|known| known.package != *package);
        if !is_known {
            installed.push(new);
        }
        !is_known
    }

    fn asked(&self) -> Asked {
        let (mut catalogs, mut out_of_sight) = (Vec::new(), Vec::new());
        for open in self.open.iter().filter(|open| open.now().catalog.template().is_none()) {
            let (source, now) = (open.source.clone(), Arc::clone(open.now()));
            if self.is_in_sight(&source) {
                catalogs.push((source, self.short_source(&open.source), now));
            } else {
                out_of_sight.push((source, now));
            }
        }
        Asked { assumed: self.cluster.assumed.clone(), catalogs, out_of_sight }
    }
}

impl Session {
    /// Returns true if two catalogs can be on one cluster, that is unless they are for different
    /// OpenShift versions.
    pub(super) fn may_be_together(&self, a: &Source, b: &Source) -> bool {
        let (a, b) = (self.openshift(a), self.openshift(b));
        a.is_empty() || b.is_empty() || a.iter().any(|version| b.contains(version))
    }

    /// Returns the OpenShift versions of a catalog.
    fn openshift(&self, source: &Source) -> Vec<OpenShift> {
        let open = self.open.iter().find(|open| open.source == *source);
        open.map_or_else(|| OpenShift::in_text(&source.label()).into_iter().collect(), Open::openshift)
    }
}

/// Requests dependency resolution of the assumed cluster if the Resolve screen is visible and the
/// result is stale.
pub(in crate::app) fn want(cx: &mut Cx<'_>) {
    if cx.session.screen != Screen::Resolve || cx.session.busy.is_some() {
        return;
    }
    let asked = cx.session.asked();
    let awaited = &mut cx.session.cluster.awaited;
    if asked.assumed.is_empty() {
        return awaited.ask_nothing(asked);
    }
    if let Some(asked) = awaited.ask(asked) {
        cx.ask(Effect::Resolve(asked));
    }
}

/// Stores the result. The next check requests later assumptions.
pub(in crate::app) fn found(session: &mut Session, asked: Arc<Asked>, resolved: Arc<Resolved>) {
    session.cluster.awaited.found(asked, resolved);
}
