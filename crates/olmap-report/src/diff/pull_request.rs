//! Text for a pull request: where releases are placed, then the comments on all changed catalogs.

use std::fmt::Write as _;

use super::{
    CatalogComparison, bundle_label, count_noun,
    markdown::{join_comment_parts, render_comment_part},
};
use crate::{links::CommentLinks, markdown::escape_markdown};
use olm_catalog::{BundleName, blob::Entry};
use olm_check::review::{
    diff::{ChangeKind, ChannelDiff, PackageDiff},
    stuck_changes::{StuckState, StuckTotals},
};

/// Maximum number of lines about channels before the comments.
const MAX_LEADING_CHANNELS: usize = 12;

/// Maximum number of lines about channels.
const MAX_CHANNELS: usize = 40;

/// Renders the text for changed catalogs, each with its display name.
pub fn render_pull_request(catalogs: &[(&str, CatalogComparison<'_>)]) -> String {
    let lines = catalogs.iter().flat_map(|(catalog, compared)| {
        channel_lines(compared).into_iter().map(move |line| format!("- {}, {line}", escape_markdown(catalog)))
    });
    let lines: Vec<String> = lines.collect();
    let mut out = String::new();
    for line in lines.iter().take(MAX_CHANNELS) {
        let _ = writeln!(out, "{line}");
    }
    if lines.len() > MAX_CHANNELS {
        let more = count_noun(lines.len() - MAX_CHANNELS, "channel", "channels");
        let _ = writeln!(out, "- and {more} more");
    }
    let mut stuck = String::new();
    for (catalog, compared) in catalogs {
        for line in stuck_lines(compared) {
            let _ = writeln!(stuck, "- {}, {line}", escape_markdown(catalog));
        }
    }
    let links = CommentLinks::default();
    let part = |(catalog, compared): &(&str, CatalogComparison<'_>)| {
        render_comment_part(catalog, compared, catalogs.len(), &links)
    };
    let parts: Vec<_> = catalogs.iter().map(part).collect();
    let mut comment = join_comment_parts(&parts, "", &links);
    if !stuck.is_empty() {
        // The verdict comes first.
        let end = comment.find("\n\n").map_or(comment.len(), |at| at + 2);
        comment.insert_str(end, &format!("{stuck}\n"));
    }
    match lines.len() {
        _ if out.is_empty() => comment,
        // These lines answer what a release changes. Of many changes, the summary is more important.
        count if count <= MAX_LEADING_CHANNELS => format!("{out}\n{comment}"),
        _ => format!("{}\n\n{out}", comment.trim_end()),
    }
}

/// Describes the new and withdrawn entries of each channel, one line per channel.
fn channel_lines(compared: &CatalogComparison<'_>) -> Vec<String> {
    let packages = compared.difference.packages.iter();
    let packages = packages.filter(|package| package.change_kind != ChangeKind::Removed);
    let channels =
        packages.flat_map(|package| package.channels.iter().map(move |channel| (package, channel)));
    let line = |(package, channel): (&PackageDiff, &ChannelDiff)| {
        let places: Vec<String> = channel
            .entries
            .iter()
            .filter_map(|entry| describe_place(compared, package, channel, &entry.name))
            .collect();
        let name = escape_markdown(channel.name.as_str());
        (!places.is_empty()).then(|| format!("{name}: {}", escape_markdown(&places.join("; "))))
    };
    channels.filter_map(line).collect()
}

/// Describes the place of a new entry, or that an entry is removed. `None` if only edges change.
fn describe_place(
    compared: &CatalogComparison<'_>,
    package: &PackageDiff,
    channel: &ChannelDiff,
    bundle: &BundleName,
) -> Option<String> {
    let entry = channel.entries.iter().find(|entry| entry.name == *bundle)?;
    let label = |name: &BundleName| bundle_label(compared, &package.name, name);
    let name = format!("{} {}", package.name, label(bundle));
    let after = compared.difference.after().package(package.name.as_str());
    let entries: &[Entry] = after
        .and_then(|state| state.package().channel(channel.name.as_str()))
        .map(|channel| channel.entries.as_slice())
        .unwrap_or_default();
    let replacing = entries.iter().find(|other| other.replaces(bundle));
    let skipping = entries.iter().find(|other| other.skips(bundle));
    match (&entry.before, &entry.after) {
        (None, Some(spec)) => Some(match (replacing, skipping, &spec.replaces) {
            (_, Some(above), _) => format!("{name} below {}, skipped by it", label(&above.name.value)),
            (Some(above), None, _) => format!("{name} below {}, replaced by it", label(&above.name.value)),
            (None, None, Some(below)) => format!("{name} is the head, replaces {}", label(below)),
            (None, None, None) if entries.len() == 1 => format!("{name} is the only entry"),
            (None, None, None) => format!("{name} is the head"),
        }),
        (Some(_), None) => Some(match skipping {
            Some(above) => format!("{name} is removed, skipped by {}", label(&above.name.value)),
            None => format!("{name} is removed"),
        }),
        _ => None,
    }
}

/// Describes the numbers of stuck versions of each changed package, if they change.
fn stuck_lines(compared: &CatalogComparison<'_>) -> Vec<String> {
    let is_changed = |totals: &&StuckTotals| {
        let has_channel =
            |package: &PackageDiff| package.name == totals.package && !package.channels.is_empty();
        compared.difference.packages.iter().any(has_channel)
    };
    let describe = |state: StuckState| match state {
        StuckState::Absent => None,
        StuckState::Unknown => Some("unknown".to_owned()),
        StuckState::Known(counts) => Some(format!("{} on Classic, {} on v1", counts.classic, counts.v1)),
    };
    let line = |totals: &StuckTotals| {
        let (before, after) = (describe(totals.before), describe(totals.after)?);
        let before = match before {
            None => String::new(),
            Some(before) if before == after => return None,
            Some(before) => format!("; before: {before}"),
        };
        Some(format!("{}: stuck versions: {after}{before}", escape_markdown(totals.package.as_str())))
    };
    compared.difference.stuck.iter().filter(is_changed).filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use olm_catalog::load;
    use olm_check::review::{Snapshot, diff::Difference};

    use super::*;

    /// Returns package `ship` with channel `stable`, and a bundle for each version.
    fn ship_catalog(entries: &str, versions: &[&str]) -> Snapshot {
        let bundle = |version: &&str| {
            format!(
                "---\nschema: olm.bundle\npackage: ship\nname: ship.v{version}\nimage: example.com/ship:{version}\n\
                 properties: [{{type: olm.package, value: {{packageName: ship, version: {version}}}}}]\n"
            )
        };
        let bundles: String = versions.iter().map(bundle).collect();
        let text = format!(
            "schema: olm.package\nname: ship\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: ship\n\
             name: stable\nentries:\n{entries}{bundles}"
        );
        Snapshot::new(load::from_bytes(text.into_bytes()))
    }

    fn render(before: &Snapshot, after: &Snapshot) -> String {
        let difference = Difference::compare_catalogs(before, after);
        let compared = CatalogComparison {
            old_label: "the files",
            new_label: "the edits",
            difference: &difference,
            violations: &[],
            left_out: Vec::new(),
            formatting: false,
            update: None,
        };
        render_pull_request(&[("v4.20", compared.clone()), ("v4.21", compared)])
    }

    const BEFORE: &str = "- name: ship.v1.2.3\n- name: ship.v1.3.0\n  replaces: ship.v1.2.3\n";

    #[test]
    fn text_begins_with_the_place_in_each_catalog_and_channel() {
        let before = ship_catalog(BEFORE, &["1.2.3", "1.3.0"]);
        let patch = "- name: ship.v1.2.3\n- name: ship.v1.2.4\n  replaces: ship.v1.2.3\n- name: ship.v1.3.0\n  \
                     replaces: ship.v1.2.3\n  skips: [ship.v1.2.4]\n";
        let text = render(&before, &ship_catalog(patch, &["1.2.3", "1.2.4", "1.3.0"]));
        let head = "- v4.20, stable: ship 1.2.4 below 1.3.0, skipped by it\n\
                    - v4.21, stable: ship 1.2.4 below 1.3.0, skipped by it\n\n\
                    **No upgrade path gets worse:**";
        assert!(text.starts_with(head), "{text}");
    }

    #[test]
    fn changed_numbers_of_stuck_versions_follow_the_verdict() {
        let versions = ["1.2.3", "1.3.0", "1.4.0"];
        let chain = format!("{BEFORE}- name: ship.v1.4.0\n  replaces: ship.v1.3.0\n");
        let skipped = format!("{chain}  skips: [ship.v1.3.0]\n");
        let text = render(&ship_catalog(&chain, &versions), &ship_catalog(&skipped, &versions));
        let line =
            "\n\n- v4.20, ship: stuck versions: 1 on Classic, 0 on v1; before: 0 on Classic, 0 on v1\n";
        assert!(text.starts_with("**Check before you release:**") && text.contains(line), "{text}");
    }

    #[test]
    fn numbers_of_several_catalogs_are_sums() {
        let before = ship_catalog(BEFORE, &["1.2.3", "1.3.0"]);
        let two_heads = ship_catalog("- name: ship.v1.2.3\n- name: ship.v1.3.0\n", &["1.2.3", "1.3.0"]);
        let text = render(&before, &two_heads);
        let line = text.lines().find(|line| line.starts_with("**Check")).unwrap();
        assert!(line.contains("Installed versions, summed over 2 catalogs: "), "{line}");
        assert!(line.contains("4 get an error") && line.contains(". Fresh installs: 4 fail."), "{line}");
    }

    #[test]
    fn every_kind_of_place_is_described() {
        let before = ship_catalog(BEFORE, &["1.2.3", "1.3.0"]);
        let first_line = |entries: &str, versions: &[&str]| {
            let text = render(&before, &ship_catalog(entries, versions));
            text.lines().next().unwrap().to_owned()
        };
        let step = "- name: ship.v1.2.3\n- name: ship.v1.2.4\n  replaces: ship.v1.2.3\n- name: ship.v1.3.0\n  \
                    replaces: ship.v1.2.4\n";
        assert_eq!(
            first_line(step, &["1.2.3", "1.2.4", "1.3.0"]),
            "- v4.20, stable: ship 1.2.4 below 1.3.0, replaced by it"
        );
        let head = format!("{BEFORE}- name: ship.v1.4.0\n  replaces: ship.v1.3.0\n");
        assert_eq!(
            first_line(&head, &["1.2.3", "1.3.0", "1.4.0"]),
            "- v4.20, stable: ship 1.4.0 is the head, replaces 1.3.0"
        );
        let withdrawn = "- name: ship.v1.3.0\n  skips: [ship.v1.2.3]\n";
        assert_eq!(
            first_line(withdrawn, &["1.3.0"]),
            "- v4.20, stable: ship 1.2.3 is removed, skipped by 1.3.0"
        );
    }
}
