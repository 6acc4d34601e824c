//! Repositories with catalogs: their contents, and what a command without PATH selects.
//!
//! A repository with `catalogs/v4.NN/...` next to `operators/...` would have thousands of findings if it were
//! read as one catalog, so its catalogs are offered instead.

use std::path::{Path, PathBuf};
use std::{env, fs};

use super::Failure;
use olm_source::bundles;
use olm_source::discovery::{self, Discovery, Selection, Workspace, templates_of};

/// Contents of a repository.
pub struct DiscoveredRepository {
    /// Contents, with paths relative to the root.
    pub contents: Discovery,
    path_base: PathBase,
}

/// Directory that displayed paths are relative to.
enum PathBase {
    /// Folder of the repository; contains its path from the root.
    Inside(String),
    /// Folder elsewhere; contains the path from there to the root.
    Outside(PathBuf),
}

impl DiscoveredRepository {
    /// Discovers the repository around the current directory.
    pub fn from_current_dir() -> Result<Self, Failure> {
        let start = env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
        let root = discovery::root_of(&start).unwrap_or(&start);
        let inside = start.strip_prefix(root).ok().and_then(Path::to_str).unwrap_or_default().to_owned();
        Ok(Self { contents: discover_contents(root)?, path_base: PathBase::Inside(inside) })
    }

    /// Discovers the contents of a folder.
    pub fn from_folder(root: &Path) -> Result<Self, Failure> {
        Ok(Self { contents: discover_contents(root)?, path_base: PathBase::Outside(root.to_owned()) })
    }

    /// Converts a path of the repository to a path from the current directory.
    pub fn relative_path(&self, path: &str) -> PathBuf {
        match &self.path_base {
            PathBase::Inside(folder) => discovery::relative_path(path, folder),
            PathBase::Outside(root) if root == Path::new(".") => PathBuf::from(path),
            PathBase::Outside(root) if path == "." => root.clone(),
            PathBase::Outside(root) => root.join(path),
        }
    }
}

/// Greeting of the demo if the user requests it.
pub const DEMO: &str = "this is the demo; olmap PATH opens yours";

/// Greeting of the demo if nothing else is found.
pub const NOTHING: &str = "no catalog here, above or below, so this is the demo; olmap PATH opens yours";

/// Maximum number of discovered catalogs that the explorer opens.
pub const MAX_OPEN: usize = 16;

