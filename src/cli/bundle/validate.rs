//! `olmap bundle validate`.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use clap::ValueEnum;
use rayon::prelude::*;

use super::fix;
use crate::{
    bundle::{
        Tree, TreeFile,
        suites::{ImagePlatforms, LabelSource, Settings, Suite},
    },
    catalog::{
        AtImage, Catalog, Holds, Origin,
        load::{self, git::Revision, regular},
    },
    cli::{
        chosen::ChosenRules,
        edit::not_saved,
        failure::Failure,
        format::FindingsFormat,
        image::{self, OpenedBundle},
        not_checked,
        out::Out,
        outcome::Outcome,
        revision, source,
    },
    edit::save::Lock,
    export::{
        finding::{self, Judged},
        github, gitlab, json, markdown, plain, sarif,
    },
    source::{
        bundles::find, dockerfile_beside, folder_name, is_bundle_directory, is_older, read_bundle_directory,
        unread_part_of,
    },
    validate::{
        Diagnostic,
        bundles::{self, Directory, Questions},
    },
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Bundles: directories with manifests/ and metadata/, or folders of them; also git:REV:DIR, and bundle images. Without DIR,
    /// the bundle that is found here.
    #[arg(value_name = "DIR")]
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
    /// A value for suites: k8s-version=VERSION; for multiarch image-platforms=FILE and container-tools=NAME; for openshift
    /// file=FILE or range=RANGE.
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
    #[command(flatten)]
    images: image::Args,
}

/// Generation of OLM.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Target {
    /// OLM Classic.
    Classic,
    /// OLM v1.
    V1,
}

/// Suite by its name on the command line.
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

/// Variable of the api library that names a file with categories, which replace the default ones.
const CATEGORIES: &str = "OPERATOR_BUNDLE_CATEGORIES";

/// Content of a file with categories.
#[derive(serde::Deserialize)]
struct Categories {
    categories: Vec<String>,
}

/// Reads the categories from the file that the variable names, if it is set.
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

/// Reads the platforms of images: a JSON object of image and `["os/arch", ...]`, `"plain"` or `"fail"`.
fn platforms(path: &Path) -> anyhow::Result<BTreeMap<String, ImagePlatforms>> {
    #[derive(serde::Deserialize)]
    #[serde(untagged)]
    enum Row {
        Listed(Vec<String>),
        Word(String),
    }
    let place = || format!("image-platforms: {}", path.display());
    let bytes = regular::read(path, regular::MOST_BY_HAND).with_context(place)?;
    let rows: BTreeMap<String, Row> = serde_json::from_slice(&bytes).map_err(|error| {
        let failure = Failure::new(format!("{}: {error}", place()));
        Failure::quoting(path, Some((error.line(), Some(error.column()))), failure)
    })?;
    let mut all = BTreeMap::new();
    for (image, row) in rows {
        let wrong = |what: &str| {
            Failure::new(format!("{}: {image}: `{what}` is not OS/ARCH, plain or fail", place()))
        };
        let known = match row {
            Row::Word(word) if word == "plain" => ImagePlatforms::Plain,
            Row::Word(word) if word == "fail" => ImagePlatforms::Unknown,
            Row::Word(word) => return Err(wrong(&word).into()),
            Row::Listed(list) => {
                let split = |text: &String| {
                    let (os, arch) = text.split_once('/').ok_or_else(|| wrong(text))?;
                    Ok((os.to_owned(), arch.to_owned()))
                };
                ImagePlatforms::Listed(list.iter().map(split).collect::<Result<_, Failure>>()?)
            }
        };
        all.insert(image, known);
    }
    Ok(all)
}

