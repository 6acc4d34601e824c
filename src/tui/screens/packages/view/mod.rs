//! Packages screen: packages, channels, entries, and details of the selection.

mod columns;
mod details;
mod table;

use ratatui::layout::Rect;

use crate::tui::{
    keys::ActionId,
    parts::{frame::Splitter, list::ListId},
    screens::{
        packages::{
            Packages,
            table::PackageTable,
            view::columns::{PACKAGE_EXTRA_COLUMNS, PackageColumns, stuck_cells},
        },
        screen::ScreenView,
    },
    session::navigation::Pane,
    widgets::{
        canvas::{
            Canvas, Line, display_width, fit, highlight_filter, pad, pad_middle, piece, text_piece, wrap_text,
        },
        installed_operators,
        lists::{
            UNREAD, bundle_short_name, draw_empty_list, draw_list_heading, draw_no_rows,
            explain_missing_channel, order_label, severity_mark, struck_name,
        },
        text::format_count,
        theme::Ink,
        what_if,
    },
};
use olm_catalog::{BundleName, ChannelName, blob::DeprecationTarget};
use olm_check::{
    Severity,
    review::{PackageState, diff::ChangeKind},
};
use olm_upgrade::{ChannelGraph, EdgeKind};

/// The screen and its context.
pub(super) type View<'a> = ScreenView<'a, Packages>;

/// Draws the screen.
pub fn draw_packages_screen(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect) {
    if PackageTable::is_shown(view.session) {
        return table::draw_package_table(view, canvas, area);
    }
    if has_no_packages(view) {
        return draw_no_packages(view, canvas, area);
    }
    // Terminals too narrow for three columns or too low for details show only the focused pane.
    if area.width < 60 || area.height < 11 {
        return draw_focused_pane(view, canvas, area);
    }
    let side_pane = view.split_side_pane(canvas, area, Splitter::DetailsSide);
    let (lists, explanation) = side_pane.unwrap_or_else(|| {
        let usual = area.height - 1 - details_height(view, canvas, area);
        let above = view.frame.splits.size_before(Splitter::Details, usual, area.height);
        canvas.draw_splitter(area, Splitter::Details, above)
    });
    let area = Rect { width: lists.width, ..area };
    let widest = view.state.package_names().max_width();
    let marks = usize::from(change_mark_columns(view) + installed_operators::mark_width(view));
    let extra = PACKAGE_EXTRA_COLUMNS + PackageColumns::new(view, None).total_width() + marks;
    let wanted = u16::try_from(widest + extra).unwrap_or(u16::MAX);
    let usual = wanted.clamp(area.width / 5, area.width * 2 / 5).max(16);
    let first = view.frame.splits.size_before(Splitter::Packages, usual, area.width);
    let right = Rect { x: area.x + first + 1, width: area.width - first - 1, ..lists };
    // The head and the stuck versions of every channel are visible if there is room for them.
    let wanted = u16::try_from(channel_columns(view)).unwrap_or(u16::MAX);
    let usual = (area.width * 3 / 10).clamp(16, 32).max(wanted.min(right.width / 2));
    let second = view.frame.splits.size_before(Splitter::Channels, usual, right.width);
    let columns = [
        Rect { width: first, ..lists },
        Rect { width: second, ..right },
        Rect { x: right.x + second + 1, width: right.width.saturating_sub(second + 1), ..lists },
    ];
    draw_packages(view, canvas, columns[0]);
    canvas.draw_vertical_splitter(lists, Splitter::Packages, columns[0].right());
    canvas.draw_vertical_splitter(right, Splitter::Channels, columns[1].right());
    // What the panes to the right would show is not in a list whose filter hides all rows.
    if view.hides_all_rows(ListId::Packages) {
        return;
    }
    draw_channels(view, canvas, columns[1]);
    if view.hides_all_rows(ListId::Channels) {
        return;
    }
    draw_entries(view, canvas, columns[2]);
    if !view.hides_all_rows(ListId::Entries) {
        details::draw_details(view, canvas, explanation);
    }
}

