//! `olmap keys`: effective keys of the explorer.

use std::path::Path;

use clap::ValueEnum;

use super::{configuration, out::Out, outcome::Outcome};
use crate::{app::shell::describe, export::json};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_enum, value_name = "FORMAT", default_value_t = Format::Text, hide_default_value = true)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// For people; a star marks changed keys.
    Text,
    /// The text of docs/keys.md.
    Markdown,
    /// For programs.
    Json,
}

/// Prints the keys, including configured ones.
pub fn run(args: &Args, config: Option<&Path>, out: &mut Out) -> anyhow::Result<Outcome> {
    let configured = configuration::load(config)?;
    let keymap = &configured.keymap;
    let text = match args.format {
        Format::Text => describe::text(keymap),
        Format::Markdown => describe::document(keymap),
        Format::Json => json::pretty(&describe::json(keymap)),
    };
    out.print(&text)?;
    super::config::warn(&configured.file, out);
    Ok(Outcome::Fine)
}
