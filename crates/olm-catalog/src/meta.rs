//! Common fields of every catalog object: `schema`, `package` and `name`. In opm they are the type
//! `Meta`.

use std::borrow::Cow;

use thiserror::Error;

use super::{
    node::{Member, Node, Value},
    span::{Span, Spanned},
};

/// Common fields of a catalog object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommonFields {
    /// Schema; never empty.
    pub schema: Spanned<String>,
    /// Package of the object, if any.
    pub package: Option<Spanned<String>>,
    /// Name of the object, if any.
    pub name: Option<Spanned<String>>,
}

/// Error of a document that is not a catalog object, with its span.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{kind}")]
pub struct MetaError {
    /// Span in the chunk.
    pub span: Span,
    /// Kind of the error.
    pub kind: MetaErrorKind,
}

/// Reasons why a document is not a catalog object. For each of them opm rejects the whole catalog.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum MetaErrorKind {
    /// The document is a list or a scalar.
    #[error("a catalog object must be a map")]
    NotAMap,
    /// The document has only blanks and comments, or is `null`.
    #[error("the document is empty")]
    Empty,
    /// `schema` is absent or empty.
    #[error("the object has no `schema`")]
    MissingSchema,
    /// Two keys differ only in case.
    #[error("the keys `{first}` and `{second}` differ only in case")]
    SameKey {
        /// The first key.
        first: String,
        /// The key at the span of the error.
        second: String,
    },
    /// `schema`, `package` or `name` is not a string.
    #[error("`{key}` must be a string")]
    NotAString {
        /// Key as written.
        key: String,
    },
}

impl MetaError {
    /// Returns a hint if the message alone does not say how to fix the error.
    pub fn hint(&self) -> Option<&'static str> {
        match self.kind {
            MetaErrorKind::Empty => {
                Some("remove the `---` line before it, or the comments above the first one")
            }
            MetaErrorKind::NotAString { .. } => Some("quote the value, or remove the key"),
            _ => None,
        }
    }
}

/// Reads `schema`, `package` and `name` of a document. The case of the keys does not matter.
///
/// # Errors
///
/// If opm rejects the document: it is not a map, two top-level keys differ only in case, one of the three
/// fields is not a string, or the schema is missing.
pub fn read_common_fields(document: &Node) -> Result<CommonFields, MetaError> {
    let members = match &document.value {
        Value::Map(members) => members,
        Value::Null => return Err(MetaError { span: document.span, kind: MetaErrorKind::Empty }),
        _ => return Err(MetaError { span: document.span, kind: MetaErrorKind::NotAMap }),
    };
    if let Some((known, member)) = find_case_duplicate(members) {
        let kind = MetaErrorKind::SameKey {
            first: known.key.clone().into_owned(),
            second: member.key.clone().into_owned(),
        };
        return Err(MetaError { span: member.key_span, kind });
    }
    let field = |name: &str| match members.iter().rfind(|member| fold_case_cow(&member.key) == name) {
        None => Ok(None),
        Some(Member { value: Node { value: Value::String(text), span }, .. }) => {
            Ok(Some(Spanned::new(text.clone().into_owned(), *span)))
        }
        Some(member) => Err(MetaError {
            span: member.value.span,
            kind: MetaErrorKind::NotAString { key: member.key.clone().into_owned() },
        }),
    };
    let (schema, package, name) = (field("schema")?, field("package")?, field("name")?);
    match schema {
        Some(schema) if !schema.value.is_empty() => Ok(CommonFields { schema, package, name }),
        Some(schema) => Err(MetaError { span: schema.span, kind: MetaErrorKind::MissingSchema }),
        None => Err(MetaError { span: document.span, kind: MetaErrorKind::MissingSchema }),
    }
}

