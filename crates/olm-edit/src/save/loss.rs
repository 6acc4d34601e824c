//! Metadata that files lose because a save replaces them, reported before anything is written.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    StateDirectory,
    attributes::{Attributes, RefusedAttribute},
    staging::Staging,
    target::directory_of,
};

/// Metadata that a replaced file loses.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}: {kind}", path.display())]
pub struct Loss {
    /// Path as given by the caller.
    pub path: PathBuf,
    /// Kind of loss.
    pub kind: LossKind,
}

/// Kind of loss.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LossKind {
    /// This many other hard links keep the old content, because the file is replaced.
    #[error("{} keep{} the old content", format_name_count(*.0), if *.0 == 1 { "s" } else { "" })]
    OtherNames(u64),
    /// The file will belong to the current user.
    #[error("the new file will belong to you instead of its owner")]
    Owner,
    /// The file will have the group of the current user.
    #[error("the new file will have your group instead of the current one")]
    Group,
    /// The access list cannot be kept.
    #[error("its ACL cannot be kept")]
    AccessList,
    /// An extended attribute cannot be kept.
    #[error("its extended attribute {0} cannot be kept")]
    Attribute(String),
}

fn format_name_count(count: u64) -> String {
    if count == 1 { "another hard link to it".to_owned() } else { format!("{count} other hard links to it") }
}

/// Returns the losses of replaced files. It tries to set the metadata on empty files, because only the system
/// knows what it permits.
pub fn find_losses<'a>(replaced: impl IntoIterator<Item = &'a Path>, state: &StateDirectory) -> Vec<Loss> {
    let mut staging = Staging::new(state);
    let of = |path: &'a Path| {
        let lost = find_file_losses(path, &mut staging).into_iter();
        lost.map(move |what| Loss { path: path.to_owned(), kind: what })
    };
    replaced.into_iter().flat_map(of).collect()
}

/// Returns the losses of one file. Empty if the file cannot be read, because then it cannot be
/// saved either.
fn find_file_losses(path: &Path, staging: &mut Staging) -> Vec<LossKind> {
    let Ok(real) = fs::canonicalize(path) else { return Vec::new() };
    let Ok(metadata) = fs::metadata(&real) else { return Vec::new() };
    let mut lost: Vec<LossKind> = other_names(&metadata).map(LossKind::OtherNames).into_iter().collect();
    let Ok(attributes) = Attributes::load(&real, metadata) else { return lost };
    if attributes.are_plain() {
        return lost;
    }
    if let Ok(scratch) = staging.for_replacement(directory_of(&real))
        && let Ok(refused) = attributes.apply_to(&scratch.file)
    {
        lost.extend(refused.into_iter().map(LossKind::from));
    }
    lost
}

impl From<RefusedAttribute> for LossKind {
    fn from(refused: RefusedAttribute) -> Self {
        match refused {
            RefusedAttribute::Owner => Self::Owner,
            RefusedAttribute::Group => Self::Group,
            RefusedAttribute::Extended(name) if name.to_string_lossy().contains("_acl") => Self::AccessList,
            RefusedAttribute::Extended(name) => Self::Attribute(name.to_string_lossy().into_owned()),
        }
    }
}

/// Returns the number of other hard links; `None` if there are none.
#[cfg(unix)]
fn other_names(metadata: &fs::Metadata) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;
    metadata.nlink().checked_sub(1).filter(|others| *others > 0)
}

#[cfg(not(unix))]
fn other_names(_: &fs::Metadata) -> Option<u64> {
    None
}
