//! Header, tabs and hint bar of every screen, and the views before a catalog is open.

use ratatui::layout::Rect;

use crate::tui::{
    dialogs::{filter, legend, palette},
    keys::{ActionId, Screen, spec::ActionSpec},
    parts::frame::{Breadcrumb, Hit},
    session::{
        action::Target,
        jobs::git_history::PastCommit,
        navigation::Selection,
        wait_state::{BlockingWork, FailedCatalog, Stage},
    },
    shell::{
        action_table::{self as action, check_permitted},
        model::Model,
    },
    widgets::{
        canvas::{Canvas, Line, Piece, display_width, fit, line_width, piece, text_piece, wrap_text},
        lists::notice_mark,
        text::format_count,
        theme::Ink,
    },
    work::{ProgramChoice, Source, outcome::LoadProgress},
};
use olm_check::{Severity, review::history::HistoryStep};
use olmap_report::escape;

/// Draws the path of the selection and the status.
pub fn draw_header(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    if let Some(step) = model.session.catalogs.past_commit().and_then(PastCommit::step) {
        return draw_past_header(model, step, canvas, area);
    }
    let arrange = |path, status| HeaderLayout::arrange(model, canvas, path, status, area.width);
    let layouts = [
        (PathLength::Whole, StatusLength::Whole),
        (PathLength::ShortCatalog, StatusLength::Whole),
        (PathLength::NamesOnly, StatusLength::Whole),
        (PathLength::NamesOnly, StatusLength::NonZero),
        (PathLength::NoCatalog, StatusLength::NonZero),
    ];
    let fitting = layouts.into_iter().map(|(path, status)| arrange(path, status)).find(HeaderLayout::fits);
    let HeaderLayout { path, status, room } =
        fitting.unwrap_or_else(|| arrange(PathLength::NoCatalog, StatusLength::Short));
    let end = area.x.saturating_add(u16::try_from(room).unwrap_or(area.width));
    let mut x = area.x;
    for (piece, crumb) in &path {
        let used = canvas.draw_text(x, area.y, end.saturating_sub(x), &piece.text, piece.ink);
        if let Some(crumb) = crumb {
            canvas.add_hit(Rect { x, width: used, ..area }, Hit::Crumb(*crumb));
        }
        x += used;
    }
    canvas.draw_line_right(area, &status);
}

/// Header in one of its lengths.
struct HeaderLayout {
    path: Vec<(Piece, Option<Breadcrumb>)>,
    status: Line,
    /// Columns for the path.
    room: usize,
}

impl HeaderLayout {
    fn arrange(
        model: &Model,
        canvas: &Canvas<'_>,
        path: PathLength,
        status: StatusLength,
        width: u16,
    ) -> Self {
        let status = status_pieces(model, canvas, status);
        let room = usize::from(width).saturating_sub(line_width(&status) + 1);
        Self { path: breadcrumb_pieces(model, canvas, path), status, room }
    }

    fn fits(&self) -> bool {
        self.path.iter().map(|(piece, _)| display_width(&piece.text)).sum::<usize>() <= self.room
    }
}

/// Draws the header for a past commit: the commit and the key that returns to the present.
fn draw_past_header(model: &Model, step: &HistoryStep, canvas: &mut Canvas<'_>, area: Rect) {
    let by = &step.committed;
    let mut right = Vec::new();
    let steps = action::action_table().find_action(ActionId::PreviousNews);
    if area.width >= 70 && steps.is_some_and(|spec| spec.applies_to(model.session.navigation.screen)) {
        let (older, newer) = (model.key_label(ActionId::PreviousNews), model.key_label(ActionId::NextNews));
        right.extend([piece(format!("{older} {newer}"), Ink::Key), piece(" older newer  ", Ink::Dim)]);
    }
    right.extend([piece(model.key_label(ActionId::Back), Ink::Key), piece(" now ", Ink::Dim)]);
    let room = usize::from(area.width).saturating_sub(line_width(&right) + 1);
    let package = model.session.selection().package.as_ref().map(ToString::to_string).unwrap_or_default();
    let commit = format!(" {package} as of {}", by.short);
    let more = format!(", {}, {}: {}", by.date, by.author, by.subject);
    let more = fit(&more, room.saturating_sub(display_width(&commit)), canvas.ascii);
    canvas.draw_line(area, &[piece(fit(&commit, room, canvas.ascii), Ink::Active), text_piece(more)]);
    canvas.draw_line_right(area, &right);
}

