//! Display order of channels.

use std::{cmp::Ordering, collections::HashSet};

use olm_upgrade::{PackageGraph, package::ChannelUpgrades};

/// Returns the channels of a package with their indices: the default channel first, then highest first. Each name is
/// returned once.
pub(super) fn sort_channels(package: &PackageGraph) -> Vec<(usize, &ChannelUpgrades)> {
    let default = package.package.default_channel();
    let mut seen = HashSet::new();
    let channels = package.channels().iter().enumerate();
    let mut channels: Vec<_> = channels.filter(|(_, channel)| seen.insert(channel.graph.name())).collect();
    channels.sort_by(|(_, a), (_, b)| {
        let (a, b) = (a.graph.name(), b.graph.name());
        (Some(b) == default).cmp(&(Some(a) == default)).then_with(|| compare_names(a.as_str(), b.as_str()))
    });
    channels
}

/// Letter, sign or number in a name; numbers compare by value.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Token<'a> {
    /// Number of digits without leading zeros, and these digits.
    Number(usize, &'a str),
    Other(char),
}

/// Splits off the first token.
fn split_token(name: &str) -> Option<(Token<'_>, &str)> {
    let first = name.chars().next()?;
    let digits = name.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        return Some((Token::Other(first), name.get(first.len_utf8()..)?));
    }
    let (number, rest) = name.split_at_checked(digits)?;
    let number = number.trim_start_matches('0');
    Some((Token::Number(number.len(), number), rest))
}

/// Compares channel names: `stable`, then `stable-4.10`, then `stable-4.9`. Numbers compare by value; higher numbers and
/// later letters come first. Words come before numbers, and a prefix before longer names.
fn compare_names(a: &str, b: &str) -> Ordering {
    let (mut a_rest, mut b_rest) = (a, b);
    loop {
        match (split_token(a_rest), split_token(b_rest)) {
            // The names differ only in leading zeros.
            (None, None) => return a.cmp(b),
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some((a_token, a_next)), Some((b_token, b_next))) => {
                if a_token != b_token {
                    return b_token.cmp(&a_token);
                }
                (a_rest, b_rest) = (a_next, b_next);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sort_words(names: &str) -> String {
        let mut names: Vec<&str> = names.split(' ').collect();
        names.sort_by(|a, b| compare_names(a, b));
        names.join(" ")
    }

    #[test]
    fn sorts_names_in_natural_order() {
        assert_eq!(
            sort_words("stable-4.9 stable stable-4.10 alpha beta"),
            "stable stable-4.10 stable-4.9 beta alpha"
        );
        assert_eq!(sort_words("4.9 4.10 latest 4.10-nightly"), "latest 4.10 4.10-nightly 4.9");
        assert_eq!(sort_words("v1.2 v1.02 v1.10 v1"), "v1 v1.10 v1.02 v1.2");
        assert_eq!(sort_words("3.x 3.9 3"), "3 3.x 3.9");
        let long = "9".repeat(60);
        assert_eq!(sort_words(&format!("8 {long} 10")), format!("{long} 10 8"));
    }

    proptest! {
        #[test]
        fn order_is_total(names in proptest::collection::vec("[a0v.19-]{0,6}", 3)) {
            let [a, b, c] = [&names[0], &names[1], &names[2]].map(String::as_str);
            prop_assert_eq!(compare_names(a, b), compare_names(b, a).reverse());
            prop_assert_eq!(compare_names(a, b).is_eq(), a == b);
            if compare_names(a, b).is_le() && compare_names(b, c).is_le() {
                prop_assert!(compare_names(a, c).is_le());
            }
        }
    }
}
