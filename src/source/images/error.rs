//! Why an image cannot be opened, and what to try.

use std::{fmt, io, path::PathBuf, time::Duration};

use super::{digest::Digest, platform::Platform};
use crate::catalog::{load::LoadError, redact::redact};

/// Why an image cannot be opened. Secrets are never in it.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// What was typed is no reference.
    #[error("{:?} is not a reference of an image: {why}", redact(reference))]
    Reference {
        /// As typed.
        reference: String,
        /// What is wrong with it.
        why: &'static str,
        /// What to type instead.
        hint: Option<String>,
    },
    /// A file of a layout or an archive cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A new image cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    NotWritten {
        /// Where.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A new image would become a part of the catalog that it is made of.
    #[error("opm would read {} as a part of the catalog", .0.display())]
    InCatalog(PathBuf),
    /// A layout or an archive lacks something.
    #[error("{place}: {what} is missing")]
    Missing {
        /// The layout, the archive or the repository.
        place: String,
        /// What is not there.
        what: String,
    },
    /// Several images are there, or none, where one is meant.
    #[error("{}", which(place, *count, names))]
    WhichImage {
        /// The layout or the archive.
        place: String,
        /// How many there are.
        count: usize,
        /// The names of those that have one.
        names: Vec<String>,
    },
    /// A manifest, an index or a config that means nothing.
    #[error("the {what} of the image cannot be read: {why}")]
    Malformed {
        /// `manifest`, `index`, `config`.
        what: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// Bytes that are not what their name says.
    #[error("wrong digest: {expected} was asked for, and what came is {found}")]
    WrongDigest {
        /// What was asked for.
        expected: Digest,
        /// What the bytes are.
        found: Digest,
    },
    /// Content that is shorter or longer than its descriptor says.
    #[error("{what} {digest} has {found}, and {declared} bytes are declared")]
    WrongSize {
        /// `layer`, `config`, `manifest`.
        what: &'static str,
        /// What was asked for.
        digest: Digest,
        /// Size in the descriptor.
        declared: u64,
        /// Size of the content, as far as it was read.
        found: FoundSize,
    },
    /// A descriptor without a size, or with one that is not a number of bytes.
    #[error("the size of {what} {digest} is missing or is not a number of bytes")]
    NoSize {
        /// `layer`, `config`, `manifest`.
        what: &'static str,
        /// What was asked for.
        digest: Digest,
    },
    /// A transfer that exceeded the total time limit.
    #[error("it was given up after {} seconds", .0.as_secs())]
    TooSlow(Duration),
    /// An index without an image for a platform.
    #[error("the image is not there for {platform}; there is: {}", none_or(there))]
    NoPlatform {
        /// What was asked for.
        platform: Platform,
        /// What there is.
        there: Vec<String>,
    },
    /// An image whose labels say nothing of catalogs or bundles.
    #[error("neither a catalog nor a bundle: the image has {}", labels_of(labels))]
    NotOurs {
        /// The names of its labels.
        labels: Vec<String>,
    },
    /// The folder that a label names is not there.
    #[error("the label {label} says {folder:?}, and in the image {why}")]
    Root {
        /// The name of the label.
        label: &'static str,
        /// Its value.
        folder: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A layer that cannot be unpacked.
    #[error("layer {number} of the image cannot be unpacked: {why}")]
    Layer {
        /// From 1 on.
        number: usize,
        /// What is wrong with it.
        why: String,
    },
    /// An image that is larger than any catalog.
    #[error("reading it was stopped: {0}")]
    TooMuch(String),
    /// A catalog where a bundle is meant.
    #[error("the image is not a bundle, but a catalog")]
    NotABundle,
    /// A bundle that opm rejects.
    #[error("opm rejects the bundle in the image: {0}")]
    Bundle(String),
    /// An image with a SQLite index of which no catalog can be made.
    #[error("the SQLite index in the image, {path}: {reason}")]
    Sqlite {
        /// Where in the image.
        path: String,
        /// Why not.
        reason: String,
    },
    /// Nobody answers where a registry, or the server of an address, should be.
    #[error("cannot reach {host}: {why}")]
    Unreachable {
        /// The host, with its port.
        host: String,
        /// What went wrong; no address is in it.
        why: String,
    },
    /// Neither a mirror nor the registry itself has it.
    #[error("{last} ({})", mirrors.join("; "))]
    Mirrored {
        /// What the registry itself says.
        last: Box<ImageError>,
        /// What its mirrors say.
        mirrors: Vec<String>,
    },
    /// No connection may be opened, and the cache does not have what was asked for.
    #[error("the cache does not have {0}, and no connection is opened (--offline)")]
    Offline(String),
    /// A registry said no, or nothing.
    #[error("{0}")]
    Registry(String, Option<String>),
    /// The configuration of registries on this machine.
    #[error("{}: {}", path.display(), redact(why))]
    Configuration {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, or what it forbids.
        why: String,
    },
    /// Loading was stopped, or it failed for another reason than the image.
    #[error(transparent)]
    Load(#[from] LoadError),
}

/// Size of content, as far as it was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FoundSize {
    /// All of it, in bytes.
    Exactly(u64),
    /// More bytes than declared follow; they are not read.
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

fn which(place: &str, count: usize, names: &[String]) -> String {
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

fn labels_of(labels: &[String]) -> String {
    match labels {
        [] => "no labels".to_owned(),
        labels => format!("the labels {}", labels.join(", ")),
    }
}

impl ImageError {
    /// What to try.
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
    /// Whether nobody could be asked.
    pub fn is_unreachable(&self) -> bool {
        match self {
            Self::Unreachable { .. } => true,
            Self::Mirrored { last, .. } => last.is_unreachable(),
            _ => false,
        }
    }

    /// In words that say of which image, by its reference as typed.
    pub fn of(&self, reference: &str) -> String {
        match self {
            Self::Reference { .. } | Self::Load(_) => self.to_string(),
            error => format!("{}: {error}", redact(reference)),
        }
    }

    /// The same as why a catalog cannot be opened.
    pub fn into_load_error(self, reference: &str) -> LoadError {
        match self {
            Self::Load(error) => error,
            error => LoadError::Image { hint: error.hint(), why: error.of(reference) },
        }
    }
}
