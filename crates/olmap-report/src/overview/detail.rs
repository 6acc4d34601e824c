//! Details of a package in a catalog.

use super::{Column, format_stuck_counts, mark_ink};
use crate::{
    escape::{display_width, wrap},
    path::Piece,
    style::Ink,
};
use olm_plan::overview::{Change, ChannelHealth, OverviewCell, OverviewRow, ProblemMark, nonzero_marks};

/// Renders the change from the previous catalog, each channel with its head and problems, and the
/// findings. Lines have at most `columns` columns if the names allow it. `channels` are those of
/// the package, default first.
pub fn package_detail_lines(
    row: &OverviewRow,
    nth: usize,
    catalogs: &[Column],
    channels: &[ChannelHealth],
    columns: usize,
) -> Vec<Vec<Piece>> {
    let title = |nth: usize| catalogs.get(nth).map(|column| column.title.as_str()).unwrap_or_default();
    let before = nth.checked_sub(1);
    let Some(cell) = row.cells.get(nth).and_then(Option::as_ref) else {
        let mut words = format!("The catalog {} has no package {}", title(nth), row.package);
        if let Some(before) = before.filter(|_| row.is_removed(nth)) {
            words =
                format!("{words}; {} has it. What is installed stays and gets no upgrades", title(before));
        }
        return wrap_sentence_pieces(
            if row.is_removed(nth) { Ink::Error } else { Ink::Dim },
            &format!("{words}."),
            columns,
        );
    };
    let mut lines = Vec::new();
    if let Some((ink, words)) =
        before.and_then(|before| describe_cell_change(row, cell, before, title(before)))
    {
        lines.extend(wrap_sentence_pieces(ink, &words, columns));
    }
    if cell.health.is_none() {
        let words = match &cell.default_channel {
            Some(name) => format!("The default channel {name} does not exist."),
            None => "There is no default channel.".to_owned(),
        };
        lines.extend(wrap_sentence_pieces(Ink::Error, &words, columns));
    }
    let findings: Vec<(ProblemMark, usize)> = [ProblemMark::Errors, ProblemMark::Warnings]
        .into_iter()
        .map(|mark| (mark, cell.count_marked(mark)))
        .filter(|(_, count)| *count > 0)
        .collect();
    let is_default = |channel: &ChannelHealth| Some(&channel.channel) == cell.default_channel.as_ref();
    lines.extend(channel_table_lines(channels, is_default, cell.outside_errors == 0, columns));
    let mut last = vec![(Ink::Dim, "  validate: ".to_owned())];
    if findings.is_empty() && cell.is_pending {
        last.push((Ink::Dim, "no errors, no warnings so far; not all checks are done".to_owned()));
    } else if findings.is_empty() && cell.outside_errors > 0 {
        let s = if cell.outside_errors == 1 { "" } else { "s" };
        let words = format!("no errors, no warnings; {} error{s} outside of packages", cell.outside_errors);
        last.push((Ink::Error, words));
    } else if findings.is_empty() {
        last.push((Ink::Good, "no errors, no warnings".to_owned()));
    } else {
        last.extend(mark_pieces(&findings, None));
    }
    lines.push(last);
    lines
}

fn wrap_sentence_pieces(ink: Ink, words: &str, columns: usize) -> Vec<Vec<Piece>> {
    let folded = wrap::wrap_hanging(words, "  ", "    ", columns);
    folded.lines().map(|line| vec![(ink, line.to_owned())]).collect()
}

fn describe_cell_change(
    row: &OverviewRow,
    cell: &OverviewCell,
    before: usize,
    title: &str,
) -> Option<(Ink, String)> {
    match cell.change? {
        Change::New => Some((Ink::Good, format!("The catalog before ({title}) does not have it."))),
        Change::Lower => {
            let head = row.cells.get(before)?.as_ref()?.head()?;
            let own = cell.head()?;
            Some((
                Ink::Error,
                format!("The head {} is lower than that of {title}: {}.", own.short_name, head.short_name),
            ))
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
) -> Vec<Vec<Piece>> {
    let head = |channel: &ChannelHealth| {
        channel.head.as_ref().map_or("no head", |head| head.short_name.as_str()).to_owned()
    };
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
            (true, false) => vec![(Ink::Dim, "not all of it read".to_owned())],
            (false, _) => mark_pieces(&marks, channel.stuck),
        };
        let mut line = vec![
            (Ink::Text, format!("  {}", padded(name(channel), names))),
            (channel.head.as_ref().map_or(Ink::Error, |_| Ink::Bold), padded(head(channel), heads)),
            (Ink::Dim, padded(versions(channel), counts)),
        ];
        // Problems that do not fit continue on the next line.
        let mut used = indent;
        for (nth, piece) in wrong.into_iter().enumerate() {
            if used + display_width(&piece.1) > columns && (nth > 0 || used > 6) {
                lines.push(std::mem::replace(&mut line, vec![(Ink::Text, " ".repeat(6))]));
                used = 6;
            }
            used += display_width(&piece.1);
            line.push(piece);
        }
        lines.push(line);
    }
    lines
}

/// Returns the text for a channel without marks.
fn unmarked_pieces(channel: &ChannelHealth) -> Vec<Piece> {
    match channel.stuck {
        None => vec![(Ink::Warning, "? stuck".to_owned())],
        Some(_) => vec![(Ink::Good, "ok".to_owned())],
    }
}

/// Lists marks with their counts: `3 stuck, 1 error`.
fn mark_pieces(marks: &[(ProblemMark, usize)], stuck: Option<(usize, usize)>) -> Vec<Piece> {
    let last = marks.len().saturating_sub(1);
    let piece = |(nth, (mark, count)): (usize, &(ProblemMark, usize))| {
        let words =
            if *mark == ProblemMark::Stuck { format_stuck_counts(stuck) } else { mark.format_count(*count) };
        (mark_ink(*mark), format!("{words}{}", if nth < last { ", " } else { "" }))
    };
    marks.iter().enumerate().map(piece).collect()
}
