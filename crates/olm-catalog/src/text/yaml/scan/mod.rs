//! Splits text into tokens like the scanner of go-yaml v2, a modified port of libyaml.
//!
//! The time is linear in the length of every text, even with a thousand nested `[` or a thousand
//! words that might be keys.

mod keys;
mod property;
mod scalars;

use std::{borrow::Cow, collections::VecDeque};

use super::{Cursor, ReadError, ReadErrorKind, unfold};
use keys::{NoColon, SimpleKey, SimpleKeys};

pub(super) use keys::{Bracket, Style, Token, TokenKind};

type ScanResult<T> = Result<T, ReadError>;

/// Splits a text into tokens.
pub(super) struct Scanner<'a> {
    cursor: Cursor<'a>,
    /// Tokens that may still turn out to be keys.
    queue: VecDeque<Queued<'a>>,
    /// Final tokens.
    ready: VecDeque<Token<'a>>,
    /// Number of tokens removed from the queue.
    taken: usize,
    keys: SimpleKeys,
    /// True if a key may begin here.
    may_begin_key: bool,
    /// Number of open brackets.
    level: usize,
    /// Column of the innermost list or map outside of brackets; `None` at the top level.
    indent: Option<usize>,
    /// Columns of the lists and maps around it.
    indents: Vec<Option<usize>>,
}

struct Queued<'a> {
    token: Token<'a>,
    /// Construct that begins with the token.
    begins: Begins,
}

