//! Rows of the dialog: the channels and lists of the open catalogs, with the place of the bundle in each.

use std::sync::Arc;

use crate::tui::{
    dialogs::release::bundle::ReleasedBundle,
    keys::ActionId,
    session::{Session, context::ViewContext, open_catalog::OpenCatalog},
    work::{
        PreviewState,
        preview::{EditOutcome, Preview},
    },
};
use olm_catalog::{Catalog, ChannelName, template::semver::List};
use olm_check::review::{Consequences, FreshInstallChange, Snapshot};
use olm_edit::{ChannelPlacement, Edit, TemplateChange, package_with_bundle};
use olm_upgrade::{
    Engine, PackageGraph,
    placement::{
        ChannelPlacements, ChosenPlacement, CsvConflict, Placement, PlacementChoice, PlacementError,
        PreviousRelease, WantedEdges, WantedPlace,
    },
};

/// Channels and lists that can get the bundle.
#[derive(Debug, Default)]
pub struct ReleaseRows {
    /// Catalogs that can take the bundle, or the reason why not.
    pub catalogs: Vec<TargetCatalog>,
    /// Channels and lists of all catalogs.
    pub rows: Vec<ReleaseRow>,
    /// Index of the selected row.
    pub cursor: usize,
    /// Form of the edges in all rows; `None` for the proposed one.
    pub edges: Option<WantedEdges>,
}

/// Open catalog.
#[derive(Debug)]
pub struct TargetCatalog {
    /// Index among the open catalogs.
    pub catalog: usize,
    /// Short name of the catalog.
    pub label: String,
    /// Content that takes the bundle, or the reason why it cannot be added.
    pub content: Result<TargetContent, String>,
    /// Preview for the chosen rows.
    pub preview: PreviewState,
}

/// Content of a catalog that takes the bundle.
#[derive(Debug)]
pub enum TargetContent {
    /// Channels of a package that has the bundle. `is_new_bundle` is true if the bundle will be added.
    Channels {
        /// Graphs of the package, which has the bundle.
        graph: Arc<PackageGraph>,
        /// True if the bundle will be added.
        is_new_bundle: bool,
        /// True if the package will be created.
        is_new_package: bool,
    },
    /// Lists of a semver template that knows the bundle.
    Lists(Box<Catalog>),
}

/// Channel or list of a catalog.
#[derive(Clone, Debug)]
pub struct ReleaseRow {
    /// Index in [`ReleaseRows::catalogs`].
    pub catalog_row: usize,
    /// Place of the bundle.
    pub place: RowPlace,
    /// True if the bundle is released there.
    pub chosen: bool,
}

/// Place of the bundle in a row.
#[derive(Clone, Debug)]
pub enum RowPlace {
    /// Place in a channel.
    Channel {
        /// Name of the channel.
        channel: ChannelName,
        /// Possible places, or the reason why there are none.
        placements: Result<ChannelPlacements, PlacementError>,
        /// Chosen kind of place; `None` for the proposed one.
        wanted: Option<WantedPlace>,
        /// Custom skipRange; empty for none.
        range: Option<String>,
        /// True if the channel will be created.
        is_new: bool,
    },
    /// Image in a list of a semver template.
    List {
        /// The list.
        list: List,
        /// True if the list has the bundle.
        is_listed: bool,
    },
}

/// Effect on the users of a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowEffect {
    /// Number of installed versions whose next upgrade changes.
    pub moved: usize,
    /// Changed fresh install.
    pub fresh: Option<FreshInstallChange>,
    /// Number of versions of the row that become stuck.
    pub stuck: usize,
}

impl RowEffect {
    /// Returns true if nothing changes for users.
    pub fn is_empty(&self) -> bool {
        self.moved == 0 && self.fresh.is_none() && self.stuck == 0
    }
}

impl ReleaseRow {
    fn channel(
        graph: &PackageGraph,
        catalog_row: usize,
        channel: ChannelName,
        bundle: &ReleasedBundle,
        is_new: bool,
    ) -> Self {
        let placements =
            ChannelPlacements::find_placements(graph, &channel, &bundle.name, bundle.csv_entry());
        let place = RowPlace::Channel { channel, placements, wanted: None, range: None, is_new };
        Self { catalog_row, place, chosen: false }
    }

