//! Tests of upgrade expectations: locating the file, unmet expectations, and adding rows.

use olmap::tui::UserError;
use std::path::PathBuf;
use std::sync::Arc;

use olm_catalog::load;
use olm_check::review::{Snapshot, expect::ExpectedResult};
use olmap::demo::demo;
use olmap::tui::{
    Effect, Msg, Settings, Source, session::upgrade_expectations::ExpectationsRequest,
    work::outcome::AddedRows,
};

use super::support::ExplorerDriver;

/// Two expectations that fail, including a fresh install, and one that is met.
const EXPECTATIONS: &str = "\
- {package: granary-operator, installed: 2.6.4, engine: classic, channel: stable, expect: reaches 3.1.1 within 3 hops}
- {package: granary-operator, engine: classic, expect: pick 3.0.0}
- {package: granary-operator, installed: 2.6.1, engine: classic, expect: pick 3.0.0}
";

/// Opens the package of the demo with the dead end on the Upgrades screen, with an expectations
/// file.
fn open_granary(file: &str, columns: u16, rows: u16) -> ExplorerDriver {
    let mut hand = ExplorerDriver::demo(columns, rows);
    send_expectations(&mut hand, file);
    hand.press("/ 'granary' enter l l 3");
    hand
}

fn send_expectations(hand: &mut ExplorerDriver, file: &str) {
    let (source, path) =
        (hand.model.session.catalogs.all()[0].source.clone(), PathBuf::from("demo/expectations.yaml"));
    hand.answer(Arc::new(ExpectationsRequest { source, path }), Ok(Some(file.into())));
}

/// Returns the path and the rows that the last effect adds.
fn requested_rows(hand: &ExplorerDriver) -> (String, Vec<String>) {
    let Some(Effect::AddExpectations { path, rows, .. }) = hand.effects.last() else {
        panic!("nothing is added: {:?}", hand.effects)
    };
    let words = rows
        .iter()
        .map(|row| format!("{} {} {}", row.traveller.engine().as_str(), row.installed[0], row.expect));
    (path.display().to_string(), words.collect())
}

/// Returns the files that are read when a catalog directory is opened. `beside/NAME` is a file next
/// to the directory.
pub(super) fn requested_files(settings: Settings, path: impl Fn(&Effect) -> Option<PathBuf>) -> Vec<PathBuf> {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("v1");
    std::fs::create_dir(&root).unwrap();
    std::fs::write(root.join("p.yaml"), "schema: olm.package\nname: p\n").unwrap();
    let source = Source::Path(root.clone());
    let mut hand = ExplorerDriver::before_loading(vec![source.clone()], settings, 80, 24);
    let catalog = load::open_catalog(&root).unwrap();
    hand.finish_loading(source, Ok(Snapshot::new(catalog).into()));
    let paths = hand.effects.iter().filter_map(path);
    let shown = |path: PathBuf| match path.strip_prefix(folder.path()) {
        Ok(name) => PathBuf::from("beside").join(name),
        Err(_) => path,
    };
    paths.map(shown).collect()
}

#[test]
fn expectations_are_read_next_to_catalog_directory_or_from_settings() {
    let path = |effect: &Effect| effect.question::<ExpectationsRequest>().map(|asked| asked.path.clone());
    assert_eq!(requested_files(Settings::default(), path), [PathBuf::from("beside/expectations.yaml")]);
    let named = Settings { expectations: Some("mine.yaml".into()), ..Settings::default() };
    assert_eq!(requested_files(named, path), [PathBuf::from("mine.yaml")]);
    let demo = ExplorerDriver::demo(80, 24);
    assert_eq!(demo.effects.iter().filter_map(path).count(), 0, "nothing stands beside the demo");
}

