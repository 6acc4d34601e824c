//! Edits of real documents, if they are available.

use std::{
    collections::HashSet,
    env, fs,
    path::{Path, PathBuf},
    time::Instant,
};

use super::*;
use olm_catalog::{ChunkKind, text::emit};

/// Returns all files below a directory.
fn list_files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            if entry.path().is_dir() { open.push(entry.path()) } else { found.push(entry.path()) }
        }
    }
    found.sort();
    found
}

/// Iterates over the valid documents of a file that contain `word`, with their format.
fn documents_with<'b>(
    bytes: &'b [u8],
    word: &'static str,
) -> impl Iterator<Item = (Format, &'b [u8], Node<'b>)> {
    split::split_chunks(bytes).into_iter().filter_map(move |chunk| {
        let ChunkKind::Document(format) = chunk.kind else { return None };
        let text = &bytes[chunk.range];
        memchr::memmem::find(text, word.as_bytes())?;
        split::parse_chunk(format, text).ok().map(|node| (format, text, node))
    })
}

/// Returns typical edits of a channel.
fn channel_edits(old: &ValueTree) -> Vec<(&'static str, ValueTree)> {
    let len = old.get("entries").map_or(0, |entries| entries.items().len());
    let with = |change: &dyn Fn(&mut Vec<ValueTree>)| {
        let mut new = old.clone();
        new.get_mut("entries").and_then(ValueTree::items_mut).into_iter().for_each(change);
        new
    };
    let head = ValueTree::from_members([("name", "olmap-test.v99.0.0"), ("replaces", "olmap-test.v98.0.0")]);
    let mut full = head.clone();
    full.set("skips", vec!["olmap-test.v98.0.1", "olmap-test.v98.0.2"]);
    full.set("skipRange", ">=1.0.0 <99.0.0");
    let mut renamed = old.clone();
    renamed.set("name", "olmap-test");
    let mut edits = vec![
        ("new first", with(&|entries| entries.insert(0, head.clone()))),
        ("new last", with(&|entries| entries.push(full.clone()))),
        ("new in the middle", with(&|entries| entries.insert(len / 2, full.clone()))),
        ("empty", with(&|entries| entries.clear())),
        ("rename", renamed),
    ];
    if len > 1 {
        edits.push(("first gone", with(&|entries| drop(entries.remove(0)))));
        edits.push(("last gone", with(&|entries| drop(entries.pop()))));
    }
    for at in [0, len / 2, len.saturating_sub(1)].into_iter().filter(|at| *at < len) {
        edits.push(("skips", with(&|entries| entries[at].set("skips", vec!["olmap-test.v1.0.0"]))));
        edits.push(("skipRange", with(&|entries| entries[at].set("skipRange", ">=1.0.0 <99.0.0"))));
        edits.push(("replaces", with(&|entries| entries[at].set("replaces", "olmap-test.v1.0.0"))));
        edits.push(("new name", with(&|entries| entries[at].set("name", "olmap-test.v1.0.0"))));
        edits.push(("no replaces", with(&|entries| drop(entries[at].remove("replaces")))));
    }
    edits.retain(|(_, new)| !new.has_same_content(old));
    edits
}

#[test]
fn real_channels_stay_canonical_after_edits() {
    let Some(catalogs) = olmap_testing::find_data("repo/catalogs") else { return };
    let (mut channels, mut done, mut canonical) = (0, 0, 0);
    // Size of the largest channel, and the time of its edits.
    let mut largest = (0, Vec::new());
    for file in list_files(&catalogs) {
        let bytes = fs::read(&file).unwrap();
        for (format, text, old) in documents_with(&bytes, "olm.channel") {
            if old.get("schema").and_then(Node::as_str) != Some("olm.channel") {
                continue;
            }
            channels += 1;
            let was_canonical = text == format!("---\n{}", emit::write_yaml(&old)).as_bytes();
            for (edit, new) in channel_edits(&ValueTree::from(&old)) {
                let started = Instant::now();
                let result = rewrite_text(format, text, &old, &new);
                if text.len() >= largest.0 {
                    if text.len() > largest.0 {
                        largest = (text.len(), Vec::new());
                    }
                    largest.1.push(started.elapsed());
                }
                let result = result.unwrap_or_else(|error| panic!("{}: {edit}: {error}", file.display()));
                assert!(!result.splices.is_empty());
                done += 1;
                let written = format!("---\n{}", emit::write_yaml(&parse_document(format, &result.text)));
                if was_canonical {
                    let shown = String::from_utf8_lossy(&result.text);
                    assert!(shown == written, "{}: {edit}\n{shown}\n{written}", file.display());
                    canonical += 1;
                }
            }
        }
    }
    largest.1.sort();
    println!("{channels} channels, {done} edits right, {canonical} canonical as before");
    println!("{} bytes in the largest, {:?} an edit", largest.0, largest.1.get(largest.1.len() / 2));
    assert!(channels > 0);
}

