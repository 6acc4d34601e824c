//! Catalogs and channels that a new bundle can be added to.

use std::sync::Arc;

use crate::tui::{
    keys::ActionId,
    session::{context::ViewContext, open_catalog::OpenCatalog},
    work::preview::{EditOutcome, Preview},
};
use olm_bundle::NewBundle;
use olm_catalog::{ChannelName, blob::EntrySpec};
use olm_check::review::{Consequences, Snapshot};
use olm_edit::{ChannelPlacement, Edit, package_with_bundle};
use olm_upgrade::{
    pending_bundle::{CsvConflict, EdgeSource, PendingBundle, entry_spec, find_conflict},
    promotion::{EdgeOffer, OfferChoice, OfferError},
};

/// Effect of adding the bundle to the open catalogs.
#[derive(Debug, Default)]
pub struct ChannelTargets {
    /// Catalogs that can take the bundle, or the reason why not.
    pub catalogs: Vec<TargetCatalog>,
    /// Channels of all catalogs.
    pub rows: Vec<ChannelTarget>,
    /// Index of the selected channel.
    pub cursor: usize,
}

/// Open catalog.
#[derive(Debug)]
pub struct TargetCatalog {
    /// Index among the open catalogs.
    pub catalog: usize,
    /// Short name of the catalog.
    pub label: String,
    /// Catalog with the bundle added, or the reason why it cannot be added.
    pub arrival: Result<PendingBundle, String>,
    /// True if the package will be created.
    pub is_new_package: bool,
    /// Outcome for the chosen channels; `None` if none is chosen.
    pub preview: Option<Preview>,
}

/// Channel of a catalog.
#[derive(Clone, Debug)]
pub struct ChannelTarget {
    /// Index in [`ChannelTargets::catalogs`].
    pub catalog_row: usize,
    /// Name of the channel.
    pub channel: ChannelName,
    /// Possible edges in the channel, or the reason why the bundle cannot be added.
    pub offer: Result<EdgeOffer, OfferError>,
    /// Source of the edges.
    pub edge_source: EdgeSource,
    /// Custom skipRange.
    pub range: Option<String>,
    /// True if the channel is chosen.
    pub chosen: bool,
    /// True if the channel will be created.
    pub is_new: bool,
}

impl ChannelTarget {
    /// Returns edges that the CSV declares and the entry does not get, which may be an oversight.
    /// Ignores a custom range.
    pub fn csv_conflict(&self, new: &NewBundle) -> Option<CsvConflict> {
        let mut spec = self.entry_spec(new).ok()?;
        if self.range.is_some() {
            spec.skip_range = new.own_entry.as_ref().and_then(|own| own.skip_range.clone());
        }
        find_conflict(new, self.offer.as_ref().ok().and_then(|offer| offer.head.as_ref()), &spec)
    }

    /// Returns the edges of the new entry, or the reason why it cannot be added.
    pub fn entry_spec(&self, new: &NewBundle) -> Result<EntrySpec, OfferError> {
        let mut spec = entry_spec(new, &self.offer, self.edge_source)?;
        if self.range.is_some() {
            spec.skip_range.clone_from(&self.range);
        }
        Ok(spec)
    }
}

impl ChannelTargets {
    /// Lists all channels and chooses those of the bundle's annotations if possible.
    pub(super) fn for_bundle(new: &NewBundle, view_cx: &ViewContext<'_>) -> Self {
        let mut targets = Self::default();
        for (catalog, (open, label)) in
            view_cx.session.catalogs.all().iter().zip(view_cx.session.catalogs.labels()).enumerate()
        {
            let now = &open.visible_state().catalog;
            // Catalogs proposed from bundle directories are never written.
            if now.is_rendered_from_bundles() {
                continue;
            }
            let arrival = match refusal_reason(view_cx, open) {
                Some(reason) => Err(reason),
                None => package_with_bundle(new, now)
                    .map(|package| PendingBundle::from_package(&package))
                    .map_err(|error| error.to_string()),
            };
            let is_new_package = now.package(new.package.as_str()).is_none();
            let into = targets.catalogs.len();
            if let Ok(arrival) = &arrival {
                let mut channels: Vec<ChannelName> = arrival.channel_names().cloned().collect();
                let known = channels.len();
                let proposed = new.channels.iter().filter(|channel| !channels.contains(channel));
                channels.extend(proposed.cloned().collect::<Vec<_>>());
                for (at, channel) in channels.into_iter().enumerate() {
                    targets.rows.push(build_target(new, arrival, into, channel, at >= known));
                }
            }
            targets.catalogs.push(TargetCatalog { catalog, label, arrival, is_new_package, preview: None });
        }
        for into in 0..targets.catalogs.len() {
            targets.update_preview(into, new, view_cx);
        }
        targets.cursor = targets.rows.iter().position(|row| row.chosen).unwrap_or_default();
        targets
    }

