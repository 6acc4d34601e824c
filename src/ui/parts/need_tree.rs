//! Tree of the dependencies of a bundle and their providers.

use crate::ui::{
    canvas::{Pieces, piece, text_piece, wrap_text},
    theme::Role,
};
use olm_upgrade::resolve::needs::{Need, Provider};

/// Appends a dependency as a branch, with its providers.
pub fn push_need_branch(need: &Need, is_last: bool, columns: usize, ascii: bool, lines: &mut Vec<Pieces>) {
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
    let (mark, role) = match (met, &need.unknown_reason, ascii) {
        (true, _, false) => ("● ", Role::Good),
        (true, _, true) => ("* ", Role::Good),
        (false, Some(_), _) => ("? ", Role::Warning),
        (false, None, false) => ("✗ ", Role::Error),
        (false, None, true) => ("x ", Role::Error),
    };
    let room = columns.saturating_sub(6).max(10);
    for (at, line) in wrap_text(&need.description, room).into_iter().enumerate() {
        let front = if at == 0 { branch } else { trunk };
        let mark = if at == 0 { mark } else { "  " };
        lines.push(vec![piece(format!("  {front}"), Role::Rule), piece(mark, role), text_piece(line)]);
    }
    let by = match (&need.suggestion, met) {
        (_, true) => describe_providers(need),
        (_, false) if need.unknown_reason.is_some() => "not known who satisfies it".to_owned(),
        (Some(nearest), false) => format!("nothing satisfies it; {nearest}"),
        (None, false) => "nothing satisfies it".to_owned(),
    };
    for line in wrap_text(&by, room.saturating_sub(2)) {
        lines.push(vec![
            piece(format!("  {trunk}    "), Role::Rule),
            piece(line, if met { Role::Dim } else { role }),
        ]);
    }
    for line in need.unknown_reason.iter().flat_map(|words| wrap_text(words, room.saturating_sub(2))) {
        lines.push(vec![piece(format!("  {trunk}    "), Role::Rule), piece(line, Role::Warning)]);
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
