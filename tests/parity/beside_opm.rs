//! Comparison with an installed opm: `OLMAP_OPM=opm cargo test --test parity` sends the same
//! requests to
//! both and compares the answers.

use std::{env, path::Path};

use crate::{
    conformance::{self, write_stderr_line},
    corpus::Corpus,
    session::{Report, Session},
};

/// Lists the differences, up to a readable number.
fn list_differences(report: &Report) -> String {
    let shown = report.wrong.iter().take(20).cloned().collect::<String>();
    let more = report.wrong.len().saturating_sub(20);
    let more = if more == 0 { String::new() } else { format!("and {more} more\n") };
    format!("{}\n{shown}{more}", report.summary)
}

#[test]
fn olmap_agrees_with_the_installed_opm() {
    let Some(opm) = env::var_os("OLMAP_OPM").filter(|opm| !opm.is_empty()) else {
        return conformance::report_skip("OLMAP_OPM names no opm to compare olmap with");
    };
    // Tests of this test use another folder at the same time.
    let work = env::var("OLMAP_OPM_WORK").unwrap_or_else(|_| "installed".to_owned());
    let session = Session::new(Path::new(&opm), &work);
    let is_whole = env::var_os("OLMAP_OPM_ONLY").is_none();
    let mut corpus = if is_whole { Corpus::load_all(session.work()) } else { Corpus::default() };
    let named = env::var_os("OLMAP_OPM_CATALOGS").unwrap_or_default();
    for path in env::split_paths(&named).filter(|path| !path.as_os_str().is_empty()) {
        corpus.add_path(&path, session.work());
    }
    let report = session.run_comparison(&corpus);
    write_stderr_line(&report.summary);
    assert!(report.wrong.is_empty(), "{}", list_differences(&report));
}

/// Tests of the comparison, with scripts that imitate opm with olmap. Their agreement says nothing
/// about opm.
#[cfg(unix)]
mod tried {
    use std::{collections::BTreeSet, path::Path, process::Command};

    use super::list_differences;
    use crate::{
        conformance::{self, write_stderr_line},
        corpus::{Corpus, GRANARY},
        questions::COMMANDS,
        session::{Report, Session},
        stand_in::{Lie, write_honest_script, write_lying_script},
    };

    const WITH_IMAGES: [&str; 2] = ["render IMAGE", "alpha render-template with images"];

    fn has_registry() -> bool {
        let found = Command::new("docker-registry").arg("--version").output().is_ok();
        if !found {
            conformance::report_skip("docker-registry is not installed (apt-get install docker-registry)");
        }
        found
    }

    /// Returns the report with a script that lies if its arguments match one of the shell patterns.
    fn report_with_liar(work: &str, patterns: &str, lie: Lie, images: bool) -> Report {
        let folder = tempfile::tempdir().unwrap();
        let session = Session::new(&write_lying_script(folder.path(), patterns, lie), work);
        let corpus = Corpus { images, ..Corpus::load_small(session.work()) };
        session.run_comparison(&corpus)
    }

