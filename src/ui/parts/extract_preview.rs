//! Preview of an extract: what stays, and what is added for it.

use std::collections::HashSet;

use crate::tui::{Model, work::PreviewState};
use crate::ui::{
    canvas::{Pieces, piece, text_piece, wrap_text},
    parts::{
        lists::bundle_short_name,
        preview::{consequence_lines, preview_state_lines},
    },
    text::{format_count, format_entry_count},
    theme::Role,
};
use olm_catalog::{ChannelName, PackageName};
use olm_check::{
    Finding,
    review::{ChangedUpgrade, Consequences, FreshInstallChange},
};
use olm_plan::extract::ExtractPlan;
use olmap_report::extraction::{ExtractRemarkKind, package_remarks};

/// Maximum number of channels listed on their own lines.
const MAX_CHANNELS: usize = 8;

/// Lists what stays and, once known, the consequences for it.
pub fn extract_lines(
    model: &Model,
    planned: &ExtractPlan,
    known: &PreviewState,
    columns: usize,
) -> Vec<Pieces> {
    let mut lines = planned_lines(model, planned, columns);
    match known {
        PreviewState::Ready(Ok(outcome)) => {
            let few = kept_consequences(&outcome.consequences, planned);
            lines.extend(consequence_lines(model, &few, columns));
        }
        other => lines.extend(preview_state_lines(model, other, columns)),
    }
    lines
}

/// Keeps only the consequences for channels that stay. The others are removed on purpose.
fn kept_consequences(all: &Consequences, planned: &ExtractPlan) -> Consequences {
    let names: HashSet<&PackageName> = planned.packages.iter().map(|taken| &taken.package).collect();
    let channels: HashSet<(&PackageName, &ChannelName)> = planned
        .packages
        .iter()
        .flat_map(|taken| taken.channels.iter().map(|channel| (&taken.package, &channel.name)))
        .collect();
    let stays = |package: &PackageName, channel: Option<&ChannelName>| match channel {
        Some(channel) => channels.contains(&(package, channel)),
        None => names.contains(package),
    };
    let is_about = |finding: &&Finding| finding.package.as_ref().is_none_or(|name| names.contains(name));
    let mut harm = all.harm.clone();
    let keep = |moved: &mut Vec<ChangedUpgrade>| moved.retain(|m| stays(&m.package, m.channel.as_ref()));
    harm.stuck.retain(|(package, _)| names.contains(package));
    [&mut harm.failing, &mut harm.downgraded].into_iter().for_each(keep);
    let keep = |fresh: &mut Vec<FreshInstallChange>| fresh.retain(|f| stays(&f.package, f.channel.as_ref()));
    [&mut harm.fresh_broken, &mut harm.fresh_older].into_iter().for_each(keep);
    Consequences {
        harm,
        new_findings: all.new_findings.iter().filter(is_about).cloned().collect(),
        changed_steps: all
            .changed_steps
            .iter()
            .filter(|m| stays(&m.package, m.channel.as_ref()))
            .cloned()
            .collect(),
        fresh: all.fresh.iter().filter(|f| stays(&f.package, f.channel.as_ref())).cloned().collect(),
        ..Consequences::default()
    }
}

/// Lists the content of each kept channel, with notes.
fn planned_lines(model: &Model, planned: &ExtractPlan, columns: usize) -> Vec<Pieces> {
    let Some(snapshot) = model.session.snapshot() else { return Vec::new() };
    let mut lines: Vec<Pieces> = Vec::new();
    let channels = planned.packages.iter().flat_map(|taken| taken.channels.iter().map(move |c| (taken, c)));
    for (taken, channel) in channels.clone().take(MAX_CHANNELS) {
        let package = snapshot.catalog.package(taken.package.as_str());
        let head = match (&channel.head, package) {
            (Some(head), Some(package)) => format!(", head {}", bundle_short_name(package, head)),
            _ => String::new(),
        };
        let is_default = taken.default_channel.as_ref() == Some(&channel.name);
        let much = match channel.total_entries - channel.entries.min(channel.total_entries) {
            0 => format_entry_count(channel.entries),
            _ => format!("{} of {}", channel.entries, format_entry_count(channel.total_entries)),
        };
        let name = format!("{} {}", taken.package, channel.name);
        lines.push(vec![
            piece(name, Role::Title),
            piece(if is_default { " (default)" } else { "" }, Role::Dim),
            text_piece(format!("  {much}{head}")),
        ]);
    }
    let more = channels.count().saturating_sub(MAX_CHANNELS);
    if more > 0 {
        lines.push(vec![piece(format!("and {} more", format_count(more, "channel")), Role::Dim)]);
    }
    for said in package_remarks(&planned.packages, &snapshot.catalog) {
        let role = match said.kind {
            ExtractRemarkKind::Note => Role::Text,
            ExtractRemarkKind::Outside | ExtractRemarkKind::Changed => Role::Warning,
        };
        let about = said.package.map(|package| format!("{package}: ")).unwrap_or_default();
        let words = format!("{about}{}", said.words);
        lines.extend(wrap_text(&words, columns).into_iter().map(|line| vec![piece(line, role)]));
    }
    lines
}
