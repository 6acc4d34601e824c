//! Reading the directory of a bundle that is looked into.

use std::sync::Arc;

use crate::{
    app::work::{Refusal, outcome::BundleFound},
    bundle::{inside::Inside, registry::Contents},
    catalog::BundleHome,
    source::{bundles::find_directory, read_bundle_directory},
};

/// What is inside a bundle whose directory is there.
pub fn read(home: &BundleHome, bundle: &str, version: &str) -> Result<Arc<BundleFound>, Refusal> {
    let directory = find_directory(home, bundle, version).ok_or_else(|| {
        let folder = match home {
            BundleHome::Directory { path, .. } | BundleHome::Operator(path) => path,
        };
        Refusal::new(format!("no directory of {} has {bundle}", folder.display()))
    })?;
    let tree = read_bundle_directory(&directory).map_err(|error| Refusal::new(error.to_string()))?;
    let inside = Inside::of_directory(&Contents::read(&tree), &tree);
    Ok(Arc::new(BundleFound { directory, inside: Arc::new(inside) }))
}
