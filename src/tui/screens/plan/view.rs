//! Plan screen: packages, one lane per installed version with the OpenShift versions as columns,
//! and the stops of one plan.

use ratatui::layout::Rect;

use crate::tui::{
    keys::ActionId,
    parts::{frame::Splitter, list::ListId},
    screens::{
        plan::{
            Focus,
            rows::{PlanCell, plan_cells},
        },
        screen::ScreenView,
    },
    widgets::{
        boxes::draw_scrolled_text,
        canvas::{Canvas, Line, display_width, fit, pad, piece, text_piece, wrap_text},
        installed_operators,
        lists::{draw_list_heading, draw_no_rows},
        theme::Ink,
    },
};
use olm_plan::planner::{
    Approval, DeadEnd, OperatorState, PackagePlans, PlanSettings, UpdateTiming, VersionPlan, find_dead_end,
};
use olmap_report::plan as export;

/// Minimum width for showing packages and lanes side by side.
const MIN_WIDTH_FOR_BOTH: u16 = 100;
/// Columns of the packages in that case.
const PACKAGE_COLUMNS: u16 = 42;
/// Columns of the number of stuck versions.
const STUCK_COLUMNS: usize = "  stuck".len();
/// Minimum height for showing both panes.
const MIN_HEIGHT_FOR_PANES: u16 = 11;

/// The screen and its context.
type View<'a> = ScreenView<'a, super::Plan>;

/// Draws the screen.
pub fn draw_plan_screen(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect) {
    let screen = &view.state;
    if screen.package_rows().is_empty() && view.session.lists.filter(ListId::Planned).is_empty() {
        let inner = draw_list_heading(view, canvas, area, ListId::Planned, "Plan", &[]);
        return draw_no_rows(view, canvas, inner, ListId::Planned, &empty_message(view));
    }
    let focus = screen.focused_pane();
    let (upper, lower) = if area.height < MIN_HEIGHT_FOR_PANES {
        if focus == Focus::Stops { (None, Some(area)) } else { (Some(area), None) }
    } else {
        let above = view.frame.splits.size_before(Splitter::Plan, area.height / 2, area.height);
        let (upper, lower) = canvas.draw_splitter(area, Splitter::Plan, above);
        (Some(upper), Some(lower))
    };
    if let Some(upper) = upper {
        if upper.width >= MIN_WIDTH_FOR_BOTH {
            let left = Rect { width: PACKAGE_COLUMNS, ..upper };
            let right =
                Rect { x: upper.x + PACKAGE_COLUMNS + 1, width: upper.width - PACKAGE_COLUMNS - 1, ..upper };
            draw_planned_packages(view, canvas, left);
            canvas.draw_divider(upper.x + PACKAGE_COLUMNS, upper.top(), upper.bottom());
            draw_lanes(view, canvas, right);
        } else if focus == Focus::Packages {
            draw_planned_packages(view, canvas, upper);
        } else {
            draw_lanes(view, canvas, upper);
        }
    }
    if let Some(lower) = lower {
        draw_stops(view, canvas, lower);
    }
    if view.session.jobs.upgrade_plans.is_waiting() {
        canvas.tint(area, Ink::Stale);
    }
}

/// Returns the message shown if there are no plans.
fn empty_message(view: &View<'_>) -> String {
    let (asked, versions) =
        (view.session.jobs.upgrade_plans.is_waiting(), view.session.catalogs.openshift_version_count());
    if asked || (versions > 1 && view.session.jobs.upgrade_plans.plans().is_none()) {
        return "planning".to_owned();
    }
    if versions < 2 {
        let key = view.key_label(ActionId::OpenCatalog);
        return format!(
            "A plan needs the catalogs of two OpenShift versions or more; {versions} is open. {key} opens one more. \
             The version is the v4.NN in a catalog's path or image."
        );
    }
    "The catalog of the lowest version has no packages.".to_owned()
}

/// Describes the planning options: `4.18 to 4.22, Classic, Manual approval, as late as possible`.
fn describe_question(view: &View<'_>, question: PlanSettings) -> String {
    let versions = view.session.jobs.upgrade_plans.plans().map(|(_, plans)| plans.world.versions());
    let ends = match versions {
        Some([from, .., to]) => format!("{from} to {to}, "),
        _ => String::new(),
    };
    let when = match (question.approval, question.updates) {
        (Approval::Automatic, _) => "",
        (Approval::Manual, UpdateTiming::Latest) => ", as late as possible",
        (Approval::Manual, UpdateTiming::Earliest) => ", as early as possible",
    };
    format!("{ends}{}{when}", export::describe_engine(question.engine, question.approval))
}

