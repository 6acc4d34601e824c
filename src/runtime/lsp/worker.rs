//! Worker threads of the language server: each loads and checks one home. If several states wait,
//! only the last is checked.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender};
use std::{sync::Arc, thread};

use gen_lsp_types::Diagnostic as Shown;

use super::{Home, ServerEvent};
use crate::runtime::{check_catalog, file_output, openshift_versions, with_template_checks};
use crate::{tui::session::accepted_findings, tui::session::open_catalog::companion_path};
use olm_bundle::{Tree, TreeFile};
use olm_catalog::{Catalog, Origin, PackageName, SourceFile, load::Progress};
use olm_check::bundles::{self, BundleChecks, LoadedBundle};
use olm_check::{Finding, review::Snapshot, review::accepted::AcceptedFindings};
use olm_source::{OpenOptions, dockerfile_beside, folder_name, read_bundle_directory};
use olmap_lsp::findings::{self, FindingSubject};
use olmap_lsp::{Encoding, location};

/// Job of a worker.
pub enum Job {
    /// Loads the catalog.
    Load,
    /// Reloads files that changed on disk since the given state was loaded.
    Reload(Arc<Catalog>),
    /// Checks a state of a catalog. `open` are its open files.
    Check { number: u64, catalog: Arc<Catalog>, open: Vec<PathBuf> },
    /// Checks a bundle directory. `texts` are its open files.
    CheckBundle { number: u64, texts: Vec<(PathBuf, Vec<u8>)> },
}

/// Result of a check.
pub struct CheckResult {
    /// Checked object.
    pub subject: CheckedSubject,
    /// Findings that are not accepted.
    pub findings: Vec<Finding>,
    /// Published diagnostics by file.
    pub diagnostics: BTreeMap<PathBuf, Vec<Shown>>,
}

/// Catalog or bundle that was checked.
pub enum CheckedSubject {
    /// Catalog.
    Catalog(Arc<Catalog>),
    /// Bundle directory with its path.
    Bundle(Tree, PathBuf),
}

impl CheckResult {
    /// Returns the subject of the findings.
    pub fn finding_subject(&self) -> FindingSubject<'_> {
        match &self.subject {
            CheckedSubject::Catalog(catalog) => FindingSubject::Catalog(catalog),
            CheckedSubject::Bundle(tree, root) => FindingSubject::Bundle(tree, root),
        }
    }
}

/// Form of diagnostics that the client supports.
#[derive(Clone, Copy, Debug)]
pub struct DiagnosticStyle {
    pub encoding: Encoding,
    /// True if names of deprecated objects are marked.
    pub marks_deprecated: bool,
}

/// Starts the worker of a home. The thread ends when its sender is dropped.
pub fn start_worker(
    home: Home,
    style: DiagnosticStyle,
    events: Sender<ServerEvent>,
) -> std::io::Result<Sender<Job>> {
    let (jobs, waiting) = mpsc::channel();
    let worker = Worker { home, style, events, last_snapshot: None };
    thread::Builder::new().name("lsp-judge".to_owned()).spawn(move || worker.run_jobs(&waiting))?;
    Ok(jobs)
}

struct Worker {
    home: Home,
    style: DiagnosticStyle,
    events: Sender<ServerEvent>,
    /// Last checked state; only packages that changed since are checked again.
    last_snapshot: Option<Snapshot>,
}

impl Worker {
    fn run_jobs(mut self, waiting: &Receiver<Job>) {
        while let Ok(first) = waiting.recv() {
            let mut jobs = vec![first];
            jobs.extend(waiting.try_iter());
            let is_check = |job: &Job| matches!(job, Job::Check { .. } | Job::CheckBundle { .. });
            let last = jobs.iter().rposition(is_check);
            for (at, job) in jobs.into_iter().enumerate() {
                if is_check(&job) && Some(at) != last {
                    continue;
                }
                let work = AssertUnwindSafe(|| self.run_job(job));
                if panic::catch_unwind(work).is_err() {
                    self.last_snapshot = None;
                    let _ = self.events.send(ServerEvent::WorkerPanicked(self.home.clone()));
                }
            }
        }
    }