/// Reads the file with the label for the suite `openshift`. Failure to read it becomes a verdict of the
/// suite.
fn label_file(name: String) -> LabelSource {
    let content = regular::read(Path::new(&name), regular::MOST_BY_HAND);
    let content =
        content.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).map_err(|error| error.to_string());
    LabelSource::File { name, content }
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
        lock.extend(args.fixed_directories()?.iter().map(PathBuf::as_path))
            .map_err(|error| not_saved(&error))?;
        // From here on, no other olmap process writes to these directories, so the findings match the fixed
        // files.
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
    if questions.suites.contains(&Suite::Multiarch) && questions.settings.platforms.is_none() {
        let reason = "not checked: multiarch, because the platforms of the images are not known";
        let hint = "give them with --optional-values image-platforms=FILE";
        out.report_not_checked(reason, Some(hint));
    }
    // A finding about an unreadable file may be hidden by the selection of rules.
    if !args.chosen.rules.is_empty() || !args.chosen.allowed.is_empty() {
        not_checked::report_files(all.iter().filter_map(|judgement| judgement.unread.clone()), out);
    }
    Ok(judged.iter().flat_map(|judged| &judged.findings).any(|finding| args.chosen.fails(finding)).into())
}

/// Bundle directory with its findings.
pub(super) struct Judgement {
    pub path: PathBuf,
    /// Files of the bundle, if they may be fixed.
    pub tree: Option<Tree>,
    pub findings: Vec<Diagnostic>,
    /// First part of the bundle that cannot be read.
    unread: Option<String>,
    /// Catalog without files that carries the name of the bundle.
    catalog: Catalog,
}

impl Judgement {
    fn judged(&self) -> Judged<'_> {
        Judged { catalog: &self.catalog, findings: self.findings.iter().collect(), accepted: Vec::new() }
    }
}

/// Bundle that is checked.
enum Subject {
    /// Directory on disk.
    Directory(PathBuf),
    /// Bundle of an image or of a revision, already read.
    Read(Box<ReadBundle>),
}

/// Bundle that is not on disk.
struct ReadBundle {
    label: String,
    origin: Origin,
    /// Prefix of displayed file paths.
    shown: PathBuf,
    tree: Tree,
    folder: Option<String>,
    dockerfile: Option<TreeFile>,
    labels: Option<BTreeMap<String, String>>,
}

impl ReadBundle {
    fn of_revision(revision: &Revision) -> Result<Self, Failure> {
        let path = PathBuf::from(revision.label());
        let folder = revision.path.as_deref().and_then(Path::file_name);
        Ok(Self {
            label: revision.label(),
            origin: Origin::Directory(path.clone()),
            shown: path,
            tree: revision::read_bundle(revision, None)?,
            folder: folder.map(|name| name.to_string_lossy().into_owned()),
            dockerfile: revision::dockerfile_beside(revision),
            labels: None,
        })
    }

    fn of_image(OpenedBundle { tree, labels, label }: OpenedBundle) -> Self {
        let (digest, notes, holds) = (None, Vec::new(), Holds::Bundle);
        Self {
            origin: Origin::Image(AtImage { label: label.clone(), digest, holds, notes }),
            label,
            shown: PathBuf::from("."),
            tree,
            folder: None,
            dockerfile: None,
            labels: Some(labels),
        }
    }
}

impl Args {
    /// Returns the findings of all requested bundles.
    fn judge(&self, questions: &Questions) -> anyhow::Result<Vec<Judgement>> {
        let judge = |subject: &Subject| -> anyhow::Result<Judgement> {
            match subject {
                Subject::Directory(path) => {
                    let tree = read_bundle_directory(path)?;
                    let (folder, dockerfile) = (folder_name(path), dockerfile_beside(path));
                    let (folder, dockerfile) = (folder.as_deref(), dockerfile.as_ref());
                    let directory = Directory { tree: &tree, shown: path, folder, dockerfile, labels: None };
                    let findings = self.findings(&directory, questions);
                    let catalog = load::from_texts(Origin::Directory(path.clone()), []);
                    let unread = unread_part_of(path, &tree);
                    let tree = self.fix.then_some(tree);
                    Ok(Judgement { path: path.clone(), tree, findings, unread, catalog })
                }
                Subject::Read(bundle) => {
                    let directory = Directory {
                        tree: &bundle.tree,
                        shown: &bundle.shown,
                        folder: bundle.folder.as_deref(),
                        dockerfile: bundle.dockerfile.as_ref(),
                        labels: bundle.labels.as_ref(),
                    };
                    let findings = self.findings(&directory, questions);
                    let catalog = load::from_texts(bundle.origin.clone(), []);
                    let path = PathBuf::from(&bundle.label);
                    let unread = unread_part_of(&path, &bundle.tree);
                    Ok(Judgement { path, tree: None, findings, unread, catalog })
                }
            }
        };
        self.subjects()?.par_iter().map(judge).collect()
    }

