//! `olmap list`: contents of a catalog.

use std::{env, fs, path::PathBuf};

use clap::ValueEnum;
use serde::Serialize;

use super::changed_catalogs::{self, ChangedCatalog};
use super::output::{self, TableArgs, TableFormat};
use super::{Failure, Out, Outcome, image, join_names, out, source};
use olm_catalog::{Catalog, load::LoadError};
use olm_source::discovery;
use olmap_report::console_filter::ConsoleFilter;
use olmap_report::listing::{self, CatalogRow, FilteredBundles, NamedRow, Selection};
use olmap_report::{json, table::Table};

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap list packages catalog                   packages with the heads of their default channels
  olmap list channels -p tide catalog           the channels of a package
  olmap list images -o json catalog             for a mirror
  olmap list bundles -o name catalog            names, one per line
  olmap list packages --where arch=s390x --where feature=disconnected catalog
                                                what consoles find
  olmap list catalogs --changed-since main...   catalogs that this branch changes

Exit code: 0 ok, 2 failed.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Kind of objects.
    what: ListedKind,
    /// Catalog directory, file or image, or - for standard input. For catalogs: any number of
    /// paths; * and ? are wildcards.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// For catalogs: only those that differ from a git revision.
    #[arg(long, value_name = "REV")]
    changed_since: Option<String>,
    /// Only this package.
    #[arg(long, short = 'p', value_name = "NAME")]
    package: Option<String>,
    /// Only channels with this name.
    #[arg(long, short = 'c', value_name = "NAME")]
    channel: Option<String>,
    /// Only what consoles find by a field of the ClusterServiceVersion: arch, capability, category,
    /// feature, keyword, name, os, provider or subscription. For packages the default channel's head
    /// counts, for channels their head. Can be repeated: any value of a key, and all keys.
    #[arg(long = "where", value_name = "KEY=VALUE")]
    filters: Vec<ConsoleFilter>,
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    images: image::Args,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum ListedKind {
    /// Packages with their default channel and its head.
    #[value(alias = "package")]
    Packages,
    /// Channels with their heads; `*` marks the default channel.
    #[value(alias = "channel")]
    Channels,
    /// Bundles, highest version first.
    #[value(alias = "bundle")]
    Bundles,
    /// Bundle images and related images, each once.
    #[value(alias = "image")]
    Images,
    /// Catalogs found here, or in PATHs.
    #[value(alias = "catalog")]
    Catalogs,
    /// Catalogs, templates and bundles of the repository here, or in PATH, with the evidence.
    Repository,
}

pub fn run_list(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let has_bundles = !matches!(args.what, ListedKind::Catalogs | ListedKind::Repository);
    if !args.filters.is_empty() && !has_bundles {
        return Err(Failure::new("--where is for packages, channels, bundles and images").into());
    }
    if args.what == ListedKind::Catalogs {
        return list_catalogs(args, out);
    }
    if args.what == ListedKind::Repository {
        return list_repository(args, out);
    }
    if args.changed_since.is_some() {
        return Err(Failure::new("--changed-since is for list catalogs").into());
    }
    let package = args.requested_package()?;
    let path = args.paths.first().map(PathBuf::as_path);
    let catalog = source::open_for_package(path, package.as_deref(), &args.images)?;
    source::warn_of_problems(&catalog, out);
    let selection = Selection { package, channel: args.channel.clone(), matching: None };
    check_selection(&catalog, &selection)?;
    let selection = apply_filters(args, &catalog, selection, out);
    let text = match args.what {
        ListedKind::Packages => render_rows(
            &listing::list_packages(&catalog, &selection),
            listing::package_table,
            args.table,
            out,
        ),
        ListedKind::Channels => render_rows(
            &listing::list_channels(&catalog, &selection),
            listing::channel_table,
            args.table,
            out,
        ),
        ListedKind::Bundles => {
            render_rows(&listing::list_bundles(&catalog, &selection), listing::bundle_table, args.table, out)
        }
        ListedKind::Images | ListedKind::Catalogs | ListedKind::Repository => {
            render_rows(&listing::list_images(&catalog, &selection), listing::image_table, args.table, out)
        }
    };
    out.print(&text)?;
    Ok(Outcome::Fine)
}

impl Args {
    /// Returns the requested package: that of `--package`, or the second word, as in `opm alpha list channels CATALOG
    /// PACKAGE`.
    fn requested_package(&self) -> Result<Option<String>, Failure> {
        match self.paths.as_slice() {
            [] | [_] => Ok(self.package.clone()),
            [_, package] if self.package.is_none() && !package.exists() => {
                Ok(Some(package.display().to_string()))
            }
            _ => Err(Failure::new("only list catalogs takes several paths")
                .with_hint("the package follows --package, or the path of the catalog as in opm")),
        }
    }
}

