//! What upgrade steps do to a cluster: judged in the background, package by package, as somebody looks at them.

use std::{collections::HashMap, sync::Arc};

use crate::{
    app::{
        keys::Screen,
        parts::memo::Same,
        session::{Session, cx::Cx},
        work::Effect,
    },
    catalog::{BundleName, PackageName},
    review::{Judged, Snapshot},
    upgrade::safety::{PackageSafety, Safety},
};

/// What is judged, and what came back.
#[derive(Debug, Default)]
pub(in crate::app) struct Safeties {
    /// What was asked for last.
    asked: Option<(Same<Judged>, Same<Snapshot>)>,
    /// Whether the answer is still to come: packages are judged one at a time, however fast somebody goes through them.
    waits: bool,
    /// What is known, each as the package was then.
    known: HashMap<PackageName, (Same<Judged>, Arc<PackageSafety>)>,
}

impl Session {
    /// What is known of the steps of the selected package; `None` while they are being judged, and where no manifests are in
    /// sight.
    pub fn safety(&self) -> Option<&Arc<PackageSafety>> {
        let judged = self.package()?;
        let (of, safety) = self.safeties.known.get(&judged.package().name)?;
        (*of == Same::of(Some(judged))).then_some(safety)
    }

    /// What is known of a step of the selected package.
    pub fn safety_of(&self, from: &BundleName, to: &BundleName) -> Option<&Safety> {
        self.safety()?.of(from, to)
    }

    /// Whether the steps of a package are being judged.
    pub fn is_judging_steps(&self) -> bool {
        self.safeties.waits
    }
}

/// Has the steps of the selected package judged, once.
pub(in crate::app) fn want(cx: &mut Cx<'_>) {
    let is_shown = matches!(cx.session.screen, Screen::Catalog | Screen::Graph | Screen::Upgrades);
    if !is_shown || cx.session.safeties.waits || cx.session.safety().is_some() {
        return;
    }
    let (Some(judged), Some(snapshot)) = (cx.session.package().cloned(), cx.session.snapshot().cloned())
    else {
        return;
    };
    let asked = (Same::of(Some(&judged)), Same::of(Some(&snapshot)));
    if cx.session.safeties.asked.as_ref() == Some(&asked) {
        return;
    }
    let package = judged.package();
    let is_seen = |bundle: &crate::catalog::blob::BundleBlob| {
        bundle.has_objects || snapshot.catalog.bundle_home(&package.name, &bundle.name.value).is_some()
    };
    let has_any = !cx.settings.bundles.is_empty() || package.bundles.iter().any(|bundle| is_seen(bundle));
    cx.session.safeties.asked = Some(asked);
    cx.session.safeties.waits = has_any;
    if has_any {
        cx.ask(Effect::JudgeSteps { judged, snapshot });
    }
}

/// The steps of a package were judged.
pub(in crate::app) fn found(session: &mut Session, judged: &Arc<Judged>, safety: Arc<PackageSafety>) {
    session.safeties.waits = false;
    session.safeties.known.insert(judged.package().name.clone(), (Same::of(Some(judged)), safety));
}
