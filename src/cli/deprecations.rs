//! `olmap deprecations`: the release check.

use std::{path::PathBuf, time::SystemTime};

use super::{failure::Failure, format::ReportFormat, image, not_checked, out::Out, outcome::Outcome, source};
use crate::{
    catalog::{Catalog, lifecycle::Date, load::git::since},
    export::{
        deprecations::{self, Check, History, Report},
        json,
    },
    review::Snapshot,
};
use anyhow::Context as _;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The catalog: a directory, a file, or - for standard input.
    path: Option<PathBuf>,
    /// Only this package.
    #[arg(long, short = 'p', value_name = "NAME")]
    package: Option<String>,
    /// The day to check support against, if the catalog has lifecycle dates [default: today, UTC].
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = Date::parse)]
    as_of: Option<Date>,
    /// Show since when each is deprecated, from git; nothing is written or fetched.
    #[arg(long)]
    since: bool,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
    #[command(flatten)]
    images: image::Args,
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let catalog = source::one(args.path.as_deref(), &args.images)?;
    if let Some(name) = &args.package {
        source::package(&catalog, Some(name))?;
    }
    let snapshot = Snapshot::new(catalog);
    let today = match args.as_of {
        Some(day) => day,
        None => today().context("the clock is before 1970; set a day with --as-of")?,
    };
    let mut check = Check::new(&snapshot, args.package.as_deref(), today);
    if args.since {
        check.since = Some(history(&snapshot.catalog, &check, out)?);
    }
    match args.format {
        ReportFormat::Text => out.print(&deprecations::text(&check, &out.style))?,
        ReportFormat::Json => out.print(&json::pretty(&Report::of(&check)))?,
        ReportFormat::Markdown => out.print(&deprecations::comment(&check))?,
    }
    if let Some(left_out) = &check.left_out {
        not_checked::report_left_out(left_out, out);
    }
    Ok(check.blocking().next().is_some().into())
}

/// The day it is, in UTC.
pub fn today() -> Option<Date> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(Date::of_unix_time(now.as_secs()))
}

/// Since when everything of a check is deprecated.
fn history(catalog: &Catalog, check: &Check<'_>, out: &Out) -> anyhow::Result<History> {
    let mut wanted = Vec::new();
    for one in &check.deprecated {
        let Some(target) = &one.target else { continue };
        let disk = catalog.file(one.doc.file).and_then(|file| file.disk.clone());
        let Some(disk) = disk else {
            return Err(Failure::new("--since needs a catalog on disk").into());
        };
        wanted.push((one.package.clone(), target.clone(), disk));
    }
    let found =
        since::since(&wanted).map_err(|error| Failure::new(error.to_string()).maybe_hint(error.hint()))?;
    if let Some(unread) = &found.unread {
        source::warn(&format!("dates are not known for all: {unread}"), unread.hint().as_deref(), out);
    }
    Ok(wanted.into_iter().map(|(package, target, _)| (package, target)).zip(found.since).collect())
}
