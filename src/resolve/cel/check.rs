//! Whether a rule compiles: cel-go's checker for what `olm.constraint` declares.

use cel::{
    IdedExpr,
    common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, LiteralValue, SelectExpr},
};

use super::{
    RuleError, functions,
    re2::{Unread, read},
    time::Zone,
    types::{Known, Type},
};

/// How deep an expression may be; cel-go's own limit of its parser.
const MAX_DEPTH: usize = 250;

/// Checks the types of an expression; it must give a boolean.
pub(super) fn check(expression: &IdedExpr) -> Result<(), RuleError> {
    let properties = Type::list(Type::map(Type::String, Type::Any));
    let mut checker = Checker {
        known: Known::default(),
        scope: vec![("properties", properties)],
        depth: 0,
        unsupported: None,
    };
    let found = checker.of(expression).map_err(RuleError::Type)?;
    match checker.known.settled(&found) {
        Type::Bool => checker.unsupported.map_or(Ok(()), |what| Err(RuleError::Unsupported(what))),
        other => Err(RuleError::NotBool(other.to_string())),
    }
}

struct Checker<'a> {
    known: Known,
    scope: Vec<(&'a str, Type)>,
    depth: usize,
    /// What nobody can work out here.
    unsupported: Option<String>,
}

type Found = Result<Type, String>;

impl<'a> Checker<'a> {
    fn of(&mut self, expression: &'a IdedExpr) -> Found {
        if self.depth >= MAX_DEPTH {
            return Err("it is nested too deeply".to_owned());
        }
        self.depth += 1;
        let found = self.inner(expression);
        self.depth -= 1;
        found
    }

