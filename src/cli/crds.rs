//! `olmap crds`: compatibility of CRD upgrades, between two sets of CRDs and for every step of the upgrade graph.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{json, value::RawValue};

use super::safety::{BundlesArgs, with_manifests};
use super::{Failure, Out, Outcome, TextOrJson, bundle, image, out, output, query, revision, source};
use olm_bundle::Tree;
use olm_bundle::crd::{
    CrdSet, ResourceSet, UnreadFile, check_resources, compare_crds, compare_pair, compare_sets, parse_pair,
};
use olm_catalog::{Catalog, load::git::RevisionContent, load::regular_file};
use olm_source::{ClusterFile, bundle_of_files, bundles, read_bundle_directory, read_object_files};
use olm_upgrade::PackageGraph;
use olm_upgrade::safety::{ApiNeighbors, PackageSafety, Safety, SafetyInputs, Verdict};
use olmap_report::{
    bundle::{crd_resources, crds},
    json, safety,
};

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap crds diff old/widgets.yaml new/widgets.yaml
  olmap crds diff operators/tide/1.2.0 operators/tide/1.3.0
  olmap crds diff --catalog catalogs/v4.22 tide.v1.2.0 tide.v1.3.0
  olmap crds diff -o json operators/tide/1.2.0 operators/tide/1.3.0
  olmap crds check operators/tide/1.3.0 --resources cluster.yaml
                                                do existing resources fit new CRDs
  olmap crds graph operators/tide               all steps of its channels
  olmap crds graph catalogs/v4.22 --bundles operators --refused

Exit code: 0 OLM refuses nothing, 1 OLM refuses something, 2 failed, or something could not be read or checked.";

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Show what OLM refuses when new CRDs replace old ones, what breaks, and what to do instead.
    Diff(DiffArgs),
    /// Check whether existing resources fit new CRDs. OLM Classic refuses new CRDs that they do not fit.
    Check(CheckArgs),
    /// Show for each step of the upgrade graph whether OLM refuses it, and what to check before it.
    Graph(GraphArgs),
}

/// Maximum size of a file in bytes.
const MAX_SIZE: u64 = 64 << 20;

/// Accepted sources of a side.
const ACCEPTED_SOURCES: &str =
    "name a file with a CustomResourceDefinition, a bundle directory, or two bundles with --catalog PATH";

/// Source of CRDs.
enum CrdSource {
    File { shown: String, bytes: Vec<u8> },
    Directory { shown: String, tree: Tree },
    Catalog(CrdSet<'static>),
}

impl CrdSource {
    /// Reads a file, standard input, a bundle directory, or one of these in a revision. A revision without a path has the
    /// path of `other`.
    pub fn open_path(path: &Path, other: Option<&Path>) -> anyhow::Result<Self> {
        let shown = path.to_string_lossy().into_owned();
        let check_bundle = |tree: &Tree| {
            let failure =
                || Failure::new(format!("{shown} is not a bundle directory")).with_hint(ACCEPTED_SOURCES);
            tree.has_folder("manifests").then_some(()).ok_or_else(failure)
        };
        if let Some(revision) = revision::parse_revision(path) {
            let files = match revision::read_stored(&revision, other)? {
                RevisionContent::File(bytes) => return Ok(Self::File { shown, bytes }),
                RevisionContent::Directory(files) => files,
            };
            let tree = bundle_of_files(files);
            check_bundle(&tree)?;
            return Ok(Self::Directory { shown, tree });
        }
        if source::is_stdin(path) {
            return Ok(Self::File { shown, bytes: source::read_stdin()? });
        }
        if path.is_dir() {
            let tree = read_bundle_directory(path)?;
            check_bundle(&tree)?;
            return Ok(Self::Directory { shown: shown.trim_end_matches('/').to_owned(), tree });
        }
        let bytes = regular_file::read_regular(path, MAX_SIZE).map_err(|error| {
            Failure::new(format!("cannot read {shown}: {error}")).with_hint(ACCEPTED_SOURCES)
        })?;
        Ok(Self::File { shown, bytes })
    }

