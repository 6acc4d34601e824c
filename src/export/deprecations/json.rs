//! Release check for programs (`docs/cli.md`).

use serde::Serialize;

use super::Check;
use crate::{
    catalog::{BundleName, ChannelName, blob::DeprecationTarget, load::git::since::Since},
    export::{finding, left_out::LeftOut},
    review::{
        Judged,
        deprecations::{Condition, Deprecated, Suggestion, User, Way, Why, conditions},
    },
    upgrade::{Installed, table::v1_next, v1::Query},
    validate::Location,
};

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
    pub fn of(check: &Check<'_>) -> Self {
        let mut packages: Vec<_> = check.deprecated.iter().map(|one| &one.package).collect();
        packages.dedup();
        let judged = packages.into_iter().filter_map(|name| check.judged(name));
        Self {
            catalog: check.snapshot.catalog.origin.label(),
            as_of: check.today.to_string(),
            blocks: check.blocking().next().is_some(),
            changed_since: check.base.clone(),
            accepted: (check.accepted > 0).then_some(check.accepted),
            left_out: check.left_out.as_ref().map(LeftOut::sentence),
            deprecations: check.deprecated.iter().map(|one| Row::of(check, one)).collect(),
            suggestions: check.suggested.iter().map(SuggestionRow::of).collect(),
            cluster_extensions: judged.flat_map(extensions).collect(),
        }
    }
}

impl Row {
    fn of(check: &Check<'_>, one: &Deprecated) -> Self {
        let place = finding::place(&check.snapshot.catalog, &Location::Document(one.doc, one.span));
        Self {
            package: one.package.to_string(),
            target: one.target.as_ref().map_or_else(|| TargetRow::unclear(&one.reference), TargetRow::of),
            message: one.message.clone(),
            path: place.as_ref().map(|place| place.path.display().to_string()),
            line: place.as_ref().filter(|place| !place.is_whole).map(|place| place.line),
            column: place.as_ref().filter(|place| !place.is_whole).map(|place| place.column),
            since: check.since(one).map(SinceRow::of),
            blocks: check.blocks(one),
            concerned: one.concerned.clone(),
            users: one.users.iter().map(UserRow::of).collect(),
            stopped: one.stopped.clone(),
        }
    }
}

impl TargetRow {
    /// Returns the row of a reference that OLM does not understand.
    fn unclear(reference: &str) -> Self {
        let (schema, name) = reference.split_once(' ').map_or((reference, None), |(s, n)| (s, Some(n)));
        Self { schema: schema.to_owned(), name: name.map(str::to_owned) }
    }

    pub(super) fn of(target: &DeprecationTarget) -> Self {
        let (schema, name) = match target {
            DeprecationTarget::Package => ("olm.package", None),
            DeprecationTarget::Channel(name) => ("olm.channel", Some(name.to_string())),
            DeprecationTarget::Bundle(name) => ("olm.bundle", Some(name.to_string())),
        };
        Self { schema: schema.to_owned(), name }
    }
}

impl SinceRow {
    fn of(since: &Since) -> Self {
        let (commit, date, before) = match since {
            Since::Uncommitted | Since::Unknown => (None, None, false),
            Since::Commit { short, date } => (Some(short.clone()), Some(date.to_string()), false),
            Since::Before { short, date } => (Some(short.clone()), Some(date.to_string()), true),
        };
        let committed = (*since != Since::Unknown).then_some(commit.is_some());
        Self { commit, date, committed, before }
    }
}

impl UserRow {
    fn of(user: &User) -> Self {
        let classic = user.classic.iter();
        Self {
            installed: user.installed.clone(),
            classic: classic
                .map(|(channel, way)| ClassicRow { channel: channel.clone(), way: WayRow::of(way) })
                .collect(),
            v1: WayRow::of(&user.v1),
        }
    }
}

impl WayRow {
    fn of(way: &Way) -> Self {
        match way.clone() {
            Way::Here => Self::Here,
            Way::Upgrades { to, hops } => Self::Upgrades { to, hops },
            Way::Switch { channels, to, hops } => Self::Switch { channels, to, hops },
            Way::Closed { at } => Self::None { at },
            Way::Unknown(error) => Self::Unknown { error: error.to_string() },
        }
    }
}

impl SuggestionRow {
    fn of(suggestion: &Suggestion) -> Self {
        let why = match suggestion.why.clone() {
            Why::Ended { version, end } => WhyRow::Ended { version, end: end.to_string() },
            Why::Unlisted { oldest } => WhyRow::Unlisted { oldest },
            Why::OldestHead { head, next, next_head } => {
                WhyRow::OldestHead { head, next_channel: next, next_head }
            }
        };
        Self {
            package: suggestion.package.to_string(),
            targets: suggestion.targets.iter().map(TargetRow::of).collect(),
            why,
            message: suggestion.message.clone(),
        }
    }
}

/// Returns the conditions of a `ClusterExtension` without constraints for each bundle of a package.
fn extensions(judged: &Judged) -> Vec<ExtensionRow> {
    let package = judged.package();
    let resolver = judged.graph.resolver(&Query::default());
    let shown = |name: &BundleName| {
        let all = conditions(package, &[], Some(name));
        all.into_iter().map(ConditionRow::of).collect::<Vec<_>>()
    };
    let row = |name: &BundleName| {
        let pick = v1_next(&resolver, &Installed::of(package, name)).target().cloned();
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
    fn of(condition: Condition) -> Self {
        Self {
            r#type: condition.kind.as_str(),
            status: condition.status.as_str(),
            reason: condition.reason,
            message: condition.message,
        }
    }
}
