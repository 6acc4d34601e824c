//! Installations that lose upgrades because of a mirror, for people and for programs.

use std::{collections::BTreeMap, fmt::Write as _};

use serde::Serialize;

use super::style::{Ink, Style};
use olm_catalog::{ChannelName, Span};
use olm_plan::mirror::{Cause, FilterImpact, InstalledPosition, MirrorCheck, Reduction, Remedy, UnknownName};
use olm_upgrade::Engine;

/// Maximum number of versions listed per channel.
const MAX_VERSIONS: usize = 6;

/// Result for one catalog.
#[derive(Debug)]
pub struct CheckedCatalog {
    /// Display name of the catalog.
    pub catalog: String,
    /// Result of the check.
    pub check: MirrorCheck,
    /// Names in the configuration that the catalog does not have.
    pub unknown: Vec<UnknownName>,
}

/// Catalog as `olmap mirror check -o json` prints it (`docs/cli.md`).
#[derive(Debug, Serialize)]
pub struct Row<'a> {
    catalog: &'a str,
    positions: Vec<PositionRow<'a>>,
    rejections: &'a [String],
    remedies: Vec<RemedyRow<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reductions: Vec<ReductionRow<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown: Vec<UnknownRow<'a>>,
}

#[derive(Debug, Serialize)]
struct PositionRow<'a> {
    engine: &'static str,
    package: &'a str,
    channel: &'a str,
    installed: &'a str,
    fate: &'static str,
    before: &'a str,
    after: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct RemedyRow<'a> {
    package: &'a str,
    line: usize,
    text: String,
    left: usize,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ReductionRow<'a> {
    package: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel: Option<&'a str>,
    line: usize,
    min_version: &'a str,
    bundles: usize,
    images: usize,
}

#[derive(Debug, Serialize)]
struct UnknownRow<'a> {
    package: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel: Option<&'a str>,
    line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    catalogs: &'a [String],
}

/// Returns the rows of catalogs. `line` returns the line number of a span in the configuration.
pub fn mirror_check_rows<'a>(checked: &'a [CheckedCatalog], line: &dyn Fn(Span) -> usize) -> Vec<Row<'a>> {
    let position = |position: &'a InstalledPosition| PositionRow {
        engine: position.engine.as_str(),
        package: position.package.as_str(),
        channel: position.channel.as_str(),
        installed: position.installed.as_str(),
        fate: position.impact.as_str(),
        before: position.before.as_str(),
        after: position.after.as_str(),
        cause: position.cause.map(cause_id),
    };
    let remedy = |remedy: &'a Remedy| RemedyRow {
        package: remedy.package.as_str(),
        line: line(remedy.span),
        text: describe_remedy_change(remedy),
        left: remedy.remaining,
    };
    let reduction = |reduction: &'a Reduction| ReductionRow {
        package: reduction.package.as_str(),
        channel: reduction.channel.as_ref().map(ChannelName::as_str),
        line: line(reduction.span),
        min_version: &reduction.min_version,
        bundles: reduction.bundles,
        images: reduction.images,
    };
    let unknown = |unknown: &'a UnknownName| UnknownRow {
        package: unknown.package.as_str(),
        channel: unknown.channel.as_ref().map(ChannelName::as_str),
        line: line(unknown.span),
        suggestion: unknown.suggestion.as_deref(),
        catalogs: &unknown.other_catalogs,
    };
    let row = |checked: &'a CheckedCatalog| Row {
        catalog: &checked.catalog,
        positions: checked.check.positions.iter().map(position).collect(),
        rejections: &checked.check.rejections,
        remedies: checked.check.remedies.iter().map(remedy).collect(),
        reductions: checked.check.reductions.iter().map(reduction).collect(),
        unknown: checked.unknown.iter().map(unknown).collect(),
    };
    checked.iter().map(row).collect()
}

