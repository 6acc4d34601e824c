//! Path of a node within its blob, for messages.

/// A path, formatted only for messages.
#[derive(Clone, Copy)]
pub(super) enum Path<'a> {
    /// The root of the blob.
    Blob,
    /// The value of a key.
    Key(&'a Path<'a>, &'a str),
    /// An item of a list.
    Item(&'a Path<'a>, usize),
}

impl Path<'_> {
    /// Formats the path, such as `properties[3].value`.
    pub(super) fn format_dotted(&self) -> String {
        match self {
            Self::Blob => String::new(),
            Self::Key(Path::Blob, key) => (*key).to_owned(),
            Self::Key(parent, key) => format!("{}.{key}", parent.format_dotted()),
            Self::Item(parent, index) => format!("{}[{index}]", parent.format_dotted()),
        }
    }
}
