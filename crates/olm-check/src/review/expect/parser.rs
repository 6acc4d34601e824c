//! Parser for expectations. Reports all mistakes, each with its location.

use super::{Expectation, ExpectedResult, Mistake};
use olm_catalog::{
    ChannelName, ChunkKind, Member, Node, PackageName, Span, Spanned, Value, similar_names,
    text::{split, yaml},
};
use olm_upgrade::{Engine, v1::Policy};
use olm_version::masterminds::Constraint;

/// Keys of a row.
const KEYS: [&str; 8] =
    ["package", "installed", "engine", "channel", "channels", "version", "policy", "expect"];

/// Key of a group, which has rows instead of an expectation.
const GROUP: &str = "expectations";

/// Maximum depth of nested groups.
const MAX_DEPTH: usize = 3;

const POLICIES: [Policy; 2] = [Policy::CatalogProvided, Policy::SelfCertified];

/// Fields of a row; missing fields are inherited from its group.
#[derive(Clone)]
struct InheritedFields {
    package: Option<Spanned<PackageName>>,
    installed: Vec<Spanned<String>>,
    engines: &'static [Engine],
    channels: Vec<Spanned<ChannelName>>,
    version: String,
    policy: Policy,
}

pub(super) fn parse_rows(bytes: &[u8]) -> (Vec<Expectation>, Vec<Mistake>) {
    let mut reader = RowParser::default();
    match yaml::parse_yaml(bytes) {
        Err(error) => {
            let hint = error.hint().map(str::to_owned);
            reader.add_mistake(error.span, format!("cannot read this: {error}"), hint);
        }
        Ok(root) => {
            let more =
                split::split_chunks(bytes).into_iter().filter(|c| matches!(c.kind, ChunkKind::Document(_)));
            if let Some(second) = more.skip(1).find(|c| c.range.start >= root.span.range().end.max(1)) {
                let span =
                    Span::new(second.range.start, second.range.end.min(second.range.start + "---".len()));
                reader.add_mistake(
                    span,
                    "more than one document".to_owned(),
                    Some("put all rows in one list".to_owned()),
                );
            }
            reader.parse_root(&root);
        }
    }
    reader.mistakes.sort_by_key(|mistake| mistake.span);
    (reader.rows, reader.mistakes)
}

#[derive(Default)]
struct RowParser {
    rows: Vec<Expectation>,
    mistakes: Vec<Mistake>,
}

impl RowParser {
    fn add_mistake(&mut self, span: Span, message: String, hint: Option<String>) {
        self.mistakes.push(Mistake { span, row: None, message, hint });
    }

