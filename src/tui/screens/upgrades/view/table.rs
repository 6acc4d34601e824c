//! Upgrade table: columns that are omitted in narrow terminals, and the state at the end of each
//! row.

use ratatui::layout::Rect;

use crate::tui::{
    keys::ActionId,
    parts::{frame::Hit, list::ListId},
    screens::upgrades::{
        rows::SortOrder,
        view::{
            View,
            cells::{RowStates, next_text, path_end_text, resolved_text, safety_text, v1_text},
        },
    },
    session::cluster::ChangedUpgrades,
    widgets::{
        canvas::{
            Canvas, Line, Piece, display_width, fit, highlight_filter, line_width, pad, piece, text_piece,
        },
        expectations, installed_operators,
        lists::{bundle_short_name, draw_empty_list, struck_name},
        theme::Ink,
        what_if,
    },
};
use olm_catalog::package::Package;
use olm_check::review::PackageState;
use olm_upgrade::{
    UpgradeRow, UpgradeTable,
    openshift::ClusterUpdate,
    safety::PackageSafety,
    table::{NextUpgrade, PathEnd},
};

/// Titles of the last column, the short one for narrow terminals. The other columns are about the
/// channel of the Subscription.
const STATE_TITLES: [&str; 2] = ["state in any channel", "state"];
/// Preferred columns of the state; other columns are omitted for it.
const STATE_COLUMNS: usize = 34;
/// Minimum columns of the state.
const MIN_STATE_COLUMNS: usize = 12;
/// Minimum columns of every other column.
const MIN_COLUMN_WIDTH: usize = 5;

/// Column of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Column {
    Installed,
    Classic,
    Solved,
    ClassicEnd,
    V1,
    V1End,
    Safety,
    OpenShift,
}

/// Columns that are omitted in narrow terminals, in this order.
pub(super) const PATH_END_COLUMNS: &[Column] = &[Column::V1End, Column::ClassicEnd];

impl Column {
    /// All columns, from left to right.
    const ALL: [Self; 8] = [
        Self::Installed,
        Self::Classic,
        Self::Solved,
        Self::ClassicEnd,
        Self::V1,
        Self::V1End,
        Self::Safety,
        Self::OpenShift,
    ];

    fn column_title(self, update: Option<&ClusterUpdate>, narrow: bool) -> String {
        match (self, narrow) {
            (Self::Installed, _) => "installed".to_owned(),
            (Self::Classic, false) => "Classic next".to_owned(),
            (Self::Classic, true) => "Classic".to_owned(),
            (Self::Solved, false) => "with deps".to_owned(),
            (Self::Solved, true) => "deps".to_owned(),
            (Self::ClassicEnd, _) => "ends at".to_owned(),
            (Self::V1, false) => "v1 next".to_owned(),
            (Self::V1, true) => "v1".to_owned(),
            (Self::V1End, _) => "v1 ends at".to_owned(),
            (Self::Safety, _) => "safe?".to_owned(),
            (Self::OpenShift, _) => update.map(|update| format!("{}?", update.to)).unwrap_or_default(),
        }
    }

    /// Returns the order selected by a click on the title.
    fn sort_order(self) -> Option<SortOrder> {
        match self {
            Self::Installed => Some(SortOrder::Installed),
            Self::ClassicEnd => Some(SortOrder::ClassicHops),
            Self::V1 => Some(SortOrder::V1Next),
            Self::Classic | Self::Solved | Self::V1End | Self::Safety | Self::OpenShift => None,
        }
    }

    fn cell_text(
        self,
        (package, gone): (&Package, Option<&str>),
        row: &UpgradeRow,
        known: ColumnInputs<'_>,
        narrow: bool,
    ) -> (String, Ink) {
        let ink = |next: &NextUpgrade| match next {
            NextUpgrade::To(_) => Ink::Text,
            NextUpgrade::Stays => Ink::Dim,
            NextUpgrade::Error(_) => Ink::Error,
        };
        match self {
            Self::Installed => {
                let ink = match gone {
                    Some(_) => Ink::Gone,
                    None if row.in_channel => Ink::Text,
                    None => Ink::Dim,
                };
                (gone.map_or_else(|| bundle_short_name(package, &row.installed.name), str::to_owned), ink)
            }
            Self::Classic => {
                let ink = if row.dead_end { Ink::Error } else { ink(&row.classic) };
                (next_text(package, &row.classic), ink)
            }
            Self::Solved => resolved_text(package, known.solved.and_then(|all| all.get(&row.installed.name))),
            Self::ClassicEnd => (path_end_text(package, &row.classic_end), Ink::Dim),
            Self::V1 => (
                v1_text(package, row, known.own_name),
                if row.leaves_channel { Ink::Warning } else { ink(&row.v1) },
            ),
            Self::V1End => (path_end_text(package, &row.v1_end), Ink::Dim),
            Self::Safety => {
                known.safety.map_or_else(Default::default, |safety| safety_text(safety, row, narrow))
            }
            Self::OpenShift => match known.update.and_then(|update| update.blocker(&row.installed.name)) {
                None => ("ok".to_owned(), Ink::Dim),
                Some(blocker) => {
                    let stuck = blocker.classic.is_none() && blocker.v1.is_none();
                    let ink = if stuck { Ink::Error } else { Ink::Warning };
                    let way = blocker.brief(|name| bundle_short_name(package, name));
                    (if narrow { "NO".to_owned() } else { format!("NO: {way}") }, ink)
                }
            },
        }
    }
}

