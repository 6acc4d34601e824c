//! Edits of every kind, applied to real packages. The packages are not part of this repository.

use std::{
    cmp::Ordering,
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
};

use olm_catalog::{
    BundleName, Catalog, PackageName,
    blob::{ChannelBlob, DeprecationTarget, EntrySpec},
    load,
    package::Package,
    text::canonical::RenderFormat,
};
use olm_edit::{BundleChange, ChannelPlacement, Edit, operation::NewIcon};
use olm_version::Version;
use serde_json::json;

use super::{
    conformance,
    laws::{self, catalog_files, check_notation},
    notation::render_canonical,
};

/// Returns every catalog of one package, with its size.
pub fn package_catalogs(data: &Path) -> Vec<(PathBuf, u64)> {
    let mut found = Vec::new();
    let list = |path: &Path| fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    for folder in list(&data.join("repo/catalogs")).flat_map(|catalog| list(&catalog).collect::<Vec<_>>()) {
        let sizes = list(&folder).filter_map(|file| Some(fs::metadata(file).ok()?.len()));
        found.push((folder.clone(), sizes.sum()));
    }
    found.sort();
    found
}

/// Returns every basic template, with its size.
fn basic_templates(data: &Path) -> Vec<(PathBuf, u64)> {
    let list = |path: &Path| -> Vec<PathBuf> {
        fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
    };
    let mut open = vec![data.join("repo/operators")];
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(list(&path));
        } else if fs::read(&path)
            .is_ok_and(|text| memchr::memmem::find(&text, b"schema: olm.template.basic").is_some())
        {
            found.push((path.clone(), fs::metadata(&path).map_or(0, |file| file.len())));
        }
    }
    found.sort();
    found
}

/// Returns all paths, or a sample of those that are small enough for an unoptimized program.
fn sample_paths(all: Vec<(PathBuf, u64)>) -> Vec<PathBuf> {
    const SAMPLE_STEP: usize = 7;
    const MAX_SIZE: u64 = 60_000;
    let count = all.len();
    let everything = env::var_os("OLMAP_ALL").is_some();
    let small = all.into_iter().filter(|(_, size)| everything || *size < MAX_SIZE);
    let step = if everything { 1 } else { SAMPLE_STEP };
    let taken: Vec<PathBuf> = small.map(|(path, _)| path).step_by(step).collect();
    println!("{} of {count} (OLMAP_ALL=1 takes all)", taken.len());
    taken
}

/// Returns the first entry of a channel that no other entry replaces or skips.
fn channel_head(channel: &ChannelBlob) -> Option<BundleName> {
    let names = channel.entries.iter().map(|entry| &entry.name.value);
    let is_head = |name: &&BundleName| !channel.entries.iter().any(|e| e.replaces(name) || e.skips(name));
    { names }.find(is_head).cloned()
}

/// Returns edits of every kind that fit a package, with their kinds.
fn package_edits(package: &Package, is_template: bool) -> Vec<(&'static str, Edit)> {
    let name = || -> PackageName { package.name.clone() };
    let mut all = Vec::new();
    let middle = package.bundles.get(package.bundles.len() / 2).map(|bundle| bundle.name.value.clone());
    let middle = middle.filter(|_| !is_template);
    for channel in [package.channels.first(), package.channels.last()].into_iter().flatten() {
        add_channel_edits(package, channel, &mut all);
    }
    all.extend(promote_head(package).filter(|_| !is_template));
    if let Some(bundle) = &middle {
        let changes = [
            BundleChange::SetProperty { kind: "olm.maxOpenShiftVersion".to_owned(), value: "4.99".into() },
            BundleChange::SetRelatedImage {
                name: "olmap-test".to_owned(),
                image: "example.com/x:1".to_owned(),
            },
        ];
        for change in changes {
            let bundles = vec![bundle.clone()];
            all.push(("bundles", Edit::Bundles { package: name(), bundles, change }));
        }
        all.push(("remove-bundle", Edit::RemoveBundle { package: name(), bundle: bundle.clone() }));
        add_deprecation_edits(package, DeprecationTarget::Bundle(bundle.clone()), &mut all);
    }
    add_deprecation_edits(package, DeprecationTarget::Package, &mut all);
    let mut versions: Vec<&Version> =
        package.bundles.iter().filter_map(|b| b.version.as_ref()).map(|v| &v.version).collect();
    versions.sort_by(|a, b| a.cmp_precedence(b));
    if let Some(version) = versions.get(versions.len() / 2).map(|version| Version::clone(version)) {
        all.push(("leave-out-below", Edit::LeaveOutBelow { package: name(), version }));
    }
    for said in package.deprecations.iter().flat_map(|blob| &blob.entries) {
        if let Some(target) = said.target.clone() {
            all.push(("undeprecate", Edit::Undeprecate { package: name(), target }));
        }
    }
    for text in [Some("What it is: \"this\".\nAnd more."), Some("Short"), None] {
        let description = text.map(str::to_owned);
        all.push(("describe", Edit::SetDescription { package: name(), description }));
    }
    let icon = NewIcon { base64data: "aWNvbg==".to_owned(), mediatype: "image/png".to_owned() };
    for icon in [Some(icon), None] {
        all.push(("icon", Edit::SetIcon { package: name(), icon }));
    }
    // A template lists only the images of its bundles, so it cannot change their names.
    for blob_name in ["aaa.v1.0.0", "zzz.v1.0.0"].into_iter().filter(|_| !is_template) {
        all.push(("add-bundle", Edit::AddBundle { package: name(), blob: bundle_blob(package, blob_name) }));
    }
    let several = all.iter().filter(|(what, _)| ["promote", "add-channel", "deprecate"].contains(what));
    let edits = several.map(|(_, edit)| edit.clone()).take(3).collect();
    all.push(("several", Edit::Several { title: String::new(), edits }));
    all
}

