//! Difference as a comment on a pull request: numbers of affected users, the problems, and the rest
//! folded by package, with the changed part of each graph before and after.
//!
//! The graphs are text in `diff` blocks: they fit the width of a comment, GitHub and GitLab color
//! them, and they can be read in a mail.

use std::fmt::Write as _;

use super::{
    CatalogComparison, count_noun,
    lines::{self, DifferenceLine, FindingChange, FindingReference, LineKind, LineSubject, UserLines},
    verdict::{self, ReleaseProblem, RepeatedReasons, UserTotals, Verdict},
};
use crate::{
    graph::{draw_channel_change, render_change_legend},
    layout::legend::VisibleSigns,
    links::CommentLinks,
    markdown::{MAX_BYTES, escape_markdown, render_code_block},
    new_upgrades::{UpgradeChecks, describe_new_upgrades},
    plan,
};
use olm_catalog::{Catalog, Location, Origin, PackageName};
use olm_check::{
    FindingLocation,
    review::diff::{ChangeKind, Impact, PackageDiff},
};

/// Maximum number of lines per package.
const MAX_LINES: usize = 120;

/// Maximum number of problems.
const MAX_PROBLEMS: usize = 20;

/// Renders the comment.
pub fn render_difference_comment(compared: &CatalogComparison<'_>, links: &CommentLinks) -> String {
    join_comment_parts(&[render_comment_part(compared.new_label, compared, 1, links)], "", links)
}

/// Part of a comment on several catalogs that is about one of them.
#[derive(Clone, Debug)]
pub struct CommentPart {
    /// Name of the catalog, as Markdown.
    title: String,
    /// Verdict and problems.
    head: String,
    /// Verdict, problems, and as many details as fit.
    full: String,
    /// Affected users, for the sum over all catalogs.
    totals: UserTotals,
    /// True if the catalogs differ in meaning.
    is_different: bool,
}

/// Renders a comment on several catalogs, each with its details or only its verdict, as space
/// permits. Counts the catalogs that do not fit. The first line has the numbers of affected users.
pub fn join_comment_parts(parts: &[CommentPart], rest: &str, links: &CommentLinks) -> String {
    let report = links.report.as_ref().map(|page| format!("\n[Full report]({})\n", page.as_str()));
    let rest = format!("{rest}{}", report.unwrap_or_default());
    let mut out = render_total_line(parts);
    let mut left: usize = parts.iter().map(|part| part.head.len() + 1).sum();
    let mut missing = 0;
    for part in parts {
        let title = if parts.len() > 1 { format!("\n### {}\n\n", part.title) } else { String::new() };
        left = left.saturating_sub(part.head.len() + 1);
        let room = MAX_BYTES.saturating_sub(out.len() + rest.len());
        let line = part.head.split_inclusive('\n').next().unwrap_or_default();
        let fits = [(part.full.as_str(), left), (part.head.as_str(), 0), (line, 0)];
        match fits.into_iter().find(|(text, left)| title.len() + text.len() + left < room) {
            Some((text, _)) => out.extend([title.as_str(), text]),
            None => missing += 1,
        }
    }
    out.push_str(&rest);
    if missing > 0 {
        let what = count_noun(missing, "catalog has", "catalogs have");
        let _ = writeln!(out, "\n{what} no room here: see `olmap diff` for all.");
    }
    out
}

/// Renders the line about all catalogs. Empty for a single catalog, whose part has the numbers.
fn render_total_line(parts: &[CommentPart]) -> String {
    let [_, _, ..] = parts else { return String::new() };
    let totals: Vec<&UserTotals> = parts.iter().map(|part| &part.totals).collect();
    let bad = totals.iter().filter(|totals| totals.is_bad).count();
    let differing = parts.iter().filter(|part| part.is_different).count();
    let (lead, place) = match bad {
        0 if differing == parts.len() => {
            ("No upgrade path gets worse:", format!("{differing} catalogs differ"))
        }
        0 => ("No upgrade path gets worse:", format!("{differing} of {} catalogs differ", parts.len())),
        bad => ("Check before you release:", format!("{bad} of {} catalogs have problems", parts.len())),
    };
    format!("**{lead}** {}. {place}.\n", verdict::user_numbers(&totals))
}

