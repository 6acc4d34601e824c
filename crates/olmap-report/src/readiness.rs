//! Packages that OLM v1 can take over, for people, programs and pull requests.

use std::fmt::Write as _;

use serde::Serialize;

use super::{
    escape::wrap,
    markdown::{Comment, escape_markdown, truncate_characters},
    style::{Ink, Style},
    table::{Cell, Table},
};
use olm_check::review::readiness::{Blocker, BlockerKind, Readiness};
use olm_upgrade::v1_capabilities::V1Capabilities;

/// Maximum length of a cell in characters, before escaping.
const MAX_CELL: usize = 400;

/// Package as `olmap readiness -o json` prints it (`docs/cli.md`).
#[derive(Debug, Serialize)]
pub struct Row<'a> {
    package: &'a str,
    ready: bool,
    bundle: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    catalog: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    openshift: Option<String>,
    blockers: Vec<BlockerRow<'a>>,
    remarks: Vec<BlockerRow<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<SizeRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unseen: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct BlockerRow<'a> {
    kind: &'static str,
    text: &'a str,
    fix: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct SizeRow {
    manifests: u64,
    largest: u64,
}

impl<'a> Row<'a> {
    /// Returns the row of a package.
    pub fn from_readiness(ready: &'a Readiness, capabilities: Option<V1Capabilities>) -> Self {
        let row = |of: &'a Blocker| BlockerRow {
            kind: of.kind.as_str(),
            text: &of.text,
            fix: &of.fix,
            place: of.place.as_deref(),
        };
        Self {
            package: ready.package.as_str(),
            ready: ready.is_ready(),
            bundle: ready.bundle.as_ref().map(AsRef::as_ref),
            catalog: ready.catalog.as_deref(),
            openshift: capabilities.map(|known| known.openshift.to_string()),
            blockers: ready.blockers.iter().map(row).collect(),
            remarks: ready.remarks.iter().map(row).collect(),
            size: ready.size.map(|size| SizeRow { manifests: size.all, largest: size.largest }),
            unseen: ready.not_checked.as_ref().map(|not_checked| not_checked.reason.as_str()),
        }
    }
}

/// Renders a table, followed by the blockers of each package with their fixes.
pub fn render_readiness(all: &[Readiness], capabilities: Option<V1Capabilities>, style: &Style) -> String {
    let mut table = Table::new(&["PACKAGE", "OLM V1 INSTALLS", "CATALOG", "SIZE", "READY", "IN THE WAY"]);
    for ready in all {
        let (word, ink) = if ready.is_ready() { ("yes", Ink::Good) } else { ("no", Ink::Error) };
        table.push_row([
            Cell::with_ink(Ink::Bold, ready.package.as_str()),
            Cell::new(ready.bundle.as_ref().map_or("-", |name| name.as_str())),
            Cell::new(ready.catalog.as_deref().unwrap_or_default()),
            Cell::new(&ready.size.map_or_else(|| "-".to_owned(), |size| format_kilobytes(size.all))),
            Cell::with_ink(ink, word),
            Cell::new(&list_blocker_kinds(ready)),
        ]);
    }
    let mut out = table.render(style);
    for ready in all.iter().filter(|ready| !ready.blockers.is_empty() || !ready.remarks.is_empty()) {
        let _ = writeln!(out, "\n{}", style.paint(Ink::Bold, ready.package.as_str()));
        for (blocker, ink) in blockers_and_remarks(ready) {
            let _ = write!(out, "  {} ", style.paint(ink, bullet_for_ink(ink)));
            let place = blocker.place.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
            let words = format!("{}{place}", blocker.text);
            out.push_str(&wrap::wrap_hanging(&words, "", "    ", style.width.saturating_sub(4)));
            out.push_str(&wrap::wrap_hanging(
                &format!("fix: {}", blocker.fix),
                "    ",
                "      ",
                style.width,
            ));
        }
    }
    let unseen = all.iter().filter(|ready| ready.not_checked.is_some()).count();
    let _ = writeln!(out, "\n{}", summarize_readiness(all));
    if unseen > 0 {
        let words = format!(
            "Of {unseen} the catalog has no manifests: webhooks and kinds of objects were not looked at. --bundles DIR looks \
             there too."
        );
        out.push_str(&wrap::wrap_sentence(&words, "", style.width));
    }
    for sentence in describe_versions(capabilities) {
        out.push_str(&wrap::wrap_sentence(&sentence, "", style.width));
    }
    out
}

/// Describes the OpenShift versions that the answers hold for.
fn describe_versions(capabilities: Option<V1Capabilities>) -> Vec<String> {
    match (capabilities, V1Capabilities::versions_as_checked()) {
        (Some(known), _) => known.describe_features(),
        (None, Some((first, last))) => vec![format!(
            "The answers hold for OLM v1 of OpenShift {first} to {last}; --openshift VERSION answers for another."
        )],
        (None, None) => Vec::new(),
    }
}

/// Formats a size: `412 kB`.
fn format_kilobytes(bytes: u64) -> String {
    format!("{} kB", bytes.div_ceil(1000))
}

fn bullet_for_ink(ink: Ink) -> &'static str {
    if ink == Ink::Error { "-" } else { "?" }
}

fn blockers_and_remarks(ready: &Readiness) -> impl Iterator<Item = (&Blocker, Ink)> {
    let blockers = ready.blockers.iter().map(|blocker| (blocker, Ink::Error));
    blockers.chain(ready.remarks.iter().map(|remark| (remark, Ink::Warning)))
}

/// Lists the kinds of blockers, each once.
fn list_blocker_kinds(ready: &Readiness) -> String {
    let mut words: Vec<&str> = Vec::new();
    for (blocker, _) in blockers_and_remarks(ready) {
        if !words.contains(&blocker.kind.as_str()) {
            words.push(blocker.kind.as_str());
        }
    }
    words.join(", ")
}

fn summarize_readiness(all: &[Readiness]) -> String {
    let ready = all.iter().filter(|ready| ready.is_ready()).count();
    format!("{ready} of {} packages are ready for OLM v1.", all.len())
}

/// Renders a comment on a pull request.
pub fn render_readiness_comment(all: &[Readiness], capabilities: Option<V1Capabilities>) -> String {
    let versions = describe_versions(capabilities).join(" ");
    let mut comment = Comment::from(format!("{} {}\n", summarize_readiness(all), escape_markdown(&versions)));
    if all.iter().any(|ready| !ready.blockers.is_empty() || !ready.remarks.is_empty()) {
        comment.push_table_head(["package", "OLM v1 installs", "ready", "in the way", "what to do"]);
    }
    for ready in all {
        for (blocker, ink) in blockers_and_remarks(ready) {
            comment.push_row(&[
                escape_markdown(ready.package.as_str()),
                ready.bundle.as_ref().map_or_else(|| "-".to_owned(), |name| escape_markdown(name.as_str())),
                match (ink, blocker.kind) {
                    (Ink::Error, _) => "no",
                    (_, BlockerKind::Upgrade) => "yes, but not as an upgrade",
                    (_, BlockerKind::Webhook) => "yes, on newer versions",
                    _ => "yes, unless asked for",
                }
                .to_owned(),
                escape_markdown(&truncate_characters(&blocker.text, MAX_CELL)),
                escape_markdown(&truncate_characters(&blocker.fix, MAX_CELL)),
            ]);
        }
    }
    comment.finish("olmap readiness")
}
