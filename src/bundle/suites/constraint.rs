//! `olm.constraint` as opm judges it: a CEL expression that gives a boolean.

use cel::{
    Program,
    common::ast::{Expr, IdedExpr, LiteralValue, operators},
};

use crate::{
    bundle::read::{at, text},
    catalog::{Node, Value},
};

/// The longest rule that is looked at, in bytes. The reader of CEL goes as deep as a chain of `.a` or `+1` is long, on the stack:
/// 62 kB of it end the program. Nobody writes a tenth of this.
const MAX_RULE: usize = 4 << 10;

/// What is wrong with a constraint.
pub(super) fn fault(constraint: &Node) -> Option<String> {
    let Some(cel) = at(constraint, &["cel"]).filter(|cel| matches!(cel.value, Value::Map(_))) else {
        return Some("olm.constraint: the field cel is missing".to_owned());
    };
    let rule = text(cel, &["rule"]);
    if rule.is_empty() {
        return Some("olm.constraint: the CEL rule is missing".to_owned());
    }
    if rule.len() > MAX_RULE {
        return Some("olm.constraint: the CEL rule is too long".to_owned());
    }
    match Program::compile(&rule) {
        Err(error) => Some(format!("olm.constraint: the CEL rule cannot be read: {error}")),
        Ok(program) if gives_boolean(program.expression(), &[]) => None,
        Ok(_) => Some("olm.constraint: the CEL rule must give true or false".to_owned()),
    }
}

/// Whether an expression gives a boolean for certain; `booleans` are the variables that hold one.
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
        // `exists` and the like: what they gather begins as a boolean.
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
