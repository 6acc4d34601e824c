//! Reading an `ImageSetConfiguration` as strictly as oc-mirror does.

use thiserror::Error;

use super::{
    images,
    section::{Bound, ChannelRule, PackageRule, Range, Section},
};
use crate::catalog::{
    Node, PackageName, Span, Value,
    meta::fold,
    text::split::{self, ChunkKind},
};

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
    /// A catalog without tag and digest.
    #[error("the catalog {0:?} needs a tag or a digest")]
    Catalog(String),
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
/// # Errors
///
/// The first thing that oc-mirror refuses.
pub fn read(bytes: &[u8]) -> Result<Vec<Section>, Broken> {
    let chunk = split::split(bytes).into_iter().find(|chunk| chunk.kind != ChunkKind::NoObject);
    let chunk = chunk.ok_or(Broken { line: 1, kind: BrokenKind::Nothing })?;
    let text = bytes.get(chunk.range.clone()).unwrap_or_default();
    let place = |wrong: Wrong| {
        let end = chunk.range.start.saturating_add(wrong.span.start as usize).min(bytes.len());
        let before = bytes.get(..end).unwrap_or_default();
        Broken { line: 1 + memchr::memchr_iter(b'\n', before).count(), kind: wrong.kind }
    };
    let unread = |error: crate::catalog::text::read_error::ReadError| {
        place(Wrong { span: error.span, kind: BrokenKind::Text(error.kind.to_string()) })
    };
    let format = match chunk.kind {
        ChunkKind::Document(format) => format,
        ChunkKind::Unreadable(start) => return Err(unread(start.error(text))),
        ChunkKind::NoObject => return Err(Broken { line: 1, kind: BrokenKind::Nothing }),
    };
    let node = split::parse(format, text).map_err(unread)?;
    let mut sections = document(&node).map_err(place)?;
    // Places are told of the file.
    let shift = chunk.range.start as u32;
    for section in &mut sections {
        section.shift(shift);
    }
    Ok(sections)
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
        return Ok(vec![section(node)?]);
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
    Ok(sections)
}

fn must_be(node: &Node<'_>, key: &'static str, expected: &'static str) -> Of<()> {
    if node.as_str() == Some(expected) { Ok(()) } else { wrong(node, BrokenKind::NotThis { key, expected }) }
}

fn mirror(node: &Node<'_>) -> Of<Vec<Section>> {
    let mut sections: Vec<Section> = Vec::new();
    for (key, written, value) in fields(node, "mirror")? {
        match key.as_str() {
            "operators" => {
                for item in items(value, "operators")? {
                    let section = section(item)?;
                    if section.catalog.is_empty() {
                        return wrong(item, BrokenKind::Catalog(section.catalog));
                    }
                    if sections.iter().any(|there| there.catalog == section.catalog) {
                        return wrong(item, BrokenKind::Twice { what: "catalog", name: section.catalog });
                    }
                    sections.push(section);
                }
            }
            "platform" => platform(value)?,
            "additionalimages" | "helm" | "blockedimages" | "samples" => {}
            _ => return wrong(value, BrokenKind::Unknown(written)),
        }
    }
    Ok(sections)
}

/// Releases of OpenShift; of them only the keys are looked at.
fn platform(node: &Node<'_>) -> Of<()> {
    for (key, written, value) in fields(node, "platform")? {
        match key.as_str() {
            "channels" => {
                for item in items(value, "channels")? {
                    for (key, written, value) in fields(item, "a channel of the platform")? {
                        match key.as_str() {
                            "name" | "type" | "minversion" | "maxversion" => drop(text(value, &written)?),
                            "full" | "shortestpath" => drop(truth(value, &written)?),
                            _ => return wrong(value, BrokenKind::Unknown(written)),
                        }
                    }
                }
            }
            "graph" | "architectures" | "platforms" | "release" | "kubevirtcontainer" => {}
            _ => return wrong(value, BrokenKind::Unknown(written)),
        }
    }
    Ok(())
}

fn section(node: &Node<'_>) -> Of<Section> {
    let mut section = Section { span: node.span, ..Section::default() };
    for (key, written, value) in fields(node, "an operator section")? {
        match key.as_str() {
            "catalog" => {
                section.catalog = text(value, "catalog")?;
                let reference =
                    section.catalog.strip_prefix("oci://").map_or(&*section.catalog, |_| "layout:1");
                if !section.catalog.is_empty() && images::judge(reference).is_err() {
                    return wrong(value, BrokenKind::Catalog(section.catalog));
                }
            }
            "full" => section.full = truth(value, "full")?,
            "skipdependencies" => drop(truth(value, "skipDependencies")?),
            "targetcatalog" | "targettag" | "targetcatalogsourcetemplate" => drop(text(value, &written)?),
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
    Ok(section)
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

impl Section {
    fn shift(&mut self, by: u32) {
        let range = |range: &mut Range| {
            range.min.iter_mut().chain(&mut range.max).for_each(|bound| bound.span = shifted(bound.span, by));
        };
        self.span = shifted(self.span, by);
        for package in &mut self.packages {
            package.span = shifted(package.span, by);
            range(&mut package.range);
            for channel in &mut package.channels {
                channel.span = shifted(channel.span, by);
                range(&mut channel.range);
            }
        }
    }
}

fn shifted(span: Span, by: u32) -> Span {
    Span { start: span.start.saturating_add(by), end: span.end.saturating_add(by) }
}
