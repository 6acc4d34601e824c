//! Reasons for the answers of the selected row.

use ratatui::layout::Rect;

use crate::tui::{
    keys::ActionId,
    parts::list::ListId,
    screens::upgrades::view::{
        View,
        cells::RowStates,
        table::{self, Column},
    },
    widgets::{
        answers,
        canvas::{
            Canvas, Line, Piece, display_width, hanging_lines, pad, piece, text_piece, wrap_text,
            wrapped_lines,
        },
        cluster_answers, details, expectations,
        lists::bundle_short_name,
        stuck_versions,
        theme::Ink,
    },
};
use olm_catalog::{BundleName, package::Package};
use olm_check::review::PackageState;
use olm_upgrade::{
    Answer, DependencyResult, Engine,
    explanation::{self, Outcome},
};

/// Approximate columns of the table besides the state of a row.
const TABLE_COLUMNS: usize = 60;

/// Maximum columns of the names.
const MAX_NAME_COLUMNS: usize = 34;

/// Minimum columns of a reason next to a name; otherwise it is on the next line.
const MIN_REASON_COLUMNS: usize = 30;

/// Indentation of a reason on its own line.
const INDENT: usize = 4;

/// Draws the pane.
pub(super) fn draw_reasons(
    view: &View<'_>,
    package_state: &PackageState,
    left_out: &[Column],
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let focused = view.state.is_reading_reasons();
    // The selected version is not in the table.
    if view.hides_all_rows(ListId::Upgrades) {
        return;
    }
    let Some(name) = &view.session.selection().bundle else { return };
    let title = format!("Why, with {} installed", bundle_short_name(package_state.package(), name));
    let heading = [text_piece(" "), piece(title, if focused { Ink::Active } else { Ink::Title })];
    let keys = if focused {
        let (down, up, back) =
            (view.key_label(ActionId::Down), view.key_label(ActionId::Up), view.key_label(ActionId::Back));
        format!("{down} {up} scroll, {back} back ")
    } else {
        format!("{} scrolls ", view.key_label(ActionId::In))
    };
    canvas.draw_heading(Rect { height: 1, ..area }, &heading, &[piece(keys, Ink::Dim)]);
    let inner = Rect {
        x: area.x + 1,
        y: area.y + 1,
        width: area.width.saturating_sub(2),
        height: area.height.saturating_sub(1),
    };
    let columns = usize::from(inner.width).saturating_sub(2);
    let mut lines = expectations::unmet_expectation_lines(view, name, columns);
    lines.extend(details::removed_bundle_lines(view, columns));
    lines.extend(stuck_versions::version_lines(view, package_state, name, columns));
    lines.extend(state_lines(view, package_state, name, columns));
    lines.extend(
        omitted_path_ends(view, package_state, name, left_out).map(|words| vec![piece(words, Ink::Text)]),
    );
    lines.extend(resolution_lines(view, package_state, name, columns));
    lines.extend(answers::both_answer_lines(view, package_state, columns, canvas.ascii));
    let answers = view.session.derived.selected_upgrades();
    for answer in answers.catalog_answers() {
        lines.push(Vec::new());
        lines.extend(candidate_lines(package_state.package(), answer, columns));
    }
    if let Some(cluster) = &answers.cluster {
        lines.push(Vec::new());
        lines.extend(cluster_answers::catalog_lines(view, package_state, cluster, columns));
        if let Some((pick, picked)) = cluster.answer.pick.as_ref().zip(cluster.picked_catalog.as_ref()) {
            lines.push(Vec::new());
            lines.push(vec![piece(format!("Bundles of {}", pick.catalog.name), Ink::V1)]);
            lines.extend(candidate_lines(package_state.package(), picked, columns));
        }
    }
    canvas.draw_scrolled_lines(
        inner,
        ListId::Reasons,
        view.session.lists.first_row(ListId::Reasons),
        focused,
        &lines,
    );
}

/// Returns the path ends that the row has no room for.
fn omitted_path_ends(
    view: &View<'_>,
    package_state: &PackageState,
    name: &BundleName,
    left_out: &[Column],
) -> Option<String> {
    let row = view.session.derived.upgrade_table()?.find_row(name)?;
    table::describe_path_ends(package_state.package(), row, left_out)
}