    fn inner(&mut self, expression: &'a IdedExpr) -> Found {
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
            Expr::Ident(name) => self.ident(name),
            Expr::Select(select) => self.select(select),
            Expr::Call(call) => self.call(call),
            Expr::List(list) if list.optional_indices.is_empty() => {
                let mut item = None;
                for element in &list.elements {
                    let found = self.of(element)?;
                    item = Some(self.joined(item, found));
                }
                Ok(Type::list(item.unwrap_or_else(|| self.known.fresh())))
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
                    // No list or map is a key when it comes to that; its type in a type would double it each time.
                    let key = match self.of(&entry.key)? {
                        Type::List(_) | Type::Map(..) | Type::Var(_) => Type::Dyn,
                        key => key,
                    };
                    keys = Some(self.joined(keys, key));
                    let value = self.of(&entry.value)?;
                    values = Some(self.joined(values, value));
                }
                let keys = keys.unwrap_or_else(|| self.known.fresh());
                Ok(Type::map(keys, values.unwrap_or_else(|| self.known.fresh())))
            }
            Expr::Comprehension(gathered) => self.gathered(gathered),
            Expr::List(_) | Expr::Struct(_) | Expr::Unspecified => Err("this is not declared".to_owned()),
        }
    }

    /// The type of what may be either; values of any types may stand in one list.
    fn joined(&mut self, known: Option<Type>, next: Type) -> Type {
        match known {
            None => next,
            Some(known) => {
                let is_dynamic = matches!(self.known.known(&next), Type::Dyn | Type::Any);
                if self.known.fits(&known, &next) && !is_dynamic { known } else { Type::Dyn }
            }
        }
    }

    fn ident(&self, name: &str) -> Found {
        let found = self.scope.iter().rev().find(|(known, _)| *known == name.trim_start_matches('.'));
        match found {
            Some((_, found)) => Ok(found.clone()),
            None if functions::type_named(name).is_some() => Ok(Type::Meta),
            None => Err(format!("undeclared reference to '{name}'")),
        }
    }

    fn select(&mut self, select: &'a SelectExpr) -> Found {
        let operand = self.of(&select.operand)?;
        let field = match self.known.known(&operand) {
            Type::Map(_, value) => *value,
            Type::Dyn | Type::Any => Type::Dyn,
            Type::Var(_) => {
                self.known.fits(&operand, &Type::Dyn);
                Type::Dyn
            }
            other => return Err(format!("type '{other}' does not support field selection")),
        };
        Ok(if select.test { Type::Bool } else { field })
    }

    fn call(&mut self, call: &'a CallExpr) -> Found {
        let target = call.target.as_deref();
        let overloads: Vec<_> = functions::overloads(&call.func_name, target.is_some()).collect();
        if overloads.is_empty() && !functions::is_known(&call.func_name) {
            return Err(format!("undeclared reference to '{}'", call.func_name));
        }
        let mut given = Vec::with_capacity(call.args.len() + 1);
        for arg in target.into_iter().chain(&call.args) {
            given.push(self.of(arg)?);
        }
        if let Some(what) = unsupported(call) {
            self.unsupported.get_or_insert(what);
        }
        let mut result: Option<Type> = None;
        for overload in overloads.iter().filter(|overload| overload.takes.len() == given.len()) {
            let mut attempt = self.known.clone();
            let fresh = [attempt.fresh(), attempt.fresh()];
            let fits = overload.takes.iter().zip(&given).all(|(wanted, given)| {
                let wanted = functions::instance(wanted, &fresh);
                attempt.fits(&wanted, given)
            });
            if !fits {
                continue;
            }
            let gives = functions::instance(&overload.gives, &fresh);
            self.known = attempt;
            result = Some(match result {
                None => gives,
                Some(other) if self.known.settled(&other) == self.known.settled(&gives) => other,
                Some(_) => Type::Dyn,
            });
        }
        result.ok_or_else(|| {
            let given: Vec<String> = given.iter().map(|g| self.known.settled(g).to_string()).collect();
            format!("found no matching overload for '{}' applied to ({})", call.func_name, given.join(", "))
        })
    }

    fn gathered(&mut self, gathered: &'a ComprehensionExpr) -> Found {
        let range = self.of(&gathered.iter_range)?;
        let item = match self.known.known(&range) {
            Type::List(item) => *item,
            Type::Map(key, _) => *key,
            Type::Dyn => Type::Dyn,
            Type::Var(_) => {
                self.known.fits(&range, &Type::Dyn);
                Type::Dyn
            }
            other => return Err(format!("expression of type '{other}' cannot be range of a comprehension")),
        };
        if gathered.iter_var2.is_some() {
            return Err("macros with two variables are not declared".to_owned());
        }
        let start = self.of(&gathered.accu_init)?;
        let before = self.scope.len();
        self.scope.push((&gathered.accu_var, start.clone()));
        self.scope.push((&gathered.iter_var, item));
        let inside = self.inside(gathered, &start);
        self.scope.truncate(before);
        inside?;
        self.scope.push((&gathered.accu_var, start));
        let result = self.of(&gathered.result);
        self.scope.truncate(before);
        result
    }

    fn inside(&mut self, gathered: &'a ComprehensionExpr, start: &Type) -> Result<(), String> {
        let condition = self.of(&gathered.loop_cond)?;
        if !self.known.fits(&Type::Bool, &condition) {
            return Err("the condition of a macro must be bool".to_owned());
        }
        let step = self.of(&gathered.loop_step)?;
        if self.known.fits(start, &step) { Ok(()) } else { Err("a macro gives something else".to_owned()) }
    }
}

/// What is said of a call that olmap cannot work out whatever the properties are: the name of a time zone, or a pattern.
fn unsupported(call: &CallExpr) -> Option<String> {
    let Expr::Literal(LiteralValue::String(given)) = &call.args.last()?.expr else { return None };
    let given = given.inner();
    match call.func_name.as_str() {
        "matches" if read(given).err() == Some(Unread::Unknown) => {
            Some(format!("olmap does not read the pattern {given:?}"))
        }
        getter if getter.starts_with("get") && Zone::read(given) == Zone::Named => {
            Some(format!("olmap knows no time zones by name, such as {given:?}"))
        }
        _ => None,
    }
}
