use std::{
    fs::{self, File},
    path::Path,
    sync::Arc,
    time::{Duration, SystemTime},
};

use super::open_with_texts_on_disk;
use crate::{
    Catalog,
    file::DocId,
    load::{self, Progress},
    package::Package,
    problem::Problems,
    span::Span,
};

/// Writes a file that was modified some time ago.
fn write_old(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    let modified = SystemTime::now() - Duration::from_secs(60);
    File::options().append(true).open(path).unwrap().set_modified(modified).unwrap();
}

fn package_text(name: &str, bundles: usize, image: &str) -> String {
    let bundle = |version: usize| {
        format!(
            "{{\n    \"schema\": \"olm.bundle\",\n    \"name\": \"{name}.v{version}.0.0\",\n    \"package\": \"{name}\",\n    \
             \"image\": \"{image}\",\n    \"properties\": [\n        {{\n            \"type\": \"olm.package\",\n            \
             \"value\": {{\"packageName\": \"{name}\", \"version\": \"{version}.0.0\"}}\n        }}\n    ]\n}}\n"
        )
    };
    let bundles: String = (1..=bundles).map(bundle).collect();
    format!("{{\"schema\": \"olm.package\", \"name\": \"{name}\", \"defaultChannel\": \"a\"}}\n{bundles}")
}

fn open(path: &Path) -> Catalog {
    open_with_texts_on_disk(path, &Progress::default()).unwrap()
}

fn locations(catalog: &Catalog) -> Vec<String> {
    let line = |doc: DocId, span: Span| catalog.location(doc, span).unwrap().to_string();
    let bundles = catalog.packages().flat_map(|package| &package.bundles);
    let bundles =
        bundles.map(|bundle| format!("{} {:?}", line(bundle.doc, bundle.name.span), bundle.version));
    let problems = catalog.all_problems().flat_map(Problems::in_documents);
    bundles.chain(problems.map(|(kind, doc, span)| format!("{} {kind}", line(doc, span)))).collect()
}

#[test]
fn catalog_equals_one_with_texts_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let long = "é\\u00e9x".repeat(100_000);
    for (name, text) in [
        ("a.json", package_text("a", 3, "x")),
        // Documents end near the end of the window, or are longer.
        ("b.json", (1..40).map(|n| package_text(&format!("b{n}"), 40, &"x".repeat(7 * n))).collect()),
        ("c.json", package_text("c", 4, &long) + &package_text("d", 2, "y")),
        ("e.json", package_text("e", 9_000, &"z".repeat(1_000))),
        ("f.json", package_text("f", 2, "x").replace("\"image\"", "\"imgae\"")),
        ("g.json", package_text("g", 2, "x") + "{\"schema\": "),
        ("h.json", package_text("h", 2, "x").replace("}\n{", "} {")),
        ("i.json", package_text("i", 2, "x") + "\n \n"),
        ("j.json", package_text("j", 2, "x").trim_end().to_owned()),
        ("k.json", "{}\n{\"schema\": 5}".to_owned()),
        ("l.yaml", "schema: olm.package\nname: l\n---\nschema: [\n".to_owned()),
        ("m.json", String::new()),
        ("n.json", package_text("n", 1, "x") + "schema: olm.package\nname: n\n"),
    ] {
        write_old(&folder.path().join(name), &text);
    }
    let whole = load::open_catalog(folder.path()).unwrap();
    let part = open(folder.path());
    assert_eq!(locations(&part), locations(&whole));
    let objects = |catalog: &Catalog| -> Vec<String> {
        let object = |package: &Arc<Package>| format!("{:?} {:?}", package.definitions, package.bundles);
        catalog.packages().map(object).collect()
    };
    assert_eq!(objects(&part), objects(&whole));
    assert!(part.files().iter().zip(whole.files()).all(|(own, other)| own.has_same_bytes(other)));
    assert!(part.lost_file().is_none());
}

#[test]
fn changed_file_is_lost_if_its_text_is_needed() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    write_old(&path("a.json"), &package_text("a", 2, "x"));
    write_old(&path("b.json"), &package_text("b", 2, "x"));
    // Nothing says later whether this one changed, so its text is kept.
    fs::write(path("c.json"), package_text("c", 2, "x")).unwrap();
    let catalog = open(folder.path());
    for name in ["b.json", "c.json"] {
        fs::write(path(name), package_text("z", 3, "x")).unwrap();
    }
    let line = |name: &str| {
        let bundle = &catalog.package(name).unwrap().bundles[1];
        catalog.location(bundle.doc, bundle.name.span).unwrap().line
    };
    assert_eq!((line("a"), line("c")), (16, 16));
    assert!(catalog.lost_file().is_none());
    line("b");
    assert_eq!(catalog.lost_file().unwrap().display_path(), Path::new("b.json"));
}
