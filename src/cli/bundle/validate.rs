//! `olmap bundle validate`: findings about bundles, and their fixes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::ValueEnum;
use rayon::prelude::*;
use serde::de::DeserializeOwned;

use crate::cli::findings::{self, ChosenRules};
use crate::cli::image::{self, OpenedBundle};
use crate::cli::output::{save_failure, warn_if_not_durable};
use crate::cli::{Failure, FindingsFormat, Out, Outcome, out, output, revision, source};
use olm_bundle::suites::{ImagePlatforms, LabelSource, Settings, Suite};
use olm_bundle::{FilePool, Tree, TreeFile};
use olm_catalog::load::{self, regular_file};
use olm_catalog::{Catalog, ImageContent, ImageOrigin, Origin, load::git::Revision};
use olm_check::Finding;
use olm_check::bundles::{self, BundleChecks, BundleFix, LoadedBundle};
use olm_check::review::{ChangeReport, FileDiff};
use olm_edit::save::{self, DirectoryLock, FileChange, StateDirectory};
use olm_source::{
    bundles::find_bundle_folder, dockerfile_beside, folder_name, is_bundle_directory, is_older,
    read_bundle_directory, unread_part_of,
};
use olmap_report::finding::{self, CatalogFindings};
use olmap_report::{edit::render_unified_diff, escape, github};

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
    #[arg(long = "suite", value_name = "NAME", value_parser = output::named_parser(&Suite::ALL, Suite::name))]
    suites: Vec<Suite>,
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

/// Variable of the api library that names a file with categories, which replace the default ones.
const CATEGORIES: &str = "OPERATOR_BUNDLE_CATEGORIES";

/// Content of a file with categories.
#[derive(serde::Deserialize)]
struct Categories {
    categories: Vec<String>,
}

