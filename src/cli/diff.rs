//! `olmap diff`: what differs in meaning between two catalogs, and who is moved by it.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::{
    failure::Failure,
    format::ReportFormat,
    image,
    out::Out,
    outcome::Outcome,
    progress,
    safety::{BundlesArgs, no_bundles},
    source,
};
use crate::{
    catalog::{
        Catalog, PackageName,
        load::git::{self, Revision},
        paths::glob::Glob,
    },
    export::{
        diff::{Compared, Update, json, markdown, text},
        json as print,
        left_out::LeftOut,
        plan::Over,
    },
    plan::{
        planner::{Everyone, Question, World},
        series::Release,
    },
    review::{
        Difference, Snapshot,
        diff::{Gate, gate},
    },
    runtime,
    source::{bundles, is_image, is_older},
    upgrade::Engine,
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The old catalog: a directory, a file, - for standard input, or git:REV[:PATH] for a revision of the current
    /// git repository. Without :PATH it is the path of the other catalog.
    old: PathBuf,
    /// The new catalog, given in the same ways.
    new: PathBuf,
    /// Only this package. May be given several times.
    #[arg(long = "package", value_name = "NAME")]
    packages: Vec<String>,
    /// Exit with 1 if the new catalog does one of these. May be given several times, or separated by commas.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    fail_on: Vec<FailOn>,
    /// Channels that may lose entries without failing removed-entries; * and ? are wildcards. May be given several
    /// times. Replaces the defaults: *candidate*, dev-preview*, pre-ga*, *nightly*.
    #[arg(long, value_name = "GLOB", value_parser = glob)]
    except: Vec<Pattern>,
    /// Also report documents that differ only in formatting.
    #[arg(long)]
    formatting: bool,
    #[command(flatten)]
    bundles: BundlesArgs,
    /// Output format.
    #[arg(long, short = 'o', value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
    #[command(flatten)]
    images: image::Args,
}

/// What makes a run fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum FailOn {
    /// An entry is removed from a channel that is not excepted.
    RemovedEntries,
    /// Users lose their upgrade path.
    NewDeadEnds,
    /// The catalog has new errors.
    NewErrors,
    /// Users get an older version than the installed one.
    Downgrades,
    /// A channel can no longer be installed, or not its head, because of dependencies.
    BrokenDependencies,
    /// The default channel of a package changes.
    DefaultChannel,
    /// A published bundle changes.
    ChangedBundles,
    /// The catalogs are for two OpenShift versions, and an installed version does not get from the old one to the new one; see
    /// olmap plan --all.
    Stranded,
    /// Any of these.
    All,
}

impl FailOn {
    fn gates(self) -> &'static [Gate] {
        match self {
            Self::RemovedEntries => &[Gate::RemovedEntries],
            Self::NewDeadEnds => &[Gate::NewDeadEnds],
            Self::NewErrors => &[Gate::NewErrors],
            Self::Downgrades => &[Gate::Downgrades],
            Self::BrokenDependencies => &[Gate::BrokenDependencies],
            Self::DefaultChannel => &[Gate::DefaultChannel],
            Self::ChangedBundles => &[Gate::ChangedBundles],
            Self::Stranded => &[],
            Self::All => &Gate::ALL,
        }
    }
}

/// A pattern of channel names.
#[derive(Clone, Debug)]
struct Pattern(Glob);

