//! Completion context in incomplete YAML, determined from the indentation of the lines around the cursor.

use std::ops::Range;

/// Maximum number of lines that are read before and after the cursor.
const MAX_LINES: usize = 20_000;

/// Parsed line of YAML.
#[derive(Debug)]
struct YamlLine<'t> {
    /// Columns of the `-` marks of list items, left to right.
    dashes: Vec<usize>,
    /// Column after the blanks and `-` marks.
    column: usize,
    /// Text from that column.
    rest: &'t str,
}

impl<'t> YamlLine<'t> {
    /// Parses a line; `None` if it is blank or a comment.
    fn parse(text: &'t str) -> Option<Self> {
        let mut line = YamlLine { dashes: Vec::new(), column: 0, rest: text };
        loop {
            let trimmed = line.rest.trim_start_matches(' ');
            line.column += line.rest.len() - trimmed.len();
            line.rest = trimmed;
            match trimmed.strip_prefix('-') {
                Some(after) if after.is_empty() || after.starts_with([' ', '\t']) => {
                    line.dashes.push(line.column);
                    line.column += 1;
                    line.rest = after;
                }
                _ => break,
            }
        }
        line.rest = line.rest.trim_end_matches(['\r', '\n']);
        let is_dull = line.rest.trim().is_empty() && line.dashes.is_empty() || line.rest.starts_with('#');
        (!is_dull).then_some(line)
    }

    /// Returns the key and the value, without quotes around the key. `None` if the line has no key.
    fn member(&self) -> Option<(&'t str, &'t str)> {
        split_member(self.rest).map(|(key, value)| (unquoted(key), value.trim()))
    }

    /// Returns the column at which the content begins, including `-` marks.
    fn content_column(&self) -> usize {
        self.dashes.first().copied().unwrap_or(self.column)
    }
}

/// Splits `key: value` at its colon. `None` if the text is not a map member.
fn split_member(text: &str) -> Option<(&str, &str)> {
    if text.starts_with(['{', '[', '#', '|', '>', '&', '*', '!']) {
        return None;
    }
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''));
    let from =
        quote.map_or(0, |quote| text.get(1..).and_then(|rest| rest.find(quote)).map_or(0, |at| at + 2));
    let rest = text.get(from..)?;
    let mut colons = rest.match_indices(':').map(|(at, _)| from + at);
    let at = colons.find(|at| {
        text.get(at + 1..).is_some_and(|after| after.is_empty() || after.starts_with([' ', '\t']))
    })?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// Returns the context at a byte offset of a document.
pub fn yaml_context(text: &str, offset: usize) -> Option<Context> {
    let start = text.get(..offset)?.rfind('\n').map_or(0, |at| at + 1);
    let before = text.get(start..offset)?;
    let whole = text.get(start..)?.lines().next().unwrap_or_default();
    if before.trim_start().starts_with('#') || before.contains(" #") {
        return None;
    }
    let (dashes, column, typed) = match YamlLine::parse(before) {
        Some(line) => (line.dashes, line.column, line.rest),
        None => (Vec::new(), before.len(), ""),
    };
    let at = offset - typed.len();
    let mut context = context_in_line(typed, at)?;
    context.word = word_range(&context, start, whole, offset);
    let here = &whole.get(before.len() - typed.len()..).unwrap_or_default();
    let around = CursorLines { text, line: start, end: start + whole.len() };
    let own = split_member(here)
        .filter(|_| context.slot != Slot::Key)
        .map(|(key, value)| (unquoted(key).to_owned(), value.trim().to_owned()));
    if context.is_in_brackets && !context.levels.is_empty()
        || context.slot == Slot::Item && context.list.is_some()
    {
        // A value in brackets has its key on the same line.
        let levels = around.levels(&dashes, column, own);
        context.levels.extend(levels);
        return Some(context);
    }
    let is_first = !dashes.is_empty();
    if is_first && context.slot == Slot::Key {
        context.slot = Slot::Item;
        context.list = around.list_key(dashes.last().copied().unwrap_or_default());
    }
    let mut levels = around.levels(&dashes, column, own);
    if context.slot == Slot::Item
        && let Some(first) = levels.first_mut()
    {
        // The map that may begin here is an item; its list is recorded separately.
        first.parent_key = None;
    }
    context.levels = levels;
    if context.slot == Slot::Item && !context.levels.is_empty() {
        context.levels.remove(0);
    }
    Some(context)
}

