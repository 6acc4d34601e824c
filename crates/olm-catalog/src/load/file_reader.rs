//! Reading of files.

use std::{
    fs::{self, File, Metadata},
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering},
    time::{Duration, SystemTime},
};

use rayon::prelude::*;

use super::{
    FIRST_DISPLAY_BYTES, LoadError, Progress, lfs, quotable, regular_file,
    walk::{CatalogFile, file_problem},
};
use crate::{
    file::{DocId, FileId, SourceFile, Stamp},
    model::{DecodedFile, decode_likely_json},
    problem::{Problem, ProblemKind},
    text::{Text, split},
};

/// Minimum age of the modification time for a reliable stamp, because file system clocks are coarse.
const MIN_STAMP_AGE: Duration = Duration::from_secs(2);

/// Files that were read, and problems of unreadable ones.
pub(super) struct Portion<T> {
    pub files: Vec<T>,
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
pub(super) fn read_files(
    found: &[CatalogFile],
    progress: &Progress,
) -> Result<Portion<SourceFile>, LoadError> {
    read_all_files(found, progress, |_, found| read_file(found, progress))
}

/// Reads all files of a catalog on all cores, and decodes them as far as they are usual JSON.
pub(super) fn read_and_decode_files(
    found: &[CatalogFile],
    progress: &Progress,
) -> Result<Portion<DecodedFile>, LoadError> {
    read_and_decode_files_by(found, progress, read_and_decode_file)
}

/// Reads all files of a catalog with a function that may decode them.
pub(super) fn read_and_decode_files_by(
    found: &[CatalogFile],
    progress: &Progress,
    read: impl Fn(FileId, &CatalogFile, &Progress) -> Result<DecodedFile, Problem> + Sync,
) -> Result<Portion<DecodedFile>, LoadError> {
    let mut portion = read_all_files(found, progress, |id, found| read(id, found, progress))?;
    if portion.files.len() < found.len() {
        // Without the unreadable files, the others have different IDs.
        portion.files.iter_mut().for_each(|file| file.documents = None);
    }
    Ok(portion)
}

fn read_all_files<T: Send>(
    found: &[CatalogFile],
    progress: &Progress,
    read: impl Fn(FileId, &CatalogFile) -> Result<T, Problem> + Sync,
) -> Result<Portion<T>, LoadError> {
    progress.expect_bytes(found.iter().map(|file| file.length).sum());
    let outcomes: Vec<Result<T, Problem>> = found
        .par_iter()
        .enumerate()
        .map(|(index, found)| {
            progress.check_stopped()?;
            Ok(read(FileId(index as u32), found))
        })
        .collect::<Result<_, LoadError>>()?;
    let mut portion = Portion { files: Vec::with_capacity(outcomes.len()), problems: Vec::new() };
    for outcome in outcomes {
        match outcome {
            Ok(file) => portion.files.push(file),
            Err(problem) => portion.problems.push(problem),
        }
    }
    Ok(portion)
}

/// Reads a file of a directory.
pub(super) fn read_file(found: &CatalogFile, progress: &Progress) -> Result<SourceFile, Problem> {
    let (bytes, stamp) = read_content(found, progress)?;
    let file = SourceFile::new(found.display_path(), Some(found.path.clone()), bytes);
    Ok(with_metadata(file, found, stamp))
}

/// Reads a file of a directory, and decodes its documents if it is usual JSON. It becomes the file `id` of the catalog.
pub(super) fn read_and_decode_file(
    id: FileId,
    found: &CatalogFile,
    progress: &Progress,
) -> Result<DecodedFile, Problem> {
    let (bytes, stamp) = read_content(found, progress)?;
    let (shown, disk) = (found.display_path(), Some(found.path.clone()));
    let DecodedFile { file, documents } = decode_file(shown, disk, bytes, id, found.foreign);
    Ok(DecodedFile { file: with_metadata(file, found, stamp), documents })
}

/// Splits a file into chunks, and decodes them if it is usual JSON.
fn decode_file(
    shown: PathBuf,
    disk: Option<PathBuf>,
    bytes: Vec<u8>,
    id: FileId,
    is_foreign: bool,
) -> DecodedFile {
    let first = DocId { file: id, serial: 0 };
    let decoded = split::split_likely_json(&bytes)
        .and_then(|chunks| Some((decode_likely_json(&bytes, &chunks, first, is_foreign)?, chunks)));
    match decoded {
        Some((documents, chunks)) => {
            let buffer = Arc::new(bytes);
            let file = SourceFile::from_chunks(shown, disk, chunks, |range| Text::slice(&buffer, range));
            DecodedFile { file, documents: Some(documents) }
        }
        None => DecodedFile { file: SourceFile::new(shown, disk, bytes), documents: None },
    }
}

/// Reads the bytes of a file of a directory, with its stamp.
fn read_content(found: &CatalogFile, progress: &Progress) -> Result<(Vec<u8>, Option<Stamp>), Problem> {
    let bytes = read_bytes(&found.path);
    progress.read.fetch_add(1, Ordering::Relaxed);
    match &bytes {
        Ok((bytes, _)) => log::debug!("read {}, {} bytes", found.path.display(), bytes.len()),
        Err(error) => log::debug!("cannot read {}: {error}", found.path.display()),
    }
    let problem = |kind| file_problem(&found.display_path(), kind);
    match bytes {
        Ok((bytes, _)) if lfs::is_pointer(&bytes) => Err(problem(ProblemKind::LfsPointer)),
        Ok((bytes, stamp)) => {
            progress.bytes.fetch_add(bytes.len(), Ordering::Relaxed);
            Ok((bytes, stamp))
        }
        Err(error) => Err(problem(ProblemKind::Unreadable(error.to_string()))),
    }
}

/// Sets what is known of a file from its directory, and its stamp.
pub(super) fn with_metadata(mut file: SourceFile, found: &CatalogFile, stamp: Option<Stamp>) -> SourceFile {
    file.writable = found.writable;
    file.foreign = found.foreign;
    file.stamp = stamp;
    file
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
    let (bytes, stamp) = read_only_content(path, progress, beginning)?;
    with_own_metadata(SourceFile::new(path.to_owned(), Some(PathBuf::from(path)), bytes), path, stamp)
}

/// Reads a catalog that is a single file, and decodes its documents if it is usual JSON.
pub(super) fn read_and_decode_only_file(path: &Path, progress: &Progress) -> Result<DecodedFile, LoadError> {
    let (bytes, stamp) = read_only_content(path, progress, &mut |_| ())?;
    let is_foreign = is_foreign(path);
    let DecodedFile { file, documents } =
        decode_file(path.to_owned(), Some(PathBuf::from(path)), bytes, FileId(0), is_foreign);
    Ok(DecodedFile { file: with_own_metadata(file, path, stamp)?, documents })
}

fn read_only_content(
    path: &Path,
    progress: &Progress,
    beginning: &mut dyn FnMut(&[u8]),
) -> Result<(Vec<u8>, Option<Stamp>), LoadError> {
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
    Ok((bytes, stamp))
}

fn with_own_metadata(
    mut file: SourceFile,
    path: &Path,
    stamp: Option<Stamp>,
) -> Result<SourceFile, LoadError> {
    let metadata = path.metadata().map_err(|source| LoadError::Open { path: path.to_owned(), source })?;
    file.writable = !metadata.permissions().readonly();
    file.foreign = is_foreign(path);
    file.stamp = stamp;
    Ok(file)
}

fn is_foreign(path: &Path) -> bool {
    path.is_file() && quotable::check_quotable(path).is_err()
}

/// Reads all bytes of a regular file, with a stamp to detect later changes.
pub(super) fn read_bytes(path: &Path) -> io::Result<(Vec<u8>, Option<Stamp>)> {
    read_all(regular_file::open_regular(path)?, &mut |_| ())
}

fn read_all(mut file: File, beginning: &mut dyn FnMut(&[u8])) -> io::Result<(Vec<u8>, Option<Stamp>)> {
    let max = file.metadata().map_or(0, |metadata| regular_file::max_input(&metadata));
    // The stamp is taken before reading, so that writes during reading are detected.
    let stamp = file.metadata().and_then(|metadata| take_stamp(&metadata)).ok();
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
    Ok((bytes, stamp.filter(is_settled)))
}

/// Returns the stamp of a file if it is reliable.
pub(super) fn settled_stamp(file: &File) -> Option<Stamp> {
    file.metadata().and_then(|metadata| take_stamp(&metadata)).ok().filter(is_settled)
}

/// Returns true if a file is unchanged as long as it has the stamp.
fn is_settled(stamp: &Stamp) -> bool {
    SystemTime::now().duration_since(stamp.modified).is_ok_and(|age| age > MIN_STAMP_AGE)
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
