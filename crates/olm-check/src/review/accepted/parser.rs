//! Parser for files of accepted findings.

use super::{AcceptedFinding, FindingKey};
use olm_catalog::{Node, Span, Value, similar_names, text::yaml};

/// Keys of a row.
const KEYS: [&str; 8] = ["rule", "package", "channel", "bundle", "file", "about", "count", "reason"];

/// Mistake in the file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct Mistake {
    /// Line, from 1.
    pub line: usize,
    /// Description, without a full stop.
    pub message: String,
    /// Suggested correction, if any.
    pub hint: Option<String>,
}

pub(super) fn parse_rows(bytes: &[u8]) -> Result<Vec<AcceptedFinding>, Mistake> {
    let reader = Reader { bytes };
    let root = yaml::parse_yaml(bytes).map_err(|error| {
        let hint = error.hint().map(str::to_owned);
        reader.mistake(error.span, format!("cannot read this: {error}"), hint)
    })?;
    match &root.value {
        Value::Null => Ok(Vec::new()),
        Value::List(rows) => rows.iter().map(|row| reader.parse_row(row)).collect(),
        _ => Err(reader.mistake(
            Span::new(root.span.range().start, root.span.range().start),
            "accepted findings must be a list".to_owned(),
            Some("create one with olmap validate --write-baseline FILE".to_owned()),
        )),
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn mistake(&self, span: Span, message: String, hint: Option<String>) -> Mistake {
        let before = self.bytes.get(..span.range().start).unwrap_or(self.bytes);
        Mistake { line: 1 + memchr::memchr_iter(b'\n', before).count(), message, hint }
    }

    fn parse_row(&self, node: &Node<'_>) -> Result<AcceptedFinding, Mistake> {
        let Value::Map(members) = &node.value else {
            let hint = "such as {rule: image-by-tag, package: NAME}".to_owned();
            return Err(self.mistake(
                node.span,
                "an accepted finding must be a mapping".to_owned(),
                Some(hint),
            ));
        };
        let mut row = AcceptedFinding { identity: FindingKey::default(), count: 1, reason: String::new() };
        let identity = &mut row.identity;
        for member in members {
            let (key, value) = (member.key.as_ref(), &member.value);
            match key {
                "rule" => identity.rule = self.parse_text(key, value)?.unwrap_or_default(),
                "package" => identity.package = self.parse_text(key, value)?,
                "channel" => identity.channel = self.parse_text(key, value)?,
                "bundle" => identity.bundle = self.parse_text(key, value)?,
                "file" => identity.file = self.parse_text(key, value)?,
                "reason" => row.reason = self.parse_text(key, value)?.unwrap_or_default(),
                "about" => identity.about = self.parse_texts(key, value)?,
                "count" => row.count = self.parse_count(value)?,
                _ => {
                    let meant = similar_names::suggest_closest(key, KEYS.into_iter())
                        .map(|key| format!("did you mean {key}?"));
                    let hint = meant.unwrap_or_else(|| format!("keys are {}", KEYS.join(", ")));
                    return Err(self.mistake(member.key_span, format!("unknown key {key}"), Some(hint)));
                }
            }
        }
        if row.identity.rule.is_empty() {
            return Err(self.mistake(node.span, "rule is missing".to_owned(), None));
        }
        Ok(row)
    }

    fn parse_text(&self, key: &str, node: &Node<'_>) -> Result<Option<String>, Mistake> {
        match &node.value {
            Value::String(text) => Ok(Some(text.clone().into_owned())),
            Value::Null => Ok(None),
            _ => {
                let hint = Some("put it in quotes".to_owned());
                Err(self.mistake(node.span, format!("{key} must be a string"), hint))
            }
        }
    }

    fn parse_texts(&self, key: &str, node: &Node<'_>) -> Result<Vec<String>, Mistake> {
        let items = match &node.value {
            Value::List(items) => {
                items.iter().map(|item| self.parse_text(key, item)).collect::<Result<Vec<_>, _>>()?
            }
            _ => vec![self.parse_text(key, node)?],
        };
        let mut texts: Vec<String> = items.into_iter().flatten().collect();
        texts.sort();
        texts.dedup();
        Ok(texts)
    }

    fn parse_count(&self, node: &Node<'_>) -> Result<usize, Mistake> {
        let count = match &node.value {
            Value::Number(number) => number.0.parse().ok().filter(|count| *count > 0),
            _ => None,
        };
        count
            .ok_or_else(|| self.mistake(node.span, "count must be an integer of at least 1".to_owned(), None))
    }
}
