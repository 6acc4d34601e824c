//! Catalogs that a change affects, and the affected parts: `--changed-since` and `--files`.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::{Failure, image, out, repository, revision, source, with_progress};
use olm_catalog::{Catalog, Origin, PackageName, load::LoadError, model::RevisionOrigin};
use olm_check::review::Touched;
use olm_source::discovery::{OpenKind, Selection};
use olm_source::{Base, SearchScope, bundles, expand_paths, is_image_reference, is_older};
use olmap_report::{escape, scope::Scope};

/// Catalog before and after a change.
pub struct ChangedCatalog {
    /// Path as given or discovered.
    pub path: PathBuf,
    /// Old state; `None` if there was none, or no base is given.
    pub old: Option<Catalog>,
    /// New state; `None` if the catalog was removed.
    pub new: Option<Catalog>,
    /// Changed parts.
    pub touched: Touched,
}

impl ChangedCatalog {
    /// Returns the old and the new state. A missing state is an empty catalog.
    pub fn into_sides(self) -> (Catalog, Catalog) {
        let empty = |origin| Catalog::new(origin, Vec::new(), Vec::new());
        let path = self.path.clone();
        let nowhere = |path: &Path| {
            let at = RevisionOrigin {
                label: "nothing".to_owned(),
                path: path.to_owned(),
                is_file: false,
                commit: None,
            };
            empty(Origin::Revision(at))
        };
        let old = self.old.unwrap_or_else(|| nowhere(&path));
        let new = self.new.unwrap_or_else(|| nowhere(&path));
        (old, new)
    }

    /// Returns the kind of change.
    pub fn change_kind(&self) -> &'static str {
        match (&self.old, &self.new) {
            _ if !self.is_touched() => "same",
            (None, _) => "added",
            (_, None) => "removed",
            _ => "changed",
        }
    }

    /// Returns true if anything changed.
    pub fn is_touched(&self) -> bool {
        !self.touched.is_unchanged()
    }
}

/// Catalogs that a change may affect.
pub struct Change {
    /// Revision of the comparison; `None` if only files are given.
    pub base: Option<Base>,
    pub catalogs: Vec<ChangedCatalog>,
    /// True if files are given.
    files: bool,
    /// Given files that are not in any of the catalogs.
    stray: Vec<PathBuf>,
}

/// Compares catalogs on disk with a revision. If `given` is empty, compares all discovered catalogs
/// and those that were removed since.
pub fn compare_with_revision(
    revision: &str,
    given: &[PathBuf],
    images: &image::Args,
) -> anyhow::Result<Change> {
    let around = given.first().map_or(Path::new("."), PathBuf::as_path);
    let base = Base::resolve(revision, around).map_err(LoadError::from).map_err(Failure::from)?;
    let catalogs = requested_paths(Some(&base), given)?
        .into_iter()
        .map(|path| compare_catalog(&base, path, images))
        .collect::<anyhow::Result<_>>()?;
    Ok(Change { base: Some(base), catalogs, files: false, stray: Vec::new() })
}

/// Returns the given files. `-` reads names from standard input, separated by line breaks or NUL.
pub fn expand_file_names(files: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    source::check_stdin(files)?;
    let mut all = Vec::new();
    for file in files {
        if source::is_stdin(file) {
            let bytes = source::read_stdin()?;
            let end = if bytes.contains(&0) { 0 } else { b'\n' };
            let names = bytes.split(|byte| *byte == end).filter(|name| !name.is_empty());
            all.extend(names.map(path_from_bytes));
        } else {
            all.push(file.clone());
        }
    }
    Ok(all)
}

/// Returns catalogs with the parts that are in `files`. With a revision, parts that differ from it
/// count too. If `given` is empty, the catalogs are those that contain the files.
pub fn find_catalogs_of_files(
    files: &[PathBuf],
    revision: Option<&str>,
    given: &[PathBuf],
    images: &image::Args,
) -> anyhow::Result<Change> {
    let mut paths: Vec<PathBuf> = given.to_vec();
    if given.is_empty() {
        for file in files {
            paths.extend(repository::catalog_containing(file)?);
        }
        paths.sort();
        paths.dedup();
    }
    let mut change = match revision {
        Some(revision) if !paths.is_empty() => compare_with_revision(revision, &paths, images)?,
        _ => {
            let open = |path: PathBuf| {
                let new = Some(open_disk_catalog(&path, images)?);
                Ok(ChangedCatalog { path, old: None, new, touched: Touched::default() })
            };
            let paths = if paths.is_empty() { paths } else { requested_paths(None, &paths)? };
            let catalogs = paths.into_iter().map(open).collect::<anyhow::Result<_>>()?;
            Change { base: None, catalogs, files: true, stray: Vec::new() }
        }
    };
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let named: HashSet<PathBuf> = files.iter().map(|file| real(file)).collect();
    let mut found_files = HashSet::new();
    for changed in &mut change.catalogs {
        let Some(new) = &changed.new else { continue };
        let disks =
            new.files().iter().filter_map(|file| Some((file.disk.as_deref()?, real(file.disk.as_deref()?))));
        let meant: HashMap<&Path, PathBuf> = disks.filter(|(_, real)| named.contains(real)).collect();
        let touched =
            Touched::in_files(new, |file| file.disk.as_deref().is_some_and(|d| meant.contains_key(d)));
        changed.touched = std::mem::take(&mut changed.touched).union(touched);
        found_files.extend(meant.into_values());
    }
    // With a base, a deleted file is recognized by its old state. Without one, a file that does not exist may
    // be a typing error.
    let has_base = change.base.is_some();
    let stray = files
        .iter()
        .filter(|file| !found_files.contains(&real(file)) && (!has_base || file.exists()))
        .cloned();
    change.stray = stray.collect();
    change.files = true;
    Ok(change)
}

