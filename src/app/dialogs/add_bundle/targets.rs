//! The channels of the open catalogs that a new bundle could be put into.

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

/// What could become of the bundle in the open catalogs.
#[derive(Debug, Default)]
pub struct Targets {
    /// The catalogs it could come to, or why not.
    pub catalogs: Vec<TargetCatalog>,
    /// The channels of all of them.
    pub rows: Vec<Target>,
    /// The row.
    pub cursor: usize,
}

/// An open catalog.
#[derive(Debug)]
pub struct TargetCatalog {
    /// Its number.
    pub catalog: usize,
    /// What it is called.
    pub label: String,
    /// The state with the bundle in it, or why it cannot come there.
    pub arrival: Result<Arrival, String>,
    /// Whether the package is to be made.
    pub is_new_package: bool,
    /// What the chosen channels lead to; `None` while none is chosen.
    pub preview: Option<Preview>,
}

/// A channel of a catalog.
#[derive(Clone, Debug)]
pub struct Target {
    /// Which of [`Targets::catalogs`].
    pub into: usize,
    /// The channel.
    pub channel: ChannelName,
    /// The edges it could have there, or why it cannot go there.
    pub offer: Result<Offer, Refusal>,
    /// Where its edges come from.
    pub from: EntryFrom,
    /// A range of one's own.
    pub range: Option<String>,
    /// Whether it is chosen.
    pub chosen: bool,
    /// Whether the channel is to be made.
    pub is_new: bool,
}

impl Target {
    /// What its CSV asks for and it does not get, which may be an oversight. A range that was typed is none.
    pub fn conflict(&self, new: &NewBundle) -> Option<Conflict> {
        let mut spec = self.spec(new).ok()?;
        if self.range.is_some() {
            spec.skip_range = new.own.as_ref().and_then(|own| own.skip_range.clone());
        }
        conflict(new, self.offer.as_ref().ok().and_then(|offer| offer.head.as_ref()), &spec)
    }

    /// The edges it would get, or why it gets none.
    pub fn spec(&self, new: &NewBundle) -> Result<EntrySpec, Refusal> {
        let mut spec = spec(new, &self.offer, self.from)?;
        if self.range.is_some() {
            spec.skip_range.clone_from(&self.range);
        }
        Ok(spec)
    }
}

impl Targets {
    /// All channels; those of the annotations are chosen where the bundle can go there.
    pub(super) fn of(new: &NewBundle, see: &See<'_>) -> Self {
        let mut targets = Self::default();
        for (catalog, (open, label)) in see.session.open.iter().zip(labels(&see.session.open)).enumerate() {
            let now = &open.now().catalog;
            // What bundles propose is written nowhere.
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

    /// The row under the cursor.
    pub fn selected(&self) -> Option<&Target> {
        self.rows.get(self.cursor)
    }

    /// Changes the row under the cursor, and works out what follows.
    pub(super) fn change(&mut self, new: &NewBundle, see: &See<'_>, change: impl FnOnce(&mut Target)) {
        let Some(row) = self.rows.get_mut(self.cursor) else { return };
        change(row);
        let into = row.into;
        self.refresh(into, new, see);
    }

    /// Adds a channel that is to be made, in each catalog that lacks it; whether there was one.
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

    /// Works out what the chosen channels of a catalog lead to.
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

    /// What is to be made, each with its catalog; the reason of the first that cannot be.
    pub(super) fn outcomes(&self) -> Result<Vec<(usize, Arc<Outcome>)>, String> {
        let chosen = self.catalogs.iter().filter_map(|into| Some((into, into.preview.as_ref()?)));
        let outcome = |(into, preview): (&TargetCatalog, &Preview)| match preview {
            Ok(outcome) => Ok((into.catalog, Arc::clone(outcome))),
            Err(reason) => Err(format!("{}: {reason}", into.label)),
        };
        chosen.map(outcome).collect()
    }

    /// How many channels are chosen.
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

/// Why nothing can be put into a catalog now.
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
