//! What a what-if changes: the answers as they really are, where they are others now.

use std::collections::BTreeMap;

use crate::app::{
    parts::memo::{Memo, Same},
    session::answers::{Derived, TableKey},
};
use crate::{
    app::{
        keys::Screen,
        session::{
            model::Model,
            what_if::{self, Was, With},
        },
    },
    catalog::BundleName,
    review::Judged,
};

/// By the real package, and by the supposed one with channel and query.
pub(in crate::app) type Compared = Memo<(Same<Judged>, TableKey), BTreeMap<BundleName, Was>>;

impl Derived {
    /// What a bundle really does, where a what-if sends it elsewhere, or did in what one compares with: in the channel the
    /// screen is about.
    pub fn was(&self, bundle: &BundleName) -> Option<&Was> {
        self.was.value.get(bundle)
    }

    /// How many bundles of the package a what-if sends elsewhere, or fare otherwise in what one compares with.
    pub fn sent_elsewhere(&self) -> usize {
        self.was.value.len()
    }

    pub(in crate::app) fn compare_with_real(&mut self, model: &Model) {
        let package = model.package();
        let selection = model.selection();
        let supposed = model.what_if().and(model.catalog()).and_then(|open| {
            let package = selection.package.as_ref()?;
            open.history.now().package(package.as_str())
        });
        // What is supposed is told first: that is what one tries out.
        let (real, with) = match model.what_if() {
            Some(_) => (supposed, With::Supposed),
            None => (model.base_package(), With::Base),
        };
        let about = match model.screen {
            Screen::Upgrades => model.subscribed_channel(),
            _ => selection.channel.as_ref(),
        };
        let key = (Same::of(real), (Same::of(package), about.cloned(), model.query.clone()));
        self.was.update(key, |(_, (_, channel, query))| match (real, package, channel) {
            (Some(real), Some(supposed), Some(channel)) => {
                what_if::compare(real, supposed, channel, query, with)
            }
            _ => BTreeMap::new(),
        });
    }
}
