//! `olmap diff`: what differs in meaning between two catalogs, and who is moved by it.

use std::path::PathBuf;

use super::{
    compare::{self, Excepted, FailOn},
    failure::Failure,
    format::ReportFormat,
    image,
    out::Out,
    outcome::Outcome,
    progress,
    safety::{BundlesArgs, no_bundles},
    source,
};
use crate::{
    catalog::{Catalog, PackageName},
    export::{
        diff::{Compared, json, markdown, text},
        json as print,
        left_out::LeftOut,
    },
    review::{
        Difference, Snapshot,
        diff::{Gate, gate},
    },
    runtime,
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The old catalog: a directory, a file, - for standard input, or git:REV[:PATH] for a revision of the current
    /// git repository. Without :PATH it is the path of the other catalog.
    old: PathBuf,
    /// The new catalog, given in the same ways.
    new: PathBuf,
    /// Only this package. May be given several times.
    #[arg(long = "package", value_name = "NAME")]
    packages: Vec<String>,
    /// Exit with 1 if the new catalog does one of these. May be given several times, or separated by commas.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    fail_on: Vec<FailOn>,
    #[command(flatten)]
    excepted: Excepted,
    /// Also report documents that differ only in formatting.
    #[arg(long)]
    formatting: bool,
    #[command(flatten)]
    bundles: BundlesArgs,
    /// Output format.
    #[arg(long, short = 'o', value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
    #[command(flatten)]
    images: image::Args,
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    source::check_stdin(&[args.old.clone(), args.new.clone()])?;
    let old = compare::open(&args.old, &args.new, &args.images)?;
    let new = compare::open(&args.new, &args.old, &args.images)?;
    if let Some(name) = args.packages.iter().find(|n| old.package(n).is_none() && new.package(n).is_none()) {
        return Err(source::no_package(&new, name).into());
    }
    let (old_label, new_label) = (old.origin.label(), new.origin.label());
    let judged = |side| judged(side, &args.bundles, &args.images);
    let (old, new) = (judged(old)?, judged(new)?);
    let mut difference = Difference::between(&old, &new);
    if !args.packages.is_empty() {
        difference.keep(|package| args.packages.iter().any(|name| package == name.as_str()));
    }
    let gates: Vec<Gate> = args.fail_on.iter().flat_map(|what| what.gates()).copied().collect();
    let except = args.excepted.globs();
    let matters = |name: &PackageName| {
        args.packages.is_empty() || args.packages.iter().any(|asked| name == asked.as_str())
    };
    let left_out = [&old, &new].into_iter().filter_map(|side| LeftOut::of(&side.catalog, matters)).collect();
    let violations = gate::violations(&difference, (&old, &new), &gates, &except);
    let compared = Compared {
        old_label: &old_label,
        new_label: &new_label,
        old: &old,
        new: &new,
        difference: &difference,
        violations: &violations,
        left_out,
        formatting: args.formatting,
        update: compare::update(&old, &new, matters),
    };
    let is_gate = args.fail_on.iter().any(|what| matches!(what, FailOn::Stranded | FailOn::All));
    let strands = compared.update.as_ref().is_some_and(|update| update.everyone.stranded().0 > 0);
    match args.format {
        ReportFormat::Text => out.print(&text::text(&compared, &out.style))?,
        ReportFormat::Json => out.print(&print::pretty(&json::value(&compared)))?,
        ReportFormat::Markdown => out.print(&markdown::comment(&compared))?,
    }
    if !violations.is_empty() || (is_gate && strands) {
        return Ok(Outcome::Findings);
    }
    if !gates.is_empty()
        && let Some(left_out) = compared.left_out.first()
    {
        return Err(source::half_read(left_out).into());
    }
    Ok(Outcome::Fine)
}

/// A side, with what is found about its upgrade steps where somebody says where their manifests are.
fn judged(catalog: Catalog, from: &BundlesArgs, images: &image::Args) -> Result<Snapshot, Failure> {
    if !from.says_where() && !catalog.is_proposed() {
        return Ok(Snapshot::new(catalog));
    }
    let sight = from.sight(&images.access());
    progress::watched(|progress| runtime::with_learned(Snapshot::new(catalog), &sight, progress))
        .map_err(|path| no_bundles(&path))
}
