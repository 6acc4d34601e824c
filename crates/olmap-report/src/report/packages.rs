//! Packages: description, channels and graphs, folded; packages with the most problems come first.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use rayon::prelude::*;

use super::{
    View,
    html::{Html, count_noun},
};
use crate::{
    description,
    graph::{InlineSvg, SignSample, describe_sign, draw_inline, select_channels},
    layout::legend::SIGNS,
    links::WebAddress,
};
use olm_catalog::{Catalog, details::BundleDetails, icon};
use olm_check::review::PackageState;
use olm_plan::overview::OverviewRow;
use olm_upgrade::package::ChannelUpgrades;

/// Maximum size of the images of channels in bytes.
const MAX_BYTES: usize = 1_500_000;

/// Maximum size of an icon in bytes.
const MAX_ICON_BYTES: usize = 24_000;

/// Maximum size of all icons in bytes.
const MAX_ICONS_BYTES: usize = 160_000;

/// Maximum length of a description in characters.
const MAX_DESCRIPTION: usize = 400;

/// Maximum number of links of an operator.
const MAX_LINKS: usize = 6;

/// Image of a channel, with the catalogs that share it.
struct ChannelGraph {
    channel: String,
    catalogs: Vec<usize>,
    words: String,
    drawn: InlineSvg,
}

/// Description of a package by its publisher: of the head of the default channel, in the newest
/// catalog.
#[derive(Default)]
struct PackageFacts {
    details: BundleDetails,
    /// Address of the icon: an image in the page.
    icon: Option<String>,
}

/// Returns the address of a package on the page. `nth` is its position in the overview.
pub(super) fn package_anchor(nth: usize) -> String {
    format!("package-{nth}")
}

/// Renders all packages and returns their number. A comparison contains the changed graphs, so the
/// packages have no graphs then.
pub(super) fn render_packages(view: &View<'_>) -> (Html, String) {
    let rows = &view.overview.overview.rows;
    if rows.is_empty() {
        return (Html::default(), String::new());
    }
    let facts: Vec<PackageFacts> = rows.par_iter().map(|row| PackageFacts::read_facts(view, row)).collect();
    let mut html = Html::default();
    let (mut graphs, mut icons, mut undrawn) = (0, 0, 0);
    for (nth, (row, facts)) in rows.iter().zip(&facts).enumerate() {
        let channels = if view.report.compared.is_empty() { package_channels(view, row) } else { Vec::new() };
        let pictures = if graphs > MAX_BYTES {
            undrawn += channels.len();
            Vec::new()
        } else {
            draw_channel_graphs(&channels)
        };
        graphs += pictures.iter().map(|picture| picture.drawn.as_str().len()).sum::<usize>();
        html.push_markup("<details class=\"package\"")
            .push_attribute("id", &package_anchor(nth))
            .push_markup("><summary><h3>")
            .push_text(row.package.as_str())
            .push_markup("</h3> <small>")
            .push_text(&summary_words(facts, pictures.len()))
            .push_markup("</small></summary>\n");
        let icon = facts.icon.as_ref().filter(|icon| icons + icon.len() <= MAX_ICONS_BYTES);
        icons += icon.map_or(0, String::len);
        write_facts(&mut html, facts, icon);
        write_channels(&mut html, view, row);
        for picture in &pictures {
            let of = if view.has_several() {
                format!(" in {}", view.join_titles(&picture.catalogs))
            } else {
                String::new()
            };
            html.push_markup("<h4>").push_text(&picture.channel).push_markup(" <small>");
            html.push_text(&format!("{}{of}", picture.words)).push_markup("</small></h4>\n");
            let label = format!("Graph of {} {}{of}", row.package, picture.channel);
            write_figure(&mut html, &label, &picture.drawn);
        }
        html.push_markup("</details>\n");
    }
    let mut page = Html::default();
    if view.report.compared.is_empty() {
        page.push_markup("<p class=\"about\">What the publisher says, the channels, and the upgrade graph of each channel: a line for each version, the newest on top. Runs of versions without remarks are one line.</p>\n");
        write_sign_legend(&mut page);
    } else {
        page.push_markup("<p class=\"about\">What the publisher says, and the channels.</p>\n");
    }
    page.push(&html);
    if undrawn > 0 {
        let words = format!(
            "{} more are not drawn here, so that the page stays small. A report about one package has all of its graphs.",
            count_noun(undrawn, "graph", "graphs")
        );
        page.push_markup("<p class=\"cut\">").push_text(&words).push_markup("</p>\n");
    }
    (page, rows.len().to_string())
}

fn summary_words(facts: &PackageFacts, graphs: usize) -> String {
    let graphs = (graphs > 0).then(|| count_noun(graphs, "graph", "graphs"));
    let BundleDetails { display_name, provider, .. } = &facts.details;
    let named = |words: &str| (!words.is_empty()).then(|| words.to_owned());
    let parts: Vec<String> = [named(display_name), named(provider), graphs].into_iter().flatten().collect();
    parts.join(", ")
}

