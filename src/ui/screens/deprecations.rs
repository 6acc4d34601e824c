//! Deprecations screen: deprecated items, affected users and their upgrade paths; and suggested
//! deprecations.

use ratatui::layout::Rect;

use crate::ui::{
    canvas::{Canvas, Piece, Pieces, lit, pad, piece, text, width, wrap},
    parts::{
        effects::fate_mark,
        lists::{list_heading, list_view, nothing, order_of, short},
        what_if::fate,
    },
    text::plural,
    theme::Role,
};
use crate::{
    app::{
        Model,
        keys::ActionId,
        parts::{list::ListId, splits::Splitter},
        screens::deprecations::rows::{DeprecationRow, Listed},
    },
    catalog::{blob::DeprecationTarget, lifecycle::Supported},
    review::{
        deprecations::{Deprecated, Suggestion, Verdict, Why},
        diff::Fate,
    },
    upgrade::Engine,
};

/// Below this width the messages are omitted from the list.
const NARROW: u16 = 70;

/// Draws the screen.
pub fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let rows = model.screens.deprecations.deprecations();
    // The list gets a heading and its rows. The details get the rest, at least half.
    let needed = u16::try_from(rows.len()).unwrap_or(u16::MAX).saturating_add(2);
    let below = if area.height < 9 || rows.is_empty() {
        0
    } else {
        area.height.saturating_sub(needed).max(area.height / 2)
    };
    let (upper, lower) = if below == 0 {
        (area, None)
    } else {
        let above = model.frame.splits.before(Splitter::Deprecations, area.height - below - 1, area.height);
        let (upper, lower) = canvas.split(area, Splitter::Deprecations, above);
        (upper, Some(lower))
    };
    let title = title(rows);
    let right = order_of(model, ListId::Deprecations, "");
    let inner = list_heading(model, canvas, upper, ListId::Deprecations, &title, &right);
    if rows.is_empty() {
        let deprecate = model.key(ActionId::Deprecate);
        let words = &format!(
            "No deprecations and no suggestions. On the Catalog or Graph screen, {deprecate} deprecates \
             something."
        );
        return nothing(model, canvas, inner, ListId::Deprecations, words);
    }
    list(model, canvas, inner, rows);
    if let Some(lower) = lower {
        let row = model.cursor(ListId::Deprecations).and_then(|row| rows.get(row));
        if let Some(row) = row {
            detail(model, canvas, lower, row);
        }
    }
}

/// Returns the numbers of deprecations, of blocking ones, and of suggestions.
fn title(rows: &[DeprecationRow]) -> String {
    let verdicts = rows.iter().filter_map(|row| row.verdict);
    let blocks = |verdict: &Verdict| matches!(verdict, Verdict::NoWayOut | Verdict::StopsV1);
    let (all, blocking) = (verdicts.clone().count(), verdicts.filter(blocks).count());
    let mut title = format!("Deprecations {all}");
    match rows.iter().filter(|row| row.fate() == Some(Fate::Added)).count() {
        0 => {}
        new => title += &format!(", {new} new"),
    }
    match blocking {
        0 => {}
        1 => title += ", 1 blocks",
        n => title += &format!(", {n} block"),
    }
    if rows.len() > all {
        title += &format!("; {} suggested", rows.len() - all);
    }
    title
}

fn list(model: &Model, canvas: &mut Canvas<'_>, area: Rect, rows: &[DeprecationRow]) {
    let ascii = canvas.ascii;
    let part = (usize::from(area.width) / 4).max(12);
    let packages = rows.iter().map(|r| width(r.package.as_str())).max().unwrap_or(0).min(part);
    let names = rows.iter().map(|r| width(&label(model, r))).max().unwrap_or(0).min(part);
    let verdicts = rows.iter().map(|r| width(&verdict(r).text)).max().unwrap_or(0);
    let filter = model.session.lists.filter(ListId::Deprecations);
    let is_narrow = area.width < NARROW;
    canvas.list(area, &list_view(model, ListId::Deprecations), |row| {
        let Some(row) = rows.get(row) else { return Vec::new() };
        let (level, role) = level(row);
        let mut pieces: Pieces = fate(model, row.fate()).into_iter().collect();
        pieces.push(piece(format!("{level:<8}"), role));
        pieces.extend(lit(&format!("{}  ", pad(row.package.as_str(), packages, ascii)), Role::Title, filter));
        pieces.extend(lit(&format!("{}  ", pad(&label(model, row), names, ascii)), Role::Text, filter));
        let verdict = verdict(row);
        pieces.push(piece(format!("{}  ", pad(&verdict.text, verdicts, ascii)), verdict.role));
        if !is_narrow {
            let words = match &row.listed {
                Listed::Deprecated(one) => first_line(&one.message),
                Listed::Suggested(suggestion) => reason(model, suggestion),
            };
            pieces.extend(lit(&words, Role::Dim, filter));
        }
        pieces
    });
}

