//! Names that Kubernetes takes.

use super::Refused;
use crate::upgrade::blocked::is_dns_label as is_subdomain;

/// The longest label, in bytes (RFC 1123).
const LONGEST_LABEL: usize = 63;

/// A name for an object that is to be called like a package.
pub(super) fn like(package: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let label: String = package.chars().map(letter).take(LONGEST_LABEL).collect();
    let label = label.trim_matches('-');
    if label.is_empty() { "operator".to_owned() } else { label.to_owned() }
}

/// Refuses what is no DNS-1123 subdomain.
pub(super) fn subdomain(field: &'static str, name: &str) -> Result<(), Refused> {
    if is_subdomain(name) { Ok(()) } else { Err(refused(field, name, "DNS-1123 subdomain")) }
}

/// Refuses what is no DNS-1123 label.
pub(super) fn label(field: &'static str, name: &str) -> Result<(), Refused> {
    let is_label = is_subdomain(name) && !name.contains('.') && name.len() <= LONGEST_LABEL;
    if is_label { Ok(()) } else { Err(refused(field, name, "DNS-1123 label")) }
}

fn refused(field: &'static str, name: &str, form: &'static str) -> Refused {
    Refused::Name { field, name: name.to_owned(), form }
}
