//! List of the providers and requirers of APIs and packages.

use ratatui::layout::Rect;

use crate::{
    tui::{
        Model,
        dialogs::api_list::ApiList,
        keys::{ActionId, Dialog},
        parts::list::ListId,
        session::open_catalog::catalog_labels,
    },
    ui::{
        canvas::{Canvas, Pieces, display_width, pad, piece, text_piece, wrap_text},
        parts::{
            boxes::{centered, draw_field, draw_key_hints},
            lists::list_view,
        },
        text::format_count,
        theme::Role,
    },
};
use olm_upgrade::apis::{DependencyGroup, Side, Usage};
use olmap_report::apis::describe_group_channels;

/// Lines for details of the selected row.
const DETAIL_LINES: u16 = 4;

/// Below this width the verbs are omitted to leave room for the names.
const NARROW_COLUMNS: u16 = 60;

/// Columns of the box.
const BOX_COLUMNS: u16 = 110;

/// Draws the list of all APIs and packages, or the bundles related to a selected one.
pub(in crate::ui) fn draw_api_list(model: &Model, apis: &ApiList, canvas: &mut Canvas<'_>, area: Rect) {
    let title = match apis.opened_thing() {
        Some(thing) => format!("Who provides and requires {thing}"),
        None => "APIs and packages: who provides and requires them".to_owned(),
    };
    let most = area.height * 9 / 10;
    let rows =
        if apis.opened_thing().is_some() { apis.filtered_groups().count() } else { apis.count_usages() };
    // The field, a rule, the keys and the frame.
    let high = u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(DETAIL_LINES + 5).min(most);
    let inner = canvas.draw_box(centered(area, BOX_COLUMNS, high), &title);
    if inner.height < 3 {
        return;
    }
    draw_field(canvas, Rect { height: 1, ..inner }, &apis.input, true);
    let more = DETAIL_LINES.min(inner.height.saturating_sub(4) / 3);
    let below = more + 1 + u16::from(more > 0);
    let list = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1 + below), ..inner };
    let (count, lines) = match apis.opened_thing() {
        None => draw_all_usages(model, apis, canvas, list),
        Some(_) => draw_usage_groups(model, apis, canvas, list),
    };
    canvas.draw_line_right(Rect { height: 1, ..inner }, &[piece(count, Role::Dim)]);
    if more > 0 {
        canvas.draw_rule(Rect { y: list.bottom(), height: 1, ..inner });
        let columns = usize::from(inner.width);
        let lines = lines.iter().flat_map(|(words, role)| {
            wrap_text(words, columns).into_iter().map(move |line| vec![piece(line, *role)])
        });
        for (y, line) in (list.bottom() + 1..inner.bottom().saturating_sub(1)).zip(lines) {
            canvas.draw_line(Rect { y, height: 1, ..inner }, &line);
        }
    }
    let (enter, leave) = match apis.opened_thing() {
        None => ("lists who", "closes"),
        Some(_) if apis.can_go_back() => ("goes there", "goes back"),
        Some(_) => ("goes there", "closes"),
    };
    draw_key_hints(
        model,
        Dialog::Apis,
        canvas,
        inner,
        &[(ActionId::Accept, enter), (ActionId::Cancel, leave)],
    );
}

/// Detail lines below a list, each with a role.
type DetailLines = Vec<(String, Role)>;

