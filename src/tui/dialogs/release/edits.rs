//! Edits of the chosen rows, and their previews.

use std::sync::Arc;

use crate::tui::{
    dialogs::release::{
        bundle::ReleasedBundle,
        rows::{ReleaseRow, ReleaseRows, ReleaseTask, RowPlace, TargetCatalog, TargetContent},
    },
    session::{Session, context::ViewContext},
    work::{
        PreviewState,
        preview::{EditOutcome, Preview},
    },
};
use olm_catalog::{Catalog, ChannelName, template::semver::List};
use olm_check::review::Snapshot;
use olm_edit::{ChannelPlacement, Edit, Withdrawal, generate_catalog_edit};

impl ReleaseRows {
    /// Updates the preview of the chosen rows of a catalog.
    pub(super) fn update_preview(&mut self, into: usize, bundle: &ReleasedBundle, view_cx: &ViewContext<'_>) {
        let (preview, stays_in) = match self.catalogs.get(into) {
            Some(TargetCatalog { catalog, content: Ok(content), template, .. }) => {
                self.preview_content(into, *catalog, content, *template, bundle, view_cx.session)
            }
            _ => return,
        };
        if let Some(into) = self.catalogs.get_mut(into) {
            into.preview = preview;
            into.stays_in = stays_in;
        }
        let is_generated =
            |at: &usize| self.catalogs.get(*at).is_some_and(|other| other.template == Some(into));
        let generated: Vec<usize> = (0..self.catalogs.len()).filter(is_generated).collect();
        for generated in generated {
            self.update_preview(generated, bundle, view_cx);
        }
        self.refuse_protected_files(view_cx.session);
    }

    /// Returns the preview of a catalog, and the channels where installations of a withdrawn bundle stay.
    fn preview_content(
        &self,
        into: usize,
        catalog: usize,
        content: &TargetContent,
        template: Option<usize>,
        bundle: &ReleasedBundle,
        session: &Session,
    ) -> (PreviewState, Vec<ChannelName>) {
        let none = || (PreviewState::NoEdit, Vec::new());
        let failed = |reason: String| (PreviewState::Ready(Err(reason)), Vec::new());
        let Some(open) = session.catalogs.all().get(catalog) else { return none() };
        if self.chosen_in(into).next().is_none() {
            return none();
        }
        match content {
            TargetContent::Channels { .. } if template.is_some() => {
                match self.generated_edit(template, &open.history.now().catalog, bundle) {
                    Ok(Some(edit)) => (session.preview_state_in(catalog, edit), Vec::new()),
                    Ok(None) => none(),
                    Err(reason) => failed(reason),
                }
            }
            TargetContent::Channels { graph, is_new_bundle, .. } => {
                let (edit, stays_in) = match (self.task, &bundle.new) {
                    (ReleaseTask::Withdraw, _) => {
                        let names = self.chosen_in(into).map(|row| ChannelName::from(row.name()));
                        match Withdrawal::plan(&graph.package, &bundle.name, &names.collect::<Vec<_>>()) {
                            Ok(planned) => (planned.edit, planned.stays_in),
                            Err(error) => return failed(error.to_string()),
                        }
                    }
                    (ReleaseTask::Release, _) if self.chosen_in(into).any(ReleaseRow::is_package) => {
                        let source = bundle.source.as_ref();
                        if source.is_some_and(|source| source.find_file_error(&bundle.package).is_some()) {
                            return failed(format!("{} could not be read completely", bundle.package));
                        }
                        let source = source.map(|source| &source.catalog);
                        match source.map(|source| Edit::copy_package(source, &bundle.package)) {
                            Some(Ok(edit)) => (edit, Vec::new()),
                            Some(Err(error)) => return failed(error.to_string()),
                            None => return none(),
                        }
                    }
                    (ReleaseTask::Release, Some(new)) if *is_new_bundle => (
                        Edit::add_bundle(new, &open.history.now().catalog, &self.wanted_in(into)),
                        Vec::new(),
                    ),
                    (ReleaseTask::Release, _) => {
                        (Edit::promote(&graph.package, &bundle.name, &self.wanted_in(into)), Vec::new())
                    }
                };
                (session.preview_state_in(catalog, edit), stays_in)
            }
            // The template does not know a new bundle, so a request cannot compute the preview.
            TargetContent::Lists(known) => match self.list_edit(into, known, bundle) {
                Ok((edit, stays_in)) => {
                    (PreviewState::Ready(preview_lists(open.history.now(), known, edit)), stays_in)
                }
                Err(reason) => failed(reason),
            },
        }
    }

