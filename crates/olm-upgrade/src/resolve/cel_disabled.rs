//! Rules of `olm.constraint` in a build without the feature `cel`: none of them can be evaluated.

use olm_catalog::Node;

/// Maximum number of steps of a rule. No rule is evaluated in this build.
pub const MAX_STEPS: u64 = 0;

/// A compiled rule. There is none in a build without the feature `cel`.
#[derive(Clone, Debug)]
pub enum Rule {}

/// Value of a property. Nothing reads it without rules.
#[derive(Clone, Debug)]
pub struct Value;

/// Error for a rule that does not compile.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RuleError {
    /// OLM may compile the rule, but this build cannot evaluate it.
    #[error("the CEL rule cannot be judged: {0}")]
    Unsupported(String),
    /// The rule exceeds a size limit of olmap. It does not occur in this build.
    #[error("the CEL rule has {0} bytes")]
    TooLong(usize),
}

impl Rule {
    /// Refuses every rule.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn compile(_text: &str) -> Result<Self, RuleError> {
        Err(RuleError::Unsupported("this build does not evaluate CEL (feature `cel`)".to_owned()))
    }

    /// Returns the rule as written.
    pub fn text(&self) -> &str {
        match *self {}
    }

    /// Returns true if the rule accepts an entry with these properties.
    pub fn holds(&self, _properties: &Value, _steps: &mut u64) -> bool {
        match *self {}
    }
}

impl Value {
    /// Converts the value of a property.
    pub fn from_node(_node: &Node<'_>) -> Option<Self> {
        Some(Self)
    }
}

/// Builds the variable `properties` of a rule from types and values.
pub fn properties_value(_of: impl IntoIterator<Item = (String, Value)>) -> Value {
    Value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_refused_with_the_missing_feature() {
        let error = Rule::compile("true").unwrap_err();
        assert!(matches!(error, RuleError::Unsupported(_)));
        assert_eq!(
            error.to_string(),
            "the CEL rule cannot be judged: this build does not evaluate CEL (feature `cel`)"
        );
    }
}
