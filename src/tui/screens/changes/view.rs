//! Changes screen: unsaved edits, the changed lines, and their consequences.

use std::collections::BTreeSet;

use ratatui::layout::Rect;

use crate::tui::{
    keys::ActionId,
    parts::list::ListId,
    screens::{changes::Changes, screen::ScreenView},
    session::{open_catalog::OpenCatalog, what_if::WhatIf},
    widgets::{
        canvas::{
            Canvas, Line, display_width, fit, hanging_lines, highlight_filter, piece, text_piece, wrap_text,
            wrapped_lines,
        },
        effects::{changed_upgrade_lines, deprecation_effect_lines, finding_blocks, format_harm, harm_lines},
        expectations,
        lists::{draw_empty_list, draw_list_heading},
        preview::describe_unchecked_part,
        text::format_count,
        theme::Ink,
    },
    work::{Base, comparison::Comparison},
};
use olm_catalog::TemplateKind;
use olm_check::{
    Severity,
    review::{
        ChangeReport, Consequences, Harm,
        diff::Impact,
        files::{DiffKind, FileKind},
    },
};
use olmap_report::document::Item;

/// The screen and its context.
type View<'a> = ScreenView<'a, Changes>;

/// Draws the screen.
pub fn draw_changes_screen(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect) {
    if view.session.shows_comparison() {
        return draw_differences(view, canvas, area);
    }
    let Some(open) = view.session.current_catalog() else { return };
    let edits = open.history.edits_between(&open.baseline);
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let columns = usize::from(inner.width).saturating_sub(2);
    let mut lines: Vec<Line> = Vec::new();
    if let Some(what_if) = view.session.catalogs.what_if() {
        push_what_if_edits(view, &mut lines, what_if, columns);
    }
    let elsewhere = view.state.other_changes();
    if edits.is_empty() && view.session.catalogs.what_if().is_none() && elsewhere.is_empty() {
        lines.push(vec![piece("No unsaved edits.", Ink::Title)]);
        let key = |id| view.key_label(id);
        let how = format!(
            "On the Packages or Graph screen, {} edits an entry, {} releases a bundle, {} adds an entry, \
             {} deprecates and {} removes.",
            key(ActionId::EditEntry),
            key(ActionId::Release),
            key(ActionId::AddEntry),
            key(ActionId::Deprecate),
            key(ActionId::Remove),
        );
        for words in [
            "Edits are listed here before they are saved: the changed lines of each file, new and fixed \
             findings, and all changed upgrades.",
            &how,
        ] {
            lines.extend(wrapped_lines(words, columns, Ink::Dim));
        }
        let words = match view.session.catalogs.base() {
            Some(base) => format!("{} shows the differences to {}.", key(ActionId::NextPane), base.label()),
            None => {
                format!("{} compares with a git revision or another catalog.", key(ActionId::CompareWith))
            }
        };
        lines.push(Vec::new());
        lines.extend(wrapped_lines(&words, columns, Ink::Dim));
    } else {
        push_change_summary(view, &mut lines, &edits, columns);
        push_other_catalogs(view, &mut lines, columns);
    }
    canvas.draw_scrolled_lines(
        inner,
        ListId::Changes,
        view.session.lists.first_row(ListId::Changes),
        true,
        &lines,
    );
}

/// Lists the edits of the what-if, which are not applied.
fn push_what_if_edits(view: &View<'_>, lines: &mut Vec<Line>, what_if: &WhatIf, columns: usize) {
    lines.push(vec![
        piece(format!("WHAT IF {}", what_if.edits.len()), Ink::Active),
        text_piece("  not applied: "),
        piece(view.key_label(ActionId::WhatIf), Ink::Key),
        piece(" applies it, undoes the last change, or drops it", Ink::Dim),
    ]);
    for edit in &what_if.edits {
        lines.extend(
            wrap_text(&format!("  {}", edit.title()), columns).into_iter().map(|line| vec![text_piece(line)]),
        );
    }
    lines.push(Vec::new());
}

/// Returns the warnings about edited packages that could not be read completely.
fn unchecked_parts(open: &OpenCatalog) -> Vec<String> {
    let now = open.visible_state();
    let edited = now.changed_packages(&open.baseline).into_iter();
    edited.filter_map(|package| describe_unchecked_part(now, package)).collect()
}

