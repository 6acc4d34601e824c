//! A catalog for programs on this machine, by the API of catalogd: `/api/v1/all` and `/api/v1/metas`, also below
//! `/catalogs/NAME`. Plain HTTP on the loopback address, for trying things out.
//!
//! Sources: catalogd's `internal/catalogd/server` (handlers, their parameters and statuses).

mod answer;
mod metas;

use std::{
    io::{self, BufRead as _, BufReader, Read, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, SystemTime},
};

use answer::{Answer, Asked};
use flate2::{Compression, write::GzEncoder};
use metas::Meta;

use crate::catalog::Catalog;

/// How many are answered at once.
const MOST: usize = 64;
/// The most bytes of what a request begins with.
const HEAD: u64 = 16 << 10;
/// The most headers of a request.
const HEADERS: usize = 64;
/// How long a client may be silent.
const PATIENCE: Duration = Duration::from_secs(30);

/// What is served: a catalog as lines of JSON, in the order of its files.
pub struct Served {
    all: Vec<u8>,
    packed: Vec<u8>,
    metas: Vec<Meta>,
    /// When that was, as HTTP writes it.
    modified: String,
}

impl Served {
    /// A catalog, as it is now.
    ///
    /// # Errors
    ///
    /// When it cannot be compressed.
    pub fn new(catalog: &Catalog) -> io::Result<Self> {
        let (all, metas) = metas::lines(catalog);
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(&all)?;
        let modified = httpdate::fmt_http_date(SystemTime::now());
        Ok(Self { packed: packed.finish()?, all, metas, modified })
    }
}

/// A free port, or the one that is asked for, on the loopback address.
///
/// # Errors
///
/// When it is taken.
pub fn listen(port: u16) -> io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// Answers until the program ends.
pub fn serve(listener: &TcpListener, served: Served) {
    let served = Arc::new(served);
    let busy = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        // A client that is gone already is no reason to end.
        let Ok(stream) = stream else { continue };
        let (served, mine) = (Arc::clone(&served), Arc::clone(&busy));
        if busy.fetch_add(1, Ordering::SeqCst) >= MOST {
            busy.fetch_sub(1, Ordering::SeqCst);
            let _ = write(&stream, &Answer::status(503), true);
            continue;
        }
        let answering = thread::Builder::new().spawn(move || {
            let _ = converse(&stream, &served);
            mine.fetch_sub(1, Ordering::SeqCst);
        });
        if answering.is_err() {
            busy.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

fn converse(stream: &TcpStream, served: &Served) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let head = head(stream)?;
    let (answer, has_body) = answered(&head, served);
    write(stream, &answer, has_body)
}

/// The whole answer to some bytes.
#[cfg(fuzzing)]
pub(super) fn answered_in_bytes(served: &Served, bytes: &[u8]) -> io::Result<Vec<u8>> {
    let head = head(bytes)?;
    let (answer, has_body) = answered(&head, served);
    let mut sent = Vec::new();
    write(&mut sent, &answer, has_body)?;
    Ok(sent)
}

/// The answer to what a request begins with, and whether its body is sent too.
fn answered<'s>(head: &[u8], served: &'s Served) -> (Answer<'s>, bool) {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let parsed = request.parse(head);
    let (Ok(httparse::Status::Complete(_)), Some(method), Some(target)) =
        (parsed, request.method, request.path)
    else {
        return (Answer::status(400), true);
    };
    let header = |name: &str| {
        let mut found = request.headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name));
        found.next().and_then(|header| std::str::from_utf8(header.value).ok())
    };
    let asked = Asked { method, target, header: &header };
    (answer::answer(&asked, served), method != "HEAD")
}

/// What a request begins with, up to the empty line.
fn head(stream: impl Read) -> io::Result<Vec<u8>> {
    let mut reader = BufReader::new(stream.take(HEAD));
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if reader.read_until(b'\n', &mut head)? == 0 {
            break;
        }
    }
    Ok(head)
}

fn write(mut stream: impl io::Write, answer: &Answer<'_>, has_body: bool) -> io::Result<()> {
    let mut head = format!(
        "HTTP/1.1 {} {}\r\nConnection: close\r\nContent-Length: {}\r\n",
        answer.status,
        answer.reason(),
        answer.body.len()
    );
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes())?;
    if has_body {
        stream.write_all(&answer.body)?;
    }
    stream.flush()
}
