//! Plan screen: packages, one lane per installed version with the OpenShift versions as columns,
//! and the stops of one plan.

use ratatui::layout::Rect;

use crate::ui::{
    canvas::{Canvas, Pieces, pad, piece, text, width, wrap},
    parts::{
        lists::{list_heading, list_view, nothing},
        on_cluster,
        reading::reading,
    },
    theme::Role,
};
use crate::{
    app::{
        Model,
        keys::ActionId,
        parts::{list::ListId, splits::Splitter},
        screens::plan::{
            Focus,
            rows::{Cell, cells},
        },
    },
    export::plan as export,
    plan::planner::{Approval, PackagePlans, Plan, Question, Updates},
};

/// Minimum width for showing packages and lanes side by side.
const WIDE: u16 = 92;
/// Columns of the packages in that case.
const PACKAGES: u16 = 36;
/// Minimum height for showing both panes.
const LOW: u16 = 11;

/// Draws the screen.
pub fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let screen = &model.screens.plan;
    if screen.packages().is_empty() && model.session.lists.filter(ListId::Planned).is_empty() {
        let inner = list_heading(model, canvas, area, ListId::Planned, "Plan", &[]);
        return nothing(model, canvas, inner, ListId::Planned, &instead(model));
    }
    let focus = screen.focused();
    let (upper, lower) = if area.height < LOW {
        if focus == Focus::Stops { (None, Some(area)) } else { (Some(area), None) }
    } else {
        let above = model.frame.splits.before(Splitter::Plan, area.height / 2, area.height);
        let (upper, lower) = canvas.split(area, Splitter::Plan, above);
        (Some(upper), Some(lower))
    };
    if let Some(upper) = upper {
        if upper.width >= WIDE {
            let left = Rect { width: PACKAGES, ..upper };
            let right = Rect { x: upper.x + PACKAGES + 1, width: upper.width - PACKAGES - 1, ..upper };
            packages(model, canvas, left);
            canvas.divider(upper.x + PACKAGES, upper.top(), upper.bottom());
            lanes(model, canvas, right);
        } else if focus == Focus::Packages {
            packages(model, canvas, upper);
        } else {
            lanes(model, canvas, upper);
        }
    }
    if let Some(lower) = lower {
        stops(model, canvas, lower);
    }
    if model.session.planning.is_waiting() {
        canvas.tint(area, Role::Stale);
    }
}

/// Returns the message shown if there are no plans.
fn instead(model: &Model) -> String {
    let (asked, versions) = (model.session.planning.is_waiting(), model.session.versions_open());
    if asked || (versions > 1 && model.session.planning.plans().is_none()) {
        return "planning".to_owned();
    }
    if versions < 2 {
        let key = model.key(ActionId::OpenCatalog);
        return format!(
            "A plan needs the catalogs of two OpenShift versions or more; {versions} is open. {key} opens one more. \
             The version is the v4.NN in a catalog's path or image."
        );
    }
    "The catalog of the lowest version has no packages.".to_owned()
}

/// Describes the planning options: `4.18 to 4.22, Classic, Manual approval, as late as possible`.
fn question(model: &Model, question: Question) -> String {
    let versions = model.session.planning.plans().map(|(_, plans)| plans.world.versions());
    let ends = match versions {
        Some([from, .., to]) => format!("{from} to {to}, "),
        _ => String::new(),
    };
    let when = match (question.approval, question.updates) {
        (Approval::Automatic, _) => "",
        (Approval::Manual, Updates::Latest) => ", as late as possible",
        (Approval::Manual, Updates::Earliest) => ", as early as possible",
    };
    format!("{ends}{}{when}", export::who(question.engine, question.approval))
}

