//! Formatter for rows of expectations.

use std::path::PathBuf;

use super::{Expect, Expectations};
use crate::{
    catalog::{BundleName, ChannelName, PackageName, text::emit::scalar_yaml},
    upgrade::{path::Traveller, table::Next, v1::Policy},
};

/// Maximum number of characters in a line before a row is split.
const LINE: usize = 120;

/// Row to write.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// Name of the package.
    pub package: PackageName,
    /// Resolver and its channels.
    pub traveller: Traveller,
    /// Installed bundles; empty for a new installation.
    pub installed: Vec<BundleName>,
    /// Expected result.
    pub expect: Expect,
}

/// Converts an answer into the expectation that it stays the same.
pub fn answered(next: &Next) -> Expect {
    match next {
        Next::Stays => Expect::Stays,
        Next::To(name) => Expect::Pick(name.to_string()),
        Next::Error(_) => Expect::Error,
    }
}

/// Value of a key.
pub(super) enum Value {
    One(String),
    Several(Vec<String>),
}

impl Value {
    pub(super) fn several(mut texts: Vec<String>) -> Self {
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
pub(super) fn asked(package: &PackageName, traveller: &Traveller) -> Members {
    let one = |key, value: &str| (key, Value::One(value.to_owned()));
    let mut members = vec![one("package", package.as_str()), one("engine", traveller.engine().as_str())];
    match traveller {
        Traveller::Classic(channel) => members.push(one("channel", channel.as_str())),
        Traveller::V1(query) => {
            let names: Vec<String> = query.channels.iter().map(ChannelName::to_string).collect();
            match names.len() {
                0 => {}
                1 => members.push(("channel", Value::several(names))),
                _ => members.push(("channels", Value::several(names))),
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
pub(super) fn answer(installed: Vec<String>, expect: &Expect) -> Members {
    let mut members = Vec::new();
    if !installed.is_empty() {
        members.push(("installed", Value::several(installed)));
    }
    members.push(("expect", Value::One(expect.to_string())));
    members
}

/// Formats fields as an item of a list: in braces on one line if they fit, otherwise one line per key.
pub(super) fn item(indent: &str, members: &Members) -> String {
    let value = |value: &Value| match value {
        Value::One(text) => scalar_yaml(text),
        Value::Several(texts) => {
            format!("[{}]", texts.iter().map(|text| scalar_yaml(text)).collect::<Vec<_>>().join(", "))
        }
    };
    let flow: Vec<String> = members.iter().map(|(key, v)| format!("{key}: {}", value(v))).collect();
    let flow = format!("{indent}- {{{}}}\n", flow.join(", "));
    if flow.chars().count() <= LINE { flow } else { block(indent, members) }
}

/// Formats fields as an item of a list, one line per key.
pub(super) fn block(indent: &str, members: &Members) -> String {
    let mut text = String::new();
    for (n, (key, value)) in members.iter().enumerate() {
        let start = format!("{indent}{}{key}: ", if n == 0 { "- " } else { "  " });
        match value {
            Value::One(value) => text.push_str(&format!("{start}{}\n", scalar_yaml(value))),
            Value::Several(values) => text.push_str(&wrapped(&start, &format!("{indent}      "), values)),
        }
    }
    text
}

/// Formats a list in brackets on as many lines as it needs.
fn wrapped(start: &str, indent: &str, values: &[String]) -> String {
    let mut text = format!("{start}[");
    let mut column = text.chars().count();
    for (n, value) in values.iter().enumerate() {
        let end = if n + 1 == values.len() { "]" } else { "," };
        let value = format!("{}{end}", scalar_yaml(value));
        let wide = value.chars().count() + 1;
        if n > 0 && column + wide > LINE {
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

impl Row {
    fn members(&self) -> Members {
        let mut members = asked(&self.package, &self.traveller);
        members.extend(answer(self.installed.iter().map(BundleName::to_string).collect(), &self.expect));
        members
    }

    /// Returns true if a file already has a row with the same meaning.
    pub fn is_in(&self, file: &Expectations) -> bool {
        let text = self.item("").into_bytes();
        let Some(mine) = Expectations::read(PathBuf::new(), text).rows.pop() else { return false };
        file.rows.iter().any(|row| row.same_meaning(&mine))
    }

    /// Returns the row as JSON.
    pub(super) fn json(&self) -> String {
        let members = self.members().into_iter().map(|(key, value)| match value {
            Value::One(text) => (key.to_owned(), text.into()),
            Value::Several(texts) => (key.to_owned(), texts.into()),
        });
        serde_json::Value::Object(members.collect()).to_string()
    }

    /// Formats the row as an item of a list.
    pub(super) fn item(&self, indent: &str) -> String {
        item(indent, &self.members())
    }
}
