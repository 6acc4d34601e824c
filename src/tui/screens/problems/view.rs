//! Problems screen: the findings, and the details of the selected one.

use ratatui::layout::Rect;

use crate::tui::{
    keys::ActionId,
    parts::{frame::Splitter, list::ListId, text::format_count},
    screens::{
        problems::{
            Problems,
            rows::{ListedFinding, Row},
        },
        screen::ScreenView,
    },
    widgets::{
        boxes::draw_scrolled_text,
        canvas::{
            Canvas, Line, Piece, display_width, highlight_filter, pad, piece, text_piece, wrap_text,
            wrapped_lines,
        },
        lists::{draw_list_heading, draw_no_rows, order_label},
        theme::Ink,
    },
};
use olm_catalog::PackageName;
use olm_check::{Finding, RuleProperty, Severity, review::fixes, rules};
use olmap_report::{
    finding::{describe_consequences, severity_ink},
    stuck,
};

/// Lines of the list besides its rows: the title above, and a blank line below.
const EXTRA_LINES: u16 = 2;

/// Maximum number of locations listed for a finding; some findings have thousands.
const MAX_LOCATIONS: usize = 30;

/// The screen and its context.
type View<'a> = ScreenView<'a, Problems>;

/// Draws the screen.
pub fn draw_problems_screen(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect) {
    let problems = view.state.listed_findings();
    let usual = (area.height / 3).clamp(4, 9);
    // A short list leaves the rest to the details. A filter lists equal findings one by one.
    let needed = u16::try_from(problems.len()).unwrap_or(u16::MAX).saturating_add(EXTRA_LINES);
    let below = match (area.height < 9 || problems.is_empty(), view.session.lists.filter(ListId::Problems)) {
        (true, _) => 0,
        (false, "") => usual.max((area.height - 1).saturating_sub(needed)),
        (false, _) => usual,
    };
    let (upper, lower) = if below == 0 {
        (area, None)
    } else if view.state.has_side_pane(view.frame)
        && let Some((list, side)) = view.split_side_pane(canvas, area, Splitter::ProblemsSide)
    {
        (list, Some(side))
    } else {
        let above = view.frame.splits.size_before(Splitter::Problems, area.height - below - 1, area.height);
        let (upper, lower) = canvas.draw_splitter(area, Splitter::Problems, above);
        (upper, Some(lower))
    };
    let open = problems.iter().filter(|problem| problem.accepted.is_none());
    let count = |is_note: bool| -> usize {
        let all = open.clone().flat_map(|problem| std::iter::once(problem).chain(&problem.repeated));
        all.filter(|problem| (problem.finding.severity() == Severity::Note) == is_note).count()
    };
    let (count, notes, rows) = (count(false), count(true), open.clone().count());
    let mut title = format!("Problems {count}");
    if notes > 0 {
        title += &format!(" and {}", format_count(notes, "note"));
    }
    if rows < count + notes {
        title += &format!(" in {}", format_count(rows, "row"));
    }
    let inner = draw_list_heading(
        view,
        canvas,
        upper,
        ListId::Problems,
        &title,
        &order_label(
            view,
            ListId::Problems,
            if area.width < 80 { "worst first " } else { "worst first, with affected versions " },
        ),
    );
    if problems.is_empty() {
        let nothing_there = view.session.snapshot().is_none_or(|s| s.packages().len() == 0);
        let words = match nothing_there {
            _ if view.session.catalogs.unread().is_some() => "Problems appear when the catalog is loaded.",
            false => "No findings.",
            true => "Nothing to check: no package, channel or bundle found.",
        };
        return draw_no_rows(view, canvas, inner, ListId::Problems, words);
    }
    let ascii = canvas.ascii;
    let widest = |texts: &mut dyn Iterator<Item = usize>, most: usize| texts.max().unwrap_or(0).min(most);
    let quarter = usize::from(area.width) / 4;
    let package = |p: &ListedFinding| match p.count_packages() {
        0 | 1 => match (&p.finding.package, &p.location) {
            (Some(package), _) => package.to_string(),
            (None, Some(place)) => place.path.display().to_string(),
            (None, None) => String::new(),
        },
        several => format_count(several, "package"),
    };
    // There can be many thousands of findings, and those of a package are mostly adjacent.
    let mut of_packages: Vec<&PackageName> =
        problems.iter().filter_map(|p| p.finding.package.as_ref()).collect();
    of_packages.dedup();
    // In narrow terminals the rule is shown only below the list, to leave room for the message.
    let rules = match area.width {
        0..100 => 0,
        _ => widest(&mut problems.iter().map(|p| p.finding.rule.id.len()), quarter),
    };
    let affected = match area.width {
        0..80 => 0,
        _ => widest(&mut problems.iter().map(|p| p.affected_versions.to_string().len()), 6),
    };
    let filter = view.session.lists.filter(ListId::Problems);
    let packages = widest(&mut of_packages.iter().map(|name| display_width(name.as_str())), quarter);
    canvas.draw_list(inner, &view.list_view(canvas, ListId::Problems), |row| {
        let problem = match view.state.row_at(row) {
            Some(Row::Finding(problem)) => problem,
            Some(Row::Accepted { count, is_open }) => return accepted_row(view, count, is_open, ascii),
            None => return Vec::new(),
        };
        let finding = &problem.finding;
        let severity = format!("{:<8}", finding.severity().as_str());
        let ink = if problem.accepted.is_some() { Ink::Dim } else { severity_ink(finding.severity()) };
        let mut pieces = highlight_filter(&severity, ink, filter);
        pieces.extend(highlight_filter(
            &format!("{}  ", pad(&package(problem), packages, ascii)),
            Ink::Title,
            filter,
        ));
        if affected > 0 {
            let count = match problem.affected_versions {
                0 => "-".to_owned(),
                count => count.to_string(),
            };
            pieces.push(piece(format!("{count:>affected$}  "), Ink::Title));
        }
        if rules > 0 {
            pieces.extend(highlight_filter(
                &format!("{}  ", pad(finding.rule.id, rules, ascii)),
                Ink::Dim,
                filter,
            ));
        }
        if !problem.repeated.is_empty() {
            let count = 1 + problem.repeated.len();
            let is_stuck = finding.rule.id == rules::STUCK.id;
            let notes = problem.repeated.iter().filter(|other| {
                other.finding.severity() == Severity::Note && finding.severity() != Severity::Note
            });
            let notes = match notes.count() {
                0 => String::new(),
                notes => format!(" ({})", format_count(notes, "note")),
            };
            let count =
                if is_stuck { format!("{count} ends{notes}, the largest: ") } else { format!("{count}x ") };
            pieces.push(piece(count, Ink::Dim));
        }
        pieces.extend(highlight_filter(&finding.message, Ink::Text, filter));
        pieces
    });
    if let Some(lower) = lower {
        match view.list_cursor(ListId::Problems).and_then(|row| view.state.row_at(row)) {
            Some(Row::Finding(problem)) => draw_finding_details(view, canvas, lower, problem),
            Some(Row::Accepted { .. }) => draw_accepted_details(view, canvas, lower),
            None => {}
        }
    }
}

