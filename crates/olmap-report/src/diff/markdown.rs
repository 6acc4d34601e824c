//! Difference as a comment on a pull request: a verdict, the problems, and the rest folded by
//! package, with the changed part of each graph.

use std::fmt::Write as _;

use super::{
    CatalogComparison, count_noun,
    lines::{self, DifferenceLine, LineKind},
    verdict::{ReleaseProblem, Verdict},
};
use crate::{
    markdown::{MAX_BYTES, escape_markdown},
    plan,
};
use olm_check::review::diff::{ChangeKind, Impact, PackageDiff};

/// Maximum number of lines per package.
const MAX_LINES: usize = 120;

/// Maximum number of problems.
const MAX_PROBLEMS: usize = 20;

/// Renders the comment.
pub fn render_difference_comment(compared: &CatalogComparison<'_>) -> String {
    render_comment_part(compared, 1).full
}

/// Part of a comment on several catalogs that is about one of them.
#[derive(Clone, Debug)]
pub struct CommentPart {
    /// Verdict and problems.
    head: String,
    /// Verdict, problems, and as many details as fit.
    full: String,
}

/// Renders a comment on several catalogs, each with its details or only its verdict, as space
/// permits. Counts the catalogs that do not fit.
pub fn join_comment_parts(parts: &[CommentPart], rest: &str) -> String {
    let mut out = String::new();
    let mut left: usize = parts.iter().map(|part| part.head.len() + 1).sum();
    let mut missing = 0;
    for part in parts {
        let gap = if out.is_empty() { "" } else { "\n" };
        left = left.saturating_sub(part.head.len() + 1);
        let room = MAX_BYTES.saturating_sub(out.len() + rest.len());
        let line = part.head.split_inclusive('\n').next().unwrap_or_default();
        let fits = [(part.full.as_str(), left), (part.head.as_str(), 0), (line, 0)];
        match fits.into_iter().find(|(text, left)| text.len() + left < room) {
            Some((text, _)) => out.extend([gap, text]),
            None => missing += 1,
        }
    }
    out.push_str(rest);
    if missing > 0 {
        let what = count_noun(missing, "catalog has", "catalogs have");
        let _ = writeln!(out, "\n{what} no room here: see `olmap diff` for all.");
    }
    out
}

/// Renders the part of a comment that is about one of `of` catalogs.
pub fn render_comment_part(compared: &CatalogComparison<'_>, of: usize) -> CommentPart {
    let most = MAX_BYTES / of.max(1);
    let mut out = render_verdict_sentence(compared);
    write_problems(compared, &mut out);
    let head = out.clone();
    let mut left_out = 0;
    for package in
        compared.difference.packages.iter().filter(|p| !p.has_same_meaning() || compared.formatting)
    {
        let section = render_package_section(compared, package);
        if out.len() + section.len() > most {
            left_out += 1;
        } else {
            out.push_str(&section);
        }
    }
    let others: Vec<DifferenceLine> =
        compared.difference.others.iter().map(lines::other_object_line).collect();
    write_folded_list(&mut out, most, "Objects without a package", &others);
    write_folded_list(
        &mut out,
        most,
        "Findings outside the differences",
        &lines::finding_lines(compared, None),
    );
    if let Some(update) = &compared.update {
        let comment = plan::comment_on_everyone(&update.over, &update.everyone);
        if out.len() + comment.len() <= most {
            let _ = write!(out, "\n### Cluster update\n\n{comment}");
        } else {
            left_out += 1;
        }
    }
    if left_out > 0 {
        let what = count_noun(left_out, "package has", "packages have");
        let _ = writeln!(out, "\n{what} no room here: see `olmap diff` for all.");
    }
    CommentPart { head, full: out }
}

/// Renders the verdict.
fn render_verdict_sentence(compared: &CatalogComparison<'_>) -> String {
    let Verdict { is_bad, lead, words } = compared.verdict();
    let but = describe_omissions(compared);
    let lead = if is_bad || but.is_none() { format!("**{lead}**") } else { lead.to_owned() };
    let words = if words.is_empty() { String::new() } else { format!(" {words}") };
    let (old, new) = (escape_markdown(compared.old_label), escape_markdown(compared.new_label));
    format!("{}{lead}{words} from {old} to {new}.\n", but.unwrap_or_default())
}