/// Returns the usual height of the details below the lists. If a list is cut, the details take no
/// more than their lines. If the lists leave rows empty, the details take these if they need them.
fn details_height(view: &View<'_>, canvas: &Canvas<'_>, area: Rect) -> u16 {
    const MIN_HEIGHT: u16 = 4;
    let usual = (area.height * 2 / 5).clamp(6, 18);
    let state = view.state;
    let rows = [state.package_names().len(), state.channel_names().len(), state.entry_names().len()];
    let rows = u16::try_from(rows.into_iter().max().unwrap_or_default() + 2).unwrap_or(u16::MAX);
    let lines = details::count_lines(view, details::text_columns(area.width), canvas.ascii);
    let lines = u16::try_from(lines).unwrap_or(u16::MAX);
    match area.height.saturating_sub(rows).saturating_sub(1) {
        free if free >= usual => lines.clamp(usual, free),
        _ => lines.clamp(MIN_HEIGHT, usual),
    }
}

/// Returns true if the catalog was read completely and has no packages, now and before the edits.
fn has_no_packages(view: &View<'_>) -> bool {
    let is_empty = view.session.snapshot().is_some_and(|now| now.packages().len() == 0);
    is_empty && view.session.catalogs.unread().is_none() && view.state.package_names().is_empty()
}

/// Draws one page that says why there is nothing to show, and three keys that help.
fn draw_no_packages(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect) {
    let errors = view.session.open_finding_count(Severity::Error);
    let files = view.session.snapshot().map_or(0, |now| now.catalog.files().len());
    let reason = match files {
        0 => "It has no YAML or JSON files.".to_owned(),
        files => {
            let readable = if errors > 0 { ", with errors: what could be read has" } else { ":" };
            format!(
                "{} read{readable} no olm.package, and no olm.channel or olm.bundle with a package.",
                format_count(files, "file")
            )
        }
    };
    let heading = if errors > 0 { "No packages could be read." } else { "This catalog has no packages." };
    let mut lines = vec![format!("{heading} {reason}"), String::new()];
    let first =
        view.session.snapshot().and_then(|now| now.findings().find(|one| one.severity() == Severity::Error));
    if let Some(finding) = first {
        let place = finding.at.as_ref().zip(view.session.snapshot());
        let place = place.and_then(|(at, now)| at.resolve_in_catalog(&now.catalog));
        let place = place.map(|place| format!("{place}: ")).unwrap_or_default();
        lines.push(format!("{place}error[{}]: {}", finding.rule.id, finding.message));
        lines.push(String::new());
    }
    let key = |id| view.key_label(id);
    if errors > 0 {
        lines.push(format!("{}  show {}", key(ActionId::ShowProblems), format_count(errors, "error")));
    }
    lines.push(format!("{}  open another catalog", key(ActionId::OpenCatalog)));
    if view.settings.read_only.is_none() {
        lines.push(format!("{}  add a bundle in a new package", key(ActionId::Release)));
    }
    lines.push(format!("{}  quit", key(ActionId::BackOrQuit)));
    let inner = draw_list_heading(view, canvas, area, ListId::Packages, "Packages 0", &[]);
    let room = usize::from(inner.width.saturating_sub(2));
    let wrapped = lines
        .iter()
        .flat_map(|line| if line.is_empty() { vec![String::new()] } else { wrap_text(line, room) });
    for (y, line) in (inner.top()..inner.bottom()).zip(wrapped) {
        canvas.draw_text(inner.x + 1, y, inner.width.saturating_sub(1), &line, Ink::Text);
    }
}

/// Returns the columns of the change marks.
fn change_mark_columns(view: &View<'_>) -> u16 {
    if view.session.mark_comparison().is_some() { 2 } else { 0 }
}

