//! Action that shows the contents of the selected bundle.

use super::{bundle, is_here, package};
use crate::app::{
    keys::spec::Enabled,
    session::{
        cx::{Cx, See},
        target::Target,
    },
    work::Jump,
};

pub(super) fn can_show_bundle(target: &Target, see: &See<'_>) -> Enabled {
    bundle(target)?;
    package(target, see)?;
    is_here(target, see)
}

pub(super) fn show_bundle(target: &mut Target, cx: &mut Cx<'_>) {
    if let (Some(package), Some(bundle)) = (target.package.clone(), target.bundle.clone()) {
        cx.go(Jump::Bundle { catalog: None, package, channel: target.channel.clone(), bundle });
    }
}
