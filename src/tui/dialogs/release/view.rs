//! View of the dialog: the bundle, the rows, and the preview of each catalog.

use ratatui::layout::Rect;

use crate::tui::{
    dialogs::{
        dialog::dialog_list,
        release::{
            Confirmation, DIALOG, FIELDS, Focus, Release, ReleaseTask, ReleasedBundle, RowPlace,
            TargetCatalog,
            row_text::{RowColumns, find_catalog, find_package, short_name},
        },
    },
    keys::ActionId,
    session::context::ViewContext,
    widgets::{
        boxes::{
            centered, draw_field, draw_key_hints, draw_preview_body, edit_key_hints, format_name_columns,
            scale_dialog,
        },
        canvas::{Canvas, Line, piece, text_piece, wrapped_lines},
        preview::preview_state_lines,
        theme::Ink,
    },
};
use olm_catalog::{BundleName, package::Package};
use olm_check::review::stuck_changes::StuckCounts;
use olm_upgrade::{Engine, placement::WantedEdges};

/// Columns of the label before a field.
const LABEL_COLUMNS: u16 = 11;
/// Height of a box that has room for two lines about the bundle.
const TALL_BOX: u16 = 14;

/// Draws the dialog.
pub(super) fn draw_release(
    view_cx: &ViewContext<'_>,
    release: &Release,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let name = release.bundle.as_ref().map(|bundle| &bundle.name);
    let task = match release.targets.task {
        ReleaseTask::Release => "Release",
        ReleaseTask::Withdraw => "Withdraw",
    };
    let title = name.map_or_else(|| "Release a bundle".to_owned(), |name| format!("{task} {name}"));
    let whole = scale_dialog(area, 130, 34);
    let high = if release.bundle.is_some() { whole.height } else { 14 };
    let inner = canvas.draw_box(centered(area, whole.width, high), &title);
    if inner.is_empty() {
        return;
    }
    let mut y = inner.y;
    let is_source = matches!(release.focus, Focus::Path | Focus::Image);
    let mut draw_line_field = |y: &mut u16, name: &str, input, focused| {
        let ink = if focused { Ink::Active } else { Ink::Dim };
        canvas.draw_text(inner.x, *y, LABEL_COLUMNS, &format!("{name:<10} "), ink);
        let (x, width) = (inner.x + LABEL_COLUMNS, inner.width.saturating_sub(LABEL_COLUMNS));
        draw_field(canvas, Rect { x, y: *y, width, height: 1 }, input, focused);
        *y += 1;
    };
    if is_source {
        draw_line_field(&mut y, "bundle", &release.path, release.focus == Focus::Path);
        draw_line_field(&mut y, "image", &release.image, release.focus == Focus::Image);
    }
    match release.focus {
        Focus::Range => draw_line_field(&mut y, "skipRange", &release.extra_input, true),
        Focus::NewChannel => draw_line_field(&mut y, "channel", &release.extra_input, true),
        Focus::Path | Focus::Image | Focus::Rows => {}
    }
    for line in header_lines(release, inner) {
        canvas.draw_line(Rect { y, height: 1, ..inner }, &line);
        y += 1;
    }
    let lower = Rect { y, height: inner.bottom().saturating_sub(y + 1), ..inner };
    match &release.bundle {
        Some(bundle) if !release.targets.catalogs.is_empty() => {
            draw_rows(view_cx, release, bundle, canvas, lower);
        }
        Some(_) => {}
        None => draw_completions(view_cx, release, canvas, lower),
    }
    draw_hints(view_cx, release, canvas, inner);
}

