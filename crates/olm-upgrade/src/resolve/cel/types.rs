//! Types of expressions, and their unification.

use std::fmt;

/// The type of an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
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
pub struct Bindings {
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
