//! `olmap crds graph`: safety of every step of the upgrade graph.

use std::path::PathBuf;

use crate::{
    cli::{
        format::TextOrJson,
        image, not_checked,
        out::Out,
        outcome::Outcome,
        safety::{BundlesArgs, with_manifests},
        source,
    },
    export::{json, safety},
    upgrade::{
        PackageGraph,
        safety::{Grounds, Neighbours, PackageSafety, Safety, Verdict},
    },
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The catalog: a directory, a file, or - for standard input; or a folder of bundle directories.
    path: Option<PathBuf>,
    #[command(flatten)]
    bundles: BundlesArgs,
    /// Only this package.
    #[arg(long, short = 'p', value_name = "NAME")]
    package: Option<String>,
    /// Print only the steps that OLM v1 or Classic refuses.
    #[arg(long)]
    refused: bool,
    /// Print safe steps too, and those of which nothing is known.
    #[arg(long, conflicts_with = "refused")]
    all: bool,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: TextOrJson,
    #[command(flatten)]
    images: image::Args,
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let catalog = source::one(args.path.as_deref(), &args.images)?;
    not_checked::report_unread(
        &catalog,
        |name| args.package.as_ref().is_none_or(|only| name == only.as_str()),
        out,
    );
    let sight = args.bundles.sight(&args.images.access());
    let packages: Vec<_> = match &args.package {
        Some(name) => vec![source::package(&catalog, Some(name))?],
        None => source::packages(&catalog).collect(),
    };
    let neighbours = Neighbours::of(&catalog);
    let is_only = packages.len() == 1;
    let is_shown = |safety: &Safety| match safety.verdict() {
        Verdict::Safe => args.all,
        Verdict::Unknown => args.all || safety.is_failure(),
        Verdict::NeedsALook => !args.refused,
        Verdict::RefusedByClassic | Verdict::RefusedByV1 | Verdict::RefusedByBoth => true,
    };
    let judged = packages.len();
    let (mut total, mut rows) = ([0; Verdict::ALL.len()], Vec::new());
    for package in packages {
        let safety = with_manifests(&catalog, &sight, |shelves| {
            let grounds = Grounds { manifests: shelves, neighbours: &neighbours, memory: None };
            PackageSafety::judge(&PackageGraph::new(package), grounds)
        })?;
        not_checked::report_steps(&safety, out);
        let counts = safety.counts();
        total.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
        match args.format {
            TextOrJson::Json => {
                let shown = safety.steps.iter().filter(|(_, safety)| is_shown(safety));
                rows.extend(shown.map(|(step, safety)| safety::json_of_step(&package.name, step, safety)));
            }
            TextOrJson::Text => {
                if is_only || safety.steps.iter().any(|(_, safety)| is_shown(safety)) {
                    out.print(&format!("{}\n", safety::text(&package.name, &safety, is_shown, &out.style)))?;
                }
            }
        }
    }
    match args.format {
        TextOrJson::Json => out.print(&json::pretty(&rows))?,
        TextOrJson::Text if !is_only => {
            out.print(&format!("{judged} packages, {}\n", safety::counts(&total)))?;
        }
        TextOrJson::Text => {}
    }
    let refused = total.iter().zip(Verdict::ALL).any(|(count, verdict)| *count > 0 && verdict.is_refused());
    Ok(refused.into())
}
