//! Random catalogs and random edits of them.

use olm_catalog::{
    Catalog, Origin,
    blob::{DeprecationTarget, EntrySpec},
    load,
    package::Package,
};
use olm_edit::{
    BundleChange, Edit,
    operation::{NewEntry, NewIcon},
};
use olm_version::Version;
use proptest::{prelude::*, sample::Index};
use serde_json::{Value, json};

use super::notation::{Notation, notation};

/// Strings that are easily parsed as another type.
const TRICKY: &[&str] = &[
    "y",
    "no",
    "null",
    "1.0",
    "0x1F",
    "1_000",
    "1:30",
    "2026-01-01",
    "a: b",
    "a #b",
    "#a",
    "- a",
    "it's",
    "a\\b",
    "two\nlines",
    "two\nlines\n",
    " a",
    "a ",
    "\u{85}",
    "\u{feff}x",
    "über",
    "日本",
    "🐱",
    ">=1.0.0 <2.0.0",
    "[a]",
    "{a}",
    "a,b",
    "*x",
    "&x",
    "!x",
    "|",
    ">",
    "%x",
    "@x",
    "`x",
    "---",
    "...",
    "=",
    "<<",
    "~",
    "a\tb",
    "\"",
    "# x1 #",
    "a sentence that is long enough to be folded by a writer that folds its lines at eighty columns, and then some",
];

/// Generated catalog: contents and notation.
#[derive(Clone, Debug)]
pub struct GeneratedCatalog {
    pub packages: Vec<Vec<Value>>,
    pub files: FileLayout,
    pub styles: Vec<Notation>,
}

/// Distribution of documents over files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileLayout {
    /// All in one file, read from standard input.
    One,
    /// One directory per package.
    Directories,
    /// One directory per package, with bundles in a second file.
    Apart,
    /// One directory per package, with separate files for channels and bundles.
    ByKind,
}

fn tricky_word() -> impl Strategy<Value = String> {
    prop_oneof![
        5 => prop::sample::select(vec!["stable", "fast", "alpha", "candidate-v2", "v1.0", "Beta"]),
        2 => prop::sample::select(TRICKY),
    ]
    .prop_map(str::to_owned)
}

fn bundle_name(package: &str, nth: usize) -> String {
    format!("{package}.v{}.{}.0", 1 + nth / 3, nth % 3)
}

/// Entry before its package is known: number, replaced number, skipped numbers, and range.
type RawEntry = (usize, Option<usize>, Vec<usize>, Option<u8>);

fn raw_entry() -> impl Strategy<Value = RawEntry> {
    let skips = prop_oneof![2 => Just(Vec::new()), 1 => prop::collection::vec(0..8_usize, 1..4)];
    (0..8_usize, prop::option::of(0..8_usize), skips, prop::option::weighted(0.3, 0..3_u8))
}

fn package_documents(name: &'static str) -> impl Strategy<Value = Vec<Value>> {
    let channels = prop::collection::vec((tricky_word(), prop::collection::vec(raw_entry(), 1..5)), 1..4);
    let said = prop::collection::vec((0..14_usize, tricky_word()), 0..4);
    let extras = (
        prop::option::of(tricky_word()),
        any::<bool>(),
        prop::bool::weighted(0.2),
        prop::bool::weighted(0.2),
    );
    (channels, 1..7_usize, said, extras, any::<bool>()).prop_map(
        move |(mut channels, bundles, said, extras, schema_last)| {
            channels.sort();
            channels.dedup_by(|a, b| a.0 == b.0);
            let (description, icon, other, note) = extras;
            let mut docs = Vec::new();
            let mut definition =
                json!({"schema": "olm.package", "name": name, "defaultChannel": channels[0].0});
            if let Some(description) = description {
                definition["description"] = description.into();
            }
            if icon {
                definition["icon"] = json!({"base64data": "aWNvbg==", "mediatype": "image/png"});
            }
            docs.push(definition);
            for (channel, raw) in &channels {
                let mut seen = Vec::new();
                let mut entries = Vec::new();
                for (nth, replaces, skips, range) in raw {
                    if !seen.contains(nth) {
                        seen.push(*nth);
                        entries.push(plain_entry(name, *nth, *replaces, skips, *range));
                    }
                }
                docs.push(
                    json!({"schema": "olm.channel", "package": name, "name": channel, "entries": entries}),
                );
            }
            for nth in 0..bundles {
                docs.push(bundle_document(name, nth, note));
            }
            if other {
                docs.push(json!({"schema": "example.com/custom", "package": name, "data": {"yes": 1}}));
            }
            let mut items: Vec<Value> = Vec::new();
            for (what, message) in said {
                let reference = match what {
                    0 => json!({"schema": "olm.package"}),
                    1..=3 => json!({"schema": "olm.channel", "name": channels[what % channels.len()].0}),
                    _ => json!({"schema": "olm.bundle", "name": bundle_name(name, what % bundles)}),
                };
                if items.iter().all(|item| item["reference"] != reference) {
                    items.push(json!({"reference": reference, "message": message}));
                }
            }
            if !items.is_empty() {
                docs.push(json!({"schema": "olm.deprecations", "package": name, "entries": items}));
            }
            if schema_last {
                docs = docs.into_iter().map(reverse_keys).collect();
            }
            docs
        },
    )
}

