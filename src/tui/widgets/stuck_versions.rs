//! Lines about stuck versions: the number, the reasons, and the key that searches an edit.

use crate::tui::{
    keys::ActionId,
    session::context::ViewContext,
    widgets::{
        canvas::{Line, piece, text_piece},
        details::push_paragraph,
        theme::Ink,
    },
};
use olm_catalog::{BundleName, ChannelName};
use olm_check::review::PackageState;
use olmap_report::stuck;

/// Maximum number of groups that are listed in a low pane.
pub const MAX_GROUPS: usize = 3;

/// Returns lines about the stuck versions of a package. Empty if none is stuck.
///
/// * `max_groups` - maximum number of groups that are listed.
pub fn package_lines(
    view_cx: &ViewContext<'_>,
    package_state: &PackageState,
    columns: usize,
    max_groups: usize,
) -> Vec<Line> {
    let mut lines = Vec::new();
    let Some(stuck) = view_cx.session.catalogs.stuck_of(package_state) else { return lines };
    let short = |name: &BundleName| package_state.package().short_name(name);
    let Some(sentence) = stuck::describe_stuck_versions(stuck, short) else { return lines };
    let is_stuck = stuck.count_any() > 0 || stuck.answer.is_none();
    push_paragraph(&mut lines, &sentence, if is_stuck { Ink::Warning } else { Ink::Text }, columns);
    for group in stuck::stuck_group_lines(stuck, short).take(max_groups) {
        push_paragraph(&mut lines, &format!("  {group}"), Ink::Text, columns);
    }
    match stuck::count_groups(stuck).saturating_sub(max_groups) {
        0 => {}
        1 => lines.push(vec![piece("  and 1 more group", Ink::Dim)]),
        more => lines.push(vec![piece(format!("  and {more} more groups"), Ink::Dim)]),
    }
    if stuck.count_any() > 0 {
        lines.extend(key_line(view_cx, package_state));
    }
    lines
}

/// Returns the line about the stuck entries of a channel. Empty if none is stuck.
pub fn channel_lines(
    view_cx: &ViewContext<'_>,
    package_state: &PackageState,
    channel: &ChannelName,
    columns: usize,
) -> Vec<Line> {
    let mut lines = Vec::new();
    let Some(number) = view_cx
        .session
        .catalogs
        .brief_stuck_in(channel, false)
        .filter(|number| number != "-" && number != "?")
    else {
        return lines;
    };
    let entries =
        package_state.graph.channel(channel.as_str()).map_or(0, |it| it.graph.entry_nodes().count());
    let words = format!("stuck: {number} of {entries} entries");
    push_paragraph(&mut lines, &words, Ink::Warning, columns);
    lines.extend(key_line(view_cx, package_state));
    lines
}

/// Returns lines about the state of a version. Empty if it is neither stuck nor needs a channel change.
pub fn version_lines(
    view_cx: &ViewContext<'_>,
    package_state: &PackageState,
    name: &BundleName,
    columns: usize,
) -> Vec<Line> {
    let mut lines = Vec::new();
    let Some(stuck) = view_cx.session.catalogs.stuck_of(package_state) else { return lines };
    let state = stuck.state_of(name);
    if let Some(words) = state.describe_state(package_state.package(), name) {
        push_paragraph(&mut lines, &words, Ink::Warning, columns);
        lines.extend(key_line(view_cx, package_state));
    }
    if let Some(words) = channel_change(package_state, name) {
        push_paragraph(&mut lines, &words, Ink::Note, columns);
    }
    lines
}

/// Returns the channels that lead a version to the current one. `None` if it needs no channel change.
pub fn channel_change(package_state: &PackageState, name: &BundleName) -> Option<String> {
    package_state.stuck()?;
    let channels = olm_upgrade::stuck::find_channel_changes(&package_state.graph, name)?;
    let words = channels.iter().map(|channel| {
        let is_prerelease = package_state.package().default_channel() != Some(channel)
            && olm_upgrade::stuck::is_prerelease_channel(channel);
        if is_prerelease { format!("{channel} (pre-release)") } else { channel.to_string() }
    });
    Some(format!("channel change, through {}", words.collect::<Vec<_>>().join(", then ")))
}

/// Returns the line with the key that searches an edit. `None` if the key refuses, because objects of the package may be
/// missing.
fn key_line(view_cx: &ViewContext<'_>, package_state: &PackageState) -> Option<Line> {
    let name = &package_state.package().name;
    if view_cx.session.snapshot().is_some_and(|now| now.find_file_error(name).is_some()) {
        return None;
    }
    Some(vec![
        piece(format!("  {}", view_cx.key_label(ActionId::ApplyFix)), Ink::Key),
        text_piece(" looks for an edit that frees them"),
    ])
}
