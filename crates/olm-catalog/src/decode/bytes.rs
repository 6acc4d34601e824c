//! Fields with base64 data, decoded like Go's `encoding/json`.

use base64::{
    Engine as _,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

use super::{Decoder, fields::Fields};
use crate::{
    node::Value,
    problem::ProblemKind,
    span::{Span, Spanned},
};

impl Decoder {
    /// Returns the bytes of a field; `None` if it is absent or invalid. Go also accepts a list of numbers.
    pub(super) fn bytes_field(&mut self, fields: &Fields<'_>, key: &str) -> Option<Spanned<Vec<u8>>> {
        let node = fields.non_null_value(key)?;
        let read = match &node.value {
            Value::String(text) => match decode_base64(text) {
                Some(bytes) => return Some(Spanned::new(bytes, node.span)),
                None => return self.report_bad_encoding(node.span, fields.field_path(key), "base64"),
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
            self.report_wrong_type(node.span, fields.field_path(key), "a string in base64");
        }
        read.map(|bytes| Spanned::new(bytes, node.span))
    }

    /// Reports a string with an invalid encoding.
    pub(super) fn report_bad_encoding<T>(
        &mut self,
        span: Span,
        field: String,
        expected: &'static str,
    ) -> Option<T> {
        self.report_problem(span, ProblemKind::BadEncoding { field, expected });
        None
    }
}

/// Decodes base64 like Go's standard encoding: padding is required, spare bits are ignored, line breaks are
/// skipped. `None` if the text is invalid.
pub fn decode_base64(text: &str) -> Option<Vec<u8>> {
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
