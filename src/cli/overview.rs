//! `olmap overview`: packages of several catalogs side by side.

use std::cmp::Reverse;

use clap::ValueEnum;

use super::{format::ReportFormat, image, out::Out, outcome::Outcome, releases};
use olm_check::review::Snapshot;
use olm_plan::{
    overview::{ChannelHealth, Overview, OverviewRow, channel_health},
    series::Release,
};
use olmap_report::{
    json,
    overview::{self as export, Column, SortedOverview},
};

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap overview catalogs/v4.18 catalogs/v4.20  a row per package, a column per catalog
  olmap overview .                              all catalogs in catalogs/ of a repository
  olmap overview -p tide 4.18=old.yaml 4.20=new.yaml
  olmap overview --sort name -o json catalog

Exit code: 0 ok, 2 failed.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Catalogs in any order. The OpenShift version is the v4.NN in the path or image, or given:
    /// 4.18=CATALOG. A repository root means the catalogs in its catalogs/. Default: all catalogs
    /// found here.
    #[arg(value_name = "[4.NN=]CATALOG")]
    catalogs: Vec<String>,
    /// Only this package, with each of its channels. Can be repeated.
    #[arg(long = "package", short = 'p', value_name = "NAME")]
    packages: Vec<String>,
    /// Order of the packages.
    #[arg(long, value_name = "ORDER", default_value = "trouble")]
    sort: Sort,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
    #[command(flatten)]
    images: image::Args,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Sort {
    /// Packages with most severe problems first, such as errors and stuck versions.
    Trouble,
    /// By name.
    Name,
}

pub fn run_overview(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let releases = releases::open_or_discover(&args.catalogs, &args.images, out)?;
    releases::check_packages(&releases, &args.packages)?;
    let releases: Vec<Release<Snapshot>> =
        releases.into_iter().map(|release| release.map(Snapshot::new)).collect();
    let catalogs: Vec<_> = releases.iter().map(|release| (release.openshift, &release.catalog)).collect();
    let is_wanted = |name: &olm_catalog::PackageName| {
        args.packages.is_empty() || args.packages.iter().any(|wanted| *name == **wanted)
    };
    let mut overview = Overview::new(&catalogs, is_wanted);
    if args.sort == Sort::Trouble {
        overview.rows.sort_by_key(|row| Reverse(row.trouble()));
    }
    let sorted = SortedOverview { columns: Column::for_releases(&releases), overview };
    let details = |row: &OverviewRow, nth: usize| -> Vec<ChannelHealth> {
        let release = releases.get(nth);
        let judged = release.and_then(|release| release.catalog.package(row.package.as_str()));
        judged
            .zip(release)
            .map(|(judged, release)| channel_health(judged, release.openshift))
            .unwrap_or_default()
    };
    let details: Option<&export::ChannelLookup<'_>> =
        if args.packages.is_empty() { None } else { Some(&details) };
    out.print(&match args.format {
        ReportFormat::Text => export::render_overview(&sorted, details, &out.style),
        ReportFormat::Json => json::to_pretty_json(&export::PackageRow::rows_for_overview(&sorted)),
        ReportFormat::Markdown => export::render_overview_comment(&sorted),
    })?;
    Ok(Outcome::Fine)
}