    /// Returns the name of the channel or list.
    pub fn name(&self) -> &str {
        match &self.place {
            RowPlace::Channel { channel, .. } => channel.as_str(),
            RowPlace::List { list, .. } => list.name(),
        }
    }

    /// Returns the place in a channel with the edges of a form; `None` for a list or if there is no place.
    pub fn chosen_placement(&self, edges: Option<WantedEdges>) -> Option<ChosenPlacement> {
        let RowPlace::Channel { placements: Ok(placements), wanted, range, .. } = &self.place else {
            return None;
        };
        let choice = PlacementChoice { place: *wanted, edges, allow_downgrade: true };
        let mut chosen = placements.choose_placement(choice).ok()?;
        if let Some(range) = range {
            chosen.spec.skip_range = Some(range.clone()).filter(|range| !range.is_empty());
        }
        Some(chosen)
    }

    /// Returns the reason why the bundle cannot be added.
    pub fn refusal(&self) -> Option<String> {
        match &self.place {
            RowPlace::Channel { placements: Err(error), .. } => Some(error.to_string()),
            RowPlace::List { is_listed: true, .. } => Some("is already in the list".to_owned()),
            RowPlace::Channel { .. } | RowPlace::List { .. } => None,
        }
    }

    /// Returns the reason why the row is not chosen by default.
    pub fn reservation(&self) -> Option<String> {
        match &self.place {
            RowPlace::Channel { placements: Ok(placements), .. } => {
                placements.reservation.map(|reservation| reservation.to_string())
            }
            _ => None,
        }
    }

    /// Returns true if users are downgraded by the chosen place.
    pub fn is_downgrade(&self) -> bool {
        self.chosen_placement(None).is_some_and(|chosen| chosen.placement == Placement::Downgrade)
    }

    /// Changes to the next kind of place.
    ///
    /// # Errors
    ///
    /// The reason, if there is only one.
    pub(super) fn cycle_place(&mut self) -> Result<(), String> {
        if let Some(reason) = self.refusal() {
            return Err(reason);
        }
        let current = self.chosen_placement(None).map(|chosen| chosen.placement);
        let RowPlace::Channel { placements: Ok(placements), wanted, .. } = &mut self.place else {
            return Err("opm orders the bundles of a list".to_owned());
        };
        let [_, _, ..] = placements.proposals.as_slice() else {
            return Err("there is only one place in the channel".to_owned());
        };
        let mut after = placements.proposals.iter().map(|proposal| Some(proposal.placement));
        after.find(|placement| *placement == current);
        let next = after.next().flatten().or_else(|| placements.proposals.first().map(|it| it.placement));
        *wanted = match next {
            Some(Placement::Downgrade) => Some(WantedPlace::Head),
            Some(Placement::Step) => Some(WantedPlace::Step),
            Some(Placement::Skipped) => Some(WantedPlace::Skipped),
            _ => None,
        };
        self.chosen = true;
        Ok(())
    }

    /// Returns edges of the ClusterServiceVersion that the entry does not get. Ignores a custom range.
    pub fn csv_conflict(&self, bundle: &ReleasedBundle, edges: Option<WantedEdges>) -> Option<CsvConflict> {
        let csv = bundle.csv_entry()?;
        let mut spec = self.chosen_placement(edges)?.spec;
        if matches!(self.place, RowPlace::Channel { range: Some(_), .. }) {
            spec.skip_range.clone_from(&csv.skip_range);
        }
        CsvConflict::find_conflict(csv, &spec)
    }
}

impl ReleaseRows {
    /// Lists the channels and lists of the open catalogs. Chooses them as the previous release was placed; without
    /// one, as the annotations of the bundle say.
    pub(super) fn for_bundle(bundle: &ReleasedBundle, view_cx: &ViewContext<'_>) -> Self {
        let mut all = Self::default();
        let catalogs = &view_cx.session.catalogs;
        for (catalog, (open, label)) in catalogs.all().iter().zip(catalogs.labels()).enumerate() {
            // Catalogs proposed from bundle directories are never written.
            if open.visible_state().catalog.is_rendered_from_bundles() {
                continue;
            }
            if bundle.is_selected && !has_package(&open.history.now().catalog, bundle) {
                continue;
            }
            let content = match refusal_reason(view_cx, open) {
                Some(reason) => Err(reason),
                None => read_content(open.history.now(), bundle),
            };
            let into = all.catalogs.len();
            match &content {
                Ok(TargetContent::Channels { graph, .. }) => all.add_channels(graph, into, bundle),
                Ok(TargetContent::Lists(known)) => all.add_lists(known, into, bundle),
                Err(_) => {}
            }
            all.catalogs.push(TargetCatalog { catalog, label, content, preview: PreviewState::NoEdit });
        }
        for into in 0..all.catalogs.len() {
            all.update_preview(into, bundle, view_cx);
        }
        let first_chosen = all.rows.iter().position(|row| row.chosen);
        let first_free = || all.rows.iter().position(|row| row.refusal().is_none());
        all.cursor = first_chosen.or_else(first_free).unwrap_or_default();
        all
    }

