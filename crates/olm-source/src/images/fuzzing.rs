//! Entry points for the fuzz targets: parsers of registry answers and registry configuration.

pub use super::registry::fuzzing::{challenge, credentials, policy, registries};

use super::{
    address::WebAddress,
    contents::Config,
    image::{ACCEPTED_TYPES, ManifestDocument, choose_entry},
};
use crate::Platform;

/// Parses a manifest or an index, with or without a declared type. Returns true if it is valid.
///
/// # Panics
///
/// If the chosen entry of an index is not one of its entries.
pub fn manifest(bytes: &[u8], declared: Option<usize>) -> bool {
    let declared = declared.map(|at| ACCEPTED_TYPES[at % ACCEPTED_TYPES.len()]);
    match ManifestDocument::parse(bytes, declared) {
        Ok(ManifestDocument::Index(entries)) => {
            if let Ok(chosen) = choose_entry(&entries, &Platform::for_this_machine()) {
                assert!(entries.contains(chosen));
            }
            true
        }
        Ok(ManifestDocument::Image(_)) => true,
        Err(error) => error.to_string().is_empty(),
    }
}

/// Parses the config of an image. Returns true if it identifies the contents.
pub fn config(bytes: &[u8]) -> bool {
    Config::parse(bytes, "").is_ok_and(|config| config.content_kind().is_ok())
}

/// Parses a web address and returns the file name of its content.
pub fn address(text: &str) -> Option<String> {
    Some(WebAddress::parse(text).ok()?.file_name(text.as_bytes()))
}
