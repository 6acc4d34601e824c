//! Tests of the choice between catalogs, and of the parts that a cluster does not serve.

use std::sync::Arc;

use proptest::prelude::*;

use super::{
    CatalogProperties, ClusterAnswer, ClusterCatalogs, ClusterHop, ClusterMember, ClusterNote,
    ClusterPathOutcome, ClusterQuery, ClusterResolver, InstalledMetadata, LabelSelector, MemberContent,
    SelectorExpression, ServingState,
};
use crate::{
    fixture::{any_channel_lines, catalog_from_channels, graph_from_catalog},
    fresh_install::FreshInstalls,
    table::{NextUpgrade, UpgradeTable},
    v1::{Policy, Query},
};
use olm_catalog::{Catalog, load};

fn member(name: &str, priority: i32, catalog: Catalog) -> ClusterMember {
    let properties = CatalogProperties { priority, ..CatalogProperties::from_name(name) };
    ClusterMember { properties: Arc::new(properties), content: Some(MemberContent::from_catalog(catalog)) }
}

/// Creates a cluster from names, priorities and the lines of a channel, each with the package `p`.
fn cluster(catalogs: &[(&str, i32, &str)]) -> ClusterCatalogs {
    let members = catalogs
        .iter()
        .map(|(name, priority, lines)| member(name, *priority, catalog_from_channels(&[("c", lines)])));
    ClusterCatalogs::from_members(members.collect()).unwrap()
}

fn resolve(catalogs: &ClusterCatalogs, query: &ClusterQuery, installed: Option<&str>) -> ClusterAnswer {
    let installed = installed.map(|version| InstalledMetadata {
        name: format!("p.v{version}").as_str().into(),
        version: version.to_owned(),
    });
    ClusterResolver::from_query(&catalogs.find_package(&"p".into()), query).resolve(installed.as_ref())
}

/// Returns `VERSION from CATALOG`, the kind of the error with its catalogs, or both.
fn describe(answer: &ClusterAnswer) -> String {
    let pick = answer
        .pick
        .as_ref()
        .map(|pick| format!("{} from {}", pick.version_text().unwrap_or_default(), pick.catalog.name));
    let error = answer.error.as_ref().map(|error| {
        format!("{} {}", error.kind(), error.catalogs().unwrap_or_default().join(",")).trim().to_owned()
    });
    pick.into_iter().chain(error).collect::<Vec<_>>().join(", ")
}

fn describe_upgrade(catalogs: &[(&str, i32, &str)], query: &ClusterQuery, installed: Option<&str>) -> String {
    describe(&resolve(&cluster(catalogs), query, installed))
}

fn versions(version: &str) -> ClusterQuery {
    ClusterQuery { query: Query { version: version.to_owned(), ..Query::default() }, ..Default::default() }
}

fn self_certified() -> ClusterQuery {
    let query = Query { policy: Policy::SelfCertified, ..Query::default() };
    ClusterQuery { query, ..Default::default() }
}

fn all() -> ClusterQuery {
    ClusterQuery::default()
}

const TWO: &str = "1.1.0 replaces=1.0.0\n1.0.0";

#[test]
fn equal_catalogs_are_ambiguous_also_at_the_head() {
    let same = [("a", 0, TWO), ("b", 0, TWO)];
    for installed in [None, Some("1.0.0"), Some("1.1.0")] {
        assert_eq!(describe_upgrade(&same, &all(), installed), "ambiguous a,b");
    }
    let notes = resolve(&cluster(&same), &all(), Some("1.1.0")).find_notes();
    assert!(matches!(notes.as_slice(), [ClusterNote::SecondCatalogStops { .. }]), "{notes:?}");
}

#[test]
fn catalog_with_only_the_installed_version_takes_part() {
    let one = "1.0.0";
    assert_eq!(describe_upgrade(&[("a", 0, TWO), ("b", 0, one)], &all(), Some("1.0.0")), "ambiguous a,b");
    let higher = [("a", 0, TWO), ("b", 5, one)];
    let stays = resolve(&cluster(&higher), &all(), Some("1.0.0"));
    assert_eq!(describe(&stays), "1.0.0 from b");
    let notes = stays.find_notes();
    assert!(
        matches!(notes.as_slice(), [ClusterNote::HigherPriorityStops { version, .. }] if version == "1.1.0"),
        "{notes:?}"
    );
    assert_eq!(describe_upgrade(&higher, &versions(">=1.1.0"), Some("1.0.0")), "1.1.0 from a");
}

