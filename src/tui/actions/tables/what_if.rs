//! Table of what-if actions and the range tester.

use crate::tui::{
    actions::{has_bundle, has_catalog, has_entry, what_if},
    keys::{
        ActionId, Screen,
        spec::{
            ActionContext::{self, Everywhere, On},
            WriteScope,
        },
    },
    session::{
        action::{Action, action},
        target::Target,
    },
};

/// Screens whose answers depend on what-if changes.
const WHAT_IF_SCREENS: ActionContext = On(&[Screen::Graph, Screen::Upgrades]);

pub(in crate::tui) static WHAT_IF_ACTIONS: &[Action<Target>] = &[
    action(
        ActionId::WhatIfBelow,
        WHAT_IF_SCREENS,
        &["W b"],
        "what if: no older",
        "What if bundles older than a version were removed",
        what_if::suppose_minimum_version,
    )
    .with_search_terms(&["simulate", "prune"])
    .enabled_when(has_bundle),
    action(
        ActionId::WhatIfWithout,
        WHAT_IF_SCREENS,
        &["W l"],
        "what if: no bundle",
        "What if the selected bundle were removed",
        what_if::suppose_bundle_removed,
    )
    .with_search_terms(&["simulate"])
    .enabled_when(has_bundle),
    action(
        ActionId::WhatIfRange,
        WHAT_IF_SCREENS,
        &["W r"],
        "what if: range",
        "What if the entry had another skipRange",
        what_if::suppose_skip_range,
    )
    .with_search_terms(&["simulate"])
    .enabled_when(has_entry),
    action(
        ActionId::WhatIfSkip,
        WHAT_IF_SCREENS,
        &["W s"],
        "what if: skip",
        "What if the entry also skipped another",
        what_if::suppose_skip,
    )
    .with_search_terms(&["simulate"])
    .enabled_when(has_entry),
    action(
        ActionId::WhatIfDeprecateBundle,
        WHAT_IF_SCREENS,
        &["W d"],
        "what if: deprecate",
        "What if the bundle were deprecated, or no longer",
        what_if::suppose_bundle_deprecated,
    )
    .with_search_terms(&["undeprecate", "retire", "simulate"])
    .enabled_when(has_bundle),
    action(
        ActionId::WhatIfDeprecateChannel,
        WHAT_IF_SCREENS,
        &["W c"],
        "what if: channel",
        "What if the channel were deprecated, or no longer",
        what_if::suppose_channel_deprecated,
    )
    .with_search_terms(&["simulate"])
    .enabled_when(what_if::has_selected_channel),
    action(
        ActionId::WhatIfDeprecatePackage,
        WHAT_IF_SCREENS,
        &["W p"],
        "what if: package",
        "What if the package were deprecated, or no longer",
        what_if::suppose_package_deprecated,
    )
    .with_search_terms(&["simulate"])
    .enabled_when(has_catalog),
    action(
        ActionId::WhatIfRemoveChannel,
        WHAT_IF_SCREENS,
        &["W x"],
        "what if: remove",
        "What if the channel were removed",
        what_if::suppose_channel_removed,
    )
    .with_search_terms(&["delete", "prune", "simulate"])
    .enabled_when(what_if::can_suppose_channel_removed),
    action(
        ActionId::WhatIfExtract,
        On(&[Screen::Catalog, Screen::Graph, Screen::Upgrades]),
        &["W e"],
        "what if: extract",
        "What if only a part of the catalog were left",
        what_if::suppose_extract,
    )
    .with_search_terms(&["subset", "only some packages, channels, versions", "simulate", "filter catalog"])
    .enabled_when(what_if::can_extract),
    action(
        ActionId::WhatIfMirror,
        On(&[Screen::Catalog, Screen::Graph, Screen::Upgrades]),
        &["W m"],
        "what if: mirror",
        "What if only what oc-mirror mirrors were left",
        what_if::suppose_mirror,
    )
    .with_search_terms(&["oc-mirror", "disconnected", "air gap", "imageset", "simulate"])
    .enabled_when(what_if::can_mirror),
    action(
        ActionId::WhatIfUndo,
        Everywhere,
        &["W u"],
        "what if: undo",
        "Undo the last what-if",
        what_if::undo_what_if,
    )
    .with_search_terms(&["revert", "take back"])
    .enabled_when(what_if::has_active_what_if),
    action(
        ActionId::WhatIfKeep,
        Everywhere,
        &["W k"],
        "what if: keep",
        "Apply the what-if as one edit",
        what_if::apply_what_if,
    )
    .with_hint_rank(0)
    .with_what_if_end()
    .with_write_scope(WriteScope::Package)
    .enabled_when(what_if::has_active_what_if),
    action(
        ActionId::WhatIfDrop,
        Everywhere,
        &["W q"],
        "what if: drop",
        "Drop the what-if",
        what_if::discard_what_if,
    )
    .with_search_terms(&["discard"])
    .with_hint_rank(0)
    .enabled_when(what_if::has_active_what_if),
    action(
        ActionId::TestRange,
        WHAT_IF_SCREENS,
        &["R"],
        "range tester",
        "Test what a range matches, in both range syntaxes",
        what_if::test_range,
    )
    .with_search_terms(&["semver", "constraint"])
    .enabled_when(has_catalog),
];
