//! Parser for expectations. Reports all mistakes, each with its location.

use super::{Expect, Expectation, Mistake};
use crate::{
    catalog::{
        ChannelName, ChunkKind, Member, Node, PackageName, Span, Spanned, Value, near,
        text::{split, yaml},
    },
    upgrade::{Engine, v1::Policy},
    version::masterminds::Constraint,
};

/// Keys of a row.
const KEYS: [&str; 8] =
    ["package", "installed", "engine", "channel", "channels", "version", "policy", "expect"];

/// Key of a group, which has rows instead of an expectation.
const GROUP: &str = "expectations";

/// Maximum depth of nested groups.
const DEEPEST: usize = 3;

const POLICIES: [Policy; 2] = [Policy::CatalogProvided, Policy::SelfCertified];

/// Fields of a row; missing fields are inherited from its group.
#[derive(Clone)]
struct Given {
    package: Option<Spanned<PackageName>>,
    installed: Vec<Spanned<String>>,
    engines: &'static [Engine],
    channels: Vec<Spanned<ChannelName>>,
    version: String,
    policy: Policy,
}

pub(super) fn read(bytes: &[u8]) -> (Vec<Expectation>, Vec<Mistake>) {
    let mut reader = Reader::default();
    match yaml::parse(bytes) {
        Err(error) => {
            let hint = error.hint().map(str::to_owned);
            reader.mistake(error.span, format!("cannot read this: {error}"), hint);
        }
        Ok(root) => {
            let more = split::split(bytes).into_iter().filter(|c| matches!(c.kind, ChunkKind::Document(_)));
            if let Some(second) = more.skip(1).find(|c| c.range.start >= root.span.range().end.max(1)) {
                let span =
                    Span::new(second.range.start, second.range.end.min(second.range.start + "---".len()));
                reader.mistake(
                    span,
                    "more than one document".to_owned(),
                    Some("put all rows in one list".to_owned()),
                );
            }
            reader.root(&root);
        }
    }
    reader.mistakes.sort_by_key(|mistake| mistake.span);
    (reader.rows, reader.mistakes)
}

#[derive(Default)]
struct Reader {
    rows: Vec<Expectation>,
    mistakes: Vec<Mistake>,
}

impl Reader {
    fn mistake(&mut self, span: Span, message: String, hint: Option<String>) {
        self.mistakes.push(Mistake { span, row: None, message, hint });
    }

    fn root(&mut self, root: &Node<'_>) {
        let nothing = Given {
            package: None,
            installed: Vec::new(),
            engines: Engine::BOTH,
            channels: Vec::new(),
            version: String::new(),
            policy: Policy::default(),
        };
        match &root.value {
            Value::Null => {}
            Value::Map(members) if members.iter().any(|member| member.key == GROUP) => {
                self.row(root, &nothing, 0);
            }
            _ => self.rows(root, &nothing, 0),
        }
    }

    fn rows(&mut self, list: &Node<'_>, given: &Given, depth: usize) {
        if let Value::List(rows) = &list.value {
            return rows.iter().for_each(|row| self.row(row, given, depth));
        }
        let hint = "start each with a dash: - {package: NAME, installed: 1.2.0, expect: pick 1.3.0}";
        self.mistake(
            begin(list.span),
            format!("rows must be a list, not {}", what(&list.value)),
            Some(hint.to_owned()),
        );
    }

