//! Catalog screen: packages, channels, entries, and details of the selection.

use ratatui::layout::Rect;

use crate::{
    app::{
        Model,
        keys::ActionId,
        parts::{list::ListId, splits::Splitter},
        session::place::Pane,
    },
    catalog::{BundleName, ChannelName, blob::DeprecationTarget},
    review::{Judged, diff::Fate},
    ui::{
        canvas::{Canvas, Pieces, lit, pad, piece, text, width},
        parts::{
            details,
            lists::{
                UNREAD, empty, list_heading, list_view, nothing, order_of, severity_mark, short, struck,
                without_channel,
            },
            on_cluster, what_if,
        },
        text::plural,
        theme::Role,
    },
    upgrade::{ChannelGraph, EdgeKind},
};

/// Columns of a package row besides its name and numbers: cursor, marks, scroll bar.
const PACKAGE_EXTRA: usize = 4;
/// Columns of the number of versions, with a blank before it.
const VERSIONS: usize = 4;

/// Widths of the number columns of a package.
struct PackageColumns {
    /// Columns of the number of versions. 0 if there is no room.
    versions: usize,
    /// Columns of the number of stuck versions with blanks before it. 0 if the catalog has none.
    stuck: usize,
}

impl PackageColumns {
    fn new(model: &Model, room: Option<usize>) -> Self {
        let names = model.screens.catalog.packages();
        let stuck = match model.screens.catalog.stuck_width() {
            0 => 0,
            wide => wide.max("stuck".len()) + 2,
        };
        let whole = names.widest() + PACKAGE_EXTRA + VERSIONS + stuck;
        let has_versions = stuck == 0 || room.is_none_or(|room| whole <= room);
        Self { versions: if has_versions { VERSIONS } else { 0 }, stuck }
    }

    /// Columns of all numbers.
    fn wide(&self) -> usize {
        self.versions + self.stuck
    }

    /// Heading of the columns.
    fn title(&self) -> String {
        match (self.versions > 0, self.stuck) {
            (_, 0) => "bundles ".to_owned(),
            (true, _) => format!("bundles {:>1$}  ", "stuck", self.stuck - 1),
            (false, _) => "stuck  ".to_owned(),
        }
    }
}

/// Draws the screen.
pub fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    // Terminals too narrow for three columns or too low for details show only the focused pane.
    if area.width < 60 || area.height < 11 {
        return one_pane(model, canvas, area);
    }
    let usual = area.height - (area.height * 2 / 5).clamp(6, 18) - 1;
    let above = model.frame.splits.before(Splitter::Details, usual, area.height);
    let (lists, below) = canvas.split(area, Splitter::Details, above);
    let widest = model.screens.catalog.packages().widest();
    let marks = usize::from(marks_width(model) + on_cluster::mark_width(model));
    let extra = PACKAGE_EXTRA + PackageColumns::new(model, None).wide() + marks;
    let wanted = u16::try_from(widest + extra).unwrap_or(u16::MAX);
    let usual = wanted.clamp(area.width / 5, area.width * 2 / 5).max(16);
    let first = model.frame.splits.before(Splitter::Packages, usual, area.width);
    let right = Rect { x: area.x + first + 1, width: area.width - first - 1, ..lists };
    let second = model.frame.splits.before(Splitter::Channels, (area.width / 4).clamp(16, 32), right.width);
    let columns = [
        Rect { width: first, ..lists },
        Rect { width: second, ..right },
        Rect { x: right.x + second + 1, width: right.width.saturating_sub(second + 1), ..lists },
    ];
    packages(model, canvas, columns[0]);
    canvas.split_upright(lists, Splitter::Packages, columns[0].right());
    channels(model, canvas, columns[1]);
    canvas.split_upright(right, Splitter::Channels, columns[1].right());
    entries(model, canvas, columns[2]);
    details::draw(model, canvas, below);
}

/// Returns the columns of the change marks.
fn marks_width(model: &Model) -> u16 {
    if model.session.marked().is_some() { 2 } else { 0 }
}