fn draw_focused_pane(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect) {
    match view.session.navigation.pane {
        Pane::Packages => draw_packages(view, canvas, area),
        Pane::Channels => draw_channels(view, canvas, area),
        Pane::Entries if area.height >= 9 => {
            let below = 3;
            draw_entries(view, canvas, Rect { height: area.height - below - 1, ..area });
            canvas.draw_rule(Rect { y: area.bottom() - below - 1, height: 1, ..area });
            details::draw_details(view, canvas, Rect { y: area.bottom() - below, height: below, ..area });
        }
        Pane::Entries => draw_entries(view, canvas, area),
        Pane::Details => details::draw_details(view, canvas, area),
    }
}

fn draw_packages(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect) {
    let names = view.state.package_names();
    let all = view.session.snapshot().map_or(0, |s| s.packages().len());
    let removed = view.session.mark_comparison().into_iter().flat_map(|marked| marked.removed_packages());
    let shown = names.len() - removed.filter(|name| names.index_of(name).is_some()).count();
    let gone = view.session.mark_comparison().map_or(0, |marked| marked.removed_package_count());
    let gone = if gone > 0 { format!(" (-{gone})") } else { String::new() };
    let title = format!("Packages {}{gone}", format_filtered_count(shown, all));
    let marks = usize::from(change_mark_columns(view) + installed_operators::mark_width(view));
    let mut columns = PackageColumns::new(view, Some(usize::from(area.width).saturating_sub(marks)));
    let filter = view.session.lists.filter(ListId::Packages);
    let filter_columns = if filter.is_empty() { 0 } else { display_width(filter) + 3 };
    let room = usize::from(area.width).saturating_sub(display_width(&title) + filter_columns + 2);
    let right = order_label(view, ListId::Packages, &columns.fit_title(room));
    let inner = draw_list_heading(view, canvas, area, ListId::Packages, &title, &right);
    if names.is_empty() {
        let words = "This catalog has no packages: no olm.package, and no olm.channel or olm.bundle with \
         a package.";
        return draw_no_rows(view, canvas, inner, ListId::Packages, words);
    }
    let ascii = canvas.ascii;
    let room = usize::from(inner.width).saturating_sub(PACKAGE_EXTRA_COLUMNS + columns.total_width() + marks);
    let unread = view.session.catalogs.unread();
    canvas.draw_list(inner, &view.list_view(canvas, ListId::Packages), |row| {
        let Some(name) = names.get(row) else { return Vec::new() };
        let package_state = view.session.snapshot().and_then(|s| s.package(name.as_str()));
        if package_state.is_none() {
            let before = view.session.catalogs.mark_base().and_then(|base| base.package(name.as_str()));
            let versions = before.map_or(0, |package_state| package_state.package().bundles.len());
            return removed_row(
                view,
                (name.as_str(), versions),
                room + 1 + columns.total_width() + usize::from(installed_operators::mark_width(view)),
                ascii,
            );
        }
        let count = package_state.map_or(0, |j| j.package().bundles.len());
        let label = if name.as_str().is_empty() { "(no package)" } else { name.as_str() };
        if unread.is_some_and(|unread| unread.packages.contains(name)) {
            let waits =
                format!(" {:>1$}  ", if ascii { "..." } else { "…" }, columns.total_width().max(4) - 1);
            let mark = installed_operators::installed_mark(view, name).into_iter();
            let label = piece(pad(label, room, ascii), Ink::Dim);
            return mark.chain([label, piece(waits, Ink::Dim)]).collect();
        }
        let deprecated =
            package_state.is_some_and(|j| j.package().deprecation(&DeprecationTarget::Package).is_some());
        let ink = if deprecated { Ink::Deprecated } else { Ink::Text };
        let mut pieces: Line =
            what_if::change_mark(view, view.session.package_change(name)).into_iter().collect();
        pieces.extend(installed_operators::installed_mark(view, name));
        pieces.extend(highlight_filter(&pad(label, room, ascii), ink, filter));
        if columns.versions > 0 {
            // A blank separates the number from the flag.
            let count = if deprecated { format!("{count:>3} ") } else { format!(" {count:>3}") };
            pieces.push(piece(count, Ink::Dim));
        }
        pieces.push(piece(if deprecated { "D" } else { " " }, Ink::Deprecated));
        if columns.stuck > 0 {
            pieces.extend(stuck_cells(view, name, columns.numbers));
            pieces.push(text_piece(" "));
        }
        let error = view.state.is_incomplete(name).then_some(Severity::Error);
        pieces.push(severity_mark(error.or_else(|| view.session.worst_open_severity(name))));
        pieces
    });
}

