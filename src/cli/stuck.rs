//! `olmap stuck`: versions that can never upgrade to the current one.

use std::path::PathBuf;

use clap::ValueEnum;

use super::{Failure, Out, Outcome, ReportFormat, changed_catalogs, comparison, image, out, output, source};
use olm_catalog::Catalog;
use olm_check::review::Snapshot;
use olm_upgrade::PackageGraph;
use olmap_report::json;
use olmap_report::stuck::{self, StuckPackage};

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
A version is stuck if its upgrades never lead to the head of the default channel or a higher version.

Examples:
  olmap stuck catalog                           packages with stuck versions, reasons and remedies
  olmap stuck catalog -p tide -o json           JSON for one package
  olmap stuck --changed-since main --fail-on any

Exit code: 0 ok, 1 with --fail-on any: a version is stuck, 2 failed, or the stuck versions are not known.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Catalogs: directories, files, images, or - for standard input. Default: all catalogs found
    /// here.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Only this package.
    #[arg(long, short = 'p', value_name = "NAME")]
    package: Option<String>,
    /// Only packages that differ from a git revision.
    #[arg(long, value_name = "REV")]
    changed_since: Option<String>,
    /// Also accept versions that are stuck in BASE: a catalog, or git:REV for each catalog in that
    /// revision.
    #[arg(long, value_name = "BASE", conflicts_with = "changed_since")]
    against: Option<PathBuf>,
    /// Exit with 1 if a stuck version is not accepted, and with 2 if the stuck versions of a
    /// package are not known.
    #[arg(long, value_name = "WHAT")]
    fail_on: Option<FailOn>,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
    #[command(flatten)]
    images: image::Args,
}

/// Condition that makes the command fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum FailOn {
    /// Any stuck version, on OLM Classic or v1.
    Any,
}

pub fn run_stuck(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let mut packages = Vec::new();
    let catalogs = open_checked_catalogs(args)?;
    if let Some(name) = &args.package {
        check_package(&catalogs, name)?;
    }
    let is_several = catalogs.len() > 1;
    let bases = open_base_catalogs(args, &catalogs)?;
    let mut bases = bases.iter();
    for (catalog, touched) in catalogs {
        source::warn_of_problems(&catalog, out);
        let is_meant = |name: &str| {
            args.package.as_ref().is_none_or(|only| only == name)
                && touched.as_ref().is_none_or(|touched| touched.iter().any(|package| package == name))
        };
        let label = is_several.then(|| catalog.origin.label());
        let snapshot = Snapshot::new(catalog);
        let mut found =
            StuckPackage::find_in_catalog(&snapshot, label.as_deref(), |name| is_meant(name.as_str()));
        if let Some(base) = bases.next() {
            source::warn_of_problems(base, out);
            for package in &mut found {
                let base = base.package(package.stuck.package.as_str()).map(PackageGraph::new);
                package.accept_stuck_in(base.as_ref());
            }
            out::report_unread(base, |name| is_meant(name.as_str()), out);
        }
        packages.append(&mut found);
        out::report_unread(&snapshot.catalog, |name| is_meant(name.as_str()), out);
    }
    match args.format {
        ReportFormat::Text => out.print(&stuck::render_stuck_packages(&packages, &out.style))?,
        ReportFormat::Json | ReportFormat::Yaml => out.print(&output::encode_json(
            args.format,
            json::to_pretty_json(&stuck::stuck_packages_json(&packages)),
        ))?,
        ReportFormat::Markdown => out.print(&stuck::render_stuck_comment(&packages))?,
    }
    if args.fail_on.is_none() {
        return Ok(Outcome::Fine);
    }
    let unknown: Vec<&str> = packages
        .iter()
        .filter(|package| package.stuck.answer.is_none())
        .map(|package| package.stuck.package.as_str())
        .collect();
    if !unknown.is_empty() {
        let words = format!(
            "not known of {}: the default channel has no single head with a bundle",
            unknown.join(", ")
        );
        out.report_not_checked(&words, None);
    }
    Ok(packages.iter().any(|package| !package.open_counts().is_zero()).into())
}

/// Opens the catalogs whose stuck versions are accepted, in the order of the catalogs. Empty
/// without `--against`.
fn open_base_catalogs(
    args: &Args,
    catalogs: &[(Catalog, Option<Vec<String>>)],
) -> anyhow::Result<Vec<Catalog>> {
    let Some(base) = &args.against else { return Ok(Vec::new()) };
    if catalogs.len() > 1 && !base.to_string_lossy().starts_with("git:") {
        return Err(Failure::new("--against takes git:REV if there are several catalogs").into());
    }
    catalogs.iter().map(|(catalog, _)| comparison::open_base(base, catalog, &args.images)).collect()
}

/// Refuses a package that is in no catalog.
fn check_package(catalogs: &[(Catalog, Option<Vec<String>>)], name: &str) -> Result<(), Failure> {
    match catalogs {
        _ if catalogs.iter().any(|(catalog, _)| catalog.package(name).is_some()) => Ok(()),
        // Nothing changed, so nothing was opened.
        [] => Ok(()),
        [(only, _)] => Err(source::no_package_failure(only, name)),
        _ => Err(Failure::new(format!("no catalog has a package {name}"))),
    }
}

/// Opens the catalogs, each with its changed packages; `None` for all packages.
fn open_checked_catalogs(args: &Args) -> anyhow::Result<Vec<(Catalog, Option<Vec<String>>)>> {
    let Some(revision) = &args.changed_since else {
        let paths = if args.paths.is_empty() { source::discover_catalogs()? } else { args.paths.clone() };
        return Ok(source::open_catalogs(&paths, &args.images)?
            .into_iter()
            .map(|catalog| (catalog, None))
            .collect());
    };
    let change = changed_catalogs::compare_with_revision(revision, &args.paths, &args.images)?;
    let catalogs =
        change.catalogs.into_iter().filter(changed_catalogs::ChangedCatalog::is_touched).filter_map(
            |changed| {
                let names = changed.touched.packages().map(ToString::to_string).collect();
                Some((changed.new?, Some(names)))
            },
        );
    Ok(catalogs.collect())
}
