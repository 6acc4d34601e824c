#![allow(clippy::format_push_string)] // plain enough for tests

use proptest::prelude::*;

use super::{
    DefaultChannel, Extract, ExtractError, ExtractOptions, ExtractRequest, InclusionReason, extract,
    new_rejections,
};
use olm_catalog::{Catalog, ChannelName, PackageName, load, package::Package, problem::Problems};
use olm_upgrade::{
    Installed, PackageGraph, fixture,
    table::{classic_next, v1_next},
    v1::Query,
};

/// 1.0.0 to 2.0.0, each replacing the one before.
const CHAIN: &str = "2.0.0 replaces=1.2.0\n1.2.0 replaces=1.1.0\n1.1.0 replaces=1.0.0\n1.0.0";

fn parse_requests(catalog: &Catalog, texts: &[&str]) -> Result<Vec<ExtractRequest>, ExtractError> {
    let package = |name: &str| catalog.package(name).map(|package| &**package);
    texts.iter().map(|text| ExtractRequest::parse(text, package)).collect()
}

fn extract_part(catalog: &Catalog, texts: &[&str]) -> Result<Extract, ExtractError> {
    extract_with(catalog, texts, &ExtractOptions::default())
}

fn extract_with(
    catalog: &Catalog,
    texts: &[&str],
    options: &ExtractOptions,
) -> Result<Extract, ExtractError> {
    let part = extract(catalog, &parse_requests(catalog, texts)?, options)?;
    assert_eq!(new_rejections(catalog, &part.catalog), Vec::<String>::new());
    Ok(part)
}

fn entry_versions(part: &Extract, channel: &str) -> Vec<String> {
    let channel = part.catalog.package("p").unwrap().channel(channel);
    let entries = channel.into_iter().flat_map(|channel| &channel.entries);
    entries.map(|entry| entry.name.value.as_str().trim_start_matches("p.v").to_owned()).collect()
}

fn extract_range(lines: &str, range: &str) -> Extract {
    extract_part(&fixture::catalog_from_channels(&[("c", lines)]), &[&format!("p:c:{range}")]).unwrap()
}

fn added_entries(part: &Extract) -> Vec<(String, InclusionReason)> {
    let channels = part.packages.iter().flat_map(|taken| &taken.channels);
    channels.flat_map(|c| &c.added).map(|(name, why)| (name.to_string(), why.clone())).collect()
}

#[test]
fn parse_splits_at_colons() {
    let catalog = fixture::catalog_from_channels(&[("a:b", "1.0.0"), ("a", "1.0.0")]);
    let parse = |text: &str| parse_requests(&catalog, &[text]).map(|wishes| wishes[0].clone());
    let wish = |channel: Option<&str>, range: Option<&str>| ExtractRequest {
        package: "p".into(),
        channel: channel.map(Into::into),
        range: range.map(str::to_owned),
    };
    for (text, expected) in [
        ("p", wish(None, None)),
        ("p:", wish(None, None)),
        ("p:a", wish(Some("a"), None)),
        ("p:a:", wish(Some("a"), None)),
        ("p:a:b", wish(Some("a:b"), None)),
        ("p:a:b:>=1", wish(Some("a:b"), Some(">=1"))),
        ("p:a:>=1", wish(Some("a"), Some(">=1"))),
        ("p::>=1", wish(None, Some(">=1"))),
        ("p:x:>=1", wish(Some("x"), Some(">=1"))),
    ] {
        assert_eq!(parse(text).unwrap(), expected, "{text}");
    }
    assert!(matches!(parse(":a"), Err(ExtractError::NoName(_))));
    assert_eq!(parse("p::>=1").unwrap().to_string(), "p::>=1");
}

#[test]
fn whole_package_stays_byte_identical() {
    let catalog = fixture::catalog_from_channels(&[("c", CHAIN), ("d", "1.0.0")]);
    let part = extract_part(&catalog, &["p"]).unwrap();
    assert_eq!(part.catalog.files()[0].current_bytes(), catalog.files()[0].current_bytes());
    assert_eq!(part.packages[0].default, DefaultChannel::Asked);
}

