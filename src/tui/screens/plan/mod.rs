//! The Plan screen: upgrade plans of all packages from the lowest open OpenShift version to the
//! highest, and blocked versions.

pub mod rows;
mod view;

use crate::tui::{
    dialogs::edit_choice,
    keys::{
        ActionId, Screen,
        spec::{
            ActionContext::{self, On},
            Enabled,
        },
    },
    parts::{
        frame::Splitter,
        list::ListId,
        memo::{Memo, SharedRef},
    },
    screens::{
        plan::rows::PackageRow,
        screen::{ScreenState, ScreenView},
    },
    session::{
        Session,
        action::{Action, ActionHandler, Target, action, find_handler},
        context::{Context, ViewContext},
        jobs::upgrade_plans::Plans,
        stuck_versions,
    },
    widgets::canvas::{Canvas, Rect},
    work::Jump,
};
use olm_catalog::PackageName;
use olm_check::review::stuck::path_fix_edit;
use olm_plan::planner::{Approval, OperatorPlan, UpdateTiming};
use olm_upgrade::{Engine, openshift::OpenShift};

/// Focused pane.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Focus {
    /// The packages.
    #[default]
    Packages,
    /// The installed versions of the package.
    Lanes,
    /// The stops of the plan.
    Stops,
}

/// Plan of a package, by its index.
type PlanKey = (SharedRef<Plans>, Option<PackageName>, Option<usize>);

/// Lanes of a package, by their indexes.
type LanesKey = (SharedRef<Plans>, Option<PackageName>, Vec<usize>);

/// State of the Plan screen.
#[derive(Debug, Default)]
pub struct Plan {
    focus: Focus,
    /// The package of the highlighted row.
    package: Option<PackageName>,
    /// Last seen selected package of the session.
    seen_package: Option<PackageName>,
    /// Index of the highlighted installed version.
    version_index: usize,
    packages: Memo<(SharedRef<Plans>, String), Vec<PackageRow>>,
    lanes: Memo<(SharedRef<Plans>, Option<PackageName>, String), Vec<usize>>,
    planned: Memo<PlanKey, Option<OperatorPlan>>,
    widths: Memo<LanesKey, view::LaneWidths>,
}

/// Returns the open catalog of an OpenShift version.
pub(in crate::tui) fn catalog_of(session: &Session, version: OpenShift) -> Option<usize> {
    let (asked, _) = session.jobs.upgrade_plans.plans()?;
    let (_, source, _) = asked.catalogs.iter().find(|(own, ..)| *own == version)?;
    session.catalogs.position(source)
}

impl Plan {
    /// Returns the packages.
    pub fn package_rows(&self) -> &[PackageRow] {
        &self.packages.value
    }

    /// Returns the indexes of the highlighted package's plans, in order.
    pub fn visible_plans(&self) -> &[usize] {
        &self.lanes.value
    }

    /// Returns the columns of [`Plan::visible_plans`].
    pub fn lane_widths(&self) -> &view::LaneWidths {
        &self.widths.value
    }

    /// Returns the highlighted package.
    pub fn highlighted_package(&self) -> Option<&PackageName> {
        self.package.as_ref()
    }

    /// Returns the highlighted plan with its details.
    pub fn highlighted_plan(&self) -> Option<&OperatorPlan> {
        self.planned.value.as_ref()
    }

    /// Returns the focused pane.
    pub fn focused_pane(&self) -> Focus {
        self.focus
    }

    fn highlighted_package_index(&self) -> Option<usize> {
        let package = self.package.as_ref()?;
        self.package_rows().iter().position(|row| row.package == *package)
    }

    fn highlighted_version_index(&self) -> Option<usize> {
        Some(self.version_index.min(self.visible_plans().len().checked_sub(1)?))
    }

    /// Returns the end of the highlighted plan as a place on the Packages screen of that version.
    fn plan_end(&self, session: &Session) -> Option<Jump> {
        let planned = self.highlighted_plan()?;
        let stop = planned.plan.stops.last()?;
        // The edit belongs to the catalog that blocks the plan, even if it does not have the
        // bundle.
        let bundle = match &planned.fix {
            Some(opens) => opens.fix.entry.clone(),
            None => stop.bundle.clone(),
        };
        let channel = planned.fix.as_ref().map(|opens| opens.fix.channel.clone());
        Some(Jump::Catalog {
            catalog: catalog_of(session, stop.openshift),
            package: planned.plan.package.clone(),
            channel: channel.or_else(|| stop.channel.clone()),
            bundle: Some(bundle),
        })
    }
}