fn push_change_summary(view: &View<'_>, lines: &mut Vec<Line>, edits: &[(&str, bool)], columns: usize) {
    let report = view.state.changes();
    // The what-if is not saved together with the other catalogs.
    let others = if view.session.catalogs.what_if().is_none() { view.state.other_changes() } else { &[] };
    let reports = || [report].into_iter().chain(others.iter().map(|(_, report)| report));
    let new = reports().flat_map(|report| &report.consequences.new_findings);
    let new_errors = new.filter(|f| f.severity() == Severity::Error).count();
    let files = format_count(reports().map(|report| report.files.len()).sum(), "file");
    let mut verdict = match (view.session.catalogs.what_if(), edits.len()) {
        (None, made) if !others.is_empty() => vec![
            piece(format_count(view.session.catalogs.unsaved_count(), "edit"), Ink::Title),
            text_piece(format!(
                " in {}, {files} to save. ",
                format_count(others.len() + made.min(1), "catalog")
            )),
        ],
        (None, made) => {
            vec![piece(format_count(made, "edit"), Ink::Title), text_piece(format!(", {files} to save. "))]
        }
        (Some(_), 0) => vec![text_piece(format!("Applied, it would change {files}. "))],
        (Some(_), made) => {
            vec![text_piece(format!(
                "With {} before it, it would change {files}. ",
                format_count(made, "edit")
            ))]
        }
    };
    if new_errors > 0 {
        verdict.push(piece(
            format!("Adds {}: opm will reject this catalog.", format_count(new_errors, "new error")),
            Ink::Error,
        ));
    } else {
        verdict.push(piece("No new errors.", Ink::Good));
    }
    let harms = || reports().map(|report| &report.consequences.harm);
    if harms().any(Harm::affects_users) {
        let (versions, fresh) =
            (harms().map(Harm::count_versions).sum(), harms().map(Harm::count_fresh_installs).sum());
        verdict.push(piece(format!(" Leaves {} worse off.", format_harm(versions, fresh)), Ink::Error));
    }
    let broken = view.session.derived.broken_expectations().len();
    if broken > 0 {
        verdict.push(piece(format!(" Breaks {}.", format_count(broken, "expectation")), Ink::Error));
    }
    lines.push(verdict);
    let unchecked: BTreeSet<String> = view.session.catalogs.all().iter().flat_map(unchecked_parts).collect();
    for words in unchecked {
        lines.extend(wrapped_lines(&words, columns, Ink::Warning));
    }
    if view.session.catalogs.what_if().is_none() {
        let writes = if others.is_empty() { " saves, " } else { " saves all catalogs, " };
        lines.push(vec![
            piece(view.key_label(ActionId::Write), Ink::Key),
            piece(writes, Ink::Dim),
            piece(view.key_label(ActionId::Undo), Ink::Key),
            piece(
                if undoes_several_catalogs(view) {
                    " undoes the last one in all its catalogs"
                } else {
                    " undoes the last one"
                },
                Ink::Dim,
            ),
        ]);
    }
    if !edits.is_empty() || !others.is_empty() {
        lines.push(Vec::new());
    }
    let label = current_catalog_label(view).filter(|_| !others.is_empty() && !edits.is_empty());
    if let Some(label) = &label {
        lines.push(vec![piece(label.clone(), Ink::Active)]);
    }
    for (title, reverted) in edits {
        push_edit_title(lines, title, *reverted, columns);
    }
    for (open, label) in others.iter().filter_map(|(number, _)| catalog_with_label(view, *number)) {
        lines.push(vec![piece(label, Ink::Active)]);
        for (title, reverted) in open.history.edits_between(&open.baseline) {
            push_edit_title(lines, title, reverted, columns);
        }
    }
    if let Some(label) = label {
        lines.push(Vec::new());
        lines.push(vec![piece(format!("Effects in {label}"), Ink::Active)]);
    }
    if let Some(open) = view.session.current_catalog() {
        push_template_warnings(view, open, lines, columns);
    }
    let broken = expectations::broken_expectation_lines(view, columns);
    push_report(view, lines, (view.session.catalogs.current_index(), report), broken, columns);
}

/// Returns true if undo reverts the last edit in several catalogs.
fn undoes_several_catalogs(view: &View<'_>) -> bool {
    let catalogs = &view.session.catalogs;
    let Some(batch) = catalogs.current().and_then(|open| open.history.undoable_batch()) else { return false };
    catalogs.all().iter().filter(|open| open.history.undoable_batch() == Some(batch)).count() > 1
}

