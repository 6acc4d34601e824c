//! Bytes from a client of `olmap serve`: nothing panics, a head ends with its empty line, and the response is
//! well formed. Data is sent only if the request names this machine exactly once.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use olm_catalog::{Catalog, load};
use olmap::fuzzing;

static CATALOG: LazyLock<Catalog> =
    LazyLock::new(|| load::from_bytes(include_bytes!("../seeds/loader/small.yaml").to_vec()));

/// Maximum size of a head.
const MAX_HEAD: usize = 16 << 10;
const OWN: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Returns the lines of a head, and the number of its bytes.
fn lines(bytes: &[u8]) -> (Vec<String>, usize) {
    let bytes = &bytes[..bytes.len().min(MAX_HEAD)];
    let (mut lines, mut read) = (Vec::new(), 0);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        read += line.len();
        let text = line.strip_suffix(b"\n").map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        if text == Some(b"") && !lines.is_empty() {
            break;
        }
        if text != Some(b"") {
            lines.push(String::from_utf8_lossy(text.unwrap_or(line)).into_owned());
        }
    }
    (lines, read)
}

fn is_own(host: &str) -> bool {
    let host = host.trim().to_ascii_lowercase();
    OWN.iter().any(|own| {
        host.strip_prefix(own).is_some_and(|port| {
            port.is_empty()
                || port
                    .strip_prefix(':')
                    .is_some_and(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()))
        })
    })
}

fuzz_target!(|bytes: &[u8]| {
    let (sent, read) = fuzzing::request(&CATALOG, bytes).expect("nothing fails in memory");
    let (asked, length) = lines(bytes);
    assert_eq!(read, length, "nothing is waited for after the empty line");
    let end = sent.windows(4).position(|part| part == b"\r\n\r\n").expect("a head");
    let (head, body) = (std::str::from_utf8(&sent[..end]).expect("ASCII"), &sent[end + 4..]);
    let status = head.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.split(' ').next()).expect("a status");
    let said = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).expect("a length");
    let is_head = asked.first().is_some_and(|line| line.starts_with("HEAD "));
    assert!(is_head && body.is_empty() || said.parse() == Ok(body.len()), "{head}");
    if ["200", "206", "304", "404", "416"].contains(&status) {
        let hosts = asked.iter().skip(1).filter_map(|line| line.split_once(':'));
        let hosts: Vec<&str> =
            hosts.filter(|(name, _)| name.eq_ignore_ascii_case("host")).map(|(_, host)| host).collect();
        assert!(matches!(hosts.as_slice(), [host] if is_own(host)), "{asked:?}: {status}");
    }
});
