//! Reading an `ImageSetConfiguration` as strictly as oc-mirror does.

use std::collections::HashSet;

use thiserror::Error;

use super::{
    fault::BadImage,
    images::{self, Reference},
    section::{Bound, ChannelRule, PackageRule, Range, Section},
};
use crate::catalog::{Node, PackageName, Span, Value, meta::fold, text::yaml};

/// Why a configuration cannot be used, and where that shows.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {kind}")]
pub struct Broken {
    /// The line in the file, from 1 on.
    pub line: usize,
    /// What is wrong there.
    pub kind: BrokenKind,
}

/// What oc-mirror refuses.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BrokenKind {
    /// No document at all.
    #[error("there is no ImageSetConfiguration")]
    Nothing,
    /// No YAML and no JSON.
    #[error("{0}")]
    Text(String),
    /// Another kind or version.
    #[error("{key} must be {expected}")]
    NotThis {
        /// The key.
        key: &'static str,
        /// What oc-mirror v2 reads.
        expected: &'static str,
    },
    /// A key that oc-mirror does not know.
    #[error("unknown field {0}")]
    Unknown(String),
    /// A value of another type.
    #[error("{key} must be {expected}")]
    Type {
        /// The key.
        key: String,
        /// The type.
        expected: &'static str,
    },
    /// A name that is needed.
    #[error("{0} has no name")]
    NoName(&'static str),
    /// Something twice.
    #[error("{what} {name} stands there twice")]
    Twice {
        /// What it is.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// Ranges for a package and for a channel of it.
    #[error("package {0} has minVersion or maxVersion, and so has a channel of it")]
    Both(PackageName),
    /// A version that is none.
    #[error("{key} {text} is not a version")]
    Version {
        /// `minVersion` or `maxVersion`.
        key: &'static str,
        /// As written.
        text: String,
    },
    /// A catalog whose reference oc-mirror cannot use.
    #[error("the catalog {reference:?} {why}")]
    Catalog {
        /// Reference as written.
        reference: String,
        /// Reason, in words.
        why: BadImage,
    },
    /// A path under which no catalog can be published.
    #[error("targetCatalog {0:?} is not a path of lower-case names without tag and digest")]
    TargetCatalog(String),
    /// A key that is missing.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// Two keys that exclude each other.
    #[error("{0} and {1} exclude each other")]
    Exclusive(&'static str, &'static str),
}

impl BrokenKind {
    /// What to change.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Unknown(key) if fold(key) == "bundles" || fold(key) == "selectedbundles" => {
                Some("use minVersion and maxVersion; single bundles could be selected in 4.16 and 4.17 only")
            }
            Self::Type { key, expected } if *expected == TEXT && key.ends_with("Version") => {
                Some("quote it: minVersion: \"1.10\"")
            }
            Self::Both(_) => Some("say it for the package, or for channels"),
            _ => None,
        }
    }
}

const TEXT: &str = "a text";

/// Reads a configuration, or one item of its `mirror.operators` alone: what it says of each catalog.
///
/// oc-mirror reads JSON as YAML too, and the first document only.
///
/// # Errors
///
/// The first thing that oc-mirror refuses.
pub fn read(bytes: &[u8]) -> Result<Vec<Section>, Broken> {
    let place = |wrong: Wrong| {
        let before = bytes.get(..wrong.span.start as usize).unwrap_or(bytes);
        Broken { line: 1 + memchr::memchr_iter(b'\n', before).count(), kind: wrong.kind }
    };
    let node = yaml::parse_stream(bytes)
        .map_err(|error| place(Wrong { span: error.span, kind: BrokenKind::Text(error.kind.to_string()) }))?;
    if node.is_null() {
        return Err(Broken { line: 1, kind: BrokenKind::Nothing });
    }
    unique_keys(&node).and_then(|()| document(&node)).map_err(place)
}

/// Checks that no key stands twice in a map.
fn unique_keys(root: &Node<'_>) -> Of<()> {
    let mut pending = vec![root];
    while let Some(node) = pending.pop() {
        let mut keys = HashSet::new();
        for member in node.members() {
            if !keys.insert(&*member.key) {
                let kind = BrokenKind::Twice { what: "key", name: member.key.clone().into_owned() };
                return Err(Wrong { span: member.key_span, kind });
            }
            pending.push(&member.value);
        }
        pending.extend(node.items());
    }
    Ok(())
}

struct Wrong {
    span: Span,
    kind: BrokenKind,
}

type Of<T> = Result<T, Wrong>;

fn wrong<T>(node: &Node<'_>, kind: BrokenKind) -> Of<T> {
    Err(Wrong { span: node.span, kind })
}

