//! Where tests find real catalogs and the real programs' answers, which are no part of the repository.

use std::path::PathBuf;

/// The directory beside the repository, or the one that `OLMAP_CONFORMANCE` names; says so where there is none.
pub fn data() -> Option<PathBuf> {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let named = std::env::var_os("OLMAP_CONFORMANCE").map(PathBuf::from);
    let beside = ["../shared/conformance", "../../shared/conformance"].map(|path| here.join(path));
    let found = named.into_iter().chain(beside).find(|path| path.is_dir());
    if found.is_none() {
        eprintln!("skipped: no conformance data");
    }
    found
}