/// Returns the catalogs of a repository if a path is its root, sorted by name, with numbers by value. A root with
/// an `.indexignore` is read as a catalog.
pub fn find_catalogs(path: &Path) -> Option<Vec<PathBuf>> {
    let folder = path.join("catalogs");
    if path.join(".indexignore").exists() || !folder.is_dir() {
        return None;
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.map(|entry| entry.path()).filter(|path| path.is_dir());
    let mut releases: Vec<(Vec<u64>, PathBuf)> =
        folders.filter_map(|folder| Some((parse_release(folder.file_name()?.to_str()?)?, folder))).collect();
    releases.sort();
    let catalogs: Vec<PathBuf> = releases.into_iter().map(|(_, folder)| folder).collect();
    (!catalogs.is_empty() || path.join("operators").is_dir()).then_some(catalogs)
}

/// Parses the numbers of `v4.18`; `None` for another name.
fn parse_release(name: &str) -> Option<Vec<u64>> {
    name.strip_prefix('v')?.split('.').map(|number| number.parse().ok()).collect()
}

/// Returns the error for opening the root of a repository as one catalog, with the alternatives.
pub fn not_a_catalog_failure(root: &Path, catalogs: &[PathBuf]) -> Failure {
    let failure = Failure::new(format!("{} is a repository of catalogs, not a catalog", root.display()));
    if catalogs.is_empty() {
        return failure.with_hint("it has no catalogs/v*; give the directory of a catalog");
    }
    let failure = failure.with_hint("choose one of its catalogs:");
    catalogs.iter().fold(failure, |failure, path| failure.add_hint(path.display().to_string()))
}

fn discover_contents(root: &Path) -> Result<Discovery, Failure> {
    discovery::discover(root).map_err(|error| Failure::new(error.to_string()))
}

/// Finds the selection for a command without PATH; `None` if there is nothing.
///
/// # Errors
///
/// Fails if the repository has a `.olmap.toml` with a mistake.
pub fn selection() -> Result<Option<Selection>, Failure> {
    Ok(find_selection()?.map(|(_, selection)| selection))
}

/// Finds the selection for a command without PATH, and adjacent catalogs outside of it.
///
/// # Errors
///
/// Fails if the repository has a `.olmap.toml` with a mistake.
pub fn selection_and_omitted() -> Result<Option<(Selection, Vec<PathBuf>)>, Failure> {
    let Ok(directory) = env::current_dir() else { return Ok(None) };
    let omitted = |(workspace, selection): (Workspace, Selection)| {
        let omitted = workspace.omitted(&selection, &directory);
        (selection, omitted)
    };
    Ok(find_selection()?.map(omitted))
}

fn find_selection() -> Result<Option<(Workspace, Selection)>, Failure> {
    let Ok(directory) = env::current_dir() else { return Ok(None) };
    let workspace = Workspace::discover(&directory, env::home_dir().as_deref())
        .map_err(|error| Failure::new(error.to_string()))?;
    let selection = workspace.select_paths(&directory);
    Ok(selection.map(|selection| (workspace, selection)))
}

/// Returns the catalog that contains a file or directory; `None` if there is none.
///
/// # Errors
///
/// Fails if the repository has a `.olmap.toml` with a mistake.
pub fn catalog_containing(path: &Path) -> Result<Option<PathBuf>, Failure> {
    let Ok(full) = std::path::absolute(path) else { return Ok(None) };
    // The file and directories above it may be deleted.
    let Some(directory) = full.ancestors().skip(1).find(|above| above.is_dir()) else { return Ok(None) };
    let workspace = Workspace::discover(directory, env::home_dir().as_deref())
        .map_err(|error| Failure::new(error.to_string()))?;
    let Some(catalog) = workspace.catalog_of(&full) else { return Ok(None) };
    // In the form that the caller gave.
    let depth = full.strip_prefix(&catalog).map(|inside| inside.components().count()).unwrap_or_default();
    let given = path.ancestors().nth(depth).map(Path::to_owned).unwrap_or(catalog);
    Ok(Some(if given.as_os_str().is_empty() { PathBuf::from(".") } else { given }))
}

/// Returns a hint about the templates in a directory without a catalog or bundles; `None` for any other
/// directory.
pub fn hint_for_templates(directory: &Path) -> Option<String> {
    let full = std::path::absolute(directory).ok()?;
    // The discovery reads the whole repository, and this runs before the first frame.
    if discovery::has_catalog_data(&full) {
        return None;
    }
    let workspace = Workspace::discover(&full, env::home_dir().as_deref()).ok()?;
    let has = |paths: &mut dyn Iterator<Item = &String>| {
        let mut full_paths = paths.map(|path| workspace.root().join(path));
        full_paths.any(|path| path.starts_with(&full))
    };
    let found = workspace.discovery();
    let has_other = has(&mut found.catalogs.iter().map(|catalog| &catalog.path))
        || has(&mut found.bundles.iter().map(|bundle| &bundle.path))
        || bundles::find_bundle_folder(&full).is_some();
    if has_other || !has(&mut found.templates.iter().map(|template| &template.path)) {
        return None;
    }
    let words = "templates, not a catalog";
    Some(match found.catalogs.as_slice() {
        [] => words.to_owned(),
        _ => format!("{words}: olmap list repository names the catalogs"),
    })
}

/// Returns a directory and its templates. A directory that contains only templates is omitted.
pub fn expand_templates(path: &Path) -> Vec<PathBuf> {
    let templates = if path.is_dir() { templates_of(path) } else { Vec::new() };
    let is_more = templates.is_empty() || bundles::find_bundle_folder(path).is_some();
    is_more.then(|| path.to_owned()).into_iter().chain(templates).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_sort_by_number() {
        assert!(parse_release("v4.9") < parse_release("v4.18"));
        assert_eq!(parse_release("stable"), None);
        assert_eq!(parse_release("v4.x"), None);
    }
}