/// Returns the row of a removed package with its number of versions, or of a removed channel (0).
fn removed_row(view: &View<'_>, (name, versions): (&str, usize), room: usize, ascii: bool) -> Line {
    let mut pieces: Line = what_if::change_mark(view, Some(ChangeKind::Removed)).into_iter().collect();
    let short = "  gone".to_owned();
    let long = format!("{short}: {}", format_count(versions, "version"));
    let fits = display_width(name) + long.len() <= room;
    let word = if versions > 0 && fits { long } else { short };
    pieces.extend(struck_name(name, display_width(name).min(room.saturating_sub(word.len())), ascii));
    pieces.push(piece(word, Ink::Removed));
    pieces
}

/// Formats the number of visible items, and of all if some are hidden.
fn format_filtered_count(shown: usize, all: usize) -> String {
    if shown < all { format!("{shown} of {all}") } else { all.to_string() }
}

fn draw_channels(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect) {
    let names = view.state.channel_names();
    let all = view.session.selected_package().map_or(0, |p| p.package().channels.len());
    let is_gone = |name: &ChannelName| view.session.channel_change(name) == Some(ChangeKind::Removed);
    let diff = view.session.mark_comparison().zip(view.session.selection().package.as_ref());
    let diff = diff.and_then(|(marked, name)| marked.changed_package(name));
    let removed =
        diff.into_iter().flat_map(|diff| &diff.channels).filter(|c| c.change_kind == ChangeKind::Removed);
    let gone = removed.filter(|channel| names.index_of(&channel.name).is_some()).count();
    let shown = names.len() - gone;
    let gone = if gone > 0 { format!(" (-{gone})") } else { String::new() };
    // Users cannot subscribe to channels that only bundles propose.
    let proposed = if view
        .session
        .current_catalog()
        .is_some_and(|open| open.visible_state().catalog.is_rendered_from_bundles())
    {
        " proposed"
    } else {
        ""
    };
    let title = format!("Channels {}{gone}{proposed}", format_filtered_count(shown, all));
    let package_state = view.session.selected_package();
    let targets =
        package_state.into_iter().flat_map(|j| &j.package().deprecations).flat_map(|blob| &blob.entries);
    let any_deprecated =
        targets.filter_map(|d| d.target.as_ref()).any(|t| matches!(t, DeprecationTarget::Channel(_)));
    // The pane is narrow, so the column of marks exists only if there are any.
    let marks = usize::from(change_mark_columns(view));
    // A column of dashes has no information.
    let has_stuck = names.iter().any(|name| !matches!(brief_stuck(view, name, false).as_str(), "" | "-"));
    // The rest is for the cursor, the mark of the default channel, and blanks.
    let without_stuck = usize::from(area.width).saturating_sub(5 + 2 * usize::from(any_deprecated) + marks);
    let widest = |text: &dyn Fn(&ChannelName) -> usize| names.iter().map(text).max().unwrap_or_default();
    let widest_name = widest(&|name| display_width(name.as_str()));
    // The numbers get shorter before a name is cut.
    let is_short = widest_name + stuck_columns(view, names.iter(), false) > without_stuck;
    let stuck_width = if has_stuck { stuck_columns(view, names.iter(), is_short) } else { 0 };
    let room = without_stuck.saturating_sub(stuck_width);
    let describe = |name: &ChannelName| {
        package_state.map(|package_state| describe_head(package_state, name)).unwrap_or_default()
    };
    // The heads are a column: all channels have room for theirs, or none has.
    let head_room = head_columns(room, widest_name, widest(&|name| display_width(&describe(name))));
    let has_heads = head_room > 0;
    let usual = if has_heads || names.is_empty() { "head " } else { "" };
    let usual = if has_stuck { format!("{usual}{:>stuck_width$} ", "stuck") } else { usual.to_owned() };
    let right = order_label(view, ListId::Channels, &usual);
    let inner = draw_list_heading(view, canvas, area, ListId::Channels, &title, &right);
    if names.is_empty() {
        if view.session.catalogs.package_is_unread() {
            return draw_empty_list(canvas, inner, UNREAD);
        }
        let words = explain_missing_channel(view);
        return draw_no_rows(view, canvas, inner, ListId::Channels, &words);
    }
    let ascii = canvas.ascii;
    let Some(package_state) = package_state else { return };
    let default = package_state.package().default_channel();
    let filter = view.session.lists.filter(ListId::Channels);
    canvas.draw_list(inner, &view.list_view(canvas, ListId::Channels), |row| {
        let Some(name) = names.get(row) else { return Vec::new() };
        if is_gone(name) {
            return removed_row(view, (name.as_str(), 0), room + 3 + stuck_width, ascii);
        }
        let head = describe(name);
        let deprecated = package_state.package().channel_deprecation(name).is_some();
        let broken = package_state.graph.channel(name.as_str()).is_some_and(|c| c.chain.is_err());
        let mark = if default == Some(name) { "* " } else { "  " };
        let mut pieces: Line =
            what_if::change_mark(view, view.session.channel_change(name)).into_iter().collect();
        pieces.push(piece(mark, Ink::Good));
        let ink = if deprecated { Ink::Deprecated } else { Ink::Text };
        pieces.extend(highlight_filter(&pad_middle(name.as_str(), room - head_room, ascii), ink, filter));
        pieces.extend([piece(
            format!(" {:>head_room$}", fit(&head, head_room, ascii)),
            if broken { Ink::Error } else { Ink::Dim },
        )]);
        if has_stuck {
            let stuck = brief_stuck(view, name, is_short);
            let ink = if stuck == "-" { Ink::Dim } else { Ink::Warning };
            pieces.push(piece(format!("{stuck:>stuck_width$}"), ink));
        }
        pieces.push(piece(if deprecated { " D" } else { "" }, Ink::Deprecated));
        pieces
    });
}

