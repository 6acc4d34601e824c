//! Text that is safe in the log of a CI job. No line is a command for the runner, and only our own
//! colors act on a terminal.
//!
//! Runners read what programs print. GitHub Actions takes `::x::` for a command at the start of a
//! line, after white space, and `##[x]` anywhere in it (its `ActionCommand.cs`). Gitea and Forgejo
//! do nearly the same. Azure Pipelines takes `##vso[` and `##[` anywhere, `TeamCity` takes
//! `##teamcity[`. Buildkite opens a group at a line that begins with `--- `, `+++ ` or `~~~ `.
//! GitLab and Travis mark sections with an escape sequence, which is removed before.
//!
//! A blank in the right position is enough: `: :x::`, `## [x]`, ` --- x`. Two of those runners
//! ignore characters without a width when they compare, so such characters are ignored here too.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar as _;

use super::escape;

/// Returns text that is safe to print. `text` consists of whole lines. If `colours` is set,
/// sequences that set colors are kept.
pub fn escape_log_text(text: &str, colours: bool) -> Cow<'_, str> {
    if is_safe(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            out.push('\n');
        }
        if is_safe(line) {
            out.push_str(line);
        } else {
            Line { out: &mut out, watch: CommandDetector::default(), colours }.write_escaped_line(line);
        }
    }
    Cow::Owned(out)
}

/// Returns true if no line can contain a command, which holds for nearly all text.
fn is_safe(text: &str) -> bool {
    let harmless = |byte: u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    let is_harmless = text.bytes().all(harmless);
    is_harmless
        && !text.contains("##")
        && !text.contains("::")
        && !GROUP_MARKS.iter().any(|mark| text.contains(mark))
}

/// Marks that open a group in the log of Buildkite.
const GROUP_MARKS: [&str; 4] = ["---", "+++", "~~~", "^^^"];

/// Detector of runner commands that reads character by character. Also used for formats with their
/// own escapes.
#[derive(Clone, Copy, Default)]
pub struct CommandDetector(DetectorState);

/// Recognized part of a command.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum DetectorState {
    /// Start of a line, after white space.
    #[default]
    Start,
    /// After the first colon of a line.
    Colon,
    /// Within a line.
    Within,
    /// After one or two `#`.
    Hashes(u8),
    /// After `##` and letters.
    Word,
}

impl CommandDetector {
    /// Returns true if a character completes a command: `:` at the start of a line, `[` anywhere.
    pub fn completes_command(&mut self, c: char) -> bool {
        if !c.is_ascii() && c.width() == Some(0) {
            return false;
        }
        let completes = matches!(
            (self.0, c),
            (DetectorState::Colon, ':') | (DetectorState::Hashes(2) | DetectorState::Word, '[')
        );
        self.0 = match (self.0, c) {
            (_, '\n') => DetectorState::Start,
            (DetectorState::Start, ':') => DetectorState::Colon,
            (DetectorState::Start, c) if c.is_whitespace() => DetectorState::Start,
            (DetectorState::Hashes(_), '#') => DetectorState::Hashes(2),
            (_, '#') => DetectorState::Hashes(1),
            (DetectorState::Hashes(2) | DetectorState::Word, c) if c.is_ascii_alphabetic() => {
                DetectorState::Word
            }
            _ => DetectorState::Within,
        };
        completes
    }
}

struct Line<'o> {
    out: &'o mut String,
    watch: CommandDetector,
    colours: bool,
}

impl Line<'_> {
    fn write_escaped_line(mut self, line: &str) {
        if self.opens_group(line) {
            self.out.push(' ');
        }
        let mut rest = line;
        while let Some(c) = rest.chars().next() {
            let sequence = if self.colours { color_sequence(rest) } else { None };
            let taken = sequence.map_or(c.len_utf8(), str::len);
            match sequence {
                Some(sequence) => self.out.push_str(sequence),
                None => self.push_character(c),
            }
            rest = rest.get(taken..).unwrap_or_default();
        }
    }

    /// Returns true if a line opens a group: three marks, followed by white space or nothing.
    fn opens_group(&self, line: &str) -> bool {
        let mut shown = line;
        while let Some(sequence) = color_sequence(shown).filter(|_| self.colours) {
            shown = shown.get(sequence.len()..).unwrap_or_default();
        }
        let behind = GROUP_MARKS.iter().find_map(|mark| shown.strip_prefix(mark));
        behind.is_some_and(|rest| rest.chars().next().is_none_or(char::is_whitespace))
    }

    fn push_character(&mut self, c: char) {
        let is_shown = c != '\t' && escape::is_harmful(c);
        if self.watch.completes_command(if is_shown { '<' } else { c }) {
            self.out.push(' ');
        }
        if is_shown {
            escape::push_escaped(self.out, c);
        } else {
            self.out.push(c);
        }
    }
}

