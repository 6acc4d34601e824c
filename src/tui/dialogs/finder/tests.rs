//! Tests that compare incremental searches with a complete search.

use std::sync::Arc;

use proptest::prelude::*;

use super::{FinderMatch, IndexSearch, SearchIndex, Word};
use crate::demo::demo;
use crate::tui::{
    Effect, LoadOutcome, Model, Msg, Settings, Source,
    parts::completions::Fuzzy,
    session::jobs::{console_fields::ConsoleFieldsRequest, load::LoadAnswer},
    update,
};
use olm_catalog::{Catalog, load};
use olm_check::review::Snapshot;

fn model_with_catalogs(catalogs: Vec<Catalog>) -> Model {
    let source = |n: usize| Source::Path(format!("{n}").into());
    let sources = (0..catalogs.len()).map(source).collect();
    let mut model = Model::new(sources, Settings::default(), (80, 24));
    let loaded = |(n, catalog)| LoadOutcome {
        source: source(n),
        result: Ok(Arc::new(Snapshot::new(catalog))),
        recoverable_edits: None,
    };
    let outcomes = catalogs.into_iter().enumerate().map(loaded).collect();
    let asked = Arc::clone(model.session.jobs.load_request().unwrap());
    update(&mut model, Msg::answer(asked, LoadAnswer::Done(outcomes)));
    model
}

/// Reads the fields that consoles show, as after opening the finder.
fn read_console_fields(model: &mut Model) {
    model.session.jobs.console_fields.start();
    let effects = update(model, Msg::Resize(80, 24));
    let request = effects.iter().find_map(Effect::question::<ConsoleFieldsRequest>).unwrap();
    let fields = Arc::new(request.read_fields());
    update(model, Msg::answer(request, fields));
}

/// Scores all items and sorts them completely.
fn search_exhaustively(model: &Model, typed: &str, most: usize) -> (Vec<FinderMatch>, usize) {
    let haystack = SearchIndex::new(&model.session);
    let score = |at| {
        let words: Vec<Word<'_>> = typed.split_whitespace().map(Word::from_typed).collect();
        let meant = haystack.drop_context_words(at, &words);
        if haystack.is_in_other_catalog(at, &words) || !haystack.may_match(at, &meant) {
            return None;
        }
        let (text, typed_words) = (haystack.search_text(at), || meant.iter().map(|word| word.typed));
        let score = Fuzzy::default().score(&text, typed_words())?;
        let matched = Fuzzy::default().matching_chars(&text, typed_words());
        let (score, distance) = match typed {
            "" => (score, 0),
            _ => (score - haystack.penalty(at), haystack.tie_breaker(at)),
        };
        let elsewhere =
            !typed.is_empty() && haystack.catalog_index(at) != model.session.catalogs.current_index();
        Some(((std::cmp::Reverse(score), distance, elsewhere), at, matched))
    };
    let mut all: Vec<_> = (0..haystack.len()).filter_map(score).collect();
    all.sort_by_key(|(rank, at, _)| (*rank, *at));
    let total = all.len();
    let found = all.into_iter().take(most).filter_map(|(_, at, matched)| haystack.build_match(at, matched));
    (found.collect(), total)
}

fn typed_texts() -> impl Strategy<Value = Vec<String>> {
    let letters = prop::sample::select(vec![
        "s", "h", "ip", "1", ".", " ", "V", "x", "operator", "é", "0.2", "amd", "bundle", "package", "0 ",
        "1 ",
    ]);
    let step = prop_oneof![4 => letters.prop_map(Some), 1 => Just(None)];
    prop::collection::vec(step, 1..12).prop_map(|steps| {
        let mut typed = String::new();
        let mut all = Vec::new();
        for step in steps {
            match step {
                Some(letters) => typed.push_str(letters),
                None => drop(typed.pop()),
            }
            all.push(typed.clone());
        }
        all
    })
}

#[test]
fn incremental_search_equals_complete_search() {
    let mut model = model_with_catalogs(vec![demo(), demo()]);
    read_console_fields(&mut model);
    let config = ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() };
    proptest!(config, |(typed in typed_texts(), most in 1..40_usize)| {
        let mut search = IndexSearch::default();
        for typed in typed {
            prop_assert_eq!(search.find_matches(&model.session, &typed, most), search_exhaustively(&model, &typed, most), "{:?}", typed);
        }
    });
}