/// Returns the lines about the bundle, or a note about the fields.
fn header_lines(release: &Release, inner: Rect) -> Vec<Line> {
    let columns = usize::from(inner.width);
    let note = match (&release.note, &release.bundle) {
        (Err(mistake), _) => Some((mistake.to_string(), Ink::Error)),
        (Ok(words), _) if !words.is_empty() => Some((words.clone(), Ink::Dim)),
        (Ok(_), None) if release.focus == Focus::Image => {
            Some(("the image of the bundle, best with its digest".to_owned(), Ink::Dim))
        }
        (Ok(_), None) => Some(("a bundle directory, or a file that opm render printed".to_owned(), Ink::Dim)),
        (Ok(_), Some(_)) => None,
    };
    if let Some((words, ink)) = note {
        return wrapped_lines(&words, columns, ink).into_iter().take(2).collect();
    }
    let Some(bundle) = &release.bundle else { return Vec::new() };
    let version = bundle.version.as_ref().map(ToString::to_string).unwrap_or_default();
    let image = match bundle.parse_image() {
        None => piece("no image", Ink::Warning),
        Some(Err(error)) => piece(format!("not an image reference: {error}"), Ink::Error),
        Some(Ok(_)) if !names_registry(&bundle.image) => {
            piece(format!("{} names no registry: docker.io is used", bundle.image), Ink::Warning)
        }
        Some(Ok(reference)) if reference.is_pinned() => piece(&bundle.image, Ink::Dim),
        Some(Ok(_)) => {
            let tag = "a tag, which can move: a digest (@sha256:...) cannot";
            piece(format!("{} is {tag}", bundle.image), Ink::Warning)
        }
    };
    if inner.height < TALL_BOX {
        return vec![vec![text_piece(format!("{version} of {}  ", bundle.package)), image]];
    }
    let channels: Vec<&str> = bundle.annotated_channels().iter().map(AsRef::as_ref).collect();
    let named = match channels.as_slice() {
        [] => String::new(),
        channels => format!(", its annotations name {}", channels.join(", ")),
    };
    vec![
        vec![text_piece(format!("version {version} of {}", bundle.package)), piece(named, Ink::Dim)],
        vec![piece("image  ", Ink::Dim), image],
    ]
}

/// Returns true if an image reference begins with the host of a registry.
fn names_registry(image: &str) -> bool {
    image.split_once('/').is_some_and(|(host, _)| host.contains(['.', ':']) || host == "localhost")
}

/// Draws completions of the path. Without any, says how to release a bundle of an open catalog.
fn draw_completions(view_cx: &ViewContext<'_>, release: &Release, canvas: &mut Canvas<'_>, area: Rect) {
    let room = (usize::from(area.width), usize::from(area.height));
    let lines = if let Some(names) = &release.path_completions {
        let lines = format_name_columns(names, room, canvas.ascii);
        lines.into_iter().map(|line| vec![text_piece(line)]).collect()
    } else {
        let cancel = view_cx.keys.display_key(FIELDS, ActionId::Cancel);
        let words = format!("To release a bundle of an open catalog, press {cancel} and select the bundle.");
        wrapped_lines(&words, room.0, Ink::Dim)
    };
    for (y, line) in (area.y..area.bottom()).zip(lines) {
        canvas.draw_line(Rect { y, height: 1, ..area }, &line);
    }
}

