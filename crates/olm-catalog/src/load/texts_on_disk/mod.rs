//! Opens a catalog without keeping its text in memory: a window has a part of a file at a time.
//!
//! The text of a document is read again when it is needed, for example for the line of a finding. If the file has
//! changed by then, the text is empty and [`SourceFile::is_lost`] says so.

use std::{
    cell::Cell,
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering},
};

use super::{
    LoadError, LoadLog, Progress, file_reader, is_directory, open_catalog_with_progress, regular_file,
    walk::{CatalogFile, DirectoryWalk},
    with_repository_info,
};
use crate::{
    decode::DecodedDocument,
    file::{DocId, FileId, SourceFile, Stamp},
    model::{Catalog, DecodedFile, Origin, decode_likely_json},
    problem::Problem,
    text::{
        FileText, Text,
        split::{self, Chunk},
    },
};

/// Bytes of a file that are in memory at once, unless a document is longer.
const WINDOW: usize = 1 << 18;

/// Bytes of a long file that are in memory at once: enough documents for all cores.
const LONG_WINDOW: usize = 4 << 20;

/// Bytes of a document that are read in a window. A file with a longer document is read as a whole.
const MAX_WINDOW: usize = 64 << 20;

/// Decoded documents of a file, without its text.
struct DecodedParts {
    chunks: Vec<Chunk>,
    documents: Vec<DecodedDocument>,
    stamp: Stamp,
}

thread_local! {
    /// Window of a thread, which is used for many files. Its first bytes are those of the last file.
    static OWN_WINDOW: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Opens a catalog like [`open_catalog_with_progress`], but leaves the text of usual JSON files on disk.
///
/// # Errors
///
/// As [`open_catalog_with_progress`].
pub fn open_with_texts_on_disk(path: &Path, progress: &Progress) -> Result<Catalog, LoadError> {
    if !is_directory(path)? {
        // It may be a pipe, which can be read only once.
        return open_catalog_with_progress(path, progress);
    }
    let log = LoadLog::start(path, progress);
    let walk = DirectoryWalk::walk(path, progress)?;
    let read = file_reader::read_and_decode_files_by(&walk.files, progress, decode_on_disk)?;
    progress.check_stopped()?;
    log.end_reading(read.files.len());
    let about_files = walk.problems.into_iter().chain(read.problems).collect();
    let catalog = Catalog::from_decoded_files(Origin::Directory(path.to_owned()), read.files, about_files);
    log.end_decoding(&catalog);
    Ok(with_repository_info(path, catalog.with_ignore_patterns(walk.ignore)))
}

/// Decodes the documents of a file. Keeps its text if it is not usual JSON, or was modified recently.
fn decode_on_disk(id: FileId, found: &CatalogFile, progress: &Progress) -> Result<DecodedFile, Problem> {
    let mut window = OWN_WINDOW.take();
    // A file that cannot be read now is a problem, which reading it as a whole reports.
    let decoded = decode_in_window(found, id, &mut window).ok().flatten();
    OWN_WINDOW.set(window);
    let Some(DecodedParts { chunks, documents, stamp }) = decoded else {
        return file_reader::read_and_decode_file(id, found, progress);
    };
    progress.read.fetch_add(1, Ordering::Relaxed);
    progress.bytes.fetch_add(stamp.length as usize, Ordering::Relaxed);
    log::debug!("read {}, {} bytes", found.path.display(), stamp.length);
    let path = found.path.clone();
    let text = Arc::new(FileText::read_later(move || read_again(&path, stamp)));
    let (shown, disk): (PathBuf, _) = (found.display_path(), Some(found.path.clone()));
    let file = SourceFile::from_chunks(shown, disk, chunks, |range| Text::slice_file(&text, range));
    Ok(DecodedFile { file: file_reader::with_metadata(file, found, Some(stamp)), documents: Some(documents) })
}

/// Reads a file again. `None` if its stamp has changed.
fn read_again(path: &Path, stamp: Stamp) -> Option<Vec<u8>> {
    let (bytes, now) = file_reader::read_bytes(path).ok()?;
    (now == Some(stamp) && bytes.len() as u64 == stamp.length).then_some(bytes)
}

/// Reads a file in parts and decodes its documents. `None` if the file is not usual JSON, or was modified recently.
fn decode_in_window(
    found: &CatalogFile,
    id: FileId,
    window: &mut Vec<u8>,
) -> io::Result<Option<DecodedParts>> {
    let mut file = regular_file::open_regular(&found.path)?;
    let Some(stamp) = file_reader::settled_stamp(&file) else { return Ok(None) };
    let mut size = if file_reader::is_long(stamp.length) { LONG_WINDOW } else { WINDOW };
    let (mut chunks, mut documents): (Vec<Chunk>, Vec<DecodedDocument>) = (Vec::new(), Vec::new());
    // Offset of the window in the file, and the number of its bytes.
    let (mut start, mut filled) = (0, 0);
    loop {
        window.resize(size.max(window.len()), 0);
        let is_at_end = fill(&mut file, window.get_mut(..size).unwrap_or_default(), &mut filled)?;
        let text = window.get(..filled).unwrap_or_default();
        let Some(mut found_chunks) = split::split_likely_json(text) else { return Ok(None) };
        if !is_at_end {
            // The end of the last object is not in the window.
            found_chunks.pop();
        }
        let Some(end) = found_chunks.last().map(|chunk| chunk.range.end) else {
            if size >= MAX_WINDOW {
                return Ok(None);
            }
            size *= 2;
            continue;
        };
        let first = DocId { file: id, serial: chunks.len() as u32 };
        let Some(decoded) = decode_likely_json(text, &found_chunks, first, found.foreign) else {
            return Ok(None);
        };
        documents.extend(decoded);
        let in_file =
            |chunk: Chunk| Chunk { range: start + chunk.range.start..start + chunk.range.end, ..chunk };
        chunks.extend(found_chunks.into_iter().map(in_file));
        start += end;
        if is_at_end {
            return Ok((start as u64 == stamp.length).then_some(DecodedParts { chunks, documents, stamp }));
        }
        window.copy_within(end..filled, 0);
        filled -= end;
    }
}

/// Reads from a file until the window is full. Returns true at the end of the file.
fn fill(file: &mut File, window: &mut [u8], filled: &mut usize) -> io::Result<bool> {
    while *filled < window.len() {
        match file.read(window.get_mut(*filled..).unwrap_or_default()) {
            Ok(0) => return Ok(true),
            Ok(read) => *filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests;
