//! Fetching the images of bundles into the cache.

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

/// How many are fetched at once: registries answer slowly, and dislike many questions at a time.
const AT_ONCE: usize = 4;

/// Fetches images, and tells of each; those that are not begun when somebody stops it are not told of.
pub fn fetch(
    number: u64,
    images: Vec<(BundleName, String)>,
    access: &Access,
    progress: &Progress,
    events: &Events,
) -> Msg {
    // The user asks again, so hosts that were given up before are tried again.
    let access = &Access { given_up: GivenUp::default(), ..access.clone() };
    let one = |(bundle, image): (BundleName, String)| {
        if progress.stop.load(Ordering::Relaxed) {
            return;
        }
        let outcome = of(&image, access, progress);
        if outcome.is_err() && progress.stop.load(Ordering::Relaxed) {
            return;
        }
        // A program that ends in the meantime does not look.
        let _ = events.send(Event::Msg(Msg::BundleFetched { number, bundle, outcome }));
    };
    match ThreadPoolBuilder::new().num_threads(AT_ONCE).build() {
        Ok(pool) => pool.install(|| images.into_par_iter().with_max_len(1).for_each(one)),
        Err(_) => images.into_iter().for_each(one),
    }
    Msg::FetchEnded { number }
}

/// One of them. What was not kept is not fetched: nobody could look into it.
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
