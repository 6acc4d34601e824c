//! Dependencies of a bundle, as predicates on entries.
//!
//! Source: operator-lifecycle-manager `resolver/cache/predicates.go`, `resolver/source_registry.go`,
//! operator-framework/api `pkg/constraints`. A dependency that cannot be read fails every resolution that
//! reaches it. So each fault has a message, and each requirement has a location.

use std::fmt;

use super::{cel, entry::EntryView};
use olm_catalog::{Node, blob::Gvk, node::Value};
use olm_version::blang;

/// Size limit of an `olm.constraint` in OLM, in bytes of JSON.
const MAX_CONSTRAINT: usize = 131_072;
/// Maximum depth of constraints in olmap; real constraints are far shallower.
const MAX_DEPTH: usize = 64;

/// A predicate on an entry.
#[derive(Clone, Debug)]
pub enum Predicate {
    /// The entry provides an API: `olm.gvk`.
    Gvk(Gvk),
    /// The entry belongs to a package, with a version in a blang range.
    Package {
        /// Name of the package.
        name: String,
        /// The parsed range.
        range: blang::Range,
        /// The range as written.
        text: String,
    },
    /// The entry has an `olm.label`.
    Label(String),
    /// All of the predicates are true.
    All(Vec<Predicate>),
    /// At least one of the predicates is true.
    Any(Vec<Predicate>),
    /// None of the predicates is true.
    Not(Vec<Predicate>),
    /// A rule on the properties accepts the entry.
    Cel {
        /// The rule.
        rule: cel::Rule,
        /// Message of the author for a failure.
        message: String,
    },
}

/// Reason why a dependency cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RequirementError {
    /// blang cannot parse the range.
    #[error("cannot read the range {text:?}: {reason}")]
    Range {
        /// Range as written.
        text: String,
        /// Reason.
        reason: String,
    },
    /// OLM does not know the field.
    #[error("unknown field {0:?}")]
    UnknownField(String),
    /// A value has a wrong type.
    #[error("{field} must be {expected}")]
    WrongType {
        /// Name of the field.
        field: String,
        /// Expected type.
        expected: &'static str,
    },
    /// The constraint is empty.
    #[error("the constraint is empty")]
    Empty,
    /// The constraint exceeds OLM's size limit.
    #[error("the constraint has more than {MAX_CONSTRAINT} bytes")]
    TooLong,
    /// The constraint exceeds olmap's maximum depth.
    #[error("constraints are nested deeper than {MAX_DEPTH}, and olmap reads no more")]
    TooDeep,
    /// The rule does not compile.
    #[error(transparent)]
    Cel(#[from] cel::RuleError),
}

impl RequirementError {
    /// Returns true if OLM can read the dependency, and only olmap cannot.
    pub fn is_own_limit(&self) -> bool {
        matches!(self, Self::TooDeep | Self::Cel(cel::RuleError::TooLong(_) | cel::RuleError::Unsupported(_)))
    }
}

impl Predicate {
    /// Creates a predicate for a package in a range.
    ///
    /// # Errors
    ///
    /// If blang cannot parse the range.
    pub fn for_package(name: &str, text: &str) -> Result<Self, RequirementError> {
        let range = blang::Range::parse(text)
            .map_err(|error| RequirementError::Range { text: text.to_owned(), reason: error.to_string() })?;
        Ok(Self::Package { name: name.to_owned(), range, text: text.to_owned() })
    }

    /// Parses the value of a property; `None` if its type is not a requirement.
    ///
    /// # Errors
    ///
    /// If OLM cannot read it.
    pub fn from_property(kind: &str, value: &Node<'_>) -> Option<Result<Self, RequirementError>> {
        Some(match kind {
            "olm.gvk.required" => parse_gvk(value, false).map(Self::Gvk),
            "olm.package.required" => {
                parse_package(value, false).and_then(|(name, range)| Self::for_package(&name, &range))
            }
            "olm.label.required" => Fields::new(value, kind, &["label"], false)
                .and_then(|f| f.string_field("label"))
                .map(Self::Label),
            "olm.constraint" => {
                // This check is cheap: a short value in the document is short as JSON.
                let written = value.span.range().len();
                if written > MAX_CONSTRAINT / 2 && json_length(value, 0) > MAX_CONSTRAINT {
                    Err(RequirementError::TooLong)
                } else {
                    check_decodable(value, 0).and_then(|()| parse_constraint(value))
                }
            }
            _ => return None,
        })
    }