#[derive(Clone, Copy, PartialEq)]
enum Begins {
    Nothing,
    Key,
    /// A map, by its first key.
    Map,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            cursor: Cursor::new(text),
            queue: VecDeque::new(),
            ready: VecDeque::new(),
            taken: 0,
            keys: SimpleKeys::default(),
            may_begin_key: true,
            level: 0,
            indent: None,
            indents: Vec::new(),
        }
    }

    /// Returns true if the result depended on where the text ends.
    pub(super) fn saw_end(&self) -> bool {
        self.cursor.saw_end
    }

    /// Returns the next token without removing it. Fails after the end of the stream; callers stop
    /// before.
    pub(super) fn peek(&mut self) -> ScanResult<&Token<'a>> {
        if self.ready.is_empty() {
            self.finish_oldest_token()?;
        }
        match self.ready.front() {
            Some(token) => Ok(token),
            None => Err(unexpected_end(&self.cursor)),
        }
    }

    /// Removes and returns the next token.
    pub(super) fn take(&mut self) -> ScanResult<Token<'a>> {
        self.peek()?;
        self.ready.pop_front().ok_or_else(|| unexpected_end(&self.cursor))
    }

    /// Moves the oldest token to `ready`. First reads on until it is certain whether the token is a
    /// key.
    fn finish_oldest_token(&mut self) -> ScanResult<()> {
        loop {
            if !self.queue.is_empty() {
                self.drop_stale_keys()?;
                if !self.keys.may_be(self.taken) {
                    break;
                }
            }
            self.fetch_token()?;
        }
        let Some(Queued { token, begins }) = self.queue.pop_front() else { return Ok(()) };
        self.taken += 1;
        let start = token.start;
        let mark = |kind| Token { kind, start, end: start };
        if begins == Begins::Map {
            self.ready.push_back(mark(TokenKind::BlockMappingStart));
        }
        if begins != Begins::Nothing {
            self.ready.push_back(mark(TokenKind::Key));
        }
        self.ready.push_back(token);
        Ok(())
    }

    /// Reads the next token and adds it to the queue, after tokens for the blocks that end or begin
    /// before it.
    fn fetch_token(&mut self) -> ScanResult<()> {
        self.go_to_token();
        self.drop_stale_keys()?;
        self.close_blocks(Some(self.cursor.column()));
        let Some(byte) = self.cursor.byte(0) else { return self.scan_stream_end() };
        if self.cursor.column() == 0 {
            let marker = match byte {
                b'%' => return self.scan_directive(),
                b'-' => TokenKind::DocumentStart,
                _ => TokenKind::DocumentEnd,
            };
            if self.cursor.is_at_marker() {
                self.close_blocks(None);
                self.remove_key_candidate()?;
                self.may_begin_key = false;
                self.push_indicator(marker, 3);
                return Ok(());
            }
        }
        let in_flow = self.level > 0;
        match byte {
            b'[' => self.scan_flow_start(Bracket::Square),
            b'{' => self.scan_flow_start(Bracket::Curly),
            b']' => self.scan_flow_end(Bracket::Square),
            b'}' => self.scan_flow_end(Bracket::Curly),
            b',' => {
                self.remove_key_candidate()?;
                self.may_begin_key = true;
                self.push_indicator(TokenKind::FlowEntry, 1);
                Ok(())
            }
            b'-' if self.cursor.is_space(1) => self.scan_block_entry(),
            b'?' if in_flow || self.cursor.is_space(1) => self.scan_key(),
            b':' if in_flow || self.cursor.is_space(1) => self.scan_value(),
            b'*' => self
                .scan_possible_key(|scanner| scanner.scan_name("while scanning an alias", TokenKind::Alias)),
            b'&' => self.scan_possible_key(|scanner| {
                scanner.scan_name("while scanning an anchor", TokenKind::Anchor)
            }),
            b'!' => self.scan_possible_key(Self::scan_tag),
            b'|' | b'>' if !in_flow => self.scan_block_scalar(),
            b'\'' | b'"' => self.scan_possible_key(Self::scan_quoted),
            // These may begin text unless they are indicators.
            b'-' | b'?' | b':' => self.scan_possible_key(Self::scan_plain_scalar),
            b'#' | b'|' | b'>' | b'%' | b'@' | b'`' | b'\t' => Err(self
                .error("while scanning for the next token", "found character that cannot start any token")),
            _ => self.scan_possible_key(Self::scan_plain_scalar),
        }
    }

    /// Skips blanks, comments and line breaks.
    fn go_to_token(&mut self) {
        loop {
            // Tabs are allowed if they cannot be taken for indentation.
            while self.cursor.is_at(b' ')
                || (self.level > 0 || !self.may_begin_key) && self.cursor.is_at(b'\t')
            {
                self.cursor.skip();
            }
            self.cursor.skip_comment();
            if self.cursor.line_break(0) == 0 {
                return;
            }
            self.cursor.skip_line_break();
            if self.level == 0 {
                self.may_begin_key = true;
            }
        }
    }

    fn push_token(&mut self, token: Token<'a>) {
        self.queue.push_back(Queued { token, begins: Begins::Nothing });
    }

    /// Adds a token of length zero.
    fn push_mark(&mut self, kind: TokenKind<'a>) {
        let at = self.cursor.at;
        self.push_token(Token { kind, start: at, end: at });
    }

    /// Adds a token of `length` characters of one byte each.
    fn push_indicator(&mut self, kind: TokenKind<'a>, length: usize) {
        let start = self.cursor.at;
        (0..length).for_each(|_| self.cursor.skip());
        self.push_token(Token { kind, start, end: self.cursor.at });
    }

    fn scan_stream_end(&mut self) -> ScanResult<()> {
        self.close_blocks(None);
        self.remove_key_candidate()?;
        self.may_begin_key = false;
        self.push_mark(TokenKind::StreamEnd);
        Ok(())
    }

    fn scan_flow_start(&mut self, bracket: Bracket) -> ScanResult<()> {
        self.add_key_candidate()?;
        self.level += 1;
        self.may_begin_key = true;
        self.push_indicator(TokenKind::FlowStart(bracket), 1);
        Ok(())
    }

    fn scan_flow_end(&mut self, bracket: Bracket) -> ScanResult<()> {
        self.remove_key_candidate()?;
        self.level = self.level.saturating_sub(1);
        self.may_begin_key = false;
        self.push_indicator(TokenKind::FlowEnd(bracket), 1);
        Ok(())
    }

    fn scan_block_entry(&mut self) -> ScanResult<()> {
        self.open_block_here(
            TokenKind::BlockSequenceStart,
            "block sequence entries are not allowed in this context",
        )?;
        self.remove_key_candidate()?;
        self.may_begin_key = true;
        self.push_indicator(TokenKind::BlockEntry, 1);
        Ok(())
    }

    /// Reads `?`.
    fn scan_key(&mut self) -> ScanResult<()> {
        self.open_block_here(TokenKind::BlockMappingStart, "mapping keys are not allowed in this context")?;
        self.remove_key_candidate()?;
        self.may_begin_key = self.level == 0;
        self.push_indicator(TokenKind::Key, 1);
        Ok(())
    }

    /// Reads `:`.
    fn scan_value(&mut self) -> ScanResult<()> {
        if let Some(key) = self.keys.take(self.level) {
            let opens = self.open_block(key.column);
            if let Some(queued) = self.queue.get_mut(key.token - self.taken) {
                queued.begins = if opens { Begins::Map } else { Begins::Key };
            }
            self.may_begin_key = false;
        } else {
            self.open_block_here(
                TokenKind::BlockMappingStart,
                "mapping values are not allowed in this context",
            )?;
            self.may_begin_key = self.level == 0;
        }
        self.push_indicator(TokenKind::Value, 1);
        Ok(())
    }

    /// Adds a token that becomes a key if a `:` follows.
    fn scan_possible_key(&mut self, scan: impl FnOnce(&mut Self) -> ScanResult<Token<'a>>) -> ScanResult<()> {
        self.add_key_candidate()?;
        self.may_begin_key = false;
        let token = scan(self)?;
        self.push_token(token);
        Ok(())
    }

    /// Begins a list or map at a column if it is outside of brackets and further right than its parent.
    fn open_block(&mut self, column: usize) -> bool {
        let opens = self.level == 0 && self.indent.is_none_or(|indent| indent < column);
        if opens {
            self.indents.push(self.indent.replace(column));
        }
        opens
    }

    /// Begins a list or map whose entry begins here; an error if none may begin.
    fn open_block_here(&mut self, kind: TokenKind<'a>, otherwise: &'static str) -> ScanResult<()> {
        if self.level == 0 && !self.may_begin_key {
            return Err(self.error("", otherwise));
        }
        if self.open_block(self.cursor.column()) {
            self.push_mark(kind);
        }
        Ok(())
    }

    /// Ends the lists and maps that are further right than a column; all of them for `None`.
    fn close_blocks(&mut self, column: Option<usize>) {
        if self.level > 0 {
            return;
        }
        while self.indent > column {
            self.push_mark(TokenKind::BlockEnd);
            self.indent = self.indents.pop().flatten();
        }
    }

    /// Records the next token as a candidate for a key, if a key may begin here.
    fn add_key_candidate(&mut self) -> ScanResult<()> {
        if !self.may_begin_key {
            return Ok(());
        }
        let is_required = self.level == 0 && self.indent == Some(self.cursor.column());
        let number = self.taken + self.queue.len();
        let key = SimpleKey::at_cursor(&self.cursor, self.level, number, is_required);
        self.keys.add_candidate(key).map_err(|NoColon| self.no_colon())
    }

    /// Removes the candidate for a key of the current level.
    fn remove_key_candidate(&mut self) -> ScanResult<()> {
        self.keys.remove_candidate(self.level).map_err(|NoColon| self.no_colon())
    }

    fn drop_stale_keys(&mut self) -> ScanResult<()> {
        self.keys.drop_stale(&self.cursor).map_err(|NoColon| self.no_colon())
    }

    fn no_colon(&self) -> ReadError {
        self.error("while scanning a simple key", "could not find expected ':'")
    }

    /// Returns an error at the current character.
    fn error(&self, context: &'static str, problem: &'static str) -> ReadError {
        error_at(self.cursor.text, self.cursor.at, context, problem)
    }
}

