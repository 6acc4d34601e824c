//! The Problems screen: findings of the catalog, with their fixes.

pub mod rows;
mod view;

use crate::tui::{
    dialogs::edit_choice,
    keys::{ActionId, spec::Enabled},
    parts::{
        frame::{Frame, Splitter},
        list::{ListId, ListOrder},
        memo::{Memo, SharedRef},
    },
    screens::{
        problems::rows::{ListedFinding, Row},
        screen::{ScreenState, ScreenView},
    },
    session::{
        Session,
        action::{ActionHandler, RowLocation, Target, TargetKind, find_handler},
        context::{Context, ViewContext},
        navigation::Pane,
        stuck_versions,
    },
    widgets::canvas::{Canvas, Rect},
    work::{ScreenEvent, Source},
};
use olm_catalog::{BundleName, ChannelName, PackageName};
use olm_check::{
    Finding, FindingKey, RuleProperty, Severity,
    review::{Snapshot, accepted::AcceptedFindings, fixes},
};
use olm_edit::Edit;

/// State of the Problems screen.
#[derive(Debug, Default)]
pub struct Problems {
    /// Index of the selected row. An index beyond the end selects the last row.
    row: usize,
    /// Whether the text pane is focused.
    pub is_reading: bool,
    /// Current catalog and selected package when the screen was last shown.
    shown_package: Option<(Source, PackageName)>,
    list: Memo<Key, Vec<ListedFinding>>,
    /// Number of accepted findings, which are at the end of the list.
    accepted_count: usize,
    /// Whether accepted findings are unfolded.
    shows_accepted: bool,
}

type Key = (SharedRef<Snapshot>, SharedRef<AcceptedFindings>, String, Option<ListOrder>);

impl Problems {
    /// Returns the findings that pass the filter.
    pub fn listed_findings(&self) -> &[ListedFinding] {
        &self.list.value
    }

    /// Returns true if the details are beside the list: in a wide terminal, unless the list needs less than half
    /// of its height.
    pub(super) fn has_side_pane(&self, frame: &Frame) -> bool {
        frame.has_side_pane() && self.listed_findings().len() > usize::from(frame.size.1) / 2
    }

    /// Returns the number of accepted findings that pass the filter.
    pub fn accepted_count(&self) -> usize {
        self.accepted_count
    }

    /// Returns the number of rows: the open findings, one row for the accepted ones, and these if
    /// they are unfolded.
    fn row_total(&self) -> usize {
        let counting = self.listed_findings().len() - self.accepted_count.min(self.listed_findings().len());
        counting
            + usize::from(self.accepted_count > 0)
            + if self.shows_accepted { self.accepted_count } else { 0 }
    }