fn one_pane(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    match model.session.pane {
        Pane::Packages => packages(model, canvas, area),
        Pane::Channels => channels(model, canvas, area),
        Pane::Entries if area.height >= 9 => {
            let below = 3;
            entries(model, canvas, Rect { height: area.height - below - 1, ..area });
            canvas.rule(Rect { y: area.bottom() - below - 1, height: 1, ..area });
            details::draw(model, canvas, Rect { y: area.bottom() - below, height: below, ..area });
        }
        Pane::Entries => entries(model, canvas, area),
        Pane::Details => details::draw(model, canvas, area),
    }
}

fn packages(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let names = model.screens.catalog.packages();
    let all = model.session.snapshot().map_or(0, |s| s.packages().len());
    let removed = model.session.marked().into_iter().flat_map(|marked| marked.removed());
    let shown = names.len() - removed.filter(|name| names.place(name).is_some()).count();
    let gone = model.session.marked().map_or(0, |marked| marked.gone_packages());
    let gone = if gone > 0 { format!(" (-{gone})") } else { String::new() };
    let title = format!("Packages {}{gone}", count(shown, all));
    let marks = usize::from(marks_width(model) + on_cluster::mark_width(model));
    let columns = PackageColumns::new(model, Some(usize::from(area.width).saturating_sub(marks)));
    let inner = list_heading(
        model,
        canvas,
        area,
        ListId::Packages,
        &title,
        &order_of(model, ListId::Packages, &columns.title()),
    );
    if names.is_empty() {
        let words = "This catalog has no packages: no olm.package, and no olm.channel or olm.bundle with \
         a package.";
        return nothing(model, canvas, inner, ListId::Packages, words);
    }
    let ascii = canvas.ascii;
    let room = usize::from(inner.width).saturating_sub(PACKAGE_EXTRA + columns.wide() + marks);
    let unread = model.session.unread();
    let filter = model.session.lists.filter(ListId::Packages);
    canvas.list(inner, &list_view(model, ListId::Packages), |row| {
        let Some(name) = names.get(row) else { return Vec::new() };
        let judged = model.session.snapshot().and_then(|s| s.package(name.as_str()));
        if judged.is_none() {
            return gone_row(
                model,
                name.as_str(),
                room + 1 + columns.wide() + usize::from(on_cluster::mark_width(model)),
                ascii,
            );
        }
        let count = judged.map_or(0, |j| j.package().bundles.len());
        let label = if name.as_str().is_empty() { "(no package)" } else { name.as_str() };
        if unread.is_some_and(|unread| unread.packages.contains(name)) {
            let waits = format!(" {:>1$}  ", if ascii { "..." } else { "…" }, columns.wide().max(4) - 1);
            let mark = on_cluster::mark(model, name).into_iter();
            let label = piece(pad(label, room, ascii), Role::Dim);
            return mark.chain([label, piece(waits, Role::Dim)]).collect();
        }
        let deprecated =
            judged.is_some_and(|j| j.package().deprecation(&DeprecationTarget::Package).is_some());
        let role = if deprecated { Role::Deprecated } else { Role::Text };
        let mut pieces: Pieces = what_if::fate(model, model.session.package_fate(name)).into_iter().collect();
        pieces.extend(on_cluster::mark(model, name));
        pieces.extend(lit(&pad(label, room, ascii), role, filter));
        if columns.versions > 0 {
            // A blank separates the number from the flag.
            let count = if deprecated { format!("{count:>3} ") } else { format!(" {count:>3}") };
            pieces.push(piece(count, Role::Dim));
        }
        pieces.push(piece(if deprecated { "D" } else { " " }, Role::Deprecated));
        if columns.stuck > 0 {
            let stuck = model.session.brief_stuck(name).unwrap_or_default();
            let role = if stuck == "-" { Role::Dim } else { Role::Warning };
            pieces.push(piece(format!("{stuck:>0$}", columns.stuck - 1), role));
            pieces.push(text(" "));
        }
        pieces.push(severity_mark(model.session.worst(name)));
        pieces
    });
}

