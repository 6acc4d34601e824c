//! Image references as oc-mirror reads them.

use super::BadImage;

/// Image reference, split as oc-mirror's `image.ParseRef` splits it: without a grammar for names
/// and tags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reference<'a> {
    /// Reference without its transport.
    text: &'a str,
    /// Name with the registry, without tag and digest.
    name: &'a str,
    /// Name without the registry.
    path: &'a str,
}

impl<'a> Reference<'a> {
    /// Parses a reference. A transport other than `docker://` needs neither tag nor digest.
    pub(super) fn parse(image: &'a str) -> Result<Self, BadImage> {
        let mut parts = image.split("://");
        let (transport, text) = match (parts.next(), parts.next(), parts.next()) {
            (Some(text), None, _) => ("docker", text),
            (Some(transport), Some(text), None) => (transport, text),
            _ => return Err(BadImage::Empty),
        };
        let is_docker = transport == "docker";
        let mut name = text;
        let mut is_pinned = false;
        let mut around_at = text.split('@');
        if let (Some(before), Some(digest)) = (around_at.next(), around_at.next()) {
            if !is_digest(digest) {
                return Err(BadImage::Digest);
            }
            is_pinned = true;
            name = before;
        }
        if is_docker && let Some((before, tag)) = name.rsplit_once(':') {
            // A colon before the first slash belongs to the port of the registry.
            let is_tag = name.find('/').is_none_or(|slash| slash > 0 && before.len() > slash);
            if is_tag {
                is_pinned |= !tag.is_empty();
                name = before;
            }
        }
        if name.is_empty() {
            return Err(BadImage::Empty);
        }
        if is_docker && !is_pinned {
            return Err(BadImage::Untagged);
        }
        let path = name.split_once('/').filter(|_| is_docker).map_or(name, |(_, path)| path);
        Ok(Self { text, name, path })
    }

    /// Returns the reference under which oc-mirror publishes a catalog. oc-mirror uses it to distinguish
    /// catalogs.
    pub(super) fn published_reference(&self, target_path: &str, target_tag: &str) -> String {
        let mut published =
            if target_tag.is_empty() { self.text.to_owned() } else { format!("{}:{target_tag}", self.name) };
        if !target_path.is_empty() {
            published = published.replacen(self.path, target_path, 1);
        }
        published
    }
}

/// Checks that oc-mirror can name a related image.
pub(super) fn check_image_reference(image: &str) -> Result<(), BadImage> {
    if image.contains("oci://") {
        return Err(BadImage::Layout);
    }
    Reference::parse(image).map(drop)
}

/// Returns true if a text is a valid `targetCatalog` path: lower-case components without tag and digest.
pub(super) fn is_target_path(text: &str) -> bool {
    let is_alphanumeric = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let is_component = |component: &str| {
        let mut words = component.split(is_separator);
        // Only a single dot, one or two underscores or dashes can separate words.
        let separators = component.split(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
        component.bytes().next().is_some_and(is_alphanumeric)
            && component.bytes().next_back().is_some_and(is_alphanumeric)
            && words.all(|word| word.bytes().all(is_alphanumeric))
            && separators.filter(|separator| !separator.is_empty()).all(|separator| {
                matches!(separator, "." | "_" | "__") || separator.bytes().all(|b| b == b'-')
            })
    };
    text.split('/').all(is_component)
}

fn is_separator(c: char) -> bool {
    matches!(c, '.' | '_' | '-')
}

/// Returns true if the digest library of registries accepts the digest.
fn is_digest(text: &str) -> bool {
    let Some((algorithm, digits)) = text.split_once(':') else { return false };
    let length = match algorithm {
        "sha256" => 64,
        "sha384" => 96,
        "sha512" => 128,
        _ => return false,
    };
    digits.len() == length && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_need_tag_or_digest() {
        let digest = "a".repeat(64);
        let cases = [
            ("x:1".to_owned(), Ok(())),
            ("docker://q.io/x:1".to_owned(), Ok(())),
            ("Not/A Name:1".to_owned(), Ok(())),
            ("a/b:c/d".to_owned(), Ok(())),
            ("http://q.io/x".to_owned(), Ok(())),
            (format!("q.io/x@sha256:{digest}"), Ok(())),
            (format!("q.io/x:1@sha256:{digest}"), Ok(())),
            (format!("q.io/x@sha512:{digest}{digest}"), Ok(())),
            (String::new(), Err(BadImage::Empty)),
            (":1".to_owned(), Err(BadImage::Empty)),
            ("a://b://c".to_owned(), Err(BadImage::Empty)),
            (format!("@sha256:{digest}"), Err(BadImage::Empty)),
            ("oci:///x".to_owned(), Err(BadImage::Layout)),
            ("localhost:5000/x".to_owned(), Err(BadImage::Untagged)),
            ("/x:1".to_owned(), Err(BadImage::Untagged)),
            ("q.io/x:".to_owned(), Err(BadImage::Untagged)),
            ("q.io/x".to_owned(), Err(BadImage::Untagged)),
            ("q.io/x@sha256:abc".to_owned(), Err(BadImage::Digest)),
            (format!("q.io/x@sha256:{}", "A".repeat(64)), Err(BadImage::Digest)),
            (format!("q.io/x@md5:{digest}"), Err(BadImage::Digest)),
            ("q.io/x@".to_owned(), Err(BadImage::Digest)),
        ];
        for (image, expected) in cases {
            assert_eq!(check_image_reference(&image), expected, "{image}");
        }
    }

    #[test]
    fn target_paths_are_lower_case_components() {
        for path in ["a", "a/b", "my-org/my_catalog", "a__b/c.d", "a---b", "0/1"] {
            assert!(is_target_path(path), "{path}");
        }
        for path in ["", "/", "a/", "/a", "A", "a:v1", "a@sha256:0", "a..b", "a___b", "a._b", "-a", "a-", "é"]
        {
            assert!(!is_target_path(path), "{path}");
        }
    }

    #[test]
    fn published_reference_uses_target_path_and_tag() {
        let published = |image, path, tag| Reference::parse(image).unwrap().published_reference(path, tag);
        assert_eq!(published("docker://q.io/ns/c:1", "", ""), "q.io/ns/c:1");
        assert_eq!(published("q.io/ns/c:1", "", "new"), "q.io/ns/c:new");
        assert_eq!(published("q.io/ns/c:1", "other", ""), "q.io/other:1");
        assert_eq!(published("oci:///dir", "other", "1"), "other:1");
    }
}
