//! Formatter for rows of expectations.

use std::path::PathBuf;

use super::{Expectations, ExpectedResult};
use olm_catalog::{BundleName, ChannelName, PackageName, text::emit::write_inline_scalar};
use olm_upgrade::{path::UpgradeContext, table::NextUpgrade, v1::Policy};

/// Maximum number of characters in a line before a row is split.
const MAX_LINE: usize = 120;

/// Row to write.
#[derive(Clone, PartialEq, Debug)]
pub struct NewRow {
    /// Name of the package.
    pub package: PackageName,
    /// Resolver and its channels.
    pub traveller: UpgradeContext,
    /// Installed bundles; empty for a new installation.
    pub installed: Vec<BundleName>,
    /// Expected result.
    pub expect: ExpectedResult,
}

/// Converts an answer into the expectation that it stays the same.
pub fn expect_same_answer(next: &NextUpgrade) -> ExpectedResult {
    match next {
        NextUpgrade::Stays => ExpectedResult::Stays,
        NextUpgrade::To(name) => ExpectedResult::Pick(name.to_string()),
        NextUpgrade::Error(_) => ExpectedResult::Error,
    }
}

/// Value of a key.
pub(super) enum Value {
    One(String),
    Several(Vec<String>),
}

impl Value {
    pub(super) fn from_texts(mut texts: Vec<String>) -> Self {
        match (texts.pop(), texts.is_empty()) {
            (Some(only), true) => Self::One(only),
            (last, _) => {
                texts.extend(last);
                Self::Several(texts)
            }
        }
    }
}

/// Keys with their values.
pub(super) type Members = Vec<(&'static str, Value)>;

/// Returns the fields for package and resolver.
pub(super) fn query_members(package: &PackageName, traveller: &UpgradeContext) -> Members {
    let one = |key, value: &str| (key, Value::One(value.to_owned()));
    let mut members = vec![one("package", package.as_str()), one("engine", traveller.engine().as_str())];
    match traveller {
        UpgradeContext::Classic(channel) => members.push(one("channel", channel.as_str())),
        UpgradeContext::V1(query) => {
            let names: Vec<String> = query.channels.iter().map(ChannelName::to_string).collect();
            match names.len() {
                0 => {}
                1 => members.push(("channel", Value::from_texts(names))),
                _ => members.push(("channels", Value::from_texts(names))),
            }
            if !query.version.is_empty() {
                members.push(one("version", &query.version));
            }
            if query.policy != Policy::default() {
                members.push(one("policy", query.policy.as_str()));
            }
        }
    }
    members
}

/// Returns the fields for the installed bundles and the expected result.
pub(super) fn result_members(installed: Vec<String>, expect: &ExpectedResult) -> Members {
    let mut members = Vec::new();
    if !installed.is_empty() {
        members.push(("installed", Value::from_texts(installed)));
    }
    members.push(("expect", Value::One(expect.to_string())));
    members
}

/// Formats fields as an item of a list: in braces on one line if they fit, otherwise one line per key.
pub(super) fn format_item(indent: &str, members: &Members) -> String {
    let value = |value: &Value| match value {
        Value::One(text) => write_inline_scalar(text),
        Value::Several(texts) => {
            format!("[{}]", texts.iter().map(|text| write_inline_scalar(text)).collect::<Vec<_>>().join(", "))
        }
    };
    let flow: Vec<String> = members.iter().map(|(key, v)| format!("{key}: {}", value(v))).collect();
    let flow = format!("{indent}- {{{}}}\n", flow.join(", "));
    if flow.chars().count() <= MAX_LINE { flow } else { format_block(indent, members) }
}

/// Formats fields as an item of a list, one line per key.
pub(super) fn format_block(indent: &str, members: &Members) -> String {
    let mut text = String::new();
    for (n, (key, value)) in members.iter().enumerate() {
        let start = format!("{indent}{}{key}: ", if n == 0 { "- " } else { "  " });
        match value {
            Value::One(value) => text.push_str(&format!("{start}{}\n", write_inline_scalar(value))),
            Value::Several(values) => {
                text.push_str(&format_wrapped_list(&start, &format!("{indent}      "), values));
            }
        }
    }
    text
}

/// Formats a list in brackets on as many lines as it needs.
fn format_wrapped_list(start: &str, indent: &str, values: &[String]) -> String {
    let mut text = format!("{start}[");
    let mut column = text.chars().count();
    for (n, value) in values.iter().enumerate() {
        let end = if n + 1 == values.len() { "]" } else { "," };
        let value = format!("{}{end}", write_inline_scalar(value));
        let wide = value.chars().count() + 1;
        if n > 0 && column + wide > MAX_LINE {
            text.push_str(&format!("\n{indent}"));
            column = indent.len();
        } else if n > 0 {
            text.push(' ');
        }
        column += wide;
        text.push_str(&value);
    }
    text.push('\n');
    text
}

impl NewRow {
    fn row_members(&self) -> Members {
        let mut members = query_members(&self.package, &self.traveller);
        members
            .extend(result_members(self.installed.iter().map(BundleName::to_string).collect(), &self.expect));
        members
    }

    /// Returns true if a file already has a row with the same meaning.
    pub fn is_in_file(&self, file: &Expectations) -> bool {
        let text = self.format_as_item("").into_bytes();
        let Some(mine) = Expectations::parse_file(PathBuf::new(), text).rows.pop() else { return false };
        file.rows.iter().any(|row| row.has_same_meaning(&mine))
    }

    /// Returns the row as JSON.
    pub(super) fn format_json(&self) -> String {
        let members = self.row_members().into_iter().map(|(key, value)| match value {
            Value::One(text) => (key.to_owned(), text.into()),
            Value::Several(texts) => (key.to_owned(), texts.into()),
        });
        serde_json::Value::Object(members.collect()).to_string()
    }

    /// Formats the row as an item of a list.
    pub(super) fn format_as_item(&self, indent: &str) -> String {
        format_item(indent, &self.row_members())
    }
}
