//! Actions of the Resolve screen.

use super::{Resolve, rows::Row};
use crate::{
    app::{
        keys::{
            ActionId, Screen,
            spec::{Context, Context::On, Enabled},
        },
        session::{
            Session,
            action::{Action, action},
            cx::{Cx, See},
        },
        work::{Source, cluster::Assumed},
    },
    catalog::{ChannelName, PackageName},
};

const HERE: Context = On(&[Screen::Resolve]);

/// The actions.
pub static TABLE: &[Action<Resolve>] = &[
    action(
        ActionId::Exclude,
        HERE,
        &["space"],
        "exclude",
        "Exclude the operator or catalog to see what happens without it, or include it again",
        exclude,
    )
    .hinted()
    .when(has_row),
    action(
        ActionId::OtherChannel,
        HERE,
        &["c"],
        "other channel",
        "Assume the subscription to the next channel of the package",
        other_channel,
    )
    .hinted()
    .when(has_subscription),
    action(
        ActionId::OtherSource,
        HERE,
        &["n"],
        "other catalog",
        "Assume the subscription to the package in the next open catalog that has it",
        other_source,
    )
    .hinted()
    .when(has_other_source),
    action(
        ActionId::RemoveAssumed,
        HERE,
        &["x"],
        "remove",
        "Assume the subscription or installed operator no longer",
        remove,
    )
    .hinted()
    .when(has_assumed),
    action(
        ActionId::ClearAssumed,
        HERE,
        &["X"],
        "remove all",
        "Assume nothing of the cluster any more",
        |_, cx| cx.session.cluster.assumed = Assumed::default(),
    )
    .when(|_, see| {
        if see.session.cluster.assumed.is_empty() { Err("nothing is assumed".to_owned()) } else { Ok(()) }
    }),
];

fn has_row(screen: &Resolve, _see: &See<'_>) -> Enabled {
    screen.selected().map(|_| ()).ok_or_else(|| "nothing is assumed".to_owned())
}

fn has_assumed(screen: &Resolve, see: &See<'_>) -> Enabled {
    has_row(screen, see)?;
    match screen.selected() {
        Some(Row::Catalog(_)) => Err("this is an open catalog, which can only be excluded".to_owned()),
        _ => Ok(()),
    }
}

fn has_subscription(screen: &Resolve, see: &See<'_>) -> Enabled {
    has_row(screen, see)?;
    match screen.selected() {
        Some(Row::Subscribed(_)) => Ok(()),
        _ => Err("this is no subscription".to_owned()),
    }
}

fn has_other_source(screen: &Resolve, see: &See<'_>) -> Enabled {
    has_subscription(screen, see)?;
    let known = subscription(screen, see.session)
        .and_then(|(source, package, _)| next_source(see.session, &source, &package));
    known.map(|_| ()).ok_or_else(|| "no other open catalog has the package".to_owned())
}

fn subscription(screen: &Resolve, session: &Session) -> Option<(Source, PackageName, Option<ChannelName>)> {
    let Some(Row::Subscribed(at)) = screen.selected() else { return None };
    let one = session.cluster.assumed.subscribed.get(*at)?;
    Some((one.source.clone(), one.package.clone(), one.channel.clone()))
}

fn exclude(screen: &mut Resolve, cx: &mut Cx<'_>) {
    let Some(row) = screen.selected().copied() else { return };
    let counts = !row.counts(cx.session);
    let source = row.source(cx.session);
    let assumed = &mut cx.session.cluster.assumed;
    match row {
        Row::Subscribed(at) => assumed.subscribed.get_mut(at).into_iter().for_each(|one| one.counts = counts),
        Row::Installed(at) => assumed.installed.get_mut(at).into_iter().for_each(|one| one.counts = counts),
        Row::Catalog(_) => {
            let Some(source) = source else { return };
            assumed.in_sight.retain(|(known, _)| *known != source);
            assumed.in_sight.push((source, counts));
        }
    }
}

/// Switches the subscription to the next channel of the package.
fn other_channel(screen: &mut Resolve, cx: &mut Cx<'_>) {
    let Some(Row::Subscribed(at)) = screen.selected().copied() else { return };
    let Some((source, package, channel)) = subscription(screen, cx.session) else { return };
    let open = cx.session.open.iter().find(|open| open.source == source);
    let Some(judged) = open.and_then(|open| open.now().package(package.as_str())).cloned() else {
        return cx.notices.refused(format!("{package} is not in its catalog any more"));
    };
    let names: Vec<&ChannelName> = judged.package().channels.iter().map(|own| &own.name.value).collect();
    let now = names.iter().position(|name| Some(*name) == channel.as_ref());
    let next = names.get(now.map_or(0, |now| (now + 1) % names.len().max(1)));
    let next = next.map(|name| (*name).clone());
    if next == channel {
        return cx.notices.refused(format!("{package} has no other channel"));
    }
    if let Some(one) = cx.session.cluster.assumed.subscribed.get_mut(at) {
        one.channel = next;
    }
}

/// Returns the next open catalog that has a package.
fn next_source(session: &Session, source: &Source, package: &PackageName) -> Option<usize> {
    let count = session.open.len();
    let own = session.open.iter().position(|open| open.source == *source).unwrap_or_default();
    let mut others = (1..count).map(|by| (own + by) % count);
    others.find(|at| session.open.get(*at).is_some_and(|open| open.now().package(package.as_str()).is_some()))
}

fn other_source(screen: &mut Resolve, cx: &mut Cx<'_>) {
    let Some(Row::Subscribed(at)) = screen.selected().copied() else { return };
    let Some((source, package, channel)) = subscription(screen, cx.session) else { return };
    let Some(open) = next_source(cx.session, &source, &package).and_then(|at| cx.session.open.get(at)) else {
        return;
    };
    let Some(judged) = open.now().package(package.as_str()) else { return };
    // Keep the channel if the other catalog has it too.
    let known = channel.filter(|name| judged.package().channel(name.as_str()).is_some());
    let channel = known.or_else(|| judged.package().default_channel().cloned());
    let source = open.source.clone();
    if let Some(one) = cx.session.cluster.assumed.subscribed.get_mut(at) {
        one.source = source;
        one.channel = channel;
    }
}

fn remove(screen: &mut Resolve, cx: &mut Cx<'_>) {
    let assumed = &mut cx.session.cluster.assumed;
    match screen.selected().copied() {
        Some(Row::Subscribed(at)) if at < assumed.subscribed.len() => drop(assumed.subscribed.remove(at)),
        Some(Row::Installed(at)) if at < assumed.installed.len() => drop(assumed.installed.remove(at)),
        _ => {}
    }
}
