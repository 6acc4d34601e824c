//! Rendering of Markdown descriptions in catalogs (`CommonMark` with tables) as lines of text. The
//! input is untrusted: lines never exceed the requested width, and only the beginning of a long
//! text is parsed.

#[cfg(test)]
mod tests;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use unicode_segmentation::UnicodeSegmentation;

use super::{
    document::{Line, piece},
    escape,
    style::Ink,
};

/// Maximum number of bytes that are parsed. Descriptions of published operators have a few
/// thousand.
pub const MAX_MARKDOWN_BYTES: usize = 64 * 1024;

/// Maximum indentation of lists and quotations in columns.
const MAX_INDENT: usize = 16;

/// Renders Markdown as lines of at most `columns` columns. Text beyond [`MAX_MARKDOWN_BYTES`] bytes is dropped,
/// and the last line gives the total size.
pub fn render_markdown_lines(markdown: &str, columns: usize, ascii: bool) -> Vec<Line> {
    let end = (0..=MAX_MARKDOWN_BYTES.min(markdown.len()))
        .rev()
        .find(|at| markdown.is_char_boundary(*at))
        .unwrap_or_default();
    let (read, rest) = markdown.split_at(end);
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut writer = Writer::new(columns, ascii);
    for event in Parser::new_ext(read, options) {
        writer.handle_event(event);
    }
    writer.end_block();
    if !rest.is_empty() {
        let all = markdown.len() / 1024;
        writer.push_blank_line();
        writer.block.push(
            &format!("The first {} of {all} KB; see the file for the rest.", MAX_MARKDOWN_BYTES / 1024),
            Ink::Dim,
        );
        writer.end_block();
    }
    writer.lines
}

/// Writer that turns Markdown events into lines.
struct Writer {
    lines: Vec<Line>,
    columns: usize,
    ascii: bool,
    /// Block that is being collected.
    block: Block,
    html: Stripper,
    /// Open lists: the number of the next item if the list is numbered.
    lists: Vec<Option<u64>>,
    quotes: usize,
    /// Mark of an item that does not have a line yet.
    mark: Option<String>,
    /// Number of open headings, table headings and emphases.
    strong: usize,
    /// Addresses of open links and images, each with the offset of its text.
    links: Vec<(String, usize)>,
    /// True if a blank line precedes the next block.
    apart: bool,
}

impl Writer {
    fn new(columns: usize, ascii: bool) -> Self {
        Self {
            lines: Vec::new(),
            columns: columns.max(1),
            ascii,
            block: Block::default(),
            html: Stripper::default(),
            lists: Vec::new(),
            quotes: 0,
            mark: None,
            strong: 0,
            links: Vec::new(),
            apart: false,
        }
    }