/// Bundle directory with its findings.
struct CheckedBundle {
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
        // Versions of an operator often have equal CRDs.
        let files = FilePool::default();
        let judge = |subject: &Subject| -> anyhow::Result<CheckedBundle> {
            match subject {
                Subject::Directory(path) => {
                    let tree = files.share_files(read_bundle_directory(path)?);
                    let (folder, dockerfile) = (folder_name(path), dockerfile_beside(path));
                    let directory = LoadedBundle {
                        tree: &tree,
                        display_path: path,
                        name: folder.as_deref(),
                        dockerfile: dockerfile.as_ref(),
                        labels: None,
                    };
                    let checked =
                        self.check_bundle(path, &Origin::Directory(path.clone()), &directory, questions);
                    Ok(CheckedBundle { tree: self.fix.then_some(tree), ..checked })
                }
                Subject::Read(bundle) => {
                    let directory = LoadedBundle {
                        tree: &bundle.tree,
                        display_path: &bundle.shown,
                        name: bundle.folder.as_deref(),
                        dockerfile: bundle.dockerfile.as_ref(),
                        labels: bundle.labels.as_ref(),
                    };
                    Ok(self.check_bundle(Path::new(&bundle.label), &bundle.origin, &directory, questions))
                }
            }
        };
        self.find_subjects()?.par_iter().map(judge).collect()
    }

    fn check_bundle(
        &self,
        path: &Path,
        origin: &Origin,
        directory: &LoadedBundle<'_>,
        questions: &BundleChecks,
    ) -> CheckedBundle {
        let findings = bundles::check_bundle(directory, questions);
        let shows = |finding: &Finding| self.chosen.shows(finding);
        CheckedBundle {
            path: path.to_owned(),
            tree: None,
            findings: findings.iter().flat_map(|finding| finding.select_parts(&shows)).collect(),
            unread: unread_part_of(path, directory.tree),
            catalog: load::from_texts(origin.clone(), []),
        }
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
        let suites = self.suites.clone();
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

/// File with applied fixes.
struct FixedFile {
    path: PathBuf,
    before: Vec<u8>,
    after: Vec<u8>,
    findings: usize,
}

/// Reads a JSON file. `place` names it in messages.
fn read_json<T: DeserializeOwned>(path: &Path, place: &str) -> anyhow::Result<T> {
    let bytes = regular_file::read_regular(path, regular_file::MAX_HANDWRITTEN_SIZE)
        .with_context(|| place.to_owned())?;
    Ok(serde_json::from_slice(&bytes).map_err(|error| {
        let failure = Failure::new(format!("{place}: {error}"));
        Failure::in_file(path, Some((error.line(), Some(error.column()))), failure)
    })?)
}

/// Reads the categories from the file that the variable names, if it is set.
fn read_categories() -> anyhow::Result<Option<Vec<String>>> {
    let Some(path) = std::env::var_os(CATEGORIES).filter(|path| !path.is_empty()).map(PathBuf::from) else {
        return Ok(None);
    };
    let read: Categories = read_json(&path, &format!("{CATEGORIES}: {}", path.display()))?;
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
    let place = format!("image-platforms: {}", path.display());
    let rows: BTreeMap<String, Row> = read_json(path, &place)?;
    let mut all = BTreeMap::new();
    for (image, row) in rows {
        let wrong =
            |what: &str| Failure::new(format!("{place}: {image}: `{what}` is not OS/ARCH, plain or fail"));
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
        print_fixes(&all, out)?;
        return Ok(Outcome::Fine);
    }
    if args.fix {
        let mut lock = DirectoryLock::with_default_state();
        lock.lock_directories(args.directories_to_fix()?.iter().map(PathBuf::as_path))
            .map_err(|error| save_failure(&error))?;
        // From here on, no other olmap process writes to these directories, so the findings match the fixed
        // files.
        all = args.judge_bundles(&questions)?;
        write_fixes(&all, &mut lock, out)?;
        all = args.judge_bundles(&questions)?;
    }
    let judged: Vec<CatalogFindings<'_>> = all.iter().map(CheckedBundle::as_judged).collect();
    let text = || {
        let counts = |findings: &[&Finding]| finding::format_severity_counts(findings, &out.style);
        let mut text = String::new();
        for judged in &judged {
            text.push_str(&finding::render_findings(judged, &out.style));
            let label = judged.catalog.origin.label();
            text.push_str(&format!("{}: {}\n", escape::escape_line(&label), counts(&judged.findings)));
        }
        if judged.len() > 1 {
            let findings: Vec<&Finding> = judged.iter().flat_map(|j| &j.findings).copied().collect();
            text.push_str(&format!("{} bundles: {}\n", judged.len(), counts(&findings)));
        }
        text
    };
    match args.format {
        FindingsFormat::Github => findings::print_annotations(&github::finding_commands(&judged), out)?,
        format => {
            let text =
                findings::render_findings(format, &judged, None, &|finding| args.chosen.fails(finding), text);
            out.print(&text)?;
        }
    }
    if questions.suites.contains(&Suite::Multiarch) && questions.suite_settings.platforms.is_none() {
        let reason = "not checked: multiarch, because the platforms of the images are not known";
        let hint = "give them with --optional-values image-platforms=FILE";
        out.report_not_checked(reason, Some(hint));
    }
    // A finding about an unreadable file may be hidden by the selection of rules.
    if !args.chosen.rules.is_empty() || !args.chosen.allowed.is_empty() {
        out::report_files(all.iter().filter_map(|judgement| judgement.unread.clone()), out);
    }
    Ok(judged.iter().flat_map(|judged| &judged.findings).any(|finding| args.chosen.fails(finding)).into())
}

/// Applies the fixes of all findings, file by file.
fn apply_fixes(all: &[CheckedBundle]) -> Vec<FixedFile> {
    let mut files = Vec::new();
    for judgement in all {
        let mut fixes: BTreeMap<&str, (BundleFix, usize)> = BTreeMap::new();
        for fix in judgement.findings.iter().filter_map(|finding: &Finding| finding.bundle_fix.as_deref()) {
            let (whole, count) = fixes.entry(&fix.file).or_default();
            whole.file.clone_from(&fix.file);
            *count += usize::from(whole.merge(fix));
        }
        for (file, (fix, findings)) in fixes {
            let in_tree =
                |tree: &'_ Tree| Some(tree.files.get(tree.file_index(file)?)?.content_or_empty().to_vec());
            let Some(before) = judgement.tree.as_ref().and_then(in_tree) else { continue };
            if let Some(after) = fix.apply(&before) {
                files.push(FixedFile { path: judgement.path.join(file), before, after, findings });
            }
        }
    }
    files
}

/// Shows the changes without writing them.
fn print_fixes(all: &[CheckedBundle], out: &mut Out) -> anyhow::Result<()> {
    let files = apply_fixes(all);
    if files.is_empty() {
        return Err(no_fix_failure().into());
    }
    let files = files.into_iter().map(|file| FileDiff::from_texts(file.path, &file.before, &file.after));
    out.print_exact(&render_unified_diff(&ChangeReport { files: files.collect(), ..ChangeReport::default() }))
}

/// Writes the changes, all files or none.
fn write_fixes(all: &[CheckedBundle], lock: &mut DirectoryLock, out: &mut Out) -> anyhow::Result<()> {
    let files = apply_fixes(all);
    if files.is_empty() {
        return Err(no_fix_failure().into());
    }
    let mut changes = Vec::new();
    for FixedFile { path, before, after, .. } in &files {
        changes.push(FileChange { path, before: Some(before), after: Some(after) });
    }
    for loss in
        save::find_losses(changes.iter().map(|change| change.path), &StateDirectory::default_location())
    {
        out.print_warning(&loss.to_string(), None);
    }
    let saved = save::save_files(&changes, lock).map_err(|error| save_failure(&error))?;
    warn_if_not_durable(&saved, out);
    for file in &files {
        let findings = if file.findings == 1 { "finding" } else { "findings" };
        let words = format!("fixed: {}: {} {findings}", file.path.display(), file.findings);
        out.print_stderr(&format!("{}\n", olmap_report::escape::escape_line(&words)));
    }
    Ok(())
}

fn no_fix_failure() -> Failure {
    Failure::new("no finding can be fixed automatically").with_hint("olmap explain says how to fix each one")
}
