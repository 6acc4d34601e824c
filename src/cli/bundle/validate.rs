//! `olmap bundle validate`.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::ValueEnum;
use rayon::prelude::*;

use super::fix;
use crate::{
    bundle::{
        Tree,
        suites::{Settings, Suite},
    },
    catalog::{
        Catalog, Origin,
        load::{self, regular},
    },
    cli::{
        chosen::ChosenRules, edit::not_saved, failure::Failure, format::FindingsFormat, not_checked,
        out::Out, outcome::Outcome, revision,
    },
    edit::save::Lock,
    export::{
        finding::{self, Judged},
        github, gitlab, json, markdown, plain, sarif,
    },
    source::{
        bundles::find, dockerfile_beside, folder_name, is_bundle_directory, read_bundle_directory,
        unread_part_of,
    },
    validate::{
        Diagnostic,
        bundles::{self, Directory, Questions},
    },
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Bundles: directories with manifests/ and metadata/, or folders of them.
    #[arg(value_name = "DIR", required = true)]
    directories: Vec<PathBuf>,
    /// Only what real programs say: the default suites, and OLM Classic.
    #[arg(long, conflicts_with_all = ["suites", "target"])]
    parity: bool,
    /// Run only this suite (repeatable). Default: format, content, bundle, csv, crd, OLM Classic and olmap's own rules.
    #[arg(long = "suite", value_name = "NAME")]
    suites: Vec<SuiteName>,
    /// Check only what a cluster rejects. Without it, OLM Classic is checked among others, OLM v1 is not.
    #[arg(long, value_name = "OLM", conflicts_with = "suites")]
    target: Option<Target>,
    /// A value for suites: k8s-version=VERSION.
    #[arg(long = "optional-values", value_name = "KEY=VALUE")]
    values: Vec<String>,
    #[command(flatten)]
    chosen: ChosenRules,
    /// Fix the findings that have one right fix, then print those that are left.
    #[arg(long)]
    fix: bool,
    /// With --fix: print the changes as a diff; write nothing.
    #[arg(long, short = 'n', requires = "fix")]
    dry_run: bool,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: FindingsFormat,
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
    let read: Categories = serde_json::from_slice(&bytes).map_err(|error| {
        let failure = Failure::new(format!("{}: {error}", place()));
        Failure::quoting(&path, Some((error.line(), Some(error.column()))), failure)
    })?;
    Ok(Some(read.categories))
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    args.chosen.check()?;
    let questions = args.questions()?;
    let mut all = args.judge(&questions)?;
    if args.fix && args.dry_run {
        fix::show(&all, out)?;
        return Ok(Outcome::Fine);
    }
    if args.fix {
        let mut lock = Lock::usual();
        lock.extend(args.bundles().iter().map(PathBuf::as_path)).map_err(|error| not_saved(&error))?;
        // From here on no other olmap writes there: what is read is what is mended.
        all = args.judge(&questions)?;
        fix::write(&all, &mut lock, out)?;
        all = args.judge(&questions)?;
    }
    let judged: Vec<Judged<'_>> = all.iter().map(Judgement::judged).collect();
    match args.format {
        FindingsFormat::Text => {
            for judged in &judged {
                let texts = finding::texts(judged, &out.style);
                let label = judged.catalog.origin.label();
                let counts = finding::counts(&judged.findings, &out.style);
                out.print(&format!("{texts}{}: {counts}\n", plain::line(&label)))?;
            }
            if judged.len() > 1 {
                let findings: Vec<&Diagnostic> = judged.iter().flat_map(|j| &j.findings).copied().collect();
                out.print(&format!(
                    "{} bundles: {}\n",
                    judged.len(),
                    finding::counts(&findings, &out.style)
                ))?;
            }
        }
        FindingsFormat::Json => {
            out.print(&json::pretty(&judged.iter().flat_map(finding::Row::all).collect::<Vec<_>>()))?;
        }
        FindingsFormat::Sarif => out.print(&json::pretty(&sarif::Log::of(&judged)))?,
        FindingsFormat::Markdown => out.print(&markdown::comment(&judged, None))?,
        FindingsFormat::Gitlab => out.print(&json::pretty(&gitlab::issues(&judged)))?,
        FindingsFormat::Github => out.print_commands(&github::commands(&judged))?,
    }
    // A finding about what cannot be read may be one of those that were not asked for.
    if !args.chosen.rules.is_empty() || !args.chosen.allowed.is_empty() {
        not_checked::report_files(all.iter().filter_map(|judgement| judgement.unread.clone()), out);
    }
    Ok(judged.iter().flat_map(|judged| &judged.findings).any(|finding| args.chosen.fails(finding)).into())
}

/// A bundle directory with its findings.
pub(super) struct Judgement {
    pub path: PathBuf,
    /// What is in it, where that is to be fixed.
    pub tree: Option<Tree>,
    pub findings: Vec<Diagnostic>,
    /// The first part of it that cannot be read.
    unread: Option<String>,
    /// No file of it is a catalog's; it says what the bundle is called.
    catalog: Catalog,
}

impl Judgement {
    fn judged(&self) -> Judged<'_> {
        Judged { catalog: &self.catalog, findings: self.findings.iter().collect(), accepted: Vec::new() }
    }
}

impl Args {
    /// The findings of all bundles that are asked for.
    fn judge(&self, questions: &Questions) -> anyhow::Result<Vec<Judgement>> {
        let judge = |path: &PathBuf| -> anyhow::Result<Judgement> {
            revision::refuse(path, "bundle validate reads what lies beside a bundle, too")?;
            let tree = read_bundle_directory(path)?;
            let dockerfile = dockerfile_beside(path);
            let folder = folder_name(path);
            let dockerfile = dockerfile.as_ref();
            let directory = Directory { tree: &tree, shown: path, folder: folder.as_deref(), dockerfile };
            let findings = bundles::check(&directory, questions);
            let shows = |finding: &Diagnostic| self.chosen.shows(finding);
            let findings = findings.iter().flat_map(|finding| finding.select(&shows)).collect();
            let catalog = load::from_texts(Origin::Directory(path.clone()), []);
            let unread = unread_part_of(path, &tree);
            let tree = self.fix.then_some(tree);
            Ok(Judgement { path: path.clone(), tree, findings, unread, catalog })
        };
        self.bundles().par_iter().map(judge).collect()
    }

    /// The bundle directories that are meant: a path, or those below it.
    fn bundles(&self) -> Vec<PathBuf> {
        let below = |path: &PathBuf| -> Vec<PathBuf> {
            let found = if is_bundle_directory(path) { None } else { find(path) };
            found.map_or_else(|| vec![path.clone()], |folder| folder.paths().collect())
        };
        self.directories.iter().flat_map(below).collect()
    }

    /// What is asked of each bundle.
    fn questions(&self) -> anyhow::Result<Questions> {
        let pairs = || self.values.iter().rev().filter_map(|value| value.split_once('='));
        let value = |key: &str| pairs().find(|(name, _)| *name == key).map(|(_, value)| value.to_owned());
        let settings = Settings { kubernetes: value("k8s-version"), categories: categories()? };
        let suites: Vec<Suite> = self.suites.iter().map(|suite| suite.0).collect();
        let asked = match self.target {
            None if suites.is_empty() && self.parity => Questions::parity(),
            None if suites.is_empty() => Questions::default(),
            None => Questions { suites, ..Questions::none() },
            Some(Target::Classic) => Questions { classic: true, ours_of_classic: true, ..Questions::none() },
            Some(Target::V1) => Questions { v1: true, ..Questions::none() },
        };
        Ok(Questions { settings, ..asked })
    }
}
