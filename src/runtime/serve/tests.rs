//! Tests of the server over memory and sockets.

use std::{
    io::{Read as _, Write as _},
    time::Duration,
};

use super::*;
use olm_catalog::load;

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
    for head in ["", "GET", "GET / HTTP/1.1\r\nHost: localhost\r\n", "\n\n\n", &endless[..MAX_HEAD as usize]]
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
