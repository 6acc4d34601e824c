//! Names and images in a template, also if opm rejects it.

use std::collections::{BTreeMap, BTreeSet};

use olm_catalog::{Node, meta, text::yaml};

/// Parts of a template that a release of a bundle refers to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct TemplateContent {
    /// Schema of the template; empty if absent.
    pub schema: String,
    /// Names of the channels of a basic template, with their entries.
    pub channels: BTreeMap<String, BTreeSet<String>>,
    /// Names of bundles in `olm.bundle` objects.
    pub bundles: BTreeSet<String>,
    /// Lists of a semver template as written.
    pub lists: Vec<WrittenList>,
    /// Images of bundles.
    pub images: BTreeSet<String>,
}

/// List of a semver template as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct WrittenList {
    /// Name as written, such as `Stable` or `stable`.
    pub name: String,
    /// Key of its bundles as written.
    pub bundles_key: Option<String>,
}

impl TemplateContent {
    /// Parses the first document of a template. `None` if it is not a map.
    pub fn parse_template(text: &[u8]) -> Option<Self> {
        let root = yaml::parse_stream(text).ok()?;
        if root.members().is_empty() {
            return None;
        }
        let mut content = Self { schema: string_or_empty(&root, "schema").to_owned(), ..Self::default() };
        for entry in field(&root, "entries").map(Node::items).unwrap_or_default() {
            content.add_entry(entry);
        }
        for member in root.members() {
            if ["candidate", "fast", "stable"].contains(&meta::fold_case(&member.key).as_str()) {
                content.add_list(&member.key, &member.value);
            }
        }
        Some(content)
    }

    fn add_entry(&mut self, entry: &Node) {
        let name = || string_or_empty(entry, "name").to_owned();
        match string_or_empty(entry, "schema") {
            "olm.channel" => {
                let entries = field(entry, "entries").map(Node::items).unwrap_or_default();
                let names = entries.iter().map(|entry| string_or_empty(entry, "name").to_owned());
                self.channels.entry(name()).or_default().extend(names.filter(|name| !name.is_empty()));
            }
            "olm.bundle" => {
                let image = string_or_empty(entry, "image");
                self.images.extend((!image.is_empty()).then(|| image.to_owned()));
                self.bundles.extend(Some(name()).filter(|name| !name.is_empty()));
            }
            _ => {}
        }
    }

    fn add_list(&mut self, name: &str, list: &Node) {
        let bundles = list.members().iter().find(|member| meta::fold_case(&member.key) == "bundles");
        let items = bundles.map(|member| member.value.items()).unwrap_or_default();
        let images = items.iter().map(|item| string_or_empty(item, "image").to_owned());
        self.images.extend(images.filter(|image| !image.is_empty()));
        let bundles_key = bundles.map(|member| member.key.clone().into_owned());
        self.lists.push(WrittenList { name: name.to_owned(), bundles_key });
    }

    /// Returns true if the template names a bundle, by itself or by one of its images.
    pub fn has_bundle(&self, name: &str, images: Option<&BTreeSet<String>>) -> bool {
        self.bundles.contains(name)
            || self.channels.values().any(|entries| entries.contains(name))
            || images.is_some_and(|images| images.iter().any(|image| self.images.contains(image)))
    }

    /// Returns the names of all entries and bundles.
    pub fn bundle_names(&self) -> impl Iterator<Item = &str> + Clone {
        self.channels.values().flatten().chain(&self.bundles).map(String::as_str)
    }
}

/// Returns a field by name, ignoring case.
fn field<'n, 't>(node: &'n Node<'t>, name: &str) -> Option<&'n Node<'t>> {
    let members = node.members().iter().rev();
    let exact_first = members.clone().find(|member| member.key == name);
    let found = exact_first.or_else(|| members.clone().find(|member| meta::fold_case(&member.key) == name));
    found.map(|member| &member.value)
}

/// Returns a string field; empty if it is absent or not a string.
fn string_or_empty<'n>(node: &'n Node, name: &str) -> &'n str {
    field(node, name).and_then(Node::as_str).unwrap_or_default()
}
