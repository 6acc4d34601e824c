//! Valid Kubernetes names.

use super::ResourceError;
use olm_upgrade::install_blockers::is_dns_label as is_subdomain;

/// The maximum length of a label in bytes (RFC 1123).
const MAX_LABEL_BYTES: usize = 63;

/// Derives an object name from a package name.
pub(super) fn name_from_package(package: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let label: String = package.chars().map(letter).take(MAX_LABEL_BYTES).collect();
    let label = label.trim_matches('-');
    if label.is_empty() { "operator".to_owned() } else { label.to_owned() }
}

/// Returns an error if the name is not a DNS-1123 subdomain.
pub(super) fn check_subdomain(field: &'static str, name: &str) -> Result<(), ResourceError> {
    if is_subdomain(name) { Ok(()) } else { Err(name_error(field, name, "DNS-1123 subdomain")) }
}

/// Returns an error if the name is not a DNS-1123 label.
pub(super) fn check_label(field: &'static str, name: &str) -> Result<(), ResourceError> {
    let is_label = is_subdomain(name) && !name.contains('.') && name.len() <= MAX_LABEL_BYTES;
    if is_label { Ok(()) } else { Err(name_error(field, name, "DNS-1123 label")) }
}

fn name_error(field: &'static str, name: &str, form: &'static str) -> ResourceError {
    ResourceError::Name { field, name: name.to_owned(), form }
}