/// Renders the part of a comment that is about one of `of` catalogs, with its display name.
pub fn render_comment_part(
    catalog: &str,
    compared: &CatalogComparison<'_>,
    of: usize,
    links: &CommentLinks,
) -> CommentPart {
    let most = MAX_BYTES / of.max(1);
    let page = Page { compared, links };
    let totals = compared.user_totals();
    let mut out = page.render_first_line(&totals);
    page.write_problems(&mut out);
    page.write_new_upgrades(&mut out);
    let head = out.clone();
    let mut left_out = 0;
    for package in
        compared.difference.packages.iter().filter(|p| !p.has_same_meaning() || compared.formatting)
    {
        let section = page.render_package_section(package);
        if out.len() + section.len() > most {
            left_out += 1;
        } else {
            out.push_str(&section);
        }
    }
    let others: Vec<DifferenceLine> =
        compared.difference.others.iter().map(lines::other_object_line).collect();
    page.write_folded_list(&mut out, most, "Objects without a package", &others);
    page.write_folded_list(
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
    let title = escape_markdown(catalog);
    CommentPart { title, head, full: out, totals, is_different: !compared.difference.is_empty() }
}

/// Describes what was not compared. Precedes the verdict.
fn describe_omissions(compared: &CatalogComparison<'_>) -> Option<String> {
    let sentences: Vec<String> =
        compared.left_out.iter().map(|left_out| escape_markdown(&left_out.describe_omission())).collect();
    (!sentences.is_empty())
        .then(|| format!("**Not everything could be compared:** {}.\n\n", sentences.join("; ")))
}

/// Writer of a part.
struct Page<'a> {
    compared: &'a CatalogComparison<'a>,
    links: &'a CommentLinks,
}

