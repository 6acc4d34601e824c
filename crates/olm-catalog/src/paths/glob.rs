//! Wildcards within one path component, as in Go's `filepath.Match`.

/// A pattern for one name: `*`, `?`, classes and escapes. The cost of matching is at most the product of the
/// lengths.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Glob {
    /// Parts between the stars; each except the first may begin anywhere after the one before.
    chunks: Vec<Chunk>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Chunk {
    /// True if a star precedes it.
    star: bool,
    items: Vec<Item>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Item {
    /// Exactly this byte.
    Byte(u8),
    /// Any character.
    Any,
    /// A character within one of the ranges, or outside of all.
    Class { negated: bool, ranges: Vec<(char, char)> },
}

impl Glob {
    /// Parses a pattern; `None` if it is invalid: an open or empty class, or a final backslash.
    pub fn parse(pattern: &str) -> Option<Self> {
        let mut chunks = Vec::new();
        let mut rest = pattern;
        while !rest.is_empty() {
            let bare = rest.trim_start_matches('*');
            let star = bare.len() < rest.len();
            let (chunk, after) = bare.split_at_checked(chunk_len(bare))?;
            chunks.push(Chunk { star, items: parse_items(chunk)? });
            rest = after;
        }
        Some(Self { chunks })
    }

    /// Returns true if the whole of `name` matches. `name` is one path component without a slash.
    pub fn matches(&self, name: &str) -> bool {
        let mut at = 0;
        for (n, chunk) in self.chunks.iter().enumerate() {
            let is_last = n + 1 == self.chunks.len();
            if chunk.star && chunk.items.is_empty() {
                return true;
            }
            let end = name.len();
            let starts = at..=if chunk.star { end } else { at };
            // The first position suffices, except that the last chunk must reach the end.
            let found = starts
                .into_iter()
                .find_map(|start| chunk.match_end(name, start).filter(|e| !is_last || *e == end));
            match found {
                Some(end) => at = end,
                None => return false,
            }
        }
        at == name.len()
    }
}

impl Chunk {
    /// Returns the end of a match that begins at `start`. Works on bytes: a star may stop inside a character.
    fn match_end(&self, name: &str, start: usize) -> Option<usize> {
        let mut at = start;
        for item in &self.items {
            let byte = *name.as_bytes().get(at)?;
            // Inside a character, Go sees one invalid byte.
            let (c, len) = name
                .get(at..)
                .and_then(|rest| rest.chars().next())
                .map_or(('\u{FFFD}', 1), |c| (c, c.len_utf8()));
            at += match item {
                Item::Byte(expected) if *expected == byte => 1,
                Item::Any => len,
                Item::Class { negated, ranges }
                    if ranges.iter().any(|(low, high)| (*low..=*high).contains(&c)) != *negated =>
                {
                    len
                }
                Item::Byte(_) | Item::Class { .. } => return None,
            };
        }
        Some(at)
    }
}

/// Returns the length of a pattern up to its next star outside of a class.
fn chunk_len(pattern: &str) -> usize {
    let mut in_class = false;
    let mut bytes = pattern.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => {
                bytes.next();
            }
            b'[' => in_class = true,
            b']' => in_class = false,
            b'*' if !in_class => return at,
            _ => {}
        }
    }
    pattern.len()
}

fn parse_items(chunk: &str) -> Option<Vec<Item>> {
    let mut items = Vec::new();
    let mut chars = chunk.chars();
    while let Some(c) = chars.next() {
        match c {
            '?' => items.push(Item::Any),
            '[' => items.push(parse_class(&mut chars)?),
            c => {
                let literal = if c == '\\' { chars.next()? } else { c };
                items.extend(literal.encode_utf8(&mut [0; 4]).bytes().map(Item::Byte));
            }
        }
    }
    Some(items)
}

