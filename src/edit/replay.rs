//! Edits made again on another state of a catalog: after somebody else changed its files, or after a crash.
//!
//! An edit says what shall be, not what was. Made again where somebody else has changed the same thing meanwhile, it would
//! undo their change without a word; so what stood there is kept with the edit, and compared.

use std::{
    hash::{BuildHasher as _, RandomState},
    sync::{
        LazyLock,
        atomic::{AtomicU64, Ordering},
    },
};

use serde::{Deserialize, Serialize};

use super::{Edit, EditError, TemplateChange, apply};
use crate::catalog::{
    BundleName, Catalog, ChannelName, PackageName,
    blob::{Entry, EntrySpec},
    package::Package,
    template::semver::{ChannelKind, List},
};

/// An edit and what it was made over.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Recorded {
    /// The edit.
    pub edit: Edit,
    /// What stood at its place, in words; one for each edit that it consists of, none where nothing stood there.
    pub over: Vec<Option<String>>,
    /// Batch of the edit, if it was made in several catalogs at once. Journals of earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<Batch>,
}

/// Identifier of edits that were made together in several catalogs: they are undone and redone together. It stays the same in
/// a journal, so that edits made together are known after a crash.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Batch(String);

impl Batch {
    /// Returns an identifier that no other batch has, in this process or another.
    pub fn unique() -> Self {
        static PROCESS: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(std::process::id()));
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(format!("{:016x}-{}", *PROCESS, NEXT.fetch_add(1, Ordering::Relaxed)))
    }
}

/// Why an edit was not made again.
#[derive(Debug, thiserror::Error)]
pub enum Conflict {
    /// Somebody else has changed what it was made over.
    #[error("it changed on disk: now {}, you edited {}", text(.now.as_ref()), text(.was.as_ref()))]
    Changed {
        /// What it was made over.
        was: Option<String>,
        /// What stands there now.
        now: Option<String>,
    },
    /// It cannot be made any more.
    #[error(transparent)]
    Refused(#[from] EditError),
}

fn text(standing: Option<&String>) -> &str {
    standing.map_or("nothing", String::as_str)
}

impl Recorded {
    /// An edit that is about to be made.
    pub fn new(before: &Catalog, edit: Edit) -> Self {
        let mut over = Vec::new();
        each_standing(before, &edit, &mut over);
        Self { edit, over, batch: None }
    }

    /// Makes the edit again.
    ///
    /// # Errors
    ///
    /// When what it was made over has changed, or it cannot be made.
    pub fn replay(&self, catalog: &Catalog) -> Result<Catalog, Conflict> {
        let mut now = Vec::new();
        each_standing(catalog, &self.edit, &mut now);
        if let Some((was, now)) = self.over.iter().zip(now).find(|(was, now)| **was != *now) {
            return Err(Conflict::Changed { was: was.clone(), now });
        }
        Ok(apply(catalog, &self.edit)?)
    }
}

fn each_standing(catalog: &Catalog, edit: &Edit, found: &mut Vec<Option<String>>) {
    match edit {
        Edit::Several { edits, .. } => edits.iter().for_each(|edit| each_standing(catalog, edit, found)),
        edit => found.push(standing(catalog, edit)),
    }
}

/// What an edit is about to change or to take away. Edits that add something find out by themselves.
fn standing(catalog: &Catalog, edit: &Edit) -> Option<String> {
    let package = |name: &PackageName| catalog.package(name.as_str()).map(AsRef::as_ref);
    match edit {
        Edit::SetEntry { package: name, channel, entry, .. }
        | Edit::RemoveEntry { package: name, channel, entry }
        | Edit::RenameKey { package: name, channel, entry, .. } => {
            entry_of(package(name)?, channel, entry).map(|entry| words(&entry.spec()))
        }
        Edit::SetDefaultChannel { package: name, .. } => {
            package(name)?.default_channel().map(ToString::to_string)
        }
        Edit::RemoveChannel { package: name, channel, .. } => {
            let entries = &package(name)?.channel(channel.as_str())?.entries;
            let entries =
                entries.iter().map(|entry| format!("{} {}", entry.name.value, words(&entry.spec())));
            Some(entries.collect::<Vec<_>>().join("; "))
        }
        Edit::Deprecate { package: name, target, .. } | Edit::Undeprecate { package: name, target } => {
            package(name)?.deprecation(target).map(|said| said.message.value.clone())
        }
        Edit::RenameChannel { package: name, channel, .. } => {
            package(name)?.channel(channel.as_str()).map(|channel| channel.name.value.to_string())
        }
        Edit::SetDescription { package: name, .. } => {
            package(name)?.definition()?.description.as_ref().map(|text| text.value.clone())
        }
        Edit::Template { change } => template_standing(catalog, change),
        Edit::AddEntry { .. }
        | Edit::AddChannel { .. }
        | Edit::AddPackage { .. }
        | Edit::AddBundle { .. }
        | Edit::SetIcon { .. }
        | Edit::RemoveBundle { .. }
        | Edit::LeaveOutBelow { .. }
        | Edit::KeepOnly { .. }
        | Edit::Several { .. } => None,
    }
}

/// What a semver template says where a change is about to change it.
fn template_standing(catalog: &Catalog, change: &TemplateChange) -> Option<String> {
    let document = &catalog.template()?.semver()?.document;
    let has = |list: List, image: &str| document.images(list).iter().any(|own| own.image.value == image);
    match change {
        TemplateChange::AddImage { .. } => None,
        TemplateChange::RemoveImage { list, image } | TemplateChange::MoveImage { from: list, image, .. } => {
            has(*list, image).then(|| image.clone())
        }
        TemplateChange::Generate { kind, .. } => {
            let written = match kind {
                ChannelKind::Major => &document.written.major,
                ChannelKind::Minor => &document.written.minor,
            };
            written.as_ref().map(|flag| flag.value.to_string())
        }
        TemplateChange::Prefer { .. } => document.written.preference.as_ref().map(|word| word.value.clone()),
    }
}

fn entry_of<'a>(package: &'a Package, channel: &ChannelName, entry: &BundleName) -> Option<&'a Entry> {
    package.channel(channel.as_str())?.entries.iter().find(|e| e.name.value == *entry)
}

