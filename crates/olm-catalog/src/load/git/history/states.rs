//! States of a package after commits.

use std::{
    collections::{BTreeSet, HashMap},
    ops::Range,
    path::Path,
    sync::{Arc, atomic::Ordering},
};

use rayon::prelude::*;

use super::{Files, PackageHistory, UnknownState, files::is_ignore_file};
use crate::{
    Catalog,
    file::SourceFile,
    load::{
        LoadError, Progress,
        git::{
            MissingReason,
            batch::{self, Content, Request},
            tree::path_components,
        },
        lfs,
    },
    model::{DocChange, Origin, RevisionOrigin},
    paths::indexignore::IgnoreSet,
};

/// Contents by object name; `None` if the repository does not have the object.
type Contents = HashMap<Arc<str>, Option<Arc<[u8]>>>;

pub(super) fn load_states(
    history: &PackageHistory,
    numbers: Range<usize>,
    progress: &Progress,
) -> Result<Vec<Result<Catalog, UnknownState>>, LoadError> {
    let states: Vec<(usize, &Files)> =
        history.states.iter().enumerate().skip(numbers.start).take(numbers.len()).collect();
    let contents = load_contents(history, states.iter().map(|(_, files)| *files), progress)?;
    let why_missing = contents.values().any(Option::is_none).then(|| history.repository.missing_reason());
    let read = |(number, files): (usize, &Files)| {
        progress.check_stopped()?;
        Ok(build_catalog(history, number, files, &contents, why_missing))
    };
    states.into_par_iter().map(read).collect()
}

fn load_contents<'f>(
    history: &PackageHistory,
    states: impl Iterator<Item = &'f Files>,
    progress: &Progress,
) -> Result<Contents, LoadError> {
    let blobs: BTreeSet<&Arc<str>> = states.flat_map(Files::values).collect();
    let wanted: Vec<Request> = blobs.iter().map(|blob| Request::Object(blob.to_string())).collect();
    let mut blobs = blobs.into_iter();
    let mut contents = Contents::new();
    batch::read_contents(&history.repository, &wanted, |content| {
        progress.check_stopped()?;
        progress.read.fetch_add(1, Ordering::Relaxed);
        let bytes = match content {
            Content::Bytes(bytes) => Some(Arc::from(bytes)),
            _ => None,
        };
        if let Some(blob) = blobs.next() {
            contents.insert(Arc::clone(blob), bytes);
        }
        Ok(())
    })?;
    Ok(contents)
}

fn build_catalog(
    history: &PackageHistory,
    number: usize,
    files: &Files,
    contents: &Contents,
    why_missing: Option<MissingReason>,
) -> Result<Catalog, UnknownState> {
    let root = &history.path;
    let inside = |path: &Path| path.strip_prefix(root).map(Path::to_owned).unwrap_or_default();
    let mut ignore = IgnoreSet::default();
    let mut sources = Vec::new();
    for (path, blob) in files {
        let not_here = |why: MissingReason| UnknownState(format!("{}: {why}", path.display()));
        let Some(bytes) = contents.get(blob).and_then(Option::as_ref) else {
            return Err(not_here(why_missing.unwrap_or(MissingReason::Damaged)));
        };
        let place = inside(path);
        if is_ignore_file(path) {
            let folder: Vec<&str> =
                place.parent().map(|folder| path_components(folder).collect()).unwrap_or_default();
            let added = ignore.add(&folder, &String::from_utf8_lossy(bytes));
            added.map_err(|error| UnknownState(format!("{}: {error}", path.display())))?;
            continue;
        }
        if lfs::is_pointer(bytes) {
            return Err(not_here(MissingReason::Lfs));
        }
        sources.push((path, place, bytes));
    }
    let is_file = sources.iter().any(|(_, place, _)| place.as_os_str().is_empty());
    let sources = sources
        .into_iter()
        .filter(|(_, place, _)| is_file || !ignore.ignores(&path_components(place).collect::<Vec<_>>()));
    let sources = sources.map(|(path, place, bytes)| {
        let shown = if place.as_os_str().is_empty() { path.to_path_buf() } else { place };
        let mut file = SourceFile::new(shown, None, bytes.to_vec());
        file.writable = false;
        file
    });
    let at = history.commits.get(number).or(history.commits.last());
    let label = at.map(|at| at.committed.short.clone()).unwrap_or_default();
    let label = if number < history.commits.len() { label } else { format!("{label}^") };
    let origin = Origin::Revision(RevisionOrigin { label, path: root.clone(), is_file, commit: None });
    let catalog = Catalog::new(origin, sources.collect(), Vec::new());
    // Problems of other packages in a shared file belong to their history.
    let others = catalog.packages().filter(|package| package.name != history.package);
    let changes: Vec<DocChange> =
        others.flat_map(|package| package.documents()).map(|doc| DocChange::Remove { doc }).collect();
    Ok(if changes.is_empty() { catalog } else { catalog.with_changes(changes).0 })
}
