//! Compares sizes and digests with those of opm 1.73 if the conformance data is available.

use crate::{
    ChunkKind, Node,
    paths::indexignore::{self, IgnoreSet},
    text::{
        canonical::{RenderFormat, render_documents},
        split,
    },
};
use olmap_testing::sha256::hex_digest;
use rayon::prelude::*;
use std::{fs, path::Path};

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