#[test]
fn versions_of_catalogs_are_not_compared() {
    let lower = [("a", 0, "2.0.0"), ("b", 5, "1.0.0")];
    assert_eq!(describe_upgrade(&lower, &all(), None), "1.0.0 from b");
    let down = resolve(&cluster(&lower), &self_certified(), Some("2.0.0"));
    assert_eq!(describe(&down), "1.0.0 from b");
    assert!(matches!(down.find_notes().as_slice(), [ClusterNote::Downgrade { .. }]));
    let three = [("a", 5, "1.0.0"), ("b", 5, "2.0.0"), ("c", 0, "3.0.0")];
    assert_eq!(describe_upgrade(&three, &all(), None), "ambiguous a,b,c");
}

#[test]
fn deprecated_bundles_are_dropped_before_priorities() {
    let deprecated = "1.1.0 deprecated";
    assert_eq!(describe_upgrade(&[("a", 0, TWO), ("b", 5, deprecated)], &all(), None), "1.1.0 from a");
    let both = [("a", 0, deprecated), ("b", 5, deprecated)];
    assert_eq!(describe_upgrade(&both, &all(), None), "1.1.0 from b");
}

#[test]
fn pick_with_dependencies_is_refused_and_nothing_else_is_tried() {
    let catalogs = [("a", 0, "1.0.0"), ("b", 5, "1.1.0 replaces=1.0.0 requires=q\n1.0.0")];
    for installed in [None, Some("1.0.0"), Some("1.1.0")] {
        assert_eq!(describe_upgrade(&catalogs, &all(), installed), "1.1.0 from b, dependencies");
    }
}

#[test]
fn one_broken_catalog_stops_everything_that_selects_it() {
    let broken = load::from_bytes(b"schema: olm.package\nname: p\n---\n- list\n".to_vec());
    let members = vec![member("a", 5, catalog_from_channels(&[("c", TWO)])), member("b", 0, broken)];
    let catalogs = ClusterCatalogs::from_members(members).unwrap();
    assert_eq!(describe(&resolve(&catalogs, &all(), None)), "unreadable-catalog b");
    let expression = SelectorExpression {
        key: super::NAME_LABEL.into(),
        operator: "NotIn".into(),
        values: vec!["b".into()],
    };
    let selector = LabelSelector { match_expressions: vec![expression], ..LabelSelector::default() };
    let others = ClusterQuery { selector, ..all() };
    assert_eq!(describe(&resolve(&catalogs, &others, None)), "1.1.0 from a");
}

#[test]
fn selector_and_constraint_fail_before_catalogs_are_read() {
    let broken = load::from_bytes(b"- list\n".to_vec());
    let catalogs = ClusterCatalogs::from_members(vec![member("a", 0, broken)]).unwrap();
    let selector = LabelSelector { match_labels: [("a b".into(), "c".into())].into(), ..Default::default() };
    let both = ClusterQuery { selector, ..versions("what") };
    assert_eq!(describe(&resolve(&catalogs, &both, None)), "invalid-selector");
    let answer = resolve(&catalogs, &versions("what"), None);
    assert_eq!((describe(&answer).as_str(), answer.considered.len()), ("invalid-version", 0));
}

#[test]
fn installed_bundle_stays_if_no_catalog_matches() {
    let query = |version: &str, catalog: &str| ClusterQuery {
        selector: LabelSelector::for_catalog(catalog),
        ..versions(version)
    };
    let catalogs = cluster(&[("a", 0, TWO)]);
    for (version, catalog, stays) in
        [("", "x", true), ("1.0.0", "x", true), (">=1.0.0", "x", false), ("", "a", false)]
    {
        let installed = InstalledMetadata { name: "p.v9.0.0".into(), version: "1.0.0".into() };
        let package = catalogs.find_package(&"p".into());
        let resolver = ClusterResolver::from_query(&package, &query(version, catalog));
        let answer = resolver.resolve(Some(&installed));
        let is_fine = answer.error.is_none();
        assert!(answer.stays == stays && is_fine == (catalog == "a"), "{version} {catalog}: {answer:?}");
    }
    let mut members = catalogs.members().to_vec();
    let unavailable = CatalogProperties { is_available: false, ..CatalogProperties::from_name("a") };
    members[0].properties = Arc::new(unavailable);
    let catalogs = ClusterCatalogs::from_members(members).unwrap();
    let answer = resolve(&catalogs, &all(), Some("1.0.0"));
    assert_eq!((describe(&answer).as_str(), answer.stays), ("not-found", false), "it is selected");
}

