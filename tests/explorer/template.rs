//! Tests of the Template screen: the lists of a semver template and their edits.

use std::{fmt::Write as _, path::PathBuf, sync::Arc};

use insta::assert_snapshot;
use olm_bundle::template::{CatalogBundles, Options, TemplateDocument, render_template};
use olm_catalog::{
    Catalog, ChannelName, KnownBundles, blob::EntrySpec, load, template::semver::List,
    text::canonical::RenderFormat,
};
use olm_check::review::Snapshot;
use olm_edit::{Edit, operation::NewEntry, transfer_edit};
use olmap::tui::{
    LoadOutcome, Settings, Source, session::jobs::dialog_questions::PreviewRequest, work::preview,
};

use super::support::ExplorerDriver;

const FIXTURE_DIR: &str = "tests/fixtures/template";

fn load_fixture(name: &str) -> Catalog {
    load::open_catalog(PathBuf::from(FIXTURE_DIR).join(name)).unwrap()
}

/// Opens the template. The bundles of the catalog next to it are known, as if published.
pub fn open_template(columns: u16, rows: u16) -> ExplorerDriver {
    let catalog = load_fixture("semver.yaml")
        .with_known_bundles(Arc::new(KnownBundles::from_published([&load_fixture("catalog.yaml")])));
    let source = Source::Path(PathBuf::from(FIXTURE_DIR).join("semver.yaml"));
    let mut hand = ExplorerDriver::before_loading(vec![source.clone()], Settings::default(), columns, rows);
    let outcome =
        LoadOutcome { source, result: Ok(Arc::new(Snapshot::new(catalog))), recoverable_edits: None };
    hand.finish_loads(vec![outcome]);
    hand
}

/// Returns the current text of the template.
fn current_text(hand: &ExplorerDriver) -> String {
    let snapshot = hand.model.session.snapshot().unwrap();
    String::from_utf8(snapshot.catalog.files()[0].current_bytes()).unwrap()
}

fn template_file_text() -> String {
    std::fs::read_to_string(PathBuf::from(FIXTURE_DIR).join("semver.yaml")).unwrap()
}

#[test]
fn template_screen_at_three_sizes() {
    let mut all = String::new();
    for (columns, rows) in [(120, 36), (80, 24), (50, 15)] {
        let mut hand = open_template(columns, rows);
        hand.press("8");
        let _ = write!(all, "== {columns}x{rows}\n{}", hand.screen());
        hand.press("j enter j");
        let _ = write!(all, "== what can be done\n{}", hand.screen());
        hand.press("esc s");
        let _ = write!(all, "== what is generated\n{}", hand.screen());
        hand.press("esc a j j enter");
        hand.press("tab");
        let _ = write!(all, "== a new image\n{}", hand.screen());
    }
    assert_snapshot!(all);
}

#[test]
fn bundle_is_promoted_in_the_template_and_undone() {
    let mut hand = open_template(120, 36);
    hand.press("8 j p");
    assert!(hand.shows("add to stable"), "{}", hand.screen());
    hand.press("j enter");
    let line = "    - image: registry.example/pump@sha256:1100000000000000000000000000000000000000000000000000000000000000\n";
    assert_eq!(current_text(&hand), template_file_text() + line);
    let package = hand.model.session.snapshot().unwrap().package("pump").unwrap().package().clone();
    let edges = |channel: &str| {
        let entry = package.channel(channel).unwrap().entries.last().unwrap().clone();
        (entry.name.value.to_string(), entry.replaces.map(|replaces| replaces.value.to_string()))
    };
    assert_eq!(edges("stable-v1.1"), ("pump.v1.1.0".to_owned(), Some("pump.v1.0.1".to_owned())));
    assert_eq!(package.default_channel().unwrap().as_str(), "stable-v1.1");
    hand.press("u");
    assert_eq!(current_text(&hand), template_file_text());
}

#[test]
fn removing_the_last_image_removes_its_list() {
    let mut hand = open_template(120, 36);
    hand.press("8 G x j enter");
    assert_eq!(current_text(&hand).matches("pump@sha256:100").count(), 1, "{}", current_text(&hand));
    hand.press("G k x j enter");
    assert!(!current_text(&hand).contains("stable:"), "{}", current_text(&hand));
    assert!(hand.model.session.snapshot().unwrap().catalog.template().unwrap().semver().is_some());
    hand.press("u u");
    assert_eq!(current_text(&hand), template_file_text());
}

/// The preview of a typed image shows the generated entries, known or not.
#[test]
fn new_image_shows_the_generated_entries() {
    let mut hand = open_template(120, 36);
    hand.press("8 a j j enter");
    assert!(hand.shows("Bundle image to add to stable"), "{}", hand.screen());
    hand.press("tab");
    assert!(hand.shows("pump.v2.0.0"), "{}", hand.screen());
    assert!(hand.shows("stable-v2.0"), "{}", hand.screen());
    hand.press("ctrl-u 'registry.example/other:9'");
    assert!(hand.shows("no open or published catalog has this image"), "{}", hand.screen());
    hand.press("enter");
    assert!(
        current_text(&hand).ends_with("    - image: registry.example/other:9\n"),
        "{}",
        current_text(&hand)
    );
    assert!(hand.shows("other:9"), "{}", hand.screen());
}

