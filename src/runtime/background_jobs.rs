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
    config::Clipboard,
    demo::demo,
    tui::{
        Effect, LoadOutcome, LoadProgress, Msg, SaveDestination, Settings, Source,
        work::{Base, UserError, comparison::Comparison, preview},
    },
};
use olm_catalog::{
    Catalog, ChannelName,
    load::{self, LoadError, Progress, git::Revision},
};
use olm_check::review::Snapshot;
use olm_edit::save::StateDirectory;
use olm_source::{ManifestSearchPath, OpenOptions};
use olm_upgrade::{openshift::OpenShift, safety::VerdictCache};
use olmap_report::graph::{self, Rendered};

use super::{
    Event, Events, base_loading, bundle,
    checks::{check_catalog, openshift_versions, run_deferred_checks},
    clipboard, expectations, fetch,
    file_output::{save_message, write_copy, write_graph, write_in_place},
    file_watcher::FileWatcher,
    journal::{self, Journals},
    path_completion,
    presence::{OtherExplorer, Presence},
    target_path::expand_home,
    thread,
    verdict_cache::VerdictStore,
};

/// Starts background jobs, and reports the progress of loading.
pub struct Worker {
    events: Events,
    progress: Arc<Progress>,
    journals: Journals,
    presence: Presence,
    watch: FileWatcher,
    clipboard: Option<Clipboard>,
    /// Search path for the manifests of bundles.
    search_path: ManifestSearchPath,
    /// Progress of loading the base of a comparison, by catalog; used to cancel it.
    base_loads: HashMap<usize, Arc<Progress>>,
    /// Progress of the image download; used to cancel it.
    image_fetch: Arc<Progress>,
    /// Progress of loading the history; used to cancel it.
    history_load: Arc<Progress>,
    /// Cached verdicts on upgrade steps.
    verdicts: Option<VerdictStore>,
    /// Options for opening paths.
    open_options: OpenOptions,
    /// OpenShift versions of the open catalogs.
    openshift: Arc<[OpenShift]>,
    /// True after a failure to write a journal was reported; it is reported only once.
    has_reported_journal_error: bool,
}

