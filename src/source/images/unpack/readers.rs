//! Readers that count, hash and stop.

use std::{
    io::{self, Read},
    sync::atomic::Ordering,
};

use super::limits::{Stop, Used};
use crate::{
    catalog::load::Progress,
    source::images::digest::{Digest, Digester},
};

/// The bytes of a layer as they are: counted, and nothing more once somebody asked to stop.
pub struct Packed<'r> {
    inner: Box<dyn Read + 'r>,
    used: &'r Used,
    progress: &'r Progress,
    has_failed: bool,
}

impl<'r> Packed<'r> {
    pub(super) fn new(inner: Box<dyn Read + 'r>, used: &'r Used, progress: &'r Progress) -> Self {
        Self { inner, used, progress, has_failed: false }
    }
}

impl Read for Packed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.progress.check().is_err() {
            return Err(Stop::Cancelled.into());
        }
        if self.has_failed {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let count = match self.inner.read(buffer) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
            Err(error) => {
                // Readers between put words of their own in its place.
                self.has_failed = true;
                self.used.fail(error);
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        };
        self.used.add_packed(count)?;
        self.progress.bytes.fetch_add(count, Ordering::Relaxed);
        Ok(count)
    }
}

/// The bytes of a tar, counted.
pub struct Unpacked<'r> {
    inner: &'r mut dyn Read,
    used: &'r Used,
}

impl<'r> Unpacked<'r> {
    pub(super) fn new(inner: &'r mut dyn Read, used: &'r Used) -> Self {
        Self { inner, used }
    }
}

impl Read for Unpacked<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.used.add_unpacked(count)?;
        Ok(count)
    }
}

/// Bytes of which the digest is made while they are read.
pub struct Hashed<R> {
    inner: R,
    expected: Option<(Digest, Digester)>,
}

impl<R: Read> Hashed<R> {
    /// `expected`: what the digest should be; none where that is not asked.
    pub fn new(inner: R, expected: Option<&Digest>) -> Self {
        Self { inner, expected: expected.map(|digest| (digest.clone(), digest.digester())) }
    }

    /// Reads what is left; what the digest should be, and what it is, where these differ.
    pub fn finish(mut self) -> io::Result<Option<(Digest, Digest)>> {
        if self.expected.is_none() {
            return Ok(None);
        }
        io::copy(&mut self, &mut io::sink())?;
        let Some((expected, digester)) = self.expected else { return Ok(None) };
        let found = digester.finish();
        Ok((found != expected).then_some((expected, found)))
    }
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        if let (Some((_, digester)), Some(bytes)) = (&mut self.expected, buffer.get(..count)) {
            digester.update(bytes);
        }
        Ok(count)
    }
}