/// Returns the first line of a text, with a mark if more follows.
fn first_line(words: &str) -> String {
    match words.trim().split_once('\n') {
        Some((first, _)) => format!("{} ...", first.trim_end()),
        None => words.trim().to_owned(),
    }
}

fn level(row: &DeprecationRow) -> (&'static str, Role) {
    match (&row.listed, row.target()) {
        (Listed::Suggested(_), _) => ("suggest", Role::Dim),
        (_, Some(DeprecationTarget::Package)) => ("package", Role::Error),
        (_, Some(DeprecationTarget::Channel(_))) => ("channel", Role::Warning),
        (_, Some(DeprecationTarget::Bundle(_))) => ("bundle", Role::Deprecated),
        (_, None) => ("unclear", Role::Error),
    }
}

fn label(model: &Model, row: &DeprecationRow) -> String {
    let called = |target: &DeprecationTarget| match target {
        DeprecationTarget::Package => "package".to_owned(),
        DeprecationTarget::Channel(name) => name.to_string(),
        DeprecationTarget::Bundle(name) => model
            .session
            .snapshot()
            .and_then(|s| s.package(row.package.as_str()))
            .map_or_else(|| name.to_string(), |judged| short(judged.package(), name)),
    };
    match &row.listed {
        Listed::Deprecated(one) => one.target.as_ref().map_or_else(|| one.reference.clone(), called),
        Listed::Suggested(suggestion) => match suggestion.targets.as_slice() {
            [one] => called(one),
            all => plural(all.len(), "bundle"),
        },
    }
}

fn reason(model: &Model, suggestion: &Suggestion) -> String {
    let judged = model.session.snapshot().and_then(|s| s.package(suggestion.package.as_str()));
    suggestion.reason(|name| judged.map_or_else(|| name.to_string(), |it| short(it.package(), name)))
}

/// Returns the verdict about a deprecation in one or two words.
fn verdict(row: &DeprecationRow) -> Piece {
    if let Listed::Suggested(suggestion) = &row.listed {
        let words = match suggestion.why {
            Why::Ended { .. } => "ended",
            Why::Unlisted { .. } => "too old",
            Why::OldestHead { .. } => "old head",
        };
        return piece(words, Role::Dim);
    }
    match row.verdict {
        Some(Verdict::NoWayOut) => piece("NO UPGRADE", Role::Error),
        Some(Verdict::StopsV1) => piece("STOPS V1", Role::Error),
        Some(Verdict::Ends) => piece("ends", Role::Warning),
        Some(Verdict::ByHand) => piece("manual", Role::Warning),
        Some(Verdict::WayOut) => piece("upgrade", Role::Good),
        Some(Verdict::Nobody) | None => piece("nobody", Role::Dim),
    }
}

fn detail(model: &Model, canvas: &mut Canvas<'_>, area: Rect, row: &DeprecationRow) {
    let columns = usize::from(area.width).saturating_sub(2);
    let mut lines = match &row.listed {
        Listed::Deprecated(one) => of_deprecated(model, row, one, columns),
        Listed::Suggested(suggestion) => of_suggestion(model, suggestion, columns),
    };
    let room = usize::from(area.height);
    if lines.len() > room && room > 0 {
        let more = lines.len() - room + 1;
        lines.truncate(room - 1);
        let below = model.key(ActionId::ShrinkPane);
        lines.push(vec![piece(format!("... {more} more lines: {below} enlarges this pane"), Role::Dim)]);
    }
    for (y, line) in (area.top()..area.bottom()).zip(&lines) {
        canvas.line(Rect { x: area.x + 1, y, width: area.width - 1, height: 1 }, line);
    }
}

