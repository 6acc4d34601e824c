//! Tests of accepted findings: they fold into one row and are not counted.

use std::path::PathBuf;
use std::sync::Arc;

use insta::assert_snapshot;
use olm_check::{
    Finding, Severity,
    review::accepted::{AcceptedFinding, AcceptedFindings},
};
use olmap::tui::{Effect, Settings, UserError, session::accepted_findings::AcceptedRequest};

use super::{expecting::requested_files, support::ExplorerDriver};

/// Sends the content of the baseline file next to the catalog.
fn send_baseline(hand: &mut ExplorerDriver, outcome: Result<Option<Vec<u8>>, UserError>) {
    let source = hand.model.session.catalogs.all()[0].source.clone();
    let path = PathBuf::from("demo/baseline.yaml");
    hand.answer(Arc::new(AcceptedRequest { source, path }), outcome);
}

/// Returns a baseline file that accepts the matching findings.
pub fn baseline_accepting(hand: &ExplorerDriver, which: impl Fn(&Finding) -> bool, reason: &str) -> Vec<u8> {
    let snapshot = hand.model.session.snapshot().unwrap();
    let findings = snapshot.findings().filter(|finding| which(finding)).collect();
    let rows =
        AcceptedFindings::default().rows_accepting_all(std::iter::once((&*snapshot.catalog, findings)));
    let rows: Vec<AcceptedFinding> =
        rows.into_iter().map(|row| AcceptedFinding { reason: reason.to_owned(), ..row }).collect();
    AcceptedFindings::format_file(&rows).into_bytes()
}

fn hand_with_accepted_warnings(columns: u16, rows: u16) -> ExplorerDriver {
    let mut hand = ExplorerDriver::demo(columns, rows);
    let file =
        baseline_accepting(&hand, |finding| finding.severity() == Severity::Warning, "known since 2024");
    send_baseline(&mut hand, Ok(Some(file)));
    hand
}

fn selected_problem_row(hand: &ExplorerDriver) -> usize {
    hand.model.list_cursor(olmap::tui::parts::list::ListId::Problems).unwrap()
}

#[test]
fn baseline_is_read_next_to_catalog_directory_or_from_settings() {
    let path = |effect: &Effect| effect.question::<AcceptedRequest>().map(|asked| asked.path.clone());
    assert_eq!(requested_files(Settings::default(), path), [PathBuf::from("beside/baseline.yaml")]);
    let named = Settings { accepted: Some("mine.yaml".into()), ..Settings::default() };
    assert_eq!(requested_files(named, path), [PathBuf::from("mine.yaml")]);
}

#[test]
fn accepted_findings_fold_into_one_row_and_are_not_counted() {
    let before = ExplorerDriver::demo(120, 36);
    let warnings = before.model.session.open_finding_count(Severity::Warning);
    assert!(warnings > 1 && before.shows(&format!("{warnings} warnings")), "{}", before.screen());
    let mut hand = hand_with_accepted_warnings(120, 36);
    assert!(hand.shows("0 warnings"), "{}", hand.screen());
    hand.press("4 G");
    assert!(hand.shows(&format!("{warnings} findings accepted")), "{}", hand.screen());
    let folded = selected_problem_row(&hand);
    assert!(hand.shows("enter show them"), "{}", hand.screen());
    hand.press("enter");
    assert_eq!(selected_problem_row(&hand), folded, "the cursor stays on the row");
    hand.press("j");
    assert!(hand.shows("accepted: known since 2024"), "{}", hand.screen());
    hand.press("F");
    assert_eq!(selected_problem_row(&hand), folded, "what was folded away cannot be selected");
    assert!(!hand.shows("accepted: known"), "{}", hand.screen());
}

