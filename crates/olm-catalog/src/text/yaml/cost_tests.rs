//! Tests of the reader's cost: the number of accesses per byte. It is bounded by a small constant that does not
//! depend on the text or its length.

use std::cell::Cell;

use super::parse_in_full;

thread_local! {
    static ACCESSES: Cell<usize> = const { Cell::new(0) };
}

/// Counts one access of the scanner to a byte.
pub(super) fn count_access() {
    ACCESSES.set(ACCESSES.get() + 1);
}

fn count_accesses(text: &str) -> usize {
    ACCESSES.set(0);
    let _ = parse_in_full(text.as_bytes());
    ACCESSES.get()
}

/// Repeated tokens, and the contexts before and after them.
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
fn accesses_per_byte_are_bounded() {
    const LENGTH: usize = 3_000;
    for token in TOKENS {
        for (before, after) in CONTEXTS {
            let text = |length: usize| format!("{before}{}{after}", token.repeat(length / token.len()));
            let (short, long) = (count_accesses(&text(LENGTH)), count_accesses(&text(4 * LENGTH)));
            assert!(short <= 40 * LENGTH, "{before}{token}: {short} looks at {LENGTH} bytes");
            assert!(
                long <= 5 * short + 1000,
                "{before}{token}: {short} looks, and {long} at four times the text"
            );
        }
    }
}

/// A level of brackets is one token. Every token costs the same, whatever the depth.
#[test]
fn tokens_in_nested_brackets_cost_as_much_as_outside() {
    let at = |depth: usize| {
        let text = format!("{}{}{}", "[".repeat(depth), "a, ".repeat(10_000), "]".repeat(depth));
        count_accesses(&text)
    };
    assert!(at(9_000) < 2 * at(10), "{} and {}", at(9_000), at(10));
}