    /// Parses a row or a group of rows.
    fn row(&mut self, row: &Node<'_>, given: &Given, depth: usize) {
        let Value::Map(members) = &row.value else {
            let message = format!("a row must be a mapping, not {}", what(&row.value));
            return self.mistake(
                row.span,
                message,
                Some("such as {installed: 1.2.0, expect: pick 1.3.0}".to_owned()),
            );
        };
        let known = self.mistakes.len();
        self.keys(members);
        let given = self.given(members, given);
        let get = |key: &str| members.iter().rev().find(|member| member.key == key);
        match (get(GROUP), get("expect")) {
            (Some(group), Some(expect)) => {
                let hint = Some("put expect in the rows of the group".to_owned());
                self.mistake(expect.key_span, format!("expect and {GROUP} in the same row"), hint);
                self.rows(&group.value, &given, depth + 1);
            }
            (Some(group), None) if depth >= DEEPEST => {
                self.mistake(group.key_span, "groups are nested too deep".to_owned(), None);
            }
            (Some(group), None) => self.rows(&group.value, &given, depth + 1),
            // The misspelled key is already reported.
            (None, None) if self.mistakes.len() > known => {}
            (None, None) => {
                let hint = Some("such as expect: stays".to_owned());
                self.mistake(begin(row.span), "the row has no expect".to_owned(), hint);
            }
            (None, Some(expect)) => {
                let Some(expect) = self.expect(&expect.value) else { return };
                self.sense(&given, &expect);
                if self.mistakes.len() == known {
                    let Given { package, installed, engines, channels, version, policy } = given;
                    let span = row.span;
                    self.rows.push(Expectation {
                        span,
                        package,
                        installed,
                        engines,
                        channels,
                        version,
                        policy,
                        expect,
                    });
                }
            }
        }
    }

