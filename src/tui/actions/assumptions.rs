//! Actions that assume a cluster state: a Subscription to the selected channel, or an installed
//! bundle.

use crate::tui::{
    actions::{is_in_catalog, selected_bundle, selected_channel, selected_package},
    dialogs::menu::{Menu, MenuChoice, MenuItem},
    keys::{
        ActionId, Screen,
        spec::{ActionContext::On, Enabled},
    },
    session::{
        Session,
        action::{Action, Target, action},
        context::{Context, ViewContext},
    },
};

pub(super) fn can_assume_subscription(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    selected_package(target, view_cx)?;
    selected_channel(target).map(drop)
}

pub(super) fn assume_subscription(target: &mut Target, cx: &mut Context<'_>) {
    let (Some(package), Some(channel)) = (target.package.clone(), target.channel.clone()) else { return };
    let Some(source) = cx.session.current_catalog().map(|open| open.source.clone()) else { return };
    let cluster = &mut cx.session.jobs.assumed_cluster;
    let is_new = cluster.toggle_subscription(source, &package, Some(channel.clone()));
    notify_assumption(cx, is_new, &format!("subscription to {package}, channel {channel}"));
}

pub(super) fn can_assume_installed(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    selected_package(target, view_cx)?;
    selected_bundle(target)?;
    is_in_catalog(target, view_cx)
}

pub(super) fn assume_installed(target: &mut Target, cx: &mut Context<'_>) {
    let (Some(package), Some(bundle)) = (target.package.clone(), target.bundle.clone()) else { return };
    let Some(source) = cx.session.current_catalog().map(|open| open.source.clone()) else { return };
    let is_new = cx.session.jobs.assumed_cluster.toggle_installed_bundle(source, &package, &bundle);
    notify_assumption(cx, is_new, &format!("{bundle} is installed"));
}

pub(super) fn can_assume_cluster(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    super::has_catalog(target, view_cx)?;
    if view_cx.session.installed_operators.cluster.is_none() {
        return Err("no cluster is given: olmap --cluster FILE".to_owned());
    }
    let session = view_cx.session;
    session
        .installed_operators
        .target_namespace(target.package.as_ref(), &session.catalogs)
        .map(drop)
        .ok_or_else(|| "the cluster has no Subscription of a package that is in an open catalog".to_owned())
}

pub(super) fn assume_cluster(target: &mut Target, cx: &mut Context<'_>) {
    let Session { installed_operators, catalogs, jobs, .. } = &mut *cx.session;
    let Some(namespace) = installed_operators.target_namespace(target.package.as_ref(), catalogs) else {
        return;
    };
    let (assumed, taken, left) = installed_operators.assume_namespace(namespace, catalogs);
    jobs.assumed_cluster.assumed = assumed;
    let namespace = namespace.to_owned();
    let left = match left.as_slice() {
        [] => String::new(),
        [one] => format!("; {one} is in no open catalog"),
        several => format!("; {} are in no open catalog", several.join(", ")),
    };
    cx.notices.report_done(format!("assumed: {taken} of namespace {namespace}{left}"));
}

fn notify_assumption(cx: &mut Context<'_>, is_new: bool, what: &str) {
    let verb = if is_new { "assumed" } else { "no longer assumed" };
    cx.notices.report_done(format!("{verb}: {what}"));
}

/// Opens the menu of what to assume about the selection, which is in the header.
fn open_assumption_menu(_: &mut Target, cx: &mut Context<'_>) {
    let target = Target::from_selection(cx.session.selection());
    let menu = Menu::from_items("Set up the test cluster", target, ASSUMPTION_ITEMS, &cx.view());
    cx.open_dialog(menu);
}

/// Choices of what to assume.
static ASSUMPTION_ITEMS: &[MenuItem] = &[
    MenuItem {
        letter: 's',
        doc: "a subscription to the selected channel, or no longer",
        is_enabled: can_assume_subscription,
        choice: MenuChoice::Run(assume_subscription),
    },
    MenuItem {
        letter: 'i',
        doc: "that the selected bundle is installed, or no longer",
        is_enabled: can_assume_installed,
        choice: MenuChoice::Run(assume_installed),
    },
    MenuItem {
        letter: 'c',
        doc: "what the cluster of --cluster has in the namespace of the selected package",
        is_enabled: can_assume_cluster,
        choice: MenuChoice::Run(assume_cluster),
    },
];

pub(in crate::tui) static ASSUMPTION_ACTIONS: &[Action<Target>] = &[action(
    ActionId::Assume,
    On(&[Screen::Resolve]),
    &["t"],
    "set up cluster",
    "Assume a subscription, an installed bundle, or the state of the cluster of --cluster",
    open_assumption_menu,
)
.with_search_terms(&["resolve", "dependencies", "assume", "subscribe", "installed", "namespace"])
.with_hint_rank(0)];
