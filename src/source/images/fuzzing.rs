//! Readers of what registries say and of how they are configured, for the fuzz targets.

pub use super::registry::fuzzing::{challenge, credentials, policy, registries};

use super::{
    address::Address,
    labels::Config,
    manifest::{ACCEPTED, Document, choose},
    platform::Platform,
};

/// A manifest or an index, by its own word or by that of a registry; whether it is one.
pub fn manifest(bytes: &[u8], declared: Option<usize>) -> bool {
    let declared = declared.map(|at| ACCEPTED[at % ACCEPTED.len()]);
    match Document::read(bytes, declared) {
        Ok(Document::Index(entries)) => {
            if let Ok(chosen) = choose(&entries, &Platform::here()) {
                assert!(entries.contains(chosen));
            }
            true
        }
        Ok(Document::Image(_)) => true,
        Err(error) => error.to_string().is_empty(),
    }
}

/// The config of an image; whether it says what the image is.
pub fn config(bytes: &[u8]) -> bool {
    Config::read(bytes, "").is_ok_and(|config| config.meaning().is_ok())
}

/// A web address, and what the file behind it is called.
pub fn address(text: &str) -> Option<String> {
    Some(Address::parse(text).ok()?.file_name(text.as_bytes()))
}
