//! Bundle screen: sections, their rows, and details of the selected row.

use ratatui::layout::Rect;

use crate::tui::{
    keys::ActionId,
    parts::{frame::Splitter, list::ListId},
    screens::{
        bundle::{Bundle, SECTIONS_WIDTH},
        screen::ScreenView,
    },
    session::jobs::bundle_manifests::ManifestState,
    widgets::{
        boxes::draw_scrolled_text,
        canvas::{
            Canvas, Line, display_width, highlight_filter, pad, piece, text_piece, wrap_text, wrapped_lines,
        },
        lists::{draw_list_heading, draw_no_rows},
        theme::Ink,
    },
    work::outcome::ManifestLocation,
};
use olm_bundle::outline::{Body, Part, Row, Section};
use olm_upgrade::resolve::needs::{Need, Provider};
use olmap_report::{bundle::outline::worst_danger, escape};

/// Maximum number of lines of an example.
const MAX_LINES: usize = 2000;
/// Maximum number of columns of a text that is drawn or wrapped.
const MAX_COLUMNS: usize = 8000;

/// The screen and its context.
type View<'a> = ScreenView<'a, Bundle>;

/// Draws the screen.
pub fn draw_bundle_screen(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect) {
    let bundle = &view.state;
    let area = if Bundle::fits_sections(view.frame.size.0) && bundle.inside().is_some() {
        let left = Rect { width: SECTIONS_WIDTH - 1, ..area };
        draw_sections(view, canvas, left);
        canvas.draw_divider(left.right(), area.top(), area.bottom());
        Rect { x: left.right() + 1, width: area.width.saturating_sub(SECTIONS_WIDTH), ..area }
    } else {
        area
    };
    let below = match (area.height < 9 || bundle.visible_lines().is_empty(), bundle.is_reading()) {
        (true, _) => 0,
        (false, true) => area.height / 2,
        (false, false) => (area.height / 4).clamp(3, 7),
    };
    if below == 0 {
        if bundle.is_reading() {
            return draw_row_details(view, canvas, area);
        }
        return draw_bundle_rows(view, canvas, area);
    }
    let above = view.frame.splits.size_before(Splitter::Inside, area.height - below - 1, area.height);
    let (upper, lower) = canvas.draw_splitter(area, Splitter::Inside, above);
    draw_bundle_rows(view, canvas, upper);
    draw_row_details(view, canvas, lower);
}

fn draw_sections(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect) {
    let bundle = &view.state;
    let inner = draw_list_heading(view, canvas, area, ListId::InsideSections, "Sections", &[]);
    let headings: Vec<usize> = bundle.headings().collect();
    let ascii = canvas.ascii;
    canvas.draw_list(inner, &view.list_view(canvas, ListId::InsideSections), |at| {
        let Some((section, _)) = headings.get(at).and_then(|line| bundle.section_and_row(*line)) else {
            return Vec::new();
        };
        let (count, ink) = section_count(section);
        let room = usize::from(SECTIONS_WIDTH).saturating_sub(count.len() + 5);
        let title = pad(section.part.heading(), room, ascii);
        let title_ink = if section.rows.is_empty() { Ink::Dim } else { Ink::Text };
        vec![piece(title, title_ink), piece(format!(" {count}"), ink)]
    });
}

/// Returns the number of items in a section, or of dangerous ones in the error ink.
fn section_count(section: &Section) -> (String, Ink) {
    match section.dangers() {
        0 if section.part == Part::Description || section.part == Part::Identity => (String::new(), Ink::Dim),
        0 if section.rows.is_empty() => ("?".to_owned(), Ink::Dim),
        0 => (section.item_count().to_string(), Ink::Dim),
        dangers => (format!("!{dangers}"), Ink::Error),
    }
}

