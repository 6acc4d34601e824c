//! Names of images in registries, with the grammar of distribution, and image references in the syntax of
//! skopeo.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use super::{address::WebAddress, digest::Digest, error::ImageError};
use olm_catalog::redact::redact;

/// Maximum length of a name, in bytes.
const MAX_LENGTH: usize = 255;

/// Version of an image in a repository.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ImageVersion {
    /// A tag, whose image can change.
    Tag(String),
    /// A digest, which identifies one image.
    Digest(Digest),
}

impl fmt::Display for ImageVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tag(tag) => f.write_str(tag),
            Self::Digest(digest) => digest.fmt(f),
        }
    }
}

/// Name in the form `HOST[:PORT]/REPOSITORY:TAG` or `...@DIGEST`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ImageName {
    /// Host of the registry, with its port.
    pub host: String,
    /// Repository in the registry.
    pub repository: String,
    /// Tag or digest.
    pub version: ImageVersion,
}

impl fmt::Display for ImageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if matches!(self.version, ImageVersion::Tag(_)) { ':' } else { '@' };
        write!(f, "{}/{}{sign}{}", self.host, self.repository, self.version)
    }
}

impl ImageName {
    /// Returns the name that configuration files use for Docker Hub: `docker.io`, with `library/` before a
    /// single word.
    #[must_use]
    pub fn canonical(&self) -> Self {
        if !matches!(self.host.as_str(), "docker.io" | "index.docker.io") {
            return self.clone();
        }
        let prefix = if self.repository.contains('/') { "" } else { "library/" };
        let repository = format!("{prefix}{}", self.repository);
        Self { host: "docker.io".to_owned(), repository, version: self.version.clone() }
    }

    /// Parses a name. Does not add a default registry or tag.
    ///
    /// # Errors
    ///
    /// If a part of it is missing or malformed.
    pub fn parse(text: &str) -> Result<Self, ImageError> {
        let wrong =
            |why, hint: Option<String>| ImageError::Reference { reference: text.to_owned(), why, hint };
        if redact(text) != text {
            let hint = "leave out what stands before the @: olmap takes credentials from the files of podman and docker, \
                        which podman login HOST writes";
            return Err(wrong("it has credentials", Some(hint.to_owned())));
        }
        let (rest, digest) = match text.split_once('@') {
            Some((rest, digest)) => (rest, Some(digest)),
            None => (text, None),
        };
        let slash = rest.rfind('/').unwrap_or(0);
        let (name, tag) = match rest.get(slash..).and_then(|last| last.find(':')) {
            Some(colon) => (&rest[..slash + colon], Some(&rest[slash + colon + 1..])),
            None => (rest, None),
        };
        let is_host = |host: &str| host.contains(['.', ':']) || host == "localhost";
        let (host, repository) = match name.split_once('/') {
            Some((host, repository)) if is_host(host) => (host, repository),
            _ => {
                let hint = format!("its registry is missing; that of docker is docker.io/{text}");
                return Err(wrong("it does not begin with a registry", Some(hint)));
            }
        };
        if !is_host_with_port(host) {
            return Err(wrong("its registry is not the name of a host", None));
        }
        if repository.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return Err(wrong("names are written in lower case", Some(text.to_lowercase())));
        }
        if name.len() > MAX_LENGTH || !repository.split('/').all(is_component) {
            return Err(wrong("its name has characters that names have not", None));
        }
        let version = match (tag, digest) {
            (Some(_), Some(digest)) => {
                let hint = format!("the digest says it all: {host}/{repository}@{digest}");
                return Err(wrong("it has a tag and a digest", Some(hint)));
            }
            (None, None) => {
                let hint = format!("nothing is added to it: {host}/{repository}:TAG");
                return Err(wrong("it has neither a tag nor a digest", Some(hint)));
            }
            (Some(tag), None) if is_tag(tag) => ImageVersion::Tag(tag.to_owned()),
            (Some(_), None) => return Err(wrong("its tag has characters that tags have not", None)),
            (None, Some(digest)) => ImageVersion::Digest(
                digest.parse().map_err(|_| wrong("sha256: and 64 digits are missing behind its @", None))?,
            ),
        };
        Ok(Self { host: host.to_owned(), repository: repository.to_owned(), version })
    }
}

fn is_host_with_port(host: &str) -> bool {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => (name, Some(port)),
        _ => (host, None),
    };
    let is_name = |name: &str| {
        let is_label = |label: &str| {
            !label.is_empty()
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        };
        name.split('.').all(is_label)
    };
    let is_address = |name: &str| {
        let inner = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
        inner.is_some_and(|inner| inner.parse::<std::net::Ipv6Addr>().is_ok())
    };
    (is_name(name) || is_address(name)) && port.is_none_or(|port| port.parse::<u16>().is_ok())
}

/// Returns true for `[a-z0-9]+` parts separated by `.`, `_`, `__` or any number of `-`.
fn is_component(part: &str) -> bool {
    let is_letter = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let ends_well = |part: &str| part.as_bytes().first().is_some_and(&is_letter);
    let between =
        part.split(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit()).filter(|s| !s.is_empty());
    let is_separator = |text: &str| matches!(text, "." | "_" | "__") || text.bytes().all(|byte| byte == b'-');
    ends_well(part) && part.as_bytes().last().is_some_and(is_letter) && between.into_iter().all(is_separator)
}

fn is_tag(tag: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    tag.len() <= 128
        && tag.bytes().next().is_some_and(is_word)
        && tag.bytes().all(|byte| is_word(byte) || matches!(byte, b'.' | b'-'))
}

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
    fn names_of_docker_hub_are_canonical() {
        for (typed, canonical) in [
            ("docker.io/cat:v1", "docker.io/library/cat:v1"),
            ("index.docker.io/ns/cat:v1", "docker.io/ns/cat:v1"),
            ("example.com/cat:v1", "example.com/cat:v1"),
        ] {
            assert_eq!(ImageName::parse(typed).unwrap().canonical().to_string(), canonical);
        }
    }

    #[test]
    fn incomplete_names_are_refused() {
        let zeros = "0".repeat(64);
        for name in [
            "example.com/cat:v1",
            "127.0.0.1:5000/ns/cat:v1",
            "localhost/a__b/c.d-e:V_1.0-x",
            "[::1]:5000/a--b:x",
            &format!("example.com/ns/cat@sha256:{zeros}"),
        ] {
            assert_eq!(ImageName::parse(name).unwrap().to_string(), name);
        }
        for wrong in [
            "",
            "cat",
            "cat:v1",
            "ns/cat:v1",
            "example.com/ns/cat",
            "example.com/NS/cat:v1",
            "example.com/ns/cat:v 1",
            "example.com/ns/cat@sha256:12",
            "example.com//cat:v1",
            "example.com/ns/_cat:v1",
            "example.com/a._b:v1",
            "example.com:x/ns/cat:v1",
            "exa mple.com/ns/cat:v1",
            "example.com/ns/cat:",
            "example.com/ns/../cat:v1",
            "example.com/ns/ca%74:v1",
            &format!("example.com/ns/cat:v1@sha256:{zeros}"),
        ] {
            assert!(ImageName::parse(wrong).is_err(), "{wrong}");
        }
    }

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
