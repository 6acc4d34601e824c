//! Completion context in incomplete JSON, determined from the open brackets before the cursor.

use super::context::{Context, MapLevel, Slot};

/// Open list or map.
enum OpenBracket {
    Map { level: MapLevel, key: Option<String>, is_value: bool },
    List { under: Option<String> },
}

/// Returns the context at a byte offset of a document.
pub fn json_context(text: &str, offset: usize) -> Option<Context> {
    let bytes = text.as_bytes();
    let mut open: Vec<OpenBracket> = Vec::new();
    let mut at = 0;
    let mut word = None;
    while let Some(byte) = bytes.get(at).filter(|_| at < offset) {
        match byte {
            b'{' => {
                let under = pending_key(&open);
                open.push(OpenBracket::Map {
                    level: MapLevel { members: Vec::new(), parent_key: under },
                    key: None,
                    is_value: false,
                });
            }
            b'[' => {
                let under = pending_key(&open);
                open.push(OpenBracket::List { under });
            }
            b'}' | b']' => {
                open.pop();
            }
            b':' => {
                if let Some(OpenBracket::Map { is_value, .. }) = open.last_mut() {
                    *is_value = true;
                }
            }
            b',' => {
                if let Some(OpenBracket::Map { is_value, key, .. }) = open.last_mut() {
                    (*is_value, *key) = (false, None);
                }
            }
            b'"' => {
                let end = end_of_string(bytes, at + 1);
                if offset <= end {
                    word = Some(at + 1..end);
                    break;
                }
                record_string(&mut open, text.get(at + 1..end).unwrap_or_default());
                at = end;
            }
            _ => {}
        }
        at += 1;
    }
    let quote = word.is_some().then_some('"');
    let word = word.unwrap_or(offset..offset);
    let (slot, list) = match open.last()? {
        OpenBracket::Map { is_value: true, key: Some(key), .. } => (Slot::Value(key.clone()), None),
        OpenBracket::Map { .. } => (Slot::Key, None),
        OpenBracket::List { under } => (Slot::Item, under.clone()),
    };
    let levels = open.into_iter().rev().filter_map(|open| match open {
        OpenBracket::Map { level, .. } => Some(level),
        OpenBracket::List { .. } => None,
    });
    Some(Context { slot, list, word, quote, is_in_brackets: true, is_json: true, levels: levels.collect() })
}

/// Returns the key of a list or map that begins here.
fn pending_key(open: &[OpenBracket]) -> Option<String> {
    match open.last()? {
        OpenBracket::Map { key, .. } => key.clone(),
        OpenBracket::List { under } => under.clone(),
    }
}

fn record_string(open: &mut [OpenBracket], text: &str) {
    let Some(OpenBracket::Map { level, key, is_value }) = open.last_mut() else { return };
    match key {
        Some(key) if *is_value => {
            if let Some((_, value)) = level.members.iter_mut().find(|(name, _)| name == key) {
                text.clone_into(value);
            }
        }
        _ => {
            *key = Some(text.to_owned());
            level.members.push((text.to_owned(), String::new()));
        }
    }
}

/// Returns the position of the quote that ends a string, or the end of the line.
fn end_of_string(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'"' | b'\n' => return at,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json_context_at_mark(marked: &str) -> String {
        let offset = marked.find('|').unwrap();
        let text = marked.replacen('|', "", 1);
        let Some(context) = json_context(&text, offset) else { return "nothing".to_owned() };
        let (object, path) = context.enclosing_object();
        let schema = object.and_then(|object| object.get("schema")).unwrap_or("?");
        format!("{schema} {path:?} {:?} {:?} {:?}", context.slot, &text[context.word.clone()], context.quote)
    }

    #[test]
    fn context_is_found_in_incomplete_json() {
        let channel = r#"{"schema":"olm.channel","package":"p","entries":[{"name":"a""#;
        for (marked, expected) in [
            (format!(r#"{channel},"re|""#), r#"olm.channel ["entries"] Key "re" Some('"')"#),
            (
                format!(r#"{channel},"replaces": "b|c"}}]}}"#),
                r#"olm.channel ["entries"] Value("replaces") "bc" Some('"')"#,
            ),
            (format!(r#"{channel},"replaces": |"#), r#"olm.channel ["entries"] Value("replaces") "" None"#),
            (
                format!(r#"{channel},"skips": ["b","|"#),
                r#"olm.channel ["entries", "skips"] Item "" Some('"')"#,
            ),
            (format!("{channel}, |"), r#"olm.channel ["entries"] Key "" None"#),
            ("|".to_owned(), "nothing"),
            (r#"{"sch|"#.to_owned(), r#"? [] Key "sch" Some('"')"#),
        ] {
            assert_eq!(json_context_at_mark(&marked), expected, "{marked}");
        }
    }
}
