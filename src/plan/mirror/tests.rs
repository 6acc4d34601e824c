use proptest::prelude::*;

use super::{Cause, Fate, Fault, Question, Section, check, filter, kept, read};
use crate::{
    catalog::{Catalog, load, package::Package},
    edit,
    upgrade::{Engine, PackageGraph, fixture, picks},
};

/// 1.0.0 to 2.0.0, each replacing the one before; 1.1.0 is a bridge that 2.0.0 needs.
const LINE: &str = "2.0.0 replaces=1.2.0\n1.2.0 replaces=1.1.0\n1.1.0 replaces=1.0.0\n1.0.0";

fn section(text: &str) -> Section {
    read(text.as_bytes()).unwrap().remove(0)
}

/// The entries of a channel, or nothing where it is gone.
fn entries(catalog: &Catalog, channel: &str) -> Option<Vec<String>> {
    let channel = catalog.package("p")?.channel(channel)?;
    Some(channel.entries.iter().map(|entry| entry.name.value.to_string()).collect())
}

fn cut(channels: &[(&str, &str)], config: &str) -> Result<Catalog, Fault> {
    filter(&fixture::catalog(channels), &section(config))
}

#[test]
fn without_a_range_only_heads_are_kept_with_their_edges() {
    let catalog = cut(&[("c", LINE)], "packages: [{name: p}]").unwrap();
    assert_eq!(entries(&catalog, "c").unwrap(), ["p.v2.0.0"]);
    let package = catalog.package("p").unwrap();
    assert_eq!(package.bundles.len(), 1);
    let entry = &package.channel("c").unwrap().entries[0];
    assert_eq!(entry.replaces.as_ref().unwrap().value.as_str(), "p.v1.2.0", "though that is gone");
}

#[test]
fn a_range_keeps_a_stretch_of_the_chain_and_what_it_skips_in_range() {
    let of = |config: &str| entries(&cut(&[("c", LINE)], config).unwrap(), "c").unwrap();
    assert_eq!(of("packages: [{name: p, minVersion: 1.1.0}]"), ["p.v2.0.0", "p.v1.2.0", "p.v1.1.0"]);
    assert_eq!(of("packages: [{name: p, maxVersion: '1.1'}]"), ["p.v1.1.0", "p.v1.0.0"]);
    let skipping = "2.0.0 replaces=1.0.0 skips=1.2.0\n1.2.0\n1.0.0";
    let catalog =
        cut(&[("c", skipping)], "packages: [{name: p, minVersion: 1.2.0, maxVersion: 1.9.0}]").unwrap();
    assert_eq!(
        entries(&catalog, "c").unwrap(),
        ["p.v2.0.0", "p.v1.2.0"],
        "who skips it comes along, beyond the range"
    );
}

#[test]
fn one_version_may_leave_a_channel_empty() {
    let channels = [("c", LINE), ("d", "1.0.0")];
    let catalog = cut(&channels, "packages: [{name: p, minVersion: 1.1.0, maxVersion: 1.1.0}]").unwrap();
    assert_eq!(entries(&catalog, "c").unwrap(), ["p.v1.1.0"]);
    assert_eq!(entries(&catalog, "d").unwrap(), [""; 0]);
}

