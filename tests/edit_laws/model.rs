//! Reference model of edits: documents as plain data, without bytes, locations or notation.
//!
//! The model does not use the implementation of the library. It is shared with the fuzz target
//! `edit`.

use std::collections::{HashMap, HashSet};

use olmap::{
    catalog::{
        blob::{DeprecationTarget, EntrySpec},
        text::split,
    },
    edit::{Edit, operation::NewIcon},
    version::Version,
};
use serde_json::{Map, Value, json};

use super::plain::{Doc, entries, get, items, listed, plain, push, remove, set, text, texts};

/// Returns the documents after an edit; `None` if the edit must be refused.
pub fn after(mut docs: Vec<Doc>, edit: &Edit) -> Option<Vec<Doc>> {
    if let Edit::Several { edits, .. } = edit {
        return edits.iter().try_fold(docs, after);
    }
    let mut room = Room { package: package_of(edit)?, docs: &mut docs };
    room.is_known().then_some(())?;
    room.make(edit)?;
    Some(docs)
}

fn package_of(edit: &Edit) -> Option<String> {
    let said = serde_json::to_value(edit).ok()?;
    Some(said.get("package")?.as_str()?.to_owned())
}

/// A package among all documents.
struct Room<'d> {
    package: String,
    docs: &'d mut Vec<Doc>,
}

