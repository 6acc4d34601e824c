//! Plans for people.

use std::fmt::Write as _;

use super::{PlanRange, describe_engine, describe_path_fix, describe_plan_outcome, describe_stop_cause};
use crate::{
    escape::{display_width, wrap},
    path::Piece,
    style::{Ink, Style},
};
use olm_plan::planner::{ClusterPlan, OperatorPlan, Plan, Stop, StopCause};
use olm_upgrade::{Engine, openshift::OpenShift};

/// Renders each plan with its stops. If a cluster has several operators, adds their steps in order.
/// Several clusters are one with Classic and one with v1.
pub fn render_plans(over: &PlanRange, clusters: &[ClusterPlan], style: &Style) -> String {
    let mut out = format!("{}\n", style.paint(Ink::Bold, &format!("OpenShift {}", over.version_range())));
    for planned in clusters.iter().flat_map(|whole| &whole.operators) {
        out.push('\n');
        write_plan(&mut out, planned, style);
    }
    for whole in clusters {
        // With a single operator, the plan itself lists the steps in order.
        if let [one, _, ..] = whole.operators.as_slice() {
            let title = match (clusters.len(), one.plan.engine) {
                (1, _) => "In order",
                (_, Engine::Classic) => "In order, with Classic",
                (_, Engine::V1) => "In order, with v1",
            };
            let _ = writeln!(out, "\n{}", style.paint(Ink::Bold, title));
            write_ordered_steps(&mut out, whole, style);
        }
    }
    if let Some(sentence) = over.describe_assumption() {
        out.push('\n');
        out.push_str(&wrap::wrap_sentence(&sentence, "", style.width));
    }
    out
}

