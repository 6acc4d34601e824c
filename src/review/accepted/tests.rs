use std::path::PathBuf;

use super::{Accepted, Row};
use crate::{catalog::load, review::Snapshot, validate::Diagnostic};

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

fn judged(text: &str) -> Snapshot {
    Snapshot::new(load::from_bytes(text.as_bytes().to_vec()))
}

fn all(snapshot: &Snapshot) -> Vec<&Diagnostic> {
    snapshot.findings().collect()
}

fn accepting(snapshots: &[&Snapshot]) -> Vec<Row> {
    Accepted::default().accepting(snapshots.iter().map(|s| (&*s.catalog, all(s))))
}

fn file(rows: &[Row]) -> Accepted {
    Accepted::read(PathBuf::from("b.yaml"), Accepted::text(rows).as_bytes()).unwrap()
}

fn left(accepted: &Accepted, snapshot: &Snapshot) -> Vec<&'static str> {
    let rows = accepted.of(&snapshot.catalog, snapshot.findings());
    snapshot
        .findings()
        .zip(rows)
        .filter(|(_, row)| row.is_none())
        .map(|(finding, _)| finding.rule.id)
        .collect()
}

#[test]
fn written_file_accepts_all_findings_but_no_new_ones() {
    let before = judged(CATALOG);
    assert_eq!(all(&before).len(), 2, "the key and the range");
    let accepted = file(&accepting(&[&before]));
    assert_eq!(left(&accepted, &before), [] as [&str; 0]);
    let after = judged(&CATALOG.replace("  comment: latest\n", "  comment: latest\n  commend: it\n"));
    assert_eq!(left(&accepted, &after), ["unknown-key"], "one more of a rule of which one is accepted");
}

#[test]
fn accepted_finding_stays_accepted_after_other_edits() {
    let accepted = file(&accepting(&[&judged(CATALOG)]));
    let moved =
        CATALOG.replace("name: kiln\ndefault", "# One\n# Two\nname: kiln\ndescription: Fires clay.\ndefault");
    assert_eq!(left(&accepted, &judged(&moved)), [] as [&str; 0], "other lines");
    assert_eq!(
        left(&accepted, &judged(&CATALOG.replace("'>=1.0.0'", "\">=1.0.0\""))),
        [] as [&str; 0],
        "other quotes"
    );
    let other = judged(&CATALOG.replace("'>=1.0.0'", "'>=1.0.1'"));
    assert_eq!(left(&accepted, &other), ["range-unbounded"], "another range is another thing");
}

#[test]
fn file_is_sorted_with_one_finding_per_line_and_keeps_reasons() {
    let before = judged(CATALOG);
    let mut rows = accepting(&[&before]);
    rows.reverse();
    for row in &mut rows {
        "old: \"habit\"".clone_into(&mut row.reason);
    }
    let text = Accepted::text(&rows);
    assert_eq!(text.lines().count(), 4, "{text}");
    let known = file(&rows);
    let again = known.accepting(std::iter::once((&*before.catalog, all(&before))));
    assert_eq!(Accepted::text(&again), text);
    let first = "- {rule: range-unbounded, package: kiln, channel: stable, bundle: kiln.v1.1.0, about: ['>=1.0.0'], reason: 'old: \"habit\"'}";
    assert_eq!(text.lines().nth(2), Some(first));
}

#[test]
fn findings_of_two_catalogs_share_a_row_and_those_of_one_are_counted() {
    let one = judged(CATALOG);
    assert_eq!(accepting(&[&one, &one]), accepting(&[&one]));
    let mut rows = accepting(&[&one]);
    assert!(rows.is_sorted_by_key(|row| &row.identity), "{rows:?}");
    rows[0].count = 2;
    assert_eq!(file(&rows).rows[0].count, 2);
}

#[test]
fn mistakes_have_a_line_and_a_hint() {
    let read = |text: &str| Accepted::read(PathBuf::new(), text.as_bytes()).map(|file| file.rows.len());
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

fn stuck() -> Snapshot {
    let bundle = |version: &str| {
        format!(
            "---\nschema: olm.bundle\npackage: kiln\nname: kiln.v{version}\nimage: example.com/kiln:v1\nproperties: \
             [{{type: olm.package, value: {{packageName: kiln, version: {version}}}}}]\n"
        )
    };
    let bundles = ["0.1.0", "1.0.0", "1.1.0", "1.1.1", "1.2.0"].map(bundle).concat();
    judged(&format!("{STUCK}{bundles}"))
}

#[test]
fn rows_of_earlier_versions_accept_stuck_versions() {
    let snapshot = stuck();
    let accepted = |text: &str| left(&Accepted::read(PathBuf::new(), text.as_bytes()).unwrap(), &snapshot);
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
