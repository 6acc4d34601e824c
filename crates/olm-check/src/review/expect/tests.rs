//! Tests of expectations: a table for each kind, mistakes with their locations, and written files.

use proptest::prelude::*;

use super::{
    ActualResult, AddError, ExpectationReport, Expectations, ExpectedResult, ExtendedFile, NewRow,
    RecordOptions, record_expectations,
};
use crate::review::Snapshot;
use olm_catalog::load;
use olm_upgrade::{Engine, fixture, path::UpgradeContext, v1::Query};

fn snapshot_of_channels(channels: &[(&str, &str)]) -> Snapshot {
    Snapshot::new(fixture::catalog_from_channels(channels))
}

/// 1.9.0 is a dead end for Classic; 4.0.0 is only in `d`; `e` has two heads.
fn sample_snapshot() -> Snapshot {
    snapshot_of_channels(&[
        (
            "c",
            "3.0.0 replaces=2.0.0 skips=2.5.0 range=>=2.0.0_<3.0.0\n2.5.0 skips=1.9.0\n2.0.0 replaces=1.0.0\n1.9.0\n1.0.0",
        ),
        ("d", "4.0.0 replaces=3.0.0\n3.0.0"),
        ("e", "2.0.0\n1.0.0"),
    ])
}

fn parse_expectations(text: &str) -> Expectations {
    Expectations::parse_file("e.yaml".into(), text.as_bytes().to_vec())
}

/// Returns the result of one row: `met`, or the actual result of each case, or the mistake.
fn check_row(snapshot: &Snapshot, row: &str) -> String {
    let file = parse_expectations(&format!("- {{{row}}}\n"));
    assert_eq!(file.mistakes, [], "{row}");
    let report = ExpectationReport::new(&file, snapshot);
    if let Some(mistake) = report.mistakes.first() {
        let hint = mistake.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
        return format!("{}{hint}", mistake.message);
    }
    let cases = report.cases.iter().map(|case| {
        let got = match &case.got {
            _ if case.met => "met".to_owned(),
            ActualResult::Next { next, .. } => {
                let next = next.target().map_or_else(|| format!("{next:?}"), ToString::to_string);
                format!("{}{}", next.split('(').next().unwrap(), if case.is_absent { " absent" } else { "" })
            }
            ActualResult::Way { path, lands, .. } => {
                format!("{} +{} {lands:?}", path.last_bundle(), path.hops.len())
            }
        };
        format!("{} {got}", case.context.engine().as_str())
    });
    cases.collect::<Vec<_>>().join(", ")
}

#[track_caller]
fn assert_rows(snapshot: &Snapshot, rows: &[(&str, &str)]) {
    for (row, outcome) in rows {
        assert_eq!(check_row(snapshot, row), *outcome, "{row}");
    }
}

#[test]
fn pick_is_the_next_upgrade_or_the_fresh_installation() {
    assert_rows(
        &sample_snapshot(),
        &[
            ("installed: 1.0.0, expect: pick 2.0.0", "classic met, v1 met"),
            ("installed: p.v1.0.0, expect: pick p.v2.0.0, engine: v1", "v1 met"),
            ("installed: 1.0.0, expect: pick 3.0.0", "classic p.v2.0.0, v1 p.v2.0.0"),
            ("installed: 1.9.0, expect: pick 2.5.0", "classic Stays, v1 met"),
            ("installed: p.v2.2.0@2.2.0, expect: pick 3.0.0, engine: classic", "classic met"),
            ("installed: [1.0.0, 2.0.0], engine: v1, expect: pick 3.0.0", "v1 p.v2.0.0, v1 met"),
            ("expect: pick 3.0.0", "classic met, v1 p.v4.0.0"),
            ("expect: pick 3.0.0, channel: c", "classic met, v1 met"),
            ("expect: pick 2.0.0, engine: v1, version: '<3', channels: [c, d]", "v1 p.v2.5.0"),
            ("installed: 3.0.0, engine: v1, policy: SelfCertified, expect: pick 4.0.0", "v1 met"),
            // A change may have removed the bundle with an unknown name.
            ("installed: 1.0.0, expect: pick p.v9.0.0, engine: v1", "v1 p.v2.0.0 absent"),
            ("installed: 1.0.0, expect: pick 9.0.0, engine: v1", "v1 p.v2.0.0 absent"),
            (
                "installed: 3.0.0, channels: [c, d], engine: classic, expect: pick 4.0.0",
                "classic Stays, classic met",
            ),
        ],
    );
}

