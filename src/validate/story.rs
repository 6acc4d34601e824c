//! The story of a rule: why it matters, and a small example, wrong and mended.
//!
//! Each is a file of `assets/rules/`, named for its rule: first the reasons, then a block marked `bad` and one marked
//! `good`. What an example leaves out (bundles, the package, a channel) is to be thought of as sound.

/// The story of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Story {
    /// What happens on a cluster and who does it, in paragraphs of Markdown.
    pub why: &'static str,
    /// The example; rules about bytes and files have none.
    pub example: Option<Example>,
    /// Why there is no example, where there is none.
    pub excuse: Option<&'static str>,
}

/// An example, wrong and mended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// `yaml` or `json`.
    pub language: &'static str,
    /// What the rule reports.
    pub bad: &'static str,
    /// The same, mended.
    pub good: &'static str,
}

impl Story {
    /// Takes the text of a story apart.
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

/// The language and the text of the block with a mark.
fn block(text: &'static str, mark: &str) -> Option<(&'static str, &'static str)> {
    text.split("```").skip(1).step_by(2).find_map(|block| {
        let (head, body) = block.split_once(mark)?;
        (!head.contains('\n')).then_some((head, body))
    })
}
