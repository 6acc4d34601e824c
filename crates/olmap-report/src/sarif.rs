//! Findings as SARIF 2.1.0, the format that code scanning services read.
//!
//! The output does not depend on time or input order. Columns count characters. It depends on the machine only for files
//! outside of the working directory, whose URIs have a base above it.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    path::{Component, Path},
};

use serde::Serialize;

use super::{
    escape,
    finding::{CatalogFindings, FileLocation, Region as Part, combined_rule_ids, message_with_advice},
    fingerprint::Fingerprints,
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
    /// Folders above the working directory that locations refer to.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    original_uri_base_ids: BTreeMap<String, BaseFolder>,
    column_kind: &'static str,
    results: Vec<SarifFinding>,
}

/// Folder to which URIs are relative.
#[derive(Debug, Serialize)]
struct BaseFolder {
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<String>,
    description: Message,
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
    /// Key of the finding in all reports, the same as in [`gitlab`](super::gitlab).
    partial_fingerprints: BTreeMap<&'static str, String>,
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
#[serde(rename_all = "camelCase")]
struct Artifact {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri_base_id: Option<String>,
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
        let mut fingerprints = Fingerprints::default();
        let results = all.iter().flat_map(|j| {
            let counts = j.findings.iter().map(|f| (f, is_some_accepted.then(Vec::new)));
            let accepted = j.accepted.iter().map(|(f, reason)| (f, Some(vec![accepted_suppression(reason)])));
            let all = counts.chain(accepted);
            all.map(|(f, suppressions)| {
                let fingerprint = fingerprints.next_fingerprint(j, f);
                let partial_fingerprints = BTreeMap::from([(FINGERPRINT, fingerprint)]);
                SarifFinding { partial_fingerprints, suppressions, ..sarif_result(j, f, &used) }
            })
            .collect::<Vec<_>>()
        });
        let results: Vec<SarifFinding> = results.collect();
        let driver = Driver {
            name: "olmap",
            version: env!("CARGO_PKG_VERSION"),
            rules: used.iter().map(|rule| rule_descriptor(rule)).collect(),
        };
        Self {
            schema: "https://json.schemastore.org/sarif-2.1.0.json",
            version: "2.1.0",
            runs: [Run {
                tool: Tool { driver },
                original_uri_base_ids: base_folders(&results),
                column_kind: "unicodeCodePoints",
                results,
            }],
        }
    }

    /// Adds the address of the folder to which paths are relative, for findings in files outside of it.
    #[must_use]
    pub fn with_working_directory(mut self, path: &Path) -> Self {
        for (id, base) in self.runs.iter_mut().flat_map(|run| &mut run.original_uri_base_ids) {
            let folder = path.ancestors().nth(base_levels(id));
            // The URI of a folder ends with a slash.
            let uri = folder.map(|folder| path_to_uri(&folder.display().to_string()));
            base.uri = uri.map(|uri| format!("{}/", uri.trim_end_matches('/')));
        }
        self
    }
}

/// Name of the fingerprint. Its version changes if the same finding gets another one.
const FINGERPRINT: &str = "olmapFinding/v1";

/// Returns the folders above the working directory that results refer to.
fn base_folders(results: &[SarifFinding]) -> BTreeMap<String, BaseFolder> {
    let locations =
        results.iter().flat_map(|result| result.locations.iter().chain(&result.related_locations));
    let used =
        locations.filter_map(|location| location.physical_location.artifact_location.uri_base_id.as_ref());
    let folder = |id: &String| {
        let text = format!("folder {} levels above the one in which olmap ran", base_levels(id));
        (id.clone(), BaseFolder { uri: None, description: Message { text } })
    };
    used.map(folder).collect()
}

/// Returns how far a base is above the working directory.
fn base_levels(id: &str) -> usize {
    id.strip_prefix(ABOVE).and_then(|levels| levels.parse().ok()).unwrap_or(1)
}

/// Start of the names of folders above the working directory; the number of levels follows.
const ABOVE: &str = "ABOVE";

/// Converts a path to a location. URIs do not lead out of their base, so a path that does has a base above it.
fn artifact(path: &str) -> Artifact {
    let mut components = Path::new(path).components();
    let mut levels = 0;
    while components.clone().next() == Some(Component::ParentDir) {
        components.next();
        levels += 1;
    }
    if levels == 0 {
        return Artifact { uri: path_to_uri(path), uri_base_id: None };
    }
    let rest = components.as_path().display().to_string();
    Artifact { uri: path_to_uri(&rest), uri_base_id: Some(format!("{ABOVE}{levels}")) }
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
        message: Message { text: escape_message_text(&message_with_advice(finding)) },
        locations: finding.at.iter().filter_map(|at| sarif_location(judged, at)).collect(),
        related_locations: related.collect(),
        partial_fingerprints: BTreeMap::new(),
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
    let physical_location =
        Physical { artifact_location: artifact(&path), region: region.as_ref().map(sarif_region) };
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
    fn paths_above_the_working_directory_have_a_base() {
        let parts = |path: &str| {
            let Artifact { uri, uri_base_id } = artifact(path);
            (uri, uri_base_id)
        };
        assert_eq!(parts("../../a/b c.yaml"), ("a/b%20c.yaml".to_owned(), Some("ABOVE2".to_owned())));
        assert_eq!(parts("a/b.yaml"), ("a/b.yaml".to_owned(), None));
    }

    #[test]
    fn catalog_text_does_not_become_link_or_placeholder() {
        assert_eq!(escape_message_text("[x](https://e) {0}"), "\\[x\\](https://e) {{0}}");
        assert_eq!(escape_message_text("a\u{202e}\u{1b}"), "a<U+202E>\u{241b}");
        assert_eq!(escape_message_text("properties[2].value is missing"), "properties[2].value is missing");
    }
}
