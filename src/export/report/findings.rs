//! Findings with severity, rule, location and fix; findings that a baseline accepts are folded.

use std::collections::{BTreeMap, HashMap};

use super::{
    View,
    html::{Html, count},
    table::{self, Grade, column},
};
use crate::{
    catalog::{Catalog, PackageName},
    export::finding,
    validate::{Diagnostic, Severity},
};

/// Maximum number of listed findings. The others are counted by rule.
const MAX_ROWS: usize = 1000;

/// Finding, with the catalogs that have it.
struct Row<'a> {
    catalogs: Vec<usize>,
    finding: &'a Diagnostic,
    place: String,
    /// Reason of the acceptance; `None` if the finding is not accepted.
    reason: Option<&'a str>,
}

/// Key by which findings of several catalogs are merged.
type Key<'a> = (&'static str, Option<&'a PackageName>, &'a str, Option<&'a str>);

/// Renders the tables, and returns the number of findings.
pub(super) fn html(view: &View<'_>) -> (Html, String) {
    let judged = || view.report.findings.iter().enumerate();
    let open = judged()
        .flat_map(|(nth, of)| of.findings.iter().map(move |finding| (nth, of.catalog, *finding, None)));
    let accepted = judged().flat_map(|(nth, of)| {
        of.accepted.iter().map(move |(finding, reason)| (nth, of.catalog, *finding, Some(*reason)))
    });
    let (open, accepted) = (rows(open), rows(accepted));
    let mut html = Html::default();
    let all: usize = open.iter().map(|row| row.finding.count()).sum();
    if open.is_empty() {
        html.raw("<p class=\"about\">Nothing was found.</p>\n");
    } else {
        html.raw("<p class=\"about\">What <code>opm validate</code> rejects, and what it accepts though users get hurt. <code>olmap explain RULE</code> tells why a rule matters.</p>\n");
        list(&mut html, view, "findings-table", &open);
    }
    if open.len() > MAX_ROWS {
        by_rule(&mut html, &open);
    }
    if !accepted.is_empty() {
        let words = count(accepted.len(), "accepted finding", "accepted findings");
        html.raw("<details><summary>").text(&words).raw("</summary>\n");
        list(&mut html, view, "accepted-table", &accepted);
        html.raw("</details>\n");
    }
    (html, if all == 0 { String::new() } else { all.to_string() })
}

/// Merges equal findings of several catalogs into one row, errors first.
fn rows<'a>(
    all: impl Iterator<Item = (usize, &'a Catalog, &'a Diagnostic, Option<&'a str>)>,
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
                rows.push(Row { catalogs: vec![nth], finding, place: place(catalog, finding), reason });
            }
        }
    }
    rows.sort_by_key(|row| row.finding.severity());
    rows
}

fn place(catalog: &Catalog, finding: &Diagnostic) -> String {
    let Some(at) = &finding.at else { return String::new() };
    finding::place(catalog, at).map(|place| place.to_string()).unwrap_or_default()
}

fn grade(severity: Severity) -> Grade {
    match severity {
        Severity::Error => Grade::Bad,
        Severity::Warning => Grade::Warn,
        Severity::Note => Grade::Note,
    }
}

fn list(html: &mut Html, view: &View<'_>, id: &'static str, rows: &[Row<'_>]) {
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
        of.map(|row| row.finding.count()).sum()
    };
    let counts = [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "note")];
    let counts = counts.into_iter().map(|(severity, word)| (of(severity), word)).filter(|(n, _)| *n > 0);
    let counts: Vec<String> =
        counts.map(|(n, word)| format!("{n} {word}{}", if n == 1 { "" } else { "s" })).collect();
    table::open(html, id, &counts.join(", "), &columns);
    for row in rows.iter().take(MAX_ROWS) {
        let finding = row.finding;
        table::row(html, grade(finding.severity()));
        html.raw("<td class=\"severity\"").attr("data-key", &(finding.severity() as usize).to_string());
        html.raw("><span").attr("class", &format!("tag {}", grade(finding.severity()).as_str())).raw(">");
        html.text(finding.severity().as_str()).raw("</span></td>");
        if view.has_several() {
            table::cell(html, "catalog", &view.titles_of(&row.catalogs));
        }
        table::cell(html, "package", finding.package.as_ref().map(PackageName::as_str).unwrap_or_default());
        html.raw("<td class=\"what\">").text(&finding.message);
        let advice = finding.advice();
        if !advice.is_empty() {
            html.raw(" <small>").lines(advice).raw("</small>");
        }
        let consequences = finding::consequences(finding);
        if !consequences.is_empty() {
            html.raw(" <small>").text(&consequences).raw("</small>");
        }
        if let Some(reason) = row.reason.filter(|reason| !reason.is_empty()) {
            html.raw(" <small>accepted: ").text(reason).raw("</small>");
        }
        html.raw("</td><td class=\"rule\"><code>")
            .text(finding.rule.id)
            .raw("</code></td><td class=\"place\"><code>");
        html.text(&row.place).raw("</code></td>");
        table::end_row(html);
    }
    table::close(html);
}

/// Writes the number of findings of each rule, if not all findings are listed.
fn by_rule(html: &mut Html, rows: &[Row<'_>]) {
    let words = format!(
        "The first {MAX_ROWS} of {} are listed, errors first; --package NAME makes a page about one package, olmap validate lists all. By rule:",
        rows.len()
    );
    html.raw("<p class=\"cut\">").text(&words).raw("</p>\n");
    let mut counts: BTreeMap<(Severity, &str), usize> = BTreeMap::new();
    for row in rows {
        *counts.entry((row.finding.severity(), row.finding.rule.id)).or_default() += row.finding.count();
    }
    let columns = [column("severity", "Severity"), column("rule", "Rule"), column("number", "Findings")];
    table::open(html, "rules-table", "Findings by rule", &columns);
    for ((severity, rule), n) in counts {
        table::row(html, grade(severity));
        table::cell(html, "severity", severity.as_str());
        table::cell(html, "rule", rule);
        table::cell(html, "number", &n.to_string());
        table::end_row(html);
    }
    table::close(html);
}
