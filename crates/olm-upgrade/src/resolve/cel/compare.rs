//! Equality and order of values. Numbers of different types are compared by value.

use std::cmp::Ordering;

use super::{
    eval::{EvalError, spend_steps},
    value::Value,
};

/// Returns true if two values other than lists and maps are equal.
pub(super) fn scalars_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::String(a), Value::String(b)) => a == b,
        (Value::Bytes(a), Value::Bytes(b)) => a == b,
        (Value::Type(a), Value::Type(b)) => a == b,
        (Value::Timestamp(a), Value::Timestamp(b)) => a == b,
        (Value::Duration(a), Value::Duration(b)) => a == b,
        _ => compare_numbers(a, b) == Some(Ordering::Equal),
    }
}

/// Returns true if any two values are equal. Takes steps, because one list may occur many times in
/// another.
pub(super) fn values_equal(a: &Value, b: &Value, steps: &mut u64) -> Result<bool, EvalError> {
    spend_steps(steps, 1)?;
    match (a, b) {
        (Value::List(a), Value::List(b)) => {
            if a.len() != b.len() {
                return Ok(false);
            }
            for (a, b) in a.iter().zip(b.iter()) {
                if !values_equal(a, b, steps)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::Map(a), Value::Map(b)) => {
            if a.len() != b.len() {
                return Ok(false);
            }
            for (key, value) in a.iter() {
                spend_steps(steps, b.len() as u64)?;
                let Some(other) = Value::member(b, key) else { return Ok(false) };
                if !values_equal(value, &other, steps)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::String(a), Value::String(b)) => {
            spend_steps(steps, a.len().min(b.len()) as u64 / 16)?;
            Ok(a == b)
        }
        (Value::Bytes(a), Value::Bytes(b)) => {
            spend_steps(steps, a.len().min(b.len()) as u64 / 16)?;
            Ok(a == b)
        }
        _ => Ok(scalars_equal(a, b)),
    }
}

/// Returns the order of two values, if they have one.
pub(super) fn compare_values(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        (Value::Bytes(a), Value::Bytes(b)) => Some(a.cmp(b)),
        (Value::Timestamp(a), Value::Timestamp(b)) => Some(a.compare(*b)),
        (Value::Duration(a), Value::Duration(b)) => Some(a.cmp(b)),
        _ => compare_numbers(a, b),
    }
}

fn compare_numbers(a: &Value, b: &Value) -> Option<Ordering> {
    match (as_integer(a), as_integer(b)) {
        (Some(a), Some(b)) => return Some(a.cmp(&b)),
        (None, None) => {}
        (Some(a), None) => return compare_mixed(a, as_float(b)?),
        (None, Some(b)) => return compare_mixed(b, as_float(a)?).map(Ordering::reverse),
    }
    as_float(a)?.partial_cmp(&as_float(b)?)
}

/// Compares an integer with a float. Floats outside of the range of CEL's integers are compared by
/// their sign.
fn compare_mixed(whole: i128, float: f64) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    if float >= 1.9e19 {
        return Some(Ordering::Less);
    }
    if float <= -1.0e19 {
        return Some(Ordering::Greater);
    }
    let trunc = float.trunc();
    let rest = if float > trunc {
        Ordering::Less
    } else if float < trunc {
        Ordering::Greater
    } else {
        Ordering::Equal
    };
    Some(whole.cmp(&(trunc as i128)).then(rest))
}

fn as_integer(value: &Value) -> Option<i128> {
    match value {
        Value::Int(n) => Some(i128::from(*n)),
        Value::Uint(n) => Some(i128::from(*n)),
        _ => None,
    }
}

fn as_float(value: &Value) -> Option<f64> {
    match value {
        Value::Double(n) => Some(*n),
        _ => None,
    }
}
