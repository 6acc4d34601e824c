//! Image references in the syntax of skopeo.

use std::path::{Path, PathBuf};

use super::{address::WebAddress, error::ImageError, name::ImageName};

/// A parsed image reference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ImageReference {
    /// `oci:DIR[:TAG]`: an OCI layout.
    Layout(PathBuf, Option<String>),
    /// `oci-archive:FILE[:TAG]`: an OCI layout in a tar.
    LayoutArchive(PathBuf, Option<String>),
    /// `docker-archive:FILE[:NAME:TAG]`: an archive of `docker save`.
    DockerArchive(PathBuf, Option<String>),
    /// `dir:DIR`: manifest and blobs in a folder.
    Folder(PathBuf),
    /// `docker://HOST/NAME:TAG`, with or without the prefix: an image in a registry.
    Registry(ImageName),
    /// `https://...`: a stream of JSON or YAML.
    Address(WebAddress),
}

impl ImageReference {
    /// Returns true if a text is an image reference: by its prefix, or by its form if there is no such file.
    pub fn is_reference(text: &str) -> bool {
        Self::parse(text).is_some()
    }

    /// Parses an image reference; `None` if the text is a path.
    pub fn parse(text: &str) -> Option<Result<Self, ImageError>> {
        if Path::new(text).exists() {
            return None;
        }
        let with_tag = |rest: &str| {
            let (path, tag) = path_and_tag(rest);
            if path.as_os_str().is_empty() { Err(without_path(text)) } else { Ok((path, tag)) }
        };
        if let Some(rest) = text.strip_prefix("oci:") {
            return Some(with_tag(rest).map(|(path, tag)| Self::Layout(path, tag)));
        }
        if let Some(rest) = text.strip_prefix("oci-archive:") {
            return Some(with_tag(rest).map(|(path, tag)| Self::LayoutArchive(path, tag)));
        }
        if let Some(rest) = text.strip_prefix("docker-archive:") {
            return Some(with_tag(rest).map(|(path, tag)| Self::DockerArchive(path, tag)));
        }
        if let Some(rest) = text.strip_prefix("dir:") {
            return Some(if rest.is_empty() {
                Err(without_path(text))
            } else {
                Ok(Self::Folder(rest.into()))
            });
        }
        if let Some(rest) = text.strip_prefix("docker://") {
            return Some(ImageName::parse(rest).map(Self::Registry));
        }
        if WebAddress::is_address(text) {
            return Some(WebAddress::parse(text).map(Self::Address));
        }
        for (prefix, hint) in [
            (
                "containers-storage:",
                "skopeo copy containers-storage:NAME oci-archive:FILE makes a file of it",
            ),
            ("docker-daemon:", "docker save -o FILE NAME, then docker-archive:FILE"),
        ] {
            if text.starts_with(prefix) {
                return Some(Err(ImageError::Reference {
                    reference: text.to_owned(),
                    why: "olmap does not reach into the storage of container engines",
                    hint: Some(hint.to_owned()),
                }));
            }
        }
        looks_like_reference(text).then(|| ImageName::parse(text).map(Self::Registry))
    }
}

fn without_path(reference: &str) -> ImageError {
    ImageError::Reference {
        reference: reference.to_owned(),
        why: "the path is missing",
        hint: Some(
            "oci:DIR[:TAG], oci-archive:FILE[:TAG], docker-archive:FILE[:NAME:TAG], dir:DIR".to_owned(),
        ),
    }
}

/// Splits a text at its first colon into path and tag. An existing path may contain colons.
fn path_and_tag(rest: &str) -> (PathBuf, Option<String>) {
    if Path::new(rest).exists() {
        return (rest.into(), None);
    }
    let colons = rest.match_indices(':').map(|(at, _)| at);
    let is_there = |at: &usize| rest.get(..*at).is_some_and(|path| Path::new(path).exists());
    let mut there = colons.clone().filter(is_there);
    match there.next().or_else(|| colons.clone().next()) {
        Some(at) => {
            let (path, tag) = rest.split_at(at);
            let tag = tag.trim_start_matches(':');
            (path.into(), (!tag.is_empty()).then(|| tag.to_owned()))
        }
        None => (rest.into(), None),
    }
}

/// Returns true for texts such as `HOST/NAME:TAG` or `NAME/NAME@DIGEST`, which are unusual for paths.
fn looks_like_reference(text: &str) -> bool {
    if text.starts_with(['.', '/', '~']) || text.contains("://") || text.contains('\\') {
        return false;
    }
    let Some((_, last)) = text.rsplit_once('/') else { return false };
    text.contains('@') && text.contains("sha") || last.contains(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_references_of_skopeo() {
        let of = |text: &str| ImageReference::parse(text).map(Result::ok).unwrap();
        assert_eq!(of("oci:a/b"), Some(ImageReference::Layout("a/b".into(), None)));
        assert_eq!(of("oci:a/b:v1"), Some(ImageReference::Layout("a/b".into(), Some("v1".into()))));
        assert_eq!(of("dir:a"), Some(ImageReference::Folder("a".into())));
        assert_eq!(
            of("docker-archive:a.tar:example.com/ns/cat:v1"),
            Some(ImageReference::DockerArchive("a.tar".into(), Some("example.com/ns/cat:v1".into())))
        );
        assert!(matches!(of("docker://example.com/ns/cat:v1"), Some(ImageReference::Registry(_))));
        assert!(matches!(of("example.com/ns/cat:v1"), Some(ImageReference::Registry(_))));
        for wrong in ["oci:", "dir:", "docker-archive::v1", "containers-storage:x", "ns/cat:v1", "docker://x"]
        {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn paths_are_not_references() {
        for path in
            ["Cargo.toml", "catalogs/v4.20", "./a/b:c", "/a/b:c", "git:HEAD:catalog", "-", "", "a.b/c/d.yaml"]
        {
            assert!(!ImageReference::is_reference(path), "{path}");
        }
    }
}
