//! Folders of bundle directories: one bundle, the versions of an operator, or a repository of operators. They
//! open as a catalog with proposed channels. It contains the output of `opm render` for each bundle, and the
//! entries that their CSVs ask for.

mod loading;
mod owner;
mod search;
#[cfg(test)]
mod tests;

#[cfg(feature = "images")]
pub use loading::catalog_of_tree;
pub use loading::open_bundles;
pub use owner::{csv_name, directory_by, directory_of, find_directory};
pub use search::{BundleFolder, directories_in, find_bundle_folder};
