//! What reading costs: how often the scanner looks at a byte. Whatever the text, that is a small number for each of its
//! bytes, and no more for those of a long text.

use std::cell::Cell;

use super::parse_in_full;

thread_local! {
    static LOOKS: Cell<usize> = const { Cell::new(0) };
}

/// The scanner looks at a byte.
pub(super) fn look() {
    LOOKS.set(LOOKS.get() + 1);
}

fn looks(text: &str) -> usize {
    LOOKS.set(0);
    let _ = parse_in_full(text.as_bytes());
    LOOKS.get()
}

/// What is repeated, and what it is repeated in: before it, and after it.
const TOKENS: &[&str] = &[
    "!",
    "!a",
    "!,",
    "!a, ",
    "!!a[],b ",
    "!<,",
    "!<a> ",
    "[",
    "[]",
    "]",
    "{",
    "{a: ",
    "}",
    "- ",
    "? ",
    "?",
    ": ",
    ":",
    ",",
    ", ",
    "\"",
    "'",
    "\"\\'\", ",
    "\\'",
    "a",
    "a ",
    "a\n",
    "a\n  ",
    "\n",
    "\n ",
    " \t",
    "# ",
    "#\n",
    "|\n",
    "|\n  a\n",
    ">1\n",
    "&a ",
    "&a",
    "*a ",
    "*a, ",
    "&a !b ",
    "<<: ",
    "---\n",
    "...\n",
    "%",
    "%TAG ! a\n",
    "\r",
    "\u{85}",
    "é",
    "a: b, ",
    "a: b\n",
    "- a\n",
    "a:\n",
    "[a]: ",
    "'a': ",
    "@",
    "`",
    "\t",
];
const CONTEXTS: &[(&str, &str)] = &[
    ("", ""),
    ("a: ", "\n"),
    ("a: [", "]\n"),
    ("a: {", "}\n"),
    ("a: [[{b: ", "}]]\n"),
    ("a: \"", "\"\n"),
    ("a: \"", "\n"),
    ("a: '", "\n"),
    ("a: |\n  ", "\n"),
    ("- - ", "\n"),
    ("? - &x ", "\n"),
    ("# ", "\n"),
];

#[test]
fn a_byte_is_looked_at_a_bounded_number_of_times() {
    const LENGTH: usize = 3_000;
    for token in TOKENS {
        for (before, after) in CONTEXTS {
            let text = |length: usize| format!("{before}{}{after}", token.repeat(length / token.len()));
            let (short, long) = (looks(&text(LENGTH)), looks(&text(4 * LENGTH)));
            assert!(short <= 40 * LENGTH, "{before}{token}: {short} looks at {LENGTH} bytes");
            assert!(
                long <= 5 * short + 1000,
                "{before}{token}: {short} looks, and {long} at four times the text"
            );
        }
    }
}

/// A level of brackets is one token; each costs what it costs alone, however many are around it.
#[test]
fn what_is_deep_within_brackets_costs_what_it_costs_outside() {
    let at = |depth: usize| {
        let text = format!("{}{}{}", "[".repeat(depth), "a, ".repeat(10_000), "]".repeat(depth));
        looks(&text)
    };
    assert!(at(9_000) < 2 * at(10), "{} and {}", at(9_000), at(10));
}
