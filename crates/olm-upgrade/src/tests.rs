//! Tests of the resolvers: each rule on a small channel, then a comparison with recorded answers of OLM.

use std::collections::HashMap;

use serde_json::Value;

use super::{
    Installed, PackageGraph,
    fixture::graph_from_lines,
    install_blockers::v1_pick_blockers,
    path::{UpgradeContext, follow_path},
    table::UpgradeTable,
    v1::{Policy, Query},
};
use olm_catalog::{BundleName, Catalog, load};
use olm_version::VersionRelease;

fn classic_pick(graph: &PackageGraph, version: &str) -> Option<String> {
    let installed = Installed::from_package(&graph.package, &BundleName::from(format!("p.v{version}")));
    graph.resolve_classic("c", Some(&installed)).pick.map(|p| p.to_string())
}

fn v1_pick(graph: &PackageGraph, version: &str, query: &Query) -> Result<String, String> {
    let installed = Installed::from_package(&graph.package, &BundleName::from(format!("p.v{version}")));
    pick_or_error(graph, &installed, query)
}

fn pick_or_error(graph: &PackageGraph, installed: &Installed, query: &Query) -> Result<String, String> {
    let answer = graph.resolve_v1(query, Some(installed));
    match answer.error {
        Some(error) => Err(error.to_string()),
        None => Ok(answer.pick.unwrap_or_default().to_string()),
    }
}

#[test]
fn classic_picks_candidate_closest_to_head() {
    let graph = graph_from_lines("3.0.0 replaces=2.0.0 range=<3.0.0\n2.0.0 replaces=1.0.0\n1.0.0");
    assert_eq!(classic_pick(&graph, "1.0.0").as_deref(), Some("p.v3.0.0"));
    assert_eq!(classic_pick(&graph, "3.0.0"), None, "the head stays");
}

#[test]
fn classic_ignores_edges_of_skipped_entry() {
    let graph = graph_from_lines("2.3.0 replaces=2.1.0 skips=2.2.0\n2.2.0 skips=1.9.0\n2.1.0\n1.9.0");
    // 1.9.0 is not on the chain, and only a skipped entry upgrades it.
    assert_eq!(classic_pick(&graph, "1.9.0"), None);
    assert_eq!(v1_pick(&graph, "1.9.0", &Query::default()).unwrap(), "p.v2.2.0");
    let table = UpgradeTable::new(&graph, &"c".into(), &Query::default());
    assert!(table.find_row(&"p.v1.9.0".into()).unwrap().dead_end);
    assert_eq!(table.summarize_channel().dead_ends, 1);
}

#[test]
fn answers_and_paths_are_sentences() {
    let graph = graph_from_lines("2.3.0 replaces=2.1.0 skips=2.2.0\n2.2.0 skips=1.9.0\n2.1.0\n1.9.0");
    let at = |version: &str| Installed::from_package(&graph.package, &format!("p.v{version}").into());
    let classic = |installed: Option<&Installed>| graph.resolve_classic("c", installed).to_string();
    assert_eq!(classic(Some(&at("2.1.0"))), "upgrades to p.v2.3.0: replaces p.v2.1.0 in c");
    assert_eq!(
        classic(Some(&at("1.9.0"))),
        "stays on p.v1.9.0: p.v2.2.0 would upgrade it, but p.v2.3.0 skips p.v2.2.0, so Classic ignores its edges"
    );
    assert_eq!(classic(None), "installs p.v2.3.0: it is the head of the channel");
    assert_eq!(graph.resolve_classic("d", None).to_string(), "error: no channel d in the package");
    let context = UpgradeContext::Classic("c".into());
    let path = |from: &str| follow_path(&graph, &context, &at(from), Some(&"p.v2.3.0".into())).to_string();
    assert_eq!(path("2.1.0"), "p.v2.1.0 -> p.v2.3.0");
    assert_eq!(
        path("1.9.0"),
        "p.v1.9.0. It stays on p.v1.9.0: p.v2.2.0 would upgrade it, but p.v2.3.0 skips p.v2.2.0, so \
         Classic ignores its edges."
    );
    let query = Query { channels: vec!["c".into(), "d".into()], version: ">=2".into(), ..Query::default() };
    assert_eq!(UpgradeContext::V1(query).to_string(), "v1, channels c, d, version >=2");
    let next: Vec<String> = UpgradeTable::new(&graph, &"c".into(), &Query::default())
        .rows
        .iter()
        .map(|row| format!("{}: {}", row.installed.name, row.classic))
        .collect();
    assert_eq!(next, ["p.v2.3.0: stays", "p.v2.2.0: p.v2.3.0", "p.v2.1.0: p.v2.3.0", "p.v1.9.0: stays"]);
}

