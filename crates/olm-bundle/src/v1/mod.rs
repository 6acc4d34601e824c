//! Errors for which OLM v1 rejects a bundle.
//!
//! Source: operator-controller, `internal/operator-controller/rukpak/bundle/source` and
//! `.../render/registryv1`.

mod checks;
mod loaded;

pub use loaded::LoadedBundle;

use super::{suites::Verdict, tree::Tree};

/// Returns all errors of OLM v1 with default settings: a certificate provider, no configuration.
pub fn check_tree(tree: &Tree) -> Vec<Verdict> {
    match LoadedBundle::load_tree(tree) {
        Ok(loaded) => check_loaded_bundle(&loaded),
        Err((message, place)) => vec![Verdict::error("load", message, place)],
    }
}

/// Returns all errors of OLM v1 in a bundle that it loads.
pub fn check_loaded_bundle(bundle: &LoadedBundle<'_>) -> Vec<Verdict> {
    checks::run_checks(bundle)
}
