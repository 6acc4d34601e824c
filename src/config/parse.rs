//! Parser of `config.toml`.

use std::ops::Range;

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    Config, KeySetting, Located, Location, OPTIONS, OptionKind, OptionSpec, Problem,
    options::{Value, find_option},
};
use olm_catalog::similar_names;

/// Name of the table with the keys.
const KEYS: &str = "keys";

pub(super) fn parse_config(text: &str) -> Config {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader =
        Reader { line_index: LineIndex::new(text), config: Config::default(), error_spans: Vec::new() };
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        let span = error.span().unwrap_or(text.len()..text.len());
        let below = reader.malformed_table_span(span.start);
        let hint = below.is_some().then(|| "lines below are read once this line is fixed".to_owned());
        reader.error_spans.push(below.unwrap_or_else(|| span.clone()));
        reader.report_problem(&span, error.message().to_owned(), hint);
    }
    let mut entries: Vec<_> = table.get_ref().iter().collect();
    entries.sort_by_key(|(name, _)| name.span().start);
    for (name, value) in entries {
        reader.read_entry(name, value);
    }
    let mut config = reader.config;
    config.keys.sort_by_key(|setting| setting.action.at);
    config.problems.sort();
    config.problems.dedup();
    config
}

/// State of the parser.
struct Reader<'a> {
    line_index: LineIndex<'a>,
    config: Config,
    /// Spans with syntax errors. The TOML parser recovers by guessing values there, which are
    /// ignored.
    error_spans: Vec<Range<usize>>,
}

impl Reader<'_> {
    fn read_entry(&mut self, name: &Spanned<std::borrow::Cow<'_, str>>, value: &Spanned<DeValue<'_>>) {
        let key = name.get_ref().as_ref();
        if key == KEYS {
            if let Some(table) = value.get_ref().as_table() {
                self.read_keys(table);
            } else {
                let message = format!("{KEYS} is a table, not {}", type_name(value.get_ref()));
                self.report_problem(&value.span(), message, Some(format!("[{KEYS}]")));
            }
            return;
        }
        let Some(option) = find_option(key) else {
            if self.overlaps_error(&name.span(), &value.span()) {
                return;
            }
            let names = OPTIONS.iter().map(|option| option.name).chain([KEYS]);
            let hint = similar_names::suggest_closest(key, names.clone()).map_or_else(
                || format!("options are {}", names.collect::<Vec<_>>().join(", ")),
                |meant| format!("did you mean {meant}?"),
            );
            return self.report_problem(&name.span(), format!("unknown option {key}"), Some(hint));
        };
        if self.overlaps_error(&name.span(), &value.span()) {
            return;
        }
        match matching_value(option, value.get_ref()) {
            Some(value) => (option.set)(&mut self.config, value),
            None => self.report_wrong_value(option, value),
        }
    }

    fn report_wrong_value(&mut self, option: &OptionSpec, value: &Spanned<DeValue<'_>>) {
        let given = value.get_ref();
        let shown = match (given.as_str(), given.as_bool()) {
            (Some(text), _) => super::options::quote_toml(text),
            (None, Some(flag)) => flag.to_string(),
            _ => type_name(given).to_owned(),
        };
        let message = format!("{} cannot be {shown}", option.name);
        let hint = match option.kind {
            OptionKind::Flag => "true or false, without quotes".to_owned(),
            OptionKind::Word(words) => {
                let meant = given
                    .as_str()
                    .and_then(|text| similar_names::suggest_closest(text, words.iter().copied()));
                match meant {
                    Some(word) => format!("did you mean \"{word}\"?"),
                    None => words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", "),
                }
            }
            OptionKind::Text if given.is_str() => "remove the line to use the default".to_owned(),
            OptionKind::Text => "a string in quotes".to_owned(),
        };
        self.report_problem(&value.span(), message, Some(hint));
    }

    /// Reads the table that assigns keys to actions.
    fn read_keys(&mut self, table: &DeTable<'_>) {
        for (name, value) in table {
            if self.overlaps_error(&name.span(), &value.span()) {
                continue;
            }
            let action = Located {
                value: name.get_ref().to_string(),
                at: self.line_index.location_at(name.span().start),
            };
            let mut keys = Vec::new();
            let mut is_text = true;
            match value.get_ref() {
                DeValue::String(text) => keys.push(self.located_key(text, &value.span())),
                DeValue::Array(array) => {
                    for item in array {
                        match item.get_ref().as_str() {
                            Some(text) => keys.push(self.located_key(text, &item.span())),
                            None => is_text = false,
                        }
                    }
                }
                _ => is_text = false,
            }
            if is_text {
                self.config.keys.push(KeySetting { action, keys });
            } else {
                let message = format!("the keys of {} are strings in quotes", action.value);
                let hint = r#"such as "ctrl-f", or ["f", "ctrl-f"], or [] for none"#;
                self.report_problem(&value.span(), message, Some(hint.to_owned()));
            }
        }
    }

    fn located_key(&self, text: &str, span: &Range<usize>) -> Located<String> {
        Located { value: text.to_owned(), at: self.line_index.location_at(span.start) }
    }

    /// Returns the span of a malformed table header and of the lines below it, up to the next
    /// header. Their table is unknown, so they are ignored. `None` if the line at `offset` is not a
    /// header.
    fn malformed_table_span(&self, offset: usize) -> Option<Range<usize>> {
        let text = self.line_index.text;
        let start = self.line_index.line_start(offset);
        let is_header = |line: &str| line.trim_start().starts_with('[');
        let mut lines = text.get(start..)?.split_inclusive('\n');
        let header = lines.next().filter(|line| is_header(line))?;
        let below: usize = lines.take_while(|line| !is_header(line)).map(str::len).sum();
        // The next header does not belong to it.
        Some(start..start + (header.len() + below).saturating_sub(1))
    }

    /// Returns true if a name or value overlaps a span with a syntax error.
    fn overlaps_error(&self, name: &Range<usize>, value: &Range<usize>) -> bool {
        let (start, end) = (name.start, value.end.max(name.end));
        self.error_spans.iter().any(|span| span.start <= end && start <= span.end)
    }

    fn report_problem(&mut self, span: &Range<usize>, message: String, hint: Option<String>) {
        let at = self.line_index.location_at(span.start);
        self.config.problems.push(Problem { at, message, hint });
    }
}

/// Returns the value if it is valid for the option.
fn matching_value(option: &OptionSpec, value: &DeValue<'_>) -> Option<Value> {
    match option.kind {
        OptionKind::Flag => value.as_bool().map(Value::Flag),
        OptionKind::Word(words) => {
            let word = value.as_str().filter(|word| words.contains(word))?;
            Some(Value::Text(word.to_owned()))
        }
        OptionKind::Text => {
            let text = value.as_str().filter(|text| !text.trim().is_empty())?;
            Some(Value::Text(text.to_owned()))
        }
    }
}

/// Returns the type of a value in words.
fn type_name(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// Text with the offsets of its lines.
struct LineIndex<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    fn new(text: &'a str) -> Self {
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        Self { text, starts: std::iter::once(0).chain(breaks).collect() }
    }

    /// Returns the line number of an offset, from 1.
    fn line_at(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset)
    }

    fn line_start(&self, offset: usize) -> usize {
        self.starts.get(self.line_at(offset).saturating_sub(1)).copied().unwrap_or_default()
    }

    fn location_at(&self, offset: usize) -> Location {
        let (line, start) = (self.line_at(offset), self.line_start(offset));
        let before = self.text.get(start..offset.min(self.text.len())).unwrap_or_default();
        Location { line, column: before.chars().count() + 1 }
    }
}