    fn findings(&self, directory: &Directory<'_>, questions: &Questions) -> Vec<Diagnostic> {
        let findings = bundles::check(directory, questions);
        let shows = |finding: &Diagnostic| self.chosen.shows(finding);
        findings.iter().flat_map(|finding| finding.select(&shows)).collect()
    }

    /// Returns the requested bundles: at a path, or below it.
    fn subjects(&self) -> Result<Vec<Subject>, Failure> {
        let access = self.images.access();
        let mut all = Vec::new();
        let found_here = if self.directories.is_empty() { source::bundles_here()? } else { Vec::new() };
        if self.fix && self.directories.is_empty() {
            return Err(Failure::new("--fix needs a DIR")
                .hint("olmap bundle validate without --fix finds the bundle"));
        }
        for path in self.directories.iter().chain(&found_here) {
            if let Some(bundle) = image::open_bundle(path, &access)? {
                if self.fix {
                    return Err(Failure::new(format!(
                        "{} is an image, which --fix cannot change",
                        bundle.label
                    )));
                }
                all.push(Subject::Read(Box::new(ReadBundle::of_image(bundle))));
                continue;
            }
            let Some(revision) = revision::parse(path) else {
                let found = if is_bundle_directory(path) { None } else { find(path) };
                match found {
                    Some(folder) => all.extend(folder.paths().map(Subject::Directory)),
                    None if path.is_dir() && (is_older(path) || path.parent().is_some_and(is_older)) => {
                        let words = format!("{} is not a bundle, but package manifests", path.display());
                        return Err(Failure::new(words)
                            .hint("olmap validate checks the catalog that they make; bundles have manifests/ and metadata/"));
                    }
                    None => all.push(Subject::Directory(path.clone())),
                }
                continue;
            };
            if self.fix {
                revision::refuse(path, "--fix cannot change it")?;
            }
            let found = revision::bundle_directories(&revision)?;
            let found = if found.is_empty() { vec![revision] } else { found };
            for revision in &found {
                all.push(Subject::Read(Box::new(ReadBundle::of_revision(revision)?)));
            }
        }
        Ok(all)
    }

    /// Returns the directories to fix.
    fn fixed_directories(&self) -> Result<Vec<PathBuf>, Failure> {
        let directory = |subject| match subject {
            Subject::Directory(path) => Some(path),
            Subject::Read(_) => None,
        };
        Ok(self.subjects()?.into_iter().filter_map(directory).collect())
    }

    /// Returns the checks to run on each bundle.
    fn questions(&self) -> anyhow::Result<Questions> {
        let pairs = || self.values.iter().rev().filter_map(|value| value.split_once('='));
        let value = |key: &str| pairs().find(|(name, _)| *name == key).map(|(_, value)| value.to_owned());
        let settings = Settings {
            kubernetes: value("k8s-version"),
            categories: categories()?,
            container_tool: value("container-tools"),
            platforms: value("image-platforms").map(|path| platforms(Path::new(&path))).transpose()?,
            openshift: value("file").map(label_file).or_else(|| value("range").map(LabelSource::Value)),
        };
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
