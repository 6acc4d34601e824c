//! The pictures of the README: screens of the demo, drawn by the program.

use std::{fs, path::Path};

use super::support::Hand;

/// Every picture: its name, the keys that lead to it from the start of the demo, and what it says to whoever does not see
/// it.
const PICTURES: [(&str, &str, &str); 8] = [
    (
        "catalog",
        "/ 'granary' enter l l j j j j",
        "Packages, channels and entries, and what both OLMs do with the selected bundle",
    ),
    ("graph", "/ 'granary' enter l l 2 j j j j", "The upgrade graph of a channel with a dead end"),
    ("side-by-side", "/ 'tide' enter l l 2 w", "All channels of a package, the same bundle on the same row"),
    ("zoom", "/ 'orrery' enter l l 2 j z", "What is around a bundle, as boxes and edges"),
    (
        "upgrades",
        "/ 'orrery' enter l l 3",
        "What happens to every installed version under Classic and under v1",
    ),
    ("problems", "4 j", "Findings with their rules, places and help"),
    ("deprecations", "5 j", "What is deprecated, and who can still be on it"),
    (
        "changes",
        "/ 'granary' enter l l e tab end space 'granary-operator.v2.6.4' enter 6",
        "An edit before it is written: its bytes, findings and successors",
    ),
];

fn drawn(keys: &str, title: &str) -> String {
    let mut hand = Hand::demo(110, 32);
    hand.press(keys);
    hand.picture(title)
}

/// `OLMAP_UPDATE=1 cargo test --test documents` draws them anew.
#[test]
fn pictures_are_what_the_program_draws() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/pictures");
    let readme = super::read("README.md");
    for (name, keys, title) in PICTURES {
        let (path, picture) = (folder.join(format!("{name}.svg")), drawn(keys, title));
        if std::env::var_os("OLMAP_UPDATE").is_some() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&path, &picture).unwrap();
        }
        let stored = fs::read_to_string(&path).unwrap_or_default();
        assert!(stored == picture, "docs/pictures/{name}.svg is stale: OLMAP_UPDATE=1 draws it anew");
        assert!(readme.contains(&format!("![{title}](docs/pictures/{name}.svg)")), "the README shows {name}");
        roxmltree::Document::parse(&picture).unwrap();
    }
}
