//! Manual pages and the Markdown reference, generated from the command line definition, so that they match
//! `--help`.

mod markdown;
mod page;
mod subjects;
mod told;

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use clap::ValueEnum;

use super::{failure::Failure, out::Out, outcome::Outcome};
use crate::edit::save::check_links;
use told::Told;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Write this page and one per command into a directory instead of printing it.
    #[arg(long, value_name = "DIR", conflicts_with = "format")]
    dir: Option<PathBuf>,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_enum, value_name = "FORMAT", default_value_t = Format::Roff, hide_default_value = true)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// For man.
    Roff,
    /// The text of docs/commands.md: all commands on one page.
    Markdown,
}

/// Prints the page, or writes all pages.
pub fn run(args: &Args, mut command: clap::Command, out: &mut Out) -> anyhow::Result<Outcome> {
    command.build();
    let olmap = Told::new(&command);
    match (&args.dir, args.format) {
        (None, Format::Roff) => out.print(&page::page(&olmap, None, &olmap))?,
        (None, Format::Markdown) => out.print(&markdown::document(&olmap))?,
        (Some(dir), _) => {
            fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
            let mut pages = vec![(olmap.page_name(), page::page(&olmap, None, &olmap))];
            below(&olmap, &olmap, &mut pages);
            for (name, text) in pages {
                let name = format!("{name}.1");
                check_links(dir, Path::new(&name))
                    .map_err(|error| Failure::new(error.to_string()).hint(error.hint()))?;
                let path = dir.join(name);
                fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
            }
        }
    }
    Ok(Outcome::Fine)
}

/// Adds the pages of all subcommands.
fn below(parent: &Told, olmap: &Told, pages: &mut Vec<(String, String)>) {
    for command in &parent.commands {
        pages.push((command.page_name(), page::page(command, Some(parent), olmap)));
        below(command, olmap, pages);
    }
}
