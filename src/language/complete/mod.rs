//! Completions at the cursor: fields, schemas, packages, channels and bundles.

mod context;
mod fields;
mod json;
mod values;
mod yaml;

use gen_lsp_types::{
    CompletionItem, CompletionItemKind, CompletionItemTag, CompletionItemTextEdit, Position, Range, TextEdit,
};

use super::{
    Draft, Encoding, Paper,
    spot::{self, Spot},
};
use crate::catalog::{
    Catalog, DocId, FileId, Span, plain,
    text::split::{self, Format},
};
use context::{Context, Slot};

/// Completion candidate.
struct Choice {
    text: String,
    detail: String,
    kind: CompletionItemKind,
    deprecated: bool,
    /// For a field: true if its value is a list or map.
    field: Option<bool>,
}

/// Returns the completions at a position of a file.
pub fn complete(
    draft: &Draft,
    (file, paper): (FileId, &Paper),
    position: Position,
    encoding: Encoding,
) -> Vec<CompletionItem> {
    let byte = paper.byte_at(encoding, position);
    let Some((segment, offset)) = draft.now().file(file).and_then(|file| file.segment_at(byte)) else {
        // The file is empty.
        let context = yaml::context("", 0);
        let at = Range { start: position, end: position };
        return context
            .map(|context| items(&context, choices(&context, draft.known()), at))
            .unwrap_or_default();
    };
    let doc = DocId { file, serial: segment.serial };
    let text = String::from_utf8_lossy(segment.text.bytes());
    // The offsets are only valid if the text is valid UTF-8.
    if text.len() != segment.text.len() {
        return Vec::new();
    }
    let is_json = segment.format() == Some(Format::Json) || text.trim_start().starts_with('{');
    let context = if is_json { json::context(&text, offset) } else { yaml::context(&text, offset) };
    let Some(context) = context else { return Vec::new() };
    let span = Span::new(context.word.start, context.word.end);
    let Some(at) = spot::range(draft.now(), encoding, Spot { doc, span }) else { return Vec::new() };
    let mut items = items(&context, choices(&context, draft.known()), at);
    let before = span.range().start.checked_sub(1).and_then(|before| text.as_bytes().get(before));
    if matches!(before, Some(b':' | b'-')) && !context.json && context.quote.is_none() {
        // Without a blank, YAML would read the value as part of the key.
        items.iter_mut().for_each(with_blank);
    }
    items
}

fn choices(context: &Context, catalog: &Catalog) -> Vec<Choice> {
    let (object, path) = context.object();
    let schema = object.and_then(|object| object.get("schema"));
    let is_key =
        context.slot == Slot::Key || context.slot == Slot::Item && !fields::of(schema, &path).is_empty();
    if !is_key {
        return values::of(context, catalog);
    }
    let there =
        |key: &str| context.slot == Slot::Key && context.map().is_some_and(|map| map.get(key).is_some());
    let fields = fields::of(schema, &path).iter().filter(|field| !there(field.key));
    let choice = |field: &fields::Field| Choice {
        text: field.key.to_owned(),
        detail: field.what.to_owned(),
        kind: CompletionItemKind::Field,
        deprecated: false,
        field: Some(field.nests),
    };
    fields.map(choice).collect()
}

fn items(context: &Context, choices: Vec<Choice>, at: Range) -> Vec<CompletionItem> {
    let item = |(number, choice): (usize, Choice)| CompletionItem {
        label: plain::line(&choice.text).into_owned(),
        kind: Some(choice.kind),
        detail: Some(plain::line(&choice.detail).into_owned()),
        // Keeps our order, which sorts by version.
        sort_text: Some(format!("{number:06}")),
        filter_text: Some(choice.text.clone()),
        tags: choice.deprecated.then(|| vec![CompletionItemTag::Deprecated]),
        text_edit: Some(CompletionItemTextEdit::TextEdit(TextEdit {
            range: at,
            new_text: written(context, &choice),
        })),
        ..CompletionItem::default()
    };
    choices.into_iter().enumerate().map(item).collect()
}

fn with_blank(item: &mut CompletionItem) {
    if let Some(CompletionItemTextEdit::TextEdit(edit)) = &mut item.text_edit {
        edit.new_text.insert(0, ' ');
    }
}

/// Returns the text of a candidate, quoted for its context.
fn written(context: &Context, choice: &Choice) -> String {
    let text = match (context.json, context.quote) {
        (true, quote) => {
            let json = serde_json::Value::from(choice.text.as_str()).to_string();
            if quote.is_some() { json.trim_matches('"').to_owned() } else { json }
        }
        (false, Some('\'')) => choice.text.replace('\'', "''"),
        (false, Some(_)) => choice.text.replace('\\', "\\\\").replace('"', "\\\""),
        (false, None) => scalar(&choice.text, context.flow),
    };
    match choice.field {
        // After an open quote, the user types the colon.
        Some(_) if context.quote.is_some() => text,
        Some(true) if !context.flow => format!("{text}:"),
        Some(_) => format!("{text}: "),
        None => text,
    }
}

/// Returns a string as a YAML scalar, with quotes if they are needed.
fn scalar(text: &str, flow: bool) -> String {
    let means_itself =
        split::parse(Format::Yaml, text.as_bytes()).is_ok_and(|node| node.as_str() == Some(text));
    if means_itself && !(flow && text.contains([',', '[', ']', '{', '}'])) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "''"))
    }
}
