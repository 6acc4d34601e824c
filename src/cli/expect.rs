//! `olmap expect`: upgrade expectations as tests, and recording of current results.

use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::{
    Failure, Out, Outcome, escape_path, hidden_content_message, image, out, output, query::Engines, source,
};
use crate::runtime;
use olm_catalog::{Catalog, load::regular_file};
use olm_check::review::Snapshot;
use olm_check::review::expect::{
    ExpectationReport, Expectations, Mistake, RecordOptions, record_expectations,
};
use olm_edit::save::{self, DirectoryLock, Overwrite};
use olmap_report::expectations::{self, CheckedExpectations};
use olmap_report::{json, omissions::OmittedPart};

/// Maximum size of a file of expectations in bytes; larger than any recording of a vendor's index.
const MAX_FILE: u64 = 64 << 20;

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap expect --record expectations.yaml catalog  record the current upgrades
  olmap expect expectations.yaml catalog        differences, with reasons
  olmap expect -o github expectations.yaml catalog
  olmap expect --record - -p tide --engine v1 catalog

Exit code: 0 all expectations are met, 1 some are not met, 2 invalid file or failed.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Expectations: YAML list (docs/cli.md), or - for standard input.
    file: PathBuf,
    /// Catalog directory, file or image, or - for standard input.
    path: Option<PathBuf>,
    /// Record the current upgrades to FILE (- for standard output), as a starting point.
    #[arg(long, conflicts_with = "format")]
    record: bool,
    /// With --record: only this package. Can be repeated.
    #[arg(long = "package", short = 'p', value_name = "NAME", requires = "record")]
    packages: Vec<String>,
    /// With --record: channel for Classic, instead of the default channel, and for v1. Can be
    /// repeated.
    #[arg(long = "channel", short = 'c', value_name = "NAME", requires = "record")]
    channels: Vec<String>,
    /// With --record: OLM generation.
    #[arg(long, value_name = "ENGINE", default_value = "both", requires = "record")]
    engine: Engines,
    /// With --record: overwrite FILE.
    #[arg(long, requires = "record")]
    force: bool,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: Format,
    #[command(flatten)]
    images: image::Args,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// Human-readable text.
    Text,
    /// JSON; docs/cli.md describes the fields.
    Json,
    /// YAML with the fields of JSON.
    Yaml,
    /// Markdown for a comment on a pull request.
    Markdown,
    /// GitHub Actions workflow commands.
    Github,
}

pub fn run_expect(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    if args.record {
        return record_results(args, out);
    }
    let is_stdin = source::is_stdin(&args.file);
    source::check_stdin(args.path.iter().chain([&args.file]))?;
    let bytes = if is_stdin {
        source::read_stdin()?
    } else {
        read_expectations(&args.file).map_err(|error| {
            let failure = Failure::new(format!("cannot read {}: {error}", args.file.display()));
            failure.with_hint("create one with olmap expect --record FILE PATH")
        })?
    };
    let file = Expectations::parse_file(args.file.clone(), bytes);
    let catalog = source::open_catalog(args.path.as_deref(), &args.images)?;
    warn_of_location(&catalog, &args.file, out);
    let snapshot = Snapshot::new(catalog);
    let report = ExpectationReport::new(&file, &snapshot);
    let mut mistakes: Vec<Mistake> = file.mistakes.iter().chain(&report.mistakes).cloned().collect();
    mistakes.sort_by_key(|mistake| mistake.span);
    let unquoted = hidden_content_message(&args.file);
    if let Some(words) = &unquoted {
        for mistake in &mut mistakes {
            (mistake.message, mistake.hint) = (words.clone(), None);
        }
    }
    let left_out = OmittedPart::unread_in_packages(&snapshot.catalog, |name| {
        report.cases.iter().any(|case| case.package == *name)
    });
    let checked = CheckedExpectations { file: &file, report: &report, left_out: left_out.as_ref() };
    if args.format == Format::Github {
        out.print_commands(&expectations::github_commands(checked, &mistakes))?;
    }
    if !mistakes.is_empty() {
        let s = if mistakes.len() == 1 { "" } else { "s" };
        let reason = format!("{}: {} error{s}, so nothing was checked", args.file.display(), mistakes.len());
        return Err(Failure::new(reason)
            .with_detail(expectations::render_mistakes(
                &file,
                &mistakes,
                unquoted.is_none(),
                out.error_style(),
            ))
            .into());
    }
    if file.rows.is_empty() {
        return Err(Failure::new(format!("{} has no expectations", args.file.display()))
            .with_hint("create one with olmap expect --record FILE PATH")
            .into());
    }
    match args.format {
        Format::Text => out.print(&expectations::render_expectation_results(checked, &out.style.clone()))?,
        Format::Json | Format::Yaml => {
            let rows = report.cases.iter().filter_map(|case| expectations::Row::from_case(checked, case));
            out.print(&output::encode_json(args.format, json::to_pretty_json(&rows.collect::<Vec<_>>())))?;
        }
        Format::Markdown => {
            out.print(&expectations::render_expectation_comment(checked, &snapshot.catalog.origin.label()))?;
        }
        Format::Github => {}
    }
    if let Some(left_out) = &left_out {
        out::report_left_out(left_out, out);
    }
    Ok((!report.failing_rows().is_empty()).into())
}

