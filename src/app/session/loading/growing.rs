//! Catalogs that are looked at while they are being read.

use std::sync::Arc;

use crate::app::{
    keys::ActionId,
    session::{
        against::Comparing,
        history::History,
        model::{Busy, Model, Open, Stage},
        place::Selection,
    },
    work::{Effect, Source},
};
use crate::{catalog::Unread, review::Snapshot};

/// Shows what is there of a catalog that is opened for the first time.
pub(in crate::app) fn grown(model: &mut Model, source: Source, snapshot: Arc<Snapshot>) {
    let known = model.open.iter_mut().find(|open| open.source == source);
    match known {
        Some(open) => open.show(snapshot),
        None => model.open.push(Open::new(source, snapshot)),
    }
    model.stage = Stage::Ready;
    model.busy = Some(Busy::Loading);
    model.settle_all();
    model.come_back();
}

/// Asks for the selected package to be read first, where it waits.
pub(in crate::app) fn want(model: &mut Model) -> Vec<Effect> {
    if model.busy != Some(Busy::Loading) {
        return Vec::new();
    }
    let selected = model.selection().package.clone();
    let Some(package) =
        selected.filter(|_| model.package_is_unread() && model.selection().package != model.wanted)
    else {
        return Vec::new();
    };
    model.wanted = Some(package.clone());
    vec![Effect::Want { package }]
}

/// What to say when reading was stopped and only a part of a catalog is there.
pub(in crate::app) fn stopped(model: &Model, catalog: usize) -> String {
    let there = model.open.get(catalog).map(|open| &open.baseline.catalog);
    let Some((catalog, unread)) = there.and_then(|catalog| Some((catalog, catalog.unread()?))) else {
        return "reading was stopped".to_owned();
    };
    let known = catalog.packages().len();
    let read = known.saturating_sub(unread.packages.len());
    let of = if unread.is_listed { format!(" of {known}") } else { String::new() };
    format!("stopped at {read}{of} packages: {} reads all", model.key(ActionId::Reload))
}

impl Open {
    /// A catalog that was just opened.
    pub(in crate::app) fn new(source: Source, snapshot: Arc<Snapshot>) -> Self {
        Self {
            source,
            history: History::new(snapshot.clone()),
            baseline: snapshot,
            selection: Selection::default(),
            touched: false,
            journaled: None,
            comparing: Comparing::default(),
            what_if: None,
            expectations: None,
        }
    }

    /// Puts another state in place of one that nobody edited. Where the selected package has another default channel now,
    /// the selection in it is chosen anew: that channel was not there, or not known as such.
    pub(in crate::app) fn show(&mut self, snapshot: Arc<Snapshot>) {
        let default = |snapshot: &Snapshot| {
            let name = self.selection.package.as_ref()?;
            let package = snapshot.package(name.as_str())?.package();
            let default = package.default_channel()?;
            package.channel(default.as_str()).map(|channel| channel.name.value.clone())
        };
        if default(&self.baseline) != default(&snapshot) {
            self.selection.channel = None;
            self.selection.bundle = None;
        }
        self.history = History::new(snapshot.clone());
        self.baseline = snapshot;
    }
}

impl Model {
    /// What is missing of the catalog that is looked at.
    pub fn unread(&self) -> Option<&Unread> {
        self.snapshot()?.catalog.unread()
    }

    /// Whether not all of the selected package was read.
    pub fn package_is_unread(&self) -> bool {
        let selected = self.selection().package.as_ref();
        selected.zip(self.unread()).is_some_and(|(package, unread)| unread.packages.contains(package))
    }

    /// Whether catalogs are being read while one looks at them.
    pub fn is_growing(&self) -> bool {
        self.busy == Some(Busy::Loading)
    }
}
