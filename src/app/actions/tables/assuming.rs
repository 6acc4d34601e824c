//! Table of actions that assume a cluster state.

use crate::app::{
    actions::assuming as run,
    keys::{ActionId, spec::Context::Everywhere},
    session::{
        action::{Action, action},
        target::Target,
    },
};

pub(in crate::app) static ASSUMING: &[Action<Target>] = &[
    action(
        ActionId::AssumeSubscription,
        Everywhere,
        &["t"],
        "assume subscription",
        "Assume a subscription to this channel for the Resolve screen, or take it back",
        run::subscribe,
    )
    .also(&["resolve", "dependencies", "cluster", "subscribe"])
    .when(run::can_subscribe),
    action(
        ActionId::AssumeInstalled,
        Everywhere,
        &["Z"],
        "assume installed",
        "Assume that this bundle is installed for the Resolve screen, or take it back",
        run::install,
    )
    .also(&["resolve", "dependencies", "cluster"])
    .when(run::can_install),
    action(
        ActionId::AssumeCluster,
        Everywhere,
        &["Y"],
        "assume cluster",
        "Assume what the cluster of --cluster has in the namespace of this package for the Resolve screen",
        run::cluster,
    )
    .also(&["resolve", "dependencies", "installed", "namespace"])
    .when(run::can_cluster),
];
