//! Release check for programs (`docs/cli.md`).

use serde::Serialize;

use super::{ReleaseCheck, is_preselected, subscription_condition};
use crate::omissions::OmittedPart;
use olm_catalog::{
    BundleName, ChannelName, blob::DeprecationTarget, load::git::deprecation_start::DeprecationStart,
};
use olm_check::{
    FindingLocation,
    review::{
        PackageState,
        deprecations::{
            AffectedBundle, Condition, DeprecationReport, ExitPath, Suggestion, SuggestionReason,
            extension_conditions,
        },
    },
};
use olm_upgrade::{Installed, table::v1_next, v1::Query};

/// Result of a release check.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    catalog: String,
    as_of: String,
    blocks: bool,
    /// Revision that the catalog is compared with, if only later changes are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    changed_since: Option<String>,
    /// Number of blocking deprecations that a baseline accepts.
    #[serde(skip_serializing_if = "Option::is_none")]
    accepted: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<String>,
    deprecations: Vec<Row>,
    suggestions: Vec<SuggestionRow>,
    cluster_extensions: Vec<ExtensionRow>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    package: String,
    #[serde(flatten)]
    target: TargetRow,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<SinceRow>,
    blocks: bool,
    /// Condition that OLM Classic sets in Subscriptions.
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<&'static str>,
    /// True if a console offers the deprecated object first.
    preselected: bool,
    concerned: Vec<BundleName>,
    users: Vec<UserRow>,
    stopped: Vec<BundleName>,
}

#[derive(Debug, Serialize)]
pub(super) struct TargetRow {
    schema: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

#[derive(Debug, Serialize)]
struct SinceRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    /// `None` if it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    committed: Option<bool>,
    /// True if the deprecation may be older, because the history was not read further.
    before: bool,
}

#[derive(Debug, Serialize)]
struct UserRow {
    installed: BundleName,
    classic: Vec<ClassicRow>,
    v1: WayRow,
}

#[derive(Debug, Serialize)]
struct ClassicRow {
    channel: ChannelName,
    #[serde(flatten)]
    way: WayRow,
}

#[derive(Debug, Serialize)]
#[serde(tag = "way", rename_all = "lowercase")]
enum WayRow {
    Here,
    Upgrades { to: BundleName, hops: usize },
    Switch { channels: Vec<ChannelName>, to: BundleName, hops: usize },
    None { at: BundleName },
    Unknown { error: String },
}

#[derive(Debug, Serialize)]
struct SuggestionRow {
    package: String,
    targets: Vec<TargetRow>,
    #[serde(flatten)]
    why: WhyRow,
    message: String,
}

#[derive(Debug, Serialize)]
#[serde(tag = "why", rename_all = "kebab-case")]
enum WhyRow {
    Ended {
        version: String,
        end: String,
    },
    Unlisted {
        oldest: String,
    },
    #[serde(rename_all = "camelCase")]
    OldestHead {
        head: BundleName,
        next_channel: ChannelName,
        next_head: BundleName,
    },
}

#[derive(Debug, Serialize)]
struct ExtensionRow {
    package: String,
    installed: BundleName,
    conditions: Vec<ConditionRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pick: Option<BundleName>,
    /// Conditions after the upgrade to `pick`.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Vec<ConditionRow>>,
}

#[derive(Debug, Serialize)]
struct ConditionRow {
    r#type: &'static str,
    status: &'static str,
    reason: &'static str,
    message: String,
}

impl Report {
    /// Returns the result of a release check.
    pub fn from_check(check: &ReleaseCheck<'_>) -> Self {
        let mut packages: Vec<_> = check.deprecated.iter().map(|one| &one.package).collect();
        packages.dedup();
        let judged = packages.into_iter().filter_map(|name| check.package_state(name));
        Self {
            catalog: check.snapshot.catalog.origin.label(),
            as_of: check.today.to_string(),
            blocks: check.blocking().next().is_some(),
            changed_since: check.base.clone(),
            accepted: (check.accepted > 0).then_some(check.accepted),
            left_out: check.left_out.as_ref().map(OmittedPart::describe_omission),
            deprecations: check.deprecated.iter().map(|one| Row::from_deprecation(check, one)).collect(),
            suggestions: check.suggested.iter().map(SuggestionRow::from_suggestion).collect(),
            cluster_extensions: judged.flat_map(extension_rows).collect(),
        }
    }
}

