//! Interpreter of expressions, like cel-go's, with a limit on its steps.

use std::sync::Arc;

use cel::{
    IdedExpr,
    common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, LiteralValue, SelectExpr, operators},
};

use super::{
    compare, conversion, functions,
    patterns::Patterns,
    re2::PatternError,
    time::{Instant, Zone},
    value::{Map, Value},
};

/// Reason why an expression does not have a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EvalError {
    /// An error of CEL, which `&&` and `||` may ignore.
    Failed(&'static str),
    /// The step budget is used up, which nothing may ignore.
    OutOfSteps,
}

/// Error for arguments of types that no function accepts.
pub(super) const NO_OVERLOAD: EvalError = EvalError::Failed("no such overload");
const OVERFLOW: EvalError = EvalError::Failed("integer overflow");

pub(super) type Evaluated = Result<Value, EvalError>;

/// Takes steps from the budget. Fails if too few are left.
pub(super) fn spend_steps(left: &mut u64, steps: u64) -> Result<(), EvalError> {
    let after = left.checked_sub(steps);
    *left = after.unwrap_or_default();
    after.map(drop).ok_or(EvalError::OutOfSteps)
}

/// Returns true if a rule evaluates to true.
pub(super) fn holds(rule: &IdedExpr, patterns: &Patterns, properties: &Value, steps: &mut u64) -> bool {
    let mut eval = Eval { properties, patterns, scope: Vec::new(), steps };
    matches!(eval.evaluate(rule), Ok(Value::Bool(true)))
}

struct Eval<'a> {
    properties: &'a Value,
    patterns: &'a Patterns,
    /// Variables of macros, innermost last. An accumulated value may be an error that a later step
    /// ignores.
    scope: Vec<(&'a str, Evaluated)>,
    steps: &'a mut u64,
}

impl<'a> Eval<'a> {
    fn spend(&mut self, steps: usize) -> Result<(), EvalError> {
        spend_steps(self.steps, steps as u64)
    }

    /// Evaluates an expression. The checker has limited its depth.
    fn evaluate(&mut self, expression: &'a IdedExpr) -> Evaluated {
        self.spend(1)?;
        match &expression.expr {
            Expr::Literal(literal) => Ok(match literal {
                LiteralValue::Boolean(value) => Value::Bool(*value.inner()),
                LiteralValue::Bytes(value) => Value::Bytes(value.inner().into()),
                LiteralValue::Double(value) => Value::Double(*value.inner()),
                LiteralValue::Int(value) => Value::Int(*value.inner()),
                LiteralValue::Null => Value::Null,
                LiteralValue::String(value) => Value::String(value.inner().into()),
                LiteralValue::UInt(value) => Value::Uint(*value.inner()),
            }),
            Expr::Ident(name) => self.eval_ident(name),
            Expr::Select(select) => self.eval_select(select),
            Expr::Call(call) => self.eval_call(call),
            Expr::List(list) => {
                let items = list.elements.iter().map(|element| self.evaluate(element));
                Ok(Value::List(Arc::new(items.collect::<Result<_, _>>()?)))
            }
            Expr::Map(map) => {
                let mut pairs = Map::with_capacity(map.entries.len());
                for entry in &map.entries {
                    let EntryExpr::MapEntry(entry) = &entry.expr else { return Err(NO_OVERLOAD) };
                    let key = self.evaluate(&entry.key)?;
                    if !matches!(key, Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::String(_)) {
                        return Err(EvalError::Failed("unsupported key type"));
                    }
                    self.spend(pairs.len())?;
                    if Value::member(&pairs, &key).is_some() {
                        return Err(EvalError::Failed("repeated key"));
                    }
                    let value = self.evaluate(&entry.value)?;
                    pairs.push((key, value));
                }
                Ok(Value::Map(Arc::new(pairs)))
            }
            Expr::Comprehension(gathered) => self.eval_comprehension(gathered),
            Expr::Struct(_) | Expr::Unspecified => Err(NO_OVERLOAD),
        }
    }

    fn eval_ident(&self, name: &str) -> Evaluated {
        let plain = name.trim_start_matches('.');
        match self.scope.iter().rev().find(|(known, _)| *known == plain) {
            Some((_, given)) => given.clone(),
            None if plain == "properties" => Ok(self.properties.clone()),
            None => {
                functions::find_type(plain).map(Value::Type).ok_or(EvalError::Failed("no such attribute"))
            }
        }
    }

