//! Tests of provided and required APIs with small catalogs.

use std::collections::BTreeSet;

use super::*;
use crate::{PackageGraph, resolve::CatalogIndex};
use olm_catalog::load;

/// Creates a catalog from lines of `PACKAGE VERSION [+VERSION/KIND] [?VERSION/KIND] [needs=PACKAGE:RANGE]
/// [all=VERSION/KIND]`. Each bundle replaces the previous one of its package in the channel `stable`. A `_` in a range is a
/// blank.
fn parse_catalog(lines: &str) -> Catalog {
    let mut yaml = String::new();
    let mut last = "";
    for line in lines.trim().lines() {
        let mut words = line.split_whitespace();
        let (package, version) = (words.next().unwrap(), words.next().unwrap());
        if package != last {
            let entries: Vec<&str> = lines
                .trim()
                .lines()
                .map(|line| line.split_whitespace().collect::<Vec<_>>())
                .filter(|words| words[0] == package)
                .map(|words| words[1])
                .collect();
            yaml += &format!("---\nschema: olm.package\nname: {package}\ndefaultChannel: stable\n");
            yaml += &format!("---\nschema: olm.channel\npackage: {package}\nname: stable\nentries:\n");
            for (at, version) in entries.iter().enumerate() {
                yaml += &format!("- name: {package}.v{version}\n");
                if let Some(before) = at.checked_sub(1).and_then(|at| entries.get(at)) {
                    yaml += &format!("  replaces: {package}.v{before}\n");
                }
            }
            last = package;
        }
        yaml += &format!("---\nschema: olm.bundle\npackage: {package}\nname: {package}.v{version}\n");
        yaml += "image: i.example/x\nproperties:\n- type: olm.package\n";
        yaml += &format!("  value: {{packageName: {package}, version: {version}}}\n");
        for word in words {
            let gvk = |text: &str| {
                let (version, kind) = text.split_once('/').unwrap();
                format!("{{group: sea.example.com, version: {version}, kind: {kind}}}")
            };
            yaml += &match word.split_at(1) {
                ("+", api) => format!("- type: olm.gvk\n  value: {}\n", gvk(api)),
                ("?", api) => format!("- type: olm.gvk.required\n  value: {}\n", gvk(api)),
                _ => match word.split_once('=').unwrap() {
                    ("all", api) => format!(
                        "- type: olm.constraint\n  value: {{failureMessage: m, all: {{constraints: [{{gvk: {}}}]}}}}\n",
                        gvk(api)
                    ),
                    (_, rest) => {
                        let (name, range) = rest.split_once(':').unwrap();
                        let range = range.replace('_', " ");
                        format!(
                            "- type: olm.package.required\n  value: {{packageName: {name}, versionRange: '{range}'}}\n"
                        )
                    }
                },
            };
        }
    }
    let catalog = load::from_bytes(yaml.into_bytes());
    assert!(!catalog.has_unread_parts(), "{:?}", catalog.problems());
    catalog
}

const SEA: &str = "
harbour 1.0.0 +v1/Ship +v1/Buoy
harbour 1.1.0 +v1/Ship +v1/Ship +v2/Ship
beacon 0.3.0 ?v1/Ship
beacon 0.4.0 ?v1/Ship ?v3/Ship needs=harbour:>=1.0.0_<2.0.0
beacon 0.10.0 ?v1/Ship ?v1/Buoy all=v1/Rope needs=harbour:>=2.0.0
";

/// Formats groups as `group/Kind: side what package words met`, one per line.
fn format_usages(index: &DependencyIndex) -> Vec<String> {
    let mut told = Vec::new();
    for usage in index.usages() {
        for side in [Side::Provided, Side::Required] {
            for group in usage.side(side) {
                let met = if group.met { "" } else { " MISSING" };
                let (side, what, words) = (side.as_str(), &group.label, group.format_versions());
                told.push(format!("{}: {side} {what} {} {words}{met}", usage.thing, group.package_name()));
            }
        }
    }
    told
}

#[test]
fn lists_missing_apis_first_and_separates_versions() {
    assert_eq!(
        format_usages(&DependencyIndex::from_catalogs([&parse_catalog(SEA)])),
        [
            "sea.example.com/Rope: required v1 beacon 0.10.0 (1 bundle) MISSING",
            "sea.example.com/Ship: provided v1 harbour 1.0.0 to 1.1.0 (2 bundles)",
            "sea.example.com/Ship: provided v2 harbour 1.1.0 (1 bundle)",
            "sea.example.com/Ship: required v1 beacon 0.3.0 to 0.10.0 (3 bundles)",
            "sea.example.com/Ship: required v3 beacon 0.4.0 (1 bundle) MISSING",
            "package harbour: provided  harbour 1.0.0 to 1.1.0 (2 bundles)",
            "package harbour: required >=1.0.0 <2.0.0 beacon 0.4.0 (1 bundle)",
            "package harbour: required >=2.0.0 beacon 0.10.0 (1 bundle) MISSING",
            "sea.example.com/Buoy: provided v1 harbour 1.0.0 (1 bundle)",
            "sea.example.com/Buoy: required v1 beacon 0.10.0 (1 bundle)",
        ]
    );
}

