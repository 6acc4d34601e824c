//! Which images oc-mirror can name.

use super::fault::BadImage;

/// Judges a reference as oc-mirror does when it collects images: it looks for a tag and a digest and at nothing else.
pub(super) fn judge(image: &str) -> Result<(), BadImage> {
    if image.is_empty() {
        return Err(BadImage::Empty);
    }
    let name = match image.split_once("://") {
        Some(("docker", name)) => name,
        Some(_) => return Err(BadImage::Layout),
        None => image,
    };
    if let Some((_, digest)) = name.split_once('@') {
        return is_digest(digest).then_some(()).ok_or(BadImage::Digest);
    }
    let last = name.rsplit('/').next().unwrap_or_default();
    let has_tag = last.split_once(':').is_some_and(|(_, tag)| !tag.is_empty());
    has_tag.then_some(()).ok_or(BadImage::Untagged)
}

/// An algorithm, and at least 32 hexadecimal digits.
fn is_digest(text: &str) -> bool {
    text.split_once(':').is_some_and(|(algorithm, digits)| {
        !algorithm.is_empty() && digits.len() >= 32 && digits.bytes().all(|b| b.is_ascii_hexdigit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_or_a_digest_is_needed_and_nothing_else() {
        let digest = "a".repeat(64);
        let cases = [
            ("x:1".to_owned(), Ok(())),
            ("docker://q.io/x:1".to_owned(), Ok(())),
            (format!("q.io/x@sha256:{digest}"), Ok(())),
            (format!("q.io/x:1@sha256:{digest}"), Ok(())),
            (String::new(), Err(BadImage::Empty)),
            ("oci:///x".to_owned(), Err(BadImage::Layout)),
            ("localhost:5000/x".to_owned(), Err(BadImage::Untagged)),
            ("q.io/x".to_owned(), Err(BadImage::Untagged)),
            ("q.io/x@sha256:abc".to_owned(), Err(BadImage::Digest)),
            ("q.io/x@".to_owned(), Err(BadImage::Digest)),
        ];
        for (image, expected) in cases {
            assert_eq!(judge(&image), expected, "{image}");
        }
    }
}