    /// Opens a bundle of a catalog: its directory if that is known, otherwise the objects in the catalog.
    pub fn from_catalog(catalog: &Catalog, package: Option<&str>, name: &str) -> anyhow::Result<Self> {
        let (package, blob) = bundle::find_bundle(catalog, package, name)?;
        if let Some(path) = bundles::directory_of(catalog, &package.name, blob) {
            return Self::open_path(&path, None);
        }
        let set = CrdSet::from_catalog(catalog, blob).map_err(|error| {
            Failure::new(format!("{error}; whether the upgrade is safe is not known"))
                .with_hint("compare the bundle directories: olmap crds diff OLD_DIR NEW_DIR")
        })?;
        Ok(Self::Catalog(set))
    }

    /// Returns all CRDs.
    fn read_crds(&self) -> Result<Crds<'_>, Failure> {
        let read;
        let set = match self {
            Self::Catalog(set) => {
                check_readable(&set.unread)?;
                return Ok(Crds::Kept(set));
            }
            Self::File { shown, bytes } => {
                read = CrdSet::from_file(shown, bytes);
                if read.crds.is_empty() && read.unread.is_empty() {
                    let reason = format!("{shown} holds no CustomResourceDefinition of apiextensions.k8s.io");
                    return Err(Failure::new(reason).with_hint(ACCEPTED_SOURCES));
                }
                read
            }
            Self::Directory { shown, tree } => CrdSet::from_tree(shown, tree),
        };
        check_readable(&set.unread)?;
        Ok(Crds::Read(set))
    }

    /// Returns true if the source is a file.
    pub fn is_file(&self) -> bool {
        matches!(self, Self::File { .. })
    }
}

/// CRDs of a side.
enum Crds<'s> {
    Read(CrdSet<'s>),
    Kept(&'s CrdSet<'static>),
}

#[derive(Debug, clap::Args)]
struct DiffArgs {
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
    format: Option<DiffFormat>,
    #[command(flatten)]
    images: image::Args,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum DiffFormat {
    /// Human-readable text.
    Text,
    /// JSON; docs/cli.md describes the fields.
    Json,
    /// YAML with the fields of JSON.
    Yaml,
    /// JSON Lines: an answer per line, for --pairs.
    Jsonl,
}

impl<'s> Crds<'s> {
    fn as_set(&self) -> &CrdSet<'s> {
        match self {
            Self::Read(set) => set,
            Self::Kept(set) => set,
        }
    }
}

#[derive(Debug, clap::Args)]
struct CheckArgs {
    /// New CRDs: file (YAML with any number of documents, or JSON) or bundle directory.
    new: PathBuf,
    /// Existing resources: output of kubectl get with -o yaml or -o json, a directory of such files,
    /// or - for standard input. olmap does not contact the cluster. With the installed CRDs in the
    /// files, it checks only versions that both serve. Can be repeated.
    #[arg(long, visible_alias = "cluster", value_name = "FILE", required = true)]
    resources: Vec<PathBuf>,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: TextOrJson,
}

#[derive(Debug, clap::Args)]
struct GraphArgs {
    /// Catalog directory, file or image, - for standard input, or a folder of bundle directories.
    path: Option<PathBuf>,
    #[command(flatten)]
    bundles: BundlesArgs,
    /// Only this package.
    #[arg(long, short = 'p', value_name = "NAME")]
    package: Option<String>,
    /// Print only the steps that OLM Classic or v1 refuses.
    #[arg(long)]
    refused: bool,
    /// Also print safe and unknown steps.
    #[arg(long, conflicts_with = "refused")]
    all: bool,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: TextOrJson,
    #[command(flatten)]
    images: image::Args,
}

pub fn run_crds(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    match &args.command {
        Command::Diff(args) => run_crds_diff(args, out),
        Command::Check(args) => run_crds_check(args, out),
        Command::Graph(args) => run_crds_graph(args, out),
    }
}

