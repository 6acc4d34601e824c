//! What git says, for the fuzz targets.

use std::path::Path;

use super::{
    batch::{self, Content},
    history, tree,
};

/// Reads bytes as all that git is asked for, and gives how many bytes of files and how many files and commits are in them.
pub fn answers(bytes: &[u8]) -> [usize; 3] {
    let (mut rest, mut content) = (bytes, 0);
    while !rest.is_empty() {
        match batch::answer(&mut rest) {
            Ok(Content::Bytes(bytes)) => content += bytes.len(),
            Ok(_) => {}
            Err(_) => break,
        }
    }
    let files = bytes.split(|byte| *byte == 0).filter_map(|line| tree::entry(line, Path::new("catalogs")));
    [content, files.count(), history::count(bytes)]
}
