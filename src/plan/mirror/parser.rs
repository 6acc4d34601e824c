//! The strict parser for `ImageSetConfiguration`, which accepts what oc-mirror accepts.

use std::collections::HashSet;

use thiserror::Error;

use super::{
    fault::BadImage,
    images::{self, Reference},
    section::{Bound, ChannelRule, PackageRule, Range, Section},
};
use crate::catalog::{Node, PackageName, Span, Value, meta::fold, text::yaml};

/// Parse error with its line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {kind}")]
pub struct Broken {
    /// The line number in the file, counted from 1.
    pub line: usize,
    /// The problem.
    pub kind: BrokenKind,
}

/// Problem in a configuration that oc-mirror rejects.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BrokenKind {
    /// The file does not have a document.
    #[error("there is no ImageSetConfiguration")]
    Nothing,
    /// The text is neither YAML nor JSON.
    #[error("{0}")]
    Text(String),
    /// The configuration has another kind or API version.
    #[error("{key} must be {expected}")]
    NotThis {
        /// The key with the wrong value.
        key: &'static str,
        /// The value that oc-mirror v2 accepts.
        expected: &'static str,
    },
    /// oc-mirror does not know the key.
    #[error("unknown field {0}")]
    Unknown(String),
    /// The value has the wrong type.
    #[error("{key} must be {expected}")]
    Type {
        /// The key with the wrong value.
        key: String,
        /// The expected type.
        expected: &'static str,
    },
    /// An item does not have a name.
    #[error("{0} has no name")]
    NoName(&'static str),
    /// An item occurs twice.
    #[error("{what} {name} stands there twice")]
    Twice {
        /// The kind of item.
        what: &'static str,
        /// The name of the item.
        name: String,
    },
    /// A package and one of its channels both have a version range.
    #[error("package {0} has minVersion or maxVersion, and so has a channel of it")]
    Both(PackageName),
    /// A version is invalid.
    #[error("{key} {text} is not a version")]
    Version {
        /// `minVersion` or `maxVersion`.
        key: &'static str,
        /// The version as written.
        text: String,
    },
    /// oc-mirror cannot use the reference of a catalog.
    #[error("the catalog {reference:?} {why}")]
    Catalog {
        /// The reference as written.
        reference: String,
        /// The reason.
        why: BadImage,
    },
    /// `targetCatalog` is not a valid path.
    #[error("targetCatalog {0:?} is not a path of lower-case names without tag and digest")]
    TargetCatalog(String),
    /// A required key is missing.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// Two keys exclude each other.
    #[error("{0} and {1} exclude each other")]
    Exclusive(&'static str, &'static str),
}

impl BrokenKind {
    /// Returns a suggestion how to solve the problem.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Unknown(key) if fold(key) == "bundles" || fold(key) == "selectedbundles" => {
                Some("use minVersion and maxVersion; single bundles could be selected in 4.16 and 4.17 only")
            }
            Self::Type { key, expected } if *expected == TEXT_TYPE && key.ends_with("Version") => {
                Some("quote it: minVersion: \"1.10\"")
            }
            Self::Both(_) => Some("say it for the package, or for channels"),
            _ => None,
        }
    }
}

const TEXT_TYPE: &str = "a text";

/// Parses a configuration, or a single item of `mirror.operators`.
///
/// As in oc-mirror, JSON is parsed as YAML, and only the first document is read.
///
/// # Errors
///
/// Returns the first problem that oc-mirror rejects.
pub fn read(bytes: &[u8]) -> Result<Vec<Section>, Broken> {
    let place = |wrong: Problem| {
        let before = bytes.get(..wrong.span.start as usize).unwrap_or(bytes);
        Broken { line: 1 + memchr::memchr_iter(b'\n', before).count(), kind: wrong.kind }
    };
    let node = yaml::parse_stream(bytes).map_err(|error| {
        place(Problem { span: error.span, kind: BrokenKind::Text(error.kind.to_string()) })
    })?;
    if node.is_null() {
        return Err(Broken { line: 1, kind: BrokenKind::Nothing });
    }
    unique_keys(&node).and_then(|()| document(&node)).map_err(place)
}

/// Checks that no mapping has a duplicate key.
fn unique_keys(root: &Node<'_>) -> ParseResult<()> {
    let mut pending = vec![root];
    while let Some(node) = pending.pop() {
        let mut keys = HashSet::new();
        for member in node.members() {
            if !keys.insert(&*member.key) {
                let kind = BrokenKind::Twice { what: "key", name: member.key.clone().into_owned() };
                return Err(Problem { span: member.key_span, kind });
            }
            pending.push(&member.value);
        }
        pending.extend(node.items());
    }
    Ok(())
}

