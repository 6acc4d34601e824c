//! Metadata of a file besides its content: owner, group, permissions, access list, extended attributes. A
//! replacement file gets all of it, as far as the system permits. Losses are reported before anything is
//! written.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, File},
    io,
    path::Path,
};

/// Attributes with a checksum of the content, which are wrong for new content. The system sets them again.
#[cfg(unix)]
const CONTENT_CHECKSUMS: [&str; 2] = ["security.ima", "security.evm"];

/// Metadata of a file besides its content.
#[derive(Debug)]
pub(super) struct Attributes {
    metadata: fs::Metadata,
    /// Extended attributes, including access lists.
    extended: Vec<(OsString, Vec<u8>)>,
}

/// Metadata that could not be set on a new file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum RefusedAttribute {
    /// The owner.
    #[cfg_attr(not(unix), expect(dead_code, reason = "files have no owners that could be given there"))]
    Owner,
    /// The group.
    Group,
    /// An extended attribute.
    Extended(OsString),
}

impl Attributes {
    /// Reads the metadata of a file, following links.
    pub fn load(path: &Path, metadata: fs::Metadata) -> io::Result<Self> {
        Ok(Self { metadata, extended: extended(path)? })
    }

    /// Returns true if any new file of the same user would have the same metadata, except permissions.
    pub fn are_plain(&self) -> bool {
        self.extended.is_empty() && is_ours(&self.metadata)
    }

    /// Applies the metadata to a file. Returns what the system does not permit.
    pub fn apply_to(&self, file: &File) -> io::Result<Vec<RefusedAttribute>> {
        // The owner is first, because changing it clears mode bits. The mode is last, because an access list
        // changes it.
        let mut refused = give_owner(file, &self.metadata)?;
        for (name, value) in &self.extended {
            if !give_extended(file, name, value) {
                refused.push(RefusedAttribute::Extended(name.clone()));
            }
        }
        give_mode(file, &self.metadata, !refused.contains(&RefusedAttribute::Group))?;
        Ok(refused)
    }
}

#[cfg(unix)]
fn extended(path: &Path) -> io::Result<Vec<(OsString, Vec<u8>)>> {
    let names = match xattr::list(path) {
        Ok(names) => names,
        Err(error) if error.kind() == io::ErrorKind::Unsupported => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for name in names {
        // An attribute may disappear in between.
        if let Some(value) = xattr::get(path, &name)? {
            found.push((name, value));
        }
    }
    Ok(found)
}

#[cfg(not(unix))]
fn extended(_: &Path) -> io::Result<Vec<(OsString, Vec<u8>)>> {
    Ok(Vec::new())
}

/// Sets an attribute; returns true if the file has it now.
#[cfg(unix)]
fn give_extended(file: &File, name: &OsStr, value: &[u8]) -> bool {
    use xattr::FileExt as _;
    if CONTENT_CHECKSUMS.iter().any(|of_content| name == *of_content) {
        return false;
    }
    let has_it = || file.get_xattr(name).is_ok_and(|now| now.as_deref() == Some(value));
    has_it() || file.set_xattr(name, value).is_ok()
}

#[cfg(not(unix))]
fn give_extended(_: &File, _: &OsStr, _: &[u8]) -> bool {
    false
}

/// Returns true if a file belongs to the current user.
#[cfg(unix)]
fn is_ours(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    metadata.uid() == nix::unistd::geteuid().as_raw() && metadata.gid() == nix::unistd::getegid().as_raw()
}

#[cfg(not(unix))]
fn is_ours(_: &fs::Metadata) -> bool {
    true
}

#[cfg(unix)]
fn give_owner(file: &File, old: &fs::Metadata) -> io::Result<Vec<RefusedAttribute>> {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    let new = file.metadata()?;
    let denied = |result: io::Result<()>| match result {
        Ok(()) => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(true),
        Err(error) => Err(error),
    };
    let mut refused = Vec::new();
    if new.gid() != old.gid() && denied(fchown(file, None, Some(old.gid())))? {
        refused.push(RefusedAttribute::Group);
    }
    if new.uid() != old.uid() && denied(fchown(file, Some(old.uid()), None))? {
        refused.push(RefusedAttribute::Owner);
    }
    Ok(refused)
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps, reason = "as where files have owners")]
fn give_owner(_: &File, _: &fs::Metadata) -> io::Result<Vec<RefusedAttribute>> {
    Ok(Vec::new())
}

#[cfg(unix)]
fn give_mode(file: &File, old: &fs::Metadata, is_same_group: bool) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = old.permissions().mode() & 0o7777;
    // The permissions of the old group do not apply to another group.
    let mode = if is_same_group { mode } else { mode & !0o2070 | (mode & 0o007) << 3 };
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn give_mode(file: &File, old: &fs::Metadata, _: bool) -> io::Result<()> {
    file.set_permissions(old.permissions())
}
