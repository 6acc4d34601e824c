//! Selection for a command without PATH: contents of the repository around the current directory.

use std::{
    env,
    path::{Path, PathBuf},
};

use super::failure::Failure;
use olm_source::{
    bundles,
    discovery::{Selection, StatedError, Workspace, templates_of},
};

/// Greeting of the demo if the user requests it.
pub const DEMO: &str = "this is the demo; olmap PATH opens yours";

/// Greeting of the demo if nothing else is found.
pub const NOTHING: &str = "no catalog here, above or below, so this is the demo; olmap PATH opens yours";

/// Maximum number of discovered catalogs that the explorer opens.
pub const MAX_OPEN: usize = 16;

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
        .map_err(|error| statement_failure(&error))?;
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
        .map_err(|error| statement_failure(&error))?;
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

fn statement_failure(error: &StatedError) -> Failure {
    Failure::new(error.to_string())
}