fn reverse_keys(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let members: Vec<_> = map.into_iter().map(|(key, value)| (key, reverse_keys(value))).collect();
            Value::Object(members.into_iter().rev().collect())
        }
        Value::Array(items) => items.into_iter().map(reverse_keys).collect(),
        other => other,
    }
}

fn plain_entry(name: &str, nth: usize, replaces: Option<usize>, skips: &[usize], range: Option<u8>) -> Value {
    let mut entry = json!({"name": bundle_name(name, nth)});
    if let Some(replaces) = replaces {
        entry["replaces"] = bundle_name(name, replaces).into();
    }
    if !skips.is_empty() {
        entry["skips"] = skips.iter().map(|nth| bundle_name(name, *nth)).collect();
    }
    match range {
        Some(0) => entry["skipRange"] = ">=1.0.0 <2.0.0".into(),
        Some(1) => entry["skipRange"] = "<1.0.0".into(),
        // A misspelled key, and an unknown key.
        Some(_) => entry["replace"] = bundle_name(name, 0).into(),
        None => {}
    }
    entry
}

fn bundle_document(package: &str, nth: usize, note: bool) -> Value {
    let mut properties = vec![json!({
        "type": "olm.package",
        "value": {"packageName": package, "version": format!("{}.{}.0", 1 + nth / 3, nth % 3)},
    })];
    if note {
        properties.push(json!({"type": "example.com/note", "value": {"text": "two\nlines", "on": true}}));
    }
    json!({
        "schema": "olm.bundle", "package": package, "name": bundle_name(package, nth),
        "image": format!("example.com/{package}:{nth}"), "properties": properties,
        "relatedImages": [{"name": "", "image": format!("example.com/{package}:{nth}")}, {"name": "stable", "image": "example.com/s"}],
    })
}

pub fn generated_catalog() -> impl Strategy<Value = GeneratedCatalog> {
    let packages = (package_documents("ship"), prop::option::of(package_documents("boat")))
        .prop_map(|(a, b)| [Some(a), b].into_iter().flatten());
    let files = prop::sample::select(vec![
        FileLayout::One,
        FileLayout::One,
        FileLayout::Directories,
        FileLayout::Apart,
        FileLayout::ByKind,
    ]);
    (packages, files, prop::collection::vec(notation(), 4)).prop_map(|(packages, files, styles)| {
        // opm renders packages sorted by name.
        let mut packages: Vec<_> = packages.collect();
        packages.reverse();
        GeneratedCatalog { packages, files, styles }
    })
}

impl GeneratedCatalog {
    /// Returns the files: path, notation, bytes.
    pub fn to_files(&self) -> Vec<(String, Notation, Vec<u8>)> {
        let mut files = Vec::new();
        let mut write = |path: &str, style: Notation, docs: &[Value]| {
            files.push((path.to_owned(), style, style.write_file(docs)));
        };
        match self.files {
            FileLayout::One => write("<stdin>", self.styles[0], &self.packages.concat()),
            FileLayout::Directories => {
                for (nth, docs) in self.packages.iter().enumerate() {
                    write(&format!("p{nth}/catalog.yaml"), self.styles[nth], docs);
                }
            }
            FileLayout::ByKind => {
                let of = |kinds: &[&str]| -> Vec<Value> {
                    let all = self.packages.concat().into_iter();
                    all.filter(|doc| kinds.contains(&doc["schema"].as_str().unwrap())).collect()
                };
                write("all/a.yaml", self.styles[0], &of(&["olm.bundle"]));
                write("all/b.yaml", self.styles[1], &of(&["olm.channel"]));
                let rest = ["olm.package", "example.com/custom", "olm.deprecations"];
                write("all/c.yaml", self.styles[2], &of(&rest));
            }
            FileLayout::Apart => {
                let is_bundle = |doc: &&Value| doc["schema"] == "olm.bundle";
                let all = self.packages.concat();
                let bundles: Vec<Value> = all.iter().filter(is_bundle).cloned().collect();
                let rest: Vec<Value> = all.iter().filter(|doc| !is_bundle(doc)).cloned().collect();
                write("all/bundles.yaml", self.styles[0], &bundles);
                write("all/catalog.yaml", self.styles[1], &rest);
            }
        }
        files
    }

