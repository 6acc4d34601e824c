//! Story of a rule: its reasons and a small example, bad and corrected.
//!
//! Each story is a file in `assets/rules/` named after its rule. It contains the reasons, a block
//! marked `bad` and a block marked `good`. Parts that an example omits (bundles, the package, a
//! channel) are assumed to be valid.

/// Reasons of a rule with an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Story {
    /// Effects on a cluster and their cause, in paragraphs of Markdown.
    pub why: &'static str,
    /// Example; `None` for rules about bytes and files.
    pub example: Option<Example>,
    /// Reason for a missing example.
    pub excuse: Option<&'static str>,
}

/// Example before and after the fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// `yaml` or `json`.
    pub language: &'static str,
    /// Text that the rule reports.
    pub bad: &'static str,
    /// Corrected text.
    pub good: &'static str,
}

impl Story {
    /// Parses the text of a story.
    pub(super) fn parse(text: &'static str) -> Self {
        let why = text.split("\n```").next().unwrap_or_default().trim();
        let (why, excuse) = match why.split_once("\n\nNo example: ") {
            Some((why, excuse)) => (why, Some(excuse)),
            None => (why, None),
        };
        let example = block(text, " bad\n").zip(block(text, " good\n"));
        let example = example.map(|((language, bad), (_, good))| Example { language, bad, good });
        Self { why, example, excuse }
    }
}

/// Returns the language and the text of the block with a mark.
fn block(text: &'static str, mark: &str) -> Option<(&'static str, &'static str)> {
    text.split("```").skip(1).step_by(2).find_map(|block| {
        let (head, body) = block.split_once(mark)?;
        (!head.contains('\n')).then_some((head, body))
    })
}