/// Returns the head of a channel, or the reason why there is none.
fn describe_head(package_state: &PackageState, name: &ChannelName) -> String {
    let Some(upgrades) = package_state.graph.channel(name.as_str()) else { return String::new() };
    match upgrades.graph.head_nodes().len() {
        1 => {
            let head = upgrades.graph.head();
            head.map(|node| bundle_short_name(package_state.package(), &node.name)).unwrap_or_default()
        }
        0 if upgrades.graph.entry_nodes().next().is_none() => "empty".to_owned(),
        heads => format_count(heads, "head"),
    }
}

/// Maximum columns of the head of a channel.
const MAX_HEAD_COLUMNS: usize = 16;

/// Returns the columns that the first channels of the package need.
fn channel_columns(view: &View<'_>) -> usize {
    /// Cursor, mark of the default channel, blanks and scroll bar.
    const EXTRA_COLUMNS: usize = 8;
    /// Maximum number of channels that are measured for each frame.
    const MAX_MEASURED: usize = 100;
    let Some(package_state) = view.session.selected_package() else { return 0 };
    let names = || view.state.channel_names().iter().take(MAX_MEASURED);
    let head = |name: &ChannelName| display_width(&describe_head(package_state, name)).min(MAX_HEAD_COLUMNS);
    let names_and_heads = names().map(|name| (display_width(name.as_str()), head(name)));
    let (name, head) = names_and_heads.fold((0, 0), |(a, b), (name, head)| (a.max(name), b.max(head)));
    name + head + EXTRA_COLUMNS + stuck_columns(view, names(), false)
}

