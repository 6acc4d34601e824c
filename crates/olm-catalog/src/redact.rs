//! Redaction of secrets in image references and web addresses.
//!
//! All code that prints or stores a reference calls [`redact`]: messages, hints, catalog labels, names in the
//! cache.

use std::borrow::Cow;

/// Placeholder for a secret.
const HIDDEN: &str = "***";
/// Digest algorithms. After an `@` they begin a digest, so the text before it is not a password.
const ALGORITHMS: [&str; 3] = ["sha256:", "sha384:", "sha512:"];

/// Removes the credentials in image references (`user:password@host/name`) from a text. It also removes the
/// queries of web addresses, which contain the signatures of presigned URLs. The text may be a reference or a
/// sentence with references.
pub fn redact(text: &str) -> Cow<'_, str> {
    if !text.contains(['@', '?']) {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let begin = rest.find(|c| !is_separator(c)).unwrap_or(rest.len());
        let (separators, after) = rest.split_at(begin);
        let (token, after) = after.split_at(after.find(is_separator).unwrap_or(after.len()));
        out.push_str(separators);
        redact_token(token, &mut out);
        rest = after;
    }
    if out == text { Cow::Borrowed(text) } else { Cow::Owned(out) }
}

fn is_separator(c: char) -> bool {
    c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>')
}

/// Appends a word without its secrets.
fn redact_token(token: &str, out: &mut String) {
    let Some((before, rest)) = token.split_once("://") else {
        return redact_bare(token, out);
    };
    out.push_str(before);
    out.push_str("://");
    let is_web = ["http", "https"].iter().any(|scheme| {
        let at = before.len().checked_sub(scheme.len());
        at.and_then(|at| before.get(at..)).is_some_and(|end| end.eq_ignore_ascii_case(scheme))
    });
    if !is_web {
        return out.push_str(&without_user(rest, last_at(rest)));
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, _) = rest.split_at(end);
    let port = authority.rsplit_once(':').map_or("", |(_, port)| port);
    let is_cut = !authority.contains('@') && !authority.ends_with(']') && port.parse::<u16>().is_err();
    // A password may contain a slash, which would end the authority too early.
    let at = if is_cut && authority.contains(':') { last_at(rest) } else { authority.rfind('@') };
    let rest = without_user(rest, at);
    match rest.split_once('?') {
        Some((path, query)) if !query.is_empty() => {
            let end = query.trim_end_matches([')', ',', ';', ':', '.']).len();
            let sentence = query.get(end..).unwrap_or_default();
            out.push_str(path);
            out.push('?');
            out.push_str(HIDDEN);
            out.push_str(sentence);
        }
        _ => out.push_str(&rest),
    }
}

/// Appends a word without a scheme: `user:password@host/name`, `NAME=user:password@host/name`.
fn redact_bare(token: &str, out: &mut String) {
    let Some(at) = last_at(token) else { return out.push_str(token) };
    let (before, host) = token.split_at(at);
    let colon = before.find(':').unwrap_or(before.len());
    let begin = before.get(..colon).and_then(|name| name.rfind('=')).map_or(0, |equals| equals + 1);
    let name = before.get(begin..colon).unwrap_or_default();
    let is_drive =
        name.len() == 1 && before.get(colon + 1..).is_some_and(|path| path.starts_with(['/', '\\']));
    let is_user = colon < before.len() && !name.contains('/') && !is_drive;
    let is_mail = name.eq_ignore_ascii_case("mailto");
    let is_host =
        host.get(1..).is_some_and(|host| host.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '['));
    if is_user && is_host && !is_mail {
        out.push_str(before.get(..begin).unwrap_or_default());
        out.push_str(HIDDEN);
        out.push_str(host);
    } else {
        out.push_str(token);
    }
}

/// Returns the position of the last `@` that is not that of a digest.
fn last_at(text: &str) -> Option<usize> {
    let is_digest = |at: usize| {
        let digest = text.get(at + 1..).unwrap_or_default();
        ALGORITHMS.iter().any(|algorithm| digest.starts_with(algorithm))
    };
    text.rmatch_indices('@').map(|(at, _)| at).find(|at| !is_digest(*at))
}

fn without_user(rest: &str, at: Option<usize>) -> Cow<'_, str> {
    match at.and_then(|at| rest.get(at..)) {
        Some(host) => Cow::Owned(format!("{HIDDEN}{host}")),
        None => Cow::Borrowed(rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_and_queries_are_hidden() {
        for (text, shown) in [
            ("docker://user:pw@host:5000/ns/cat:v1", "docker://***@host:5000/ns/cat:v1"),
            ("docker://user:p@w/x@host/ns/cat:v1", "docker://***@host/ns/cat:v1"),
            ("docker://token@host/ns/cat:v1", "docker://***@host/ns/cat:v1"),
            ("user:pw@host/ns/cat:v1", "***@host/ns/cat:v1"),
            ("user:p=w@host/ns/cat", "***@host/ns/cat"),
            ("user:pw@host:5000", "***@host:5000"),
            ("user:p/w@host/ns/cat", "***@host/ns/cat"),
            ("main=user:pw@host/ns/cat:v1", "main=***@host/ns/cat:v1"),
            ("main=docker://user:pw@host/ns/cat:v1", "main=docker://***@host/ns/cat:v1"),
            ("user:pw@host/cat@sha256:00", "***@host/cat@sha256:00"),
            ("docker://user:pw@host/cat@sha256:00", "docker://***@host/cat@sha256:00"),
            ("user:pw@[::1]:5000/cat:v1", "***@[::1]:5000/cat:v1"),
            ("https://user:pw@host/x.json", "https://***@host/x.json"),
            ("https://user:p/w@host/x.json", "https://***@host/x.json"),
            ("HTTPS://user:pw@host/x.json?a=b", "HTTPS://***@host/x.json?***"),
            ("https://host/x.json?sig=a&b=c#top", "https://host/x.json?***"),
            ("https://host?sig=a", "https://host?***"),
            ("a: \"docker://user:pw@host/x:v1\" is not one", "a: \"docker://***@host/x:v1\" is not one"),
            ("https://host/x?sig=a: it has no host", "https://host/x?***: it has no host"),
        ] {
            assert_eq!(redact(text), shown, "{text}");
            assert_eq!(redact(&redact(text)), shown, "twice: {text}");
        }
    }

    #[test]
    fn other_text_stays() {
        for text in [
            "",
            "quay.io/ns/cat:v1@sha256:00",
            "docker://127.0.0.1:5000/ns/cat@sha512:00",
            "https://host:8443/@user/x",
            "https://[::1]/@user/x",
            "somebody@example.com",
            "mailto:somebody@example.com",
            "catalogs/a:b@c/d.yaml",
            "C:/a@b/c",
            "git:HEAD@{1}:catalog",
            "what is it?",
            "https://host/x?",
            "a@b",
            "@",
        ] {
            assert_eq!(redact(text), text);
        }
    }
}
