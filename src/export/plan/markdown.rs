//! Plans for a comment on a pull request.

use std::fmt::Write as _;

use super::{Over, by, opens, outcome, who};
use crate::{
    export::markdown::{MAX_BYTES, quote},
    plan::planner::{Planned, Whole},
};

/// Renders a table of stops for each operator.
pub fn comment(over: &Over, clusters: &[Whole]) -> String {
    let mut out = format!("OpenShift {}.", over.ends());
    if let Some(sentence) = over.assumption() {
        let _ = write!(out, " {sentence}");
    }
    out.push('\n');
    let mut left = 0;
    for planned in clusters.iter().flat_map(|whole| &whole.operators) {
        let part = operator(planned);
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

fn operator(planned: &Planned) -> String {
    let plan = &planned.plan;
    let mut out = format!(
        "\n**{}**: {} ({})\n\n| OpenShift | channel | bundle | by |\n|---|---|---|---|\n",
        quote(plan.package.as_str()),
        outcome(plan),
        who(plan.engine, plan.approval)
    );
    for stop in &plan.stops {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} |",
            stop.openshift,
            stop.channel.as_ref().map_or_else(String::new, |channel| quote(channel.as_str())),
            quote(stop.bundle.as_str()),
            by(stop.by)
        );
    }
    if let Some(block) = &plan.blocked {
        let _ = writeln!(out, "\n- blocked: {}.", quote(&block.text));
        if let Some(found) = &planned.opens {
            let _ = writeln!(out, "- {}", quote(&opens(found)));
        }
    }
    let separator = if plan.blocked.is_none() && !planned.remarks.is_empty() { "\n" } else { "" };
    out.push_str(separator);
    for remark in &planned.remarks {
        let _ = writeln!(out, "- note: {}.", quote(&remark.words(plan.engine)));
    }
    out
}
