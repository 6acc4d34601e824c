//! Companion files next to a catalog.

use std::path::PathBuf;

use super::{
    context::{Context, ViewContext},
    open_catalog::OpenCatalog,
};
use crate::tui::work::Effect;
use olm_catalog::Origin;

/// Returns the default path of a companion file: next to the catalog directory, never in it,
/// because opm reads every file there. For a catalog of one file, next to the directory of that
/// file.
pub fn companion_path(origin: &Origin, name: &str) -> Option<PathBuf> {
    let directory = match origin {
        Origin::Directory(root) | Origin::Bundles(root) => root.clone(),
        Origin::File(path) | Origin::Converted(path) => path.parent()?.to_owned(),
        _ => return None,
    };
    Some(match directory.file_name() {
        Some(_) => directory.with_file_name(name),
        None => directory.join("..").join(name),
    })
}

/// Requests an effect for each open catalog, if there is one.
pub(in crate::tui) fn request_for_each_catalog(
    cx: &mut Context<'_>,
    effect: impl Fn(&ViewContext<'_>, &OpenCatalog) -> Option<Effect>,
) {
    let view_cx = cx.view();
    let effects: Vec<Effect> =
        view_cx.session.open_catalogs.iter().filter_map(|open| effect(&view_cx, open)).collect();
    for effect in effects {
        cx.request(effect);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn companion_file_is_next_to_catalog_and_never_in_it() {
        let at = |origin: Origin| {
            companion_path(&origin, "expectations.yaml").map(|path| path.display().to_string())
        };
        let directory = |path: &str| at(Origin::Directory(path.into()));
        assert_eq!(directory("catalogs/v4.22").as_deref(), Some("catalogs/expectations.yaml"));
        assert_eq!(directory("v4.22/").as_deref(), Some("expectations.yaml"));
        assert_eq!(directory(".").as_deref(), Some("./../expectations.yaml"));
        assert_eq!(directory("..").as_deref(), Some("../../expectations.yaml"));
        assert_eq!(at(Origin::File("c/v1/catalog.yaml".into())).as_deref(), Some("c/expectations.yaml"));
        assert_eq!(at(Origin::File("catalog.yaml".into())).as_deref(), Some("../expectations.yaml"));
        assert_eq!(at(Origin::Demo), None);
    }
}
