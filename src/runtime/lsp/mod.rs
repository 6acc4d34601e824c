//! Language server. One thread answers requests. Other threads load and check catalogs, so that
//! they do not delay the user's typing.

mod documents;
mod wire;
mod worker;
mod workspaces;

use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender};
use std::{io, sync::Arc};

use gen_lsp_types::{CodeAction, Position, Range, TextDocumentIdentifier};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::runtime::file_output;
use crate::tui::session::{accepted_findings, open_catalog::companion_path};
use documents::{Document, Documents, HomeState, HomeStates};
use olm_catalog::{Catalog, FileId};
use olmap_lsp::{
    DraftCatalog, Encoding, accept, accept::AcceptanceFile, actions, address, changes::Client, complete,
    findings::FindingSubject, hover, inlay, links, location, navigate, outline, refactors, rename, selection,
    symbols,
};
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

/// State of the server.
struct Server {
    workspaces: Workspaces,
    out: Sender<Message>,
    stage: Stage,
    encoding: Encoding,
    markdown: bool,
    watches: bool,
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
                        self.log(&format!("judging {} panicked", home.path().display()));
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

/// Parameters of all supported requests; each request uses some of them.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequestParams {
    text_document: TextDocumentIdentifier,
    #[serde(default)]
    position: Position,
    #[serde(default)]
    positions: Vec<Position>,
    #[serde(default)]
    range: Range,
    #[serde(default)]
    new_name: String,
    #[serde(default)]
    context: Value,
}

/// Outcome of a request.
enum RequestOutcome {
    Answer(Value),
    Failed(String),
    /// The catalog is not loaded yet, or the current state is not checked yet.
    Wait(Home),
    Nothing,
}

/// Error for a request whose answer panicked.
const PANICKED: &str = "the answer panicked: please report it";

/// Number of the diagnostic tag for what is deprecated, in the protocol.
const DEPRECATED_TAG: u32 = 2;

/// Supported requests about a document of a catalog.
const SUPPORTED_METHODS: &[&str] = &[
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/documentSymbol",
    "textDocument/codeAction",
    "textDocument/foldingRange",
    "textDocument/inlayHint",
    "textDocument/documentHighlight",
    "textDocument/documentLink",
    "textDocument/selectionRange",
    "olmap/home",
];

impl Server {
    /// Answers a request now, or queues it until the answer is available.
    pub(super) fn answer_request(&mut self, request: Request) {
        if request.method == "workspace/symbol" {
            return self.answer_symbol_request(request);
        }
        if !SUPPORTED_METHODS.contains(&request.method.as_str()) {
            let why = format!("{} is not something olmap does", request.method);
            return self.refuse(request.id, ErrorCode::MethodNotFound, &why);
        }
        let asked = match serde_json::from_value::<RequestParams>(request.params.clone()) {
            Ok(asked) => asked,
            Err(error) => return self.refuse(request.id, ErrorCode::InvalidParams, &error.to_string()),
        };
        let path = address::document_key(&asked.text_document.uri);
        if let Some(home) = self.documents.get(&path).and_then(|document| document.home.clone()) {
            self.apply_changes(&home);
        }
        let answer = AssertUnwindSafe(|| self.find_outcome(&request.method, &asked, &path));
        match panic::catch_unwind(answer) {
            Ok(RequestOutcome::Answer(value)) => self.reply(request.id, value),
            Ok(RequestOutcome::Failed(why)) => self.refuse(request.id, ErrorCode::RequestFailed, &why),
            Ok(RequestOutcome::Nothing) => self.reply(request.id, Value::Null),
            Ok(RequestOutcome::Wait(home)) => match self.homes.get_mut(&home) {
                Some(place) => place.waiting.push(request),
                None => self.reply(request.id, Value::Null),
            },
            Err(_) => {
                self.refuse(request.id, ErrorCode::InternalError, PANICKED);
            }
        }
    }

