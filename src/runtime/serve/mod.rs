//! HTTP server for a catalog on this machine, with the API of catalogd: `/api/v1/all` and `/api/v1/metas`,
//! also below `/catalogs/NAME`. Plain HTTP on the loopback address, for experiments.
//!
//! Source: `internal/catalogd/server` of catalogd (handlers, parameters and statuses).

mod connection;
mod metas;
mod response;

use std::{
    io::{self, BufRead as _, BufReader, BufWriter, Read, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Instant, SystemTime},
};

use connection::Connection;
pub use connection::Limits;
use flate2::{Compression, write::GzEncoder};
use metas::ObjectFields;
use response::{RequestHead, Response};

use olm_catalog::Catalog;

/// Maximum number of concurrent clients.
const MAX_CLIENTS: usize = 64;
/// Maximum length of a request head in bytes.
const MAX_HEAD: u64 = 16 << 10;
/// Maximum number of headers of a request.
const MAX_HEADERS: usize = 64;
/// Size of a write in bytes; smaller objects are combined.
const CHUNK: usize = 64 << 10;

/// Served catalog: its objects as lines of JSON, in file order.
pub struct ServedCatalog {
    all: Vec<u8>,
    gzipped: Vec<u8>,
    objects: Vec<ObjectFields>,
    /// Creation time in HTTP format.
    modified: String,
}

impl ServedCatalog {
    /// Serializes a catalog.
    ///
    /// # Errors
    ///
    /// Fails if the catalog cannot be compressed.
    pub fn new(catalog: &Catalog) -> io::Result<Self> {
        let (all, metas) = metas::serialize_objects(catalog);
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(&all)?;
        let modified = httpdate::fmt_http_date(SystemTime::now());
        Ok(Self { gzipped: packed.finish()?, all, objects: metas, modified })
    }
}

/// Opens a port on the loopback address; 0 selects a free port.
///
/// # Errors
///
/// Fails if the port is in use.
pub fn bind_loopback(port: u16) -> io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// Answers requests until the program ends.
pub fn serve_catalog(listener: &TcpListener, served: ServedCatalog, limits: Limits) {
    let served = Arc::new(served);
    let busy = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        // A client that disconnected early must not end the server.
        let Ok(stream) = stream else { continue };
        let (served, mine) = (Arc::clone(&served), Arc::clone(&busy));
        if busy.fetch_add(1, Ordering::SeqCst) >= MAX_CLIENTS {
            busy.fetch_sub(1, Ordering::SeqCst);
            let _ = write_response(&stream, &Response::with_status(503), true);
            continue;
        }
        let answering = thread::Builder::new().spawn(move || {
            let _ = handle_connection(&stream, &served, limits);
            mine.fetch_sub(1, Ordering::SeqCst);
        });
        if answering.is_err() {
            busy.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

fn handle_connection(stream: &TcpStream, served: &ServedCatalog, limits: Limits) -> io::Result<()> {
    let mut connection = Connection::new(stream, limits, &Instant::now);
    let read = read_head(&mut connection);
    connection.begin_response();
    match read {
        Ok(head) => {
            let (answer, has_body) = respond_to_head(&head, served);
            write_response(&mut connection, &answer, has_body)
        }
        Err(error) if matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock) => {
            write_response(&mut connection, &Response::with_status(408), true)
        }
        Err(error) => Err(error),
    }
}

/// Returns the whole response to some bytes, and the number of bytes that were read.
#[cfg(fuzzing)]
pub(super) fn answer_bytes(served: &ServedCatalog, mut bytes: &[u8]) -> io::Result<(Vec<u8>, usize)> {
    let head = read_head(&mut bytes)?;
    let (answer, has_body) = respond_to_head(&head, served);
    let mut sent = Vec::new();
    write_response(&mut sent, &answer, has_body)?;
    Ok((sent, head.len()))
}

/// Returns the response to a request head, and whether its body is sent.
fn respond_to_head<'s>(head: &[u8], served: &'s ServedCatalog) -> (Response<'s>, bool) {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let parsed = request.parse(head);
    let (Ok(httparse::Status::Complete(_)), Some(method), Some(target)) =
        (parsed, request.method, request.path)
    else {
        return (Response::with_status(400), true);
    };
    let request = RequestHead { method, target, headers: request.headers };
    (response::respond(&request, served), method != "HEAD")
}

/// Reads a request head up to its empty line. Lines may end with CR LF or LF. Empty lines before the head are
/// included.
fn read_head(stream: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut reader = BufReader::new(stream.take(MAX_HEAD));
    let mut head = Vec::new();
    let mut has_begun = false;
    loop {
        let start = head.len();
        if reader.read_until(b'\n', &mut head)? == 0 {
            return Ok(head);
        }
        let is_empty = matches!(head.get(start..), Some(b"\n" | b"\r\n"));
        if is_empty && has_begun {
            return Ok(head);
        }
        has_begun |= !is_empty;
    }
}

fn write_response(stream: impl io::Write, answer: &Response<'_>, has_body: bool) -> io::Result<()> {
    let mut stream = BufWriter::with_capacity(CHUNK, stream);
    let (status, reason, length) = (answer.status, answer.reason(), answer.body.len());
    write!(stream, "HTTP/1.1 {status} {reason}\r\nConnection: close\r\nContent-Length: {length}\r\n")?;
    for (name, value) in &answer.headers {
        write!(stream, "{name}: {value}\r\n")?;
    }
    stream.write_all(b"\r\n")?;
    if has_body {
        for part in answer.body.byte_parts() {
            // A single write of the whole catalog would not show progress.
            for chunk in part.chunks(CHUNK) {
                stream.write_all(chunk)?;
            }
        }
    }
    stream.flush()
}

#[cfg(test)]
mod tests;
