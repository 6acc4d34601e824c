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
    conformance::copy,
    corpus::Corpus,
    programs::{Answer, Opm, ask_olmap, quoted, type_olmap},
    same::{self, Same},
};

/// Version of opm that olmap must match.
pub const HELD_TO: &str = "1.73";

/// Request to both programs. The arguments of olmap may differ from those of opm.
pub struct Question<'q> {
    /// Command of opm, by which requests are counted.
    pub kind: &'static str,
    /// Catalog, bundle or template.
    pub about: &'q str,
    pub opm: Vec<String>,
    pub olmap: Vec<String>,
    pub same: Same,
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
    pub fn compare(self, corpus: &Corpus) -> Report {
        let jobs = crate::questions::jobs(corpus);
        let next = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(|| {
                    while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                        job.run(&self);
                    }
                });
            }
        });
        self.report(corpus)
    }

    /// Creates a folder that no other request uses.
    pub fn folder(&self, what: &str) -> PathBuf {
        let path = self.work.join(format!("{what}-{}", self.numbers.fetch_add(1, Ordering::Relaxed)));
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// Runs both programs. Returns the output of opm if both accept and agree.
    pub fn ask(&self, question: &Question) -> Option<Vec<u8>> {
        let home = self.home_of(question);
        let opm = self.opm.ask(&root(), &question.opm, home);
        let olmap = ask_olmap(&root(), &question.olmap, home);
        let differs = question.same.difference(&opm, &olmap);
        self.judge(question, differs, [&opm, &olmap], &root()).then_some(opm.out)
    }

    /// Runs both programs, each in a copy of a folder, and compares the folders afterwards.
    pub fn ask_to_write(&self, question: &Question, folder: &Path) {
        let work = self.folder("written");
        let places = ["opm", "olmap"].map(|name| work.join(name));
        for place in &places {
            copy(folder, place);
        }
        let opm = self.opm.ask(&places[0], &question.opm, None);
        let olmap = ask_olmap(&places[1], &question.olmap, None);
        let differs = Same::Verdict
            .difference(&opm, &olmap)
            .or_else(|| same::files(&same::tree(&places[0]), &same::tree(&places[1])));
        self.judge(question, differs, [&opm, &olmap], &work);
    }

    fn home_of(&self, question: &Question) -> Option<&Path> {
        question.pulls.then_some(self.home.as_path())
    }

    /// Records a request that is not sent, with the reason.
    pub fn leave_out(&self, what: String) {
        self.tally.lock().unwrap().left_out.push(what);
    }

    /// Counts a request and records its difference. Returns true if both programs accept and agree.
    fn judge(
        &self,
        question: &Question,
        differs: Option<String>,
        [opm, olmap]: [&Answer; 2],
        folder: &Path,
    ) -> bool {
        if let Some(lacks) = opm.unknown().filter(|_| !self.opm.version.starts_with(HELD_TO)) {
            *self.tally.lock().unwrap().lacking.entry(lacks.trim().to_owned()).or_default() += 1;
            return false;
        }
        let wrong = differs.is_some();
        let kept = differs.map(|differs| self.tell(question, &differs, [opm, olmap], folder));
        let mut tally = self.tally.lock().unwrap();
        let (asked, refused) = tally.asked.entry(question.kind).or_default();
        *asked += 1;
        *refused += usize::from(!wrong && !opm.is_yes());
        tally.wrong.extend(kept);
        !wrong && opm.is_yes()
    }

    /// Formats a difference, and saves both answers to files.
    fn tell(&self, question: &Question, differs: &str, answers: [&Answer; 2], folder: &Path) -> String {
        let kept = self.folder("answers");
        for (name, answer) in ["opm", "olmap"].into_iter().zip(answers) {
            fs::write(kept.join(format!("{name}.out")), &answer.out).unwrap();
            fs::write(kept.join(format!("{name}.err")), &answer.err).unwrap();
        }
        let [opm, olmap] = answers.map(Answer::told);
        let apart = folder != root();
        let at = |name: &str| quoted(&if apart { folder.join(name) } else { root() }.display().to_string());
        format!(
            "{}: {}: {differs}\n  opm:   {opm}\n  olmap: {olmap}\n  by hand:\n    cd {}; {}\n    cd {}; {}\n  both answers: {}\n",
            question.about,
            question.kind,
            at("opm"),
            self.opm.typed(&question.opm, self.home_of(question)),
            at("olmap"),
            type_olmap(&question.olmap, self.home_of(question)),
            kept.display()
        )
    }

    fn report(self, corpus: &Corpus) -> Report {
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
        if !self.opm.version.starts_with(HELD_TO) {
            let _ = writeln!(
                summary,
                "  olmap is held to opm {HELD_TO}, this is {}: what differs may be a difference of the versions \
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