fn draw_bundle_rows(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect) {
    let bundle = &view.state;
    let selected = view.session.selection().bundle.as_ref().map(ToString::to_string);
    let name = bundle.inside().map(|inside| inside.name.clone()).or(selected).unwrap_or_default();
    let title = if name.is_empty() { "Bundle".to_owned() } else { format!("Inside {name}") };
    // The origin is omitted if there is no room for it.
    let fits = |from: &String| display_width(&title) + display_width(from) + 4 <= usize::from(area.width);
    let from = outline_origins(view).into_iter().find(fits);
    let right: Vec<_> = from.map(|from| piece(format!("{from} "), Ink::Dim)).into_iter().collect();
    let inner = draw_list_heading(view, canvas, area, ListId::Inside, &title, &right);
    if bundle.visible_lines().is_empty() {
        let words = match (&view.session.selection().bundle, bundle.inside()) {
            (None, _) => {
                format!("No bundle selected: {} selects one.", view.key_label(ActionId::ShowPackages))
            }
            (Some(name), None) => {
                format!("{name} is an entry without an olm.bundle: nothing is known of its inside.")
            }
            (Some(_), Some(_)) => "Nothing is known of this bundle.".to_owned(),
        };
        return draw_no_rows(view, canvas, inner, ListId::Inside, &words);
    }
    let filter = view.session.lists.filter(ListId::Inside);
    let ascii = canvas.ascii;
    canvas.draw_list(inner, &view.list_view(canvas, ListId::Inside), |line| {
        match bundle.section_and_row(line) {
            Some((section, None)) => section_heading(section, filter),
            Some((_, Some(row))) => {
                row_pieces(row, bundle.visible_lines().get(line).map_or(0, |line| line.labels), filter, ascii)
            }
            None => Vec::new(),
        }
    });
}

/// Returns the origin of the outline, longest form first.
fn outline_origins(view: &View<'_>) -> Vec<String> {
    let source = view.state.inside().map(|inside| inside.source);
    match view.session.jobs.bundle_manifests() {
        ManifestState::Reading => vec!["reading its directory".to_owned()],
        ManifestState::Found(found) => match &found.location {
            ManifestLocation::Directory(path) => {
                vec![format!("from {}", path.display()), "from its directory".to_owned()]
            }
            ManifestLocation::Image(image) => vec![format!("from {image}"), "from its image".to_owned()],
        },
        ManifestState::Unknown | ManifestState::NotFetched | ManifestState::Failed(_) => {
            source.map(|source| format!("from {}", source.name())).into_iter().collect()
        }
    }
}

fn section_heading(section: &Section, filter: &str) -> Line {
    let mut pieces = highlight_filter(section.part.heading(), Ink::Title, filter);
    let (count, ink) = section_count(section);
    match section.dangers() {
        0 if section.rows.is_empty() => pieces.push(piece("  not known", Ink::Dim)),
        0 => pieces.push(piece(format!("  {count}"), ink)),
        dangers => pieces.push(piece(format!("  {dangers} dangerous"), ink)),
    }
    pieces
}

/// Cuts a text to the maximum length that is drawn.
fn cut_text(text: &str) -> &str {
    escape::fitting_prefix(text, MAX_COLUMNS)
}