    fn add_channels(&mut self, graph: &PackageGraph, into: usize, bundle: &ReleasedBundle) {
        let package = &graph.package;
        let previous = PreviousRelease::find_previous(package, &bundle.name);
        let annotated = bundle.annotated_channels();
        for channel in package.channels.iter().map(|channel| &channel.name.value) {
            let mut row = ReleaseRow::channel(graph, into, channel.clone(), bundle, false);
            let is_wanted = match &previous {
                Some(previous) => previous.channels.contains(channel),
                None => annotated.contains(channel),
            };
            row.chosen = is_wanted && row.refusal().is_none() && row.reservation().is_none();
            self.rows.push(row);
        }
        let other_version =
            previous.iter().flat_map(|previous| &previous.other_version).map(|(_, name)| name);
        let mut proposed: Vec<&ChannelName> = Vec::new();
        for channel in other_version.chain(annotated) {
            if package.channel(channel.as_str()).is_none() && !proposed.contains(&channel) {
                proposed.push(channel);
                self.rows.push(ReleaseRow::channel(graph, into, channel.clone(), bundle, true));
            }
        }
    }

    fn add_lists(&mut self, catalog: &Catalog, into: usize, bundle: &ReleasedBundle) {
        let Some(semver) = catalog.template().and_then(|template| template.semver()) else { return };
        let previous = bundle.version.as_ref().map(|version| semver.lists_of_previous(version));
        for list in List::ALL {
            let images = semver.document.images(list).iter().enumerate();
            let is_it = |index: usize| {
                semver.known_bundle(list, index).is_some_and(|known| known.name == bundle.name)
            };
            let is_listed = { images }.any(|(index, own)| own.image.value == bundle.image || is_it(index));
            let is_wanted = previous.as_ref().is_some_and(|lists| lists.contains(&list));
            let place = RowPlace::List { list, is_listed };
            self.rows.push(ReleaseRow { catalog_row: into, place, chosen: is_wanted && !is_listed });
        }
    }

    /// Returns the selected row.
    pub fn selected_row(&self) -> Option<&ReleaseRow> {
        self.rows.get(self.cursor)
    }

    /// Changes the selected row and updates the preview of its catalog.
    pub(super) fn change_selected(
        &mut self,
        bundle: &ReleasedBundle,
        view_cx: &ViewContext<'_>,
        change: impl FnOnce(&mut ReleaseRow) -> Result<(), String>,
    ) -> Result<(), String> {
        let Some(row) = self.rows.get_mut(self.cursor) else { return Ok(()) };
        let into = row.catalog_row;
        change(row)?;
        self.update_preview(into, bundle, view_cx);
        Ok(())
    }

    /// Changes to the next form of the edges, in all rows.
    pub(super) fn cycle_edges(&mut self, bundle: &ReleasedBundle, view_cx: &ViewContext<'_>) {
        self.edges = match self.edges {
            None | Some(WantedEdges::Like) => Some(WantedEdges::Replaces),
            Some(WantedEdges::Replaces) if bundle.csv_entry().is_some() => Some(WantedEdges::Csv),
            Some(WantedEdges::Replaces | WantedEdges::Csv) => None,
        };
        for into in 0..self.catalogs.len() {
            self.update_preview(into, bundle, view_cx);
        }
    }

