//! Container image references such as `quay.io/ns/img:v1`, validated like opm does.
//!
//! The grammar is that of Docker references in the older form of containers/image: no bracketed IPv6 hosts, and
//! at most 255 characters for the name with its host. A name without a host belongs to `docker.io`, and to
//! `library` there if it has only one part.

use thiserror::Error;

/// Maximum length in bytes of a name, including the default host.
const MAX_NAME_LEN: usize = 255;
/// Maximum length of a tag.
const MAX_TAG_LEN: usize = 128;
const DEFAULT_HOST: &str = "docker.io";
/// Number of hexadecimal digits of a SHA-256 digest.
const ID_LEN: usize = 64;

/// A valid image reference.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ImageRef {
    repository: String,
    host_len: usize,
    tag: Option<String>,
    digest: Option<String>,
}

/// Error of an invalid image reference.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum ImageRefError {
    /// The text is empty.
    #[error("the image reference is empty")]
    Empty,
    /// Exactly 64 hexadecimal digits, which are an image ID and not a name.
    #[error("64 hexadecimal digits are an image ID, not a name")]
    BareId,
    /// An upper case letter outside the host, the tag and the digest.
    #[error("the repository `{0}` must be lower case")]
    Uppercase(String),
    /// A bracketed IPv6 address as host.
    #[error("`{0}`: an IPv6 address is not supported as the host of an image")]
    BracketedHost(String),
    /// An invalid host.
    #[error("`{0}` is not a valid registry host")]
    Host(String),
    /// An invalid or empty part of the repository between slashes.
    #[error(
        "`{0}` is not a valid part of a repository: lower case letters and digits, separated by `.`, `_`, \
         `__` or dashes"
    )]
    Component(String),
    /// The name is too long.
    #[error("the repository, with its host, has {0} characters; the limit is {MAX_NAME_LEN}")]
    TooLong(usize),
    /// An invalid tag.
    #[error(
        "`{0}` is not a valid tag: letters, digits, `_`, after the first also `.` and `-`; at most \
         {MAX_TAG_LEN}"
    )]
    Tag(String),
    /// A digest with an algorithm that opm does not know.
    #[error("`{0}` is not a known digest algorithm: sha256, sha384, sha512")]
    Algorithm(String),
    /// A digest with a wrong length, or with characters other than lower case hexadecimal digits.
    #[error("`{0}` is not a valid digest: {1} lower case hexadecimal digits")]
    Digest(String, usize),
}

impl ImageRef {
    /// Returns the full name with its host, without tag and digest: `docker.io/library/busybox` for
    /// `busybox:1`.
    pub fn repository(&self) -> &str {
        &self.repository
    }

    /// Returns the registry host with its port.
    pub fn host(&self) -> &str {
        self.repository.get(..self.host_len).unwrap_or_default()
    }

    /// Returns the tag, if any.
    pub fn tag(&self) -> Option<&str> {
        self.tag.as_deref()
    }

    /// Returns the digest with its algorithm (`sha256:...`), if any.
    pub fn digest(&self) -> Option<&str> {
        self.digest.as_deref()
    }

    /// Returns true if the image is pinned by a digest, so that its content cannot change.
    pub fn is_pinned(&self) -> bool {
        self.digest.is_some()
    }
}

/// Parses a reference. An empty reference is an error here, although opm skips it.
pub fn parse_image_ref(reference: &str) -> Result<ImageRef, ImageRefError> {
    if reference.is_empty() {
        return Err(ImageRefError::Empty);
    }
    if reference.len() == ID_LEN && is_lower_hex(reference) {
        return Err(ImageRefError::BareId);
    }
    let (host, rest) = split_host(reference);
    let named = rest.split_once(':').map_or(rest, |(name, _)| name);
    if named.bytes().any(|b| b.is_ascii_uppercase()) {
        return Err(ImageRefError::Uppercase(named.to_owned()));
    }
    // Tags and digests do not contain a slash, so they are after the last one.
    let last = rest.rfind('/').map_or(0, |at| at + 1);
    let end = rest.get(last..).unwrap_or_default().find([':', '@']).map_or(rest.len(), |at| last + at);
    let (path, rest) = rest.split_at_checked(end).unwrap_or((rest, ""));
    if !is_host(host) && !is_component(host) {
        let bracketed = host.starts_with('[');
        let error = if bracketed { ImageRefError::BracketedHost } else { ImageRefError::Host };
        return Err(error(host.to_owned()));
    }
    for component in path.split('/') {
        if !is_component(component) {
            return Err(ImageRefError::Component(component.to_owned()));
        }
    }
    let library = if host == DEFAULT_HOST && !path.contains('/') { "library/" } else { "" };
    let repository = format!("{host}/{library}{path}");
    if repository.len() > MAX_NAME_LEN {
        return Err(ImageRefError::TooLong(repository.len()));
    }
    let (tag, digest) = match rest.split_once('@') {
        Some((tag, digest)) => (tag, Some(digest)),
        None => (rest, None),
    };
    let tag = tag.strip_prefix(':');
    if let Some(tag) = tag.filter(|tag| !is_tag(tag)) {
        return Err(ImageRefError::Tag(tag.to_owned()));
    }
    if let Some(digest) = digest {
        check_digest(digest)?;
    }
    let owned = |text: Option<&str>| text.map(str::to_owned);
    Ok(ImageRef { repository, host_len: host.len(), tag: owned(tag), digest: owned(digest) })
}

