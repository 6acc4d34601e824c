//! `olmap range`: versions that a range matches.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Deserialize;

use super::{
    batch,
    failure::{self, Failure},
    format::TextOrJson,
    image,
    out::Out,
    outcome::Outcome,
    source,
};
use crate::{
    export::{
        Ink, json,
        range::{self, Dialect, Reading, Row},
    },
    version::Version,
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The range, quoted: '>=1.0.0 <2.0.0'.
    #[arg(required_unless_present = "batch")]
    range: Option<String>,
    /// Versions to check; without any, only the range is checked.
    #[arg(value_name = "VERSION")]
    versions: Vec<String>,
    /// Which bundles of this catalog the range matches: a directory, a file, or - for standard input.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["versions", "batch"])]
    catalog: Option<PathBuf>,
    /// The package; optional if the catalog has only one.
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
    const fn list(self) -> &'static [Dialect] {
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
pub(super) fn lines(question: &Question, default: Dialects) -> String {
    let dialects = question.dialect.unwrap_or(default).list();
    let row = |&dialect: &Dialect| {
        json::line(&Row::of(&Reading::new(dialect, &question.range), question.version.as_deref()))
    };
    dialects.iter().map(row).collect()
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    if let Some(file) = &args.batch {
        return batch::run(file, out, |question: Question| lines(&question, args.dialect));
    }
    let range = args.range.as_deref().unwrap_or_default();
    let readings: Vec<Reading> = args.dialect.list().iter().map(|&d| Reading::new(d, range)).collect();
    if let Some(path) = &args.catalog {
        return bundles(path, &readings, args, out);
    }
    match args.format {
        TextOrJson::Json => {
            let versions: Vec<Option<&str>> = match args.versions.as_slice() {
                [] => vec![None],
                versions => versions.iter().map(|v| Some(v.as_str())).collect(),
            };
            let rows = versions.iter().flat_map(|v| readings.iter().map(|r| Row::of(r, *v)));
            out.print(&json::pretty(&rows.collect::<Vec<_>>()))?;
            if readings.iter().all(|r| r.error().is_some()) {
                return Err(refusal(&readings, out));
            }
        }
        TextOrJson::Text => {
            if readings.iter().all(|r| r.error().is_some()) {
                return Err(refusal(&readings, out));
            }
            out.print(&range::text(&readings, &args.versions, &out.style))?;
        }
    }
    let bad: Vec<&String> = args.versions.iter().filter(|v| Version::parse(v).is_err()).collect();
    if !bad.is_empty() {
        return Err(Failure::new(format!("not a version: {}", failure::some_of(&bad))).into());
    }
    Ok(Outcome::Fine)
}

/// Prints the bundles of a package that a range matches.
fn bundles(path: &Path, readings: &[Reading], args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let catalog = source::one(Some(path), &args.images)?;
    let package = source::package(&catalog, args.package.as_deref())?;
    let is_range = readings.iter().any(|reading| reading.error().is_none());
    match args.format {
        TextOrJson::Json => {
            let versions = package.bundles.iter().filter_map(|b| Some((&b.name.value, b.version.as_ref()?)));
            let rows = versions.flat_map(|(name, version)| {
                readings.iter().map(|r| Row::of_bundle(r, name.as_str(), &version.version))
            });
            out.print(&json::pretty(&rows.collect::<Vec<_>>()))?;
        }
        TextOrJson::Text if is_range => out.print(&range::bundle_text(readings, package, &out.style))?,
        TextOrJson::Text => {}
    }
    source::warn_of_problems(&catalog, out);
    if is_range { Ok(Outcome::Fine) } else { Err(refusal(readings, out)) }
}

/// Returns the error for a range that is invalid in all requested dialects.
fn refusal(readings: &[Reading], out: &Out) -> anyhow::Error {
    let style = out.error_style();
    let mut failure = Failure::new("not a range");
    let mut detail = String::new();
    for reading in readings {
        let Some(error) = reading.error() else { continue };
        if let [_] = readings {
            failure = Failure::new(range::invalid(reading, error)).maybe_hint(error.hint.clone());
            detail = range::pointed(reading, error.column, Ink::Error, style);
        } else {
            detail = range::text(readings, &[], style);
        }
    }
    failure.detail(detail).into()
}
