//! Readers that count, hash and check for cancellation.

use std::{
    io::{self, Read},
    sync::atomic::Ordering,
};

use super::limits::{Stop, Usage};
use crate::images::digest::{Digest, Digester};
use olm_catalog::load::Progress;

/// Reader of a layer's stored bytes, which counts them and stops on cancellation.
pub struct PackedReader<'r> {
    inner: Box<dyn Read + 'r>,
    used: &'r Usage,
    progress: &'r Progress,
    has_failed: bool,
}

impl<'r> PackedReader<'r> {
    pub(super) fn new(inner: Box<dyn Read + 'r>, used: &'r Usage, progress: &'r Progress) -> Self {
        Self { inner, used, progress, has_failed: false }
    }
}

impl Read for PackedReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.progress.check_stopped().is_err() {
            return Err(Stop::Cancelled.into());
        }
        if self.has_failed {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let count = match self.inner.read(buffer) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
            Err(error) => {
                // Readers in between replace the error.
                self.has_failed = true;
                self.used.record_failure(error);
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        };
        self.used.add_packed(count)?;
        self.progress.bytes.fetch_add(count, Ordering::Relaxed);
        Ok(count)
    }
}

/// Reader of a tar, which counts its bytes.
pub struct UnpackedReader<'r> {
    inner: &'r mut dyn Read,
    used: &'r Usage,
}

impl<'r> UnpackedReader<'r> {
    pub(super) fn new(inner: &'r mut dyn Read, used: &'r Usage) -> Self {
        Self { inner, used }
    }
}

impl Read for UnpackedReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.used.add_unpacked(count)?;
        Ok(count)
    }
}

/// Reader that computes a digest.
pub struct HashingReader<R> {
    inner: R,
    expected: Option<(Digest, Digester)>,
}

impl<R: Read> HashingReader<R> {
    /// Creates a reader. Without an expected digest, none is computed.
    pub fn new(inner: R, expected: Option<&Digest>) -> Self {
        Self { inner, expected: expected.map(|digest| (digest.clone(), digest.digester())) }
    }

    /// Reads the rest. Returns the expected and the actual digest if they differ.
    pub fn verify_rest(mut self) -> io::Result<Option<(Digest, Digest)>> {
        if self.expected.is_none() {
            return Ok(None);
        }
        io::copy(&mut self, &mut io::sink())?;
        let Some((expected, digester)) = self.expected else { return Ok(None) };
        let found = digester.finish();
        Ok((found != expected).then_some((expected, found)))
    }
}

impl<R: Read> Read for HashingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        if let (Some((_, digester)), Some(bytes)) = (&mut self.expected, buffer.get(..count)) {
            digester.update(bytes);
        }
        Ok(count)
    }
}
