//! Unreadable part of a bundle. Results that depend on it must not be reported as checked.

use super::{
    crd::CrdSet,
    document::{DocumentError, parse_first},
    registry::DirectoryContents,
    tree::Tree,
};

/// Returns a description of the first unreadable part of a bundle: a manifest, its metadata, or a missing CRD
/// that its CSV owns. `None` if all of it can be read. `shown` is the directory or image of the bundle.
pub fn describe_unread_part(
    tree: &Tree,
    crds: &CrdSet<'_>,
    contents: &DirectoryContents<'_>,
    shown: Option<&str>,
) -> Option<String> {
    if let Some(unread) = crds.unread.first() {
        return Some(format!("{} cannot be read: {}", unread.file, unread.reason));
    }
    let path_of = |path: &str| match shown {
        Some(place) => format!("{place}/{path}"),
        None => path.to_owned(),
    };
    for file in tree.files_in("metadata").filter(|file| is_yaml(&file.path)) {
        let reason = match (&file.content, parse_first(file.content_or_empty())) {
            (Err(reason), _) => reason.clone(),
            (Ok(_), Err(DocumentError::Unreadable(error))) => error.to_string(),
            (Ok(_), _) => continue,
        };
        return Some(format!("{} cannot be read: {reason}", path_of(&file.path)));
    }
    let [owned, _] = contents.csv()?.definitions("customresourcedefinitions").ok()?;
    let has = |name: &str| crds.crds.iter().any(|crd| crd.name() == name);
    let missing = owned.iter().find(|owned| !owned.name.is_empty() && !has(&owned.name))?;
    let place = shown.unwrap_or("the catalog");
    Some(format!("the CSV owns the CRD {}, which is not in {place}", missing.name))
}

fn is_yaml(path: &str) -> bool {
    [".yaml", ".yml", ".json"].iter().any(|ending| path.ends_with(ending))
}
