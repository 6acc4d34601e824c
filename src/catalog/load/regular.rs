//! Reading only what is a regular file: whoever made the tree may have put a pipe or a device in the way, and neither ends.

use std::{
    fs::{self, File, Metadata},
    io::{self, Read as _},
    path::Path,
};

/// A size in bytes that nothing written by hand has: a configuration, `ci.yaml`.
pub const MOST_BY_HAND: u64 = 1 << 20;

/// Maximum number of bytes that are read of a pipe: places in a text are 32 bits.
const MAX_PIPE: u64 = u32::MAX as u64;
/// What a device is called.
const DEVICE: &str = "a device";
/// Maximum number of bytes that are read of a device: enough for typed input, and too few to exhaust memory.
const MAX_DEVICE: u64 = 64 << 20;

/// Returns the maximum number of bytes that are read of something a user named: a device may have no end.
pub fn max_input(metadata: &Metadata) -> u64 {
    match special(metadata) {
        None => u64::MAX,
        Some(DEVICE) => MAX_DEVICE,
        Some(_) => MAX_PIPE,
    }
}

/// Opens a regular file for reading. Does not wait for a named pipe, nor for a device.
///
/// # Errors
///
/// When it cannot be opened, or is not a regular file.
pub fn open(path: &Path) -> io::Result<File> {
    // Opening some devices does something, so first it is asked what is there; it may have changed before it is open.
    check(&fs::metadata(path)?)?;
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags(nix::fcntl::OFlag::O_NONBLOCK.bits());
    }
    let file = options.open(path)?;
    check(&file.metadata()?)?;
    Ok(file)
}

/// All bytes of a regular file that has at most so many: for files that are read though nobody named them.
///
/// # Errors
///
/// As [`open`], and when it has more.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    at_most(open(path)?, most)
}

/// All bytes of what is open already, and that has at most so many.
///
/// # Errors
///
/// When it cannot be read, or has more.
pub fn at_most(file: impl io::Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(too_large(most));
    }
    Ok(bytes)
}

/// Creates the error for what has more than so many bytes.
pub(super) fn too_large(max: u64) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("larger than {} MB", max >> 20))
}

fn check(metadata: &Metadata) -> io::Result<()> {
    match special(metadata) {
        None => Ok(()),
        Some(what) => Err(io::Error::new(io::ErrorKind::InvalidInput, what)),
    }
}

/// What there is in place of a regular file, for people; `None` for a regular file. Links must be followed already.
pub(super) fn special(metadata: &Metadata) -> Option<&'static str> {
    let kind = metadata.file_type();
    if kind.is_file() {
        return None;
    }
    if kind.is_dir() {
        return Some("a folder");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        if kind.is_fifo() {
            return Some("a named pipe");
        }
        if kind.is_socket() {
            return Some("a socket");
        }
    }
    Some(DEVICE)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use nix::{sys::stat::Mode, unistd::mkfifo};

    use super::*;

    #[test]
    fn only_regular_files_are_opened_and_nothing_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let (pipe, file, large) =
            (folder.path().join("pipe"), folder.path().join("file"), folder.path().join("large"));
        mkfifo(&pipe, Mode::S_IRWXU).unwrap();
        fs::write(&file, "a").unwrap();
        File::create(&large).unwrap().set_len(MOST_BY_HAND + 1).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("socket")).unwrap();
        let refusal = |path: &Path| read(path, MOST_BY_HAND).unwrap_err().to_string();
        assert_eq!(refusal(&pipe), "a named pipe");
        assert_eq!(refusal(&folder.path().join("socket")), "a socket");
        assert_eq!(refusal(folder.path()), "a folder");
        assert_eq!(refusal(Path::new("/dev/zero")), "a device");
        assert_eq!(refusal(&large), "larger than 1 MB");
        assert_eq!(read(&file, MOST_BY_HAND).unwrap(), b"a");
    }
}
