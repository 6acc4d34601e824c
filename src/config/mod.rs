//! Settings in `config.toml`. An invalid part is reported and ignored, and the rest counts. Names
//! of actions and keys are not checked here; they keep their locations, so that `tui` can report
//! mistakes.

#[cfg(test)]
mod tests;

use std::fmt::{self, Write as _};
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use olm_catalog::similar_names;
use olmap_report::{escape, log::CommandDetector};

/// A location in the configuration: line and column from 1, with columns in characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Location {
    /// Line number, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A value in the configuration with its location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Located<T> {
    /// The value as written.
    pub value: T,
    /// Location of the value.
    pub at: Location,
}

/// A mistake in the configuration; the part with the mistake is ignored.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Problem {
    /// Location of the mistake.
    pub at: Location,
    /// Message as a sentence without a full stop.
    pub message: String,
    /// Suggested correction.
    pub hint: Option<String>,
}

/// Policy for colors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Color {
    /// Colors on a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always use colors.
    Always,
    /// Never use colors.
    Never,
}

/// Method to copy text to the clipboard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clipboard {
    /// The system clipboard, or the terminal if there is none.
    Auto,
    /// Through the terminal, with the OSC 52 escape sequence.
    Osc52,
    /// Disabled.
    Off,
}

/// Keys of an action in the configuration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeySetting {
    /// Name of the action.
    pub action: Located<String>,
    /// Keys that replace the default keys; empty for none.
    pub keys: Vec<Located<String>>,
}

/// Content of the configuration. An option that is not set is `None`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Config {
    /// Name of the theme, one of [`THEMES`].
    pub theme: Option<String>,
    /// True to draw with ASCII only.
    pub ascii: Option<bool>,
    /// Policy for colors.
    pub color: Option<Color>,
    /// True to capture the mouse.
    pub mouse: Option<bool>,
    /// True to watch open files for changes by other programs.
    pub watch: Option<bool>,
    /// Method to copy text to the clipboard.
    pub clipboard: Option<Clipboard>,
    /// Editor command, which overrides the environment.
    pub editor: Option<String>,
    /// Keys in the order of the file. Unknown actions and keys are not detected here.
    pub keys: Vec<KeySetting>,
    /// Mistakes in the order of the file.
    pub problems: Vec<Problem>,
}

impl Config {
    /// Parses a configuration. Accepts any text: valid parts count, and the rest becomes problems.
    pub fn parse(text: &str) -> Self {
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
}

/// Names of the themes.
pub const THEMES: &[&str] = &["terminal", "dark", "light", "high-contrast", "mono", "auto"];

const COLORS: &[&str] = &["auto", "always", "never"];

const CLIPBOARDS: &[&str] = &["auto", "osc52", "off"];

/// Type of an option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// `true` or `false`.
    Flag,
    /// A word from a list.
    Word(&'static [&'static str]),
    /// Any text that is not blank.
    Text,
}

/// A parsed value that matches the [`OptionKind`] of its option.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Value {
    Flag(bool),
    /// A word from the list, or any text.
    Text(String),
}

impl Value {
    fn into_flag(self) -> Option<bool> {
        if let Self::Flag(flag) = self { Some(flag) } else { None }
    }

    fn into_text(self) -> Option<String> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }
}

/// Specification of an option.
#[derive(Debug)]
pub struct OptionSpec {
    /// Name in the configuration.
    pub name: &'static str,
    /// Description as a sentence without a full stop.
    pub doc: &'static str,
    /// Type of the value.
    pub kind: OptionKind,
    /// Default value as TOML; `None` if it depends on the environment.
    pub default: Option<&'static str>,
    /// Function that stores a value.
    set: fn(&mut Config, Value),
    /// Function that returns the value as TOML, if it is set.
    get: fn(&Config) -> Option<String>,
}

