//! Tests of each rule about bundles with changes of a small bundle (see `bundles.txt`), and of
//! verdicts as findings.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    path::Path,
};

use serde_yaml::Value;

use super::{assert_distinct_keys, changes, repository_path};
use crate::{
    Finding, FindingLocation, Severity,
    bundles::{self, BundleChecks, LoadedBundle},
    rule::RuleSubject,
    rules,
};
use olm_bundle::{
    Tree, TreeFile,
    suites::{self, Suite},
    v1,
};
use olm_upgrade::openshift::OpenShift;

pub(super) const CSV: &str = "manifests/kiln.clusterserviceversion.yaml";
pub(super) const CRD: &str = "manifests/kilns.crd.yaml";
pub(super) const ANNOTATIONS: &str = "metadata/annotations.yaml";

pub(super) type Files = BTreeMap<String, String>;

fn read_test_file(path: &str) -> String {
    std::fs::read_to_string(repository_path("crates/olm-check/src/tests").join(path)).unwrap()
}

pub(super) fn base_files() -> Files {
    let paths = ["bundle.Dockerfile", "manifests/kiln-config.yaml", CSV, CRD, ANNOTATIONS];
    paths.into_iter().map(|path| (path.to_owned(), read_test_file(&format!("bundle/{path}")))).collect()
}

fn files_to_tree(files: &Files) -> Tree {
    let file =
        |(path, text): (&String, &String)| TreeFile { path: path.clone(), content: Ok(text.as_str().into()) };
    Tree::new(files.iter().map(file).collect(), vec!["manifests".to_owned(), "metadata".to_owned()])
}

pub(super) fn check_files(files: &Files, questions: &BundleChecks) -> Vec<Finding> {
    let tree = files_to_tree(files);
    bundles::check_bundle(
        &LoadedBundle {
            tree: &tree,
            display_path: Path::new("kiln"),
            name: Some("kiln"),
            dockerfile: None,
            labels: None,
        },
        questions,
    )
}

fn own_rule_checks() -> BundleChecks {
    let openshift = ["4.18", "4.19"].iter().map(|version| OpenShift::parse(version).unwrap()).collect();
    BundleChecks { own_rules: true, openshift, ..BundleChecks::none() }
}

struct Case {
    title: String,
    files: Files,
    expected: String,
}

fn parse_case(case: changes::Case) -> Case {
    let mut files = base_files();
    for change in &case.changes {
        let text = files.entry(change.file.clone().unwrap_or_else(|| CSV.to_owned())).or_default();
        let before = text.clone();
        change.make(text, &before, &case.title);
    }
    Case { title: case.title, files, expected: case.expected }
}

fn load_cases() -> Vec<Case> {
    changes::cases(&read_test_file("bundles.txt")).into_iter().map(parse_case).collect()
}

/// Returns the file and the first line at a location.
fn first_line_at(files: &Files, at: &FindingLocation) -> String {
    let inside = |path: &Path| path.strip_prefix("kiln").unwrap().display().to_string();
    match at {
        FindingLocation::File(path) => format!("{} | ", inside(path)),
        FindingLocation::InBundle(spot) => {
            let file = inside(&spot.path);
            let text = &files[&file][spot.span.range()];
            let line = text.lines().next().unwrap_or_default();
            // The excerpt for display must match the file.
            let kept = &spot.source[spot.marked_range().start..];
            assert!(kept.starts_with(&line.as_bytes()[..line.len().min(kept.len())]), "{line}");
            format!("{file} | {line}")
        }
        FindingLocation::Document(..) => panic!("{at:?}"),
    }
}

fn format_findings(files: &Files, findings: &[Finding]) -> String {
    let mut out = String::new();
    for finding in findings {
        let place = first_line_at(files, finding.at.as_ref().unwrap());
        let _ = writeln!(out, "> {} | {place} | {}", finding.rule.id, finding.message);
        for related in &finding.related {
            let _ = writeln!(out, "~ {} | {}", related.message, first_line_at(files, &related.at));
        }
    }
    out
}