impl Page<'_> {
    /// Renders the verdict with the numbers of affected users.
    fn render_first_line(&self, totals: &UserTotals) -> String {
        let compared = self.compared;
        let Verdict { is_bad, lead, .. } = compared.verdict();
        let but = describe_omissions(compared);
        let lead = if is_bad || but.is_none() { format!("**{lead}**") } else { lead.to_owned() };
        let words = if compared.difference.is_empty() {
            String::new()
        } else {
            format!(" {}. Besides: {}", verdict::user_numbers(&[totals]), compared.describe_rest())
        };
        let [old, new] = self.side_names();
        format!("{}{lead}{words} from {old} to {new}.\n", but.unwrap_or_default())
    }

    /// Returns the names of both sides with their commits. The new side has the commit that is
    /// checked out, if the caller knows that.
    fn side_names(&self) -> [String; 2] {
        let sides = [
            (self.compared.old_label, self.compared.difference.before()),
            (self.compared.new_label, self.compared.difference.after()),
        ];
        sides.map(|(label, side)| {
            let commit = match &side.catalog.origin {
                Origin::Revision(at) => at.commit.as_deref(),
                Origin::Directory(_) | Origin::File(_) => {
                    self.links.repository.as_ref().map(|repository| repository.commit.as_str())
                }
                _ => None,
            };
            let name = escape_markdown(label);
            match commit {
                Some(commit) => format!("{name} ({})", self.links.commit_markdown(commit)),
                None => name,
            }
        })
    }

    /// Writes the problems, unfolded.
    fn write_problems(&self, out: &mut String) {
        let items = self.compared.release_problems();
        if items.is_empty() {
            return;
        }
        out.push('\n');
        for item in items.iter().take(MAX_PROBLEMS) {
            let _ = match item {
                ReleaseProblem::Words(words) => writeln!(out, "- {}", escape_markdown(words)),
                ReleaseProblem::Error { finding, message } => writeln!(
                    out,
                    "- new error {}: {}{}",
                    self.links.rule_markdown(finding.rule),
                    escape_markdown(message),
                    self.finding_link(finding)
                ),
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

    /// Writes what is known about the upgrades that the change adds, and what is not checked.
    fn write_new_upgrades(&self, out: &mut String) {
        let difference = &self.compared.difference;
        let (consequences, after) = (&difference.consequences, difference.after());
        let lines = describe_new_upgrades(consequences, after, UpgradeChecks::Reported);
        // The list continues that of the problems.
        if !lines.is_empty() && self.compared.release_problems().is_empty() {
            out.push('\n');
        }
        for (_, words) in lines {
            let _ = writeln!(out, "- {}", escape_markdown(&words));
        }
    }

    /// Renders a package, folded: the changed part of each channel's graph, then its lines.
    fn render_package_section(&self, package: &PackageDiff) -> String {
        let mut out = String::new();
        let title = format!("{} {}", escape_markdown(package.name.as_str()), lines::package_heading(package));
        let mut body = String::new();
        self.write_line_list(
            &mut body,
            Some(&package.name),
            &lines::package_lines(self.compared, package, UserLines::Folded),
        );
        let (drawings, signs) = changed_drawings(self.compared, package);
        let count = drawings.len();
        for (nth, (names, mut lines)) in drawings.into_iter().enumerate() {
            let channels = if names.len() == 1 { "channel" } else { "channels" };
            let names = names.join(", ");
            if nth + 1 == count {
                lines.push_str(&render_change_legend(&signs));
            }
            let block = render_code_block("diff", &lines);
            let _ = write!(body, "\nUpgrade graph of {channels} {names}:\n\n{block}");
        }
        let _ = write!(out, "\n<details><summary>{title}</summary>\n\n{body}\n</details>\n");
        out
    }

    fn write_folded_list(&self, out: &mut String, most: usize, title: &str, lines: &[DifferenceLine]) {
        if lines.is_empty() {
            return;
        }
        let mut body = String::new();
        self.write_line_list(&mut body, None, lines);
        if out.len() + body.len() <= most {
            let _ = write!(out, "\n<details><summary>{title}</summary>\n\n{body}\n</details>\n");
        }
    }

    fn write_line_list(&self, out: &mut String, package: Option<&PackageName>, lines: &[DifferenceLine]) {
        let mut reasons = RepeatedReasons::default();
        for line in lines.iter().take(MAX_LINES) {
            let word = line.head.full_label();
            let head = match line.head {
                LineKind::Fate(_) => format!("**{word}** "),
                LineKind::More => String::new(),
                LineKind::Deprecated(Impact::Stuck) | LineKind::Stuck(_, Impact::Stuck) | LineKind::Left => {
                    format!("**{word}**: ")
                }
                LineKind::Finding(_, change) if change != FindingChange::Fixed => format!("**{word}**: "),
                LineKind::Stuck(..)
                | LineKind::Users(..)
                | LineKind::Ends(_)
                | LineKind::Deprecated(_)
                | LineKind::Finding(..)
                | LineKind::Unchecked => {
                    format!("{word}: ")
                }
            };
            let words = self.render_line_words(line, &mut reasons);
            let link = self.line_link(package, line);
            let versions = fold_versions(&line.versions);
            let _ = writeln!(out, "{:indent$}- {head}{words}{link}{versions}", "", indent = 2 * line.depth);
        }
        if lines.len() > MAX_LINES {
            let _ = writeln!(out, "- and {} more lines", lines.len() - MAX_LINES);
        }
    }

    /// Renders the text of a line. The rule of a finding becomes a link.
    fn render_line_words(&self, line: &DifferenceLine, reasons: &mut RepeatedReasons) -> String {
        if let (Some(finding), Some(_)) = (&line.finding, &self.links.rules) {
            let name = format!(" {}: ", finding.rule);
            if let Some((severity, message)) = line.words.split_once(&name) {
                let rule = self.links.rule_markdown(finding.rule);
                return format!("{} {rule}: {}", escape_markdown(severity), escape_markdown(message));
            }
        }
        escape_markdown(&reasons.fold_reason(&line.words))
    }

    /// Returns the link of a line to the new catalog. Empty if it is about something that is not
    /// there any more.
    fn line_link(&self, package: Option<&PackageName>, line: &DifferenceLine) -> String {
        match (line.head, &line.finding) {
            (LineKind::Finding(_, change), Some(finding)) if change != FindingChange::Fixed => {
                self.finding_link(finding)
            }
            (LineKind::Fate(ChangeKind::Added | ChangeKind::Changed) | LineKind::Left, _) => {
                let catalog = &self.compared.difference.after().catalog;
                let location = package.and_then(|package| locate_subject(catalog, package, &line.subject));
                self.location_link(location)
            }
            _ => String::new(),
        }
    }

    fn finding_link(&self, finding: &FindingReference) -> String {
        let catalog = &self.compared.difference.after().catalog;
        self.location_link(finding.at.as_ref().and_then(|at| at.resolve(catalog)))
    }

    fn location_link(&self, location: Option<Location>) -> String {
        let catalog = &self.compared.difference.after().catalog;
        if !matches!(catalog.origin, Origin::Directory(_) | Origin::File(_)) {
            return String::new();
        }
        let link = location.and_then(|location| self.links.line_markdown(&location));
        link.map(|link| format!(" ({link})")).unwrap_or_default()
    }
}

/// Renders the versions of a folded line. They are on the line itself: a blank line within an item would
/// space out the whole list.
fn fold_versions(versions: &[String]) -> String {
    if versions.is_empty() {
        return String::new();
    }
    let escaped: Vec<String> = versions.iter().map(|version| escape_markdown(version)).collect();
    format!(" <details><summary>versions</summary>{}</details>", escaped.join(", "))
}

/// Returns the location of the subject of a line: an entry, a bundle, a channel or a package.
fn locate_subject(catalog: &Catalog, package: &PackageName, subject: &LineSubject) -> Option<Location> {
    let package = catalog.package(package.as_str())?;
    let bundle = |name: &str| package.bundle(name).map(|blob| (blob.doc, blob.name.span));
    let (doc, span) = match subject {
        LineSubject::Package => package.definition().map(|blob| (blob.doc, blob.name.span)),
        LineSubject::Channel(name) => {
            package.channel(name.as_str()).map(|channel| (channel.doc, channel.name.span))
        }
        LineSubject::Entry(channel, name) => {
            let channel = package.channel(channel.as_str())?;
            let entry = channel.entries.iter().find(|entry| entry.name.value == *name);
            entry.map(|entry| (channel.doc, entry.name.span))
        }
        LineSubject::Bundle(name) | LineSubject::Users(_, name) => bundle(name.as_str()),
    }?;
    FindingLocation::Document(doc, span).resolve(catalog)
}

/// Returns the changed part of each graph with the names of its channels, and the signs in all of
/// them. Channels with equal changes share a drawing.
fn changed_drawings(
    compared: &CatalogComparison<'_>,
    package: &PackageDiff,
) -> (Vec<(Vec<String>, String)>, VisibleSigns) {
    let mut all: Vec<(Vec<String>, String)> = Vec::new();
    let mut signs = VisibleSigns::default();
    let sides = [compared.difference.before(), compared.difference.after()];
    let [Some(before), Some(after)] = sides.map(|side| side.package(package.name.as_str())) else {
        return (all, signs);
    };
    for channel in package.channels.iter().filter(|channel| channel.change_kind == ChangeKind::Changed) {
        let Some(drawing) = draw_channel_change([&before.graph, &after.graph], channel) else {
            continue;
        };
        signs.merge_signs(&drawing.signs);
        let name = escape_markdown(channel.name.as_str());
        match all.iter_mut().find(|(_, known)| *known == drawing.lines) {
            Some((names, _)) => names.push(name),
            None => all.push((vec![name], drawing.lines)),
        }
    }
    (all, signs)
}
