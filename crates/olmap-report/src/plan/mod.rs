//! Plans for people, programs and pull requests.

mod all_versions;
mod lines;
pub use all_versions::{
    render_stranded_comment as comment_on_everyone, render_stranded_table as text_of_everyone,
    stranded_json as everyone_row,
};
pub(crate) use all_versions::{stranded_rows, summarize_stranded};

pub use lines::{plan_lines, render_plans};

use std::{collections::BTreeMap, fmt::Write as _};

use serde::Serialize;

use crate::markdown::{MAX_BYTES, escape_markdown};
use olm_edit::Edit;
use olm_plan::planner::{Approval, CatalogFix, ClusterPlan, OperatorPlan, Plan, StopCause};
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

/// Renders a table of stops for each operator.
pub fn render_plans_comment(over: &PlanRange, clusters: &[ClusterPlan]) -> String {
    let mut out = format!("OpenShift {}.", over.version_range());
    if let Some(sentence) = over.describe_assumption() {
        let _ = write!(out, " {sentence}");
    }
    out.push('\n');
    let mut left = 0;
    for planned in clusters.iter().flat_map(|whole| &whole.operators) {
        let part = render_operator(planned);
        if out.len() + part.len() > MAX_BYTES {
            left += 1;
        } else {
            out.push_str(&part);
        }
    }
    if left > 0 {
        let _ = writeln!(out, "\nAnd {left} more: `olmap plan` shows them all.");
    }
    out
}

fn render_operator(planned: &OperatorPlan) -> String {
    let plan = &planned.plan;
    let mut out = format!(
        "\n**{}**: {} ({})\n\n| OpenShift | channel | bundle | by |\n|---|---|---|---|\n",
        escape_markdown(plan.package.as_str()),
        describe_plan_outcome(plan),
        describe_engine(plan.engine, plan.approval)
    );
    for stop in &plan.stops {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} |",
            stop.openshift,
            stop.channel.as_ref().map_or_else(String::new, |channel| escape_markdown(channel.as_str())),
            escape_markdown(stop.bundle.as_str()),
            describe_stop_cause(stop.cause)
        );
    }
    if let Some(block) = &plan.blocked {
        let _ = writeln!(out, "\n- blocked: {}.", escape_markdown(&block.text));
        if let Some(found) = &planned.fix {
            let _ = writeln!(out, "- {}", escape_markdown(&describe_path_fix(found)));
        }
    }
    let separator = if plan.blocked.is_none() && !planned.remarks.is_empty() { "\n" } else { "" };
    out.push_str(separator);
    for remark in &planned.remarks {
        let _ = writeln!(out, "- note: {}.", escape_markdown(&remark.format_note(plan.engine)));
    }
    out
}

/// Plans of a run as `olmap plan -o json` prints them.
#[derive(Debug, Serialize)]
pub struct Row<'a> {
    from: Option<String>,
    to: Option<String>,
    catalogs: BTreeMap<String, &'a str>,
    missing: Vec<String>,
    operators: Vec<OperatorRow<'a>>,
}

#[derive(Debug, Serialize)]
struct OperatorRow<'a> {
    package: &'a str,
    engine: &'static str,
    approval: &'static str,
    installed: Option<&'a str>,
    channel: Option<&'a str>,
    ok: bool,
    reaches: Option<String>,
    stops: Vec<StopRow<'a>>,
    blocked: Option<BlockRow<'a>>,
    notes: Vec<String>,
}

#[derive(Debug, Serialize)]
struct StopRow<'a> {
    openshift: String,
    channel: Option<&'a str>,
    bundle: &'a str,
    version: Option<String>,
    by: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    edge: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct BlockRow<'a> {
    openshift: String,
    kind: &'static str,
    text: &'a str,
    opens: Option<OpensRow<'a>>,
}

#[derive(Debug, Serialize)]
struct OpensRow<'a> {
    catalog: &'a str,
    edit: &'a Edit,
}

impl<'a> Row<'a> {
    /// Returns the row of some plans.
    pub fn from_plans(over: &'a PlanRange, operators: impl IntoIterator<Item = &'a OperatorPlan>) -> Self {
        let version = |at: Option<&(olm_upgrade::openshift::OpenShift, String)>| {
            at.map(|(version, _)| version.to_string())
        };
        Self {
            from: version(over.catalogs.first()),
            to: version(over.catalogs.last()),
            catalogs: over
                .catalogs
                .iter()
                .map(|(version, label)| (version.to_string(), label.as_str()))
                .collect(),
            missing: over.missing.iter().map(ToString::to_string).collect(),
            operators: operators
                .into_iter()
                .map(|planned| OperatorRow::from_planned(over, planned))
                .collect(),
        }
    }
}

impl<'a> OperatorRow<'a> {
    fn from_planned(over: &'a PlanRange, planned: &'a OperatorPlan) -> Self {
        let plan = &planned.plan;
        let first = plan.stops.first();
        let stops = plan.stops.iter().map(|stop| StopRow {
            openshift: stop.openshift.to_string(),
            channel: stop.channel.as_ref().map(AsRef::as_ref),
            bundle: stop.bundle.as_str(),
            version: stop.version.as_ref().map(ToString::to_string),
            by: stop.cause.as_str(),
            edge: match stop.cause {
                StopCause::Pick(kind) => kind.map(olm_upgrade::EdgeKind::as_str),
                StopCause::Installed | StopCause::Channel | StopCause::Cluster => None,
            },
        });
        let opens = || {
            let opens = planned.fix.as_ref()?;
            Some(OpensRow { catalog: over.version_label(opens.openshift), edit: &opens.fix.edit })
        };
        Self {
            package: plan.package.as_str(),
            engine: plan.engine.as_str(),
            approval: plan.approval.as_str(),
            installed: first.map(|stop| stop.bundle.as_str()),
            channel: first.and_then(|stop| stop.channel.as_ref()).map(AsRef::as_ref),
            ok: plan.arrives(),
            reaches: plan.reached_version().map(|version| version.to_string()),
            stops: stops.collect(),
            blocked: plan.blocked.as_ref().map(|block| BlockRow {
                openshift: block.openshift.to_string(),
                kind: block.kind.as_str(),
                text: &block.text,
                opens: opens(),
            }),
            notes: planned.remarks.iter().map(|remark| remark.format_note(plan.engine)).collect(),
        }
    }
}
