//! `olmap overview`: the packages of several catalogs side by side.

use std::cmp::Reverse;

use clap::ValueEnum;

use super::{
    failure, failure::Failure, format::ReportFormat, image, out::Out, outcome::Outcome, releases, source,
};
use crate::{
    catalog::Catalog,
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
    /// The root of a repository stands for the catalogs in its catalogs/. Default: the catalog here.
    #[arg(value_name = "[4.NN=]CATALOG")]
    catalogs: Vec<String>,
    /// Only this package, with each of its channels. May be given several times.
    #[arg(long = "package", value_name = "NAME")]
    packages: Vec<String>,
    /// Which packages come first.
    #[arg(long, value_name = "ORDER", default_value = "trouble")]
    sort: Sort,
    /// Output format.
    #[arg(long, short = 'o', value_name = "FORMAT", default_value = "text")]
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
    let releases = opened(args, out)?;
    check(&releases, &args.packages)?;
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

/// The catalogs that are named; without one that which we stand in.
fn opened(args: &Args, out: &Out) -> anyhow::Result<Vec<Release<Catalog>>> {
    if !args.catalogs.is_empty() {
        return releases::open(&args.catalogs, &args.images, out);
    }
    let catalog = source::one(None, &args.images)?;
    source::warn_of_problems(&catalog, out);
    Ok(vec![Release::new(catalog.origin.label(), catalog)])
}

/// A name that is in no catalog is a slip.
fn check(releases: &[Release<Catalog>], packages: &[String]) -> Result<(), Failure> {
    let has = |name: &String| releases.iter().any(|release| release.catalog.package(name).is_some());
    let Some(missing) = packages.iter().find(|name| !has(name)) else { return Ok(()) };
    if let [only] = releases {
        return Err(source::no_package(&only.catalog, missing));
    }
    let names: std::collections::BTreeSet<&str> = releases
        .iter()
        .flat_map(|release| release.catalog.packages().map(|package| package.name.as_str()))
        .collect();
    Err(Failure::new(format!("no catalog has a package {missing}"))
        .hint(format!("packages: {}", failure::some_of(names))))
}
