//! One file of a save: found, compared, written beside its target, put in place.

use std::{
    borrow::Cow,
    fs::{self, OpenOptions},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};

use super::{
    NotDurable, SaveError, Step, Watch,
    attributes::Attributes,
    staging::{Staged, Staging},
};
use crate::catalog::load::regular;

/// What a save does things with: who is told of each step, and where new content stands.
pub(super) struct Hands<'a> {
    pub watch: &'a mut dyn Watch,
    pub staging: Staging,
}

/// What must be on disk before a file is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Expect<'a> {
    /// Exactly these bytes.
    Content(&'a [u8]),
    /// Nothing, or what shall be there: an earlier save may have come so far.
    NotYet,
    /// Nothing, whatever it may be.
    Nothing,
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
    /// Whether it has the wanted content already.
    pub is_done: bool,
}

struct Old<'a> {
    content: Cow<'a, [u8]>,
    attributes: Attributes,
}

impl<'a> Target<'a> {
    /// Follows links and compares the content with what is expected. What has the wanted content already is done: an earlier
    /// save may have come so far.
    pub fn find(wanted: Wanted<'a>, watch: &mut dyn Watch) -> Result<Self, SaveError> {
        let path = wanted.path;
        let Some(real) = follow(path, wanted)? else {
            return Ok(Self { wanted, real: path.to_owned(), old: None, is_done: true });
        };
        let fail = |source| SaveError::from_io(Step::Read, path, &real, source);
        watch.before(Step::Read, &real).map_err(fail)?;
        let metadata = match fs::metadata(&real) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self { wanted, real, old: None, is_done: false });
            }
            Err(error) => return Err(fail(error)),
        };
        if metadata.is_dir() {
            return Err(SaveError::IsDirectory { path: path.to_owned() });
        }
        if !metadata.is_file() {
            return Err(SaveError::NotAFile { path: path.to_owned() });
        }
        let is_as_wanted = match (wanted.bytes, wanted.expect) {
            (Some(bytes), Expect::Content(_) | Expect::NotYet | Expect::Anything) => {
                same_content(&real, bytes).map_err(fail)?
            }
            (Some(_), Expect::Nothing) | (None, _) => false,
        };
        if is_as_wanted {
            return Ok(Self { wanted, real, old: None, is_done: true });
        }
        let content = match wanted.expect {
            Expect::NotYet | Expect::Nothing => return Err(SaveError::Exists { path: path.to_owned() }),
            Expect::Content(content) if same_content(&real, content).map_err(fail)? => Cow::Borrowed(content),
            Expect::Content(_) => return Err(SaveError::ChangedOnDisk { path: path.to_owned() }),
            Expect::Anything => Cow::Owned(fs::read(&real).map_err(fail)?),
        };
        refuse_read_only(path, &real, &metadata)?;
        let attributes = Attributes::of(&real, metadata).map_err(fail)?;
        Ok(Self { wanted, real, old: Some(Old { content, attributes }), is_done: false })
    }

    /// The directory the file is in.
    pub fn directory(&self) -> &Path {
        directory_of(&self.real)
    }

    /// Writes the new content to a file that is complete and on disk, but not yet in place. Nothing is written for a file that
    /// goes.
    pub fn stage(&self, hands: &mut Hands<'_>) -> Result<Option<Staged>, SaveError> {
        self.wanted.bytes.map(|bytes| self.write(bytes, hands)).transpose()
    }

    fn write(&self, bytes: &[u8], hands: &mut Hands<'_>) -> Result<Staged, SaveError> {
        let fail = |step| move |source| SaveError::from_io(step, self.wanted.path, &self.real, source);
        let mut before = |step| hands.watch.before(step, &self.real).map_err(fail(step));
        before(Step::Create)?;
        let old = self.old.as_ref();
        let created = match old {
            Some(_) => hands.staging.for_old(self.directory()),
            None => hands.staging.for_new(self.directory()),
        };
        let staged = created.map_err(fail(Step::Create))?;
        before(Step::Write)?;
        (&staged.file).write_all(bytes).map_err(fail(Step::Write))?;
        if let Some(old) = old {
            before(Step::Attributes)?;
            // What the system refuses was told before: `losses` asks the same of it.
            old.attributes.give_to(&staged.file).map_err(fail(Step::Attributes))?;
        }
        before(Step::SyncFile)?;
        staged.file.sync_all().map_err(fail(Step::SyncFile))?;
        Ok(staged)
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
    pub fn place(&self, staged: Option<Staged>, hands: &mut Hands<'_>) -> Result<(), SaveError> {
        let Some(staged) = staged else {
            let fail = |source| SaveError::from_io(Step::Remove, self.wanted.path, &self.real, source);
            hands.watch.before(Step::Remove, &self.real).map_err(fail)?;
            return fs::remove_file(&self.real).map_err(fail);
        };
        let fail = |source| SaveError::from_io(Step::Rename, self.wanted.path, &self.real, source);
        hands.watch.before(Step::Rename, &self.real).map_err(fail)?;
        match self.old {
            Some(_) => self.replace(staged, self.wanted.bytes.unwrap_or_default(), hands),
            None => staged.name(&self.real).map_err(fail),
        }
    }

    /// Puts content in the place of the old one.
    fn replace(&self, staged: Staged, bytes: &[u8], hands: &mut Hands<'_>) -> Result<(), SaveError> {
        let fail = |source| SaveError::from_io(Step::Rename, self.wanted.path, &self.real, source);
        match staged.replace(&self.real) {
            Err(error)
                if error.kind() == io::ErrorKind::CrossesDevices && hands.staging.is_far_from_home() =>
            {
                self.write(bytes, hands)?.replace(&self.real).map_err(fail)
            }
            placed => placed.map_err(fail),
        }
    }

    /// Undoes [`Target::place`]: the old content is put back the same way, a new file is removed, one that went is back. A file that
    /// someone changed since is left alone.
    pub fn restore(&self, hands: &mut Hands<'_>) -> Result<(), SaveError> {
        let fail = |source| SaveError::from_io(Step::Restore, self.wanted.path, &self.real, source);
        hands.watch.before(Step::Restore, &self.real).map_err(fail)?;
        let as_placed = match self.wanted.bytes {
            Some(bytes) => same_content(&self.real, bytes).map_err(fail)?,
            None => fs::symlink_metadata(&self.real).is_err(),
        };
        if !as_placed {
            return Err(SaveError::ChangedOnDisk { path: self.wanted.path.to_owned() });
        }
        let Some(old) = &self.old else { return fs::remove_file(&self.real).map_err(fail) };
        let staged = self.write(&old.content, hands)?;
        match self.wanted.bytes {
            Some(_) => self.replace(staged, &old.content, hands),
            None => staged.name(&self.real).map_err(fail),
        }
    }
}

