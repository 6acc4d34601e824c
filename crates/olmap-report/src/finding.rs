//! Findings, as text in the style of a compiler and as rows for programs.

use std::{collections::BTreeSet, fmt::Write as _, ops::Range};

use serde::Serialize;

use super::{
    escape::{self, display_width, wrap},
    excerpt::Excerpt,
    omissions::OmittedPart,
    style::{Ink, Style},
};
use olm_bundle::suites::Level;
use olm_catalog::{Catalog, Span};
use olm_check::{
    CheckReport, Finding, FindingLocation, Severity,
    bundles::OriginalVerdict,
    repetition,
    review::{SeverityChange, UncheckedFinding},
};

/// Finding as `olmap validate -o json` prints it (`docs/cli.md`).
#[derive(Debug, Serialize)]
pub struct Row {
    rule: &'static str,
    /// All rules that report the finding, if it combines findings of several rules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rules: Vec<&'static str>,
    severity: &'static str,
    /// Severity before, if it changes.
    #[serde(rename = "severityBefore", skip_serializing_if = "Option::is_none")]
    severity_before: Option<&'static str>,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    package: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bundle: Option<String>,
    #[serde(flatten)]
    place: Option<LocationRow>,
    /// Verdict of a real program, if the finding is one.
    #[serde(flatten)]
    said: Option<ProgramVerdictRow>,
    help: String,
    related: Vec<RelatedRow>,
    /// Cause of the finding. Formats for people list the finding there.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<CauseRow>,
    /// Number of combined findings, if some of them are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
    /// True if a baseline accepts the finding.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    accepted: bool,
    /// Reason for accepting the finding, or for not checking it any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// Finding that causes another one.
#[derive(Clone, Debug, Serialize)]
struct CauseRow {
    rule: &'static str,
    message: String,
}

/// Location of a finding. A whole file or folder does not have a line, a column and bytes.
#[derive(Debug, Serialize)]
struct LocationRow {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<[usize; 2]>,
}

/// Verdict of a real program on a bundle, in its own terms.
#[derive(Debug, Serialize)]
struct ProgramVerdictRow {
    validator: &'static str,
    level: &'static str,
    #[serde(rename = "type")]
    kind: &'static str,
    field: String,
    value: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
}

impl ProgramVerdictRow {
    fn from_program_verdict(said: &OriginalVerdict) -> Self {
        let level = match said.level {
            Level::Error => "Error",
            Level::Warning => "Warning",
        };
        Self {
            validator: said.validator,
            level,
            kind: said.kind,
            field: said.field.clone(),
            value: said.value.clone(),
            file: said.file.clone(),
        }
    }
}

#[derive(Debug, Serialize)]
struct RelatedRow {
    message: String,
    #[serde(flatten)]
    place: Option<LocationRow>,
}

impl Row {
    /// Returns the row of a finding.
    pub fn from_finding(catalog: &Catalog, finding: &Finding) -> Self {
        let related = finding.related.iter().map(|related| RelatedRow {
            message: related.message.clone(),
            place: location_row(catalog, &related.at),
        });
        Self {
            rule: finding.rule.id,
            rules: combined_rule_ids(finding),
            severity: finding.severity().as_str(),
            severity_before: None,
            message: finding.message.clone(),
            package: finding.package.as_ref().map(ToString::to_string),
            channel: finding.channel.as_ref().map(ToString::to_string),
            bundle: finding.bundle.as_ref().map(ToString::to_string),
            place: finding.at.as_ref().and_then(|at| location_row(catalog, at)),
            said: finding.verdict.as_deref().map(ProgramVerdictRow::from_program_verdict),
            help: finding.advice().to_owned(),
            related: related.collect(),
            cause: None,
            count: finding.unlisted.map(|unlisted| unlisted.count),
            accepted: false,
            reason: None,
        }
    }

    /// Returns the row of a finding, and those of the findings that follow from it.
    fn with_consequences(catalog: &Catalog, finding: &Finding) -> Vec<Self> {
        let cause = CauseRow { rule: finding.rule.id, message: finding.message.clone() };
        let follows = |part| Self { cause: Some(cause.clone()), ..Self::from_finding(catalog, part) };
        let own = Self::from_finding(catalog, finding);
        std::iter::once(own).chain(finding.consequences().into_iter().map(follows)).collect()
    }

    /// Returns the row of a finding that is not checked any more.
    pub fn from_unchecked(catalog: &Catalog, unchecked: &UncheckedFinding) -> Self {
        Self { reason: Some(unchecked.reason.clone()), ..Self::from_finding(catalog, &unchecked.finding) }
    }

