//! `olmap overview`: packages of several catalogs side by side.

use std::cmp::Reverse;

use clap::ValueEnum;

use super::{format::ReportFormat, image, out::Out, outcome::Outcome, releases};
use crate::{
    export::{
        json,
        overview::{self as export, Column, Sorted},
    },
    plan::{
        overview::{Health, Overview, Row, channels},
        series::Release,
    },
    review::Snapshot,
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The catalogs, in any order. The OpenShift version of one is the v4.NN in its path or image, or is said: 4.18=CATALOG.
    /// The root of a repository stands for the catalogs in its catalogs/. Default: all catalogs found here.
    #[arg(value_name = "[4.NN=]CATALOG")]
    catalogs: Vec<String>,
    /// Only this package, with each of its channels. May be given several times.
    #[arg(long = "package", short = 'p', value_name = "NAME")]
    packages: Vec<String>,
    /// Which packages come first.
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
    /// Those with most errors and most versions that get no further.
    Trouble,
    /// By name.
    Name,
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let releases = releases::open_or_here(&args.catalogs, &args.images, out)?;
    releases::check_packages(&releases, &args.packages)?;
    let releases: Vec<Release<Snapshot>> =
        releases.into_iter().map(|release| release.map(Snapshot::new)).collect();
    let catalogs: Vec<_> = releases.iter().map(|release| (release.openshift, &release.catalog)).collect();
    let is_wanted = |name: &crate::catalog::PackageName| {
        args.packages.is_empty() || args.packages.iter().any(|wanted| *name == **wanted)
    };
    let mut overview = Overview::new(&catalogs, is_wanted);
    if args.sort == Sort::Trouble {
        overview.rows.sort_by_key(|row| Reverse(row.trouble()));
    }
    let sorted = Sorted { columns: Column::all(&releases), overview };
    let details = |row: &Row, nth: usize| -> Vec<Health> {
        let release = releases.get(nth);
        let judged = release.and_then(|release| release.catalog.package(row.package.as_str()));
        judged.zip(release).map(|(judged, release)| channels(judged, release.openshift)).unwrap_or_default()
    };
    let details: Option<&export::Channels<'_>> = if args.packages.is_empty() { None } else { Some(&details) };
    out.print(&match args.format {
        ReportFormat::Text => export::text(&sorted, details, &out.style),
        ReportFormat::Json => json::pretty(&export::PackageRow::all(&sorted)),
        ReportFormat::Markdown => export::comment(&sorted),
    })?;
    Ok(Outcome::Fine)
}