fn packages(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let rows = model.screens.plan.packages();
    let right = [piece("stranded ", Role::Dim)];
    let title = format!("Packages {}", rows.len());
    let inner = list_heading(model, canvas, area, ListId::Planned, &title, &right);
    let counts: Vec<String> = rows.iter().map(|row| format!("{} of {}", row.stranded, row.all)).collect();
    let widest = counts.iter().map(|count| width(count)).max().unwrap_or(0);
    let marks = usize::from(on_cluster::mark_width(model));
    let room = usize::from(inner.width).saturating_sub(widest + 4 + marks);
    let ascii = canvas.ascii;
    canvas.list(inner, &list_view(model, ListId::Planned), |at| {
        let (Some(row), Some(count)) = (rows.get(at), counts.get(at)) else { return Vec::new() };
        let role = if row.stranded > 0 { Role::Error } else { Role::Dim };
        let mut pieces: Pieces = on_cluster::mark(model, &row.package).into_iter().collect();
        pieces.push(piece(pad(row.package.as_str(), room, ascii), Role::Text));
        pieces.push(piece(format!(" {count:>widest$}"), role));
        pieces
    });
}

fn lanes(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let screen = &model.screens.plan;
    let planning = &model.session.planning;
    let package = screen.package().map(ToString::to_string).unwrap_or_default();
    let title = format!("{package}  {}", question(model, planning.question));
    let inner = list_heading(model, canvas, area, ListId::Lanes, &title, &[]);
    let known = planning.plans().zip(screen.package());
    let Some((plans, of)) = known.and_then(|((_, plans), name)| Some((plans, plans.package(name)?))) else {
        return nothing(model, canvas, inner, ListId::Lanes, "not planned");
    };
    if screen.lanes().is_empty() {
        let words = format!(
            "The catalog of {} has no such package: nothing to begin with.",
            first(plans.world.versions())
        );
        return nothing(model, canvas, inner, ListId::Lanes, &words);
    }
    let lanes = Lanes::new(plans.world.versions(), of, screen.lanes(), canvas.ascii);
    let head = Rect { height: 1, ..inner };
    canvas.line(Rect { x: head.x + 1, width: head.width.saturating_sub(1), ..head }, &lanes.heading());
    let below = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
    canvas.list(below, &list_view(model, ListId::Lanes), |at| {
        let Some(plan) = screen.lanes().get(at).and_then(|at| of.plans.get(*at)) else { return Vec::new() };
        let mut pieces = lanes.row(plan);
        let first = plan.stops.first();
        let here = first.and_then(|stop| model.session.is_installed_of(&plan.package, &stop.bundle));
        pieces.extend(here.map(|words| piece(format!("  {words}"), Role::Good)));
        pieces
    });
}

fn first(versions: &[crate::upgrade::openshift::OpenShift]) -> String {
    versions.first().map(ToString::to_string).unwrap_or_default()
}

/// State for drawing lanes.
struct Lanes<'a> {
    versions: &'a [crate::upgrade::openshift::OpenShift],
    installed: usize,
    channels: usize,
    columns: Vec<usize>,
    ascii: bool,
}

/// Maximum columns of a name.
const NAME: usize = 24;

impl<'a> Lanes<'a> {
    fn new(
        versions: &'a [crate::upgrade::openshift::OpenShift],
        of: &PackagePlans,
        shown: &[usize],
        ascii: bool,
    ) -> Self {
        let plans = || shown.iter().filter_map(|at| of.plans.get(*at));
        let mut columns: Vec<usize> = versions.iter().map(|version| width(&version.to_string())).collect();
        for plan in plans() {
            for (column, cell) in columns.iter_mut().zip(cells(plan, versions)) {
                let (name, more) = cell_words(&cell);
                *column = (*column).max(width(&name) + width(&more));
            }
        }
        let widest =
            |of: fn(&Plan) -> String| plans().map(|plan| width(&of(plan))).max().unwrap_or(0).min(NAME);
        Self { versions, installed: widest(installed).max(9), channels: widest(channel), columns, ascii }
    }

    fn heading(&self) -> Pieces {
        let channel = if self.channels > 0 {
            pad("channel", self.channels.max(7) + 2, self.ascii)
        } else {
            String::new()
        };
        let mut pieces = vec![
            piece(pad("installed", self.installed + 2, self.ascii), Role::Dim),
            piece(channel, Role::Dim),
        ];
        for (at, (version, column)) in self.versions.iter().zip(&self.columns).enumerate() {
            let is_last = at + 1 == self.versions.len();
            let title = version.to_string();
            pieces
                .push(piece(if is_last { title } else { pad(&title, column + 4, self.ascii) }, Role::Title));
        }
        pieces
    }

