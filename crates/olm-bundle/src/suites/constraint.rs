//! `olm.constraint` as opm checks it: a CEL expression with a boolean result.

#[cfg(feature = "cel")]
use cel::{
    Program,
    common::ast::{Expr, IdedExpr, LiteralValue, operators},
};

use crate::field_access::{node_at, text_at};
use olm_catalog::{Node, Value};

/// Maximum length of a rule in bytes. The CEL parser recurses on chains of `.a` or `+1`: 62 kB of them overflow
/// the stack. Real rules are much shorter.
const MAX_RULE: usize = 4 << 10;

/// Returns the error of a constraint.
pub(super) fn find_constraint_fault(constraint: &Node) -> Option<String> {
    let Some(cel) = node_at(constraint, &["cel"]).filter(|cel| matches!(cel.value, Value::Map(_))) else {
        return Some("olm.constraint: the field cel is missing".to_owned());
    };
    let rule = text_at(cel, &["rule"]);
    if rule.is_empty() {
        return Some("olm.constraint: the CEL rule is missing".to_owned());
    }
    if rule.len() > MAX_RULE {
        return Some("olm.constraint: the CEL rule is too long".to_owned());
    }
    find_rule_fault(&rule)
}

/// Returns the error of every rule, because a build without the feature `cel` cannot read any.
#[cfg(not(feature = "cel"))]
fn find_rule_fault(_rule: &str) -> Option<String> {
    Some(
        "olm.constraint: the CEL rule was not checked, because this build does not read CEL (feature `cel`)"
            .to_owned(),
    )
}

/// Returns the error of a rule.
#[cfg(feature = "cel")]
fn find_rule_fault(rule: &str) -> Option<String> {
    match Program::compile(rule) {
        Err(error) => Some(format!("olm.constraint: the CEL rule cannot be read: {error}")),
        Ok(program) if gives_boolean(program.expression(), &[]) => None,
        Ok(_) => Some("olm.constraint: the CEL rule must give true or false".to_owned()),
    }
}

/// Returns true if the result of an expression is certainly a boolean; `booleans` are the boolean variables.
#[cfg(feature = "cel")]
fn gives_boolean(expression: &IdedExpr, booleans: &[&str]) -> bool {
    match &expression.expr {
        Expr::Literal(literal) => matches!(literal, LiteralValue::Boolean(_)),
        Expr::Ident(name) => booleans.contains(&name.as_str()),
        // `has(a.b)`.
        Expr::Select(select) => select.test,
        Expr::Call(call) => match call.func_name.as_str() {
            operators::LOGICAL_AND
            | operators::LOGICAL_OR
            | operators::LOGICAL_NOT
            | operators::EQUALS
            | operators::NOT_EQUALS
            | operators::GREATER
            | operators::GREATER_EQUALS
            | operators::LESS
            | operators::LESS_EQUALS
            | operators::IN
            | operators::NOT_STRICTLY_FALSE
            | "startsWith"
            | "endsWith"
            | "contains"
            | "matches"
            | "bool" => true,
            operators::CONDITIONAL => {
                call.args.len() == 3 && call.args.iter().skip(1).all(|arm| gives_boolean(arm, booleans))
            }
            _ => false,
        },
        // `exists` and similar macros: the accumulator is initialized with a boolean.
        Expr::Comprehension(gathered) => {
            let mut known = booleans.to_vec();
            if gives_boolean(&gathered.accu_init, booleans) {
                known.push(&gathered.accu_var);
            }
            gives_boolean(&gathered.result, &known)
        }
        _ => false,
    }
}