#[test]
fn base_bundle_has_no_findings() {
    assert_eq!(format_findings(&base_files(), &check_files(&base_files(), &own_rule_checks())), "");
    let everything = BundleChecks { v1: true, ..BundleChecks::default() };
    assert_eq!(format_findings(&base_files(), &check_files(&base_files(), &everything)), "");
}

#[test]
fn every_case_has_exactly_its_findings() {
    let mut wrong = String::new();
    for case in load_cases() {
        let found = format_findings(&case.files, &check_files(&case.files, &own_rule_checks()));
        if found != case.expected {
            let _ = writeln!(wrong, "### {}\n{found}", case.title);
        }
    }
    assert!(wrong.is_empty(), "found instead:\n{wrong}");
}

#[test]
fn every_rule_has_a_case_that_breaks_it() {
    let mut broken = BTreeSet::new();
    for case in load_cases() {
        let (id, _) = case.title.split_once(": ").unwrap();
        assert!(rules::by_id(id).is_some(), "no such rule: {id}");
        broken.extend(check_files(&case.files, &own_rule_checks()).iter().map(|finding| finding.rule.id));
    }
    let all = rules::ALL.iter().filter(|rule| rule.subject() == RuleSubject::Bundle);
    let all: BTreeSet<&str> = all.map(|rule| rule.id).collect();
    let shared: Vec<&str> = broken.difference(&all).copied().collect();
    assert_eq!(shared, ["empty-related-image", "max-openshift-version"], "rules about catalogs");
    assert!(broken.is_superset(&all), "{:?}", all.difference(&broken));
}

#[test]
fn fix_changes_only_its_splices() {
    let mut count = 0;
    for case in load_cases() {
        let found = check_files(&case.files, &own_rule_checks());
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
            let left = check_files(&files, &own_rule_checks());
            assert!(left.iter().all(|now| now.rule.id != finding.rule.id), "{}: {left:?}", case.title);
            count += 1;
        }
    }
    assert!(count >= 3);
}

/// Merges two YAML values: maps are merged by key, other values are replaced.
fn merge_yaml(below: &mut Value, above: Value) {
    match (below, above) {
        (Value::Mapping(below), Value::Mapping(above)) => {
            for (key, value) in above {
                match below.get_mut(&key) {
                    Some(below) => merge_yaml(below, value),
                    None => drop(below.insert(key, value)),
                }
            }
        }
        (below, above) => *below = above,
    }
}

