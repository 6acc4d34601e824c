//! Rules of `olm.constraint`: compilation and evaluation like the reference.
//!
//! The crate `cel` only parses rules; types and values are ours. Its interpreter does not check types in
//! advance, so it accepts rules that the reference refuses. It has no limit on time or memory, which a short
//! rule can use up. Source: cel-go `checker` and `interpreter`, with the declarations of operator-framework/api
//! `pkg/constraints/cel.go`. They are `semver_compare` and one variable `properties`, a list of maps from
//! strings to anything.

mod check;
mod compare;
mod conversion;
mod eval;
mod functions;
mod patterns;
mod re2;
mod time;
mod types;
mod value;

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod tests;

pub use time::Instant;
pub use value::{Map, Value};

use std::sync::Arc;

use cel::{IdedExpr, Program};

/// Size limit of a rule, in bytes. The crate's parser recurses for a chain of `.a` or `+1`, and 62 kB of it
/// overflow the stack.
const MAX_RULE: usize = 4 << 10;

/// Maximum number of steps to evaluate a rule for one entry; usual rules take a few hundred.
pub const MAX_STEPS: u64 = 1_000_000;

/// A compiled rule.
#[derive(Clone, Debug)]
pub struct Rule {
    text: Arc<str>,
    program: Arc<IdedExpr>,
    patterns: Arc<patterns::Patterns>,
}

/// Error for a rule that does not compile.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RuleError {
    /// The rule exceeds olmap's size limit.
    #[error("the CEL rule has {0} bytes, and olmap reads no more than {MAX_RULE}")]
    TooLong(usize),
    /// The rule is not an expression.
    #[error("the CEL rule cannot be read: {0}")]
    Syntax(String),
    /// The types of the expression do not match.
    #[error("the CEL rule does not compile: {0}")]
    Type(String),
    /// OLM compiles the rule, but olmap cannot evaluate it.
    #[error("the CEL rule cannot be judged: {0}")]
    Unsupported(String),
    /// The result is not a boolean.
    #[error("the CEL rule gives {0} and must give bool")]
    NotBool(String),
}

impl Rule {
    /// Compiles a rule.
    ///
    /// # Errors
    ///
    /// If the reference does not compile the rule, or if it exceeds olmap's size limit.
    pub fn compile(text: &str) -> Result<Self, RuleError> {
        if text.len() > MAX_RULE {
            return Err(RuleError::TooLong(text.len()));
        }
        let program = Program::compile(text).map_err(|error| {
            let words = error.to_string();
            RuleError::Syntax(words.lines().next().unwrap_or_default().to_owned())
        })?;
        let program = program.expression();
        check::check_types(program)?;
        Ok(Self { text: text.into(), program: Arc::new(program.clone()), patterns: Arc::default() })
    }

    /// Returns the rule as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns true if the rule accepts an entry with these properties, a list of `{type, value}`. A rule that
    /// fails returns false, as in OLM. `steps` is the remaining budget.
    pub fn holds(&self, properties: &Value, steps: &mut u64) -> bool {
        eval::holds(&self.program, &self.patterns, properties, steps)
    }
}

/// Builds the variable `properties` of a rule from types and values.
pub fn properties_value(of: impl IntoIterator<Item = (String, Value)>) -> Value {
    let property = |(kind, value): (String, Value)| {
        Value::Map(Arc::new(vec![("type".into(), Value::String(kind.into())), ("value".into(), value)]))
    };
    Value::List(Arc::new(of.into_iter().map(property).collect()))
}
