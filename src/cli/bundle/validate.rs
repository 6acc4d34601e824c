//! `olmap bundle validate`.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use clap::ValueEnum;
use rayon::prelude::*;

use crate::cli::{
    edit::save_failure,
    failure::Failure,
    format::FindingsFormat,
    image::{self, OpenedBundle},
    not_checked,
    out::Out,
    outcome::Outcome,
    revision,
    rule_selection::ChosenRules,
    source,
};
use olm_bundle::{
    Tree, TreeFile,
    suites::{ImagePlatforms, LabelSource, Settings, Suite},
};
use olm_catalog::{
    Catalog, ImageContent, ImageOrigin, Origin,
    load::{self, git::Revision, regular_file},
};
use olm_check::{
    Finding,
    bundles::{self, BundleChecks, LoadedBundle},
};
use olm_edit::save::DirectoryLock;
use olm_source::{
    bundles::find_bundle_folder, dockerfile_beside, folder_name, is_bundle_directory, is_older,
    read_bundle_directory, unread_part_of,
};
use olmap_report::{
    escape,
    finding::{self, CatalogFindings},
    github, gitlab, json, markdown, sarif,
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Bundles: directories with manifests/ and metadata/, folders of them, git:REV:DIR, or images.
    /// Default: the bundle found here.
    #[arg(value_name = "DIR")]
    directories: Vec<PathBuf>,
    /// Print only what other programs report: the default suites, and OLM Classic.
    #[arg(long, conflicts_with_all = ["suites", "target"])]
    parity: bool,
    /// Run only this suite. Default: format, content, bundle, csv, crd, OLM Classic and the rules
    /// of olmap. Can be repeated.
    #[arg(long = "suite", value_name = "NAME")]
    suites: Vec<SuiteName>,
    /// Check only what a cluster rejects. The default checks include OLM Classic, but not OLM v1.
    #[arg(long, value_name = "OLM", conflicts_with = "suites")]
    target: Option<Target>,
    /// Value for suites: k8s-version=VERSION; for multiarch: image-platforms=FILE and
    /// container-tools=NAME; for openshift: file=FILE or range=RANGE.
    #[arg(long = "optional-values", value_name = "KEY=VALUE")]
    values: Vec<String>,
    #[command(flatten)]
    chosen: ChosenRules,
    /// Fix the findings that have exactly one fix, then print the others.
    #[arg(long)]
    fix: bool,
    /// With --fix: print the changes as a diff, and write nothing.
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
fn read_categories() -> anyhow::Result<Option<Vec<String>>> {
    let Some(path) = std::env::var_os(CATEGORIES).filter(|path| !path.is_empty()).map(PathBuf::from) else {
        return Ok(None);
    };
    let place = || format!("{CATEGORIES}: {}", path.display());
    let bytes = regular_file::read_regular(&path, regular_file::MAX_HANDWRITTEN_SIZE).with_context(place)?;
    let read: Categories = serde_json::from_slice(&bytes).map_err(|error| {
        let failure = Failure::new(format!("{}: {error}", place()));
        Failure::in_file(&path, Some((error.line(), Some(error.column()))), failure)
    })?;
    Ok(Some(read.categories))
}

/// Reads the platforms of images: a JSON object of image and `["os/arch", ...]`, `"plain"` or `"fail"`.
fn read_platforms(path: &Path) -> anyhow::Result<BTreeMap<String, ImagePlatforms>> {
    #[derive(serde::Deserialize)]
    #[serde(untagged)]
    enum Row {
        Listed(Vec<String>),
        Word(String),
    }
    let place = || format!("image-platforms: {}", path.display());
    let bytes = regular_file::read_regular(path, regular_file::MAX_HANDWRITTEN_SIZE).with_context(place)?;
    let rows: BTreeMap<String, Row> = serde_json::from_slice(&bytes).map_err(|error| {
        let failure = Failure::new(format!("{}: {error}", place()));
        Failure::in_file(path, Some((error.line(), Some(error.column()))), failure)
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
fn read_label_file(name: String) -> LabelSource {
    let content = regular_file::read_regular(Path::new(&name), regular_file::MAX_HANDWRITTEN_SIZE);
    let content =
        content.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).map_err(|error| error.to_string());
    LabelSource::File { name, content }
}

pub fn run_bundle_validate(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    args.chosen.check_names()?;
    let questions = args.build_questions()?;
    let mut all = args.judge_bundles(&questions)?;
    if args.fix && args.dry_run {
        super::print_fixes(&all, out)?;
        return Ok(Outcome::Fine);
    }
    if args.fix {
        let mut lock = DirectoryLock::with_default_state();
        lock.lock_directories(args.directories_to_fix()?.iter().map(PathBuf::as_path))
            .map_err(|error| save_failure(&error))?;
        // From here on, no other olmap process writes to these directories, so the findings match the fixed
        // files.
        all = args.judge_bundles(&questions)?;
        super::write_fixes(&all, &mut lock, out)?;
        all = args.judge_bundles(&questions)?;
    }
    let judged: Vec<CatalogFindings<'_>> = all.iter().map(CheckedBundle::as_judged).collect();
    match args.format {
        FindingsFormat::Text => {
            for judged in &judged {
                let texts = finding::render_findings(judged, &out.style);
                let label = judged.catalog.origin.label();
                let counts = finding::format_severity_counts(&judged.findings, &out.style);
                out.print(&format!("{texts}{}: {counts}\n", escape::escape_line(&label)))?;
            }
            if judged.len() > 1 {
                let findings: Vec<&Finding> = judged.iter().flat_map(|j| &j.findings).copied().collect();
                out.print(&format!(
                    "{} bundles: {}\n",
                    judged.len(),
                    finding::format_severity_counts(&findings, &out.style)
                ))?;
            }
        }
        FindingsFormat::Json => {
            out.print(&json::to_pretty_json(
                &judged.iter().flat_map(finding::Row::rows_for_catalog).collect::<Vec<_>>(),
            ))?;
        }
        FindingsFormat::Sarif => {
            out.print(&json::to_pretty_json(&sarif::Log::from_catalog_findings(&judged)))?;
        }
        FindingsFormat::Markdown => out.print(&markdown::render_findings_comment(&judged, None))?,
        FindingsFormat::Gitlab => out.print(&json::to_pretty_json(&gitlab::code_quality_issues(&judged)))?,
        FindingsFormat::Github => out.print_commands(&github::finding_commands(&judged))?,
    }
    if questions.suites.contains(&Suite::Multiarch) && questions.suite_settings.platforms.is_none() {
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
pub(super) struct CheckedBundle {
    pub path: PathBuf,
    /// Files of the bundle, if they may be fixed.
    pub tree: Option<Tree>,
    pub findings: Vec<Finding>,
    /// First part of the bundle that cannot be read.
    unread: Option<String>,
    /// Catalog without files that carries the name of the bundle.
    catalog: Catalog,
}

impl CheckedBundle {
    fn as_judged(&self) -> CatalogFindings<'_> {
        CatalogFindings {
            catalog: &self.catalog,
            findings: self.findings.iter().collect(),
            accepted: Vec::new(),
        }
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
    fn from_revision(revision: &Revision) -> Result<Self, Failure> {
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

    fn from_image(OpenedBundle { tree, labels, label }: OpenedBundle) -> Self {
        let (digest, notes, holds) = (None, Vec::new(), ImageContent::Bundle);
        Self {
            origin: Origin::Image(ImageOrigin { label: label.clone(), digest, content: holds, notes }),
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
    fn judge_bundles(&self, questions: &BundleChecks) -> anyhow::Result<Vec<CheckedBundle>> {
        let judge = |subject: &Subject| -> anyhow::Result<CheckedBundle> {
            match subject {
                Subject::Directory(path) => {
                    let tree = read_bundle_directory(path)?;
                    let (folder, dockerfile) = (folder_name(path), dockerfile_beside(path));
                    let (folder, dockerfile) = (folder.as_deref(), dockerfile.as_ref());
                    let directory = LoadedBundle {
                        tree: &tree,
                        display_path: path,
                        name: folder,
                        dockerfile,
                        labels: None,
                    };
                    let findings = self.check_directory(&directory, questions);
                    let catalog = load::from_texts(Origin::Directory(path.clone()), []);
                    let unread = unread_part_of(path, &tree);
                    let tree = self.fix.then_some(tree);
                    Ok(CheckedBundle { path: path.clone(), tree, findings, unread, catalog })
                }
                Subject::Read(bundle) => {
                    let directory = LoadedBundle {
                        tree: &bundle.tree,
                        display_path: &bundle.shown,
                        name: bundle.folder.as_deref(),
                        dockerfile: bundle.dockerfile.as_ref(),
                        labels: bundle.labels.as_ref(),
                    };
                    let findings = self.check_directory(&directory, questions);
                    let catalog = load::from_texts(bundle.origin.clone(), []);
                    let path = PathBuf::from(&bundle.label);
                    let unread = unread_part_of(&path, &bundle.tree);
                    Ok(CheckedBundle { path, tree: None, findings, unread, catalog })
                }
            }
        };
        self.find_subjects()?.par_iter().map(judge).collect()
    }

    fn check_directory(&self, directory: &LoadedBundle<'_>, questions: &BundleChecks) -> Vec<Finding> {
        let findings = bundles::check_bundle(directory, questions);
        let shows = |finding: &Finding| self.chosen.shows(finding);
        findings.iter().flat_map(|finding| finding.select_parts(&shows)).collect()
    }

    /// Returns the requested bundles: at a path, or below it.
    fn find_subjects(&self) -> Result<Vec<Subject>, Failure> {
        let access = self.images.access();
        let mut all = Vec::new();
        let found_here = if self.directories.is_empty() { source::discover_bundles()? } else { Vec::new() };
        if self.fix && self.directories.is_empty() {
            return Err(Failure::new("--fix needs a DIR")
                .with_hint("olmap bundle validate without --fix finds the bundle"));
        }
        for path in self.directories.iter().chain(&found_here) {
            if let Some(bundle) = image::open_bundle(path, &access)? {
                if self.fix {
                    return Err(Failure::new(format!(
                        "{} is an image, which --fix cannot change",
                        bundle.label
                    )));
                }
                all.push(Subject::Read(Box::new(ReadBundle::from_image(bundle))));
                continue;
            }
            let Some(revision) = revision::parse_revision(path) else {
                let found = if is_bundle_directory(path) { None } else { find_bundle_folder(path) };
                match found {
                    Some(folder) => all.extend(folder.paths().map(Subject::Directory)),
                    None if path.is_dir() && (is_older(path) || path.parent().is_some_and(is_older)) => {
                        let words = format!("{} is not a bundle, but package manifests", path.display());
                        return Err(Failure::new(words)
                            .with_hint("olmap validate checks the catalog that they make; bundles have manifests/ and metadata/"));
                    }
                    None => all.push(Subject::Directory(path.clone())),
                }
                continue;
            };
            if self.fix {
                revision::refuse_revision(path, "--fix cannot change it")?;
            }
            let found = revision::bundle_directories(&revision)?;
            let found = if found.is_empty() { vec![revision] } else { found };
            for revision in &found {
                all.push(Subject::Read(Box::new(ReadBundle::from_revision(revision)?)));
            }
        }
        Ok(all)
    }

    /// Returns the directories to fix.
    fn directories_to_fix(&self) -> Result<Vec<PathBuf>, Failure> {
        let directory = |subject| match subject {
            Subject::Directory(path) => Some(path),
            Subject::Read(_) => None,
        };
        Ok(self.find_subjects()?.into_iter().filter_map(directory).collect())
    }

    /// Returns the checks to run on each bundle.
    fn build_questions(&self) -> anyhow::Result<BundleChecks> {
        let pairs = || self.values.iter().rev().filter_map(|value| value.split_once('='));
        let value = |key: &str| pairs().find(|(name, _)| *name == key).map(|(_, value)| value.to_owned());
        let settings = Settings {
            kubernetes: value("k8s-version"),
            categories: read_categories()?,
            container_tool: value("container-tools"),
            platforms: value("image-platforms").map(|path| read_platforms(Path::new(&path))).transpose()?,
            openshift: value("file").map(read_label_file).or_else(|| value("range").map(LabelSource::Value)),
        };
        let suites: Vec<Suite> = self.suites.iter().map(|suite| suite.0).collect();
        let asked = match self.target {
            None if suites.is_empty() && self.parity => BundleChecks::parity(),
            None if suites.is_empty() => BundleChecks::default(),
            None => BundleChecks { suites, ..BundleChecks::none() },
            Some(Target::Classic) => {
                BundleChecks { classic: true, own_rules_for_classic: true, ..BundleChecks::none() }
            }
            Some(Target::V1) => BundleChecks { v1: true, ..BundleChecks::none() },
        };
        Ok(BundleChecks { suite_settings: settings, ..asked })
    }
}
