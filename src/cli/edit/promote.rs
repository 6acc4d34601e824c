//! `olmap edit promote`: adds a bundle of a catalog to more channels.

use olm_catalog::{BundleName, Catalog, Semver, template::semver::List};
use olm_edit::Edit;
use olm_upgrade::{Installed, PackageGraph};

use super::{
    BuiltEdit,
    operation::resolve_bundle,
    placement::{ListedImage, PlaceRequest, PlacementArgs, csv_edges},
    select_package_with_bundle,
    shared_args::Where,
    template::unknown_bundle_failure,
};
use crate::cli::{Failure, source};

#[derive(Debug, clap::Args)]
pub struct Promote {
    /// Bundle: its name, or its version if only one bundle has it.
    pub bundle: String,
    #[command(flatten)]
    placement: PlacementArgs,
    /// New channel to create for the bundle. Can be repeated.
    #[arg(long = "new-channel", value_name = "NAME")]
    new_channels: Vec<String>,
    #[command(flatten)]
    pub where_: Where,
}

impl Promote {
    /// Returns the edit of a catalog.
    pub fn build_edit(&self, catalog: &Catalog) -> Result<BuiltEdit, Failure> {
        let label = catalog.origin.label();
        let args = &self.placement;
        if !args.names_channels() && !args.names_lists() && self.new_channels.is_empty() {
            return Err(Failure::new(format!("no channel given for {}", self.bundle))
                .with_hint("name it with --channel NAME, --new-channel NAME or --like-previous"));
        }
        if let Some(semver) = catalog.template().and_then(|template| template.semver()) {
            return args.build_list_edit(semver, &label, &self.find_image(catalog, semver)?);
        }
        if !args.names_channels() && self.new_channels.is_empty() {
            return Err(PlacementArgs::lists_failure(&label));
        }
        let missing = |failure: Failure| {
            failure.add_hint("olmap edit add-bundle adds a bundle that the catalog does not have")
        };
        let package = select_package_with_bundle(catalog, self.where_.package.as_deref(), &self.bundle)
            .map_err(missing)?;
        let graph = PackageGraph::new(package);
        let bundle = resolve_bundle(&graph, &self.bundle).map_err(missing)?;
        if let Some(unknown) = args.channels.iter().find(|name| graph.channel(name).is_none()) {
            return Err(source::no_channel_failure(package, unknown)
                .add_hint(format!("--new-channel {unknown} creates it")));
        }
        let csv = if args.wants_csv_edges() { csv_edges(catalog, package, &bundle) } else { None };
        let request = PlaceRequest {
            args,
            graph: &graph,
            bundle: &bundle,
            csv: csv.as_ref(),
            given: None,
            new_channels: &self.new_channels,
            create_option: "--new-channel",
        };
        let places = request.choose_places()?;
        let edit = Edit::promote(package, &bundle, &places.wanted);
        Ok(BuiltEdit { edit, placed: places.placed, messages: places.messages })
    }

    /// Finds the image of the bundle in the lists of a template, or in the catalogs that the template knows.
    fn find_image(&self, catalog: &Catalog, semver: &Semver) -> Result<ListedImage, Failure> {
        let name = catalog.packages().find_map(|package| {
            let known = Installed::parse(package, &self.bundle).ok()?;
            package.bundle(known.name.as_str()).map(|bundle| bundle.name.value.clone())
        });
        let name = name.unwrap_or_else(|| BundleName::from(self.bundle.as_str()));
        let listed = List::ALL.into_iter().find_map(|list| semver.find_image(list, name.as_str()));
        let image = listed.or_else(|| catalog.known_image(name.as_str()));
        let image = image.ok_or_else(|| unknown_bundle_failure(catalog, &self.bundle))?.to_owned();
        let version = catalog.known_version(&image).cloned().map(Into::into);
        Ok(ListedImage { name, image, version })
    }
}
