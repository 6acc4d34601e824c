//! Tests that every way of reading gives the same catalog.

use proptest::prelude::*;

use super::*;
use crate::load;

/// Formats the whole content of a catalog.
fn format_content(catalog: &Catalog) -> String {
    let packages = catalog.packages().map(|p| {
        let names = (p.bundles.iter().map(|b| p.bundle(b.name.value.as_str()).map(|b| b.doc)))
            .chain(p.channels.iter().map(|c| p.channel(c.name.value.as_str()).map(|c| c.doc)));
        let blobs = (&p.definitions, &p.channels, &p.bundles, &p.deprecations, &p.others, &p.problems);
        format!("{:?}\n{:#?}\n{:?}\n", p.name, blobs, names.collect::<Vec<_>>())
    });
    let packages: String = packages.collect();
    format!("{packages}{:#?}\n{:#?}\n{:?}", catalog.others(), catalog.problems(), catalog.missing_part())
}

/// Generates documents of four packages, of none, invalid ones, and ones without a usual heading.
fn any_document() -> impl Strategy<Value = String> {
    let schema =
        prop::sample::select(vec!["olm.package", "olm.channel", "olm.bundle", "olm.deprecations", "vendor"]);
    let package = prop::sample::select(vec!["a", "b", "c", "dd", ""]);
    (schema, package, 0..9u8, 0..12u8).prop_map(|(schema, package, number, style)| {
        let (home, name) = match schema {
            "olm.package" => ("other".to_owned(), package.to_owned()),
            "olm.bundle" => (package.to_owned(), format!("{package}.v{number}.0.0")),
            _ => (package.to_owned(), format!("n{number}")),
        };
        match style {
            0 => format!("---\nname: {name}\npackage: {home}\nproperties:\n- type: x\n  value:\n    package: b\nschema: {schema}\n"),
            1 => format!("---\nSchema: {schema}\nPACKAGE: {home}\nname: {name}\n"),
            2 => format!("---\nschema: &s '{schema}'\npackage: \"{home}\"\nname: {name}\nunknown: *s\n"),
            3 => format!("---\n{{schema: {schema}, package: '{home}', name: '{name}'}}\n"),
            4 => format!("---\nschema: {schema}\npackage: {number}\nname: {name}\n"),
            5 => "---\nschema: [\n".to_owned(),
            6 => "---\n# nothing\n".to_owned(),
            7 => format!("---\nschema: {schema}\npackage: a\nname: {name}\npackage: {home}\n"),
            8 => format!("---\npackage: >-\n  {home}\nname: {name}\nschema: {schema}\nentries: 5\n"),
            _ => format!("---\nschema: {schema}\nname: {name}\npackage: {home}\nentries:\n- name: {name}\n"),
        }
    })
}

fn any_json_document() -> impl Strategy<Value = String> {
    let package = prop::sample::select(vec!["a", "b", "\\u0061", ""]);
    (package, 0..9u8, 0..4u8).prop_map(|(package, number, style)| match style {
        0 => format!("{{\"name\":\"n{number}\",\"x\":[{{\"package\":\"b\"}}],\"package\":\"{package}\",\"schema\":\"olm.channel\"}}\n"),
        1 => format!("{{\"schema\":\"olm.package\",\"package\":\"other\",\"name\":\"{package}\"}}"),
        2 => format!("{{\"schema\":\"olm.channel\",\"package\":{number},\"name\":\"c\"}} "),
        _ => format!("{{\n  \"schema\": \"olm.bundle\",\n  \"name\": \"{package}.v{number}\",\n  \"package\": \"{package}\",\n  \"package\": \"b\"\n}}\n"),
    })
}

fn any_file() -> impl Strategy<Value = String> {
    let yaml = prop::collection::vec(any_document(), 0..8);
    let json = prop::collection::vec(any_json_document(), 0..8);
    prop_oneof![yaml, json].prop_map(|documents| documents.concat())
}

fn source_files(texts: &[String]) -> Vec<SourceFile> {
    let file = |(number, text): (usize, &String)| {
        SourceFile::new(format!("{number}.yaml").into(), None, text.clone().into_bytes())
    };
    texts.iter().enumerate().map(file).collect()
}

proptest! {
    #[test]
    fn grown_catalog_equals_catalog_read_at_once(
        texts in prop::collection::vec(any_file(), 1..6),
        first in 0..6usize,
        portions in prop::collection::vec(1..400usize, 1..12),
        wanted in prop::collection::vec(prop::sample::select(vec!["a", "b", "dd", "z"]), 12),
    ) {
        let origin = || Origin::Directory("catalog".into());
        let whole = Catalog::new(origin(), source_files(&texts), Vec::new());
        let mut growing = IncrementalCatalog::new(origin());
        let mut files = source_files(&texts);
        let rest = files.split_off(first.min(files.len()));
        growing.add_files(files);
        growing.read_packages(None, 50);
        growing.add_files(rest);
        for (portion, wanted) in portions.into_iter().zip(wanted) {
            let waits = growing.waiting.contains_key(wanted);
            let more = growing.read_packages(Some(&wanted.into()), portion);
            prop_assert!(!growing.waiting.contains_key(wanted), "{wanted} came first, if it was there: {waits}");
            let shown = growing.snapshot(true);
            prop_assert_eq!(shown.missing_part().is_some_and(|unread| unread.bytes_read < unread.bytes_found), more);
            for package in shown.packages() {
                let is_whole = !shown.missing_part().unwrap().packages.contains(&package.name);
                let known = whole.package(package.name.as_str());
                prop_assert!(known.is_some() || !is_whole, "{} is in the whole catalog", package.name);
            }
        }
        let grown = growing.into_catalog(Vec::new());
        prop_assert_eq!(format_content(&grown), format_content(&whole));
    }
}