fn row_pieces(row: &Row, labels: usize, filter: &str, ascii: bool) -> Line {
    let indent = "  ".repeat(usize::from(row.level) + 1);
    let mut pieces = vec![text_piece(indent)];
    if let Some(danger) = worst_danger(row) {
        let ink = if danger.is_narrow { Ink::Warning } else { Ink::Error };
        pieces.extend(highlight_filter(&format!("! {}", cut_text(&row.note)), ink, filter));
        pieces.extend(highlight_filter(
            &format!("  {} {}", cut_text(&row.label), cut_text(&row.value)),
            Ink::Dim,
            filter,
        ));
        return pieces;
    }
    if let Some(Body::Markdown(markdown)) = &row.body {
        let first =
            markdown.lines().map(|line| line.trim_matches(['#', ' ', '*'])).find(|line| !line.is_empty());
        pieces.extend(highlight_filter(cut_text(first.unwrap_or_default()), Ink::Text, filter));
        return pieces;
    }
    let ink = if row.level == 0 { Ink::Text } else { Ink::Dim };
    if row.value.is_empty() {
        pieces.extend(highlight_filter(cut_text(&row.label), ink, filter));
    } else {
        let label = cut_text(&row.label);
        let label = if display_width(label) > labels { label.to_owned() } else { pad(label, labels, ascii) };
        pieces.extend(highlight_filter(&label, ink, filter));
        pieces.extend(highlight_filter(&format!("  {}", cut_text(&row.value)), Ink::Text, filter));
    }
    if !row.note.is_empty() {
        pieces.extend(highlight_filter(&format!("  ({})", cut_text(&row.note)), Ink::Dim, filter));
    }
    pieces
}

/// Draws the details of the selected line.
fn draw_row_details(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect) {
    let bundle = &view.state;
    let area = Rect { x: area.x + 1, width: area.width.saturating_sub(1), ..area };
    let columns = usize::from(area.width).saturating_sub(2).max(10);
    let mut lines: Vec<Line> = Vec::new();
    match bundle.selected_section_and_row() {
        Some((section, None)) => section_detail_lines(view, section, columns, &mut lines),
        Some((_, Some(row))) => row_detail_lines(row, bundle.prose(), columns, &mut lines),
        None => {}
    }
    if !bundle.needs().is_empty() {
        push_wrapped(&mut lines, "who satisfies what it needs, in the open catalogs", Ink::Title, columns);
    }
    for (at, need) in bundle.needs().iter().enumerate() {
        push_need_branch(need, at + 1 == bundle.needs().len(), columns, canvas.ascii, &mut lines);
    }
    draw_scrolled_text(
        view,
        canvas,
        area,
        ListId::InsideText,
        bundle.is_reading(),
        view.key_label(ActionId::NextPane),
        &lines,
    );
}

fn push_wrapped(lines: &mut Vec<Line>, words: &str, ink: Ink, columns: usize) {
    lines.extend(wrapped_lines(cut_text(words), columns, ink));
}

fn section_detail_lines(view: &View<'_>, section: &Section, columns: usize, lines: &mut Vec<Line>) {
    push_wrapped(lines, section.part.description(), Ink::Dim, columns);
    match view.session.jobs.bundle_manifests() {
        ManifestState::Failed(why) => {
            push_wrapped(lines, &format!("the manifests cannot be read: {why}"), Ink::Warning, columns);
        }
        ManifestState::NotFetched => {
            let key = view.key_label(ActionId::FetchBundles);
            push_wrapped(
                lines,
                &format!("all of it is in the bundle image, which {key} fetches"),
                Ink::Warning,
                columns,
            );
        }
        ManifestState::Unknown | ManifestState::Reading | ManifestState::Found(_) => {}
    }
    // Content that one key fetches is not reported as missing.
    let is_fetched_first = matches!(view.session.jobs.bundle_manifests(), ManifestState::NotFetched);
    if let Some(gap) = section.gap.filter(|_| !is_fetched_first) {
        push_wrapped(lines, gap, Ink::Warning, columns);
    }
    let mut risks: Vec<_> =
        section.rows.iter().flat_map(|row| &row.dangers).map(|danger| danger.risk).collect();
    risks.sort_unstable();
    risks.dedup();
    for risk in risks {
        push_wrapped(lines, &format!("{}: {}", risk.id(), risk.reason()), Ink::Text, columns);
    }
}