    fn row(&self, plan: &Plan) -> Pieces {
        let mut pieces = vec![text(pad(&installed(plan), self.installed + 2, self.ascii))];
        if self.channels > 0 {
            pieces.push(piece(pad(&channel(plan), self.channels.max(7) + 2, self.ascii), Role::Dim));
        }
        let all = cells(plan, self.versions);
        let (line, stop) = if self.ascii { ("-", "X") } else { ("─", "✕") };
        let mut before: Option<String> = None;
        for (at, (cell, column)) in all.iter().zip(&self.columns).enumerate() {
            let Cell::At { version, upgrades, changes, blocked } = cell else { break };
            let (name, more) = cell_words(cell);
            let is_moved = *upgrades > 0 || *changes;
            let role = if is_moved || before.as_ref() != Some(version) { Role::Text } else { Role::Dim };
            pieces.push(piece(name.clone(), role));
            pieces.push(piece(more.clone(), if *changes { Role::Warning } else { Role::Good }));
            before = Some(version.clone());
            if *blocked {
                let why = plan.blocked.as_ref().map(|block| block.kind.brief()).unwrap_or_default();
                pieces.push(piece(format!(" {stop} {why}"), Role::Error));
                break;
            }
            if at + 1 < all.len() {
                let used = width(&name) + width(&more);
                let gap = (column + 4).saturating_sub(used + 2);
                pieces.push(piece(format!(" {} ", line.repeat(gap)), Role::Rule));
            }
        }
        pieces
    }
}

fn installed(plan: &Plan) -> String {
    let first = plan.stops.first();
    first.map_or_else(String::new, |stop| {
        stop.version.as_ref().map_or_else(|| stop.bundle.to_string(), ToString::to_string)
    })
}

fn channel(plan: &Plan) -> String {
    let first = plan.stops.first().and_then(|stop| stop.channel.as_ref());
    first.map(ToString::to_string).unwrap_or_default()
}

/// Returns the installed version of a cell, and how it was reached: `+2` upgrades, `#` channel
/// change.
fn cell_words(cell: &Cell) -> (String, String) {
    match cell {
        Cell::Beyond => (String::new(), String::new()),
        Cell::At { version, upgrades, changes, .. } => {
            let mut more = if *upgrades > 0 { format!(" +{upgrades}") } else { String::new() };
            if *changes {
                more.push_str(" #");
            }
            (version.clone(), more)
        }
    }
}

/// Draws the stops of the selected plan and notes about it.
fn stops(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let screen = &model.screens.plan;
    let Some(planned) = screen.planned() else {
        list_heading(model, canvas, area, ListId::Stops, "Stops", &[]);
        return;
    };
    let inner_width = usize::from(area.width).saturating_sub(2).max(20);
    let title = format!("Stops of {}: {}", installed(&planned.plan), export::outcome(&planned.plan));
    let inner = list_heading(model, canvas, area, ListId::Stops, &title, &[]);
    let mut lines: Vec<Pieces> = Vec::new();
    for line in export::lines(planned, inner_width) {
        lines.push(line.into_iter().map(|(ink, words)| piece(words, Role::from(ink))).collect());
    }
    if let Some((asked, plans)) = model.session.planning.plans() {
        let over = export::Over {
            catalogs: asked.catalogs.iter().map(|(version, source, _)| (*version, source.label())).collect(),
            missing: plans.world.missing(),
        };
        let sentence = over.assumption();
        let folded =
            sentence.map(|sentence| wrap(&sentence, inner_width.saturating_sub(4))).unwrap_or_default();
        lines.extend(folded.into_iter().map(|line| vec![piece(format!("  {line}"), Role::Dim)]));
    }
    if planned.plan.channel_changes() > 0 {
        lines.push(vec![piece("  +n: so many upgrades, #: a change of channel", Role::Dim)]);
    } else if planned.plan.upgrades() > 0 {
        lines.push(vec![piece("  +n: so many upgrades", Role::Dim)]);
    }
    let is_reading = screen.focused() == Focus::Stops;
    reading(model, canvas, inner, ListId::Stops, is_reading, model.key(ActionId::NextPane), &lines);
}
