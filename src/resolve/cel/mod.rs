//! The rules of `olm.constraint`: what the reference compiles, and what a rule says of an entry.
//!
//! The crate `cel` reads a rule; types and values are ours. Its interpreter knows no types before it runs, so it accepts
//! rules that the reference refuses to compile, and it has no bound on time or memory, which a rule can use up with a few
//! words. Source: cel-go `checker` and `interpreter`, with the declarations of operator-framework/api
//! `pkg/constraints/cel.go`: one variable `properties`, a list of maps from strings to anything, and `semver_compare`.

mod check;
mod compare;
mod eval;
mod functions;
mod patterns;
mod re2;
mod text;
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

/// The longest rule that is read, in bytes. The parser of the crate goes as deep on the stack as a chain of `.a` or `+1` is
/// long, and 62 kB of it end the program.
const MAX_RULE: usize = 4 << 10;

/// How many steps the evaluation of a rule over one entry may take before it counts as failed: a good one takes a few hundred.
pub const MAX_STEPS: u64 = 1_000_000;

/// A rule that compiles.
#[derive(Clone, Debug)]
pub struct Rule {
    text: Arc<str>,
    program: Arc<IdedExpr>,
    patterns: Arc<patterns::Patterns>,
}

/// Why a rule does not compile.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RuleError {
    /// Longer than olmap reads.
    #[error("the CEL rule has {0} bytes, and olmap reads no more than {MAX_RULE}")]
    TooLong(usize),
    /// No expression.
    #[error("the CEL rule cannot be read: {0}")]
    Syntax(String),
    /// An expression of which the types do not fit.
    #[error("the CEL rule does not compile: {0}")]
    Type(String),
    /// What OLM compiles and nobody can work out here.
    #[error("the CEL rule cannot be judged: {0}")]
    Unsupported(String),
    /// An expression that gives something else.
    #[error("the CEL rule gives {0} and must give bool")]
    NotBool(String),
}

impl Rule {
    /// Compiles a rule.
    ///
    /// # Errors
    ///
    /// What the reference does not compile, and what is longer than olmap reads.
    pub fn compile(text: &str) -> Result<Self, RuleError> {
        if text.len() > MAX_RULE {
            return Err(RuleError::TooLong(text.len()));
        }
        let program = Program::compile(text).map_err(|error| {
            let words = error.to_string();
            RuleError::Syntax(words.lines().next().unwrap_or_default().to_owned())
        })?;
        let program = program.expression();
        check::check(program)?;
        Ok(Self { text: text.into(), program: Arc::new(program.clone()), patterns: Arc::default() })
    }

    /// The rule as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the rule says yes to an entry with these properties, a list of `{type, value}`; as for OLM, a rule that fails
    /// says no. `steps` is what is left of a budget; each step takes one.
    pub fn holds(&self, properties: &Value, steps: &mut u64) -> bool {
        eval::holds(&self.program, &self.patterns, properties, steps)
    }
}

/// The variable `properties` of a rule, from types and values.
pub fn properties(of: impl IntoIterator<Item = (String, Value)>) -> Value {
    let property = |(kind, value): (String, Value)| {
        Value::Map(Arc::new(vec![("type".into(), Value::String(kind.into())), ("value".into(), value)]))
    };
    Value::List(Arc::new(of.into_iter().map(property).collect()))
}
