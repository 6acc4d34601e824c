//! Tests of each rule about bundles with changes of a small bundle (see `bundles.txt`), and of
//! verdicts as findings.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    path::Path,
};

use serde_yaml::Value;

use super::{changes, repository};
use crate::{
    bundle::{
        Tree, TreeFile,
        suites::{self, Suite},
        v1,
    },
    upgrade::openshift::OpenShift,
    validate::{
        Diagnostic, Location, Severity,
        bundles::{self, Directory, Questions},
        rule::About,
        rules,
    },
};

pub(super) const CSV: &str = "manifests/kiln.clusterserviceversion.yaml";
pub(super) const CRD: &str = "manifests/kilns.crd.yaml";
pub(super) const ANNOTATIONS: &str = "metadata/annotations.yaml";

pub(super) type Files = BTreeMap<String, String>;

fn read(path: &str) -> String {
    std::fs::read_to_string(repository("src/validate/tests").join(path)).unwrap()
}

pub(super) fn base() -> Files {
    let paths = ["bundle.Dockerfile", "manifests/kiln-config.yaml", CSV, CRD, ANNOTATIONS];
    paths.into_iter().map(|path| (path.to_owned(), read(&format!("bundle/{path}")))).collect()
}

fn tree(files: &Files) -> Tree {
    let file =
        |(path, text): (&String, &String)| TreeFile { path: path.clone(), content: Ok(text.clone().into()) };
    Tree::new(files.iter().map(file).collect(), vec!["manifests".to_owned(), "metadata".to_owned()])
}

pub(super) fn ask(files: &Files, questions: &Questions) -> Vec<Diagnostic> {
    let tree = tree(files);
    bundles::check(
        &Directory {
            tree: &tree,
            shown: Path::new("kiln"),
            folder: Some("kiln"),
            dockerfile: None,
            labels: None,
        },
        questions,
    )
}

fn ours() -> Questions {
    let openshift = ["4.18", "4.19"].iter().map(|version| OpenShift::parse(version).unwrap()).collect();
    Questions { ours: true, openshift, ..Questions::none() }
}

struct Case {
    title: String,
    files: Files,
    expected: String,
}

fn case(case: changes::Case) -> Case {
    let mut files = base();
    for change in &case.changes {
        let text = files.entry(change.file.clone().unwrap_or_else(|| CSV.to_owned())).or_default();
        let before = text.clone();
        change.make(text, &before, &case.title);
    }
    Case { title: case.title, files, expected: case.expected }
}

fn cases() -> Vec<Case> {
    changes::cases(&read("bundles.txt")).into_iter().map(case).collect()
}

/// Returns the file and the first line at a location.
fn at(files: &Files, at: &Location) -> String {
    let inside = |path: &Path| path.strip_prefix("kiln").unwrap().display().to_string();
    match at {
        Location::File(path) => format!("{} | ", inside(path)),
        Location::InBundle(spot) => {
            let file = inside(&spot.path);
            let text = &files[&file][spot.span.range()];
            let line = text.lines().next().unwrap_or_default();
            // The excerpt for display must match the file.
            let kept = &spot.source[spot.marked().start..];
            assert!(kept.starts_with(&line.as_bytes()[..line.len().min(kept.len())]), "{line}");
            format!("{file} | {line}")
        }
        Location::Document(..) => panic!("{at:?}"),
    }
}

fn spell(files: &Files, findings: &[Diagnostic]) -> String {
    let mut out = String::new();
    for finding in findings {
        let place = at(files, finding.at.as_ref().unwrap());
        let _ = writeln!(out, "> {} | {place} | {}", finding.rule.id, finding.message);
        for related in &finding.related {
            let _ = writeln!(out, "~ {} | {}", related.message, at(files, &related.at));
        }
    }
    out
}

#[test]
fn base_bundle_has_no_findings() {
    assert_eq!(spell(&base(), &ask(&base(), &ours())), "");
    let everything = Questions { v1: true, ..Questions::default() };
    assert_eq!(spell(&base(), &ask(&base(), &everything)), "");
}

#[test]
fn every_case_has_exactly_its_findings() {
    let mut wrong = String::new();
    for case in cases() {
        let found = spell(&case.files, &ask(&case.files, &ours()));
        if found != case.expected {
            let _ = writeln!(wrong, "### {}\n{found}", case.title);
        }
    }
    assert!(wrong.is_empty(), "found instead:\n{wrong}");
}

