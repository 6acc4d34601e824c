//! Minimal scanner for Rust source: tokens without comments and literals, and every path in full.

/// Keywords that may precede a path that begins with `::`, and are not part of it.
const KEYWORDS: [&str; 17] = [
    "as", "break", "const", "dyn", "else", "for", "if", "impl", "in", "let", "match", "mut", "pub", "ref",
    "return", "use", "where",
];

/// Word or sign of a source file. A literal becomes an empty token, so that the tokens around it
/// are
/// not joined.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// Text of the word or sign; empty for a literal.
    pub text: String,
    /// Line, from 1.
    pub line: usize,
}

/// Splits Rust source into words, `::` and single signs, without comments and contents of literals.
pub fn tokens(source: &str) -> Vec<Token> {
    let chars: Vec<char> = source.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let word = |c: char| c == '_' || c.is_alphanumeric();
    let (mut out, mut i, mut line) = (Vec::new(), 0, 1);
    while i < chars.len() {
        let start = i;
        let mut text = String::new();
        match at(i) {
            '/' if at(i + 1) == '/' => {
                while i < chars.len() && at(i) != '\n' {
                    i += 1;
                }
                continue;
            }
            '/' if at(i + 1) == '*' => {
                let mut depth = 0_usize;
                loop {
                    match (at(i), at(i + 1)) {
                        ('/', '*') => (depth, i) = (depth + 1, i + 2),
                        ('*', '/') => (depth, i) = (depth - 1, i + 2),
                        _ => i += 1,
                    }
                    if depth == 0 || i >= chars.len() {
                        break;
                    }
                }
                line += chars[start..i.min(chars.len())].iter().filter(|c| **c == '\n').count();
                continue;
            }
            c if c.is_whitespace() => {
                line += usize::from(c == '\n');
                i += 1;
                continue;
            }
            '"' => i = after_quoted(&chars, i),
            // A quote begins a character if it is closed after one (`'a'`) or an escape follows;
            // otherwise a
            // lifetime.
            '\'' if at(i + 1) == '\\' || at(i + 2) == '\'' => i = after_quoted(&chars, i),
            '\'' => i += 1,
            ':' if at(i + 1) == ':' => (text, i) = ("::".into(), i + 2),
            c if word(c) => {
                while word(at(i)) {
                    i += 1;
                }
                text = chars[start..i].iter().collect();
                let hashes = chars[i..].iter().take_while(|c| **c == '#').count();
                if matches!(text.as_str(), "r" | "br" | "cr") && at(i + hashes) == '"' {
                    i = after_raw(&chars, i, hashes);
                    text.clear();
                }
            }
            c => (text, i) = (c.to_string(), i + 1),
        }
        out.push(Token { text, line });
        line += chars[start..i.min(chars.len())].iter().filter(|c| **c == '\n').count();
    }
    out
}

/// Returns the index after a quoted literal that begins at `open`.
fn after_quoted(chars: &[char], open: usize) -> usize {
    let mut i = open + 1;
    while i < chars.len() && chars[i] != chars[open] {
        i += if chars[i] == '\\' { 2 } else { 1 };
    }
    i + 1
}

/// Returns the index after a raw string whose `#`s begin at `open`.
fn after_raw(chars: &[char], open: usize, hashes: usize) -> usize {
    let mut i = open + hashes + 1;
    while i < chars.len() {
        if chars[i] == '"' && chars[i + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes {
            return i + 1 + hashes;
        }
        i += 1;
    }
    i
}

/// Path with all its segments: `use a::{b, c::d}` becomes `a::b` and `a::c::d`.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// Segments of the path.
    pub segments: Vec<String>,
    /// Line on which the path, or its part of a group, begins.
    pub line: usize,
    /// Number of inline `mod name {` blocks around the path.
    pub inside: usize,
    /// True if the path belongs to an item under `#[cfg(test)]`.
    pub test: bool,
    /// True if the path only restricts visibility: `pub(super)`, `pub(in a::b)`.
    pub sight: bool,
}

/// Returns the module path of a file: `tui::work` for `tui/work.rs` and for `tui/work/mod.rs`.
pub fn module(file: &str) -> Vec<&str> {
    let mut parts: Vec<_> = file.strip_suffix(".rs").unwrap_or(file).split('/').collect();
    if matches!(parts.last(), Some(&("mod" | "lib" | "main"))) {
        parts.pop();
    }
    parts
}

/// Resolves a path from the crate root; `None` if it does not start with `crate`, `olmap`, `self`
/// or `super`. Other paths begin with an item that a `use` or `mod` of the same file defines. A
/// path that stays inside its inline module is `None` too.
pub fn from_root<'a>(path: &'a Written, file: &'a str) -> Option<Vec<&'a str>> {
    let first = path.segments.first()?;
    let rest = path.segments.iter().map(String::as_str).filter(|s| *s != "self");
    if first == "crate" || (first == "olmap" && path.segments.len() > 1) {
        return Some(rest.skip(1).collect());
    }
    if first != "self" && first != "super" {
        return None;
    }
    let ups = rest.clone().take_while(|s| *s == "super").count();
    let mut named = module(file);
    named.truncate(named.len().saturating_sub(ups.checked_sub(path.inside)?));
    named.extend(rest.skip(ups));
    Some(named)
}

