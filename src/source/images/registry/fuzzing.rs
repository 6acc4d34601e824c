//! The configuration of registries, for the fuzz targets.

use std::path::Path;

use super::{auth::Challenge, conf, credentials, policy};
use crate::source::images::name::Name;

/// Where `registries.conf` sends whoever asks for an image.
pub fn registries(text: &str, name: &Name) -> Option<Vec<Name>> {
    let endpoints = conf::of_text(text, Path::new("registries.conf"), name).ok()?;
    Some(endpoints.into_iter().map(|endpoint| endpoint.name).collect())
}

/// Whether `policy.json` lets an image in.
pub fn policy(text: &[u8], name: &Name) -> bool {
    policy::of_text(text, Path::new("policy.json"), name).is_ok()
}

/// Whether a file of credentials has some for an image. Helpers are programs, and are not run.
pub fn credentials(text: &[u8], name: &Name) -> bool {
    credentials::of_text(text, name).is_some()
}

/// What an answer of a registry asks of who asks.
pub fn challenge(headers: &[&str]) -> Option<String> {
    match Challenge::of(headers.iter().copied())? {
        Challenge::Basic => None,
        Challenge::Bearer { realm, service, scope } => {
            let parts = [Some(realm), service, scope];
            Some(parts.iter().flatten().map(|part| super::auth::encoded(part)).collect())
        }
    }
}
