//! A line of text that is asked for.

use std::path::PathBuf;

use ratatui::crossterm::event::KeyCode;
use tui_input::Input;

use super::Then;
use crate::{
    app::{
        edit_flow,
        keys::Key,
        model::{Busy, Model},
        msg::Effect,
        overlay::{Overlay, Prompt, PromptPurpose},
    },
    layout::{Floor, Fold, Line},
    version::masterminds::Constraint,
};

pub(super) fn key(model: &mut Model, mut prompt: Prompt, key: Key) -> Then {
    match key.code {
        KeyCode::Esc => return Then::Close,
        KeyCode::Enter => return answered(model, prompt),
        _ => {}
    }
    if edit_flow::type_into(&mut prompt.input, key) {
        match &prompt.purpose {
            PromptPurpose::Version => {
                prompt.remark = remark_on_version(model, &prompt.input);
                // Live: the table follows what is typed as long as it can be read.
                if prompt.remark.is_ok() {
                    prompt.input.value().trim().clone_into(&mut model.query.version);
                }
            }
            PromptPurpose::Floor => {
                prompt.remark = read_floor(&prompt.input).map(|floor| remark_on_floor(model, floor));
            }
            PromptPurpose::SaveAs { .. } => {}
        }
    }
    Then::Stay(Overlay::Prompt(prompt))
}

fn remark_on_version(model: &Model, input: &Input) -> Result<String, String> {
    let text = input.value().trim();
    if text.is_empty() {
        return Ok("any version".to_owned());
    }
    let constraint = Constraint::parse(text).map_err(|error| error.to_string())?;
    let bundles = model.package().map(|p| p.package().bundles.clone()).unwrap_or_default();
    let versions = bundles.iter().filter_map(|b| b.version.as_ref());
    let matched = versions.filter(|v| constraint.matches(&v.version)).count();
    Ok(format!("matches {matched} of {} bundles", bundles.len()))
}

/// The lowest version to show; `None` for all.
fn read_floor(input: &Input) -> Result<Option<Floor>, String> {
    let text = input.value().trim();
    let text = text.strip_prefix('v').unwrap_or(text);
    if text.is_empty() {
        return Ok(None);
    }
    Floor::parse(text).map(Some).ok_or_else(|| "one to three numbers, such as 4 or 4.16".to_owned())
}

fn remark_on_floor(model: &Model, floor: Option<Floor>) -> String {
    let Some(layout) = model.derived.layout() else { return String::new() };
    let lines = layout.lines(Fold { floor, ..Fold::default() });
    let shown = lines.iter().filter(|line| matches!(line, Line::Row(_))).count();
    format!("shows {shown} of {} bundles", layout.rows.len())
}

fn answered(model: &mut Model, mut prompt: Prompt) -> Then {
    match &prompt.purpose {
        PromptPurpose::Version => {
            prompt.remark = remark_on_version(model, &prompt.input);
            if prompt.remark.is_err() {
                return Then::Stay(Overlay::Prompt(prompt));
            }
            prompt.input.value().trim().clone_into(&mut model.query.version);
            Then::Close
        }
        PromptPurpose::Floor => match read_floor(&prompt.input) {
            Ok(floor) => {
                model.graph.floor = floor;
                Then::Close
            }
            Err(error) => {
                prompt.remark = Err(error);
                Then::Stay(Overlay::Prompt(prompt))
            }
        },
        PromptPurpose::SaveAs { .. } => {
            let text = prompt.input.value().trim();
            if text.is_empty() {
                prompt.remark = Err("a path is needed".to_owned());
                return Then::Stay(Overlay::Prompt(prompt));
            }
            let path = PathBuf::from(text);
            let Some(open) = model.catalog() else { return Then::Close };
            let state = open.history.now().clone();
            model.busy = Some(Busy::Saving);
            Then::Do(vec![Effect::SaveAs { catalog: model.current, state, path }])
        }
    }
}