    /// Returns the row of a finding with another severity than before.
    pub fn from_severity_change(catalog: &Catalog, change: &SeverityChange) -> Self {
        Self { severity_before: Some(change.before.as_str()), ..Self::from_finding(catalog, &change.finding) }
    }

    /// Returns the rows of a catalog: open findings, then accepted ones.
    pub fn rows_for_catalog<'a>(judged: &'a CatalogFindings<'_>) -> impl Iterator<Item = Self> + 'a {
        let counts =
            judged.findings.iter().flat_map(|finding| Self::with_consequences(judged.catalog, finding));
        counts.chain(judged.accepted.iter().map(|(finding, reason)| Self {
            accepted: true,
            reason: (!reason.is_empty()).then(|| (*reason).to_owned()),
            ..Self::from_finding(judged.catalog, finding)
        }))
    }
}

/// Returns the IDs of all rules that report a combined finding; empty for other findings.
pub(super) fn combined_rule_ids(finding: &Finding) -> Vec<&'static str> {
    if finding.merged.iter().all(|part| part.is_consequence) {
        return Vec::new();
    }
    finding.duplicate_rules().into_iter().map(|rule| rule.id).collect()
}

/// Returns `also reported by RULE, RULE`; empty if only one rule reports the finding.
pub(super) fn describe_other_rules(finding: &Finding) -> String {
    let rules: Vec<&str> = finding.duplicate_rules().into_iter().map(|rule| rule.id).collect();
    match rules.as_slice() {
        [] | [_] => String::new(),
        [_, others @ ..] => format!("also reported by {}", others.join(", ")),
    }
}

/// Returns `2 findings follow from it: MESSAGE; MESSAGE`; empty if there are none.
pub fn describe_consequences(finding: &Finding) -> String {
    let all = finding.consequences();
    let messages: Vec<&str> = all.iter().map(|part| part.message.as_str()).collect();
    match messages.as_slice() {
        [] => String::new(),
        [one] => format!("1 finding follows from it: {one}"),
        all => format!("{} findings follow from it: {}", all.len(), all.join("; ")),
    }
}

/// Returns the message with the advice in parentheses, for services that show nothing else of a finding.
pub(super) fn message_with_advice(finding: &Finding) -> String {
    match finding.advice() {
        "" => finding.message.clone(),
        advice => format!("{} ({advice})", finding.message),
    }
}

fn location_row(catalog: &Catalog, at: &FindingLocation) -> Option<LocationRow> {
    let place = at.resolve(catalog)?;
    let path = place.path.display().to_string();
    Some(if place.is_whole_file {
        LocationRow { path, line: None, column: None, bytes: None }
    } else {
        LocationRow {
            path,
            line: Some(place.line),
            column: Some(place.column),
            bytes: Some([place.bytes.start, place.bytes.end]),
        }
    })
}

/// Catalog with its reported findings.
#[derive(Debug)]
pub struct CatalogFindings<'a> {
    /// Catalog.
    pub catalog: &'a Catalog,
    /// Open findings, in order.
    pub findings: Vec<&'a Finding>,
    /// Accepted findings, each with the reason; the reason is empty if none was given.
    pub accepted: Vec<(&'a Finding, &'a str)>,
}

/// Returns all findings of a report as open findings.
impl<'a> From<&'a CheckReport> for CatalogFindings<'a> {
    fn from(report: &'a CheckReport) -> Self {
        Self { catalog: report.catalog(), findings: report.findings().iter().collect(), accepted: Vec::new() }
    }
}

/// Location for formats that also give the end of a region.
#[derive(Debug)]
pub(super) struct FileLocation {
    /// Path relative to the working directory of the program.
    pub path: String,
    /// Region in the file; `None` for a whole file or folder.
    pub region: Option<Region>,
}

/// Part of a file.
#[derive(Debug)]
pub(super) struct Region {
    /// Line and column (in characters) of the first character, starting at 1.
    pub start: (usize, usize),
    /// Line and column after the last character.
    pub end: (usize, usize),
    /// Byte range in the file.
    pub bytes: Range<usize>,
}

impl CatalogFindings<'_> {
    /// Resolves a location of a finding.
    pub(super) fn file_location(&self, at: &FindingLocation) -> Option<FileLocation> {
        let place = at.resolve(self.catalog)?;
        let region = match at {
            _ if place.is_whole_file => None,
            FindingLocation::File(_) => None,
            FindingLocation::InBundle(spot) => {
                Some(Region { start: spot.start, end: spot.end, bytes: spot.span.range() })
            }
            FindingLocation::Document(doc, span) => {
                let end = self.catalog.location(*doc, Span { start: span.end, end: span.end })?;
                Some(Region {
                    start: (place.line, place.column),
                    end: (end.line, end.column),
                    bytes: place.bytes.clone(),
                })
            }
        };
        Some(FileLocation { path: place.path.display().to_string(), region })
    }
}

