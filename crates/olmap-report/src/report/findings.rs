//! Findings with severity, rule, location and fix; findings that a baseline accepts are folded.

use std::collections::{BTreeMap, HashMap};

use super::{
    View,
    html::{Html, count_noun},
    table::{self, Grade, column},
};
use crate::finding;
use olm_catalog::{Catalog, Location, Origin, PackageName};
use olm_check::{Finding, Rule, Severity, story::Example};

/// Maximum number of listed findings, unless there are more errors and warnings. The others are
/// counted by rule.
const MAX_ROWS: usize = 1000;

/// Finding, with the catalogs that have it.
struct Row<'a> {
    catalogs: Vec<usize>,
    finding: &'a Finding,
    place: String,
    location: Option<Location>,
    /// Reason of the acceptance; `None` if the finding is not accepted.
    reason: Option<&'a str>,
}

/// Key by which findings of several catalogs are merged.
type Key<'a> = (&'static str, Option<&'a PackageName>, &'a str, Option<&'a str>);

/// Renders the tables, and returns the number of findings.
pub(super) fn render_findings_section(view: &View<'_>) -> (Html, String) {
    let judged = || view.report.findings.iter().enumerate();
    let open = judged()
        .flat_map(|(nth, of)| of.findings.iter().map(move |finding| (nth, of.catalog, *finding, None)));
    let accepted = judged().flat_map(|(nth, of)| {
        of.accepted.iter().map(move |(finding, reason)| (nth, of.catalog, *finding, Some(*reason)))
    });
    let (open, accepted) = (merge_finding_rows(open), merge_finding_rows(accepted));
    let mut html = Html::default();
    let all: usize = open.iter().map(|row| row.finding.finding_count()).sum();
    if open.is_empty() {
        html.push_markup("<p class=\"about\">Nothing was found.</p>\n");
    } else {
        html.push_markup("<p class=\"about\">What <code>opm validate</code> rejects, and what it accepts though users get hurt. The name of a rule leads to the reason for it.</p>\n");
        write_findings_table(&mut html, view, "findings-table", &open);
    }
    if open.len() > listed_rows(&open) {
        write_rule_counts(&mut html, &open);
    }
    if !accepted.is_empty() {
        let words = count_noun(accepted.len(), "accepted finding", "accepted findings");
        html.push_markup("<details><summary>").push_text(&words).push_markup("</summary>\n");
        write_findings_table(&mut html, view, "accepted-table", &accepted);
        html.push_markup("</details>\n");
    }
    (html, if all == 0 { String::new() } else { all.to_string() })
}

/// Merges equal findings of several catalogs into one row, errors first.
fn merge_finding_rows<'a>(
    all: impl Iterator<Item = (usize, &'a Catalog, &'a Finding, Option<&'a str>)>,
) -> Vec<Row<'a>> {
    let mut known: HashMap<Key<'a>, usize> = HashMap::new();
    let mut rows: Vec<Row<'a>> = Vec::new();
    for (nth, catalog, finding, reason) in all {
        let key = (finding.rule.id, finding.package.as_ref(), finding.message.as_str(), reason);
        match known.get(&key).and_then(|at| rows.get_mut(*at)) {
            // Equal findings in one catalog are separate.
            Some(row) if !row.catalogs.contains(&nth) => row.catalogs.push(nth),
            _ => {
                known.insert(key, rows.len());
                rows.push(Row {
                    catalogs: vec![nth],
                    finding,
                    place: finding_location(catalog, finding),
                    location: linked_location(catalog, finding),
                    reason,
                });
            }
        }
    }
    rows.sort_by_key(|row| row.finding.severity());
    rows
}

fn finding_location(catalog: &Catalog, finding: &Finding) -> String {
    finding.locate(catalog).map(|place| place.to_string()).unwrap_or_default()
}

/// Returns the location for a link. `None` unless the catalog is on disk.
fn linked_location(catalog: &Catalog, finding: &Finding) -> Option<Location> {
    let is_on_disk = matches!(catalog.origin, Origin::Directory(_) | Origin::File(_));
    finding.at.as_ref().filter(|_| is_on_disk)?.resolve(catalog)
}

/// Returns the address of a rule on the page.
fn rule_anchor(rule: &Rule) -> String {
    format!("rule-{}", rule.id)
}

/// Renders the texts of all rules that have findings.
pub(super) fn render_rule_texts(view: &View<'_>) -> (Html, String) {
    let mut rules: BTreeMap<&str, &'static Rule> = BTreeMap::new();
    for judged in &view.report.findings {
        let accepted = judged.accepted.iter().map(|(finding, _)| *finding);
        rules.extend(judged.findings.iter().copied().chain(accepted).map(|of| (of.rule.id, of.rule)));
    }
    for compared in &view.report.compared {
        rules.extend(compared.difference.consequences.new_findings.iter().map(|of| (of.rule.id, of.rule)));
    }
    let mut html = Html::default();
    for rule in rules.values() {
        let story = rule.story();
        html.push_markup("<details class=\"rule\"")
            .push_attribute("id", &rule_anchor(rule))
            .push_markup("><summary><code>")
            .push_text(rule.id)
            .push_markup("</code> ")
            .push_prose(rule.title)
            .push_markup("</summary>\n");
        for paragraph in story.why.split("\n\n") {
            html.push_markup("<p>").push_prose(&paragraph.replace('\n', " ")).push_markup("</p>\n");
        }
        if let Some(Example { bad, good, .. }) = story.example {
            html.push_markup("<div class=\"sides\">");
            for (title, text) in [("Wrong", bad), ("Right", good)] {
                html.push_markup("<div><p class=\"side\">").push_markup(title).push_markup("</p><pre>");
                html.push_code_lines(text.trim_end()).push_markup("</pre></div>\n");
            }
            html.push_markup("</div>\n");
        }
        if !rule.help.is_empty() {
            html.push_markup("<p><b>What to do:</b> ").push_prose(rule.help).push_markup(".</p>\n");
        }
        html.push_markup("</details>\n");
    }
    (html, if rules.is_empty() { String::new() } else { rules.len().to_string() })
}

