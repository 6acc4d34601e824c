//! Names that Kubernetes allows.

/// Maximum length of label values and DNS labels.
const MAX_LABEL: usize = 63;
/// Maximum length of a DNS subdomain.
const MAX_SUBDOMAIN: usize = 253;

/// Returns true for lower-case letters, digits and `-`, without `-` at either end.
fn is_label_text(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !text.is_empty() && text.bytes().all(is_allowed) && !text.starts_with('-') && !text.ends_with('-')
}

/// Returns true for an RFC 1123 subdomain.
pub(crate) fn is_subdomain(text: &str) -> bool {
    text.len() <= MAX_SUBDOMAIN && text.split('.').all(is_label_text)
}

/// Returns true for an RFC 1035 label, which begins with a letter.
pub(super) fn is_dns1035_label(text: &str) -> bool {
    text.len() <= MAX_LABEL && is_label_text(text) && text.starts_with(|c: char| c.is_ascii_lowercase())
}

/// Returns true for a label value.
pub(super) fn is_label_value(text: &str) -> bool {
    text.len() <= MAX_LABEL && (text.is_empty() || is_qualified_part(text))
}

/// Returns true for letters, digits, `-`, `_` and `.`, with a letter or digit at both ends.
fn is_qualified_part(text: &str) -> bool {
    let is_inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_end = |c: char| c.is_ascii_alphanumeric();
    text.chars().all(is_inner) && text.starts_with(is_end) && text.ends_with(is_end)
}

/// Returns true for the key of a label or annotation: a name with an optional subdomain and `/`.
pub(super) fn is_qualified_name(text: &str) -> bool {
    let (prefix, name) = match text.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, text),
    };
    let is_named = !name.is_empty() && name.len() <= MAX_LABEL && is_qualified_part(name);
    is_named && prefix.is_none_or(is_subdomain)
}