#[test]
fn text_that_becomes_shorter_scores_nothing_again() {
    let model = model_with_catalogs(vec![demo()]);
    let mut search = IndexSearch::default();
    let mut count = |typed: &str| {
        search.find_matches(&model.session, typed, 9);
        search.scored
    };
    let all = count("");
    assert!(all > 100, "{all}");
    let scored: Vec<usize> = ["s", "sl", "slo", "sl", "s", ""].map(&mut count).to_vec();
    assert_eq!(scored[0], all);
    assert!(scored[2] < all, "a longer text scores the matches of the shorter one");
    assert_eq!(scored[3..], [0, 0, 0]);
    assert!(count("t") == all, "another text scores everything");
}

#[test]
fn words_can_name_the_kind_and_the_catalog() {
    let model = model_with_catalogs(vec![demo(), demo()]);
    let mut search = IndexSearch::default();
    let mut find = |typed: &str| search.find_matches(&model.session, typed, 50).0;
    let all = find("slo");
    assert!(all.iter().any(|found| found.kind != "bundle"), "{all:?}");
    let bundles = find("bundle slo 1");
    assert!(!bundles.is_empty() && bundles.iter().all(|found| found.kind == "bundle"), "{bundles:?}");
    let packages = find("package 1 slo");
    let is_found = |found: &FinderMatch| (found.kind, found.location.catalog) == ("package", 1);
    assert!(!packages.is_empty() && packages.iter().all(is_found), "{packages:?}");
}

#[test]
fn search_uses_current_catalogs() {
    let text = |name: &str| load::from_bytes(format!("schema: olm.package\nname: {name}\n").into_bytes());
    let mut search = IndexSearch::default();
    let names = |(found, _): (Vec<FinderMatch>, usize)| {
        let packages = found.into_iter().filter(|it| it.kind == "package");
        packages.map(|it| it.text).collect::<Vec<_>>()
    };
    assert_eq!(
        names(search.find_matches(&model_with_catalogs(vec![text("sloop")]).session, "s", 9)),
        ["sloop"]
    );
    assert_eq!(
        names(search.find_matches(&model_with_catalogs(vec![text("ship")]).session, "sh", 9)),
        ["ship"]
    );
    assert_eq!(
        names(search.find_matches(&model_with_catalogs(vec![text("ship"), text("sloop")]).session, "s", 9)),
        ["ship", "sloop"]
    );
}

#[test]
fn finds_versions_missing_in_names_and_findings_by_rule() {
    let yaml = "schema: olm.package\nname: ship\n---\nschema: olm.bundle\npackage: ship\nname: ship.latest\n\
                image: example.com/ship@sha256:1\nproperties:\n- {type: olm.package, value: {packageName: ship, version: 4.7.1}}\n";
    let model = model_with_catalogs(vec![load::from_bytes(yaml.as_bytes().to_vec())]);
    let mut search = IndexSearch::default();
    let mut kinds = |typed: &str| {
        let (found, _) = search.find_matches(&model.session, typed, 9);
        found.into_iter().map(|it| (it.kind, it.text)).collect::<Vec<_>>()
    };
    assert_eq!(kinds("4.7.1"), [("version", "ship 4.7.1".to_owned())]);
    let channels = kinds("no-channels");
    assert_eq!(channels.first(), Some(&("finding", "no-channels ship".to_owned())), "{channels:?}");
    assert_eq!(kinds("ship").first(), Some(&("package", "ship".to_owned())));
}

#[test]
fn search_ignores_case_and_letters_within_digests() {
    let model = model_with_catalogs(vec![demo()]);
    let find = |typed: &str| IndexSearch::default().find_matches(&model.session, typed, 200);
    assert_eq!(find("Tidewater").1, find("tidewater").1);
    assert!(find("TIDEWATER").1 > 0);
    let (images, _) = find("sha256:");
    assert!(images.iter().any(|found| found.kind == "image"), "{images:?}");
    for typed in ["amd64", "s390x"] {
        let (found, _) = find(typed);
        let is_contained = |found: &FinderMatch| found.kind != "image" || found.text.contains(typed);
        assert!(found.iter().all(is_contained), "{typed}: {found:?}");
    }
}