impl ScreenState for Plan {
    fn check_action(&self, id: ActionId, view_cx: &ViewContext<'_>) -> Option<Enabled> {
        find_handler(TABLE, REPLACEMENTS, id).map(|own| (own.is_enabled)(self, view_cx))
    }

    fn run_action(&mut self, id: ActionId, cx: &mut Context<'_>) {
        if let Some(own) = find_handler(TABLE, REPLACEMENTS, id) {
            (own.run)(self, cx);
        }
    }

    fn target(&self, view_cx: &ViewContext<'_>) -> Target {
        let Some(package) = &self.package else { return Target::for_page() };
        let first = || self.highlighted_plan()?.plan.stops.first();
        let (channel, bundle) = match self.focus {
            Focus::Packages => (None, None),
            Focus::Lanes | Focus::Stops => {
                (first().and_then(|stop| stop.channel.clone()), first().map(|stop| stop.bundle.clone()))
            }
        };
        let is_known = view_cx.session.snapshot().is_some_and(|now| now.package(package.as_str()).is_some());
        if !is_known {
            return Target::for_page();
        }
        Target::from_row(&view_cx.session.catalogs, "this row", Some(package.clone()), channel, bundle)
    }

    fn focused_list(&self, _see: &ViewContext<'_>) -> ListId {
        match self.focus {
            Focus::Packages => ListId::Planned,
            Focus::Lanes => ListId::Lanes,
            Focus::Stops => ListId::Stops,
        }
    }

    fn scrolled_lists(&self) -> &'static [ListId] {
        &[ListId::Planned, ListId::Lanes]
    }

    fn row_count(&self, list: ListId, _see: &ViewContext<'_>) -> usize {
        match list {
            ListId::Planned => self.package_rows().len(),
            ListId::Lanes => self.visible_plans().len(),
            _ => 0,
        }
    }

    fn list_cursor(&self, list: ListId, _see: &ViewContext<'_>) -> Option<usize> {
        match list {
            ListId::Planned => self.highlighted_package_index(),
            ListId::Lanes => self.highlighted_version_index(),
            _ => None,
        }
    }

    fn select_row(&mut self, list: ListId, row: usize, _cx: &mut Context<'_>) {
        match list {
            ListId::Planned => {
                self.package = self.package_rows().get(row).map(|row| row.package.clone());
                self.version_index = 0;
            }
            ListId::Lanes => self.version_index = row,
            _ => {}
        }
    }

    fn focus_list(&mut self, list: ListId, _cx: &mut Context<'_>) {
        self.focus = match list {
            ListId::Lanes => Focus::Lanes,
            ListId::Stops => Focus::Stops,
            _ => Focus::Packages,
        };
    }

    fn focus_next_pane(&mut self, by: isize, _cx: &mut Context<'_>) {
        self.focus = match (self.focus, by > 0) {
            (Focus::Packages, true) | (Focus::Stops, false) => Focus::Lanes,
            (Focus::Lanes, true) | (Focus::Packages, false) => Focus::Stops,
            (Focus::Stops, true) | (Focus::Lanes, false) => Focus::Packages,
        };
    }

    /// Goes from a package to its versions, and from a version to the end of its plan.
    fn open_highlighted(&mut self, cx: &mut Context<'_>) {
        match self.focus {
            Focus::Packages if !self.visible_plans().is_empty() => self.focus = Focus::Lanes,
            Focus::Packages => {}
            Focus::Lanes | Focus::Stops => {
                self.plan_end(cx.session).into_iter().for_each(|jump| cx.go_to(jump));
            }
        }
    }

    fn describe_enter(&self, _see: &ViewContext<'_>) -> Option<&'static str> {
        match self.focus {
            Focus::Packages => self.package.as_ref().map(|_| "versions"),
            Focus::Lanes | Focus::Stops => self.highlighted_plan().map(|_| "go to the end"),
        }
    }

    fn go_out(&mut self, _cx: &mut Context<'_>) {
        self.focus = match self.focus {
            Focus::Stops => Focus::Lanes,
            Focus::Lanes | Focus::Packages => Focus::Packages,
        };
    }

    fn go_back(&mut self, cx: &mut Context<'_>) -> bool {
        if self.focus != Focus::Packages {
            self.go_out(cx);
            return true;
        }
        cx.go_back()
    }

    fn splitter(&self, _see: &ViewContext<'_>) -> Option<(Splitter, bool)> {
        Some((Splitter::Plan, self.focus != Focus::Stops))
    }

    fn update_derived(&mut self, view_cx: &ViewContext<'_>) {
        let selected = &view_cx.session.selection().package;
        if *selected != self.seen_package {
            self.seen_package.clone_from(selected);
            if selected.is_some() {
                self.package.clone_from(selected);
                self.version_index = 0;
            }
        }
        let lists = &view_cx.session.lists;
        let plans = view_cx.session.jobs.upgrade_plans.plans();
        let shared = || SharedRef::from_shared(plans.map(|(_, plans)| plans));
        self.packages.update((shared(), lists.filter(ListId::Planned).to_owned()), |(plans, filter)| {
            plans.get().map(|plans| rows::filter_package_rows(plans, filter)).unwrap_or_default()
        });
        // The selected package may not have plans yet.
        if self.highlighted_package_index().is_none() && !self.package_rows().is_empty() {
            self.package = self.package_rows().first().map(|row| row.package.clone());
        }
        let key = (shared(), self.package.clone(), lists.filter(ListId::Lanes).to_owned());
        self.lanes.update(key, |(plans, package, filter)| {
            let plans = plans.get().zip(package.as_ref());
            let plans = plans.and_then(|(plans, package)| plans.package_plans(package));
            plans.map(|plans| rows::filter_plans(plans, filter)).unwrap_or_default()
        });
        let nth = self.highlighted_version_index().and_then(|lane| self.lanes.value.get(lane).copied());
        let key = (shared(), self.package.clone(), nth);
        self.planned.update(key, |(_, package, nth)| {
            let (asked, plans) = plans?;
            plans.plan_with_remarks(asked, plans.package_plans(package.as_ref()?)?, (*nth)?)
        });
        let lanes = (shared(), self.package.clone(), self.lanes.value.clone());
        self.widths.update(lanes, |(plans, package, lanes)| {
            let of = plans.get().zip(package.as_ref());
            let of = of.and_then(|(plans, package)| Some((plans, plans.package_plans(package)?)));
            of.map(|(plans, of)| view::LaneWidths::measure_lanes(plans.world.versions(), of, lanes))
                .unwrap_or_default()
        });
        if self.package_rows().is_empty() {
            self.focus = Focus::Packages;
        }
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw_plan_screen(&ScreenView::new(self, view_cx), canvas, area);
    }
}