/// Inputs for the columns besides the answers of the resolvers.
#[derive(Clone, Copy)]
struct ColumnInputs<'a> {
    update: Option<&'a ClusterUpdate>,
    safety: Option<&'a PackageSafety>,
    /// Name of the catalog on the cluster.
    own_name: Option<&'a str>,
    /// Picks that differ if dependencies are considered, if there are any.
    solved: Option<&'a ChangedUpgrades>,
}

impl<'a> ColumnInputs<'a> {
    fn from_model(view: &'a View<'a>, table: &UpgradeTable) -> Self {
        Self {
            update: view.state.cluster_update(),
            // A column with only question marks has no information.
            safety: view
                .session
                .catalogs
                .safety()
                .map(AsRef::as_ref)
                .filter(|safety| safety.has_verdict_in(&table.channel)),
            own_name: view
                .session
                .current_catalog()
                .and_then(|open| view.session.catalogs.properties_on_cluster(&open.source))
                .map(|own| own.name.as_str()),
            solved: view.session.resolved_upgrades().map(AsRef::as_ref).filter(|solved| !solved.is_empty()),
        }
    }
}

/// Returns the label of a bundle that was removed from the channel or the package.
fn removed_label(view: &View<'_>, package: &Package, row: &UpgradeRow) -> Option<String> {
    let name = &row.installed.name;
    if let Some(gone) = view.session.derived.marks().removed_entry(name) {
        return Some(gone.label.clone());
    }
    if package.bundle(name.as_str()).is_some() {
        return None;
    }
    let before = view.session.catalogs.mark_base_package()?.package();
    before.bundle(name.as_str()).map(|_| bundle_short_name(before, name))
}

/// Visible columns with their widths.
struct VisibleColumns {
    shown: Vec<(Column, usize)>,
    /// True if titles are short.
    narrow: bool,
}