/// Reads a file that the user named, which may be a pipe.
fn read_expectations(path: &Path) -> std::io::Result<Vec<u8>> {
    regular_file::read_limited(fs::File::open(path)?, MAX_FILE)
}

/// Warns if the expectations are in a file of the catalog.
fn warn_of_location(catalog: &Catalog, file: &Path, out: &Out) {
    let Ok(file) = fs::canonicalize(file) else { return };
    let disks = catalog.files().iter().filter_map(|file| file.disk.as_ref());
    if { disks }.any(|disk| fs::canonicalize(disk).is_ok_and(|disk| disk == file)) {
        let words =
            format!("opm reads {} as part of the catalog: move it out of the directory", file.display());
        out.print_warning(&words, None);
    }
}

/// Records the current results.
fn record_results(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let catalog = source::open_catalog(args.path.as_deref(), &args.images)?;
    // Otherwise, content that could not be read would be recorded as missing.
    source::check_complete(&catalog, |name| source::is_requested(&args.packages, name))?;
    if let Some(unknown) = args.packages.iter().find(|name| catalog.package(name).is_none()) {
        return Err(source::no_package_failure(&catalog, unknown).into());
    }
    if let Some(unknown) =
        args.channels.iter().find(|name| catalog.packages().all(|p| p.channel(name).is_none()))
    {
        return Err(Failure::new(format!("no package has a channel {unknown}"))
            .with_hint("olmap list channels PATH lists them")
            .into());
    }
    let label = catalog.origin.label();
    let snapshot = Snapshot::new(catalog);
    let wish = RecordOptions {
        packages: args.packages.iter().map(|name| name.as_str().into()).collect(),
        channels: args.channels.iter().map(|name| name.as_str().into()).collect(),
        engines: args.engine.engines(),
    };
    let Some(text) = record_expectations(&snapshot, &label, &wish) else {
        return Err(Failure::new(format!("nothing to record in {label}"))
            .with_hint("a package needs a default channel, or a --channel")
            .into());
    };
    if source::is_stdin(&args.file) {
        out.print_exact(&text)?;
        return Ok(Outcome::Fine);
    }
    runtime::check_outside_catalog(&snapshot.catalog.origin, &args.file).map_err(Failure::from)?;
    let overwrite = if args.force { Overwrite::Allowed } else { Overwrite::Never };
    save::save_as(&args.file, text.as_bytes(), overwrite, &mut DirectoryLock::with_default_state())
        .map_err(|error| {
            let failure = Failure::from(error);
            if args.force { failure } else { failure.add_hint("use --force to overwrite the file") }
        })?
        .ignore_warning();
    let rows = Expectations::parse_file(args.file.clone(), text.into_bytes()).rows.len();
    out.print(&format!("{}: {rows} expectations written\n", escape_path(&args.file)))?;
    Ok(Outcome::Fine)
}
