//! Small catalogs from the fuzzer's bytes: one package, and a few channels over a few bundles.

use std::fmt::Write as _;

use arbitrary::Arbitrary;
use olm_catalog::{
    load,
    text::{canonical, emit},
};

/// Package with channels and bundles.
#[derive(Arbitrary, Debug)]
pub struct Package {
    /// Channels; only the first three are used.
    pub channels: Vec<Vec<Entry>>,
    /// Deprecated bundles.
    pub deprecated: Vec<u8>,
    /// Bit set of entries without a bundle.
    pub missing: u16,
    /// Notation of the catalog.
    pub style: Style,
}

/// Notation of a catalog.
#[derive(Arbitrary, Clone, Copy, PartialEq, Debug)]
pub enum Style {
    /// Block lists without indentation.
    Flush,
    /// Indented block lists with comments.
    Indented,
    /// Entries in flow notation.
    Flow,
    /// JSON, one object per line.
    Json,
    /// YAML as opm renders it.
    Canonical,
}

/// Entry of a channel.
#[derive(Arbitrary, Debug)]
pub struct Entry {
    /// Index of the bundle.
    pub bundle: u8,
    /// Replaced bundle.
    pub replaces: Option<u8>,
    /// Skipped bundles.
    pub skips: Vec<u8>,
    /// skipRange of the entry.
    pub range: Option<Bounds>,
}

/// Version range.
#[derive(Arbitrary, Debug)]
pub enum Bounds {
    /// Lower and upper bound.
    Between(u8, u8),
    /// Two alternatives.
    Either(u8, u8),
    /// Range on which OLM panics, unless the version is below the bound.
    Crashing(u8),
    /// Invalid range.
    Broken,
}

/// Number of bundles.
pub const BUNDLES: u8 = 12;

/// Returns the name of a bundle.
pub fn name(bundle: u8) -> String {
    format!("p.v{}", version(bundle))
}

/// Returns the version of a bundle: some are pre-releases, some have build metadata, and some differ only in
/// it.
pub fn version(bundle: u8) -> String {
    let bundle = bundle % BUNDLES;
    match bundle % 5 {
        3 => format!("1.{bundle}.0-rc.1"),
        4 => format!("1.{}.0+{bundle}", bundle / 5),
        _ => format!("1.{bundle}.0"),
    }
}

fn range(bounds: &Bounds) -> String {
    match bounds {
        Bounds::Between(low, high) => format!(">={} <{}", version(*low), version(*high)),
        Bounds::Either(low, high) => format!("<{} || >{}", version(*low), version(*high)),
        Bounds::Crashing(high) => format!("<{} || || >1.0.0", version(*high)),
        Bounds::Broken => "next".to_owned(),
    }
}

/// Returns the text of the catalog.
pub fn catalog(package: &Package) -> String {
    if package.style == Style::Canonical {
        return rendered(&text(package, Style::Flush));
    }
    text(package, package.style)
}

fn rendered(text: &str) -> String {
    let catalog = load::from_bytes(text.into());
    let trees = catalog.documents().filter_map(|doc| catalog.parse_document(doc)).flatten();
    trees.map(|tree| format!("---\n{}", emit::write_yaml(&canonical::normalize(&tree)))).collect()
}

fn text(package: &Package, style: Style) -> String {
    let json = style == Style::Json;
    let mut text = String::new();
    let document = |text: &mut String, yaml: &str, object: String| {
        if json { writeln!(text, "{{{object}}}") } else { write!(text, "---\n{yaml}") }.unwrap();
    };
    let object = r#""schema":"olm.package","name":"p","defaultChannel":"c0""#;
    document(&mut text, "schema: olm.package\nname: p\ndefaultChannel: c0\n", object.to_owned());
    for (index, entries) in package.channels.iter().take(3).enumerate() {
        let entries = entries.get(..16).unwrap_or(entries);
        let mut yaml = format!("schema: olm.channel # a channel\npackage: p\nname: c{index}\nentries:");
        match (entries, style) {
            ([], _) => yaml.push_str(" []\n"),
            (_, Style::Flow) => {
                let items: Vec<String> = entries.iter().map(flow).collect();
                writeln!(yaml, " [{}]", items.join(",\n  ")).unwrap();
            }
            _ => {
                yaml.push('\n');
                entries.iter().for_each(|entry| block(&mut yaml, entry, style == Style::Indented));
            }
        }
        let items: Vec<String> = entries.iter().map(flow).collect();
        let items = items.join(",");
        document(
            &mut text,
            &yaml,
            format!(r#""schema":"olm.channel","package":"p","name":"c{index}","entries":[{items}]"#),
        );
    }
    for bundle in (0..BUNDLES).filter(|b| package.missing >> b & 1 == 0) {
        let head = format!(
            r#""schema": "olm.bundle", "package": "p", "name": "{}", "image": "example.com/p:{bundle}""#,
            name(bundle)
        );
        let value = format!(r#"{{"packageName": "p", "version": "{}"}}"#, version(bundle));
        let object = format!(r#"{head}, "properties": [{{"type": "olm.package", "value": {value}}}]"#);
        document(&mut text, &format!("{{{object}}}\n"), object.clone());
    }
    if !package.deprecated.is_empty() {
        let entries = package.deprecated.iter().take(4).map(|bundle| {
            format!(
                r#"{{"reference": {{"schema": "olm.bundle", "name": "{}"}}, "message": "old"}}"#,
                name(*bundle)
            )
        });
        let entries = entries.collect::<Vec<_>>().join(", ");
        let object = format!(r#""schema": "olm.deprecations", "package": "p", "entries": [{entries}]"#);
        document(&mut text, &format!("{{{object}}}\n"), object.clone());
    }
    text
}

/// Writes an entry as JSON, which is valid YAML.
fn flow(entry: &Entry) -> String {
    let mut text = format!(r#"{{"name": "{}""#, name(entry.bundle));
    if let Some(replaces) = entry.replaces {
        write!(text, r#", "replaces": "{}""#, name(replaces)).unwrap();
    }
    if !entry.skips.is_empty() {
        let skips: Vec<String> = entry.skips.iter().take(6).map(|s| format!(r#""{}""#, name(*s))).collect();
        write!(text, r#", "skips": [{}]"#, skips.join(", ")).unwrap();
    }
    if let Some(bounds) = &entry.range {
        write!(text, r#", "skipRange": "{}""#, range(bounds)).unwrap();
    }
    text + "}"
}

fn block(text: &mut String, entry: &Entry, indented: bool) {
    let (dash, indent) = if indented { ("  - ", "    ") } else { ("- ", "  ") };
    writeln!(text, "{dash}name: {}", name(entry.bundle)).unwrap();
    if let Some(replaces) = entry.replaces {
        let comment = if indented { " # before" } else { "" };
        writeln!(text, "{indent}replaces: \"{}\"{comment}", name(replaces)).unwrap();
    }
    if !entry.skips.is_empty() {
        writeln!(text, "{indent}skips:").unwrap();
        for skip in entry.skips.iter().take(6) {
            writeln!(text, "{indent}- {}", name(*skip)).unwrap();
        }
    }
    if let Some(bounds) = &entry.range {
        writeln!(text, "{indent}skipRange: '{}'", range(bounds)).unwrap();
    }
}
