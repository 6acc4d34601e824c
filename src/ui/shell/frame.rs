//! Header, tabs and hint bar of every screen, and the views before a catalog is open.

use ratatui::layout::Rect;
use tui_input::Input;

use crate::ui::{
    canvas::{Canvas, Piece, Pieces, fit, piece, text, width, wrap},
    parts::notice::mark,
    text::{Window, plural},
    theme::Role,
};
use crate::{
    app::{
        LoadProgress, Model, Screen, Source, Stage,
        dialogs::OpenDialog,
        keys::{ActionId, Dialog, spec::ActionSpec},
        parts::hit::{Crumb, Hit},
        session::{
            open::{Busy, Failed},
            past::Past,
        },
        shell::{table as action, table::permitted},
    },
    export::plain,
    review::history::Step,
    validate::Severity,
};

/// Draws the path of the selection and the status.
pub fn header(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    if let Some(step) = model.session.past().and_then(Past::step) {
        return past(model, step, canvas, area);
    }
    let right = standing(model, canvas);
    // The status keeps its width; the path is shortened from the left.
    let room = usize::from(area.width).saturating_sub(measure(&right) + 1);
    let paths = [Label::Whole, Label::Last, Label::None];
    let left = paths.map(|label| path(model, canvas, label));
    let fits =
        left.iter().find(|crumbs| crumbs.iter().map(|(piece, _)| width(&piece.text)).sum::<usize>() <= room);
    let end = area.x.saturating_add(u16::try_from(room).unwrap_or(area.width));
    let mut x = area.x;
    for (piece, crumb) in fits.or(left.last()).into_iter().flatten() {
        let used = canvas.put(x, area.y, end.saturating_sub(x), &piece.text, piece.role);
        if let Some(crumb) = crumb {
            canvas.hit(Rect { x, width: used, ..area }, Hit::Crumb(*crumb));
        }
        x += used;
    }
    canvas.line_right(area, &right);
}

/// Draws the header for a past commit: the commit and the key that returns to the present.
fn past(model: &Model, step: &Step, canvas: &mut Canvas<'_>, area: Rect) {
    let by = &step.committed;
    let mut right = Vec::new();
    let steps = action::table().find(ActionId::PreviousNews);
    if area.width >= 70 && steps.is_some_and(|spec| spec.applies_to(model.session.screen)) {
        let (older, newer) = (model.key(ActionId::PreviousNews), model.key(ActionId::NextNews));
        right.extend([piece(format!("{older} {newer}"), Role::Key), piece(" older newer  ", Role::Dim)]);
    }
    right.extend([piece(model.key(ActionId::Back), Role::Key), piece(" now ", Role::Dim)]);
    let room = usize::from(area.width).saturating_sub(measure(&right) + 1);
    let package = model.session.selection().package.as_ref().map(ToString::to_string).unwrap_or_default();
    let commit = format!(" {package} as of {}", by.short);
    let more = format!(", {}, {}: {}", by.date, by.author, by.subject);
    let more = fit(&more, room.saturating_sub(width(&commit)), canvas.ascii);
    canvas.line(area, &[piece(fit(&commit, room, canvas.ascii), Role::Active), text(more)]);
    canvas.line_right(area, &right);
}

fn measure(pieces: &[Piece]) -> usize {
    pieces.iter().map(|p| width(&p.text)).sum()
}

/// Amount of the catalog path that fits.
#[derive(Clone, Copy)]
enum Label {
    Whole,
    Last,
    None,
}

fn path(model: &Model, canvas: &Canvas<'_>, label: Label) -> Vec<(Piece, Option<Crumb>)> {
    let mut pieces = vec![(piece(" olmap  ", Role::Active), None)];
    let Some(open) = model.session.catalog() else {
        let labels: Vec<String> = model.session.sources.iter().map(Source::label).collect();
        pieces.push((piece(labels.join(", "), Role::Title), None));
        return pieces;
    };
    // Catalogs that are still being read count too.
    let asked = if model.session.busy == Some(Busy::Loading) { model.session.sources.len() } else { 0 };
    let all = model.session.open.len().max(asked);
    if all > 1 {
        let which = format!("[{}/{all}] ", model.session.current + 1);
        // In narrow terminals the key is omitted in favor of the names.
        if !matches!(label, Label::None) {
            let key = format!("{} ", model.key(ActionId::PickCatalog));
            pieces.push((piece(key, Role::Key), Some(Crumb::Catalog)));
        }
        pieces.push((piece(which, Role::Dim), Some(Crumb::Catalog)));
    }
    let name = match (label, &open.source) {
        (Label::Whole, source) => source.label(),
        (Label::Last, source) => model.session.short_source(source),
        (Label::None, _) => String::new(),
    };
    let selection = model.session.selection();
    let names = [
        (name, Crumb::Catalog),
        (selection.package.as_ref().map(ToString::to_string).unwrap_or_default(), Crumb::Package),
        (selection.channel.as_ref().map(ToString::to_string).unwrap_or_default(), Crumb::Channel),
    ];
    for (index, (name, crumb)) in names.into_iter().filter(|(name, _)| !name.is_empty()).enumerate() {
        if index > 0 {
            pieces.push((piece(canvas.either(" › ", " > "), Role::Dim), None));
        }
        pieces.push((piece(name, if index == 0 { Role::Title } else { Role::Text }), Some(crumb)));
    }
    pieces
}

