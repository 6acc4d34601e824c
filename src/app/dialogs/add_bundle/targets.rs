//! Catalogs and channels that a new bundle can be added to.

use std::sync::Arc;

use crate::{
    app::{
        keys::ActionId,
        session::{
            cx::See,
            open::{Open, labels},
        },
        work::preview::{Outcome, Preview},
    },
    bundle::NewBundle,
    catalog::{ChannelName, blob::EntrySpec},
    edit::{self, Edit, Wanted},
    review::{Consequences, Snapshot},
    upgrade::{
        arrival::{Arrival, Conflict, EntryFrom, conflict, spec},
        promote::{Offer, Refusal, Wish},
    },
};

/// Effect of adding the bundle to the open catalogs.
#[derive(Debug, Default)]
pub struct Targets {
    /// Catalogs that can take the bundle, or the reason why not.
    pub catalogs: Vec<TargetCatalog>,
    /// Channels of all catalogs.
    pub rows: Vec<Target>,
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
    pub arrival: Result<Arrival, String>,
    /// True if the package will be created.
    pub is_new_package: bool,
    /// Outcome for the chosen channels; `None` if none is chosen.
    pub preview: Option<Preview>,
}

/// Channel of a catalog.
#[derive(Clone, Debug)]
pub struct Target {
    /// Index in [`Targets::catalogs`].
    pub into: usize,
    /// Name of the channel.
    pub channel: ChannelName,
    /// Possible edges in the channel, or the reason why the bundle cannot be added.
    pub offer: Result<Offer, Refusal>,
    /// Source of the edges.
    pub from: EntryFrom,
    /// Custom skipRange.
    pub range: Option<String>,
    /// True if the channel is chosen.
    pub chosen: bool,
    /// True if the channel will be created.
    pub is_new: bool,
}

impl Target {
    /// Returns edges that the CSV declares and the entry does not get, which may be an oversight.
    /// Ignores a custom range.
    pub fn conflict(&self, new: &NewBundle) -> Option<Conflict> {
        let mut spec = self.spec(new).ok()?;
        if self.range.is_some() {
            spec.skip_range = new.own.as_ref().and_then(|own| own.skip_range.clone());
        }
        conflict(new, self.offer.as_ref().ok().and_then(|offer| offer.head.as_ref()), &spec)
    }

    /// Returns the edges of the new entry, or the reason why it cannot be added.
    pub fn spec(&self, new: &NewBundle) -> Result<EntrySpec, Refusal> {
        let mut spec = spec(new, &self.offer, self.from)?;
        if self.range.is_some() {
            spec.skip_range.clone_from(&self.range);
        }
        Ok(spec)
    }
}

impl Targets {
    /// Lists all channels and chooses those of the bundle's annotations if possible.
    pub(super) fn of(new: &NewBundle, see: &See<'_>) -> Self {
        let mut targets = Self::default();
        for (catalog, (open, label)) in see.session.open.iter().zip(labels(&see.session.open)).enumerate() {
            let now = &open.now().catalog;
            // Catalogs proposed from bundle directories are never written.
            if now.is_proposed() {
                continue;
            }
            let arrival = refusal(see, open)
                .map_or_else(|| Arrival::of(new, now).map_err(|error| error.to_string()), Err);
            let is_new_package = now.package(new.package.as_str()).is_none();
            let into = targets.catalogs.len();
            if let Ok(arrival) = &arrival {
                let mut channels: Vec<ChannelName> = arrival.channels().cloned().collect();
                let known = channels.len();
                let proposed = new.channels.iter().filter(|channel| !channels.contains(channel));
                channels.extend(proposed.cloned().collect::<Vec<_>>());
                for (at, channel) in channels.into_iter().enumerate() {
                    targets.rows.push(target(new, arrival, into, channel, at >= known));
                }
            }
            targets.catalogs.push(TargetCatalog { catalog, label, arrival, is_new_package, preview: None });
        }
        for into in 0..targets.catalogs.len() {
            targets.refresh(into, new, see);
        }
        targets.cursor = targets.rows.iter().position(|row| row.chosen).unwrap_or_default();
        targets
    }

    /// Returns the selected row.
    pub fn selected(&self) -> Option<&Target> {
        self.rows.get(self.cursor)
    }

