//! The command line as a whole.

use std::path::PathBuf;

use clap::{
    Args, Parser, Subcommand, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser as _},
};

use crate::app::ThemeName;

use super::{edit, explain, graph, list, path, range, render, successors, validate};

/// Explore, check and edit catalogs of Kubernetes operators (OLM file-based catalogs).
#[derive(Debug, Parser)]
#[command(
    name = "olmap",
    version,
    args_conflicts_with_subcommands = true,
    override_usage = "olmap [OPTIONS] [PATH]...\n       olmap [OPTIONS] COMMAND ...",
    after_help = "Without a command olmap opens the explorer. Each PATH is a catalog of its own: a directory, a file, \
                  or - for standard input. No PATH: the catalog you stand in, otherwise a demo.\n\n\
                  Exit code: 0 fine, 1 findings, 2 it could not be done."
)]
pub struct Cli {
    /// Catalogs to explore.
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What every command understands.
#[derive(Clone, Copy, Debug, Args)]
pub struct Global {
    /// When to use colours; auto: on a terminal, unless `NO_COLOR` is set.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_default_value = true)]
    pub color: ColorWhen,
    /// How the explorer looks; auto: dark or light, as the terminal's background is.
    #[arg(long, global = true, value_name = "NAME", value_parser = themes())]
    pub theme: Option<ThemeName>,
    /// Draw with ASCII only.
    #[arg(long, global = true)]
    pub ascii: bool,
    /// Open the explorer without the means to change anything.
    #[arg(long, global = true)]
    pub read_only: bool,
    /// The explorer does not look whether other programs write to what is open; r reads it again.
    #[arg(long, global = true)]
    pub no_watch: bool,
}

fn themes() -> impl clap::builder::TypedValueParser<Value = ThemeName> {
    let names = PossibleValuesParser::new(ThemeName::ALL.map(ThemeName::name));
    names.map(|name| ThemeName::parse(&name).unwrap_or_default())
}

/// When to use colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ColorWhen {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check catalogs: what opm rejects, and what hurts users though opm accepts it.
    Validate(validate::Args),
    /// Tell the story of a rule: why it matters, an example, what to do. Without a rule: list them all.
    Explain(explain::Args),
    /// List packages, channels, bundles or images.
    List(list::Args),
    /// What OLM Classic and OLM v1 would upgrade to, and why.
    Successors(successors::Args),
    /// How an installed version gets to another, hop by hop, or why it does not.
    Path(path::Args),
    /// The upgrade graph of channels: a picture, Mermaid, DOT, JSON.
    Graph(graph::Args),
    /// Which versions a range matches, in the two dialects OLM uses.
    Range(range::Args),
    /// Write catalogs in the canonical form of opm render.
    Render(render::Args),
    /// Make one edit in one or several catalogs: not one byte more than it takes.
    Edit(edit::Args),
}

/// Formats of commands that print text for people or JSON for programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum TextOrJson {
    /// For people.
    Text,
    /// For programs; the shapes are in docs/cli.md.
    Json,
}
