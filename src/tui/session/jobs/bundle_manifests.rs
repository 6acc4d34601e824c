//! Manifests of the bundle on the Bundle screen, and fetching of bundle images. The manifests are
//! read while that screen is visible.

use std::sync::Arc;

use crate::tui::{
    keys::Screen,
    parts::memo::SharedRef,
    session::{
        catalogs::Catalogs,
        context::Context,
        jobs::{Jobs, StoredQuestion},
    },
    work::{
        Effect, Job, JobEnvironment, JobSlot, Question, UserError,
        effect::BundleLocator,
        outcome::{FetchOutcome, FoundManifests, ManifestLookup},
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

impl Jobs {
    /// Returns the manifests of the visible bundle.
    pub fn bundle_manifests(&self) -> &ManifestState {
        &self.manifests.state
    }

    /// Requests the manifests again, after a file was edited or an image was fetched.
    pub(in crate::tui) fn forget_manifests(&mut self) {
        self.manifests.requested = None;
    }

    /// Ends fetching and requests the manifests of the fetched images. Returns false if the request
    /// is outdated.
    pub(in crate::tui) fn finish_fetch(&mut self, question: &Arc<FetchRequest>, catalogs: &Catalogs) -> bool {
        let is_current = self.image_fetch.job.finish(question);
        if is_current {
            self.forget_manifests();
            self.check_package_again(catalogs, &question.package);
        }
        is_current
    }
}

impl Catalogs {
    /// Returns where to find the manifests of a bundle. `None` if there is no candidate, or the
    /// catalog contains the manifests.
    fn bundle_locator(&self, package: &PackageName, bundle: &BundleName) -> Option<BundleLocator> {
        let home = self.current()?.baseline.catalog.bundle_source(package, bundle);
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

    /// Returns the selected bundle and where to find its manifests.
    fn locate_selected_bundle(&self) -> Option<(BundleKey, BundleLocator)> {
        let open = self.current()?;
        let (package, bundle) = (self.selection().package.clone()?, self.selection().bundle.clone()?);
        let sought = self.bundle_locator(&package, &bundle)?;
        Some(((SharedRef::from_shared(Some(&open.baseline)), package, bundle), sought))
    }
}

/// Requests the manifests of the visible bundle once.
pub(in crate::tui) fn request_manifests(cx: &mut Context<'_>) {
    if cx.session.navigation.screen != Screen::Bundle {
        return;
    }
    let wanted = cx.session.catalogs.locate_selected_bundle();
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

/// Images to fetch into the cache.
#[derive(PartialEq, Debug)]
pub struct FetchRequest {
    /// The package of the bundles.
    pub package: PackageName,
    /// The bundles and their images.
    pub images: Vec<(BundleName, String)>,
}

/// Progress or end of fetching.
#[derive(Debug)]
pub enum FetchAnswer {
    /// An image was fetched, or fetching it failed.
    Image {
        /// The bundle.
        bundle: BundleName,
        /// Whether the image was fetched or cached, or the reason of the failure.
        outcome: Result<FetchOutcome, UserError>,
    },
    /// Fetching ended.
    Ended,
}

impl Question for FetchRequest {
    type Answer = FetchAnswer;

    fn compute(&self, environment: &JobEnvironment<'_>, send: &(dyn Fn(FetchAnswer) + Sync)) {
        environment.services.fetch_images(&self.images, environment.progress, &|bundle, outcome| {
            send(FetchAnswer::Image { bundle: bundle.clone(), outcome });
        });
        send(FetchAnswer::Ended);
    }

    fn slot(&self) -> Option<JobSlot> {
        Some(JobSlot::Images)
    }
}

/// Progress of fetching. Only one request runs at a time.
#[derive(Debug, Default)]
pub struct FetchProgress {
    job: Job<FetchRequest>,
    /// Number of requested images.
    pub images: usize,
    /// Number of fetched images.
    pub fetched: usize,
    /// Number of images that were already in the cache.
    pub cached: usize,
    /// Failed bundles, each with the reason.
    pub failed: Vec<(BundleName, UserError)>,
    /// True if the user asked to stop.
    pub is_stopping: bool,
}

impl FetchProgress {
    /// Returns true until all answers arrived.
    pub fn is_running(&self) -> bool {
        self.job.is_waiting()
    }

    /// Returns the number of images with a result.
    pub fn finished_count(&self) -> usize {
        self.fetched + self.cached + self.failed.len()
    }

    /// Summarizes the results.
    pub fn summarize_fetch(&self) -> String {
        let images = |count: usize| if count == 1 { "1 image".to_owned() } else { format!("{count} images") };
        let mut words = vec![format!("{} fetched", images(self.fetched))];
        if self.cached > 0 {
            words.push(format!("{} in the cache already", self.cached));
        }
        if !self.failed.is_empty() {
            words.push(format!("{} failed", self.failed.len()));
        }
        let left = self.images.saturating_sub(self.finished_count());
        if !self.is_running() && left > 0 {
            words.push(format!("{left} not fetched"));
        }
        words.join(", ")
    }

    /// Stores the result of one image.
    pub(in crate::tui) fn store_image_result(
        &mut self,
        question: &Arc<FetchRequest>,
        bundle: BundleName,
        outcome: Result<FetchOutcome, UserError>,
    ) {
        if !self.job.is_current(question) {
            return;
        }
        match outcome {
            Ok(FetchOutcome::Fetched) => self.fetched += 1,
            Ok(FetchOutcome::Cached) => self.cached += 1,
            Err(refusal) => self.failed.push((bundle, refusal)),
        }
    }
}

/// Starts fetching images of a package's bundles.
pub(in crate::tui) fn start_fetch(
    cx: &mut Context<'_>,
    package: PackageName,
    images: Vec<(BundleName, String)>,
) {
    cx.session.jobs.image_fetch = FetchProgress { images: images.len(), ..FetchProgress::default() };
    let asked = cx.session.jobs.image_fetch.job.replace(FetchRequest { package, images });
    cx.run_job(asked);
}

/// Stops fetching.
pub(in crate::tui) fn stop_fetch(cx: &mut Context<'_>) {
    if cx.session.jobs.image_fetch.is_running() {
        cx.session.jobs.image_fetch.is_stopping = true;
        cx.request(Effect::Stop(JobSlot::Images));
    }
}
