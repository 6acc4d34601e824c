//! Formats of texts: names that Kubernetes allows, URLs as in Go's `net/url` (`ParseRequestURI`), and mail
//! addresses as in Go's `net/mail` (`ParseAddress`, RFC 5322).

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

/// Returns true for an RFC 1123 label.
pub(crate) fn is_dns1123_label(text: &str) -> bool {
    text.len() <= MAX_LABEL && is_label_text(text)
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

/// Returns true if a text is one address, with an optional name: `Ann <ann@example.com>`.
pub(super) fn is_address(text: &str) -> bool {
    let text = text.trim();
    if is_addr_spec(text) {
        return true;
    }
    let Some((name, rest)) =
        text.split_once('<').filter(|_| !text.starts_with('"')).or_else(|| split_quoted_name(text))
    else {
        return false;
    };
    let Some(address) = rest.strip_suffix('>') else { return false };
    is_phrase(name.trim()) && is_addr_spec(address)
}

/// Splits off a quoted name and the `<` after it.
fn split_quoted_name(text: &str) -> Option<(&str, &str)> {
    let end = quoted_string_end(text)?;
    let (name, rest) = text.split_at(end);
    Some((name, rest.trim_start().strip_prefix('<')?))
}

/// Returns the end of a quoted string at the beginning.
fn quoted_string_end(text: &str) -> Option<usize> {
    let mut escaped = false;
    let inside = text.strip_prefix('"')?;
    for (at, c) in inside.char_indices() {
        match c {
            '"' if !escaped => return Some(at + 2),
            '\n' | '\r' => return None,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    None
}

fn is_addr_spec(text: &str) -> bool {
    let (local, domain) = match quoted_string_end(text) {
        Some(end) => {
            let (local, rest) = text.split_at(end);
            match rest.strip_prefix('@') {
                // An empty quoted string is invalid.
                Some(domain) if local.len() > 2 => (None, domain),
                _ => return false,
            }
        }
        None => match text.split_once('@') {
            Some((local, domain)) => (Some(local), domain),
            None => return false,
        },
    };
    let is_domain = match domain.strip_prefix('[') {
        Some(literal) => literal.strip_suffix(']').is_some_and(is_ip_address),
        None => is_dot_atom(domain),
    };
    local.is_none_or(is_dot_atom) && is_domain
}

/// Returns true for four numbers with dots, or groups of hexadecimal digits with colons.
fn is_ip_address(text: &str) -> bool {
    let is_v4 = text.split('.').count() == 4 && text.split('.').all(|part| part.parse::<u8>().is_ok());
    let is_group = |part: &str| part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_v4 || (text.contains(':') && text.split(':').all(is_group))
}

/// Returns true for atoms separated by single dots.
fn is_dot_atom(text: &str) -> bool {
    text.split('.').all(is_atom)
}

fn is_atom(text: &str) -> bool {
    let is_allowed =
        |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c);
    !text.is_empty() && text.chars().all(is_allowed)
}

/// Returns true for a name before an address: words with optional dots, or a quoted string; may be empty.
fn is_phrase(text: &str) -> bool {
    quoted_string_end(text) == Some(text.len())
        || text.split_whitespace().all(|word| word.split('.').all(|atom| atom.is_empty() || is_atom(atom)))
}
/// Returns true if a text is an absolute URL, or an absolute path.
pub(super) fn is_request_uri(text: &str) -> bool {
    if text.is_empty() || text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return false;
    }
    if text == "*" {
        return true;
    }
    let Some((scheme, rest)) = split_scheme(text) else { return false };
    let rest = rest.split_once('?').map_or(rest, |(before, _)| before);
    if !rest.starts_with('/') {
        // A URL with a scheme and without a slash is opaque and valid.
        return scheme.is_some();
    }
    let authority = rest.strip_prefix("//").filter(|_| scheme.is_some());
    let path = match authority {
        Some(after) => {
            let end = after.find('/').unwrap_or(after.len());
            let (authority, path) = after.split_at(end);
            if !is_authority(authority) {
                return false;
            }
            path
        }
        None => rest,
    };
    has_valid_escapes(path)
}

/// Returns the scheme, if any, and the rest; `None` if the text begins with a colon.
fn split_scheme(text: &str) -> Option<(Option<&str>, &str)> {
    for (at, c) in text.char_indices() {
        match c {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if at > 0 => {}
            ':' if at == 0 => return None,
            ':' => return Some((text.get(..at), text.get(at + 1..).unwrap_or_default())),
            _ => break,
        }
    }
    Some((None, text))
}

fn is_authority(authority: &str) -> bool {
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, authority),
    };
    let is_user = |user: &str| {
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c);
        user.chars().all(is_allowed) && has_valid_escapes(user)
    };
    user.is_none_or(is_user) && is_host(host)
}

fn is_host(host: &str) -> bool {
    if let Some(inside) = host.strip_prefix('[') {
        let Some((address, port)) = inside.rsplit_once(']') else { return false };
        return is_port(port) && has_valid_host_characters(address);
    }
    let port = host.rfind(':').and_then(|at| host.get(at..)).unwrap_or_default();
    is_port(port) && has_valid_host_characters(host)
}

fn is_port(text: &str) -> bool {
    match text.strip_prefix(':') {
        Some(digits) => digits.bytes().all(|byte| byte.is_ascii_digit()),
        None => text.is_empty(),
    }
}

/// Returns true if all characters are valid in a host; escapes are valid only for non-ASCII bytes.
fn has_valid_host_characters(host: &str) -> bool {
    let is_allowed =
        |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || "-_.~!$&'()*+,;=:[]<>\"%".contains(c);
    let bytes = host.as_bytes();
    let escapes = memchr::memchr_iter(b'%', bytes).all(|at| match bytes.get(at + 1..at + 3) {
        Some([high, low]) => {
            high.is_ascii_hexdigit() && low.is_ascii_hexdigit() && !(b'0'..=b'7').contains(high)
        }
        _ => false,
    });
    host.chars().all(is_allowed) && escapes
}

/// Returns true if every `%` is followed by two hexadecimal digits.
fn has_valid_escapes(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'%', bytes)
        .all(|at| bytes.get(at + 1..at + 3).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)))
}

#[cfg(test)]
mod tests {
    use super::{is_address, is_request_uri};

    #[test]
    fn accepts_addresses_with_and_without_names() {
        for text in [
            "a@b",
            "Ann <ann@example.com>",
            "<a@b.c>",
            "\"A, B\" <a@b>",
            "\"a b\"@c",
            "a.b+c@d.e",
            " a@b ",
            "ü@b.c",
        ] {
            assert!(is_address(text), "{text}");
        }
        for text in
            ["", "not an email", "a.@b.c", "a@", "@b", "a@b.", "a@b c", "a@b, c@d", "Ann <a@b", "a..b@c"]
        {
            assert!(!is_address(text), "{text}");
        }
    }

    #[test]
    fn accepts_absolute_urls_and_paths() {
        for text in [
            "https://example.com",
            "https://user:pw@example.com:8080/a%20b?q=% x",
            "/path",
            "mailto:a@b.c",
            "http://[::1]:80/",
            "https://",
            "*",
        ] {
            assert!(is_request_uri(text), "{text}");
        }
        for text in [
            "",
            "example.com/x",
            "not a url",
            "://x",
            "https://a b/",
            "https://x/%zz",
            "http://[::1",
            "http://x:port/",
            "http://x/\n",
        ] {
            assert!(!is_request_uri(text), "{text}");
        }
    }
}
