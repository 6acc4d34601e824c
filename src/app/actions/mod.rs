//! What the actions do. Each function is named in the action table and nowhere else.

mod adding;
mod against;
mod away;
mod deprecating;
mod editing;
mod elsewhere;
mod exports;
mod finding;
mod graph;
mod moving;
mod panes;
mod picture;
mod places;
mod removing;
mod saving;
mod side_by_side;
mod upgrades;
mod what_if;
mod zoom;

pub(super) use adding::{
    add_channel, add_entry, can_add_entry, describe, has_channel, has_definition, new_channel_ways,
    rename_channel,
};
pub(super) use against::{
    can_compare, compare_with, compares, has_news, next_news, previous_news, stop_comparing,
};
pub(super) use away::{
    can_copy_command, can_copy_entry, can_copy_image, can_copy_name, can_copy_path, can_copy_place,
    can_suspend, copy_command, copy_entry, copy_image, copy_name, copy_path, copy_place, has_spot,
    open_editor, suspend, toggle_mouse,
};
pub(super) use deprecating::{can_deprecate, deprecate};
pub(super) use editing::{
    apply_fix, can_redo, can_set_default, can_undo, edit_entry, has_entry, has_fix, promote, redo,
    set_default, undo,
};
pub(super) use elsewhere::{can_edit_elsewhere, edit_elsewhere, has_template, open_template};
pub(super) use exports::{
    export_dot, export_json, export_jsonl, export_mermaid, export_svg, export_text, has_graph,
};
pub(super) use finding::{
    can_filter, can_sort, can_tour, commands, filter, find, has_configuration_problems, has_log, help,
    palette, show_configuration, show_log, sort, sort_list, tour,
};
pub(super) use graph::{follow_newer, follow_older, graph_left, graph_right, jump_classic, jump_v1};
pub(super) use moving::{
    back, back_or_quit, bottom, down, go_in, go_out, go_to_crumb, half_down, half_up, next_pane, page_down,
    page_up, previous_pane, top, up,
};
pub(super) use panes::{grow_pane, has_moved_panes, has_splitter, reset_panes, shrink_pane};
pub(super) use picture::{
    floor, focus, fold, has_layout, has_opening, has_search, legend, mark, next_found, open_way,
    previous_found, search_from_here,
};
pub(super) use places::{
    can_reload, has_colours, has_place_back, has_place_forward, has_several, next_catalog, next_theme,
    place_back, place_forward, previous_catalog, quit, reload, show_catalog, show_changes, show_deprecations,
    show_graph, show_problems, show_upgrades,
};
pub(super) use removing::{can_remove, remove, what_if_remove_channel};
pub(super) use saving::{ask_where, has_changes, review, save_as, write, write_in_place};
pub(super) use side_by_side::{all_channels, has_channels};
pub(super) use upgrades::{add_expectation, has_row, has_table, sort_by, toggle_differences};
pub(super) use zoom::zoom;

pub(super) use what_if::{
    can_remove_channel, can_suppose_of_channel, has_what_if, test_range, what_if_below,
    what_if_deprecate_bundle, what_if_deprecate_channel, what_if_deprecate_package, what_if_drop,
    what_if_keep, what_if_range, what_if_skip, what_if_undo, what_if_without,
};

use super::{
    action::Reason,
    ask::{Ask, Asked, Purpose},
    model::Model,
    msg::Effect,
    overlay::Overlay,
};
use crate::catalog::PackageName;

type Enabled = Result<(), Reason>;

/// Asks for a line of text, with an answer that is there to be changed.
fn ask(
    model: &mut Model,
    purpose: Purpose,
    package: PackageName,
    asked: Asked,
    proposed: String,
) -> Vec<Effect> {
    let question = Ask::new(model, purpose, package, asked, proposed);
    model.overlays.push(Overlay::Ask(Box::new(question)));
    Vec::new()
}

#[allow(clippy::unnecessary_wraps, reason = "it stands in a table beside others that refuse")]
pub(super) fn always(_: &Model) -> Enabled {
    Ok(())
}

pub(super) fn has_catalog(model: &Model) -> Enabled {
    model.catalog().map(|_| ()).ok_or_else(|| "no catalog is open".to_owned())
}

pub(super) fn has_bundle(model: &Model) -> Enabled {
    model.selection().bundle.as_ref().map(|_| ()).ok_or_else(|| "no bundle is selected".to_owned())
}
