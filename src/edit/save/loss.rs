//! What a save would cost besides the change of content: told before anything is written.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    StateDirectory,
    attributes::{Attributes, Refused},
    staging::Staging,
    target::directory_of,
};

/// Something that a file has and its replacement will not.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}: {what}", path.display())]
pub struct Loss {
    /// The file as the caller named it.
    pub path: PathBuf,
    /// What it is.
    pub what: Lost,
}

/// What a file loses.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Lost {
    /// It has other names: they keep the old content, for a file is replaced and not written over.
    #[error("{} keep{} the old content", names(*.0), if *.0 == 1 { "s" } else { "" })]
    OtherNames(u64),
    /// It will belong to whoever runs the program.
    #[error("the new file will belong to you instead of its owner")]
    Owner,
    /// It will have the group of whoever runs the program.
    #[error("the new file will have your group instead of the current one")]
    Group,
    /// Its access list.
    #[error("its ACL cannot be kept")]
    AccessList,
    /// An extended attribute.
    #[error("its extended attribute {0} cannot be kept")]
    Attribute(String),
}

fn names(count: u64) -> String {
    if count == 1 { "another hard link to it".to_owned() } else { format!("{count} other hard links to it") }
}

/// What files that are replaced would lose. It is tried out on empty files: the system alone knows what it permits.
pub fn losses<'a>(replaced: impl IntoIterator<Item = &'a Path>, state: &StateDirectory) -> Vec<Loss> {
    let mut staging = Staging::new(state);
    let of = |path: &'a Path| {
        let lost = lost(path, &mut staging).into_iter();
        lost.map(move |what| Loss { path: path.to_owned(), what })
    };
    replaced.into_iter().flat_map(of).collect()
}

/// What one file would lose; nothing where that cannot be told, for then it cannot be saved either.
fn lost(path: &Path, staging: &mut Staging) -> Vec<Lost> {
    let Ok(real) = fs::canonicalize(path) else { return Vec::new() };
    let Ok(metadata) = fs::metadata(&real) else { return Vec::new() };
    let mut lost: Vec<Lost> = other_names(&metadata).map(Lost::OtherNames).into_iter().collect();
    let Ok(attributes) = Attributes::of(&real, metadata) else { return lost };
    if attributes.are_plain() {
        return lost;
    }
    if let Ok(scratch) = staging.for_old(directory_of(&real))
        && let Ok(refused) = attributes.give_to(&scratch.file)
    {
        lost.extend(refused.into_iter().map(Lost::from));
    }
    lost
}

impl From<Refused> for Lost {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Owner => Self::Owner,
            Refused::Group => Self::Group,
            Refused::Extended(name) if name.to_string_lossy().contains("_acl") => Self::AccessList,
            Refused::Extended(name) => Self::Attribute(name.to_string_lossy().into_owned()),
        }
    }
}

#[cfg(unix)]
fn other_names(metadata: &fs::Metadata) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;
    metadata.nlink().checked_sub(1).filter(|others| *others > 0)
}

#[cfg(not(unix))]
fn other_names(_: &fs::Metadata) -> Option<u64> {
    None
}
