//! `olmap bundle diff`: what differs between two bundles, what matters first.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::show;
use crate::{
    bundle::{
        compare::{Comparison, ConcernKind},
        inside::Inside,
        registry::Contents,
    },
    catalog::Catalog,
    cli::{failure::Failure, format::ReportFormat, out::Out, outcome::Outcome, source},
    export::bundle::diff,
    source::{bundles, read_bundle_directory},
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
    #[arg(long, value_name = "NAME", requires = "catalog")]
    package: Option<String>,
    /// Exit with 1 if the new bundle does one of these. May be given several times, or separated by commas.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    fail_on: Vec<FailOn>,
    /// Output format.
    #[arg(long, short = 'o', value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
}

/// What makes a run fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum FailOn {
    /// An API is no longer owned.
    RemovedApi,
    /// A CRD version that was served or stored is removed.
    RemovedVersion,
    /// A CRD version is no longer served.
    UnservedVersion,
    /// An install mode is no longer supported.
    RemovedInstallMode,
    /// A dangerous permission is added, or a container takes more of its node.
    GainedDanger,
    /// Something must be on the cluster that had not to be.
    NewRequirement,
    /// A webhook is added.
    NewWebhook,
    /// An object is removed or renamed, which an upgrade deletes.
    RemovedObject,
    /// The first five of these.
    Serious,
    /// Any of these.
    All,
}

impl FailOn {
    fn has(self, kind: ConcernKind) -> bool {
        match self {
            Self::RemovedApi => kind == ConcernKind::RemovedApi,
            Self::RemovedVersion => kind == ConcernKind::RemovedVersion,
            Self::UnservedVersion => kind == ConcernKind::UnservedVersion,
            Self::RemovedInstallMode => kind == ConcernKind::RemovedInstallMode,
            Self::GainedDanger => kind == ConcernKind::GainedDanger,
            Self::NewRequirement => kind == ConcernKind::NewRequirement,
            Self::NewWebhook => kind == ConcernKind::NewWebhook,
            Self::RemovedObject => kind == ConcernKind::RemovedObject,
            Self::Serious => kind.is_serious(),
            Self::All => true,
        }
    }
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let [old, new] = match &args.catalog {
        None => [directory(&args.old)?, directory(&args.new)?],
        Some(path) => {
            let catalog = source::one(Some(path))?;
            let package = args.package.as_deref();
            let named = |name: &Path| of_catalog(&catalog, package, &name.to_string_lossy());
            [named(&args.old)?, named(&args.new)?]
        }
    };
    let comparison = Comparison::between(&old, &new);
    match args.format {
        ReportFormat::Text => out.print(&diff::text(&comparison, &out.style))?,
        ReportFormat::Json => out.print(&diff::json(&comparison))?,
        ReportFormat::Markdown => out.print(&diff::markdown(&comparison))?,
    }
    let fails = |kind: ConcernKind| args.fail_on.iter().any(|what| what.has(kind));
    if comparison.concerns.iter().any(|concern| fails(concern.kind)) {
        return Ok(Outcome::Findings);
    }
    let gap = comparison.sections.iter().find_map(|section| Some((section.part, section.gap?)));
    if let Some((part, gap)) = gap.filter(|_| !args.fail_on.is_empty()) {
        return Err(Failure::new(format!("not compared: {}", part.title())).hint(gap).into());
    }
    Ok(Outcome::Fine)
}

fn directory(path: &Path) -> anyhow::Result<Inside> {
    let tree = read_bundle_directory(path)?;
    let contents = Contents::read(&tree);
    if contents.any_csv().is_none() && !tree.is_bundle() {
        let hint = "name the directory with manifests/ and metadata/, or a bundle and --catalog PATH";
        return Err(Failure::new(format!("{} is not a bundle directory", path.display())).hint(hint).into());
    }
    Ok(Inside::of_directory(&contents, &tree))
}

/// What a catalog leaves out stands in the bundle's directory, where that is known.
fn of_catalog(catalog: &Catalog, package: Option<&str>, name: &str) -> anyhow::Result<Inside> {
    let (package, blob) = show::find(catalog, package, name)?;
    let version = blob.version.as_ref().map(ToString::to_string).unwrap_or_default();
    let home = catalog.bundle_home(&package.name, &blob.name.value);
    let found = home.and_then(|home| bundles::find_directory(&home, blob.name.value.as_str(), &version));
    if let Some(path) = found {
        return directory(&path);
    }
    let unread = || Failure::new(format!("{name} cannot be read in {}", catalog.origin.label()));
    Ok(Inside::of_catalog(catalog, blob).ok_or_else(unread)?)
}
