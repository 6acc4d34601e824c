//! `olmap bundle`: contents of a bundle, differences between two bundles, and checks.

mod validate;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use clap::{ValueEnum, builder::PossibleValue};

use super::{Failure, Out, Outcome, ReportFormat, image, join_names, out, output, revision, source};
use olm_bundle::compare::{Comparison, ConcernKind};
use olm_bundle::manifests::{BundleManifests, Manifests};
use olm_bundle::outline::{Outline, Part};
use olm_bundle::step::{Judgement, StepBundle, StoredVersions, earlier_stored_versions, judge_step};
use olm_bundle::{Tree, registry::DirectoryContents};
use olm_catalog::{Catalog, blob::BundleBlob, load::Progress, package::Package, similar_names};
use olm_source::{
    ImageAccess, ManifestSearchPath, ManifestStore, bundles, read_bundle_directory, unread_part_of,
};
use olmap_report::bundle::outline::{self, SectionFilter};
use olmap_report::bundle::{contents, diff, outline_markdown};

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap bundle show operators/tide/1.3.0
  olmap bundle diff operators/tide/1.2.0 operators/tide/1.3.0
  olmap bundle diff --catalog catalogs/v4.22 1.2.0 1.3.0
  olmap bundle validate operators/tide/1.3.0
  olmap bundle validate operators/tide/* --deny warnings -o github
  olmap bundle validate git:main:operators/tide/1.3.0
  olmap bundle validate --fix -n operators/tide/1.3.0
  olmap bundle validate --suite good-practices --suite operatorhubv2 operators/tide/1.3.0
  olmap bundle validate --target v1 operators/tide/1.3.0

Exit code: 0 ok, 1 validate found errors, or diff found what --fail-on names, 2 failed, or something could not be checked.";

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Show the contents: APIs, deployments, permissions, webhooks, images.
    Show(ShowArgs),
    /// Compare two bundles, most important differences first.
    Diff(DiffArgs),
    /// Check bundles with the suites of opm and operator-sdk, or as a cluster does.
    Validate(validate::Args),
}

#[derive(Debug, clap::Args)]
struct ShowArgs {
    /// Bundle: directory with manifests/ and metadata/, git:REV:DIR or image. With --bundle: a
    /// catalog.
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// Bundle of the catalog: its name, or its version if only one bundle has it.
    #[arg(long, value_name = "NAME")]
    bundle: Option<String>,
    /// Package of the bundle; optional if only one package has it.
    #[arg(long, short = 'p', value_name = "NAME", requires = "bundle")]
    package: Option<String>,
    /// Print only this section, with its long texts. Can be repeated.
    #[arg(long = "section", value_name = "NAME", value_parser = output::named_parser(&Part::ALL, Part::id))]
    sections: Vec<Part>,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
    #[command(flatten)]
    images: image::Args,
}

#[derive(Debug, clap::Args)]
struct DiffArgs {
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
        static ALL: LazyLock<Vec<FailOn>> = LazyLock::new(|| {
            let others = [FailOn::Refused, FailOn::NotChecked, FailOn::Serious, FailOn::All];
            ConcernKind::ALL.into_iter().map(FailOn::One).chain(others).collect()
        });
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

pub fn run_bundle(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    match &args.command {
        Command::Show(args) => run_bundle_show(args, out),
        Command::Diff(args) => run_bundle_diff(args, out),
        Command::Validate(args) => validate::run_bundle_validate(args, out),
    }
}

fn run_bundle_show(args: &ShowArgs, out: &mut Out) -> anyhow::Result<Outcome> {
    let wanted = SectionFilter(args.sections.clone());
    let text = match &args.bundle {
        None => match image::open_bundle(&args.path, &args.images.access())? {
            Some(bundle) => show_tree(&args.path, &bundle.tree, None, args.format, &wanted, out)?,
            None => show_directory(&args.path, None, args.format, &wanted, out)?,
        },
        Some(name) => {
            let catalog = source::open_catalog(Some(&args.path), &args.images)?;
            let (package, blob) = find_bundle(&catalog, args.package.as_deref(), name)?;
            // The bundle directory is used if it is known, because a catalog omits part of a bundle.
            let with = package.channels_with(&blob.name.value);
            let channels: Vec<&str> = with.map(|channel| channel.name.value.as_str()).collect();
            if let Some(directory) = bundles::directory_of(&catalog, &package.name, blob) {
                out.print(&show_directory(&directory, Some(&channels), args.format, &wanted, out)?)?;
                return Ok(Outcome::Fine);
            }
            let unread = || Failure::new(format!("{name} cannot be read in {}", catalog.origin.label()));
            let inside = Outline::from_catalog(&catalog, blob).ok_or_else(unread)?;
            print_bundle(&inside, &wanted, args.format, out, || {
                contents::render_catalog_bundle(&channels, &inside, &wanted)
            })
        }
    };
    out.print(&text)?;
    Ok(Outcome::Fine)
}

/// Renders a bundle directory. `published` are the channels of the catalog that contains the bundle.
fn show_directory(
    path: &Path,
    published: Option<&[&str]>,
    format: ReportFormat,
    wanted: &SectionFilter,
    out: &Out,
) -> anyhow::Result<String> {
    let tree = match revision::parse_revision(path) {
        Some(revision) => revision::read_bundle(&revision, None)?,
        None => read_bundle_directory(path)?,
    };
    show_tree(path, &tree, published, format, wanted, out)
}

fn show_tree(
    path: &Path,
    tree: &Tree,
    published: Option<&[&str]>,
    format: ReportFormat,
    wanted: &SectionFilter,
    out: &Out,
) -> anyhow::Result<String> {
    let contents = DirectoryContents::from_tree(tree);
    if contents.any_csv().is_none() && !tree.is_bundle() {
        return Err(no_bundle(path).into());
    }
    if let Some(part) = unread_part_of(path, tree) {
        out.print_warning(&part, None);
    }
    let inside = Outline::from_directory(&contents, tree);
    Ok(print_bundle(&inside, wanted, format, out, || {
        contents::render_directory_bundle(&contents, published, &inside, wanted)
    }))
}

fn no_bundle(path: &Path) -> Failure {
    Failure::new(format!("{} is not a bundle directory", path.display()))
        .with_hint("name the directory with manifests/ and metadata/, or a catalog and --bundle NAME")
}

fn print_bundle(
    inside: &Outline,
    wanted: &SectionFilter,
    format: ReportFormat,
    out: &Out,
    json: impl Fn() -> String,
) -> String {
    match format {
        ReportFormat::Json | ReportFormat::Yaml => output::encode_json(format, json()),
        ReportFormat::Text => outline::render_outline(inside, wanted, &out.style),
        ReportFormat::Markdown => outline_markdown::render_outline_comment(inside, wanted),
    }
}

/// Returns the bundle with a name, or with a version that only one bundle has.
pub(super) fn find_bundle<'c>(
    catalog: &'c Catalog,
    package: Option<&str>,
    name: &str,
) -> Result<(&'c Package, &'c BundleBlob), Failure> {
    let packages: Vec<&Package> = match package {
        Some(package) => vec![source::select_package(catalog, Some(package))?],
        None => source::named_packages(catalog).map(AsRef::as_ref).collect(),
    };
    let bundles = || {
        packages
            .iter()
            .flat_map(|package| package.bundles.iter().map(move |bundle| (*package, bundle.as_ref())))
    };
    let is_version =
        |bundle: &BundleBlob| bundle.version.as_ref().is_some_and(|version| version.to_string() == name);
    let mut found: Vec<_> = bundles().filter(|(_, bundle)| bundle.name.value.as_str() == name).collect();
    if found.is_empty() {
        found = bundles().filter(|(_, bundle)| is_version(bundle)).collect();
    }
    match found.as_slice() {
        [only] => Ok(*only),
        [] => {
            let failure = Failure::new(format!("no bundle {name} in {}", catalog.origin.label()));
            Err(
                match similar_names::suggest_closest(
                    name,
                    bundles().map(|(_, bundle)| bundle.name.value.as_str()),
                ) {
                    Some(meant) => failure.with_hint(format!("is it {meant}?")),
                    None => failure.with_hint("olmap list bundles lists them"),
                },
            )
        }
        many => {
            let names = join_names(many.iter().map(|(_, bundle)| bundle.name.value.as_str()));
            let hint = format!("choose one: {names}; --package NAME where they are of several packages");
            Err(Failure::new(format!("{} bundles are called {name}", many.len())).with_hint(hint))
        }
    }
}

fn run_bundle_diff(args: &DiffArgs, out: &mut Out) -> anyhow::Result<Outcome> {
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
        ReportFormat::Json | ReportFormat::Yaml => out.print(&output::encode_json(
            args.format,
            diff::render_bundle_diff_json(&comparison, &judgement),
        ))?,
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
    out::report_files(unread_part_of(path, &tree), out);
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
fn read_catalog_sides(catalog: &Catalog, args: &DiffArgs, out: &Out) -> anyhow::Result<[BundleSide; 2]> {
    let find = |name: &Path| find_bundle(catalog, args.package.as_deref(), &name.to_string_lossy());
    let found = [find(&args.old)?, find(&args.new)?];
    let home = |(package, blob): (&Package, &BundleBlob)| bundles::directory_of(catalog, &package.name, blob);
    if let [Some(old), Some(new)] = found.map(home) {
        return Ok([read_side(&old, None, out)?, read_side(&new, None, out)?]);
    }
    let progress = Progress::default();
    let images = ImageAccess::only_cached(&args.images.access());
    let sight = ManifestSearchPath { images, ..ManifestSearchPath::default() };
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
