//! Bundle screen: sections, their rows, and details of the selected row.

use ratatui::layout::Rect;

use crate::{
    app::{
        Model,
        keys::ActionId,
        parts::{list::ListId, splits::Splitter},
        screens::bundle::{Bundle, SECTIONS},
        session::inside::State,
        work::outcome::BundlePlace,
    },
    bundle::inside::{Body, Part, Row, Section},
    export::{bundle::inside::worst, description::Line, plain},
    ui::{
        canvas::{Canvas, Pieces, lit, pad, piece, text, width, wrap},
        parts::{
            details::description_pieces,
            lists::{list_heading, list_view, nothing},
            needs,
            reading::reading,
        },
        theme::Role,
    },
};

/// Maximum number of lines of an example.
const MOST: usize = 2000;
/// Maximum number of columns of a text that is drawn or wrapped.
const LONGEST: usize = 8000;

/// Draws the screen.
pub fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let bundle = &model.screens.bundle;
    let area = if Bundle::has_sections(model.frame.size.0) && bundle.inside().is_some() {
        let left = Rect { width: SECTIONS - 1, ..area };
        sections(model, canvas, left);
        canvas.divider(left.right(), area.top(), area.bottom());
        Rect { x: left.right() + 1, width: area.width.saturating_sub(SECTIONS), ..area }
    } else {
        area
    };
    let below = if area.height < 9 || bundle.lines().is_empty() { 0 } else { (area.height / 3).clamp(3, 14) };
    if below == 0 {
        if bundle.is_reading() {
            return about(model, canvas, area);
        }
        return rows(model, canvas, area);
    }
    let above = model.frame.splits.before(Splitter::Inside, area.height - below - 1, area.height);
    let (upper, lower) = canvas.split(area, Splitter::Inside, above);
    rows(model, canvas, upper);
    about(model, canvas, lower);
}

fn sections(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let bundle = &model.screens.bundle;
    let inner = list_heading(model, canvas, area, ListId::InsideSections, "Sections", &[]);
    let headings: Vec<usize> = bundle.headings().collect();
    let ascii = canvas.ascii;
    canvas.list(inner, &list_view(model, ListId::InsideSections), |at| {
        let Some((section, _)) = headings.get(at).and_then(|line| bundle.at(*line)) else {
            return Vec::new();
        };
        let (count, role) = counted(section);
        let room = usize::from(SECTIONS).saturating_sub(count.len() + 5);
        let title = pad(section.part.title(), room, ascii);
        let title_role = if section.rows.is_empty() { Role::Dim } else { Role::Text };
        vec![piece(title, title_role), piece(format!(" {count}"), role)]
    });
}

/// Returns the number of items in a section, or of dangerous ones in the error role.
fn counted(section: &Section) -> (String, Role) {
    match section.dangers() {
        0 if section.part == Part::Description || section.part == Part::Identity => {
            (String::new(), Role::Dim)
        }
        0 if section.rows.is_empty() => ("?".to_owned(), Role::Dim),
        0 => (section.count().to_string(), Role::Dim),
        dangers => (format!("!{dangers}"), Role::Error),
    }
}

fn rows(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let bundle = &model.screens.bundle;
    let selected = model.session.selection().bundle.as_ref().map(ToString::to_string);
    let name = bundle.inside().map(|inside| inside.name.clone()).or(selected).unwrap_or_default();
    let title = if name.is_empty() { "Bundle".to_owned() } else { format!("Inside {name}") };
    // The origin is omitted if there is no room for it.
    let fits = |from: &String| width(&title) + width(from) + 4 <= usize::from(area.width);
    let from = from(model).into_iter().find(fits);
    let right: Vec<_> = from.map(|from| piece(format!("{from} "), Role::Dim)).into_iter().collect();
    let inner = list_heading(model, canvas, area, ListId::Inside, &title, &right);
    if bundle.lines().is_empty() {
        let words = match (&model.session.selection().bundle, bundle.inside()) {
            (None, _) => format!("No bundle selected: {} selects one.", model.key(ActionId::ShowCatalog)),
            (Some(name), None) => {
                format!("{name} is an entry without an olm.bundle: nothing is known of its inside.")
            }
            (Some(_), Some(_)) => "Nothing is known of this bundle.".to_owned(),
        };
        return nothing(model, canvas, inner, ListId::Inside, &words);
    }
    let filter = model.session.lists.filter(ListId::Inside);
    let ascii = canvas.ascii;
    canvas.list(inner, &list_view(model, ListId::Inside), |line| match bundle.at(line) {
        Some((section, None)) => heading(section, filter),
        Some((_, Some(row))) => {
            of_row(row, bundle.lines().get(line).map_or(0, |line| line.labels), filter, ascii)
        }
        None => Vec::new(),
    });
}

/// Returns the origin of the outline, longest form first.
fn from(model: &Model) -> Vec<String> {
    let source = model.screens.bundle.inside().map(|inside| inside.source);
    match model.session.bundle_manifests() {
        State::Reading => vec!["reading its directory".to_owned()],
        State::Found(found) => match &found.place {
            BundlePlace::Directory(path) => {
                vec![format!("from {}", path.display()), "from its directory".to_owned()]
            }
            BundlePlace::Image(image) => vec![format!("from {image}"), "from its image".to_owned()],
        },
        State::Unknown | State::NotFetched | State::Failed(_) => {
            source.map(|source| format!("from {}", source.name())).into_iter().collect()
        }
    }
}

