//! Type checker of rules, like cel-go's checker for the declarations of `olm.constraint`.

use cel::{
    IdedExpr,
    common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, LiteralValue, SelectExpr},
};

use super::{
    RuleError, functions,
    re2::{PatternError, compile},
    time::Zone,
    types::{Bindings, Type},
};

/// Maximum depth of an expression, which is the limit of cel-go's parser.
const MAX_DEPTH: usize = 250;

/// Checks the types of an expression, which must be a boolean.
pub(super) fn check_types(expression: &IdedExpr) -> Result<(), RuleError> {
    let properties = Type::list_of(Type::map_of(Type::String, Type::Any));
    let mut checker = Checker {
        known: Bindings::default(),
        scope: vec![("properties", properties)],
        depth: 0,
        unsupported: None,
    };
    let found = checker.type_of(expression).map_err(RuleError::Type)?;
    match checker.known.resolve_all(&found) {
        Type::Bool => checker.unsupported.map_or(Ok(()), |what| Err(RuleError::Unsupported(what))),
        other => Err(RuleError::NotBool(other.to_string())),
    }
}

struct Checker<'a> {
    known: Bindings,
    scope: Vec<(&'a str, Type)>,
    depth: usize,
    /// Part of the expression that olmap cannot evaluate.
    unsupported: Option<String>,
}

type TypeResult = Result<Type, String>;

impl<'a> Checker<'a> {
    fn type_of(&mut self, expression: &'a IdedExpr) -> TypeResult {
        if self.depth >= MAX_DEPTH {
            return Err("it is nested too deeply".to_owned());
        }
        self.depth += 1;
        let found = self.check_inner(expression);
        self.depth -= 1;
        found
    }

    fn check_inner(&mut self, expression: &'a IdedExpr) -> TypeResult {
        match &expression.expr {
            Expr::Literal(literal) => Ok(match literal {
                LiteralValue::Boolean(_) => Type::Bool,
                LiteralValue::Bytes(_) => Type::Bytes,
                LiteralValue::Double(_) => Type::Double,
                LiteralValue::Int(_) => Type::Int,
                LiteralValue::Null => Type::Null,
                LiteralValue::String(_) => Type::String,
                LiteralValue::UInt(_) => Type::Uint,
            }),
            Expr::Ident(name) => self.check_ident(name),
            Expr::Select(select) => self.check_select(select),
            Expr::Call(call) => self.check_call(call),
            Expr::List(list) if list.optional_indices.is_empty() => {
                let mut item = None;
                for element in &list.elements {
                    let found = self.type_of(element)?;
                    item = Some(self.join_types(item, found));
                }
                Ok(Type::list_of(item.unwrap_or_else(|| self.known.new_variable())))
            }
            Expr::Map(map) => {
                let (mut keys, mut values) = (None, None);
                for entry in &map.entries {
                    let EntryExpr::MapEntry(entry) = &entry.expr else {
                        return Err("a field in a map".to_owned());
                    };
                    if entry.optional {
                        return Err("optional values are not declared".to_owned());
                    }
                    // Lists and maps are never valid keys, and keeping their types would double the size with
                    // each level.
                    let key = match self.type_of(&entry.key)? {
                        Type::List(_) | Type::Map(..) | Type::Var(_) => Type::Dyn,
                        key => key,
                    };
                    keys = Some(self.join_types(keys, key));
                    let value = self.type_of(&entry.value)?;
                    values = Some(self.join_types(values, value));
                }
                let keys = keys.unwrap_or_else(|| self.known.new_variable());
                Ok(Type::map_of(keys, values.unwrap_or_else(|| self.known.new_variable())))
            }
            Expr::Comprehension(gathered) => self.check_comprehension(gathered),
            Expr::List(_) | Expr::Struct(_) | Expr::Unspecified => Err("this is not declared".to_owned()),
        }
    }

    /// Returns the common type of two values. A list may contain values of any types.
    fn join_types(&mut self, known: Option<Type>, next: Type) -> Type {
        match known {
            None => next,
            Some(known) => {
                let is_dynamic = matches!(self.known.resolve(&next), Type::Dyn | Type::Any);
                if self.known.unify(&known, &next) && !is_dynamic { known } else { Type::Dyn }
            }
        }
    }

    fn check_ident(&self, name: &str) -> TypeResult {
        let found = self.scope.iter().rev().find(|(known, _)| *known == name.trim_start_matches('.'));
        match found {
            Some((_, found)) => Ok(found.clone()),
            None if functions::find_type(name).is_some() => Ok(Type::Meta),
            None => Err(format!("undeclared reference to '{name}'")),
        }
    }

