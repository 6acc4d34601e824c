//! Comparing what is open with something: with what was read, a revision of its git repository, or another catalog.
//!
//! The other side is read, and the two are compared, on a worker. What is chosen counts only once it is there; answers to
//! older questions are dropped.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::app::{
    parts::notice::About,
    session::model::{Model, Open, Source, Stage},
    work::msg::Effect,
};
use crate::{
    catalog::load::git::Revision,
    review::{Judged, Snapshot},
};

use crate::app::work::comparison::Comparison;

/// What a catalog is compared with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Base {
    /// What its files held when they were last read or written.
    Loaded,
    /// A revision of a git repository; without a path, at the path that the catalog has there.
    Revision(Revision),
    /// Another catalog on disk.
    Path(PathBuf),
    /// Another open catalog, with its unsaved edits.
    Open(Source),
}

impl Base {
    /// Reads `git:REV[:PATH]` or a path.
    pub fn parse(text: &str) -> Self {
        Revision::parse(text).map_or_else(|| Self::Path(PathBuf::from(text)), Self::Revision)
    }

    /// As people name it.
    pub fn label(&self) -> String {
        match self {
            Self::Loaded => "the catalog as loaded".to_owned(),
            Self::Revision(revision) => revision.label(),
            Self::Path(path) => path.display().to_string(),
            Self::Open(source) => source.label(),
        }
    }

    /// In few letters.
    pub fn short(&self) -> String {
        let last = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
        match self {
            Self::Loaded => "as loaded".to_owned(),
            Self::Revision(Revision { revision, path: None }) => format!("git:{revision}"),
            Self::Revision(Revision { revision, path: Some(path) }) => {
                format!("git:{revision}:{}", last(path).unwrap_or_default())
            }
            Self::Path(path) | Self::Open(Source::Path(path)) => {
                last(path).unwrap_or_else(|| path.display().to_string())
            }
            Self::Open(source) => source.label(),
        }
    }

    /// Whether it has to be read.
    fn is_read(&self) -> bool {
        matches!(self, Self::Revision(_) | Self::Path(_))
    }
}

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
    pub(in crate::app) repository: Option<Result<(), String>>,
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
    result: Result<Arc<Snapshot>, (String, Option<String>)>,
) {
    let Some(open) = model.open.get_mut(catalog) else { return };
    let Some((base, _)) = open.comparing.asked.take_if(|(_, asked)| *asked == number) else { return };
    match result {
        Ok(read) => {
            open.comparing.against = Some(Against { base, read: Some(read), comparison: None });
            model.notices.succeeded(About::Comparing);
        }
        Err(why) => {
            let (why, hint) = why;
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
pub(in crate::app) fn found_repository(model: &mut Model, catalog: usize, outcome: Result<(), String>) {
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
