//! Overview of catalogs, for people, programs and pull requests.

mod text;

pub use text::{ChannelLookup, render_overview};

use std::fmt::Write as _;

use serde::Serialize;

use crate::{
    document::{Item, Line, Piece, piece, text_piece, wrap_lines},
    escape::display_width,
    markdown::{Comment, escape_markdown},
    style::Ink,
};
use olm_plan::overview::{
    Change, ChannelHealth, Overview, OverviewCell, OverviewRow, ProblemMark, nonzero_marks,
};
use olm_upgrade::{
    openshift::OpenShift,
    stuck::{format_counts, format_counts_briefly},
};

/// Catalog of an overview.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// OpenShift version of the catalog, if known.
    pub openshift: Option<OpenShift>,
    /// Title of the column.
    pub title: String,
    /// Path or image of the catalog.
    pub label: String,
}

/// Overview with its columns, sorted by the caller.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SortedOverview {
    /// Catalogs.
    pub columns: Vec<Column>,
    /// Packages.
    pub overview: Overview,
}

impl Column {
    /// Returns the columns of catalogs.
    pub fn for_releases<C>(releases: &[olm_plan::series::Release<C>]) -> Vec<Self> {
        let titles = olm_plan::series::column_titles(releases).into_iter();
        let column = |(title, release): (String, &olm_plan::series::Release<C>)| Self {
            openshift: release.openshift,
            title,
            label: release.label.clone(),
        };
        titles.zip(releases).map(column).collect()
    }
}

/// Words of a cell about the change since the previous catalog.
const LOWER: &str = " lower";
const NEW: &str = " new";

/// Removes the words about the change since the previous catalog, because stuck versions and errors matter more.
pub fn drop_change_words(cell: &mut Line) {
    cell.retain(|part| part.text != LOWER && part.text != NEW);
}

/// Renders a cell: the head of the default channel, then signs with counts, worst first.
pub fn overview_cell_pieces(row: &OverviewRow, nth: usize) -> Line {
    render_cell(row, nth, format_counts)
}

/// Renders a cell in the shortest form: without the change, and with `C:2 v1:4` for the numbers of stuck versions.
pub fn brief_cell_pieces(row: &OverviewRow, nth: usize) -> Line {
    let mut cell = render_cell(row, nth, format_counts_briefly);
    drop_change_words(&mut cell);
    cell
}

fn render_cell(row: &OverviewRow, nth: usize, format_stuck: fn(usize, usize) -> String) -> Line {
    let Some(cell) = row.cells.get(nth).and_then(Option::as_ref) else {
        return vec![if row.is_removed(nth) { piece("gone", Ink::Error) } else { piece("-", Ink::Dim) }];
    };
    let head = piece(cell.head_label(), if cell.head().is_some() { Ink::Text } else { Ink::Error });
    let mut pieces = vec![head];
    match cell.change {
        Some(Change::Lower) => pieces.push(piece(LOWER, Ink::Error)),
        Some(Change::New) => pieces.push(piece(NEW, Ink::Good)),
        None => {}
    }
    if cell.stuck.is_none() {
        pieces.push(piece(" ? stuck", Ink::Warning));
    }
    pieces.extend(nonzero_marks(|mark| cell.count_marked(mark)).map(|(mark, count)| {
        let words = match mark {
            ProblemMark::Stuck => format!(" {}", format_stuck_counts(cell.stuck, format_stuck)),
            _ => format!(" {}{count}", mark.sign()),
        };
        piece(words, mark_ink(mark))
    }));
    pieces
}

/// Formats the number of stuck versions: `141 stuck`, `v1 4 stuck`.
fn format_stuck_counts(stuck: Option<(usize, usize)>, format: fn(usize, usize) -> String) -> String {
    let (classic, v1) = stuck.unwrap_or_default();
    format!("{} stuck", format(classic, v1))
}

/// Returns the color of a count.
pub fn mark_ink(mark: ProblemMark) -> Ink {
    match mark {
        _ if mark.is_severe() => Ink::Error,
        ProblemMark::Warnings | ProblemMark::BlocksUntilUpgraded => Ink::Warning,
        _ => Ink::Note,
    }
}

