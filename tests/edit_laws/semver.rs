//! Edits of semver templates: an edit of a list changes the line of its image, and undo restores
//! every byte.

use std::sync::Arc;

use olm_bundle::{
    NewBundle,
    template::{CatalogBundles, Options, TemplateDocument, render_template},
};
use olm_catalog::{
    Catalog, KnownBundles, load,
    template::semver::{ChannelKind, List},
    text::canonical::RenderFormat,
};
use olm_edit::{Edit, EditError, RecordedEdit, TemplateChange};
use proptest::prelude::*;

/// Number of known bundles: `pump.v1.<n>.0` with the image `registry.example/pump:<n>`.
const KNOWN_BUNDLES: usize = 8;

fn known_bundle_texts() -> Vec<String> {
    let bundle = |n: usize| {
        format!(
            "schema: olm.bundle\npackage: pump\nname: pump.v1.{n}.0\nimage: registry.example/pump:{n}\nproperties:\n\
             - {{type: olm.package, value: {{packageName: pump, version: 1.{n}.0}}}}\n"
        )
    };
    (0..KNOWN_BUNDLES).map(bundle).collect()
}

fn known_bundles() -> Arc<KnownBundles> {
    let text = known_bundle_texts().join("---\n");
    Arc::new(KnownBundles::from_catalogs([&load::from_bytes(text.into_bytes())]))
}

/// Notation of a template.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is one thing a hand may do")]
struct Notation {
    capitals: bool,
    indented: bool,
    comments: bool,
    dos: bool,
    json: bool,
}

fn notation() -> impl Strategy<Value = Notation> {
    any::<(bool, bool, bool, bool, bool)>().prop_map(|(capitals, indented, comments, dos, json)| Notation {
        capitals,
        indented,
        comments,
        dos,
        json,
    })
}

fn write_template(lists: &[Vec<usize>; 3], manner: Notation) -> String {
    let key = |key: &str| {
        let mut letters = key.chars();
        match letters.next() {
            Some(first) if manner.capitals => first.to_uppercase().chain(letters).collect(),
            _ => key.to_owned(),
        }
    };
    if manner.json {
        let list = |(list, images): (List, &Vec<usize>)| {
            let items: Vec<String> =
                images.iter().map(|n| format!("{{\"image\":\"registry.example/pump:{n}\"}}")).collect();
            format!(",\"{}\":{{\"bundles\":[{}]}}", list.name(), items.join(", "))
        };
        let lists: String =
            List::ALL.into_iter().zip(lists).filter(|(_, images)| !images.is_empty()).map(list).collect();
        return format!("{{\"schema\":\"olm.semver\"{lists}}}\n");
    }
    let mut text = format!("---\n{}: olm.semver\n{}: true\n", key("schema"), key("generateMinorChannels"));
    for (list, images) in List::ALL.into_iter().zip(lists).filter(|(_, images)| !images.is_empty()) {
        text += &format!("{}:\n  {}:\n", key(list.name()), key("bundles"));
        for n in images {
            let (indent, comment) =
                (if manner.indented { "    " } else { "  " }, if manner.comments { "   # nice" } else { "" });
            text += &format!("{indent}- {}: registry.example/pump:{n}{comment}\n", key("image"));
        }
    }
    if manner.dos { text.replace('\n', "\r\n") } else { text }
}

fn list_name() -> impl Strategy<Value = List> {
    prop::sample::select(List::ALL.as_slice())
}

fn image_lists() -> impl Strategy<Value = [Vec<usize>; 3]> {
    let images =
        || prop::sample::subsequence((0..KNOWN_BUNDLES).collect::<Vec<_>>(), 0..KNOWN_BUNDLES).prop_shuffle();
    [images(), images(), images()]
        .prop_filter("something is listed", |lists| lists.iter().any(|l| !l.is_empty()))
}

fn template_change() -> impl Strategy<Value = TemplateChange> {
    let image = || (0..KNOWN_BUNDLES + 2).prop_map(|n| format!("registry.example/pump:{n}"));
    let kind = || prop::sample::select([ChannelKind::Major, ChannelKind::Minor].as_slice());
    prop_oneof![
        3 => (list_name(), image()).prop_map(|(list, image)| TemplateChange::AddImage { list, image }),
        3 => (list_name(), image()).prop_map(|(list, image)| TemplateChange::RemoveImage { list, image }),
        3 => (list_name(), list_name(), image()).prop_map(|(from, to, image)| TemplateChange::MoveImage { from, to, image }),
        1 => (kind(), any::<bool>()).prop_map(|(kind, generate)| TemplateChange::Generate { kind, generate }),
        1 => prop::option::of(kind()).prop_map(|kind| TemplateChange::Prefer { kind }),
    ]
}

