//! Completions at the cursor: fields, schemas, packages, channels and bundles.

mod fields;
mod yaml;

use std::{cmp::Ordering, collections::HashSet};

use gen_lsp_types::{
    CompletionItem, CompletionItemKind, CompletionItemTag, CompletionItemTextEdit, InsertTextFormat,
    InsertTextMode, Position, Range, TextEdit,
};

use super::{
    DraftCatalog, Encoding, TextDocument,
    location::{self, DocumentSpan},
};
use olm_catalog::{
    BundleName, Catalog, ChannelName, DocId, FileId, Span, escape,
    package::{Package, version_in_name},
    text::split::{self, Format},
};
use olm_upgrade::placement::usual_skip_range;
use olm_version::Version;
use yaml::{Context, MapLevel, Slot};

/// Completion candidate.
struct Choice {
    text: String,
    detail: String,
    kind: CompletionItemKind,
    is_deprecated: bool,
    /// For a field: true if its value is a list or map.
    field: Option<bool>,
    /// Text with placeholders, in place of the field.
    snippet: Option<&'static str>,
}

/// Returns the completions at a position of a file, the most likely first. `snippets` is true if the client supports
/// text with placeholders.
pub fn completions_at(
    draft: &DraftCatalog,
    (file, document): (FileId, &TextDocument),
    position: Position,
    (encoding, snippets): (Encoding, bool),
) -> Vec<CompletionItem> {
    let byte = document.byte_at(encoding, position);
    let Some((segment, offset)) = draft.current().file(file).and_then(|file| file.segment_at(byte)) else {
        // The file is empty.
        let context = yaml::yaml_context("", 0);
        let at = Range { start: position, end: position };
        return context
            .map(|context| completion_items(&context, choices_at(&context, draft, snippets), at))
            .unwrap_or_default();
    };
    let doc = DocId { file, serial: segment.serial };
    let text = String::from_utf8_lossy(segment.text.as_bytes());
    // The offsets are only valid if the text is valid UTF-8.
    if text.len() != segment.text.len() {
        return Vec::new();
    }
    let is_json = segment.format() == Some(Format::Json) || text.trim_start().starts_with('{');
    let Some(context) = context_at(&text, offset, is_json) else { return Vec::new() };
    let span = Span::new(context.word.start, context.word.end);
    let Some(at) = location::to_range(draft.current(), encoding, DocumentSpan { doc, span }) else {
        return Vec::new();
    };
    let mut items = completion_items(&context, choices_at(&context, draft, snippets), at);
    let before = span.range().start.checked_sub(1).and_then(|before| text.as_bytes().get(before));
    if matches!(before, Some(b':' | b'-')) && !context.is_json && context.quote.is_none() {
        // Without a blank, YAML would read the value as part of the key.
        items.iter_mut().for_each(insert_blank_before);
    }
    items
}

/// Returns the context at a byte offset of a document.
fn context_at(text: &str, offset: usize, is_json: bool) -> Option<Context> {
    if is_json { json_context(text, offset) } else { yaml::yaml_context(text, offset) }
}

/// Returns the description of the field or of the schema at a byte offset of a document, with its byte range.
pub(super) fn describe_field(
    text: &str,
    offset: usize,
    is_json: bool,
) -> Option<(String, std::ops::Range<usize>)> {
    let context = context_at(text, offset, is_json)?;
    let word = text.get(context.word.clone()).filter(|word| !word.is_empty())?;
    if let Slot::Value(key) = &context.slot {
        let described = ["schema", "type"].contains(&key.as_str());
        let description = fields::constant_description(word).filter(|_| described)?;
        return Some((description.to_owned(), context.word));
    }
    let (object, path) = context.enclosing_object();
    let schema = object.and_then(|object| object.get("schema"));
    let field = fields::fields_for(schema, &path).iter().find(|field| field.key == word)?;
    Some((field.description.to_owned(), context.word))
}

