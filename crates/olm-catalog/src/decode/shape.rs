//! Expected types of struct fields whose values are not used further. opm decodes all of an `olm.csv.metadata`,
//! so a number as its `displayName` makes it reject the catalog.

use super::{Decoder, fields::key_matches_field, path::Path};
use crate::node::{Node, Value};

/// Type that Go's `encoding/json` accepts for a field. `null` is always accepted and ignored.
pub(super) enum GoType {
    /// A string.
    Text,
    /// A boolean.
    Bool,
    /// A 32-bit integer.
    Int32,
    /// Any value.
    Any,
    /// A list with items of one type.
    List(&'static Self),
    /// A map with arbitrary keys and values of one type.
    Map(&'static Self),
    /// A struct; unknown keys are ignored.
    Struct(&'static [(&'static str, Self)]),
}

use GoType::{Any, Bool, Int32, List, Map, Struct, Text};

/// Type of the `properties` of a package or channel (operator-registry `alpha/property`, `Property`).
pub(super) const PROPERTIES: GoType = List(&Struct(&[("type", Text), ("value", Any)]));

/// Type of the value of `olm.csv.metadata` (operator-registry `alpha/property`, `CSVMetadata`).
pub(super) const CSV_METADATA: GoType = Struct(&[
    ("annotations", Map(&Text)),
    ("apiServiceDefinitions", Struct(&[("owned", List(&API_SERVICE)), ("required", List(&API_SERVICE))])),
    ("crdDescriptions", Struct(&[("owned", List(&CRD)), ("required", List(&CRD))])),
    ("description", Text),
    ("displayName", Text),
    ("installModes", List(&Struct(&[("type", Text), ("supported", Bool)]))),
    ("keywords", List(&Text)),
    ("labels", Map(&Text)),
    ("links", List(&LINK)),
    ("maintainers", List(&Struct(&[("name", Text), ("email", Text)]))),
    ("maturity", Text),
    ("minKubeVersion", Text),
    ("nativeAPIs", List(&Struct(&[("group", Text), ("version", Text), ("kind", Text)]))),
    ("provider", LINK),
]);

const LINK: GoType = Struct(&[("name", Text), ("url", Text)]);

const CRD: GoType = Struct(&[
    ("name", Text),
    ("version", Text),
    ("kind", Text),
    ("displayName", Text),
    ("description", Text),
    ("resources", List(&RESOURCE)),
    ("statusDescriptors", List(&DESCRIPTOR)),
    ("specDescriptors", List(&DESCRIPTOR)),
    ("actionDescriptors", List(&DESCRIPTOR)),
]);

const API_SERVICE: GoType = Struct(&[
    ("name", Text),
    ("group", Text),
    ("version", Text),
    ("kind", Text),
    ("deploymentName", Text),
    ("containerPort", Int32),
    ("displayName", Text),
    ("description", Text),
    ("resources", List(&RESOURCE)),
    ("statusDescriptors", List(&DESCRIPTOR)),
    ("specDescriptors", List(&DESCRIPTOR)),
    ("actionDescriptors", List(&DESCRIPTOR)),
]);

const RESOURCE: GoType = Struct(&[("name", Text), ("kind", Text), ("version", Text)]);

const DESCRIPTOR: GoType = Struct(&[
    ("path", Text),
    ("displayName", Text),
    ("description", Text),
    ("x-descriptors", List(&Text)),
    ("value", Any),
]);

impl Decoder {
    /// Reports every value with a wrong type. The depth of the shape bounds the recursion.
    pub(super) fn check_shape(&mut self, node: &Node, shape: &'static GoType, path: Path<'_>) {
        match (shape, &node.value) {
            (_, Value::Null) | (Any, _) | (Text, Value::String(_)) | (Bool, Value::Bool(_)) => {}
            (Int32, Value::Number(number)) if number.0.parse::<i32>().is_ok() => {}
            (List(inner), Value::List(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.check_shape(item, inner, Path::Item(&path, index));
                }
            }
            (Map(inner), Value::Map(members)) => {
                for member in members {
                    self.check_shape(&member.value, inner, Path::Key(&path, &member.key));
                }
            }
            (Struct(fields), Value::Map(members)) => {
                for member in members {
                    let field = fields.iter().find(|(name, _)| *name == member.key);
                    let field = field
                        .or_else(|| fields.iter().find(|(name, _)| key_matches_field(name, &member.key)));
                    if let Some((name, inner)) = field {
                        self.check_shape(&member.value, inner, Path::Key(&path, name));
                    }
                }
            }
            (Text, _) => self.report_wrong_type(node.span, path.format_dotted(), "a string"),
            (Bool, _) => self.report_wrong_type(node.span, path.format_dotted(), "a boolean"),
            (Int32, _) => {
                self.report_wrong_type(node.span, path.format_dotted(), "a whole number of 32 bits");
            }
            (List(_), _) => self.report_wrong_type(node.span, path.format_dotted(), "a list"),
            (Map(_) | Struct(_), _) => self.report_wrong_type(node.span, path.format_dotted(), "a map"),
        }
    }
}
