//! Execution of effects: each background job runs on its own thread and sends its results as messages.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::{collections::HashMap, sync::Arc};

use super::file_output::{self, expand_home, save_message, write_copy, write_graph, write_in_place};
use super::journal::{self, Journals};
use super::state::{OtherExplorer, Presence};
use super::{Event, Events, clipboard, file_watcher::FileWatcher, job_services::JobServices, spawn_thread};
use crate::tui::work::{JobEnvironment, JobRequest, JobSlot};
use crate::tui::{Effect, LoadProgress, Msg, SaveDestination, Settings, Source, UserError};
use crate::{config::Clipboard, tui::session::jobs::load::LoadRequest};
use olm_catalog::{ChannelName, load::Progress};
use olm_edit::save::StateDirectory;
use olmap_report::graph::{self, Rendered};

/// Starts background jobs, and reports the progress of loading.
pub struct Worker {
    events: Events,
    services: JobServices,
    /// Progress of the last job in each slot, used to stop it.
    running: HashMap<JobSlot, Arc<Progress>>,
    journals: Journals,
    presence: Presence,
    watch: FileWatcher,
    clipboard: Option<Clipboard>,
    /// True after a failure to write a journal was reported; it is reported only once.
    has_reported_journal_error: bool,
}

impl Worker {
    /// Creates a worker that sends its results to `events`.
    pub fn new(events: Events, settings: &Settings) -> Self {
        Self {
            watch: FileWatcher::new(events.clone(), !settings.no_watch),
            clipboard: settings.clipboard,
            services: JobServices::new(settings),
            running: HashMap::new(),
            events,
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
        self.running.get(&JobSlot::Load).map_or_else(LoadProgress::default, |progress| LoadProgress {
            files: read(&progress.files),
            read: read(&progress.read),
            bytes: read(&progress.bytes),
        })
    }

    /// Starts the job of an effect.
    pub fn start_effect(&mut self, effect: Effect) {
        match effect {
            Effect::Run(request) => self.start_job(request),
            Effect::Stop(slot) => self.stop_job(slot),
            Effect::ReadFirst { package } => {
                if let Some(progress) = self.running.get(&JobSlot::Load) {
                    progress.request_package(package);
                }
            }
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
            Effect::AddExpectations { source, path: asked, rows, origin } => self.spawn(move || {
                let outcome = file_output::append_expectations(expand_home(asked.clone()), rows, &origin);
                Msg::ExpectationsAdded { source, asked, outcome }
            }),
            Effect::UseBundleDirectory { package, path } => self.services.use_bundle_directory(package, path),
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

    /// Starts a job, and stops the earlier job in its slot.
    fn start_job(&mut self, request: JobRequest) {
        let progress = Arc::new(Progress::default());
        if let Some(slot) = request.slot() {
            self.stop_job(slot);
            self.running.insert(slot, Arc::clone(&progress));
        }
        if let Some(load) = request.question::<LoadRequest>() {
            self.watch.watch_sources(&load.sources);
            self.register_open(&load.sources);
            self.services.add_openshift_versions(&load.sources);
        }
        let (services, events) = (self.services.clone(), self.events.clone());
        self.spawn_thread(move || {
            let environment = JobEnvironment { services: &services, progress: &progress };
            request.compute(&environment, &|result| {
                // The receiver no longer exists if the program is ending.
                let _ = events.send(Event::Msg(Msg::JobDone(result)));
            });
        });
    }

    fn stop_job(&self, slot: JobSlot) {
        if let Some(progress) = self.running.get(&slot) {
            progress.stop.store(true, Ordering::Relaxed);
        }
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
        self.spawn_thread(move || {
            // The receiver no longer exists if the program is ending.
            let _ = events.send(Event::Msg(work()));
        });
    }

    fn spawn_thread(&self, work: impl FnOnce() + Send + 'static) {
        // Without the thread, the user would wait forever, so the program ends with an error.
        if spawn_thread("work", &self.events, work).is_err() {
            let _ = self.events.send(Event::Panicked);
        }
    }
}