/// Draws the list of rows and the preview of the chosen ones.
fn draw_rows(
    view_cx: &ViewContext<'_>,
    release: &Release,
    bundle: &ReleasedBundle,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let rows = &release.targets.rows;
    let most = (area.height / 2).max(1);
    let height = u16::try_from(rows.len()).unwrap_or(u16::MAX).min(most);
    let list = Rect { height, ..area };
    let columns = RowColumns::measure(release, usize::from(area.width), canvas.ascii);
    canvas.draw_list(list, &dialog_list(release, view_cx, canvas), |row| {
        rows.get(row).map(|row| columns.format_row(release, row)).unwrap_or_default()
    });
    let selected = release.targets.selected_row().and_then(|row| columns.describe_cut_row(release, row));
    canvas.draw_rule(Rect { y: list.bottom(), height: 1, ..area });
    let lower =
        Rect { y: list.bottom() + 1, height: area.bottom().saturating_sub(list.bottom() + 2), ..area };
    let columns = usize::from(lower.width).saturating_sub(1);
    let mut lines: Vec<Line> =
        selected.map(|words| wrapped_lines(&words, columns, Ink::Text)).unwrap_or_default();
    match release.confirmation {
        Some(Confirmation::Downgrade) => lines.extend(confirmation_lines(view_cx, release, columns)),
        Some(Confirmation::Leave) => {
            let cancel = view_cx.keys.display_key(DIALOG, ActionId::Cancel);
            let words = format!("{cancel} again closes this without applying your choices");
            lines.extend(wrapped_lines(&words, columns, Ink::Warning));
        }
        None => {}
    }
    let mut conflicts: Vec<(String, String)> = Vec::new();
    for row in rows.iter().filter(|row| row.chosen) {
        let Some(conflict) = row.csv_conflict(bundle, release.targets.edges) else { continue };
        let label = find_catalog(release, row).map_or("", |into| into.label.as_str());
        push_merged(&mut conflicts, format!("{label} {}", row.name()), conflict.to_string());
    }
    for (places, conflict) in conflicts {
        lines.extend(wrapped_lines(&format!("! {places}: {conflict}"), columns, Ink::Warning));
    }
    let mut refusals: Vec<(String, String)> = Vec::new();
    let is_release = release.targets.task == ReleaseTask::Release;
    for into in release.targets.catalogs.iter().filter(|into| is_release && !into.preview.has_no_edit()) {
        let open = view_cx.session.catalogs.all().get(into.catalog);
        let openshift = open.map(|open| open.history.now().catalog.openshift()).unwrap_or_default();
        if let Some(words) = openshift.iter().find_map(|version| bundle.describe_missing_kubernetes(*version))
        {
            push_merged(&mut refusals, into.label.clone(), words);
        }
    }
    for (labels, words) in refusals {
        lines.extend(wrapped_lines(&format!("! {labels}: {words}"), columns, Ink::Error));
    }
    let mut previews: Vec<(String, (Line, Vec<Line>))> = Vec::new();
    for into in &release.targets.catalogs {
        if let Err(reason) = &into.content {
            lines.extend(wrapped_lines(&format!("{}: {reason}", into.label), columns, Ink::Dim));
        } else if !into.preview.has_no_edit() {
            let stuck = stuck_piece(view_cx, bundle, into).into_iter().collect();
            let preview = preview_state_lines(view_cx, &into.preview, columns);
            push_merged(&mut previews, into.label.clone(), (stuck, preview));
        }
    }
    for (labels, (stuck, preview)) in previews {
        let mut heading = Line::new();
        if release.targets.catalogs.len() > 1 {
            heading.push(piece(format!("{labels}  "), Ink::Title));
        }
        heading.extend(stuck);
        lines.extend(Some(heading).filter(|heading| !heading.is_empty()));
        lines.extend(preview);
    }
    if release.targets.rows.iter().all(|row| !row.chosen) {
        lines.push(vec![piece("Select channels.", Ink::Dim)]);
    } else {
        for command in release.render_commands(view_cx.session) {
            lines.extend(wrapped_lines(&command, columns, Ink::Warning));
        }
    }
    draw_preview_body(view_cx, DIALOG, canvas, lower, &lines);
}

/// Adds a value with its label. Equal values are listed once, with all labels.
fn push_merged<T: PartialEq>(all: &mut Vec<(String, T)>, label: String, value: T) {
    match all.iter_mut().find(|(_, known)| *known == value) {
        Some((labels, _)) => {
            labels.push_str(", ");
            labels.push_str(&label);
        }
        None => all.push((label, value)),
    }
}

/// Returns the numbers of stuck versions before and after. `None` for a template, and until the preview is ready.
fn stuck_piece(
    view_cx: &ViewContext<'_>,
    bundle: &ReleasedBundle,
    into: &TargetCatalog,
) -> Option<olmap_report::document::Piece> {
    let after = &into.preview.ready_preview()?.as_ref().ok()?.after;
    let before = view_cx.session.catalogs.all().get(into.catalog)?.history.now();
    if before.catalog.template().is_some() {
        return None;
    }
    // Versions at or above the head are not stuck, so a lower head hides stuck versions.
    let heads = [before, after].map(|state| {
        let package = state.package(bundle.package.as_str())?;
        package.package().bundle_version(package.graph.stuck().answer.as_ref()?.head.as_str())
    });
    let is_head_lower = matches!(heads, [Some(before), Some(after)] if after.cmp_precedence(before).is_lt());
    let [before, after] = [before, after].map(|state| {
        let state = state.package(bundle.package.as_str());
        state.map_or(Some(StuckCounts::default()), |state| StuckCounts::count_stuck(state.graph.stuck()))
    });
    let (Some(before), Some(after)) = (before, after) else {
        return Some(piece("which versions are stuck is unknown", Ink::Warning));
    };
    let ink = match () {
        () if after.classic > before.classic || after.v1 > before.v1 => Ink::Error,
        () if is_head_lower => Ink::Warning,
        () if after == before => Ink::Dim,
        () => Ink::Good,
    };
    let change = |before: usize, after: usize| {
        if before == after { after.to_string() } else { format!("{before} => {after}") }
    };
    let (classic, v1) = (change(before.classic, after.classic), change(before.v1, after.v1));
    let words = if classic == v1 {
        format!("stuck: {classic}")
    } else {
        format!("stuck: Classic {classic}, v1 {v1}")
    };
    let note = if is_head_lower { " (not comparable: the head is lower)" } else { "" };
    Some(piece(format!("{words}{note}"), ink))
}

