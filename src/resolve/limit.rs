//! How much work an answer may be. OLM has no such limits, so where one of them ends the work that is said as it is: olmap
//! does not know, and nobody should take it for what OLM does.

use std::fmt;

/// How much work an answer may be, in steps: an entry that is looked at, a candidate that is tried, a step of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Gathering what can be chosen, and the search.
    pub search: u64,
    /// Finding out why it is so.
    pub why: u64,
    /// Finding out whether OLM may answer otherwise.
    pub unstable: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { search: 20_000_000, why: 2_000_000, unstable: 1_000_000 }
    }
}

impl Limits {
    /// The answer alone: no reasons, and nothing about other answers.
    #[must_use]
    pub fn bare(self) -> Self {
        Self { why: 0, unstable: 0, ..self }
    }
}

/// What is said of every limit of olmap's own.
pub const NOT_OLMS: &str = "OLM itself has no such limit";

/// The steps that were allowed are used up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped {
    /// How many there were.
    pub steps: u64,
}

/// `olmap stopped looking after 20,000,000 steps; OLM itself has no such limit`
impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.steps.to_string();
        let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                grouped.push(',');
            }
            grouped.push(digit);
        }
        write!(f, "olmap stopped looking after {grouped} steps; {NOT_OLMS}")
    }
}

#[cfg(test)]
mod tests {
    use super::Stopped;

    #[test]
    fn steps_are_told_in_groups_of_three() {
        let told = |steps| Stopped { steps }.to_string().split(' ').nth(4).unwrap().to_owned();
        assert_eq!([3, 123, 1000, 20_000_000].map(told), ["3", "123", "1,000", "20,000,000"]);
    }
}