impl Worker {
    /// Creates a worker that sends its results to `events`.
    pub fn new(events: Events, settings: &Settings) -> Self {
        Self {
            watch: FileWatcher::new(events.clone(), !settings.no_watch),
            clipboard: settings.clipboard,
            open_options: settings.open_options.clone(),
            search_path: settings.search_path.clone(),
            base_loads: HashMap::new(),
            image_fetch: Arc::default(),
            history_load: Arc::default(),
            verdicts: VerdictStore::open_default(),
            openshift: Arc::default(),
            events,
            progress: Arc::default(),
            journals: Journals::default(),
            // A read-only session takes no lock and writes no state.
            presence: Presence::new(if settings.read_only.is_some() {
                StateDirectory::none()
            } else {
                StateDirectory::default_location()
            }),
            has_reported_journal_error: false,
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
    pub fn start_effect(&mut self, effect: Effect) {
        match effect {
            Effect::Load { generation, sources, show_partial: show } => {
                self.progress.stop.store(true, Ordering::Relaxed);
                self.watch.watch_sources(&sources);
                self.register_open(&sources);
                let more = openshift_versions(&disk_paths(&sources));
                self.openshift = self.openshift.iter().copied().chain(more).collect();
                self.progress = Arc::default();
                let progress = Arc::clone(&self.progress);
                let (how, openshift) = (self.open_options.clone(), Arc::clone(&self.openshift));
                let events = self.events.clone();
                self.spawn(move || {
                    let show = |source: &Source, snapshot| {
                        if show {
                            let source = source.clone();
                            // The receiver no longer exists if the program is ending.
                            let _ =
                                events.send(Event::Msg(Msg::PartlyLoaded { generation, source, snapshot }));
                        }
                    };
                    let last = sources.len();
                    let read = |(number, source)| {
                        load_source(source, number == last, &how, &openshift, &progress, &show)
                    };
                    Msg::Loaded { generation, outcomes: (1..).zip(sources).map(read).collect() }
                });
            }
            Effect::ReadFirst { package } => self.progress.request_package(package),
            Effect::CheckDisk { source, baseline } => {
                let (how, openshift) = (self.open_options.clone(), Arc::clone(&self.openshift));
                self.spawn(move || {
                    let again = olm_source::reopen(&baseline.catalog, &how, &Progress::default());
                    let news = again.transpose().map(|result| LoadOutcome {
                        source: source.clone(),
                        result: result
                            .map(|catalog| Arc::new(check_again(&baseline, catalog, &openshift)))
                            .map_err(|error| to_user_error(&error)),
                        recoverable_edits: None,
                    });
                    Msg::DiskChecked { source, baseline, changed: news }
                });
            }
            Effect::StopReadingBase { catalog } => {
                if let Some(progress) = self.base_loads.remove(&catalog) {
                    progress.stop.store(true, Ordering::Relaxed);
                }
            }
            Effect::ReadBase { catalog, number, base, default_path: like } => {
                let progress = Arc::new(Progress::default());
                if let Some(before) = self.base_loads.insert(catalog, Arc::clone(&progress)) {
                    before.stop.store(true, Ordering::Relaxed);
                }
                let (how, openshift) = (self.open_options.clone(), Arc::clone(&self.openshift));
                let sight = self.search_path.clone();
                self.spawn(move || {
                    let result =
                        base_loading::load_base(base, like.as_deref(), &how, &openshift, &sight, &progress);
                    Msg::BaseRead { catalog, number, result }
                });
            }
            Effect::ReadHistory { number, path, package } => {
                let progress = self.restart_history();
                self.spawn(move || {
                    let result =
                        super::history::load_explorer_history(&expand_home(path), &package, &progress);
                    Msg::HistoryRead { number, result }
                });
            }
            Effect::ReadCommit { number, path, commit } => {
                let progress = self.restart_history();
                let (how, openshift) = (self.open_options.clone(), Arc::clone(&self.openshift));
                let sight = self.search_path.clone();
                let base = Base::Revision(Revision { revision: commit, path: None });
                self.spawn(move || {
                    let path = expand_home(path);
                    let result =
                        base_loading::load_base(base, Some(&path), &how, &openshift, &sight, &progress);
                    Msg::CommitRead { number, result }
                });
            }
            Effect::PreviewMirror { snapshot, path: asked } => self.spawn(move || {
                let outcome = super::mirror::apply_configuration(&snapshot, &asked);
                Msg::MirrorPreviewed { snapshot, asked, outcome }
            }),
            Effect::StopReadingHistory => self.history_load.stop.store(true, Ordering::Relaxed),
            Effect::Compare { catalog, number, before, after } => self.spawn(move || {
                let comparison = Arc::new(Comparison::compare_states(before, after));
                Msg::Compared { catalog, number, comparison }
            }),
            Effect::CheckRepository { catalog, path } => self.spawn(move || {
                let outcome = base_loading::check_repository(&path);
                Msg::RepositoryChecked { catalog, outcome }
            }),
            Effect::ListCompletions { typed } => {
                let cache = self.open_options.access.cache.clone();
                self.spawn(move || {
                    let outcome = path_completion::complete_path(&typed, cache.as_ref());
                    Msg::CompletionsListed { typed, outcome }
                });
            }
            Effect::ReadBundle { path, image } => self.spawn(move || {
                let read = olm_source::read_new_bundle(&expand_home(path.clone()), &image);
                let outcome = read
                    .map(Arc::new)
                    .map_err(|error| UserError { message: error.to_string(), hint: error.hint() });
                Msg::BundleRead { path, image, outcome }
            }),
            Effect::StopLoading => self.progress.stop.store(true, Ordering::Relaxed),
            Effect::Save { saves, confirmed: knowing } => self.spawn(move || {
                let saved = write_in_place(&saves, knowing);
                let written = saves.into_iter().map(|save| (save.catalog, save.state)).collect();
                save_message(saved, SaveDestination::InPlace, written)
            }),
            Effect::SaveAs { catalog, state, path } => self.spawn(move || {
                let path = expand_home(path);
                let saved = write_copy(&state.catalog, &path);
                save_message(saved, SaveDestination::Elsewhere(path), vec![(catalog, state)])
            }),
            // Runs on this thread to keep the order of the edits; a journal is small.
            Effect::WriteJournal { catalog, edits } => {
                if let Err(error) = self.journals.store_edits(&catalog, edits)
                    && !std::mem::replace(&mut self.has_reported_journal_error, true)
                {
                    let _ = self.events.send(Event::Msg(Msg::JournalFailed(error.to_string())));
                }
            }
            Effect::RemoveJournal { journal } => journal::remove_journal(&journal),
            Effect::Export { package, channel, format, ascii, origin, path: asked } => {
                self.spawn(move || {
                    let channel = channel.as_ref().map(ChannelName::as_str);
                    let rendered = graph::render_graph(&package.graph, channel, format, ascii);
                    let outcome = write_graph(&rendered, &origin, expand_home(asked.clone()));
                    Msg::Exported { asked, outcome }
                });
            }
            Effect::ExportComparison { comparison: told, origin, path: asked } => self.spawn(move || {
                let rendered = Rendered { text: told.render_markdown(), flowcharts: 0, is_split: false };
                let outcome = write_graph(&rendered, &origin, expand_home(asked.clone()));
                Msg::Exported { asked, outcome }
            }),
            Effect::ReadExpectations { source, path } => self.spawn(move || {
                let outcome = expectations::load_optional_file(&path);
                Msg::ExpectationsRead { source, path, outcome }
            }),
            Effect::ReadAccepted { source, path } => self.spawn(move || {
                let outcome = expectations::load_optional_file(&path);
                Msg::AcceptedRead { source, path, outcome }
            }),
            Effect::ReadManifests { number, bundle: sought } => {
                let images = self.search_path.images.clone();
                self.spawn(move || {
                    let outcome = bundle::load_bundle_contents(&sought, &images);
                    Msg::ManifestsRead { number, outcome }
                });
            }
            Effect::FetchBundles { number, images } => {
                self.image_fetch.stop.store(true, Ordering::Relaxed);
                self.image_fetch = Arc::default();
                let (access, progress) = (self.open_options.access.clone(), Arc::clone(&self.image_fetch));
                let events = self.events.clone();
                self.spawn(move || fetch::fetch_images(number, images, &access, &progress, &events));
            }
            Effect::StopFetching => self.image_fetch.stop.store(true, Ordering::Relaxed),
            Effect::RunDeferredChecks { package, snapshot } => {
                let (sight, verdicts) = (self.search_path.clone(), self.verdicts.clone());
                self.spawn(move || {
                    let memory = verdicts.as_ref().map(|verdicts| verdicts as &dyn VerdictCache);
                    let learned = run_deferred_checks(package.as_ref(), &snapshot, &sight, memory);
                    Msg::DeferredChecksDone {
                        catalog: package.is_none().then_some(snapshot),
                        checked: learned,
                    }
                });
            }
            Effect::Preview { snapshot, other_catalogs: beside, edit } => self.spawn(move || {
                let preview = preview::preview_edit(&snapshot, edit.clone(), &beside);
                Msg::PreviewReady { snapshot, edit, preview }
            }),
            Effect::FindRemedies(asked) => {
                let (sight, verdicts) = (self.search_path.clone(), self.verdicts.clone());
                self.spawn(move || {
                    let memory = verdicts.as_ref().map(|verdicts| verdicts as &dyn VerdictCache);
                    let found = asked.search_remedies(&|after, package| {
                        let learned = run_deferred_checks(Some(package), after, &sight, memory);
                        learned.into_iter().find_map(|(_, learned)| learned.safety)
                    });
                    Msg::RemediesFound { search: asked, remedies: found }
                });
            }
            Effect::ResolveCluster(asked) => self.spawn(move || {
                let resolved = Arc::new(asked.resolve());
                Msg::ClusterResolved { asked, resolved }
            }),
            Effect::ComputeOverview(asked) => self.spawn(move || {
                let overview = Arc::new(asked.compute_overview());
                Msg::OverviewReady { asked, overview }
            }),
            Effect::ComputePlans(asked) => self.spawn(move || {
                let plans = Arc::new(asked.compute_plans());
                Msg::PlansReady { asked, plans }
            }),
            Effect::ResolveDependencies(asked) => self.spawn(move || {
                let solved = Arc::new(asked.resolve_upgrades());
                Msg::DependenciesResolved { asked, solved }
            }),
            Effect::CompareBundles { bundles: sought } => {
                let images = self.search_path.images.clone();
                self.spawn(move || {
                    let outcome = bundle::compare_bundles(&sought, &images);
                    Msg::BundlesCompared { bundles: sought, outcome }
                });
            }
            Effect::AddExpectations { source, path: asked, rows, origin } => self.spawn(move || {
                let outcome = expectations::append_expectations(expand_home(asked.clone()), rows, &origin);
                Msg::ExpectationsAdded { source, asked, outcome }
            }),
            Effect::Copy(copied) => {
                let asked = self.clipboard;
                self.spawn(move || {
                    Msg::Notice(
                        clipboard::copy_to_clipboard(&copied, asked)
                            .map_err(|error| UserError::new(error.to_string())),
                    )
                });
            }
            Effect::CaptureMouse(_) | Effect::OpenEditor { .. } | Effect::Suspend | Effect::Quit => {}
        }
    }

    /// Cancels the previous history load, and returns the progress of a new one.
    fn restart_history(&mut self) -> Arc<Progress> {
        self.history_load.stop.store(true, Ordering::Relaxed);
        self.history_load = Arc::default();
        Arc::clone(&self.history_load)
    }

    /// Removes the journals when the user leaves, since unsaved edits are discarded.
    pub fn discard_journals(&mut self) {
        self.journals.remove_all();
    }

    /// Registers open catalogs, and reports other explorers that have them open.
    fn register_open(&mut self, sources: &[Source]) {
        for source in sources {
            let Source::Path(path) = source else { continue };
            // Images are read-only.
            if olm_source::is_image_reference(path) {
                continue;
            }
            if let Some(other) = self.presence.register_catalog(path) {
                let OtherExplorer { process } = other;
                let _ = self.events.send(Event::Msg(Msg::OpenElsewhere { source: source.clone(), process }));
            }
        }
    }

    /// Runs work on its own thread, and sends the message that it returns.
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

/// Loads and checks one source. While it loads, passes snapshots of the loaded part to `show`.
fn load_source(
    source: Source,
    is_last: bool,
    options: &OpenOptions,
    openshift: &[OpenShift],
    progress: &Progress,
    show: &dyn Fn(&Source, Arc<Snapshot>),
) -> LoadOutcome {
    let mut shown: Option<Arc<Snapshot>> = None;
    let mut show_partial = |catalog| {
        let snapshot = Arc::new(Snapshot::from_partial(shown.as_deref(), catalog));
        show(&source, snapshot.clone());
        shown = Some(snapshot);
    };
    let catalog = match &source {
        Source::Demo => Ok(demo()),
        Source::Path(path) => {
            olm_source::open_path_showing(&expand_home(path.clone()), options, progress, &mut show_partial)
        }
        Source::Stdin(bytes) => load::from_bytes_incremental(bytes.to_vec(), progress, &mut show_partial),
        Source::Revision(revision) => load::git::open_revision(revision, std::path::Path::new("."), progress),
    };
    let result = catalog
        .map(|catalog| Arc::new(check_catalog(catalog, openshift)))
        .map_err(|error| to_user_error(&error));
    // The result of the last source is part of the final message.
    if let Ok(snapshot) = &result
        && !is_last
    {
        show(&source, snapshot.clone());
    }
    let left_over = match &source {
        Source::Path(path) => journal::find_left_over(path),
        Source::Demo | Source::Stdin(_) | Source::Revision(_) => None,
    };
    LoadOutcome { source, result, recoverable_edits: left_over }
}

/// Checks a reloaded catalog. Reuses results for unchanged packages, but not if the catalog is made
/// from bundle directories, since any of them may have changed.
fn check_again(baseline: &Snapshot, catalog: Catalog, openshift: &[OpenShift]) -> Snapshot {
    if catalog.is_rendered_from_bundles() {
        check_catalog(catalog, openshift)
    } else {
        baseline.after_change(catalog)
    }
}

/// Returns the paths of catalogs on disk.
fn disk_paths(sources: &[Source]) -> Vec<PathBuf> {
    let path = |source: &Source| match source {
        Source::Path(path) => Some(path.clone()),
        Source::Demo | Source::Stdin(_) | Source::Revision(_) => None,
    };
    sources.iter().filter_map(path).collect()
}

fn to_user_error(error: &LoadError) -> UserError {
    UserError { message: error.to_string(), hint: error.hint() }
}