    /// Changes the selected row and updates the outcome of its catalog.
    pub(super) fn change(&mut self, new: &NewBundle, see: &See<'_>, change: impl FnOnce(&mut Target)) {
        let Some(row) = self.rows.get_mut(self.cursor) else { return };
        change(row);
        let into = row.into;
        self.refresh(into, new, see);
    }

    /// Adds a new channel to each catalog without it. Returns false if all catalogs have it.
    pub(super) fn add_channel(&mut self, channel: &ChannelName, new: &NewBundle, see: &See<'_>) -> bool {
        let mut is_added = false;
        for into in 0..self.catalogs.len() {
            let has = self.rows.iter().any(|row| row.into == into && row.channel == *channel);
            let Some(Ok(arrival)) = self.catalogs.get(into).map(|into| &into.arrival) else { continue };
            if has {
                continue;
            }
            let mut row = target(new, arrival, into, channel.clone(), true);
            row.chosen = row.offer.is_ok();
            let at = self.rows.iter().rposition(|row| row.into <= into).map_or(0, |at| at + 1);
            self.rows.insert(at, row);
            self.cursor = at;
            is_added = true;
            self.refresh(into, new, see);
        }
        is_added
    }

    /// Computes the outcome of the chosen channels of a catalog.
    fn refresh(&mut self, into: usize, new: &NewBundle, see: &See<'_>) {
        let wanted: Vec<Wanted> = self
            .rows
            .iter()
            .filter(|row| row.into == into && row.chosen)
            .filter_map(|row| Some(Wanted { channel: row.channel.clone(), spec: row.spec(new).ok()? }))
            .collect();
        let Some(into) = self.catalogs.get_mut(into) else { return };
        let open = see.session.open.get(into.catalog);
        into.preview = open.filter(|_| !wanted.is_empty()).map(|open| tried(open, new, &wanted));
    }

    /// Returns the outcome of each catalog with chosen channels, or the first error.
    pub(super) fn outcomes(&self) -> Result<Vec<(usize, Arc<Outcome>)>, String> {
        let chosen = self.catalogs.iter().filter_map(|into| Some((into, into.preview.as_ref()?)));
        let outcome = |(into, preview): (&TargetCatalog, &Preview)| match preview {
            Ok(outcome) => Ok((into.catalog, Arc::clone(outcome))),
            Err(reason) => Err(format!("{}: {reason}", into.label)),
        };
        chosen.map(outcome).collect()
    }

    /// Returns the number of chosen channels.
    pub fn chosen(&self) -> usize {
        self.rows.iter().filter(|row| row.chosen).count()
    }
}

fn target(new: &NewBundle, arrival: &Arrival, into: usize, channel: ChannelName, is_new: bool) -> Target {
    let offer = arrival.offer(new, &channel);
    let is_named = new.channels.contains(&channel);
    Target {
        into,
        chosen: is_named && !is_new && offer.is_ok(),
        channel,
        offer,
        from: EntryFrom::Head(Wish::default()),
        range: None,
        is_new,
    }
}

/// Returns the reason why the catalog does not accept edits now.
fn refusal(see: &See<'_>, open: &Open) -> Option<String> {
    if open.what_if.is_some() {
        let (keep, drop) = (see.key(ActionId::WhatIfKeep), see.key(ActionId::WhatIfDrop));
        return Some(format!("a what-if is active there: {keep} applies it there, {drop} drops it"));
    }
    None
}

fn tried(open: &Open, new: &NewBundle, wanted: &[Wanted]) -> Preview {
    let before = open.history.now();
    let edit = Edit::add_bundle(new, &before.catalog, wanted);
    let catalog = edit::apply(&before.catalog, &edit).map_err(|error| error.to_string())?;
    let changed = catalog.files_changed_since(&before.catalog);
    let protected = changed.iter().filter_map(|changed| changed.before).find(|file| !file.writable);
    if let Some(file) = protected {
        return Err(format!("{} is write-protected", file.shown().display()));
    }
    let after: Arc<Snapshot> = Arc::new(before.after(catalog));
    let consequences = Consequences::between(before, &after);
    Ok(Arc::new(Outcome { edit, after, consequences }))
}