/// Returns the context from the current line only. `typed` is the text between the indentation and
/// the cursor; it starts at byte offset `at` of the document.
fn context_in_line(typed: &str, at: usize) -> Option<Context> {
    let plain = |slot, from: usize, quote, flow| Context {
        slot,
        list: None,
        word: at + from..at + typed.len(),
        quote,
        is_in_brackets: flow,
        is_json: false,
        levels: Vec::new(),
    };
    let bracket = open_bracket(typed);
    let Some((open, is_map)) = bracket else {
        return Some(if let Some((key, value)) = split_member(typed) {
            let (from, quote) = word_start(value);
            plain(Slot::Value(unquoted(key).to_owned()), typed.len() - value.len() + from, quote, false)
        } else {
            let (from, quote) = word_start(typed);
            plain(Slot::Key, from, quote, false)
        });
    };
    let key = split_member(typed).map(|(key, _)| unquoted(key).to_owned());
    let inside = typed.get(open + 1..)?;
    let last = inside.rfind(',').map_or(0, |comma| comma + 1);
    let part = inside.get(last..)?;
    let from = typed.len() - part.len();
    if !is_map {
        let (skip, quote) = word_start(part);
        let mut context = plain(Slot::Item, from + skip, quote, true);
        context.list = key;
        return Some(context);
    }
    let members = inside.split(',').filter_map(|part| split_member(part.trim_start()));
    let members = members
        .map(|(key, value)| (unquoted(key).to_owned(), unquoted(value.trim_end_matches('}')).to_owned()));
    let level = MapLevel { members: members.collect(), parent_key: key };
    let blanks = part.len() - part.trim_start().len();
    let mut context = match split_member(part.trim_start()) {
        Some((key, value)) => {
            let (skip, quote) = word_start(value);
            plain(Slot::Value(unquoted(key).to_owned()), typed.len() - value.len() + skip, quote, true)
        }
        None => plain(Slot::Key, from + blanks, None, true),
    };
    context.levels.push(level);
    Some(context)
}

/// Returns the position of the innermost open bracket, and whether it opens a map.
fn open_bracket(text: &str) -> Option<(usize, bool)> {
    let mut open = Vec::new();
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(q), c) if q == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '{') => open.push((at, true)),
            (None, '[') => open.push((at, false)),
            (None, '}' | ']') => {
                open.pop();
            }
            _ => {}
        }
    }
    open.pop()
}

/// Returns the number of bytes before the word of a scalar (blanks and a quote), and the quote.
fn word_start(text: &str) -> (usize, Option<char>) {
    let blanks = text.len() - text.trim_start().len();
    match text.trim_start().chars().next().filter(|c| matches!(c, '"' | '\'')) {
        Some(quote) => (blanks + 1, Some(quote)),
        None => (blanks, None),
    }
}

/// Returns the byte range of the word at the cursor.
fn word_range(context: &Context, line: usize, whole: &str, offset: usize) -> Range<usize> {
    let rest = whole.get(offset - line..).unwrap_or_default();
    let is_end = |c: char| match context.quote {
        Some(quote) => c == quote,
        None => c.is_whitespace() || c == ':' || context.is_in_brackets && matches!(c, ',' | ']' | '}'),
    };
    let end = rest.find(is_end).unwrap_or(rest.len());
    context.word.start..offset + end
}

/// Lines around the line of the cursor.
struct CursorLines<'t> {
    text: &'t str,
    /// Byte offset of the start of the line.
    line: usize,
    /// Byte offset of the end of the line.
    end: usize,
}

impl<'t> CursorLines<'t> {
    fn lines_above(&self) -> impl Iterator<Item = YamlLine<'t>> + use<'t> {
        let text = self.text.get(..self.line).unwrap_or_default();
        text.lines()
            .rev()
            .take(MAX_LINES)
            .take_while(|line| !line.starts_with("---"))
            .filter_map(YamlLine::parse)
    }

