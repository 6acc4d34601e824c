//! Comparison session: sends requests to both programs, and reports differences with commands to
//! reproduce them.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use crate::run::root;
use crate::{
    comparison::{self, ComparisonKind},
    conformance::copy_dir,
    corpus::Corpus,
    programs::{Answer, Opm, olmap_command_line, run_olmap, shell_quote},
};

/// Version of opm that olmap must match.
pub const REFERENCE_VERSION: &str = "1.73";

/// Request to both programs. The arguments of olmap may differ from those of opm.
pub struct Request<'q> {
    /// Command of opm, by which requests are counted.
    pub kind: &'static str,
    /// Catalog, bundle or template.
    pub about: &'q str,
    pub opm: Vec<String>,
    pub olmap: Vec<String>,
    pub same: ComparisonKind,
    /// True if opm pulls images for the request.
    pub pulls: bool,
}

/// Comparison with one opm.
pub struct Session {
    opm: Opm,
    /// Folder for inputs and answers, kept for inspection.
    work: PathBuf,
    /// Home directory whose only configuration allows opm to pull images.
    home: PathBuf,
    numbers: AtomicUsize,
    tally: Mutex<Tally>,
}

#[derive(Default)]
struct Tally {
    /// Number of requests and of refusals by both programs, by command.
    asked: BTreeMap<&'static str, (usize, usize)>,
    /// Flags and commands that this opm does not have.
    lacking: BTreeMap<String, usize>,
    /// Requests that were not sent.
    left_out: Vec<String>,
    wrong: Vec<String>,
}

/// Result of the comparison.
pub struct Report {
    /// Summary for the user.
    pub summary: String,
    /// Number of requests, by command.
    pub asked: BTreeMap<&'static str, usize>,
    /// Differences.
    pub wrong: Vec<String>,
}

impl Session {
    /// Creates a session. Empties `work`.
    pub fn new(program: &Path, work: &str) -> Self {
        let work = Path::new(env!("CARGO_TARGET_TMPDIR")).join("opm").join(work);
        let _ = fs::remove_dir_all(&work);
        fs::create_dir_all(&work).unwrap();
        let home = work.join("home");
        fs::create_dir_all(home.join(".config/containers")).unwrap();
        let policy = r#"{"default": [{"type": "insecureAcceptAnything"}]}"#;
        fs::write(home.join(".config/containers/policy.json"), policy).unwrap();
        Self { opm: Opm::new(program), work, home, numbers: AtomicUsize::new(0), tally: Mutex::default() }
    }

    pub fn work(&self) -> &Path {
        &self.work
    }