/// Returns the remarks of the row, and the reasons why it blocks the cluster update. The lines above them
/// have the state of the row.
fn state_lines(
    view: &View<'_>,
    package_state: &PackageState,
    name: &BundleName,
    columns: usize,
) -> Vec<Line> {
    let package = package_state.package();
    let mut lines: Vec<Line> = Vec::new();
    let Some(upgrades) = view.session.derived.upgrade_table() else { return lines };
    let mut say = |words: &str, ink| {
        lines.extend(wrapped_lines(words, columns, ink));
    };
    if let Some(row) = upgrades.find_row(name) {
        let states = RowStates::new(view, package_state, upgrades);
        let text = |pieces: Vec<Piece>| pieces.into_iter().map(|piece| piece.text).collect::<String>();
        let remarks = text(states.remark_pieces(package, upgrades, row));
        // The text is omitted if the row has room for it.
        let row_columns = display_width(&text(states.state_pieces(package, upgrades, row)));
        if !remarks.is_empty() && row_columns + TABLE_COLUMNS > columns {
            say(&remarks, Ink::Note);
        }
    }
    if let Some(update) = view.state.cluster_update()
        && let Some(blocker) = update.blocker(name)
    {
        let way = blocker.describe_way_out(|name| bundle_short_name(package, name));
        let to = if blocker.classic.is_some() || blocker.v1.is_some() { "upgrade first: " } else { "" };
        let words =
            format!("blocks the update {} -> {}: {}; {to}{way}", update.from, update.to, blocker.reason());
        say(&words, Ink::Warning);
    }
    lines
}

/// Returns the pick of Classic if dependencies are considered, and the reason.
fn resolution_lines(
    view: &View<'_>,
    package_state: &PackageState,
    name: &BundleName,
    columns: usize,
) -> Vec<Line> {
    let Some(alone) = view.session.resolved_upgrades().and_then(|solved| solved.get(name)) else {
        return Vec::new();
    };
    let name = |name: &BundleName| bundle_short_name(package_state.package(), name);
    let head = match &alone.solved {
        None => "With dependencies: not known".to_owned(),
        Some(DependencyResult::Nothing) => {
            "With dependencies: blocked, nothing in the namespace moves".to_owned()
        }
        Some(DependencyResult::Stays) => "With dependencies: stays".to_owned(),
        Some(DependencyResult::Bundle(to)) => format!("With dependencies: {}", name(to)),
    };
    let mut lines = vec![vec![piece(head, Ink::Warning)]];
    for reason in &alone.why {
        lines.extend(hanging_lines(&[text_piece("  ")], reason, columns, Ink::Text));
    }
    lines
}

/// Lists all candidates in order of preference, with the outcome of each.
fn candidate_lines(package: &Package, answer: &Answer, columns: usize) -> Vec<Line> {
    let ink = match answer.engine {
        Engine::Classic => Ink::Classic,
        Engine::V1 => Ink::V1,
    };
    let mut lines: Vec<Line> = wrapped_lines(explanation::describe_rule(answer), columns, ink);
    let explained = explanation::explain_answer(answer);
    let subject = |line: &explanation::ExplanationLine<'_>| {
        explanation::line_subject(line, |name| bundle_short_name(package, name))
    };
    let column = explained
        .iter()
        .map(|line| display_width(&subject(line)))
        .max()
        .unwrap_or_default()
        .min(MAX_NAME_COLUMNS);
    for line in &explained {
        let ink = match line.outcome {
            Outcome::Picked => Ink::Good,
            Outcome::Possible => Ink::Text,
            Outcome::Excluded => Ink::Dim,
        };
        // Only the outcome is dimmed; the reason stays readable.
        let why = if ink == Ink::Dim { Ink::Text } else { ink };
        let outcome = pad(line.outcome.as_str(), 8, false);
        let name = subject(line);
        let narrow = columns < column + 12 + MIN_REASON_COLUMNS;
        let indent = if narrow { INDENT } else { column + 12 };
        // The reason follows on the next line if the name is wider than the column.
        let beside = !narrow && display_width(&name) <= column;
        let mut head = vec![
            piece(format!("  {outcome} "), ink),
            text_piece(pad(&name, column.max(display_width(&name)), false)),
        ];
        let mut words = wrap_text(&line.reason, columns.saturating_sub(indent)).into_iter();
        if beside && let Some(words) = words.next() {
            head.push(piece(format!(" {words}"), why));
        }
        lines.push(head);
        lines.extend(words.map(|line| vec![text_piece(" ".repeat(indent)), piece(line, why)]));
    }
    if explained.is_empty() {
        lines.push(vec![piece("  no candidates", Ink::Dim)]);
    }
    lines
}