    /// Returns the selected row.
    pub fn selected_target(&self) -> Option<&ChannelTarget> {
        self.rows.get(self.cursor)
    }

    /// Changes the selected row and updates the outcome of its catalog.
    pub(super) fn change_selected(
        &mut self,
        new: &NewBundle,
        view_cx: &ViewContext<'_>,
        change: impl FnOnce(&mut ChannelTarget),
    ) {
        let Some(row) = self.rows.get_mut(self.cursor) else { return };
        change(row);
        let into = row.catalog_row;
        self.update_preview(into, new, view_cx);
    }

    /// Adds a new channel to each catalog without it. Returns false if all catalogs have it.
    pub(super) fn add_channel(
        &mut self,
        channel: &ChannelName,
        new: &NewBundle,
        view_cx: &ViewContext<'_>,
    ) -> bool {
        let mut is_added = false;
        for into in 0..self.catalogs.len() {
            let has = self.rows.iter().any(|row| row.catalog_row == into && row.channel == *channel);
            let Some(Ok(arrival)) = self.catalogs.get(into).map(|into| &into.arrival) else { continue };
            if has {
                continue;
            }
            let mut row = build_target(new, arrival, into, channel.clone(), true);
            row.chosen = row.offer.is_ok();
            let at = self.rows.iter().rposition(|row| row.catalog_row <= into).map_or(0, |at| at + 1);
            self.rows.insert(at, row);
            self.cursor = at;
            is_added = true;
            self.update_preview(into, new, view_cx);
        }
        is_added
    }

    /// Computes the outcome of the chosen channels of a catalog.
    fn update_preview(&mut self, into: usize, new: &NewBundle, view_cx: &ViewContext<'_>) {
        let wanted: Vec<ChannelPlacement> = self
            .rows
            .iter()
            .filter(|row| row.catalog_row == into && row.chosen)
            .filter_map(|row| {
                Some(ChannelPlacement { channel: row.channel.clone(), spec: row.entry_spec(new).ok()? })
            })
            .collect();
        let Some(into) = self.catalogs.get_mut(into) else { return };
        let open = view_cx.session.catalogs.all().get(into.catalog);
        into.preview = open.filter(|_| !wanted.is_empty()).map(|open| try_addition(open, new, &wanted));
    }

    /// Returns the outcome of each catalog with chosen channels, or the first error.
    pub(super) fn outcomes(&self) -> Result<Vec<(usize, Arc<EditOutcome>)>, String> {
        let chosen = self.catalogs.iter().filter_map(|into| Some((into, into.preview.as_ref()?)));
        let outcome = |(into, preview): (&TargetCatalog, &Preview)| match preview {
            Ok(outcome) => Ok((into.catalog, Arc::clone(outcome))),
            Err(reason) => Err(format!("{}: {reason}", into.label)),
        };
        chosen.map(outcome).collect()
    }

    /// Returns the number of chosen channels.
    pub fn count_chosen(&self) -> usize {
        self.rows.iter().filter(|row| row.chosen).count()
    }
}

fn build_target(
    new: &NewBundle,
    arrival: &PendingBundle,
    into: usize,
    channel: ChannelName,
    is_new: bool,
) -> ChannelTarget {
    let offer = arrival.offer_in_channel(new, &channel);
    let is_named = new.channels.contains(&channel);
    ChannelTarget {
        catalog_row: into,
        chosen: is_named && !is_new && offer.is_ok(),
        channel,
        offer,
        edge_source: EdgeSource::Head(OfferChoice::default()),
        range: None,
        is_new,
    }
}

/// Returns the reason why the catalog does not accept edits now.
fn refusal_reason(view_cx: &ViewContext<'_>, open: &OpenCatalog) -> Option<String> {
    if open.what_if.is_some() {
        let (keep, drop) = (view_cx.key_label(ActionId::WhatIfKeep), view_cx.key_label(ActionId::WhatIfDrop));
        return Some(format!("a what-if is active there: {keep} applies it there, {drop} drops it"));
    }
    None
}

fn try_addition(open: &OpenCatalog, new: &NewBundle, wanted: &[ChannelPlacement]) -> Preview {
    let before = open.history.now();
    let edit = Edit::add_bundle(new, &before.catalog, wanted);
    let catalog = olm_edit::apply_edit(&before.catalog, &edit).map_err(|error| error.to_string())?;
    let changed = catalog.files_changed_since(&before.catalog);
    let protected = changed.iter().filter_map(|changed| changed.before).find(|file| !file.writable);
    if let Some(file) = protected {
        return Err(format!("{} is write-protected", file.display_path().display()));
    }
    let after: Arc<Snapshot> = Arc::new(before.after_change(catalog));
    let consequences = Consequences::compare_snapshots(before, &after);
    Ok(Arc::new(EditOutcome { edit, after, consequences }))
}