impl Room<'_> {
    fn is_known(&self) -> bool {
        self.docs.iter().any(|doc| self.owns(&doc.says))
    }

    fn owns(&self, says: &Value) -> bool {
        let field = if text(says, "schema") == Some("olm.package") { "name" } else { "package" };
        text(says, "schema").is_some() && text(says, field).unwrap_or_default() == self.package
    }

    fn all(&mut self, schema: &str) -> impl Iterator<Item = &mut Value> {
        let package = self.package.clone();
        self.docs.iter_mut().map(|doc| &mut doc.says).filter(move |says| {
            let field = if schema == "olm.package" { "name" } else { "package" };
            text(says, "schema") == Some(schema) && text(says, field).unwrap_or_default() == package
        })
    }

    fn named(&mut self, schema: &str, name: &str) -> Option<&mut Value> {
        self.all(schema).find(|says| text(says, "name").unwrap_or_default() == name)
    }

    fn channel(&mut self, name: &str) -> Option<&mut Value> {
        self.named("olm.channel", name)
    }

    fn definition(&mut self) -> Option<&mut Value> {
        self.all("olm.package").next()
    }

    fn entry(&mut self, channel: &str, name: &str) -> Option<&mut Value> {
        items(self.channel(channel)?).iter_mut().find(|entry| is_called(entry, name))
    }

    fn default_channel(&mut self) -> Option<String> {
        Some(text(self.definition()?, "defaultChannel")?.to_owned())
    }

    /// Drops documents that match a condition.
    fn drop_where(&mut self, gone: impl Fn(&Value) -> bool) {
        let package = self.package.clone();
        self.docs.retain(|doc| text(&doc.says, "package").unwrap_or_default() != package || !gone(&doc.says));
    }

    fn new_doc(&mut self, says: Value) {
        self.docs.push(Doc { file: String::new(), text: Vec::new(), says });
    }

    fn make(&mut self, edit: &Edit) -> Option<()> {
        match edit {
            Edit::Template { .. } => unreachable!("a catalog is no template"),
            Edit::SetEntry { channel, entry, spec, .. } => {
                ask(self.entry(channel.as_str(), entry.as_str())?, spec);
            }
            Edit::AddEntry { channel, entry, spec, .. } => {
                let there = self.entry(channel.as_str(), entry.as_str()).is_some();
                let channel = self.channel(channel.as_str()).filter(|_| !there)?;
                push(channel, item(entry.as_str(), spec));
            }
            Edit::RemoveEntry { channel, entry, .. } => {
                let entries = entries(self.channel(channel.as_str())?)?;
                let at = entries.iter().position(|item| is_called(item, entry.as_str()))?;
                entries.remove(at);
            }
            Edit::RenameKey { channel, entry, from, to, .. } => {
                let entry = self.entry(channel.as_str(), entry.as_str())?.as_object_mut()?;
                if !entry.contains_key(to)
                    && let Some(value) = entry.remove(from)
                {
                    entry.insert(to.clone(), value);
                }
            }
            Edit::SetDefaultChannel { channel, .. } => {
                self.channel(channel.as_str())?;
                set(self.definition()?, "defaultChannel", channel.as_str().into());
            }
            Edit::AddChannel { channel, entries, .. } => {
                self.is_free(channel.as_str())?;
                self.definition()?;
                let entries: Vec<Value> =
                    entries.iter().map(|new| item(new.name.as_str(), &new.spec)).collect();
                let package = self.package.clone();
                self.new_doc(json!({
                    "schema": "olm.channel", "package": package, "name": channel.as_str(), "entries": entries,
                }));
            }
            Edit::RenameChannel { channel, to, .. } => self.rename(channel.as_str(), to.as_str())?,
            Edit::RemoveChannel { channel, default, .. } => {
                self.remove_channel(channel.as_str(), default.as_ref().map(AsRef::as_ref))?;
            }
            Edit::SetDescription { description, .. } => {
                let definition = self.definition()?;
                match description {
                    Some(text) => set(definition, "description", text.as_str().into()),
                    None => remove(definition, "description"),
                }
            }
            Edit::SetIcon { icon, .. } => set_icon(self.definition()?, icon.as_ref()),
            // The model already has the package.
            Edit::AddPackage { .. } | Edit::KeepOnly { .. } => return None,
            Edit::AddBundle { blob, .. } => self.add_bundle(blob)?,
            Edit::RemoveBundle { bundle, .. } => {
                self.named("olm.bundle", bundle.as_str())?;
                self.take_out(&HashSet::from([bundle.as_str().to_owned()]), true)?;
            }
            Edit::LeaveOutBelow { version, .. } => {
                let gone: HashSet<String> = self
                    .all("olm.bundle")
                    .filter(|says| version_of(says).is_some_and(|v| v.cmp_precedence(version).is_lt()))
                    .map(|says| text(says, "name").unwrap_or_default().to_owned())
                    .collect();
                (!gone.is_empty()).then_some(())?;
                self.take_out(&gone, false)?;
            }
            Edit::Deprecate { target, message, .. } => self.deprecate(target, message)?,
            Edit::Undeprecate { target, .. } => {
                self.deprecation(target)?;
                self.forget(|other| *other == reference(target));
            }
            Edit::Several { .. } => return None,
        }
        Some(())
    }

    fn is_free(&mut self, channel: &str) -> Option<()> {
        (!channel.trim().is_empty() && self.channel(channel).is_none()).then_some(())
    }

    fn rename(&mut self, channel: &str, to: &str) -> Option<()> {
        self.channel(channel)?;
        self.is_free(to)?;
        let was_default = self.default_channel().as_deref() == Some(channel);
        for says in self.all("olm.channel").filter(|says| text(says, "name") == Some(channel)) {
            set(says, "name", to.into());
        }
        if was_default {
            set(self.definition()?, "defaultChannel", to.into());
        }
        let (old, new) = (about("olm.channel", Some(channel)), about("olm.channel", Some(to)));
        for item in self.all("olm.deprecations").flat_map(items) {
            if spoken_of(item) == old {
                let mut reference = get(item, "reference").cloned().unwrap_or_default();
                set(&mut reference, "name", new.1.clone().into());
                set(item, "reference", reference);
            }
        }
        Some(())
    }

    fn remove_channel(&mut self, channel: &str, default: Option<&str>) -> Option<()> {
        self.channel(channel)?;
        let is_default = self.default_channel().as_deref() == Some(channel);
        match default {
            Some(other) => {
                self.channel(other).filter(|_| other != channel)?;
                set(self.definition()?, "defaultChannel", other.into());
            }
            None => (!is_default).then_some(())?,
        }
        self.drop_where(|says| {
            text(says, "schema") == Some("olm.channel") && text(says, "name").unwrap_or_default() == channel
        });
        let old = about("olm.channel", Some(channel));
        self.forget(|other| *other == old);
        Some(())
    }

    fn add_bundle(&mut self, blob: &str) -> Option<()> {
        let chunks = split::split(blob.as_bytes());
        let [chunk] = chunks.as_slice() else { return None };
        let split::ChunkKind::Document(format) = chunk.kind else { return None };
        let says = plain(&split::parse(format, blob.as_bytes()).ok()?);
        let name = text(&says, "name")?.to_owned();
        let fits = text(&says, "schema") == Some("olm.bundle")
            && text(&says, "package").unwrap_or_default() == self.package
            && self.named("olm.bundle", &name).is_none();
        self.definition().filter(|_| fits)?;
        self.new_doc(says);
        Some(())
    }

    /// Removes bundles. With `kept_names`, entries keep the removed names that they skip or
    /// replace. Otherwise only entries that have no other bundle to replace keep such a name.
    fn take_out(&mut self, gone: &HashSet<String>, kept_names: bool) -> Option<()> {
        let is_gone = |says: &Value| gone.contains(text(says, "name").unwrap_or_default());
        self.all("olm.bundle").any(|says| !is_gone(says)).then_some(())?;
        let mut emptied = HashSet::new();
        let mut left = HashSet::new();
        for channel in self.all("olm.channel") {
            let name = text(channel, "name").unwrap_or_default().to_owned();
            let staying = listed(channel).iter().filter(|entry| !is_gone(entry)).count();
            if staying == 0 && !listed(channel).is_empty() {
                emptied.insert(name);
                set(channel, "entries", "all gone".into());
                continue;
            }
            if staying > 0 {
                left.insert(name);
            }
            repair(channel, gone, kept_names);
        }
        emptied.retain(|name| !left.contains(name));
        let default = self.default_channel();
        (!default.is_some_and(|name| emptied.contains(&name))).then_some(())?;
        self.drop_where(|says| match text(says, "schema") {
            Some("olm.bundle") => is_gone(says),
            Some("olm.channel") => text(says, "entries") == Some("all gone"),
            _ => false,
        });
        self.forget(|(schema, name)| match schema.as_str() {
            "olm.channel" => emptied.contains(name),
            "olm.bundle" => gone.contains(name),
            _ => false,
        });
        Some(())
    }

    /// Returns the deprecation of a target.
    fn deprecation(&mut self, target: &DeprecationTarget) -> Option<&mut Value> {
        let wanted = reference(target);
        self.all("olm.deprecations").flat_map(items).find(|item| spoken_of(item) == wanted)
    }

    fn deprecate(&mut self, target: &DeprecationTarget, message: &str) -> Option<()> {
        match target {
            DeprecationTarget::Package => {}
            DeprecationTarget::Channel(name) => drop(self.channel(name.as_str())?),
            DeprecationTarget::Bundle(name) => drop(self.named("olm.bundle", name.as_str())?),
        }
        (!message.trim().is_empty()).then_some(())?;
        if let Some(item) = self.deprecation(target) {
            set(item, "message", message.into());
            return Some(());
        }
        let (schema, name) = reference(target);
        let mut reference = json!({ "schema": schema });
        if *target != DeprecationTarget::Package {
            set(&mut reference, "name", name.into());
        }
        let item = json!({ "reference": reference, "message": message });
        if let Some(says) = self.all("olm.deprecations").next() {
            push(says, item);
            return Some(());
        }
        let package = self.package.clone();
        self.new_doc(json!({ "schema": "olm.deprecations", "package": package, "entries": [item] }));
        Some(())
    }

    /// Drops deprecations, and documents that become empty.
    fn forget(&mut self, gone: impl Fn(&(String, String)) -> bool) {
        for says in self.all("olm.deprecations") {
            let Some(items) = entries(says) else { continue };
            let before = items.len();
            items.retain(|item| !gone(&spoken_of(item)));
            if items.is_empty() && before > 0 {
                set(says, "entries", "all gone".into());
            }
        }
        self.drop_where(|says| {
            text(says, "schema") == Some("olm.deprecations") && text(says, "entries") == Some("all gone")
        });
    }
}