/// Returns the signs that occur in the cells, each with its meaning.
pub fn overview_legend(overview: &Overview) -> Vec<Item> {
    let rows = || overview.rows.iter();
    let has = |is: &dyn Fn(&olm_plan::overview::OverviewCell) -> bool| {
        rows().any(|row| row.cells.iter().flatten().any(is))
    };
    let item = |mark, ink, text: &str| Item { indent: 0, mark, ink, text: text.to_owned() };
    let mut legend = Vec::new();
    for mark in ProblemMark::ALL.iter().filter(|mark| {
        has(&|cell| nonzero_marks(|mark| cell.count_marked(mark)).any(|(told, _)| told == **mark))
    }) {
        legend.push(item(mark.sign(), mark_ink(*mark), mark.meaning()));
    }
    if has(&|cell| cell.stuck.is_some_and(|(classic, v1)| classic != v1)) {
        let words = "OLM v1 takes the highest version with an edge; Classic follows replaces from the head";
        legend.push(item("v1", Ink::Text, words));
    }
    if rows().any(|row| (0..row.cells.len()).any(|nth| row.is_removed(nth))) {
        legend.push(item("gone", Ink::Error, "it was in the previous catalog"));
    }
    if has(&|cell| cell.change == Some(Change::Lower)) {
        legend.push(item("lower", Ink::Error, "the head is lower than in the previous catalog"));
    }
    if has(&|cell| cell.change == Some(Change::New)) {
        legend.push(item("new", Ink::Good, "it was not in the previous catalog"));
    }
    legend
}

/// Returns the totals and the number of packages with problems.
pub fn summarize_overview(sorted: &SortedOverview) -> String {
    let count = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    let (catalogs, packages) = (sorted.columns.len(), sorted.overview.rows.len());
    format!(
        "{} in {}, {} with trouble: errors, stuck versions, gone from a catalog, or a lower head.",
        count(packages, "package"),
        count(catalogs, "catalog"),
        sorted.overview.count_troubled()
    )
}

/// Renders a table with a row per package and a column per catalog; problems are in words.
pub fn render_overview_comment(sorted: &SortedOverview) -> String {
    let out = format!("{}\n", summarize_overview(sorted));
    if sorted.overview.rows.is_empty() {
        return out;
    }
    let mut comment = Comment::from(out);
    let titles = sorted.columns.iter().map(|column| escape_markdown(&column.title));
    comment.push_table_head(std::iter::once("package".to_owned()).chain(titles));
    for row in &sorted.overview.rows {
        let cells = (0..sorted.columns.len()).map(|nth| render_overview_cell(row, nth));
        let cells: Vec<String> =
            std::iter::once(escape_markdown(row.package.as_str())).chain(cells).collect();
        comment.push_row(&cells);
    }
    comment.finish("olmap overview")
}

fn render_overview_cell(row: &OverviewRow, nth: usize) -> String {
    let Some(cell) = row.cells.get(nth).and_then(Option::as_ref) else {
        return if row.is_removed(nth) { "**gone**" } else { "" }.to_owned();
    };
    let label = escape_markdown(&cell.head_label());
    let mut out = if cell.head().is_some() { label } else { format!("**{label}**") };
    match cell.change {
        Some(Change::Lower) => out.push_str(", **lower than before**"),
        Some(Change::New) => out.push_str(", new"),
        None => {}
    }
    for (mark, count) in nonzero_marks(|mark| cell.count_marked(mark)) {
        let words = if mark == ProblemMark::Stuck {
            format_stuck_counts(cell.stuck, format_counts)
        } else {
            mark.format_count(count)
        };
        let _ = if mark.is_severe() { write!(out, ", **{words}**") } else { write!(out, ", {words}") };
    }
    out
}

/// Package as `olmap overview -o json` prints it.
#[derive(Debug, Serialize)]
pub struct PackageRow<'a> {
    package: &'a str,
    /// One cell per catalog, in order; null if the catalog does not have the package.
    cells: Vec<Option<CellRow<'a>>>,
    /// Catalogs without the package although the previous catalog has it.
    gone: Vec<&'a str>,
}

#[derive(Debug, Serialize)]
struct CellRow<'a> {
    catalog: &'a str,
    openshift: Option<String>,
    default_channel: Option<&'a str>,
    head: Option<&'a str>,
    version: Option<String>,
    bundles: usize,
    versions: usize,
    /// Stuck versions of the package on OLM Classic.
    stuck: Option<usize>,
    /// Stuck versions of the package on OLM v1.
    v1_stuck: Option<usize>,
    dead_ends: usize,
    escaping: usize,
    deprecated: usize,
    unanswered: usize,
    blocked: Option<usize>,
    blocked_for_good: Option<usize>,
    errors: usize,
    warnings: usize,
    change: Option<&'static str>,
}