fn standing(model: &Model, canvas: &Canvas<'_>) -> Pieces {
    let mut pieces = Vec::new();
    if let Some((what, beats)) = model.session.waits_for() {
        let turned = [["│", "|"], ["╱", "/"], ["─", "-"], ["╲", "\\"]];
        let [unicode, ascii] = turned.get(beats % turned.len()).copied().unwrap_or_default();
        pieces.push(piece(format!("{} ", canvas.either(unicode, ascii)), Role::Active));
        // The reading progress is shown below if the user can already browse the catalog.
        if !model.session.is_growing() {
            let came = model.session.opened_megabytes().filter(|megabytes| *megabytes > 0);
            let came = came.map(|megabytes| format!(" {megabytes} MB")).unwrap_or_default();
            pieces.push(piece(format!("{what}{came}  "), Role::Active));
        }
    }
    let Some(snapshot) = model.session.snapshot() else { return pieces };
    if let Some(what_if) = model.session.what_if() {
        pieces.push(piece(format!("WHAT IF {}  ", what_if.edits.len()), Role::Active));
    }
    if let Some(against) = against(model) {
        pieces.push(piece(format!("{against}  "), Role::Active));
    }
    let unsaved = model.session.unsaved();
    if unsaved > 0 {
        pieces.push(piece(format!("{unsaved} unsaved  "), Role::Warning));
    }
    if let Some(unread) = snapshot.catalog.unread() {
        let percent = (unread.read * 100).checked_div(unread.found).unwrap_or_default();
        pieces.extend(match (model.session.is_growing(), unread.is_listed) {
            (true, true) => [
                piece(format!("reading {percent} %  "), Role::Active),
                piece(model.key(ActionId::Back), Role::Key),
                piece(" stops ", Role::Dim),
            ]
            .to_vec(),
            (true, false) => {
                vec![
                    piece("reading  ", Role::Active),
                    piece(model.key(ActionId::Back), Role::Key),
                    piece(" stops ", Role::Dim),
                ]
            }
            (false, _) => vec![
                piece("partly read  ", Role::Warning),
                piece(model.key(ActionId::Reload), Role::Key),
                piece(" reads all ", Role::Dim),
            ],
        });
        return pieces;
    }
    // Zero counts are omitted in narrow terminals to leave room for the path.
    let is_narrow = model.frame.size.0 < 70;
    if let Some((count, words)) = model.session.stuck_words() {
        pieces.push(piece(format!("{words}  "), if count > 0 { Role::Warning } else { Role::Dim }));
    }
    let errors = model.session.counting(Severity::Error);
    let warnings = model.session.counting(Severity::Warning);
    for (count, word, role) in [(errors, "error", Role::Error), (warnings, "warning", Role::Warning)] {
        if count > 0 || !is_narrow {
            pieces.push(piece(plural(count, word), if count > 0 { role } else { Role::Dim }));
            pieces.push(text(" "));
        }
    }
    pieces
}

/// Returns a label of the base of the comparison, also while it is loaded. It is shorter in narrow
/// terminals.
fn against(model: &Model) -> Option<String> {
    const LETTERS: usize = 24;
    let asked = model.session.catalog()?.comparing.asked();
    let base = model.session.short(asked.or(model.session.base())?);
    let what = if asked.is_some() { "reading" } else { "against" };
    Some(if model.frame.size.0 < 70 {
        format!("{what} {}", fit(&base, LETTERS / 3, model.settings.ascii))
    } else {
        format!("{what} {}", fit(&base, LETTERS, model.settings.ascii))
    })
}

