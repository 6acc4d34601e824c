//! Remarks beside a row of all channels; empty if there is nothing to report.

use std::{cmp::Ordering, collections::HashSet};

use super::{Channel, CommonRows, Row};
use crate::layout::facts::Facts;
use olm_upgrade::{PackageGraph, package::ChannelUpgrades};

/// Mentions of one bundle, as indices of channels.
#[derive(Clone, Default)]
struct BundleMentions {
    /// Channels with an entry for it.
    entry: Vec<usize>,
    /// Channels that mention it without an entry.
    dangling: Vec<usize>,
    /// Channels that have it as their head.
    head: Vec<usize>,
    /// Channels where Classic does not upgrade it although the head is higher.
    dead_end: Vec<usize>,
}

/// Returns the rows of a package.
pub(super) fn package_rows(
    package: &PackageGraph,
    union: &CommonRows<'_>,
    facts: &[Facts<'_>],
    channels: &[Channel],
) -> Vec<Row> {
    let mut said = vec![BundleMentions::default(); union.names.len()];
    let mut deprecated = vec![false; union.names.len()];
    for (channel, facts) in facts.iter().enumerate() {
        for (at, &row) in facts.graph().graph().node_indices().zip(facts.node_rows.iter()) {
            let said = &mut said[row];
            deprecated[row] |= facts.deprecated[at.index()];
            let is_entry = facts.graph().node(at).is_some_and(|node| node.entry.is_some());
            let kind = if is_entry { &mut said.entry } else { &mut said.dangling };
            kind.push(channel);
            if facts.dead_end[at.index()] {
                said.dead_end.push(channel);
            }
        }
        for head in &facts.heads {
            said[facts.node_rows[head.index()]].head.push(channel);
        }
    }
    let states = package.stuck().version_states();
    let rows = union.names.iter().zip(said).enumerate();
    rows.map(|(row, (&name, said))| {
        // Facts only cover bundles that a channel mentions; this bundle may not be in any channel.
        let deprecated =
            deprecated[row] || said.is_unmentioned() && package.package.bundle_deprecation(name).is_some();
        let bundle = package.package.bundle(name.as_str());
        let gone = bundle.is_none() && said.is_unmentioned();
        let mut parts = if gone { Vec::new() } else { said.describe_mentions(channels) };
        let is_entry = !said.entry.is_empty();
        let stuck = states.get(name).describe_state(&package.package, name).filter(|_| is_entry);
        if let Some(words) = stuck {
            parts.insert(0, words.replacen("stuck", "STUCK", 1));
        }
        if bundle.is_none() && !said.entry.is_empty() {
            parts.push("no such bundle in the package".to_owned());
        }
        if union.contradicts[row] {
            parts.push("no order fits the edges of all channels".to_owned());
        }
        if deprecated {
            parts.push("deprecated".to_owned());
        }
        Row {
            name: name.clone(),
            version: match bundle.and_then(|b| b.version.as_ref()) {
                Some(version) => version.to_string(),
                None => {
                    olm_catalog::package::version_in_name(name.as_str()).unwrap_or(name.as_str()).to_owned()
                }
            },
            channels: said.entry.len(),
            dead_ends: said.dead_end.len(),
            deprecated,
            removed: gone,
            note: parts.join("; "),
        }
    })
    .collect()
}

impl BundleMentions {
    fn is_unmentioned(&self) -> bool {
        self.entry.is_empty() && self.dangling.is_empty()
    }

    fn describe_mentions(&self, channels: &[Channel]) -> Vec<String> {
        let mut parts = Vec::new();
        if !self.head.is_empty() {
            parts.push(format!("HEAD of {}", first_few_channels(&self.head, channels)));
        }
        if self.entry.is_empty() {
            parts.push("in no channel".to_owned());
            match self.dangling.as_slice() {
                [] => {}
                [_] => parts
                    .push(format!("{} replaces or skips it", first_few_channels(&self.dangling, channels))),
                _ => {
                    parts
                        .push(format!("{} replace or skip it", first_few_channels(&self.dangling, channels)));
                }
            }
        }
        match (self.dead_end.len(), self.entry.len()) {
            (0, _) => {}
            (1, 1) => parts.push("Classic never upgrades it in its only channel".to_owned()),
            (dead, all) if dead == all => {
                parts.push(format!("Classic never upgrades it in all its {all} channels"));
            }
            (dead, all) => parts.push(format!("Classic never upgrades it in {dead} of {all} channels")),
        }
        let is_deprecated = |&channel: &usize| channels.get(channel).is_some_and(|c| c.deprecated);
        match self.entry.as_slice() {
            [] => {}
            [only] if is_deprecated(only) => {
                parts.push(format!(
                    "only in {}, which is deprecated",
                    first_few_channels(&self.entry, channels)
                ));
            }
            all if all.iter().all(is_deprecated) => {
                parts.push(format!("only in {} deprecated channels", all.len()));
            }
            _ => {}
        }
        parts
    }
}

/// Joins the names of the first few channels.
fn first_few_channels(numbers: &[usize], channels: &[Channel]) -> String {
    let name = |number: &usize| channels.get(*number).map(|c| c.name.to_string()).unwrap_or_default();
    match numbers {
        [a, b] => format!("{} and {}", name(a), name(b)),
        [a, more @ ..] if !more.is_empty() => format!("{} and {} more", name(a), more.len()),
        all => all.iter().map(name).collect(),
    }
}

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