#[test]
fn edges_lead_from_installed_entry_to_upgrade() {
    let graph = graph_from_lines("3.0.0 replaces=2.0.0 range=<2.0.0\n2.0.0 skips=1.0.0\n1.0.0");
    let channel = &graph.channel("c").unwrap().graph;
    let edges: Vec<String> =
        channel.edges().map(|(from, to, kind)| format!("{} {kind} {}", to.name, from.name)).collect();
    assert_eq!(
        edges,
        ["p.v3.0.0 replaces p.v2.0.0", "p.v2.0.0 skips p.v1.0.0", "p.v3.0.0 skipRange p.v1.0.0"]
    );
    assert_eq!(channel.head().unwrap().name, "p.v3.0.0");
    let skipped: Vec<&str> = channel.skipped_entries().map(|entry| entry.name.as_str()).collect();
    assert_eq!(skipped, ["p.v1.0.0"]);
}

#[test]
fn several_heads_and_cycles_are_errors() {
    let heads = graph_from_lines("2.0.0\n1.0.0");
    assert!(heads.resolve_classic("c", None).error.unwrap().to_string().contains("2 heads"));
    let circle = graph_from_lines("3.0.0 replaces=2.0.0\n2.0.0 replaces=1.0.0\n1.0.0 replaces=2.0.0");
    assert!(circle.resolve_classic("c", None).error.unwrap().to_string().contains("cycle"));
    let no_head = graph_from_lines("2.0.0 replaces=1.0.0\n1.0.0 replaces=2.0.0");
    assert!(no_head.resolve_classic("c", None).error.unwrap().to_string().contains("no head"));
}

#[test]
fn fresh_install_may_start_at_any_entry() {
    let graph = graph_from_lines("3.0.0 replaces=1.0.0 skips=2.0.0\n2.0.0\n1.0.0");
    assert_eq!(graph.resolve_classic("c", None).pick.unwrap(), "p.v3.0.0");
    assert_eq!(graph.resolve_classic_start("c", &"p.v2.0.0".into()).pick.unwrap(), "p.v2.0.0");
    assert!(graph.resolve_classic_start("c", &"p.v9.0.0".into()).error.is_some());
}

#[test]
fn v1_picks_highest_version_with_edge_and_within_constraint() {
    let graph =
        graph_from_lines("3.0.0 replaces=2.0.0\n2.5.0 range=>=1.0.0_<2.5.0\n2.0.0 replaces=1.0.0\n1.0.0");
    assert_eq!(v1_pick(&graph, "1.0.0", &Query::default()).unwrap(), "p.v2.5.0");
    assert_eq!(v1_pick(&graph, "2.0.0", &Query::default()).unwrap(), "p.v3.0.0");
    let below = Query { version: "<2.5.0".into(), ..Query::default() };
    assert_eq!(v1_pick(&graph, "1.0.0", &below).unwrap(), "p.v2.0.0");
    let error = "no edge leads to a bundle that matches version <2.5.0: p.v2.0.0 does";
    assert_eq!(v1_pick(&graph, "3.0.0", &below).unwrap_err(), error);
    let none = Query { version: ">9".into(), ..Query::default() };
    assert_eq!(v1_pick(&graph, "3.0.0", &none).unwrap_err(), "no bundle of the package matches version >9");
    let gone = Installed { name: "p.v0.9.0".into(), version: VersionRelease::parse("0.9.0", "").ok() };
    let channel = Query { channels: vec!["c".into()], ..Query::default() };
    for (query, error) in [
        (&channel, "no edge leads to a bundle in c"),
        (&Query::default(), "no edge leads to a bundle of the package"),
    ] {
        assert_eq!(pick_or_error(&graph, &gone, query).unwrap_err(), error);
    }
    let free = Query { policy: Policy::SelfCertified, ..below };
    assert_eq!(v1_pick(&graph, "3.0.0", &free).unwrap(), "p.v2.0.0", "down, if one certifies it oneself");
}

