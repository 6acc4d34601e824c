//! Reads regular files only: a pipe or a device in the tree would block or never end.

use std::{
    fs::{self, File, Metadata},
    io::{self, Read as _},
    path::Path,
};

/// Size in bytes that hand-written files (a configuration, `ci.yaml`) never reach.
pub const MAX_HANDWRITTEN_SIZE: u64 = 1 << 20;

/// Maximum number of bytes read from a pipe: offsets in a text are 32 bits.
const MAX_PIPE: u64 = u32::MAX as u64;
/// Display name of a device.
const DEVICE: &str = "a device";
/// Maximum number of bytes read from a device: enough for typed input, and too few to exhaust memory.
const MAX_DEVICE: u64 = 64 << 20;

/// Returns the maximum number of bytes to read from an input named by the user. A device may be endless.
pub fn max_input(metadata: &Metadata) -> u64 {
    match describe_special(metadata) {
        None => u64::MAX,
        Some(DEVICE) => MAX_DEVICE,
        Some(_) => MAX_PIPE,
    }
}

/// Opens a regular file for reading. Does not wait for a named pipe or a device.
///
/// # Errors
///
/// If it cannot be opened, or is not a regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    // Opening some devices has side effects, so the file type is checked first. It may change before the file
    // is open.
    check_regular(&fs::metadata(path)?)?;
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags(nix::fcntl::OFlag::O_NONBLOCK.bits());
    }
    let file = options.open(path)?;
    check_regular(&file.metadata()?)?;
    Ok(file)
}

/// Reads all bytes of a regular file with at most `most` bytes. For files that the user did not name.
///
/// # Errors
///
/// As [`open_regular`], and if the file is larger.
pub fn read_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_limited(open_regular(path)?, most)
}

/// Reads all bytes of an open file with at most `most` bytes.
///
/// # Errors
///
/// If it cannot be read, or is larger.
pub fn read_limited(file: impl io::Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(too_large(most));
    }
    Ok(bytes)
}

/// Creates the error for files with more than `max` bytes.
pub(super) fn too_large(max: u64) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("larger than {} MB", max >> 20))
}

fn check_regular(metadata: &Metadata) -> io::Result<()> {
    match describe_special(metadata) {
        None => Ok(()),
        Some(what) => Err(io::Error::new(io::ErrorKind::InvalidInput, what)),
    }
}

/// Returns the display name of anything except a regular file; `None` for a regular file. Links must already be
/// resolved.
pub(super) fn describe_special(metadata: &Metadata) -> Option<&'static str> {
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
    fn opens_only_regular_files_without_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let (pipe, file, large) =
            (folder.path().join("pipe"), folder.path().join("file"), folder.path().join("large"));
        mkfifo(&pipe, Mode::S_IRWXU).unwrap();
        fs::write(&file, "a").unwrap();
        File::create(&large).unwrap().set_len(MAX_HANDWRITTEN_SIZE + 1).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("socket")).unwrap();
        let refusal = |path: &Path| read_regular(path, MAX_HANDWRITTEN_SIZE).unwrap_err().to_string();
        assert_eq!(refusal(&pipe), "a named pipe");
        assert_eq!(refusal(&folder.path().join("socket")), "a socket");
        assert_eq!(refusal(folder.path()), "a folder");
        assert_eq!(refusal(Path::new("/dev/zero")), "a device");
        assert_eq!(refusal(&large), "larger than 1 MB");
        assert_eq!(read_regular(&file, MAX_HANDWRITTEN_SIZE).unwrap(), b"a");
    }
}
