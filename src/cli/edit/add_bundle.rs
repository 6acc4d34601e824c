//! `olmap edit add-bundle`: a new bundle, and its entries in channels.

use std::path::PathBuf;

use super::operation::Edges;
use super::placement::{ListedImage, PlaceRequest, PlacementArgs};
use super::shared_args::Where;
use super::{BuiltEdit, Message};
use crate::cli::{Failure, source};
use olm_bundle::NewBundle;
use olm_catalog::{Catalog, ChannelName};
use olm_edit::{Edit, EditError};
use olm_source::{NewBundleError, new_bundle_of, read_new_bundle};
use olm_upgrade::PackageGraph;

#[derive(Debug, clap::Args)]
pub struct AddBundle {
    /// Bundle directory, or file with the olm.bundle that opm render prints (- for standard input).
    #[arg(value_name = "BUNDLE")]
    pub bundle: PathBuf,
    /// Image of the bundle directory, preferably with its digest.
    #[arg(long, value_name = "REFERENCE")]
    image: Option<String>,
    #[command(flatten)]
    placement: PlacementArgs,
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

    /// Returns the catalog; a template knows the new bundle by its image.
    pub fn with_new_bundle(new: &NewBundle, catalog: Catalog) -> Catalog {
        match catalog.template() {
            Some(_) => catalog.with_known_bundles_of(&new.to_catalog()),
            None => catalog,
        }
    }

    /// Returns the edit of a catalog. See [`Self::with_new_bundle`].
    pub fn build_edit(&self, new: &NewBundle, catalog: &Catalog) -> Result<BuiltEdit, Failure> {
        if let Some(other) = self.where_.package.as_deref().filter(|package| *package != new.package.as_str())
        {
            return Err(Failure::new(format!("{} is a bundle of {}, not of {other}", new.name, new.package)));
        }
        let label = catalog.origin.label();
        let mut messages = Vec::new();
        if new.image.is_empty() && catalog.template().is_some() {
            return Err(Failure::new(format!("{} has no image, and a template has only images", new.name))
                .with_hint("give one with --image REFERENCE"));
        }
        if new.image.is_empty() {
            messages.push(Message::warning(format!("{} has no image: give one with --image", new.name)));
        } else if new.is_referenced_by_tag() {
            let text = format!("{} is a tag, which can move; a digest (@sha256:...) cannot", new.image);
            messages.push(Message::warning(text));
        }
        let args = &self.placement;
        let mut built = if let Some(semver) = catalog.template().and_then(|template| template.semver()) {
            args.build_list_edit(semver, &label, &ListedImage::from_new_bundle(new))?
        } else if args.names_channels() {
            self.build_channel_edit(new, catalog)?
        } else {
            self.build_plain_edit(new, catalog, &label)?
        };
        built.messages.splice(0..0, messages);
        Ok(built)
    }

    /// Returns the edit that adds the bundle to channels.
    fn build_channel_edit(&self, new: &NewBundle, catalog: &Catalog) -> Result<BuiltEdit, Failure> {
        let package = olm_edit::package_with_bundle(new, catalog).map_err(|error| match error {
            EditError::BundleExists(_) => {
                Failure::new(error.to_string()).with_hint("olmap edit promote adds it to more channels")
            }
            error => Failure::new(error.to_string()),
        })?;
        let graph = PackageGraph::new(&package);
        let request = PlaceRequest {
            args: &self.placement,
            graph: &graph,
            bundle: &new.name,
            csv: new.own_entry.as_ref(),
            given: Some(&self.edges),
            new_channels: &[],
            create_option: "--channel",
        };
        let places = request.choose_places()?;
        let edit = Edit::add_bundle(new, catalog, &places.wanted);
        Ok(BuiltEdit { edit, placed: places.placed, messages: places.messages })
    }

    /// Returns the edit that adds the bundle without entries.
    fn build_plain_edit(
        &self,
        new: &NewBundle,
        catalog: &Catalog,
        label: &str,
    ) -> Result<BuiltEdit, Failure> {
        let args = &self.placement;
        if args.names_lists() {
            return Err(PlacementArgs::lists_failure(label));
        }
        if self.edges.are_given() || args.has_choice() {
            return Err(Failure::new("edges need a channel").with_hint("add --channel NAME"));
        }
        if catalog.package(new.package.as_str()).is_none() {
            return Err(source::no_package_failure(catalog, new.package.as_str())
                .add_hint("with --channel the package is made"));
        }
        let mut messages = Vec::new();
        if !new.channels.is_empty() {
            let names: Vec<&str> = new.channels.iter().map(ChannelName::as_str).collect();
            messages.push(Message::warning(format!(
                "{} is in no channel yet; its annotations name {}: add --channel",
                new.name,
                names.join(", ")
            )));
        }
        Ok(BuiltEdit { edit: Edit::add_bundle(new, catalog, &[]), placed: Vec::new(), messages })
    }
}
