//! Tests of fetching bundle images: the choices, the progress, the failures, and the effects.

use std::{fmt::Write as _, sync::Arc};

use insta::assert_snapshot;
use olm_bundle::{outline::Outline, registry::DirectoryContents};
use olm_source::read_bundle_directory;
use olmap::tui::{
    Effect, UserError,
    dialogs::image_fetch,
    keys::Dialog,
    session::jobs::{
        bundle_manifests::{FetchAnswer, FetchRequest, ManifestRequest},
        deferred_checks::DeferredCheckRequest,
    },
    work::{
        JobSlot,
        outcome::{FetchOutcome, FoundManifests, ManifestLocation, ManifestLookup},
    },
};

use super::support::ExplorerDriver;

/// Bundles from two registries in two channels.
const BUOY_CATALOG: &str = "schema: olm.package
name: buoy
defaultChannel: stable
---
schema: olm.channel
package: buoy
name: stable
entries:
- name: buoy.v1.0.0
- name: buoy.v1.1.0
  replaces: buoy.v1.0.0
- name: buoy.v1.2.0
  replaces: buoy.v1.1.0
---
schema: olm.channel
package: buoy
name: fast
entries:
- name: buoy.v1.3.0
---
schema: olm.bundle
package: buoy
name: buoy.v1.0.0
image: quay.example/harbour/buoy-bundle@sha256:1111111111111111111111111111111111111111111111111111111111111111
properties:
- {type: olm.package, value: {packageName: buoy, version: 1.0.0}}
---
schema: olm.bundle
package: buoy
name: buoy.v1.1.0
image: registry.example:5000/harbour/buoy-bundle:v1.1.0
properties:
- {type: olm.package, value: {packageName: buoy, version: 1.1.0}}
---
schema: olm.bundle
package: buoy
name: buoy.v1.2.0
image: registry.example:5000/harbour/buoy-bundle:v1.2.0
properties:
- {type: olm.package, value: {packageName: buoy, version: 1.2.0}}
---
schema: olm.bundle
package: buoy
name: buoy.v1.3.0
image: quay.example/harbour/buoy-bundle:v1.3.0
properties:
- {type: olm.package, value: {packageName: buoy, version: 1.3.0}}
";

fn last_fetch_request(hand: &ExplorerDriver) -> Option<Arc<FetchRequest>> {
    hand.last_request()
}

fn send_fetched(
    hand: &mut ExplorerDriver,
    asked: &Arc<FetchRequest>,
    bundle: &str,
    outcome: Result<FetchOutcome, &str>,
) {
    let outcome = outcome.map_err(|why| {
        UserError::new(why.to_owned())
            .with_hint("log in to it: podman login registry.example:5000".to_owned())
    });
    hand.answer(Arc::clone(asked), FetchAnswer::Image { bundle: bundle.into(), outcome });
}

fn open_dialog_id(hand: &ExplorerDriver) -> Option<Dialog> {
    hand.model.dialogs.last().map(|dialog| dialog.id())
}

/// Counts the matching effects.
fn count_effects(hand: &ExplorerDriver, is: impl Fn(&Effect) -> bool) -> usize {
    hand.effects.iter().filter(|effect| is(effect)).count()
}

fn count_bundle_requests(hand: &ExplorerDriver) -> usize {
    hand.requests::<ManifestRequest>().len()
}

#[test]
fn fetch_dialog_at_three_sizes() {
    let mut all = String::new();
    for (columns, rows) in [(120, 36), (80, 24), (50, 15)] {
        let mut hand = ExplorerDriver::open_yaml(BUOY_CATALOG, columns, rows);
        hand.press("l l ctrl-g");
        let _ = write!(all, "== {columns}x{rows}\n{}", hand.screen());
        hand.press("enter");
        let asked = last_fetch_request(&hand).unwrap();
        send_fetched(&mut hand, &asked, "buoy.v1.0.0", Ok(FetchOutcome::Cached));
        let _ = write!(all, "== while they are fetched\n{}", hand.screen());
        send_fetched(
            &mut hand,
            &asked,
            "buoy.v1.1.0",
            Err("registry.example:5000 wants other credentials: 401"),
        );
        send_fetched(&mut hand, &asked, "buoy.v1.2.0", Ok(FetchOutcome::Fetched));
        let _ = write!(all, "== one failed\n{}", hand.screen());
        hand.answer(asked, FetchAnswer::Ended);
        let _ = write!(all, "== the end\n{}", hand.screen());
    }
    assert_snapshot!(all);
}