/// Returns two members whose keys differ only in case, in the order of the text. Of several pairs,
/// returns the pair whose second member comes first.
fn find_case_duplicate<'m, 'a>(members: &'m [Member<'a>]) -> Option<(&'m Member<'a>, &'m Member<'a>)> {
    if members.iter().all(|member| matches!(fold_case_cow(&member.key), Cow::Borrowed(_))) {
        return None;
    }
    let mut sorted: Vec<(Cow<'m, str>, usize)> =
        members.iter().enumerate().map(|(index, member)| (fold_case_cow(&member.key), index)).collect();
    sorted.sort_unstable();
    let pairs = sorted.windows(2).filter_map(|pair| {
        let [(a, before), (b, after)] = pair else { return None };
        let (before, after) = (members.get(*before)?, (*after, members.get(*after)?));
        (a == b && before.key != after.1.key).then_some((after, before))
    });
    pairs.min_by_key(|((index, _), _)| *index).map(|((_, after), before)| (before, after))
}

/// Returns [`fold_case`] of the key, borrowed if the key is already folded.
fn fold_case_cow(key: &str) -> Cow<'_, str> {
    let is_so = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase();
    if key.bytes().all(is_so) { Cow::Borrowed(key) } else { Cow::Owned(fold_case(key)) }
}

/// Approximates Unicode case folding by the upper and then lower case of every character (`ſ` becomes `s`, `ß`
/// becomes `ss`).
pub fn fold_case(key: &str) -> String {
    let mut folded = String::with_capacity(key.len());
    for c in key.chars() {
        match c {
            // This letter is its own lower case, although its upper case is `I`.
            'ı' => folded.push(c),
            _ if c.is_ascii() => folded.push(c.to_ascii_lowercase()),
            _ => folded.extend(c.to_uppercase().flat_map(char::to_lowercase)),
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::{CommonFields, MetaErrorKind, fold_case, read_common_fields};
    use crate::text::yaml;

    fn read_fields(text: &str) -> Result<CommonFields, (MetaErrorKind, String)> {
        let node = yaml::parse_yaml(text.as_bytes()).unwrap();
        read_common_fields(&node).map_err(|error| (error.kind, text[error.span.range()].to_owned()))
    }

    #[test]
    fn reads_fields_in_any_case_with_spans() {
        let text = "Schema: olm.bundle\nNAME: 'a.v1'\npackage: a\nother: 1\n";
        let head = read_fields(text).unwrap();
        assert_eq!(head.schema.value, "olm.bundle");
        assert_eq!(head.package.map(|package| package.value).as_deref(), Some("a"));
        let name = head.name.unwrap();
        assert_eq!((name.value.as_str(), &text[name.span.range()]), ("a.v1", "'a.v1'"));
        assert_eq!(read_fields("schema: x\n").unwrap().name, None);
    }

    #[test]
    fn last_of_repeated_keys_counts() {
        assert_eq!(read_fields("schema: 1\nschema: x\n").unwrap().schema.value, "x");
        assert!(read_fields("schema: x\nschema: 1\n").is_err());
    }

    #[test]
    fn rejects_what_opm_rejects_at_its_span() {
        let not_a_string = |key: &str| MetaErrorKind::NotAString { key: key.to_owned() };
        let same = |a: &str, b: &str| MetaErrorKind::SameKey { first: a.to_owned(), second: b.to_owned() };
        let cases = [
            ("a\n", MetaErrorKind::NotAMap, "a"),
            ("- a\n", MetaErrorKind::NotAMap, "- a"),
            ("# a\n", MetaErrorKind::Empty, ""),
            ("null\n", MetaErrorKind::Empty, "null"),
            ("name: a\n", MetaErrorKind::MissingSchema, "name: a"),
            ("schema: ''\n", MetaErrorKind::MissingSchema, "''"),
            ("schema: 5\n", not_a_string("schema"), "5"),
            ("schema: x\npackage:\n", not_a_string("package"), ""),
            ("schema: x\nNAME: yes\n", not_a_string("NAME"), "yes"),
            ("schema: x\nfoo: 1\nFoo: 2\n", same("foo", "Foo"), "Foo"),
            ("schema: x\nStraße: 1\nSTRASSE: 2\n", same("Straße", "STRASSE"), "STRASSE"),
        ];
        for (text, kind, source) in cases {
            assert_eq!(read_fields(text).unwrap_err(), (kind, source.to_owned()), "{text:?}");
        }
    }

    #[test]
    fn folds_letters_beyond_ascii() {
        for (a, b) in [("SCHEMA", "\u{17F}chema"), ("\u{212A}", "k"), ("Σ", "ς"), ("É", "é")] {
            assert_eq!(fold_case(a), fold_case(b), "{a}");
        }
        assert_ne!(fold_case("ı"), fold_case("i"));
    }
}
