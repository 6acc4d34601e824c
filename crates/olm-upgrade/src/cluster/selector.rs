//! Label selectors of a `ClusterExtension`, with the checks of Kubernetes (apimachinery `labels/selector.go`).

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Deserializer};

use super::{CatalogProperties, NAME_LABEL};
use crate::install_blockers::is_dns_label;

/// Selector of catalogs: `spec.source.catalog.selector`. An empty one selects all catalogs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct LabelSelector {
    /// Labels with their values.
    #[serde(deserialize_with = "null_as_default")]
    pub match_labels: BTreeMap<String, String>,
    /// Further requirements.
    #[serde(deserialize_with = "null_as_default")]
    pub match_expressions: Vec<SelectorExpression>,
}

/// Requirement of a selector.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(default)]
pub struct SelectorExpression {
    /// Key of a label.
    #[serde(deserialize_with = "null_as_default")]
    pub key: String,
    /// `In`, `NotIn`, `Exists` or `DoesNotExist`.
    #[serde(deserialize_with = "null_as_default")]
    pub operator: String,
    /// Values for `In` and `NotIn`.
    #[serde(deserialize_with = "null_as_default")]
    pub values: Vec<String>,
}

/// Reads `null` as the default value, as Go does.
fn null_as_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// Selector that Kubernetes refuses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectorError {
    /// Key that is not a qualified name.
    #[error("{0:?} is not a label key")]
    Key(String),
    /// Value that a label cannot have.
    #[error("{value:?} is not a value of label {key}")]
    Value {
        /// Key of the label.
        key: String,
        /// The value.
        value: String,
    },
    /// Unknown operator.
    #[error("{0:?} is not an operator: In, NotIn, Exists, DoesNotExist")]
    Operator(String),
    /// Operator that needs values.
    #[error("{operator} of {key} needs values")]
    MissingValues {
        /// Key of the label.
        key: String,
        /// The operator.
        operator: &'static str,
    },
    /// Operator that does not take values.
    #[error("{operator} of {key} takes no values")]
    UnexpectedValues {
        /// Key of the label.
        key: String,
        /// The operator.
        operator: &'static str,
    },
}

/// Checked selector.
#[derive(Clone, Debug)]
pub struct CompiledSelector(Vec<Requirement>);

#[derive(Clone, Debug)]
struct Requirement {
    key: String,
    operator: Operator,
    values: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
}

impl Operator {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "In" => Self::In,
            "NotIn" => Self::NotIn,
            "Exists" => Self::Exists,
            "DoesNotExist" => Self::DoesNotExist,
            _ => return None,
        })
    }

    fn operator_name(self) -> &'static str {
        match self {
            Self::In => "In",
            Self::NotIn => "NotIn",
            Self::Exists => "Exists",
            Self::DoesNotExist => "DoesNotExist",
        }
    }
}

impl LabelSelector {
    /// Returns the selector of one catalog.
    pub fn for_catalog(name: &str) -> Self {
        let match_labels = BTreeMap::from([(NAME_LABEL.to_owned(), name.to_owned())]);
        Self { match_labels, match_expressions: Vec::new() }
    }

    /// Returns true if it has no requirement.
    pub fn selects_all(&self) -> bool {
        self.match_labels.is_empty() && self.match_expressions.is_empty()
    }

    /// Checks the selector.
    ///
    /// # Errors
    ///
    /// Fails if Kubernetes refuses a requirement.
    pub fn compile(&self) -> Result<CompiledSelector, SelectorError> {
        let labels = self.match_labels.iter().map(|(key, value)| Requirement {
            key: key.clone(),
            operator: Operator::In,
            values: vec![value.clone()],
        });
        let mut requirements: Vec<Requirement> = labels.collect();
        for expression in &self.match_expressions {
            let operator = Operator::from_name(&expression.operator)
                .ok_or_else(|| SelectorError::Operator(expression.operator.clone()))?;
            let (key, values) = (expression.key.clone(), expression.values.clone());
            requirements.push(Requirement { key, operator, values });
        }
        requirements.iter().try_for_each(Requirement::check)?;
        Ok(CompiledSelector(requirements))
    }
}

impl Requirement {
    fn check(&self) -> Result<(), SelectorError> {
        let (key, operator) = (self.key.clone(), self.operator.operator_name());
        if !is_label_key(&self.key) {
            return Err(SelectorError::Key(key));
        }
        match self.operator {
            Operator::In | Operator::NotIn if self.values.is_empty() => {
                return Err(SelectorError::MissingValues { key, operator });
            }
            Operator::Exists | Operator::DoesNotExist if !self.values.is_empty() => {
                return Err(SelectorError::UnexpectedValues { key, operator });
            }
            _ => {}
        }
        match self.values.iter().find(|value| !is_label_value(value)) {
            Some(value) => Err(SelectorError::Value { key, value: value.clone() }),
            None => Ok(()),
        }
    }

    fn selects(&self, catalog: &CatalogProperties) -> bool {
        let value = catalog.label_value(&self.key);
        let is_listed = || value.is_some_and(|value| self.values.iter().any(|listed| listed == value));
        match self.operator {
            Operator::In => is_listed(),
            Operator::NotIn => !is_listed(),
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
        }
    }
}

impl CompiledSelector {
    /// Returns true if a catalog meets all requirements.
    pub fn selects(&self, catalog: &CatalogProperties) -> bool {
        self.0.iter().all(|requirement| requirement.selects(catalog))
    }
}

