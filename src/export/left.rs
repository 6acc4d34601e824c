//! Who is left without what they need, for programs.

use serde::Serialize;

use crate::{catalog::BundleName, review::LeftWithout};

/// Bundles of a package that are left without something (`docs/cli.md`).
#[derive(Debug, Serialize)]
pub struct Row<'a> {
    package: &'a str,
    bundles: Vec<&'a str>,
    needs: &'a str,
}

impl<'a> Row<'a> {
    /// The row of some bundles.
    pub fn of(left: &'a LeftWithout) -> Self {
        Self {
            package: left.package.as_str(),
            bundles: left.bundles.iter().map(BundleName::as_str).collect(),
            needs: &left.what,
        }
    }
}
