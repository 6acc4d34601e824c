//! Reasons for the answers of the selected row.

use ratatui::layout::Rect;

use crate::{
    app::{Model, keys::ActionId, parts::list::ListId},
    catalog::{BundleName, package::Package},
    review::Judged,
    ui::{
        canvas::{Canvas, Pieces, pad, piece, text, width, wrap},
        parts::{answers, details, expected, lists::short, stuck},
        screens::upgrades::{
            table::{self, Column},
            words::States,
        },
        theme::Role,
    },
    upgrade::{
        Answer, Engine, Solved,
        explain::{self, Outcome},
    },
};

/// Approximate columns of the table besides the state of a row.
const BESIDE: usize = 60;

/// Maximum columns of the names.
const NAMES: usize = 34;

/// Minimum columns of a reason next to a name; otherwise it is on the next line.
const FEWEST: usize = 30;

/// Indentation of a reason on its own line.
const INDENT: usize = 4;

/// Draws the pane.
pub(super) fn draw(model: &Model, judged: &Judged, left_out: &[Column], canvas: &mut Canvas<'_>, area: Rect) {
    let focused = model.screens.upgrades.is_reading_reasons();
    let Some(name) = &model.session.selection().bundle else { return };
    let title = format!("Why, with {} installed", short(judged.package(), name));
    let heading = [text(" "), piece(title, if focused { Role::Active } else { Role::Title })];
    let keys = if focused {
        let (down, up, back) =
            (model.key(ActionId::Down), model.key(ActionId::Up), model.key(ActionId::Back));
        format!("{down} {up} scroll, {back} back ")
    } else {
        format!("{} scrolls ", model.key(ActionId::In))
    };
    canvas.heading(Rect { height: 1, ..area }, &heading, &[piece(keys, Role::Dim)]);
    let inner = Rect {
        x: area.x + 1,
        y: area.y + 1,
        width: area.width.saturating_sub(2),
        height: area.height.saturating_sub(1),
    };
    let columns = usize::from(inner.width).saturating_sub(2);
    let mut lines = expected::lines(model, name, columns);
    lines.extend(details::gone(model, columns));
    lines.extend(stuck::version_lines(model, judged, name, columns));
    lines.extend(remarks(model, judged, name, columns));
    lines.extend(ends(model, judged, name, left_out).map(|words| vec![piece(words, Role::Text)]));
    lines.extend(solved(model, judged, name, columns));
    lines.extend(answers::answers(model, judged, columns, canvas.ascii));
    let answers = model.session.answers.picks();
    for answer in [&answers.classic, &answers.v1].into_iter().flatten() {
        lines.push(Vec::new());
        lines.extend(candidates(judged.package(), answer, columns));
    }
    canvas.lines(inner, ListId::Reasons, model.session.lists.first(ListId::Reasons), focused, &lines);
}

/// Returns the path ends that the row has no room for.
fn ends(model: &Model, judged: &Judged, name: &BundleName, left_out: &[Column]) -> Option<String> {
    let row = model.session.answers.table()?.row(name)?;
    table::ends(judged.package(), row, left_out)
}

/// Returns the full state of the row, and the reasons why it blocks the cluster update.
fn remarks(model: &Model, judged: &Judged, name: &BundleName, columns: usize) -> Vec<Pieces> {
    let package = judged.package();
    let mut lines: Vec<Pieces> = Vec::new();
    let Some(upgrades) = model.session.answers.table() else { return lines };
    let words: String = upgrades
        .row(name)
        .map(|row| {
            let states = States::new(model, judged);
            states.words(package, upgrades, row).into_iter().map(|piece| piece.text).collect()
        })
        .unwrap_or_default();
    let mut say = |words: &str, role| {
        lines.extend(wrap(words, columns).into_iter().map(|line| vec![piece(line, role)]));
    };
    // The text is omitted if the row has room for it.
    if !words.is_empty() && width(&words) + BESIDE > columns {
        say(&words, Role::Note);
    }
    if let Some(update) = model.screens.upgrades.cluster_update()
        && let Some(blocker) = update.blocker(name)
    {
        let way = blocker.way(|name| short(package, name));
        let to = if blocker.classic.is_some() || blocker.v1.is_some() { "upgrade first: " } else { "" };
        let words =
            format!("blocks the update {} -> {}: {}; {to}{way}", update.from, update.to, blocker.reason());
        say(&words, Role::Warning);
    }
    lines
}

/// Returns the pick of Classic if dependencies are considered, and the reason.
fn solved(model: &Model, judged: &Judged, name: &BundleName, columns: usize) -> Vec<Pieces> {
    let Some(alone) = model.session.solved().and_then(|solved| solved.get(name)) else { return Vec::new() };
    let name = |name: &BundleName| short(judged.package(), name);
    let head = match &alone.solved {
        None => "With dependencies: not known".to_owned(),
        Some(Solved::Nothing) => "With dependencies: blocked, nothing in the namespace moves".to_owned(),
        Some(Solved::Stays) => "With dependencies: stays".to_owned(),
        Some(Solved::Bundle(to)) => format!("With dependencies: {}", name(to)),
    };
    let mut lines = vec![vec![piece(head, Role::Warning)]];
    for reason in &alone.why {
        let words = wrap(reason, columns.saturating_sub(2)).into_iter();
        lines.extend(words.map(|line| vec![text("  "), piece(line, Role::Text)]));
    }
    lines
}

/// Lists all candidates in order of preference, with the outcome of each.
fn candidates(package: &Package, answer: &Answer, columns: usize) -> Vec<Pieces> {
    let role = match answer.engine {
        Engine::Classic => Role::Classic,
        Engine::V1 => Role::V1,
    };
    let mut lines: Vec<Pieces> =
        wrap(explain::rule(answer), columns).into_iter().map(|line| vec![piece(line, role)]).collect();
    let explained = explain::explain(answer);
    let subject = |line: &explain::Line<'_>| explain::subject(line, |name| short(package, name));
    let column = explained.iter().map(|line| width(&subject(line))).max().unwrap_or_default().min(NAMES);
    for line in &explained {
        let role = match line.outcome {
            Outcome::Picked => Role::Good,
            Outcome::Possible => Role::Text,
            Outcome::Refused => Role::Dim,
        };
        // Only the outcome is dimmed; the reason stays readable.
        let why = if role == Role::Dim { Role::Text } else { role };
        let outcome = pad(line.outcome.as_str(), 8, false);
        let name = subject(line);
        let narrow = columns < column + 12 + FEWEST;
        let indent = if narrow { INDENT } else { column + 12 };
        // The reason follows on the next line if the name is wider than the column.
        let beside = !narrow && width(&name) <= column;
        let mut head =
            vec![piece(format!("  {outcome} "), role), text(pad(&name, column.max(width(&name)), false))];
        let mut words = wrap(&line.why, columns.saturating_sub(indent)).into_iter();
        if beside && let Some(words) = words.next() {
            head.push(piece(format!(" {words}"), why));
        }
        lines.push(head);
        lines.extend(words.map(|line| vec![text(" ".repeat(indent)), piece(line, why)]));
    }
    if explained.is_empty() {
        lines.push(vec![piece("  no candidates", Role::Dim)]);
    }
    lines
}
