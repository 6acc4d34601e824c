//! Tests of fixes: an offered fix removes its finding and adds no error.

use std::path::Path;

use olm_catalog::load;
use olm_check::{
    FindingKey, Severity,
    review::{Consequences, Snapshot},
};
use olmap::tui::Source;

use super::support::ExplorerDriver;

fn broken_demo() -> Snapshot {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo/broken");
    Snapshot::new(load::open_catalog(root).unwrap())
}

#[test]
fn every_fix_of_the_broken_demo_removes_its_finding() {
    let before = broken_demo();
    let mut fixed = Vec::new();
    for finding in before.findings() {
        let Some(fix) = &finding.fix else { continue };
        let catalog = olm_edit::apply_edit(&before.catalog, fix).unwrap();
        let after = before.after_change(catalog);
        let consequences = Consequences::compare_snapshots(&before, &after);
        let key = |finding| FindingKey::from_finding(&before.catalog, finding);
        let gone = consequences.fixed_findings.iter().any(|fixed| key(fixed) == key(finding));
        assert!(gone, "{}: {} does not mend it", finding.message, fix.title());
        fixed.push(finding.rule.id);
    }
    for rule in ["unknown-key", "replaces-nothing"] {
        assert!(fixed.contains(&rule), "{rule} has a fix: {fixed:?}");
    }
}

#[test]
fn dead_end_of_the_demo_is_fixed_after_a_preview() {
    let mut hand = ExplorerDriver::demo(120, 40);
    hand.press("4 / 'dead-end' enter");
    assert!(hand.shows("fixes it"), "{}", hand.screen());
    hand.press(".");
    assert!(hand.shows("Fix stuck") && hand.shows("Fixed findings 1"), "{}", hand.screen());
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 0, "it is shown, not made");
    hand.press("enter");
    assert!(!hand.model.session.snapshot().unwrap().findings().any(|f| f.rule.id == "dead-end"));
    hand.press("6");
    assert!(hand.shows("+  - granary-operator.v2.6.4"), "{}", hand.screen());
}

#[test]
fn dot_on_problems_screen_applies_the_fix() {
    let mut hand = ExplorerDriver::open_source(
        Source::Path("broken".into()),
        broken_demo().catalog.as_ref().clone(),
        120,
        40,
    );
    hand.press("4 / 'unknown-key' enter");
    let count = |hand: &ExplorerDriver| {
        let findings = hand.model.session.snapshot().unwrap().findings();
        findings.filter(|f| f.rule.id == "unknown-key" && f.fix.is_some()).count()
    };
    let before = count(&hand);
    assert!(before > 0);
    hand.press(". enter");
    assert_eq!(count(&hand), before - 1);
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 1);
    hand.press("u");
    assert_eq!(count(&hand), before);
}

#[test]
fn fix_adds_no_error() {
    let before = broken_demo();
    for finding in before.findings().filter(|f| f.severity() != Severity::Error) {
        let Some(fix) = &finding.fix else { continue };
        let after = before.after_change(olm_edit::apply_edit(&before.catalog, fix).unwrap());
        let consequences = Consequences::compare_snapshots(&before, &after);
        let errors: Vec<_> = consequences
            .new_findings
            .iter()
            .filter(|f| f.severity() == Severity::Error)
            .map(|f| &f.message)
            .collect();
        assert!(errors.is_empty(), "{}: {errors:?}", fix.title());
    }
}

#[test]
fn preview_of_single_edit_has_the_height_of_its_text() {
    let mut hand = ExplorerDriver::demo(80, 24);
    hand.press("l j s");
    let screen = hand.screen();
    let lines: Vec<&str> = screen.lines().collect();
    let bottom = lines.iter().rposition(|line| line.contains('╰')).unwrap();
    let inside = lines[..bottom - 1].iter().rev().take_while(|line| !line.contains('─'));
    let blank =
        inside.take_while(|line| line.split('│').any(|part| part.len() > 40 && part.trim().is_empty()));
    assert!(blank.count() <= 1, "{screen}");
}

