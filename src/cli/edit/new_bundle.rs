//! `olmap edit add-bundle`: adds a bundle to channels, from its directory or the output of `opm render`.

use std::path::{Path, PathBuf};

use super::{operation::Edges, place::Where};
use crate::{
    bundle::NewBundle,
    catalog::{Catalog, ChannelName, blob::EntrySpec},
    cli::{failure::Failure, source},
    edit::{Edit, EditError, Wanted},
    source::{NewBundleError, new_bundle_of, read_new_bundle},
    upgrade::{
        arrival::{Arrival, EntryFrom, conflict, spec},
        promote::{Refusal, Wish},
    },
};

#[derive(Debug, clap::Args)]
pub struct AddBundle {
    /// The bundle: its directory, or a file with its olm.bundle as opm render prints it (- for standard input).
    #[arg(value_name = "BUNDLE")]
    pub bundle: PathBuf,
    /// The image of a bundle directory, best with its digest.
    #[arg(long, value_name = "REFERENCE")]
    image: Option<String>,
    /// A channel to put it into as the new head; made if it does not exist. May be given several times.
    #[arg(long = "channel", short = 'c', value_name = "NAME")]
    channels: Vec<String>,
    /// Take the edges that its ClusterServiceVersion asks for, instead of replacing the head.
    #[arg(long, requires = "channels", conflicts_with_all = ["skip_head", "with_range"])]
    from_csv: bool,
    /// Replace what the head replaces, skip what it skips, and skip the head too.
    #[arg(long, requires = "channels")]
    skip_head: bool,
    /// Copy the head's skipRange, extended up to the new version.
    #[arg(long, requires = "channels")]
    with_range: bool,
    #[command(flatten)]
    edges: Edges,
    #[command(flatten)]
    pub where_: Where,
}

impl AddBundle {
    /// Reads the bundle.
    pub fn read(&self) -> anyhow::Result<NewBundle> {
        let image = self.image.as_deref().unwrap_or_default();
        let read = if self.bundle.as_os_str() == source::STDIN {
            new_bundle_of(source::standard_input()?, image)
        } else {
            read_new_bundle(&self.bundle, image)
        };
        Ok(read.map_err(|error| {
            let words = match &error {
                NewBundleError::NotAdded(_) => format!("{}: {error}", shown(&self.bundle)),
                error => error.to_string(),
            };
            Failure::quoting(&self.bundle, None, Failure::new(words).maybe_hint(error.hint()))
        })?)
    }

    /// Returns the edit of a catalog, and messages for the user.
    pub fn edit(&self, new: &NewBundle, catalog: &Catalog) -> Result<(Edit, Vec<String>), Failure> {
        let failed = |error: EditError| Failure::new(error.to_string());
        if let Some(other) = self.where_.package.as_deref().filter(|package| *package != new.package.as_str())
        {
            return Err(Failure::new(format!("{} is a bundle of {}, not of {other}", new.name, new.package)));
        }
        let mut words = Vec::new();
        if new.image.is_empty() {
            words.push(format!("{} has no image: give one with --image", new.name));
        } else if new.is_by_tag() {
            words.push(format!("{} is a tag, which can move; a digest (@sha256:...) cannot", new.image));
        }
        if self.channels.is_empty() {
            if self.edges.are_given() {
                return Err(Failure::new("edges need a channel").hint("add --channel NAME"));
            }
            if catalog.package(new.package.as_str()).is_none() {
                return Err(source::no_package(catalog, new.package.as_str())
                    .also("with --channel the package is made"));
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
        let arrival = Arrival::of(new, catalog).map_err(failed)?;
        if self.from_csv && new.own.is_none() {
            let words = format!("the ClusterServiceVersion of {} asks for no edges", new.name);
            return Err(Failure::new(words).hint("leave out --from-csv"));
        }
        let from = if self.from_csv {
            EntryFrom::Csv
        } else {
            EntryFrom::Head(Wish { instead: self.skip_head, range: self.with_range })
        };
        let mut wanted: Vec<Wanted> = Vec::new();
        for channel in &self.channels {
            let channel = ChannelName::from(channel.as_str());
            if wanted.iter().any(|known| known.channel == channel) {
                continue;
            }
            let offer = arrival.offer(new, &channel);
            let first = match spec(new, &offer, from) {
                // With an explicit `replaces`, no head is needed.
                Err(Refusal::NoSingleHead) if self.edges.replaces.is_some() => EntrySpec::default(),
                first => first
                    .map_err(|refusal| Failure::new(format!("{} in {channel}: it {refusal}", new.name)))?,
            };
            let head = offer.as_ref().ok().and_then(|offer| offer.head.as_ref());
            // Explicit edges are not questioned.
            let decided = self.from_csv || self.edges.are_given();
            if let Some(conflict) = conflict(new, head, &first).filter(|_| !decided) {
                words.push(format!("{channel}: {conflict}; --from-csv takes what the CSV says"));
            }
            wanted.push(Wanted { channel, spec: self.edges.change(arrival.graph(), first) });
        }
        Ok((Edit::add_bundle(new, catalog, &wanted), words))
    }
}

fn shown(path: &Path) -> String {
    if path.as_os_str() == source::STDIN { "standard input".to_owned() } else { path.display().to_string() }
}
