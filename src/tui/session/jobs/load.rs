//! Loading of catalogs: for the first time, again, or one more. Catalogs are visible while they are
//! read.

use std::sync::Arc;

use crate::tui::{
    keys::ActionId,
    session::{
        Session,
        catalogs::Catalogs,
        context::{Context, ViewContext},
        jobs::Jobs,
        open_catalog::OpenCatalog,
        wait_state::{BlockingWork, Stage},
    },
    work::{Effect, Job, JobEnvironment, JobSlot, Question, Source, outcome::LoadOutcome},
};
use olm_catalog::{KnownBundles, PackageName, TemplateSource};
use olm_check::review::Snapshot;
use olm_source::mentioned_host;
use olm_upgrade::resolve;
use olmap_report::escape;

/// Catalogs to read and check. A later request replaces an earlier request.
#[derive(PartialEq, Debug)]
pub struct LoadRequest {
    /// The sources to read.
    pub sources: Vec<Source>,
    /// Whether to report partly read catalogs.
    pub show_partial: bool,
}

/// Progress or result of loading.
#[derive(Debug)]
pub enum LoadAnswer {
    /// A part of a catalog, or one of several catalogs, was read.
    Partial {
        /// The source that is being read.
        source: Source,
        /// State of the part that is read.
        snapshot: Arc<Snapshot>,
    },
    /// Loading ended, with one outcome per source in the order of the request.
    Done(Vec<LoadOutcome>),
}

impl Question for LoadRequest {
    type Answer = LoadAnswer;

    fn compute(&self, environment: &JobEnvironment<'_>, send: &(dyn Fn(LoadAnswer) + Sync)) {
        let show = |source: &Source, snapshot| {
            if self.show_partial {
                send(LoadAnswer::Partial { source: source.clone(), snapshot });
            }
        };
        send(LoadAnswer::Done(environment.services.load_catalogs(
            &self.sources,
            environment.progress,
            &show,
        )));
    }

    fn slot(&self) -> Option<JobSlot> {
        Some(JobSlot::Load)
    }
}

/// State of loading.
#[derive(Debug, Default)]
pub(in crate::tui) struct LoadState {
    job: Job<LoadRequest>,
    /// Package that was last requested to be read first.
    read_first: Option<PackageName>,
}

impl Jobs {
    /// Starts with the load of the sources.
    pub(in crate::tui::session) fn from_sources(sources: &[Source]) -> Self {
        let mut jobs = Self::default();
        jobs.load.job.replace(LoadRequest { sources: sources.to_vec(), show_partial: true });
        jobs
    }

    /// Requests catalogs. Answers to earlier requests are dropped.
    pub(in crate::tui) fn request_load(&mut self, sources: Vec<Source>, show_partial: bool) -> Effect {
        Effect::run(self.load.job.replace(LoadRequest { sources, show_partial }))
    }

    /// Returns true if no later catalogs were requested.
    pub(in crate::tui) fn is_current_load(&self, request: &Arc<LoadRequest>) -> bool {
        self.load.job.is_current(request)
    }

    /// Returns the last request.
    pub fn load_request(&self) -> Option<&Arc<LoadRequest>> {
        self.load.job.last_question()
    }

    /// Forgets which package was requested to be read first.
    pub(in crate::tui) fn clear_read_first(&mut self) {
        self.load.read_first = None;
    }
}

/// Opens a catalog, or switches to it if it is already open.
pub(in crate::tui) fn open_catalog(cx: &mut Context<'_>, source: Source) {
    if let Some(open) = cx.session.catalogs.position(&source) {
        cx.session.jump_with(|session| session.catalogs.set_current(open));
        return;
    }
    cx.session.waiting.busy = Some(BlockingWork::Opening);
    cx.session.catalogs.add_source(&source);
    let effect = cx.session.jobs.request_load(vec![source], false);
    cx.request(effect);
}

/// Returns a warning about side effects of reading a path, such as a network connection. Continuing
/// accepts them.
pub(in crate::tui) fn open_warning(typed: &str, is_offline: bool) -> Option<String> {
    if typed.is_empty() {
        return Some("such as catalogs/v4.20, docker://HOST/NAME:TAG, https://HOST/PATH".to_owned());
    }
    let host = mentioned_host(typed)?;
    Some(if is_offline {
        "opens what the cache has of it (--offline)".to_owned()
    } else {
        format!("opens a connection to {host}")
    })
}

/// Shows the part of a catalog that is already read.
pub(in crate::tui) fn show_partial_catalog(session: &mut Session, source: Source, snapshot: Arc<Snapshot>) {
    match session.catalogs.find_mut(&source) {
        Some(open) => open.replace_state(snapshot),
        None => session.catalogs.push(OpenCatalog::new(source, snapshot)),
    }
    session.waiting.stage = Stage::Ready;
    session.waiting.busy = Some(BlockingWork::Loading);
    session.correct_all_selections();
    session.restore_loaded_places();
}

