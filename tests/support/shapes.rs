//! Catalogs with the shapes of published ones, and other names and numbers.

use std::fmt::Write;

/// Entry of a channel: version and other keys in YAML flow style.
pub struct Entry {
    pub version: String,
    pub keys: String,
}

fn make_entry(version: impl Into<String>, keys: impl Into<String>) -> Entry {
    Entry { version: version.into(), keys: keys.into() }
}

/// Returns the package `loom-operator` with channels, the default one first, and all their bundles.
pub fn loom_package_yaml(channels: &[(&str, Vec<Entry>)], deprecations: &str) -> String {
    let default = channels.first().map_or("stable", |c| c.0);
    let mut yaml = format!("---\nschema: olm.package\nname: loom-operator\ndefaultChannel: {default}\n");
    let mut versions = std::collections::BTreeSet::new();
    for (name, entries) in channels {
        let _ = write!(yaml, "---\nschema: olm.channel\npackage: loom-operator\nname: {name}\nentries:\n");
        for Entry { version, keys } in entries {
            versions.insert(version.clone());
            let gap = if keys.is_empty() { "" } else { ", " };
            let _ = writeln!(yaml, "- {{name: loom-operator.v{version}{gap}{keys}}}");
        }
    }
    for version in versions {
        let _ = write!(
            yaml,
            "---\nschema: olm.bundle\npackage: loom-operator\nname: loom-operator.v{version}\n\
             image: example.com/loom@sha256:{:064}\nproperties:\n- type: olm.package\n  value: {{packageName: \
             loom-operator, version: {version}}}\n",
            0
        );
    }
    yaml + deprecations
}

fn replaces_key(version: &str) -> String {
    format!("replaces: loom-operator.v{version}")
}

fn skips_key(versions: &[String]) -> String {
    let names: Vec<String> = versions.iter().map(|v| format!("loom-operator.v{v}")).collect();
    format!("skips: [{}]", names.join(", "))
}

/// Returns entries in which each version replaces the next lower one.
fn replaces_chain(versions: &[String]) -> Vec<Entry> {
    let entries = versions.iter().enumerate().map(|(index, version)| {
        let below = versions.get(index + 1).map(|below| replaces_key(below)).unwrap_or_default();
        make_entry(version.clone(), below)
    });
    entries.collect()
}

fn minor_versions(major: u32, from: u32, to: u32) -> Vec<String> {
    (to..=from).rev().map(|minor| format!("{major}.{minor}.0")).collect()
}

/// Returns a chain of sixty versions.
pub fn long_chain() -> String {
    loom_package_yaml(&[("stable", replaces_chain(&minor_versions(1, 59, 0)))], "")
}

/// Returns releases that skip the patches of the previous one. The head skips all of an older line.
pub fn many_skips() -> String {
    let mut entries = Vec::new();
    for minor in (1..=6).rev() {
        let patches: Vec<String> = (1..=4).rev().map(|patch| format!("2.{}.{patch}", minor - 1)).collect();
        let mut skipped = patches.clone();
        if minor == 6 {
            skipped.extend((0..5).map(|n| format!("1.{n}.0")));
        }
        let keys = format!("{}, {}", replaces_key(&format!("2.{}.0", minor - 1)), skips_key(&skipped));
        entries.push(make_entry(format!("2.{minor}.0"), keys));
        entries.extend(
            patches
                .iter()
                .map(|patch| make_entry(patch.clone(), replaces_key(&format!("2.{}.0", minor - 1)))),
        );
    }
    entries.push(make_entry("2.0.0", ""));
    loom_package_yaml(&[("stable", entries)], "")
}

/// Returns a chain in which every entry has a range. Most ranges are nested.
pub fn wide_ranges() -> String {
    let versions = minor_versions(3, 17, 0);
    let mut entries = replaces_chain(&versions);
    for (index, entry) in entries.iter_mut().enumerate() {
        let from = if index % 4 == 3 {
            format!("3.{}.0", 17_usize.saturating_sub(index + 3))
        } else {
            "2.0.0".to_owned()
        };
        let gap = if entry.keys.is_empty() { "" } else { ", " };
        let _ = write!(entry.keys, "{gap}skipRange: '>={from} <{}'", entry.version);
    }
    loom_package_yaml(&[("stable", entries)], "")
}

