//! The history of a package: the same lines on the command line, in a comment and in the explorer.

mod json;
mod lines;
mod markdown;
mod text;

pub use json::value;
pub use lines::{Line, headline, lines, one_line};
pub use markdown::comment;
pub use text::text;

use crate::{catalog::BundleName, review::history::History};

/// A history and how it is told.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// The history.
    pub history: &'a History,
    /// How people call the catalog.
    pub catalog: &'a str,
    /// The bundle that it was narrowed to, where it was.
    pub bundle: Option<&'a BundleName>,
}

/// How many of something, in words.
fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
