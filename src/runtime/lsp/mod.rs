//! Language server. One thread answers requests. Other threads load and check catalogs, so that
//! they do not delay the user's typing.

mod config_links;
mod documents;
mod progress;
mod requests;
mod wire;
mod worker;
mod workspaces;

use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender};
use std::{io, sync::Arc};

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};

use crate::tui::session::accepted_findings;
use documents::{Documents, HomeStates};
use olm_catalog::Catalog;
use olmap_lsp::{Encoding, actions, address, changes::Client};
use worker::CheckResult;
use workspaces::Workspaces;

/// Catalog or bundle that a file belongs to.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Home {
    /// Catalog in a directory.
    Catalog(PathBuf),
    /// Catalog or template in a single file.
    File(PathBuf),
    /// Bundle directory.
    Bundle(PathBuf),
}

impl Home {
    /// Returns the path of the directory or the file.
    pub fn path(&self) -> &Path {
        match self {
            Self::Catalog(path) | Self::File(path) | Self::Bundle(path) => path,
        }
    }
}

/// Event of the server.
enum ServerEvent {
    /// Message from the client.
    Message(Message),
    /// Malformed message from the client.
    Malformed(String),
    /// End of the input.
    InputEnded,
    /// Loaded catalog.
    Loaded { home: Home, result: Result<Arc<Catalog>, String> },
    /// Result of a check.
    Checked { home: Home, number: u64, judgement: Arc<CheckResult> },
    /// Panic of a worker.
    WorkerPanicked(Home),
}

/// Stage of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Before,
    Open,
    ShutDown,
}

/// Number of the diagnostic tag for what is deprecated, in the protocol.
const DEPRECATED_TAG: u32 = 2;

/// State of the server.
#[allow(clippy::struct_excessive_bools, reason = "each is a capability of the client")]
struct Server {
    workspaces: Workspaces,
    out: Sender<Message>,
    stage: Stage,
    encoding: Encoding,
    markdown: bool,
    watches: bool,
    /// True if the client shows the progress of long work.
    shows_progress: bool,
    /// Number of started progress reports.
    progress_count: u64,
    /// True if the client inserts completions with placeholders.
    inserts_snippets: bool,
    /// True if the client strikes through what is deprecated.
    marks_deprecated: bool,
    /// True if the client asks for inlay hints again on request.
    refreshes_hints: bool,
    client: Client,
    folders: Vec<PathBuf>,
    documents: Documents,
    homes: HomeStates,
}

impl Server {
    fn run_until_end(mut self, happened: &Receiver<ServerEvent>) -> bool {
        while let Ok(first) = happened.recv() {
            let mut batch = vec![first];
            batch.extend(happened.try_iter());
            // Cancelled requests in the batch are not answered.
            let cancelled: Vec<RequestId> = batch.iter().filter_map(cancelled_by).collect();
            for event in batch {
                match event {
                    ServerEvent::Message(Message::Request(request)) if cancelled.contains(&request.id) => {
                        self.refuse(request.id, ErrorCode::RequestCanceled, "cancelled");
                    }
                    ServerEvent::Message(Message::Request(request)) => self.handle_request(request),
                    ServerEvent::Message(Message::Notification(notification))
                        if notification.method == "exit" =>
                    {
                        return self.stage == Stage::ShutDown;
                    }
                    ServerEvent::Message(Message::Notification(notification)) => {
                        self.handle_notification(notification);
                    }
                    // The server does not send requests whose response matters.
                    ServerEvent::Message(Message::Response(_)) => {}
                    ServerEvent::Malformed(why) => self.log(&why),
                    ServerEvent::InputEnded => return self.stage == Stage::ShutDown,
                    ServerEvent::Loaded { home, result } => self.store_loaded(&home, result),
                    ServerEvent::Checked { home, number, judgement } => {
                        self.publish_result(&home, number, &judgement);
                    }
                    ServerEvent::WorkerPanicked(home) => {
                        self.end_progress(&home);
                        self.refuse_waiting(&home);
                        self.log(&format!("the check of {} panicked", home.path().display()));
                    }
                }
            }
            self.apply_all_changes();
        }
        false
    }

    fn send_message(&self, message: impl Into<Message>) {
        // If the client has ended, the input ends too.
        let _ = self.out.send(message.into());
    }

    fn reply(&self, id: RequestId, value: Value) {
        self.send_message(Response { id, response_result: Ok(value) });
    }

