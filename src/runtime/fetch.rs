//! Fetching of bundle images into the cache.

use std::sync::atomic::Ordering;

use rayon::{ThreadPoolBuilder, prelude::*};

use super::{Event, Events};
use crate::{
    app::{
        Msg,
        work::{Refusal, outcome::Fetched},
    },
    catalog::{BundleName, load::Progress},
    source::{Access, GivenUp, Images, NoImage},
};

/// Maximum number of concurrent fetches. Registries answer slowly, and limit the number of requests.
const AT_ONCE: usize = 4;

/// Fetches images and reports each result. Images that are not started before the user cancels are not
/// reported.
pub fn fetch(
    number: u64,
    images: Vec<(BundleName, String)>,
    access: &Access,
    progress: &Progress,
    events: &Events,
) -> Msg {
    // The user retries, so hosts that failed before are tried again.
    let access = &Access { given_up: GivenUp::default(), ..access.clone() };
    let one = |(bundle, image): (BundleName, String)| {
        if progress.stop.load(Ordering::Relaxed) {
            return;
        }
        let outcome = of(&image, access, progress);
        if outcome.is_err() && progress.stop.load(Ordering::Relaxed) {
            return;
        }
        // The receiver no longer exists if the program is ending.
        let _ = events.send(Event::Msg(Msg::BundleFetched { number, bundle, outcome }));
    };
    match ThreadPoolBuilder::new().num_threads(AT_ONCE).build() {
        Ok(pool) => pool.install(|| images.into_par_iter().with_max_len(1).for_each(one)),
        Err(_) => images.into_iter().for_each(one),
    }
    Msg::FetchEnded { number }
}

/// Fetches one image. An image that the cache cannot keep counts as failed, because it could not be opened
/// later.
fn of(image: &str, access: &Access, progress: &Progress) -> Result<Fetched, Refusal> {
    let cached = Images::cached(access);
    if cached.bundle(image, progress).is_ok() {
        return Ok(Fetched::Before);
    }
    let refused = |why: String, hint: Option<String>| Refusal { message: why, hint };
    match Images::Fetched(access.clone()).bundle(image, progress) {
        Ok(_) if cached.may_have(image) => Ok(Fetched::Now),
        Ok(_) => Err(refused(
            "the cache cannot keep it".to_owned(),
            Some("olmap doctor shows the cache".to_owned()),
        )),
        Err(NoImage::NotFetched) => Err(refused("no connection may be opened".to_owned(), None)),
        Err(NoImage::Failed { why, hint }) => Err(refused(why, hint)),
    }
}
