//! Readers that decompress, count, hash and check for cancellation. The first bytes of a layer decide about its
//! compression, because its media type may be wrong.

use std::{
    io::{self, BufRead, BufReader, ErrorKind, Read},
    sync::atomic::Ordering,
};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::{
    FrameDecoder,
    errors::{FrameDecoderError, ReadFrameHeaderError},
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

/// Number of bytes that identify the compression.
const MAGIC_BYTES: usize = 6;

const BUFFER: usize = 64 << 10;

/// Returns a reader of the layer's tar.
pub fn decompress<'r>(packed: &'r mut dyn Read) -> io::Result<Box<dyn Read + 'r>> {
    let mut first = Vec::new();
    (&mut *packed).take(MAGIC_BYTES as u64).read_to_end(&mut first)?;
    let of_zstd = |first: &[u8]| {
        first.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) || matches!(first, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
    };
    let kind = match first.as_slice() {
        [0x1f, 0x8b, ..] => Compression::Gzip,
        first if of_zstd(first) => Compression::Zstd,
        first if first.starts_with(b"BZh") => return Err(unsupported("bzip2")),
        first if first.starts_with(b"\xfd7zXZ\0") => return Err(unsupported("xz")),
        _ => Compression::None,
    };
    let whole = BufReader::with_capacity(BUFFER, io::Cursor::new(first).chain(packed));
    Ok(match kind {
        Compression::Gzip => Box::new(MultiGzDecoder::new(whole)),
        Compression::Zstd => Box::new(Zstd { source: whole, frame: None }),
        Compression::None => Box::new(whole),
    })
}

enum Compression {
    Gzip,
    Zstd,
    None,
}

fn unsupported(name: &str) -> io::Error {
    io::Error::new(ErrorKind::Unsupported, format!("it is compressed with {name}; gzip and zstd are read"))
}

/// Reader of consecutive zstd frames.
struct Zstd<R> {
    source: R,
    frame: Option<Box<FrameDecoder>>,
}

impl<R: BufRead> Read for Zstd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let Some(frame) = &mut self.frame else {
                if self.source.fill_buf()?.is_empty() {
                    return Ok(0);
                }
                self.frame = begin_frame(&mut self.source)?;
                continue;
            };
            while frame.can_collect() == 0 && !frame.is_finished() {
                let one = ruzstd::decoding::BlockDecodingStrategy::UptoBlocks(1);
                frame.decode_blocks(&mut self.source, one).map_err(io::Error::other)?;
            }
            let count = frame.read(buffer)?;
            if count > 0 {
                return Ok(count);
            }
            self.frame = None;
        }
    }
}

/// Begins the next frame; `None` for a skippable frame.
fn begin_frame(source: &mut dyn BufRead) -> io::Result<Option<Box<FrameDecoder>>> {
    let mut frame = Box::new(FrameDecoder::new());
    match frame.init(&mut *source) {
        Ok(()) => Ok(Some(frame)),
        Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
            io::copy(&mut source.take(u64::from(length)), &mut io::sink())?;
            Ok(None)
        }
        Err(error) => Err(io::Error::other(error)),
    }
}
