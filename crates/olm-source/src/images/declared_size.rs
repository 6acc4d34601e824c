//! Content with exactly the declared size of its descriptor.

use std::io::{self, Read};

use super::{
    digest::Digest,
    error::{FoundSize, ImageError},
    image::{self, Descriptor},
};

/// Reader that fails unless the content has exactly the declared size. It never returns more bytes.
pub struct ExactReader<R> {
    inner: R,
    what: &'static str,
    digest: Digest,
    declared: u64,
    /// Number of bytes read.
    position: u64,
    /// True if the content is known to be complete.
    is_over: bool,
}

impl<R: Read> ExactReader<R> {
    /// Limits a reader to the content of a descriptor.
    ///
    /// # Errors
    ///
    /// If the descriptor does not declare a size.
    pub fn new(inner: R, at: &Descriptor, what: &'static str) -> Result<Self, ImageError> {
        let declared = at.declared(what)?;
        Ok(Self { inner, what, digest: at.digest.clone(), declared, position: 0, is_over: false })
    }

    fn wrong(&self, found: FoundSize) -> io::Error {
        let (what, digest, declared) = (self.what, self.digest.clone(), self.declared);
        io::Error::other(ImageError::WrongSize { what, digest, declared, found })
    }
}

impl<R: Read> Read for ExactReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() || self.is_over {
            return Ok(0);
        }
        let left = self.declared - self.position;
        if left == 0 {
            if self.inner.read(&mut [0])? > 0 {
                return Err(self.wrong(FoundSize::More));
            }
            self.is_over = true;
            return Ok(0);
        }
        let most = usize::try_from(left).map_or(buffer.len(), |left| left.min(buffer.len()));
        let count = self.inner.read(buffer.get_mut(..most).unwrap_or_default())?;
        if count == 0 {
            return Err(self.wrong(FoundSize::Exactly(self.position)));
        }
        self.position += count as u64;
        Ok(count)
    }
}

/// Reads the whole content of a descriptor and checks its size. Does not call `open` for content above `most`
/// bytes.
///
/// # Errors
///
/// If it cannot be read, or has another size. `unread` converts read errors.
pub fn read_declared<R: Read>(
    at: &Descriptor,
    what: &'static str,
    most: u64,
    open: impl FnOnce() -> Result<R, ImageError>,
    unread: impl FnOnce(io::Error) -> ImageError,
) -> Result<Vec<u8>, ImageError> {
    if at.declared(what)? > most {
        let why = format!("it is larger than {} MiB", most >> 20);
        return Err(ImageError::Malformed { what, why });
    }
    let mut bytes = Vec::new();
    match ExactReader::new(open()?, at, what)?.read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(error.downcast::<ImageError>().unwrap_or_else(unread)),
    }
}

/// Checks the size of content that is already in memory.
///
/// # Errors
///
/// If the size differs from the declared one.
pub fn check_declared_size(at: &Descriptor, what: &'static str, bytes: &[u8]) -> Result<(), ImageError> {
    read_declared(
        at,
        what,
        image::MAX_MANIFEST_BYTES,
        || Ok(bytes),
        |source| ImageError::Malformed { what, why: source.to_string() },
    )
    .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test_descriptor(size: Option<u64>) -> Descriptor {
        Descriptor { digest: Digest::sha256(b"tide"), size, media_type: String::new() }
    }

    fn read_as(size: Option<u64>) -> Result<Vec<u8>, String> {
        let unread = |error: io::Error| ImageError::Registry(error.to_string(), None);
        read_declared(&test_descriptor(size), "layer", 100, || Ok(&b"tide"[..]), unread)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn content_of_wrong_size_is_refused() {
        assert_eq!(read_as(Some(4)).as_deref(), Ok(&b"tide"[..]));
        assert!(read_as(Some(3)).unwrap_err().ends_with("has more, and 3 bytes are declared"));
        assert!(read_as(Some(0)).unwrap_err().ends_with("has more, and 0 bytes are declared"));
        assert!(read_as(Some(5)).unwrap_err().ends_with("has 4 bytes, and 5 bytes are declared"));
        assert!(read_as(Some(101)).unwrap_err().contains("larger than"));
        assert!(read_as(None).unwrap_err().contains("size"));
    }

    #[test]
    fn reads_no_more_than_the_declared_size() {
        let mut endless = ExactReader::new(io::repeat(7), &test_descriptor(Some(1000)), "layer").unwrap();
        let mut bytes = Vec::new();
        assert!(endless.read_to_end(&mut bytes).is_err());
        assert_eq!(bytes.len(), 1000);
    }
}
