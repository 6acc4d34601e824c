//! Plans for people, programs and pull requests.

mod all_versions;
pub use all_versions::{
    render_stranded_comment as comment_on_everyone, render_stranded_table as text_of_everyone,
    stranded_json as everyone_row,
};
pub(crate) use all_versions::{stranded_rows, summarize_stranded};

use std::{collections::BTreeMap, fmt::Write as _};

use serde::Serialize;

use crate::{
    document::{Line, Piece, piece, wrap_lines},
    escape::{display_width, wrap},
    markdown::{Comment, escape_markdown},
    style::{Ink, Style},
};
use olm_check::review::stuck;
use olm_edit::Edit;
use olm_plan::planner::{Approval, CatalogFix, ClusterPlan, OperatorPlan, Plan, Stop, StopCause};
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
    format!("One edit adds an upgrade path, in the catalog of {}: {}.", opens.openshift, opens.fix)
}

/// Renders a table of stops for each operator.
pub fn render_plans_comment(over: &PlanRange, clusters: &[ClusterPlan]) -> String {
    let mut out = format!("OpenShift {}.", over.version_range());
    if let Some(sentence) = over.describe_assumption() {
        let _ = write!(out, " {sentence}");
    }
    out.push('\n');
    let mut comment = Comment::from(out);
    for planned in clusters.iter().flat_map(|whole| &whole.operators) {
        comment.push_if_fits(&render_operator(planned));
    }
    comment.finish("olmap plan")
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
    edit: Edit,
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
            Some(OpensRow {
                catalog: over.version_label(opens.openshift),
                edit: stuck::path_fix_edit(&opens.fix),
            })
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
        let _ = writeln!(out, "{}", style.paint_line(&line).trim_end());
    }
}

/// Returns the lines of a plan: the block with its remedy, the stops, and notes. Lines have at most
/// `columns` columns if the names allow it.
pub fn plan_lines(planned: &OperatorPlan, columns: usize) -> Vec<Line> {
    let plan = &planned.plan;
    let mut told: Vec<Piece> = Vec::new();
    if let Some(block) = &plan.blocked {
        told.push(piece(format!("{}.", block.text), Ink::Error));
        let hopeless = || {
            block
                .kind
                .is_about_edges()
                .then(|| "olmap found no edit of one entry that adds an upgrade path.".to_owned())
        };
        told.extend(
            planned.fix.as_ref().map(describe_path_fix).or_else(hopeless).map(|way| piece(way, Ink::Good)),
        );
    }
    let mut lines = wrap_sentences(told, columns);
    lines.extend(stop_lines(plan, columns));
    let notes = planned.remarks.iter().map(|remark| format!("note: {}.", remark.format_note(plan.engine)));
    lines.extend(wrap_sentences(notes.map(|note| piece(note, Ink::Warning)), columns));
    lines
}

fn wrap_sentences(told: impl IntoIterator<Item = Piece>, columns: usize) -> Vec<Line> {
    told.into_iter().flat_map(|it| wrap_lines(&it.text, it.ink, ["  ", "    "], columns)).collect()
}

/// Renders one stop per line, or two lines if names are long.
fn stop_lines(plan: &Plan, columns: usize) -> Vec<Line> {
    let widest = |of: &dyn Fn(&Stop) -> usize| plan.stops.iter().map(of).max().unwrap_or(0);
    let channels = widest(&|stop| stop.channel.as_ref().map_or(0, |channel| display_width(channel.as_str())));
    let versions = widest(&|stop| display_width(&stop.openshift.to_string()));
    let bundles = widest(&|stop| display_width(stop.bundle.as_str()));
    let mut before: Option<OpenShift> = None;
    let mut lines: Vec<Line> = Vec::new();
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
        let mut line = vec![piece(format!("  {openshift:versions$}  "), Ink::Title)];
        if channels > 0 {
            let channel = stop.channel.as_ref().map_or("", |channel| channel.as_str());
            let ink = if stop.cause == StopCause::Channel { ink } else { Ink::Dim };
            line.push(piece(padded(channel, channels), ink));
        }
        let (bundle, what) = (stop.bundle.as_str(), describe_stop_cause(stop.cause));
        let used = 4 + versions + if channels > 0 { channels + 2 } else { 0 };
        if used + bundles + 2 + display_width(what) <= columns {
            line.push(piece(padded(bundle, bundles), ink));
            line.push(piece(what, Ink::Dim));
            lines.push(line);
        } else {
            line.push(piece(bundle, ink));
            lines.push(line);
            lines.push(vec![piece(format!("{}  {what}", " ".repeat(used)), Ink::Dim)]);
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
    out.push_str(&style.paint_wrapped(Ink::Error, &sentence, "  ", "  "));
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