#[test]
fn package_marks_and_about_screen_ignore_accepted_findings() {
    let mut hand = ExplorerDriver::demo(120, 36);
    // Name, bundles, stuck versions, mark of the worst finding.
    let row = |hand: &ExplorerDriver, name: &str| {
        hand.screen().lines().find(|line| line.contains(name)).unwrap().to_owned()
    };
    let has_mark = |hand: &ExplorerDriver, name: &str| {
        row(hand, name).split('│').next().unwrap().trim_end().ends_with('!')
    };
    assert!(has_mark(&hand, "granary-operator"), "{}", hand.screen());
    hand.press("I a");
    let warnings = hand.model.session.open_finding_count(Severity::Warning);
    assert!(hand.shows(&format!("0 errors, {warnings} warnings")), "{}", hand.screen());
    let mut hand = hand_with_accepted_warnings(120, 36);
    assert!(!has_mark(&hand, "granary-operator"), "{}", hand.screen());
    hand.press("I a");
    assert!(hand.shows("0 errors, 0 warnings"), "{}", hand.screen());
    let mut hand = ExplorerDriver::demo(120, 36);
    let file =
        baseline_accepting(&hand, |f| f.package.as_ref().is_some_and(|of| of == "orrery-operator"), "");
    send_baseline(&mut hand, Ok(Some(file)));
    let marked = |name: &str| has_mark(&hand, name);
    assert!(marked("granary-operator") && !marked("orrery-operator"), "{}", hand.screen());
}

#[test]
fn accepted_row_at_three_sizes() {
    for (columns, rows) in [(120, 36), (80, 24), (50, 15)] {
        let mut hand = hand_with_accepted_warnings(columns, rows);
        hand.press("4 G");
        assert_snapshot!(format!("accepted_{columns}x{rows}"), hand.screen());
    }
    let mut hand = hand_with_accepted_warnings(80, 24);
    hand.press("4 G enter j");
    assert_snapshot!("accepted_open_80x24", hand.screen());
}

#[test]
fn jump_to_accepted_finding_opens_the_row() {
    let mut hand = ExplorerDriver::demo(120, 36);
    let file = baseline_accepting(&hand, |finding| finding.rule.id == "stuck", "");
    let before = hand.model.session.open_finding_count(Severity::Warning);
    send_baseline(&mut hand, Ok(Some(file)));
    let accepted = before - hand.model.session.open_finding_count(Severity::Warning);
    assert!(accepted > 0);
    hand.press("ctrl-p '!stuck' enter");
    if hand.model.session.navigation.screen == olmap::tui::Screen::Problems {
        assert!(hand.shows("accepted: no reason given"), "{}", hand.screen());
    }
}

#[test]
fn invalid_baseline_is_reported_and_accepts_nothing() {
    let mut hand = ExplorerDriver::demo(120, 36);
    let before = hand.model.session.open_finding_count(Severity::Warning);
    send_baseline(&mut hand, Ok(Some(b"- {rul: dead-end}\n".to_vec())));
    assert!(hand.shows("baseline.yaml:1: unknown key rul, so no findings are accepted"), "{}", hand.screen());
    assert_eq!(hand.model.session.open_finding_count(Severity::Warning), before);
    let mut hand = ExplorerDriver::demo(120, 36);
    send_baseline(&mut hand, Err(UserError::new("permission denied")));
    assert!(hand.shows("permission denied"), "{}", hand.screen());
    hand.press("esc 4 F");
    assert!(hand.shows("no accepted findings"), "{}", hand.screen());
}

#[test]
fn accepted_findings_do_not_affect_package_order_or_graph() {
    let packages = |hand: &mut ExplorerDriver| {
        hand.press("S S S");
        let names = hand.model.screens.packages.package_names();
        names.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let mut hand = ExplorerDriver::demo(120, 36);
    let worst = packages(&mut hand)[0].clone();
    let file = baseline_accepting(&hand, |f| f.package.as_ref().is_some_and(|of| of.as_str() == worst), "");
    send_baseline(&mut hand, Ok(Some(file)));
    let now: Vec<String> =
        hand.model.screens.packages.package_names().iter().map(ToString::to_string).collect();
    assert_ne!(now[0], worst, "{}", hand.screen());
    let package = worst.as_str().into();
    assert_eq!(hand.model.session.open_findings_of(&package).count(), 0);
    assert!(hand.model.session.snapshot().unwrap().package(&worst).is_some_and(|it| !it.findings.is_empty()));
}
