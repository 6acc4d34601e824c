//! What the actions do. Each function is named in the action table and nowhere else.

mod adding;
pub(in crate::app) mod against;
mod away;
pub mod copy;
mod deprecating;
mod editing;
mod elsewhere;
mod removing;
mod saving;
pub mod tables;
mod what_if;

pub(in crate::app) use crate::app::screens::graph::exports::{
    export_dot, export_json, export_jsonl, export_mermaid, export_svg, export_text, has_graph,
};
pub(in crate::app) use crate::app::screens::graph::folds::{
    floor, focus, fold, has_layout, has_opening, has_search, legend, mark, next_found, open_way,
    previous_found, search_from_here,
};
pub(in crate::app) use crate::app::screens::graph::moves::{
    follow_newer, follow_older, graph_left, graph_right, jump_classic, jump_v1,
};
pub(in crate::app) use crate::app::screens::graph::side_by_side::{all_channels, has_channels};
pub(in crate::app) use crate::app::screens::graph::zoom::zoom;
pub(in crate::app) use crate::app::screens::upgrades::fields::{
    add_expectation, has_row, has_table, sort_by, toggle_differences,
};
pub(in crate::app) use crate::app::shell::finding::{
    can_filter, can_sort, can_tour, filter, find, has_configuration_problems, has_log, help, palette,
    show_configuration, show_log, sort, sort_list, tour,
};
pub(in crate::app) use crate::app::shell::moving::{
    back, back_or_quit, bottom, down, go_in, go_out, go_to_crumb, half_down, half_up, next_pane, page_down,
    page_up, previous_pane, top, up,
};
pub(in crate::app) use crate::app::shell::panes::{
    grow_pane, has_moved_panes, has_splitter, reset_panes, shrink_pane,
};
pub(in crate::app) use crate::app::shell::places::{
    can_reload, has_colours, has_place_back, has_place_forward, has_several, next_catalog, next_theme,
    place_back, place_forward, previous_catalog, quit, reload, show_catalog, show_changes, show_deprecations,
    show_graph, show_problems, show_upgrades,
};
pub(in crate::app) use adding::{
    add_channel, add_entry, can_add_entry, describe, has_channel, has_definition, rename_channel,
};
pub(in crate::app) use against::{
    can_compare, compare_with, compares, has_news, next_news, previous_news, stop_comparing,
};
pub(in crate::app) use away::{
    can_copy_command, can_copy_entry, can_copy_image, can_copy_name, can_copy_path, can_copy_place,
    can_suspend, copy_command, copy_entry, copy_image, copy_name, copy_path, copy_place, has_spot,
    open_editor, suspend, toggle_mouse,
};
pub(in crate::app) use deprecating::{can_deprecate, deprecate};
pub(in crate::app) use editing::{
    apply_fix, can_redo, can_set_default, can_undo, edit_entry, has_entry, has_fix, promote, redo,
    set_default, undo,
};
pub(in crate::app) use elsewhere::{can_edit_elsewhere, edit_elsewhere, has_template, open_template};
pub(in crate::app) use removing::{can_remove, remove, what_if_remove_channel};
pub(in crate::app) use saving::{ask_where, has_changes, review, save_as, write, write_in_place};

pub(in crate::app) use what_if::{
    can_remove_channel, can_suppose_of_channel, has_what_if, test_range, what_if_below,
    what_if_deprecate_bundle, what_if_deprecate_channel, what_if_deprecate_package, what_if_drop,
    what_if_keep, what_if_range, what_if_skip, what_if_undo, what_if_without,
};

use crate::app::work::Opening;
use crate::app::{
    shell::model::Model,
    work::{
        Effect,
        opening::{Asked, Purpose},
    },
};
use crate::{app::keys::spec::Enabled, catalog::PackageName};

/// Asks for a line of text, with an answer that is there to be changed.
fn ask(
    model: &mut Model,
    purpose: Purpose,
    package: PackageName,
    asked: Asked,
    proposed: String,
) -> Vec<Effect> {
    model.open(Opening::Ask { purpose, package, asked, proposed });
    Vec::new()
}

pub(in crate::app) fn has_catalog(model: &Model) -> Enabled {
    model.session.catalog().map(|_| ()).ok_or_else(|| "no catalog is open".to_owned())
}

pub(in crate::app) fn has_bundle(model: &Model) -> Enabled {
    model.session.selection().bundle.as_ref().map(|_| ()).ok_or_else(|| "no bundle is selected".to_owned())
}
