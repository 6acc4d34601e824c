//! `olm.semver` templates: three lists of bundle images from which opm generates channels (operator-registry
//! `alpha/template/semver`).
//!
//! `document` parses the template with the spans of its parts; `generate` generates the channels of the listed
//! bundles. The latter is pure and does not parse, so it can run on every key press.

mod generate;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::{
    blob::BundleBlob,
    decode::key_matches_field,
    node::{Member, Node, Number, Value},
    span::{Span, Spanned},
    text::emit::format_yaml_number,
};
use olm_version::Version;

pub use generate::{
    Channel, Entry, GenerateError, Generated, Item, ListPosition, Lists, MAX_SKIPS, generate,
};

/// Returns the package and version of a bundle's only `olm.package` property, which determine its channels.
///
/// # Errors
///
/// The reason why opm does not generate channels.
pub fn package_and_version(bundle: &BundleBlob) -> Result<(&str, Cow<'_, Version>), String> {
    let [property] = bundle.package_properties.as_slice() else {
        let count = bundle.package_properties.len();
        return Err(format!("{count} `olm.package` properties, where exactly one is needed"));
    };
    let version = match &property.parsed {
        Ok(parsed) => Cow::Borrowed(&parsed.version),
        // The release does not matter here.
        Err(_) => Cow::Owned(
            Version::parse(&property.version.value)
                .map_err(|error| format!("version `{}`: {error}", property.version.value))?,
        ),
    };
    Ok((&property.package_name.value, version))
}

/// A list of a semver template, ordered like opm's processing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum List {
    /// `candidate`
    Candidate,
    /// `fast`
    Fast,
    /// `stable`
    Stable,
}

impl List {
    /// All lists in opm's order; the default channel comes from the last non-empty one.
    pub const ALL: [Self; 3] = [Self::Candidate, Self::Fast, Self::Stable];

    /// Returns its key in the template, which is also the prefix of its channel names.
    pub fn name(self) -> &'static str {
        match self {
            Self::Candidate => "candidate",
            Self::Fast => "fast",
            Self::Stable => "stable",
        }
    }
}

/// Kind of a generated channel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChannelKind {
    /// All versions of one major version: `stable-v1`.
    Major,
    /// All versions of one minor version: `stable-v1.2`.
    Minor,
}

impl ChannelKind {
    /// Returns its value in `defaultChannelTypePreference`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Major => "major",
            Self::Minor => "minor",
        }
    }
}

/// Kinds of generated channels, and the preference for the default channel if two begin with the same bundle.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Settings {
    /// `generateMajorChannels`
    pub major: bool,
    /// `generateMinorChannels`; also true if neither is set.
    pub minor: bool,
    /// `defaultChannelTypePreference`
    pub preference: ChannelKind,
}

/// Error of a `defaultChannelTypePreference`.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PreferenceError {
    /// An unknown value.
    #[error("defaultChannelTypePreference is `{0}`, not `major` or `minor`")]
    Unknown(String),
    /// Channels of this kind are not generated.
    #[error("defaultChannelTypePreference is `{}`, but no {} channels are generated", .0.name(), .0.name())]
    NotGenerated(ChannelKind),
}

impl Settings {
    /// Resolves the settings of a template; an empty preference means none.
    ///
    /// # Errors
    ///
    /// If opm rejects the preference.
    pub fn new(major: bool, minor: bool, preference: &str) -> Result<Self, PreferenceError> {
        let minor = minor || !major;
        let preference = match preference {
            "" if minor => ChannelKind::Minor,
            "" => ChannelKind::Major,
            "minor" if minor => ChannelKind::Minor,
            "major" if major => ChannelKind::Major,
            "minor" => return Err(PreferenceError::NotGenerated(ChannelKind::Minor)),
            "major" => return Err(PreferenceError::NotGenerated(ChannelKind::Major)),
            other => return Err(PreferenceError::Unknown(other.to_owned())),
        };
        Ok(Self { major, minor, preference })
    }

    /// Returns true if channels of a kind are generated.
    pub fn generates(self, kind: ChannelKind) -> bool {
        match kind {
            ChannelKind::Major => self.major,
            ChannelKind::Minor => self.minor,
        }
    }
}

#[cfg(test)]
mod tests;

