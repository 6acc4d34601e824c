//! Text of the rows of the dialog: place, edges, and the effect on users.

use crate::tui::{
    dialogs::release::{
        Release, ReleaseRow, ReleaseTask, RowPlace, TargetCatalog, TargetContent, row_effect::RowEffect,
    },
    widgets::{
        canvas::{Line, display_width, fit, line_width, pad, piece, text_piece},
        theme::Ink,
    },
};
use olm_catalog::{BundleName, blob::EntrySpec, package::Package};
use olm_upgrade::placement::{ChosenPlacement, EdgeForm, Placement, find_other_minor};

/// Maximum columns of a catalog.
const MAX_CATALOG_COLUMNS: usize = 24;
/// Maximum columns of a channel.
const MAX_CHANNEL_COLUMNS: usize = 30;
/// Minimum columns of a place, if it has as many.
const MIN_PLACE_COLUMNS: usize = 20;

/// Minimum columns of a catalog: the end of `v4.18`.
const MIN_CATALOG_COLUMNS: usize = 4;
/// Columns of a mark and the row cursor.
const MARK_COLUMNS: usize = 5;

pub(super) fn find_catalog<'r>(release: &'r Release, row: &ReleaseRow) -> Option<&'r TargetCatalog> {
    release.targets.catalogs.get(row.catalog_row)
}

pub(super) fn find_package<'r>(release: &'r Release, row: &ReleaseRow) -> Option<&'r Package> {
    match &find_catalog(release, row)?.content {
        Ok(TargetContent::Channels { graph, .. }) => Some(&graph.package),
        Ok(TargetContent::Lists(known)) => {
            known.package(release.bundle.as_ref()?.package.as_str()).map(AsRef::as_ref)
        }
        Err(_) => None,
    }
}

/// Columns of the rows. Mark and channel are never cut; the rest is cut from the end.
pub(super) struct RowColumns {
    catalog: usize,
    channel: usize,
    place: usize,
    room: usize,
    ascii: bool,
}

impl RowColumns {
    pub(super) fn measure(release: &Release, width: usize, ascii: bool) -> Self {
        let rows = &release.targets.rows;
        let room = width.saturating_sub(MARK_COLUMNS + 1);
        let widest = |text: &dyn Fn(&ReleaseRow) -> usize| rows.iter().map(text).max().unwrap_or_default();
        let channel = widest(&|row| display_width(row.name())).min(MAX_CHANNEL_COLUMNS);
        let place = widest(&|row| place_words(release, row).map_or(0, |(words, _)| display_width(&words)));
        let place = place.min((room / 3).max(MIN_PLACE_COLUMNS));
        let label =
            |row: &ReleaseRow| find_catalog(release, row).map_or(0, |into| display_width(&into.label));
        let [_, _, ..] = release.targets.catalogs.as_slice() else {
            return Self { catalog: 0, channel, place, room, ascii };
        };
        // Without the catalog, two rows may look the same, so places give way to it.
        let left = room.saturating_sub(channel + place + 5).max(MIN_CATALOG_COLUMNS);
        let catalog = widest(&label).min(MAX_CATALOG_COLUMNS).min(left);
        let place = place.min(room.saturating_sub(channel + catalog + 5));
        Self { catalog, channel, place, room, ascii }
    }

