//! Which problems are alike: a finding that speaks of one of them can stand for the others.

use std::mem::{Discriminant, discriminant};

use super::{ProblemKind, is_in_property_value};
use crate::catalog::{meta::MetaErrorKind, text::read_error::ReadErrorKind};

/// What problems have in common that are reported by one rule, and that mean the same for what is around them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Sort<'a> {
    kind: Discriminant<ProblemKind>,
    syntax: Option<Discriminant<ReadErrorKind>>,
    meta: Option<Discriminant<MetaErrorKind>>,
    /// The field of the blob it is in.
    field: &'a str,
    /// Whether it is in a part of that, whether that looks like a property's value, and whether it is one.
    within: [bool; 3],
}

impl ProblemKind {
    /// What it has in common with others.
    pub(super) fn sort(&self) -> Sort<'_> {
        let field = match self {
            Self::WrongType { field, .. } | Self::Missing { field } | Self::BadEncoding { field, .. } => {
                field
            }
            // Stands in for what may not be quoted, which comes in two sorts.
            Self::Unquoted { stops_opm: true } => "stops opm",
            // Nothing is lost, so that it is a note.
            Self::DuplicateKey { is_same: true, .. } => "same value",
            _ => "",
        };
        let head = field.find(['.', '[']).map_or(field, |end| &field[..end]);
        Sort {
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
