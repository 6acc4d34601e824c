//! Preview of an edit, for forms and dialogs.

use crate::tui::{
    session::context::ViewContext,
    widgets::{
        canvas::{Line, piece, wrapped_lines},
        effects::{
            changed_upgrade_lines, deprecation_effect_lines, earlier_finding_lines, finding_blocks,
            harm_lines,
        },
        theme::Ink,
    },
    work::{
        PreviewState,
        preview::{EditOutcome, Preview},
    },
};
use olm_catalog::PackageName;
use olm_check::review::{Consequences, Snapshot};
use olmap_report::new_upgrades::{
    UpgradeChecks, describe_new_upgrade_safety, packages_with_unchecked_upgrades,
};

/// Returns the preview of an edit, or that it is pending.
pub fn preview_state_lines(view_cx: &ViewContext<'_>, prospect: &PreviewState, columns: usize) -> Vec<Line> {
    match prospect {
        PreviewState::Pending(_) => vec![vec![piece("Working out what it changes...", Ink::Dim)]],
        PreviewState::NoEdit => preview_lines(view_cx, None, columns),
        PreviewState::Ready(known) => preview_lines(view_cx, Some(known), columns),
    }
}

/// Returns the preview of an edit.
pub fn preview_lines(view_cx: &ViewContext<'_>, preview: Option<&Preview>, columns: usize) -> Vec<Line> {
    let outcome = match preview {
        None => return vec![vec![piece("No change yet.", Ink::Dim)]],
        Some(Err(error)) => {
            return wrapped_lines(&format!("Not possible: {error}"), columns, Ink::Error);
        }
        Some(Ok(outcome)) => outcome,
    };
    let unchecked =
        outcome.edit.package().and_then(|package| describe_unchecked_part(&outcome.after, package));
    let mut lines: Vec<Line> =
        unchecked.iter().flat_map(|words| wrapped_lines(words, columns, Ink::Warning)).collect();
    lines.extend(consequence_lines(view_cx, &outcome.consequences, outcome, columns));
    lines
}

/// Returns the warning that the effects of an edit of a package are not known completely. `None` if its files were read
/// completely.
pub fn describe_unchecked_part(after: &Snapshot, package: &PackageName) -> Option<String> {
    after.find_file_error(package)?;
    Some(format!("{package} could not be read completely: effects on its missing objects are not checked."))
}

/// Lists the changes for findings and users.
pub fn consequence_lines(
    view_cx: &ViewContext<'_>,
    consequences: &Consequences,
    EditOutcome { after, earlier_findings, needs_checks, .. }: &EditOutcome,
    columns: usize,
) -> Vec<Line> {
    let mut lines = harm_lines(view_cx, consequences, columns);
    lines.extend(finding_blocks(consequences, columns).into_iter().flatten());
    lines.extend(deprecation_effect_lines(view_cx, consequences, columns));
    let checks = if *needs_checks { UpgradeChecks::Running } else { UpgradeChecks::Done };
    let safety = describe_new_upgrade_safety(consequences, after, checks);
    if consequences.new_findings.is_empty() {
        let ink = if packages_with_unchecked_upgrades(consequences, after).is_empty() {
            Ink::Good
        } else {
            Ink::Text
        };
        lines.push(vec![piece("No new findings.", ink)]);
    }
    lines.extend(earlier_finding_lines(earlier_findings, columns));
    lines.extend(safety.into_iter().flat_map(|(ink, words)| wrapped_lines(&words, columns, ink)));
    lines.extend(changed_upgrade_lines(view_cx, consequences, columns));
    lines
}