/// Applies the filters of `--where`. Prints a note if they cannot find some of the bundles.
fn apply_filters(args: &Args, catalog: &Catalog, selection: Selection, out: &Out) -> Selection {
    if args.filters.is_empty() {
        return selection;
    }
    let filtered = match args.what {
        ListedKind::Packages => FilteredBundles::DefaultHeads,
        ListedKind::Channels => FilteredBundles::Heads,
        _ => FilteredBundles::All,
    };
    let selection = selection.with_filters(catalog, &args.filters, filtered);
    let without = selection.matching.as_ref().map_or(0, |matching| matching.without_fields);
    if without > 0 {
        let bundles = if without == 1 { "bundle" } else { "bundles" };
        out.print_note(&format!(
            "--where cannot find {without} {bundles} without a ClusterServiceVersion in the catalog"
        ));
    }
    selection
}

/// Renders rows in the requested format.
fn render_rows<R: Serialize + NamedRow>(
    rows: &[R],
    table: fn(&[R]) -> Table,
    args: TableArgs,
    out: &Out,
) -> String {
    args.render_rows(rows, table, R::object_name, &out.style)
}

/// Lists the paths of catalogs, one per line. Removed catalogs are only in JSON, because their paths do not
/// exist.
fn list_catalogs(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    if args.package.is_some() || args.channel.is_some() {
        return Err(Failure::new("list catalogs takes no --package and no --channel").into());
    }
    let rows: Vec<CatalogRow> = if let Some(revision) = &args.changed_since {
        let all = changed_catalogs::compare_with_revision(revision, &args.paths, &args.images)?.catalogs;
        let row = |changed: &ChangedCatalog| CatalogRow {
            path: changed.path.display().to_string(),
            fate: Some(changed.change_kind()),
            packages: Some(changed.touched.packages().map(ToString::to_string).collect()),
        };
        all.iter().filter(|changed| changed.is_touched()).map(row).collect()
    } else {
        let row = |path: PathBuf| CatalogRow { path: path.display().to_string(), fate: None, packages: None };
        changed_catalogs::requested_paths(None, &args.paths)?.into_iter().map(row).collect()
    };
    out.print(&match args.table.format {
        TableFormat::Json => json::to_pretty_json(&rows),
        TableFormat::Yaml => output::to_yaml(&rows),
        TableFormat::Text | TableFormat::Name => listing::render_catalog_paths(&rows),
    })?;
    Ok(Outcome::Fine)
}

/// Prints the contents of a repository.
fn list_repository(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    if args.package.is_some() || args.channel.is_some() || args.changed_since.is_some() {
        return Err(Failure::new("list repository takes no --package, --channel and --changed-since").into());
    }
    let root = match args.paths.as_slice() {
        [] => &root_of_current(),
        [only] => only,
        _ => return Err(Failure::new("list repository takes one path").into()),
    };
    if let Err(source) = fs::read_dir(root) {
        return Err(Failure::from(LoadError::Open { path: root.to_owned(), source }).into());
    }
    let found = discovery::discover(root).map_err(|error| Failure::new(error.to_string()))?;
    let catalogs = found.catalogs.iter().map(|found| found.path.as_str());
    let templates = found.templates.iter().map(|found| found.path.as_str());
    let bundles = found.bundles.iter().map(|found| found.path.as_str());
    out.print(&match args.table.format {
        TableFormat::Json => json::to_pretty_json(&olmap_report::repository::repository_json(&found)),
        TableFormat::Yaml => output::to_yaml(&olmap_report::repository::repository_json(&found)),
        TableFormat::Name => output::render_names(catalogs.chain(templates).chain(bundles)),
        TableFormat::Text => olmap_report::repository::render_repository(&found),
    })?;
    Ok(Outcome::Fine)
}

/// Returns the root of the repository around the current directory. Prints it on standard error unless it is
/// that directory.
fn root_of_current() -> PathBuf {
    let current = env::current_dir().unwrap_or_default();
    let depth = discovery::root_of(&current)
        .and_then(|root| Some(current.strip_prefix(root).ok()?.components().count()))
        .unwrap_or_default();
    if depth == 0 {
        return PathBuf::from(".");
    }
    let root: PathBuf = (0..depth).map(|_| "..").collect();
    out::print_error(
        &format!("note: paths are relative to the root of the repository, {}\n", root.display()),
        false,
    );
    root
}

/// Refuses an unknown name instead of printing an empty list.
fn check_selection(catalog: &Catalog, selection: &Selection) -> Result<(), Failure> {
    if let Some(name) = &selection.package
        && catalog.package(name).is_none()
    {
        return Err(source::no_package_failure(catalog, name));
    }
    let Some(channel) = &selection.channel else { return Ok(()) };
    let packages =
        catalog.packages().filter(|p| selection.package.as_ref().is_none_or(|n| p.name == n.as_str()));
    let names: std::collections::BTreeSet<&str> =
        packages.flat_map(|p| p.channels.iter().map(|c| c.name.value.as_str())).collect();
    if names.contains(channel.as_str()) {
        return Ok(());
    }
    Err(Failure::new(format!("no channel {channel}")).with_hint(format!("channels: {}", join_names(names))))
}
