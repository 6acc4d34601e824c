//! `olmap bundle diff`: what differs between two bundles, what matters first.

use std::path::{Path, PathBuf};

use clap::{ValueEnum, builder::PossibleValue};

use super::show;
use crate::{
    bundle::{
        compare::{Comparison, ConcernKind},
        inside::Inside,
        registry::Contents,
    },
    catalog::{Catalog, blob::BundleBlob, package::Package},
    cli::{
        failure::Failure, format::ReportFormat, image, not_checked, out::Out, outcome::Outcome, revision,
        source,
    },
    export::bundle::diff,
    source::{bundles, read_bundle_directory, unread_part_of},
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The old bundle: a directory with manifests/ and metadata/. With --catalog: its name, or its version where only
    /// one bundle has it.
    old: PathBuf,
    /// The new bundle, given in the same way.
    new: PathBuf,
    /// OLD and NEW are bundles of this catalog.
    #[arg(long, value_name = "PATH")]
    catalog: Option<PathBuf>,
    /// The package of the bundles; optional if only one has them.
    #[arg(long, short = 'p', value_name = "NAME", requires = "catalog")]
    package: Option<String>,
    /// Exit with 1 if the new bundle does one of these. May be given several times, or separated by commas.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    fail_on: Vec<FailOn>,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
    #[command(flatten)]
    images: image::Args,
}

/// What makes a run fail: a concern, or several.
#[derive(Clone, Copy, Debug)]
enum FailOn {
    One(ConcernKind),
    Serious,
    All,
}

impl FailOn {
    fn has(self, kind: ConcernKind) -> bool {
        match self {
            Self::One(one) => kind == one,
            Self::Serious => kind.is_serious(),
            Self::All => true,
        }
    }
}

impl ValueEnum for FailOn {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [FailOn; ConcernKind::ALL.len() + 2] = {
            let mut all = [FailOn::All; ConcernKind::ALL.len() + 2];
            let mut at = 0;
            while at < ConcernKind::ALL.len() {
                all[at] = FailOn::One(ConcernKind::ALL[at]);
                at += 1;
            }
            all[at] = FailOn::Serious;
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::One(kind) => PossibleValue::new(kind.name()).help(kind.about()),
            Self::Serious => PossibleValue::new("serious").help("The first six of these"),
            Self::All => PossibleValue::new("all").help("Any of these"),
        })
    }
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let [old, new] = match &args.catalog {
        None => [directory(&args.old, Some(&args.new), out)?, directory(&args.new, Some(&args.old), out)?],
        Some(path) => {
            let catalog = source::one(Some(path), &args.images)?;
            of_catalog(&catalog, args.package.as_deref(), [&args.old, &args.new], out)?
        }
    };
    let comparison = Comparison::between(&old, &new);
    match args.format {
        ReportFormat::Text => out.print(&diff::text(&comparison, &out.style))?,
        ReportFormat::Json => out.print(&diff::json(&comparison))?,
        ReportFormat::Markdown => out.print(&diff::markdown(&comparison))?,
    }
    let fails = |kind: ConcernKind| args.fail_on.iter().any(|what| what.has(kind));
    let gap = comparison.sections.iter().find_map(|section| Some((section.part, section.gap?)));
    if let Some((part, gap)) = gap.filter(|_| !args.fail_on.is_empty()) {
        out.report_not_checked(&format!("not compared: {}", part.title()), Some(gap));
    }
    Ok(comparison.concerns.iter().any(|concern| fails(concern.kind)).into())
}

/// Reads a bundle directory. A revision without a path has the path of `other`.
fn directory(path: &Path, other: Option<&Path>, out: &Out) -> anyhow::Result<Inside> {
    let tree = match revision::parse(path) {
        Some(revision) => revision::read_bundle(&revision, other)?,
        None => read_bundle_directory(path)?,
    };
    let contents = Contents::read(&tree);
    let is_bundle = contents.any_csv().is_some() || tree.is_bundle();
    if contents.any_csv().is_none() && is_bundle {
        let words = match unread_part_of(path, &tree) {
            Some(part) => format!("{}: no ClusterServiceVersion: {part}", path.display()),
            None => format!("{} has no ClusterServiceVersion", path.display()),
        };
        return Err(Failure::new(words).hint("olmap bundle validate DIR shows why").into());
    }
    if !is_bundle {
        let hint = "name the directory with manifests/ and metadata/, or a bundle and --catalog PATH";
        return Err(Failure::new(format!("{} is not a bundle directory", path.display())).hint(hint).into());
    }
    not_checked::report_bundle(path, &tree, out);
    Ok(Inside::of_directory(&contents, &tree))
}

/// Two bundles of a catalog. What a catalog leaves out stands in their directories; where only one has one, both are read
/// from the catalog: what it says of one and a directory of the other cannot be compared.
fn of_catalog(
    catalog: &Catalog,
    package: Option<&str>,
    names: [&Path; 2],
    out: &Out,
) -> anyhow::Result<[Inside; 2]> {
    let find = |name: &Path| show::find(catalog, package, &name.to_string_lossy());
    let found = [find(names[0])?, find(names[1])?];
    let home = |(package, blob): (&Package, &BundleBlob)| bundles::directory_of(catalog, &package.name, blob);
    if let [Some(old), Some(new)] = found.map(home) {
        return Ok([directory(&old, None, out)?, directory(&new, None, out)?]);
    }
    let told = |(_, blob): (&Package, &BundleBlob)| {
        let unread =
            || Failure::new(format!("{} cannot be read in {}", blob.name.value, catalog.origin.label()));
        Inside::of_catalog(catalog, blob).ok_or_else(unread)
    };
    let [old, new] = found.map(told);
    Ok([old?, new?])
}
