//! A cluster that one assumes: subscriptions and what is installed in one namespace, and what OLM Classic makes of it with the
//! open catalogs. The answer is worked out in the background.

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

/// See the module.
#[derive(Debug, Default)]
pub struct Cluster {
    /// What is assumed.
    pub assumed: Assumed,
    awaited: Awaited<Asked, Resolved>,
}

impl Cluster {
    /// What OLM Classic makes of it, as it was last worked out.
    pub fn resolved(&self) -> Option<&Arc<Resolved>> {
        self.awaited.answer().map(|(_, resolved)| resolved)
    }

    /// Whether what is shown is not the answer to what is assumed now.
    pub fn is_waiting(&self) -> bool {
        self.awaited.is_waiting()
    }
}

impl Session {
    /// Whether a catalog is in sight of the cluster: one that something is taken from, and each that is not for another version
    /// of OpenShift than those.
    pub fn is_in_sight(&self, source: &Source) -> bool {
        let assumed = &self.cluster.assumed;
        if let Some((_, chosen)) = assumed.in_sight.iter().find(|(known, _)| known == source) {
            return *chosen;
        }
        let is_used = assumed.sources().any(|used| used == source);
        is_used || assumed.sources().all(|used| self.may_be_together(used, source))
    }

    /// Assumes a subscription to a channel; the same one is taken back. Whether there is one now.
    pub(in crate::app) fn assume_subscription(
        &mut self,
        package: &PackageName,
        channel: Option<ChannelName>,
    ) -> bool {
        let Some(source) = self.catalog().map(|open| open.source.clone()) else { return false };
        let subscribed = &mut self.cluster.assumed.subscribed;
        // A namespace has one bundle of a package.
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

    /// Assumes that a bundle is installed; the same one is taken back. Whether it is now.
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
    /// Reports whether two catalogs may be on one cluster: not if they are for different versions of OpenShift.
    pub(super) fn may_be_together(&self, a: &Source, b: &Source) -> bool {
        let (a, b) = (self.openshift(a), self.openshift(b));
        a.is_empty() || b.is_empty() || a.iter().any(|version| b.contains(version))
    }

    /// Returns the versions of OpenShift that a catalog is for.
    fn openshift(&self, source: &Source) -> Vec<OpenShift> {
        let open = self.open.iter().find(|open| open.source == *source);
        open.map_or_else(|| OpenShift::in_text(&source.label()).into_iter().collect(), Open::openshift)
    }
}

/// Has it worked out what comes of the assumed cluster, where that is looked at and not known.
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

/// It was worked out. What was assumed meanwhile is asked next.
pub(in crate::app) fn found(session: &mut Session, asked: Arc<Asked>, resolved: Arc<Resolved>) {
    session.cluster.awaited.found(asked, resolved);
}
