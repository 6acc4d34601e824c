//! Reference model of edits: documents as plain data, without bytes, locations or notation.
//!
//! The model does not use the implementation of `olm-edit`. It is shared with the fuzz target
//! `edit`.

use std::collections::{HashMap, HashSet};

use olm_catalog::{
    blob::{DeprecationTarget, EntrySpec},
    text::split,
};
use olm_edit::{BundleChange, Edit, operation::NewIcon};
use olm_version::Version;
use serde_json::{Map, Value, json};

use super::{
    parts,
    value_tree::{
        Doc, entries_mut, entries_slice, entries_slice_mut, field_str, field_strings, get_field, push_item,
        remove_field, set_field, to_json_value,
    },
};

/// Returns the documents after an edit; `None` if the edit must be refused.
pub fn documents_after(mut docs: Vec<Doc>, edit: &Edit) -> Option<Vec<Doc>> {
    if let Edit::Several { edits, .. } = edit {
        return edits.iter().try_fold(docs, documents_after);
    }
    let mut room = PackageDocuments { package: package_of(edit)?, docs: &mut docs };
    room.is_known().then_some(())?;
    room.apply_edit(edit)?;
    Some(docs)
}

fn package_of(edit: &Edit) -> Option<String> {
    let said = serde_json::to_value(edit).ok()?;
    Some(said.get("package")?.as_str()?.to_owned())
}

/// A package among all documents.
struct PackageDocuments<'d> {
    package: String,
    docs: &'d mut Vec<Doc>,
}

