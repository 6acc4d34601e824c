//! Types of expressions, and which may stand for which.

use std::fmt;

/// The type of an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    /// Known only when it is evaluated.
    Dyn,
    /// The value of a property: like [`Type::Dyn`], but nothing can be gathered over it.
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
    /// Found out by what it meets.
    Var(usize),
}

impl Type {
    /// A list of something.
    pub fn list(of: Self) -> Self {
        Self::List(Box::new(of))
    }

    /// A map from something to something.
    pub fn map(key: Self, value: Self) -> Self {
        Self::Map(Box::new(key), Box::new(value))
    }

    fn is_dynamic(&self) -> bool {
        matches!(self, Self::Dyn | Self::Any)
    }
}

/// As cel-go writes it.
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

/// What is known of the types that are found out.
#[derive(Clone, Debug, Default)]
pub struct Known {
    vars: Vec<Option<Type>>,
}

impl Known {
    /// A type to be found out.
    pub fn fresh(&mut self) -> Type {
        self.vars.push(None);
        Type::Var(self.vars.len() - 1)
    }

    /// The type as far as it is known, at its top.
    pub fn known(&self, of: &Type) -> Type {
        let mut of = of;
        while let Type::Var(at) = of {
            match self.vars.get(*at) {
                Some(Some(found)) => of = found,
                _ => break,
            }
        }
        of.clone()
    }

    /// The type with everything that was found out; what was not is dynamic.
    pub fn settled(&self, of: &Type) -> Type {
        match self.known(of) {
            Type::Var(_) => Type::Dyn,
            Type::List(of) => Type::list(self.settled(&of)),
            Type::Map(key, value) => Type::map(self.settled(&key), self.settled(&value)),
            known => known,
        }
    }

    /// Whether a value of the type `given` may stand where `wanted` is asked for; what follows is kept.
    pub fn fits(&mut self, wanted: &Type, given: &Type) -> bool {
        if let (Type::Var(a), Type::Var(b)) = (wanted, given)
            && a == b
        {
            return true;
        }
        for (var, other) in [(wanted, given), (given, wanted)] {
            let Type::Var(at) = var else { continue };
            let other = self.known(other);
            if other == *var {
                return true;
            }
            let Some(found) = self.vars.get(*at).cloned().flatten() else {
                let is_inside = self.mentions(*at, &other);
                if !is_inside {
                    self.bind(*at, other);
                }
                return !is_inside;
            };
            let fits = self.fits(&found, &other);
            // What is dynamic at times is dynamic.
            if fits && other.is_dynamic() {
                self.bind(*at, other);
            }
            return fits;
        }
        match (wanted, given) {
            (a, b) if a.is_dynamic() || b.is_dynamic() => true,
            (Type::List(a), Type::List(b)) => self.fits(a, b),
            (Type::Map(a, x), Type::Map(b, y)) => self.fits(a, b) && self.fits(x, y),
            (a, b) => a == b,
        }
    }

    fn bind(&mut self, at: usize, to: Type) {
        if let Some(slot) = self.vars.get_mut(at) {
            *slot = Some(to);
        }
    }

    fn mentions(&self, var: usize, of: &Type) -> bool {
        match self.known(of) {
            Type::Var(at) => at == var,
            Type::List(of) => self.mentions(var, &of),
            Type::Map(key, value) => self.mentions(var, &key) || self.mentions(var, &value),
            _ => false,
        }
    }
}
