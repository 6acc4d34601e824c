//! Actions that assume a cluster state: a Subscription to the selected channel, or an installed
//! bundle.

use super::{bundle, channel, is_here, package};
use crate::app::{
    keys::{ActionId, spec::Enabled},
    session::{
        cx::{Cx, See},
        target::Target,
    },
};

pub(super) fn can_subscribe(target: &Target, see: &See<'_>) -> Enabled {
    package(target, see)?;
    channel(target).map(drop)
}

pub(super) fn subscribe(target: &mut Target, cx: &mut Cx<'_>) {
    let (Some(package), Some(channel)) = (target.package.clone(), target.channel.clone()) else { return };
    let is_new = cx.session.assume_subscription(&package, Some(channel.clone()));
    tell(cx, is_new, &format!("subscription to {package}, channel {channel}"));
}

pub(super) fn can_install(target: &Target, see: &See<'_>) -> Enabled {
    package(target, see)?;
    bundle(target)?;
    is_here(target, see)
}

pub(super) fn install(target: &mut Target, cx: &mut Cx<'_>) {
    let (Some(package), Some(bundle)) = (target.package.clone(), target.bundle.clone()) else { return };
    let is_new = cx.session.assume_installed(&package, &bundle);
    tell(cx, is_new, &format!("{bundle} is installed"));
}

pub(super) fn can_cluster(target: &Target, see: &See<'_>) -> Enabled {
    super::has_catalog(target, see)?;
    if see.session.on_cluster.is_none() {
        return Err("no cluster is given: olmap --cluster FILE".to_owned());
    }
    see.session
        .namespace(target.package.as_ref())
        .map(drop)
        .ok_or_else(|| "the cluster has no Subscription of a package that is in an open catalog".to_owned())
}

pub(super) fn cluster(target: &mut Target, cx: &mut Cx<'_>) {
    let Some(namespace) = cx.session.namespace(target.package.as_ref()).map(str::to_owned) else { return };
    let (taken, left) = cx.session.assume_namespace(&namespace);
    let key = cx.key(ActionId::ShowResolve).to_owned();
    let left = match left.as_slice() {
        [] => String::new(),
        [one] => format!("; {one} is in no open catalog"),
        several => format!("; {} are in no open catalog", several.join(", ")),
    };
    cx.notices.done(format!(
        "assumed: {taken} of namespace {namespace}{left}; {key} shows what OLM Classic makes of it"
    ));
}

fn tell(cx: &mut Cx<'_>, is_new: bool, what: &str) {
    let key = cx.key(ActionId::ShowResolve).to_owned();
    cx.notices.done(if is_new {
        format!("assumed: {what}; {key} shows what OLM Classic makes of it")
    } else {
        format!("no longer assumed: {what}")
    });
}
