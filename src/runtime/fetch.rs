//! Fetching of bundle images into the cache.

use std::sync::atomic::Ordering;

use rayon::{ThreadPoolBuilder, prelude::*};

use super::{Event, Events};
use crate::tui::{
    Msg,
    work::{UserError, outcome::FetchOutcome},
};
use olm_catalog::{BundleName, load::Progress};
use olm_source::{Access, ImageAccess, ImageUnavailable, UnreachableHosts};

/// Maximum number of concurrent fetches. Registries answer slowly, and limit the number of requests.
const MAX_CONCURRENT: usize = 4;

/// Fetches images and reports each result. Images that are not started before the user cancels are not
/// reported.
pub fn fetch_images(
    number: u64,
    images: Vec<(BundleName, String)>,
    access: &Access,
    progress: &Progress,
    events: &Events,
) -> Msg {
    // The user retries, so hosts that failed before are tried again.
    let access = &Access { unreachable_hosts: UnreachableHosts::default(), ..access.clone() };
    let one = |(bundle, image): (BundleName, String)| {
        if progress.stop.load(Ordering::Relaxed) {
            return;
        }
        let outcome = fetch_image(&image, access, progress);
        if outcome.is_err() && progress.stop.load(Ordering::Relaxed) {
            return;
        }
        // The receiver no longer exists if the program is ending.
        let _ = events.send(Event::Msg(Msg::BundleFetched { number, bundle, outcome }));
    };
    match ThreadPoolBuilder::new().num_threads(MAX_CONCURRENT).build() {
        Ok(pool) => pool.install(|| images.into_par_iter().with_max_len(1).for_each(one)),
        Err(_) => images.into_iter().for_each(one),
    }
    Msg::FetchEnded { number }
}

/// Fetches one image. An image that the cache cannot keep counts as failed, because it could not be opened
/// later.
fn fetch_image(image: &str, access: &Access, progress: &Progress) -> Result<FetchOutcome, UserError> {
    let cached = ImageAccess::only_cached(access);
    if cached.load_bundle(image, progress).is_ok() {
        return Ok(FetchOutcome::Cached);
    }
    let refused = |why: String, hint: Option<String>| UserError { message: why, hint };
    match ImageAccess::Fetched(access.clone()).load_bundle(image, progress) {
        Ok(_) if cached.may_have(image) => Ok(FetchOutcome::Fetched),
        Ok(_) => Err(refused(
            "the cache cannot keep it".to_owned(),
            Some("olmap doctor shows the cache".to_owned()),
        )),
        Err(ImageUnavailable::NotFetched) => Err(refused("no connection may be opened".to_owned(), None)),
        Err(ImageUnavailable::Failed { why, hint }) => Err(refused(why, hint)),
    }
}
