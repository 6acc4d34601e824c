//! Findings as SARIF 2.1.0, the format that code scanning services read.
//!
//! The output does not depend on time, machine or input order. Columns count characters.

use std::{collections::BTreeMap, fmt::Write as _};

use serde::Serialize;

use super::{
    escape,
    finding::{CatalogFindings, FileLocation, Region as Part, combined_rule_ids},
    rule,
};
use olm_check::{Finding, FindingLocation as At, Rule, Severity, rules};

/// SARIF log with one run.
#[derive(Debug, Serialize)]
pub struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    column_kind: &'static str,
    results: Vec<SarifFinding>,
}

#[derive(Debug, Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Debug, Serialize)]
struct Driver {
    name: &'static str,
    version: &'static str,
    rules: Vec<Descriptor>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    id: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    deprecated_ids: Vec<&'static str>,
    short_description: Message,
    full_description: Message,
    help: Help,
    default_configuration: Configuration,
    properties: RuleProperties,
}

#[derive(Debug, Serialize)]
struct Message {
    text: String,
}

#[derive(Debug, Serialize)]
struct Help {
    text: String,
    markdown: String,
}

#[derive(Debug, Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct RuleProperties {
    rejected_by_opm: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifFinding {
    rule_id: &'static str,
    rule_index: Option<usize>,
    level: &'static str,
    message: Message,
    locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
    /// Number of combined findings, if some of them are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    occurrence_count: Option<usize>,
    /// Suppressions by a baseline. SARIF requires an empty list if only other results are
    /// suppressed.
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressions: Option<Vec<Suppression>>,
    properties: Properties,
}

/// Acceptance of a finding in a file outside the source.
#[derive(Debug, Serialize)]
struct Suppression {
    kind: &'static str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    justification: Option<String>,
}

#[derive(Debug, Serialize)]
struct Properties {
    #[serde(skip_serializing_if = "Option::is_none")]
    package: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bundle: Option<String>,
    help: String,
    /// All rules that report the finding, if it combines findings of several rules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rules: Vec<&'static str>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[allow(clippy::struct_field_names, reason = "the names are those of SARIF")]
struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<usize>,
    physical_location: Physical,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Artifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Debug, Serialize)]
struct Artifact {
    uri: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
    start_column: usize,
    end_line: usize,
    end_column: usize,
    byte_offset: usize,
    byte_length: usize,
}

impl Log {
    /// Builds the log with the findings of some catalogs and their rules: those of
    /// [`rules::ALL`] in that order, then rules of the caller by id.
    pub fn from_catalog_findings(all: &[CatalogFindings<'_>]) -> Self {
        let reported = all.iter().flat_map(|judged| {
            let accepted = judged.accepted.iter().map(|(finding, _)| *finding);
            judged.findings.iter().copied().chain(accepted).map(|finding| finding.rule)
        });
        let mut reported: BTreeMap<&str, &Rule> = reported.map(|rule| (rule.id, rule)).collect();
        let mut used: Vec<&Rule> = rules::ALL.iter().filter_map(|rule| reported.remove(rule.id)).collect();
        used.extend(reported.into_values());
        let is_some_accepted = all.iter().any(|judged| !judged.accepted.is_empty());
        let results = all.iter().flat_map(|j| {
            let counts = j.findings.iter().map(|f| (f, is_some_accepted.then(Vec::new)));
            let accepted = j.accepted.iter().map(|(f, reason)| (f, Some(vec![accepted_suppression(reason)])));
            let all = counts.chain(accepted);
            all.map(|(f, suppressions)| SarifFinding { suppressions, ..sarif_result(j, f, &used) })
                .collect::<Vec<_>>()
        });
        let results = results.collect();
        let driver = Driver {
            name: "olmap",
            version: env!("CARGO_PKG_VERSION"),
            rules: used.iter().map(|rule| rule_descriptor(rule)).collect(),
        };
        Self {
            schema: "https://json.schemastore.org/sarif-2.1.0.json",
            version: "2.1.0",
            runs: [Run { tool: Tool { driver }, column_kind: "unicodeCodePoints", results }],
        }
    }
}

fn rule_descriptor(rule: &Rule) -> Descriptor {
    let help = if rule.help.is_empty() { rule.title } else { rule.help };
    Descriptor {
        id: rule.id,
        deprecated_ids: rule.former_ids().collect(),
        short_description: Message { text: rule.title.to_owned() },
        full_description: Message { text: rule.story().why.to_owned() },
        help: Help { text: help.to_owned(), markdown: rule::render_rule_help(rule) },
        default_configuration: Configuration { level: sarif_level(rule.severity) },
        properties: RuleProperties { rejected_by_opm: rule.parity },
    }
}

fn sarif_level(severity: Severity) -> &'static str {
    severity.as_str()
}

