//! The way to a node within its blob, as messages spell it.

/// A way, spelled out only where something is wrong.
#[derive(Clone, Copy)]
pub(super) enum Path<'a> {
    /// The blob itself.
    Blob,
    /// The value of a key.
    Key(&'a Path<'a>, &'a str),
    /// An item of a list.
    Item(&'a Path<'a>, usize),
}

impl Path<'_> {
    /// Such as `properties[3].value`.
    pub(super) fn spell(&self) -> String {
        match self {
            Self::Blob => String::new(),
            Self::Key(Path::Blob, key) => (*key).to_owned(),
            Self::Key(parent, key) => format!("{}.{key}", parent.spell()),
            Self::Item(parent, index) => format!("{}[{index}]", parent.spell()),
        }
    }
}
