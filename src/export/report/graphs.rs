//! Graphs of channels as folded images; packages with the most problems come first.

use std::collections::BTreeMap;

use super::{
    View,
    html::{Html, count},
};
use crate::{
    catalog::PackageName,
    export::graph::{Inline, inline, select},
    layout::legend::SIGNS,
    plan::overview::Row,
    upgrade::package::ChannelUpgrades,
};

/// Maximum size of the images in bytes.
const MAX_BYTES: usize = 1_500_000;

/// Addresses of the graphs on the page, by package.
#[derive(Debug, Default)]
pub(super) struct Anchors(BTreeMap<PackageName, String>);

impl Anchors {
    /// Returns the address of a package's graphs, if it has any.
    pub fn of(&self, package: &PackageName) -> Option<&str> {
        self.0.get(package).map(String::as_str)
    }
}

/// Image of a channel, with the catalogs that share it.
struct Picture {
    channel: String,
    catalogs: Vec<usize>,
    words: String,
    drawn: Inline,
}

/// Renders the images, and returns their addresses.
pub(super) fn html(view: &View<'_>) -> (Html, Anchors) {
    let mut html = Html::default();
    let mut anchors = Anchors::default();
    let (mut undrawn, mut first) = (0, None);
    for (nth, row) in view.overview.overview.rows.iter().enumerate() {
        let channels = channels(view, row);
        if html.len() > MAX_BYTES {
            undrawn += channels.len();
            first.get_or_insert(&row.package);
            continue;
        }
        let pictures = pictures(&channels);
        if pictures.is_empty() {
            continue;
        }
        let anchor = format!("graph-{nth}");
        html.raw("<details class=\"graphs\"")
            .attr("id", &anchor)
            .raw("><summary><b>")
            .text(row.package.as_str());
        html.raw("</b> <small>").text(&count(pictures.len(), "graph", "graphs")).raw("</small></summary>\n");
        for picture in &pictures {
            let of = if view.has_several() {
                format!(" in {}", view.titles_of(&picture.catalogs))
            } else {
                String::new()
            };
            html.raw("<h4>").text(&picture.channel).raw(" <small>");
            html.text(&format!("{}{of}", picture.words)).raw("</small></h4>\n");
            figure(&mut html, &picture.drawn);
        }
        html.raw("</details>\n");
        anchors.0.insert(row.package.clone(), anchor);
    }
    if html.is_empty() {
        return (html, anchors);
    }
    let mut page = Html::default();
    page.raw("<p class=\"about\">A line for each version, the newest on top; the lines show what upgrades what. Runs of versions of which nothing is to be said are one line.</p>\n");
    legend(&mut page);
    page.push(&html);
    if undrawn > 0 {
        let words = format!(
            "{} more are not drawn here, so that the page stays small. --package NAME makes a page about one package, olmap graph draws any.",
            count(undrawn, "graph", "graphs")
        );
        page.raw("<p class=\"cut\">").text(&words).raw("</p>\n");
    }
    (page, anchors)
}

/// Writes an image that may be wider than the page.
pub(super) fn figure(html: &mut Html, picture: &Inline) {
    html.raw("<div class=\"scroll\" role=\"region\" aria-label=\"Graph\" tabindex=\"0\">")
        .picture(picture)
        .raw("</div>\n");
}

/// Writes the legend.
pub(super) fn legend(html: &mut Html) {
    html.raw("<details><summary>What the signs mean</summary>\n<dl class=\"legend\">");
    for sign in SIGNS {
        html.raw("<dt>").text(sign.unicode).raw("</dt><dd>").text(sign.meaning).raw("</dd>");
    }
    html.raw("</dl></details>\n");
}

/// Channel of a catalog, with the graphs of its package.
type Drawn<'a> = (usize, &'a crate::upgrade::PackageGraph, &'a ChannelUpgrades);

/// Returns the channels of a package, newest catalog first, and in each the default channel first.
fn channels<'a>(view: &View<'a>, row: &Row) -> Vec<Drawn<'a>> {
    let releases = view.report.releases.iter().enumerate().rev();
    let of = |(nth, release): (usize, &'a crate::plan::series::Release<crate::review::Snapshot>)| {
        let judged = release.catalog.package(row.package.as_str());
        let graph = judged.map(|judged| &*judged.graph);
        let channels = graph.map(|graph| select(graph, None)).unwrap_or_default();
        channels.into_iter().filter_map(|channel| Some((nth, graph?, channel))).collect::<Vec<_>>()
    };
    releases.flat_map(of).collect()
}

/// Returns the images of channels. Equal images in several catalogs are merged.
fn pictures(channels: &[Drawn<'_>]) -> Vec<Picture> {
    let mut pictures: Vec<Picture> = Vec::new();
    for (nth, graph, channel) in channels {
        let drawn = inline(graph, channel, None);
        let name = channel.graph.name().to_string();
        if let Some(known) = pictures.iter_mut().find(|known| known.channel == name && known.drawn == drawn) {
            known.catalogs.insert(0, *nth);
            continue;
        }
        let entries = count(channel.graph.entries().count(), "entry", "entries");
        let error = channel.chain.as_ref().err().map(|error| format!("; Classic: {error}"));
        let words = format!("{entries}{}", error.unwrap_or_default());
        pictures.push(Picture { channel: name, catalogs: vec![*nth], words, drawn });
    }
    pictures
}