fn brief_stuck(view: &View<'_>, channel: &ChannelName, is_short: bool) -> String {
    view.session.catalogs.brief_stuck_in(channel, is_short).unwrap_or_default()
}

/// Returns the columns of the numbers of stuck versions of channels.
fn stuck_columns<'a>(
    view: &View<'_>,
    channels: impl Iterator<Item = &'a ChannelName>,
    is_short: bool,
) -> usize {
    let widths = channels.map(|name| display_width(&brief_stuck(view, name, is_short)));
    widths.max().unwrap_or_default().max("stuck".len()) + 1
}

/// Returns the columns of the heads next to the names of channels. 0 if there is no room for them.
fn head_columns(room: usize, widest_name: usize, widest_head: usize) -> usize {
    /// Minimum columns of a name that is cut.
    const MIN_NAME_COLUMNS: usize = 11;
    let head = widest_head.min(MAX_HEAD_COLUMNS);
    let name = widest_name.min(room.saturating_sub(head).max(MIN_NAME_COLUMNS));
    let left = head.min(room.saturating_sub(name));
    // A version that is cut too much says nothing.
    if left < head.min(5) { 0 } else { left }
}

fn draw_entries(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect) {
    let names = view.state.entry_names();
    let all_gone = &view.session.derived.marks().removed;
    let gone = if all_gone.is_empty() {
        0
    } else {
        all_gone.iter().filter(|gone| names.index_of(&gone.name).is_some()).count()
    };
    let shown = names.len() - gone;
    let gone = if gone > 0 { format!(" (-{gone})") } else { String::new() };
    let title = format!("Entries {shown}{gone}");
    let inner = draw_list_heading(
        view,
        canvas,
        area,
        ListId::Entries,
        &title,
        &order_label(view, ListId::Entries, "newest first "),
    );
    let selection = view.session.selection();
    let upgrades = view.session.selected_package().zip(selection.channel.as_ref());
    let Some((package_state, graph)) =
        upgrades.and_then(|(j, c)| Some((j, &j.graph.channel(c.as_str())?.graph)))
    else {
        return draw_empty_list(canvas, inner, &explain_missing_channel(view));
    };
    if names.is_empty() {
        let words = format!(
            "This channel has no entries: opm rejects it. {} adds one, {} removes the channel.",
            view.key_label(ActionId::AddEntry),
            view.key_label(ActionId::Remove)
        );
        return draw_no_rows(view, canvas, inner, ListId::Entries, &words);
    }
    let ascii = canvas.ascii;
    let column = names.max_width().min(26);
    canvas.draw_list(inner, &view.list_view(canvas, ListId::Entries), |row| {
        names
            .get(row)
            .map(|name| entry_row(view, package_state, graph, name, column, ascii))
            .unwrap_or_default()
    });
}