#[test]
fn range_keeps_entries_between_its_bounds() {
    let half = extract_range(CHAIN, ">=1.1.0");
    assert_eq!(entry_versions(&half, "c"), ["2.0.0", "1.2.0", "1.1.0"]);
    let channel = &half.packages[0].channels[0];
    assert_eq!(channel.outside, [("p.v1.1.0".into(), "p.v1.0.0".into())]);
    assert_eq!((channel.entries, channel.total_entries, channel.cut), (3, 4, 0));
    assert_eq!(half.catalog.package("p").unwrap().bundles.len(), 3);

    let low = extract_range(CHAIN, "<1.2");
    assert_eq!(entry_versions(&low, "c"), ["1.1.0", "1.0.0"]);
    assert_eq!(low.packages[0].channels[0].cut, 1, "1.1.0 would go on");
    assert_eq!(low.packages[0].cut_v1, 1);

    let ends = extract_range(CHAIN, "1.0.0 || 2.0.0");
    assert_eq!(entry_versions(&ends, "c"), ["2.0.0", "1.2.0", "1.1.0", "1.0.0"]);
    let between = |name: &str| (name.to_owned(), InclusionReason::Between);
    assert_eq!(added_entries(&ends), [between("p.v1.2.0"), between("p.v1.1.0")]);
}

#[test]
fn skipped_entries_keep_an_entry_that_skips_them() {
    // 1.1.1 is not on the replaces chain: it is a second head without 1.2.0.
    let lines = "1.3.0 replaces=1.2.0\n1.2.0 replaces=1.1.0 skips=1.1.1\n1.1.1\n1.1.0";
    let skipped = extract_range(lines, "~1.1");
    assert_eq!(entry_versions(&skipped, "c"), ["1.2.0", "1.1.1", "1.1.0"]);
    assert_eq!(added_entries(&skipped), [("p.v1.2.0".to_owned(), InclusionReason::Head)]);
    // It can be the head if it replaces the other entry.
    let lines = "1.3.0 replaces=1.2.0\n1.2.0 replaces=1.1.0 skips=1.1.1\n1.1.1 replaces=1.1.0\n1.1.0";
    assert_eq!(entry_versions(&extract_range(lines, "~1.1"), "c"), ["1.1.1", "1.1.0"]);
    // The entry that skips it can have a version outside the range.
    let lines = "2.0.0 replaces=1.0.0\n1.9.0\n1.0.0 skips=1.9.0";
    let below = extract_range(lines, ">=1.9");
    assert_eq!(entry_versions(&below, "c"), ["2.0.0", "1.9.0", "1.0.0"]);
    assert_eq!(added_entries(&below), [("p.v1.0.0".to_owned(), InclusionReason::Skips("p.v1.9.0".into()))]);
    // It can also be an entry outside the chain.
    let lines = "2.0.0 replaces=1.0.0 skips=1.8.0\n1.9.0\n1.8.0 skips=1.9.0\n1.0.0";
    assert_eq!(entry_versions(&extract_range(lines, "1.9.0 || 2.0.0"), "c"), ["2.0.0", "1.9.0", "1.8.0"]);
}

#[test]
fn ranges_of_one_channel_are_combined() {
    let catalog = fixture::catalog_from_channels(&[("c", CHAIN)]);
    let both = extract_part(&catalog, &["p:c:1.0.0", "p:c:1.1.0"]).unwrap();
    assert_eq!(entry_versions(&both, "c"), ["1.1.0", "1.0.0"]);
    for all in [["p:c:1.0.0", "p:c"], ["p:c", "p:c:1.0.0"], ["p:c:1.0.0", "p"]] {
        assert_eq!(entry_versions(&extract_part(&catalog, &all).unwrap(), "c").len(), 4, "{all:?}");
    }
}

#[test]
fn range_for_all_channels_drops_channels_without_match() {
    let catalog = fixture::catalog_from_channels(&[("c", CHAIN), ("old", "1.0.0"), ("new", "2.0.0")]);
    let new = extract_part(&catalog, &["p::>=1.2"]).unwrap();
    assert_eq!(entry_versions(&new, "c"), ["2.0.0", "1.2.0"]);
    assert_eq!((entry_versions(&new, "old").len(), entry_versions(&new, "new").len()), (0, 1));
}

