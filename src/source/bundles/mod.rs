//! Folders of bundle directories: one bundle, the versions of an operator, or a repository of operators. They
//! open as a catalog with proposed channels. It contains the output of `opm render` for each bundle, and the
//! entries that their CSVs ask for.

mod find;
mod open;
mod owner;
#[cfg(test)]
mod tests;

pub use find::{BundleFolder, directories_in, find};
#[cfg(feature = "images")]
pub use open::of_tree;
pub use open::open;
pub use owner::{csv_name, directory_by, directory_of, find_directory};
