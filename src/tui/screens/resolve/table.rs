//! Actions of the Resolve screen.

use crate::tui::{
    keys::{
        ActionId, Screen,
        spec::{
            ActionContext::{self, On},
            Enabled,
        },
    },
    screens::resolve::{AssumptionRow, Resolve},
    session::{
        Session,
        action::{Action, ActionHandler, action},
        context::{Context, ViewContext},
    },
    work::{Source, cluster::AssumedNamespace},
};
use olm_catalog::{ChannelName, PackageName};

const HERE: ActionContext = On(&[Screen::Resolve]);

/// Replacements of shared actions.
pub(super) static REPLACEMENTS: &[ActionHandler<Resolve>] =
    &[ActionHandler { id: ActionId::Remove, is_enabled: check_removable, run: remove_assumption }];

/// The actions.
pub static TABLE: &[Action<Resolve>] = &[
    action(
        ActionId::Exclude,
        HERE,
        &["space"],
        "exclude",
        "Exclude the operator or catalog to see what happens without it, or include it again",
        toggle_included,
    )
    .with_hint()
    .enabled_when(check_row),
    action(
        ActionId::OtherChannel,
        HERE,
        &["c"],
        "other channel",
        "Assume the subscription to the next channel of the package",
        switch_channel,
    )
    .with_hint()
    .enabled_when(check_subscription),
    action(
        ActionId::OtherSource,
        HERE,
        &["n"],
        "other catalog",
        "Assume the subscription to the package in the next open catalog that has it",
        switch_catalog,
    )
    .with_hint()
    .enabled_when(check_other_catalog),
    action(
        ActionId::ClearAssumed,
        HERE,
        &["X"],
        "remove all",
        "Assume nothing of the cluster any more",
        |_, cx| cx.session.jobs.assumed_cluster.assumed = AssumedNamespace::default(),
    )
    .enabled_when(|_, view_cx| {
        if view_cx.session.jobs.assumed_cluster.assumed.is_empty() {
            Err("nothing is assumed".to_owned())
        } else {
            Ok(())
        }
    }),
];

fn check_row(screen: &Resolve, _see: &ViewContext<'_>) -> Enabled {
    screen.selected_row().map(|_| ()).ok_or_else(|| "nothing is assumed".to_owned())
}

fn check_removable(screen: &Resolve, view_cx: &ViewContext<'_>) -> Enabled {
    check_row(screen, view_cx)?;
    match screen.selected_row() {
        Some(AssumptionRow::Catalog(_)) => {
            Err("this is an open catalog, which can only be excluded".to_owned())
        }
        _ => Ok(()),
    }
}

fn check_subscription(screen: &Resolve, view_cx: &ViewContext<'_>) -> Enabled {
    check_row(screen, view_cx)?;
    match screen.selected_row() {
        Some(AssumptionRow::Subscribed(_)) => Ok(()),
        _ => Err("this is no subscription".to_owned()),
    }
}

fn check_other_catalog(screen: &Resolve, view_cx: &ViewContext<'_>) -> Enabled {
    check_subscription(screen, view_cx)?;
    let known = selected_subscription(screen, view_cx.session)
        .and_then(|(source, package, _)| next_catalog_with(view_cx.session, &source, &package));
    known.map(|_| ()).ok_or_else(|| "no other open catalog has the package".to_owned())
}

fn selected_subscription(
    screen: &Resolve,
    session: &Session,
) -> Option<(Source, PackageName, Option<ChannelName>)> {
    let Some(AssumptionRow::Subscribed(at)) = screen.selected_row() else { return None };
    let one = session.jobs.assumed_cluster.assumed.subscriptions.get(*at)?;
    Some((one.source.clone(), one.package.clone(), one.channel.clone()))
}

fn toggle_included(screen: &mut Resolve, cx: &mut Context<'_>) {
    let Some(row) = screen.selected_row().copied() else { return };
    let counts = !row.is_included(cx.session);
    let source = row.catalog_source(cx.session);
    let assumed = &mut cx.session.jobs.assumed_cluster.assumed;
    match row {
        AssumptionRow::Subscribed(at) => {
            assumed.subscriptions.get_mut(at).into_iter().for_each(|one| one.is_included = counts);
        }
        AssumptionRow::Installed(at) => {
            assumed.installed.get_mut(at).into_iter().for_each(|one| one.is_included = counts);
        }
        AssumptionRow::Catalog(_) => {
            let Some(source) = source else { return };
            assumed.catalog_choices.retain(|(known, _)| *known != source);
            assumed.catalog_choices.push((source, counts));
        }
    }
}

/// Switches the subscription to the next channel of the package.
fn switch_channel(screen: &mut Resolve, cx: &mut Context<'_>) {
    let Some(AssumptionRow::Subscribed(at)) = screen.selected_row().copied() else { return };
    let Some((source, package, channel)) = selected_subscription(screen, cx.session) else { return };
    let open = cx.session.catalogs.find(&source);
    let Some(package_state) = open.and_then(|open| open.visible_state().package(package.as_str())).cloned()
    else {
        return cx.notices.report_refusal(format!("{package} is not in its catalog any more"));
    };
    let names: Vec<&ChannelName> =
        package_state.package().channels.iter().map(|own| &own.name.value).collect();
    let now = names.iter().position(|name| Some(*name) == channel.as_ref());
    let next = names.get(now.map_or(0, |now| (now + 1) % names.len().max(1)));
    let next = next.map(|name| (*name).clone());
    if next == channel {
        return cx.notices.report_refusal(format!("{package} has no other channel"));
    }
    if let Some(one) = cx.session.jobs.assumed_cluster.assumed.subscriptions.get_mut(at) {
        one.channel = next;
    }
}

/// Returns the next open catalog that has a package.
fn next_catalog_with(session: &Session, source: &Source, package: &PackageName) -> Option<usize> {
    let count = session.catalogs.all().len();
    let own = session.catalogs.position(source).unwrap_or_default();
    let mut others = (1..count).map(|by| (own + by) % count);
    others.find(|at| {
        session
            .catalogs
            .all()
            .get(*at)
            .is_some_and(|open| open.visible_state().package(package.as_str()).is_some())
    })
}

fn switch_catalog(screen: &mut Resolve, cx: &mut Context<'_>) {
    let Some(AssumptionRow::Subscribed(at)) = screen.selected_row().copied() else { return };
    let Some((source, package, channel)) = selected_subscription(screen, cx.session) else { return };
    let Some(open) =
        next_catalog_with(cx.session, &source, &package).and_then(|at| cx.session.catalogs.all().get(at))
    else {
        return;
    };
    let Some(package_state) = open.visible_state().package(package.as_str()) else { return };
    // Keep the channel if the other catalog has it too.
    let known = channel.filter(|name| package_state.package().channel(name.as_str()).is_some());
    let channel = known.or_else(|| package_state.package().default_channel().cloned());
    let source = open.source.clone();
    if let Some(one) = cx.session.jobs.assumed_cluster.assumed.subscriptions.get_mut(at) {
        one.source = source;
        one.channel = channel;
    }
}

fn remove_assumption(screen: &mut Resolve, cx: &mut Context<'_>) {
    let assumed = &mut cx.session.jobs.assumed_cluster.assumed;
    match screen.selected_row().copied() {
        Some(AssumptionRow::Subscribed(at)) if at < assumed.subscriptions.len() => {
            drop(assumed.subscriptions.remove(at));
        }
        Some(AssumptionRow::Installed(at)) if at < assumed.installed.len() => {
            drop(assumed.installed.remove(at));
        }
        _ => {}
    }
}
