//! Edit that adds a package of another catalog, with its channels, bundles and deprecations.

use super::{
    Edit,
    apply::find_own_folder,
    operation::{NewEntry, NewIcon},
};
use olm_catalog::{Catalog, PackageName, blob::Entry, file::DocId, node::Node, package::Package};

/// Reason why a package cannot be copied to another catalog.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CopyError {
    /// The catalog does not have the package, or only parts of it.
    #[error("the catalog has no olm.package of {0} with a default channel")]
    NoPackage(PackageName),
    /// A document of the package cannot be read, or was not read yet.
    #[error("a document of {0} could not be read")]
    Unreadable(PackageName),
    /// An edit cannot write a part of the package.
    #[error("{document} has {part}, which the copy would not have")]
    UnknownPart {
        /// Document, such as `channel stable`.
        document: String,
        /// Key or schema that the copy would not have.
        part: String,
    },
}

impl Edit {
    /// Creates the edit that adds a package of `source` to a catalog without the package. Does not know objects in documents
    /// that cannot be read.
    ///
    /// # Errors
    ///
    /// If only a part of `source` was read, if it does not have the package with a default channel, or if an edit cannot
    /// write a part of the package.
    pub fn copy_package(source: &Catalog, package: &PackageName) -> Result<Self, CopyError> {
        let no_package = || CopyError::NoPackage(package.clone());
        if source.missing_part().is_some() {
            return Err(CopyError::Unreadable(package.clone()));
        }
        let known = source.package(package.as_str()).ok_or_else(no_package)?;
        let definition = known.definition().ok_or_else(no_package)?;
        let default_channel = definition.default_channel.as_ref().ok_or_else(no_package)?.value.clone();
        let parts = PackageParts { source, package: known };
        parts.refuse_unknown_parts()?;
        let tree = parts.read_document(definition.doc)?;
        let mut edits = vec![Self::AddPackage {
            package: package.clone(),
            default_channel,
            description: definition.description.as_ref().map(|text| text.value.clone()),
            icon: tree.get("icon").and_then(read_icon),
            folder: find_own_folder(source, package),
        }];
        edits.extend(parts.channels());
        for bundle in &known.bundles {
            let text = source.document_text(bundle.doc).and_then(|text| std::str::from_utf8(text).ok());
            let blob = text.ok_or_else(|| CopyError::Unreadable(package.clone()))?.to_owned();
            edits.push(Self::AddBundle { package: package.clone(), blob });
        }
        edits.extend(parts.deprecations());
        let (channels, bundles) = (known.channels.len(), known.bundles.len());
        let [channels, bundles] = [(channels, "channel"), (bundles, "bundle")]
            .map(|(count, noun)| if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") });
        Ok(Self::Several { title: format!("copy package {package}: {channels}, {bundles}"), edits })
    }
}

/// Package to copy.
struct PackageParts<'c> {
    source: &'c Catalog,
    package: &'c Package,
}

impl<'c> PackageParts<'c> {
    fn read_document(&self, doc: DocId) -> Result<Node<'c>, CopyError> {
        let tree = self.source.parse_document(doc).and_then(Result::ok);
        tree.ok_or_else(|| CopyError::Unreadable(self.package.name.clone()))
    }

    /// Refuses documents with parts that an edit cannot write. Bundles are copied as they are.
    fn refuse_unknown_parts(&self) -> Result<(), CopyError> {
        let unknown =
            |document: String, part: &str| CopyError::UnknownPart { document, part: part.to_owned() };
        if let Some(other) = self.package.others.first() {
            return Err(unknown(format!("package {}", self.package.name), &other.schema));
        }
        if let [_, second, ..] = self.package.definitions.as_slice() {
            return Err(unknown(format!("package {}", second.name.value), "two olm.package documents"));
        }
        let definitions = self.package.definitions.iter().map(|blob| {
            let keys: &[&str] = &["schema", "name", "defaultChannel", "description", "icon"];
            (format!("package {}", blob.name.value), blob.doc, keys)
        });
        let channels = self.package.channels.iter().map(|channel| {
            let keys: &[&str] = &["schema", "package", "name", "entries"];
            (format!("channel {}", channel.name.value), channel.doc, keys)
        });
        let deprecations = self.package.deprecations.iter().map(|blob| {
            let keys: &[&str] = &["schema", "package", "entries"];
            ("olm.deprecations".to_owned(), blob.doc, keys)
        });
        let mut deprecated = self.package.deprecations.iter().flat_map(|blob| &blob.entries);
        if deprecated.any(|entry| entry.target.is_none()) {
            return Err(unknown("olm.deprecations".to_owned(), "an invalid reference"));
        }
        for (document, doc, keys) in definitions.chain(channels).chain(deprecations) {
            let tree = self.read_document(doc)?;
            if let Some(key) = find_unknown_key(&tree, keys) {
                return Err(unknown(document, key));
            }
            let entries = tree.get("entries").map(Node::items).unwrap_or_default();
            let keys: &[&str] =
                if document.starts_with("channel") { &Entry::KEYS } else { &["reference", "message"] };
            for entry in entries {
                let key = find_unknown_key(entry, keys);
                let reference =
                    entry.get("reference").map(|node| find_unknown_key(node, &["schema", "name"]));
                if let Some(key) = key.or(reference.flatten()) {
                    return Err(unknown(format!("an entry of {document}"), key));
                }
                if entry.members().is_empty() {
                    return Err(unknown(document, "an entry that is not a map"));
                }
            }
            let icon = tree.get("icon").filter(|icon| !icon.is_null());
            if icon.is_some_and(|icon| {
                read_icon(icon).is_none() || find_unknown_key(icon, &["base64data", "mediatype"]).is_some()
            }) {
                return Err(unknown(document, "an incomplete icon"));
            }
        }
        Ok(())
    }

    fn channels(&self) -> impl Iterator<Item = Edit> {
        self.package.channels.iter().map(|channel| Edit::AddChannel {
            package: self.package.name.clone(),
            channel: channel.name.value.clone(),
            entries: channel
                .entries
                .iter()
                .map(|entry| NewEntry { name: entry.name.value.clone(), spec: entry.to_spec() })
                .collect(),
        })
    }

    fn deprecations(&self) -> impl Iterator<Item = Edit> {
        let all = self.package.deprecations.iter().flat_map(|blob| &blob.entries);
        all.filter_map(|deprecation| {
            Some(Edit::Deprecate {
                package: self.package.name.clone(),
                target: deprecation.target.clone()?,
                message: deprecation.message.value.clone(),
            })
        })
    }
}

