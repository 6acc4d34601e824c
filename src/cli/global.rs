//! Options of all commands.

use std::path::PathBuf;

use clap::{
    Args, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser as _},
};

use crate::tui::ThemeName;

/// Options of every command.
#[derive(Clone, Debug, Default, Args)]
pub struct Global {
    /// Configuration file, instead of the default; none for no configuration.
    #[arg(long, global = true, value_name = "PATH")]
    pub config: Option<PathBuf>,
    /// When to use colours; auto: on a terminal, unless `NO_COLOR` is set.
    #[arg(long, global = true, value_name = "WHEN")]
    pub color: Option<ColorWhen>,
    /// Theme of the explorer; auto: dark or light, by the terminal's background.
    #[arg(long, global = true, value_name = "NAME", value_parser = theme_parser())]
    pub theme: Option<ThemeName>,
    /// Draw with ASCII characters only.
    #[arg(long, global = true)]
    pub ascii: bool,
    /// Open the explorer read-only.
    #[arg(long, global = true)]
    pub read_only: bool,
    /// Do not watch files for changes; r reloads them.
    #[arg(long, global = true)]
    pub no_watch: bool,
}

fn theme_parser() -> impl clap::builder::TypedValueParser<Value = ThemeName> {
    let names = PossibleValuesParser::new(ThemeName::ALL.map(ThemeName::name));
    names.map(|name| ThemeName::parse(&name).unwrap_or_default())
}

/// Condition for colors.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ColorWhen {
    Auto,
    Always,
    Never,
}
