//! Patterns as Go's `regexp` means them, in the words of the crate `regex`, which means other things by some of them: in Go `\d`,
//! `\w`, `\s` and `\b` are of ASCII, `[a&&b]` and `[[]` are sets of characters, and an escaped letter that says nothing is an
//! error.
//!
//! Source: Go `regexp/syntax`, `doc.go` and `parse.go`.

use std::{iter::Peekable, str::Chars};

use regex::{Regex, RegexBuilder};

/// The largest pattern that is read, in bytes of what it becomes.
const MAX_PATTERN: usize = 1 << 20;
/// The most repetitions that Go reads, of one and of those within each other.
const MAX_REPEAT: u32 = 1000;

/// Why a pattern cannot be matched with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unread {
    /// Go does not read it either, and the rule fails.
    Bad,
    /// Nobody knows: it is larger than olmap reads, or says what it does not know.
    Unknown,
}

/// Reads a pattern.
pub(super) fn read(pattern: &str) -> Result<Regex, Unread> {
    let mut reader = Reader { rest: pattern.chars().peekable(), out: String::new(), repeats: 1 };
    reader.all()?;
    let built = RegexBuilder::new(&reader.out).size_limit(MAX_PATTERN).build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => Unread::Unknown,
        _ => Unread::Bad,
    })
}

struct Reader<'p> {
    rest: Peekable<Chars<'p>>,
    out: String,
    /// All counted repetitions, one times the other.
    repeats: u32,
}