fn of_deprecated(model: &Model, row: &DeprecationRow, one: &Deprecated, columns: usize) -> Vec<Pieces> {
    let mut lines = verdict_lines(one, columns);
    let told = model.screens.deprecations.told();
    for sentence in &told.sentences {
        let (mark, role) = fate_mark(sentence.fate);
        let (who, of) = match sentence.engine {
            Engine::Classic => ("Classic", Role::Classic),
            Engine::V1 => ("v1", Role::V1),
        };
        for (index, line) in wrap(&sentence.words, columns.saturating_sub(10)).into_iter().enumerate() {
            let (mark, who) = if index == 0 { (mark, who) } else { ("", "") };
            lines.push(vec![
                piece(format!("{mark:<2}"), role),
                piece(format!("{who:<8}"), of),
                piece(line, role),
            ]);
        }
    }
    lines.push(vec![piece("Message: ", Role::Dim)]);
    let message = one.message.trim();
    lines.extend(message.lines().flat_map(|line| wrap(line, columns)).map(|line| vec![text(line)]));
    if let Some(shown) = &told.shown {
        let words = format!("A ClusterExtension of v1 shows {shown}");
        lines.extend(wrap(&words, columns).into_iter().map(|line| vec![piece(line, Role::Dim)]));
    }
    lines.extend(supported(model, columns));
    if let Some(place) = &row.place {
        let place = place.path_and_line();
        lines.push(vec![piece("at ", Role::Dim), piece(place, Role::Key)]);
    }
    lines
}

/// Summarizes the affected versions, with one clause per line if the pane is narrow.
fn verdict_lines(one: &Deprecated, columns: usize) -> Vec<Pieces> {
    let on = match one.concerned.len() {
        0 => "No bundle is affected".to_owned(),
        1 => "1 version is affected".to_owned(),
        n => format!("{n} versions are affected"),
    };
    let mut clauses = vec![piece(on, Role::Title)];
    let stranded = one.stranded().count();
    if one.is_package() {
        clauses.push(text("no supported bundle of the package is left"));
    } else if stranded > 0 {
        clauses.push(piece(format!("{stranded} without an upgrade path"), Role::Error));
    } else if !one.concerned.is_empty() {
        let words = if one.concerned.len() == 1 {
            "with an upgrade path"
        } else {
            "all with an upgrade \
         path"
        };
        clauses.push(piece(words, Role::Good));
    }
    if !one.stopped.is_empty() {
        let words = format!("v1 stops on {} before it", plural(one.stopped.len(), "version"));
        clauses.push(piece(words, Role::Error));
    }
    let total: usize = clauses.iter().map(|clause| width(&clause.text) + 2).sum();
    if total > columns {
        return clauses.into_iter().map(|clause| vec![clause]).collect();
    }
    let mut line = Vec::new();
    for clause in clauses {
        if !line.is_empty() {
            line.push(text(", "));
        }
        line.push(clause);
    }
    vec![line]
}

fn of_suggestion(model: &Model, suggestion: &Suggestion, columns: usize) -> Vec<Pieces> {
    let key = model.key(ActionId::Deprecate);
    let mut lines = vec![
        vec![piece("Not deprecated, only suggested", Role::Title)],
        vec![piece(key, Role::Key), text(" deprecates it, after a preview")],
    ];
    let mut paragraph = |words: &str, role: Role| {
        lines.extend(wrap(words, columns).into_iter().map(|line| vec![piece(line, role)]));
    };
    paragraph(&format!("Why: {}", reason(model, suggestion)), Role::Text);
    let judged = model.session.snapshot().and_then(|s| s.package(suggestion.package.as_str()));
    let names = suggestion.targets.iter().map(|target| match (target, judged) {
        (DeprecationTarget::Bundle(name), Some(judged)) => short(judged.package(), name),
        (DeprecationTarget::Bundle(name), None) => name.to_string(),
        (DeprecationTarget::Channel(name), _) => format!("channel {name}"),
        (DeprecationTarget::Package, _) => "the package".to_owned(),
    });
    paragraph(&format!("What: {}", names.collect::<Vec<_>>().join(" ")), Role::Text);
    paragraph(&format!("Proposed message: {}", suggestion.message), Role::Dim);
    lines.extend(supported(model, columns));
    lines
}

/// Returns the lifecycle of the selection, phase by phase.
fn supported(model: &Model, columns: usize) -> Vec<Pieces> {
    let Some(known) = &model.screens.deprecations.told().lifecycle else { return Vec::new() };
    wrap(&lifecycle_words(model, known), columns)
        .into_iter()
        .map(|line| vec![piece(line, Role::Dim)])
        .collect()
}

fn lifecycle_words(model: &Model, known: &Supported) -> String {
    let phases = known.phases.iter().map(|phase| match phase.end {
        Some(end) => format!("{} until {end}", phase.name),
        None => phase.name.clone(),
    });
    let phases = phases.collect::<Vec<_>>().join(", ");
    let now = match model.settings.today {
        Some(today) if known.has_ended(today) => "; it has ended".to_owned(),
        Some(today) => known.phase(today).map(|phase| format!("; now {}", phase.name)).unwrap_or_default(),
        None => String::new(),
    };
    format!("Lifecycle of {}: {phases}{now}", known.name)
}
