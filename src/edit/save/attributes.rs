//! What a file has besides its content: owner, group, permissions, access list, extended attributes. A file that replaces
//! another gets all of it, as far as the system permits; what it does not permit is said before anything is written.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, File},
    io,
    path::Path,
};

/// Attributes that are a checksum of the content: the old file's are wrong for the new one, and systems make them anew.
#[cfg(unix)]
const OF_THE_CONTENT: [&str; 2] = ["security.ima", "security.evm"];

/// What a file has besides its content.
#[derive(Debug)]
pub(super) struct Attributes {
    metadata: fs::Metadata,
    /// Access lists among them.
    extended: Vec<(OsString, Vec<u8>)>,
}

/// What a new file could not be given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Refused {
    /// The user it belongs to.
    #[cfg_attr(not(unix), expect(dead_code, reason = "files have no owners that could be given there"))]
    Owner,
    /// The group it belongs to.
    Group,
    /// An extended attribute.
    Extended(OsString),
}

impl Attributes {
    /// Those of a file, links followed.
    pub fn of(path: &Path, metadata: fs::Metadata) -> io::Result<Self> {
        Ok(Self { metadata, extended: extended(path)? })
    }

    /// Whether any new file of the same user would have them anyway, permissions aside.
    pub fn are_plain(&self) -> bool {
        self.extended.is_empty() && is_ours(&self.metadata)
    }

    /// Gives them to a file. What the system does not permit is left out, and comes back.
    pub fn give_to(&self, file: &File) -> io::Result<Vec<Refused>> {
        // The owner first: changing it clears bits of the mode. The mode last: an access list changes it.
        let mut refused = give_owner(file, &self.metadata)?;
        for (name, value) in &self.extended {
            if !give_extended(file, name, value) {
                refused.push(Refused::Extended(name.clone()));
            }
        }
        give_mode(file, &self.metadata, !refused.contains(&Refused::Group))?;
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
        // One that went in between is none.
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

/// Whether a file has an attribute now.
#[cfg(unix)]
fn give_extended(file: &File, name: &OsStr, value: &[u8]) -> bool {
    use xattr::FileExt as _;
    if OF_THE_CONTENT.iter().any(|of_content| name == *of_content) {
        return false;
    }
    let has_it = || file.get_xattr(name).is_ok_and(|now| now.as_deref() == Some(value));
    has_it() || file.set_xattr(name, value).is_ok()
}

#[cfg(not(unix))]
fn give_extended(_: &File, _: &OsStr, _: &[u8]) -> bool {
    false
}

/// Whether a file belongs to whoever runs the program.
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
fn give_owner(file: &File, old: &fs::Metadata) -> io::Result<Vec<Refused>> {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    let new = file.metadata()?;
    let denied = |result: io::Result<()>| match result {
        Ok(()) => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(true),
        Err(error) => Err(error),
    };
    let mut refused = Vec::new();
    if new.gid() != old.gid() && denied(fchown(file, None, Some(old.gid())))? {
        refused.push(Refused::Group);
    }
    if new.uid() != old.uid() && denied(fchown(file, Some(old.uid()), None))? {
        refused.push(Refused::Owner);
    }
    Ok(refused)
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps, reason = "as where files have owners")]
fn give_owner(_: &File, _: &fs::Metadata) -> io::Result<Vec<Refused>> {
    Ok(Vec::new())
}

#[cfg(unix)]
fn give_mode(file: &File, old: &fs::Metadata, is_same_group: bool) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = old.permissions().mode() & 0o7777;
    // What the old group was allowed is not the business of another group.
    let mode = if is_same_group { mode } else { mode & !0o2070 | (mode & 0o007) << 3 };
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn give_mode(file: &File, old: &fs::Metadata, _: bool) -> io::Result<()> {
    file.set_permissions(old.permissions())
}
