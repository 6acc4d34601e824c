//! Edits of small catalogs in several styles: the result is the requested change, and nothing else changes.
#![no_main]

mod channels;
// The model and the laws of edits are shared with the property tests.
#[allow(dead_code)]
#[path = "../../tests/edit_laws/laws.rs"]
mod laws;
#[path = "../../tests/edit_laws/model.rs"]
mod model;
#[path = "../../tests/edit_laws/parts.rs"]
mod parts;
#[path = "../../tests/edit_laws/value_tree.rs"]
mod value_tree;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use olm_catalog::{
    BundleName, Catalog, Origin,
    blob::{DeprecationTarget, EntrySpec},
    load,
    package::Package,
};
use olm_edit::{
    Edit,
    operation::{NewEntry, NewIcon},
};
use olm_version::Version;

/// Edited catalog.
#[derive(Arbitrary, Debug)]
enum Source {
    Made(channels::Package),
    Written(u8),
}

/// Catalogs in various styles.
const WRITTEN: &[&[u8]] = &[
    include_bytes!("../seeds/catalogs/comments.yaml"),
    include_bytes!("../seeds/catalogs/odd.yaml"),
    include_bytes!("../seeds/catalogs/mixed.json"),
    include_bytes!("../seeds/catalogs/crlf.yaml"),
    include_bytes!("../seeds/loader/small.yaml"),
    include_bytes!("../seeds/loader/small.json"),
];

/// Names and ranges that are easily parsed as another type.
const TRICKY: &[&str] = &[
    "",
    " ",
    "~",
    "null",
    "yes",
    "1.0",
    "0x1f",
    "1_0",
    "2001-01-01",
    "- a",
    "a: b",
    "a #b",
    "#",
    "'",
    "\"",
    "a'b\"c",
    "[a",
    "}",
    "&a",
    "*a",
    "!a",
    "%a",
    "@a",
    "`a",
    "|",
    ">",
    "a\nb",
    "\n",
    "a\n",
    "\ta",
    "a ",
    "=",
    "<<",
    "é",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "\u{7f}",
    "\u{0}",
    "\u{fffe}",
    "\u{1f600}",
    "---",
    "...",
    "? a",
    "-",
    ":",
    "a:",
    "\\",
    "{{a}}",
];

#[derive(Arbitrary, Debug)]
enum Word {
    Bundle(u8),
    Tricky(u8),
    Any(String),
}

impl Word {
    fn text(&self) -> String {
        match self {
            Self::Bundle(bundle) => channels::name(*bundle),
            Self::Tricky(index) => TRICKY[usize::from(*index) % TRICKY.len()].to_owned(),
            Self::Any(text) => text.clone(),
        }
    }
}

#[derive(Arbitrary, Debug)]
struct Spec {
    replaces: Option<Word>,
    skips: Vec<Word>,
    range: Option<Word>,
}

impl Spec {
    /// Returns the entry; an empty `replaces` or `skipRange` counts as missing.
    fn spec(&self) -> EntrySpec {
        let some = |word: &Option<Word>| word.as_ref().map(Word::text).filter(|text| !text.is_empty());
        EntrySpec {
            replaces: some(&self.replaces).map(BundleName::from),
            skips: self.skips.iter().take(6).map(|skip| skip.text().into()).collect(),
            skip_range: some(&self.range),
        }
    }
}

#[derive(Arbitrary, Debug)]
enum Target {
    Package,
    Channel(u8),
    Bundle(u8),
    Said(u8),
}

#[derive(Arbitrary, Debug)]
enum Deed {
    Set { channel: u8, entry: u8, spec: Spec },
    Add { channel: u8, entry: Word, spec: Spec },
    Remove { channel: u8, entry: u8 },
    RenameKey { channel: u8, entry: u8, from: Word, to: Word },
    Default { channel: u8 },
    AddChannel { name: Word, entries: Vec<(Word, Spec)> },
    RenameChannel { channel: u8, to: Word },
    RemoveChannel { channel: u8, default: Option<u8> },
    Describe { text: Option<Word> },
    Icon { icon: Option<(Word, Word)> },
    AddBundle { name: Word, version: u8, format: u8 },
    AddText { text: Word },
    RemoveBundle { bundle: u8 },
    LeaveOut { major: u8, minor: u8 },
    Deprecate { target: Target, message: Word },
    Undeprecate { target: Target },
}

fn target(package: &Package, target: &Target) -> Option<DeprecationTarget> {
    let said = || package.deprecations.iter().flat_map(|blob| &blob.entries).collect::<Vec<_>>();
    Some(match target {
        Target::Package => DeprecationTarget::Package,
        Target::Channel(index) => {
            DeprecationTarget::Channel(nth(&package.channels, *index)?.name.value.clone())
        }
        Target::Bundle(index) => DeprecationTarget::Bundle(nth(&package.bundles, *index)?.name.value.clone()),
        Target::Said(index) => nth(&said(), *index)?.target.clone()?,
    })
}

fn nth<T>(items: &[T], index: u8) -> Option<&T> {
    items.get(usize::from(index) % items.len().max(1))
}

