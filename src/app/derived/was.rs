//! What a what-if changes: the answers as they really are, where they are others now.

use std::collections::BTreeMap;

use super::{Derived, Memo, Same, TableKey};
use crate::{
    app::{
        model::Model,
        place::Screen,
        what_if::{self, Was},
    },
    catalog::BundleName,
    review::Judged,
};

/// By the real package, and by the supposed one with channel and query.
pub(super) type Compared = Memo<(Same<Judged>, TableKey), BTreeMap<BundleName, Was>>;

impl Derived {
    /// What a bundle really does, where a what-if sends it elsewhere: in the channel the screen is about.
    pub fn was(&self, bundle: &BundleName) -> Option<&Was> {
        self.was.value.get(bundle)
    }

    /// How many bundles of the package a what-if sends elsewhere.
    pub fn sent_elsewhere(&self) -> usize {
        self.was.value.len()
    }

    pub(super) fn compare_with_real(&mut self, model: &Model) {
        let package = model.package();
        let selection = model.selection();
        let real = model.what_if().and(model.catalog()).and_then(|open| {
            let package = selection.package.as_ref()?;
            open.history.now().package(package.as_str())
        });
        let about = match model.screen {
            Screen::Upgrades => model.subscribed_channel(),
            _ => selection.channel.as_ref(),
        };
        let key = (Same::of(real), (Same::of(package), about.cloned(), model.query.clone()));
        self.was.update(key, |(_, (_, channel, query))| match (real, package, channel) {
            (Some(real), Some(supposed), Some(channel)) => what_if::compare(real, supposed, channel, query),
            _ => BTreeMap::new(),
        });
    }
}