#[test]
fn unmet_expectation_is_shown_in_row_heading_and_reasons() {
    let mut hand = open_granary(EXPECTATIONS, 120, 36);
    hand.press("j j j j");
    insta::assert_snapshot!(hand.screen());
    assert!(hand.shows("2 expectations not met"));
    let mut hand = ExplorerDriver::demo(120, 36);
    send_expectations(&mut hand, EXPECTATIONS);
    hand.press("/ 'tide' enter l l 3");
    assert!(hand.shows("2 expectations not met in other packages"), "{}", hand.screen());
    for (columns, rows) in [(80, 24), (50, 15)] {
        let mut hand = open_granary(EXPECTATIONS, columns, rows);
        hand.press("j j j j");
        insta::assert_snapshot!(format!("unexpected_{columns}x{rows}"), hand.screen());
    }
    let met = open_granary("- {package: granary-operator, expect: pick 3.1.1}\n", 120, 36);
    assert!(met.shows("1 expectation met") && !met.shows("UNEXPECTED"), "{}", met.screen());
    let wrong = open_granary(
        "- {package: granary-operator, expct: x}\n- {package: nobody, expect: error}\n",
        120,
        36,
    );
    assert!(wrong.shows("2 mistakes in expectations.yaml"), "{}", wrong.screen());
}

#[test]
fn expectations_broken_by_unsaved_edits_are_shown_before_saving() {
    let mut hand = open_granary(EXPECTATIONS, 120, 36);
    // 3.1.0 skips 2.6.4, which gives it an upgrade path.
    hand.press("2 g j e tab ctrl-u 'granary-operator.v3.0.1,' space 'granary-operator.v2.6.4' enter 3");
    assert!(
        hand.model.session.catalogs.unsaved_count() == 1 && hand.shows("1 expectation not met"),
        "{}",
        hand.screen()
    );
    hand.press("u");
    assert!(hand.shows("2 expectations not met"), "{}", hand.screen());
    // Without its entry no bundle upgrades to 3.0.0.
    hand.press("2 g j j j x enter 6");
    assert!(hand.shows("Breaks 1 expectation.") && hand.shows("Broken expectations 1"), "{}", hand.screen());
    insta::assert_snapshot!(hand.screen());
}

#[test]
fn selected_row_is_added_to_the_known_file() {
    let mut hand = open_granary(EXPECTATIONS, 120, 36);
    hand.press("j j j j X enter");
    let (path, rows) = requested_rows(&hand);
    assert_eq!(path, "demo/expectations.yaml");
    assert_eq!(
        rows,
        ["classic granary-operator.v2.6.4 stays", "v1 granary-operator.v2.6.4 pick granary-operator.v3.0.1"]
    );
    let source = hand.model.session.catalogs.all()[0].source.clone();
    let bytes = format!(
        "{EXPECTATIONS}- {{package: granary-operator, installed: 2.6.4, engine: v1, expect: stays}}\n"
    );
    let grown = AddedRows { path: path.clone().into(), bytes: bytes.into_bytes(), added: 2 };
    hand.send(Msg::ExpectationsAdded {
        source: source.clone(),
        asked: path.clone().into(),
        outcome: Ok(grown),
    });
    assert!(hand.shows("2 expectations added to demo/expectations.yaml"), "{}", hand.screen());
    assert!(hand.shows("3 expectations not met"), "at once: {}", hand.screen());
    let refused = Err(UserError::new("the disk is full").with_hint("Make room."));
    assert!(hand.model.dialogs.is_empty());
    hand.send(Msg::ExpectationsAdded { source, asked: path.into(), outcome: refused });
    assert!(hand.shows("nothing added: the disk is full. Make room."), "{}", hand.screen());
}

