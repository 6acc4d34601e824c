//! Graphs of channels as folded images; packages with the most problems come first.

use std::collections::BTreeMap;

use super::{
    View,
    html::{Html, count_noun},
};
use crate::{
    graph::{InlineSvg, draw_inline, select_channels},
    layout::legend::SIGNS,
};
use olm_catalog::PackageName;
use olm_plan::overview::OverviewRow;
use olm_upgrade::package::ChannelUpgrades;

/// Maximum size of the images in bytes.
const MAX_BYTES: usize = 1_500_000;

/// Addresses of the graphs on the page, by package.
#[derive(Debug, Default)]
pub(super) struct Anchors(BTreeMap<PackageName, String>);

impl Anchors {
    /// Returns the address of a package's graphs, if it has any.
    pub fn get(&self, package: &PackageName) -> Option<&str> {
        self.0.get(package).map(String::as_str)
    }
}

/// Image of a channel, with the catalogs that share it.
struct ChannelGraph {
    channel: String,
    catalogs: Vec<usize>,
    words: String,
    drawn: InlineSvg,
}

/// Renders the images, and returns their addresses.
pub(super) fn render_graphs(view: &View<'_>) -> (Html, Anchors) {
    let mut html = Html::default();
    let mut anchors = Anchors::default();
    let (mut undrawn, mut first) = (0, None);
    for (nth, row) in view.overview.overview.rows.iter().enumerate() {
        let channels = package_channels(view, row);
        if html.len() > MAX_BYTES {
            undrawn += channels.len();
            first.get_or_insert(&row.package);
            continue;
        }
        let pictures = draw_channel_graphs(&channels);
        if pictures.is_empty() {
            continue;
        }
        let anchor = format!("graph-{nth}");
        html.push_markup("<details class=\"graphs\"")
            .push_attribute("id", &anchor)
            .push_markup("><summary><b>")
            .push_text(row.package.as_str());
        html.push_markup("</b> <small>")
            .push_text(&count_noun(pictures.len(), "graph", "graphs"))
            .push_markup("</small></summary>\n");
        for picture in &pictures {
            let of = if view.has_several() {
                format!(" in {}", view.join_titles(&picture.catalogs))
            } else {
                String::new()
            };
            html.push_markup("<h4>").push_text(&picture.channel).push_markup(" <small>");
            html.push_text(&format!("{}{of}", picture.words)).push_markup("</small></h4>\n");
            write_figure(&mut html, &picture.drawn);
        }
        html.push_markup("</details>\n");
        anchors.0.insert(row.package.clone(), anchor);
    }
    if html.is_empty() {
        return (html, anchors);
    }
    let mut page = Html::default();
    page.push_markup("<p class=\"about\">A line for each version, the newest on top; the lines show what upgrades what. Runs of versions without remarks are one line.</p>\n");
    write_sign_legend(&mut page);
    page.push(&html);
    if undrawn > 0 {
        let words = format!(
            "{} more are not drawn here, so that the page stays small. --package NAME makes a page about one package, olmap graph draws any.",
            count_noun(undrawn, "graph", "graphs")
        );
        page.push_markup("<p class=\"cut\">").push_text(&words).push_markup("</p>\n");
    }
    (page, anchors)
}

/// Writes an image that may be wider than the page.
pub(super) fn write_figure(html: &mut Html, picture: &InlineSvg) {
    html.push_markup("<div class=\"scroll\" role=\"region\" aria-label=\"Graph\" tabindex=\"0\">")
        .push_svg(picture)
        .push_markup("</div>\n");
}

/// Writes the legend.
pub(super) fn write_sign_legend(html: &mut Html) {
    html.push_markup("<details><summary>What the signs mean</summary>\n<dl class=\"legend\">");
    for sign in SIGNS {
        html.push_markup("<dt>")
            .push_text(sign.unicode)
            .push_markup("</dt><dd>")
            .push_text(sign.meaning)
            .push_markup("</dd>");
    }
    html.push_markup("</dl></details>\n");
}

/// Channel of a catalog, with the graphs of its package.
type GraphChannel<'a> = (usize, &'a olm_upgrade::PackageGraph, &'a ChannelUpgrades);

/// Returns the channels of a package, newest catalog first, and in each the default channel first.
fn package_channels<'a>(view: &View<'a>, row: &OverviewRow) -> Vec<GraphChannel<'a>> {
    let releases = view.report.releases.iter().enumerate().rev();
    let of = |(nth, release): (usize, &'a olm_plan::series::Release<olm_check::review::Snapshot>)| {
        let judged = release.catalog.package(row.package.as_str());
        let graph = judged.map(|judged| &*judged.graph);
        let channels = graph.map(|graph| select_channels(graph, None)).unwrap_or_default();
        channels.into_iter().filter_map(|channel| Some((nth, graph?, channel))).collect::<Vec<_>>()
    };
    releases.flat_map(of).collect()
}

/// Returns the images of channels. Equal images in several catalogs are merged.
fn draw_channel_graphs(channels: &[GraphChannel<'_>]) -> Vec<ChannelGraph> {
    let mut pictures: Vec<ChannelGraph> = Vec::new();
    for (nth, graph, channel) in channels {
        let drawn = draw_inline(graph, channel, None);
        let name = channel.graph.name().to_string();
        if let Some(known) = pictures.iter_mut().find(|known| known.channel == name && known.drawn == drawn) {
            known.catalogs.insert(0, *nth);
            continue;
        }
        let entries = count_noun(channel.graph.entry_nodes().count(), "entry", "entries");
        let error = channel.chain.as_ref().err().map(|error| format!("; Classic: {error}"));
        let words = format!("{entries}{}", error.unwrap_or_default());
        pictures.push(ChannelGraph { channel: name, catalogs: vec![*nth], words, drawn });
    }
    pictures
}
