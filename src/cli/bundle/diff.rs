//! `olmap bundle diff`: differences between two bundles, most important first.

use std::path::{Path, PathBuf};

use clap::{ValueEnum, builder::PossibleValue};

use super::show;
use crate::cli::{
    failure::Failure, format::ReportFormat, image, not_checked, out::Out, outcome::Outcome, revision, source,
};
use olm_bundle::{
    compare::{Comparison, ConcernKind},
    manifests::{BundleManifests, Manifests},
    outline::Outline,
    registry::DirectoryContents,
    step::{Judgement, StepBundle, StoredVersions, earlier_stored_versions, judge_step},
};
use olm_catalog::{Catalog, blob::BundleBlob, load::Progress, package::Package};
use olm_source::{
    ImageAccess, ManifestSearchPath, ManifestStore, bundles, read_bundle_directory, unread_part_of,
};
use olmap_report::bundle::diff;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Old bundle: directory with manifests/ and metadata/. With --catalog: its name, or its
    /// version if only one bundle has it.
    old: PathBuf,
    /// New bundle, in the same form.
    new: PathBuf,
    /// Catalog that contains OLD and NEW.
    #[arg(long, value_name = "PATH")]
    catalog: Option<PathBuf>,
    /// Package of the bundles; optional if only one package has them.
    #[arg(long, short = 'p', value_name = "NAME", requires = "catalog")]
    package: Option<String>,
    /// Bundle that was installed before OLD: objects may still be stored in the versions that its
    /// CRDs stored. Can be repeated.
    #[arg(long, value_name = "DIR", conflicts_with = "catalog")]
    before: Vec<PathBuf>,
    /// Exit with 1 if the new bundle does one of these. Can be repeated, or separated by commas.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    fail_on: Vec<FailOn>,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
    #[command(flatten)]
    images: image::Args,
}

/// Condition that makes a run fail.
#[derive(Clone, Copy, Debug)]
enum FailOn {
    One(ConcernKind),
    Refused,
    NotChecked,
    Serious,
    All,
}

impl FailOn {
    const OTHERS: [Self; 4] = [Self::Refused, Self::NotChecked, Self::Serious, Self::All];

    fn matches_concern(self, kind: ConcernKind) -> bool {
        match self {
            Self::One(one) => kind == one,
            Self::Serious => kind.is_serious(),
            Self::All => true,
            Self::Refused | Self::NotChecked => false,
        }
    }

    /// Returns true if a refused step fails.
    fn has_refused(self) -> bool {
        matches!(self, Self::Refused | Self::Serious | Self::All)
    }
}

impl ValueEnum for FailOn {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [FailOn; ConcernKind::ALL.len() + FailOn::OTHERS.len()] = {
            let mut all = [FailOn::All; ConcernKind::ALL.len() + FailOn::OTHERS.len()];
            let mut at = 0;
            while at < ConcernKind::ALL.len() {
                all[at] = FailOn::One(ConcernKind::ALL[at]);
                at += 1;
            }
            let mut other = 0;
            while other < FailOn::OTHERS.len() {
                all[at + other] = FailOn::OTHERS[other];
                other += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::One(kind) => PossibleValue::new(kind.name()).help(kind.description()),
            Self::Refused => PossibleValue::new("refused").help("OLM Classic or OLM v1 refuses the step"),
            Self::NotChecked => {
                PossibleValue::new("not-checked").help("Part of the step could not be compared")
            }
            Self::Serious => PossibleValue::new("serious").help("The first six of these, and refused"),
            Self::All => PossibleValue::new("all").help("Any of these but not-checked"),
        })
    }
}

/// Bundle with its outline and the input for judging a step.
struct BundleSide {
    inside: Outline,
    /// Contents for the judgement, or the reason why they cannot be compared.
    step: Result<Box<StepBundle>, String>,
}

pub fn run_bundle_diff(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let before = args.before.iter().map(|path| read_side(path, None, out)).collect::<Result<Vec<_>, _>>()?;
    let [old, new] = match &args.catalog {
        None => [read_side(&args.old, Some(&args.new), out)?, read_side(&args.new, Some(&args.old), out)?],
        Some(path) => {
            let catalog = source::open_catalog(Some(path), &args.images)?;
            read_catalog_sides(&catalog, args, out)?
        }
    };
    let comparison = Comparison::compare_outlines(&old.inside, &new.inside);
    let judgement = judge_compared_step(before, &old, &new);
    match args.format {
        ReportFormat::Text => out.print(&diff::render_bundle_diff(&comparison, &judgement, &out.style))?,
        ReportFormat::Json => out.print(&diff::render_bundle_diff_json(&comparison, &judgement))?,
        ReportFormat::Markdown => out.print(&diff::render_bundle_diff_comment(&comparison, &judgement))?,
    }
    let fails = |kind: ConcernKind| args.fail_on.iter().any(|what| what.matches_concern(kind));
    let gap = comparison.sections.iter().find_map(|section| Some((section.part, section.gap?)));
    if let Some((part, gap)) = gap.filter(|_| !args.fail_on.is_empty()) {
        out.report_not_checked(&format!("not compared: {}", part.heading()), Some(gap));
    }
    let is_concern = comparison.concerns.iter().any(|concern| fails(concern.kind));
    Ok((is_concern || is_failing_step(&args.fail_on, &judgement, out)).into())
}

