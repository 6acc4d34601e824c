//! `olmap init`: prints the `olm.package` of a new catalog.

use std::path::{Path, PathBuf};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use clap::ValueEnum;
use serde_json::json;

use super::{failure::Failure, out::Out, outcome::Outcome};
use olm_catalog::{
    Node, icon,
    load::{self, regular_file},
    text::canonical::{self, RenderFormat},
};
use olmap_report::escape;

/// Maximum size of a description or an icon in bytes.
const MAX_SIZE: u64 = 64 << 20;

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap init tide                               the olm.package of tide
  olmap init tide -c stable -d README.md -i icon.png -o json

Exit code: 0 ok, 2 failed.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Name of the package.
    #[arg(value_name = "NAME")]
    name: String,
    /// Default channel.
    #[arg(long, short = 'c', value_name = "CHANNEL", default_value = "")]
    default_channel: String,
    /// File with the description, usually README.md.
    #[arg(long, short = 'd', value_name = "FILE")]
    description: Option<PathBuf>,
    /// File with the icon, such as PNG, JPEG or GIF; opm does not accept SVG here.
    #[arg(long, short = 'i', value_name = "FILE")]
    icon: Option<PathBuf>,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "yaml")]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// YAML, `---` before the object.
    Yaml,
    /// JSON.
    Json,
}

pub fn run_init(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let mut package = json!({
        "schema": "olm.package",
        "name": args.name,
        "defaultChannel": args.default_channel,
    });
    if let Some(path) = &args.description {
        let text = read_input_file(path)?;
        package["description"] = String::from_utf8_lossy(&text).into();
    }
    if let Some(path) = &args.icon {
        let bytes = read_input_file(path)?;
        let kind = icon::media_type(&bytes).ok_or_else(|| {
            let name = escape::escape_line(&path.display().to_string()).into_owned();
            Failure::new(format!("{name} is not an image that opm init knows")).with_hint(
                "PNG, JPEG, GIF, WebP, BMP, ICO, TIFF or PSD; an SVG is written into the package by hand",
            )
        })?;
        package["icon"] = json!({ "base64data": STANDARD.encode(&bytes), "mediatype": kind });
    }
    let catalog = load::from_bytes(serde_json::to_vec(&package)?);
    let documents: Vec<Node<'_>> =
        catalog.documents().filter_map(|doc| catalog.parse_document(doc)?.ok()).collect();
    let format = match args.format {
        Format::Yaml => RenderFormat::Yaml,
        Format::Json => RenderFormat::Json,
    };
    out.print_exact(&canonical::render_documents(&documents, format))?;
    Ok(Outcome::Fine)
}

fn read_input_file(path: &Path) -> Result<Vec<u8>, Failure> {
    regular_file::read_regular(path, MAX_SIZE)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))
}
