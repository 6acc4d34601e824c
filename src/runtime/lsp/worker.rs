//! Loading and checking, with one thread per home. If several states wait, only the last is checked.

use std::{
    collections::{BTreeMap, BTreeSet},
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
    sync::{
        Arc,
        mpsc::{self, Receiver, Sender},
    },
    thread,
};

use gen_lsp_types::Diagnostic as Shown;

use super::{Event, Home};
use crate::{
    app::session::{accepting, beside::beside},
    bundle::{Tree, TreeFile},
    catalog::{Catalog, Origin, PackageName, SourceFile, load::Progress},
    language::{
        Encoding,
        findings::{self, About},
        spot,
    },
    review::{Snapshot, accepted::Accepted},
    runtime::{expectations, judged, openshift_of, with_templates},
    source::{self, How, dockerfile_beside, folder_name, read_bundle_directory},
    validate::{
        Diagnostic,
        bundles::{self, Directory, Questions},
    },
};

/// Job of a worker.
pub enum Job {
    /// Loads the catalog.
    Load,
    /// Reloads files that changed on disk.
    LookAgain(Arc<Catalog>),
    /// Checks a state of a catalog. `open` are its open files.
    Judge { number: u64, catalog: Arc<Catalog>, open: Vec<PathBuf> },
    /// Checks a bundle directory. `texts` are its open files.
    JudgeBundle { number: u64, texts: Vec<(PathBuf, Vec<u8>)> },
}

/// Result of a check.
pub struct Judgement {
    /// Checked object.
    pub subject: Subject,
    /// Findings that are not accepted.
    pub findings: Vec<Diagnostic>,
    /// Published diagnostics by file.
    pub shown: BTreeMap<PathBuf, Vec<Shown>>,
}

/// Checked object.
pub enum Subject {
    /// Catalog.
    Catalog(Arc<Catalog>),
    /// Bundle directory with its path.
    Bundle(Tree, PathBuf),
}

impl Judgement {
    /// Returns the subject of the findings.
    pub fn about(&self) -> About<'_> {
        match &self.subject {
            Subject::Catalog(catalog) => About::Catalog(catalog),
            Subject::Bundle(tree, root) => About::Bundle(tree, root),
        }
    }
}

/// Starts the worker of a home. The thread ends when its sender is dropped.
pub fn start(home: Home, encoding: Encoding, events: Sender<Event>) -> std::io::Result<Sender<Job>> {
    let (jobs, waiting) = mpsc::channel();
    let worker = Worker { home, encoding, events, before: None };
    thread::Builder::new().name("lsp-judge".to_owned()).spawn(move || worker.run(&waiting))?;
    Ok(jobs)
}

struct Worker {
    home: Home,
    encoding: Encoding,
    events: Sender<Event>,
    /// Last checked state, so that only changed packages are checked again.
    before: Option<Snapshot>,
}

impl Worker {
    fn run(mut self, waiting: &Receiver<Job>) {
        while let Ok(first) = waiting.recv() {
            let mut jobs = vec![first];
            jobs.extend(waiting.try_iter());
            let is_judging = |job: &Job| matches!(job, Job::Judge { .. } | Job::JudgeBundle { .. });
            let last = jobs.iter().rposition(is_judging);
            for (at, job) in jobs.into_iter().enumerate() {
                if is_judging(&job) && Some(at) != last {
                    continue;
                }
                let work = AssertUnwindSafe(|| self.work(job));
                if panic::catch_unwind(work).is_err() {
                    self.before = None;
                    let _ = self.events.send(Event::Died(self.home.clone()));
                }
            }
        }
    }

    fn work(&mut self, job: Job) {
        let home = self.home.clone();
        let event = match job {
            Job::Load => Event::Loaded { home, result: load(&self.home).map(Arc::new) },
            Job::LookAgain(known) => {
                match source::open_again(&known, &How::default(), &Progress::default()) {
                    Ok(Some(catalog)) => Event::Loaded { home, result: Ok(Arc::new(catalog)) },
                    Ok(None) | Err(_) => return,
                }
            }
            Job::Judge { number, catalog, open } => {
                let judgement = self.judge(&catalog, &open);
                Event::Judged { home, number, judgement: Arc::new(judgement) }
            }
            Job::JudgeBundle { number, texts } => {
                let Some(judgement) = self.judge_bundle(&texts) else { return };
                Event::Judged { home, number, judgement: Arc::new(judgement) }
            }
        };
        let _ = self.events.send(event);
    }

    fn judge(&mut self, catalog: &Arc<Catalog>, open: &[PathBuf]) -> Judgement {
        // A catalog that was reloaded shares nothing with the last state, so it is checked on all cores.
        let shares = |before: &Snapshot| {
            let mut packages = catalog.packages().take(64);
            packages.any(|own| {
                before.catalog.package(own.name.as_str()).is_some_and(|known| Arc::ptr_eq(own, known))
            }) || catalog.packages().len() < 8
        };
        let snapshot = match self.before.take().filter(shares) {
            Some(before) => before.after(Catalog::clone(catalog)),
            None => judged(Catalog::clone(catalog), &openshift_of(&[self.home.path().to_owned()])),
        };
        let snapshot = with_templates(snapshot);
        let accepted = accepted_beside(&catalog.origin);
        let rows = accepted.map(|file| file.of(catalog, snapshot.findings()));
        let counts = |at: usize| rows.as_ref().and_then(|rows| rows.get(at)).is_none_or(Option::is_none);
        let seen = Seen::of(catalog, open);
        let findings =
            snapshot.findings().enumerate().filter(|(at, finding)| counts(*at) && seen.shows(finding));
        let findings: Vec<Diagnostic> = findings.map(|(_, finding)| finding.clone()).collect();
        self.before = Some(snapshot);
        let or_else = open.first().map_or(self.home.path(), PathBuf::as_path);
        let mut shown = findings::by_file(About::Catalog(catalog), findings.iter(), self.encoding, or_else);
        if let Some(mistake) = baseline_mistake(&catalog.origin) {
            shown.entry(mistake.0).or_default().push(mistake.1);
        }
        Judgement { subject: Subject::Catalog(Arc::clone(catalog)), findings, shown }
    }