/// Returns the row of a removed package or channel.
fn gone_row(model: &Model, name: &str, room: usize, ascii: bool) -> Pieces {
    let mut pieces: Pieces = what_if::fate(model, Some(Fate::Removed)).into_iter().collect();
    let word = "  gone";
    pieces.extend(struck(name, width(name).min(room.saturating_sub(word.len())), ascii));
    pieces.push(piece(word, Role::Removed));
    pieces
}

/// Formats the number of visible items, and of all if some are hidden.
fn count(shown: usize, all: usize) -> String {
    if shown < all { format!("{shown} of {all}") } else { all.to_string() }
}

fn channels(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let names = model.screens.catalog.channels();
    let all = model.session.package().map_or(0, |p| p.package().channels.len());
    let is_gone = |name: &ChannelName| model.session.channel_fate(name) == Some(Fate::Removed);
    let diff = model.session.marked().zip(model.session.selection().package.as_ref());
    let diff = diff.and_then(|(marked, name)| marked.package(name));
    let removed = diff.into_iter().flat_map(|diff| &diff.channels).filter(|c| c.fate == Fate::Removed);
    let gone = removed.filter(|channel| names.place(&channel.name).is_some()).count();
    let shown = names.len() - gone;
    let gone = if gone > 0 { format!(" (-{gone})") } else { String::new() };
    // Users cannot subscribe to channels that only bundles propose.
    let proposed = if model.session.catalog().is_some_and(|open| open.now().catalog.is_proposed()) {
        " proposed"
    } else {
        ""
    };
    let title = format!("Channels {}{gone}{proposed}", count(shown, all));
    let judged = model.session.package();
    let targets = judged.into_iter().flat_map(|j| &j.package().deprecations).flat_map(|blob| &blob.entries);
    let any_deprecated =
        targets.filter_map(|d| d.target.as_ref()).any(|t| matches!(t, DeprecationTarget::Channel(_)));
    // The pane is narrow, so the column of marks exists only if there are any.
    let marks = usize::from(marks_width(model));
    let stuck = |name: &ChannelName| model.session.brief_stuck_in(name).unwrap_or_default();
    let stuck_width = names.iter().map(|name| width(&stuck(name))).max().unwrap_or_default();
    // A column of dashes has no information.
    let has_stuck = names.iter().any(|name| !matches!(stuck(name).as_str(), "" | "-"));
    let stuck_width = if has_stuck { stuck_width.max("stuck".len()) + 1 } else { 0 };
    // The rest is for the cursor, the mark of the default channel, and blanks.
    let room = usize::from(area.width).saturating_sub(5 + usize::from(any_deprecated) + marks + stuck_width);
    let head_beside = |name: &ChannelName| {
        let head = judged.map(|judged| head_words(judged, name)).unwrap_or_default();
        let columns = head_room(room, width(name.as_str()), width(&head));
        (head, columns)
    };
    // The column title is omitted if no visible row has room for its head.
    let view = list_view(model, ListId::Channels);
    let shown = view.first..view.first + usize::from(area.height);
    let has_heads = shown.filter_map(|row| names.get(row)).any(|name| head_beside(name).1 > 0);
    let usual = if has_heads || names.is_empty() { "head " } else { "" };
    let usual = if has_stuck { format!("{usual}{:>stuck_width$} ", "stuck") } else { usual.to_owned() };
    let right = order_of(model, ListId::Channels, &usual);
    let inner = list_heading(model, canvas, area, ListId::Channels, &title, &right);
    if names.is_empty() {
        if model.session.package_is_unread() {
            return empty(canvas, inner, UNREAD);
        }
        let words = without_channel(model, "Channels of the selected package.");
        return nothing(model, canvas, inner, ListId::Channels, &words);
    }
    let ascii = canvas.ascii;
    let Some(judged) = judged else { return };
    let default = judged.package().default_channel();
    let filter = model.session.lists.filter(ListId::Channels);
    canvas.list(inner, &view, |row| {
        let Some(name) = names.get(row) else { return Vec::new() };
        if is_gone(name) {
            return gone_row(model, name.as_str(), room + 3 + stuck_width, ascii);
        }
        let (head, head_room) = head_beside(name);
        let deprecated = judged.package().channel_deprecation(name).is_some();
        let broken = judged.graph.channel(name.as_str()).is_some_and(|c| c.chain.is_err());
        let mark = if default == Some(name) { "* " } else { "  " };
        let mut pieces: Pieces = what_if::fate(model, model.session.channel_fate(name)).into_iter().collect();
        pieces.push(piece(mark, Role::Good));
        let role = if deprecated { Role::Deprecated } else { Role::Text };
        pieces.extend(lit(&pad(name.as_str(), room - head_room, ascii), role, filter));
        pieces.extend([piece(
            format!(" {}", pad(&head, head_room, ascii)),
            if broken { Role::Error } else { Role::Dim },
        )]);
        if has_stuck {
            let stuck = stuck(name);
            let role = if stuck == "-" { Role::Dim } else { Role::Warning };
            pieces.push(piece(format!("{stuck:>stuck_width$}"), role));
        }
        pieces.push(piece(if deprecated { "D" } else { "" }, Role::Deprecated));
        pieces
    });
}

