//! Images in the explorer: it asks before it opens a connection.

use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    thread,
};

use crate::pty::{CATALOG, Terminal};

#[test]
fn no_connection_is_opened_before_confirmation() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let address = format!("http://{host}/catalogs/ship");
    for no in ["n\r", "\x04"] {
        let mut terminal = Terminal::start_olmap_with(|command| command.arg(&address));
        terminal.wait_for_text(&format!("open a connection to {host}? [Y/n]"));
        terminal.press_keys(no);
        terminal.wait_for_text("no connection to");
        assert_eq!(terminal.wait_for_exit(), 2);
    }
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err(), "nobody came");
    listener.set_nonblocking(false).unwrap();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut asked = [0; 4096];
        let count = stream.read(&mut asked).unwrap();
        let asked = String::from_utf8_lossy(&asked[..count]).into_owned();
        let head =
            format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", CATALOG.len());
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(CATALOG.as_bytes()).unwrap();
        asked
    });
    let cache = tempfile::tempdir().unwrap();
    let start = |offline: bool| {
        Terminal::start_olmap_with(|command| {
            command.env("XDG_CACHE_HOME", cache.path());
            command.arg(&address);
            if offline {
                command.arg("--offline");
            }
        })
    };
    let mut terminal = start(false);
    terminal.wait_for_text("[Y/n]");
    terminal.press_keys("\r");
    terminal.wait_for_text("Entries 2");
    assert!(server.join().unwrap().starts_with("GET /catalogs/ship/api/v1/all "));
    terminal.press_keys("\x03");
    assert_eq!(terminal.wait_for_exit(), 0);
    terminal.assert_given_back();

    let mut terminal = start(true);
    terminal.wait_for_text("Warning");
    // The warning can arrive in parts, before the first frame.
    terminal.wait_for_text("Entries 2");
    terminal.wait_until_written("cache");
    terminal.press_keys("\x03");
    assert_eq!(terminal.wait_for_exit(), 0);
    let mut terminal = start(false);
    terminal.wait_for_text("[Y/n]");
    terminal.press_keys("y\r");
    terminal.wait_for_text("Warning");
    // The warning can arrive in parts, before the first frame.
    terminal.wait_for_text("Entries 2");
    terminal.wait_until_written("cache");
    terminal.press_keys("\x03");
    assert_eq!(terminal.wait_for_exit(), 0);
}
