//! A new bundle before it is in a catalog: what it could be in each channel.

use super::{
    PackageGraph,
    promote::{Offer, Refusal, Wish, offer},
};
use crate::{
    bundle::NewBundle,
    catalog::{BundleName, Catalog, ChannelName, blob::EntrySpec},
    edit::{self, Edit, EditError},
};

/// A catalog with a new bundle that is an entry of no channel yet.
#[derive(Clone, Debug)]
pub struct Arrival {
    graph: PackageGraph,
}

/// Where the edges of its entry come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntryFrom {
    /// The head of the channel: the bundle becomes the next one.
    Head(Wish),
    /// Its ClusterServiceVersion: `replaces`, `skips` and `olm.skipRange`.
    Csv,
}

impl Default for EntryFrom {
    fn default() -> Self {
        Self::Head(Wish::default())
    }
}

/// What the CSV asks for is not what follows from the channel.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Conflict {
    /// It replaces another bundle than the head.
    #[error("the CSV replaces {asked}, the head is {head}")]
    OtherHead {
        /// What it replaces.
        asked: BundleName,
        /// The head.
        head: BundleName,
    },
    /// It replaces something in a channel that has no entries.
    #[error("the CSV replaces {asked}, the channel is new or empty")]
    NothingThere {
        /// What it replaces.
        asked: BundleName,
    },
    /// It asks for more than the entry would get.
    #[error("the CSV also asks for {}", .0.join(" and "))]
    Dropped(Vec<&'static str>),
}

impl Arrival {
    /// Puts the bundle into the catalog, and into no channel.
    ///
    /// # Errors
    ///
    /// When it is there already, or cannot be added.
    pub fn of(new: &NewBundle, catalog: &Catalog) -> Result<Self, EditError> {
        let with = edit::apply(catalog, &Edit::add_bundle(new, catalog, &[]))?;
        let package =
            with.package(new.package.as_str()).ok_or_else(|| EditError::NoPackage(new.package.clone()))?;
        Ok(Self { graph: PackageGraph::new(package) })
    }

    /// The channels of its package.
    pub fn channels(&self) -> impl Iterator<Item = &ChannelName> {
        self.graph.package.channels.iter().map(|channel| &channel.name.value)
    }

    /// What a channel offers to the bundle; one that is not there is made for it.
    ///
    /// # Errors
    ///
    /// When it cannot become the channel's head without a decision that only people can make.
    pub fn offer(&self, new: &NewBundle, channel: &ChannelName) -> Result<Offer, Refusal> {
        match self.graph.channel(channel.as_str()) {
            Some(upgrades) => offer(&self.graph.package, &upgrades.graph, &new.name),
            None => Ok(Offer { channel: channel.clone(), head: None, instead: None, range: None }),
        }
    }

    /// The graph of its package.
    pub fn graph(&self) -> &PackageGraph {
        &self.graph
    }
}

/// The edges of the entry. Who takes those of the CSV needs no head.
///
/// # Errors
///
/// When the channel offers nothing, and something of it is wanted.
pub fn spec(new: &NewBundle, offer: &Result<Offer, Refusal>, from: EntryFrom) -> Result<EntrySpec, Refusal> {
    match (offer, from) {
        (Ok(offer), EntryFrom::Head(wish)) => Ok(offer.spec(wish)),
        (Ok(_) | Err(Refusal::NoSingleHead), EntryFrom::Csv) => Ok(new.own.clone().unwrap_or_default()),
        (Err(refusal), _) => Err(*refusal),
    }
}

/// What the CSV of the bundle asks for and the entry does not get. `head` is that of the channel.
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
