//! Edits of templates. The objects of a template become documents of a catalog, the edit applies to them, and
//! the result is written to the list of the template.

use std::collections::HashMap;

use super::{
    EditError, apply_to_documents,
    document::{entries_mut, rewrite_text},
    semver,
};
use crate::{operation::Edit, rewrite::ValueTree};
use olm_catalog::{
    BundleName, Catalog, Member, Node, PackageName, Span, Template, TemplateKind, Value,
    blob::Entry,
    load, meta,
    model::DocChange,
    template::KnownBundle,
    text::{
        emit,
        split::{self, Format},
    },
};

pub(super) fn apply_to_template(
    catalog: &Catalog,
    template: &Template,
    edit: &Edit,
) -> Result<Catalog, EditError> {
    if let Some(semver) = template.semver() {
        return semver::apply_to_lists(catalog, template, semver, edit);
    }
    let doc = template.doc;
    let (Some(format), Some(text), Some(Ok(tree))) =
        (catalog.format(doc), catalog.document_text(doc), catalog.parse_document(doc))
    else {
        return Err(EditError::Unreadable);
    };
    let items = entry_nodes(&tree);
    let layout = TemplateDocuments::new(catalog, template, items);
    if template.kind == TemplateKind::Substitutes {
        refuse_substituted(catalog, &layout.catalog, edit)?;
    }
    let edited = apply_to_documents(&layout.catalog, edit)?;
    let list = layout.list_after(&edited, items)?;
    let text = rewrite_text(format, text, &tree, |tree| {
        if let Some(entries) = entries_mut(tree) {
            *entries = list;
        }
    });
    let text = text.map_err(|error| EditError::Rewrite { doc, error })?;
    Ok(catalog.with_changes(vec![DocChange::Replace { doc, text }]).0)
}

fn entry_nodes<'n, 'a>(tree: &'n Node<'a>) -> &'n [Node<'a>] {
    let members = tree.members().iter();
    let entries = { members }.rev().find(|member| meta::fold_case(&member.key) == "entries");
    entries.map(|entries| entries.value.items()).unwrap_or_default()
}

/// Refuses edits of entries that a substitution made. They would be lost, or would include its changes.
fn refuse_substituted(shown: &Catalog, written: &Catalog, edit: &Edit) -> Result<(), EditError> {
    let spec = |catalog: &Catalog, package: &PackageName, channel: &str, entry: &BundleName| {
        let channel = catalog.package(package.as_str())?.channel(channel)?.clone();
        channel.entries.iter().find(|own| own.name.value == *entry).map(Entry::to_spec)
    };
    // A bundle that only a substitution makes is not a bundle of the entries, which opm validates first.
    let made = |package: &PackageName, bundle: &BundleName| {
        let has = |catalog: &Catalog| {
            catalog.package(package.as_str()).is_some_and(|own| own.bundle(bundle.as_str()).is_some())
        };
        has(shown) && !has(written)
    };
    match edit {
        Edit::SetEntry { package, channel, entry, .. }
        | Edit::RemoveEntry { package, channel, entry }
        | Edit::RenameKey { package, channel, entry, .. }
            if spec(shown, package, channel.as_str(), entry)
                != spec(written, package, channel.as_str(), entry) =>
        {
            Err(EditError::Substituted(entry.clone()))
        }
        Edit::RemoveBundle { package, bundle }
            if written.package(package.as_str()).is_some_and(|own| own.bundle(bundle.as_str()).is_none()) =>
        {
            Err(EditError::Substituted(bundle.clone()))
        }
        Edit::Bundles { package, bundles, .. } => match bundles.iter().find(|bundle| made(package, bundle)) {
            Some(bundle) => Err(EditError::Substituted(bundle.clone())),
            None => Ok(()),
        },
        Edit::AddEntry { package, entry, .. } if made(package, entry) => {
            Err(EditError::Substituted(entry.clone()))
        }
        Edit::AddChannel { package, entries, .. } => {
            match entries.iter().find(|entry| made(package, &entry.name)) {
                Some(entry) => Err(EditError::Substituted(entry.name.clone())),
                None => Ok(()),
            }
        }
        Edit::Several { edits, .. } => {
            edits.iter().try_for_each(|edit| refuse_substituted(shown, written, edit))
        }
        _ => Ok(()),
    }
}

/// Objects of a template as documents of a catalog.
struct TemplateDocuments {
    catalog: Catalog,
    /// Bundles with only an image in the template, by the serial number of their placeholder documents.
    placeholders: HashMap<u32, BundleName>,
    bundles: BundleDetail,
}

/// Details of a bundle in a template.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BundleDetail {
    /// The whole bundle.
    Whole,
    /// Name and image.
    NameAndImage,
    /// Only the image.
    Image,
}

