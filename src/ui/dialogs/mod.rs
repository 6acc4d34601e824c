//! What lies over a screen.

mod against;
mod ask;
mod choose;
mod configuration;
mod legend;
mod other_catalogs;
mod preview;
mod promote;
mod range;
mod recovery;
mod which;

use ratatui::layout::Rect;

use crate::app::{
    Model,
    dialogs::{
        entry::{EntryField, EntryForm},
        state::{Commands, Finder, Overlay, Pick, Prompt, Refused},
    },
    keys::{ActionId, Dialog, Scope},
    parts::list::ListId,
    shell::{table as action, table::permitted},
    work::{opening::Because, preview::Preview},
};
use crate::ui::{
    canvas::{Canvas, Pieces, highlighted, pad, piece, text, width, wrap},
    screens::{
        catalog::list_view,
        changes::{effect_lines, finding_lines, moved_lines},
    },
    shell::frame::plural,
    text::Window,
    theme::Role,
};

/// Draws all overlays, the last on top.
pub fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    for overlay in &model.overlays {
        match overlay {
            Overlay::Filter(_) => {}
            Overlay::Finder(finder) => find(model, finder, canvas, area),
            Overlay::Log(log) => {
                crate::ui::shell::notices::log(model, log, canvas, centred(area, 100, area.height * 4 / 5));
            }
            Overlay::Commands(list) => commands(model, list, canvas, area),
            Overlay::Entry(form) => entry(model, form, canvas, area),
            Overlay::Promote(promote) => promote::draw(model, promote, canvas, area),
            Overlay::Pick(pick) => choice(model, pick, canvas, area),
            Overlay::Prompt(prompt) => question(prompt, canvas, area),
            Overlay::Legend => legend::draw(model, canvas, area),
            Overlay::Ask(question) => ask::draw(model, question, canvas, area),
            Overlay::Choose(choice) => choose::draw(model, choice, canvas, area),
            Overlay::Against(choice) => against::draw(model, choice, canvas, area),
            Overlay::Refused(refused) => refusal(model, refused, canvas, area),
            Overlay::Range(tester) => range::draw(model, tester, canvas, area),
            Overlay::Question(asked) => recovery::question(model, overlay.dialog(), asked, canvas, area),
            Overlay::Conflicts(refused) => recovery::conflicts(model, refused, canvas, area),
            Overlay::Elsewhere(table) => other_catalogs::draw(model, table, canvas, area),
            Overlay::Leave => leave(model, canvas, area),
            Overlay::Configuration { row, .. } => configuration::draw(model, *row, canvas, area),
        }
    }
    if let Some(pending) = &model.pending {
        which::draw(model, pending, canvas, area);
    }
}

/// A box in the middle, as big as wanted and possible. It keeps off the hint bar.
fn centred(area: Rect, wide: u16, high: u16) -> Rect {
    let width = wide.min(area.width);
    let height = high.min(area.height.saturating_sub(1));
    Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height.saturating_sub(1) - height) / 2,
        width,
        height,
    }
}

/// What the keys do, on the last line of a box.
fn way_out(model: &Model, dialog: Dialog, canvas: &mut Canvas<'_>, inner: Rect, keys: &[(ActionId, &str)]) {
    if inner.is_empty() {
        return;
    }
    let mut pieces: Pieces = Vec::new();
    for (at, (action, does)) in keys.iter().enumerate() {
        let gap = if at + 1 < keys.len() { "  " } else { "" };
        let key = model.keymap.label(dialog, *action);
        // One that says nothing stands beside the next.
        let does = if does.is_empty() { " ".to_owned() } else { format!(" {does}{gap}") };
        pieces.extend([piece(key, Role::Key), piece(does, Role::Dim)]);
    }
    canvas.line(Rect { y: inner.bottom() - 1, height: 1, ..inner }, &pieces);
}

fn rest(area: Rect, used: u16) -> Rect {
    Rect { y: area.y + used, height: area.height.saturating_sub(used), ..area }
}