    /// Loads the catalog.
    pub fn load_catalog(&self) -> Catalog {
        let files = self.to_files().into_iter().map(|(path, _, bytes)| (path.into(), bytes));
        let origin =
            if self.files == FileLayout::One { Origin::Stdin } else { Origin::Directory("catalog".into()) };
        load::from_texts(origin, files)
    }
}

/// Edit before its catalog is known.
#[derive(Clone, Debug)]
pub struct RandomEdit {
    kind: u8,
    at: [Index; 4],
    words: [String; 2],
    spec: (Option<u8>, Vec<u8>, Option<String>),
    /// True if the edit uses names that do not exist.
    wrong: bool,
    further: Vec<RandomEdit>,
}

pub fn random_edit() -> impl Strategy<Value = RandomEdit> {
    let one = || {
        let spec = (
            prop::option::weighted(0.6, 0..9_u8),
            prop::collection::vec(0..9_u8, 0..4),
            prop::option::weighted(0.4, tricky_word()),
        );
        let at = [any::<Index>(), any::<Index>(), any::<Index>(), any::<Index>()];
        (0..18_u8, at, [tricky_word(), tricky_word()], spec, prop::bool::weighted(0.05)).prop_map(
            |(kind, at, words, spec, wrong)| RandomEdit { kind, at, words, spec, wrong, further: Vec::new() },
        )
    };
    prop_oneof![
        9 => one(),
        1 => prop::collection::vec(one(), 0..4).prop_flat_map(move |also| one().prop_map(move |mut deed| {
            deed.kind = 18;
            deed.further.clone_from(&also);
            deed
        })),
    ]
}

