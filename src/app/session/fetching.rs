//! State of fetching bundle images.

use crate::{
    app::{
        session::{Session, cx::Cx, inside, learning},
        work::{Effect, Refusal, outcome::Fetched},
    },
    catalog::{BundleName, PackageName},
};

/// Progress of fetching. Only one request runs at a time.
#[derive(Debug, Default)]
pub struct Fetching {
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
    pub failed: Vec<(BundleName, Refusal)>,
    /// True until all answers arrived.
    pub is_running: bool,
    /// True if the user asked to stop.
    pub is_stopping: bool,
}

impl Fetching {
    /// Returns the number of images with a result.
    pub fn done(&self) -> usize {
        self.fetched + self.cached + self.failed.len()
    }

    /// Summarizes the results.
    pub fn words(&self) -> String {
        let images = |count: usize| if count == 1 { "1 image".to_owned() } else { format!("{count} images") };
        let mut words = vec![format!("{} fetched", images(self.fetched))];
        if self.cached > 0 {
            words.push(format!("{} in the cache already", self.cached));
        }
        if !self.failed.is_empty() {
            words.push(format!("{} failed", self.failed.len()));
        }
        let left = self.images.saturating_sub(self.done());
        if !self.is_running && left > 0 {
            words.push(format!("{left} not fetched"));
        }
        words.join(", ")
    }
}

/// Starts fetching images of a package's bundles.
pub(in crate::app) fn begin(cx: &mut Cx<'_>, package: PackageName, images: Vec<(BundleName, String)>) {
    let number = cx.session.fetching.number + 1;
    cx.session.fetching = Fetching {
        number,
        package: Some(package),
        images: images.len(),
        is_running: true,
        ..Fetching::default()
    };
    cx.ask(Effect::FetchBundles { number, images });
}

/// Stops fetching.
pub(in crate::app) fn stop(cx: &mut Cx<'_>) {
    if cx.session.fetching.is_running {
        cx.session.fetching.is_stopping = true;
        cx.ask(Effect::StopFetching);
    }
}

/// Stores the result of one image.
pub(in crate::app) fn fetched(
    session: &mut Session,
    number: u64,
    bundle: BundleName,
    outcome: Result<Fetched, Refusal>,
) {
    let fetching = &mut session.fetching;
    if fetching.number != number {
        return;
    }
    match outcome {
        Ok(Fetched::Now) => fetching.fetched += 1,
        Ok(Fetched::Before) => fetching.cached += 1,
        Err(refusal) => fetching.failed.push((bundle, refusal)),
    }
}

/// Ends fetching and requests the manifests of the fetched images. Returns false if the number
/// belongs to an older request.
pub(in crate::app) fn ended(session: &mut Session, number: u64) -> bool {
    if session.fetching.number != number {
        return false;
    }
    session.fetching.is_running = false;
    inside::look_again(session);
    if let Some(package) = session.fetching.package.clone() {
        learning::forget(session, |_, of| *of == package);
    }
    true
}