/// Requests to read the selected package first, if it is not read yet.
pub(in crate::tui) fn request_selected_package(cx: &mut Context<'_>) {
    let session = &*cx.session;
    let selected = &session.selection().package;
    if session.waiting.busy != Some(BlockingWork::Loading)
        || !session.catalogs.package_is_unread()
        || *selected == session.jobs.load.read_first
    {
        return;
    }
    if let Some(package) = selected.clone() {
        cx.session.jobs.load.read_first = Some(package.clone());
        cx.request(Effect::ReadFirst { package });
    }
}

/// Returns the notice after reading stopped in the middle of a catalog.
pub(in crate::tui) fn stopped_notice(view_cx: &ViewContext<'_>, catalog: usize) -> String {
    let there = view_cx.session.catalogs.all().get(catalog).map(|open| &open.baseline.catalog);
    let Some((catalog, unread)) = there.and_then(|catalog| Some((catalog, catalog.missing_part()?))) else {
        return "reading was stopped".to_owned();
    };
    let known = catalog.packages().len();
    let read = known.saturating_sub(unread.packages.len());
    let of = if unread.is_listed { format!(" of {known}") } else { String::new() };
    format!("stopped at {read}{of} packages: {} reads all", view_cx.key_label(ActionId::Reload))
}

impl Catalogs {
    /// Resolves loaded catalogs with the open catalogs: templates, then unmet dependencies.
    pub(in crate::tui) fn resolve_loaded(&self, outcomes: &mut [LoadOutcome]) {
        self.resolve_templates(outcomes);
        self.resolve_dependencies(outcomes);
    }

    /// Resolves loaded catalogs with unmet dependencies again, together with the other open catalogs.
    fn resolve_dependencies(&self, outcomes: &mut [LoadOutcome]) {
        let loaded =
            outcomes.iter().filter_map(|outcome| Some((&outcome.source, outcome.result.as_ref().ok()?)));
        let is_new = |source: &Source| outcomes.iter().any(|outcome| outcome.source == *source);
        let open = self.all().iter().filter(|open| !is_new(&open.source));
        let open = open.map(|open| (&open.source, &open.baseline));
        let all: Vec<(Source, Arc<Snapshot>)> = loaded
            .chain(open)
            .filter(|(_, snapshot)| {
                snapshot.catalog.template().is_none() && snapshot.first_rejection().is_none()
            })
            .map(|(source, snapshot)| (source.clone(), Arc::clone(snapshot)))
            .collect();
        for outcome in outcomes {
            let Ok(snapshot) = &mut outcome.result else { continue };
            let others = all.iter().filter(|(source, _)| *source != outcome.source);
            let others: Vec<resolve::Source> = others
                .map(|(source, snapshot)| {
                    resolve::Source::new(&self.short_source_name(source), snapshot.index())
                })
                .collect();
            if !others.is_empty() && !snapshot.is_independent() {
                *snapshot = Arc::new(snapshot.with_other_catalogs(others));
            }
        }
    }

    /// Provides loaded templates with the bundles of the other open catalogs.
    fn resolve_templates(&self, outcomes: &mut [LoadOutcome]) {
        let is_template = |snapshot: &Arc<Snapshot>| snapshot.catalog.template().is_some();
        if !outcomes.iter().filter_map(|outcome| outcome.result.as_ref().ok()).any(is_template) {
            return;
        }
        let loaded = outcomes.iter().filter_map(|outcome| outcome.result.as_ref().ok());
        let open = self.all().iter().map(|open| &open.baseline);
        let known =
            Arc::new(KnownBundles::from_catalogs(loaded.chain(open).map(|snapshot| &*snapshot.catalog)));
        for outcome in outcomes {
            if let Ok(snapshot) = &mut outcome.result
                && is_template(snapshot)
            {
                *snapshot = Arc::new(Snapshot::new(snapshot.catalog.with_known_bundles(Arc::clone(&known))));
            }
        }
    }
}

/// Returns the template that would overwrite a catalog's edits, if the first edit was just made.
pub(in crate::tui) fn overwriting_template(open: &OpenCatalog) -> Option<String> {
    let edited = open.edited_generated_packages();
    let first = edited.first().filter(|_| open.unsaved_count() == 1)?;
    let name = first.1.display_path.file_name()?.to_string_lossy();
    Some(format!("template {}", escape::escape_line(&name)))
}

impl OpenCatalog {
    /// Returns the packages with unsaved edits that templates generate, each with its template.
    pub fn edited_generated_packages(&self) -> Vec<(&PackageName, &TemplateSource)> {
        let now = self.history.now();
        let touched = now.changed_packages(&self.baseline).into_iter();
        touched.filter_map(|name| Some((name, now.catalog.template_source(name)?))).collect()
    }
}