    fn run_job(&mut self, job: Job) {
        let home = self.home.clone();
        let event = match job {
            Job::Load => ServerEvent::Loaded { home, result: load_home(&self.home).map(Arc::new) },
            Job::Reload(known) => {
                match olm_source::reopen(&known, &OpenOptions::default(), &Progress::default()) {
                    Ok(Some(catalog)) => ServerEvent::Loaded { home, result: Ok(Arc::new(catalog)) },
                    Ok(None) | Err(_) => return,
                }
            }
            Job::Check { number, catalog, open } => {
                let judgement = self.check_catalog(&catalog, &open);
                ServerEvent::Checked { home, number, judgement: Arc::new(judgement) }
            }
            Job::CheckBundle { number, texts } => {
                let Some(judgement) = self.check_bundle(&texts) else { return };
                ServerEvent::Checked { home, number, judgement: Arc::new(judgement) }
            }
        };
        let _ = self.events.send(event);
    }

    fn check_catalog(&mut self, catalog: &Arc<Catalog>, open: &[PathBuf]) -> CheckResult {
        // A reloaded catalog does not share packages with the last state, so it is checked as a
        // whole.
        let shares = |before: &Snapshot| {
            let mut packages = catalog.packages().take(64);
            packages.any(|own| {
                before.catalog.package(own.name.as_str()).is_some_and(|known| Arc::ptr_eq(own, known))
            }) || catalog.packages().len() < 8
        };
        let snapshot = match self.last_snapshot.take().filter(shares) {
            Some(before) => before.after_change(Catalog::clone(catalog)),
            None => {
                check_catalog(Catalog::clone(catalog), &openshift_versions(&[self.home.path().to_owned()]))
            }
        };
        let snapshot = with_template_checks(snapshot);
        let accepted = load_accepted(&catalog.origin);
        let rows = accepted.map(|file| file.match_findings(catalog, snapshot.findings()));
        let is_not_accepted =
            |at: usize| rows.as_ref().and_then(|rows| rows.get(at)).is_none_or(Option::is_none);
        let seen = VisibleFiles::for_open_files(catalog, open);
        let findings = snapshot
            .findings()
            .enumerate()
            .filter(|(at, finding)| is_not_accepted(*at) && seen.shows(finding));
        let findings: Vec<Finding> = findings.map(|(_, finding)| finding.clone()).collect();
        self.last_snapshot = Some(snapshot);
        let or_else = open.first().map_or(self.home.path(), PathBuf::as_path);
        let mut shown = findings::diagnostics_by_file(
            FindingSubject::Catalog(catalog),
            findings.iter(),
            self.style.encoding,
            or_else,
        );
        if self.style.marks_deprecated {
            for (path, hints) in findings::deprecation_hints(catalog, open, self.style.encoding) {
                shown.entry(path).or_default().extend(hints);
            }
        }
        if let Some(mistake) = baseline_mistake(&catalog.origin) {
            shown.entry(mistake.0).or_default().push(mistake.1);
        }
        CheckResult { subject: CheckedSubject::Catalog(Arc::clone(catalog)), findings, diagnostics: shown }
    }

    fn check_bundle(&self, texts: &[(PathBuf, Vec<u8>)]) -> Option<CheckResult> {
        let root = self.home.path();
        let mut tree = read_bundle_directory(root).ok()?;
        let dockerfile = dockerfile_beside(root);
        for (path, text) in texts {
            let Some(inside) = path.strip_prefix(root).ok().and_then(Path::to_str) else { continue };
            let inside = inside.replace('\\', "/");
            let file = TreeFile { path: inside, content: Ok(text.clone().into()) };
            let known = tree.file_index(&file.path);
            if let Some(known) = known.and_then(|at| tree.files.get_mut(at)) {
                *known = file;
            } else {
                let mut files = std::mem::take(&mut tree.files);
                files.push(file);
                tree = Tree::new(files, std::mem::take(&mut tree.folders));
            }
        }
        let folder = folder_name(root);
        let directory = LoadedBundle {
            tree: &tree,
            display_path: root,
            name: folder.as_deref(),
            dockerfile: dockerfile.as_ref(),
            labels: None,
        };
        let findings = bundles::check_bundle(&directory, &BundleChecks::default());
        let or_else = texts.first().map_or(root, |(path, _)| path.as_path());
        let shown = findings::diagnostics_by_file(
            FindingSubject::Bundle(&tree, root),
            findings.iter(),
            self.style.encoding,
            or_else,
        );
        Some(CheckResult {
            subject: CheckedSubject::Bundle(tree, root.to_owned()),
            findings,
            diagnostics: shown,
        })
    }
}