#[test]
fn staying_is_not_an_error_and_an_error_is_not_staying() {
    assert_rows(
        &sample_snapshot(),
        &[
            ("installed: 3.0.0, expect: stays, channel: c", "classic met, v1 met"),
            ("installed: 3.0.0, expect: stays", "classic met, v1 p.v4.0.0"),
            ("installed: 1.9.0, expect: stays", "classic met, v1 p.v2.5.0"),
            ("installed: 1.0.0, expect: stays, engine: classic, channel: e", "classic Error"),
            ("installed: 1.0.0, expect: error, engine: classic, channel: e", "classic met"),
            ("installed: 1.0.0, expect: error, engine: classic", "classic p.v2.0.0"),
            ("expect: error, engine: classic, channel: e", "classic met"),
            ("expect: error, engine: v1, version: '>9'", "v1 met"),
            ("expect: error, engine: v1", "v1 p.v4.0.0"),
        ],
    );
}

#[test]
fn reaches_counts_upgrades_until_it_lands() {
    assert_rows(
        &sample_snapshot(),
        &[
            ("installed: 1.0.0, expect: reaches 3.0.0 within 2 hops", "classic met, v1 met"),
            (
                "installed: 1.0.0, expect: reaches 3.0.0 within 1 hop, engine: classic",
                "classic p.v3.0.0 +2 Some(2)",
            ),
            ("installed: 1.0.0, expect: reaches 3.0.0", "classic met, v1 met"),
            ("installed: 3.0.0, expect: reaches 3.0.0 within 0 hops", "classic met, v1 met"),
            ("installed: 1.0.0, expect: reaches 4.0.0", "classic p.v3.0.0 +2 None, v1 met"),
            ("installed: 1.0.0, expect: reaches 2.5.0, engine: v1", "v1 p.v4.0.0 +3 None"),
            ("installed: 1.9.0, expect: reaches 3.0.0 within 9 hops", "classic p.v1.9.0 +0 None, v1 met"),
            ("installed: 1.0.0, expect: reaches p.v9.9.9, engine: v1", "v1 p.v4.0.0 +3 None"),
            (
                "installed: 1.0.0, expect: reaches 2.0.0, channel: e",
                "classic p.v1.0.0 +0 None, v1 p.v1.0.0 +0 None",
            ),
        ],
    );
}

#[test]
fn cycle_ends_a_path() {
    let circle = snapshot_of_channels(&[("c", "2.0.0 replaces=1.0.0 range=<9.0.0\n1.0.0 range=<9.0.0")]);
    let both = "2.0.0 replaces=1.0.0\n1.0.0\n1.0.0+x";
    assert_rows(
        &circle,
        &[
            ("installed: 1.0.0, expect: reaches 2.0.0 within 1 hop", "classic met, v1 met"),
            ("installed: 2.0.0, expect: reaches 9.9.9, engine: classic", "classic p.v2.0.0 +0 None"),
        ],
    );
    // v1 treats a bundle of the same version as the installed one, and alternates between them.
    let twins = snapshot_of_channels(&[("c", both)]);
    let ends = check_row(&twins, "installed: 1.0.0, engine: v1, version: <2, expect: reaches 2.0.0");
    assert!(ends.ends_with("None"), "{ends}");
}

#[test]
fn never_lands_applies_to_bundles_that_only_these_channels_have() {
    assert_rows(
        &sample_snapshot(),
        &[
            ("installed: 1.0.0, expect: never lands on d, engine: classic", "classic met"),
            ("installed: 1.0.0, expect: never lands on d, engine: v1", "v1 p.v4.0.0 +3 Some(3)"),
            ("installed: 1.0.0, expect: never lands on d, engine: v1, channel: c", "v1 met"),
            ("installed: 1.0.0, expect: never lands on d, engine: v1, version: <4", "v1 met"),
            // 2.0.0 is in e and c, so it does not count as landing on e.
            ("installed: 1.0.0, expect: never lands on e", "classic met, v1 met"),
            ("installed: 1.0.0, expect: 'never lands on [de]', engine: v1", "v1 p.v4.0.0 +3 Some(3)"),
            ("installed: 1.0.0, expect: never lands on *, engine: classic", "classic p.v3.0.0 +2 Some(1)"),
            // The installed bundle does not count as landing.
            ("installed: 4.0.0, expect: never lands on d, engine: v1", "v1 met"),
        ],
    );
}

