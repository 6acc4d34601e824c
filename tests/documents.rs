//! The documents tell the truth: pictures in them are drawn again, answers in them are asked again.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[path = "documents/book.rs"]
mod book;
#[path = "documents/consoles.rs"]
mod consoles;
#[path = "documents/examples.rs"]
mod examples;
#[path = "documents/glossary.rs"]
mod glossary;
#[cfg(unix)]
#[path = "documents/packaging.rs"]
mod packaging;
#[path = "documents/pictures.rs"]
mod pictures;
#[path = "documents/recipes.rs"]
mod recipes;
mod support;
#[path = "documents/tour.rs"]
mod tour;
#[path = "documents/trust.rs"]
mod trust;
#[cfg(unix)]
#[path = "documents/workflows.rs"]
mod workflows;

use std::{fs, path::Path, process::Command};

use olmap::{
    catalog::{BundleName, demo::demo},
    upgrade::{Installed, PackageGraph, v1::Query},
};
use support::Hand;

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The dead end of the demo on the Graph screen.
fn picture() -> String {
    let mut hand = Hand::demo(100, 24);
    hand.press("/ 'granary' enter l l 2 j j j j");
    hand.screen()
}

/// `OLMAP_UPDATE=1 cargo test --test documents` draws it anew.
#[test]
fn the_picture_in_the_readme_is_what_the_program_draws() {
    const BEGIN: &str = "<!-- picture: granary-operator stable -->\n```text\n";
    const END: &str = "```\n<!-- end of picture -->";
    let readme = read("README.md");
    let (before, rest) = readme.split_once(BEGIN).unwrap();
    let (shown, after) = rest.split_once(END).unwrap();
    let drawn = picture();
    if std::env::var_os("OLMAP_UPDATE").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
        return fs::write(path, format!("{before}{BEGIN}{drawn}{END}{after}")).unwrap();
    }
    assert_eq!(shown, drawn);
    assert!(drawn.contains("DEAD END"), "the picture tells its story");
}

