//! Requests about documents and catalogs, and their answers.

use std::panic::{self, AssertUnwindSafe};
use std::path::Path;

use gen_lsp_types::{CodeAction, Position, Range, TextDocumentIdentifier};
use lsp_server::{ErrorCode, Request};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::config_links;
use super::documents::{Document, HomeState};
use super::worker::CheckResult;
use super::{Home, Server};
use crate::runtime::file_output;
use crate::tui::session::{accepted_findings, open_catalog::companion_path};
use olm_catalog::FileId;
use olmap_lsp::{
    DraftCatalog, accept, accept::AcceptanceFile, actions, address, complete, findings::FindingSubject,
    hover, inlay, links, location, navigate, outline, refactors, rename, selection, symbols,
};

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
pub(super) const PANICKED: &str = "the answer panicked: please report it";

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
            let why = format!("olmap does not support {}", request.method);
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
            symbols::workspace_symbols(drafts, query, self.encoding)
        });
        match panic::catch_unwind(search) {
            Ok(found) => self.reply(request.id, serde_json::to_value(found).unwrap_or_default()),
            Err(_) => self.refuse(request.id, ErrorCode::InternalError, PANICKED),
        }
    }

    fn find_outcome(&self, method: &str, asked: &RequestParams, path: &Path) -> RequestOutcome {
        let Some(document) = self.documents.get(path) else { return RequestOutcome::Nothing };
        if method == "textDocument/documentLink"
            && let Some(links) = config_links::config_links(path, &document.text.to_bytes(), self.encoding)
        {
            return to_outcome(links);
        }
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
            return to_outcome(inlay::inlay_hints(draft, here, asked.range, self.encoding));
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
            "textDocument/completion" => {
                to_outcome(complete::completions_at(draft, here, at, (encoding, self.inserts_snippets)))
            }
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

fn to_outcome(value: impl Serialize) -> RequestOutcome {
    match serde_json::to_value(value) {
        Ok(value) => RequestOutcome::Answer(value),
        Err(error) => RequestOutcome::Failed(error.to_string()),
    }
}