fn draw_planned_packages(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect) {
    let rows = view.state.package_rows();
    let title = format!("Packages {}", rows.len());
    // A column of dashes has no information.
    let has_stuck = rows.iter().any(|row| row.counts.stuck > 0);
    let heading = match (view.session.lists.filter(ListId::Planned).is_empty(), has_stuck) {
        (true, false) => "installs blocked ",
        (false, false) => "blocked ",
        (true, true) => "installs blocked  stuck ",
        (false, true) => "blocked  stuck ",
    };
    let right = [piece(heading, Ink::Dim)];
    let inner = draw_list_heading(view, canvas, area, ListId::Planned, &title, &right);
    let counts: Vec<String> =
        rows.iter().map(|row| format!("{} of {}", row.counts.blocked, row.counts.total)).collect();
    let widest = counts.iter().map(|count| display_width(count)).max().unwrap_or(0);
    let stuck_columns = if has_stuck { STUCK_COLUMNS } else { 0 };
    let marks = usize::from(installed_operators::mark_width(view));
    let room = usize::from(inner.width).saturating_sub(widest + 4 + marks + stuck_columns);
    let ascii = canvas.ascii;
    canvas.draw_list(inner, &view.list_view(canvas, ListId::Planned), |at| {
        let (Some(row), Some(count)) = (rows.get(at), counts.get(at)) else { return Vec::new() };
        let ink = if row.counts.blocked > 0 { Ink::Error } else { Ink::Dim };
        let mut pieces: Line = installed_operators::installed_mark(view, &row.package).into_iter().collect();
        pieces.push(piece(pad(row.package.as_str(), room, ascii), Ink::Text));
        pieces.push(piece(format!(" {count:>widest$}"), ink));
        if has_stuck {
            pieces.push(match row.counts.stuck {
                0 => piece(format!("{:>STUCK_COLUMNS$}", "-"), Ink::Dim),
                stuck => piece(format!("{stuck:>STUCK_COLUMNS$}"), Ink::Warning),
            });
        }
        pieces
    });
}

fn draw_lanes(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect) {
    let screen = &view.state;
    let planning = &view.session.jobs.upgrade_plans;
    let package = screen.highlighted_package().map(ToString::to_string).unwrap_or_default();
    let title = format!("{package}  {}", describe_question(view, planning.question));
    let inner = draw_list_heading(view, canvas, area, ListId::Lanes, &title, &[]);
    let known = planning.plans().zip(screen.highlighted_package());
    let Some((plans, of)) = known.and_then(|((_, plans), name)| Some((plans, plans.package_plans(name)?)))
    else {
        return draw_no_rows(view, canvas, inner, ListId::Lanes, "not planned");
    };
    if screen.visible_plans().is_empty() {
        let words = format!(
            "The catalog of {} has no such package: nothing to begin with.",
            first_version(plans.world.versions())
        );
        return draw_no_rows(view, canvas, inner, ListId::Lanes, &words);
    }
    let widths = screen.lane_widths().fit_into(usize::from(inner.width).saturating_sub(2));
    let lanes = Lanes { versions: plans.world.versions(), widths: &widths, ascii: canvas.ascii };
    let head = Rect { height: 1, ..inner };
    canvas.draw_line(
        Rect { x: head.x + 1, width: head.width.saturating_sub(1), ..head },
        &lanes.lane_heading(),
    );
    let below = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
    canvas.draw_list(below, &view.list_view(canvas, ListId::Lanes), |at| {
        let Some(plan) = screen.visible_plans().get(at).and_then(|at| of.plans.nth_plan(*at)) else {
            return Vec::new();
        };
        let mut pieces = lanes.lane_row(plan);
        let ends = plan.first_state().zip(plan.last_state()).filter(|_| plan.arrives());
        let legs = plans.world.find_package(plan.package().as_str());
        let end = legs.zip(ends);
        let end = end.and_then(|(legs, (first, last))| find_dead_end(legs, plan.engine(), first, last));
        pieces.extend(end.map(|end| match end {
            DeadEnd::Stuck(_) => piece("  stuck", Ink::Warning),
            DeadEnd::InChannel => piece("  stuck in this channel", Ink::Warning),
        }));
        let here = plan.first_state().and_then(|state| {
            view.session.installed_operators.describe_installation(plan.package(), state.bundle)
        });
        pieces.extend(here.map(|words| piece(format!("  {words}"), Ink::Good)));
        pieces
    });
}

fn first_version(versions: &[olm_upgrade::openshift::OpenShift]) -> String {
    versions.first().map(ToString::to_string).unwrap_or_default()
}

