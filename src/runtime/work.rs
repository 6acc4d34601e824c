//! Background jobs: each runs on its own thread and sends its result as a message.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use crate::{
    app::{
        Effect, LoadOutcome, LoadProgress, Msg, SavedTo, Settings, Source,
        work::{Base, Refusal, comparison::Comparison, preview},
    },
    catalog::{
        Catalog, ChannelName,
        demo::demo,
        load::{self, LoadError, Progress, git::Revision},
    },
    config::Clipboard,
    edit::save::StateDirectory,
    export::graph::{self, Rendered},
    review::Snapshot,
    source::{self, How, Sight},
    upgrade::{openshift::OpenShift, safety::Memory},
};

use super::{
    Event, Events, bundle, clipboard, compare, expectations, fetch,
    journal::{self, Journals},
    judge::{judged, learned_of, openshift_of},
    names,
    place::at_home,
    presence::{Other, Presence},
    thread,
    verdicts::Verdicts,
    watch::Watch,
    writing::{told, write_copy, write_graph, write_in_place},
};

/// Starts background jobs, and reports the progress of loading.
pub struct Worker {
    events: Events,
    progress: Arc<Progress>,
    journals: Journals,
    presence: Presence,
    watch: Watch,
    clipboard: Option<Clipboard>,
    /// Search path for the manifests of bundles.
    sight: Sight,
    /// Cancellation of comparison loads, by catalog.
    reading: HashMap<usize, Arc<Progress>>,
    /// Cancellation of image downloads.
    fetching: Arc<Progress>,
    /// Cancellation of history loads.
    past: Arc<Progress>,
    /// Cached verdicts on upgrade steps.
    verdicts: Option<Verdicts>,
    /// Options for opening paths.
    how: How,
    /// OpenShift versions of the open catalogs.
    openshift: Arc<[OpenShift]>,
    /// True after an error of journals was reported; it is reported only once.
    has_complained: bool,
}

impl Worker {
    /// Creates a worker that sends its results to `events`.
    pub fn new(events: Events, settings: &Settings) -> Self {
        Self {
            watch: Watch::new(events.clone(), !settings.no_watch),
            clipboard: settings.clipboard,
            how: settings.how.clone(),
            sight: settings.sight.clone(),
            reading: HashMap::new(),
            fetching: Arc::default(),
            past: Arc::default(),
            verdicts: Verdicts::usual(),
            openshift: Arc::default(),
            events,
            progress: Arc::default(),
            journals: Journals::default(),
            // A read-only session takes no lock and writes no state.
            presence: Presence::new(if settings.read_only.is_some() {
                StateDirectory::nowhere()
            } else {
                StateDirectory::usual()
            }),
            has_complained: false,
        }
    }

    /// Returns the progress of the current loading.
    pub fn progress(&self) -> LoadProgress {
        let read = |n: &AtomicUsize| n.load(Ordering::Relaxed);
        LoadProgress {
            files: read(&self.progress.files),
            read: read(&self.progress.read),
            bytes: read(&self.progress.bytes),
        }
    }

