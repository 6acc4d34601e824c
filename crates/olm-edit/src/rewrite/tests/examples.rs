//! Examples as text, in `*.txt` files next to this file. An example looks like this:
//!
//! ```text
//! ## name of the rule
//! set /entries/0/replaces "a.v1"
//! <<<
//! the document before
//! ===
//! the document after
//! >>>
//! ```
//!
//! Edits are `set PATH JSON` (a new key or a new value), `insert PATH JSON` (before the item with that index)
//! and `remove PATH`. `with crlf`, `with bom` and `with no-newline` change the document and the expected
//! result. `=== Obstacle at LINE:COLUMN` expects an error.

use std::fmt::Write as _;

use super::*;

struct Example {
    name: String,
    edits: Vec<String>,
    before: String,
    after: Result<String, String>,
}

fn parse_examples(text: &str) -> Vec<Example> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(name) = line.strip_prefix("## ") else {
            assert!(line.is_empty(), "between examples: {line:?}");
            continue;
        };
        let edits: Vec<String> =
            lines.by_ref().take_while(|line| *line != "<<<").map(str::to_owned).collect();
        let mut before = String::new();
        let mut error = None;
        for line in lines.by_ref() {
            if let Some(rest) = line.strip_prefix("===") {
                error = Some(rest.trim().to_owned()).filter(|rest| !rest.is_empty());
                break;
            }
            before += line;
            before += "\n";
        }
        let after: String =
            lines.by_ref().take_while(|line| *line != ">>>").flat_map(|line| [line, "\n"]).collect();
        found.push(Example { name: name.to_owned(), edits, before, after: error.map_or(Ok(after), Err) });
    }
    found
}

/// Returns the parent of a path, and the last step of the path.
fn find_parent<'p>(tree: &'p mut ValueTree, path: &str) -> (&'p mut ValueTree, String) {
    let (parent, last) = path.rsplit_once('/').unwrap();
    let mut at = tree;
    for step in parent.split('/').skip(1) {
        at = match at {
            ValueTree::List(items) => &mut items[step.parse::<usize>().unwrap()],
            map => map.get_mut(step).unwrap(),
        };
    }
    (at, last.to_owned())
}

fn apply_edit_line(tree: &mut ValueTree, line: &str) {
    let (verb, rest) = line.split_once(' ').unwrap();
    let (path, value) =
        rest.split_once(' ').map_or((rest, ValueTree::Null), |(path, value)| (path, parse_json(value)));
    let (parent, last) = find_parent(tree, path);
    match (verb, parent) {
        ("set", ValueTree::List(items)) => items[last.parse::<usize>().unwrap()] = value,
        ("insert", ValueTree::List(items)) => items.insert(last.parse().unwrap(), value),
        ("remove", ValueTree::List(items)) => drop(items.remove(last.parse().unwrap())),
        ("set", map) => map.set(&last, value),
        ("remove", map) => assert!(map.remove(&last).is_some(), "no {path}"),
        _ => panic!("{line:?}"),
    }
}

fn check_examples(format: Format, text: &str) {
    let mut wrong = String::new();
    for Example { name, edits, before, after } in parse_examples(text) {
        let (options, edits): (Vec<&str>, Vec<&str>) =
            edits.iter().map(String::as_str).partition(|edit| edit.starts_with("with "));
        let dress = |text: &str| {
            let mut text = text.to_owned();
            for option in &options {
                match *option {
                    "with crlf" => text = text.replace('\n', "\r\n"),
                    "with bom" => text.insert(0, '\u{feff}'),
                    "with no-newline" => text.truncate(text.trim_end_matches(['\r', '\n']).len()),
                    _ => panic!("{option:?}"),
                }
            }
            text
        };
        let before = dress(&before);
        let mut new = ValueTree::from(&parse_document(format, before.as_bytes()));
        for line in edits {
            apply_edit_line(&mut new, line);
        }
        let done = rewrite_and_check(format, before.as_bytes(), &new);
        let done = match done {
            Ok(done) => Ok(String::from_utf8(done.text).unwrap()),
            Err(RewriteError::Unsupported { what, span }) => {
                let until = &before[..span.start as usize];
                let line = until.matches('\n').count() + 1;
                let column = until.rsplit('\n').next().unwrap_or(until).len() + 1;
                Err(format!("{what:?} at {line}:{column}"))
            }
            Err(error) => Err(format!("{error:?}")),
        };
        let after = after.map(|after| dress(&after));
        if done != after {
            let show = |side: Result<String, String>| side.unwrap_or_else(|error| error + "\n");
            let _ = writeln!(wrong, "## {name}\n--- expected\n{}--- but was\n{}", show(after), show(done));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn block_yaml() {
    check_examples(Format::Yaml, include_str!("block.txt"));
}

#[test]
fn comments_in_block_yaml() {
    check_examples(Format::Yaml, include_str!("comments.txt"));
}

#[test]
fn scalars_in_yaml() {
    check_examples(Format::Yaml, include_str!("scalars.txt"));
}

#[test]
fn bracketed_yaml() {
    check_examples(Format::Yaml, include_str!("flow.txt"));
}

#[test]
fn json_documents() {
    check_examples(Format::Json, include_str!("json.txt"));
}

#[test]
fn refuses_unsafe_edits_with_location() {
    check_examples(Format::Yaml, include_str!("refused.txt"));
}