    pub(super) fn format_row(&self, release: &Release, row: &ReleaseRow) -> Line {
        let refusal = row.refusal(release.targets.task);
        let (mark, ink) = match (&refusal, row.chosen) {
            (Some(_), _) => (" -  ", Ink::Dim),
            (None, true) => ("[x] ", Ink::Text),
            (None, false) => ("[ ] ", Ink::Text),
        };
        let mut pieces = vec![text_piece(mark)];
        if self.catalog > 0 {
            let label = find_catalog(release, row).map_or("", |into| into.label.as_str());
            pieces.push(piece(format!("{}  ", self.catalog_name(label)), ink));
        }
        pieces.push(piece(format!("{}  ", pad(row.name(), self.channel, self.ascii)), ink));
        if let Some(reason) = refusal {
            pieces.push(piece(reason, Ink::Dim));
            return pieces;
        }
        if let Some((words, ink)) = place_words(release, row) {
            pieces.push(piece(format!("{}  ", pad(&words, self.place, self.ascii)), ink));
        }
        let reservation = row.reservation().filter(|_| release.targets.task == ReleaseTask::Release);
        if let Some(reason) = reservation.filter(|_| !row.chosen) {
            pieces.push(piece(reason, Ink::Warning));
            return pieces;
        }
        let effect = release.targets.row_effect(row);
        let is_quiet = effect.as_ref().is_none_or(RowEffect::is_empty);
        let effect =
            effect.map(|effect| effect_pieces(&effect, find_package(release, row))).unwrap_or_default();
        let left = (self.room + MARK_COLUMNS).saturating_sub(line_width(&pieces));
        let [long, short] = edge_words(release, row);
        let fits = |words: &String| display_width(words) + 2 + line_width(&effect) <= left;
        let words = if fits(&long) { long } else { short };
        let is_cut = !fits(&words);
        let edges = vec![piece(words, Ink::Dim), text_piece("  ")];
        // In a narrow terminal, users are more important than edges.
        if is_cut && !is_quiet {
            pieces.extend(effect);
            pieces.push(text_piece("  "));
            pieces.extend(edges);
        } else {
            pieces.extend(edges);
            pieces.extend(effect);
        }
        pieces
    }

    /// Returns the place and the edges of a row that does not show them completely.
    pub(super) fn describe_cut_row(&self, release: &Release, row: &ReleaseRow) -> Option<String> {
        if row.refusal(release.targets.task).is_some() {
            return None;
        }
        let [edges, _] = edge_words(release, row);
        let place = place_words(release, row).map(|(words, _)| words);
        let line = self.format_row(release, row);
        let text: String = line.iter().map(|piece| piece.text.as_str()).collect();
        let visible = fit(&text, self.room + MARK_COLUMNS, self.ascii);
        let edges = Some(edges).filter(|edges| !edges.is_empty());
        let parts: Vec<String> = place.into_iter().chain(edges).collect();
        let is_cut = parts.iter().any(|part| !visible.contains(part.as_str()));
        is_cut.then(|| format!("{}: {}", row.name(), parts.join(", ")))
    }

    /// Cuts or pads the name of a catalog. Names with a folder differ at the beginning, others mostly at the end.
    fn catalog_name(&self, label: &str) -> String {
        if label.contains('/') {
            return pad(label, self.catalog, self.ascii);
        }
        let mut tail = label;
        while display_width(tail) >= self.catalog.max(1) && display_width(label) > self.catalog {
            let Some(first) = tail.chars().next() else { break };
            tail = tail.get(first.len_utf8()..).unwrap_or_default();
        }
        let cut = if self.ascii { "~" } else { "…" };
        let name = if tail.len() < label.len() { format!("{cut}{tail}") } else { label.to_owned() };
        pad(&name, self.catalog, self.ascii)
    }
}

pub(super) fn short_name(package: Option<&Package>, name: &BundleName) -> String {
    package.map_or_else(|| name.to_string(), |package| package.short_name(name))
}

/// Returns the place of the bundle in words.
fn place_words(release: &Release, row: &ReleaseRow) -> Option<(String, Ink)> {
    if release.targets.task == ReleaseTask::Withdraw {
        let target = find_catalog(release, row).filter(|target| row.chosen && target.template.is_none())?;
        return Some(if target.stays_in.iter().any(|channel| row.has_channel(channel)) {
            let words = match row.place {
                RowPlace::List { .. } => "its users stay",
                _ => "the head: its users stay",
            };
            (words.to_owned(), Ink::Warning)
        } else {
            ("its users upgrade".to_owned(), Ink::Text)
        });
    }
    let (placements, is_new, channel) = match &row.place {
        RowPlace::List { is_listed, .. } => {
            return (!is_listed).then(|| ("by version".to_owned(), Ink::Text));
        }
        RowPlace::Generated => {
            let target = find_catalog(release, row)?;
            let template = release.targets.catalogs.get(target.template?)?;
            return Some((format!("as {} generates", template.label), Ink::Text));
        }
        RowPlace::Package { size } => return Some((size.clone(), Ink::Text)),
        RowPlace::Channel { placements, is_new, channel, .. } => (placements.as_ref().ok()?, is_new, channel),
    };
    let package = find_package(release, row);
    let chosen = row.chosen_placement(None)?;
    let above = || chosen.above.as_ref().map(|above| short_name(package, above)).unwrap_or_default();
    let content = find_catalog(release, row).map(|into| &into.content);
    let is_new_package = matches!(content, Some(Ok(TargetContent::Channels { is_new_package: true, .. })));
    let (words, ink) = match chosen.placement {
        Placement::First if is_new_package => ("new package".to_owned(), Ink::Text),
        Placement::First if *is_new => ("new channel".to_owned(), Ink::Text),
        Placement::First => ("only entry".to_owned(), Ink::Text),
        Placement::Head => ("head".to_owned(), Ink::Good),
        Placement::Skipped => (format!("below {}, skipped", above()), Ink::Text),
        Placement::Step => (format!("step below {}", above()), Ink::Text),
        Placement::EntryOnly => ("entry only".to_owned(), Ink::Text),
        Placement::Downgrade => {
            let head = placements.head.as_ref().map(|head| short_name(package, head)).unwrap_or_default();
            (format!("DOWNGRADE from {head}"), Ink::Error)
        }
    };
    let name = release.bundle.as_ref().map(|bundle| &bundle.name);
    let version = package.zip(name).and_then(|(package, name)| package.bundle_version(name.as_str()));
    let other = package
        .zip(version)
        .and_then(|(package, version)| find_other_minor(package, channel, &version.version));
    Some(match other {
        Some(minor) if ink != Ink::Error => (format!("{words}, not a {minor} version"), Ink::Warning),
        _ => (words, ink),
    })
}

