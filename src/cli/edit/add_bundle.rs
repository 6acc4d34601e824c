//! `olmap edit add-bundle`: a new bundle, and its entries in channels.

use std::path::PathBuf;

use super::operation::Edges;
use super::shared_args::Where;
use crate::cli::{Failure, source};
use olm_bundle::NewBundle;
use olm_catalog::{Catalog, ChannelName, blob::EntrySpec};
use olm_edit::{ChannelPlacement, Edit, EditError};
use olm_source::{NewBundleError, new_bundle_of, read_new_bundle};
use olm_upgrade::pending_bundle::{EdgeSource, PendingBundle, entry_spec, find_conflict};
use olm_upgrade::promotion::{OfferChoice, OfferError};

#[derive(Debug, clap::Args)]
pub struct AddBundle {
    /// Bundle directory, or file with the olm.bundle that opm render prints (- for standard input).
    #[arg(value_name = "BUNDLE")]
    pub bundle: PathBuf,
    /// Image of the bundle directory, preferably with its digest.
    #[arg(long, value_name = "REFERENCE")]
    image: Option<String>,
    /// Channel that gets the bundle as its new head; olmap creates it if needed. Can be repeated.
    #[arg(long = "channel", short = 'c', value_name = "NAME")]
    channels: Vec<String>,
    /// Use the edges of its ClusterServiceVersion, instead of replacing the head.
    #[arg(long, requires = "channels", conflicts_with_all = ["skip_head", "with_range"])]
    from_csv: bool,
    /// Replace what the head replaces, skip what it skips, and skip the head too.
    #[arg(long, requires = "channels")]
    skip_head: bool,
    /// Copy the head's skipRange, extended to the new version.
    #[arg(long, requires = "channels")]
    with_range: bool,
    #[command(flatten)]
    edges: Edges,
    #[command(flatten)]
    pub where_: Where,
}

impl AddBundle {
    /// Reads the bundle.
    pub fn load_bundle(&self) -> anyhow::Result<NewBundle> {
        let image = self.image.as_deref().unwrap_or_default();
        let read = if source::is_stdin(&self.bundle) {
            new_bundle_of(source::read_stdin()?, image)
        } else {
            read_new_bundle(&self.bundle, image)
        };
        Ok(read.map_err(|error| {
            let words = match &error {
                NewBundleError::NotAdded(_) => format!("{}: {error}", source::input_label(&self.bundle)),
                error => error.to_string(),
            };
            Failure::in_file(&self.bundle, None, Failure::new(words).with_optional_hint(error.hint()))
        })?)
    }

    /// Returns the edit of a catalog, and messages for the user.
    pub fn build_edit(&self, new: &NewBundle, catalog: &Catalog) -> Result<(Edit, Vec<String>), Failure> {
        let failed = |error: EditError| Failure::new(error.to_string());
        if let Some(other) = self.where_.package.as_deref().filter(|package| *package != new.package.as_str())
        {
            return Err(Failure::new(format!("{} is a bundle of {}, not of {other}", new.name, new.package)));
        }
        let mut words = Vec::new();
        if new.image.is_empty() {
            words.push(format!("{} has no image: give one with --image", new.name));
        } else if new.is_referenced_by_tag() {
            words.push(format!("{} is a tag, which can move; a digest (@sha256:...) cannot", new.image));
        }
        if self.channels.is_empty() {
            if self.edges.are_given() {
                return Err(Failure::new("edges need a channel").with_hint("add --channel NAME"));
            }
            if catalog.package(new.package.as_str()).is_none() {
                return Err(source::no_package_failure(catalog, new.package.as_str())
                    .add_hint("with --channel the package is made"));
            }
            if !new.channels.is_empty() {
                let names: Vec<&str> = new.channels.iter().map(ChannelName::as_str).collect();
                words.push(format!(
                    "{} is in no channel yet; its annotations name {}: add --channel",
                    new.name,
                    names.join(", ")
                ));
            }
            return Ok((Edit::add_bundle(new, catalog, &[]), words));
        }
        let arrival =
            PendingBundle::from_package(&olm_edit::package_with_bundle(new, catalog).map_err(failed)?);
        if self.from_csv && new.own_entry.is_none() {
            let words = format!("the ClusterServiceVersion of {} asks for no edges", new.name);
            return Err(Failure::new(words).with_hint("leave out --from-csv"));
        }
        let from = if self.from_csv {
            EdgeSource::Csv
        } else {
            EdgeSource::Head(OfferChoice { take_head_edges: self.skip_head, extend_range: self.with_range })
        };
        let mut wanted: Vec<ChannelPlacement> = Vec::new();
        for channel in &self.channels {
            let channel = ChannelName::from(channel.as_str());
            if wanted.iter().any(|known| known.channel == channel) {
                continue;
            }
            let offer = arrival.offer_in_channel(new, &channel);
            let first = match entry_spec(new, &offer, from) {
                // With an explicit `replaces`, no head is needed.
                Err(OfferError::NoSingleHead) if self.edges.replaces.is_some() => EntrySpec::default(),
                first => first
                    .map_err(|refusal| Failure::new(format!("{} in {channel}: it {refusal}", new.name)))?,
            };
            let head = offer.as_ref().ok().and_then(|offer| offer.head.as_ref());
            // Explicit edges are not questioned.
            let decided = self.from_csv || self.edges.are_given();
            if let Some(conflict) = find_conflict(new, head, &first).filter(|_| !decided) {
                words.push(format!("{channel}: {conflict}; --from-csv takes what the CSV says"));
            }
            wanted
                .push(ChannelPlacement { channel, spec: self.edges.apply_to_entry(arrival.graph(), first) });
        }
        Ok((Edit::add_bundle(new, catalog, &wanted), words))
    }
}