/// A text field; what does not fit is scrolled out at the left.
fn field(canvas: &mut Canvas<'_>, area: Rect, input: &tui_input::Input, focused: bool) {
    let window = Window::of(input, area.width);
    canvas.tint(Rect { height: 1, ..area }, Role::Field);
    canvas.put(area.x, area.y, area.width, window.shown, Role::Field);
    if focused {
        let at = u16::try_from(window.cursor).unwrap_or(u16::MAX);
        let x = area.x.saturating_add(at).min(area.right().saturating_sub(1));
        canvas.cursor(x, area.y);
    }
}

/// What is searched for, and at its right what the keys do and what else there is to say, as far as there is room: what was
/// typed is not covered by it. Gives the room below.
fn search_line(
    model: &Model,
    dialog: Dialog,
    input: &tui_input::Input,
    accept: &str,
    more: &str,
    canvas: &mut Canvas<'_>,
    area: Rect,
) -> Rect {
    let row = Rect { height: 1, ..area };
    field(canvas, row, input, true);
    let key = |id| model.keymap.label(dialog, id);
    let keys = format!("{} {accept}, {} closes", key(ActionId::Accept), key(ActionId::Cancel));
    let hints =
        [format!("type to search, {keys}{more}"), format!("{keys}{more}"), more.trim_start().to_owned()];
    let room = usize::from(area.width).saturating_sub(width(input.value()) + 2);
    if let Some(hint) = hints.into_iter().find(|hint| width(hint) <= room) {
        canvas.line_right(row, &[piece(hint, Role::Dim)]);
    }
    canvas.rule(Rect { y: area.y + 1, ..row });
    rest(area, 2)
}

fn find(model: &Model, finder: &Finder, canvas: &mut Canvas<'_>, area: Rect) {
    let inner =
        canvas.boxed(centred(area, (area.width * 9 / 10).min(110), area.height * 4 / 5), "Find anything");
    if inner.is_empty() {
        return;
    }
    let count = if finder.total > finder.found.len() {
        format!("   first {} of {}", finder.found.len(), finder.total)
    } else {
        format!("   {}", finder.total)
    };
    let below = search_line(model, Dialog::Finder, &finder.input, "goes there", &count, canvas, inner);
    let ascii = canvas.ascii;
    let (list, about) = beside(canvas, below);
    if let Some(about) = about {
        preview::draw(model, finder, canvas, about);
    }
    let most = usize::from(list.width).saturating_sub(11);
    canvas.list(list, &list_view(model, ListId::Overlay), |row| {
        let Some(found) = finder.found.get(row) else { return Vec::new() };
        let mut pieces = vec![piece(format!("{:<8} ", found.kind), Role::Dim)];
        pieces.extend(highlighted(&found.text, &found.matched, most, Role::Text, ascii));
        // A name that fills the line leaves none for where it is: a mark of its own would say nothing.
        if pieces.iter().map(|piece| width(&piece.text)).sum::<usize>() < most {
            pieces.push(piece(format!("  {}", found.note), Role::Dim));
        }
        pieces
    });
    if finder.found.is_empty() {
        canvas.put(list.x, list.y, list.width, "nothing matches", Role::Dim);
    }
}

/// A list and the room for what is known of its selected row: right of it, below it, or none.
fn beside(canvas: &mut Canvas<'_>, area: Rect) -> (Rect, Option<Rect>) {
    if area.width >= 90 {
        let list = Rect { width: area.width * 11 / 20, ..area };
        canvas.divider(list.right() + 1, area.top(), area.bottom());
        let x = list.right() + 3;
        return (list, Some(Rect { x, width: area.right().saturating_sub(x), ..area }));
    }
    if area.height >= 12 {
        let list = Rect { height: area.height / 2, ..area };
        canvas.rule(Rect { y: list.bottom(), height: 1, ..area });
        return (list, Some(Rect { y: list.bottom() + 1, height: area.height - list.height - 1, ..area }));
    }
    (area, None)
}

