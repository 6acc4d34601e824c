//! Errors of opening and writing images, with hints.

use std::{fmt, io, path::PathBuf, time::Duration};

use super::digest::Digest;
use crate::Platform;
use olm_catalog::{load::LoadError, redact::redact};

/// Error of opening or writing an image. Messages never contain secrets.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// The text is not an image reference.
    #[error("{:?} is not a reference of an image: {why}", redact(reference))]
    Reference {
        /// Reference as typed.
        reference: String,
        /// Reason.
        why: &'static str,
        /// Suggested input.
        hint: Option<String>,
    },
    /// A file of a layout or an archive cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A new image cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    NotWritten {
        /// Path of the image.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A new image would become a part of the catalog that it is made from.
    #[error("opm would read {} as a part of the catalog", .0.display())]
    InCatalog(PathBuf),
    /// Content of a layout, an archive or a repository is missing.
    #[error("{place}: {what} is missing")]
    Missing {
        /// Name of the layout, the archive or the repository.
        place: String,
        /// Missing content.
        what: String,
    },
    /// There are several images, or none, and the reference does not select one.
    #[error("{}", which_image_message(place, *count, names))]
    WhichImage {
        /// Name of the layout or the archive.
        place: String,
        /// Number of images.
        count: usize,
        /// Names of the named images.
        names: Vec<String>,
    },
    /// A manifest, an index or a config is malformed.
    #[error("the {what} of the image cannot be read: {why}")]
    Malformed {
        /// `manifest`, `index`, `config`.
        what: &'static str,
        /// Reason.
        why: String,
    },
    /// The content does not match its digest.
    #[error("wrong digest: {expected} was asked for, and what came is {found}")]
    WrongDigest {
        /// Expected digest.
        expected: Digest,
        /// Digest of the content.
        found: Digest,
    },
    /// The content is shorter or longer than its descriptor declares.
    #[error("{what} {digest} has {found}, and {declared} bytes are declared")]
    WrongSize {
        /// `layer`, `config`, `manifest`.
        what: &'static str,
        /// Digest of the content.
        digest: Digest,
        /// Size in the descriptor.
        declared: u64,
        /// Size of the content, as far as it was read.
        found: FoundSize,
    },
    /// The size in a descriptor is missing or is not a number of bytes.
    #[error("the size of {what} {digest} is missing or is not a number of bytes")]
    NoSize {
        /// `layer`, `config`, `manifest`.
        what: &'static str,
        /// Digest of the content.
        digest: Digest,
    },
    /// The transfer exceeded the total time limit.
    #[error("it was given up after {} seconds", .0.as_secs())]
    TooSlow(Duration),
    /// An index does not have an image for the platform.
    #[error("the image is not there for {platform}; there is: {}", none_or(there))]
    NoPlatform {
        /// Requested platform.
        platform: Platform,
        /// Platforms in the index.
        there: Vec<String>,
    },
    /// The labels of the image identify neither a catalog nor a bundle.
    #[error("neither a catalog nor a bundle: the image has {}", list_labels(labels))]
    NotOurs {
        /// Names of the labels.
        labels: Vec<String>,
    },
    /// The folder that a label names does not exist.
    #[error("the label {label} says {folder:?}, and in the image {why}")]
    Root {
        /// Name of the label.
        label: &'static str,
        /// Value of the label.
        folder: String,
        /// Reason.
        why: &'static str,
    },
    /// A layer cannot be unpacked.
    #[error("layer {number} of the image cannot be unpacked: {why}")]
    Layer {
        /// Number of the layer, from 1.
        number: usize,
        /// Reason.
        why: String,
    },
    /// The image is larger than any catalog.
    #[error("reading it was stopped: {0}")]
    TooMuch(String),
    /// The image is a catalog, and a bundle is expected.
    #[error("the image is not a bundle, but a catalog")]
    NotABundle,
    /// opm rejects the bundle.
    #[error("opm rejects the bundle in the image: {0}")]
    Bundle(String),
    /// The SQLite index in the image cannot be converted.
    #[error("the SQLite index in the image, {path}: {reason}")]
    Sqlite {
        /// Path in the image.
        path: String,
        /// Reason.
        reason: String,
    },
    /// The registry, or the server of an address, is unreachable.
    #[error("cannot reach {host}: {why}")]
    Unreachable {
        /// Host with its port.
        host: String,
        /// Reason, without an address.
        why: String,
    },
    /// Neither a mirror nor the registry itself has the image.
    #[error("{last} ({})", mirrors.join("; "))]
    Mirrored {
        /// Error of the registry itself.
        last: Box<ImageError>,
        /// Errors of its mirrors.
        mirrors: Vec<String>,
    },
    /// No connection may be opened, and the cache does not have the content.
    #[error("the cache does not have {0}, and no connection is opened (--offline)")]
    Offline(String),
    /// A registry refused the request or did not answer it: message and hint.
    #[error("{0}")]
    Registry(String, Option<String>),
    /// Error in the configuration of registries on this machine.
    #[error("{}: {}", path.display(), redact(why))]
    Configuration {
        /// Path of the configuration file.
        path: PathBuf,
        /// Mistake in the file, or the rule that forbids the image.
        why: String,
    },
    /// Loading was cancelled, or failed for a reason other than the image.
    #[error(transparent)]
    Load(#[from] LoadError),
}