fn write_plan(out: &mut String, planned: &OperatorPlan, style: &Style) {
    let plan = &planned.plan;
    let ink = if plan.arrives() { Ink::Good } else { Ink::Error };
    let _ = writeln!(
        out,
        "{}  {}  {}",
        style.paint(Ink::Bold, plan.package.as_str()),
        style.paint(ink, &describe_plan_outcome(plan)),
        style.paint(Ink::Dim, &format!("({})", describe_engine(plan.engine, plan.approval)))
    );
    for line in plan_lines(planned, style.width) {
        let line: String = line.iter().map(|(ink, text)| style.paint(*ink, text)).collect();
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

/// Returns the lines of a plan: the block with its remedy, the stops, and notes. Lines have at most
/// `columns` columns if the names allow it.
pub fn plan_lines(planned: &OperatorPlan, columns: usize) -> Vec<Vec<Piece>> {
    let plan = &planned.plan;
    let mut told: Vec<(Ink, String)> = Vec::new();
    if let Some(block) = &plan.blocked {
        told.push((Ink::Error, format!("{}.", block.text)));
        let hopeless = || {
            block
                .kind
                .is_about_edges()
                .then(|| "olmap found no edit of one entry that adds an upgrade path.".to_owned())
        };
        told.extend(
            planned.fix.as_ref().map(describe_path_fix).or_else(hopeless).map(|way| (Ink::Good, way)),
        );
    }
    let mut lines = wrap_sentences(told, columns);
    lines.extend(stop_lines(plan, columns));
    let notes = planned.remarks.iter().map(|remark| format!("note: {}.", remark.format_note(plan.engine)));
    lines.extend(wrap_sentences(notes.map(|note| (Ink::Warning, note)).collect(), columns));
    lines
}

fn wrap_sentences(told: Vec<(Ink, String)>, columns: usize) -> Vec<Vec<Piece>> {
    let folded = |(ink, sentence): (Ink, String)| {
        let folded = wrap::wrap_hanging(&sentence, "  ", "    ", columns);
        folded.lines().map(|line| vec![(ink, line.to_owned())]).collect::<Vec<_>>()
    };
    told.into_iter().flat_map(folded).collect()
}

/// Renders one stop per line, or two lines if names are long.
fn stop_lines(plan: &Plan, columns: usize) -> Vec<Vec<Piece>> {
    let widest = |of: &dyn Fn(&Stop) -> usize| plan.stops.iter().map(of).max().unwrap_or(0);
    let channels = widest(&|stop| stop.channel.as_ref().map_or(0, |channel| display_width(channel.as_str())));
    let versions = widest(&|stop| display_width(&stop.openshift.to_string()));
    let bundles = widest(&|stop| display_width(stop.bundle.as_str()));
    let mut before: Option<OpenShift> = None;
    let mut lines: Vec<Vec<Piece>> = Vec::new();
    let padded = |text: &str, wide: usize| {
        format!("{text}{}", " ".repeat(wide.saturating_sub(display_width(text)) + 2))
    };
    for stop in &plan.stops {
        let openshift =
            if before == Some(stop.openshift) { String::new() } else { stop.openshift.to_string() };
        before = Some(stop.openshift);
        let ink = match stop.cause {
            StopCause::Pick(_) => Ink::Good,
            StopCause::Channel => Ink::Warning,
            StopCause::Installed | StopCause::Cluster => Ink::Text,
        };
        let mut line = vec![(Ink::Bold, format!("  {openshift:versions$}  "))];
        if channels > 0 {
            let channel = stop.channel.as_ref().map_or("", |channel| channel.as_str());
            let ink = if stop.cause == StopCause::Channel { ink } else { Ink::Dim };
            line.push((ink, padded(channel, channels)));
        }
        let (bundle, what) = (stop.bundle.as_str(), describe_stop_cause(stop.cause));
        let used = 4 + versions + if channels > 0 { channels + 2 } else { 0 };
        if used + bundles + 2 + display_width(what) <= columns {
            line.push((ink, padded(bundle, bundles)));
            line.push((Ink::Dim, what.to_owned()));
            lines.push(line);
        } else {
            line.push((ink, bundle.to_owned()));
            lines.push(line);
            lines.push(vec![(Ink::Dim, format!("{}  {what}", " ".repeat(used)))]);
        }
    }
    lines
}

/// Writes the steps on each OpenShift version.
fn write_ordered_steps(out: &mut String, whole: &ClusterPlan, style: &Style) {
    let reaches = whole.reached_version();
    let mut number = 0;
    for openshift in whole.versions.iter().take_while(|version| Some(**version) <= reaches) {
        if whole.versions.first() != Some(openshift) {
            number += 1;
            let what = format!("update the cluster to {openshift}");
            let _ = writeln!(out, "  {number:>2}  {}", style.paint(Ink::Bold, &what));
        }
        for planned in whole.operators_in_order(*openshift) {
            let stops = planned.plan.stops.iter().filter(|stop| stop.openshift == *openshift);
            for what in stops.filter_map(|stop| describe_step(&planned.plan, stop)) {
                number += 1;
                out.push_str(&wrap::wrap_hanging(&what, &format!("  {number:>2}  "), "      ", style.width));
            }
        }
    }
    let blocking = whole.operators.iter().filter(|planned| planned.plan.blocked.is_some());
    let blocking: Vec<&str> = blocking.map(|planned| planned.plan.package.as_str()).collect();
    let Some(reaches) = reaches.filter(|_| !blocking.is_empty()) else { return };
    let sentence = if whole.versions.last() == Some(&reaches) {
        format!("{} not in a version that {reaches} has.", names_with_verb(&blocking))
    } else {
        format!("The cluster stays on {reaches}: {} blocked.", names_with_verb(&blocking))
    };
    for line in wrap::wrap_hanging(&sentence, "  ", "  ", style.width).lines() {
        let _ = writeln!(out, "{}", style.paint(Ink::Error, line));
    }
}

fn names_with_verb(names: &[&str]) -> String {
    match names {
        [one] => format!("{one} is"),
        [front @ .., last] => format!("{} and {last} are", front.join(", ")),
        [] => String::new(),
    }
}

fn describe_step(plan: &Plan, stop: &Stop) -> Option<String> {
    let package = &plan.package;
    match stop.cause {
        StopCause::Installed | StopCause::Cluster => None,
        StopCause::Channel => Some(format!("{package}: change the channel to {}", stop.channel.as_ref()?)),
        StopCause::Pick(_) => Some(format!("{package}: upgrade to {}", stop.bundle)),
    }
}