#[test]
fn rows_and_their_path_are_shown_before_they_are_written() {
    for (columns, rows) in [(120, 36), (80, 24), (50, 15)] {
        let mut hand = open_granary(EXPECTATIONS, columns, rows);
        hand.press("j j j j X");
        insta::assert_snapshot!(format!("what_would_be_written_{columns}x{rows}"), hand.screen());
        hand.press("esc");
        assert!(hand.model.dialogs.is_empty());
        let is_written = hand.effects.iter().any(|effect| matches!(effect, Effect::AddExpectations { .. }));
        assert!(!is_written, "{:?}", hand.effects);
    }
    // Existing rows are not shown again, and a flow sequence gets rows in its own style.
    let there = "- {package: granary-operator, engine: classic, channel: stable, \
                 installed: granary-operator.v2.6.4, expect: stays}\n";
    let mut hand = open_granary(there, 120, 36);
    hand.press("j j j j X");
    assert!(
        hand.shows("enter adds 1 row at the end:")
            && hand.shows("+ - {package: granary-operator, engine: v1,")
    );
    let mut hand = open_granary("[]", 120, 36);
    hand.press("X");
    assert!(hand.shows("+ {\"package\":\"granary-operator\""), "{}", hand.screen());
    let mut hand = open_granary("schema: olm.package\n", 120, 36);
    hand.press("X");
    assert!(hand.shows("it is not a list of rows"), "before one tries: {}", hand.screen());
}

#[test]
fn missing_expectations_file_is_prompted_for_and_refusal_keeps_the_input() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("/ 'granary' enter l l 3 X");
    assert!(hand.shows("Add upgrade expectations to"), "{}", hand.screen());
    insta::assert_snapshot!("asked_for_the_file", hand.screen());
    hand.press("ctrl-u 'mine.yaml' enter");
    let (path, rows) = requested_rows(&hand);
    assert_eq!((path.as_str(), rows.len()), ("mine.yaml", 2));
    let source = hand.model.session.catalogs.all()[0].source.clone();
    let refused = Err(UserError::new("mine.yaml: it is not a list of rows"));
    hand.send(Msg::ExpectationsAdded { source: source.clone(), asked: "mine.yaml".into(), outcome: refused });
    assert!(hand.shows("it is not a list of rows"), "{}", hand.screen());
    let grown = AddedRows {
        path: "mine.yaml".into(),
        bytes: b"- {package: granary-operator, expect: pick 3.1.1}".to_vec(),
        added: 1,
    };
    hand.press("enter");
    hand.send(Msg::ExpectationsAdded { source, asked: "mine.yaml".into(), outcome: Ok(grown) });
    assert!(hand.model.dialogs.is_empty() && hand.shows("1 expectation met"), "{}", hand.screen());
}

#[test]
fn expectation_is_added_for_the_current_query() {
    let mut hand = open_granary(EXPECTATIONS, 120, 36);
    hand.model.session.upgrade_query.query.version = ">=2.6.0 <3".to_owned();
    hand.press("j j j j X enter");
    let Some(Effect::AddExpectations { rows, .. }) = hand.effects.last() else {
        panic!("{:?}", hand.effects)
    };
    assert_eq!(rows[1].expect, ExpectedResult::Stays, "v1 stays below 3");
}

#[test]
fn no_row_is_added_in_read_only_mode() {
    let settings = Settings { read_only: Some("for this test".to_owned()), ..Settings::default() };
    let mut hand = ExplorerDriver::before_loading(vec![Source::Demo], settings, 120, 36);
    hand.finish_loading(Source::Demo, Ok(Snapshot::new(demo()).into()));
    hand.press("/ 'granary' enter l l 3 X");
    assert!(hand.shows("read-only: for this test"), "{}", hand.screen());
    assert!(!hand.effects.iter().any(|effect| matches!(effect, Effect::AddExpectations { .. })));
}

#[test]
fn empty_catalog_shows_where_to_look() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ci.yaml"), "fbc: {}\n").unwrap();
    let source = Source::Path(folder.path().to_owned());
    let mut hand = ExplorerDriver::before_loading(vec![source.clone()], Settings::default(), 120, 36);
    let catalog = load::open_catalog(folder.path()).unwrap();
    hand.finish_loading(source, Ok(Snapshot::new(catalog).into()));
    hand.press("2");
    assert!(hand.shows("No packages found. Press 4 for details."), "{}", hand.screen());
}