/// Replacements of shared actions.
pub(super) static REPLACEMENTS: &[ActionHandler<Plan>] =
    &[ActionHandler { id: ActionId::ApplyFix, is_enabled: check_fix, run: show_fix }];

const HERE: ActionContext = On(&[Screen::Plan]);

/// The actions.
pub static TABLE: &[Action<Plan>] = &[
    action(ActionId::PlanEngine, HERE, &["v"], "Classic or v1", "Plan for the other OLM", |_, cx| {
        let question = &mut cx.session.jobs.upgrade_plans.question;
        question.engine = if question.engine == Engine::Classic { Engine::V1 } else { Engine::Classic };
    })
    .with_hint(),
    action(
        ActionId::PlanApproval,
        HERE,
        &["n"],
        "approval",
        "Plan for upgrades that a person approves or pins one by one, or for those that OLM makes at once",
        |_, cx| {
            let approval = &mut cx.session.jobs.upgrade_plans.question.approval;
            *approval = match *approval {
                Approval::Manual => Approval::Automatic,
                Approval::Automatic => Approval::Manual,
            };
        },
    )
    .with_hint(),
    action(
        ActionId::PlanUpdates,
        HERE,
        &["w"],
        "timing",
        "Plan upgrades as late as possible, or as early as possible",
        |_, cx| {
            let updates = &mut cx.session.jobs.upgrade_plans.question.updates;
            *updates = match *updates {
                UpdateTiming::Latest => UpdateTiming::Earliest,
                UpdateTiming::Earliest => UpdateTiming::Latest,
            };
        },
    )
    .with_hint(),
];

/// Returns an error if no edit adds the upgrade path of the plan or may free the stuck versions of
/// the row.
fn check_fix(screen: &Plan, view_cx: &ViewContext<'_>) -> Enabled {
    let opens = screen.highlighted_plan().and_then(|planned| planned.fix.as_ref());
    let Some(opens) = opens else {
        return stuck_versions::can_free_versions(&screen.target(view_cx), view_cx);
    };
    let place = catalog_of(view_cx.session, opens.openshift);
    if place == Some(view_cx.session.catalogs.current_index()) {
        Ok(())
    } else {
        let key = view_cx.key_label(ActionId::In);
        Err(format!("the edit is one of the catalog of {}: {key} goes there", opens.openshift))
    }
}

fn show_fix(screen: &mut Plan, cx: &mut Context<'_>) {
    let opens = screen.highlighted_plan().and_then(|planned| planned.fix.clone());
    match opens {
        Some(opens) => edit_choice::offer_edit(cx, "Add upgrade path", path_fix_edit(&opens.fix)),
        None => edit_choice::free_versions(&screen.target(&cx.view()), cx),
    }
}