fn document(node: &Node<'_>) -> Of<Vec<Section>> {
    let is_whole =
        fields(node, "the configuration")?.iter().any(|(key, ..)| key == "mirror" || key == "kind");
    if !is_whole {
        return Ok(vec![section(node)?.section]);
    }
    if node.get("kind").is_none() {
        return wrong(node, BrokenKind::Missing("kind"));
    }
    let mut sections = Vec::new();
    for (key, written, value) in fields(node, "the configuration")? {
        match key.as_str() {
            "apiversion" => must_be(value, "apiVersion", "mirror.openshift.io/v2alpha1")?,
            "kind" => must_be(value, "kind", "ImageSetConfiguration")?,
            "mirror" => sections = mirror(value)?,
            "archivesize" | "metadata" => {}
            _ => return wrong(value, BrokenKind::Unknown(written)),
        }
    }
    if node.get("mirror").is_none() {
        return wrong(node, BrokenKind::Missing("mirror"));
    }
    Ok(sections)
}

fn must_be(node: &Node<'_>, key: &'static str, expected: &'static str) -> Of<()> {
    if node.as_str() == Some(expected) { Ok(()) } else { wrong(node, BrokenKind::NotThis { key, expected }) }
}

fn mirror(node: &Node<'_>) -> Of<Vec<Section>> {
    let mut sections: Vec<Section> = Vec::new();
    let mut published = HashSet::new();
    for (key, written, value) in fields(node, "mirror")? {
        match key.as_str() {
            "operators" => {
                for item in items(value, "operators")? {
                    let read = section(item)?;
                    let Some(name) = read.published else {
                        let (reference, why) = (String::new(), BadImage::Empty);
                        return wrong(item, BrokenKind::Catalog { reference, why });
                    };
                    if published.contains(&name) {
                        return wrong(item, BrokenKind::Twice { what: "catalog", name });
                    }
                    published.insert(name);
                    sections.push(read.section);
                }
            }
            "platform" => platform(value)?,
            "additionalimages" | "helm" | "blockedimages" | "samples" => {}
            _ => return wrong(value, BrokenKind::Unknown(written)),
        }
    }
    Ok(sections)
}

/// Checks what is said of OpenShift releases: keys, types, and what excludes each other.
fn platform(node: &Node<'_>) -> Of<()> {
    let has = |wanted: &str| {
        let mut members = node.members().iter().filter(|member| fold(&member.key) == wanted);
        members.any(|member| !member.value.items().is_empty())
    };
    if has("architectures") && has("platforms") {
        return wrong(node, BrokenKind::Exclusive("platforms", "architectures"));
    }
    let mut names = HashSet::new();
    for (key, written, value) in fields(node, "platform")? {
        match key.as_str() {
            "channels" => {
                for item in items(value, "channels")? {
                    let mut name = String::new();
                    for (key, written, value) in fields(item, "a channel of the platform")? {
                        match key.as_str() {
                            "name" => name = text(value, &written)?,
                            "type" | "minversion" | "maxversion" => drop(text(value, &written)?),
                            "full" | "shortestpath" => drop(truth(value, &written)?),
                            _ => return wrong(value, BrokenKind::Unknown(written)),
                        }
                    }
                    if !names.insert(name.clone()) {
                        return wrong(item, BrokenKind::Twice { what: "release channel", name });
                    }
                }
            }
            "graph" | "architectures" | "platforms" | "release" | "kubevirtcontainer" => {}
            _ => return wrong(value, BrokenKind::Unknown(written)),
        }
    }
    Ok(())
}

/// An operator section, and where its catalog is published.
struct Read {
    section: Section,
    /// `None` if the section does not name its catalog.
    published: Option<String>,
}

fn section(node: &Node<'_>) -> Of<Read> {
    let mut catalog_at = None;
    let (mut target_path, mut target_tag) = (String::new(), String::new());
    let mut section = Section { span: node.span, ..Section::default() };
    for (key, written, value) in fields(node, "an operator section")? {
        match key.as_str() {
            "catalog" => {
                section.catalog = text(value, "catalog")?;
                catalog_at = Some(value);
            }
            "full" => section.full = truth(value, "full")?,
            "skipdependencies" => drop(truth(value, "skipDependencies")?),
            "targetcatalog" => {
                target_path = text(value, &written)?;
                if !target_path.is_empty() && !images::is_target_path(&target_path) {
                    return wrong(value, BrokenKind::TargetCatalog(target_path));
                }
            }
            "targettag" => target_tag = text(value, &written)?,
            "targetcatalogsourcetemplate" => drop(text(value, &written)?),
            "platforms" => {
                for item in items(value, "platforms")? {
                    for (key, written, value) in fields(item, "a platform")? {
                        match key.as_str() {
                            "os" | "architecture" => drop(text(value, &written)?),
                            _ => return wrong(value, BrokenKind::Unknown(written)),
                        }
                    }
                }
            }
            "packages" => {
                for item in items(value, "packages")? {
                    let rule = package(item)?;
                    if section.packages.iter().any(|there| there.name == rule.name) {
                        let name = rule.name.to_string();
                        return wrong(item, BrokenKind::Twice { what: "package", name });
                    }
                    section.packages.push(rule);
                }
            }
            _ => return wrong(value, BrokenKind::Unknown(written)),
        }
    }
    let Some(at) = catalog_at else { return Ok(Read { section, published: None }) };
    match Reference::parse(&section.catalog) {
        Ok(reference) => {
            let published = Some(reference.published(&target_path, &target_tag));
            Ok(Read { section, published })
        }
        Err(why) => wrong(at, BrokenKind::Catalog { reference: section.catalog, why }),
    }
}