/// Splits off the host. Text before the first slash is a host only if it looks like one.
fn split_host(reference: &str) -> (&str, &str) {
    match reference.split_once('/') {
        Some(("index.docker.io", rest)) => (DEFAULT_HOST, rest),
        Some((host, rest)) if host.contains(['.', ':']) || host == "localhost" => (host, rest),
        _ => (DEFAULT_HOST, reference),
    }
}

/// Returns true for letters, digits and inner hyphens between dots, with an optional port.
fn is_host(text: &str) -> bool {
    let (name, port) = text.split_once(':').unwrap_or((text, "0"));
    let is_label = |label: &str| {
        label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    name.split('.').all(is_label) && !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit())
}

/// Returns true for lower case letters and digits, separated by one dot, one or two underscores or any number
/// of dashes.
fn is_component(text: &str) -> bool {
    let is_word = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let mut separator = Separator::Start;
    for byte in text.bytes() {
        separator = match (separator, byte) {
            (_, b) if is_word(b) => Separator::None,
            (Separator::None, b'.') | (Separator::Underscore, b'_') => Separator::Full,
            (Separator::None, b'_') => Separator::Underscore,
            (Separator::None | Separator::Dashes, b'-') => Separator::Dashes,
            _ => return false,
        };
    }
    matches!(separator, Separator::None)
}

/// Separator characters since the last letter or digit of a component.
enum Separator {
    Start,
    None,
    Underscore,
    Dashes,
    /// Only a letter or digit may follow.
    Full,
}

fn is_tag(text: &str) -> bool {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    text.len() <= MAX_TAG_LEN
        && text.bytes().next().is_some_and(is_word)
        && text.bytes().all(|b| is_word(b) || matches!(b, b'.' | b'-'))
}

fn check_digest(digest: &str) -> Result<(), ImageRefError> {
    let (algorithm, encoded) = digest.split_once(':').unwrap_or((digest, ""));
    let length = match algorithm {
        "sha256" => 64,
        "sha384" => 96,
        "sha512" => 128,
        _ => return Err(ImageRefError::Algorithm(algorithm.to_owned())),
    };
    if encoded.len() == length && is_lower_hex(encoded) {
        Ok(())
    } else {
        Err(ImageRefError::Digest(digest.to_owned(), length))
    }
}

