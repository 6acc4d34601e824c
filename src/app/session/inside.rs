//! Manifests of the bundle on the Bundle screen. They are read while that screen is visible.

use std::sync::Arc;

use crate::{
    app::{
        keys::Screen,
        parts::memo::Same,
        session::{Session, cx::Cx},
        work::{
            Effect, Refusal,
            effect::SoughtBundle,
            outcome::{BundleFound, Looked},
        },
    },
    catalog::{BundleName, PackageName},
    review::Snapshot,
};

/// Bundle and the loaded state of its catalog.
type Wanted = (Same<Snapshot>, PackageName, BundleName);

/// Lookup of the manifests of one bundle.
#[derive(Debug, Default)]
pub(in crate::app) struct Directory {
    wanted: Option<Wanted>,
    /// Returned with the answer. Answers to older requests are dropped.
    number: u64,
    state: State,
}

/// State of the lookup of a bundle's manifests.
#[derive(Clone, Debug, Default)]
pub enum State {
    /// The location of the manifests is not known.
    #[default]
    Unknown,
    /// The manifests are being read from their directory.
    Reading,
    /// The manifests were read.
    Found(Arc<BundleFound>),
    /// The manifests are in an image that is not in the cache.
    NotFetched,
    /// The manifests are missing or cannot be read, with the reason.
    Failed(String),
}

impl Session {
    /// Returns the manifests of the visible bundle.
    pub fn bundle_manifests(&self) -> &State {
        &self.directory.state
    }

    /// Returns where to find the manifests of a bundle. `None` if there is no candidate, or the
    /// catalog contains the manifests.
    fn sought(&self, package: &PackageName, bundle: &BundleName) -> Option<SoughtBundle> {
        let home = self.catalog()?.baseline.catalog.bundle_home(package, bundle);
        let judged = self.snapshot().and_then(|now| now.package(package.as_str()));
        let blob = judged.and_then(|judged| judged.package().bundle(bundle.as_str()));
        let image = blob.filter(|blob| !blob.has_objects).and_then(|blob| blob.image.as_ref());
        let image = image.map(|image| image.value.clone());
        if home.is_none() && image.is_none() {
            return None;
        }
        let version = judged.and_then(|judged| judged.package().version_of(bundle.as_str()));
        let version = version.map(ToString::to_string).unwrap_or_default();
        Some(SoughtBundle { home, image, bundle: bundle.clone(), version })
    }

    /// Returns where to find the manifests of two bundles. `None` if one of them has no candidate.
    pub(in crate::app) fn both_sought(
        &self,
        package: &PackageName,
        bundles: [&BundleName; 2],
    ) -> Option<[SoughtBundle; 2]> {
        let [old, new] = bundles.map(|bundle| self.sought(package, bundle));
        Some([old?, new?])
    }

    fn wanted_bundle(&self) -> Option<(Wanted, SoughtBundle)> {
        let open = self.catalog().filter(|_| self.screen == Screen::Bundle)?;
        let (package, bundle) = (self.selection().package.clone()?, self.selection().bundle.clone()?);
        let sought = self.sought(&package, &bundle)?;
        Some(((Same::of(Some(&open.baseline)), package, bundle), sought))
    }
}

/// Requests the manifests of the visible bundle once.
pub(in crate::app) fn want(cx: &mut Cx<'_>) {
    if cx.session.screen != Screen::Bundle {
        return;
    }
    let wanted = cx.session.wanted_bundle();
    let directory = &mut cx.session.directory;
    if directory.wanted.as_ref() == wanted.as_ref().map(|(wanted, _)| wanted) {
        return;
    }
    directory.number += 1;
    let number = directory.number;
    let Some((wanted, sought)) = wanted else {
        directory.wanted = None;
        directory.state = State::Unknown;
        return;
    };
    // The cache is read at once, so that no progress is shown.
    directory.state = if sought.home.is_some() { State::Reading } else { State::Unknown };
    directory.wanted = Some(wanted);
    cx.ask(Effect::LookInside { number, sought });
}

/// Requests the manifests again, after a file was edited or an image was fetched.
pub(in crate::app) fn look_again(session: &mut Session) {
    session.directory.wanted = None;
}

/// Stores the result of a lookup.
pub(in crate::app) fn found(session: &mut Session, number: u64, outcome: Result<Looked, Refusal>) {
    if session.directory.number == number {
        session.directory.state = match outcome {
            Ok(Looked::Found(found)) => State::Found(found),
            Ok(Looked::NotFetched) => State::NotFetched,
            Err(Refusal { message, .. }) => State::Failed(message),
        };
    }
}