    fn lines_below(&self) -> impl Iterator<Item = YamlLine<'t>> + use<'t> {
        let text = self.text.get(self.end..).unwrap_or_default();
        text.lines().take(MAX_LINES).skip(1).filter_map(YamlLine::parse)
    }

    /// Returns the key of the list whose items have their `-` in column `dash`.
    fn list_key(&self, dash: usize) -> Option<String> {
        let mut above = self.lines_above();
        let key = above.find(|line| {
            let is_item = line.content_column() == dash && !line.dashes.is_empty();
            line.column <= dash && !is_item && line.member().is_some()
        })?;
        key.member().map(|(key, _)| key.to_owned())
    }

    /// Returns the maps around the cursor, innermost first. `dashes` and `column` are those of the
    /// cursor line, and `own` is its member.
    fn levels(&self, dashes: &[usize], column: usize, own: Option<(String, String)>) -> Vec<MapLevel> {
        let mut levels = Vec::new();
        let mut level = MapLevel { members: own.into_iter().collect(), parent_key: None };
        let mut column = column;
        level.members.extend(self.members_below(column));
        // Column of the dash, if the map is an item of a list.
        let mut dash = dashes.last().copied();
        for line in self.lines_above() {
            if let Some(at) = dash {
                // The key of the list is at the column of its dash or to the left. Other items of the list
                // are skipped.
                if line.column > at || !line.dashes.is_empty() && line.content_column() >= at {
                    continue;
                }
                if line.member().is_none() {
                    continue;
                }
                dash = None;
            } else if line.column > column {
                continue;
            } else if line.column == column {
                if let Some((key, value)) = line.member() {
                    level.members.push((key.to_owned(), unquoted(value).to_owned()));
                }
                dash = line.dashes.last().copied();
                continue;
            } else if line.member().is_none() {
                continue;
            }
            let Some((key, value)) = line.member() else { continue };
            level.parent_key = Some(key.to_owned());
            levels.push(std::mem::take(&mut level));
            column = line.column;
            level.members.push((key.to_owned(), value.to_owned()));
            level.members.extend(self.members_below(column));
            dash = line.dashes.last().copied();
        }
        levels.push(level);
        levels
    }

    /// Returns the members below the cursor of the map at `column`.
    fn members_below(&self, column: usize) -> Vec<(String, String)> {
        let mut members = Vec::new();
        for line in self.lines_below() {
            if line.rest.starts_with("---") || line.content_column() < column {
                break;
            }
            if line.column == column
                && line.dashes.is_empty()
                && let Some((key, value)) = line.member()
            {
                members.push((key.to_owned(), unquoted(value).to_owned()));
            }
        }
        members
    }
}

/// Syntactic element at the cursor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Slot {
    /// Key of a map.
    Key,
    /// Value of a key.
    Value(String),
    /// Item of a list, or the first key of a map in a list.
    Item,
}

/// Map around the cursor.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MapLevel {
    /// Keys of the map that are already in the text, each with the value on its line.
    pub members: Vec<(String, String)>,
    /// Key whose value is this map, or the list that contains it. `None` for the top level of the
    /// document.
    pub parent_key: Option<String>,
}

impl MapLevel {
    /// Returns the value of a key. Like opm, ignores the case of keys.
    pub fn get(&self, key: &str) -> Option<&str> {
        let mut members = self.members.iter();
        members.find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, value)| value.as_str())
    }
}

/// Context of a completion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Context {
    /// Element at the cursor.
    pub slot: Slot,
    /// Key of the list, if the element is an item.
    pub list: Option<String>,
    /// Byte range of the word at the cursor, without quotes.
    pub word: Range<usize>,
    /// Opening quote of the word, if any.
    pub quote: Option<char>,
    /// True if the word is in brackets.
    pub is_in_brackets: bool,
    /// True if the document is JSON.
    pub is_json: bool,
    /// Maps around the cursor, innermost first.
    pub levels: Vec<MapLevel>,
}