/// Returns the number of listed findings: all errors and warnings, and notes as space permits. Rows
/// are sorted by severity.
fn listed_rows(rows: &[Row<'_>]) -> usize {
    let trouble = rows.iter().filter(|row| row.finding.severity() != Severity::Note).count();
    trouble.max(MAX_ROWS.min(rows.len()))
}

fn severity_grade(severity: Severity) -> Grade {
    match severity {
        Severity::Error => Grade::Bad,
        Severity::Warning => Grade::Warn,
        Severity::Note => Grade::Note,
    }
}

fn write_findings_table(html: &mut Html, view: &View<'_>, id: &'static str, rows: &[Row<'_>]) {
    let mut columns = vec![
        column("severity", "Severity"),
        column("package", "Package"),
        column("what", "What, and what to do"),
        column("rule", "Rule"),
        column("place", "Place"),
    ];
    if view.has_several() {
        columns.insert(1, column("catalog", "Catalog"));
    }
    let of = |severity| -> usize {
        let of = rows.iter().filter(|row| row.finding.severity() == severity);
        of.map(|row| row.finding.finding_count()).sum()
    };
    let counts = [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "note")];
    let counts = counts.into_iter().map(|(severity, word)| (of(severity), word)).filter(|(n, _)| *n > 0);
    let counts: Vec<String> =
        counts.map(|(n, word)| format!("{n} {word}{}", if n == 1 { "" } else { "s" })).collect();
    table::open_table(html, id, &counts.join(", "), &columns);
    for row in rows.iter().take(listed_rows(rows)) {
        let finding = row.finding;
        table::open_row(html, severity_grade(finding.severity()));
        html.push_markup("<td class=\"severity\"")
            .push_attribute("data-key", &(finding.severity() as usize).to_string());
        html.push_markup("><span")
            .push_attribute("class", &format!("tag {}", severity_grade(finding.severity()).as_str()))
            .push_markup(">");
        html.push_text(finding.severity().as_str()).push_markup("</span></td>");
        if view.has_several() {
            table::write_cell(html, "catalog", &view.join_titles(&row.catalogs));
        }
        let package = finding.package.as_ref().map(PackageName::as_str).unwrap_or_default();
        table::write_package_cell(html, view, package);
        html.push_markup("<td class=\"what\">").push_text(&finding.message);
        let advice = finding.advice();
        if !advice.is_empty() {
            html.push_markup(" <small>").push_text_lines(advice).push_markup("</small>");
        }
        let consequences = finding::describe_consequences(finding);
        if !consequences.is_empty() {
            html.push_markup(" <small>").push_text(&consequences).push_markup("</small>");
        }
        if let Some(reason) = row.reason.filter(|reason| !reason.is_empty()) {
            html.push_markup(" <small>accepted: ").push_text(reason).push_markup("</small>");
        }
        html.push_markup("</td><td class=\"rule\"><code>")
            .push_link(Some(&rule_anchor(finding.rule)), finding.rule.id)
            .push_markup("</code></td><td class=\"place\"><code>");
        match row.location.as_ref().and_then(|location| view.report.links.line_address(location)) {
            Some(address) => html.push_web_link(&address, &row.place),
            None => html.push_path(&row.place),
        };
        html.push_markup("</code></td>");
        table::close_row(html);
    }
    table::close_table(html);
}

/// Writes the number of findings of each rule, if not all findings are listed.
fn write_rule_counts(html: &mut Html, rows: &[Row<'_>]) {
    let words = format!(
        "The first {} of {} are listed, errors first; a report about one package has all of its findings. By rule:",
        listed_rows(rows),
        rows.len()
    );
    html.push_markup("<p class=\"cut\">").push_text(&words).push_markup("</p>\n");
    let mut counts: BTreeMap<(Severity, &str), usize> = BTreeMap::new();
    for row in rows {
        *counts.entry((row.finding.severity(), row.finding.rule.id)).or_default() +=
            row.finding.finding_count();
    }
    let columns = [column("severity", "Severity"), column("rule", "Rule"), column("number", "Findings")];
    table::open_table(html, "rules-table", "Findings by rule", &columns);
    for ((severity, rule), n) in counts {
        table::open_row(html, severity_grade(severity));
        table::write_cell(html, "severity", severity.as_str());
        table::write_cell(html, "rule", rule);
        table::write_cell(html, "number", &n.to_string());
        table::close_row(html);
    }
    table::close_table(html);
}
