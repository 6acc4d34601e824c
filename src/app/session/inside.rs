//! The directory of the bundle that the Bundle screen shows: it is read while that is shown, where it is known.

use std::sync::Arc;

use crate::{
    app::{
        keys::Screen,
        parts::memo::Same,
        session::{Session, cx::Cx},
        work::{Effect, Refusal, effect::SoughtBundle, outcome::BundleFound},
    },
    catalog::{BundleHome, BundleName, PackageName},
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

/// What is known of a bundle's directory.
#[derive(Clone, Debug, Default)]
pub enum State {
    /// Nobody knows where it is.
    #[default]
    Unknown,
    /// It is being read.
    Reading,
    /// It is read.
    Found(Arc<BundleFound>),
    /// It is not there, or cannot be read: why.
    Failed(String),
}

impl Session {
    /// What is known of the directory of the bundle that is shown.
    pub fn bundle_directory(&self) -> &State {
        &self.directory.state
    }

    /// A bundle of which one knows where its directory is.
    fn sought(&self, home: BundleHome, package: &PackageName, bundle: &BundleName) -> SoughtBundle {
        let judged = self.snapshot().and_then(|now| now.package(package.as_str()));
        let version = judged.and_then(|judged| judged.package().version_of(bundle.as_str()));
        SoughtBundle {
            home,
            bundle: bundle.clone(),
            version: version.map(ToString::to_string).unwrap_or_default(),
        }
    }

    /// Two bundles of a package, where one knows of both where their directories are.
    pub(in crate::app) fn both_sought(
        &self,
        package: &PackageName,
        bundles: [&BundleName; 2],
    ) -> Option<[SoughtBundle; 2]> {
        let catalog = &self.catalog()?.baseline.catalog;
        let [old, new] = bundles.map(|bundle| {
            let home = catalog.bundle_home(package, bundle)?;
            Some(self.sought(home, package, bundle))
        });
        Some([old?, new?])
    }

    fn wanted_directory(&self) -> Option<(Wanted, BundleHome)> {
        let open = self.catalog().filter(|_| self.screen == Screen::Bundle)?;
        let (package, bundle) = (self.selection().package.clone()?, self.selection().bundle.clone()?);
        let home = open.baseline.catalog.bundle_home(&package, &bundle)?;
        Some(((Same::of(Some(&open.baseline)), package, bundle), home))
    }
}

/// Asks for the directory of the bundle that is shown, once.
pub(in crate::app) fn want(cx: &mut Cx<'_>) {
    if cx.session.screen != Screen::Bundle {
        return;
    }
    let wanted = cx.session.wanted_directory();
    let directory = &mut cx.session.directory;
    if directory.wanted.as_ref() == wanted.as_ref().map(|(wanted, _)| wanted) {
        return;
    }
    directory.number += 1;
    let number = directory.number;
    let Some((wanted, home)) = wanted else {
        directory.wanted = None;
        directory.state = State::Unknown;
        return;
    };
    directory.state = State::Reading;
    let (_, package, bundle) = &wanted;
    let sought = cx.session.sought(home, package, bundle);
    cx.session.directory.wanted = Some(wanted);
    cx.ask(Effect::LookInside { number, sought });
}

/// Has the directory read again: a file of it was edited.
pub(in crate::app) fn look_again(session: &mut Session) {
    session.directory.wanted = None;
}

/// A directory was read.
pub(in crate::app) fn found(session: &mut Session, number: u64, outcome: Result<Arc<BundleFound>, Refusal>) {
    if session.directory.number == number {
        session.directory.state = match outcome {
            Ok(found) => State::Found(found),
            Err(Refusal { message, .. }) => State::Failed(message),
        };
    }
}
