//! Names that Kubernetes allows.

/// The longest label value and DNS label.
const MAX_LABEL: usize = 63;
/// The longest DNS subdomain.
const MAX_SUBDOMAIN: usize = 253;

/// Lower-case letters, digits and `-`, none of the last at an end.
fn is_label_text(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !text.is_empty() && text.bytes().all(is_allowed) && !text.starts_with('-') && !text.ends_with('-')
}

/// An RFC 1123 subdomain.
pub(in crate::bundle) fn is_subdomain(text: &str) -> bool {
    text.len() <= MAX_SUBDOMAIN && text.split('.').all(is_label_text)
}

/// An RFC 1035 label: begins with a letter.
pub(super) fn is_dns1035_label(text: &str) -> bool {
    text.len() <= MAX_LABEL && is_label_text(text) && text.starts_with(|c: char| c.is_ascii_lowercase())
}

/// The value of a label.
pub(super) fn is_label_value(text: &str) -> bool {
    text.len() <= MAX_LABEL && (text.is_empty() || is_qualified_part(text))
}

/// Letters, digits, `-`, `_` and `.`, a letter or digit at both ends.
fn is_qualified_part(text: &str) -> bool {
    let is_inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_end = |c: char| c.is_ascii_alphanumeric();
    text.chars().all(is_inner) && text.starts_with(is_end) && text.ends_with(is_end)
}

/// The key of a label or annotation: a name, with a subdomain and `/` before it if need be.
pub(super) fn is_qualified_name(text: &str) -> bool {
    let (prefix, name) = match text.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, text),
    };
    let is_named = !name.is_empty() && name.len() <= MAX_LABEL && is_qualified_part(name);
    is_named && prefix.is_none_or(is_subdomain)
}
