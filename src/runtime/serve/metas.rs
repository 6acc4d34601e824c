//! Objects of a catalog as lines of JSON.

use std::ops::Range;

use rayon::prelude::*;

use olm_catalog::{
    Catalog, Node,
    text::canonical::{self, RenderFormat},
};

/// Searchable fields of an object, and the byte range of its line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ObjectFields {
    pub schema: String,
    pub package: String,
    pub name: String,
    pub at: Range<usize>,
}

/// Returns all objects in file order, one per line, and their fields.
pub fn serialize_objects(catalog: &Catalog) -> (Vec<u8>, Vec<ObjectFields>) {
    let documents: Vec<_> = catalog.documents().collect();
    let line = |doc| -> Option<(ObjectFields, String)> {
        let node = catalog.parse_document(doc)?.ok()?;
        let text = |key: &str| node.get(key).and_then(Node::as_str).unwrap_or_default().to_owned();
        let meta =
            ObjectFields { schema: text("schema"), package: text("package"), name: text("name"), at: 0..0 };
        let pretty = canonical::write_documents(&[canonical::normalize(&node)], RenderFormat::Json);
        // catalogd serves objects that `opm render` omits, such as a channel without a package.
        let pretty = if pretty.is_empty() { to_json_line(&node) } else { pretty };
        Some((meta, compact(&pretty)))
    };
    let found: Vec<_> = documents.into_par_iter().filter_map(line).collect();
    let (mut all, mut metas) = (Vec::new(), Vec::new());
    for (meta, line) in found {
        let begin = all.len();
        all.extend_from_slice(line.as_bytes());
        all.push(b'\n');
        metas.push(ObjectFields { at: begin..all.len(), ..meta });
    }
    (all, metas)
}

fn to_json_line(node: &Node<'_>) -> String {
    olm_catalog::text::emit::write_json(node)
}

/// Removes white space between the parts of JSON. Numbers and strings are not changed.
fn compact(pretty: &str) -> String {
    let mut out = String::with_capacity(pretty.len());
    let (mut is_text, mut is_escaped) = (false, false);
    for c in pretty.chars() {
        if is_text {
            out.push(c);
            is_text = is_escaped || c != '"';
            is_escaped = c == '\\' && !is_escaped;
        } else if !c.is_ascii_whitespace() {
            out.push(c);
            is_text = c == '"';
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use olm_catalog::load;

    #[test]
    fn white_space_is_removed_outside_of_strings() {
        assert_eq!(
            compact("{\n    \"a b\": \"c \\\" d\\\\\",\n  \"e\": [1.50, null]\n}\n"),
            "{\"a b\":\"c \\\" d\\\\\",\"e\":[1.50,null]}"
        );
    }

    #[test]
    fn each_object_is_a_line_in_the_order_of_the_file() {
        let text = "schema: olm.channel\npackage: tide\nname: stable\nentries: []\n---\nschema: olm.package\nname: tide\n\
                    ---\nschema: x.y\nwhat: {b: 1, a: 2}\n";
        let (all, metas) = serialize_objects(&load::from_bytes(text.as_bytes().to_vec()));
        let text = String::from_utf8(all.clone()).unwrap();
        assert_eq!(text.lines().count(), 3);
        let found: Vec<_> = metas
            .iter()
            .map(|meta| (meta.schema.as_str(), meta.package.as_str(), meta.name.as_str()))
            .collect();
        assert_eq!(found, [("olm.channel", "tide", "stable"), ("olm.package", "", "tide"), ("x.y", "", "")]);
        for (meta, line) in metas.iter().zip(text.lines()) {
            assert_eq!(all[meta.at.clone()], format!("{line}\n").into_bytes());
            assert_eq!(serde_json::from_str::<serde_json::Value>(line).unwrap()["schema"], meta.schema);
        }
    }
}
