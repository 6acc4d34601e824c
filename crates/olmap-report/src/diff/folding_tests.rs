//! Tests of the comment on a change that gives many versions the same upgrade.

use olm_catalog::load;
use olm_check::review::{Snapshot, diff::Difference};

use super::{CatalogComparison, markdown::render_difference_comment, text::render_difference};
use crate::{links::CommentLinks, style::Style};

/// Returns package `lattice` with 40 versions, each replacing the one before it. With a head, the last
/// version skips all others by its range.
fn lattice_catalog(head: Option<(&str, &str)>) -> Snapshot {
    let versions: Vec<String> = (0..4).flat_map(|y| (0..10).map(move |z| format!("2.{y}.{z}"))).collect();
    let mut entries = String::new();
    let mut bundles = String::new();
    let mut push = |version: &str, below: Option<&String>, range: Option<&str>| {
        entries += &format!("- name: lattice.v{version}\n");
        if let Some(below) = below {
            entries += &format!("  replaces: lattice.v{below}\n");
        }
        if let Some(range) = range {
            entries += &format!("  skipRange: '{range}'\n");
        }
        bundles += &format!(
            "---\nschema: olm.bundle\npackage: lattice\nname: lattice.v{version}\nimage: example.com/l:{version}\n\
             properties: [{{type: olm.package, value: {{packageName: lattice, version: {version}}}}}]\n"
        );
    };
    for (at, version) in versions.iter().enumerate() {
        push(version, at.checked_sub(1).and_then(|below| versions.get(below)), None);
    }
    if let Some((head, range)) = head {
        push(head, versions.last(), Some(range));
    }
    let text = format!(
        "schema: olm.package\nname: lattice\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: lattice\n\
         name: stable\nentries:\n{entries}{bundles}"
    );
    Snapshot::new(load::from_bytes(text.into_bytes()))
}

fn compare<T>(before: &Snapshot, after: &Snapshot, render: impl Fn(&CatalogComparison<'_>) -> T) -> T {
    let difference = Difference::compare_catalogs(before, after);
    render(&CatalogComparison {
        old_label: "v4.20",
        new_label: "v4.21",
        difference: &difference,
        violations: &[],
        left_out: Vec::new(),
        formatting: false,
        update: None,
    })
}

/// Returns the lines of a text about the installed versions of an OLM.
fn user_lines<'t>(text: &'t str, engine: &str) -> Vec<&'t str> {
    text.lines().map(str::trim_start).filter(|line| line.starts_with(engine)).collect()
}

#[test]
fn comment_has_one_line_for_many_versions_with_one_successor() {
    let (before, after) = (lattice_catalog(None), lattice_catalog(Some(("2.4.0", ">=2.0.0 <2.4.0"))));
    let comment =
        compare(&before, &after, |compared| render_difference_comment(compared, &CommentLinks::default()));
    let [users, fresh] = user_lines(&comment, "- Classic: ").try_into().unwrap();
    let (words, versions) = users.split_once(" <details><summary>versions</summary>").unwrap();
    assert_eq!(
        words,
        r"- Classic: stable: 40 versions, 2.0.0 to 2.3.9, now go to 2.4.0 \(before: 40 different upgrades\)"
    );
    assert!(fresh.contains("fresh install"), "{fresh}");
    let versions: Vec<&str> = versions.strip_suffix("</details>").unwrap().split(", ").collect();
    assert_eq!(versions.len(), 40);
    assert_eq!(versions.first(), Some(&r"2.0.0 \(before: 2.0.1\)"), "{versions:?}");
    assert_eq!(versions.last(), Some(&r"2.3.9 \(before: stays\)"), "{versions:?}");
    assert_eq!(user_lines(&comment, "- v1: ").len(), 2, "{comment}");
}

#[test]
fn comment_names_the_old_successor_if_all_versions_have_the_same() {
    let before = lattice_catalog(Some(("2.4.0", ">=2.0.0 <2.4.0")));
    let after = lattice_catalog(Some(("2.4.1", ">=2.0.0 <2.4.1")));
    let comment =
        compare(&before, &after, |compared| render_difference_comment(compared, &CommentLinks::default()));
    let line = user_lines(&comment, "- Classic: ").first().copied().unwrap_or_default();
    let words =
        r"- Classic: stable: 40 versions, 2.0.0 to 2.3.9, now go to 2.4.1 \(before: 2.4.0\) <details>";
    assert!(line.starts_with(words), "{line}");
    assert!(line.ends_with(" 2.3.8, 2.3.9</details>"), "{line}");
}

#[test]
fn text_lists_each_version_with_its_old_successor() {
    let (before, after) = (lattice_catalog(None), lattice_catalog(Some(("2.4.0", ">=2.0.0 <2.4.0"))));
    let text = compare(&before, &after, |compared| render_difference(compared, &Style::PLAIN));
    assert!(text.contains("stable: 2.0.0: 2.0.1 => 2.4.0\n"), "{text}");
}