/// Returns an error at the character at a position.
pub(super) fn error_at(text: &str, at: usize, context: &'static str, problem: &'static str) -> ReadError {
    let at = at.min(text.len());
    let length = text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    let context = Some(context).filter(|context| !context.is_empty());
    ReadErrorKind::Yaml { problem, context }.at_span(at..at + length)
}

fn unexpected_end(cursor: &Cursor<'_>) -> ReadError {
    error_at(cursor.text, cursor.at, "", "the document has ended")
}

const CONTEXT: &str = "while scanning a directive";

const VERSION: &str = "while scanning a %YAML directive";

impl Scanner<'_> {
    /// Reads a directive at its `%`.
    fn scan_directive(&mut self) -> ScanResult<()> {
        self.close_blocks(None);
        self.remove_key_candidate()?;
        self.may_begin_key = false;
        let start = self.cursor.at;
        self.cursor.skip();
        let name = self.scan_word();
        if name.is_empty() {
            return Err(self.error(CONTEXT, "could not find expected directive name"));
        }
        if !self.cursor.is_space(0) {
            return Err(self.error(CONTEXT, "found unexpected non-alphabetical character"));
        }
        let kind = match name {
            "YAML" => {
                let (major, minor) = self.scan_version()?;
                TokenKind::Version { major, minor }
            }
            "TAG" => {
                let (handle, prefix) = self.scan_tag_directive()?;
                TokenKind::TagDirective { handle, prefix }
            }
            _ => return Err(self.error(CONTEXT, "found unknown directive name")),
        };
        let end = self.cursor.at;
        self.cursor.skip_blanks();
        self.cursor.skip_comment();
        if !self.cursor.is_line_end() {
            return Err(self.error(CONTEXT, "did not find expected comment or line break"));
        }
        self.cursor.skip_line_break();
        self.push_token(Token { kind, start, end });
        Ok(())
    }

    fn scan_version(&mut self) -> ScanResult<(u32, u32)> {
        self.cursor.skip_blanks();
        let major = self.scan_version_number()?;
        if !self.cursor.is_at(b'.') {
            return Err(self.error(VERSION, "did not find expected digit or '.' character"));
        }
        self.cursor.skip();
        Ok((major, self.scan_version_number()?))
    }

    fn scan_version_number(&mut self) -> ScanResult<u32> {
        let start = self.cursor.at;
        let mut number = 0;
        while let Some(digit) = self.cursor.byte(0).and_then(|byte| char::from(byte).to_digit(10)) {
            if self.cursor.at - start == 9 {
                return Err(self.error(VERSION, "found extremely long version number"));
            }
            number = number * 10 + digit;
            self.cursor.skip();
        }
        if self.cursor.at == start {
            return Err(self.error(VERSION, "did not find expected version number"));
        }
        Ok(number)
    }
}

