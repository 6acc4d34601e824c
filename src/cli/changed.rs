//! `--changed-since` and `--files`: which catalogs a change touches, and what in them.

use std::{
    collections::{HashMap, HashSet},
    fs,
    path::{Component, Path, PathBuf},
};

use super::{failure::Failure, image, out, progress, revision, source, workspace};
use crate::{
    catalog::{Catalog, Origin, PackageName, load::LoadError, model::AtRevision},
    export::{plain, scope::Scope},
    review::Touched,
    source::{
        Base, SearchScope, bundles,
        discovery::{Opening, Selection},
        is_image, is_older, meant,
    },
};

/// A catalog, as it is and as it was.
pub struct Changed {
    /// As given, or found.
    pub path: PathBuf,
    /// As it was; `None` where there was none, or nobody asked.
    pub old: Option<Catalog>,
    /// As it is; `None` where it is gone.
    pub new: Option<Catalog>,
    /// What differs.
    pub touched: Touched,
}

impl Changed {
    /// As it was and as it is. Where it was not, or is not any more, it is empty.
    pub fn sides(self) -> (Catalog, Catalog) {
        let empty = |origin| Catalog::new(origin, Vec::new(), Vec::new());
        let path = self.path.clone();
        let nowhere = |path: &Path| {
            let at = AtRevision { label: "nothing".to_owned(), path: path.to_owned(), is_file: false };
            empty(Origin::Revision(at))
        };
        let old = self.old.unwrap_or_else(|| nowhere(&path));
        let new = self.new.unwrap_or_else(|| nowhere(&path));
        (old, new)
    }

    /// What became of it since the revision; none where nobody asked for one.
    pub fn fate(&self) -> &'static str {
        match (&self.old, &self.new) {
            _ if !self.is_touched() => "same",
            (None, _) => "added",
            (_, None) => "removed",
            _ => "changed",
        }
    }

    /// Whether anything differs.
    pub fn is_touched(&self) -> bool {
        !self.touched.is_nothing()
    }
}

/// The catalogs that may be touched.
pub struct Change {
    /// The revision they are compared with; none where only files are named.
    pub base: Option<Base>,
    pub catalogs: Vec<Changed>,
    /// Whether files are named.
    files: bool,
    /// Those that are in none of the catalogs.
    stray: Vec<PathBuf>,
}

/// The paths of the catalogs that are meant. No path: all that are found here.
pub fn found(given: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    paths(None, given)
}

/// Catalogs on disk beside what a revision has. No path: all that are found here, and those that are gone.
pub fn since(revision: &str, given: &[PathBuf], images: &image::Args) -> anyhow::Result<Change> {
    let around = given.first().map_or(Path::new("."), PathBuf::as_path);
    let base = Base::of(revision, around).map_err(LoadError::from).map_err(|error| failed(&error))?;
    let catalogs = paths(Some(&base), given)?
        .into_iter()
        .map(|path| compared(&base, path, images))
        .collect::<anyhow::Result<_>>()?;
    Ok(Change { base: Some(base), catalogs, files: false, stray: Vec::new() })
}

/// The files that are named; `-` stands for the names on standard input, one a line or each ended by NUL.
pub fn named(files: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    source::check_stdin(files)?;
    let mut all = Vec::new();
    for file in files {
        if file.as_os_str() == source::STDIN {
            let bytes = source::standard_input()?;
            let end = if bytes.contains(&0) { 0 } else { b'\n' };
            let names = bytes.split(|byte| *byte == end).filter(|name| !name.is_empty());
            all.extend(names.map(path_of));
        } else {
            all.push(file.clone());
        }
    }
    Ok(all)
}

/// Catalogs of which some files are named, and what they touch; with a revision also what differs from that. No path: the catalogs
/// that the files belong to.
pub fn in_files(
    files: &[PathBuf],
    revision: Option<&str>,
    given: &[PathBuf],
    images: &image::Args,
) -> anyhow::Result<Change> {
    let mut paths: Vec<PathBuf> = given.to_vec();
    if given.is_empty() {
        for file in files {
            paths.extend(workspace::catalog_of(file)?);
        }
        paths.sort();
        paths.dedup();
    }
    let mut change = match revision {
        Some(revision) if !paths.is_empty() => since(revision, &paths, images)?,
        _ => {
            let open = |path: PathBuf| {
                let new = Some(opened(&path, images)?);
                Ok(Changed { path, old: None, new, touched: Touched::default() })
            };
            let paths = if paths.is_empty() { paths } else { found(&paths)? };
            let catalogs = paths.into_iter().map(open).collect::<anyhow::Result<_>>()?;
            Change { base: None, catalogs, files: true, stray: Vec::new() }
        }
    };
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let named: HashSet<PathBuf> = files.iter().map(|file| real(file)).collect();
    let mut met = HashSet::new();
    for changed in &mut change.catalogs {
        let Some(new) = &changed.new else { continue };
        let disks =
            new.files().iter().filter_map(|file| Some((file.disk.as_deref()?, real(file.disk.as_deref()?))));
        let meant: HashMap<&Path, PathBuf> = disks.filter(|(_, real)| named.contains(real)).collect();
        let touched =
            Touched::in_files(new, |file| file.disk.as_deref().is_some_and(|d| meant.contains_key(d)));
        changed.touched = std::mem::take(&mut changed.touched).or(touched);
        met.extend(meant.into_values());
    }
    // What a change took away is known by what it was; without a base a name that is nowhere may be a slip.
    let has_base = change.base.is_some();
    let stray =
        files.iter().filter(|file| !met.contains(&real(file)) && (!has_base || file.exists())).cloned();
    change.stray = stray.collect();
    change.files = true;
    Ok(change)
}