/// Length of the path in the header.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PathLength {
    Whole,
    /// With the last part of the catalog's path.
    ShortCatalog,
    /// As `ShortCatalog`, without the program and the key that chooses a catalog.
    NamesOnly,
    /// Package and channel.
    NoCatalog,
}

/// Length of the status in the header.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StatusLength {
    Whole,
    /// Without counts of zero.
    NonZero,
    /// Without counts of zero and the names of the engines.
    Short,
}

fn breadcrumb_pieces(
    model: &Model,
    canvas: &Canvas<'_>,
    length: PathLength,
) -> Vec<(Piece, Option<Breadcrumb>)> {
    let has_program = matches!(length, PathLength::Whole | PathLength::ShortCatalog);
    let program = if has_program { " olmap  " } else { " " };
    let mut pieces = vec![(piece(program, Ink::Active), None)];
    let Some(open) = model.session.current_catalog() else {
        let labels: Vec<String> = model.session.catalogs.sources().iter().map(Source::label).collect();
        pieces.push((piece(labels.join(", "), Ink::Title), None));
        return pieces;
    };
    // Catalogs that are still being read count too.
    let asked = if model.session.waiting.busy == Some(BlockingWork::Loading) {
        model.session.catalogs.sources().len()
    } else {
        0
    };
    let all = model.session.catalogs.all().len().max(asked);
    if all > 1 {
        let (order, current) = (model.session.catalog_order(), model.session.catalogs.current_index());
        let column = order.iter().position(|catalog| *catalog == current).unwrap_or(current);
        let which = format!("[{}/{all}] ", column + 1);
        if has_program {
            let key = format!("{} ", model.key_label(ActionId::PickCatalog));
            pieces.push((piece(key, Ink::Key), Some(Breadcrumb::Catalog)));
        }
        pieces.push((piece(which, Ink::Dim), Some(Breadcrumb::Catalog)));
    }
    let name = match length {
        PathLength::Whole => open.source.label(),
        PathLength::ShortCatalog | PathLength::NamesOnly => {
            model.session.catalogs.short_source_name(&open.source)
        }
        PathLength::NoCatalog => String::new(),
    };
    // Rows of these lists are about packages of their own, which are not selected on other screens.
    let target = match model.session.navigation.screen {
        Screen::Problems | Screen::Deprecations => Some(model.visible_screen().target(&model.view())),
        _ => None,
    };
    // The table of several catalogs has rows of packages that the current catalog lacks.
    if let Some(package) = model.screens.packages.table().visible_missing_package(&model.session) {
        let separator = canvas.unicode_or_ascii(" › ", " > ");
        if !name.is_empty() {
            pieces.extend([
                (piece(name, Ink::Title), Some(Breadcrumb::Catalog)),
                (piece(separator, Ink::Dim), None),
            ]);
        }
        pieces.push((piece(format!("{package} (not here)"), Ink::Dim), None));
        return pieces;
    }
    let selection = match target {
        Some(Target { package, channel, bundle, row: Some(_), .. }) => Selection { package, channel, bundle },
        _ => model.session.selection().clone(),
    };
    // A click leads to the selection.
    let is_link = selection == *model.session.selection();
    let names = [
        (name, Breadcrumb::Catalog),
        (selection.package.as_ref().map(ToString::to_string).unwrap_or_default(), Breadcrumb::Package),
        (selection.channel.as_ref().map(ToString::to_string).unwrap_or_default(), Breadcrumb::Channel),
    ];
    for (index, (name, crumb)) in names.into_iter().filter(|(name, _)| !name.is_empty()).enumerate() {
        if index > 0 {
            pieces.push((piece(canvas.unicode_or_ascii(" › ", " > "), Ink::Dim), None));
        }
        let crumb = (is_link || index == 0).then_some(crumb);
        pieces.push((piece(name, if index == 0 { Ink::Title } else { Ink::Text }), crumb));
    }
    pieces
}