/// Judges the step, unless one of the bundles cannot be compared.
fn judge_compared_step(before: Vec<BundleSide>, old: &BundleSide, new: &BundleSide) -> Judgement {
    let before: Result<Vec<StepBundle>, String> =
        before.into_iter().map(|side| side.step.map(|bundle| *bundle)).collect();
    match (before, &old.step, &new.step) {
        (Ok(before), Ok(old), Ok(new)) => {
            let stored: StoredVersions = earlier_stored_versions(before.iter(), old);
            judge_step(old, new, &stored)
        }
        (Err(reason), ..) => Judgement::not_checked(reason),
        (_, Err(reason), _) | (.., Err(reason)) => Judgement::not_checked(reason),
    }
}

/// Returns true if the step makes the run fail. A gap in the comparison is reported if a refusal would make it fail.
fn is_failing_step(fail_on: &[FailOn], judgement: &Judgement, out: &Out) -> bool {
    let asks_for_refused = fail_on.iter().any(|what| what.has_refused());
    let asks_for_gaps = fail_on.iter().any(|what| matches!(what, FailOn::NotChecked));
    let gaps = judgement.by_olm().into_iter().filter(|(_, olm)| !olm.not_checked.is_empty());
    let gaps: Vec<_> = gaps.collect();
    if asks_for_refused && !asks_for_gaps {
        for (name, olm) in &gaps {
            for reason in &olm.not_checked {
                out.report_not_checked(&format!("{name}: step not checked: {reason}"), None);
            }
        }
    }
    asks_for_refused && judgement.is_refused() || asks_for_gaps && !gaps.is_empty()
}

/// Reads a bundle directory. A revision without a path has the path of `other`.
fn read_side(path: &Path, other: Option<&Path>, out: &Out) -> anyhow::Result<BundleSide> {
    let tree = match revision::parse_revision(path) {
        Some(revision) => revision::read_bundle(&revision, other)?,
        None => read_bundle_directory(path)?,
    };
    let contents = DirectoryContents::from_tree(&tree);
    let is_bundle = contents.any_csv().is_some() || tree.is_bundle();
    if contents.any_csv().is_none() && is_bundle {
        let words = match unread_part_of(path, &tree) {
            Some(part) => format!("{}: no ClusterServiceVersion: {part}", path.display()),
            None => format!("{} has no ClusterServiceVersion", path.display()),
        };
        return Err(Failure::new(words).with_hint("olmap bundle validate DIR shows why").into());
    }
    if !is_bundle {
        let hint = "name the directory with manifests/ and metadata/, or a bundle and --catalog PATH";
        return Err(Failure::new(format!("{} is not a bundle directory", path.display()))
            .with_hint(hint)
            .into());
    }
    not_checked::report_bundle(path, &tree, out);
    let inside = Outline::from_directory(&contents, &tree);
    drop(contents);
    // Locations count from the bundle directory, as those of the outline do.
    let step = match unread_part_of(path, &tree) {
        Some(part) => Err(part),
        None => {
            StepBundle::from_manifests(BundleManifests { tree, shown: Some(String::new()) }).map(Box::new)
        }
    };
    Ok(BundleSide { inside, step })
}

/// Reads two bundles of a catalog. Their directories are used if both have one, because a catalog omits part
/// of a bundle. Otherwise both are read from the catalog, since a directory cannot be compared with a catalog
/// entry.
fn read_catalog_sides(catalog: &Catalog, args: &Args, out: &Out) -> anyhow::Result<[BundleSide; 2]> {
    let find = |name: &Path| show::find_bundle(catalog, args.package.as_deref(), &name.to_string_lossy());
    let found = [find(&args.old)?, find(&args.new)?];
    let home = |(package, blob): (&Package, &BundleBlob)| bundles::directory_of(catalog, &package.name, blob);
    if let [Some(old), Some(new)] = found.map(home) {
        return Ok([read_side(&old, None, out)?, read_side(&new, None, out)?]);
    }
    let progress = Progress::default();
    let images = ImageAccess::only_cached(&args.images.access());
    let sight = ManifestSearchPath { folders: Vec::new(), images };
    let shelves = ManifestStore::new(catalog, &sight, &progress).ok();
    let told = |(package, blob): (&Package, &BundleBlob)| {
        let unread =
            || Failure::new(format!("{} cannot be read in {}", blob.name.value, catalog.origin.label()));
        let inside = Outline::from_catalog(catalog, blob).ok_or_else(unread)?;
        let manifests = shelves.as_ref().map(|shelves| shelves.manifests_of(&package.name, blob));
        let step = match manifests {
            Some(Ok(found)) => StepBundle::from_manifests(found).map(Box::new),
            Some(Err(error)) => Err(error.to_string()),
            None => Err(format!("the manifests of {} are not known", blob.name.value)),
        };
        Ok::<BundleSide, Failure>(BundleSide { inside, step })
    };
    let [old, new] = found.map(told);
    Ok([old?, new?])
}