fn commands(model: &Model, commands: &Commands, canvas: &mut Canvas<'_>, area: Rect) {
    let title = match commands.scope {
        Some(Scope::Screen(screen)) => format!("Keys on {}", screen.title()),
        Some(Scope::Dialog(dialog)) => format!("Keys in {}", dialog.title()),
        None => "Actions".to_owned(),
    };
    // How many actions are left must not make the box jump.
    let high = u16::try_from(commands.all).unwrap_or(u16::MAX).saturating_add(6).min(area.height * 9 / 10);
    let inner = canvas.boxed(centred(area, 96, high.max(8)), &title);
    if inner.is_empty() {
        return;
    }
    let list = search_line(model, Dialog::Commands, &commands.input, "runs", "", canvas, inner);
    // What a row has no room for stands below, in full.
    let below = if list.height >= 4 { 2 } else { 0 };
    let full = Rect { y: list.bottom().saturating_sub(below), height: below, ..list };
    let list = Rect { height: list.height - below, ..list };
    if let Some(spec) = commands.found.get(commands.cursor).and_then(|found| action::table().find(found.id)) {
        let (words, role) = match permitted(model, spec) {
            Ok(()) => (spec.doc.to_owned(), Role::Dim),
            Err(reason) => (format!("not now: {reason}"), Role::Warning),
        };
        for (y, line) in (full.top()..full.bottom()).zip(wrap(&words, usize::from(full.width))) {
            canvas.put(full.x, y, full.width, &line, role);
        }
    }
    let ascii = canvas.ascii;
    if commands.found.is_empty() {
        canvas.put(
            list.x,
            list.y,
            list.width,
            "no action is called that, has that key or does that",
            Role::Dim,
        );
    }
    let (keys_room, title_room) = if list.width < 60 { (10, 14) } else { (18, 18) };
    canvas.list(list, &list_view(model, ListId::Overlay), |row| {
        let Some((found, spec)) =
            commands.found.get(row).and_then(|f| Some((f, action::table().find(f.id)?)))
        else {
            return Vec::new();
        };
        let keys = match commands.scope.filter(|scope| spec.applies_to(*scope)) {
            Some(scope) => model.keymap.labels(scope, spec.id).map(str::to_owned).collect(),
            None => model.keymap.keys(spec.id),
        };
        let refusal = permitted(model, spec).err();
        let role = if refusal.is_some() { Role::Dim } else { Role::Text };
        let mut pieces = vec![piece(format!("{} ", pad(&keys.join(", "), keys_room, ascii)), Role::Key)];
        pieces.extend(highlighted(
            &pad(spec.title, title_room, ascii),
            &found.matched,
            title_room,
            role,
            ascii,
        ));
        pieces.push(text(" "));
        match refusal {
            Some(reason) => pieces.push(piece(format!("not now: {reason}"), Role::Warning)),
            None => pieces.push(piece(spec.doc, Role::Dim)),
        }
        pieces
    });
}

/// What an edit would lead to: for forms, while one types.
fn preview(model: &Model, preview: Option<&Preview>, columns: usize) -> Vec<Pieces> {
    let outcome = match preview {
        None => return vec![vec![piece("Nothing is changed yet.", Role::Dim)]],
        Some(Err(error)) => {
            return wrap(&format!("This cannot be done: {error}"), columns)
                .into_iter()
                .map(|line| vec![piece(line, Role::Error)])
                .collect();
        }
        Some(Ok(outcome)) => outcome,
    };
    let consequences = &outcome.consequences;
    let mut lines = Vec::new();
    for (title, findings) in
        [("New findings", &consequences.new_findings), ("Fixed findings", &consequences.fixed_findings)]
    {
        if !findings.is_empty() {
            lines.push(vec![piece(format!("{title} {}", findings.len()), Role::Title)]);
            lines.extend(finding_lines(findings, columns));
        }
    }
    lines.extend(effect_lines(model, consequences, columns));
    if consequences.new_findings.is_empty() {
        lines.push(vec![piece("No new findings.", Role::Good)]);
    }
    if consequences.moved.is_empty() {
        lines.push(vec![piece("No installed version gets another successor.", Role::Dim)]);
    } else {
        lines.push(vec![piece(format!("Changed successors {}", consequences.moved.len()), Role::Title)]);
        lines.extend(moved_lines(model, &consequences.moved, columns));
    }
    lines
}

