//! The catalog filter of oc-mirror v2, and the installed versions that lose their upgrades in the filtered
//! catalog.
//!
//! The rules come from running oc-mirror v2 with catalog-filter 0.0.5. The filtered catalog is a normal
//! [`Catalog`](olm_catalog::Catalog), so all queries work with it. oc-mirror does not validate the catalogs
//! that it publishes.

mod check;
#[cfg(test)]
mod conformance;
mod error;
mod filter;
mod images;
mod parser;
mod remedy;
mod section;
#[cfg(test)]
mod tests;

use olm_catalog::Catalog;
use olm_edit::{
    Edit,
    kept_parts::{KeptChannel, KeptPackage},
};

pub(super) use check::only_package;
pub use check::{Cause, CheckQuestion, FilterImpact, InstalledPosition, MirrorCheck, check_upgrades};
pub use error::MirrorError;
pub use filter::filter_catalog;

pub use parser::{ConfigurationError, ConfigurationErrorKind, parse_configuration};
pub use remedy::Remedy;
pub use section::{Bound, ChannelRule, PackageRule, Range, Section};

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
