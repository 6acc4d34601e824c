//! Rules of `olm.constraint`: compilation and evaluation like the reference.
//!
//! The crate `cel` only parses rules; types and values are ours. Its interpreter does not check types in
//! advance, so it accepts rules that the reference refuses. It has no limit on time or memory, which a short
//! rule can use up. Source: cel-go `checker` and `interpreter`, with the declarations of operator-framework/api
//! `pkg/constraints/cel.go`. They are `semver_compare` and one variable `properties`, a list of maps from
//! strings to anything.

mod check;
#[cfg(test)]
mod conformance;
mod conversion;
mod eval;
mod functions;
mod re2;
#[cfg(test)]
mod tests;
mod time;
mod types;

pub use eval::{Map, Value};
pub use time::Instant;

use std::{
    cmp::Ordering,
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use cel::{IdedExpr, Program};
use regex::Regex;

use eval::{EvalError, spend_steps};
use re2::{PatternError, compile};

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
    patterns: Arc<Patterns>,
}

/// Error for a rule that does not compile.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
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

/// Maximum number of cached patterns. A rule has one or two, but it can compute any number from properties.
const MAX_PATTERNS: usize = 16;

/// Patterns of a rule, or the reasons why they cannot be used.
#[derive(Debug, Default)]
struct Patterns(Mutex<HashMap<String, Result<Regex, PatternError>>>);

impl Patterns {
    /// Returns true if a pattern is cached.
    fn contains(&self, pattern: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains_key(pattern)
    }

    /// Returns a compiled pattern, or the reason why it cannot be used.
    fn get(&self, pattern: &str) -> Result<Regex, PatternError> {
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept().get(pattern) {
            return known.clone();
        }
        let read = compile(pattern);
        let mut kept = kept();
        if kept.len() < MAX_PATTERNS {
            kept.insert(pattern.to_owned(), read.clone());
        }
        read
    }
}

/// Returns true if two values other than lists and maps are equal.
fn scalars_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::String(a), Value::String(b)) => a == b,
        (Value::Bytes(a), Value::Bytes(b)) => a == b,
        (Value::Type(a), Value::Type(b)) => a == b,
        (Value::Timestamp(a), Value::Timestamp(b)) => a == b,
        (Value::Duration(a), Value::Duration(b)) => a == b,
        _ => compare_numbers(a, b) == Some(Ordering::Equal),
    }
}

/// Returns true if any two values are equal. Takes steps, because one list may occur many times in
/// another.
fn values_equal(a: &Value, b: &Value, steps: &mut u64) -> Result<bool, EvalError> {
    spend_steps(steps, 1)?;
    match (a, b) {
        (Value::List(a), Value::List(b)) => {
            if a.len() != b.len() {
                return Ok(false);
            }
            for (a, b) in a.iter().zip(b.iter()) {
                if !values_equal(a, b, steps)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::Map(a), Value::Map(b)) => {
            if a.len() != b.len() {
                return Ok(false);
            }
            for (key, value) in a.iter() {
                spend_steps(steps, b.len() as u64)?;
                let Some(other) = Value::member(b, key) else { return Ok(false) };
                if !values_equal(value, &other, steps)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::String(a), Value::String(b)) => {
            spend_steps(steps, a.len().min(b.len()) as u64 / 16)?;
            Ok(a == b)
        }
        (Value::Bytes(a), Value::Bytes(b)) => {
            spend_steps(steps, a.len().min(b.len()) as u64 / 16)?;
            Ok(a == b)
        }
        _ => Ok(scalars_equal(a, b)),
    }
}

/// Returns the order of two values, if they have one.
fn compare_values(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        (Value::Bytes(a), Value::Bytes(b)) => Some(a.cmp(b)),
        (Value::Timestamp(a), Value::Timestamp(b)) => Some(a.compare(*b)),
        (Value::Duration(a), Value::Duration(b)) => Some(a.cmp(b)),
        _ => compare_numbers(a, b),
    }
}

fn compare_numbers(a: &Value, b: &Value) -> Option<Ordering> {
    match (as_integer(a), as_integer(b)) {
        (Some(a), Some(b)) => return Some(a.cmp(&b)),
        (None, None) => {}
        (Some(a), None) => return compare_mixed(a, as_float(b)?),
        (None, Some(b)) => return compare_mixed(b, as_float(a)?).map(Ordering::reverse),
    }
    as_float(a)?.partial_cmp(&as_float(b)?)
}

/// Compares an integer with a float. Floats outside of the range of CEL's integers are compared by
/// their sign.
fn compare_mixed(whole: i128, float: f64) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    if float >= 1.9e19 {
        return Some(Ordering::Less);
    }
    if float <= -1.0e19 {
        return Some(Ordering::Greater);
    }
    let trunc = float.trunc();
    let rest = if float > trunc {
        Ordering::Less
    } else if float < trunc {
        Ordering::Greater
    } else {
        Ordering::Equal
    };
    Some(whole.cmp(&(trunc as i128)).then(rest))
}

fn as_integer(value: &Value) -> Option<i128> {
    match value {
        Value::Int(n) => Some(i128::from(*n)),
        Value::Uint(n) => Some(i128::from(*n)),
        _ => None,
    }
}

fn as_float(value: &Value) -> Option<f64> {
    match value {
        Value::Double(n) => Some(*n),
        _ => None,
    }
}
