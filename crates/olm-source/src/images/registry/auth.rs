//! Authentication challenges (`WWW-Authenticate`) and token requests.
//!
//! Sources: distribution's `spec/auth/token.md` and `oauth.md`.

use super::credentials::Secret;

/// A challenge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Challenge {
    /// User and password with each request.
    Basic,
    /// A token from an address.
    Bearer {
        /// Address of the token service.
        realm: String,
        /// Name of the service.
        service: Option<String>,
        /// Requested permissions, if given.
        scope: Option<String>,
    },
}

impl Challenge {
    /// Parses the challenge in headers; prefers tokens over passwords. `None` if there is no known challenge.
    pub fn parse<'h>(headers: impl Iterator<Item = &'h str>) -> Option<Self> {
        let mut basic = None;
        for header in headers {
            let (scheme, rest) = header.trim().split_once(' ').unwrap_or((header.trim(), ""));
            if scheme.eq_ignore_ascii_case("basic") {
                basic = Some(Self::Basic);
            } else if scheme.eq_ignore_ascii_case("bearer") {
                let fields = parse_fields(rest);
                let field = |name: &str| {
                    fields
                        .iter()
                        .find(|(key, _)| key.eq_ignore_ascii_case(name))
                        .map(|(_, value)| value.clone())
                };
                if let Some(realm) = field("realm") {
                    return Some(Self::Bearer { realm, service: field("service"), scope: field("scope") });
                }
            }
        }
        basic
    }
}

/// Parses `name="value", name=value`. A quoted value may contain commas and escaped quotes.
fn parse_fields(text: &str) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    let mut rest = text.trim_start();
    while let Some((name, after)) = rest.split_once('=') {
        let name = name.trim_matches([' ', ',', '\t']).to_owned();
        let mut value = String::new();
        let after = after.trim_start();
        if let Some(quoted) = after.strip_prefix('"') {
            let mut characters = quoted.char_indices();
            let mut end = quoted.len();
            while let Some((at, c)) = characters.next() {
                match c {
                    '"' => {
                        end = at + 1;
                        break;
                    }
                    '\\' => value.extend(characters.next().map(|(_, c)| c)),
                    c => value.push(c),
                }
            }
            rest = quoted.get(end..).unwrap_or_default();
        } else {
            let end = after.find(',').unwrap_or(after.len());
            value.push_str(after[..end].trim());
            rest = &after[end..];
        }
        fields.push((name, value));
        rest = rest.trim_start_matches([' ', ',', '\t']);
    }
    fields
}

/// Returns the `Authorization` header for a secret.
pub fn authorization_header(secret: &Secret) -> Option<String> {
    use base64::Engine as _;
    match secret {
        Secret::Basic(user, password) => {
            let both = format!("{user}:{password}");
            Some(format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(both)))
        }
        Secret::Identity(_) => None,
    }
}

/// Encodes a text for a query.
pub fn percent_encode(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_challenges() {
        let of = |text: &str| Challenge::parse([text].into_iter());
        assert_eq!(of("Basic realm=\"x\""), Some(Challenge::Basic));
        let bearer = |realm: &str, service: Option<&str>, scope: Option<&str>| {
            let [service, scope] = [service, scope].map(|text| text.map(str::to_owned));
            Some(Challenge::Bearer { realm: realm.to_owned(), service, scope })
        };
        let whole = "bearer realm=\"https://a/t\",service=\"s\", scope=\"repository:a:pull,push\"";
        assert_eq!(of(whole), bearer("https://a/t", Some("s"), Some("repository:a:pull,push")));
        assert_eq!(of("Bearer realm=x , service=y"), bearer("x", Some("y"), None));
        assert_eq!(of("Bearer realm=\"a\\\"b"), bearer("a\"b", None, None));
        for none in ["", "Bearer", "Bearer service=x", "Negotiate", "Bearer =", "Bearer \"", "Bearer realm"] {
            assert_eq!(of(none), None, "{none}");
        }
        let both = ["Basic realm=x", "Bearer realm=y"];
        assert_eq!(Challenge::parse(both.into_iter()), bearer("y", None, None));
        assert_eq!(percent_encode("repository:a/b:pull ü"), "repository%3Aa%2Fb%3Apull%20%C3%BC");
    }
}