    /// Adds a new channel to each catalog without it. Returns false if all catalogs have it.
    pub(super) fn add_channel(
        &mut self,
        channel: &ChannelName,
        bundle: &ReleasedBundle,
        view_cx: &ViewContext<'_>,
    ) -> bool {
        let mut is_added = false;
        for into in 0..self.catalogs.len() {
            let has = self.rows.iter().any(|row| row.catalog_row == into && row.name() == channel.as_str());
            let content = self.catalogs.get(into).map(|into| &into.content);
            let Some(Ok(TargetContent::Channels { graph, .. })) = content else { continue };
            if has {
                continue;
            }
            let mut row = ReleaseRow::channel(graph, into, channel.clone(), bundle, true);
            row.chosen = row.refusal().is_none();
            let at = self.rows.iter().rposition(|row| row.catalog_row <= into).map_or(0, |at| at + 1);
            self.rows.insert(at, row);
            self.cursor = at;
            is_added = true;
            self.update_preview(into, bundle, view_cx);
        }
        is_added
    }

    fn chosen_in(&self, into: usize) -> impl Iterator<Item = &ReleaseRow> {
        self.rows.iter().filter(move |row| row.catalog_row == into && row.chosen)
    }

    /// Updates the preview of the chosen rows of a catalog.
    fn update_preview(&mut self, into: usize, bundle: &ReleasedBundle, view_cx: &ViewContext<'_>) {
        let preview = match self.catalogs.get(into) {
            Some(TargetCatalog { catalog, content: Ok(content), .. }) => {
                self.preview_content(into, *catalog, content, bundle, view_cx.session)
            }
            _ => return,
        };
        if let Some(into) = self.catalogs.get_mut(into) {
            into.preview = preview;
        }
        self.refuse_protected_files(view_cx.session);
    }