/// A semver template with the spans of its parts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Document {
    /// `schema`; empty if absent.
    pub schema: Spanned<String>,
    /// Settings as written.
    pub settings_as_written: WrittenSettings,
    /// Images of each list, in the order of [`List::ALL`].
    images: [Vec<Image>; 3],
    /// Key of each existing list, in the same order.
    keys: [Option<Span>; 3],
}

/// Settings as written; `None` if absent or null.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WrittenSettings {
    /// `generateMajorChannels`
    pub major: Option<Spanned<bool>>,
    /// `generateMinorChannels`
    pub minor: Option<Spanned<bool>>,
    /// `defaultChannelTypePreference`
    pub preference: Option<Spanned<String>>,
}

/// A bundle of a list.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Image {
    /// Image; empty with the span of the item if absent.
    pub image: Spanned<String>,
    /// Span of the list item.
    pub span: Span,
}

/// Error of a semver template that opm rejects, with its span.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{kind}")]
pub struct DocumentError {
    /// Span in the document.
    pub span: Span,
    /// Kind of the error.
    pub kind: DocumentErrorKind,
}

/// Reasons for which opm rejects a semver template.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentErrorKind {
    /// A duplicate key in a map.
    #[error("duplicate key `{0}`: a semver template may have each key once")]
    DuplicateKey(String),
    /// A key that a semver template does not have.
    #[error("unknown key `{0}` in a semver template")]
    UnknownKey(String),
    /// A value of another type.
    #[error("`{field}` must be {expected}")]
    WrongType {
        /// Name of the field.
        field: String,
        /// Expected type.
        expected: &'static str,
    },
    /// See [`PreferenceError`].
    #[error(transparent)]
    Preference(PreferenceError),
}

impl DocumentErrorKind {
    fn with_span(self, span: Span) -> DocumentError {
        DocumentError { span, kind: self }
    }
}

impl Document {
    /// Returns the images of a list, in the order of the file.
    pub fn images(&self, list: List) -> &[Image] {
        self.images.get(list as usize).map_or(&[], Vec::as_slice)
    }

    /// Returns the span of a list's key.
    pub fn key_span(&self, list: List) -> Option<Span> {
        *self.keys.get(list as usize)?
    }

    /// Resolves the settings.
    ///
    /// # Errors
    ///
    /// If opm rejects the preference.
    pub fn settings(&self) -> Result<Settings, DocumentError> {
        let is_set = |flag: &Option<Spanned<bool>>| flag.as_ref().is_some_and(|flag| flag.value);
        let preference = self.settings_as_written.preference.as_ref();
        let word = preference.map_or("", |word| word.value.as_str());
        Settings::new(is_set(&self.settings_as_written.major), is_set(&self.settings_as_written.minor), word)
            .map_err(|fault| {
                DocumentErrorKind::Preference(fault)
                    .with_span(preference.map(|word| word.span).unwrap_or_default())
            })
    }
}

/// Parses the document. Does not check its schema.
///
/// # Errors
///
/// The first error for which opm rejects it: duplicate keys anywhere, then unknown keys and values of another
/// type.
pub fn parse_semver_template(node: &Node) -> Result<Document, DocumentError> {
    reject_duplicate_keys(node)?;
    let mut document = Document::default();
    for (field, member) in struct_fields(
        node,
        "the template",
        &[
            "schema",
            "generateMajorChannels",
            "generateMinorChannels",
            "defaultChannelTypePreference",
            "candidate",
            "fast",
            "stable",
        ],
    )? {
        let value = &member.value;
        match field {
            "schema" => string_field(value, field)?.into_iter().for_each(|text| document.schema = text),
            "generateMajorChannels" => parse_flag(value, field, &mut document.settings_as_written.major)?,
            "generateMinorChannels" => parse_flag(value, field, &mut document.settings_as_written.minor)?,
            "defaultChannelTypePreference" => {
                let word = string_field(value, field)?;
                document.settings_as_written.preference =
                    word.or(document.settings_as_written.preference.take());
            }
            _ => {
                let Some(list) = List::ALL.into_iter().find(|list| list.name() == field) else { continue };
                if let Some(key) = document.keys.get_mut(list as usize) {
                    *key = Some(member.key_span);
                }
                if let Some(images) = document.images.get_mut(list as usize) {
                    parse_list(value, list, images)?;
                }
            }
        }
    }
    Ok(document)
}

