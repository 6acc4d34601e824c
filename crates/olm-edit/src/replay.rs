//! Replay of edits on another state of a catalog, after other programs changed its files or after a crash.
//!
//! An edit contains the new state, not the old one, so a replay could silently undo changes of
//! other programs. Therefore a description of the old state is recorded with the edit, and compared
//! before the replay.

use std::{
    hash::{BuildHasher as _, RandomState},
    sync::{
        LazyLock,
        atomic::{AtomicU64, Ordering},
    },
};

use serde::{Deserialize, Serialize};

use super::{Edit, EditError, TemplateChange, apply::describe_parts, apply_edit};
use olm_catalog::{
    BundleName, Catalog, ChannelName, PackageName,
    blob::{Entry, EntrySpec},
    package::Package,
    template::semver::{ChannelKind, List},
};

/// An edit with a description of the state that it replaced.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RecordedEdit {
    /// The edit.
    pub edit: Edit,
    /// Descriptions of the state that the edit replaced, one per single edit; `None` if the edit
    /// replaced nothing.
    pub over: Vec<Option<String>>,
    /// Batch of the edit, if it was made in several catalogs together. Journals of earlier versions do not have
    /// it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<Batch>,
}

/// Identifier of edits that were made together in several catalogs, and are undone and redone together. It is
/// stored in journals, so that it survives a crash.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Batch(String);

impl Batch {
    /// Returns an identifier that is unique among all processes.
    pub fn unique() -> Self {
        static PROCESS: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(std::process::id()));
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(format!("{:016x}-{}", *PROCESS, NEXT.fetch_add(1, Ordering::Relaxed)))
    }
}

/// Reason why an edit cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum Conflict {
    /// The state has changed since the edit was made.
    #[error("it changed on disk: now {}, you edited {}", state_or_nothing(.now.as_ref()), state_or_nothing(.was.as_ref()))]
    Changed {
        /// State at the time of the edit.
        was: Option<String>,
        /// Current state.
        now: Option<String>,
    },
    /// The edit is no longer possible.
    #[error(transparent)]
    Refused(#[from] EditError),
}

fn state_or_nothing(standing: Option<&String>) -> &str {
    standing.map_or("nothing", String::as_str)
}

impl RecordedEdit {
    /// Records an edit before it is applied.
    pub fn new(before: &Catalog, edit: Edit) -> Self {
        let mut over = Vec::new();
        collect_states(before, &edit, &mut over);
        Self { edit, over, batch: None }
    }

    /// Replays the edit.
    ///
    /// # Errors
    ///
    /// If the state has changed, or if the edit is not possible.
    pub fn replay(&self, catalog: &Catalog) -> Result<Catalog, Conflict> {
        let mut now = Vec::new();
        collect_states(catalog, &self.edit, &mut now);
        if let Some((was, now)) = self.over.iter().zip(now).find(|(was, now)| **was != *now) {
            return Err(Conflict::Changed { was: was.clone(), now });
        }
        Ok(apply_edit(catalog, &self.edit)?)
    }
}

/// Appends the current state for each single edit.
fn collect_states(catalog: &Catalog, edit: &Edit, found: &mut Vec<Option<String>>) {
    match edit {
        Edit::Several { edits, .. } => edits.iter().for_each(|edit| collect_states(catalog, edit, found)),
        edit => found.push(current_state(catalog, edit)),
    }
}

