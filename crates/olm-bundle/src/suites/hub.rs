//! Suites `operatorhub`, `operatorhubv2`, `standardcapabilities` and `standardcategories`.
//!
//! Source: `operator-framework/api`, `pkg/validation/internal/operatorhub*.go`, `standard*.go`.

use super::{Report, Settings, csv, loaded::LoadedBundle, removed};
use crate::field_access::{annotation_value, items_at, node_at, text_at};
use olm_version::Version;

/// Media types of an icon.
const MEDIA_TYPES: [&str; 4] = ["image/gif", "image/jpeg", "image/png", "image/svg+xml"];

/// Capability levels.
const CAPABILITIES: [&str; 5] =
    ["Basic Install", "Seamless Upgrades", "Full Lifecycle", "Deep Insights", "Auto Pilot"];

/// Categories of OperatorHub.
const CATEGORIES: [&str; 16] = [
    "AI/Machine Learning",
    "Application Runtime",
    "Big Data",
    "Cloud Provider",
    "Database",
    "Developer Tools",
    "Integration & Delivery",
    "Logging & Tracing",
    "Modernization & Migration",
    "Monitoring",
    "Networking",
    "Observability",
    "OpenShift Optional",
    "Security",
    "Storage",
    "Streaming & Messaging",
];

pub(super) fn check_operatorhub(bundle: &LoadedBundle, settings: &Settings, out: &mut Report) {
    check_provider(bundle, out);
    check_maintainers(bundle, out);
    check_links(bundle, out);
    check_version(bundle, out);
    check_icon(bundle, out);
    csv::check_min_kube_version(bundle, out);
    removed::check_removed_apis(bundle, settings, out);
}

pub(super) fn check_deprecated_operatorhub(bundle: &LoadedBundle, settings: &Settings, out: &mut Report) {
    check_operatorhub(bundle, settings, out);
    check_capabilities(bundle, out);
    check_categories(bundle, settings, out);
    out.set_kind("DeprecatedValidator").add_warning(
        "the suite `operatorhub` is deprecated: use operatorhubv2, standardcapabilities and standardcategories",
        None,
    );
}

fn check_provider(bundle: &LoadedBundle, out: &mut Report) {
    if text_at(bundle.csv_node(), &["spec", "provider", "name"]).trim().is_empty() {
        out.add_error("there is no provider's name", bundle.csv_location(&["spec", "provider"]));
    }
}

fn check_maintainers(bundle: &LoadedBundle, out: &mut Report) {
    for maintainer in items_at(bundle.csv_node(), &["spec", "maintainers"]) {
        let (name, email) = (text_at(maintainer, &["name"]), text_at(maintainer, &["email"]));
        let place = || Some(bundle.csv().location(maintainer.span));
        if name.is_empty() || email.is_empty() {
            out.add_error("a maintainer needs a name and an email", place());
        }
        if !email.is_empty() && !is_address(&email) {
            out.add_error(format!("the maintainer's email `{email}` is no address"), place());
        }
    }
}

fn check_links(bundle: &LoadedBundle, out: &mut Report) {
    for link in items_at(bundle.csv_node(), &["spec", "links"]) {
        let (name, url) = (text_at(link, &["name"]), text_at(link, &["url"]));
        let place = || Some(bundle.csv().location(link.span));
        if name.is_empty() || url.is_empty() {
            out.add_error("a link needs a name and a url", place());
        }
        if !url.is_empty() && !is_request_uri(&url) {
            out.add_error(format!("the link `{url}` is no absolute URL"), place());
        }
    }
}

fn check_version(bundle: &LoadedBundle, out: &mut Report) {
    let given = text_at(bundle.csv_node(), &["spec", "version"]);
    let is_zero = Version::parse_tolerant(&given).map_or(true, |version| version == Version::new(0, 0, 0));
    if is_zero {
        out.add_error("spec.version must be set", bundle.csv_location(&["spec", "version"]));
    }
}

fn check_icon(bundle: &LoadedBundle, out: &mut Report) {
    let place = || bundle.csv_location(&["spec", "icon"]);
    let Some(icons) = node_at(bundle.csv_node(), &["spec", "icon"]) else {
        out.add_warning("there is no icon", place());
        return;
    };
    if icons.items().len() != 1 {
        out.add_error("there must be one icon", place());
    }
    let Some(icon) = icons.items().first() else { return };
    let (data, media_type) = (text_at(icon, &["base64data"]), text_at(icon, &["mediatype"]));
    if data.is_empty() || media_type.is_empty() {
        out.add_error("an icon needs base64data and a mediatype", place());
    }
    if !media_type.is_empty() && !MEDIA_TYPES.contains(&media_type.as_ref()) {
        let message = format!("the icon's mediatype `{media_type}` is none of {}", MEDIA_TYPES.join(", "));
        out.add_error(message, place());
    }
}

pub(super) fn check_capabilities(bundle: &LoadedBundle, out: &mut Report) {
    let Some(level) = annotation_value(bundle.csv_node(), "capabilities") else { return };
    if !CAPABILITIES.contains(&level.as_ref()) {
        let message = format!("capabilities `{level}` is none of {}", CAPABILITIES.join(", "));
        out.add_error(message, bundle.csv_location(&["metadata", "annotations", "capabilities"]));
    }
}

pub(super) fn check_categories(bundle: &LoadedBundle, settings: &Settings, out: &mut Report) {
    let Some(categories) = annotation_value(bundle.csv_node(), "categories") else { return };
    let is_known = |category: &str| match &settings.categories {
        Some(known) => known.iter().any(|known| known == category),
        None => CATEGORIES.contains(&category),
    };
    for category in categories.split(',').map(str::trim).filter(|category| !is_known(category)) {
        let message = format!("category `{category}` is no standard category");
        out.add_error(message, bundle.csv_location(&["metadata", "annotations", "categories"]));
    }
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

    mod url {
        use super::super::is_request_uri;

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
}
