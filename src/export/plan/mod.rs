//! Plans for people, programs and pull requests.

mod everyone;
mod json;
mod lines;
mod markdown;

pub use everyone::{comment as comment_on_everyone, row as everyone_row, text as text_of_everyone};
pub(in crate::export) use everyone::{summary, troubled};
pub use json::Row;
pub use lines::{lines, text};
pub use markdown::comment;

use crate::{
    plan::planner::{Approval, By, Opens, Plan},
    upgrade::{EdgeKind, Engine, openshift::OpenShift},
};

/// Catalogs of the plans by OpenShift version, with display names.
#[derive(Clone, Debug)]
pub struct Over {
    /// Catalogs in order of their OpenShift version.
    pub catalogs: Vec<(OpenShift, String)>,
    /// Minor versions between them without a catalog.
    pub missing: Vec<OpenShift>,
}

impl Over {
    /// Returns the range: `4.18 to 4.22`.
    pub fn ends(&self) -> String {
        match (self.catalogs.first(), self.catalogs.last()) {
            (Some((from, _)), Some((to, _))) => format!("{from} to {to}"),
            _ => String::new(),
        }
    }

    /// Describes the assumption for versions without a catalog; `None` if there are none.
    pub fn assumption(&self) -> Option<String> {
        let missing: Vec<String> = self.missing.iter().map(ToString::to_string).collect();
        (!missing.is_empty())
            .then(|| format!("No catalog of {} is given: nothing is upgraded there.", missing.join(", ")))
    }

    fn label(&self, openshift: OpenShift) -> &str {
        let known = self.catalogs.iter().find(|(version, _)| *version == openshift);
        known.map_or("", |(_, label)| label)
    }
}

/// Describes the OLM and the approval.
pub fn who(engine: Engine, approval: Approval) -> &'static str {
    match (engine, approval) {
        (Engine::Classic, Approval::Manual) => "Classic, Manual approval",
        (Engine::Classic, Approval::Automatic) => "Classic, Automatic approval",
        (Engine::V1, Approval::Manual) => "v1, pinned versions",
        (Engine::V1, Approval::Automatic) => "v1, no pinned version",
    }
}

/// Summarizes the outcome of a plan.
pub fn outcome(plan: &Plan) -> String {
    if let Some(block) = &plan.blocked {
        return format!("blocked on {}", block.openshift);
    }
    let count = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    let upgrades = match plan.upgrades() {
        0 => "stays as it is".to_owned(),
        upgrades => count(upgrades, "upgrade"),
    };
    match plan.channel_changes() {
        0 => upgrades,
        changes => {
            format!("{upgrades}, {}", count(changes, "change of channel").replace("channels", "channel"))
        }
    }
}

/// Describes the cause of a stop.
pub fn by(by: By) -> &'static str {
    match by {
        By::Installed => "installed",
        By::Channel => "change of channel",
        By::Cluster => "cluster update",
        By::Pick(Some(EdgeKind::Replaces)) => "replaces it",
        By::Pick(Some(EdgeKind::Skips)) => "skips it",
        By::Pick(Some(EdgeKind::SkipRange)) => "skipRange",
        By::Pick(None) => "same version",
    }
}

/// Describes the edit that opens an upgrade path.
pub fn opens(opens: &Opens) -> String {
    format!(
        "One edit adds an upgrade path, in the catalog of {}: {}.",
        opens.openshift,
        super::path::edge(&opens.opening)
    )
}