    /// Answers with the symbols of all catalogs of open documents.
    fn answer_symbol_request(&mut self, request: Request) {
        let Some(query) = request.params.get("query").and_then(Value::as_str) else {
            return self.refuse(request.id, ErrorCode::InvalidParams, "a query is missing");
        };
        self.apply_all_changes();
        let search = AssertUnwindSafe(|| {
            let drafts = self.homes.iter().filter_map(|place| place.draft.as_ref());
            let mut found = Vec::new();
            for draft in drafts {
                found.extend(symbols::workspace_symbols(draft, query, self.encoding));
            }
            found
        });
        match panic::catch_unwind(search) {
            Ok(found) => self.reply(request.id, serde_json::to_value(found).unwrap_or_default()),
            Err(_) => self.refuse(request.id, ErrorCode::InternalError, PANICKED),
        }
    }

    fn find_outcome(&self, method: &str, asked: &RequestParams, path: &Path) -> RequestOutcome {
        let Some(document) = self.documents.get(path) else { return RequestOutcome::Nothing };
        let Some(home) = &document.home else { return RequestOutcome::Nothing };
        let Some(place) = self.homes.get(home) else { return RequestOutcome::Nothing };
        match method {
            "textDocument/foldingRange" => {
                return to_outcome(outline::folding_ranges(&document.text.to_bytes()));
            }
            // A request of our own extension: the catalog or bundle directory of a document.
            "olmap/home" => {
                let kind = match home {
                    Home::Catalog(_) => "catalog",
                    Home::File(_) => "file",
                    Home::Bundle(_) => "bundle",
                };
                return to_outcome(json!({ "kind": kind, "path": home.path() }));
            }
            "textDocument/selectionRange" => {
                let all = selection::selection_ranges(&document.text, &asked.positions, self.encoding);
                return to_outcome(all);
            }
            "textDocument/codeAction" => {
                return self.code_actions_for(asked, (path, document), (home, place));
            }
            _ => {}
        }
        let Some(draft) = &place.draft else {
            return match (home, method) {
                (Home::Bundle(_), "textDocument/documentSymbol") => {
                    to_outcome(outline::key_symbols(&document.text.to_bytes(), self.encoding))
                }
                (Home::Bundle(_), _) => RequestOutcome::Nothing,
                _ if place.failure.is_some() => RequestOutcome::Nothing,
                _ => RequestOutcome::Wait(home.clone()),
            };
        };
        let Some(file) = location::find_file(draft.current(), path) else { return RequestOutcome::Nothing };
        if method == "textDocument/inlayHint" {
            let here = (file, &document.text);
            let mut graphs = place.graphs.borrow_mut();
            return to_outcome(inlay::inlay_hints(draft, here, asked.range, self.encoding, &mut graphs));
        }
        self.answer_catalog_request(method, asked, draft, (file, document))
    }

    fn answer_catalog_request(
        &self,
        method: &str,
        asked: &RequestParams,
        draft: &DraftCatalog,
        (file, document): (FileId, &Document),
    ) -> RequestOutcome {
        let (at, encoding) = (asked.position, self.encoding);
        let here = (file, &document.text);
        match method {
            "textDocument/hover" => to_outcome(hover::hover_at(draft, here, at, (encoding, self.markdown))),
            "textDocument/completion" => to_outcome(complete::completions_at(draft, here, at, encoding)),
            "textDocument/definition" => to_outcome(navigate::find_definition(draft, here, at, encoding)),
            "textDocument/references" => {
                let with_definition =
                    asked.context.get("includeDeclaration").and_then(Value::as_bool).unwrap_or(true);
                to_outcome(navigate::find_references(draft, here, at, encoding, with_definition))
            }
            "textDocument/documentHighlight" => {
                to_outcome(navigate::document_highlights(draft, here, at, encoding))
            }
            "textDocument/documentLink" => to_outcome(links::document_links(draft, file, encoding)),
            "textDocument/prepareRename" => match rename::prepare_rename(draft, here, at, encoding) {
                Ok(found) => to_outcome(found),
                Err(error) => RequestOutcome::Failed(error.to_string()),
            },
            "textDocument/rename" => {
                match rename::rename_at(draft, here, (at, &asked.new_name), encoding, &self.client) {
                    Ok(edit) => to_outcome(edit),
                    Err(error) => RequestOutcome::Failed(error.to_string()),
                }
            }
            "textDocument/documentSymbol" => to_outcome(outline::document_symbols(draft, file, encoding)),
            _ => RequestOutcome::Nothing,
        }
    }