    fn handle_event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.open_tag(tag),
            Event::End(tag) => self.close_tag(tag),
            Event::Text(text) if self.block.keeps_blanks => self.block.push_lines(&text, Ink::Code),
            Event::Text(text) => self.push_text(&text),
            Event::Code(code) => self.block.push(&code, Ink::Code),
            Event::InlineMath(text) | Event::DisplayMath(text) => self.push_text(&text),
            Event::Html(html) | Event::InlineHtml(html) => {
                let text = self.html.strip_tags(&html);
                let ink = self.current_ink();
                self.block.push_lines(&text, ink);
            }
            Event::FootnoteReference(name) => self.push_text(&format!("[{name}]")),
            Event::SoftBreak => self.push_text(" "),
            Event::HardBreak => self.block.end_line(),
            Event::Rule => {
                self.push_blank_line();
                let mark = if self.ascii { "-" } else { "─" };
                self.block.push(&mark.repeat(self.columns.min(20)), Ink::Dim);
                self.end_block();
                self.apart = true;
            }
            Event::TaskListMarker(done) => self.push_text(if done { "[x] " } else { "[ ] " }),
        }
    }

    fn open_tag(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { .. } => {
                self.begin_block();
                self.strong += 1;
            }
            Tag::Emphasis | Tag::Strong | Tag::TableHead => self.strong += 1,
            Tag::BlockQuote(_) => {
                self.begin_block();
                self.quotes += 1;
            }
            Tag::CodeBlock(_) => {
                self.begin_block();
                self.block.keeps_blanks = true;
            }
            Tag::List(first) => {
                if self.lists.is_empty() {
                    self.begin_block();
                } else {
                    self.end_block();
                }
                self.apart = self.apart && self.lists.is_empty();
                self.lists.push(first);
            }
            Tag::Item => {
                self.end_block();
                self.mark = Some(match self.lists.last_mut() {
                    Some(Some(number)) => {
                        let mark = format!("{number}. ");
                        *number = number.saturating_add(1);
                        mark
                    }
                    _ => "- ".to_owned(),
                });
            }
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links.push((dest_url.into_string(), self.block.len()));
            }
            Tag::Paragraph | Tag::Table(_) | Tag::HtmlBlock => self.begin_block(),
            _ => {}
        }
    }

    fn close_tag(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.end_block();
                self.strong = self.strong.saturating_sub(1);
                self.apart = true;
            }
            TagEnd::Emphasis | TagEnd::Strong => self.strong = self.strong.saturating_sub(1),
            TagEnd::BlockQuote(_) => {
                self.end_block();
                self.quotes = self.quotes.saturating_sub(1);
                self.apart = true;
            }
            TagEnd::CodeBlock => {
                self.end_block();
                self.apart = true;
            }
            TagEnd::List(_) => {
                self.end_block();
                self.lists.pop();
                self.apart = self.lists.is_empty();
            }
            TagEnd::Item => {
                self.end_block();
                self.mark = None;
            }
            TagEnd::Link | TagEnd::Image => {
                let Some((address, from)) = self.links.pop() else { return };
                let (address, shown) = (escape::escape_line(&address), self.block.text_from(from));
                // A link whose text is its address shows the address once.
                if !address.is_empty() && address != shown && address.strip_prefix("mailto:") != Some(&shown)
                {
                    let gap = if shown.is_empty() { "" } else { " " };
                    self.push_text(&format!("{gap}("));
                    self.block.push(&address, Ink::Link);
                    self.push_text(")");
                }
            }
            TagEnd::TableCell => self.push_text("  "),
            TagEnd::TableHead => {
                self.end_block();
                self.strong = self.strong.saturating_sub(1);
            }
            TagEnd::TableRow => self.end_block(),
            TagEnd::Paragraph | TagEnd::Table | TagEnd::HtmlBlock => {
                self.end_block();
                // Items are not separated by blank lines, even if they are in the source.
                self.apart = self.lists.is_empty();
            }
            _ => {}
        }
    }

    fn current_ink(&self) -> Ink {
        if self.strong > 0 { Ink::Title } else { Ink::Text }
    }

    fn push_text(&mut self, text: &str) {
        self.block.push(text, self.current_ink());
    }

    /// Starts a block, separated from the previous one.
    fn begin_block(&mut self) {
        self.end_block();
        self.push_blank_line();
    }

    fn push_blank_line(&mut self) {
        if std::mem::take(&mut self.apart) && !self.lines.is_empty() {
            let bars = self.quotation_bars();
            self.lines.push(bars);
        }
    }

    /// Returns the prefix of each line of a quotation.
    fn quotation_bars(&self) -> Line {
        let most = (self.columns / 2).min(MAX_INDENT) / 2;
        let bar = if self.ascii { "| " } else { "│ " };
        match self.quotes.min(most) {
            0 => Vec::new(),
            deep => vec![piece(bar.repeat(deep), Ink::Dim)],
        }
    }

    /// Turns the collected block into lines.
    fn end_block(&mut self) {
        let block = std::mem::take(&mut self.block);
        if block.is_empty() {
            return;
        }
        let bars = self.quotation_bars();
        let room =
            self.columns.saturating_sub(bars.iter().map(|piece| escape::count_columns(&piece.text)).sum());
        let deep = (2 * self.lists.len().saturating_sub(1)).min(MAX_INDENT).min(room / 2);
        let mark = self.mark.take();
        let own = match (&mark, self.lists.is_empty()) {
            (Some(mark), _) => mark.len(),
            (None, true) if block.keeps_blanks => 2,
            (None, true) => 0,
            (None, false) => 2,
        };
        // Leaves at least one column for the text, at any indentation.
        let own = own.min((room - deep) / 2);
        let first = format!(
            "{}{}",
            " ".repeat(deep),
            mark.map_or_else(|| " ".repeat(own), |mark| escape::fitting_prefix(&mark, own).to_owned())
        );
        let others = " ".repeat(deep + own);
        for (number, line) in block.wrap_lines(room.saturating_sub(deep + own).max(1)).into_iter().enumerate()
        {
            let indent = if number == 0 { &first } else { &others };
            let mut whole = bars.clone();
            if !indent.is_empty() {
                whole.push(piece(indent.as_str(), Ink::Text));
            }
            whole.extend(line);
            self.lines.push(whole);
        }
    }
}