fn glob(text: &str) -> Result<Pattern, String> {
    Glob::parse(text)
        .map(Pattern)
        .ok_or_else(|| "not a pattern: unclosed bracket or trailing backslash".to_owned())
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    source::check_stdin(&[args.old.clone(), args.new.clone()])?;
    let old = open(&args.old, &args.new, &args.images)?;
    let new = open(&args.new, &args.old, &args.images)?;
    if let Some(name) = args.packages.iter().find(|n| old.package(n).is_none() && new.package(n).is_none()) {
        return Err(source::no_package(&new, name).into());
    }
    let (old_label, new_label) = (old.origin.label(), new.origin.label());
    let judged = |side| judged(side, &args.bundles, &args.images);
    let (old, new) = (judged(old)?, judged(new)?);
    let mut difference = Difference::between(&old, &new);
    if !args.packages.is_empty() {
        difference.keep(|package| args.packages.iter().any(|name| package == name.as_str()));
    }
    let gates: Vec<Gate> = args.fail_on.iter().flat_map(|what| what.gates()).copied().collect();
    let except: Vec<Glob> = match args.except.as_slice() {
        [] => gate::EXCEPT.iter().filter_map(|pattern| Glob::parse(pattern)).collect(),
        patterns => patterns.iter().map(|pattern| pattern.0.clone()).collect(),
    };
    let matters = |name: &PackageName| {
        args.packages.is_empty() || args.packages.iter().any(|asked| name == asked.as_str())
    };
    let left_out = [&old, &new].into_iter().filter_map(|side| LeftOut::of(&side.catalog, matters)).collect();
    let violations = gate::violations(&difference, (&old, &new), &gates, &except);
    let compared = Compared {
        old_label: &old_label,
        new_label: &new_label,
        old: &old,
        new: &new,
        difference: &difference,
        violations: &violations,
        left_out,
        formatting: args.formatting,
        update: update(&old, &new, matters),
    };
    let is_gate = args.fail_on.iter().any(|what| matches!(what, FailOn::Stranded | FailOn::All));
    let strands = compared.update.as_ref().is_some_and(|update| update.everyone.stranded().0 > 0);
    match args.format {
        ReportFormat::Text => out.print(&text::text(&compared, &out.style))?,
        ReportFormat::Json => out.print(&print::pretty(&json::value(&compared)))?,
        ReportFormat::Markdown => out.print(&markdown::comment(&compared))?,
    }
    if !violations.is_empty() || (is_gate && strands) {
        return Ok(Outcome::Findings);
    }
    if !gates.is_empty()
        && let Some(left_out) = compared.left_out.first()
    {
        return Err(source::half_read(left_out).into());
    }
    Ok(Outcome::Fine)
}

/// Who gets from one catalog to the other, where their paths say that the new one is for a later OpenShift version.
fn update(old: &Snapshot, new: &Snapshot, matters: impl Fn(&PackageName) -> bool) -> Option<Update> {
    let release = |side: &Snapshot| Release::new(side.catalog.origin.label(), ());
    let (from, to) = (release(old), release(new));
    let (from_version, to_version) = from.openshift.zip(to.openshift).filter(|(from, to)| from < to)?;
    let sides = [(from_version, old), (to_version, new)];
    let names = sides.iter().flat_map(|(_, side)| side.packages().map(|(name, _)| name));
    let names = names.filter(|name| matters(name)).cloned().collect();
    let graph = |side: &&Snapshot, name: &PackageName| {
        side.package(name.as_str()).map(|judged| (*judged.graph).clone())
    };
    let world = World::of(&sides, names, graph);
    let questions = [Question::new(Engine::Classic), Question::new(Engine::V1)];
    let catalogs = vec![(from_version, from.label), (to_version, to.label)];
    Some(Update {
        over: Over { catalogs, missing: world.missing() },
        everyone: Everyone::new(&world, &questions),
    })
}

/// Whether a path on disk is opened as something else than the file-based catalog that a revision is read as.
fn reads_otherwise(path: &Path) -> bool {
    is_image(path) || bundles::find(path).is_some() || is_older(path)
}

/// A side, with what is found about its upgrade steps where somebody says where their manifests are.
fn judged(catalog: Catalog, from: &BundlesArgs, images: &image::Args) -> Result<Snapshot, Failure> {
    if !from.says_where() && !catalog.is_proposed() {
        return Ok(Snapshot::new(catalog));
    }
    let sight = from.sight(&images.access());
    progress::watched(|progress| runtime::with_learned(Snapshot::new(catalog), &sight, progress))
        .map_err(|path| no_bundles(&path))
}

/// Opens one side. A revision without a path is that of the other side, or of where one stands.
fn open(path: &Path, other: &Path, images: &image::Args) -> anyhow::Result<Catalog> {
    let Some(revision) = path.to_str().and_then(Revision::parse) else {
        return source::one(Some(path), images);
    };
    let is_revision = other.to_str().and_then(Revision::parse);
    let like = match &is_revision {
        None if other.as_os_str() == source::STDIN => {
            return Err(Failure::new(format!("which catalog of {}?", path.display()))
                .hint("standard input has no path: use git:REV:PATH")
                .into());
        }
        None => other.to_owned(),
        Some(_) => PathBuf::from("."),
    };
    if revision.path.is_none() && is_revision.is_none() && reads_otherwise(&like) {
        let words =
            format!("{} is read as a file-based catalog, and {} is none", path.display(), like.display());
        return Err(Failure::new(words)
            .hint("check the old revision out beside it (git worktree add OLD REV), and compare the two")
            .into());
    }
    // Both sides of one path: what one of them says goes for the other.
    let path_of_other = is_revision.and_then(|other| other.path);
    let revision = Revision { path: revision.path.or(path_of_other), ..revision };
    let catalog = progress::watched(|progress| git::open_revision(&revision, &like, progress));
    Ok(catalog.map_err(|error| Failure::new(error.to_string()).maybe_hint(error.hint()))?)
}
