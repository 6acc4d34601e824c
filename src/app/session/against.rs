//! Comparing what is open with something: with what was read, a revision of its git repository, or another catalog.
//!
//! The other side is read, and the two are compared, on a worker. What is chosen counts only once it is there; answers to
//! older questions are dropped.

use crate::app::work::Base;
use crate::app::work::Refusal;
use std::{path::Path, sync::Arc};

use crate::app::{
    parts::notice::About,
    session::model::{Model, Open, Stage},
    work::{Effect, Source},
};
use crate::review::{Judged, Snapshot};

use crate::app::work::comparison::Comparison;

/// A choice that counts, and what came of it.
#[derive(Clone, Debug)]
struct Against {
    base: Base,
    /// What was read of it, where it has to be read.
    read: Option<Arc<Snapshot>>,
    /// The last comparison.
    comparison: Option<Arc<Comparison>>,
}

/// What an open catalog is compared with, and what is on its way.
#[derive(Clone, Default, Debug)]
pub struct Comparing {
    against: Option<Against>,
    /// What is being read in order to be compared with, and the number of that request.
    asked: Option<(Base, u64)>,
    /// The number of the comparison that is being made.
    underway: Option<u64>,
    /// Whether what was asked for on the command line was begun.
    begun: bool,
    /// Whether the catalog is in a git repository, or why it is in none, once that is known.
    pub(in crate::app) repository: Option<Result<(), Refusal>>,
}

impl Comparing {
    /// What it is compared with.
    pub fn base(&self) -> Option<&Base> {
        self.against.as_ref().map(|against| &against.base)
    }

    /// What is being read.
    pub fn asked(&self) -> Option<&Base> {
        self.asked.as_ref().map(|(base, _)| base)
    }
}

impl Open {
    /// The path of the catalog, which revisions are read at.
    fn path(&self) -> Option<&Path> {
        match &self.source {
            Source::Path(path) => Some(path),
            Source::Demo | Source::Stdin(_) => None,
        }
    }
}

impl Model {
    /// What the catalog that is looked at is compared with.
    pub fn base(&self) -> Option<&Base> {
        self.catalog()?.comparing.base()
    }

    /// The state of what it is compared with.
    pub fn base_state(&self) -> Option<&Arc<Snapshot>> {
        let open = self.catalog()?;
        let against = open.comparing.against.as_ref()?;
        match &against.base {
            Base::Loaded => Some(&open.baseline),
            Base::Open(source) => {
                let other = self.open.iter().find(|other| other.source == *source)?;
                Some(other.history.now())
            }
            Base::Revision(_) | Base::Path(_) => against.read.as_ref(),
        }
    }

    /// The selected package as it is in what one compares with.
    pub fn base_package(&self) -> Option<&Arc<Judged>> {
        self.base_state()?.package(self.selection().package.as_ref()?.as_str())
    }

    /// The last comparison of the catalog that is looked at.
    pub fn comparison(&self) -> Option<&Arc<Comparison>> {
        self.catalog()?.comparing.against.as_ref()?.comparison.as_ref()
    }

    /// Whether the Changes screen shows a comparison, or the wait for one, rather than unsaved edits.
    pub fn shows_comparison(&self) -> bool {
        let compares = self
            .catalog()
            .is_some_and(|open| open.comparing.against.is_some() || open.comparing.asked.is_some());
        compares && !self.shows_bytes
    }

    fn request(&mut self) -> u64 {
        self.requests += 1;
        self.requests
    }
}

/// Compares the catalog that is looked at with something; `None` ends that.
pub(in crate::app) fn choose(model: &mut Model, base: Option<Base>) -> Vec<Effect> {
    let catalog = model.current;
    let number = model.request();
    model.shows_bytes = false;
    let Some(open) = model.catalog_mut() else { return Vec::new() };
    open.comparing.asked = None;
    let Some(base) = base else {
        open.comparing.against = None;
        model.notices.done("nothing is compared any more");
        return Vec::new();
    };
    if base.is_read() {
        let like = open.path().map(Path::to_owned);
        open.comparing.asked = Some((base.clone(), number));
        return vec![Effect::ReadBase { catalog, number, base, like }];
    }
    open.comparing.against = Some(Against { base, read: None, comparison: None });
    Vec::new()
}

/// Reads anew what one compares with: a branch may have moved, files may have changed.
pub(in crate::app) fn read_again(model: &mut Model) -> Vec<Effect> {
    let mut effects = Vec::new();
    for catalog in 0..model.open.len() {
        let number = model.request();
        let Some(open) = model.open.get_mut(catalog) else { continue };
        let known = open.comparing.asked().or(open.comparing.base()).filter(|base| base.is_read()).cloned();
        if let Some(base) = known {
            let like = open.path().map(Path::to_owned);
            open.comparing.asked = Some((base.clone(), number));
            effects.push(Effect::ReadBase { catalog, number, base, like });
        }
    }
    effects
}

/// What there is to compare with was read, or was not.
pub(in crate::app) fn was_read(
    model: &mut Model,
    catalog: usize,
    number: u64,
    result: Result<Arc<Snapshot>, Refusal>,
) {
    let Some(open) = model.open.get_mut(catalog) else { return };
    let Some((base, _)) = open.comparing.asked.take_if(|(_, asked)| *asked == number) else { return };
    match result {
        Ok(read) => {
            open.comparing.against = Some(Against { base, read: Some(read), comparison: None });
            model.notices.succeeded(About::Comparing);
        }
        Err(Refusal { message: why, hint }) => {
            let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
            let words = format!("cannot compare with {}: {why}{hint}", base.label());
            model.notices.failed(About::Comparing, words);
        }
    }
}

/// A comparison is there.
pub(in crate::app) fn was_compared(
    model: &mut Model,
    catalog: usize,
    number: u64,
    comparison: Arc<Comparison>,
) {
    let Some(open) = model.open.get_mut(catalog) else { return };
    if open.comparing.underway.take_if(|underway| *underway == number).is_none() {
        return;
    }
    if let Some(against) = &mut open.comparing.against {
        against.comparison = Some(comparison);
    }
}

/// It is known whether a catalog is in a git repository.
pub(in crate::app) fn found_repository(model: &mut Model, catalog: usize, outcome: Result<(), Refusal>) {
    if let Some(open) = model.open.get_mut(catalog) {
        open.comparing.repository = Some(outcome);
    }
    crate::app::dialogs::against_state::refresh(model);
}

/// What is to be done so that the comparison that is looked at is that of the present state.
pub(in crate::app) fn want(model: &mut Model) -> Vec<Effect> {
    // Of a part of a catalog the rest is not gone.
    if model.stage != Stage::Ready || model.is_growing() || model.unread().is_some() {
        return Vec::new();
    }
    let mut effects = Vec::new();
    let asked = model.settings.against.clone();
    if let (Some(base), Some(open)) = (asked, model.catalog_mut())
        && !std::mem::replace(&mut open.comparing.begun, true)
    {
        effects.extend(choose(model, Some(base)));
    }
    let Some((before, after)) = model.base_state().cloned().zip(model.snapshot().cloned()) else {
        return effects;
    };
    let catalog = model.current;
    let is_known = model.comparison().is_some_and(|known| known.is_of(&before, &after));
    // One at a time: the next begins with what there is when this one is through.
    let is_underway = model.catalog().is_some_and(|open| open.comparing.underway.is_some());
    if is_known || is_underway {
        return effects;
    }
    let number = model.request();
    if let Some(open) = model.catalog_mut() {
        open.comparing.underway = Some(number);
        effects.push(Effect::Compare { catalog, number, before, after });
    }
    effects
}
