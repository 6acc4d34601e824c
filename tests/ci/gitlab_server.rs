//! Stand-in for the API of GitLab: notes of one merge request, in pages of two.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use serde_json::{Value, json};

/// Token that the server accepts.
pub const TOKEN: &str = "glpat-secret_1.0";

/// Identifier of the user of the token.
const BOT: u64 = 7;

/// Notes per page, however many a client requests.
const PAGE: usize = 2;

#[derive(Default)]
struct State {
    notes: Vec<Value>,
    requests: Vec<String>,
}

/// Server on a local port. It ends with the test.
pub struct GitlabServer {
    pub address: String,
    state: Arc<Mutex<State>>,
}

impl GitlabServer {
    /// Starts a server whose merge request has notes with these authors and texts.
    pub fn start(notes: &[(u64, &str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/api/v4", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State::default()));
        for (author, body) in notes {
            state.lock().unwrap().add_note(*author, body);
        }
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming() {
                answer(stream.unwrap(), &shared);
            }
        });
        Self { address, state }
    }

    /// Returns the authors and texts of the notes.
    pub fn notes(&self) -> Vec<(u64, String)> {
        let note =
            |of: &Value| (of["author"]["id"].as_u64().unwrap(), of["body"].as_str().unwrap().to_owned());
        self.state.lock().unwrap().notes.iter().map(note).collect()
    }

    /// Returns the methods and paths of all requests, and forgets them.
    pub fn take_requests(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().unwrap().requests)
    }
}

impl State {
    fn add_note(&mut self, author: u64, body: &str) {
        let id = 301 + self.notes.len();
        let (system, author) = (false, json!({"id": author, "username": "u", "state": "active"}));
        self.notes.push(json!({
            "id": id, "type": null, "body": body, "attachment": null, "author": author, "system": system,
            "position": {"id": 1, "base": "{"}, "noteable_type": "MergeRequest", "noteable_iid": 5,
        }));
    }

    /// Returns the status, more headers and the body of an answer.
    fn respond(&mut self, method: &str, path: &str, body: &str) -> (u16, String, String) {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let notes = "/api/v4/projects/42/merge_requests/5/notes";
        match (method, path) {
            ("GET", "/api/v4/user") => {
                (200, String::new(), json!({"id": BOT, "username": "bot"}).to_string())
            }
            ("GET", path) if path == notes => {
                let query = decode_form(query);
                assert_eq!((query["sort"].as_str(), query["order_by"].as_str()), ("asc", "created_at"));
                let page: usize = query["page"].parse().unwrap();
                let all: Vec<&Value> = self.notes.iter().skip((page - 1) * PAGE).take(PAGE).collect();
                let is_last = page * PAGE >= self.notes.len();
                let next = if is_last { String::new() } else { (page + 1).to_string() };
                // Rails writes these characters as escapes.
                let text =
                    serde_json::to_string(&all).unwrap().replace('<', "\\u003c").replace('>', "\\u003e");
                (200, format!("X-Page: {page}\r\nX-Next-Page: {next}\r\n"), text)
            }
            ("POST", path) if path == notes => {
                self.add_note(BOT, &decode_form(body)["body"]);
                (201, String::new(), self.notes.last().unwrap().to_string())
            }
            ("PUT", path) => {
                let id: u64 = path.strip_prefix(notes).unwrap().trim_start_matches('/').parse().unwrap();
                let note = self.notes.iter_mut().find(|note| note["id"] == id).unwrap();
                note["body"] = decode_form(body)["body"].clone().into();
                (200, String::new(), note.to_string())
            }
            _ => (404, String::new(), "{\"message\":\"404 Not Found\"}".to_owned()),
        }
    }
}

fn answer(stream: TcpStream, state: &Mutex<State>) {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let mut words = line.split_whitespace();
    let (method, path) =
        (words.next().unwrap_or_default().to_owned(), words.next().unwrap_or_default().to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap() == 0 {
            break;
        }
        let Some((name, value)) = line.split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let mut state = state.lock().unwrap();
    state.requests.push(format!("{method} {path}"));
    let (status, more, text) = if headers.get("private-token").is_some_and(|token| token == TOKEN) {
        state.respond(&method, &path, &String::from_utf8(body).unwrap())
    } else {
        (401, String::new(), "{\"message\":\"401 Unauthorized\"}".to_owned())
    };
    let length = text.len();
    let head = format!("HTTP/1.1 {status} -\r\nContent-Length: {length}\r\nConnection: close\r\n{more}\r\n");
    reader.get_mut().write_all((head + &text).as_bytes()).unwrap();
}

/// Decodes `a=b&c=d` with percent escapes.
fn decode_form(text: &str) -> BTreeMap<String, String> {
    let decode = |word: &str| {
        let mut out = Vec::new();
        let mut bytes = word.bytes();
        while let Some(byte) = bytes.next() {
            out.push(match byte {
                b'+' => b' ',
                b'%' => {
                    let digits = [bytes.next().unwrap(), bytes.next().unwrap()];
                    u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
                }
                byte => byte,
            });
        }
        String::from_utf8(out).unwrap()
    };
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (decode(name), decode(value))).collect()
}
