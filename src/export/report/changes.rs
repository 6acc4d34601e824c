//! Impact of a change: serious findings first, then each package, with its changed graphs before
//! and after.

use super::{
    View,
    graphs::{self, figure},
    html::{Html, count},
    plan,
    table::Grade,
};
use crate::{
    export::{
        diff::{
            Compared,
            lines::{self, Line},
            verdict::Bad,
        },
        graph::{Inline, Marks, inline},
        style::Ink,
    },
    review::{
        Snapshot,
        diff::{ChannelDiff, Fate, PackageDiff},
    },
};

/// Maximum number of lines per package.
const MAX_LINES: usize = 200;

/// Maximum number of serious findings.
const MAX_BAD: usize = 40;

/// Maximum size of the packages in bytes.
const MAX_BYTES: usize = 2_000_000;

/// Maximum number of changed edges whose ends are all shown.
const FEW_EDGES: usize = 40;

/// Maximum number of packages that are shown unfolded.
const FEW: usize = 4;

/// Renders all comparisons, and returns the number of differing packages.
pub(super) fn html(view: &View<'_>) -> (Html, String) {
    let mut html = Html::default();
    let compared = &view.report.compared;
    let differing: usize = compared.iter().map(Compared::differing).sum();
    if compared.iter().any(|compared| !compared.difference.packages.is_empty()) {
        graphs::legend(&mut html);
    }
    for (nth, compared) in compared.iter().enumerate() {
        if view.has_several() {
            html.raw("<h3>").text(view.title(nth)).raw("</h3>\n");
            verdict(&mut html, compared);
        }
        one(&mut html, compared);
    }
    (html, if differing == 0 { String::new() } else { count(differing, "package", "packages") })
}

/// Writes the verdict of one of several comparisons. The top of the page has the verdict of a
/// single one.
fn verdict(html: &mut Html, compared: &Compared<'_>) {
    let verdict = compared.verdict();
    let grade = if verdict.is_bad { Grade::Bad } else { Grade::Good };
    html.raw("<p").attr("class", &format!("verdict {}", grade.as_str())).raw("><b>");
    html.text(verdict.lead).raw("</b> ").text(&verdict.words);
    let between = format!(" from {} to {}.", compared.old_label, compared.new_label);
    html.text(&between).raw("</p>\n");
}

fn one(html: &mut Html, compared: &Compared<'_>) {
    if compared.difference.is_empty() {
        html.raw("<p class=\"about\">Nothing differs in meaning.</p>\n");
    }
    bad(html, &compared.bad());
    let packages: Vec<&PackageDiff> =
        compared.difference.packages.iter().filter(|package| !package.means_the_same()).collect();
    let mut left = 0;
    let start = html.len();
    for package in &packages {
        if html.len() - start > MAX_BYTES {
            left += 1;
        } else {
            section(html, compared, package, packages.len() <= FEW);
        }
    }
    if left > 0 {
        let what = count(left, "package differs", "packages differ");
        html.raw("<p class=\"cut\">").text(&format!("{what} too and have no room here: olmap diff tells of all, --package NAME makes a page about one.")).raw("</p>\n");
    }
    let others: Vec<Line> = compared.difference.others.iter().map(lines::other).collect();
    for (title, lines) in [
        ("Objects without a package", others),
        ("Findings outside the differences", lines::findings(compared, None)),
    ] {
        if !lines.is_empty() {
            html.raw("<details><summary>").text(title).raw("</summary>\n");
            list(html, &lines);
            html.raw("</details>\n");
        }
    }
    if let Some(update) = &compared.update {
        html.raw("<h4>Cluster update</h4>\n");
        plan::summary(html, update, "update-table");
    }
}

fn bad(html: &mut Html, items: &[Bad]) {
    if items.is_empty() {
        return;
    }
    html.raw("<ul class=\"bad\">");
    for item in items.iter().take(MAX_BAD) {
        html.raw("<li>");
        match item {
            Bad::Words(words) => {
                html.text(words);
            }
            Bad::Gate { gate, told, count: n } => {
                html.raw("fails <code>").text(gate.name()).raw("</code>");
                let more = n.checked_sub(told.len()).filter(|more| *more > 0 && !told.is_empty());
                let told = if told.is_empty() {
                    format!(", {}", count(*n, "time", "times"))
                } else {
                    format!(": {}", told.join("; "))
                };
                html.text(&told).text(&more.map(|more| format!("; and {more} more")).unwrap_or_default());
            }
        }
        html.raw("</li>\n");
    }
    if let Some(more) = items.len().checked_sub(MAX_BAD).filter(|more| *more > 0) {
        html.raw("<li>").text(&format!("and {more} more")).raw("</li>");
    }
    html.raw("</ul>\n");
}

