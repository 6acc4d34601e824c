//! Groups of similar problems: a finding about one of them can represent the others.

use std::mem::{Discriminant, discriminant};

use super::{ProblemKind, is_in_property_value};
use crate::{meta::MetaErrorKind, text::read_error::ReadErrorKind};

/// Common part of problems that one rule reports and that have the same consequences.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct ProblemGroup<'a> {
    kind: Discriminant<ProblemKind>,
    syntax: Option<Discriminant<ReadErrorKind>>,
    meta: Option<Discriminant<MetaErrorKind>>,
    /// Field of the blob that contains the problem.
    field: &'a str,
    /// True if it is in a part of the field, if that looks like a property's value, and if it is one.
    within: [bool; 3],
}

impl ProblemKind {
    /// Returns the group of the problem.
    pub(super) fn group(&self) -> ProblemGroup<'_> {
        let field = match self {
            Self::WrongType { field, .. } | Self::Missing { field } | Self::BadEncoding { field, .. } => {
                field
            }
            // Placeholder for problems that must not be quoted, in two groups.
            Self::Unquoted { stops_opm: true } => "stops opm",
            // A note, because no data is lost.
            Self::DuplicateKey { is_same: true, .. } => "same value",
            _ => "",
        };
        let head = field.find(['.', '[']).map_or(field, |end| &field[..end]);
        ProblemGroup {
            kind: discriminant(self),
            syntax: match self {
                Self::Syntax(error) => Some(discriminant(&error.kind)),
                _ => None,
            },
            meta: match self {
                Self::Meta(error) => Some(discriminant(&error.kind)),
                _ => None,
            },
            field: head,
            within: [head.len() < field.len(), field.contains(".value"), is_in_property_value(field)],
        }
    }
}
