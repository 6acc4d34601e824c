//! Small catalogs from a fuzzer's bytes: one package, a few channels over a few bundles.

use std::fmt::Write as _;

use arbitrary::Arbitrary;

/// One package.
#[derive(Arbitrary, Debug)]
pub struct Package {
    /// Its channels; more than three are cut.
    pub channels: Vec<Vec<Entry>>,
    /// Its deprecated bundles.
    pub deprecated: Vec<u8>,
    /// Whether it is written as JSON, or as YAML of one of three styles.
    pub style: u8,
}

/// One entry.
#[derive(Arbitrary, Debug)]
pub struct Entry {
    /// Which bundle.
    pub bundle: u8,
    /// What it replaces.
    pub replaces: Option<u8>,
    /// What it skips.
    pub skips: Vec<u8>,
    /// Lower and upper bound of its range.
    pub range: Option<(u8, u8)>,
}

/// How many bundles there are.
pub const BUNDLES: u8 = 12;

/// The name of a bundle.
pub fn name(bundle: u8) -> String {
    format!("p.v{}", version(bundle))
}

/// The version of a bundle: some are pre-releases, some have build metadata.
pub fn version(bundle: u8) -> String {
    let bundle = bundle % BUNDLES;
    match bundle % 5 {
        3 => format!("1.{bundle}.0-rc.1"),
        4 => format!("1.{bundle}.0+{bundle}"),
        _ => format!("1.{bundle}.0"),
    }
}

/// The catalog as text.
pub fn catalog(package: &Package) -> String {
    let mut text = String::from("---\nschema: olm.package\nname: p\ndefaultChannel: c0\n");
    for (index, entries) in package.channels.iter().take(3).enumerate() {
        write!(text, "---\nschema: olm.channel # a channel\npackage: p\nname: c{index}\nentries:\n").unwrap();
        for entry in entries.iter().take(16) {
            let (dash, indent) = if package.style % 2 == 0 { ("- ", "  ") } else { ("  - ", "    ") };
            writeln!(text, "{dash}name: {}", name(entry.bundle)).unwrap();
            if let Some(replaces) = entry.replaces {
                writeln!(text, "{indent}replaces: \"{}\" # before", name(replaces)).unwrap();
            }
            match (entry.skips.as_slice(), package.style % 3) {
                ([], _) => {}
                (skips, 0) => {
                    let skips: Vec<String> = skips.iter().take(6).map(|s| name(*s)).collect();
                    writeln!(text, "{indent}skips: [{}]", skips.join(", ")).unwrap();
                }
                (skips, _) => {
                    writeln!(text, "{indent}skips:").unwrap();
                    for skip in skips.iter().take(6) {
                        writeln!(text, "{indent}- {}", name(*skip)).unwrap();
                    }
                }
            }
            if let Some((low, high)) = entry.range {
                writeln!(text, "{indent}skipRange: '>={} <{}'", version(low), version(high)).unwrap();
            }
        }
    }
    for bundle in 0..BUNDLES {
        let (name, version) = (name(bundle), version(bundle));
        write!(text, "---\nschema: olm.bundle\npackage: p\nname: {name}\nimage: example.com/p:{bundle}\n").unwrap();
        write!(text, "properties:\n- type: olm.package\n  value: {{packageName: p, version: '{version}'}}\n").unwrap();
    }
    if !package.deprecated.is_empty() {
        text.push_str("---\nschema: olm.deprecations\npackage: p\nentries:\n");
        for bundle in package.deprecated.iter().take(4) {
            writeln!(text, "- reference: {{schema: olm.bundle, name: {}}}\n  message: old", name(*bundle)).unwrap();
        }
    }
    text
}