/// Filter that removes tags; a tag may span several pieces of text.
#[derive(Debug, Default)]
struct Stripper {
    within: Within,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Within {
    #[default]
    Text,
    Tag,
    Comment,
}

/// Common named character references of HTML.
const NAMED: [(&str, &str); 6] =
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&")];

impl Stripper {
    /// Returns the text of an HTML fragment, with a line break for each element that requires one.
    pub fn strip_tags(&mut self, html: &str) -> String {
        let mut text = String::new();
        let mut rest = html;
        while !rest.is_empty() {
            let (end, then) = match self.within {
                Within::Text if rest.starts_with("<!--") => ("<!--", Within::Comment),
                Within::Text if rest.starts_with('<') => {
                    if is_break(rest) {
                        text.push('\n');
                    }
                    ("<", Within::Tag)
                }
                Within::Text => {
                    let at = rest.find('<').unwrap_or(rest.len());
                    let (words, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
                    text.push_str(words);
                    rest = after;
                    continue;
                }
                Within::Tag => (">", Within::Text),
                Within::Comment => ("-->", Within::Text),
            };
            let Some((_, after)) = rest.split_once(end) else { break };
            rest = after;
            self.within = then;
        }
        NAMED
            .iter()
            .fold(text, |text, (name, is)| if text.contains(name) { text.replace(name, is) } else { text })
    }
}

/// Returns true if a tag ends a line: a break, or the end of a paragraph, row, item or heading.
fn is_break(tag: &str) -> bool {
    let tag: String = tag.chars().skip(1).take_while(|c| c.is_ascii_alphanumeric() || *c == '/').collect();
    matches!(
        tag.to_ascii_lowercase().trim_end_matches('/'),
        "br" | "p" | "/p" | "div" | "/div" | "/li" | "/tr" | "/h1" | "/h2" | "/h3" | "/h4"
    )
}

/// Paragraph or other block whose text is being collected.
#[derive(Debug, Default)]
struct Block {
    /// Lines before wrapping. Only a hard line break starts a new line.
    lines: Vec<Line>,
    /// Total number of bytes.
    bytes: usize,
    /// True if white space is preserved, as in code.
    pub keeps_blanks: bool,
}

impl Block {
    pub fn push(&mut self, text: &str, ink: Ink) {
        if text.is_empty() {
            return;
        }
        let text = match ink {
            Ink::Link => escape::escape_line(text),
            Ink::Code => escape::escape_source_line(text),
            _ => escape::escape_prose(text),
        };
        self.bytes += text.len();
        if self.lines.is_empty() {
            self.lines.push(Vec::new());
        }
        let Some(line) = self.lines.last_mut() else { return };
        match line.last_mut() {
            Some(last) if last.ink == ink => last.text.push_str(&text),
            _ => line.push(piece(text, ink)),
        }
    }

    /// Appends text of several lines.
    pub fn push_lines(&mut self, text: &str, ink: Ink) {
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                self.end_line();
            }
            self.push(line.strip_suffix('\r').unwrap_or(line), ink);
        }
    }

    /// Starts a new line.
    pub fn end_line(&mut self) {
        if !self.lines.is_empty() {
            self.lines.push(Vec::new());
        }
    }

    pub fn len(&self) -> usize {
        self.bytes
    }

    pub fn is_empty(&self) -> bool {
        self.lines.iter().flatten().all(|piece| piece.text.trim().is_empty())
    }

