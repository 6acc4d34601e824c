//! Requests about a document.

use std::{
    panic::{self, AssertUnwindSafe},
    path::Path,
};

use gen_lsp_types::{Position, Range, TextDocumentIdentifier};
use lsp_server::{ErrorCode, Request};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Home, Server, documents::Document, homes::Place};
use crate::{
    catalog::FileId,
    language::{Draft, actions, address, complete, hover, navigate, outline, rename, spot},
};

/// Parameters of all supported requests; each request uses some of them.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Asked {
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
enum Done {
    Answer(Value),
    Refused(String),
    /// The catalog is not loaded yet, or the current state is not checked yet.
    Wait(Home),
    Unknown,
}

/// Supported requests about a document of a catalog.
const ABOUT: &[&str] = &[
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
    pub(super) fn answer(&mut self, request: Request) {
        if !ABOUT.contains(&request.method.as_str()) {
            let why = format!("{} is not something olmap does", request.method);
            return self.refuse(request.id, ErrorCode::MethodNotFound, &why);
        }
        let asked = match serde_json::from_value::<Asked>(request.params.clone()) {
            Ok(asked) => asked,
            Err(error) => return self.refuse(request.id, ErrorCode::InvalidParams, &error.to_string()),
        };
        let path = address::key(&asked.text_document.uri);
        if let Some(home) = self.documents.get(&path).and_then(|document| document.home.clone()) {
            self.settle(&home);
        }
        let answer = AssertUnwindSafe(|| self.done(&request.method, &asked, &path));
        match panic::catch_unwind(answer) {
            Ok(Done::Answer(value)) => self.reply(request.id, value),
            Ok(Done::Refused(why)) => self.refuse(request.id, ErrorCode::RequestFailed, &why),
            Ok(Done::Unknown) => self.reply(request.id, Value::Null),
            Ok(Done::Wait(home)) => match self.homes.get_mut(&home) {
                Some(place) => place.waiting.push(request),
                None => self.reply(request.id, Value::Null),
            },
            Err(_) => {
                self.refuse(request.id, ErrorCode::InternalError, "the answer panicked: please report it");
            }
        }
    }

    fn done(&self, method: &str, asked: &Asked, path: &Path) -> Done {
        let Some(document) = self.documents.get(path) else { return Done::Unknown };
        let Some(home) = &document.home else { return Done::Unknown };
        let Some(place) = self.homes.get(home) else { return Done::Unknown };
        match method {
            "textDocument/foldingRange" => return answer(outline::folds(&document.paper.bytes())),
            "textDocument/codeAction" => return self.fixes(asked, path, (home, place)),
            _ => {}
        }
        let Some(draft) = &place.draft else {
            return match (home, method) {
                (Home::Bundle(_), "textDocument/documentSymbol") => {
                    answer(outline::plain_symbols(&document.paper.bytes(), self.encoding))
                }
                (Home::Bundle(_), _) => Done::Unknown,
                _ if place.failure.is_some() => Done::Unknown,
                _ => Done::Wait(home.clone()),
            };
        };
        let Some(file) = spot::file_at(draft.now(), path) else { return Done::Unknown };
        self.about(method, asked, draft, (file, document))
    }

    fn about(
        &self,
        method: &str,
        asked: &Asked,
        draft: &Draft,
        (file, document): (FileId, &Document),
    ) -> Done {
        let (at, encoding) = (asked.position, self.encoding);
        let here = (file, &document.paper);
        match method {
            "textDocument/hover" => answer(hover::hover(draft, here, at, (encoding, self.markdown))),
            "textDocument/completion" => answer(complete::complete(draft, here, at, encoding)),
            "textDocument/definition" => answer(navigate::definition(draft, here, at, encoding)),
            "textDocument/references" => {
                let with_definition =
                    asked.context.get("includeDeclaration").and_then(Value::as_bool).unwrap_or(true);
                answer(navigate::references(draft, here, at, encoding, with_definition))
            }
            "textDocument/prepareRename" => match rename::prepare(draft, here, at, encoding) {
                Ok(found) => answer(found),
                Err(error) => Done::Refused(error.to_string()),
            },
            "textDocument/rename" => {
                match rename::rename(draft, here, (at, &asked.new_name), encoding, &self.client) {
                    Ok(edit) => answer(edit),
                    Err(error) => Done::Refused(error.to_string()),
                }
            }
            "textDocument/documentSymbol" => answer(outline::symbols(draft, file, encoding)),
            _ => Done::Unknown,
        }
    }

    fn fixes(&self, asked: &Asked, path: &Path, (home, place): (&Home, &Place)) -> Done {
        let only = asked.context.get("only").and_then(Value::as_array);
        let is_wanted =
            |kind: &Value| kind.as_str().is_some_and(|kind| kind.is_empty() || kind == "quickfix");
        if only.is_some_and(|only| !only.iter().any(is_wanted)) {
            return answer(Vec::<Value>::new());
        }
        match &place.judged {
            Some((number, judgement)) if *number == place.number => {
                let about = judgement.about();
                let found = judgement.findings.iter();
                answer(actions::fixes(about, found, (path, asked.range), self.encoding, &self.client))
            }
            _ if place.failure.is_some() => answer(Vec::<Value>::new()),
            _ => Done::Wait(home.clone()),
        }
    }
}

fn answer(value: impl Serialize) -> Done {
    match serde_json::to_value(value) {
        Ok(value) => Done::Answer(value),
        Err(error) => Done::Refused(error.to_string()),
    }
}
