//! Rows of the dialog: the channels and lists of the open catalogs, with the place of the bundle in each.

use std::sync::Arc;

use crate::tui::{
    dialogs::release::bundle::ReleasedBundle,
    keys::ActionId,
    parts::text::format_count,
    session::{Session, context::ViewContext, open_catalog::OpenCatalog},
    work::PreviewState,
};
use olm_catalog::{Catalog, ChannelName, blob::EntrySpec, template::semver::List};
use olm_check::review::Snapshot;
use olm_edit::{is_generated_from, package_with_bundle};
use olm_upgrade::{
    PackageGraph,
    placement::{
        ChannelPlacements, ChosenPlacement, CsvConflict, Placement, PlacementChoice, PlacementError,
        PreviousRelease, WantedEdges, WantedPlace,
    },
};

/// Reason why places and edges of a copied package cannot be chosen.
pub(super) const COPY_IS_WHOLE: &str = "the copy keeps all places and edges";

/// Maximum number of channels that the notice of an applied release names.
const MAX_NAMES: usize = 3;

/// Task of the dialog.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum ReleaseTask {
    /// Add the bundle to channels and lists.
    #[default]
    Release,
    /// Take the bundle out of channels and lists. All other versions keep an upgrade.
    Withdraw,
}

/// Channels and lists that can get the bundle, or that have it.
#[derive(Debug, Default)]
pub struct ReleaseRows {
    /// Task for the chosen rows.
    pub task: ReleaseTask,
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
    /// Index in [`ReleaseRows::catalogs`] of the semver template that generates the catalog.
    pub template: Option<usize>,
    /// Channels where installations of a withdrawn bundle have no upgrade.
    pub stays_in: Vec<ChannelName>,
}

/// Content of a catalog that takes the bundle.
#[derive(Debug)]
pub enum TargetContent {
    /// Channels of a package.
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
    /// True if the task is done there.
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
    /// All channels of a catalog that a semver template of another row generates.
    Generated,
    /// The whole package, for a catalog that lacks it.
    Package {
        /// Number of channels and bundles, in words.
        size: String,
    },
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
            RowPlace::Generated => "all channels",
            RowPlace::Package { .. } => "whole package",
        }
    }

    /// Returns true if the row is about a channel of its catalog. A list generates several channels.
    pub fn has_channel(&self, channel: &ChannelName) -> bool {
        match &self.place {
            RowPlace::Channel { channel: own, .. } => own == channel,
            RowPlace::List { list, .. } => channel.as_str().starts_with(&format!("{}-v", list.name())),
            RowPlace::Generated | RowPlace::Package { .. } => true,
        }
    }

    /// Returns true if the row copies the whole package.
    pub fn is_package(&self) -> bool {
        matches!(self.place, RowPlace::Package { .. })
    }

    /// Returns the place in a channel with the edges of a form; `None` for a list or if there is no place.
    pub fn chosen_placement(&self, edges: Option<WantedEdges>) -> Option<ChosenPlacement> {
        let RowPlace::Channel { placements: Ok(placements), wanted, range, .. } = &self.place else {
            return None;
        };
        let choice = PlacementChoice { place: *wanted, edges, allow_downgrade: true };
        let mut chosen = placements.choose_placement(choice).ok()?;
        if let Some(range) = range {
            chosen.place.spec.skip_range = Some(range.clone()).filter(|range| !range.is_empty());
        }
        Some(chosen)
    }

    /// Returns the reason why the row cannot be chosen for the task.
    pub fn refusal(&self, task: ReleaseTask) -> Option<String> {
        let is_withdrawal = task == ReleaseTask::Withdraw;
        let reason = match &self.place {
            RowPlace::Channel { placements: Err(PlacementError::AlreadyThere), .. }
            | RowPlace::List { is_listed: true, .. }
                if is_withdrawal =>
            {
                return None;
            }
            RowPlace::Channel { .. } if is_withdrawal => "does not have it".to_owned(),
            RowPlace::List { .. } if is_withdrawal => "is not in the list".to_owned(),
            RowPlace::Channel { placements: Err(error), .. } => error.to_string(),
            RowPlace::List { is_listed: true, .. } => "is already in the list".to_owned(),
            RowPlace::Channel { .. }
            | RowPlace::List { .. }
            | RowPlace::Generated
            | RowPlace::Package { .. } => return None,
        };
        Some(reason)
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
        if let Some(reason) = self.refusal(ReleaseTask::Release) {
            return Err(reason);
        }
        let current = self.chosen_placement(None).map(|chosen| chosen.placement);
        let RowPlace::Channel { placements: Ok(placements), wanted, .. } = &mut self.place else {
            let reason =
                if self.is_package() { COPY_IS_WHOLE } else { "opm orders the bundles of a template" };
            return Err(reason.to_owned());
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
        let mut spec = self.chosen_placement(edges)?.place.spec;
        if matches!(self.place, RowPlace::Channel { range: Some(_), .. }) {
            spec.skip_range.clone_from(&csv.skip_range);
        }
        CsvConflict::find_conflict(csv, &spec)
    }
}