impl Context {
    /// Returns the nearest map with a schema around the cursor, and the keys from that map to the cursor.
    pub fn enclosing_object(&self) -> (Option<&MapLevel>, Vec<&str>) {
        let is_object = |level: &&MapLevel| {
            level.get("schema").is_some() && level.parent_key.as_deref() != Some("reference")
        };
        let at = self.levels.iter().position(|level| is_object(&level));
        let inner = self.levels.iter().take(at.unwrap_or(self.levels.len()));
        let mut path: Vec<&str> = inner.filter_map(|level| level.parent_key.as_deref()).collect();
        path.reverse();
        if let Some(list) = &self.list {
            path.push(list);
        }
        (at.and_then(|at| self.levels.get(at)), path)
    }

    /// Returns the innermost map.
    pub fn innermost_map(&self) -> Option<&MapLevel> {
        self.levels.first()
    }
}

/// Removes the quotes of a scalar.
pub fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let inner = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn yaml_context_at_mark(marked: &str) -> String {
        let offset = marked.find('|').unwrap();
        let text = marked.replacen('|', "", 1);
        let Some(context) = yaml_context(&text, offset) else { return "nothing".to_owned() };
        let (object, path) = context.enclosing_object();
        let schema = object.and_then(|object| object.get("schema")).unwrap_or("?");
        let keys = context
            .innermost_map()
            .map(|map| map.members.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>());
        format!(
            "{schema} {path:?} {:?} {:?} {:?}",
            context.slot,
            &text[context.word.clone()],
            keys.unwrap_or_default()
        )
    }

    #[test]
    fn context_is_found_in_incomplete_yaml() {
        let channel = "---\nschema: olm.channel\npackage: p\nname: stable\nentries:\n";
        for (marked, expected) in [
            (format!("{channel}- name: a\n  re|"), r#"olm.channel ["entries"] Key "re" ["name"]"#),
            (format!("{channel}- name: a\n  replaces: b|"), r#"olm.channel ["entries"] Value("replaces") "b" ["replaces", "name"]"#),
            (format!("{channel}- name: a\n  replaces: |\n  skips:\n  - c\n- name: b\n"), r#"olm.channel ["entries"] Value("replaces") "" ["replaces", "skips", "name"]"#),
            (format!("{channel}- name: a\n  skips:\n  - b\n  - c|"), r#"olm.channel ["entries", "skips"] Item "c" ["skips", "name"]"#),
            (format!("{channel}  - name: a\n    skips:\n      - |x"), r#"olm.channel ["entries", "skips"] Item "x" ["skips", "name"]"#),
            (format!("{channel}- name: a\n  skips: [b, 'c|d']\n"), r#"olm.channel ["entries", "skips"] Item "cd" ["skips", "name"]"#),
            (format!("{channel}- {{name: a, replaces: b|}}\n"), r#"olm.channel ["entries"] Value("replaces") "b" ["name", "replaces"]"#),
            (format!("{channel}- |"), r#"olm.channel ["entries"] Item "" ["entries", "name", "package", "schema"]"#),
            (format!("{channel}- name: |\n"), r#"olm.channel ["entries"] Value("name") "" ["name"]"#),
            ("na|\nschema: olm.package\n".to_owned(), r#"olm.package [] Key "na" ["schema"]"#),
            ("schema: olm.pa|".to_owned(), r#"olm.pa [] Value("schema") "olm.pa" ["schema"]"#),
            ("|".to_owned(), r#"? [] Key "" []"#),
            (
                "schema: olm.deprecations\nentries:\n- reference:\n    schema: olm.channel\n    name: |\n  message: x\n".to_owned(),
                r#"olm.deprecations ["entries", "reference"] Value("name") "" ["name", "schema"]"#,
            ),
            (
                "schema: olm.template.basic\nentries:\n- schema: olm.channel\n  package: p\n  entries:\n  - name: a\n    replaces: '|'\n".to_owned(),
                r#"olm.channel ["entries"] Value("replaces") "" ["replaces", "name"]"#,
            ),
            (format!("{channel}- name: a # b|"), "nothing"),
        ] {
            assert_eq!(yaml_context_at_mark(&marked), expected, "{marked}");
        }
    }
}