/// Generated channels cannot be edited, and the notice names the lists.
#[test]
fn generated_channels_cannot_be_edited() {
    let mut hand = open_template(120, 36);
    hand.press("l l e");
    hand.press("ctrl-u 'x' enter");
    assert_eq!(current_text(&hand), template_file_text(), "{}", hand.screen());
    assert!(hand.shows("generated from the lists"), "{}", hand.screen());
}

#[test]
fn template_screen_requires_a_semver_template() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("8");
    assert!(hand.shows("not an olm.semver template"), "{}", hand.screen());
}

/// Opens a template whose previews take longer than a frame: 300 bundles, ten per minor version, in
/// two lists.
fn open_long_template() -> ExplorerDriver {
    let (mut lists, mut bundles) = (String::from("schema: olm.semver\n"), String::new());
    let versions: Vec<String> = (0..300).map(|number| format!("1.{}.{}", number / 10, number % 10)).collect();
    for list in ["candidate", "stable"] {
        let _ = writeln!(lists, "{list}:\n  bundles:");
        for version in versions.iter().filter(|version| list == "candidate" || *version != "1.29.9") {
            let _ = writeln!(lists, "  - image: registry.example/pump:{version}");
        }
    }
    for version in &versions {
        let _ = writeln!(
            bundles,
            "---\nschema: olm.bundle\npackage: pump\nname: pump.v{version}\nimage: registry.example/pump:{version}\nproperties:\n- {{type: olm.package, value: {{packageName: pump, version: {version}}}}}"
        );
    }
    let known = Arc::new(KnownBundles::from_published([&load::from_bytes(bundles.into_bytes())]));
    let catalog = load::from_bytes(lists.into_bytes()).with_known_bundles(known);
    let source = Source::Stdin(Arc::default());
    let mut hand = ExplorerDriver::before_loading(vec![source.clone()], Settings::default(), 120, 36);
    let outcome =
        LoadOutcome { source, result: Ok(Arc::new(Snapshot::new(catalog))), recoverable_edits: None };
    hand.finish_loads(vec![outcome]);
    hand
}

/// Returns the requested previews.
fn requested_previews(hand: &ExplorerDriver) -> Vec<Arc<PreviewRequest>> {
    hand.requests()
}

fn answer_preview(hand: &mut ExplorerDriver, asked: Arc<PreviewRequest>) {
    let preview = preview::preview_edit(&asked.snapshot, asked.edit.clone(), &[]);
    hand.answer(asked, preview);
}

/// Keys do not wait for slow previews. One preview is requested at a time, and stale answers are
/// dropped.
#[test]
fn slow_preview_is_shown_later() {
    let mut hand = open_long_template();
    hand.press("8 p");
    assert!(hand.shows("Working out what it changes"), "{}", hand.screen());
    let first = requested_previews(&hand);
    assert_eq!(first.len(), 1);
    hand.press("j");
    assert_eq!(requested_previews(&hand).len(), 1, "one at a time");
    answer_preview(&mut hand, first[0].clone());
    assert!(hand.shows("Working out what it changes"), "that is not what is asked now:\n{}", hand.screen());
    let second = requested_previews(&hand);
    assert_eq!(second.len(), 2);
    answer_preview(&mut hand, second[1].clone());
    assert!(hand.shows("stable-v1.29"), "{}", hand.screen());
    assert_eq!(requested_previews(&hand).len(), 2, "what is known is not asked again");
    hand.press("enter");
    assert!(hand.shows("undo"), "{}", hand.screen());
}

/// An edit accepted before its preview is ready is applied.
#[test]
fn edit_accepted_before_its_preview_is_applied() {
    let mut hand = open_long_template();
    hand.press("8 p enter"); // into fast, which is not there yet
    let semver = hand.model.session.snapshot().unwrap().catalog.template().unwrap().semver().unwrap().clone();
    assert_eq!(semver.document.images(List::Fast).len(), 1);
    let late = requested_previews(&hand).remove(0);
    answer_preview(&mut hand, late);
    assert!(!hand.shows("Working out"), "{}", hand.screen());
}

