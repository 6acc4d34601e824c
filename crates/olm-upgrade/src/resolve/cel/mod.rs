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
mod re2;
#[cfg(test)]
mod tests;
mod time;
pub use eval::{Map, Value};
pub use time::Instant;

use std::{
    cmp::Ordering,
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use cel::{IdedExpr, Program, common::ast::operators};
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

/// An overload of a function. [`Type::Var`] 0 and 1 are type variables.
struct Overload {
    name: &'static str,
    is_member: bool,
    /// Types of the parameters; the target of a member function comes first.
    pub parameters: Vec<Type>,
    /// Type of the result.
    pub result: Type,
}

/// Iterates over the overloads of a function.
fn overloads(name: &str, is_member: bool) -> impl Iterator<Item = &'static Overload> {
    all_overloads().iter().filter(move |overload| overload.name == name && overload.is_member == is_member)
}

/// Returns true if there is a function with the name, as a member or not.
fn is_known(name: &str) -> bool {
    all_overloads().iter().any(|overload| overload.name == name)
}

/// Replaces the type variables of an overload with fresh ones.
fn instantiate(of: &Type, fresh: &[Type; 2]) -> Type {
    match of {
        Type::Var(at) => fresh.get(*at).cloned().unwrap_or(Type::Dyn),
        Type::List(of) => Type::list_of(instantiate(of, fresh)),
        Type::Map(key, value) => Type::map_of(instantiate(key, fresh), instantiate(value, fresh)),
        other => other.clone(),
    }
}

/// Returns the type with a name.
fn find_type(name: &str) -> Option<&'static str> {
    const NAMES: [&str; 10] =
        ["bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint"];
    NAMES.into_iter().find(|known| *known == name)
}

fn all_overloads() -> &'static [Overload] {
    static ALL: std::sync::LazyLock<Vec<Overload>> = std::sync::LazyLock::new(build_overloads);
    &ALL
}

fn build_overloads() -> Vec<Overload> {
    use Type::{Any, Bool, Bytes, Double, Duration, Dyn, Int, String, Timestamp, Uint};
    let (a, b) = (Type::Var(0), Type::Var(1));
    let (list, map) = (Type::list_of(a.clone()), Type::map_of(a.clone(), b.clone()));
    let mut all = Vec::new();
    let mut global = |name, takes: &[&Type], gives: &Type| {
        all.push(Overload {
            name,
            is_member: false,
            parameters: takes.iter().copied().cloned().collect(),
            result: gives.clone(),
        });
    };
    global(operators::CONDITIONAL, &[&Bool, &a, &a], &a);
    for name in [operators::LOGICAL_AND, operators::LOGICAL_OR] {
        global(name, &[&Bool, &Bool], &Bool);
    }
    for name in [operators::LOGICAL_NOT, operators::NOT_STRICTLY_FALSE] {
        global(name, &[&Bool], &Bool);
    }
    for name in [operators::EQUALS, operators::NOT_EQUALS] {
        global(name, &[&a, &a], &Bool);
    }
    for name in [operators::LESS, operators::LESS_EQUALS, operators::GREATER, operators::GREATER_EQUALS] {
        for of in [&Bool, &Int, &Uint, &Double, &String, &Bytes, &Timestamp, &Duration] {
            global(name, &[of, of], &Bool);
        }
    }
    for of in [&Int, &Uint, &Double, &String, &Bytes, &list, &Duration] {
        global(operators::ADD, &[of, of], of);
    }
    global(operators::ADD, &[&Timestamp, &Duration], &Timestamp);
    global(operators::ADD, &[&Duration, &Timestamp], &Timestamp);
    for of in [&Int, &Uint, &Double, &Duration] {
        global(operators::SUBSTRACT, &[of, of], of);
    }
    global(operators::SUBSTRACT, &[&Timestamp, &Timestamp], &Duration);
    global(operators::SUBSTRACT, &[&Timestamp, &Duration], &Timestamp);
    for name in [operators::MULTIPLY, operators::DIVIDE] {
        for of in [&Int, &Uint, &Double] {
            global(name, &[of, of], of);
        }
    }
    for of in [&Int, &Uint] {
        global(operators::MODULO, &[of, of], of);
    }
    for of in [&Int, &Double] {
        global(operators::NEGATE, &[of], of);
    }
    global(operators::INDEX, &[&list, &Int], &a);
    global(operators::INDEX, &[&map, &a], &b);
    global(operators::IN, &[&a, &list], &Bool);
    global(operators::IN, &[&a, &map], &Bool);
    for of in [&String, &Bytes, &list, &map] {
        global("size", &[of], &Int);
    }
    global("type", &[&a], &Type::Meta);
    global("dyn", &[&a], &Dyn);
    global("bool", &[&Bool], &Bool);
    global("bool", &[&String], &Bool);
    for of in [&Bytes, &String] {
        global("bytes", &[of], &Bytes);
    }
    for of in [&Double, &Int, &Uint, &String] {
        global("double", &[of], &Double);
        global("int", &[of], &Int);
        global("uint", &[of], &Uint);
    }
    global("int", &[&Timestamp], &Int);
    global("int", &[&Duration], &Int);
    for of in [&Bool, &Bytes, &Double, &Duration, &Int, &String, &Timestamp, &Uint] {
        global("string", &[of], &String);
    }
    for of in [&Duration, &Int, &String] {
        global("duration", &[of], &Duration);
    }
    for of in [&Timestamp, &Int, &String] {
        global("timestamp", &[of], &Timestamp);
    }
    global("matches", &[&String, &String], &Bool);
    global("semver_compare", &[&Any, &Any], &Int);
    let mut member = |name, takes: &[&Type], gives: &Type| {
        all.push(Overload {
            name,
            is_member: true,
            parameters: takes.iter().copied().cloned().collect(),
            result: gives.clone(),
        });
    };
    for of in [&String, &Bytes, &list, &map] {
        member("size", &[of], &Int);
    }
    for name in ["contains", "startsWith", "endsWith", "matches"] {
        member(name, &[&String, &String], &Bool);
    }
    for name in [
        "getFullYear",
        "getMonth",
        "getDayOfYear",
        "getDayOfMonth",
        "getDate",
        "getDayOfWeek",
        "getHours",
        "getMinutes",
        "getSeconds",
        "getMilliseconds",
    ] {
        member(name, &[&Timestamp], &Int);
        member(name, &[&Timestamp, &String], &Int);
    }
    for name in ["getHours", "getMinutes", "getSeconds", "getMilliseconds"] {
        member(name, &[&Duration], &Int);
    }
    all
}