#[test]
fn default_channel_is_kept_or_replaced() {
    let catalog = fixture::catalog_from_channels(&[("c", "1.0.0"), ("d", CHAIN)]);
    let along = extract_part(&catalog, &["p:d"]).unwrap();
    assert_eq!(along.packages[0].default, DefaultChannel::Added);
    assert_eq!(entry_versions(&along, "c"), ["1.0.0"]);
    let set = |channel: &str| ExtractOptions {
        default_channels: [("p".into(), channel.into())].into(),
        ..ExtractOptions::default()
    };
    let other = extract_with(&catalog, &["p:d:>=2"], &set("d")).unwrap();
    assert_eq!(other.packages[0].default, DefaultChannel::Set { before: Some("c".into()) });
    assert_eq!(other.catalog.package("p").unwrap().default_channel(), Some(&"d".into()));
    assert_eq!(other.packages[0].channels.len(), 1);
    assert!(matches!(
        extract_with(&catalog, &["p:d"], &set("c")),
        Err(ExtractError::DefaultNotExtracted { .. })
    ));
    assert!(matches!(extract_with(&catalog, &["p"], &set("x")), Err(ExtractError::NoChannel { .. })));
    let nobody =
        ExtractOptions { default_channels: [("q".into(), "c".into())].into(), ..ExtractOptions::default() };
    assert!(matches!(extract_with(&catalog, &["p"], &nobody), Err(ExtractError::DefaultOfOtherPackage(_))));
}

#[test]
fn invalid_requests_are_errors() {
    let catalog =
        fixture::catalog_from_channels(&[("c", CHAIN), ("two", "1.0.0\n1.1.0"), ("pre", "1.0.0-rc.1")]);
    let refused = |text: &str| extract_part(&catalog, &[text]).unwrap_err();
    let hint = |text: &str| refused(text).hint().unwrap_or_default();
    assert!(matches!(refused("q"), ExtractError::NoPackage { .. }));
    assert!(hint("p:x").contains("c, two, pre"));
    assert_eq!(hint("p:c:>=3"), "the versions go from 1.0.0 to 2.0.0");
    assert!(hint("p:pre:>=1.0.0").contains("pre-releases"));
    assert!(matches!(refused("p:c:soon"), ExtractError::Range { .. }));
    assert!(matches!(refused("p:two:1.0.0"), ExtractError::BadChannel { .. }));
    assert!(matches!(extract_part(&catalog, &[]), Err(ExtractError::EmptyRequest)));
    // The whole channel is allowed: it does not change.
    assert_eq!(entry_versions(&extract_part(&catalog, &["p:two"]).unwrap(), "two").len(), 2);
}

/// A catalog with deprecations, other schemas, and packages that need each other.
fn related_packages() -> Catalog {
    let bundle = |package: &str, version: &str, more: &str| {
        format!(
            "---\nschema: olm.bundle\npackage: {package}\nname: {package}.v{version}\nimage: example.com/{package}@sha256:{}\nproperties:\n- type: olm.package\n  value: {{packageName: {package}, version: {version}}}\n{more}",
            "0".repeat(64)
        )
    };
    let package = |name: &str, entries: &str| {
        format!(
            "---\nschema: olm.package\nname: {name}\ndefaultChannel: c\n---\nschema: olm.channel\npackage: {name}\nname: c\nentries:\n{entries}"
        )
    };
    let ship = "- type: olm.gvk.required\n  value: {group: sea.example.com, version: v1, kind: Ship}\n";
    let provides = "- type: olm.gvk\n  value: {group: sea.example.com, version: v1, kind: Ship}\n";
    let text = [
        package("harbour", "- {name: harbour.v1.1.0, replaces: harbour.v1.0.0}  # new\n- name: harbour.v1.0.0\n"),
        "---\nschema: olm.channel\npackage: harbour\nname: old\nentries: [{name: harbour.v1.0.0}]\n".to_owned(),
        bundle("harbour", "1.1.0", ship),
        bundle("harbour", "1.0.0", ""),
        "---\nschema: olm.deprecations\npackage: harbour\nentries:\n- {reference: {schema: olm.package}, message: a}\n- {reference: {schema: olm.bundle, name: harbour.v1.0.0}, message: b}\n- {reference: {schema: olm.channel, name: old}, message: c}\n".to_owned(),
        "---\nschema: example.com/support\npackage: harbour\nuntil: 2030\n".to_owned(),
        "---\nschema: example.com/notes\npackage: harbour\nname: harbour.v1.0.0\n".to_owned(),
        "---\nschema: example.com/notes\npackage: harbour\nname: harbour.v1.1.0\n".to_owned(),
        "---\nschema: example.com/catalog\nabout: all\n".to_owned(),
        package("ship", "- {name: ship.v1.0.0}\n"),
        bundle("ship", "1.0.0", provides),
        package("lamp", "- {name: lamp.v1.0.0}\n"),
        bundle("lamp", "1.0.0", ""),
    ];
    let catalog = load::from_bytes(text.concat().into_bytes());
    let problems: Vec<_> = catalog.all_problems().flat_map(Problems::complete_problems).collect();
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(olm_check::rejection_messages(&catalog), Vec::<String>::new());
    catalog
}