fn catalog_text(catalog: &Catalog) -> String {
    String::from_utf8(catalog.files()[0].current_bytes()).unwrap()
}

fn list_images(catalog: &Catalog, list: List) -> Vec<String> {
    let semver = catalog.template().unwrap().semver().unwrap();
    semver.document.images(list).iter().map(|image| image.image.value.clone()).collect()
}

proptest! {
    #![proptest_config(super::test_config(300))]

    #[test]
    fn edited_list_has_requested_images_and_other_lines_stay(
        lists in image_lists(), manner in notation(), changes in prop::collection::vec(template_change(), 1..5),
    ) {
        let mut now = load::from_bytes(write_template(&lists, manner).into_bytes()).with_known_bundles(known_bundles());
        for change in changes {
            let edit = Edit::Template { change: change.clone() };
            let recorded = RecordedEdit::new(&now, edit.clone());
            let before: Vec<Vec<String>> = List::ALL.iter().map(|list| list_images(&now, *list)).collect();
            let after = match olm_edit::apply_edit(&now, &edit) {
                Ok(after) => after,
                Err(EditError::ImageExists { .. } | EditError::NoImageInList { .. }) => continue,
                Err(error) => return Err(TestCaseError::fail(format!("{edit:?}: {error}\n{}", catalog_text(&now)))),
            };
            let told = || format!("{edit:?}\n{}\nbecame\n{}", catalog_text(&now), catalog_text(&after));
            let has = |list: List, image: &str| list_images(&after, list).iter().any(|own| own == image);
            match &change {
                TemplateChange::AddImage { list, image } => prop_assert!(has(*list, image), "{}", told()),
                TemplateChange::RemoveImage { list, image } => prop_assert!(!has(*list, image), "{}", told()),
                TemplateChange::MoveImage { from, to, image } => {
                    prop_assert!(!has(*from, image) && has(*to, image), "{}", told());
                }
                TemplateChange::Generate { .. } | TemplateChange::Prefer { .. } => {}
            }
            // Other images keep their order, and other lines are unchanged.
            for (list, before) in List::ALL.into_iter().zip(&before) {
                let own = match &change {
                    TemplateChange::AddImage { image, .. }
                    | TemplateChange::RemoveImage { image, .. }
                    | TemplateChange::MoveImage { image, .. } => image.as_str(),
                    _ => "",
                };
                let others = |all: &[String]| all.iter().filter(|image| *image != own).cloned().collect::<Vec<_>>();
                prop_assert_eq!(others(before), others(&list_images(&after, list)), "{}", told());
            }
            if !manner.json {
                let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
                let (old, new) = (lines(&catalog_text(&now)), lines(&catalog_text(&after)));
                let gone = old.iter().filter(|line| !new.contains(line)).count();
                let most = 3; // The image, and the two keys of the list, which may become empty.
                prop_assert!(gone <= most, "{gone} lines are gone\n{}", told());
                prop_assert_eq!(catalog_text(&after).contains('\r'), manner.dos, "{}", told());
            }
            prop_assert_eq!(catalog_text(&recorded.replay(&now).unwrap()), catalog_text(&after));
            now = after;
            if now.template().is_none_or(|template| template.semver().is_none()) {
                break;
            }
        }
    }
}

/// A bundle that is not in the catalog is reported by name.
#[test]
fn bundle_missing_in_catalog_is_named() {
    let manner = Notation { capitals: false, indented: false, comments: false, dos: false, json: false };
    let catalog = render_lists(&[vec![], vec![], vec![1]], manner);
    let lists = [vec![], vec![], vec![1, 2]];
    let template =
        load::from_bytes(write_template(&lists, manner).into_bytes()).with_known_bundles(known_bundles());
    let edit = Edit::Template { change: TemplateChange::Prefer { kind: None } };
    let refused = olm_edit::transfer_edit(&edit, &template, &catalog).unwrap_err();
    assert_eq!(refused.to_string(), "no bundle pump.v1.2.0 in the package");
    let unknown = load::from_bytes(write_template(&lists, manner).into_bytes());
    let refused = olm_edit::transfer_edit(&edit, &unknown, &catalog).unwrap_err();
    assert!(matches!(refused, EditError::UnknownImages(2)), "{refused}");
}

/// A concurrent change of the same item is reported as a conflict.
#[test]
fn concurrent_change_of_same_image_is_a_conflict() {
    let text = "schema: olm.semver\nstable:\n  bundles:\n  - image: a:1\n  - image: a:2\n";
    let read = |text: &str| load::from_bytes(text.as_bytes().to_vec());
    let image = "a:2".to_owned();
    let remove = Edit::Template { change: TemplateChange::RemoveImage { list: List::Stable, image } };
    let recorded = RecordedEdit::new(&read(text), remove);
    assert!(recorded.replay(&read(&text.replace("a:2", "a:3"))).is_err());
    assert!(recorded.replay(&read(&format!("{text}  - image: a:4\n"))).is_ok());
    let written = serde_json::to_string(&recorded).unwrap();
    let edit = r#"{"operation":"template","change":"remove-image","list":"stable","image":"a:2"}"#;
    assert!(written.contains(edit), "{written}");
    assert_eq!(serde_json::from_str::<RecordedEdit>(&written).unwrap(), recorded);
}