/// Returns the skeletons of new documents if the document is empty.
fn skeleton_choices(context: &Context) -> Vec<Choice> {
    let is_empty = context.levels.len() <= 1
        && context.levels.iter().all(|level| level.members.is_empty() && level.parent_key.is_none());
    if context.is_json || context.is_in_brackets || context.list.is_some() || !is_empty {
        return Vec::new();
    }
    let choice = |(schema, snippet, description): &(&str, &'static str, &str)| Choice {
        text: (*schema).to_owned(),
        detail: (*description).to_owned(),
        kind: CompletionItemKind::Snippet,
        is_deprecated: false,
        field: Some(true),
        snippet: Some(snippet),
    };
    fields::SKELETONS.iter().map(choice).collect()
}

fn choices_at(context: &Context, draft: &DraftCatalog, snippets: bool) -> Vec<Choice> {
    let (object, path) = context.enclosing_object();
    let schema = object.and_then(|object| object.get("schema"));
    let is_key = context.slot == Slot::Key
        || context.slot == Slot::Item && !fields::fields_for(schema, &path).is_empty();
    if !is_key {
        return value_choices(context, draft);
    }
    let has_block = snippets && !context.is_json && !context.is_in_brackets && context.quote.is_none();
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
        snippet: fields::snippet_for(schema, &path, field.key).filter(|_| has_block),
    };
    let mut choices: Vec<Choice> = fields.map(choice).collect();
    if snippets && schema.is_none() && path.is_empty() {
        choices.extend(skeleton_choices(context));
    }
    choices
}