/// Opens the template and the catalog generated from it; the template is current.
fn open_template_and_catalog() -> ExplorerDriver {
    let catalog = load_fixture("catalog.yaml");
    let made = {
        let template =
            load_fixture("semver.yaml").with_known_bundles(Arc::new(KnownBundles::from_catalogs([&catalog])));
        // The catalog as rendered from the template.
        let document = TemplateDocument::parse(template_file_text().leak().as_bytes(), None).unwrap();
        let bundles = CatalogBundles::new([&catalog]);
        let rendered = render_template(&document, &bundles, Options::default(), &|_| Vec::new()).unwrap();
        let text = rendered.to_text(RenderFormat::Yaml);
        (template, load::from_bytes(text.into_bytes()))
    };
    let sources =
        [Source::Path(PathBuf::from(FIXTURE_DIR).join("semver.yaml")), Source::Stdin(Arc::default())];
    let mut hand = ExplorerDriver::before_loading(sources.to_vec(), Settings::default(), 120, 36);
    let outcomes = sources.into_iter().zip([made.0, made.1]).map(|(source, catalog)| LoadOutcome {
        source,
        result: Ok(Arc::new(Snapshot::new(catalog))),
        recoverable_edits: None,
    });
    hand.finish_loads(outcomes.collect());
    hand
}

fn catalog_edges(hand: &ExplorerDriver, catalog: usize) -> Vec<String> {
    let catalog = &hand.model.session.catalogs.all()[catalog].visible_state().catalog;
    let packages = catalog.packages().flat_map(|package| {
        let default = format!("default {:?}", package.default_channel().map(ChannelName::as_str));
        let entries = package.channels.iter().flat_map(|channel| {
            channel.entries.iter().map(move |entry| {
                let mut spec = entry.to_spec();
                spec.skips.sort();
                format!("{} {} {spec:?}", channel.name.value, entry.name.value)
            })
        });
        std::iter::once(default).chain(entries).collect::<Vec<_>>()
    });
    let mut edges: Vec<String> = packages.collect();
    edges.sort();
    edges
}

/// An edit of a list changes the generated catalog as opm would render it. It takes one dialog and
/// is undone in one step.
#[test]
fn edit_of_the_template_is_applied_to_its_catalog() {
    let mut hand = open_template_and_catalog();
    assert_eq!(catalog_edges(&hand, 0), catalog_edges(&hand, 1), "the catalog is what the template makes");
    let before = catalog_edges(&hand, 0);
    hand.press("8 j p j enter");
    assert_ne!(catalog_edges(&hand, 0), before);
    assert_eq!(catalog_edges(&hand, 1), before);
    hand.press("C");
    assert!(hand.shows("[x]"), "{}", hand.screen());
    hand.press("enter");
    assert_eq!(catalog_edges(&hand, 0), catalog_edges(&hand, 1), "{}", hand.screen());
    hand.press("u");
    assert_eq!(catalog_edges(&hand, 0), before, "{}", hand.screen());
    assert_eq!(catalog_edges(&hand, 1), before);
}

/// Promoting a bundle in the catalog adds its image to the list of the template.
#[test]
fn edit_of_the_catalog_is_transferred_to_its_template() {
    let mut hand = open_template_and_catalog();
    hand.model.session.catalogs.set_current(1);
    let edit = Edit::AddEntry {
        package: "pump".into(),
        channel: "stable-v1.1".into(),
        entry: "pump.v1.1.0".into(),
        spec: EntrySpec::default(),
    };
    let entries = vec![NewEntry { name: "pump.v1.1.0".into(), spec: EntrySpec::default() }];
    let new = Edit::AddChannel { package: "pump".into(), channel: "stable-v1.1".into(), entries };
    let remove = Edit::RemoveEntry {
        package: "pump".into(),
        channel: "stable-v1.0".into(),
        entry: "pump.v1.0.0".into(),
    };
    let open = |hand: &ExplorerDriver, at: usize| {
        hand.model.session.catalogs.all()[at].visible_state().catalog.clone()
    };
    let (catalog, template) = (open(&hand, 1), open(&hand, 0));
    for (made, expected) in [(&edit, 1), (&new, 1), (&remove, 1)] {
        let there = transfer_edit(made, &catalog, &template).unwrap();
        let flat = match &there {
            Edit::Several { edits, .. } => edits.len(),
            _ => 1,
        };
        assert_eq!(flat, expected, "{there:?}");
        let after = olm_edit::apply_edit(&template, &there).unwrap();
        let stable = |catalog: &Catalog| {
            catalog.template().unwrap().semver().unwrap().document.images(List::Stable).len()
        };
        assert_ne!(stable(&after), stable(&template));
    }
    let set = Edit::SetEntry {
        package: "pump".into(),
        channel: "stable-v1.0".into(),
        entry: "pump.v1.0.0".into(),
        spec: EntrySpec::default(),
    };
    assert!(transfer_edit(&set, &catalog, &template).is_err(), "no list says which edges an entry has");
    // The edges of entries above a released or withdrawn one follow from the lists.
    let remove_with_edges = Edit::Several { title: "withdraw".to_owned(), edits: vec![set, remove] };
    let there = transfer_edit(&remove_with_edges, &catalog, &template).unwrap();
    assert!(matches!(there, Edit::Template { .. }), "{there:?}");
    hand.press("u");
}