#[test]
fn unreadable_installed_version_matters_only_for_edges() {
    let catalogs = cluster(&[("a", 0, TWO)]);
    let installed = InstalledMetadata { name: "p.v1.0.0".into(), version: "one".into() };
    let ask = |package: &str, query: &ClusterQuery| {
        let resolver = ClusterResolver::from_query(&catalogs.find_package(&package.into()), query);
        describe(&resolver.resolve(Some(&installed)))
    };
    assert_eq!(ask("p", &all()), "invalid-installed");
    assert_eq!(ask("p", &self_certified()), "1.1.0 from a");
    assert_eq!(ask("absent", &all()), "not-found", "no catalog compares versions");
}

#[test]
fn bundle_without_version_can_win_but_not_be_installed() {
    let bare = "{schema: olm.package, name: p}\n---\n{schema: olm.bundle, package: p, name: p.odd}\n";
    let bare = || load::from_bytes(bare.into());
    let alone = ClusterCatalogs::from_members(vec![member("a", 0, bare())]).unwrap();
    assert_eq!(describe(&resolve(&alone, &all(), None)), "invalid-bundle");
    assert_eq!(describe(&resolve(&alone, &versions(">0"), None)), "not-found");
    let other = member("b", 0, catalog_from_channels(&[("c", TWO)]));
    let both = ClusterCatalogs::from_members(vec![member("a", 0, bare()), other]).unwrap();
    assert_eq!(describe(&resolve(&both, &all(), None)), "ambiguous a,b");
}

#[test]
fn unknown_content_is_not_guessed() {
    let mut members = cluster(&[("a", 0, TWO), ("b", -1, TWO)]).members().to_vec();
    members[1].content = None;
    let catalogs = ClusterCatalogs::from_members(members).unwrap();
    assert_eq!(describe(&resolve(&catalogs, &all(), None)), "catalog-not-given b");
}

#[test]
fn equal_names_are_refused() {
    let empty = || load::from_bytes(Vec::new());
    let members = vec![member("a", 0, empty()), member("a", 1, empty())];
    assert!(ClusterCatalogs::from_members(members).is_err());
}

/// Returns the names of the packages among `p` and `q` that a cluster does not serve.
fn failing_packages(yaml: &str) -> String {
    let state = ServingState::from_catalog(&load::from_bytes(yaml.into()));
    ["p", "q"].into_iter().filter(|name| state.failure(name).is_some()).collect()
}

#[test]
fn parts_that_cannot_be_decoded_are_not_served() {
    let cases = [
        // The whole catalog.
        ("- list", "pq"),
        ("{schema: olm.bundle, package: p, name: 5}", "pq"),
        ("{schema: olm.bundle, package: p, name: null}", "pq"),
        ("{schema: olm.bundle, package: p, name: a, Image: x, image: y}", "pq"),
        ("schema: [", "pq"),
        // One package.
        ("{schema: olm.channel, package: p, name: c, entries: none}", "p"),
        ("{schema: olm.bundle, package: p, name: a, image: 5}", "p"),
        ("{schema: olm.package, name: p, icon: {base64data: '%%', mediatype: image/png}}", "p"),
        ("{package: p, name: a}", "p"),
        ("{schema: '', package: p, name: a}", "p"),
        (
            "{schema: olm.bundle, package: p, name: a, properties: [{type: olm.bundle.object, value: {data: '%%'}}]}",
            "p",
        ),
        // Served.
        ("{name: a}", ""),
        ("# comment", ""),
        ("null", ""),
        ("{schema: olm.bundle, package: p, name: a, properties: [{type: olm.gvk}]}", ""),
        ("{schema: olm.bundle, package: p, name: a, properties: [{type: olm.gvk, value: 5}]}", ""),
        ("{schema: custom, package: p, name: a, image: 5}", ""),
        (
            "{schema: olm.bundle, package: p, name: a, image: 5}\n---\n{schema: olm.bundle, package: p, name: a}",
            "",
        ),
    ];
    for (text, failing) in cases {
        let yaml = format!("{{schema: olm.package, name: q}}\n---\n{text}\n");
        assert_eq!(failing_packages(&yaml), failing, "{text}");
    }
}