    /// Returns true if the predicate holds for an entry. Each evaluation takes from `steps`.
    pub fn holds(&self, of: EntryView<'_>, steps: &mut u64) -> bool {
        *steps = steps.saturating_sub(1);
        match self {
            Self::Gvk(gvk) => of.facts.provides.contains(gvk),
            Self::Package { name, range, .. } => {
                of.is_in_package(name) && of.versions().any(|v| range.matches(v))
            }
            Self::Label(label) => of.facts.labels.contains(label),
            Self::All(inner) => inner.iter().all(|predicate| predicate.holds(of, steps)),
            Self::Any(inner) => inner.iter().any(|predicate| predicate.holds(of, steps)),
            Self::Not(inner) => !inner.iter().any(|predicate| predicate.holds(of, steps)),
            Self::Cel { rule, .. } => {
                let Some(properties) = of.properties() else {
                    // olmap cannot read properties of this depth, so the result is unknown.
                    *steps = 0;
                    return false;
                };
                rule.holds(properties, steps)
            }
        }
    }
}

impl Predicate {
    /// Returns a key that is equal only for equal predicates.
    pub fn cache_key(&self) -> String {
        let mut key = String::new();
        self.write_key(&mut key);
        key
    }

    fn write_key(&self, key: &mut String) {
        let mut part = |tag: char, text: &str| {
            key.push(tag);
            key.push_str(&text.len().to_string());
            key.push(':');
            key.push_str(text);
        };
        let inner = match self {
            Self::Gvk(gvk) => {
                part('g', &gvk.group);
                part('v', &gvk.version);
                return part('k', &gvk.kind);
            }
            Self::Package { name, text, .. } => {
                part('p', name);
                return part('r', text);
            }
            Self::Label(label) => return part('l', label),
            Self::Cel { rule, .. } => return part('c', rule.text()),
            Self::All(inner) => ('&', inner),
            Self::Any(inner) => ('|', inner),
            Self::Not(inner) => ('!', inner),
        };
        key.push(inner.0);
        key.push('(');
        inner.1.iter().for_each(|predicate| predicate.write_key(key));
        key.push(')');
    }
}

/// Formats the predicate in words: `package b in >=1.0.0`, `API ex.io/v1 B`.
impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let several = |f: &mut fmt::Formatter<'_>, inner: &[Self], between: &str, none: &str| {
            if inner.is_empty() {
                return f.write_str(none);
            }
            for (at, predicate) in inner.iter().enumerate() {
                if at > 0 {
                    f.write_str(between)?;
                }
                match predicate {
                    Self::All(inner) | Self::Any(inner) if inner.len() > 1 => write!(f, "({predicate})")?,
                    _ => write!(f, "{predicate}")?,
                }
            }
            Ok(())
        };
        match self {
            Self::Gvk(gvk) => write!(f, "API {gvk}"),
            Self::Package { name, text, .. } => write!(f, "package {name} in {text}"),
            Self::Label(label) => write!(f, "label {label}"),
            Self::All(inner) => several(f, inner, " and ", "anything"),
            Self::Any(inner) => several(f, inner, " or ", "one of nothing"),
            Self::Not(inner) => {
                f.write_str("something that is not ")?;
                several(f, inner, " and not ", "anything")
            }
            Self::Cel { rule, message } if message.is_empty() => write!(f, "CEL {}", rule.text()),
            Self::Cel { message, .. } => write!(f, "{message:?} (a CEL rule)"),
        }
    }
}

/// Members of an object as Go's JSON decoder finds them: keys in any case, null as absent.
struct Fields<'n, 'a> {
    node: &'n Node<'a>,
    name: String,
}

impl<'n, 'a> Fields<'n, 'a> {
    fn new(node: &'n Node<'a>, name: &str, known: &[&str], strict: bool) -> Result<Self, RequirementError> {
        if !matches!(node.value, Value::Map(_) | Value::Null) {
            return Err(RequirementError::WrongType { field: name.to_owned(), expected: "an object" });
        }
        let is_known = |key: &str| known.iter().any(|known| known.eq_ignore_ascii_case(key));
        match node.members().iter().find(|member| strict && !is_known(&member.key)) {
            Some(unknown) => Err(RequirementError::UnknownField(unknown.key.to_string())),
            None => Ok(Self { node, name: name.to_owned() }),
        }
    }

    fn get(&self, key: &str) -> Option<&'n Node<'a>> {
        let found = self.node.members().iter().rev().find(|member| member.key.eq_ignore_ascii_case(key));
        found.map(|member| &member.value).filter(|value| !value.is_null())
    }

    fn string_field(&self, key: &str) -> Result<String, RequirementError> {
        let Some(value) = self.get(key) else { return Ok(String::new()) };
        value.as_str().map(str::to_owned).ok_or_else(|| RequirementError::WrongType {
            field: format!("{}.{key}", self.name),
            expected: "a string",
        })
    }
}