struct Problem {
    span: Span,
    kind: BrokenKind,
}

type ParseResult<T> = Result<T, Problem>;

fn problem<T>(node: &Node<'_>, kind: BrokenKind) -> ParseResult<T> {
    Err(Problem { span: node.span, kind })
}

fn document(node: &Node<'_>) -> ParseResult<Vec<Section>> {
    let is_whole =
        fields(node, "the configuration")?.iter().any(|(key, ..)| key == "mirror" || key == "kind");
    if !is_whole {
        return Ok(vec![section(node)?.section]);
    }
    if node.get("kind").is_none() {
        return problem(node, BrokenKind::Missing("kind"));
    }
    let mut sections = Vec::new();
    for (key, written, value) in fields(node, "the configuration")? {
        match key.as_str() {
            "apiversion" => expect_text(value, "apiVersion", "mirror.openshift.io/v2alpha1")?,
            "kind" => expect_text(value, "kind", "ImageSetConfiguration")?,
            "mirror" => sections = mirror(value)?,
            "archivesize" | "metadata" => {}
            _ => return problem(value, BrokenKind::Unknown(written)),
        }
    }
    if node.get("mirror").is_none() {
        return problem(node, BrokenKind::Missing("mirror"));
    }
    Ok(sections)
}

fn expect_text(node: &Node<'_>, key: &'static str, expected: &'static str) -> ParseResult<()> {
    if node.as_str() == Some(expected) {
        Ok(())
    } else {
        problem(node, BrokenKind::NotThis { key, expected })
    }
}

fn mirror(node: &Node<'_>) -> ParseResult<Vec<Section>> {
    let mut sections: Vec<Section> = Vec::new();
    let mut published = HashSet::new();
    for (key, written, value) in fields(node, "mirror")? {
        match key.as_str() {
            "operators" => {
                for item in items(value, "operators")? {
                    let read = section(item)?;
                    let Some(name) = read.published else {
                        let (reference, why) = (String::new(), BadImage::Empty);
                        return problem(item, BrokenKind::Catalog { reference, why });
                    };
                    if published.contains(&name) {
                        return problem(item, BrokenKind::Twice { what: "catalog", name });
                    }
                    published.insert(name);
                    sections.push(read.section);
                }
            }
            "platform" => platform(value)?,
            "additionalimages" | "helm" | "blockedimages" | "samples" => {}
            _ => return problem(value, BrokenKind::Unknown(written)),
        }
    }
    Ok(sections)
}

/// Checks the `platform` section: keys, types and mutually exclusive keys.
fn platform(node: &Node<'_>) -> ParseResult<()> {
    let has = |wanted: &str| {
        let mut members = node.members().iter().filter(|member| fold(&member.key) == wanted);
        members.any(|member| !member.value.items().is_empty())
    };
    if has("architectures") && has("platforms") {
        return problem(node, BrokenKind::Exclusive("platforms", "architectures"));
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
                            "full" | "shortestpath" => drop(boolean(value, &written)?),
                            _ => return problem(value, BrokenKind::Unknown(written)),
                        }
                    }
                    if !names.insert(name.clone()) {
                        return problem(item, BrokenKind::Twice { what: "release channel", name });
                    }
                }
            }
            "graph" | "architectures" | "platforms" | "release" | "kubevirtcontainer" => {}
            _ => return problem(value, BrokenKind::Unknown(written)),
        }
    }
    Ok(())
}

/// An operator section with the reference under which its catalog is published.
struct ParsedSection {
    section: Section,
    /// `None` if the section does not name its catalog.
    published: Option<String>,
}