fn heading(section: &Section, filter: &str) -> Pieces {
    let mut pieces = lit(section.part.title(), Role::Title, filter);
    let (count, role) = counted(section);
    match section.dangers() {
        0 if section.rows.is_empty() => pieces.push(piece("  not known", Role::Dim)),
        0 => pieces.push(piece(format!("  {count}"), role)),
        dangers => pieces.push(piece(format!("  {dangers} dangerous"), role)),
    }
    pieces
}

/// Cuts a text to the maximum length that is drawn.
fn head(text: &str) -> &str {
    plain::head(text, LONGEST)
}

fn of_row(row: &Row, labels: usize, filter: &str, ascii: bool) -> Pieces {
    let indent = "  ".repeat(usize::from(row.level) + 1);
    let mut pieces = vec![text(indent)];
    if let Some(danger) = worst(row) {
        let role = if danger.is_narrow { Role::Warning } else { Role::Error };
        pieces.extend(lit(&format!("! {}", head(&row.note)), role, filter));
        pieces.extend(lit(&format!("  {} {}", head(&row.label), head(&row.value)), Role::Dim, filter));
        return pieces;
    }
    if let Some(Body::Markdown(markdown)) = &row.body {
        let first =
            markdown.lines().map(|line| line.trim_matches(['#', ' ', '*'])).find(|line| !line.is_empty());
        pieces.extend(lit(head(first.unwrap_or_default()), Role::Text, filter));
        return pieces;
    }
    let role = if row.level == 0 { Role::Text } else { Role::Dim };
    if row.value.is_empty() {
        pieces.extend(lit(head(&row.label), role, filter));
    } else {
        let label = head(&row.label);
        let label = if width(label) > labels { label.to_owned() } else { pad(label, labels, ascii) };
        pieces.extend(lit(&label, role, filter));
        pieces.extend(lit(&format!("  {}", head(&row.value)), Role::Text, filter));
    }
    if !row.note.is_empty() {
        pieces.extend(lit(&format!("  ({})", head(&row.note)), Role::Dim, filter));
    }
    pieces
}

/// Draws the details of the selected line.
fn about(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let bundle = &model.screens.bundle;
    let area = Rect { x: area.x + 1, width: area.width.saturating_sub(1), ..area };
    let columns = usize::from(area.width).saturating_sub(2).max(10);
    let mut lines: Vec<Pieces> = Vec::new();
    match bundle.selected() {
        Some((section, None)) => of_section(model, section, columns, &mut lines),
        Some((_, Some(row))) => of_selected(row, bundle.prose(), columns, &mut lines),
        None => {}
    }
    if !bundle.needs().is_empty() {
        say(&mut lines, "who satisfies what it needs, in the open catalogs", Role::Title, columns);
    }
    for (at, need) in bundle.needs().iter().enumerate() {
        needs::tree(need, at + 1 == bundle.needs().len(), columns, canvas.ascii, &mut lines);
    }
    reading(
        model,
        canvas,
        area,
        ListId::InsideText,
        bundle.is_reading(),
        model.key(ActionId::NextPane),
        &lines,
    );
}

fn say(lines: &mut Vec<Pieces>, words: &str, role: Role, columns: usize) {
    lines.extend(wrap(head(words), columns).into_iter().map(|line| vec![piece(line, role)]));
}

fn of_section(model: &Model, section: &Section, columns: usize, lines: &mut Vec<Pieces>) {
    say(lines, section.part.about(), Role::Dim, columns);
    match model.session.bundle_manifests() {
        State::Failed(why) => {
            say(lines, &format!("the manifests cannot be read: {why}"), Role::Warning, columns);
        }
        State::NotFetched => {
            let key = model.key(ActionId::FetchBundles);
            say(
                lines,
                &format!("all of it is in the bundle image, which {key} fetches"),
                Role::Warning,
                columns,
            );
        }
        State::Unknown | State::Reading | State::Found(_) => {}
    }
    // Content that one key fetches is not reported as missing.
    let is_fetched_first = matches!(model.session.bundle_manifests(), State::NotFetched);
    if let Some(gap) = section.gap.filter(|_| !is_fetched_first) {
        say(lines, gap, Role::Warning, columns);
    }
    let mut risks: Vec<_> =
        section.rows.iter().flat_map(|row| &row.dangers).map(|danger| danger.risk).collect();
    risks.sort_unstable();
    risks.dedup();
    for risk in risks {
        say(lines, &format!("{}: {}", risk.id(), risk.reason()), Role::Text, columns);
    }
}

fn of_selected(row: &Row, prose: &[Line], columns: usize, lines: &mut Vec<Pieces>) {
    if !row.dangers.is_empty() {
        let role =
            if worst(row).is_some_and(|danger| danger.is_narrow) { Role::Warning } else { Role::Error };
        say(lines, &row.note, role, columns);
    }
    let words =
        if row.value.is_empty() { row.label.clone() } else { format!("{}: {}", row.label, row.value) };
    if !matches!(row.body, Some(Body::Markdown(_))) {
        say(lines, &words, Role::Text, columns);
    }
    if row.dangers.is_empty() && !row.note.is_empty() {
        say(lines, &row.note, Role::Dim, columns);
    }
    for danger in &row.dangers {
        say(lines, &format!("{}: {}", danger.risk.id(), danger.risk.reason()), Role::Text, columns);
        say(lines, danger.risk.source(), Role::Dim, columns);
    }
    if let Some(spot) = &row.spot {
        lines.push(vec![piece("at ", Role::Dim), piece(format!("{}:{}", spot.file, spot.line), Role::Key)]);
    }
    match &row.body {
        Some(Body::Json(json)) => {
            lines.extend(json.lines().take(MOST).map(|line| vec![piece(head(line), Role::Code)]));
        }
        Some(Body::Markdown(_)) => lines.extend(prose.iter().map(description_pieces)),
        None => {}
    }
}
