//! Completions at the cursor: fields, schemas, packages, channels and bundles.

mod fields;
mod values;
mod yaml;

use gen_lsp_types::{
    CompletionItem, CompletionItemKind, CompletionItemTag, CompletionItemTextEdit, Position, Range, TextEdit,
};

use super::{
    DraftCatalog, Encoding, TextDocument,
    location::{self, DocumentSpan},
};
use olm_catalog::{
    Catalog, DocId, FileId, Span, escape,
    text::split::{self, Format},
};
use yaml::{Context, MapLevel, Slot};

/// Completion candidate.
struct Choice {
    text: String,
    detail: String,
    kind: CompletionItemKind,
    is_deprecated: bool,
    /// For a field: true if its value is a list or map.
    field: Option<bool>,
}

/// Returns the completions at a position of a file.
pub fn completions_at(
    draft: &DraftCatalog,
    (file, document): (FileId, &TextDocument),
    position: Position,
    encoding: Encoding,
) -> Vec<CompletionItem> {
    let byte = document.byte_at(encoding, position);
    let Some((segment, offset)) = draft.current().file(file).and_then(|file| file.segment_at(byte)) else {
        // The file is empty.
        let context = yaml::yaml_context("", 0);
        let at = Range { start: position, end: position };
        return context
            .map(|context| completion_items(&context, choices_at(&context, draft.last_valid()), at))
            .unwrap_or_default();
    };
    let doc = DocId { file, serial: segment.serial };
    let text = String::from_utf8_lossy(segment.text.as_bytes());
    // The offsets are only valid if the text is valid UTF-8.
    if text.len() != segment.text.len() {
        return Vec::new();
    }
    let is_json = segment.format() == Some(Format::Json) || text.trim_start().starts_with('{');
    let context = if is_json { json_context(&text, offset) } else { yaml::yaml_context(&text, offset) };
    let Some(context) = context else { return Vec::new() };
    let span = Span::new(context.word.start, context.word.end);
    let Some(at) = location::to_range(draft.current(), encoding, DocumentSpan { doc, span }) else {
        return Vec::new();
    };
    let mut items = completion_items(&context, choices_at(&context, draft.last_valid()), at);
    let before = span.range().start.checked_sub(1).and_then(|before| text.as_bytes().get(before));
    if matches!(before, Some(b':' | b'-')) && !context.is_json && context.quote.is_none() {
        // Without a blank, YAML would read the value as part of the key.
        items.iter_mut().for_each(insert_blank_before);
    }
    items
}

fn choices_at(context: &Context, catalog: &Catalog) -> Vec<Choice> {
    let (object, path) = context.enclosing_object();
    let schema = object.and_then(|object| object.get("schema"));
    let is_key = context.slot == Slot::Key
        || context.slot == Slot::Item && !fields::fields_for(schema, &path).is_empty();
    if !is_key {
        return values::value_choices(context, catalog);
    }
    let there = |key: &str| {
        context.slot == Slot::Key && context.innermost_map().is_some_and(|map| map.get(key).is_some())
    };
    let fields = fields::fields_for(schema, &path).iter().filter(|field| !there(field.key));
    let choice = |field: &fields::Field| Choice {
        text: field.key.to_owned(),
        detail: field.description.to_owned(),
        kind: CompletionItemKind::Field,
        is_deprecated: false,
        field: Some(field.nests),
    };
    fields.map(choice).collect()
}

fn completion_items(context: &Context, choices: Vec<Choice>, at: Range) -> Vec<CompletionItem> {
    let item = |(number, choice): (usize, Choice)| CompletionItem {
        label: escape::escape_line(&choice.text).into_owned(),
        kind: Some(choice.kind),
        detail: Some(escape::escape_line(&choice.detail).into_owned()),
        // Keeps our order, which sorts by version.
        sort_text: Some(format!("{number:06}")),
        filter_text: Some(choice.text.clone()),
        tags: choice.is_deprecated.then(|| vec![CompletionItemTag::Deprecated]),
        text_edit: Some(CompletionItemTextEdit::TextEdit(TextEdit {
            range: at,
            new_text: quote_for_context(context, &choice),
        })),
        ..CompletionItem::default()
    };
    choices.into_iter().enumerate().map(item).collect()
}

fn insert_blank_before(item: &mut CompletionItem) {
    if let Some(CompletionItemTextEdit::TextEdit(edit)) = &mut item.text_edit {
        edit.new_text.insert(0, ' ');
    }
}

/// Returns the text of a candidate, quoted for its context.
fn quote_for_context(context: &Context, choice: &Choice) -> String {
    let text = match (context.is_json, context.quote) {
        (true, quote) => {
            let json = serde_json::Value::from(choice.text.as_str()).to_string();
            if quote.is_some() { json.trim_matches('"').to_owned() } else { json }
        }
        (false, Some('\'')) => choice.text.replace('\'', "''"),
        (false, Some(_)) => choice.text.replace('\\', "\\\\").replace('"', "\\\""),
        (false, None) => yaml_scalar(&choice.text, context.is_in_brackets),
    };
    match choice.field {
        // After an open quote, the user types the colon.
        Some(_) if context.quote.is_some() => text,
        Some(true) if !context.is_in_brackets => format!("{text}:"),
        Some(_) => format!("{text}: "),
        None => text,
    }
}