/// Turns an action into an edit of the package.
fn edit(package: &Package, deed: &Deed) -> Option<Edit> {
    let channel = |index: &u8| Some(nth(&package.channels, *index)?.name.value.clone());
    let there = |channel: &u8, entry: &u8| {
        let channel = nth(&package.channels, *channel)?;
        Some((channel.name.value.clone(), nth(&channel.entries, *entry)?.name.value.clone()))
    };
    let of = package;
    let package = package.name.clone();
    Some(match deed {
        Deed::Set { channel, entry, spec } => {
            let (channel, entry) = there(channel, entry)?;
            Edit::SetEntry { package, channel, entry, spec: spec.spec() }
        }
        Deed::Add { channel: index, entry, spec } => Edit::AddEntry {
            package,
            channel: channel(index)?,
            entry: entry.text().into(),
            spec: spec.spec(),
        },
        Deed::Remove { channel, entry } => {
            let (channel, entry) = there(channel, entry)?;
            Edit::RemoveEntry { package, channel, entry }
        }
        Deed::RenameKey { channel, entry, from, to } => {
            let (channel, entry) = there(channel, entry)?;
            Edit::RenameKey { package, channel, entry, from: from.text(), to: to.text() }
        }
        Deed::Default { channel: index } => Edit::SetDefaultChannel { package, channel: channel(index)? },
        Deed::AddChannel { name, entries } => {
            let new = entries.iter().take(4);
            let entries = new.map(|(name, spec)| NewEntry { name: name.text().into(), spec: spec.spec() });
            Edit::AddChannel { package, channel: name.text().into(), entries: entries.collect() }
        }
        Deed::RenameChannel { channel: index, to } => {
            Edit::RenameChannel { package, channel: channel(index)?, to: to.text().into() }
        }
        Deed::RemoveChannel { channel: index, default } => Edit::RemoveChannel {
            package,
            channel: channel(index)?,
            default: default.as_ref().and_then(channel),
        },
        Deed::Describe { text } => {
            Edit::SetDescription { package, description: text.as_ref().map(Word::text) }
        }
        Deed::Icon { icon } => {
            let icon = icon.as_ref();
            let icon = icon.map(|(data, kind)| NewIcon { base64data: data.text(), mediatype: kind.text() });
            Edit::SetIcon { package, icon }
        }
        Deed::AddBundle { name, version, format } => {
            let blob = serde_json::json!({
                "schema": "olm.bundle", "package": package.as_str(), "name": name.text(), "image": "example.com/p:new",
                "properties": [{"type": "olm.package", "value": {
                    "packageName": package.as_str(), "version": channels::version(*version),
                }}],
            });
            let pretty = || serde_json::to_string_pretty(&blob).expect("JSON");
            let blob = match format % 3 {
                0 => blob.to_string(),
                1 => pretty(),
                // JSON in YAML.
                _ => format!("--- # new\n{}\n", pretty()),
            };
            Edit::AddBundle { package, blob }
        }
        Deed::AddText { text } => Edit::AddBundle { package, blob: text.text() },
        Deed::RemoveBundle { bundle } => {
            Edit::RemoveBundle { package, bundle: nth(&of.bundles, *bundle)?.name.value.clone() }
        }
        Deed::LeaveOut { major, minor } => {
            let version = Version::new(u64::from(major % 3), u64::from(minor % 13), 0);
            Edit::LeaveOutBelow { package, version }
        }
        Deed::Deprecate { target: of_what, message } => {
            Edit::Deprecate { package, target: target(of, of_what)?, message: message.text() }
        }
        Deed::Undeprecate { target: of_what } => Edit::Undeprecate { package, target: target(of, of_what)? },
    })
}

fn open(bytes: Vec<u8>, in_directory: bool) -> Catalog {
    if in_directory {
        let texts = [("p/catalog.yaml".into(), bytes)];
        return load::from_texts(Origin::Directory("catalog".into()), texts);
    }
    load::from_bytes(bytes)
}

fuzz_target!(|input: (Source, bool, Vec<Vec<Deed>>)| {
    let (source, in_directory, steps) = input;
    let bytes = match source {
        Source::Made(package) => channels::catalog(&package).into_bytes(),
        Source::Written(index) => WRITTEN[usize::from(index) % WRITTEN.len()].to_vec(),
    };
    let start = open(bytes, in_directory);
    let mut catalog = start.clone();
    for deeds in steps.iter().take(5) {
        let Some(package) = catalog.packages().next() else { return };
        let mut edits: Vec<Edit> = deeds.iter().take(4).filter_map(|deed| edit(package, deed)).collect();
        let edit = match edits.len() {
            1 => edits.remove(0),
            _ => Edit::Several { title: String::new(), edits },
        };
        match laws::apply_and_check(&catalog, &edit) {
            Ok(laws::EditResult::Done(next)) => catalog = *next,
            Ok(laws::EditResult::Refused | laws::EditResult::Unsure(_)) => {}
            Err(wrong) => panic!("{edit:?}: {wrong}\n{:?}", laws::catalog_files(&catalog)),
        }
    }
});
