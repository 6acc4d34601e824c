use std::path::PathBuf;

use super::{AcceptedFinding, AcceptedFindings};
use crate::{Finding, review::Snapshot};
use olm_catalog::load;

const CATALOG: &str = "\
---
schema: olm.package
name: kiln
defaultChannel: stable
---
schema: olm.channel
package: kiln
name: stable
entries:
- name: kiln.v1.0.0
- name: kiln.v1.1.0
  replaces: kiln.v1.0.0
  skipRange: '>=1.0.0'
  comment: latest
---
schema: olm.bundle
package: kiln
name: kiln.v1.0.0
image: example.com/kiln:v1
properties: [{type: olm.package, value: {packageName: kiln, version: 1.0.0}}]
---
schema: olm.bundle
package: kiln
name: kiln.v1.1.0
image: example.com/kiln:v1
properties: [{type: olm.package, value: {packageName: kiln, version: 1.1.0}}]
";

fn judge_text(text: &str) -> Snapshot {
    Snapshot::new(load::from_bytes(text.as_bytes().to_vec()))
}

fn all_findings(snapshot: &Snapshot) -> Vec<&Finding> {
    snapshot.findings().collect()
}

fn rows_accepting(snapshots: &[&Snapshot]) -> Vec<AcceptedFinding> {
    AcceptedFindings::default().rows_accepting_all(snapshots.iter().map(|s| (&*s.catalog, all_findings(s))))
}

fn parse_accepted(rows: &[AcceptedFinding]) -> AcceptedFindings {
    AcceptedFindings::parse_file(PathBuf::from("b.yaml"), AcceptedFindings::format_file(rows).as_bytes())
        .unwrap()
}

fn unaccepted_rules(accepted: &AcceptedFindings, snapshot: &Snapshot) -> Vec<&'static str> {
    let rows = accepted.match_findings(&snapshot.catalog, snapshot.findings());
    snapshot
        .findings()
        .zip(rows)
        .filter(|(_, row)| row.is_none())
        .map(|(finding, _)| finding.rule.id)
        .collect()
}

#[test]
fn written_file_accepts_all_findings_but_no_new_ones() {
    let before = judge_text(CATALOG);
    assert_eq!(all_findings(&before).len(), 2, "the key and the range");
    let accepted = parse_accepted(&rows_accepting(&[&before]));
    assert_eq!(unaccepted_rules(&accepted, &before), [] as [&str; 0]);
    let after = judge_text(&CATALOG.replace("  comment: latest\n", "  comment: latest\n  commend: it\n"));
    assert_eq!(
        unaccepted_rules(&accepted, &after),
        ["unknown-key"],
        "one more of a rule of which one is accepted"
    );
}

#[test]
fn accepted_finding_stays_accepted_after_other_edits() {
    let accepted = parse_accepted(&rows_accepting(&[&judge_text(CATALOG)]));
    let moved =
        CATALOG.replace("name: kiln\ndefault", "# One\n# Two\nname: kiln\ndescription: Fires clay.\ndefault");
    assert_eq!(unaccepted_rules(&accepted, &judge_text(&moved)), [] as [&str; 0], "other lines");
    assert_eq!(
        unaccepted_rules(&accepted, &judge_text(&CATALOG.replace("'>=1.0.0'", "\">=1.0.0\""))),
        [] as [&str; 0],
        "other quotes"
    );
    let other = judge_text(&CATALOG.replace("'>=1.0.0'", "'>=1.0.1'"));
    assert_eq!(unaccepted_rules(&accepted, &other), ["range-unbounded"], "another range is another thing");
}

#[test]
fn file_is_sorted_with_one_finding_per_line_and_keeps_reasons() {
    let before = judge_text(CATALOG);
    let mut rows = rows_accepting(&[&before]);
    rows.reverse();
    for row in &mut rows {
        "old: \"habit\"".clone_into(&mut row.reason);
    }
    let text = AcceptedFindings::format_file(&rows);
    assert_eq!(text.lines().count(), 4, "{text}");
    let known = parse_accepted(&rows);
    let again = known.rows_accepting_all(std::iter::once((&*before.catalog, all_findings(&before))));
    assert_eq!(AcceptedFindings::format_file(&again), text);
    let first = "- {rule: range-unbounded, package: kiln, channel: stable, bundle: kiln.v1.1.0, about: ['>=1.0.0'], reason: 'old: \"habit\"'}";
    assert_eq!(text.lines().nth(2), Some(first));
}

