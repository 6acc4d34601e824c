//! Results of discovery for the current folder.

use std::path::{Path, PathBuf};

use super::{Here, MOST_BELOW, Why};
use crate::source::{
    discovery::{self, BundleEvidence, Discovery, STATED_FILE, StatedError, relative},
    is_bundle_directory,
};

/// Result of discovery for a folder.
pub enum Found {
    /// Paths that are opened, and whether that is above the folder or beside it.
    Here { here: Here, is_outside: bool },
    /// Nothing, and the repository states what it has: no further search.
    NothingStated,
    /// Nothing.
    Nothing,
}

/// A path of a repository, and why it is taken for what it is.
type Row<'a> = (&'a str, String);

/// Finds what a folder of a repository opens.
pub fn find(start: &Path, root: &Path) -> Result<Found, StatedError> {
    let found = discovery::discover(root)?;
    let Some(inside) = start.strip_prefix(root).ok().and_then(Path::to_str) else {
        return Ok(Found::Nothing);
    };
    if let Some(found) = choose(&found, inside, start) {
        return Ok(found);
    }
    let is_stated = root.join(STATED_FILE).is_file() && inside.is_empty();
    Ok(if is_stated { Found::NothingStated } else { Found::Nothing })
}

fn choose(found: &Discovery, inside: &str, start: &Path) -> Option<Found> {
    let here = |here: Here| Some(Found::Here { here, is_outside: false });
    let outside = |here: Here| Some(Found::Here { here, is_outside: true });
    let catalogs: Vec<Row<'_>> =
        found.catalogs.iter().map(|catalog| (catalog.path.as_str(), catalog.evidence.to_string())).collect();
    let bundles: Vec<Row<'_>> = {
        let mut all: Vec<_> = found.bundles.iter().collect();
        // What the operator's own repository builds comes first.
        all.sort_by_key(|bundle| bundle.evidence != BundleEvidence::Bundle);
        all.iter().map(|bundle| (bundle.path.as_str(), bundle.evidence.to_string())).collect()
    };
    let templates: Vec<Row<'_>> = found
        .templates
        .iter()
        .map(|template| (template.path.as_str(), format!("a template ({})", template.format.name())))
        .collect();
    if let Some(catalog) = containing(&catalogs, inside) {
        // A package of it may be a catalog by itself.
        let is_whole = discovery::discover(start)
            .is_ok_and(|found| found.catalogs.iter().any(|catalog| catalog.path == "."));
        let catalog = if is_whole { (inside, catalog.1) } else { catalog };
        return here(Here::found(&[catalog], inside));
    }
    let below = within(&catalogs, inside);
    if !below.is_empty() {
        return here(Here::found(&below, inside));
    }
    if let Some(bundle) = containing(&bundles, inside).filter(|_| !is_bundle_directory(start)) {
        return here(Here::found(&[bundle], inside));
    }
    let below = within(&bundles, inside);
    if let Some(first) = below.first() {
        return here(Here::found(std::slice::from_ref(first), inside));
    }
    let below = within(&templates, inside);
    if !below.is_empty() {
        return here(Here::found(&below, inside));
    }
    let all = [catalogs, bundles.into_iter().take(1).collect(), templates];
    all.iter().find(|all| !all.is_empty()).and_then(|all| outside(Here::found(all, inside)))
}

/// The paths in a folder.
fn within<'a>(all: &[Row<'a>], folder: &str) -> Vec<Row<'a>> {
    all.iter().filter(|(path, _)| is_within(path, folder)).cloned().collect()
}

/// The innermost path that a folder is in.
fn containing<'a>(all: &[Row<'a>], folder: &str) -> Option<Row<'a>> {
    all.iter().rfind(|(path, _)| is_within(folder, path) && *path != folder && *path != ".").cloned()
}

impl Here {
    /// Results of discovery, as seen from a folder inside the repository.
    fn found(all: &[Row<'_>], inside: &str) -> Self {
        let mut paths: Vec<PathBuf> = all.iter().map(|(path, _)| relative(path, inside)).collect();
        let found = paths.len();
        let rest = paths.split_off(found.min(MOST_BELOW));
        let reason = match all {
            [(_, reason)] => reason.clone(),
            _ => "found in this repository".to_owned(),
        };
        Self { paths, rest, why: Why::Discovered(reason) }
    }
}

/// Reports whether a path is a folder, or in it.
fn is_within(path: &str, folder: &str) -> bool {
    let (path, folder) = (Path::new(path), Path::new(folder));
    folder.as_os_str().is_empty() || folder == Path::new(".") || path.starts_with(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_folder_one_stands_in() {
        for (path, inside, expected) in [
            ("v4.18/catalog", "", "v4.18/catalog"),
            ("v4.18/catalog", "v4.18", "catalog"),
            ("v4.18/catalog", "v4.18/catalog", "."),
            ("v4.18/catalog", "v4.18/catalog/ship", ".."),
            ("v4.18/catalog", "docs", "../v4.18/catalog"),
            (".", "", "."),
            (".", "ship", ".."),
        ] {
            assert_eq!(relative(path, inside), PathBuf::from(expected), "{path} from {inside:?}");
        }
    }
}
