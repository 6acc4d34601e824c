//! HTTP server for a catalog on this machine, with the API of catalogd: `/api/v1/all` and `/api/v1/metas`,
//! also below `/catalogs/NAME`. Plain HTTP on the loopback address, for experiments.
//!
//! Source: `internal/catalogd/server` of catalogd (handlers, parameters and statuses).

mod connection;
mod response;

use std::io::{self, BufRead as _, BufReader, BufWriter, Read, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Instant, SystemTime};
use std::{ops::Range, sync::Arc, thread};

use flate2::{Compression, write::GzEncoder};
use rayon::prelude::*;

use connection::Connection;
use olm_catalog::text::canonical::{self, RenderFormat};
use olm_catalog::{Catalog, Node};
use response::{RequestHead, Response};

pub use connection::Limits;

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
        let (all, metas) = serialize_objects(catalog);
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(&all)?;
        let modified = httpdate::fmt_http_date(SystemTime::now());
        Ok(Self { gzipped: packed.finish()?, all, objects: metas, modified })
    }
}

/// Searchable fields of an object, and the byte range of its line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ObjectFields {
    pub schema: String,
    pub package: String,
    pub name: String,
    pub at: Range<usize>,
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
#[cfg(feature = "fuzzing")]
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

/// Returns all objects in file order, one per line, and their fields.
fn serialize_objects(catalog: &Catalog) -> (Vec<u8>, Vec<ObjectFields>) {
    let documents: Vec<_> = catalog.documents().collect();
    let line = |doc| -> Option<(ObjectFields, String)> {
        let node = catalog.parse_document(doc)?.ok()?;
        let text = |key: &str| node.get(key).and_then(Node::as_str).unwrap_or_default().to_owned();
        let meta =
            ObjectFields { schema: text("schema"), package: text("package"), name: text("name"), at: 0..0 };
        let pretty = canonical::write_documents(&[canonical::normalize(&node)], RenderFormat::Json);
        // catalogd serves objects that `opm render` omits, such as a channel without a package.
        let pretty = if pretty.is_empty() { to_json_line(&node) } else { pretty };
        Some((meta, compact(&pretty)))
    };
    let found: Vec<_> = documents.into_par_iter().filter_map(line).collect();
    let (mut all, mut metas) = (Vec::new(), Vec::new());
    for (meta, line) in found {
        let begin = all.len();
        all.extend_from_slice(line.as_bytes());
        all.push(b'\n');
        metas.push(ObjectFields { at: begin..all.len(), ..meta });
    }
    (all, metas)
}

fn to_json_line(node: &Node<'_>) -> String {
    olm_catalog::text::emit::write_json(node)
}