#[test]
fn missing_names_are_mistakes() {
    assert_rows(
        &sample_snapshot(),
        &[
            ("package: ghost, expect: error", "no package ghost in the catalog (packages: p)"),
            ("channel: stable, expect: error", "no channel stable in p (channels: c, d, e)"),
            (
                "installed: p-v1.0.0, expect: stays",
                "p-v1.0.0: no such bundle in the package (did you mean p.v1.0.0? A bundle that is no \
                 longer in the catalog needs its version: NAME@1.2.3)",
            ),
            ("installed: 1.0.0, expect: pick p-v2.0.0", "no bundle p-v2.0.0 in p (did you mean p.v2.0.0?)"),
            (
                "installed: 1.0.0, expect: never lands on nightly",
                "no channel nightly in p (channels: c, d, e)",
            ),
        ],
    );
    let two = "---\nschema: olm.package\nname: a\n---\nschema: olm.package\nname: b\n";
    let two = Snapshot::new(load::from_bytes(two.into()));
    assert_rows(
        &two,
        &[
            ("expect: error", "which package? (set one with package: a, b)"),
            ("package: a, expect: error", "a has no default channel (set one with channel: )"),
        ],
    );
}

#[test]
fn all_mistakes_are_reported_at_once_with_location() {
    let text = "\
- {pakage: p, expect: stays, installed: 1.0.0}
- installed: 1.10
  expect: pik 2.0.0
- just words
- {installed: 1.0.0, engine: v2, channel: c, channels: [d], expect: stays}
- {installed: 1.0.0, engine: classic, version: '>=1', expect: stays}
- {installed: 1.0.0, version: '>=one', policy: Self, expect: stays}
- {expect: stays}
- {installed: 1.0.0, installed: 1.0.0, expect: pick 1.0.0}
- {installed: [], channel: '', expect: reaches x within two hops}
- {package: p}
- {package: p, expect: error, expectations: [{expect: error, expetc: 1}]}
- {installed: 1.0.0, expect: stays}
---
- {expect: error}
";
    let file = parse_expectations(text);
    let told: Vec<String> = file
        .mistakes
        .iter()
        .map(|mistake| {
            let at = file.location_of(mistake.span);
            let hint = mistake.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
            format!("{}:{} {}{hint}", at.line, at.column, mistake.message)
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r#"
    1:4 unknown key pakage (did you mean package?)
    2:14 installed must be a string, not a number (put it in quotes: installed: '1.10')
    3:11 "pik 2.0.0" is not an expectation (did you mean pick? Expectations are pick NAME, stays, error, reaches NAME within N hops, never lands on CHANNEL)
    4:3 a row must be a mapping, not a string (such as {installed: 1.2.0, expect: pick 1.3.0})
    5:30 unknown engine v2 (engines are classic, v1, both)
    5:46 channel and channels in the same row (use only one of them)
    6:39 Classic has no version (only v1 uses it; remove it, or engine: classic)
    7:31 not a version constraint: a version is expected, not `o`
    7:48 unknown policy Self (policies are CatalogProvided, SelfCertified)
    8:12 stays needs an installed version (such as installed: 1.2.0; for a fresh install expect pick NAME or error)
    9:22 duplicate key installed
    9:48 1.0.0 is the installed version, not an upgrade (if there is no upgrade, write expect: stays)
    10:15 installed is an empty list (remove it)
    10:28 channel is empty
    10:40 "reaches x within two hops" is not an expectation (add a number of hops: reaches NAME within 3 hops)
    11:3 the row has no expect (such as expect: stays)
    12:16 expect and expectations in the same row (put expect in the rows of the group)
    12:62 unknown key expetc (did you mean expect?)
    14:1 more than one document (put all rows in one list)
    "#);
    assert_eq!(file.rows.len(), 1, "the last of the list");
    for (text, message) in [
        ("a: [", "cannot read"),
        ("words", "rows must be a list, not a string"),
        ("{package: p, expect: error}", "rows must be a list, not a mapping"),
        ("expectations: 3", "rows must be a list, not a number"),
        ("\u{0}", "cannot read"),
    ] {
        let file = self::parse_expectations(text);
        assert!(
            file.mistakes.len() == 1 && file.mistakes[0].message.contains(message),
            "{:?}",
            file.mistakes
        );
    }
    for text in ["", "# nothing\n", "[]", "---\n"] {
        let file = self::parse_expectations(text);
        assert!(file.rows.is_empty() && file.mistakes.is_empty(), "{text:?} {:?}", file.mistakes);
    }
}

#[test]
fn row_inherits_fields_of_its_group() {
    let groups = "\
package: p
expectations:
- {installed: 3.0.0, engine: v1, expect: pick 4.0.0}
- engine: classic
  channel: d
  expectations:
  - {installed: 3.0.0, expect: pick 4.0.0}
  - {installed: 3.0.0, channels: [c], expect: stays}
  - {installed: 3.0.0, channel: c, engine: both, expect: stays}
";
    let file = parse_expectations(groups);
    assert_eq!(file.mistakes, []);
    let report = ExpectationReport::new(&file, &sample_snapshot());
    assert_eq!((report.cases.len(), report.failing_rows(), &report.mistakes), (5, vec![], &vec![]));
    assert_eq!(file.location_of(file.rows[1].span).line, 7);
    let json = r#"[{"package": "p", "installed": "3.0.0", "engine": "v1", "expect": "pick 4.0.0"}]"#;
    assert!(
        ExpectationReport::new(&self::parse_expectations(json), &sample_snapshot()).failing_rows().is_empty()
    );
}

#[test]
fn deeply_nested_groups_are_rejected_without_overflow() {
    let mut text = String::new();
    for depth in 0..200 {
        text += &format!("{:1$}- expectations:\n", "", depth * 2);
    }
    let file = parse_expectations(&text);
    assert_eq!(file.mistakes.len(), 1, "{:?}", file.mistakes);
}

#[test]
fn expected_results_parse_as_they_are_formatted() {
    for text in [
        "pick a b",
        "stays",
        "error",
        "reaches x",
        "reaches x within 1 hop",
        "reaches x within 3 hops",
        "never lands on a*",
    ] {
        assert_eq!(ExpectedResult::parse(text).unwrap().to_string(), text);
    }
    for text in [
        "",
        "pick",
        "picks x",
        "stays here",
        "reaches",
        "reaches x within hops",
        "never",
        "never lands on ",
        "x",
    ] {
        assert!(ExpectedResult::parse(text).is_err(), "{text}");
    }
}

fn new_row(traveller: UpgradeContext, installed: &[&str], expect: &str) -> NewRow {
    NewRow {
        package: "p".into(),
        traveller,
        installed: installed.iter().map(|name| (*name).into()).collect(),
        expect: ExpectedResult::parse(expect).unwrap(),
    }
}

#[test]
fn row_is_added_without_other_changes() {
    let rows = [
        new_row(UpgradeContext::Classic("c".into()), &["p.v1.0.0"], "stays"),
        new_row(
            UpgradeContext::V1(Query {
                channels: vec!["c".into(), "4.1".into()],
                version: ">=1, <2".into(),
                ..Query::default()
            }),
            &["p.v1.0.0"],
            "pick p.v1.1.0",
        ),
    ];
    let block = r#"- {package: p, engine: classic, channel: c, installed: p.v1.0.0, expect: stays}
- {package: p, engine: v1, channels: [c, "4.1"], version: '>=1, <2', installed: p.v1.0.0, expect: pick p.v1.1.0}
"#;
    let added = |text: &str| {
        ExtendedFile::new(&parse_expectations(text), &rows)
            .map(|added| String::from_utf8(added.bytes).unwrap())
    };
    for before in ["", "# a comment\n", "- {expect: error}\n", "---\n- expect: error # why\n\n# the end\n"] {
        assert_eq!(added(before), Ok(format!("{before}{block}")));
    }
    assert_eq!(added("- {expect: error}"), Ok(format!("- {{expect: error}}\n{block}")));
    assert_eq!(
        added("- {expect: error}\r\n"),
        Ok(format!("- {{expect: error}}\r\n{}", block.replace('\n', "\r\n")))
    );
    let indented = format!("  {}\n", block.trim_end().replace('\n', "\n  "));
    let group = "package: p\nexpectations:\n  - expect: error\n";
    assert_eq!(added(group), Ok(format!("{group}{indented}")));
    let json = added("[\n  {\"expect\": \"error\"}\n]\n").unwrap();
    assert!(json.starts_with("[\n  {\"expect\": \"error\"},\n{") && json.ends_with("}\n]\n"), "{json}");
    assert_eq!(serde_json::from_str::<Vec<serde_json::Value>>(&json).unwrap().len(), 3);
    assert!(added("[]").unwrap().starts_with("[{"));
    assert_eq!(added("words"), Err(AddError::NoList));
    assert_eq!(added("a: ["), Err(AddError::NoList));
    // Text after the list, or a comma before the bracket, prevents adding rows.
    for before in
        ["expectations:\n- expect: error\npackage: p\n", "- expect: error\n...\n", "[{expect: error},]"]
    {
        assert!(matches!(added(before), Err(AddError::Layout) | Ok(_)), "{before}");
        if let Ok(after) = added(before) {
            assert_eq!(parse_expectations(&after).rows.len(), 3, "{after}");
        }
    }
}

fn record_all() -> RecordOptions {
    RecordOptions { packages: Vec::new(), channels: Vec::new(), engines: Engine::BOTH }
}

/// Asserts that the catalog meets its recorded expectations, row by row; returns the number of answers.
fn assert_met(snapshot: &Snapshot, wish: &RecordOptions) -> usize {
    let Some(text) = record_expectations(snapshot, "a: catalog\n# 'x", wish) else { return 0 };
    let file = parse_expectations(&text);
    assert_eq!(file.mistakes, [], "{text}");
    let report = ExpectationReport::new(&file, snapshot);
    assert_eq!((report.failing_rows(), &report.mistakes), (vec![], &vec![]), "{text}");
    report.cases.len()
}

#[test]
fn unusual_names_are_recorded_so_that_they_parse_again() {
    let yaml = "---\nschema: olm.package\nname: '4.1: #x'\ndefaultChannel: '4.10'\n---\nschema: olm.channel\npackage: '4.1: #x'\nname: '4.10'\nentries:\n\
        - {name: 'yes', replaces: ' a, b '}\n- {name: ' a, b ', replaces: 1.0.0}\n- {name: 1.0.0, replaces: \"\\n\"}\n- name: \"\\n\"\n";
    let bundle = |name: &str, version: &str| {
        format!(
            "---\nschema: olm.bundle\npackage: '4.1: #x'\nname: {name}\nproperties:\n- type: olm.package\n  value: {{packageName: '4.1: #x', version: {version}}}\n"
        )
    };
    // A name equals another bundle's version, and two bundles have the same version.
    let bundles = [("'yes'", "3.0.0"), ("' a, b '", "1.0.0"), ("1.0.0", "0.9.0"), ("\"\\n\"", "0.9.0")];
    let bundles: String = bundles.iter().map(|(name, version)| bundle(name, version)).collect();
    let snapshot = Snapshot::new(load::from_bytes(format!("{yaml}{bundles}").into_bytes()));
    assert_eq!(assert_met(&snapshot, &record_all()), 10);
}

#[test]
fn second_document_is_located_even_if_it_is_short() {
    let file = parse_expectations("{}a");
    let more = file.mistakes.iter().find(|mistake| mistake.message == "more than one document");
    assert_eq!(more.map(|more| (more.span.start, more.span.end)), Some((2, 3)));
}

proptest! {
    #[test]
    fn recorded_expectations_are_met(first in fixture::any_channel_lines(), second in fixture::any_channel_lines(), named in any::<bool>()) {
        let snapshot = snapshot_of_channels(&[("c", first.as_str()), ("d 4.10", second.as_str())]);
        let mut wish = record_all();
        if named {
            wish.channels = vec!["d 4.10".into(), "c".into()];
        }
        let bundles = snapshot.package("p").unwrap().package().channels[0].entries.len();
        prop_assert!(assert_met(&snapshot, &wish) >= 2 * bundles);
    }

    #[test]
    fn any_file_can_be_read(text in "[-{}\\[\\]:, \na-z'\"#]{0,80}") {
        let file = parse_expectations(&text);
        for mistake in &file.mistakes {
            let at = file.location_of(mistake.span);
            prop_assert!(at.line > 0 && at.column > 0 && at.bytes.end <= text.len(), "{mistake:?}");
        }
    }
}