/// Returns edits that are possible in any map.
fn map_edits(old: &ValueTree) -> Vec<ValueTree> {
    let mut edits = Vec::new();
    let keys: Vec<String> = old.members().iter().map(|(key, _)| key.clone()).collect();
    let mut with = |change: &dyn Fn(&mut ValueTree)| {
        let mut new = old.clone();
        change(&mut new);
        edits.push(new);
    };
    with(&|new| new.set("aaa", vec!["x"]));
    with(&|new| {
        new.set(
            "zzz",
            ValueTree::from_members([
                ("a", ValueTree::from("b: c")),
                ("d", ValueTree::from_items([ValueTree::Null])),
            ]),
        );
    });
    for key in &keys {
        with(&|new| new.set(key, "olmap"));
        with(&|new| new.set(key, ValueTree::List(Vec::new())));
        with(&|new| drop(new.remove(key)));
        with(&|new| {
            let value = new.get_mut(key);
            value
                .and_then(ValueTree::items_mut)
                .into_iter()
                .for_each(|items| items.insert(0, "olmap".into()));
        });
        with(&|new| {
            let value = new.get_mut(key);
            value.and_then(ValueTree::items_mut).into_iter().for_each(|items| {
                items.pop();
                items.push(ValueTree::from_members([("name", "olmap")]));
            });
        });
        with(&|new| {
            let first = new.get_mut(key).and_then(ValueTree::items_mut).and_then(|items| items.first_mut());
            first
                .filter(|first| !first.members().is_empty())
                .into_iter()
                .for_each(|first| first.set("olmap", true));
        });
    }
    edits
}

#[test]
fn odd_documents_are_edited_correctly_or_refused() {
    let (mut done, mut refused, mut wrong) = (0, 0, Vec::new());
    let mut seen = HashSet::new();
    // All of them take two minutes; `OLMAP_CASES` enables that.
    let longest = if env::var_os("OLMAP_CASES").is_some() { 50_000 } else { 400 };
    let mut judge = |bytes: &[u8], name: &str| {
        for (format, text, old) in documents_with(bytes, "") {
            if text.len() > longest || old.members().is_empty() || !seen.insert(text.to_vec()) {
                continue;
            }
            for new in map_edits(&ValueTree::from(&old)) {
                match rewrite_text(format, text, &old, &new) {
                    Ok(_) => done += 1,
                    Err(RewriteError::Unsupported { .. } | RewriteError::NotAMap) => refused += 1,
                    Err(error) => {
                        wrong.push(format!("{name}: {error}\n{}\n{new:?}", String::from_utf8_lossy(text)));
                    }
                }
            }
        }
    };
    let folders = ["validate/cases", "random/cases", "repo/operators"];
    for directory in folders.into_iter().filter_map(olmap_testing::find_data) {
        for file in list_files(&directory) {
            judge(&fs::read(&file).unwrap(), &file.display().to_string());
        }
    }
    let edge = olmap_testing::read_data_file("yaml-edge.json").unwrap_or_else(|| "[]".to_owned());
    let edge: serde_json::Value = serde_json::from_str(&edge).unwrap();
    let mut texts = Vec::new();
    collect_strings(&edge, &mut texts);
    for text in texts {
        judge(text.as_bytes(), "yaml-edge");
    }
    println!("{done} edits right, {refused} refused, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{} wrong, such as\n{}", wrong.len(), wrong[..wrong.len().min(8)].join("\n"));
}

/// Collects all strings in a JSON value.
fn collect_strings<'v>(value: &'v serde_json::Value, out: &mut Vec<&'v str>) {
    match value {
        serde_json::Value::String(text) => out.push(text),
        serde_json::Value::Array(items) => items.iter().for_each(|item| collect_strings(item, out)),
        serde_json::Value::Object(members) => members.values().for_each(|value| collect_strings(value, out)),
        _ => {}
    }
}