/// Returns the edges of the new entry in a long and in a short form.
fn edge_words(release: &Release, row: &ReleaseRow) -> [String; 2] {
    let package = find_package(release, row);
    let Some(ChosenPlacement { form, place, .. }) = row.chosen_placement(release.targets.edges) else {
        let words = match (&row.place, release.targets.task) {
            (RowPlace::List { .. }, ReleaseTask::Release) => "opm sets the edges",
            _ => "",
        };
        return [words.to_owned(), String::new()];
    };
    let spec = place.spec;
    let EntrySpec { replaces, skips, skip_range } = &spec;
    let replaces = replaces.as_ref().map(|name| format!("replaces {}", short_name(package, name)));
    let (mut long, mut short) = (replaces.clone().into_iter().collect::<Vec<_>>(), Vec::from_iter(replaces));
    match skips.as_slice() {
        [] => {}
        [first, more @ ..] => {
            let first = short_name(package, first);
            let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
            long.push(format!("skips {first}{more}"));
            short.push(format!("skips {}", skips.len()));
        }
    }
    if let Some(range) = skip_range {
        long.push(range.clone());
        short.push("range".to_owned());
    }
    let form = match form {
        _ if spec == EntrySpec::default() => return ["no edges".to_owned(), String::new()],
        EdgeForm::Like(name) => format!("like {}: ", short_name(package, &name)),
        EdgeForm::Csv => "as the CSV: ".to_owned(),
        EdgeForm::Replaces => String::new(),
    };
    [format!("{form}{}", long.join(", ")), short.join(", ")]
}

fn effect_pieces(effect: &RowEffect, package: Option<&Package>) -> Line {
    let RowEffect { moved, fresh, stuck, frees_versions, changes_v1 } = effect;
    let mut pieces = Vec::new();
    if *stuck > 0 {
        pieces.push(piece(format!("{stuck} newly stuck"), Ink::Error));
    }
    match moved {
        0 => {}
        1 => pieces.push(text_piece("1 upgrade changes")),
        several => pieces.push(text_piece(format!("{several} upgrades change"))),
    }
    if let Some(fresh) = fresh {
        pieces.push(match &fresh.after.pick {
            Ok(name) => text_piece(format!("installs {}", short_name(package, name))),
            Err(_) => piece("fails to install", Ink::Error),
        });
    }
    // The numbers of stuck versions are in the preview: versions of other channels may be freed, too.
    if pieces.is_empty() {
        pieces.push(match frees_versions {
            true => piece("frees stuck versions", Ink::Good),
            // An upgrade on v1 belongs to no channel, so it may be an effect of another row.
            false if *changes_v1 => piece("no Classic upgrade changes", Ink::Dim),
            false => piece("no upgrade changes", Ink::Dim),
        });
    }
    let count = pieces.len();
    let separated = pieces.into_iter().enumerate();
    separated
        .flat_map(|(at, piece)| [Some(piece), (at + 1 < count).then(|| text_piece(", "))])
        .flatten()
        .collect()
}