    fn code_actions_for(
        &self,
        asked: &RequestParams,
        (path, document): (&Path, &Document),
        (home, place): (&Home, &HomeState),
    ) -> RequestOutcome {
        let only = asked.context.get("only").and_then(Value::as_array);
        let is_wanted = |kind: &str| {
            let includes = |asked: &Value| asked.as_str().is_some_and(|asked| is_kind_of(kind, asked));
            only.is_none_or(|only| only.iter().any(includes))
        };
        // An action about the whole file is offered only if the client asks for its kind.
        let wants_all = only.is_some() && is_wanted(actions::FIX_ALL_KIND);
        let mut offered = Vec::new();
        if is_wanted("quickfix") || wants_all {
            match &place.last_result {
                Some((number, judgement)) if *number == place.number => {
                    let (about, found) = (judgement.finding_subject(), || judgement.findings.iter());
                    let (here, encoding) = ((path, asked.range), self.encoding);
                    if is_wanted("quickfix") {
                        offered = actions::code_actions(about, found(), here, encoding, &self.client);
                        offered.extend(self.accept_actions_for(judgement, here));
                    }
                    if let (true, FindingSubject::Catalog(catalog)) = (wants_all, about) {
                        let all = actions::fix_all_action(catalog, found(), path, encoding, &self.client);
                        offered.extend(all);
                    }
                }
                _ if place.failure.is_some() => {}
                _ => return RequestOutcome::Wait(home.clone()),
            }
        }
        if is_wanted("refactor") && !matches!(home, Home::Bundle(_)) {
            let Some(draft) = &place.draft else {
                return match place.failure {
                    Some(_) => to_outcome(offered),
                    None => RequestOutcome::Wait(home.clone()),
                };
            };
            if let Some(file) = location::find_file(draft.current(), path) {
                let here = (file, &document.text);
                offered.extend(refactors::refactor_actions(
                    draft,
                    here,
                    asked.range,
                    self.encoding,
                    &self.client,
                ));
            }
        }
        to_outcome(offered)
    }

    /// Returns the actions that accept the findings in a range.
    fn accept_actions_for(&self, judgement: &CheckResult, here: (&Path, Range)) -> Vec<CodeAction> {
        let FindingSubject::Catalog(catalog) = judgement.finding_subject() else { return Vec::new() };
        let Some(path) = companion_path(&catalog.origin, accepted_findings::FILE_NAME) else {
            return Vec::new();
        };
        let path = address::normalize_dots(&path);
        let open = self.documents.get(&path).map(|document| document.text.to_bytes());
        let Ok(text) = open.map_or_else(|| file_output::load_optional_file(&path), |text| Ok(Some(text)))
        else {
            return Vec::new();
        };
        let file = AcceptanceFile { path, text };
        let words = (self.encoding, &self.client);
        accept::accept_actions(catalog, judgement.findings.iter(), here, &file, words)
    }
}

/// Returns true if a kind of code actions is another kind or below it: `source.fixAll` is a kind of `source`.
fn is_kind_of(kind: &str, parent: &str) -> bool {
    let rest = kind.strip_prefix(parent);
    rest.is_some_and(|rest| parent.is_empty() || rest.is_empty() || rest.starts_with('.'))
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
#[cfg(fuzzing)]
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

fn to_outcome(value: impl Serialize) -> RequestOutcome {
    match serde_json::to_value(value) {
        Ok(value) => RequestOutcome::Answer(value),
        Err(error) => RequestOutcome::Failed(error.to_string()),
    }
}
