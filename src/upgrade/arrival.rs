//! Possible entries of a new bundle in each channel, before it is in a catalog.

use super::{
    PackageGraph,
    promote::{Offer, Refusal, Wish, offer},
};
use crate::{
    bundle::NewBundle,
    catalog::{BundleName, Catalog, ChannelName, blob::EntrySpec},
    edit::{self, Edit, EditError},
};

/// Catalog with a new bundle that is not in any channel yet.
#[derive(Clone, Debug)]
pub struct Arrival {
    graph: PackageGraph,
}

/// Source of the edges of the new entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntryFrom {
    /// The head of the channel: the bundle becomes its successor.
    Head(Wish),
    /// The ClusterServiceVersion: `replaces`, `skips` and `olm.skipRange`.
    Csv,
}

impl Default for EntryFrom {
    fn default() -> Self {
        Self::Head(Wish::default())
    }
}

/// Contradiction between the CSV and the edges from the channel.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Conflict {
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
    NothingThere {
        /// Replaced bundle.
        asked: BundleName,
    },
    /// The CSV has edges that the entry would not get.
    #[error("the CSV also asks for {}", .0.join(" and "))]
    Dropped(Vec<&'static str>),
}

impl Arrival {
    /// Adds the bundle to the catalog, without any channel.
    ///
    /// # Errors
    ///
    /// Fails if the catalog contains it already, or if it cannot be added.
    pub fn of(new: &NewBundle, catalog: &Catalog) -> Result<Self, EditError> {
        let with = edit::apply(catalog, &Edit::add_bundle(new, catalog, &[]))?;
        let package =
            with.package(new.package.as_str()).ok_or_else(|| EditError::NoPackage(new.package.clone()))?;
        Ok(Self { graph: PackageGraph::new(package) })
    }

    /// Returns the channels of the package.
    pub fn channels(&self) -> impl Iterator<Item = &ChannelName> {
        self.graph.package.channels.iter().map(|channel| &channel.name.value)
    }

    /// Returns the edges that a channel offers to the bundle. A missing channel counts as empty.
    ///
    /// # Errors
    ///
    /// Fails if the bundle cannot become the head of the channel.
    pub fn offer(&self, new: &NewBundle, channel: &ChannelName) -> Result<Offer, Refusal> {
        match self.graph.channel(channel.as_str()) {
            Some(upgrades) => offer(&self.graph.package, &upgrades.graph, &new.name),
            None => Ok(Offer { channel: channel.clone(), head: None, instead: None, range: None }),
        }
    }

    /// Returns the graph of the package.
    pub fn graph(&self) -> &PackageGraph {
        &self.graph
    }
}

/// Returns the edges of the entry. Edges from the CSV do not need a head.
///
/// # Errors
///
/// Returns the refusal of the channel, unless the CSV provides the edges and only the head is missing.
pub fn spec(new: &NewBundle, offer: &Result<Offer, Refusal>, from: EntryFrom) -> Result<EntrySpec, Refusal> {
    match (offer, from) {
        (Ok(offer), EntryFrom::Head(wish)) => Ok(offer.spec(wish)),
        (Ok(_) | Err(Refusal::NoSingleHead), EntryFrom::Csv) => Ok(new.own.clone().unwrap_or_default()),
        (Err(refusal), _) => Err(*refusal),
    }
}

/// Returns the edges of the CSV that the entry does not get. `head` is the head of the channel.
pub fn conflict(new: &NewBundle, head: Option<&BundleName>, spec: &EntrySpec) -> Option<Conflict> {
    let own = new.own.as_ref()?;
    if let Some(asked) = own.replaces.clone().filter(|_| own.replaces != spec.replaces) {
        return Some(match head {
            None => Conflict::NothingThere { asked },
            Some(head) => Conflict::OtherHead { asked, head: head.clone() },
        });
    }
    let mut dropped = Vec::new();
    if own.skips.iter().any(|skip| !spec.skips.contains(skip)) {
        dropped.push("skips");
    }
    if own.skip_range.is_some() && own.skip_range != spec.skip_range {
        dropped.push("skipRange");
    }
    (!dropped.is_empty()).then_some(Conflict::Dropped(dropped))
}
