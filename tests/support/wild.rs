//! Random invalid catalogs, which the explorer must be able to show.

use std::fmt::Write;

use proptest::{collection::vec, prelude::*};

/// Entry with its version and references, as indexes into the versions.
#[derive(Clone, Debug)]
struct Entry {
    version: usize,
    replaces: Option<usize>,
    skips: Vec<usize>,
    range: Option<usize>,
}

const VERSIONS: [&str; 8] =
    ["1.0.0", "1.0.1", "1.1.0", "1.1.0-rc.1", "2.0.0+build", "2.0.0", "0.0.0", "not-a-version"];

const RANGES: [&str; 6] =
    [">=1.0.0 <2.0.0", "<1.0.0", "1.x", "^1.0.0", ">=1.0.0 || || <0.5.0", "\u{ae30}\u{acc4}"];

const WORDS: [&str; 6] = [
    "Plain words.",
    "# A heading\\n\\n- a list\\n- `code` and [a link](https://example.com)\\n",
    "\u{1112}\u{1161}\u{11ab}\u{ae00} \u{6f14}\u{7b97}\u{5b50} \u{0e01}\u{0e33}",
    "\u{1f469}\u{200d}\u{1f4bb} \u{1f1e9}\u{1f1ea} e\u{301} \u{202e}backwards",
    "\\e[31mred\\e]0;title\\a",
    "",
];

fn any_entry() -> impl Strategy<Value = Entry> {
    let version = 0..VERSIONS.len();
    let replaces = proptest::option::of(0..VERSIONS.len());
    let range = proptest::option::weighted(0.3, 0..RANGES.len());
    (version, replaces, vec(0..VERSIONS.len(), 0..3), range)
        .prop_map(|(version, replaces, skips, range)| Entry { version, replaces, skips, range })
}

/// Generates a catalog as one file.
pub fn any_catalog() -> impl Strategy<Value = String> {
    vec(any_package(), 0..4).prop_map(|packages| {
        let mut yaml = String::new();
        for (number, package) in packages.into_iter().enumerate() {
            yaml += &package.replace("NAME", &format!("p{number}-operator"));
        }
        yaml
    })
}

fn any_package() -> impl Strategy<Value = String> {
    let channels = vec(vec(any_entry(), 0..7), 0..4);
    let bundles = vec((0..VERSIONS.len(), 0..WORDS.len()), 0..7);
    let deprecated = vec((0..3_usize, 0..VERSIONS.len(), 0..WORDS.len()), 0..3);
    (any::<bool>(), 0..WORDS.len(), channels, bundles, deprecated).prop_map(
        |(defined, words, channels, bundles, deprecated)| {
            let mut yaml = String::new();
            if defined {
                let words = WORDS[words];
                let _ = write!(
                    yaml,
                    "---\nschema: olm.package\nname: NAME\ndefaultChannel: c0\ndescription: \"{words}\"\n"
                );
            }
            for (number, entries) in channels.iter().enumerate() {
                let _ =
                    write!(yaml, "---\nschema: olm.channel\npackage: NAME\nname: c{number}\nentries:\n");
                for entry in entries {
                    let _ = writeln!(yaml, "- name: NAME.v{}", VERSIONS[entry.version]);
                    if let Some(replaces) = entry.replaces {
                        let _ = writeln!(yaml, "  replaces: NAME.v{}", VERSIONS[replaces]);
                    }
                    for (at, skip) in entry.skips.iter().enumerate() {
                        let key = if at == 0 { "  skips:\n" } else { "" };
                        let _ = writeln!(yaml, "{key}  - NAME.v{}", VERSIONS[*skip]);
                    }
                    if let Some(range) = entry.range {
                        let _ = writeln!(yaml, "  skipRange: '{}'", RANGES[range]);
                    }
                }
            }
            for (version, words) in bundles {
                let version = VERSIONS[version];
                let _ = write!(
                    yaml,
                    "---\nschema: olm.bundle\npackage: NAME\nname: NAME.v{version}\nimage: example.com/NAME:{version}\n\
                     properties:\n- type: olm.package\n  value: {{packageName: NAME, version: '{version}'}}\n\
                     - type: olm.csv.metadata\n  value: {{displayName: NAME, description: \"{}\"}}\n",
                    WORDS[words]
                );
            }
            if !deprecated.is_empty() {
                yaml += "---\nschema: olm.deprecations\npackage: NAME\nentries:\n";
            }
            for (kind, version, words) in deprecated {
                let target = match kind {
                    0 => "{schema: olm.package}".to_owned(),
                    1 => "{schema: olm.channel, name: c0}".to_owned(),
                    _ => format!("{{schema: olm.bundle, name: NAME.v{}}}", VERSIONS[version]),
                };
                let _ = writeln!(yaml, "- reference: {target}\n  message: \"{}\"", WORDS[words]);
            }
            yaml
        },
    )
}