fn status_pieces(model: &Model, canvas: &Canvas<'_>, length: StatusLength) -> Line {
    let mut pieces = Vec::new();
    if let Some((what, ticks)) = model.session.waiting.status() {
        let spinner_frames = [["│", "|"], ["╱", "/"], ["─", "-"], ["╲", "\\"]];
        let [unicode, ascii] = spinner_frames.get(ticks % spinner_frames.len()).copied().unwrap_or_default();
        pieces.push(piece(format!("{} ", canvas.unicode_or_ascii(unicode, ascii)), Ink::Active));
        // The reading progress is shown below if the user can already browse the catalog.
        if !model.session.waiting.is_loading_visibly() {
            let came = model.session.waiting.opened_megabytes().filter(|megabytes| *megabytes > 0);
            let came = came.map(|megabytes| format!(" {megabytes} MB")).unwrap_or_default();
            pieces.push(piece(format!("{what}{came}  "), Ink::Active));
        }
    }
    let Some(snapshot) = model.session.snapshot() else { return pieces };
    if let Some(what_if) = model.session.catalogs.what_if() {
        pieces.push(piece(format!("WHAT IF {}  ", what_if.edits.len()), Ink::Active));
    }
    if let Some(against) = comparison_label(model) {
        pieces.push(piece(format!("{against}  "), Ink::Active));
    }
    if model.read_only().is_some() && model.frame.size.0 >= 70 {
        pieces.push(piece("read-only  ", Ink::Active));
    }
    let unsaved = model.session.catalogs.unsaved_count();
    if unsaved > 0 {
        pieces.push(piece(format!("{unsaved} unsaved  "), Ink::Warning));
    }
    if let Some(unread) = snapshot.catalog.missing_part() {
        let percent = (unread.bytes_read * 100).checked_div(unread.bytes_found).unwrap_or_default();
        pieces.extend(match (model.session.waiting.is_loading_visibly(), unread.is_listed) {
            (true, true) => [
                piece(format!("reading {percent} %  "), Ink::Active),
                piece(model.key_label(ActionId::Back), Ink::Key),
                piece(" stops ", Ink::Dim),
            ]
            .to_vec(),
            (true, false) => {
                vec![
                    piece("reading  ", Ink::Active),
                    piece(model.key_label(ActionId::Back), Ink::Key),
                    piece(" stops ", Ink::Dim),
                ]
            }
            (false, _) => vec![
                piece("partly read  ", Ink::Warning),
                piece(model.key_label(ActionId::Reload), Ink::Key),
                piece(" reads all ", Ink::Dim),
            ],
        });
        return pieces;
    }
    // Counts that may still grow are not shown as final.
    if model.session.jobs.is_checking_catalogs() && model.frame.size.0 >= 70 {
        pieces.push(piece("checking  ", Ink::Active));
    }
    if let Some((count, words)) = model.session.catalogs.summarize_stuck(length == StatusLength::Short) {
        pieces.push(piece(format!("{words}  "), if count > 0 { Ink::Warning } else { Ink::Dim }));
    } else if snapshot.catalog.template().is_some() && length == StatusLength::Whole {
        // Packages of a template are rendered before OLM reads them.
        pieces.push(piece("stuck not counted  ", Ink::Dim));
    }
    let errors = model.session.open_finding_count(Severity::Error);
    let warnings = model.session.open_finding_count(Severity::Warning);
    for (count, word, ink) in [(errors, "error", Ink::Error), (warnings, "warning", Ink::Warning)] {
        if count > 0 || length == StatusLength::Whole {
            pieces.push(piece(format_count(count, word), if count > 0 { ink } else { Ink::Dim }));
            pieces.push(text_piece(" "));
        }
    }
    pieces
}

/// Returns a label of the base of the comparison, also while it is loaded. It is shorter in narrow
/// terminals.
fn comparison_label(model: &Model) -> Option<String> {
    const MAX_LETTERS: usize = 24;
    let asked = model.session.current_catalog()?.base_comparison.pending_base();
    let base = model.session.catalogs.short_base_name(asked.or(model.session.catalogs.base())?);
    let what = if asked.is_some() { "reading" } else { "against" };
    Some(if model.frame.size.0 < 70 {
        format!("{what} {}", fit(&base, MAX_LETTERS / 3, model.settings.ascii))
    } else {
        format!("{what} {}", fit(&base, MAX_LETTERS, model.settings.ascii))
    })
}

/// Width of the tabs.
#[derive(Clone, Copy)]
struct TabStyle {
    /// False for the title of the visible screen only.
    has_titles: bool,
    /// Two blanks between two tabs instead of one.
    is_spaced: bool,
}

/// Tab as it is drawn.
struct Tab {
    screen: Screen,
    label: String,
}