/// Returns the row that represents the accepted findings.
fn accepted_row(view: &View<'_>, count: usize, is_open: bool, ascii: bool) -> Vec<Piece> {
    let mark = match (is_open, ascii) {
        (true, false) => "\u{25be}",
        (false, false) => "\u{25b8}",
        (true, true) => "v",
        (false, true) => "+",
    };
    let key = view.key_label(ActionId::Fold);
    let what = if is_open { "fold them" } else { "show them" };
    vec![
        piece(format!("{mark} {} accepted  ", format_count(count, "finding")), Ink::Title),
        piece(key, Ink::Key),
        piece(format!(" {what}"), Ink::Dim),
    ]
}

/// Draws the explanation of accepted findings.
fn draw_accepted_details(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect) {
    let Some(file) = view.session.catalogs.accepted() else { return };
    let words = format!(
        "Accepted by {}. New findings count, also of the same rule. olmap validate --baseline shows \
         obsolete rows.",
        file.path.display()
    );
    let columns = usize::from(area.width).saturating_sub(2);
    for (y, line) in (area.top()..area.bottom()).zip(wrap_text(&words, columns)) {
        canvas
            .draw_line(Rect { x: area.x + 1, y, width: area.width - 1, height: 1 }, &[piece(line, Ink::Dim)]);
    }
}

/// Lists the locations of the findings grouped with this one.
fn repeated_finding_lines(problem: &ListedFinding, columns: usize) -> Vec<Vec<Piece>> {
    if problem.repeated.is_empty() {
        return Vec::new();
    }
    let more = problem.repeated.len().saturating_sub(MAX_LOCATIONS);
    let listed = problem.repeated.iter().take(MAX_LOCATIONS).map(|other| match &other.location {
        Some(place) => format!("{}: {}", place.path_and_line(), other.finding.message),
        None => other.finding.message.clone(),
    });
    let head = format!("{} more like this (a filter lists each):", problem.repeated.len());
    let mut lines: Vec<String> = std::iter::once(head).chain(listed).collect();
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines.iter().flat_map(|line| wrap_text(line, columns)).map(|line| vec![piece(line, Ink::Dim)]).collect()
}