/// Warns about content that is generated from a template, which does not have the edits.
fn push_template_warnings(view: &View<'_>, open: &OpenCatalog, lines: &mut Vec<Line>, columns: usize) {
    for (package, template) in open.edited_generated_packages() {
        let path = template.display_path.display();
        let is_edited = |other: &OpenCatalog| other.is_template_file(template) && other.unsaved_count() > 0;
        let words = if view.session.catalogs.all().iter().any(is_edited) {
            format!("{package} is generated from {path}, which also has unsaved edits.")
        } else if template.kind == Some(TemplateKind::Semver) {
            format!(
                "The channels of {package} are generated from {path}, which will overwrite edits to them."
            )
        } else {
            format!(
                "{package} is generated from {path}, which will overwrite edits made only here. T opens \
                 it, C then repeats the last edit there."
            )
        };
        lines.extend(wrapped_lines(&words, columns, Ink::Warning));
    }
}

/// Returns a catalog and its label.
fn catalog_with_label<'a>(view: &View<'a>, number: usize) -> Option<(&'a OpenCatalog, String)> {
    let catalogs = &view.session.catalogs;
    catalogs.all().get(number).zip(catalogs.labels().into_iter().nth(number))
}

fn current_catalog_label(view: &View<'_>) -> Option<String> {
    catalog_with_label(view, view.session.catalogs.current_index()).map(|(_, label)| label)
}

/// Lists the effects of the unsaved changes of the other catalogs.
fn push_other_catalogs(view: &View<'_>, lines: &mut Vec<Line>, columns: usize) {
    for (number, report) in view.state.other_changes() {
        let Some((open, label)) = catalog_with_label(view, *number) else { continue };
        lines.push(Vec::new());
        lines.push(vec![piece(format!("Effects in {label}"), Ink::Active)]);
        if view.session.catalogs.what_if().is_some() {
            for (title, reverted) in open.history.edits_between(&open.baseline) {
                push_edit_title(lines, title, reverted, columns);
            }
        }
        push_template_warnings(view, open, lines, columns);
        push_report(view, lines, (*number, report), Vec::new(), columns);
    }
}

fn push_edit_title(lines: &mut Vec<Line>, title: &str, reverted: bool, columns: usize) {
    let mark = if reverted { "  undone after saving: " } else { "  " };
    lines
        .extend(wrap_text(&format!("{mark}{title}"), columns).into_iter().map(|line| vec![text_piece(line)]));
}

/// Adds lines after a blank line, if there are any.
fn push_block(lines: &mut Vec<Line>, block: Vec<Line>) {
    if !block.is_empty() {
        lines.push(Vec::new());
        lines.extend(block);
    }
}

/// Lists findings, changed upgrades, broken expectations and changed lines of a catalog, given by its index.
fn push_report(
    view: &View<'_>,
    lines: &mut Vec<Line>,
    (number, report): (usize, &ChangeReport),
    broken: Vec<Line>,
    columns: usize,
) {
    let consequences = &report.consequences;
    let line_count = lines.len();
    push_block(lines, harm_lines(view, consequences, columns));
    for block in finding_blocks(consequences, columns) {
        push_block(lines, block);
    }
    push_changed_upgrades(view, lines, (number, consequences), columns);
    let deprecations = deprecation_effect_lines(view, consequences, columns);
    if !deprecations.is_empty() {
        lines.push(Vec::new());
        lines.push(vec![piece("Deprecations", Ink::Title)]);
        lines.extend(deprecations);
    }
    lines.extend(broken);
    if lines.len() == line_count && !report.files.is_empty() {
        lines.push(vec![piece("No upgrade changes.", Ink::Dim)]);
    }
    for file in &report.files {
        lines.push(Vec::new());
        let words = match file.kind {
            FileKind::Edited => "",
            FileKind::New => "  new file",
            FileKind::Removed => "  removed",
        };
        lines.push(vec![piece(file.path.display().to_string(), Ink::Title), piece(words, Ink::Dim)]);
        for hunk in &file.hunks {
            lines.push(vec![piece(format!("@@ line {}", hunk.old_line), Ink::Dim)]);
            for line in &hunk.lines {
                let (mark, ink) = match line.kind {
                    DiffKind::Kept => (" ", Ink::Dim),
                    DiffKind::Removed => ("-", Ink::Removed),
                    DiffKind::Added => ("+", Ink::Good),
                };
                lines.push(vec![piece(format!("{mark}{}", line.text), ink)]);
            }
        }
    }
}