/// Returns who is downgraded, and how to continue.
fn confirmation_lines(view_cx: &ViewContext<'_>, release: &Release, columns: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for row in release.targets.rows.iter().filter(|row| row.chosen && row.is_downgrade()) {
        let Some(into) = find_catalog(release, row) else { continue };
        let Some(Ok(outcome)) = into.preview.ready_preview() else { continue };
        let package = find_package(release, row);
        let harm = &outcome.consequences.harm;
        let own = |channel: &Option<_>| channel.as_ref().is_some_and(|channel| *channel == row.name());
        let down = harm.downgraded.iter().filter(|it| it.engine == Engine::Classic && own(&it.channel));
        let names: Vec<String> = down.map(|it| short_name(package, &it.installed)).collect();
        let who = match names.as_slice() {
            [] => "no installed version".to_owned(),
            names => format!("installations of {}", names.join(", ")),
        };
        let fresh = harm.fresh_older.iter().find(|it| it.engine == Engine::Classic && own(&it.channel));
        let fresh = fresh.map(|it| effect_fresh(package, it)).unwrap_or_default();
        let words = format!("DOWNGRADE in {} {}: {who}{fresh}", into.label, row.name());
        lines.extend(wrapped_lines(&words, columns, Ink::Error));
    }
    let key = |id| view_cx.keys.display_key(DIALOG, id);
    let words = format!(
        "Press {} again to downgrade them, or {} for another place.",
        key(ActionId::Accept),
        key(ActionId::ReleasePlace)
    );
    lines.extend(wrapped_lines(&words, columns, Ink::Error));
    lines
}

fn effect_fresh(package: Option<&Package>, fresh: &olm_check::review::FreshInstallChange) -> String {
    let pick = |result: &Result<BundleName, _>| {
        result.as_ref().map_or_else(|_| "nothing".to_owned(), |name| short_name(package, name))
    };
    format!("; fresh installs get {} instead of {}", pick(&fresh.after.pick), pick(&fresh.before.pick))
}

fn draw_hints(view_cx: &ViewContext<'_>, release: &Release, canvas: &mut Canvas<'_>, inner: Rect) {
    let dialog = if release.focus == Focus::Rows { DIALOG } else { FIELDS };
    let keys: Vec<(ActionId, &'static str)> = match release.focus {
        Focus::Path => {
            vec![(ActionId::Complete, "complete"), (ActionId::Accept, "open"), (ActionId::Cancel, "cancel")]
        }
        Focus::Image => {
            vec![(ActionId::Accept, "next"), (ActionId::PreviousField, "back"), (ActionId::Cancel, "cancel")]
        }
        Focus::Range | Focus::NewChannel => {
            let accept = if release.focus == Focus::NewChannel { "add" } else { "set" };
            vec![(ActionId::Accept, accept), (ActionId::Cancel, "back")]
        }
        Focus::Rows => {
            let mut keys = vec![(ActionId::Choose, "choose")];
            let selected = release.targets.selected_row().map(|row| &row.place);
            if let Some(RowPlace::Channel { placements: Ok(placements), .. }) = selected
                && placements.proposals.len() > 1
            {
                keys.push((ActionId::ReleasePlace, "place"));
            }
            let (accept, other_task) = match release.targets.task {
                ReleaseTask::Release => {
                    keys.extend([
                        (ActionId::ReleaseEdges, edges_hint(release.targets.edges)),
                        (ActionId::OwnRange, "skipRange"),
                        (ActionId::NewChannel, "new channel"),
                    ]);
                    let is_downgrade = release.confirmation == Some(Confirmation::Downgrade);
                    (if is_downgrade { "downgrade" } else { "apply" }, "withdraw")
                }
                ReleaseTask::Withdraw => ("withdraw", "release"),
            };
            keys.extend([
                (ActionId::Withdraw, other_task),
                (ActionId::PreviousField, "another bundle"),
                (ActionId::Accept, accept),
                (ActionId::Cancel, "cancel"),
            ]);
            let is_refused = release.targets.catalogs.iter().any(|target| target.preview.is_refused());
            edit_key_hints(&keys, !is_refused)
        }
    };
    draw_key_hints(view_cx, dialog, canvas, inner, &keys);
}

fn edges_hint(edges: Option<WantedEdges>) -> &'static str {
    match edges {
        None | Some(WantedEdges::Like) => "edges as proposed",
        Some(WantedEdges::Replaces) => "edges: replaces",
        Some(WantedEdges::Csv) => "edges: as the CSV",
    }
}