/// Returns hotfixes whose successors were withdrawn: two dead ends, one of which others upgrade to.
pub fn dead_ends() -> String {
    let mut entries = replaces_chain(&minor_versions(5, 9, 0));
    let withdrawn = ["5.4.1".to_owned(), "5.7.1".to_owned()];
    entries[0].keys = format!("{}, {}", entries[0].keys, skips_key(&withdrawn));
    entries.push(make_entry("5.7.1", skips_key(&["5.6.3".to_owned()])));
    entries.push(make_entry(
        "5.6.3",
        format!("{}, {}", replaces_key("5.6.0"), skips_key(&["5.6.2".to_owned(), "5.6.1".to_owned()])),
    ));
    entries.push(make_entry("5.6.2", replaces_key("5.6.1")));
    entries.push(make_entry("5.6.1", replaces_key("5.6.0")));
    entries.push(make_entry("5.4.1", skips_key(&["5.3.9".to_owned()])));
    entries.push(make_entry("5.3.9", replaces_key("5.3.0")));
    loom_package_yaml(&[("stable", entries)], "")
}

/// Returns a withdrawn release, a renumbered one, and deprecations of all three levels.
pub fn with_withdrawn_release() -> String {
    let entries = vec![
        make_entry("1.3.5", replaces_key("1.4.0")),
        make_entry("1.4.0", replaces_key("1.3.0")),
        make_entry("1.3.0", replaces_key("0.9.0")),
        make_entry("0.9.0", replaces_key("0.10.0")),
        make_entry("0.10.0", replaces_key("0.8.0")),
        make_entry("0.8.0", replaces_key("0.7.0")),
    ];
    let deprecations = "---\nschema: olm.deprecations\npackage: loom-operator\nentries:\n\
        - {reference: {schema: olm.package}, message: use warp-operator}\n\
        - {reference: {schema: olm.channel, name: stable}, message: use stable-v2}\n\
        - {reference: {schema: olm.bundle, name: loom-operator.v1.3.0}, message: leaks}\n";
    loom_package_yaml(&[("stable", entries)], deprecations)
}

/// Returns twelve channels: one per minor with the tail of the previous one, and a nightly.
pub fn many_channels() -> String {
    let mut channels: Vec<(String, Vec<Entry>)> = Vec::new();
    let versions: Vec<String> =
        (0..11).rev().flat_map(|minor| (0..3).rev().map(move |patch| format!("4.{minor}.{patch}"))).collect();
    channels.push(("stable".to_owned(), replaces_chain(&versions)));
    for minor in 0..10_usize {
        let top = versions.len() - 3 * (minor + 1);
        channels.push((
            format!("stable-4.{minor}"),
            replaces_chain(&versions[top..(top + 6).min(versions.len())]),
        ));
    }
    let nightly = make_entry("4.11.0-nightly.7", "skipRange: '>=4.0.0 <4.11.0-nightly.7'");
    channels.push(("candidate".to_owned(), vec![nightly]));
    let channels: Vec<(&str, Vec<Entry>)> =
        channels.iter_mut().map(|(name, entries)| (name.as_str(), std::mem::take(entries))).collect();
    loom_package_yaml(&channels, "")
}

/// Returns ten lines of fifty entries. The first of each line skips withdrawn entries of the
/// previous line, and has a range over it.
pub fn five_hundred() -> String {
    let mut entries = Vec::new();
    for line in (0..10_u32).rev() {
        for patch in (0..50_u32).rev() {
            let below =
                if patch > 0 { Some((line, patch - 1)) } else { line.checked_sub(1).map(|l| (l, 49)) };
            let mut keys = below.map(|(l, p)| replaces_key(&format!("6.{l}.{p}"))).unwrap_or_default();
            if patch == 0 && line > 0 {
                let withdrawn: Vec<String> =
                    (0..3).map(|n| format!("6.{}.{}-rc.1", line - 1, 10 + n)).collect();
                let _ =
                    write!(keys, ", {}, skipRange: '>=6.{}.0 <6.{line}.0'", skips_key(&withdrawn), line - 1);
            }
            entries.push(make_entry(format!("6.{line}.{patch}"), keys));
        }
    }
    loom_package_yaml(&[("stable", entries)], "")
}
