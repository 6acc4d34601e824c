//! Query fields above the table.

use ratatui::layout::Rect;

use crate::{
    tui::{Model, keys::ActionId, parts::hit::Hit, screens::upgrades::rows::UpgradesFocus},
    ui::{
        canvas::{Canvas, Pieces, display_width, piece},
        parts::lists::bundle_short_name,
        theme::Role,
    },
};
use olm_upgrade::v1::Policy;

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
pub(in crate::ui) fn draw_query_fields(model: &Model, canvas: &mut Canvas<'_>, area: Rect) -> u16 {
    let all = query_fields(model);
    let few = area.height < MIN_HEIGHT_FOR_ALL;
    let shown: Vec<&QueryField> = all
        .iter()
        .filter(|field| {
            !few || !field.is_default
                || field.focus == model.screens.upgrades.focus
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
        let focused = model.screens.upgrades.focus == field.focus;
        // The focus is visible without color too.
        if focused {
            canvas.draw_text(x.saturating_sub(1), y, 1, ">", Role::Active);
        }
        let pieces = [
            piece(format!("{} ", field.label), Role::Dim),
            piece(value, if focused { Role::Active } else { Role::Key }),
        ];
        let used = canvas.draw_line(Rect { x, y, width: room, height: 1 }, &pieces);
        canvas.add_hit(Rect { x, y, width: used, height: 1 }, Hit::Field(field.index));
        x += used + 2;
    }
    let rest = match all.len() - shown.len() {
        0 => None,
        hidden => Some(format!("{}: {hidden} more", model.key_label(ActionId::NextPane))),
    };
    // The note is not a field, so it is omitted if there is no room.
    let note = rest.or_else(|| policy_note(model).map(str::to_owned));
    if let Some(note) = note.filter(|note| usize::from(area.right().saturating_sub(x)) >= display_width(note))
    {
        canvas.draw_text(x, y, area.right().saturating_sub(x), &note, Role::Dim);
    }
    let mut used = y - area.y + 1;
    if let Some(words) = describe_enter(model.screens.upgrades.focus) {
        let keys: Pieces =
            vec![piece(model.key_label(ActionId::In), Role::Key), piece(format!(" {words}"), Role::Dim)];
        canvas.draw_line(
            Rect { x: area.x + 1, y: area.y + used, width: area.width.saturating_sub(1), height: 1 },
            &keys,
        );
        used += 1;
    }
    used
}

fn query_fields(model: &Model) -> Vec<QueryField> {
    let or = |text: String, none: &str| if text.is_empty() { none.to_owned() } else { text };
    let query = &model.session.upgrade_query.query;
    let channels: Vec<&str> = query.channels.iter().map(AsRef::as_ref).collect();
    let starting = model.session.upgrade_query.starting.as_ref().zip(model.session.selected_package());
    let starting = starting
        .map(|(name, package_state)| bundle_short_name(package_state.package(), name))
        .unwrap_or_default();
    let openshift = model
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
                    let name =
                        model.session.subscribed_channel().map(ToString::to_string).unwrap_or_default();
                    ("Classic in", name, model.session.upgrade_query.subscribed.is_none())
                }
                UpgradesFocus::Starting => (
                    "startingCSV",
                    or(starting.clone(), "none"),
                    model.session.upgrade_query.starting.is_none(),
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
                    model.session.upgrade_query.openshift.is_none(),
                ),
                UpgradesFocus::Table | UpgradesFocus::Reasons => return None,
            };
            Some(QueryField { focus, index: place, label, value, is_default: usual })
        })
        .collect()
}

/// Returns a note about an option with surprising effects.
fn policy_note(model: &Model) -> Option<&'static str> {
    (model.session.upgrade_query.query.policy == Policy::SelfCertified)
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