/// Maximum number of locations listed for repeated findings.
const MAX_REPEATED_LOCATIONS: usize = 6;

/// Groups repeated findings, for formats for people. The first finding of a group is shown in full.
pub(super) fn group_repeated<'a>(findings: &[&'a Finding]) -> Vec<(&'a Finding, Vec<&'a Finding>)> {
    let groups = repetition::group_repeated(findings.iter().copied(), |finding| Some(finding));
    let groups = groups.into_iter().filter_map(|group| {
        let (first, rest) = group.split_first()?;
        Some((*first, rest.to_vec()))
    });
    groups.collect()
}

/// Returns `3 more like this: a.yaml:3:4, b.yaml:5:6 and c.yaml:7:8`. Lists the packages instead if
/// there are several. Empty if there are no further findings.
pub fn describe_repeated(catalog: &Catalog, rest: &[&Finding]) -> String {
    if rest.is_empty() {
        return String::new();
    }
    let packages: BTreeSet<&str> =
        rest.iter().filter_map(|finding| finding.package.as_ref()).map(AsRef::as_ref).collect();
    if packages.len() > 1 {
        let packages: Vec<&str> = packages.into_iter().collect();
        return format!("{} more like this, of {}", rest.len(), packages.join(", "));
    }
    let places = rest.iter().filter_map(|finding| Some(finding.locate(catalog)?.to_string()));
    let places: Vec<String> = places.collect();
    let head = format!("{} more like this", rest.len());
    // One more location is no longer than "and 1 more".
    let shown =
        if places.len() <= MAX_REPEATED_LOCATIONS + 1 { places.len() } else { MAX_REPEATED_LOCATIONS };
    let (front, more) = places.split_at(shown);
    match (front, more.len()) {
        ([], _) => head,
        ([one], 0) => format!("{head}: {one}"),
        ([front @ .., last], 0) => format!("{head}: {} and {last}", front.join(", ")),
        (front, more) => format!("{head}: {} and {more} more", front.join(", ")),
    }
}

/// Renders the findings of a catalog for people. Repeated findings are folded.
pub fn render_findings(judged: &CatalogFindings<'_>, style: &Style) -> String {
    let mut out = String::new();
    for (finding, rest) in group_repeated(&judged.findings) {
        out.push_str(&render_finding_group(judged.catalog, finding, &rest, style));
        out.push('\n');
    }
    out
}

/// Renders a finding for people: message, location, source line, related locations and help.
pub fn render_finding(catalog: &Catalog, finding: &Finding, style: &Style) -> String {
    render_finding_group(catalog, finding, &[], style)
}

fn render_finding_group(catalog: &Catalog, finding: &Finding, rest: &[&Finding], style: &Style) -> String {
    let ink = severity_ink(finding.severity());
    let label = format!("{}[{}]", finding.severity().as_str(), finding.rule.id);
    let mut out = render_headline(ink, &label, Ink::Bold, &finding.message, style);
    let places = finding.at.iter().chain(finding.related.iter().map(|r| &r.at));
    let lines = places.filter_map(|at| at.resolve(catalog)).map(|place| place.line);
    let gutter = Gutter { catalog, style, digits: lines.max().unwrap_or_default().to_string().len() };
    if let Some(at) = &finding.at {
        out.push_str(&gutter.render_source_excerpt(at, ink));
    }
    for related in &finding.related {
        out.push_str(&render_headline(Ink::Note, "note", Ink::Text, &related.message, style));
        out.push_str(&gutter.render_source_excerpt(&related.at, Ink::Note));
    }
    let help = finding.advice();
    if !help.is_empty() {
        out.push_str(&gutter.format_note("help", help));
    }
    let also = describe_other_rules(finding);
    if !also.is_empty() {
        out.push_str(&gutter.format_note("note", &also));
    }
    let consequences = describe_consequences(finding);
    if !consequences.is_empty() {
        out.push_str(&gutter.format_note("note", &consequences));
    }
    let more = describe_repeated(catalog, rest);
    if !more.is_empty() {
        out.push_str(&gutter.format_note("note", &more));
    }
    out
}

