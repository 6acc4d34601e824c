//! View of the Upgrades screen: the fields of the query above the upgrades of every installed version.

mod cells;
mod reasons;
mod refusals;
mod summary;
mod table;

use ratatui::layout::Rect;

use crate::tui::{
    keys::ActionId,
    parts::frame::{Hit, Splitter},
    screens::{
        screen::ScreenView,
        upgrades::{Upgrades, rows::UpgradesFocus},
    },
    widgets::{
        canvas::{Canvas, Line, display_width, piece},
        lists::{UNREAD, bundle_short_name, draw_empty_list, explain_missing_channel},
        theme::Ink,
    },
};
use olm_upgrade::v1::Policy;

/// Description of the content, for empty screens.
const DESCRIPTION: &str = "The upgrades of every installed version on Classic and v1.";

/// Minimum height for showing both panes.
const MIN_HEIGHT_FOR_PANES: u16 = 9;
/// Minimum height for showing the table while the reasons have the focus.
const MIN_HEIGHT_WHILE_READING: u16 = 14;

/// Maximum number of lines above the rows of the table: three of the summary, one of titles.
const LINES_ABOVE: u16 = 4;

/// The screen and its context.
pub(super) type View<'a> = ScreenView<'a, Upgrades>;

/// Draws the screen.
pub fn draw_upgrades_screen(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect) {
    if view.session.catalogs.package_is_unread() {
        return draw_empty_list(canvas, area, UNREAD);
    }
    let used = draw_query_fields(view, canvas, area);
    let body = Rect { y: area.y + used, height: area.height.saturating_sub(used), ..area };
    let Some(package_state) = view.session.selected_package() else {
        return draw_empty_list(canvas, body, &format!("{DESCRIPTION} {}", explain_missing_channel(view)));
    };
    let reads = view.state.is_reading_reasons();
    if body.height < MIN_HEIGHT_FOR_PANES || (reads && body.height < MIN_HEIGHT_WHILE_READING) {
        if reads {
            reasons::draw_reasons(view, package_state, table::PATH_END_COLUMNS, canvas, body);
        } else {
            draw_summary_and_table(view, package_state, canvas, body);
        }
        return;
    }
    if let Some((table, side)) = view.split_side_pane(canvas, body, Splitter::UpgradesSide) {
        let left_out = draw_summary_and_table(view, package_state, canvas, table);
        return reasons::draw_reasons(view, package_state, &left_out, canvas, side);
    }
    let share = if reads { body.height * 3 / 5 } else { body.height * 2 / 5 };
    // A short table leaves the rest to the reasons; the size does not depend on the filter.
    let rows_of = view.session.derived.upgrade_table().map_or(0, |table| table.rows.len())
        + view.session.derived.removed_bundle_upgrades().len();
    let needed = u16::try_from(rows_of).unwrap_or(u16::MAX).max(1).saturating_add(LINES_ABOVE);
    let below = share.max((body.height - 1).saturating_sub(needed));
    let above = view.frame.splits.size_before(Splitter::Upgrades, body.height - below - 1, body.height);
    let (upper, lower) = canvas.draw_splitter(body, Splitter::Upgrades, above);
    let left_out = draw_summary_and_table(view, package_state, canvas, upper);
    reasons::draw_reasons(view, package_state, &left_out, canvas, lower);
}

/// Draws the summary and the table; returns the omitted columns.
fn draw_summary_and_table(
    view: &View<'_>,
    package_state: &olm_check::review::PackageState,
    canvas: &mut Canvas<'_>,
    area: Rect,
) -> Vec<table::Column> {
    let Some(upgrades) = view.session.derived.upgrade_table() else {
        draw_empty_list(canvas, area, &format!("{DESCRIPTION} {}", explain_missing_channel(view)));
        return Vec::new();
    };
    let used = summary::draw_summary(view, package_state, upgrades, canvas, area);
    let area = Rect { y: area.y + used, height: area.height.saturating_sub(used), ..area };
    table::draw_upgrade_table(view, package_state, upgrades, canvas, area)
}

/// Minimum height for showing all fields. Lower terminals show only fields with unusual values.
const MIN_HEIGHT_FOR_ALL: u16 = 16;

/// Field as it is drawn.
struct QueryField {
    focus: UpgradesFocus,
    /// Index among all fields.
    index: usize,
    label: &'static str,
    value: String,
    /// True if the value is the default.
    is_default: bool,
}

