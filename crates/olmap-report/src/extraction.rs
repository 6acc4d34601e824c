//! Result of extracting a part of a catalog, for people and for programs.

use std::fmt::Write as _;

use serde::Serialize;

use super::{
    style::{Ink, Style},
    table::{Cell, Table},
};
use olm_catalog::{BundleName, Catalog, ChannelName, PackageName, package::Package};
use olm_plan::extract::{
    DefaultChannel, Extract, ExtractReason, ExtractedChannel, ExtractedPackage, InclusionReason,
    MissingDependency, RedirectedUpgrade,
};
use olm_upgrade::Engine;

/// Number of sentences of one kind before the rest is counted.
const MAX_SENTENCES: usize = 5;

/// Remark about an extracted part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExtractRemark {
    /// Package of the remark; `None` for the part as a whole.
    pub package: Option<PackageName>,
    /// Kind of the remark.
    pub kind: ExtractRemarkKind,
    /// Text of the remark.
    pub words: String,
}

/// Kind of a remark about an extracted part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExtractRemarkKind {
    /// Content is included or dropped; for information.
    Note,
    /// Upgrades or dependencies point outside the part.
    Outside,
    /// Behavior differs from the whole catalog.
    Changed,
}

/// Returns all remarks about an extracted part.
pub fn extraction_remarks(part: &Extract) -> Vec<ExtractRemark> {
    let mut all = package_remarks(&part.packages, &part.catalog);
    for missing in &part.missing {
        let package = Some(missing.package.clone());
        all.push(ExtractRemark {
            package,
            kind: ExtractRemarkKind::Outside,
            words: describe_missing_requirement(missing, part),
        });
    }
    let without = match part.without_package {
        0 => None,
        1 => Some("1 object that names no package comes along".to_owned()),
        count => Some(format!("{count} objects that name no package come along")),
    };
    all.extend(without.map(|words| ExtractRemark { package: None, kind: ExtractRemarkKind::Note, words }));
    all
}

/// Returns the remarks about packages. `catalog` provides the short names of their bundles.
pub fn package_remarks(packages: &[ExtractedPackage], catalog: &Catalog) -> Vec<ExtractRemark> {
    let mut all = Vec::new();
    for taken in packages {
        let package = catalog.package(taken.package.as_str()).map(|package| &**package);
        let mut say = |kind: ExtractRemarkKind, words: String| {
            all.push(ExtractRemark { package: Some(taken.package.clone()), kind, words });
        };
        add_package_remarks(taken, package, &mut say);
    }
    all
}

fn add_package_remarks(
    taken: &ExtractedPackage,
    package: Option<&Package>,
    say: &mut impl FnMut(ExtractRemarkKind, String),
) {
    let short =
        |name: &BundleName| package.map_or_else(|| name.to_string(), |package| package.short_name(name));
    if let ExtractReason::Required { by, what } = &taken.reason {
        say(ExtractRemarkKind::Note, format!("comes along: {by} requires {what}"));
    }
    let default = taken.default_channel.as_ref();
    match (&taken.default, default) {
        (DefaultChannel::Added, Some(default)) => {
            say(ExtractRemarkKind::Note, format!("channel {default} comes along: it is the default channel"));
        }
        (DefaultChannel::Set { before }, Some(default)) => {
            let before = before.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string);
            say(
                ExtractRemarkKind::Changed,
                format!("the default channel is {default}, not {before} any more"),
            );
        }
        _ => {}
    }
    for channel in &taken.channels {
        add_channel_remarks(channel, &short, say);
    }
    match taken.cut_v1 {
        0 => {}
        1 => {
            say(ExtractRemarkKind::Outside, "OLM v1 would upgrade 1 version to what is not taken".to_owned());
        }
        count => say(
            ExtractRemarkKind::Outside,
            format!("OLM v1 would upgrade {count} versions to what is not taken"),
        ),
    }
    let changed = taken.changed.iter().map(|changed| describe_changed_upgrade(changed, &short));
    emit_first_sentences(changed, |words| say(ExtractRemarkKind::Changed, words));
    match taken.lost_objects {
        0 => {}
        1 => say(
            ExtractRemarkKind::Note,
            "1 object of another schema goes too: it is about what is not taken".to_owned(),
        ),
        count => say(
            ExtractRemarkKind::Note,
            format!("{count} objects of other schemas go too: they are about what is not taken"),
        ),
    }
}