/// Writes the icon, the description and the links of the publisher.
fn write_facts(html: &mut Html, facts: &PackageFacts, icon: Option<&String>) {
    let details = &facts.details;
    if let Some(icon) = icon {
        html.push_markup("<img class=\"icon\" alt=\"\"").push_attribute("src", icon).push_markup("/>\n");
    }
    let lines = description::render_markdown_lines(&details.description, usize::MAX / 2, false);
    let lines: Vec<String> =
        lines.iter().map(|line| line.iter().map(|piece| piece.text.as_str()).collect::<String>()).collect();
    let text = lines.join("\n");
    let short = crate::markdown::truncate_characters(text.trim(), MAX_DESCRIPTION);
    if !short.is_empty() {
        html.push_markup("<p class=\"prose\">").push_text_lines(&short).push_markup("</p>\n");
    }
    let links =
        details.links.iter().filter_map(|(name, url)| Some((name, WebAddress::parse_web_address(url)?)));
    let links: Vec<_> = links.take(MAX_LINKS).collect();
    if !links.is_empty() {
        html.push_markup("<p class=\"links\">Links: ");
        for (nth, (name, address)) in links.iter().enumerate() {
            if nth > 0 {
                html.push_markup(", ");
            }
            let name = if name.is_empty() { address.as_str() } else { name.as_str() };
            html.push_web_link(address, name);
        }
        html.push_markup("</p>\n");
    }
}

/// Writes a line for each channel of the newest catalog: its head, its size and its marks.
fn write_channels(html: &mut Html, view: &View<'_>, row: &OverviewRow) {
    let Some((_, judged)) = newest_state(view, row) else { return };
    let package = judged.package();
    html.push_markup("<ul class=\"channels\">");
    for channel in select_channels(&judged.graph, None) {
        let graph = &channel.graph;
        let heads: Vec<String> = graph
            .head_nodes()
            .iter()
            .filter_map(|at| graph.node(*at))
            .map(|node| package.short_name(&node.name))
            .collect();
        let words = match heads.as_slice() {
            [] => "no head".to_owned(),
            [head] => format!("head {head}"),
            heads => format!("{} heads: {}", heads.len(), heads.join(", ")),
        };
        html.push_markup("<li><b>").push_text(graph.name().as_str()).push_markup("</b> ");
        if package.default_channel() == Some(graph.name()) {
            html.push_markup("<span class=\"none\">default</span> ");
        }
        if package.channel_deprecation(graph.name()).is_some() {
            html.push_markup("<span class=\"tag warn\">deprecated</span> ");
        }
        let entries = count_noun(graph.entry_nodes().count(), "entry", "entries");
        html.push_text(&format!("{words}, {entries}")).push_markup("</li>\n");
    }
    html.push_markup("</ul>\n");
}

/// Returns the package in the newest catalog that has it.
fn newest_state<'a>(view: &View<'a>, row: &OverviewRow) -> Option<(&'a Catalog, &'a PackageState)> {
    let releases = view.report.releases.iter().rev();
    let mut states = releases.filter_map(|release| {
        let judged = release.catalog.package(row.package.as_str())?;
        Some((&*release.catalog.catalog, &**judged))
    });
    states.next()
}

impl PackageFacts {
    fn read_facts(view: &View<'_>, row: &OverviewRow) -> Self {
        let Some((catalog, judged)) = newest_state(view, row) else { return Self::default() };
        let package = judged.package();
        let default = package.default_channel().and_then(|name| judged.graph.channel(name.as_str()));
        let channel = default.or_else(|| judged.graph.channels().first());
        let head = channel
            .and_then(|channel| channel.graph.node(channel.graph.head_node()?).map(|node| node.name.clone()));
        let details = head.and_then(|head| {
            let tree = catalog.parse_document(package.bundle(head.as_str())?.doc)?.ok()?;
            Some(BundleDetails::from_bundle(&tree))
        });
        let icon =
            package.definition().filter(|definition| definition.icon.is_some()).and_then(|definition| {
                let tree = catalog.parse_document(definition.doc)?.ok()?;
                let icon = tree.get("icon")?;
                icon_address(icon.get("mediatype")?.as_str()?, icon.get("base64data")?.as_str()?)
            });
        Self { details: details.unwrap_or_default(), icon }
    }
}

/// Returns the address of an icon. Only images are accepted, which cannot run scripts in `img`.
fn icon_address(media_type: &str, data: &str) -> Option<String> {
    if data.len() > MAX_ICON_BYTES * 2 {
        return None;
    }
    let compact: String = data.chars().filter(|c| !c.is_whitespace()).collect();
    let bytes = STANDARD.decode(compact).ok().filter(|bytes| bytes.len() <= MAX_ICON_BYTES)?;
    let kind = match icon::media_type(&bytes) {
        Some(kind @ ("image/png" | "image/jpeg" | "image/gif" | "image/webp")) => kind,
        None if media_type == "image/svg+xml" => "image/svg+xml",
        _ => return None,
    };
    Some(format!("data:{kind};base64,{}", STANDARD.encode(bytes)))
}

/// Writes an image that may be wider than the page.
pub(super) fn write_figure(html: &mut Html, label: &str, picture: &InlineSvg) {
    html.push_markup("<div class=\"scroll\" role=\"group\" tabindex=\"0\"")
        .push_attribute("aria-label", label)
        .push_markup(">")
        .push_svg(picture)
        .push_markup("</div>\n");
}

/// Writes the legend with the lines and shapes of the pictures.
pub(super) fn write_sign_legend(html: &mut Html) {
    html.push_markup("<details><summary>What the signs mean</summary>\n<dl class=\"legend\">");
    for sign in SIGNS {
        html.push_markup("<dt>");
        match SignSample::draw_sign(sign.id) {
            Some(sample) => html.push_sample(&sample),
            None => html.push_text(sign.unicode),
        };
        html.push_markup("</dt><dd>").push_text(&describe_sign(sign)).push_markup("</dd>");
    }
    html.push_markup("<dt>\u{22ee}</dt><dd>versions without remarks, on one line</dd>");
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
