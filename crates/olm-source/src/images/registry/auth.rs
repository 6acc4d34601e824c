//! Authentication challenges (`WWW-Authenticate`), token requests, and the origin to which secrets are bound.
//!
//! Sources: distribution's `spec/auth/token.md` and `oauth.md`.

use ureq::http::Uri;

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

/// Scheme, host and port of a web address. Addresses with the same origin are on the same host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WebOrigin {
    scheme: String,
    host: String,
    port: u16,
}

impl WebOrigin {
    /// Parses the origin of an address; `None` if it is not an `http` or `https` address.
    pub fn parse(url: &str) -> Option<Self> {
        let uri: Uri = url.parse().ok()?;
        let scheme = uri.scheme_str()?.to_ascii_lowercase();
        let usual = match scheme.as_str() {
            "https" => 443,
            "http" => 80,
            _ => return None,
        };
        let host = uri.host().filter(|host| !host.is_empty())?.to_ascii_lowercase();
        Some(Self { port: uri.port_u16().unwrap_or(usual), scheme, host })
    }

    /// Returns true if a realm is at least as safe as the registry that names it.
    pub fn is_as_safe_as(&self, registry: &Self) -> bool {
        self.scheme == "https" || registry.scheme == "http"
    }

    /// Returns the host with its port, for messages. Leaves out the path, which may contain a secret.
    pub fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }
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

    #[test]
    fn realm_without_tls_is_unsafe_for_registry_with_tls() {
        let is_safe = |realm: &str, registry: &str| {
            WebOrigin::parse(realm).unwrap().is_as_safe_as(&WebOrigin::parse(registry).unwrap())
        };
        assert!(is_safe("https://auth.example/token", "https://a.example"));
        assert!(is_safe("https://auth.example/token", "http://a.example"));
        assert!(is_safe("http://auth.example/token", "http://a.example"));
        assert!(!is_safe("http://a.example/token", "https://a.example"));
    }

    #[test]
    fn addresses_have_the_same_origin_if_scheme_host_and_port_are_the_same() {
        let is_same = |one: &str, other: &str| {
            let [one, other] = [one, other].map(WebOrigin::parse);
            one.is_some() && one == other
        };
        for (one, other) in [
            ("https://a.example/v2/", "https://a.example:443/x?y#z"),
            ("HTTP://A.example", "http://a.EXAMPLE:80/"),
            ("https://user:password@a.example/", "https://a.example/"),
            ("https://[::1]:5000/a", "https://[::1]:5000/b"),
        ] {
            assert!(is_same(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("https://a.example/", "http://a.example/"),
            ("https://a.example/", "https://a.example:8443/"),
            ("https://a.example/", "https://b.example/"),
            ("https://a.example/", "https://a.example.b.example/"),
            ("https://a.example/", "https://a.example@b.example/"),
            ("https://a.example./", "https://a.example/"),
            ("file:///a", "file:///a"),
            ("/a", "/a"),
            ("", ""),
        ] {
            assert!(!is_same(one, other), "{one} {other}");
        }
    }
}
