//! Channels of every troublesome shape, written as catalogs are.

use std::fmt::Write as _;

/// A package with one or several channels.
pub struct Shape {
    /// What it is called in the report.
    pub name: &'static str,
    /// The catalog, as YAML.
    pub yaml: String,
}

/// The channel of the first measure: 500 entries with 10,000 edges, a third of them dead ends.
///
/// Every entry replaces the one below it; of the others below, it skips the nearest that are no multiples of three. So
/// what replaces a multiple of three is always skipped, and Classic leaves that behind.
pub fn dense() -> Shape {
    let entry = |n: usize| {
        let below = (0..n).rev().filter(|m| m % 3 != 0).take(20);
        Entry { number: n, replaces: n.checked_sub(1), skips: below.collect(), range: None }
    };
    Shape { name: "dense", yaml: package(500, &[("stable", (0..500).map(entry).collect())]) }
}

/// Entries that replace the one below.
pub fn chain(count: usize) -> Shape {
    let entry = |n: usize| Entry { number: n, replaces: n.checked_sub(1), skips: Vec::new(), range: None };
    Shape { name: "chain", yaml: package(count, &[("stable", (0..count).map(entry).collect())]) }
}

/// Entries with ranges one within the other: each holds all that is lower.
pub fn nested_ranges(count: usize) -> Shape {
    let entry = |n: usize| {
        let range = format!(">={} <{}", version(0), version(n));
        Entry { number: n, replaces: n.checked_sub(1), skips: Vec::new(), range: Some(range) }
    };
    Shape { name: "ranges, nested", yaml: package(count, &[("stable", (0..count).map(entry).collect())]) }
}

/// Entries with wide ranges that begin and end where no other does.
pub fn shifted_ranges(count: usize) -> Shape {
    let entry = |n: usize| {
        let range = format!(">={} <{}", version(n.saturating_sub(400)), version(n));
        Entry { number: n, replaces: n.checked_sub(1), skips: Vec::new(), range: Some(range) }
    };
    Shape { name: "ranges, shifted", yaml: package(count, &[("stable", (0..count).map(entry).collect())]) }
}

/// Entries of which every tenth skips the nine below it, and replaces the next tenth.
pub fn many_skips(count: usize) -> Shape {
    let entry = |n: usize| {
        let is_tenth = n.is_multiple_of(10);
        let replaces = if is_tenth { n.checked_sub(10) } else { n.checked_sub(1) };
        let skips = if is_tenth { (n.saturating_sub(9)..n).rev().collect() } else { Vec::new() };
        Entry { number: n, replaces, skips, range: None }
    };
    // The last is a tenth, so that there is one head.
    let entries = (0..=count / 10 * 10).map(entry).collect();
    Shape { name: "many skips", yaml: package(count / 10 * 10 + 1, &[("stable", entries)]) }
}

/// A package with many channels, each of which begins and ends a little later than the one before.
pub fn many_channels(channels: usize, bundles: usize) -> Shape {
    let names: Vec<String> = (0..channels).map(|n| format!("stable-{n}")).collect();
    let channel = |number: usize| -> Vec<Entry> {
        let first = number * bundles / (2 * channels);
        let last = bundles / 2 + (number + 1) * (bundles - bundles / 2) / channels;
        let entry = |n: usize| {
            let range = n.is_multiple_of(10).then(|| format!(">={} <{}", version(first), version(n)));
            Entry { number: n, replaces: (n > first).then(|| n - 1), skips: Vec::new(), range }
        };
        (first..last.min(bundles)).map(entry).collect()
    };
    let all: Vec<(&str, Vec<Entry>)> =
        names.iter().enumerate().map(|(number, name)| (name.as_str(), channel(number))).collect();
    Shape { name: "many channels", yaml: package(bundles, &all) }
}

struct Entry {
    number: usize,
    replaces: Option<usize>,
    skips: Vec<usize>,
    range: Option<String>,
}

fn version(number: usize) -> String {
    format!("{}.{}.{}", 1 + number / 400, number / 20 % 20, number % 20)
}

fn name(number: usize) -> String {
    format!("operator.v{}", version(number))
}

fn package(bundles: usize, channels: &[(&str, Vec<Entry>)]) -> String {
    let default = channels.last().map_or("", |(name, _)| name);
    let mut text = format!("schema: olm.package\nname: operator\ndefaultChannel: {default}\n");
    for (channel, entries) in channels {
        writeln!(text, "---\nschema: olm.channel\npackage: operator\nname: {channel}\nentries:").unwrap();
        for entry in entries {
            writeln!(text, "- name: {}", name(entry.number)).unwrap();
            if let Some(replaces) = entry.replaces {
                writeln!(text, "  replaces: {}", name(replaces)).unwrap();
            }
            if !entry.skips.is_empty() {
                let skips: Vec<String> = entry.skips.iter().map(|&skipped| name(skipped)).collect();
                writeln!(text, "  skips: [{}]", skips.join(", ")).unwrap();
            }
            if let Some(range) = &entry.range {
                writeln!(text, "  skipRange: '{range}'").unwrap();
            }
        }
    }
    for number in 0..bundles {
        let (name, version) = (name(number), version(number));
        write!(
            text,
            "---\nschema: olm.bundle\npackage: operator\nname: {name}\nimage: registry.example.com/{name}\n\
             properties:\n- type: olm.package\n  value:\n    packageName: operator\n    version: {version}\n"
        )
        .unwrap();
    }
    text
}
