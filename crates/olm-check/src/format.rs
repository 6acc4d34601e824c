//! Formatting of names and counts in messages.

use std::fmt::Display;

/// Maximum number of names in a message.
const MAX_NAMES: usize = 6;

/// Formats names as `a, b and c`, or the first ones and the number of others.
pub(super) fn format_list<T: Display>(names: impl IntoIterator<Item = T>) -> String {
    let mut names: Vec<String> = names.into_iter().map(|name| name.to_string()).collect();
    for name in names.iter_mut().filter(|name| name.is_empty()) {
        "an unnamed one".clone_into(name);
    }
    // The last name takes no more space than "and 1 more".
    let shown = if names.len() <= MAX_NAMES + 1 { names.len() } else { MAX_NAMES };
    let (front, rest) = names.split_at(shown);
    match (front, rest.len()) {
        ([], _) => String::new(),
        ([name], 0) => name.clone(),
        ([front @ .., last], 0) => format!("{} and {last}", front.join(", ")),
        (front, more) => format!("{} and {more} more", front.join(", ")),
    }
}

/// Returns `bundle etcd.v1.0.0` or `a bundle without a name`.
pub(super) fn format_with_kind(what: &str, name: &impl AsRef<str>) -> String {
    match name.as_ref() {
        "" => format!("a{} {what} without a name", if what.starts_with(['a', 'e', 'o']) { "n" } else { "" }),
        name => format!("{what} {name}"),
    }
}

/// Returns `etcd.v1.0.0` or `a bundle without a name`.
pub(super) fn format_name(what: &str, name: &impl AsRef<str>) -> String {
    match name.as_ref() {
        "" => format_with_kind(what, name),
        name => name.to_owned(),
    }
}

/// Returns `1 entry` or `2 entries`.
pub(super) fn pluralize(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_end_with_and_or_with_count_of_others() {
        assert_eq!(format_list(["a"]), "a");
        assert_eq!(format_list(["a", "b"]), "a and b");
        assert_eq!(format_list(["a", "b", "c"]), "a, b and c");
        assert_eq!(format_list(1..=7), "1, 2, 3, 4, 5, 6 and 7");
        assert_eq!(format_list(1..=8), "1, 2, 3, 4, 5, 6 and 2 more");
    }
}
