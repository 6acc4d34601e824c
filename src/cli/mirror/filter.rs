//! `olmap mirror filter`: part of a catalog that oc-mirror keeps.

use std::path::PathBuf;

use clap::ValueEnum;
use rayon::prelude::*;

use super::mirror_failure;
use crate::cli::{image, out::Out, outcome::Outcome, source};
use olm_catalog::{
    Node,
    text::canonical::{self, RenderFormat},
};
use olm_plan::mirror;
use olmap_report::{json, mirror as export};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Catalog directory, file or image, or - for standard input.
    #[arg(value_name = "CATALOG")]
    catalog: Option<PathBuf>,
    /// Image set configuration, or a single item of its mirror.operators (- for standard input).
    #[arg(long = "file", short = 'f', alias = "config", value_name = "FILE")]
    config: PathBuf,
    /// Item of mirror.operators if there are several: its number, from 1, or its catalog.
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
    /// Human-readable text: the remaining entries of each channel.
    Text,
    /// JSON: packages with their channels, entries and bundles; docs/cli.md describes the fields.
    Json,
    /// Catalog in the format of opm render.
    Yaml,
}

pub fn run_mirror_filter(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    source::check_stdin(&args.catalog.iter().chain([&args.config]).cloned().collect::<Vec<_>>())?;
    let (_, sections) = super::load_sections(&args.config)?;
    let section = super::select_section(sections, args.operator.as_deref())?;
    let catalog = source::open_catalog(args.catalog.as_deref(), &args.images)?;
    let filtered =
        mirror::filter_catalog(&catalog, &section).map_err(|fault| mirror_failure(&catalog, &fault))?;
    match args.format {
        Format::Text => out.print(&export::render_mirrored_channels(&catalog, &filtered, &out.style))?,
        Format::Json => out.print(&json::to_pretty_json(&export::reduce_catalog(&filtered)))?,
        Format::Yaml => {
            let ids: Vec<_> = filtered.documents().collect();
            let documents: Vec<Node> =
                ids.into_par_iter().filter_map(|doc| filtered.parse_document(doc)?.ok()).collect();
            out.print_exact(&canonical::render_documents(&documents, RenderFormat::Yaml))?;
        }
    }
    Ok(Outcome::Fine)
}
