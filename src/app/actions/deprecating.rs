//! Action that deprecates a package, channel or bundle, or removes its deprecation.

use super::package;
use crate::{
    app::{
        keys::spec::{Enabled, Reason},
        parts::text::one_line,
        session::{
            cx::{Cx, See},
            target::{Level, Target},
        },
        work::{
            Opening,
            opening::{Asked, Leads, Purpose, Way, called},
        },
    },
    catalog::blob::DeprecationTarget,
};

/// Returns the parts of the selection that can be deprecated, most likely first.
fn targets(target: &Target, see: &See<'_>) -> Result<Vec<DeprecationTarget>, Reason> {
    let package = package(target, see)?.package();
    let named = target.bundle.as_ref();
    let bundle = named.filter(|name| package.bundle(name.as_str()).is_some());
    let bundle = bundle.map(|name| DeprecationTarget::Bundle(name.clone()));
    let channel = target.channel.clone().map(DeprecationTarget::Channel);
    let targets: Vec<DeprecationTarget> = match target.level {
        Level::Package => vec![DeprecationTarget::Package],
        Level::Channel => channel.into_iter().collect(),
        Level::Bundle => bundle.into_iter().collect(),
        Level::All => bundle.into_iter().chain(channel).chain([DeprecationTarget::Package]).collect(),
    };
    if targets.is_empty() {
        super::is_here(target, see)?;
        return Err(match named {
            Some(name) if target.level == Level::Bundle => format!("{name} is not a bundle of the package"),
            _ => "nothing that can be deprecated is selected".to_owned(),
        });
    }
    Ok(targets)
}

pub(super) fn can_deprecate(target: &Target, see: &See<'_>) -> Enabled {
    targets(target, see).map(drop)
}

/// Asks for the deprecation message. Asks for the target first if there are several.
pub(super) fn deprecate(target: &mut Target, cx: &mut Cx<'_>) {
    let see = cx.see();
    let (Ok(targets), Ok(judged)) = (targets(target, &see), package(target, &see)) else { return };
    let package = judged.package().name.clone();
    let message =
        |target: &DeprecationTarget| judged.package().deprecation(target).map(|d| d.message.value.as_str());
    if let [only] = targets.as_slice() {
        let proposed = message(only).map(one_line).unwrap_or_default();
        let asked = Asked::Deprecated(only.clone());
        return cx.open(Opening::Ask { purpose: Purpose::Edit, package, asked, proposed });
    }
    let way = |target: DeprecationTarget| {
        let said = message(&target);
        Way {
            label: match &target {
                DeprecationTarget::Bundle(bundle) => format!("bundle {bundle}"),
                other => called(&package, other),
            },
            note: said.map(|said| format!("is deprecated: {}", one_line(said))).unwrap_or_default(),
            then: Leads::Ask {
                package: package.clone(),
                asked: Asked::Deprecated(target),
                proposed: said.map(one_line).unwrap_or_default(),
            },
        }
    };
    let ways = targets.into_iter().map(way).collect();
    let title = "Deprecate which?".to_owned();
    cx.open(Opening::Choose { purpose: Purpose::Edit, title, ways });
}