    /// Returns the chosen places in the channels of a catalog.
    fn wanted_in(&self, into: usize) -> Vec<ChannelPlacement> {
        let chosen = self.chosen_in(into).filter_map(|row| row.chosen_placement(self.edges));
        chosen.map(|chosen| chosen.place).collect()
    }

    /// Returns the edit of the chosen lists of a template, and the channels where installations of a withdrawn bundle
    /// stay.
    fn list_edit(
        &self,
        into: usize,
        known: &Catalog,
        bundle: &ReleasedBundle,
    ) -> Result<(Edit, Vec<ChannelName>), String> {
        let lists = self.chosen_in(into).filter_map(|row| match row.place {
            RowPlace::List { list, .. } => Some(list),
            RowPlace::Channel { .. } | RowPlace::Generated | RowPlace::Package { .. } => None,
        });
        let lists: Vec<List> = lists.collect();
        if self.task == ReleaseTask::Release {
            return Ok((Edit::add_to_lists(&bundle.name, &bundle.image, &lists), Vec::new()));
        }
        let semver = known.template().and_then(|template| template.semver());
        let package = known.package(bundle.package.as_str());
        let Some((semver, package)) = semver.zip(package) else {
            return Err(format!("the package {} is unknown", bundle.package));
        };
        let planned = Withdrawal::plan_for_lists(semver, package, &bundle.name, &lists);
        planned.map(|planned| (planned.edit, planned.stays_in)).map_err(|error| error.to_string())
    }

    /// Returns the edit of a catalog that follows the edit of its template; `None` if no list of the template is chosen.
    fn generated_edit(
        &self,
        template: Option<usize>,
        catalog: &Catalog,
        bundle: &ReleasedBundle,
    ) -> Result<Option<Edit>, String> {
        let Some(at) = template.filter(|at| self.chosen_in(*at).next().is_some()) else { return Ok(None) };
        let target = self.catalogs.get(at);
        let Some(TargetCatalog { content: Ok(TargetContent::Lists(known)), .. }) = target else {
            return Ok(None);
        };
        let (edit, _) = self.list_edit(at, known, bundle)?;
        let generated = generate_catalog_edit(known, &edit, catalog, bundle.new.as_deref());
        let unknown = || "some bundles of its template are unknown".to_owned();
        generated.map_err(|error| error.to_string())?.ok_or_else(unknown).map(Some)
    }

    /// Refuses edits of write-protected files.
    pub(super) fn refuse_protected_files(&mut self, session: &Session) {
        for into in &mut self.catalogs {
            let Some(open) = session.catalogs.all().get(into.catalog) else { continue };
            let before = &open.history.now().catalog;
            if before.files().iter().all(|file| file.writable) {
                continue;
            }
            let Some(Ok(outcome)) = into.preview.ready_preview() else { continue };
            let changed = outcome.after.catalog.files_changed_since(before);
            let protected = changed.iter().filter_map(|changed| changed.before).find(|file| !file.writable);
            if let Some(file) = protected {
                let reason = format!("{} is write-protected", file.display_path().display());
                into.preview = PreviewState::Ready(Err(reason));
            }
        }
    }

    /// Returns the outcome of each catalog with chosen rows, or the first error. Computes pending previews at once.
    pub(super) fn outcomes(&mut self, session: &Session) -> Result<Vec<(usize, Arc<EditOutcome>)>, String> {
        for into in &mut self.catalogs {
            session.catalogs.preview_now(&mut into.preview);
        }
        self.refuse_protected_files(session);
        let chosen = self.catalogs.iter().filter_map(|into| Some((into, into.preview.ready_preview()?)));
        let outcome = |(into, preview): (&TargetCatalog, &Preview)| match preview {
            Ok(outcome) => Ok((into.catalog, Arc::clone(outcome))),
            Err(reason) => Err(format!("{}: {reason}", into.label)),
        };
        chosen.map(outcome).collect()
    }
}

/// Returns the preview of an edit of a template that may lack the bundle.
fn preview_lists(before: &Arc<Snapshot>, known: &Catalog, edit: Edit) -> Preview {
    let catalog = olm_edit::apply_edit(known, &edit).map_err(|error| error.to_string())?;
    Ok(Arc::new(EditOutcome::from_catalog(edit, before, catalog, &[])))
}