    fn preview_content(
        &self,
        into: usize,
        catalog: usize,
        content: &TargetContent,
        bundle: &ReleasedBundle,
        session: &Session,
    ) -> PreviewState {
        if self.chosen_in(into).next().is_none() {
            return PreviewState::NoEdit;
        }
        let Some(open) = session.catalogs.all().get(catalog) else { return PreviewState::NoEdit };
        match content {
            TargetContent::Channels { graph, is_new_bundle, .. } => {
                let chosen = self.chosen_in(into).filter_map(|row| row.chosen_placement(self.edges));
                let wanted: Vec<ChannelPlacement> = chosen
                    .map(|ChosenPlacement { channel, spec, changes, .. }| ChannelPlacement {
                        channel,
                        spec,
                        changes,
                    })
                    .collect();
                let edit = match &bundle.new {
                    Some(new) if *is_new_bundle => {
                        Edit::add_bundle(new, &open.history.now().catalog, &wanted)
                    }
                    _ => Edit::promote(&graph.package, &bundle.name, &wanted),
                };
                session.preview_state_in(catalog, edit)
            }
            // The template does not know a new bundle, so a request cannot compute the preview.
            TargetContent::Lists(known) => {
                let lists = self.chosen_in(into).filter_map(|row| match row.place {
                    RowPlace::List { list, .. } => Some(list),
                    RowPlace::Channel { .. } => None,
                });
                let image = || bundle.image.clone();
                let mut edits: Vec<Edit> = lists
                    .map(|list| Edit::Template { change: TemplateChange::AddImage { list, image: image() } })
                    .collect();
                let edit = match edits.as_slice() {
                    [_] => edits.remove(0),
                    several => {
                        let title = format!("add {} to {} lists", bundle.name, several.len());
                        Edit::Several { title, edits }
                    }
                };
                PreviewState::Ready(preview_lists(open.history.now(), known, edit))
            }
        }
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

    /// Returns the effect on the users of a chosen row; `None` until it is known.
    pub fn row_effect(&self, row: &ReleaseRow) -> Option<RowEffect> {
        let preview = self.catalogs.get(row.catalog_row)?.preview.ready_preview()?;
        let outcome = preview.as_ref().ok().filter(|_| row.chosen)?;
        let Consequences { changed_steps, fresh, harm, .. } = &outcome.consequences;
        let prefix = format!("{}-v", row.name());
        let is_own = |channel: &Option<ChannelName>| {
            channel.as_ref().is_some_and(|channel| match row.place {
                RowPlace::Channel { .. } => channel.as_str() == row.name(),
                RowPlace::List { .. } => channel.as_str().starts_with(&prefix),
            })
        };
        let moved =
            changed_steps.iter().filter(|step| step.engine == Engine::Classic && is_own(&step.channel));
        let is_entry = |channel: &olm_catalog::blob::ChannelBlob, name: &olm_catalog::BundleName| {
            channel.entries.iter().any(|entry| entry.name.value == *name)
        };
        let after = outcome.after.packages().map(|(_, state)| state.package());
        let channels: Vec<_> = after
            .flat_map(|package| &package.channels)
            .filter(|it| is_own(&Some(it.name.value.clone())))
            .collect();
        let mut stuck: Vec<_> =
            harm.stuck.iter().flat_map(|(_, rows)| rows).map(|row| &row.version).collect();
        stuck.sort();
        stuck.dedup();
        stuck.retain(|name| channels.iter().any(|channel| is_entry(channel, name)));
        let fresh = fresh.iter().find(|fresh| fresh.engine == Engine::Classic && is_own(&fresh.channel));
        Some(RowEffect { moved: moved.count(), fresh: fresh.cloned(), stuck: stuck.len() })
    }

    /// Returns the numbers of chosen channels and of chosen lists.
    pub fn count_chosen(&self) -> (usize, usize) {
        let chosen = self.rows.iter().filter(|row| row.chosen);
        let (lists, channels): (Vec<_>, Vec<_>) =
            chosen.partition(|row| matches!(row.place, RowPlace::List { .. }));
        (channels.len(), lists.len())
    }
}

/// Returns true if a catalog has the package of the bundle. A template of unknown images may have it.
fn has_package(catalog: &Catalog, bundle: &ReleasedBundle) -> bool {
    catalog.package(bundle.package.as_str()).is_some()
        || (catalog.template().is_some() && catalog.packages().len() == 0)
}

fn read_content(now: &Arc<Snapshot>, bundle: &ReleasedBundle) -> Result<TargetContent, String> {
    let catalog = &now.catalog;
    if catalog.template().is_some_and(|template| template.semver().is_some()) {
        if !has_package(catalog, bundle) {
            return Err(format!("this template is not for {}", bundle.package));
        }
        let contents = bundle.contents.as_ref();
        let known = contents.map(|contents| catalog.with_known_bundles_of(contents));
        return Ok(TargetContent::Lists(Box::new(known.unwrap_or_else(|| (**catalog).clone()))));
    }
    let known = now.package(bundle.package.as_str());
    if let Some(state) = known
        && let Some(own) = state.package().bundle(bundle.name.as_str())
    {
        let image = own.image.as_ref().map(|image| image.value.as_str()).unwrap_or_default();
        if image != bundle.image {
            return Err(format!("has {} with another image: {image}", bundle.name));
        }
        let graph = Arc::clone(&state.graph);
        return Ok(TargetContent::Channels { graph, is_new_bundle: false, is_new_package: false });
    }
    let Some(new) = &bundle.new else {
        return Err(format!("{} is not in this catalog, and its text is unknown", bundle.name));
    };
    let package = package_with_bundle(new, catalog).map_err(|error| error.to_string())?;
    let (graph, is_new_package) = (Arc::new(PackageGraph::new(&package)), known.is_none());
    Ok(TargetContent::Channels { graph, is_new_bundle: true, is_new_package })
}

/// Returns the preview of an edit of a template that may lack the bundle.
fn preview_lists(before: &Snapshot, known: &Catalog, edit: Edit) -> Preview {
    let catalog = olm_edit::apply_edit(known, &edit).map_err(|error| error.to_string())?;
    let after = Arc::new(before.after_change(catalog));
    let consequences = Consequences::compare_snapshots(before, &after);
    Ok(Arc::new(EditOutcome { edit, after, consequences }))
}

/// Returns the reason why the catalog does not accept edits now.
fn refusal_reason(view_cx: &ViewContext<'_>, open: &OpenCatalog) -> Option<String> {
    if open.what_if.is_some() {
        let (keep, drop) = (view_cx.key_label(ActionId::WhatIfKeep), view_cx.key_label(ActionId::WhatIfDrop));
        return Some(format!("a what-if is active there: {keep} applies it there, {drop} drops it"));
    }
    if open.past_commit.is_some() {
        return Some("an earlier commit is shown there".to_owned());
    }
    let unread = open.history.now().catalog.missing_part();
    unread.map(|_| "only part of it was read".to_owned())
}
