//! Arbitrary bytes as an SQLite index: it is read or refused within limits, and the objects that opm would
//! render are a valid catalog.
#![no_main]

use libfuzzer_sys::fuzz_target;
use olm_catalog::load;
use olm_source::legacy::documents_of_index;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(documents) = documents_of_index(bytes.to_vec()) {
        let catalog = load::from_bytes(documents.clone());
        let unread: usize =
            catalog.all_problems().map(|found| found.count_kinds(|kind| kind.stops_opm())).sum();
        assert_eq!(unread, 0, "{}", String::from_utf8_lossy(&documents));
    }
});
