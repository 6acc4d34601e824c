//! Impact of a change: serious findings first, then each package, with its changed graphs before
//! and after.

use super::{
    View,
    html::{Html, count_noun},
    packages::{write_figure, write_sign_legend},
    plan,
    table::Grade,
};
use crate::{
    diff::{
        CatalogComparison,
        lines::{self, DifferenceLine},
        verdict::ReleaseProblem,
    },
    graph::{ChangeMarks, InlineSvg, draw_inline},
    style::Ink,
};
use olm_check::review::{
    Snapshot,
    diff::{ChangeKind, ChannelDiff, PackageDiff},
};

/// Maximum number of lines per package.
const MAX_LINES: usize = 200;

/// Maximum number of serious findings.
const MAX_PROBLEMS: usize = 40;

/// Maximum size of the packages in bytes.
const MAX_BYTES: usize = 2_000_000;

/// Maximum number of packages that are shown unfolded.
const MAX_OPEN_PACKAGES: usize = 4;

/// Renders all comparisons, and returns the number of differing packages.
pub(super) fn render_changes(view: &View<'_>) -> (Html, String) {
    let mut html = Html::default();
    let compared = &view.report.compared;
    let differing: usize = compared.iter().map(CatalogComparison::count_differing_packages).sum();
    if compared.iter().any(|compared| !compared.difference.packages.is_empty()) {
        write_sign_legend(&mut html);
    }
    for (nth, compared) in compared.iter().enumerate() {
        if view.has_several() {
            html.push_markup("<h3>").push_text(view.catalog_title(nth)).push_markup("</h3>\n");
            write_comparison_verdict(&mut html, compared);
        }
        write_comparison(&mut html, compared, view.has_several());
    }
    (html, if differing == 0 { String::new() } else { count_noun(differing, "package", "packages") })
}

/// Writes the verdict of one of several comparisons. The top of the page has the verdict of a
/// single one.
fn write_comparison_verdict(html: &mut Html, compared: &CatalogComparison<'_>) {
    let verdict = compared.verdict();
    let grade = if verdict.is_bad { Grade::Bad } else { Grade::Good };
    html.push_markup("<p")
        .push_attribute("class", &format!("verdict {}", grade.as_str()))
        .push_markup("><b>");
    html.push_text(verdict.lead).push_markup("</b> ").push_text(&verdict.words);
    let between = format!(" from {} to {}.", compared.old_label, compared.new_label);
    html.push_text(&between).push_markup("</p>\n");
}

fn write_comparison(html: &mut Html, compared: &CatalogComparison<'_>, is_below_title: bool) {
    if compared.difference.is_empty() {
        html.push_markup("<p class=\"about\">Nothing differs in meaning.</p>\n");
    }
    write_problems(html, &compared.release_problems());
    let packages: Vec<&PackageDiff> =
        compared.difference.packages.iter().filter(|package| !package.has_same_meaning()).collect();
    let mut left = 0;
    let start = html.len();
    for package in &packages {
        if html.len() - start > MAX_BYTES {
            left += 1;
        } else {
            let is_open = packages.len() <= MAX_OPEN_PACKAGES;
            write_package_changes(html, compared, package, [is_open, is_below_title]);
        }
    }
    if left > 0 {
        let what = count_noun(left, "package differs", "packages differ");
        html.push_markup("<p class=\"cut\">")
            .push_text(&format!(
                "{what} too and have no room here. A report about one package has all of it."
            ))
            .push_markup("</p>\n");
    }
    let others: Vec<DifferenceLine> =
        compared.difference.others.iter().map(lines::other_object_line).collect();
    for (title, lines) in [
        ("Objects without a package", others),
        ("Findings outside the differences", lines::finding_lines(compared, None)),
    ] {
        if !lines.is_empty() {
            html.push_markup("<details><summary>").push_text(title).push_markup("</summary>\n");
            write_change_lines(html, &lines);
            html.push_markup("</details>\n");
        }
    }
    if let Some(update) = &compared.update {
        let title = if is_below_title { "<h4>Cluster update</h4>\n" } else { "<h3>Cluster update</h3>\n" };
        html.push_markup(title);
        plan::write_stranded_table(html, update, "update-table");
    }
}