    fn eval_select(&mut self, select: &'a SelectExpr) -> Evaluated {
        let operand = self.evaluate(&select.operand)?;
        let Value::Map(map) = &operand else {
            // Only maps have fields.
            return if select.test { Ok(Value::Bool(false)) } else { Err(EvalError::Failed("no such key")) };
        };
        self.spend(map.len())?;
        let found = Value::member(map, &select.field.as_str().into());
        if select.test {
            return Ok(Value::Bool(found.is_some()));
        }
        found.ok_or(EvalError::Failed("no such key"))
    }

    fn eval_call(&mut self, call: &'a CallExpr) -> Evaluated {
        let name = call.func_name.as_str();
        match (name, call.args.as_slice()) {
            (operators::LOGICAL_AND, [a, b]) => return self.eval_logical(a, b, false),
            (operators::LOGICAL_OR, [a, b]) => return self.eval_logical(a, b, true),
            (operators::CONDITIONAL, [condition, yes, no]) => {
                return match self.evaluate(condition)? {
                    Value::Bool(true) => self.evaluate(yes),
                    Value::Bool(false) => self.evaluate(no),
                    _ => Err(NO_OVERLOAD),
                };
            }
            (operators::NOT_STRICTLY_FALSE, [of]) => {
                return match self.evaluate(of) {
                    Err(EvalError::OutOfSteps) => Err(EvalError::OutOfSteps),
                    given => Ok(Value::Bool(!matches!(given, Ok(Value::Bool(false))))),
                };
            }
            _ => {}
        }
        let mut args = Vec::with_capacity(call.args.len() + 1);
        for arg in call.target.as_deref().into_iter().chain(&call.args) {
            args.push(self.evaluate(arg)?);
        }
        // Functions of texts may read all of them.
        self.spend(args.iter().map(text_length).sum::<usize>() / 16)?;
        match args.as_slice() {
            [a] => Self::eval_unary(name, a),
            [a, b] => self.eval_binary(name, a, b),
            _ => Err(NO_OVERLOAD),
        }
    }

    /// Evaluates `&&` or `||`. The value that `decides`, which is false for `&&` and true for `||`,
    /// wins even over an error on the other side.
    fn eval_logical(&mut self, a: &'a IdedExpr, b: &'a IdedExpr, decides: bool) -> Evaluated {
        let bool = |given: Evaluated| match given {
            Ok(Value::Bool(value)) => Ok(value),
            Ok(_) => Err(NO_OVERLOAD),
            Err(fault) => Err(fault),
        };
        let first = bool(self.evaluate(a));
        if first == Ok(decides) || first == Err(EvalError::OutOfSteps) {
            return first.map(Value::Bool);
        }
        let second = bool(self.evaluate(b));
        if second == Ok(decides) || second == Err(EvalError::OutOfSteps) {
            return second.map(Value::Bool);
        }
        first.and(second).map(Value::Bool)
    }

    /// Evaluates a macro such as `all` or `exists`, which the parser expands to a loop.
    fn eval_comprehension(&mut self, comprehension: &'a ComprehensionExpr) -> Evaluated {
        let items = match self.evaluate(&comprehension.iter_range)? {
            Value::List(items) => items,
            Value::Map(map) => {
                self.spend(map.len())?;
                Arc::new(map.iter().map(|(key, _)| key.clone()).collect())
            }
            _ => return Err(NO_OVERLOAD),
        };
        let mut accumulator = self.evaluate(&comprehension.accu_init);
        let before = self.scope.len();
        for item in items.iter() {
            self.scope.push((&comprehension.accu_var, accumulator));
            self.scope.push((&comprehension.iter_var, Ok(item.clone())));
            let goes_on = self.evaluate(&comprehension.loop_cond);
            let step = match goes_on {
                Ok(Value::Bool(true)) => Some(self.evaluate(&comprehension.loop_step)),
                Err(EvalError::OutOfSteps) => Some(Err(EvalError::OutOfSteps)),
                _ => None,
            };
            let so_far = self.scope.get(before).map_or(Err(NO_OVERLOAD), |(_, given)| given.clone());
            self.scope.truncate(before);
            match step {
                Some(Err(EvalError::OutOfSteps)) => return Err(EvalError::OutOfSteps),
                Some(step) => accumulator = step,
                None => {
                    accumulator = so_far;
                    break;
                }
            }
        }
        self.scope.push((&comprehension.accu_var, accumulator));
        let result = self.evaluate(&comprehension.result);
        self.scope.truncate(before);
        result
    }

