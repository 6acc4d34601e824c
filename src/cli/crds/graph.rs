//! `olmap crds graph`: safety of every step of the upgrade graph.

use std::path::PathBuf;

use crate::cli::{
    format::TextOrJson,
    image, not_checked,
    out::Out,
    outcome::Outcome,
    safety::{BundlesArgs, with_manifests},
    source,
};
use olm_upgrade::{
    PackageGraph,
    safety::{ApiNeighbors, PackageSafety, Safety, SafetyInputs, Verdict},
};
use olmap_report::{json, safety};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Catalog directory, file or image, - for standard input, or a folder of bundle directories.
    path: Option<PathBuf>,
    #[command(flatten)]
    bundles: BundlesArgs,
    /// Only this package.
    #[arg(long, short = 'p', value_name = "NAME")]
    package: Option<String>,
    /// Print only the steps that OLM Classic or v1 refuses.
    #[arg(long)]
    refused: bool,
    /// Also print safe and unknown steps.
    #[arg(long, conflicts_with = "refused")]
    all: bool,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: TextOrJson,
    #[command(flatten)]
    images: image::Args,
}

pub fn run_crds_graph(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let catalog = source::open_catalog(args.path.as_deref(), &args.images)?;
    not_checked::report_unread(
        &catalog,
        |name| args.package.as_ref().is_none_or(|only| name == only.as_str()),
        out,
    );
    let sight = args.bundles.search_path(&args.images.access());
    let packages: Vec<_> = match &args.package {
        Some(name) => vec![source::select_package(&catalog, Some(name))?],
        None => source::named_packages(&catalog).collect(),
    };
    let neighbours = ApiNeighbors::from_catalog(&catalog);
    let is_only = packages.len() == 1;
    let is_shown = |safety: &Safety| match safety.overall_verdict() {
        Verdict::Safe => args.all,
        Verdict::Unknown => args.all || safety.is_failure(),
        Verdict::NeedsALook => !args.refused,
        Verdict::RefusedByClassic | Verdict::RefusedByV1 | Verdict::RefusedByBoth => true,
    };
    let judged = packages.len();
    let (mut total, mut rows) = ([0; Verdict::ALL.len()], Vec::new());
    for package in packages {
        let safety = with_manifests(&catalog, &sight, |shelves| {
            let grounds = SafetyInputs { manifests: shelves, neighbors: &neighbours, cache: None };
            PackageSafety::judge_package(&PackageGraph::new(package), grounds)
        })?;
        not_checked::report_steps(&safety, out);
        let counts = safety.count_verdicts();
        total.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
        match args.format {
            TextOrJson::Json => {
                let shown = safety.steps.iter().filter(|(_, safety)| is_shown(safety));
                rows.extend(
                    shown.map(|(step, safety)| safety::step_safety_json(&package.name, step, safety)),
                );
            }
            TextOrJson::Text => {
                if is_only || safety.steps.iter().any(|(_, safety)| is_shown(safety)) {
                    out.print(&format!(
                        "{}\n",
                        safety::render_package_safety(&package.name, &safety, is_shown, &out.style)
                    ))?;
                }
            }
        }
    }
    match args.format {
        TextOrJson::Json => out.print(&json::to_pretty_json(&rows))?,
        TextOrJson::Text if !is_only => {
            out.print(&format!("{judged} packages, {}\n", safety::format_verdict_counts(&total)))?;
        }
        TextOrJson::Text => {}
    }
    let refused = total.iter().zip(Verdict::ALL).any(|(count, verdict)| *count > 0 && verdict.is_refused());
    Ok(refused.into())
}
