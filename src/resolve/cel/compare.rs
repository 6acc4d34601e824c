//! Equality and order of values. Numbers of different types are compared by value.

use std::cmp::Ordering;

use super::{
    eval::{Fault, spend},
    value::Value,
};

/// Compares values other than lists and maps.
pub(super) fn shallow(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::String(a), Value::String(b)) => a == b,
        (Value::Bytes(a), Value::Bytes(b)) => a == b,
        (Value::Type(a), Value::Type(b)) => a == b,
        (Value::Timestamp(a), Value::Timestamp(b)) => a == b,
        (Value::Duration(a), Value::Duration(b)) => a == b,
        _ => numbers(a, b) == Some(Ordering::Equal),
    }
}

/// Compares any two values. Takes steps, because one list may occur many times in another.
pub(super) fn equal(a: &Value, b: &Value, steps: &mut u64) -> Result<bool, Fault> {
    spend(steps, 1)?;
    match (a, b) {
        (Value::List(a), Value::List(b)) => {
            if a.len() != b.len() {
                return Ok(false);
            }
            for (a, b) in a.iter().zip(b.iter()) {
                if !equal(a, b, steps)? {
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
                spend(steps, b.len() as u64)?;
                let Some(other) = Value::member(b, key) else { return Ok(false) };
                if !equal(value, &other, steps)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::String(a), Value::String(b)) => {
            spend(steps, a.len().min(b.len()) as u64 / 16)?;
            Ok(a == b)
        }
        (Value::Bytes(a), Value::Bytes(b)) => {
            spend(steps, a.len().min(b.len()) as u64 / 16)?;
            Ok(a == b)
        }
        _ => Ok(shallow(a, b)),
    }
}

/// Returns the order of two values, if they have one.
pub(super) fn order(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        (Value::Bytes(a), Value::Bytes(b)) => Some(a.cmp(b)),
        (Value::Timestamp(a), Value::Timestamp(b)) => Some(a.order(*b)),
        (Value::Duration(a), Value::Duration(b)) => Some(a.cmp(b)),
        _ => numbers(a, b),
    }
}

fn numbers(a: &Value, b: &Value) -> Option<Ordering> {
    match (whole(a), whole(b)) {
        (Some(a), Some(b)) => return Some(a.cmp(&b)),
        (None, None) => {}
        (Some(a), None) => return mixed(a, double(b)?),
        (None, Some(b)) => return mixed(b, double(a)?).map(Ordering::reverse),
    }
    double(a)?.partial_cmp(&double(b)?)
}

/// Compares an integer with a float. Integers that a float cannot represent exactly are outside of the other's
/// range.
fn mixed(whole: i128, float: f64) -> Option<Ordering> {
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

fn whole(value: &Value) -> Option<i128> {
    match value {
        Value::Int(n) => Some(i128::from(*n)),
        Value::Uint(n) => Some(i128::from(*n)),
        _ => None,
    }
}

fn double(value: &Value) -> Option<f64> {
    match value {
        Value::Double(n) => Some(*n),
        _ => None,
    }
}