fn is_called(entry: &Value, name: &str) -> bool {
    (entry.is_object() || entry.is_null()) && text(entry, "name").unwrap_or_default() == name
}

fn ask(entry: &mut Value, spec: &EntrySpec) {
    let skips: Vec<Value> = spec.skips.iter().map(|name| name.as_str().into()).collect();
    for (field, value) in [
        ("replaces", spec.replaces.as_ref().map(|name| name.as_str().into())),
        ("skips", (!skips.is_empty()).then_some(Value::Array(skips))),
        ("skipRange", spec.skip_range.as_deref().map(Value::from)),
    ] {
        match value {
            Some(value) => set(entry, field, value),
            // Keeps an empty field unchanged, including the case of its key.
            None if get(entry, field).is_some_and(asks_nothing) => {}
            None => remove(entry, field),
        }
    }
}

fn asks_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

fn item(name: &str, spec: &EntrySpec) -> Value {
    let mut item = json!({ "name": name });
    ask(&mut item, spec);
    item
}

fn set_icon(definition: &mut Value, icon: Option<&NewIcon>) {
    let Some(icon) = icon else { return remove(definition, "icon") };
    let mut all =
        get(definition, "icon").filter(|old| old.is_object()).cloned().unwrap_or(Value::Object(Map::new()));
    set(&mut all, "base64data", icon.base64data.as_str().into());
    set(&mut all, "mediatype", icon.mediatype.as_str().into());
    set(definition, "icon", all);
}

