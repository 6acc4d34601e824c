//! Tests of the normalization and order of documents. If the conformance data is available, sizes and digests
//! are compared with those of opm 1.73.

use std::{fs, path::Path};

use rayon::prelude::*;
use serde_json::{Value as Tree, json as tree};

use super::{RenderFormat, render_documents, *};
use crate::{
    ChunkKind, Node,
    paths::indexignore::{self, IgnoreSet},
    text::{emit::tests::tree_from_json, split},
};
use olmap_testing::sha256::hex_digest;

/// Returns the normalized document as JSON on one line.
fn normalized_json(doc: &Tree) -> String {
    let text = emit::write_json(&normalize(&tree_from_json(doc)));
    text.lines().map(str::trim_start).collect::<String>().replace("\": ", "\":")
}

#[test]
fn package_keeps_only_schema_fields_in_order() {
    let doc = tree!({
        "zzz": 1,
        "Name": "p",
        "schema": "olm.package",
        "properties": [],
        "description": "",
        "icon": {"MediaType": "image/svg+xml", "base64data": "YWJj\nZGVm"},
    });
    assert_eq!(
        normalized_json(&doc),
        r#"{"schema":"olm.package","name":"p","defaultChannel":"","icon":{"base64data":"YWJjZGVm","mediatype":"image/svg+xml"}}"#
    );
}

