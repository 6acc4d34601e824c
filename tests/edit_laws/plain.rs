//! Documents of a catalog as plain data.

use olmap::catalog::{Catalog, DocId, Node, Value as NodeValue, text::split};
use serde_json::{Value, json};

/// A document with its file, text and value.
#[derive(Clone, Debug)]
pub struct Doc {
    /// Displayed path of the file.
    pub file: String,
    /// Text of the chunk.
    pub text: Vec<u8>,
    /// Value of the document. Numbers become strings that name them.
    pub says: Value,
}

/// Returns all documents of a catalog that can be parsed, in order. For a template, returns the
/// listed
/// objects.
pub fn read(catalog: &Catalog) -> Vec<Doc> {
    if let Some(template) = catalog.template() {
        return listed_in(catalog, template.doc).unwrap_or_default();
    }
    let there = catalog.files().iter().filter(|file| file.is_there());
    let docs = there.flat_map(|file| {
        file.segments().iter().filter_map(|segment| {
            let text = segment.text.bytes();
            let says = plain(&split::parse(segment.format()?, text).ok()?);
            // A byte order mark belongs to the file.
            let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).to_vec();
            Some(Doc { file: file.shown().display().to_string(), text, says })
        })
    });
    docs.collect()
}

fn listed_in(catalog: &Catalog, doc: DocId) -> Option<Vec<Doc>> {
    let (text, tree) = (catalog.text(doc)?, catalog.tree(doc)?.ok()?);
    let file = catalog.file(doc.file)?.shown().display().to_string();
    let items = tree.members().iter().filter(|member| member.key.eq_ignore_ascii_case("entries"));
    let docs = items.flat_map(|member| member.value.items()).map(|item| Doc {
        file: file.clone(),
        text: text[item.span.range()].to_vec(),
        says: plain(item),
    });
    Some(docs.collect())
}

pub fn plain(node: &Node) -> Value {
    match &node.value {
        NodeValue::Null => Value::Null,
        NodeValue::Bool(value) => Value::Bool(*value),
        NodeValue::Number(number) => Value::String(format!("the number {}", number.0)),
        NodeValue::String(text) => Value::String(text.clone().into_owned()),
        NodeValue::List(items) => Value::Array(items.iter().map(plain).collect()),
        NodeValue::Map(members) => {
            Value::Object(members.iter().map(|m| (m.key.clone().into_owned(), plain(&m.value))).collect())
        }
    }
}

/// Returns a comparable form of documents: sorted, with sorted keys, without empty fields.
pub fn meaning(docs: &[Doc]) -> Vec<String> {
    let mut all: Vec<String> = docs.iter().map(|doc| sorted(&told(&doc.says)).to_string()).collect();
    all.sort();
    all
}

/// Removes the fields that count as absent.
fn told(says: &Value) -> Value {
    let mut says = says.clone();
    let schema = text(&says, "schema").unwrap_or_default().to_owned();
    match schema.as_str() {
        "olm.package" => {
            silent(&mut says, &["description", "icon", "defaultChannel"]);
            decoded(&mut says);
        }
        "olm.channel" => {
            for entry in items(&mut says) {
                silent(entry, &["replaces", "skips", "skipRange"]);
            }
            silent(&mut says, &["entries"]);
        }
        "olm.deprecations" => silent(&mut says, &["entries"]),
        _ => {}
    }
    says
}

/// Decodes the icon, because line breaks in base64 are insignificant and opm renders none.
fn decoded(definition: &mut Value) {
    let icon = key(definition, "icon").and_then(|key| definition.as_object_mut()?.get_mut(&key));
    let Some(icon) = icon else { return };
    let bytes = get(icon, "base64data").and_then(Value::as_str).and_then(olmap::catalog::decode::base64);
    if let Some(bytes) = bytes {
        set(icon, "base64data", bytes.into());
    }
}

fn silent(value: &mut Value, keys: &[&str]) {
    for key in keys {
        let nothing = match get(value, key) {
            Some(Value::Null) => true,
            Some(Value::String(text)) => text.is_empty(),
            Some(Value::Array(items)) => items.is_empty(),
            _ => false,
        };
        if nothing {
            remove(value, key);
        }
    }
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(sorted).collect(),
        Value::Object(map) => {
            let mut members: Vec<_> = map.iter().map(|(key, value)| (key.clone(), sorted(value))).collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(members.into_iter().collect())
        }
        other => other.clone(),
    }
}

/// Returns the effective key of a field. OLM ignores case; if several keys match, the last one by
/// bytes counts.
pub fn key(value: &Value, field: &str) -> Option<String> {
    let keys = value.as_object()?.keys();
    keys.filter(|key| key.eq_ignore_ascii_case(field)).max().cloned()
}

pub fn get<'a>(value: &'a Value, field: &str) -> Option<&'a Value> {
    value.as_object()?.get(&key(value, field)?)
}

pub fn set(value: &mut Value, field: &str, new: Value) {
    let key = key(value, field).unwrap_or_else(|| field.to_owned());
    if let Some(map) = value.as_object_mut() {
        map.insert(key, new);
    }
}

pub fn remove(value: &mut Value, field: &str) {
    while let Some(key) = key(value, field) {
        value.as_object_mut().and_then(|map| map.remove(&key));
    }
}

pub fn text<'a>(value: &'a Value, field: &str) -> Option<&'a str> {
    get(value, field)?.as_str().filter(|text| !text.is_empty())
}

pub fn texts(value: &Value, field: &str) -> Vec<String> {
    let items = get(value, field).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(|item| Some(item.as_str()?.to_owned())).collect()
}

/// Returns the `entries` for modification.
pub fn items(value: &mut Value) -> &mut [Value] {
    entries(value).map(Vec::as_mut_slice).unwrap_or_default()
}

pub fn entries(value: &mut Value) -> Option<&mut Vec<Value>> {
    let key = key(value, "entries")?;
    value.as_object_mut()?.get_mut(&key)?.as_array_mut()
}

pub fn listed(value: &Value) -> &[Value] {
    get(value, "entries").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

pub fn push(value: &mut Value, item: Value) {
    match entries(value) {
        Some(items) => items.push(item),
        None => set(value, "entries", json!([item])),
    }
}