#[test]
fn channel_bundle_or_package_is_fetched_and_checked() {
    let mut hand = ExplorerDriver::open_yaml(BUOY_CATALOG, 120, 36);
    hand.press("l l ctrl-g");
    assert!(hand.shows("registry.example:5000"), "{}", hand.screen());
    assert_eq!(last_fetch_request(&hand), None, "nothing is fetched before somebody says so");
    hand.press("enter");
    let asked = last_fetch_request(&hand).unwrap();
    let images = asked.images.clone();
    assert_eq!(images.len(), 3, "the channel's, not those of fast: {images:?}");
    for (bundle, _) in &images {
        send_fetched(&mut hand, &asked, bundle.as_str(), Ok(FetchOutcome::Fetched));
    }
    let other = FetchRequest { package: asked.package.clone(), images: images.clone() };
    send_fetched(&mut hand, &Arc::new(other), "buoy.v1.0.0", Err("an answer to something else"));
    let learns = |hand: &ExplorerDriver| {
        let requests = hand.requests::<DeferredCheckRequest>();
        requests.iter().filter(|asked| asked.package.is_some()).count()
    };
    let before = learns(&hand);
    hand.answer(asked, FetchAnswer::Ended);
    assert_eq!(open_dialog_id(&hand), None, "{}", hand.screen());
    assert!(hand.shows("3 images fetched"), "{}", hand.screen());
    assert_eq!(learns(&hand), before + 1, "upgrades are judged by what came");
    hand.press("ctrl-g k enter");
    assert_eq!(last_fetch_request(&hand).unwrap().images.len(), 1, "the bundle");
    let asked = last_fetch_request(&hand).unwrap();
    hand.answer(asked, FetchAnswer::Ended);
    hand.press("ctrl-g G enter");
    assert_eq!(last_fetch_request(&hand).unwrap().images.len(), 4, "the package");
    let mut alone = ExplorerDriver::open_yaml(
        &BUOY_CATALOG.replace("- name: buoy.v1.3.0", "- name: buoy.v1.2.0"),
        120,
        36,
    );
    alone.press("l l ctrl-g enter");
    assert_eq!(
        last_fetch_request(&alone).unwrap().images.len(),
        3,
        "the channel, also where the package is hardly more"
    );
}

#[test]
fn escape_stops_fetching_and_the_rest_is_reported() {
    let mut hand = ExplorerDriver::open_yaml(BUOY_CATALOG, 120, 36);
    hand.press("l l ctrl-g enter");
    let asked = last_fetch_request(&hand).unwrap();
    send_fetched(&mut hand, &asked, "buoy.v1.0.0", Ok(FetchOutcome::Fetched));
    hand.press("enter");
    assert_eq!(open_dialog_id(&hand), Some(image_fetch::DIALOG), "Enter does not leave it alone");
    hand.press("esc");
    assert_eq!(open_dialog_id(&hand), None);
    assert_eq!(count_effects(&hand, |effect| matches!(effect, Effect::Stop(JobSlot::Images))), 1);
    hand.press("ctrl-g");
    assert!(hand.shows("images are being fetched"), "{}", hand.screen());
    hand.answer(asked, FetchAnswer::Ended);
    assert!(hand.shows("1 image fetched, 2 not fetched"), "{}", hand.screen());
}

#[test]
fn bundle_screen_offers_the_fetch_and_shows_the_fetched_content() {
    let mut hand = ExplorerDriver::open_yaml(BUOY_CATALOG, 120, 36);
    hand.press("l l 7");
    let answer = |hand: &mut ExplorerDriver, looked: ManifestLookup| {
        let asked = hand.last_request::<ManifestRequest>().unwrap();
        hand.answer(asked, Ok(looked));
    };
    answer(&mut hand, ManifestLookup::NotFetched);
    assert!(hand.shows("in the bundle image, which ctrl-g fetches"), "{}", hand.screen());
    let before = count_bundle_requests(&hand);
    hand.press("ctrl-g enter");
    let asked = last_fetch_request(&hand).unwrap();
    let images = asked.images.clone();
    assert_eq!(images.len(), 1, "here one bundle is meant");
    send_fetched(&mut hand, &asked, images[0].0.as_str(), Ok(FetchOutcome::Fetched));
    hand.answer(asked, FetchAnswer::Ended);
    assert_eq!(count_bundle_requests(&hand), before + 1);
    let tree = read_bundle_directory("tests/fixtures/cli/lighthouse".as_ref()).unwrap();
    let inside = Arc::new(Outline::from_directory(&DirectoryContents::from_tree(&tree), &tree));
    let place = ManifestLocation::Image(images[0].1.clone());
    answer(&mut hand, ManifestLookup::Found(Arc::new(FoundManifests { location: place, outline: inside })));
    assert!(hand.shows("from its image"), "{}", hand.screen());
    hand.press("j j E");
    assert_eq!(
        count_effects(&hand, |effect| matches!(effect, Effect::OpenEditor { .. })),
        0,
        "{}",
        hand.screen()
    );
}

#[test]
fn fetch_is_refused_offline_or_without_a_cache() {
    let mut hand = ExplorerDriver::open_yaml(BUOY_CATALOG, 120, 36);
    hand.model.settings.open_options.access.offline = true;
    hand.press("l l ctrl-g");
    assert!(hand.shows("--offline"), "{}", hand.screen());
    hand.model.settings.open_options.access.offline = false;
    hand.model.settings.open_options.access.cache = None;
    hand.press("ctrl-g");
    assert!(hand.shows("no cache"), "{}", hand.screen());
    assert_eq!(open_dialog_id(&hand), None);
}