    /// Runs the test as a user does, on one catalog. Returns whether it passes, and its output.
    fn run_comparison(opm: &Path, work: &str) -> (bool, String) {
        let mut command = Command::new(std::env::current_exe().unwrap());
        let command = command.args(["beside_opm::olmap_agrees_with_the_installed_opm", "--exact"]);
        let command = command.env("OLMAP_OPM", opm).env("OLMAP_OPM_CATALOGS", GRANARY);
        let output = command.env("OLMAP_OPM_ONLY", "1").env("OLMAP_OPM_WORK", work).output().unwrap();
        let said = [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
        (output.status.success(), said.concat())
    }

    #[test]
    fn comparison_fails_if_opm_differs() {
        let folder = tempfile::tempdir().unwrap();
        let (is_passed, said) =
            run_comparison(&write_honest_script(folder.path(), "v1.73.2"), "as-installed-1");
        assert!(is_passed && said.contains("opm 1.73.2: ") && said.contains(" 0 differ"), "{said}");
        let (is_passed, said) =
            run_comparison(&write_lying_script(folder.path(), "render*", Lie::Letter), "as-installed-2");
        assert!(!is_passed && said.contains(&format!("{GRANARY}: render: line 2: ")), "{said}");
        let (is_passed, said) = run_comparison(&folder.path().join("gone"), "as-installed-3");
        assert!(!is_passed && said.contains("gone"), "{said}");
    }

    /// Returns the commands with differences in a report.
    fn differing_commands(report: &Report) -> BTreeSet<&str> {
        let differ = |kind: &&str| report.wrong.iter().any(|wrong| wrong.contains(&format!(": {kind}: ")));
        COMMANDS.into_iter().filter(differ).collect()
    }

    /// `OLMAP_ALL=1` selects every catalog.
    #[test]
    fn script_that_runs_olmap_agrees() {
        let folder = tempfile::tempdir().unwrap();
        let session = Session::new(&write_honest_script(folder.path(), "v1.73.0"), "honest");
        let whole = Corpus::load_all(session.work());
        assert!(whole.catalogs.len() > 200 && whole.bundles.len() > 20, "the fixtures are there");
        let every = if std::env::var_os("OLMAP_ALL").is_some() { 1 } else { 30 };
        let corpus = whole.sample(every);
        let report = session.run_comparison(&corpus);
        assert!(report.wrong.is_empty(), "{}", list_differences(&report));
        let has_registry = has_registry();
        let asked = COMMANDS.iter().filter(|kind| has_registry || !WITH_IMAGES.contains(kind));
        let missing: Vec<_> = asked.filter(|kind| !report.asked.contains_key(*kind)).collect();
        assert!(missing.is_empty(), "nothing was asked of {missing:?}");
        write_stderr_line(&format!(
            "a script that is olmap underneath: {}",
            report.summary.lines().next().unwrap_or_default()
        ));
    }

    /// One changed letter in any output or file is detected.
    #[test]
    fn changed_letter_is_detected_in_every_command() {
        let has_registry = has_registry();
        let mut seen = BTreeSet::new();
        // Later requests start from the rendered output, so one run cannot lie about everything.
        let runs = [
            ("letters-1", "render*"),
            ("letters-2", "*--migrate-level*"),
            ("letters-3", "alpha\\ convert-template*"),
            ("letters-4", "alpha\\ list*|alpha\\ render*|alpha\\ bundle*|init*|generate*"),
        ];
        for (work, patterns) in runs {
            let report = report_with_liar(work, patterns, Lie::Letter, has_registry && work != "letters-3");
            seen.extend(differing_commands(&report).into_iter().map(str::to_owned));
        }
        let missed: Vec<_> = { COMMANDS.into_iter() }
            .filter(|kind| *kind != "validate" && (has_registry || !WITH_IMAGES.contains(kind)))
            .filter(|kind| !seen.contains(*kind))
            .collect();
        assert!(missed.is_empty(), "a difference goes unseen in {missed:?}");
    }

    #[test]
    fn changed_verdict_is_reported_with_commands_to_reproduce_it() {
        let folder = tempfile::tempdir().unwrap();
        let liar = write_lying_script(folder.path(), "validate*", Lie::Verdict);
        let session = Session::new(&liar, "verdict");
        let catalogs = Corpus::load_small(session.work()).catalogs;
        let report = session.run_comparison(&Corpus { catalogs, ..Corpus::default() });
        let [wrong] = report.wrong.as_slice() else { panic!("{}", list_differences(&report)) };
        let says =
            format!("{GRANARY}: validate: opm refuses it, olmap accepts it\n  opm:   exit code 1, 0 bytes");
        assert!(wrong.starts_with(&says), "{wrong}");
        assert!(wrong.contains("\n  olmap: exit code 0, "), "{wrong}");
        // The commands in the report reproduce the difference.
        let by_hand: Vec<&str> =
            wrong.lines().skip_while(|line| line.trim() != "by hand:").skip(1).take(2).collect();
        assert!(by_hand[0].ends_with(&format!("validate {GRANARY}")), "{wrong}");
        let again = |line: &str| Command::new("sh").args(["-c", line]).output().unwrap().status.code();
        assert_eq!([again(by_hand[0]), again(by_hand[1])], [Some(1), Some(0)], "{wrong}");
        let answers = wrong.lines().last().unwrap().trim().strip_prefix("both answers: ").unwrap();
        assert!(Path::new(answers).join("olmap.out").is_file(), "{wrong}");
    }

    #[test]
    fn changed_byte_is_reported_with_its_line() {
        let report = report_with_liar("byte", "render\\ demo/catalog*yaml", Lie::Letter, false);
        let of_bytes = report.wrong.iter().find(|wrong| wrong.starts_with(&format!("{GRANARY}: render: ")));
        let of_bytes = of_bytes.unwrap_or_else(|| panic!("{}", list_differences(&report)));
        let says = "line 2: opm has \"XefaultChannel: stable\\n\", olmap has \"defaultChannel: stable\\n\"\n";
        assert!(of_bytes.contains(says), "{of_bytes}");
        assert_eq!(differing_commands(&report), ["render"].into(), "{}", list_differences(&report));
    }

    #[test]
    fn package_named_only_by_opm_is_reported() {
        let report = report_with_liar("package", "validate*", Lie::Package, false);
        assert_eq!(report.wrong, Vec::<String>::new(), "of what is accepted no package is asked");
        let folder = tempfile::tempdir().unwrap();
        let session =
            Session::new(&write_lying_script(folder.path(), "validate*", Lie::Package), "package-2");
        let path = crate::run::root().join("demo/broken/anvil-operator");
        let broken = crate::corpus::NamedDirectory { name: "anvil".to_owned(), path };
        let report = session.run_comparison(&Corpus { catalogs: vec![broken], ..Corpus::default() });
        let says = "anvil: validate: opm calls the package elsewhere invalid, olmap finds nothing in it";
        assert!(report.wrong.iter().any(|wrong| wrong.starts_with(says)), "{}", list_differences(&report));
    }

    /// A flag that an older opm lacks is reported, but is not a difference. opm 1.73 has all of
    /// them.
    #[test]
    fn flags_missing_in_another_version_are_not_compared() {
        let older = report_with_liar("older", "*--migrate-level*", Lie::Lacks("v1.46.0"), false);
        assert!(older.wrong.is_empty(), "{}", list_differences(&older));
        assert!(older.summary.contains("olmap is held to opm 1.73, this is 1.46.0"), "{}", older.summary);
        assert!(
            older.summary.contains("times: this opm says \"Error: unknown flag: --none\""),
            "{}",
            older.summary
        );
        assert!(!older.asked.contains_key("render --migrate-level"), "{}", older.summary);
        let same = report_with_liar("lacking", "*--migrate-level*", Lie::Lacks("v1.73.0"), false);
        assert!(differing_commands(&same).contains("render --migrate-level"), "{}", list_differences(&same));
        assert!(!same.summary.contains("held to"), "{}", same.summary);
    }
}