/// Parses a class after its opening bracket.
fn parse_class(chars: &mut std::str::Chars<'_>) -> Option<Item> {
    let negated = chars.as_str().starts_with('^');
    if negated {
        chars.next();
    }
    let mut ranges = Vec::new();
    loop {
        if !ranges.is_empty() && chars.as_str().starts_with(']') {
            chars.next();
            return Some(Item::Class { negated, ranges });
        }
        let low = parse_bound(chars)?;
        let high = if chars.as_str().starts_with('-') {
            chars.next();
            parse_bound(chars)?
        } else {
            low
        };
        ranges.push((low, high));
    }
}

/// Parses one end of a range. Text must follow, at least the closing bracket.
fn parse_bound(chars: &mut std::str::Chars<'_>) -> Option<char> {
    let c = match chars.next()? {
        '-' | ']' => return None,
        '\\' => chars.next()?,
        c => c,
    };
    (!chars.as_str().is_empty()).then_some(c)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn match_pattern(pattern: &str, name: &str) -> Option<bool> {
        Glob::parse(pattern).map(|glob| glob.matches(name))
    }

    #[test]
    fn wildcards_match_like_go() {
        let yes = [
            ("", ""),
            ("abc", "abc"),
            ("*", ""),
            ("**", "abc"),
            ("a*", "a"),
            ("*c", "abcc"),
            ("a*b*c", "a1b2b3c"),
            ("a?c", "aéc"),
            ("[a-cx]*", "bz"),
            ("[^a-c]", "d"),
            ("[!a]", "a"),
            ("[!a]", "!"),
            ("[\\]a]", "]"),
            ("[a^]", "^"),
            ("[α-ω]", "λ"),
            ("\\*\\?\\[", "*?["),
            ("[*]", "*"),
            ("a]", "a]"),
            ("*ab", "aab"),
            ("é*", "éa"),
        ];
        for (pattern, name) in yes {
            assert_eq!(match_pattern(pattern, name), Some(true), "{pattern} on {name}");
        }
        let no = [
            ("", "a"),
            ("abc", "ab"),
            ("a*b", "ba"),
            ("?", ""),
            ("[^a]", "a"),
            ("[z-a]", "b"),
            ("a", "A"),
            ("*a*b", "ba"),
        ];
        for (pattern, name) in no {
            assert_eq!(match_pattern(pattern, name), Some(false), "{pattern} on {name}");
        }
        for pattern in
            ["[a", "[]", "[]a]", "[-a]", "[a-]", "[a-", "a\\", "[\\", "[^]", "[", "x*[a", "[z-a-c]"]
        {
            assert_eq!(match_pattern(pattern, "a"), None, "{pattern}");
        }
    }

    #[test]
    fn many_stars_match_quickly() {
        let pattern = "*a".repeat(2_000) + "*b";
        assert_eq!(match_pattern(&pattern, &"a".repeat(20_000)), Some(false));
        assert_eq!(match_pattern(&pattern, &("a".repeat(20_000) + "b")), Some(true));
    }

    /// Reference implementation that tries every way of splitting.
    fn matches_naively(pattern: &[char], name: &[char]) -> bool {
        match (pattern, name) {
            ([], name) => name.is_empty(),
            (['*', rest @ ..], name) => (0..=name.len()).any(|n| matches_naively(rest, &name[n..])),
            (['?', rest @ ..], [_, name @ ..]) => matches_naively(rest, name),
            ([p, rest @ ..], [c, name @ ..]) if p == c => matches_naively(rest, name),
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn no_pattern_panics(pattern in ".{0,12}|[]a*?^!\\\\é\\[-]{0,12}", name in "[]aé*-]{0,12}") {
            let _ = match_pattern(&pattern, &name);
        }

        #[test]
        fn stars_and_questions_match_like_reference(pattern in "[ab*?]{0,8}", name in "[ab]{0,10}") {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            prop_assert_eq!(match_pattern(&pattern, &name), Some(matches_naively(&chars(&pattern), &chars(&name))));
        }
    }
}
