//! Tests of catalogs as values: chunks of files, packages, and changes.

mod files;
mod gathering;
mod loading;
#[cfg(unix)]
mod special;
