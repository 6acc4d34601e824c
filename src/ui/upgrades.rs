//! Screen 3: what happens to every installed version.

use ratatui::layout::Rect;

use super::{
    canvas::{Canvas, Piece, Pieces, pad, piece, text, width, wrap},
    catalog::{empty, list_view, short},
    details,
    frame::plural,
    theme::Role,
};
use crate::{
    app::{Model, hit::Hit, list::ListId, model::UpgradesFocus},
    catalog::package::Package,
    review::Judged,
    upgrade::{
        Answer, Engine, Refusal, Verdict,
        table::{Next, PathEnd},
    },
};

/// Draws the screen.
pub fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let used = fields(model, canvas, area);
    let body = Rect { y: area.y + used, height: area.height.saturating_sub(used), ..area };
    let Some(judged) = model.package() else {
        return empty(canvas, body, "no package is selected");
    };
    let narrow = body.height < 9;
    if narrow {
        if model.upgrades_focus == UpgradesFocus::Reasons {
            reasons(model, judged, canvas, body);
        } else {
            table(model, judged, canvas, body);
        }
        return;
    }
    let below = if model.upgrades_focus == UpgradesFocus::Reasons {
        body.height * 3 / 5
    } else {
        body.height * 2 / 5
    };
    let upper = Rect { height: body.height - below - 1, ..body };
    table(model, judged, canvas, upper);
    canvas.rule(Rect { y: upper.bottom(), height: 1, ..body });
    reasons(model, judged, canvas, Rect { y: upper.bottom() + 1, height: below, ..body });
}

/// Columns kept for the words about a row.
const WORDS: usize = 24;

/// The fields that say what is asked; gives the rows they take.
fn fields(model: &Model, canvas: &mut Canvas<'_>, area: Rect) -> u16 {
    let any = |text: String| if text.is_empty() { "any".to_owned() } else { text };
    let channels: Vec<&str> = model.query.channels.iter().map(AsRef::as_ref).collect();
    let values = [
        ("Classic in", model.subscribed_channel().map(ToString::to_string).unwrap_or_default()),
        ("v1 in", any(channels.join(","))),
        ("version", any(model.query.version.clone())),
        ("policy", model.query.policy.as_str().to_owned()),
    ];
    let (mut x, mut y) = (area.x + 1, area.y);
    for (index, (label, value)) in values.into_iter().enumerate() {
        let focused = model.upgrades_focus as usize == index;
        let value = format!("[{value}]");
        let wanted = u16::try_from(width(label) + 1 + width(&value) + 2).unwrap_or(area.width);
        if x > area.x + 1 && x + wanted > area.right() {
            (x, y) = (area.x + 1, y + 1);
        }
        let room = area.right().saturating_sub(x);
        let pieces = [
            piece(format!("{label} "), Role::Dim),
            piece(value, if focused { Role::Active } else { Role::Key }),
        ];
        let used = canvas.line(Rect { x, y, width: room, height: 1 }, &pieces);
        canvas.hit(Rect { x, y, width: used, height: 1 }, Hit::Field(index));
        x += used + 2;
    }
    y - area.y + 1
}

fn table(model: &Model, judged: &Judged, canvas: &mut Canvas<'_>, area: Rect) {
    let Some(table) = model.derived.table() else {
        return empty(canvas, area, "no channel is selected");
    };
    let package = judged.package();
    let summary = table.summary();
    let mut heading =
        vec![text(" "), piece(format!("{} of {} agree", summary.agree, summary.total), Role::Title)];
    if summary.dead_ends > 0 {
        heading.push(piece(format!("  {}", plural(summary.dead_ends, "dead end")), Role::Error));
    }
    if summary.escapes > 0 {
        heading.push(piece(format!("  {}", plural(summary.escapes, "escape")), Role::Warning));
    }
    let filter = model.lists.filter(ListId::Upgrades);
    if !filter.is_empty() {
        heading.push(piece(format!("  /{filter}"), Role::Match));
    }
    if let Some(error) = &table.query_error {
        heading.push(piece(format!("  {error}"), Role::Error));
    }
    canvas.heading(Rect { height: 1, ..area }, &heading, &[]);
    let rows = model.derived.rows();
    let label = |next: &Next| next_label(package, next);
    let widest = |texts: &mut dyn Iterator<Item = String>, least: usize, most: usize| {
        texts.map(|t| width(&t)).max().unwrap_or(least).clamp(least, most.max(least))
    };
    let shown = || rows.iter().filter_map(|&row| table.rows.get(row));
    // The words at the end come first: they are why one looks. Where it is narrow, where a path ends gives way.
    let room = usize::from(area.width).saturating_sub(3 + WORDS);
    let narrow = area.width < 76;
    let most = room.saturating_sub(8) / if narrow { 3 } else { 4 };
    let columns = [
        widest(&mut shown().map(|r| short(package, &r.installed.name)), 9, most),
        widest(&mut shown().map(|r| label(&r.classic)), 12, most),
        if narrow { 0 } else { widest(&mut shown().map(|r| end_label(package, &r.classic_end)), 7, most) },
        widest(&mut shown().map(|r| label(&r.v1)), 7, most),
    ];
    let ascii = canvas.ascii;
    let cell =
        |value: &str, column: usize, role| piece(format!("{}  ", pad(value, columns[column], ascii)), role);
    let titles = ["installed", "Classic next", "ends at", "v1 next"]
        .iter()
        .enumerate()
        .map(|(i, t)| cell(t, i, Role::Dim));
    let mut header: Pieces = vec![text(" ")];
    header.extend(titles);
    header.push(piece("difference", Role::Dim));
    canvas.line(Rect { y: area.y + 1, height: 1, ..area }, &header);
    let list = Rect { y: area.y + 2, height: area.height.saturating_sub(2), ..area };
    if rows.is_empty() {
        return empty(canvas, list, "no bundles");
    }
    canvas.list(list, &list_view(model, ListId::Upgrades), |row| {
        let Some(row) = rows.get(row).and_then(|&row| table.rows.get(row)) else { return Vec::new() };
        let role = |next: &Next| match next {
            Next::To(_) => Role::Text,
            Next::Stays => Role::Dim,
            Next::Error(_) => Role::Error,
        };
        let installed = if row.in_channel { Role::Text } else { Role::Dim };
        let mut pieces = vec![
            cell(&short(package, &row.installed.name), 0, installed),
            cell(&label(&row.classic), 1, if row.dead_end { Role::Error } else { role(&row.classic) }),
            cell(&end_label(package, &row.classic_end), 2, Role::Dim),
            cell(&label(&row.v1), 3, if row.escapes { Role::Warning } else { role(&row.v1) }),
        ];
        pieces.extend(difference(row));
        pieces
    });
}