fn push_changed_upgrades(
    view: &View<'_>,
    lines: &mut Vec<Line>,
    (number, consequences): (usize, &Consequences),
    columns: usize,
) {
    if consequences.changed_steps.is_empty() && consequences.fresh.is_empty() {
        return;
    }
    lines.push(Vec::new());
    lines.extend(changed_upgrade_lines(view, consequences, columns));
    for (ink, words) in view.state.new_upgrades(number) {
        lines.extend(hanging_lines(&[text_piece("  ")], words, columns, *ink));
    }
}

/// Rows for the text of the selected row.
const TEXT_ROWS: u16 = 4;

/// Minimum number of rows for showing the selected row in full.
const MIN_ROWS_FOR_TEXT: u16 = 9;

/// Draws the screen.
pub fn draw_differences(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect) {
    let heading = Rect { height: 1, ..area };
    let right = comparison_key_hints(view, usize::from(area.width));
    let waits = view.session.current_catalog().and_then(|open| open.base_comparison.pending_base());
    let Some(base) = waits.or(view.session.catalogs.base()) else { return };
    let Some(comparison) = view.session.catalogs.comparison().filter(|_| waits.is_none()) else {
        let what = if waits.is_some() { "Reading" } else { "Comparing with" };
        canvas.draw_heading(
            heading,
            &[text_piece(" "), piece(format!("{what} {}", base.label()), Ink::Active)],
            &right,
        );
        return;
    };
    let title = comparison_title(base, comparison);
    let mut area = draw_list_heading(view, canvas, area, ListId::Differences, &title, &right);
    let columns = usize::from(area.width).saturating_sub(2);
    let others = other_catalogs_line(view).into_iter();
    for line in others.chain(wrap_sentences(&summarize_effects(comparison), columns)) {
        canvas
            .draw_line(Rect { x: area.x + 1, width: area.width.saturating_sub(1), height: 1, ..area }, &line);
        area = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    }
    let shown = view.state.visible_differences();
    if shown.is_empty() {
        let filter = view.session.lists.filter(ListId::Differences);
        if !filter.is_empty() {
            let words = format!("nothing matches /{filter}; {} clears it", view.key_label(ActionId::Back));
            draw_empty_list(canvas, area, &words);
        }
        return;
    }
    let row = view
        .list_cursor(ListId::Differences)
        .and_then(|row| view.state.visible_difference(view.session, row));
    // The full text of the selected row is shown below the list.
    let below =
        row.filter(|_| area.height >= MIN_ROWS_FOR_TEXT).map(|row| wrap_text(&row.item.text, columns));
    let height = if below.is_some() { TEXT_ROWS.min(area.height / 3) } else { 0 };
    let list = Rect { height: area.height - height - u16::from(height > 0), ..area };
    let ascii = canvas.ascii;
    let filter = view.session.lists.filter(ListId::Differences);
    canvas.draw_list(list, &view.list_view(canvas, ListId::Differences), |row| {
        let Some(row) = view.state.visible_difference(view.session, row) else {
            return Vec::new();
        };
        let Item { indent: level, mark, ink, text } = &row.item;
        let indent = " ".repeat(2 * level);
        let head = match *mark {
            "" => String::new(),
            "Classic" | "v1" | "new" | "fixed" | "remains" | "changed" | "deprec." => format!("{mark:<7} "),
            mark => format!("{mark} "),
        };
        let room = columns.saturating_sub(display_width(&indent) + display_width(&head));
        let mut pieces = vec![text_piece(indent), piece(head, *ink)];
        let words = if *level == 2 { Ink::Text } else { *ink };
        pieces.extend(highlight_filter(&fit(text, room, ascii), words, filter));
        pieces
    });
    let Some(words) = below else { return };
    canvas.draw_rule(Rect { y: list.bottom(), height: 1, ..area });
    let lower = Rect { x: area.x + 1, y: list.bottom() + 1, height, width: area.width.saturating_sub(2) };
    let hidden = words.len().saturating_sub(usize::from(lower.height));
    for (y, line) in (lower.top()..lower.bottom()).zip(&words) {
        canvas.draw_text(lower.x, y, lower.width, line, Ink::Text);
    }
    if hidden > 0 {
        let more = format!(" {} more ", format_count(hidden, "line"));
        canvas.draw_line_right(Rect { y: lower.bottom() - 1, height: 1, ..lower }, &[piece(more, Ink::Dim)]);
    }
}

/// Returns the title of the comparison.
fn comparison_title(base: &Base, comparison: &Comparison) -> String {
    let verb = if comparison.changed_packages == 1 { "differs" } else { "differ" };
    format!("{} {verb} from {}", format_count(comparison.changed_packages, "package"), base.label())
}