/// The directory part of a path; `.` for a bare name.
pub(super) fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// The directory in which the file of a path really is, as far as that is known.
pub(super) fn real_directory(path: &Path) -> PathBuf {
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    directory_of(&real).to_owned()
}

/// Where a path leads. A file that does not exist yet has the real path of its directory; `None` for one that should go and
/// is gone.
fn follow(path: &Path, wanted: Wanted<'_>) -> Result<Option<PathBuf>, SaveError> {
    let error = match fs::canonicalize(path) {
        Ok(real) => return Ok(Some(real)),
        Err(error) => error,
    };
    if error.kind() != io::ErrorKind::NotFound {
        return Err(SaveError::from_io(Step::Read, path, path, error));
    }
    if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(SaveError::DanglingLink { path: path.to_owned() });
    }
    if wanted.bytes.is_none() {
        return Ok(None);
    }
    if matches!(wanted.expect, Expect::Content(_)) {
        return Err(SaveError::Vanished { path: path.to_owned() });
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
    let mut file = regular::open(path)?;
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

/// Flushes a directory, so that the renames in it survive a power failure.
pub(super) fn sync_directory(directory: &Path, watch: &mut dyn Watch) -> Result<(), NotDurable> {
    let fail = |source| NotDurable { directory: directory.to_owned(), source };
    watch.before(Step::SyncDirectory, directory).map_err(fail)?;
    flush_directory(directory).map_err(fail)
}

/// Flushes a directory, where the system can.
#[cfg(unix)]
pub(super) fn flush_directory(directory: &Path) -> io::Result<()> {
    match fs::File::open(directory).and_then(|handle| handle.sync_all()) {
        Ok(()) => {}
        // Some network file systems cannot flush a directory and need not.
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn flush_directory(_: &Path) -> io::Result<()> {
    Ok(())
}
