//! Folders of bundle directories: one bundle, the versions of an operator, or a repository of operators. They
//! open as a catalog with proposed channels. It contains the output of `opm render` for each bundle, and the
//! entries that their CSVs ask for.

mod loading;
mod owner;
#[cfg(test)]
mod tests;

#[cfg(feature = "images")]
pub use loading::catalog_of_tree;
pub use loading::open_bundles;
pub use loading::{BundleFolder, directories_in, find_bundle_folder};
pub use owner::{csv_name, directory_by, directory_of, find_directory};
