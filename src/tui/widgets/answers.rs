//! Upgrades of the selected bundle on both OLMs, with reasons and effects on a cluster.

use crate::tui::{
    session::{cluster_members::ClusterUpgrade, context::ViewContext},
    widgets::{
        canvas::{Line, display_width, hanging_lines, line_width, piece, text_piece, wrap_text},
        cluster_answers,
        lists::bundle_short_name,
        theme::Ink,
    },
};
use olm_check::review::PackageState;
use olm_upgrade::{Answer, Engine, install_blockers, safety::Verdict};
use olmap_report::safety::verdict_ink;

/// Returns the answers of both OLMs for the selected bundle, including what blocks them.
pub fn both_answer_lines(
    view_cx: &ViewContext<'_>,
    package_state: &PackageState,
    columns: usize,
    ascii: bool,
) -> Vec<Line> {
    let answers = view_cx.session.derived.selected_upgrades();
    let mut lines = Vec::new();
    for answer in answers.catalog_answers() {
        lines.extend(answer_lines(package_state, answer, columns, ascii));
        lines.extend(detail_lines(view_cx, package_state, answer, columns));
    }
    if let Some(cluster) = &answers.cluster {
        lines.extend(cluster_answers::answer_lines(package_state, cluster, columns, ascii));
        lines.extend(cluster_detail_lines(view_cx, cluster, columns));
    }
    lines
}

/// Returns the answers of both OLMs first and all reasons after them, for narrow places.
pub fn both_answers_first(
    view_cx: &ViewContext<'_>,
    package_state: &PackageState,
    columns: usize,
    ascii: bool,
) -> Vec<Line> {
    let answers = view_cx.session.derived.selected_upgrades();
    let mut lines = Vec::new();
    let mut reasons = Vec::new();
    for answer in answers.catalog_answers() {
        let mut said = answer_lines(package_state, answer, columns, ascii).into_iter();
        lines.extend(said.next());
        reasons.extend(said);
        reasons.extend(detail_lines(view_cx, package_state, answer, columns));
    }
    if let Some(cluster) = &answers.cluster {
        let mut said = cluster_answers::answer_lines(package_state, cluster, columns, ascii).into_iter();
        lines.extend(said.next());
        reasons.extend(said);
        reasons.extend(cluster_detail_lines(view_cx, cluster, columns));
    }
    lines.extend(reasons);
    lines
}

/// Returns what the answer of a catalog does to a cluster.
fn detail_lines(
    view_cx: &ViewContext<'_>,
    package_state: &PackageState,
    answer: &Answer,
    columns: usize,
) -> Vec<Line> {
    let mut lines = downgrade_lines(answer.is_downgrade(), columns);
    lines.extend(blocked_lines(view_cx, package_state, answer, columns));
    lines.extend(safety_lines(view_cx, answer, columns));
    lines
}

/// Returns what v1's answer over several catalogs does to the cluster. Only steps of this catalog are
/// judged, because other catalogs may have a different bundle with this name.
fn cluster_detail_lines(view_cx: &ViewContext<'_>, cluster: &ClusterUpgrade, columns: usize) -> Vec<Line> {
    let mut lines = downgrade_lines(cluster.answer.is_downgrade(), columns);
    lines.extend(cluster_answers::remark_lines(cluster, columns));
    let catalogs = &view_cx.session.catalogs;
    let own = catalogs.current().and_then(|open| catalogs.properties_on_cluster(&open.source));
    let is_own =
        cluster.answer.pick.as_ref().is_some_and(|pick| own.is_some_and(|own| own.name == pick.catalog.name));
    let picked = cluster.picked_catalog.as_ref().filter(|_| is_own && cluster.answer.error.is_none());
    lines.extend(picked.map(|answer| safety_lines(view_cx, answer, columns)).unwrap_or_default());
    lines
}

/// Returns the risk of a step to a lower version.
fn downgrade_lines(is_downgrade: bool, columns: usize) -> Vec<Line> {
    if !is_downgrade {
        return Vec::new();
    }
    let words = format!("         {}", Engine::DOWNGRADE_RISK);
    wrap_text(&words, columns).into_iter().map(|line| vec![piece(line, Ink::Error)]).collect()
}

