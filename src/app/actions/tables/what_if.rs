//! Suppositions, and trying out ranges.

use crate::app::{
    actions as run,
    keys::{
        ActionId, Screen,
        spec::{
            Context::{self, Everywhere, On},
            Writes,
        },
    },
    session::action::{Action, action},
    shell::model::Model,
};

/// Where answers are that a supposition changes.
const ANSWERS: Context = On(&[Screen::Graph, Screen::Upgrades]);

pub(in crate::app) static WHAT_IF: &[Action<Model>] = &[
    action(
        ActionId::WhatIfBelow,
        ANSWERS,
        &["W b"],
        "what if: below",
        "What if versions below one were left out",
        run::what_if_below,
    )
    .when(run::has_bundle),
    action(
        ActionId::WhatIfWithout,
        ANSWERS,
        &["W l"],
        "what if: left out",
        "What if the selected bundle were left out",
        run::what_if_without,
    )
    .when(run::has_bundle),
    action(
        ActionId::WhatIfRange,
        ANSWERS,
        &["W r"],
        "what if: range",
        "What if the entry had another skipRange",
        run::what_if_range,
    )
    .when(run::has_entry),
    action(
        ActionId::WhatIfSkip,
        ANSWERS,
        &["W s"],
        "what if: skip",
        "What if the entry also skipped another one",
        run::what_if_skip,
    )
    .when(run::has_entry),
    action(
        ActionId::WhatIfDeprecateBundle,
        ANSWERS,
        &["W d"],
        "what if: deprecate",
        "What if the bundle were deprecated, or no longer",
        run::what_if_deprecate_bundle,
    )
    .when(run::has_bundle),
    action(
        ActionId::WhatIfDeprecateChannel,
        ANSWERS,
        &["W c"],
        "what if: channel",
        "What if the channel were deprecated, or no longer",
        run::what_if_deprecate_channel,
    )
    .when(run::can_suppose_of_channel),
    action(
        ActionId::WhatIfDeprecatePackage,
        ANSWERS,
        &["W p"],
        "what if: package",
        "What if the package were deprecated, or no longer",
        run::what_if_deprecate_package,
    )
    .when(run::has_catalog),
    action(
        ActionId::WhatIfRemoveChannel,
        ANSWERS,
        &["W x"],
        "what if: remove",
        "What if the channel were removed",
        run::what_if_remove_channel,
    )
    .when(run::can_remove_channel),
    action(
        ActionId::WhatIfUndo,
        Everywhere,
        &["W u"],
        "what if: undo",
        "Take back the last supposition",
        run::what_if_undo,
    )
    .when(run::has_what_if),
    action(
        ActionId::WhatIfKeep,
        Everywhere,
        &["W k"],
        "what if: keep",
        "Keep what is supposed as one edit",
        run::what_if_keep,
    )
    .ranked(0)
    .ending_what_if()
    .writing(Writes::Package)
    .when(run::has_what_if),
    action(
        ActionId::WhatIfDrop,
        Everywhere,
        &["W q"],
        "what if: drop",
        "Drop all suppositions",
        run::what_if_drop,
    )
    .ranked(0)
    .when(run::has_what_if),
    action(
        ActionId::TestRange,
        ANSWERS,
        &["R"],
        "range tester",
        "Try out what a range matches, in both dialects",
        run::test_range,
    )
    .when(run::has_catalog),
];
