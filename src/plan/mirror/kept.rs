//! The cut as an edit, so that it can be supposed, undone and kept like any other.

use crate::{
    catalog::Catalog,
    edit::{
        Edit,
        keep::{KeptChannel, KeptPackage},
    },
};

/// The edit of a catalog that leaves what is left in the filtered one: packages, channels, entries and their bundles. Bundles
/// that oc-mirror mirrors though no channel has them any more are not among them: nobody can install those.
pub fn kept(catalog: &Catalog, filtered: &Catalog) -> Edit {
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