/// All that an entry asks for.
fn words(spec: &EntrySpec) -> String {
    let skips: Vec<&str> = spec.skips.iter().map(BundleName::as_str).collect();
    let parts = [
        spec.replaces.as_ref().map(|name| format!("replaces {name}")),
        (!skips.is_empty()).then(|| format!("skips {}", skips.join(", "))),
        spec.skip_range.as_ref().map(|range| format!("skipRange {range}")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "no edges".to_owned() } else { parts.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{catalog::load, edit::apply};

    const CATALOG: &str = "\
schema: olm.package
name: p
defaultChannel: c
---
schema: olm.channel
package: p
name: c
entries:
- name: p.v1
- name: p.v2
  replaces: p.v1
---
schema: olm.deprecations
package: p
entries:
- reference: {schema: olm.bundle, name: p.v1}
  message: Old.
";

    fn catalog(text: &str) -> Catalog {
        load::from_bytes(text.as_bytes().to_vec())
    }

    fn bytes(catalog: &Catalog) -> String {
        String::from_utf8(catalog.files().first().map(|file| file.bytes()).unwrap_or_default()).unwrap()
    }

    fn set(range: &str) -> Edit {
        let spec = EntrySpec {
            replaces: Some("p.v1".into()),
            skip_range: Some(range.to_owned()),
            ..EntrySpec::default()
        };
        Edit::SetEntry { package: "p".into(), channel: "c".into(), entry: "p.v2".into(), spec }
    }

    #[test]
    fn an_edit_is_made_again_beside_what_somebody_else_changed() {
        let recorded = Recorded::new(&catalog(CATALOG), set("<2.0.0"));
        let theirs = catalog(&CATALOG.replace("- name: p.v1\n", "- name: p.v1\n  skipRange: <1.0.0\n"));
        let again = recorded.replay(&theirs).unwrap();
        assert!(bytes(&again).contains("<1.0.0"));
        assert!(bytes(&again).contains("<2.0.0"));
    }

    #[test]
    fn an_edit_of_what_somebody_else_changed_is_a_conflict() {
        let recorded = Recorded::new(&catalog(CATALOG), set("<2.0.0"));
        let theirs = catalog(&CATALOG.replace("  replaces: p.v1", "  skips: [p.v1]"));
        let error = recorded.replay(&theirs).unwrap_err().to_string();
        assert_eq!(error, "it changed on disk: now skips p.v1, you edited replaces p.v1");
        let gone = catalog(&CATALOG.replace("- name: p.v2\n  replaces: p.v1\n", ""));
        let error = recorded.replay(&gone).unwrap_err().to_string();
        assert_eq!(error, "it changed on disk: now nothing, you edited replaces p.v1");
    }

    #[test]
    fn each_edit_remembers_what_it_was_made_over() {
        let (p, c) = (PackageName::from("p"), ChannelName::from("c"));
        let bundle = crate::catalog::blob::DeprecationTarget::Bundle("p.v1".into());
        let one = Edit::Undeprecate { package: p.clone(), target: bundle.clone() };
        let two = Edit::SetDefaultChannel { package: p.clone(), channel: c.clone() };
        let three = Edit::RemoveChannel { package: p.clone(), channel: c, default: None };
        let four = Edit::RemoveBundle { package: p, bundle: "p.v1".into() };
        let all = Edit::Several { title: "all".to_owned(), edits: vec![one, two, three, four] };
        let over = Recorded::new(&catalog(CATALOG), all).over;
        let over: Vec<_> = over.iter().map(Option::as_deref).collect();
        assert_eq!(over, [Some("Old."), Some("c"), Some("p.v1 no edges; p.v2 replaces p.v1"), None]);
    }

    #[test]
    fn what_is_written_down_is_read_again() {
        let recorded = Recorded::new(&catalog(CATALOG), set("<2.0.0"));
        let text = serde_json::to_string(&recorded).unwrap();
        assert_eq!(
            text,
            r#"{"edit":{"operation":"set-entry","package":"p","channel":"c","entry":"p.v2","replaces":"p.v1","skipRange":"<2.0.0"},"over":["replaces p.v1"]}"#
        );
        assert_eq!(serde_json::from_str::<Recorded>(&text).unwrap(), recorded);
        let edited = apply(&catalog(CATALOG), &recorded.edit).unwrap();
        assert_eq!(bytes(&recorded.replay(&catalog(CATALOG)).unwrap()), bytes(&edited));
    }
}