impl Change {
    /// What is to be said of it; the catalogs that are looked at are still missing.
    pub fn scope(&self) -> Scope {
        let label = |changed: &Changed| changed.path.display().to_string();
        let some =
            |is_meant: fn(&&Changed) -> bool| self.catalogs.iter().filter(is_meant).map(label).collect();
        Scope {
            base: self.base.as_ref().map(Base::label),
            files: self.files,
            looked: Vec::new(),
            same: some(|changed| !changed.is_touched()),
            gone: some(|changed| changed.is_touched() && changed.new.is_none()),
            stray: self.stray.iter().map(|path| path.display().to_string()).collect(),
        }
    }
}

/// The catalogs that are meant.
fn paths(base: Option<&Base>, given: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for path in given {
        revision::refuse(path, "this needs catalogs on disk")?;
        all.extend(meant(path, base).map_err(|error| failed(&error))?);
    }
    if given.is_empty() {
        let selected = workspace::selection_and_omitted()?;
        let (selected, omitted) = match selected {
            Some((selection, omitted)) if selection.kind == Opening::Catalogs => (selection.paths, omitted),
            Some((selection, _)) => return Err(no_catalogs(&selection).into()),
            None => Default::default(),
        };
        warn_of_omitted(&omitted);
        all.extend(selected);
        let search = base.zip(scope_of_removed(&all));
        let old = search.map(|(base, scope)| base.catalogs(Path::new("."), scope)).transpose();
        if let Some(old) = old.map_err(|error| failed(&error))?.flatten() {
            all = old.refine(&all);
            all.extend(old.removed);
        }
        if all.is_empty() {
            return Err(source::none("no catalog here, above or below, and no PATH given").into());
        }
    }
    let mut seen = HashSet::new();
    all.retain(|path| seen.insert(path.clone()));
    Ok(all)
}

/// Refuses to compare something else than catalogs.
fn no_catalogs(selection: &Selection) -> Failure {
    let found: Vec<String> = selection.paths.iter().map(|path| path.display().to_string()).collect();
    let words = format!("no catalog here, only {}: {}", selection.kind.plural(), found.join(", "));
    Failure::new(words)
        .hint("only catalogs can be listed and compared with what they were; olmap validate checks bundles")
}

/// Returns the part of the repository in which catalogs may be removed, given those that are found. `None` if the current
/// directory is inside of the catalog that is found.
fn scope_of_removed(found: &[PathBuf]) -> Option<SearchScope> {
    let is_up = |part: Component<'_>| matches!(part, Component::CurDir | Component::ParentDir);
    match found {
        [only] if only.components().all(is_up) => None,
        [first, ..] if first.starts_with("..") => Some(SearchScope::Repository),
        _ => Some(SearchScope::Folder),
    }
}

/// Says on standard error which catalogs exist and are not checked, so that silence does not pass for a check.
fn warn_of_omitted(paths: &[PathBuf]) {
    let omitted: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    if omitted.is_empty() {
        return;
    }
    let s = if omitted.len() == 1 { "" } else { "s" };
    let words = format!("{} catalog{s} not looked at, since no PATH is given: ", omitted.len());
    let warning = plain::line(&format!("{words}{}", omitted.join(", "))).into_owned();
    let hint = "give the catalogs, as in 'catalogs/*'";
    out::print_error(&format!("warning: {warning}\nhint: {hint}\n"), false);
}

/// A catalog on disk beside what the revision has.
fn compared(base: &Base, path: PathBuf, images: &image::Args) -> anyhow::Result<Changed> {
    let is_there = path.symlink_metadata().is_ok();
    let new = if is_there { Some(opened(&path, images)?) } else { None };
    let old = progress::watched(|progress| base.open(&path, progress)).map_err(|error| failed(&error))?;
    let mut touched = Touched::between(old.as_ref(), new.as_ref());
    if let Some(new) = &new {
        touched.extend(of_templates(base, new)?);
    }
    Ok(Changed { path, old, new, touched })
}

/// The packages whose templates differ: a catalog may have been left as it was though its template was edited.
fn of_templates(base: &Base, catalog: &Catalog) -> anyhow::Result<Vec<PackageName>> {
    let made =
        catalog.packages().filter_map(|package| Some((&package.name, catalog.made_from(&package.name)?)));
    let (names, files): (Vec<&PackageName>, Vec<&Path>) =
        made.map(|(name, from)| (name, from.path.as_path())).unzip();
    let differ = base.differ(&files).map_err(|error| failed(&error))?;
    Ok(names.into_iter().zip(differ).filter(|(_, differs)| *differs).map(|(name, _)| name.clone()).collect())
}

/// Opens a file-based catalog on disk.
fn opened(path: &Path, images: &image::Args) -> anyhow::Result<Catalog> {
    let is_other = path.as_os_str() == source::STDIN || is_image(path) || is_older(path);
    if is_other || bundles::find(path).is_some() {
        return Err(Failure::new(format!("{} is no file-based catalog in a git repository", path.display()))
            .hint("only those can be compared with what they were")
            .into());
    }
    source::one(Some(path), images)
}

/// A path as other programs write it.
fn path_of(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    return <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes).into();
    #[cfg(not(unix))]
    String::from_utf8_lossy(bytes).into_owned().into()
}

fn failed(error: &LoadError) -> Failure {
    Failure::new(error.to_string()).maybe_hint(error.hint())
}
