//! A single file of a save: lookup, comparison, staging and replacement.

use std::{
    borrow::Cow,
    ffi::{OsStr, OsString},
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};

use super::{
    NotDurable, SaveError, SaveStep, StepObserver,
    staging::{Staged, Staging},
};
use olm_catalog::load::regular_file;

/// Save context: step observer and staging area.
pub(super) struct SaveContext<'a> {
    pub observer: &'a mut dyn StepObserver,
    pub staging: Staging,
}

/// Expected state of a file before it is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum ExpectedState<'a> {
    /// Exactly this content.
    Content(&'a [u8]),
    /// A missing file, or the new content, which an earlier incomplete save may have written.
    MissingOrDone,
    /// A missing file.
    Missing,
    /// Any state.
    Any,
}

/// A requested write or removal of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingWrite<'a> {
    pub path: &'a Path,
    pub expect: ExpectedState<'a>,
    /// New content; `None` removes the file.
    pub bytes: Option<&'a [u8]>,
}

/// A file to be written, with its resolved path. Its current content was as expected.
pub(super) struct Target<'a> {
    pub write: PendingWrite<'a>,
    /// Path with links resolved.
    pub real: PathBuf,
    /// Old content, for restoring it; `None` for a new file.
    old: Option<OldFile<'a>>,
    /// True if it already has the requested content.
    pub is_done: bool,
}

struct OldFile<'a> {
    content: Cow<'a, [u8]>,
    attributes: Attributes,
}