    /// Starts the job of an effect.
    pub fn start(&mut self, effect: Effect) {
        match effect {
            Effect::Load { generation, sources, show } => {
                self.progress.stop.store(true, Ordering::Relaxed);
                self.watch.follow(&sources);
                self.announce(&sources);
                let more = openshift_of(&paths(&sources));
                self.openshift = self.openshift.iter().copied().chain(more).collect();
                self.progress = Arc::default();
                let progress = Arc::clone(&self.progress);
                let (how, openshift) = (self.how.clone(), Arc::clone(&self.openshift));
                let events = self.events.clone();
                self.spawn(move || {
                    let show = |source: &Source, snapshot| {
                        if show {
                            let source = source.clone();
                            // The receiver no longer exists if the program is ending.
                            let _ = events.send(Event::Msg(Msg::Grown { generation, source, snapshot }));
                        }
                    };
                    let last = sources.len();
                    let read = |(number, source)| {
                        outcome(source, number == last, &how, &openshift, &progress, &show)
                    };
                    Msg::Loaded { generation, outcomes: (1..).zip(sources).map(read).collect() }
                });
            }
            Effect::Want { package } => self.progress.want(package),
            Effect::LookAgain { source, baseline } => {
                let (how, openshift) = (self.how.clone(), Arc::clone(&self.openshift));
                self.spawn(move || {
                    let again = source::open_again(&baseline.catalog, &how, &Progress::default());
                    let news = again.transpose().map(|result| LoadOutcome {
                        source: source.clone(),
                        result: result
                            .map(|catalog| Arc::new(again_judged(&baseline, catalog, &openshift)))
                            .map_err(|error| refused(&error)),
                        left_over: None,
                    });
                    Msg::LookedAgain { source, baseline, news }
                });
            }
            Effect::StopReading { catalog } => {
                if let Some(progress) = self.reading.remove(&catalog) {
                    progress.stop.store(true, Ordering::Relaxed);
                }
            }
            Effect::ReadBase { catalog, number, base, like } => {
                let progress = Arc::new(Progress::default());
                if let Some(before) = self.reading.insert(catalog, Arc::clone(&progress)) {
                    before.stop.store(true, Ordering::Relaxed);
                }
                let (how, openshift) = (self.how.clone(), Arc::clone(&self.openshift));
                let sight = self.sight.clone();
                self.spawn(move || {
                    let result = compare::read(base, like.as_deref(), &how, &openshift, &sight, &progress);
                    Msg::BaseRead { catalog, number, result }
                });
            }
            Effect::ReadHistory { number, path, package } => {
                let progress = self.new_past();
                self.spawn(move || {
                    let result = super::history::told(&at_home(path), &package, &progress);
                    Msg::HistoryRead { number, result }
                });
            }
            Effect::ReadPast { number, path, commit } => {
                let progress = self.new_past();
                let (how, openshift) = (self.how.clone(), Arc::clone(&self.openshift));
                let sight = self.sight.clone();
                let base = Base::Revision(Revision { revision: commit, path: None });
                self.spawn(move || {
                    let path = at_home(path);
                    let result = compare::read(base, Some(&path), &how, &openshift, &sight, &progress);
                    Msg::PastRead { number, result }
                });
            }
            Effect::Mirror { snapshot, path: asked } => self.spawn(move || {
                let outcome = super::mirror::mirrored(&snapshot, &asked);
                Msg::Mirrored { snapshot, asked, outcome }
            }),
            Effect::StopPast => self.past.stop.store(true, Ordering::Relaxed),
            Effect::Compare { catalog, number, before, after } => self.spawn(move || {
                let comparison = Arc::new(Comparison::between(before, after));
                Msg::Compared { catalog, number, comparison }
            }),
            Effect::FindRepository { catalog, path } => self.spawn(move || {
                let outcome = compare::find_repository(&path);
                Msg::FoundRepository { catalog, outcome }
            }),
            Effect::ListNames { typed } => {
                let cache = self.how.access.cache.clone();
                self.spawn(move || {
                    let outcome = names::names(&typed, cache.as_ref());
                    Msg::Names { typed, outcome }
                });
            }
            Effect::ReadBundle { path, image } => self.spawn(move || {
                let read = source::read_new_bundle(&at_home(path.clone()), &image);
                let outcome = read
                    .map(Arc::new)
                    .map_err(|error| Refusal { message: error.to_string(), hint: error.hint() });
                Msg::BundleRead { path, image, outcome }
            }),
            Effect::StopLoading => self.progress.stop.store(true, Ordering::Relaxed),
            Effect::Save { saves, knowing } => self.spawn(move || {
                let saved = write_in_place(&saves, knowing);
                let written = saves.into_iter().map(|save| (save.catalog, save.state)).collect();
                told(saved, SavedTo::InPlace, written)
            }),
            Effect::SaveAs { catalog, state, path } => self.spawn(move || {
                let path = at_home(path);
                let saved = write_copy(&state.catalog, &path);
                told(saved, SavedTo::Elsewhere(path), vec![(catalog, state)])
            }),
            // Runs on this thread to keep the order of the edits; a journal is small.
            Effect::Journal { catalog, edits } => {
                if let Err(error) = self.journals.keep(&catalog, edits)
                    && !std::mem::replace(&mut self.has_complained, true)
                {
                    let _ = self.events.send(Event::Msg(Msg::NoJournal(error.to_string())));
                }
            }
            Effect::Forget { journal } => journal::forget(&journal),
            Effect::Export { package, channel, format, ascii, origin, path: asked } => {
                self.spawn(move || {
                    let channel = channel.as_ref().map(ChannelName::as_str);
                    let rendered = graph::render(&package.graph, channel, format, ascii);
                    let outcome = write_graph(&rendered, &origin, at_home(asked.clone()));
                    Msg::Exported { asked, outcome }
                });
            }
            Effect::ExportComparison { told, origin, path: asked } => self.spawn(move || {
                let rendered = Rendered { text: told.markdown(), flowcharts: 0, is_split: false };
                let outcome = write_graph(&rendered, &origin, at_home(asked.clone()));
                Msg::Exported { asked, outcome }
            }),
            Effect::ReadExpectations { source, path } => self.spawn(move || {
                let outcome = expectations::read(&path);
                Msg::Expectations { source, path, outcome }
            }),
            Effect::ReadAccepted { source, path } => self.spawn(move || {
                let outcome = expectations::read(&path);
                Msg::Accepted { source, path, outcome }
            }),
            Effect::LookInside { number, sought } => {
                let images = self.sight.images.clone();
                self.spawn(move || {
                    let outcome = bundle::look(&sought, &images);
                    Msg::LookedInside { number, outcome }
                });
            }
            Effect::FetchBundles { number, images } => {
                self.fetching.stop.store(true, Ordering::Relaxed);
                self.fetching = Arc::default();
                let (access, progress) = (self.how.access.clone(), Arc::clone(&self.fetching));
                let events = self.events.clone();
                self.spawn(move || fetch::fetch(number, images, &access, &progress, &events));
            }
            Effect::StopFetching => self.fetching.stop.store(true, Ordering::Relaxed),
            Effect::Learn { package, snapshot } => {
                let (sight, verdicts) = (self.sight.clone(), self.verdicts.clone());
                self.spawn(move || {
                    let memory = verdicts.as_ref().map(|verdicts| verdicts as &dyn Memory);
                    let learned = learned_of(package.as_ref(), &snapshot, &sight, memory);
                    Msg::Learned { all_of: package.is_none().then_some(snapshot), learned }
                });
            }
            Effect::Preview { snapshot, beside, edit } => self.spawn(move || {
                let preview = preview::of(&snapshot, edit.clone(), &beside);
                Msg::Previewed { snapshot, edit, preview }
            }),
            Effect::FindRemedies(asked) => {
                let (sight, verdicts) = (self.sight.clone(), self.verdicts.clone());
                self.spawn(move || {
                    let memory = verdicts.as_ref().map(|verdicts| verdicts as &dyn Memory);
                    let found = asked.find(&|after, package| {
                        let learned = learned_of(Some(package), after, &sight, memory);
                        learned.into_iter().find_map(|(_, learned)| learned.safety)
                    });
                    Msg::RemediesFound { asked, found }
                });
            }
            Effect::Resolve(asked) => self.spawn(move || {
                let resolved = Arc::new(asked.resolve());
                Msg::Resolved { asked, resolved }
            }),
            Effect::Overlook(asked) => self.spawn(move || {
                let overview = Arc::new(asked.overview());
                Msg::Overlooked { asked, overview }
            }),
            Effect::Plan(asked) => self.spawn(move || {
                let plans = Arc::new(asked.plan());
                Msg::Planned { asked, plans }
            }),
            Effect::Solve(asked) => self.spawn(move || {
                let solved = Arc::new(asked.solve());
                Msg::Solved { asked, solved }
            }),
            Effect::CompareBundles { sought } => {
                let images = self.sight.images.clone();
                self.spawn(move || {
                    let outcome = bundle::compare(&sought, &images);
                    Msg::BundlesCompared { sought, outcome }
                });
            }
            Effect::AddExpectations { source, path: asked, rows, origin } => self.spawn(move || {
                let outcome = expectations::add(at_home(asked.clone()), rows, &origin);
                Msg::ExpectationsAdded { source, asked, outcome }
            }),
            Effect::Copy(copied) => {
                let asked = self.clipboard;
                self.spawn(move || {
                    Msg::Told(
                        clipboard::copy(&copied, asked).map_err(|error| Refusal::new(error.to_string())),
                    )
                });
            }
            Effect::CaptureMouse(_) | Effect::OpenEditor { .. } | Effect::Suspend | Effect::Quit => {}
        }
    }

