//! `olmap deprecations`: release check for deprecations.

use std::{path::PathBuf, time::SystemTime};

use anyhow::Context as _;

use super::{Failure, Out, Outcome, ReportFormat, changed_catalogs, findings, image, out, output, source};
use olm_catalog::{Catalog, PackageName, lifecycle::Date, load::git::deprecation_start};
use olm_check::{Finding, review::Snapshot};
use olm_source::Base;
use olmap_report::deprecations::{self, History, ReleaseCheck, Report};
use olmap_report::json;

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
The output shows users without an upgrade path, where OLM v1 stops, and what could be deprecated.

Examples:
  olmap deprecations catalog                    affected versions, and their upgrade paths
  olmap deprecations -p tide --since catalog
  olmap deprecations --as-of 2027-01-01 catalog  bundles out of support on that day
  olmap deprecations -o markdown catalog        for a comment on a pull request

Exit code: 0 nothing blocks, 1 users have no upgrade path or OLM v1 stops, 2 failed, or part of the catalog could not be read.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Catalogs, each checked separately: directories, files, images, or - for standard input.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Only this package.
    #[arg(long, short = 'p', value_name = "NAME")]
    package: Option<String>,
    /// Only deprecations that are new since a git revision, or take an upgrade path from users.
    /// REV... is the commit at which the current branch left REV.
    #[arg(long, value_name = "REV")]
    changed_since: Option<String>,
    /// Ignore blocking deprecations if FILE accepts their findings; olmap validate --write-baseline
    /// writes it.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Date to check support against, if the catalog has lifecycle dates [default: today, UTC].
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = Date::parse)]
    as_of: Option<Date>,
    /// Show from git since when each is deprecated; olmap does not write or fetch anything.
    #[arg(long)]
    since: bool,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
    #[command(flatten)]
    images: image::Args,
}

pub fn run_deprecations(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let file = args.baseline.as_deref().map(findings::load_baseline).transpose()?;
    let (states, base) = read_states(args)?;
    if let Some(name) = &args.package
        && states.iter().all(|(new, _)| new.package(name).is_none())
    {
        let mut unknown = states.iter().map(|(new, _)| source::no_package_failure(&new.catalog, name));
        return Err(unknown.next().unwrap_or_else(|| Failure::new(format!("no package {name}"))).into());
    }
    let today = match args.as_of {
        Some(day) => day,
        None => today().context("the clock is before 1970; set a day with --as-of")?,
    };
    let mut checks = Vec::new();
    for (new, old) in &states {
        let mut check = ReleaseCheck::new(new, args.package.as_deref(), today);
        if let Some((base, old)) = base.as_deref().zip(old.as_ref()) {
            check = check.restrict_to_changes(base, old);
        }
        if let Some(file) = &file {
            let rows = file.match_findings(&new.catalog, new.findings());
            let accepted: Vec<&Finding> = new
                .findings()
                .zip(rows)
                .filter(|(_, row)| row.is_some())
                .map(|(finding, _)| finding)
                .collect();
            check = check.with_accepted(&accepted);
        }
        if args.since {
            check.since = Some(deprecation_starts(&new.catalog, &check, out)?);
        }
        checks.push(check);
    }
    print_checks(args.format, &checks, out)?;
    for (check, (_, old)) in checks.iter().zip(&states) {
        if let Some(left_out) = &check.left_out {
            out::report_left_out(left_out, out);
        }
        // Content that cannot be read in the old state would look new.
        let is_meant = |name: &PackageName| args.package.as_ref().is_none_or(|wanted| *name == **wanted);
        if let Some(old) = old {
            out::report_unread(&old.catalog, is_meant, out);
        }
    }
    Ok(checks.iter().any(|check| check.blocking().next().is_some()).into())
}

/// Catalogs, each with its old state if a revision is given, and the label of the revision.
type States = (Vec<(Snapshot, Option<Snapshot>)>, Option<String>);

/// Reads the catalogs. With a revision, reads those that differ from it.
fn read_states(args: &Args) -> anyhow::Result<States> {
    let Some(revision) = &args.changed_since else {
        let catalogs = source::open_catalogs(&args.paths, &args.images)?;
        return Ok((catalogs.into_iter().map(|catalog| (Snapshot::new(catalog), None)).collect(), None));
    };
    let change = changed_catalogs::compare_with_revision(revision, &args.paths, &args.images)?;
    let base = change.base.as_ref().map(Base::label);
    let there = change.catalogs.into_iter().filter(|changed| changed.new.is_some());
    let states = there.map(|changed| {
        let (old, new) = changed.into_sides();
        (Snapshot::new(new), Some(Snapshot::new(old)))
    });
    Ok((states.collect(), base))
}

fn print_checks(format: ReportFormat, checks: &[ReleaseCheck<'_>], out: &mut Out) -> anyhow::Result<()> {
    match format {
        ReportFormat::Text => {
            let texts: Vec<String> = checks
                .iter()
                .map(|check| deprecations::render_deprecation_check(check, &out.style))
                .collect();
            out.print(&texts.join("\n"))
        }
        // A single catalog is an object, for compatibility. Several catalogs are a list.
        ReportFormat::Json | ReportFormat::Yaml => match checks {
            [only] => {
                out.print(&output::encode_json(format, json::to_pretty_json(&Report::from_check(only))))
            }
            several => out.print(&output::encode_json(
                format,
                json::to_pretty_json(&several.iter().map(Report::from_check).collect::<Vec<_>>()),
            )),
        },
        ReportFormat::Markdown => {
            let comments: Vec<String> = checks.iter().map(deprecations::render_deprecation_comment).collect();
            out.print(&comments.join("\n"))
        }
    }
}

/// Returns the current date in UTC.
pub fn today() -> Option<Date> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(Date::from_unix_time(now.as_secs()))
}

/// Returns the start of every deprecation in a check.
fn deprecation_starts(catalog: &Catalog, check: &ReleaseCheck<'_>, out: &Out) -> anyhow::Result<History> {
    let mut wanted = Vec::new();
    for one in &check.deprecated {
        let Some(target) = &one.target else { continue };
        let disk = catalog.file(one.doc.file).and_then(|file| file.disk.clone());
        let Some(disk) = disk else {
            return Err(Failure::new("--since needs a catalog on disk").into());
        };
        wanted.push((one.package.clone(), target.clone(), disk));
    }
    let found = deprecation_start::find_deprecation_starts(&wanted)
        .map_err(|error| Failure::new(error.to_string()).with_optional_hint(error.hint()))?;
    if let Some(unread) = &found.unread {
        out.print_warning(&format!("dates are not known for all: {unread}"), unread.hint().as_deref());
    }
    Ok(wanted.into_iter().map(|(package, target, _)| (package, target)).zip(found.since).collect())
}