/// Returns a string as a YAML scalar, with quotes if they are needed.
fn yaml_scalar(text: &str, flow: bool) -> String {
    let means_itself =
        split::parse_chunk(Format::Yaml, text.as_bytes()).is_ok_and(|node| node.as_str() == Some(text));
    if means_itself && !(flow && text.contains([',', '[', ']', '{', '}'])) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "''"))
    }
}

/// Open list or map.
enum OpenBracket {
    Map { level: MapLevel, key: Option<String>, is_value: bool },
    List { under: Option<String> },
}

/// Returns the context at a byte offset of a document.
fn json_context(text: &str, offset: usize) -> Option<Context> {
    let bytes = text.as_bytes();
    let mut open: Vec<OpenBracket> = Vec::new();
    let mut at = 0;
    let mut word = None;
    while let Some(byte) = bytes.get(at).filter(|_| at < offset) {
        match byte {
            b'{' => {
                let under = pending_key(&open);
                open.push(OpenBracket::Map {
                    level: MapLevel { members: Vec::new(), parent_key: under },
                    key: None,
                    is_value: false,
                });
            }
            b'[' => {
                let under = pending_key(&open);
                open.push(OpenBracket::List { under });
            }
            b'}' | b']' => {
                open.pop();
            }
            b':' => {
                if let Some(OpenBracket::Map { is_value, .. }) = open.last_mut() {
                    *is_value = true;
                }
            }
            b',' => {
                if let Some(OpenBracket::Map { is_value, key, .. }) = open.last_mut() {
                    (*is_value, *key) = (false, None);
                }
            }
            b'"' => {
                let end = end_of_string(bytes, at + 1);
                if offset <= end {
                    word = Some(at + 1..end);
                    break;
                }
                record_string(&mut open, text.get(at + 1..end).unwrap_or_default());
                at = end;
            }
            _ => {}
        }
        at += 1;
    }
    let quote = word.is_some().then_some('"');
    let word = word.unwrap_or(offset..offset);
    let (slot, list) = match open.last()? {
        OpenBracket::Map { is_value: true, key: Some(key), .. } => (Slot::Value(key.clone()), None),
        OpenBracket::Map { .. } => (Slot::Key, None),
        OpenBracket::List { under } => (Slot::Item, under.clone()),
    };
    let levels = open.into_iter().rev().filter_map(|open| match open {
        OpenBracket::Map { level, .. } => Some(level),
        OpenBracket::List { .. } => None,
    });
    Some(Context { slot, list, word, quote, is_in_brackets: true, is_json: true, levels: levels.collect() })
}

/// Returns the key of a list or map that begins here.
fn pending_key(open: &[OpenBracket]) -> Option<String> {
    match open.last()? {
        OpenBracket::Map { key, .. } => key.clone(),
        OpenBracket::List { under } => under.clone(),
    }
}

fn record_string(open: &mut [OpenBracket], text: &str) {
    let Some(OpenBracket::Map { level, key, is_value }) = open.last_mut() else { return };
    match key {
        Some(key) if *is_value => {
            if let Some((_, value)) = level.members.iter_mut().find(|(name, _)| name == key) {
                text.clone_into(value);
            }
        }
        _ => {
            *key = Some(text.to_owned());
            level.members.push((text.to_owned(), String::new()));
        }
    }
}

/// Returns the position of the quote that ends a string, or the end of the line.
fn end_of_string(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'"' | b'\n' => return at,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json_context_at_mark(marked: &str) -> String {
        let offset = marked.find('|').unwrap();
        let text = marked.replacen('|', "", 1);
        let Some(context) = json_context(&text, offset) else { return "nothing".to_owned() };
        let (object, path) = context.enclosing_object();
        let schema = object.and_then(|object| object.get("schema")).unwrap_or("?");
        format!("{schema} {path:?} {:?} {:?} {:?}", context.slot, &text[context.word.clone()], context.quote)
    }

    #[test]
    fn context_is_found_in_incomplete_json() {
        let channel = r#"{"schema":"olm.channel","package":"p","entries":[{"name":"a""#;
        for (marked, expected) in [
            (format!(r#"{channel},"re|""#), r#"olm.channel ["entries"] Key "re" Some('"')"#),
            (
                format!(r#"{channel},"replaces": "b|c"}}]}}"#),
                r#"olm.channel ["entries"] Value("replaces") "bc" Some('"')"#,
            ),
            (format!(r#"{channel},"replaces": |"#), r#"olm.channel ["entries"] Value("replaces") "" None"#),
            (
                format!(r#"{channel},"skips": ["b","|"#),
                r#"olm.channel ["entries", "skips"] Item "" Some('"')"#,
            ),
            (format!("{channel}, |"), r#"olm.channel ["entries"] Key "" None"#),
            ("|".to_owned(), "nothing"),
            (r#"{"sch|"#.to_owned(), r#"? [] Key "sch" Some('"')"#),
        ] {
            assert_eq!(json_context_at_mark(&marked), expected, "{marked}");
        }
    }
}