#[test]
fn packages_are_listed_before_they_are_read_as_a_whole() {
    let texts = [
        "---\nschema: olm.package\nname: a\n---\nschema: olm.channel\npackage: b\nname: x\n".to_owned(),
        "---\nschema: olm.channel\npackage: a\nname: y\n---\nschema: olm.package\nname: b\n".to_owned(),
    ];
    let mut growing = IncrementalCatalog::new(Origin::Stdin);
    growing.add_files(source_files(&texts));
    let names = |catalog: &Catalog| catalog.packages().map(|p| p.name.to_string()).collect::<Vec<_>>();
    let shown = growing.snapshot(true);
    assert_eq!(names(&shown), ["a", "b"]);
    assert!(shown.packages().all(|package| package.channels.is_empty()));
    assert!(growing.read_packages(Some(&"b".into()), 1), "there is more");
    let shown = growing.snapshot(true);
    assert_eq!(names(&shown), ["a", "b"]);
    let unread: Vec<_> = shown.missing_part().unwrap().packages.iter().map(PackageName::as_str).collect();
    assert_eq!(unread, ["a"]);
    let b = shown.package("b").unwrap();
    assert!(b.definition().is_some() && b.channel("x").is_some(), "from both files");
    assert!(!growing.read_packages(None, 1));
}

#[test]
fn package_of_cut_document_waits_wherever_it_began() {
    let document =
        |package: &str, name: &str| format!("---\nschema: olm.channel\npackage: {package}\nname: {name}\n");
    let whole = document("a", "x") + &document("b", "x");
    let texts = [whole, document("c", "x") + &document("a", "y")];
    let shown = IncrementalCatalog::beginning(Origin::Stdin, source_files(&texts)).unwrap();
    let unread: Vec<_> = shown.missing_part().unwrap().packages.iter().map(PackageName::as_str).collect();
    assert_eq!(unread, ["a"], "of it the second file may say more");
    assert!(["b", "c"].iter().all(|name| shown.package(name).unwrap().channel("x").is_some()));
    assert!(IncrementalCatalog::beginning(Origin::Stdin, source_files(&texts[..0])).is_none());
}

#[test]
fn beginning_of_file_shows_only_whole_packages() {
    let package = |name: &str| {
        format!(
            "---\nschema: olm.package\nname: {name}\n---\nschema: olm.channel\npackage: {name}\nname: x\n"
        )
    };
    let text = ["a", "b", "c"].map(package).concat();
    let shown = |end: usize| {
        let file = SourceFile::new("c.yaml".into(), None, text.as_bytes()[..end].to_vec());
        IncrementalCatalog::beginning(Origin::Stdin, vec![file])
    };
    for end in 0..=text.len() {
        let Some(shown) = shown(end) else {
            assert!(end < 2 * text.len() / 3, "{end}");
            continue;
        };
        let unread = shown.missing_part().unwrap();
        assert!(!unread.is_listed);
        assert_eq!(unread.packages.len(), 1, "{end}: the one it ends in waits");
        for package in shown.packages().filter(|package| !unread.packages.contains(&package.name)) {
            assert!(package.definition().is_some() && package.channel("x").is_some(), "{end}: {package:?}");
        }
        assert!(shown.problems().is_empty(), "{end}: {:?}", shown.problems());
    }
}

#[test]
fn published_catalogs_grow_into_complete_catalogs() {
    // The newest is enough.
    if let Some((release, root)) = olmap_testing::published_catalogs().pop() {
        let progress = load::Progress::default();
        let whole = load::open_catalog_with_progress(&root, &progress).unwrap();
        let mut shown = 0;
        let grown = load::open_catalog_incremental(&root, &progress, &mut |catalog| {
            shown += 1;
            assert!(catalog.missing_part().is_some());
        });
        assert_eq!(format_content(&grown.unwrap()), format_content(&whole), "{release}");
        assert!(shown > 0, "{release}");
        // The headings are right: no document is read with those of another package.
        for doc in whole.documents() {
            let (Some(format), Some(text)) = (whole.format(doc), whole.document_text(doc)) else { continue };
            let glance = scan_heading(format, text).unwrap();
            assert!(whole.package(&glance.package).unwrap().documents().any(|there| there == doc));
        }
    }
}
