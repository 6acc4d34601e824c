//! Bytes on the standard input of `olmap lsp`, including wrong framing: nothing panics, and valid messages
//! after them are read. The bytes may spoil the first of these messages if they end within a header, but none
//! after it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use olmap::fuzzing;

fn message(method: &str) -> serde_json::Value {
    serde_json::json!({ "method": method, "params": { "text": "Content-Length: 5\r\n\r\n" } })
}

fn framed(message: &serde_json::Value) -> Vec<u8> {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fuzz_target!(|bytes: &[u8]| {
    let good = ["first", "second", "third"].map(message);
    let mut input = bytes.to_vec();
    good.iter().for_each(|message| input.extend(framed(message)));
    let found = fuzzing::messages(&input);
    let read: Vec<&serde_json::Value> = found.iter().flatten().collect();
    let last: Vec<&str> =
        read.iter().rev().take(2).rev().filter_map(|read| read["method"].as_str()).collect();
    assert_eq!(last, ["second", "third"]);
    // A report for every unread message, but not for every line.
    let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
    assert!(found.iter().filter(|item| item.is_none()).count() <= 2 * lines + 3);
});