/// Refuses a source with a part that cannot be read, because it may contain a CRD.
fn check_readable(unread: &[UnreadFile]) -> Result<(), Failure> {
    let Some(first) = unread.first() else { return Ok(()) };
    let at = match &first.place {
        Some(place) => format!("{}:{}:{}", place.file, place.line, place.column),
        None => first.file.clone(),
    };
    let failure = Failure::new(format!("{at}: {}", first.reason)).with_optional_hint(first.hint);
    let place = first.place.as_ref().map(|place| (place.line, Some(place.column)));
    Err(Failure::in_file(Path::new(&first.file), place, failure))
}

fn run_crds_diff(args: &DiffArgs, out: &mut Out) -> anyhow::Result<Outcome> {
    if let Some(file) = &args.pairs {
        return compare_pairs(file, args.format, out);
    }
    let (Some(old), Some(new)) = (&args.old, &args.new) else {
        return Err(Failure::new("OLD and NEW are needed").into());
    };
    let format = match args.format {
        None | Some(DiffFormat::Text) => None,
        Some(format @ (DiffFormat::Json | DiffFormat::Yaml)) => Some(format),
        Some(DiffFormat::Jsonl) => return Err(Failure::new("-o jsonl needs --pairs").into()),
    };
    let sides = match &args.catalog {
        None => {
            source::check_stdin([old, new])?;
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
            let text = match format {
                Some(format) => output::encode_json(format, crds::render_crd_pair_json(&compared)),
                None => crds::render_crd_pair(&compared, &out.style),
            };
            out.print(&text)?;
            !compared.is_safe() || compared.classic.refuses()
        }
        _ => {
            let comparison = compare_sets(before, after);
            let text = match format {
                Some(format) => output::encode_json(format, crds::render_crd_set_json(&comparison)),
                None => crds::render_crd_set(&comparison, &out.style),
            };
            out.print(&text)?;
            !comparison.is_safe() || comparison.crds.iter().any(|compared| compared.classic.refuses())
        }
    };
    Ok(is_refused.into())
}

