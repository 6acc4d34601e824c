//! Table of actions that assume a cluster state.

use crate::tui::{
    actions::assumptions as run,
    keys::{ActionId, spec::ActionContext::Everywhere},
    session::{
        action::{Action, action},
        target::Target,
    },
};

pub(in crate::tui) static ASSUMPTION_ACTIONS: &[Action<Target>] = &[
    action(
        ActionId::AssumeSubscription,
        Everywhere,
        &["t"],
        "assume subscription",
        "Assume a subscription to this channel for the Resolve screen, or take it back",
        run::assume_subscription,
    )
    .with_search_terms(&["resolve", "dependencies", "cluster", "subscribe"])
    .enabled_when(run::can_assume_subscription),
    action(
        ActionId::AssumeInstalled,
        Everywhere,
        &["Z"],
        "assume installed",
        "Assume that this bundle is installed for the Resolve screen, or take it back",
        run::assume_installed,
    )
    .with_search_terms(&["resolve", "dependencies", "cluster"])
    .enabled_when(run::can_assume_installed),
    action(
        ActionId::AssumeCluster,
        Everywhere,
        &["Y"],
        "assume cluster",
        "Assume what the cluster of --cluster has in the namespace of this package for the Resolve screen",
        run::assume_cluster,
    )
    .with_search_terms(&["resolve", "dependencies", "installed", "namespace"])
    .enabled_when(run::can_assume_cluster),
];
