//! Actions that add entries, channels and bundles, rename channels and edit descriptions.

use super::{channel, package};
use crate::app::{
    keys::{ActionId, spec::Enabled},
    parts::text::one_line,
    session::{
        cx::{Cx, See},
        target::Target,
    },
    work::{
        Opening,
        opening::{Asked, Purpose},
    },
};
use crate::catalog::BundleHome;

/// Opens an edit dialog with a question about the selected package.
fn ask(target: &Target, cx: &mut Cx<'_>, asked: Asked, proposed: String) {
    if let Some(package) = target.package.clone() {
        cx.open(Opening::Ask { purpose: Purpose::Edit, package, asked, proposed });
    }
}

/// Opens the dialog for a new bundle. If a bundle directory outside of any catalog is selected, the
/// dialog starts with its path.
pub(super) fn add_bundle(target: &mut Target, cx: &mut Cx<'_>) {
    let home = || {
        let catalog = &cx.session.catalog()?.now().catalog;
        let home = catalog.bundle_home(target.package.as_ref()?, target.bundle.as_ref()?)?;
        match home {
            BundleHome::Directory { path, .. } if catalog.is_proposed() => Some(path),
            _ => None,
        }
    };
    let path = home();
    cx.open(Opening::AddBundle { path });
}

/// Refuses unless a writable catalog is open. A catalog proposed from bundle directories is never
/// written.
pub(super) fn can_add_bundle(_: &Target, see: &See<'_>) -> Enabled {
    let takes = see.session.open.iter().any(|open| !open.now().catalog.is_proposed());
    if takes {
        Ok(())
    } else {
        Err("open the catalog that it is for, too: olmap CATALOG OPERATORS".to_owned())
    }
}

pub(super) fn can_add_entry(target: &Target, see: &See<'_>) -> Enabled {
    let (judged, channel) = (package(target, see)?, channel(target)?);
    if !see.session.has_other_bundles(judged, channel) {
        let key = see.key(ActionId::AddBundle);
        return Err(format!("every bundle is already in {channel}; {key} adds a new one"));
    }
    Ok(())
}

pub(super) fn add_entry(target: &mut Target, cx: &mut Cx<'_>) {
    if let Some(channel) = target.channel.clone() {
        ask(target, cx, Asked::NewEntry(channel), String::new());
    }
}

/// Refuses if the package does not have an `olm.package` object that could hold the change.
pub(super) fn has_definition(target: &Target, see: &See<'_>) -> Enabled {
    let package = package(target, see)?.package();
    match package.definition() {
        Some(_) => Ok(()),
        None => Err(format!("{} has no olm.package object", package.name)),
    }
}

pub(super) fn add_channel(target: &mut Target, cx: &mut Cx<'_>) {
    ask(target, cx, Asked::NewChannel, String::new());
}

pub(super) fn has_channel(target: &Target, see: &See<'_>) -> Enabled {
    package(target, see)?;
    channel(target).map(drop)
}

pub(super) fn rename_channel(target: &mut Target, cx: &mut Cx<'_>) {
    if let Some(channel) = target.channel.clone() {
        let name = channel.to_string();
        ask(target, cx, Asked::Rename(channel), name);
    }
}

pub(super) fn describe(target: &mut Target, cx: &mut Cx<'_>) {
    let see = cx.see();
    let Ok(judged) = package(target, &see) else { return };
    let text = judged.package().definition().and_then(|definition| definition.description.as_ref());
    let text = text.map(|text| one_line(&text.value)).unwrap_or_default();
    ask(target, cx, Asked::Description, text);
}