    /// Returns the text from byte offset `from` of the block, without blanks at its ends.
    pub fn text_from(&self, from: usize) -> String {
        let whole: String = self.lines.iter().flatten().map(|piece| piece.text.as_str()).collect();
        whole.get(from..).unwrap_or_default().trim().to_owned()
    }

    /// Returns the lines, wrapped to at most `columns` columns.
    pub fn wrap_lines(mut self, columns: usize) -> Vec<Line> {
        while self.lines.last().is_some_and(|line| line.iter().all(|piece| piece.text.trim().is_empty())) {
            self.lines.pop();
        }
        let mut filled = Vec::new();
        for line in &self.lines {
            if self.keeps_blanks {
                wrap_anywhere(line, columns, &mut filled);
            } else if line.iter().any(|piece| !piece.text.trim().is_empty()) {
                wrap_at_blanks(line, columns, &mut filled);
            }
        }
        filled
    }
}

/// Output line that is being filled.
#[derive(Default)]
struct LineBuilder {
    line: Line,
    used: usize,
}

impl LineBuilder {
    fn push_piece(&mut self, text: &str, ink: Ink, columns: usize) {
        self.used += columns;
        match self.line.last_mut() {
            Some(last) if last.ink == ink => last.text.push_str(text),
            _ => self.line.push(piece(text, ink)),
        }
    }

    fn finish_line(&mut self, lines: &mut Vec<Line>) {
        lines.push(std::mem::take(self).line);
    }

    /// Appends text character by character, with line breaks as needed. Drops characters wider than
    /// a line.
    fn push_letters(&mut self, text: &str, ink: Ink, columns: usize, lines: &mut Vec<Line>) {
        for letter in text.graphemes(true) {
            let wide = escape::grapheme_width(letter);
            if wide > columns {
                continue;
            }
            if self.used + wide > columns {
                self.finish_line(lines);
            }
            self.push_piece(letter, ink, wide);
        }
    }
}

/// Wraps a line at the maximum width, also inside of words.
fn wrap_anywhere(line: &Line, columns: usize, lines: &mut Vec<Line>) {
    let mut filling = LineBuilder::default();
    for piece in line {
        filling.push_letters(&piece.text, piece.ink, columns, lines);
    }
    filling.finish_line(lines);
}

/// Wraps a line at white space. A word is broken only if it is wider than a line; the border of
/// two pieces does not break a word.
fn wrap_at_blanks(line: &Line, columns: usize, lines: &mut Vec<Line>) {
    let mut filling = LineBuilder::default();
    for word in split_words(line) {
        let wide: usize = word.iter().map(|piece| escape::count_columns(&piece.text)).sum();
        let gap = usize::from(filling.used > 0);
        if filling.used + gap + wide <= columns {
            if let Some(first) = word.first().filter(|_| gap > 0) {
                // A blank between two pieces of one color joins them.
                let before = filling.line.last().map(|piece| piece.ink);
                let ink = if before == Some(first.ink) { first.ink } else { Ink::Text };
                filling.push_piece(" ", ink, 1);
            }
            for piece in &word {
                filling.push_piece(&piece.text, piece.ink, escape::count_columns(&piece.text));
            }
            continue;
        }
        if filling.used > 0 {
            filling.finish_line(lines);
        }
        for piece in &word {
            filling.push_letters(&piece.text, piece.ink, columns, lines);
        }
    }
    if filling.used > 0 {
        filling.finish_line(lines);
    }
}

/// Splits a line into words, each with its pieces.
fn split_words(line: &Line) -> Vec<Line> {
    let mut words: Vec<Line> = Vec::new();
    let mut is_open = false;
    for part in line {
        for letter in part.text.graphemes(true) {
            if letter.chars().all(char::is_whitespace) {
                is_open = false;
                continue;
            }
            if !is_open {
                words.push(Vec::new());
                is_open = true;
            }
            let Some(word) = words.last_mut() else { continue };
            match word.last_mut() {
                Some(last) if last.ink == part.ink => last.text.push_str(letter),
                _ => word.push(piece(letter, part.ink)),
            }
        }
    }
    words
}
