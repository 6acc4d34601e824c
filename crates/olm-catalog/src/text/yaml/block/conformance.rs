//! Compares the fast reader with the full one on published catalogs, on unusual documents, and on mutations of
//! both.

use std::{fs, path::Path};

use super::read_block;
use crate::{
    ChunkKind, Format,
    text::{
        split::{split_chunks, tests::collect_files},
        yaml::parse_in_full,
    },
};

/// Returns the YAML documents below a directory.
fn load_documents(folder: &Path) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    collect_files(folder, &mut found);
    found.sort();
    let mut documents = Vec::new();
    for bytes in found.iter().map(|path| fs::read(path).unwrap()) {
        let chunks =
            split_chunks(&bytes).into_iter().filter(|chunk| chunk.kind == ChunkKind::Document(Format::Yaml));
        documents.extend(chunks.map(|chunk| bytes[chunk.range].to_vec()));
    }
    documents
}

/// Returns all documents in a release build, and every nth otherwise, because the full reader is slow there.
fn sample_documents(documents: Vec<Vec<u8>>, every: usize) -> Vec<Vec<u8>> {
    documents.into_iter().step_by(if cfg!(debug_assertions) { every } else { 1 }).collect()
}

/// Returns true if the fast reader accepts a document. Asserts that the result is that of the full reader.
fn is_read_by_fast_reader(text: &[u8]) -> bool {
    let Some(tree) = read_block(text) else { return false };
    let full = parse_in_full(text);
    assert!(full.as_ref() == Ok(&tree), "{}\n{tree:?}\n{full:?}", String::from_utf8_lossy(text));
    true
}

#[test]
fn fast_reader_accepts_published_catalogs() {
    let Some(folder) = olmap_testing::find_data("repo/catalogs") else { return };
    let documents = sample_documents(load_documents(&folder), 8);
    let slow = documents.iter().filter(|text| !is_read_by_fast_reader(text)).count();
    assert_eq!(slow, 0, "of {} documents", documents.len());
}

#[test]
fn fast_reader_agrees_with_full_reader_on_unusual_documents() {
    if let Some(folder) = olmap_testing::find_data("validate/cases") {
        for text in sample_documents(load_documents(&folder), 3) {
            is_read_by_fast_reader(&text);
        }
    }
    for text in load_edge_cases() {
        is_read_by_fast_reader(&text);
    }
}

fn load_edge_cases() -> Vec<Vec<u8>> {
    let Some(cases) = olmap_testing::read_data_file("yaml-edge.json") else { return Vec::new() };
    let cases: Vec<serde_json::Value> = serde_json::from_str(&cases).unwrap();
    cases.iter().filter_map(|case| Some(case["input"].as_str()?.as_bytes().to_vec())).collect()
}

/// Deterministic random numbers (Marsaglia's xorshift64).
struct Numbers(u64);

impl Numbers {
    fn next_below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % limit.max(1)
    }

    /// Returns the whole lines of a random part of a long text.
    fn sample_lines(&mut self, text: &[u8]) -> Vec<u8> {
        const MOST: usize = 3000;
        let from = self.next_below(text.len().saturating_sub(MOST));
        let line = memchr::memrchr(b'\n', &text[..from]).map_or(0, |at| at + 1);
        let end = text.len().min(line + 200 + self.next_below(MOST));
        text[line..end].to_vec()
    }

    /// Replaces a few bytes by bytes that are significant in YAML.
    fn mutate_text(&mut self, text: &mut Vec<u8>) {
        const BYTES: &[u8] = b" \n\t-:#'\"|>?[]{}&*!%,.\\0123~<=x\r\x80\xE2";
        for _ in 0..=self.next_below(3) {
            let at = self.next_below(text.len());
            let byte = BYTES[self.next_below(BYTES.len())];
            match self.next_below(5) {
                0 if !text.is_empty() => text[at] = byte,
                1 => text.insert(at, byte),
                2 if !text.is_empty() => {
                    text.remove(at);
                }
                3 => text
                    .splice(at..at, [b'\n', b' ', b' '].into_iter().take(1 + self.next_below(3)))
                    .for_each(drop),
                _ => {
                    let end = text.len().min(at + self.next_below(8));
                    text.drain(at..end);
                }
            }
        }
    }
}

/// `OLMAP_MUTATIONS` sets the number of mutations.
#[test]
fn fast_reader_agrees_with_full_reader_on_mutated_documents() {
    let wanted = std::env::var("OLMAP_MUTATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(6000);
    let newest = olmap_testing::published_catalogs().pop().map(|(_, path)| path);
    let folders = newest.into_iter().chain(olmap_testing::find_data("validate/cases"));
    let mut sources: Vec<Vec<u8>> = folders.flat_map(|folder| load_documents(&folder)).collect();
    sources.extend(load_edge_cases());
    if sources.is_empty() {
        return;
    }
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    let mut quick = 0;
    for _ in 0..wanted {
        let source = &sources[numbers.next_below(sources.len())];
        let mut text = numbers.sample_lines(source);
        numbers.mutate_text(&mut text);
        quick += usize::from(is_read_by_fast_reader(&text));
    }
    println!("{quick} of {wanted} changed documents were read quickly");
    assert!(quick * 10 > wanted, "most changes leave nothing to compare: {quick} of {wanted}");
}