fn parse_gvk(value: &Node<'_>, strict: bool) -> Result<Gvk, RequirementError> {
    let fields = Fields::new(value, "gvk", &["group", "version", "kind"], strict)?;
    Ok(Gvk {
        group: fields.string_field("group")?,
        version: fields.string_field("version")?,
        kind: fields.string_field("kind")?,
    })
}

fn parse_package(value: &Node<'_>, strict: bool) -> Result<(String, String), RequirementError> {
    let fields = Fields::new(value, "package", &["packageName", "versionRange"], strict)?;
    Ok((fields.string_field("packageName")?, fields.string_field("versionRange")?))
}

/// Constructor of a compound constraint.
type Compound = fn(Vec<Predicate>) -> Predicate;
const COMPOUNDS: [(&str, Compound); 3] =
    [("all", Predicate::All), ("any", Predicate::Any), ("not", Predicate::Not)];

fn constraint_fields<'n, 'a>(value: &'n Node<'a>) -> Result<Fields<'n, 'a>, RequirementError> {
    Fields::new(value, "constraint", &["failureMessage", "gvk", "package", "all", "any", "not", "cel"], true)
}

/// Checks whether Go can decode the value. A mistake counts even in a part that has no effect.
fn check_decodable(value: &Node<'_>, depth: usize) -> Result<(), RequirementError> {
    if depth > MAX_DEPTH {
        return Err(RequirementError::TooDeep);
    }
    let fields = constraint_fields(value)?;
    fields.string_field("failureMessage")?;
    fields.get("gvk").map_or(Ok(()), |value| parse_gvk(value, true).map(drop))?;
    fields.get("package").map_or(Ok(()), |value| parse_package(value, true).map(drop))?;
    fields.get("cel").map_or(Ok(()), |value| parse_rule(value).map(drop))?;
    for (key, _) in COMPOUNDS {
        for inner in fields.get(key).map_or(Ok(&[][..]), |value| inner_constraints(value, key))? {
            check_decodable(inner, depth + 1)?;
        }
    }
    Ok(())
}

/// Parses a constraint. The first member that is set wins, in OLM's order.
fn parse_constraint(value: &Node<'_>) -> Result<Predicate, RequirementError> {
    let fields = constraint_fields(value)?;
    if let Some(value) = fields.get("gvk") {
        return parse_gvk(value, true).map(Predicate::Gvk);
    }
    if let Some(value) = fields.get("package") {
        let (name, range) = parse_package(value, true)?;
        return Predicate::for_package(&name, &range);
    }
    for (key, make) in COMPOUNDS {
        if let Some(value) = fields.get(key) {
            let inner = inner_constraints(value, key)?.iter().map(parse_constraint);
            return Ok(make(inner.collect::<Result<_, _>>()?));
        }
    }
    match fields.get("cel") {
        Some(value) => Ok(Predicate::Cel {
            rule: cel::Rule::compile(&parse_rule(value)?)?,
            message: fields.string_field("failureMessage")?,
        }),
        None => Err(RequirementError::Empty),
    }
}

fn parse_rule(value: &Node<'_>) -> Result<String, RequirementError> {
    Fields::new(value, "cel", &["rule"], true)?.string_field("rule")
}

fn inner_constraints<'n, 'a>(compound: &'n Node<'a>, key: &str) -> Result<&'n [Node<'a>], RequirementError> {
    match Fields::new(compound, key, &["constraints"], true)?.get("constraints") {
        None => Ok(&[]),
        Some(list) if matches!(list.value, Value::List(_)) => Ok(list.items()),
        Some(_) => {
            Err(RequirementError::WrongType { field: format!("{key}.constraints"), expected: "a list" })
        }
    }
}

/// Returns the approximate length of a value as compact JSON, without escapes.
fn json_length(node: &Node<'_>, depth: usize) -> usize {
    if depth > 4 * MAX_DEPTH {
        return 0;
    }
    match &node.value {
        Value::Null => 4,
        Value::Bool(value) => 5 - usize::from(*value),
        Value::Number(number) => number.0.len(),
        Value::String(text) => text.len() + 2,
        Value::List(items) => 1 + items.iter().map(|item| json_length(item, depth + 1) + 1).sum::<usize>(),
        Value::Map(members) => {
            let one = |m: &olm_catalog::Member<'_>| m.key.len() + 4 + json_length(&m.value, depth + 1);
            1 + members.iter().map(one).sum::<usize>()
        }
    }
}