/// Selects the visible columns and their widths.
fn select_columns(
    view: &View<'_>,
    (package, states): (&Package, &RowStates<'_>),
    table: &UpgradeTable,
    rows: &[&UpgradeRow],
    room: usize,
) -> VisibleColumns {
    let known = ColumnInputs::from_model(view, table);
    let update = known.update;
    let options = &view.state.view;
    let label = |row: &UpgradeRow| removed_label(view, package, row);
    let widest = |column: Column, narrow: bool| {
        let cells = rows.iter().map(|row| {
            display_width(&column.cell_text((package, label(row).as_deref()), row, known, narrow).0)
        });
        // The mark of the order needs room next to the title. If there is enough, titles do not
        // move with the mark.
        let marked = column.sort_order().is_some_and(|sort| !narrow || sort == options.sort);
        let title = display_width(&column.column_title(update, narrow)) + if marked { 2 } else { 0 };
        cells.max().unwrap_or_default().max(title)
    };
    let is_there = |column: &Column| match column {
        Column::OpenShift => update.is_some(),
        Column::Safety => known.safety.is_some(),
        Column::Solved => known.solved.is_some(),
        _ => true,
    };
    let all = Column::ALL.into_iter().filter(is_there);
    let mut columns: Vec<(Column, usize)> = all.map(|column| (column, widest(column, false))).collect();
    let total = |columns: &[(Column, usize)]| -> usize { columns.iter().map(|(_, wide)| wide + 2).sum() };
    // If the states are short, the columns get their room.
    let differs = view.session.mark_comparison().is_some() || view.session.catalogs.what_if().is_some();
    let mut needed = if differs { STATE_COLUMNS } else { MIN_STATE_COLUMNS };
    for row in rows.iter().take_while(|_| total(&columns) + STATE_COLUMNS > room) {
        let words = line_width(&states.state_pieces(package, table, row));
        let unexpected = expectations::is_unexpected(view, &row.installed.name);
        needed = needed.max(words + if unexpected { display_width(expectations::UNEXPECTED) + 2 } else { 0 });
        if needed >= STATE_COLUMNS {
            needed = STATE_COLUMNS;
            break;
        }
    }
    for giving_way in PATH_END_COLUMNS {
        if total(&columns) + needed > room {
            columns.retain(|(column, _)| column != giving_way);
        }
    }
    let narrow = total(&columns) + MIN_STATE_COLUMNS > room;
    if narrow {
        for (column, wide) in &mut columns {
            *wide = widest(*column, true);
        }
    }
    // Long names are shortened last, the longest first.
    for _ in room..total(&columns) + MIN_STATE_COLUMNS {
        if let Some((_, wide)) = columns.iter_mut().max_by_key(|(_, wide)| *wide)
            && *wide > MIN_COLUMN_WIDTH
        {
            *wide -= 1;
        }
    }
    VisibleColumns { shown: columns, narrow }
}

impl VisibleColumns {
    /// Returns the omitted columns.
    fn omitted_columns(&self) -> Vec<Column> {
        let is_shown = |column: &Column| self.shown.iter().any(|(shown, _)| shown == column);
        PATH_END_COLUMNS.iter().copied().filter(|column| !is_shown(column)).collect()
    }
}

/// Describes the path ends of a row for omitted columns.
pub(super) fn describe_path_ends(package: &Package, row: &UpgradeRow, left_out: &[Column]) -> Option<String> {
    let end = |column: Column, engine: &str, at: &PathEnd| {
        (left_out.contains(&column) && at.hops > 0)
            .then(|| (at.hops, format!("{engine} {}", path_end_text(package, at))))
    };
    let ends = [end(Column::ClassicEnd, "Classic", &row.classic_end), end(Column::V1End, "v1", &row.v1_end)];
    let (hops, ends): (Vec<usize>, Vec<String>) = ends.into_iter().flatten().unzip();
    let hops = if hops.last() == Some(&1) { "hop" } else { "hops" };
    (!ends.is_empty()).then(|| format!("ends at: {} {hops}", ends.join(", ")))
}

/// Draws the table; returns the omitted columns.
pub(super) fn draw_upgrade_table(
    view: &View<'_>,
    package_state: &PackageState,
    table: &UpgradeTable,
    canvas: &mut Canvas<'_>,
    area: Rect,
) -> Vec<Column> {
    let package = package_state.package();
    let shown: Vec<&UpgradeRow> =
        view.state.visible_rows().iter().filter_map(|row| row.upgrade_row(&view.session.derived)).collect();
    let states = RowStates::new(view, package_state, table);
    let columns =
        select_columns(view, (package, &states), table, &shown, usize::from(area.width).saturating_sub(2));
    draw_column_titles(view, canvas, Rect { height: 1, ..area }, &columns);
    let list = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    if shown.is_empty() {
        draw_empty_list(canvas, list, &explain_empty_table(view, table));
        return Vec::new();
    }
    let ascii = canvas.ascii;
    let known = ColumnInputs::from_model(view, table);
    let filter = view.session.lists.filter(ListId::Upgrades);
    canvas.draw_list(list, &view.list_view(canvas, ListId::Upgrades), |row| {
        let Some(&row) = shown.get(row) else { return Vec::new() };
        let gone = removed_label(view, package, row);
        let mut pieces: Line = columns
            .shown
            .iter()
            .flat_map(|&(column, wide)| {
                let (value, ink) = column.cell_text((package, gone.as_deref()), row, known, columns.narrow);
                if ink == Ink::Gone {
                    return [struck_name(&value, wide, ascii), vec![text_piece("  ")]].concat();
                }
                let filter = if column == Column::Installed { filter } else { "" };
                highlight_filter(&format!("{}  ", pad(&value, wide, ascii)), ink, filter)
            })
            .collect();
        let used: usize = columns.shown.iter().map(|(_, wide)| wide + 2).sum();
        // The mark of the selected row and the scroll bar take one column each.
        let room = usize::from(list.width).saturating_sub(used + 2);
        let was = what_if::previous_upgrade(view, &row.installed.name, ascii);
        let new = view.session.catalogs.is_new_bundle(&row.installed.name).then(|| piece("+ new", Ink::Good));
        let gone = gone.is_some().then(|| piece(format!("- {}", what_if::removed_label(view)), Ink::Removed));
        let gone = gone.into_iter().flat_map(|gone| [gone, text_piece("  ")]);
        let was = was.or(new).into_iter().flat_map(|was| [was, text_piece("  ")]);
        let unexpected = expectations::is_unexpected(view, &row.installed.name);
        let unexpected = unexpected.then(|| piece(format!("{}  ", expectations::UNEXPECTED), Ink::Error));
        let installed = installed_operators::installed_piece(view, &row.installed.name);
        let installed = installed.into_iter().flat_map(|words| [words, text_piece("  ")]);
        let words = installed
            .chain(gone)
            .chain(was)
            .chain(unexpected)
            .chain(states.state_pieces(package, table, row));
        pieces.extend(cut_pieces(words.collect(), room, ascii));
        pieces
    });
    columns.omitted_columns()
}

/// Draws the titles, with a mark on the sort column. A click on a title sorts by it.
fn draw_column_titles(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect, columns: &VisibleColumns) {
    let update = view.state.cluster_update();
    let options = &view.state.view;
    let ascii = canvas.ascii;
    let mark = match (options.sort, options.is_reversed, ascii) {
        // Descending order.
        (_, false, false) => " ▼",
        (_, true, false) => " ▲",
        (_, false, true) => " v",
        (_, true, true) => " ^",
    };
    let title = |title: String, sort: Option<SortOrder>, wide: usize| match sort {
        // In narrow terminals the title is cut, not the mark.
        Some(sort) if sort == options.sort => {
            (format!("{}{mark}", fit(&title, wide.saturating_sub(2), ascii)), Ink::Title)
        }
        _ => (title, Ink::Dim),
    };
    let mut x = area.x + 1;
    let title_of = |column: Column| column.column_title(update, columns.narrow);
    let all = columns.shown.iter().map(|&(column, wide)| (title_of(column), column.sort_order(), wide));
    let [long, short] = STATE_TITLES;
    let state = if columns.narrow { short } else { long };
    for (words, sort, wide) in all.chain([(state.to_owned(), Some(SortOrder::Trouble), usize::MAX)]) {
        let room = area.right().saturating_sub(x);
        let (words, ink) = title(words, sort, wide);
        let words = if wide == usize::MAX { words } else { pad(&words, wide, ascii) };
        let used = canvas.draw_text(x, area.y, room, &words, ink);
        if let Some(sort) = sort {
            canvas.add_hit(Rect { x, width: used, ..area }, Hit::Sort(sort.index()));
        }
        x = x.saturating_add(used).saturating_add(2);
    }
    let note = if view.session.jobs.is_checking_steps() { "judging steps" } else { "" };
    let room = Rect { x, width: area.right().saturating_sub(x + 1), ..area };
    if !note.is_empty() && display_width(note) <= usize::from(room.width) {
        canvas.draw_line_right(room, &[piece(note, Ink::Dim)]);
    }
}

/// Explains why no row is visible, and which key shows the rows again.
fn explain_empty_table(view: &View<'_>, table: &UpgradeTable) -> String {
    let filter = view.session.lists.filter(ListId::Upgrades);
    let (back, all) = (view.key_label(ActionId::Back), view.key_label(ActionId::DifferencesOnly));
    match (table.rows.is_empty(), filter.is_empty(), view.state.view.only_differences) {
        (true, ..) => "the package has no bundles".to_owned(),
        (_, false, true) => {
            format!("nothing that differs matches /{filter}; {back} clears it, {all} shows all")
        }
        (_, false, false) => format!("nothing matches /{filter}; {back} clears it"),
        (_, true, _) => {
            let total = table.rows.iter().filter(|row| row.in_channel).count();
            let channel = &table.channel;
            format!(
                "no differences: Classic and v1 do the same for all {total} in {channel}; {all} shows them"
            )
        }
    }
}

/// Cuts pieces to a width, with a mark at the cut.
fn cut_pieces(pieces: Vec<Piece>, room: usize, ascii: bool) -> Vec<Piece> {
    let mut left = line_width(&pieces);
    let mut room = room;
    let mut shown = Vec::with_capacity(pieces.len());
    for next in pieces {
        let wide = display_width(&next.text);
        // The rest is cut. The mark is part of this piece unless there is room after it.
        if left > room && wide >= room {
            let text = format!("{} ", next.text);
            shown.push(piece(fit(&text, room, ascii), next.ink));
            break;
        }
        left -= wide;
        room -= wide;
        shown.push(next);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_states_have_a_mark() {
        let all = ["REFUSED", ", ", "skipped"];
        let whole = all.concat();
        for room in 0..20 {
            let pieces = all.iter().map(|text| piece(*text, Ink::Text)).collect();
            let text: String = cut_pieces(pieces, room, true).into_iter().map(|piece| piece.text).collect();
            if room >= whole.len() {
                assert_eq!(text, whole);
            } else {
                assert!(text.len() <= room, "{room}: {text}");
                assert!(room == 0 || text.ends_with('~'), "{room}: {text}");
                assert!(whole.starts_with(text.trim_end_matches('~').trim_end()), "{room}: {text}");
            }
        }
    }
}
