//! HTML in Markdown: tags are removed, text is kept.

/// Filter that removes tags; a tag may span several pieces of text.
#[derive(Debug, Default)]
pub(super) struct Stripper {
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