/// Returns the base bundle with the file of an example. The first line names the file; an
/// existing file is merged.
fn base_with_example(example: &str) -> Files {
    let (head, text) = example.split_once('\n').unwrap();
    let path = head.strip_prefix("# ").unwrap().to_owned();
    let mut files = base_files();
    let is_map = [CSV, CRD, ANNOTATIONS].contains(&path.as_str());
    let text = match files.get(&path).filter(|_| is_map) {
        Some(below) => {
            let mut below: Value = serde_yaml::from_str(below).unwrap();
            merge_yaml(&mut below, serde_yaml::from_str(text).unwrap());
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
    for rule in rules::ALL.iter().filter(|rule| rule.subject() == RuleSubject::Bundle) {
        let example = rule.story().example.unwrap();
        let ids = |text| -> Vec<&str> {
            check_files(&base_with_example(text), &own_rule_checks())
                .iter()
                .map(|finding| finding.rule.id)
                .collect()
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
    let mut files = base_files();
    files.insert(CSV.to_owned(), "kind: ClusterServiceVersion\nspec: {icon: [{}, {}]}\n".to_owned());
    files.insert(
        "manifests/pod.yaml".to_owned(),
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n".to_owned(),
    );
    let tree = files_to_tree(&files);
    let everything =
        BundleChecks { suites: Suite::ALL.to_vec(), classic: true, v1: true, ..BundleChecks::none() };
    let found = check_files(&files, &everything);
    let verdicts = suites::run_suites(&tree, &Suite::ALL, &suites::Settings::default()).len()
        + v1::check_tree(&tree).len();
    assert_eq!(found.len(), verdicts);
    for finding in &found {
        let said = finding.verdict.as_ref().unwrap();
        assert_eq!(finding.rule.subject(), RuleSubject::Verdict(said.program, said.validator));
        assert!(finding.at.is_some(), "{finding:?}");
    }
    assert!(found.iter().any(|finding| finding.severity() == Severity::Warning));
    assert!(found.iter().any(|finding| finding.rule.id == "v1-object-kind"));
}

#[test]
fn same_message_of_two_suites_is_reported_once() {
    let mut files = base_files();
    let crd = files[CRD].replace("scope: Namespaced", "scope: Global");
    files.insert(CRD.to_owned(), crd);
    let rules = |questions: &BundleChecks| -> Vec<&str> {
        check_files(&files, questions).iter().map(|finding| finding.rule.id).collect()
    };
    assert_eq!(rules(&BundleChecks::default()), ["suite-crd"]);
    let both = BundleChecks { suites: vec![Suite::Content, Suite::Crd], ..BundleChecks::none() };
    assert_eq!(rules(&both), ["suite-content", "suite-crd"], "each suite that is asked for answers");
}

#[test]
fn missing_crd_is_reported_once() {
    let mut files = base_files();
    files.remove(CRD);
    let ids = |questions: &BundleChecks, files: &Files| -> Vec<&str> {
        check_files(files, questions).iter().map(|finding| finding.rule.id).collect()
    };
    assert_eq!(ids(&BundleChecks::default(), &files), ["suite-bundle"]);
    let both = BundleChecks { suites: vec![Suite::Content, Suite::Bundle], ..BundleChecks::none() };
    assert_eq!(ids(&both, &files), ["suite-bundle", "suite-content"], "each suite that is asked for answers");
    // A name without a dot is a single error.
    let csv = files[CSV].replace("name: kilns.clay.example.com", "name: kilns");
    files.insert(CSV.to_owned(), csv);
    let found = check_files(&files, &BundleChecks::default());
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
        let mut files = base_files();
        let text = format!("# Copyright of the potters.\n---\n{}", files[file]);
        files.insert(file.to_owned(), text);
        let ids = |questions: &BundleChecks| -> Vec<&str> {
            check_files(&files, questions).iter().map(|finding| finding.rule.id).collect()
        };
        assert_eq!(ids(&BundleChecks::default()), ["lost-object"], "{file}");
        // The other programs do not know this rule.
        assert!(!ids(&BundleChecks::parity()).is_empty(), "{file}");
    }
    // Unrelated findings remain.
    let mut files = base_files();
    files.insert(CSV.to_owned(), format!("# Copyright of the potters.\n---\n{}", files[CSV]));
    let crd = files[CRD].replace("scope: Namespaced", "scope: Global");
    files.insert(CRD.to_owned(), crd);
    let ids: Vec<&str> =
        check_files(&files, &BundleChecks::default()).iter().map(|finding| finding.rule.id).collect();
    assert_eq!(ids, ["lost-object", "suite-content"]);
}

#[test]
fn classic_verdicts_can_be_selected_alone() {
    let mut files = base_files();
    let csv = files[CSV].replace(
        "spec:\n  displayName: Kiln\n",
        "spec:\n  displayName: Kiln\n  webhookdefinitions:\n  - {type: ConversionWebhook, generateName: a, deploymentName: \
         kiln, conversionCRDs: [kilns.clay.example.com]}\n",
    );
    let csv = csv.replacen("supported: false", "supported: true", 1);
    files.insert(CSV.to_owned(), csv);
    let ids = |questions: &BundleChecks| -> Vec<&str> {
        check_files(&files, questions).iter().map(|finding| finding.rule.id).collect()
    };
    let target = BundleChecks { classic: true, own_rules_for_classic: true, ..BundleChecks::none() };
    assert_eq!(ids(&target), ["conversion-webhook"]);
    assert_eq!(ids(&BundleChecks::default()), ["suite-csv"], "the same thing is told once");
}

#[test]
fn every_suite_has_a_rule() {
    for suite in Suite::ALL {
        assert!(rules::by_id(&format!("suite-{suite}")).is_some(), "{suite}");
    }
    for rule in rules::ALL {
        let RuleSubject::Verdict(by, validator) = rule.subject() else { continue };
        assert_eq!(rule.id, format!("{by}-{validator}"));
        assert!(rule.single_rule_command().is_some() && !rule.parity);
    }
}

#[test]
fn file_next_to_directory_keeps_its_path() {
    let dockerfile = TreeFile {
        path: "../bundle.Dockerfile".to_owned(),
        content: Ok("FROM scratch\nCOPY kiln/manifests /manifests/\n".into()),
    };
    let (tree, shown) = (files_to_tree(&base_files()), Path::new("work/kiln"));
    let directory = LoadedBundle {
        tree: &tree,
        display_path: shown,
        name: Some("kiln"),
        dockerfile: Some(&dockerfile),
        labels: None,
    };
    assert_eq!(directory.display_path_of("../bundle.Dockerfile"), Path::new("work/bundle.Dockerfile"));
    assert_eq!(directory.display_path_of("manifests/a.yaml"), Path::new("work/kiln/manifests/a.yaml"));
    assert_eq!(bundles::check_bundle(&directory, &own_rule_checks()), []);
    for (shown, expected) in [(".", "../bundle.Dockerfile"), ("..", "../../bundle.Dockerfile")] {
        let directory = LoadedBundle { display_path: Path::new(shown), ..directory };
        assert_eq!(directory.display_path_of("../bundle.Dockerfile"), Path::new(expected));
    }
}

#[test]
fn dockerfile_label_counts_if_annotation_is_missing() {
    let mut files = base_files();
    let annotations = files[ANNOTATIONS].replace("  com.redhat.openshift.versions: v4.18-v4.20\n", "");
    files.insert(ANNOTATIONS.to_owned(), annotations);
    let dockerfile = TreeFile {
        path: "../bundle.Dockerfile".to_owned(),
        content: Ok("COPY kiln/manifests /manifests/\nLABEL com.redhat.openshift.versions=4.12\n".into()),
    };
    let (tree, shown) = (files_to_tree(&files), Path::new("work/kiln"));
    let ids = |folder: &str| -> Vec<&str> {
        let directory = LoadedBundle {
            tree: &tree,
            display_path: shown,
            name: Some(folder),
            dockerfile: Some(&dockerfile),
            labels: None,
        };
        let found = bundles::check_bundle(&directory, &own_rule_checks());
        found.iter().map(|finding| finding.rule.id).collect()
    };
    assert_eq!(ids("kiln"), ["openshift-versions"]);
    assert!(ids("oven").is_empty(), "it is another's");
}

mod random {
    use proptest::prelude::*;

    use super::{ANNOTATIONS, CRD, CSV, base_files, check_files, format_findings, own_rule_checks};
    use crate::bundles::BundleChecks;

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

    fn arbitrary_change() -> impl Strategy<Value = Change> {
        let line = || 0..100_usize;
        prop_oneof![
            4 => line().prop_map(Change::Drop),
            4 => line().prop_map(Change::Double),
            8 => (line(), line()).prop_map(|(a, b)| Change::Value(a, b)),
            1 => (0..4000_usize).prop_map(Change::End),
        ]
    }

    fn apply_change(text: &str, change: &Change) -> String {
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
            changes in prop::collection::vec((0..4_usize, arbitrary_change()), 1..5),
        ) {
            let mut files = base_files();
            for (file, change) in &changes {
                let file = [CSV, CRD, ANNOTATIONS, "bundle.Dockerfile"][*file];
                let text = apply_change(&files[file], change);
                files.insert(file.to_owned(), text);
            }
            let everything = BundleChecks { v1: true, openshift: own_rule_checks().openshift, ..BundleChecks::default() };
            let found = check_files(&files, &everything);
            // This reads the text at each location, so it fails if a location does not exist.
            let spelt = format_findings(&files, &found);
            prop_assert_eq!(&format_findings(&files, &check_files(&files, &everything)), &spelt);
        }
    }
}

#[test]
fn findings_of_each_case_have_distinct_keys() {
    let catalog = olm_catalog::load::from_bytes(Vec::new());
    for case in load_cases() {
        for merges_duplicates in [true, false] {
            let checks = BundleChecks { v1: true, merges_duplicates, ..BundleChecks::default() };
            assert_distinct_keys(&catalog, &check_files(&case.files, &checks));
        }
    }
}