    fn check_select(&mut self, select: &'a SelectExpr) -> TypeResult {
        let operand = self.type_of(&select.operand)?;
        let field = match self.known.resolve(&operand) {
            Type::Map(_, value) => *value,
            Type::Dyn | Type::Any => Type::Dyn,
            Type::Var(_) => {
                self.known.unify(&operand, &Type::Dyn);
                Type::Dyn
            }
            other => return Err(format!("type '{other}' does not support field selection")),
        };
        Ok(if select.test { Type::Bool } else { field })
    }

    fn check_call(&mut self, call: &'a CallExpr) -> TypeResult {
        let target = call.target.as_deref();
        let overloads: Vec<_> = functions::overloads(&call.func_name, target.is_some()).collect();
        if overloads.is_empty() && !functions::is_known(&call.func_name) {
            return Err(format!("undeclared reference to '{}'", call.func_name));
        }
        let mut given = Vec::with_capacity(call.args.len() + 1);
        for arg in target.into_iter().chain(&call.args) {
            given.push(self.type_of(arg)?);
        }
        if let Some(what) = unsupported_reason(call) {
            self.unsupported.get_or_insert(what);
        }
        let mut result: Option<Type> = None;
        for overload in overloads.iter().filter(|overload| overload.parameters.len() == given.len()) {
            let mut attempt = self.known.clone();
            let fresh = [attempt.new_variable(), attempt.new_variable()];
            let fits = overload.parameters.iter().zip(&given).all(|(wanted, given)| {
                let wanted = functions::instantiate(wanted, &fresh);
                attempt.unify(&wanted, given)
            });
            if !fits {
                continue;
            }
            let gives = functions::instantiate(&overload.result, &fresh);
            self.known = attempt;
            result = Some(match result {
                None => gives,
                Some(other) if self.known.resolve_all(&other) == self.known.resolve_all(&gives) => other,
                Some(_) => Type::Dyn,
            });
        }
        result.ok_or_else(|| {
            let given: Vec<String> = given.iter().map(|g| self.known.resolve_all(g).to_string()).collect();
            format!("found no matching overload for '{}' applied to ({})", call.func_name, given.join(", "))
        })
    }

    fn check_comprehension(&mut self, gathered: &'a ComprehensionExpr) -> TypeResult {
        let range = self.type_of(&gathered.iter_range)?;
        let item = match self.known.resolve(&range) {
            Type::List(item) => *item,
            Type::Map(key, _) => *key,
            Type::Dyn => Type::Dyn,
            Type::Var(_) => {
                self.known.unify(&range, &Type::Dyn);
                Type::Dyn
            }
            other => return Err(format!("expression of type '{other}' cannot be range of a comprehension")),
        };
        if gathered.iter_var2.is_some() {
            return Err("macros with two variables are not declared".to_owned());
        }
        let start = self.type_of(&gathered.accu_init)?;
        let before = self.scope.len();
        self.scope.push((&gathered.accu_var, start.clone()));
        self.scope.push((&gathered.iter_var, item));
        let comprehension_body = self.check_comprehension_parts(gathered, &start);
        self.scope.truncate(before);
        comprehension_body?;
        self.scope.push((&gathered.accu_var, start));
        let result = self.type_of(&gathered.result);
        self.scope.truncate(before);
        result
    }

    fn check_comprehension_parts(
        &mut self,
        gathered: &'a ComprehensionExpr,
        start: &Type,
    ) -> Result<(), String> {
        let condition = self.type_of(&gathered.loop_cond)?;
        if !self.known.unify(&Type::Bool, &condition) {
            return Err("the condition of a macro must be bool".to_owned());
        }
        let step = self.type_of(&gathered.loop_step)?;
        if self.known.unify(start, &step) { Ok(()) } else { Err("a macro gives something else".to_owned()) }
    }
}

/// Returns the reason why olmap can never evaluate a call: a named time zone or an unknown pattern.
fn unsupported_reason(call: &CallExpr) -> Option<String> {
    let Expr::Literal(LiteralValue::String(given)) = &call.args.last()?.expr else { return None };
    let given = given.inner();
    match call.func_name.as_str() {
        "matches" if compile(given).err() == Some(PatternError::Unknown) => {
            Some(format!("olmap does not read the pattern {given:?}"))
        }
        getter if getter.starts_with("get") && Zone::parse(given) == Zone::Named => {
            Some(format!("olmap knows no time zones by name, such as {given:?}"))
        }
        _ => None,
    }
}