/// Returns the channels and edges of a catalog.
fn catalog_edges(catalog: &Catalog) -> Vec<String> {
    let mut edges = Vec::new();
    for package in catalog.packages() {
        edges.push(format!("default {:?}", package.default_channel()));
        for channel in &package.channels {
            for entry in &channel.entries {
                let mut spec = entry.to_spec();
                spec.skips.sort();
                edges.push(format!("{} {} {spec:?}", channel.name.value, entry.name.value));
            }
        }
    }
    edges.sort();
    edges
}

/// Renders a catalog from lists.
fn render_lists(lists: &[Vec<usize>; 3], manner: Notation) -> Catalog {
    let template = write_template(lists, manner);
    let known = load::from_bytes(known_bundle_texts().join("---\n").into_bytes());
    let document = TemplateDocument::parse(template.as_bytes(), None).unwrap();
    let rendered =
        render_template(&document, &CatalogBundles::new([&known]), Options::default(), &|_| Vec::new())
            .unwrap();
    load::from_bytes(rendered.to_text(RenderFormat::Yaml).into_bytes())
}

proptest! {
    #![proptest_config(super::test_config(150))]

    /// An edit of the template turns any older rendered catalog into the current render result.
    #[test]
    fn catalog_becomes_rendered_template(before in image_lists(), after in image_lists(), manner in notation()) {
        let catalog = render_lists(&[(0..KNOWN_BUNDLES).collect(), before[1].clone(), before[2].clone()], manner);
        let template = load::from_bytes(write_template(&after, manner).into_bytes()).with_known_bundles(known_bundles());
        let edit = Edit::Template { change: TemplateChange::Prefer { kind: None } };
        let there = olm_edit::transfer_edit(&edit, &template, &catalog).unwrap();
        let made = olm_edit::apply_edit(&catalog, &there);
        let made = made.map_err(|error| TestCaseError::fail(format!("{error}: {there:?}")))?;
        prop_assert_eq!(catalog_edges(&made), catalog_edges(&render_lists(&after, manner)));
        let again = olm_edit::transfer_edit(&edit, &template, &made).unwrap();
        prop_assert_eq!(again, Edit::Several { title: edit.title(), edits: Vec::new() }, "there is nothing left to do");
    }

    /// A catalog that its template generates has what the template generates after an edit. Other catalogs do not follow.
    #[test]
    fn generated_catalog_follows_its_template(
        lists in image_lists(), list in list_name(), n in 0..KNOWN_BUNDLES, remove in any::<bool>(), manner in notation(),
    ) {
        let image = format!("registry.example/pump:{n}");
        let change = if remove {
            TemplateChange::RemoveImage { list, image }
        } else {
            TemplateChange::AddImage { list, image }
        };
        let edit = Edit::Template { change };
        let template = load::from_bytes(write_template(&lists, manner).into_bytes());
        let catalog = render_lists(&lists, manner);
        let Ok(edited) = olm_edit::apply_edit(&template.with_known_bundles(known_bundles()), &edit) else {
            return Ok(());
        };
        let text = known_bundle_texts()[n].clone();
        let new = NewBundle::from_rendered(&load::from_bytes(text.into_bytes()), "").unwrap();
        let follow = |catalog: &Catalog| olm_edit::generate_catalog_edit(&template, &edit, catalog, Some(&new)).unwrap();
        let images: usize = List::ALL.iter().map(|list| list_images(&edited, *list).len()).sum();
        match follow(&catalog) {
            None => prop_assert_eq!(images, 0),
            Some(there) => {
                let made = olm_edit::apply_edit(&catalog, &there);
                let made = made.map_err(|error| TestCaseError::fail(format!("{error}: {there:?}")))?;
                let after = List::ALL.map(|list| {
                    let images = list_images(&edited, list);
                    images.iter().map(|image| image.rsplit(':').next().unwrap().parse().unwrap()).collect()
                });
                prop_assert_eq!(catalog_edges(&made), catalog_edges(&render_lists(&after, manner)));
            }
        }
        let other = render_lists(&[vec![0, 1], vec![2], vec![3]], manner);
        if catalog_edges(&other) != catalog_edges(&catalog) {
            prop_assert_eq!(follow(&other), None);
        }
    }
}