/// Formats a label and a sentence. Wraps on a terminal only, because other programs parse one line.
fn render_headline(ink: Ink, label: &str, message_ink: Ink, message: &str, style: &Style) -> String {
    const REST: &str = "    ";
    let painted = style.paint(ink, label);
    if !style.cuts_cells {
        return format!("{painted}: {}\n", style.paint(message_ink, message));
    }
    let before = " ".repeat(display_width(label) + 2);
    let folded = wrap::wrap_hanging(message, &before, REST, style.width);
    let mut out = format!("{painted}: ");
    for (nth, line) in folded.lines().enumerate() {
        let indent = if nth == 0 { "" } else { REST };
        let _ = writeln!(out, "{indent}{}", style.paint(message_ink, line.trim_start()));
    }
    out
}

/// Source excerpts with line numbers of equal width on the left.
struct Gutter<'a> {
    catalog: &'a Catalog,
    style: &'a Style,
    digits: usize,
}

impl Gutter<'_> {
    fn gutter_blanks(&self) -> String {
        " ".repeat(self.digits)
    }

    /// Formats a labelled note below the source, wrapped.
    fn format_note(&self, label: &str, words: &str) -> String {
        let rest = " ".repeat(self.digits + label.len() + 5);
        let text = wrap::wrap_hanging(words, "", &rest, self.style.width.saturating_sub(rest.len()));
        format!("{} = {}: {text}", self.gutter_blanks(), self.style.paint(Ink::Bold, label))
    }

    /// Renders a location and, in a document, the source line with the marked part.
    fn render_source_excerpt(&self, at: &FindingLocation, ink: Ink) -> String {
        let Some(place) = at.resolve(self.catalog) else { return String::new() };
        let (blank, shown) = (self.gutter_blanks(), place.to_string());
        let arrow = self.style.paint(Ink::Dim, "-->");
        let mut out = format!("{blank}{arrow} {}\n", escape::escape_line(&shown));
        let excerpt = match at {
            _ if place.is_whole_file => None,
            FindingLocation::File(_) => None,
            FindingLocation::Document(doc, span) => {
                let text = self.catalog.document_text(*doc).filter(|_| self.catalog.may_quote(*doc));
                text.map(|text| Excerpt::from_range(text, span.range()))
            }
            FindingLocation::InBundle(spot) => Some(Excerpt::from_range(&spot.source, spot.marked_range())),
        };
        if let Some(excerpt) = excerpt {
            let columns = self.style.width.saturating_sub(self.digits + 3);
            let (line, mark) = excerpt.render_marked_line(self.style, ink, columns);
            let bar = self.style.paint(Ink::Dim, "|");
            let number = self.style.paint(Ink::Dim, &format!("{:>1$}", place.line, self.digits));
            let _ = writeln!(out, "{blank} {bar}");
            let _ = writeln!(out, "{}", format!("{number} {bar} {line}").trim_end());
            let _ = writeln!(out, "{blank} {bar} {mark}");
        }
        out
    }
}

/// Returns the color of a severity.
pub fn severity_ink(severity: Severity) -> Ink {
    match severity {
        Severity::Error => Ink::Error,
        Severity::Warning => Ink::Warning,
        Severity::Note => Ink::Note,
    }
}

/// Counts the findings of each severity.
pub fn format_severity_counts(findings: &[&Finding], style: &Style) -> String {
    let count = |severity| -> usize {
        findings.iter().filter(|f| f.severity() == severity).map(|finding| finding.finding_count()).sum()
    };
    let counts: Vec<String> = [Severity::Error, Severity::Warning, Severity::Note]
        .into_iter()
        .filter_map(|severity| match count(severity) {
            0 => None,
            n => Some(
                style
                    .paint(severity_ink(severity), &format!("{n} {}{}", severity.as_str(), plural_suffix(n))),
            ),
        })
        .collect();
    if counts.is_empty() { style.paint(Ink::Good, "no findings") } else { counts.join(", ") }
}

/// Returns one line with the size of the catalog and the number of findings.
pub fn summarize_catalog_findings(catalog: &Catalog, findings: &[&Finding], style: &Style) -> String {
    let found = if findings.is_empty() && OmittedPart::unread_in_catalog(catalog).is_some() {
        "nothing found in the part that could be read".to_owned()
    } else {
        format_severity_counts(findings, style)
    };
    let packages = catalog.packages().filter(|p| !p.name.as_str().is_empty()).count();
    let bundles: usize = catalog.packages().map(|p| p.bundles.len()).sum();
    format!(
        "{}: {packages} package{}, {bundles} bundle{}: {found}\n",
        escape::escape_line(&catalog.origin.label()),
        plural_suffix(packages),
        plural_suffix(bundles)
    )
}

pub(super) fn plural_suffix(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}