/// A finding without a single right answer has a choice of edits, each with a preview.
#[test]
fn dot_offers_alternative_fixes() {
    let entries = "- name: ship.v1.0.0\n- name: ship.v1.1.0\n  replaces: ship.v1.0.0\n- name: ship.v1.2.0\n  \
                   replaces: ship.v1.0.0\n";
    let versions = ["1.0.0", "1.1.0", "1.2.0"];
    let yaml = super::base_comparison::package_yaml("ship", &[("stable", entries)], &versions);
    let mut hand = ExplorerDriver::open_yaml(&yaml, 120, 36);
    hand.press("4 / 'multiple-heads' enter .");
    assert!(
        hand.shows("Fix multiple-heads") && hand.shows("make ship.v1.2.0 skip ship.v1.1.0"),
        "{}",
        hand.screen()
    );
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 0, "only a preview");
    hand.press("enter");
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 1);
    let now = hand.model.session.snapshot().unwrap();
    assert!(!now.findings().any(|finding| finding.rule.id == "multiple-heads"), "{}", hand.screen());
}

/// An unreadable object looks like a missing one, so the package says that its file has an error.
#[test]
fn package_in_a_broken_file_names_the_error() {
    let entries = "- name: ship.v1.0.0\n- name: ship.v1.1.0\n  replaces: ship.v1.0.0\n";
    let yaml = super::base_comparison::package_yaml("ship", &[("stable", entries)], &["1.0.0", "1.1.0"])
        + "---\nschema: olm.channel\npackage: ship\nname: beta\nentries:\n\t- name: ship.v1.0.0\n";
    let mut hand = ExplorerDriver::open_yaml(&yaml, 120, 36);
    assert!(hand.shows("What could not be read is missing below"), "{}", hand.screen());
    let row = hand.screen().lines().find(|line| line.starts_with(">ship")).unwrap().to_owned();
    assert!(row.contains('E'), "{row}");
    // An edit would free versions that only look stuck.
    assert!(!hand.shows("looks for an edit"), "{}", hand.screen());
    hand.press(".");
    assert!(hand.shows("a file of ship could not be read completely"), "{}", hand.screen());
    // The effects on the unreadable channel are unknown.
    let unchecked = "ship could not be read completely: effects on its missing objects are not checked.";
    hand.press("l l e tab tab '>=1.0.0' space '<1.1.0'");
    assert!(hand.shows(unchecked), "{}", hand.screen());
    hand.press("enter 6");
    assert!(hand.shows(unchecked), "{}", hand.screen());
}

#[test]
fn finding_without_a_package_names_the_key_of_the_editor() {
    let yaml =
        super::base_comparison::package_yaml("ship", &[("stable", "- name: ship.v1.0.0\n")], &["1.0.0"])
            + "---\nschema: olm.channel\n\tpackage: ship\n";
    let mut hand = ExplorerDriver::open_yaml(&yaml, 120, 36);
    hand.press("4 home");
    assert!(!hand.shows("go there"), "{}", hand.screen());
    hand.press("enter");
    assert!(
        hand.shows("no package of this finding could be read: E opens its line in the editor"),
        "{}",
        hand.screen()
    );
}

/// Problems shows the findings of the package that the user looks at.
#[test]
fn problems_follow_the_selected_package() {
    let two_heads = |name: &str| {
        let entries = format!("- name: {name}.v1.0.0\n- name: {name}.v1.1.0\n");
        super::base_comparison::package_yaml(name, &[("stable", &entries)], &["1.0.0", "1.1.0"])
    };
    let yaml = two_heads("ship") + &two_heads("raft");
    let mut hand = ExplorerDriver::open_yaml(&yaml, 120, 36);
    let selected = |hand: &ExplorerDriver| {
        let screen = hand.screen();
        screen.lines().find(|line| line.starts_with('>')).unwrap_or_else(|| panic!("{screen}")).to_owned()
    };
    for package in ["raft", "ship", "raft"] {
        hand.press(&format!("1 / ctrl-u '{package}' enter 4"));
        assert!(
            selected(&hand).contains(&format!("channel stable has 2 heads: {package}.")),
            "{}",
            hand.screen()
        );
    }
    // The same package keeps the row.
    hand.press("home");
    let first = selected(&hand);
    hand.press("j 1 4");
    assert_ne!(selected(&hand), first, "{}", hand.screen());
}