fn write_problems(html: &mut Html, items: &[ReleaseProblem]) {
    if items.is_empty() {
        return;
    }
    html.push_markup("<ul class=\"bad\">");
    for item in items.iter().take(MAX_PROBLEMS) {
        html.push_markup("<li>");
        match item {
            ReleaseProblem::Words(words) => {
                html.push_text(words);
            }
            ReleaseProblem::Error { finding, message } => {
                html.push_markup("new error ")
                    .push_link(Some(&format!("rule-{}", finding.rule)), finding.rule)
                    .push_text(&format!(": {message}"));
            }
            ReleaseProblem::Gate { gate, told, count: n } => {
                html.push_markup("fails <code>").push_text(gate.name()).push_markup("</code>");
                let more = n.checked_sub(told.len()).filter(|more| *more > 0 && !told.is_empty());
                let told = if told.is_empty() {
                    format!(", {}", count_noun(*n, "time", "times"))
                } else {
                    format!(": {}", told.join("; "))
                };
                html.push_text(&told)
                    .push_text(&more.map(|more| format!("; and {more} more")).unwrap_or_default());
            }
        }
        html.push_markup("</li>\n");
    }
    if let Some(more) = items.len().checked_sub(MAX_PROBLEMS).filter(|more| *more > 0) {
        html.push_markup("<li>").push_text(&format!("and {more} more")).push_markup("</li>");
    }
    html.push_markup("</ul>\n");
}

/// Writes a package: its lines, then its changed graphs.
fn write_package_changes(
    html: &mut Html,
    compared: &CatalogComparison<'_>,
    package: &PackageDiff,
    [is_open, is_below_title]: [bool; 2],
) {
    html.push_markup("<details class=\"package\"");
    if is_open {
        html.push_attribute("open", "");
    }
    html.push_markup("><summary><b>")
        .push_text(package.name.as_str())
        .push_markup("</b> ")
        .push_text(&lines::package_heading(package));
    html.push_markup("</summary>\n");
    write_change_lines(html, &lines::package_lines(compared, package, lines::UserLines::Folded));
    for (names, pictures) in changed_graphs(compared, package) {
        let names = names.join(", ");
        let [open, close] =
            if is_below_title { ["<h4>Graph of ", "</h4>\n"] } else { ["<h3>Graph of ", "</h3>\n"] };
        html.push_markup(open)
            .push_text(&format!("{} {names}", package.name))
            .push_markup(close)
            .push_markup("<div class=\"sides\">");
        for (title, picture) in pictures {
            html.push_markup("<div><p class=\"side\">").push_markup(title).push_markup("</p>");
            let label = format!("{title}: graph of {} {names}, from {}", package.name, compared.old_label);
            write_figure(html, &label, &picture);
            html.push_markup("</div>\n");
        }
        html.push_markup("</div>\n");
    }
    html.push_markup("</details>\n");
}

fn write_change_lines(html: &mut Html, lines: &[DifferenceLine]) {
    html.push_markup("<ul class=\"lines\">");
    for line in lines.iter().take(MAX_LINES) {
        let class = match line.head.ink() {
            Ink::Error => "bad",
            Ink::Warning => "warn",
            Ink::Good => "good",
            _ => "note",
        };
        let depth = if line.depth > 0 { " below" } else { "" };
        html.push_markup("<li").push_attribute("class", &format!("{class}{depth}")).push_markup(">");
        let word = line.head.full_label();
        if !word.is_empty() {
            html.push_markup("<span")
                .push_attribute("class", &format!("tag {class}"))
                .push_markup(">")
                .push_text(word)
                .push_markup("</span> ");
        }
        html.push_text(&line.words);
        if !line.versions.is_empty() {
            html.push_markup(" <details class=\"versions\"><summary>versions</summary>")
                .push_text(&line.versions.join(", "))
                .push_markup("</details>");
        }
        html.push_markup("</li>\n");
    }
    if let Some(more) = lines.len().checked_sub(MAX_LINES).filter(|more| *more > 0) {
        html.push_markup("<li>").push_text(&format!("and {more} more lines")).push_markup("</li>");
    }
    html.push_markup("</ul>\n");
}

/// Images of a channel, each with a heading.
type ChannelGraphs = Vec<(&'static str, InlineSvg)>;

/// Returns the changed graphs before and after. Channels with the same change share one pair.
fn changed_graphs(
    compared: &CatalogComparison<'_>,
    package: &PackageDiff,
) -> Vec<(Vec<String>, ChannelGraphs)> {
    let mut all: Vec<(Vec<String>, ChannelGraphs)> = Vec::new();
    for channel in &package.channels {
        let sides = [
            ("Before", compared.difference.before(), ChangeKind::Added),
            ("After", compared.difference.after(), ChangeKind::Removed),
        ];
        let pictures: ChannelGraphs = sides
            .into_iter()
            .filter_map(|(title, state, other)| Some((title, draw_side(state, package, channel, other)?)))
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
fn draw_side(
    state: &Snapshot,
    package: &PackageDiff,
    channel: &ChannelDiff,
    other: ChangeKind,
) -> Option<InlineSvg> {
    let judged = state.package(package.name.as_str())?;
    let upgrades = judged.graph.channel(channel.name.as_str())?;
    // Nothing is highlighted in a channel that was added or removed.
    let marks = (channel.change_kind == ChangeKind::Changed).then(|| ChangeMarks::for_side(channel, other));
    Some(draw_inline(&judged.graph, upgrades, marks.as_ref()))
}
