//! Client of the language server, over pipes.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    path::Path,
    process::{Child, ChildStdin, Stdio},
    sync::mpsc::{self, Receiver},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::run::command;

/// Maximum time to wait for a message.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Server process with its received messages.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    next_id: i64,
    answers: BTreeMap<String, Value>,
    /// Last diagnostics of each file, by URI.
    pub diagnostics: BTreeMap<String, Value>,
    /// Log messages of the server.
    pub log: Vec<String>,
    /// Requests of the server to the client.
    pub server_requests: Vec<Value>,
    /// Capabilities of the server.
    pub capabilities: Value,
}

/// Returns the URI of a path.
pub fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

impl Client {
    /// Starts a server, and initializes it with a folder and client capabilities.
    pub fn new(folder: &Path, capabilities: &Value) -> Self {
        let mut client = Self::start_server();
        let params = json!({ "processId": null, "rootUri": uri(folder), "capabilities": capabilities });
        client.capabilities = client.request("initialize", &params)["result"]["capabilities"].clone();
        client.notify("initialized", &json!({}));
        client
    }

    /// Starts a server without initialization.
    pub fn start_server() -> Self {
        let mut child = command().args(["lsp"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let (say, heard) = mpsc::channel();
        std::thread::spawn(move || {
            loop {
                let mut length = 0;
                loop {
                    let mut line = String::new();
                    if output.read_line(&mut line).unwrap_or(0) == 0 {
                        return;
                    }
                    match line.trim().split_once(": ") {
                        Some((_, value)) => length = value.parse().unwrap(),
                        None => break,
                    }
                }
                let mut body = vec![0; length];
                output.read_exact(&mut body).unwrap();
                if say.send(serde_json::from_slice(&body).unwrap()).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        Self {
            child,
            input,
            messages: heard,
            next_id: 0,
            answers: BTreeMap::new(),
            diagnostics: BTreeMap::new(),
            log: Vec::new(),
            server_requests: Vec::new(),
            capabilities: Value::Null,
        }
    }

    /// Sends bytes as a message.
    pub fn send(&mut self, body: &[u8]) {
        let input = self.input.as_mut().unwrap();
        write!(input, "Content-Length: {}\r\n\r\n", body.len()).unwrap();
        input.write_all(body).unwrap();
        input.flush().unwrap();
    }

    /// Sends bytes without a header.
    pub fn send_raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    pub fn notify(&mut self, method: &str, params: &Value) {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string().as_bytes());
    }

    /// Sends a request without waiting, and returns its id.
    pub fn send_request(&mut self, method: &str, params: &Value) -> i64 {
        self.next_id += 1;
        let message = json!({ "jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params });
        self.send(message.to_string().as_bytes());
        self.next_id
    }

    /// Waits for the response to a request.
    pub fn wait_for_answer(&mut self, id: i64) -> Value {
        let key = id.to_string();
        self.receive_until(|client| client.answers.contains_key(&key));
        self.answers.remove(&key).unwrap()
    }

    pub fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send_request(method, params);
        self.wait_for_answer(id)
    }

    /// Sends a request about a position in a document, and waits for the response.
    pub fn request_at(
        &mut self,
        method: &str,
        path: &Path,
        (line, character): (usize, usize),
        more: &Value,
    ) -> Value {
        let mut params = json!({
            "textDocument": { "uri": uri(path) },
            "position": { "line": line, "character": character },
        });
        for (key, value) in more.as_object().into_iter().flatten() {
            params[key] = value.clone();
        }
        self.request(&format!("textDocument/{method}"), &params)
    }

    pub fn open_document(&mut self, path: &Path, text: &str) {
        let document = json!({ "uri": uri(path), "languageId": "yaml", "version": 1, "text": text });
        self.notify("textDocument/didOpen", &json!({ "textDocument": document }));
    }

    /// Replaces the text between two positions.
    pub fn change_document(
        &mut self,
        path: &Path,
        version: i32,
        (from, to): ((usize, usize), (usize, usize)),
        text: &str,
    ) {
        let at = |(line, character)| json!({ "line": line, "character": character });
        let change = json!({ "range": { "start": at(from), "end": at(to) }, "text": text });
        let params =
            json!({ "textDocument": { "uri": uri(path), "version": version }, "contentChanges": [change] });
        self.notify("textDocument/didChange", &params);
    }

    /// Waits for the findings of a version of a document: `line:column rule`.
    pub fn wait_for_findings(&mut self, path: &Path, version: i32) -> Vec<String> {
        let uri = uri(path);
        self.receive_until(|client| {
            client.diagnostics.get(&uri).is_some_and(|told| told["version"] == version)
        });
        self.latest_findings(path)
    }

    /// Returns the last received findings of a file.
    pub fn latest_findings(&self, path: &Path) -> Vec<String> {
        let Some(told) = self.diagnostics.get(&uri(path)) else { return Vec::new() };
        let line = |finding: &Value| {
            let at = &finding["range"]["start"];
            format!("{}:{} {}", at["line"], at["character"], finding["code"].as_str().unwrap())
        };
        told["diagnostics"].as_array().unwrap().iter().map(line).collect()
    }

    /// Receives messages until a condition is true.
    #[track_caller]
    pub fn receive_until(&mut self, is_so: impl Fn(&Self) -> bool) {
        let until = Instant::now() + TIMEOUT;
        while !is_so(self) {
            let left = until.saturating_duration_since(Instant::now());
            let message = self.messages.recv_timeout(left).unwrap();
            match (message["method"].as_str(), message.get("id")) {
                (Some("textDocument/publishDiagnostics"), _) => {
                    let params = message["params"].clone();
                    self.diagnostics.insert(params["uri"].as_str().unwrap().to_owned(), params);
                }
                (Some("window/logMessage"), _) => {
                    self.log.push(message["params"]["message"].as_str().unwrap().to_owned());
                }
                (Some(_), _) => self.server_requests.push(message),
                (None, Some(id)) => {
                    self.answers.insert(id.to_string(), message.clone());
                }
                (None, None) => unreachable!("{message}"),
            }
        }
    }

    /// Ends the server, with a shutdown request if `in_order` is set. Returns the exit code.
    pub fn shut_down(mut self, in_order: bool) -> Option<i32> {
        if in_order {
            assert_eq!(self.request("shutdown", &Value::Null)["result"], Value::Null);
            self.notify("exit", &Value::Null);
        }
        self.input = None;
        self.child.wait().unwrap().code()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