#[test]
fn entries_about_removed_bundles_are_removed() {
    let town = related_packages();
    let part = extract_part(&town, &["harbour:c:>=1.1"]).unwrap();
    let text = String::from_utf8(part.catalog.files()[0].current_bytes()).unwrap();
    for there in ["message: a", "until: 2030", "name: harbour.v1.1.0", "about: all", "# new"] {
        assert!(text.contains(there), "{there}: {text}");
    }
    for gone in ["message: b", "message: c", "notes\npackage: harbour\nname: harbour.v1.0.0", "lamp", "old"] {
        assert!(!text.contains(gone), "{gone}: {text}");
    }
    assert_eq!((part.packages[0].lost_objects, part.without_package), (1, 1));
}

#[test]
fn missing_requirements_are_reported_or_added() {
    let town = related_packages();
    let alone = extract_part(&town, &["harbour"]).unwrap();
    let [missing] = alone.missing.as_slice() else { panic!("{:?}", alone.missing) };
    assert_eq!(missing.what, "API sea.example.com/v1 Ship");
    assert_eq!((missing.by.len(), &missing.providers[0]), (1, &PackageName::from("ship")));
    assert_eq!(extract_part(&town, &["harbour:old"]).unwrap().missing.len(), 1, "c comes along");
    assert_eq!(extract_part(&town, &["harbour", "ship"]).unwrap().missing, []);
    let both = ExtractOptions { with_dependencies: true, ..ExtractOptions::default() };
    let both = extract_with(&town, &["harbour"], &both).unwrap();
    let names: Vec<&str> = both.packages.iter().map(|taken| taken.package.as_str()).collect();
    assert_eq!((names, both.missing), (vec!["harbour", "ship"], vec![]));
}

/// Generates channels with one head: every version is on the chain or skipped by a later version on the chain.
fn any_single_head_channel() -> impl Strategy<Value = String> {
    let version = (any::<bool>(), any::<bool>(), 0..4usize);
    prop::collection::vec(version, 1..9).prop_map(|versions| {
        let last = versions.len() - 1;
        let on_chain = |n: usize| n == last || versions[n].0;
        let mut text = String::new();
        for n in (0..=last).rev() {
            let below = (0..n).rev().find(|&n| on_chain(n));
            text += &format!("1.{n}.0");
            // An entry outside the chain can also replace an entry.
            if let Some(below) = below.filter(|_| on_chain(n) || versions[n].1) {
                text += &format!(" replaces=1.{below}.0");
            }
            let skipped: Vec<String> =
                (below.map_or(0, |b| b + 1)..n).filter(|_| on_chain(n)).map(|n| format!("1.{n}.0")).collect();
            if !skipped.is_empty() {
                text += &format!(" skips={}", skipped.join(","));
            }
            if versions[n].2 == 3 {
                text += &format!(" range=<1.{n}.0");
            }
            text.push('\n');
        }
        text
    })
}

fn any_request() -> impl Strategy<Value = String> {
    let range = prop_oneof![
        Just(String::new()),
        (0..9u32).prop_map(|n| format!(":>=1.{n}.0")),
        (0..9u32).prop_map(|n| format!(":<1.{n}.0")),
        (0..9u32, 0..9u32).prop_map(|(a, b)| format!(":1.{a}.0 || 1.{b}.0")),
    ];
    (prop::sample::select(vec!["c", "d", ""]), range)
        .prop_map(|(channel, range)| format!("p:{channel}{range}"))
}