impl PackageDocuments<'_> {
    fn is_known(&self) -> bool {
        self.docs.iter().any(|doc| self.owns(&doc.value))
    }

    fn owns(&self, says: &Value) -> bool {
        let field = if field_str(says, "schema") == Some("olm.package") { "name" } else { "package" };
        field_str(says, "schema").is_some() && field_str(says, field).unwrap_or_default() == self.package
    }

    fn documents_with_schema(&mut self, schema: &str) -> impl Iterator<Item = &mut Value> {
        let package = self.package.clone();
        self.docs.iter_mut().map(|doc| &mut doc.value).filter(move |says| {
            let field = if schema == "olm.package" { "name" } else { "package" };
            field_str(says, "schema") == Some(schema) && field_str(says, field).unwrap_or_default() == package
        })
    }

    fn named_document(&mut self, schema: &str, name: &str) -> Option<&mut Value> {
        self.documents_with_schema(schema).find(|says| field_str(says, "name").unwrap_or_default() == name)
    }

    fn channel_document(&mut self, name: &str) -> Option<&mut Value> {
        self.named_document("olm.channel", name)
    }

    fn definition(&mut self) -> Option<&mut Value> {
        self.documents_with_schema("olm.package").next()
    }

    fn channel_entry(&mut self, channel: &str, name: &str) -> Option<&mut Value> {
        entries_slice_mut(self.channel_document(channel)?)
            .iter_mut()
            .find(|entry| has_entry_name(entry, name))
    }

    /// Returns the version of each bundle. Of bundles with the same name, the first counts.
    fn bundle_versions(&mut self) -> HashMap<String, Version> {
        let mut versions = HashMap::new();
        for bundle in self.documents_with_schema("olm.bundle") {
            let name = field_str(bundle, "name").unwrap_or_default().to_owned();
            versions.entry(name).or_insert_with(|| bundle_version(bundle));
        }
        versions.into_iter().filter_map(|(name, version)| Some((name, version?))).collect()
    }

    fn default_channel(&mut self) -> Option<String> {
        Some(field_str(self.definition()?, "defaultChannel")?.to_owned())
    }

    /// Drops documents that match a condition.
    fn drop_matching(&mut self, gone: impl Fn(&Value) -> bool) {
        let package = self.package.clone();
        self.docs.retain(|doc| {
            field_str(&doc.value, "package").unwrap_or_default() != package || !gone(&doc.value)
        });
    }

    fn add_document(&mut self, says: Value) {
        self.docs.push(Doc { file: String::new(), text: Vec::new(), value: says });
    }

    fn apply_edit(&mut self, edit: &Edit) -> Option<()> {
        match edit {
            Edit::Template { .. } => unreachable!("a catalog is no template"),
            Edit::SetEntry { channel, entry, spec, .. } => {
                set_entry_fields(self.channel_entry(channel.as_str(), entry.as_str())?, spec);
            }
            Edit::AddEntry { channel, entry, spec, .. } => {
                let there = self.channel_entry(channel.as_str(), entry.as_str()).is_some();
                let versions = self.bundle_versions();
                let channel = self.channel_document(channel.as_str()).filter(|_| !there)?;
                let position = new_entry_position(entries_slice(channel), entry.as_str(), &versions);
                push_item(channel, new_entry(entry.as_str(), spec));
                if let Some(position) = position {
                    entries_mut(channel)?.get_mut(position..)?.rotate_right(1);
                }
            }
            Edit::RemoveEntry { channel, entry, .. } => {
                let entries = entries_mut(self.channel_document(channel.as_str())?)?;
                let at = entries.iter().position(|item| has_entry_name(item, entry.as_str()))?;
                entries.remove(at);
            }
            Edit::RenameKey { channel, entry, from, to, .. } => {
                let entry = self.channel_entry(channel.as_str(), entry.as_str())?.as_object_mut()?;
                if !entry.contains_key(to)
                    && let Some(value) = entry.remove(from)
                {
                    entry.insert(to.clone(), value);
                }
            }
            Edit::SetDefaultChannel { channel, .. } => {
                self.channel_document(channel.as_str())?;
                set_field(self.definition()?, "defaultChannel", channel.as_str().into());
            }
            Edit::AddChannel { channel, entries, .. } => {
                self.require_free_name(channel.as_str())?;
                self.definition()?;
                let entries: Vec<Value> =
                    entries.iter().map(|new| new_entry(new.name.as_str(), &new.spec)).collect();
                let package = self.package.clone();
                self.add_document(json!({
                    "schema": "olm.channel", "package": package, "name": channel.as_str(), "entries": entries,
                }));
            }
            Edit::RenameChannel { channel, to, .. } => self.rename_channel(channel.as_str(), to.as_str())?,
            Edit::RemoveChannel { channel, default, .. } => {
                self.remove_channel(channel.as_str(), default.as_ref().map(AsRef::as_ref))?;
            }
            Edit::SetDescription { description, .. } => {
                let definition = self.definition()?;
                match description {
                    Some(text) => set_field(definition, "description", text.as_str().into()),
                    None => remove_field(definition, "description"),
                }
            }
            Edit::SetIcon { icon, .. } => set_icon(self.definition()?, icon.as_ref()),
            // The model already has the package.
            Edit::AddPackage { .. } | Edit::KeepOnly { .. } => return None,
            Edit::AddBundle { blob, .. } => self.add_bundle(blob)?,
            Edit::Bundles { bundles, change, .. } => {
                let mut is_changed = false;
                for bundle in bundles {
                    let says = self.named_document("olm.bundle", bundle.as_str())?;
                    is_changed |= parts::change_bundle(says, change)?;
                }
                let must_change = matches!(
                    change,
                    BundleChange::RemoveProperty { .. } | BundleChange::RemoveRelatedImage { .. }
                );
                (is_changed || !must_change).then_some(())?;
            }
            Edit::RemoveBundle { bundle, .. } => {
                self.named_document("olm.bundle", bundle.as_str())?;
                self.remove_bundles(&HashSet::from([bundle.as_str().to_owned()]), true)?;
            }
            Edit::LeaveOutBelow { version, .. } => {
                let gone: HashSet<String> = self
                    .documents_with_schema("olm.bundle")
                    .filter(|says| bundle_version(says).is_some_and(|v| v.cmp_precedence(version).is_lt()))
                    .map(|says| field_str(says, "name").unwrap_or_default().to_owned())
                    .collect();
                (!gone.is_empty()).then_some(())?;
                self.remove_bundles(&gone, false)?;
            }
            Edit::Deprecate { target, message, .. } => self.deprecate(target, message)?,
            Edit::Undeprecate { target, .. } => {
                self.deprecation(target)?;
                self.drop_deprecations(|other| *other == target_key(target));
            }
            Edit::Several { .. } => return None,
        }
        Some(())
    }

    fn require_free_name(&mut self, channel: &str) -> Option<()> {
        (!channel.trim().is_empty() && self.channel_document(channel).is_none()).then_some(())
    }

    fn rename_channel(&mut self, channel: &str, to: &str) -> Option<()> {
        self.channel_document(channel)?;
        self.require_free_name(to)?;
        let was_default = self.default_channel().as_deref() == Some(channel);
        for says in
            self.documents_with_schema("olm.channel").filter(|says| field_str(says, "name") == Some(channel))
        {
            set_field(says, "name", to.into());
        }
        if was_default {
            set_field(self.definition()?, "defaultChannel", to.into());
        }
        let (old, new) =
            (deprecation_key("olm.channel", Some(channel)), deprecation_key("olm.channel", Some(to)));
        for item in self.documents_with_schema("olm.deprecations").flat_map(entries_slice_mut) {
            if item_key(item) == old {
                let mut reference = get_field(item, "reference").cloned().unwrap_or_default();
                set_field(&mut reference, "name", new.1.clone().into());
                set_field(item, "reference", reference);
            }
        }
        Some(())
    }

    fn remove_channel(&mut self, channel: &str, default: Option<&str>) -> Option<()> {
        self.channel_document(channel)?;
        let is_default = self.default_channel().as_deref() == Some(channel);
        match default {
            Some(other) => {
                self.channel_document(other).filter(|_| other != channel)?;
                set_field(self.definition()?, "defaultChannel", other.into());
            }
            None => (!is_default).then_some(())?,
        }
        self.drop_matching(|says| {
            field_str(says, "schema") == Some("olm.channel")
                && field_str(says, "name").unwrap_or_default() == channel
        });
        let old = deprecation_key("olm.channel", Some(channel));
        self.drop_deprecations(|other| *other == old);
        Some(())
    }

    fn add_bundle(&mut self, blob: &str) -> Option<()> {
        let chunks = split::split_chunks(blob.as_bytes());
        let [chunk] = chunks.as_slice() else { return None };
        let split::ChunkKind::Document(format) = chunk.kind else { return None };
        let says = to_json_value(&split::parse_chunk(format, blob.as_bytes()).ok()?);
        let name = field_str(&says, "name")?.to_owned();
        let fits = field_str(&says, "schema") == Some("olm.bundle")
            && field_str(&says, "package").unwrap_or_default() == self.package
            && self.named_document("olm.bundle", &name).is_none();
        self.definition().filter(|_| fits)?;
        self.add_document(says);
        Some(())
    }

    /// Removes bundles. With `kept_names`, entries keep the removed names that they skip or
    /// replace. Otherwise only entries that have no other bundle to replace keep such a name.
    fn remove_bundles(&mut self, gone: &HashSet<String>, kept_names: bool) -> Option<()> {
        let is_gone = |says: &Value| gone.contains(field_str(says, "name").unwrap_or_default());
        self.documents_with_schema("olm.bundle").any(|says| !is_gone(says)).then_some(())?;
        let mut emptied = HashSet::new();
        let mut left = HashSet::new();
        for channel in self.documents_with_schema("olm.channel") {
            let name = field_str(channel, "name").unwrap_or_default().to_owned();
            let staying = entries_slice(channel).iter().filter(|entry| !is_gone(entry)).count();
            if staying == 0 && !entries_slice(channel).is_empty() {
                emptied.insert(name);
                set_field(channel, "entries", "all gone".into());
                continue;
            }
            if staying > 0 {
                left.insert(name);
            }
            repair_channel(channel, gone, kept_names);
        }
        emptied.retain(|name| !left.contains(name));
        let default = self.default_channel();
        (!default.is_some_and(|name| emptied.contains(&name))).then_some(())?;
        self.drop_matching(|says| match field_str(says, "schema") {
            Some("olm.bundle") => is_gone(says),
            Some("olm.channel") => field_str(says, "entries") == Some("all gone"),
            _ => false,
        });
        self.drop_deprecations(|(schema, name)| match schema.as_str() {
            "olm.channel" => emptied.contains(name),
            "olm.bundle" => gone.contains(name),
            _ => false,
        });
        Some(())
    }

    /// Returns the deprecation of a target.
    fn deprecation(&mut self, target: &DeprecationTarget) -> Option<&mut Value> {
        let wanted = target_key(target);
        self.documents_with_schema("olm.deprecations")
            .flat_map(entries_slice_mut)
            .find(|item| item_key(item) == wanted)
    }

    fn deprecate(&mut self, target: &DeprecationTarget, message: &str) -> Option<()> {
        match target {
            DeprecationTarget::Package => {}
            DeprecationTarget::Channel(name) => drop(self.channel_document(name.as_str())?),
            DeprecationTarget::Bundle(name) => drop(self.named_document("olm.bundle", name.as_str())?),
        }
        (!message.trim().is_empty()).then_some(())?;
        if let Some(item) = self.deprecation(target) {
            set_field(item, "message", message.into());
            return Some(());
        }
        let (schema, name) = target_key(target);
        let mut reference = json!({ "schema": schema });
        if *target != DeprecationTarget::Package {
            set_field(&mut reference, "name", name.into());
        }
        let item = json!({ "reference": reference, "message": message });
        if let Some(says) = self.documents_with_schema("olm.deprecations").next() {
            push_item(says, item);
            return Some(());
        }
        let package = self.package.clone();
        self.add_document(json!({ "schema": "olm.deprecations", "package": package, "entries": [item] }));
        Some(())
    }

    /// Drops deprecations, and documents that become empty.
    fn drop_deprecations(&mut self, gone: impl Fn(&(String, String)) -> bool) {
        for says in self.documents_with_schema("olm.deprecations") {
            let Some(items) = entries_mut(says) else { continue };
            let before = items.len();
            items.retain(|item| !gone(&item_key(item)));
            if items.is_empty() && before > 0 {
                set_field(says, "entries", "all gone".into());
            }
        }
        self.drop_matching(|says| {
            field_str(says, "schema") == Some("olm.deprecations")
                && field_str(says, "entries") == Some("all gone")
        });
    }
}