/// Columns of the lanes of a package.
#[derive(Clone, Debug, Default)]
pub struct LaneWidths {
    installed: usize,
    channels: usize,
    versions: Vec<usize>,
}

/// State for drawing lanes.
struct Lanes<'a> {
    versions: &'a [olm_upgrade::openshift::OpenShift],
    widths: &'a LaneWidths,
    ascii: bool,
}

/// Maximum columns of a name.
const MAX_NAME_COLUMNS: usize = 24;

/// Columns between two versions.
const LANE_GAP: usize = 4;
/// Columns of the word after the last version.
const END_COLUMNS: usize = "  stuck".len();
/// Minimum columns of a version that is shortened, without the channels.
const MIN_VERSION_COLUMNS: usize = 8;
/// Minimum columns of a version that is shortened, next to the channels.
const MIN_COLUMNS_WITH_CHANNEL: usize = 11;

impl LaneWidths {
    /// Shortens the versions if the lanes are wider than the room, then omits the channels, so that the
    /// last version stays visible.
    fn fit_into(&self, room: usize) -> Self {
        let mut widths = self.clone();
        let gaps = LANE_GAP * self.versions.len().saturating_sub(1);
        let fixed = self.installed + 2 + gaps + END_COLUMNS;
        let total = |widths: &Self| widths.versions.iter().sum::<usize>();
        let channels = if self.channels > 0 { self.channels.max(7) + 2 } else { 0 };
        if fixed + channels + total(&widths) <= room {
            return widths;
        }
        for (channels, shortest) in [(channels, MIN_COLUMNS_WITH_CHANNEL), (0, MIN_VERSION_COLUMNS)] {
            widths = Self { channels: if channels > 0 { self.channels } else { 0 }, ..self.clone() };
            while fixed + channels + total(&widths) > room {
                let widest = widths.versions.iter_mut().max();
                let Some(widest) = widest.filter(|columns| **columns > shortest) else { break };
                *widest -= 1;
            }
            if fixed + channels + total(&widths) <= room {
                break;
            }
        }
        widths
    }

    /// Measures all lanes, which takes longer than a frame if there are many.
    pub(super) fn measure_lanes(
        versions: &[olm_upgrade::openshift::OpenShift],
        of: &PackagePlans,
        shown: &[usize],
    ) -> Self {
        let plans = || shown.iter().filter_map(|at| of.plans.nth_plan(*at));
        let mut columns: Vec<usize> =
            versions.iter().map(|version| display_width(&version.to_string())).collect();
        for plan in plans() {
            for (column, cell) in columns.iter_mut().zip(plan_cells(plan, versions)) {
                let (name, more) = cell_text(&cell);
                *column = (*column).max(display_width(&name) + display_width(&more));
            }
        }
        let widest = |of: fn(Option<OperatorState<'_>>) -> String| {
            plans()
                .map(|plan| display_width(&of(plan.first_state())))
                .max()
                .unwrap_or(0)
                .min(MAX_NAME_COLUMNS)
        };
        Self {
            installed: widest(installed_version).max(9),
            channels: widest(initial_channel),
            versions: columns,
        }
    }
}

impl Lanes<'_> {
    fn lane_heading(&self) -> Line {
        let channel = if self.widths.channels > 0 {
            pad("channel", self.widths.channels.max(7) + 2, self.ascii)
        } else {
            String::new()
        };
        let mut pieces = vec![
            piece(pad("installed", self.widths.installed + 2, self.ascii), Ink::Dim),
            piece(channel, Ink::Dim),
        ];
        for (at, (version, column)) in self.versions.iter().zip(&self.widths.versions).enumerate() {
            let is_last = at + 1 == self.versions.len();
            let title = version.to_string();
            pieces.push(piece(
                if is_last { title } else { pad(&title, column + LANE_GAP, self.ascii) },
                Ink::Title,
            ));
        }
        pieces
    }

    fn lane_row(&self, plan: VersionPlan<'_>) -> Line {
        let first = plan.first_state();
        let mut pieces =
            vec![text_piece(pad(&installed_version(first), self.widths.installed + 2, self.ascii))];
        if self.widths.channels > 0 {
            pieces.push(piece(
                pad(&initial_channel(first), self.widths.channels.max(7) + 2, self.ascii),
                Ink::Dim,
            ));
        }
        let all = plan_cells(plan, self.versions);
        let (line, stop) = if self.ascii { ("-", "X") } else { ("─", "✕") };
        let mut before: Option<String> = None;
        for (at, (cell, column)) in all.iter().zip(&self.widths.versions).enumerate() {
            let PlanCell::Reached { version, upgrades, changes, blocked } = cell else { break };
            let (name, more) = cell_text(cell);
            let is_moved = *upgrades > 0 || *changes;
            let name_columns = column.saturating_sub(display_width(&more));
            let shown = fit(&name, name_columns, self.ascii);
            let ink = if is_moved || before.as_ref() != Some(version) { Ink::Text } else { Ink::Dim };
            let used = display_width(&shown) + display_width(&more);
            pieces.push(piece(shown, ink));
            pieces.push(piece(more.clone(), if *changes { Ink::Warning } else { Ink::Good }));
            before = Some(version.clone());
            if *blocked {
                let why = plan.blocked().map(|block| block.kind.brief()).unwrap_or_default();
                pieces.push(piece(format!(" {stop} {why}"), Ink::Error));
                break;
            }
            if at + 1 < all.len() {
                let gap = (column + LANE_GAP).saturating_sub(used + 2);
                pieces.push(piece(format!(" {} ", line.repeat(gap)), Ink::Rule));
            }
        }
        pieces
    }
}

