//! Similar names, for suggestions.
//!
//! Bundle names differ mostly in their version, and 1.0.0 is not a misspelled 1.0.1. So digits must be equal,
//! and only the letters around them may differ.

use std::collections::HashMap;

/// Candidates for suggestions, indexed so that a lookup does not visit all of them.
pub struct Candidates<'a> {
    /// Candidates by the numbers in their names, which must be equal.
    by_numbers: HashMap<Vec<&'a str>, Vec<Candidate<'a>>>,
}

struct Candidate<'a> {
    name: &'a str,
    letters: Letters,
}

/// Step budget for one name. It suffices for thousands of dissimilar or hundreds of similar candidates; further
/// ones are ignored.
const MAX_STEPS: usize = 1 << 18;

impl<'a> Candidates<'a> {
    /// Indexes the candidates.
    pub fn new(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut by_numbers: HashMap<Vec<&str>, Vec<Candidate<'_>>> = HashMap::new();
        for name in names {
            let candidate = Candidate { name, letters: Letters::new(name) };
            by_numbers.entry(digit_runs(name).collect()).or_default().push(candidate);
        }
        Self { by_numbers }
    }

    /// Returns the candidate that is most similar to a name, if any is similar enough. Ignores one
    /// excluded candidate.
    pub fn suggest_except(&self, name: &str, excluded: &str) -> Option<&'a str> {
        let alike = self.by_numbers.get(&digit_runs(name).collect::<Vec<_>>())?;
        let letters = Letters::new(name);
        let mut left = MAX_STEPS;
        let may_be_near = |candidate: &&Candidate<'a>| {
            left = left.saturating_sub(1);
            if left == 0 || candidate.name == excluded || !letters.may_be_similar(candidate.letters) {
                return false;
            }
            left = left.saturating_sub(name.len() * candidate.name.len());
            true
        };
        suggest_closest(name, alike.iter().filter(may_be_near).map(|candidate| candidate.name))
    }

    /// Returns the candidate that is most similar to a name, if any is similar enough.
    pub fn suggest(&self, name: &str) -> Option<&'a str> {
        self.suggest_except(name, name)
    }
}

/// Set of the letters and digits of a name, ignoring case: one bit for each, by its code modulo 64.
#[derive(Clone, Copy)]
struct Letters(u64);

impl Letters {
    fn new(name: &str) -> Self {
        let lower = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
        // The `v` before a version is optional in names.
        Self(lower.filter(|c| *c != 'v').fold(0, |bits, c| bits | 1 << (u32::from(c) % 64)))
    }

    /// Returns true if names with these letters may be similar. Two typing errors change at most
    /// four letters. All letters of a shortened name occur in the full name.
    fn may_be_similar(self, other: Self) -> bool {
        let (mine, others) = (self.0 & !other.0, other.0 & !self.0);
        (mine | others).count_ones() <= 4 || mine == 0 || others == 0
    }
}

/// Returns the candidate that is most similar to a name, if any is similar enough.
pub fn suggest_closest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let near = candidates.filter(|candidate| *candidate != name && is_similar(name, candidate));
    near.min_by_key(|candidate| (edit_distance(name, candidate), *candidate))
}

/// Returns true if one name is probably a misspelling of the other. Both have the same numbers and
/// almost the same letters, or one is the end of the other (`v1.0.0` and `bellows.v1.0.0`).
pub fn is_similar(a: &str, b: &str) -> bool {
    if !digit_runs(a).eq(digit_runs(b)) {
        return false;
    }
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if short.contains(|c: char| c.is_ascii_digit()) && long.ends_with(short) {
        return true;
    }
    let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).count();
    let allowed = if letters(short) < 8 { 1 } else { 2 };
    let lengths = (a.chars().count(), b.chars().count());
    lengths.0.abs_diff(lengths.1) <= allowed && edit_distance(a, b) <= allowed || has_same_words(a, b)
}

/// Returns the runs of digits, which must be equal in similar names.
pub fn digit_runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty())
}

/// Returns the runs of letters and of digits, without separators and single `v`s.
fn split_words(text: &str) -> impl Iterator<Item = &str> {
    let runs = text.split(|c: char| !c.is_alphanumeric());
    let words = runs.flat_map(|run| {
        let mut rest = run;
        std::iter::from_fn(move || {
            let is_digit = rest.starts_with(|c: char| c.is_ascii_digit());
            let end = rest.find(|c: char| c.is_ascii_digit() != is_digit).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            rest = after;
            (!word.is_empty()).then_some(word)
        })
    });
    words.filter(|word| !word.eq_ignore_ascii_case("v"))
}

/// Returns true if two texts have the same words, ignoring case.
fn has_same_words(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (split_words(a), split_words(b));
    let lower = |word: &str| word.chars().flat_map(char::to_lowercase).collect::<String>();
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a == b || lower(a) == lower(b) => {}
            _ => return false,
        }
    }
}

/// Returns the number of letters to insert, delete, replace or swap with their neighbor to get from one text to
/// the other.
fn edit_distance(a: &str, b: &str) -> usize {
    let lengths = (a.chars().count(), b.chars().count());
    // Lengths that differ this much exclude similarity; the check also bounds the cost.
    if lengths.0.abs_diff(lengths.1) > 8 || lengths.0 > 300 {
        return usize::MAX;
    }
    strsim::osa_distance(a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelled_names_are_similar() {
        for (a, b) in [
            ("belows-operator.v1.0.0", "bellows-operator.v1.0.0"),
            ("bellosw-operator.v1.0.0", "bellows-operator.v1.0.0"),
            ("v1.0.0", "bellows.v1.0.0"),
            ("1.0.0", "bellows.v1.0.0"),
            ("bellows.1.0.0", "bellows.v1.0.0"),
            ("bellows-v1.0.0", "bellows.v1.0.0"),
            ("Bellows.V1.0.0", "bellows.v1.0.0"),
            ("bellows.v1.0.0-rc1", "bellows.v1.0.0-rc.1"),
            ("bellows.v1.0.0", "community.bellows.v1.0.0"),
            ("stabel", "stable"),
            ("replace", "replaces"),
        ] {
            assert!(is_similar(a, b) && is_similar(b, a), "{a} {b}");
        }
    }

    #[test]
    fn other_versions_and_names_are_not_similar() {
        for (a, b) in [
            ("bellows.v1.0.0", "bellows.v1.0.1"),
            ("bellows.v1.11.0", "bellows.v11.1.0"),
            ("bellows.v1.0.0", "bellows.v1.0"),
            ("bellows.v1.0.0-1", "bellows.v1.0.0"),
            ("anvil.v1.0.0", "bellows.v1.0.0"),
            ("beta", "stable"),
            ("fast", "east-1"),
            ("v1", "v2"),
            ("skips", "name"),
            ("stable", "unstable"),
        ] {
            assert!(!is_similar(a, b) && !is_similar(b, a), "{a} {b}");
        }
    }

    #[test]
    fn suggests_most_similar_name() {
        let candidates = ["stale", "stable", "sable"];
        assert_eq!(suggest_closest("stabel", candidates.into_iter()), Some("stable"));
        assert_eq!(suggest_closest("nightly", candidates.into_iter()), None);
    }
}