/// Renders a line for each channel and OLM with failing installations, and the remedies.
pub fn render_mirror_check(
    checked: &[CheckedCatalog],
    file: &str,
    line: &dyn Fn(Span) -> usize,
    style: &Style,
) -> String {
    let mut out = String::new();
    for CheckedCatalog { catalog, check, unknown } in checked {
        let failing = check.failures().count();
        let ink = if failing == 0 && unknown.is_empty() { Ink::Good } else { Ink::Error };
        let words =
            format!("{catalog}: {failing} of {} installed versions lose upgrades", check.positions.len());
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}", style.paint(ink, &words));
        for unknown in unknown {
            let mut words = format!("  {file}:{}: {}", line(unknown.span), describe_unknown_name(unknown));
            if let Some(hint) = unknown_name_hint(unknown) {
                let _ = write!(words, "; {hint}");
            }
            let _ = writeln!(out, "{}", style.paint(Ink::Error, &words));
        }
        for why in check.rejections.iter().take(MAX_VERSIONS) {
            let _ = writeln!(out, "  opm rejects what is mirrored: {}", style.paint(Ink::Text, why));
        }
        let mut groups: BTreeMap<_, Vec<&InstalledPosition>> = BTreeMap::new();
        for position in check.failures() {
            let key = (&position.package, &position.channel, position.engine == Engine::V1, position.impact);
            groups.entry((key, position.cause)).or_default().push(position);
        }
        for (((package, channel, ..), cause), positions) in groups {
            let Some(first) = positions.first() else { continue };
            let mut names: Vec<&str> =
                positions.iter().map(|p| p.installed.as_str()).take(MAX_VERSIONS).collect();
            let more = format!("and {} more", positions.len() - names.len());
            if positions.len() > names.len() {
                names.push(&more);
            }
            let why = cause.map_or("", describe_cause);
            let engine = match first.engine {
                Engine::Classic => "OLM Classic",
                Engine::V1 => "OLM v1",
            };
            let words = format!(
                "  {package} {channel}, {engine}: {} {}: {} ({why})",
                positions.len(),
                describe_position_fate(first.impact),
                names.join(", ")
            );
            let _ = writeln!(out, "{}", style.paint(Ink::Text, &words));
        }
        for remedy in &check.remedies {
            let left = match remedy.remaining {
                0 => "then none do".to_owned(),
                left => format!("then {left} still do"),
            };
            let words = format!(
                "  {file}:{}: {}: {}; {left}",
                line(remedy.span),
                remedy.package,
                describe_remedy_change(remedy)
            );
            let _ = writeln!(out, "{}", style.paint(Ink::Note, &words));
        }
        for reduction in &check.reductions {
            let place = format!("{file}:{}", line(reduction.span));
            let words = format!("  {place}: {}", describe_reduction(reduction));
            let _ = writeln!(out, "{}", style.paint(Ink::Note, &words));
        }
    }
    out
}

/// Describes what a mirror can leave out.
fn describe_reduction(reduction: &Reduction) -> String {
    let Reduction { package, channel, min_version, bundles, images, .. } = reduction;
    let channel = channel.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
    let s = |count: usize| if count == 1 { "" } else { "s" };
    format!(
        "{package}{channel}: minVersion: \"{min_version}\" is enough for these versions: {bundles} bundle{} and {images} \
         image{} less",
        s(*bundles),
        s(*images)
    )
}

/// Describes a name that the catalog does not have.
pub fn describe_unknown_name(unknown: &UnknownName) -> String {
    match &unknown.channel {
        Some(channel) => format!("package {} has no channel {channel} in this catalog", unknown.package),
        None => format!("this catalog has no package {}", unknown.package),
    }
}

/// Returns the name that was probably meant, and the given catalogs that have the unknown name.
pub fn unknown_name_hint(unknown: &UnknownName) -> Option<String> {
    let known = unknown.known_channels.iter().map(ChannelName::as_str).take(MAX_VERSIONS);
    let mut hints = match (&unknown.suggestion, unknown.known_channels.as_slice()) {
        (Some(name), _) => vec![format!("did you mean {name}?")],
        (None, []) => Vec::new(),
        (None, _) => vec![format!("it has {}", known.collect::<Vec<_>>().join(", "))],
    };
    if !unknown.other_catalogs.is_empty() {
        hints.insert(0, format!("{} has it", unknown.other_catalogs.join(", ")));
    }
    (!hints.is_empty()).then(|| hints.join("; "))
}

fn describe_position_fate(fate: FilterImpact) -> &'static str {
    match fate {
        FilterImpact::Ok => "upgraded",
        FilterImpact::Behind => "end on an older head",
        FilterImpact::Stranded => "stranded",
        FilterImpact::Short => "stop below the mirrored head",
        FilterImpact::Gone => "without their channel",
        FilterImpact::Unserved => "not served",
    }
}

fn cause_id(cause: Cause) -> &'static str {
    match cause {
        Cause::HeadsOnly => "heads-only",
        Cause::BelowMin => "below-min",
        Cause::HeadCut => "head-cut",
        Cause::NotSelected => "not-selected",
        Cause::Emptied => "emptied",
        Cause::Rejected => "rejected",
    }
}

fn describe_cause(cause: Cause) -> &'static str {
    match cause {
        Cause::HeadsOnly => "only the head is mirrored",
        Cause::BelowMin => "what they need first is below minVersion",
        Cause::HeadCut => "the head is out of range",
        Cause::NotSelected => "not mirrored",
        Cause::Emptied => "no version of the channel is in range",
        Cause::Rejected => "opm rejects what is mirrored",
    }
}

/// Describes the change of a remedy.
fn describe_remedy_change(remedy: &Remedy) -> String {
    let mut words = Vec::new();
    if !remedy.channels.is_empty() {
        let names: Vec<&str> = remedy.channels.iter().map(ChannelName::as_str).collect();
        words.push(format!("add the channels {}", names.join(", ")));
    }
    if remedy.without_max {
        words.push("remove maxVersion".to_owned());
    }
    if let Some(version) = &remedy.min_version {
        words.push(format!("set minVersion: \"{version}\""));
    }
    if remedy.full {
        words.push("set full: true for its catalog, and remove the versions".to_owned());
    }
    if words.is_empty() { "add the package".to_owned() } else { words.join(", ") }
}