    fn parse_root(&mut self, root: &Node<'_>) {
        let nothing = InheritedFields {
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
                self.parse_row(root, &nothing, 0);
            }
            _ => self.parse_list(root, &nothing, 0),
        }
    }

    fn parse_list(&mut self, list: &Node<'_>, given: &InheritedFields, depth: usize) {
        if let Value::List(rows) = &list.value {
            return rows.iter().for_each(|row| self.parse_row(row, given, depth));
        }
        let hint = "start each with a dash: - {package: NAME, installed: 1.2.0, expect: pick 1.3.0}";
        self.add_mistake(
            start_of(list.span),
            format!("rows must be a list, not {}", describe_type(&list.value)),
            Some(hint.to_owned()),
        );
    }

    /// Parses a row or a group of rows.
    fn parse_row(&mut self, row: &Node<'_>, given: &InheritedFields, depth: usize) {
        let Value::Map(members) = &row.value else {
            let message = format!("a row must be a mapping, not {}", describe_type(&row.value));
            return self.add_mistake(
                row.span,
                message,
                Some("such as {installed: 1.2.0, expect: pick 1.3.0}".to_owned()),
            );
        };
        let known = self.mistakes.len();
        self.check_keys(members);
        let given = self.inherit_fields(members, given);
        let get = |key: &str| members.iter().rev().find(|member| member.key == key);
        match (get(GROUP), get("expect")) {
            (Some(group), Some(expect)) => {
                let hint = Some("put expect in the rows of the group".to_owned());
                self.add_mistake(expect.key_span, format!("expect and {GROUP} in the same row"), hint);
                self.parse_list(&group.value, &given, depth + 1);
            }
            (Some(group), None) if depth >= MAX_DEPTH => {
                self.add_mistake(group.key_span, "groups are nested too deep".to_owned(), None);
            }
            (Some(group), None) => self.parse_list(&group.value, &given, depth + 1),
            // The misspelled key is already reported.
            (None, None) if self.mistakes.len() > known => {}
            (None, None) => {
                let hint = Some("such as expect: stays".to_owned());
                self.add_mistake(start_of(row.span), "the row has no expect".to_owned(), hint);
            }
            (None, Some(expect)) => {
                let Some(expect) = self.parse_expected(&expect.value) else { return };
                self.check_combination(&given, &expect);
                if self.mistakes.len() == known {
                    let InheritedFields { package, installed, engines, channels, version, policy } = given;
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
    fn inherit_fields(&mut self, members: &[Member<'_>], before: &InheritedFields) -> InheritedFields {
        let mut given = before.clone();
        let get =
            |key: &str| members.iter().rev().find(|member| member.key == key).map(|member| &member.value);
        if let Some(node) = get("package") {
            given.package = self.parse_text("package", node).map(|text| text.map(Into::into));
        }
        if let Some(node) = get("installed") {
            given.installed = self.parse_texts("installed", node);
        }
        if let Some(node) = get("engine") {
            given.engines = self.parse_engines(node).unwrap_or(Engine::BOTH);
        }
        if get("channel").is_some() || get("channels").is_some() {
            let one = get("channel").and_then(|node| self.parse_text("channel", node)).into_iter();
            let several = get("channels").map(|node| self.parse_texts("channels", node)).unwrap_or_default();
            given.channels = one.chain(several).map(|text| text.map(Into::into)).collect();
        }
        if let Some(node) = get("version") {
            given.version = self.parse_version(node).unwrap_or_default();
        }
        if let Some(node) = get("policy") {
            given.policy = self.parse_policy(node).unwrap_or_default();
        }
        let own = ["version", "policy"].into_iter().filter_map(|key| members.iter().find(|m| m.key == key));
        for member in own.filter(|_| !given.engines.contains(&Engine::V1)) {
            let hint = "only v1 uses it; remove it, or engine: classic".to_owned();
            self.add_mistake(member.key_span, format!("Classic has no {}", member.key), Some(hint));
        }
        given
    }

    /// Reports unknown and duplicate keys.
    fn check_keys(&mut self, members: &[Member<'_>]) {
        for (n, Member { key, key_span, .. }) in members.iter().enumerate() {
            if !KEYS.contains(&&**key) && key != GROUP {
                let hint = similar_names::suggest_closest(key, KEYS.into_iter().chain([GROUP])).map_or_else(
                    || format!("keys are {}", KEYS.join(", ")),
                    |meant| format!("did you mean {meant}?"),
                );
                self.add_mistake(*key_span, format!("unknown key {key}"), Some(hint));
            } else if members.iter().take(n).any(|before| before.key == *key) {
                self.add_mistake(*key_span, format!("duplicate key {key}"), None);
            }
        }
        let has = |key: &str| members.iter().find(|member| member.key == key);
        if let (Some(_), Some(second)) = (has("channel"), has("channels")) {
            let hint = Some("use only one of them".to_owned());
            self.add_mistake(second.key_span, "channel and channels in the same row".to_owned(), hint);
        }
    }

    /// Reports valid rows that cannot make sense.
    fn check_combination(&mut self, given: &InheritedFields, expect: &Spanned<ExpectedResult>) {
        let needs_installed = !matches!(expect.value, ExpectedResult::Pick(_) | ExpectedResult::Error);
        if given.installed.is_empty() && needs_installed {
            let hint = "such as installed: 1.2.0; for a fresh install expect pick NAME or error".to_owned();
            self.add_mistake(expect.span, format!("{} needs an installed version", expect.value), Some(hint));
        }
        if let Spanned { value: ExpectedResult::Pick(name), span } = expect
            && given.installed.iter().any(|installed| installed.value == *name)
        {
            let hint = Some("if there is no upgrade, write expect: stays".to_owned());
            self.add_mistake(*span, format!("{name} is the installed version, not an upgrade"), hint);
        }
    }

    /// Parses a string. Reports unquoted numbers and booleans instead of guessing: 1.10 would become 1.1.
    fn parse_text(&mut self, key: &str, node: &Node<'_>) -> Option<Spanned<String>> {
        match &node.value {
            Value::String(text) if !text.is_empty() => Some(Spanned::new(text.to_string(), node.span)),
            Value::Number(_) | Value::Bool(_) => {
                let hint = format!("put it in quotes: {key}: '1.10'");
                self.add_mistake(
                    node.span,
                    format!("{key} must be a string, not {}", describe_type(&node.value)),
                    Some(hint),
                );
                None
            }
            Value::String(_) | Value::Null => {
                self.add_mistake(node.span, format!("{key} is empty"), None);
                None
            }
            other => {
                self.add_mistake(
                    node.span,
                    format!("{key} must be a string, not {}", describe_type(other)),
                    None,
                );
                None
            }
        }
    }

    /// Parses a string or a list of strings.
    fn parse_texts(&mut self, key: &str, node: &Node<'_>) -> Vec<Spanned<String>> {
        match &node.value {
            Value::List(items) if items.is_empty() => {
                self.add_mistake(node.span, format!("{key} is an empty list"), Some("remove it".to_owned()));
                Vec::new()
            }
            Value::List(items) => items.iter().filter_map(|item| self.parse_text(key, item)).collect(),
            _ => self.parse_text(key, node).into_iter().collect(),
        }
    }

    fn parse_engines(&mut self, node: &Node<'_>) -> Option<&'static [Engine]> {
        let text = self.parse_text("engine", node)?;
        Some(match text.value.as_str() {
            "classic" => &[Engine::Classic],
            "v1" => &[Engine::V1],
            "both" => Engine::BOTH,
            other => {
                let hint = "engines are classic, v1, both".to_owned();
                self.add_mistake(node.span, format!("unknown engine {other}"), Some(hint));
                return None;
            }
        })
    }

    fn parse_version(&mut self, node: &Node<'_>) -> Option<String> {
        let text = self.parse_text("version", node)?;
        match Constraint::parse(&text.value) {
            Ok(_) => Some(text.value),
            Err(error) => {
                self.add_mistake(
                    node.span,
                    format!("not a version constraint: {}", error.message),
                    error.hint,
                );
                None
            }
        }
    }

    fn parse_policy(&mut self, node: &Node<'_>) -> Option<Policy> {
        let text = self.parse_text("policy", node)?;
        let known = POLICIES.into_iter().find(|policy| policy.as_str() == text.value);
        if known.is_none() {
            let hint = format!("policies are {}", POLICIES.map(Policy::as_str).join(", "));
            self.add_mistake(node.span, format!("unknown policy {}", text.value), Some(hint));
        }
        known
    }

    fn parse_expected(&mut self, node: &Node<'_>) -> Option<Spanned<ExpectedResult>> {
        let text = self.parse_text("expect", node)?;
        match ExpectedResult::parse(&text.value) {
            Ok(expect) => Some(Spanned::new(expect, node.span)),
            Err(wrong) => {
                self.add_mistake(node.span, wrong.message, Some(wrong.hint));
                None
            }
        }
    }
}

/// Returns the start of a span, for mistakes about the whole of it.
fn start_of(span: Span) -> Span {
    Span { start: span.start, end: span.start }
}

/// Describes the type of a value.
fn describe_type(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::List(_) => "a list",
        Value::Map(_) => "a mapping",
    }
}