/// Two operators. The second version of `kiln` changes the provider.
const CONSOLE_CATALOG: &str = "\
schema: olm.package
name: kiln
defaultChannel: stable
---
schema: olm.channel
package: kiln
name: stable
entries: [{name: kiln.v2.0.0, replaces: kiln.v1.0.0}, {name: kiln.v1.0.0}]
---
schema: olm.bundle
package: kiln
name: kiln.v1.0.0
image: example.com/kiln:1
properties:
- {type: olm.package, value: {packageName: kiln, version: 1.0.0}}
- type: olm.csv.metadata
  value:
    displayName: Kiln Operator
    provider: {name: Clay and Sons}
    keywords: [ceramics]
---
schema: olm.bundle
package: kiln
name: kiln.v2.0.0
image: example.com/kiln:2
properties:
- {type: olm.package, value: {packageName: kiln, version: 2.0.0}}
- type: olm.csv.metadata
  value:
    displayName: Kiln Operator
    provider: {name: Potters Guild}
    keywords: [ceramics, glaze]
    labels: {operatorframework.io/arch.s390x: supported}
    annotations:
      capabilities: Auto Pilot
      categories: Database, Storage
      features.operators.openshift.io/fips-compliant: 'true'
";

#[test]
fn finds_packages_and_bundles_by_what_consoles_show() {
    let mut model = model_with_catalogs(vec![load::from_bytes(CONSOLE_CATALOG.as_bytes().to_vec())]);
    let mut search = IndexSearch::default();
    let mut find = |model: &Model, typed: &str| {
        let (found, _) = search.find_matches(&model.session, typed, 20);
        let fields = found.into_iter().filter(|it| it.text.contains(": "));
        fields.map(|it| (it.kind, it.text, it.note)).collect::<Vec<_>>()
    };
    assert_eq!(find(&model, "potters"), [], "not read yet");
    read_console_fields(&mut model);
    let row = |kind, text: &str, note: &str| vec![(kind, text.to_owned(), note.to_owned())];
    for (typed, text) in [
        ("potters", "provider: Potters Guild"),
        ("provider guild", "provider: Potters Guild"),
        ("Kiln Oper", "name: Kiln Operator"),
        ("glaze", "keyword: glaze"),
        ("ceram", "keyword: ceramics"),
        ("storage", "category: Storage"),
        ("s390x", "arch: s390x"),
        ("fips", "feature: fips-compliant"),
        ("auto pilot", "capability: Auto Pilot"),
    ] {
        assert_eq!(find(&model, typed), row("package", text, "kiln"), "{typed}");
    }
    // Consoles no longer show it, so it leads to the bundle.
    assert_eq!(find(&model, "clay and"), row("bundle", "provider: Clay and Sons", "kiln.v1.0.0"));
    assert_eq!(find(&model, ""), [], "fields are not listed without a text");
    assert_eq!(find(&model, "pttrs"), [], "fields contain the whole word");
}

#[test]
fn edit_reads_only_changed_packages_again() {
    let mut model = model_with_catalogs(vec![demo()]);
    read_console_fields(&mut model);
    let values = |model: &Model, name: &str| {
        let package = model.session.snapshot().unwrap().package(name).unwrap().package();
        model.session.jobs.console_fields.index().unwrap().find_values(package).cloned()
    };
    let before = values(&model, "tidewater-operator").unwrap();
    assert!(!before.is_empty());
    let effects = update(&mut model, Msg::Resize(80, 24));
    assert!(
        effects.iter().all(|effect| effect.question::<ConsoleFieldsRequest>().is_none()),
        "nothing changed"
    );
    let again = ConsoleFieldsRequest::from_catalogs(
        &model.session.catalogs,
        model.session.jobs.console_fields.index().cloned().unwrap(),
    );
    let package = model.session.snapshot().unwrap().package("tidewater-operator").unwrap().package();
    assert!(Arc::ptr_eq(again.read_fields().find_values(package).unwrap(), &before));
}