fn section(node: &Node<'_>) -> ParseResult<ParsedSection> {
    let mut catalog_at = None;
    let (mut target_path, mut target_tag) = (String::new(), String::new());
    let mut section = Section { span: node.span, ..Section::default() };
    for (key, written, value) in fields(node, "an operator section")? {
        match key.as_str() {
            "catalog" => {
                section.catalog = text(value, "catalog")?;
                catalog_at = Some(value);
            }
            "full" => section.full = boolean(value, "full")?,
            "skipdependencies" => drop(boolean(value, "skipDependencies")?),
            "targetcatalog" => {
                target_path = text(value, &written)?;
                if !target_path.is_empty() && !images::is_target_path(&target_path) {
                    return problem(value, BrokenKind::TargetCatalog(target_path));
                }
            }
            "targettag" => target_tag = text(value, &written)?,
            "targetcatalogsourcetemplate" => drop(text(value, &written)?),
            "platforms" => {
                for item in items(value, "platforms")? {
                    for (key, written, value) in fields(item, "a platform")? {
                        match key.as_str() {
                            "os" | "architecture" => drop(text(value, &written)?),
                            _ => return problem(value, BrokenKind::Unknown(written)),
                        }
                    }
                }
            }
            "packages" => {
                for item in items(value, "packages")? {
                    let rule = package(item)?;
                    if section.packages.iter().any(|there| there.name == rule.name) {
                        let name = rule.name.to_string();
                        return problem(item, BrokenKind::Twice { what: "package", name });
                    }
                    section.packages.push(rule);
                }
            }
            _ => return problem(value, BrokenKind::Unknown(written)),
        }
    }
    let Some(at) = catalog_at else { return Ok(ParsedSection { section, published: None }) };
    match Reference::parse(&section.catalog) {
        Ok(reference) => {
            let published = Some(reference.published(&target_path, &target_tag));
            Ok(ParsedSection { section, published })
        }
        Err(why) => problem(at, BrokenKind::Catalog { reference: section.catalog, why }),
    }
}

fn package(node: &Node<'_>) -> ParseResult<PackageRule> {
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
                        return problem(item, BrokenKind::Twice { what: "channel", name });
                    }
                    rule.channels.push(channel);
                }
            }
            _ => return problem(value, BrokenKind::Unknown(written)),
        }
    }
    if rule.name.as_str().is_empty() {
        return problem(node, BrokenKind::NoName("a package"));
    }
    if !rule.range.is_empty() && rule.channels.iter().any(|channel| !channel.range.is_empty()) {
        return problem(node, BrokenKind::Both(rule.name.clone()));
    }
    Ok(rule)
}

fn channel(node: &Node<'_>) -> ParseResult<ChannelRule> {
    let mut rule = ChannelRule { name: "".into(), range: Range::default(), span: node.span };
    for (key, written, value) in fields(node, "a channel")? {
        match key.as_str() {
            "name" => rule.name = text(value, "name")?.into(),
            "minversion" => rule.range.min = bound(value, "minVersion")?,
            "maxversion" => rule.range.max = bound(value, "maxVersion")?,
            _ => return problem(value, BrokenKind::Unknown(written)),
        }
    }
    if rule.name.as_str().is_empty() { problem(node, BrokenKind::NoName("a channel")) } else { Ok(rule) }
}

/// Returns the members of a mapping: the folded key, the key as written and the value.
///
/// Keys are case-insensitive. `null` counts as an empty mapping.
fn fields<'n, 'a>(node: &'n Node<'a>, what: &str) -> ParseResult<Vec<(String, String, &'n Node<'a>)>> {
    match &node.value {
        Value::Map(members) => Ok(members
            .iter()
            .map(|member| (fold(&member.key), member.key.clone().into_owned(), &member.value))
            .collect()),
        Value::Null => Ok(Vec::new()),
        _ => problem(node, BrokenKind::Type { key: what.to_owned(), expected: "a map" }),
    }
}

fn items<'n, 'a>(node: &'n Node<'a>, key: &str) -> ParseResult<&'n [Node<'a>]> {
    match &node.value {
        Value::List(items) => Ok(items),
        Value::Null => Ok(&[]),
        _ => problem(node, BrokenKind::Type { key: key.to_owned(), expected: "a list" }),
    }
}

fn text(node: &Node<'_>, key: &str) -> ParseResult<String> {
    match &node.value {
        Value::String(text) => Ok(text.clone().into_owned()),
        Value::Null => Ok(String::new()),
        _ => problem(node, BrokenKind::Type { key: key.to_owned(), expected: TEXT_TYPE }),
    }
}

fn boolean(node: &Node<'_>, key: &str) -> ParseResult<bool> {
    match &node.value {
        Value::Bool(truth) => Ok(*truth),
        Value::Null => Ok(false),
        _ => problem(node, BrokenKind::Type { key: key.to_owned(), expected: "true or false" }),
    }
}

fn bound(node: &Node<'_>, key: &'static str) -> ParseResult<Option<Bound>> {
    let text = text(node, key)?;
    if text.is_empty() {
        return Ok(None);
    }
    match Bound::parse(&text, node.span) {
        Some(bound) => Ok(Some(bound)),
        None => problem(node, BrokenKind::Version { key, text }),
    }
}