/// Returns every path in a file, including single words.
pub fn paths(tokens: &[Token]) -> Vec<Written> {
    let text = |i: usize| tokens.get(i).map_or("", |t| t.text.as_str());
    let ranges = test_ranges(tokens);
    let (mut out, mut i, mut depth, mut modules) = (Vec::new(), 0, 0_usize, Vec::new());
    while i < tokens.len() {
        match text(i) {
            "{" => {
                depth += 1;
                if i >= 2 && text(i - 2) == "mod" {
                    modules.push(depth);
                }
            }
            "}" => {
                modules.retain(|m| *m < depth);
                depth = depth.saturating_sub(1);
            }
            word if is_word(word) && !KEYWORDS.contains(&word) => {
                let first = out.len();
                let sight = says_who_may_see(tokens, i);
                i = spell_out(tokens, i, &mut Vec::new(), &mut out);
                for path in &mut out[first..] {
                    path.inside = modules.len();
                    path.test = ranges.iter().any(|r| r.contains(&(i - 1)));
                    path.sight = sight;
                }
                continue;
            }
            _ => {}
        }
        i += 1;
    }
    out
}

/// Returns true if the path at `i` is in `pub(..)`. Without `in`, it is a single word: `pub
/// (super::A, B)`
/// contains two types.
fn says_who_may_see(tokens: &[Token], i: usize) -> bool {
    let before = |n: usize| i.checked_sub(n).and_then(|i| tokens.get(i)).map_or("", |t| t.text.as_str());
    let single = tokens.get(i + 1).is_some_and(|t| t.text == ")");
    (before(1) == "in" && before(2) == "(" && before(3) == "pub")
        || (before(1) == "(" && before(2) == "pub" && single)
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c == '_' || c.is_alphabetic())
}

/// Expands the path or use tree at `i` after `prefix`, and returns the index after it. Recursion is
/// safe, because groups are not deeply nested in handwritten code.
fn spell_out(tokens: &[Token], mut i: usize, prefix: &mut Vec<String>, out: &mut Vec<Written>) -> usize {
    let text = |i: usize| tokens.get(i).map_or("", |t| t.text.as_str());
    let (kept, line) = (prefix.len(), tokens.get(i).map_or(0, |t| t.line));
    loop {
        match text(i) {
            "{" => {
                i += 1;
                while i < tokens.len() && text(i) != "}" {
                    i = if text(i) == "," { i + 1 } else { spell_out(tokens, i, prefix, out) };
                }
                prefix.truncate(kept);
                return i + 1;
            }
            word if is_word(word) || word == "*" => {
                prefix.push(word.to_owned());
                i += 1;
            }
            // A generic argument after `::`, or a sign in a group that is not a path, ends the
            // path.
            _ => {
                i += usize::from(prefix.len() == kept);
                break;
            }
        }
        if text(i) != "::" {
            break;
        }
        i += 1;
    }
    if text(i) == "as" && is_word(text(i + 1)) {
        // `use crate as c` equals `use crate::{self as c}`, but the `crate` in `pub(crate)` is
        // different.
        if prefix.len() == 1 {
            prefix.push("self".into());
        }
        i += 2;
    }
    out.push(Written { segments: prefix.clone(), line, inside: 0, test: false, sight: false });
    prefix.truncate(kept);
    i
}

/// Returns the token ranges of items under `#[cfg(test)]` or `cfg(all(test, ..))`.
fn test_ranges(tokens: &[Token]) -> Vec<std::ops::Range<usize>> {
    let text = |i: usize| tokens.get(i).map_or("", |t| t.text.as_str());
    let mut out = Vec::new();
    for start in 0..tokens.len() {
        let inner = usize::from(text(start + 1) == "!");
        let cfg = start + inner;
        if text(start) != "#" || text(cfg + 1) != "[" || text(cfg + 2) != "cfg" {
            continue;
        }
        let close = (cfg..tokens.len()).find(|i| text(*i) == "]").unwrap_or(tokens.len());
        let says = |word: &str| (cfg..close).any(|i| text(i) == word);
        if !says("test") || says("not") {
            continue;
        }
        if inner == 1 {
            return std::iter::once(0..tokens.len()).collect();
        }
        let (mut i, mut depth) = (close + 1, 0_usize);
        while i < tokens.len() {
            match text(i) {
                "(" | "[" | "{" => depth += 1,
                ";" if depth == 0 => break,
                "}" if depth <= 1 => break,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            i += 1;
        }
        out.push(start..i + 1);
    }
    out
}

/// Returns the names of modules in their own files that are declared with `#[cfg(test)] mod name;`.
pub fn test_modules(tokens: &[Token]) -> Vec<String> {
    test_ranges(tokens)
        .into_iter()
        .filter_map(|range| match tokens.get(range)? {
            [.., module, name, end] if module.text == "mod" && end.text == ";" => Some(name.text.clone()),
            _ => None,
        })
        .collect()
}
