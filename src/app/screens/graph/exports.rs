//! Writing the graph that is looked at to a file. No catalog is changed, so read-only mode has nothing against it.

use crate::app::work::Opening;
use crate::app::{
    actions::{has_channels, has_layout},
    keys::spec::Enabled,
};
use crate::{
    app::{
        shell::model::Model,
        work::{Effect, opening::PromptPurpose},
    },
    catalog::{ChannelName, PackageName},
    export::graph::{Format, file_name},
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
    let side_by_side = model.is_side_by_side();
    let purpose = PromptPurpose::Export { format, side_by_side };
    model.open(Opening::Prompt { title, purpose, text: proposed(model, format) });
    Vec::new()
}

/// What to call the file that is asked for.
fn proposed(model: &Model, format: Format) -> String {
    let selection = model.session.selection();
    let package = selection.package.as_ref().map(PackageName::as_str);
    let channel = selection.channel.as_ref().filter(|_| !model.is_side_by_side());
    let name = file_name(package.unwrap_or_default(), channel.map(ChannelName::as_str), format);
    model.session.catalog().map_or_else(|| name.clone(), |open| open.beside(&name))
}
