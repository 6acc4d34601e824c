//! State of fetching bundle images.

use std::sync::Arc;

use crate::tui::{
    session::{
        Session,
        context::Context,
        jobs::{bundle_manifests, deferred_checks},
    },
    work::{Effect, Job, JobEnvironment, JobSlot, Question, UserError, outcome::FetchOutcome},
};
use olm_catalog::{BundleName, PackageName};

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

/// Stores the result of one image.
pub(in crate::tui) fn store_image_result(
    session: &mut Session,
    question: &Arc<FetchRequest>,
    bundle: BundleName,
    outcome: Result<FetchOutcome, UserError>,
) {
    let fetching = &mut session.jobs.image_fetch;
    if !fetching.job.is_current(question) {
        return;
    }
    match outcome {
        Ok(FetchOutcome::Fetched) => fetching.fetched += 1,
        Ok(FetchOutcome::Cached) => fetching.cached += 1,
        Err(refusal) => fetching.failed.push((bundle, refusal)),
    }
}

/// Ends fetching and requests the manifests of the fetched images. Returns false if the request is
/// outdated.
pub(in crate::tui) fn finish_fetch(session: &mut Session, question: &Arc<FetchRequest>) -> bool {
    if !session.jobs.image_fetch.job.finish(question) {
        return false;
    }
    bundle_manifests::forget_manifests(session);
    deferred_checks::queue_stale_packages(session, |_, of| *of == question.package);
    true
}