/// Draws the tabs of the screens.
pub fn tabs(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let tabs =
        || Screen::ALL.iter().copied().filter(|screen| screen.has_tab() || *screen == model.session.screen);
    let full: usize = tabs().map(|screen| screen.title().len() + 4 + badge(model, screen).len()).sum();
    let short = full > usize::from(area.width);
    let mut x = area.x + 1;
    for (index, screen) in tabs().enumerate() {
        let active = screen == model.session.screen;
        let title = if short && !active { String::new() } else { format!(" {}", screen.title()) };
        let digit = if screen.has_tab() { (index + 1).to_string() } else { String::new() };
        // Parentheses separate the count from the digit of the tab.
        let badge = match badge(model, screen).trim() {
            "" => String::new(),
            count if title.is_empty() => format!("({count})"),
            count => format!(" {count}"),
        };
        let label = format!("{digit}{title}{badge}");
        let label = if screen.has_tab() { label } else { label.trim_start().to_owned() };
        let label = if active { format!("[{label}]") } else { format!(" {label} ") };
        let role = if active { Role::Active } else { Role::Text };
        let used = canvas.put(x, area.y, area.right().saturating_sub(x), &label, role);
        canvas.hit(Rect { x, width: used, ..area }, Hit::Tab(screen));
        x += used;
    }
}

fn badge(model: &Model, screen: Screen) -> String {
    let count = model.screens.shown(screen).count(&model.see());
    if count > 0 { format!(" {count}") } else { String::new() }
}

/// Draws the hint bar: key hints or a notice.
pub fn hints(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    if let Some(OpenDialog::Filter(filter)) = model.dialogs.last() {
        filter_line(model, &filter.input, canvas, area);
        return;
    }
    if let Some(notice) = &model.notices.passing {
        let (mark, role) = mark(notice.tone, canvas);
        let room = usize::from(area.width).saturating_sub(1 + width(mark));
        let words = told(&notice.text, room, canvas.ascii);
        canvas.line(
            Rect { x: area.x + 1, width: area.width - 1, ..area },
            &[piece(mark, role), piece(words, role)],
        );
        return;
    }
    if let Some(dialog) = model.dialogs.last() {
        // The keys of the screen are inactive; the dialog shows its own.
        if !matches!(dialog, OpenDialog::Commands(_) | OpenDialog::Legend(_)) {
            let key = model.keys.map.label(dialog.state().id(), ActionId::DialogHelp);
            let hint = [piece(key, Role::Key), piece(" all keys here", Role::Dim)];
            canvas.line(Rect { x: area.x + 1, width: area.width - 1, ..area }, &hint);
        }
        return;
    }
    if !matches!(model.session.stage, Stage::Ready) {
        canvas.line(
            Rect { x: area.x + 1, ..area },
            &[piece(model.key(ActionId::BackOrQuit), Role::Key), piece(" quit", Role::Dim)],
        );
        return;
    }
    let mut pieces: Pieces = vec![text(" ")];
    if model.session.busy == Some(Busy::Opening) {
        pieces.extend([piece(model.key(ActionId::Back), Role::Key), piece(" stop opening  ", Role::Active)]);
    }
    // Users who disabled the mouse in the settings do not need this hint.
    if !model.frame.captures_mouse && !model.settings.no_mouse {
        let key = piece(model.key(ActionId::ToggleMouse), Role::Key);
        pieces.extend([key, piece(" mouse on  ", Role::Warning)]);
    }
    // Hints specific to the screen come first.
    let rank = |spec: &ActionSpec| spec.hint.map(|hint| hint.rank(model.session.screen));
    let here =
        action::table().all().filter(|spec| spec.hint.is_some() && spec.applies_to(model.session.screen));
    let mut hinted: Vec<_> = here.collect();
    hinted.sort_by_key(|spec| rank(spec));
    let mut hits: Vec<(usize, usize, ActionId)> = Vec::new();
    if let Some(enter) = model.shown().enters(&model.see()) {
        // Enter has another key on screens where it writes.
        let writes = model.shown().instead(ActionId::Write, &model.see()) != ActionId::In;
        let goes_in = if writes { ActionId::In } else { ActionId::Write };
        pieces.extend([piece(model.key(goes_in), Role::Key), piece(format!(" {enter}  "), Role::Dim)]);
    }
    if let Some(([one, other], words)) = model.shown().pair().filter(|_| area.width >= 50) {
        let keys = format!("{} {}", model.key(one), model.key(other));
        pieces.extend([piece(keys, Role::Key), piece(format!(" {words}  "), Role::Dim)]);
    }
    let hint = |spec: &ActionSpec| {
        let key = model.keys.map.labels(model.session.screen, spec.id).next();
        // With a single catalog there is nothing to choose.
        let is_idle = spec.id == ActionId::PickCatalog && model.session.open.len() < 2;
        let key = key.filter(|_| !is_idle && permitted(model, spec).is_ok())?;
        Some((spec.id, [piece(key, Role::Key), piece(format!(" {}  ", spec.title), Role::Dim)]))
    };
    // The help hint always stays visible.
    let help = hinted.iter().find(|spec| spec.id == ActionId::Help).and_then(|spec| hint(spec));
    let room = usize::from(area.width).saturating_sub(help.as_ref().map_or(0, |(_, help)| measure(help)));
    for (id, hint) in hinted.into_iter().filter(|spec| spec.id != ActionId::Help).filter_map(hint) {
        // Hints are drawn completely or not at all.
        let (used, wide) = (measure(&pieces), measure(&hint));
        if used + wide <= room {
            hits.push((used, wide, id));
            pieces.extend(hint);
        }
    }
    // The what-if prefix, if there is room.
    let supposes = action::table()
        .find(ActionId::WhatIfBelow)
        .filter(|spec| spec.applies_to(model.session.screen) && permitted(model, spec).is_ok());
    let keys = supposes.and_then(|spec| model.keys.map.labels(model.session.screen, spec.id).next());
    if let Some((first, _)) = keys.and_then(|keys| keys.split_once(' ')) {
        let hint = [piece(first, Role::Key), piece(" what if  ", Role::Dim)];
        if measure(&pieces) + measure(&hint) <= room {
            pieces.extend(hint);
        }
    }
    if let Some((id, help)) = help {
        hits.push((measure(&pieces), measure(&help), id));
        pieces.extend(help);
    }
    canvas.line(area, &pieces);
    for (used, wide, id) in hits {
        let cells = |columns: usize| u16::try_from(columns).unwrap_or(u16::MAX);
        // The blanks after a hint are not clickable.
        let place =
            Rect { x: area.x.saturating_add(cells(used)), width: cells(wide.saturating_sub(2)), ..area };
        canvas.hit(place.intersection(area), Hit::Action(id));
    }
}

