//! Check of terms: phrases that `docs/glossary.md` lists under "not" are not in any user-visible
//! text.

use std::path::{Path, PathBuf};

use super::read_document;

/// Returns the phrases to avoid.
fn phrases_to_avoid() -> Vec<String> {
    let glossary = read_document("docs/glossary.md");
    // Rows of the first table have three cells; the tables below have no column "not".
    let rows = glossary.lines().filter(|line| line.starts_with("| ") && line.matches('|').count() == 4);
    let rows = rows.filter(|line| !line.starts_with("| word "));
    let phrases = rows.filter_map(|row| row.trim_end_matches('|').rsplit('|').next());
    let phrases = phrases.flat_map(|cell| cell.split(',')).map(|phrase| phrase.trim().to_lowercase());
    phrases.filter(|phrase| !phrase.is_empty()).collect()
}

/// Adds the files below a folder that have the extension.
pub fn collect_files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect_files(&path, extension, found);
        } else if path.extension().is_some_and(|is| is == extension) {
            found.push(path);
        }
    }
}

/// Returns the strings of a source file that users may see, without tests and comments.
fn visible_strings(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = text.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
    let strings = lines.flat_map(|line| line.split('"').skip(1).step_by(2));
    strings.collect::<Vec<_>>().join("\n")
}

/// Returns true if a text contains a phrase as separate words.
fn contains_phrase(text: &str, phrase: &str) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(phrase).any(|(at, _)| {
        let begins = !is_letter(text[..at].chars().next_back());
        let goes_on = is_letter(text[at + phrase.len()..].chars().next());
        begins && (!goes_on || !phrase.ends_with(char::is_alphanumeric))
    })
}

#[test]
fn user_visible_text_uses_the_terms_of_the_glossary() {
    let phrases = phrases_to_avoid();
    assert!(phrases.len() > 5, "{phrases:?}");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut sources, mut pictures) = (Vec::new(), Vec::new());
    collect_files(&root.join("src"), "rs", &mut sources);
    collect_files(&root.join("tests"), "snap", &mut pictures);
    collect_files(&root.join("crates"), "rs", &mut sources);
    collect_files(&root.join("crates/olm-check/assets"), "md", &mut pictures);
    let is_test = |path: &PathBuf| path.components().any(|part| part.as_os_str() == "tests");
    sources.retain(|path| !is_test(path) && !path.ends_with("tests.rs"));
    let read = |path: &PathBuf| std::fs::read_to_string(path).unwrap();
    let texts = sources.iter().map(|path| (path, visible_strings(&read(path))));
    let texts = texts.chain(pictures.iter().map(|path| (path, read(path))));
    let mut wrong = Vec::new();
    for (path, text) in texts {
        let text = text.to_lowercase();
        let found = phrases.iter().filter(|phrase| contains_phrase(&text, phrase));
        wrong.extend(found.map(|phrase| format!("{}: \"{phrase}\"", path.display())));
    }
    assert!(wrong.is_empty(), "docs/glossary.md has other words for these:\n{}", wrong.join("\n"));
}

#[test]
fn phrase_is_found_as_separate_words() {
    assert!(contains_phrase("u takes it back, ctrl-s", "takes it back"));
    assert!(
        !contains_phrase("mistakes it back", "takes it back")
            && !contains_phrase("takes it backwards", "takes it back")
    );
    assert_eq!(visible_strings("// \"no\"\nlet a = \"yes\";\n#[cfg(test)]\nmod tests {\n\"no\""), "yes");
}

#[test]
fn words_of_the_explorer_are_in_the_glossary() {
    let glossary = read_document("docs/glossary.md");
    for (word, _) in olmap::tui::screens::about::WORDS {
        assert!(glossary.contains(&format!("| {word}")), "docs/glossary.md lacks {word}");
    }
}
