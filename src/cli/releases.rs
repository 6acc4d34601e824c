//! Catalogs of several OpenShift versions from the command line; `olmap overview`: their packages side by side.

use std::path::{Path, PathBuf};
use std::{cmp::Reverse, collections::BTreeSet};

use clap::ValueEnum;

use super::{Failure, Out, Outcome, ReportFormat, image, join_names, output, repository, source};
use olm_catalog::Catalog;
use olm_check::review::Snapshot;
use olm_plan::overview::{ChannelHealth, Overview, OverviewRow, channel_health};
use olm_plan::series::{self, Release};
use olm_upgrade::openshift::OpenShift;
use olmap_report::overview::{Column, SortedOverview};
use olmap_report::{json, overview as export};

/// End of the help of `olmap overview`: examples and exit codes.
pub const OVERVIEW_HELP: &str = "\
Examples:
  olmap overview catalogs/v4.18 catalogs/v4.20  a row per package, a column per catalog
  olmap overview .                              all catalogs in catalogs/ of a repository
  olmap overview -p tide 4.18=old.yaml 4.20=new.yaml
  olmap overview --sort name -o json catalog

Exit code: 0 ok, 2 failed.";

#[derive(Debug, clap::Args)]
pub struct OverviewArgs {
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

/// Opens catalogs, sorted by version. `words` are `4.18=PATH`, or paths whose name contains the version. The
/// root of a repository expands to the catalogs in its `catalogs/`.
pub fn open_releases(
    words: &[String],
    images: &image::Args,
    out: &Out,
) -> anyhow::Result<Vec<Release<Catalog>>> {
    let mut named: Vec<(Option<OpenShift>, PathBuf)> = Vec::new();
    for word in words {
        let (version, path) = split_version(word);
        match repository::find_catalogs(&path) {
            Some(catalogs) if version.is_none() && !catalogs.is_empty() => {
                named.extend(catalogs.into_iter().map(|path| (None, path)));
            }
            _ => named.push((version, path)),
        }
    }
    let paths: Vec<PathBuf> = named.iter().map(|(_, path)| path.clone()).collect();
    let catalogs = source::open_catalogs(&paths, images)?;
    let mut releases: Vec<Release<Catalog>> = Vec::with_capacity(catalogs.len());
    for (at, catalog) in catalogs.into_iter().enumerate() {
        source::warn_of_problems(&catalog, out);
        let label = catalog.origin.label();
        let stated: Vec<OpenShift> = named.get(at).and_then(|(version, _)| *version).into_iter().collect();
        let versions = if stated.is_empty() { catalog.openshift().to_vec() } else { stated };
        releases.extend(Release::for_versions(&label, &versions, catalog));
    }
    series::sort_releases(&mut releases);
    Ok(releases)
}

/// Opens the given catalogs, or all discovered ones.
pub fn open_or_discover(
    words: &[String],
    images: &image::Args,
    out: &Out,
) -> anyhow::Result<Vec<Release<Catalog>>> {
    if !words.is_empty() {
        return open_releases(words, images, out);
    }
    let found: Vec<String> =
        source::discover_catalogs()?.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    open_releases(&found, images, out)
}

/// Refuses a package that is in no catalog.
pub fn check_packages(releases: &[Release<Catalog>], packages: &[String]) -> Result<(), Failure> {
    let has = |name: &String| releases.iter().any(|release| release.catalog.package(name).is_some());
    let Some(missing) = packages.iter().find(|name| !has(name)) else { return Ok(()) };
    if let [only] = releases {
        return Err(source::no_package_failure(&only.catalog, missing));
    }
    let names: BTreeSet<&str> = releases
        .iter()
        .flat_map(|release| release.catalog.packages().map(|package| package.name.as_str()))
        .collect();
    Err(Failure::new(format!("no catalog has a package {missing}"))
        .with_hint(format!("packages: {}", join_names(names))))
}

/// Refuses catalogs without a known version, and two catalogs of one version.
pub fn check_versions<C>(releases: &[Release<C>]) -> Result<(), Failure> {
    if let Some(without) = releases.iter().find(|release| release.openshift.is_none()) {
        return Err(Failure::new(format!("which OpenShift version is {} for?", without.label))
            .with_hint(format!("say it: 4.18={}", without.label)));
    }
    for pair in releases.windows(2) {
        if let [a, b] = pair
            && let (Some(one), Some(other)) = (a.openshift, b.openshift)
            && one.is_same(other)
        {
            return Err(Failure::new(format!(
                "two catalogs are for OpenShift {one}: {} and {}",
                a.label, b.label
            ))
            .with_hint("give one catalog for each version; olmap compose makes one of several"));
        }
    }
    Ok(())
}

/// Splits `4.18=PATH`. A word that is an existing path is not split.
fn split_version(word: &str) -> (Option<OpenShift>, PathBuf) {
    let named = word.split_once('=').filter(|_| !Path::new(word).exists());
    let version = named.and_then(|(version, path)| Some((OpenShift::parse(version).ok()?, path)));
    version.map_or_else(|| (None, word.into()), |(version, path)| (Some(version), path.into()))
}

pub fn run_overview(args: &OverviewArgs, out: &mut Out) -> anyhow::Result<Outcome> {
    let releases = open_or_discover(&args.catalogs, &args.images, out)?;
    check_packages(&releases, &args.packages)?;
    let releases: Vec<Release<Snapshot>> =
        releases.into_iter().map(|release| release.map(Snapshot::new)).collect();
    let catalogs: Vec<_> = releases.iter().map(|release| (release.openshift, &release.catalog)).collect();
    let mut overview = Overview::new(&catalogs, |name| source::is_requested(&args.packages, name));
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
        ReportFormat::Json | ReportFormat::Yaml => output::encode_json(
            args.format,
            json::to_pretty_json(&export::PackageRow::rows_for_overview(&sorted)),
        ),
        ReportFormat::Markdown => export::render_overview_comment(&sorted),
    })?;
    Ok(Outcome::Fine)
}