#[test]
fn findings_of_two_catalogs_share_a_row_and_those_of_one_are_counted() {
    let one = judge_text(CATALOG);
    assert_eq!(rows_accepting(&[&one, &one]), rows_accepting(&[&one]));
    let mut rows = rows_accepting(&[&one]);
    assert!(rows.is_sorted_by_key(|row| &row.identity), "{rows:?}");
    rows[0].count = 2;
    assert_eq!(parse_accepted(&rows).rows[0].count, 2);
}

#[test]
fn mistakes_have_a_line_and_a_hint() {
    let read = |text: &str| {
        AcceptedFindings::parse_file(PathBuf::new(), text.as_bytes()).map(|file| file.rows.len())
    };
    assert_eq!(read(""), Ok(0));
    assert_eq!(read("# nothing yet\n[]\n"), Ok(0));
    for (text, line, says) in [
        ("rule: dead-end\n", 1, "a list"),
        ("- {rule: dead-end}\n- {packge: kiln, rule: dead-end}\n", 2, "unknown key packge"),
        ("- {package: kiln}\n", 1, "rule is missing"),
        ("- {rule: dead-end, bundle: 1.0}\n", 1, "bundle must be a string"),
        ("- {rule: dead-end, count: 0}\n", 1, "count must be an integer"),
        ("- {rule: dead-end\n", 2, "cannot read"),
    ] {
        let mistake = read(text).unwrap_err();
        assert!(mistake.line == line && mistake.message.contains(says), "{text}: {mistake}");
    }
}

/// Package with a stuck channel head and a dead end.
const STUCK: &str = "\
---
schema: olm.package
name: kiln
defaultChannel: stable
---
schema: olm.channel
package: kiln
name: old
entries:
- name: kiln.v0.1.0
---
schema: olm.channel
package: kiln
name: stable
entries:
- name: kiln.v1.2.0
  replaces: kiln.v1.1.0
  skips: [kiln.v1.1.1]
- name: kiln.v1.1.1
  replaces: kiln.v1.1.0
  skips: [kiln.v1.0.0]
- name: kiln.v1.1.0
- name: kiln.v1.0.0
";

fn stuck_snapshot() -> Snapshot {
    let bundle = |version: &str| {
        format!(
            "---\nschema: olm.bundle\npackage: kiln\nname: kiln.v{version}\nimage: example.com/kiln:v1\nproperties: \
             [{{type: olm.package, value: {{packageName: kiln, version: {version}}}}}]\n"
        )
    };
    let bundles = ["0.1.0", "1.0.0", "1.1.0", "1.1.1", "1.2.0"].map(bundle).concat();
    judge_text(&format!("{STUCK}{bundles}"))
}

#[test]
fn rows_of_earlier_versions_accept_stuck_versions() {
    let snapshot = stuck_snapshot();
    let accepted = |text: &str| {
        unaccepted_rules(&AcceptedFindings::parse_file(PathBuf::new(), text.as_bytes()).unwrap(), &snapshot)
    };
    assert_eq!(accepted("[]"), ["stuck", "stuck"]);
    let by_channel = "- {rule: no-way-to-default-channel, package: kiln, channel: old}\n";
    let beside = "- {rule: no-way-to-default-channel, package: kiln, channel: x, about: [old]}\n";
    let dead_end =
        "- {rule: dead-end, package: kiln, channel: stable, bundle: kiln.v1.0.0, about: [kiln.v1.1.1]}\n";
    assert_eq!(accepted(by_channel), ["stuck"]);
    assert_eq!(accepted(beside), ["stuck"]);
    assert_eq!(accepted(dead_end), ["stuck"]);
    assert_eq!(accepted(&format!("{by_channel}{dead_end}")), [] as [&str; 0]);
    let others = [by_channel.replace("old", "stable"), dead_end.replace("1.0.0", "1.1.0")];
    assert_eq!(accepted(&others.concat()), ["stuck"], "the dead end is in channel stable");
}
