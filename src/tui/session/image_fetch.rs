//! State of fetching bundle images.

use crate::tui::{
    session::{Session, bundle_manifests, context::Context, deferred_checks},
    work::{Effect, UserError, outcome::FetchOutcome},
};
use olm_catalog::{BundleName, PackageName};

/// Progress of fetching. Only one request runs at a time.
#[derive(Debug, Default)]
pub struct FetchProgress {
    /// Returned with the answers. Answers to older requests are dropped.
    number: u64,
    package: Option<PackageName>,
    /// Number of requested images.
    pub images: usize,
    /// Number of fetched images.
    pub fetched: usize,
    /// Number of images that were already in the cache.
    pub cached: usize,
    /// Failed bundles, each with the reason.
    pub failed: Vec<(BundleName, UserError)>,
    /// True until all answers arrived.
    pub is_running: bool,
    /// True if the user asked to stop.
    pub is_stopping: bool,
}

impl FetchProgress {
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
        if !self.is_running && left > 0 {
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
    let number = cx.session.image_fetch.number + 1;
    cx.session.image_fetch = FetchProgress {
        number,
        package: Some(package),
        images: images.len(),
        is_running: true,
        ..FetchProgress::default()
    };
    cx.request(Effect::FetchBundles { number, images });
}

/// Stops fetching.
pub(in crate::tui) fn stop_fetch(cx: &mut Context<'_>) {
    if cx.session.image_fetch.is_running {
        cx.session.image_fetch.is_stopping = true;
        cx.request(Effect::StopFetching);
    }
}

/// Stores the result of one image.
pub(in crate::tui) fn store_image_result(
    session: &mut Session,
    number: u64,
    bundle: BundleName,
    outcome: Result<FetchOutcome, UserError>,
) {
    let fetching = &mut session.image_fetch;
    if fetching.number != number {
        return;
    }
    match outcome {
        Ok(FetchOutcome::Fetched) => fetching.fetched += 1,
        Ok(FetchOutcome::Cached) => fetching.cached += 1,
        Err(refusal) => fetching.failed.push((bundle, refusal)),
    }
}

/// Ends fetching and requests the manifests of the fetched images. Returns false if the number
/// belongs to an older request.
pub(in crate::tui) fn finish_fetch(session: &mut Session, number: u64) -> bool {
    if session.image_fetch.number != number {
        return false;
    }
    session.image_fetch.is_running = false;
    bundle_manifests::forget_manifests(session);
    if let Some(package) = session.image_fetch.package.clone() {
        deferred_checks::queue_stale_packages(session, |_, of| *of == package);
    }
    true
}
