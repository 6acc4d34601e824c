//! Parsers of git's output, for the fuzz targets.

use std::path::Path;

use super::{
    batch::{self, Content},
    history, tree,
};

/// Parses bytes as every kind of git output. Returns the number of content bytes, files and commits.
pub fn answers(bytes: &[u8]) -> [usize; 3] {
    let (mut rest, mut content) = (bytes, 0);
    while !rest.is_empty() {
        match batch::read_answer(&mut rest) {
            Ok(Content::Bytes(bytes)) => content += bytes.len(),
            Ok(_) => {}
            Err(_) => break,
        }
    }
    let files =
        bytes.split(|byte| *byte == 0).filter_map(|line| tree::parse_tree_entry(line, Path::new("catalogs")));
    [content, files.count(), history::count(bytes)]
}
