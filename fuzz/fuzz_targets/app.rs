//! Random input to the explorer: `update` and `view` never panic, the selected object exists, and no cell of
//! the screen contains control characters.
//!
//! The first byte selects the open catalog. Each group of six bytes is an action, as in the tests
//! (`tests/explorer/deeds.rs`).
#![no_main]

#[allow(dead_code)]
#[path = "../../tests/explorer/deeds.rs"]
mod deeds;
#[path = "../../tests/support/mod.rs"]
mod support;

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use olm_catalog::load;
use olm_check::review::Snapshot;
use olm_plan::cluster::{Cluster, Reader};
use olmap::demo::demo;
use olmap::tui::{Settings, Source};

use deeds::{ActionKinds, assert_selection_exists, decode_actions, run_actions};
use support::ExplorerDriver;

/// Checked once, because the result is always the same.
static DEMO: LazyLock<Arc<Snapshot>> = LazyLock::new(|| Arc::new(Snapshot::new(demo())));
static WRITTEN: LazyLock<Vec<Arc<Snapshot>>> = LazyLock::new(|| {
    let texts: [&[u8]; 4] = [
        b"",
        include_bytes!("../seeds/catalogs/odd.yaml"),
        include_bytes!("../seeds/loader/small.json"),
        include_bytes!("../seeds/template/semver"),
    ];
    texts.map(|text| Arc::new(Snapshot::new(load::from_bytes(text.to_vec())))).to_vec()
});
static CLUSTER: LazyLock<Option<Arc<Cluster>>> = LazyLock::new(|| {
    let mut reader = Reader::default();
    reader.add_file("cluster.yaml", include_bytes!("../../demo/cluster.yaml"));
    reader.finish_cluster().ok().map(Arc::new)
});

fn open(kind: u8) -> ExplorerDriver {
    let cluster = if kind & 1 == 0 { None } else { CLUSTER.clone() };
    let settings = Settings { installed_operators: cluster, ..support::settings() };
    let (source, snapshot) = match kind >> 1 {
        number @ 0..8 => {
            let snapshot = &WRITTEN[usize::from(number) % WRITTEN.len()];
            (
                Source::Stdin(Arc::new(snapshot.catalog.files()[0].current_bytes().to_vec())),
                Arc::clone(snapshot),
            )
        }
        _ => (Source::Demo, Arc::clone(&DEMO)),
    };
    let mut hand = ExplorerDriver::before_loading(vec![source.clone()], settings, 100, 30);
    hand.finish_loading(source, Ok(snapshot));
    hand
}

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    let mut hand = open(*kind);
    run_actions(&mut hand, decode_actions(bytes, ActionKinds::All));
    assert_selection_exists(&hand);
});