    /// Returns a row.
    pub fn row_at(&self, at: usize) -> Option<Row<'_>> {
        let counting = self.listed_findings().len().saturating_sub(self.accepted_count);
        match at.checked_sub(counting) {
            Some(0) if self.accepted_count > 0 => {
                Some(Row::Accepted { count: self.accepted_count, is_open: self.shows_accepted })
            }
            Some(beyond) if beyond > self.accepted_count || !self.shows_accepted => None,
            Some(_) => self.listed_findings().get(at - 1).map(Row::Finding),
            None => self.listed_findings().get(at).map(Row::Finding),
        }
    }

    /// Returns the index of the selected row.
    fn selected_index(&self) -> Option<usize> {
        Some(self.row.min(self.row_total().checked_sub(1)?))
    }

    /// Returns the selected finding.
    fn selected_finding(&self) -> Option<&ListedFinding> {
        match self.row_at(self.selected_index()?)? {
            Row::Finding(problem) => Some(problem),
            Row::Accepted { .. } => None,
        }
    }

    /// Unfolds or folds the accepted findings.
    fn toggle_accepted(&mut self, _cx: &mut Context<'_>) {
        self.shows_accepted = !self.shows_accepted;
        if !self.shows_accepted {
            self.row = self.selected_index().unwrap_or_default();
        }
    }

    /// Selects the first open finding of the selected package, if it is another one than when the screen was last shown.
    fn follow_package(&mut self, cx: &mut Context<'_>) {
        let shown = selected_package(cx.session);
        if self.shown_package == shown {
            return;
        }
        cx.session.derive();
        self.update_derived(&cx.view());
        let is_about = |finding: &Finding| {
            finding.package.is_some() && finding.package == cx.session.selection().package
        };
        let is_selected = self.selected_finding().is_some_and(|problem| is_about(&problem.finding));
        let open = self.listed_findings().len().saturating_sub(self.accepted_count);
        if let Some(at) = self.find_listed(is_about).filter(|at| *at < open && !is_selected) {
            self.select_listed(at, cx);
        }
        self.shown_package = shown;
    }

    /// Selects a finding, if it is listed.
    fn select_finding(&mut self, wanted: &Finding, cx: &mut Context<'_>) {
        cx.session.derive();
        self.update_derived(&cx.view());
        let Some(catalog) = cx.session.snapshot().map(|snapshot| &snapshot.catalog) else { return };
        let key = FindingKey::from_finding(catalog, wanted);
        let is_it = |finding: &Finding| {
            finding.rule == wanted.rule
                && finding.at == wanted.at
                && FindingKey::from_finding(catalog, finding) == key
        };
        if let Some(at) = self.find_listed(is_it) {
            self.select_listed(at, cx);
        }
    }

    /// Returns the index of the first listed finding that satisfies a predicate, itself or a finding that it repeats.
    fn find_listed(&self, is_it: impl Fn(&Finding) -> bool) -> Option<usize> {
        self.listed_findings().iter().position(|problem| {
            let repeated = problem.repeated.iter().map(|repeated| &repeated.finding);
            std::iter::once(&problem.finding).chain(repeated).any(&is_it)
        })
    }

    /// Selects a listed finding by its index. Unfolds the accepted findings if it is one of them.
    fn select_listed(&mut self, at: usize, cx: &mut Context<'_>) {
        let is_accepted = self.listed_findings().get(at).is_some_and(|problem| problem.accepted.is_some());
        self.shows_accepted |= is_accepted;
        self.row = at + usize::from(is_accepted);
        self.is_reading = false;
        cx.session.lists.set_first_row(ListId::Finding, 0);
    }
}

impl ScreenState for Problems {
    fn check_action(&self, id: ActionId, view_cx: &ViewContext<'_>) -> Option<Enabled> {
        find_handler(&[], REPLACEMENTS, id).map(|own| (own.is_enabled)(self, view_cx))
    }

    fn run_action(&mut self, id: ActionId, cx: &mut Context<'_>) {
        if let Some(own) = find_handler(&[], REPLACEMENTS, id) {
            (own.run)(self, cx);
        }
    }

    fn target(&self, view_cx: &ViewContext<'_>) -> Target {
        let Some(ListedFinding { finding, .. }) = self.selected_finding() else { return Target::default() };
        // Called for each frame, so the finding is not cloned as a whole.
        let (channel, bundle) = edited_entry(finding);
        let package = finding.package.clone();
        let whereabouts = finding.at.clone().map(RowLocation::InCatalog);
        Target {
            location: whereabouts,
            ..Target::from_row(&view_cx.session.catalogs, "this finding", package, channel, bundle)
        }
    }

    fn focused_list(&self, _see: &ViewContext<'_>) -> ListId {
        if self.is_reading { ListId::Finding } else { ListId::Problems }
    }