#[test]
fn icon_without_data_has_null() {
    let icon = |icon: Tree| normalized_json(&tree!({"schema": "olm.package", "name": "p", "icon": icon}));
    assert!(icon(tree!({})).contains(r#""icon":{"base64data":null,"mediatype":""}"#));
    assert!(icon(tree!({"base64data": ""})).contains(r#""base64data":"""#));
    assert!(!icon(Tree::Null).contains("icon"));
}

#[test]
fn icon_data_is_encoded_again() {
    let icon = |data| normalized_json(&tree!({"schema": "olm.package", "icon": {"base64data": data}}));
    // Spare bits of the last character are lost; text that is not base64 is unchanged.
    assert!(icon("YR==").contains(r#""YQ==""#));
    assert!(icon("YQ=\r\n=").contains(r#""YQ==""#));
    assert!(icon("not base64").contains(r#""not base64""#));
}

#[test]
fn channel_without_entries_keeps_entries_key() {
    let channel = |entries: Tree| {
        normalized_json(&tree!({"schema": "olm.channel", "package": "p", "name": "c", "entries": entries}))
    };
    let with =
        |entries| format!(r#"{{"schema":"olm.channel","name":"c","package":"p","entries":{entries}}}"#);
    assert_eq!(channel(Tree::Null), with("null"));
    assert_eq!(channel(tree!([])), with("[]"));
    assert_eq!(
        channel(tree!([{"skips": [], "name": "a", "replaces": "", "extra": 1}, null])),
        with(r#"[{"name":"a"},{"name":""}]"#)
    );
    assert_eq!(
        channel(tree!([{"skipRange": "<1.0.0", "SKIPS": ["b", null], "replaces": "r", "name": "a"}])),
        with(r#"[{"name":"a","replaces":"r","skips":["b",""],"skipRange":"<1.0.0"}]"#)
    );
}

#[test]
fn last_spelling_of_key_in_byte_order_wins() {
    let doc = tree!({"schema": "olm.channel", "entries": [{"name": "a", "Name": "b", "\u{17f}kips": ["x"]}]});
    assert_eq!(
        normalized_json(&doc),
        r#"{"schema":"olm.channel","name":"","package":"","entries":[{"name":"a","skips":["x"]}]}"#
    );
}

#[test]
fn bundle_has_big_properties_last_and_images_in_order() {
    let doc = tree!({
        "schema": "olm.bundle",
        "name": "b",
        "package": "p",
        "relatedImages": [{"image": "z", "name": "1"}, {"image": "a", "name": "2"}, {"image": "z", "name": "0"}],
        "properties": [
            {"type": "olm.csv.metadata", "value": {}},
            {"type": "x", "value": null},
            {"type": "olm.bundle.object", "value": {"data": "e30="}},
            {"value": {"b": 1.0, "a": [1e2]}, "type": "y"},
            {"type": "absent"},
        ],
    });
    assert_eq!(
        normalized_json(&doc),
        concat!(
            r#"{"schema":"olm.bundle","name":"b","package":"p","image":"","properties":["#,
            r#"{"type":"x","value":null},{"type":"y","value":{"a":[100],"b":1}},{"type":"absent","value":null},"#,
            r#"{"type":"olm.csv.metadata","value":{}},{"type":"olm.bundle.object","value":{"data":"e30="}}],"#,
            r#""relatedImages":[{"name":"2","image":"a"},{"name":"1","image":"z"},{"name":"0","image":"z"}]}"#
        )
    );
}

#[test]
fn deprecations_keep_references_without_a_name() {
    let doc = tree!({
        "schema": "olm.deprecations",
        "package": "p",
        "entries": [{"message": "m", "reference": {"schema": "olm.package", "name": ""}}, {}],
    });
    assert_eq!(
        normalized_json(&doc),
        concat!(
            r#"{"schema":"olm.deprecations","package":"p","entries":["#,
            r#"{"reference":{"schema":"olm.package"},"message":"m"},{"reference":{"schema":""},"message":""}]}"#
        )
    );
}

#[test]
fn custom_meta_keeps_all_keys_sorted_by_bytes() {
    let doc =
        tree!({"schema": "x.y", "b10": [], "b2": {"Z": 9_007_199_254_740_993_u64, "a": {}}, "Name": null});
    assert_eq!(
        normalized_json(&doc),
        r#"{"Name":null,"b10": [],"b2":{"Z":9007199254740992,"a":{}},"schema":"x.y"}"#.replace(": [", ":[")
    );
}

#[test]
fn documents_are_ordered_by_package_and_kind() {
    let docs = [
        tree!({"schema": "m.root", "name": "1"}),
        tree!({"schema": "olm.deprecations", "package": "a"}),
        tree!({"schema": "m.b", "package": "a", "name": "2"}),
        tree!({"schema": "m.b", "package": "a", "name": "1"}),
        tree!({"schema": "m.a", "package": "a", "name": "3"}),
        tree!({"schema": "olm.bundle", "package": "b", "name": "b.v1"}),
        tree!({"schema": "olm.bundle", "package": "a", "name": "a.v2"}),
        tree!({"schema": "olm.bundle", "package": "a", "name": "a.v10"}),
        tree!({"Schema": "olm.channel", "Package": "a", "Name": "stable"}),
        tree!({"schema": "olm.channel", "package": "a", "name": "alpha"}),
        tree!({"schema": "olm.package", "name": "a"}),
        tree!({"schema": "a.root", "name": "2"}),
        // opm does not write these.
        tree!({"schema": "olm.channel", "name": "lost"}),
        tree!({"schema": "olm.package", "name": ""}),
    ];
    let docs: Vec<Node> = docs.iter().map(tree_from_json).collect();
    let names: Vec<String> = sort_documents(&docs)
        .into_iter()
        .map(|doc| {
            let text = |name| find_folded(doc, name).and_then(Node::as_str).unwrap_or("");
            format!("{} {}", text("schema"), text("name"))
        })
        .collect();
    assert_eq!(
        names,
        [
            "olm.package a",
            "olm.channel alpha",
            "olm.channel stable",
            "olm.bundle a.v10",
            "olm.bundle a.v2",
            "m.a 3",
            "m.b 2",
            "m.b 1",
            "olm.deprecations ",
            "olm.bundle b.v1",
            "m.root 1",
            "a.root 2",
        ]
    );
}

#[test]
fn yaml_documents_begin_with_marker_and_json_values_do_not() {
    let docs = [tree!({"schema": "x", "name": "1"}), tree!({"schema": "olm.package", "name": "p"})];
    let docs: Vec<Node> = docs.iter().map(tree_from_json).collect();
    assert_eq!(
        render_documents(&docs, RenderFormat::Yaml),
        "---\ndefaultChannel: \"\"\nname: p\nschema: olm.package\n---\nname: \"1\"\nschema: x\n"
    );
    assert_eq!(
        render_documents(&docs, RenderFormat::Json),
        concat!(
            "{\n    \"schema\": \"olm.package\",\n    \"name\": \"p\",\n    \"defaultChannel\": \"\"\n}\n",
            "{\n    \"name\": \"1\",\n    \"schema\": \"x\"\n}\n"
        )
    );
    assert_eq!(render_documents(&[], RenderFormat::Yaml), "");
}

#[test]
fn renders_deep_nesting_on_small_stack() {
    let render_deep = || {
        let deep = format!("{{\"schema\":\"x\",\"v\":{}{}}}", "[".repeat(5_000), "]".repeat(5_000));
        let doc = crate::text::json::parse_json(deep.as_bytes()).unwrap();
        (
            render_documents(std::slice::from_ref(&doc), RenderFormat::Yaml).len(),
            emit::write_json(&normalize(&doc)).len(),
        )
    };
    let thread = std::thread::Builder::new().stack_size(128 * 1024).spawn(render_deep).unwrap();
    let (yaml, json) = thread.join().unwrap();
    // `- ` for every level except the innermost, which is `[]`.
    assert_eq!(yaml, "---\nschema: x\nv:\n".len() + 4_999 * 2 + "[]\n".len());
    assert!(json > 5_000 * 5_000 * 4);
}

/// Collects every file below a path in lexical order, as path components relative to the root.
fn collect_files_below(root: &Path, dir: &[String], files: &mut Vec<Vec<String>>) {
    let path = dir.iter().fold(root.to_owned(), |path, part| path.join(part));
    if path.is_dir() {
        let mut names: Vec<String> = fs::read_dir(path)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        for name in names {
            collect_files_below(root, &[dir, &[name]].concat(), files);
        }
    } else {
        files.push(dir.to_vec());
    }
}

/// Loads the documents of a catalog by the rules of `load`, as far as these trees need them.
fn load_documents(root: &Path) -> Result<Vec<Node<'static>>, String> {
    let mut files = Vec::new();
    collect_files_below(root, &[], &mut files);
    let on_disk = |file: &[String]| file.iter().fold(root.to_owned(), |path, part| path.join(part));
    let mut ignored = IgnoreSet::new();
    for file in &files {
        if let [dir @ .., name] = file.as_slice()
            && name == indexignore::FILE_NAME
        {
            let dir: Vec<&str> = dir.iter().map(String::as_str).collect();
            let text = fs::read_to_string(on_disk(file)).map_err(|error| error.to_string())?;
            ignored.add(&dir, &text).map_err(|error| error.to_string())?;
        }
    }
    let mut found = Vec::new();
    for file in files {
        let parts: Vec<&str> = file.iter().map(String::as_str).collect();
        if parts.last() != Some(&indexignore::FILE_NAME) && !ignored.ignores(&parts) {
            found.extend(read_documents(&on_disk(&file))?);
        }
    }
    Ok(found)
}

fn read_documents(file: &Path) -> Result<Vec<Node<'static>>, String> {
    let text = fs::read(file).map_err(|error| error.to_string())?;
    split::split_chunks(&text)
        .into_iter()
        .filter_map(|chunk| match chunk.kind {
            ChunkKind::Document(format) => Some(
                split::parse_chunk(format, &text[chunk.range])
                    .map(|tree| tree.detached())
                    .map_err(|error| error.to_string()),
            ),
            ChunkKind::NoObject => None,
            ChunkKind::Unreadable(start) => Some(Err(start.to_error(&text[chunk.range]).to_string())),
        })
        .collect()
}

#[test]
fn renders_catalogs_like_opm() {
    let Some(data) = olmap_testing::data_dir() else { return };
    let Some(rows) = olmap_testing::load_json_lines("render.jsonl") else { return };
    let differing = |row: &serde_json::Value| {
        let path = row["path"].as_str().unwrap();
        let docs = match load_documents(&data.join(path)) {
            Ok(docs) => docs,
            Err(error) => return vec![format!("{path}: {error}")],
        };
        [("yaml", RenderFormat::Yaml), ("json", RenderFormat::Json)]
            .into_iter()
            .filter_map(|(name, format)| {
                let text = render_documents(&docs, format);
                (row[format!("{name}_sha256")] != hex_digest(text.as_bytes())).then(|| {
                    format!("{path}: {} bytes of {name} for {}", text.len(), row[format!("{name}_bytes")])
                })
            })
            .collect()
    };
    let differing: Vec<String> = rows.par_iter().flat_map_iter(differing).collect();
    println!("{} of {} rendered as opm did", rows.len() * 2 - differing.len(), rows.len() * 2);
    assert!(differing.is_empty(), "{differing:#?}");
}
