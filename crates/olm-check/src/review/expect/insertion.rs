//! Adds a row to a file without any change to its existing bytes.

use super::{Expectations, NewRow};
use olm_catalog::{Node, Value, text::yaml};

/// File with added rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExtendedFile {
    /// New content of the file.
    pub bytes: Vec<u8>,
    /// Inserted text.
    pub text: String,
}

/// Reason why a row cannot be added.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AddError {
    /// The file cannot be parsed or is not a list.
    #[error("it is not a list of rows")]
    NoList,
    /// The new content would not parse to the old rows plus the new ones.
    #[error("its layout does not allow adding rows")]
    Layout,
}

impl ExtendedFile {
    /// Adds rows at the end of a file. An empty file becomes a list.
    ///
    /// # Errors
    ///
    /// Fails if the file is not a list of rows, or if its layout does not allow more rows.
    pub fn new(file: &Expectations, rows: &[NewRow]) -> Result<Self, AddError> {
        let bytes = file.bytes();
        let root = yaml::parse_yaml(bytes).map_err(|_| AddError::NoList)?;
        // The file may be a single group.
        let list = root.get("expectations").unwrap_or(&root);
        let (at, text) = match &list.value {
            Value::Null if root.is_null() => insert_at_end(bytes, "", rows),
            Value::List(_) if bytes.get(list.span.range().start) == Some(&b'[') => {
                insert_in_brackets(list, rows)
            }
            Value::List(_) => {
                let column = file.location_of(list.span).column - 1;
                insert_at_end(bytes, &" ".repeat(column), rows)
            }
            _ => return Err(AddError::NoList),
        };
        let (before, behind) = bytes.split_at_checked(at).ok_or(AddError::Layout)?;
        let bytes = [before, text.as_bytes(), behind].concat();
        let after = Expectations::parse_file(file.path.clone(), bytes);
        let is_more = after.rows.len() == file.rows.len() + rows.len()
            && after.mistakes.len() == file.mistakes.len()
            && after.rows.starts_with(&file.rows);
        if is_more { Ok(Self { bytes: after.bytes().to_vec(), text }) } else { Err(AddError::Layout) }
    }
}

/// Byte offset and text of the insertion.
type Insertion = (usize, String);

fn insert_at_end(bytes: &[u8], indent: &str, rows: &[NewRow]) -> Insertion {
    let first = memchr::memchr(b'\n', bytes);
    let has_returns = first.is_some_and(|at| bytes[..at].ends_with(b"\r"));
    let mut text: String = rows.iter().map(|row| row.format_as_item(indent)).collect();
    if !bytes.is_empty() && !bytes.ends_with(b"\n") {
        text.insert(0, '\n');
    }
    if has_returns {
        text = text.replace('\n', "\r\n");
    }
    (bytes.len(), text)
}

/// Inserts after the last row, before the closing bracket.
fn insert_in_brackets(root: &Node<'_>, rows: &[NewRow]) -> Insertion {
    let at = root.items().last().map_or(root.span.range().start + 1, |last| last.span.range().end);
    let rows: Vec<String> = rows.iter().map(NewRow::format_json).collect();
    let comma = if root.items().is_empty() { "" } else { ",\n" };
    (at, format!("{comma}{}", rows.join(",\n")))
}
