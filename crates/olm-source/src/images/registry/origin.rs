//! Origin of a web address, to which secrets are bound.

use ureq::http::Uri;

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