fn row_detail_lines(row: &Row, prose: &[Line], columns: usize, lines: &mut Vec<Line>) {
    if !row.dangers.is_empty() {
        let ink =
            if worst_danger(row).is_some_and(|danger| danger.is_narrow) { Ink::Warning } else { Ink::Error };
        push_wrapped(lines, &row.note, ink, columns);
    }
    let words =
        if row.value.is_empty() { row.label.clone() } else { format!("{}: {}", row.label, row.value) };
    if !matches!(row.body, Some(Body::Markdown(_))) {
        push_wrapped(lines, &words, Ink::Text, columns);
    }
    if row.dangers.is_empty() && !row.note.is_empty() {
        push_wrapped(lines, &row.note, Ink::Dim, columns);
    }
    for danger in &row.dangers {
        push_wrapped(lines, &format!("{}: {}", danger.risk.id(), danger.risk.reason()), Ink::Text, columns);
        push_wrapped(lines, danger.risk.documentation_url(), Ink::Dim, columns);
    }
    if let Some(spot) = &row.location {
        lines.push(vec![piece("at ", Ink::Dim), piece(format!("{}:{}", spot.file, spot.line), Ink::Key)]);
    }
    match &row.body {
        Some(Body::Json(json)) => {
            lines.extend(json.lines().take(MAX_LINES).map(|line| vec![piece(cut_text(line), Ink::Code)]));
        }
        Some(Body::Markdown(_)) => lines.extend(prose.iter().cloned()),
        None => {}
    }
}

/// Appends a dependency as a branch, with its providers.
pub fn push_need_branch(need: &Need, is_last: bool, columns: usize, ascii: bool, lines: &mut Vec<Line>) {
    let branch = match (is_last, ascii) {
        (false, false) => "├─",
        (true, false) => "└─",
        (false, true) => "|-",
        (true, true) => "`-",
    };
    let trunk = match (is_last, ascii) {
        (true, _) => "  ",
        (false, false) => "│ ",
        (false, true) => "| ",
    };
    let met = !need.providers.is_empty();
    let (mark, ink) = match (met, &need.unknown_reason, ascii) {
        (true, _, false) => ("● ", Ink::Good),
        (true, _, true) => ("* ", Ink::Good),
        (false, Some(_), _) => ("? ", Ink::Warning),
        (false, None, false) => ("✗ ", Ink::Error),
        (false, None, true) => ("x ", Ink::Error),
    };
    let room = columns.saturating_sub(6).max(10);
    for (at, line) in wrap_text(&need.description, room).into_iter().enumerate() {
        let front = if at == 0 { branch } else { trunk };
        let mark = if at == 0 { mark } else { "  " };
        lines.push(vec![piece(format!("  {front}"), Ink::Rule), piece(mark, ink), text_piece(line)]);
    }
    let by = match (&need.suggestion, met) {
        (_, true) => describe_providers(need),
        (_, false) if need.unknown_reason.is_some() => "not known who satisfies it".to_owned(),
        (Some(nearest), false) => format!("nothing satisfies it; {nearest}"),
        (None, false) => "nothing satisfies it".to_owned(),
    };
    for line in wrap_text(&by, room.saturating_sub(2)) {
        lines.push(vec![
            piece(format!("  {trunk}    "), Ink::Rule),
            piece(line, if met { Ink::Dim } else { ink }),
        ]);
    }
    for line in need.unknown_reason.iter().flat_map(|words| wrap_text(words, room.saturating_sub(2))) {
        lines.push(vec![piece(format!("  {trunk}    "), Ink::Rule), piece(line, Ink::Warning)]);
    }
}

fn describe_providers(need: &Need) -> String {
    let one = |provider: &Provider| match (&provider.channel, &provider.catalog) {
        (Some(channel), Some(catalog)) => format!("{} (channel {channel} of {catalog})", provider.bundle),
        _ => format!("{} (installed)", provider.bundle),
    };
    let mut names = need.providers.iter().map(one).collect::<Vec<_>>().join(", ");
    if need.more_providers > 0 {
        names += &format!(" and {} more", need.more_providers);
    }
    names
}
