//! `olmap crds diff`: refusals of OLM if new CRDs replace old ones.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{json, value::RawValue};

use super::side::{Crds, Side};
use crate::{
    bundle::crd::{CrdSet, compare, compare_sets, compare_two, read_pair},
    cli::{batch, failure::Failure, image, out::Out, outcome::Outcome, source},
    export::{bundle::crds, json as print},
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The old CRDs: a file (YAML with any number of documents, or JSON) or a bundle directory. With --catalog: a bundle,
    /// by its name, or its version where only one bundle has it.
    #[arg(required_unless_present = "pairs")]
    old: Option<PathBuf>,
    /// The new CRDs, given in the same way.
    #[arg(required_unless_present = "pairs")]
    new: Option<PathBuf>,
    /// OLD and NEW are bundles of this catalog. Where their directories are known, these are compared; else the catalog
    /// must carry the objects of its bundles (olm.bundle.object).
    #[arg(long, value_name = "PATH")]
    catalog: Option<PathBuf>,
    /// The package of the bundles; optional if only one has them.
    #[arg(long, short = 'p', value_name = "NAME", requires = "catalog")]
    package: Option<String>,
    /// Compare the pairs in a file (- for standard input), one JSON object per line: {old, new}, both CRDs.
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
    /// For people.
    Text,
    /// For programs; the format is in docs/cli.md.
    Json,
    /// An answer per line, for --pairs.
    Jsonl,
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    if let Some(file) = &args.pairs {
        return pairs(file, args.format, out);
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
            [Side::open(old, Some(new))?, Side::open(new, Some(old))?]
        }
        Some(path) => {
            let catalog = source::one(Some(path), &args.images)?;
            let package = args.package.as_deref();
            let side = |name: &Path| Side::of_catalog(&catalog, package, &name.to_string_lossy());
            [side(old)?, side(new)?]
        }
    };
    let [before, after] = [sides[0].set()?, sides[1].set()?];
    let (before, after) = (before.get(), after.get());
    let is_refused = match (before.crds.as_slice(), after.crds.as_slice()) {
        // Two files with one CRD each are compared even if the names differ.
        ([one], [other]) if sides.iter().all(Side::is_file) => {
            let compared = compare_two(one, other);
            let text =
                if is_json { crds::json_of_two(&compared) } else { crds::text_of_two(&compared, &out.style) };
            out.print(&text)?;
            !compared.is_safe() || compared.classic.refuses()
        }
        _ => {
            let comparison = compare_sets(before, after);
            let text = if is_json { crds::json(&comparison) } else { crds::text(&comparison, &out.style) };
            out.print(&text)?;
            !comparison.is_safe() || comparison.crds.iter().any(|compared| compared.classic.refuses())
        }
    };
    Ok(is_refused.into())
}

impl<'s> Crds<'s> {
    fn get(&self) -> &CrdSet<'s> {
        match self {
            Self::Read(set) => set,
            Self::Kept(set) => set,
        }
    }
}

/// Compares pairs line by line.
fn pairs(file: &Path, format: Option<Format>, out: &mut Out) -> anyhow::Result<Outcome> {
    if !matches!(format, None | Some(Format::Jsonl)) {
        return Err(Failure::new("--pairs needs -o jsonl").into());
    }
    let (mut is_refused, mut first_bad) = (false, None);
    let outcome = batch::run(file, out, |line: Box<RawValue>| {
        let answer = read_pair(line.get().as_bytes()).map_err(|error| error.to_string());
        match answer.and_then(|[old, new]| compare(&old, &new).map_err(|error| error.to_string())) {
            Ok(comparison) => {
                is_refused |= !comparison.is_safe();
                crds::line_of_two(&comparison)
            }
            Err(error) => {
                let line = print::line(&json!({ "error": error }));
                first_bad.get_or_insert(error);
                line
            }
        }
    })?;
    match first_bad {
        Some(error) => {
            let failure = Failure::new(format!("{}: {error}", file.display()));
            Err(failure.hint("a pair is {\"old\": CRD, \"new\": CRD}, on one line").into())
        }
        None if is_refused => Ok(Outcome::Findings),
        None => Ok(outcome),
    }
}
