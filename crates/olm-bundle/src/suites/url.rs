//! URL check of Go: `net/url`, `ParseRequestURI`.

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
    use super::is_request_uri;

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