fn add_channel_remarks(
    channel: &ExtractedChannel,
    short: &impl Fn(&BundleName) -> String,
    say: &mut impl FnMut(ExtractRemarkKind, String),
) {
    let name = &channel.name;
    let along = channel.added.iter().map(|(entry, why)| {
        let why = match why {
            InclusionReason::Between => "it stands between entries that are taken".to_owned(),
            InclusionReason::Skips(skipped) => {
                format!("without it {} would be a second head", short(skipped))
            }
            InclusionReason::Head => "without it there would not be exactly one head".to_owned(),
        };
        format!("{name}: {} comes along: {why}", short(entry))
    });
    emit_first_sentences(along, |words| say(ExtractRemarkKind::Note, words));
    let outside = channel
        .outside
        .iter()
        .map(|(entry, below)| format!("{name}: {} replaces {below}, which is not taken", short(entry)));
    emit_first_sentences(outside, |words| say(ExtractRemarkKind::Outside, words));
    let versions = match channel.cut {
        0 => return,
        1 => "1 version".to_owned(),
        count => format!("{count} versions"),
    };
    say(
        ExtractRemarkKind::Outside,
        format!("{name}: OLM Classic would upgrade {versions} to what is not taken"),
    );
}

fn describe_changed_upgrade(changed: &RedirectedUpgrade, short: &impl Fn(&BundleName) -> String) -> String {
    let who = match (changed.engine, &changed.channel) {
        (Engine::Classic, Some(channel)) => format!("{channel}: OLM Classic upgrades"),
        (Engine::Classic, None) => "OLM Classic upgrades".to_owned(),
        (Engine::V1, _) => "OLM v1 upgrades".to_owned(),
    };
    let (installed, before) = (short(&changed.installed), short(&changed.before));
    match &changed.after {
        Some(after) => format!("{who} {installed} to {}, not to {before}", short(after)),
        None => format!("{who} {installed} no more, not to {before}"),
    }
}

fn describe_missing_requirement(missing: &MissingDependency, part: &Extract) -> String {
    let by = match missing.by.as_slice() {
        [] => String::new(),
        [one] => one.to_string(),
        [one, rest @ ..] => format!("{one} and {} more", rest.len()),
    };
    let s = if missing.by.len() == 1 { "s" } else { "" };
    let is_taken = |name: &PackageName| part.packages.iter().any(|taken| taken.package == *name);
    let has = match missing.providers.as_slice() {
        [] => "no package of the catalog has it".to_owned(),
        providers if providers.iter().any(is_taken) => "it is in a part that is not taken".to_owned(),
        providers => {
            let names: Vec<&str> = providers.iter().map(PackageName::as_str).collect();
            format!("{} {} it", names.join(", "), if names.len() == 1 { "has" } else { "have" })
        }
    };
    format!("{by} require{s} {}, which is not taken; {has}", missing.what)
}

/// Emits the first sentences and the number of omitted ones.
fn emit_first_sentences(all: impl ExactSizeIterator<Item = String>, mut say: impl FnMut(String)) {
    let more = all.len().saturating_sub(MAX_SENTENCES);
    let mut last = None;
    for words in all.take(MAX_SENTENCES) {
        last.replace(words).into_iter().for_each(&mut say);
    }
    last.map(|words| if more > 0 { format!("{words}; and {more} more like this") } else { words })
        .into_iter()
        .for_each(say);
}

/// Renders the extracted part of each channel, and the remarks.
pub fn render_extraction(part: &Extract, style: &Style) -> String {
    let mut table = Table::new(&["PACKAGE", "CHANNEL", "HEAD", "#TAKEN", "#OF"]);
    for taken in &part.packages {
        let package = part.catalog.package(taken.package.as_str());
        for channel in &taken.channels {
            let is_default = taken.default_channel.as_ref() == Some(&channel.name);
            let head = channel
                .head
                .as_ref()
                .map(|head| package.map_or_else(|| head.to_string(), |package| package.short_name(head)));
            table.push_row([
                Cell::from(taken.package.as_str()),
                Cell::new(&format!("{}{}", channel.name, if is_default { " (default)" } else { "" })),
                Cell::from(head.as_deref().unwrap_or("-")),
                Cell::from(channel.entries),
                Cell::from(channel.total_entries),
            ]);
        }
    }
    let mut out = table.render(style);
    for ExtractRemark { package, kind, words } in extraction_remarks(part) {
        let ink = match kind {
            ExtractRemarkKind::Note => Ink::Note,
            ExtractRemarkKind::Outside | ExtractRemarkKind::Changed => Ink::Warning,
        };
        let about = package.map(|package| format!("{package}: ")).unwrap_or_default();
        let _ = writeln!(out, "{}", style.paint(ink, &format!("{about}{words}")));
    }
    out
}