fn version_of(bundle: &Value) -> Option<Version> {
    let properties = get(bundle, "properties")?.as_array()?;
    let mut said = properties.iter().filter(|p| text(p, "type") == Some("olm.package"));
    said.find_map(|property| Version::parse(text(get(property, "value")?, "version")?).ok())
}

fn about(schema: &str, name: Option<&str>) -> (String, String) {
    (schema.to_owned(), name.unwrap_or_default().to_owned())
}

fn reference(target: &DeprecationTarget) -> (String, String) {
    match target {
        DeprecationTarget::Package => about("olm.package", None),
        DeprecationTarget::Channel(name) => about("olm.channel", Some(name.as_str())),
        DeprecationTarget::Bundle(name) => about("olm.bundle", Some(name.as_str())),
    }
}

fn spoken_of(item: &Value) -> (String, String) {
    let reference = get(item, "reference").cloned().unwrap_or_default();
    about(text(&reference, "schema").unwrap_or_default(), text(&reference, "name"))
}

/// Removes entries from a channel. An entry that replaced a removed entry takes over its `replaces`
/// and `skips`. If a removed entry was only skipped, the entries that skip it take over its
/// `skips`.
fn repair(channel: &mut Value, gone: &HashSet<String>, kept_names: bool) {
    let called = |entry: &Value| text(entry, "name").unwrap_or_default().to_owned();
    let (leaving, staying): (Vec<Value>, Vec<Value>) =
        listed(channel).iter().cloned().partition(|entry| gone.contains(&called(entry)));
    let leaving: HashMap<String, Value> = leaving.into_iter().map(|e| (called(&e), e)).collect();
    let stays: HashSet<String> = staying.iter().map(called).collect();
    // Returns the removed names along `replaces`, and the first name after them.
    let way = |entry: &Value| {
        let mut passed: Vec<String> = Vec::new();
        let mut next = text(entry, "replaces").map(str::to_owned);
        while let Some(name) = next.clone().filter(|name| leaving.contains_key(name)) {
            if passed.contains(&name) {
                next = None;
                break;
            }
            next = text(&leaving[&name], "replaces").map(str::to_owned);
            passed.push(name);
        }
        (passed, next.filter(|end| *end != called(entry)))
    };
    let replaced: HashSet<String> = staying.iter().flat_map(|entry| way(entry).0).collect();
    let Some(entries) = entries(channel) else { return };
    entries.retain(|entry| !gone.contains(&called(entry)));
    for entry in entries {
        let (passed, end) = way(entry);
        if !passed.is_empty() {
            match &end {
                Some(end) if kept_names || stays.contains(end) => set(entry, "replaces", end.as_str().into()),
                None if kept_names => remove(entry, "replaces"),
                _ => {}
            }
        }
        let mut skips = texts(entry, "skips");
        let unreplaced: Vec<String> = skips.iter().filter(|s| !replaced.contains(*s)).cloned().collect();
        for skip in passed.iter().chain(&unreplaced).filter_map(|name| leaving.get(name)) {
            for name in texts(skip, "skips") {
                if name != called(entry) && !skips.contains(&name) && !gone.contains(&name) {
                    skips.push(name);
                }
            }
        }
        set(entry, "skips", skips.into());
    }
}
