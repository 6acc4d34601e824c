//! What catalogs are read from, and what they are compared with.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::catalog::{load::git::Revision, redact::redact};

/// What a catalog is loaded from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// The catalog that is built into the program.
    Demo,
    /// A directory or file.
    Path(PathBuf),
    /// Bytes that came through standard input, read once.
    Stdin(Arc<Vec<u8>>),
    /// A path in a revision of the git repository; nothing of it can be saved.
    Revision(Box<Revision>),
}

impl Source {
    /// Returns the name to show, without secrets of a reference.
    pub fn label(&self) -> String {
        match self {
            Self::Demo => "demo catalog".to_owned(),
            Self::Path(path) => redact(&path.to_string_lossy()).into_owned(),
            Self::Stdin(_) => "standard input".to_owned(),
            Self::Revision(revision) => revision.label(),
        }
    }
}

/// What a catalog is compared with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Base {
    /// What its files held when they were last read or written.
    Loaded,
    /// A revision of a git repository; without a path, at the path that the catalog has there.
    Revision(Revision),
    /// Another catalog on disk.
    Path(PathBuf),
    /// Another open catalog, with its unsaved edits.
    Open(Source),
}

impl Base {
    /// Reads `git:REV[:PATH]` or a path.
    pub fn parse(text: &str) -> Self {
        Revision::parse(text).map_or_else(|| Self::Path(PathBuf::from(text)), Self::Revision)
    }

    /// As people name it.
    pub fn label(&self) -> String {
        match self {
            Self::Loaded => "the catalog as loaded".to_owned(),
            Self::Revision(revision) => revision.label(),
            Self::Path(path) => redact(&path.to_string_lossy()).into_owned(),
            Self::Open(source) => source.label(),
        }
    }

    /// In few letters.
    pub fn short(&self) -> String {
        let last = |path: &Path| {
            let shown = redact(&path.to_string_lossy()).into_owned();
            Path::new(&shown).file_name().map(|name| name.to_string_lossy().into_owned())
        };
        match self {
            Self::Loaded => "as loaded".to_owned(),
            Self::Revision(Revision { revision, path: None }) => format!("git:{revision}"),
            Self::Revision(Revision { revision, path: Some(path) }) => {
                format!("git:{revision}:{}", last(path).unwrap_or_default())
            }
            Self::Path(path) | Self::Open(Source::Path(path)) => last(path).unwrap_or_else(|| self.label()),
            Self::Open(source) => source.label(),
        }
    }

    /// Whether it has to be read.
    pub(in crate::app) fn is_read(&self) -> bool {
        matches!(self, Self::Revision(_) | Self::Path(_))
    }
}