    fn scrolled_lists(&self) -> &'static [ListId] {
        &[ListId::Problems]
    }

    fn row_count(&self, list: ListId, _see: &ViewContext<'_>) -> usize {
        if list == ListId::Problems { self.row_total() } else { 0 }
    }

    fn list_cursor(&self, list: ListId, _see: &ViewContext<'_>) -> Option<usize> {
        if list == ListId::Problems { self.selected_index() } else { None }
    }

    fn select_row(&mut self, list: ListId, row: usize, cx: &mut Context<'_>) {
        if list == ListId::Problems {
            self.row = row;
            cx.session.lists.set_first_row(ListId::Finding, 0);
        }
    }

    fn focus_list(&mut self, list: ListId, _cx: &mut Context<'_>) {
        match list {
            ListId::Finding => self.is_reading = true,
            ListId::Problems => self.is_reading = false,
            _ => {}
        }
    }

    fn focus_next_pane(&mut self, _by: isize, _cx: &mut Context<'_>) {
        self.is_reading = !self.is_reading && self.selected_finding().is_some();
    }

    fn go_back(&mut self, _cx: &mut Context<'_>) -> bool {
        std::mem::take(&mut self.is_reading)
    }

    /// Goes to the subject of the selected finding.
    fn open_highlighted(&mut self, cx: &mut Context<'_>) {
        if let Some(Row::Accepted { .. }) = self.selected_index().and_then(|at| self.row_at(at)) {
            return self.toggle_accepted(cx);
        }
        let Some(finding) = self.selected_finding().map(|problem| problem.finding.clone()) else { return };
        let (channel, bundle) = edited_entry(&finding);
        let Some(package) = finding.package else {
            let edit = cx.key_label(ActionId::OpenEditor);
            cx.notices.report_refusal(format!(
                "no package of this finding could be read: {edit} opens its line in the editor"
            ));
            return;
        };
        let pane = match (&channel, &bundle) {
            (_, Some(_)) => Pane::Entries,
            (Some(_), None) => Pane::Channels,
            (None, None) => Pane::Packages,
        };
        cx.session.jump_to_catalog_screen(package, channel, bundle, pane);
    }

    fn describe_enter(&self, _see: &ViewContext<'_>) -> Option<&'static str> {
        match self.row_at(self.selected_index()?)? {
            Row::Finding(problem) => problem.finding.package.as_ref().map(|_| "go there"),
            Row::Accepted { is_open: true, .. } => Some("fold them"),
            Row::Accepted { is_open: false, .. } => Some("show them"),
        }
    }

    fn tab_count(&self, view_cx: &ViewContext<'_>) -> usize {
        // As in the status line, notes are not counted.
        [Severity::Error, Severity::Warning]
            .map(|severity| view_cx.session.open_finding_count(severity))
            .iter()
            .sum()
    }

    fn splitter(&self, view_cx: &ViewContext<'_>) -> Option<(Splitter, bool)> {
        let has_side_pane = self.has_side_pane(view_cx.frame);
        let line = if has_side_pane { Splitter::ProblemsSide } else { Splitter::Problems };
        Some((line, !self.is_reading))
    }

    fn handle_event(&mut self, answer: ScreenEvent, cx: &mut Context<'_>) {
        match answer {
            ScreenEvent::Finding(wanted) => {
                self.shown_package = selected_package(cx.session);
                self.select_finding(&wanted, cx);
            }
            ScreenEvent::Shown => self.follow_package(cx),
            _ => {}
        }
    }

    fn update_derived(&mut self, view_cx: &ViewContext<'_>) {
        let snapshot = view_cx.session.snapshot();
        let filter = view_cx.session.lists.filter(ListId::Problems).to_owned();
        let file = view_cx.session.catalogs.accepted();
        let key = (
            SharedRef::from_shared(snapshot),
            SharedRef::from_shared(file),
            filter,
            view_cx.session.lists.order_of(ListId::Problems),
        );
        self.list.update(key, |(_, _, filter, order)| rows::filter_findings(view_cx.session, filter, *order));
        self.accepted_count =
            self.listed_findings().iter().rev().take_while(|problem| problem.accepted.is_some()).count();
        // The finding that was focused may be fixed.
        self.is_reading &= self.selected_finding().is_some();
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw_problems_screen(&ScreenView::new(self, view_cx), canvas, area);
    }
}

