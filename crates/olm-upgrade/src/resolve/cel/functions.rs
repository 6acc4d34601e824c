//! Declared functions with their types: cel-go's standard library and `semver_compare`.

use cel::common::ast::operators;

use super::types::Type;

/// An overload of a function. [`Type::Var`] 0 and 1 are type variables.
pub struct Overload {
    name: &'static str,
    is_member: bool,
    /// Types of the parameters; the target of a member function comes first.
    pub parameters: Vec<Type>,
    /// Type of the result.
    pub result: Type,
}

/// Iterates over the overloads of a function.
pub fn overloads(name: &str, is_member: bool) -> impl Iterator<Item = &'static Overload> {
    all_overloads().iter().filter(move |overload| overload.name == name && overload.is_member == is_member)
}

/// Returns true if there is a function with the name, as a member or not.
pub fn is_known(name: &str) -> bool {
    all_overloads().iter().any(|overload| overload.name == name)
}

/// Replaces the type variables of an overload with fresh ones.
pub fn instantiate(of: &Type, fresh: &[Type; 2]) -> Type {
    match of {
        Type::Var(at) => fresh.get(*at).cloned().unwrap_or(Type::Dyn),
        Type::List(of) => Type::list_of(instantiate(of, fresh)),
        Type::Map(key, value) => Type::map_of(instantiate(key, fresh), instantiate(value, fresh)),
        other => other.clone(),
    }
}

/// Returns the type with a name.
pub fn find_type(name: &str) -> Option<&'static str> {
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