#[test]
fn entry_whose_range_includes_its_version_stays() {
    let graph = graph_from_lines("2.0.0 replaces=1.0.0\n1.0.0 range=<=1.5.0");
    let table = UpgradeTable::new(&graph, &"c".into(), &Query::default());
    assert_eq!(table.find_row(&"p.v1.0.0".into()).unwrap().classic.target().unwrap(), "p.v2.0.0");
    let alone = graph_from_lines("1.0.0 range=<=1.5.0");
    let table = UpgradeTable::new(&alone, &"c".into(), &Query::default());
    assert_eq!(table.rows[0].classic, super::table::NextUpgrade::Stays);
}

#[test]
fn hops_and_ends_follow_the_picks() {
    let graph = graph_from_lines("4.0.0 replaces=3.0.0\n3.0.0 replaces=2.0.0\n2.0.0 replaces=1.0.0\n1.0.0");
    let table = UpgradeTable::new(&graph, &"c".into(), &Query::default());
    let row = table.find_row(&"p.v1.0.0".into()).unwrap();
    assert_eq!((row.classic_end.hops, row.classic_end.name.as_str()), (3, "p.v4.0.0"));
    assert_eq!(table.find_row(&"p.v4.0.0".into()).unwrap().classic_end.hops, 0);
}

#[test]
fn paths_continue_over_entries_without_bundle() {
    use super::path::{UpgradeContext, follow_path};
    let text = "---\nschema: olm.channel\npackage: p\nname: c\nentries:\n\
        - {name: p.v3.0.0, replaces: p.v2.0.0}\n- {name: p.v2.0.0, replaces: p.v1.0.0}\n- {name: p.v1.0.0}\n\
        ---\n{schema: olm.bundle, package: p, name: p.v1.0.0}\n";
    let catalog = load::from_bytes(text.into());
    let graph = PackageGraph::new(catalog.package("p").unwrap());
    let table = UpgradeTable::new(&graph, &"c".into(), &Query::default());
    let row = table.find_row(&"p.v1.0.0".into()).unwrap();
    assert_eq!((row.classic_end.hops, row.classic_end.name.as_str()), (2, "p.v3.0.0"));
    let steps = follow_path(&graph, &UpgradeContext::Classic("c".into()), &row.installed, None);
    assert_eq!(steps.last_bundle(), &row.classic_end.name, "the path says the same");
}

#[test]
fn range_that_crashes_v1_does_so_at_any_rank() {
    // 3.0.0 would be the pick. 2.0.0 ranks lower, but OLM evaluates both ranges first.
    let graph = graph_from_lines("3.0.0 replaces=1.0.0\n2.0.0 range=<0.5.0_||_||_>5.0.0\n1.0.0");
    assert!(v1_pick(&graph, "1.0.0", &Query::default()).is_err());
    let table = UpgradeTable::new(&graph, &"c".into(), &Query::default());
    let next = &table.find_row(&"p.v1.0.0".into()).unwrap().v1;
    assert!(matches!(next, super::table::NextUpgrade::Error(_)), "the table says the same: {next:?}");
}

#[test]
fn circular_upgrades_terminate() {
    // Each bundle has an edge to the other by its range; v1 considers both.
    let graph = graph_from_lines("2.0.0 range=>=1.0.0_<2.0.0\n1.0.0 range=>=2.0.0");
    let down = Query { version: "1.0.0 || 2.0.0".into(), ..Query::default() };
    let table = UpgradeTable::new(&graph, &"c".into(), &down);
    assert_eq!(table.rows.len(), 2);
}

