//! `olmap bundle validate`.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::ValueEnum;

use crate::{
    bundle::{
        classic,
        registry::Contents,
        suites::{self, Level, Settings, Suite},
        v1,
    },
    catalog::load::regular,
    cli::{format::TextOrJson, out::Out, outcome::Outcome},
    export::bundle::verdicts,
    source::read_bundle_directory,
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The bundle: a directory with manifests/ and metadata/.
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Run only this suite (repeatable). Default: format, content, bundle, csv, crd.
    #[arg(long = "suite", value_name = "NAME")]
    suites: Vec<SuiteName>,
    /// Check what a cluster rejects, instead of running suites.
    #[arg(long, value_name = "OLM", conflicts_with = "suites")]
    target: Option<Target>,
    /// A value for suites: k8s-version=VERSION.
    #[arg(long = "optional-values", value_name = "KEY=VALUE")]
    values: Vec<String>,
    /// How to print.
    #[arg(long, short = 'o', value_name = "FORMAT", default_value = "text")]
    format: TextOrJson,
}

/// A generation of OLM.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Target {
    /// OLM Classic.
    Classic,
    /// OLM v1.
    V1,
}

/// A suite as it is named on the command line.
#[derive(Clone, Copy, Debug)]
struct SuiteName(Suite);

impl ValueEnum for SuiteName {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [SuiteName; Suite::ALL.len()] = {
            let mut all = [SuiteName(Suite::Csv); Suite::ALL.len()];
            let mut at = 0;
            while at < all.len() {
                all[at] = SuiteName(Suite::ALL[at]);
                at += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.0.name()))
    }
}

/// What `operator-sdk bundle validate` runs.
const USUAL: [Suite; 5] = [Suite::Format, Suite::Content, Suite::Bundle, Suite::Csv, Suite::Crd];

/// The variable that names a file with categories to use in place of the standard ones: that of the api library.
const CATEGORIES: &str = "OPERATOR_BUNDLE_CATEGORIES";

/// What such a file says.
#[derive(serde::Deserialize)]
struct Categories {
    categories: Vec<String>,
}

/// The categories of the file that the variable names, if it is set.
fn categories() -> anyhow::Result<Option<Vec<String>>> {
    let Some(path) = std::env::var_os(CATEGORIES).filter(|path| !path.is_empty()).map(PathBuf::from) else {
        return Ok(None);
    };
    let place = || format!("{CATEGORIES}: {}", path.display());
    let bytes = regular::read(&path, regular::MOST_BY_HAND).with_context(place)?;
    let read: Categories = serde_json::from_slice(&bytes).with_context(place)?;
    Ok(Some(read.categories))
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let tree = read_bundle_directory(&args.directory)?;
    let value = |key: &str| {
        let found =
            args.values.iter().rev().find_map(|value| value.split_once('=').filter(|(name, _)| *name == key));
        found.map(|(_, value)| value.to_owned())
    };
    let settings = Settings { kubernetes: value("k8s-version"), categories: categories()? };
    let suites: Vec<Suite> = if args.suites.is_empty() {
        USUAL.to_vec()
    } else {
        args.suites.iter().map(|suite| suite.0).collect()
    };
    let found = match args.target {
        None => suites::run(&tree, &suites, &settings),
        Some(Target::Classic) => classic::check_all(&Contents::read(&tree)),
        Some(Target::V1) => v1::check(&tree),
    };
    match args.format {
        TextOrJson::Json => out.print(&verdicts::json(&found, &tree))?,
        TextOrJson::Text => out.print(&verdicts::text(&found, &tree))?,
    }
    Ok(found.iter().any(|verdict| verdict.level == Level::Error).into())
}
