//! List of the providers and requirers of APIs and packages.

use ratatui::layout::Rect;

use crate::{
    app::{
        Model,
        dialogs::apis::Apis,
        keys::{ActionId, Dialog},
        parts::list::ListId,
        session::open::labels,
    },
    export::apis::channels,
    ui::{
        canvas::{Canvas, Pieces, pad, piece, text, width, wrap},
        parts::{
            boxes::{centred, field, way_out},
            lists::list_view,
        },
        text::plural,
        theme::Role,
    },
    upgrade::apis::{Group, Side, Usage},
};

/// Lines for details of the selected row.
const MORE: u16 = 4;

/// Below this width the verbs are omitted to leave room for the names.
const NARROW: u16 = 60;

/// Columns of the box.
const WIDE: u16 = 110;

/// Draws the list of all APIs and packages, or the bundles related to a selected one.
pub(in crate::ui) fn draw(model: &Model, apis: &Apis, canvas: &mut Canvas<'_>, area: Rect) {
    let title = match apis.of() {
        Some(thing) => format!("Who provides and requires {thing}"),
        None => "APIs and packages: who provides and requires them".to_owned(),
    };
    let most = area.height * 9 / 10;
    let rows = if apis.of().is_some() { apis.groups().count() } else { apis.count() };
    // The field, a rule, the keys and the frame.
    let high = u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(MORE + 5).min(most);
    let inner = canvas.boxed(centred(area, WIDE, high), &title);
    if inner.height < 3 {
        return;
    }
    field(canvas, Rect { height: 1, ..inner }, &apis.input, true);
    let more = MORE.min(inner.height.saturating_sub(4) / 3);
    let below = more + 1 + u16::from(more > 0);
    let list = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1 + below), ..inner };
    let (count, lines) = match apis.of() {
        None => of_all(model, apis, canvas, list),
        Some(_) => of_one(model, apis, canvas, list),
    };
    canvas.line_right(Rect { height: 1, ..inner }, &[piece(count, Role::Dim)]);
    if more > 0 {
        canvas.rule(Rect { y: list.bottom(), height: 1, ..inner });
        let columns = usize::from(inner.width);
        let lines = lines.iter().flat_map(|(words, role)| {
            wrap(words, columns).into_iter().map(move |line| vec![piece(line, *role)])
        });
        for (y, line) in (list.bottom() + 1..inner.bottom().saturating_sub(1)).zip(lines) {
            canvas.line(Rect { y, height: 1, ..inner }, &line);
        }
    }
    let (enter, leave) = match apis.of() {
        None => ("lists who", "closes"),
        Some(_) if apis.came_from_all() => ("goes there", "goes back"),
        Some(_) => ("goes there", "closes"),
    };
    way_out(model, Dialog::Apis, canvas, inner, &[(ActionId::Accept, enter), (ActionId::Cancel, leave)]);
}

/// Detail lines below a list, each with a role.
type Said = Vec<(String, Role)>;

fn of_all(model: &Model, apis: &Apis, canvas: &mut Canvas<'_>, list: Rect) -> (String, Said) {
    let left: Vec<&Usage> = apis.left().collect();
    if left.is_empty() {
        let words =
            if apis.count() == 0 { "no bundle provides or requires an API" } else { "nothing matches" };
        canvas.put(list.x, list.y, list.width, words, Role::Dim);
    }
    canvas.list(list, &list_view(model, ListId::Dialog(canvas.below)), |at| {
        left.get(at).map(|usage| row_of_usage(usage, list.width)).unwrap_or_default()
    });
    let mut count = format!("{} of {}", left.len(), apis.count());
    if apis.missing() > 0 {
        count.push_str(&format!(", {} not provided", apis.missing()));
    }
    let said = left.get(apis.cursor).map(|usage| {
        let mut said = Vec::new();
        for side in [Side::Provided, Side::Required] {
            for group in usage.side(side).iter().take(usize::from(MORE)) {
                let role = if group.met { Role::Text } else { Role::Warning };
                said.push((words(side, group), role));
            }
        }
        said
    });
    (count, said.unwrap_or_default())
}

fn row_of_usage(usage: &Usage, columns: u16) -> Pieces {
    let role = if usage.is_missing() { Role::Warning } else { Role::Text };
    // The count comes first, so it stays visible if the name is long.
    let number = |side, verb| {
        let count = usage.packages(side);
        let role = if count == 0 { Role::Dim } else { Role::Text };
        let words = if columns < NARROW { format!("{count:>3}") } else { format!("{count:>3} {verb} ") };
        piece(words, role)
    };
    let mut pieces = vec![number(Side::Provided, "provide"), number(Side::Required, "require")];
    pieces.push(piece(if usage.is_missing() { " ! " } else { "   " }, Role::Warning));
    pieces.push(piece(usage.thing.to_string(), role));
    pieces
}

fn of_one(model: &Model, apis: &Apis, canvas: &mut Canvas<'_>, list: Rect) -> (String, Said) {
    let groups: Vec<(Side, &Group)> = apis.groups().collect();
    if groups.is_empty() {
        canvas.put(list.x, list.y, list.width, "nothing matches", Role::Dim);
    }
    let open = &model.session.open;
    let labels = if open.len() > 1 { labels(open) } else { Vec::new() };
    let widest = groups.iter().map(|(_, group)| width(group.name().as_str())).max().unwrap_or_default();
    let column = widest.min(usize::from(list.width) / 2);
    let ascii = canvas.ascii;
    canvas.list(list, &list_view(model, ListId::Dialog(canvas.below)), |at| {
        let Some((side, group)) = groups.get(at) else { return Vec::new() };
        let role = match (side, group.met) {
            (Side::Provided, _) => Role::Good,
            (Side::Required, true) => Role::Dim,
            (Side::Required, false) => Role::Warning,
        };
        let verb = if *side == Side::Provided { "provides" } else { "requires" };
        let mut pieces = vec![
            piece(format!("{verb}  "), role),
            text(format!("{}  ", pad(group.name().as_str(), column, ascii))),
            text(format!("{} ", group.what)),
            piece(group.words(), Role::Dim),
        ];
        pieces.extend(labels.get(group.catalog).map(|label| piece(format!("  {label}"), Role::Dim)));
        pieces
    });
    let said = groups.get(apis.cursor).map(|(side, group)| {
        let role = if group.met { Role::Text } else { Role::Warning };
        vec![(words(*side, group), role), (channels(group), Role::Dim)]
    });
    (plural(groups.len(), "row"), said.unwrap_or_default())
}

/// Describes a group: `provided by harbour 1.0.0 to 2.3.1 (12 bundles)`.
fn words(side: Side, group: &Group) -> String {
    let what = if group.what.is_empty() { String::new() } else { format!("{} ", group.what) };
    let missing = if group.met { "" } else { ": not provided" };
    format!("{what}{} by {} {}{missing}", side.as_str(), group.name(), group.words())
}