#[test]
fn the_demo_gives_the_answers_its_readme_promises() {
    let readme = read("demo/README.md");
    let catalog = demo();
    let rows: Vec<Vec<&str>> = readme
        .lines()
        .skip_while(|line| !line.starts_with("| installed | Classic | v1 |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert!(rows.len() > 5, "the table is there");
    for row in rows {
        let [installed, classic, v1] = row.as_slice() else { panic!("{row:?}") };
        let (package, version) = installed.split_once(' ').unwrap();
        let version = version.split_whitespace().next().unwrap();
        let package = catalog.package(&format!("{package}-operator")).unwrap();
        let bundle = package
            .bundles
            .iter()
            .find(|b| b.version.as_ref().is_some_and(|v| v.to_string() == version))
            .unwrap_or_else(|| panic!("{installed} is not in the demo"));
        let graph = PackageGraph::new(package);
        let installed_bundle = Installed::of(package, &bundle.name.value);
        let label = |name: Option<&BundleName>| match name {
            None => "=".to_owned(),
            Some(name) => package.version_of(name.as_str()).unwrap().to_string(),
        };
        let expected = |cell: &str| cell.split_whitespace().next().unwrap().to_owned();
        let channel = package.default_channel().unwrap();
        let answer = graph.classic(channel.as_str(), Some(&installed_bundle));
        assert_eq!(label(answer.moves_to()), expected(classic), "{installed} under Classic");
        let answer = graph.v1(&Query::default(), Some(&installed_bundle));
        assert_eq!(label(answer.moves_to()), expected(v1), "{installed} under v1");
    }
}

/// A document that is written from the program.
fn is_written(path: &str, written: &str) {
    if std::env::var_os("OLMAP_UPDATE").is_some() {
        return fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(path), written).unwrap();
    }
    assert!(
        read(path) == written,
        "{path} is stale: OLMAP_UPDATE=1 cargo test --test documents writes it anew"
    );
}

#[test]
fn the_list_of_rules_is_that_of_the_program() {
    is_written("docs/rules.md", &olmap::export::rule::document());
}

#[test]
fn the_list_of_keys_is_that_of_the_program() {
    is_written("docs/keys.md", &olmap::app::shell::describe::document(&olmap::app::keymap()));
}

#[test]
fn the_list_of_options_is_that_of_the_program() {
    is_written("docs/configuration.md", &olmap::app::shell::describe::configuration_document());
}

/// A program without images has a command less.
#[cfg(feature = "images")]
#[test]
fn the_list_of_commands_is_that_of_the_program() {
    let mut olmap = Command::new(env!("CARGO_BIN_EXE_olmap"));
    let page = olmap.args(["man", "--format", "markdown"]).env("LC_ALL", "C").output().unwrap();
    assert!(page.status.success());
    is_written("docs/commands.md", &String::from_utf8(page.stdout).unwrap());
}

/// The configuration that the document of keys begins with has no mistakes.
#[test]
fn the_example_of_a_configuration_is_one() {
    let document = read("docs/keys.md");
    let example = document.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let config = olmap::config::Config::read(example);
    let (_, problems) = olmap::app::Keymap::configured(olmap::app::table(), &config.keys);
    assert_eq!((config.problems, problems, config.keys.len()), (vec![], vec![], 4));
}

/// Each mark of the table in the demo's README is on the Graph screen where the table says.
#[test]
fn the_demo_shows_every_mark_its_readme_tells_of() {
    let readme = read("demo/README.md");
    let rows: Vec<Vec<&str>> = readme
        .lines()
        .skip_while(|line| !line.starts_with("| mark | package > channel > version |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert!(rows.len() > 12, "the table is there");
    for row in rows {
        let [marks, at, _] = row.as_slice() else { panic!("{row:?}") };
        let [package, channel, version] = at.split(" > ").collect::<Vec<_>>()[..] else { panic!("{at}") };
        let mut hand = Hand::demo(160, 40);
        hand.press(&format!("/ '{package}' enter l / '{channel}' enter g esc l 2"));
        assert_eq!(hand.model.session.selection().channel.as_ref().unwrap(), channel);
        let bundle = format!("{package}-operator.v{version}");
        let rows = &hand.model.screens.graph.layout().unwrap().rows;
        let down = rows.iter().position(|row| row.name == bundle.as_str()).unwrap_or_else(|| panic!("{at}"));
        hand.press("g");
        hand.press(&"j ".repeat(down));
        assert_eq!(hand.model.session.selection().bundle.as_ref().unwrap(), bundle.as_str());
        if marks.starts_with("`m`") {
            hand.press("m");
        }
        let screen = hand.screen();
        for mark in marks.split('`').skip(1).step_by(2) {
            let is_words = mark.contains(|c: char| c.is_ascii_lowercase());
            let signs: Vec<&str> = if is_words { vec![mark] } else { mark.split_whitespace().collect() };
            for sign in signs {
                assert!(screen.contains(sign), "{sign} is to be seen at {at}:\n{screen}");
            }
        }
    }
}

#[test]
fn the_demo_promotes_as_its_readme_tells() {
    let mut hand = Hand::demo(80, 24);
    hand.press("/ 'tide' enter l l p j space");
    assert!(hand.shows("stable-2.3: 2.3.2: stays => 2.4.1"), "{}", hand.screen());
    hand.press("r");
    assert!(hand.shows("stable-2.3: 2.3.0 2.3.1 (2): 2.3.2 => 2.4.1"), "{}", hand.screen());
    assert!(hand.shows("2.2.0 2.2.1 2.2.2 (3): 2.3.2 => 2.4.1"), "{}", hand.screen());
    hand.press("enter 6");
    assert!(hand.shows("+  skipRange: '>=2.2.0 <2.4.1'"), "{}", hand.screen());
    hand.press("u");
    assert_eq!(hand.model.session.unsaved(), 0);
}