fn has_entry_name(entry: &Value, name: &str) -> bool {
    (entry.is_object() || entry.is_null()) && field_str(entry, "name").unwrap_or_default() == name
}

fn set_entry_fields(entry: &mut Value, spec: &EntrySpec) {
    let skips: Vec<Value> = spec.skips.iter().map(|name| name.as_str().into()).collect();
    for (field, value) in [
        ("replaces", spec.replaces.as_ref().map(|name| name.as_str().into())),
        ("skips", (!skips.is_empty()).then_some(Value::Array(skips))),
        ("skipRange", spec.skip_range.as_deref().map(Value::from)),
    ] {
        match value {
            Some(value) => set_field(entry, field, value),
            // Keeps an empty field unchanged, including the case of its key.
            None if get_field(entry, field).is_some_and(is_empty_field) => {}
            None => remove_field(entry, field),
        }
    }
}

fn is_empty_field(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

fn new_entry(name: &str, spec: &EntrySpec) -> Value {
    let mut item = json!({ "name": name });
    set_entry_fields(&mut item, spec);
    item
}

fn set_icon(definition: &mut Value, icon: Option<&NewIcon>) {
    let Some(icon) = icon else { return remove_field(definition, "icon") };
    let mut all = get_field(definition, "icon")
        .filter(|old| old.is_object())
        .cloned()
        .unwrap_or(Value::Object(Map::new()));
    set_field(&mut all, "base64data", icon.base64data.as_str().into());
    set_field(&mut all, "mediatype", icon.mediatype.as_str().into());
    set_field(definition, "icon", all);
}

fn bundle_version(bundle: &Value) -> Option<Version> {
    let properties = get_field(bundle, "properties")?.as_array()?;
    let mut said = properties.iter().filter(|p| field_str(p, "type") == Some("olm.package"));
    said.find_map(|property| Version::parse(field_str(get_field(property, "value")?, "version")?).ok())
}

/// Returns where a new entry goes in a list that is sorted by version, up or down; `None` for the end.
fn new_entry_position(entries: &[Value], name: &str, versions: &HashMap<String, Version>) -> Option<usize> {
    let own = versions.get(name)?;
    let known = entries.iter().enumerate().filter_map(|(position, entry)| {
        let name = field_str(entry, "name").unwrap_or_default();
        let is_entry = entry.is_object() || entry.is_null();
        Some((position, versions.get(name).filter(|_| is_entry)?))
    });
    let known: Vec<(usize, &Version)> = known.collect();
    let steps = known.windows(2).map(|pair| pair[0].1.cmp_precedence(pair[1].1) as i32);
    let falls = steps.sum::<i32>() > 0;
    let next = known.iter().filter(|(_, other)| other.cmp_precedence(own).is_gt());
    let next = next.reduce(|best, other| if other.1.cmp_precedence(best.1).is_lt() { other } else { best });
    match next {
        Some((position, _)) => Some(position + usize::from(falls)),
        None if falls => known.first().map(|(position, _)| *position),
        None => None,
    }
}

fn deprecation_key(schema: &str, name: Option<&str>) -> (String, String) {
    (schema.to_owned(), name.unwrap_or_default().to_owned())
}

fn target_key(target: &DeprecationTarget) -> (String, String) {
    match target {
        DeprecationTarget::Package => deprecation_key("olm.package", None),
        DeprecationTarget::Channel(name) => deprecation_key("olm.channel", Some(name.as_str())),
        DeprecationTarget::Bundle(name) => deprecation_key("olm.bundle", Some(name.as_str())),
    }
}

fn item_key(item: &Value) -> (String, String) {
    let reference = get_field(item, "reference").cloned().unwrap_or_default();
    deprecation_key(field_str(&reference, "schema").unwrap_or_default(), field_str(&reference, "name"))
}

/// Removes entries from a channel. An entry that replaced a removed entry takes over its `replaces`
/// and `skips`. If a removed entry was only skipped, the entries that skip it take over its
/// `skips`.
fn repair_channel(channel: &mut Value, gone: &HashSet<String>, kept_names: bool) {
    let called = |entry: &Value| field_str(entry, "name").unwrap_or_default().to_owned();
    let (leaving, staying): (Vec<Value>, Vec<Value>) =
        entries_slice(channel).iter().cloned().partition(|entry| gone.contains(&called(entry)));
    let leaving: HashMap<String, Value> = leaving.into_iter().map(|e| (called(&e), e)).collect();
    let stays: HashSet<String> = staying.iter().map(called).collect();
    // Returns the removed names along `replaces`, and the first name after them.
    let way = |entry: &Value| {
        let mut passed: Vec<String> = Vec::new();
        let mut next = field_str(entry, "replaces").map(str::to_owned);
        while let Some(name) = next.clone().filter(|name| leaving.contains_key(name)) {
            if passed.contains(&name) {
                next = None;
                break;
            }
            next = field_str(&leaving[&name], "replaces").map(str::to_owned);
            passed.push(name);
        }
        (passed, next.filter(|end| *end != called(entry)))
    };
    let replaced: HashSet<String> = staying.iter().flat_map(|entry| way(entry).0).collect();
    let Some(entries) = entries_mut(channel) else { return };
    entries.retain(|entry| !gone.contains(&called(entry)));
    for entry in entries {
        let (passed, end) = way(entry);
        if !passed.is_empty() {
            match &end {
                Some(end) if kept_names || stays.contains(end) => {
                    set_field(entry, "replaces", end.as_str().into());
                }
                None if kept_names => remove_field(entry, "replaces"),
                _ => {}
            }
        }
        let mut skips = field_strings(entry, "skips");
        let unreplaced: Vec<String> = skips.iter().filter(|s| !replaced.contains(*s)).cloned().collect();
        for skip in passed.iter().chain(&unreplaced).filter_map(|name| leaving.get(name)) {
            for name in field_strings(skip, "skips") {
                if name != called(entry) && !skips.contains(&name) && !gone.contains(&name) {
                    skips.push(name);
                }
            }
        }
        set_field(entry, "skips", skips.into());
    }
}
