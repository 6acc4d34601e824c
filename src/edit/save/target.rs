//! One file of a save: found, compared, written beside its target, put in place.

use std::{
    borrow::Cow,
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

use super::{SaveError, Step, Watch};
use crate::catalog::leftover;

/// What must be on disk before a file is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Expect<'a> {
    /// Exactly these bytes.
    Content(&'a [u8]),
    /// Nothing: the file is new.
    Absent,
    /// Whatever is there may be replaced.
    Anything,
}

/// A file that shall have new content, or go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted<'a> {
    pub path: &'a Path,
    pub expect: Expect<'a>,
    /// The new content; `None` takes the file away.
    pub bytes: Option<&'a [u8]>,
}

/// A wanted file whose place on disk is known and whose present content is as expected.
pub(super) struct Target<'a> {
    pub wanted: Wanted<'a>,
    /// Where it really is, links followed.
    pub real: PathBuf,
    /// What is there now, to go back to; none for a new file.
    old: Option<Old<'a>>,
}

struct Old<'a> {
    content: Cow<'a, [u8]>,
    metadata: fs::Metadata,
}

impl<'a> Target<'a> {
    /// Follows links and compares the content with what is expected.
    pub fn find(wanted: Wanted<'a>, watch: &mut dyn Watch) -> Result<Self, SaveError> {
        let path = wanted.path;
        let real = follow(path, wanted.expect)?;
        let fail = |source| SaveError::from_io(Step::Read, path, &real, source);
        watch.before(Step::Read, &real).map_err(fail)?;
        let metadata = match fs::metadata(&real) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return match wanted.expect {
                    Expect::Content(_) => Err(SaveError::Vanished { path: path.to_owned() }),
                    Expect::Absent | Expect::Anything => Ok(Self { wanted, real, old: None }),
                };
            }
            Err(error) => return Err(fail(error)),
        };
        if metadata.is_dir() {
            return Err(SaveError::IsDirectory { path: path.to_owned() });
        }
        if !metadata.is_file() {
            return Err(SaveError::NotAFile { path: path.to_owned() });
        }
        let content = match wanted.expect {
            Expect::Absent => return Err(SaveError::Exists { path: path.to_owned() }),
            Expect::Content(content) if same_content(&real, content).map_err(fail)? => Cow::Borrowed(content),
            Expect::Content(_) => return Err(SaveError::ChangedOnDisk { path: path.to_owned() }),
            Expect::Anything => Cow::Owned(fs::read(&real).map_err(fail)?),
        };
        refuse_read_only(path, &real, &metadata)?;
        Ok(Self { wanted, real, old: Some(Old { content, metadata }) })
    }

    /// Whether the file has the wanted content already.
    pub fn is_done(&self) -> bool {
        self.old.as_ref().map(|old| &*old.content) == self.wanted.bytes
    }

    /// The directory the file is in.
    pub fn directory(&self) -> &Path {
        directory_of(&self.real)
    }

    /// Writes the new content to a file beside the target, complete and on disk, but not yet in place.
    /// Nothing is written for a file that goes.
    pub fn stage(&self, watch: &mut dyn Watch) -> Result<Option<NamedTempFile>, SaveError> {
        self.wanted.bytes.map(|bytes| self.write_beside(bytes, watch)).transpose()
    }

    fn write_beside(&self, bytes: &[u8], watch: &mut dyn Watch) -> Result<NamedTempFile, SaveError> {
        let fail = |step| move |source| SaveError::from_io(step, self.wanted.path, &self.real, source);
        let mut doing = |step| watch.before(step, &self.real).map_err(fail(step));

        doing(Step::Create)?;
        let mut file = self.create_beside().map_err(fail(Step::Create))?;
        doing(Step::Write)?;
        file.write_all(bytes).map_err(fail(Step::Write))?;
        if let Some(old) = &self.old {
            // The owner first: changing it may clear bits of the mode.
            doing(Step::Owner)?;
            let owned = copy_owner(file.as_file(), &old.metadata).map_err(fail(Step::Owner))?;
            doing(Step::Mode)?;
            copy_mode(file.as_file(), &old.metadata, owned).map_err(fail(Step::Mode))?;
        }
        doing(Step::SyncFile)?;
        file.as_file().sync_all().map_err(fail(Step::SyncFile))?;
        Ok(file)
    }

    fn create_beside(&self) -> io::Result<NamedTempFile> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(leftover::PREFIX).suffix(leftover::SUFFIX);
        #[cfg(unix)]
        if self.old.is_none() {
            use std::os::unix::fs::PermissionsExt as _;
            // The umask applies, as for any new file. A copy of an old one stays private until it has its mode.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        builder.tempfile_in(self.directory())
    }

    /// Compares once more, as late as possible: whatever happened since [`Target::find`] must not be overwritten.
    pub fn recheck(&self, watch: &mut dyn Watch) -> Result<(), SaveError> {
        let fail = |source| SaveError::from_io(Step::Recheck, self.wanted.path, &self.real, source);
        watch.before(Step::Recheck, &self.real).map_err(fail)?;
        let path = || self.wanted.path.to_owned();
        match &self.old {
            None if fs::symlink_metadata(&self.real).is_ok() => Err(SaveError::Exists { path: path() }),
            None => Ok(()),
            Some(old) if same_content(&self.real, &old.content).map_err(fail)? => Ok(()),
            Some(_) => Err(SaveError::ChangedOnDisk { path: path() }),
        }
    }

    /// Puts the staged file in place: after this the target is new, before it was old, and there is no between.
    pub fn place(&self, staged: Option<NamedTempFile>, watch: &mut dyn Watch) -> Result<(), SaveError> {
        let Some(staged) = staged else {
            let fail = |source| SaveError::from_io(Step::Remove, self.wanted.path, &self.real, source);
            watch.before(Step::Remove, &self.real).map_err(fail)?;
            return fs::remove_file(&self.real).map_err(fail);
        };
        let fail = |source| SaveError::from_io(Step::Rename, self.wanted.path, &self.real, source);
        watch.before(Step::Rename, &self.real).map_err(fail)?;
        let placed = match self.old {
            Some(_) => staged.persist(&self.real),
            None => staged.persist_noclobber(&self.real),
        };
        // A file that could not be put in place is removed with the error's copy of it.
        placed.map(drop).map_err(|error| fail(error.error))
    }

    /// Undoes [`Target::place`]: the old content is put back the same way, a new file is removed, one that went is back. A file that
    /// someone changed since is left alone.
    pub fn restore(&self, watch: &mut dyn Watch) -> Result<(), SaveError> {
        let fail = |source| SaveError::from_io(Step::Restore, self.wanted.path, &self.real, source);
        watch.before(Step::Restore, &self.real).map_err(fail)?;
        let as_placed = match self.wanted.bytes {
            Some(bytes) => same_content(&self.real, bytes).map_err(fail)?,
            None => fs::symlink_metadata(&self.real).is_err(),
        };
        if !as_placed {
            return Err(SaveError::ChangedOnDisk { path: self.wanted.path.to_owned() });
        }
        let Some(old) = &self.old else { return fs::remove_file(&self.real).map_err(fail) };
        let staged = self.write_beside(&old.content, watch)?;
        let placed = match self.wanted.bytes {
            Some(_) => staged.persist(&self.real),
            None => staged.persist_noclobber(&self.real),
        };
        placed.map(drop).map_err(|error| fail(error.error))
    }
}