/// The type of an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Type {
    /// Only known at evaluation.
    Dyn,
    /// The value of a property: like [`Type::Dyn`], but macros cannot iterate over it.
    Any,
    /// `null`
    Null,
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `uint`
    Uint,
    /// `double`
    Double,
    /// `string`
    String,
    /// `bytes`
    Bytes,
    /// `google.protobuf.Timestamp`
    Timestamp,
    /// `google.protobuf.Duration`
    Duration,
    /// A type as a value.
    Meta,
    /// A list.
    List(Box<Type>),
    /// A map.
    Map(Box<Type>, Box<Type>),
    /// A type variable, bound by unification.
    Var(usize),
}

impl Type {
    /// Returns the type of a list.
    pub fn list_of(of: Self) -> Self {
        Self::List(Box::new(of))
    }

    /// Returns the type of a map.
    pub fn map_of(key: Self, value: Self) -> Self {
        Self::Map(Box::new(key), Box::new(value))
    }

    fn is_dynamic(&self) -> bool {
        matches!(self, Self::Dyn | Self::Any)
    }
}

/// Formats the type like cel-go.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Dyn | Self::Var(_) => "dyn",
            Self::Any => "any",
            Self::Null => "null",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Double => "double",
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::Timestamp => "google.protobuf.Timestamp",
            Self::Duration => "google.protobuf.Duration",
            Self::Meta => "type",
            Self::List(of) => return write!(f, "list({of})"),
            Self::Map(key, value) => return write!(f, "map({key}, {value})"),
        };
        f.write_str(name)
    }
}

/// Bindings of type variables.
#[derive(Clone, Debug, Default)]
struct Bindings {
    vars: Vec<Option<Type>>,
}

impl Bindings {
    /// Creates a type variable.
    pub fn new_variable(&mut self) -> Type {
        self.vars.push(None);
        Type::Var(self.vars.len() - 1)
    }

    /// Resolves the outermost type variable of a type.
    pub fn resolve(&self, of: &Type) -> Type {
        let mut of = of;
        while let Type::Var(at) = of {
            match self.vars.get(*at) {
                Some(Some(found)) => of = found,
                _ => break,
            }
        }
        of.clone()
    }

    /// Resolves all type variables of a type. Unbound variables become dynamic.
    pub fn resolve_all(&self, of: &Type) -> Type {
        match self.resolve(of) {
            Type::Var(_) => Type::Dyn,
            Type::List(of) => Type::list_of(self.resolve_all(&of)),
            Type::Map(key, value) => Type::map_of(self.resolve_all(&key), self.resolve_all(&value)),
            known => known,
        }
    }

    /// Unifies the type `given` with `wanted` and stores the bindings. Returns false if it is not assignable.
    pub fn unify(&mut self, wanted: &Type, given: &Type) -> bool {
        if let (Type::Var(a), Type::Var(b)) = (wanted, given)
            && a == b
        {
            return true;
        }
        for (var, other) in [(wanted, given), (given, wanted)] {
            let Type::Var(at) = var else { continue };
            let other = self.resolve(other);
            if other == *var {
                return true;
            }
            let Some(found) = self.vars.get(*at).cloned().flatten() else {
                let is_inside = self.mentions(*at, &other);
                if !is_inside {
                    self.bind_variable(*at, other);
                }
                return !is_inside;
            };
            let fits = self.unify(&found, &other);
            // A type that is dynamic in one place is dynamic everywhere.
            if fits && other.is_dynamic() {
                self.bind_variable(*at, other);
            }
            return fits;
        }
        match (wanted, given) {
            (a, b) if a.is_dynamic() || b.is_dynamic() => true,
            (Type::List(a), Type::List(b)) => self.unify(a, b),
            (Type::Map(a, x), Type::Map(b, y)) => self.unify(a, b) && self.unify(x, y),
            (a, b) => a == b,
        }
    }

    fn bind_variable(&mut self, at: usize, to: Type) {
        if let Some(slot) = self.vars.get_mut(at) {
            *slot = Some(to);
        }
    }

    fn mentions(&self, var: usize, of: &Type) -> bool {
        match self.resolve(of) {
            Type::Var(at) => at == var,
            Type::List(of) => self.mentions(var, &of),
            Type::Map(key, value) => self.mentions(var, &key) || self.mentions(var, &value),
            _ => false,
        }
    }
}