/// Describes the state that an edit changes or removes. Edits that add something detect conflicts themselves.
fn current_state(catalog: &Catalog, edit: &Edit) -> Option<String> {
    let package = |name: &PackageName| catalog.package(name.as_str()).map(AsRef::as_ref);
    match edit {
        Edit::SetEntry { package: name, channel, entry, .. }
        | Edit::RemoveEntry { package: name, channel, entry }
        | Edit::RenameKey { package: name, channel, entry, .. } => {
            find_entry(package(name)?, channel, entry).map(|entry| describe_edges(&entry.to_spec()))
        }
        Edit::SetDefaultChannel { package: name, .. } => {
            package(name)?.default_channel().map(ToString::to_string)
        }
        Edit::RemoveChannel { package: name, channel, .. } => {
            let entries = &package(name)?.channel(channel.as_str())?.entries;
            let entries = entries
                .iter()
                .map(|entry| format!("{} {}", entry.name.value, describe_edges(&entry.to_spec())));
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
        Edit::Bundles { package: name, bundles, change } => {
            describe_parts(catalog, package(name)?, bundles, change)
        }
        Edit::Template { change } => template_state(catalog, change),
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

/// Describes the part of a semver template that a change affects.
fn template_state(catalog: &Catalog, change: &TemplateChange) -> Option<String> {
    let document = &catalog.template()?.semver()?.document;
    let has = |list: List, image: &str| document.images(list).iter().any(|own| own.image.value == image);
    match change {
        TemplateChange::AddImage { .. } => None,
        TemplateChange::RemoveImage { list, image } | TemplateChange::MoveImage { from: list, image, .. } => {
            has(*list, image).then(|| image.clone())
        }
        TemplateChange::Generate { kind, .. } => {
            let written = match kind {
                ChannelKind::Major => &document.settings_as_written.major,
                ChannelKind::Minor => &document.settings_as_written.minor,
            };
            written.as_ref().map(|flag| flag.value.to_string())
        }
        TemplateChange::Prefer { .. } => {
            document.settings_as_written.preference.as_ref().map(|word| word.value.clone())
        }
    }
}

fn find_entry<'a>(package: &'a Package, channel: &ChannelName, entry: &BundleName) -> Option<&'a Entry> {
    package.channel(channel.as_str())?.entries.iter().find(|e| e.name.value == *entry)
}

/// Describes all edges of an entry.
fn describe_edges(spec: &EntrySpec) -> String {
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
    use olm_catalog::load;

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

    fn parse_catalog(text: &str) -> Catalog {
        load::from_bytes(text.as_bytes().to_vec())
    }

    fn catalog_text(catalog: &Catalog) -> String {
        String::from_utf8(catalog.files().first().map(|file| file.current_bytes()).unwrap_or_default())
            .unwrap()
    }

    fn set_range(range: &str) -> Edit {
        let spec = EntrySpec {
            replaces: Some("p.v1".into()),
            skip_range: Some(range.to_owned()),
            ..EntrySpec::default()
        };
        Edit::SetEntry { package: "p".into(), channel: "c".into(), entry: "p.v2".into(), spec }
    }

    #[test]
    fn replays_edit_next_to_foreign_change() {
        let recorded = RecordedEdit::new(&parse_catalog(CATALOG), set_range("<2.0.0"));
        let theirs = parse_catalog(&CATALOG.replace("- name: p.v1\n", "- name: p.v1\n  skipRange: <1.0.0\n"));
        let again = recorded.replay(&theirs).unwrap();
        assert!(catalog_text(&again).contains("<1.0.0"));
        assert!(catalog_text(&again).contains("<2.0.0"));
    }

    #[test]
    fn edit_of_foreign_change_is_a_conflict() {
        let recorded = RecordedEdit::new(&parse_catalog(CATALOG), set_range("<2.0.0"));
        let theirs = parse_catalog(&CATALOG.replace("  replaces: p.v1", "  skips: [p.v1]"));
        let error = recorded.replay(&theirs).unwrap_err().to_string();
        assert_eq!(error, "it changed on disk: now skips p.v1, you edited replaces p.v1");
        let gone = parse_catalog(&CATALOG.replace("- name: p.v2\n  replaces: p.v1\n", ""));
        let error = recorded.replay(&gone).unwrap_err().to_string();
        assert_eq!(error, "it changed on disk: now nothing, you edited replaces p.v1");
    }

    #[test]
    fn each_edit_records_the_old_state() {
        let (p, c) = (PackageName::from("p"), ChannelName::from("c"));
        let bundle = olm_catalog::blob::DeprecationTarget::Bundle("p.v1".into());
        let one = Edit::Undeprecate { package: p.clone(), target: bundle.clone() };
        let two = Edit::SetDefaultChannel { package: p.clone(), channel: c.clone() };
        let three = Edit::RemoveChannel { package: p.clone(), channel: c, default: None };
        let four = Edit::RemoveBundle { package: p, bundle: "p.v1".into() };
        let all = Edit::Several { title: "all".to_owned(), edits: vec![one, two, three, four] };
        let over = RecordedEdit::new(&parse_catalog(CATALOG), all).over;
        let over: Vec<_> = over.iter().map(Option::as_deref).collect();
        assert_eq!(over, [Some("Old."), Some("c"), Some("p.v1 no edges; p.v2 replaces p.v1"), None]);
    }

    #[test]
    fn recorded_edit_round_trips_through_json() {
        let recorded = RecordedEdit::new(&parse_catalog(CATALOG), set_range("<2.0.0"));
        let text = serde_json::to_string(&recorded).unwrap();
        assert_eq!(
            text,
            r#"{"edit":{"operation":"set-entry","package":"p","channel":"c","entry":"p.v2","replaces":"p.v1","skipRange":"<2.0.0"},"over":["replaces p.v1"]}"#
        );
        assert_eq!(serde_json::from_str::<RecordedEdit>(&text).unwrap(), recorded);
        let edited = apply_edit(&parse_catalog(CATALOG), &recorded.edit).unwrap();
        assert_eq!(catalog_text(&recorded.replay(&parse_catalog(CATALOG)).unwrap()), catalog_text(&edited));
    }
}