/// Returns the row of an entry: its mark, version and edges.
fn entry_row(
    view: &View<'_>,
    package_state: &PackageState,
    graph: &ChannelGraph,
    name: &BundleName,
    column: usize,
    ascii: bool,
) -> Line {
    let state =
        view.session.catalogs.stuck_of(package_state).map(|stuck| stuck.state_of(name)).unwrap_or_default();
    let package = package_state.package();
    let at = graph.find_node(name.as_str());
    if let Some(gone) = view.session.derived.marks().removed_entry(name) {
        let mut pieces: Line = what_if::change_mark(view, Some(ChangeKind::Removed)).into_iter().collect();
        pieces.push(text_piece("      "));
        pieces.extend(struck_name(&gone.label, column, ascii));
        pieces.push(text_piece("  "));
        pieces.extend(what_if::removed_pieces(view, gone));
        return pieces;
    }
    let skipped = at.is_some_and(|at| graph.is_skipped(at));
    let head = at.is_some_and(|at| graph.head_nodes().contains(&at));
    let deprecated = package.bundle_deprecation(name).is_some();
    let missing = package.bundle(name.as_str()).is_none();
    let (mark, ink) = match (head, state.is_stuck(), skipped, deprecated) {
        (true, false, ..) => (" HEAD", Ink::Good),
        (true, true, ..) => (" HEAD", Ink::Warning),
        (_, true, ..) => ("stuck", Ink::Warning),
        (_, _, true, _) => (" skip", Ink::Skipped),
        (_, _, _, true) => (" depr", Ink::Deprecated),
        _ => ("     ", Ink::Dim),
    };

    let label = if missing { name.to_string() } else { bundle_short_name(package, name) };
    let mut pieces: Line =
        what_if::change_mark(view, view.session.derived.entry_change(name)).into_iter().collect();
    pieces.extend([piece(mark, ink), text_piece(" ")]);
    let words = if skipped { Ink::Skipped } else { Ink::Text };
    pieces.extend(highlight_filter(
        &pad(&label, column, ascii),
        words,
        view.session.lists.filter(ListId::Entries),
    ));
    pieces.extend(
        installed_operators::installed_piece(view, name)
            .into_iter()
            .flat_map(|words| [text_piece("  "), words]),
    );
    let was = what_if::previous_upgrade(view, name, ascii);
    let changed = was.is_some();
    pieces.extend(was.into_iter().flat_map(|was| [text_piece("  "), was]));
    if missing {
        pieces.push(piece(" no bundle", Ink::Error));
    }
    if deprecated && mark != " depr" {
        pieces.push(piece(" D", Ink::Deprecated));
    }
    if head && state.is_stuck() {
        pieces.push(piece("  stuck", Ink::Warning));
    }
    let Some(entry) = graph.entry_named(name.as_str()) else { return pieces };
    let bare = pieces.len();
    if let Some(replaces) = &entry.replaces {
        let dangling = graph.entry_named(replaces.value.as_str()).is_none();
        pieces.push(piece("  replaces ", Ink::Dim));
        pieces.push(piece(bundle_short_name(package, &replaces.value), Ink::Replaces));
        if dangling {
            pieces.push(piece(" (not here)", Ink::Dim));
        }
    }
    if let Some(first) = entry.skips.first() {
        pieces.push(piece("  skips ", Ink::Dim));
        pieces.push(piece(bundle_short_name(package, &first.value), Ink::Skips));
        if entry.skips.len() > 1 {
            pieces.push(piece(format!(" +{}", entry.skips.len() - 1), Ink::Skips));
        }
    }
    if let Some(range) = &entry.skip_range {
        pieces.push(piece("  range ", Ink::Dim));
        let ink = if range.range.is_ok() { Ink::Range } else { Ink::Error };
        pieces.push(piece(range.text.value.clone(), ink));
    }
    if let Some(unknown) = entry.unknown.first() {
        pieces.push(piece(format!("  unknown key {}", unknown.value), Ink::Warning));
    }
    if pieces.len() == bare && !changed {
        // Only the last entry of the Classic walk from the head is the first of the channel.
        let is_replaced = |at| graph.successors(at, EdgeKind::Replaces).any(|by| by != at);
        let is_first = at.is_some_and(|at| graph.head_node() == Some(at) || is_replaced(at));
        let words = if is_first { "  first of the channel" } else { "  no edges" };
        pieces.push(piece(words, Ink::Dim));
    }
    pieces
}