/// Compares pairs line by line.
fn compare_pairs(file: &Path, format: Option<DiffFormat>, out: &mut Out) -> anyhow::Result<Outcome> {
    if !matches!(format, None | Some(DiffFormat::Jsonl)) {
        return Err(Failure::new("--pairs needs -o jsonl").into());
    }
    let (mut is_refused, mut first_bad) = (false, None);
    let outcome = query::run_batch(file, out, |line: Box<RawValue>| {
        let answer = parse_pair(line.get().as_bytes()).map_err(|error| error.to_string());
        match answer.and_then(|[old, new]| compare_crds(&old, &new).map_err(|error| error.to_string())) {
            Ok(comparison) => {
                is_refused |= !comparison.is_safe();
                crds::render_preflight_json_line(&comparison)
            }
            Err(error) => {
                let line = json::to_json_line(&json!({ "error": error }));
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

fn run_crds_check(args: &CheckArgs, out: &mut Out) -> anyhow::Result<Outcome> {
    source::check_stdin(std::iter::once(&args.new).chain(&args.resources))?;
    let new = CrdSource::open_path(&args.new, None)?;
    let new = new.read_crds()?;
    let files = read_resource_files(&args.resources)?;
    let mut resources = ResourceSet::default();
    for file in &files {
        resources.add_resource_file(&file.label, &file.bytes);
    }
    let checked = check_resources(new.as_set(), &resources);
    out.print(&match args.format {
        TextOrJson::Json | TextOrJson::Yaml => {
            output::encode_json(args.format, crd_resources::render_resource_check_json(&checked))
        }
        TextOrJson::Text => crd_resources::render_resource_check(&checked, &out.style),
    })?;
    for unread in &resources.unread {
        let place = unread.place.as_ref();
        let at =
            place.map_or_else(|| unread.file.clone(), |at| format!("{}:{}:{}", at.file, at.line, at.column));
        out.report_not_checked(&format!("{at}: {}", unread.reason), unread.hint);
    }
    for resource in &checked.undecided {
        let reason = format!("{} {}: not checked: it is too large", resource.crd, resource.name);
        out.report_not_checked(&reason, None);
    }
    if checked.checked_count() == 0 && !checked.other_kinds.is_empty() {
        let hint = "add the resources of the new CRDs: kubectl get NAME -A -o yaml";
        out.report_not_checked("no resource has the kind of a new CRD", Some(hint));
    }
    Ok(checked.is_refused().into())
}

/// Reads files and folders with resources; `-` is standard input.
fn read_resource_files(paths: &[PathBuf]) -> anyhow::Result<Vec<ClusterFile>> {
    let mut files = Vec::new();
    for path in paths {
        if source::is_stdin(path) {
            files.push(ClusterFile { label: "standard input".to_owned(), bytes: source::read_stdin()? });
            continue;
        }
        let before = files.len();
        read_object_files(path, |file| files.push(file)).map_err(|error| Failure::new(error.to_string()))?;
        if files.len() == before {
            return Err(Failure::new(format!("{} has no YAML or JSON files", path.display())).into());
        }
    }
    Ok(files)
}

fn run_crds_graph(args: &GraphArgs, out: &mut Out) -> anyhow::Result<Outcome> {
    let catalog = source::open_catalog(args.path.as_deref(), &args.images)?;
    out::report_unread(&catalog, |name| args.package.as_ref().is_none_or(|only| name == only.as_str()), out);
    let sight = args.bundles.search_path(&args.images.access());
    let packages: Vec<_> = match &args.package {
        Some(name) => vec![source::select_package(&catalog, Some(name))?],
        None => source::named_packages(&catalog).collect(),
    };
    let neighbours = ApiNeighbors::from_catalog(&catalog);
    let is_only = packages.len() == 1;
    let is_shown = |safety: &Safety| match safety.overall_verdict() {
        Verdict::Safe => args.all,
        Verdict::Unknown => args.all || safety.is_failure(),
        Verdict::NeedsALook => !args.refused,
        Verdict::RefusedByClassic | Verdict::RefusedByV1 | Verdict::RefusedByBoth => true,
    };
    let judged = packages.len();
    let (mut total, mut rows) = ([0; Verdict::ALL.len()], Vec::new());
    for package in packages {
        let safety = with_manifests(&catalog, &sight, |shelves| {
            let grounds = SafetyInputs { manifests: shelves, neighbors: &neighbours, cache: None };
            PackageSafety::judge_package(&PackageGraph::new(package), grounds)
        })?;
        out::report_steps(&safety, out);
        let counts = safety.count_verdicts();
        total.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
        match args.format {
            TextOrJson::Json | TextOrJson::Yaml => {
                let shown = safety.steps.iter().filter(|(_, safety)| is_shown(safety));
                rows.extend(
                    shown.map(|(step, safety)| safety::step_safety_json(&package.name, step, safety)),
                );
            }
            TextOrJson::Text => {
                if is_only || safety.steps.iter().any(|(_, safety)| is_shown(safety)) {
                    out.print(&format!(
                        "{}\n",
                        safety::render_package_safety(&package.name, &safety, is_shown, &out.style)
                    ))?;
                }
            }
        }
    }
    match args.format {
        TextOrJson::Json | TextOrJson::Yaml => {
            out.print(&output::encode_json(args.format, json::to_pretty_json(&rows)))?;
        }
        TextOrJson::Text if !is_only => {
            out.print(&format!("{judged} packages, {}\n", safety::format_verdict_counts(&total)))?;
        }
        TextOrJson::Text => {}
    }
    let refused = total.iter().zip(Verdict::ALL).any(|(count, verdict)| *count > 0 && verdict.is_refused());
    Ok(refused.into())
}