/// Removes white space between the parts of JSON. Numbers and strings are not changed.
fn compact(pretty: &str) -> String {
    let mut out = String::with_capacity(pretty.len());
    let (mut is_text, mut is_escaped) = (false, false);
    for c in pretty.chars() {
        if is_text {
            out.push(c);
            is_text = is_escaped || c != '"';
            is_escaped = c == '\\' && !is_escaped;
        } else if !c.is_ascii_whitespace() {
            out.push(c);
            is_text = c == '"';
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::time::Duration;

    use super::*;
    use olm_catalog::load;

    #[test]
    fn white_space_is_removed_outside_of_strings() {
        assert_eq!(
            compact("{\n    \"a b\": \"c \\\" d\\\\\",\n  \"e\": [1.50, null]\n}\n"),
            "{\"a b\":\"c \\\" d\\\\\",\"e\":[1.50,null]}"
        );
    }

    #[test]
    fn each_object_is_a_line_in_the_order_of_the_file() {
        let text = "schema: olm.channel\npackage: tide\nname: stable\nentries: []\n---\nschema: olm.package\nname: tide\n\
                    ---\nschema: x.y\nwhat: {b: 1, a: 2}\n";
        let (all, metas) = serialize_objects(&load::from_bytes(text.as_bytes().to_vec()));
        let text = String::from_utf8(all.clone()).unwrap();
        assert_eq!(text.lines().count(), 3);
        let found: Vec<_> = metas
            .iter()
            .map(|meta| (meta.schema.as_str(), meta.package.as_str(), meta.name.as_str()))
            .collect();
        assert_eq!(found, [("olm.channel", "tide", "stable"), ("olm.package", "", "tide"), ("x.y", "", "")]);
        for (meta, line) in metas.iter().zip(text.lines()) {
            assert_eq!(all[meta.at.clone()], format!("{line}\n").into_bytes());
            assert_eq!(serde_json::from_str::<serde_json::Value>(line).unwrap()["schema"], meta.schema);
        }
    }

    fn sample_catalog() -> ServedCatalog {
        let text = "schema: olm.package\nname: tide\n---\nschema: olm.channel\npackage: tide\nname: stable\nentries: []\n";
        ServedCatalog::new(&load::from_bytes(text.as_bytes().to_vec())).unwrap()
    }

    /// Sends bytes to a server with limits, and returns the response. The connection stays open for writing.
    fn exchange(limits: Limits, request: &[u8]) -> String {
        let (listener, address) = bind_loopback(0).unwrap();
        thread::spawn(move || serve_catalog(&listener, sample_catalog(), limits));
        let mut client = TcpStream::connect(address).unwrap();
        client.write_all(request).unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn request_head_ends_with_an_empty_line_whatever_ends_its_lines() {
        for request in [
            "GET /api/v1/all HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET /api/v1/all HTTP/1.1\nHost: localhost\n\n",
            "GET /api/v1/all HTTP/1.1\r\nHost: localhost\n\r\n",
            "GET /api/v1/all HTTP/1.1\nHost: localhost\r\n\n",
            "\r\n\nGET /api/v1/all HTTP/1.1\r\nHost: localhost\r\n\r\n",
        ] {
            let more = format!("{request}never read");
            assert_eq!(read_head(&mut more.as_bytes()).unwrap(), request.as_bytes(), "{request:?}");
            // The client keeps the connection open and sends nothing more. The response must not depend on the
            // end of the input.
            let answer =
                exchange(Limits { head: Duration::from_secs(3600), ..Limits::default() }, request.as_bytes());
            assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{request:?}: {answer}");
        }
    }

    #[test]
    fn head_that_is_too_long_or_cut_off_is_refused() {
        let endless = "\n".repeat(1 << 20);
        assert_eq!(read_head(&mut endless.as_bytes()).unwrap().len() as u64, MAX_HEAD);
        for head in
            ["", "GET", "GET / HTTP/1.1\r\nHost: localhost\r\n", "\n\n\n", &endless[..MAX_HEAD as usize]]
        {
            assert_eq!(respond_to_head(head.as_bytes(), &sample_catalog()).0.status, 400, "{head:.40?}");
        }
    }

    #[test]
    fn incomplete_request_head_is_answered_with_408_at_the_deadline() {
        let limits = Limits { head: Duration::from_millis(1), ..Limits::default() };
        for begun in ["", "GET /api/v1/all HTTP/1.1\r\nHost: loc"] {
            let answer = exchange(limits, begun.as_bytes());
            assert!(answer.starts_with("HTTP/1.1 408 Request Timeout\r\n"), "{begun:?}: {answer}");
        }
    }

    #[test]
    fn clients_that_read_nothing_do_not_hold_their_slots() {
        let text = "schema: olm.package\nname: tide\ndescription: ".to_owned() + &"a".repeat(32 << 20) + "\n";
        let served = ServedCatalog::new(&load::from_bytes(text.into_bytes())).unwrap();
        let (listener, address) = bind_loopback(0).unwrap();
        let limits = Limits { stall: Duration::from_millis(1), ..Limits::default() };
        thread::spawn(move || serve_catalog(&listener, served, limits));
        let request = b"GET /api/v1/metas HTTP/1.1\r\nHost: localhost\r\n\r\n";
        let slow: Vec<TcpStream> = std::iter::repeat_with(|| {
            let mut client = TcpStream::connect(address).unwrap();
            client.write_all(request).unwrap();
            client
        })
        .take(MAX_CLIENTS)
        .collect();
        // Every slot becomes free although no client disconnects.
        let status = || {
            let mut client = TcpStream::connect(address).unwrap();
            client.write_all(b"HEAD /api/v1/metas HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
            let mut answer = String::new();
            // A refused client may be reset before it has read the response.
            client.read_to_string(&mut answer).map_or_else(|_| String::new(), |_| answer)
        };
        let is_answered = (0..1_000_000).any(|_| status().starts_with("HTTP/1.1 200"));
        assert!(is_answered, "slow clients hold all slots");
        drop(slow);
    }
}
