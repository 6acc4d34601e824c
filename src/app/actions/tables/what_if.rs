//! Table of what-if actions and the range tester.

use crate::app::{
    actions::{has_bundle, has_catalog, has_entry, what_if},
    keys::{
        ActionId, Screen,
        spec::{
            Context::{self, Everywhere, On},
            Writes,
        },
    },
    session::{
        action::{Action, action},
        target::Target,
    },
};

/// Screens whose answers depend on what-if changes.
const ANSWERS: Context = On(&[Screen::Graph, Screen::Upgrades]);

pub(in crate::app) static WHAT_IF: &[Action<Target>] = &[
    action(
        ActionId::WhatIfBelow,
        ANSWERS,
        &["W b"],
        "what if: no older",
        "What if bundles older than a version were removed",
        what_if::below,
    )
    .also(&["simulate", "prune"])
    .when(has_bundle),
    action(
        ActionId::WhatIfWithout,
        ANSWERS,
        &["W l"],
        "what if: no bundle",
        "What if the selected bundle were removed",
        what_if::without,
    )
    .also(&["simulate"])
    .when(has_bundle),
    action(
        ActionId::WhatIfRange,
        ANSWERS,
        &["W r"],
        "what if: range",
        "What if the entry had another skipRange",
        what_if::range,
    )
    .also(&["simulate"])
    .when(has_entry),
    action(
        ActionId::WhatIfSkip,
        ANSWERS,
        &["W s"],
        "what if: skip",
        "What if the entry also skipped another",
        what_if::skip,
    )
    .also(&["simulate"])
    .when(has_entry),
    action(
        ActionId::WhatIfDeprecateBundle,
        ANSWERS,
        &["W d"],
        "what if: deprecate",
        "What if the bundle were deprecated, or no longer",
        what_if::deprecate_bundle,
    )
    .also(&["undeprecate", "retire", "simulate"])
    .when(has_bundle),
    action(
        ActionId::WhatIfDeprecateChannel,
        ANSWERS,
        &["W c"],
        "what if: channel",
        "What if the channel were deprecated, or no longer",
        what_if::deprecate_channel,
    )
    .also(&["simulate"])
    .when(what_if::can_suppose_of_channel),
    action(
        ActionId::WhatIfDeprecatePackage,
        ANSWERS,
        &["W p"],
        "what if: package",
        "What if the package were deprecated, or no longer",
        what_if::deprecate_package,
    )
    .also(&["simulate"])
    .when(has_catalog),
    action(
        ActionId::WhatIfRemoveChannel,
        ANSWERS,
        &["W x"],
        "what if: remove",
        "What if the channel were removed",
        what_if::remove_channel,
    )
    .also(&["delete", "prune", "simulate"])
    .when(what_if::can_remove_channel),
    action(
        ActionId::WhatIfExtract,
        On(&[Screen::Catalog, Screen::Graph, Screen::Upgrades]),
        &["W e"],
        "what if: extract",
        "What if only a part of the catalog were left",
        what_if::extract,
    )
    .also(&["subset", "only some packages, channels, versions", "simulate", "filter catalog"])
    .when(what_if::can_extract),
    action(
        ActionId::WhatIfMirror,
        On(&[Screen::Catalog, Screen::Graph, Screen::Upgrades]),
        &["W m"],
        "what if: mirror",
        "What if only what oc-mirror mirrors were left",
        what_if::mirror,
    )
    .also(&["oc-mirror", "disconnected", "air gap", "imageset", "simulate"])
    .when(what_if::can_mirror),
    action(
        ActionId::WhatIfUndo,
        Everywhere,
        &["W u"],
        "what if: undo",
        "Undo the last what-if",
        what_if::undo,
    )
    .also(&["revert", "take back"])
    .when(what_if::is_on),
    action(
        ActionId::WhatIfKeep,
        Everywhere,
        &["W k"],
        "what if: keep",
        "Apply the what-if as one edit",
        what_if::keep,
    )
    .ranked(0)
    .ending_what_if()
    .writing(Writes::Package)
    .when(what_if::is_on),
    action(
        ActionId::WhatIfDrop,
        Everywhere,
        &["W q"],
        "what if: drop",
        "Drop the what-if",
        what_if::drop_all,
    )
    .also(&["discard"])
    .ranked(0)
    .when(what_if::is_on),
    action(
        ActionId::TestRange,
        ANSWERS,
        &["R"],
        "range tester",
        "Test what a range matches, in both range syntaxes",
        what_if::test_range,
    )
    .also(&["semver", "constraint"])
    .when(has_catalog),
];
