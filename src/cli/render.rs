//! `olmap render`: catalogs in the canonical form of `opm render`.

use std::path::PathBuf;

use clap::ValueEnum;
use rayon::prelude::*;

use super::{failure::Failure, out::Out, outcome::Outcome, source};
use crate::{
    catalog::{
        Catalog, Node,
        problem::{ProblemKind, Problems},
        text::canonical::{self, RenderFormat},
    },
    export::{left_out, plain},
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Catalogs to merge: directories, files, or - for standard input.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Output format.
    #[arg(long, short = 'o', value_name = "FORMAT", default_value = "yaml")]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// YAML, `---` before every object.
    Yaml,
    /// JSON, one object after another.
    Json,
}

/// How many reasons are shown before a sum stands for the rest.
const SHOWN: usize = 10;

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let catalogs = source::all(&args.paths)?;
    if let Some(template) = catalogs.iter().find_map(Catalog::template) {
        return Err(Failure::new(format!("nothing rendered: {} is a template", template.kind.schema()))
            .hint("use opm alpha render-template FILE, which pulls the bundle images")
            .into());
    }
    let problems = || catalogs.iter().flat_map(Catalog::all_problems);
    let unreadable: usize = problems().map(|problems| problems.count(ProblemKind::stops_opm)).sum();
    if unreadable > 0 {
        let shown = catalogs.iter().flat_map(places).take(SHOWN);
        let mut lines: Vec<String> = shown.map(|line| format!("  {line}\n")).collect();
        if unreadable > lines.len() {
            lines.push(format!("  and {} more\n", unreadable - lines.len()));
        }
        return Err(Failure::new("nothing rendered: opm cannot read this")
            .detail(lines.concat())
            .hint("olmap validate shows all of them")
            .into());
    }
    let documents: Vec<Node> = catalogs.iter().flat_map(documents).collect();
    let format = match args.format {
        Format::Yaml => RenderFormat::Yaml,
        Format::Json => RenderFormat::Json,
    };
    out.print_exact(&canonical::render(&documents, format))?;
    Ok(Outcome::Fine)
}

fn documents(catalog: &Catalog) -> Vec<Node<'_>> {
    let ids: Vec<_> = catalog.documents().collect();
    ids.into_par_iter().filter_map(|doc| catalog.tree(doc)?.ok()).collect()
}

/// What opm would refuse to read, each with its place. What it reads and then judges wrong is rendered.
fn places(catalog: &Catalog) -> impl Iterator<Item = String> {
    let told = catalog.all_problems().flat_map(Problems::told).filter(|p| p.kind.stops_opm());
    told.map(|problem| plain::line(&left_out::line(catalog, problem)).into_owned())
}