impl<'a> Scanner<'a> {
    /// Reads the plain scalar at the current position, and the blanks and line breaks after it.
    fn scan_plain_scalar(&mut self) -> ScanResult<Token<'a>> {
        let start = self.cursor.at;
        let mut end = start;
        let mut text = "";
        let mut has_breaks = false;
        // True if line breaks follow the text read so far.
        let mut ends_line = false;
        while !self.cursor.is_at_marker() && !self.cursor.is_at(b'#') {
            let before = self.cursor.at;
            self.skip_text();
            if self.cursor.at > before {
                has_breaks |= ends_line;
                ends_line = false;
                end = self.cursor.at;
                text = self.cursor.text_since(start);
            }
            if !self.cursor.is_blank(0) && self.cursor.line_break(0) == 0 {
                break;
            }
            ends_line |= self.skip_gap()?;
            if self.level == 0 && !self.is_indented() {
                break;
            }
        }
        if ends_line {
            self.may_begin_key = true;
        }
        let text = if has_breaks { Cow::Owned(unfold::fold_plain(text)) } else { Cow::Borrowed(text) };
        Ok(Token { kind: TokenKind::Scalar { text, style: Style::Plain }, start, end })
    }

    /// Skips text up to a blank or an indicator.
    fn skip_text(&mut self) {
        let in_flow = self.level > 0;
        while let Some(byte) = self.cursor.byte(0) {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => return,
                b':' if self.cursor.is_space(1) => return,
                // Specific to go-yaml: `?` ends the scalar, and `:` may precede any of these.
                b',' | b'?' | b'[' | b']' | b'{' | b'}' if in_flow => return,
                0xC2 | 0xE2 if self.cursor.is_space(0) => return,
                _ => self.cursor.skip(),
            }
        }
    }

    /// Skips blanks and line breaks. Returns true if there was a line break.
    fn skip_gap(&mut self) -> ScanResult<bool> {
        let mut ends_line = false;
        loop {
            if self.cursor.is_blank(0) {
                if ends_line && self.cursor.is_at(b'\t') && !self.is_indented() {
                    let problem = "found a tab character that violates indentation";
                    return Err(self.error("while scanning a plain scalar", problem));
                }
                self.cursor.skip();
            } else if self.cursor.line_break(0) > 0 {
                self.cursor.skip_line_break();
                ends_line = true;
            } else {
                return Ok(ends_line);
            }
        }
    }

    /// Returns true if the column is further right than the list or map around it.
    fn is_indented(&self) -> bool {
        Some(self.cursor.column()) > self.indent
    }
}