impl Reader<'_> {
    fn literal(&mut self, of: char) {
        let mut buffer = [0; 4];
        self.out.push_str(&regex::escape(of.encode_utf8(&mut buffer)));
    }

    fn all(&mut self) -> Result<(), Unread> {
        let mut was_repeated = false;
        while let Some(next) = self.rest.next() {
            let is_repeat = match next {
                '*' | '+' | '?' => true,
                '{' => self.counted()?,
                _ => false,
            };
            if is_repeat {
                if was_repeated {
                    return Err(Unread::Bad);
                }
                if next != '{' {
                    self.out.push(next);
                }
                if self.rest.next_if_eq(&'?').is_some() {
                    self.out.push('?');
                }
                was_repeated = true;
                continue;
            }
            was_repeated = false;
            match next {
                // No count, so it is a brace; written already.
                '{' => {}
                '\\' => self.escaped()?,
                '[' => self.set()?,
                '(' => self.group()?,
                '^' | '$' | '.' | '|' | ')' => self.out.push(next),
                other => self.literal(other),
            }
        }
        Ok(())
    }

    /// `{3}`, `{3,}` or `{3,5}`; anything else is a brace like any other character.
    fn counted(&mut self) -> Result<bool, Unread> {
        let mut ahead = self.rest.clone();
        let mut inside = String::new();
        loop {
            match ahead.next() {
                Some('}') => break,
                Some(c) if (c.is_ascii_digit() || c == ',') && inside.len() < 16 => inside.push(c),
                _ => {
                    self.literal('{');
                    return Ok(false);
                }
            }
        }
        let (least, most) = inside.split_once(',').unwrap_or((&inside, &inside));
        let number = |text: &str| text.parse::<u32>().ok();
        let Some(least) = number(least) else {
            self.literal('{');
            return Ok(false);
        };
        let most = if most.is_empty() { Some(least) } else { number(most) };
        let Some(most) = most else {
            self.literal('{');
            return Ok(false);
        };
        if least > MAX_REPEAT || most > MAX_REPEAT || least > most {
            return Err(Unread::Bad);
        }
        // Go counts only those within each other, so more than that is not known here.
        self.repeats = self.repeats.saturating_mul(least.max(most).max(1));
        if self.repeats > MAX_REPEAT {
            return Err(Unread::Unknown);
        }
        self.rest = ahead;
        self.out.push('{');
        self.out.push_str(&inside);
        self.out.push('}');
        Ok(true)
    }

    fn group(&mut self) -> Result<(), Unread> {
        self.out.push('(');
        if self.rest.next_if_eq(&'?').is_none() {
            return Ok(());
        }
        self.out.push('?');
        if self.rest.next_if_eq(&'P').is_some() {
            self.out.push('P');
        }
        if self.rest.peek() == Some(&'<') {
            return Ok(());
        }
        loop {
            match self.rest.next() {
                Some(flag @ ('i' | 'm' | 's' | 'U' | '-')) => self.out.push(flag),
                Some(end @ (':' | ')')) => {
                    self.out.push(end);
                    return Ok(());
                }
                _ => return Err(Unread::Bad),
            }
        }
    }

    fn escaped(&mut self) -> Result<(), Unread> {
        match self.rest.next().ok_or(Unread::Bad)? {
            'd' => self.out.push_str("[0-9]"),
            'D' => self.out.push_str("[^0-9]"),
            'w' => self.out.push_str("[0-9A-Za-z_]"),
            'W' => self.out.push_str("[^0-9A-Za-z_]"),
            's' => self.out.push_str(r"[\t\n\x0C\r ]"),
            'S' => self.out.push_str(r"[^\t\n\x0C\r ]"),
            'b' => self.out.push_str(r"(?-u:\b)"),
            // It may lie within a character, where the crate does not look.
            'B' => return Err(Unread::Unknown),
            'A' => self.out.push_str(r"\A"),
            'z' => self.out.push_str(r"\z"),
            'Q' => loop {
                match self.rest.next() {
                    None => break,
                    Some('\\') if self.rest.peek() == Some(&'E') => {
                        self.rest.next();
                        break;
                    }
                    Some(other) => self.literal(other),
                }
            },
            of @ ('p' | 'P') => self.property(of)?,
            other => {
                let of = self.character(other)?;
                self.literal(of);
            }
        }
        Ok(())
    }

    /// The names of categories are the same; those of scripts mostly, and nobody knows which.
    fn property(&mut self, of: char) -> Result<(), Unread> {
        match self.rest.next().ok_or(Unread::Bad)? {
            name @ ('L' | 'M' | 'N' | 'P' | 'S' | 'Z' | 'C') => {
                self.out.push('\\');
                self.out.push(of);
                self.out.push(name);
                Ok(())
            }
            '{' => Err(Unread::Unknown),
            _ => Err(Unread::Bad),
        }
    }

    /// A character that is written with a backslash.
    fn character(&mut self, after: char) -> Result<char, Unread> {
        Ok(match after {
            'a' => '\u{7}',
            'f' => '\u{c}',
            't' => '\t',
            'n' => '\n',
            'r' => '\r',
            'v' => '\u{b}',
            'x' => {
                let mut digits = String::new();
                if self.rest.next_if_eq(&'{').is_some() {
                    loop {
                        match self.rest.next() {
                            Some('}') => break,
                            Some(digit) if digit.is_ascii_hexdigit() && digits.len() < 8 => {
                                digits.push(digit);
                            }
                            _ => return Err(Unread::Bad),
                        }
                    }
                } else {
                    for _ in 0..2 {
                        digits.push(self.rest.next().filter(char::is_ascii_hexdigit).ok_or(Unread::Bad)?);
                    }
                }
                let code = u32::from_str_radix(&digits, 16).map_err(|_| Unread::Bad)?;
                char::from_u32(code).ok_or(Unread::Bad)?
            }
            // Octal, or what Go does not have.
            '0'..='7' => return Err(Unread::Unknown),
            other if other.is_ascii_punctuation() => other,
            _ => return Err(Unread::Bad),
        })
    }

    /// `[a-z]`, up to its end.
    fn set(&mut self) -> Result<(), Unread> {
        self.out.push('[');
        if self.rest.next_if_eq(&'^').is_some() {
            self.out.push('^');
        }
        let mut is_first = true;
        loop {
            match self.rest.next().ok_or(Unread::Bad)? {
                ']' if !is_first => {
                    self.out.push(']');
                    return Ok(());
                }
                '[' if self.rest.peek() == Some(&':') => self.named(),
                '\\' => match self.rest.next().ok_or(Unread::Bad)? {
                    'd' => self.out.push_str("0-9"),
                    'D' => self.out.push_str("[^0-9]"),
                    'w' => self.out.push_str("0-9A-Za-z_"),
                    'W' => self.out.push_str("[^0-9A-Za-z_]"),
                    's' => self.out.push_str(r"\t\n\x0C\r\x20"),
                    'S' => self.out.push_str(r"[^\t\n\x0C\r\x20]"),
                    of @ ('p' | 'P') => self.property(of)?,
                    other => {
                        let from = self.character(other)?;
                        self.range(from)?;
                    }
                },
                // One that stands for itself is first or last.
                '-' if !is_first && self.rest.peek() != Some(&']') => return Err(Unread::Bad),
                other => self.range(other)?,
            }
            is_first = false;
        }
    }

    /// A character, or a range that begins with it.
    fn range(&mut self, from: char) -> Result<(), Unread> {
        let mut ahead = self.rest.clone();
        if ahead.next() != Some('-') || matches!(ahead.peek(), None | Some(']')) {
            self.member(from);
            return Ok(());
        }
        self.rest = ahead;
        let to = match self.rest.next().ok_or(Unread::Bad)? {
            '\\' => {
                let after = self.rest.next().ok_or(Unread::Bad)?;
                self.character(after)?
            }
            other => other,
        };
        if to < from {
            return Err(Unread::Bad);
        }
        self.member(from);
        self.out.push('-');
        self.member(to);
        Ok(())
    }

    fn member(&mut self, of: char) {
        if of.is_ascii_punctuation() {
            self.out.push('\\');
        }
        self.out.push(of);
    }

    /// `[:alpha:]`
    fn named(&mut self) {
        let mut ahead = self.rest.clone();
        ahead.next();
        let mut name = String::new();
        loop {
            match ahead.next() {
                Some(':') => break,
                Some(c) if (c.is_ascii_lowercase() || c == '^') && name.len() < 10 => name.push(c),
                _ => {
                    self.member('[');
                    return;
                }
            }
        }
        if ahead.next() != Some(']') {
            self.member('[');
            return;
        }
        self.rest = ahead;
        self.out.push_str("[:");
        self.out.push_str(&name);
        self.out.push_str(":]");
    }
}

