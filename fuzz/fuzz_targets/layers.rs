//! Layers of an image: nothing panics, no path leaves the folder, and every listed byte comes from a layer.
//!
//! Entries have valid checksums, so that readers of tar accept their headers. Some layers are arbitrary
//! bytes.
#![no_main]

use std::{
    collections::HashSet,
    io::Write as _,
    path::{Component, Path},
};

use libfuzzer_sys::{arbitrary::Arbitrary, fuzz_target};
use olm_source::images::files_of_layers;

/// Parts of names and targets: absolute, relative, parent and current directories, and whiteouts.
const NAMES: &[&str] = &[
    "configs",
    "a",
    "b",
    "c.yaml",
    "..",
    ".",
    "/",
    "configs/a",
    "configs/c.yaml",
    "../configs",
    "/etc/passwd",
    ".wh.a",
    ".wh..wh..opq",
    ".wh.",
    "a/../..",
    "//configs//a",
    "configs/.wh.c.yaml",
    "link",
    "link/b",
    "",
];

#[derive(Arbitrary, Debug)]
struct Entry {
    kind: u8,
    name: (u8, u8),
    target: (u8, u8),
    content: u8,
    /// Size in the header, if it differs from the content.
    lies: Option<u16>,
}

#[derive(Arbitrary, Debug)]
enum Layer {
    Entries { entries: Vec<Entry>, packing: u8, cut: Option<u16> },
    Bytes(Vec<u8>),
}

fn text(parts: (u8, u8)) -> String {
    let part = |at: u8| NAMES[usize::from(at) % NAMES.len()];
    match (part(parts.0), part(parts.1)) {
        (first, "") => first.to_owned(),
        (first, second) => format!("{first}/{second}"),
    }
}

fn tar(entries: &[Entry]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in entries.iter().take(64) {
        let mut header = [0_u8; 512];
        let mut put = |at: usize, most: usize, text: &[u8]| {
            let text = &text[..text.len().min(most)];
            header[at..at + text.len()].copy_from_slice(text);
        };
        let kind = b"0125346xgLKS\0"[usize::from(entry.kind) % 13];
        let content = vec![b'a' + entry.content % 26; usize::from(entry.content)];
        let has_content = matches!(kind, b'0' | b'x' | b'g' | b'L' | b'K' | b'\0');
        let size = entry.lies.map_or(if has_content { content.len() } else { 0 }, usize::from);
        put(0, 100, text(entry.name).as_bytes());
        put(100, 8, b"0000644\0");
        put(124, 12, format!("{size:011o}\0").as_bytes());
        put(148, 8, b"        ");
        put(156, 1, &[kind]);
        put(157, 100, text(entry.target).as_bytes());
        put(257, 8, b"ustar\x0000");
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        bytes.extend_from_slice(&header);
        if has_content {
            bytes.extend_from_slice(&content);
            bytes.resize(bytes.len().next_multiple_of(512), 0);
        }
    }
    bytes.resize(bytes.len() + 1024, 0);
    bytes
}

/// Returns a layer, and its unpacked tar.
fn bytes(layer: &Layer) -> (Vec<u8>, Vec<u8>) {
    match layer {
        Layer::Bytes(bytes) => (bytes.clone(), bytes.clone()),
        Layer::Entries { entries, packing, cut } => {
            let tar = tar(entries);
            let mut bytes = tar.clone();
            if packing % 2 == 1 {
                let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                let _ = writer.write_all(&tar);
                bytes = writer.finish().unwrap_or_default();
            }
            bytes.truncate(bytes.len() - cut.map_or(0, usize::from).min(bytes.len()));
            (bytes, tar)
        }
    }
}

fuzz_target!(|layers: Vec<Layer>| {
    let (layers, tars): (Vec<Vec<u8>>, Vec<Vec<u8>>) = layers.iter().take(4).map(bytes).unzip();
    let Ok(listing) = files_of_layers(&layers, "/configs") else { return };
    let mut seen = HashSet::new();
    for (path, content) in listing {
        assert!(path.components().all(|part| matches!(part, Component::Normal(_))), "{}", path.display());
        assert!(Path::new("root").join(&path).starts_with("root"));
        if let Ok(content) = content {
            let is_in = |tar: &Vec<u8>| tar.windows(content.len().max(1)).any(|part| part == content);
            assert!(content.is_empty() || tars.iter().any(is_in), "{}", path.display());
        }
        assert!(seen.insert(path));
    }
});