impl Tab {
    /// Labels a tab with its digit, its title, and its count.
    fn label_screen(model: &Model, screen: Screen, style: TabStyle) -> Self {
        let is_active = screen == model.session.navigation.screen;
        let digit = show_action(screen)
            .and_then(|id| model.keys.map.display_keys(screen, id).next())
            .unwrap_or_default();
        let title = if style.has_titles || is_active { screen.title() } else { "" };
        // Parentheses separate the count from the digit of the tab.
        let badge = match model.screens.get(screen).tab_count(&model.view()) {
            0 => String::new(),
            count if title.is_empty() => format!("({count})"),
            count => format!(" ({count})"),
        };
        let label = format!("{digit} {title}");
        let label = format!("{}{badge}", label.trim());
        let label = match (is_active, style.is_spaced) {
            (true, true) => format!("[{label}]"),
            (true, false) => format!("[{label}] "),
            (false, true) => format!(" {label} "),
            (false, false) => format!("{label} "),
        };
        Self { screen, label }
    }

    fn width(&self) -> u16 {
        u16::try_from(display_width(&self.label)).unwrap_or(u16::MAX)
    }
}

/// Returns the action that shows a screen. `None` for screens without a tab of their own.
fn show_action(screen: Screen) -> Option<ActionId> {
    Some(match screen {
        Screen::Packages => ActionId::ShowPackages,
        Screen::Graph => ActionId::ShowGraph,
        Screen::Upgrades => ActionId::ShowUpgrades,
        Screen::Problems => ActionId::ShowProblems,
        Screen::Deprecations => ActionId::ShowDeprecations,
        Screen::Changes => ActionId::ShowChanges,
        Screen::Bundle => ActionId::ShowBundle,
        Screen::Template => ActionId::ShowTemplate,
        Screen::Resolve => ActionId::ShowResolve,
        Screen::Plan => ActionId::ShowPlan,
        Screen::About => return None,
    })
}

/// Returns true if a tab that is not permanent is visible now.
fn has_context_tab(model: &Model, screen: Screen) -> bool {
    let spec = show_action(screen).and_then(|id| action::action_table().find_action(id));
    screen == model.session.navigation.screen || spec.is_some_and(|spec| check_permitted(model, spec).is_ok())
}

/// Draws the tabs of the screens: the permanent ones at the left, the others at the right.
pub fn draw_tabs(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let (permanent, context): (Vec<Screen>, Vec<Screen>) =
        Screen::ALL.iter().partition(|screen| screen.has_permanent_tab());
    let context: Vec<Screen> = context.into_iter().filter(|screen| has_context_tab(model, *screen)).collect();
    let active: Vec<Screen> =
        context.iter().copied().filter(|screen| *screen == model.session.navigation.screen).collect();
    let label_all = |screens: &[Screen], style| {
        screens.iter().map(|screen| Tab::label_screen(model, *screen, style)).collect::<Vec<_>>()
    };
    let total_width = |tabs: &[Tab]| tabs.iter().map(Tab::width).fold(0, u16::saturating_add);
    // Too narrow terminals omit the titles of the tabs at the right first, then blanks, then these tabs.
    let room = area.width.saturating_sub(1);
    let style = |has_titles, is_spaced| TabStyle { has_titles, is_spaced };
    let layouts = [
        (style(true, true), &context, style(true, true)),
        (style(true, true), &context, style(false, true)),
        (style(true, false), &context, style(false, false)),
        (style(true, false), &active, style(false, false)),
        (style(false, true), &context, style(false, true)),
    ];
    let (left, right) =
        layouts
            .map(|(left, right, right_style)| (label_all(&permanent, left), label_all(right, right_style)))
            .into_iter()
            .reduce(|wide, narrow| {
                if total_width(&wide.0).saturating_add(total_width(&wide.1)) <= room { wide } else { narrow }
            })
            .unwrap_or_default();
    let start = area.right().saturating_sub(total_width(&right));
    let mut x = area.x + 1;
    for tab in &left {
        x += draw_tab(model, canvas, area, x, tab);
    }
    x = x.max(start);
    for tab in &right {
        x += draw_tab(model, canvas, area, x, tab);
    }
}

/// Draws a tab and returns its width.
fn draw_tab(model: &Model, canvas: &mut Canvas<'_>, area: Rect, x: u16, tab: &Tab) -> u16 {
    let ink = if tab.screen == model.session.navigation.screen { Ink::Active } else { Ink::Text };
    let used = canvas.draw_text(x, area.y, area.right().saturating_sub(x), &tab.label, ink);
    canvas.add_hit(Rect { x, width: used, ..area }, Hit::Tab(tab.screen));
    used
}

