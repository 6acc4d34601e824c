//! Plans for people, programs and pull requests.

mod all_versions;
mod json;
mod lines;
mod markdown;

pub use all_versions::{
    render_stranded_comment as comment_on_everyone, render_stranded_table as text_of_everyone,
    stranded_json as everyone_row,
};
pub(crate) use all_versions::{stranded_rows, summarize_stranded};
pub use json::Row;
pub use lines::{plan_lines, render_plans};
pub use markdown::render_plans_comment;

use olm_plan::planner::{Approval, CatalogFix, Plan, StopCause};
use olm_upgrade::{EdgeKind, Engine, openshift::OpenShift};

/// Catalogs of the plans by OpenShift version, with display names.
#[derive(Clone, Debug)]
pub struct PlanRange {
    /// Catalogs in order of their OpenShift version.
    pub catalogs: Vec<(OpenShift, String)>,
    /// Minor versions between them without a catalog.
    pub missing: Vec<OpenShift>,
}

impl PlanRange {
    /// Returns the range: `4.18 to 4.22`.
    pub fn version_range(&self) -> String {
        match (self.catalogs.first(), self.catalogs.last()) {
            (Some((from, _)), Some((to, _))) => format!("{from} to {to}"),
            _ => String::new(),
        }
    }

    /// Describes the assumption for versions without a catalog; `None` if there are none.
    pub fn describe_assumption(&self) -> Option<String> {
        let missing: Vec<String> = self.missing.iter().map(ToString::to_string).collect();
        (!missing.is_empty())
            .then(|| format!("No catalog of {} is given: nothing is upgraded there.", missing.join(", ")))
    }

    fn version_label(&self, openshift: OpenShift) -> &str {
        let known = self.catalogs.iter().find(|(version, _)| *version == openshift);
        known.map_or("", |(_, label)| label)
    }
}

/// Describes the OLM and the approval.
pub fn describe_engine(engine: Engine, approval: Approval) -> &'static str {
    match (engine, approval) {
        (Engine::Classic, Approval::Manual) => "Classic, Manual approval",
        (Engine::Classic, Approval::Automatic) => "Classic, Automatic approval",
        (Engine::V1, Approval::Manual) => "v1, pinned versions",
        (Engine::V1, Approval::Automatic) => "v1, no pinned version",
    }
}

/// Summarizes the outcome of a plan.
pub fn describe_plan_outcome(plan: &Plan) -> String {
    if let Some(block) = &plan.blocked {
        return format!("blocked on {}", block.openshift);
    }
    let count = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    let upgrades = match plan.count_upgrades() {
        0 => "stays as it is".to_owned(),
        upgrades => count(upgrades, "upgrade"),
    };
    match plan.count_channel_changes() {
        0 => upgrades,
        changes => {
            format!("{upgrades}, {}", count(changes, "change of channel").replace("channels", "channel"))
        }
    }
}

/// Describes the cause of a stop.
pub fn describe_stop_cause(by: StopCause) -> &'static str {
    match by {
        StopCause::Installed => "installed",
        StopCause::Channel => "change of channel",
        StopCause::Cluster => "cluster update",
        StopCause::Pick(Some(EdgeKind::Replaces)) => "replaces it",
        StopCause::Pick(Some(EdgeKind::Skips)) => "skips it",
        StopCause::Pick(Some(EdgeKind::SkipRange)) => "skipRange",
        StopCause::Pick(None) => "same version",
    }
}

/// Describes the edit that opens an upgrade path.
pub fn describe_path_fix(opens: &CatalogFix) -> String {
    format!(
        "One edit adds an upgrade path, in the catalog of {}: {}.",
        opens.openshift,
        super::path::describe_added_edge(&opens.fix)
    )
}
