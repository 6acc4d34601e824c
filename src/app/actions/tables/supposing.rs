//! Supposing a cluster.

use crate::app::{
    actions::supposing as run,
    keys::{ActionId, spec::Context::Everywhere},
    session::{
        action::{Action, action},
        target::Target,
    },
};

pub(in crate::app) static SUPPOSING: &[Action<Target>] = &[
    action(
        ActionId::SupposeSubscription,
        Everywhere,
        &["t"],
        "suppose subscription",
        "Suppose a subscription to this channel for the Resolve screen, or take it back",
        run::subscribe,
    )
    .also(&["resolve", "dependencies", "cluster", "subscribe"])
    .when(run::can_subscribe),
    action(
        ActionId::SupposeInstalled,
        Everywhere,
        &["Z"],
        "suppose installed",
        "Suppose that this bundle is installed for the Resolve screen, or take it back",
        run::install,
    )
    .also(&["resolve", "dependencies", "cluster"])
    .when(run::can_install),
];