    fn refuse(&self, id: RequestId, code: ErrorCode, why: &str) {
        self.send_message(Response::new_err(id, code as i32, why.to_owned()));
    }

    fn log(&self, words: &str) {
        let params = json!({ "type": 2, "message": format!("olmap: {words}") });
        self.send_message(Notification { method: "window/logMessage".to_owned(), params });
    }

    fn handle_request(&mut self, request: Request) {
        match (request.method.as_str(), self.stage) {
            ("initialize", Stage::Before) => {
                let answer = self.initialize(&request.params);
                self.reply(request.id, answer);
            }
            ("initialize", _) => self.refuse(request.id, ErrorCode::InvalidRequest, "initialized already"),
            (_, Stage::Before) => {
                self.refuse(request.id, ErrorCode::ServerNotInitialized, "initialize comes first");
            }
            (_, Stage::ShutDown) => self.refuse(request.id, ErrorCode::InvalidRequest, "shut down already"),
            ("shutdown", Stage::Open) => {
                self.stage = Stage::ShutDown;
                self.reply(request.id, Value::Null);
            }
            (_, Stage::Open) => self.answer_request(request),
        }
    }

    fn initialize(&mut self, params: &Value) -> Value {
        self.stage = Stage::Open;
        let can = |path: &str| params.pointer(&format!("/capabilities{path}")).unwrap_or(&Value::Null);
        let is = |path: &str| can(path).as_bool().unwrap_or_default();
        let offered: Vec<_> =
            serde_json::from_value(can("/general/positionEncodings").clone()).unwrap_or_default();
        self.encoding = Encoding::negotiate(&offered);
        let formats = can("/textDocument/hover/contentFormat").as_array().cloned().unwrap_or_default();
        self.markdown = formats.iter().any(|format| format == "markdown");
        self.client.versions = is("/workspace/workspaceEdit/documentChanges");
        self.shows_progress = is("/window/workDoneProgress");
        self.inserts_snippets = is("/textDocument/completion/completionItem/snippetSupport");
        let operations = can("/workspace/workspaceEdit/resourceOperations").as_array().cloned();
        let can_create = operations.is_some_and(|known| known.iter().any(|known| known == "create"));
        self.client.creates_files = self.client.versions && can_create;
        let tags = can("/textDocument/publishDiagnostics/tagSupport/valueSet").as_array().cloned();
        self.marks_deprecated = tags.is_some_and(|tags| tags.iter().any(|tag| *tag == DEPRECATED_TAG));
        self.watches = is("/workspace/didChangeWatchedFiles/dynamicRegistration");
        self.refreshes_hints = is("/workspace/inlayHint/refreshSupport");
        let uris = params.pointer("/workspaceFolders").and_then(Value::as_array).into_iter().flatten();
        let uris = uris.filter_map(|folder| folder.get("uri")).chain(params.get("rootUri"));
        let folders = uris.filter_map(|uri| address::uri_to_path(&uri.as_str()?.into()));
        self.folders = folders.collect();
        self.folders.dedup();
        json!({
            "serverInfo": { "name": "olmap", "version": env!("CARGO_PKG_VERSION") },
            "capabilities": {
                "positionEncoding": self.encoding.to_lsp_kind(),
                "textDocumentSync": { "openClose": true, "change": 2, "save": { "includeText": false } },
                "hoverProvider": true,
                "completionProvider": { "triggerCharacters": ["\"", "'", " ", "-", ":"] },
                "definitionProvider": true,
                "referencesProvider": true,
                "documentSymbolProvider": true,
                "foldingRangeProvider": true,
                "inlayHintProvider": true,
                "documentHighlightProvider": true,
                "documentLinkProvider": { "resolveProvider": false },
                "selectionRangeProvider": true,
                "workspaceSymbolProvider": true,
                "renameProvider": { "prepareProvider": true },
                "codeActionProvider": {
                    "codeActionKinds": ["quickfix", "refactor", actions::FIX_ALL_KIND],
                },
                "workspace": { "workspaceFolders": { "supported": true, "changeNotifications": true } },
            },
        })
    }

    fn handle_notification(&mut self, notification: Notification) {
        if self.stage != Stage::Open {
            return;
        }
        let Notification { method, params } = notification;
        match method.as_str() {
            "initialized" => self.watch_files(),
            "textDocument/didOpen" => self.handle_open(params),
            "textDocument/didChange" => self.handle_change(params),
            "textDocument/didClose" => self.handle_close(&params),
            "textDocument/didSave" => self.handle_save(&params),
            "workspace/didChangeWatchedFiles" => self.handle_file_changes(&params),
            "workspace/didChangeWorkspaceFolders" => self.handle_folder_changes(&params),
            "$/cancelRequest" => {
                if let Some(id) = parse_cancelled_id(&params) {
                    self.cancel_waiting(&id);
                }
            }
            // Unknown notifications can be ignored.
            _ => {}
        }
    }