/// Returns the next upgrade in each OLM engine, for every extracted bundle in every extracted channel.
fn next_upgrades(of: &Package, taken: &Package) -> Vec<(Option<ChannelName>, String, Option<String>)> {
    let graph = PackageGraph::new(&std::sync::Arc::new(of.clone()));
    let mut picks = Vec::new();
    let resolver = graph.v1_resolver(&Query::default());
    for channel in &taken.channels {
        let upgrades = graph.channel(channel.name.value.as_str()).unwrap();
        for entry in &channel.entries {
            let installed = Installed::from_package(taken, &entry.name.value);
            let next = classic_next(upgrades, &installed);
            let next = next.target().map(ToString::to_string);
            picks.push((Some(channel.name.value.clone()), entry.name.value.to_string(), next));
        }
    }
    for bundle in &taken.bundles {
        let installed = Installed::from_package(taken, &bundle.name.value);
        let next = v1_next(&resolver, &installed).target().map(ToString::to_string);
        picks.push((None, bundle.name.value.to_string(), next));
    }
    picks
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// For all requests: opm accepts the extract, the extract contains the requested bundles, and changed
    /// upgrades are reported.
    #[test]
    fn extracts_are_valid_and_report_changed_upgrades(
        c in any_single_head_channel(), d in any_single_head_channel(), asked in prop::collection::vec(any_request(), 1..4), sets in any::<bool>(),
    ) {
        let catalog = fixture::catalog_from_channels(&[("c", &c), ("d", &d)]);
        let before = olm_check::rejection_messages(&catalog);
        let texts: Vec<&str> = asked.iter().map(String::as_str).collect();
        let options = ExtractOptions {
            default_channels: sets.then(|| ("p".into(), "d".into())).into_iter().collect(),
            ..ExtractOptions::default()
        };
        let wishes = parse_requests(&catalog, &texts).unwrap();
        let part = match extract(&catalog, &wishes, &options) {
            Ok(part) => part,
            Err(ExtractError::NoneInRange { .. } | ExtractError::DefaultNotExtracted { .. }) => return Ok(()),
            Err(fault) => return Err(TestCaseError::fail(format!("{fault}\n{c}\n{d}"))),
        };
        let text = String::from_utf8(part.catalog.files()[0].current_bytes()).unwrap();
        let told = || format!("{texts:?} of\n{c}\n{d}\nis\n{text}");
        let again = load::from_bytes(text.clone().into_bytes());
        let new: Vec<String> =
            olm_check::rejection_messages(&again).into_iter().filter(|why| !before.contains(why)).collect();
        prop_assert!(new.is_empty(), "{new:?} {}", told());
        let (whole, taken) = (catalog.package("p").unwrap(), again.package("p").unwrap());
        // The extract contains every requested bundle.
        for wish in &wishes {
            let constraint = wish.constraint().unwrap();
            for channel in whole.channels.iter().filter(|c| wish.channel.as_ref().is_none_or(|w| *w == c.name.value)) {
                for entry in &channel.entries {
                    let name = &entry.name.value;
                    let version = &whole.bundle_version(name.as_str()).unwrap().version;
                    if constraint.as_ref().is_none_or(|range| range.matches(version)) {
                        let there = taken.channel(channel.name.value.as_str());
                        let is_there = there.is_some_and(|there| there.entries.iter().any(|e| e.name.value == *name));
                        prop_assert!(is_there, "{name} {}", told());
                    }
                }
            }
        }
        // Every bundle is an entry.
        prop_assert!(taken.bundles.iter().all(|b| taken.channels_with(&b.name.value).next().is_some()), "{}", told());
        // Each upgrade to an extracted bundle is unchanged or reported.
        for (was, now) in next_upgrades(whole, taken).into_iter().zip(next_upgrades(taken, taken)) {
            let Some(target) = &was.2 else { continue };
            if taken.bundle(target).is_none() || was.2 == now.2 {
                continue;
            }
            let said = part.packages[0].changed.iter().any(|changed| {
                changed.channel == was.0 && changed.installed.as_str() == was.1 && changed.before.as_str() == target
            });
            prop_assert!(said, "{was:?} {now:?} {}", told());
        }
    }
}