fn sarif_result(judged: &CatalogFindings<'_>, finding: &Finding, rules: &[&Rule]) -> SarifFinding {
    let related = finding.related.iter().enumerate().filter_map(|(at, related)| {
        Some(Location {
            id: Some(at + 1),
            message: Some(Message { text: escape_message_text(&related.message) }),
            ..sarif_location(judged, &related.at)?
        })
    });
    SarifFinding {
        rule_id: finding.rule.id,
        rule_index: rules.iter().position(|rule| rule.id == finding.rule.id),
        level: sarif_level(finding.severity()),
        message: Message { text: escape_message_text(&finding.message) },
        locations: finding.at.iter().filter_map(|at| sarif_location(judged, at)).collect(),
        related_locations: related.collect(),
        occurrence_count: finding.unlisted.map(|unlisted| unlisted.count),
        suppressions: None,
        properties: Properties {
            package: finding.package.as_ref().map(ToString::to_string),
            channel: finding.channel.as_ref().map(ToString::to_string),
            bundle: finding.bundle.as_ref().map(ToString::to_string),
            help: finding.advice().to_owned(),
            rules: combined_rule_ids(finding),
        },
    }
}

fn accepted_suppression(reason: &str) -> Suppression {
    let justification = (!reason.is_empty()).then(|| escape::escape_line(reason).into_owned());
    Suppression { kind: "external", status: "accepted", justification }
}

fn sarif_location(judged: &CatalogFindings<'_>, at: &At) -> Option<Location> {
    let FileLocation { path, region } = judged.file_location(at)?;
    let physical_location = Physical {
        artifact_location: Artifact { uri: path_to_uri(&path) },
        region: region.as_ref().map(sarif_region),
    };
    Some(Location { id: None, physical_location, message: None })
}

fn sarif_region(part: &Part) -> Region {
    Region {
        start_line: part.start.0,
        start_column: part.start.1,
        end_line: part.end.0,
        end_column: part.end.1,
        byte_offset: part.bytes.start,
        byte_length: part.bytes.len(),
    }
}

/// Escapes the text of a message. SARIF interprets brackets (links) and braces (placeholders).
fn escape_message_text(text: &str) -> String {
    let text = escape::escape_line(text).replace('{', "{{").replace('}', "}}");
    if text.contains("](") { text.replace('[', "\\[").replace(']', "\\]") } else { text }
}

/// Converts a path to a URI reference, which is relative if the path is.
fn path_to_uri(path: &str) -> String {
    if cfg!(windows) { windows_path_to_uri(path) } else { unix_path_to_uri(path) }
}

/// Converts a Windows path, with its drive. Backslashes are separators.
fn windows_path_to_uri(path: &str) -> String {
    let path = path.replace('\\', "/");
    match path.split_once(":/") {
        Some((drive, rest)) if drive.len() == 1 => format!("file:///{drive}:/{}", unix_path_to_uri(rest)),
        _ => unix_path_to_uri(&path),
    }
}

fn unix_path_to_uri(path: &str) -> String {
    let mut out = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            other => {
                let _ = write!(out, "%{other:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        assert_eq!(unix_path_to_uri("demo/a b#1/é.yaml"), "demo/a%20b%231/%C3%A9.yaml");
        assert_eq!(unix_path_to_uri("/tmp/a:b"), "file:///tmp/a%3Ab");
        assert_eq!(unix_path_to_uri(r"a\b"), "a%5Cb");
        assert_eq!(windows_path_to_uri(r"demo\a b\c.yaml"), "demo/a%20b/c.yaml");
        assert_eq!(windows_path_to_uri(r"C:\tmp\a b"), "file:///C:/tmp/a%20b");
    }

    #[test]
    fn catalog_text_does_not_become_link_or_placeholder() {
        assert_eq!(escape_message_text("[x](https://e) {0}"), "\\[x\\](https://e) {{0}}");
        assert_eq!(escape_message_text("a\u{202e}\u{1b}"), "a<U+202E>\u{241b}");
        assert_eq!(escape_message_text("properties[2].value is missing"), "properties[2].value is missing");
    }
}