/// Extracted part as `olmap extract -o json` prints it (`docs/cli.md`).
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row<'a> {
    packages: Vec<PackageRow<'a>>,
    missing: Vec<MissingRow<'a>>,
    objects_without_package: usize,
    files: &'a [String],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PackageRow<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    required_by: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default_channel: Option<&'a str>,
    #[serde(rename = "default")]
    fate: &'static str,
    bundles: usize,
    of_bundles: usize,
    channels: Vec<ChannelRow<'a>>,
    of_channels: usize,
    gone_objects: usize,
    upgrades_changed: Vec<ChangedRow<'a>>,
    upgrades_cut_v1: usize,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ChannelRow<'a> {
    name: &'a str,
    head: Option<&'a str>,
    entries: usize,
    of_entries: usize,
    along: Vec<IncludedEntryRow<'a>>,
    outside: Vec<OutsideRow<'a>>,
    upgrades_cut_classic: usize,
}

#[derive(Debug, Serialize)]
struct IncludedEntryRow<'a> {
    name: &'a str,
    why: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    skips: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct OutsideRow<'a> {
    name: &'a str,
    replaces: &'a str,
}

#[derive(Debug, Serialize)]
struct ChangedRow<'a> {
    engine: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel: Option<&'a str>,
    installed: &'a str,
    before: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct MissingRow<'a> {
    package: &'a str,
    what: &'a str,
    by: Vec<&'a str>,
    providers: Vec<&'a str>,
}

impl<'a> Row<'a> {
    /// Returns the row of a part. `files` are the paths of its files as they are written.
    pub fn from_extract(part: &'a Extract, files: &'a [String]) -> Self {
        let missing = part.missing.iter().map(|missing| MissingRow {
            package: missing.package.as_str(),
            what: &missing.what,
            by: missing.by.iter().map(BundleName::as_str).collect(),
            providers: missing.providers.iter().map(PackageName::as_str).collect(),
        });
        Self {
            packages: part.packages.iter().map(PackageRow::from_taken_package).collect(),
            missing: missing.collect(),
            objects_without_package: part.without_package,
            files,
        }
    }
}

impl<'a> PackageRow<'a> {
    fn from_taken_package(taken: &'a ExtractedPackage) -> Self {
        let changed = taken.changed.iter().map(|changed| ChangedRow {
            engine: changed.engine.as_str(),
            channel: changed.channel.as_ref().map(ChannelName::as_str),
            installed: changed.installed.as_str(),
            before: changed.before.as_str(),
            after: changed.after.as_ref().map(BundleName::as_str),
        });
        Self {
            name: taken.package.as_str(),
            required_by: match &taken.reason {
                ExtractReason::Asked => None,
                ExtractReason::Required { by, .. } => Some(by.as_str()),
            },
            default_channel: taken.default_channel.as_ref().map(ChannelName::as_str),
            fate: match taken.default {
                DefaultChannel::Asked => "asked",
                DefaultChannel::Added => "along",
                DefaultChannel::Set { .. } => "set",
                DefaultChannel::Missing => "missing",
            },
            bundles: taken.bundles,
            of_bundles: taken.total_bundles,
            channels: taken.channels.iter().map(ChannelRow::from_taken_channel).collect(),
            of_channels: taken.total_channels,
            gone_objects: taken.lost_objects,
            upgrades_changed: changed.collect(),
            upgrades_cut_v1: taken.cut_v1,
        }
    }
}

impl<'a> ChannelRow<'a> {
    fn from_taken_channel(channel: &'a ExtractedChannel) -> Self {
        let along = channel.added.iter().map(|(name, why)| IncludedEntryRow {
            name: name.as_str(),
            why: match why {
                InclusionReason::Between => "between",
                InclusionReason::Skips(_) => "skips",
                InclusionReason::Head => "head",
            },
            skips: match why {
                InclusionReason::Skips(skipped) => Some(skipped.as_str()),
                InclusionReason::Between | InclusionReason::Head => None,
            },
        });
        let outside = channel.outside.iter();
        Self {
            name: channel.name.as_str(),
            head: channel.head.as_ref().map(BundleName::as_str),
            entries: channel.entries,
            of_entries: channel.total_entries,
            along: along.collect(),
            outside: outside
                .map(|(name, replaces)| OutsideRow { name: name.as_str(), replaces: replaces.as_str() })
                .collect(),
            upgrades_cut_classic: channel.cut,
        }
    }
}