impl OptionSpec {
    /// Returns the value in a configuration as TOML, if it is set.
    pub fn configured_value(&self, config: &Config) -> Option<String> {
        (self.get)(config)
    }
}

/// All options.
pub static OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        name: "theme",
        doc: "The theme; auto: dark or light, by the background of the terminal",
        kind: OptionKind::Word(THEMES),
        default: Some("\"terminal\""),
        set: |config, value| config.theme = value.into_text(),
        get: |config| config.theme.as_deref().map(quote_toml),
    },
    OptionSpec {
        name: "ascii",
        doc: "Draw with ASCII only; by default only in a locale without Unicode",
        kind: OptionKind::Flag,
        default: None,
        set: |config, value| config.ascii = value.into_flag(),
        get: |config| config.ascii.map(|flag| flag.to_string()),
    },
    OptionSpec {
        name: "color",
        doc: "When to use colours; auto: on a terminal, unless NO_COLOR is set",
        kind: OptionKind::Word(COLORS),
        default: Some("\"auto\""),
        set: |config, value| {
            config.color = value.into_text().and_then(|text| match text.as_str() {
                "auto" => Some(Color::Auto),
                "always" => Some(Color::Always),
                "never" => Some(Color::Never),
                _ => None,
            });
        },
        get: |config| {
            config.color.map(|color| {
                quote_toml(match color {
                    Color::Auto => "auto",
                    Color::Always => "always",
                    Color::Never => "never",
                })
            })
        },
    },
    OptionSpec {
        name: "mouse",
        doc: "Use the mouse; if false, the mouse selects text in the terminal",
        kind: OptionKind::Flag,
        default: Some("true"),
        set: |config, value| config.mouse = value.into_flag(),
        get: |config| config.mouse.map(|flag| flag.to_string()),
    },
    OptionSpec {
        name: "watch",
        doc: "Watch open files for changes by other programs",
        kind: OptionKind::Flag,
        default: Some("true"),
        set: |config, value| config.watch = value.into_flag(),
        get: |config| config.watch.map(|flag| flag.to_string()),
    },
    OptionSpec {
        name: "clipboard",
        doc: "How to copy text; auto: the system clipboard, else through the terminal (OSC 52)",
        kind: OptionKind::Word(CLIPBOARDS),
        default: Some("\"auto\""),
        set: |config, value| {
            config.clipboard = value.into_text().and_then(|text| match text.as_str() {
                "auto" => Some(Clipboard::Auto),
                "osc52" => Some(Clipboard::Osc52),
                "off" => Some(Clipboard::Off),
                _ => None,
            });
        },
        get: |config| {
            config.clipboard.map(|clipboard| {
                quote_toml(match clipboard {
                    Clipboard::Auto => "auto",
                    Clipboard::Osc52 => "osc52",
                    Clipboard::Off => "off",
                })
            })
        },
    },
    OptionSpec {
        name: "editor",
        doc: "The editor, with its arguments; default: $VISUAL, then $EDITOR",
        kind: OptionKind::Text,
        default: None,
        set: |config, value| config.editor = value.into_text(),
        get: |config| config.editor.as_deref().map(quote_toml),
    },
];

/// Name of the table with the keys.
const KEYS: &str = "keys";

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
            (Some(text), _) => quote_toml(text),
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

/// Returns the option with a name.
pub fn find_option(name: &str) -> Option<&'static OptionSpec> {
    OPTIONS.iter().find(|option| option.name == name)
}

/// Quotes a text as a TOML string. Starts from JSON, whose escapes TOML has too. Invisible
/// characters and the ends of commands for CI runners get `\U` escapes, which JSON does not have.
pub fn quote_toml(text: &str) -> String {
    let mut watch = CommandDetector::default();
    let mut out = String::new();
    for c in serde_json::Value::from(text).to_string().chars() {
        if watch.completes_command(c) || escape::is_harmful(c) {
            let _ = write!(out, "\\U{:08X}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
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
