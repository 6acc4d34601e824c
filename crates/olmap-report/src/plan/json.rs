//! Plans for programs (`docs/cli.md`).

use std::collections::BTreeMap;

use serde::Serialize;

use super::PlanRange;
use olm_edit::Edit;
use olm_plan::planner::{OperatorPlan, StopCause};

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
