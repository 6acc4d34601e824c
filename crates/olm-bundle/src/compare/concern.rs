//! Differences to review before the release of a new bundle.

use std::collections::{HashMap, HashSet};

use super::{ChangeKind, RowDifference, SectionDifference};
use crate::outline::{Outline, OutlineLocation, Part, Row};

/// A difference to review.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Concern {
    /// Kind of the concern.
    pub kind: ConcernKind,
    /// Message.
    pub message: String,
    /// True if it is about a CRD version in which new objects were stored.
    pub is_stored_version: bool,
    /// Position in the new bundle if present, otherwise in the old one.
    pub location: Option<OutlineLocation>,
}

/// Kinds of concerns, the worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ConcernKind {
    /// An API is no longer owned.
    RemovedApi,
    /// A CRD version that was served or stored is removed.
    RemovedVersion,
    /// A version of a CRD is no longer served.
    UnservedVersion,
    /// The scope of a CRD changes between namespaced and cluster-wide.
    ChangedScope,
    /// An install mode is no longer supported.
    RemovedInstallMode,
    /// A new or extended dangerous permission, or a container with more access to its node.
    GainedDanger,
    /// A new requirement on the cluster.
    NewRequirement,
    /// A new webhook.
    NewWebhook,
    /// An object that an upgrade deletes.
    RemovedObject,
}

impl ConcernKind {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::RemovedApi,
        Self::RemovedVersion,
        Self::UnservedVersion,
        Self::ChangedScope,
        Self::RemovedInstallMode,
        Self::GainedDanger,
        Self::NewRequirement,
        Self::NewWebhook,
        Self::RemovedObject,
    ];

    /// Returns a sentence about the kind.
    pub fn description(self) -> &'static str {
        match self {
            Self::RemovedApi => "An API is no longer owned",
            Self::RemovedVersion => "A CRD version that was served or stored is removed",
            Self::UnservedVersion => "A CRD version is no longer served",
            Self::ChangedScope => "The scope of a CRD changes",
            Self::RemovedInstallMode => "An install mode is no longer supported",
            Self::GainedDanger => "A dangerous permission is added, or a container takes more of its node",
            Self::NewRequirement => "Something must be on the cluster that had not to be",
            Self::NewWebhook => "A webhook is added",
            Self::RemovedObject => "An object is removed or renamed, which an upgrade deletes",
        }
    }

    /// Returns its name in JSON and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::RemovedApi => "removed-api",
            Self::RemovedVersion => "removed-version",
            Self::UnservedVersion => "unserved-version",
            Self::ChangedScope => "changed-scope",
            Self::RemovedInstallMode => "removed-install-mode",
            Self::GainedDanger => "gained-danger",
            Self::NewRequirement => "new-requirement",
            Self::NewWebhook => "new-webhook",
            Self::RemovedObject => "removed-object",
        }
    }

    /// Returns true if users lose a feature, or the operator gains privileges.
    pub fn is_serious(self) -> bool {
        self <= Self::GainedDanger
    }
}

/// Returns the concerns of a section.
pub(super) fn find_concerns(section: &SectionDifference, new: &Outline) -> Vec<Concern> {
    let rows = section.rows.iter();
    match section.part {
        Part::Owned => api_concerns(&section.rows, new),
        Part::InstallModes => rows.filter_map(install_mode_concern).collect(),
        Part::Permissions => rows.filter_map(permission_concern).collect(),
        Part::Deployments => rows.filter_map(node_concern).collect(),
        Part::Platform => rows.filter_map(platform_concern).collect(),
        Part::Required | Part::Dependencies => {
            let is_asked = |row: &Row| section.part == Part::Required || row.label.starts_with("needs");
            rows.filter_map(|row| requirement_concern(row, is_asked)).collect()
        }
        Part::Webhooks => rows.filter_map(webhook_concern).collect(),
        Part::Objects => object_concerns(&section.rows),
        _ => Vec::new(),
    }
}

fn new_concern(kind: ConcernKind, words: String, row: &RowDifference) -> Concern {
    Concern {
        kind,
        message: words,
        is_stored_version: false,
        location: row.latest_row().and_then(|row| row.location.clone()),
    }
}