/// Returns the head of a channel, or the reason why there is none.
fn head_words(judged: &Judged, name: &ChannelName) -> String {
    let Some(upgrades) = judged.graph.channel(name.as_str()) else { return String::new() };
    match upgrades.graph.heads().len() {
        1 => {
            let head = upgrades.graph.head().and_then(|head| upgrades.graph.node(head));
            head.map(|node| short(judged.package(), &node.name)).unwrap_or_default()
        }
        0 if upgrades.graph.entries().next().is_none() => "empty".to_owned(),
        heads => plural(heads, "head"),
    }
}

/// Returns the columns of the head next to the channel name. A cut version is worth less than a
/// whole name.
fn head_room(room: usize, name: usize, head: usize) -> usize {
    let left = head.min(room.saturating_sub(name)).min(16);
    if left < head.min(5) { 0 } else { left }
}

fn entries(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let names = model.screens.catalog.entries();
    let all_gone = &model.session.answers.marks().gone;
    let gone = if all_gone.is_empty() {
        0
    } else {
        all_gone.iter().filter(|gone| names.place(&gone.name).is_some()).count()
    };
    let shown = names.len() - gone;
    let gone = if gone > 0 { format!(" (-{gone})") } else { String::new() };
    let title = format!("Entries {shown}{gone}");
    let inner = list_heading(
        model,
        canvas,
        area,
        ListId::Entries,
        &title,
        &order_of(model, ListId::Entries, "newest first "),
    );
    let selection = model.session.selection();
    let upgrades = model.session.package().zip(selection.channel.as_ref());
    let Some((judged, graph)) = upgrades.and_then(|(j, c)| Some((j, &j.graph.channel(c.as_str())?.graph)))
    else {
        return empty(canvas, inner, &without_channel(model, "Entries of the selected channel."));
    };
    if names.is_empty() {
        let words = format!(
            "This channel has no entries: opm rejects it. {} adds one, {} removes the channel.",
            model.key(ActionId::AddEntry),
            model.key(ActionId::Remove)
        );
        return nothing(model, canvas, inner, ListId::Entries, &words);
    }
    let ascii = canvas.ascii;
    let column = names.widest().min(26);
    canvas.list(inner, &list_view(model, ListId::Entries), |row| {
        names.get(row).map(|name| entry(model, judged, graph, name, column, ascii)).unwrap_or_default()
    });
}

