//! `olmap locate`: where the files of a catalog define and use a name.

use std::path::PathBuf;

use super::{Failure, Out, Outcome, TextOrJson, image, output, source};
use olm_catalog::{Catalog, similar_names};
use olmap_report::{json, listing};

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap locate tide-operator.v2.3.2 catalog     its bundle, its entries, and the edges to it
  olmap locate stable catalog                   this channel, in every package
  olmap locate -p tide-operator stable catalog  this channel, in one package

Exit code: 0 ok, 2 the name does not exist, or something could not be read.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Name of a package, channel or bundle.
    #[arg(value_name = "NAME")]
    name: String,
    /// Catalog directory, file or image, or - for standard input.
    path: Option<PathBuf>,
    /// Only this package.
    #[arg(long, short = 'p', value_name = "NAME")]
    package: Option<String>,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: TextOrJson,
    #[command(flatten)]
    images: image::Args,
}

pub fn run_locate(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let catalog = source::open_catalog(args.path.as_deref(), &args.images)?;
    source::warn_of_problems(&catalog, out);
    if let Some(name) = &args.package {
        source::select_package(&catalog, Some(name))?;
    }
    let selection = listing::Selection { package: args.package.clone(), ..listing::Selection::default() };
    let rows = listing::list_occurrences(&catalog, &selection, &args.name);
    if rows.is_empty() {
        return Err(unknown_name_failure(&catalog, &args.name).into());
    }
    out.print(&match args.format {
        TextOrJson::Text => listing::render_occurrences(&rows),
        TextOrJson::Json | TextOrJson::Yaml => output::encode_json(args.format, json::to_pretty_json(&rows)),
    })?;
    Ok(Outcome::Fine)
}

fn unknown_name_failure(catalog: &Catalog, name: &str) -> Failure {
    let names = catalog.packages().flat_map(|package| {
        let channels = package.channels.iter().map(|channel| channel.name.value.as_str());
        let bundles = package.bundles.iter().map(|bundle| bundle.name.value.as_str());
        [package.name.as_str()].into_iter().chain(channels).chain(bundles)
    });
    let near = similar_names::suggest_closest(name, names);
    Failure::new(format!("no package, channel or bundle is called {name}"))
        .with_optional_hint(near.map(|near| format!("did you mean {near}?")))
}
