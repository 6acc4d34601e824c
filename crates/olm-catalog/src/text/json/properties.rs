//! Property tests that compare the reader with a slow reference, on generated and on mutated texts.

use proptest::prelude::*;
use serde::de::IgnoredAny;

use super::{Extent, find_extent, parse_json, reference, skip_blanks};
use crate::node::MAX_DEPTH;

/// Values and fragments of values, valid and invalid.
const PIECES: &[&[u8]] = &[
    b"null",
    b"true",
    b"false",
    b"0",
    b"-0",
    b"-",
    b"01",
    b"1.",
    b"1.50",
    b".5",
    b"1e",
    b"1e5",
    b"-2E-7",
    b"1e400",
    b"123456789012345",
    b"1234567890123456789",
    b"nul",
    b"truex",
    b"\"\"",
    b"\"key\"",
    b"\"a longer text, with more than eight bytes\"",
    b"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
    b"\"\\u00e9 \\ud83d\\ude00\"",
    b"\"\\ud800\"",
    b"\"\\ud800\\u0041\"",
    b"\"\\udc00\\ud83d\\ude00\"",
    b"\"\\u12g4\"",
    b"\"\\u12\"",
    b"\"\\x\"",
    b"\"tab\tinside\"",
    b"\"nothing inside at all, and then\x01\"",
    b"\"\xFF\"",
    b"\"half of one: \xED\x95\\n\"",
    "\"한국어 🐱\"".as_bytes(),
    b"\"not closed",
    b"{}",
    b"{ }",
    b"[]",
    b"{\"a\":1,\"a\":[2,{}],\"A\":null}",
    b"{\"a\" : {\n        \"b\" : [ 1 , 2 ]\r\n\t}}",
    b"[1,]",
    b"{\"a\":1,}",
    b"{a:1}",
    b"[1 2]",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b" ",
    b"\n",
    b"\r\n                    ",
    b"\xEF\xBB\xBF",
    b"\0",
];

/// Texts that are JSON or almost JSON.
fn any_text() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(PIECES).prop_map(<[u8]>::to_vec);
    let nested =
        piece.prop_recursive(5, 60, 6, |inner| {
            let items = prop::collection::vec(inner, 0..6);
            (items, 0..4_u8, prop::sample::select(&[" ", "", "\n  ", "\n              "][..])).prop_map(
                |(items, kind, gap)| match kind {
                    0 => [b"[", items.join(&b","[..]).as_slice(), b"]"].concat(),
                    1 => [b"[", items.join(format!(",{gap}").as_bytes()).as_slice(), gap.as_bytes(), b"]"]
                        .concat(),
                    _ => {
                        let members = items.iter().enumerate().map(|(at, item)| {
                            [format!("{gap}\"{}\"{gap}:", at / 2).as_bytes(), item].concat()
                        });
                        let members: Vec<Vec<u8>> = members.collect();
                        [b"{", members.join(&b","[..]).as_slice(), gap.as_bytes(), b"}"].concat()
                    }
                },
            )
        });
    prop::collection::vec(nested, 1..4).prop_map(|parts| parts.concat())
}

/// Replaces, inserts or removes bytes at the given positions.
fn mutate(mut text: Vec<u8>, changes: &[(prop::sample::Index, u8, u8)]) -> Vec<u8> {
    for (at, kind, byte) in changes {
        if text.is_empty() {
            break;
        }
        let at = at.index(text.len());
        match kind {
            0 => text[at] = *byte,
            1 => text.insert(at, *byte),
            _ => {
                text.remove(at);
            }
        }
    }
    text
}

fn any_changes() -> impl Strategy<Value = Vec<(prop::sample::Index, u8, u8)>> {
    let bytes = prop_oneof![any::<u8>(), prop::sample::select(&b"\"\\{}[]:,0-e. \n\x1f\x20\x80u"[..])];
    prop::collection::vec((any::<prop::sample::Index>(), 0..3_u8, bytes), 0..4)
}

/// Checks the properties that hold for arbitrary bytes.
fn check_properties(text: &[u8]) -> Result<(), TestCaseError> {
    prop_assert_eq!(
        parse_json(text),
        reference::parse_reference(text),
        "{:?}",
        String::from_utf8_lossy(text)
    );
    check_extents(text)
}

/// Checks that consecutive values end where `serde_json` says, and are readable if the reference can read them.
fn check_extents(text: &[u8]) -> Result<(), TestCaseError> {
    let mut slow = serde_json::Deserializer::from_slice(text).into_iter::<IgnoredAny>();
    let mut at = 0;
    loop {
        let next = slow.next();
        at = skip_blanks(text, at);
        match (next, find_extent(text, at)) {
            (None, _) => {
                prop_assert_eq!(at, text.len());
                return Ok(());
            }
            (Some(Err(_)), None) => return Ok(()),
            (Some(Ok(_)), Some(Extent { end, is_readable })) => {
                prop_assert_eq!(end, slow.byte_offset());
                prop_assert_eq!(is_readable, reference::parse_reference(&text[at..end]).is_ok());
                at = end;
            }
            (slow, fast) => {
                let fast = fast.map(|extent| extent.end);
                prop_assert!(false, "{:?} at {at}: {slow:?}, {fast:?}", String::from_utf8_lossy(text));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn agrees_with_reference_on_mutated_text(text in any_text(), changes in any_changes()) {
        check_properties(&mutate(text, &changes))?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]

    #[test]
    fn has_same_nesting_limit_as_reference(
        depth in MAX_DEPTH - 2..MAX_DEPTH + 3,
        is_map in any::<bool>(),
        inside in prop::sample::select(&["1", "", "1e400", "nul", "[]"][..]),
    ) {
        let (open, close) = if is_map { ("{\"a\":", "}") } else { ("[", "]") };
        check_properties(format!("{}{inside}{}", open.repeat(depth), close.repeat(depth)).as_bytes())?;
    }
}
