//! Opens the part of a catalog that answers questions about one package, without decoding the rest.
//!
//! Every byte is read and checked, so that a mistake anywhere in the catalog is found as usual. But a bundle of another
//! package is only compared with the shape of bundles, and a file is kept in memory only if it matters.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
    sync::atomic::Ordering,
};

use rayon::prelude::*;

use super::{
    LoadError, LoadLog, Progress, file_reader, is_directory, regular_file,
    walk::{CatalogFile, DirectoryWalk},
    with_repository_info,
};
use crate::{
    decode::bundle_check,
    file::SourceFile,
    model::{Catalog, Origin, PackageSelection},
    names::PackageName,
    problem::Problem,
    text::{json, split::PEEK_BYTES},
};

/// Bytes of a file that are in memory at once, unless a document is longer.
const WINDOW: usize = 1 << 18;

/// Bytes of a document that are read in the window. A file with a longer document is read as a whole.
const MAX_WINDOW: usize = 64 << 20;

/// Opens a catalog like [`open_catalog_with_progress`](super::open_catalog_with_progress), but only with the objects of
/// one package and with all problems that are errors. Other packages are absent or incomplete. A template is
/// opened as a whole.
///
/// # Errors
///
/// As [`open_catalog`](super::open_catalog), and if loading is cancelled.
pub fn open_package_part(
    path: &Path,
    package: &PackageName,
    progress: &Progress,
) -> Result<Catalog, LoadError> {
    let selection = PackageSelection::from_name(package);
    let log = LoadLog::start(path, progress);
    let catalog = if is_directory(path)? {
        let walk = DirectoryWalk::walk(path, progress)?;
        progress.expect_bytes(walk.files.iter().map(|file| file.length).sum());
        let read: Vec<Result<Option<SourceFile>, Problem>> = walk
            .files
            .par_iter()
            .map_init(Vec::new, |window, file| {
                progress.check_stopped()?;
                Ok(read_if_needed(file, &selection, window, progress))
            })
            .collect::<Result<_, LoadError>>()?;
        log.end_reading(read.len());
        let mut files = Vec::new();
        let mut problems = walk.problems;
        for outcome in read {
            match outcome {
                Ok(file) => files.extend(file),
                Err(problem) => problems.push(problem),
            }
        }
        let origin = Origin::Directory(path.to_owned());
        Catalog::with_package_only(origin, files, problems, &selection).with_ignore_patterns(walk.ignore)
    } else {
        let file = file_reader::read_only_file(path, progress, &mut |_| ())?;
        log.end_reading(1);
        let origin = Origin::File(path.to_owned());
        if file.template_document().is_some() {
            Catalog::new(origin, vec![file], Vec::new())
        } else {
            Catalog::with_package_only(origin, vec![file], Vec::new(), &selection)
        }
    };
    progress.check_stopped()?;
    log.end_decoding(&catalog);
    Ok(with_repository_info(path, catalog))
}

/// Reads a file if it has objects of the package or errors.
fn read_if_needed(
    found: &CatalogFile,
    selection: &PackageSelection<'_>,
    window: &mut Vec<u8>,
    progress: &Progress,
) -> Result<Option<SourceFile>, Problem> {
    // A file that cannot be read now is a problem, which reading it as a whole reports.
    let scan = regular_file::open_regular(&found.path).and_then(|file| scan_json(file, selection, window));
    match scan {
        Ok(FileScan::NotNeeded { bytes }) => {
            progress.read.fetch_add(1, Ordering::Relaxed);
            progress.bytes.fetch_add(bytes, Ordering::Relaxed);
            Ok(None)
        }
        Ok(FileScan::Needed) | Err(_) => file_reader::read_file(found, progress).map(Some),
        Ok(FileScan::OtherFormat) => {
            let file = file_reader::read_file(found, progress)?;
            let is_needed = file.segments().par_iter().any(|segment| selection.needs_segment(segment));
            Ok(is_needed.then_some(file))
        }
    }
}

/// Result of scanning a file.
enum FileScan {
    /// Only JSON objects without errors, of other packages.
    NotNeeded {
        /// Length of the file.
        bytes: usize,
    },
    /// An object of the package, or a possible error.
    Needed,
    /// Another format than JSON.
    OtherFormat,
}

/// Scans the JSON values of a file. The window has a part of it at a time.
fn scan_json(mut file: File, selection: &PackageSelection<'_>, window: &mut Vec<u8>) -> io::Result<FileScan> {
    window.resize(WINDOW.max(window.len()), 0);
    let mut filled = read_more(&mut file, window, 0)?;
    let first = json::skip_blanks(window.get(..filled).unwrap_or_default(), 0);
    if first >= PEEK_BYTES || window.get(..filled).and_then(|text| text.get(first)) != Some(&b'{') {
        return Ok(FileScan::OtherFormat);
    }
    let (mut at, mut bytes) = (first, filled);
    loop {
        let text = window.get(..filled).unwrap_or_default();
        at = json::skip_blanks(text, at);
        if let Some(value) = bundle_check::check_value(text, at) {
            if selection.needs_value(text, at, value) {
                return Ok(FileScan::Needed);
            }
            at = value.end;
            continue;
        }
        // The value is invalid, or it ends after the window.
        window.copy_within(at..filled, 0);
        (filled, at) = (filled - at, 0);
        if filled > MAX_WINDOW {
            return Ok(FileScan::Needed);
        }
        if filled * 2 > window.len() {
            window.resize(window.len() * 2, 0);
        }
        let read = read_more(&mut file, window, filled)?;
        if read == 0 {
            return Ok(if filled == 0 { FileScan::NotNeeded { bytes } } else { FileScan::Needed });
        }
        filled += read;
        bytes += read;
    }
}

/// Reads from a file to the position `filled` of the window, and returns how much.
fn read_more(file: &mut File, window: &mut [u8], filled: usize) -> io::Result<usize> {
    file.read(window.get_mut(filled..).unwrap_or_default())
}

#[cfg(test)]
mod tests;