/// Draws the hint bar: key hints or a notice.
pub fn draw_hints(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let dialog = model.dialogs.last().map(|dialog| dialog.id());
    if dialog == Some(filter::DIALOG) {
        // The filter draws itself here.
        return;
    }
    if let Some(notice) = &model.notices.transient {
        let (mark, ink) = notice_mark(notice.kind, canvas);
        let room = usize::from(area.width).saturating_sub(1 + display_width(mark));
        let mut pieces = vec![piece(mark, ink)];
        if display_width(&notice.text) <= room || notice.text.contains(KEY_HINT) {
            pieces.push(piece(shorten_message(&notice.text, room, canvas.ascii), ink));
        } else {
            let key = model.program_keys(ProgramChoice::Messages);
            let hint = [text_piece("  "), piece(key, Ink::Key), piece(" shows all", Ink::Dim)];
            let room = room.saturating_sub(line_width(&hint));
            pieces.push(piece(fit(&notice.text, room, canvas.ascii), ink));
            pieces.extend(hint);
        }
        canvas.draw_line(Rect { x: area.x + 1, width: area.width - 1, ..area }, &pieces);
        return;
    }
    if let Some(dialog) = dialog {
        // The keys of the screen are inactive; the dialog shows its own.
        if ![palette::DIALOG, legend::DIALOG].contains(&dialog) {
            let key = model.keys.map.display_key(dialog, ActionId::DialogHelp);
            let hint = [piece(key, Ink::Key), piece(" all keys here", Ink::Dim)];
            canvas.draw_line(Rect { x: area.x + 1, width: area.width - 1, ..area }, &hint);
        }
        return;
    }
    if !matches!(model.session.waiting.stage, Stage::Ready) {
        canvas.draw_line(
            Rect { x: area.x + 1, ..area },
            &[piece(model.key_label(ActionId::BackOrQuit), Ink::Key), piece(" quit", Ink::Dim)],
        );
        return;
    }
    let mut pieces: Line = vec![text_piece(" ")];
    if model.session.waiting.busy == Some(BlockingWork::Opening) {
        pieces.extend([
            piece(model.key_label(ActionId::Back), Ink::Key),
            piece(" stop opening  ", Ink::Active),
        ]);
    }
    // Users who disabled the mouse in the settings do not need this hint.
    if !model.frame.captures_mouse && !model.settings.no_mouse {
        let key = piece(model.program_keys(ProgramChoice::Mouse), Ink::Key);
        pieces.extend([key, piece(" mouse on  ", Ink::Warning)]);
    }
    // Hints specific to the screen come first.
    let is_about_changes = model.session.navigation.screen == Screen::Changes;
    let is_supposing = model.session.catalogs.what_if().is_some();
    let rank = |spec: &ActionSpec| match spec.id {
        ActionId::WhatIf if is_supposing => Some(0),
        _ => spec.hint.map(|hint| hint.rank(model.session.navigation.screen)),
    };
    let here = action::action_table()
        .actions()
        .filter(|spec| spec.hint.is_some() && spec.applies_to(model.session.navigation.screen));
    let mut hinted: Vec<_> = here.collect();
    hinted.sort_by_key(|spec| rank(spec));
    let mut hits: Vec<(usize, usize, ActionId)> = Vec::new();
    if let Some(enter) = model.visible_screen().describe_enter(&model.view()) {
        // Enter has another key on screens where it writes.
        let writes =
            model.visible_screen().replacement_action(ActionId::Write, &model.view()) != ActionId::In;
        let goes_in = if writes { ActionId::In } else { ActionId::Write };
        pieces.extend([piece(model.key_label(goes_in), Ink::Key), piece(format!(" {enter}  "), Ink::Dim)]);
    }
    if let Some(([one, other], words)) = model.visible_screen().paired_keys().filter(|_| area.width >= 50) {
        let keys = format!("{} {}", model.key_label(one), model.key_label(other));
        pieces.extend([piece(keys, Ink::Key), piece(format!(" {words}  "), Ink::Dim)]);
    }
    let hint = |spec: &ActionSpec| {
        let key = model.keys.map.display_keys(model.session.navigation.screen, spec.id).next();
        // With a single catalog there is nothing to choose.
        let is_idle = spec.id == ActionId::PickCatalog && model.session.catalogs.all().len() < 2;
        let key = key.filter(|_| !is_idle && check_permitted(model, spec).is_ok())?;
        let title = match spec.id {
            ActionId::WhatIf if is_supposing => "apply or drop the what-if",
            ActionId::Export if is_about_changes => "write comment",
            _ => spec.title,
        };
        Some((spec.id, [piece(key, Ink::Key), piece(format!(" {title}  "), Ink::Dim)]))
    };
    // The help hint always stays visible.
    let help = hinted.iter().find(|spec| spec.id == ActionId::Help).and_then(|spec| hint(spec));
    let room = usize::from(area.width).saturating_sub(help.as_ref().map_or(0, |(_, help)| line_width(help)));
    for (id, hint) in hinted.into_iter().filter(|spec| spec.id != ActionId::Help).filter_map(hint) {
        // Hints are drawn completely or not at all.
        let (used, wide) = (line_width(&pieces), line_width(&hint));
        if used + wide <= room {
            hits.push((used, wide, id));
            pieces.extend(hint);
        }
    }
    if let Some((id, help)) = help {
        hits.push((line_width(&pieces), line_width(&help), id));
        pieces.extend(help);
    }
    canvas.draw_line(area, &pieces);
    for (used, wide, id) in hits {
        let cells = |columns: usize| u16::try_from(columns).unwrap_or(u16::MAX);
        // The blanks after a hint are not clickable.
        let place =
            Rect { x: area.x.saturating_add(cells(used)), width: cells(wide.saturating_sub(2)), ..area };
        canvas.add_hit(place.intersection(area), Hit::Action(id));
    }
}