impl Change {
    /// Returns the scope of a check. The caller adds the checked catalogs.
    pub fn scope(&self) -> Scope {
        let label = |changed: &ChangedCatalog| changed.path.display().to_string();
        let some = |is_meant: fn(&&ChangedCatalog) -> bool| {
            self.catalogs.iter().filter(is_meant).map(label).collect()
        };
        Scope {
            base: self.base.as_ref().map(Base::label),
            files: self.files,
            checked: Vec::new(),
            unchanged: some(|changed| !changed.is_touched()),
            removed: some(|changed| changed.is_touched() && changed.new.is_none()),
            outside: self.stray.iter().map(|path| path.display().to_string()).collect(),
        }
    }
}

/// Returns the paths of the given catalogs, or of all discovered ones. With a base, adds catalogs
/// that were removed since.
pub fn requested_paths(base: Option<&Base>, given: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for path in given {
        revision::refuse_revision(path, "this needs catalogs on disk")?;
        all.extend(expand_paths(path, base).map_err(Failure::from)?);
    }
    if given.is_empty() {
        let selected = repository::selection_and_omitted()?;
        let (selected, omitted) = match selected {
            Some((selection, omitted)) if selection.kind == OpenKind::Catalogs => (selection.paths, omitted),
            Some((selection, _)) => return Err(no_catalogs_failure(&selection).into()),
            None => Default::default(),
        };
        warn_of_omitted(&omitted);
        all.extend(selected);
        let search = base.zip(removal_scope(&all));
        let old = search.map(|(base, scope)| base.compare_catalogs(Path::new("."), scope)).transpose();
        if let Some(old) = old.map_err(Failure::from)?.flatten() {
            all = old.expand_folders(&all);
            all.extend(old.removed);
        }
        if all.is_empty() {
            return Err(source::no_path_failure("no catalog here, above or below, and no PATH given").into());
        }
    }
    let mut seen = HashSet::new();
    all.retain(|path| seen.insert(path.clone()));
    Ok(all)
}

/// Returns the error for a directory with bundles or templates, but without catalogs.
fn no_catalogs_failure(selection: &Selection) -> Failure {
    let found: Vec<String> = selection.paths.iter().map(|path| path.display().to_string()).collect();
    let words = format!("no catalog here, only {}: {}", selection.kind.plural(), found.join(", "));
    Failure::new(words).with_hint(
        "only catalogs can be listed and compared with what they were; olmap validate checks bundles",
    )
}

/// Returns the part of the repository in which catalogs may have been removed, given the discovered ones.
/// `None` if the current directory is inside the only discovered catalog.
fn removal_scope(found: &[PathBuf]) -> Option<SearchScope> {
    let is_up = |part: Component<'_>| matches!(part, Component::CurDir | Component::ParentDir);
    match found {
        [only] if only.components().all(is_up) => None,
        [first, ..] if first.starts_with("..") => Some(SearchScope::Repository),
        _ => Some(SearchScope::Folder),
    }
}

/// Warns of discovered catalogs that are not checked, so that a run without findings does not look
/// as if they were fine.
fn warn_of_omitted(paths: &[PathBuf]) {
    let omitted: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    if omitted.is_empty() {
        return;
    }
    let s = if omitted.len() == 1 { "" } else { "s" };
    let words = format!("{} catalog{s} not looked at, since no PATH is given: ", omitted.len());
    let warning = escape::escape_line(&format!("{words}{}", omitted.join(", "))).into_owned();
    let hint = "give the catalogs, as in 'catalogs/*'";
    out::print_error(&format!("warning: {warning}\nhint: {hint}\n"), false);
}

/// Compares a catalog on disk with the revision.
fn compare_catalog(base: &Base, path: PathBuf, images: &image::Args) -> anyhow::Result<ChangedCatalog> {
    let is_there = path.symlink_metadata().is_ok();
    let new = if is_there { Some(open_disk_catalog(&path, images)?) } else { None };
    let old = with_progress(|progress| base.open_catalog(&path, progress)).map_err(Failure::from)?;
    let mut touched = Touched::compare_catalogs(old.as_ref(), new.as_ref());
    if let Some(new) = &new {
        touched.add_packages(packages_of_changed_templates(base, new)?);
    }
    Ok(ChangedCatalog { path, old, new, touched })
}

/// Returns the packages whose templates changed. A template may be edited without its catalog.
fn packages_of_changed_templates(base: &Base, catalog: &Catalog) -> anyhow::Result<Vec<PackageName>> {
    let made = catalog
        .packages()
        .filter_map(|package| Some((&package.name, catalog.template_source(&package.name)?)));
    let (names, files): (Vec<&PackageName>, Vec<&Path>) =
        made.map(|(name, from)| (name, from.path.as_path())).unzip();
    let differ = base.files_differ(&files).map_err(Failure::from)?;
    Ok(names.into_iter().zip(differ).filter(|(_, differs)| *differs).map(|(name, _)| name.clone()).collect())
}

/// Opens a file-based catalog on disk. Refuses other sources, which have no old state to compare
/// with.
fn open_disk_catalog(path: &Path, images: &image::Args) -> anyhow::Result<Catalog> {
    let is_other = source::is_stdin(path) || is_image_reference(path) || is_older(path);
    if is_other || bundles::find_bundle_folder(path).is_some() {
        return Err(Failure::new(format!("{} is no file-based catalog in a git repository", path.display()))
            .with_hint("only those can be compared with what they were")
            .into());
    }
    source::open_catalog(Some(path), images)
}

/// Converts a path from the bytes that other programs print.
fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    return <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes).into();
    #[cfg(not(unix))]
    String::from_utf8_lossy(bytes).into_owned().into()
}
