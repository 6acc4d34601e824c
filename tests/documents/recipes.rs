//! Check of the recipes in `docs/architecture.md`: each names exactly the files that contain its
//! example.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// Folders that are searched for examples.
const SEARCHED: [&str; 4] = ["src", "crates", "tests", "docs"];

/// Returns true for files outside of recipes: the page itself, and accepted generated files.
fn is_excluded(path: &str) -> bool {
    path == "docs/architecture.md" || path.starts_with("tests/documents/") || path.contains("/snapshots/")
}

/// Returns all texts in the searched folders, with their paths.
fn searched_texts() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut todo: Vec<PathBuf> = SEARCHED.iter().map(|folder| root.join(folder)).collect();
    let mut found = Vec::new();
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            todo.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if let Ok(text) = fs::read_to_string(&path) {
            let below = path.strip_prefix(root).unwrap().iter();
            let name = below.map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
            found.push((name, text));
        }
    }
    found.retain(|(path, _)| !is_excluded(path));
    found
}

/// Returns the files that contain one of the words in their text or path.
fn files_containing(texts: &[(String, String)], words: &[&str]) -> BTreeSet<String> {
    let holds = |text: &str| words.iter().any(|word| text.contains(word));
    let found = texts.iter().filter(|(path, text)| holds(path) || holds(text));
    found.map(|(path, _)| path.clone()).collect()
}

/// Returns the files that the steps of a recipe name: in backticks, before the colon of a numbered
/// line.
fn recipe_files(recipe: &str) -> BTreeSet<String> {
    let steps = recipe.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    steps
        .filter_map(|line| line.split_once("`: ").or_else(|| line.split_once("`:")))
        .flat_map(|(files, _)| files.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

#[test]
fn every_recipe_names_the_files_of_its_example() {
    let page = super::read_document("docs/architecture.md");
    let texts = searched_texts();
    let mut recipes = 0;
    for part in page.split("<!-- recipe: ").skip(1) {
        let (words, rest) = part.split_once(" -->").unwrap();
        let (recipe, _) = rest.split_once("<!-- end of recipe -->").unwrap();
        let words: Vec<&str> = words.split(", ").collect();
        assert_eq!(
            recipe_files(recipe),
            files_containing(&texts, &words),
            "left: the recipe of {words:?}; right: what is there"
        );
        recipes += 1;
    }
    assert_eq!(recipes, 6);
}

#[test]
fn extra_and_missing_files_are_detected() {
    let texts = [("src/a.rs", "fn one() {}"), ("src/b/one.rs", ""), ("src/c.rs", "")];
    let texts = texts.map(|(path, text)| (path.to_owned(), text.to_owned()));
    let there = files_containing(&texts, &["one(", "/one"]);
    let recipe = |text: &str| recipe_files(text) == there;
    assert!(recipe(
        "1. `src/a.rs`: the function `one`.\n   In `src/c.rs`: nothing.\n2. `src/b/one.rs`: more."
    ));
    assert!(recipe("1. `src/a.rs`, `src/b/one.rs`: both."));
    assert!(!recipe("1. `src/a.rs`: the function."));
    assert!(!recipe("1. `src/a.rs`, `src/b/one.rs`, `src/c.rs`: all."));
}