impl RandomEdit {
    /// Returns the edit for a catalog.
    pub fn to_edit(&self, catalog: &Catalog) -> Option<Edit> {
        let packages: Vec<_> = catalog.packages().collect();
        let there: &Package = packages.get(self.at[0].index(packages.len().max(1)))?;
        let package = there.name.clone();
        let name = package.as_str().to_owned();
        let pick = |at: &Index| (!there.channels.is_empty()).then(|| at.get(&there.channels));
        let wrong = || "not-there".to_owned();
        let channel =
            |at: &Index| pick(at).filter(|_| !self.wrong).map_or_else(wrong, |c| c.name.value.to_string());
        let entry = || {
            let entries = pick(&self.at[1]).map(|c| &c.entries).filter(|e| !e.is_empty() && !self.wrong);
            entries.map_or_else(wrong, |entries| self.at[2].get(entries).name.value.to_string())
        };
        let some_bundle = || {
            let there = Some(&there.bundles).filter(|b| !b.is_empty() && !self.wrong);
            there.map_or_else(wrong, |bundles| self.at[2].get(bundles).name.value.to_string())
        };
        let target = || match self.at[3].index(4) {
            0 => DeprecationTarget::Package,
            1 => DeprecationTarget::Channel(channel(&self.at[1]).into()),
            _ => DeprecationTarget::Bundle(some_bundle().into()),
        };
        let spec = self.entry_spec(&name);
        let said: Vec<_> = there.deprecations.iter().flat_map(|d| &d.entries).collect();
        Some(match self.kind {
            0 | 1 => {
                Edit::SetEntry { package, channel: channel(&self.at[1]).into(), entry: entry().into(), spec }
            }
            2 => {
                let entry = bundle_name(&name, self.at[3].index(12));
                Edit::AddEntry { package, channel: channel(&self.at[1]).into(), entry: entry.into(), spec }
            }
            3 => Edit::RemoveEntry { package, channel: channel(&self.at[1]).into(), entry: entry().into() },
            4 => {
                let (from, to) = ("replace".to_owned(), "replaces".to_owned());
                Edit::RenameKey {
                    package,
                    channel: channel(&self.at[1]).into(),
                    entry: entry().into(),
                    from,
                    to,
                }
            }
            5 => Edit::SetDefaultChannel { package, channel: channel(&self.at[1]).into() },
            6 => {
                let also = self.spec.1.iter().map(|nth| NewEntry {
                    name: bundle_name(&name, usize::from(*nth)).into(),
                    spec: spec.clone(),
                });
                Edit::AddChannel { package, channel: self.words[0].as_str().into(), entries: also.collect() }
            }
            7 => {
                let to = self.words[0].as_str().into();
                Edit::RenameChannel { package, channel: channel(&self.at[1]).into(), to }
            }
            8 => Edit::SetDescription { package, description: self.spec.0.map(|_| self.words[0].clone()) },
            9 => {
                let icon = NewIcon { base64data: "bmV3".into(), mediatype: self.words[0].clone() };
                Edit::SetIcon { package, icon: self.spec.0.map(|_| icon) }
            }
            10 => {
                let new = bundle_document(&name, self.at[3].index(24), self.spec.0.is_some());
                let blob = match self.at[2].index(3) {
                    0 => new.to_string(),
                    1 => String::from_utf8(Notation::Canonical.write_file(&[new])).ok()?,
                    _ => String::from_utf8(Notation::Flow.write_file(&[new])).ok()?,
                };
                Edit::AddBundle { package, blob: if self.wrong { self.words[0].clone() } else { blob } }
            }
            11 => {
                let default = self.spec.0.map(|_| channel(&self.at[3]).into());
                Edit::RemoveChannel { package, channel: channel(&self.at[1]).into(), default }
            }
            12 => Edit::RemoveBundle { package, bundle: some_bundle().into() },
            13 => {
                Edit::LeaveOutBelow { package, version: Version::new(1 + self.at[2].index(3) as u64, 1, 0) }
            }
            14 => {
                let message = if self.wrong { " ".to_owned() } else { self.words[0].clone() };
                Edit::Deprecate { package, target: target(), message }
            }
            15 => Edit::Undeprecate { package, target: target() },
            16 => {
                let of = (!said.is_empty()).then(|| self.at[2].get(&said).target.clone()).flatten();
                Edit::Undeprecate { package, target: of.unwrap_or_else(target) }
            }
            17 => {
                let mut bundles = vec![some_bundle().into()];
                if self.spec.0.is_some() {
                    bundles.extend(there.bundles.iter().map(|bundle| bundle.name.value.clone()));
                }
                Edit::Bundles { package, bundles, change: self.bundle_change() }
            }
            _ => {
                let edits = self.further.iter().filter_map(|deed| deed.to_edit(catalog)).collect();
                Edit::Several { title: self.words[0].clone(), edits }
            }
        })
    }

    fn bundle_change(&self) -> BundleChange {
        let kind = ["example.com/note", "olm.package", &self.words[0], ""][self.at[1].index(4)].to_owned();
        let value = match self.at[3].index(3) {
            0 => json!(self.words[1]),
            1 => json!({"text": self.words[1], "list": [true, null, {}]}),
            _ => json!({"text": "two\nlines", "on": true}),
        };
        let (name, image) = (self.words[0].clone(), self.words[1].clone());
        match self.at[2].index(6) {
            0 | 1 => BundleChange::SetProperty { kind, value },
            2 => BundleChange::AddProperty { kind, value },
            3 => BundleChange::RemoveProperty { kind, value: self.spec.2.as_ref().map(|_| value) },
            4 => {
                BundleChange::SetRelatedImage { name, image: if self.wrong { String::new() } else { image } }
            }
            _ => BundleChange::RemoveRelatedImage { name: if self.wrong { name } else { String::new() } },
        }
    }

    fn entry_spec(&self, package: &str) -> EntrySpec {
        let (replaces, skips, range) = &self.spec;
        let name = |nth: u8| bundle_name(package, usize::from(nth)).into();
        EntrySpec {
            replaces: replaces.map(name),
            skips: skips.iter().map(|nth| name(*nth)).collect(),
            skip_range: range.clone(),
        }
    }
}
