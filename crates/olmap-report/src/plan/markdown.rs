//! Plans for a comment on a pull request.

use std::fmt::Write as _;

use super::{PlanRange, describe_engine, describe_path_fix, describe_plan_outcome, describe_stop_cause};
use crate::markdown::{MAX_BYTES, escape_markdown};
use olm_plan::planner::{ClusterPlan, OperatorPlan};

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
