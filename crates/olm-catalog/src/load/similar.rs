//! Opens a catalog that is probably similar to another one: files with equal content share their text, and packages
//! whose files are all equal share their objects.

use std::{
    collections::HashMap,
    io::{self, BufRead as _, BufReader},
    path::Path,
    sync::{Arc, atomic::Ordering},
};

use rayon::prelude::*;

use super::{
    LoadError, LoadLog, Progress, file_reader, is_directory, open_catalog_with_progress, regular_file,
    walk::{CatalogFile, DirectoryWalk},
    with_repository_info,
};
use crate::{
    file::{FileId, SourceFile},
    model::{Catalog, Origin},
    problem::Problem,
};

/// Bytes that are compared at once.
const COMPARED_BYTES: usize = 1 << 18;

/// File of the opened catalog.
enum SimilarFile {
    /// Its content equals that of a file of the known catalog.
    Equal(SourceFile),
    /// A file that differs, or that the known catalog does not have.
    Other(SourceFile),
}

/// Opens a catalog like [`open_catalog_with_progress`]. Takes the content of equal files from `known`, so that both
/// catalogs together need less memory.
///
/// # Errors
///
/// As [`open_catalog_with_progress`].
pub fn open_similar(path: &Path, known: &Catalog, progress: &Progress) -> Result<Catalog, LoadError> {
    let is_comparable = matches!(known.origin, Origin::Directory(_)) && known.missing_part().is_none();
    if !is_comparable || !is_directory(path)? {
        return open_catalog_with_progress(path, progress);
    }
    let log = LoadLog::start(path, progress);
    let walk = DirectoryWalk::walk(path, progress)?;
    progress.expect_bytes(walk.files.iter().map(|file| file.length).sum());
    let by_path: HashMap<&Path, &SourceFile> =
        known.files().iter().map(|file| (file.display_path(), &**file)).collect();
    let read: Vec<Result<SimilarFile, Problem>> = walk
        .files
        .par_iter()
        .map(|found| {
            progress.check_stopped()?;
            let like = by_path.get(found.display_path().as_path());
            Ok(read_similar(found, like.copied(), progress))
        })
        .collect::<Result<_, LoadError>>()?;
    progress.check_stopped()?;
    log.end_reading(read.len());
    let mut problems = walk.problems;
    let mut files = Vec::with_capacity(read.len());
    for outcome in read {
        match outcome {
            Ok(file) => files.push(file),
            Err(problem) => problems.push(problem),
        }
    }
    let origin = Origin::Directory(path.to_owned());
    let has_same_paths = files.len() == known.files().len()
        && files.iter().zip(known.files()).all(|(file, other)| {
            let (SimilarFile::Equal(file) | SimilarFile::Other(file)) = file;
            file.display_path() == other.display_path()
        });
    let catalog = if has_same_paths {
        // The documents of equal files have the same identifiers, so their objects are the same.
        let (mut base, mut changed) = (Vec::new(), Vec::new());
        for (id, file) in (0..).map(FileId).zip(files) {
            match file {
                SimilarFile::Equal(file) => base.push(Arc::new(file)),
                SimilarFile::Other(file) => {
                    base.extend(known.file(id).cloned());
                    changed.push((id, file));
                }
            }
        }
        known.with_equal_files(origin, base).with_files(changed, problems)
    } else {
        let files = files.into_iter().map(|(SimilarFile::Equal(file) | SimilarFile::Other(file))| file);
        Catalog::new(origin, files.collect(), problems)
    };
    log.end_decoding(&catalog);
    Ok(with_repository_info(path, catalog.with_ignore_patterns(walk.ignore)))
}

