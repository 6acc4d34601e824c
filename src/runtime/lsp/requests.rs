//! Requests about a document.

use std::{
    panic::{self, AssertUnwindSafe},
    path::Path,
};

use gen_lsp_types::{Position, Range, TextDocumentIdentifier};
use lsp_server::{ErrorCode, Request};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Home, Server, documents::Document, home_states::HomeState};
use olm_catalog::FileId;
use olmap_lsp::{DraftCatalog, actions, address, complete, hover, location, navigate, outline, rename};

/// Parameters of all supported requests; each request uses some of them.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequestParams {
    text_document: TextDocumentIdentifier,
    #[serde(default)]
    position: Position,
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
];

impl Server {
    /// Answers a request now, or queues it until the answer is available.
    pub(super) fn answer_request(&mut self, request: Request) {
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
                self.refuse(request.id, ErrorCode::InternalError, "the answer panicked: please report it");
            }
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
            "textDocument/codeAction" => return self.code_actions_for(asked, path, (home, place)),
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
        path: &Path,
        (home, place): (&Home, &HomeState),
    ) -> RequestOutcome {
        let only = asked.context.get("only").and_then(Value::as_array);
        let is_wanted =
            |kind: &Value| kind.as_str().is_some_and(|kind| kind.is_empty() || kind == "quickfix");
        if only.is_some_and(|only| !only.iter().any(is_wanted)) {
            return to_outcome(Vec::<Value>::new());
        }
        match &place.last_result {
            Some((number, judgement)) if *number == place.number => {
                let about = judgement.finding_subject();
                let found = judgement.findings.iter();
                to_outcome(actions::code_actions(
                    about,
                    found,
                    (path, asked.range),
                    self.encoding,
                    &self.client,
                ))
            }
            _ if place.failure.is_some() => to_outcome(Vec::<Value>::new()),
            _ => RequestOutcome::Wait(home.clone()),
        }
    }
}

fn to_outcome(value: impl Serialize) -> RequestOutcome {
    match serde_json::to_value(value) {
        Ok(value) => RequestOutcome::Answer(value),
        Err(error) => RequestOutcome::Failed(error.to_string()),
    }
}
