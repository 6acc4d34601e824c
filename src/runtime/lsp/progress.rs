//! Progress of loading a catalog, for clients that show it.

use lsp_server::{Notification, Request};
use serde_json::{Value, json};

use super::{Home, Server};

impl Server {
    /// Starts the progress report of a catalog that is loaded. It ends with the first result of a check.
    pub(super) fn begin_progress(&mut self, home: &Home) {
        if !self.shows_progress {
            return;
        }
        self.progress_count += 1;
        let token = format!("load-{}", self.progress_count);
        let Some(place) = self.homes.get_mut(home) else { return };
        place.progress = Some(token.clone());
        self.send_message(Request {
            id: token.clone().into(),
            method: "window/workDoneProgress/create".to_owned(),
            params: json!({ "token": token }),
        });
        let name = home.path().file_name().unwrap_or(home.path().as_os_str()).to_string_lossy().into_owned();
        let begin = json!({ "kind": "begin", "title": "olmap", "message": format!("loading {name}") });
        self.send_progress(&token, &begin);
    }

    /// Reports that a catalog is loaded, and that its check begins.
    pub(super) fn report_loaded(&self, home: &Home) {
        let Some(place) = self.homes.get(home) else { return };
        let (Some(token), Some(catalog)) = (&place.progress, &place.disk) else { return };
        let message = match catalog.packages().len() {
            1 => "checking 1 package".to_owned(),
            count => format!("checking {count} packages"),
        };
        self.send_progress(token, &json!({ "kind": "report", "message": message }));
    }

    /// Ends the progress report of a catalog, if there is one.
    pub(super) fn end_progress(&mut self, home: &Home) {
        if let Some(token) = self.homes.get_mut(home).and_then(|place| place.progress.take()) {
            self.send_progress(&token, &json!({ "kind": "end" }));
        }
    }

    pub(super) fn send_progress(&self, token: &str, value: &Value) {
        let params = json!({ "token": token, "value": value });
        self.send_message(Notification { method: "$/progress".to_owned(), params });
    }
}
