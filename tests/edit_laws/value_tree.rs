//! Documents of a catalog as plain data.

use olm_catalog::{Catalog, DocId, Node, Value as NodeValue, text::split};
use serde_json::{Value, json};

/// A document with its file, text and value.
#[derive(Clone, Debug)]
pub struct Doc {
    /// Displayed path of the file.
    pub file: String,
    /// Text of the chunk.
    pub text: Vec<u8>,
    /// Value of the document. Numbers become strings that name them.
    pub value: Value,
}

/// Returns all documents of a catalog that can be parsed, in order. For a template, returns the
/// listed
/// objects.
pub fn parse_documents(catalog: &Catalog) -> Vec<Doc> {
    if let Some(template) = catalog.template() {
        return template_documents(catalog, template.doc).unwrap_or_default();
    }
    let there = catalog.files().iter().filter(|file| file.exists());
    let docs = there.flat_map(|file| {
        file.segments().iter().filter_map(|segment| {
            let text = segment.text.as_bytes();
            let says = to_json_value(&split::parse_chunk(segment.format()?, text).ok()?);
            // A byte order mark belongs to the file.
            let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).to_vec();
            Some(Doc { file: file.display_path().display().to_string(), text, value: says })
        })
    });
    docs.collect()
}

fn template_documents(catalog: &Catalog, doc: DocId) -> Option<Vec<Doc>> {
    let (text, tree) = (catalog.document_text(doc)?, catalog.parse_document(doc)?.ok()?);
    let file = catalog.file(doc.file)?.display_path().display().to_string();
    let items = tree.members().iter().filter(|member| member.key.eq_ignore_ascii_case("entries"));
    let docs = items.flat_map(|member| member.value.items()).map(|item| Doc {
        file: file.clone(),
        text: text[item.span.range()].to_vec(),
        value: to_json_value(item),
    });
    Some(docs.collect())
}

pub fn to_json_value(node: &Node) -> Value {
    match &node.value {
        NodeValue::Null => Value::Null,
        NodeValue::Bool(value) => Value::Bool(*value),
        NodeValue::Number(number) => Value::String(format!("the number {}", number.0)),
        NodeValue::String(text) => Value::String(text.clone().into_owned()),
        NodeValue::List(items) => Value::Array(items.iter().map(to_json_value).collect()),
        NodeValue::Map(members) => Value::Object(
            members.iter().map(|m| (m.key.clone().into_owned(), to_json_value(&m.value))).collect(),
        ),
    }
}

/// Returns a comparable form of documents: sorted, with sorted keys, without empty fields.
pub fn comparable_documents(docs: &[Doc]) -> Vec<String> {
    let mut all: Vec<String> =
        docs.iter().map(|doc| sort_keys(&without_absent_fields(&doc.value)).to_string()).collect();
    all.sort();
    all
}

/// Removes the fields that count as absent.
fn without_absent_fields(says: &Value) -> Value {
    let mut says = says.clone();
    let schema = field_str(&says, "schema").unwrap_or_default().to_owned();
    match schema.as_str() {
        "olm.package" => {
            remove_empty_fields(&mut says, &["description", "icon", "defaultChannel"]);
            decode_icon(&mut says);
        }
        "olm.channel" => {
            for entry in entries_slice_mut(&mut says) {
                remove_empty_fields(entry, &["replaces", "skips", "skipRange"]);
            }
            remove_empty_fields(&mut says, &["entries"]);
        }
        "olm.deprecations" => remove_empty_fields(&mut says, &["entries"]),
        "olm.bundle" => sort_bundle_lists(&mut says),
        _ => {}
    }
    says
}

/// Sorts the lists of a bundle as opm does when it renders a catalog.
fn sort_bundle_lists(bundle: &mut Value) {
    let mut sort = |field: &str, key: &dyn Fn(&Value) -> String| {
        let Some(key_in_bundle) = effective_key(bundle, field) else { return };
        let items = bundle.as_object_mut().and_then(|map| map.get_mut(&key_in_bundle)?.as_array_mut());
        if let Some(items) = items {
            items.sort_by_key(key);
        }
    };
    let is_large = |kind: &str| matches!(kind, "olm.bundle.object" | "olm.csv.metadata");
    sort("properties", &|item| is_large(field_str(item, "type").unwrap_or_default()).to_string());
    sort("relatedImages", &|item| field_str(item, "image").unwrap_or_default().to_owned());
}

/// Decodes the icon, because line breaks in base64 are insignificant and opm renders none.
fn decode_icon(definition: &mut Value) {
    let icon = effective_key(definition, "icon").and_then(|key| definition.as_object_mut()?.get_mut(&key));
    let Some(icon) = icon else { return };
    let bytes =
        get_field(icon, "base64data").and_then(Value::as_str).and_then(olm_catalog::decode::decode_base64);
    if let Some(bytes) = bytes {
        set_field(icon, "base64data", bytes.into());
    }
}

fn remove_empty_fields(value: &mut Value, keys: &[&str]) {
    for key in keys {
        let nothing = match get_field(value, key) {
            Some(Value::Null) => true,
            Some(Value::String(text)) => text.is_empty(),
            Some(Value::Array(items)) => items.is_empty(),
            _ => false,
        };
        if nothing {
            remove_field(value, key);
        }
    }
}

fn sort_keys(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(sort_keys).collect(),
        Value::Object(map) => {
            let mut members: Vec<_> =
                map.iter().map(|(key, value)| (key.clone(), sort_keys(value))).collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(members.into_iter().collect())
        }
        other => other.clone(),
    }
}

/// Returns the effective key of a field. OLM ignores case; if several keys match, the last one by
/// bytes counts.
pub fn effective_key(value: &Value, field: &str) -> Option<String> {
    let keys = value.as_object()?.keys();
    keys.filter(|key| key.eq_ignore_ascii_case(field)).max().cloned()
}

pub fn get_field<'a>(value: &'a Value, field: &str) -> Option<&'a Value> {
    value.as_object()?.get(&effective_key(value, field)?)
}

pub fn set_field(value: &mut Value, field: &str, new: Value) {
    let key = effective_key(value, field).unwrap_or_else(|| field.to_owned());
    if let Some(map) = value.as_object_mut() {
        map.insert(key, new);
    }
}

pub fn remove_field(value: &mut Value, field: &str) {
    while let Some(key) = effective_key(value, field) {
        value.as_object_mut().and_then(|map| map.remove(&key));
    }
}

pub fn field_str<'a>(value: &'a Value, field: &str) -> Option<&'a str> {
    get_field(value, field)?.as_str().filter(|text| !text.is_empty())
}

pub fn field_strings(value: &Value, field: &str) -> Vec<String> {
    let items = get_field(value, field).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(|item| Some(item.as_str()?.to_owned())).collect()
}

/// Returns the `entries` for modification.
pub fn entries_slice_mut(value: &mut Value) -> &mut [Value] {
    entries_mut(value).map(Vec::as_mut_slice).unwrap_or_default()
}

pub fn entries_mut(value: &mut Value) -> Option<&mut Vec<Value>> {
    let key = effective_key(value, "entries")?;
    value.as_object_mut()?.get_mut(&key)?.as_array_mut()
}

pub fn entries_slice(value: &Value) -> &[Value] {
    get_field(value, "entries").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

pub fn push_item(value: &mut Value, item: Value) {
    match entries_mut(value) {
        Some(items) => items.push(item),
        None => set_field(value, "entries", json!([item])),
    }
}
