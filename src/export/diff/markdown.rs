//! Difference as a comment on a pull request: a verdict, the problems, and the rest folded by
//! package, with the changed part of each graph.

use std::fmt::Write as _;

use super::{
    Compared, count,
    lines::{self, Head, Line},
    mermaid,
    verdict::{Bad, Verdict},
};
use crate::{
    export::{
        markdown::{MAX_BYTES, quote},
        plan,
    },
    review::diff::{Fate, Fortune, PackageDiff},
};

/// Maximum number of lines per package.
const MAX_LINES: usize = 120;

/// Maximum number of problems.
const MAX_BAD: usize = 20;

/// Renders the comment.
pub fn comment(compared: &Compared<'_>) -> String {
    part(compared, 1).full
}

/// Part of a comment on several catalogs that is about one of them.
#[derive(Clone, Debug)]
pub struct Part {
    /// Verdict and problems.
    head: String,
    /// Verdict, problems, and as many details as fit.
    full: String,
}

/// Renders a comment on several catalogs, each with its details or only its verdict, as space
/// permits. Counts the catalogs that do not fit.
pub fn comment_of(parts: &[Part], rest: &str) -> String {
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
        let what = count(missing, "catalog has", "catalogs have");
        let _ = writeln!(out, "\n{what} no room here: see `olmap diff` for all.");
    }
    out
}

/// Renders the part of a comment that is about one of `of` catalogs.
pub fn part(compared: &Compared<'_>, of: usize) -> Part {
    let most = MAX_BYTES / of.max(1);
    let mut out = sentence(compared);
    bad(compared, &mut out);
    let head = out.clone();
    let mut left_out = 0;
    for package in compared.difference.packages.iter().filter(|p| !p.means_the_same() || compared.formatting)
    {
        let section = section(compared, package);
        if out.len() + section.len() > most {
            left_out += 1;
        } else {
            out.push_str(&section);
        }
    }
    let others: Vec<Line> = compared.difference.others.iter().map(lines::other).collect();
    folded(&mut out, most, "Objects without a package", &others);
    folded(&mut out, most, "Findings outside the differences", &lines::findings(compared, None));
    if let Some(update) = &compared.update {
        let comment = plan::comment_on_everyone(&update.over, &update.everyone);
        if out.len() + comment.len() <= most {
            let _ = write!(out, "\n### Cluster update\n\n{comment}");
        } else {
            left_out += 1;
        }
    }
    if left_out > 0 {
        let what = count(left_out, "package has", "packages have");
        let _ = writeln!(out, "\n{what} no room here: see `olmap diff` for all.");
    }
    Part { head, full: out }
}

/// Renders the verdict.
fn sentence(compared: &Compared<'_>) -> String {
    let Verdict { is_bad, lead, words } = compared.verdict();
    let but = not_compared(compared);
    let lead = if is_bad || but.is_none() { format!("**{lead}**") } else { lead.to_owned() };
    let words = if words.is_empty() { String::new() } else { format!(" {words}") };
    let (old, new) = (quote(compared.old_label), quote(compared.new_label));
    format!("{}{lead}{words} from {old} to {new}.\n", but.unwrap_or_default())
}

/// Describes what was not compared. Precedes the verdict.
fn not_compared(compared: &Compared<'_>) -> Option<String> {
    let sentences: Vec<String> =
        compared.left_out.iter().map(|left_out| quote(&left_out.sentence())).collect();
    (!sentences.is_empty())
        .then(|| format!("**Not everything could be compared:** {}.\n\n", sentences.join("; ")))
}

/// Writes the problems, unfolded.
fn bad(compared: &Compared<'_>, out: &mut String) {
    let items = compared.bad();
    if items.is_empty() {
        return;
    }
    out.push('\n');
    for item in items.iter().take(MAX_BAD) {
        let _ = match item {
            Bad::Words(words) => writeln!(out, "- {}", quote(words)),
            Bad::Gate { gate, told, count: n } if told.is_empty() => {
                writeln!(out, "- fails `{}`, {}", gate.name(), count(*n, "time", "times"))
            }
            Bad::Gate { gate, told, count } => {
                let more = count.checked_sub(told.len()).filter(|more| *more > 0);
                let more = more.map(|more| format!("; and {more} more")).unwrap_or_default();
                let told: Vec<String> = told.iter().map(|words| quote(words)).collect();
                writeln!(out, "- fails `{}`: {}{more}", gate.name(), told.join("; "))
            }
        };
    }
    if items.len() > MAX_BAD {
        let _ = writeln!(out, "- and {} more", items.len() - MAX_BAD);
    }
}

/// Renders a package, folded: its lines, then the changed part of each channel's graph.
fn section(compared: &Compared<'_>, package: &PackageDiff) -> String {
    let mut out = String::new();
    let title = format!("{} {}", quote(package.name.as_str()), lines::heading(package));
    let mut body = String::new();
    list(&mut body, &lines::package(compared, package));
    for (names, flowchart) in flowcharts(compared, package) {
        let channels = if names.len() == 1 { "channel" } else { "channels" };
        let names = names.join(", ");
        let _ = write!(body, "\nWhat changes in {channels} {names}:\n\n```mermaid\n{flowchart}```\n");
    }
    let _ = write!(out, "\n<details><summary>{title}</summary>\n\n{body}\n</details>\n");
    out
}

/// Returns the changed part of each graph. Channels with equal changes share a flowchart.
fn flowcharts(compared: &Compared<'_>, package: &PackageDiff) -> Vec<(Vec<String>, String)> {
    let mut all: Vec<(Vec<String>, String)> = Vec::new();
    for channel in package.channels.iter().filter(|channel| channel.fate == Fate::Changed) {
        let Some(flowchart) = mermaid::flowchart(compared, &package.name, channel) else { continue };
        let name = quote(channel.name.as_str());
        match all.iter_mut().find(|(_, known)| *known == flowchart) {
            Some((names, _)) => names.push(name),
            None => all.push((vec![name], flowchart)),
        }
    }
    all
}

fn folded(out: &mut String, most: usize, title: &str, lines: &[Line]) {
    if lines.is_empty() {
        return;
    }
    let mut body = String::new();
    list(&mut body, lines);
    if out.len() + body.len() <= most {
        let _ = write!(out, "\n<details><summary>{title}</summary>\n\n{body}\n</details>\n");
    }
}

fn list(out: &mut String, lines: &[Line]) {
    for line in lines.iter().take(MAX_LINES) {
        let word = line.head.word();
        let head = match line.head {
            Head::Fate(_) => format!("**{word}** "),
            Head::More => String::new(),
            Head::Deprecated(Fortune::Stuck) | Head::Stuck(_, Fortune::Stuck) | Head::Left => {
                format!("**{word}**: ")
            }
            Head::Finding(_, fate) if fate != Fate::Removed => format!("**{word}**: "),
            Head::Stuck(..)
            | Head::Users(..)
            | Head::Ends(_)
            | Head::Deprecated(_)
            | Head::Finding(..)
            | Head::Unchecked => {
                format!("{word}: ")
            }
        };
        let _ = writeln!(out, "{:indent$}- {head}{}", "", quote(&line.words), indent = 2 * line.depth);
    }
    if lines.len() > MAX_LINES {
        let _ = writeln!(out, "- and {} more lines", lines.len() - MAX_LINES);
    }
}