/// Compares each recorded answer with olmap's and returns the differences.
fn compare_answers(catalog: &Catalog, rows: &[&Value], classic: bool) -> Vec<String> {
    let graphs: HashMap<&str, PackageGraph> =
        catalog.packages().map(|p| (p.name.as_str(), PackageGraph::new(p))).collect();
    let text = |row: &Value, key: &str| row.get(key).and_then(Value::as_str).map(str::to_owned);
    let mut differences = Vec::new();
    for row in rows {
        let Some(graph) = graphs.get(row["package"].as_str().unwrap()) else {
            differences.push(format!("no package: {row}"));
            continue;
        };
        let installed = text(row, "installed").map(|name| {
            let (name, version) = match name.split_once('@') {
                Some((name, version)) => (name.to_owned(), VersionRelease::parse(version, "").ok()),
                None => (name, None),
            };
            let mut installed = Installed::from_package(&graph.package, &BundleName::from(name));
            installed.version = installed.version.or(version);
            installed
        });
        let answer = if classic {
            graph.resolve_classic(row["channel"].as_str().unwrap(), installed.as_ref())
        } else {
            let channels = row.get("channels").and_then(Value::as_array);
            let query = Query {
                channels: channels.into_iter().flatten().map(|c| c.as_str().unwrap().into()).collect(),
                version: text(row, "version").unwrap_or_default(),
                policy: match text(row, "policy").as_deref() {
                    Some("SelfCertified") => Policy::SelfCertified,
                    _ => Policy::CatalogProvided,
                },
            };
            graph.resolve_v1(&query, installed.as_ref())
        };
        let order = row
            .get("order")
            .map(|o| o.as_array().unwrap().iter().map(|n| n.as_str().unwrap()).collect::<Vec<_>>());
        let same = answer.pick.as_ref().map(BundleName::as_str) == row.get("pick").and_then(Value::as_str)
            && answer.error.is_some() == row.get("error").is_some_and(|e| e != "")
            && order
                .is_none_or(|order| order == answer.chain.iter().map(BundleName::as_str).collect::<Vec<_>>());
        if !same {
            differences.push(format!(
                "{row}: got {:?} {:?}",
                answer.pick,
                answer.error.map(|e| e.to_string())
            ));
        }
    }
    differences
}

#[test]
fn successors_are_those_of_the_real_programs() {
    let mut differences = Vec::new();
    let mut total = 0;
    for engine in ["classic", "v1"] {
        for release in olmap_testing::list_names_with_suffix("successors", &format!(".{engine}.jsonl")) {
            let Some(catalog) = olmap_testing::find_data(&format!("repo/catalogs/{release}")) else {
                continue;
            };
            let catalog = load::open_catalog(catalog).unwrap();
            let rows =
                olmap_testing::load_json_lines(&format!("successors/{release}.{engine}.jsonl")).unwrap();
            total += rows.len();
            differences.extend(compare_answers(
                &catalog,
                &rows.iter().collect::<Vec<_>>(),
                engine == "classic",
            ));
        }
        let Some(rows) = olmap_testing::load_json_lines(&format!("random/{engine}.jsonl")) else { continue };
        let Some(folder) = olmap_testing::find_data("random/cases") else { continue };
        total += rows.len();
        let mut cases: HashMap<&str, Vec<&Value>> = HashMap::new();
        for row in &rows {
            cases.entry(row["case"].as_str().unwrap()).or_default().push(row);
        }
        for (case, rows) in cases {
            let catalog = load::open_catalog(folder.join(case)).unwrap();
            differences.extend(compare_answers(&catalog, &rows, engine == "classic"));
        }
    }
    let shown = differences.iter().take(10).cloned().collect::<Vec<_>>().join("\n");
    assert!(differences.is_empty(), "{} of {total} differ:\n{shown}", differences.len());
}

/// Returns the pick of v1 for a new installation of package `p`, or the error.
fn fresh_v1_pick(yaml: &str, version: &str) -> Result<String, String> {
    let catalog = load::from_bytes(yaml.into());
    let graph = PackageGraph::new(catalog.package("p").unwrap());
    let query = Query { version: version.into(), ..Query::default() };
    let answer = graph.resolve_v1(&query, None);
    let resolver = graph.v1_resolver(&query).unwrap();
    assert_eq!(resolver.pick(None).ok(), answer.pick.as_ref(), "the short answer is the same");
    match answer.error {
        Some(error) => Err(error.to_string()),
        None => Ok(answer.pick.unwrap_or_default().to_string()),
    }
}

fn bundle(name: &str, properties: &str) -> String {
    format!("---\n{{schema: olm.bundle, package: p, name: {name}, properties: [{properties}]}}\n")
}

fn version_property(version: &str) -> String {
    format!("{{type: olm.package, value: {{packageName: p, version: {version}}}}}")
}

