//! The strict parser for `ImageSetConfiguration`, which accepts what oc-mirror accepts.

use std::collections::HashSet;

use thiserror::Error;

use super::{
    BadImage,
    images::{self, Reference},
    section::{Bound, ChannelRule, PackageRule, Range, Section},
};
use olm_catalog::{Node, PackageName, Span, Value, meta::fold_case, text::yaml};

/// Parse error with its line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {kind}")]
pub struct ConfigurationError {
    /// The line number in the file, counted from 1.
    pub line: usize,
    /// The problem.
    pub kind: ConfigurationErrorKind,
}

/// Problem in a configuration that oc-mirror rejects.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ConfigurationErrorKind {
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

impl ConfigurationErrorKind {
    /// Returns a suggestion how to solve the problem.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Unknown(key) if fold_case(key) == "bundles" || fold_case(key) == "selectedbundles" => {
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
pub fn parse_configuration(bytes: &[u8]) -> Result<Vec<Section>, ConfigurationError> {
    let place = |wrong: ParseProblem| {
        let before = bytes.get(..wrong.span.start as usize).unwrap_or(bytes);
        ConfigurationError { line: 1 + memchr::memchr_iter(b'\n', before).count(), kind: wrong.kind }
    };
    let node = yaml::parse_stream(bytes).map_err(|error| {
        place(ParseProblem { span: error.span, kind: ConfigurationErrorKind::Text(error.kind.to_string()) })
    })?;
    if node.is_null() {
        return Err(ConfigurationError { line: 1, kind: ConfigurationErrorKind::Nothing });
    }
    check_unique_keys(&node).and_then(|()| parse_document(&node)).map_err(place)
}

/// Checks that no mapping has a duplicate key.
fn check_unique_keys(root: &Node<'_>) -> ParseResult<()> {
    let mut pending = vec![root];
    while let Some(node) = pending.pop() {
        let mut keys = HashSet::new();
        for member in node.members() {
            if !keys.insert(&*member.key) {
                let kind =
                    ConfigurationErrorKind::Twice { what: "key", name: member.key.clone().into_owned() };
                return Err(ParseProblem { span: member.key_span, kind });
            }
            pending.push(&member.value);
        }
        pending.extend(node.items());
    }
    Ok(())
}

struct ParseProblem {
    span: Span,
    kind: ConfigurationErrorKind,
}

type ParseResult<T> = Result<T, ParseProblem>;

fn problem_at<T>(node: &Node<'_>, kind: ConfigurationErrorKind) -> ParseResult<T> {
    Err(ParseProblem { span: node.span, kind })
}

fn parse_document(node: &Node<'_>) -> ParseResult<Vec<Section>> {
    let is_whole =
        parse_fields(node, "the configuration")?.iter().any(|(key, ..)| key == "mirror" || key == "kind");
    if !is_whole {
        return Ok(vec![parse_section(node)?.section]);
    }
    if node.get("kind").is_none() {
        return problem_at(node, ConfigurationErrorKind::Missing("kind"));
    }
    let mut sections = Vec::new();
    for (key, written, value) in parse_fields(node, "the configuration")? {
        match key.as_str() {
            "apiversion" => expect_text(value, "apiVersion", "mirror.openshift.io/v2alpha1")?,
            "kind" => expect_text(value, "kind", "ImageSetConfiguration")?,
            "mirror" => sections = parse_mirror(value)?,
            "archivesize" | "metadata" => {}
            _ => return problem_at(value, ConfigurationErrorKind::Unknown(written)),
        }
    }
    if node.get("mirror").is_none() {
        return problem_at(node, ConfigurationErrorKind::Missing("mirror"));
    }
    Ok(sections)
}

fn expect_text(node: &Node<'_>, key: &'static str, expected: &'static str) -> ParseResult<()> {
    if node.as_str() == Some(expected) {
        Ok(())
    } else {
        problem_at(node, ConfigurationErrorKind::NotThis { key, expected })
    }
}

fn parse_mirror(node: &Node<'_>) -> ParseResult<Vec<Section>> {
    let mut sections: Vec<Section> = Vec::new();
    let mut published = HashSet::new();
    for (key, written, value) in parse_fields(node, "mirror")? {
        match key.as_str() {
            "operators" => {
                for item in parse_items(value, "operators")? {
                    let read = parse_section(item)?;
                    let Some(name) = read.published else {
                        let (reference, why) = (String::new(), BadImage::Empty);
                        return problem_at(item, ConfigurationErrorKind::Catalog { reference, why });
                    };
                    if published.contains(&name) {
                        return problem_at(item, ConfigurationErrorKind::Twice { what: "catalog", name });
                    }
                    published.insert(name);
                    sections.push(read.section);
                }
            }
            "platform" => check_platform(value)?,
            "additionalimages" | "helm" | "blockedimages" | "samples" => {}
            _ => return problem_at(value, ConfigurationErrorKind::Unknown(written)),
        }
    }
    Ok(sections)
}

/// Checks the `platform` section: keys, types and mutually exclusive keys.
fn check_platform(node: &Node<'_>) -> ParseResult<()> {
    let has = |wanted: &str| {
        let mut members = node.members().iter().filter(|member| fold_case(&member.key) == wanted);
        members.any(|member| !member.value.items().is_empty())
    };
    if has("architectures") && has("platforms") {
        return problem_at(node, ConfigurationErrorKind::Exclusive("platforms", "architectures"));
    }
    let mut names = HashSet::new();
    for (key, written, value) in parse_fields(node, "platform")? {
        match key.as_str() {
            "channels" => {
                for item in parse_items(value, "channels")? {
                    let mut name = String::new();
                    for (key, written, value) in parse_fields(item, "a channel of the platform")? {
                        match key.as_str() {
                            "name" => name = parse_text(value, &written)?,
                            "type" | "minversion" | "maxversion" => drop(parse_text(value, &written)?),
                            "full" | "shortestpath" => drop(parse_boolean(value, &written)?),
                            _ => return problem_at(value, ConfigurationErrorKind::Unknown(written)),
                        }
                    }
                    if !names.insert(name.clone()) {
                        return problem_at(
                            item,
                            ConfigurationErrorKind::Twice { what: "release channel", name },
                        );
                    }
                }
            }
            "graph" | "architectures" | "platforms" | "release" | "kubevirtcontainer" => {}
            _ => return problem_at(value, ConfigurationErrorKind::Unknown(written)),
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

fn parse_section(node: &Node<'_>) -> ParseResult<ParsedSection> {
    let mut catalog_at = None;
    let (mut target_path, mut target_tag) = (String::new(), String::new());
    let mut section = Section { span: node.span, ..Section::default() };
    for (key, written, value) in parse_fields(node, "an operator section")? {
        match key.as_str() {
            "catalog" => {
                section.catalog = parse_text(value, "catalog")?;
                catalog_at = Some(value);
            }
            "full" => section.full = parse_boolean(value, "full")?,
            "skipdependencies" => drop(parse_boolean(value, "skipDependencies")?),
            "targetcatalog" => {
                target_path = parse_text(value, &written)?;
                if !target_path.is_empty() && !images::is_target_path(&target_path) {
                    return problem_at(value, ConfigurationErrorKind::TargetCatalog(target_path));
                }
            }
            "targettag" => target_tag = parse_text(value, &written)?,
            "targetcatalogsourcetemplate" => drop(parse_text(value, &written)?),
            "platforms" => {
                for item in parse_items(value, "platforms")? {
                    for (key, written, value) in parse_fields(item, "a platform")? {
                        match key.as_str() {
                            "os" | "architecture" => drop(parse_text(value, &written)?),
                            _ => return problem_at(value, ConfigurationErrorKind::Unknown(written)),
                        }
                    }
                }
            }
            "packages" => {
                for item in parse_items(value, "packages")? {
                    let rule = parse_package_rule(item)?;
                    if section.packages.iter().any(|there| there.name == rule.name) {
                        let name = rule.name.to_string();
                        return problem_at(item, ConfigurationErrorKind::Twice { what: "package", name });
                    }
                    section.packages.push(rule);
                }
            }
            _ => return problem_at(value, ConfigurationErrorKind::Unknown(written)),
        }
    }
    let Some(at) = catalog_at else { return Ok(ParsedSection { section, published: None }) };
    match Reference::parse(&section.catalog) {
        Ok(reference) => {
            let published = Some(reference.published_reference(&target_path, &target_tag));
            Ok(ParsedSection { section, published })
        }
        Err(why) => problem_at(at, ConfigurationErrorKind::Catalog { reference: section.catalog, why }),
    }
}

fn parse_package_rule(node: &Node<'_>) -> ParseResult<PackageRule> {
    let mut rule = PackageRule { span: node.span, ..PackageRule::heads_only(PackageName::default()) };
    for (key, written, value) in parse_fields(node, "a package")? {
        match key.as_str() {
            "name" => rule.name = parse_text(value, "name")?.into(),
            "defaultchannel" => {
                let name = parse_text(value, "defaultChannel")?;
                rule.default_channel = (!name.is_empty()).then(|| name.into());
            }
            "minversion" => rule.range.min = parse_bound(value, "minVersion")?,
            "maxversion" => rule.range.max = parse_bound(value, "maxVersion")?,
            "channels" => {
                for item in parse_items(value, "channels")? {
                    let channel = parse_channel_rule(item)?;
                    if rule.channels.iter().any(|there| there.name == channel.name) {
                        let name = channel.name.to_string();
                        return problem_at(item, ConfigurationErrorKind::Twice { what: "channel", name });
                    }
                    rule.channels.push(channel);
                }
            }
            _ => return problem_at(value, ConfigurationErrorKind::Unknown(written)),
        }
    }
    if rule.name.as_str().is_empty() {
        return problem_at(node, ConfigurationErrorKind::NoName("a package"));
    }
    if !rule.range.is_empty() && rule.channels.iter().any(|channel| !channel.range.is_empty()) {
        return problem_at(node, ConfigurationErrorKind::Both(rule.name.clone()));
    }
    Ok(rule)
}

fn parse_channel_rule(node: &Node<'_>) -> ParseResult<ChannelRule> {
    let mut rule = ChannelRule { name: "".into(), range: Range::default(), span: node.span };
    for (key, written, value) in parse_fields(node, "a channel")? {
        match key.as_str() {
            "name" => rule.name = parse_text(value, "name")?.into(),
            "minversion" => rule.range.min = parse_bound(value, "minVersion")?,
            "maxversion" => rule.range.max = parse_bound(value, "maxVersion")?,
            _ => return problem_at(value, ConfigurationErrorKind::Unknown(written)),
        }
    }
    if rule.name.as_str().is_empty() {
        problem_at(node, ConfigurationErrorKind::NoName("a channel"))
    } else {
        Ok(rule)
    }
}

/// Returns the members of a mapping: the folded key, the key as written and the value.
///
/// Keys are case-insensitive. `null` counts as an empty mapping.
fn parse_fields<'n, 'a>(node: &'n Node<'a>, what: &str) -> ParseResult<Vec<(String, String, &'n Node<'a>)>> {
    match &node.value {
        Value::Map(members) => Ok(members
            .iter()
            .map(|member| (fold_case(&member.key), member.key.clone().into_owned(), &member.value))
            .collect()),
        Value::Null => Ok(Vec::new()),
        _ => problem_at(node, ConfigurationErrorKind::Type { key: what.to_owned(), expected: "a map" }),
    }
}

fn parse_items<'n, 'a>(node: &'n Node<'a>, key: &str) -> ParseResult<&'n [Node<'a>]> {
    match &node.value {
        Value::List(items) => Ok(items),
        Value::Null => Ok(&[]),
        _ => problem_at(node, ConfigurationErrorKind::Type { key: key.to_owned(), expected: "a list" }),
    }
}

fn parse_text(node: &Node<'_>, key: &str) -> ParseResult<String> {
    match &node.value {
        Value::String(text) => Ok(text.clone().into_owned()),
        Value::Null => Ok(String::new()),
        _ => problem_at(node, ConfigurationErrorKind::Type { key: key.to_owned(), expected: TEXT_TYPE }),
    }
}

fn parse_boolean(node: &Node<'_>, key: &str) -> ParseResult<bool> {
    match &node.value {
        Value::Bool(truth) => Ok(*truth),
        Value::Null => Ok(false),
        _ => {
            problem_at(node, ConfigurationErrorKind::Type { key: key.to_owned(), expected: "true or false" })
        }
    }
}

fn parse_bound(node: &Node<'_>, key: &'static str) -> ParseResult<Option<Bound>> {
    let text = parse_text(node, key)?;
    if text.is_empty() {
        return Ok(None);
    }
    match Bound::parse(&text, node.span) {
        Some(bound) => Ok(Some(bound)),
        None => problem_at(node, ConfigurationErrorKind::Version { key, text }),
    }
}
