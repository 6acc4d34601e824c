//! Names that are nearly the same: what somebody probably meant.
//!
//! Names of bundles differ in their version first of all, and 1.0.0 is no slip of the pen for 1.0.1. So digits must
//! agree, and only the letters around them may be off.

use std::collections::HashMap;

/// Candidates, sorted so that asking for many names costs no more than the names.
pub struct Candidates<'a> {
    /// By their numbers, in which near names agree.
    by_numbers: HashMap<Vec<&'a str>, Vec<Candidate<'a>>>,
}

struct Candidate<'a> {
    name: &'a str,
    letters: Letters,
}

/// How much is looked at for one name: enough for thousands of candidates that are nothing like it, and for hundreds that
/// nearly are. Where there are more, the first ones count.
const MOST_STEPS: usize = 1 << 18;

impl<'a> Candidates<'a> {
    /// Sorts the candidates.
    pub fn new(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut by_numbers: HashMap<Vec<&str>, Vec<Candidate<'_>>> = HashMap::new();
        for name in names {
            let candidate = Candidate { name, letters: Letters::of(name) };
            by_numbers.entry(numbers(name).collect()).or_default().push(candidate);
        }
        Self { by_numbers }
    }

    /// The candidate a name was probably meant to be, but not a certain one.
    pub fn meant_but(&self, name: &str, not: &str) -> Option<&'a str> {
        let alike = self.by_numbers.get(&numbers(name).collect::<Vec<_>>())?;
        let letters = Letters::of(name);
        let mut left = MOST_STEPS;
        let may_be_near = |candidate: &&Candidate<'a>| {
            left = left.saturating_sub(1);
            if left == 0 || candidate.name == not || !letters.may_be_near(candidate.letters) {
                return false;
            }
            left = left.saturating_sub(name.len() * candidate.name.len());
            true
        };
        meant(name, alike.iter().filter(may_be_near).map(|candidate| candidate.name))
    }

    /// The candidate a name was probably meant to be, where there is one.
    pub fn meant(&self, name: &str) -> Option<&'a str> {
        self.meant_but(name, name)
    }
}

/// Which letters and digits a name has: a bit for each, whatever its case.
#[derive(Clone, Copy)]
struct Letters(u64);

impl Letters {
    fn of(name: &str) -> Self {
        let lower = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
        // A `v` alone does not count.
        Self(lower.filter(|c| *c != 'v').fold(0, |bits, c| bits | 1 << (u32::from(c) % 64)))
    }

    /// Whether names with these may be near each other: two slips of the pen are four letters at most, and what is cut off
    /// in front has none that the whole has not.
    fn may_be_near(self, other: Self) -> bool {
        let (mine, others) = (self.0 & !other.0, other.0 & !self.0);
        (mine | others).count_ones() <= 4 || mine == 0 || others == 0
    }
}

/// The candidate a name was probably meant to be, where there is one.
pub fn meant<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let near = candidates.filter(|candidate| *candidate != name && is_near(name, candidate));
    near.min_by_key(|candidate| (distance(name, candidate), *candidate))
}

/// Whether one name is a slip of the pen for the other: the same numbers, and the letters nearly the same, or a name
/// with a version cut off in front.
pub fn is_near(a: &str, b: &str) -> bool {
    if !numbers(a).eq(numbers(b)) {
        return false;
    }
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if short.contains(|c: char| c.is_ascii_digit()) && long.ends_with(short) {
        return true;
    }
    let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).count();
    let allowed = if letters(short) < 8 { 1 } else { 2 };
    let lengths = (a.chars().count(), b.chars().count());
    lengths.0.abs_diff(lengths.1) <= allowed && distance(a, b) <= allowed || same_words(a, b)
}

/// The runs of digits, in which near names agree.
pub fn numbers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty())
}

/// The runs of letters and of digits; what stands between them does not count, nor does a `v` alone.
fn words(text: &str) -> impl Iterator<Item = &str> {
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

/// Whether two texts have the same words, whatever the case of their letters.
fn same_words(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (words(a), words(b));
    let lower = |word: &str| word.chars().flat_map(char::to_lowercase).collect::<String>();
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a == b || lower(a) == lower(b) => {}
            _ => return false,
        }
    }
}

/// How many letters to add, drop, change or swap with their neighbour to get from one text to the other.
fn distance(a: &str, b: &str) -> usize {
    let lengths = (a.chars().count(), b.chars().count());
    // Far apart whatever the letters are; also keeps long texts cheap.
    if lengths.0.abs_diff(lengths.1) > 8 || lengths.0 > 300 {
        return usize::MAX;
    }
    strsim::osa_distance(a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_pen_are_near() {
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
            assert!(is_near(a, b) && is_near(b, a), "{a} {b}");
        }
    }

    #[test]
    fn other_versions_and_other_names_are_not() {
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
            assert!(!is_near(a, b) && !is_near(b, a), "{a} {b}");
        }
    }

    #[test]
    fn the_nearest_is_meant() {
        let candidates = ["stale", "stable", "sable"];
        assert_eq!(meant("stabel", candidates.into_iter()), Some("stable"));
        assert_eq!(meant("nightly", candidates.into_iter()), None);
    }
}