#[test]
fn bundle_without_version_is_last_candidate() {
    let bare = bundle("p.bare", "");
    let error = "the version of p.bare, which v1 picks, cannot be read";
    assert_eq!(fresh_v1_pick(&bare, ""), Err(error.to_owned()));
    assert_eq!(fresh_v1_pick(&bare, ">0").unwrap_err(), "no bundle of the package matches version >0");
    let both = format!("{bare}{}", bundle("p.v1", &version_property("1.0.0")));
    assert_eq!(fresh_v1_pick(&both, "").unwrap(), "p.v1");
    let deprecations = "---\n{schema: olm.deprecations, package: p, entries: [\
                        {reference: {schema: olm.bundle, name: p.v1}, message: old}]}\n";
    assert_eq!(fresh_v1_pick(&format!("{both}{deprecations}"), ""), Err(error.to_owned()));
}

#[test]
fn first_package_property_counts() {
    let [low, high] = ["1.0.0", "3.0.0"].map(version_property);
    let other = bundle("p.other", &version_property("2.0.0"));
    let pick = |properties: &str| fresh_v1_pick(&format!("{other}{}", bundle("p.two", properties)), "");
    assert_eq!(pick(&format!("{low}, {high}")).unwrap(), "p.other");
    assert_eq!(pick(&format!("{high}, {low}")).unwrap(), "p.two");
    let three = version_property("three");
    for invalid in [three.as_str(), "{type: olm.package, value: 3}", "{type: olm.package}"] {
        assert_eq!(pick(&format!("{invalid}, {high}")).unwrap(), "p.other", "{invalid}");
    }
}

#[test]
fn last_object_of_a_name_counts() {
    let [low, mid, high] = ["1.0.0", "2.0.0", "3.0.0"].map(version_property);
    let twice = [bundle("p.twice", &high), bundle("p.other", &mid), bundle("p.twice", &low)].concat();
    assert_eq!(fresh_v1_pick(&twice, "").unwrap(), "p.other");
    let deprecations = |name: &str, bundle: &str| {
        format!(
            "---\n{{schema: olm.deprecations, package: p, {name}entries: [{{reference: \
             {{schema: olm.bundle, name: {bundle}}}, message: old}}]}}\n"
        )
    };
    let bundles = [bundle("p.high", &high), bundle("p.mid", &mid), bundle("p.low", &low)].concat();
    let pick = |blobs: &[String]| fresh_v1_pick(&format!("{bundles}{}", blobs.concat()), "").unwrap();
    assert_eq!(pick(&[deprecations("", "p.high"), deprecations("", "p.mid")]), "p.high");
    assert_eq!(pick(&[deprecations("name: a, ", "p.high"), deprecations("", "p.mid")]), "p.low");
    let channel = |bundle: &str| {
        format!("---\n{{schema: olm.channel, package: p, name: c, entries: [{{name: {bundle}}}]}}\n")
    };
    let catalog = load::from_bytes([bundles, channel("p.high"), channel("p.low")].concat().into_bytes());
    let graph = PackageGraph::new(catalog.package("p").unwrap());
    let query = Query { channels: vec!["c".into()], ..Query::default() };
    assert_eq!(graph.resolve_v1(&query, None).pick.unwrap(), "p.low");
}

#[test]
fn installed_pick_with_dependencies_is_refused() {
    let graph = graph_from_lines("2.0.0 replaces=1.0.0 requires=other\n1.0.0");
    let blockers = |pick: &str, installed: Option<&str>| {
        let name = |version: &str| BundleName::from(format!("p.v{version}"));
        let installed = installed.map(|version| Installed::from_package(&graph.package, &name(version)));
        v1_pick_blockers(&graph.package, &name(pick), installed.as_ref(), &["Not DNS".into()]).len()
    };
    assert_eq!(blockers("2.0.0", Some("1.0.0")), 2, "dependencies and the name of the channel");
    assert_eq!(blockers("2.0.0", Some("2.0.0")), 1, "only dependencies");
    assert_eq!(blockers("1.0.0", Some("1.0.0")), 0);
    let unread = bundle("p.v1", "{type: olm.gvk.required, value: 5}");
    let catalog = load::from_bytes(unread.into());
    let package = catalog.package("p").unwrap();
    assert_eq!(v1_pick_blockers(package, &"p.v1".into(), None, &[]).len(), 1, "its type counts");
}
