//! The filtered catalog as an edit, to preview, undo and save it like other edits.

use olm_catalog::Catalog;
use olm_edit::{
    Edit,
    kept_parts::{KeptChannel, KeptPackage},
};

/// Returns the edit that reduces a catalog to the packages, channels, entries and bundles of the filtered
/// catalog.
///
/// The edit removes bundles without a channel, because OLM cannot install them. oc-mirror sometimes mirrors
/// such bundles.
pub fn build_filter_edit(catalog: &Catalog, filtered: &Catalog) -> Edit {
    let packages = filtered.packages().map(|left| {
        let before = catalog.package(left.name.as_str());
        let default = left.default_channel().cloned();
        let channels = left.channels.iter().map(|channel| KeptChannel {
            channel: channel.name.value.clone(),
            entries: Some(channel.entries.iter().map(|entry| entry.name.value.clone()).collect()),
        });
        KeptPackage {
            package: left.name.clone(),
            default_channel: default
                .filter(|now| before.and_then(|before| before.default_channel()) != Some(now)),
            channels: Some(channels.collect()),
        }
    });
    Edit::KeepOnly { packages: packages.collect() }
}
