//! Sources of catalogs, and bases for comparisons.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use olm_catalog::{load::git::Revision, redact::redact};

/// Source of a catalog.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// The catalog that is built into the program.
    Demo,
    /// A directory or file.
    Path(PathBuf),
    /// Bytes from standard input.
    Stdin(Arc<Vec<u8>>),
    /// A path in a git revision. It cannot be saved.
    Revision(Box<Revision>),
}

impl Source {
    /// Returns the display name, without secrets in references.
    pub fn label(&self) -> String {
        match self {
            Self::Demo => "demo catalog".to_owned(),
            Self::Path(path) => redact(&path.to_string_lossy()).into_owned(),
            Self::Stdin(_) => "standard input".to_owned(),
            Self::Revision(revision) => revision.label(),
        }
    }
}

/// Base of a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Base {
    /// The files when they were last read or written.
    Loaded,
    /// A git revision. Without a path, the catalog's own path is used.
    Revision(Revision),
    /// Another catalog on disk.
    Path(PathBuf),
    /// Another open catalog, including its unsaved edits.
    Open(Source),
}

impl Base {
    /// Parses `git:REV[:PATH]` or a path.
    pub fn parse(text: &str) -> Self {
        Revision::parse(text).map_or_else(|| Self::Path(PathBuf::from(text)), Self::Revision)
    }

    /// Returns the display name.
    pub fn label(&self) -> String {
        match self {
            Self::Loaded => "the catalog as loaded".to_owned(),
            Self::Revision(revision) => revision.label(),
            Self::Path(path) => redact(&path.to_string_lossy()).into_owned(),
            Self::Open(source) => source.label(),
        }
    }

    /// Returns a short display name.
    pub fn short_label(&self) -> String {
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

    /// Returns true if the base has to be read from disk or git.
    pub(in crate::tui) fn needs_loading(&self) -> bool {
        matches!(self, Self::Revision(_) | Self::Path(_))
    }
}
