//! `olmap expect`: upgrade expectations as tests, and recording of current results.

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::ValueEnum;

use super::{
    failure::{self, Failure},
    image, not_checked,
    out::Out,
    outcome::Outcome,
    query::Engines,
    source,
};
use crate::{
    catalog::{Catalog, load::regular},
    edit::save::{self, Lock, Overwrite},
    export::{
        Ink,
        expect::{self, Checked},
        json,
        left_out::LeftOut,
        plain,
    },
    review::{
        Snapshot,
        expect::{Expectations, Mistake, Report, Wish, record},
    },
    runtime,
};

/// Maximum size of a file of expectations in bytes; larger than any recording of a vendor's index.
const MAX_FILE: u64 = 64 << 20;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The expectations: a YAML list (docs/cli.md), or - for standard input.
    file: PathBuf,
    /// The catalog: a directory, a file, or - for standard input.
    path: Option<PathBuf>,
    /// Record what happens today to FILE (- for standard output), as a starting point.
    #[arg(long, conflicts_with = "format")]
    record: bool,
    /// With --record: only this package. May be given several times.
    #[arg(long = "package", short = 'p', value_name = "NAME", requires = "record")]
    packages: Vec<String>,
    /// With --record: this channel for Classic instead of the default channel, and for v1. May be given several
    /// times.
    #[arg(long = "channel", short = 'c', value_name = "NAME", requires = "record")]
    channels: Vec<String>,
    /// With --record: Classic, v1 or both.
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
    /// For people.
    Text,
    /// For programs; the format is in docs/cli.md.
    Json,
    /// For a comment on a pull request.
    Markdown,
    /// GitHub Actions workflow commands.
    Github,
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    if args.record {
        return recorded(args, out);
    }
    let is_stdin = args.file.as_os_str() == source::STDIN;
    source::check_stdin(&[vec![args.file.clone()], args.path.iter().cloned().collect()].concat())?;
    let bytes = if is_stdin {
        source::standard_input()?
    } else {
        read(&args.file).map_err(|error| {
            let failure = Failure::new(format!("cannot read {}: {error}", args.file.display()));
            failure.hint("create one with olmap expect --record FILE PATH")
        })?
    };
    let file = Expectations::read(args.file.clone(), bytes);
    let catalog = source::one(args.path.as_deref(), &args.images)?;
    warn_of_place(&catalog, &args.file, out);
    let snapshot = Snapshot::new(catalog);
    let report = Report::new(&file, &snapshot);
    let mut mistakes: Vec<Mistake> = file.mistakes.iter().chain(&report.mistakes).cloned().collect();
    mistakes.sort_by_key(|mistake| mistake.span);
    let unquoted = failure::unquoted(&args.file);
    if let Some(words) = &unquoted {
        for mistake in &mut mistakes {
            (mistake.message, mistake.hint) = (words.clone(), None);
        }
    }
    let left_out =
        LeftOut::of(&snapshot.catalog, |name| report.cases.iter().any(|case| case.package == *name));
    let checked = Checked { file: &file, report: &report, left_out: left_out.as_ref() };
    if args.format == Format::Github {
        out.print_commands(&expect::github(checked, &mistakes))?;
    }
    if !mistakes.is_empty() {
        let s = if mistakes.len() == 1 { "" } else { "s" };
        let reason = format!("{}: {} error{s}, so nothing was checked", args.file.display(), mistakes.len());
        return Err(Failure::new(reason)
            .detail(expect::mistakes(&file, &mistakes, unquoted.is_none(), out.error_style()))
            .into());
    }
    if file.rows.is_empty() {
        return Err(Failure::new(format!("{} has no expectations", args.file.display()))
            .hint("create one with olmap expect --record FILE PATH")
            .into());
    }
    match args.format {
        Format::Text => out.print(&expect::text(checked, &out.style.clone()))?,
        Format::Json => {
            let rows = report.cases.iter().filter_map(|case| expect::Row::of(checked, case));
            out.print(&json::pretty(&rows.collect::<Vec<_>>()))?;
        }
        Format::Markdown => out.print(&expect::comment(checked, &snapshot.catalog.origin.label()))?,
        Format::Github => {}
    }
    if let Some(left_out) = &left_out {
        not_checked::report_left_out(left_out, out);
    }
    Ok((!report.failing().is_empty()).into())
}

/// Reads a file that the user named, which may be a pipe.
fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    regular::at_most(fs::File::open(path)?, MAX_FILE)
}

/// Warns if the expectations are in a file of the catalog.
fn warn_of_place(catalog: &Catalog, file: &Path, out: &Out) {
    let Ok(file) = fs::canonicalize(file) else { return };
    let disks = catalog.files().iter().filter_map(|file| file.disk.as_ref());
    if { disks }.any(|disk| fs::canonicalize(disk).is_ok_and(|disk| disk == file)) {
        let label = out.error_style().paint(Ink::Warning, "warning");
        let path = file.display().to_string();
        out.error(&format!(
            "{label}: opm reads {} as part of the catalog: move it out of the directory\n",
            plain::line(&path)
        ));
    }
}

/// Records the current results.
fn recorded(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let catalog = source::one(args.path.as_deref(), &args.images)?;
    // Otherwise, content that could not be read would be recorded as missing.
    source::check_whole(&catalog, |name| {
        args.packages.is_empty() || args.packages.iter().any(|asked| name == asked.as_str())
    })?;
    if let Some(unknown) = args.packages.iter().find(|name| catalog.package(name).is_none()) {
        return Err(source::no_package(&catalog, unknown).into());
    }
    if let Some(unknown) =
        args.channels.iter().find(|name| catalog.packages().all(|p| p.channel(name).is_none()))
    {
        return Err(Failure::new(format!("no package has a channel {unknown}"))
            .hint("olmap list channels PATH lists them")
            .into());
    }
    let label = catalog.origin.label();
    let snapshot = Snapshot::new(catalog);
    let wish = Wish {
        packages: args.packages.iter().map(|name| name.as_str().into()).collect(),
        channels: args.channels.iter().map(|name| name.as_str().into()).collect(),
        engines: args.engine.list(),
    };
    let Some(text) = record(&snapshot, &label, &wish) else {
        return Err(Failure::new(format!("nothing to record in {label}"))
            .hint("a package needs a default channel, or a --channel")
            .into());
    };
    if args.file.as_os_str() == source::STDIN {
        out.print_exact(&text)?;
        return Ok(Outcome::Fine);
    }
    if let Err(crate::app::Refusal { message, hint }) = runtime::outside(&snapshot.catalog.origin, &args.file)
    {
        return Err(Failure::new(message).maybe_hint(hint).into());
    }
    let overwrite = if args.force { Overwrite::Allowed } else { Overwrite::Never };
    save::save_as(&args.file, text.as_bytes(), overwrite, &mut Lock::usual()).map_err(|error| {
        let failure = Failure::new(error.to_string()).hint(error.hint());
        if args.force { failure } else { failure.also("use --force to overwrite the file") }
    })?;
    let rows = Expectations::read(args.file.clone(), text.into_bytes()).rows.len();
    let path = args.file.display().to_string();
    out.print(&format!("{}: {rows} expectations written\n", plain::line(&path)))?;
    Ok(Outcome::Fine)
}