/// Writes a package: its lines, then its changed graphs.
fn section(html: &mut Html, compared: &Compared<'_>, package: &PackageDiff, is_open: bool) {
    html.raw("<details class=\"package\"");
    if is_open {
        html.attr("open", "");
    }
    html.raw("><summary><b>").text(package.name.as_str()).raw("</b> ").text(&lines::heading(package));
    html.raw("</summary>\n");
    list(html, &lines::package(compared, package));
    for (names, pictures) in pictures(compared, package) {
        html.raw("<h4>Graph of ").text(&names.join(", ")).raw("</h4>\n<div class=\"sides\">");
        for (title, picture) in pictures {
            html.raw("<div><p class=\"side\">").raw(title).raw("</p>");
            figure(html, &picture);
            html.raw("</div>\n");
        }
        html.raw("</div>\n");
    }
    html.raw("</details>\n");
}

fn list(html: &mut Html, lines: &[Line]) {
    html.raw("<ul class=\"lines\">");
    for line in lines.iter().take(MAX_LINES) {
        let class = match line.head.ink() {
            Ink::Error => "bad",
            Ink::Warning => "warn",
            Ink::Good => "good",
            _ => "note",
        };
        let depth = if line.depth > 0 { " below" } else { "" };
        html.raw("<li").attr("class", &format!("{class}{depth}")).raw(">");
        let word = line.head.word();
        if !word.is_empty() {
            html.raw("<span").attr("class", &format!("tag {class}")).raw(">").text(word).raw("</span> ");
        }
        html.text(&line.words).raw("</li>\n");
    }
    if let Some(more) = lines.len().checked_sub(MAX_LINES).filter(|more| *more > 0) {
        html.raw("<li>").text(&format!("and {more} more lines: olmap diff tells all")).raw("</li>");
    }
    html.raw("</ul>\n");
}

/// Images of a channel, each with a heading.
type Pictures = Vec<(&'static str, Inline)>;

/// Returns the changed graphs before and after. Channels with the same change share one pair.
fn pictures(compared: &Compared<'_>, package: &PackageDiff) -> Vec<(Vec<String>, Pictures)> {
    let mut all: Vec<(Vec<String>, Pictures)> = Vec::new();
    for channel in &package.channels {
        let sides = [("Before", compared.old, Fate::Added), ("After", compared.new, Fate::Removed)];
        let pictures: Pictures = sides
            .into_iter()
            .filter_map(|(title, state, other)| Some((title, side(state, package, channel, other)?)))
            .collect();
        let name = channel.name.to_string();
        match all.iter_mut().find(|(_, known)| *known == pictures) {
            Some((names, _)) => names.push(name),
            None if pictures.is_empty() => {}
            None => all.push((vec![name], pictures)),
        }
    }
    all
}

/// Draws a channel on one side of the comparison. Entries with the fate `other` do not exist on
/// this side.
fn side(state: &Snapshot, package: &PackageDiff, channel: &ChannelDiff, other: Fate) -> Option<Inline> {
    let judged = state.package(package.name.as_str())?;
    let upgrades = judged.graph.channel(channel.name.as_str())?;
    let entries = channel.entries.iter().map(|entry| (&entry.name, entry.fate()));
    let mut marks = Marks { fates: entries.filter(|(_, fate)| *fate != other).collect(), ..Marks::default() };
    let edges = || channel.new_edges.iter().chain(&channel.gone_edges);
    if channel.entries.is_empty() {
        // Only the coverage of skipRanges differs.
        marks.fates.extend(edges().map(|edge| (&edge.to, Fate::Changed)));
    }
    // Entries with changed upgrades are not folded, unless there are too many.
    if edges().count() <= FEW_EDGES {
        marks.near = edges().flat_map(|edge| [&edge.from, &edge.to]).collect();
    }
    // Nothing is highlighted in a channel that was added or removed.
    let marks = (channel.fate == Fate::Changed).then_some(marks);
    Some(inline(&judged.graph, upgrades, marks.as_ref()))
}