impl<'a> Target<'a> {
    /// Resolves links and checks that the file has the expected state. A file that already has the
    /// requested content counts as done, because an earlier save may have written it.
    pub fn resolve(write: PendingWrite<'a>, watch: &mut dyn StepObserver) -> Result<Self, SaveError> {
        let path = write.path;
        let Some(real) = resolve_path(path, write)? else {
            return Ok(Self { write, real: path.to_owned(), old: None, is_done: true });
        };
        let fail = |source| SaveError::from_io(SaveStep::Read, path, &real, source);
        watch.before_step(SaveStep::Read, &real).map_err(fail)?;
        let metadata = match fs::metadata(&real) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self { write, real, old: None, is_done: false });
            }
            Err(error) => return Err(fail(error)),
        };
        if metadata.is_dir() {
            return Err(SaveError::IsDirectory { path: path.to_owned() });
        }
        if !metadata.is_file() {
            return Err(SaveError::NotAFile { path: path.to_owned() });
        }
        let is_as_wanted = match (write.bytes, write.expect) {
            (Some(bytes), ExpectedState::Content(_) | ExpectedState::MissingOrDone | ExpectedState::Any) => {
                same_content(&real, bytes).map_err(fail)?
            }
            (Some(_), ExpectedState::Missing) | (None, _) => false,
        };
        if is_as_wanted {
            return Ok(Self { write, real, old: None, is_done: true });
        }
        let content = match write.expect {
            ExpectedState::MissingOrDone | ExpectedState::Missing => {
                return Err(SaveError::Exists { path: path.to_owned() });
            }
            ExpectedState::Content(content) if same_content(&real, content).map_err(fail)? => {
                Cow::Borrowed(content)
            }
            ExpectedState::Content(_) => return Err(SaveError::ChangedOnDisk { path: path.to_owned() }),
            ExpectedState::Any => Cow::Owned(fs::read(&real).map_err(fail)?),
        };
        refuse_read_only(path, &real, &metadata)?;
        let attributes = Attributes::load(&real, metadata).map_err(fail)?;
        Ok(Self { write, real, old: Some(OldFile { content, attributes }), is_done: false })
    }

    /// Returns the directory of the file.
    pub fn directory(&self) -> &Path {
        directory_of(&self.real)
    }

    /// Writes the new content to a staged file and flushes it. Does nothing for a file to be removed.
    pub fn stage(&self, context: &mut SaveContext<'_>) -> Result<Option<Staged>, SaveError> {
        self.write.bytes.map(|bytes| self.write_staged(bytes, context)).transpose()
    }

    fn write_staged(&self, bytes: &[u8], context: &mut SaveContext<'_>) -> Result<Staged, SaveError> {
        let fail = |step| move |source| SaveError::from_io(step, self.write.path, &self.real, source);
        let mut before = |step| context.observer.before_step(step, &self.real).map_err(fail(step));
        before(SaveStep::Create)?;
        let old = self.old.as_ref();
        let created = match old {
            Some(_) => context.staging.for_replacement(self.directory()),
            None => context.staging.for_new_file(self.directory()),
        };
        let staged = created.map_err(fail(SaveStep::Create))?;
        before(SaveStep::Write)?;
        (&staged.file).write_all(bytes).map_err(fail(SaveStep::Write))?;
        if let Some(old) = old {
            before(SaveStep::Attributes)?;
            // The losses that the system refuses here were reported before the save.
            old.attributes.apply_to(&staged.file).map_err(fail(SaveStep::Attributes))?;
        }
        before(SaveStep::SyncFile)?;
        staged.file.sync_all().map_err(fail(SaveStep::SyncFile))?;
        Ok(staged)
    }

    /// Compares the file with its old content again, as late as possible. So a save does not
    /// overwrite changes since [`Target::resolve`].
    pub fn compare_again(&self, watch: &mut dyn StepObserver) -> Result<(), SaveError> {
        let fail = |source| SaveError::from_io(SaveStep::Recheck, self.write.path, &self.real, source);
        watch.before_step(SaveStep::Recheck, &self.real).map_err(fail)?;
        let path = || self.write.path.to_owned();
        match &self.old {
            None if fs::symlink_metadata(&self.real).is_ok() => Err(SaveError::Exists { path: path() }),
            None => Ok(()),
            Some(old) if same_content(&self.real, &old.content).map_err(fail)? => Ok(()),
            Some(_) => Err(SaveError::ChangedOnDisk { path: path() }),
        }
    }

    /// Replaces the target by the staged file atomically. Removes the target if there is none.
    pub fn put_in_place(
        &self,
        staged: Option<Staged>,
        context: &mut SaveContext<'_>,
    ) -> Result<(), SaveError> {
        let Some(staged) = staged else {
            let fail = |source| SaveError::from_io(SaveStep::Remove, self.write.path, &self.real, source);
            context.observer.before_step(SaveStep::Remove, &self.real).map_err(fail)?;
            return fs::remove_file(&self.real).map_err(fail);
        };
        let fail = |source| SaveError::from_io(SaveStep::Rename, self.write.path, &self.real, source);
        context.observer.before_step(SaveStep::Rename, &self.real).map_err(fail)?;
        match self.old {
            Some(_) => self.replace_file(staged, self.write.bytes.unwrap_or_default(), context),
            None => staged.name_new_file(&self.real).map_err(fail),
        }
    }

    /// Replaces the old file by a staged one. If that is on another file system, stages `bytes`
    /// again next to the target.
    fn replace_file(
        &self,
        staged: Staged,
        bytes: &[u8],
        context: &mut SaveContext<'_>,
    ) -> Result<(), SaveError> {
        let fail = |source| SaveError::from_io(SaveStep::Rename, self.write.path, &self.real, source);
        match staged.replace(&self.real) {
            Err(error)
                if error.kind() == io::ErrorKind::CrossesDevices
                    && context.staging.disable_state_directory() =>
            {
                self.write_staged(bytes, context)?.replace(&self.real).map_err(fail)
            }
            placed => placed.map_err(fail),
        }
    }

    /// Reverts [`Target::put_in_place`]: restores the old content, or removes a new file. Does not
    /// touch a file that another program has changed since.
    pub fn restore_old_content(&self, context: &mut SaveContext<'_>) -> Result<(), SaveError> {
        let fail = |source| SaveError::from_io(SaveStep::Restore, self.write.path, &self.real, source);
        context.observer.before_step(SaveStep::Restore, &self.real).map_err(fail)?;
        let as_placed = match self.write.bytes {
            Some(bytes) => same_content(&self.real, bytes).map_err(fail)?,
            None => fs::symlink_metadata(&self.real).is_err(),
        };
        if !as_placed {
            return Err(SaveError::ChangedOnDisk { path: self.write.path.to_owned() });
        }
        let Some(old) = &self.old else { return fs::remove_file(&self.real).map_err(fail) };
        let staged = self.write_staged(&old.content, context)?;
        match self.write.bytes {
            Some(_) => self.replace_file(staged, &old.content, context),
            None => staged.name_new_file(&self.real).map_err(fail),
        }
    }
}