/// Returns the full name of an owned API, which is the beginning of its row.
fn api_full_name(row: &Row) -> &str {
    row.value.split(' ').next().unwrap_or_default()
}

fn api_concerns(rows: &[RowDifference], new: &Outline) -> Vec<Concern> {
    let owned = new.section(Part::Owned).map(|section| section.rows.as_slice()).unwrap_or_default();
    let heads = || owned.iter().filter(|row| row.level == 0);
    let names: HashSet<&str> = heads().map(api_full_name).collect();
    let keys: HashSet<&str> = heads().map(|row| row.key.as_str()).collect();
    let mut api = String::new();
    let mut concerns = Vec::new();
    for row in rows {
        let Some(latest) = row.latest_row() else { continue };
        if latest.level == 0 {
            api_full_name(latest).clone_into(&mut api);
            if row.change_kind() == ChangeKind::Removed && !names.contains(api_full_name(latest)) {
                let words = format!("{} ({}) is no longer owned", latest.label, api_full_name(latest));
                concerns.push(new_concern(ConcernKind::RemovedApi, words, row));
            }
            continue;
        }
        concerns.extend(version_concern(row, &keys));
        concerns.extend(scope_concern(row));
    }
    concerns
}

/// Returns the concern about a version of a CRD that remains.
fn version_concern(row: &RowDifference, apis: &HashSet<&str>) -> Option<Concern> {
    let before = row.before.as_ref()?;
    let (api, _) = before.key.rsplit_once(" version ").filter(|_| before.level == 1)?;
    let is_there = apis.contains(api);
    let kind = row.above.first().map_or(api, String::as_str);
    let is = |row: &Row, what: &str| row.value.split(", ").any(|word| word == what);
    match &row.after {
        None if is_there && (is(before, "served") || is(before, "stored")) => {
            let words = format!("version {} of {kind} is removed; it was {}", before.label, before.value);
            let concern = new_concern(ConcernKind::RemovedVersion, words, row);
            Some(Concern { is_stored_version: is(before, "stored"), ..concern })
        }
        Some(after) if is(before, "served") && !is(after, "served") => {
            let words = format!("version {} of {kind} is no longer served", before.label);
            Some(new_concern(ConcernKind::UnservedVersion, words, row))
        }
        _ => None,
    }
}

/// Returns the concern about a CRD with another scope: the API server never changes the scope of an existing
/// CRD.
fn scope_concern(row: &RowDifference) -> Option<Concern> {
    let (before, after) = (row.before.as_ref()?, row.after.as_ref()?);
    if before.level != 1 || before.label != "scope" || before.value == after.value {
        return None;
    }
    let kind = row.above.first().map(String::as_str).unwrap_or_default();
    let words =
        format!("scope of {kind} {} => {}: a cluster that has the CRD refuses it", before.value, after.value);
    Some(new_concern(ConcernKind::ChangedScope, words, row))
}

fn install_mode_concern(row: &RowDifference) -> Option<Concern> {
    let before = row.before.as_ref().filter(|before| before.value == "supported")?;
    let stays = row.after.as_ref().is_some_and(|after| after.value == "supported");
    let words = format!("install mode {} is no longer supported", before.label);
    (!stays).then(|| new_concern(ConcernKind::RemovedInstallMode, words, row))
}

fn permission_concern(row: &RowDifference) -> Option<Concern> {
    let after = row.after.as_ref()?;
    let had = row.before.as_ref().map(|before| before.dangers.as_slice()).unwrap_or_default();
    // A permission that is extended from some objects to all is also a concern.
    after.dangers.iter().find(|danger| !had.contains(danger))?;
    let who = row.above.first().map(|account| format!("{account} ")).unwrap_or_default();
    let words = format!("{who}{}: {} {}", after.note, after.label, after.value);
    Some(new_concern(ConcernKind::GainedDanger, words, row))
}

