//! Writing the graph that is looked at to a file. No catalog is changed, so read-only mode has nothing against it.

use crate::app::work::Opening;
use crate::app::{
    actions::{has_channels, has_layout},
    keys::spec::Enabled,
};
use crate::{
    app::{
        dialogs::writing,
        shell::model::Model,
        work::{Effect, opening::PromptPurpose},
    },
    export::graph::Format,
};

pub(in crate::app) fn has_graph(model: &Model) -> Enabled {
    if model.is_side_by_side() { has_channels(model) } else { has_layout(model) }
}

/// Text is the picture that is on the screen.
pub(in crate::app) fn export_text(model: &mut Model) -> Vec<Effect> {
    let format = if model.is_side_by_side() { Format::SideBySide } else { Format::Text };
    ask(model, "Write the graph as text to", format)
}

pub(in crate::app) fn export_mermaid(model: &mut Model) -> Vec<Effect> {
    ask(model, "Write the graph as Mermaid, in Markdown, to", Format::Markdown)
}

pub(in crate::app) fn export_dot(model: &mut Model) -> Vec<Effect> {
    ask(model, "Write the graph as DOT to", Format::Dot)
}

pub(in crate::app) fn export_svg(model: &mut Model) -> Vec<Effect> {
    ask(model, "Write the graph as SVG to", Format::Svg)
}

pub(in crate::app) fn export_json(model: &mut Model) -> Vec<Effect> {
    ask(model, "Write the graph as JSON to", Format::Json)
}

pub(in crate::app) fn export_jsonl(model: &mut Model) -> Vec<Effect> {
    ask(model, "Write the graph as JSONL to", Format::Jsonl)
}

fn ask(model: &mut Model, title: &'static str, format: Format) -> Vec<Effect> {
    let name = writing::export_name(model, format);
    model.open(Opening::Prompt { title, purpose: PromptPurpose::Export(format), text: name });
    Vec::new()
}
