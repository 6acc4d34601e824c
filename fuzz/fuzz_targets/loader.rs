//! Arbitrary bytes as a catalog: nothing panics, nothing is lost, and every location is inside the file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use olm_catalog::load;
use olm_check::review::Snapshot;

fuzz_target!(|bytes: &[u8]| {
    let snapshot = Snapshot::new(load::from_bytes(bytes.to_vec()));
    let catalog = &snapshot.catalog;
    assert_eq!(catalog.files()[0].current_bytes(), bytes, "the chunks are the file");
    for doc in catalog.documents() {
        let _tree = catalog.parse_document(doc);
    }
    for finding in snapshot.findings() {
        let place = finding.at.as_ref().and_then(|at| at.resolve_in_catalog(catalog));
        if let Some(place) = place {
            assert!(place.line >= 1 && place.column >= 1);
            assert!(place.bytes.end <= bytes.len(), "{place:?}");
        }
    }
});