/// Returns the concern about access of a deployment or a container to its node.
fn node_concern(row: &RowDifference) -> Option<Concern> {
    let after = row.after.as_ref()?;
    let (what, verb) = if after.level == 0 { ("deployment", "uses ") } else { ("container", "is ") };
    let had = row.before.as_ref().map(node_access).unwrap_or_default();
    let mut gained = node_access(after);
    gained.retain(|thing| !had.contains(thing));
    let words = format!("{what} {}: {verb}{}", after.label, gained.join(", "));
    (!gained.is_empty()).then(|| new_concern(ConcernKind::GainedDanger, words, row))
}

/// Returns the node features that a deployment uses; for a container, whether it is privileged.
fn node_access(row: &Row) -> Vec<&str> {
    match row.level {
        0 => row.note.strip_prefix("uses ").map(|things| things.split(", ").collect()).unwrap_or_default(),
        _ => row.note.split(", ").filter(|word| *word == "privileged").collect(),
    }
}

fn platform_concern(row: &RowDifference) -> Option<Concern> {
    let after = row.after.as_ref()?;
    let before = row.before.as_ref().map(|before| before.value.as_str());
    let is_raised = match after.label.as_str() {
        "min Kubernetes" => {
            before.is_none_or(|before| version_numbers(before) < version_numbers(&after.value))
        }
        "max OpenShift" => {
            before.is_none_or(|before| version_numbers(before) > version_numbers(&after.value))
        }
        label => before.is_none() && (label == "native API" || label == "subscriptions"),
    };
    let words = match before {
        Some(before) => format!("{} {before} => {}", after.label, after.value),
        None => format!("{} {} is new", after.label, after.value),
    };
    is_raised.then(|| new_concern(ConcernKind::NewRequirement, words, row))
}

/// Returns the numbers of a version; missing ones are 0.
fn version_numbers(version: &str) -> [u64; 3] {
    let mut parts =
        version.trim_start_matches('v').split(['.', '-', '+']).map_while(|part| part.parse().ok());
    [(); 3].map(|()| parts.next().unwrap_or_default())
}

fn requirement_concern(row: &RowDifference, is_asked: impl Fn(&Row) -> bool) -> Option<Concern> {
    let after =
        row.after.as_ref().filter(|after| row.before.is_none() && after.level == 0 && is_asked(after))?;
    let what = if after.label.starts_with("needs") { "" } else { "needs " };
    let words = format!("{what}{} {}", after.label, after.value);
    Some(new_concern(ConcernKind::NewRequirement, words, row))
}

fn webhook_concern(row: &RowDifference) -> Option<Concern> {
    let after = row.after.as_ref().filter(|after| row.before.is_none() && after.level == 0)?;
    let words = format!("webhook {} ({}) is new", after.label, after.value);
    Some(new_concern(ConcernKind::NewWebhook, words, row))
}

/// Returns the concerns about objects that an upgrade deletes. A renamed object is deleted and created again,
/// so its data is lost.
fn object_concerns(rows: &[RowDifference]) -> Vec<Concern> {
    let mut by_kind: HashMap<(&str, ChangeKind), Vec<&Row>> = HashMap::new();
    for (row, told) in rows.iter().filter_map(|row| Some((row, row.latest_row()?))) {
        by_kind.entry((&told.label, row.change_kind())).or_default().push(told);
    }
    let removed = rows.iter().filter(|row| row.change_kind() == ChangeKind::Removed);
    let concerns = removed.filter_map(|row| {
        let gone = row.before.as_ref()?;
        let of_kind = |fate: ChangeKind| {
            by_kind.get(&(gone.label.as_str(), fate)).map(Vec::as_slice).unwrap_or_default()
        };
        let called = format!("{} {}", gone.label, gone.value);
        let words = match (of_kind(ChangeKind::Added), of_kind(ChangeKind::Removed)) {
            ([next], [_]) => {
                format!("{called} is called {} now: an upgrade deletes it and makes the new one", next.value)
            }
            _ => format!("{called} is gone: an upgrade deletes it"),
        };
        Some(new_concern(ConcernKind::RemovedObject, words, row))
    });
    concerns.collect()
}
