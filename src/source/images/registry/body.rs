//! The bytes of a blob, which go on where a connection broke.

use std::io::{self, Read};

use ureq::{
    BodyReader,
    http::{Response, StatusCode, header},
};

use super::client::Failed;

/// How often a broken connection is taken up again without anything new.
const ATTEMPTS: u32 = 5;
/// How many bytes are something new.
const NEW: u64 = 1 << 20;

/// Asks for the bytes of a blob from one on, for the how manieth time, from 0.
pub type Ask<'a> = dyn Fn(u64, u32) -> Result<Response<ureq::Body>, Failed> + 'a;

/// The bytes of a blob.
pub struct Resuming<'a> {
    ask: Box<Ask<'a>>,
    body: Option<BodyReader<'static>>,
    /// How many bytes came.
    position: u64,
    /// How many there are, where that is known.
    length: Option<u64>,
    attempts: u32,
    /// Where the attempts were counted from.
    since: u64,
}

impl<'a> Resuming<'a> {
    /// Of a first answer.
    pub fn new(response: Response<ureq::Body>, ask: Box<Ask<'a>>) -> Self {
        let length = content_length(&response);
        let body = Some(response.into_body().into_reader());
        Self { ask, body, position: 0, length, attempts: 0, since: 0 }
    }

    fn is_whole(&self) -> bool {
        self.length.is_none_or(|length| self.position >= length)
    }

    fn again(&mut self, why: io::Error) -> io::Result<()> {
        if self.position >= self.since + NEW {
            self.attempts = 0;
            self.since = self.position;
        }
        self.attempts += 1;
        if self.attempts > ATTEMPTS {
            return Err(why);
        }
        let response = match (self.ask)(self.position, self.attempts - 1) {
            Ok(response) => response,
            Err(Failed::Unreachable(why)) => return self.again(io::Error::other(why)),
            Err(Failed::Other(error)) => return Err(io::Error::other(error)),
        };
        match response.status() {
            StatusCode::PARTIAL_CONTENT if begins_at(&response, self.position) => {
                self.body = Some(response.into_body().into_reader());
            }
            StatusCode::OK => {
                // All of it once more: what is here already is passed over.
                let mut body = response.into_body().into_reader();
                let skipped = io::copy(&mut (&mut body).take(self.position), &mut io::sink());
                self.body = (skipped.ok() == Some(self.position)).then_some(body);
            }
            _ => return Err(why),
        }
        Ok(())
    }
}

/// Whether nothing came for too long.
pub fn is_timeout(error: &io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<ureq::Error>());
    error.kind() == io::ErrorKind::TimedOut || matches!(inner, Some(ureq::Error::Timeout(_)))
}

/// Returns the length of a body as its header says it.
pub fn content_length(response: &Response<ureq::Body>) -> Option<u64> {
    response.headers().get(header::CONTENT_LENGTH)?.to_str().ok()?.trim().parse().ok()
}

fn begins_at(response: &Response<ureq::Body>, position: u64) -> bool {
    let range = response.headers().get(header::CONTENT_RANGE).and_then(|value| value.to_str().ok());
    let begin = range.and_then(|range| range.trim().strip_prefix("bytes ")?.split_once('-'));
    begin.is_some_and(|(begin, _)| begin.trim().parse() == Ok(position))
}

impl Read for Resuming<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let cut = || io::Error::new(io::ErrorKind::UnexpectedEof, "the connection was cut");
            let Some(body) = &mut self.body else {
                self.again(cut())?;
                continue;
            };
            match body.read(buffer) {
                Ok(0) if self.is_whole() => return Ok(0),
                Ok(0) => {
                    self.body = None;
                    self.again(cut())?;
                }
                Ok(count) => {
                    self.position += count as u64;
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Who waited long enough once does not wait once more.
                Err(error) if is_timeout(&error) => return Err(error),
                Err(error) => {
                    self.body = None;
                    self.again(error)?;
                }
            }
        }
    }
}
