//! Preview of an edit, for forms and dialogs.

use crate::ui::{
    canvas::{Pieces, piece, wrap},
    parts::effects::{effect_lines, finding_lines, harm_lines, left_lines, moved_lines, unchecked_lines},
    theme::Role,
};
use crate::{
    app::{
        Model,
        work::{Prospect, preview::Preview},
    },
    review::Consequences,
};

/// Returns the preview of an edit, or that it is pending.
pub fn prospect(model: &Model, prospect: &Prospect, columns: usize) -> Vec<Pieces> {
    match prospect {
        Prospect::Awaited(_) => vec![vec![piece("Working out what it changes...", Role::Dim)]],
        Prospect::Nothing => preview(model, None, columns),
        Prospect::Known(known) => preview(model, Some(known), columns),
    }
}

/// Returns the preview of an edit.
pub fn preview(model: &Model, preview: Option<&Preview>, columns: usize) -> Vec<Pieces> {
    let outcome = match preview {
        None => return vec![vec![piece("No change yet.", Role::Dim)]],
        Some(Err(error)) => {
            return wrap(&format!("Not possible: {error}"), columns)
                .into_iter()
                .map(|line| vec![piece(line, Role::Error)])
                .collect();
        }
        Some(Ok(outcome)) => outcome,
    };
    consequence_lines(model, &outcome.consequences, columns)
}

/// Lists the changes for findings and users.
pub fn consequence_lines(model: &Model, consequences: &Consequences, columns: usize) -> Vec<Pieces> {
    let mut lines = harm_lines(model, consequences, columns);
    for (title, findings) in
        [("New findings", &consequences.new_findings), ("Fixed findings", &consequences.fixed_findings)]
    {
        if !findings.is_empty() {
            lines.push(vec![piece(format!("{title} {}", findings.len()), Role::Title)]);
            lines.extend(finding_lines(findings, columns));
        }
    }
    lines.extend(unchecked_lines(&consequences.unchecked_findings, columns));
    lines.extend(left_lines(&consequences.left, columns));
    lines.extend(effect_lines(model, consequences, columns));
    if consequences.new_findings.is_empty() {
        lines.push(vec![piece("No new findings.", Role::Good)]);
    }
    lines.extend(moved_lines(model, consequences, columns));
    lines
}