    fn eval_unary(name: &str, a: &Value) -> Evaluated {
        match (name, a) {
            (operators::LOGICAL_NOT, Value::Bool(value)) => Ok(Value::Bool(!value)),
            (operators::NEGATE, Value::Int(n)) => n.checked_neg().map(Value::Int).ok_or(OVERFLOW),
            (operators::NEGATE, Value::Double(n)) => Ok(Value::Double(-n)),
            ("size", Value::String(text)) => Ok(Value::Int(text.chars().count() as i64)),
            ("size", Value::Bytes(bytes)) => Ok(Value::Int(bytes.len() as i64)),
            ("size", Value::List(items)) => Ok(Value::Int(items.len() as i64)),
            ("size", Value::Map(map)) => Ok(Value::Int(map.len() as i64)),
            ("type", of) => Ok(Value::Type(of.type_name())),
            ("dyn", of) => Ok(of.clone()),
            ("getHours" | "getMinutes" | "getSeconds" | "getMilliseconds", Value::Duration(nanos)) => {
                let unit = match name {
                    "getHours" => 3_600_000_000_000,
                    "getMinutes" => 60_000_000_000,
                    "getSeconds" => 1_000_000_000,
                    _ => 1_000_000,
                };
                Ok(Value::Int(nanos / unit))
            }
            (getter, Value::Timestamp(at)) if at.getter_value(getter).is_some() => {
                Ok(Value::Int(at.getter_value(getter).unwrap_or_default()))
            }
            (_, of) => conversion::convert_value(name, of),
        }
    }

    /// Uses up the step budget, because cel-go has an answer that olmap cannot compute.
    fn give_up(&mut self) -> Evaluated {
        *self.steps = 0;
        Err(EvalError::OutOfSteps)
    }

    fn eval_binary(&mut self, name: &str, a: &Value, b: &Value) -> Evaluated {
        if let (Value::Timestamp(at), Value::String(zone)) = (a, b)
            && at.getter_value(name).is_some()
        {
            return match Zone::parse(zone) {
                Zone::Offset(offset) => at
                    .at_offset(offset)
                    .getter_value(name)
                    .map(Value::Int)
                    .ok_or(EvalError::Failed("no such time")),
                Zone::Bad => Err(EvalError::Failed("no such time zone")),
                Zone::Named => self.give_up(),
            };
        }
        match name {
            operators::EQUALS => compare::values_equal(a, b, self.steps).map(Value::Bool),
            operators::NOT_EQUALS => compare::values_equal(a, b, self.steps).map(|same| Value::Bool(!same)),
            operators::LESS | operators::LESS_EQUALS | operators::GREATER | operators::GREATER_EQUALS => {
                let Some(order) = compare::compare_values(a, b) else {
                    let are_numbers =
                        [a, b].iter().all(|v| matches!(v, Value::Int(_) | Value::Uint(_) | Value::Double(_)));
                    return if are_numbers { Ok(Value::Bool(false)) } else { Err(NO_OVERLOAD) };
                };
                Ok(Value::Bool(match name {
                    operators::LESS => order.is_lt(),
                    operators::LESS_EQUALS => order.is_le(),
                    operators::GREATER => order.is_gt(),
                    _ => order.is_ge(),
                }))
            }
            operators::IN => match b {
                Value::List(items) => {
                    for item in items.iter() {
                        if compare::values_equal(a, item, self.steps)? {
                            return Ok(Value::Bool(true));
                        }
                    }
                    Ok(Value::Bool(false))
                }
                Value::Map(map) => {
                    self.spend(map.len())?;
                    Ok(Value::Bool(Value::member(map, a).is_some()))
                }
                _ => Err(NO_OVERLOAD),
            },
            operators::INDEX => self.eval_index(a, b),
            operators::ADD => self.eval_sum(a, b),
            "semver_compare" => conversion::semver_compare(a, b),
            "contains" | "startsWith" | "endsWith" | "matches" => {
                let (Value::String(a), Value::String(b)) = (a, b) else { return Err(NO_OVERLOAD) };
                Ok(Value::Bool(match name {
                    "contains" => a.contains(&**b),
                    "startsWith" => a.starts_with(&**b),
                    "endsWith" => a.ends_with(&**b),
                    _ => {
                        self.spend(1 + a.len() / 4)?;
                        if !self.patterns.contains(b) {
                            self.spend(1000)?;
                        }
                        match self.patterns.get(b) {
                            Ok(pattern) => pattern.is_match(a),
                            Err(PatternError::Bad) => return Err(EvalError::Failed("bad pattern")),
                            Err(PatternError::Unknown) => return self.give_up(),
                        }
                    }
                }))
            }
            _ => eval_arithmetic(name, a, b),
        }
    }

