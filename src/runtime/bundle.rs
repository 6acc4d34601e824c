//! Reading the directory of a bundle that is looked into.

use std::sync::Arc;

use crate::{
    app::work::{Refusal, effect::SoughtBundle, outcome::BundleFound},
    bundle::{compare::Comparison, inside::Inside, registry::Contents},
    catalog::BundleHome,
    source::{bundles::find_directory, read_bundle_directory},
};

/// What is inside a bundle whose directory is there.
pub fn read(SoughtBundle { home, bundle, version }: &SoughtBundle) -> Result<Arc<BundleFound>, Refusal> {
    let directory = find_directory(home, bundle.as_str(), version).ok_or_else(|| {
        let folder = match home {
            BundleHome::Directory { path, .. } | BundleHome::Operator(path) => path,
        };
        Refusal::new(format!("no directory of {} has {bundle}", folder.display()))
    })?;
    let tree = read_bundle_directory(&directory).map_err(|error| Refusal::new(error.to_string()))?;
    let inside = Inside::of_directory(&Contents::read(&tree), &tree);
    Ok(Arc::new(BundleFound { directory, inside: Arc::new(inside) }))
}

/// What differs between two bundles whose directories are there.
pub fn compare([old, new]: &[SoughtBundle; 2]) -> Result<Arc<Comparison>, Refusal> {
    Ok(Arc::new(Comparison::between(&read(old)?.inside, &read(new)?.inside)))
}
