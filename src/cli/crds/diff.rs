//! `olmap crds diff`: refusals of OLM if new CRDs replace old ones.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{json, value::RawValue};

use super::{CrdSource, Crds};
use crate::cli::{batch, failure::Failure, image, out::Out, outcome::Outcome, source};
use olm_bundle::crd::{CrdSet, compare_crds, compare_pair, compare_sets, parse_pair};
use olmap_report::{bundle::crds, json as print};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Old CRDs: file (YAML with any number of documents, or JSON) or bundle directory. With
    /// --catalog: bundle name, or version if only one bundle has it.
    #[arg(required_unless_present = "pairs")]
    old: Option<PathBuf>,
    /// New CRDs, in the same form.
    #[arg(required_unless_present = "pairs")]
    new: Option<PathBuf>,
    /// Catalog that contains the bundles OLD and NEW. olmap compares the bundle directories if it
    /// knows them. Otherwise the catalog must contain the objects of its bundles
    /// (olm.bundle.object).
    #[arg(long, value_name = "PATH")]
    catalog: Option<PathBuf>,
    /// Package of the bundles; optional if only one package has them.
    #[arg(long, short = 'p', value_name = "NAME", requires = "catalog")]
    package: Option<String>,
    /// Compare the pairs in a file (- for standard input), one JSON object per line: {old, new},
    /// both CRDs.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["old", "new", "catalog", "package"])]
    pairs: Option<PathBuf>,
    /// Output format [default: text, with --pairs jsonl].
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT")]
    format: Option<Format>,
    #[command(flatten)]
    images: image::Args,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// Human-readable text.
    Text,
    /// JSON; docs/cli.md describes the fields.
    Json,
    /// JSON Lines: an answer per line, for --pairs.
    Jsonl,
}

pub fn run_crds_diff(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    if let Some(file) = &args.pairs {
        return compare_pairs(file, args.format, out);
    }
    let (Some(old), Some(new)) = (&args.old, &args.new) else {
        return Err(Failure::new("OLD and NEW are needed").into());
    };
    let is_json = match args.format {
        None | Some(Format::Text) => false,
        Some(Format::Json) => true,
        Some(Format::Jsonl) => return Err(Failure::new("-o jsonl needs --pairs").into()),
    };
    let sides = match &args.catalog {
        None => {
            source::check_stdin(&[old.clone(), new.clone()])?;
            [CrdSource::open_path(old, Some(new))?, CrdSource::open_path(new, Some(old))?]
        }
        Some(path) => {
            let catalog = source::open_catalog(Some(path), &args.images)?;
            let package = args.package.as_deref();
            let side = |name: &Path| CrdSource::from_catalog(&catalog, package, &name.to_string_lossy());
            [side(old)?, side(new)?]
        }
    };
    let [before, after] = [sides[0].read_crds()?, sides[1].read_crds()?];
    let (before, after) = (before.as_set(), after.as_set());
    let is_refused = match (before.crds.as_slice(), after.crds.as_slice()) {
        // Two files with one CRD each are compared even if the names differ.
        ([one], [other]) if sides.iter().all(CrdSource::is_file) => {
            let compared = compare_pair(one, other);
            let text = if is_json {
                crds::render_crd_pair_json(&compared)
            } else {
                crds::render_crd_pair(&compared, &out.style)
            };
            out.print(&text)?;
            !compared.is_safe() || compared.classic.refuses()
        }
        _ => {
            let comparison = compare_sets(before, after);
            let text = if is_json {
                crds::render_crd_set_json(&comparison)
            } else {
                crds::render_crd_set(&comparison, &out.style)
            };
            out.print(&text)?;
            !comparison.is_safe() || comparison.crds.iter().any(|compared| compared.classic.refuses())
        }
    };
    Ok(is_refused.into())
}

impl<'s> Crds<'s> {
    fn as_set(&self) -> &CrdSet<'s> {
        match self {
            Self::Read(set) => set,
            Self::Kept(set) => set,
        }
    }
}

/// Compares pairs line by line.
fn compare_pairs(file: &Path, format: Option<Format>, out: &mut Out) -> anyhow::Result<Outcome> {
    if !matches!(format, None | Some(Format::Jsonl)) {
        return Err(Failure::new("--pairs needs -o jsonl").into());
    }
    let (mut is_refused, mut first_bad) = (false, None);
    let outcome = batch::run_batch(file, out, |line: Box<RawValue>| {
        let answer = parse_pair(line.get().as_bytes()).map_err(|error| error.to_string());
        match answer.and_then(|[old, new]| compare_crds(&old, &new).map_err(|error| error.to_string())) {
            Ok(comparison) => {
                is_refused |= !comparison.is_safe();
                crds::render_preflight_json_line(&comparison)
            }
            Err(error) => {
                let line = print::to_json_line(&json!({ "error": error }));
                first_bad.get_or_insert(error);
                line
            }
        }
    })?;
    match first_bad {
        Some(error) => {
            let failure = Failure::new(format!("{}: {error}", file.display()));
            Err(failure.with_hint("a pair is {\"old\": CRD, \"new\": CRD}, on one line").into())
        }
        None if is_refused => Ok(Outcome::Findings),
        None => Ok(outcome),
    }
}
