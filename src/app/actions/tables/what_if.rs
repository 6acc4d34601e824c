//! Suppositions, and trying out ranges.

use crate::app::{
    actions as run,
    keys::Screen,
    keys::{
        ActionId,
        spec::{
            ActionSpec,
            Context::{Everywhere, On},
            spec,
        },
    },
};

/// Where answers are that a supposition changes.
const ANSWERS: crate::app::keys::spec::Context = On(&[Screen::Graph, Screen::Upgrades]);

pub(in crate::app) static WHAT_IF: &[ActionSpec] = &[
    spec(
        ActionId::WhatIfBelow,
        ANSWERS,
        &["W b"],
        "what if: below",
        "What if versions below one were left out",
        run::what_if_below,
    )
    .when(run::has_bundle),
    spec(
        ActionId::WhatIfWithout,
        ANSWERS,
        &["W l"],
        "what if: left out",
        "What if the selected bundle were left out",
        run::what_if_without,
    )
    .when(run::has_bundle),
    spec(
        ActionId::WhatIfRange,
        ANSWERS,
        &["W r"],
        "what if: range",
        "What if the entry had another skipRange",
        run::what_if_range,
    )
    .when(run::has_entry),
    spec(
        ActionId::WhatIfSkip,
        ANSWERS,
        &["W s"],
        "what if: skip",
        "What if the entry also skipped another one",
        run::what_if_skip,
    )
    .when(run::has_entry),
    spec(
        ActionId::WhatIfDeprecateBundle,
        ANSWERS,
        &["W d"],
        "what if: deprecate",
        "What if the bundle were deprecated, or no longer",
        run::what_if_deprecate_bundle,
    )
    .when(run::has_bundle),
    spec(
        ActionId::WhatIfDeprecateChannel,
        ANSWERS,
        &["W c"],
        "what if: channel",
        "What if the channel were deprecated, or no longer",
        run::what_if_deprecate_channel,
    )
    .when(run::can_suppose_of_channel),
    spec(
        ActionId::WhatIfDeprecatePackage,
        ANSWERS,
        &["W p"],
        "what if: package",
        "What if the package were deprecated, or no longer",
        run::what_if_deprecate_package,
    )
    .when(run::has_catalog),
    spec(
        ActionId::WhatIfRemoveChannel,
        ANSWERS,
        &["W x"],
        "what if: remove",
        "What if the channel were removed",
        run::what_if_remove_channel,
    )
    .when(run::can_remove_channel),
    spec(
        ActionId::WhatIfUndo,
        Everywhere,
        &["W u"],
        "what if: undo",
        "Take back the last supposition",
        run::what_if_undo,
    )
    .when(run::has_what_if),
    spec(
        ActionId::WhatIfKeep,
        Everywhere,
        &["W k"],
        "what if: keep",
        "Keep what is supposed as one edit",
        run::what_if_keep,
    )
    .hinted()
    .mutating()
    .when(run::has_what_if),
    spec(
        ActionId::WhatIfDrop,
        Everywhere,
        &["W q"],
        "what if: drop",
        "Drop all suppositions",
        run::what_if_drop,
    )
    .hinted()
    .when(run::has_what_if),
    spec(
        ActionId::TestRange,
        ANSWERS,
        &["R"],
        "range tester",
        "Try out what a range matches, in both dialects",
        run::test_range,
    )
    .when(run::has_catalog),
];