/// Returns the directory of a path; `.` for a bare name.
pub(super) fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Returns the directory of a file with links resolved, as far as possible.
pub(super) fn real_directory(path: &Path) -> PathBuf {
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    directory_of(&real).to_owned()
}

/// Resolves a path. A missing file gets the resolved path of its directory. `None` for a file to be removed
/// that does not exist.
fn resolve_path(path: &Path, write: PendingWrite<'_>) -> Result<Option<PathBuf>, SaveError> {
    let error = match fs::canonicalize(path) {
        Ok(real) => return Ok(Some(real)),
        Err(error) => error,
    };
    if error.kind() != io::ErrorKind::NotFound {
        return Err(SaveError::from_io(SaveStep::Read, path, path, error));
    }
    if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(SaveError::DanglingLink { path: path.to_owned() });
    }
    if write.bytes.is_none() {
        return Ok(None);
    }
    if matches!(write.expect, ExpectedState::Content(_)) {
        return Err(SaveError::Deleted { path: path.to_owned() });
    }
    let Some(name) = path.file_name() else {
        return Err(SaveError::IsDirectory { path: path.to_owned() });
    };
    let parent = directory_of(path);
    match fs::canonicalize(parent) {
        Ok(real) => Ok(Some(real.join(name))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(SaveError::NoDirectory { path: path.to_owned(), directory: parent.to_owned() })
        }
        Err(error) => Err(SaveError::from_io(SaveStep::Read, path, path, error)),
    }
}

/// Refuses a write-protected file. A rename would succeed, but the protection is intentional.
fn refuse_read_only(path: &Path, real: &Path, metadata: &fs::Metadata) -> Result<(), SaveError> {
    // The superuser can open any file, so the mode bits are checked too.
    let opened = OpenOptions::new().write(true).open(real);
    match opened {
        _ if metadata.permissions().readonly() => Err(SaveError::ReadOnlyFile { path: path.to_owned() }),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            Err(SaveError::ReadOnlyFile { path: path.to_owned() })
        }
        Err(error) => Err(SaveError::from_io(SaveStep::Read, path, real, error)),
    }
}

/// Returns true if a file contains exactly `expected`. Reads in chunks, because catalogs are large.
fn same_content(path: &Path, expected: &[u8]) -> io::Result<bool> {
    let mut file = regular_file::open_regular(path)?;
    if file.metadata()?.len() != expected.len() as u64 {
        return Ok(false);
    }
    let mut rest = expected;
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(rest.is_empty()),
            Ok(read) => match rest.strip_prefix(&buffer[..read]) {
                Some(after) => rest = after,
                None => return Ok(false),
            },
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Flushes a directory, so that renames in it survive a power failure.
pub(super) fn sync_directory(directory: &Path, watch: &mut dyn StepObserver) -> Result<(), NotDurable> {
    let fail = |source| NotDurable { directory: directory.to_owned(), source };
    watch.before_step(SaveStep::SyncDirectory, directory).map_err(fail)?;
    flush_directory(directory).map_err(fail)
}

/// Flushes a directory, if the system supports it.
#[cfg(unix)]
pub(super) fn flush_directory(directory: &Path) -> io::Result<()> {
    match fs::File::open(directory).and_then(|handle| handle.sync_all()) {
        Ok(()) => {}
        // Some network file systems cannot flush directories and need not.
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn flush_directory(_: &Path) -> io::Result<()> {
    Ok(())
}

// Metadata of a file besides its content: owner, group, permissions, access list, extended attributes. A
// replacement file gets all of it, as far as the system permits. Losses are reported before anything is
// written.

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
