//! Unmet expectations, shown next to the affected bundles.

use crate::tui::{
    session::context::ViewContext,
    widgets::{
        canvas::{Line, piece, wrapped_lines},
        text::format_count,
        theme::Ink,
    },
};
use olm_catalog::BundleName;
use olm_check::review::expect::{Case, Mistake};
use olm_upgrade::Engine;
use olmap_report::expectations;

/// Word that marks an unmet expectation.
pub const UNEXPECTED: &str = "UNEXPECTED";

/// Returns whether an expectation about an installed bundle is not met.
pub fn is_unexpected(view_cx: &ViewContext<'_>, installed: &BundleName) -> bool {
    view_cx
        .session
        .unmet_expectations()
        .any(|case| case.installed.as_ref().is_some_and(|known| known.name == *installed))
}

/// Returns the unmet expectations about a fresh install.
pub fn unmet_fresh_expectations(view_cx: &ViewContext<'_>) -> Line {
    let Some(file) = view_cx.session.catalogs.expectations() else { return Vec::new() };
    let cases = view_cx.session.unmet_expectations().filter(|case| case.installed.is_none());
    let words = cases.filter_map(|case| {
        let row = file.rows.get(case.row)?;
        let engine = match case.context.engine() {
            Engine::Classic => "Classic",
            Engine::V1 => "v1",
        };
        let words = format!(
            "   {UNEXPECTED} by line {}: {engine}, {}",
            file.location_of(row.span).line,
            row.expect.value
        );
        Some(piece(words, Ink::Error))
    });
    words.collect()
}

/// Returns the unmet expectations about an installed bundle.
pub fn unmet_expectation_lines(
    view_cx: &ViewContext<'_>,
    installed: &BundleName,
    columns: usize,
) -> Vec<Line> {
    let about = |case: &&Case| case.installed.as_ref().is_some_and(|known| known.name == *installed);
    view_cx
        .session
        .unmet_expectations()
        .filter(about)
        .flat_map(|case| unmet_case_lines(view_cx, case, "", columns))
        .collect()
}

fn unmet_case_lines(view_cx: &ViewContext<'_>, case: &Case, indent: &str, columns: usize) -> Vec<Line> {
    let Some((file, row)) =
        view_cx.session.catalogs.expectations().and_then(|file| Some((file, file.rows.get(case.row)?)))
    else {
        return Vec::new();
    };
    let at = file.location_of(row.span);
    let name = at.path.file_name().unwrap_or_default().to_string_lossy();
    let words =
        format!("{indent}{UNEXPECTED} by {name}:{}: {}", at.line, expectations::describe_failure(case, row));
    wrapped_lines(&words, columns, Ink::Error)
}

/// Counts met and unmet expectations for the heading. Empty if there are none.
pub fn expectation_counts(view_cx: &ViewContext<'_>) -> Line {
    let Some((file, report)) =
        view_cx.session.catalogs.expectations().zip(view_cx.session.derived.expectation_report())
    else {
        return Vec::new();
    };
    let mut pieces = Vec::new();
    let mistakes = file.mistakes.len() + report.mistakes.len();
    let failing = report.failing_rows().len() - report.mistaken_rows().len();
    if failing > 0 {
        let here = view_cx.session.unmet_expectations().next().is_some();
        let elsewhere = if here { "" } else { " in other packages" };
        let words = format!(", {} not met{elsewhere}", format_count(failing, "expectation"));
        pieces.push(piece(words, if here { Ink::Error } else { Ink::Warning }));
    } else if !file.rows.is_empty() && mistakes == 0 {
        pieces.push(piece(format!(", {} met", format_count(file.rows.len(), "expectation")), Ink::Good));
    }
    if mistakes > 0 {
        let name = file.path.file_name().unwrap_or_default().to_string_lossy();
        pieces.push(piece(format!(", {} in {name}", format_count(mistakes, "mistake")), Ink::Warning));
    }
    pieces
}

/// Lists the expectations that edits break, a few lines each.
pub fn broken_expectation_lines(view_cx: &ViewContext<'_>, columns: usize) -> Vec<Line> {
    let (broken, report) =
        (view_cx.session.derived.broken_expectations(), view_cx.session.derived.expectation_report());
    let Some((report, file)) =
        report.zip(view_cx.session.catalogs.expectations()).filter(|_| !broken.is_empty())
    else {
        return Vec::new();
    };
    let mut lines =
        vec![Vec::new(), vec![piece(format!("Broken expectations {}", broken.len()), Ink::Title)]];
    for row in broken {
        let unmet = report.unmet_cases().filter(|case| case.row == row);
        lines.extend(unmet.flat_map(|case| unmet_case_lines(view_cx, case, "  ", columns)));
        for Mistake { span, message, .. } in report.mistakes.iter().filter(|mistake| mistake.row == Some(row))
        {
            let words = format!("  {UNEXPECTED} by line {}: {message}", file.location_of(*span).line);
            lines.extend(wrapped_lines(&words, columns, Ink::Error));
        }
    }
    lines
}