impl Row {
    fn from_deprecation(check: &ReleaseCheck<'_>, one: &DeprecationReport) -> Self {
        let place = FindingLocation::Document(one.doc, one.span).resolve(&check.snapshot.catalog);
        Self {
            package: one.package.to_string(),
            target: one
                .target
                .as_ref()
                .map_or_else(|| TargetRow::from_unknown_reference(&one.reference), TargetRow::from_target),
            message: one.message.clone(),
            path: place.as_ref().map(|place| place.path.display().to_string()),
            line: place.as_ref().filter(|place| !place.is_whole_file).map(|place| place.line),
            column: place.as_ref().filter(|place| !place.is_whole_file).map(|place| place.column),
            since: check.since(one).map(SinceRow::from_since),
            blocks: check.blocks(one),
            condition: one.target.as_ref().map(|target| subscription_condition(target).as_str()),
            preselected: one
                .target
                .as_ref()
                .zip(check.package_state(&one.package))
                .is_some_and(|(target, judged)| is_preselected(judged, target)),
            concerned: one.concerned.clone(),
            users: one.affected.iter().map(UserRow::from_user).collect(),
            stopped: one.stopped.clone(),
        }
    }
}

impl TargetRow {
    /// Returns the row of a reference that OLM does not understand.
    fn from_unknown_reference(reference: &str) -> Self {
        let (schema, name) = reference.split_once(' ').map_or((reference, None), |(s, n)| (s, Some(n)));
        Self { schema: schema.to_owned(), name: name.map(str::to_owned) }
    }

    pub(super) fn from_target(target: &DeprecationTarget) -> Self {
        let (schema, name) = match target {
            DeprecationTarget::Package => ("olm.package", None),
            DeprecationTarget::Channel(name) => ("olm.channel", Some(name.to_string())),
            DeprecationTarget::Bundle(name) => ("olm.bundle", Some(name.to_string())),
        };
        Self { schema: schema.to_owned(), name }
    }
}

impl SinceRow {
    fn from_since(since: &DeprecationStart) -> Self {
        let (commit, date, before) = match since {
            DeprecationStart::Uncommitted | DeprecationStart::Unknown => (None, None, false),
            DeprecationStart::Commit { short, date } => (Some(short.clone()), Some(date.to_string()), false),
            DeprecationStart::Before { short, date } => (Some(short.clone()), Some(date.to_string()), true),
        };
        let committed = (*since != DeprecationStart::Unknown).then_some(commit.is_some());
        Self { commit, date, committed, before }
    }
}

impl UserRow {
    fn from_user(user: &AffectedBundle) -> Self {
        let classic = user.classic.iter();
        Self {
            installed: user.installed.clone(),
            classic: classic
                .map(|(channel, way)| ClassicRow { channel: channel.clone(), way: WayRow::from_way(way) })
                .collect(),
            v1: WayRow::from_way(&user.v1),
        }
    }
}

impl WayRow {
    fn from_way(way: &ExitPath) -> Self {
        match way.clone() {
            ExitPath::NotNeeded => Self::Here,
            ExitPath::Upgrades { to, hops } => Self::Upgrades { to, hops },
            ExitPath::ChannelSwitch { channels, to, hops } => Self::Switch { channels, to, hops },
            ExitPath::Closed { at } => Self::None { at },
            ExitPath::Unknown(error) => Self::Unknown { error: error.to_string() },
        }
    }
}

impl SuggestionRow {
    fn from_suggestion(suggestion: &Suggestion) -> Self {
        let why = match suggestion.reason.clone() {
            SuggestionReason::Ended { version, end } => WhyRow::Ended { version, end: end.to_string() },
            SuggestionReason::Unlisted { oldest } => WhyRow::Unlisted { oldest },
            SuggestionReason::OldestHead { head, next, next_head } => {
                WhyRow::OldestHead { head, next_channel: next, next_head }
            }
        };
        Self {
            package: suggestion.package.to_string(),
            targets: suggestion.targets.iter().map(TargetRow::from_target).collect(),
            why,
            message: suggestion.message.clone(),
        }
    }
}

/// Returns the conditions of a `ClusterExtension` without constraints for each bundle of a package.
fn extension_rows(judged: &PackageState) -> Vec<ExtensionRow> {
    let package = judged.package();
    let resolver = judged.graph.v1_resolver(&Query::default());
    let shown = |name: &BundleName| {
        let all = extension_conditions(package, &[], Some(name));
        all.into_iter().map(ConditionRow::from_condition).collect::<Vec<_>>()
    };
    let row = |name: &BundleName| {
        let pick = v1_next(&resolver, &Installed::from_package(package, name)).target().cloned();
        ExtensionRow {
            package: package.name.to_string(),
            installed: name.clone(),
            conditions: shown(name),
            after: pick.as_ref().map(shown),
            pick,
        }
    };
    package.bundles.iter().map(|bundle| row(&bundle.name.value)).collect()
}

impl ConditionRow {
    fn from_condition(condition: Condition) -> Self {
        Self {
            r#type: condition.kind.as_str(),
            status: condition.status.as_str(),
            reason: condition.reason,
            message: condition.message,
        }
    }
}
