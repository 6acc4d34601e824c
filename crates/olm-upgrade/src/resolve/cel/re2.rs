//! Translation of Go `regexp` patterns for the crate `regex`, which interprets some patterns differently.
//!
//! In Go, `\d`, `\w`, `\s` and `\b` are ASCII-only. `[a&&b]` and `[[]` are character sets, and an unknown
//! escaped letter is an error.
//!
//! Source: Go `regexp/syntax`, `doc.go` and `parse.go`.

use std::{iter::Peekable, str::Chars};

use regex::{Regex, RegexBuilder};

/// Maximum size of a compiled pattern in bytes.
const MAX_PATTERN: usize = 1 << 20;
/// Maximum number of repetitions in Go, also for nested repetitions.
const MAX_REPEAT: u32 = 1000;

/// Reason why a pattern cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PatternError {
    /// Go rejects the pattern too, and the rule fails.
    Bad,
    /// The result is unknown: the pattern is too large, or it has a construct that olmap does not support.
    Unknown,
}

/// Compiles a Go pattern.
pub(super) fn compile(pattern: &str) -> Result<Regex, PatternError> {
    let mut reader = Reader { rest: pattern.chars().peekable(), out: String::new(), repeats: 1 };
    reader.translate()?;
    let built = RegexBuilder::new(&reader.out).size_limit(MAX_PATTERN).build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => PatternError::Unknown,
        _ => PatternError::Bad,
    })
}

struct Reader<'p> {
    rest: Peekable<Chars<'p>>,
    out: String,
    /// Product of all repetition counts.
    repeats: u32,
}