/// Returns the line about the other compared catalogs, which the list below does not show. `None` if there is no other
/// one.
fn other_catalogs_line(view: &View<'_>) -> Option<Line> {
    let catalogs = &view.session.catalogs;
    let open = catalogs.all().iter().zip(catalogs.labels()).enumerate();
    let others = open.filter_map(|(at, (open, label))| {
        let comparison = open.base_comparison.comparison().filter(|_| at != catalogs.current_index())?;
        let mut new = comparison.difference.consequences.new_findings.iter();
        let is_harmful = comparison.impacts.iter().any(|(impact, _)| impact.is_harm())
            || new.any(|finding| finding.severity() == Severity::Error);
        let ink = match comparison.changed_packages {
            0 => Ink::Dim,
            _ if is_harmful => Ink::Error,
            _ => Ink::Text,
        };
        Some([piece(format!("{label} {}", format_count(comparison.changed_packages, "package")), ink)])
    });
    let others = others.collect::<Vec<_>>().join(&text_piece(", "));
    if others.is_empty() {
        return None;
    }
    let key = [piece(view.key_label(ActionId::NextCatalog), Ink::Key), piece(" other catalogs: ", Ink::Dim)];
    Some(key.into_iter().chain(others).collect())
}

/// Summarizes the effects on users, the worst first.
fn summarize_effects(comparison: &Comparison) -> Vec<(String, Ink)> {
    let left_out = comparison.left_out.iter().map(|words| (format!("Not compared: {words}."), Ink::Warning));
    let mut words: Vec<(String, Ink)> = left_out.collect();
    let is_whole = words.is_empty();
    if comparison.difference.is_empty() {
        let same = if is_whole {
            "No difference in meaning."
        } else {
            "No difference in meaning in the \
         rest."
        };
        words.push((same.to_owned(), Ink::Good));
        return words;
    }
    let fates = comparison.impacts.iter().map(|(fortune, words)| {
        let ink = match fortune {
            Impact::Stuck | Impact::Failing | Impact::Downgraded => Ink::Error,
            Impact::Freed | Impact::Recovered => Ink::Good,
            Impact::Redirected => Ink::Text,
        };
        (format!("{words}."), ink)
    });
    let new = |severity| {
        let all = comparison.difference.consequences.new_findings.iter();
        all.filter(|finding| finding.severity() == severity).count()
    };
    let (errors, warnings) = (new(Severity::Error), new(Severity::Warning));
    if errors > 0 {
        words.push((format!("opm rejects it: {}.", format_count(errors, "new error")), Ink::Error));
    }
    words.extend(fates);
    if warnings > 0 {
        words.push((format!("{}.", format_count(warnings, "new warning")), Ink::Warning));
    }
    if comparison.impacts.is_empty() {
        let nobody = if is_whole { "No upgrade changes." } else { "No upgrade changes in the rest." };
        words.push((nobody.to_owned(), Ink::Good));
    }
    let deprecations = &comparison.difference.consequences.deprecations;
    if deprecations.iter().all(|effects| effects.added.is_empty()) {
        let none = if is_whole { "No new deprecations." } else { "No new deprecations in the rest." };
        words.push((none.to_owned(), Ink::Good));
    }
    words
}

/// Wraps sentences to lines; a sentence is never split.
fn wrap_sentences(sentences: &[(String, Ink)], columns: usize) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut used = 0;
    for (sentence, ink) in sentences {
        let wide = display_width(sentence);
        let last = lines.last_mut().filter(|_| used + 1 + wide <= columns);
        if let Some(line) = last {
            line.extend([text_piece(" "), piece(sentence, *ink)]);
            used += 1 + wide;
        } else {
            lines.push(vec![piece(sentence, *ink)]);
            used = wide;
        }
    }
    lines
}

/// Returns the hints for the keys that lead away from the comparison.
fn comparison_key_hints(view: &View<'_>, columns: usize) -> Line {
    let mut pieces = Vec::new();
    let unsaved = view.session.catalogs.unsaved_count();
    if unsaved > 0 && columns >= 60 {
        pieces.push(piece(view.key_label(ActionId::NextPane), Ink::Key));
        pieces.push(piece(format!(" {}  ", format_count(unsaved, "unsaved edit")), Ink::Dim));
    }
    pieces.push(piece(view.key_label(ActionId::CompareWith), Ink::Key));
    pieces.push(piece(if columns >= 60 { " another base, or none " } else { " base " }, Ink::Dim));
    pieces
}