/// Writes the selector as `kubectl` takes it: `tier=gold,env in (dev,stage),!old`.
impl fmt::Display for LabelSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let labels = self.match_labels.iter().map(|(key, value)| format!("{key}={value}"));
        let expressions = self.match_expressions.iter().map(|expression| {
            let SelectorExpression { key, operator, values } = expression;
            match operator.as_str() {
                "In" => format!("{key} in ({})", values.join(",")),
                "NotIn" => format!("{key} notin ({})", values.join(",")),
                "Exists" => key.clone(),
                "DoesNotExist" => format!("!{key}"),
                _ => format!("{key} {operator} ({})", values.join(",")),
            }
        });
        f.write_str(&labels.chain(expressions).collect::<Vec<_>>().join(","))
    }
}

/// Returns true for a qualified name: `[PREFIX/]NAME`.
pub(crate) fn is_label_key(key: &str) -> bool {
    let (prefix, name) = key.split_once('/').map_or((None, key), |(prefix, name)| (Some(prefix), name));
    prefix.is_none_or(is_dns_label) && !name.is_empty() && is_label_value(name)
}

/// Returns true for a value that a label may have. The empty value is one.
fn is_label_value(value: &str) -> bool {
    let is_edge = |byte: Option<u8>| byte.is_none_or(|byte| byte.is_ascii_alphanumeric());
    value.len() <= 63
        && is_edge(value.bytes().next())
        && is_edge(value.bytes().next_back())
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_selector(json: &str) -> LabelSelector {
        serde_json::from_str(json).unwrap()
    }

    fn catalog(name: &str, labels: &[(&str, &str)]) -> CatalogProperties {
        let labels = labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        CatalogProperties { labels, ..CatalogProperties::from_name(name) }
    }

    fn is_selected(json: &str, catalog: &CatalogProperties) -> bool {
        parse_selector(json).compile().unwrap().selects(catalog)
    }

    #[test]
    fn refuses_what_kubernetes_refuses() {
        let long = "a".repeat(64);
        let expressions = [
            r#"{"key": "tier", "operator": "in", "values": ["x"]}"#,
            r#"{"key": "tier", "values": ["x"]}"#,
            r#"{"key": "tier", "operator": "In"}"#,
            r#"{"key": "tier", "operator": "NotIn", "values": []}"#,
            r#"{"key": "tier", "operator": "In", "values": null}"#,
            r#"{"key": "tier", "operator": "Exists", "values": ["x"]}"#,
            r#"{"key": "tier", "operator": "DoesNotExist", "values": [""]}"#,
            r#"{"key": "", "operator": "Exists"}"#,
            r#"{"operator": "Exists"}"#,
            r#"{"key": "Bad.Prefix/x", "operator": "Exists"}"#,
            r#"{"key": "/x", "operator": "Exists"}"#,
            r#"{"key": "a/b/c", "operator": "Exists"}"#,
            r#"{"key": "-x", "operator": "Exists"}"#,
            r#"{"key": "x", "operator": "In", "values": ["a b"]}"#,
            r#"{"key": "x", "operator": "In", "values": ["-a"]}"#,
            &format!(r#"{{"key": "x", "operator": "In", "values": ["{long}"]}}"#),
            &format!(r#"{{"key": "{long}", "operator": "Exists"}}"#),
        ];
        for expression in expressions {
            let selector = parse_selector(&format!(r#"{{"matchExpressions": [{expression}]}}"#));
            assert!(selector.compile().is_err(), "{expression}");
        }
        for labels in [r#"{"a b": "x"}"#, r#"{"x": "a/b"}"#] {
            assert!(
                parse_selector(&format!(r#"{{"matchLabels": {labels}}}"#)).compile().is_err(),
                "{labels}"
            );
        }
    }

    #[test]
    fn requirements_follow_their_operators() {
        let (gold, bare) = (catalog("a", &[("example.com/tier", "gold"), ("empty", "")]), catalog("b", &[]));
        let cases = [
            ("{}", true, true),
            (r#"{"matchLabels": null, "matchExpressions": null}"#, true, true),
            (r#"{"matchLabels": {"example.com/tier": "gold"}}"#, true, false),
            (r#"{"matchLabels": {"example.com/tier": "Gold"}}"#, false, false),
            (r#"{"matchLabels": {"empty": ""}}"#, true, false),
            (
                r#"{"matchExpressions": [{"key": "example.com/tier", "operator": "NotIn", "values": ["gold"]}]}"#,
                false,
                true,
            ),
            (r#"{"matchExpressions": [{"key": "empty", "operator": "Exists"}]}"#, true, false),
            (
                r#"{"matchExpressions": [{"key": "empty", "operator": "DoesNotExist", "values": []}]}"#,
                false,
                true,
            ),
            (
                r#"{"matchLabels": {"empty": ""}, "matchExpressions": [{"key": "empty", "operator": "In", "values": ["x"]}]}"#,
                false,
                false,
            ),
        ];
        for (json, first, second) in cases {
            assert_eq!((is_selected(json, &gold), is_selected(json, &bare)), (first, second), "{json}");
        }
    }

    #[test]
    fn label_of_the_name_is_always_the_name() {
        let catalog = catalog("a", &[(NAME_LABEL, "other")]);
        assert!(LabelSelector::for_catalog("a").compile().unwrap().selects(&catalog));
        assert!(!LabelSelector::for_catalog("other").compile().unwrap().selects(&catalog));
    }

    #[test]
    fn writes_selector_as_kubectl_takes_it() {
        let json = r#"{"matchLabels": {"tier": "gold"}, "matchExpressions": [
            {"key": "env", "operator": "NotIn", "values": ["dev", "stage"]},
            {"key": "old", "operator": "DoesNotExist"}]}"#;
        assert_eq!(parse_selector(json).to_string(), "tier=gold,env notin (dev,stage),!old");
    }
}