fn entry(model: &Model, form: &EntryForm, canvas: &mut Canvas<'_>, area: Rect) {
    let title = if form.is_new {
        format!("Add {} to {}", form.bundle, form.channel)
    } else {
        format!("{} in {}", form.bundle, form.channel)
    };
    let inner = canvas
        .boxed(centred(area, (area.width * 9 / 10).min(110), area.height.saturating_sub(2).min(30)), &title);
    if inner.is_empty() {
        return;
    }
    for (index, name) in (0u16..).zip(EntryField::ALL) {
        let y = inner.y + index;
        let focused = form.field == name;
        let role = if focused { Role::Active } else { Role::Dim };
        canvas.put(inner.x, y, 11, &format!("{:<10} ", name.title()), role);
        let room = Rect { x: inner.x + 11, y, width: inner.width.saturating_sub(11), height: 1 };
        field(canvas, room, &form.inputs[name as usize], focused);
    }
    let mut y = inner.y + 3;
    if !form.proposals.is_empty() {
        let key = model.keymap.label(Dialog::Entry, ActionId::Complete);
        proposals(canvas, Rect { y, height: 1, ..inner }, key, &form.proposals);
    } else if form.field == EntryField::SkipRange {
        let (words, role) = match &form.range {
            Ok(words) => (words, Role::Dim),
            Err(words) => (words, Role::Error),
        };
        canvas.put(inner.x, y, inner.width, words, role);
    }
    y += 1;
    canvas.rule(Rect { y, height: 1, ..inner });
    let lower = Rect { y: y + 1, height: inner.bottom().saturating_sub(y + 2), ..inner };
    let lines = preview(model, form.preview.as_ref(), usize::from(lower.width).saturating_sub(1));
    body(canvas, lower, &lines);
    let keys = [
        (ActionId::NextField, "next field"),
        (ActionId::Accept, "keeps the edit"),
        (ActionId::Cancel, "drops it"),
    ];
    way_out(model, Dialog::Entry, canvas, inner, &keys);
}

/// What would complete a field: the first, and more as far as there is room for whole ones.
fn proposals<T: std::fmt::Display>(canvas: &mut Canvas<'_>, area: Rect, key: &str, proposals: &[T]) {
    let mut pieces = vec![piece(key, Role::Key), piece(" completes: ", Role::Dim)];
    let mut used: usize = pieces.iter().map(|piece| width(&piece.text)).sum();
    for (index, proposal) in proposals.iter().enumerate() {
        let proposal = proposal.to_string();
        used += width(&proposal);
        if index > 0 && used > usize::from(area.width) {
            break;
        }
        used += 2;
        pieces.push(text(format!("{proposal}  ")));
    }
    canvas.line(area, &pieces);
}

/// Lines, as many as fit; says how many do not.
fn body(canvas: &mut Canvas<'_>, area: Rect, lines: &[Pieces]) {
    let room = usize::from(area.height);
    let cut = lines.len() > room && room > 0;
    let shown = if cut { room - 1 } else { lines.len() };
    for (y, line) in (area.top()..area.bottom()).zip(lines.iter().take(shown)) {
        canvas.line(Rect { y, height: 1, ..area }, line);
    }
    if cut {
        let more =
            format!("{} more lines; all of it stands on screen 6 once it is kept", lines.len() - shown);
        canvas.put(area.x, area.bottom() - 1, area.width, &more, Role::Dim);
    }
}

fn choice(model: &Model, pick: &Pick, canvas: &mut Canvas<'_>, area: Rect) {
    // A field to type into takes a line; how many choices are left must not make the box jump.
    let typed = u16::from(pick.input.is_some());
    let high = u16::try_from(pick.items.len()).unwrap_or(u16::MAX).saturating_add(3 + typed);
    let wide =
        pick.items.iter().map(|(name, _)| width(name) + 12).max().unwrap_or(0).max(width(pick.title) + 8);
    let wide = u16::try_from(wide).unwrap_or(area.width).max(44);
    let inner = canvas.boxed(centred(area, wide, high.max(5)), pick.title);
    if inner.is_empty() {
        return;
    }
    if let Some(input) = &pick.input {
        field(canvas, Rect { height: 1, ..inner }, input, true);
        let count = format!("{} of {}", pick.left().count(), pick.items.len());
        canvas.line_right(Rect { height: 1, ..inner }, &[piece(count, Role::Dim)]);
    }
    let list = Rect { y: inner.y + typed, height: inner.height.saturating_sub(1 + typed), ..inner };
    let left: Vec<&(String, bool)> = pick.left().map(|(_, item)| item).collect();
    if left.is_empty() {
        canvas.put(list.x, list.y, list.width, "nothing matches", Role::Dim);
    }
    canvas.list(list, &list_view(model, ListId::Overlay), |row| {
        let Some((name, chosen)) = left.get(row) else { return Vec::new() };
        let mark = match (pick.several, chosen) {
            (true, true) => "[x] ",
            (true, false) => "[ ] ",
            (false, true) => "* ",
            (false, false) => "  ",
        };
        vec![text(mark), text(name.clone())]
    });
    let dialog = if pick.input.is_some() { Dialog::TypedPick } else { Dialog::Pick };
    let chooses = pick.several.then_some((ActionId::Choose, "chooses"));
    let ends = [(ActionId::Accept, "takes it"), (ActionId::Cancel, "leaves it")];
    let keys: Vec<_> = chooses.into_iter().chain(ends).collect();
    way_out(model, dialog, canvas, inner, &keys);
}

