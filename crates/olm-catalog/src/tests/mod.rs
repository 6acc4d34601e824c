//! Tests of catalogs as values: chunks of files, packages, and changes.

mod collection;
mod files;
mod loading;
#[cfg(unix)]
mod special_files;
