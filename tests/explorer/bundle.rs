//! Tests of the Bundle screen: content of the selected bundle, from the catalog and from its
//! directory.

use std::{fmt::Write as _, path::Path, sync::Arc};

use insta::assert_snapshot;
use olm_bundle::{outline::Outline, registry::DirectoryContents};
use olm_catalog::load;
use olmap::tui::{
    Effect, Msg, Screen, Source,
    parts::list::ListId,
    session::jobs::bundle_manifests::ManifestRequest,
    work::outcome::{FoundManifests, ManifestLocation, ManifestLookup},
};

use super::support::ExplorerDriver;

const SIZES: [(u16, u16); 6] = [(160, 50), (120, 36), (100, 30), (80, 24), (60, 20), (50, 15)];
const LIGHTHOUSE_DIRECTORY: &str = "tests/fixtures/cli/lighthouse";

/// Opens the bundle directory as a catalog and shows the Bundle screen.
fn open_lighthouse(columns: u16, rows: u16) -> ExplorerDriver {
    let catalog = olm_source::open_path(
        Path::new(LIGHTHOUSE_DIRECTORY),
        &olm_source::OpenOptions::default(),
        &load::Progress::default(),
    )
    .unwrap();
    let mut hand =
        ExplorerDriver::open_source(Source::Path(LIGHTHOUSE_DIRECTORY.into()), catalog, columns, rows);
    hand.press("7");
    hand
}

/// Answers the last request with the content of the directory.
fn answer_from_directory(hand: &mut ExplorerDriver) {
    let asked = hand.last_request::<ManifestRequest>().unwrap();
    let tree = olm_source::read_bundle_directory(Path::new(LIGHTHOUSE_DIRECTORY)).unwrap();
    let inside = Arc::new(Outline::from_directory(&DirectoryContents::from_tree(&tree), &tree));
    let found = FoundManifests {
        location: ManifestLocation::Directory(LIGHTHOUSE_DIRECTORY.into()),
        outline: inside,
    };
    hand.answer(asked, Ok(ManifestLookup::Found(Arc::new(found))));
}

fn open_complete_bundle(columns: u16, rows: u16) -> ExplorerDriver {
    let mut hand = open_lighthouse(columns, rows);
    answer_from_directory(&mut hand);
    hand
}

/// Returns the last copied text.
fn last_copied_text(hand: &ExplorerDriver) -> Option<&str> {
    hand.effects.iter().rev().find_map(|effect| match effect {
        Effect::Copy(copied) => Some(copied.text.as_str()),
        _ => None,
    })
}

#[test]
fn dangers_at_several_sizes() {
    let mut all = String::new();
    for (columns, rows) in SIZES {
        let mut hand = open_complete_bundle(columns, rows);
        hand.press("} } } } j j");
        let _ = write!(all, "== {columns}x{rows}\n{}", hand.screen());
    }
    let mut hand = open_complete_bundle(80, 24);
    hand.press("} } } } j j");
    let _ = write!(all, "== what is what at 80x24\n{}", hand.roles());
    hand.model.settings.ascii = true;
    hand.press("j");
    let screen = hand.screen();
    assert!(screen.is_ascii(), "{screen}");
    let _ = write!(all, "== 80x24 in ASCII\n{screen}");
    assert_snapshot!(all);
}

#[test]
fn catalog_content_at_several_sizes() {
    let mut all = String::new();
    for (columns, rows) in SIZES {
        let mut hand = ExplorerDriver::demo(columns, rows);
        hand.press("/ 'gran' enter l l 7 } } } }");
        let _ = write!(all, "== {columns}x{rows}\n{}", hand.screen());
    }
    assert_snapshot!(all);
}

#[test]
fn directory_is_read_once_and_completes_the_outline() {
    let mut hand = open_lighthouse(120, 36);
    assert!(hand.shows("reading its directory"), "{}", hand.screen());
    assert!(hand.shows("Files                     ?"), "{}", hand.screen());
    hand.press("j k");
    let asked = |hand: &ExplorerDriver| hand.requests::<ManifestRequest>().len();
    assert_eq!(asked(&hand), 1);
    answer_from_directory(&mut hand);
    assert!(hand.shows("from tests/fixtures/cli/lighthouse"), "{}", hand.screen());
    hand.press("/ 'secret' enter");
    assert!(hand.shows("! may read every Secret in the cluster"), "{}", hand.screen());
    assert!(hand.shows("service account lighthouse"), "what it belongs to stays: {}", hand.screen());
    assert!(!hand.shows("Install modes"), "{}", hand.screen());
    assert_eq!(asked(&hand), 1);
}

#[test]
fn stale_answer_is_dropped_and_missing_directory_is_reported() {
    let mut hand = open_lighthouse(120, 36);
    let refusal = olmap::tui::UserError::new("no directory of operators/lighthouse has it");
    // An edited file is read again.
    hand.send(Msg::EditorExited(Ok(())));
    let [first, second] = hand.requests::<ManifestRequest>().try_into().unwrap();
    hand.answer(first, Err(refusal.clone()));
    assert!(hand.shows("reading its directory"), "{}", hand.screen());
    hand.answer(second, Err(refusal));
    assert!(
        hand.shows("the manifests cannot be read: no directory of operators/lighthouse"),
        "{}",
        hand.screen()
    );
    assert!(hand.shows("from olm.csv.metadata"), "{}", hand.screen());
}

