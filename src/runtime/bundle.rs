//! Reading the directory of a bundle that is looked into.

use std::{path::PathBuf, sync::Arc};

use crate::{
    app::work::{Refusal, effect::SoughtBundle, outcome::BundleFound},
    bundle::{compare::Comparison, inside::Inside, registry::Contents},
    catalog::BundleHome,
    review::{Judged, Snapshot},
    source::{
        Shelves,
        bundles::{find, find_directory},
        read_bundle_directory,
    },
    upgrade::safety::PackageSafety,
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

/// What is known of the steps of a package. A folder without bundles was refused when the program began.
pub fn judge_steps(judged: &Judged, snapshot: &Snapshot, folders: &[PathBuf]) -> Arc<PackageSafety> {
    let there: Vec<PathBuf> = folders.iter().filter(|path| find(path).is_some()).cloned().collect();
    let shelves = Shelves::new(&snapshot.catalog, &there);
    Arc::new(
        shelves.map_or_else(
            |_| PackageSafety::default(),
            |shelves| PackageSafety::judge(&judged.graph, &shelves),
        ),
    )
}