fn package(node: &Node<'_>) -> Of<PackageRule> {
    let mut rule = PackageRule { span: node.span, ..PackageRule::heads(PackageName::default()) };
    for (key, written, value) in fields(node, "a package")? {
        match key.as_str() {
            "name" => rule.name = text(value, "name")?.into(),
            "defaultchannel" => {
                let name = text(value, "defaultChannel")?;
                rule.default_channel = (!name.is_empty()).then(|| name.into());
            }
            "minversion" => rule.range.min = bound(value, "minVersion")?,
            "maxversion" => rule.range.max = bound(value, "maxVersion")?,
            "channels" => {
                for item in items(value, "channels")? {
                    let channel = channel(item)?;
                    if rule.channels.iter().any(|there| there.name == channel.name) {
                        let name = channel.name.to_string();
                        return wrong(item, BrokenKind::Twice { what: "channel", name });
                    }
                    rule.channels.push(channel);
                }
            }
            _ => return wrong(value, BrokenKind::Unknown(written)),
        }
    }
    if rule.name.as_str().is_empty() {
        return wrong(node, BrokenKind::NoName("a package"));
    }
    if !rule.range.is_empty() && rule.channels.iter().any(|channel| !channel.range.is_empty()) {
        return wrong(node, BrokenKind::Both(rule.name.clone()));
    }
    Ok(rule)
}

fn channel(node: &Node<'_>) -> Of<ChannelRule> {
    let mut rule = ChannelRule { name: "".into(), range: Range::default(), span: node.span };
    for (key, written, value) in fields(node, "a channel")? {
        match key.as_str() {
            "name" => rule.name = text(value, "name")?.into(),
            "minversion" => rule.range.min = bound(value, "minVersion")?,
            "maxversion" => rule.range.max = bound(value, "maxVersion")?,
            _ => return wrong(value, BrokenKind::Unknown(written)),
        }
    }
    if rule.name.as_str().is_empty() { wrong(node, BrokenKind::NoName("a channel")) } else { Ok(rule) }
}

/// The members of a map: each key folded, as written, and its value. Keys match in any case, and `null` is nothing.
fn fields<'n, 'a>(node: &'n Node<'a>, what: &str) -> Of<Vec<(String, String, &'n Node<'a>)>> {
    match &node.value {
        Value::Map(members) => Ok(members
            .iter()
            .map(|member| (fold(&member.key), member.key.clone().into_owned(), &member.value))
            .collect()),
        Value::Null => Ok(Vec::new()),
        _ => wrong(node, BrokenKind::Type { key: what.to_owned(), expected: "a map" }),
    }
}

fn items<'n, 'a>(node: &'n Node<'a>, key: &str) -> Of<&'n [Node<'a>]> {
    match &node.value {
        Value::List(items) => Ok(items),
        Value::Null => Ok(&[]),
        _ => wrong(node, BrokenKind::Type { key: key.to_owned(), expected: "a list" }),
    }
}

fn text(node: &Node<'_>, key: &str) -> Of<String> {
    match &node.value {
        Value::String(text) => Ok(text.clone().into_owned()),
        Value::Null => Ok(String::new()),
        _ => wrong(node, BrokenKind::Type { key: key.to_owned(), expected: TEXT }),
    }
}

fn truth(node: &Node<'_>, key: &str) -> Of<bool> {
    match &node.value {
        Value::Bool(truth) => Ok(*truth),
        Value::Null => Ok(false),
        _ => wrong(node, BrokenKind::Type { key: key.to_owned(), expected: "true or false" }),
    }
}

fn bound(node: &Node<'_>, key: &'static str) -> Of<Option<Bound>> {
    let text = text(node, key)?;
    if text.is_empty() {
        return Ok(None);
    }
    match Bound::parse(&text, node.span) {
        Some(bound) => Ok(Some(bound)),
        None => wrong(node, BrokenKind::Version { key, text }),
    }
}