fn add_channel_edits(package: &Package, channel: &ChannelBlob, all: &mut Vec<(&'static str, Edit)>) {
    let name = || -> PackageName { package.name.clone() };
    let this = || channel.name.value.clone();
    if let Some(entry) = channel.entries.get(channel.entries.len() / 2) {
        let mut spec = entry.to_spec();
        spec.skips.push("olmap-test.v1.0.0".into());
        spec.skip_range = Some(">=1.0.0 <2.0.0".to_owned());
        for spec in [spec, EntrySpec::default()] {
            let entry = entry.name.value.clone();
            all.push(("set-entry", Edit::SetEntry { package: name(), channel: this(), entry, spec }));
        }
        let entry = entry.name.value.clone();
        all.push(("remove-entry", Edit::RemoveEntry { package: name(), channel: this(), entry }));
    }
    for to in ["aaa-olmap-test", "zzz-olmap-test"] {
        let copy = Edit::copy_channel(package, channel.name.value.as_str(), to.into(), None);
        all.extend(copy.map(|edit| ("add-channel", edit)));
        let rename = Edit::RenameChannel { package: name(), channel: this(), to: to.into() };
        all.push(("rename-channel", rename));
    }
    let empty = Edit::AddChannel { package: name(), channel: "empty".into(), entries: Vec::new() };
    all.push(("add-channel", empty));
    all.push(("default-channel", Edit::SetDefaultChannel { package: name(), channel: this() }));
    let other = package.channels.iter().map(|c| c.name.value.clone()).find(|other| *other != this());
    for default in [None, other] {
        let remove = Edit::RemoveChannel { package: name(), channel: this(), default };
        all.push(("remove-channel", remove));
    }
    add_deprecation_edits(package, DeprecationTarget::Channel(this()), all);
}

/// Returns an edit that promotes the oldest head to the first channel without it.
fn promote_head(package: &Package) -> Option<(&'static str, Edit)> {
    let version = |name: &BundleName| package.bundle_version(name.as_str()).map(|v| v.version.clone());
    let mut heads: Vec<BundleName> = package.channels.iter().filter_map(|c| channel_head(c)).collect();
    heads.retain(|name| version(name).is_some());
    heads.sort_by(|a, b| version(a).zip(version(b)).map_or(Ordering::Equal, |(a, b)| a.cmp_precedence(&b)));
    heads.into_iter().find_map(|bundle| {
        let is_in = |channel: &ChannelBlob| channel.entries.iter().any(|entry| entry.name.value == bundle);
        let channel = package.channels.iter().find(|channel| !is_in(channel))?;
        let spec = EntrySpec { replaces: channel_head(channel), ..EntrySpec::default() };
        Some((
            "promote",
            Edit::promote(package, &bundle, &[ChannelPlacement::with_spec(channel.name.value.clone(), spec)]),
        ))
    })
}

fn add_deprecation_edits(package: &Package, target: DeprecationTarget, all: &mut Vec<(&'static str, Edit)>) {
    let message = "No longer: use another one.\nOr none.".to_owned();
    let package = package.name.clone();
    all.push(("deprecate", Edit::Deprecate { package, target, message }));
}

fn bundle_blob(package: &Package, name: &str) -> String {
    json!({
        "schema": "olm.bundle", "package": package.name.as_str(), "name": name,
        "image": "example.com/olmap-test:1", "properties": [
            {"type": "olm.package", "value": {"packageName": package.name.as_str(), "version": "99.0.0"}},
        ],
    })
    .to_string()
}

#[derive(Default)]
struct EditCounts {
    made: usize,
    refused: usize,
    unsafe_edits: Vec<String>,
}

#[test]
fn every_edit_of_real_packages_makes_only_the_requested_change() {
    let Some(data) = conformance::find_data("repo").and_then(|repo| Some(repo.parent()?.to_owned())) else {
        return;
    };
    let mut counts: BTreeMap<&str, EditCounts> = BTreeMap::new();
    let (mut canonical, mut opened, mut wrong) = (0, 0, Vec::new());
    for folder in [sample_paths(package_catalogs(&data)), sample_paths(basic_templates(&data))].concat() {
        let catalog = load::open_catalog(&folder).unwrap();
        let canonical_files: Vec<String> = { catalog_files(&catalog).into_iter() }
            .filter(|(_, bytes)| is_canonical(bytes))
            .map(|(path, _)| path)
            .collect();
        canonical += canonical_files.len();
        let is_template = catalog.template().is_some();
        opened += usize::from(is_template && catalog.packages().len() > 0);
        for package in catalog.packages() {
            for (what, edit) in package_edits(package, is_template) {
                let count = counts.entry(if is_template { "(templates)" } else { what }).or_default();
                let after = match laws::apply_and_check(&catalog, &edit) {
                    Ok(laws::EditResult::Done(after)) => *after,
                    Ok(laws::EditResult::Refused) => {
                        count.refused += 1;
                        continue;
                    }
                    Ok(laws::EditResult::Unsure(error)) => {
                        count.unsafe_edits.push(format!("{}: {}: {error}", folder.display(), edit.title()));
                        continue;
                    }
                    Err(error) => {
                        wrong.push(format!("{}: {}: {error}", folder.display(), edit.title()));
                        continue;
                    }
                };
                count.made += 1;
                let told = |error: String| format!("{}: {}: {error}", folder.display(), edit.title());
                wrong.extend(check_notation(&catalog, &after).err().map(told));
                wrong.extend(find_not_canonical(&after, &canonical_files).map(told));
                wrong.extend(check_undeprecate(&catalog, &after, &edit).map(told));
            }
        }
    }
    println!("{canonical} canonical files, {opened} templates");
    for (what, EditCounts { made, refused, unsafe_edits: unsure }) in &counts {
        println!("{what}: {made} made, {refused} refused as they must be, {} not sure", unsure.len());
        for error in unsure {
            println!("  {error}");
        }
    }
    assert!(wrong.is_empty(), "{} wrong, such as\n{}", wrong.len(), wrong[..wrong.len().min(4)].join("\n"));
    assert!(counts.values().all(|count| count.made > 0) && opened > 0);
}

fn is_canonical(bytes: &[u8]) -> bool {
    bytes.starts_with(b"---") && render_canonical(bytes, RenderFormat::Yaml).as_bytes() == bytes
}

fn find_not_canonical(after: &Catalog, were: &[String]) -> Option<String> {
    let now = catalog_files(after).into_iter();
    let changed = { now }.find(|(path, bytes)| were.contains(path) && !is_canonical(bytes));
    changed.map(|(path, _)| format!("{path} is no longer what opm renders"))
}

/// Checks that taking back a new deprecation restores the original bytes.
fn check_undeprecate(before: &Catalog, after: &Catalog, edit: &Edit) -> Option<String> {
    let Edit::Deprecate { package, target, .. } = edit else { return None };
    if before.package(package.as_str())?.deprecation(target).is_some() {
        return None;
    }
    let back = Edit::Undeprecate { package: package.clone(), target: target.clone() };
    match olm_edit::apply_edit(after, &back) {
        Ok(back) if catalog_files(&back) == catalog_files(before) => None,
        Ok(_) => Some("taken back, it leaves a trace".to_owned()),
        Err(error) => Some(format!("it cannot be taken back: {error}")),
    }
}