#[cfg(test)]
mod tests {
    use super::{Unread, read};

    fn is_match(pattern: &str, text: &str) -> bool {
        read(pattern).unwrap_or_else(|why| panic!("{pattern}: {why:?}")).is_match(text)
    }

    #[test]
    fn what_go_means_is_meant() {
        for (pattern, text, expected) in [
            (r"^\d$", "7", true),
            (r"^\d$", "\u{663}", false),
            (r"^\w+$", "a_1", true),
            (r"^\w$", "\u{e9}", false),
            (r"^\W$", "\u{e9}", true),
            (r"\bb", "\u{e9}b", true),
            (r"^[a&&b]+$", "a&b", true),
            (r"^[[]$", "[", true),
            (r"^[[:alpha:]]$", "x", true),
            (r"^[]-]+$", "]-", true),
            (r"^[\d\-x]+$", "1-x", true),
            (r"^a{,2}$", "a{,2}", true),
            (r"^a{2}$", "aa", true),
            (r"^\Qa.b\E$", "a.b", true),
            (r"^\Qa.b\E$", "axb", false),
            (r"^\x41\x{42}$", "AB", true),
            (r"^(?i)ab$", "AB", true),
            (r"^(?P<n>a)(?:b)$", "ab", true),
            (r"^\_\<$", "_<", true),
            (r"a+?b*?", "ab", true),
            (r"^#~&-$", "#~&-", true),
        ] {
            assert_eq!(is_match(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn what_go_does_not_read_is_bad_and_what_nobody_knows_is_unknown() {
        for bad in ["(", "a**", "a{1001}", r"\u0041", r"\y", "(?x)a", "[b-a]", "[a-", r"(?=a)", r"\Z"] {
            assert_eq!(read(bad).err(), Some(Unread::Bad), "{bad}");
        }
        for unknown in [r"\p{Greek}", r"\B", "(a{500}){500}", r"\101"] {
            assert_eq!(read(unknown).err(), Some(Unread::Unknown), "{unknown}");
        }
    }
}
