//! `olmap mirror filter`: part of a catalog that oc-mirror keeps.

use std::path::PathBuf;

use clap::ValueEnum;
use rayon::prelude::*;

use super::{configuration, refused};
use crate::{
    catalog::{
        Node,
        text::canonical::{self, RenderFormat},
    },
    cli::{image, out::Out, outcome::Outcome, source},
    export::{json, mirror as export},
    plan::mirror,
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The catalog: a directory, a file, or - for standard input.
    #[arg(value_name = "CATALOG")]
    catalog: Option<PathBuf>,
    /// An image set configuration, or one item of its mirror.operators alone (- for standard input).
    #[arg(long = "file", short = 'f', alias = "config", value_name = "FILE")]
    config: PathBuf,
    /// The item of mirror.operators, where there are several: its number, from 1, or its catalog.
    #[arg(long, value_name = "N|CATALOG")]
    operator: Option<String>,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: Format,
    #[command(flatten)]
    images: image::Args,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// What is left of each channel, for people.
    Text,
    /// The packages with their channels, entries and bundles; the format is in docs/cli.md.
    Json,
    /// The catalog, in the format of opm render.
    Yaml,
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    source::check_stdin(&args.catalog.iter().chain([&args.config]).cloned().collect::<Vec<_>>())?;
    let (_, sections) = configuration::sections(&args.config)?;
    let section = configuration::meant(sections, args.operator.as_deref())?;
    let catalog = source::one(args.catalog.as_deref(), &args.images)?;
    let filtered = mirror::filter(&catalog, &section).map_err(|fault| refused(&catalog, &fault))?;
    match args.format {
        Format::Text => out.print(&export::text(&catalog, &filtered, &out.style))?,
        Format::Json => out.print(&json::pretty(&export::reduced(&filtered)))?,
        Format::Yaml => {
            let ids: Vec<_> = filtered.documents().collect();
            let documents: Vec<Node> =
                ids.into_par_iter().filter_map(|doc| filtered.tree(doc)?.ok()).collect();
            out.print_exact(&canonical::render(&documents, RenderFormat::Yaml))?;
        }
    }
    Ok(Outcome::Fine)
}