fn find_unknown_key<'t>(tree: &'t Node<'_>, keys: &[&str]) -> Option<&'t str> {
    tree.members().iter().map(|member| &*member.key).find(|key| !keys.contains(key))
}

fn read_icon(icon: &Node<'_>) -> Option<NewIcon> {
    let text = |key| icon.get(key)?.as_str().map(str::to_owned);
    Some(NewIcon { base64data: text("base64data")?, mediatype: text("mediatype")? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apply_edit;
    use olm_catalog::{load, text::canonical};

    const SHIP: &str = "\
schema: olm.package
name: ship
defaultChannel: stable
description: Sails.
icon:
  base64data: aWNvbg==
  mediatype: image/png
---
schema: olm.channel
package: ship
name: stable
entries:
- name: ship.v1.1.0
  replaces: ship.v1.0.0
  skips: [ship.v1.0.1]
  skipRange: '>=0.9.0 <1.1.0'
- name: ship.v1.0.0
---
schema: olm.channel
package: ship
name: candidate
entries:
- name: ship.v1.1.0
---
schema: olm.bundle
package: ship
name: ship.v1.0.0
image: example.com/ship:1.0.0
properties:
- type: olm.package
  value: {packageName: ship, version: 1.0.0}
- type: olm.maxOpenShiftVersion
  value: '4.20'
---
schema: olm.bundle
package: ship
name: ship.v1.1.0
image: example.com/ship:1.1.0
properties:
- type: olm.package
  value: {packageName: ship, version: 1.1.0}
relatedImages:
- {name: sail, image: example.com/sail}
---
schema: olm.deprecations
package: ship
entries:
- reference: {schema: olm.channel, name: candidate}
  message: Use stable.
- reference: {schema: olm.bundle, name: ship.v1.0.0}
  message: Use 1.1.0.
";
    const RAFT: &str = "schema: olm.package\nname: raft\ndefaultChannel: a\n";

    fn load_text(text: &str) -> Catalog {
        load::from_bytes(text.as_bytes().to_vec())
    }

    /// Returns the sorted documents of a package.
    fn documents_of(catalog: &Catalog, package: &str) -> Vec<String> {
        let package = catalog.package(package).unwrap();
        let tree = |doc| catalog.parse_document(doc).unwrap().unwrap();
        let mut all: Vec<String> =
            package.documents().map(|doc| format!("{:?}", canonical::normalize(&tree(doc)))).collect();
        all.sort();
        all
    }

    #[test]
    fn copy_has_all_documents() {
        let (source, ship) = (load_text(SHIP), PackageName::from("ship"));
        let edit = Edit::copy_package(&source, &ship).unwrap();
        assert_eq!(edit.title(), "copy package ship: 2 channels, 2 bundles");
        assert_eq!(edit.package(), Some(&ship));
        let json = "{\"schema\": \"olm.package\", \"name\": \"raft\", \"defaultChannel\": \"a\"}";
        for target in [RAFT, json] {
            let after = apply_edit(&load_text(target), &edit).unwrap();
            assert_eq!(documents_of(&after, "ship"), documents_of(&source, "ship"), "{target}");
            assert!(after.package("raft").is_some());
        }
    }

    #[test]
    fn parts_that_a_copy_would_lose_are_refused() {
        let cases = [
            ("name: stable", "name: stable\nproperties: []", "channel stable has properties"),
            ("description: Sails.", "shortDescription: Sails.", "package ship has shortDescription"),
            ("  replaces: ship", "  replace: ship", "an entry of channel stable has replace"),
            (
                "  message: Use stable.",
                "  messages: Use stable.",
                "an entry of olm.deprecations has messages",
            ),
            ("schema: olm.deprecations", "schema: example.other", "package ship has example.other"),
            ("  mediatype: image/png\n", "", "package ship has an incomplete icon"),
            (
                "{schema: olm.channel, name: candidate}",
                "{schema: olm.channel}",
                "olm.deprecations has an invalid",
            ),
            ("name: candidate}", "name: candidate, id: 1}", "an entry of olm.deprecations has id"),
            (
                "- name: ship.v1.0.0\n",
                "- name: ship.v1.0.0\n- ship.v0.9.0\n",
                "channel stable has an entry that",
            ),
            ("defaultChannel: stable\n", "", "the catalog has no olm.package of ship with a default channel"),
        ];
        for (old, new, expected) in cases {
            let text = SHIP.replacen(old, new, 1);
            assert_ne!(text, SHIP);
            let error = Edit::copy_package(&load_text(&text), &"ship".into()).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
        assert!(Edit::copy_package(&load_text(SHIP), &"raft".into()).is_err());
    }
}
