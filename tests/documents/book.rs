//! Checks of the book: its table of contents lists every page of `docs/`, and every link has a
//! target.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fs,
    path::{Component, Path, PathBuf},
};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::read_document;

/// Folder of the book.
const BOOK: &str = "docs";
/// Table of contents of the book.
const SUMMARY: &str = "docs/SUMMARY.md";
/// Other documents of the repository.
const OTHER_DOCUMENTS: [&str; 3] = ["README.md", "CONTRIBUTING.md", "demo/README.md"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the paths of the pages in the repository, without the table of contents.
pub fn pages() -> Vec<String> {
    let mut todo = vec![root().join(BOOK)];
    let mut found = Vec::new();
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            todo.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(to_slash_path(path.strip_prefix(root()).unwrap()));
        }
    }
    found.retain(|path| path != SUMMARY);
    found.sort();
    found
}

fn to_slash_path(path: &Path) -> String {
    path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// Links and anchors of a page.
#[derive(Default)]
struct Page {
    links: Vec<String>,
    anchors: BTreeSet<String>,
}

fn parse_page(text: &str) -> Page {
    let mut page = Page::default();
    let mut heading: Option<String> = None;
    let mut seen: HashMap<String, usize> = HashMap::new();
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                page.links.push(dest_url.into_string());
            }
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let anchor = heading_anchor(&heading.take().unwrap_or_default());
                let times = seen.entry(anchor.clone()).or_default();
                page.anchors.insert(if *times == 0 { anchor } else { format!("{anchor}-{times}") });
                *times += 1;
            }
            Event::Text(words) | Event::Code(words) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&words);
                }
            }
            _ => {}
        }
    }
    page
}

/// Returns the anchor of a heading as mdBook and GitHub do: letters, digits, `_` and `-` in
/// lowercase, with
/// `-` for spaces.
fn heading_anchor(heading: &str) -> String {
    let letters = heading.trim().chars().filter_map(|c| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        c if c.is_alphanumeric() => Some(c),
        _ => None,
    });
    letters.flat_map(char::to_lowercase).collect()
}

/// Returns the path in the repository that a link leads to; `None` if it leads out of the
/// repository.
fn link_target(from: &str, link: &str) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    let folder = Path::new(from).parent().unwrap();
    for part in folder.join(link).components() {
        match part {
            Component::Normal(name) => parts.push(name.to_string_lossy().into_owned()),
            Component::ParentDir => drop(parts.pop()?),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts.join("/"))
}

/// Returns the errors in the links of pages.
fn link_errors(pages: &BTreeMap<String, Page>, is_file: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut wrong = Vec::new();
    for (path, page) in pages {
        for link in &page.links {
            if link.starts_with("https://") || link.starts_with("http://") {
                continue;
            }
            let mut say = |what: &str| wrong.push(format!("{path}: {link}: {what}"));
            let (file, anchor) =
                link.split_once('#').map_or((link.as_str(), None), |(file, at)| (file, Some(at)));
            let target = if file.is_empty() { Some(path.clone()) } else { link_target(path, file) };
            let Some(target) = target else {
                say("leads out of the repository");
                continue;
            };
            let is_book = |path: &str| path.starts_with("docs/");
            if is_book(path) && !is_book(&target) {
                say("leads out of the book, which has no such page");
            } else if !is_file(&target) {
                say("is not there");
            } else if let Some(anchor) = anchor
                && !pages.get(&target).is_some_and(|page| page.anchors.contains(anchor))
            {
                say("has no such heading");
            }
        }
    }
    wrong
}

#[test]
fn every_link_leads_somewhere() {
    let paths = pages().into_iter().chain([SUMMARY.to_owned()]).chain(OTHER_DOCUMENTS.map(str::to_owned));
    let pages: BTreeMap<String, Page> =
        paths.map(|path| (path.clone(), parse_page(&read_document(&path)))).collect();
    let links: usize = pages.values().map(|page| page.links.len()).sum();
    assert!(links > 150, "{links}");
    let wrong = link_errors(&pages, &|path| root().join(path).is_file());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn table_of_contents_lists_every_page_once() {
    let contents = parse_page(&read_document(SUMMARY));
    let mut listed: Vec<String> =
        contents.links.iter().map(|link| link_target(SUMMARY, link).unwrap()).collect();
    listed.sort();
    assert_eq!(listed, pages(), "left: what docs/SUMMARY.md lists; right: the pages of docs/");
}

/// Returns the keys that pages about screens and tasks name: a letter, a digit, with ctrl, or two
/// in a
/// row.
fn named_keys(text: &str) -> BTreeSet<String> {
    let is_one = |word: &str| word.len() == 1 && word.chars().all(char::is_alphanumeric);
    let is_key = |code: &str| code.starts_with("ctrl-") || code.split(' ').all(is_one);
    let codes = Parser::new_ext(text, Options::ENABLE_TABLES).filter_map(|event| match event {
        Event::Code(code) => Some(code.into_string()),
        _ => None,
    });
    codes.filter(|code| is_key(code)).collect()
}

#[test]
fn every_key_in_the_book_has_an_action() {
    let (keymap, groups) = (olmap::tui::default_keymap(), olmap::tui::shell::describe::action_groups());
    let actions = groups.iter().flat_map(|group| &group.actions);
    let known: BTreeSet<String> = actions.flat_map(|spec| keymap.action_keys(spec.id)).collect();
    // In a sequence of two letters, each letter is named as its own key.
    let is_known =
        |key: &String| known.contains(key) || known.iter().any(|known| known.starts_with(&format!("{key} ")));
    let is_about_keys = |path: &String| {
        path.starts_with("docs/guides/") || ["docs/story.md", "docs/screens.md"].contains(&path.as_str())
    };
    let (mut named, mut unknown) = (0, Vec::new());
    for path in pages().into_iter().filter(is_about_keys) {
        let keys = named_keys(&read_document(&path));
        named += keys.len();
        unknown.extend(keys.into_iter().filter(|key| !is_known(key)).map(|key| format!("{path}: {key}")));
    }
    assert!(named > 40 && unknown.is_empty(), "{named} keys, of which nothing knows {unknown:?}");
}

#[test]
fn broken_link_is_detected() {
    let texts = [
        ("docs/a.md", "# One, two: `--x`\n\n[b](b.md#b) [self](#one-two---x) [c](https://c.example)"),
        (
            "docs/b.md",
            "# B\n\n# B\n\n[a](a.md#none) [gone](gone.md) [out](../README.md) [far](../../x.md) [b](#b-1)",
        ),
    ];
    let pages: BTreeMap<String, Page> =
        texts.iter().map(|(path, text)| ((*path).to_owned(), parse_page(text))).collect();
    let there = |path: &str| pages.contains_key(path) || path == "README.md";
    let wanted = [
        "docs/b.md: a.md#none: has no such heading",
        "docs/b.md: gone.md: is not there",
        "docs/b.md: ../README.md: leads out of the book, which has no such page",
        "docs/b.md: ../../x.md: leads out of the repository",
    ];
    assert_eq!(link_errors(&pages, &there), wanted);
}
