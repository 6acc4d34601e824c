//! State at the end of each row of the upgrade table, followed by remarks.

use crate::{
    app::Model,
    catalog::package::Package,
    review::Judged,
    ui::{
        canvas::{Piece, piece, text},
        theme::Role,
    },
    upgrade::{
        UpgradeRow, UpgradeTable,
        remark::RemarkKind,
        stuck::{PackageStuck, VersionStates},
    },
};

/// States of the versions of a package.
pub(super) struct States<'j>(Option<VersionStates<'j>>);

impl<'j> States<'j> {
    pub(super) fn new(model: &Model, judged: &'j Judged) -> Self {
        Self(model.session.stuck_of(judged).map(PackageStuck::states))
    }

    /// Returns the state of a row, followed by remarks.
    pub(super) fn words(&self, package: &Package, table: &UpgradeTable, row: &UpgradeRow) -> Vec<Piece> {
        let name = &row.installed.name;
        let Some(states) = self.0.as_ref().filter(|_| package.bundle(name.as_str()).is_some()) else {
            return words(package, table, row, false);
        };
        let state = states.get(name);
        let mut pieces = Vec::new();
        pieces.extend(state.words(package, name).map(|words| piece(words, Role::Warning)));
        if state.needs_channel_change && row.in_channel {
            pieces.push(piece("channel change", Role::Note));
        }
        let remarks = words(package, table, row, state.classic.is_some());
        let has_remarks = remarks.iter().any(|remark| !remark.text.is_empty());
        match (pieces.is_empty(), has_remarks) {
            (true, true) => remarks,
            (true, false) => vec![piece("ok", Role::Dim)],
            (false, true) => {
                pieces.push(piece("; ", Role::Dim));
                pieces.extend(remarks);
                pieces
            }
            (false, false) => pieces,
        }
    }
}

/// Returns remarks about a row.
///
/// * `is_stuck` - true if the row is stuck on OLM Classic; the state already says so.
fn words(package: &Package, table: &UpgradeTable, row: &UpgradeRow, is_stuck: bool) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let is_said = |kind: RemarkKind| kind == RemarkKind::DeadEnd && is_stuck;
    for remark in table.remarks(package, row).into_iter().filter(|remark| !is_said(remark.kind)) {
        if !pieces.is_empty() {
            pieces.push(piece("; ", Role::Dim));
        }
        let role = match remark.kind {
            RemarkKind::Error | RemarkKind::DeadEnd => Role::Error,
            RemarkKind::Refused | RemarkKind::Escape | RemarkKind::Circle => Role::Warning,
            RemarkKind::Differs => Role::Note,
            RemarkKind::ToDeprecated | RemarkKind::Deprecated => Role::Deprecated,
            RemarkKind::Skipped => Role::Skipped,
            RemarkKind::Outside => Role::Dim,
        };
        pieces.push(Piece { text: remark.text, role });
    }
    if pieces.is_empty() {
        pieces.push(text(""));
    }
    pieces
}