/// Start of the key hint at the end of a message.
const KEY_HINT: &str = "   (";

/// Cuts a message to a width. The key hint in parentheses at its end stays; the text before it is
/// shortened.
fn shorten_message(text: &str, room: usize, ascii: bool) -> String {
    const MIN_TEXT_WIDTH: usize = 12;
    let Some(at) = text.rfind(KEY_HINT).filter(|_| display_width(text) > room) else {
        return text.to_owned();
    };
    let (what, keys) = text.split_at(at);
    match room.checked_sub(display_width(keys)).filter(|left| *left >= MIN_TEXT_WIDTH) {
        Some(left) => format!("{}{keys}", fit(what, left, ascii)),
        None => escape::shorten_middle(text, room, if ascii { "~" } else { "…" }),
    }
}

/// Draws the progress of loading.
pub fn draw_loading(model: &Model, progress: &LoadProgress, canvas: &mut Canvas<'_>, area: Rect) {
    let names: Vec<String> = model.session.catalogs.sources().iter().map(Source::label).collect();
    let middle =
        Rect { y: area.y + area.height / 2, height: 1, x: area.x + 2, width: area.width.saturating_sub(4) };
    let bytes = progress.bytes as f64 / 1e6;
    let done = if progress.files == 0 {
        "looking for files".to_owned()
    } else if progress.read < progress.files {
        format!("{} of {} files read, {bytes:.1} MB", progress.read, progress.files)
    } else {
        format!("{} files read, {bytes:.1} MB; working out upgrades", progress.files)
    };
    canvas.draw_line(middle, &[piece("Opening ", Ink::Dim), piece(names.join(", "), Ink::Title)]);
    canvas.draw_line(Rect { y: middle.y + 1, ..middle }, &[piece(done, Ink::Dim)]);
}

/// Draws the errors if no catalog could be opened.
pub fn draw_failures(failed: &[FailedCatalog], canvas: &mut Canvas<'_>, area: Rect) {
    let mut y = area.y + 1;
    let inner = usize::from(area.width.saturating_sub(4));
    for failure in failed {
        let mut lines: Vec<(String, Ink)> = vec![(failure.label.clone(), Ink::Title)];
        lines.extend(wrap_text(&failure.message, inner).into_iter().map(|line| (line, Ink::Error)));
        lines.extend(
            failure.hint.iter().flat_map(|hint| wrap_text(hint, inner)).map(|line| (line, Ink::Text)),
        );
        for (line, ink) in lines {
            if y >= area.bottom() {
                return;
            }
            canvas.draw_text(area.x + 2, y, area.width.saturating_sub(4), &line, ink);
            y += 1;
        }
        y = y.saturating_add(1);
    }
}