fn draw_all_usages(
    model: &Model,
    apis: &ApiList,
    canvas: &mut Canvas<'_>,
    list: Rect,
) -> (String, DetailLines) {
    let left: Vec<&Usage> = apis.filtered_usages().collect();
    if left.is_empty() {
        let words = if apis.count_usages() == 0 {
            "no bundle provides or requires an API"
        } else {
            "nothing matches"
        };
        canvas.draw_text(list.x, list.y, list.width, words, Role::Dim);
    }
    canvas.draw_list(list, &list_view(model, ListId::Dialog(canvas.dialogs_below)), |at| {
        left.get(at).map(|usage| usage_row(usage, list.width)).unwrap_or_default()
    });
    let mut count = format!("{} of {}", left.len(), apis.count_usages());
    if apis.count_missing() > 0 {
        count.push_str(&format!(", {} not provided", apis.count_missing()));
    }
    let said = left.get(apis.cursor).map(|usage| {
        let mut said = Vec::new();
        for side in [Side::Provided, Side::Required] {
            for group in usage.side(side).iter().take(usize::from(DETAIL_LINES)) {
                let role = if group.met { Role::Text } else { Role::Warning };
                said.push((describe_group(side, group), role));
            }
        }
        said
    });
    (count, said.unwrap_or_default())
}

fn usage_row(usage: &Usage, columns: u16) -> Pieces {
    let role = if usage.is_missing() { Role::Warning } else { Role::Text };
    // The count comes first, so it stays visible if the name is long.
    let number = |side, verb| {
        let count = usage.count_packages(side);
        let role = if count == 0 { Role::Dim } else { Role::Text };
        let words =
            if columns < NARROW_COLUMNS { format!("{count:>3}") } else { format!("{count:>3} {verb} ") };
        piece(words, role)
    };
    let mut pieces = vec![number(Side::Provided, "provide"), number(Side::Required, "require")];
    pieces.push(piece(if usage.is_missing() { " ! " } else { "   " }, Role::Warning));
    pieces.push(piece(usage.thing.to_string(), role));
    pieces
}

fn draw_usage_groups(
    model: &Model,
    apis: &ApiList,
    canvas: &mut Canvas<'_>,
    list: Rect,
) -> (String, DetailLines) {
    let groups: Vec<(Side, &DependencyGroup)> = apis.filtered_groups().collect();
    if groups.is_empty() {
        canvas.draw_text(list.x, list.y, list.width, "nothing matches", Role::Dim);
    }
    let open = &model.session.open_catalogs;
    let labels = if open.len() > 1 { catalog_labels(open) } else { Vec::new() };
    let widest = groups
        .iter()
        .map(|(_, group)| display_width(group.package_name().as_str()))
        .max()
        .unwrap_or_default();
    let column = widest.min(usize::from(list.width) / 2);
    let ascii = canvas.ascii;
    canvas.draw_list(list, &list_view(model, ListId::Dialog(canvas.dialogs_below)), |at| {
        let Some((side, group)) = groups.get(at) else { return Vec::new() };
        let role = match (side, group.met) {
            (Side::Provided, _) => Role::Good,
            (Side::Required, true) => Role::Dim,
            (Side::Required, false) => Role::Warning,
        };
        let verb = if *side == Side::Provided { "provides" } else { "requires" };
        let mut pieces = vec![
            piece(format!("{verb}  "), role),
            text_piece(format!("{}  ", pad(group.package_name().as_str(), column, ascii))),
            text_piece(format!("{} ", group.label)),
            piece(group.format_versions(), Role::Dim),
        ];
        pieces.extend(labels.get(group.catalog).map(|label| piece(format!("  {label}"), Role::Dim)));
        pieces
    });
    let said = groups.get(apis.cursor).map(|(side, group)| {
        let role = if group.met { Role::Text } else { Role::Warning };
        vec![(describe_group(*side, group), role), (describe_group_channels(group), Role::Dim)]
    });
    (format_count(groups.len(), "row"), said.unwrap_or_default())
}

/// Describes a group: `provided by harbour 1.0.0 to 2.3.1 (12 bundles)`.
fn describe_group(side: Side, group: &DependencyGroup) -> String {
    let what = if group.label.is_empty() { String::new() } else { format!("{} ", group.label) };
    let missing = if group.met { "" } else { ": not provided" };
    format!("{what}{} by {} {}{missing}", side.as_str(), group.package_name(), group.format_versions())
}
