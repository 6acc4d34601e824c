//! Accepted findings: a file with findings that a user has reviewed and accepted, so that only new
//! ones count.
//!
//! A finding is recognized by its rule and its subject. Other changes of its file or of its message
//! do not matter. A file can be used for several catalogs, each separately.

#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::PathBuf,
};

use crate::{Finding, FindingKey, rules};
use olm_catalog::{
    Catalog, Node, Span, Value, similar_names,
    text::{emit::write_inline_scalar, yaml},
};

/// File of accepted findings.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AcceptedFindings {
    /// Path of the file.
    pub path: PathBuf,
    /// Rows in file order.
    pub rows: Vec<AcceptedFinding>,
}

/// Accepted finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AcceptedFinding {
    /// Identity of the finding, without details.
    pub identity: FindingKey,
    /// Number of findings with this identity, usually one.
    pub count: usize,
    /// Reason to accept it; may be empty.
    pub reason: String,
}

impl AcceptedFindings {
    /// Parses a file.
    ///
    /// # Errors
    ///
    /// Fails with the first mistake in the file.
    pub fn parse_file(path: PathBuf, bytes: &[u8]) -> Result<Self, Mistake> {
        Ok(Self { path, rows: parse_rows(bytes)? })
    }

    /// Returns, for each finding of a catalog, the index of the row that accepts it.
    pub fn match_findings<'f>(
        &self,
        catalog: &Catalog,
        findings: impl Iterator<Item = &'f Finding>,
    ) -> Vec<Option<usize>> {
        let mut left: HashMap<&FindingKey, (usize, usize)> = HashMap::with_capacity(self.rows.len());
        for (at, row) in self.rows.iter().enumerate() {
            left.entry(&row.identity).or_insert((at, row.count));
        }
        let rules: HashSet<&str> = self.rows.iter().map(|row| row.identity.rule.as_str()).collect();
        let mut accept = |finding: &Finding| {
            // Most findings have a rule without accepted findings.
            rules.get(finding.rule.id)?;
            let (at, left) = left.get_mut(&FindingKey::for_files(catalog, finding))?;
            *left = left.checked_sub(finding.finding_count())?;
            Some(*at)
        };
        let checked = findings.map(|finding| Some(finding).filter(|finding| !finding.is_not_checked()));
        let row = |finding: Option<&Finding>| {
            let finding = finding?;
            accept(finding).or_else(|| {
                // Earlier versions reported stuck versions as dead ends, or by channel.
                let is_stuck = *finding.rule == rules::STUCK;
                let part = || finding.all_parts().into_iter().find_map(&mut accept);
                let earlier = || self.rows.iter().position(|row| row.identity.is_earlier_form_of(finding));
                is_stuck.then(part).flatten().or_else(|| is_stuck.then(earlier).flatten())
            })
        };
        checked.map(row).collect()
    }

    /// Returns the rows of a file that accepts all given findings: sorted, with the reasons of
    /// existing rows.
    #[must_use]
    pub fn rows_accepting_all<'f>(
        &self,
        all: impl Iterator<Item = (&'f Catalog, Vec<&'f Finding>)>,
    ) -> Vec<AcceptedFinding> {
        let reasons: HashMap<&FindingKey, &str> =
            self.rows.iter().rev().map(|row| (&row.identity, row.reason.as_str())).collect();
        let mut most: BTreeMap<FindingKey, usize> = BTreeMap::new();
        for (catalog, findings) in all {
            let mut counts: HashMap<FindingKey, usize> = HashMap::new();
            // The result of a check that was not done is unknown, so it cannot be accepted.
            for finding in findings.into_iter().filter(|finding| !finding.is_not_checked()) {
                *counts.entry(FindingKey::for_files(catalog, finding)).or_default() +=
                    finding.finding_count();
            }
            for (identity, count) in counts {
                let most = most.entry(identity).or_default();
                *most = count.max(*most);
            }
        }
        let row = |(identity, count): (FindingKey, usize)| {
            let reason = reasons.get(&identity).copied().unwrap_or_default().to_owned();
            AcceptedFinding { identity, count, reason }
        };
        most.into_iter().map(row).collect()
    }

    /// Formats the rows as a file: sorted, with one finding per line, so that accepted findings
    /// show up in a review.
    pub fn format_file(rows: &[AcceptedFinding]) -> String {
        format_rows(rows)
    }
}

const HEADING: &str = "\
# Accepted findings, which olmap ignores. Say why with `reason`. Rows whose finding is fixed can be removed.
# Read by olmap validate --baseline FILE, updated by --write-baseline FILE, which keeps the reasons.
";

fn format_rows(rows: &[AcceptedFinding]) -> String {
    let mut rows: Vec<&AcceptedFinding> = rows.iter().collect();
    rows.sort_by_key(|row| &row.identity);
    let mut text = HEADING.to_owned();
    for row in rows {
        let identity = &row.identity;
        let mut members = vec![format!("rule: {}", write_inline_scalar(&identity.rule))];
        let named = [
            ("package", &identity.package),
            ("channel", &identity.channel),
            ("bundle", &identity.bundle),
            ("file", &identity.file),
        ];
        let named = named.into_iter().filter_map(|(key, value)| Some((key, value.as_ref()?)));
        members.extend(named.map(|(key, value)| format!("{key}: {}", write_inline_scalar(value))));
        if !identity.about.is_empty() {
            let about: Vec<String> = identity.about.iter().map(|text| write_inline_scalar(text)).collect();
            members.push(format!("about: [{}]", about.join(", ")));
        }
        if row.count > 1 {
            members.push(format!("count: {}", row.count));
        }
        members.push(format!("reason: {}", write_inline_scalar(&row.reason)));
        text.push_str(&format!("- {{{}}}\n", members.join(", ")));
    }
    if has_no_rows(&text) {
        text.push_str("[]\n");
    }
    text
}

/// Returns true if there are no rows. Some YAML parsers reject a file with only comments.
fn has_no_rows(text: &str) -> bool {
    text.len() == HEADING.len()
}

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

fn parse_rows(bytes: &[u8]) -> Result<Vec<AcceptedFinding>, Mistake> {
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