/// Replacements of shared actions.
pub(super) static REPLACEMENTS: &[ActionHandler<Problems>] = &[
    ActionHandler { id: ActionId::ApplyFix, is_enabled: check_fix, run: show_fix },
    ActionHandler { id: ActionId::Fold, is_enabled: check_accepted, run: Problems::toggle_accepted },
];

fn check_accepted(problems: &Problems, view_cx: &ViewContext<'_>) -> Enabled {
    match (problems.accepted_count(), view_cx.session.catalogs.accepted()) {
        (1.., _) => Ok(()),
        (_, Some(file)) => Err(format!("{} accepts none of these findings", file.path.display())),
        (_, None) => {
            Err("no accepted findings: accept them with olmap validate --write-baseline FILE".to_owned())
        }
    }
}

/// Returns the source of the current catalog, and the selected package.
fn selected_package(session: &Session) -> Option<(Source, PackageName)> {
    Some((session.current_catalog()?.source.clone(), session.selection().package.clone()?))
}

/// Returns the channel and the entry whose edit changes a finding.
fn edited_entry(finding: &Finding) -> (Option<ChannelName>, Option<BundleName>) {
    match finding.edited_entry.as_deref() {
        Some((channel, entry)) => (Some(channel.clone()), Some(entry.clone())),
        None => (finding.channel.clone(), finding.bundle.clone()),
    }
}

/// Returns the fix of the selected finding.
fn selected_fix(problems: &Problems) -> Option<&Edit> {
    problems.selected_finding()?.finding.fix.as_ref()
}

/// Returns the target with the stuck versions of the selected finding, if its rule is about them.
fn stuck_target(problems: &Problems, view_cx: &ViewContext<'_>) -> Option<Target> {
    let row = problems.selected_finding()?;
    if !row.finding.rule.has(RuleProperty::FixedBySearch) {
        return None;
    }
    let target = problems.target(view_cx);
    // A finding about several channels applies to the package, and so does a row of several findings.
    if row.repeated.is_empty() && stuck_versions::can_free_versions(&target, view_cx).is_ok() {
        return Some(target);
    }
    Some(Target { kind: TargetKind::Package, ..target })
}

/// Returns an error if the selected finding cannot be fixed. Also used by the detail pane.
fn check_fix(problems: &Problems, view_cx: &ViewContext<'_>) -> Enabled {
    if selected_fix(problems).is_none()
        && let Some(target) = stuck_target(problems, view_cx)
    {
        return stuck_versions::can_free_versions(&target, view_cx);
    }
    let Some(row) = problems.selected_finding() else { return Err("no finding is selected".to_owned()) };
    if selected_fix(problems).is_some() || fixes::may_have_alternatives(&row.finding) {
        return Ok(());
    }
    Err(explain_missing_fix(&row.finding))
}

fn explain_missing_fix(finding: &Finding) -> String {
    format!("olmap does not make this edit; {}", finding.advice())
}

/// Shows the preview of the fix, unless it would add another finding, or of each alternative fix.
fn show_fix(problems: &mut Problems, cx: &mut Context<'_>) {
    let Some(row) = problems.selected_finding() else { return };
    let Some(edit) = row.finding.fix.clone() else {
        if let Some(target) = stuck_target(problems, &cx.view()) {
            return edit_choice::free_versions(&target, cx);
        }
        let snapshot = cx.session.snapshot();
        let fixes =
            snapshot.map(|now| fixes::alternative_fixes(&now.catalog, &row.finding)).unwrap_or_default();
        if fixes.is_empty() {
            return cx.notices.report_refusal(explain_missing_fix(&row.finding));
        }
        return edit_choice::offer_alternatives(cx, format!("Fix {}", row.finding.rule.id), fixes);
    };
    edit_choice::offer_edit(cx, &format!("Fix {}", row.finding.rule.id), edit);
}
