//! Mail address check of Go: `net/mail`, `ParseAddress` (RFC 5322).

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

#[cfg(test)]
mod tests {
    use super::is_address;

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
}