#[test]
fn another_catalog_of_the_cluster_may_provide_api() {
    let (mine, theirs) = (parse_catalog("beacon 1.0.0 ?v1/Ship needs=harbour:>=1.0.0"), parse_catalog(SEA));
    let alone = DependencyIndex::from_catalogs([&mine]);
    assert!(alone.usages().iter().all(Usage::is_missing));
    let both = DependencyIndex::from_catalogs([&mine, &theirs]);
    let ship = both.find_usages("Ship")[0];
    let mine: Vec<_> = ship.required.iter().filter(|group| group.catalog == 0).collect();
    assert!(matches!(mine.as_slice(), [only] if only.met), "{mine:?}");
    assert_eq!(
        (ship.count_packages(Side::Required), ship.count_bundles(Side::Required)),
        (1, 4),
        "beacon is one package"
    );
    assert_eq!((ship.count_packages(Side::Provided), ship.count_bundles(Side::Provided)), (1, 2));
    assert_eq!(ship.distinct_versions(Side::Provided), ["v1", "v2"]);
}

#[test]
fn finds_api_by_every_notation() {
    let index = DependencyIndex::from_catalogs([&parse_catalog(SEA)]);
    let meant = |typed: &str| -> Vec<String> {
        index.find_usages(typed).iter().map(|usage| usage.thing.to_string()).collect()
    };
    for typed in ["sea.example.com/Ship", "sea.example.com/v1/Ship", "Ship", "ship", "sea.example.com/SHIP"] {
        assert_eq!(meant(typed), ["sea.example.com/Ship"], "{typed}");
    }
    assert_eq!(meant("harbour"), ["package harbour"]);
    for typed in ["", "Boat", "air.example.com/Ship", "example.com/Ship", "sea.example.com/v1/x/Ship", "/"] {
        assert_eq!(meant(typed), Vec::<String>::new(), "{typed}");
    }
}

#[test]
fn group_has_channels_and_heads() {
    let index = DependencyIndex::from_catalogs([&parse_catalog(SEA)]);
    let ship = index.find_usages("Ship")[0];
    let buoy = index.find_usages("Buoy")[0];
    let names = |set: BTreeSet<&olm_catalog::ChannelName>| set.len();
    assert_eq!((names(ship.provided[0].channel_names()), names(ship.provided[0].head_channels())), (1, 1));
    assert_eq!((names(buoy.provided[0].channel_names()), names(buoy.provided[0].head_channels())), (1, 0));
}

fn list_unmet(catalog: &Catalog) -> Vec<String> {
    let unmet = UnmetRequirements::from_index(&CatalogIndex::new(catalog));
    let of_package = |package: &olm_catalog::PackageName| {
        unmet
            .for_package(package)
            .iter()
            .map(|want| format!("{} {:?} by {}", want.text, want.reason, want.required_by))
    };
    catalog.packages().flat_map(|package| of_package(&package.name).collect::<Vec<_>>()).collect()
}

#[test]
fn reports_missing_apis_and_apis_without_providing_head() {
    assert_eq!(
        list_unmet(&parse_catalog(SEA)),
        [
            "sea.example.com/v1 Buoy Dropped([\"harbour\"]) by 0.10.0 (1 bundle)",
            "sea.example.com/v1 Rope Missing by 0.10.0 (1 bundle)",
            "sea.example.com/v3 Ship Missing by 0.4.0 (1 bundle)",
            "package harbour >=2.0.0 Missing by 0.10.0 (1 bundle)",
        ]
    );
}

#[test]
fn ignores_requirement_of_old_bundles_that_old_bundles_meet() {
    let lines =
        "harbour 1.0.0 +v1/Ship\nharbour 2.0.0 +v2/Ship\nbeacon 1.0.0 ?v1/Ship\nbeacon 2.0.0 ?v2/Ship";
    assert_eq!(list_unmet(&parse_catalog(lines)), Vec::<String>::new());
}

#[test]
fn list_and_findings_agree_on_missing_apis() {
    let catalog = parse_catalog(SEA);
    let listed: usize = DependencyIndex::from_catalogs([&catalog])
        .usages()
        .iter()
        .map(|u| u.required.iter().filter(|g| !g.met).count())
        .sum();
    let unmet = UnmetRequirements::from_index(&CatalogIndex::new(&catalog));
    let missing =
        unmet.for_package(&"beacon".into()).iter().filter(|want| want.reason == UnmetReason::Missing).count();
    assert_eq!((listed, missing), (3, 3));
}

#[test]
fn heads_agree_with_graphs() {
    let lines = "1.0.0\n1.1.0 replaces=1.0.0\n1.2.0 replaces=1.0.0 skips=1.1.0\n1.3.0";
    let graph = crate::fixture::graph_from_lines(lines);
    let cheap: BTreeSet<&str> = channel_heads(&graph.package).map(|(_, head)| head.as_str()).collect();
    let of_graph = |graph: &PackageGraph| -> BTreeSet<String> {
        let graph = &graph.channels()[0].graph;
        graph.head_nodes().iter().map(|at| graph.node(*at).unwrap().name.to_string()).collect()
    };
    assert_eq!(cheap.len(), 2);
    assert!(cheap.iter().all(|head| of_graph(&graph).contains(*head)));
}

#[test]
fn ignores_package_with_too_many_required_ranges() {
    let told = |count: usize| {
        let needs: Vec<String> = (0..count).map(|n| format!("needs=harbour:>=9.{n}.0")).collect();
        list_unmet(&parse_catalog(&format!("beacon 1.0.0 {}", needs.join(" ")))).len()
    };
    assert_eq!([told(2), told(1000), told(1001)], [2, 1000, 0]);
}
