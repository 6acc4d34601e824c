//! State at the end of each row of the upgrade table, followed by remarks.

use crate::{
    tui::Model,
    ui::{
        canvas::{Piece, piece, text_piece},
        theme::Role,
    },
};
use olm_catalog::package::Package;
use olm_check::review::PackageState;
use olm_upgrade::{
    UpgradeRow, UpgradeTable,
    row_notes::RowNoteKind,
    stuck::{StuckReport, VersionStates},
};

/// States of the versions of a package.
pub(super) struct RowStates<'j>(Option<VersionStates<'j>>);

impl<'j> RowStates<'j> {
    pub(super) fn new(model: &Model, package_state: &'j PackageState) -> Self {
        Self(model.session.stuck_of(package_state).map(StuckReport::version_states))
    }

    /// Returns the state of a row, followed by remarks.
    pub(super) fn state_pieces(
        &self,
        package: &Package,
        table: &UpgradeTable,
        row: &UpgradeRow,
    ) -> Vec<Piece> {
        let name = &row.installed.name;
        let Some(states) = self.0.as_ref().filter(|_| package.bundle(name.as_str()).is_some()) else {
            return remark_pieces(package, table, row, false);
        };
        let state = states.get(name);
        let mut pieces = Vec::new();
        pieces.extend(state.describe_state(package, name).map(|words| piece(words, Role::Warning)));
        if state.needs_channel_change && row.in_channel {
            pieces.push(piece("channel change", Role::Note));
        }
        let remarks = remark_pieces(package, table, row, state.classic.is_some());
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
fn remark_pieces(package: &Package, table: &UpgradeTable, row: &UpgradeRow, is_stuck: bool) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let is_said = |kind: RowNoteKind| kind == RowNoteKind::DeadEnd && is_stuck;
    for remark in table.row_notes(package, row).into_iter().filter(|remark| !is_said(remark.kind)) {
        if !pieces.is_empty() {
            pieces.push(piece("; ", Role::Dim));
        }
        let role = match remark.kind {
            RowNoteKind::Error | RowNoteKind::DeadEnd => Role::Error,
            RowNoteKind::Refused | RowNoteKind::LeavesChannel | RowNoteKind::Circle => Role::Warning,
            RowNoteKind::Differs => Role::Note,
            RowNoteKind::ToDeprecated | RowNoteKind::Deprecated => Role::Deprecated,
            RowNoteKind::Skipped => Role::Skipped,
            RowNoteKind::Outside => Role::Dim,
        };
        pieces.push(Piece { text: remark.text, role });
    }
    if pieces.is_empty() {
        pieces.push(text_piece(""));
    }
    pieces
}
