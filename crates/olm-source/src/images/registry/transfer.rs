//! Body of a blob, which is resumed after a broken connection, and the time limit of a whole transfer.

use std::{
    io::{self, Read},
    time::{Duration, Instant},
};

use ureq::{
    BodyReader,
    http::{Response, StatusCode, header},
};

use super::client::RequestError;
use crate::images::error::ImageError;

/// Maximum number of attempts to resume without progress.
const MAX_ATTEMPTS: u32 = 5;
/// Number of bytes that count as progress.
const PROGRESS_BYTES: u64 = 1 << 20;

/// Function that requests the bytes of a blob from a position, with the number of the attempt from 0.
type RequestRange<'a> = dyn Fn(u64, u32) -> Result<Response<ureq::Body>, RequestError> + 'a;

/// Reader of a blob that resumes after a broken connection.
pub struct ResumingReader<'a> {
    request: Box<RequestRange<'a>>,
    body: Option<BodyReader<'static>>,
    /// Number of bytes read.
    position: u64,
    /// Total number of bytes, if known.
    length: Option<u64>,
    attempts: u32,
    /// Position at which the attempts were last reset.
    since: u64,
}

impl<'a> ResumingReader<'a> {
    /// Creates a reader from a first response.
    pub fn new(response: Response<ureq::Body>, ask: Box<RequestRange<'a>>) -> Self {
        let length = content_length(&response);
        let body = Some(response.into_body().into_reader());
        Self { request: ask, body, position: 0, length, attempts: 0, since: 0 }
    }

    fn is_complete(&self) -> bool {
        self.length.is_none_or(|length| self.position >= length)
    }

    fn resume(&mut self, why: io::Error) -> io::Result<()> {
        if self.position >= self.since + PROGRESS_BYTES {
            self.attempts = 0;
            self.since = self.position;
        }
        self.attempts += 1;
        if self.attempts > MAX_ATTEMPTS {
            return Err(why);
        }
        let response = match (self.request)(self.position, self.attempts - 1) {
            Ok(response) => response,
            Err(RequestError::Unreachable(why)) => return self.resume(io::Error::other(why)),
            Err(RequestError::Other(error)) => return Err(io::Error::other(error)),
        };
        match response.status() {
            StatusCode::PARTIAL_CONTENT if begins_at(&response, self.position) => {
                self.body = Some(response.into_body().into_reader());
            }
            StatusCode::OK => {
                // The server sends everything again, so the known bytes are skipped.
                let mut body = response.into_body().into_reader();
                let skipped = io::copy(&mut (&mut body).take(self.position), &mut io::sink());
                self.body = (skipped.ok() == Some(self.position)).then_some(body);
            }
            _ => return Err(why),
        }
        Ok(())
    }
}

/// Returns true if an error is a timeout.
pub fn is_timeout(error: &io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<ureq::Error>());
    error.kind() == io::ErrorKind::TimedOut || matches!(inner, Some(ureq::Error::Timeout(_)))
}

/// Returns the length in the header of a response.
pub fn content_length(response: &Response<ureq::Body>) -> Option<u64> {
    response.headers().get(header::CONTENT_LENGTH)?.to_str().ok()?.trim().parse().ok()
}

fn begins_at(response: &Response<ureq::Body>, position: u64) -> bool {
    let range = response.headers().get(header::CONTENT_RANGE).and_then(|value| value.to_str().ok());
    let begin = range.and_then(|range| range.trim().strip_prefix("bytes ")?.split_once('-'));
    begin.is_some_and(|(begin, _)| begin.trim().parse() == Ok(position))
}

impl Read for ResumingReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let cut = || io::Error::new(io::ErrorKind::UnexpectedEof, "the connection was cut");
            let Some(body) = &mut self.body else {
                self.resume(cut())?;
                continue;
            };
            match body.read(buffer) {
                Ok(0) if self.is_complete() => return Ok(0),
                Ok(0) => {
                    self.body = None;
                    self.resume(cut())?;
                }
                Ok(count) => {
                    self.position += count as u64;
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // After one timeout, there is no second wait.
                Err(error) if is_timeout(&error) => return Err(error),
                Err(error) => {
                    self.body = None;
                    self.resume(error)?;
                }
            }
        }
    }
}

/// Default limit of a whole transfer.
const DEFAULT_TIME_LIMIT: Duration = Duration::from_secs(30 * 60);

/// End of a transfer with all its requests, retries and resumed bodies.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    start: Instant,
    limit: Duration,
}

impl Deadline {
    /// Starts a transfer with a time limit; `None` for the default.
    pub fn starting_now(limit: Option<Duration>) -> Self {
        Self { start: Instant::now(), limit: limit.unwrap_or(DEFAULT_TIME_LIMIT) }
    }

    /// Returns the remaining time.
    ///
    /// # Errors
    ///
    /// If the limit is exceeded.
    pub fn remaining(&self) -> Result<Duration, ImageError> {
        let left = self.limit.saturating_sub(self.start.elapsed());
        if left.is_zero() { Err(self.exceeded_error()) } else { Ok(left) }
    }

    /// Returns the error for a transfer that exceeded its limit.
    pub fn exceeded_error(&self) -> ImageError {
        ImageError::TooSlow(self.limit)
    }
}