fn installed_version(first: Option<OperatorState<'_>>) -> String {
    first.map_or_else(String::new, |state| {
        state.version.map_or_else(|| state.bundle.to_string(), ToString::to_string)
    })
}

fn initial_channel(first: Option<OperatorState<'_>>) -> String {
    first.and_then(|state| state.channel).map(ToString::to_string).unwrap_or_default()
}

/// Returns the installed version of a cell, and how it was reached: `+2` upgrades, `#` channel
/// change.
fn cell_text(cell: &PlanCell) -> (String, String) {
    match cell {
        PlanCell::NotReached => (String::new(), String::new()),
        PlanCell::Reached { version, upgrades, changes, .. } => {
            let mut more = if *upgrades > 0 { format!(" +{upgrades}") } else { String::new() };
            if *changes {
                more.push_str(" #");
            }
            (version.clone(), more)
        }
    }
}

/// Draws the stops of the selected plan and notes about it.
fn draw_stops(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect) {
    let screen = &view.state;
    let Some(planned) = screen.highlighted_plan() else {
        draw_list_heading(view, canvas, area, ListId::Stops, "Plan", &[]);
        return;
    };
    let inner_width = usize::from(area.width).saturating_sub(2).max(20);
    let title = format!(
        "Plan of {}: {}",
        installed_version(planned.plan.first_state()),
        export::describe_plan_outcome(&planned.plan)
    );
    let inner = draw_list_heading(view, canvas, area, ListId::Stops, &title, &[]);
    let mut lines = export::plan_lines(planned, inner_width);
    if let Some((asked, plans)) = view.session.jobs.upgrade_plans.plans() {
        let over = export::PlanRange {
            catalogs: asked.catalogs.iter().map(|(version, source, _)| (*version, source.label())).collect(),
            missing: plans.world.missing_versions(),
        };
        let sentence = over.describe_assumption();
        let folded =
            sentence.map(|sentence| wrap_text(&sentence, inner_width.saturating_sub(4))).unwrap_or_default();
        lines.extend(folded.into_iter().map(|line| vec![piece(format!("  {line}"), Ink::Dim)]));
    }
    if planned.plan.count_channel_changes() > 0 {
        lines.push(vec![piece("  +n: n upgrades, #: a change of channel", Ink::Dim)]);
    } else if planned.plan.count_upgrades() > 0 {
        lines.push(vec![piece("  +n: n upgrades", Ink::Dim)]);
    }
    let is_reading = screen.focused_pane() == Focus::Stops;
    draw_scrolled_text(
        view,
        canvas,
        inner,
        ListId::Stops,
        is_reading,
        view.key_label(ActionId::NextPane),
        &lines,
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_shorten_versions_before_they_omit_the_channels() {
        let lanes = LaneWidths { installed: 10, channels: 8, versions: vec![20, 14, 20] };
        let fixed = 10 + 2 + 2 * LANE_GAP + END_COLUMNS;
        let fit = |room: usize| {
            let fitted = lanes.fit_into(room);
            (fitted.channels, fitted.versions)
        };
        let whole = fixed + 8 + 2 + 54;
        assert_eq!(fit(whole), (8, vec![20, 14, 20]));
        // The widest versions get shorter.
        assert_eq!(fit(whole - 5), (8, vec![18, 14, 17]));
        assert_eq!(fit(fixed + 8 + 2 + 33), (8, vec![11, 11, 11]));
        assert_eq!(fit(fixed + 8 + 2 + 32), (0, vec![14, 14, 14]));
        assert_eq!(fit(0), (0, vec![8, 8, 8]));
    }
}