fn completion_items(context: &Context, choices: Vec<Choice>, at: Range) -> Vec<CompletionItem> {
    let indentation = " ".repeat(at.start.character as usize);
    let item = |(number, choice): (usize, Choice)| CompletionItem {
        label: escape::escape_line(&choice.text).into_owned(),
        kind: Some(choice.kind),
        detail: Some(escape::escape_line(&choice.detail).into_owned()),
        // Keeps our order, which sorts by version.
        sort_text: Some(format!("{number:06}")),
        filter_text: Some(choice.text.clone()),
        tags: choice.is_deprecated.then(|| vec![CompletionItemTag::Deprecated]),
        insert_text_format: choice.snippet.map(|_| InsertTextFormat::Snippet),
        // The lines have their indentation already.
        insert_text_mode: choice.snippet.map(|_| InsertTextMode::AsIs),
        text_edit: Some(CompletionItemTextEdit::TextEdit(TextEdit {
            range: at,
            new_text: match choice.snippet {
                Some(snippet) => snippet.replace('\n', &format!("\n{indentation}")),
                None => quote_for_context(context, &choice),
            },
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

/// Returns the candidates for the value at the cursor.
fn value_choices(context: &Context, draft: &DraftCatalog) -> Vec<Choice> {
    let catalog = draft.last_valid();
    let (object, path) = context.enclosing_object();
    let schema = object.and_then(|object| object.get("schema")).unwrap_or_default();
    let key = match &context.slot {
        Slot::Value(key) => key.as_str(),
        Slot::Item => "",
        Slot::Key => return Vec::new(),
    };
    let named = if schema == "olm.package" { "name" } else { "package" };
    let package = object.and_then(|object| object.get(named)).filter(|name| !name.is_empty());
    // If the object does not name a package, the only package of the catalog is used.
    let only = || {
        let mut all = catalog.packages();
        all.next().filter(|_| all.next().is_none())
    };
    let package = package.map_or_else(only, |name| catalog.package(name)).map(AsRef::as_ref);
    let own = |key: &str| context.innermost_map().and_then(|map| map.get(key)).unwrap_or_default();
    let channel = || object.and_then(|object| object.get("name"));
    match (schema, path.as_slice(), key) {
        ("olm.deprecations", ["entries", "reference"], "schema") => {
            constant_choices(&fields::SCHEMAS[..3], CompletionItemKind::EnumMember)
        }
        ("olm.deprecations", ["entries", "reference"], "name") => match own("schema") {
            "olm.channel" => channel_choices(package),
            "olm.bundle" => bundle_choices(package, |_| true),
            _ => Vec::new(),
        },
        (_, [], "schema") => {
            let templates = fields::TEMPLATES.iter().filter(|_| context.levels.len() == 1).copied();
            let all: Vec<_> = fields::SCHEMAS.iter().copied().chain(templates).collect();
            constant_choices(&all, CompletionItemKind::EnumMember)
        }
        (_, [], "package") => package_choices(catalog),
        ("olm.package", [], "defaultChannel") => channel_choices(package),
        ("olm.channel", ["entries"], "name") => {
            let known = package.zip(channel()).and_then(|(package, name)| package.channel(name));
            let there: HashSet<&str> = known
                .into_iter()
                .flat_map(|channel| &channel.entries)
                .map(|entry| entry.name.value.as_str())
                .collect();
            bundle_choices(package, |name| name == own("name") || !there.contains(name))
        }
        ("olm.channel", ["entries"], "replaces") | ("olm.channel", ["entries", "skips"], "") => {
            edge_choices(package, channel(), own("name"), !context.word.is_empty())
        }
        ("olm.channel", ["entries"], "skipRange") => range_choices(draft, package, channel(), own("name")),
        ("olm.bundle", [], "name") => undefined_bundle_choices(package),
        ("olm.bundle", ["properties"], "type") => {
            constant_choices(fields::PROPERTIES, CompletionItemKind::EnumMember)
        }
        ("olm.template.substitutes", ["substitutions"], "name" | "base") => bundle_choices(package, |_| true),
        ("olm.semver", [], "generateMajorChannels" | "generateMinorChannels") => {
            constant_choices(&[("true", ""), ("false", "")], CompletionItemKind::Value)
        }
        ("olm.semver", [], "defaultChannelTypePreference") => {
            constant_choices(&[("minor", "as opm does"), ("major", "")], CompletionItemKind::EnumMember)
        }
        _ => Vec::new(),
    }
}

fn new_choice(text: &str, detail: String, kind: CompletionItemKind) -> Choice {
    Choice { text: text.to_owned(), detail, kind, is_deprecated: false, field: None, snippet: None }
}

fn constant_choices(all: &[(&str, &str)], kind: CompletionItemKind) -> Vec<Choice> {
    all.iter().map(|(text, what)| new_choice(text, (*what).to_owned(), kind)).collect()
}

fn package_choices(catalog: &Catalog) -> Vec<Choice> {
    let named = catalog.packages().filter(|package| !package.name.as_str().is_empty());
    named
        .map(|package| new_choice(package.name.as_str(), "package".to_owned(), CompletionItemKind::Module))
        .collect()
}

fn channel_choices(package: Option<&Package>) -> Vec<Choice> {
    let Some(package) = package else { return Vec::new() };
    let mut seen: HashSet<&ChannelName> = HashSet::new();
    let channels = package.channels.iter().filter(|channel| seen.insert(&channel.name.value));
    let told = |name: &ChannelName, heads: Vec<&BundleName>| Choice {
        is_deprecated: package.channel_deprecation(name).is_some(),
        ..new_choice(
            name.as_str(),
            heads
                .first()
                .map(|head| format!("channel, head {}", package.short_name(head)))
                .unwrap_or_default(),
            CompletionItemKind::Enum,
        )
    };
    channels.map(|channel| told(&channel.name.value, channel.heads())).collect()
}

/// Returns all bundles of a package, and names that only entries have.
fn bundle_names(package: &Package, is_wanted: impl Fn(&str) -> bool) -> Vec<&BundleName> {
    let mut names: Vec<&BundleName> = package.bundles.iter().map(|bundle| &bundle.name.value).collect();
    names.extend(package.channels.iter().flat_map(|channel| &channel.entries).map(|entry| &entry.name.value));
    let mut seen: HashSet<&BundleName> = HashSet::new();
    names.retain(|name| !name.as_str().is_empty() && is_wanted(name.as_str()) && seen.insert(name));
    names
}

/// Returns bundles, and names that only entries have: higher versions first.
fn bundle_choices(package: Option<&Package>, is_wanted: impl Fn(&str) -> bool) -> Vec<Choice> {
    let Some(package) = package else { return Vec::new() };
    let mut names = bundle_names(package, is_wanted);
    names.sort_by(|a, b| compare_versions(package, b, a));
    names.into_iter().map(|name| bundle_choice(package, name)).collect()
}

/// Compares the versions of two names. A name without a bundle is lowest.
fn compare_versions(package: &Package, a: &BundleName, b: &BundleName) -> Ordering {
    let version = |name: &BundleName| package.bundle_version(name.as_str());
    match (version(a), version(b)) {
        (Some(a), Some(b)) => a.cmp_precedence(b),
        (a, b) => a.is_some().cmp(&b.is_some()),
    }
}

/// Returns the names that `replaces` or `skips` of an entry may have: the next lower entry of the channel first, then
/// the other lower ones. Higher versions are returned only if the user has typed something, never the entry itself.
fn edge_choices(
    package: Option<&Package>,
    channel: Option<&str>,
    entry: &str,
    is_typed: bool,
) -> Vec<Choice> {
    let Some(package) = package else { return Vec::new() };
    let named = || version_in_name(entry).and_then(|text| Version::parse(text).ok());
    let own = package.bundle_version(entry).map(|version| version.version.clone()).or_else(named);
    let is_entry = |name: &BundleName| {
        channel.is_some_and(|channel| package.channels_with(name).any(|other| other.name.value == channel))
    };
    let side = |name: &BundleName| {
        let version = package.bundle_version(name.as_str())?;
        own.as_ref().map(|own| version.version.cmp_precedence(own))
    };
    let mut names: Vec<(Option<Ordering>, bool, &BundleName)> = bundle_names(package, |name| name != entry)
        .into_iter()
        .map(|name| (side(name), is_entry(name), name))
        .filter(|(side, ..)| is_typed || *side != Some(Ordering::Greater))
        .collect();
    let rank = |side: Option<Ordering>| match side {
        Some(Ordering::Less) => 0,
        None | Some(Ordering::Equal) => 1,
        Some(Ordering::Greater) => 2,
    };
    names.sort_by(|(a_side, a_entry, a), (b_side, b_entry, b)| {
        let by_version = match a_side {
            Some(Ordering::Greater) => compare_versions(package, a, b),
            _ => compare_versions(package, b, a),
        };
        rank(*a_side).cmp(&rank(*b_side)).then(b_entry.cmp(a_entry)).then(by_version)
    });
    names.into_iter().map(|(.., name)| bundle_choice(package, name)).collect()
}

fn bundle_choice(package: &Package, name: &BundleName) -> Choice {
    let mut homes: Vec<&str> =
        package.channels_with(name).take(4).map(|channel| channel.name.value.as_str()).collect();
    if let Some(fourth) = homes.get_mut(3) {
        *fourth = "...";
    }
    let homes =
        if homes.is_empty() { "in no channel".to_owned() } else { format!("in {}", homes.join(", ")) };
    let detail = match package.bundle_version(name.as_str()) {
        Some(version) => format!("{version}, {homes}"),
        None => format!("no bundle, {homes}"),
    };
    Choice {
        is_deprecated: package.bundle_deprecation(name).is_some(),
        ..new_choice(name.as_str(), detail, CompletionItemKind::Reference)
    }
}

/// Returns the entries without a bundle.
fn undefined_bundle_choices(package: Option<&Package>) -> Vec<Choice> {
    let is_missing = |name: &str| package.is_some_and(|package| package.bundle(name).is_none());
    bundle_choices(package, is_missing)
}

/// Returns ranges of versions below an entry: in the form of the other entries of the channel, then all versions.
fn range_choices(
    draft: &DraftCatalog,
    package: Option<&Package>,
    channel: Option<&str>,
    entry: &str,
) -> Vec<Choice> {
    let Some(package) = package else { return Vec::new() };
    let usual =
        draft.last_valid().package(package.name.as_str()).zip(channel).and_then(|(package, channel)| {
            let channel = ChannelName::from(channel);
            usual_skip_range(&draft.package_graph(package), &channel, &BundleName::from(entry))
        });
    let below = package.bundle_version(entry).map(|version| format!("<{}", version.version));
    let below = below.filter(|below| usual.as_ref() != Some(below));
    let to_choice = |text: String, what: &str| new_choice(&text, what.to_owned(), CompletionItemKind::Value);
    let usual = usual.map(|text| to_choice(text, "as the other entries of the channel"));
    usual.into_iter().chain(below.map(|text| to_choice(text, "every version before this one"))).collect()
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
