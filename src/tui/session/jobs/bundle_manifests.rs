//! Manifests of the bundle on the Bundle screen. They are read while that screen is visible.

use std::sync::Arc;

use crate::tui::{
    keys::Screen,
    parts::memo::SharedRef,
    session::{Session, context::Context, jobs::StoredQuestion},
    work::{
        Job, JobEnvironment, Question, UserError,
        effect::BundleLocator,
        outcome::{FoundManifests, ManifestLookup},
    },
};
use olm_catalog::{BundleName, PackageName};
use olm_check::review::Snapshot;

/// Bundle and the loaded state of its catalog.
type BundleKey = (SharedRef<Snapshot>, PackageName, BundleName);

/// Bundle whose manifests are read from its directory or its fetched image.
#[derive(PartialEq, Debug)]
pub struct ManifestRequest {
    /// The bundle.
    pub bundle: BundleLocator,
}

impl Question for ManifestRequest {
    type Answer = Result<ManifestLookup, UserError>;

    fn compute(&self, environment: &JobEnvironment<'_>, send: &(dyn Fn(Self::Answer) + Sync)) {
        send(environment.services.load_manifests(&self.bundle));
    }
}

impl StoredQuestion for ManifestRequest {
    fn store(question: Arc<Self>, answer: Self::Answer, cx: &mut Context<'_>) {
        let manifests = &mut cx.session.jobs.manifests;
        if manifests.job.finish(&question) {
            manifests.state = match answer {
                Ok(ManifestLookup::Found(found)) => ManifestState::Found(found),
                Ok(ManifestLookup::NotFetched) => ManifestState::NotFetched,
                Err(UserError { message, .. }) => ManifestState::Failed(message),
            };
        }
    }
}

/// Lookup of the manifests of one bundle.
#[derive(Debug, Default)]
pub(in crate::tui) struct ManifestLookupState {
    /// Bundle of the last request. `None` if the manifests have to be read again.
    requested: Option<BundleKey>,
    job: Job<ManifestRequest>,
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
        &self.jobs.manifests.state
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
    let directory = &mut cx.session.jobs.manifests;
    if directory.requested.as_ref() == wanted.as_ref().map(|(wanted, _)| wanted) {
        return;
    }
    let Some((wanted, sought)) = wanted else {
        directory.job.cancel();
        directory.requested = None;
        directory.state = ManifestState::Unknown;
        return;
    };
    // The cache is read at once, so that no progress is shown.
    directory.state = if sought.source.is_some() { ManifestState::Reading } else { ManifestState::Unknown };
    directory.requested = Some(wanted);
    let asked = directory.job.replace(ManifestRequest { bundle: sought });
    cx.run_job(asked);
}

/// Requests the manifests again, after a file was edited or an image was fetched.
pub(in crate::tui) fn forget_manifests(session: &mut Session) {
    session.jobs.manifests.requested = None;
}