impl ReleaseRows {
    /// Lists the channels and lists of the open catalogs. To release a bundle, chooses them as the previous release was
    /// placed; without one, as the annotations of the bundle say. To withdraw it, chooses all that have it.
    pub(super) fn for_bundle(bundle: &ReleasedBundle, task: ReleaseTask, view_cx: &ViewContext<'_>) -> Self {
        let mut all = Self { task, ..Self::default() };
        let catalogs = &view_cx.session.catalogs;
        for (catalog, (open, label)) in catalogs.all().iter().zip(catalogs.labels()).enumerate() {
            // Catalogs proposed from bundle directories are never written.
            if open.visible_state().catalog.is_rendered_from_bundles() {
                continue;
            }
            let catalog_now = &open.history.now().catalog;
            let can_create =
                task == ReleaseTask::Release && catalog_now.template().is_none() && bundle.new.is_some();
            if bundle.is_from_catalog() && !can_create && !has_package(catalog_now, bundle) {
                continue;
            }
            let content = match refusal_reason(view_cx, open) {
                Some(reason) => Err(reason),
                None => read_content(open.history.now(), bundle),
            };
            let (into, first) = (all.catalogs.len(), all.rows.len());
            match &content {
                Ok(TargetContent::Channels { graph, is_new_package, .. }) => {
                    all.add_channels(graph, into, bundle);
                    let size = bundle.package_size().filter(|_| *is_new_package);
                    all.rows.extend(size.map(|size| ReleaseRow {
                        catalog_row: into,
                        place: RowPlace::Package { size },
                        chosen: false,
                    }));
                }
                Ok(TargetContent::Lists(known)) => all.add_lists(known, into, bundle),
                Err(_) => {}
            }
            if task == ReleaseTask::Withdraw {
                for row in all.rows.iter_mut().skip(first) {
                    row.chosen = row.refusal(task).is_none();
                }
            }
            let (preview, template, stays_in) = (PreviewState::NoEdit, None, Vec::new());
            all.catalogs.push(TargetCatalog { catalog, label, content, preview, template, stays_in });
        }
        all.merge_generated_rows(bundle, view_cx.session);
        for into in 0..all.catalogs.len() {
            all.update_preview(into, bundle, view_cx);
        }
        let first_chosen = all.rows.iter().position(|row| row.chosen);
        let first_free = || all.rows.iter().position(|row| row.refusal(task).is_none());
        all.cursor = first_chosen.or_else(first_free).unwrap_or_default();
        all
    }

    /// Moves the cursor to the first possible row of a catalog, if it has one.
    pub(super) fn move_cursor_to_catalog(&mut self, catalog: usize) {
        let is_possible = |row: &ReleaseRow| {
            let target = self.catalogs.get(row.catalog_row);
            target.is_some_and(|target| target.catalog == catalog) && row.refusal(self.task).is_none()
        };
        self.cursor = self.rows.iter().position(is_possible).unwrap_or(self.cursor);
    }

    /// Replaces the channels of each catalog that an open semver template generates by one row.
    fn merge_generated_rows(&mut self, bundle: &ReleasedBundle, session: &Session) {
        for into in 0..self.catalogs.len() {
            let Some(template) = self.find_template(into, bundle, session) else { continue };
            if let Some(target) = self.catalogs.get_mut(into) {
                target.template = Some(template);
            }
            let first = self.rows.iter().position(|row| row.catalog_row == into);
            let chosen = self.rows.iter().any(|row| row.catalog_row == template && row.chosen);
            self.rows.retain(|row| row.catalog_row != into);
            let row = ReleaseRow { catalog_row: into, place: RowPlace::Generated, chosen };
            self.rows.insert(first.unwrap_or(self.rows.len()), row);
        }
    }

    /// Returns the index of the semver template that generates a catalog; `None` if there is none, or if the catalog
    /// differs from it.
    fn find_template(&self, into: usize, bundle: &ReleasedBundle, session: &Session) -> Option<usize> {
        let target = self.catalogs.get(into)?;
        let Ok(TargetContent::Channels { .. }) = &target.content else { return None };
        let catalog = &session.catalogs.all().get(target.catalog)?.history.now().catalog;
        let source = catalog.template_source(&bundle.package)?;
        self.catalogs.iter().position(|other| {
            let Ok(TargetContent::Lists(known)) = &other.content else { return false };
            let open = session.catalogs.all().get(other.catalog);
            open.is_some_and(|open| open.is_template_file(source)) && is_generated_from(known, catalog)
        })
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
            row.chosen =
                is_wanted && row.refusal(ReleaseTask::Release).is_none() && row.reservation().is_none();
            self.rows.push(row);
        }
        let other_version =
            previous.iter().flat_map(|previous| &previous.other_version).map(|(_, name)| name);
        // A new package gets channels only if the user chooses them.
        let source_channels = bundle.source_channels.iter().filter(|_| package.channels.is_empty());
        let mut proposed: Vec<&ChannelName> = Vec::new();
        for channel in other_version.chain(annotated).chain(source_channels) {
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
            let is_listed = semver.position(list, &bundle.image).is_some()
                || semver.find_image(list, bundle.name.as_str()).is_some();
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
        self.drop_other_choices();
        self.update_preview(into, bundle, view_cx);
        Ok(())
    }

