//! `olmap keys`: effective keys of the explorer.

use std::path::Path;

use clap::ValueEnum;

use super::{configuration, out::Out, outcome::Outcome};
use crate::tui::shell::describe;
use olmap_report::json;

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap keys                                    a star marks changed keys
  olmap --config none keys -o markdown          the text of docs/keys.md

Exit code: 0 ok, 2 failed.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_enum, value_name = "FORMAT", default_value_t = Format::Text, hide_default_value = true)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// Human-readable text; a star marks changed keys.
    Text,
    /// Text of docs/keys.md.
    Markdown,
    /// JSON; docs/cli.md describes the fields.
    Json,
}

/// Prints the keys, including configured ones.
pub fn run_keys(args: &Args, config: Option<&Path>, out: &mut Out) -> anyhow::Result<Outcome> {
    let configured = configuration::load(config)?;
    let keymap = &configured.keymap;
    let text = match args.format {
        Format::Text => describe::render_keys_text(keymap),
        Format::Markdown => describe::render_keys_document(keymap),
        Format::Json => json::to_pretty_json(&describe::keys_json(keymap)),
    };
    out.print(&text)?;
    super::config::warn_of_problems(&configured.file, out);
    Ok(Outcome::Fine)
}