impl<'a> PackageRow<'a> {
    /// Returns the rows of an overview.
    pub fn rows_for_overview(sorted: &'a SortedOverview) -> Vec<Self> {
        sorted.overview.rows.iter().map(|row| Self::from_overview_row(row, &sorted.columns)).collect()
    }

    fn from_overview_row(row: &'a OverviewRow, columns: &'a [Column]) -> Self {
        let cells = row.cells.iter().zip(columns);
        let gone = columns.iter().enumerate().filter(|(nth, _)| row.is_removed(*nth));
        Self {
            package: row.package.as_str(),
            cells: cells
                .map(|(cell, column)| Some(CellRow::from_overview_cell(cell.as_ref()?, column)))
                .collect(),
            gone: gone.map(|(_, column)| column.label.as_str()).collect(),
        }
    }
}

impl<'a> CellRow<'a> {
    fn from_overview_cell(cell: &'a OverviewCell, column: &'a Column) -> Self {
        let health = cell.health.as_ref();
        let count = |of: fn(&olm_plan::overview::ChannelHealth) -> usize| health.map_or(0, of);
        let blocked = health.and_then(|health| health.blocked);
        Self {
            catalog: &column.label,
            openshift: column.openshift.map(|version| version.to_string()),
            default_channel: cell.default_channel.as_ref().map(AsRef::as_ref),
            head: cell.head().map(|head| head.bundle.as_str()),
            version: cell.head().and_then(|head| head.version.as_ref()).map(ToString::to_string),
            bundles: cell.bundles,
            versions: count(|health| health.versions),
            stuck: cell.stuck.map(|(classic, _)| classic),
            v1_stuck: cell.stuck.map(|(_, v1)| v1),
            dead_ends: count(|health| health.dead_ends),
            escaping: count(|health| health.escaping),
            deprecated: count(|health| health.deprecated),
            unanswered: count(|health| health.unanswered),
            blocked_for_good: blocked.and_then(|_| health.map(|health| health.blocked_for_good)),
            blocked,
            errors: cell.errors,
            warnings: cell.warnings,
            change: cell.change.map(|change| match change {
                Change::New => "new",
                Change::Lower => "lower",
            }),
        }
    }
}

/// Renders the change from the previous catalog, each channel with its head and problems, and the
/// findings. Lines have at most `columns` columns if the names allow it. `channels` are those of
/// the package, default first.
pub fn package_detail_lines(
    row: &OverviewRow,
    nth: usize,
    catalogs: &[Column],
    channels: &[ChannelHealth],
    columns: usize,
) -> Vec<Line> {
    let sentence = |it: Piece| wrap_lines(&it.text, it.ink, ["  ", "    "], columns);
    let title = |nth: usize| catalogs.get(nth).map(|column| column.title.as_str()).unwrap_or_default();
    let before = nth.checked_sub(1);
    let Some(cell) = row.cells.get(nth).and_then(Option::as_ref) else {
        let mut words = format!("The catalog {} has no package {}", title(nth), row.package);
        if let Some(before) = before.filter(|_| row.is_removed(nth)) {
            words =
                format!("{words}; {} has it. What is installed stays and gets no upgrades", title(before));
        }
        let ink = if row.is_removed(nth) { Ink::Error } else { Ink::Dim };
        return sentence(piece(format!("{words}."), ink));
    };
    let mut lines = Vec::new();
    if let Some(words) = before.and_then(|before| describe_cell_change(row, cell, before, title(before))) {
        lines.extend(sentence(words));
    }
    if cell.health.is_none() {
        let words = match &cell.default_channel {
            Some(name) => format!("The default channel {name} does not exist."),
            None => "There is no default channel.".to_owned(),
        };
        lines.extend(sentence(piece(words, Ink::Error)));
    }
    let findings: Vec<(ProblemMark, usize)> = [ProblemMark::Errors, ProblemMark::Warnings]
        .into_iter()
        .map(|mark| (mark, cell.count_marked(mark)))
        .filter(|(_, count)| *count > 0)
        .collect();
    let is_default = |channel: &ChannelHealth| Some(&channel.channel) == cell.default_channel.as_ref();
    lines.extend(channel_table_lines(channels, is_default, cell.outside_errors == 0, columns));
    let mut last = vec![piece("  validate: ", Ink::Dim)];
    if findings.is_empty() && cell.is_pending {
        last.push(piece("no errors, no warnings so far; not all checks are done", Ink::Dim));
    } else if findings.is_empty() && cell.outside_errors > 0 {
        let s = if cell.outside_errors == 1 { "" } else { "s" };
        let words = format!("no errors, no warnings; {} error{s} outside of packages", cell.outside_errors);
        last.push(piece(words, Ink::Error));
    } else if findings.is_empty() {
        last.push(piece("no errors, no warnings", Ink::Good));
        if cell.has_unjudged_steps {
            last.push(piece(
                "; CRD safety of upgrades: not checked (olmap validate --bundles DIR)",
                Ink::Dim,
            ));
        }
    } else {
        last.extend(mark_pieces(&findings, None));
    }
    lines.push(last);
    lines
}

