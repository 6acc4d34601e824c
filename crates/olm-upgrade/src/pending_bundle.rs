//! Possible entries of a new bundle in the channels of its package, before the bundle is added.

use std::sync::Arc;

use super::{
    PackageGraph,
    promotion::{EdgeOffer, OfferChoice, OfferError, offer_edges},
};
use olm_bundle::NewBundle;
use olm_catalog::{BundleName, ChannelName, blob::EntrySpec, package::Package};

/// Package with a new bundle that is not in any channel yet.
#[derive(Clone, Debug)]
pub struct PendingBundle {
    graph: PackageGraph,
}

/// Source of the edges of the new entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EdgeSource {
    /// The head of the channel: the bundle becomes its successor.
    Head(OfferChoice),
    /// The ClusterServiceVersion: `replaces`, `skips` and `olm.skipRange`.
    Csv,
}

impl Default for EdgeSource {
    fn default() -> Self {
        Self::Head(OfferChoice::default())
    }
}

/// Contradiction between the CSV and the edges from the channel.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CsvConflict {
    /// The CSV replaces a bundle other than the head.
    #[error("the CSV replaces {asked}, the head is {head}")]
    OtherHead {
        /// Replaced bundle.
        asked: BundleName,
        /// Head of the channel.
        head: BundleName,
    },
    /// The CSV replaces a bundle, but the channel is empty.
    #[error("the CSV replaces {asked}, the channel is new or empty")]
    EmptyChannel {
        /// Replaced bundle.
        asked: BundleName,
    },
    /// The CSV has edges that the entry would not get.
    #[error("the CSV also asks for {}", .0.join(" and "))]
    Dropped(Vec<&'static str>),
}

impl PendingBundle {
    /// Derives the graphs of the package with the bundle. The crate `olm-edit` adds it (`package_with_bundle`).
    pub fn from_package(package: &Arc<Package>) -> Self {
        Self { graph: PackageGraph::new(package) }
    }

    /// Returns the channels of the package.
    pub fn channel_names(&self) -> impl Iterator<Item = &ChannelName> {
        self.graph.package.channels.iter().map(|channel| &channel.name.value)
    }

    /// Returns the edges that a channel offers to the bundle. A missing channel counts as empty.
    ///
    /// # Errors
    ///
    /// Fails if the bundle cannot become the head of the channel.
    pub fn offer_in_channel(&self, new: &NewBundle, channel: &ChannelName) -> Result<EdgeOffer, OfferError> {
        match self.graph.channel(channel.as_str()) {
            Some(upgrades) => offer_edges(&self.graph.package, &upgrades.graph, &new.name),
            None => Ok(EdgeOffer { channel: channel.clone(), head: None, head_edges: None, range: None }),
        }
    }

    /// Returns the graph of the package.
    pub fn graph(&self) -> &PackageGraph {
        &self.graph
    }
}

/// Returns the edges of the new entry. Edges from the CSV do not need a head of the channel.
///
/// # Errors
///
/// Returns the refusal of the channel, unless the CSV provides the edges and only the head is missing.
pub fn entry_spec(
    new: &NewBundle,
    offer: &Result<EdgeOffer, OfferError>,
    from: EdgeSource,
) -> Result<EntrySpec, OfferError> {
    match (offer, from) {
        (Ok(offer), EdgeSource::Head(wish)) => Ok(offer.build_spec(wish)),
        (Ok(_) | Err(OfferError::NoSingleHead), EdgeSource::Csv) => {
            Ok(new.own_entry.clone().unwrap_or_default())
        }
        (Err(refusal), _) => Err(*refusal),
    }
}

/// Returns the conflict between the edges in the CSV and `spec`, the edges of the entry, if any.
/// `head` is the head of the channel.
pub fn find_conflict(new: &NewBundle, head: Option<&BundleName>, spec: &EntrySpec) -> Option<CsvConflict> {
    let own = new.own_entry.as_ref()?;
    if let Some(asked) = own.replaces.clone().filter(|_| own.replaces != spec.replaces) {
        return Some(match head {
            None => CsvConflict::EmptyChannel { asked },
            Some(head) => CsvConflict::OtherHead { asked, head: head.clone() },
        });
    }
    let mut dropped = Vec::new();
    if own.skips.iter().any(|skip| !spec.skips.contains(skip)) {
        dropped.push("skips");
    }
    if own.skip_range.is_some() && own.skip_range != spec.skip_range {
        dropped.push("skipRange");
    }
    (!dropped.is_empty()).then_some(CsvConflict::Dropped(dropped))
}