fn question(prompt: &Prompt, canvas: &mut Canvas<'_>, area: Rect) {
    // Three lines below the field: the place of a mistake, what it is, what to write instead.
    let inner = canvas.boxed(centred(area, 80, 6), prompt.title);
    if inner.is_empty() {
        return;
    }
    field(canvas, inner, &prompt.input, true);
    let lower = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
    match &prompt.remark {
        Ok(words) => {
            canvas.put(lower.x, lower.y, lower.width, words, Role::Dim);
        }
        Err(wrong) => {
            if let Some(at) = wrong.column.and_then(|column| place_of(&prompt.input, column, inner.width)) {
                canvas.put(inner.x + at, lower.y, 1, "^", Role::Error);
            }
            let hint = wrong.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
            let words = format!("{}{hint}", wrong.message);
            let lines = wrap(&words, usize::from(inner.width));
            for (y, line) in (lower.y + 1..lower.bottom()).zip(lines) {
                canvas.put(lower.x, y, lower.width, &line, Role::Error);
            }
        }
    }
}

/// Where a character of what is typed stands in its field; `None` where it is scrolled out of sight.
fn place_of(input: &tui_input::Input, column: usize, room: u16) -> Option<u16> {
    let at = Window::of(input, room).column(input.value(), column.saturating_sub(1))?;
    u16::try_from(at).ok().filter(|at| *at < room)
}

fn refusal(model: &Model, refused: &Refused, canvas: &mut Canvas<'_>, area: Rect) {
    let (words, role) = match &refused.because {
        Because::Errors(errors) => {
            let words = format!("opm will refuse this catalog: {}.", plural(*errors, "new error"));
            (vec![words], Role::Error)
        }
        Because::Costs(costs) => (costs.iter().map(|cost| format!("{cost}.")).collect(), Role::Warning),
    };
    let wide = if matches!(refused.because, Because::Errors(_)) { 60 } else { 76 };
    let columns = usize::from(wide.min(area.width).saturating_sub(4));
    let mut lines: Vec<String> = words.iter().flat_map(|words| wrap(words, columns)).collect();
    let most = usize::from(area.height).saturating_sub(6).max(1);
    if lines.len() > most {
        let hidden = lines.len() - most + 1;
        lines.truncate(most - 1);
        lines.push(format!("and {} more", plural(hidden, "line")));
    }
    let high = u16::try_from(lines.len() + 4).unwrap_or(area.height);
    let inner = canvas.boxed(centred(area, wide, high), "Write it all the same?");
    if inner.is_empty() {
        return;
    }
    for (y, line) in (inner.top()..inner.bottom()).zip(&lines) {
        canvas.put(inner.x, y, inner.width, line, role);
    }
    let keys = [(ActionId::WriteAnyway, "writes anyway"), (ActionId::Cancel, "back to the changes")];
    way_out(model, Dialog::Refused, canvas, inner, &keys);
}

fn leave(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let inner = canvas.boxed(centred(area, 56, 5), "Leave?");
    if inner.is_empty() {
        return;
    }
    let words = format!("{} not on disk.", plural(model.session.unsaved(), "edit"));
    canvas.put(inner.x, inner.y, inner.width, &words, Role::Warning);
    let keys = [
        (ActionId::ReviewFirst, "review and save"),
        (ActionId::DiscardEdits, "discard"),
        (ActionId::Cancel, "stay"),
    ];
    way_out(model, Dialog::Leave, canvas, inner, &keys);
}
