//! What every command understands, whichever it is.

use std::path::PathBuf;

use clap::{
    Args, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser as _},
};

use crate::app::ThemeName;

/// What every command understands.
#[derive(Clone, Debug, Default, Args)]
pub struct Global {
    /// The configuration, in place of the usual file; none goes without.
    #[arg(long, global = true, value_name = "PATH")]
    pub config: Option<PathBuf>,
    /// When to use colours; auto: on a terminal, unless `NO_COLOR` is set.
    #[arg(long, global = true, value_name = "WHEN")]
    pub color: Option<ColorWhen>,
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
