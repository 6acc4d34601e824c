//! Limits on the work for an answer. OLM does not have such limits, so beyond them olmap reports
//! that it does not know the answer.

use std::fmt;

/// Limits in steps. A step is one visited entry, one tried candidate, or one step of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Steps to collect the candidates and to search.
    pub search: u64,
    /// Steps to explain the answer.
    pub explanation: u64,
    /// Steps to decide whether OLM may give another answer at another time.
    pub stability: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { search: 20_000_000, explanation: 2_000_000, stability: 1_000_000 }
    }
}

impl Limits {
    /// Returns limits for the answer only, without explanations and stability.
    #[must_use]
    pub fn answer_only(self) -> Self {
        Self { explanation: 0, stability: 0, ..self }
    }
}

/// Remark for messages about limits of olmap.
pub const NOT_OLM_LIMIT: &str = "OLM itself has no such limit";

/// Error if the allowed steps are used up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StepLimitExceeded {
    /// Number of allowed steps.
    pub steps: u64,
}

/// Formats the message, such as `olmap stopped looking after 20,000,000 steps; OLM itself has no such limit`.
impl fmt::Display for StepLimitExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.steps.to_string();
        let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                grouped.push(',');
            }
            grouped.push(digit);
        }
        write!(f, "olmap stopped looking after {grouped} steps; {NOT_OLM_LIMIT}")
    }
}

#[cfg(test)]
mod tests {
    use super::StepLimitExceeded;

    #[test]
    fn steps_are_formatted_in_groups_of_three() {
        let told = |steps| StepLimitExceeded { steps }.to_string().split(' ').nth(4).unwrap().to_owned();
        assert_eq!([3, 123, 1000, 20_000_000].map(told), ["3", "123", "1,000", "20,000,000"]);
    }
}