    fn eval_index(&mut self, of: &Value, at: &Value) -> Evaluated {
        match of {
            Value::List(items) => {
                let at = match at {
                    Value::Int(at) => usize::try_from(*at).ok(),
                    Value::Uint(at) => usize::try_from(*at).ok(),
                    Value::Double(at) if *at >= 0.0 && at.fract() == 0.0 => Some(*at as usize),
                    Value::Double(_) => None,
                    _ => return Err(NO_OVERLOAD),
                };
                let item = at.and_then(|at| items.get(at));
                item.cloned().ok_or(EvalError::Failed("index out of bounds"))
            }
            Value::Map(map) => {
                self.spend(map.len())?;
                Value::member(map, at).ok_or(EvalError::Failed("no such key"))
            }
            _ => Err(NO_OVERLOAD),
        }
    }

    /// Evaluates `+`, which can make values longer.
    fn eval_sum(&mut self, a: &Value, b: &Value) -> Evaluated {
        match (a, b) {
            (Value::String(a), Value::String(b)) => Ok(Value::String(format!("{a}{b}").into())),
            (Value::Bytes(a), Value::Bytes(b)) => Ok(Value::Bytes([&**a, &**b].concat().into())),
            (Value::List(a), Value::List(b)) => {
                self.spend(a.len() + b.len())?;
                Ok(Value::List(Arc::new(a.iter().chain(b.iter()).cloned().collect())))
            }
            _ => eval_arithmetic(operators::ADD, a, b),
        }
    }
}

/// Returns the length of a text in bytes.
fn text_length(of: &Value) -> usize {
    match of {
        Value::String(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        _ => 0,
    }
}

fn eval_arithmetic(name: &str, a: &Value, b: &Value) -> Evaluated {
    let zero = EvalError::Failed("division by zero");
    let time = |at: Option<Instant>| at.map(Value::Timestamp).ok_or(OVERFLOW);
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => {
            let result = match name {
                operators::ADD => a.checked_add(*b),
                operators::SUBSTRACT => a.checked_sub(*b),
                operators::MULTIPLY => a.checked_mul(*b),
                operators::DIVIDE | operators::MODULO if *b == 0 => return Err(zero),
                operators::DIVIDE => a.checked_div(*b),
                operators::MODULO => a.checked_rem(*b),
                _ => return Err(NO_OVERLOAD),
            };
            result.map(Value::Int).ok_or(OVERFLOW)
        }
        (Value::Uint(a), Value::Uint(b)) => {
            let result = match name {
                operators::ADD => a.checked_add(*b),
                operators::SUBSTRACT => a.checked_sub(*b),
                operators::MULTIPLY => a.checked_mul(*b),
                operators::DIVIDE | operators::MODULO if *b == 0 => return Err(zero),
                operators::DIVIDE => a.checked_div(*b),
                operators::MODULO => a.checked_rem(*b),
                _ => return Err(NO_OVERLOAD),
            };
            result.map(Value::Uint).ok_or(OVERFLOW)
        }
        (Value::Double(a), Value::Double(b)) => match name {
            operators::ADD => Ok(Value::Double(a + b)),
            operators::SUBSTRACT => Ok(Value::Double(a - b)),
            operators::MULTIPLY => Ok(Value::Double(a * b)),
            operators::DIVIDE => Ok(Value::Double(a / b)),
            _ => Err(NO_OVERLOAD),
        },
        (Value::Duration(a), Value::Duration(b)) => {
            let result = match name {
                operators::ADD => a.checked_add(*b),
                operators::SUBSTRACT => a.checked_sub(*b),
                _ => return Err(NO_OVERLOAD),
            };
            result.map(Value::Duration).ok_or(OVERFLOW)
        }
        (Value::Timestamp(a), Value::Duration(b)) => match name {
            operators::ADD => time(a.checked_add(i128::from(*b))),
            operators::SUBSTRACT => time(a.checked_add(-i128::from(*b))),
            _ => Err(NO_OVERLOAD),
        },
        (Value::Duration(a), Value::Timestamp(b)) if name == operators::ADD => {
            time(b.checked_add(i128::from(*a)))
        }
        (Value::Timestamp(a), Value::Timestamp(b)) if name == operators::SUBSTRACT => {
            let between = i64::try_from(a.since(*b)).ok();
            between.map(Value::Duration).ok_or(OVERFLOW)
        }
        _ => Err(NO_OVERLOAD),
    }
}
