//! Entry points for the fuzz targets: registry configuration.

use std::path::Path;

use super::{auth::Challenge, configuration, credentials};
use crate::images::name::ImageName;

/// Returns the locations of an image according to `registries.conf`.
pub fn registries(text: &str, name: &ImageName) -> Option<Vec<ImageName>> {
    let endpoints = configuration::parse_endpoints(text, Path::new("registries.conf"), name).ok()?;
    Some(endpoints.into_iter().map(|endpoint| endpoint.name).collect())
}

/// Returns true if `policy.json` accepts an image.
pub fn policy(text: &[u8], name: &ImageName) -> bool {
    configuration::check_policy_text(text, Path::new("policy.json"), name).is_ok()
}

/// Returns true if a credentials file has an entry for an image. Helpers are programs, and do not run.
pub fn credentials(text: &[u8], name: &ImageName) -> bool {
    credentials::of_text(text, name).is_some()
}

/// Parses a challenge and returns its encoded fields.
pub fn challenge(headers: &[&str]) -> Option<String> {
    match Challenge::parse(headers.iter().copied())? {
        Challenge::Basic => None,
        Challenge::Bearer { realm, service, scope } => {
            let parts = [Some(realm), service, scope];
            Some(parts.iter().flatten().map(|part| super::auth::percent_encode(part)).collect())
        }
    }
}