#[test]
fn example_is_copied_as_json_and_row_as_its_value() {
    let mut hand = open_complete_bundle(120, 36);
    hand.press("y");
    assert!(!hand.shows("this row"), "a heading has nothing to copy: {}", hand.screen());
    hand.press("esc j y y");
    assert_eq!(last_copied_text(&hand), Some("lighthouse-operator.v2.1.0"));
    hand.press("/ 'examples' enter g j y y");
    let example: serde_json::Value = serde_json::from_str(last_copied_text(&hand).unwrap()).unwrap();
    assert_eq!((&example["kind"], &example["spec"]["lamps"]), (&"Lighthouse".into(), &2.into()));
}

#[test]
fn editor_opens_the_manifest_at_the_line() {
    let mut hand = open_complete_bundle(120, 36);
    hand.press("/ 'metrics' enter G E");
    let spot = hand.effects.iter().find_map(|effect| match effect {
        Effect::OpenEditor { location: spot } => Some(spot.clone()),
        _ => None,
    });
    let path = Path::new(LIGHTHOUSE_DIRECTORY).join("manifests/metrics.service.yaml");
    assert_eq!(spot.map(|spot| (spot.path, spot.line)), Some((path, 1)));
}

#[test]
fn edited_directory_is_read_again() {
    let mut hand = open_complete_bundle(120, 36);
    hand.effects.clear();
    hand.send(Msg::EditorExited(Ok(())));
    answer_from_directory(&mut hand);
    assert!(hand.shows("from tests/fixtures/cli/lighthouse"), "{}", hand.screen());
}

/// The editor opens the location on disk, even if an unsaved edit moves it.
#[test]
fn editor_opens_the_catalog_at_the_line_on_disk() {
    let text = "schema: olm.package\nname: ship\ndefaultChannel: a\n---\nschema: olm.channel\npackage: ship\nname: a\n\
                entries:\n- name: ship.v1\n---\nschema: olm.bundle\npackage: ship\nname: ship.v1\nproperties:\n\
                - type: olm.package\n  value:\n    packageName: ship\n    version: 1.0.0\n\
                - type: olm.csv.metadata\n  value:\n    displayName: Ship\n    maturity: stable\n";
    let line = 1 + text.lines().position(|line| line.contains("maturity")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalog.yaml");
    std::fs::write(&path, text).unwrap();
    let catalog =
        olm_source::open_path(&path, &olm_source::OpenOptions::default(), &load::Progress::default())
            .unwrap();
    let mut hand = ExplorerDriver::open_source(Source::Path(path), catalog, 120, 36);
    let editor = |hand: &mut ExplorerDriver| {
        hand.effects.clear();
        hand.press("E");
        hand.effects.iter().find_map(|effect| match effect {
            Effect::OpenEditor { location: spot } => Some(spot.line),
            _ => None,
        })
    };
    hand.press("l l 7 / 'maturity' enter G");
    assert!(hand.shows(&format!("catalog.yaml:{line}")), "{}", hand.screen());
    assert_eq!(editor(&mut hand), Some(line));
    // The edit adds lines above it.
    hand.press("1 e tab tab '<1.0.0' enter 7");
    assert!(
        hand.shows(&format!("catalog.yaml:{}", line + 1)),
        "the line that it will have: {}",
        hand.screen()
    );
    assert_eq!(editor(&mut hand), Some(line));
}

#[test]
fn sections_are_shown_if_there_is_room_and_lead_to_their_rows() {
    let mut hand = open_complete_bundle(120, 36);
    hand.press("h j j j");
    let (section, _) = hand.model.screens.bundle.selected_section_and_row().unwrap();
    assert_eq!(section.part.heading(), "Cluster requirements");
    assert_eq!(hand.model.focused_list(), ListId::InsideSections);
    hand.press("enter enter");
    assert_eq!(hand.model.focused_list(), ListId::InsideText);
    hand.press("esc");
    assert_eq!(hand.model.focused_list(), ListId::Inside);
    let mut narrow = open_complete_bundle(80, 24);
    narrow.press("} j h");
    let selected = narrow
        .model
        .screens
        .bundle
        .selected_section_and_row()
        .map(|(section, row)| (section.part.heading(), row.is_none()));
    assert_eq!(selected, Some(("Description", true)), "where there are none, to the heading before");
}

#[test]
fn bundle_screen_returns_to_the_previous_screen() {
    for from in ["1", "2", "3"] {
        let mut hand = ExplorerDriver::demo(120, 36);
        hand.press("/ 'gran' enter l l").press(from);
        let before = hand.model.session.navigation.screen;
        hand.press("7");
        assert_eq!(hand.model.session.navigation.screen, Screen::Bundle, "from {from}");
        assert!(hand.shows("[7 Bundle]") && hand.shows("Inside granary-operator"), "{}", hand.screen());
        hand.press("esc");
        assert_eq!(hand.model.session.navigation.screen, before);
        assert!(!hand.shows("[7 Bundle]"), "{}", hand.screen());
    }
    // Enter on the details of a bundle opens the Bundle screen.
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("/ 'gran' enter l l tab enter");
    assert_eq!(hand.model.session.navigation.screen, Screen::Bundle);
}
