//! Reading of files.

use std::{
    fs::{self, File, Metadata},
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::atomic::Ordering,
    time::{Duration, SystemTime},
};

use rayon::prelude::*;

use super::{
    FIRST_DISPLAY_BYTES, LoadError, Progress, lfs, quotable, regular_file,
    walk::{CatalogFile, file_problem},
};
use crate::{
    file::{SourceFile, Stamp},
    problem::{Problem, ProblemKind},
};

/// Minimum age of the modification time for a reliable stamp, because file system clocks are coarse.
const MIN_STAMP_AGE: Duration = Duration::from_secs(2);

/// Files that were read, and problems of unreadable ones.
pub(super) struct Portion {
    pub files: Vec<SourceFile>,
    pub problems: Vec<Problem>,
}

/// Returns how many of the first files have `bytes` bytes together.
pub(super) fn portion_length(files: &[CatalogFile], bytes: usize) -> usize {
    let mut left = bytes as u64;
    let is_within = |file: &&CatalogFile| {
        let is_within = left > 0;
        left = left.saturating_sub(file.length);
        is_within
    };
    files.iter().take_while(is_within).count()
}

/// Reads files on all cores.
pub(super) fn read_files(found: &[CatalogFile], progress: &Progress) -> Result<Portion, LoadError> {
    progress.expect_bytes(found.iter().map(|file| file.length).sum());
    let read: Vec<Result<SourceFile, Problem>> = found
        .par_iter()
        .map(|found| {
            progress.check_stopped()?;
            Ok(read_file(found, progress))
        })
        .collect::<Result<_, LoadError>>()?;
    let mut portion = Portion { files: Vec::with_capacity(read.len()), problems: Vec::new() };
    for outcome in read {
        match outcome {
            Ok(file) => portion.files.push(file),
            Err(problem) => portion.problems.push(problem),
        }
    }
    Ok(portion)
}

/// Reads a file of a directory.
pub(super) fn read_file(found: &CatalogFile, progress: &Progress) -> Result<SourceFile, Problem> {
    let shown = found.display_path();
    let bytes = read_bytes(&found.path);
    progress.read.fetch_add(1, Ordering::Relaxed);
    match &bytes {
        Ok((bytes, _)) => log::debug!("read {}, {} bytes", found.path.display(), bytes.len()),
        Err(error) => log::debug!("cannot read {}: {error}", found.path.display()),
    }
    match bytes {
        Ok((bytes, _)) if lfs::is_pointer(&bytes) => Err(file_problem(&shown, ProblemKind::LfsPointer)),
        Ok((bytes, stamp)) => {
            progress.bytes.fetch_add(bytes.len(), Ordering::Relaxed);
            let mut file = SourceFile::new(shown, Some(found.path.clone()), bytes);
            file.writable = found.writable;
            file.foreign = found.foreign;
            file.stamp = stamp;
            Ok(file)
        }
        Err(error) => Err(file_problem(&shown, ProblemKind::Unreadable(error.to_string()))),
    }
}

/// Returns true if a file is so long that its beginning is shown before the rest.
pub(super) fn is_long(length: u64) -> bool {
    length > 2 * FIRST_DISPLAY_BYTES as u64
}

/// Reads the beginning of a file of a directory, if possible.
pub(super) fn read_beginning(found: &CatalogFile) -> Option<SourceFile> {
    let mut bytes = Vec::new();
    regular_file::open_regular(&found.path)
        .ok()?
        .take(FIRST_DISPLAY_BYTES as u64)
        .read_to_end(&mut bytes)
        .ok()?;
    Some(SourceFile::new(found.display_path(), None, bytes))
}

/// Reads a catalog that is a single file. `beginning` receives the first bytes of a long file before the rest
/// is read.
pub(super) fn read_only_file(
    path: &Path,
    progress: &Progress,
    beginning: &mut dyn FnMut(&[u8]),
) -> Result<SourceFile, LoadError> {
    let failed = |source| LoadError::Open { path: path.to_owned(), source };
    progress.files.fetch_add(1, Ordering::Relaxed);
    // The user named it, so it may be a pipe, which is waited for.
    let file = File::open(path).map_err(failed)?;
    let (bytes, stamp) = read_all(file, beginning).map_err(failed)?;
    progress.read.fetch_add(1, Ordering::Relaxed);
    progress.bytes.fetch_add(bytes.len(), Ordering::Relaxed);
    if bytes.starts_with(b"SQLite format 3\0") {
        return Err(LoadError::NotFileBased { path: path.to_owned() });
    }
    if lfs::is_pointer(&bytes) {
        return Err(LoadError::LfsPointer { path: path.to_owned() });
    }
    let readonly = path.metadata().map_err(failed)?.permissions().readonly();
    let mut file = SourceFile::new(path.to_owned(), Some(PathBuf::from(path)), bytes);
    file.writable = !readonly;
    file.foreign = path.is_file() && quotable::check_quotable(path).is_err();
    file.stamp = stamp;
    Ok(file)
}

/// Reads all bytes of a regular file, with a stamp to detect later changes.
pub(super) fn read_bytes(path: &Path) -> io::Result<(Vec<u8>, Option<Stamp>)> {
    read_all(regular_file::open_regular(path)?, &mut |_| ())
}

fn read_all(mut file: File, beginning: &mut dyn FnMut(&[u8])) -> io::Result<(Vec<u8>, Option<Stamp>)> {
    let max = file.metadata().map_or(0, |metadata| regular_file::max_input(&metadata));
    // The stamp is taken before reading, so that writes during reading are detected.
    let stamp = file.metadata().and_then(|metadata| take_stamp(&metadata)).ok();
    let settled =
        |stamp: &Stamp| SystemTime::now().duration_since(stamp.modified).is_ok_and(|age| age > MIN_STAMP_AGE);
    let mut bytes = Vec::new();
    let length = stamp.and_then(|stamp| usize::try_from(stamp.length).ok()).unwrap_or_default();
    bytes.try_reserve_exact(length)?;
    if is_long(length as u64) {
        file.by_ref().take(FIRST_DISPLAY_BYTES as u64).read_to_end(&mut bytes)?;
        beginning(&bytes);
    }
    let rest = max.saturating_sub(bytes.len() as u64);
    file.take(rest.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max {
        return Err(regular_file::too_large(max));
    }
    Ok((bytes, stamp.filter(settled)))
}

fn take_stamp(metadata: &Metadata) -> io::Result<Stamp> {
    Ok(Stamp { length: metadata.len(), modified: metadata.modified()? })
}

/// Returns true if a file on disk still has the bytes that were read from it. Reads it only if the stamp is
/// inconclusive.
pub(super) fn is_current(known: &SourceFile) -> bool {
    let Some(path) = &known.disk else { return true };
    match fs::metadata(path).and_then(|metadata| take_stamp(&metadata)) {
        Ok(now) if known.stamp == Some(now) => true,
        // A length is cheaper to get than the bytes.
        Ok(now) if now.length != known.len() as u64 => false,
        _ => read_bytes(path).is_ok_and(|(bytes, _)| known.has_bytes(&bytes)),
    }
}