    fn judge_bundle(&self, texts: &[(PathBuf, Vec<u8>)]) -> Option<Judgement> {
        let root = self.home.path();
        let mut tree = read_bundle_directory(root).ok()?;
        let dockerfile = dockerfile_beside(root);
        for (path, text) in texts {
            let Some(inside) = path.strip_prefix(root).ok().and_then(Path::to_str) else { continue };
            let inside = inside.replace('\\', "/");
            let file = TreeFile { path: inside, content: Ok(text.clone()) };
            let known = tree.position(&file.path);
            if let Some(known) = known.and_then(|at| tree.files.get_mut(at)) {
                *known = file;
            } else {
                let mut files = std::mem::take(&mut tree.files);
                files.push(file);
                tree = Tree::new(files, std::mem::take(&mut tree.folders));
            }
        }
        let folder = folder_name(root);
        let directory = Directory {
            tree: &tree,
            shown: root,
            folder: folder.as_deref(),
            dockerfile: dockerfile.as_ref(),
            labels: None,
        };
        let findings = bundles::check(&directory, &Questions::default());
        let or_else = texts.first().map_or(root, |(path, _)| path.as_path());
        let shown = findings::by_file(About::Bundle(&tree, root), findings.iter(), self.encoding, or_else);
        Some(Judgement { subject: Subject::Bundle(tree, root.to_owned()), findings, shown })
    }
}

/// Loads a home. A file that does not exist yet is empty, because its text comes from the client.
fn load(home: &Home) -> Result<Catalog, String> {
    let path = home.path();
    if matches!(home, Home::File(_)) && !path.exists() {
        let file = SourceFile::new(path.to_owned(), Some(path.to_owned()), Vec::new());
        return Ok(Catalog::new(Origin::File(path.to_owned()), vec![file], Vec::new()));
    }
    source::open(path, &How::default(), &Progress::default()).map_err(|error| error.to_string())
}

/// Files whose findings are shown for a large catalog: open files, and those of their packages.
struct Seen {
    files: BTreeSet<PathBuf>,
    packages: BTreeSet<PackageName>,
    /// Positions of the open files in the catalog.
    numbers: BTreeSet<u32>,
}

impl Seen {
    fn of(catalog: &Catalog, open: &[PathBuf]) -> Self {
        let numbers: BTreeSet<u32> =
            open.iter().filter_map(|path| spot::file_at(catalog, path)).map(|file| file.0).collect();
        let speaks = |package: &&Arc<_>| {
            let package: &crate::catalog::package::Package = package;
            package.documents().any(|doc| numbers.contains(&doc.file.0))
        };
        let packages = catalog.packages().filter(speaks).map(|package| package.name.clone()).collect();
        Self { files: open.iter().cloned().collect(), packages, numbers }
    }

    fn shows(&self, finding: &Diagnostic) -> bool {
        use crate::validate::Location;
        match (&finding.package, &finding.at) {
            (Some(package), _) if self.packages.contains(package) => true,
            (_, Some(Location::Document(doc, _))) => self.numbers.contains(&doc.file.0),
            (None, Some(Location::File(path))) => {
                self.files.iter().any(|file| file.ends_with(path) || file.starts_with(path))
            }
            (None, _) => true,
            (Some(_), _) => false,
        }
    }
}

/// Loads the accepted findings next to a catalog.
fn accepted_beside(origin: &Origin) -> Option<Accepted> {
    let path = beside(origin, accepting::NAME)?;
    let bytes = expectations::read(&path).ok()??;
    Accepted::read(path, &bytes).ok()
}

/// Returns the mistake in the file of accepted findings. With a mistake, no finding is accepted.
fn baseline_mistake(origin: &Origin) -> Option<(PathBuf, Shown)> {
    use gen_lsp_types::{DiagnosticSeverity, Message, Position, Range};
    let path = beside(origin, accepting::NAME)?;
    let bytes = expectations::read(&path).ok()??;
    let mistake = Accepted::read(path.clone(), &bytes).err()?;
    let line = u32::try_from(mistake.line.saturating_sub(1)).unwrap_or(u32::MAX);
    let at = Position { line, character: 0 };
    let shown = Shown {
        range: Range { start: at, end: at },
        severity: Some(DiagnosticSeverity::Error),
        source: Some(findings::SOURCE.to_owned()),
        message: Message::String(format!("{}, so no findings are accepted", mistake.message)),
        ..Shown::default()
    };
    Some((crate::language::address::tidy(&path), shown))
}