/// The directory part of a path; `.` for a bare name.
fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Where a path leads. A file that does not exist yet has the real path of its directory.
fn follow(path: &Path, expect: Expect<'_>) -> Result<PathBuf, SaveError> {
    let error = match fs::canonicalize(path) {
        Ok(real) => return Ok(real),
        Err(error) => error,
    };
    if error.kind() != io::ErrorKind::NotFound {
        return Err(SaveError::from_io(Step::Read, path, path, error));
    }
    if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(SaveError::DanglingLink { path: path.to_owned() });
    }
    if matches!(expect, Expect::Content(_)) {
        return Err(SaveError::Vanished { path: path.to_owned() });
    }
    let Some(name) = path.file_name() else {
        return Err(SaveError::IsDirectory { path: path.to_owned() });
    };
    let parent = directory_of(path);
    match fs::canonicalize(parent) {
        Ok(real) => Ok(real.join(name)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(SaveError::NoDirectory { path: path.to_owned(), directory: parent.to_owned() })
        }
        Err(error) => Err(SaveError::from_io(Step::Read, path, path, error)),
    }
}

/// A write-protected file is not replaced, though a rename could: whoever protected it meant it.
fn refuse_read_only(path: &Path, real: &Path, metadata: &fs::Metadata) -> Result<(), SaveError> {
    // The superuser can open anything, so the bits are looked at too.
    let opened = OpenOptions::new().write(true).open(real);
    match opened {
        _ if metadata.permissions().readonly() => Err(SaveError::ReadOnlyFile { path: path.to_owned() }),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            Err(SaveError::ReadOnlyFile { path: path.to_owned() })
        }
        Err(error) => Err(SaveError::from_io(Step::Read, path, real, error)),
    }
}

/// Whether a file holds exactly `expected`. Reads in pieces: catalogs are large.
fn same_content(path: &Path, expected: &[u8]) -> io::Result<bool> {
    let mut file = File::open(path)?;
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

/// Who the new file belongs to, compared with the old one.
#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(unix), allow(dead_code, reason = "files have no group there"))]
enum Owned {
    /// Same group.
    Same,
    /// The system did not permit to keep the group.
    OtherGroup,
}

#[cfg(unix)]
fn copy_owner(file: &File, old: &fs::Metadata) -> io::Result<Owned> {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    let new = file.metadata()?;
    let denied = |result: io::Result<()>| match result {
        Ok(()) => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(true),
        Err(error) => Err(error),
    };
    if new.gid() != old.gid() && denied(fchown(file, None, Some(old.gid())))? {
        return Ok(Owned::OtherGroup);
    }
    if new.uid() != old.uid() {
        denied(fchown(file, Some(old.uid()), None))?;
    }
    Ok(Owned::Same)
}

#[cfg(not(unix))]
fn copy_owner(_: &File, _: &fs::Metadata) -> io::Result<Owned> {
    Ok(Owned::Same)
}

#[cfg(unix)]
fn copy_mode(file: &File, old: &fs::Metadata, owned: Owned) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = old.permissions().mode() & 0o7777;
    // What the old group was allowed is not the business of another group.
    let mode = if owned == Owned::Same { mode } else { mode & !0o2070 | (mode & 0o007) << 3 };
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn copy_mode(file: &File, old: &fs::Metadata, _: Owned) -> io::Result<()> {
    file.set_permissions(old.permissions())
}

/// Flushes a directory, so that the renames in it survive a power failure.
pub(super) fn sync_directory(directory: &Path, watch: &mut dyn Watch) -> Result<(), SaveError> {
    let fail = |source| SaveError::NotDurable { directory: directory.to_owned(), source };
    watch.before(Step::SyncDirectory, directory).map_err(fail)?;
    #[cfg(unix)]
    match File::open(directory).and_then(|handle| handle.sync_all()) {
        Ok(()) => {}
        // Some network file systems cannot flush a directory and need not.
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {}
        Err(error) => return Err(fail(error)),
    }
    Ok(())
}