    /// Cancels the previous history load, and returns the progress of a new one.
    fn new_past(&mut self) -> Arc<Progress> {
        self.past.stop.store(true, Ordering::Relaxed);
        self.past = Arc::default();
        Arc::clone(&self.past)
    }

    /// Removes the journals when the user leaves, since unsaved edits are discarded.
    pub fn leave(&mut self) {
        self.journals.remove();
    }

    /// Registers open catalogs, and reports other explorers that have them open.
    fn announce(&mut self, sources: &[Source]) {
        for source in sources {
            let Source::Path(path) = source else { continue };
            // Images are read-only.
            if source::is_image(path) {
                continue;
            }
            if let Some(other) = self.presence.open(path) {
                let Other { process } = other;
                let _ = self.events.send(Event::Msg(Msg::AlsoOpen { source: source.clone(), process }));
            }
        }
    }

    fn spawn(&self, work: impl FnOnce() -> Msg + Send + 'static) {
        let events = self.events.clone();
        let answer = move || {
            // The receiver no longer exists if the program is ending.
            let _ = events.send(Event::Msg(work()));
        };
        // Without the thread, the user would wait forever, so the program ends with an error.
        if thread::spawn("work", &self.events, answer).is_err() {
            let _ = self.events.send(Event::Panicked);
        }
    }
}

