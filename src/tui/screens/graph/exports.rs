//! Export of the visible graph to a file. No catalog is changed, so it is allowed in read-only
//! mode.

use super::{Graph, display_options::check_layout, side_by_side::check_channels};
use crate::tui::{
    keys::spec::Enabled,
    session::{
        Session,
        context::{Context, ViewContext},
    },
    work::{DialogRequest, dialog_request::PromptPurpose},
};
use olm_catalog::{ChannelName, PackageName};
use olmap_report::graph::{Format, file_name};

pub(super) fn has_graph(graph: &Graph, view_cx: &ViewContext<'_>) -> Enabled {
    if graph.is_side_by_side() { check_channels(graph, view_cx) } else { check_layout(graph, view_cx) }
}

/// Text export writes the visible picture.
pub(super) fn export_text(graph: &mut Graph, cx: &mut Context<'_>) {
    let format = if graph.is_side_by_side() { Format::SideBySide } else { Format::Text };
    ask_export_path(graph, cx, "Write the graph as text to", format);
}

pub(super) fn export_mermaid(graph: &mut Graph, cx: &mut Context<'_>) {
    ask_export_path(graph, cx, "Write the graph as Mermaid, in Markdown, to", Format::Markdown);
}

pub(super) fn export_dot(graph: &mut Graph, cx: &mut Context<'_>) {
    ask_export_path(graph, cx, "Write the graph as DOT to", Format::Dot);
}

pub(super) fn export_svg(graph: &mut Graph, cx: &mut Context<'_>) {
    ask_export_path(graph, cx, "Write the graph as SVG to", Format::Svg);
}

pub(super) fn export_json(graph: &mut Graph, cx: &mut Context<'_>) {
    ask_export_path(graph, cx, "Write the graph as JSON to", Format::Json);
}

pub(super) fn export_jsonl(graph: &mut Graph, cx: &mut Context<'_>) {
    ask_export_path(graph, cx, "Write the graph as JSONL to", Format::Jsonl);
}

fn ask_export_path(graph: &Graph, cx: &mut Context<'_>, title: &'static str, format: Format) {
    let text = proposed_path(graph, cx.session, format);
    let purpose = PromptPurpose::Export { format, side_by_side: graph.is_side_by_side() };
    cx.open_dialog(DialogRequest::Prompt { title, purpose, text });
}

/// Returns the proposed path of the file.
fn proposed_path(graph: &Graph, session: &Session, format: Format) -> String {
    let selection = session.selection();
    let package = selection.package.as_ref().map(PackageName::as_str);
    let channel = selection.channel.as_ref().filter(|_| !graph.is_side_by_side());
    let name = file_name(package.unwrap_or_default(), channel.map(ChannelName::as_str), format);
    session.current_catalog().map_or_else(|| name.clone(), |open| open.propose_companion_path(&name))
}