fn describe_cell_change(row: &OverviewRow, cell: &OverviewCell, before: usize, title: &str) -> Option<Piece> {
    match cell.change? {
        Change::New => Some(piece(format!("The catalog before ({title}) does not have it."), Ink::Good)),
        Change::Lower => {
            let head = row.cells.get(before)?.as_ref()?.head()?;
            let own = cell.head()?;
            let words =
                format!("The head {} is lower than that of {title}: {}.", own.short_name, head.short_name);
            Some(piece(words, Ink::Error))
        }
    }
}

/// Renders a line per channel: name, head, versions and problems. Problems that do not fit go on
/// the next line. `is_whole` is true if the catalog could be read completely.
fn channel_table_lines(
    channels: &[ChannelHealth],
    is_default: impl Fn(&ChannelHealth) -> bool,
    is_whole: bool,
    columns: usize,
) -> Vec<Line> {
    let head = ChannelHealth::head_label;
    let versions = |channel: &ChannelHealth| {
        format!("{} version{}", channel.versions, if channel.versions == 1 { "" } else { "s" })
    };
    let name = |channel: &ChannelHealth| {
        format!("{}{}", if is_default(channel) { "* " } else { "  " }, channel.channel)
    };
    let widest = |of: &dyn Fn(&ChannelHealth) -> String| {
        channels.iter().map(|it| display_width(&of(it))).max().unwrap_or(0)
    };
    let widths = [widest(&name), widest(&head), widest(&versions)];
    let padded = |text: String, wide: usize| {
        let blanks = " ".repeat(wide.saturating_sub(display_width(&text)) + 2);
        text + &blanks
    };
    let [names, heads, counts] = widths;
    let indent = names + heads + counts + 8;
    let mut lines = Vec::new();
    for channel in channels {
        let marks: Vec<(ProblemMark, usize)> = nonzero_marks(|mark| channel.count_marked(mark)).collect();
        let wrong = match (marks.is_empty(), is_whole) {
            (true, true) => unmarked_pieces(channel),
            (true, false) => vec![piece("not all of it read", Ink::Dim)],
            (false, _) => mark_pieces(&marks, channel.stuck),
        };
        let mut line = vec![
            text_piece(format!("  {}", padded(name(channel), names))),
            piece(padded(head(channel), heads), channel.head.as_ref().map_or(Ink::Error, |_| Ink::Title)),
            piece(padded(versions(channel), counts), Ink::Dim),
        ];
        // Problems that do not fit continue on the next line.
        let mut used = indent;
        for (nth, piece) in wrong.into_iter().enumerate() {
            if used + display_width(&piece.text) > columns && (nth > 0 || used > 6) {
                lines.push(std::mem::replace(&mut line, vec![text_piece(" ".repeat(6))]));
                used = 6;
            }
            used += display_width(&piece.text);
            line.push(piece);
        }
        lines.push(line);
    }
    lines
}

/// Returns the text for a channel without marks.
fn unmarked_pieces(channel: &ChannelHealth) -> Line {
    match channel.stuck {
        None => vec![piece("? stuck", Ink::Warning)],
        Some(_) => vec![piece("ok", Ink::Good)],
    }
}

/// Lists marks with their counts: `3 stuck, 1 error`.
fn mark_pieces(marks: &[(ProblemMark, usize)], stuck: Option<(usize, usize)>) -> Line {
    let last = marks.len().saturating_sub(1);
    let counted = |(nth, (mark, count)): (usize, &(ProblemMark, usize))| {
        let words = if *mark == ProblemMark::Stuck {
            format_stuck_counts(stuck, format_counts)
        } else {
            mark.format_count(*count)
        };
        piece(format!("{words}{}", if nth < last { ", " } else { "" }), mark_ink(*mark))
    };
    marks.iter().enumerate().map(counted).collect()
}