/// Cuts a message to a width. The key hint in parentheses at its end stays; the text before it is
/// shortened.
fn told(text: &str, room: usize, ascii: bool) -> String {
    const LEAST: usize = 12;
    let Some(at) = text.rfind("   (").filter(|_| width(text) > room) else { return text.to_owned() };
    let (what, keys) = text.split_at(at);
    match room.checked_sub(width(keys)).filter(|left| *left >= LEAST) {
        Some(left) => format!("{}{keys}", fit(what, left, ascii)),
        None => plain::without_middle(text, room, if ascii { "~" } else { "…" }),
    }
}

/// Draws the filter being typed. A notice or the key hints are at the right.
fn filter_line(model: &Model, input: &Input, canvas: &mut Canvas<'_>, area: Rect) {
    let key = |id| model.keys.map.label(Dialog::Filter, id);
    let words = if let Some(notice) = &model.notices.passing {
        let (mark, role) = mark(notice.tone, canvas);
        piece(format!("{mark}{} ", notice.text), role)
    } else {
        let words = format!("{} keeps, {} clears ", key(ActionId::Accept), key(ActionId::Cancel));
        piece(words, Role::Dim)
    };
    let start = area.x + 1 + canvas.put(area.x + 1, area.y, area.width, "/", Role::Key);
    let taken = width(&words.text) + usize::from(start - area.x);
    let room = area.width.saturating_sub(u16::try_from(taken).unwrap_or(u16::MAX)).max(area.width / 3);
    let window = Window::of(input, room);
    let used = canvas.put(start, area.y, room, window.shown, Role::Text);
    if let Some(cursor) = u16::try_from(window.cursor).ok().filter(|cursor| *cursor < used) {
        canvas.cursor(start + cursor, area.y);
    } else {
        let cursor = canvas.either("▏", "_");
        canvas.put(start + used, area.y, 1, cursor, Role::Active);
    }
    canvas.line_right(area, &[words]);
}

/// Draws the progress of loading.
pub fn loading(model: &Model, progress: &LoadProgress, canvas: &mut Canvas<'_>, area: Rect) {
    let names: Vec<String> = model.session.sources.iter().map(Source::label).collect();
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
    canvas.line(middle, &[piece("Opening ", Role::Dim), piece(names.join(", "), Role::Title)]);
    canvas.line(Rect { y: middle.y + 1, ..middle }, &[piece(done, Role::Dim)]);
}

/// Draws the errors if no catalog could be opened.
pub fn failed(failed: &[Failed], canvas: &mut Canvas<'_>, area: Rect) {
    let mut y = area.y + 1;
    let inner = usize::from(area.width.saturating_sub(4));
    for failure in failed {
        let mut lines: Vec<(String, Role)> = vec![(failure.label.clone(), Role::Title)];
        lines.extend(wrap(&failure.message, inner).into_iter().map(|line| (line, Role::Error)));
        lines.extend(failure.hint.iter().flat_map(|hint| wrap(hint, inner)).map(|line| (line, Role::Text)));
        for (line, role) in lines {
            if y >= area.bottom() {
                return;
            }
            canvas.put(area.x + 2, y, area.width.saturating_sub(4), &line, role);
            y += 1;
        }
        y = y.saturating_add(1);
    }
}