/// Size of content, as far as it was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FoundSize {
    /// Size in bytes.
    Exactly(u64),
    /// More than declared; the rest was not read.
    More,
}

impl fmt::Display for FoundSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly(size) => write!(f, "{size} bytes"),
            Self::More => f.write_str("more"),
        }
    }
}

fn which_image_message(place: &str, count: usize, names: &[String]) -> String {
    let images = match count {
        0 => "no image".to_owned(),
        1 => "1 image".to_owned(),
        more => format!("{more} images"),
    };
    if names.is_empty() && count > 0 {
        return format!("{place} has {images}, and none of them has a name");
    }
    let colon = if names.is_empty() { "" } else { ": " };
    format!("{place} has {images}{colon}{}", names.join(", "))
}

fn none_or(there: &[String]) -> String {
    if there.is_empty() { "nothing".to_owned() } else { there.join(", ") }
}

fn list_labels(labels: &[String]) -> String {
    match labels {
        [] => "no labels".to_owned(),
        labels => format!("the labels {}", labels.join(", ")),
    }
}

impl ImageError {
    /// Returns a suggestion how to solve the problem.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Reference { hint, .. } => hint.as_deref().map(|hint| redact(hint).into_owned()),
            Self::Registry(_, hint) => hint.clone(),
            Self::TooSlow(_) => Some("--total-timeout SECONDS gives it more time".to_owned()),
            Self::WrongSize { .. } | Self::NoSize { .. } => Some(
                "content whose size is not as declared is not read; opm does not look at the sizes of layers and of the \
                 entries of an index"
                    .to_owned(),
            ),
            Self::NotWritten { source, .. } if source.kind() == io::ErrorKind::AlreadyExists => {
                Some("nothing is written over it: move it away first".to_owned())
            }
            Self::File { path, source } if source.kind() == io::ErrorKind::NotADirectory => {
                let archive = path.parent().unwrap_or(path).display();
                Some(format!("{archive} is a file: oci-archive:{archive} opens an archive"))
            }
            Self::InCatalog(_) => Some("choose a place outside its directory".to_owned()),
            Self::Unreachable { .. } => {
                Some("is the name of the host right? is a proxy needed (HTTPS_PROXY)?".to_owned())
            }
            Self::Mirrored { last, .. } => last.hint(),
            Self::Offline(_) => Some("without --offline it is fetched".to_owned()),
            Self::WhichImage { names, .. } if names.is_empty() => {
                Some("skopeo copy gives an image a name: skopeo copy oci:DIR@0 oci:OTHER:NAME".to_owned())
            }
            Self::WhichImage { .. } => Some("name one of them behind a colon".to_owned()),
            Self::NoPlatform { .. } => Some("choose one with --platform OS/ARCHITECTURE".to_owned()),
            Self::NotOurs { .. } => Some(
                "a catalog has the label operators.operatorframework.io.index.configs.v1, a bundle \
                 operators.operatorframework.io.bundle.package.v1"
                    .to_owned(),
            ),
            Self::Sqlite { .. } => {
                Some("opm migrate makes a file-based catalog of it; then olmap opens that".to_owned())
            }
            Self::WrongDigest { .. } => {
                Some("copy the image again: it is damaged, or not what it says".to_owned())
            }
            Self::Load(error) => error.hint(),
            _ => None,
        }
    }
}

impl ImageError {
    /// Returns true if no server could be reached.
    pub fn is_unreachable(&self) -> bool {
        match self {
            Self::Unreachable { .. } => true,
            Self::Mirrored { last, .. } => last.is_unreachable(),
            _ => false,
        }
    }

    /// Returns the message with the reference as typed.
    pub fn message_for(&self, reference: &str) -> String {
        match self {
            Self::Reference { .. } | Self::Load(_) => self.to_string(),
            error => format!("{}: {error}", redact(reference)),
        }
    }

    /// Converts the error to a load error.
    pub fn into_load_error(self, reference: &str) -> LoadError {
        match self {
            Self::Load(error) => error,
            error => LoadError::Image { hint: error.hint(), why: error.message_for(reference) },
        }
    }
}