impl Reader<'_> {
    fn write_literal(&mut self, of: char) {
        let mut buffer = [0; 4];
        self.out.push_str(&regex::escape(of.encode_utf8(&mut buffer)));
    }

    fn translate(&mut self) -> Result<(), PatternError> {
        let mut was_repeated = false;
        while let Some(next) = self.rest.next() {
            let is_repeat = match next {
                '*' | '+' | '?' => true,
                '{' => self.translate_repetition()?,
                _ => false,
            };
            if is_repeat {
                if was_repeated {
                    return Err(PatternError::Bad);
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
                // The brace is a literal without a count. `translate_repetition` already wrote it.
                '{' => {}
                '\\' => self.translate_escape()?,
                '[' => self.translate_set()?,
                '(' => self.translate_group()?,
                '^' | '$' | '.' | '|' | ')' => self.out.push(next),
                other => self.write_literal(other),
            }
        }
        Ok(())
    }

    /// Translates `{3}`, `{3,}` or `{3,5}`. Any other brace is a literal.
    fn translate_repetition(&mut self) -> Result<bool, PatternError> {
        let mut ahead = self.rest.clone();
        let mut inside = String::new();
        loop {
            match ahead.next() {
                Some('}') => break,
                Some(c) if (c.is_ascii_digit() || c == ',') && inside.len() < 16 => inside.push(c),
                _ => {
                    self.write_literal('{');
                    return Ok(false);
                }
            }
        }
        let (least, most) = inside.split_once(',').unwrap_or((&inside, &inside));
        let number = |text: &str| text.parse::<u32>().ok();
        let Some(least) = number(least) else {
            self.write_literal('{');
            return Ok(false);
        };
        let most = if most.is_empty() { Some(least) } else { number(most) };
        let Some(most) = most else {
            self.write_literal('{');
            return Ok(false);
        };
        if least > MAX_REPEAT || most > MAX_REPEAT || least > most {
            return Err(PatternError::Bad);
        }
        // Go multiplies only nested repetitions. Beyond the limit the result is therefore unknown.
        self.repeats = self.repeats.saturating_mul(least.max(most).max(1));
        if self.repeats > MAX_REPEAT {
            return Err(PatternError::Unknown);
        }
        self.rest = ahead;
        self.out.push('{');
        self.out.push_str(&inside);
        self.out.push('}');
        Ok(true)
    }

    fn translate_group(&mut self) -> Result<(), PatternError> {
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
                _ => return Err(PatternError::Bad),
            }
        }
    }

    fn translate_escape(&mut self) -> Result<(), PatternError> {
        match self.rest.next().ok_or(PatternError::Bad)? {
            'd' => self.out.push_str("[0-9]"),
            'D' => self.out.push_str("[^0-9]"),
            'w' => self.out.push_str("[0-9A-Za-z_]"),
            'W' => self.out.push_str("[^0-9A-Za-z_]"),
            's' => self.out.push_str(r"[\t\n\x0C\r ]"),
            'S' => self.out.push_str(r"[^\t\n\x0C\r ]"),
            'b' => self.out.push_str(r"(?-u:\b)"),
            // In Go, the position can be inside a character, which the crate does not support.
            'B' => return Err(PatternError::Unknown),
            'A' => self.out.push_str(r"\A"),
            'z' => self.out.push_str(r"\z"),
            'Q' => loop {
                match self.rest.next() {
                    None => break,
                    Some('\\') if self.rest.peek() == Some(&'E') => {
                        self.rest.next();
                        break;
                    }
                    Some(other) => self.write_literal(other),
                }
            },
            of @ ('p' | 'P') => self.translate_category(of)?,
            other => {
                let of = self.parse_escaped_character(other)?;
                self.write_literal(of);
            }
        }
        Ok(())
    }

    /// Translates a Unicode category, because both have the same category names. Script names differ in parts,
    /// so they are unknown.
    fn translate_category(&mut self, of: char) -> Result<(), PatternError> {
        match self.rest.next().ok_or(PatternError::Bad)? {
            name @ ('L' | 'M' | 'N' | 'P' | 'S' | 'Z' | 'C') => {
                self.out.push('\\');
                self.out.push(of);
                self.out.push(name);
                Ok(())
            }
            '{' => Err(PatternError::Unknown),
            _ => Err(PatternError::Bad),
        }
    }

    /// Parses an escaped character.
    fn parse_escaped_character(&mut self, after: char) -> Result<char, PatternError> {
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
                            _ => return Err(PatternError::Bad),
                        }
                    }
                } else {
                    for _ in 0..2 {
                        digits
                            .push(self.rest.next().filter(char::is_ascii_hexdigit).ok_or(PatternError::Bad)?);
                    }
                }
                let code = u32::from_str_radix(&digits, 16).map_err(|_| PatternError::Bad)?;
                char::from_u32(code).ok_or(PatternError::Bad)?
            }
            // Octal escapes in Go, or escapes that Go does not have.
            '0'..='7' => return Err(PatternError::Unknown),
            other if other.is_ascii_punctuation() => other,
            _ => return Err(PatternError::Bad),
        })
    }

    /// Translates a set such as `[a-z]`, up to its end.
    fn translate_set(&mut self) -> Result<(), PatternError> {
        self.out.push('[');
        if self.rest.next_if_eq(&'^').is_some() {
            self.out.push('^');
        }
        let mut is_first = true;
        loop {
            match self.rest.next().ok_or(PatternError::Bad)? {
                ']' if !is_first => {
                    self.out.push(']');
                    return Ok(());
                }
                '[' if self.rest.peek() == Some(&':') => self.translate_named_class(),
                '\\' => match self.rest.next().ok_or(PatternError::Bad)? {
                    'd' => self.out.push_str("0-9"),
                    'D' => self.out.push_str("[^0-9]"),
                    'w' => self.out.push_str("0-9A-Za-z_"),
                    'W' => self.out.push_str("[^0-9A-Za-z_]"),
                    's' => self.out.push_str(r"\t\n\x0C\r\x20"),
                    'S' => self.out.push_str(r"[^\t\n\x0C\r\x20]"),
                    of @ ('p' | 'P') => self.translate_category(of)?,
                    other => {
                        let from = self.parse_escaped_character(other)?;
                        self.translate_range(from)?;
                    }
                },
                // A literal dash must be the first or last character.
                '-' if !is_first && self.rest.peek() != Some(&']') => return Err(PatternError::Bad),
                other => self.translate_range(other)?,
            }
            is_first = false;
        }
    }

    /// Translates a character, or a range that starts with it.
    fn translate_range(&mut self, from: char) -> Result<(), PatternError> {
        let mut ahead = self.rest.clone();
        if ahead.next() != Some('-') || matches!(ahead.peek(), None | Some(']')) {
            self.write_member(from);
            return Ok(());
        }
        self.rest = ahead;
        let to = match self.rest.next().ok_or(PatternError::Bad)? {
            '\\' => {
                let after = self.rest.next().ok_or(PatternError::Bad)?;
                self.parse_escaped_character(after)?
            }
            other => other,
        };
        if to < from {
            return Err(PatternError::Bad);
        }
        self.write_member(from);
        self.out.push('-');
        self.write_member(to);
        Ok(())
    }

    fn write_member(&mut self, of: char) {
        if of.is_ascii_punctuation() {
            self.out.push('\\');
        }
        self.out.push(of);
    }

    /// Translates a named class such as `[:alpha:]`.
    fn translate_named_class(&mut self) {
        let mut ahead = self.rest.clone();
        ahead.next();
        let mut name = String::new();
        loop {
            match ahead.next() {
                Some(':') => break,
                Some(c) if (c.is_ascii_lowercase() || c == '^') && name.len() < 10 => name.push(c),
                _ => {
                    self.write_member('[');
                    return;
                }
            }
        }
        if ahead.next() != Some(']') {
            self.write_member('[');
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
    use super::{PatternError, compile};

    fn is_match(pattern: &str, text: &str) -> bool {
        compile(pattern).unwrap_or_else(|why| panic!("{pattern}: {why:?}")).is_match(text)
    }

    #[test]
    fn patterns_match_like_in_go() {
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
    fn invalid_and_unsupported_patterns_are_errors() {
        for bad in ["(", "a**", "a{1001}", r"\u0041", r"\y", "(?x)a", "[b-a]", "[a-", r"(?=a)", r"\Z"] {
            assert_eq!(compile(bad).err(), Some(PatternError::Bad), "{bad}");
        }
        for unknown in [r"\p{Greek}", r"\B", "(a{500}){500}", r"\101"] {
            assert_eq!(compile(unknown).err(), Some(PatternError::Unknown), "{unknown}");
        }
    }
}