fn is_lower_hex(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    fn hex_digits(length: usize) -> String {
        "0123456789abcdef".chars().cycle().take(length).collect()
    }

    #[test]
    fn splits_valid_references_into_parts() {
        let digest = format!("sha256:{}", hex_digits(64));
        let cases = [
            ("busybox", "docker.io/library/busybox", None),
            ("busybox:1.2", "docker.io/library/busybox", Some("1.2")),
            ("ns/img", "docker.io/ns/img", None),
            ("index.docker.io/img", "docker.io/library/img", None),
            ("docker.io/a/b/c:latest", "docker.io/a/b/c", Some("latest")),
            ("localhost/img", "localhost/img", None),
            ("localhost:5000/img:v1", "localhost:5000/img", Some("v1")),
            ("Reg-1.Example:80/a__b/c-----d/e.f:_x.-", "Reg-1.Example:80/a__b/c-----d/e.f", Some("_x.-")),
            // Not a host, but a name with a dot is equally valid.
            ("a_b.c/img", "a_b.c/img", None),
        ];
        for (text, repository, tag) in cases {
            let image = parse_image_ref(text).unwrap();
            assert_eq!((image.repository(), image.tag(), image.digest()), (repository, tag, None), "{text}");
            let image = parse_image_ref(&format!("{text}@{digest}")).unwrap();
            assert_eq!((image.repository(), image.tag()), (repository, tag), "{text} with digest");
            assert_eq!(image.digest(), Some(&*digest));
            assert!(image.is_pinned());
        }
        assert_eq!(parse_image_ref("r.io:5/a/b").unwrap().host(), "r.io:5");
    }

    #[test]
    fn rejects_invalid_references_with_reason() {
        use ImageRefError as E;
        let of = |text: &str| text.to_owned();
        let cases = [
            (of(""), E::Empty),
            (hex_digits(64), E::BareId),
            (of("IMG"), E::Uppercase(of("IMG"))),
            (of("Ns/img"), E::Uppercase(of("Ns/img"))),
            (of("q.io/Ns/img:T"), E::Uppercase(of("Ns/img"))),
            (of("[::1]:5000/img"), E::BracketedHost(of("[::1]:5000"))),
            (of("q.io:port/img"), E::Host(of("q.io:port"))),
            (of("q.io:/img"), E::Host(of("q.io:"))),
            (of("-q.io/img"), E::Host(of("-q.io"))),
            (of("img/"), E::Component(of(""))),
            (of("/img"), E::Component(of(""))),
            (of("q.io//img"), E::Component(of(""))),
            (of("a___b/img"), E::Component(of("a___b"))),
            (of("a.-b"), E::Component(of("a.-b"))),
            (of("a..b"), E::Component(of("a..b"))),
            (of("ns_/img"), E::Component(of("ns_"))),
            (of("-img"), E::Component(of("-img"))),
            (of("a b"), E::Component(of("a b"))),
            (of("im\u{e9}"), E::Component(of("im\u{e9}"))),
            (of("img:"), E::Tag(of(""))),
            (of("img:a:b"), E::Tag(of("a:b"))),
            (of("img:-x"), E::Tag(of("-x"))),
            (of("img:v1+b"), E::Tag(of("v1+b"))),
            (of("img@"), E::Algorithm(of(""))),
            (of("img@md5:00"), E::Algorithm(of("md5"))),
            (of("img@sha256:00"), E::Digest(of("sha256:00"), 64)),
            (format!("img:t@sha256:{}", "A".repeat(64)), E::Digest(format!("sha256:{}", "A".repeat(64)), 64)),
            (of("img@sha512"), E::Digest(of("sha512"), 128)),
        ];
        for (text, error) in cases {
            assert_eq!(parse_image_ref(&text), Err(error), "{text}");
        }
    }

    #[test]
    fn length_limit_includes_default_host() {
        let name = |len: usize| "a".repeat(len);
        assert!(parse_image_ref(&format!("q.io/{}", name(250))).is_ok());
        assert_eq!(parse_image_ref(&format!("q.io/{}", name(251))), Err(ImageRefError::TooLong(256)));
        assert!(parse_image_ref(&name(237)).is_ok());
        assert_eq!(parse_image_ref(&name(238)), Err(ImageRefError::TooLong(256)));
        assert!(parse_image_ref(&format!("img:{}", name(128))).is_ok());
        assert!(parse_image_ref(&format!("img:{}", name(129))).is_err());
        for (algorithm, length) in [("sha256", 64), ("sha384", 96), ("sha512", 128)] {
            assert!(parse_image_ref(&format!("img@{algorithm}:{}", hex_digits(length))).is_ok());
            assert!(parse_image_ref(&format!("img@{algorithm}:{}", hex_digits(length - 1))).is_err());
        }
    }

    /// Every `image:` line of the valid cases passes; every reference that opm names as invalid fails.
    #[test]
    fn validates_references_like_opm() {
        let Some(rows) = olmap_testing::load_json_lines("validate/expected.jsonl") else { return };
        let Some(cases) = olmap_testing::find_data("validate/cases") else { return };
        let (mut valid, mut invalid) = (0, 0);
        for row in rows {
            let message = row["opm"].as_str().unwrap();
            let message: String = serde_json::from_str(message).unwrap_or_default();
            if let Some((_, rest)) = message.split_once("invalid image pull spec \"") {
                let reference = rest.split('"').next().unwrap();
                assert!(parse_image_ref(reference).is_err(), "{reference}");
                invalid += 1;
            }
            let catalog = cases.join(row["case"].as_str().unwrap()).join("catalog.yaml");
            let text = fs::read_to_string(catalog).unwrap_or_default();
            for line in text.lines().filter(|_| row["valid"] == true) {
                let line = line.trim_start().trim_start_matches("- ");
                let plain = line.strip_prefix("image: ").filter(|text| !text.starts_with(['\'', '"']));
                if let Some(reference) = plain.filter(|text| !matches!(*text, "null" | "~")) {
                    assert!(parse_image_ref(reference).is_ok(), "{reference} of {}", row["case"]);
                    valid += 1;
                }
            }
        }
        assert!(valid > 0 && invalid > 0, "{valid} valid and {invalid} invalid references found");
    }

    proptest! {
        #[test]
        fn valid_reference_stays_valid_when_formatted(text in "[a-zA-Z0-9._:@/\\[é-]{0,40}|.{0,40}") {
            if let Ok(image) = parse_image_ref(&text) {
                let mut again = image.repository().to_owned();
                for (mark, part) in [(":", image.tag()), ("@", image.digest())] {
                    if let Some(part) = part {
                        again = again + mark + part;
                    }
                }
                prop_assert_eq!(parse_image_ref(&again), Ok(image));
            }
        }
    }
}