#[test]
fn every_rule_has_a_case_that_breaks_it() {
    let mut broken = BTreeSet::new();
    for case in cases() {
        let (id, _) = case.title.split_once(": ").unwrap();
        assert!(rules::by_id(id).is_some(), "no such rule: {id}");
        broken.extend(ask(&case.files, &ours()).iter().map(|finding| finding.rule.id));
    }
    let all = rules::ALL.iter().filter(|rule| rule.about() == About::Bundle);
    assert_eq!(broken, all.map(|rule| rule.id).collect());
}

#[test]
fn fix_changes_only_its_splices() {
    let mut count = 0;
    for case in cases() {
        let found = ask(&case.files, &ours());
        for finding in found.iter().filter(|finding| finding.bundle_fix.is_some()) {
            let fix = finding.bundle_fix.as_ref().unwrap();
            let text = &case.files[&fix.file];
            let mended = String::from_utf8(fix.apply(text.as_bytes()).unwrap()).unwrap();
            // Only spliced text differs.
            let taken: usize = fix.splices.iter().map(|(span, _)| span.range().len()).sum();
            let given: usize = fix.splices.iter().map(|(_, text)| text.len()).sum();
            assert_eq!(mended.len() + taken, text.len() + given);
            let mut files = case.files.clone();
            files.insert(fix.file.clone(), mended);
            let left = ask(&files, &ours());
            assert!(left.iter().all(|now| now.rule.id != finding.rule.id), "{}: {left:?}", case.title);
            count += 1;
        }
    }
    assert!(count >= 3);
}

/// Merges two YAML values: maps are merged by key, other values are replaced.
fn on_top(below: &mut Value, above: Value) {
    match (below, above) {
        (Value::Mapping(below), Value::Mapping(above)) => {
            for (key, value) in above {
                match below.get_mut(&key) {
                    Some(below) => on_top(below, value),
                    None => drop(below.insert(key, value)),
                }
            }
        }
        (below, above) => *below = above,
    }
}

/// Returns the base bundle with the file of an example. The first line names the file; an
/// existing file is merged.
fn with_example(example: &str) -> Files {
    let (head, text) = example.split_once('\n').unwrap();
    let path = head.strip_prefix("# ").unwrap().to_owned();
    let mut files = base();
    let is_map = [CSV, CRD, ANNOTATIONS].contains(&path.as_str());
    let text = match files.get(&path).filter(|_| is_map) {
        Some(below) => {
            let mut below: Value = serde_yaml::from_str(below).unwrap();
            on_top(&mut below, serde_yaml::from_str(text).unwrap());
            serde_yaml::to_string(&below).unwrap()
        }
        None => text.to_owned(),
    };
    files.insert(path, text);
    files
}