/// Reads a file, unless it equals the file of the known catalog.
fn read_similar(
    found: &CatalogFile,
    like: Option<&SourceFile>,
    progress: &Progress,
) -> Result<SimilarFile, Problem> {
    // A file that must not be quoted has other problems. The length is known without reading the file.
    let is_alike = |like: &&SourceFile| like.foreign == found.foreign && like.len() as u64 == found.length;
    if let Some(like) = like.filter(is_alike)
        && has_same_bytes(&found.path, like).unwrap_or(false)
    {
        progress.read.fetch_add(1, Ordering::Relaxed);
        progress.bytes.fetch_add(like.len(), Ordering::Relaxed);
        return Ok(SimilarFile::Equal(like.copy_at(found.path.clone(), found.writable)));
    }
    file_reader::read_file(found, progress).map(SimilarFile::Other)
}

/// Returns true if a file on disk has the bytes of another one. Never holds all of them.
fn has_same_bytes(path: &Path, like: &SourceFile) -> io::Result<bool> {
    let mut file = BufReader::with_capacity(COMPARED_BYTES, regular_file::open_regular(path)?);
    for segment in like.segments() {
        let mut rest = segment.text.as_bytes();
        while !rest.is_empty() {
            let read = file.fill_buf()?;
            let length = read.len().min(rest.len());
            let (here, after) = rest.split_at(length);
            if length == 0 || read.get(..length) != Some(here) {
                return Ok(false);
            }
            rest = after;
            file.consume(length);
        }
    }
    Ok(file.fill_buf()?.is_empty())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::load;

    fn write_catalog(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            fs::write(folder.path().join(path), text).unwrap();
        }
        folder
    }

    /// Opens a catalog with the help of another one, and checks that it is the same as without.
    fn open_like(folder: &Path, known: &Catalog) -> Catalog {
        let similar = open_similar(folder, known, &Progress::default()).unwrap();
        let plain = load::open_catalog(folder).unwrap();
        let texts = |catalog: &Catalog| -> Vec<_> {
            let files = catalog.files().iter();
            files.map(|file| (file.display_path.clone(), file.disk.clone(), file.current_bytes())).collect()
        };
        assert_eq!(texts(&similar), texts(&plain));
        assert_eq!(format!("{:?}", similar.packages_by_name()), format!("{:?}", plain.packages_by_name()));
        assert_eq!(similar.problems(), plain.problems());
        assert_eq!(similar.origin, plain.origin);
        similar
    }

    const SHIP: &str = "schema: olm.package\nname: ship\n---\nschema: olm.channel\nname: a\npackage: ship\n";
    const DOCK: &str = "{\"schema\": \"olm.package\", \"name\": \"dock\"}\n{\"schema\": \"x\"}\n";
    const BROKEN: &str = "schema: [\n";

    #[test]
    fn equal_files_share_their_objects() {
        let folders = [(); 2].map(|()| write_catalog(&[("a", SHIP), ("b", DOCK), ("c", BROKEN), ("d", "")]));
        let known = load::open_catalog(folders[0].path()).unwrap();
        let similar = open_like(folders[1].path(), &known);
        for (package, other) in similar.packages().zip(known.packages()) {
            assert!(Arc::ptr_eq(package, other), "{}", package.name);
        }
    }

    #[test]
    fn changed_added_and_removed_files_are_read() {
        let known = write_catalog(&[("a", SHIP), ("b", DOCK), ("c", BROKEN)]);
        let known = load::open_catalog(known.path()).unwrap();
        let longer = SHIP.to_owned() + "---\nschema: olm.bundle\nname: x\npackage: ship\n";
        let same_length = SHIP.replace("ship", "shop");
        for files in [
            &[("a", same_length.as_str()), ("b", DOCK), ("c", BROKEN)][..],
            &[("a", longer.as_str()), ("b", DOCK), ("c", SHIP)],
            &[("a", SHIP), ("b", DOCK)],
            &[("a", SHIP), ("aa", DOCK), ("b", DOCK), ("c", BROKEN)],
            &[("b", BROKEN), ("c", DOCK), ("d", SHIP)],
            &[],
        ] {
            open_like(write_catalog(files).path(), &known);
        }
        let file = write_catalog(&[("a", SHIP)]);
        let one = load::open_catalog(file.path().join("a")).unwrap();
        open_like(file.path(), &one);
        open_like(&file.path().join("a"), &known);
    }
}