    /// Returns the fields of a mapping; missing ones are inherited.
    fn given(&mut self, members: &[Member<'_>], before: &Given) -> Given {
        let mut given = before.clone();
        let get =
            |key: &str| members.iter().rev().find(|member| member.key == key).map(|member| &member.value);
        if let Some(node) = get("package") {
            given.package = self.text("package", node).map(|text| text.map(Into::into));
        }
        if let Some(node) = get("installed") {
            given.installed = self.texts("installed", node);
        }
        if let Some(node) = get("engine") {
            given.engines = self.engines(node).unwrap_or(Engine::BOTH);
        }
        if get("channel").is_some() || get("channels").is_some() {
            let one = get("channel").and_then(|node| self.text("channel", node)).into_iter();
            let several = get("channels").map(|node| self.texts("channels", node)).unwrap_or_default();
            given.channels = one.chain(several).map(|text| text.map(Into::into)).collect();
        }
        if let Some(node) = get("version") {
            given.version = self.version(node).unwrap_or_default();
        }
        if let Some(node) = get("policy") {
            given.policy = self.policy(node).unwrap_or_default();
        }
        let own = ["version", "policy"].into_iter().filter_map(|key| members.iter().find(|m| m.key == key));
        for member in own.filter(|_| !given.engines.contains(&Engine::V1)) {
            let hint = "only v1 uses it; remove it, or engine: classic".to_owned();
            self.mistake(member.key_span, format!("Classic has no {}", member.key), Some(hint));
        }
        given
    }

    /// Reports unknown and duplicate keys.
    fn keys(&mut self, members: &[Member<'_>]) {
        for (n, Member { key, key_span, .. }) in members.iter().enumerate() {
            if !KEYS.contains(&&**key) && key != GROUP {
                let hint = near::meant(key, KEYS.into_iter().chain([GROUP])).map_or_else(
                    || format!("keys are {}", KEYS.join(", ")),
                    |meant| format!("did you mean {meant}?"),
                );
                self.mistake(*key_span, format!("unknown key {key}"), Some(hint));
            } else if members.iter().take(n).any(|before| before.key == *key) {
                self.mistake(*key_span, format!("duplicate key {key}"), None);
            }
        }
        let has = |key: &str| members.iter().find(|member| member.key == key);
        if let (Some(_), Some(second)) = (has("channel"), has("channels")) {
            let hint = Some("use only one of them".to_owned());
            self.mistake(second.key_span, "channel and channels in the same row".to_owned(), hint);
        }
    }

    /// Reports valid rows that cannot make sense.
    fn sense(&mut self, given: &Given, expect: &Spanned<Expect>) {
        let needs_installed = !matches!(expect.value, Expect::Pick(_) | Expect::Error);
        if given.installed.is_empty() && needs_installed {
            let hint = "such as installed: 1.2.0; for a fresh install expect pick NAME or error".to_owned();
            self.mistake(expect.span, format!("{} needs an installed version", expect.value), Some(hint));
        }
        if let Spanned { value: Expect::Pick(name), span } = expect
            && given.installed.iter().any(|installed| installed.value == *name)
        {
            let hint = Some("if there is no upgrade, write expect: stays".to_owned());
            self.mistake(*span, format!("{name} is the installed version, not an upgrade"), hint);
        }
    }

    /// Parses a string. Reports unquoted numbers and booleans instead of guessing: 1.10 would become 1.1.
    fn text(&mut self, key: &str, node: &Node<'_>) -> Option<Spanned<String>> {
        match &node.value {
            Value::String(text) if !text.is_empty() => Some(Spanned::new(text.to_string(), node.span)),
            Value::Number(_) | Value::Bool(_) => {
                let hint = format!("put it in quotes: {key}: '1.10'");
                self.mistake(
                    node.span,
                    format!("{key} must be a string, not {}", what(&node.value)),
                    Some(hint),
                );
                None
            }
            Value::String(_) | Value::Null => {
                self.mistake(node.span, format!("{key} is empty"), None);
                None
            }
            other => {
                self.mistake(node.span, format!("{key} must be a string, not {}", what(other)), None);
                None
            }
        }
    }

    /// Parses a string or a list of strings.
    fn texts(&mut self, key: &str, node: &Node<'_>) -> Vec<Spanned<String>> {
        match &node.value {
            Value::List(items) if items.is_empty() => {
                self.mistake(node.span, format!("{key} is an empty list"), Some("remove it".to_owned()));
                Vec::new()
            }
            Value::List(items) => items.iter().filter_map(|item| self.text(key, item)).collect(),
            _ => self.text(key, node).into_iter().collect(),
        }
    }

    fn engines(&mut self, node: &Node<'_>) -> Option<&'static [Engine]> {
        let text = self.text("engine", node)?;
        Some(match text.value.as_str() {
            "classic" => &[Engine::Classic],
            "v1" => &[Engine::V1],
            "both" => Engine::BOTH,
            other => {
                let hint = "engines are classic, v1, both".to_owned();
                self.mistake(node.span, format!("unknown engine {other}"), Some(hint));
                return None;
            }
        })
    }

    fn version(&mut self, node: &Node<'_>) -> Option<String> {
        let text = self.text("version", node)?;
        match Constraint::parse(&text.value) {
            Ok(_) => Some(text.value),
            Err(error) => {
                self.mistake(node.span, format!("not a version constraint: {}", error.message), error.hint);
                None
            }
        }
    }

    fn policy(&mut self, node: &Node<'_>) -> Option<Policy> {
        let text = self.text("policy", node)?;
        let known = POLICIES.into_iter().find(|policy| policy.as_str() == text.value);
        if known.is_none() {
            let hint = format!("policies are {}", POLICIES.map(Policy::as_str).join(", "));
            self.mistake(node.span, format!("unknown policy {}", text.value), Some(hint));
        }
        known
    }

    fn expect(&mut self, node: &Node<'_>) -> Option<Spanned<Expect>> {
        let text = self.text("expect", node)?;
        match Expect::parse(&text.value) {
            Ok(expect) => Some(Spanned::new(expect, node.span)),
            Err(wrong) => {
                self.mistake(node.span, wrong.message, Some(wrong.hint));
                None
            }
        }
    }
}

/// Returns the start of a span, for mistakes about the whole of it.
fn begin(span: Span) -> Span {
    Span { start: span.start, end: span.start }
}

/// Describes the type of a value.
fn what(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::List(_) => "a list",
        Value::Map(_) => "a mapping",
    }
}