/// Returns the effects of the step on the cluster, if there are known ones.
fn safety_lines(view_cx: &ViewContext<'_>, answer: &Answer, columns: usize) -> Vec<Line> {
    let step = answer.installed.as_ref().zip(answer.upgrade_target());
    let Some(safety) = step.and_then(|(from, to)| view_cx.session.catalogs.safety_of(&from.name, to)) else {
        return Vec::new();
    };
    let all = safety.lines_for(&[answer.engine]);
    let more = all.len().saturating_sub(MAX_STEP_EFFECTS);
    // If nothing is known about a channel, unknown verdicts are not repeated at every step.
    let says = view_cx
        .session
        .catalogs
        .safety()
        .zip(view_cx.session.subscribed_channel())
        .is_some_and(|(safety, channel)| safety.has_verdict_in(channel));
    let told = all.into_iter().filter(|(verdict, ..)| says || *verdict != Verdict::Unknown);
    let told = told.take(MAX_STEP_EFFECTS).flat_map(|(verdict, words, place)| {
        let words = if verdict == Verdict::Unknown && !words.starts_with("not checked") {
            format!("not checked: {words}")
        } else {
            words
        };
        let at = place.map(|place| format!("  ({}:{})", place.file, place.line)).unwrap_or_default();
        let lines = wrap_text(&format!("         {words}{at}"), columns);
        lines.into_iter().map(move |line| vec![piece(line, verdict_ink(verdict))])
    });
    let mut lines: Vec<Line> = told.collect();
    if more > 0 {
        lines.push(vec![piece(format!("         and {more} more"), Ink::Dim)]);
    }
    lines
}

/// Maximum number of effects shown for a step.
const MAX_STEP_EFFECTS: usize = 12;

fn blocked_lines(
    view_cx: &ViewContext<'_>,
    package_state: &PackageState,
    answer: &Answer,
    columns: usize,
) -> Vec<Line> {
    let Some(snapshot) = view_cx.session.snapshot() else { return Vec::new() };
    let package = package_state.package();
    let reasons = match (answer.engine, &answer.pick) {
        (_, None) => return Vec::new(),
        (Engine::V1, Some(pick)) => install_blockers::v1_pick_blockers(
            package,
            pick,
            answer.installed.as_ref(),
            &view_cx.session.upgrade_query.query.channels,
        ),
        (Engine::Classic, Some(_)) => {
            let pick = answer.upgrade_target().and_then(|pick| package.bundle(pick.as_str()));
            let Some(pick) = pick else { return Vec::new() };
            install_blockers::find_blockers(&snapshot.catalog, pick, Engine::Classic, &[])
        }
    };
    let wrapped = reasons
        .into_iter()
        .flat_map(|reason| wrap_text(&format!("         but on a cluster: {}", reason.text), columns));
    wrapped.map(|line| vec![piece(line, Ink::Warning)]).collect()
}

/// Returns the answer of one OLM and its reason.
pub fn answer_lines(package_state: &PackageState, answer: &Answer, columns: usize, ascii: bool) -> Vec<Line> {
    let package = package_state.package();
    let (label, ink) = match answer.engine {
        Engine::Classic => ("Classic  ", Ink::Classic),
        Engine::V1 => ("v1       ", Ink::V1),
    };
    let arrow = if ascii { "-> " } else { "→ " };
    let mut head = vec![piece(label, ink)];
    let (what, why) = match (&answer.error, answer.upgrade_target()) {
        (Some(error), _) => (piece("error", Ink::Error), error.to_string()),
        (None, Some(pick)) if answer.is_downgrade() => {
            head.push(piece(format!("{} ", answer.engine.downgrade_verb()), Ink::Error));
            (piece(bundle_short_name(package, pick), Ink::Title), answer.reason())
        }
        (None, Some(pick)) => {
            head.push(piece(arrow, Ink::Dim));
            (piece(bundle_short_name(package, pick), Ink::Title), answer.reason())
        }
        (None, None) => (text_piece("stays"), answer.reason()),
    };
    head.push(what);
    add_reason(head, &why, columns)
}

/// Adds the reason to the first line of an answer, or below it if there is no room.
pub(super) fn add_reason(mut head: Line, why: &str, columns: usize) -> Vec<Line> {
    if line_width(&head) + 3 + display_width(why) <= columns {
        head.push(text_piece(format!("   {why}")));
        return vec![head];
    }
    let mut lines = vec![head];
    lines.extend(hanging_lines(&[text_piece(" ".repeat(REASON_INDENT))], why, columns, Ink::Text));
    lines
}

/// Indentation of a reason below an answer.
const REASON_INDENT: usize = 11;