    /// Compares both programs on a corpus.
    pub fn run_comparison(self, corpus: &Corpus) -> Report {
        let jobs = crate::questions::list_jobs(corpus);
        let next = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(|| {
                    while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                        job.run_job(&self);
                    }
                });
            }
        });
        self.into_report(corpus)
    }

    /// Creates a folder that no other request uses.
    pub fn new_folder(&self, what: &str) -> PathBuf {
        let path = self.work.join(format!("{what}-{}", self.numbers.fetch_add(1, Ordering::Relaxed)));
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// Runs both programs. Returns the output of opm if both accept and agree.
    pub fn compare_request(&self, question: &Request) -> Option<Vec<u8>> {
        let home = self.request_home(question);
        let opm = self.opm.run_opm(&root(), &question.opm, home);
        let olmap = run_olmap(&root(), &question.olmap, home);
        let differs = question.same.find_difference(&opm, &olmap);
        self.record_request(question, differs, [&opm, &olmap], &root()).then_some(opm.out)
    }

    /// Runs both programs, each in a copy of a folder, and compares the folders afterwards.
    pub fn compare_written_files(&self, question: &Request, folder: &Path) {
        let work = self.new_folder("written");
        let places = ["opm", "olmap"].map(|name| work.join(name));
        for place in &places {
            copy_dir(folder, place);
        }
        let opm = self.opm.run_opm(&places[0], &question.opm, None);
        let olmap = run_olmap(&places[1], &question.olmap, None);
        let differs = ComparisonKind::Verdict.find_difference(&opm, &olmap).or_else(|| {
            comparison::compare_folders(
                &comparison::read_folder(&places[0]),
                &comparison::read_folder(&places[1]),
            )
        });
        self.record_request(question, differs, [&opm, &olmap], &work);
    }

    fn request_home(&self, question: &Request) -> Option<&Path> {
        question.pulls.then_some(self.home.as_path())
    }

    /// Records a request that is not sent, with the reason.
    pub fn record_omission(&self, what: String) {
        self.tally.lock().unwrap().left_out.push(what);
    }

    /// Counts a request and records its difference. Returns true if both programs accept and agree.
    fn record_request(
        &self,
        question: &Request,
        differs: Option<String>,
        [opm, olmap]: [&Answer; 2],
        folder: &Path,
    ) -> bool {
        if let Some(lacks) = opm.unknown_option().filter(|_| !self.opm.version.starts_with(REFERENCE_VERSION))
        {
            *self.tally.lock().unwrap().lacking.entry(lacks.trim().to_owned()).or_default() += 1;
            return false;
        }
        let wrong = differs.is_some();
        let kept = differs.map(|differs| self.format_difference(question, &differs, [opm, olmap], folder));
        let mut tally = self.tally.lock().unwrap();
        let (asked, refused) = tally.asked.entry(question.kind).or_default();
        *asked += 1;
        *refused += usize::from(!wrong && !opm.is_accepted());
        tally.wrong.extend(kept);
        !wrong && opm.is_accepted()
    }

    /// Formats a difference, and saves both answers to files.
    fn format_difference(
        &self,
        question: &Request,
        differs: &str,
        answers: [&Answer; 2],
        folder: &Path,
    ) -> String {
        let kept = self.new_folder("answers");
        for (name, answer) in ["opm", "olmap"].into_iter().zip(answers) {
            fs::write(kept.join(format!("{name}.out")), &answer.out).unwrap();
            fs::write(kept.join(format!("{name}.err")), &answer.err).unwrap();
        }
        let [opm, olmap] = answers.map(Answer::summary);
        let apart = folder != root();
        let at =
            |name: &str| shell_quote(&if apart { folder.join(name) } else { root() }.display().to_string());
        format!(
            "{}: {}: {differs}\n  opm:   {opm}\n  olmap: {olmap}\n  by hand:\n    cd {}; {}\n    cd {}; {}\n  both answers: {}\n",
            question.about,
            question.kind,
            at("opm"),
            self.opm.command_line(&question.opm, self.request_home(question)),
            at("olmap"),
            olmap_command_line(&question.olmap, self.request_home(question)),
            kept.display()
        )
    }

    fn into_report(self, corpus: &Corpus) -> Report {
        let tally = self.tally.into_inner().unwrap();
        let all: usize = tally.asked.values().map(|(asked, _)| asked).sum();
        let mut summary = format!(
            "opm {}: {all} answers compared, {} differ (catalogs: {}, bundle directories: {}, SQLite indexes: {})\n",
            self.opm.version,
            tally.wrong.len(),
            corpus.catalogs.len(),
            corpus.bundles.len(),
            corpus.indexes.len()
        );
        for (kind, (asked, refused)) in &tally.asked {
            let refused = if *refused == 0 { String::new() } else { format!(", {refused} refused by both") };
            let _ = writeln!(summary, "  {kind}: {asked}{refused}");
        }
        if !self.opm.version.starts_with(REFERENCE_VERSION) {
            let _ = writeln!(
                summary,
                "  olmap is held to opm {REFERENCE_VERSION}, this is {}: what differs may be a difference of the versions \
                 (docs/conformance.md names those that are known)",
                self.opm.version
            );
        }
        for (lacks, times) in &tally.lacking {
            let _ = writeln!(summary, "  not compared, {times} times: this opm says {lacks:?}");
        }
        for what in corpus.left_out.iter().chain(&tally.left_out) {
            let _ = writeln!(summary, "  not compared: {what}");
        }
        let asked = tally.asked.iter().map(|(kind, (asked, _))| (*kind, *asked)).collect();
        Report { summary, asked, wrong: tally.wrong }
    }
}