#[test]
fn bad_example_breaks_its_rule_and_good_example_breaks_none() {
    let mut wrong = String::new();
    for rule in rules::ALL.iter().filter(|rule| rule.about() == About::Bundle) {
        let example = rule.story().example.unwrap();
        let ids = |text| -> Vec<&str> {
            ask(&with_example(text), &ours()).iter().map(|finding| finding.rule.id).collect()
        };
        let (bad, good) = (ids(example.bad), ids(example.good));
        if !bad.contains(&rule.id) || !good.is_empty() {
            let _ = writeln!(wrong, "{}: bad {bad:?}, good {good:?}", rule.id);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_verdict_has_its_own_rule() {
    // This bundle has errors for every suite.
    let mut files = base();
    files.insert(CSV.to_owned(), "kind: ClusterServiceVersion\nspec: {icon: [{}, {}]}\n".to_owned());
    files.insert(
        "manifests/pod.yaml".to_owned(),
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n".to_owned(),
    );
    let tree = tree(&files);
    let everything = Questions { suites: Suite::ALL.to_vec(), classic: true, v1: true, ..Questions::none() };
    let found = ask(&files, &everything);
    let verdicts =
        suites::run(&tree, &Suite::ALL, &suites::Settings::default()).len() + v1::check(&tree).len();
    assert_eq!(found.len(), verdicts);
    for finding in &found {
        let said = finding.said.as_ref().unwrap();
        assert_eq!(finding.rule.about(), About::Verdict(said.by, said.validator));
        assert!(finding.at.is_some(), "{finding:?}");
    }
    assert!(found.iter().any(|finding| finding.severity() == Severity::Warning));
    assert!(found.iter().any(|finding| finding.rule.id == "v1-object-kind"));
}

#[test]
fn same_message_of_two_suites_is_reported_once() {
    let mut files = base();
    let crd = files[CRD].replace("scope: Namespaced", "scope: Global");
    files.insert(CRD.to_owned(), crd);
    let rules = |questions: &Questions| -> Vec<&str> {
        ask(&files, questions).iter().map(|finding| finding.rule.id).collect()
    };
    assert_eq!(rules(&Questions::default()), ["suite-crd"]);
    let both = Questions { suites: vec![Suite::Content, Suite::Crd], ..Questions::none() };
    assert_eq!(rules(&both), ["suite-content", "suite-crd"], "each suite that is asked for answers");
}

#[test]
fn missing_crd_is_reported_once() {
    let mut files = base();
    files.remove(CRD);
    let ids = |questions: &Questions, files: &Files| -> Vec<&str> {
        ask(files, questions).iter().map(|finding| finding.rule.id).collect()
    };
    assert_eq!(ids(&Questions::default(), &files), ["suite-bundle"]);
    let both = Questions { suites: vec![Suite::Content, Suite::Bundle], ..Questions::none() };
    assert_eq!(ids(&both, &files), ["suite-bundle", "suite-content"], "each suite that is asked for answers");
    // A name without a dot is a single error.
    let csv = files[CSV].replace("name: kilns.clay.example.com", "name: kilns");
    files.insert(CSV.to_owned(), csv);
    let found = ask(&files, &Questions::default());
    let errors: Vec<&str> = found
        .iter()
        .filter(|finding| finding.severity() == Severity::Error)
        .map(|finding| finding.message.as_str())
        .collect();
    assert!(errors.contains(&"the CRD name `kilns` is not plural.group"), "{errors:?}");
    assert!(errors.iter().all(|message| !message.contains("has no CRD")), "{errors:?}");
}

#[test]
fn consequences_of_lost_object_are_not_reported() {
    for file in [CSV, CRD, "manifests/kiln-config.yaml", ANNOTATIONS] {
        let mut files = base();
        let text = format!("# Copyright of the potters.\n---\n{}", files[file]);
        files.insert(file.to_owned(), text);
        let ids = |questions: &Questions| -> Vec<&str> {
            ask(&files, questions).iter().map(|finding| finding.rule.id).collect()
        };
        assert_eq!(ids(&Questions::default()), ["lost-object"], "{file}");
        // The other programs do not know this rule.
        assert!(!ids(&Questions::parity()).is_empty(), "{file}");
    }
    // Unrelated findings remain.
    let mut files = base();
    files.insert(CSV.to_owned(), format!("# Copyright of the potters.\n---\n{}", files[CSV]));
    let crd = files[CRD].replace("scope: Namespaced", "scope: Global");
    files.insert(CRD.to_owned(), crd);
    let ids: Vec<&str> = ask(&files, &Questions::default()).iter().map(|finding| finding.rule.id).collect();
    assert_eq!(ids, ["lost-object", "suite-content"]);
}

#[test]
fn classic_verdicts_can_be_selected_alone() {
    let mut files = base();
    let csv = files[CSV].replace(
        "spec:\n  displayName: Kiln\n",
        "spec:\n  displayName: Kiln\n  webhookdefinitions:\n  - {type: ConversionWebhook, generateName: a, deploymentName: \
         kiln, conversionCRDs: [kilns.clay.example.com]}\n",
    );
    let csv = csv.replacen("supported: false", "supported: true", 1);
    files.insert(CSV.to_owned(), csv);
    let ids = |questions: &Questions| -> Vec<&str> {
        ask(&files, questions).iter().map(|finding| finding.rule.id).collect()
    };
    let target = Questions { classic: true, ours_of_classic: true, ..Questions::none() };
    assert_eq!(ids(&target), ["conversion-webhook"]);
    assert_eq!(ids(&Questions::default()), ["suite-csv"], "the same thing is told once");
}

#[test]
fn every_suite_has_a_rule() {
    for suite in Suite::ALL {
        assert!(rules::by_id(&format!("suite-{suite}")).is_some(), "{suite}");
    }
    for rule in rules::ALL {
        let About::Verdict(by, validator) = rule.about() else { continue };
        assert_eq!(rule.id, format!("{by}-{validator}"));
        assert!(rule.command().is_some() && !rule.parity);
    }
}

#[test]
fn file_next_to_directory_keeps_its_path() {
    let dockerfile = TreeFile {
        path: "../bundle.Dockerfile".to_owned(),
        content: Ok(b"FROM scratch\nCOPY kiln/manifests /manifests/\n".to_vec()),
    };
    let (tree, shown) = (tree(&base()), Path::new("work/kiln"));
    let directory =
        Directory { tree: &tree, shown, folder: Some("kiln"), dockerfile: Some(&dockerfile), labels: None };
    assert_eq!(directory.shown("../bundle.Dockerfile"), Path::new("work/bundle.Dockerfile"));
    assert_eq!(directory.shown("manifests/a.yaml"), Path::new("work/kiln/manifests/a.yaml"));
    assert_eq!(bundles::check(&directory, &ours()), []);
    for (shown, expected) in [(".", "../bundle.Dockerfile"), ("..", "../../bundle.Dockerfile")] {
        let directory = Directory { shown: Path::new(shown), ..directory };
        assert_eq!(directory.shown("../bundle.Dockerfile"), Path::new(expected));
    }
}

#[test]
fn dockerfile_label_counts_if_annotation_is_missing() {
    let mut files = base();
    let annotations = files[ANNOTATIONS].replace("  com.redhat.openshift.versions: v4.18-v4.20\n", "");
    files.insert(ANNOTATIONS.to_owned(), annotations);
    let dockerfile = TreeFile {
        path: "../bundle.Dockerfile".to_owned(),
        content: Ok(b"COPY kiln/manifests /manifests/\nLABEL com.redhat.openshift.versions=4.12\n".to_vec()),
    };
    let (tree, shown) = (tree(&files), Path::new("work/kiln"));
    let ids = |folder: &str| -> Vec<&str> {
        let directory = Directory {
            tree: &tree,
            shown,
            folder: Some(folder),
            dockerfile: Some(&dockerfile),
            labels: None,
        };
        let found = bundles::check(&directory, &ours());
        found.iter().map(|finding| finding.rule.id).collect()
    };
    assert_eq!(ids("kiln"), ["openshift-versions"]);
    assert!(ids("oven").is_empty(), "it is another's");
}

mod random {
    use proptest::prelude::*;

    use super::{ANNOTATIONS, CRD, CSV, ask, base, ours, spell};
    use crate::validate::bundles::Questions;

    /// Change of one file of the base bundle.
    #[derive(Clone, Debug)]
    enum Change {
        Drop(usize),
        Double(usize),
        /// The value of one line after the key of another.
        Value(usize, usize),
        /// Truncation, possibly in the middle of a line.
        End(usize),
    }

    fn change() -> impl Strategy<Value = Change> {
        let line = || 0..100_usize;
        prop_oneof![
            4 => line().prop_map(Change::Drop),
            4 => line().prop_map(Change::Double),
            8 => (line(), line()).prop_map(|(a, b)| Change::Value(a, b)),
            1 => (0..4000_usize).prop_map(Change::End),
        ]
    }

    fn apply(text: &str, change: &Change) -> String {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let count = lines.len().max(1);
        match *change {
            Change::End(at) => return text.chars().take(at).collect(),
            _ if lines.is_empty() => {}
            Change::Drop(at) => drop(lines.remove(at % count)),
            Change::Double(at) => lines.insert(at % count, lines[at % count].clone()),
            Change::Value(a, b) => {
                let value = lines[b % count].split_once(": ").map(|(_, value)| value.to_owned());
                let line = &mut lines[a % count];
                if let (Some((key, _)), Some(value)) = (line.split_once(": "), value) {
                    *line = format!("{key}: {value}");
                }
            }
        }
        lines.join("\n")
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn findings_of_any_bundle_have_locations_and_are_deterministic(
            changes in prop::collection::vec((0..4_usize, change()), 1..5),
        ) {
            let mut files = base();
            for (file, change) in &changes {
                let file = [CSV, CRD, ANNOTATIONS, "bundle.Dockerfile"][*file];
                let text = apply(&files[file], change);
                files.insert(file.to_owned(), text);
            }
            let everything = Questions { v1: true, openshift: ours().openshift, ..Questions::default() };
            let found = ask(&files, &everything);
            // This reads the text at each location, so it fails if a location does not exist.
            let spelt = spell(&files, &found);
            prop_assert_eq!(&spell(&files, &ask(&files, &everything)), &spelt);
        }
    }
}