    /// Drops the choices that the selected row excludes: channels if it is the whole package, or else the whole package.
    fn drop_other_choices(&mut self) {
        let Some(selected) = self.selected_row().filter(|row| row.chosen) else { return };
        let (into, is_package) = (selected.catalog_row, selected.is_package());
        for row in
            self.rows.iter_mut().filter(|row| row.catalog_row == into && row.is_package() != is_package)
        {
            row.chosen = false;
        }
    }

    /// Changes to the next form that gives a row other edges, or reports that there is none.
    pub(super) fn cycle_edges(
        &mut self,
        bundle: &ReleasedBundle,
        view_cx: &ViewContext<'_>,
    ) -> Result<(), String> {
        let has_csv_entry = bundle.csv_entry().is_some();
        let forms = std::iter::successors(Some(self.edges), |form| Some(next_form(*form, has_csv_entry)));
        let edges_of_rows = |form: Option<WantedEdges>| -> Vec<Option<EntrySpec>> {
            self.rows.iter().map(|row| row.chosen_placement(form).map(|chosen| chosen.place.spec)).collect()
        };
        let current = edges_of_rows(self.edges);
        let other = forms.skip(1).take(2).find(|form| edges_of_rows(*form) != current);
        self.edges = other.ok_or("the other forms give the same edges")?;
        for into in 0..self.catalogs.len() {
            self.update_preview(into, bundle, view_cx);
        }
        Ok(())
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
            let target = self.catalogs.get(into).filter(|target| target.template.is_none());
            let content = target.map(|target| &target.content);
            let Some(Ok(TargetContent::Channels { graph, .. })) = content else { continue };
            if has {
                continue;
            }
            let mut row = ReleaseRow::channel(graph, into, channel.clone(), bundle, true);
            row.chosen = row.refusal(self.task).is_none();
            let at = self.rows.iter().rposition(|row| row.catalog_row <= into).map_or(0, |at| at + 1);
            self.rows.insert(at, row);
            self.cursor = at;
            is_added = true;
            self.drop_other_choices();
            self.update_preview(into, bundle, view_cx);
        }
        is_added
    }

    pub(super) fn chosen_in(&self, into: usize) -> impl Iterator<Item = &ReleaseRow> {
        self.rows.iter().filter(move |row| row.catalog_row == into && row.chosen)
    }

    /// Describes the chosen rows: `channels alpha and beta`, `5 channels and 1 list`.
    pub fn describe_chosen(&self) -> String {
        let chosen = || self.rows.iter().filter(|row| row.chosen);
        let mut names: Vec<&str> = chosen().map(ReleaseRow::name).collect();
        names.sort_unstable();
        names.dedup();
        let are_channels = chosen().all(|row| matches!(row.place, RowPlace::Channel { .. }));
        if are_channels && (1..=MAX_NAMES).contains(&names.len()) {
            let noun = if names.len() == 1 { "channel" } else { "channels" };
            return format!("{noun} {}", join_words(&names));
        }
        let count = |is_kind: fn(&RowPlace) -> bool| chosen().filter(|row| is_kind(&row.place)).count();
        let counts = [
            (count(|place| matches!(place, RowPlace::Channel { .. })), "channel"),
            (count(|place| matches!(place, RowPlace::List { .. })), "list"),
            (count(|place| matches!(place, RowPlace::Generated)), "generated catalog"),
            (count(|place| matches!(place, RowPlace::Package { .. })), "new package"),
        ];
        let counts: Vec<String> = counts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, noun)| format_count(count, noun))
            .collect();
        join_words(&counts)
    }
}

/// Joins words: `a`, `a and b`, `a, b and c`.
fn join_words<T: AsRef<str>>(words: &[T]) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.split_last() {
        Some((last, first)) if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => words.concat(),
    }
}

/// Returns the form of the edges after this one.
fn next_form(form: Option<WantedEdges>, has_csv_entry: bool) -> Option<WantedEdges> {
    match form {
        None | Some(WantedEdges::Like) => Some(WantedEdges::Replaces),
        Some(WantedEdges::Replaces) if has_csv_entry => Some(WantedEdges::Csv),
        Some(WantedEdges::Replaces | WantedEdges::Csv) => None,
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

/// Returns the reason why the catalog does not accept edits now.
fn refusal_reason(view_cx: &ViewContext<'_>, open: &OpenCatalog) -> Option<String> {
    if open.what_if.is_some() {
        let key = view_cx.key_label(ActionId::WhatIf);
        return Some(format!("a what-if is active there: {key} applies or drops it there"));
    }
    if open.past_commit.is_some() {
        return Some("an earlier commit is shown there".to_owned());
    }
    let unread = open.history.now().catalog.missing_part();
    unread.map(|_| "only part of it was read".to_owned())
}
