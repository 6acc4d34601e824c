//! The manifests of the bundle that the Bundle screen shows: they are read while that is shown, where they are.

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

/// Which bundle of which catalog, as the files had it when they were last read.
type Wanted = (Same<Snapshot>, PackageName, BundleName);

/// What was asked for, and what came back.
#[derive(Debug, Default)]
pub(in crate::app) struct Directory {
    wanted: Option<Wanted>,
    /// Given back with the answer; an older one is dropped.
    number: u64,
    state: State,
}

/// What is known of a bundle's manifests.
#[derive(Clone, Debug, Default)]
pub enum State {
    /// Nobody knows where they are.
    #[default]
    Unknown,
    /// Their directory is being read.
    Reading,
    /// They are read.
    Found(Arc<BundleFound>),
    /// They are in an image that was not fetched.
    NotFetched,
    /// They are not there, or cannot be read: why.
    Failed(String),
}

impl Session {
    /// What is known of the manifests of the bundle that is shown.
    pub fn bundle_manifests(&self) -> &State {
        &self.directory.state
    }

    /// A bundle of which one knows where its manifests are, or may be. What the catalog carries itself is not looked for.
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

    /// Two bundles of a package, where one knows of both where their manifests are, or may be.
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

/// Asks for the manifests of the bundle that is shown, once.
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
    // What may have been fetched is there at once, or not at all.
    directory.state = if sought.home.is_some() { State::Reading } else { State::Unknown };
    directory.wanted = Some(wanted);
    cx.ask(Effect::LookInside { number, sought });
}

/// Has the manifests read again: a file was edited, or an image fetched.
pub(in crate::app) fn look_again(session: &mut Session) {
    session.directory.wanted = None;
}

/// Manifests were looked for.
pub(in crate::app) fn found(session: &mut Session, number: u64, outcome: Result<Looked, Refusal>) {
    if session.directory.number == number {
        session.directory.state = match outcome {
            Ok(Looked::Found(found)) => State::Found(found),
            Ok(Looked::NotFetched) => State::NotFetched,
            Err(Refusal { message, .. }) => State::Failed(message),
        };
    }
}