/// Draws the fields; returns the number of rows used.
pub(in crate::tui) fn draw_query_fields(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect) -> u16 {
    let all = query_fields(view);
    let few = area.height < MIN_HEIGHT_FOR_ALL;
    let shown: Vec<&QueryField> = all
        .iter()
        .filter(|field| {
            !few || !field.is_default
                || field.focus == view.state.focus
                || field.focus == UpgradesFocus::Channel
        })
        .collect();
    let (mut x, mut y) = (area.x + 1, area.y);
    for field in &shown {
        let value = format!("[{}]", field.value);
        let wanted =
            u16::try_from(display_width(field.label) + 1 + display_width(&value)).unwrap_or(area.width);
        if x > area.x + 1 && x.saturating_add(wanted) > area.right() {
            (x, y) = (area.x + 1, y + 1);
        }
        let room = area.right().saturating_sub(x);
        let focused = view.state.focus == field.focus;
        // The focus is visible without color too.
        if focused {
            canvas.draw_text(x.saturating_sub(1), y, 1, ">", Ink::Active);
        }
        let pieces = [
            piece(format!("{} ", field.label), Ink::Dim),
            piece(value, if focused { Ink::Active } else { Ink::Key }),
        ];
        let used = canvas.draw_line(Rect { x, y, width: room, height: 1 }, &pieces);
        canvas.add_hit(Rect { x, y, width: used, height: 1 }, Hit::Field(field.index));
        x += used + 2;
    }
    let rest = match all.len() - shown.len() {
        0 => None,
        hidden => Some(format!("{}: {hidden} more", view.key_label(ActionId::NextPane))),
    };
    // The note is not a field, so it is omitted if there is no room.
    let note = rest.or_else(|| policy_note(view).map(str::to_owned));
    if let Some(note) = note.filter(|note| usize::from(area.right().saturating_sub(x)) >= display_width(note))
    {
        canvas.draw_text(x, y, area.right().saturating_sub(x), &note, Ink::Dim);
    }
    let mut used = y - area.y + 1;
    if let Some(words) = describe_enter(view.state.focus) {
        let keys: Line =
            vec![piece(view.key_label(ActionId::In), Ink::Key), piece(format!(" {words}"), Ink::Dim)];
        canvas.draw_line(
            Rect { x: area.x + 1, y: area.y + used, width: area.width.saturating_sub(1), height: 1 },
            &keys,
        );
        used += 1;
    }
    used
}

fn query_fields(view: &View<'_>) -> Vec<QueryField> {
    let or = |text: String, none: &str| if text.is_empty() { none.to_owned() } else { text };
    let query = &view.session.upgrade_query.query;
    let channels: Vec<&str> = query.channels.iter().map(AsRef::as_ref).collect();
    let starting = view.session.upgrade_query.starting.as_ref().zip(view.session.selected_package());
    let starting = starting
        .map(|(name, package_state)| bundle_short_name(package_state.package(), name))
        .unwrap_or_default();
    let openshift = view
        .session
        .upgrade_query
        .openshift
        .map(|from| format!("{from} -> {}", from.next_minor()))
        .unwrap_or_default();
    UpgradesFocus::FIELDS
        .into_iter()
        .enumerate()
        .filter_map(|(place, focus)| {
            let (label, value, usual) = match focus {
                UpgradesFocus::Channel => {
                    let name = view.session.subscribed_channel().map(ToString::to_string).unwrap_or_default();
                    ("Classic in", name, view.session.upgrade_query.subscribed.is_none())
                }
                UpgradesFocus::Starting => (
                    "startingCSV",
                    or(starting.clone(), "none"),
                    view.session.upgrade_query.starting.is_none(),
                ),
                UpgradesFocus::V1Channels => {
                    ("v1 in", or(channels.join(","), "any"), query.channels.is_empty())
                }
                UpgradesFocus::Version => {
                    ("version", or(query.version.clone(), "any"), query.version.is_empty())
                }
                UpgradesFocus::Policy => {
                    ("policy", query.policy.as_str().to_owned(), query.policy == Policy::CatalogProvided)
                }
                UpgradesFocus::OpenShift => (
                    "OpenShift",
                    or(openshift.clone(), "off"),
                    view.session.upgrade_query.openshift.is_none(),
                ),
                UpgradesFocus::Table | UpgradesFocus::Reasons => return None,
            };
            Some(QueryField { focus, index: place, label, value, is_default: usual })
        })
        .collect()
}

/// Returns a note about an option with surprising effects.
fn policy_note(view: &View<'_>) -> Option<&'static str> {
    (view.session.upgrade_query.query.policy == Policy::SelfCertified)
        .then_some("v1 ignores edges: any version, up or down")
}

/// Describes the effect of Enter on a field.
fn describe_enter(focus: UpgradesFocus) -> Option<&'static str> {
    Some(match focus {
        UpgradesFocus::Channel => "selects the channel of the Subscription",
        UpgradesFocus::Starting => "selects the startingCSV of a fresh install",
        UpgradesFocus::V1Channels => "selects the channels of the ClusterExtension",
        UpgradesFocus::Version => "sets the version constraint of v1, such as >=1.2.0, <2",
        UpgradesFocus::Policy => "switches: CatalogProvided follows edges, SelfCertified ignores them",
        UpgradesFocus::OpenShift => "sets the cluster version, to see what blocks its next minor update",
        UpgradesFocus::Table | UpgradesFocus::Reasons => return None,
    })
}