#[test]
fn the_cut_as_an_edit_leaves_the_same() {
    let catalog = fixture::catalog(&[("c", LINE), ("d", "1.1.0 replaces=1.0.0\n1.0.0 deprecated")]);
    for config in [
        "full: true",
        "packages: [{name: p}]",
        "packages: [{name: p, minVersion: 1.1.0}]",
        "packages: [{name: p, channels: [{name: c}]}]",
        "packages: [{name: p, defaultChannel: d, channels: [{name: d}]}]",
        "packages: [{name: p, channels: [{name: c, minVersion: 1.2.0}, {name: d, maxVersion: 1.0.0}]}]",
    ] {
        let filtered = filter(&catalog, &section(config)).unwrap();
        let edited = edit::apply(&catalog, &kept(&catalog, &filtered)).unwrap();
        for channel in ["c", "d"] {
            assert_eq!(entries(&edited, channel), entries(&filtered, channel), "{channel}, {config}");
        }
        let (a, b) = (edited.package("p").unwrap(), filtered.package("p").unwrap());
        assert_eq!(a.default_channel(), b.default_channel(), "{config}");
        let names = |package: &Package| {
            package.bundles.iter().map(|bundle| bundle.name.value.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(a), names(b), "{config}");
    }
}

#[test]
fn what_oc_mirror_refuses_is_refused() {
    let two = "2.0.0 replaces=1.0.0\n1.9.0 replaces=1.0.0\n1.0.0";
    let twice = [("c", LINE), ("d", "1.0.0")];
    let refused = |channels: &[(&str, &str)], config: &str| cut(channels, config).unwrap_err().to_string();
    let cases = [
        (refused(&[("c", two)], "packages: [{name: p}]"), "several heads"),
        (
            refused(&[("c", LINE)], "packages: [{name: p, minVersion: 9.0.0}]"),
            "no version of its default channel",
        ),
        (refused(&[("c", LINE)], "packages: [{name: q}]"), "nothing is left"),
        (
            refused(&[("c", LINE)], "full: true\npackages: [{name: p, minVersion: 1.0.0}]"),
            "full cannot be combined",
        ),
        (
            refused(&twice, "packages: [{name: p, channels: [{name: d}]}]"),
            "default channel c is not mirrored",
        ),
        (refused(&twice, "packages: [{name: p, defaultChannel: e}]"), "defaultChannel e is not mirrored"),
        (
            refused(&[("c", LINE)], "packages: [{name: p, minVersion: 1.1.9, maxVersion: 1.1.9}]"),
            "no version 1.1.9",
        ),
    ];
    for (found, expected) in cases {
        assert!(found.contains(expected), "{found}");
    }
}

#[test]
fn a_configuration_is_read_as_strictly_as_oc_mirror_reads_it() {
    let whole =
        "apiVersion: mirror.openshift.io/v2alpha1\nkind: ImageSetConfiguration\nmirror:\n  operators:\n";
    let cases = [
        ("packages: [{name: p, minVersion: 1.1}]", "line 1: minVersion must be a text"),
        ("packages:\n- name: p\n  bundles: []", "line 3: unknown field bundles"),
        ("packages: [{name: p}, {name: p}]", "stands there twice"),
        ("packages: [{name: p, minVersion: 1.x}]", "is not a version"),
        ("packages: [{channels: []}]", "a package has no name"),
        (
            "packages: [{name: p, minVersion: 1.0.0, channels: [{name: c, maxVersion: 2.0.0}]}]",
            "and so has a channel",
        ),
        ("catalog: quay.io/c", "the catalog \"quay.io/c\" has no tag and no digest"),
        ("catalog: ''", "the catalog \"\" has no name"),
        ("catalog: null", "the catalog \"\" has no name"),
        ("catalog: q.io/c@sha256:12", "has an invalid digest"),
        ("catalog: q.io/c:1\ntargetCatalog: Mine", "targetCatalog \"Mine\" is not a path"),
        ("catalog: q.io/c:1\ntargetCatalog: mine:v1", "targetCatalog \"mine:v1\" is not a path"),
        ("full: true\nfull: true", "key full stands there twice"),
        ("{\"full\": true, \"targetTag\": \"\\ud83d\\udc31\"}", "line 1: found invalid Unicode"),
        ("---\n---\nfull: true", "there is no ImageSetConfiguration"),
        ("mirror: {}", "kind is missing"),
        ("kind: ImageSetConfiguration", "mirror is missing"),
        ("full: 'true'", "full must be true or false"),
        ("a: [", "line 1: "),
        ("", "there is no ImageSetConfiguration"),
        ("kind: Other", "kind must be ImageSetConfiguration"),
    ];
    for (text, expected) in cases {
        let found = read(text.as_bytes()).unwrap_err().to_string();
        assert!(found.contains(expected), "{text}: {found}");
    }
    let two =
        format!("{whole}  - catalog: q.io/a:1\n    Packages: null\n  - catalog: oci:///b\n    full: true\n");
    assert_eq!(read(two.as_bytes()).unwrap().len(), 2);
    let same = format!("{whole}  - catalog: q.io/a:1\n  - catalog: docker://q.io/a:1\n");
    assert!(read(same.as_bytes()).unwrap_err().to_string().contains("line 6: catalog q.io/a:1"));
    let apart = format!("{whole}  - catalog: q.io/a:1\n  - {{catalog: q.io/a:1, targetTag: other}}\n");
    assert_eq!(
        read(apart.as_bytes()).unwrap().len(),
        2,
        "catalogs are told apart by where they are published"
    );
    let platform = |text: &str| {
        let whole = format!("kind: ImageSetConfiguration\nmirror:\n  platform: {text}\n");
        read(whole.as_bytes()).map_err(|broken| broken.to_string())
    };
    assert!(platform("{channels: [{name: a}, {name: a}]}").unwrap_err().contains("release channel a"));
    assert!(platform("{platforms: [{os: linux}], architectures: [amd64]}").unwrap_err().contains("exclude"));
    assert!(platform("{channels: [{name: a}, {name: b}], architectures: [amd64]}").unwrap().is_empty());
}

#[test]
fn default_channel_is_checked_only_for_named_packages() {
    let catalog = fixture::catalog(&[("d", LINE)]);
    let gone = catalog.package("p").unwrap().default_channel().cloned();
    let without = crate::catalog::load::from_bytes(
        String::from_utf8(catalog.files()[0].bytes())
            .unwrap()
            .replace("defaultChannel: d", "defaultChannel: gone")
            .into_bytes(),
    );
    assert_eq!(gone.unwrap().as_str(), "d");
    for all in ["{}", "full: true"] {
        let kept = filter(&without, &section(all)).unwrap();
        assert_eq!(kept.package("p").unwrap().default_channel().unwrap().as_str(), "gone", "{all}");
    }
    let fault = filter(&without, &section("packages: [{name: p}]")).unwrap_err().to_string();
    assert!(fault.contains("default channel gone is not mirrored"), "{fault}");
}

#[test]
fn range_of_a_channel_that_is_not_there_does_not_exclude_full() {
    let catalog = fixture::catalog(&[("c", LINE)]);
    let rule = "full: true\npackages: [{name: p, channels: [{name: c}, {name: x, minVersion: 1.0.0}]}]";
    assert!(filter(&catalog, &section(rule)).is_ok());
    let fault =
        filter(&catalog, &section("full: true\npackages: [{name: p, minVersion: 1.0.0}]")).unwrap_err();
    assert!(matches!(fault, Fault::FullWithRange { .. }), "{fault}");
}

fn both() -> Question {
    Question { engines: vec![Engine::Classic, Engine::V1], installed: Vec::new() }
}

#[test]
fn heads_only_strands_whom_the_head_does_not_take_and_a_lower_min_helps() {
    let catalog = fixture::catalog(&[("c", LINE)]);
    let found = check(&catalog, &section("packages: [{name: p}]"), &both()).unwrap();
    let fate = |installed: &str| {
        let of = found.positions.iter().filter(|position| position.installed == installed);
        of.map(|position| (position.fate, position.cause)).collect::<Vec<_>>()
    };
    assert_eq!(fate("p.v1.2.0"), [(Fate::Ok, None); 2]);
    assert_eq!(fate("p.v1.0.0"), [(Fate::Stranded, Some(Cause::HeadsOnly)); 2]);
    let [remedy] = found.remedies.as_slice() else { panic!("{:?}", found.remedies) };
    assert_eq!((remedy.min_version.as_deref(), remedy.left), (Some("1.1.0"), 0));
    let helped = check(&catalog, &section("packages: [{name: p, minVersion: 1.1.0}]"), &both()).unwrap();
    assert_eq!(helped.failing().count(), 0);
    let asked = Question { installed: vec![("p.v1.1.0".into(), None)], ..both() };
    let found = check(&catalog, &section("packages: [{name: p}]"), &asked).unwrap();
    assert_eq!(
        found.remedies[0].min_version.as_deref(),
        Some("1.2.0"),
        "the smallest that helps who is asked for"
    );
}

#[test]
fn a_channel_that_is_left_out_is_gone_for_those_who_follow_it() {
    let catalog = fixture::catalog(&[("c", LINE), ("d", "1.2.0 replaces=1.1.0\n1.1.0")]);
    let found =
        check(&catalog, &section("packages: [{name: p, channels: [{name: c, minVersion: 1.0.0}]}]"), &both());
    let found = found.unwrap();
    assert!(found.failing().all(|p| p.channel == "d" && p.cause == Some(Cause::NotSelected)), "{found:?}");
    assert_eq!(found.remedies[0].channels, ["d"]);
    assert_eq!(found.remedies[0].left, 0);
}

#[test]
fn what_opm_rejects_is_served_to_nobody_by_classic() {
    let catalog = fixture::catalog(&[("c", LINE), ("d", "1.0.0")]);
    let one = section("packages: [{name: p, minVersion: 1.1.0, maxVersion: 1.1.0}]");
    let found = check(&catalog, &one, &both()).unwrap();
    assert!(!found.rejections.is_empty());
    let classic = found.positions.iter().filter(|position| position.engine == Engine::Classic);
    assert!(classic.map(|position| position.fate).all(|fate| fate == Fate::Unserved));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn the_cut_of_a_cut_is_itself(c in picks::lines(), d in picks::lines(), min in 0_usize..6, max in 0_usize..6) {
        const TEXTS: [&str; 6] = ["", "1.0.0", "1.1.0-0", "1.2", "2.0.0", "3.0.0"];
        let config = format!("packages: [{{name: p, minVersion: '{}', maxVersion: '{}'}}]", TEXTS[min], TEXTS[max]);
        let (catalog, section) = (fixture::catalog(&[("c", &c), ("d", &d)]), section(&config));
        // One version alone may leave channels without entries, and those have no head any more.
        if min == max && min > 0 {
            return Ok(());
        }
        if let Ok(once) = filter(&catalog, &section) {
            let texts = |catalog: &Catalog| catalog.files().iter().map(|file| file.bytes()).collect::<Vec<_>>();
            let again = match filter(&once, &section) {
                Ok(again) => again,
                // Where entries skip each other in a circle, the cut can leave a channel without a head.
                Err(fault) => {
                    let graph = PackageGraph::new(once.package("p").unwrap());
                    let has_no_head = graph.channels().iter().any(|channel| channel.graph.heads().is_empty());
                    prop_assert!(has_no_head, "{config}: {fault}");
                    return Ok(());
                }
            };
            prop_assert_eq!(texts(&again), texts(&once), "{}", config);
            let package = catalog.package("p").unwrap();
            for channel in &once.package("p").unwrap().channels {
                let all = package.channel(channel.name.value.as_str()).unwrap();
                prop_assert!(channel.entries.iter().all(|e| all.entries.iter().any(|a| a.name.value == e.name.value)));
            }
        }
        let full = read(b"full: true").unwrap().remove(0);
        if let Ok(whole) = filter(&catalog, &full) {
            prop_assert_eq!(check(&whole, &full, &both()).unwrap().remedies, []);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[a-zA-Z0-9:{}\\[\\], \n\"'.-]{0,80}") {
        if let Ok(sections) = read(text.as_bytes()) {
            for section in &sections {
                let _ = filter(&load::from_bytes(b"schema: olm.package\nname: p\n".to_vec()), section);
            }
        }
    }
}