/// Says that stuck versions of the package have no finding, because the rule is not checked if edges may be missing.
/// Empty if they have one, or none is stuck.
fn unlisted_stuck_lines(view: &View<'_>, finding: &Finding, columns: usize) -> Vec<Line> {
    let package = finding.package.as_ref().filter(|_| finding.severity() == Severity::Error);
    let state = package.and_then(|name| view.session.snapshot()?.package(name.as_str()));
    let Some(state) = state else { return Vec::new() };
    let is_listed = state.findings.iter().any(|finding| *finding.rule == rules::STUCK);
    let counts = view.session.catalogs.stuck_counts(&state.package().name);
    let Some((classic, v1)) = counts.filter(|counts| *counts != (0, 0) && !is_listed) else {
        return Vec::new();
    };
    let show = view.key_label(ActionId::ShowPackages);
    let words = format!(
        "{} in {}: not listed here while the package has errors; {show} shows them",
        stuck::format_stuck_title(classic, v1),
        state.package().name
    );
    wrapped_lines(&words, columns, Ink::Warning)
}

fn draw_finding_details(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect, problem: &ListedFinding) {
    let finding = &problem.finding;
    let columns = usize::from(area.width).saturating_sub(2);
    let mut lines = vec![vec![
        piece(
            format!("{}[{}] ", finding.severity().as_str(), finding.rule.id),
            severity_ink(finding.severity()),
        ),
        piece(finding.rule.title, Ink::Dim),
    ]];
    lines.extend(wrap_text(&finding.message, columns).into_iter().map(|line| vec![text_piece(line)]));
    if let Some(reason) = &problem.accepted {
        let reason = if reason.is_empty() { "no reason given" } else { reason };
        let words = wrap_text(&format!("accepted: {reason}"), columns);
        lines.extend(words.into_iter().map(|line| vec![piece(line, Ink::Title)]));
    }
    if let Some(place) = &problem.location {
        lines.push(vec![piece("at ", Ink::Dim), piece(place.to_string(), Ink::Key)]);
    }
    // The search may find another edit than the advice names, so the advice is omitted.
    let is_searched = finding.fix.is_none() && finding.rule.has(RuleProperty::FixedBySearch);
    if is_searched {
        lines.push(vec![
            piece(view.key_label(ActionId::ApplyFix), Ink::Key),
            piece(" looks for an edit that frees them", Ink::Good),
        ]);
    } else {
        let advice = wrap_text(&format!("help: {}", finding.advice()), columns);
        lines.extend(advice.into_iter().map(|line| vec![piece(line, Ink::Good)]));
    }
    let consequences = describe_consequences(finding);
    if !consequences.is_empty() {
        lines.extend(wrapped_lines(&consequences, columns, Ink::Dim));
    }
    if let Some(fix) = &finding.fix {
        lines.push(vec![
            piece(view.key_label(ActionId::ApplyFix), Ink::Key),
            piece(format!(" fixes it: {}", fix.title()), Ink::Good),
        ]);
    }
    if finding.fix.is_none() && !is_searched && fixes::may_have_alternatives(finding) {
        lines.push(vec![
            piece(view.key_label(ActionId::ApplyFix), Ink::Key),
            piece(" looks for edits that fix it", Ink::Good),
        ]);
    }
    lines.extend(unlisted_stuck_lines(view, finding, columns));
    for related in finding.related.iter().take(MAX_LOCATIONS) {
        let place = view.session.snapshot().and_then(|s| related.at.resolve_in_catalog(&s.catalog));
        let place = place.map(|place| format!("{}: ", place.path_and_line())).unwrap_or_default();
        let words = wrap_text(&format!("{place}{}", related.message), columns);
        lines.extend(words.into_iter().map(|line| vec![piece(line, Ink::Dim)]));
    }
    let more = finding.related.len().saturating_sub(MAX_LOCATIONS);
    if more > 0 {
        lines.push(vec![piece(format!("and {more} more places"), Ink::Dim)]);
    }
    lines.extend(repeated_finding_lines(problem, columns));
    let area = Rect { x: area.x + 1, width: area.width - 1, ..area };
    let has_keys = view.state.is_reading;
    draw_scrolled_text(
        view,
        canvas,
        area,
        ListId::Finding,
        has_keys,
        view.key_label(ActionId::NextPane),
        &lines,
    );
}