/// Returns the color sequence at the start of a text.
fn color_sequence(text: &str) -> Option<&str> {
    let parameters = text.strip_prefix("\x1b[")?;
    let length = parameters.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b';').count();
    let ends = parameters.as_bytes().get(length) == Some(&b'm');
    ends.then(|| text.get(..length + 3)).flatten()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn escape_without_colors(text: &str) -> String {
        escape_log_text(text, false).into_owned()
    }

    #[test]
    fn commands_of_github_become_text() {
        assert_eq!(escape_without_colors("::error::x\n \t::stop-commands::y\n\u{a0}::a b=c::"), {
            ": :error::x\n \t: :stop-commands::y\n\u{a0}: :a b=c::"
        });
        assert_eq!(escape_without_colors("a ##[error]x ###[group]"), "a ## [error]x ### [group]");
        assert_eq!(escape_without_colors("a ::error::x"), "a ::error::x", "only at the start of a line");
        assert_eq!(
            escape_without_colors("## heading\n# [x]\n##-[x]\n#a#[x]"),
            "## heading\n# [x]\n##-[x]\n#a#[x]"
        );
    }

    #[test]
    fn commands_of_others_become_text() {
        assert_eq!(escape_without_colors("x ##vso[task.x]y"), "x ##vso [task.x]y");
        assert_eq!(escape_without_colors("##TeamCity[x 'y']"), "##TeamCity [x 'y']");
        assert_eq!(escape_without_colors("--- a\n+++ b\n~~~\n^^^ +++\n---a\n ~~~ b\n|---|"), {
            " --- a\n +++ b\n ~~~\n ^^^ +++\n---a\n ~~~ b\n|---|"
        });
    }

    #[test]
    fn characters_that_runners_ignore_are_ignored() {
        // A comparison may ignore marks without a width. The mark after the blank is visible.
        assert_eq!(escape_without_colors(":\u{591}:error::"), ":\u{591} :error::");
        assert_eq!(escape_without_colors("#\u{591}#\u{301}vs\u{591}o["), "#\u{591}#\u{301}vs\u{591}o [");
        assert_eq!(escape_without_colors(":\u{200b}:error::"), ":<U+200B>:error::");
        let colour = "\x1b[1m::error::\x1b[0m ##\x1b[31m[x]";
        assert_eq!(escape_log_text(colour, true), "\x1b[1m: :error::\x1b[0m ##\x1b[31m [x]");
        assert_eq!(escape_log_text("\x1b[1m--- x", true), " \x1b[1m--- x");
    }

    #[test]
    fn only_color_sequences_stay_active_and_only_if_allowed() {
        assert_eq!(
            escape_without_colors("\x1b[31mx\r\u{9b}\u{202e}\t"),
            "\u{241b}[31mx\u{240d}<U+009B><U+202E>\t"
        );
        assert_eq!(escape_log_text("\x1b[1;31mx\x1b[0m\x1b[2J\x1b]0;t\x07\x1b[1", true), {
            "\x1b[1;31mx\x1b[0m\u{241b}[2J\u{241b}]0;t\u{2407}\u{241b}[1"
        });
    }

    #[test]
    fn ordinary_text_is_not_copied() {
        assert!(matches!(escape_log_text("error[dead-end]: a # 1\n  | c -- d\n", true), Cow::Borrowed(_)));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn safe_text_is_unchanged(text in "([ #:a\\[\\]\n-]|::|##|vso|\u{1b}\\[1m|\u{301}){0,12}", colours: bool) {
            let once = escape_log_text(&text, colours).into_owned();
            prop_assert_eq!(escape_log_text(&once, colours), once.as_str());
            let bare: String = text.chars().filter(|c| *c != ' ').collect();
            if colours {
                let kept: String = once.chars().filter(|c| *c != ' ').collect();
                prop_assert_eq!(kept, bare, "only blanks come to it");
            }
        }
    }
}