impl TemplateDocuments {
    fn new(catalog: &Catalog, template: &Template, items: &[Node]) -> Self {
        if template.kind == TemplateKind::Substitutes {
            let documents: Vec<String> = items.iter().map(format_one_line).collect();
            let catalog = load::from_bytes(documents.concat().into_bytes());
            return Self { catalog, placeholders: HashMap::new(), bundles: BundleDetail::Whole };
        }
        let mut documents: Vec<String> = items
            .iter()
            .enumerate()
            .map(|(position, item)| match template.known_bundle(position) {
                Some(fact) => format_one_line(&with_known_bundle(item, fact)),
                None => format_one_line(item),
            })
            .collect();
        let has_place = |name: &BundleName| {
            (0..items.len()).filter_map(|at| template.known_bundle(at)).any(|fact| fact.name == *name)
        };
        let mut placeholders = HashMap::new();
        for bundle in catalog.packages().flat_map(|package| &package.bundles) {
            let name = &bundle.name.value;
            if !has_place(name) {
                placeholders.insert(documents.len() as u32, name.clone());
                documents.push(format_one_line(&placeholder_bundle(&bundle.package.value, name)));
            }
        }
        let names = items.iter().any(|item| is_bundle(item) && item.get("name").is_some());
        let bundles = if names { BundleDetail::NameAndImage } else { BundleDetail::Image };
        Self { catalog: load::from_bytes(documents.concat().into_bytes()), placeholders, bundles }
    }

    /// Returns the list of the template for the objects of the edited catalog.
    fn list_after(&self, edited: &Catalog, items: &[Node]) -> Result<Vec<ValueTree>, EditError> {
        let (Some(before), Some(after)) = (self.catalog.files().first(), edited.files().first()) else {
            return Ok(Vec::new());
        };
        if let Some(name) = self.placeholders.iter().find(|(serial, _)| after.segment(**serial).is_none()) {
            return Err(EditError::ImageOnly(name.1.clone()));
        }
        let mut list = Vec::new();
        for segment in after.segments() {
            let old_text = before.segment(segment.serial).map(|known| &known.text);
            if let Some(name) = self.placeholders.get(&segment.serial) {
                if old_text != Some(&segment.text) {
                    return Err(EditError::ImageOnly(name.clone()));
                }
                continue;
            }
            let unchanged = before.segment(segment.serial).is_some_and(|known| known.text == segment.text);
            if let Some(item) = items.get(segment.serial as usize).filter(|_| unchanged) {
                list.push(ValueTree::from(item));
                continue;
            }
            let tree = split::parse_chunk(Format::Json, segment.text.as_bytes())
                .map_err(|_| EditError::Unreadable)?;
            let is_new = old_text.is_none();
            let is_image = |item: &Node| is_bundle(item) && item.get("properties").is_none();
            if items.get(segment.serial as usize).is_some_and(is_image) {
                let name = tree.get("name").and_then(Node::as_str).unwrap_or_default();
                return Err(EditError::RenderedFromImage(name.into()));
            }
            let is_short = is_new && is_bundle(&tree) && self.bundles != BundleDetail::Whole;
            list.push(if is_short { self.image_item(&tree) } else { ValueTree::from(&tree) });
        }
        Ok(list)
    }

    /// Returns the item for a bundle. opm refuses one with properties.
    fn image_item(&self, bundle: &Node) -> ValueTree {
        let is_kept = |key: &&str| *key != "name" || self.bundles == BundleDetail::NameAndImage;
        let keys = ["schema", "name", "image"].into_iter().filter(is_kept);
        ValueTree::from_members(keys.filter_map(|key| Some((key, ValueTree::from(bundle.get(key)?)))))
    }
}

/// Writes an object on one line, which is not opm's form. The template's author decided about its keys and
/// position.
fn format_one_line(item: &Node) -> String {
    let lines = emit::write_json(item);
    // Line breaks inside of texts are written as `\n`.
    lines.lines().map(str::trim_start).chain(["\n"]).collect()
}

fn is_bundle(item: &Node) -> bool {
    item.get("schema").and_then(Node::as_str) == Some("olm.bundle")
}

/// Returns a bundle with the known facts about its image.
fn with_known_bundle<'a>(item: &'a Node, fact: &'a KnownBundle) -> Node<'a> {
    let mut members: Vec<Member> = item.members().to_vec();
    let mut put = |key: &'a str, value: Node<'a>| {
        members.retain(|member| meta::fold_case(&member.key) != meta::fold_case(key));
        members.push(new_member(key, value));
    };
    put("package", string_node(fact.package.as_str()));
    put("name", string_node(fact.name.as_str()));
    if let Some(version) = &fact.version {
        let value = map_node([
            ("packageName", string_node(fact.package.as_str())),
            ("version", value_node(Value::String(version.version.to_string().into()))),
        ]);
        put(
            "properties",
            value_node(Value::List(vec![map_node([("type", string_node("olm.package")), ("value", value)])])),
        );
    }
    value_node(Value::Map(members))
}

fn placeholder_bundle<'a>(package: &'a PackageName, name: &'a BundleName) -> Node<'a> {
    map_node([
        ("schema", string_node("olm.bundle")),
        ("package", string_node(package.as_str())),
        ("name", string_node(name.as_str())),
    ])
}

fn map_node<'a, const N: usize>(members: [(&'a str, Node<'a>); N]) -> Node<'a> {
    value_node(Value::Map(members.into_iter().map(|(key, value)| new_member(key, value)).collect()))
}

fn new_member<'a>(key: &'a str, value: Node<'a>) -> Member<'a> {
    Member { key: key.into(), key_span: Span::default(), value }
}

fn string_node(text: &str) -> Node<'_> {
    value_node(Value::String(text.into()))
}

fn value_node(value: Value<'_>) -> Node<'_> {
    Node::new(value, Span::default())
}
