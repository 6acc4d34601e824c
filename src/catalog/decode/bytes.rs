//! Fields that hold bytes in base64, as Go's `encoding/json` reads them.

use base64::{
    Engine as _,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

use super::{Decoder, fields::Fields};
use crate::catalog::{
    node::Value,
    problem::ProblemKind,
    span::{Span, Spanned},
};

impl Decoder {
    /// The bytes of a field; `None` where it is absent, or reported. Go also takes a list of numbers for bytes.
    pub(super) fn bytes(&mut self, fields: &Fields<'_>, key: &str) -> Option<Spanned<Vec<u8>>> {
        let node = fields.value(key)?;
        let read = match &node.value {
            Value::String(text) => match base64(text) {
                Some(bytes) => return Some(Spanned::new(bytes, node.span)),
                None => return self.not(node.span, fields.path(key), "base64"),
            },
            Value::List(items) => items
                .iter()
                .map(|item| match &item.value {
                    Value::Null => Some(0),
                    Value::Number(number) => number.0.parse().ok(),
                    _ => None,
                })
                .collect(),
            _ => None,
        };
        if read.is_none() {
            self.wrong_type(node.span, fields.path(key), "a string in base64");
        }
        read.map(|bytes| Spanned::new(bytes, node.span))
    }

    /// Reports that a string is not what it should be.
    pub(super) fn not<T>(&mut self, span: Span, field: String, expected: &'static str) -> Option<T> {
        self.problem(span, ProblemKind::BadEncoding { field, expected });
        None
    }
}

/// Base64 as Go's standard encoding reads it: padding is a must, spare bits do not matter, line breaks are skipped. `None`
/// where it is none.
pub fn base64(text: &str) -> Option<Vec<u8>> {
    let config = GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical);
    let engine = GeneralPurpose::new(&STANDARD, config);
    if text.contains(['\n', '\r']) {
        let packed: String = text.chars().filter(|c| !matches!(c, '\n' | '\r')).collect();
        return engine.decode(packed).ok();
    }
    engine.decode(text).ok()
}