/// Loads and checks one source. Passes partial results to `show`.
fn outcome(
    source: Source,
    is_last: bool,
    how: &How,
    openshift: &[OpenShift],
    progress: &Progress,
    show: &dyn Fn(&Source, Arc<Snapshot>),
) -> LoadOutcome {
    let mut shown: Option<Arc<Snapshot>> = None;
    let mut grown = |catalog| {
        let snapshot = Arc::new(Snapshot::growing(shown.as_deref(), catalog));
        show(&source, snapshot.clone());
        shown = Some(snapshot);
    };
    let catalog = match &source {
        Source::Demo => Ok(demo()),
        Source::Path(path) => source::open_showing(&at_home(path.clone()), how, progress, &mut grown),
        Source::Stdin(bytes) => load::from_bytes_showing(bytes.to_vec(), progress, &mut grown),
        Source::Revision(revision) => load::git::open_revision(revision, std::path::Path::new("."), progress),
    };
    let result = catalog.map(|catalog| Arc::new(judged(catalog, openshift))).map_err(|error| refused(&error));
    // The result of the last source is part of the final message.
    if let Ok(snapshot) = &result
        && !is_last
    {
        show(&source, snapshot.clone());
    }
    let left_over = match &source {
        Source::Path(path) => journal::left_over(path),
        Source::Demo | Source::Stdin(_) | Source::Revision(_) => None,
    };
    LoadOutcome { source, result, left_over }
}

/// Checks a reloaded catalog. All bundle directories are checked again, since any of them may
/// have changed.
fn again_judged(baseline: &Snapshot, catalog: Catalog, openshift: &[OpenShift]) -> Snapshot {
    if catalog.is_proposed() { judged(catalog, openshift) } else { baseline.after(catalog) }
}

/// Returns the paths of catalogs on disk.
fn paths(sources: &[Source]) -> Vec<PathBuf> {
    let path = |source: &Source| match source {
        Source::Path(path) => Some(path.clone()),
        Source::Demo | Source::Stdin(_) | Source::Revision(_) => None,
    };
    sources.iter().filter_map(path).collect()
}

fn refused(error: &LoadError) -> Refusal {
    Refusal { message: error.to_string(), hint: error.hint() }
}