    /// Subscribes to changes of files on disk.
    fn watch_files(&self) {
        if !self.watches {
            return;
        }
        let watchers = [
            "**/*.yaml",
            "**/*.yml",
            "**/*.json",
            "**/.indexignore",
            "**/.olmap.toml",
            "**/*Dockerfile*",
            "**/*Containerfile*",
        ]
        .map(|glob| json!({ "globPattern": glob }));
        let registration = json!({
            "id": "files",
            "method": "workspace/didChangeWatchedFiles",
            "registerOptions": { "watchers": watchers },
        });
        let params = json!({ "registrations": [registration] });
        self.send_message(Request {
            id: "watch".to_owned().into(),
            method: "client/registerCapability".to_owned(),
            params,
        });
    }

    /// Asks the client to request the inlay hints of all documents again, because a change elsewhere affects them.
    fn refresh_hints(&self) {
        if self.refreshes_hints {
            let (id, method) = ("hints".to_owned().into(), "workspace/inlayHint/refresh".to_owned());
            self.send_message(Request { id, method, params: Value::Null });
        }
    }

    fn handle_file_changes(&mut self, params: &Value) {
        let changes = params.get("changes").and_then(Value::as_array).into_iter().flatten();
        let mut uris = changes.filter_map(|change| change.get("uri")?.as_str());
        let is_accepting = uris.any(|uri| uri.ends_with(accepted_findings::FILE_NAME));
        self.workspaces.clear();
        self.reload_changed(is_accepting);
    }

    fn handle_folder_changes(&mut self, params: &Value) {
        let listed = |which: &str| -> Vec<PathBuf> {
            let all =
                params.pointer(&format!("/event/{which}")).and_then(Value::as_array).into_iter().flatten();
            all.filter_map(|folder| address::uri_to_path(&folder.get("uri")?.as_str()?.into())).collect()
        };
        let gone = listed("removed");
        self.folders.retain(|folder| !gone.contains(folder));
        self.folders.extend(listed("added"));
    }
}

/// Runs the protocol on standard input and output until the client ends it. Returns true if the client ended
/// it in order.
///
/// # Errors
///
/// Fails if a thread cannot be started.
pub fn serve_lsp() -> io::Result<bool> {
    let (events, happened) = mpsc::channel();
    let (out, messages) = mpsc::channel();
    let writer = wire::start_writer(messages)?;
    wire::start_reader(events.clone())?;
    let server = Server {
        workspaces: Workspaces::default(),
        out,
        stage: Stage::Before,
        encoding: Encoding::default(),
        markdown: false,
        watches: false,
        shows_progress: false,
        progress_count: 0,
        inserts_snippets: false,
        marks_deprecated: false,
        refreshes_hints: false,
        client: Client::default(),
        folders: Vec::new(),
        documents: Documents::default(),
        homes: HomeStates::new(events),
    };
    let is_in_order = server.run_until_end(&happened);
    // Waits until all messages are written.
    let _ = writer.join();
    Ok(is_in_order)
}

/// Reads all items of some bytes: messages as JSON, `None` for malformed input.
#[cfg(feature = "fuzzing")]
pub(super) fn read_messages(bytes: &[u8]) -> Vec<Option<Value>> {
    let mut reader = wire::MessageReader::new(bytes);
    let mut found = Vec::new();
    loop {
        match reader.next_item() {
            Ok(wire::InputItem::Message(message)) => found.push(serde_json::to_value(message).ok()),
            Ok(wire::InputItem::Malformed(_)) => found.push(None),
            Ok(wire::InputItem::End) | Err(_) => return found,
        }
    }
}

/// Returns the id of the request that an event cancels.
fn cancelled_by(event: &ServerEvent) -> Option<RequestId> {
    match event {
        ServerEvent::Message(Message::Notification(notification))
            if notification.method == "$/cancelRequest" =>
        {
            parse_cancelled_id(&notification.params)
        }
        _ => None,
    }
}

fn parse_cancelled_id(params: &Value) -> Option<RequestId> {
    serde_json::from_value(params.get("id")?.clone()).ok()
}
