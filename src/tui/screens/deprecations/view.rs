//! Deprecations screen: deprecated items, affected users and their upgrade paths; and suggested
//! deprecations.

use ratatui::layout::Rect;

use crate::tui::{
    keys::ActionId,
    parts::{frame::Splitter, list::ListId},
    screens::{
        deprecations::{
            Deprecations,
            rows::{DeprecationRow, RowContent},
        },
        screen::ScreenView,
    },
    widgets::{
        canvas::{
            Canvas, Line, Piece, display_width, hanging_lines, highlight_filter, pad, piece, text_piece,
            wrap_text, wrapped_lines,
        },
        effects::effect_mark,
        lists::{bundle_short_name, draw_list_heading, draw_no_rows, order_label},
        text::format_count,
        theme::Ink,
        what_if::change_mark,
    },
};
use olm_catalog::{blob::DeprecationTarget, lifecycle::VersionSupport};
use olm_check::review::{
    deprecations::{DeprecationReport, DeprecationVerdict, Suggestion, SuggestionReason},
    diff::ChangeKind,
};
use olm_upgrade::Engine;
use olmap_report::stuck;

/// Below this width the messages are omitted from the list.
const NARROW_COLUMNS: u16 = 70;

/// The screen and its context.
type View<'a> = ScreenView<'a, Deprecations>;

/// Draws the screen.
pub fn draw_deprecations_screen(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect) {
    let rows = view.state.deprecations();
    // The list gets its title, headings and rows. The details get the rest, at least half.
    let needed = u16::try_from(rows.len()).unwrap_or(u16::MAX).saturating_add(3);
    let below = if area.height < 9 || rows.is_empty() {
        0
    } else {
        area.height.saturating_sub(needed).max(area.height / 2)
    };
    let (upper, lower) = if below == 0 {
        (area, None)
    } else if let Some((list, side)) = view.split_side_pane(canvas, area, Splitter::DeprecationsSide) {
        (list, Some(side))
    } else {
        let above =
            view.frame.splits.size_before(Splitter::Deprecations, area.height - below - 1, area.height);
        let (upper, lower) = canvas.draw_splitter(area, Splitter::Deprecations, above);
        (upper, Some(lower))
    };
    let title = deprecations_title(rows);
    let right = order_label(view, ListId::Deprecations, "");
    let inner = draw_list_heading(view, canvas, upper, ListId::Deprecations, &title, &right);
    if rows.is_empty() {
        let deprecate = view.key_label(ActionId::Deprecate);
        let words = &format!(
            "No deprecations and no suggestions. On the Packages or Graph screen, {deprecate} deprecates \
             something."
        );
        return draw_no_rows(view, canvas, inner, ListId::Deprecations, words);
    }
    draw_deprecation_list(view, canvas, inner, rows);
    if let Some(lower) = lower {
        let row = view.list_cursor(ListId::Deprecations).and_then(|row| rows.get(row));
        if let Some(row) = row {
            draw_deprecation_details(view, canvas, lower, row);
        }
    }
}

/// Returns the numbers of deprecations, of blocking ones, and of suggestions.
fn deprecations_title(rows: &[DeprecationRow]) -> String {
    let verdicts = rows.iter().filter_map(|row| row.verdict);
    let blocks = |verdict: &DeprecationVerdict| {
        matches!(verdict, DeprecationVerdict::NoWayOut | DeprecationVerdict::StopsV1)
    };
    let (all, blocking) = (verdicts.clone().count(), verdicts.filter(blocks).count());
    let mut title = format!("Deprecations {all}");
    match rows.iter().filter(|row| row.change_mark() == Some(ChangeKind::Added)).count() {
        0 => {}
        new => title += &format!(", {new} new"),
    }
    match blocking {
        0 => {}
        1 => title += ", 1 blocks upgrades",
        n => title += &format!(", {n} block upgrades"),
    }
    if rows.len() > all {
        title += &format!("; {} suggested", rows.len() - all);
    }
    title
}

/// Heading of the column with what users of a deprecated version get.
const VERDICT_HEADING: &str = "users get";

/// Minimum height of the list to show headings if not all rows fit.
const MIN_HEIGHT_WITH_HEADINGS: u16 = 5;