/// Describes what was not compared. Precedes the verdict.
fn describe_omissions(compared: &CatalogComparison<'_>) -> Option<String> {
    let sentences: Vec<String> =
        compared.left_out.iter().map(|left_out| escape_markdown(&left_out.describe_omission())).collect();
    (!sentences.is_empty())
        .then(|| format!("**Not everything could be compared:** {}.\n\n", sentences.join("; ")))
}

/// Writes the problems, unfolded.
fn write_problems(compared: &CatalogComparison<'_>, out: &mut String) {
    let items = compared.release_problems();
    if items.is_empty() {
        return;
    }
    out.push('\n');
    for item in items.iter().take(MAX_PROBLEMS) {
        let _ = match item {
            ReleaseProblem::Words(words) => writeln!(out, "- {}", escape_markdown(words)),
            ReleaseProblem::Gate { gate, told, count: n } if told.is_empty() => {
                writeln!(out, "- fails `{}`, {}", gate.name(), count_noun(*n, "time", "times"))
            }
            ReleaseProblem::Gate { gate, told, count } => {
                let more = count.checked_sub(told.len()).filter(|more| *more > 0);
                let more = more.map(|more| format!("; and {more} more")).unwrap_or_default();
                let told: Vec<String> = told.iter().map(|words| escape_markdown(words)).collect();
                writeln!(out, "- fails `{}`: {}{more}", gate.name(), told.join("; "))
            }
        };
    }
    if items.len() > MAX_PROBLEMS {
        let _ = writeln!(out, "- and {} more", items.len() - MAX_PROBLEMS);
    }
}

/// Renders a package, folded: its lines, then the changed part of each channel's graph.
fn render_package_section(compared: &CatalogComparison<'_>, package: &PackageDiff) -> String {
    let mut out = String::new();
    let title = format!("{} {}", escape_markdown(package.name.as_str()), lines::package_heading(package));
    let mut body = String::new();
    write_line_list(&mut body, &lines::package_lines(compared, package));
    for (names, flowchart) in changed_flowcharts(compared, package) {
        let channels = if names.len() == 1 { "channel" } else { "channels" };
        let names = names.join(", ");
        let _ = write!(body, "\nWhat changes in {channels} {names}:\n\n```mermaid\n{flowchart}```\n");
    }
    let _ = write!(out, "\n<details><summary>{title}</summary>\n\n{body}\n</details>\n");
    out
}

/// Returns the changed part of each graph. Channels with equal changes share a flowchart.
fn changed_flowcharts(compared: &CatalogComparison<'_>, package: &PackageDiff) -> Vec<(Vec<String>, String)> {
    let mut all: Vec<(Vec<String>, String)> = Vec::new();
    for channel in package.channels.iter().filter(|channel| channel.change_kind == ChangeKind::Changed) {
        let Some(flowchart) = super::render_changed_flowchart(compared, &package.name, channel) else {
            continue;
        };
        let name = escape_markdown(channel.name.as_str());
        match all.iter_mut().find(|(_, known)| *known == flowchart) {
            Some((names, _)) => names.push(name),
            None => all.push((vec![name], flowchart)),
        }
    }
    all
}

fn write_folded_list(out: &mut String, most: usize, title: &str, lines: &[DifferenceLine]) {
    if lines.is_empty() {
        return;
    }
    let mut body = String::new();
    write_line_list(&mut body, lines);
    if out.len() + body.len() <= most {
        let _ = write!(out, "\n<details><summary>{title}</summary>\n\n{body}\n</details>\n");
    }
}

fn write_line_list(out: &mut String, lines: &[DifferenceLine]) {
    for line in lines.iter().take(MAX_LINES) {
        let word = line.head.full_label();
        let head = match line.head {
            LineKind::Fate(_) => format!("**{word}** "),
            LineKind::More => String::new(),
            LineKind::Deprecated(Impact::Stuck) | LineKind::Stuck(_, Impact::Stuck) | LineKind::Left => {
                format!("**{word}**: ")
            }
            LineKind::Finding(_, fate) if fate != ChangeKind::Removed => format!("**{word}**: "),
            LineKind::Stuck(..)
            | LineKind::Users(..)
            | LineKind::Ends(_)
            | LineKind::Deprecated(_)
            | LineKind::Finding(..)
            | LineKind::Unchecked => {
                format!("{word}: ")
            }
        };
        let _ =
            writeln!(out, "{:indent$}- {head}{}", "", escape_markdown(&line.words), indent = 2 * line.depth);
    }
    if lines.len() > MAX_LINES {
        let _ = writeln!(out, "- and {} more lines", lines.len() - MAX_LINES);
    }
}
