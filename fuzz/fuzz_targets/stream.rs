//! Two catalogs separated by a zero byte. A catalog that is loaded package by package equals one that is
//! loaded at once. Each can be compared with the other, and does not differ from itself. Reports about them
//! do not panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use olm_catalog::{Catalog, load};
use olm_check::review::{Difference, Snapshot};

/// Describes a catalog for comparison.
fn describe_catalog(catalog: &Catalog) -> (Vec<String>, Vec<String>) {
    let packages = catalog.packages().map(|package| {
        let bundles = package.bundles.iter().map(|bundle| bundle.name.value.to_string());
        let channels = package
            .channels
            .iter()
            .map(|channel| format!("{}:{}", channel.name.value, channel.entries.len()));
        format!("{} {:?} {:?}", package.name, bundles.collect::<Vec<_>>(), channels.collect::<Vec<_>>())
    });
    let problems = catalog.all_problems().map(|found| format!("{:?}", found.complete_problems()));
    (packages.collect(), problems.collect())
}

fuzz_target!(|bytes: &[u8]| {
    let mut parts = bytes.splitn(2, |byte| *byte == 0);
    let (old, new) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let whole = load::from_bytes(old.to_vec());
    let mut shown = 0;
    let grown = load::from_bytes_incremental(old.to_vec(), &load::Progress::default(), &mut |part| {
        shown += part.packages().count();
    });
    assert_eq!(describe_catalog(&grown.expect("nobody stops it")), describe_catalog(&whole));
    let [old, new] = [whole, load::from_bytes(new.to_vec())].map(Snapshot::new);
    for (before, after) in [(&old, &new), (&new, &old)] {
        let _ = Difference::compare_catalogs(before, after);
    }
    assert!(Difference::compare_catalogs(&old, &old).is_empty());
});