/// Loads a home. A file that does not exist yet is empty, because its text comes from the client.
fn load_home(home: &Home) -> Result<Catalog, String> {
    let path = home.path();
    if matches!(home, Home::File(_)) && !path.exists() {
        let file = SourceFile::new(path.to_owned(), Some(path.to_owned()), Vec::new());
        return Ok(Catalog::new(Origin::File(path.to_owned()), vec![file], Vec::new()));
    }
    olm_source::open_path(path, &OpenOptions::default(), &Progress::default())
        .map_err(|error| error.to_string())
}

/// Filter for findings: shows those in open files, and those of packages with objects in open
/// files.
struct VisibleFiles {
    files: BTreeSet<PathBuf>,
    packages: BTreeSet<PackageName>,
    /// Positions of the open files in the catalog.
    numbers: BTreeSet<u32>,
}

impl VisibleFiles {
    fn for_open_files(catalog: &Catalog, open: &[PathBuf]) -> Self {
        let numbers: BTreeSet<u32> =
            open.iter().filter_map(|path| location::find_file(catalog, path)).map(|file| file.0).collect();
        let has_object_in_open_file = |package: &&Arc<_>| {
            let package: &olm_catalog::package::Package = package;
            package.documents().any(|doc| numbers.contains(&doc.file.0))
        };
        let packages =
            catalog.packages().filter(has_object_in_open_file).map(|package| package.name.clone()).collect();
        Self { files: open.iter().cloned().collect(), packages, numbers }
    }

    fn shows(&self, finding: &Finding) -> bool {
        use olm_check::FindingLocation;
        match (&finding.package, &finding.at) {
            (Some(package), _) if self.packages.contains(package) => true,
            (_, Some(FindingLocation::Document(doc, _))) => self.numbers.contains(&doc.file.0),
            (None, Some(FindingLocation::File(path))) => {
                self.files.iter().any(|file| file.ends_with(path) || file.starts_with(path))
            }
            (None, _) => true,
            (Some(_), _) => false,
        }
    }
}

/// Loads the accepted findings next to a catalog.
fn load_accepted(origin: &Origin) -> Option<AcceptedFindings> {
    let path = companion_path(origin, accepted_findings::FILE_NAME)?;
    let bytes = file_output::load_optional_file(&path).ok()??;
    AcceptedFindings::parse_file(path, &bytes).ok()
}

/// Returns the path and the mistake of the file of accepted findings, if it is invalid. No finding
/// is accepted then.
fn baseline_mistake(origin: &Origin) -> Option<(PathBuf, Shown)> {
    use gen_lsp_types::{DiagnosticSeverity, Message, Position, Range};
    let path = companion_path(origin, accepted_findings::FILE_NAME)?;
    let bytes = file_output::load_optional_file(&path).ok()??;
    let mistake = AcceptedFindings::parse_file(path.clone(), &bytes).err()?;
    let line = u32::try_from(mistake.line.saturating_sub(1)).unwrap_or(u32::MAX);
    let at = Position { line, character: 0 };
    let shown = Shown {
        range: Range { start: at, end: at },
        severity: Some(DiagnosticSeverity::Error),
        source: Some(findings::SOURCE.to_owned()),
        message: Message::String(format!("{}, so no findings are accepted", mistake.message)),
        ..Shown::default()
    };
    Some((olmap_lsp::address::normalize_dots(&path), shown))
}
