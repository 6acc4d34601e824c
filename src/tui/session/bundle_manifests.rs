//! Manifests of the bundle on the Bundle screen. They are read while that screen is visible.

use std::sync::Arc;

use crate::tui::{
    keys::Screen,
    parts::memo::SharedRef,
    session::{Session, context::Context},
    work::{
        Effect, UserError,
        effect::BundleLocator,
        outcome::{FoundManifests, ManifestLookup},
    },
};
use olm_catalog::{BundleName, PackageName};
use olm_check::review::Snapshot;

/// Bundle and the loaded state of its catalog.
type BundleKey = (SharedRef<Snapshot>, PackageName, BundleName);

/// Lookup of the manifests of one bundle.
#[derive(Debug, Default)]
pub(in crate::tui) struct ManifestLookupState {
    requested: Option<BundleKey>,
    /// Returned with the answer. Answers to older requests are dropped.
    number: u64,
    state: ManifestState,
}

/// State of the lookup of a bundle's manifests.
#[derive(Clone, Debug, Default)]
pub enum ManifestState {
    /// The location of the manifests is not known.
    #[default]
    Unknown,
    /// The manifests are being read from their directory.
    Reading,
    /// The manifests were read.
    Found(Arc<FoundManifests>),
    /// The manifests are in an image that is not in the cache.
    NotFetched,
    /// The manifests are missing or cannot be read, with the reason.
    Failed(String),
}

impl Session {
    /// Returns the manifests of the visible bundle.
    pub fn bundle_manifests(&self) -> &ManifestState {
        &self.manifests.state
    }

    /// Returns where to find the manifests of a bundle. `None` if there is no candidate, or the
    /// catalog contains the manifests.
    fn bundle_locator(&self, package: &PackageName, bundle: &BundleName) -> Option<BundleLocator> {
        let home = self.current_catalog()?.baseline.catalog.bundle_source(package, bundle);
        let package_state = self.snapshot().and_then(|now| now.package(package.as_str()));
        let blob = package_state.and_then(|package_state| package_state.package().bundle(bundle.as_str()));
        let image = blob.filter(|blob| !blob.has_objects).and_then(|blob| blob.image.as_ref());
        let image = image.map(|image| image.value.clone());
        if home.is_none() && image.is_none() {
            return None;
        }
        let version =
            package_state.and_then(|package_state| package_state.package().bundle_version(bundle.as_str()));
        let version = version.map(ToString::to_string).unwrap_or_default();
        Some(BundleLocator { source: home, image, bundle: bundle.clone(), version })
    }

    /// Returns where to find the manifests of two bundles. `None` if one of them has no candidate.
    pub(in crate::tui) fn bundle_locators(
        &self,
        package: &PackageName,
        bundles: [&BundleName; 2],
    ) -> Option<[BundleLocator; 2]> {
        let [old, new] = bundles.map(|bundle| self.bundle_locator(package, bundle));
        Some([old?, new?])
    }

    fn visible_bundle(&self) -> Option<(BundleKey, BundleLocator)> {
        let open = self.current_catalog().filter(|_| self.screen == Screen::Bundle)?;
        let (package, bundle) = (self.selection().package.clone()?, self.selection().bundle.clone()?);
        let sought = self.bundle_locator(&package, &bundle)?;
        Some(((SharedRef::from_shared(Some(&open.baseline)), package, bundle), sought))
    }
}

/// Requests the manifests of the visible bundle once.
pub(in crate::tui) fn request_manifests(cx: &mut Context<'_>) {
    if cx.session.screen != Screen::Bundle {
        return;
    }
    let wanted = cx.session.visible_bundle();
    let directory = &mut cx.session.manifests;
    if directory.requested.as_ref() == wanted.as_ref().map(|(wanted, _)| wanted) {
        return;
    }
    directory.number += 1;
    let number = directory.number;
    let Some((wanted, sought)) = wanted else {
        directory.requested = None;
        directory.state = ManifestState::Unknown;
        return;
    };
    // The cache is read at once, so that no progress is shown.
    directory.state = if sought.source.is_some() { ManifestState::Reading } else { ManifestState::Unknown };
    directory.requested = Some(wanted);
    cx.request(Effect::ReadManifests { number, bundle: sought });
}

/// Requests the manifests again, after a file was edited or an image was fetched.
pub(in crate::tui) fn forget_manifests(session: &mut Session) {
    session.manifests.requested = None;
}

/// Stores the result of a lookup.
pub(in crate::tui) fn store_manifests(
    session: &mut Session,
    number: u64,
    outcome: Result<ManifestLookup, UserError>,
) {
    if session.manifests.number == number {
        session.manifests.state = match outcome {
            Ok(ManifestLookup::Found(found)) => ManifestState::Found(found),
            Ok(ManifestLookup::NotFetched) => ManifestState::NotFetched,
            Err(UserError { message, .. }) => ManifestState::Failed(message),
        };
    }
}