/// Parses a list into the images of another spelling of its key, as Go does.
fn parse_list(node: &Node, list: List, images: &mut Vec<Image>) -> Result<(), DocumentError> {
    for (_, member) in struct_fields(node, list.name(), &["bundles"])? {
        let items = match &member.value.value {
            Value::List(items) => items.as_slice(),
            Value::Null => &[],
            _ => {
                let field = format!("{}.bundles", list.name());
                return Err(wrong_type_error(member.value.span, field, "a list"));
            }
        };
        images.truncate(items.len());
        for (index, item) in items.iter().enumerate() {
            let mut read = None;
            for (field, member) in
                struct_fields(item, &format!("{}.bundles[{index}]", list.name()), &["image"])?
            {
                read = string_field(&member.value, field)?.or(read);
            }
            let fresh = Image { image: Spanned::new(String::new(), item.span), span: item.span };
            if images.len() == index {
                images.push(fresh);
            }
            if let (Some(image), Some(slot)) = (read, images.get_mut(index)) {
                *slot = Image { image, span: item.span };
            }
        }
    }
    Ok(())
}

/// Returns the members of a struct with their field names, in the order in which Go fills it: keys sorted by
/// bytes, ignoring case. Null is an empty struct.
fn struct_fields<'n, 'a>(
    node: &'n Node<'a>,
    place: &str,
    known: &[&'static str],
) -> Result<Vec<(&'static str, &'n Member<'a>)>, DocumentError> {
    if !matches!(node.value, Value::Map(_) | Value::Null) {
        return Err(wrong_type_error(node.span, place.to_owned(), "a map"));
    }
    let mut members: Vec<&Member> = node.members().iter().collect();
    members.sort_by(|a, b| a.key.cmp(&b.key));
    let named =
        |member: &'n Member<'a>| match known.iter().find(|field| key_matches_field(field, &member.key)) {
            Some(field) => Ok((*field, member)),
            None => {
                Err(DocumentErrorKind::UnknownKey(member.key.clone().into_owned()).with_span(member.key_span))
            }
        };
    members.into_iter().map(named).collect()
}

/// Parses a string field. Numbers and booleans become strings, because the YAML conversion knows the target
/// type. Null is absent.
fn string_field(node: &Node, field: &str) -> Result<Option<Spanned<String>>, DocumentError> {
    let text = match &node.value {
        Value::String(text) => text.clone(),
        Value::Number(Number(text)) => Cow::Owned(format_yaml_number(text)),
        Value::Bool(value) => Cow::Owned(value.to_string()),
        Value::Null => return Ok(None),
        Value::List(_) | Value::Map(_) => {
            return Err(wrong_type_error(node.span, field.to_owned(), "a string"));
        }
    };
    Ok(Some(Spanned::new(text.into_owned(), node.span)))
}

fn parse_flag(node: &Node, field: &str, slot: &mut Option<Spanned<bool>>) -> Result<(), DocumentError> {
    match &node.value {
        Value::Bool(value) => *slot = Some(Spanned::new(*value, node.span)),
        Value::Null => {}
        _ => return Err(wrong_type_error(node.span, field.to_owned(), "true or false")),
    }
    Ok(())
}

fn wrong_type_error(span: Span, field: String, expected: &'static str) -> DocumentError {
    DocumentErrorKind::WrongType { field, expected }.with_span(span)
}

/// Rejects a tree with a duplicate key in a map.
fn reject_duplicate_keys(node: &Node) -> Result<(), DocumentError> {
    // An explicit stack, because nesting may be 10,000 levels deep.
    let mut open = vec![node];
    let mut first: Option<(Span, &str)> = None;
    while let Some(node) = open.pop() {
        open.extend(node.items());
        open.extend(node.members().iter().map(|member| &member.value));
        let mut keys: Vec<(&str, Span)> =
            node.members().iter().map(|member| (member.key.as_ref(), member.key_span)).collect();
        keys.sort();
        for pair in keys.windows(2) {
            if let [(key, _), (again, span)] = pair
                && key == again
                && first.is_none_or(|(first, _)| *span < first)
            {
                first = Some((*span, again));
            }
        }
    }
    first.map_or(Ok(()), |(span, key)| Err(DocumentErrorKind::DuplicateKey(key.to_owned()).with_span(span)))
}