/// Returns the row of an entry: its mark, version and edges.
fn entry(
    model: &Model,
    judged: &Judged,
    graph: &ChannelGraph,
    name: &BundleName,
    column: usize,
    ascii: bool,
) -> Pieces {
    let state = model.session.stuck_of(judged).map(|stuck| stuck.state_of(name)).unwrap_or_default();
    let package = judged.package();
    let at = graph.find(name.as_str());
    if let Some(gone) = model.session.answers.marks().gone(name) {
        let mut pieces: Pieces = what_if::fate(model, Some(Fate::Removed)).into_iter().collect();
        pieces.push(text("      "));
        pieces.extend(struck(&gone.label, column, ascii));
        pieces.push(text("  "));
        pieces.extend(what_if::gone(model, gone));
        return pieces;
    }
    let skipped = at.is_some_and(|at| graph.is_skipped(at));
    let head = at.is_some_and(|at| graph.heads().contains(&at));
    let deprecated = package.bundle_deprecation(name).is_some();
    let missing = package.bundle(name.as_str()).is_none();
    let (mark, role) = match (head, state.is_stuck(), skipped, deprecated) {
        (true, false, ..) => (" HEAD", Role::Good),
        (true, true, ..) => (" HEAD", Role::Warning),
        (_, true, ..) => ("stuck", Role::Warning),
        (_, _, true, _) => (" skip", Role::Skipped),
        (_, _, _, true) => (" depr", Role::Deprecated),
        _ => ("     ", Role::Dim),
    };

    let label = if missing { name.to_string() } else { short(package, name) };
    let mut pieces: Pieces = what_if::fate(model, model.session.entry_fate(name)).into_iter().collect();
    pieces.extend([piece(mark, role), text(" ")]);
    let words = if skipped { Role::Skipped } else { Role::Text };
    pieces.extend(lit(&pad(&label, column, ascii), words, model.session.lists.filter(ListId::Entries)));
    pieces.extend(on_cluster::installed(model, name).into_iter().flat_map(|words| [text("  "), words]));
    let was = what_if::was(model, name, ascii);
    let changed = was.is_some();
    pieces.extend(was.into_iter().flat_map(|was| [text("  "), was]));
    if missing {
        pieces.push(piece(" no bundle", Role::Error));
    }
    if deprecated && mark != " depr" {
        pieces.push(piece(" D", Role::Deprecated));
    }
    if head && state.is_stuck() {
        pieces.push(piece("  stuck", Role::Warning));
    }
    let Some(entry) = graph.entry_named(name.as_str()) else { return pieces };
    let bare = pieces.len();
    if let Some(replaces) = &entry.replaces {
        let dangling = graph.entry_named(replaces.value.as_str()).is_none();
        pieces.push(piece(if dangling { "  replaces? " } else { "  replaces " }, Role::Dim));
        pieces.push(piece(short(package, &replaces.value), Role::Replaces));
    }
    if let Some(first) = entry.skips.first() {
        pieces.push(piece("  skips ", Role::Dim));
        pieces.push(piece(short(package, &first.value), Role::Skips));
        if entry.skips.len() > 1 {
            pieces.push(piece(format!(" +{}", entry.skips.len() - 1), Role::Skips));
        }
    }
    if let Some(range) = &entry.skip_range {
        pieces.push(piece("  range ", Role::Dim));
        let role = if range.range.is_ok() { Role::Range } else { Role::Error };
        pieces.push(piece(range.text.value.clone(), role));
    }
    if let Some(unknown) = entry.unknown.first() {
        pieces.push(piece(format!("  unknown key {}", unknown.value), Role::Warning));
    }
    if pieces.len() == bare && !changed {
        // Only the last entry of the Classic walk from the head is the first of the channel.
        let is_replaced = |at| graph.successors(at, EdgeKind::Replaces).any(|by| by != at);
        let is_first = at.is_some_and(|at| graph.head() == Some(at) || is_replaced(at));
        let words = if is_first { "  first of the channel" } else { "  no edges" };
        pieces.push(piece(words, Role::Dim));
    }
    pieces
}