fn next_label(package: &Package, next: &Next) -> String {
    match next {
        Next::Stays => "stays".to_owned(),
        Next::To(name) => short(package, name),
        Next::Error(_) => "error".to_owned(),
    }
}

fn end_label(package: &Package, end: &PathEnd) -> String {
    match end.hops {
        0 => "-".to_owned(),
        hops => format!("{} +{hops}", short(package, &end.name)),
    }
}

/// What a reader should notice about a row, in words.
fn difference(row: &crate::upgrade::UpgradeRow) -> Vec<Piece> {
    let mut words: Vec<(&str, Role)> = Vec::new();
    if !row.in_channel {
        words.push(("not in this channel", Role::Dim));
    }
    if row.dead_end {
        words.push(("DEAD END in Classic", Role::Error));
    }
    if row.escapes {
        words.push(("v1 ESCAPES the channel", Role::Warning));
    }
    if row.skipped {
        words.push(("skipped", Role::Skipped));
    }
    if row.deprecated {
        words.push(("deprecated", Role::Deprecated));
    }
    if row.lands_on_deprecated {
        words.push(("lands on a deprecated one", Role::Deprecated));
    }
    if row.classic_end.circular || row.v1_end.circular {
        words.push(("runs in a circle", Role::Warning));
    }
    if row.in_channel && !row.agrees() && !row.dead_end && !row.escapes {
        words.push(("they differ", Role::Note));
    }
    let mut pieces = Vec::new();
    for (index, (word, role)) in words.into_iter().enumerate() {
        if index > 0 {
            pieces.push(piece(", ", Role::Dim));
        }
        pieces.push(piece(word, role));
    }
    pieces
}

fn reasons(model: &Model, judged: &Judged, canvas: &mut Canvas<'_>, area: Rect) {
    let focused = model.upgrades_focus == UpgradesFocus::Reasons;
    let Some(name) = &model.selection().bundle else { return };
    let title = format!("Why, with {} installed", short(judged.package(), name));
    let heading = [text(" "), piece(title, if focused { Role::Active } else { Role::Title })];
    canvas.heading(Rect { height: 1, ..area }, &heading, &[piece("enter reads on, esc back ", Role::Dim)]);
    let inner =
        Rect { x: area.x + 1, y: area.y + 1, width: area.width.saturating_sub(2), height: area.height - 1 };
    let columns = usize::from(inner.width).saturating_sub(2);
    let mut lines = details::answers(model, judged, columns, canvas.ascii);
    let answers = model.derived.answers();
    for answer in [&answers.classic, &answers.v1].into_iter().flatten() {
        lines.push(Vec::new());
        lines.extend(candidates(judged.package(), answer, columns));
    }
    canvas.lines(inner, ListId::Reasons, model.lists.first(ListId::Reasons), focused, &lines);
}

/// Every candidate in the order in which the resolver prefers it, and what became of it.
fn candidates(package: &Package, answer: &Answer, columns: usize) -> Vec<Pieces> {
    let (title, role) = match answer.engine {
        Engine::Classic => ("Classic looks down the chain from the head", Role::Classic),
        Engine::V1 => ("v1 looks from the highest version down, deprecated bundles last", Role::V1),
    };
    let mut lines: Vec<Pieces> = vec![vec![piece(title, role)]];
    let column = answer.candidates.iter().map(|c| width(&short(package, &c.name))).max().unwrap_or(8).min(30);
    let mut won = false;
    // What has no edge at all is said in one line: it is most of a big channel.
    let mut unreached = 0;
    for candidate in &answer.candidates {
        let (mark, words, role) = match &candidate.verdict {
            Verdict::Admitted(admission) if !won => {
                won = true;
                ("picks ", admission.to_string(), Role::Good)
            }
            Verdict::Admitted(admission) => ("admits", admission.to_string(), Role::Text),
            Verdict::Refused(Refusal::NoEdge { ranges }) if ranges.is_empty() => {
                unreached += 1;
                continue;
            }
            Verdict::Refused(refusal) => ("not   ", refusal.to_string(), Role::Dim),
        };
        let label = pad(&short(package, &candidate.name), column, false);
        let indent = column + 10;
        for (index, line) in wrap(&words, columns.saturating_sub(indent).max(20)).into_iter().enumerate() {
            lines.push(if index == 0 {
                vec![piece(format!("  {mark} "), role), text(format!("{label} ")), piece(line, role)]
            } else {
                vec![text(" ".repeat(indent)), piece(line, role)]
            });
        }
    }
    if unreached > 0 {
        lines.push(vec![piece(format!("  {unreached} more that no edge leads to"), Role::Dim)]);
    }
    if answer.candidates.is_empty() {
        lines.push(vec![piece("  no candidates", Role::Dim)]);
    }
    lines
}