fn draw_deprecation_list(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect, rows: &[DeprecationRow]) {
    let ascii = canvas.ascii;
    let part = (usize::from(area.width) / 4).max(12);
    let packages = rows.iter().map(|r| display_width(r.package.as_str())).max().unwrap_or(0).min(part);
    let names = rows.iter().map(|r| display_width(&target_label(view, r))).max().unwrap_or(0).min(part);
    let verdicts = rows.iter().map(|r| display_width(&verdict_piece(r).text)).max().unwrap_or(0);
    let verdicts = verdicts.max(display_width(VERDICT_HEADING));
    let filter = view.session.lists.filter(ListId::Deprecations);
    let is_narrow = area.width < NARROW_COLUMNS;
    let mut area = area;
    if area.height >= MIN_HEIGHT_WITH_HEADINGS || usize::from(area.height) > rows.len() {
        let marks = if view.session.mark_comparison().is_some() { 2 } else { 0 };
        let heading = format!(
            "{:mark$}{:<8}{}  {}  {}  {}",
            "",
            "what",
            pad("package", packages, ascii),
            pad("name", names, ascii),
            pad(VERDICT_HEADING, verdicts, ascii),
            if is_narrow { "" } else { "message" },
            mark = marks + 1
        );
        canvas.draw_line(Rect { height: 1, ..area }, &[piece(heading, Ink::Dim)]);
        area = Rect { y: area.y + 1, height: area.height - 1, ..area };
    }
    canvas.draw_list(area, &view.list_view(canvas, ListId::Deprecations), |row| {
        let Some(row) = rows.get(row) else { return Vec::new() };
        let (level, ink) = level_piece(row);
        let mut pieces: Line = change_mark(view, row.change_mark()).into_iter().collect();
        pieces.push(piece(format!("{level:<8}"), ink));
        pieces.extend(highlight_filter(
            &format!("{}  ", pad(row.package.as_str(), packages, ascii)),
            Ink::Title,
            filter,
        ));
        pieces.extend(highlight_filter(
            &format!("{}  ", pad(&target_label(view, row), names, ascii)),
            Ink::Text,
            filter,
        ));
        let verdict = verdict_piece(row);
        pieces.push(piece(format!("{}  ", pad(&verdict.text, verdicts, ascii)), verdict.ink));
        if !is_narrow {
            let words = match &row.content {
                RowContent::Deprecated(one) => first_line(&one.message),
                RowContent::Suggested(suggestion) => suggestion_reason(view, suggestion),
            };
            pieces.extend(highlight_filter(&words, Ink::Dim, filter));
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

fn level_piece(row: &DeprecationRow) -> (&'static str, Ink) {
    match (&row.content, row.target()) {
        (RowContent::Suggested(_), _) => ("suggest", Ink::Dim),
        (_, Some(DeprecationTarget::Package)) => ("package", Ink::Error),
        (_, Some(DeprecationTarget::Channel(_))) => ("channel", Ink::Warning),
        (_, Some(DeprecationTarget::Bundle(_))) => ("bundle", Ink::Deprecated),
        (_, None) => ("unclear", Ink::Error),
    }
}

fn target_label(view: &View<'_>, row: &DeprecationRow) -> String {
    let called = |target: &DeprecationTarget| match target {
        DeprecationTarget::Package => "package".to_owned(),
        DeprecationTarget::Channel(name) => name.to_string(),
        DeprecationTarget::Bundle(name) => {
            view.session.snapshot().and_then(|s| s.package(row.package.as_str())).map_or_else(
                || name.to_string(),
                |package_state| bundle_short_name(package_state.package(), name),
            )
        }
    };
    match &row.content {
        RowContent::Deprecated(one) => one.target.as_ref().map_or_else(|| one.reference.clone(), called),
        RowContent::Suggested(suggestion) => match suggestion.targets.as_slice() {
            [one] => called(one),
            all => format_count(all.len(), "bundle"),
        },
    }
}

fn suggestion_reason(view: &View<'_>, suggestion: &Suggestion) -> String {
    let package_state = view.session.snapshot().and_then(|s| s.package(suggestion.package.as_str()));
    suggestion.describe_reason(|name| {
        package_state.map_or_else(|| name.to_string(), |it| bundle_short_name(it.package(), name))
    })
}

/// Returns the verdict about a deprecation in one or two words.
fn verdict_piece(row: &DeprecationRow) -> Piece {
    if let RowContent::Suggested(suggestion) = &row.content {
        let words = match suggestion.reason {
            SuggestionReason::Ended { .. } => "ended",
            SuggestionReason::Unlisted { .. } => "too old",
            SuggestionReason::OldestHead { .. } => "old head",
        };
        return piece(words, Ink::Dim);
    }
    match row.verdict {
        Some(DeprecationVerdict::NoWayOut) => piece("NO UPGRADE", Ink::Error),
        Some(DeprecationVerdict::StopsV1) => piece("STOPS V1", Ink::Error),
        Some(DeprecationVerdict::Ends) => piece("ends", Ink::Warning),
        Some(DeprecationVerdict::Manual) => piece("manual", Ink::Warning),
        Some(DeprecationVerdict::HasWayOut) => piece("upgrade", Ink::Good),
        Some(DeprecationVerdict::Unaffected) | None => piece("no effect", Ink::Dim),
    }
}

fn draw_deprecation_details(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect, row: &DeprecationRow) {
    let columns = usize::from(area.width).saturating_sub(2);
    let mut lines = match &row.content {
        RowContent::Deprecated(one) => deprecation_detail_lines(view, row, one, columns),
        RowContent::Suggested(suggestion) => suggestion_detail_lines(view, suggestion, columns),
    };
    let room = usize::from(area.height);
    if lines.len() > room && room > 0 {
        let more = lines.len() - room + 1;
        lines.truncate(room - 1);
        let below = view.key_label(ActionId::ShrinkPane);
        lines.push(vec![piece(format!("... {more} more lines: {below} enlarges this pane"), Ink::Dim)]);
    }
    for (y, line) in (area.top()..area.bottom()).zip(&lines) {
        canvas.draw_line(Rect { x: area.x + 1, y, width: area.width - 1, height: 1 }, line);
    }
}

fn deprecation_detail_lines(
    view: &View<'_>,
    row: &DeprecationRow,
    one: &DeprecationReport,
    columns: usize,
) -> Vec<Line> {
    let mut lines = verdict_lines(one, columns);
    let told = view.state.selected_details();
    for sentence in &told.sentences {
        let (mark, ink) = effect_mark(sentence.fate);
        let (who, of) = match sentence.engine {
            Engine::Classic => ("Classic", Ink::Classic),
            Engine::V1 => ("v1", Ink::V1),
        };
        let head = [piece(format!("{mark:<2}"), ink), piece(format!("{who:<8}"), of)];
        lines.extend(hanging_lines(&head, &sentence.words, columns, ink));
    }
    lines.extend(package_stuck_lines(view, row, columns));
    lines.push(vec![piece("Message: ", Ink::Dim)]);
    let message = one.message.trim();
    lines
        .extend(message.lines().flat_map(|line| wrap_text(line, columns)).map(|line| vec![text_piece(line)]));
    if let Some(shown) = &told.classic_output {
        lines.extend(wrapped_lines(&format!("OLM Classic shows {shown}"), columns, Ink::Dim));
    }
    if let Some(shown) = &told.v1_output {
        let words = format!("A ClusterExtension of v1 shows {shown}");
        lines.extend(wrapped_lines(&words, columns, Ink::Dim));
    }
    lines.extend(lifecycle_lines(view, columns));
    if let Some(place) = &row.location {
        let place = place.path_and_line();
        lines.push(vec![piece("at ", Ink::Dim), piece(place, Ink::Key)]);
    }
    lines
}

/// Summarizes the stuck versions of the package, because v1 avoids deprecated bundles. Empty if none is stuck.
fn package_stuck_lines(view: &View<'_>, row: &DeprecationRow, columns: usize) -> Vec<Line> {
    let package_state = view.session.snapshot().and_then(|now| now.package(row.package.as_str()));
    let Some(package_state) = package_state else { return Vec::new() };
    let stuck = view.session.catalogs.stuck_of(package_state).filter(|stuck| stuck.count_any() > 0);
    let sentence = stuck.and_then(|stuck| {
        stuck::describe_stuck_versions(stuck, |name| bundle_short_name(package_state.package(), name))
    });
    let sentence = sentence.map(|sentence| format!("{}: {sentence}", row.package));
    sentence.map(|sentence| wrapped_lines(&sentence, columns, Ink::Warning)).unwrap_or_default()
}

/// Summarizes the affected versions, with one clause per line if the pane is narrow.
fn verdict_lines(one: &DeprecationReport, columns: usize) -> Vec<Line> {
    let on = match one.concerned.len() {
        0 => "No bundle is affected".to_owned(),
        1 => "1 version is affected".to_owned(),
        n => format!("{n} versions are affected"),
    };
    let mut clauses = vec![piece(on, Ink::Title)];
    let stranded = one.stranded().count();
    if one.is_package() {
        clauses.push(text_piece("no supported bundle of the package is left"));
    } else if stranded > 0 {
        clauses.push(piece(format!("{stranded} without an upgrade path"), Ink::Error));
    } else if !one.concerned.is_empty() {
        let words = if one.concerned.len() == 1 {
            "with an upgrade path"
        } else {
            "all with an upgrade \
         path"
        };
        clauses.push(piece(words, Ink::Good));
    }
    if !one.stopped.is_empty() {
        let words = format!("v1 stops on {} before it", format_count(one.stopped.len(), "version"));
        clauses.push(piece(words, Ink::Error));
    }
    let total: usize = clauses.iter().map(|clause| display_width(&clause.text) + 2).sum();
    if total > columns {
        return clauses.into_iter().map(|clause| vec![clause]).collect();
    }
    let mut line = Vec::new();
    for clause in clauses {
        if !line.is_empty() {
            line.push(text_piece(", "));
        }
        line.push(clause);
    }
    vec![line]
}

fn suggestion_detail_lines(view: &View<'_>, suggestion: &Suggestion, columns: usize) -> Vec<Line> {
    let key = view.key_label(ActionId::Deprecate);
    let mut lines = vec![
        vec![piece("Not deprecated, only suggested", Ink::Title)],
        vec![piece(key, Ink::Key), text_piece(" deprecates it, after a preview")],
    ];
    let mut paragraph = |words: &str, ink: Ink| {
        lines.extend(wrapped_lines(words, columns, ink));
    };
    paragraph(&format!("Why: {}", suggestion_reason(view, suggestion)), Ink::Text);
    let package_state = view.session.snapshot().and_then(|s| s.package(suggestion.package.as_str()));
    let names = suggestion.targets.iter().map(|target| match (target, package_state) {
        (DeprecationTarget::Bundle(name), Some(package_state)) => {
            bundle_short_name(package_state.package(), name)
        }
        (DeprecationTarget::Bundle(name), None) => name.to_string(),
        (DeprecationTarget::Channel(name), _) => format!("channel {name}"),
        (DeprecationTarget::Package, _) => "the package".to_owned(),
    });
    paragraph(&format!("What: {}", names.collect::<Vec<_>>().join(" ")), Ink::Text);
    paragraph(&format!("Proposed message: {}", suggestion.message), Ink::Dim);
    lines.extend(lifecycle_lines(view, columns));
    lines
}

/// Returns the lifecycle of the selection, phase by phase.
fn lifecycle_lines(view: &View<'_>, columns: usize) -> Vec<Line> {
    let Some(known) = &view.state.selected_details().lifecycle else { return Vec::new() };
    wrapped_lines(&describe_lifecycle(view, known), columns, Ink::Dim)
}

fn describe_lifecycle(view: &View<'_>, known: &VersionSupport) -> String {
    let phases = known.phases.iter().map(|phase| match phase.end {
        Some(end) => format!("{} until {end}", phase.name),
        None => phase.name.clone(),
    });
    let phases = phases.collect::<Vec<_>>().join(", ");
    let now = match view.settings.today {
        Some(today) if known.has_ended(today) => "; it has ended".to_owned(),
        Some(today) => known.phase_on(today).map(|phase| format!("; now {}", phase.name)).unwrap_or_default(),
        None => String::new(),
    };
    format!("Lifecycle of {}: {phases}{now}", known.name)
}
