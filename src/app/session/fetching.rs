//! Fetching the images of bundles: what is fetched, and how far that is.

use crate::{
    app::{
        session::{Session, cx::Cx, inside, learning},
        work::{Effect, Refusal, outcome::Fetched},
    },
    catalog::{BundleName, PackageName},
};

/// How far it is. One request at a time.
#[derive(Debug, Default)]
pub struct Fetching {
    /// Given back with the answers; an older one is dropped.
    number: u64,
    package: Option<PackageName>,
    /// How many images are wanted.
    pub images: usize,
    /// How many of them were fetched.
    pub fetched: usize,
    /// How many of them were in the cache.
    pub cached: usize,
    /// The others, each with why.
    pub failed: Vec<(BundleName, Refusal)>,
    /// Whether more are to come.
    pub is_running: bool,
    /// Whether somebody asked to stop.
    pub is_stopping: bool,
}

impl Fetching {
    /// How many images something came of.
    pub fn done(&self) -> usize {
        self.fetched + self.cached + self.failed.len()
    }

    /// What came of it, in words.
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

/// Begins to fetch images of a package's bundles.
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

/// Fetches no more.
pub(in crate::app) fn stop(cx: &mut Cx<'_>) {
    if cx.session.fetching.is_running {
        cx.session.fetching.is_stopping = true;
        cx.ask(Effect::StopFetching);
    }
}

/// An image was fetched, or was not.
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

/// No more images are fetched: what is in them is looked at. Whether that was what one waited for.
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
