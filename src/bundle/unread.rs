//! The part of a bundle that cannot be read. What depends on it must not be called checked.

use super::{
    crd::CrdSet,
    document::{NoDocument, first},
    registry::Contents,
    tree::Tree,
};

/// Returns the first part of a bundle that cannot be read, in words: a manifest, its metadata, or a CRD that its CSV owns and
/// that it does not have. `None` if all of it can be read. `shown` is the directory or image of the bundle.
pub fn unread_part(
    tree: &Tree,
    crds: &CrdSet<'_>,
    contents: &Contents<'_>,
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
        let reason = match (&file.content, first(file.bytes())) {
            (Err(reason), _) => reason.clone(),
            (Ok(_), Err(NoDocument::Unreadable(error))) => error.to_string(),
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
