//! Manual pages and the Markdown reference, generated from the command line definition, so that they match
//! `--help`.

mod doc_model;
mod markdown;
mod page;
mod subjects;

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use clap::ValueEnum;

use super::{failure::Failure, out::Out, outcome::Outcome};
use doc_model::CommandDoc;
use olm_edit::save::check_links;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Write this page and a page for each command to a directory, instead of printing it.
    #[arg(long, value_name = "DIR", conflicts_with = "format")]
    dir: Option<PathBuf>,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_enum, value_name = "FORMAT", default_value_t = Format::Roff, hide_default_value = true)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// Roff for man.
    Roff,
    /// Text of docs/commands.md: all commands on one page.
    Markdown,
}

/// Prints the page, or writes all pages.
pub fn run_man(args: &Args, mut command: clap::Command, out: &mut Out) -> anyhow::Result<Outcome> {
    command.build();
    let olmap = CommandDoc::new(&command);
    match (&args.dir, args.format) {
        (None, Format::Roff) => out.print(&page::render_page(&olmap, None, &olmap))?,
        (None, Format::Markdown) => out.print(&markdown::render_reference(&olmap))?,
        (Some(dir), _) => {
            fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
            let mut pages = vec![(olmap.page_name(), page::render_page(&olmap, None, &olmap))];
            collect_pages(&olmap, &olmap, &mut pages);
            for (name, text) in pages {
                let name = format!("{name}.1");
                check_links(dir, Path::new(&name))
                    .map_err(|error| Failure::new(error.to_string()).with_hint(error.hint()))?;
                let path = dir.join(name);
                fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
            }
        }
    }
    Ok(Outcome::Fine)
}

/// Adds the pages of all subcommands.
fn collect_pages(parent: &CommandDoc, olmap: &CommandDoc, pages: &mut Vec<(String, String)>) {
    for command in &parent.commands {
        pages.push((command.page_name(), page::render_page(command, Some(parent), olmap)));
        collect_pages(command, olmap, pages);
    }
}
