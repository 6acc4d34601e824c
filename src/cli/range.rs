//! `olmap range`: versions that a range matches.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Deserialize;

use super::{Failure, Out, Outcome, TextOrJson, image, join_names, output, query, source};
use olm_version::Version;
use olmap_report::range::{self, Dialect, ParsedRange, Row};
use olmap_report::{Ink, json};

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap range '>=1.0.0 <2.0.0' 1.5.0 2.0.0      in both dialects
  olmap range '1.x' --catalog catalog --dialect masterminds

Exit code: 0 all versions match, 1 some do not match, 2 failed.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Range, quoted: '>=1.0.0 <2.0.0'.
    #[arg(required_unless_present = "batch")]
    range: Option<String>,
    /// Versions to check. Without a version, olmap only checks the range.
    #[arg(value_name = "VERSION")]
    versions: Vec<String>,
    /// Catalog whose bundles are compared with the range: directory, file, image, or - for standard
    /// input.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["versions", "batch"])]
    catalog: Option<PathBuf>,
    /// Package; optional if the catalog has only one.
    #[arg(long, short = 'p', value_name = "NAME", requires = "catalog")]
    package: Option<String>,
    /// blang: skipRange and olm.package.required. masterminds: the version of a `ClusterExtension`.
    #[arg(long, value_name = "DIALECT", default_value = "both")]
    dialect: Dialects,
    /// Answer queries from a file (- for standard input), one JSON object per line: {range, version, dialect}.
    #[arg(long, value_name = "FILE", conflicts_with = "range")]
    batch: Option<PathBuf>,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: TextOrJson,
    #[command(flatten)]
    images: image::Args,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Dialects {
    /// For `skipRange`.
    Blang,
    /// For OLM v1.
    Masterminds,
    /// Both.
    Both,
}

impl Dialects {
    const fn dialects(self) -> &'static [Dialect] {
        match self {
            Self::Blang => &[Dialect::Blang],
            Self::Masterminds => &[Dialect::Masterminds],
            Self::Both => &[Dialect::Blang, Dialect::Masterminds],
        }
    }
}

/// Line of `--batch`.
#[derive(Debug, Deserialize)]
pub(super) struct Question {
    range: String,
    version: Option<String>,
    dialect: Option<Dialects>,
}

/// Returns the answers to a query, one per line.
pub(super) fn answer_range_query(question: &Question, default: Dialects) -> String {
    let dialects = question.dialect.unwrap_or(default).dialects();
    let row = |&dialect: &Dialect| {
        json::to_json_line(&Row::from_reading(
            &ParsedRange::new(dialect, &question.range),
            question.version.as_deref(),
        ))
    };
    dialects.iter().map(row).collect()
}

pub fn run_range(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    if let Some(file) = &args.batch {
        return query::run_batch(file, out, |question: Question| answer_range_query(&question, args.dialect));
    }
    let range = args.range.as_deref().unwrap_or_default();
    let readings: Vec<ParsedRange> =
        args.dialect.dialects().iter().map(|&d| ParsedRange::new(d, range)).collect();
    if let Some(path) = &args.catalog {
        return print_matching_bundles(path, &readings, args, out);
    }
    match args.format {
        TextOrJson::Json | TextOrJson::Yaml => {
            let versions: Vec<Option<&str>> = match args.versions.as_slice() {
                [] => vec![None],
                versions => versions.iter().map(|v| Some(v.as_str())).collect(),
            };
            let rows = versions.iter().flat_map(|v| readings.iter().map(|r| Row::from_reading(r, *v)));
            out.print(&output::encode_json(args.format, json::to_pretty_json(&rows.collect::<Vec<_>>())))?;
            if readings.iter().all(|r| r.error().is_some()) {
                return Err(invalid_range_error(&readings, out));
            }
        }
        TextOrJson::Text => {
            if readings.iter().all(|r| r.error().is_some()) {
                return Err(invalid_range_error(&readings, out));
            }
            out.print(&range::render_range_readings(&readings, &args.versions, &out.style))?;
        }
    }
    let bad: Vec<&String> = args.versions.iter().filter(|v| Version::parse(v).is_err()).collect();
    if !bad.is_empty() {
        return Err(Failure::new(format!("not a version: {}", join_names(&bad))).into());
    }
    Ok(Outcome::Fine)
}

/// Prints the bundles of a package that a range matches.
fn print_matching_bundles(
    path: &Path,
    readings: &[ParsedRange],
    args: &Args,
    out: &mut Out,
) -> anyhow::Result<Outcome> {
    let catalog = source::open_catalog(Some(path), &args.images)?;
    let package = source::select_package(&catalog, args.package.as_deref())?;
    let is_range = readings.iter().any(|reading| reading.error().is_none());
    match args.format {
        TextOrJson::Json | TextOrJson::Yaml => {
            let versions = package.bundles.iter().filter_map(|b| Some((&b.name.value, b.version.as_ref()?)));
            let rows = versions.flat_map(|(name, version)| {
                readings.iter().map(|r| Row::for_bundle(r, name.as_str(), &version.version))
            });
            out.print(&output::encode_json(args.format, json::to_pretty_json(&rows.collect::<Vec<_>>())))?;
        }
        TextOrJson::Text if is_range => {
            out.print(&range::render_bundle_matches(readings, package, &out.style))?;
        }
        TextOrJson::Text => {}
    }
    source::warn_of_problems(&catalog, out);
    if is_range { Ok(Outcome::Fine) } else { Err(invalid_range_error(readings, out)) }
}

/// Returns the error for a range that is invalid in all requested dialects.
fn invalid_range_error(readings: &[ParsedRange], out: &Out) -> anyhow::Error {
    let style = out.error_style();
    let mut failure = Failure::new("not a range");
    let mut detail = String::new();
    for reading in readings {
        let Some(error) = reading.error() else { continue };
        if let [_] = readings {
            failure = Failure::new(range::describe_parse_error(reading, error))
                .with_optional_hint(error.hint.clone());
            detail = range::mark_column(reading, error.column, Ink::Error, style);
        } else {
            detail = range::render_range_readings(readings, &[], style);
        }
    }
    failure.with_detail(detail).into()
}
