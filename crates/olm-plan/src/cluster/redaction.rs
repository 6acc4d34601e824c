//! Removal of secrets from texts. Messages of conditions quote registries and proxies, and a reference may
//! contain a password.

use olm_catalog::redact::redact;

/// Removes passwords and tokens from a text: `https://user:PASSWORD@host`, `user:PASSWORD@host/image`,
/// `Bearer TOKEN`, `Basic TOKEN`.
pub(super) fn redact_secrets(text: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut is_token = false;
    for word in text.split(' ') {
        if is_token && !word.is_empty() {
            words.push("***".to_owned());
            is_token = false;
            continue;
        }
        let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        is_token = is_token || bare.eq_ignore_ascii_case("bearer") || bare.eq_ignore_ascii_case("basic");
        words.push(redact(word).into_owned());
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_passwords_and_tokens_but_keeps_references() {
        let digest = format!("quay.io:443/a/b:v1@sha256:{}", "a".repeat(64));
        for (text, expected) in [
            ("GET https://user:secret@host/v2/: 401", "GET https://***@host/v2/: 401"),
            ("user:secret@quay.io/a/b:v1", "***@quay.io/a/b:v1"),
            ("sent Authorization: Bearer abc.def and more", "sent Authorization: Bearer *** and more"),
            ("\"Basic dXNlcg==\" was refused", "\"Basic *** was refused"),
            ("me@example.com", "me@example.com"),
            (&digest, &digest),
            ("nothing  here", "nothing  here"),
        ] {
            assert_eq!(redact_secrets(text), expected);
        }
    }
}