fn any_cluster_query() -> impl Strategy<Value = ClusterQuery> {
    let version = prop_oneof![3 => Just(""), 1 => Just("<2.0.0"), 1 => Just(">=1.1.0")];
    let policy = prop_oneof![4 => Just(Policy::CatalogProvided), 1 => Just(Policy::SelfCertified)];
    (version, policy).prop_map(|(version, policy)| ClusterQuery {
        query: Query { channels: Vec::new(), version: version.to_owned(), policy },
        selector: LabelSelector::default(),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn one_catalog_answers_like_its_own_resolver(lines in any_channel_lines(), query in any_cluster_query()) {
        let catalog = catalog_from_channels(&[("c", &lines)]);
        let graph = graph_from_catalog(&catalog);
        let catalogs = ClusterCatalogs::from_members(vec![member("a", 0, catalog)]).unwrap();
        for version in [None, Some("1.0.0"), Some("1.1.0"), Some("99.0.0")] {
            let answer = resolve(&catalogs, &query, version);
            let installed = answer.installed.as_ref().map(InstalledMetadata::to_installed);
            let alone = graph.resolve_v1(&query.query, installed.as_ref());
            let pick = answer.pick.as_ref().map(|pick| pick.bundle_name().clone());
            prop_assert_eq!(pick, alone.pick, "{:?}", version);
        }
    }

    #[test]
    fn order_and_other_packages_do_not_matter(a in any_channel_lines(), b in any_channel_lines(), priority in -1..2) {
        let member_a = || member("a", 0, catalog_from_channels(&[("c", &a)]));
        let member_b = || member("b", priority, catalog_from_channels(&[("c", &b)]));
        let other = load::from_bytes(b"{schema: olm.package, name: q}\n".to_vec());
        let one = ClusterCatalogs::from_members(vec![member_a(), member_b()]).unwrap();
        let two = ClusterCatalogs::from_members(vec![member("c", 9, other), member_b(), member_a()]).unwrap();
        for version in [None, Some("1.0.0"), Some("2.0.0")] {
            let (first, second) = (resolve(&one, &all(), version), resolve(&two, &all(), version));
            prop_assert_eq!(describe(&first), describe(&second));
        }
    }
}

/// Returns `INSTALLED: NEXT (CATALOG), ends at END` for each row, with the graph of the first catalog.
fn describe_table(catalogs: &[(&str, i32, &str)], query: &ClusterQuery) -> Vec<String> {
    let graph = graph_from_catalog(&catalog_from_channels(&[("c", catalogs[0].2)]));
    let resolver = ClusterResolver::from_query(&cluster(catalogs).find_package(&"p".into()), query);
    let table = UpgradeTable::new(&graph, &"c".into(), &query.query).with_cluster(&graph, &resolver);
    let rows = table.rows.iter().map(|row| {
        let catalog = row.v1_catalog.as_ref().map_or("", |catalog| &catalog.name);
        let end = format!("{} +{}", row.v1_end.name, row.v1_end.hops);
        format!("{}: {} ({catalog}), ends at {end}", row.installed.name, row.v1)
    });
    rows.collect()
}

#[test]
fn table_follows_paths_through_all_catalogs() {
    let three = "1.2.0 replaces=1.1.0";
    assert_eq!(
        describe_table(&[("a", 0, TWO), ("b", 5, three)], &all()),
        ["p.v1.1.0: p.v1.2.0 (b), ends at p.v1.2.0 +1", "p.v1.0.0: p.v1.1.0 (a), ends at p.v1.2.0 +2"]
    );
    // The path goes through a bundle that only the other catalog has.
    let four = "1.3.0 replaces=1.2.0\n1.2.0 replaces=1.1.0";
    assert_eq!(
        describe_table(&[("a", 0, "1.1.0"), ("b", 5, four)], &all()),
        ["p.v1.1.0: p.v1.2.0 (b), ends at p.v1.3.0 +2"]
    );
}

#[test]
fn table_says_which_rows_are_ambiguous() {
    let graph = graph_from_catalog(&catalog_from_channels(&[("c", TWO)]));
    let same = cluster(&[("a", 0, TWO), ("b", 0, "1.0.0")]);
    let resolver = ClusterResolver::from_query(&same.find_package(&"p".into()), &all());
    let single = UpgradeTable::new(&graph, &"c".into(), &Query::default());
    let table = single.with_cluster(&graph, &resolver);
    let errors: Vec<String> = table
        .rows
        .iter()
        .map(|row| match &row.v1 {
            NextUpgrade::Error(error) => error.brief(),
            next => next.to_string(),
        })
        .collect();
    assert_eq!(errors, ["stays", "ambiguous"]);
    let fresh = FreshInstalls::new(&graph, &"c".into(), None, &Query::default()).with_cluster(&resolver);
    assert_eq!(fresh.v1.unwrap_err().brief(), "ambiguous");
}

#[test]
fn table_of_one_catalog_equals_that_without_cluster() {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(lines in any_channel_lines(), version in prop::sample::select(vec!["", ">=1.0.0", "<2"]))| {
        let catalog = catalog_from_channels(&[("c", &lines)]);
        let graph = graph_from_catalog(&catalog);
        let query = versions(version);
        let catalogs = ClusterCatalogs::from_members(vec![member("a", 0, catalog)]).unwrap();
        let resolver = ClusterResolver::from_query(&catalogs.find_package(&"p".into()), &query);
        let single = UpgradeTable::new(&graph, &"c".into(), &query.query);
        let over = single.with_cluster(&graph, &resolver);
        for (one, other) in single.rows.iter().zip(&over.rows) {
            let is_error = |next: &NextUpgrade| matches!(next, NextUpgrade::Error(_));
            prop_assert!(one.v1 == other.v1 || is_error(&one.v1) && is_error(&other.v1), "{one:?} {other:?}");
            prop_assert_eq!(&one.v1_end, &other.v1_end);
            prop_assert_eq!((one.refused, one.lands_on_deprecated), (other.refused, other.lands_on_deprecated));
        }
        let fresh = FreshInstalls::new(&graph, &"c".into(), None, &query.query);
        let over = fresh.clone().with_cluster(&resolver);
        prop_assert!(fresh.v1 == over.v1 || fresh.v1.is_err() && over.v1.is_err(), "{fresh:?} {over:?}");
    });
}

/// Describes a path: each stop with its catalog, then the end.
fn describe_path(catalogs: &[(&str, i32, &str)], query: &ClusterQuery, from: &str, to: &str) -> String {
    let bundle = |version: &str| InstalledMetadata {
        name: format!("p.v{version}").as_str().into(),
        version: version.to_owned(),
    };
    let package = cluster(catalogs).find_package(&"p".into());
    let path = ClusterResolver::from_query(&package, query).follow_path(&bundle(from), &bundle(to));
    let stop = |hop: &ClusterHop| {
        let change = if hop.earlier_catalog.is_some() { " (changes)" } else { "" };
        format!("{} from {}{change}", hop.pick.version_text().unwrap(), hop.pick.catalog.name)
    };
    let end = match &path.outcome {
        ClusterPathOutcome::Arrives => "arrives".to_owned(),
        ClusterPathOutcome::PassesBy => "passes".to_owned(),
        ClusterPathOutcome::Stays(answer) => format!("stays, {}", describe(answer)),
        ClusterPathOutcome::Cycle(at) => format!("back to {}", at.version),
        ClusterPathOutcome::Error(answer) => describe(answer),
    };
    path.hops.iter().map(stop).chain([end]).collect::<Vec<_>>().join(", ")
}

#[test]
fn path_asks_all_catalogs_at_each_step() {
    let old = "1.1.0 replaces=1.0.0\n1.0.0";
    let new = "1.2.0 replaces=1.1.0\n1.1.0";
    let both = [("a", 0, old), ("b", 5, new)];
    assert_eq!(
        describe_path(&both, &all(), "1.0.0", "1.2.0"),
        "1.1.0 from a, 1.2.0 from b (changes), arrives"
    );
    assert_eq!(describe_path(&both, &all(), "1.2.0", "1.2.0"), "arrives");
    let equal = [("a", 0, old), ("b", 0, new)];
    assert_eq!(describe_path(&equal, &all(), "1.0.0", "1.2.0"), "1.1.0 from a, ambiguous a,b");
    let only = ClusterQuery { selector: LabelSelector::for_catalog("a"), ..Default::default() };
    assert_eq!(describe_path(&equal, &only, "1.0.0", "1.2.0"), "1.1.0 from a, stays, 1.1.0 from a");
    let silent = [("a", 0, new), ("b", 5, "1.1.0")];
    assert_eq!(describe_path(&silent, &all(), "1.1.0", "1.2.0"), "stays, 1.1.0 from b");
    let jump = [("a", 0, "1.2.0 skips=1.1.0,1.0.0\n1.0.0")];
    assert_eq!(describe_path(&jump, &all(), "1.0.0", "1.1.0"), "1.2.0 from a, passes");
    let refused = [("a", 0, "1.1.0 replaces=1.0.0 requires=other\n1.0.0")];
    assert_eq!(describe_path(&refused, &all(), "1.0.0", "1.1.0"), "1.1.0 from a, dependencies");
}
